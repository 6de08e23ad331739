"""What people do wrong at a table while they play: the table is put right again, the play is what it was.

Whoever shows a hand that is no win puts it up again; a tile that was thrown too soon is taken back; a set
with a wrong tile is put right. What the rules make of a thrown wild tile is theirs.
"""

from collections.abc import Callable
from random import Random
from typing import Final

from hardware_sim.layout_bodies import Bodies, claimed, discarded, face, hand_shown
from hardware_sim.scene import seat_point
from hardware_sim.world_hands import Hands, Pace
from hardware_sim.world_table import WorldTable
from rules.events import Claimed, Discarded

MISHAPS: Final = (
    *("mislay", "take-back", "claim-late", "claim-wrong", "show-hand", "discard-wild", "push-tiles"),
)
"""Names in the list of faults."""
LATE_S: Final = (3.0, 8.0)
NOTICED_S: Final = (0.8, 3.5)
SHOWN_S: Final = (3.0, 7.0)
AT_ONCE: Final = 0.5
"""Share of mislaid tiles that are put right before anybody plays on."""
OPEN_V: Final = 382.0
MELD_V: Final = 333.0

Strikes = Callable[[], frozenset[str]]


def nothing() -> frozenset[str]:
    """Nobody does anything wrong."""
    return frozenset()


class Clumsy:
    """Four people's clumsiness at one table, for one deal."""

    def __init__(self, table: WorldTable, hands: Hands, pace: Pace, rng: Random) -> None:
        """Nothing has gone wrong yet."""
        self._table = table
        self._hands = hands
        self._pace = pace
        self._rng = rng
        self._mislaid: list[tuple[int, int]] = []

    async def before(self, event: Discarded | Claimed, strikes: frozenset[str]) -> None:
        """What goes wrong before somebody discards or claims."""
        if isinstance(event, Claimed):
            if "claim-late" in strikes:
                await self._pace.sleep(self._rng.uniform(*LATE_S))
            if "claim-wrong" in strikes:
                await self._claims_wrongly(event)
            return
        if "show-hand" in strikes:
            await self._shows(event.seat)
        if "take-back" in strikes:
            await self._takes_back(event)

    def mislays(self, event: Discarded, body: int) -> None:
        """The discard will be put down askew, or over the edge of the neighbour's pond."""
        side = self._rng.choice((-1.0, 1.0))
        if self._rng.random() < 0.5:
            shift = (self._rng.uniform(-6.0, 6.0), self._rng.uniform(-6.0, 6.0))
        else:
            shift = seat_point(
                event.seat, side * self._rng.uniform(150.0, 260.0), self._rng.uniform(-20.0, 60.0)
            )
        self._table.displace(body, *shift, side * self._rng.uniform(20.0, 70.0))
        self._mislaid.append((event.seat, body))

    async def after(self) -> None:
        """A mislaid tile is put right, now or when the next one plays."""
        if self._mislaid and self._rng.random() < AT_ONCE:
            await self.put_right()

    async def put_right(self) -> None:
        """Whoever mislaid a tile puts it where it belongs."""
        for seat, body in self._mislaid:
            await self._pace.sleep(self._rng.uniform(*NOTICED_S))
            place = self._table.where(body)
            self._table.put_back(body)
            if place is not None:
                await self._hands.move(seat, self._table.bodies, at=(place,))
        self._mislaid = []

    def push(self) -> None:
        """A sleeve pushes the last tile of a pond a little outward; there it stays."""
        ponds = [seat for seat in range(4) if self._table.bodies.ponds[seat]]
        if ponds:
            seat = self._rng.choice(ponds)
            shift = seat_point(seat, self._rng.uniform(1.0, 6.0), self._rng.uniform(-2.0, 4.0))
            self._table.displace(self._table.bodies.ponds[seat][-1], *shift, self._rng.uniform(-6.0, 6.0))
            self._table.lay(self._table.bodies)

    async def _shows(self, seat: int) -> None:
        before = self._table.bodies
        rack = before.racks[seat]
        shown = hand_shown(before, seat, tuple(sorted(rack)), apart=rack[-1])
        await self._there_and_back(seat, before, shown, seat_point(seat, 0.0, OPEN_V), SHOWN_S)

    async def _takes_back(self, event: Discarded) -> None:
        """Another tile is thrown first, and taken back."""
        before = self._table.bodies
        others = [body for body in before.racks[event.seat] if face(body) is not event.tile]
        if others:
            thrown = discarded(before, event.seat, self._rng.choice(others))
            place = seat_point(event.seat, 0.0, 200.0)
            await self._there_and_back(event.seat, before, thrown, place, NOTICED_S)

    async def _claims_wrongly(self, event: Claimed) -> None:
        """One tile of the set is another at first."""
        before = self._table.bodies
        own = list(event.tiles)
        own.remove(event.taken)
        rack = list(before.racks[event.seat])
        laid = []
        for tile in own[1:]:
            laid.append(next(body for body in rack if face(body) is tile))
            rack.remove(laid[-1])
        wrong = [body for body in rack if face(body) not in {own[0], event.taken}]
        if wrong:
            bodies = claimed(before, event.seat, (self._rng.choice(wrong), *laid), event.from_seat)
            place = seat_point(event.seat, 250.0, MELD_V)
            await self._there_and_back(event.seat, before, bodies, place, NOTICED_S)

    async def _there_and_back(
        self,
        seat: int,
        before: Bodies,
        other: Bodies,
        place: tuple[float, float],
        stays_s: tuple[float, float],
    ) -> None:
        await self._hands.move(seat, other, at=(place,))
        await self._pace.sleep(self._rng.uniform(*stays_s))
        await self._hands.move(seat, before, at=(place,))
        await self._hands.think()
