"""A later start removes the folders that killed ones have left behind, and nothing else."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from controller.broker_folder import CLAIM, CONFIGURATION, PREFIX, READERS, YOUNG_S, broker_folder

KILLED = """
import os, signal
from controller.broker_folder import CONFIGURATION, READERS, broker_folder
with broker_folder() as folder:
    (folder / CONFIGURATION).write_text("listener 1")
    (folder / READERS).write_text("topic read #")
    print(folder, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(autouse=True)
def parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, here and in programs that are started."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def aged(folder: Path) -> Path:
    """The same a while after it was changed last."""
    then = time.time() - 2 * YOUNG_S
    os.utime(folder, (then, then))
    return folder


def killed() -> Path:
    done = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip())


def made(parent: Path, name: str, *files: str) -> Path:
    folder = parent / f"{PREFIX}{name}"
    folder.mkdir()
    for file in files:
        (folder / file).write_text("")
    return folder


def test_what_a_killed_start_has_left_is_gone_with_the_next_one(parent: Path) -> None:
    left = killed()
    assert sorted(each.name for each in left.iterdir()) == sorted((CLAIM, CONFIGURATION, READERS))
    aged(left)
    empty = aged(made(parent, "empty"))
    with broker_folder():
        assert not left.exists()
        assert not empty.exists()
        (mine,) = parent.iterdir()
    assert not mine.exists()


def test_a_folder_that_is_in_use_stays() -> None:
    with broker_folder() as mine:
        aged(mine)
        with broker_folder():
            assert (mine / CLAIM).exists()


def test_whatever_is_no_forgotten_folder_of_a_broker_stays(parent: Path) -> None:
    young = made(parent, "young")
    unclaimed = aged(made(parent, "unclaimed", CONFIGURATION))
    more = aged(made(parent, "more", CLAIM, "letter.txt"))
    elsewhere = parent / "elsewhere"
    elsewhere.mkdir()
    (parent / f"{PREFIX}link").symlink_to(aged(elsewhere))
    (parent / f"{PREFIX}file").write_text("mine")
    others = aged(made(parent, "others"))
    if os.geteuid() == 0:
        os.chown(others, 65_534, 65_534)
    with broker_folder():
        pass
    assert young.is_dir()
    assert (unclaimed / CONFIGURATION).exists()
    assert sorted(each.name for each in more.iterdir()) == [CLAIM, "letter.txt"]
    assert (parent / f"{PREFIX}link").is_symlink()
    assert elsewhere.is_dir()
    assert (parent / f"{PREFIX}file").read_text() == "mine"
    assert others.exists() == (os.geteuid() == 0)
