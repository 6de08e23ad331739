"""The control socket: text lines in, one line of answer out for each (shell); and the client of it.

    jam side=2              let a fault strike now, or at its time: jam @cycle2 side=2
    clear [NAME]            end a fault, or all of them
    faults                  those that stand and those to come
    status                  how the board stands
    press KEY [SEAT]        press a key at a seat 0..3
    help

Answers begin with "ok" or "error".
"""

import asyncio
import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.states import Key
from hardware_sim.board import SimBoard
from hardware_sim.faults import BadFault, find
from hardware_sim.faults_list import MIXES, format_faults, parse_faults
from hardware_sim.faults_text import parse_words

NAME: Final = "control"
LINE_LIMIT: Final = 1000
"""Bytes of a line; a longer one is answered with an error and passed over."""
WAIT_S: Final = 5.0
COMMANDS: Final = "a fault (--faults list), clear [NAME], faults, status, press KEY [SEAT], help"


class NobodyListens(Exception):
    """No simulator listens in the folder; the message is one line."""


class Control:
    """Serves the socket ``control`` in ``folder`` for ``board``."""

    def __init__(self, folder: Path, board: SimBoard) -> None:
        """Nothing listens before :meth:`start`."""
        self.path = folder / NAME
        self._board = board
        self._server: asyncio.Server | None = None
        self._callers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listen. Raises OSError."""
        self.path.unlink(missing_ok=True)
        with _reachable(self.path) as path:
            self._server = await asyncio.start_unix_server(self._serve, path, limit=LINE_LIMIT)

    async def stop(self) -> None:
        """Hang up."""
        if self._server is not None:
            self._server.close()
            for caller in list(self._callers):
                caller.close()
            await self._server.wait_closed()
            self._server = None
        self.path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._callers.add(writer)
        try:
            while True:
                line = await _line(reader)
                if line == b"":
                    break
                writer.write(answer(self._board, line).encode() + b"\n")
                await writer.drain()
        except OSError:
            pass
        finally:
            self._callers.discard(writer)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()


async def _line(reader: asyncio.StreamReader) -> bytes | None:
    """The next line; b"" at the end, None for one that is too long (it is passed over)."""
    too_long = False
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return None if too_long and error.partial else error.partial
        except asyncio.LimitOverrunError as error:
            too_long = True
            await reader.readexactly(max(1, error.consumed))
        else:
            return None if too_long else line


def answer(board: SimBoard, line: bytes | None) -> str:
    """Do what a line asks; one line says how it went."""
    if line is None:
        return f"error: the line is longer than {LINE_LIMIT} bytes"
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        return f"error: no UTF-8 text; expected {COMMANDS}"
    if not text:
        return f"error: an empty line; expected {COMMANDS}"
    try:
        return f"ok {_do(board, text)}"
    except BadFault as error:
        return f"error: {error}"
    except (ValueError, RuntimeError) as error:
        return f"error: {error}"


def _do(board: SimBoard, text: str) -> str:
    match text.split():
        case ["help"]:
            said = COMMANDS
        case ["status"]:
            said = _status(board)
        case ["faults"]:
            said = _faults(board)
        case ["clear"]:
            said = f"cleared {' '.join(board.clear()) or 'nothing'}"
        case ["clear", name]:
            said = f"cleared {' '.join(board.clear(find(name).name)) or 'nothing'}"
        case ["press", key, *rest] if len(rest) < 2:
            said = _press(board, key, *rest)
        case _:
            said = _inflict(board, text)
    return said


def _inflict(board: SimBoard, text: str) -> str:
    faults = parse_faults(text) if "," in text or text in MIXES else (parse_words(text),)
    for fault in faults:
        board.inflict(fault)
    return format_faults(faults)


def _faults(board: SimBoard) -> str:
    line = format_faults(board.unit.line.standing) or "none"
    machine = " ".join(code.label for code in board.mechanics.faults) or "none"
    camera = format_faults(board.unit.camera.standing) or "none"
    waiting = format_faults(board.unit.plan.waiting) or "none"
    return f"line {line}; machine {machine}; camera {camera}; to come {waiting}"


def _status(board: SimBoard) -> str:
    unit = board.unit
    states = " ".join(state.name for state in board.mechanics.states.values())
    powered = "on" if unit.firmware is not None else "off"
    host = "up" if unit.has_host else "down"
    return f"power {powered}, boots {unit.boots}, link {host}, {states}"


def _press(board: SimBoard, key: str, seat: str = "0") -> str:
    try:
        pressed = Key[key.upper()]
    except KeyError:
        raise BadFault(f"press {key}: expected one of {', '.join(one.name for one in Key)}") from None
    if seat not in {"0", "1", "2", "3"}:
        raise BadFault(f"press {key} {seat}: expected a seat 0..3")
    board.press(pressed, int(seat))
    return f"pressed {pressed.name} {seat}"


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[str]:
    """A name of ``path`` that is short enough for a socket, however deep its folder lies."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def ask(folder: Path, line: str) -> str:
    """The answer of the simulator in ``folder`` to ``line``. Raises NobodyListens."""
    try:
        with _reachable(folder / NAME) as path, socket.socket(socket.AF_UNIX) as caller:
            caller.settimeout(WAIT_S)
            caller.connect(path)
            caller.sendall(line.encode() + b"\n")
            with caller.makefile(encoding="utf-8") as answers:
                return answers.readline().strip()
    except OSError as error:
        raise NobodyListens(
            f"{folder}: no simulated table listens there ({error.strerror or error}); "
            "expected the --dir of a running longzhuo sim"
        ) from error


def main(argv: list[str]) -> None:
    """`ctl DIR LINE`: exit status 0 for "ok", 1 for "error"."""
    if len(argv) < 2 or argv[0] in {"-h", "--help"}:
        sys.exit(f'usage: ctl DIR "LINE"; LINE is {COMMANDS}')
    try:
        said = ask(Path(argv[0]), " ".join(argv[1:]).replace("\n", " "))
    except NobodyListens as error:
        sys.exit(f"hardware_sim: {error}")
    if not said.startswith("ok"):
        sys.exit(f"hardware_sim: {said or 'no answer'}")
    print(said)  # noqa: T201 - the program's output
