"""Random and mutated bytes through decoder, link and both roles: nothing raises or grows, frames are read.

The short form feeds a part of the ten million bytes.
"""

import resource
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from link_ends import Ends, numbered
from talking_board import Conversation, TalkingBoard

from firmware_bridge.driver import ROOM_NEEDED
from firmware_bridge.encoding import encode
from firmware_bridge.frames import DELIMITER, FRAME_LIMIT, PAYLOAD_LIMIT, FrameDecoder, encode_frame
from firmware_bridge.host import Host
from firmware_bridge.link import HEADER, Connected, Kind, Link, LinkEvent, Phase, Role, parse_frame
from firmware_bridge.messages import PROTOCOL, Booted, GetStatus, Notice
from firmware_bridge.reference.compiled import CoreBoard, Settings
from firmware_bridge.states import Capability, Profile, ResetCause
from hardware_sim.board_firmware import Firmware, Identity
from hardware_sim.mechanics import Mechanics

SHORT, LONG = 300_000, 10_000_000
"""Bytes fed to each target."""

GROWTH_KB: Final = 24 * 1024
"""Memory the process may take more while it is fed; an object kept for every byte would be 500 MB."""

BOOTED: Final = Booted(
    5, ResetCause.POWER_ON, PROTOCOL, Profile.FOUR_PORT, Capability(0x1FFF), uid=9, firmware="talks 1"
)
"""Who the host looks for; the talking board has the same number."""

GOLDEN: Final = [
    bytes.fromhex(line.split(" ")[1])
    for line in Path(__file__).with_name("frames.txt").read_text(encoding="utf-8").splitlines()
    if line and line[0] != "#"
]
"""Payloads of every kind and message with its least and greatest values."""


class Noise:
    """Makes pieces of a hostile stream for an end whose session and numbers are known."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)  # noqa: S311 - repeatable, no secret
        self.fed = 0

    def piece(self, session: int, near: int) -> bytes:
        """Random bytes, or a frame that fits the session more or less, whole or spoilt. 1..130 bytes."""
        roll = self.random.random()
        if roll < 0.15:
            data = self.random.randbytes(self.random.randint(1, 130))
        else:
            data = encode_frame(self._payload(session, near))
            if roll < 0.5:
                data = self._spoilt(data)
        self.fed += len(data)
        return data

    def _payload(self, session: int, near: int) -> bytes:
        choose, below = self.random.choice, self.random.randrange
        payload = choose(GOLDEN)
        if len(payload) < HEADER.size or below(8) == 0:
            return self.random.randbytes(below(1, PAYLOAD_LIMIT + 1))
        kind, _, _, ack, held = HEADER.unpack_from(payload)
        kind = kind if below(4) else choose(list(Kind))
        session = session if below(6) else below(1 << 16)
        seq = (near + (below(-2, 12) if below(3) == 0 else 0)) % (1 << 16)
        ack = below(12) if below(4) else ack
        held = held if below(2) else below(256)
        body = payload[HEADER.size :]
        if kind == Kind.DATA and below(3):
            body = (
                body[:1] + self.random.randbytes(min(4, len(body) - 1)) + body[5:]
            )  # another op_id or number
        return HEADER.pack(kind, session, seq, ack, held) + body

    def _spoilt(self, data: bytes) -> bytes:
        at = self.random.randrange(len(data))
        match self.random.randrange(6):
            case 0:
                return data[:at]
            case 1:
                return data[at:]
            case 2:
                return data[:at] + self.random.randbytes(self.random.randint(1, 9)) + data[at:]
            case 3:
                return data[:at] + bytes((data[at] ^ 1 << self.random.randrange(8),)) + data[at + 1 :]
            case 4:
                return data + data
        return data[:at] + data[at + 1 :]


@pytest.fixture
def enough(request: pytest.FixtureRequest) -> int:
    """Bytes to feed."""
    return LONG if request.config.getoption("--long") else SHORT


def peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.timeout(1800)
def test_the_decoder_survives_and_reads_the_next_good_frame(enough: int) -> None:
    noise, decoder, good = Noise(1), FrameDecoder(), 0
    before = peak_kb()
    while noise.fed < enough:
        decoder.feed(noise.piece(7, 0))
        if noise.random.random() < 0.05:
            good += 1
            payload = noise.random.randbytes(noise.random.randint(1, PAYLOAD_LIMIT))
            assert decoder.feed(DELIMITER + encode_frame(payload))[-1] == payload
    assert good > enough / 4000
    assert peak_kb() - before < GROWTH_KB


def expected_next(out: bytes, near: int) -> int:
    """The number of the next message an end expects, as its last frame says."""
    frames = [parse_frame(payload) for payload in FrameDecoder().feed(out)]
    acks = [frame.ack for frame in frames if frame is not None and frame.kind in (Kind.DATA, Kind.ALIVE)]
    return acks[-1] if acks else near


def feed(engine: Any, data: bytes, noise: Noise, now: float) -> bytes:
    """Feed in two parts, let time act, and take what comes out."""
    cut = noise.random.randrange(len(data) + 1)
    engine.receive(data[:cut], now)
    engine.receive(data[cut:], now)
    engine.on_timer(now)
    out: bytes = engine.data_to_send(now)
    timer = engine.next_timer()
    assert timer is None or isinstance(timer, float)
    return out


def passed(noise: Noise) -> float:
    """A little time, and seldom much."""
    return noise.random.random() * (0.02 if noise.random.randrange(200) else 8.0)


def kinds_in(data: bytes) -> list[tuple[int, int]]:
    frames = [parse_frame(payload) for payload in FrameDecoder().feed(data)]
    return [(frame.kind, frame.session) for frame in frames if frame is not None]


def reset(session: int) -> bytes:
    return DELIMITER + encode_frame(HEADER.pack(Kind.RESET, session, 0, 0, 0) + b"\x01\x00\x08")


def alive(session: int, boot_id: int) -> bytes:
    return encode_frame(HEADER.pack(Kind.ALIVE, session, 0, 0, 0) + boot_id.to_bytes(4, "little"))


def torment_board(engine: Any, boot_id: int, noise: Noise, enough: int) -> None:
    """Feed a board's engine; now and then it must answer a good RESET and take up the session."""
    now, session, near, answered = 0.0, 0, 0, 0
    while noise.fed < enough:
        now += passed(noise)
        near = expected_next(feed(engine, noise.piece(session, near), noise, now), near)
        if noise.random.random() < 0.02:
            session, near = (session + 1) % (1 << 16), 0
            assert (Kind.RESET_ACK, session) in kinds_in(feed(engine, reset(session), noise, now))
            out = kinds_in(feed(engine, DELIMITER + alive(session, boot_id), noise, now))
            assert any(of == session for _, of in out), "a frame of the new session"
            answered += 1
    assert answered > enough / 20_000


