"""The demo ends everything it started, and says in one line what is wrong."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
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


async def test_ctrl_c_ends_the_demo_and_everything_it_started(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    demo = await _start_demo("--speed", "50", "--dir", str(folder))
    assert demo.stdout is not None
    async with asyncio.timeout(60):
        assert b"http://127.0.0.1:" in await demo.stdout.readline()
        demo.send_signal(signal.SIGINT)
        output, _ = await demo.communicate()
    assert demo.returncode == 0
    assert "已停止" in output.decode()
    assert processes_naming(str(folder)) == []


async def _start_demo(*flags: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "demo", "--no-pictures", "--http-port", "0"),
        *flags,
        stdout=asyncio.subprocess.PIPE,
    )


async def test_a_demo_that_is_killed_takes_everything_it_started_with_it(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    demo = await _start_demo("--dir", str(folder))
    await _until(
        lambda: all(part in " ".join(processes_naming(str(folder))) for part in (" hardware_sim ", " run "))
    )
    demo.kill()
    await demo.communicate()
    assert demo.returncode == -signal.SIGKILL
    await _until(lambda: processes_naming(str(folder)) == [])
    assert processes_naming(str(folder)) == []


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - other processes decide
            await asyncio.sleep(0.05)


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
