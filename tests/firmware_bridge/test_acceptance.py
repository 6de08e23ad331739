"""Acceptance cases about link and host, from other projects' issues; ACCEPTANCE.md has the whole list."""

import asyncio
import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_ends import Ends, numbered
from table_play import IMPLEMENTATIONS, MakeTable, Play, PythonTable, maker
from talking_board import Conversation, TalkingBoard
from test_reference_terminal import bench

from firmware_bridge import messages as m
from firmware_bridge.configuration import crc_of
from firmware_bridge.errors import CommandFailed, LinkLost, WrongVersion
from firmware_bridge.frames import DELIMITER, FrameDecoder, encode_frame
from firmware_bridge.link import HEADER, Kind, Link, LostReason, Phase, Role, Timing
from firmware_bridge.reference.compiled import CoreLink
from firmware_bridge.states import FailCause, Profile, ResetCause, State
from hardware_sim.wires import Wire, WireFaults

GARBAGE_SIZES: Final = (1, 5, 63, 64, 65, 1000, 4096, 65_535, 65_536)


@pytest.fixture(params=IMPLEMENTATIONS)
def make_table(request: pytest.FixtureRequest) -> MakeTable:
    """Makes a board of one implementation or the other."""
    return maker(request)


@pytest.fixture(params=IMPLEMENTATIONS)
def board_link(request: pytest.FixtureRequest) -> Callable[[], Any]:
    """Makes a board's link of one implementation or the other."""
    if request.param == "python":
        return lambda: Link(Role.BOARD, boot_id=99)
    core = request.getfixturevalue("c_core")
    return lambda: CoreLink(core, boot_id=99)


# ---- 14, 15: garbage, and streams that one comes into ----------------------------------------------------


