"""Child processes: started, listened to, ended by their own id, and gone with us.

Each child leads its own session, so that a Ctrl-C at the terminal reaches only the program that started it,
which then ends its children in order. Where `setpriv` exists (Linux), the kernel also ends a child whose
starter was killed.
"""

import asyncio
import collections
import contextlib
import errno
import grp
import os
import pwd
import random
import shutil
import signal
import socket
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

LAST_LINES = 40
"""How many of a child's last lines are kept to explain its end."""


class ChildFailed(Exception):
    """A child process ended although it was needed; the text says which, how, and its last words."""


@dataclass(slots=True)
class Child:
    """One running child process and its last lines of output.

    `on_line` is called with every line (standard output and error together) as it comes.
    """

    name: str
    process: asyncio.subprocess.Process
    lines: collections.deque[str] = field(default_factory=lambda: collections.deque(maxlen=LAST_LINES))
    reader: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """The process id."""
        return self.process.pid

    @property
    def alive(self) -> bool:
        """True until the process has ended and was waited for."""
        return self.process.returncode is None

    async def ended(self) -> int:
        """Wait for the end and for the last line; gives the exit status (negative: the signal's number)."""
        status = await self.process.wait()
        if self.reader is not None:
            # A grandchild may hold the pipe open after the child is gone.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(self.reader), 0.5)
        return status

    async def stop(self, *, patience_s: float = 3.0) -> int:
        """Ask it to end (SIGTERM), insist after `patience_s` (SIGKILL, also to what it started)."""
        if self.alive:
            self.signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.process.wait(), patience_s)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        status = await self.ended()
        if self.reader is not None and not self.reader.done():
            self.reader.cancel()
            await asyncio.gather(self.reader, return_exceptions=True)
        return status

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process; nothing happens if it is gone."""
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def obituary(self) -> str:
        """Say how it ended and what it said last, one line and then its own lines, indented."""
        words = "\n".join(f"    {line}" for line in list(self.lines)[-8:])
        return f"{self.name} ended ({_cause(self.process.returncode)})" + (
            f"; it said:\n{words}" if words else ""
        )


async def start_child(  # noqa: PLR0913 - what a program needs, by keyword
    name: str,
    argv: Sequence[str],
    *,
    on_line: Callable[[str], None] | None = None,
    log: Path | None = None,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Child:
    """Start a program; its output goes to `on_line` and, if given, to the file `log`.

    Started as root, it becomes `user`, if there is one of that name. `environment` is added to this one's.

    Raises:
        ChildFailed: the program can't be started.

    """
    try:
        process = await asyncio.create_subprocess_exec(
            *dies_with_us(argv, user),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
            env={**os.environ, **(environment or {})},
        )
    except OSError as error:
        raise ChildFailed(f"{name}: can't start {argv[0]}: {error.strerror}") from error
    child = Child(name, process)
    child.reader = asyncio.create_task(_listen(child, on_line, log), name=f"output of {name}")
    return child


async def _listen(child: Child, on_line: Callable[[str], None] | None, log: Path | None) -> None:
    stream = child.process.stdout
    if stream is None:
        return
    with contextlib.ExitStack() as files:
        file = files.enter_context(log.open("a", encoding="utf-8")) if log else None
        async for line in _lines(stream):
            child.lines.append(line)
            if file is not None:
                file.write(line + "\n")
                file.flush()
            if on_line is not None:
                on_line(line)


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    rest = b""
    while chunk := await stream.read(65536):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").rstrip("\r")
        rest = rest[-65536:]
    if rest:
        yield rest.decode("utf-8", "replace")


def dies_with_us(argv: Sequence[str], user: str | None = None) -> Sequence[str]:
    """Give the command that runs `argv` until it ends or its starter does (where `setpriv` exists)."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return argv
    # A program that gives up root by itself would forget that it dies with us.
    becomes = ["--reuid", user, "--regid", user, "--init-groups"] if user and _can_become(user) else []
    return [setpriv, *becomes, "--pdeathsig", "TERM", *argv]


def _can_become(user: str) -> bool:
    try:
        pwd.getpwnam(user)
        grp.getgrnam(user)
    except KeyError:
        return False
    return os.geteuid() == 0


def _cause(status: int | None) -> str:
    if status is None:
        return "still running"
    if status < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-status).name
    return f"exit status {status}"


def free_port(host: str = "127.0.0.1") -> int:
    """Give a TCP port that is free at this moment on `host`."""
    with socket.socket() as probe:
        probe.bind((host, 0))
        port: int = probe.getsockname()[1]
        return port


def lasting_ports(count: int, host: str = "127.0.0.1") -> list[int]:
    """Give TCP ports that are free on `host` and that the system gives to no connection by itself.

    Raises:
        OSError: there are not so many.
    """
    found: list[int] = []
    below = range(FIRST_LASTING, _first_given())
    for port in random.sample(below, len(below)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((host, port))
            found.append(port)
        if len(found) == count:
            return found
    raise OSError(errno.EADDRINUSE, f"{count} free ports below {below.stop}", host)


FIRST_LASTING: Final = 10_000
RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")


def _first_given() -> int:
    """The lowest port that a connection may be given."""
    try:
        return max(FIRST_LASTING, int(RANGE.read_text(encoding="ascii").split()[0]))
    except (OSError, ValueError, IndexError):
        return 32_768
