"""What every test leaves behind (no task, no thread), what many of them need, and the minutes per folder."""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.reference.compiled import build_library, build_terminal, compiler

if TYPE_CHECKING:
    import ctypes
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractContextManager

TESTS = Path(__file__).parent
# Threads that the event loop or a library joins itself after the fixture's end.
JOINED_LATER = ("asyncio_", "pytest-timeout", "ThreadPoolExecutor")
seconds_per_folder: dict[str, float] = defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="also run the long form of the long tests")
    parser.addoption("--update", action="store_true", help="write the golden games anew; read the difference")


# Tests that start programs mostly wait for them. One group's run one after the other, the groups beside each
# other and beside all the rest, which needs the processors.
PROGRAMS = {
    "whole_table/test_soak.py": "many tables",
    "whole_table": "one table",
    "display": "one person",
    "technician": "one person",
    "benchmarks": "many tables",
}
# What takes long begins first; the short files fill what then is left of the time.
ORDER = (*PROGRAMS, "conformance", "vision", "firmware_bridge", "hardware_sim", "rules", "")


def group_of(path: Path) -> str:
    """The tests that one process takes together: the programs of a kind, else those of a file."""
    return next((group for start, group in PROGRAMS.items() if path.is_relative_to(start)), str(path))


@pytest.hookimpl(tryfirst=True)  # xdist reads the groups in its own hook
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    paths = {item: item.path.relative_to(TESTS) for item in items}
    items.sort(key=lambda item: next(n for n, start in enumerate(ORDER) if paths[item].is_relative_to(start)))
    behind_option = pytest.mark.skip(reason="long form: run with --long")
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(paths[item])))
        if "long" in item.keywords and not config.getoption("--long"):
            item.add_marker(behind_option)


def pytest_configure() -> None:
    # The programs have a process for each kind; the others only compute, and let them go first.
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    if int(worker) >= len(set(PROGRAMS.values())):
        os.nice(5)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    folder = Path(report.nodeid.split("::")[0]).parts
    seconds_per_folder[folder[1] if len(folder) > 2 else "architecture"] += report.duration


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.section("minutes per folder")
    for folder, seconds in sorted(seconds_per_folder.items()):
        terminalreporter.write_line(f"{seconds / 60:6.2f}  {folder}")
    terminalreporter.write_line(f"{sum(seconds_per_folder.values()) / 60:6.2f}  together")
    if "LONGZHUO_PHOTOS" not in os.environ:
        terminalreporter.write_line(
            "The tests on labelled photographs did not run: LONGZHUO_PHOTOS names no folder."
        )


@pytest.fixture(scope="session")
def photos() -> Path:
    """The folder of labelled photographs; the test is skipped, with a word, where none is named."""
    folder = os.environ.get("LONGZHUO_PHOTOS")
    if folder is None:
        pytest.skip("did not run: LONGZHUO_PHOTOS names no folder of labelled photographs")
    return Path(folder)


@pytest.fixture(scope="session")
def c_compiler() -> str:
    """A C compiler; tests of the board in C are skipped where there is none."""
    found = compiler()
    if found is None:
        pytest.skip("did not run: this machine has no C compiler for the reference board")
    return found


@pytest.fixture(scope="session")
def c_core(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C core as a shared library, for ``CoreLink`` and ``CoreBoard``."""
    assert c_compiler
    return build_library(tmp_path_factory.mktemp("reference"))


@pytest.fixture(scope="session")
def c_terminal(c_compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that plays the C board on a pseudo-terminal."""
    assert c_compiler
    return build_terminal(tmp_path_factory.mktemp("terminal"))


@pytest.fixture(scope="session")
def nothing_is_left() -> Callable[[], AbstractContextManager[None]]:
    """For a folder whose tests run in an event loop of their own."""
    return _nothing_is_left


@pytest.fixture(autouse=True)
async def _nothing_is_left_running() -> AsyncIterator[None]:
    with _nothing_is_left():
        yield


@contextlib.contextmanager
def _nothing_is_left() -> Iterator[None]:
    tasks_before = asyncio.all_tasks()
    threads_before = set(threading.enumerate())
    yield
    ours = {asyncio.current_task()} | tasks_before
    tasks = [task for task in asyncio.all_tasks() - ours if not task.done()]
    assert not tasks, f"tasks left behind: {tasks}"
    threads = [thread for thread in set(threading.enumerate()) - threads_before if _stays(thread)]
    assert not threads, f"threads left behind: {threads}"


def _stays(thread: threading.Thread) -> bool:
    if thread.name.startswith(JOINED_LATER):
        return False
    thread.join(timeout=2)
    return thread.is_alive()
