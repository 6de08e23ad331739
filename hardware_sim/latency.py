"""How long it takes from a discard's coming to rest to its event, stage by stage, out of the files of a run.

    python -m hardware_sim.latency --truth truth.jsonl --journal journal.db --heard heard.jsonl --json

`heard` has one JSON object a line for each discard that came over MQTT: {"at": seconds since 1970, "seat",
"tile"}. A discard's stages are: lying to read (camera and agreeing reads), read to event (the tracker and the
journal; where a set or anything else is open, the table at rest), event to heard (MQTT).
"""

import math
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click
import msgspec

from controller.journal import JournalError, JournalReader
from controller.journal_deals import EventRow, RevisionRow
from controller.journal_rows import InputRow
from hardware_sim.truth import EventTruth, Lain, read_truth
from rules.events import Discarded
from rules.record import parse_event
from vision.observations import Appeared

POND_V: Final = (110.0, 255.0)
NEAR_MM: Final = 15.0
LONGEST_S: Final = 30.0


class HeardDiscard(msgspec.Struct, frozen=True):
    """A discard that came over MQTT."""

    at: float
    seat: int
    tile: str


class Discard(msgspec.Struct, frozen=True, kw_only=True):
    """One discard: seconds since 1970 at which it lay, was read, was an event, was heard."""

    lay: float
    read: float
    decided: float
    heard: float


class Stage(msgspec.Struct, frozen=True):
    """Seconds: half of all are faster than `p50`, 99 of 100 faster than `p99`."""

    p50: float
    p99: float


class Latency(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints.

    Of the tiles that were discarded, `left_out` have no times: never read, never told, or not where they lay.
    `taken_back` counts how often the table showed that it was otherwise than told.
    """

    discards: int
    left_out: int
    taken_back: int
    lying_to_heard: Stage
    lying_to_read: Stage
    read_to_event: Stage
    event_to_heard: Stage


def discards(
    lain: Iterable[Lain],
    inputs: Iterable[InputRow],
    events: Iterable[EventRow],
    heard: Sequence[HeardDiscard],
) -> tuple[Discard, ...]:
    """Every discard that lay where it was read and was heard of; others are left out."""
    lying = [(line.at, face, x, y) for line in lain for _, face, x, y in line.tiles]
    read = [
        (row.at, msgspec.json.decode(row.body, type=Appeared)) for row in inputs if row.kind == "Appeared"
    ]
    waiting = list(heard)
    found = []
    for row in events:
        event = parse_event(row.text)
        if not isinstance(event, Discarded):
            continue
        told = next((h for h in waiting if (h.seat, h.tile) == (event.seat, str(event.tile))), None)
        if told is None:
            continue
        waiting.remove(told)
        lay = _last(lying, event, row.at)
        seen = None if lay is None else _read(read, lay, row.at)
        if lay is not None and seen is not None:
            found.append(Discard(lay=lay[0], read=seen, decided=row.at, heard=told.at))
    return tuple(found)


Lay = tuple[float, str, float, float]


def _last(lying: Sequence[Lay], event: Discarded, before: float) -> Lay | None:
    """The tile of this face that came to lie last in the seat's pond."""
    for lay in reversed(lying):
        at, face, x, y = lay
        v = (y, x, -y, -x)[event.seat]
        u = (x, -y, -x, y)[event.seat]
        in_pond = POND_V[0] < v < POND_V[1] and abs(u) < POND_V[1]
        if face == str(event.tile) and in_pond and before - LONGEST_S < at < before:
            return lay
    return None


def _read(read: Sequence[tuple[float, Appeared]], lay: Lay, before: float) -> float | None:
    at, face, x, y = lay
    return next(
        (
            when
            for when, seen in reversed(read)
            if at <= when <= before and seen.tile == face and math.hypot(seen.x - x, seen.y - y) < NEAR_MM
        ),
        None,
    )


def latency(found: Sequence[Discard], *, discarded: int, taken_back: int) -> Latency:
    """The stages of all discards that have times, of so many that were laid.

    Raises:
        ValueError: there is none.
    """
    if not found:
        raise ValueError("no discard was read and heard of; play at least a hand")
    return Latency(
        discards=len(found),
        left_out=discarded - len(found),
        taken_back=taken_back,
        lying_to_heard=_stage([one.heard - one.lay for one in found]),
        lying_to_read=_stage([one.read - one.lay for one in found]),
        read_to_event=_stage([one.decided - one.read for one in found]),
        event_to_heard=_stage([one.heard - one.decided for one in found]),
    )


def _stage(seconds: Sequence[float]) -> Stage:
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return round(ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)], 3)

    return Stage(at(0.5), at(0.99))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--truth", required=True, type=click.Path(path_type=Path))
@click.option("--journal", required=True, type=click.Path(path_type=Path))
@click.option("--heard", required=True, type=click.Path(path_type=Path))
def command(*, truth: Path, journal: Path, heard: Path) -> None:
    """Print the stages from a discard's rest to its event on MQTT as one JSON object."""
    try:
        lines = read_truth(truth)
        lain = [line for line in lines if isinstance(line, Lain)]
        happened = [parse_event(line.text) for line in lines if isinstance(line, EventTruth)]
        discarded = sum(isinstance(event, Discarded) for event in happened)
        told = [msgspec.json.decode(line, type=HeardDiscard) for line in heard.read_bytes().splitlines()]
        with JournalReader(journal) as reader:
            found = discards(lain, reader.rows(InputRow), reader.rows(EventRow), told)
            revised = len(list(reader.rows(RevisionRow)))
        measured = latency(found, discarded=discarded, taken_back=revised)
        click.echo(msgspec.json.encode(measured).decode())
    except (ValueError, JournalError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}") from error


def main() -> None:
    """Run the program; what is wrong is said in one line."""
    try:
        command(standalone_mode=False)
    except click.ClickException as error:
        sys.exit(f"latency: {error.format_message()}")


if __name__ == "__main__":
    main()
