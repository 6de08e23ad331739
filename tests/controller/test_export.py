"""What happened as text, what was paid as a table; nothing in it is a formula."""

import csv
import io
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from evening import Evening, public_texts
from hypothesis import given
from hypothesis import strategies as st
from old_journals import unpacked

from controller.cli import main
from controller.cli.export import as_csv, harmless
from controller.cli.export_rows import COLUMNS
from controller.journal import Journal
from controller.journal_deals import FineRow
from controller.journal_rows import AdjustmentRow
from controller.session import SessionSettings
from rules import sets
from rules.record import parse_record
from rules.table import replay


@pytest.fixture
def journal(tmp_path: Path) -> tuple[Path, Evening]:
    """Two deals; the first corrected afterwards, with a fine, and points moved by a referee."""
    path = tmp_path / "journal.db"
    with closing(Journal.open(path)) as opened:
        players = ("=cmd()", "乙", "丙,丁", "+1")
        evening = Evening(51, keep=opened.write, settings=SessionSettings(players=players))
        evening.play(2)
        evening.finish()
        first = evening.log.outcomes()[0]
        corrected = msgspec.structs.replace(
            first,
            edition=2,
            supersedes=1,
            payments=(3, -1, -1, -1),
            difference=(9, -3, -3, -3),
            author="裁判",
        )
        fine = FineRow(
            deal=1,
            n=5,
            boot=1,
            at=first.at,
            seat=2,
            payments=(1, 1, -3, 1),
            balances=(1, 2, 3, 4),
            author="裁判",
        )
        moved = AdjustmentRow(
            adjustment=1,
            deal=2,
            during=False,
            boot=1,
            at=first.at,
            match_no=1,
            payments=(5, -5, 0, 0),
            balances=(105, 95, 100, 100),
            reason="@算错了",
            author="裁判",
        )
        opened.write((corrected, fine, moved))
    return path, evening


def test_deals_are_written_as_records_that_replay(journal: tuple[Path, Evening], tmp_path: Path) -> None:
    path, evening = journal
    target = tmp_path / "deals.txt"
    main(["export", str(path), "--deals", str(target)])
    deals = target.read_text(encoding="utf-8").strip().split("\n\n")
    assert len(deals) == 2
    for text, truth in zip(deals, evening.truths, strict=True):
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        assert lines == public_texts(truth)
        assert replay(parse_record(text), sets.load("cixi-card")).result is not None
    assert "superseded" in deals[0]
    assert "superseded" not in deals[1]


