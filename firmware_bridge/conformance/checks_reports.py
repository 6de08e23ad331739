"""Hello, dictionary, reports and replay, fault log (sections 5 and 7)."""

from typing import Final

from firmware_bridge.conformance.bench import FAST, FASTEST, Bench, Said
from firmware_bridge.conformance.checks_link import BEFORE_SILENCE
from firmware_bridge.conformance.probe import SILENT
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, expect
from firmware_bridge.dictionary import TEXT_LIMIT
from firmware_bridge.faults import FAULTS, FaultCode
from firmware_bridge.layouts import COMMANDS
from firmware_bridge.messages import (
    PROTOCOL,
    Booted,
    Config,
    Counters,
    DiceCommit,
    DictionaryEntry,
    Fault,
    FaultCleared,
    FaultRecord,
    GetDictionary,
    GetFaults,
    GetReports,
    LinkCounts,
    Notice,
    ReportsLost,
    RollDice,
    Status,
    TileCount,
)
from firmware_bridge.states import Capability, Entry, RejectReason, State

REPORTS: Final = Chapter()
PAGE: Final = 8
LOST_S: Final = 3.0
KEPT: Final = 64
NEVER_KEPT: Final = (Booted, Status, TileCount, Counters, Config, LinkCounts, DictionaryEntry, FaultRecord)


@REPORTS.requirement("HELLO-02", "Booted tells what can be understood, the same every time", "5")
async def _booted(bench: Bench) -> str:
    first = bench.booted
    await bench.fresh()
    board = bench.booted
    expect(board is not None and board == first, f"Booted says {board}, in the session before {first}")
    assert board is not None  # noqa: S101 - the line above
    major, minor = board.protocol
    expect(major == PROTOCOL[0], f"protocol {major}.{minor}; this examination is of {PROTOCOL[0]}.x")
    expect(
        board.boot_id == bench.probe.boot_id,
        f"boot_id {board.boot_id:#x}, RESET_ACK {bench.probe.boot_id:#x}",
    )
    return f"{board.profile.name}, protocol {major}.{minor}, uid {board.uid}, firmware {board.firmware!r}"


@REPORTS.requirement("HELLO-03", "the hello's reports have new numbers", "5")
async def _hello_numbers(bench: Bench) -> None:
    last = (await bench.status_notice()).number
    mark = bench.mark()
    await bench.fresh()
    first = bench.notices(mark)[0].number
    expect(first > last, f"Booted of a new session has number {first}, the report before it {last}")


@REPORTS.requirement("HELLO-04", "faults that stand are told in the hello", "5")
async def _standing(bench: Bench) -> str:
    mark = bench.mark()
    await bench.fresh()
    reports = bench.reports(mark)
    faults = [report for report in reports if isinstance(report, Fault)]
    status = next(report for report in reports if isinstance(report, Status))
    if status.safety is State.DEGRADED:
        expect(any(one.code is FaultCode.SEN_01 for one in faults), "DEGRADED without SEN-01 in the hello")
    return ", ".join(one.code.name for one in faults) or "none"


@REPORTS.requirement("REP-03", "the clock counts milliseconds", "4")
async def _check_clock(bench: Bench) -> str:
    first = next(one for one in bench.said(0) if isinstance(one.message, Notice))
    await bench.probe.run(max(0.0, 1.0 - (bench.probe.now - first.at)))
    await bench.status_notice()
    last = next(one for one in reversed(bench.said(0)) if isinstance(one.message, Notice))
    passed = 1000 * (last.at - first.at)
    told = _clock(last) - _clock(first)
    most = 1000 * bench.slack + 0.02 * passed
    expect(abs(told - passed) <= most, f"in {passed:.0f} ms the board's clock went on by {told}")
    return f"{told} in {passed:.0f} ms"


def _clock(said: Said) -> int:
    return said.message.at_ms if isinstance(said.message, Notice) else 0


# ---- replay --------------------------------------------------------------------------------------------


@REPORTS.requirement(
    "REPLAY-01", "GetReports sends what happened again, as it was", "7.1", needs=Capability.REPLAY
)
async def _replayed(bench: Bench) -> str:
    start = bench.mark()
    await _make_reports(bench)
    kept = [one for one in bench.notices(start) if not isinstance(one.report, NEVER_KEPT)]
    if not kept:
        raise NotApplicable("nothing happens that the board would keep")
    again = await _asked_again(bench, kept[0].number)
    missing = [one for one in kept if one not in again]
    expect(not missing, f"{missing[:1]} is not sent again; what came: {again[:4]}")
    return f"{len(kept)} reports"


