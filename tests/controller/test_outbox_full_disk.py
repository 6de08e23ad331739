"""A full disk neither loses nor doubles a message of the ledger, whatever is acknowledged meanwhile."""

import asyncio
import contextlib
import itertools
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
from mqtt_clients import until
from recorder import Recorder
from small_disks import fill, full_soon
from test_unrecorded import Fed, an_evening

from controller.app_loop import Loop
from controller.broker import own_broker
from controller.journal import Journal, JournalReader
from controller.journal_deals import EventRow, FineRow, OutcomeRow
from controller.journal_keeper import MOST_HELD, Keeper
from controller.journal_replay import input_of
from controller.journal_rows import AckRow, BootRow, InputRow, OutboxRow
from controller.mqtt import Publisher
from controller.outbox_post import Post, Write
from controller.public import DiscardEvent, Fine
from controller.session_effects import Publish

PREFIX = "mj/v1/home/t"
EARLIER = [
    OutboxRow(
        boot=0,
        seq=seq,
        at=0.0,
        topic="ledger/fine",
        payload=f'{{"boot": 0, "seq": {seq}, "payments": [1, -1, 0, 0]}}',
    )
    for seq in (1, 2)
]
"""Of a start before this one, when nobody recorded anything."""
NOT_YET = [(0, 1), (0, 2)]


@contextlib.asynccontextmanager
async def publishing(url: str, path: Path) -> AsyncIterator[tuple[Publisher, list[Write]]]:
    """Publish what the journal's outbox holds; who writes acknowledgements is told later."""
    post, writes = Post(path, now=time.monotonic, first_s=0.05), list[Write]()
    publisher = Publisher(url=url, prefix=PREFIX, ledger=post)

    async def write(rows: tuple[AckRow, ...]) -> None:
        await writes[-1](rows)

    post.listen(publisher, write)
    running = asyncio.create_task(publisher.run())
    try:
        yield publisher, writes
    finally:
        publisher.stop()
        await running


def in_memory(loop: Loop) -> list[tuple[int, int]]:
    """What was acknowledged and waits for the disk."""
    keeper = loop._keeper  # noqa: SLF001
    batches = [*keeper._waiting, tuple(keeper._noted)]  # noqa: SLF001
    return [(row.boot, row.seq) for batch in batches for row in batch if isinstance(row, AckRow)]


def waiting(path: Path) -> list[tuple[int, int]]:
    with JournalReader(path) as reader:
        return [(row.boot, row.seq) for row in reader.unacknowledged((0, 0), 99)]


async def test_a_full_disk_loses_and_doubles_no_message_and_a_kill_in_it_neither(tmp_path: Path) -> None:
    evening, deaf = an_evening(1), [True]
    rows = evening.log.rows
    boot = next(row for row in rows if isinstance(row, BootRow))
    full_at = next(place for place, row in enumerate(rows) if isinstance(row, EventRow) and row.n == 10)
    ends = next(place for place, row in enumerate(rows) if isinstance(row, OutcomeRow))
    with full_soon(tmp_path / "small") as folder:
        path = folder / "journal.db"
        journal = Journal.open(path)
        journal.write(EARLIER)
        async with contextlib.AsyncExitStack() as stack:
            broker = await stack.enter_async_context(own_broker())
            recorder = Recorder(tmp_path / "recorder.db", broker.url, loses=lambda _: deaf[0])
            await stack.enter_async_context(recorder.at_work())
            publisher, writes = await stack.enter_async_context(publishing(broker.url, path))
            fed = Fed(journal, boot, publisher)
            writes.append(fed.loop.arrived)
            for place, row in enumerate(rows[:ends]):
                if isinstance(row, InputRow):
                    await fed.tell(input_of(row), row.at)
                if place == full_at:
                    await until(lambda: recorder.order == NOT_YET)
                    fill(folder)
                    deaf[0] = False
                    await until(lambda: sorted(in_memory(fed.loop)) == NOT_YET)
            assert not fed.loop.recorded
            assert (waiting(path), recorder.order) == (NOT_YET, NOT_YET)
            shutil.copytree(folder, tmp_path / "killed", ignore=shutil.ignore_patterns("filler"))
            (folder / "filler").unlink()
            await fed.until_recorded()
            await until(lambda: len(recorder.order) == 3 and recorder.order[2] in in_memory(fed.loop))
            publisher.stop()
            (_, _, settlement) = recorder.recorded()
            assert settlement["payments"] == list(evening.truths[0].payments)
            await fed.end()
            with JournalReader(path) as reader:
                assert sorted((ack.boot, ack.seq) for ack in reader.rows(AckRow)) == recorder.order
            await stack.enter_async_context(after_a_kill(broker.url, tmp_path / "killed" / path.name))
            assert len(recorder.recorded()) == 3
            assert recorder.heard > 5
            assert recorder.clashes == []


@contextlib.asynccontextmanager
async def after_a_kill(url: str, path: Path) -> AsyncIterator[None]:
    """What was acknowledged in memory only is sent again, and acknowledged again."""
    with Journal.open(path) as journal:
        assert waiting(path) == NOT_YET
        async with publishing(url, path) as (_, writes):

            async def write(rows: tuple[AckRow, ...]) -> None:
                journal.write(rows)

            writes.append(write)
            await until(lambda: not waiting(path))
        yield


async def test_what_is_held_back_while_a_disk_is_full_for_hours_loses_no_message_of_the_ledger(
    tmp_path: Path,
) -> None:
    paid, now_has = (3, -1, -1, -1), (103, 99, 99, 99)
    row = FineRow(deal=1, n=1, boot=1, at=0.0, seat=0, payments=paid, balances=now_has, author="seat 2")
    fine = Fine(hand_no=1, match_no=1, seat=0, payments=paid, balances=now_has, author="seat 2")
    told = Publish("ledger/fine", fine, retain=False)
    with full_soon(tmp_path / "small") as folder, Journal.open(folder / "journal.db") as journal:
        now = itertools.count()
        keeper = Keeper(journal, now=lambda: float(next(now)))
        filler = fill(folder)
        while keeper.recorded:
            await keeper.write((row,))
            row = msgspec.structs.replace(row, n=row.n + 1)
        assert keeper.holds(told)
        for _ in range(2 * MOST_HELD):
            assert keeper.holds(Publish("event/discard", DiscardEvent(seat=0, tile="1m"), retain=False))
        filler.unlink()
        _, held = await keeper.catch_up()
        assert held[0] == told
        assert len(held) == MOST_HELD
        keeper.close()
