"""Deals given as records, laid on a table before a session: what people then see, as text."""

from dataclasses import replace

from evening import Evening

from controller.public import HandState, Settlement, TableSnapshot
from hardware_sim.layout_bodies import BODIES, Bodies, Slot, face
from hardware_sim.layout_moves import follow
from rules.events import DealStarted, Drew, Event, IndicatorTurned
from rules.record import format_event
from rules.table import apply, new_table
from rules.tiles import Tile


class Pile:
    """All bodies that are still in the wall, to be taken by their faces."""

    def __init__(self) -> None:
        self.left = list(range(BODIES))

    def take(self, tile: Tile) -> int:
        body = next(body for body in self.left if face(body) is tile)
        self.left.remove(body)
        return body


def lay(evening: Evening, record: tuple[Event, ...], *, fetched: bool) -> list[tuple[Event, int]]:
    """Play the record's deal; with every event the number of messages published up to then."""
    start = record[0]
    assert isinstance(start, DealStarted)
    assert start.dice is not None
    assert start.hands is not None
    evening.prepare(start.dice)
    pile = Pile()
    bodies = Bodies(racks=tuple(tuple(pile.take(tile) for tile in hand) for hand in start.hands))
    state = new_table(evening.rules)
    told = []
    for event in record:
        if isinstance(event, IndicatorTurned | Drew):
            bodies = replace(bodies, wall=((Slot(0, 0, 0), pile.take(event.tile)),))
        bodies = follow(bodies, event, wild=state.wild, fetch=fetched)
        state = apply(state, event, evening.rules)
        evening.show(bodies)
        evening.wait(1.0)
        told.append((event, len(evening.log.published)))
    evening.wait(3.0)
    evening.finish()
    return told


def in_words(record: tuple[Event, ...], *, fetched: bool) -> str:
    """The record, and under every event that changed it what people see; at the end the settlement."""
    evening = Evening(0)
    lines: list[str] = []
    shown: dict[str, list[str]] = {}

    def news(first: int, last: int | None) -> None:
        for topic, payload in evening.log.published[first:last]:
            seen = _seen(payload) if topic.startswith("state/") else []
            if seen and shown.get(topic) != seen:
                shown[topic] = seen
                lines.extend(f"    {line}" for line in seen)

    before = len(evening.log.published)
    for event, count in lay(evening, record, fetched=fetched):
        lines.append(format_event(event))
        news(before, count)
        before = count
    lines.append("# the next hand")
    news(before, None)
    return "\n".join(lines) + "\n"


def _seen(payload: object) -> list[str]:
    match payload:
        case HandState():
            ponds = " ".join(str(len(pond)) for pond in payload.ponds)
            hands = " ".join(map(str, payload.concealed))
            last = payload.last_discard
            melds = [
                f"{seat}:{meld.kind} {' '.join(meld.tiles)}"
                for seat, row in enumerate(payload.melds)
                for meld in row
            ]
            open_sets = ", ".join(melds) or "-"
            discard = "-" if last is None else f"{last.seat} {last.tile}"
            counts = f"turn {payload.turn} | left {payload.tiles_left} | concealed {hands} | ponds {ponds}"
            return [f"{counts} | last {discard} | {open_sets}"]
        case TableSnapshot():
            return [f"{payload.phase} | 龙 {payload.dragon}"]
        case Settlement():
            return _settled(payload)
    return []


def _settled(payload: Settlement) -> list[str]:
    if payload.drawn:
        return ["drawn"]
    lines = [f"{line.zh} {line.value} ({line.article})" for line in payload.lines]
    source = "" if payload.from_seat is None else f" from {payload.from_seat}"
    return [
        f"seat {payload.winner} {payload.how}{source} with {' '.join(payload.hand)}",
        *lines,
        f"pays {' '.join(f'{change:+d}' for change in payload.payments)}",
        f"has {' '.join(map(str, payload.balances))}",
    ]
