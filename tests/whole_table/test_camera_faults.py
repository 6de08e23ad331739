"""A whole table whose camera fails in every way while a hand is played: nothing is settled wrongly."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from controller.camera_words import CAMERA_CODES
from hardware_sim.faults_list import MIXES
from vision.observations import CameraTrouble

if TYPE_CHECKING:
    from conftest import RunProgram

TOLD = frozenset(CAMERA_CODES.values()) - {CAMERA_CODES[CameraTrouble.NO_TABLE]}
"""What the mix brings about: the table was known before."""


def told(journal: Path) -> set[str]:
    """The codes of the alarms that people read."""
    with closing(sqlite3.connect(journal)) as rows:
        found = rows.execute("select body from decisions where kind = 'alarm'").fetchall()
    return {json.loads(body) for (body,) in found}


@pytest.mark.long
@pytest.mark.timeout(500)
async def test_a_hand_goes_on_through_everything_a_camera_may_do(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    flags = ("--hands", "1", "--seed", "1", "--speed", "6", "--http-port", "0", "--dir", str(tmp_path))
    status, output, errors = await run_program("demo", *flags, "--faults", "camera", "--json")
    assert status == 0, errors
    report = json.loads(output.splitlines()[-1])
    assert (report["hands"], report["silently_wrong"]) == (1, 0)
    assert report["camera"]["wrong"] == 0
    # Another camera in the place of this one, without a plug pulled, looks like one that was turned away.
    assert told(tmp_path / "journal.db") >= TOLD
    assert output.count("✗ fault camera-") == MIXES["camera"].faults.count("camera-")
