"""Sessions: how they begin, change over and end (section 3.2)."""

from typing import Final

from firmware_bridge.conformance.bench import AT_ONCE_S, HELLO_S, Bench
from firmware_bridge.conformance.probe import Probe, head
from firmware_bridge.conformance.requirement import Chapter, expect
from firmware_bridge.conformance.trace import Frame
from firmware_bridge.encoding import encode
from firmware_bridge.frames import encode_frame
from firmware_bridge.link import LEAST_WINDOW, VERSION, Kind
from firmware_bridge.messages import Booted, Done, GetStatus, Request
from firmware_bridge.sequence import HELD_BITS, SEQUENCES

SESSIONS: Final = Chapter()
STRANGE: Final = 0x2000
"""Distance to a session number that was never used here."""


async def acks_of(probe: Probe, session: int, send: bytes, *, none: bool = False) -> list[Frame]:
    """The RESET_ACKs for ``session`` that come after ``send``; ``none``: there should be none."""
    mark = len(probe.frames)
    await probe.send_raw(send)
    await probe.until(lambda: _acks(probe, session, mark), AT_ONCE_S + (0 if none else probe.wire.slack))
    return _acks(probe, session, mark)


def _acks(probe: Probe, session: int, mark: int) -> list[Frame]:
    return [one for one in probe.frames[mark:] if one.kind == Kind.RESET_ACK and one.session == session]


def reset(session: int, window: int = 8, version: tuple[int, int] = VERSION, more: bytes = b"") -> bytes:
    """A RESET with the zero before it."""
    return b"\x00" + encode_frame(head(Kind.RESET, session) + bytes((*version, window)) + more)


async def refusals(bench: Bench, session: int, frame: bytes) -> list[Frame]:
    """The NO_SESSION frames for ``session`` after ``frame``."""
    probe = bench.probe
    mark = len(probe.frames)

    def found() -> list[Frame]:
        new = probe.frames[mark:]
        return [one for one in new if one.kind == Kind.NO_SESSION and one.session == session]

    await probe.send_raw(frame)
    await probe.until(found, AT_ONCE_S + bench.slack)
    return found()


@SESSIONS.requirement("SES-02", "RESET is answered with RESET_ACK, complete", "3.2", fresh=False)
async def _answer(bench: Bench) -> str:
    frame = await bench.probe.offer(3.0)
    major, minor = bench.probe.link_version
    window = bench.probe.board_window
    expect(len(frame.body) >= 7, f"RESET_ACK has a body of {len(frame.body)} bytes, expected 7")
    expect(LEAST_WINDOW <= window <= HELD_BITS, f"window {window}, expected {LEAST_WINDOW}..{HELD_BITS}")
    expect(major == VERSION[0], f"link version {major}.{minor}, expected {VERSION[0]}.x")
    return f"boot_id {bench.probe.boot_id:#010x}, link {major}.{minor}, window {window}"


@SESSIONS.requirement("SES-03", "RESET is answered every time, in the same way", "3.2", fresh=False)
async def _again(bench: Bench) -> None:
    probe = bench.probe
    first = await probe.offer(3.0)
    for _ in range(3):
        acks = await acks_of(probe, probe.session, reset(probe.session))
        expect(acks, "a repeated RESET gets no answer")
        expect(
            acks[0].body == first.body,
            f"RESET_ACK says {acks[0].body.hex(' ')}, before {first.body.hex(' ')}",
        )


@SESSIONS.requirement("SES-04", "the session begins with the first ALIVE, and the board says hello", "3.2")
async def _hello(bench: Bench) -> None:
    await bench.well("the hello")


@SESSIONS.requirement("SES-05", "the session begins with the first DATA as well", "3.2", fresh=False)
async def _begins_with_data(bench: Bench) -> None:
    probe = bench.probe
    await probe.offer(3.0)
    probe.enter()
    mark = bench.mark()
    asked = await bench.start(GetStatus())
    await probe.until(lambda: asked.ended is not None, HELLO_S)
    expect(isinstance(asked.ended, Done), f"GetStatus as the first frame of a session gives {asked.outcome}")
    reports = bench.reports(mark)
    expect(reports and isinstance(reports[0], Booted), f"the first report is {reports[:1]}, expected Booted")


