"""Commands: what is understood, the three answers, and exactly once (sections 4 and 6)."""

from typing import Final

from firmware_bridge.conformance.bench import AT_ONCE_S, OP_IDS, Bench
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, expect
from firmware_bridge.frames import encode_frame
from firmware_bridge.layouts import COMMANDS
from firmware_bridge.messages import (
    Accepted,
    Counters,
    Done,
    Failed,
    GetCounters,
    GetLink,
    GetStatus,
    Lamps,
    Lease,
    LinkCounts,
    Rejected,
    Status,
)
from firmware_bridge.states import Buzz, Capability, FailCause, Lamp, RejectReason, StatusFlag

TALK: Final = Chapter()
BAD: Final = (RejectReason.BAD_ARGUMENT,)
UNSUPPORTED: Final = (RejectReason.UNSUPPORTED,)
MANY: Final = 40
UNDER_WAY: Final = 8
OUT_OF_RANGE: Final[dict[int, tuple[bytes, ...]]] = {
    0x03: (b"\x15\x11\x11\x11",),
    0x06: (b"\x00", b"\x03", b"\xff"),
    0x07: (b"\x04\x00\x00\x00\x00\x00", b"\x00\x00\x00\x00\x09\x00", b"\x00\x00\x00\x00\x00\x04"),
    0x0C: (b"\x00\x00\x00", b"\x00\x00\x09"),
    0x16: (b"\x04",),
    0x19: (b"\x04" + bytes(16),),
    0x22: (
        b"\x00\x01\x64\x00",
        b"\x0a\x01\x64\x00",
        b"\x01\x02\x64\x00",
        b"\x01\x01\x00\x00",
        b"\x01\x01\xf5\x01",
    ),
    0x23: (b"\x00", b"\x10"),
    0x24: (b"\xf9\x00", b"\xb9\x0b"),
}
"""Fields of commands with one of them just out of its range."""


def raw(bench: Bench, opcode: int, fields: bytes = b"") -> bytes:
    """A command's bytes under a new op_id."""
    return bytes((opcode,)) + bench.next_op_id().to_bytes(4, "little") + fields


def supported(bench: Bench, opcode: int) -> bool:
    """Whether the board has this command, by its version and capabilities."""
    layout = COMMANDS[opcode]
    return layout.since <= bench.minor and (not layout.needs or bench.can(*layout.needs))


@TALK.requirement("MSG-02", "bytes after the last field are ignored", "4")
async def _longer(bench: Bench) -> None:
    for more in (b"\x00", b"\xff\xff\xff\xff\xff"):
        asked = await bench.start(raw(bench, 0x08, more))
        await bench.finished(asked, 1.0)
        expect(isinstance(asked.ended, Done), f"GetStatus with {len(more)} more bytes: {asked.outcome}")


@TALK.requirement("MSG-03", "a command that ends before a field, or inside one, is BAD_ARGUMENT", "4")
async def _shorter(bench: Bench) -> str:
    seen = 0
    for opcode, layout in COMMANDS.items():
        whole = OUT_OF_RANGE.get(opcode)
        if whole is None or not supported(bench, opcode):
            continue
        for length in sorted({0, len(whole[0]) - 1}):
            name = f"{layout.cls.__name__} with {length} of {len(whole[0])} bytes of fields"
            await bench.refused(raw(bench, opcode, whole[0][:length]), BAD, name)
            seen += 1
    if not seen:
        raise NotApplicable("the board has no command with fields")
    return f"{seen} commands"


@TALK.requirement("MSG-04", "a message too short for an op_id harms nothing", "4")
async def _no_op_id(bench: Bench) -> None:
    for message in (b"\x08", b"\x08\x01\x02\x03", b"\xff"):
        await bench.probe.message(message)
    await bench.well("messages of 1 to 4 bytes")


@TALK.requirement("CMD-04", "a command is Accepted within 1 s, and Done after its reports", "6")
async def _three_answers(bench: Bench) -> str:
    asked = await bench.do(GetStatus())
    wanted = [Accepted(asked.op_id), Done(asked.op_id)]
    expect(asked.answers == wanted, f"GetStatus: {asked.outcome}, expected Accepted, Done")
    expect(asked.reports(Status), "no Status before Done")
    first = next(one.at for one in asked.said if isinstance(one.message, Accepted))
    return f"Accepted after {1000 * (first - asked.at):.0f} ms"


