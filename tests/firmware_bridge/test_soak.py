"""Both implementations under a hostile line: messages once and in order, motions once, or an honest loss."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

import pytest
from link_ends import TENTH, soak
from table_play import IMPLEMENTATIONS, ONCE, MakeTable, Play, Played, maker

from firmware_bridge.link import Kind, Link, Role
from firmware_bridge.messages import Done
from firmware_bridge.reference.compiled import CoreLink

SHORT, LONG = 100, 2000
TRIED: Final = 12
"""Frames of each direction that the short form loses in turn."""


# ---- messages ------------------------------------------------------------------------------------------


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Says something while the test runs."""

    def say(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(text + "\n")
            sys.stdout.flush()

    return say


@pytest.fixture(params=IMPLEMENTATIONS)
def board_link(request: pytest.FixtureRequest) -> Callable[[int], Any]:
    """Makes the board's end, by seed, of one implementation or the other."""
    if request.param == "python":
        return lambda seed: Link(Role.BOARD, boot_id=seed)
    core = request.getfixturevalue("c_core")
    return lambda seed: CoreLink(core, boot_id=seed, base_ms=2**32 - 1000)


@pytest.mark.parametrize("loss", [0.1, 0.2, 0.3])
@pytest.mark.timeout(1800)
def test_case_16_every_message_arrives_once_and_in_order_or_the_loss_is_said(
    board_link: Callable[[int], Any],
    loss: float,
    told: Callable[[str], None],
    request: pytest.FixtureRequest,
) -> None:
    in_full = request.config.getoption("--long")
    runs = LONG if in_full else SHORT
    figures = soak(board_link, replace(TENTH, loss=loss), runs, told if in_full else lambda _: None)
    if in_full:
        told(f"{request.node.callspec.params['board_link']}, {loss:.0%} loss: {figures}")
    assert figures.whole == runs or loss > TENTH.loss


# ---- motions -------------------------------------------------------------------------------------------


@pytest.fixture(params=IMPLEMENTATIONS)
def make_table(request: pytest.FixtureRequest) -> MakeTable:
    """Makes a board of one implementation or the other."""
    return maker(request)


@pytest.fixture
def every(request: pytest.FixtureRequest) -> Callable[[list[int]], Iterable[int]]:
    """Numbers of the frames to try: all in the long form, a dozen of each direction in the short one."""
    in_full = request.config.getoption("--long")
    return lambda frames: range(0, len(frames), 1 if in_full else max(1, len(frames) // TRIED))


@pytest.mark.timeout(600)
def test_case_21_with_every_single_frame_lost_once_in_turn_each_motion_runs_once(
    make_table: MakeTable, every: Callable[[list[int]], Iterable[int]]
) -> None:
    good = Play(make_table()).whole_round()
    assert good.counted == ONCE
    assert {Kind.RESET, Kind.DATA, Kind.ALIVE} <= set(good.to_board)
    assert {Kind.RESET_ACK, Kind.DATA} <= set(good.to_host)
    for number in every(good.to_board):
        play = Play(make_table())
        play.outward.loses = number
        assert_once(play.whole_round(), f"host's frame {number}")
    for number in every(good.to_host):
        play = Play(make_table())
        play.homeward.loses = number
        assert_once(play.whole_round(), f"board's frame {number}")


def assert_once(played: Played, where: str) -> None:
    assert all(isinstance(end, Done) for end in played.ends), where
    assert played.counted == ONCE, where


@pytest.mark.timeout(600)
def test_case_21_with_the_line_cut_at_every_single_frame_no_motion_runs_twice(
    make_table: MakeTable, every: Callable[[list[int]], Iterable[int]]
) -> None:
    good = Play(make_table()).whole_round()
    tried = resumed = 0
    for outward, frames in ((True, good.to_board), (False, good.to_host)):
        for number in every(frames):
            play = Play(make_table())
            (play.outward if outward else play.homeward).cut_at = number
            played = play.whole_round()
            assert max(played.counted) <= 1, (outward, number)
            tried += 1
            resumed += all(isinstance(end, Done) for end in played.ends)
    assert resumed > tried / 4
