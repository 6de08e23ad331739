"""A table's page in Chromium, how that table's state is published, and the server that the page came from."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import aiomqtt
import msgspec

from controller.http import Display, listen_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from playwright.async_api import Browser, Page

    from controller import public
    from controller.broker import Broker
    from controller.command_desk import CommandDesk
    from controller.http_pictures import PictureRoute

TABLES = count(1)
"""No two tests have a table in common: the broker remembers what the one before was told."""


class Served:
    """The server of the page, which keeps its port when it is started again."""

    def __init__(
        self,
        websocket: str,
        desk: CommandDesk | None = None,
        sheets: Mapping[str, Callable[[], msgspec.Struct]] | None = None,
        pictures: PictureRoute | None = None,
    ) -> None:
        self.prefix = f"mj/v1/home/table-{next(TABLES)}"
        self.sign_in: Mapping[str, object] = {}
        self._pictures = pictures
        self._websocket = websocket
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
        self._display = Display(
            listener,
            websocket=self._websocket,
            prefix=self.prefix,
            health=dict,
            desk=self._desk,
            sheets=self._sheets,
            pictures=self._pictures,
            sign_in=self.sign_in,
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
    connect: Callable[[], AbstractAsyncContextManager[aiomqtt.Client]]
    console: list[str]
    served: Served

    async def publish(self, **topics: public.Payload | str | None) -> None:
        """Publish retained state by topic name; text goes out as it is, None removes the topic."""
        async with self.connect() as client:
            for name, payload in topics.items():
                data = (
                    payload if payload is None or isinstance(payload, str) else msgspec.json.encode(payload)
                )
                await client.publish(f"{self.served.prefix}/state/{name}", data, qos=1, retain=True)

    async def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match."""
        return await self.page.locator(selector).all_inner_texts()

    async def tiles(self, selector: str) -> list[str]:
        """The notation of all tiles drawn inside the elements that match, in order."""
        found = await self.page.locator(f"{selector} svg.tile").evaluate_all(
            "tiles => tiles.map(tile => tile.dataset.tile)"
        )
        return [str(tile) for tile in found]


@dataclass(frozen=True)
class Alone(Shown):
    """A page that may be touched and whose broker is nobody else's: the test may do with it what it likes."""

    broker: Broker

    async def publish_when_back(self, **topics: str) -> None:
        """Publish as soon as the broker, which is started again by its keeper, answers."""
        async with asyncio.timeout(15):
            while True:
                with contextlib.suppress(aiomqtt.MqttError):
                    await self.publish(**topics)
                    return
                await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def opened(browser: Browser, served: Served) -> AsyncIterator[tuple[Page, list[str]]]:
    """A page that has been loaded, with nothing kept from another, and what its console says."""
    served.start()
    context = await browser.new_context(viewport={"width": 1920, "height": 1080})
    console: list[str] = []
    try:
        page = await context.new_page()
        page.on("console", lambda message: console.append(message.text))
        page.on("pageerror", lambda error: console.append(str(error)))
        await page.goto(served.address)
        yield page, console
    finally:
        await context.close()
        await served.stop()
