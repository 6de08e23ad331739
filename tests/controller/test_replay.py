"""`longzhuo replay` comes to the same settlements, or names the first row that came out otherwise."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from old_journals import unpacked

from controller.cli import main
from controller.journal import Journal


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return unpacked(2, tmp_path)


def replay(capsys: pytest.CaptureFixture[str], journal: Path) -> tuple[int, dict[str, Any]]:
    """The exit status, and what `--json` prints."""
    status = 0
    try:
        main(["replay", str(journal), "--json"])
    except SystemExit as left:
        status = int(left.code or 0)
    return status, msgspec.json.decode(capsys.readouterr().out)


def change(journal: Path, *statements: str) -> None:
    with closing(sqlite3.connect(journal, isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def test_a_journal_of_an_older_program_replays_byte_for_byte(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = journal.read_bytes()
    status, told = replay(capsys, journal)
    assert status == 0
    assert (told["identical"], told["difference"]) == (True, None)
    assert (told["starts"], told["deals"], told["settled"], told["inputs"]) == (2, 3, 2, 440)
    assert told["played_s"] == pytest.approx(24.67, abs=0.01)
    assert journal.read_bytes() == before


def test_a_journal_that_was_brought_to_a_newer_schema_replays_as_it_was_played(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Journal.open(journal).close()
    status, told = replay(capsys, journal)
    assert (status, told["identical"], told["difference"]) == (0, True, None)


@dataclass(frozen=True)
class Broken:
    """A change to a journal, and what is then said of it."""

    statement: str
    deal: int | None
    row: str
    expected: str
    got: str


SPACED = """UPDATE outcomes SET settlement = replace(settlement, '"winner":', '"winner": ') WHERE deal = 2"""


@pytest.mark.parametrize(
    "broken",
    [
        Broken(SPACED, 2, "outcomes: boot 2, deal 2", '"winner": ', '"winner":'),
        Broken(
            "UPDATE outcomes SET payments = '[1,-1,0,0]' WHERE deal = 1", 1, "outcomes", "[1,-1,0,0]", "["
        ),
        Broken("DELETE FROM events WHERE deal = 3 AND n = 20", 3, "events: boot", "n = 21", "n = 20"),
        Broken("DELETE FROM outcomes WHERE deal = 2", 2, "outcomes", "no such row", "how = 'won'"),
        Broken(
            "INSERT INTO outbox VALUES (9, 9, 9e9, 'ledger/settlement', '{}')",
            None,
            "outbox: boot 9",
            "ledger/settlement",
            "no such row",
        ),
    ],
)
def test_the_first_row_that_comes_out_otherwise_is_named(
    journal: Path, capsys: pytest.CaptureFixture[str], broken: Broken
) -> None:
    change(journal, broken.statement)
    status, told = replay(capsys, journal)
    assert (status, told["identical"]) == (1, False)
    difference = told["difference"]
    assert difference["deal"] == broken.deal
    assert broken.row in difference["row"]
    assert broken.expected in difference["expected"]
    assert broken.got in difference["got"]


def test_people_read_the_difference_on_three_lines(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(journal, "UPDATE outcomes SET payments = '[1,-1,0,0]' WHERE deal = 2")
    with pytest.raises(SystemExit) as left:
        main(["replay", str(journal)])
    assert left.value.code == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].startswith("不一致 first difference: deal 2, outcomes: boot 2, deal 2")
    assert "记录 expected: payments = '[1,-1,0,0]'" in lines[3]
    assert "重放 got:      payments = '[" in lines[4]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "no such journal"),
        (b"", "nothing is recorded in it yet"),
        (b"deal 0\n" * 500, "no SQLite file"),
    ],
)
def test_a_file_that_is_no_journal_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, complaint: str
) -> None:
    path = tmp_path / "thing.db"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SystemExit) as left:
        main(["replay", str(path)])
    assert left.value.code == 1
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def foreign(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE t (x)")
        database.execute(f"PRAGMA user_version = {version}")


def beside(path: Path, end: str) -> None:
    """A pipe where SQLite would look for what an interrupted program has left."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 1")
    os.mkfifo(f"{path}{end}")


@pytest.mark.parametrize("verb", ["replay", "audit"])
@pytest.mark.parametrize(
    ("lay", "complaint"),
    [
        (lambda path: foreign(path, 0), "an SQLite file, but no journal of a table"),
        (lambda path: foreign(path, 3), "an SQLite file, but no journal of a table"),
        (lambda path: path.write_bytes(bytes(100_000)), "no SQLite file"),
        (os.mkfifo, "is no ordinary file; expected a journal"),
        (lambda path: beside(path, "-journal"), "thing#1?.db-journal: is no ordinary file"),
        (lambda path: beside(path, "-wal"), "thing#1?.db-wal: is no ordinary file"),
        (Path.mkdir, "is a directory"),
    ],
    ids=["foreign", "of-a-version", "zeros", "pipe", "pipe-for-journal", "pipe-for-wal", "folder"],
)
def test_whatever_lies_in_a_journal_s_place_is_said_at_once(
    tmp_path: Path, verb: str, lay: Callable[[Path], object], complaint: str
) -> None:
    path = tmp_path / "thing#1?.db"
    lay(path)
    done = subprocess.run(
        [sys.executable, "-m", "controller", verb, path],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in {1, 2}
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert complaint in done.stderr
    assert [each.name for each in tmp_path.iterdir() if each.name == "thing"] == []


def test_a_journal_that_another_program_keeps_to_itself_is_not_waited_for_long(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(journal, isolation_level=None)) as holder:
        holder.execute("PRAGMA journal_mode = DELETE")
        holder.execute("BEGIN EXCLUSIVE")
        begun = time.monotonic()
        with pytest.raises(SystemExit) as left:
            main(["replay", str(journal)])
    assert left.value.code == 1
    assert time.monotonic() - begun < 30
    error = capsys.readouterr().err
    assert (error.count("\n"), "another program holds the journal; close it" in error) == (1, True)


def test_a_journal_is_read_under_whatever_name_it_has(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = journal.rename(journal.with_name("table#1?mode=rw%41.db"))
    status, told = replay(capsys, odd)
    assert (status, told["deals"]) == (0, 3)
    assert not odd.with_name("table").exists()


def test_an_input_that_nobody_knows_is_said_in_one_line(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(journal, "UPDATE inputs SET kind = 'Smelled' WHERE n = 100")
    with pytest.raises(SystemExit):
        main(["replay", str(journal)])
    error = capsys.readouterr().err
    assert "an input of unknown kind 'Smelled'" in error
    assert error.count("\n") == 1


def test_a_running_deal_that_can_not_be_gone_on_with_is_said_in_one_line(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(journal, "UPDATE boots SET options = json_set(options, '$.stake', 3) WHERE boot = 2")
    with pytest.raises(SystemExit):
        main(["replay", str(journal)])
    assert "start 2: " in capsys.readouterr().err
