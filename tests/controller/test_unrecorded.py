"""A disk that is full or refuses to write stops no play and settles nothing that is not written."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from evening import Evening, public_texts
from old_journals import unpacked
from small_disks import disk, fill, full_soon, give_up, refuse_to_write

from controller.app_loop import Loop
from controller.journal import Journal, JournalReader
from controller.journal_deals import DealRow, DoubtRow, EventRow, OutcomeRow
from controller.journal_replay import REPLAYED, input_of, parting, past_of, replayed
from controller.journal_rows import BootRow, InputRow
from controller.mqtt import Publisher
from controller.public import Alarm
from controller.session import Session, SessionSettings
from controller.session_inputs import (
    Input,
    NotRecorded,
    Ordered,
    PersonAnswer,
    RecordCut,
    Recorded,
    Tick,
)
from rules import sets

FULL = NotRecorded("磁盘已满", "the disk is full")


def alarms(evening: Evening) -> list[Alarm]:
    return [payload for _, payload in evening.log.published if isinstance(payload, Alarm)]


def is_faithful(journal: Path) -> bool:
    """The journal replays byte for byte, and its chain holds."""
    with JournalReader(journal) as reader:
        written = {kind: reader.stored(kind) for kind in REPLAYED}
        again = replayed(reader.rows(BootRow), reader.each(InputRow))
        chain = reader.verified()
        return parting(written, again) is None and chain is not None and not chain.breaks


def test_a_deal_that_ends_while_nothing_is_recorded_is_settled_when_it_is() -> None:
    evening = Evening(31)
    for number, _ in enumerate(evening.play_deal()):
        if number == 10:
            evening.tell(FULL)
            assert (alarms(evening)[-1].active, alarms(evening)[-1].code) == (True, "JRN-00")
            assert "磁盘已满" in alarms(evening)[-1].zh
            assert "the disk is full" in alarms(evening)[-1].en
    assert evening.log.outcomes() == []
    assert [row.kind for row in evening.log.doubts(1)][-1] == "record"
    assert not [topic for topic, _ in evening.log.published if topic == "ledger/settlement"]
    evening.tell(Recorded())
    (outcome,) = evening.log.outcomes()
    (truth,) = evening.truths
    assert (outcome.how, outcome.payments) == (truth.how, truth.payments)
    assert evening.log.texts(1) == public_texts(truth)
    assert not alarms(evening)[-1].active
    evening.play(1)
    evening.finish()
    assert [row.payments for row in evening.log.outcomes()] == [truth.payments for truth in evening.truths]


def test_people_who_do_not_wait_for_the_disk_play_on_and_the_deal_is_withheld_with_its_reason() -> None:
    evening = Evening(32)
    evening.tell(FULL)
    evening.play(1)
    evening.open_hatch()
    (outcome,) = evening.log.outcomes()
    assert (outcome.how, outcome.payments) == ("withheld", (0, 0, 0, 0))
    assert "会自动结算" not in outcome.reason
    assert outcome.reason.startswith("当时写不了记录，下一局已开")
    assert "请先别开下一局" in evening.log.doubts(1)[-1].zh


def test_orders_are_refused_in_words_while_nothing_is_recorded() -> None:
    evening = Evening(33)
    evening.tell(FULL)
    evening.tell(Ordered("u1", PersonAnswer(doubt=1, action="withdraw", author="seat 1")))
    (answer,) = evening.log.answers
    assert not answer.reply.done
    assert "nothing can be recorded" in answer.reply.en


def test_a_start_that_finds_its_record_cut_withholds_the_deal_and_asks_for_the_points() -> None:
    evening = Evening(34)
    for number, _ in enumerate(evening.play_deal()):
        if number == 20:
            evening.tell(RecordCut("记录缺了结尾", "the end of the record is missing"))
    (outcome,) = evening.log.outcomes()
    assert (outcome.how, outcome.certain) == ("withheld", False)
    assert "记录缺了结尾" in outcome.reason
    assert alarms(evening)[-1].code == "JRN-01"


def test_a_record_cut_between_two_deals_is_asked_about_in_the_next_one_also_after_a_start() -> None:
    evening = Evening(35)
    evening.play(1)
    evening.finish()
    evening.tell(RecordCut("记录被改过", "a row is not as it was written"))
    again = Evening(35, past=past_of(evening.log.rows))
    again.true_match = evening.true_match
    again.play(1)
    again.open_hatch()
    assert again.log.doubts(2)[0].kind == "points"
    assert [row.how for row in again.log.outcomes()] == ["withheld"]


class Fed:
    """A loop that is fed what another evening was told, at the times of then."""

    def __init__(self, journal: Journal, boot: BootRow, publisher: Publisher | None = None) -> None:
        self.now = boot.at
        self.journal = journal
        self.publisher = publisher or Publisher(url="mqtt://127.0.0.1:1", prefix="mj/v1/home/t")
        settings = msgspec.json.decode(boot.settings, type=SessionSettings)
        past = journal.past()
        evening = Evening(0)
        session = Session(sets.load(boot.rules, boot.options or {}), evening.model, settings, past)
        self.loop = Loop(session, journal=journal, publisher=self.publisher, now=lambda: self.now)
        self._task = asyncio.create_task(self.loop.decide())

    async def tell(self, arrived: Input, at: float) -> None:
        inbox = self.loop._inbox  # noqa: SLF001 - the tasks that fill it need a board and a camera
        self.now = max(self.now, at)
        await inbox.put(arrived)
        # The loop has handled one when it takes another that nothing follows from.
        for _ in range(2):
            await inbox.put(Tick())
        await self.until(inbox.empty)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                if self._task.done():
                    self._task.result()
                await asyncio.sleep(0.001)

    async def until_recorded(self) -> None:
        while not self.loop.recorded:
            await self.tell(Tick(), self.now + 1.0)
        await self.tell(Tick(), self.now)
        await self.tell(Tick(), self.now)

    def shown(self, topic: str) -> dict[str, object]:
        retained = self.publisher._snapshots.get(topic, b"{}")  # noqa: SLF001 - nobody is connected
        found: dict[str, object] = msgspec.json.decode(retained)
        return found

    def sent(self, topic: str) -> int:
        return sum(event.topic == f"mj/v1/home/t/{topic}" for event in self.publisher._events)  # noqa: SLF001

    async def end(self) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        self.loop.close()
        self.journal.close()


def an_evening(deals: int) -> Evening:
    evening = Evening(41)
    evening.play(deals)
    evening.finish()
    return evening


async def play_over(
    evening: Evening, path: Path, *, trouble: Callable[[], object], mended: Callable[[], None]
) -> Fed:
    """Play on at a table whose disk fails after the tenth event and is mended when the deal is over."""
    rows = evening.log.rows
    boot = next(row for row in rows if isinstance(row, BootRow))
    begins = next(index for index, row in enumerate(rows) if isinstance(row, EventRow) and row.n == 10)
    ends = next(index for index, row in enumerate(rows) if isinstance(row, OutcomeRow))
    last = max(index for index, row in enumerate(rows) if index < ends and isinstance(row, InputRow))
    journal = Journal.open(path)
    fed = Fed(journal, boot)
    failed = False
    for index, row in enumerate(rows[: last + 1]):
        if isinstance(row, InputRow):
            await fed.tell(input_of(row), row.at)
        if index >= begins and not failed:
            failed = True
            trouble()
    assert not fed.loop.recorded
    assert (fed.shown("state/alarm")["active"], fed.shown("state/alarm")["code"]) == (True, "JRN-00")
    assert fed.sent("ledger/settlement") == 0
    assert fed.shown("state/settlement") == {}
    assert fed.shown("state/table")["phase"] == "playing"
    with JournalReader(path) as reader:
        assert reader.rows(OutcomeRow) == ()
    mended()
    return fed


async def caught_up(fed: Fed, evening: Evening, path: Path) -> OutcomeRow:
    """The hand's end as it is in the journal, where everything else stands too as it was played."""
    await fed.until_recorded()
    assert not fed.shown("state/alarm")["active"]
    assert fed.sent("ledger/settlement") == 1
    (truth, *_) = evening.truths
    assert fed.shown("state/settlement")["payments"] == list(truth.payments)
    await fed.end()
    with JournalReader(path) as reader:
        (outcome,) = reader.rows(OutcomeRow)
        assert [row.text for row in reader.rows(EventRow)] == public_texts(truth)
        assert "record" in {row.kind for row in reader.rows(DoubtRow)}
    assert is_faithful(path)
    return outcome


