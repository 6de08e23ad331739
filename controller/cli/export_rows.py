"""What `longzhuo export` writes of each deal: its record, and the lines of its account."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import msgspec

from controller.agreed import in_force
from controller.journal_deals import DealRow, DoubtRow, EventRow, FineRow, OutcomeRow, RevisionRow
from controller.journal_decisions import PlayersNamed
from controller.journal_revisions import told
from controller.journal_rows import AdjustmentRow, BootRow, DecisionRow, SetupRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from controller.agreed import Agreed
    from controller.journal import JournalReader

Cell = str | int | None

COLUMNS: Final = (
    *("时间 time", "局 deal", "场 match", "第几局 hand", "类别 entry", "状态 status", "版次 edition"),
    *("更正 supersedes", "赢家 winner", "赢家姓名 winner's name", "放铳 from", "放铳姓名 from's name"),
    *("和牌 tile", "手牌 hand", "翻牌 indicator", "龙 dragon"),
    *(f"{seat}号位姓名 name {seat}" for seat in range(1, 5)),
    *(f"{seat}号位输赢 change {seat}" for seat in range(1, 5)),
    *(f"{seat}号位余分 points {seat}" for seat in range(1, 5)),
    *(f"{seat}号位更正差 difference {seat}" for seat in range(1, 5)),
    *("规则 rules", "登记 author", "原因 reason"),
)
"""Seats are numbered from 1, as players count."""

_NONE4: Final[tuple[Cell, ...]] = (None,) * 4


class _Seated(msgspec.Struct, frozen=True):
    """Of a start's settings only who sat where."""

    players: tuple[str, str, str, str] = ("", "", "", "")


@dataclass(frozen=True, slots=True)
class Told:
    """Everything written of one deal; with the first what was adjusted before it."""

    row: DealRow
    boot: BootRow | None
    rules: Agreed | None
    named: PlayersNamed | None
    events: Sequence[str]
    outcomes: Sequence[OutcomeRow]
    fines: Sequence[FineRow]
    adjustments: Sequence[AdjustmentRow]
    doubts: Sequence[DoubtRow] = field(default=())

    @property
    def players(self) -> tuple[str, str, str, str]:
        """Who sat on seats 0..3."""
        if self.named is not None:
            return self.named.players
        settings = "{}" if self.boot is None else self.boot.settings
        return msgspec.json.decode(settings, type=_Seated).players


def gathered(reader: JournalReader, day: datetime | None) -> list[Told]:
    """The deals of a day, or all, in order."""
    boots = {row.boot: row for row in reader.rows(BootRow)}
    chosen = [row for row in reader.rows(DealRow) if day is None or _on(row.at, day)]
    numbers = {row.deal for row in chosen}
    events: dict[int, list[EventRow]] = defaultdict(list)
    for event in reader.each(EventRow):
        if event.deal in numbers:
            events[event.deal].append(event)
    revisions: dict[int, list[RevisionRow]] = defaultdict(list)
    for revision in reader.each(RevisionRow):
        revisions[revision.deal].append(revision)
    setups = reader.rows(SetupRow)
    names = [row for row in reader.each(DecisionRow) if row.kind == "players"]
    outcomes, fines = list(reader.rows(OutcomeRow)), list(reader.rows(FineRow))
    adjustments, doubts = list(reader.rows(AdjustmentRow)), list(reader.rows(DoubtRow))
    return [
        Told(
            row,
            boots.get(row.boot),
            in_force(boots, setups, row.boot, row.at),
            _named(row, boots.get(row.boot), names),
            told(events[row.deal], revisions[row.deal]),
            sorted((each for each in outcomes if each.deal == row.deal), key=lambda each: each.edition),
            [each for each in fines if each.deal == row.deal],
            [each for each in adjustments if each.deal == row.deal],
            [each for each in doubts if each.deal == row.deal],
        )
        for row in chosen
    ]


def _named(deal: DealRow, boot: BootRow | None, names: Sequence[DecisionRow]) -> PlayersNamed | None:
    """What a person has said last before a deal of who sits where, unless the settings changed since."""
    said = [msgspec.json.decode(row.body, type=PlayersNamed) for row in names if row.at <= deal.at]
    if not said or boot is None:
        return None
    by_settings = msgspec.json.decode(boot.settings, type=_Seated).players
    return said[-1] if said[-1].instead_of == by_settings else None


