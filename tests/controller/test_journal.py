"""The journal keeps what it was given, or says in one line why it can't."""

import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal import Journal, JournalError, JournalReader
from controller.journal_rows import (
    AckRow,
    BootRow,
    DealRow,
    DecisionRow,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    InputRow,
    OutboxRow,
    OutcomeRow,
    Past,
    Row,
)

BOOT = BootRow(boot=1, at=1.5, version="0.1", rules="cixi-card", model="longzhuo840", settings="{}")
DEAL = DealRow(deal=1, boot=1, at=2.0, match_no=1, hand_no=1, dealer=2, balances=(100, 100, 100, 100))
EVENT = EventRow(deal=1, n=0, boot=1, at=2.0, text="deal 2 dice 3 4", author="table")
DOUBT = DoubtRow(doubt=1, boot=1, at=3.0, deal=1, kind="copies", zh="五张", en="five", candidates=("a",))
OUTCOME = OutcomeRow(
    deal=1,
    boot=1,
    at=9.0,
    how="won",
    reason="",
    indicator="1m",
    wild="2m",
    ponds=(("1p", "E"), (), ("9s",), ()),
    melds=((), (("peng", ("5p", "5p", "5p"), 0),), (), (("concealed_kong", ("1s",) * 4, None),)),
    winner=1,
    from_seat=None,
    tile="?",
    hand=("3s", "3s"),
    payments=(-14, 42, -14, -14),
    balances=(86, 142, 86, 86),
    dealer_next=1,
    kept_next=0,
    match_over=False,
    certain=True,
    settlement="",
)
EVERY: tuple[Row, ...] = (
    BOOT,
    InputRow(boot=1, at=1.6, kind="Tick", body="{}"),
    DecisionRow(boot=1, at=1.7, kind="stage", body='"open"'),
    DEAL,
    EVENT,
    DOUBT,
    DoubtEndRow(doubt=1, boot=1, at=4.0, how="chosen", choice=0, author="referee"),
    OUTCOME,
    OutboxRow(boot=1, seq=8, at=9.0, topic="ledger/settlement", payload="{}"),
    AckRow(boot=1, seq=8, at=10.0),
)


def test_every_row_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(EVERY)
    with JournalReader(path) as reader:
        for row in EVERY:
            assert reader.rows(type(row)) == (row,)


def test_text_columns_hold_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(EVERY)
    database = sqlite3.connect(path)
    assert database.execute("SELECT how, winner, ponds FROM outcomes").fetchone() == (
        "won",
        1,
        '[["1p","E"],[],["9s"],[]]',
    )
    database.close()


def test_a_new_journal_has_no_past(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        assert journal.past() == Past()


def test_the_past_is_the_running_deal_with_its_open_doubts(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write((BOOT, EVERY[2], DEAL, EVENT, DOUBT))
    with Journal.open(path) as journal:
        assert journal.past() == Past(
            boot=2,
            doubts=1,
            deal=DEAL,
            events=(EVENT.text,),
            open_doubts=(DOUBT,),
            stage="open",
        )


def test_the_past_of_a_finished_deal_is_its_outcome(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.write(EVERY)
        past = journal.past()
        assert (past.outcome, past.open_doubts) == (OUTCOME, ())


def test_rows_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write((BOOT,))
        with pytest.raises(JournalError, match="UNIQUE"):
            journal.write((DEAL, BOOT))
        journal.write((EVENT,))
    with JournalReader(path) as reader:
        assert reader.rows(DealRow) == ()
        assert reader.rows(EventRow) == (EVENT,)


def test_it_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal, JournalReader(path) as reader:
        journal.write((BOOT,))
        assert reader.rows(BootRow) == (BOOT,)


def test_there_is_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with (
        Journal.open(path),
        pytest.raises(JournalError, match="another controller is writing this journal"),
    ):
        Journal.open(path)
    Journal.open(path).close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.write_text("these are not the rows you are looking for" * 100)
    with pytest.raises(JournalError, match=r"journal\.db: no SQLite file"):
        Journal.open(path)


def test_another_program_s_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE songs (title TEXT)")
    database.close()
    with pytest.raises(JournalError, match="no journal of a table"):
        Journal.open(path)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    Journal.open(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(JournalError, match="newer version"):
        Journal.open(path)


def test_a_damaged_file_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        for number in range(400):
            journal.write((InputRow(boot=1, at=float(number), kind="Tick", body="x" * 200),))
    whole = bytearray(path.read_bytes())
    whole[8192:40000] = b"\xa5" * (40000 - 8192)
    path.write_bytes(bytes(whole))
    with pytest.raises(JournalError, match="the journal is damaged"):
        Journal.open(path)


def test_a_missing_folder_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"nowhere/journal\.db: .*expected a folder"):
        Journal.open(tmp_path / "nowhere" / "journal.db")


def test_a_missing_journal_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no such journal"):
        JournalReader(tmp_path / "journal.db")


FILLS_THE_DISK = """
import resource, signal, sys
from pathlib import Path
from controller.journal import Journal, JournalError
from controller.journal_rows import InputRow
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
journal = Journal.open(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
for number in range(10_000):
    try:
        journal.write((InputRow(boot=1, at=float(number), kind="Tick", body="x" * 2000),))
    except JournalError as error:
        print(number, error)
        break
"""


def test_a_disk_that_takes_no_more_is_said_and_what_was_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    assert hasattr(resource, "RLIMIT_FSIZE")
    assert hasattr(signal, "SIGXFSZ")
    done = subprocess.run(
        [sys.executable, "-c", FILLS_THE_DISK, str(path)], capture_output=True, text=True, check=True
    )
    written, words = done.stdout.strip().split(" ", 1)
    assert words.startswith(f"{path}: the disk")
    assert "\n" not in words
    with JournalReader(path) as reader:
        assert len(reader.rows(InputRow)) == int(written) > 0
