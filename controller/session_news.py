"""What of a retained topic is news: worth publishing, and worth a number of its own. Pure."""

import msgspec

from controller.public import (
    Corrections,
    Counters,
    Doubts,
    HandState,
    Payload,
    Ranking,
    Scores,
    TableSnapshot,
)


def is_same(known: Payload | None, payload: Payload) -> bool:
    """Whether nothing people look at has changed; what always changes is left to the heartbeat."""
    if known is not None and _says_nothing(payload):
        return _says_nothing(known)
    if isinstance(known, Counters) and isinstance(payload, Counters):
        return known == msgspec.structs.replace(
            payload,
            uptime_s=known.uptime_s,
            read_fps=known.read_fps,
            serial_frames=known.serial_frames,
            serial_retransmitted=known.serial_retransmitted,
        )
    return known == payload


def is_news(known: Payload | None, payload: Payload) -> bool:
    """Whether a payload that is published instead of `known` gets a number of its own.

    Journals hold numbers, and those from before something was told have to lead to the same ones again.
    """
    return not _says_nothing(payload) if known is None else _bare(known) != _bare(payload)


def _says_nothing(payload: Payload) -> bool:
    """An empty list of corrections is no news: journals from before there was one keep their numbers."""
    return isinstance(payload, Corrections) and not payload.corrections


def _bare(payload: Payload) -> Payload:
    """Without what is told beside the state."""
    match payload:
        case Scores() | Ranking():
            return msgspec.structs.replace(payload, history=())
        case TableSnapshot():
            return msgspec.structs.replace(payload, next_dealer=None)
        case HandState():
            return msgspec.structs.replace(payload, warnings=())
        case Doubts():
            told = (msgspec.structs.replace(doubt, pictures=()) for doubt in payload.doubts)
            return msgspec.structs.replace(payload, doubts=tuple(told))
    return payload
