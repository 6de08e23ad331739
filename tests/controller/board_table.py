"""A session, a real host and a real board in virtual time, with people who do what the display says."""

from collections import deque
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from controller.journal_deals import DealRow
from controller.journal_start import Past
from controller.machine import Stage
from controller.models import load as load_model
from controller.public import Alarm, Payload, TableSnapshot
from controller.session import Session
from controller.session_effects import Effect, Publish, Record, Send
from controller.session_inputs import CommandDone, CommandFailed, Input, Tick
from firmware_bridge.errors import BoardError, CommandRefused, LinkLost
from firmware_bridge.errors import CommandFailed as BoardFailed
from firmware_bridge.host import Finished, Host
from firmware_bridge.messages import Command, Done, GetConfig, GetStatus, Report, SetConfig
from firmware_bridge.states import Key
from hardware_sim.wires import Wire
from hardware_sim.wires_pair import Pair
from rules import sets

if TYPE_CHECKING:
    from controller.journal_rows import Row

EPOCH = 1_000_000.0
TICK_S = 0.1
HARMLESS = (GetStatus, GetConfig, SetConfig)

STACKS = (17, 17, 17, 17)
WAY = (
    Stage.IDLE,
    Stage.OPENING,
    Stage.OPEN,
    Stage.SHUFFLING,
    Stage.RAISING,
    Stage.ROLLING,
    Stage.PLAYING,
)
MOMENTS = [
    *((stage, 0.0) for stage in WAY),
    (Stage.OPENING, 0.7),
    (Stage.SHUFFLING, 0.7),
    (Stage.SHUFFLING, 6.0),
    (Stage.RAISING, 0.7),
    (Stage.ROLLING, 0.7),
]
"""Stages, and seconds after they began."""

AWAY_S = [pytest.param(0.3, marks=pytest.mark.long), 5.0, pytest.param(20.0, marks=pytest.mark.long)]
"""How long a cable is pulled: shorter than the board notices, than the host waits, and longer."""


class AnyBoard(Protocol):
    """A board in virtual time with people at it; `tiles` begins with the number on the table top."""

    def receive(self, data: bytes, now: float) -> None: ...
    def on_timer(self, now: float) -> None: ...
    def next_timer(self) -> float | None: ...
    def data_to_send(self, now: float) -> bytes: ...
    def press(self, key: Key, seat: int, now: float, *, down: bool = True) -> None: ...
    def load(self, tiles: int, now: float) -> bool: ...
    @property
    def tiles(self) -> tuple[int, ...]: ...


