"""Our own reading as a process, so that its memory is its own: orders and figures, a line each.

``table FOLDER`` (its JPEGs are pictures of a table at rest), ``hand FILE`` (fourteen tiles), ``photo FILE``.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from controller.models import load
from controller.picture_memory import keep_picture_memory
from vision.find import Finder
from vision.name import Namer
from vision.photo import PhotoReader, load_photo
from vision.reading_cost import STAGES, measure
from vision.reading_eyes import Eyes, SightSettings

if TYPE_CHECKING:
    from vision.images import Frame
    from vision.observations import Observation

ROUNDS = 7


class CountingEyes(Eyes):
    """Eyes that know how many tiles they named in one picture at most."""

    most_named = 0

    def look(self, frame: Frame) -> list[Observation]:
        """What became certain with this picture."""
        before = self.tiles_named
        told = super().look(frame)
        self.most_named = max(self.most_named, self.tiles_named - before)
        return told


def table(folder: Path) -> dict[str, Any]:
    """What the dearest picture of a whole table's first readings and an unchanged one take, by stage.

    The dearest one names all tiles for the first time, or some doubtful ones from many crops.
    """
    eyes = CountingEyes(load("longzhuo840"), SightSettings(), Finder(), Namer())
    cost = measure(eyes, [path.read_bytes() for path in sorted(folder.glob("*.jpg"))])
    shown = {"whole": cost.whole, "again": cost.again, "unchanged": cost.unchanged}
    out: dict[str, Any] = {f"{name}_ms": each.total for name, each in shown.items()}
    out["tiles"] = eyes.most_named
    out["stages"] = {stage: [each.stages[stage] for each in shown.values()] for stage in STAGES}
    return out


def hand(photo: Path) -> dict[str, Any]:
    """What naming the tiles of a hand takes that have been found."""
    picture, finder, namer = load_photo(photo), Finder(), Namer()
    quads = np.array([found.quad for found in finder.find(picture)][:14])
    assert len(quads) == 14
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        namer.name(picture, quads)
        times.append(time.process_time() - begun)
    return {"ms": 1000 * float(np.median(times))}


def photo(path: Path) -> dict[str, Any]:
    """What a photograph takes of which nothing is known, with the file's reading."""
    reader = PhotoReader()
    reader.read(load_photo(path))
    begun = time.process_time()
    tiles = reader.read(load_photo(path))
    return {"ms": 1000 * (time.process_time() - begun), "tiles": len(tiles)}


def most_memory_mb() -> float:
    """The most memory this process has had at once; `getrusage` would count its parent's too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Answer until the input ends."""
    cv2.setNumThreads(1)
    keep_picture_memory()  # as `longzhuo run` does
    for line in sys.stdin:
        order, path = line.rstrip("\n").split(" ", 1)
        figures = {"table": table, "hand": hand, "photo": photo}[order](Path(path))
        figures["rss_mb"] = most_memory_mb()
        sys.stdout.write(json.dumps(figures) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
