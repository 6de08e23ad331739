"""The journal keeps what it was given, or says in one line why it can't."""

import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from controller.agreed import Agreed
from controller.journal import Journal, JournalError, JournalReader
from controller.journal_deals import DealRow, DoubtEndRow, DoubtRow, EventRow, FineRow, OutcomeRow
from controller.journal_rows import AckRow, BootRow, DecisionRow, InputRow, OutboxRow, Row
from controller.journal_start import Past

BOOT = BootRow(
    boot=1,
    at=1.5,
    version="0.1",
    rules="cixi-card",
    model="longzhuo840",
    settings="{}",
    options={"stake": 2, "tongfu": True, "feima": "formula"},
)
DEAL = DealRow(deal=1, boot=1, at=2.0, match_no=1, hand_no=1, dealer=2, balances=(100, 100, 100, 100))
EVENT = EventRow(deal=1, n=0, boot=1, at=2.0, text="deal 2 dice 3 4", author="table")
DOUBT = DoubtRow(
    doubt=1,
    boot=1,
    at=3.0,
    deal=1,
    kind="copies",
    zh="五张",
    en="five",
    candidates=("a",),
    proposal="false_win 2 hand",
)
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
FINE = FineRow(
    deal=1,
    n=7,
    boot=1,
    at=8.0,
    seat=2,
    payments=(24, 24, -72, 24),
    balances=(124, 124, 28, 124),
    author="referee",
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
    FINE,
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
            written=1,
            open_doubts=(DOUBT,),
            stage="open",
            begun=Agreed(BOOT.rules, BOOT.options),
        )


def test_the_past_of_a_finished_deal_is_its_outcome(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.write(EVERY)
        past = journal.past()
        assert (past.outcome, past.open_doubts, past.fines) == (OUTCOME, (), (FINE,))


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


SCHEMA_1 = """
CREATE TABLE boots (boot INTEGER NOT NULL, at REAL NOT NULL, version TEXT NOT NULL, rules TEXT NOT NULL,
    model TEXT NOT NULL, settings TEXT NOT NULL, PRIMARY KEY (boot));
CREATE TABLE inputs (n INTEGER PRIMARY KEY AUTOINCREMENT, boot INTEGER NOT NULL, at REAL NOT NULL,
    kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE decisions (n INTEGER PRIMARY KEY AUTOINCREMENT, boot INTEGER NOT NULL, at REAL NOT NULL,
    kind TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE deals (deal INTEGER NOT NULL, boot INTEGER NOT NULL, at REAL NOT NULL, match_no INTEGER NOT NULL,
    hand_no INTEGER NOT NULL, dealer INTEGER, balances TEXT NOT NULL, PRIMARY KEY (deal));
CREATE TABLE events (deal INTEGER NOT NULL, n INTEGER NOT NULL, boot INTEGER NOT NULL, at REAL NOT NULL,
    text TEXT NOT NULL, author TEXT NOT NULL, PRIMARY KEY (deal, n));
CREATE TABLE doubts (doubt INTEGER NOT NULL, boot INTEGER NOT NULL, at REAL NOT NULL, deal INTEGER NOT NULL,
    kind TEXT NOT NULL, zh TEXT NOT NULL, en TEXT NOT NULL, candidates TEXT NOT NULL, PRIMARY KEY (doubt));
CREATE TABLE doubt_ends (doubt INTEGER NOT NULL, boot INTEGER NOT NULL, at REAL NOT NULL, how TEXT NOT NULL,
    choice INTEGER, author TEXT NOT NULL, PRIMARY KEY (doubt));
CREATE TABLE outcomes (deal INTEGER NOT NULL, boot INTEGER NOT NULL, at REAL NOT NULL, how TEXT NOT NULL,
    reason TEXT NOT NULL, indicator TEXT, wild TEXT, ponds TEXT NOT NULL, melds TEXT NOT NULL, winner INTEGER,
    from_seat INTEGER, tile TEXT, hand TEXT NOT NULL, payments TEXT NOT NULL, balances TEXT NOT NULL,
    dealer_next INTEGER NOT NULL, kept_next INTEGER NOT NULL, match_over INTEGER NOT NULL,
    certain INTEGER NOT NULL, settlement TEXT NOT NULL, PRIMARY KEY (deal));
CREATE TABLE outbox (boot INTEGER NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, topic TEXT NOT NULL,
    payload TEXT NOT NULL, PRIMARY KEY (boot, seq));
CREATE TABLE acks (boot INTEGER NOT NULL, seq INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (boot, seq));
INSERT INTO boots VALUES (1, 1.5, '0.1', 'cixi-card', 'longzhuo840', '{}');
INSERT INTO deals VALUES (1, 1, 2.0, 1, 1, 2, '[100,100,100,100]');
INSERT INTO events VALUES (1, 0, 1, 2.0, 'deal 2 dice 3 4', 'table');
INSERT INTO doubts VALUES (1, 1, 3.0, 1, 'copies', '五张', 'five', '["a"]');
PRAGMA user_version = 1;
"""
"""The first schema with a running deal, as its program wrote it."""
OLD_BOOT = BootRow(boot=1, at=1.5, version="0.1", rules="cixi-card", model="longzhuo840", settings="{}")


@pytest.fixture
def old_journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    database = sqlite3.connect(path)
    database.executescript(SCHEMA_1)
    database.close()
    return path


def test_a_journal_of_the_first_schema_is_read_as_it_is(old_journal: Path) -> None:
    with JournalReader(old_journal) as reader:
        assert reader.rows(BootRow) == (OLD_BOOT,)
        assert reader.rows(FineRow) == ()
        (doubt,) = reader.rows(DoubtRow)
    assert (doubt.en, doubt.proposal) == ("five", None)


def test_a_journal_of_the_first_schema_is_gone_on_with(old_journal: Path) -> None:
    with Journal.open(old_journal) as journal:
        past = journal.past()
        assert (past.boot, past.deal, past.events, past.begun) == (
            2,
            DEAL,
            (EVENT.text,),
            Agreed("cixi-card"),
        )
        journal.write((msgspec.structs.replace(BOOT, boot=2), FINE))
    with Journal.open(old_journal) as journal:
        assert journal.past().fines == (FINE,)
    with JournalReader(old_journal) as reader:
        assert [row.options for row in reader.rows(BootRow)] == [None, BOOT.options]


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
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
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
