"""Whole evenings for tests: people and a machine around one session, without clock, wire or camera.

`Evening` plays deals with the simulator's players, lays the simulator's bodies, and tells the session what a
camera would see; a machine that never fails answers its commands at once. Every deal's truth is kept.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from random import Random

import msgspec
from ready import BOOTED, IDLE

from controller.journal_deals import DoubtRow, EventRow, OutcomeRow, RevisionRow
from controller.journal_revisions import told
from controller.journal_rows import Row
from controller.journal_start import Past
from controller.models import load as load_model
from controller.public import Payload
from controller.session import Session, SessionSettings
from controller.session_effects import Answer, Effect, Publish, Record, Send
from controller.session_inputs import CommandDone, Input, Tick
from controller.session_play import UNSEEN
from firmware_bridge.messages import (
    CycleDone,
    DiceRolled,
    KeyPressed,
    OpenHatch,
    RaiseWalls,
    Report,
    RollDice,
    StartCycle,
    WallsUp,
)
from firmware_bridge.states import Key
from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import Bodies, broken, face, heaped, pushed_in, taken, walls_up
from hardware_sim.layout_moves import follow, next_draw
from hardware_sim.players import Temper, on_discard, on_kong, on_turn
from hardware_sim.presets import Ponds
from hardware_sim.readings_lying import Lying, shown
from hardware_sim.scene import Scene, SceneTile
from hardware_sim.truth import DealTruth, Match, deal_truth, first_match, next_match, settled
from rules import sets
from rules.deal import deal_blocks, dice_break, indicator_index
from rules.events import Claimed, DealStarted, Drew, Event, IndicatorTurned, WallExhausted, Won
from rules.record import format_event
from rules.ruleset import RuleSet
from rules.settlement import Unsettled
from rules.table import Phase, TableState, apply, new_table
from vision.observations import Appeared, Observation, Settled, Vanished

Spoil = Callable[[list[Observation], Random], list[Observation]]
"""Turns what a perfect camera says after one move into what another camera says."""


People = Callable[["Evening", Event, Bodies], None]
"""Shows how the bodies lie after an event of the truth, perhaps after some detours."""


def perfect(told: list[Observation], _: Random) -> list[Observation]:
    return told


class Eye:
    """A camera over bodies: everything that changed since the last look."""

    def __init__(self, ponds: Ponds = Ponds.TIDY) -> None:
        self._lying = Lying()
        self._ponds = ponds
        self._told: dict[int, Appeared] = {}
        self._number = 0
        self.pushed: dict[int, tuple[SceneTile, SceneTile]] = {}
        """Tiles that lie elsewhere than they were laid: as they were laid, and as they lie."""

    def _where(self, tile: SceneTile) -> SceneTile:
        laid, lies = self.pushed.get(tile.id, (None, tile))
        return lies if laid == tile else tile

    def look(self, bodies: Bodies, seed: int, at: float) -> list[Observation]:
        lie = scene_tiles(bodies, seed=seed, ponds=self._ponds)
        gone, new = self._lying.look(Scene(tiles=tuple(map(self._where, lie))))
        told: list[Observation] = [Vanished(at=at, id=self._told.pop(body).id) for body in gone]
        for tile in new:
            self._number += 1
            seen = Appeared(
                at=at,
                id=self._number,
                tile=shown(tile),
                candidates=((shown(tile), 1.0),),
                x=tile.x,
                y=tile.y,
                angle=tile.angle % 360.0,
            )
            self._told[tile.id] = seen
            told.append(seen)
        return told

    def again(self, at: float) -> list[Observation]:
        """What a camera that is opened anew says first, by the clock of now."""
        return [msgspec.structs.replace(seen, at=at) for seen in self._told.values()]


@dataclass
class Log:
    """Everything a session wanted, in order."""

    rows: list[Row] = field(default_factory=list)
    sent: list[Send] = field(default_factory=list)
    published: list[tuple[str, Payload]] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    def outcomes(self) -> list[OutcomeRow]:
        return [row for row in self.rows if isinstance(row, OutcomeRow)]

    def texts(self, deal: int) -> list[str]:
        """The record of a deal, as its revisions leave it."""
        events = [row for row in self.rows if isinstance(row, EventRow) and row.deal == deal]
        revisions = [row for row in self.rows if isinstance(row, RevisionRow) and row.deal == deal]
        return list(told(events, revisions))

    def unseen(self, deal: int) -> bool:
        """Whether events of a deal were told of which nobody has seen the order."""
        events = (row for row in self.rows if isinstance(row, EventRow) and row.deal == deal)
        return any(row.author == UNSEEN for row in events)

    def doubts(self, deal: int) -> list[DoubtRow]:
        return [row for row in self.rows if isinstance(row, DoubtRow) and row.deal == deal]


class Evening:
    """One table with people who play until they are told to stop."""

    def __init__(  # noqa: PLR0913 - everything an evening may vary in
        self,
        seed: int,
        *,
        rules: RuleSet | None = None,
        spoil: Spoil = perfect,
        settings: SessionSettings | None = None,
        keep: Callable[[tuple[Row, ...]], None] = lambda _: None,
        past: Past | None = None,
        pace: float = 0.0,
        people: "People | None" = None,
        ponds: Ponds = Ponds.TIDY,
    ) -> None:
        """`pace`: seconds between two moves; `people`: how they lay what they lay, else as they should.

        `ponds`: how discards lie, in the players' own ponds or in a common one.
        """
        self.rules = rules or sets.load("cixi-card")
        self.settings = settings or SessionSettings(ahead=True)
        self.model = load_model("longzhuo840")
        if ponds is Ponds.COMMON:
            self.model = self.model.with_common_pond()
        self.ponds = ponds
        self.rng = Random(f"{seed} evening")  # noqa: S311 - a game
        self.seed = seed
        self.spoil = spoil
        self.keep = keep
        self.pace = pace
        self.people = people
        self.now = 1_000_000.0
        self.log = Log()
        self.truths: list[DealTruth] = []
        self.true_match: Match = first_match(self.rules)
        self.bodies = heaped()
        self.eye = Eye(ponds)
        self.boot_id = BOOTED.boot_id
        self.status = IDLE
        self.reads_dice = True
        self.first_die = 1
        self._pending: list[Send] = []
        self._dice = (3, 4)
        self.session = self.begin(past or Past())

    def begin(self, past: Past) -> Session:
        """Start a controller (again) and let it see board and table."""
        self.session = Session(self.rules, self.model, self.settings, past)
        self._pending.clear()
        self._carry_out(self.session.start(self.now))
        self.tell(replace(BOOTED, boot_id=self.boot_id))
        self.tell(self.status)
        for seen in self.eye.again(self.now):
            self.tell(seen)
        self.tell(Settled(at=self.now))
        return self.session

    def tell(self, arrived: Input) -> None:
        self.now += 0.01
        self._carry_out(self.session.handle(arrived, self.now))
        while self._pending:
            send = self._pending.pop(0)
            for answer in self._answers(send):
                self.now += 0.5
                self._carry_out(self.session.handle(answer, self.now))

    def wait(self, seconds: float) -> None:
        """Let time pass in ticks."""
        until = self.now + seconds
        while self.now < until:
            self.now += 0.5
            self._carry_out(self.session.handle(Tick(), self.now))

    def _carry_out(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case Record(rows):
                    self.keep(rows)
                    self.log.rows += rows
                case Send():
                    self.log.sent.append(effect)
                    self._pending.append(effect)
                case Publish(topic, payload):
                    self.log.published.append((topic, payload))
                case Answer():
                    self.log.answers.append(effect)

    def _answers(self, send: Send) -> tuple[Input, ...]:
        done = CommandDone(send.number)
        reports: tuple[Report, ...] = ()
        match send.command:
            case OpenHatch():
                pass
            case StartCycle():
                reports = (CycleDone(1, (34, 34, 34, 34), 20000),)
            case RaiseWalls():
                reports = (WallsUp((34, 34, 34, 34)),)
            case RollDice(1):
                reports = (DiceRolled((self.first_die,) if self.reads_dice else ()),)
            case RollDice():
                reports = (DiceRolled(self._dice if self.reads_dice else ()),)
        return (*reports, done)

    def show(self, bodies: Bodies) -> None:
        """Lay the bodies so, and tell what a camera sees of it."""
        self.bodies = bodies
        told = [*self.eye.look(bodies, self.seed, self.now), Settled(at=self.now)]
        for observation in self.spoil(told, self.rng):
            self.tell(observation)

    def play(self, deals: int) -> None:
        for _ in range(deals):
            for _ in self.play_deal():
                pass

    def play_deal(self) -> Iterator[Event]:
        """Play one deal; yields every event of the truth after it was shown."""
        dice = (self.rng.randint(1, 6), self.rng.randint(1, 6))
        order = list(range(136))
        self.rng.shuffle(order)
        self.prepare(dice)
        at = dice_break(self.true_match.dealer, dice)
        self.bodies = broken(walls_up(tuple(order)), side=at.owner, stacks=at.passed)
        yield from self._moves()
        self.wait(3.0)
        self._end()

    def prepare(self, dice: tuple[int, int], *, opened: bool = False) -> None:
        """From whatever lies there to walls that stand and dice that lie; `opened`: the hatch is open."""
        self._dice = dice
        if not opened:
            self.open_hatch()
        self.show(pushed_in(self.bodies, self.bodies.lying()))
        self.tell(KeyPressed(Key.LIFT, 1))

    def _moves(self) -> Iterator[Event]:
        state = new_table(self.rules)
        match = self.true_match
        bodies = self.bodies
        for seat, number in deal_blocks(match.dealer, self.rules):
            bodies = taken(bodies, seat, number)
        hands = tuple(tuple(face(body) for body in rack) for rack in bodies.racks)
        events: list[Event] = [DealStarted(match.dealer, self._dice, match.kept, hands)]
        temper = Temper.IDLE if self.rng.random() < 0.1 else Temper.KEEN
        fetched = self.rng.random() < 0.5
        turned = indicator_index(self._dice, self.rules)
        self.show(bodies)
        while state.phase is not Phase.OVER:
            event = events.pop() if events else self._next(state, temper)
            bodies = follow(self.bodies, event, wild=state.wild, fetch=fetched, indicator_at=turned)
            state = apply(state, event, self.rules)
            at_once = isinstance(event, Claimed) and not event.kind.is_kong and self.rng.random() < 0.25
            if at_once:
                self.bodies = bodies
            elif self.people is not None:
                self.people(self, event, bodies)
            else:
                self.show(bodies)
            self.true_state, self._fetched = state, fetched
            self.wait(self.pace)
            yield event
            if isinstance(event, DealStarted):
                events.append(IndicatorTurned(face(self.bodies.wall[turned][1])))

    def _next(self, state: TableState, temper: Temper) -> Event:
        if state.phase is Phase.TURN:
            return on_turn(state, self.rules, self.rng, temper)
        if state.phase is Phase.DRAW:
            drew = Drew(state.turn, next_draw(self.bodies, replacement=True), replacement=True)
            return on_kong(state, self.rules) or drew
        answer = on_discard(state, self.rules, self.rng, temper)
        if answer is not None:
            return answer
        if state.wall.left <= self.rules.reserve(state.kongs):
            return WallExhausted()
        return Drew(state.turn.next, next_draw(self.bodies))

    def _end(self) -> None:
        match, state = self.true_match, self.true_state
        truth = deal_truth(len(self.truths) + 1, state, match, self.rules, fetched=self._fetched)
        self.truths.append(truth)
        try:
            settlement = settled(state, match, self.rules)
        except Unsettled:
            return
        self.true_match = next_match(match, state, settlement, self.rules)

    def open_hatch(self) -> None:
        """Press the lift key, and again if nothing moves, as people do."""
        for _ in range(5):
            before = len(self.log.sent)
            self.tell(KeyPressed(Key.LIFT, 1))
            self.wait(1.0)
            if len(self.log.sent) > before:
                return
            self.wait(5.0)
        raise AssertionError("the hatch does not open")

    def finish(self) -> None:
        """The people want to play on, so that the last deal ends in any case."""
        self.open_hatch()


def public_texts(truth: DealTruth) -> list[str]:
    """The deal's events as a controller can know them."""
    found = []
    for line in truth.events:
        if line.startswith("deal "):
            found.append(line.split(" hands ")[0])
        elif line.startswith("draw "):
            words = line.split()
            found.append(" ".join(word for word in (*words[:2], *words[3:])) if len(words) > 2 else line)
        else:
            found.append(line)
    return found


__all__ = ["Evening", "Eye", "Log", "Won", "format_event", "perfect", "public_texts"]
