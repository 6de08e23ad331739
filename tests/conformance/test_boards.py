"""Boards that keep to the protocol pass: both implementations, every kind of machine, older firmware."""

import ctypes
import json
import re
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from examining import CoreHands, SimHands, examined, failed, with_result

from controller.cli.conformance import command
from firmware_bridge.conformance.catalogue import ALL
from firmware_bridge.conformance.requirement import MOVES_NOTHING, NOBODY, Result
from firmware_bridge.conformance.run import Examination, examine
from firmware_bridge.conformance.wire import WireGone
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import Capability, Profile, ResetCause, State
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics

FIRST = Capability.DICE | Capability.LAMPS | Capability.COUNTERS
KINDS = {
    "four ports": Identity(uid=3),
    "one port": Identity.of(Profile.SINGLE_PORT, 3),
    "deals": Identity.of(Profile.EIGHT_PORT_DEAL, 3),
    "protocol 1.0": Identity(uid=3, protocol=(1, 0), capabilities=FIRST),
    "nothing but walls": Identity(uid=3, capabilities=Capability.NONE),
    "dice a camera reads": Identity(uid=3, capabilities=Capability.DICE_SPUN | Capability.REPLAY),
}


def simulated(identity: Identity) -> Firmware:
    mechanics = Mechanics(Random(4), speed=3.0, profile=identity.profile)  # noqa: S311 - a game
    return Firmware(mechanics, identity, boot_id=7, cause=ResetCause.WATCHDOG, now=0.0)


@pytest.mark.parametrize("identity", KINDS.values(), ids=KINDS)
async def test_the_simulated_board_meets_every_requirement(identity: Identity) -> None:
    firmware = simulated(identity)
    report = await examined(firmware, lambda wire: SimHands(wire, firmware))
    assert failed(report) == {}
    assert report.passes
    assert len(report.findings) == len(ALL)
    if identity.capabilities == Identity(uid=3).capabilities:
        # It has every capability there is for a command, so that one can't be seen.
        assert with_result(report, Result.NOT_APPLICABLE).keys() == {"CMD-06"}


async def test_the_reference_board_meets_every_requirement(c_core: ctypes.CDLL) -> None:
    board = CoreBoard(c_core, Settings(speed=3))
    report = await examined(board, lambda wire: CoreHands(wire, board))
    assert failed(report) == {}
    assert with_result(report, Result.NOT_APPLICABLE).keys() == {"CMD-06"}


async def test_the_reference_board_without_capabilities_refuses_what_needs_them(c_core: ctypes.CDLL) -> None:
    board = CoreBoard(c_core, Settings(speed=3, capabilities=Capability.NONE))
    report = await examined(board, lambda wire: CoreHands(wire, board))
    assert failed(report) == {}
    assert "CMD-06" in with_result(report, Result.PASSED)


async def test_without_motion_nothing_moves_and_nothing_stays_behind() -> None:
    firmware = simulated(Identity(uid=3))
    states = dict(firmware.mechanics.states)
    report = await examined(firmware, None, motion=False)
    assert failed(report) == {}
    reasons = with_result(report, Result.NOT_APPLICABLE)
    assert reasons["HATCH-01"] == MOVES_NOTHING
    assert reasons["STOP-01"] == NOBODY
    assert firmware.mechanics.states == states
    assert firmware.mechanics.counters().openings == 0
    assert firmware.mechanics.counters().lifts == 0


async def test_after_all_of_it_the_machine_is_safe() -> None:
    firmware = simulated(Identity(uid=3))
    await examined(firmware, lambda wire: SimHands(wire, firmware))
    status = firmware.mechanics.status()
    assert (status.safety, status.hatch, status.walls) == (
        State.OPERATIONAL,
        State.HATCH_CLOSED,
        State.WALLS_DOWN,
    )


# ---- a line with nobody on it ------------------------------------------------------------------------------


