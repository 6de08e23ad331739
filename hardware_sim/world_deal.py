"""One deal played by hand: from the walls to the hand laid open or the end of the wall. A shell."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from hardware_sim.layout import INDICATOR_CENTRE
from hardware_sim.layout_bodies import Bodies, broken, face, taken, won_body
from hardware_sim.layout_common import common_place
from hardware_sim.layout_moves import follow, next_draw
from hardware_sim.people_mishaps import Clumsy, Strikes, nothing
from hardware_sim.players import Temper, on_discard, on_kong, on_turn
from hardware_sim.presets import Ponds
from hardware_sim.scene import seat_point
from hardware_sim.truth import Match
from hardware_sim.world_hands import Hands, Pace
from hardware_sim.world_table import WorldTable
from rules.deal import deal_blocks, dice_break, indicator_index
from rules.events import (
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Event,
    IndicatorTurned,
    KongDeclared,
    WallExhausted,
    Won,
)
from rules.ruleset import RuleSet
from rules.table import Phase, TableState, apply, new_table
from rules.tiles import Seat

RACK_V: Final = 350.0
MELD_V: Final = 333.0
FETCHED: Final = 0.5
"""Share of wins by discard at which the winner takes the tile to his hand."""
AT_ONCE: Final = 0.25
"""Share of claims after which the claimer discards before anybody has had time to look."""


@dataclass(frozen=True, slots=True)
class Played:
    """A deal that is over: the true state, and whether a tile won from a discard was taken to the hand."""

    state: TableState
    fetched: bool


class Deal:
    """Plays one deal on `table`; `tell(event)` hears every event with all tiles known, as it happens."""

    def __init__(  # noqa: PLR0913 - what a deal needs
        self,
        table: WorldTable,
        hands: Hands,
        pace: Pace,
        *,
        rules: RuleSet,
        rng: Random,
        temper: Temper,
        tell: Callable[[Event], None],
        strikes: Strikes = nothing,
    ) -> None:
        """Nothing moves before `play`; `strikes` says what goes wrong at each play."""
        self._table = table
        self._hands = hands
        self._pace = pace
        self._rules = rules
        self._rng = rng
        self._temper = temper
        self._tell = tell
        self._strikes = strikes
        self._clumsy = Clumsy(table, hands, pace, rng)
        self._fetched = False
        self._state = new_table(rules)

    async def play(self, match: Match, dice: tuple[int, int]) -> Played:
        """From walls that stand and dice that lie to the end of the deal."""
        await self._deal_out(match, dice)
        await self._turn_indicator(indicator_index(dice, self._rules))
        while self._state.phase is not Phase.OVER:
            await self._go_on()
        return Played(self._state, self._fetched)

    async def _deal_out(self, match: Match, dice: tuple[int, int]) -> None:
        at = dice_break(match.dealer, dice)
        bodies = broken(self._table.bodies, side=at.owner, stacks=at.passed)
        for seat, number in deal_blocks(match.dealer, self._rules):
            place = self._table.where(bodies.wall[0][1])
            bodies = taken(bodies, seat, number)
            await self._move(seat, bodies, place, seat_point(seat, 0.0, RACK_V))
        hands = tuple(tuple(face(body) for body in rack) for rack in bodies.racks)
        self._note(DealStarted(match.dealer, dice, match.kept, hands))

    async def _turn_indicator(self, at: int) -> None:
        _, body = self._table.bodies.wall[at]
        event, place = IndicatorTurned(face(body)), self._table.where(body)
        self._note(event)
        bodies = follow(self._table.bodies, event, wild=self._state.wild, indicator_at=at)
        await self._move(self._state.dealer, bodies, place, INDICATOR_CENTRE)
        await self._pace.rest()

    async def _go_on(self) -> None:
        state = self._state
        if state.phase is Phase.TURN:
            await self._hands.think()
            await self._act(on_turn(state, self._rules, self._rng, self._temper), self._strikes())
        elif state.phase is Phase.DRAW:
            robs = on_kong(state, self._rules)
            await (self._draw(state.turn, replacement=True) if robs is None else self._answer(robs))
        else:
            answer = on_discard(state, self._rules, self._rng, self._temper)
            if answer is not None:
                await self._answer(answer)
            elif state.wall.left <= self._rules.reserve(state.kongs):
                self._note(WallExhausted())
            else:
                await self._draw(state.turn.next, replacement=False)

    async def _answer(self, event: Event) -> None:
        await self._hands.think()
        await self._act(event, self._strikes())

    async def _draw(self, seat: Seat, *, replacement: bool) -> None:
        event = Drew(seat, next_draw(self._table.bodies, replacement=replacement), replacement=replacement)
        before, after = self._table.bodies, self._after(event)
        drawn = after.racks[seat][-1]
        place = next(self._table.where(body) for _, body in before.wall if body == drawn)
        self._note(event)
        await self._move(seat, after, place, seat_point(seat, 180.0, RACK_V))

    async def _act(self, event: Event, strikes: frozenset[str]) -> None:
        """A move that is there to be seen: the table rests after it."""
        await self._clumsy.put_right()
        if "push-tiles" in strikes:
            self._clumsy.push()
        if "discard-wild" in strikes:
            event = self._with_wild(event)
        if isinstance(event, Discarded | Claimed) and strikes:
            await self._clumsy.before(event, strikes)
        if isinstance(event, Won) and event.from_seat is not None:
            self._fetched = self._rng.random() < FETCHED
        places = self._places(event)
        self._note(event)
        after = self._after(event)
        if isinstance(event, Discarded) and "mislay" in strikes:
            self._clumsy.mislays(event, after.ponds[event.seat][-1])
        await self._move(self._actor(event), after, *places)
        await self._clumsy.after()
        claimed = isinstance(event, Claimed) and not event.kind.is_kong
        if not (claimed and self._rng.random() < AT_ONCE):
            await self._pace.rest()

    def _with_wild(self, event: Event) -> Event:
        """The wild tile is thrown instead of another, if it is held and the rules let it be thrown."""
        state = self._state
        held = isinstance(event, Discarded) and state.wild in state.hands[event.seat].concealed
        if not held or state.wild is None or not self._rules.may_discard(state, state.turn, state.wild):
            return event
        return Discarded(state.turn, state.wild)

    def _places(self, event: Event) -> tuple[tuple[float, float] | None, ...]:
        """Where the arm goes for this event, in order."""
        bodies = self._table.bodies
        match event:
            case Discarded(seat, _):
                return (self._place_in_pond(seat, len(bodies.ponds[seat])),)
            case Claimed(seat, _, _, _, giver):
                return (self._table.where(bodies.ponds[giver][-1]), seat_point(seat, 250.0, MELD_V))
            case KongDeclared(seat, _, _):
                return (seat_point(seat, 250.0, MELD_V),)
            case Won(seat, _, _, giver) if giver is not None and self._fetched:
                return (
                    self._table.where(won_body(bodies, giver, event.tile)),
                    seat_point(seat, 150.0, RACK_V),
                )
            case Won(seat, _, _, _):
                return (seat_point(seat, 0.0, RACK_V),)
        return ()

    def _place_in_pond(self, seat: int, number: int) -> tuple[float, float]:
        if self._table.ponds is Ponds.COMMON:
            return common_place(self._table.seed, seat, number)[:2]
        return seat_point(seat, -145.0 + 31.0 * (number % 10), 185.0 if number < 10 else 226.0)

    def _actor(self, event: Event) -> Seat:
        return event.seat if isinstance(event, Discarded | Claimed | KongDeclared | Won) else self._state.turn

    def _after(self, event: Event) -> Bodies:
        return follow(self._table.bodies, event, wild=self._state.wild, fetch=self._fetched)

    def _note(self, event: Event) -> None:
        self._state = apply(self._state, event, self._rules)
        self._tell(event)

    async def _move(self, seat: int, bodies: Bodies, *places: tuple[float, float] | None) -> None:
        await self._hands.move(seat, bodies, at=tuple(place for place in places if place is not None))
