"""The simulated table's camera: films the shown Scene and serves the newest picture as HTTP MJPEG.

    async with SimCamera(port=0, seed=1) as camera:
        version = camera.show(scene)
        await camera.pictures(version, 6)  # the reader has taken six pictures of it

Drawing and encoding happen in one worker thread. A picture is made only when a reader is ready for it, so a
slow reader gets fewer pictures and never old ones.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

import cv2

from hardware_sim.camera_spoil import seen, sent
from hardware_sim.camera_stream import NOT_SEEN, PATH, Picture, PictureServer
from hardware_sim.faults_camera import CameraFaults
from hardware_sim.presets import DEFAULT, Preset
from hardware_sim.render import Renderer
from hardware_sim.scene import Scene

JPEG_QUALITY = 87
NOTICE_S = 2.0
"""After a fault began or ended, people wait so long before they rely on being seen."""


class SimCamera:
    """Films what it is shown.

    `port`: loopback TCP port, 0 for a free one; `seed`: camera position, lamps, cloth; `fps`: the most
    pictures per second; `faults`: those of the camera. Everything but the drawing runs in the event loop
    that entered the context.
    """

    def __init__(
        self,
        port: int = 0,
        seed: int = 0,
        fps: float = 10.0,
        *,
        faults: CameraFaults | None = None,
        preset: Preset = DEFAULT,
    ) -> None:
        if fps <= 0:
            raise ValueError(f"fps {fps}: expected more than 0")
        self._renderer = Renderer(seed, preset=preset)
        self._pause = 1.0 / fps
        self._scene = Scene()
        self._version = 0
        self.faults = faults or CameraFaults()
        self._noticed_at = 0.0
        self._last: Picture | None = None
        self._server = PictureServer(port)
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sim-camera")
        self._group = asyncio.TaskGroup()
        self._filming: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the stream is, as `cv2.VideoCapture` takes it."""
        return f"http://127.0.0.1:{self._server.port}{PATH}"

    @property
    def renderer(self) -> Renderer:
        """What draws the pictures; its `lens` is the truth about where things are in them."""
        return self._renderer

    @property
    def pictures_taken(self) -> int:
        """How many pictures the slowest live reader has taken whole."""
        return self._server.pictures_taken

    def show(self, scene: Scene) -> int:
        """Film this scene from the next picture on; return its version, larger than all before."""
        self._scene = scene
        self._version += 1
        return self._version

    async def pictures(self, since_version: int, count: int) -> None:
        """Wait until every live reader has taken `count` pictures of `since_version` or later.

        One reader at least; a reader that has taken nothing for 3 s is not waited for.
        """
        await self._server.taken(since_version, count)

    def drop(self, *, refuse: bool = False) -> None:
        """Cut all connections; with `refuse` accept none until `accept()`."""
        self._server.drop(refuse=refuse)

    def accept(self) -> None:
        """Accept readers again."""
        self._server.refusing = False

    async def __aenter__(self) -> Self:
        await self._server.start()
        self.faults.watch(self._change)
        await self._group.__aenter__()
        self._filming = self._group.create_task(self._film())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._filming is not None:
            self._filming.cancel()
        try:
            await self._group.__aexit__(kind, error, trace)
        finally:
            await self._server.stop()
            self._worker.shutdown()

    async def _film(self) -> None:
        """Make a picture whenever a reader waits for one, but not more often than the rate allows."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            await asyncio.sleep(max(0.0, due - loop.time()))
            await self._server.reader_waits()
            due = max(due, loop.time() - self._pause / 2) + self._pause
            if self.faults.freezes and self._last is not None:
                self._server.offer(Picture(NOT_SEEN, self._last.data))
                continue
            scene, version = self._scene, self._version
            data = await loop.run_in_executor(self._worker, self._take, scene)
            is_seen = not self.faults.standing and loop.time() >= self._noticed_at
            self._last = Picture(version if is_seen else NOT_SEEN, data)
            self._server.offer(self._last)

    def _change(self, name: str) -> None:
        """A fault has begun or ended."""
        self._noticed_at = asyncio.get_running_loop().time() + NOTICE_S
        before, self._server.manner = self._server.manner, self.faults.manner
        if before is not self._server.manner or name == "camera-restart":
            self._server.drop(refuse=False)

    def _take(self, scene: Scene) -> bytes:
        faults = self.faults.standing
        pixels = seen(self._renderer.picture(scene), faults, self._px_per_mm)
        done, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if not done:
            raise RuntimeError("a picture could not be encoded as JPEG")
        return sent(data.tobytes(), faults)

    @property
    def _px_per_mm(self) -> float:
        """Scale in the middle of the table."""
        left, right = self._renderer.lens.pixels([(-50.0, 0.0, 0.0), (50.0, 0.0, 0.0)])
        return float(abs(right[0] - left[0]) / 100.0)
