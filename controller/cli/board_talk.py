"""A conversation with one board: connect, ask, hear (shell)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final, TypeVar

import click

from controller.cli.board_place import Place, check_free
from controller.cli.board_words import FAILURES, REFUSALS, both
from firmware_bridge import Board, BoardError, CommandFailed, CommandRefused
from firmware_bridge.errors import LinkLost, NoValidFrame, WrongBoard, WrongVersion
from firmware_bridge.faults import FaultCode, words
from firmware_bridge.link import LostReason
from firmware_bridge.messages import Booted, Command, Fault, FaultCleared, Report, Status

CONNECT_S: Final = 5.0
"""How long a board may take to say who it is."""

SETTLE_S: Final = 0.05

NO_ANSWER: Final = (
    "控制板没有回答，通电了吗，端口和波特率对吗 the board does not answer: has it power, are port and "
    "baud rate right?"
)
NO_FRAME: Final = "收到的不是控制板的话 what comes in is not a board's"
MAY_MOVE: Final = "；机器可能还在动，先看 the machine may still be moving, look first: longzhuo board status"

Heard = TypeVar("Heard", bound=Report)
Answer = TypeVar("Answer")


class Talk:
    """A board that has said who it is. ``heard``: every report so far, in order."""

    def __init__(self, board: Board, place: Place) -> None:
        self.board = board
        self.place = place
        self.heard: list[Report] = []
        self._more = asyncio.Event()

    @property
    def identity(self) -> Booted:
        """Who the board is."""
        if self.board.identity is None:
            raise RuntimeError("the board has not said who it is")
        return self.board.identity

    @property
    def faults(self) -> list[Fault]:
        """The faults that stand, as far as is known."""
        standing: dict[int, Fault] = {}
        for report in self.heard:
            match report:
                case Booted():
                    standing.clear()
                case Fault(code=code):
                    standing[int(code)] = report
                case FaultCleared(code=code):
                    standing.pop(int(code), None)
        return list(standing.values())

    async def listen(self) -> None:
        """Hear everything until the board is closed."""
        async for report in self.board.reports():
            self.heard.append(report)
            self._more.set()

    async def more(self, since: int) -> list[Report]:
        """Reports after the first ``since``; waits for one."""
        while len(self.heard) <= since:
            self._more.clear()
            await self._more.wait()
        return self.heard[since:]

    async def first(self, kind: type[Heard], since: int = 0) -> Heard:
        """The first report of this kind after the first ``since``."""
        at = since
        while True:
            for report in await self.more(at):
                at += 1
                if isinstance(report, kind):
                    return report

    async def ask(self, command: Command, kind: type[Heard]) -> list[Heard]:
        """The reports of this kind that come before the command is done."""
        before = len(self.heard)
        await self.board.command(command)
        await asyncio.sleep(0)  # the listener takes what came with the answer
        return [report for report in self.heard[before:] if isinstance(report, kind)]


@asynccontextmanager
async def conversation(place: Place, *, history: bool = False) -> AsyncIterator[Talk]:
    """Open the board at ``place`` and wait until it has told its state. Raises ClickException."""
    check_free(place)
    async with place.board(history=history) as board:
        talk = Talk(board, place)
        listening = asyncio.create_task(talk.listen())
        try:
            await _reached(board, place)
            await asyncio.wait_for(talk.first(Status), CONNECT_S)
            yield talk
            await _settle(board)
        except TimeoutError:
            raise click.ClickException("控制板没有报告状态 the board does not tell its state") from None
        except BoardError as error:
            raise click.ClickException(explained(error)) from error
        finally:
            listening.cancel()
            await asyncio.wait([listening])


async def _reached(board: Board, place: Place) -> None:
    """Wait until the board has said who it is; else one line: which port, and what is the matter there."""
    try:
        await board.connected(CONNECT_S)
    except NoValidFrame as error:
        raise click.ClickException(f"{place.port}: {NO_FRAME}: {error.reason}") from error
    except WrongBoard as error:
        raise click.ClickException(f"{place.port}: 不是要找的控制板 {error.reason}") from error
    except LinkLost as error:
        if error.reason == LostReason.NO_ANSWER.value:
            raise click.ClickException(f"{place.port}: {NO_ANSWER}") from error
        raise click.ClickException(f"打不开端口 can't use the port: {error.reason}") from error


async def _settle(board: Board) -> None:
    """Hear out what is under way, so that the board repeats nothing to nobody."""
    frames = -1
    for _ in range(10):
        if board.stats.frames_received == frames:
            return
        frames = board.stats.frames_received
        await asyncio.sleep(SETTLE_S)


def hold(
    place: Place, job: Callable[[Talk], Awaitable[Answer]], *, history: bool = False, moves: bool = False
) -> Answer:
    """Run ``job`` with the board at ``place``; ``moves``: it moves the machine. Raises ClickException."""

    async def run() -> Answer:
        async with conversation(place, history=history) as talk:
            try:
                return await job(talk)
            except LinkLost as error:
                raise click.ClickException(explained(error) + (MAY_MOVE if moves else "")) from error

    return asyncio.run(run())


def explained(error: BoardError) -> str:
    """One line for the technician: what is the matter and, where that helps, what to do."""
    match error:
        case CommandRefused(reason=reason):
            return f"控制板拒绝 board refuses: {both(REFUSALS[reason])} ({reason.name})"
        case CommandFailed(fault=fault) if int(fault) != FaultCode.NONE:
            text = words(fault)
            what = f"{fault.label} {text.zh} {text.en}"
            return f"没有做完 did not get through: {what}; see `longzhuo board faults`"
        case CommandFailed(cause=cause):
            return f"没有做完 did not get through: {both(FAILURES[cause])} ({cause.name})"
        case WrongVersion(zh=zh):
            return f"{zh}; {error}"
        case LinkLost():
            return f"连接断了 {error}"
    return str(error)


def agreed(what: str, *, yes: bool) -> None:
    """Ask before something moves: --yes, or the word typed. Raises ClickException."""
    if yes:
        return
    click.echo(f"机器要动，手离开桌面 The machine will move, hands off: {what}", err=True)
    try:
        word = click.prompt("输入 yes 继续 type yes to go on", default="", show_default=False, err=True)
    except click.Abort:
        raise click.ClickException("没有动 nothing was moved: nobody could be asked; add --yes") from None
    if word.strip() != "yes":
        raise click.ClickException("没有动 nothing was moved")
