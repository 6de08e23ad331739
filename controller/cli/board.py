"""`longzhuo board`: one control board, as a technician looks at it at night."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

import click

from controller.cli import (
    board_cycle,
    board_faults,
    board_link,
    board_log,
    board_moves,
    board_report,
    board_show,
)
from controller.cli.board_place import NO_PORT, Place, check_free, place_of, place_options
from controller.cli.board_plain import plain
from controller.cli.board_talk import Talk, agreed, hold
from firmware_bridge.board import Board
from firmware_bridge.messages import (
    Config,
    Counters,
    FaultRecord,
    GetConfig,
    GetCounters,
    GetFaults,
    GetStatus,
    Status,
)
from firmware_bridge.states import Capability, Motor

Four = tuple[int, int, int, int]


@click.group(name="board")
@place_options
@click.pass_context
def command(context: click.Context, /, **options: Any) -> None:
    """控制板 Look at a control board and try its parts.

    Nothing moves but by cycle, dice and jog, and these ask before.
    """
    context.obj = options


def at_a_board(function: Callable[..., None]) -> Callable[..., None]:
    """Give a subcommand its ``place`` and ``as_json``; options may stand before or after its name."""

    @place_options
    @click.pass_context
    @wraps(function)
    def run(context: click.Context, /, **options: Any) -> None:
        where = ("port", "config_path", "baud", "usb_backend")
        given = {name: options.pop(name) or context.obj[name] for name in where}
        as_json = options.pop("as_json") or context.obj["as_json"]
        place = place_of(**given)
        if place is None:
            raise click.ClickException(NO_PORT)
        function(place=place, as_json=as_json, **options)

    return run


def _say(lines: list[str]) -> None:
    click.echo("\n".join(lines))


def _print(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def _warn_of_version(board: Board) -> None:
    if board.read_only is not None:
        click.echo(f"只能看，不能动 read only: {board.read_only.zh}\n  {board.read_only}", err=True)


# ---- what only looks ---------------------------------------------------------------------------------------


@command.command()
@at_a_board
def status(*, place: Place, as_json: bool) -> None:
    """状态 Who the board is and how everything stands."""

    async def job(talk: Talk) -> None:
        _warn_of_version(talk.board)
        now = (await talk.ask(GetStatus(), Status))[-1]
        configs: list[Config] = []
        if Capability.CONFIG in talk.identity.capabilities and talk.board.read_only is None:
            configs = await talk.ask(GetConfig(), Config)
        if as_json:
            facts = {"identity": plain(talk.identity), "status": plain(now), "config": plain(configs)}
            _print({**facts, "faults": plain(talk.faults), "link": plain(talk.board.stats)})
            return
        lines = [*board_show.identity(talk.identity), "", *board_show.status(now)]
        lines += board_show.configuration(configs)
        standing = ", ".join(fault.code.label for fault in talk.faults)
        more = "  (longzhuo board faults)" if standing else ""
        _say([*lines, f"故障 faults     {standing or '没有 none'}{more}"])

    hold(place, job)


@command.command(short_help="故障 Faults that stand, what to do, the record.")
@at_a_board
def faults(*, place: Place, as_json: bool) -> None:
    """故障 Every fault that stands, what to do, and the board's own record."""

    async def job(talk: Talk) -> None:
        _warn_of_version(talk.board)
        records: list[FaultRecord] | None = None
        if Capability.FAULT_LOG in talk.identity.capabilities and talk.board.read_only is None:
            records = await talk.ask(GetFaults(), FaultRecord)
        if as_json:
            explained = [
                {
                    **plain(fault),
                    "evidence_says": board_faults.evidence(fault.code, fault.evidence),
                    "steps": [{"zh": zh, "en": en} for zh, en in board_faults.steps(fault.code)],
                }
                for fault in talk.faults
            ]
            _print({"standing": explained, "log": plain(records)})
            return
        _say(board_faults.standing(talk.faults))
        if records is not None:
            _say(["", "故障记录 fault log", *board_faults.log(records, talk.identity.boot_id)])

    hold(place, job)


@command.command(short_help="计数 Counts of the board and the link.")
@at_a_board
def counters(*, place: Place, as_json: bool) -> None:
    """计数 What the board has counted, and both sides of the link."""

    async def job(talk: Talk) -> None:
        told = (await talk.ask(GetCounters(), Counters))[-1]
        newer = talk.identity.protocol >= (1, 1)
        counts = await board_link.board_counts(talk)
        if as_json:
            _print({"counters": plain(told), "board_link": plain(counts), "link": plain(talk.board.stats)})
            return
        _say([*board_show.counters(told, newer=newer), "", *board_show.link(talk.board.stats, counts)])

    hold(place, job)


