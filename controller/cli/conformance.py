"""`longzhuo conformance`: runs the protocol against a board and says which requirements it meets."""

import asyncio
import contextlib
import secrets
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from controller.cli.board_text import COLUMNS, wrapped
from controller.processes import dies_with_us
from firmware_bridge.conformance.catalogue import ALL
from firmware_bridge.conformance.hands import Hands
from firmware_bridge.conformance.line_hands import ProgramFailed, played
from firmware_bridge.conformance.port_wire import port_wire
from firmware_bridge.conformance.requirement import Finding, Requirement, Result
from firmware_bridge.conformance.run import Examination, Report, examine
from firmware_bridge.errors import BadUrl, PortUnavailable
from firmware_bridge.messages import Booted
from firmware_bridge.port import PortSettings
from firmware_bridge.reference.compiled import build_terminal, compiler
from firmware_bridge.states import Key

MARKS: Final = {Result.PASSED: "ok  ", Result.FAILED: "FAIL", Result.NOT_APPLICABLE: "  - "}
STYLES: Final = {
    Result.PASSED: {"fg": "green"},
    Result.FAILED: {"fg": "red", "bold": True},
    Result.NOT_APPLICABLE: {"dim": True},
}
INDENT: Final = " " * 12
ASKED: Final = (
    "Hatch, wall carriers, dice and drum of this table are about to move, several times and unasked.\n"
    "中心升降、承牌板、骰子和大盘将反复动作，请确认桌面无人操作。\n"
    "Is the table clear, and does nobody reach into it?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    port: str | None
    sim: bool
    reference: bool
    baud: int
    json: bool
    keys: bool
    motion: bool
    only: tuple[str, ...]


@click.command()
@click.option(
    "--port", metavar="PORT", help="The board: a path, serial://…, socket://HOST:PORT or usb://VID:PID."
)
@click.option("--sim", is_flag=True, help="Start a simulated board and examine it.")
@click.option("--reference", is_flag=True, help="Compile the reference board in C and examine it.")
@click.option("--baud", type=click.IntRange(min=1200), default=115200, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option("--keys", is_flag=True, help="Somebody is at the table and presses keys when asked to.")
@click.option("--no-motion", is_flag=True, help="Leave out what moves anything.")
@click.option("--yes", is_flag=True, help="The table is clear: don't ask before it moves.")
@click.option(
    "--only", multiple=True, metavar="ID", help="Requirements whose id begins so, such as LINK or CMD-07."
)
@click.option("--list", "listing", is_flag=True, help="List the requirements and leave.")
def command(  # noqa: PLR0913 - one argument per flag
    *,
    port: str | None,
    sim: bool,
    reference: bool,
    baud: int,
    as_json: bool,
    keys: bool,
    no_motion: bool,
    yes: bool,
    only: tuple[str, ...],
    listing: bool,
) -> None:
    """Run the protocol against a board; status 0 when nothing has failed."""
    if listing:
        _list()
        return
    if [port is not None, sim, reference].count(True) != 1:
        raise click.UsageError("which board? Expected one of --port PORT, --sim and --reference")
    only = tuple(prefix.upper() for prefix in only)
    for prefix in only:
        if not any(one.id.startswith(prefix) for one in ALL):
            raise click.UsageError(f"--only {prefix}: no such requirement; --list shows them")
    if port is not None and not no_motion and not yes:
        _ask()
    wish = _Wish(
        port=port,
        sim=sim,
        reference=reference,
        baud=baud,
        json=as_json,
        keys=keys,
        motion=not no_motion,
        only=only,
    )
    try:
        report = asyncio.run(_run(wish))
    except (BadUrl, PortUnavailable, ProgramFailed) as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(as_dict(report)), indent=2).decode())
    else:
        _summary(report, wish)
    sys.exit(0 if report.passes else 1)


def _ask() -> None:
    if not sys.stdin.isatty():
        raise click.UsageError("something will move: say --yes when the table is clear, or --no-motion")
    if not click.confirm(ASKED, err=True):
        raise click.Abort


def _list() -> None:
    for one in ALL:
        notes = [
            one.needs.name or "" if one.needs else "",
            "moves" if one.moves else "",
            "keys" if one.keys else "",
        ]
        words = ", ".join(note for note in notes if note)
        click.echo(f"{one.id:<11} {one.title} (section {one.section})" + (f" [{words}]" if words else ""))


