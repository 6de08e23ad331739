"""The parts of a simulated table, opened as the command line asks (shell): board, eyes, truth, people."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from firmware_bridge.states import Profile
from hardware_sim.board import SimBoard
from hardware_sim.board_port import BoardPort, PtyPort, UsbPort
from hardware_sim.control import Control
from hardware_sim.faults_camera import CameraFaults
from hardware_sim.faults_text import Injection
from hardware_sim.mechanics_profiles import Detail
from hardware_sim.people_asked import Asked
from hardware_sim.presets import Preset
from hardware_sim.readings_noise import NOISES
from hardware_sim.truth import Start, TruthFile
from hardware_sim.world_eyes import Eyes, camera_over, noisy_readings_of, readings_of
from hardware_sim.world_table import WorldTable
from rules.ruleset import RuleSet


def say(line: str) -> None:
    """Print one line of progress."""
    print(line, flush=True)  # noqa: T201 - the program's output


class CannotStart(Exception):
    """The simulator can't start; the message is one line for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The command line."""

    folder: Path
    seed: int
    speed: float
    hands: int | None
    rules: RuleSet
    wait: bool
    pictures: bool
    noise: str
    camera_port: int
    readings_port: int
    profile: Profile
    spun_dice: bool
    detail: Detail
    board: str
    preset: Preset
    faults: tuple[Injection, ...]
    display: str
    mqtt: str
    prefix: str


@contextlib.asynccontextmanager
async def asked_of(settings: Settings) -> AsyncIterator[Asked | None]:
    """The people as a controller's display reaches them, if there is one."""
    if not settings.display:
        yield None
        return
    asked = Asked(
        mqtt=settings.mqtt,
        prefix=settings.prefix,
        display=settings.display,
        answers=settings.folder / "answers.jsonl",
        seed=settings.seed,
        speed=settings.speed,
    )
    looking = asyncio.create_task(asked.look(), name="people look at the display")
    try:
        yield asked
    finally:
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)


@contextlib.asynccontextmanager
async def board_of(settings: Settings) -> AsyncIterator[SimBoard]:
    """The board, started."""
    board = SimBoard(
        _port(settings),
        settings.seed,
        settings.speed,
        profile=settings.profile,
        spun_dice=settings.spun_dice,
        detail=settings.detail,
        injections=settings.faults,
    )
    board.watch_faults(lambda one: say(f"fault {one}: {one.fault.zh} {one.fault.en}"))
    try:
        await board.start()
    except OSError as error:
        raise CannotStart(f"{board.port.path}: no port for the board: {error.strerror or error}") from error
    try:
        yield board
    finally:
        await board.stop()


def _port(settings: Settings) -> BoardPort:
    if settings.board == "usb":
        return UsbPort(settings.folder / "usb", f"SIM{settings.seed}")
    return PtyPort(settings.folder / "board")


@contextlib.asynccontextmanager
async def control_of(settings: Settings, board: SimBoard) -> AsyncIterator[Control]:
    """The control socket, served."""
    served = Control(settings.folder, board)
    try:
        await served.start()
    except OSError as error:
        raise CannotStart(f"{served.path}: no control socket: {error.strerror or error}") from error
    try:
        yield served
    finally:
        await served.stop()


def eyes_of(
    settings: Settings, table: WorldTable, faults: CameraFaults
) -> contextlib.AbstractAsyncContextManager[Eyes]:
    """What looks at the table."""
    if settings.pictures:
        return camera_over(
            table, port=settings.camera_port, seed=settings.seed, faults=faults, preset=settings.preset
        )
    if settings.noise != "none":
        return noisy_readings_of(
            table,
            port=settings.readings_port,
            noise=NOISES[settings.noise],
            seed=settings.seed,
            speed=settings.speed,
            faults=faults,
        )
    return readings_of(table, port=settings.readings_port)


def truth_of(settings: Settings) -> TruthFile:
    """The truth file, with its first line."""
    path = settings.folder / "truth.jsonl"
    try:
        truth = TruthFile(path)
    except OSError as error:
        raise CannotStart(f"{path}: {error.strerror}; expected a file that can be written") from error
    rules = settings.rules
    options = {name: value for name, value in rules.options.items() if isinstance(value, bool | int | str)}
    truth.write(Start(seed=settings.seed, rules=rules.name, options=options, speed=settings.speed))
    return truth
