"""The C link against the Python link: every message once and in order, or an honest loss, over any wire."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from link_ends import TENTH, Ends, numbered, soak

from firmware_bridge.frames import FrameDecoder, encode_frame
from firmware_bridge.link import HEADER, Connected, Kind, Link, LostReason, Phase, Role
from firmware_bridge.reference.compiled import CoreLink, build_library
from hardware_sim.wires import WireFaults

NEARLY_ROUND = 2**32 - 1000
"""A clock of milliseconds that starts again from 0 after one second."""


def ends_of(core: Any, faults: WireFaults | None = None, *, base_ms: int = NEARLY_ROUND) -> Ends:
    """A Python host and the C link of a board."""
    return Ends(faults, session=0, board=CoreLink(core, boot_id=99, base_ms=base_ms))


def link_of(core: Any) -> Callable[[int], CoreLink]:
    """Makes the C links that are soaked."""
    return lambda seed: CoreLink(core, boot_id=seed, base_ms=NEARLY_ROUND)


@pytest.mark.parametrize("loss", [0.2, 0.3, 0.5])
def test_worse_wires_deliver_a_beginning_of_what_was_sent_and_say_so_when_they_fail(
    c_core: Any, loss: float
) -> None:
    figures = soak(link_of(c_core), WireFaults(loss=loss, duplicate=0.1, echo_s=0.5, latency_s=0.002), 20)
    assert figures.again > figures.runs == 20


@pytest.mark.parametrize("window", [2, 4])
def test_a_board_with_a_small_buffer_has_a_small_window(c_compiler: str, tmp_path: Path, window: int) -> None:
    assert c_compiler
    core = build_library(tmp_path, f"-DLONGZHUO_WINDOW={window}")
    assert soak(link_of(core), TENTH, 10).whole == 10


def test_nothing_is_sent_twice_on_a_good_wire(c_core: Any) -> None:
    ends = ends_of(c_core, WireFaults(latency_s=0.002))
    ends.talk(numbered("c", 200), numbered("r", 200))
    assert ends.received(Role.BOARD) == numbered("c", 200)
    assert ends.received(Role.HOST) == numbered("r", 200)
    assert ends.board.counts[1] == ends.host.stats.retransmitted == 0


def test_the_numbers_of_messages_go_round(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(0.1)
    portion = 100
    for first in range(0, 66_000, portion):
        out = [f"{first + number}".encode() for number in range(portion)]
        ends.events[Role.BOARD].clear()
        ends.events[Role.HOST].clear()
        ends.talk(out, out, limit_s=1e6)
        assert ends.received(Role.BOARD) == ends.received(Role.HOST) == out


def test_an_idle_link_stays_up_for_hours_over_the_end_of_the_clock(c_core: Any) -> None:
    ends = ends_of(c_core, WireFaults(latency_s=0.002), base_ms=2**32 - 1_800_000)
    ends.run(3600.0)
    assert not ends.lost(Role.HOST)
    assert not ends.lost(Role.BOARD)
    assert ends.board.counts[1] == 0
    assert ends.board.counts[0] == pytest.approx(4 * 3600, rel=0.01)


def test_a_host_that_is_gone_is_noticed_after_three_seconds(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(1.0)
    ends.to_right.cut = True
    ends.run(2.7)
    assert not ends.lost(Role.BOARD)
    ends.run(0.5)
    assert ends.lost(Role.BOARD) == [LostReason.SILENCE]


def test_messages_that_nobody_acknowledges_are_noticed_after_six_seconds(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(1.0)
    ends.board.send(b"into the void")
    deaf = encode_frame(HEADER.pack(Kind.ALIVE, 1, 0, 0, 0) + (99).to_bytes(4, "little"))
    ends.to_left.cut = ends.to_right.cut = True
    for _ in range(70):
        ends.run(0.1)
        ends.board.receive(deaf, ends.now)
    assert ends.lost(Role.BOARD) == [LostReason.STALLED]


def test_a_restarted_host_takes_over_at_once(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(1.0)
    ends.left = ends.host = Link(Role.HOST, session=4000)
    ends.host.connect(ends.now)
    ends.talk([b"hello again"], [])
    assert ends.lost(Role.BOARD) == [LostReason.RESTARTED]
    ends.run(0.5)
    assert ends.received(Role.BOARD) == [b"hello again"]


def test_a_restarted_board_is_noticed_by_its_host(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(1.0)
    ends.right = ends.board = CoreLink(c_core, boot_id=100)
    ends.run(0.6)
    assert ends.lost(Role.HOST) == [LostReason.RESTARTED]
    assert ends.events[Role.HOST][-1] == Connected(2, 100, (1, 0))


def test_an_old_reset_ends_nothing_and_no_echo_brings_a_session_back(c_core: Any) -> None:
    ends = ends_of(c_core)
    echo = ends.host.data_to_send(0.0)
    ends.board.receive(echo, 0.0)
    ends.host.receive(ends.board.data_to_send(0.0), 0.0)
    ends.host.send(b"once")
    message = ends.host.data_to_send(0.0)
    ends.board.receive(message, 0.0)
    ends.run(0.5)
    ends.board.receive(echo, ends.now)
    ends.run(0.5)
    assert not ends.lost(Role.BOARD)
    ends.to_right.cut = ends.to_left.cut = True
    ends.run(4.0)
    assert ends.board.phase is Phase.DOWN
    ends.board.receive(echo + message, ends.now)
    ends.run(1.0)
    assert ends.received(Role.BOARD) == [b"once"]
    assert ends.board.phase is Phase.DOWN


def test_the_kept_slot_is_for_what_is_urgent(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(0.1)
    for message in numbered("bulk", 20):
        ends.board.send(message)
    assert len(FrameDecoder().feed(ends.board.data_to_send(ends.now))) == 7
    ends.board.send(b"STOP", urgent=True)
    (frame,) = FrameDecoder().feed(ends.board.data_to_send(ends.now))
    assert frame.endswith(b"STOP")


def test_only_what_is_missing_is_sent_again(c_core: Any) -> None:
    ends = ends_of(c_core, WireFaults(latency_s=0.002))
    ends.run(0.1)
    for message in numbered("m", 7):
        ends.board.send(message)
    burst = ends.board.data_to_send(ends.now)
    ends.host.receive(burst[burst.index(0) + 1 :], ends.now)
    ends.run(1.0)
    assert ends.received(Role.HOST) == numbered("m", 7)
    assert ends.board.counts[1] == 1


def test_kinds_of_later_versions_are_ignored(c_core: Any) -> None:
    ends = ends_of(c_core)
    ends.run(0.1)
    for kind in set(range(256)) - set(Kind):
        ends.board.receive(encode_frame(HEADER.pack(kind, 1, 0, 0, 0) + b"whatever"), ends.now)
    ends.talk([b"a"], [b"b"])
    assert ends.received(Role.BOARD) == [b"a"]
    assert ends.received(Role.HOST) == [b"b"]


@pytest.mark.parametrize("offset", range(34))
def test_a_stream_that_begins_anywhere_costs_one_frame_at_most(c_core: Any, offset: int) -> None:
    board = CoreLink(c_core)
    reset = encode_frame(HEADER.pack(Kind.RESET, 7, 0, 0, 0) + b"\x01\x00\x08")
    board.receive((reset * 3)[offset:], 0.0)
    assert board.data_to_send(0.0) != b""
