"""`longzhuo board log`: what the board has kept of this boot, and what it says from now on (shell)."""

import asyncio
import json
from datetime import datetime
from typing import Final

import click

from controller.cli.board_faults import clock
from controller.cli.board_plain import told
from controller.cli.board_talk import Talk
from controller.cli.board_text import wrapped
from controller.cli.board_words import SEVERITIES, STATES, both, side_name
from firmware_bridge.faults import words
from firmware_bridge.messages import (
    Booted,
    CycleDone,
    DiceRolled,
    Disconnected,
    Fault,
    FaultCleared,
    KeyPressed,
    KeyReleased,
    Missed,
    Report,
    ReportsLost,
    SideDone,
    StateChanged,
    Status,
    TileCount,
    Travel,
    WallsUp,
)
from firmware_bridge.states import Capability

QUIET_S: Final = 0.5
MOST_S: Final = 10.0
"""The history has come when nothing came for so long, or after the most."""


async def log(talk: Talk, *, follow: bool, as_json: bool) -> None:
    """Print what the board has kept, then what comes while ``follow``."""
    if Capability.REPLAY not in talk.identity.capabilities and not as_json:
        click.echo("这块控制板不保存报告 this board keeps no reports; --follow shows what comes from now on")
    await history(talk)
    for report in talk.heard:
        if isinstance(report, Missed | ReportsLost):
            _print(report, live=False, as_json=as_json)
    since = len(talk.heard)
    while follow:
        for report in await talk.more(since):
            since += 1
            _print(report, live=not isinstance(report, Missed | ReportsLost), as_json=as_json)


async def history(talk: Talk) -> None:
    """Wait until what the board has kept has come."""
    try:
        async with asyncio.timeout(MOST_S):
            since = len(talk.heard)
            while True:
                async with asyncio.timeout(QUIET_S):
                    since += len(await talk.more(since))
    except TimeoutError:
        return


def _print(report: Report, *, live: bool, as_json: bool) -> None:
    now = datetime.now().astimezone()
    if as_json:
        click.echo(json.dumps({"live": live, "at": now.isoformat(), **told(report)}, ensure_ascii=False))
        return
    head = now.strftime("%H:%M:%S.%f")[:-5] if live else ""
    for line in lines(report, head):
        click.echo(line)


def lines(report: Report, at: str) -> list[str]:
    """A report for people: at which time, and what it says."""
    if isinstance(report, Missed):
        at, report = f"{clock(report.at_ms)} #{report.number}", report.report
    head = f"{at:<17}"
    return wrapped(sentence(report), first=head, rest=" " * 17)


def sentence(report: Report) -> str:  # noqa: C901, PLR0911, PLR0912 - one arm for each kind of report
    """What a report says."""
    match report:
        case StateChanged(state=state):
            return f"{both(STATES[state])} ({state.name})"
        case Fault(code=code, severity=severity, side=side, evidence=evidence):
            where = "" if side is None else f" {side_name(side)}"
            text, does = words(code, severity), both(SEVERITIES[severity])
            return f"故障 fault {code.label} {text.zh} {text.en}{where}, {does} [{evidence}]"
        case FaultCleared(code=code):
            return f"已消 gone {code.label} {words(code).zh} {words(code).en}"
        case KeyPressed(key=key, seat=seat):
            return f"按下 pressed {key.name}, 座位 seat {seat}"
        case KeyReleased(key=key, seat=seat):
            return f"松开 released {key.name}, 座位 seat {seat}"
        case TileCount(side=side, n=n, target=target):
            return f"{side_name(side)}: {n}/{target}"
        case SideDone(side=side, n=n, ms=ms):
            return f"{side_name(side)} 完成 complete: {n}, {ms / 1000:.1f} s"
        case CycleDone(cycle_id=number, counts=counts, ms=ms):
            return f"洗好 cycle {number} done: {' '.join(map(str, counts))}, {ms / 1000:.1f} s"
        case WallsUp(counts=counts):
            return f"牌墙升好 walls up: {' '.join(map(str, counts))}"
        case DiceRolled(values=values):
            return f"骰子 dice {' '.join(map(str, values)) or '– (a camera reads them)'}"
        case Travel(region=region, ms=ms, bound_ms=bound):
            return f"行程 travel {region.name}: {ms} ms (慢 slow beyond {bound})"
        case Booted(boot_id=boot_id, firmware=firmware, cause=cause):
            return f"控制板 board {firmware}, boot 0x{boot_id:08x}, {cause.name}"
        case Status():
            states = (report.safety, report.hatch, report.walls, report.lower, report.dice)
            return "状态 status " + " ".join(state.name for state in states)
        case ReportsLost(first=first):
            return f"更早的没有保存 older than #{first} is no longer kept"
        case Disconnected(reason=reason):
            return f"断线 link lost: {reason}"
    return f"{type(report).__name__} {told(report)}"
