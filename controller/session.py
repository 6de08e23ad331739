"""One table: what comes in, what is decided, what is to be written, sent and published. Pure.

A session is told everything that happens (`handle`) with the time, and answers with effects. It reads no
clock and does no input or output, so that the same inputs at the same times lead to the same effects: that is
how a journal is replayed.
"""

import contextlib
from dataclasses import dataclass, field, replace
from typing import Final

import msgspec

from controller import machine as board_machine
from controller.agreed import Agreed, written_options
from controller.journal_inputs import body_of
from controller.journal_rows import AnswerRow, BootRow, InputRow, OutboxRow
from controller.journal_start import Past
from controller.machine import Machine, MachineStep, Stage
from controller.machine_state import DiceReader
from controller.models import TableModel
from controller.public import (
    LEDGER_TOPICS,
    AlarmEvent,
    Doubts,
    Payload,
    PhaseEvent,
    encode,
)
from controller.public_sheets import HandsSheet, SetupSheet
from controller.session_effects import Answer, Effect, Publish, Record
from controller.session_inputs import (
    BrokerMended,
    BrokerTrouble,
    CommandDone,
    CommandFailed,
    Input,
    Measured,
    NotRecorded,
    Order,
    Ordered,
    Pictured,
    RecordCut,
    Recorded,
    Start,
    Tick,
)
from controller.session_look import lift, look
from controller.session_news import is_news, is_same
from controller.session_notes import Notes
from controller.session_orders import carried_out, obey, verb_of
from controller.session_replies import Refused, Replies, Reply, changes
from controller.session_restore import restored
from controller.session_start import require_waiting, start_words
from controller.session_trial import tried
from controller.session_troubles import camera_told, record_confirmed, shell_told
from controller.session_view import view_of
from controller.sheets import hands_sheet, setup_sheet
from controller.timers import Timers
from controller.tracker import Patience, Tracker
from controller.view import Players, TableView, state_payloads, time_text
from firmware_bridge.messages import KeyPressed, StartCycle, TileCount
from firmware_bridge.states import Capability, Key
from rules.ruleset import RuleSet
from rules.state import TableState
from vision.observations import Appeared, CameraBack, CameraLost, DiceSeen, Drift, Settled, Vanished

_BEATING: Final = frozenset({"state/table", "state/counters"})
REAL_DICE: Final = Capability.DICE | Capability.DICE_SPUN
_UNWRITTEN: Final = (Tick, Measured, TileCount)
"""Inputs that are written only where something follows from them."""


