"""Worked cases of Cixi mahjong as data: single moments with their flags and no table around them.

A case file has ``examples`` (one win each) and ``events`` (questions of the rules around it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from rules.deal import dice_break
from rules.events import Meld, MeldKind
from rules.table import runs_with
from rules.tiles import SEATS, Seat, Tile, parse_tiles

from . import CARD_POINTS, FIRST_DEALER, TILES
from .options import CARD, PLATFORM, Options
from .payment import account, false_win_payments
from .price import refusal
from .ruling import dragon_of, next_dealer_after, reserve
from .win import Flag, How, Win

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rules.state import Balances

Case = dict[str, Any]

PROFILES: Final[Mapping[str, Options]] = {"card": CARD, "platform": PLATFORM}
RELATIVE: Final = ("dealer", "next", "opposite", "previous")
_KONGS: Final = {
    "jia": MeldKind.ADDED_KONG,
    "an": MeldKind.CONCEALED_KONG,
    "dian": MeldKind.KONG,
    "ming": MeldKind.KONG,
}


def judge(case: Case, options: Options | None = None) -> Case:
    """The computed fields of one example; an invalid win has only ``valid``, ``reason`` and ``payments``.

    Raises:
        KeyError, ValueError: the case lacks a field or holds a wrong one.
    """
    win, chosen = win_of(case), options or PROFILES[case["profile"]]
    reason = refusal(win, chosen)
    result: Case = {"id": case["id"], "valid": reason is None}
    if reason is not None:
        return {**result, "reason": reason, "payments": [0, 0, 0, 0]}
    found = account(win, chosen, _balances(case.get("balances")))
    return {
        **result,
        "jackpot": found.jackpot,
        "patterns": [line.zh for line in found.lines if line.article != "§1"],
        "dragon_tiles": found.dragons,
        "D": found.total,
        "unit": found.unit,
        "point_each": found.point_each,
        "payer": found.payer,
        "tongfu": found.all_pay,
        "payments": list(found.payments),
        "reason": None,
    }


def _balances(given: list[int] | None) -> Balances | None:
    if given is None:
        return None
    first, second, third, fourth = given
    return first, second, third, fourth


def win_of(case: Case) -> Win:
    """The win that an example describes."""
    flags, tile = case.get("flags", {}), case.get("winning_tile")
    honours = _tiles(flags.get("honour_discards", ()))
    known = {flag.value for flag in Flag}
    return Win(
        seat=Seat(case["winner"]),
        dealer=Seat(case["dealer"]),
        how=How(case["how"]),
        wild=dragon_of(Tile.parse(case["indicator"])),
        hand=_tiles([*case["concealed"], *([tile] if tile else [])]),
        melds=tuple(map(_meld, case["melds"])),
        tile=Tile.parse(tile) if tile else Tile.UNKNOWN,
        from_seat=None if case.get("discarder") is None else Seat(case["discarder"]),
        flags=frozenset(Flag(name) for name, value in flags.items() if name in known and value),
        kept=flags.get("shangtang", 0),
        honours=honours,
        honours_claimed=flags.get("claimed", False),
        own_claims=flags.get("own_chi_peng", 0),
        discards=len(honours),
    )


def _tiles(texts: list[str]) -> tuple[Tile, ...]:
    return parse_tiles(" ".join(texts))


def _meld(case: Case) -> Meld:
    kind = _KONGS[case["kind"]] if case["type"] == "gang" else MeldKind(case["type"])
    source = None if case.get("from") is None else Seat(case["from"])
    return Meld(kind, tuple(sorted(_tiles(case["tiles"]))), source)


def answer(event: Case) -> Case:
    """The computed fields of one entry of ``events``, under the names that the entry gives them.

    Raises:
        KeyError, ValueError: the entry is of no known kind, or lacks a field.
    """
    return {"kind": event["kind"], **_ANSWERS[event["kind"]](event)}


def _indicator(event: Case) -> Case:
    return {"wildcard": str(dragon_of(Tile.parse(event["indicator"])))}


def _wall_break(event: Case) -> Case:
    total = event["dice_sum"]
    low = max(1, total - 6)
    found = dice_break(Seat.S0, (low, total - low))
    owner = RELATIVE[Seat.S0.distance(found.owner)]
    return {
        "wall_owner_relative": owner,
        "skip_stacks_from_right": found.passed,
        "first_stack_taken": found.first,
    }


def _first_dealer(event: Case) -> Case:
    relative = RELATIVE[FIRST_DEALER[event["die"]]]
    return {"dealer_relative": "thrower" if relative == "dealer" else relative}


def _next_dealer(event: Case) -> Case:
    winner = None if event["winner"] is None else Seat(event["winner"])
    return {"next_dealer": int(next_dealer_after(PROFILES[event["profile"]], Seat(event["dealer"]), winner))}


def _drawn_hand(event: Case) -> Case:
    kept = reserve(PROFILES[event["profile"]], event["kongs"])
    return {"reserve_stacks": kept // 2, "reserve_tiles": kept, "payments": [0, 0, 0, 0]}


def _claim_limit(event: Case) -> Case:
    """Chi, peng and kong are offered up to the limit; a win always is."""
    options = PROFILES[event["profile"]]
    counted = {"chi", "peng"} | ({"gang"} if options.kong_counts_as_claim else set())
    claimed = sum(kind in counted for kind, _ in event["claims_from_A"])
    free = options.zhahu != "off" or claimed < 2
    taken = Tile.parse(event["A_discards"])
    hand = _tiles(event.get("hand_has", []))
    chi = any(all(tile in hand for tile in run if tile is not taken) for run in runs_with(taken))
    offers = {
        "offer_chi": free and chi,
        "offer_peng": free and hand.count(taken) >= 2,
        "offer_gang": free and hand.count(taken) >= 3,
        "offer_hu": True,
    }
    return {name: offers[name] for name in event if name in offers}


def _false_win(event: Case) -> Case:
    options = PROFILES[event["profile"]]
    balances = _balances(event["balances"])
    return {"payments": list(false_win_payments(options, Seat(event["offender"]), 1, balances))}


def _cannot_win(_event: Case) -> Case:
    return {"declaring_is": "炸胡"}


def _hu_priority(event: Case) -> Case:
    discarder = Seat(event["discarder"])
    first = min(event["candidates"], key=lambda each: (each["tier"], discarder.distance(Seat(each["seat"]))))
    return {"winner": first["seat"]}


def _points_stack(_event: Case) -> Case:
    cards = dict(CARD_POINTS)
    total = sum(cards.values())
    pips = [points for name, points in cards.items() if name.isdigit()]
    court = {name: cards[name] for name in ("A", "J", "Q", "K")}
    return {**court, "pips": pips, "total": total, "table": len(SEATS) * total}


def _tiles_left(_event: Case) -> Case:
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


_ANSWERS: Final[Mapping[str, Callable[[Case], Case]]] = {
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
