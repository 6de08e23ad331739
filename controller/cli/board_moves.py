"""`longzhuo board dice` and `jog`: what moves one part of the machine (shell)."""

import asyncio
import json
from hashlib import sha256
from typing import Final

import click

from controller.cli.board_dice import dice_of, shown, verdict
from controller.cli.board_talk import Talk
from controller.cli.board_words import MOTORS, STATES, both
from firmware_bridge import BoardError
from firmware_bridge.messages import (
    DiceCommit,
    DiceCommitted,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    GetStatus,
    Home,
    Jog,
    KeyPressed,
    MaintenanceBegin,
    MaintenanceEnd,
    RollDice,
    Status,
)
from firmware_bridge.states import Capability, Key, Motor, State
from firmware_bridge.virtual_dice import roll_values

SERVICE_WAIT_S: Final = 120.0
"""How long to wait for somebody to press the SERVICE key."""

NO_VALUES: Final = (
    "这块控制板只转骰子，点数由摄像头读，没有什么可数 this board only spins the dice, a camera reads them: "
    "there is nothing to count"
)


async def dice(talk: Talk, rolls: int, *, count: int, virtual: bool, as_json: bool) -> None:
    """Roll, count, and say what follows. Raises ClickException, BoardError."""
    abilities = talk.identity.capabilities
    if Capability.DICE not in abilities and Capability.VIRTUAL_DICE not in abilities:
        raise click.ClickException(NO_VALUES)
    by_commitment = virtual or Capability.DICE not in abilities
    rolled: list[tuple[int, ...]] = []
    try:
        for number in range(1, rolls + 1):
            values = await (_virtual(talk, count) if by_commitment else _roll(talk, count))
            rolled.append(values)
            if not as_json:
                click.echo(f"第{number}次 roll {number}: {' '.join(map(str, values))}")
    except (asyncio.CancelledError, BoardError):
        if not as_json:
            click.echo("")
        _tell(rolled, as_json=as_json)
        raise
    _tell(rolled, as_json=as_json)


async def _roll(talk: Talk, count: int) -> tuple[int, ...]:
    told = await talk.ask(RollDice(count), DiceRolled)
    return told[-1].values if told else ()


async def _virtual(talk: Talk, count: int) -> tuple[int, ...]:
    """One roll by commitment, checked against what the board committed to."""
    committed = (await talk.ask(DiceCommit(), DiceCommitted))[-1]
    values = await _roll(talk, count)
    revealed = (await talk.ask(DiceReveal(), DiceRevealed))[-1]
    honest = (
        sha256(revealed.seed).digest() == committed.digest
        and revealed.roll == committed.roll
        and roll_values(revealed.seed, revealed.roll, {}, count) == values
    )
    if not honest:
        raise click.ClickException(
            f"第{committed.roll}次与承诺不符 roll {committed.roll} is not what the board committed to"
        )
    return values


def _tell(rolled: list[tuple[int, ...]], *, as_json: bool) -> None:
    found = dice_of(rolled)
    if not as_json:
        for line in ["", *shown(found)]:
            click.echo(line)
        return
    zh, en = verdict(found)
    dice = [
        {
            "counts": die.counts,
            "rolls": die.rolls,
            "chi_square": round(die.chi_square, 3),
            "p": round(die.p, 4),
        }
        for die in found
    ]
    click.echo(json.dumps({"rolls": rolled, "dice": dice, "zh": zh, "en": en}, ensure_ascii=False))


# ---- one motor ---------------------------------------------------------------------------------------------


async def jog(talk: Talk, motor: Motor, *, forward: bool, ms: int, home: bool) -> None:
    """Run one motor for a moment, in maintenance, and leave it again. Raises ClickException, BoardError."""
    if Capability.MAINTENANCE not in talk.identity.capabilities:
        raise click.ClickException("这块控制板没有检修功能 this board has no maintenance (no jog)")
    if (await _state(talk)).safety is not State.MAINTENANCE:
        await _service_key(talk)
        await talk.board.command(MaintenanceBegin())
    try:
        await talk.board.command(Jog(motor, forward, ms))
        way = "正转 forward" if forward else "反转 back"
        click.echo(f"{both(MOTORS[motor])}: {way} {ms} ms 完成 done")
    finally:
        await talk.board.command(MaintenanceEnd())
    if home:
        click.echo("回到原位 going to the rest position")
        await talk.board.command(Home())
    now = await _state(talk)
    for state in (now.hatch, now.walls):
        click.echo(f"  {both(STATES[state])}  ({state.name})")
    if State.HATCH_UNKNOWN is now.hatch or State.WALLS_UNKNOWN is now.walls:
        click.echo("位置不明，下次加 --home，或按升降键 position unknown: --home next time, or a LIFT key")


async def _state(talk: Talk) -> Status:
    return (await talk.ask(GetStatus(), Status))[-1]


async def _service_key(talk: Talk) -> None:
    """Wait until somebody has the cabinet open and presses the SERVICE key there."""
    click.echo(
        "打开机柜，按一下里面的检修键 SERVICE（30 秒内有效）\n"
        "Open the cabinet and press the covered SERVICE key inside (counts for 30 s).\n"
        "只有手在机器旁的人才能点动电机 Only somebody at the machine may jog a motor.",
        err=True,
    )
    try:
        async with asyncio.timeout(SERVICE_WAIT_S):
            since = len(talk.heard)
            while (await talk.first(KeyPressed, since)).key is not Key.SERVICE:
                since = len(talk.heard)
    except TimeoutError:
        raise click.ClickException(
            f"{SERVICE_WAIT_S:.0f} 秒内没有按检修键 nobody pressed SERVICE within {SERVICE_WAIT_S:.0f} s"
        ) from None
