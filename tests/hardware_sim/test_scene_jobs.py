"""A long run of scenes goes on from its log where it was killed, and several logs are summed up."""

import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hardware_sim.scene_jobs import BadLog, Done, Job, Log, RunOf, Seen, together, work
from hardware_sim.scene_read import Reading

RUN = RunOf(namer="n", locator="l", programs="p")


def done(seed: int, *, wrong: int = 0) -> Done:
    """A job of 100 tiles."""
    reading = Reading(scenes=2, tiles=100, found=99, named=98, sure=97, wrong=wrong, confusions={"E as S": 1})
    odd = tuple(Seen("E S", is_wrong=True, cell=np.full((8, 6, 3), 90, np.uint8)) for _ in range(wrong))
    return Done(Job("casual", "latin", seed, 2), reading, odd)


def by_seed(job: Job) -> Done:
    return done(job.seed)


def jobs(count: int) -> list[Job]:
    return [done(seed).job for seed in range(count)]


def test_a_log_that_is_read_tells_what_was_written(tmp_path: Path) -> None:
    log = Log.open(tmp_path / "a.log", RUN)
    log.add(done(1), seconds=3)
    log.add(done(2, wrong=1))
    known = Log.read(tmp_path / "a.log")
    assert known.run == RUN
    assert list(known.done) == [done(1).job, done(2).job]
    assert known.done[done(2).job].reading == done(2, wrong=1).reading
    assert [(one.words, one.cell.shape) for one in known.done[done(2).job].odd] == [("E S", (8, 6, 3))]


def test_a_run_that_was_killed_while_it_wrote_goes_on_before_that_line(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    Log.open(path, RUN).add(done(1))
    whole = path.read_bytes()
    Log.open(path, RUN).add(done(2))
    path.write_bytes(path.read_bytes()[:-20])
    log = Log.open(path, RUN)
    assert list(log.done) == [done(1).job]
    assert path.read_bytes() == whole


@pytest.mark.parametrize("other", [replace(RUN, enrol=True), replace(RUN, namer="m")])
def test_a_log_of_another_run_is_not_gone_on_with_nor_counted_together(tmp_path: Path, other: RunOf) -> None:
    first, second = Log.open(tmp_path / "a.log", RUN), Log.open(tmp_path / "b.log", other)
    with pytest.raises(BadLog, match="of another run"):
        Log.open(tmp_path / "a.log", other)
    with pytest.raises(BadLog, match="of another kind of run"):
        together([first, second])


def test_a_job_that_is_in_two_logs_counts_once(tmp_path: Path) -> None:
    first, second = Log.open(tmp_path / "a.log", RUN), Log.open(tmp_path / "b.log", RUN)
    for log, seeds in ((first, (1, 2)), (second, (2, 3))):
        for seed in seeds:
            log.add(done(seed))
    assert [one.job.seed for one in together([first, second])] == [1, 2, 3]


@pytest.mark.parametrize("processes", [1, 2])
def test_what_is_done_comes_in_the_order_of_the_jobs(processes: int) -> None:
    assert [one.job for one in work(iter(jobs(5)), by_seed, processes)] == jobs(5)


@pytest.mark.parametrize("processes", [1, 2])
def test_work_without_end_stops_when_it_is_closed(processes: int) -> None:
    working = work((done(seed).job for seed in itertools.count()), by_seed, processes)
    assert next(working).job.seed == 0
    working.close()
    assert list(working) == []


def test_the_program_sums_up_logs_and_says_in_one_line_what_is_no_log(tmp_path: Path) -> None:
    log = Log.open(tmp_path / "a.log", RUN)
    log.add(done(1))
    log.add(done(2, wrong=1))
    argv = [sys.executable, "-m", "hardware_sim.scene_score", "--sum", str(log.path)]
    printed = subprocess.run([*argv, "--json"], capture_output=True, text=True, check=True).stdout
    assert '"tiles": 200' in printed
    assert '"wrong": 1' in printed
    (tmp_path / "b.log").write_text("no log\n")
    failed = subprocess.run([*argv, str(tmp_path / "b.log")], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"scene_score: {tmp_path / 'b.log'}: no log of this program")
    assert failed.stderr.count("\n") == 1