def _on(at: float, day: datetime) -> bool:
    return day <= datetime.fromtimestamp(at).astimezone() < day + timedelta(days=1)


def _time(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def deal_text(deal: Told) -> str:
    """A deal as a record (rules/record.py), with what else is known of it in lines that begin with #."""
    row, rules = deal.row, deal.rules
    lines = [
        f"# deal {row.deal}: match {row.match_no}, hand {row.hand_no}, {_time(row.at)}",
        f"# balances {' '.join(map(str, row.balances))}",
    ]
    if rules is not None:
        changed = " ".join(f"{name}={value}" for name, value in sorted((rules.options or {}).items()))
        lines.append(f"# rules {rules.rules} {changed}".rstrip())
    lines += deal.events
    lines += [f"# doubt {doubt.doubt}: {doubt.zh} {doubt.en}" for doubt in deal.doubts]
    lines += [
        f"# fine seat {fine.seat}: {_signed(fine.payments)}, confirmed by {fine.author}"
        for fine in deal.fines
    ]
    for outcome in deal.outcomes:
        held = "" if outcome is deal.outcomes[-1] else ", superseded"
        why = f" ({outcome.reason})" if outcome.reason else ""
        lines.append(
            f"# {outcome.how}{why}: {_signed(outcome.payments)} -> "
            f"{' '.join(map(str, outcome.balances))}{held}"
        )
    if not deal.outcomes:
        lines.append("# still being played")
    clean = (" ".join(line.splitlines()) for line in lines)
    return "".join(f"{line}\n" for line in clean) + "\n"


def _signed(payments: Sequence[int]) -> str:
    return " ".join(f"{change:+d}" for change in payments)


def account_lines(deal: Told) -> Iterator[tuple[Cell, ...]]:
    """The lines of a deal's account: fines, outcomes with those that were superseded, adjustments."""
    for fine in deal.fines:
        yield _line(deal, fine.at, "fine", fine.payments, fine.balances, winner=fine.seat, author=fine.author)
    for outcome in deal.outcomes:
        yield _outcome_line(deal, outcome, holds=outcome is deal.outcomes[-1])
    for moved in deal.adjustments:
        yield _line(
            deal,
            moved.at,
            "adjustment",
            moved.payments,
            moved.balances,
            author=moved.author,
            reason=moved.reason,
        )


def _outcome_line(deal: Told, outcome: OutcomeRow, *, holds: bool) -> tuple[Cell, ...]:
    return _line(
        deal,
        outcome.at,
        outcome.how,
        outcome.payments,
        outcome.balances,
        status="holds" if holds else "superseded",
        edition=(outcome.edition, outcome.supersedes),
        winner=outcome.winner,
        from_seat=outcome.from_seat,
        tiles=(outcome.tile, " ".join(outcome.hand), outcome.indicator, outcome.wild),
        difference=outcome.difference or _NONE4,
        author=outcome.author,
        reason=outcome.reason,
    )


def _line(  # noqa: PLR0913 - one a column
    deal: Told,
    at: float,
    entry: str,
    payments: Sequence[int],
    balances: Sequence[int],
    *,
    status: str = "holds",
    edition: tuple[Cell, Cell] = (None, None),
    winner: int | None = None,
    from_seat: int | None = None,
    tiles: tuple[Cell, ...] = _NONE4,
    difference: Sequence[Cell] = _NONE4,
    author: str = "",
    reason: str = "",
) -> tuple[Cell, ...]:
    row, names = deal.row, deal.players
    return (
        *(_time(at), row.deal, row.match_no, row.hand_no, entry, status, *edition),
        *(None if winner is None else winner + 1, None if winner is None else names[winner]),
        *(None if from_seat is None else from_seat + 1, None if from_seat is None else names[from_seat]),
        *tiles,
        *names,
        *payments,
        *balances,
        *difference,
        *("" if deal.rules is None else deal.rules.rules, author, reason),
    )
