"""Case files: worked wins (`examples`) and questions (`events`) as JSON, each for one rule set.

An example has the fields ``id profile dealer indicator winner concealed melds winning_tile how discarder
flags``, and may have ``wildcard balances options``; others are passed over. Seats are 0..3, tiles are texts
such as ``5p``. A set is ``{"type": "peng", "tiles": […], "from": 1}``; a kong's ``kind`` is ``an``
(concealed), ``jia`` (added) or ``dian`` (with a discard).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rules.events import Meld, MeldKind
from rules.moment import Moment, NoWin, impossible
from rules.tiles import Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rules.ruleset import Desk, RuleSet
    from rules.settlement import Settlement
    from rules.state import Balances

Case = Mapping[str, Any]

MOST_POINTS: Final = 1_000_000_000
"""The most that a player can have or owe."""

_KINDS: Final = {
    "chi": MeldKind.CHI,
    "peng": MeldKind.PENG,
    "pong": MeldKind.PENG,
    "jia": MeldKind.ADDED_KONG,
    "bu": MeldKind.ADDED_KONG,
    "added": MeldKind.ADDED_KONG,
    "added_kong": MeldKind.ADDED_KONG,
    "an": MeldKind.CONCEALED_KONG,
    "concealed": MeldKind.CONCEALED_KONG,
    "concealed_kong": MeldKind.CONCEALED_KONG,
    "dian": MeldKind.KONG,
    "ming": MeldKind.KONG,
    "zhi": MeldKind.KONG,
    "kong": MeldKind.KONG,
    "gang": MeldKind.KONG,
}


def set_kind(name: str, kind: str | None, *, is_claimed: bool) -> MeldKind:
    """The kind of set that a file or a person calls so; a kong that nobody gave a tile for is concealed.

    Raises:
        ValueError: no such kind of set.
    """
    if name in {"gang", "kong"} and kind is None and not is_claimed:
        return MeldKind.CONCEALED_KONG
    found = _KINDS.get(kind or name) if name in {"gang", "kong"} else _KINDS.get(name)
    if found is None:
        raise ValueError(f"{kind or name!r} is no kind of set, expected chi, peng or gang (an, jia, dian)")
    return found


def desk_of(rules: RuleSet) -> Desk:
    """What the rule set answers about single moments.

    Raises:
        ValueError: the rule set answers nothing.
    """
    if rules.desk is None:
        raise ValueError(f"{rules.name} answers no questions about single hands")
    return rules.desk


def judged(moment: Moment, rules: RuleSet, balances: Balances | None) -> Settlement:
    """The account of a moment.

    Raises:
        NoWin: it is no win, or can't be at a table.
        ValueError: it says something that has no meaning.
    """
    reason = impossible(moment, rules)
    if reason is not None:
        raise NoWin(reason)
    return desk_of(rules).judge(moment, balances)


def example(case: Case, rules: RuleSet) -> dict[str, Any]:
    """The computed fields of an example; of a win that is none only ``valid``, ``reason`` and ``payments``.

    Raises:
        ValueError: a field is missing or wrong; the message names it.
    """
    try:
        found = judged(moment_of(case, rules), rules, balances_of(case.get("balances")))
    except NoWin as refused:
        return no_win(case.get("id"), str(refused))
    return {"id": case.get("id"), **account_fields(found)}


def no_win(name: object, reason: str) -> dict[str, Any]:
    """The fields of a win that is none."""
    return {"id": name, "valid": False, "reason": reason, "payments": [0, 0, 0, 0]}


def account_fields(found: Settlement) -> dict[str, Any]:
    """An account under the names of the case files."""
    return {
        "valid": True,
        "jackpot": found.jackpot,
        "patterns": [line.zh for line in found.lines if line.is_pattern],
        "dragon_tiles": found.dragons,
        "D": found.total,
        "unit": found.unit,
        "point_each": found.point_each,
        "payer": None if found.payer is None else int(found.payer),
        "tongfu": found.all_pay,
        "payments": list(found.payments),
        "reason": None,
    }


def moment_of(case: Case, rules: RuleSet) -> Moment:
    """The win that an example describes.

    Raises:
        ValueError: a field is missing or wrong; the message names it.
    """
    indicator = _field(case, "indicator", _tile)
    wild = _field(case, "wildcard", _tile)
    if indicator is not None and rules.wild_of is not None:
        wild = _read("indicator", rules.wild_of, indicator)
    flags = case.get("flags") or {}
    if not isinstance(flags, Mapping):
        raise ValueError(f"flags: {flags!r}, expected an object")  # noqa: TRY004 - bad data, no wrong call
    return Moment(
        how=_needed(case, "how", str),
        seat=_needed(case, "winner", _seat),
        dealer=_needed(case, "dealer", _seat),
        concealed=_needed(case, "concealed", _tiles),
        melds=tuple(_read("melds", _meld, meld) for meld in case.get("melds") or ()),
        tile=_winning(case),
        from_seat=_field(case, "discarder", _seat),
        indicator=indicator,
        wild=wild,
        flags=flags,
    )


def balances_of(given: object) -> Balances | None:
    """Points of seats 0..3, None where they are absent.

    Raises:
        ValueError: not four whole numbers.
    """
    if given is None:
        return None
    if not isinstance(given, list | tuple) or len(given) != 4 or not all(map(_are_points, given)):
        raise ValueError(f"balances: {given!r}, expected four whole numbers of at most {MOST_POINTS}")
    first, second, third, fourth = given
    return first, second, third, fourth


def _are_points(given: object) -> bool:
    return type(given) is int and abs(given) <= MOST_POINTS


def _winning(case: Case) -> Tile:
    text = case.get("winning_tile")
    found: Tile = _read("winning_tile", _tile, text) if text else Tile.UNKNOWN
    return found


def _needed(case: Case, name: str, read: Any) -> Any:
    if case.get(name) is None:
        raise ValueError(f"{name}: missing")
    return _read(name, read, case[name])


def _field(case: Case, name: str, read: Any) -> Any:
    return None if case.get(name) is None else _read(name, read, case[name])


def _read(name: str, read: Any, value: object) -> Any:
    try:
        return read(value)
    except KeyError as missing:
        raise ValueError(f"{name}: {value!r}: {missing.args[0]} is missing") from None
    except (TypeError, AttributeError):
        raise ValueError(f"{name}: {value!r}: a value of the wrong kind") from None
    except ValueError as error:
        raise ValueError(f"{name}: {value!r}: {error}") from None


def _seat(value: object) -> Seat:
    if type(value) is not int or not 0 <= value <= 3:
        raise ValueError("expected a seat 0 to 3")
    return Seat(value)


def _tile(value: str) -> Tile:
    return Tile.parse(value)


def _tiles(value: str | Iterable[str]) -> tuple[Tile, ...]:
    return parse_tiles(value if isinstance(value, str) else " ".join(value))


def _meld(case: Case) -> Meld:
    source = None if case.get("from") is None else _seat(case["from"])
    kind = set_kind(case["type"], case.get("kind"), is_claimed=source is not None)
    return Meld(kind, tuple(sorted(_tiles(case["tiles"]))), source)
