"""Between the journal and the publisher: what waits in the outbox is read, and what has arrived is written.

Nothing is held here that is not in the journal: after a start all that nobody has acknowledged is sent again.
"""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec

from controller.journal import JournalError, JournalReader
from controller.journal_rows import AckRow, OutboxRow
from controller.mqtt import Heard, Publisher
from controller.outbox import FIRST_S, Outbox
from controller.public_ledger import ACK_TOPIC, LedgerAck
from controller.seldom import Seldom

log = logging.getLogger(__name__)

UNREADABLE_S: Final = 5.0
"""How long after a journal that could not be read it is looked at again."""

Write = Callable[[tuple[AckRow, ...]], Awaitable[None]]


class Post:
    """The outbox of the journal at `path`; `now` is seconds since 1970 and never goes back.

    `first_s`: see `Outbox`.
    """

    def __init__(self, path: Path, *, now: Callable[[], float], first_s: float = FIRST_S) -> None:
        self._path = path
        self._write: Write | None = None
        self._now = now
        self._outbox = Outbox(first_s=first_s)
        self._unread = True
        self._unreadable_until = 0.0
        self._seldom = Seldom()

    def listen(self, publisher: Publisher, write: Write) -> None:
        """Hear acknowledgements, and have `write` write them; call before the publisher runs."""
        self._write = write
        topic = publisher.topic(ACK_TOPIC)
        publisher.hear(topic, self.take, loss=f"it lets nobody acknowledge anything on {topic}")

    def news(self) -> None:
        """Something was written into the outbox."""
        self._unread = True

    async def next(self) -> OutboxRow | None:
        """The message that is to be sent now."""
        if self._unread and self._outbox.room and self._now() >= self._unreadable_until:
            await self._read()
        return self._outbox.due(self._now(), _share())

    async def _read(self) -> None:
        wanted = self._outbox.room
        self._unread = False
        try:
            rows = await asyncio.to_thread(_rows, self._path, self._outbox.last, wanted)
        except JournalError as error:
            log.warning("outbox: %s", error)
            self._unread, self._unreadable_until = True, self._now() + UNREADABLE_S
            return
        self._outbox.add(rows)
        self._unread = self._unread or len(rows) == wanted

    def sent(self, row: OutboxRow) -> None:
        """The broker has it."""
        self._outbox.sent(row, self._now(), _share())

    def connected(self) -> None:
        """There is a new connection."""
        self._outbox.connected()

    def pause_s(self) -> float | None:
        """Seconds until there may be something to send; None: not before something is written or arrives."""
        times = [self._outbox.again_at()]
        if self._unread and self._outbox.room:
            times.append(self._unreadable_until)
        known = [time for time in times if time is not None]
        return max(0.0, min(known) - self._now()) if known else None

    async def take(self, heard: Heard) -> None:
        """The recorder has recorded messages; what is no acknowledgement is told seldom, and passed over."""
        if heard.retained:
            self._passed_over("a retained acknowledgement on ledger/ack is passed over")
            return
        try:
            # Fields that nobody knows are skipped without looking whether they are text.
            ack = msgspec.json.decode(heard.payload.decode(), type=LedgerAck)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            self._passed_over("no acknowledgement on ledger/ack", f": {str(error)[:200]!r}")
            return
        keys = self._outbox.recorded(ack.boot, ack.seqs)
        if keys and self._write is not None:
            await self._write(tuple(AckRow(boot=boot, seq=seq, at=self._now()) for boot, seq in keys))

    def _passed_over(self, kind: str, more: str = "") -> None:
        if self._seldom.lets(kind, self._now()):
            log.warning("MQTT: %s%s; others like it are not told for an hour", kind, more)


def _rows(path: Path, after: tuple[int, int], most: int) -> tuple[OutboxRow, ...]:
    with JournalReader(path) as reader:
        return reader.unacknowledged(after, most)


def _share() -> float:
    return random.random()  # noqa: S311 - spreads tables, hides nothing
