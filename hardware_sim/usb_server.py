"""Lets other processes use this process's simulated USB bus (shell): the far side of ``usb_remote``."""

import contextlib
import errno
import json
import socket
import socketserver
import threading
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, cast

import usb.core

from hardware_sim.usb_bus import Bus, Handle, problem


class UsbServer:
    """Serves ``bus`` at the socket ``path`` until :meth:`stop`; one thread for each line."""

    def __init__(self, bus: Bus, path: Path) -> None:
        """Keep the settings; a path longer than a socket's may be (about 100 bytes) fails at the start."""
        self.path = path
        self._server: _Server | None = None
        self._bus = bus
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Listen. Raises OSError."""
        self.path.unlink(missing_ok=True)
        self._server = _Server(self._bus, self.path)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="usb bus")
        self._thread.start()

    def stop(self) -> None:
        """Hang up on everybody and wait for the threads."""
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.hang_up()
        self._server.server_close()
        self._server = self._thread = None
        self.path.unlink(missing_ok=True)


class _Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    daemon_threads = False
    block_on_close = True

    def __init__(self, bus: Bus, path: Path) -> None:
        self.bus = bus
        self.handles: dict[int, Handle] = {}
        self.numbers = count(1)
        self.lines: set[socket.socket] = set()
        super().__init__(str(path), _Caller)

    def hang_up(self) -> None:
        for line in list(self.lines):
            with contextlib.suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


class _Caller(socketserver.StreamRequestHandler):
    """One line of another process; devices opened over it are closed when it ends."""

    def handle(self) -> None:
        server = cast("_Server", self.server)
        server.lines.add(self.request)
        opened: list[int] = []
        try:
            for line in self.rfile:
                self.wfile.write(json.dumps(self._answer(server, json.loads(line), opened)).encode() + b"\n")
        except OSError:
            pass
        finally:
            server.lines.discard(self.request)
            for number in opened:
                server.handles.pop(number).close()

    def _answer(self, server: _Server, question: dict[str, Any], opened: list[int]) -> dict[str, Any]:
        try:
            match question:
                case {"do": "devices"}:
                    plugged = server.bus.devices()
                    return {
                        "devices": [{"address": one.address, "facts": asdict(one.facts)} for one in plugged]
                    }
                case {"do": "open", "address": address}:
                    number = next(server.numbers)
                    server.handles[number] = server.bus.open(address)
                    opened.append(number)
                    return {"handle": number}
                case {"handle": number} if number in server.handles:
                    return _use(server.handles[number], question)
            raise problem(errno.ENODEV)
        except usb.core.USBError as error:
            return {"errno": error.errno}


def _use(handle: Handle, question: dict[str, Any]) -> dict[str, Any]:
    match question:
        case {"do": "claim"}:
            handle.claim()
        case {"do": "release"}:
            handle.release()
        case {"do": "write", "data": data, "timeout": timeout}:
            return {"sent": handle.write(bytes.fromhex(data), timeout)}
        case {"do": "read", "size": size, "timeout": timeout}:
            return {"data": handle.read(size, timeout).hex()}
        case {"do": "clear_halt", "inward": inward}:
            handle.clear_halt(inward=inward)
        case {"do": "control", "kind": kind, "index": index}:
            return {"data": handle.control(kind, index).hex()}
        case _:
            raise problem(errno.EINVAL)
    return {}
