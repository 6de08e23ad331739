"""Answers to people's orders: what was done and what changed, or why not; none is carried out twice. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from controller.doubts import Doubt
from controller.journal_deals import DoubtEndRow, DoubtRow, EventRow, FineRow, OutcomeRow, RevisionRow
from controller.journal_rows import AnswerRow, Row, SetupRow
from controller.public_sheets import Tried

REMEMBERED_S: Final = 600.0
"""How long an order that comes again under the same id is answered again and not carried out."""


class Refused(Exception):
    """An order that the rules or the state do not allow; nothing has changed. One line in each language."""

    def __init__(self, zh: str, en: str) -> None:
        """Keep the reason."""
        super().__init__(en)
        self.zh = zh
        self.en = en


def no_deal() -> Refused:
    """An order about a running deal where there is none."""
    return Refused("现在没有正在打的局", "no hand is being played")


def no_such_doubt(number: int) -> Refused:
    """An answer to what nobody asks."""
    return Refused(f"没有待答的第{number}号疑问", f"there is no open doubt {number}")


def nothing_to_choose(doubt: Doubt) -> Refused:
    """An answer to a doubt that waits for something else."""
    return Refused(
        f"第{doubt.id}号疑问没有可选的答案：{doubt.problem.zh}",
        f"doubt {doubt.id} offers nothing to choose: {doubt.problem.en}",
    )


def another_choice(words: str) -> Refused:
    """The choices have changed since a person read them; `words` are the present ones."""
    return Refused(f"选项已变，请再看再选：{words}", f"the choices have changed, choose anew: {words}")


def unsaid(offered: Sequence[str]) -> Refused:
    """A choice by its number alone: what stood there when it was read may be another one now."""
    told = "；".join(f"choice={number} words={words!r}" for number, words in enumerate(offered))
    return Refused(f"请连同选项的文字一起回答：{told}", f"say the words of the choice too: {told}")


def no_such_choice(choice: int | None, number: int) -> Refused:
    """A choice that is not offered."""
    said = "没有" if choice is None else str(choice)
    return Refused(
        f"选项：{said}，应为0到{number - 1}",
        f"choice: {'none' if choice is None else choice}, expected 0 to {number - 1}",
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What has become of an order: one line in Chinese and English, and what changed, line by line.

    `tried`: what would change, where the order was only tried.
    """

    done: bool
    zh: str
    en: str
    changed: tuple[str, ...] = ()
    tried: Tried | None = None


@dataclass(slots=True)
class Replies:
    """What was answered in the last ten minutes, by the order's id."""

    given: dict[str, tuple[float, Reply]] = field(default_factory=dict)

    @classmethod
    def after(cls, rows: Iterable[AnswerRow]) -> "Replies":
        """Those of a journal's last answers."""
        return cls({row.id: (row.at, Reply(row.done, row.zh, row.en, row.changed)) for row in rows})

    def known(self, name: str, now: float) -> Reply | None:
        """The answer that was given to an id, None where it is new."""
        for old in [old for old, (at, _) in self.given.items() if at < now - REMEMBERED_S]:
            del self.given[old]
        found = self.given.get(name)
        return None if found is None else found[1]

    def keep(self, name: str, reply: Reply, now: float) -> None:
        """Remember an answer."""
        self.given[name] = (now, reply)


def changes(rows: Sequence[Row]) -> tuple[str, ...]:
    """What an order has changed, one line a row that people care for."""
    return tuple(line for line in map(_change, rows) if line)


def _change(row: Row) -> str:
    line = ""
    match row:
        case EventRow():
            line = f"deal {row.deal}: {row.text}"
        case DoubtRow():
            line = f"doubt {row.doubt} raised: {row.en}"
        case DoubtEndRow():
            line = f"doubt {row.doubt} {row.how}"
        case OutcomeRow():
            line = f"deal {row.deal} {row.how}: {in_points(row.payments)}"
        case RevisionRow():
            line = f"deal {row.deal}: {len(row.events)} events stand"
        case SetupRow():
            line = f"match {row.match_no}: {row.rules}"
        case FineRow():
            line = f"deal {row.deal} fine: {in_points(row.payments)}"
    return line


def in_points(payments: Sequence[int]) -> str:
    """Payments of seats 0..3 as people write them."""
    return " ".join(f"{change:+d}" for change in payments)
