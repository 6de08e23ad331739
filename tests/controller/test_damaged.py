"""Whatever has become of its file: after a start the deal goes on, or it is withheld with the reason."""

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from evening import Evening
from small_disks import disk

from controller.journal import Journal, JournalDamaged, JournalError, JournalReader
from controller.journal_deals import DealRow, EventRow, OutcomeRow
from controller.journal_replay import REPLAYED, parting, replayed
from controller.journal_rows import BootRow, DecisionRow, GapRow, InputRow
from controller.session_inputs import RecordCut

PAGE = 4096


def in_its_fourth_deal(path: Path) -> Evening:
    """Three deals settled, one in its middle; all is in the file itself, nothing in the log beside it."""
    with Journal.open(path) as journal:
        evening = Evening(81, keep=journal.write, past=journal.past())
        evening.play(3)
        for number, _ in enumerate(evening.play_deal()):
            if number == 25:
                break
    return evening


def spoil(path: Path, *, first: float, last: float) -> None:
    """Write rubbish over a part of the file's pages."""
    content = bytearray(path.read_bytes())
    pages = len(content) // PAGE
    for page in range(int(pages * first), int(pages * last)):
        content[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
    path.write_bytes(bytes(content))


def start(path: Path, evening: Evening) -> None:
    """Start a controller on the journal as the program does, and let it see the table."""
    with Journal.open(path, mend=True) as journal:
        evening.keep = journal.write
        evening.begin(journal.past())
        if journal.cut is not None:
            evening.tell(RecordCut(*journal.cut))
    with JournalReader(path) as reader:
        chain = reader.verified()
        assert chain is not None
        assert not chain.breaks


@pytest.mark.parametrize(("first", "last"), [(0.9, 1.0), (0.6, 0.8), (0.3, 0.5), (0.02, 1.0)])
def test_what_can_be_read_of_a_damaged_file_is_gone_on_with(
    tmp_path: Path, first: float, last: float
) -> None:
    path = tmp_path / "journal.db"
    evening = in_its_fourth_deal(path)
    before = len(evening.log.outcomes())
    spoil(path, first=first, last=last)
    with pytest.raises(JournalDamaged, match="the journal is damaged"):
        Journal.open(path)
    start(path, evening)
    with JournalReader(path) as reader:
        (gap,) = reader.rows(GapRow)
        withheld = [row for row in reader.rows(OutcomeRow) if row.how == "withheld"]
        deals = reader.rows(DealRow)
        assert [row.kind for row in reader.rows(InputRow)].count("RecordCut") == 1
    assert gap.how == "salvaged"
    assert len(withheld) == (1 if deals else 0)
    assert all("记录有缺损" in row.reason and "读回了" in row.reason for row in withheld)
    assert len(evening.log.outcomes()) == before + len(withheld)
    assert (tmp_path / "journal.db.damaged-1").is_file()
    # The next start finds all in order.
    with Journal.open(path, mend=True) as journal:
        assert journal.cut is None
    assert not (tmp_path / "journal.db.damaged-2").exists()


SPOILED = (
    ("payments", "CAST(x'5bb82c312c322c335d' AS TEXT)", "no text any more"),
    ("payments", "'[-1,1,0,0}'", "no JSON any more"),
    ("payments", "'[1,2,3]'", "a seat too few"),
    ("reason", "CAST(x'e9' AS TEXT)", "no text, and no start looks at it"),
)


@pytest.mark.parametrize(
    ("column", "cell"), [each[:2] for each in SPOILED], ids=[each[2] for each in SPOILED]
)
def test_a_row_that_is_none_any_more_keeps_nobody_from_playing(
    tmp_path: Path, column: str, cell: str
) -> None:
    path = tmp_path / "journal.db"
    evening = in_its_fourth_deal(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(f"UPDATE outcomes SET {column} = {cell} WHERE deal = 3")  # noqa: S608 - of this file
    start(path, evening)
    with JournalReader(path) as reader:
        (gap,) = reader.rows(GapRow)
        told = {row.deal: row.how for row in reader.rows(OutcomeRow)}
    assert gap.how == "salvaged"
    assert told[3] == "withheld"
    assert (tmp_path / "journal.db.damaged-1").is_file()
    with Journal.open(path, mend=True) as journal:
        assert journal.cut is None
    assert not (tmp_path / "journal.db.damaged-2").exists()


def test_a_row_that_was_written_so_is_refused_and_not_copied_at_every_start(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write((DecisionRow(boot=1, at=1.0, kind="players", body='{"players": 3}'),))
    for _ in range(2):
        with pytest.raises(JournalError, match=r"journal\.db: can't be used: ") as told:
            Journal.open(path, mend=True)
        assert "\n" not in str(told.value)
    assert [name.name for name in tmp_path.glob("*damaged*")] == []


def test_what_is_wrong_with_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    in_its_fourth_deal(path)
    content = bytearray(path.read_bytes())
    content[5 * PAGE : 9 * PAGE] = bytes(4 * PAGE)
    path.write_bytes(bytes(content))
    with pytest.raises(JournalDamaged) as told:
        Journal.open(path)
    assert "\n" not in str(told.value)


def test_a_file_of_which_nothing_can_be_read_is_said_in_one_line_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    in_its_fourth_deal(path)
    spoil(path, first=0.0, last=1.0)
    content = path.read_bytes()
    with pytest.raises(Exception, match=r"journal\.db: ") as told:
        Journal.open(path, mend=True)
    assert "\n" not in str(told.value)
    assert path.read_bytes() == content


KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from evening import Evening
from controller.journal import Journal
journal = Journal.open(Path(sys.argv[1]))
evening = Evening(82, keep=journal.write, past=journal.past())
evening.play(1)
for number, _ in enumerate(evening.play_deal()):
    if number == 25:
        print("ready", flush=True)
        sys.stdin.read()
"""


def killed(path: Path) -> None:
    """A program that is killed in its second deal, with much in the log beside the file."""
    words = [sys.executable, "-c", KILLED, str(path), str(Path(__file__).parent)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


@pytest.mark.parametrize("kept", [0.99, 0.7, 0.4, 0.0])
def test_a_log_that_was_cut_short_loses_its_end_and_nothing_is_settled_on_it(
    tmp_path: Path, kept: float
) -> None:
    path = tmp_path / "journal.db"
    killed(path)
    with JournalReader(path) as reader:
        events = reader.count(EventRow)
        settled = len(reader.rows(OutcomeRow))
    log = tmp_path / "journal.db-wal"
    assert log.stat().st_size > 100_000
    with log.open("r+b") as file:
        file.truncate(int(log.stat().st_size * kept))
    with Journal.open(path, mend=True) as journal:
        past, cut = journal.past(), journal.cut
    with JournalReader(path) as reader:
        chain = reader.verified()
        left = reader.count(EventRow)
        outcomes = len(reader.rows(OutcomeRow))
    assert chain is not None
    assert not chain.breaks
    assert left <= events
    if outcomes < settled or past.deal is None or past.deal.deal < 2:
        # A settlement or a deal is missing that was safe on the disk: people are asked.
        assert cut is not None
        assert "缺了结尾" in cut[0]
    elif cut is None:
        assert past.deal.deal == 2


def test_the_file_itself_cut_short_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    evening = in_its_fourth_deal(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) * 8 // 10 // PAGE * PAGE])
    start(path, evening)
    with JournalReader(path) as reader:
        assert [gap.how for gap in reader.rows(GapRow)] == ["salvaged"]
        outcomes = {row.deal: row.how for row in reader.rows(OutcomeRow)}
        assert set(outcomes) == {row.deal for row in reader.rows(DealRow)}
    with Journal.open(path) as journal:
        assert journal.past().cut or "withheld" in outcomes.values()


WRITES = """
import sys
from pathlib import Path
from controller.journal import Journal
from controller.journal_replay import REPLAYED, parting, replayed
from controller.journal_deals import DealRow
from controller.journal_rows import BootRow, InputRow
with Journal.open(Path(sys.argv[1])) as journal:
    number = 0
    while True:
        number += 1
        for _ in range(3):
            journal.write((InputRow(boot=1, at=1.0, kind="Tick", body="x" * 300),))
        deal = DealRow(deal=number, boot=1, at=1.0, match_no=1, hand_no=1, dealer=0, balances=(1,) * 4)
        journal.write((deal,))
        print(number, flush=True)
"""


def test_a_power_cut_loses_no_row_of_money_that_was_reported_written(tmp_path: Path) -> None:
    """The disk's image at one moment is what is left of it when the power goes at that moment."""
    image = tmp_path / "image"
    with disk(tmp_path / "disk", image) as folder:
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(folder / "journal.db")], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        said = []
        for cut in range(4):
            for _ in range(10 + 7 * cut):
                process.stdout.readline()
            written = int(process.stdout.readline())
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.05)
            shutil.copyfile(image, tmp_path / f"cut-{cut}")
            process.send_signal(signal.SIGCONT)
            said.append(written)
        process.kill()
        process.wait()
        process.stdout.close()
    for cut, written in enumerate(said):
        with disk(tmp_path / f"after-{cut}", tmp_path / f"cut-{cut}") as folder:
            with Journal.open(folder / "journal.db") as journal:
                assert journal.cut is None
            with JournalReader(folder / "journal.db") as reader:
                chain = reader.verified()
                assert chain is not None
                assert not chain.breaks
                assert reader.count(DealRow) >= written


@pytest.mark.parametrize("leap", [-900_000.0, -3600.0, 3650 * 86_400.0])
def test_a_clock_that_leaps_between_two_starts_changes_nothing(tmp_path: Path, leap: float) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(83, keep=journal.write, past=journal.past())
        evening.play(1)
        deal = evening.play_deal()
        for _ in range(25):
            next(deal)
        evening.now += leap
        evening.begin(journal.past())
        for _ in deal:
            pass
        evening.finish()
    outcomes = evening.log.outcomes()
    assert [(row.how, row.payments) for row in outcomes] == [
        (truth.how, truth.payments) for truth in evening.truths
    ]
    assert len(outcomes) == 2
    with JournalReader(path) as reader:
        written = {kind: reader.stored(kind) for kind in REPLAYED}
        assert parting(written, replayed(reader.rows(BootRow), reader.each(InputRow))) is None
