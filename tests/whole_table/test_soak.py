"""`longzhuo soak`, short: nothing is silently wrong or lost, and the result says what it stands on.

Six tables leave the other tests, which run beside them, most of two processors; twelve would take both whole.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import RunProgram

HANDS = 300
TABLES = 6
KEYS = ["hands", "settled", "drawn", "withheld", "silently_wrong", "doubts", "doubts_resolved_by_itself"]
KEYS += ["doubts_by_person", "wrong_answers", "hands_lost", "restarts", "hands_per_minute"]


@pytest.mark.timeout(1500)
async def test_hands_under_every_kind_of_fault_are_never_silently_wrong_or_lost(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    flags = ["--faults", "mixed", "--hands", str(HANDS), "--seed", "4"]
    flags += ["--tables", str(TABLES)]
    status, output, errors = await run_program("soak", *flags, "--dir", str(tmp_path / "kept"), "--json")
    assert status == 0, output + errors
    report = json.loads(output.splitlines()[-1])
    assert set(KEYS) <= report.keys()
    assert report["hands"] == HANDS
    assert report["settled"] + report["drawn"] + report["withheld"] == HANDS
    assert (report["silently_wrong"], report["hands_lost"], report["crashes"]) == (0, 0, 0)
    assert report["at_most_wrong"] == 3 / HANDS
    assert report["settled"] > 0
    assert len(list((tmp_path / "kept").glob("*"))) >= report["withheld"]


@pytest.mark.timeout(600)
async def test_a_hand_read_from_pictures_under_every_kind_of_fault_is_not_silently_wrong_or_lost(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    flags = ["--level", "pixels", "--faults", "mixed", "--hands", "1", "--seed", "4"]
    status, output, errors = await run_program("soak", *flags, "--dir", str(tmp_path / "kept"), "--json")
    assert status == 0, output + errors
    report = json.loads(output.splitlines()[-1])
    assert report["level"] == "pixels"
    assert report["settled"] + report["drawn"] + report["withheld"] == 1
    assert (report["silently_wrong"], report["hands_lost"], report["crashes"]) == (0, 0, 0)


async def test_a_wish_that_can_t_be_met_is_refused_in_one_line(run_program: "RunProgram") -> None:
    status, _, errors = await run_program("soak", "--rules", "whist")
    assert status != 0
    assert errors.startswith("longzhuo: --rules whist: expected one of cixi-card")
    assert len(errors.splitlines()) == 1


@pytest.mark.timeout(300)
async def test_a_run_that_people_end_says_so_and_tells_what_was_played() -> None:
    soak = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "soak", "--hands", "5000", "--tables", "1", "--json"),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert soak.stderr is not None
        assert await soak.stderr.readline(), "no hand was played"
        soak.send_signal(signal.SIGINT)
        output, errors = await soak.communicate()
    finally:
        if soak.returncode is None:
            soak.kill()
            await soak.wait()
    assert soak.returncode == 130, output + errors
    lines = output.decode().splitlines()
    report = json.loads(lines[-1])
    assert (report["ended_early"], report["hands_wanted"]) == (True, 5000)
    assert f"ended early: {report['hands']} of 5000 hands were played" in lines[0]
    assert lines[1].startswith(f"共 {report['hands']} 局 hands")
