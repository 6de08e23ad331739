"""Examines boards in virtual time, with hands at their tables."""

from collections.abc import Callable
from typing import Protocol

from firmware_bridge.conformance.requirement import Result
from firmware_bridge.conformance.run import Examination, Report, examine
from firmware_bridge.conformance.virtual_wire import VirtualWire
from firmware_bridge.driver import Engine
from firmware_bridge.reference.compiled import CoreBoard
from firmware_bridge.states import Key
from hardware_sim.board_firmware import Firmware


class Clock(Protocol):
    @property
    def now(self) -> float: ...


class SimHands:
    """Somebody at a simulated table."""

    def __init__(self, clock: Clock, firmware: Firmware) -> None:
        self._clock = clock
        self._firmware = firmware

    async def press(self, key: Key, seat: int) -> None:
        self._firmware.press(key, seat, self._clock.now)

    async def load(self, tiles: int) -> bool:
        self._firmware.mechanics.load(tiles)
        return True

    async def pace(self, speed: int) -> None:
        self._firmware.mechanics.speed = speed


class CoreHands:
    """Somebody at the table of the C board, which is as fast as it was made."""

    def __init__(self, clock: Clock, board: CoreBoard) -> None:
        self._clock = clock
        self._board = board

    async def press(self, key: Key, seat: int) -> None:
        self._board.press(key, seat, self._clock.now)
        self._board.press(key, seat, self._clock.now, down=False)

    async def load(self, tiles: int) -> bool:
        return self._board.load(tiles, self._clock.now)

    async def pace(self, speed: int) -> None:
        del speed


async def examined(
    engine: Engine,
    hands: Callable[[VirtualWire], SimHands | CoreHands] | None,
    *,
    motion: bool = True,
    only: tuple[str, ...] = (),
) -> Report:
    """The examination of a board in virtual time; ``hands`` makes somebody for its wire."""
    wire = VirtualWire(engine)
    at_table = None if hands is None else hands(wire)
    wanted = Examination(session=65530, op_id=2**32 - 700, motion=motion, hands=at_table, only=only)
    return await examine(wire, wanted)


def with_result(report: Report, result: Result) -> dict[str, str]:
    """Ids and details of the requirements with this result."""
    return {one.requirement.id: one.detail for one in report.findings if one.result is result}


def failed(report: Report) -> dict[str, str]:
    """Ids and details of what has failed."""
    return with_result(report, Result.FAILED)