@TALK.requirement("CMD-05", "an opcode the board does not know is UNSUPPORTED", "6")
async def _unknown_opcodes(bench: Bench) -> None:
    for opcode in (0x00, 0x17, 0x2F, 0x30, 0x3F, 0x40, 0x42, 0x80, 0xFF):
        await bench.refused(raw(bench, opcode, b"\x01\x02"), UNSUPPORTED, f"opcode {opcode:#04x}")


@TALK.requirement("CMD-06", "a command the board lacks the capability for is UNSUPPORTED", "6")
async def _lacking(bench: Bench) -> str:
    names = []
    for opcode, layout in COMMANDS.items():
        if layout.needs and not bench.can(*layout.needs):
            names.append(layout.cls.__name__)
            for fields in (OUT_OF_RANGE.get(opcode, (bytes(20),))[0], b""):
                await bench.refused(raw(bench, opcode, fields), UNSUPPORTED, layout.cls.__name__)
    if not names:
        raise NotApplicable("the board has the capability for every command")
    return ", ".join(names)


@TALK.requirement("CMD-07", "a field out of its range is BAD_ARGUMENT", "6")
async def _out_of_range(bench: Bench) -> str:
    seen = 0
    for opcode, all_fields in OUT_OF_RANGE.items():
        name = COMMANDS[opcode].cls.__name__
        if not supported(bench, opcode) or name == "StartCycle":
            continue
        for fields in all_fields:
            await bench.refused(raw(bench, opcode, fields), BAD, f"{name} with fields {fields.hex(' ')}")
            seen += 1
    if not seen:
        raise NotApplicable("the board has no command with fields")
    return f"{seen} commands"


@TALK.requirement("CMD-08", "eight commands can be under way", "6")
async def _eight(bench: Bench) -> None:
    mark = bench.mark()
    asked = [await bench.start(GetStatus()) for _ in range(UNDER_WAY - 1)]
    for one in asked:
        await bench.finished(one, 2.0)
        busy = isinstance(one.ended, Rejected) and one.reason is RejectReason.BUSY
        expect(isinstance(one.ended, Done) or busy, f"one of {len(asked)} GetStatus at once: {one.outcome}")
    expect(any(isinstance(one.message, Done) for one in bench.said(mark)), "none of them was Done")


@TALK.requirement("CMD-09", "Lamps is Done", "6", needs=Capability.LAMPS)
async def _lamps(bench: Bench) -> None:
    await bench.do(Lamps(Lamp.SLOW, (Lamp.ON, Lamp.OFF, Lamp.FAST, Lamp.OFF), Buzz.NONE))
    await bench.do(Lamps())


@TALK.requirement(
    "CMD-10", "Counters come before Done, and are not smaller than before", "7.2", needs=Capability.COUNTERS
)
async def _counters(bench: Bench) -> None:
    found = []
    for _ in range(2):
        reports = (await bench.do(GetCounters())).reports(Counters)
        expect(len(reports) == 1, f"GetCounters: {len(reports)} Counters before Done, expected one")
        found.append(reports[0])
    status = await bench.status()
    expect(found[1].cycles >= found[0].cycles, f"{found[1]} after {found[0]}")
    expect(
        status.cycles == found[1].cycles, f"Status says {status.cycles} cycles, Counters {found[1].cycles}"
    )


@TALK.requirement("CMD-11", "LinkCounts count the board's side of the link", "7", since=1)
async def _link_counts(bench: Bench) -> None:
    found = []
    for _ in range(2):
        reports = (await bench.do(GetLink())).reports(LinkCounts)
        expect(len(reports) == 1, f"GetLink: {len(reports)} LinkCounts before Done, expected one")
        found.append(reports[0])
        await bench.probe.send_raw(encode_frame(b"\x01\x02\x03")[:-2] + b"\x09\x00")
        await bench.probe.run(AT_ONCE_S)
    before, after = found
    expect(after.received > before.received, f"received {after.received} after {before.received}")
    expect(after.sent > before.sent, f"sent {after.sent} after {before.sent}")
    expect(after.damaged > before.damaged, f"damaged stays {after.damaged} after a damaged frame")


