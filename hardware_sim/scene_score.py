"""How well tiles are read in made-up scenes of the simulated table.

    python -m hardware_sim.scene_score --preset glare --faces engraved --count 20 --seed 9000
    python -m hardware_sim.scene_score --preset all --faces all --tiles 200000 --processes 2 --log all.log
    python -m hardware_sim.scene_score --sum all.log others.log --sheet odd.png
    python -m hardware_sim.scene_score --count 200 --networks

As a running table reads them (`scene_read`): sure is what is told by a name after several looks. With
`--networks`: what the two networks make of one picture (`scene_networks`). `all` takes every preset of at
least 1080 lines, or every style. In three scenes of four all hands lie open. A run that was killed goes on
with the jobs that its log doesn't have; several logs, of different seeds, are summed up together.
"""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import cv2

from hardware_sim import presets
from hardware_sim.faces_style import STYLES
from hardware_sim.presets import DEFAULT, Preset, UnknownPreset, named
from hardware_sim.scene_enrol import RowNotTaken, enrolled
from hardware_sim.scene_jobs import BadLog, Done, Job, Log, RunOf, Worker, together, work
from hardware_sim.scene_networks import score_scenes
from hardware_sim.scene_read import SCENES_PER_TABLE, Reading
from hardware_sim.scene_sheet import OddSheet
from vision.enrol import BadEnrolment, Enrolment, digest
from vision.name import Namer

__all__ = ["score_scenes"]
ALL: Final = "all"
LEAST_LINES: Final = 1080
SEEDS_APART: Final = 240_000  # between the seeds of two presets or styles


def main() -> None:
    """Print the figures of a run of scenes."""
    given = _arguments()
    cv2.setNumThreads(1)
    try:
        run = _Run(given)
        if given.sum:
            run.sum_up()
        elif given.networks:
            run.networks()
        else:
            run.read()
        run.report()
    except (UnknownPreset, BadEnrolment, RowNotTaken, BadLog) as error:
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
    parser.add_argument("--log", type=Path, help="a line for each table of scenes; a run goes on from it")
    parser.add_argument("--sum", type=Path, nargs="+", metavar="LOG", help="read nothing: sum up these logs")
    parser.add_argument("--processes", type=_positive, default=1)
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
        self._done: list[Done] = []
        self._rows: dict[str, dict[str, Any]] = {}
        self._sheet = OddSheet(given.sheet) if given.sheet is not None else None
        self._started = time.monotonic()

    def networks(self) -> None:
        """Find and name with the networks alone."""
        enrolment = Enrolment.load(self._given.enrolled) if self._given.enrolled else None
        for number, preset in enumerate(self._tables):
            seed = self._given.seed + SEEDS_APART * number * (len(self._tables) > 1)
            learned = enrolled(named(DEFAULT.name, faces=preset.faces)) if self._given.enrol else enrolment
            score = score_scenes(self._given.count, seed, preset=preset, namer=Namer(enrolled=learned))
            self._rows[f"{preset.name} {preset.faces}"] = score.figures()

    def read(self) -> None:
        """Read every table's scenes in turn, round by round, so that what is there early speaks of all."""
        given = self._given
        log = Log.open(given.log, self._run_of()) if given.log is not None else None
        for done in log.done.values() if log is not None else ():
            self._heard(done)
        if self._enough():
            return
        known = frozenset(log.done) if log is not None else frozenset()
        todo = (job for job in self._jobs() if job not in known)
        with closing(work(todo, Worker(given.enrol, given.enrolled), given.processes)) as working:
            for done in working:
                self._heard(done)
                if log is not None:
                    log.add(done, seconds=round(time.monotonic() - self._started), so_far=self._so_far())
                if self._sheet is not None:
                    self._sheet.write()
                if self._enough():
                    return

    def sum_up(self) -> None:
        """Count together what is in logs."""
        for done in together([Log.read(path) for path in self._given.sum]):
            self._heard(done)
        if self._sheet is not None:
            self._sheet.write()

    def _run_of(self) -> RunOf:
        given = self._given
        data = files("vision.data")
        return RunOf(
            enrol=given.enrol,
            enrolled=digest(given.enrolled.read_bytes()) if given.enrolled is not None else "",
            namer=digest(data.joinpath("namer.onnx").read_bytes()),
            locator=digest(data.joinpath("locator.onnx").read_bytes()),
            programs=digest(b"".join(file.read_bytes() for file in sorted(_programs()))),
        )

    def _jobs(self) -> Iterator[Job]:
        """Scenes of one table follow each other and start where a table does."""
        rounds = itertools.count() if self._given.tiles else range(1)
        share = SCENES_PER_TABLE if self._given.tiles else self._given.count
        start = self._given.seed // SCENES_PER_TABLE * SCENES_PER_TABLE
        for number in rounds:
            for table, preset in enumerate(self._tables):
                yield Job(preset.name, preset.faces, start + SEEDS_APART * table + share * number, share)

    def _enough(self) -> bool:
        tiles = sum(done.reading.tiles for done in self._done)
        return bool(self._given.tiles and tiles >= self._given.tiles)

    def _heard(self, done: Done) -> None:
        self._done.append(done)
        if self._sheet is not None:
            for one in done.odd:
                self._sheet.add(one.cell, is_wrong=one.is_wrong)

    def _so_far(self) -> dict[str, int]:
        total = _total(done.reading for done in self._done)
        return {name: getattr(total, name) for name in ("tiles", "found", "sure", "wrong", "strange")}

    def report(self) -> None:
        """Print what came out."""
        by_table: dict[str, list[Reading]] = {}
        for done in self._done:
            by_table.setdefault(done.job.title, []).append(done.reading)
        for title, readings in by_table.items():
            self._rows[title] = _total(readings).figures()
        if len(by_table) > 1:
            self._rows["all"] = _total(done.reading for done in self._done).figures()
        if self._given.json:
            only = next(iter(self._rows.values())) if len(self._rows) == 1 else self._rows
            print(json.dumps(only, ensure_ascii=False))  # noqa: T201
            return
        for line in table_of(self._rows):
            print(line)  # noqa: T201


def _programs() -> Iterator[Path]:
    """What draws and what reads."""
    for package in ("vision", "hardware_sim"):
        yield from Path(str(files(package))).glob("*.py")


def _total(readings: Iterable[Reading]) -> Reading:
    total = Reading()
    for reading in readings:
        total.add(reading)
    return total


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