class BoardTable(Pair):
    """One table: what the session sends reaches the board, what the board says reaches the session."""

    def __init__(self, board: Any, past: Past | None = None) -> None:
        self.host = Host(session=5, first_op_id=77)
        self.board: Any = board
        super().__init__(self.host, board, Wire(1), Wire(2))
        self.rules = sets.load("cixi-card")
        self.model = load_model("longzhuo840")
        self.session = Session(self.rules, self.model, None, past)
        self.sent: list[Send] = []
        self.rows: list[Row] = []
        self.heard: list[Report] = []
        self.shown: dict[str, Payload] = {}
        self.alarms: list[str] = []
        self._queue: deque[Send] = deque()
        self._under_way: tuple[int, int] | None = None
        self._tick_at = 0.0
        self._carry_out(self.session.start(EPOCH))
        self.host.port_opened(0.0)

    # ---- what a test looks at ------------------------------------------------------------------------

    @property
    def stage(self) -> Stage:
        return self.session._machine.stage  # noqa: SLF001 - what the tests are about

    @property
    def alarm(self) -> Alarm:
        shown = self.shown["state/alarm"]
        assert isinstance(shown, Alarm)
        return shown

    @property
    def table(self) -> TableSnapshot:
        shown = self.shown["state/table"]
        assert isinstance(shown, TableSnapshot)
        return shown

    def motions(self) -> list[Command]:
        return [send.command for send in self.sent if not isinstance(send.command, HARMLESS)]

    # ---- time ----------------------------------------------------------------------------------------

    def step(self, at_most: float = float("inf")) -> None:
        super().step(min(at_most, self._tick_at))
        for outcome in self.host.outcomes():
            if isinstance(outcome, Finished):
                self._ended(outcome.op_id, outcome.result)
            else:
                self.heard.append(outcome)
                self.tell(outcome)
        if self.now >= self._tick_at:
            self._tick_at = self.now + TICK_S
            self.tell(Tick())

    def until(self, *stages: Stage, within_s: float = 120.0) -> None:
        end = self.now + within_s
        while self.stage not in stages:
            assert self.now < end, f"{self.stage} instead of {stages}: {self.alarm}"
            self.step()

    def tell(self, arrived: Input) -> None:
        self._carry_out(self.session.handle(arrived, EPOCH + self.now))

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case Record(rows):
                    self.rows += rows
                case Send():
                    self.sent.append(effect)
                    self._queue.append(effect)
                case Publish(topic, payload):
                    self.shown[topic] = payload
                    if isinstance(payload, Alarm) and payload.active:
                        self.alarms.append(payload.code)
        self._command()

    def _command(self) -> None:
        """Give the next command, one at a time."""
        while self._queue and self._under_way is None:
            send = self._queue.popleft()
            try:
                self._under_way = self.host.request(send.command, self.now), send.number
            except BoardError as error:
                self.tell(failed(send.number, error))

    def _ended(self, op_id: int, result: Done | BoardError) -> None:
        if self._under_way is None or op_id != self._under_way[0]:
            return
        number, self._under_way = self._under_way[1], None
        self.tell(failed(number, result) if isinstance(result, BoardError) else CommandDone(number))
        self._command()

    # ---- what happens to it --------------------------------------------------------------------------

    def pull_cable(self) -> None:
        self.to_left.cut = self.to_right.cut = True
        self.host.port_closed("the cable is pulled", self.now)

    def plug_in(self) -> None:
        self.to_left.cut = self.to_right.cut = False
        self.host.port_opened(self.now)

    def press(self, key: Key = Key.LIFT, seat: int = 1) -> None:
        self.board.press(key, seat, self.now)
        self.run(0.1)
        self.board.press(key, seat, self.now, down=False)
        self.run(0.1)

    def people_go_on(self, within_s: float = 600.0) -> None:
        """Push in what lies there while the hatch is open, and press the lift key, until the deal begins."""
        end = self.now + within_s
        while self.stage is not Stage.PLAYING:
            assert self.now < end, f"the table is stuck in {self.stage}: {self.alarm}"
            if not self.board.load(self.board.tiles[0], self.now) or self.stage is Stage.OPEN:
                self.press()
            self.run(4.0)


def failed(number: int, error: BoardError) -> CommandFailed:
    """The end of a command as the program's loop tells it."""
    match error:
        case CommandRefused():
            return CommandFailed(number, "refused", error.reason.name)
        case BoardFailed():
            return CommandFailed(number, "failed", error.fault.name if error.fault else error.cause.name)
        case LinkLost():
            return CommandFailed(number, "lost", error.reason)
    return CommandFailed(number, "refused", str(error))


def bring_to(table: BoardTable, stage: Stage, seconds: float = 0.0) -> None:
    """People prepare a hand until `stage` has lasted so long."""
    for at in WAY[1 : WAY.index(stage) + 1]:
        if at is Stage.OPENING:
            table.press()
        if at is Stage.SHUFFLING:
            assert table.board.load(136, table.now)
            table.press()
        table.until(at)
    table.run(seconds)


def deals(table: BoardTable) -> int:
    return sum(isinstance(row, DealRow) for row in table.rows)


def no_motion_is_given_twice(table: BoardTable) -> bool:
    return len(table.motions()) == len(set(table.motions()))
