"""Everything that leaves a running controller, for given inputs at given times: MQTT, HTTP, the log."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from inspect import signature
from pathlib import Path
from socket import socket
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self, cast

import pytest
from test_http import get

from controller import app
from controller.app_loop import Loop
from controller.command_desk import CommandDesk
from controller.http import Display, listen_on
from controller.http_pictures import PictureRoute
from controller.journal import Journal
from controller.models import load
from controller.mqtt import Publisher
from controller.session import Session, SessionSettings
from controller.session_effects import Effect
from controller.session_inputs import Input
from rules import sets

if TYPE_CHECKING:
    from vision.reading import LineSight

ANSWERED = (
    "/config.json",
    "/health",
    "/command",
    "/pictures/{name}",
    "/setup.json",
    "/hands.json",
    "/{path:path}",
)
"""Every path that the page's server answers."""

SERVED = {"listener", "websocket", "prefix", "health", "desk", "pictures", "sheets", "sign_in", "names"}
"""All that a server is made of: whatever is added may answer more."""

EVERY = 150
"""The page is loaded anew after so many inputs."""

PREFIX = "mj/v1/home/t"


class _Told(Session):
    """The session, and how many inputs it has had."""

    handled = 0

    def handle(self, arrived: Input, now: float) -> tuple[Effect, ...]:
        effects = super().handle(arrived, now)
        self.handled += 1
        return effects


class _Overheard(Publisher):
    """The publisher, without a broker; what it is given is remembered."""

    def __init__(self) -> None:
        super().__init__(url="mqtt://127.0.0.1:1", prefix=PREFIX)
        self.given: list[tuple[str, bytes]] = []

    def retain(self, topic: str, payload: bytes) -> None:
        self.given.append((topic, payload))
        super().retain(topic, payload)

    def send(self, topic: str, payload: bytes) -> None:
        self.given.append((topic, payload))
        super().send(topic, payload)


@dataclass
class Overheard:
    """What came in, and all that left."""

    heard: list[tuple[Input, float]]
    published: list[tuple[str, bytes]] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    served: list[tuple[str, int, bytes]] = field(default_factory=list)


async def overhear(
    inputs: Sequence[tuple[Input, float]], journal: Path, caplog: pytest.LogCaptureFixture
) -> Overheard:
    """Run the loop over these inputs, and load every page that it serves in between."""
    found = Overheard(list(inputs))
    caplog.clear()
    with caplog.at_level(logging.DEBUG), Journal.open(journal) as kept:
        session = _Told(sets.load("cixi-card"), load("longzhuo840"), SessionSettings(ahead=True), kept.past())
        clock = SimpleNamespace(now=inputs[0][1])
        publisher = _Overheard()
        loop = Loop(session, journal=kept, publisher=publisher, now=lambda: clock.now)
        async with _served(loop, publisher) as display:
            deciding = asyncio.create_task(loop.decide())

            async def feed() -> AsyncIterator[Input]:
                for number, (arrived, clock.now) in enumerate(inputs):
                    yield arrived
                    while session.handled <= number:  # noqa: ASYNC110 - a session rings no bell
                        await asyncio.sleep(0)
                    if number % EVERY == 0:
                        found.served += await _loaded(display)

            await loop.watch(lambda: cast("LineSight", _Sight(feed())), retry_s=60.0)
            while session.handled <= len(inputs):  # noqa: ASYNC110 - the sight's end is told, too
                await asyncio.sleep(0)
            deciding.cancel()
            await asyncio.gather(deciding, return_exceptions=True)
            found.served += await _loaded(display)
        loop.close()
    found.published = publisher.given
    words = logging.Formatter("%(levelname)s %(message)s")
    found.logged = [words.format(record) for record in caplog.records if record.name != "asyncio"]
    return found


class _Sight:
    """Eyes that tell what was prepared; what a board or people have told is among it."""

    stats = SimpleNamespace(read_fps=0.0)

    def __init__(self, told: AsyncIterator[Input]) -> None:
        self._told = told

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held."""

    def __aiter__(self) -> AsyncIterator[Input]:
        return self._told


def _display(listener: socket, loop: Loop, publisher: Publisher) -> Display:
    """The server as the program has it."""
    assert set(signature(Display).parameters) == SERVED
    return Display(
        listener,
        websocket="ws://127.0.0.1:1",
        prefix=PREFIX,
        health=lambda: app._health(loop, publisher),  # noqa: SLF001 - as the program does
        desk=CommandDesk(loop.order, clock=lambda: 0.0, now=lambda: 0.0),
        pictures=PictureRoute(Path(), lambda: loop.pictures),
        sheets=loop.sheets,
    )


@asynccontextmanager
async def _served(loop: Loop, publisher: Publisher) -> AsyncIterator[Display]:
    with listen_on("127.0.0.1", 0) as listener:
        display = _display(listener, loop, publisher)
        serving = asyncio.create_task(display.run())
        try:
            yield display
        finally:
            display.stop()
            await serving


def paths_of(journal: Path) -> set[str]:
    """The paths that a display answers."""
    with Journal.open(journal) as kept, listen_on("127.0.0.1", 0) as listener:
        session = Session(sets.load("cixi-card"), load("longzhuo840"))
        publisher = _Overheard()
        loop = Loop(session, journal=kept, publisher=publisher, now=lambda: 0.0)
        application: Any = _display(listener, loop, publisher)._application()  # noqa: SLF001
        loop.close()
        return {route.path for route in application._app.routes}  # noqa: SLF001


async def _loaded(display: Display) -> list[tuple[str, int, bytes]]:
    found = []
    for path in ANSWERED:
        answer = await get(
            display, path.replace("{path:path}", "").replace("{name}", "deal-1-doubt-1-hand-0.jpg")
        )
        body = answer.body
        if path == "/config.json":
            # Every start has a name and a token of its own.
            body = json.dumps({**json.loads(body), "token": "", "run": ""}).encode()
        found.append((path, answer.status, body))
    return found
