"""Which pictures of the moment a doubt is shown with, the most telling first. Pure."""

from collections.abc import Iterable, Iterator
from typing import Final

from controller.doubts import SEAT_NAMES, DoubtKind, Problem
from rules.events import Claimed, Discarded, Event, FalseWin, IndicatorTurned, KongDeclared, Won

MOST_PICTURES: Final = 6
"""So many are told of one doubt."""

_ALWAYS: Final[dict[DoubtKind, tuple[str, ...]]] = {
    DoubtKind.DICE: ("dice",),
    DoubtKind.DICE_DIFFER: ("dice",),
    DoubtKind.DEALER: ("dice",),
    DoubtKind.SHOWN: ("hand",),
    DoubtKind.WINNING_TILE: ("hand", "pond"),
    DoubtKind.FALSE_WIN: ("hand",),
}
"""Parts that a kind of doubt is always about: one part, or (without a seat) that of any seat."""

_NOTHING_TO_SEE: Final = frozenset({DoubtKind.POINTS, DoubtKind.RECORD, DoubtKind.RECORD_CUT})
"""Kinds of doubts about what is on record: the table may be bare, and shows nothing of it."""

_WORDS: Final = (
    ("牌河", "pond"),
    ("副露", "meld"),
    ("手牌", "hand"),
    ("翻牌", "indicator"),
    ("骰子", "dice"),
)
"""What a problem calls the parts of the table."""


def telling(names: Iterable[str], found: Problem) -> tuple[str, ...]:
    """The pictures that show what is not clear, best first; with nothing to go by all, as far as told.

    `names` are those that were kept at the moment, such as ``deal-3-doubt-7-pond-0.jpg``. None of them shows
    who has how many points, or what is on record.
    """
    if found.kind in _NOTHING_TO_SEE:
        return ()
    wanted = list(dict.fromkeys(_wanted(found)))
    ranked = sorted(((_rank(name, wanted), place, name) for place, name in enumerate(names)))
    best = [name for rank, _, name in ranked if rank < len(wanted)]
    return tuple((best or [name for _, _, name in ranked])[:MOST_PICTURES])


def part_of(name: str) -> str:
    """The part of the table that a picture shows, such as ``pond-0`` or ``dice``.

    >>> part_of("deal-3-doubt-7-pond-0.jpg")
    'pond-0'
    >>> part_of("deal-3-doubt-7-dice.jpg")
    'dice'
    """
    words = name.removesuffix(".jpg").split("-")
    return "-".join(words[-2:]) if words[-1].isdigit() else words[-1]


def _rank(name: str, wanted: list[str]) -> int:
    part = part_of(name)
    kind = part.split("-", 1)[0]
    return min((place for place, each in enumerate(wanted) if each in {part, kind}), default=len(wanted))


def _wanted(found: Problem) -> Iterator[str]:
    """Parts in the order of their weight: of the choices, of the words, of the kind."""
    for candidate in found.candidates:
        for event in candidate.events:
            yield from _parts(event)
    seats = [seat for seat, name in enumerate(SEAT_NAMES) if name in found.zh]
    kinds = [kind for word, kind in _WORDS if word in found.zh]
    yield from (f"{kind}-{seat}" for kind in kinds for seat in seats if kind in {"pond", "meld", "hand"})
    yield from (kind for kind in kinds if kind in {"indicator", "dice"})
    yield from _ALWAYS.get(found.kind, ())
    if seats and not kinds:
        yield from (f"{kind}-{seat}" for seat in seats for kind in ("pond", "meld", "hand"))


def _parts(event: Event) -> tuple[str, ...]:
    match event:
        case Discarded(seat):
            return (f"pond-{int(seat)}",)
        case Claimed(seat, _, _, _, from_seat):
            return (f"meld-{int(seat)}", f"pond-{int(from_seat)}")
        case KongDeclared(seat):
            return (f"meld-{int(seat)}",)
        case Won(seat) | FalseWin(seat):
            giver = event.from_seat if isinstance(event, Won) else None
            pond = () if giver is None else (f"pond-{int(giver)}",)
            return (f"hand-{int(seat)}", *pond, f"meld-{int(seat)}")
        case IndicatorTurned():
            return ("indicator",)
    return ()
