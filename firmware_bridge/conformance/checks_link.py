"""The link: messages once and in order, repetition, window, heartbeat, and its end (sections 3.3, 3.4)."""

from itertools import pairwise
from typing import Final

from firmware_bridge.conformance.bench import AT_ONCE_S, Bench
from firmware_bridge.conformance.checks_sessions import acks_of, refusals, reset
from firmware_bridge.conformance.probe import SILENT, Manners, Probe
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, expect
from firmware_bridge.conformance.trace import Frame
from firmware_bridge.encoding import encode
from firmware_bridge.link import Kind
from firmware_bridge.messages import Done, GetStatus, Request
from firmware_bridge.sequence import SEQUENCES

LINK: Final = Chapter()
NO_ACKS: Final = Manners(acks=False)
AGAIN_LEAST_S: Final = 0.025
AGAIN_MOST_S: Final = 0.25
HEARTBEAT_S: Final = 0.25
LOST_S: Final = 3.0
STALLED_S: Final = 6.0
LONG_S: Final = 2.0
EARLY_S: Final = 0.3
"""How much earlier than due a loss may be seen: the last frame was sent before it was counted."""
LOST_SESSION: Final = "session that was lost"
BEFORE_SILENCE: Final = "number of the last report before"
SILENCE: Final = "when frames came in the silence"
MOST_FRAMES: Final = 30
WITHOUT_ACK: Final = "frames without an ack"


def status_request(bench: Bench) -> bytes:
    """A harmless command under a new op_id."""
    return encode(Request(bench.next_op_id(), GetStatus()))


def op_id_of(message: bytes) -> int:
    """The op_id in a command's bytes."""
    return int.from_bytes(message[1:5], "little")


def done(bench: Bench, mark: int) -> list[int]:
    """The op_ids that were Done since ``mark``, in order."""
    return [one.message.op_id for one in bench.said(mark) if isinstance(one.message, Done)]


def of_session(probe: Probe, mark: int, *kinds: Kind) -> list[Frame]:
    """Frames of the session since ``mark``."""
    wanted = kinds or (Kind.DATA, Kind.ALIVE)
    return [one for one in probe.frames[mark:] if one.kind in wanted and one.session == probe.session]


async def answer_to(bench: Bench, frame: bytes) -> list[Frame]:
    """Frames of the session after ``frame``, as soon as there are some."""
    probe = bench.probe
    mark = len(probe.frames)
    await probe.send_raw(frame)
    await probe.until(lambda: of_session(probe, mark), AGAIN_LEAST_S + bench.slack)
    return of_session(probe, mark)


@LINK.requirement("LINK-02", "DATA is acknowledged at once", "3.3")
async def _at_once(bench: Bench) -> None:
    probe = bench.probe
    for _ in range(2):
        message = status_request(bench)
        seq = probe.claim(message)
        frames = await answer_to(bench, probe.data_frame(message, seq))
        expect(frames, "no frame at once after DATA")
        await probe.until(lambda: probe.board_ack == probe.next_seq, AT_ONCE_S)
        expect(
            probe.board_ack == probe.next_seq, f"message {seq} has arrived, and ack stays {probe.board_ack}"
        )
        await probe.run(AT_ONCE_S)


@LINK.requirement("LINK-03", "DATA that comes again is acknowledged, and handed on once", "3.3")
async def _repeated(bench: Bench) -> None:
    probe = bench.probe
    message, mark = status_request(bench), bench.mark()
    seq = probe.claim(message)
    await probe.data(message, seq)
    await probe.run(AT_ONCE_S)
    for _ in range(2):
        expect(await answer_to(bench, probe.data_frame(message, seq)), "DATA that came again gets no answer")
    await probe.run(AT_ONCE_S)
    count = done(bench, mark).count(op_id_of(message))
    expect(count == 1, f"one message sent three times under number {seq} was Done {count} times, expected 1")


@LINK.requirement("LINK-04", "messages are handed on in order, across a gap", "3.3")
async def _in_order(bench: Bench) -> None:
    probe = bench.probe
    first, second = status_request(bench), status_request(bench)
    mark = bench.mark()
    seq = probe.claim(first)
    probe.claim(second)
    await probe.data(second, seq + 1)
    await probe.run(AT_ONCE_S)
    expect(not done(bench, mark), f"message {seq + 1} was handed on before message {seq}")
    await probe.data(first, seq)
    await probe.run(AT_ONCE_S)
    await probe.data(second, seq + 1)
    wanted = [op_id_of(first), op_id_of(second)]
    await probe.until(lambda: len(done(bench, mark)) >= 2, 1.0)
    await probe.run(AT_ONCE_S)
    expect(done(bench, mark) == wanted, f"expected op_ids {wanted} Done, got {done(bench, mark)}")


