"""A board on the bench: sessions, commands and their answers, and the states a check begins from."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from firmware_bridge.commands import Command
from firmware_bridge.conformance.hands import Hands
from firmware_bridge.conformance.probe import Heard, NoSession, Probe
from firmware_bridge.conformance.requirement import NOBODY, NotApplicable, NotMet, expect
from firmware_bridge.encoding import decode_from_board, encode, limit_s
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.messages import (
    Accepted,
    Answer,
    Booted,
    CloseHatch,
    Config,
    Done,
    FromBoard,
    GetConfig,
    GetStatus,
    Home,
    LowerWalls,
    Notice,
    OpenHatch,
    RaiseWalls,
    Rejected,
    Report,
    Request,
    StateChanged,
    Status,
)
from firmware_bridge.states import Capability, Key, RejectReason, State

ANSWER_S: Final = 1.0
"""Accepted or Rejected come within this time (section 6)."""

HELLO_S: Final = 2.0
AT_ONCE_S: Final = 0.1
"""How long one waits for what must not come."""

OP_IDS: Final = 1 << 32
PUSHING_S: Final = 300.0
SLOW: Final = 3
BRISK: Final = 8
FAST: Final = 20
"""How much faster than a real one a simulated machine is: the slower, the longer something looks at it."""

FASTEST: Final = 200
"""The same where many dice are rolled."""


AnyReport = TypeVar("AnyReport")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the board that could be decoded, and when it came."""

    at: float
    message: FromBoard


@dataclass(slots=True)
class Asked:
    """A command and what has come of it; ``said``: all the board has said since."""

    op_id: int
    at: float
    bench: "Bench"
    mark: int

    @property
    def said(self) -> list[Said]:
        """What the board has said since the command was sent."""
        return self.bench.said(self.mark)

    @property
    def answers(self) -> list[Answer]:
        """The answers under this op_id, in order."""
        answers = [one.message for one in self.said if not isinstance(one.message, Notice)]
        return [answer for answer in answers if answer.op_id == self.op_id]

    @property
    def begun(self) -> Answer | None:
        """Accepted or Rejected."""
        return next((one for one in self.answers if isinstance(one, Accepted | Rejected)), None)

    @property
    def ended(self) -> Answer | None:
        """Rejected, Done or Failed."""
        return next((one for one in self.answers if not isinstance(one, Accepted)), None)

    @property
    def reason(self) -> RejectReason | None:
        """Why it was rejected."""
        return self.begun.reason if isinstance(self.begun, Rejected) else None

    def reports(self, kind: type[AnyReport]) -> list[AnyReport]:
        """Reports of a kind since the command, up to its end if that has come."""
        found: list[AnyReport] = []
        for one in self.said:
            if isinstance(one.message, Notice) and isinstance(one.message.report, kind):
                found.append(one.message.report)
            if one.message is self.ended:
                break
        return found

    @property
    def outcome(self) -> str:
        """The answers in words."""
        return ", ".join(map(str, self.answers)) or "no answer"


