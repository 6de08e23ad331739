"""What a board does with sessions that are offered, up, replaced or over, in both implementations."""

import pytest

from firmware_bridge.frames import FrameDecoder, encode_frame
from firmware_bridge.link import HEADER, Kind, Link, Phase, Role
from firmware_bridge.reference.compiled import CoreLink

BOOT = 99
AnyBoard = Link | CoreLink


@pytest.fixture(params=["python", "c"])
def board(request: pytest.FixtureRequest) -> AnyBoard:
    if request.param == "python":
        return Link(Role.BOARD, boot_id=BOOT)
    return CoreLink(request.getfixturevalue("c_core"), boot_id=BOOT)


def frame(kind: Kind, session: int, body: bytes) -> bytes:
    return encode_frame(HEADER.pack(kind, session, 0, 0, 0) + body)


def reset(session: int, window: int = 8) -> bytes:
    return frame(Kind.RESET, session, bytes((1, 0, window)))


def alive(session: int, boot_id: int = BOOT) -> bytes:
    return frame(Kind.ALIVE, session, boot_id.to_bytes(4, "little"))


def answers(board: AnyBoard, data: bytes, now: float) -> list[tuple[int, int]]:
    """Kinds and sessions of the frames that come back to ``data``."""
    board.receive(data, now)
    board.on_timer(now)
    heads = (HEADER.unpack_from(payload) for payload in FrameDecoder().feed(board.data_to_send(now)))
    return [(head[0], head[1]) for head in heads]


def test_a_session_that_another_one_has_ended_is_not_offered_again(board: AnyBoard) -> None:
    answers(board, reset(1) + alive(1), 0.0)
    answers(board, reset(2) + alive(2), 0.1)
    assert answers(board, reset(1), 0.2) == []
    assert (Kind.NO_SESSION, 1) in answers(board, alive(1), 0.2)
    assert board.phase is Phase.UP
    assert (Kind.RESET_ACK, 3) in answers(board, reset(3), 0.2)


def test_a_lost_session_is_not_offered_again(board: AnyBoard) -> None:
    answers(board, reset(1) + alive(1), 0.0)
    board.on_timer(3.5)
    assert board.phase is Phase.DOWN
    assert answers(board, reset(1), 3.6) == []


@pytest.mark.parametrize("session", [1, 2], ids=["up", "offered"])
def test_an_alive_that_names_another_boot_begins_nothing(board: AnyBoard, session: int) -> None:
    answers(board, reset(1) + alive(1), 0.0)
    answers(board, reset(2), 0.1)
    assert (Kind.NO_SESSION, session) in answers(board, alive(session, BOOT + 1), 0.1)
    assert (Kind.NO_SESSION, 1) not in answers(board, alive(1), 0.1)


def test_an_alive_that_names_no_boot_begins_the_offered_session(board: AnyBoard) -> None:
    answers(board, reset(1), 0.0)
    assert (Kind.NO_SESSION, 1) not in answers(board, alive(1, 0), 0.1)
    assert board.phase is Phase.UP


def test_a_reset_of_the_session_that_is_up_keeps_it_up(board: AnyBoard) -> None:
    answers(board, reset(1) + alive(1), 0.0)
    assert (Kind.RESET_ACK, 1) in answers(board, reset(1), 2.0)
    phases = []
    for now in (4.0, 5.1):
        board.on_timer(now)
        phases.append(board.phase)
    assert phases == [Phase.UP, Phase.DOWN]


@pytest.mark.parametrize(("window", "answered"), [(0, False), (1, False), (2, True), (8, True), (200, True)])
def test_a_window_under_two_is_no_reset(board: AnyBoard, window: int, *, answered: bool) -> None:
    assert (answers(board, reset(1, window), 0.0) == [(Kind.RESET_ACK, 1)]) is answered


@pytest.mark.parametrize(("window", "under_way"), [(2, 1), (8, 7), (200, 7)])
def test_a_window_over_eight_counts_as_eight(board: AnyBoard, window: int, under_way: int) -> None:
    answers(board, reset(1, window) + alive(1), 0.0)
    for number in range(20):
        board.send(bytes([number]))
    board.on_timer(0.01)
    kinds = [HEADER.unpack_from(payload)[0] for payload in FrameDecoder().feed(board.data_to_send(0.01))]
    assert kinds.count(Kind.DATA) == under_way
