"""A row that another hand has changed is found, a lost end too; older journals are brought along."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from old_journals import unpacked

from controller.journal import Journal, JournalError, JournalReader
from controller.journal_chain import Verified, batches
from controller.journal_deals import DealRow, DoubtEndRow, DoubtRow, EventRow, OutcomeRow
from controller.journal_rows import ROWS, AckRow, GapRow, InputRow, Row
from controller.journal_schema import SCHEMA_VERSION, chained


def written(path: Path, batches: int = 12) -> None:
    with Journal.open(path) as journal:
        for number in range(batches):
            deal = DealRow(
                deal=number + 1,
                boot=1,
                at=float(number),
                match_no=1,
                hand_no=1,
                dealer=0,
                balances=(1, 2, 3, 4),
            )
            event = EventRow(deal=number + 1, n=0, boot=1, at=number + 0.5, text="deal 0", author="table")
            journal.write((InputRow(boot=1, at=float(number), kind="Tick", body="{}"), deal, event))


def changed(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement)


def chain_of(path: Path) -> Verified:
    with JournalReader(path) as reader:
        found = reader.verified()
    assert found is not None
    return found


def test_a_chain_that_nobody_touched_holds(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path)
    assert chain_of(path) == Verified(1, 12, 36, ())


@pytest.mark.parametrize(
    ("statement", "batch", "words"),
    [
        ("UPDATE deals SET balances = '[1,2,4,3]' WHERE deal = 4", 4, "not as it was written"),
        ("UPDATE events SET at = at + 0.001 WHERE deal = 7", 7, "not as it was written"),
        ("DELETE FROM inputs WHERE n = 3", 3, "2 rows of 3"),
        ("INSERT INTO events VALUES (3, 1, 1, 2.5, 'draw 0', 'table', 3)", 3, "4 rows"),
        ("INSERT INTO events VALUES (3, 1, 1, 2.5, 'draw 0', 'table', 99)", 99, "not written"),
        ("UPDATE chain SET digest = 'aa' WHERE batch = 9", 9, "not as it was written"),
        ("DELETE FROM chain WHERE batch = 5", 5, "not written"),
    ],
)
def test_a_row_of_another_hand_is_found_in_its_batch(
    tmp_path: Path, statement: str, batch: int, words: str
) -> None:
    path = tmp_path / "journal.db"
    written(path)
    changed(path, statement)
    first = chain_of(path).breaks[0]
    assert first.batch == batch
    assert words in first.en
    assert f"第{batch}批" in first.zh


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_cell_that_is_changed_breaks_the_chain(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("chain") / "journal.db"
    written(path, 3)
    kinds: list[type[Row]] = [InputRow, DealRow, EventRow]
    kind = data.draw(st.sampled_from(kinds))
    column = data.draw(st.sampled_from(kind.__struct_fields__))
    number = data.draw(st.integers(1, 3))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        before = database.execute(f"SELECT {column} FROM {kind.table} WHERE rowid = {number}").fetchone()[0]  # noqa: S608
        after = before + "x" if isinstance(before, str) else before + 100
        database.execute(f"UPDATE {kind.table} SET {column} = ? WHERE rowid = ?", (after, number))  # noqa: S608
    assert chain_of(path).breaks


def test_a_change_is_told_at_the_next_start_once_and_the_chain_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path)
    changed(path, "UPDATE deals SET balances = '[1,2,4,3]' WHERE deal = 4")
    with Journal.open(path) as journal:
        assert journal.cut is not None
        assert "第4批" in journal.cut[0]
        assert "batch 4" in journal.cut[1]
    with Journal.open(path) as journal:
        assert journal.cut is not None, "nobody has been told yet"
        journal.write((InputRow(boot=2, at=99.0, kind="RecordCut", body="{}"),))
    with Journal.open(path) as journal:
        assert journal.cut is None
    with JournalReader(path) as reader:
        (gap,) = reader.rows(GapRow)
    assert (gap.how, gap.until) == ("changed", 12)
    assert [found.batch for found in chain_of(path).breaks] == [4]


def test_a_lost_end_is_told_at_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, 5)
    early = path.read_bytes()
    with Journal.open(path) as journal:
        journal.write((DealRow(deal=6, boot=1, at=6.0, match_no=1, hand_no=1, dealer=0, balances=(0,) * 4),))
    path.write_bytes(early)
    with Journal.open(path) as journal:
        assert journal.cut == (
            "记录缺了结尾（6批剩5批）",
            "the end of the record is missing (5 batches of 6)",
        )


def test_another_record_in_its_place_is_told(tmp_path: Path) -> None:
    path, other = tmp_path / "journal.db", tmp_path / "other.db"
    written(path, 5)
    with Journal.open(other) as journal:
        for number in range(9):
            journal.write((InputRow(boot=1, at=float(number), kind="Tick", body="[]"),))
    path.write_bytes(other.read_bytes())
    with Journal.open(path) as journal:
        assert journal.cut is not None
        assert "not the record" in journal.cut[1]


def test_a_new_journal_in_the_place_of_one_that_was_taken_away_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, 5)
    path.unlink()
    with Journal.open(path) as journal:
        assert journal.cut is None


def test_rows_stay_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    ends = [DoubtEndRow(doubt=n, boot=1, at=1.0, how="explained", choice=None, author="") for n in (5, 3, 4)]
    with Journal.open(path) as journal:
        journal.write(ends[:2])
        journal.write(ends[2:])
    with JournalReader(path) as reader:
        assert list(reader.rows(DoubtEndRow)) == ends


def test_a_column_that_is_added_with_a_default_changes_no_digest() -> None:
    row = {"doubt": 1, "kind": "lift"}
    assert chained("", [("doubts", row)]) == chained("", [("doubts", {**row, "proposal": None})])
    assert chained("", [("doubts", row)]) != chained("", [("doubts", {**row, "proposal": "barred 1 -"})])


def test_the_journal_of_an_older_program_is_brought_along_after_a_copy_was_made(tmp_path: Path) -> None:
    path = unpacked(2, tmp_path)
    with JournalReader(path) as reader:
        assert reader.schema == 2
        before: dict[type[Row], tuple[Row, ...]] = {kind: reader.rows(kind) for kind in ROWS}
        assert reader.verified() is None
    with Journal.open(path) as journal:
        past = journal.past()
        assert past.boot == 3
        assert past.deal is not None
        assert (past.deal.deal, past.outcome) == (3, None)
        assert past.begun is not None
        assert past.begun.options is not None
        assert past.begun.options["stake"] == 2
        journal.write((AckRow(boot=1, seq=1, at=1.0),))
    with JournalReader(path) as reader:
        assert reader.schema == SCHEMA_VERSION
        after = {kind: reader.rows(kind) for kind in ROWS if kind is not AckRow}
    assert after == {kind: rows for kind, rows in before.items() if kind is not AckRow}
    assert len(after[OutcomeRow]) == 2
    assert len(after[DoubtRow]) == 1
    chain = chain_of(path)
    assert (chain.last, chain.breaks) == (2, ())
    kept = tmp_path / "journal.db.schema-2"
    with JournalReader(kept) as reader:
        assert reader.schema == 2
        assert {kind: reader.rows(kind) for kind in ROWS} == before
    assert not list(tmp_path.glob("*.part"))


def test_a_journal_that_can_not_be_copied_first_is_not_touched(tmp_path: Path) -> None:
    path = unpacked(2, tmp_path)
    before = path.read_bytes()
    blocked = tmp_path / "journal.db.schema-2"
    blocked.mkdir()
    (blocked / "something").touch()
    with pytest.raises(JournalError, match=r"journal\.db: "):
        Journal.open(path)
    with JournalReader(path) as reader:
        assert reader.schema == 2
        assert len(reader.rows(InputRow)) == 440
    assert len(before) == path.stat().st_size


def test_a_row_without_a_batch_can_not_be_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path, 1)
    row = msgspec.structs.astuple(EventRow(deal=1, n=1, boot=1, at=1.0, text="draw 0", author="table"))
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as database,
        pytest.raises(sqlite3.IntegrityError),
    ):
        database.execute(
            "INSERT INTO events (deal, n, boot, at, text, author) VALUES (?, ?, ?, ?, ?, ?)", row
        )


def test_whoever_changes_a_row_and_its_digest_breaks_the_next_batch(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    written(path)
    changed(path, "UPDATE events SET text = 'deal 1' WHERE deal = 4")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        before = database.execute("SELECT digest FROM chain WHERE batch = 3").fetchone()[0]
        (_, rows), *_ = batches(database, 3)
        database.execute("UPDATE chain SET digest = ? WHERE batch = 4", (chained(before, rows),))
    assert [found.batch for found in chain_of(path).breaks] == [5]
