"""The C core as a shared library: its link and its board in virtual time, with the shape of ``Link``.

What checks a link or a firmware written in Python checks the C core as well: ``receive``, ``on_timer``,
``data_to_send`` and ``next_timer`` take and give seconds; the C side counts milliseconds modulo 2^32.
"""

import ctypes
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from firmware_bridge.frames import FRAME_LIMIT
from firmware_bridge.link import Connected, LinkEvent, Lost, LostReason, Phase, Received, Role
from firmware_bridge.states import Capability, Key, ResetCause

HERE: Final = Path(__file__).parent
CORE: Final = (
    "bench.c",
    "board.c",
    "commands.c",
    "config.c",
    "cycle.c",
    "dice.c",
    "dictionary.c",
    "faults.c",
    "frame.c",
    "jobs.c",
    "keys.c",
    "link.c",
    "machine.c",
    "motions.c",
    "ops.c",
    "reports.c",
    "ring.c",
    "sha256.c",
    "travel.c",
)
"""The files of a firmware; ``pty.c`` and ``shared.c`` are for trying it out."""
STRICT: Final = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion")
SANITIZED: Final = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FOREVER: Final = 0xFFFFFFFF
NO_SESSION: Final = 0x10000
OUTPUT_LIMIT: Final = 2048
"""Bytes a board gives at most in one turn; a whole window fits."""
LOSSES: Final = {1: LostReason.SILENCE, 2: LostReason.STALLED, 3: LostReason.RESTARTED, 4: LostReason.SILENCE}
"""What ``enum link_loss`` means; a session that the board itself gave up is silence to its owner."""


def compiler() -> str | None:
    """A C compiler of this machine."""
    return shutil.which("gcc") or shutil.which("cc")


def compile_core(target: Path, sources: Iterable[str], *options: str) -> Path:
    """Compile files of this folder to ``target``; raises RuntimeError with what the compiler says."""
    command = [
        compiler() or "cc",
        *STRICT,
        *options,
        "-o",
        str(target),
        *(str(HERE / name) for name in sources),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own sources
    if done.returncode:
        raise RuntimeError(f"the C core does not compile:\n{done.stderr}")
    return target


def build_library(folder: Path, *options: str) -> ctypes.CDLL:
    """The core as a shared library in ``folder``."""
    sources = (*CORE, "shared.c")
    library = ctypes.CDLL(
        str(compile_core(folder / "board.so", sources, "-O2", "-shared", "-fPIC", *options))
    )
    for name in ("link_size", "board_size", "link_room", "link_output", "board_output"):
        getattr(library, name).restype = ctypes.c_size_t
    for name in ("link_wait", "board_wait", "link_session"):
        getattr(library, name).restype = ctypes.c_uint32
    library.board_load.restype = ctypes.c_bool
    library.board_link.restype = ctypes.c_void_p
    return library


def build_terminal(folder: Path, *options: str) -> Path:
    """The program that plays a board on a pseudo-terminal (see ``pty.c``)."""
    return compile_core(folder / "board-on-a-terminal", (*CORE, "pty.c"), "-O2", *options)


ON_UP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
TAKES = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)
ON_MESSAGE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t, ctypes.c_uint32
)
ON_LOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32)


class Owner(ctypes.Structure):
    """``struct link_owner``."""

    _fields_ = (
        ("context", ctypes.c_void_p),
        ("up", ON_UP),
        ("takes", TAKES),
        ("message", ON_MESSAGE),
        ("lost", ON_LOST),
    )


class Clock:
    """Seconds of the caller as the milliseconds of the core: modulo 2^32, from any beginning."""

    def __init__(self, base_ms: int) -> None:
        self._base = base_ms
        self._now = 0

    def at(self, now: float) -> ctypes.c_uint32:
        """The core's clock at ``now``."""
        self._now = max(self._now, int(now * 1000 + 1e-6))
        return self.latest

    @property
    def latest(self) -> ctypes.c_uint32:
        """The core's clock when it was last told."""
        return ctypes.c_uint32(self._base + self._now)

    def after(self, wait_ms: int) -> float | None:
        """When ``wait_ms`` from the latest moment have passed."""
        return None if wait_ms == FOREVER else (self._now + wait_ms) / 1000


