"""What people should know of the machine now: every alarm in words, the most urgent first. Pure."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from controller.broker_words import BROKER_CODES
from controller.camera_words import DRIFT_CODE
from controller.machine_advice import ADVICE, CALL, PLAY_ON, UNKNOWN_ADVICE, Steps
from controller.machine_stages import Stage
from controller.machine_state import Failure, Machine, Standing, Trouble
from controller.machine_words import (
    CAUSES,
    COMMAND_CODE,
    COMMAND_WORDS,
    CONDITIONS,
    DICE_CODE,
    HALTED_CODE,
    HELD_CODE,
    LINK_CODE,
    LOCK_CODE,
    LOST_ZH,
    MAINTENANCE_CODE,
    NOISE_CODE,
    POSITION_CODE,
    REFUSALS,
    STOP_CODE,
    TOPUP_CODE,
    UNCLEAR_WORDS,
    VERSION_CODE,
    WRONG_BOARD_CODE,
)
from firmware_bridge.abilities import version_trouble
from firmware_bridge.faults import FaultCode, words
from firmware_bridge.link import VERSION
from firmware_bridge.states import FailCause, Loss, RejectReason, Severity, State, StatusFlag

_LOSSES: Final[dict[Loss, str]] = {
    Loss.PORT: LINK_CODE,
    Loss.HELD: HELD_CODE,
    Loss.LINK: LINK_CODE,
    Loss.WRONG_BOARD: WRONG_BOARD_CODE,
    Loss.NOISE: NOISE_CODE,
}

_AT_WORK: Final = frozenset({State.MAINTENANCE, State.SELF_TEST})
_AFTER_THE_HAND: Final[Steps] = (
    PLAY_ON,
    ("打完这一局，手离开桌面，再按升降键", "after the hand, hands off the table, press the lift key"),
    CALL,
)
_COUNTED: Final = frozenset({FaultCode.CNT_01, FaultCode.CNT_03})
"""Faults that leave walls unfinished, so that it is told which."""

_CAN_WAIT: Final = BROKER_CODES | {DRIFT_CODE}
"""Notices of what does not touch the game at the table."""

_URGENCY: Final[dict[Severity, int]] = {
    Severity.PROTECTIVE_STOP: 1,
    Severity.STOP_CYCLE: 2,
    Severity.WARN: 5,
}

Found = Iterator[tuple[int, Trouble]]
"""Urgency (0 first) and trouble."""


def with_troubles(machine: Machine, now: float) -> Machine:
    """The machine with its list of troubles brought up to date; one that lasts keeps its time."""
    since = {trouble.code: trouble.since for trouble in machine.troubles}
    found = [*_link(machine, now), *_faults(machine), *_failure(machine), *_conditions(machine, now)]
    found += [(5 if notice.code in _CAN_WAIT else 2, notice) for notice in machine.notices]
    dated = [(rank, replace(one, since=since.get(one.code, one.since))) for rank, one in found]
    ordered = sorted(dated, key=lambda pair: (pair[0], pair[1].since))
    troubles = tuple(trouble for _, trouble in ordered)
    return machine if troubles == machine.troubles else replace(machine, troubles=troubles)


def condition(code: str, now: float, zh: str = "", en: str = "", steps: Steps | None = None) -> Trouble:
    """The trouble `code` with its particulars filled in."""
    told = CONDITIONS[code]
    return Trouble(code, told.zh.format(zh), told.en.format(en), now, told.steps if steps is None else steps)


def _link(machine: Machine, now: float) -> Found:
    if machine.lost_at is not None:
        zh = LOST_ZH.get(machine.lost, machine.lost)
        yield 0, condition(_LOSSES[machine.loss], machine.lost_at, zh, machine.lost)
    version = None if machine.board is None else version_trouble(machine.board, VERSION)
    if version is not None:
        yield 0, condition(VERSION_CODE, now, version.zh, str(version))


def _faults(machine: Machine) -> Found:
    for fault in machine.faults:
        if fault.severity is not Severity.INFO:
            yield _URGENCY[fault.severity], _fault(machine, fault)


def _fault(machine: Machine, fault: Standing) -> Trouble:
    text = words(fault.code, fault.severity)
    zh, en = text.zh, text.en
    known = fault.code if isinstance(fault.code, FaultCode) else None
    sides: tuple[int, ...] = () if fault.side is None else (fault.side,)
    if known in _COUNTED:
        zh_missing, en_missing, sides = _missing(machine, fault.evidence)
        zh, en = zh + zh_missing, en + en_missing
    elif known is FaultCode.CNT_02 and fault.evidence:
        zh, en = f"{zh}：多{fault.evidence}张", f"{en}: {fault.evidence}"
    elif fault.side is not None:
        zh, en = f"{zh}（{fault.side + 1}号位）", f"{en} (side {fault.side + 1})"
    steps = UNKNOWN_ADVICE if known is None else ADVICE[known]
    return Trouble(fault.code.label, zh, en, fault.since, steps, sides)


def _missing(machine: Machine, number: int) -> tuple[str, str, tuple[int, ...]]:
    """How many tiles are missing, and on which sides the walls are not complete."""
    zh = f"：缺{number}张" if number else ""
    en = f": {number}" if number else ""
    if machine.status is None:
        return zh, en, ()
    staged = machine.status.staged
    gaps = [
        (side, 2 * stacks - there)
        for side, (stacks, there) in enumerate(zip(machine.stacks, staged, strict=True))
    ]
    gaps = [(side, gap) for side, gap in gaps if gap > 0]
    if not gaps:
        return zh, en, ()
    zh_sides = "，".join(f"{side + 1}号位缺{gap}张" for side, gap in gaps)
    en_sides = ", ".join(f"side {side + 1} lacks {gap}" for side, gap in gaps)
    return f"{zh}（{zh_sides}）", f"{en} ({en_sides})", tuple(side for side, _ in gaps)


def _failure(machine: Machine) -> Found:
    """The command that came to nothing, unless a fault that is shown says it better."""
    failure = machine.failure
    if failure is None:
        return
    if failure.how == "failed" and any(fault.severity >= Severity.STOP_CYCLE for fault in machine.faults):
        return
    yield 2, _failed(failure)


def _failed(failure: Failure) -> Trouble:
    name_zh, name_en = COMMAND_WORDS.get(type(failure.command), (type(failure.command).__name__,) * 2)
    refused = failure.how == "refused"
    zh, en, steps = _why(failure)
    did_zh, did_en = ("没有开始", "was not begun") if refused else ("没有做完", "was not finished")
    return Trouble(
        COMMAND_CODE,
        f"{name_zh}{did_zh}：{zh}（{failure.detail}）",
        f"{name_en} {did_en}: {en} ({failure.detail})",
        failure.since,
        steps,
    )


def _why(failure: Failure) -> tuple[str, str, Steps]:
    again: Steps = (
        ("看清没有东西卡住，再按升降键", "see that nothing is stuck, then press the lift key"),
        CALL,
    )
    if failure.how == "refused" and failure.detail in RejectReason.__members__:
        return REFUSALS[RejectReason[failure.detail]]
    if failure.detail in FailCause.__members__:
        return *CAUSES[FailCause[failure.detail]], again
    if failure.detail in FaultCode.__members__:
        code = FaultCode[failure.detail]
        text = words(code)
        return text.zh, text.en, ADVICE.get(code, again)
    return "控制板不能", "the board can not", again


def _conditions(machine: Machine, now: float) -> Found:
    """What the board's regions and flags show beside its faults."""
    status = machine.status
    if status is None or machine.board is None:
        return
    stands = {fault.severity for fault in machine.faults}
    if machine.stopped and Severity.PROTECTIVE_STOP not in stands:
        yield 1, condition(STOP_CODE, now)
    if status.safety in _AT_WORK:
        yield 1, condition(MAINTENANCE_CODE, now)
    unclear = [
        UNCLEAR_WORDS[state] for state in (status.hatch, status.walls, status.lower) if state in UNCLEAR_WORDS
    ]
    if unclear:
        zh, en = "，".join(zh for zh, _ in unclear), ", ".join(en for _, en in unclear)
        steps = _AFTER_THE_HAND if machine.stage is Stage.PLAYING else None
        yield 3, condition(POSITION_CODE, now, zh, en, steps)
    if status.lower is State.TOPUP_PAUSED:
        yield 3, condition(TOPUP_CODE, now)
    if StatusFlag.LOCKED in status.flags:
        yield 4, condition(LOCK_CODE, now)
    yield from ((4, condition(code, now)) for code in _waiting(machine))


def _waiting(machine: Machine) -> Iterator[str]:
    """Stages in which the table waits for a key and nothing else says why."""
    if machine.stage is Stage.WALLS and machine.before is Stage.ROLLING:
        yield DICE_CODE
    if machine.stage is Stage.HALTED:
        yield HALTED_CODE