async def _run(wish: _Wish) -> Report:
    async with contextlib.AsyncExitStack() as stack:
        url, hands = await stack.enter_async_context(_board(wish))
        wire = await stack.enter_async_context(port_wire(url, PortSettings(baud=wish.baud)))
        wanted = Examination(
            session=secrets.randbelow(1 << 16),
            op_id=secrets.randbits(32),
            motion=wish.motion,
            hands=hands,
            only=wish.only,
        )
        return await examine(wire, wanted, (lambda _: None) if wish.json else _show)


@contextlib.asynccontextmanager
async def _board(wish: _Wish) -> AsyncIterator[tuple[str, Hands | None]]:
    """The board's address, and who is at its table."""
    if wish.port is not None:
        yield wish.port, _Person() if wish.keys else None
        return
    with tempfile.TemporaryDirectory(prefix="longzhuo-conformance-") as name:
        link = Path(name) / "board"
        if wish.sim:
            argv = [sys.executable, "-m", "hardware_sim.bench", str(link)]
        elif compiler() is None:
            raise ProgramFailed("the reference board is in C: there is no compiler (cc or gcc) here")
        else:
            argv = [str(await asyncio.to_thread(build_terminal, Path(name))), str(link)]
        async with played(dies_with_us(argv)) as hands:
            yield str(link), hands


class _Person:
    """Somebody at the table who reads what is asked."""

    async def press(self, key: Key, seat: int) -> None:
        click.secho(f">>> please press {key.name} at seat {seat} / 请按 {key.name}", bold=True, err=True)

    async def load(self, tiles: int) -> bool:
        click.secho(
            f">>> please push {tiles} tiles into the hatch, then Enter / 请推入{tiles}张牌后回车",
            bold=True,
            err=True,
        )
        return bool(await asyncio.to_thread(sys.stdin.readline))

    async def pace(self, speed: int) -> None:
        """A machine is as fast as it is."""


def _show(finding: Finding) -> None:
    one = finding.requirement
    mark = click.style(MARKS[finding.result], **STYLES[finding.result])  # type: ignore[arg-type]
    detail = f"  ({finding.detail})" if finding.detail and finding.result is not Result.FAILED else ""
    first, *more = wrapped(f"{one.title}{detail}", first=f"{one.id:<11} ", rest=INDENT, columns=COLUMNS - 5)
    click.echo("\n     ".join((f"{mark} {first}", *more)))
    if finding.result is Result.FAILED:
        failure = f"{finding.detail}  [PROTOCOL.md, section {one.section}]"
        click.echo("\n".join(wrapped(failure, first="     ", rest="     ")))
        for line in finding.frames:
            click.echo(f"     {line}")


def _summary(report: Report, wish: _Wish) -> None:
    counts = dict.fromkeys(Result, 0)
    for finding in report.findings:
        counts[finding.result] += 1
    click.echo("")
    click.echo(_who(report.board))
    if report.board is None and wish.port is not None:
        click.echo("控制板没有说话：端口、电源、波特率对吗？ Are port, power and baud rate right? Look with:")
        click.echo(f"  longzhuo doctor --port {wish.port}")
    click.echo(", ".join(f"{count} {result.value}" for result, count in counts.items()))
    failed = [one.requirement.id for one in report.findings if one.result is Result.FAILED]
    if failed:
        click.echo("\n".join(wrapped(", ".join(failed), first="failed: ", rest="  ")))


def _who(board: Booted | None) -> str:
    if board is None:
        return "the board has not said who it is"
    kind = f"{board.profile.name} board {board.uid:#010x}"
    return f"{kind}, firmware {board.firmware!r}, protocol {_version(board)}"


def _version(board: Booted) -> str:
    return ".".join(map(str, board.protocol))


def as_dict(report: Report) -> dict[str, Any]:
    """The report as one JSON object."""
    board = report.board
    return {
        "passed": report.passes,
        "board": None
        if board is None
        else {
            "uid": board.uid,
            "firmware": board.firmware,
            "protocol": _version(board),
            "profile": board.profile.name,
            "capabilities": [one.name for one in board.capabilities],
        },
        "requirements": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    one: Requirement = finding.requirement
    return {
        "id": one.id,
        "title": one.title,
        "section": one.section,
        "result": finding.result.value,
        "detail": finding.detail,
        "frames": list(finding.frames),
    }