async def test_play_goes_on_over_a_full_disk_and_what_waited_is_written_in_order(tmp_path: Path) -> None:
    evening = an_evening(1)
    with full_soon(tmp_path / "small") as folder:
        path = folder / "journal.db"
        fed = await play_over(
            evening,
            path,
            trouble=lambda: fill(folder),
            mended=(folder / "filler").unlink,
        )
        outcome = await caught_up(fed, evening, path)
        assert outcome.payments == evening.truths[0].payments


async def test_play_goes_on_over_a_file_that_refuses_to_be_written(tmp_path: Path) -> None:
    evening = an_evening(1)
    with disk(tmp_path / "disk", tmp_path / "image") as folder:
        path = folder / "journal.db"
        wal = folder / "journal.db-wal"
        fed = await play_over(
            evening,
            path,
            trouble=lambda: refuse_to_write(wal, refuse=True),
            mended=lambda: refuse_to_write(wal, refuse=False),
        )
        outcome = await caught_up(fed, evening, path)
        assert outcome.payments == evening.truths[0].payments


async def test_a_disk_that_became_read_only_for_good_settles_nothing_and_the_next_start_goes_on(
    tmp_path: Path,
) -> None:
    evening = an_evening(1)
    image = tmp_path / "image"
    with disk(tmp_path / "disk", image) as folder:
        path = folder / "journal.db"
        fed = await play_over(evening, path, trouble=lambda: give_up(folder), mended=lambda: None)
        assert not fed.loop.recorded
        await fed.end()
        assert fed.sent("ledger/settlement") == 0
    with disk(tmp_path / "again", image) as folder:
        path = folder / "journal.db"
        with Journal.open(path) as journal:
            past = journal.past()
        assert past.deal is not None
        assert past.outcome is None
        assert list(past.events) == public_texts(evening.truths[0])[: len(past.events)]
        assert is_faithful(path)


