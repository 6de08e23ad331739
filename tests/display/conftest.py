"""A real broker, the real page server and a real Chromium, and one table's state to publish.

Browser and broker are started once for all tests, which therefore run in one event loop. Each test has its
own table, its own page server, and a page in a context of its own.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import aiomqtt
import pytest
import pytest_asyncio
from playwright.async_api import expect

from controller import models
from controller.broker import own_broker
from controller.command_desk import CommandDesk
from controller.http_pictures import PictureRoute
from controller.rights import PinHash
from controller.session import Session
from controller.session_effects import Answer
from rules import sets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractContextManager

    from playwright.async_api import Browser

    from controller.broker import Broker
    from controller.session_inputs import Ordered
    from controller.session_replies import Reply

sys.path.insert(0, str(Path(__file__).parents[1] / "controller"))  # evenings, brokers and boards of others
sys.path.insert(0, str(Path(__file__).parent))  # what the page is shown stands beside the tests

from chromium import chromium
from played import Played
from shown import Alone, Served, Shown, opened

PIN = "2580"
expect.set_options(
    timeout=20_000
)  # what is promised is that it comes; a busy machine's browser takes its time


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests of this folder run in the event loop that the browser lives in."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as running:
        yield running


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def _nothing_is_left_running(
    nothing_is_left: Callable[[], AbstractContextManager[None]],
) -> AsyncIterator[None]:
    with nothing_is_left():
        yield


@pytest_asyncio.fixture(loop_scope="session")
async def shown(browser: Browser, broker: Broker) -> AsyncIterator[Shown]:
    """A page that can only be looked at."""
    served = Served(broker.websocket)
    async with opened(browser, served) as (page, console):
        yield Shown(page, partial(_client, broker), console, served)


@pytest_asyncio.fixture(loop_scope="session")
async def table(browser: Browser, broker: Broker, tmp_path: Path) -> AsyncIterator[tuple[Shown, Session]]:
    """A page that may be touched, and the session that gets its orders; nothing is played at its table."""
    session = _begun()
    folder = tmp_path / "pictures"
    folder.mkdir()
    pictures = PictureRoute(folder, lambda: {path.name for path in folder.iterdir()})
    served = Served(broker.websocket, _desk(session), pictures=pictures)
    async with opened(browser, served) as (page, console):
        yield Shown(page, partial(_client, broker), console, served), session


@pytest_asyncio.fixture(loop_scope="session")
async def alone(browser: Browser) -> AsyncIterator[Alone]:
    async with own_broker() as broker:
        served = Served(broker.websocket, _desk(_begun()))
        async with opened(browser, served) as (page, console):
            yield Alone(page, partial(_client, broker), console, served, broker)


@pytest_asyncio.fixture(loop_scope="session")
async def refereed(browser: Browser, broker: Broker) -> AsyncIterator[tuple[Shown, Played]]:
    """A page with the referee's PIN, and the table whose hands he judges."""
    played = Played()
    desk = CommandDesk(
        played.order,
        clock=time.time,
        now=time.time,
        pin=PinHash.of(PIN, salt=bytes(16)),
        match_has_begun=lambda: played.session.match_has_begun,
        try_out=lambda wanted: played.session.tried(wanted, time.time()),
    )
    sheets = {"setup": played.session.setup_sheet, "hands": played.session.hands_sheet}
    served = Served(broker.websocket, desk, sheets)
    async with opened(browser, served) as (page, console):
        shown = Shown(page, partial(_client, broker), console, served)
        await played.show(shown)
        yield shown, played


def _client(broker: Broker) -> aiomqtt.Client:
    return aiomqtt.Client("127.0.0.1", broker.port)


def _begun() -> Session:
    session = Session(sets.load("cixi-card"), models.load("longzhuo840"))
    session.start(time.time())
    return session


def _desk(session: Session) -> CommandDesk:
    async def carry_out(ordered: Ordered) -> Reply:
        effects = session.handle(ordered, time.time())
        return next(effect.reply for effect in effects if isinstance(effect, Answer))

    return CommandDesk(carry_out, clock=time.time, now=time.time)
