"""A real session with a machine that never fails, whose deals are begun and whose tiles are laid by tests."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from ready import BOOTED, IDLE  # type: ignore[import-not-found]

from controller import models
from controller.session import Session, SessionSettings
from controller.session_effects import Answer, Effect, Record, Send
from controller.session_inputs import CommandDone, Input, Ordered
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
from rules import sets
from vision.observations import Appeared, Settled
from vision.zones import table_point

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shown import Shown

    from controller.journal_rows import Row
    from controller.session_replies import Reply

WALLS = (34, 34, 34, 34)
NUMBERS = count(1)


@dataclass
class Played:
    """One table; the clock goes on by the wall, never back."""

    session: Session = field(
        default_factory=lambda: Session(
            sets.load("cixi-card"), models.load("longzhuo840"), SessionSettings(heartbeat_s=600.0)
        )
    )
    rows: list[Row] = field(default_factory=list)
    sent: list[Send] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._done(self.session.start(time.time()))
        self.tell(BOOTED)
        self.tell(IDLE)

    def tell(self, arrived: Input) -> None:
        """Something comes in; the machine answers at once."""
        waiting = self._done(self.session.handle(arrived, time.time()))
        while waiting:
            send = waiting.pop(0)
            for answer in (*_reports(send), CommandDone(send.number)):
                waiting += self._done(self.session.handle(answer, time.time()))

    async def order(self, ordered: Ordered) -> Reply:
        """Carry an order out, as the controller's loop does."""
        before = len(self.replies)
        self.tell(ordered)
        return self.replies[before]

    def begin(self) -> None:
        """A hand: indicator 1m, seat 0 has discarded W."""
        while not self.rows or not self.session.table.log:
            self.tell(KeyPressed(Key.LIFT, 1))
        self.lay("1m", 86.0, -86.0)
        self.lay("W", *table_point(0, -144.0, 184.0))

    def lay(self, tile: str, x: float, y: float) -> None:
        """A tile lies there, and nothing moves any more."""
        seen = Appeared(at=0.0, id=next(NUMBERS), tile=tile, x=x, y=y, angle=0.0)
        self.tell(seen)
        self.tell(Settled(at=0.0))

    async def show(self, shown: Shown) -> None:
        """Publish the table as it is."""
        told = self.session.snapshot(time.time())
        await shown.publish(
            **{each.topic.removeprefix("state/"): each.payload for each in told}, availability="online"
        )

    def found(self, kind: type[Row]) -> list[Row]:
        """The rows of one kind."""
        return [row for row in self.rows if isinstance(row, kind)]

    def _done(self, effects: Iterable[Effect]) -> list[Send]:
        sends = []
        for effect in effects:
            match effect:
                case Record(rows):
                    self.rows += rows
                case Send():
                    sends.append(effect)
                case Answer():
                    self.replies.append(effect.reply)
        self.sent += sends
        return sends


def _reports(send: Send) -> tuple[Report, ...]:
    match send.command:
        case OpenHatch():
            return ()
        case StartCycle():
            return (CycleDone(1, WALLS, 20000),)
        case RaiseWalls():
            return (WallsUp(WALLS),)
        case RollDice(1):
            return (DiceRolled((1,)),)
        case RollDice():
            return (DiceRolled((3, 4)),)
    return ()
