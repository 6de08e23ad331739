"""Nothing of the ledger is lost or doubled, whoever dies between the table's journal and the recorder's."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random

import pytest
from evening import Evening
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from recorder import Recorder
from test_journal import DEAL
from test_retention import DAY
from test_unrecorded import Fed

from controller.broker import Broker, own_broker
from controller.journal import Journal, JournalReader
from controller.journal_deals import DealRow
from controller.journal_replay import input_of
from controller.journal_rows import AckRow, BootRow, DecisionRow, InputRow, OutboxRow
from controller.mqtt import Publisher
from controller.mqtt_connection import connected, parse_broker_url
from controller.outbox import FIRST_S, IN_FLIGHT, LONGEST_S, Outbox
from controller.outbox_post import Post

PREFIX = "mj/v1/home/t"
PROGRAM = Path(__file__).with_name("ledger_table.py")
HANDS = 40


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


def message(seq: int, boot: int = 1) -> OutboxRow:
    return OutboxRow(boot=boot, seq=seq, at=0.0, topic="ledger/settlement", payload="{}")


def sent(outbox: Outbox, now: float, share: float = 0.0) -> list[int]:
    """Everything that is due, given to a broker that takes it."""
    numbers = []
    while (row := outbox.due(now, share)) is not None:
        outbox.sent(row, now, share)
        numbers.append(row.seq)
    return numbers


@given(st.integers(0, 2**32))
def test_whatever_is_lost_on_the_way_all_is_recorded_and_few_are_in_flight(seed: int) -> None:
    luck = Random(seed)  # noqa: S311 - which messages are lost
    stored = [message(seq, boot) for boot in (1, 2) for seq in range(1, 41)]
    outbox, recorded, acknowledged, now = Outbox(), set[tuple[int, int]](), list[tuple[int, int]](), 0.0
    for step in range(200):
        fair = step > 60
        outbox.add([row for row in stored if (row.boot, row.seq) > outbox.last][: outbox.room])
        assert outbox.room >= 0
        before = (0, 0)
        while (row := outbox.due(now, luck.random())) is not None:
            assert (row.boot, row.seq) > before
            before = (row.boot, row.seq)
            outbox.sent(row, now, luck.random())
            if fair or luck.random() < 0.5:
                recorded.add(before)
                if fair or luck.random() < 0.5:
                    acknowledged += outbox.recorded(row.boot, [row.seq, row.seq])
        if not fair and luck.random() < 0.1:
            outbox.connected()
        now += 2 * LONGEST_S if fair else luck.uniform(0.01, LONGEST_S)
    assert recorded == {(row.boot, row.seq) for row in stored}
    assert sorted(acknowledged) == sorted(recorded)
    assert outbox.again_at() is None


@pytest.mark.parametrize("first_s", [FIRST_S, 0.125])
def test_what_nobody_acknowledges_is_sent_again_in_order_and_ever_more_seldom(first_s: float) -> None:
    outbox = Outbox(first_s=first_s)
    outbox.add([message(seq) for seq in range(1, IN_FLIGHT + 1)])
    assert sent(outbox, 0.0, 1.0) == list(range(1, IN_FLIGHT + 1))
    assert outbox.room == 0
    outbox.recorded(1, [1, 3])
    now, pauses = 0.0, []
    for _ in range(9):
        again = outbox.again_at()
        assert again is not None
        assert sent(outbox, again - first_s / 200, 1.0) == []
        assert sent(outbox, again, 1.0) == [2, *range(4, IN_FLIGHT + 1)]
        pauses.append(again - now)
        now = again
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (2 * first_s, first_s * (1 + LONGEST_S / FIRST_S))


def test_what_was_just_sent_is_not_sent_again_with_the_rest_and_a_new_connection_sends_all() -> None:
    outbox = Outbox()
    outbox.add([message(1)])
    assert sent(outbox, 0.0) == [1]
    outbox.add([message(2)])
    assert sent(outbox, FIRST_S - 0.1) == [2]
    assert sent(outbox, FIRST_S) == [1]
    outbox.connected()
    assert sent(outbox, FIRST_S) == [1, 2]


def test_an_acknowledgement_of_another_boot_or_of_nothing_sent_changes_nothing() -> None:
    outbox = Outbox()
    outbox.add([message(1), message(2)])
    assert outbox.recorded(2, [1, 2]) == ()
    assert outbox.recorded(1, [3, 2, 2]) == ((1, 2),)
    assert outbox.recorded(1, [2]) == ()
    assert sent(outbox, 0.0) == [1]


@pytest.mark.timeout(300)
async def test_kill_9_of_table_and_broker_loses_no_settlement_and_doubles_none(
    broker: Broker, tmp_path: Path
) -> None:
    """Acceptance cases 1 and 7: killed between receiving and committing, acknowledgements lost."""
    journal = tmp_path / "journal.db"
    recorder = Recorder(tmp_path / "recorder.db", broker.url, loses=lambda number: number % 3 == 0)
    async with recorder.at_work():
        table = _table(journal, broker.url)
        await _until(lambda: len(recorder.order) >= HANDS // 3)
        os.kill(broker.pid, signal.SIGKILL)
        table.kill()
        table.wait()
        table = _table(journal, broker.url)
        assert await asyncio.to_thread(table.wait, 90) == 0
        told = recorder.recorded()
    assert [each["hand_no"] for each in told] == list(range(1, HANDS + 1))
    assert recorder.heard > HANDS
    assert recorder.clashes == []
    with JournalReader(journal) as reader:
        assert reader.unacknowledged((0, 0), 10) == ()
        assert len(reader.rows(AckRow)) == HANDS


async def test_case_11_a_recorder_that_shares_and_has_died_for_good_keeps_no_settlement_to_itself(
    broker: Broker, tmp_path: Path
) -> None:
    stored = [(1, seq) for seq in range(1, 13)]
    payloads = [f'{{"boot": {boot}, "seq": {seq}}}' for boot, seq in stored]
    async with connected(parse_broker_url(broker.url), name="dead") as dead:
        await dead.subscribe("$share/rec/mj/v1/+/+/ledger/settlement")
    # Its session lives on: the broker gives it half of everything.
    recorder = Recorder(tmp_path / "recorder.db", broker.url, group="rec")
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write(
            [
                replace(message(seq, boot), payload=payload)
                for (boot, seq), payload in zip(stored, payloads, strict=True)
            ]
        )
        post = Post(path, now=time.monotonic, first_s=0.01)
        publisher = Publisher(url=broker.url, prefix=PREFIX, ledger=post)

        async def arrived(rows: tuple[AckRow, ...]) -> None:
            journal.write(rows)

        post.listen(publisher, arrived)
        async with recorder.at_work():
            running = asyncio.create_task(publisher.run())
            await _until(lambda: journal_has(path, acknowledged=len(stored)))
            publisher.stop()
            await running
            assert [(told["boot"], told["seq"]) for told in recorder.recorded()] == stored
    assert publisher.published > len(stored) * 4 // 3
    assert recorder.clashes == []


def journal_has(path: Path, *, acknowledged: int) -> bool:
    with JournalReader(path) as reader:
        return len(reader.rows(AckRow)) == acknowledged


def _table(journal: Path, url: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, PROGRAM, journal, url, str(HANDS)])


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - another program's database rings no bell
            await asyncio.sleep(0.02)


async def test_a_played_settlement_is_recorded_and_its_acknowledgement_is_in_the_journal(
    broker: Broker, tmp_path: Path
) -> None:
    evening = Evening(41)
    evening.play(1)
    evening.finish()
    boot = next(row for row in evening.log.rows if isinstance(row, BootRow))
    path = tmp_path / "journal.db"
    post = Post(path, now=lambda: 0.0)
    publisher = Publisher(url=broker.url, prefix=PREFIX, ledger=post)
    fed = Fed(Journal.open(path), boot, publisher)
    post.listen(publisher, fed.loop.arrived)
    recorder = Recorder(tmp_path / "recorder.db", broker.url)
    running = asyncio.create_task(publisher.run())
    async with recorder.at_work():
        for row in evening.log.rows:
            if isinstance(row, InputRow):
                await fed.tell(input_of(row), row.at)
        await _until(lambda: fed.loop._keeper.has_notes)  # noqa: SLF001 - the last row that nothing follows
        publisher.stop()
        await running
        (told,) = recorder.recorded()
    await fed.end()
    assert tuple(told["payments"]) == evening.truths[0].payments
    with JournalReader(path) as reader:
        (row,) = reader.rows(OutboxRow)
        assert row.payload.encode() == recorder_payload(tmp_path)
        assert [(ack.boot, ack.seq) for ack in reader.rows(AckRow)] == [(row.boot, row.seq)]
        chain = reader.verified()
        assert chain is not None
        assert chain.breaks == ()


def recorder_payload(folder: Path) -> bytes:
    database = sqlite3.connect(folder / "recorder.db")
    (payload,) = database.execute("SELECT payload FROM ledger").fetchone()
    database.close()
    assert isinstance(payload, bytes)
    return payload


async def test_a_thousand_waiting_settlements_are_read_few_at_a_time_and_acknowledged_ones_never_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        journal.write([message(seq) for seq in range(1, 1001)])
        journal.write([AckRow(boot=1, seq=seq, at=1.0) for seq in range(1, 1001, 2)])
        post = Post(path, now=lambda: 0.0)
        seen = []
        while (row := await post.next()) is not None:
            post.sent(row)
            seen.append(row.seq)
        assert seen == list(range(2, 2 * IN_FLIGHT + 1, 2))


@pytest.mark.parametrize(("keep", "left"), [(True, [1, 4, 5, 6]), (False, [4, 5, 6])])
def test_what_waits_for_its_recorder_outlives_the_rest_where_there_is_one(
    keep: bool,  # noqa: FBT001
    left: list[int],
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        for day in range(1, 7):
            at = day * DAY
            journal.write((replace(DEAL, deal=day, at=at, match_no=day),))
            journal.write((DecisionRow(boot=1, at=at, kind="stage", body='"open"'), message(day)))
            if day in {2, 3}:
                journal.write((AckRow(boot=1, seq=day, at=at),))
        while journal.prune(4.5 * DAY, now=7 * DAY, keep_unsent=keep):
            pass
    with JournalReader(path) as reader:
        assert [row.deal for row in reader.rows(DealRow)] == [3, 4, 5, 6]
        assert list(reader.unacknowledged((0, 0), 99)) == [message(day) for day in left]


async def test_without_a_recorder_a_settlement_is_published_once_and_nothing_piles_up(broker: Broker) -> None:
    publisher = Publisher(url=broker.url, prefix=PREFIX)
    running = asyncio.create_task(publisher.run())
    publisher.send_ledger("ledger/settlement", b"{}")
    await _until(lambda: publisher.published == 2)
    publisher.stop()
    await running
    assert not publisher._events  # noqa: SLF001 - what nobody takes