@pytest.mark.timeout(1800)
def test_the_board_s_link_survives_and_answers_the_next_good_reset(enough: int) -> None:
    link, before = Link(Role.BOARD, boot_id=5), peak_kb()

    class Drained:
        """The link with an owner that takes its events and sends now and then."""

        receive, on_timer, next_timer = link.receive, link.on_timer, link.next_timer
        heard = 0

        @classmethod
        def data_to_send(cls, now: float) -> bytes:
            events = link.events()
            cls.heard += len(events)
            if events and link.phase is Phase.UP:
                link.send(b"report")
            return link.data_to_send(now)

    torment_board(Drained, 5, Noise(2), enough)
    assert Drained.heard > enough / 2_000
    assert peak_kb() - before < GROWTH_KB


@pytest.mark.timeout(1800)
def test_the_simulated_board_survives_and_answers_the_next_good_reset(enough: int) -> None:
    mechanics = Mechanics(Random(1), speed=60.0)  # noqa: S311 - a game
    firmware = Firmware(mechanics, Identity(uid=7), boot_id=5, cause=ResetCause.POWER_ON, now=0.0)

    class Watched:
        """The firmware with somebody who takes what it has made."""

        receive, on_timer, next_timer = firmware.receive, firmware.on_timer, firmware.next_timer
        made = 0

        @classmethod
        def data_to_send(cls, now: float) -> bytes:
            cls.made += len(firmware.made())
            return firmware.data_to_send(now)

    before = peak_kb()
    torment_board(Watched, 5, Noise(3), enough)
    assert Watched.made > enough / 10_000
    assert peak_kb() - before < GROWTH_KB


