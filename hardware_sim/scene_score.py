"""How well tiles are read in made-up scenes of the simulated table.

    python -m hardware_sim.scene_score --preset glare --faces engraved --count 20 --seed 9000
    python -m hardware_sim.scene_score --preset all --faces all --tiles 200000 --log must4.log --json
    python -m hardware_sim.scene_score --count 200 --networks

As a running table reads them (`scene_read`): sure is what is told by a name after several looks. With
`--networks`: what the two networks make of one picture (`scene_networks`). `all` takes every preset of at
least 1080 lines, or every style.
"""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import cv2

from hardware_sim import presets
from hardware_sim.faces_style import STYLES
from hardware_sim.presets import Preset, UnknownPreset, named
from hardware_sim.scene_enrol import RowNotTaken, enrolled
from hardware_sim.scene_networks import score_scenes
from hardware_sim.scene_read import SCENES_PER_TABLE, Namers, Odd, Reading, SceneReader
from hardware_sim.scene_sheet import OddSheet
from vision.enrol import BadEnrolment, Enrolment
from vision.find import Finder

__all__ = ["score_scenes"]
ALL: Final = "all"
LEAST_LINES: Final = 1080
LOG_EVERY: Final = 1000  # tiles
SEEDS_APART: Final = 240_000  # between the seeds of two presets or styles


def main() -> None:
    """Print the figures of a run of scenes."""
    given = _arguments()
    cv2.setNumThreads(1)
    try:
        run = _Run(given)
        if given.networks:
            run.networks()
        else:
            run.read()
        run.report()
    except (UnknownPreset, BadEnrolment, RowNotTaken) as error:
        sys.exit(f"scene_score: {error}")
    except OSError as error:
        sys.exit(f"scene_score: {error.filename}: {error.strerror}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Read tiles in made-up scenes of the simulated table.")
    parser.add_argument("--preset", default=presets.DEFAULT.name, help="one of presets.ALL, or all")
    parser.add_argument("--faces", help="a style of faces, or all")
    parser.add_argument("--count", type=_positive, default=20, help="scenes of each preset and style")
    parser.add_argument("--tiles", type=_positive, help="go on until so many tiles are read in all")
    parser.add_argument("--seed", type=int, default=9000)
    parser.add_argument("--enrolled", type=Path, metavar="FILE", help="an enrolment of the set of tiles")
    parser.add_argument("--enrol", action="store_true", help="enrol each style before reading it")
    parser.add_argument("--networks", action="store_true", help="the networks alone, one picture a scene")
    parser.add_argument("--sheet", type=Path, metavar="PNG", help="tiles that were not surely right")
    parser.add_argument("--log", type=Path, help="add a line of figures here every thousand tiles")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}: expected 1 or more")
    return number


class _Run:
    """One run of the program: which tables, and what came out so far."""

    def __init__(self, given: argparse.Namespace) -> None:
        self._given = given
        self._tables = list(_tables(given.preset, given.faces))
        self._figures: dict[str, Reading] = {}
        self._rows: dict[str, dict[str, Any]] = {}
        self._sheet = OddSheet(given.sheet) if given.sheet is not None else None
        self._started = time.monotonic()
        self._logged = 0
        self._namers: dict[str, Namers] = {}

    def networks(self) -> None:
        """Find and name with the networks alone."""
        for number, preset in enumerate(self._tables):
            seed = self._given.seed + SEEDS_APART * number * (len(self._tables) > 1)
            score = score_scenes(self._given.count, seed, preset=preset, namer=self._namer(preset).flowers)
            self._rows[_title(preset)] = score.figures()

    def read(self) -> None:
        """Read every table's scenes in turn, round by round, so that what is there early speaks of all."""
        finder = Finder()
        readers = [SceneReader(preset, finder, self._namer(preset)) for preset in self._tables]
        rounds = itertools.count() if self._given.tiles else range(1)
        share = SCENES_PER_TABLE if self._given.tiles else self._given.count
        for number in rounds:
            for table, reader in enumerate(readers):
                # Scenes of one table follow each other and start where a table does.
                start = self._given.seed // SCENES_PER_TABLE * SCENES_PER_TABLE
                seed = start + SEEDS_APART * table + share * number
                title = _title(reader.preset)
                for reading, odd in reader.scenes(share, seed):
                    self._figures.setdefault(title, Reading()).add(reading)
                    self._heard(title, odd)
                    if self._given.tiles and self._total().tiles >= self._given.tiles:
                        return

    def _namer(self, preset: Preset) -> Namers:
        """The same namers for all tables, or some for each set where it is enrolled, at a tidy table."""
        style = preset.faces if self._given.enrol else ""
        if style not in self._namers:
            learned = enrolled(named(presets.DEFAULT.name, faces=style)) if self._given.enrol else None
            if self._given.enrolled is not None:
                learned = Enrolment.load(self._given.enrolled)
            self._namers[style] = Namers.load(learned)
        return self._namers[style]

    def _heard(self, title: str, odd: Sequence[Odd]) -> None:
        if self._sheet is not None:
            for one in odd:
                self._sheet.add(one, title)
        tiles = self._total().tiles
        if tiles // LOG_EVERY > self._logged:
            self._logged = tiles // LOG_EVERY
            self._log()

    def _total(self) -> Reading:
        total = Reading()
        for reading in self._figures.values():
            total.add(reading)
        return total

    def _log(self) -> None:
        if self._sheet is not None:
            self._sheet.write()
        if self._given.log is None:
            return
        total = self._total().figures()
        total["confusions"] = dict(itertools.islice(total["confusions"].items(), 12))
        line = {"seconds": round(time.monotonic() - self._started), **total}
        line["tables"] = {
            title: [one.tiles, one.found, one.sure, one.wrong, one.strange]
            for title, one in self._figures.items()
        }
        with self._given.log.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line, ensure_ascii=False) + "\n")

    def report(self) -> None:
        """Print what came out."""
        if self._figures:
            self._log()
            rows = {title: reading.figures() for title, reading in self._figures.items()}
            self._rows = rows if len(rows) == 1 else {**rows, "all": self._total().figures()}
        if self._given.json:
            only = next(iter(self._rows.values())) if len(self._rows) == 1 else self._rows
            print(json.dumps(only, ensure_ascii=False))  # noqa: T201
            return
        for line in table_of(self._rows):
            print(line)  # noqa: T201


def _title(preset: Preset) -> str:
    return f"{preset.name} {preset.faces}"


def _tables(name: str, faces: str | None) -> Iterator[Preset]:
    large = [one for one, preset in presets.ALL.items() if preset.size[1] >= LEAST_LINES]
    for preset in large if name == ALL else [name]:
        for style in STYLES if faces == ALL else [faces]:
            yield named(preset, faces=style)


def table_of(rows: dict[str, dict[str, Any]]) -> list[str]:
    """Return figures as lines of text: one table a line, all numbers under each other."""
    columns = [key for key, value in next(iter(rows.values())).items() if not isinstance(value, dict)]
    lines = [f"{'':20}" + "".join(f"{column:>{max(10, len(column) + 2)}}" for column in columns)]
    for title, row in rows.items():
        cells = "".join(f"{row[column]:>{max(10, len(column) + 2)}}" for column in columns)
        worst = ", ".join(f"{words} {number}" for words, number in list(row["confusions"].items())[:4])
        lines.append(f"{title:20}{cells}  {worst}")
    return lines


if __name__ == "__main__":
    main()
