"""Over any wire every message arrives once and in order, or the link says that it is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_ends import Ends, numbered

from firmware_bridge.errors import LinkFull
from firmware_bridge.frames import FrameDecoder, encode_frame
from firmware_bridge.link import (
    HEADER,
    MESSAGE_LIMIT,
    Connected,
    Kind,
    Link,
    Lost,
    LostReason,
    Phase,
    Role,
    Timing,
)
from firmware_bridge.sequence import OUTBOX_LIMIT
from hardware_sim.wires import WireFaults

HOSTILE = WireFaults(
    loss=0.1, flip=0.1, insert=0.05, duplicate=0.05, split=0.3, latency_s=0.002, jitter_s=0.004, echo_s=0.3
)


def test_a_session_begins_and_both_sides_know_the_boot() -> None:
    ends = Ends()
    ends.run(0.1)
    assert ends.events[Role.HOST] == [Connected(8, 99, (1, 0))]
    assert ends.events[Role.BOARD] == [Connected(8, 99, (1, 0))]


@given(
    st.lists(st.binary(min_size=1, max_size=MESSAGE_LIMIT), max_size=20),
    st.lists(st.binary(min_size=1, max_size=MESSAGE_LIMIT), max_size=20),
)
def test_messages_arrive_in_order_and_nothing_is_sent_twice_on_a_good_wire(
    out: list[bytes], home: list[bytes]
) -> None:
    ends = Ends(WireFaults(latency_s=0.002))
    ends.talk(out, home)
    assert ends.received(Role.BOARD) == out
    assert ends.received(Role.HOST) == home
    assert ends.host.stats.retransmitted == ends.board.stats.retransmitted == 0


def test_fifty_messages_each_way_over_a_wire_that_loses_and_damages_a_tenth_each() -> None:
    for seed in range(30):
        ends = Ends(HOSTILE, seed=seed)
        out, home = numbered("command", 50), numbered("report", 50)
        ends.talk(out, home)
        assert ends.received(Role.BOARD) == out, seed
        assert ends.received(Role.HOST) == home, seed
        assert not ends.lost(Role.HOST), seed
        assert ends.host.stats.retransmitted > 0, seed


@pytest.mark.parametrize("loss", [0.2, 0.3, 0.5, 0.8])
def test_worse_wires_deliver_a_beginning_of_what_was_sent_and_say_so_when_they_fail(loss: float) -> None:
    for seed in range(20):
        ends = Ends(WireFaults(loss=loss, duplicate=0.1, echo_s=0.5, latency_s=0.002), seed=seed)
        out, home = numbered("command", 50), numbered("report", 50)
        ends.talk(out, home)
        complete = len(ends.received(Role.BOARD)) == len(ends.received(Role.HOST)) == 50
        assert complete or ends.lost(Role.HOST), seed
        got_out, got_home = ends.received(Role.BOARD), ends.received(Role.HOST)
        assert got_out == out[: len(got_out)], seed
        assert got_home == home[: len(got_home)], seed


def test_an_idle_link_stays_up_and_a_slow_motion_resends_nothing() -> None:
    ends = Ends(WireFaults(latency_s=0.002))
    ends.run(600.0)
    assert not ends.lost(Role.HOST)
    assert ends.host.stats.retransmitted == 0
    assert ends.host.stats.frames_sent == pytest.approx(4 * 600, rel=0.01)


def test_a_dead_board_is_noticed_after_three_seconds() -> None:
    ends = Ends()
    ends.run(1.0)
    ends.to_left.cut = True
    ends.run(2.7)
    assert not ends.lost(Role.HOST)
    ends.run(0.4)
    assert ends.lost(Role.HOST) == [LostReason.SILENCE]


def test_a_board_that_hears_nothing_any_more_is_noticed_although_it_speaks() -> None:
    ends = Ends()
    ends.run(1.0)
    ends.host.send(b"into the void")
    ends.to_right.cut = True
    ends.board.timing = type(ends.board.timing)(lost_after=1e9)
    ends.run(6.5)
    assert ends.lost(Role.HOST)[0] is LostReason.STALLED


def test_a_host_that_never_gets_an_answer_says_so_and_goes_on_asking() -> None:
    ends = Ends()
    ends.to_left.cut = True
    ends.run(7.0)
    assert ends.lost(Role.HOST) == [LostReason.NO_ANSWER] * 2
    ends.to_left.cut = False
    ends.run(0.5)
    assert ends.host.phase is Phase.UP


def test_a_restarted_board_is_noticed_within_one_heartbeat() -> None:
    ends = Ends()
    ends.run(1.0)
    ends.right = ends.board = Link(Role.BOARD, boot_id=100)
    ends.run(0.3)
    assert ends.lost(Role.HOST) == [LostReason.RESTARTED]
    assert ends.events[Role.HOST][-1] == Connected(9, 100, (1, 0))


def test_a_restarted_host_takes_over_at_once() -> None:
    ends = Ends()
    ends.run(1.0)
    ends.left = ends.host = Link(Role.HOST, session=4000)
    ends.host.connect(ends.now)
    ends.talk([b"hello again"], [])
    assert ends.lost(Role.BOARD) == [LostReason.RESTARTED]
    assert ends.received(Role.BOARD) == [b"hello again"]


def test_a_reset_that_was_under_way_for_long_ends_nothing() -> None:
    ends = Ends()
    first = ends.host.data_to_send(0.0)
    ends.host.connect(0.0)
    ends.run(1.0)
    ends.board.receive(first, ends.now)
    ends.talk([b"still there"], [b"so am I"])
    assert ends.received(Role.BOARD) == [b"still there"]
    assert not ends.lost(Role.HOST)
    assert not ends.lost(Role.BOARD)


def test_a_session_that_has_ended_does_not_come_to_life_by_an_echo() -> None:
    ends = Ends()
    echo = ends.host.data_to_send(0.0)
    ends.board.receive(echo, 0.0)
    ends.host.receive(ends.board.data_to_send(0.0), 0.0)
    ends.host.send(b"once")
    message = ends.host.data_to_send(0.0)
    ends.board.receive(message, 0.0)
    ends.to_right.cut = ends.to_left.cut = True
    ends.run(4.0)
    assert ends.received(Role.BOARD) == [b"once"]
    assert ends.board.phase is Phase.DOWN
    ends.board.receive(echo + message, ends.now)
    ends.run(1.0)
    assert ends.received(Role.BOARD) == [b"once"]


def test_an_urgent_message_passes_the_queue_and_uses_the_kept_slot() -> None:
    ends = Ends()
    ends.run(0.1)
    for message in numbered("bulk", 100):
        ends.host.send(message)
    burst = FrameDecoder().feed(ends.host.data_to_send(ends.now))
    assert len(burst) == 7  # of a window of eight
    ends.host.send(b"STOP", urgent=True)
    (frame,) = FrameDecoder().feed(ends.host.data_to_send(ends.now))
    assert frame.endswith(b"STOP")


def test_messages_that_nobody_takes_are_refused_at_last() -> None:
    ends = Ends()
    ends.run(0.1)
    for _ in range(OUTBOX_LIMIT):
        ends.host.send(b"x")
    with pytest.raises(LinkFull):
        ends.host.send(b"x")


def test_the_time_to_retransmit_follows_the_round_trip_within_its_bounds() -> None:
    quick, slow = Ends(WireFaults(latency_s=0.001)), Ends(WireFaults(latency_s=0.06))
    for ends in (quick, slow):
        ends.talk(numbered("m", 100), [])
    assert quick.host.stats.rto == 0.025
    assert 0.12 < slow.host.stats.rto <= 0.25
    assert slow.host.stats.retransmitted < 20


def lose_the_next_host_frame(ends: Ends, messages: list[bytes]) -> None:
    """Send messages; the first is lost on the way, the others arrive."""
    for message in messages:
        ends.host.send(message)
    burst = ends.host.data_to_send(ends.now)
    ends.board.receive(burst[burst.index(0) + 1 :], ends.now)


def test_only_what_is_missing_is_sent_again() -> None:
    ends = Ends(WireFaults(latency_s=0.002))
    ends.run(0.1)
    lose_the_next_host_frame(ends, numbered("m", 7))
    ends.run(1.0)
    assert ends.received(Role.BOARD) == numbered("m", 7)
    assert ends.host.stats.retransmitted == 1


def test_an_answer_to_a_message_sent_twice_measures_nothing() -> None:
    ends = Ends(WireFaults(latency_s=0.002))
    ends.run(0.1)
    lose_the_next_host_frame(ends, [b"x"])
    ends.run(1.0)
    assert ends.received(Role.BOARD) == [b"x"]
    assert ends.host.stats.round_trip is None


def test_noise_before_a_connection_does_not_cost_the_first_reset() -> None:
    host, board = Link(Role.HOST), Link(Role.BOARD)
    host.connect(0.0)
    board.receive(b"AT\r\n" + host.data_to_send(0.0), 0.0)
    assert board.data_to_send(0.0) != b""


@given(st.binary(max_size=400))
def test_no_bytes_whatever_disturb_a_session(noise: bytes) -> None:
    ends = Ends()
    ends.run(0.1)
    ends.host.receive(noise + b"\x00", ends.now)
    ends.board.receive(noise + b"\x00", ends.now)
    ends.talk([b"a"], [b"b"])
    assert ends.received(Role.BOARD) == [b"a"]
    assert ends.received(Role.HOST) == [b"b"]


@given(st.integers(0, 255), st.binary(max_size=57))
def test_no_frame_of_another_session_disturbs_this_one(kind: int, body: bytes) -> None:
    ends = Ends()
    ends.run(0.1)
    strange = encode_frame(bytes((kind,)) + body)
    ends.host.receive(strange, ends.now)
    ends.board.receive(strange, ends.now)
    ends.talk([b"a"], [b"b"])
    if not body.startswith((8).to_bytes(2, "little")):
        assert ends.received(Role.BOARD) == [b"a"]
        assert ends.received(Role.HOST) == [b"b"]
    assert kind in set(Kind) or not ends.lost(Role.HOST)


# ---- the protocol's text, sentence by sentence ---------------------------------------------------------


def frames_in(data: bytes) -> list[tuple[int, int, int, int, int, bytes]]:
    """Kind, session, seq, ack, held and body of each frame."""
    return [(*HEADER.unpack_from(payload), payload[HEADER.size :]) for payload in FrameDecoder().feed(data)]


def frame_of(kind: int, session: int, body: bytes, seq: int = 0, ack: int = 0) -> bytes:
    return encode_frame(HEADER.pack(kind, session, seq, ack, 0) + body)


def times_of(kind: Kind, link: Link, began: float, within_s: float) -> list[int]:
    """When frames of this kind go out, milliseconds after ``began``."""
    now, times = began, []
    while now < began + within_s:
        if any(sent == kind for sent, *_ in frames_in(link.data_to_send(now))):
            times.append(round(1000 * (now - began)))
        now = link.next_timer() or began + within_s
    return times


def boot(number: int) -> bytes:
    return number.to_bytes(4, "little")


def up() -> Ends:
    """Two ends with session 8 of boot 99 between them and nothing under way."""
    ends = Ends()
    ends.run(0.1)
    return ends


def test_reset_is_repeated_after_25_50_100_200_and_then_every_250_milliseconds() -> None:
    host = Link(Role.HOST)
    host.connect(0.0)
    assert times_of(Kind.RESET, host, 0.0, 1.2) == [0, 25, 75, 175, 375, 625, 875, 1125]


def test_a_frame_about_a_session_acknowledges_nothing() -> None:
    ends = up()
    ends.talk(numbered("c", 3), numbered("r", 3))
    ends.board.receive(
        frame_of(Kind.RESET, 4000, b"\x01\x00\x08") + frame_of(Kind.ALIVE, 77, boot(99)), ends.now
    )
    ends.host.connect(ends.now)
    for data in (ends.board.data_to_send(ends.now), ends.host.data_to_send(ends.now)):
        about = [frame for frame in frames_in(data) if frame[0] != Kind.ALIVE]
        assert about
        assert all(frame[2:5] == (0, 0, 0) for frame in about)


def test_every_reset_is_answered_and_a_flood_of_them_once_a_turn() -> None:
    board = Link(Role.BOARD, boot_id=3)
    for session in range(300):
        board.receive(frame_of(Kind.RESET, session, b"\x01\x00\x08") + frame_of(Kind.DATA, 999, b"x"), 0.0)
    (answer, refusal) = frames_in(board.data_to_send(0.0))
    assert answer[:2] == (Kind.RESET_ACK, 299)
    assert refusal[:2] == (Kind.NO_SESSION, 999)
    assert board.data_to_send(0.0) == b""


def test_the_host_speaks_at_once_when_the_session_is_up_and_so_does_the_board() -> None:
    host, board = Link(Role.HOST, session=7), Link(Role.BOARD, boot_id=99)
    host.connect(0.0)
    board.receive(host.data_to_send(0.0), 0.0)
    assert not board.events()
    host.receive(board.data_to_send(0.0), 0.0)
    first = host.data_to_send(0.0)
    assert frames_in(first) == [(Kind.ALIVE, 8, 0, 0, 0, boot(99))]
    board.receive(first, 0.0)
    assert board.phase is Phase.UP


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("kind", list(Kind))
def test_a_frame_with_too_short_a_body_is_ignored_and_counted(role: Role, kind: Kind) -> None:
    ends = up()
    end = ends.host if role is Role.HOST else ends.board
    least = {Kind.RESET: 3, Kind.RESET_ACK: 7, Kind.DATA: 1, Kind.ALIVE: 4, Kind.NO_SESSION: 4}[kind]
    end.receive(frame_of(kind, 8, bytes(least - 1)), ends.now)
    end.receive(encode_frame(HEADER.pack(kind, 8, 0, 0, 0)[:-1]), ends.now)
    assert end.events() == []
    assert end.data_to_send(ends.now) == b""
    assert end.phase is Phase.UP
    assert end.stats.ignored == 2


def test_bytes_after_a_known_body_are_ignored() -> None:
    host, board = Link(Role.HOST, session=7), Link(Role.BOARD, boot_id=99)
    board.receive(frame_of(Kind.RESET, 8, b"\x01\x07\x08later"), 0.0)
    assert frames_in(board.data_to_send(0.0))[0][0] == Kind.RESET_ACK
    host.connect(0.0)
    host.receive(frame_of(Kind.RESET_ACK, 8, boot(99) + b"\x01\x07\x08later"), 0.0)
    host.receive(frame_of(Kind.ALIVE, 8, boot(99) + b"later"), 0.0)
    assert host.events() == [Connected(8, 99, (1, 7))]


@pytest.mark.parametrize("window", range(2, 9))
def test_no_more_is_under_way_than_the_other_side_has_room_for_with_a_slot_for_stop(window: int) -> None:
    host, board = Link(Role.HOST), Link(Role.BOARD, window=window)
    host.connect(0.0)
    board.receive(host.data_to_send(0.0), 0.0)
    host.receive(board.data_to_send(0.0), 0.0)
    for message in numbered("m", 100):
        host.send(message)
    usual = frames_in(host.data_to_send(0.0))
    host.send(b"STOP", urgent=True)
    host.send(b"STOP again", urgent=True)
    (stop,) = frames_in(host.data_to_send(0.0))
    assert len(usual) == window - 1
    assert stop[5] == b"STOP"
    assert frames_in(host.data_to_send(0.01)) == []


@pytest.mark.parametrize("window", [0, 1])
def test_a_window_that_leaves_no_slot_for_stop_is_no_offer(window: int) -> None:
    board, host = Link(Role.BOARD), Link(Role.HOST, session=7)
    board.receive(frame_of(Kind.RESET, 8, bytes((1, 0, window))), 0.0)
    assert board.data_to_send(0.0) == b""
    host.connect(0.0)
    host.receive(frame_of(Kind.RESET_ACK, 8, boot(1) + bytes((1, 0, window))), 0.0)
    assert host.phase is Phase.ASKING
    with pytest.raises(ValueError, match=r"expected 2\.\.8"):
        Link(Role.BOARD, window=window)


def test_a_board_that_speaks_for_another_boot_has_restarted() -> None:
    ends = up()
    ends.host.receive(frame_of(Kind.ALIVE, 8, boot(100)), ends.now)
    assert ends.host.events() == [Lost(LostReason.RESTARTED)]


def test_a_host_that_speaks_to_an_earlier_boot_is_told_so() -> None:
    board = Link(Role.BOARD, boot_id=100)
    board.receive(frame_of(Kind.RESET, 8, b"\x01\x00\x08") + frame_of(Kind.ALIVE, 8, boot(99)), 0.0)
    assert board.phase is Phase.DOWN
    assert frames_in(board.data_to_send(0.0))[1] == (Kind.NO_SESSION, 8, 0, 0, 0, boot(100))
    assert board.stats.ignored == 1


def test_a_board_that_has_only_ended_the_session_is_not_said_to_have_restarted() -> None:
    ends = up()
    ends.board.close()
    ends.run(0.3)
    assert ends.lost(Role.HOST) == [LostReason.ENDED]
    ends.run(0.1)
    assert ends.host.phase is ends.board.phase is Phase.UP


def test_frames_of_an_ended_session_change_nothing_at_the_host() -> None:
    ends = up()
    old = (
        frame_of(Kind.DATA, 7, b"old")
        + frame_of(Kind.ALIVE, 7, boot(98))
        + frame_of(Kind.NO_SESSION, 7, boot(98))
    )
    ends.host.receive(old + frame_of(Kind.RESET_ACK, 7, boot(98) + b"\x01\x00\x08"), ends.now)
    assert ends.host.events() == []
    assert ends.host.stats.ignored == 4
    assert ends.host.boot_id == 99


def test_data_is_answered_at_once_whatever_its_number() -> None:
    ends = up()
    for seq in (5, 0, 0, 40, 65535):
        ends.board.receive(frame_of(Kind.DATA, 8, b"x", seq), ends.now)
        ((kind, _, _, ack, held, _),) = frames_in(ends.board.data_to_send(ends.now))
        assert kind == Kind.ALIVE
        assert (ack, held) == ((0, 1 << 4) if seq == 5 else (1, 1 << 3)), seq
    assert ends.board.stats.duplicates == 3


def test_a_message_is_sent_again_after_100_200_and_250_milliseconds_where_nothing_was_measured() -> None:
    ends = up()
    ends.host.send(b"x")
    assert times_of(Kind.DATA, ends.host, ends.now, 1.5) == [0, 100, 300, 550, 800, 1050, 1300]


def test_an_acknowledgement_of_what_was_never_sent_is_ignored() -> None:
    ends = up()
    ends.host.send(b"x")
    ends.host.data_to_send(ends.now)
    for ack in (2, 9, 65535):
        ends.host.receive(frame_of(Kind.ALIVE, 8, boot(99), ack=ack), ends.now)
    assert ends.host.next_timer() == pytest.approx(ends.now + 0.1)
    ends.host.receive(frame_of(Kind.ALIVE, 8, boot(99), ack=1), ends.now)
    assert ends.host.next_timer() == pytest.approx(ends.now - 0.1 + 0.25, abs=0.1)
    assert times_of(Kind.DATA, ends.host, ends.now, 1.0) == []


@pytest.mark.parametrize("lost_after", [0.3, 1.0, 3.0, 10.0])
def test_the_time_after_which_a_link_is_lost_is_the_caller_s(lost_after: float) -> None:
    host, board = Link(Role.HOST, timing=Timing(lost_after=lost_after)), Link(Role.BOARD)
    host.connect(0.0)
    board.receive(host.data_to_send(0.0), 0.0)
    host.receive(board.data_to_send(0.0), 0.0)
    host.on_timer(lost_after - 0.001)
    assert host.phase is Phase.UP
    host.on_timer(lost_after)
    assert host.events()[-1] == Lost(LostReason.SILENCE)


def test_only_frames_of_the_session_keep_it_alive() -> None:
    ends = up()
    ends.to_left.cut = ends.to_right.cut = True
    for _ in range(31):
        ends.host.receive(frame_of(Kind.ALIVE, 7, boot(99)) + b"noise\x00", ends.now)
        ends.run(0.1)
    assert ends.lost(Role.HOST) == [LostReason.SILENCE]


def test_hundreds_of_lost_frames_end_nothing_while_time_does_not() -> None:
    ends = Ends(WireFaults(loss=0.9, latency_s=0.002), seed=3)
    ends.host.timing = ends.board.timing = Timing(lost_after=1e9, stalled_after=1e9)
    ends.talk(numbered("c", 20), numbered("r", 20), limit_s=1e6)
    assert ends.received(Role.BOARD) == numbered("c", 20)
    assert ends.received(Role.HOST) == numbered("r", 20)
    assert ends.host.stats.retransmitted > 100
