"""The running controller of one table: opens everything, runs it in one TaskGroup, and ends it in order.

The board and the camera may fail and come back; the display and MQTT may be away: neither fails the table.
This is the only place that reads the clock.
"""

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Coroutine
from importlib import metadata
from pathlib import Path
from typing import Any

import msgspec

from controller import models
from controller.agreed import agreed, rules_to_play
from controller.app_loop import Loop, OpenSight
from controller.broker import BrokerMissing, own_broker
from controller.broker_address import BadAddress, BrokerAddress
from controller.command_desk import CommandDesk
from controller.config import Config
from controller.http import Display, PortTaken, listen_on
from controller.http_pictures import PictureRoute
from controller.journal import Journal, JournalError
from controller.journal_start import Past
from controller.models import TableModel, UnknownModel
from controller.moments import Moments
from controller.mqtt import Publisher
from controller.mqtt_discovery import Announcer
from controller.mqtt_orders import MqttOrders
from controller.mqtt_way import PageBroker, address_of, page_broker_of, way_of
from controller.outbox_post import Post
from controller.processes import ChildFailed
from controller.rights import PinHash
from controller.session import Session, SessionSettings, Unfit
from controller.session_restore import RecordBroken
from controller.timers import timers_of
from controller.tracker import Patience
from firmware_bridge.board import Board
from firmware_bridge.errors import BadUrl
from rules import sets
from rules.ruleset import RuleSet
from vision.calibration import BadCalibration, Calibration
from vision.enrol import BadEnrolment, Enrolment
from vision.name import network_bytes
from vision.reading import SightSettings, open_sight

log = logging.getLogger(__name__)

GOODBYE_S = 1.0
"""How long MQTT and HTTP may take to end in order; a stop takes at most 3 s in all."""

NOBODY_S = 0.2
"""The same where no broker is connected."""

OBSERVER_AGAIN_S = 2.0
A_DAY_S = 86_400.0

Say = Callable[[str], None]


class CanNotStart(Exception):
    """The controller can't start or can't go on; one line for the person who started it."""


class Clock:
    """Seconds since 1970 UTC that never go back, whatever is done to the computer's clock meanwhile."""

    def __init__(self) -> None:
        self._origin = time.time() - time.monotonic()

    def now(self) -> float:
        """Give the time."""
        return self._origin + time.monotonic()


def run(config: Config, *, say: Say) -> None:
    """Run the controller until SIGTERM or SIGINT; `say` gets the lines for the person who started it.

    Raises:
        CanNotStart: something it can't do without is missing or broke.

    """
    try:
        asyncio.run(_serve(config, say))
    except* _REASONS as group:
        raise CanNotStart(str(_first(group))) from None


def check(config: Config) -> None:
    """See that a start would find table model, board's address, tiles, calibration and rules in order.

    Nothing is opened but the files that are only read, and nothing is started.

    Raises:
        CanNotStart: the first thing that is not.
    """
    try:
        _known_beforehand(config)
        _rules(config)
    except (BadUrl, UnknownModel) as error:
        raise CanNotStart(str(error)) from error


def _known_beforehand(config: Config) -> tuple[TableModel, Enrolment | None]:
    """The table, and what was learned of its tiles: what is none is found before anything starts."""
    model = models.load(config.table.model)
    if config.table.ponds == "common":
        model = model.with_common_pond()
    _board(config)
    load_calibration(config)
    return model, load_enrolment(config)


_REASONS = (
    BadUrl,
    BrokerMissing,
    CanNotStart,
    ChildFailed,
    JournalError,
    PortTaken,
    RecordBroken,
    Unfit,
    UnknownModel,
)


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


