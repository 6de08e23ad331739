"""The one loop around the session, and the tasks that feed it: board, camera, timer.

Everything that comes in enters one queue. What the session wants is carried out in its order: the record is
written before anything is sent or published, and within TICK_S where nothing follows. Commands run beside the
loop, one after the other as they come; their ends come back through the same queue.
"""

import asyncio
import gc
import logging
from collections.abc import Callable

import msgspec

from controller.command_desk import Busy
from controller.journal import Journal
from controller.journal_deals import DealRow
from controller.journal_keeper import Keeper
from controller.journal_rows import AckRow, InputRow, Row
from controller.moments import Moments, moment_of
from controller.mqtt import Publisher
from controller.public import LEDGER_TOPICS, encode
from controller.session import Session
from controller.session_effects import Answer, Effect, Publish, Record, Send
from controller.session_inputs import (
    BrokerState,
    CommandDone,
    CommandFailed,
    Input,
    Measured,
    Order,
    Ordered,
    Pictured,
    RecordCut,
    Tick,
)
from controller.session_replies import Reply
from firmware_bridge.board import Board
from firmware_bridge.errors import BoardError, CommandRefused, LinkLost
from firmware_bridge.errors import CommandFailed as BoardFailed
from firmware_bridge.messages import Booted, Disconnected
from firmware_bridge.reports import Report
from firmware_bridge.states import Loss
from vision.camera import NoPicture
from vision.observations import CameraBack, CameraLost, CameraTrouble, Drift
from vision.reading import LineSight, PictureSight

log = logging.getLogger(__name__)

TICK_S = 0.1
"""How often it is looked whether the session waits for time to pass."""

MEASURE_S = 1.0
"""How often the session is told what the shells count."""

FORGET_S = 600.0
"""How often it is looked whether there are rows too old to be kept."""

PORTION_S = 5.0
"""The pause between portions of rows that are deleted."""

DRIFT_LOG = "camera: it stands %.1f mm from its place; fasten it, run longzhuo calibrate"

WAITING_INPUTS = 1000
"""How many inputs may wait; then board and camera wait too."""


BOARD_AGAIN_S = 1.0

WAITING_ORDERS = 16
"""How many people's orders may wait for an answer."""

ANSWER_S = 5.0
"""How long an order waits for its answer."""

OpenBoard = Callable[[], Board]
OpenSight = Callable[[], PictureSight | LineSight]