def garbage(size: int) -> list[bytes]:
    """Garbage of this size that tries different things."""
    random = Random(size)  # noqa: S311 - noise
    frame = encode_frame(b"whole")
    return [
        random.randbytes(size),
        random.randbytes(size).replace(b"\x00", b"\xff"),
        b"\xff" * size,
        b"\x01" * size,
        (frame * (size // len(frame) + 1))[:size],
        (b"AT+GCAP\r\n" * size)[:size],
    ]


@pytest.mark.parametrize("size", GARBAGE_SIZES)
def test_case_14_after_any_garbage_the_next_good_frame_is_decoded(size: int) -> None:
    for noise in garbage(size):
        decoder = FrameDecoder()
        decoder.feed(noise)
        got = decoder.feed(encode_frame(b"one") + encode_frame(b"two"))
        assert got[-1] == b"two"
        assert len(got) == 2 or not noise.endswith(DELIMITER)


@pytest.mark.parametrize("size", GARBAGE_SIZES)
def test_case_14_a_link_connects_and_works_after_any_garbage(
    size: int, board_link: Callable[[], Any]
) -> None:
    for noise in garbage(size):
        ends = Ends(board=board_link())
        ends.host.receive(noise, 0.0)
        ends.board.receive(noise, 0.0)
        ends.talk(numbered("command", 5), numbered("report", 5))
        assert ends.received(Role.BOARD) == numbered("command", 5)
        assert ends.received(Role.HOST) == numbered("report", 5)
        assert ends.now < 1.0
        assert not ends.lost(Role.HOST)


STREAM: Final = [b"frame %d" % number * (number % 5 + 1) for number in range(12)]


@given(st.integers(0, 300), st.sampled_from(("flip", "drop", "insert")), st.integers(0, 255))
def test_case_14_a_hit_costs_one_frame_and_two_where_it_takes_the_zero_between_them(
    at: int, kind: str, value: int
) -> None:
    stream = b"".join(map(encode_frame, STREAM))
    at %= len(stream)
    hit = {
        "flip": stream[:at] + bytes((stream[at] ^ (value or 1),)) + stream[at + 1 :],
        "drop": stream[:at] + stream[at + 1 :],
        "insert": stream[:at] + bytes((value,)) + stream[at:],
    }[kind]
    got = FrameDecoder().feed(hit)
    lost = len(STREAM) - len(got)
    assert [payload for payload in STREAM if payload in got] == got
    assert lost <= 1 or (lost == 2 and stream[at] == 0 and kind != "insert")


def test_case_15_a_link_that_comes_in_at_any_byte_loses_no_more_than_the_frame_under_way(
    board_link: Callable[[], Any],
) -> None:
    frames = [encode_frame(HEADER.pack(Kind.RESET, session, 0, 0, 0) + b"\x01\x00\x08") for session in (7, 8)]
    stream = b"".join(frames)
    for offset in range(len(stream)):
        board = board_link()
        board.receive(stream[offset:], 0.0)
        answer = board.data_to_send(0.0)
        assert bool(answer) == (offset <= len(frames[0])), offset


# ---- 16: every kind of frame -----------------------------------------------------------------------------


class PickyWire(Wire):
    """Loses or damages some of the frames of one kind, and no others."""

    def __init__(self, seed: int, kind: Kind, share: float, *, damage: bool) -> None:
        super().__init__(seed, WireFaults(latency_s=0.002))
        self._kind = kind
        self._share = share
        self._damage = damage
        self._picks = Random(seed)  # noqa: S311 - a simulation
        self.hits = 0

    def carry(self, data: bytes, now: float) -> None:
        for stuffed in data.split(DELIMITER):
            payloads = FrameDecoder().feed(stuffed + DELIMITER)
            hit = payloads and payloads[0][0] == self._kind and self._picks.random() < self._share
            self.hits += bool(hit)
            if stuffed and not (hit and not self._damage):
                turned = bytes((stuffed[0] ^ 0x80,)) + stuffed[1:] if hit else stuffed
                super().carry(turned + DELIMITER, now)


@pytest.mark.parametrize("damage", [False, True], ids=["lost", "damaged"])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("kind", list(Kind))
def test_case_16_frames_of_every_kind_may_go_missing_and_nothing_hangs(
    kind: Kind, share: float, *, damage: bool, board_link: Callable[[], Any]
) -> None:
    hits = 0
    for seed in range(6):
        ends = Ends(board=board_link(), session=seed)
        ends.to_right = to_right = PickyWire(2 * seed, kind, share, damage=damage)
        ends.to_left = to_left = PickyWire(2 * seed + 1, kind, share, damage=damage)
        ends.talk(numbered("command", 50), numbered("report", 50))
        ends.board.receive(encode_frame(HEADER.pack(Kind.ALIVE, 999, 0, 0, 0) + bytes(4)), ends.now)
        ends.run(5.0)  # the heartbeats go on, and a NO_SESSION for somebody else
        assert ends.received(Role.BOARD) == numbered("command", 50)
        assert ends.received(Role.HOST) == numbered("report", 50)
        assert not ends.lost(Role.HOST)
        assert ends.host.phase is Phase.UP
        hits += to_right.hits + to_left.hits
    assert hits or share < 0.3 or kind in (Kind.RESET, Kind.RESET_ACK, Kind.NO_SESSION)


@pytest.mark.parametrize("lost", range(1, 9))
def test_case_16_a_session_begins_although_the_first_frames_of_it_are_lost(
    lost: int, board_link: Callable[[], Any]
) -> None:
    for frames in range(1 << 2):
        ends = Ends(board=board_link())
        for wire, cut in ((ends.to_right, frames & 1), (ends.to_left, frames & 2)):
            wire.cut = bool(cut)
        ends.run(0.05 * lost)
        ends.to_right.cut = ends.to_left.cut = False
        ends.talk([b"a"], [b"b"], limit_s=ends.now + 1.5)
        assert ends.received(Role.BOARD) == [b"a"]
        assert ends.received(Role.HOST) == [b"b"]


# ---- 17: long commands -----------------------------------------------------------------------------------


def test_case_17_a_shuffle_of_two_minutes_under_link_timeouts_of_a_second_resends_nothing() -> None:
    timing = Timing(lost_after=1.0, stalled_after=1.0)
    play = Play(PythonTable(1, profile=Profile.SINGLE_PORT, timing=timing), timing)
    play.connect()
    assert isinstance(play.carry_out(m.OpenHatch()), m.Done)
    play.table.push_tiles(play.now)
    began = play.now
    assert isinstance(play.carry_out(m.StartCycle()), m.Done)
    assert play.now - began > 90
    assert play.host.link.stats.retransmitted == 0
    assert isinstance(play.table, PythonTable)
    assert play.table.link.stats.retransmitted == 0
    assert not play.of(m.Disconnected)


def test_case_17_a_command_of_minutes_at_a_silent_board_is_sent_once() -> None:
    talk = Conversation(TalkingBoard(ends=False))
    talk.host.request(m.StartCycle(), talk.now)
    talk.run(120.0)
    assert talk.board.commands() == [m.StartCycle()]
    assert talk.host.link.stats.retransmitted == 0
    assert not talk.of(m.Disconnected)


# ---- 18: a host that stands still ------------------------------------------------------------------------

LEASE_S: Final = 1.0


@pytest.mark.parametrize("stall_s", [0.1, 0.5, 0.9, 1.3, 2.0, 2.8, 3.5, 5.0, 12.0, 30.0])
def test_case_18_after_a_stalled_loop_the_board_is_safe_and_the_host_resumes_by_itself(
    make_table: MakeTable, stall_s: float
) -> None:
    play = Play(make_table(1))
    play.connect()
    op_id = play.host.request(m.OpenHatch(), play.now)
    play.run(0.2)
    play.loop.until = play.now + stall_s
    play.run(stall_s)
    end = play.end_of(op_id)
    play.until(lambda: play.host.ready, within_s=1.0)
    assert isinstance(play.carry_out(m.GetStatus()), m.Done)
    hatch = play.of(m.Status)[-1].hatch
    if stall_s < LEASE_S:
        assert isinstance(end, m.Done)
        assert hatch is State.HATCH_OPEN
    else:
        assert isinstance(end, CommandFailed)
        assert end.cause is FailCause.HOST_LOST
        assert hatch is State.HATCH_UNKNOWN
    lost = bool(play.of(m.Disconnected))
    assert lost == (stall_s > Timing().lost_after)
    assert isinstance(play.carry_out(m.OpenHatch()), m.Done)
    assert play.counted()[1] == 1


@pytest.mark.parametrize("stall_s", [0.5, 2.0, 5.0, 15.0])
def test_case_18_a_cycle_goes_on_behind_its_closed_hatch_and_ends_once(
    make_table: MakeTable, stall_s: float
) -> None:
    play = Play(make_table(1))
    play.connect()
    play.carry_out(m.OpenHatch())
    play.table.push_tiles(play.now)
    op_id = play.host.request(m.StartCycle(), play.now)
    play.until(lambda: m.StateChanged(State.SORTING.region, State.SORTING) in play.played.reports)
    play.loop.until = play.now + stall_s
    assert isinstance(play.end_of(op_id), m.Done)
    assert play.counted()[0] == 1


def test_case_18_what_came_during_a_stall_is_read_before_the_link_is_judged(make_table: MakeTable) -> None:
    play = Play(make_table(60))
    play.connect()
    for _ in range(10):
        play.loop.until = play.now + 2.7  # a heartbeat before it became silent it spoke last
        play.run(3.5)
    assert not play.of(m.Disconnected)
    assert isinstance(play.carry_out(m.GetStatus()), m.Done)


async def test_case_18_a_real_event_loop_stands_still_in_a_real_motion(
    c_terminal: Path, tmp_path: Path
) -> None:
    async with bench(c_terminal, tmp_path, "--speed", "1") as here:
        opening = asyncio.create_task(here.board.command(m.OpenHatch()))
        await here.until(State.HATCH_OPENING)
        time.sleep(1.6)  # noqa: ASYNC251 - the stall that is tested
        with pytest.raises(CommandFailed, match="HOST_LOST"):
            await opening
        assert here.board.is_connected
        await here.do(m.OpenHatch())


# ---- 19: a watchdog that bites ---------------------------------------------------------------------------


@pytest.mark.parametrize("after_s", [0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.2, 0.25])
def test_case_19_a_watchdog_reset_in_mid_cycle_is_told_with_its_cause_and_nothing_is_repeated(
    make_table: MakeTable, after_s: float
) -> None:
    play = Play(make_table())
    play.connect()
    play.carry_out(m.OpenHatch())
    play.table.push_tiles(play.now)
    op_id = play.host.request(m.StartCycle(), play.now)
    play.run(0.005 + after_s)
    play.restart(77)
    end = play.end_of(op_id)
    assert isinstance(end, LinkLost)
    assert end.reason == "the board has restarted"
    assert not isinstance(end, CommandFailed)
    play.until(lambda: len(play.of(m.Booted)) == 2 and play.host.ready)
    first, second = play.of(m.Booted)
    assert (first.boot_id, second.boot_id, second.cause) == (9, 77, ResetCause.WATCHDOG)
    assert LostReason.RESTARTED.value in {lost.reason for lost in play.of(m.Disconnected)}
    play.run(2.0)
    assert play.counted()[0] == 0, "nothing moves by itself"


def test_case_19_the_configuration_is_compared_and_set_again_and_the_table_recovers(
    make_table: MakeTable,
) -> None:
    play = Play(make_table())
    play.connect()
    wanted = (108, (14, 13, 14, 13), 0)
    assert isinstance(play.carry_out(m.SetConfig(*wanted)), m.Done)
    play.carry_out(m.OpenHatch())
    play.table.push_tiles(play.now)
    play.host.request(m.StartCycle((17, 17, 17, 17)), play.now)
    play.until(lambda: m.StateChanged(State.SORTING.region, State.SORTING) in play.played.reports)
    play.run(0.1)
    play.restart(77)
    play.until(lambda: len(play.of(m.Booted)) == 2 and play.host.ready)
    before = len(play.of(m.Config))
    assert isinstance(play.carry_out(m.GetConfig()), m.Done)
    told = play.of(m.Config)[before:]
    if crc_of(*wanted) not in {config.crc for config in told}:
        assert isinstance(play.carry_out(m.SetConfig(*wanted)), m.Done)
    for command in (m.Home(), m.StartCycle((17, 17, 17, 17)), m.RaiseWalls()):
        assert isinstance(play.carry_out(command), m.Done), command
    assert play.of(m.WallsUp)[-1].counts == (34, 34, 34, 34)
    assert play.counted()[0] == 1


# ---- 20: versions ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [(0, 9), (1, 0), (1, 1), (1, 2), (1, 200), (2, 0), (3, 1), (255, 255)])
def test_case_20_every_version_of_a_board_is_used_or_can_be_read_with_words_to_act_on(
    protocol: tuple[int, int],
) -> None:
    talk = Conversation(TalkingBoard(protocol=protocol))
    assert talk.host.ready
    assert isinstance(talk.carry_out(m.GetStatus()), m.Done)
    assert isinstance(talk.carry_out(m.Stop()), m.Done)
    if protocol[0] == m.PROTOCOL[0]:
        assert isinstance(talk.carry_out(m.OpenHatch()), m.Done)
        return
    older = "固件" if protocol < m.PROTOCOL else "本程序"
    with pytest.raises(WrongVersion) as caught:
        talk.host.request(m.OpenHatch(), talk.now)
    assert f"{protocol[0]}.{protocol[1]}" in str(caught.value)
    assert older in caught.value.zh
    assert "update" in str(caught.value)
    talk.run(5.0)
    assert {type(command) for command in talk.board.commands()} <= {m.GetStatus, m.Stop}


# ---- the list --------------------------------------------------------------------------------------------

LIST: Final = Path(__file__).parents[2] / "firmware_bridge" / "ACCEPTANCE.md"
CASES: Final = 27
NUMBERS: Final = re.compile(r"test_case_(\d\d)_(?:and_(\d\d)_)?")


def listed() -> dict[int, set[str]]:
    """The tests named for each case."""
    rows = re.findall(r"^\| (\d+) \|(.*)\|$", LIST.read_text(encoding="utf-8"), re.MULTILINE)
    return {int(number): set(re.findall(r"`(test_case_\w+)`", row)) for number, row in rows}


def written() -> set[str]:
    """The tests of cases in this folder."""
    here = Path(__file__).parent
    return {
        name
        for path in here.glob("test_*.py")
        for name in re.findall(
            r"^(?:async )?def (test_case_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE
        )
    }


def test_every_acceptance_case_has_a_test_that_exists_and_every_such_test_is_listed() -> None:
    cases = listed()
    assert sorted(cases) == list(range(1, CASES + 1))
    assert all(cases.values())
    assert set().union(*cases.values()) == written()
    for name in written():
        one, other = NUMBERS.match(name).groups()  # type: ignore[union-attr] # every name begins so
        assert all(name in cases[int(number)] for number in (one, other or one)), name