@SESSIONS.requirement("SES-06", "RESET alone ends no session", "3.2")
async def _old_session_goes_on(bench: Bench) -> None:
    probe = bench.probe
    other = (probe.session + STRANGE) % SEQUENCES
    expect(await acks_of(probe, other, reset(other)), "RESET for another session gets no answer")
    await bench.well("a RESET for another session")


@SESSIONS.requirement("SES-07", "RESET of the session that is up changes nothing", "3.2")
async def _same_session(bench: Bench) -> None:
    probe = bench.probe
    await bench.well("the hello")
    acks = await acks_of(probe, probe.session, reset(probe.session))
    expect(acks, "RESET of the session that is up gets no answer")
    mark = bench.mark()
    await bench.well("a RESET of the session that is up")
    expect(not any(isinstance(report, Booted) for report in bench.reports(mark)), "the session began anew")


@SESSIONS.requirement("SES-08", "frames of an unknown session get NO_SESSION", "3.2")
async def _strange(bench: Bench) -> None:
    probe = bench.probe
    other = (probe.session + STRANGE) % SEQUENCES
    for frame, name in (
        (probe.alive_frame(session=other), "ALIVE"),
        (probe.data_frame(encode(Request(bench.next_op_id(), GetStatus())), 0, session=other), "DATA"),
    ):
        mark = bench.mark()
        found = await refusals(bench, other, frame)
        expect(found, f"{name} of a session that is neither up nor offered gets no NO_SESSION")
        expect(len(found[0].body) >= 4, "NO_SESSION has no boot_id")
        expect(not bench.said(mark), f"a message came after {name} of an unknown session")
    await bench.well("frames of an unknown session")


@SESSIONS.requirement("SES-09", "a session that another one has followed is unknown", "3.2")
async def _stale(bench: Bench) -> None:
    probe = bench.probe
    old = probe.session
    await bench.fresh()
    mark = bench.mark()
    message = encode(Request(bench.next_op_id(), GetStatus()))
    probe.observer.asked(probe, message)
    found = await refusals(bench, old, probe.data_frame(message, 0, session=old))
    expect(not bench.said(mark), "a command of the old session was taken")
    expect(found, "DATA of the old session gets no NO_SESSION")
    await bench.well("a frame of the old session")


@SESSIONS.requirement(
    "SES-10", "bytes after a known body are ignored, a body too short ignores the frame", "3.1"
)
async def _bodies(bench: Bench) -> None:
    probe = bench.probe
    other = (probe.session + STRANGE + 1) % SEQUENCES
    acks = await acks_of(probe, other, reset(other, more=b"\x01\x02\x03\x04"))
    expect(acks, "a RESET with four more bytes gets no answer")
    another = (other + 1) % SEQUENCES
    short = b"\x00" + encode_frame(head(Kind.RESET, another) + bytes((VERSION[0],)))
    expect(not await acks_of(probe, another, short, none=True), "a RESET with a body of one byte is answered")
    await bench.well("RESETs with longer and shorter bodies")


@SESSIONS.requirement("SES-11", "kinds that are not known are ignored", "3.1")
async def _kinds(bench: Bench) -> None:
    probe = bench.probe
    seq = probe.next_seq
    for kind in (0, 6, 99, 255):
        await probe.send_raw(encode_frame(head(kind, probe.session, seq) + b"\x08\x01\x02\x03\x04"))
    for payload in (b"\x03", b"\x03\x01\x02\x03\x04\x05\x06"):
        await probe.send_raw(encode_frame(payload))
    await probe.run(AT_ONCE_S)
    expect(probe.last_ack == seq, "a frame of an unknown kind was taken for DATA")
    await bench.well("frames of unknown kinds")


@SESSIONS.requirement("SES-12", "a host with a higher minor version of the link is answered", "14")
async def _minor_version(bench: Bench) -> None:
    probe = bench.probe
    other = (probe.session + STRANGE + 3) % SEQUENCES
    acks = await acks_of(probe, other, reset(other, version=(VERSION[0], VERSION[1] + 7)))
    expect(acks, f"RESET of version {VERSION[0]}.{VERSION[1] + 7} gets no answer")
    await bench.well("a RESET of a higher minor version")
