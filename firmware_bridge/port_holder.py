"""Which programs have a port open, as /proc tells (shell). Nothing is opened to find out."""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has the port open; ``locks``: it has claimed it for itself."""

    pid: int
    name: str
    locks: bool = False

    def __str__(self) -> str:
        return "this program itself" if self.pid == os.getpid() else f"{self.name}, pid {self.pid}"


def holders(path: str) -> tuple[Holder, ...]:
    """Who has ``path`` open, those who locked it first.

    Other users' processes are seen only where they hold a lock, unless this process may look at them.
    """
    try:
        facts = os.stat(path)  # noqa: PTH116 - beside the descriptors' own
    except OSError:
        return ()
    lockers = set(_lockers(facts))
    return tuple(
        Holder(pid, _name(pid), locks=pid in lockers) for pid in (*sorted(lockers), *_openers(facts, lockers))
    )


def held_by(path: str) -> str:
    """Words for people: who holds ``path``, "" when nobody can be named."""
    found = holders(path)
    named = [holder for holder in found if holder.locks] or list(found)
    return "; ".join(map(str, named))


def _lockers(facts: os.stat_result) -> Iterator[int]:
    """Processes with an flock on the device; /proc/locks: "n: FLOCK ADVISORY WRITE pid maj:min:inode"."""
    key = f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"
    with contextlib.suppress(OSError):
        for line in (PROC / "locks").read_text(encoding="ascii").splitlines():
            fields = line.split()
            if len(fields) > 5 and fields[1] == "FLOCK" and fields[5] == key and int(fields[4]) > 0:
                yield int(fields[4])


def _openers(facts: os.stat_result, but: set[int]) -> Iterator[int]:
    for process in PROC.glob("[0-9]*"):
        if int(process.name) not in but and any(_same(fd, facts) for fd in _descriptors(process)):
            yield int(process.name)


def _descriptors(process: Path) -> list[Path]:
    try:
        return list((process / "fd").iterdir())
    except OSError:
        return []


def _same(descriptor: Path, facts: os.stat_result) -> bool:
    try:
        other = descriptor.stat()
    except OSError:
        return False
    return (other.st_dev, other.st_ino) == (facts.st_dev, facts.st_ino)


def _name(pid: int) -> str:
    try:
        return (PROC / str(pid) / "comm").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return "a program"