@LINK.requirement("LINK-05", "ack and held tell what has arrived, and nothing else", "3.3")
async def _held(bench: Bench) -> None:
    probe = bench.probe
    messages = [status_request(bench) for _ in range(3)]
    seq = min(probe.claim(message) for message in messages)
    await probe.data(messages[2], seq + 2)
    await probe.run(AT_ONCE_S)
    last = of_session(probe, 0)[-1]
    expect(last.ack == seq, f"ack {last.ack} after message {seq + 2} alone, expected {seq}")
    expect(last.held in (0, 2), f"held {last.held:08b} after message {seq + 2} alone, expected 00000010 or 0")
    for offset in (0, 1):
        await probe.data(messages[offset], seq + offset)
    await probe.run(AT_ONCE_S)
    await probe.data(messages[2], seq + 2)
    await probe.until(lambda: probe.board_ack == probe.next_seq, 1.0)
    last = of_session(probe, 0)[-1]
    expect(
        (last.ack, last.held) == (seq + 3, 0),
        f"ack {last.ack}, held {last.held:08b}; expected {seq + 3} and 0",
    )


@LINK.requirement("LINK-06", "DATA beyond the window, or of the past, is answered and not handed on", "3.3")
async def _beyond_the_window(bench: Bench) -> None:
    probe = bench.probe
    await bench.well("the hello")
    seq, ack, mark = probe.next_seq, probe.last_ack, bench.mark()
    for other in (seq + probe.board_window, seq + 1000, seq - 1, seq - 1000):
        message = status_request(bench)
        probe.observer.asked(probe, message)
        frames = await answer_to(bench, probe.data_frame(message, other))
        expect(frames, f"DATA {other % SEQUENCES} gets no answer, expected was {seq}")
    await probe.run(AT_ONCE_S)
    expect(not bench.said(mark), f"a message was handed on whose number is not {seq}: {bench.said(mark)[:1]}")
    expect(probe.last_ack == ack, f"ack {probe.last_ack}, expected {ack}")
    await bench.well("DATA beyond the window")


@LINK.requirement("LINK-07", "a message that is acknowledged is not sent again", "3.3")
async def _not_again(bench: Bench) -> None:
    probe = bench.probe
    await bench.well("the hello")
    await probe.run(AT_ONCE_S)
    mark = len(probe.frames)
    await probe.run(AGAIN_MOST_S + 0.05)
    late = [frame.seq for frame in of_session(probe, mark, Kind.DATA)]
    expect(not late, f"messages {late} were sent again after their ack")


@LINK.requirement(
    "LINK-08", "at most a window of messages is under way, one slot kept for urgent ones", "3.3"
)
async def _window(bench: Bench) -> None:
    probe = bench.probe
    for size in (2, 4):
        await probe.offer(3.0, size)
        probe.enter()
        mark = len(probe.frames)
        with probe.acting(NO_ACKS):
            await probe.alive()
            for _ in range(2):
                await bench.start(GetStatus())
            await probe.run(0.15)
        under_way = sorted({frame.seq for frame in of_session(probe, mark, Kind.DATA)})
        most = size - 1
        expect(under_way, f"nothing was sent into a window of {size}")
        expect(
            len(under_way) <= most,
            f"messages {under_way} under way without an ack, window {size}: expected at most {most}",
        )
        await probe.run(AT_ONCE_S)
        await bench.well(f"a full window of {size}")


@LINK.requirement("LINK-09", "an ack for a number that was never sent is ignored", "3.3")
async def _absurd_ack(bench: Bench) -> None:
    probe = bench.probe
    mark = len(probe.frames)
    with probe.acting(NO_ACKS):
        await bench.start(GetStatus())
        await probe.until(lambda: of_session(probe, mark, Kind.DATA), 1.0)
        await probe.alive(ack=probe.expected + 5000)
        place = len(probe.frames)
        await probe.until(lambda: of_session(probe, place, Kind.DATA), LONG_S)
    expect(of_session(probe, place, Kind.DATA), "after an absurd ack the messages are not sent again")
    await bench.well("an absurd ack")


@LINK.requirement("LINK-10", "a message that held shows is not sent again", "3.3")
async def _held_is_kept(bench: Bench) -> None:
    probe = bench.probe
    mark = len(probe.frames)
    with probe.acting(NO_ACKS):
        await bench.start(GetStatus())
        if not await probe.until(lambda: len(of_session(probe, mark, Kind.DATA)) >= 2, 1.0):
            raise NotApplicable("the board has only one message under way at a time")
        first = of_session(probe, mark, Kind.DATA)[0].seq
        await probe.alive(ack=first, held=1)
        await probe.run(AGAIN_LEAST_S + bench.slack)
        place = len(probe.frames)
        await probe.alive(ack=first, held=1)
        await probe.until(
            lambda: any(one.seq == first for one in of_session(probe, place, Kind.DATA)), LONG_S
        )
        await probe.run(AGAIN_MOST_S)
    again = {frame.seq for frame in of_session(probe, place, Kind.DATA)}
    expect(first in again, f"message {first} is missing, and was not sent again")
    expect(first + 1 not in again, f"message {first + 1} was sent again although held shows it")
    await bench.well("messages that were held")