@pytest.mark.timeout(1800)
def test_the_board_in_c_survives_and_answers_the_next_good_reset(c_core: Any, enough: int) -> None:
    before = peak_kb()
    torment_board(CoreBoard(c_core, Settings(boot_id=5, speed=60)), 5, Noise(4), enough)
    assert peak_kb() - before < GROWTH_KB


@pytest.mark.timeout(1800)
def test_the_host_survives_and_connects_to_the_next_good_board(enough: int) -> None:
    noise, now, connected, before = Noise(5), 0.0, 0, peak_kb()
    host = Host(session=0, first_op_id=0, uid=BOOTED.uid)
    host.port_opened(now)
    near = told = 0
    while noise.fed < enough:
        now += passed(noise)
        near = expected_next(feed(host, noise.piece(host.link.session, near), noise, now), near)
        told += len(host.outcomes())
        if host.ready and noise.random.random() < 0.05:
            host.forget(host.request(GetStatus(), now))
        if noise.random.random() < 0.02:
            host.port_opened(now)
            ack = HEADER.pack(Kind.RESET_ACK, host.link.session, 0, 0, 0) + b"\x05\x00\x00\x00\x01\x00\x08"
            out = kinds_in(feed(host, DELIMITER + encode_frame(ack), noise, now))
            assert (Kind.ALIVE, host.link.session) in out
            hello = encode(Notice(noise.random.randrange(1 << 32), 0, BOOTED))
            head = HEADER.pack(Kind.DATA, host.link.session, 0, 0, 0)
            near = expected_next(feed(host, DELIMITER + encode_frame(head + hello), noise, now), 0)
            assert host.ready
            connected += 1
    assert connected > enough / 20_000
    assert told > enough / 2_000
    assert peak_kb() - before < GROWTH_KB
    talk = Conversation(TalkingBoard())
    talk.left = host
    talk.host = host
    talk.now = now
    host.port_opened(now)
    talk.run(3.0)
    assert host.ready


@given(st.binary(max_size=2000), st.integers(0, 1 << 16), st.booleans())
def test_no_bytes_whatever_raise_in_a_link_of_either_role(data: bytes, session: int, host: bool) -> None:  # noqa: FBT001 - drawn
    link = Link(Role.HOST if host else Role.BOARD, session=session)
    if host:
        link.connect(0.0)
    link.receive(data, 0.0)
    link.on_timer(0.1)
    assert len(link.data_to_send(0.1)) <= ROOM_NEEDED


# ---- where the bytes are cut, and where one comes in ----------------------------------------------------


def recorded(role: Role) -> bytes:
    """What an end of a whole conversation hears, with messages both ways."""
    ends, heard = Ends(), bytearray()
    end = ends.host if role is Role.HOST else ends.board
    receive = end.receive

    def listening(data: bytes, now: float) -> None:
        heard.extend(data)
        receive(data, now)

    end.receive = listening  # type: ignore[method-assign] # listens in
    ends.talk(numbered("command", 12), numbered("report", 12))
    return bytes(heard)


HEARD: Final = {role: recorded(role) for role in Role}


def events_of(role: Role, pieces: list[bytes]) -> list[LinkEvent]:
    link = Link(role, session=7, boot_id=99)
    if role is Role.HOST:
        link.connect(0.0)
        link.data_to_send(0.0)
    for piece in pieces:
        link.receive(piece, 0.0)
    return link.events()


@given(st.sampled_from(list(Role)), st.lists(st.integers(0, 2000), max_size=30))
def test_a_link_hears_the_same_however_its_bytes_are_cut(role: Role, cuts: list[int]) -> None:
    stream = HEARD[role]
    at = [0, *sorted(cut % len(stream) for cut in cuts), len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(at)]
    whole = events_of(role, [stream])
    assert events_of(role, pieces) == whole
    assert len(whole) == 13
    assert isinstance(whole[0], Connected)


@pytest.mark.parametrize("role", list(Role))
def test_a_link_hears_the_same_byte_by_byte(role: Role) -> None:
    stream = HEARD[role]
    assert events_of(role, [stream[at : at + 1] for at in range(len(stream))]) == events_of(role, [stream])


def test_memory_of_a_decoder_is_one_frame_whatever_comes() -> None:
    decoder = FrameDecoder()
    for size in (1, 63, 64, 65, 1000, 70_000):
        decoder.feed(b"\xff" * size)
        assert len(decoder._buffer) < FRAME_LIMIT  # noqa: SLF001 - what is promised