@REPORTS.requirement(
    "REPLAY-02",
    "what is sent again comes in order, and only what is asked for",
    "7.1",
    needs=Capability.REPLAY,
)
async def _in_order(bench: Bench) -> str:
    await _make_reports(bench)
    again = await _asked_again(bench, 1)
    numbers = [one.number for one in again]
    expect(numbers == sorted(set(numbers)), f"numbers {numbers}, expected each once, rising")
    if not again:
        raise NotApplicable("the board has kept no report")
    first = numbers[len(numbers) // 2]
    later = [one.number for one in await _asked_again(bench, first)]
    wanted = [number for number in numbers if number >= first]
    expect(later == wanted, f"GetReports({first}): numbers {later}, expected {wanted}")
    return f"{len(numbers)} reports"


@REPORTS.requirement(
    "REPLAY-03", "hello, states and answers to Get... are not sent again", "7.1", needs=Capability.REPLAY
)
async def _not_kept(bench: Bench) -> None:
    status = (await bench.status_notice()).number
    again = await _asked_again(bench, 1)
    wrong = [one for one in again if isinstance(one.report, NEVER_KEPT)]
    expect(not wrong, f"{wrong[:1]} was sent again")
    expect(status not in [one.number for one in again], "the answer to GetStatus was sent again")


@REPORTS.requirement(
    "REPLAY-04",
    "ReportsLost comes first where older reports are gone, and only there",
    "7.1",
    needs=Capability.REPLAY,
)
async def _lost(bench: Bench) -> str:
    asked = await bench.do(GetReports(1))
    new, old = _parted(bench, asked.mark)
    told = [one.report for one in new if isinstance(one.report, ReportsLost)]
    expect(len(told) <= 1, f"{len(told)} ReportsLost")
    if told:
        said = [one.message for one in asked.said if isinstance(one.message, Notice)]
        expect(isinstance(said[0].report, ReportsLost), "ReportsLost does not come before what is sent again")
        expect(bool(old) and told[0].first == old[0].number, f"{told[0]}, and the first is {old[:1]}")
    beyond = _parted(bench, (await bench.do(GetReports(0xFFFFFFF0))).mark)[1]
    expect(not beyond, f"GetReports beyond the last number: {beyond[:1]}")
    return str(told[0]) if told else f"all since the start are kept, {len(old)}"


@REPORTS.requirement(
    "REPLAY-05", "what happens without a session is kept, LNK-01 among it", "11.2", needs=Capability.REPLAY
)
async def _without_session(bench: Bench) -> None:
    last = bench.notes.get(BEFORE_SILENCE)
    if last is None:
        last = bench.notices(0)[-1].number
        with bench.probe.acting(SILENT):
            await bench.probe.run(LOST_S + bench.slack + 0.3)
            bench.probe.leave()
        await bench.fresh()
    again = await _asked_again(bench, last + 1)
    lnk = [one for one in again if isinstance(one.report, Fault) and one.report.code is FaultCode.LNK_01]
    expect(lnk, f"the link was lost, and the kept reports since {last} are {again}: no LNK-01")
    gone = [one.report for one in again if isinstance(one.report, FaultCleared)]
    expect(any(one.code is FaultCode.LNK_01 for one in gone), "a session is up, and LNK-01 is not cleared")


@REPORTS.requirement(
    "REPLAY-06",
    "at least the last 64 reports are kept",
    "7.1",
    needs=Capability.REPLAY | Capability.VIRTUAL_DICE,
)
async def _sixty_four(bench: Bench) -> str:
    mark = bench.mark()

    def kept() -> list[Notice]:
        return [one for one in bench.notices(mark) if not isinstance(one.report, NEVER_KEPT)]

    await bench.pace(FASTEST)
    while len(kept()) < KEPT + 4:
        asked = await bench.ask(DiceCommit())
        expect(asked.reason in (None, RejectReason.WRONG_STATE), f"DiceCommit: {asked.outcome}")
        await bench.do(RollDice(1))
    await bench.pace(FAST)
    wanted = kept()[-KEPT:]
    again = await _asked_again(bench, wanted[0].number)
    expect(again[-KEPT:] == wanted, f"of the last {KEPT} reports {len(again)} were sent again, or others")
    return f"{len(again)} reports"


async def _make_reports(bench: Bench) -> None:
    """Let something happen that is kept: a roll, a virtual one where there is such."""
    if bench.can(Capability.VIRTUAL_DICE):
        await bench.ask(DiceCommit())
    elif not bench.motion or not bench.can(Capability.DICE, Capability.DICE_SPUN):
        return
    await bench.ask(RollDice(1))


async def _asked_again(bench: Bench, first: int) -> list[Notice]:
    """The old reports that come after GetReports(first)."""
    asked = await bench.do(GetReports(first))
    old = _parted(bench, asked.mark)[1]
    expect(all(one.number >= first for one in old), f"GetReports({first}) sends {old[:1]}")
    return old


def _parted(bench: Bench, mark: int) -> tuple[list[Notice], list[Notice]]:
    """New reports and old ones since ``mark``: those with a number that came before it are old."""
    highest = max((one.number for one in bench.notices(0)[: -len(bench.notices(mark)) or None]), default=0)
    notices = bench.notices(mark)
    return [one for one in notices if one.number > highest], [one for one in notices if one.number <= highest]


# ---- dictionary and fault log ----------------------------------------------------------------------------


async def _dictionary(bench: Bench) -> list[DictionaryEntry]:
    """All entries, read once."""
    if "dictionary" in bench.notes:
        known: list[DictionaryEntry] = bench.notes["dictionary"]
        return known
    entries: list[DictionaryEntry] = []
    while True:
        page = (await bench.do(GetDictionary(len(entries), PAGE))).reports(DictionaryEntry)
        wanted = list(range(len(entries), len(entries) + len(page)))
        expect(
            [one.index for one in page] == wanted, f"entries {[one.index for one in page]}, expected {wanted}"
        )
        entries += page
        if len(page) < PAGE:
            break
    bench.notes["dictionary"] = entries
    return entries


@REPORTS.requirement(
    "DICT-01", "the dictionary can be read entry by entry", "5.1", needs=Capability.DICTIONARY
)
async def _check_dictionary(bench: Bench) -> str:
    entries = await _dictionary(bench)
    expect(entries, "the dictionary has no entries")
    totals = {one.entries for one in entries}
    expect(totals == {len(entries)}, f"entries tell a total of {sorted(totals)}, there are {len(entries)}")
    beyond = (await bench.do(GetDictionary(len(entries), 1))).reports(DictionaryEntry)
    expect(not beyond, f"there is no entry {len(entries)}, and it was sent: {beyond[:1]}")
    middle = (await bench.do(GetDictionary(len(entries) - 1, PAGE))).reports(DictionaryEntry)
    expect(middle == entries[-1:], f"GetDictionary({len(entries) - 1}): {middle}, expected the last entry")
    return f"{len(entries)} entries"


@REPORTS.requirement("DICT-02", "it names every command the board has", "5.1", needs=Capability.DICTIONARY)
async def _commands(bench: Bench) -> None:
    named = {one.code for one in await _dictionary(bench) if one.kind is Entry.COMMAND}
    for opcode, layout in COMMANDS.items():
        if layout.since <= bench.minor and (not layout.needs or bench.can(*layout.needs)):
            expect(opcode in named, f"{layout.cls.__name__} ({opcode:#04x}) is not in the dictionary")


@REPORTS.requirement("DICT-03", "a fault's text is severity|中文|English", "5.1", needs=Capability.DICTIONARY)
async def _fault_texts(bench: Bench) -> str:
    texts: dict[int, str] = {}
    for entry in await _dictionary(bench):
        expect(
            len(entry.text.encode()) <= TEXT_LIMIT,
            f"entry {entry.index} has {len(entry.text.encode())} bytes",
        )
        if entry.kind is Entry.FAULT:
            texts[entry.code] = texts.get(entry.code, "") + entry.text
    known = {int(code): words for code, words in FAULTS.items()}
    for code, text in texts.items():
        parts = text.split("|")
        right = len(parts) == 3 and parts[0] in {"0", "1", "2", "3"} and all(parts)
        expect(right, f"fault {code:#06x} has the text {text!r}, expected severity|中文|English")
        if code in known:
            severity = known[code].severity
            expect(
                int(parts[0]) == severity,
                f"fault {code:#06x} has severity {parts[0]}, expected {severity.value}",
            )
    return f"{len(texts)} faults"


@REPORTS.requirement(
    "LOG-01", "the fault log comes oldest first, before Done", "7.2", needs=Capability.FAULT_LOG
)
async def _fault_log(bench: Bench) -> str:
    records = (await bench.do(GetFaults())).reports(FaultRecord)
    of_boot = [one.at_ms for one in records if one.boot_id == bench.probe.boot_id]
    expect(of_boot == sorted(of_boot), f"faults of this boot at {of_boot} ms, expected oldest first")
    later = [one.boot_id for one in records]
    if bench.probe.boot_id in later:
        first = later.index(bench.probe.boot_id)
        expect(set(later[first:]) == {bench.probe.boot_id}, "faults of an older boot after those of this one")
    return f"{len(records)} records"
