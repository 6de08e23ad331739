"""Which reports of a boot were handed on, and which were missed while the link was down. Pure."""

from firmware_bridge.messages import Missed, Notice, Report


class Replay:
    """The host's cursor through the numbered reports of one boot of a board.

    ``begin`` at every Booted, ``take`` every notice, ``end`` when GetReports has ended. Each number is handed
    on once, however often the link goes in the middle of it all. ``history``: what a boot said before it was
    known counts as missed.
    """

    def __init__(self, *, history: bool = False) -> None:
        self._history = history
        self._boot_id: int | None = None
        self._next = 0
        self._before: int | None = None
        self._early: set[int] = set()

    def begin(self, boot_id: int, number: int) -> int | None:
        """A session has begun with Booted as report ``number``: the first number missed, None where none is.

        Nothing is missed of a boot that was not known before, unless its history is wanted.
        """
        if boot_id != self._boot_id or number < self._next:
            self._boot_id, self._next, self._before = boot_id, 1 if self._history else number + 1, None
            self._early.clear()
            if not self._history:
                return None
        self._before = number
        self._early.add(number)
        if number > self._next:
            return self._next
        self.end()
        return None

    def take(self, notice: Notice) -> Report | None:
        """What to hand on of ``notice``: its report, Missed where it was, None where it is known already."""
        number = notice.number
        if self._before is None:
            self._next = max(self._next, number + 1)
            return notice.report
        if number in self._early or number < self._next:
            return None
        if number < self._before:
            self._next = number + 1
            return Missed(number, notice.at_ms, notice.report)
        self._early.add(number)
        return notice.report

    def end(self) -> None:
        """All that the board still has was sent again, or it can't: what is missing now stays so."""
        self._before = None
        self._next = max(self._next, *(number + 1 for number in self._early), 0)
        self._early.clear()
