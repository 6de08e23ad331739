"""Doubts: what the controller is not certain of, in words for the people at the table. Pure.

A doubt never changes a settlement: while one is open nothing is settled, and a hand that ends with one is
withheld. It ends by itself when a later look explains everything, or when a person answers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rules.events import (
    Barred,
    Claimed,
    Discarded,
    Entered,
    Event,
    FalseWin,
    IndicatorTurned,
    KongDeclared,
    WallExhausted,
    Won,
)
from rules.tiles import Seat, Tile, format_tiles


class DoubtKind(StrEnum):
    """What is not certain."""

    UNEXPLAINED = "unexplained"
    AMBIGUOUS = "ambiguous"
    UNSURE = "unsure"
    COPIES = "copies"
    VANISHED = "vanished"
    DISPLACED = "displaced"
    SHOWN = "shown"
    WINNING_TILE = "winning_tile"
    UNSETTLED = "unsettled"
    LIFT = "lift"
    POINTS = "points"
    FALSE_WIN = "false_win"
    BARRED = "barred"
    DICE = "dice"
    DICE_DIFFER = "dice_differ"
    DEALER = "dealer"
    RECORD = "record"
    RECORD_CUT = "record_cut"
    UNDONE = "undone"


class Resolver(StrEnum):
    """What may resolve a doubt."""

    LOOK = "look"
    """The camera sees the table again, perhaps after a tile was put right."""
    KEY = "key"
    """A key of the machine."""
    PERSON = "person"
    """A person chooses."""


_LOOK: Final = (Resolver.LOOK, Resolver.PERSON)
_PERSON: Final = (Resolver.PERSON,)

RESOLVERS: Final[Mapping[DoubtKind, tuple[Resolver, ...]]] = {
    DoubtKind.UNEXPLAINED: _LOOK,
    DoubtKind.AMBIGUOUS: _LOOK,
    DoubtKind.UNSURE: _LOOK,
    DoubtKind.COPIES: _LOOK,
    DoubtKind.VANISHED: _LOOK,
    DoubtKind.DISPLACED: _LOOK,
    DoubtKind.SHOWN: _LOOK,
    DoubtKind.WINNING_TILE: _LOOK,
    DoubtKind.UNSETTLED: _PERSON,
    DoubtKind.LIFT: (Resolver.LOOK, Resolver.KEY, Resolver.PERSON),
    DoubtKind.POINTS: _PERSON,
    DoubtKind.FALSE_WIN: _PERSON,
    DoubtKind.BARRED: _PERSON,
    DoubtKind.DICE: _LOOK,
    DoubtKind.DICE_DIFFER: _PERSON,
    DoubtKind.DEALER: _LOOK,
    DoubtKind.RECORD: _PERSON,
    DoubtKind.RECORD_CUT: _PERSON,
    DoubtKind.UNDONE: _LOOK,
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One possible answer: its words, and what follows when a person takes it.

    Either `events` happened (instead of all that was told after the first `kept` events of the deal, where
    that is given), or `answer` is the rule set's key for the open question, or (neither) the deal is given
    up. `likelihood` (0..1) is how likely it is as far as the table tells, None where it does not; of one
    doubt they sum to 1 or less.
    """

    text: str
    events: tuple[Event, ...] = ()
    answer: str | None = None
    kept: int | None = None
    likelihood: float | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """A doubt before it has a number: what is wrong, what may be chosen, and what would resolve it."""

    kind: DoubtKind
    zh: str
    en: str
    candidates: tuple[Candidate, ...] = ()
    question: str = ""

    @property
    def resolved_by(self) -> tuple[Resolver, ...]:
        """What would resolve it, the quickest first."""
        return RESOLVERS[self.kind]


@dataclass(frozen=True, slots=True)
class Statement:
    """What one person has said to a doubt, with its words then; for a proposed ruling, who proposes it."""

    author: str
    choice: Candidate
    question: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """An open doubt: its number over the journal's life, when it was raised (seconds), and the problem.

    `said` is what one person has said and nobody has confirmed yet; the question is put for the `asked`th
    time, because as often as that less one two people have differed. `pictures` are the names of the pictures
    that were kept of that moment.
    """

    id: int
    at: float
    problem: Problem
    said: Statement | None = None
    asked: int = 1
    pictures: tuple[str, ...] = ()