@command.command(short_help="日志 What the board has reported, and reports now.")
@click.option("--follow", "-f", is_flag=True, help="Go on with what the board says from now on.")
@at_a_board
def log(*, place: Place, as_json: bool, follow: bool) -> None:
    """日志 The reports the board has kept of this boot, then what it says.

    Times of kept reports are the board's own clock since its start; #N is the report's number.
    """

    async def job(talk: Talk) -> None:
        _warn_of_version(talk.board)
        await board_log.log(talk, follow=follow, as_json=as_json)

    hold(place, job, history=True)


@command.command(short_help="报告 A file for the board's maker.")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@at_a_board
def report(*, place: Place, as_json: bool, file: Path) -> None:
    """报告 Write all that the board's maker wants to know to FILE (a text, or a .zip).

    Identity, state, settings, counters, faults, kept reports, dictionary, link quality, the last frames.
    Nothing of games or players is in it.
    """
    board_report.check(file)

    async def job(talk: Talk) -> None:
        _warn_of_version(talk.board)
        found = await board_report.collect(talk, lambda line: click.echo(line, err=True))
        size = board_report.write(file, board_report.texts(talk, found, datetime.now().astimezone()))
        if as_json:
            _print({"file": str(file), "left_out": found.left_out})
        else:
            click.echo(f"写好了 written: {file} ({size} bytes)")

    hold(place, job, history=True)


# ---- what moves --------------------------------------------------------------------------------------------


class _Stacks(click.ParamType[Four]):
    name = "A,B,C,D"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Four:
        """Four numbers of stacks."""
        words = str(value).split(",")
        if len(words) != 4 or not all(word.strip().isdigit() and int(word) <= 20 for word in words):
            self.fail(f"{value!r}: expected four numbers of stacks 0..20, such as 17,17,17,17", param, ctx)
        a, b, c, d = map(int, words)
        return a, b, c, d


YES = click.option("--yes", is_flag=True, help="Don't ask whether the machine may move.")


@command.command()
@click.option("--stacks", type=_Stacks(), help="Stacks for sides 0..3; else what the board is set to.")
@click.option("--open", "opens", is_flag=True, help="Open the hatch first; goes on when LIFT is pressed.")
@click.option("--raise", "raises", is_flag=True, help="Raise the walls at the end.")
@YES
@at_a_board
def cycle(  # noqa: PLR0913 - one an option
    *, place: Place, as_json: bool, stacks: Four | None, opens: bool, raises: bool, yes: bool
) -> None:
    """洗牌 Run one cycle and show how it goes, a bar for each side.

    Ctrl-C leaves the machine alone: it sorts to its end behind the closed hatch.
    """
    check_free(place)
    agreed("洗一轮牌 one cycle" + (", 升牌 then the walls rise" if raises else ""), yes=yes)
    order = board_cycle.Order(stacks=stacks, opens=opens, raises=raises, as_json=as_json)
    hold(place, lambda talk: board_cycle.cycle(talk, order), moves=True)


@command.command(short_help="骰子 Roll the dice and judge the counts.")
@click.option("--rolls", type=click.IntRange(1, 100_000), default=1, show_default=True, help="How often.")
@click.option("--dice", "count", type=click.IntRange(1, 2), default=2, show_default=True, help="How many.")
@click.option("--virtual", is_flag=True, help="Virtual dice, each roll checked against its commitment.")
@YES
@at_a_board
def dice(  # noqa: PLR0913 - one an option
    *, place: Place, as_json: bool, rolls: int, count: int, virtual: bool, yes: bool
) -> None:
    """骰子 Roll the dice and say what the counts show, and what they don't."""
    check_free(place)
    agreed(f"掷骰 {rolls} 次 rolls the dice", yes=yes)
    hold(
        place,
        lambda talk: board_moves.dice(talk, rolls, count=count, virtual=virtual, as_json=as_json),
        moves=True,
    )


@command.command()
@click.argument("motor", type=click.Choice([motor.name.lower() for motor in Motor]))
@click.argument("direction", type=click.Choice(["forward", "back"]))
@click.option("--ms", type=click.IntRange(1, 500), default=200, show_default=True, help="For how long.")
@click.option("--home", is_flag=True, help="Afterwards hatch and carriers go to their rest position.")
@YES
@at_a_board
def jog(  # noqa: PLR0913 - one an option
    *, place: Place, as_json: bool, motor: str, direction: str, ms: int, home: bool, yes: bool
) -> None:
    """点动 Run one motor for a moment (at most 500 ms).

    Somebody has to press the covered SERVICE key inside the cabinet: nobody jogs a motor from afar. Drum,
    ring, feed, head, chain and push run only with the hatch closed.
    """
    if as_json:
        raise click.UsageError("jog has no --json")
    check_free(place)
    agreed(f"{motor} {direction} {ms} ms", yes=yes)
    hold(
        place,
        lambda talk: board_moves.jog(
            talk, Motor[motor.upper()], forward=direction == "forward", ms=ms, home=home
        ),
        moves=True,
    )
