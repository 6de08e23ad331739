"""The demo over USB, and through everything that goes wrong: every hand is settled, none of them wrongly."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import RunProgram

QUICK = ("--no-pictures", "--http-port", "0", "--json")


async def demo(run_program: "RunProgram", folder: Path, *flags: str) -> tuple[dict[str, Any], str]:
    status, output, errors = await run_program("demo", *QUICK, "--dir", str(folder), *flags)
    assert status == 0, errors
    report: dict[str, Any] = json.loads(output.splitlines()[-1])
    return report, output


async def test_a_hand_is_played_over_usb(run_program: "RunProgram", tmp_path: Path) -> None:
    report, _ = await demo(run_program, tmp_path, "--board", "usb", "--hands", "1", "--speed", "50")
    assert (report["settled"] + report["drawn"], report["silently_wrong"]) == (1, 0)
    config = (tmp_path / "table.toml").read_text(encoding="utf-8")
    assert 'port = "usb://1209:4d4a/SIM1"' in config
    assert report["serial"]["frames"] > 100


async def test_the_demo_goes_on_through_jam_cable_fallen_tile_and_restarts(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    flags = ("--faults", "mixed", "--hands", "3", "--speed", "30", "--seed", "4")
    report, output = await demo(run_program, tmp_path, *flags)
    for fault in ("FED-01=2@cycle1+4s", "unplug=1.5@hand1+8s", "missing@push2", "reset@hand2+12s"):
        assert f"✗ fault {fault}: " in output
    assert (report["settled"] + report["drawn"], report["withheld"]) == (3, 0)
    assert report["silently_wrong"] == 0


async def test_a_fault_that_is_none_is_said_in_one_line(run_program: "RunProgram", tmp_path: Path) -> None:
    status, _, errors = await run_program("demo", *QUICK, "--dir", str(tmp_path), "--faults", "jum")
    assert status == 1
    assert "no fault is called 'jum'; did you mean jam" in errors
    assert "Traceback" not in errors
