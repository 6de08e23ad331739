"""What camera, journal and broker tell of themselves; people read it among the machine's troubles. Pure."""

from controller.broker_words import BROKER_CODES
from controller.camera_words import CAMERA_CODES, DRIFT_CODE
from controller.machine import Machine, with_eyes, with_trouble, without_trouble
from controller.machine_seen import camera_is_back
from controller.machine_troubles import condition
from controller.machine_words import RECORD_CUT_CODE, UNRECORDED_CODE
from controller.session_inputs import (
    BrokerMended,
    BrokerState,
    BrokerTrouble,
    NotRecorded,
    Pictured,
    RecordCut,
    Recorded,
    RecordState,
)
from controller.session_notes import Notes
from controller.session_play import Play
from vision.observations import CameraBack, CameraLost, Drift


def camera_told(machine: Machine, seen: object, now: float) -> Machine:
    """The machine after an observation: whether it has eyes, and what is wrong with them; `now` in s."""
    machine = with_eyes(machine, eyes=not isinstance(seen, CameraLost))
    if isinstance(seen, Drift):
        return _drifted(machine, seen, now)
    if isinstance(seen, CameraBack):
        machine = camera_is_back(machine, now)
    stands = CAMERA_CODES[seen.trouble] if isinstance(seen, CameraLost) else ""
    for code in {notice.code for notice in machine.notices} & (set(CAMERA_CODES.values()) - {stands}):
        machine = without_trouble(machine, code, now)
    if isinstance(seen, CameraLost):
        machine = with_trouble(machine, condition(stands, now, seen.reason, seen.reason))
    return machine


def _drifted(machine: Machine, seen: Drift, now: float) -> Machine:
    """A camera that has moved is told until it is back, or calibrated where it is."""
    machine = without_trouble(machine, DRIFT_CODE, now)
    if seen.mm > 0:
        told = f"{seen.mm:.0f}"
        machine = with_trouble(machine, condition(DRIFT_CODE, now, told, told))
    return machine


def shell_told(machine: Machine, play: Play, told: RecordState | BrokerState, notes: Notes) -> Machine:
    """The journal takes no more, takes it again, or was found damaged; pictures lie beside it; the broker."""
    match told:
        case BrokerTrouble() | BrokerMended():
            return _broker_told(machine, told, notes.now)
        case Pictured(doubt, names):
            notes.decide("pictures", told)
            if doubt is not None:
                play.pictured(doubt, names)
        case NotRecorded(zh, en):
            play.record(notes, taken=False)
            return with_trouble(machine, condition(UNRECORDED_CODE, notes.now, zh, en))
        case Recorded():
            play.record(notes, taken=True)
            return without_trouble(machine, UNRECORDED_CODE, notes.now)
        case RecordCut(zh, en):
            play.record_cut(zh, en, notes)
            return with_trouble(machine, condition(RECORD_CUT_CODE, notes.now, zh, en))
    return machine


def _broker_told(machine: Machine, told: BrokerState, now: float) -> Machine:
    """The machine after a word about its broker; a code that is not known says nothing."""
    if told.code not in BROKER_CODES:
        return machine
    if isinstance(told, BrokerTrouble):
        return with_trouble(machine, condition(told.code, now, told.detail, told.detail))
    return without_trouble(machine, told.code, now)


def record_confirmed(machine: Machine, play: Play, now: float) -> Machine:
    """People have said what the points are: the damage to the record is no news any more."""
    if play.match.certain and any(each.code == RECORD_CUT_CODE for each in machine.notices):
        return without_trouble(machine, RECORD_CUT_CODE, now)
    return machine
