"""What the journal says of chance at a table: dice, indicator, seats, first discards, proofs. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from controller.chance import ALPHA, Result, compared, independent
from controller.journal_deals import EventRow, OutcomeRow
from controller.journal_decisions import DealerNamed, DiceKnown
from controller.journal_inputs import input_from
from controller.journal_rows import DecisionRow, InputRow
from controller.machine_dice import mismatch
from controller.machine_state import VirtualRoll
from firmware_bridge.messages import DiceCommitted, DiceRevealed, DiceRolled, Missed
from rules.events import Discarded, IndicatorTurned
from rules.record import parse_event
from rules.ruleset import RuleSet

FACES: Final[Mapping[int, float]] = dict.fromkeys(range(1, 7), 1 / 6)
SUMS: Final[Mapping[int, float]] = {total: (6 - abs(total - 7)) / len(FACES) ** 2 for total in range(2, 13)}
SEATS: Final[Mapping[int, float]] = dict.fromkeys(range(4), 1 / 4)
OF_VIRTUAL_DICE: Final = frozenset(
    kind.__name__ for kind in (DiceCommitted, DiceRevealed, DiceRolled, Missed)
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One test with its name; `note`: what its result does not say. Chinese and English."""

    key: str
    zh: str
    en: str
    result: Result
    note: tuple[str, str] = ("", "")

    @property
    def verdict(self) -> str:
        """What it comes to: "too_few", "biased" or "no_sign"; never that all is fair."""
        if not self.result.enough:
            return "too_few"
        return "biased" if self.result.biased else "no_sign"


@dataclass(frozen=True, slots=True)
class Proofs:
    """Virtual rolls: proved by their seed, not matching it, never proved; deals played on unproved ones."""

    proved: int = 0
    wrong: tuple[tuple[float, str, str], ...] = ()
    open: int = 0
    unproved_deals: tuple[int, ...] = ()


@dataclass(slots=True)
class Seen:
    """What is gathered from a journal's rows, in their order."""

    rules: RuleSet
    dice: list[tuple[int, int]] = field(default_factory=list)
    single: list[int] = field(default_factory=list)
    said_by_people: int = 0
    indicators: list[int] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    first_discards: dict[tuple[int, int], int] = field(default_factory=dict)

    def decided(self, rows: Iterable[DecisionRow]) -> None:
        """Dice: what was said last of each deal, and the dice that named first dealers."""
        known: dict[int, DiceKnown] = {}
        for row in rows:
            if row.kind == "dice":
                told = msgspec.json.decode(row.body, type=DiceKnown)
                known[told.deal] = told
            elif row.kind == "dealer":
                self.single.append(msgspec.json.decode(row.body, type=DealerNamed).die)
        for told in known.values():
            if told.values is None:
                continue
            if told.by in {"board", "virtual", "camera"}:
                self.dice.append(told.values)
            else:
                self.said_by_people += 1

    def happened(self, rows: Iterable[EventRow]) -> None:
        """Indicators and the first discard of every seat."""
        for row in rows:
            if not row.text.startswith(("indicator", "discard")):
                continue
            event = parse_event(row.text)
            match event:
                case IndicatorTurned(tile) if tile in self.rules.copies:
                    self.indicators.append(int(tile))
                case Discarded(seat, tile):
                    self.first_discards.setdefault((row.deal, int(seat)), int(tile))

    def ended(self, rows: Iterable[OutcomeRow]) -> None:
        """Winners; of a deal that was corrected the last one."""
        last = {row.deal: row for row in rows}
        self.winners += [row.winner for row in last.values() if row.how == "won" and row.winner is not None]

    def findings(self) -> tuple[Finding, ...]:
        """Every test over what was gathered."""
        return tuple(self._findings())

    def _findings(self) -> Iterator[Finding]:
        faces = [face for pair in self.dice for face in pair] + self.single
        yield Finding("dice_faces", "骰子点数", "faces of the dice", compared(faces, FACES))
        sums = [first + second for first, second in self.dice]
        yield Finding("dice_sums", "两骰之和", "sums of two dice", compared(sums, SUMS))
        copies = {int(tile): number / len(self.rules.tiles) for tile, number in self.rules.copies.items()}
        yield Finding("indicator", "翻牌的种类", "kinds of the indicator", compared(self.indicators, copies))
        again = [int(one == other) for one, other in zip(self.indicators, self.indicators[1:], strict=False)]
        same = sum(chance**2 for chance in copies.values())
        repeated = compared(again, {1: same, 0: 1 - same})
        yield Finding("indicator_again", "翻牌与上一局相同", "the indicator of the last deal again", repeated)
        yield Finding(
            "winners",
            "各座位和牌",
            "wins by seat",
            compared(self.winners, SEATS),
            ("座位好坏和人的水平分不开", "a seat's luck and its player's skill can't be told apart"),
        )
        yield Finding(
            "first_discards",
            "各座位的第一张打牌",
            "first discards by seat",
            independent(self._by_seat()),
            ("打法不同也会不同", "ways of playing differ, too"),
        )

    def _by_seat(self) -> tuple[tuple[int, ...], ...]:
        """First discards of the seats (rows) by kind: ends of suits, middles, honours and others."""
        counts = Counter((seat, _class(tile)) for (_, seat), tile in self.first_discards.items())
        return tuple(tuple(counts[seat, kind] for kind in range(3)) for seat in range(4))


