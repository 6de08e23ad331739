"""Questions about Cixi mahjong as data: the indicator, the break, dealers, claims, penalties, points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rules.cases import balances_of
from rules.deal import dice_break
from rules.table import runs_with
from rules.tiles import SEATS, Seat, Tile, parse_tiles

from .payment import false_win_payments
from .ruling import dragon_of, next_dealer_after, reserve
from .setup import CARD_POINTS, FIRST_DEALER, TILES

if TYPE_CHECKING:
    from collections.abc import Callable

    from .options import Options

Entry = dict[str, Any]
"""Fields of an answer."""
Question = Mapping[str, Any]

RELATIVE: Final = ("dealer", "next", "opposite", "previous")
EQUAL_PAY: Final = frozenset({"无龙清七对", "无龙七风", "清一色", "有龙清一色", "独吊", "单吊", "独吊/单吊"})
"""Hands of rank 2 in every profile (R9)."""


def answer(options: Options, question: Question) -> Entry:
    """The computed fields of one question, under the names that it uses.

    Raises:
        ValueError: the question is of no known kind, or lacks a field or holds a wrong one.
    """
    kind = str(question.get("kind"))
    if kind not in _ANSWERS:
        raise ValueError(f"kind: {kind!r}, expected one of {', '.join(_ANSWERS)}")
    try:
        return {"kind": kind, **_ANSWERS[kind](options, question)}
    except KeyError as missing:
        raise ValueError(f"{missing.args[0]}: missing") from None
    except (TypeError, AttributeError, IndexError):
        raise ValueError(f"{kind}: a field holds something of the wrong kind") from None


def _whole(question: Question, name: str, *, least: int, most: int) -> int:
    value = question[name]
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{name}: {value!r}, expected a whole number {least} to {most}")
    return value


def _seat(question: Question, name: str) -> Seat:
    return Seat(_whole(question, name, least=0, most=3))


def _indicator(_options: Options, question: Question) -> Entry:
    turned = Tile.parse(question["indicator"])
    if turned not in TILES:
        raise ValueError(f"indicator: {turned} can't be the indicator")
    return {"wildcard": str(dragon_of(turned))}


def _wall_break(_options: Options, question: Question) -> Entry:
    total = _whole(question, "dice_sum", least=2, most=12)
    low = max(1, total - 6)
    found = dice_break(Seat.S0, (low, total - low))
    return {
        "wall_owner_relative": RELATIVE[Seat.S0.distance(found.owner)],
        "skip_stacks_from_right": found.passed,
        "first_stack_taken": found.first,
    }


def _first_dealer(_options: Options, question: Question) -> Entry:
    relative = RELATIVE[FIRST_DEALER[_whole(question, "die", least=1, most=6)]]
    return {"dealer_relative": "thrower" if relative == "dealer" else relative}


def _next_dealer(options: Options, question: Question) -> Entry:
    winner = None if question.get("winner") is None else _seat(question, "winner")
    return {"next_dealer": int(next_dealer_after(options, _seat(question, "dealer"), winner))}


def _drawn_hand(options: Options, question: Question) -> Entry:
    kept = reserve(options, _whole(question, "kongs", least=0, most=16))
    return {"reserve_stacks": kept // 2, "reserve_tiles": kept, "payments": [0, 0, 0, 0]}


def _claim_limit(options: Options, question: Question) -> Entry:
    """Chi, peng and kong are offered up to the limit; a win always is.

    A table that can't refuse the third claim marks who makes it, but no table offers it (§4).
    """
    counted = {"chi", "peng"} | ({"gang", "kong"} if options.kong_counts_as_claim else set())
    claimed = sum(claim[0] in counted for claim in question["claims_from_A"])
    free = claimed < 2
    taken = Tile.parse(question["A_discards"])
    hand = parse_tiles(" ".join(question.get("hand_has", ())))
    chi = any(all(tile in hand for tile in run if tile is not taken) for run in runs_with(taken))
    kong = free and hand.count(taken) >= 3
    offers = {
        "offer_chi": free and chi,
        "offer_peng": free and hand.count(taken) >= 2,
        "offer_gang": kong,
        "offer_kong": kong,
        "offer_hu": str(taken) in _as_list(question.get("hand_waits_for", str(taken))),
    }
    return {name: offers[name] for name in question if name in offers} or offers


def _as_list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _false_win(options: Options, question: Question) -> Entry:
    """A table that refuses wrong moves books nothing; the number of dragons may be given."""
    if options.zhahu == "off":
        return {"payments": [0, 0, 0, 0]}
    named = next((name for name in ("dragon_tiles", "dragons") if name in question), None)
    dragons = 1 if named is None else _whole(question, named, least=0, most=4)
    offender = _seat(question, "offender")
    return {
        "payments": list(
            false_win_payments(options, offender, dragons, balances_of(question.get("balances")))
        )
    }


def _cannot_win(options: Options, _question: Question) -> Entry:
    return {"declaring_is": None if options.zhahu == "off" else "炸胡"}


def _rank(options: Options, hand: str) -> int:
    """The rank of a hand by its name, where a question gives no rank (R9)."""
    if hand == "全风向" or (hand.startswith("无龙清一色") and options.pure_suit_jackpot):
        return 1
    in_list = hand in EQUAL_PAY or hand.startswith("无龙清一色") or (hand == "地胡" and options.dihu)
    return 2 if in_list else 3


def _hu_priority(options: Options, question: Question) -> Entry:
    """The best rank wins, the nearest seat after the discarder among equals."""
    discarder = _seat(question, "discarder")

    def place(candidate: Question) -> tuple[int, int]:
        tier = candidate.get("tier", _rank(options, candidate.get("hand", "")))
        return tier, discarder.distance(_seat(candidate, "seat"))

    candidates = question["candidates"]
    if not candidates:
        raise ValueError("candidates: none, expected those who can win on the tile")
    return {"winner": min(candidates, key=place)["seat"]}


def _points_stack(_options: Options, _question: Question) -> Entry:
    cards = dict(CARD_POINTS)
    total = sum(cards.values())
    pips = [points for name, points in cards.items() if name.isdigit()]
    court = {name: cards[name] for name in ("A", "J", "Q", "K")}
    return {**court, "pips": pips, "total": total, "table": len(SEATS) * total}


def _tiles_left(_options: Options, _question: Question) -> Entry:
    total, dealt = len(TILES), 13 * len(SEATS) + 1
    left = total - dealt
    # Three others draw first; the dealer, who has discarded already, is the last of each round.
    others = (left + 1) // len(SEATS)
    return {
        "total": total,
        "dealt": dealt,
        "left": left,
        "per_seat": {"dealer": left - 3 * others, "others": others},
        "drawable": left - 1,
    }


_ANSWERS: Final[Mapping[str, Callable[[Options, Question], Entry]]] = {
    "indicator": _indicator,
    "wall_break": _wall_break,
    "first_dealer": _first_dealer,
    "next_dealer": _next_dealer,
    "drawn_hand": _drawn_hand,
    "claim_limit": _claim_limit,
    "false_win": _false_win,
    "cannot_win": _cannot_win,
    "hu_priority": _hu_priority,
    "points_stack": _points_stack,
    "tiles_left_after_deal": _tiles_left,
}
