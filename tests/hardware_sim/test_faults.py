"""Every fault of the list by its name: it is said, read, and does at the table what its name says."""

import contextlib
from collections.abc import Iterable
from math import ceil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import BoardError, CommandFailed, LinkLost, WrongVersion
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.link import Timing
from firmware_bridge.messages import (
    Booted,
    Disconnected,
    Fault,
    GetConfig,
    GetStatus,
    LowerWalls,
    OpenHatch,
    RaiseWalls,
    RollDice,
    StartCycle,
    Status,
)
from firmware_bridge.states import Region, ResetCause, State
from hardware_sim.faults import FAULT_LIST, BadFault, Kind, SimFault
from hardware_sim.faults_list import MIXES, format_faults, listing, parse_faults
from hardware_sim.faults_text import HAPPENINGS, Injection, When, parse_one, parse_words
from hardware_sim.virtual import NeverHappened, VirtualTable

GOLDEN = Path(__file__).with_name("faults.txt")
SET = (17, 17, 17, 17)


def table(faults: str = "", *, seed: int = 1) -> VirtualTable:
    met = VirtualTable(seed=seed, faults=parse_faults(faults) if faults else ())
    met.connect()
    return met


def play(met: VirtualTable) -> None:
    """The way from a full table to dice that lie."""
    met.command(OpenHatch())
    met.load_tiles(136)
    for command in (StartCycle(SET), RaiseWalls(), RollDice(2)):
        met.command(command)


# ---- the list and its words --------------------------------------------------------------------------


def test_the_printed_list_is_the_golden_one() -> None:
    assert listing() + "\n" == GOLDEN.read_text(encoding="utf-8")


def test_every_code_of_the_fault_table_has_its_row() -> None:
    assert {fault.code for fault in FAULT_LIST if fault.code} == set(FAULTS)


def test_no_two_rows_have_a_name_in_common() -> None:
    names = [name.lower() for fault in FAULT_LIST for name in (fault.name, *fault.others)]
    assert len(names) == len(set(names))
    assert not set(names) & set(MIXES)


def injections() -> st.SearchStrategy[Injection]:
    def of(fault: SimFault) -> st.SearchStrategy[Injection]:
        values = {
            param.name: st.sampled_from(param.choices)
            if param.choices
            else st.integers(ceil(param.low), int(param.high)).map(str)
            for param in fault.params
        }
        keys = st.sets(st.sampled_from(sorted(values))) if values else st.just(set())
        chosen = keys.flatmap(lambda names: st.fixed_dictionaries({name: values[name] for name in names}))
        return st.builds(
            lambda given, when: parse_one(
                f"{fault.name}{when}{''.join(f':{k}={v}' for k, v in given.items())}"
            ),
            chosen,
            whens(),
        )

    # By number: a strategy that held the faults themselves would be too long to print.
    return st.integers(0, len(FAULT_LIST) - 1).flatmap(lambda number: of(FAULT_LIST[number]))


def whens() -> st.SearchStrategy[str]:
    number = st.one_of(st.just("*"), st.integers(1, 99).map(str))
    after = st.one_of(st.just(""), st.integers(1, 600).map(lambda tenths: f"+{tenths / 10:g}s"))
    event = st.builds("@{}{}{}".format, st.sampled_from(sorted(HAPPENINGS)), number, after)
    tick = st.integers(1, 10**6).map("@tick{}".format)
    return st.one_of(st.just(""), st.just("@12.5s"), event, tick)


@given(st.lists(injections(), min_size=1, max_size=4))
def test_what_is_written_is_read_as_the_same(faults: list[Injection]) -> None:
    assert list(parse_faults(format_faults(faults))) == faults


def test_the_socket_s_words_and_the_command_line_s_mean_the_same() -> None:
    assert parse_words("jam @cycle2 side=2") == parse_one("jam=2@cycle2")
    assert parse_words("drop 0.2") == parse_one("drop=0.2")
    assert parse_words("drop=0.2@tick40:dir=to_host") == parse_one("drop@tick40:share=0.2:dir=to_host")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("jum", "no fault is called 'jum'; did you mean jam"),
        ("jam=7", r"side=7: expected a whole number 0\.\.3 \(which side\)"),
        ("drop=most", r"share=most: expected 0\.\.1 \(of the frames\)"),
        ("drop=nan", r"share=nan: expected 0\.\.1"),
        ("drop@tea1", "@tea1: expected SECONDSs, tickN, or one of boot"),
        ("drop@tick*", r"@tick\*: expected"),
        ("drop@cycle0", "@cycle0: expected"),
        ("renumber=3", "renumber takes no value"),
        ("drop:side=1", "drop has no parameter 'side'; expected one of share, dir, for, p"),
        ("drop=0.1:share=0.2", "drop: share is given twice"),
        ("drop:dir", "'dir' is no KEY=VALUE"),
        ("drop,,flip", "nothing between two commas"),
        ("mixed=2", "the mix mixed takes no parameters"),
    ],
)
def test_a_wrong_word_is_answered_with_what_was_expected(wrong: str, said: str) -> None:
    with pytest.raises(BadFault, match=said) as error:
        parse_faults(wrong)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", MIXES)