class Loop:
    """One session, fed and obeyed. `now` gives seconds since 1970 and never goes back."""

    def __init__(
        self,
        session: Session,
        *,
        journal: Journal,
        publisher: Publisher,
        now: Callable[[], float],
        moments: Moments | None = None,
    ) -> None:
        self._session = session
        self._keeper = Keeper(journal, now=now)
        self._cut = journal.cut
        self._publisher = publisher
        self._now = now
        self._moments = moments
        self._inbox: asyncio.Queue[Input | tuple[AckRow, ...] | None] = asyncio.Queue(WAITING_INPUTS)
        self._commands: asyncio.Queue[Send] = asyncio.Queue()
        self._under_way: Send | None = None
        self._sight: PictureSight | LineSight | None = None
        self._sees = False
        self._board: Board | None = None
        self._asked: dict[str, list[asyncio.Future[Reply]]] = {}

    async def decide(self) -> None:
        """Take up the game, then turn inputs into effects until cancelled."""
        await self._carry_out(self._session.start(self._now()))
        if self._cut is not None:
            log.error("journal: %s", self._cut[1])
            await self._carry_out(self._session.handle(RecordCut(*self._cut), self._now()))
        while True:
            arrived = await self._inbox.get()
            if arrived is None:
                await self._keeper.write()
            elif isinstance(arrived, tuple):
                await self._keeper.note(arrived)
            else:
                await self._carry_out(self._session.handle(arrived, self._now()))
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Where the journal takes no more, say so; when it does again, tell what was held back."""
        told, held = await self._keeper.catch_up()
        for effect in held:
            self._tell_others(effect)
        if told is not None:
            await self._carry_out(self._session.handle(told, self._now()))

    async def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        match effects:
            case (Record((InputRow(),) as rows),):
                # It has led to nothing yet; whatever does is written after it.
                await self._keeper.note(rows)
                return
            case () | (Record(), *_):
                pass
            case _:
                await self._keeper.write()
        for effect in effects:
            match effect:
                case Record(rows):
                    await self._keeper.write(rows)
                    self._remember(rows)
                    _tidy(rows)
                case Send():
                    self._commands.put_nowait(effect)
                case Publish() | Answer():
                    if not self._keeper.holds(effect):
                        self._tell_others(effect)

    def _remember(self, rows: tuple[Row, ...]) -> None:
        """Of a doubt, a win and a turned indicator pictures are kept."""
        if self._moments is None or not self._sees:
            return
        for row in rows:
            moment = moment_of(row, self._session.open_hands)
            if moment is not None:
                self._moments.want(moment)

    async def keep_moments(self) -> None:
        """Keep the pictures that are wanted, until cancelled."""
        while self._moments is not None:
            moment = await self._moments.next()
            if isinstance(self._sight, PictureSight):
                names = await self._moments.keep(moment, self._sight)
                if names:
                    await self._inbox.put(Pictured(moment.doubt, names))

    def _tell_others(self, effect: Publish | Answer) -> None:
        match effect:
            case Publish(topic, payload) if topic in LEDGER_TOPICS:
                self._publisher.send_ledger(topic, encode(payload))
            case Publish(topic, payload, retain):
                (self._publisher.retain if retain else self._publisher.send)(topic, encode(payload))
            case Answer(name, reply):
                for asked in self._asked.pop(name, ()):
                    if not asked.done():
                        asked.set_result(reply)

    async def arrived(self, told: tuple[AckRow, ...] | BrokerState) -> None:
        """Take what the publisher tells: messages of the outbox have arrived, or something is wrong."""
        await self._inbox.put(told)

    async def order(self, ordered: Ordered) -> Reply:
        """Have an order carried out; the answer comes when what follows from it is written.

        Raises:
            Busy: too many orders wait already.
            TimeoutError: no answer came in time; it may still be carried out.
        """
        if sum(map(len, self._asked.values())) >= WAITING_ORDERS or self._inbox.full():
            raise Busy
        asked: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._asked.setdefault(ordered.id, []).append(asked)
        try:
            self._inbox.put_nowait(ordered)
            async with asyncio.timeout(ANSWER_S):
                return await asked
        finally:
            left = [other for other in self._asked.pop(ordered.id, []) if other is not asked]
            if left:
                self._asked[ordered.id] = left

    def tried(self, order: Order) -> Reply:
        """What an order would do now."""
        return self._session.tried(order, self._now())

    @property
    def sheets(self) -> dict[str, Callable[[], msgspec.Struct]]:
        """What the page asks for by name when people set up or correct."""
        return {"setup": self._session.setup_sheet, "hands": self._session.hands_sheet}

    async def hold_board(self, open_board: OpenBoard) -> None:
        """Pass the board's reports on, and commands to it, until cancelled; it reconnects by itself."""
        while True:
            async with open_board() as board:
                self._board = board
                commanding = asyncio.create_task(self._command(board), name="commands the board")
                try:
                    async for report in board.reports():
                        _tell(report)
                        await self._inbox.put(report)
                finally:
                    self._board = None
                    commanding.cancel()
                    await asyncio.gather(commanding, return_exceptions=True)
            # Reports end only with the block, unless something inside broke: begin afresh.
            log.error("board: its reports ended; opening it again")
            await self._inbox.put(Disconnected("opening the board again", Loss.PORT))
            if self._under_way is not None:
                # Every command has an end, or the machine would wait for it for ever.
                await self._inbox.put(
                    CommandFailed(self._under_way.number, "lost", "opening the board again")
                )
                self._under_way = None
            await asyncio.sleep(BOARD_AGAIN_S)

    async def _command(self, board: Board) -> None:
        while True:
            send = await self._commands.get()
            self._under_way = send
            end = await _carried_out(board, send)
            self._under_way = None
            await self._inbox.put(end)

    async def watch(self, open_sight: OpenSight, *, retry_s: float) -> None:
        """Pass observations on until cancelled; open the camera again whenever it fails.

        A file of readings has an end; then nothing more is seen.
        """
        lost = False
        while True:
            try:
                async with open_sight() as sight:
                    self._sight = sight
                    if lost:
                        await self._inbox.put(CameraBack(at=self._now()))
                        # Where it stands now, new eyes tell anew.
                        await self._inbox.put(Drift(at=self._now(), mm=0.0))
                        lost = False
                    async for observation in sight:
                        self._sees = not isinstance(observation, CameraLost)
                        if isinstance(observation, CameraLost):
                            log.warning("camera: %s", observation.reason)
                        if isinstance(observation, Drift):
                            log.warning(DRIFT_LOG, observation.mm)
                        await self._inbox.put(observation)
                reason, over = "the readings have come to their end", True
                trouble = CameraTrouble.UNPLUGGED
            except Exception as error:
                # Whatever a camera does, the table goes on without it.
                reason, over = str(error) or type(error).__name__, False
                trouble = error.trouble if isinstance(error, NoPicture) else CameraTrouble.UNPLUGGED
                log.debug("camera", exc_info=True)
            self._sight, self._sees = None, False
            if not lost:
                log.warning("camera: %s", reason)
                await self._inbox.put(CameraLost(at=self._now(), reason=reason, trouble=trouble))
                lost = True
            if over:
                return
            await asyncio.sleep(retry_s)

    async def keep_time(self) -> None:
        """Let time pass for the session, and tell it what the shells count, until cancelled."""
        measured_at = 0.0
        while True:
            await asyncio.sleep(TICK_S)
            if self._inbox.full():
                continue
            if self._now() >= self._session.next_timer() or not self._keeper.recorded:
                self._inbox.put_nowait(Tick())
            elif self._keeper.has_notes:
                self._inbox.put_nowait(None)
            if self._now() - measured_at >= MEASURE_S and not self._inbox.full():
                measured_at = self._now()
                self._inbox.put_nowait(self._measured())

    async def forget(self, *, keep_s: float, keep_unsent: bool = False) -> None:
        """Delete what is older, portion by portion, until cancelled (see `Journal.prune`)."""
        await asyncio.sleep(PORTION_S)
        while True:
            more = await self._keeper.forget(self._now() - keep_s, now=self._now(), keep_unsent=keep_unsent)
            await asyncio.sleep(PORTION_S if more else FORGET_S)

    def _measured(self) -> Measured:
        link = self._board.stats if self._board else None
        return Measured(
            read_fps=self._sight.stats.read_fps if self._sight else 0.0,
            serial_frames=link.frames_sent + link.frames_received if link else 0,
            serial_retransmitted=link.retransmitted if link else 0,
        )

    @property
    def pictures(self) -> frozenset[str]:
        """The names of the pictures that the open doubts are shown with."""
        return self._session.pictures

    @property
    def recorded(self) -> bool:
        """True while the journal takes what happens."""
        return self._keeper.recorded

    @property
    def board_answers(self) -> bool:
        """True while the board takes commands."""
        return self._board is not None and self._board.is_connected

    @property
    def camera_sees(self) -> bool:
        """True from the first observation until the camera is lost."""
        return self._sees

    def close(self) -> None:
        """Wait for the last row."""
        self._keeper.close()