@dataclass(slots=True)
class Bench:
    """One board under examination. ``notes``: what one check leaves for a later one."""

    probe: Probe
    op_id: int
    hands: Hands | None = None
    motion: bool = True
    booted: Booted | None = None
    notes: dict[str, Any] = field(default_factory=dict)
    _said: list[Said] = field(default_factory=list)
    _seen: int = 0

    # ---- sessions ------------------------------------------------------------------------------------

    async def fresh(self, within: float = 3.0, window: int = 8) -> None:
        """A session of its own, after the hello. Raises NoSession."""
        start = self.mark()
        await self.probe.begin(within, window)
        if not await self.probe.until(lambda: self._hello(start), HELLO_S):
            raise NoSession("Booted and Status do not come at the beginning of a session")
        self.booted = next(report for report in self.reports(start) if isinstance(report, Booted))

    def _hello(self, start: int) -> bool:
        kinds = [type(report) for report in self.reports(start)]
        return Booted in kinds and Status in kinds

    @property
    def slack(self) -> float:
        """How much later than due something may be seen."""
        return self.probe.wire.slack

    def can(self, *capabilities: Capability) -> bool:
        """Whether the board has one of these."""
        return self.booted is not None and any(one in self.booted.capabilities for one in capabilities)

    # ---- what the board says -------------------------------------------------------------------------

    def mark(self) -> int:
        """A place in what the board says: everything after it is new."""
        self._catch_up()
        return len(self._said)

    def said(self, mark: int) -> list[Said]:
        """What the board has said since ``mark``, as far as it can be understood."""
        self._catch_up()
        return self._said[mark:]

    def reports(self, mark: int) -> list[Report]:
        """Reports since ``mark``."""
        return [one.message.report for one in self.said(mark) if isinstance(one.message, Notice)]

    def notices(self, mark: int) -> list[Notice]:
        """Reports since ``mark`` with their numbers and clocks."""
        return [one.message for one in self.said(mark) if isinstance(one.message, Notice)]

    async def hear(self, mark: int, matches: Callable[[Report], bool], within: float) -> bool:
        """Wait until a report since ``mark`` matches."""
        return await self.probe.until(lambda: any(map(matches, self.reports(mark))), within)

    def _catch_up(self) -> None:
        for heard in self.probe.heard[self._seen :]:
            message = decoded(heard)
            if message is not None:
                self._said.append(Said(heard.at, message))
        self._seen = len(self.probe.heard)

    # ---- commands ------------------------------------------------------------------------------------

    def next_op_id(self) -> int:
        """An op_id that was not used before."""
        self.op_id = (self.op_id + 1) % OP_IDS
        return self.op_id

    async def start(self, command: Command | bytes, op_id: int | None = None) -> Asked:
        """Send a command, or the bytes of one with its op_id, and wait for nothing."""
        if isinstance(command, bytes):
            op_id = int.from_bytes(command[1:5], "little")
            message = command
        else:
            op_id = self.next_op_id() if op_id is None else op_id
            message = encode(Request(op_id, command))
        asked = Asked(op_id, self.probe.now, self, self.mark())
        await self.probe.message(message)
        return asked

    async def answered(self, asked: Asked) -> Answer:
        """Wait for the first answer. Raises NotMet when none comes in time.

        Whether that is Accepted or Rejected is looked at elsewhere (CMD-01, CMD-04).
        """
        within = ANSWER_S + self.slack - (self.probe.now - asked.at)
        if not await self.probe.until(lambda: asked.answers, within):
            raise NotMet(f"no answer within {ANSWER_S:g} s for op_id {asked.op_id}")
        return asked.answers[0]

    async def begun(self, command: Command) -> Asked:
        """A motion that is under way. Raises NotApplicable where it is over before it can be looked at."""
        asked = await self.start(command)
        await self.probe.until(lambda: asked.answers or self._moves(asked.mark), ANSWER_S + self.slack)
        if asked.reason is not None:
            raise NotMet(f"{command}: {asked.outcome}")
        if asked.ended is not None:
            raise NotApplicable(f"{command} has ended before its motion could be looked at: {asked.outcome}")
        return asked

    def _moves(self, mark: int) -> bool:
        return any(isinstance(report, StateChanged) for report in self.reports(mark))

    async def finished(self, asked: Asked, within: float) -> Answer:
        """Wait for Rejected, Done or Failed. Raises NotMet when none comes."""
        await self.answered(asked)
        await self.probe.until(lambda: asked.ended is not None, within)
        if asked.ended is None:
            raise NotMet(f"neither Done nor Failed within {within:g} s: {asked.outcome}")
        return asked.ended

    async def ask(self, command: Command, *, op_id: int | None = None) -> Asked:
        """Send a command and wait for its end, whatever that is."""
        asked = await self.start(command, op_id)
        await self.finished(asked, limit_s(command) + self.slack)
        return asked

    async def do(self, command: Command) -> Asked:
        """A command that must be Done."""
        asked = await self.ask(command)
        expect(isinstance(asked.ended, Done), f"{command}: expected Done, got {asked.outcome}")
        return asked

    async def refused(
        self, command: Command | bytes, reasons: Iterable[RejectReason], name: str = ""
    ) -> Asked:
        """A command that must be Rejected for one of these reasons."""
        wanted = tuple(reasons)
        asked = await self.start(command)
        await self.answered(asked)
        if asked.reason not in wanted:
            names = " or ".join(reason.name for reason in wanted)
            if isinstance(asked.begun, Accepted):
                await self.probe.until(lambda: asked.ended is not None, 1.0)
            raise NotMet(f"{name or repr(command)}: expected Rejected {names}, got {asked.outcome}")
        return asked

    async def status(self) -> Status:
        """How everything stands."""
        asked = await self.do(GetStatus())
        found = asked.reports(Status)
        expect(found, "GetStatus: no Status before Done")
        return found[-1]

    async def status_notice(self) -> Notice:
        """The answer to GetStatus with its number and clock."""
        mark = self.mark()
        await self.do(GetStatus())
        found = [one for one in self.notices(mark) if isinstance(one.report, Status)]
        expect(found, "GetStatus: no Status before Done")
        return found[-1]

    async def well(self, words: str) -> None:
        """The board still answers in this session; ``words``: after what."""
        asked = await self.start(GetStatus())
        try:
            await self.finished(asked, 1.0)
        except NotMet as error:
            raise NotMet(f"after {words}: {error}") from None
        expect(isinstance(asked.ended, Done), f"after {words}: GetStatus gives {asked.outcome}")

    # ---- where a check begins ------------------------------------------------------------------------

    async def pace(self, speed: int) -> None:
        """Let the machine be so fast, where that can be chosen."""
        if self.hands is not None:
            await self.hands.pace(speed)

    async def press(self, key: Key, seat: int = 0) -> None:
        """Somebody presses a key."""
        if self.hands is None:
            raise NotApplicable(NOBODY)
        await self.hands.press(key, seat)

    async def running(self) -> Status:
        """A machine that accepts motions, standing still."""
        await self.pace(FAST)
        status = await self.status()
        if status.safety not in (State.OPERATIONAL, State.DEGRADED):
            raise NotApplicable(f"safety is {status.safety.name}: nothing can be moved")
        return status

    async def homed(self) -> Status:
        """Hatch closed, carriers down."""
        status = await self.running()
        if status.hatch is State.HATCH_UNKNOWN or status.walls is State.WALLS_UNKNOWN:
            await self.do(Home() if self.minor >= 1 else CloseHatch())
            status = await self.status()
        if status.hatch is not State.HATCH_CLOSED:
            await self.do(CloseHatch())
        if status.walls is not State.WALLS_DOWN:
            await self.do(LowerWalls())
        return await self.status()

    @property
    def minor(self) -> int:
        """Minor version of the board's messages."""
        return 0 if self.booted is None else self.booted.protocol[1]

    async def loaded(self) -> Status:
        """Homed, with tiles inside that a cycle can begin with. Raises NotApplicable."""
        status = await self.homed()
        if status.lower in (State.LOADED, State.SHORT):
            return status
        if status.lower is State.STAGED and self.hands is not None:
            await self.do(RaiseWalls())
            await self.do(LowerWalls())
        if self.hands is None or status.lower not in (State.EMPTY, State.STAGED):
            raise NotApplicable(f"below is {status.lower.name}: a cycle needs tiles inside, LOADED or SHORT")
        tiles = await self.tiles()
        await self.do(OpenHatch())
        if not await self._pushed_in(self.hands, tiles):
            await self.do(CloseHatch())
            raise NotApplicable("nobody pushes tiles in")
        await self.do(CloseHatch())
        status = await self.status()
        expect(status.lower is State.LOADED, f"tiles were pushed in, and below is {status.lower.name}")
        return status

    async def _pushed_in(self, hands: Hands, tiles: int) -> bool:
        """Let somebody push tiles in, for as long as it takes; the link goes on meanwhile."""
        pushing = asyncio.ensure_future(hands.load(tiles))
        try:
            await self.probe.until(pushing.done, PUSHING_S)
            return pushing.done() and pushing.result()
        finally:
            pushing.cancel()

    async def tiles(self) -> int:
        """Tiles of the set the machine is set to."""
        if not self.can(Capability.CONFIG):
            return 136
        found = (await self.do(GetConfig())).reports(Config)
        expect(found, "GetConfig: no Config before Done")
        return found[-1].tiles


def decoded(heard: Heard) -> FromBoard | None:
    """The message, or None where it is none that is known."""
    try:
        return decode_from_board(heard.data)
    except MalformedMessage:
        return None
