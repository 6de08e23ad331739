"""`longzhuo board cycle`: a cycle with the progress of every side (shell; the bars are pure)."""

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import click

from controller.cli.board_faults import explained
from controller.cli.board_plain import plain
from controller.cli.board_talk import Talk
from controller.cli.board_words import STATES, both
from firmware_bridge import CommandFailed
from firmware_bridge.messages import (
    Command,
    CycleDone,
    Fault,
    KeyPressed,
    OpenHatch,
    RaiseWalls,
    Report,
    SideDone,
    StartCycle,
    StateChanged,
    TileCount,
)
from firmware_bridge.states import Key, Region, State

BAR: Final = 34
Four = tuple[int, int, int, int]
AS_SET: Final[Four] = (0, 0, 0, 0)


@dataclass(slots=True)
class Sides:
    """Tiles on each side as they come; ``done``: milliseconds until a side was complete."""

    n: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    target: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    done: list[int | None] = field(default_factory=lambda: [None] * 4)

    def take(self, report: Report) -> bool:
        """Take a report; True when a bar has changed."""
        match report:
            case TileCount(side=side, n=n, target=target):
                self.n[side], self.target[side] = n, target
            case SideDone(side=side, n=n, ms=ms):
                self.n[side], self.done[side] = n, ms
            case _:
                return False
        return True

    def bars(self) -> list[str]:
        """One line a side."""
        return [self.bar(side) for side in range(4)]

    def bar(self, side: int) -> str:
        """The bar of one side."""
        n, target, ms = self.n[side], self.target[side], self.done[side]
        filled = BAR * n // target if target else 0
        time = "" if ms is None else f"  {ms / 1000:.1f} s"
        return f"第{side}边 side {side}  {'█' * filled}{'·' * (BAR - filled)}  {n:>2}/{target or '–'}{time}"


class Screen:
    """Draws the bars in place on a terminal; line by line elsewhere, a line whenever a side is complete."""

    def __init__(self, say: Callable[[str], None], *, in_place: bool) -> None:
        self._say = say
        self._in_place = in_place
        self._drawn = False
        self._told: set[int] = set()

    def show(self, sides: Sides) -> None:
        """The bars as they are now."""
        if self._in_place:
            above = "\x1b[4A" if self._drawn else ""
            self._say(above + "\n".join(f"\x1b[2K{bar}" for bar in sides.bars()))
            self._drawn = True
            return
        for side in range(4):
            if side not in self._told and sides.target[side] and sides.n[side] >= sides.target[side]:
                self._told.add(side)
                self._say(sides.bar(side))

    def line(self, text: str) -> None:
        """A line of its own."""
        self._say(text)
        self._drawn = False


@dataclass(frozen=True, slots=True)
class Order:
    """What to do. ``opens``: open the hatch first, wait for tiles; ``raises``: raise the walls at the end."""

    stacks: Four | None
    opens: bool
    raises: bool
    as_json: bool


async def cycle(talk: Talk, order: Order) -> None:
    """Run one cycle and tell how it went. Raises ClickException, BoardError."""
    screen = Screen(click.echo, in_place=sys.stdout.isatty())
    sides = Sides()
    if order.opens:
        await _load(talk, quiet=order.as_json)
    before = len(talk.heard)
    watching = asyncio.create_task(_watch(talk, sides, None if order.as_json else screen))
    try:
        for command in _commands(talk, order):
            await talk.board.command(command)
    except CommandFailed as error:
        if not order.as_json:
            screen.line(_failure(talk, before))
        raise click.ClickException(_short(error)) from error
    finally:
        watching.cancel()
        await asyncio.wait([watching])
    done = next(report for report in talk.heard[before:] if isinstance(report, CycleDone))
    if order.as_json:
        click.echo(_json(done, sides, talk))
        return
    counts = " ".join(map(str, done.counts))
    screen.line(f"洗好了 cycle {done.cycle_id} done: {counts} 张 tiles in {done.ms / 1000:.1f} s")


def _commands(talk: Talk, order: Order) -> list[Command]:
    stacks = order.stacks or (AS_SET if talk.identity.protocol >= (1, 1) else StartCycle().stacks)
    return [StartCycle(stacks), RaiseWalls()] if order.raises else [StartCycle(stacks)]


async def _load(talk: Talk, *, quiet: bool) -> None:
    """Open the hatch and wait until somebody at the table presses LIFT."""
    before = len(talk.heard)
    await talk.board.command(OpenHatch())
    if not quiet:
        click.echo("中心开了：推进牌，按升降键 hatch open: push the tiles in, then press a LIFT key")
    # Whoever presses as soon as the hatch is open may be faster than the board's Done.
    since = before + open_since(talk.heard[before:])
    while True:
        for report in await talk.more(since):
            since += 1
            if isinstance(report, KeyPressed) and report.key is Key.LIFT:
                return


def open_since(heard: Sequence[Report]) -> int:
    """How many of these reports are from before the hatch was open."""
    opened = [
        at
        for at, report in enumerate(heard, start=1)
        if isinstance(report, StateChanged) and report.state is State.HATCH_OPEN
    ]
    return max(opened, default=0)


async def _watch(talk: Talk, sides: Sides, screen: Screen | None) -> None:
    since = len(talk.heard)
    while True:
        for report in await talk.more(since):
            since += 1
            changed = sides.take(report)
            if screen is None:
                continue
            match report:
                case Fault(code=code):
                    screen.line(f"! {code.label}")
                case StateChanged(region=Region.LOWER | Region.HATCH | Region.WALLS, state=state):
                    screen.line(f"· {both(STATES[state])}  ({state.name})")
            if changed:
                screen.show(sides)


def _failure(talk: Talk, since: int) -> str:
    faults = [report for report in talk.heard[since:] if isinstance(report, Fault)]
    stopped = any(
        isinstance(one, StateChanged) and one.state is State.PROTECTIVE_STOP for one in talk.heard[since:]
    )
    lines = [line for fault in faults for line in explained(fault)]
    return "\n".join(lines) or ("保护停机 protective stop" if stopped else "没有洗完 the cycle did not end")


def _short(error: CommandFailed) -> str:
    label = f" {error.fault.label}" if int(error.fault) else ""
    return f"没有洗完 the cycle ended early: {error.cause.name}{label}"


def _json(done: CycleDone, sides: Sides, talk: Talk) -> str:
    told: dict[str, Any] = {**plain(done), "side_ms": sides.done, "faults": plain(talk.faults)}
    return json.dumps(told, ensure_ascii=False)
