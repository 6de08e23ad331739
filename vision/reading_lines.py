"""Observations that come ready-made: lines of JSON from a file or a TCP server."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from msgspec.structs import replace

from vision.observations import (
    Appeared,
    BadReading,
    CameraBack,
    CameraLost,
    Observation,
    Settled,
    Vanished,
    decode_line,
)
from vision.reading_eyes import SightSettings, SightStats

LONGEST_LINE: Final = 65_536  # bytes
_log = logging.getLogger(__name__)


class BadSource(ValueError):
    """A source of readings that can't be one; the message says what was expected."""


class Relay:
    """Passes on what readings tell, across connections, so that every id appears once and vanishes once.

    After a new connection a server tells again what lies on the table, perhaps under other numbers (it may
    have been started anew). What is told before its first `Settled` is compared with what was known: tiles
    told again keep their id, tiles not told again vanish.
    """

    def __init__(self) -> None:
        self._known: dict[int, Appeared] = {}
        self._before: dict[int, Appeared] = {}
        self._highest = 0
        self.at = 0.0

    def reconnected(self) -> None:
        """What comes next is from a new connection: their ids mean nothing any more."""
        self._before = {appeared.id: appeared for appeared in (*self._before.values(), *self._known.values())}
        self._known = {}

    def take(self, observation: Observation) -> list[Observation]:
        """What is new in an observation; `at` never falls."""
        self.at = max(self.at, observation.at)
        match observation:
            case Appeared():
                return self._appeared(observation)
            case Vanished(id=theirs):
                ours = self._known.pop(theirs, None)
                return [] if ours is None else [Vanished(at=self.at, id=ours.id)]
            case Settled():
                gone = [Vanished(at=self.at, id=ours) for ours in self._before]
                self._before = {}
                return [*gone, Settled(at=self.at)]
            case _:
                return [observation]

    def _appeared(self, observation: Appeared) -> list[Observation]:
        if observation.id in self._known:
            return []
        for ours in self._before.values():
            if (ours.tile, ours.x, ours.y) == (observation.tile, observation.x, observation.y):
                self._known[observation.id] = self._before.pop(ours.id)
                return []
        number = observation.id if observation.id > self._highest else self._highest + 1
        self._highest = number
        self._known[observation.id] = replace(observation, id=number, at=self.at)
        return [self._known[observation.id]]


class LineSight:
    """Observations from lines; a file ends the stream, a server that goes away is connected to again.

    A line that is no observation is counted; the first one is logged. After a new connection a server may
    tell again what lies on the table: tiles that are known already are not told twice.
    """

    def __init__(self, where: str, settings: SightSettings) -> None:
        self._where = where
        self._retry_s = settings.retry_s
        self._timeout_s = settings.timeout_s
        self._lines = 0
        self._bad_lines = 0
        self._relay = Relay()
        try:
            address = urlsplit(where) if where.startswith("tcp://") else None
            self._address = (address.hostname or "", address.port or 0) if address else None
        except ValueError:
            self._address = ("", 0)
        if self._address is not None and not all(self._address):
            raise BadSource(f"readings:{where}: expected readings:tcp://HOST:PORT")

    async def __aenter__(self) -> Self:
        """Check that a file can be read.

        Raises:
            BadSource: it can't.
        """
        if self._address is None and not Path(self._where).is_file():  # noqa: ASYNC240 - once, at start
            raise BadSource(
                f"readings:{self._where}: no such file; expected lines of JSON or tcp://HOST:PORT"
            )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing stays open between lines."""

    read_fps = 0.0

    @property
    def stats(self) -> SightStats:
        """The counters now."""
        return SightStats(lines=self._lines, bad_lines=self._bad_lines)

    async def __aiter__(self) -> AsyncIterator[Observation]:
        if self._address is None:
            for number, line in enumerate(Path(self._where).read_bytes().splitlines(), start=1):  # noqa: ASYNC240
                for observation in self._decode(line, number):
                    yield observation
                await asyncio.sleep(0)
            return
        async for observation in self._from_server(*self._address):
            yield observation

    async def _from_server(self, host: str, port: int) -> AsyncIterator[Observation]:
        lost = False
        while True:
            reason = f"{host}:{port}: closed the connection"
            try:
                async with asyncio.timeout(self._timeout_s):
                    reader, writer = await asyncio.open_connection(host, port, limit=LONGEST_LINE)
            except (OSError, TimeoutError) as error:
                reason = f"{host}:{port}: can't connect: {error or 'no answer'}"
            else:
                self._relay.reconnected()
                if lost:
                    lost = False
                    yield CameraBack(at=self._relay.at)
                async with contextlib.aclosing(self._lines_of(reader, writer)) as observations:
                    async for observation in observations:
                        yield observation
            if not lost:
                lost = True
                yield CameraLost(at=self._relay.at, reason=reason)
            await asyncio.sleep(self._retry_s)

    async def _lines_of(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> AsyncGenerator[Observation, None]:
        """Until the server hangs up, or sends something that is no line at all."""
        try:
            number = 0
            while line := await reader.readline():
                number += 1
                for observation in self._decode(line, number):
                    yield observation
        except (ConnectionError, ValueError) as error:
            self._count_bad(f"connection given up: {error}")
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _decode(self, line: bytes, number: int) -> list[Observation]:
        """The observation of a line that tells something new."""
        if not line.strip():
            return []
        try:
            observation = decode_line(line)
        except BadReading as error:
            self._count_bad(f"line {number}: {error}")
            return []
        self._lines += 1
        return self._relay.take(observation)

    def _count_bad(self, words: str) -> None:
        self._bad_lines += 1
        if self._bad_lines == 1:
            _log.error("readings:%s: %s; further bad lines are only counted", self._where, words)
