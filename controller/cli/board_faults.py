"""Faults as a technician reads them: what, when, what the board did, the evidence, what to do. Pure."""

from collections.abc import Sequence

from controller.cli.board_text import rows, wrapped
from controller.cli.board_words import SEVERITIES, both, side_name
from controller.machine_advice import ADVICE, UNKNOWN_ADVICE
from firmware_bridge.fault_actions import ACTIONS
from firmware_bridge.faults import FaultCode, UnknownFault, words
from firmware_bridge.messages import Fault, FaultRecord
from firmware_bridge.states import Key

MORE = "       "


def standing(faults: Sequence[Fault]) -> list[str]:
    """Every fault that stands, explained."""
    if not faults:
        return ["没有故障 no fault stands"]
    lines: list[str] = []
    for fault in faults:
        lines += ["", *explained(fault)] if lines else explained(fault)
    return lines


def explained(fault: Fault) -> list[str]:
    """One fault: its name, why the board says it, its evidence, and the steps against it."""
    text = words(fault.code, fault.severity)
    side = "" if fault.side is None else f"  {side_name(fault.side)}"
    lines = [f"● {fault.code.label}  {text.zh} {text.en}{side}", f"  {both(SEVERITIES[fault.severity])}"]
    known = ACTIONS.get(fault.code) if isinstance(fault.code, FaultCode) else None
    if known is not None:
        lines += wrapped(known.when, first="  原因 because   ", rest=" " * 17)
        lines += wrapped(known.action, first="  机器 the board ", rest=" " * 17)
    lines += wrapped(evidence(fault.code, fault.evidence), first="  依据 evidence  ", rest=" " * 17)
    lines.append("  怎么办 what to do")
    for number, (zh, en) in enumerate(steps(fault.code), 1):
        lines += wrapped(zh, first=f"    {number}. ", rest=MORE)
        lines += wrapped(en, first=MORE, rest=MORE)
    return lines


def steps(code: FaultCode | UnknownFault) -> tuple[tuple[str, str], ...]:
    """What to do about a fault, step by step."""
    return ADVICE.get(code, UNKNOWN_ADVICE) if isinstance(code, FaultCode) else UNKNOWN_ADVICE


def evidence(code: FaultCode | UnknownFault, number: int) -> str:
    """What the number of a fault says."""
    meaning = ACTIONS[code].evidence if code in ACTIONS and isinstance(code, FaultCode) else None
    if meaning is None:
        return f"{number} (the maker knows what it means)"
    if not meaning:
        return "–"
    if code is FaultCode.CON_01 and number in {key.value for key in Key}:
        return f"{Key(number).name} ({meaning})"
    return f"{number} ({meaning})"


def log(records: Sequence[FaultRecord], boot_id: int) -> list[str]:
    """The board's own record, oldest first; times on each boot's clock."""
    if not records:
        return ["故障记录为空 the fault log is empty"]
    head = ("启动 boot", "时间 at", "代码", "边", "依据", "", "故障 fault")
    cells = [head] + [
        (
            "本次 this" if record.boot_id == boot_id else f"{record.boot_id:08x}",
            clock(record.at_ms),
            record.code.label,
            "–" if record.side is None else str(record.side),
            str(record.evidence),
            "已消" if record.cleared else "还在",
            f"{words(record.code).zh} {words(record.code).en}",
        )
        for record in records
    ]
    return rows(cells)


def clock(ms: int) -> str:
    """The board's clock since its start: 1:02:03.4."""
    seconds = ms / 1000
    return f"{int(seconds // 3600)}:{int(seconds // 60) % 60:02}:{seconds % 60:04.1f}"
