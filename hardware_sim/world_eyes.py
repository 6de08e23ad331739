"""What looks at the simulated table: its camera, or perfect readings, and the truth file's own eye."""

import contextlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

from hardware_sim.camera import SimCamera
from hardware_sim.faults_camera import CameraFaults
from hardware_sim.presets import DEFAULT, Preset
from hardware_sim.readings import Readings
from hardware_sim.readings_camera import CameraReadings
from hardware_sim.readings_lying import Lying
from hardware_sim.readings_noise import Noise
from hardware_sim.readings_server import ReadingsServer
from hardware_sim.scene import Scene
from hardware_sim.truth import TruthFile
from hardware_sim.world_hands import Seen
from hardware_sim.world_table import WorldTable

PICTURES_AT_REST: Final = 6


class PortTaken(Exception):
    """A port that was asked for is occupied; the message is one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Eyes:
    """Where to look at the table; `seen` waits until lookers have seen enough, None where nobody waits."""

    camera: str | None = None
    readings: str | None = None
    seen: Seen | None = None


@contextlib.asynccontextmanager
async def camera_over(
    table: WorldTable,
    *,
    port: int,
    seed: int,
    faults: CameraFaults | None = None,
    preset: Preset = DEFAULT,
) -> AsyncIterator[Eyes]:
    """Film the table; the stream is served on this loopback port (0: a free one).

    Raises:
        PortTaken: the port is occupied.
    """
    camera = SimCamera(port, seed, faults=faults, preset=preset)
    version = camera.show(table.scene)

    def show(scene: Scene) -> None:
        nonlocal version
        version = camera.show(scene)

    async def seen() -> None:
        await camera.pictures(version, PICTURES_AT_REST)

    table.watch(show)
    async with contextlib.AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(camera)
        except OSError as error:
            raise PortTaken(f"--camera-port {port}: occupied; choose another, or 0 for any") from error
        yield Eyes(camera=camera.url, seen=seen)


@contextlib.asynccontextmanager
async def readings_of(table: WorldTable, *, port: int) -> AsyncIterator[Eyes]:
    """Serve perfect readings of the table on this loopback port (0: a free one).

    Raises:
        PortTaken: the port is occupied.
    """
    async with _served(Readings(table), port) as address:
        yield Eyes(readings=address)


@contextlib.asynccontextmanager
async def noisy_readings_of(  # noqa: PLR0913 - what a camera is and where it looks
    table: WorldTable, *, port: int, noise: Noise, seed: int, speed: float, faults: CameraFaults
) -> AsyncIterator[Eyes]:
    """Serve what a camera that is late and errs makes of the table, as `readings_of` does.

    Raises:
        PortTaken: the port is occupied.
    """
    camera = CameraReadings(table, noise, seed=seed, speed=speed, faults=faults)
    async with _served(camera, port) as address:
        yield Eyes(readings=address, seen=camera.seen)


@contextlib.asynccontextmanager
async def _served(readings: ReadingsServer, port: int) -> AsyncIterator[str]:
    try:
        bound = await readings.start(port)
    except OSError as error:
        raise PortTaken(f"--readings-port {port}: occupied; choose another, or 0 for any") from error
    try:
        yield f"tcp://127.0.0.1:{bound}"
    finally:
        await readings.stop()


def watch_for_truth(table: WorldTable, truth: TruthFile) -> None:
    """Have the truth file note where every open tile lies."""
    lying = Lying()

    def look(scene: Scene) -> None:
        truth.lain(time.time(), *lying.look(scene))

    look(table.scene)
    table.watch(look)