_TEXTS: Final[Mapping[DoubtKind, tuple[str, str]]] = {
    DoubtKind.UNEXPLAINED: (
        "桌面的变化不合规则，请核对：{zh}",
        "what changed on the table fits no play, please check: {en}",
    ),
    DoubtKind.AMBIGUOUS: ("有几种可能，请选择：{zh}", "several plays are possible, please choose: {en}"),
    DoubtKind.UNSURE: ("有牌看不清，请摆正：{zh}", "a tile cannot be read, please lay it straight: {en}"),
    DoubtKind.COPIES: ("同一种牌多于四张，请核对：{zh}", "more than four of a kind, please check: {en}"),
    DoubtKind.VANISHED: ("有牌不见了，请放回：{zh}", "a tile is missing, please put it back: {en}"),
    DoubtKind.DISPLACED: ("有牌放错地方，请摆好：{zh}", "a tile lies out of place, please move it: {en}"),
    DoubtKind.SHOWN: ("亮出的牌不能和，请核对：{zh}", "the tiles shown do not win, please check: {en}"),
    DoubtKind.WINNING_TILE: (
        "和的是哪张牌？请选择：{zh}",
        "which tile was won with? Please choose: {en}",
    ),
    DoubtKind.UNSETTLED: ("无法结算：{zh}", "cannot settle: {en}"),
    DoubtKind.LIFT: (
        "这一局还没打完就按了升降键。放弃这一局吗？",
        "the lift key was pressed before the hand was over. Abandon the hand?",
    ),
    DoubtKind.POINTS: (
        "前面有一局没有结算。这一局照下面的算吗？{zh}",
        "an earlier hand was not settled. Settle this one by these? {en}",
    ),
    DoubtKind.FALSE_WIN: ("炸胡，请确认罚分：{zh}", "a false win, please confirm the fine: {en}"),
    DoubtKind.BARRED: ("本局不得和牌，请确认：{zh}", "may not win this hand, please confirm: {en}"),
    DoubtKind.UNDONE: (
        "桌面与刚才撤回或更正的不一样。是这样吗？{zh}",
        "the table says otherwise than what was taken back or put right. Is it so? {en}",
    ),
    DoubtKind.DICE: (
        "骰子掷出了几点？请选择（可以先打牌）",
        "what do the dice show? Please choose (play may go on)",
    ),
    DoubtKind.DICE_DIFFER: (
        "骰子点数不一致：{zh}。请看骰子再选择（可以先打牌）",
        "the dice are read differently: {en}. Please look at them and choose (play may go on)",
    ),
    DoubtKind.DEALER: (
        "头一局谁坐庄？请掷一颗骰子定庄，再选择（可以先打牌）",
        "who deals first? Roll one die, then choose (play may go on)",
    ),
    DoubtKind.RECORD: (
        "现在写不了记录，先不结算。请先别开下一局：能写了会自动结算",
        "nothing can be recorded now. Do not deal the next hand: this one is settled as soon as it can be",
    ),
    DoubtKind.RECORD_CUT: ("记录有缺损，这一局不结算：{zh}", "the record is damaged, no settlement: {en}"),
}

SEAT_NAMES: Final = ("一号位", "二号位", "三号位", "四号位")


def problem(
    kind: DoubtKind,
    *,
    zh: str = "",
    en: str = "",
    candidates: tuple[Candidate, ...] = (),
    question: str = "",
) -> Problem:
    """A problem in the words of its kind with the particulars filled in."""
    text_zh, text_en = _TEXTS[kind]
    return Problem(kind, text_zh.format(zh=zh), text_en.format(en=en), candidates, question)


def events_candidate(events: tuple[Event, ...]) -> Candidate:
    """The candidate "this is what happened"."""
    told = [words for words in map(event_in_words, events) if words]
    return Candidate("，".join(told), events)


def revised_candidate(log: Sequence[Event], kept: int, events: tuple[Event, ...]) -> Candidate:
    """The candidate "not that happened, but this": what differs of what was told after `kept` events."""
    told = log[kept:]
    wrong = [words for event in told if event not in events and (words := event_in_words(event))]
    right = [words for event in events if event not in told and (words := event_in_words(event))]
    not_zh = f"没有：{'，'.join(wrong)}；" if wrong else ""
    return Candidate(f"更正 (correct): {not_zh}{'，'.join(right)}", events, kept=kept)