async def _serve(config: Config, say: Say) -> None:
    clock = Clock()
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    model, enrolled = _known_beforehand(config)
    async with contextlib.AsyncExitStack() as stack:
        journal = stack.enter_context(Journal.open(Path(config.journal.path), mend=True))
        past = journal.past()
        defaults = _rules(config)
        rules = _agreed(defaults, past)
        session = _session(config, rules, defaults, model, past)
        listener = stack.enter_context(listen_on(config.http.host, config.http.port))
        address, page_broker = await _broker(config, stack)
        post = Post(Path(config.journal.path), now=clock.now) if config.mqtt.recorder else None
        publisher = Publisher(url=address, prefix=config.prefix, ledger=post)
        loop = Loop(
            session, journal=journal, publisher=publisher, now=clock.now, moments=_moments(config, model)
        )
        desk = CommandDesk(
            loop.order,
            clock=time.time,
            now=clock.now,
            try_out=loop.tried,
            pin=None if config.referee.pin is None else PinHash.parse(config.referee.pin),
            match_has_begun=lambda: session.match_has_begun,
        )
        orders = MqttOrders(desk=desk, publisher=publisher, prefix=config.prefix, way=way_of(address))
        orders.listen()
        Announcer(publisher, prefix=config.prefix).listen(wanted=config.mqtt.home_assistant)
        publisher.troubles.tell = loop.arrived
        if post is not None:
            post.listen(publisher, loop.arrived)
        stack.callback(loop.close)
        display = Display(
            listener,
            websocket=page_broker.websocket,
            sign_in=page_broker.told(),
            names=config.http.names,
            prefix=config.prefix,
            health=lambda: _health(loop, publisher),
            desk=desk,
            pictures=PictureRoute(_pictures(config), lambda: loop.pictures),
            sheets=loop.sheets,
        )
        say(f"显示 display: {display.address}")
        eyes = _eyes(config, rules, model, clock, enrolled)
        inputs = {
            "decides": loop.decide(),
            "holds the board": loop.hold_board(lambda: _board(config)),
            "watches the table": loop.watch(eyes, retry_s=config.camera.retry_s),
            "keeps time": loop.keep_time(),
            "keeps pictures": loop.keep_moments(),
            "forgets": loop.forget(
                keep_s=config.journal.keep_days * A_DAY_S, keep_unsent=config.mqtt.recorder
            ),
        }
        await _run_together(inputs, publisher, display, stop)


def _moments(config: Config, model: TableModel) -> Moments | None:
    """Where pictures of the moment are kept; None where none are."""
    journal = config.journal
    if journal.pictures_mb == 0:
        return None
    return Moments(
        _pictures(config),
        model,
        most_bytes=journal.pictures_mb * 1_000_000,
        keep_days=float(journal.pictures_days),
    )


def _pictures(config: Config) -> Path:
    """The folder of the pictures of the moment."""
    return Path(f"{config.journal.path}.pictures")


def _rules(config: Config) -> RuleSet:
    try:
        return sets.load(config.rules, config.options)
    except ValueError as error:
        raise CanNotStart(f"rules: {error}") from error


def _agreed(defaults: RuleSet, past: Past) -> RuleSet:
    """The rules that people have agreed on, where they did."""
    try:
        return rules_to_play(defaults, past)
    except ValueError as error:
        raise CanNotStart(f"the rules that were set up at the table: {error}") from error


def _session(config: Config, rules: RuleSet, defaults: RuleSet, model: TableModel, past: Past) -> Session:
    settings = SessionSettings(
        players=config.table.players,
        patience=Patience(**msgspec.structs.asdict(config.patience)),
        timers=timers_of(rules, **msgspec.structs.asdict(config.timers)),
        ahead=True,
        version=metadata.version("longzhuo"),
        defaults=agreed(defaults),
    )
    return Session(rules, model, settings, past)


async def _broker(config: Config, stack: contextlib.AsyncExitStack) -> tuple[BrokerAddress, PageBroker]:
    """Give the broker's address and what the page needs; start a broker where none is named."""
    if config.mqtt.url and config.mqtt.websocket:
        try:
            address = address_of(config.mqtt, config.mqtt.url)
            return address, page_broker_of(config.mqtt, config.mqtt.websocket)
        except BadAddress as error:
            raise CanNotStart(f"mqtt: {error}") from error
    broker = await stack.enter_async_context(own_broker(display_host=config.http.host))
    return broker.address, PageBroker(broker.websocket)


