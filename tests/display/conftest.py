"""A real broker, the real page server and a real Chromium, and one table's state to publish."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import aiomqtt
import msgspec
import pytest
from playwright.async_api import Page, async_playwright, expect

from controller import models
from controller.broker import own_broker
from controller.command_desk import CommandDesk
from controller.http import Display, listen_on
from controller.http_pictures import PictureRoute
from controller.rights import PinHash
from controller.session import Session
from controller.session_effects import Answer
from rules import sets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from controller import public
    from controller.broker import Broker
    from controller.session_inputs import Ordered
    from controller.session_replies import Reply

sys.path.insert(0, str(Path(__file__).parent))  # what the page is shown stands beside the tests

from played import Played

PIN = "2580"
PREFIX = "mj/v1/home/table-1"
expect.set_options(
    timeout=20_000
)  # what is promised is that it comes; a busy machine's browser takes its time
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


class Served:
    """The server of the page, which keeps its port when it is started again."""

    def __init__(
        self,
        broker: Broker,
        desk: CommandDesk | None,
        sheets: Mapping[str, Callable[[], msgspec.Struct]] | None = None,
        pictures: PictureRoute | None = None,
    ) -> None:
        self._pictures = pictures
        self._broker = broker
        self._desk = desk
        self._sheets = sheets
        self._port = 0

    @property
    def address(self) -> str:
        """Where the page is."""
        return self._display.address

    def start(self) -> None:
        """Serve, as a controller does that has just been started."""
        listener = listen_on("127.0.0.1", self._port)
        self._port = listener.getsockname()[1]
        websocket = self._broker.websocket
        self._display = Display(
            listener,
            websocket=websocket,
            prefix=PREFIX,
            health=dict,
            desk=self._desk,
            sheets=self._sheets,
            pictures=self._pictures,
        )
        self._serving = asyncio.create_task(self._display.run())

    async def stop(self) -> None:
        """Stop, and wait until it has."""
        self._display.stop()
        await self._serving


@dataclass(frozen=True)
class Shown:
    """A page that follows one table, and how to publish that table's state."""

    page: Page
    broker: Broker
    console: list[str]
    served: Served

    async def publish(self, **topics: public.Payload | str | None) -> None:
        """Publish retained state by topic name; text goes out as it is, None removes the topic."""
        async with aiomqtt.Client("127.0.0.1", self.broker.port) as client:
            for name, payload in topics.items():
                data = (
                    payload if payload is None or isinstance(payload, str) else msgspec.json.encode(payload)
                )
                await client.publish(f"{PREFIX}/state/{name}", data, qos=1, retain=True)

    async def publish_when_back(self, **topics: str) -> None:
        """Publish as soon as the broker, which is started again by its keeper, answers."""
        async with asyncio.timeout(15):
            while True:
                with contextlib.suppress(aiomqtt.MqttError):
                    await self.publish(**topics)
                    return
                await asyncio.sleep(0.1)

    async def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match."""
        return await self.page.locator(selector).all_inner_texts()

    async def tiles(self, selector: str) -> list[str]:
        """The notation of all tiles drawn inside the elements that match, in order."""
        found = await self.page.locator(f"{selector} svg.tile").evaluate_all(
            "tiles => tiles.map(tile => tile.dataset.tile)"
        )
        return [str(tile) for tile in found]


@pytest.fixture
async def shown() -> AsyncIterator[Shown]:
    async with _opened(None) as page:
        yield page


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[tuple[Shown, Session]]:
    """A page that may be touched, and the session that gets its orders; nothing is played at its table."""
    session = Session(sets.load("cixi-card"), models.load("longzhuo840"))
    session.start(time.time())

    async def carry_out(ordered: Ordered) -> Reply:
        effects = session.handle(ordered, time.time())
        return next(effect.reply for effect in effects if isinstance(effect, Answer))

    folder = tmp_path / "pictures"
    folder.mkdir()
    pictures = PictureRoute(folder, lambda: {path.name for path in folder.iterdir()})
    async with _opened(CommandDesk(carry_out, clock=time.time, now=time.time), pictures=pictures) as page:
        yield page, session


@pytest.fixture
async def refereed() -> AsyncIterator[tuple[Shown, Played]]:
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
    async with _opened(desk, sheets) as page:
        await played.show(page)
        yield page, played


@contextlib.asynccontextmanager
async def _opened(
    desk: CommandDesk | None,
    sheets: Mapping[str, Callable[[], msgspec.Struct]] | None = None,
    pictures: PictureRoute | None = None,
) -> AsyncIterator[Shown]:
    program = shutil.which("chromium")
    assert program is not None, (
        "the display's tests need Debian's chromium (make setup installs it for make test)"
    )
    async with own_broker() as broker, async_playwright() as playwright:
        served = Served(broker, desk, sheets, pictures)
        served.start()
        browser = await playwright.chromium.launch(executable_path=program, args=CHROMIUM_FLAGS)
        page = await browser.new_page(viewport={"width": 1920, "height": 1080})
        console: list[str] = []
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        await page.goto(served.address)
        try:
            yield Shown(page, broker, console, served)
        finally:
            await browser.close()
            await served.stop()