class Silence:
    """A board that is not there."""

    def receive(self, data: bytes, now: float) -> None: ...

    def on_timer(self, now: float) -> None: ...

    def data_to_send(self, now: float) -> bytes:
        del now
        return b""

    def next_timer(self) -> float | None:
        return None


async def test_a_line_without_a_board_is_one_failure() -> None:
    report = await examined(Silence(), None)
    assert failed(report) == {"FRAME-02": "nothing comes back after RESET, whatever its CRC"}
    assert report.board is None


class PulledWire:
    """A wire that is pulled at the first byte."""

    now = 0.0
    slack = 0.0

    async def send(self, data: bytes) -> None:
        raise WireGone(f"pulled after {len(data)} bytes")

    async def receive(self, until: float) -> bytes:
        raise AssertionError(until)


async def test_a_cable_that_is_pulled_ends_the_examination_in_words() -> None:
    report = await examine(PulledWire(), Examination(session=1, op_id=1))
    assert failed(report) == {"FRAME-02": "the port is gone: pulled after 18 bytes"}
    gone = with_result(report, Result.NOT_APPLICABLE)
    assert gone["LINK-02"].startswith("the port is gone")


# ---- the catalogue -----------------------------------------------------------------------------------------


def test_requirements_have_ids_of_their_own_and_cite_the_protocol() -> None:
    document = Path(__file__).parents[2] / "firmware_bridge" / "PROTOCOL.md"
    sections = set(
        re.findall(r"^##+ (\d+(?:\.\d+)?)\.? ", document.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert len({one.id for one in ALL}) == len(ALL) >= 40
    for one in ALL:
        assert re.fullmatch(r"[A-Z]+-\d\d", one.id)
        assert one.section in sections, one.id


# ---- the command -------------------------------------------------------------------------------------------


def test_the_list_names_every_requirement() -> None:
    result = CliRunner().invoke(command, ["--list"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == [one.id for one in ALL]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "which board?"),
        (["--sim", "--only", "link", "--only", "nope"], "--only NOPE: no such requirement"),
        (["--sim", "--reference"], "which board?"),
        (["--sim", "--only", "NONE-1"], "no such requirement"),
        (["--port", "/dev/null"], "something will move"),
        (["--port", "/nowhere/tty", "--no-motion"], "there is no such port"),
        (["--port", "modem://1", "--no-motion"], "board address"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(arguments: list[str], words: str) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code != 0
    assert words in result.output


SHORT = ["--only", "SES", "--only", "FRAME", "--only", "HATCH", "--only", "STOP", "--only", "CYCLE-06"]


def test_on_a_terminal_the_simulated_board_passes_and_json_tells_it() -> None:
    result = CliRunner().invoke(command, ["--sim", "--json", *SHORT])
    report = json.loads(result.stdout)
    results = {one["id"]: one["result"] for one in report["requirements"]}
    # SES-13 looks at a session that LINK-11 has lost.
    assert results.pop("SES-13") == "not applicable"
    assert set(results.values()) == {"passed"}, report
    assert {"FRAME-11", "SES-09", "HATCH-01", "STOP-05", "CYCLE-06"} <= results.keys()
    assert all({"id", "title", "result", "detail"} <= one.keys() for one in report["requirements"])
    assert report["board"]["protocol"] == "1.1"
    assert result.exit_code == 0


def test_on_a_terminal_the_reference_board_passes_the_whole(c_compiler: str) -> None:
    assert c_compiler
    result = CliRunner().invoke(command, ["--reference"])
    assert f"{len(ALL) - 1} passed, 0 failed, 1 not applicable" in result.output
    assert result.exit_code == 0


@pytest.mark.long
def test_on_a_terminal_the_simulated_board_passes_the_whole() -> None:
    result = CliRunner().invoke(command, ["--sim"])
    assert f"{len(ALL) - 1} passed, 0 failed, 1 not applicable" in result.output
    assert result.exit_code == 0
