"""Scenes to be read, cut into jobs that several processes work on, and the log in which a run goes on.

A log has one JSON object a line: first what run it is of (`RunOf`), then a line for each job that is done.
A run that was killed is started again with the same words; jobs in its log are not done again.
"""

import base64
import json
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, Self

import cv2
import numpy as np

from hardware_sim import presets
from hardware_sim.faces_sheet import Picture
from hardware_sim.presets import named
from hardware_sim.scene_enrol import enrolled
from hardware_sim.scene_read import Namers, Reading, SceneReader
from hardware_sim.scene_sheet import cell_of
from vision.enrol import Enrolment
from vision.find import Finder

MOST_UNSURE: Final = 6
"""Pictures of unsure tiles kept of a job; wrong ones are all kept."""


class BadLog(ValueError):
    """A log can't be gone on with or summed up; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOf:
    """What must be the same where a run goes on: how sets are enrolled, which networks and programs read.

    All but `enrol` are digests.
    """

    enrol: bool = False
    enrolled: str = ""
    namer: str = ""
    locator: str = ""
    programs: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """`count` scenes from `seed` on, of one preset and style."""

    preset: str
    faces: str
    seed: int
    count: int

    @property
    def title(self) -> str:
        """What the tables of figures call it."""
        return f"{self.preset} {self.faces}"


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A tile that was told wrongly or not surely: its cell of the sheet, and words."""

    words: str
    is_wrong: bool
    cell: Picture


@dataclass(frozen=True, slots=True, eq=False)
class Done:
    """What came of a job."""

    job: Job
    reading: Reading
    odd: tuple[Seen, ...] = ()

    def line(self) -> dict[str, Any]:
        """The job as an object of the log; of the odd tiles those that were told wrongly."""
        wrong = [
            {
                "words": one.words,
                "jpeg": base64.b64encode(cv2.imencode(".jpg", one.cell)[1].tobytes()).decode(),
            }
            for one in self.odd
            if one.is_wrong
        ]
        return {"job": asdict(self.job), "reading": asdict(self.reading), "wrong": wrong}

    @classmethod
    def of_line(cls, line: dict[str, Any]) -> Self:
        """The job of an object of the log."""
        wrong = [
            Seen(one["words"], is_wrong=True, cell=_picture(base64.b64decode(one["jpeg"])))
            for one in line["wrong"]
        ]
        return cls(Job(**line["job"]), Reading(**line["reading"]), tuple(wrong))


def _picture(data: bytes) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@dataclass(slots=True, eq=False)
class Log:
    """The jobs of one file that are done; `add` writes one more."""

    path: Path
    run: RunOf
    done: dict[Job, Done] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a log; a last line that was cut off is as if it were not there.

        Raises:
            BadLog: it is none.
            OSError: it can't be read.
        """
        text = path.read_text(encoding="utf-8")
        lines = text[: text.rfind("\n") + 1].splitlines()
        try:
            log = cls(path, RunOf(**json.loads(lines[0])["run"]))
            for line in lines[1:]:
                done = Done.of_line(json.loads(line))
                log.done[done.job] = done
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise BadLog(f"{path}: no log of this program: {error}") from error
        return log

    @classmethod
    def open(cls, path: Path, run: RunOf) -> Self:
        """Begin a log, or go on with the one that is there.

        Raises:
            BadLog: the one that is there is of another run.
            OSError: it can't be read or written.
        """
        if not path.exists() or not path.stat().st_size:
            path.write_text(json.dumps({"run": asdict(run)}) + "\n", encoding="utf-8")
            return cls(path, run)
        log = cls.read(path)
        if log.run != run:
            raise BadLog(f"{path}: of another run ({log.run}); this one is {run}: give another --log")
        _end_with_a_whole_line(path)
        return log

    def add(self, done: Done, **more: object) -> None:
        """Write a job that is done, with whatever else people want to see in its line."""
        self.done[done.job] = done
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**more, **done.line()}, ensure_ascii=False) + "\n")


def _end_with_a_whole_line(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)


def together(logs: Sequence[Log]) -> list[Done]:
    """The jobs of several logs, each once.

    Raises:
        BadLog: they are of different networks, or enrolled differently.
    """
    for log in logs[1:]:
        if log.run != logs[0].run:
            raise BadLog(f"{log.path}: of another kind of run than {logs[0].path}: {log.run}, {logs[0].run}")
    return list({job: done for log in logs for job, done in log.done.items()}.values())


@dataclass(frozen=True, slots=True)
class Worker:
    """Does jobs; each process has one, and loads the networks once.

    `enrol`: enrol each style before reading it; `enrolled`: or with this file.
    """

    enrol: bool = False
    enrolled: Path | None = None

    def __call__(self, job: Job) -> Done:
        """Read a job's scenes.

        Raises:
            UnknownPreset, RowNotTaken, BadEnrolment, OSError: as of what they are of.
        """
        preset = named(job.preset, faces=job.faces)
        reader = SceneReader(preset, _finder(), _namers(job.faces if self.enrol else "", self.enrolled))
        total, seen = Reading(), list[Seen]()
        for reading, odd in reader.scenes(job.count, job.seed, open_hands=True):
            total.add(reading)
            for one in odd:
                if one.is_wrong or sum(not known.is_wrong for known in seen) < MOST_UNSURE:
                    seen.append(Seen(one.words, is_wrong=one.is_wrong, cell=cell_of(one, job.title)))
        return Done(job, total, tuple(seen))


@lru_cache(maxsize=1)
def _finder() -> Finder:
    return Finder()


@lru_cache(maxsize=8)
def _namers(style: str, file: Path | None) -> Namers:
    """The same namers for all tables, or some for each set where it is enrolled, at a tidy table."""
    learned = enrolled(named(presets.DEFAULT.name, faces=style)) if style else None
    if file is not None:
        learned = Enrolment.load(file)
    return Namers.load(learned)


def work(jobs: Iterator[Job], worker: Callable[[Job], Done], processes: int) -> Generator[Done]:
    """Do jobs one after the other, or in several processes; what is done comes in the order of the jobs.

    Close it to stop before all jobs are done.
    """
    if processes == 1:
        yield from map(worker, jobs)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=cv2.setNumThreads, initargs=(1,))
    waiting: list[Future[Done]] = []
    try:
        while True:
            with suppress(StopIteration):
                while len(waiting) <= processes:
                    waiting.append(pool.submit(worker, next(jobs)))
            if not waiting:
                return
            yield waiting.pop(0).result()
    finally:
        pool.shutdown(cancel_futures=True)
