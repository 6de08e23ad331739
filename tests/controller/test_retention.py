"""Old matches are deleted, the running one never; copies are whole; both whenever the program is killed."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from evening import Evening
from small_disks import full_soon

from controller.cli import main
from controller.config import ConfigError, parse_config
from controller.journal import Journal, JournalError, JournalReader
from controller.journal_deals import DealRow, EventRow, OutcomeRow
from controller.journal_rows import BootRow, GapRow, InputRow
from controller.session_inputs import NextMatch
from hardware_sim.truth import first_match

DAY = 86_400.0


def nights(path: Path, number: int, deals: int = 2, *, matches: bool = True) -> Evening:
    """A journal of so many evenings, a day apart, each with a start (and a match) of its own."""
    with Journal.open(path) as journal:
        evening = Evening(61, keep=journal.write, past=journal.past())
        for night in range(number):
            if night:
                evening.now += DAY
                evening.begin(journal.past())
            if night and matches:
                evening.tell(NextMatch("referee"))
                evening.true_match = first_match(evening.rules, night + 1)
            evening.play(deals)
            evening.finish()
    return evening


def forget(path: Path, before: float) -> int:
    """Delete until there is no more; how many portions there were."""
    portions = 0
    with Journal.open(path) as journal:
        past = journal.past()
        while journal.prune(before, now=before + 9 * DAY):
            portions += 1
            assert journal.past() == past
    return portions


def test_of_a_damaged_journal_whose_beginning_was_deleted_the_rest_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    nights(path, 6)
    assert forget(path, begun_at(path)[7] - 1.0) == 1
    kept = deals(path)
    with JournalReader(path) as reader:
        points = {row.deal: row.balances for row in reader.rows(OutcomeRow)}
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE events SET text = CAST(x'e9' AS TEXT) WHERE deal = 12 AND n = 3")
    with Journal.open(path, mend=True) as journal:
        assert journal.cut is not None
        assert journal.past().deal is not None
    assert deals(path) == kept
    with JournalReader(path) as reader:
        chain = reader.verified()
        assert chain is not None
        assert not chain.breaks
        assert [gap.how for gap in reader.rows(GapRow)] == ["pruned", "salvaged"]
        assert {row.deal: row.balances for row in reader.rows(OutcomeRow)} == {
            deal: points[deal] for deal in kept if deal < 12
        }


def deals(path: Path) -> list[int]:
    with JournalReader(path) as reader:
        return [row.deal for row in reader.rows(DealRow)]


def begun_at(path: Path) -> dict[int, float]:
    with JournalReader(path) as reader:
        return {row.deal: row.at for row in reader.rows(DealRow)}


def test_what_is_left_is_whole_chained_restored_and_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    monkeypatch.setattr("controller.journal_prune.AT_ONCE", 300)
    nights(path, 6)
    with JournalReader(path) as reader:
        outcomes = {row.deal: row for row in reader.rows(OutcomeRow)}
    assert forget(path, begun_at(path)[7] - 1.0) > 1
    # The match of then, the one before it, and the deal before that.
    assert deals(path) == [4, 5, 6, 7, 8, 9, 10, 11, 12]
    with Journal.open(path) as journal:
        assert journal.cut is None
    with JournalReader(path) as reader:
        chain = reader.verified()
        assert chain is not None
        assert not chain.breaks
        kept = {deal: row for deal, row in outcomes.items() if deal >= 4}
        assert {row.deal: row for row in reader.rows(OutcomeRow)} == kept
        assert len(reader.rows(BootRow)) == 6
        assert min(row.deal for row in reader.rows(EventRow)) == 4
        assert {gap.how for gap in reader.rows(GapRow)} == {"pruned"}
    main(["replay", str(path), "--json"])
    told = msgspec.json.decode(capsys.readouterr().out)
    assert (told["identical"], told["starts"], told["deals"]) == (True, 2, 4)


def test_the_running_match_stays_however_old_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    nights(path, 4, matches=False)
    kept = deals(path)
    assert forget(path, 10 * DAY) == 0
    assert deals(path) == kept


def test_a_clock_that_has_leapt_deletes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    evening = nights(path, 3)
    with Journal.open(path) as journal:
        evening.keep = journal.write
        evening.now += 3650 * DAY
        evening.begin(journal.past())
        evening.play(1)
        evening.finish()
        assert len(evening.log.outcomes()) == 7
        assert not journal.prune(evening.now - 90 * DAY, now=evening.now)
    assert len(deals(path)) == 7


def test_how_long_rows_are_kept_is_a_setting() -> None:
    text = 'rules = "cixi-card"\n[board]\nport = "x"\n[camera]\nsource = 0\n'
    assert parse_config(text, name="t").journal.keep_days == 90
    assert parse_config(text + "[journal]\nkeep_days = 7\n", name="t").journal.keep_days == 7
    with pytest.raises(ConfigError, match=r"journal\.keep_days"):
        parse_config(text + "[journal]\nkeep_days = 0\n", name="t")


FORGETS = """
import sys
from pathlib import Path
from controller import journal_prune
from controller.journal import Journal
journal_prune.AT_ONCE = 5
with Journal.open(Path(sys.argv[1])) as journal:
    print("ready", flush=True)
    while journal.prune(float(sys.argv[2]), now=0.0):
        pass
