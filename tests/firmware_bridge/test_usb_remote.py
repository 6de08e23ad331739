"""A simulated USB device used from another process, as the controller's configuration names it."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from firmware_bridge import Board, LinkLost
from firmware_bridge.driver import Driver
from firmware_bridge.messages import Booted, Disconnected, GetStatus, OpenHatch, Report
from firmware_bridge.port import Callbacks
from firmware_bridge.states import ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics
from hardware_sim.usb_bus import UsbFacts
from hardware_sim.usb_device import LocalBus, UsbDevice
from hardware_sim.usb_server import UsbServer

CONTROLLER = """
import asyncio
from firmware_bridge import Board
from firmware_bridge.messages import OpenHatch

async def main():
    async with Board("usb://1209:4d4a/T7", usb_backend="hardware_sim.usb_remote:backend") as board:
        booted = await board.connected()
        await board.command(OpenHatch())
        print(booted.uid, flush=True)

asyncio.run(main())
"""


class Simulator:
    """A table at a bus that other processes reach."""

    def __init__(self, path: Path) -> None:
        now = asyncio.get_running_loop().time()
        self.mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
        firmware = Firmware(self.mechanics, Identity(uid=7), boot_id=1, cause=ResetCause.POWER_ON, now=now)
        self.driver = Driver(firmware, lambda: None)
        self.bus = LocalBus()
        self.device = UsbDevice(self.bus, UsbFacts(serial="T7"))
        self.server = UsbServer(self.bus, path)

    def plug_in(self) -> None:
        self.device.plug_in()
        self.driver.attach(
            self.device.open(Callbacks(self.driver.data_came, lambda _: None, self.driver.pump))
        )


@pytest.fixture
async def simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Simulator]:
    monkeypatch.setenv("LONGZHUO_SIM_USB", str(tmp_path / "usb"))
    made = Simulator(tmp_path / "usb")
    made.plug_in()
    made.server.start()
    yield made
    made.driver.stop()
    await asyncio.to_thread(made.server.stop)


def over_the_socket(**settings: float) -> Board:
    return Board("usb://1209:4d4a/T7", usb_backend="hardware_sim.usb_remote:backend", **settings)  # type: ignore[arg-type]


async def heard(board: Board, kind: type[Report]) -> Report:
    async with asyncio.timeout(5):
        async for report in board.reports():
            if isinstance(report, kind):
                return report
    raise AssertionError("the reports have ended")


async def test_another_process_plays_over_usb_with_the_simulator(simulator: Simulator) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CONTROLLER), stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    said, _ = await asyncio.wait_for(process.communicate(), 30)
    assert (process.returncode, said) == (0, b"7\n")
    assert State.HATCH_OPEN in simulator.mechanics.states.values()
    async with asyncio.timeout(5):
        while simulator.device.is_claimed:  # noqa: ASYNC110 - the other process is gone for the server, too
            await asyncio.sleep(0.01)


async def test_a_plug_pulled_in_the_simulator_is_pulled_for_the_other_process(simulator: Simulator) -> None:
    async with over_the_socket() as board:
        await board.connected()
        for address in (2, 3, 4):
            simulator.device.unplug()
            simulator.driver.detach()
            await heard(board, Disconnected)
            simulator.plug_in()
            await heard(board, Booted)
            assert simulator.device.address == address
        simulator.device.stall(inward=True)
        simulator.device.stall(inward=False)
        await board.command(GetStatus())
        await board.command(OpenHatch())


async def test_a_simulator_that_ends_is_a_lost_link_and_one_that_starts_again_is_found(
    simulator: Simulator,
) -> None:
    async with over_the_socket() as board:
        await board.connected()
        await asyncio.to_thread(simulator.server.stop)
        await heard(board, Disconnected)
        with pytest.raises(LinkLost, match="there is no USB device 1209:4d4a T7"):
            await board.connected(0.3)
        simulator.server.start()
        await board.connected()
        await board.command(GetStatus())


async def test_two_processes_do_not_share_the_device(simulator: Simulator) -> None:
    assert simulator.device.address == 1
    async with over_the_socket() as first:
        await first.connected()
        async with over_the_socket() as second:
            with pytest.raises(LinkLost, match="another program holds this USB device"):
                await second.connected(0.3)
        await first.command(GetStatus())
    assert not [thread for thread in threading.enumerate() if "USB device" in thread.name]
