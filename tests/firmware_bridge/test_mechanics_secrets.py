"""Nothing a board says depends on which tile lies where."""

from hypothesis import given, settings
from hypothesis import strategies as st
from machine_table import AS_SET, MachineTable

from firmware_bridge.faults import FaultCode
from firmware_bridge.messages import (
    AbortCycle,
    Command,
    GetCounters,
    GetFaults,
    GetReports,
    GetStatus,
    OpenHatch,
    PauseCycle,
    RaiseWalls,
    ResumeCycle,
    RollDice,
)
from hardware_sim.mechanics import Cause, Detail
from hardware_sim.wires import Wire, WireFaults

SCRIPT = st.lists(
    st.sampled_from(
        (
            OpenHatch(),
            AS_SET,
            PauseCycle(),
            ResumeCycle(),
            AbortCycle(),
            RaiseWalls(),
            RollDice(),
            GetStatus(),
            GetReports(0),
            GetFaults(),
            GetCounters(),
        )
    ),
    max_size=8,
)


class Tapped(Wire):
    """Remembers all that the board has said."""

    def __init__(self) -> None:
        super().__init__(2, WireFaults(latency_s=0.001))
        self.said = bytearray()

    def carry(self, data: bytes, now: float) -> None:
        self.said += data
        super().carry(data, now)


def said_by(order: list[int], script: list[Command], detail: Detail, cause: FaultCode) -> bytes:
    table = MachineTable(tiles=order, detail=detail)
    tap = table.to_left = Tapped()
    table.load()
    table.machine.inject(Cause(cause, at_s=20.0, duration_s=3.0))
    for command in (AS_SET, *script, OpenHatch()):
        table.give(command)
        table.run(9.0)
    table.run(60.0)
    return bytes(tap.said)


@given(
    st.permutations(range(136)),
    SCRIPT,
    st.sampled_from(Detail),
    st.sampled_from((FaultCode.FED_01, FaultCode.TIL_01, FaultCode.HED_04, FaultCode.CNT_03)),
)
@settings(max_examples=12)
def test_two_boards_whose_hidden_tiles_differ_say_the_same_bytes(
    order: list[int], script: list[Command], detail: Detail, cause: FaultCode
) -> None:
    said = said_by(list(range(136)), script, detail, cause)
    assert len(said) > 1000
    assert said_by(order, script, detail, cause) == said


def test_the_hidden_order_is_another_after_every_cycle() -> None:
    table = MachineTable(detail=Detail.QUEUES)
    table.load()
    table.done(AS_SET)
    first = [list(place) for place in table.machine.tiles.bins]
    table.done(RaiseWalls())
    table.load()
    table.done(AS_SET)
    assert [list(place) for place in table.machine.tiles.bins] != first
    assert sorted(tile for place in first for tile in place) == list(range(136))