class CoreLink:
    """The C link in the board's role, with the shape of :class:`firmware_bridge.link.Link`.

    ``base_ms``: what the core's clock shows at 0 s.
    """

    role: Final = Role.BOARD

    def __init__(self, library: Any, *, boot_id: int = 0, base_ms: int = 0) -> None:
        self._core = library
        self._boot_id = boot_id
        self._clock = Clock(base_ms)
        self._link = ctypes.create_string_buffer(library.link_size())
        self._frame = ctypes.create_string_buffer(FRAME_LIMIT)
        self._events: deque[LinkEvent] = deque()
        self._waiting: deque[bytes] = deque()
        self._urgent: deque[bytes] = deque()
        # The owner's functions must live as long as the link does.
        self._owner = Owner(
            None, ON_UP(self._is_up), TAKES(lambda _: True), ON_MESSAGE(self._message), ON_LOST(self._lost)
        )
        library.link_start(self._link, ctypes.byref(self._owner), ctypes.c_uint32(boot_id))

    @property
    def phase(self) -> Phase:
        """UP while a session is."""
        return Phase.DOWN if self._core.link_session(self._link) == NO_SESSION else Phase.UP

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Frames sent, of them sent again, good and damaged frames received."""
        counts = (ctypes.c_uint32 * 4)()
        self._core.link_counts(self._link, counts)
        return counts[0], counts[1], counts[2], counts[3]

    def send(self, message: bytes, *, urgent: bool = False) -> None:
        """Queue ``message``; urgent ones pass the others and use the kept slot."""
        (self._urgent if urgent else self._waiting).append(message)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the wire."""
        self._core.link_receive(self._link, data, ctypes.c_size_t(len(data)), self._clock.at(now))

    def on_timer(self, now: float) -> None:
        """Do what is due."""
        self._core.link_timer(self._link, self._clock.at(now))

    def next_timer(self) -> float | None:
        """When to come back."""
        return self._clock.after(self._core.link_wait(self._link, self._clock.latest))

    def data_to_send(self, now: float) -> bytes:
        """All frames that are due."""
        at = self._clock.at(now)
        out: list[bytes] = []
        while True:
            self._hand_over()
            length = self._core.link_output(self._link, self._frame, at)
            if not length:
                return b"".join(out)
            out.append(self._frame.raw[:length])

    def events(self) -> list[LinkEvent]:
        """Events since the last call, in order."""
        events = list(self._events)
        self._events.clear()
        return events

    def _hand_over(self) -> None:
        for queue, urgent in ((self._urgent, 1), (self._waiting, 0)):
            while queue and self._core.link_room(self._link, ctypes.c_bool(urgent)):
                message = queue.popleft()
                self._core.link_send(self._link, message, ctypes.c_size_t(len(message)))

    def _is_up(self, _: object, __: int) -> None:
        self._waiting.clear()
        self._urgent.clear()
        self._events.append(Connected(self._core.link_session(self._link), self._boot_id, (1, 0)))

    def _message(self, _: object, message: Any, length: int, __: int) -> None:
        self._events.append(Received(bytes(message[:length])))

    def _lost(self, _: object, why: int, __: int) -> None:
        self._events.append(Lost(LOSSES[why]))


FULL: Final = Capability(0x07FF)
"""All but dealing and dice that a camera reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Of a :class:`CoreBoard`. ``speed``: motions take so many times less; ``base_ms``: the clock at 0 s."""

    boot_id: int = 1
    uid: int = 7
    cause: ResetCause = ResetCause.POWER_ON
    speed: int = 1
    capabilities: Capability = FULL
    base_ms: int = 0


class CoreBoard:
    """The C board in virtual time, with the shape of ``hardware_sim.board_firmware.Firmware``."""

    def __init__(self, library: Any, settings: Settings) -> None:
        self._core = library
        self._settings = settings
        self._clock = Clock(settings.base_ms)
        self._board = ctypes.create_string_buffer(library.board_size())
        self._out = ctypes.create_string_buffer(OUTPUT_LIMIT)
        self._begin(settings, None)

    def restart(self, boot_id: int, cause: ResetCause, now: float) -> None:
        """The firmware starts anew with what its memory keeps."""
        self._clock.at(now)
        self._begin(replace(self._settings, boot_id=boot_id, cause=cause), self._board)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the wire."""
        self._core.board_receive(self._board, data, ctypes.c_size_t(len(data)), self._clock.at(now))

    def on_timer(self, now: float) -> None:
        """Do what is due."""
        self._core.board_timer(self._board, self._clock.at(now))

    def next_timer(self) -> float | None:
        """When to come back."""
        return self._clock.after(self._core.board_wait(self._board, self._clock.latest))

    def data_to_send(self, now: float) -> bytes:
        """Frames that are due."""
        length = self._core.board_output(
            self._board, self._out, ctypes.c_size_t(OUTPUT_LIMIT), self._clock.at(now)
        )
        return self._out.raw[:length]

    def press(self, key: Key, seat: int, now: float, *, down: bool = True) -> None:
        """A key goes down (or up) at the table."""
        self._core.board_key(
            self._board, int(key), ctypes.c_uint8(seat), ctypes.c_bool(down), self._clock.at(now)
        )

    def load(self, tiles: int, now: float) -> bool:
        """Push tiles into the open hatch; False where it is not open or the table has fewer."""
        loaded = self._core.board_load(self._board, ctypes.c_uint16(tiles), self._clock.at(now))
        return bool(loaded)

    def fault(self, code: int, now: float, *, side: int | None = None, evidence: int = 0) -> None:
        """A fault comes up."""
        where = 255 if side is None else side
        self._core.board_fault(
            self._board,
            ctypes.c_uint16(code),
            ctypes.c_uint8(where),
            ctypes.c_uint16(evidence),
            self._clock.at(now),
        )

    def fault_gone(self, code: int, now: float) -> None:
        """A fault is gone."""
        self._core.board_fault_gone(self._board, ctypes.c_uint16(code), self._clock.at(now))

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Frames sent, of them sent again, good and damaged frames received."""
        counts = (ctypes.c_uint32 * 4)()
        self._core.link_counts(ctypes.c_void_p(self._core.board_link(self._board)), counts)
        return counts[0], counts[1], counts[2], counts[3]

    @property
    def tiles(self) -> tuple[int, ...]:
        """Where the tiles are: on the table, loose below, in the walls of sides 0..3."""
        tiles = (ctypes.c_uint16 * 6)()
        self._core.board_tiles(self._board, tiles)
        return tuple(tiles)

    def _begin(self, settings: Settings, before: Any) -> None:
        plain = (settings.boot_id, settings.uid, settings.cause, settings.speed, settings.capabilities)
        self._core.board_begin(
            self._board, before, (ctypes.c_uint32 * 5)(*map(int, plain)), self._clock.latest
        )
