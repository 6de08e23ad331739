"""What is read on labelled photographs: with their boxes, without, and after enrolment of one of the sets."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from controller.cli import enrol_photos
from rules.tiles import Tile
from vision.enrol_learn import learn
from vision.find import Finder
from vision.name import Namer
from vision.photo import PhotoReader, load_photo
from vision.photo_score import PhotoScore

if TYPE_CHECKING:
    from pathlib import Path

    from vision.enrol import Enrolment
    from vision.find import Found
    from vision.photo import Box, Picture

UNSEEN = "jp-blue-table"
ENROLLED_WITH = 8
"""Photographs of the unseen set, the first ones by name, that it is enrolled with; the rest are measured."""


@dataclass(frozen=True)
class Labelled:
    """A photograph and its labelled boxes."""

    name: str
    picture: Picture
    tileset: str
    labels: tuple[tuple[Box, Tile], ...]

    @property
    def boxes(self) -> list[Box]:
        return [box for box, _ in self.labels]


@dataclass
class Named:
    """Readings with given boxes: for each, how sure it was, whether it stands, and whether it is right."""

    confidence: list[float] = field(default_factory=list)
    stands: list[bool] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)


def labelled(folder: Path) -> list[Labelled]:
    """The photographs of a folder with a `labels.csv`, by name; a photograph shows one set."""
    labels: dict[str, list[tuple[Box, Tile]]] = defaultdict(list)
    tilesets: dict[str, str] = {}
    with (folder / "labels.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            x, y, w, h = (float(row[column]) for column in "xywh")
            labels[row["file"]].append(((x, y, w, h), Tile.parse(row["tile"])))
            tilesets[row["file"]] = row["tileset"]
    return [
        Labelled(name, load_photo(folder / name), tilesets[name], tuple(labels[name]))
        for name in sorted(labels)
    ]


def enrolment(folder: Path) -> Enrolment:
    """What `longzhuo enrol --photos` learns of the unseen set's first photographs."""
    wanted = enrol_photos.Wanted(tileset=UNSEEN, first=ENROLLED_WITH)
    return learn(enrol_photos.labelled(folder, folder / "labels.csv", wanted).known, tileset=UNSEEN).enrolment


class RememberingFinder(Finder):
    """Finds on one and the same picture only once."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, list[Found]] = {}

    def find(
        self, image: Picture, scale: float | None = None, *, roi: tuple[int, int, int, int] | None = None
    ) -> list[Found]:
        assert scale is None
        assert roi is None
        if id(image) not in self._known:
            self._known[id(image)] = super().find(image)
        return self._known[id(image)]


@dataclass
class Readings:
    """Everything read on the photographs of the three sets, before and after the unseen one is enrolled.

    After enrolment the photographs that it was enrolled with are left out; `rest` are the unseen set's
    others, before it.
    """

    before: dict[str, Named]
    after: dict[str, Named]
    rest: Named
    found_before: PhotoScore
    found_after: PhotoScore


def read_all(folder: Path) -> Readings:
    """Read all photographs of a folder: about two minutes of one processor."""
    photographs = labelled(folder)
    first = [each for each in photographs if each.tileset == UNSEEN][:ENROLLED_WITH]
    rest = [each for each in photographs if each not in first]
    finder = RememberingFinder()
    plain = PhotoReader(finder, Namer())
    taught = PhotoReader(finder, Namer(enrolled=enrolment(folder)))
    unseen_rest = [each for each in rest if each.tileset == UNSEEN]
    return Readings(
        before=_named(plain, photographs),
        after=_named(taught, rest),
        rest=_named(plain, unseen_rest)[UNSEEN],
        found_before=_found(plain, photographs),
        found_after=_found(taught, rest),
    )


def _named(reader: PhotoReader, photographs: list[Labelled]) -> dict[str, Named]:
    out: dict[str, Named] = defaultdict(Named)
    for each in photographs:
        named = out[each.tileset]
        for (_, tile), read in zip(each.labels, reader.name(each.picture, each.boxes), strict=True):
            named.confidence.append(read.named.confidence)
            named.stands.append(read.named.tile is not None)
            named.right.append(read.named.best is tile)
    return dict(out)


def _found(reader: PhotoReader, photographs: list[Labelled]) -> PhotoScore:
    score = PhotoScore()
    for each in photographs:
        score.add(each.tileset, each.labels, reader.read(each.picture))
    return score