async def test_a_settlement_that_was_decided_when_the_disk_failed_is_told_when_it_is_written(
    tmp_path: Path,
) -> None:
    evening = an_evening(1)
    rows = evening.log.rows
    boot = next(row for row in rows if isinstance(row, BootRow))
    ends = next(index for index, row in enumerate(rows) if isinstance(row, OutcomeRow))
    last = max(index for index, row in enumerate(rows) if index < ends and isinstance(row, InputRow))
    with disk(tmp_path / "disk", tmp_path / "image") as folder:
        path = folder / "journal.db"
        wal = folder / "journal.db-wal"
        fed = Fed(Journal.open(path), boot)
        for index, row in enumerate(rows[: last + 1]):
            if index == last:
                refuse_to_write(wal, refuse=True)
            if isinstance(row, InputRow):
                await fed.tell(input_of(row), row.at)
        assert fed.sent("ledger/settlement") == 0
        assert fed.shown("state/settlement") == {}
        assert fed.shown("state/table")["phase"] == "playing"
        assert fed.shown("state/alarm")["code"] == "JRN-00"
        refuse_to_write(wal, refuse=False)
        await fed.until_recorded()
        assert fed.sent("ledger/settlement") == 1
        assert fed.shown("state/settlement")["payments"] == list(evening.truths[0].payments)
        await fed.end()
        with JournalReader(path) as reader:
            assert len(reader.rows(OutcomeRow)) == len(reader.rows(DealRow)) == 1
        assert is_faithful(path)


def test_a_full_disk_at_the_start_is_said_in_one_line_and_nothing_is_touched(tmp_path: Path) -> None:
    with full_soon(tmp_path / "small", kib=512) as folder:
        path = unpacked(2, folder)
        filler = fill(folder)
        before = path.read_bytes()
        with pytest.raises(Exception, match=r"journal\.db") as told:
            Journal.open(path)
        assert "\n" not in str(told.value)
        assert path.read_bytes()[40:] == before[40:]
        filler.unlink()
        with JournalReader(path) as reader:
            assert reader.schema == 2
