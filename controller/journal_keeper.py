"""Writes what happens, in order, whatever the disk does: what can't be written waits.

What came in and led to nothing is only noted, and written with the next that is decided, or soon.

While rows wait, play goes on and is announced as not recorded. Nothing is settled meanwhile (the session sees
to that); what had been decided in the very moment the disk failed is told to nobody before it is written.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from controller.journal import Journal, JournalError
from controller.journal_deals import FineRow, OutcomeRow, RevisionRow
from controller.journal_rows import AdjustmentRow, MatchRow, Row
from controller.public import LEDGER_TOPICS
from controller.session_effects import Answer, Publish
from controller.session_inputs import NotRecorded, Recorded, RecordState

log = logging.getLogger(__name__)

AGAIN_S: Final = 1.0
"""How often writing is tried again."""

AT_ONCE: Final = 500
"""How many batches that waited are written before play is looked at again."""

MOST_WAITING: Final = 200_000
"""How many batches may wait: some hours of play."""

MOST_HELD: Final = 1000
"""How many messages are held back."""

MOST_NOTED: Final = 200
"""So many rows are noted at most before they are written."""

MONEY: Final = (OutcomeRow, FineRow, RevisionRow, AdjustmentRow, MatchRow)
ALWAYS_TOLD: Final = frozenset({"state/alarm", "event/alarm", "state/doubt"})
"""Topics that hold no points."""

Batch = tuple[Row, ...]
Told = Publish | Answer


class Keeper:
    """The journal's writer for the loop."""

    def __init__(self, journal: Journal, *, now: Callable[[], float]) -> None:
        """`now` is in seconds and never goes back."""
        self._journal = journal
        self._now = now
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._waiting: deque[Batch] = deque()
        self._noted: list[Row] = []
        self._held: dict[str | int, Told] = {}
        self._count = 0
        self._again_at = 0.0
        self._announced = False
        self._trouble: JournalError | None = None

    @property
    def recorded(self) -> bool:
        """Whether everything up to now is written."""
        return not self._waiting

    @property
    def has_notes(self) -> bool:
        """Whether there is anything noted that is still to be written."""
        return bool(self._noted)

    async def note(self, rows: Batch) -> None:
        """Rows on which nothing stands: they may be written together with those that come next."""
        self._noted += rows
        if len(self._noted) >= MOST_NOTED:
            await self.write()

    async def write(self, rows: Batch = ()) -> None:
        """Write what is noted and these rows, or let them wait behind those that wait already.

        Raises:
            JournalError: more wait than can be kept.
        """
        rows = (*self._noted, *rows)
        self._noted.clear()
        if not rows:
            return
        if self._waiting:
            self._waiting.append(rows)
            if len(self._waiting) > MOST_WAITING:
                raise self._trouble or JournalError("the journal can't be written")
            return
        try:
            await self._in_thread(lambda: self._journal.write(rows))
        except JournalError as error:
            self._waiting.append(rows)
            self._failed(error)

    async def forget(self, before: float, *, now: float, keep_unsent: bool = False) -> bool:
        """Delete a portion of what is older (see `Journal.prune`); whether there may be more."""
        if self._waiting:
            return False
        more = False

        def prune() -> None:
            nonlocal more
            more = self._journal.prune(before, now=now, keep_unsent=keep_unsent)

        try:
            await self._in_thread(prune)
        except JournalError as error:
            log.warning("journal: old records stay: %s", error)
        return more

    def holds(self, told: Told) -> bool:
        """Keep back what stands on rows that are not written yet: points, orders that were carried out."""
        if not self._waiting:
            return False
        if isinstance(told, Answer):
            held = told.reply.done
        else:
            money = any(isinstance(row, MONEY) for rows in self._waiting for row in rows)
            held = money and told.topic not in ALWAYS_TOLD
        if held:
            self._hold(told)
        return held

    def _hold(self, told: Told) -> None:
        """Of a retained topic only the newest is worth telling, of the rest the newest so many.

        What the ledger says is kept whole: there is little of it, for nothing is settled meanwhile.
        """
        self._count += 1
        key = told.topic if isinstance(told, Publish) and told.retain else self._count
        self._held.pop(key, None)
        self._held[key] = told
        if len(self._held) > MOST_HELD:
            spare = (key for key, held in self._held.items() if not _is_of_the_ledger(held))
            self._held.pop(next(spare, 0), None)

    async def catch_up(self) -> tuple[RecordState | None, list[Told]]:
        """Try again to write what waits; what is to be told the session, and what was held back up to now."""
        if self._waiting and self._now() >= self._again_at:
            await self._in_thread(self._write_waiting)
        if self._waiting and not self._announced and self._trouble is not None:
            self._announced = True
            return NotRecorded(self._trouble.zh, self._trouble.en), []
        if self._waiting or self._trouble is None:
            return None, []
        # What was mended before anybody could be told that something is wrong is none to be told of either.
        told = Recorded() if self._announced else None
        self._announced, self._trouble = False, None
        log.warning("journal: recorded again, all that waited is written")
        held, self._held = list(self._held.values()), {}
        return told, held

    def _write_waiting(self) -> None:
        try:
            if self._trouble is not None and self._journal.reopen():
                self._waiting.popleft()
            for _ in range(AT_ONCE):
                if not self._waiting:
                    break
                self._journal.write(self._waiting[0])
                self._waiting.popleft()
        except JournalError as error:
            self._failed(error)

    def _failed(self, error: JournalError) -> None:
        if self._trouble is None or str(self._trouble) != str(error):
            log.error("journal: play goes on and is NOT RECORDED: %s", error)
        self._trouble = error
        self._again_at = self._now() + AGAIN_S

    async def _in_thread(self, work: Callable[[], None]) -> None:
        """Have the journal's thread do it. A stop does not end it between two states of mind."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()

        def tell(error: BaseException | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        def run() -> None:
            error = None
            try:
                work()
            except BaseException as raised:  # noqa: BLE001 - it is raised again where it was asked for
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop has ended before
                loop.call_soon_threadsafe(tell, error)

        self._thread.submit(run)
        await done

    def close(self) -> None:
        """Wait for the last row; what can't be written even now is lost, and the log says so."""
        if self._noted:
            self._waiting.append(tuple(self._noted))
            self._noted.clear()
        if self._waiting:
            self._thread.submit(self._write_waiting).result()
        if self._waiting:
            log.error("journal: %d batches could not be written and are lost", len(self._waiting))
        self._thread.shutdown(wait=True)


def _is_of_the_ledger(told: Told) -> bool:
    return isinstance(told, Publish) and told.topic in LEDGER_TOPICS
