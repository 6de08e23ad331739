"""Claims that players tell by the keys at their seats, beside what lies on the table. Pure.

A key proves nothing: it may be pressed in vain. Where the table leaves several readings, it tells which.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.states import Key
from rules.events import Claimed, Event, KongDeclared, MeldKind, Won
from rules.tiles import Seat

CLAIMS: Final[Mapping[Key, frozenset[MeldKind]]] = {
    Key.CLAIM_CHI: frozenset({MeldKind.CHI}),
    Key.CLAIM_PENG: frozenset({MeldKind.PENG}),
    Key.CLAIM_KONG: frozenset(kind for kind in MeldKind if kind.is_kong),
    Key.CLAIM_WIN: frozenset(),
}
"""The keys that claim, and the sets they claim; 胡 claims none."""


@dataclass(slots=True)
class Keys:
    """What was pressed since the last event, the last key of each seat."""

    pressed: dict[Seat, Key] = field(default_factory=dict)

    def press(self, key: Key, seat: Seat) -> bool:
        """A key was pressed at a seat; whether it claims anything."""
        if key in CLAIMS:
            self.pressed[seat] = key
        return key in CLAIMS

    def forget(self) -> None:
        """Something has happened: what was claimed before is decided."""
        self.pressed.clear()

    def tell(self, event: Event) -> bool:
        """Whether the player has told this event by his key."""
        match event:
            case Claimed() | KongDeclared():
                key = self.pressed.get(event.seat)
                return key is not None and event.kind in CLAIMS[key]
            case Won():
                return self.pressed.get(event.seat) is Key.CLAIM_WIN
        return False

    def chosen(self, ways: Iterable[tuple[Event, ...]]) -> tuple[tuple[Event, ...], ...]:
        """Of several readings those that were told by a key, all where none was."""
        every = tuple(ways)
        told = tuple(way for way in every if any(map(self.tell, way)))
        return told or every
