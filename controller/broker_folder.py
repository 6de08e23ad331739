"""The folder of a broker of our own: claimed while it is used, removed by a later start where nobody did."""

import contextlib
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

PREFIX: Final = "longzhuo-broker-"
CONFIGURATION: Final = "mosquitto.conf"
READERS: Final = "mosquitto-display.acl"
CLAIM: Final = "claim"
"""A file that whoever uses the folder has locked; the kernel lets go of it however he ends."""

YOUNG_S: Final = 60.0
"""A folder that was changed so many seconds ago may be about to be claimed."""


@contextlib.contextmanager
def broker_folder() -> Iterator[Path]:
    """Make a folder for a broker's files and remove it again; before that, those that were left behind."""
    remove_left(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name:
        folder = Path(name)
        claim = os.open(folder / CLAIM, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
        finally:
            os.close(claim)


def remove_left(parent: Path) -> None:
    """Remove this user's folders in `parent` that nobody uses any more, and nothing that is not a broker's.

    One whose claim is held, one that is young, and one with files but without a claim, stay; so does whatever
    else lies in one of them, and the folder with it.
    """
    for folder in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            _remove(folder)


def _remove(folder: Path) -> None:
    """Remove one.

    Raises:
        OSError: it is in use, another user's, or no such folder.
    """
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        facts = os.fstat(place)
        age_s = time.time() - facts.st_mtime
        if facts.st_uid != os.geteuid() or age_s < YOUNG_S:
            return
        if os.listdir(place):  # noqa: PTH208 - by its descriptor
            _empty(place)
        folder.rmdir()
    finally:
        os.close(place)


def _empty(place: int) -> None:
    claim = os.open(CLAIM, os.O_RDWR | os.O_NOFOLLOW, dir_fd=place)
    try:
        fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in (CONFIGURATION, READERS):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=place)
        # The claim is the last to go: without it nobody could tell what is left.
        if os.listdir(place) == [CLAIM]:
            os.unlink(CLAIM, dir_fd=place)
    finally:
        os.close(claim)