AS_TOLD: Final = Candidate("就照原来说的 (as it was told)", answer="as told")
"""The choice that what people have said stands, whatever the table says."""


def undone_problem(choice: Candidate, *others: Candidate) -> Problem:
    """What the table says again after a person has taken it back or put it right; he has the last word."""
    return problem(DoubtKind.UNDONE, zh=choice.text, en=choice.text, candidates=(choice, *others))


def dice_problem() -> Problem:
    """The question what the dice show, where neither the board nor a camera tells. It holds up nothing."""
    return problem(DoubtKind.DICE, candidates=_rolls(), question="dice")


def dice_differ_problem(board: tuple[int, int], camera: tuple[int, int]) -> Problem:
    """The same question where board and camera say different things: theirs are the first choices."""
    one, other = (f"{first} {second}" for first, second in (sorted(board), sorted(camera)))
    return problem(
        DoubtKind.DICE_DIFFER,
        zh=f"控制板报{one}，摄像头看到{other}",
        en=f"the board says {one}, the camera sees {other}",
        candidates=tuple(sorted(_rolls(), key=lambda roll: roll.answer not in {one, other})),
        question="dice",
    )


def _rolls() -> tuple[Candidate, ...]:
    pairs = ((first, second) for first in range(1, 7) for second in range(first, 7))
    return tuple(Candidate(f"{first} {second}", answer=f"{first} {second}") for first, second in pairs)


def dealer_problem() -> Problem:
    """The question who deals first, where no die of the machine has told. It holds up nothing."""
    candidates = tuple(
        Candidate(f"{SEAT_NAMES[seat]}坐庄 (seat {seat + 1} deals)", answer=str(int(seat))) for seat in Seat
    )
    return problem(DoubtKind.DEALER, candidates=candidates, question="dealer")


def event_in_words(event: Event) -> str:  # noqa: PLR0911 - one return a kind of event
    """One event in Chinese and English; empty for draws, which are never told."""
    match event:
        case Discarded(seat, tile):
            return f"{_seat(seat)}打{tile.zh} (discards {tile})"
        case Claimed(seat, kind, tiles, taken, from_seat):
            word = {"chi": "吃", "peng": "碰"}.get(kind, "杠")
            return f"{_seat(seat)}{word}{_seat(from_seat)}的{taken.zh} ({kind} {format_tiles(tiles)})"
        case KongDeclared(seat, kind, tile):
            return f"{_seat(seat)}杠{tile.zh} ({kind.replace('_', ' ')} {tile})"
        case Won(seat, _, tile, from_seat):
            if from_seat is None:
                return f"{_seat(seat)}自摸 (wins by self-draw)"
            return f"{_seat(seat)}和{_seat(from_seat)}的{tile.zh} (wins on {tile})"
        case WallExhausted() | Entered(seat=None):
            return "荒庄 (drawn hand)"
        case IndicatorTurned(tile):
            return f"翻牌{tile.zh} (indicator {tile})"
        case FalseWin(seat, _):
            return f"{_seat(seat)}炸胡 (false win)"
        case Barred(seat, reason):
            return f"{_seat(seat)}本局不得和牌：{reason} (may not win this hand)"
    return ""


def seat_in_words(seat: Seat) -> tuple[str, str]:
    """A seat in Chinese and English."""
    return SEAT_NAMES[seat], f"seat {int(seat) + 1}"


def tile_at(seat: Seat | int | None, place_zh: str, place_en: str, tile: Tile | None) -> tuple[str, str]:
    """Where a tile lies, in Chinese and English."""
    name_zh = "" if seat is None else SEAT_NAMES[seat]
    name_en = "" if seat is None else f"seat {int(seat) + 1} "
    tile_zh = "" if tile is None else tile.zh
    tile_en = "" if tile is None else f" {tile}"
    return f"{name_zh}{place_zh}{tile_zh}", f"{name_en}{place_en}{tile_en}"


def _seat(seat: Seat) -> str:
    return SEAT_NAMES[seat]