def test_every_mix_is_made_of_faults_of_the_list(name: str) -> None:
    assert len(parse_faults(name)) > 1


# ---- the line ----------------------------------------------------------------------------------------

HARMLESS = (
    *("drop=0.2", "drop-bytes=0.01", "flip=0.2", "flip-bytes=0.005", "insert=0.3", "split", "split:byte=1"),
    *("split:byte=0", "duplicate=0.5", "delay=60:jitter=60", "pace=9600", "noise=20000", "renumber@cycle1"),
    *("stall=2@cycle1", "unplug=1@cycle1+2s", "at-noise=2:for=20", "half-open=to_host@cycle1+1s:for=2"),
    *(
        "half-open=to_board@cycle1+1s:for=5",
        "baud@cycle1+1s:for=4",
        "bad-line",
        "slow-boot=3",
        "old-firmware",
    ),
)


@pytest.mark.parametrize("faults", HARMLESS)
def test_a_hand_s_way_is_gone_in_spite_of(faults: str) -> None:
    met = table(faults)
    play(met)
    assert met.state(Region.WALLS) is State.WALLS_UP
    assert met.mechanics.counters().cycles == 1


def test_frames_that_vanish_are_sent_again() -> None:
    met = table("drop=0.3")
    play(met)
    assert met.unit.firmware is not None
    assert met.host.link.stats.retransmitted + met.unit.firmware.link.stats.retransmitted > 10


@pytest.mark.parametrize("fault", ["flip=1", "baud", "drop-bytes=0.9", "half-open", "half-open=to_board"])
def test_on_a_line_that_carries_nothing_nobody_is_met(fault: str) -> None:
    met = VirtualTable(seed=1, faults=parse_faults(fault))
    with pytest.raises(NeverHappened, match="no link"):
        met.connect(within_s=20)


def test_noise_is_counted_as_noise() -> None:
    met = table("noise=300@host1+1s")
    met.run(3)
    assert met.host.link.stats.garbage_bytes + met.host.link.stats.bad_frames > 0


def test_the_other_baud_rate_is_told_by_what_arrives() -> None:
    met = VirtualTable(seed=1, faults=parse_faults("at-noise=0.2,baud"))
    with pytest.raises(NeverHappened):
        met.connect(within_s=10)
    assert met.unit.firmware is not None
    assert met.unit.firmware.link.stats.bad_frames > 0


def test_a_pulled_cable_is_a_lost_link_and_comes_back_to_the_same_boot() -> None:
    met = table("unplug=2@open1")
    met.begin(OpenHatch())
    met.run_until(lambda: bool(met.told(Disconnected)))
    met.connect()
    booted = met.told(Booted)
    assert len(booted) == 2
    assert booted[0] == booted[1]


def test_a_fault_with_an_end_ends() -> None:
    met = table("drop=1@1s:for=2")
    met.run(2.5)
    assert met.unit.line.standing
    met.run(2)
    assert not met.unit.line.standing


# ---- firmware ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        ("reset", ResetCause.WATCHDOG),
        ("reset=software", ResetCause.SOFTWARE),
        ("hang=2", ResetCause.WATCHDOG),
        ("power-cut=1", ResetCause.POWER_ON),
        ("slow-boot=1", ResetCause.RESET_LINE),
    ],
)
def test_a_restart_is_another_boot_and_tells_its_cause(fault: str, cause: ResetCause) -> None:
    name, equals, value = fault.partition("=")
    met = table(f"{name}{equals}{value}@open1+0.5s")
    op_id = met.begin(OpenHatch())
    met.run_until(lambda: len(met.told(Booted)) == 2)
    first, second = met.told(Booted)
    assert isinstance(first, Booted)
    assert isinstance(second, Booted)
    assert first.boot_id != second.boot_id
    assert second.cause is cause
    assert isinstance(met.ended[op_id], LinkLost)
    assert met.state(Region.HATCH) is State.HATCH_UNKNOWN


