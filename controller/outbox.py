"""Which messages of the outbox are to be sent now, and again, until their reader has recorded them. Pure.

A broker's acknowledgement says little: it loses what it holds when it dies. So a message counts as arrived
when the recorder has said so on `ledger/ack`, and is sent again until then: in the order of (boot, seq), ever
more seldom, few at a time. It is the same each time, byte for byte, so that its reader can tell doubles.
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from controller.journal_rows import OutboxRow

IN_FLIGHT: Final = 32
"""So many messages wait for the recorder at once; the others wait in the journal."""

FIRST_S: Final = 2.0
"""So long the recorder has before a message is sent again."""

LONGEST_S: Final = 60.0
"""The longest time that is added to it; in proportion where the recorder is given another time at first."""

Key: TypeAlias = tuple[int, int]
"""Boot and seq."""


class Outbox:
    """The messages in flight. Times are in seconds of a clock that never goes back.

    Whoever holds it adds what the journal has after `last` while there is `room`, sends what `due` gives, and
    tells what was `sent` and what the recorder has `recorded`. `share` is a random number from 0 to 1: a
    thousand tables must not send in step. A message that was just sent is not sent again within `first_s`.
    """

    def __init__(self, *, first_s: float = FIRST_S) -> None:
        self._first_s = first_s
        self._longest_s = LONGEST_S * first_s / FIRST_S
        self.last: Key = (0, 0)
        self._waiting: dict[Key, OutboxRow] = {}
        self._sent_at: dict[Key, float] = {}
        self._again_at: float | None = None
        self._rounds = 0

    @property
    def room(self) -> int:
        """How many more messages may be in flight."""
        return IN_FLIGHT - len(self._waiting)

    @property
    def oldest(self) -> OutboxRow | None:
        """The message that waits longest; None where none does."""
        return next(iter(self._waiting.values()), None)

    def add(self, rows: Iterable[OutboxRow]) -> None:
        """Take messages after `last`, in their order."""
        for row in rows:
            self.last = (row.boot, row.seq)
            self._waiting[self.last] = row

    def due(self, now: float, share: float) -> OutboxRow | None:
        """The next message to be sent; None: nothing before `again_at`, unless something is added."""
        if self._again_at is not None and now >= self._again_at:
            self._begin_round(now, share)
        return next((row for key, row in self._waiting.items() if key not in self._sent_at), None)

    def _begin_round(self, now: float, share: float) -> None:
        """All that was sent long enough ago is sent again."""
        self._sent_at = {key: at for key, at in self._sent_at.items() if now - at < self._first_s}
        self._rounds += 1
        self._again_at = now + self._pause(share)

    def sent(self, row: OutboxRow, now: float, share: float) -> None:
        """The broker has this message."""
        key = (row.boot, row.seq)
        if key in self._waiting:
            self._sent_at[key] = now
        if self._again_at is None:
            self._again_at = now + self._pause(share)

    def again_at(self) -> float | None:
        """When messages are due again; None: no message waits."""
        return self._again_at

    def connected(self) -> None:
        """There is a new connection: the broker may have lost what it was given over the last one."""
        self._sent_at.clear()
        self._rounds, self._again_at = 0, None

    def recorded(self, boot: int, seqs: Sequence[int]) -> tuple[Key, ...]:
        """These have arrived; gives those that were waiting, each once."""
        keys = tuple(dict.fromkeys((boot, seq) for seq in seqs if (boot, seq) in self._waiting))
        for key in keys:
            del self._waiting[key]
            self._sent_at.pop(key, None)
        if not self._waiting:
            # Not before: a recorder that is slow must not be sent the more.
            self._rounds, self._again_at = 0, None
        return keys

    def _pause(self, share: float) -> float:
        """Until the next round: full jitter over a time that doubles."""
        return self._first_s + share * min(self._longest_s, self._first_s * 2.0**self._rounds)