def _board(config: Config) -> Board:
    board = config.board
    return Board(
        board.port,
        baud=board.baud,
        lost_after_s=board.lost_after_s,
        uid=board.uid,
        usb_backend=board.usb_backend,
        captures=None if board.captures is None else Path(board.captures),
    )


def _eyes(
    config: Config, rules: RuleSet, model: TableModel, clock: Clock, enrolled: Enrolment | None
) -> OpenSight:
    camera = config.camera
    calibration = load_calibration(config)
    settings = SightSettings(
        settle_s=camera.settle_s,
        reads=camera.reads,
        spacing_s=camera.spacing_s,
        confidence=camera.confidence,
        indicator_confidence=camera.indicator_confidence,
        copies=rules.copies,
        patience_s=camera.patience_s,
        timeout_s=camera.timeout_s,
        retry_s=camera.retry_s,
        camera_height_mm=camera.height_mm,
        calibration=calibration,
    )
    kinds = frozenset(rules.tiles)
    return lambda: open_sight(camera.source, model, settings, kinds=kinds, enrolled=enrolled, clock=clock.now)


def load_enrolment(config: Config) -> Enrolment | None:
    """What was learned of the table's own set of tiles, if the configuration names a file of it.

    Raises:
        CanNotStart: the file can't be used, or was made with another network.
    """
    if config.camera.enrolled is None:
        return None
    try:
        enrolled = Enrolment.load(Path(config.camera.enrolled))
        enrolled.require(network_bytes())
    except BadEnrolment as error:
        raise CanNotStart(f"camera.enrolled: {config.camera.enrolled}: {error}") from error
    return enrolled


def load_calibration(config: Config) -> Calibration | None:
    """What `longzhuo calibrate` found out about the camera, if the configuration names its file.

    Raises:
        CanNotStart: the file can't be used, or is of another table model.
    """
    if config.camera.calibration is None:
        return None
    try:
        calibration = Calibration.load(Path(config.camera.calibration))
    except BadCalibration as error:
        raise CanNotStart(f"camera.calibration: {error}") from error
    if calibration.model != config.table.model:
        raise CanNotStart(
            f"camera.calibration: {config.camera.calibration} is of the table model {calibration.model!r}, "
            f"the table is {config.table.model!r}: run longzhuo calibrate"
        )
    return calibration


def _health(loop: Loop, publisher: Publisher) -> dict[str, object]:
    return {
        "board": loop.board_answers,
        "camera": loop.camera_sees,
        "mqtt": publisher.connected,
        "journal": loop.recorded,
    }


async def _run_together(
    inputs: dict[str, Coroutine[Any, Any, None]], publisher: Publisher, display: Display, stop: asyncio.Event
) -> None:
    async with asyncio.TaskGroup() as group:
        working = [group.create_task(work, name=name) for name, work in inputs.items()]
        telling = [
            group.create_task(_observe("MQTT", publisher.run), name="publishes"),
            group.create_task(_observe("HTTP", display.run), name="serves the page"),
        ]
        await stop.wait()
        for task in working:
            task.cancel()
        publisher.stop()
        display.stop()
        await asyncio.wait(telling, timeout=GOODBYE_S if publisher.connected else NOBODY_S)
        for task in telling:
            task.cancel()


async def _observe(name: str, run: Callable[[], Awaitable[None]]) -> None:
    """Run an observer; what goes wrong in it is its own matter, and it begins again."""
    while True:
        try:
            await run()
        except Exception:
            # Whatever an observer fails with, known or not, the game at the table must not end with it; a
            # narrower list would let the first unlisted error stop play. The traceback is in the log.
            log.exception("%s: unforeseen; beginning again", name)
            await asyncio.sleep(OBSERVER_AGAIN_S)
        else:
            return