def _class(tile: int) -> int:
    suits, ranks = 3, 9
    if tile >= suits * ranks:
        return 2
    return int(tile % ranks not in {0, ranks - 1})


def proofs(inputs: Iterable[InputRow], decisions: Sequence[DecisionRow]) -> Proofs:
    """Check every virtual roll again: commitment, values, seed.

    Raises:
        UnreadableInput: a report does not fit its kind.
    """
    roll: VirtualRoll | None = None
    proved, opened = 0, 0
    wrong: list[tuple[float, str, str]] = []
    by_time: dict[float, tuple[int, ...]] = {}
    for row in inputs:
        if row.kind not in OF_VIRTUAL_DICE:
            continue
        arrived = input_from(row.kind, row.body)
        match arrived.report if isinstance(arrived, Missed) else arrived:
            case DiceCommitted(number, digest):
                opened += roll is not None and roll.values is not None
                roll = VirtualRoll(number, digest)
            case DiceRolled(values) if roll is not None:
                roll = replace(roll, values=values)
            case DiceRevealed() as told if roll is not None and roll.values is not None:
                found = mismatch(roll, told, len(roll.values))
                if found is None:
                    proved += 1
                    by_time[row.at] = roll.values
                else:
                    wrong.append((row.at, *found))
                roll = None
    return Proofs(proved, tuple(wrong), opened, _unproved(decisions, by_time))


def _unproved(decisions: Sequence[DecisionRow], proved: Mapping[float, tuple[int, ...]]) -> tuple[int, ...]:
    """Deals that began with virtual dice other than those proved at that moment."""
    told = [
        (row.at, msgspec.json.decode(row.body, type=DiceKnown)) for row in decisions if row.kind == "dice"
    ]
    return tuple(known.deal for at, known in told if known.by == "virtual" and proved.get(at) != known.values)


def in_words(finding: Finding) -> tuple[str, str]:
    """What a finding says, in Chinese and English."""
    result = finding.result
    if finding.verdict == "too_few":
        return (
            f"样本{result.observations}个，至少要{result.needed}个才能说话",
            f"too few to say anything: {result.observations} of at least {result.needed}",
        )
    if finding.verdict == "biased":
        since = "" if result.after is None else f"（第{result.after}个起就看得出）"
        since_en = "" if result.after is None else f" (it showed from observation {result.after} on)"
        odds = max(2, round(1 / max(result.p, 1e-12)))
        return (
            f"明显不均匀：只凭运气，{odds:,}次里才有一次这样{since}",
            f"NOT as chance makes it: by chance alone once in {odds:,}{since_en}",
        )
    share = f"{result.detectable:.0%}"
    return (
        f"没有发现不均；平均比应有的多或少{share}以上的，十回里能发现九回",
        f"no sign of a bias; classes {share} more or less often than due are found nine times in ten",
    )


def false_alarms(findings: Sequence[Finding]) -> float:
    """How often at least one of so many tests finds something where there is nothing, at most."""
    looks = sum(2 if finding.result.stake is not None else 1 for finding in findings)
    return min(1.0, looks * ALPHA)