def test_a_slow_board_is_met_when_it_has_started() -> None:
    met = table("slow-boot=3:noise=500")
    assert 3.0 < met.now < 6.0


def test_an_old_firmware_says_nothing_new() -> None:
    met = table("old-firmware")
    assert met.host.identity is not None
    assert met.host.identity.protocol == (1, 0)
    play(met)
    with pytest.raises(BoardError, match=r"came with protocol 1\.1"):
        met.command(GetConfig())


def test_a_firmware_of_another_major_version_is_only_read() -> None:
    met = table("other-firmware")
    with pytest.raises(WrongVersion):
        met.command(OpenHatch())
    met.command(GetStatus())
    assert met.told(Status)


def restarts() -> Iterable[str]:
    return ("reset", "power-cut=0.5")


@pytest.mark.parametrize("fault", restarts())
def test_a_restart_at_any_tick_leaves_a_table_that_is_safe_and_tells_how_it_stands(fault: str) -> None:
    whole = table()
    play(whole)
    for tick in range(2, 700, 9):
        met = VirtualTable(seed=1, faults=parse_faults(f"{fault}@tick{tick}"))
        _as_far_as_it_goes(met)
        met.run(2)
        met.connect()
        assert met.unit.boots <= 2
        tiles = met.mechanics
        assert tiles.table + tiles.drum + sum(tiles.staged) == 136
        assert met.state(Region.HATCH) in {State.HATCH_UNKNOWN, State.HATCH_CLOSED, State.HATCH_OPEN}
        assert met.state(Region.LOWER) is not State.SORTING


def _as_far_as_it_goes(met: VirtualTable) -> None:
    try:
        met.connect()
        play(met)
    except (BoardError, ValueError):
        return


# ---- the machine -------------------------------------------------------------------------------------

IN_A_ROUND = [fault for fault in FAULT_LIST if fault.code]
NOT_IN_A_ROUND = {
    FaultCode.CNT_02: "needs more tiles than a set has",
    FaultCode.CHN_01: "a machine with four heads has no chain",
    FaultCode.CHN_02: "a machine with four heads has no chain",
    FaultCode.LNK_02: "needs a thousand messages",
}


@pytest.mark.parametrize(
    "fault", [one for one in IN_A_ROUND if one.code not in NOT_IN_A_ROUND], ids=lambda one: one.name
)
def test_the_fault_of_that_name_comes_up_at_the_machine(fault: SimFault) -> None:
    met = VirtualTable(seed=1, faults=parse_faults(f"{fault.name}@host1+0.1s"), timing=Timing())
    _round(met)
    with contextlib.suppress(NeverHappened):
        met.run_until(lambda: fault.code in _came_up(met), within_s=200)
    assert fault.code in _came_up(met)


def _came_up(met: VirtualTable) -> set[FaultCode]:
    """The faults that stand, and those that have gone again."""
    told = {report.code for _, report in (*met.made, *met.heard) if isinstance(report, Fault)}
    return met.faults | {code for code in told if isinstance(code, FaultCode)}


def _round(met: VirtualTable) -> None:
    """As much of a round as the fault leaves, without waiting for its end."""
    met.connect()
    met.run(0.2)
    try:
        met.command(OpenHatch(), within_s=30)
        met.load_tiles(136)
        op_id = met.begin(StartCycle(SET))
        met.run_until(lambda: op_id in met.ended, within_s=120)
        met.command(RaiseWalls(), within_s=60)
        met.command(RollDice(2), within_s=60)
        met.command(LowerWalls(), within_s=60)
    except (CommandFailed, BoardError, ValueError, NeverHappened):
        return


def test_a_jam_is_at_the_side_that_was_named() -> None:
    met = table("jam=2@cycle1+2s")
    met.command(OpenHatch())
    met.load_tiles(136)
    with pytest.raises(CommandFailed) as failed:
        met.command(StartCycle(SET))
    assert failed.value.fault is FaultCode.FED_01
    assert met.mechanics.faults[FaultCode.FED_01].side == 2
    assert met.state(Region.LOWER) is State.JAMMED


def test_when_says_the_same_again() -> None:
    assert str(When(what="cycle", number=None, after=2.5)) == "cycle*+2.5s"


def test_people_drop_tiles_and_err_at_play() -> None:
    assert [fault.name for fault in FAULT_LIST if fault.kind is Kind.PEOPLE] == [
        "missing",
        "mislay",
        "take-back",
        "claim-late",
        "claim-wrong",
        "show-hand",
        "discard-wild",
        "push-tiles",
    ]