@TALK.requirement("ONCE-01", "the same op_id again: the same answers, nothing done again", "6.1")
async def _same_op_id(bench: Bench) -> None:
    first = await bench.do(GetStatus())
    before, outcome = first.answers, first.outcome
    again = await bench.start(GetStatus(), first.op_id)
    await bench.finished(again, 1.0)
    await bench.probe.run(AT_ONCE_S)
    expect(again.answers == before, f"the same op_id again: {again.outcome}, before {outcome}")
    said = bench.reports(again.mark)
    expect(not any(isinstance(report, Status) for report in said), "GetStatus was done twice under one op_id")


@TALK.requirement("ONCE-02", "the op_id counts, not what stands beside it", "6.1")
async def _other_command(bench: Bench) -> None:
    first = await bench.do(GetStatus())
    again = await bench.start(raw(bench, 0x2F)[:1] + first.op_id.to_bytes(4, "little"))
    await bench.finished(again, 1.0)
    expect(isinstance(again.ended, Done), f"an op_id that was Done, with an unknown opcode: {again.outcome}")


@TALK.requirement("ONCE-03", "op_ids are remembered over sessions of one boot", "6.1")
async def _over_sessions(bench: Bench) -> None:
    first = await bench.do(GetStatus())
    await bench.fresh()
    again = await bench.start(GetStatus(), first.op_id)
    await bench.finished(again, 1.0)
    await bench.probe.run(AT_ONCE_S)
    expect(isinstance(again.ended, Done), f"an op_id of the session before gives {again.outcome}")
    # The hello has a Status, but before the command.
    said = bench.reports(again.mark)
    expect(
        not any(isinstance(report, Status) for report in said), "the command was done again in a new session"
    )


@TALK.requirement("ONCE-04", "an op_id that was rejected is rejected again", "6.1")
async def _rejected(bench: Bench) -> None:
    message = raw(bench, 0x2F)
    first = await bench.refused(message, UNSUPPORTED, "opcode 0x2f")
    before, outcome = first.answers, first.outcome
    again = await bench.start(message)
    await bench.answered(again)
    expect(again.answers == before, f"first {outcome}, then {again.outcome}")


@TALK.requirement("ONCE-05", "no op_id of a boot is forgotten", "6.1")
async def _many(bench: Bench) -> str:
    first = await bench.do(GetStatus())
    for _ in range(MANY):
        await bench.do(GetStatus())
    again = await bench.start(GetStatus(), first.op_id)
    await bench.finished(again, 1.0)
    await bench.probe.run(AT_ONCE_S)
    unknown = isinstance(again.ended, Failed) and again.ended.cause is FailCause.NO_ANSWER
    expect(
        isinstance(again.ended, Done) or unknown,
        f"{MANY} commands later: {again.outcome}; expected the answers, or Accepted and Failed NO_ANSWER",
    )
    expect(not again.reports(Status), f"{MANY} commands later the command was done again")
    return again.outcome


@TALK.requirement("ONCE-06", "of the last 32 op_ids the answers are kept", "6.1")
async def _last_32(bench: Bench) -> None:
    first = await bench.do(GetStatus())
    for _ in range(31):
        await bench.do(GetStatus())
    again = await bench.start(GetStatus(), first.op_id)
    await bench.finished(again, 1.0)
    expect(isinstance(again.ended, Done), f"the 32nd op_id before: {again.outcome}, expected its Done")


@TALK.requirement("ONCE-07", "op_ids go on from 4294967295 with 0", "6.1")
async def _wraps(bench: Bench) -> None:
    for op_id in (OP_IDS - 1, 0):
        asked = await bench.ask(GetStatus(), op_id=op_id)
        # An examination before this one may have used them in the same boot.
        expect(isinstance(asked.ended, Done | Failed), f"op_id {op_id}: {asked.outcome}")


@TALK.requirement("LEASE-01", "Lease takes 250 to 3000 ms, for this session", "11.1", since=1)
async def _lease(bench: Bench) -> None:
    for ms in (250, 3000):
        await bench.do(Lease(ms))
    expect(StatusFlag.LEASED in (await bench.status()).flags, "after Lease, Status has no flag LEASED")
    await bench.fresh()
    expect(StatusFlag.LEASED not in (await bench.status()).flags, "a new session still has the flag LEASED")