def _tidy(rows: tuple[Row, ...]) -> None:
    """Give back what a hand has left as the next one begins and nobody waits for anything: some 2 ms.

    There is little garbage, but a whole collection also empties Python's own stores of freed objects, which
    else keep memory in pieces: `tests/whole_table/test_growth.py` measures a megabyte an hour of it.
    """
    if any(isinstance(row, DealRow) for row in rows):
        gc.collect()


def _tell(report: Report) -> None:
    """Write into the log when the board comes and goes."""
    match report:
        case Booted(uid=uid, firmware=firmware):
            log.info("board 0x%08x (%s): answers", uid, firmware)
        case Disconnected(reason, Loss.HELD):
            log.warning("board: %s; waiting until it lets go", reason)
        case Disconnected(reason):
            log.warning("board: link lost: %s", reason)


async def _carried_out(board: Board, send: Send) -> CommandDone | CommandFailed:
    try:
        await board.command(send.command)
    except CommandRefused as error:
        return CommandFailed(send.number, "refused", error.reason.name)
    except BoardFailed as error:
        return CommandFailed(send.number, "failed", error.fault.name if error.fault else error.cause.name)
    except LinkLost as error:
        return CommandFailed(send.number, "lost", error.reason)
    except BoardError as error:
        return CommandFailed(send.number, "refused", str(error))
    return CommandDone(send.number)