class Unfit(ValueError):
    """The rule set and the table model do not fit; the message says in what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """What may differ from table to table.

    Attributes:
        players: names of seats 0..3.
        patience: how long the tracker waits.
        timers: what the display counts down.
        ahead: a discard is told as soon as it is read, before the whole table is at rest. Journals that do
            not say so were written without.
        heartbeat_s: `state/table` and `state/counters` are published at least this often.
        version: version of this program, for the journal.
        two_people: an answer that stays in a deal's record holds when a second person has given it too; false
            only where a journal from before that is replayed.
        defaults: the rules that the configuration names, None: those that are played.
    """

    players: Players = ("甲", "乙", "丙", "丁")
    patience: Patience = field(default_factory=Patience)
    timers: Timers = field(default_factory=Timers)
    ahead: bool = False
    heartbeat_s: float = 5.0
    version: str = ""
    two_people: bool = True
    defaults: Agreed | None = None


class Session:
    """One table from the start of the controller on.

    Call `start` once, then `handle` with every input. Carry out the effects in their order: a `Record` is
    written before any effect after it.
    """

    def __init__(
        self,
        rules: RuleSet,
        model: TableModel,
        settings: SessionSettings | None = None,
        past: Past | None = None,
    ) -> None:
        """Take up the game where `past` (`Journal.past()`) left it.

        Raises:
            Unfit: the model can't be played with this rule set.
            RecordBroken: the running deal was begun under other rules, or its record is not legal in these.
        """
        past = past or Past()
        self._settings = settings or SessionSettings()
        self._rules = rules
        self._model = model
        self._boot = past.boot
        self._replies = Replies.after(past.answers)
        self._seq = 0
        tracker = Tracker(model, rules, self._settings.patience, tells_ahead=self._settings.ahead)
        self._play = restored(past, rules, tracker, self._settings.players, self._settings.defaults)
        self._play.timers = self._settings.timers
        self._play.two_people = self._settings.two_people
        self._machine = _machine_of(rules, model, past)
        if self._play.playing:
            self._machine = board_machine.hand_continues(self._machine)
        self._published: dict[str, Payload] = {}
        self._shown: TableView | None = None
        self._beat_at = 0.0
        self._stirred = True

    def start(self, now: float) -> tuple[Effect, ...]:
        """What a start wants done; `now` in seconds since 1970, as everywhere here."""
        notes = Notes(self._boot, now)
        settings = msgspec.json.encode(msgspec.to_builtins(self._settings)).decode()
        notes.write(
            BootRow(
                boot=self._boot,
                at=now,
                version=self._settings.version,
                rules=self._rules.name,
                model=self._model.name,
                settings=settings,
                options=written_options(self._rules),
            )
        )
        self._play.tallies = replace(self._play.tallies, started=now)
        self._play.resume(notes)
        return self._effects(notes)

    def handle(self, arrived: Input, now: float) -> tuple[Effect, ...]:
        """Take an input into account; time never goes back from call to call."""
        if isinstance(arrived, Ordered) and (known := self._replies.known(arrived.id, now)) is not None:
            return (Answer(arrived.id, known),)
        notes = Notes(self._boot, now)
        was = self._machine
        if was.first_die is not self._play.needs_die:
            self._machine = replace(was, first_die=self._play.needs_die)
        reply = self._take_in(arrived, notes)
        self._begin_unseen(notes)
        look(self._play, notes)
        self._hand_over(notes)
        self._machine = record_confirmed(self._machine, self._play, now)
        self._note_machine(was, notes)
        # What was changed may lead to more, which time alone lets happen.
        self._stirred = bool(notes.rows) or (self._machine is not was and self._machine != was)
        answers = self._answers(arrived, reply, notes)
        if notes.rows or not isinstance(arrived, _UNWRITTEN):
            notes.rows.insert(0, self._input_row(arrived, now))
        return (*self._effects(notes), *answers)

    def _take_in(self, arrived: Input, notes: Notes) -> Reply | None:
        """Pass an input on to whom it concerns; the reply to an order."""
        if isinstance(arrived, Order | Ordered):
            return self._obey(arrived, notes)
        match arrived:
            case Appeared() | Vanished() | Settled() | CameraLost() | CameraBack():
                self._play.tracker.observe(arrived, notes.now)
                self._machine = camera_told(self._machine, arrived, notes.now)
            case DiceSeen() | Drift():
                self._machine = camera_told(self._machine, arrived, notes.now)
                self._dice_seen(arrived, notes)
            case CommandDone(number):
                self._follow(board_machine.command_done(self._machine, number, notes.now), notes)
            case CommandFailed(number, how, detail):
                self._follow(
                    board_machine.command_failed(self._machine, number, how, detail, notes.now), notes
                )
            case KeyPressed():
                self._pressed(arrived, notes)
            case NotRecorded() | Recorded() | RecordCut() | Pictured() | BrokerTrouble() | BrokerMended():
                self._machine = shell_told(self._machine, self._play, arrived, notes)
            case Measured():
                self._measure(arrived)
            case Tick():
                self._follow(board_machine.tick(self._machine, notes.now), notes)
            case _:
                self._follow(board_machine.report(self._machine, arrived, notes.now), notes)
        return None

    @property
    def table(self) -> TableState:
        """What is believed of the last deal."""
        return self._play.table

    def _obey(self, order: Order | Ordered, notes: Notes) -> Reply | None:
        """Carry a person's order out; one without an id is not answered."""
        if isinstance(order, Ordered):
            return carried_out(self._carry_out, order, notes, recorded=self._play.recorded)
        with contextlib.suppress(Refused):
            self._carry_out(order, notes)
        return None

    def _carry_out(self, order: Order, notes: Notes) -> tuple[str, str]:
        """What was done, in Chinese and English; raises `Refused`."""
        if not isinstance(order, Start):
            return obey(self._play, order, notes)
        was = self._machine
        require_waiting(self._play, was)
        self._follow(board_machine.report(was, KeyPressed(Key.LIFT, 0), notes.now), notes)
        return start_words(was, self._machine)

    def tried(self, order: Order, now: float) -> Reply:
        """What an order would do now; nothing is done."""
        return tried(self._play, order, Notes(self._boot, now), obey)

    def setup_sheet(self) -> SetupSheet:
        """What may be chosen for the coming match."""
        return setup_sheet(self._play, self._machine)

    def hands_sheet(self) -> HandsSheet:
        """The hands of the match that may be corrected."""
        return hands_sheet(self._play)

    @property
    def pictures(self) -> frozenset[str]:
        """The names of the pictures that the open doubts are shown with."""
        shown = self._published.get("state/doubt")
        doubts = shown.doubts if isinstance(shown, Doubts) else ()
        return frozenset(name for doubt in doubts for name in doubt.pictures)

    @property
    def match_has_begun(self) -> bool:
        """Whether the running match has had its first deal; from then on the referee says who sits where."""
        return self._play.playing or self._play.match.hand_no > 1

    @property
    def open_hands(self) -> tuple[int, ...]:
        """The seats whose hand was seen to lie open at the last complete look."""
        return self._play.tracker.open_hands

    def next_timer(self) -> float:
        """When `handle(Tick(), ...)` is due next; calling it earlier or more often does no harm."""
        if self._stirred:
            return 0.0
        times = (self._beat_at, self._play.again_at, board_machine.next_timer(self._machine))
        return min(time for time in times if time is not None)

    def snapshot(self, now: float) -> tuple[Publish, ...]:
        """Every retained topic, for a broker that has lost them."""
        payloads = state_payloads(self._view(now))
        return tuple(
            Publish(topic, self._stamped(payload, now, news=False), retain=True)
            for topic, payload in payloads.items()
        )

    def _follow(self, step: MachineStep, notes: Notes) -> None:
        """What the machine's next step asks for."""
        self._machine = step.machine
        if step.command is not None:
            notes.send(step.machine.number, step.command)
            if isinstance(step.command, StartCycle):
                self._play.tracker.tiles_leave()
        if step.die is not None:
            self._play.seat(step.die, notes, step.by)
        if step.dice is not None:
            self._play.start_deal(step.dice, notes, step.by)
            if self._machine.seen is not None and self._reads_dice():
                self._play.dice_seen(self._machine.seen, notes)
        if step.lift:
            lift(self._play, notes)

    def _begin_unseen(self, notes: Notes) -> None:
        """Somebody plays although the dice have never been told: a start has missed what they showed."""
        machine = self._machine
        thrown = machine.stage is Stage.WALLS and machine.before is Stage.ROLLING
        if self._play.playing or not thrown or self._play.tracker.opener() is None:
            return
        seen = machine.seen if machine.seen is not None and len(machine.seen) == machine.dice else ()
        self._machine = board_machine.hand_continues(machine)
        self._play.start_deal(seen, notes, DiceReader.CAMERA)

    def _dice_seen(self, seen: DiceSeen | Drift, notes: Notes) -> None:
        """The camera has read the dice under the dome, or sees that they move or can't be read."""
        if isinstance(seen, Drift):
            return
        self._follow(board_machine.dice_seen(self._machine, seen.values, notes.now), notes)
        if self._reads_dice():
            self._play.dice_seen(seen.values, notes)

    def _reads_dice(self) -> bool:
        """Whether the dice under the dome are those of the deal."""
        board = self._machine.board
        return board is not None and bool(board.capabilities & REAL_DICE)

    def _hand_over(self, notes: Notes) -> None:
        """A hand that has ended frees the machine; where the lift key ended it, the hatch opens at once."""
        if self._play.playing or self._machine.before is not Stage.PLAYING:
            return
        self._machine = board_machine.hand_over(self._machine)
        if self._play.lifted:
            self._play.lifted = False
            if self._play.locked:
                return
            self._follow(board_machine.open_hatch(self._machine, notes.now), notes)

    def _pressed(self, pressed: KeyPressed, notes: Notes) -> None:
        """A key of the machine, or at a seat; while the table pauses none counts."""
        if self._play.locked and not self._play.playing:
            return
        if not self._play.paused:
            self._play.tracker.key(pressed.key, pressed.seat)
            self._follow(board_machine.report(self._machine, pressed, notes.now), notes)

    def _measure(self, told: Measured) -> None:
        self._play.tallies = replace(
            self._play.tallies,
            read_fps=told.read_fps,
            serial_frames=told.serial_frames,
            serial_retransmitted=told.serial_retransmitted,
        )

    def _note_machine(self, was: Machine, notes: Notes) -> None:
        """Write what has become of the machine, and tell of alarms."""
        if self._machine.before is not was.before:
            notes.decide("stage", self._machine.before)
        if self._machine.boot_id != was.boot_id:
            notes.decide("board", self._machine.boot_id)
        after = self._machine.alarm
        if after != was.alarm:
            code = after.code if after is not None else ""
            notes.decide("alarm", code)
            notes.tell("event/alarm", AlarmEvent(active=after is not None, code=code))

    def _answers(self, arrived: Input, reply: Reply | None, notes: Notes) -> tuple[Answer, ...]:
        """The answer to an order, which is remembered, with all that followed from it."""
        if reply is None or not isinstance(arrived, Ordered):
            return ()
        told = replace(reply, changed=changes(notes.rows))
        self._replies.keep(arrived.id, told, notes.now)
        notes.write(
            AnswerRow(
                boot=self._boot,
                at=notes.now,
                id=arrived.id,
                verb=verb_of(arrived.order),
                author=arrived.order.author,
                done=told.done,
                zh=told.zh,
                en=told.en,
                changed=told.changed,
            )
        )
        return (Answer(arrived.id, told),)

    def _input_row(self, arrived: Input, now: float) -> InputRow:
        return InputRow(boot=self._boot, at=now, kind=type(arrived).__name__, body=body_of(arrived))

    def _effects(self, notes: Notes) -> tuple[Effect, ...]:
        """Rows first, then commands, passing messages, and the topics that have changed."""
        messages = tuple(self._passing(topic, payload, notes) for topic, payload in notes.messages)
        states = self._publications(notes)
        record = (Record(tuple(notes.rows)),) if notes.rows else ()
        return (*record, *notes.sends, *messages, *states)

    def _passing(self, topic: str, payload: Payload, notes: Notes) -> Publish:
        stamped = self._stamped(payload, notes.now)
        if topic in LEDGER_TOPICS:
            notes.write(
                OutboxRow(
                    boot=self._boot,
                    seq=self._seq,
                    at=notes.now,
                    topic=topic,
                    payload=encode(stamped).decode(),
                )
            )
        return Publish(topic, stamped, retain=False)

    def _publications(self, notes: Notes) -> tuple[Publish, ...]:
        """The retained topics whose payload has changed, or whose heartbeat is due."""
        beats = notes.now >= self._beat_at
        view = self._view(notes.now)
        if not beats and view == self._shown:
            return ()
        self._shown = view
        if beats:
            self._beat_at = notes.now + self._settings.heartbeat_s
        due: list[Publish] = []
        for topic, payload in state_payloads(view).items():
            known = self._published.get(topic)
            if is_same(known, payload):
                if beats and topic in _BEATING:
                    due.append(Publish(topic, self._stamped(payload, notes.now, news=False), retain=True))
                continue
            self._published[topic] = payload
            if topic == "state/table" and getattr(known, "phase", None) != getattr(payload, "phase", None):
                phase = PhaseEvent(phase=payload.phase)  # type: ignore[union-attr]
                due.append(Publish("event/phase", self._stamped(phase, notes.now), retain=False))
            news = is_news(known, payload)
            due.append(Publish(topic, self._stamped(payload, notes.now, news=news), retain=True))
        return tuple(due)

    def _view(self, now: float) -> TableView:
        return view_of(self._play, self._machine, now, heartbeat_s=self._settings.heartbeat_s)

    def _stamped(self, payload: Payload, now: float, *, news: bool = True) -> Payload:
        """Boot, number and time. A heartbeat repeats the last number: numbers tell what happened only."""
        self._seq += news
        return msgspec.structs.replace(payload, boot=self._boot, seq=self._seq, ts=time_text(now))


def _machine_of(rules: RuleSet, model: TableModel, past: Past) -> Machine:
    tiles = len(rules.tiles)
    if tiles not in model.tile_counts:
        known = ", ".join(map(str, sorted(model.tile_counts)))
        raise Unfit(f"{rules.name} is played with {tiles} tiles; {model.name} shuffles sets of {known}")
    before = Stage(past.stage) if past.stage else Stage.IDLE
    return Machine(stacks=model.stacks[tiles], before=before, boot_id=past.board)
