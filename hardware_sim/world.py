"""One clock, one seed: the machine, four people and the table play hand after hand. A shell.

The people do what people do: press the lift key, push the tiles in, press again, wait for walls and dice,
take their tiles, turn the indicator, play, lay a winning hand open, and begin again. They look at nothing
but the table: while a controller does not open the hatch they wait, and press again.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Final

import msgspec

from firmware_bridge.messages import DiceRolled, Report, StateChanged, WallsUp
from firmware_bridge.states import Key, State
from hardware_sim import people_know
from hardware_sim.board import SimBoard
from hardware_sim.layout_bodies import BODIES, Bodies, pushed_in, walls_up
from hardware_sim.people_asked import Asked
from hardware_sim.people_mishaps import MISHAPS
from hardware_sim.players import Temper
from hardware_sim.scene import seat_point
from hardware_sim.truth import (
    DealTruth,
    Match,
    TruthFile,
    deal_truth,
    first_match,
    next_match,
    seated,
    settled,
)
from hardware_sim.world_deal import Deal, Played
from hardware_sim.world_hands import Hands, Pace
from hardware_sim.world_table import WorldTable
from hardware_sim.world_trouble import Floor, free, moves
from rules.events import DealStarted, Event
from rules.ruleset import RuleSet
from rules.settlement import Unsettled
from rules.table import replay

PATIENCE_S: Final = 6.0
"""After so long (s of the people's time) without any movement of the machine they press the key again."""
LEAST_PATIENCE_S: Final = 2.0
"""The same in seconds of the wall clock: a controller is no faster because people are."""
LOOK_S: Final = 5.0
"""People look at a finished hand and count points for so long (s) ..."""
LEAST_LOOK_S: Final = 0.5
"""... and for so long of the wall clock at least."""
LEAST_DISPLAY_S: Final = 5.0
"""The same where they play by a display that reads pictures: what it says of the hand takes the clock's time,
however fast the people are."""
IDLE_DEALS: Final = 0.06
"""Share of deals that nobody plays to win."""
WON: Final = "won"
_RAISED: Final = {
    State.HATCH_CLOSED: 0.0,
    State.HATCH_OPENING: 0.5,
    State.HATCH_OPEN: 1.0,
    State.HATCH_CLOSING: 0.5,
}


class World:
    """Four people at a table with a machine. `say` hears one readable line per hand."""

    def __init__(  # noqa: PLR0913 - what a world needs
        self,
        *,
        seed: int,
        board: SimBoard,
        table: WorldTable,
        pace: Pace,
        rules: RuleSet,
        truth: TruthFile,
        say: Callable[[str], None],
        asked: Asked | None = None,
    ) -> None:
        """Nothing moves before `play`; `asked` are the same people as a controller's display reaches them."""
        self.table = table
        self._asked = asked
        self._seed = seed
        self._board = board
        self._pace = pace
        self._rules = rules
        self._truth = truth
        self._say = say
        self._rng = Random(f"{seed} world")  # noqa: S311 - a game
        self._hands = Hands(table, pace, Random(f"{seed} hands"))  # noqa: S311 - a game
        self._order: tuple[int, ...] = ()
        self._floor = Floor()
        self._dice: asyncio.Future[tuple[int, int]] | None = None
        self._die: int | None = None
        self._lay_at = 0.0
        self._started = time.monotonic()
        board.watch(self._hear)

    async def play(self, hands: int | None) -> None:
        """Play so many hands, or for ever; then the people leave."""
        match = first_match(self._rules)
        number = 0
        ended = WON
        while hands is None or number < hands:
            number += 1
            dice = await self._next_walls(number)
            match = seated(match, self._die, self._rules)
            self._say(f"hand {number} begins")
            match, ended = await self._play_deal(number, match, dice)
        if ended != WON:
            # Nothing on the table says that a hand without a winner is over: people say it with the key.
            self._board.press(Key.LIFT, self._rng.randrange(4))
        self._say(f"the players leave after {number} hands")

    async def _play_deal(self, number: int, match: Match, dice: tuple[int, int]) -> tuple[Match, str]:
        """Play a deal; return where the match stands then, and how the deal ended."""
        known = people_know.Deal(number=number, dealer=int(match.dealer), dice=dice)
        if self._asked is not None:
            self._asked.deal = known

        def tell(event: Event) -> None:
            self._truth.event(number, time.monotonic() - self._started, event)
            known.events.append(event)

        # What people do in a deal depends on its number, not on what machine and controller did before it.
        rng = Random(f"{self._seed} deal {number}")  # noqa: S311 - a game
        temper = Temper.IDLE if rng.random() < IDLE_DEALS else Temper.KEEN
        deal = Deal(
            self.table,
            self._hands,
            self._pace,
            rules=self._rules,
            rng=rng,
            temper=temper,
            tell=tell,
            strikes=self._strikes,
        )
        began, people_s = time.monotonic(), self._pace.people_s
        played = await deal.play(match, dice)
        if known.agreed is not None:
            match, played = _as_agreed(match, played, known.agreed, self._rules)
        line = msgspec.structs.replace(
            deal_truth(number, played.state, match, self._rules, fetched=played.fetched),
            began=round(self._lay_at, 3),
            people_s=round(self._pace.people_s - people_s, 3),
            wall_s=round(time.monotonic() - began, 3),
        )
        self._truth.write(line)
        self._say(in_words(line))
        known.over, known.state = line, played.state
        if self._asked is not None:
            self._asked.over()
        await asyncio.sleep(max(LOOK_S / self._pace.speed, self._least_look))
        await self._pace.going.wait()
        if self._asked is not None:
            await self._asked.quiet()
        return self._match_after(match, played), line.how

    @property
    def _least_look(self) -> float:
        by_pictures = self._asked is not None and self._pace.seen is not None
        return LEAST_DISPLAY_S if by_pictures else LEAST_LOOK_S

    def _strikes(self) -> frozenset[str]:
        """What goes wrong at this play."""
        self._board.happened("play")
        return frozenset(name for name in MISHAPS if self._board.mishaps(name))

    def _match_after(self, match: Match, played: Played) -> Match:
        try:
            settlement = settled(played.state, match, self._rules)
        except Unsettled:
            return match
        return next_match(match, played.state, settlement, self._rules)

    async def _next_walls(self, number: int) -> tuple[int, int]:
        """From a table full of tiles to walls that stand and dice that lie, whatever comes between."""
        seat = self._rng.randrange(4)
        self._order = self._shuffled(number)
        self._dice = asyncio.get_running_loop().create_future()
        self._die = None
        patience = max(PATIENCE_S / self._pace.speed, LEAST_PATIENCE_S)
        at_once, looks = True, 0
        while not self._has_dice():
            await self._pace.going.wait()
            if moves(self._board):
                await self._within(patience, lambda: not moves(self._board))
                continue
            at_once = await self._push_tiles_in() or at_once
            if not at_once:
                before = self._how_it_stands()
                await self._within(patience, lambda: self._how_it_stands() != before)  # noqa: B023 - awaited
                if self._has_dice() or self._how_it_stands() != before:
                    continue
                looks += 1
                free(self._board, again=looks > 1)
                if self._asked is not None:
                    await self._asked.quiet()
            at_once = False
            self._board.press(Key.LIFT, seat)
        dice = await self._dice
        await asyncio.sleep(max(1.0 / self._pace.speed, 0.05))
        return dice

    def _shuffled(self, number: int) -> tuple[int, ...]:
        """Which body the machine puts where."""
        order = list(range(BODIES))
        Random(f"{self._seed} walls {number}").shuffle(order)  # noqa: S311 - a game
        return tuple(order)

    def _how_it_stands(self) -> tuple[State, ...]:
        return tuple(self._board.mechanics.states.values())

    def _has_dice(self) -> bool:
        return self._dice is not None and self._dice.done()

    async def _within(self, seconds: float, happened: Callable[[], bool]) -> None:
        """Wait until it happens or the dice lie, but not for ever; looked at whenever the machine reports."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._board.until(lambda _: happened() or self._has_dice())

    async def _push_tiles_in(self) -> bool:
        """Push through the open hatch what lies on the table, and what is found on the floor.

        True when that was something.
        """
        armfuls = _armfuls(self.table.bodies)
        if self._board.hatch is not State.HATCH_OPEN:
            return False
        fallen = self._fallen() if armfuls else 0
        found = self._floor.search(self._board)
        self._board.load_tiles(found)
        any_pushed = bool(armfuls) or found > 0
        while armfuls and self._board.hatch is State.HATCH_OPEN:
            seat, bodies = armfuls[0]
            before = self.table.bodies
            away = pushed_in(before, bodies)
            await self._hands.move(seat, away, at=(seat_point(seat, 0.0, 250.0), seat_point(seat, 0.0, 60.0)))
            lost = min(fallen, len(bodies))
            try:
                self._board.load_tiles(len(bodies) - lost)
            except ValueError:
                self.table.lay(before)  # the hatch has closed under their hands
                return True
            self._floor.fall(lost)
            fallen -= lost
            armfuls = _armfuls(self.table.bodies)
        return any_pushed

    def _fallen(self) -> int:
        """How many tiles somebody lets fall this time."""
        self._board.happened("push")
        return sum(int(one.number("tiles")) for one in self._board.mishaps("missing"))

    def _hear(self, report: Report) -> None:
        """What people see the machine do."""
        match report:
            case StateChanged(_, state) if state in _RAISED:
                self.table.hatch(_RAISED[state])
            case WallsUp() if self._order:
                self.table.lay(walls_up(self._order), seed=hash((self._seed, self._order)))
            case StateChanged(_, State.DICE_ROLLING):
                self.table.dice_spin(2)
            case DiceRolled():
                # A board that only spins them tells no values: the people see them all the same.
                self._rolled(self._board.dice)

    def _rolled(self, values: tuple[int, ...]) -> None:
        """Dice lie under the dome."""
        self.table.dice(values)
        match values:
            case (die,) if not self._has_dice():
                self._die = die
            case (first, second):
                # A technician rolls dice too: without walls no hand begins.
                stand = len(self.table.bodies.wall) == BODIES
                if stand and self._dice is not None and not self._dice.done():
                    self._lay_at = time.time()
                    self._dice.set_result((first, second))


def _as_agreed(
    match: Match, played: Played, agreed: people_know.Agreed, rules: RuleSet
) -> tuple[Match, Played]:
    """The deal by the points, and the times its dealer has stayed, that people have agreed upon since."""
    begun, *rest = played.state.log
    if not isinstance(begun, DealStarted):
        return match, played
    state = replay((replace(begun, kept=agreed.kept), *rest), rules)
    return replace(match, kept=agreed.kept, balances=agreed.balances), replace(played, state=state)


def _armfuls(bodies: Bodies) -> list[tuple[int, tuple[int, ...]]]:
    """What each person pushes in at a time: his own tiles and his wall; the heap in equal parts."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for seat in range(4):
        melds = tuple(body for meld in bodies.melds[seat] for body in meld.bodies)
        own = (*bodies.ponds[seat], *melds, *bodies.racks[seat])
        if seat == bodies.shown and bodies.apart is not None:
            own = (*own, bodies.apart)
        if seat == 0 and bodies.indicator is not None:
            own = (*own, bodies.indicator)
        wall = tuple(body for slot, body in bodies.wall if slot.side == seat)
        heap = bodies.heap[seat::4]
        found += [(seat, part) for part in (own, wall, heap) if part]
    return found


def in_words(deal: DealTruth) -> str:
    """One line about a deal that has ended."""
    head = f"hand {deal.deal}: dealer {deal.dealer}, indicator {deal.indicator}, wild {deal.wild}, "
    if deal.winner is None:
        return head + "drawn"
    how = "self-draw" if deal.from_seat is None else f"a discard of seat {deal.from_seat}"
    pays = " ".join(f"{change:+d}" for change in deal.payments)
    return head + f"seat {deal.winner} wins by {how}: {' '.join(deal.hand)} | {pays}"