@LINK.requirement("LINK-11", "without a valid frame the link is lost after 3 s, and not before", "3.4")
async def _silence(bench: Bench) -> None:
    probe = bench.probe
    bench.notes.pop(LOST_SESSION, None)
    notices = bench.notices(0)
    lost, began, mark = probe.session, probe.now, len(probe.frames)
    with probe.acting(SILENT):
        while probe.now < began + LOST_S - EARLY_S:
            await probe.run(0.25)
            await probe.send_raw(b"\x05noise\x00")
        times = [frame.at for frame in of_session(probe, mark)]
        late = probe.now - 3 * HEARTBEAT_S - bench.slack
        expect(times and times[-1] > late, "less than 3 s after the last valid frame the board is silent")
        bench.notes[SILENCE] = [began, *times, probe.now]
        await probe.run(AT_ONCE_S)
        await probe.run(EARLY_S + bench.slack)
        probe.leave()
        found = await refusals(bench, lost, probe.alive_frame())
    expect(
        found, "more than 3 s after the last valid frame ALIVE gets no NO_SESSION: the session is still up"
    )
    bench.notes[LOST_SESSION] = lost
    bench.notes[BEFORE_SILENCE] = notices[-1].number


@LINK.requirement("LINK-12", "a side that has sent nothing for 250 ms sends ALIVE", "3.4", fresh=False)
async def _heartbeat(bench: Bench) -> str:
    probe = bench.probe
    times = bench.notes.get(SILENCE)
    if times is None:
        await bench.fresh()
        mark, began = len(probe.frames), probe.now
        await probe.run(1.5)
        times = [began, *(frame.at for frame in of_session(probe, mark)), probe.now]
    gaps = [later - before for before, later in pairwise(times)]
    most = HEARTBEAT_S + bench.slack
    expect(max(gaps) <= most, f"silent for {1000 * max(gaps):.0f} ms, expected ALIVE after 250 ms")
    rate = len(gaps) / (times[-1] - times[0])
    expect(rate < MOST_FRAMES, f"{rate:.0f} frames in a second while nothing happens")
    return f"longest silence {1000 * max(gaps):.0f} ms"


@LINK.requirement("SES-13", "RESET of a session that was lost gets no answer", "3.2", fresh=False)
async def _lost_session(bench: Bench) -> None:
    lost = bench.notes.get(LOST_SESSION)
    if lost is None or bench.probe.session != lost:
        raise NotApplicable("no session was lost by silence (LINK-11)")
    acks = await acks_of(bench.probe, lost, reset(lost), none=True)
    expect(not acks, "RESET of the lost session is answered: its messages could arrive a second time")


@LINK.requirement("LINK-13", "a link on which ack does not advance for 6 s is lost", "3.4")
async def _stalled(bench: Bench) -> None:
    probe = bench.probe
    began, mark = probe.now, len(probe.frames)

    def refused() -> list[Frame]:
        return [frame for frame in probe.frames if frame.kind == Kind.NO_SESSION and frame.at >= began]

    with probe.acting(NO_ACKS):
        await bench.start(GetStatus())
        await probe.run(STALLED_S - 4 * EARLY_S)
        bench.notes[WITHOUT_ACK] = of_session(probe, mark, Kind.DATA)
        expect(not refused(), "the board gave up in less than 5 s")
        await probe.until(refused, 4 * EARLY_S + bench.slack + 0.5)
    expect(refused(), "after 6 s without an ack the session is still up")


@LINK.requirement(
    "LINK-14", "a message is sent again under its number until it is acknowledged", "3.3", fresh=False
)
async def _sent_again(bench: Bench) -> str:
    data = bench.notes.get(WITHOUT_ACK)
    if data is None:
        await bench.fresh()
        mark = len(bench.probe.frames)
        with bench.probe.acting(NO_ACKS):
            await bench.start(GetStatus())
            await bench.probe.run(1.2)
        data = of_session(bench.probe, mark, Kind.DATA)
    expect(data, "no message after GetStatus")
    times = [frame.at for frame in data if frame.seq == data[0].seq]
    gaps = [later - before for before, later in pairwise(times)]
    expect(len(times) >= 3, f"message {data[0].seq} was sent {len(times)} times without an ack")
    most = AGAIN_MOST_S + bench.slack
    expect(max(gaps) <= most, f"sent again after {1000 * max(gaps):.0f} ms, expected at most 250 ms")
    # Bytes that wait on the way may come closer together than they were sent.
    mean = sum(gaps) / len(gaps)
    expect(mean >= AGAIN_LEAST_S, f"sent again every {1000 * mean:.0f} ms, expected at least 25 ms")
    return f"after {', '.join(f'{1000 * gap:.0f}' for gap in gaps[:8])} ms .."
