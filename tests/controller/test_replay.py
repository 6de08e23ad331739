"""`longzhuo replay` comes to the same settlements, or names the first row that came out otherwise."""

import sqlite3
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
