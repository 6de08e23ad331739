"""The demo ends everything it started, and says in one line what is wrong."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conftest import RunProgram


def processes_naming(text: str) -> list[str]:
    """Command lines of running processes that contain `text`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue
        if text in line and int(folder.name) != os.getpid():
            found.append(line)
    return found


async def test_ctrl_c_ends_the_demo_and_everything_it_started(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    flags = ["--no-pictures", "--speed", "50", "--http-port", "0", "--dir", str(folder)]
    status, output, errors = await run_program("demo", *flags, interrupt_after_s=4.0)
    assert status == 0, errors
    assert "已停止" in output
    assert processes_naming(str(folder)) == []


async def test_a_part_that_dies_is_named_and_nothing_is_left_running(
    run_program: "RunProgram", tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    flags = ["--rules", "no-such-rules", "--no-pictures", "--http-port", "0", "--dir", str(folder)]
    status, _, errors = await run_program("demo", *flags)
    assert status == 1
    assert errors.startswith("longzhuo: simulated table ended (exit status 1); it said:\n")
    assert "no-such-rules" in errors
    assert "Traceback" not in errors
    assert processes_naming(str(folder)) == []