def table(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def test_settlements_are_a_table_in_which_those_that_hold_no_more_are_marked(
    journal: tuple[Path, Evening], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = journal
    target = tmp_path / "day.csv"
    main(["export", str(path), "--settlements", str(target), "--json"])
    told = msgspec.json.decode(capsys.readouterr().out)
    assert (told["deals"], told["settlements"], told["superseded"]) == (2, 5, 1)
    lines = table(target)
    entries = [
        (line["局 deal"], line["类别 entry"] in {"won", "drawn"}, line["状态 status"]) for line in lines
    ]
    assert entries == [
        ("1", False, "holds"),
        ("1", True, "superseded"),
        ("1", True, "holds"),
        ("2", True, "holds"),
        ("2", False, "holds"),
    ]
    new = lines[2]
    assert [new[f"{seat}号位输赢 change {seat}"] for seat in range(1, 5)] == ["3", "-1", "-1", "-1"]
    assert [new[f"{seat}号位更正差 difference {seat}"] for seat in range(1, 5)] == ["9", "-3", "-3", "-3"]
    assert (new["更正 supersedes"], new["登记 author"]) == ("1", "裁判")


def test_names_that_look_like_formulas_are_text(journal: tuple[Path, Evening], tmp_path: Path) -> None:
    path, _ = journal
    target = tmp_path / "day.csv"
    main(["export", str(path), "--settlements", str(target)])
    first, *_, last = table(target)
    assert [first[f"{seat}号位姓名 name {seat}"] for seat in range(1, 5)] == ["'=cmd()", "乙", "丙,丁", "'+1"]
    assert last["原因 reason"] == "'@算错了"


@given(st.lists(st.lists(st.text(max_size=12) | st.integers(), min_size=3, max_size=3), max_size=5))
def test_no_cell_of_text_begins_like_a_formula(lines: list[list[str | int]]) -> None:
    text = as_csv(("a", "b", "c"), lines).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == len(lines) + 1
    for line, row in zip(lines, rows[1:], strict=True):
        for cell, shown in zip(line, row, strict=True):
            if isinstance(cell, int):
                assert shown == str(cell)
            else:
                assert not shown.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
                assert shown in {cell, f"'{cell}"}


def test_a_number_stays_a_number() -> None:
    assert harmless(-14) == -14
    assert harmless("-14") == "'-14"


def test_a_day_has_the_deals_that_began_on_it(
    journal: tuple[Path, Evening], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = journal
    target = tmp_path / "day.csv"
    for day, deals in (("1970-01-12", 2), ("1970-02-01", 0)):
        main(["export", str(path), "--settlements", str(target), "--day", day, "--json"])
        assert msgspec.json.decode(capsys.readouterr().out)["deals"] == deals
    assert target.read_text(encoding="utf-8-sig").startswith(COLUMNS[0])


def test_the_journal_of_an_older_program_is_exported_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = unpacked(2, tmp_path)
    main(["export", str(path), "--deals", "-"])
    text = capsys.readouterr().out
    assert text.count("# deal ") == 3
    assert text.count("# still being played") == 1


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_what_is_not_as_it_was_written_is_not_exported_in_silence(
    journal: tuple[Path, Evening], tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...]
) -> None:
    with closing(sqlite3.connect(journal[0], isolation_level=None)) as database:
        database.execute("UPDATE outcomes SET payments = '[-9,33,-8,-16]' WHERE deal = 2")
    target = tmp_path / "s.csv"
    with pytest.raises(SystemExit) as left:
        main(["export", str(journal[0]), "--settlements", str(target), *more])
    assert left.value.code == 1
    told = capsys.readouterr()
    assert told.err.startswith(f"{journal[0]}: ")
    assert "checksums do NOT hold" in told.err
    assert told.err.count("\n") == 1
    assert "33" in target.read_text(encoding="utf-8-sig")
    if more:
        assert msgspec.json.decode(told.out)["intact"] is False


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "nothing to write"),
        (("--deals", "x", "--day", "yesterday"), "expected a day such as 2026-11-30"),
        (("--settlements", "nowhere/x.csv"), "expected a file that can be written"),
        (("--settlements", "-", "--json"), "without --json"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(
    journal: tuple[Path, Evening], capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    with pytest.raises(SystemExit) as left:
        main(["export", str(journal[0]), *words])
    assert left.value.code
    error = capsys.readouterr().err
    assert complaint in error
    assert error.strip().count("\n") == 0


@pytest.mark.parametrize(
    "name", ["journal.db", "journal.db-wal", "another.db", "linked.db", "pipe", "x" * 300]
)
@pytest.mark.parametrize("command", ["export", "backup"])
def test_nothing_is_written_over_the_journal_or_over_what_is_no_file(
    journal: tuple[Path, Evening],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    name: str,
) -> None:
    os.link(journal[0], tmp_path / "another.db")
    (tmp_path / "linked.db").symlink_to(journal[0])
    os.mkfifo(tmp_path / "pipe")
    before, kinds = journal[0].read_bytes(), {path: path.lstat().st_mode for path in tmp_path.iterdir()}
    with pytest.raises(SystemExit) as left:
        main([command, str(journal[0]), *(("--deals",) if command == "export" else ()), str(tmp_path / name)])
    assert left.value.code == 1
    error = capsys.readouterr().err
    assert "expected" in error
    assert error.strip().count("\n") == 0
    assert journal[0].read_bytes() == before
    assert {path: path.lstat().st_mode for path in kinds} == kinds


def test_deals_and_settlements_are_not_written_over_each_other(
    journal: tuple[Path, Evening], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "both"
    with pytest.raises(SystemExit) as left:
        main(["export", str(journal[0]), "--deals", str(target), "--settlements", f"{tmp_path}/./both"])
    assert left.value.code == 2
    assert "named twice" in capsys.readouterr().err
    assert not target.exists()
