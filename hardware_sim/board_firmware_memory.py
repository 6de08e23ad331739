"""What a firmware remembers of one boot: answers by op_id, reports by number. Pure."""

from collections import deque
from typing import Final

from firmware_bridge.answers import Accepted, Answer, Failed, Rejected
from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    Booted,
    Config,
    Counters,
    DictionaryEntry,
    FaultRecord,
    LinkCounts,
    Notice,
    Report,
    ReportsLost,
    Status,
    TileCount,
)
from firmware_bridge.states import FailCause

KEPT_REPORTS: Final = 96
KEPT_ANSWERS: Final = 64
COUNTER_LIMIT: Final = 1 << 32

_NOT_KEPT: Final = (
    Booted,
    Status,
    TileCount,
    Counters,
    ReportsLost,
    FaultRecord,
    DictionaryEntry,
    Config,
    LinkCounts,
)


class Answers:
    """Each op_id of this boot is known for ever, the answers of the last ones too."""

    def __init__(self) -> None:
        self._answers: dict[int, list[Answer]] = {}
        self._forgotten: set[int] = set()

    def of(self, op_id: int) -> list[Answer] | None:
        """What was answered to ``op_id`` so far; None where it never came."""
        if op_id in self._forgotten:
            return [Accepted(op_id), Failed(op_id, FailCause.NO_ANSWER, FaultCode.NONE)]
        return self._answers.get(op_id)

    def add(self, answer: Answer) -> None:
        """Remember an answer; the oldest command that has ended is forgotten for it."""
        self._answers.setdefault(answer.op_id, []).append(answer)
        if len(self._answers) > KEPT_ANSWERS:
            oldest = next((op_id for op_id, said in self._answers.items() if _ended(said)), None)
            if oldest is not None:
                del self._answers[oldest]
                self._forgotten.add(oldest)


class Reports:
    """Numbers reports from 1 and keeps those that say what happened."""

    def __init__(self) -> None:
        self._last = 0
        self._first_kept = 1
        self._kept: deque[Notice] = deque()

    def number(self, report: Report, at_ms: int, *, keep: bool) -> Notice:
        """``report`` under the next number."""
        self._last = (self._last + 1) % COUNTER_LIMIT
        notice = Notice(self._last, at_ms, report)
        if keep and not isinstance(report, _NOT_KEPT):
            self._kept.append(notice)
            if len(self._kept) > KEPT_REPORTS:
                self._first_kept = self._kept.popleft().number + 1
        return notice

    def since(self, first: int) -> tuple[ReportsLost | None, list[Notice]]:
        """The kept reports from number ``first`` on, and before them what says that some are gone."""
        kept = [notice for notice in self._kept if notice.number >= first]
        lost = ReportsLost(self._kept[0].number) if first < self._first_kept else None
        return lost, kept


def _ended(said: list[Answer]) -> bool:
    return isinstance(said[-1], Rejected) or len(said) > 1
