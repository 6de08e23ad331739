"""pyusb's way to a simulated device in another process: ``usb_backend = "hardware_sim.usb_remote:backend"``.

The environment variable LONGZHUO_SIM_USB names the socket at which :class:`hardware_sim.usb_server.UsbServer`
listens. While nobody listens there, no device is plugged in.

Requests and answers are lines of JSON; bytes are hexadecimal text, ``errno`` in an answer is an error.
"""

import contextlib
import errno
import json
import os
import socket
import threading
from typing import Any, Final

from hardware_sim.usb_backend import SimUsbBackend
from hardware_sim.usb_bus import Handle, Plugged, UsbFacts, problem

VARIABLE: Final = "LONGZHUO_SIM_USB"

GRACE_S: Final = 2.0
"""How much longer than the device's own time limit an answer may take."""


def backend() -> SimUsbBackend:
    """The backend that ``usb_backend`` names. Raises RuntimeError when the variable is missing."""
    path = os.environ.get(VARIABLE)
    if not path:
        raise RuntimeError(f"{VARIABLE} does not name the simulator's socket")
    return SimUsbBackend(RemoteBus(path))


class RemoteBus:
    """The bus of the process that listens at the socket ``path``."""

    def __init__(self, path: str) -> None:
        self._path = path

    def devices(self) -> list[Plugged]:
        """What is plugged in there; nothing while nobody listens."""
        try:
            line = _Line(self._path)
        except OSError:
            return []
        with contextlib.closing(line):
            found = line.ask(do="devices")["devices"]
        return [Plugged(each["address"], UsbFacts(**each["facts"])) for each in found]

    def open(self, address: int) -> Handle:
        """Open a device there."""
        return _RemoteHandle(self._path, address)


class _RemoteHandle:
    """A device there, opened: reading, writing and all else have a line each, none waits for another."""

    def __init__(self, path: str, address: int) -> None:
        self._lines: list[_Line] = []
        try:
            for _ in range(3):
                self._lines.append(_Line(path))
            self._control, self._in, self._out = self._lines
            self._number = self._control.ask(do="open", address=address)["handle"]
        except OSError as error:
            self._hang_up()
            raise problem(error.errno or errno.ENODEV) from None

    def claim(self) -> None:
        self._control.ask(do="claim", handle=self._number)

    def release(self) -> None:
        self._control.ask(do="release", handle=self._number)

    def write(self, data: bytes, timeout_ms: int) -> int:
        answer = self._out.ask(do="write", handle=self._number, data=data.hex(), timeout=timeout_ms)
        return int(answer["sent"])

    def read(self, size: int, timeout_ms: int) -> bytes:
        answer = self._in.ask(do="read", handle=self._number, size=size, timeout=timeout_ms)
        return bytes.fromhex(answer["data"])

    def clear_halt(self, *, inward: bool) -> None:
        self._control.ask(do="clear_halt", handle=self._number, inward=inward)

    def control(self, kind: int, index: int) -> bytes:
        answer = self._control.ask(do="control", handle=self._number, kind=kind, index=index)
        return bytes.fromhex(answer["data"])

    def close(self) -> None:
        self._hang_up()  # the other process gives everything back

    def _hang_up(self) -> None:
        for line in self._lines:
            line.close()


class _Line:
    """A connection for one question at a time."""

    def __init__(self, path: str) -> None:
        self._lock = threading.Lock()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(GRACE_S)
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        self._answers = self._socket.makefile("r", encoding="utf-8")

    def ask(self, **question: Any) -> dict[str, Any]:
        """Ask and wait. Raises USBError, ENODEV when the other process does not answer."""
        try:
            with self._lock:
                self._socket.settimeout(question.get("timeout", 0) / 1000 + GRACE_S)
                self._socket.sendall(json.dumps(question).encode() + b"\n")
                answer = json.loads(self._answers.readline() or f'{{"errno": {errno.ENODEV}}}')
        except (OSError, ValueError):
            raise problem(errno.ENODEV) from None
        if "errno" in answer:
            raise problem(answer["errno"])
        return dict(answer)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._answers.close()
        self._socket.close()
