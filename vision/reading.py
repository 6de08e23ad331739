"""Opens the eyes of a table: a camera, or readings that somebody else's camera made, as one stream.

    async with open_sight("http://127.0.0.1:8081/camera.mjpg", MODEL, SightSettings()) as sight:
        async for observation in sight: ...

`readings:PATH` and `readings:tcp://HOST:PORT` are lines of `vision.observations`; everything else is a
source of pictures (`vision.camera`). The heavy work on pictures is done in one worker thread, on one core;
pictures that come meanwhile are dropped but for the newest.
"""

import asyncio
import functools
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Final, Self

import cv2

from rules.tiles import Tile
from vision.camera import Camera, NoPicture, Source
from vision.camera_health import Limits
from vision.enrol import Enrolment
from vision.find import Finder
from vision.images import Frame, Image
from vision.name import Namer
from vision.observations import CameraTrouble, Observation
from vision.reading_eyes import CODED_S, Eyes, SightSettings, SightStats
from vision.reading_lines import LineSight
from vision.zones import TableGeometry

__all__ = ["LineSight", "PictureSight", "SightSettings", "SightStats", "open_sight"]

RATE_OVER: Final = 30  # pictures
REOPEN_S: Final = 3.0
LONGEST_REOPEN_S: Final = 60.0


class PictureSight:
    """Observations from pictures: an asynchronous iterator, opened and closed by `async with`."""

    def __init__(  # noqa: PLR0913 - the arguments of open_sight
        self,
        source: Source,
        geometry: TableGeometry,
        settings: SightSettings,
        *,
        kinds: Collection[Tile] | None,
        enrolled: Enrolment | None,
        clock: Callable[[], float],
    ) -> None:
        self._settings = settings
        self._geometry = geometry
        self._kinds = kinds
        self._enrolled = enrolled
        self._clock = clock
        self._camera = Camera(source, retry_s=settings.retry_s, clock=clock)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sight")
        self._eyes: Eyes | None = None
        self._looks: deque[tuple[float, float]] = deque(maxlen=RATE_OVER)
        self._looked_at = 0
        self._reopen_at, self._reopen_wait = -math.inf, REOPEN_S

    async def __aenter__(self) -> Self:
        """Load the networks and start the camera.

        Raises:
            NoPicture: the source can never give pictures (a folder without images).
        """
        try:
            self._eyes = await asyncio.get_running_loop().run_in_executor(self._worker, self._open_eyes)
            await self._camera.__aenter__()
        except BaseException:
            self._worker.shutdown()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._camera.__aexit__(kind, error, trace)
        self._worker.shutdown()

    @property
    def read_fps(self) -> float:
        """Pictures looked at per second, over the last few seconds."""
        span = self._looks[-1][0] - self._looks[0][0] if len(self._looks) > 1 else 0.0
        return (len(self._looks) - 1) / span if span > 0 else 0.0

    @property
    def stats(self) -> SightStats:
        """The counters now."""
        eyes, looks = self._eyes, self._looks
        return SightStats(
            pictures=self._camera.pictures,
            looked_at=self._looked_at,
            read_fps=self.read_fps,
            look_s=sum(seconds for _, seconds in looks) / len(looks) if looks else 0.0,
            parts_read=eyes.parts_read if eyes else 0,
            tiles_named=eyes.tiles_named if eyes else 0,
        )

    async def views(
        self, areas: Mapping[str, tuple[int, int, int, int]], *, height: float
    ) -> dict[str, Image]:
        """Parts of the last picture, as `Eyes.views`; not while a picture is looked at."""
        look = functools.partial(self._open.views, areas, height=height)
        return await asyncio.get_running_loop().run_in_executor(self._worker, look)

    async def __aiter__(self) -> AsyncIterator[Observation]:
        """What becomes certain, picture by picture; ends only where a folder of images ends."""
        while True:
            try:
                frame = await self._camera.frame(within_s=self._settings.timeout_s)
            except NoPicture as error:
                told = self._open.without_picture(self._clock(), error.trouble, str(error))
            else:
                if frame is None:
                    return
                told = await self._look(frame)
                self._unfreeze()
            for observation in told:
                yield observation

    def _unfreeze(self) -> None:
        """A frozen stream is opened again, after longer and longer waits; some cameras wake up by it."""
        if self._open.trouble is not CameraTrouble.FROZEN:
            self._reopen_at, self._reopen_wait = self._clock() + REOPEN_S, REOPEN_S
        elif self._clock() >= self._reopen_at:
            self._camera.reopen()
            self._reopen_at = self._clock() + self._reopen_wait
            self._reopen_wait = min(2 * self._reopen_wait, LONGEST_REOPEN_S)

    @property
    def _open(self) -> Eyes:
        if self._eyes is None:
            raise RuntimeError("the sight is not open; use it in `async with`")
        return self._eyes

    async def _look(self, frame: Frame) -> list[Observation]:
        started = time.perf_counter()
        observations = await asyncio.get_running_loop().run_in_executor(self._worker, self._open.look, frame)
        self._looks.append((self._clock(), time.perf_counter() - started))
        self._looked_at += 1
        return observations

    def _open_eyes(self) -> Eyes:
        cv2.setNumThreads(1)
        namer = Namer(kinds=self._kinds, enrolled=self._enrolled)
        eyes = Eyes(self._geometry, self._settings, Finder(), namer, frozen_s=self._frozen_s)
        eyes.warm_up()
        return eyes

    @property
    def _frozen_s(self) -> float | None:
        """How long pictures stay the same until they are frozen."""
        if not self._camera.is_live:
            return None
        return CODED_S if self._camera.is_coded else Limits().frozen_s


def open_sight(  # noqa: PLR0913 - a table has so many sides
    source: Source,
    geometry: TableGeometry,
    settings: SightSettings,
    *,
    kinds: Collection[Tile] | None = None,
    enrolled: Enrolment | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> PictureSight | LineSight:
    """The eyes for a source; open them by `async with`.

    Args:
        source: `readings:PATH`, `readings:tcp://HOST:PORT`, or what `vision.camera.Camera` takes.
        geometry: the table.
        settings: how long and how often to look.
        kinds: the faces of the set in play, the only ones that are named; all 42 when None.
        enrolled: what was learned of the table's own set of tiles. Opening the eyes raises `BadEnrolment`
            where it was made with another network than they use.
        clock: seconds, for observations from pictures.
    """
    if isinstance(source, str) and source.startswith("readings:"):
        return LineSight(source.removeprefix("readings:"), settings)
    return PictureSight(source, geometry, settings, kinds=kinds, enrolled=enrolled, clock=clock)
