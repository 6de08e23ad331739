"""The C core as a shared library: its link and its board in virtual time, with the shape of ``Link``.

What checks a link or a firmware written in Python checks the C core as well: ``receive``, ``on_timer``,
``data_to_send`` and ``next_timer`` take and give seconds; the C side counts milliseconds modulo 2^32.
"""

import ctypes
import shutil
import subprocess
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from firmware_bridge.frames import FRAME_LIMIT
from firmware_bridge.link import Connected, LinkEvent, Lost, LostReason, Phase, Received, Role

HERE: Final = Path(__file__).parent
CORE: Final = ("frame.c", "link.c", "sha256.c")
STRICT: Final = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wconversion")
SANITIZED: Final = ("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FOREVER: Final = 0xFFFFFFFF
NO_SESSION: Final = 0x10000
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


def build_library(folder: Path) -> ctypes.CDLL:
    """The core as a shared library in ``folder``."""
    return ctypes.CDLL(str(compile_core(folder / "board.so", (*CORE, "shared.c"), "-O2", "-shared", "-fPIC")))


ON_UP = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32)
ON_MESSAGE = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t, ctypes.c_uint32
)
ON_LOST = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32)


class Owner(ctypes.Structure):
    """``struct link_owner``."""

    _fields_ = (("context", ctypes.c_void_p), ("up", ON_UP), ("message", ON_MESSAGE), ("lost", ON_LOST))


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
        self._owner = Owner(None, ON_UP(self._is_up), ON_MESSAGE(self._message), ON_LOST(self._lost))
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
        return self._clock.after(self._core.link_wait(self._link, self._clock.latest) & FOREVER)

    def data_to_send(self, now: float) -> bytes:
        """All frames that are due."""
        at = self._clock.at(now)
        out = []
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
