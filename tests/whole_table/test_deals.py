"""Whole deals against the truth: what the controller settles is what happened, and the demo says so."""

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import RunProgram

KEYS = ["hands", "settled", "drawn", "withheld", "silently_wrong", "doubts", "seconds", "seed"]
KEYS += ["speed_reached", "read_fps", "camera", "serial", "mqtt"]


@pytest.mark.parametrize(("seed", "hands"), [(4, 3), (5, 3)])
async def test_deals_over_the_serial_line_and_a_stream_of_readings_are_settled_as_they_were(
    run_program: "RunProgram", seed: int, hands: int
) -> None:
    flags = ["--hands", str(hands), "--seed", str(seed), "--speed", "50", "--no-pictures", "--http-port", "0"]
    status, output, errors = await run_program("demo", *flags, "--json")
    assert status == 0, errors
    report = json.loads(output.splitlines()[-1])
    assert list(report) == KEYS
    assert report["settled"] + report["drawn"] == report["hands"] == hands
    assert (report["silently_wrong"], report["withheld"], report["doubts"]) == (0, 0, 0)
    assert report["serial"]["frames"] > 0
    assert report["mqtt"]["published"] > 0
    assert output.count("本局 this hand") == hands


@pytest.mark.timeout(400)
async def test_a_deal_seen_by_the_camera_is_never_silently_wrong(run_program: "RunProgram") -> None:
    flags = ["--hands", "1", "--seed", "1", "--speed", "6", "--http-port", "0"]
    status, output, errors = await run_program("demo", *flags, "--json")
    assert status == 0, errors
    report = json.loads(output.splitlines()[-1])
    assert report["hands"] == 1
    assert report["silently_wrong"] == 0
    assert report["camera"]["tiles_read"] > 30
    assert report["read_fps"] > 1
