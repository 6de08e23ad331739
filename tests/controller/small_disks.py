"""Disks that run full, refuse to write, and lose their power: real file systems, mounted by root."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


def _run(*words: str | Path) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@contextlib.contextmanager
def full_soon(folder: Path, *, kib: int = 16384) -> Iterator[Path]:
    """A file system in memory of so many KiB, mounted at a new folder."""
    folder.mkdir()
    if not _run("mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder):
        pytest.skip("this machine lets nobody mount a small file system")
    try:
        yield folder
    finally:
        _run("umount", "-l", folder)


@contextlib.contextmanager
def disk(folder: Path, image: Path, *, mib: int = 24) -> Iterator[Path]:
    """A disk with an ext4 file system in an image file, mounted at a new folder."""
    folder.mkdir()
    if not image.exists():
        image.write_bytes(bytes(mib * 1024 * 1024))
        if shutil.which("mkfs.ext4") is None or not _run("mkfs.ext4", "-q", image):
            pytest.skip("this machine has no mkfs.ext4")
    if not _run("mount", "-o", "loop", image, folder):
        pytest.skip("this machine lets nobody mount an image")
    try:
        yield folder
    finally:
        _run("umount", "-l", folder)


def fill(folder: Path) -> Path:
    """Write until nothing more fits; the file that takes the space."""
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler


def refuse_to_write(file: Path, *, refuse: bool) -> None:
    """Let the file system refuse every write to a file, also through what has it open already."""
    if not _run("chattr", "+i" if refuse else "-i", file):
        pytest.skip("this file system can't make a file immutable")


def give_up(folder: Path) -> None:
    """Do what a file system does that has met an error: it refuses every write from now on."""
    if not _run("mount", "-o", "remount,abort", folder):
        pytest.skip("this file system can't be told to give up")