"""


def test_a_program_that_is_killed_while_it_deletes_leaves_a_whole_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    nights(path, 6, deals=1)
    at = begun_at(path)
    with JournalReader(path) as reader:
        inputs = reader.count(InputRow)
    for pause in (0.001, 0.01, 0.03):
        process = subprocess.Popen(
            [sys.executable, "-c", FORGETS, str(path), str(at[4] - 1.0)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(pause)
        process.kill()
        process.wait()
        process.stdout.close()
        with JournalReader(path) as reader:
            chain = reader.verified()
            assert chain is not None
            assert not chain.breaks
            assert reader.count(InputRow) <= inputs
            inputs = reader.count(InputRow)
    forget(path, at[4] - 1.0)
    assert deals(path) == [2, 3, 4, 5, 6]


def backup(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    main(["backup", *words, "--json"])
    told: dict[str, object] = msgspec.json.decode(capsys.readouterr().out)
    return told


def test_a_copy_is_whole_while_the_journal_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, target = tmp_path / "journal.db", tmp_path / "copy.db"
    with Journal.open(path) as journal:
        evening = Evening(63, keep=journal.write, past=journal.past())
        for number, _ in enumerate(evening.play_deal()):
            if number == 20:
                told = backup(capsys, str(path), str(target))
    assert (told["deals"], told["outcomes"], told["intact"]) == (1, 0, True)
    assert not (tmp_path / "copy.db-wal").exists()
    with Journal.open(target) as copy:
        assert copy.cut is None
        past = copy.past()
    assert len(past.events) >= 20
    main(["replay", str(target)])
    with pytest.raises(JournalError):
        Journal.open(tmp_path)


def test_a_copy_goes_into_a_folder_under_a_name_with_its_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    nights(path, 1, deals=1)
    (tmp_path / "backups").mkdir()
    told = backup(capsys, str(path), str(tmp_path / "backups"))
    assert [str(found) for found in (tmp_path / "backups").iterdir()] == [told["file"]]


COPIES = """
import sys
from controller.cli import main
print("ready", flush=True)
while True:
    main(["backup", sys.argv[1], sys.argv[2]])
"""


def test_a_program_that_is_killed_while_it_copies_leaves_the_last_copy(tmp_path: Path) -> None:
    path, target = tmp_path / "journal.db", tmp_path / "copy.db"
    nights(path, 1)
    main(["backup", str(path), str(target)])
    for pause in (0.005, 0.02, 0.05):
        process = subprocess.Popen(
            [sys.executable, "-c", COPIES, str(path), str(target)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with JournalReader(target) as copy:
            chain = copy.verified()
            assert chain is not None
            assert not chain.breaks
            assert copy.count(DealRow) == 2


@pytest.mark.parametrize(
    ("target", "complaint"),
    [("journal.db", "the journal itself"), ("nowhere/copy.db", "nowhere/copy.db: there is no folder ")],
)
def test_a_copy_that_can_not_be_made_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str, complaint: str
) -> None:
    path = tmp_path / "journal.db"
    nights(path, 1, deals=1)
    with pytest.raises(SystemExit) as left:
        main(["backup", str(path), str(tmp_path / target)])
    assert left.value.code == 1
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_a_copy_replaces_an_older_copy_and_no_file_that_is_no_journal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    nights(path, 1, deals=1)
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as database:
        database.execute("CREATE TABLE shopping (what TEXT)")
    (tmp_path / "table.toml").write_text('rules = "cixi-card"\n')
    for target in (tmp_path / "table.toml", other):
        before = target.read_bytes()
        with pytest.raises(SystemExit) as left:
            main(["backup", str(path), str(target)])
        assert left.value.code == 1
        error = capsys.readouterr().err
        assert f"{target.name}: there is a file that is no journal" in error
        assert error.count("\n") == 1
        assert target.read_bytes() == before
    copy = tmp_path / "copy.db"
    for _ in range(2):
        assert backup(capsys, str(path), str(copy))["intact"] is True


def test_a_disk_too_small_for_a_copy_leaves_no_part_of_it_and_says_that_nothing_else_is_amiss(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    nights(path, 1, deals=1)
    with full_soon(tmp_path / "small", kib=64) as folder:
        with pytest.raises(SystemExit) as left:
            main(["backup", str(path), str(folder / "copy.db")])
        assert list(folder.iterdir()) == []
    assert left.value.code == 1
    said = "copy.db: the disk is full; the journal itself is as it was\n"
    assert capsys.readouterr().err.endswith(said)


def test_a_journal_that_is_not_there_is_said_before_the_place_of_its_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "copy.db").touch()
    with pytest.raises(SystemExit) as left:
        main(["backup", str(tmp_path / "absent.db"), str(tmp_path / "copy.db")])
    assert left.value.code == 1
    assert "absent.db: no such journal" in capsys.readouterr().err
