"""Plays a journal again: the same inputs at the same times must lead to the same rows. Pure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import msgspec

from controller import models
from controller.journal_deals import DoubtRow, OutcomeRow
from controller.journal_inputs import UnreadableInput, input_from
from controller.journal_past import PastSoFar
from controller.journal_rows import ROWS, AckRow, BootRow, GapRow, InputRow, Row
from controller.journal_schema import DEFAULTS, Cells, cells_of, row_of
from controller.journal_start import Past
from controller.models import TableModel, UnknownModel
from controller.session import Session, SessionSettings, Unfit
from controller.session_effects import Effect, Record
from controller.session_inputs import Input
from controller.session_restore import RecordBroken
from rules import sets
from rules.ruleset import RuleSet

NOT_COMPARED: tuple[type[Row], ...] = (AckRow, BootRow, GapRow)
"""Rows that are written beside the session and follow from no input; a start itself is like an input."""

REPLAYED: tuple[type[Row], ...] = tuple(kind for kind in ROWS if kind not in NOT_COMPARED)


class Unreplayable(ValueError):
    """The journal's inputs can't be read or taken; the message says which."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first row that came out otherwise: as written and as replayed, None where one is missing."""

    written: Row | None
    replayed: Row | None


def replayed(
    boots: Sequence[BootRow],
    inputs: Iterable[InputRow],
    model: TableModel | None = None,
    *,
    so_far: PastSoFar | None = None,
) -> Iterator[Row]:
    """Every row that the recorded inputs lead to, start by start, each under its own rule set and options.

    Boots and inputs come in the order in which they were written. `model` stands for the one that each start
    names. `so_far` is what was before the first of these starts.

    Raises:
        Unreplayable: an input is of no known kind or does not fit it, a rule set or table model is not known
            any more, or a start can't go on from what was written before it.
    """
    so_far = so_far or PastSoFar()
    groups = groupby(inputs, key=lambda row: row.boot)
    waiting = next(groups, None)
    for boot in boots:
        session = _session(boot, model, so_far.past())
        for row in _rows(session.start(boot.at)):
            so_far.add(row)
            yield row
        while waiting is not None and waiting[0] <= boot.boot:
            for came in waiting[1] if waiting[0] == boot.boot else ():
                for row in _rows(session.handle(input_of(came), came.at)):
                    so_far.add(row)
                    yield row
            waiting = next(groups, None)


def _session(boot: BootRow, model: TableModel | None, past: Past) -> Session:
    try:
        settings = msgspec.json.decode(boot.settings, type=SessionSettings)
        if "two_people" not in msgspec.json.decode(boot.settings, type=dict[str, msgspec.Raw]):
            settings = replace(settings, two_people=False)
        return Session(rules_of(boot), model or models.load(boot.model), settings, past)
    except (msgspec.MsgspecError, UnknownModel, Unfit, RecordBroken) as error:
        raise Unreplayable(f"start {boot.boot}: {error}") from error


def rules_of(boot: BootRow) -> RuleSet:
    """The rule set of a start, with its options; the defaults where none were written.

    Raises:
        Unreplayable: there is no such rule set, or it takes these options no more.
    """
    try:
        return sets.load(boot.rules, boot.options or {})
    except ValueError as error:
        raise Unreplayable(f"start {boot.boot}: {error}") from error


def first_difference(written: Iterable[Row], again: Iterable[Row]) -> Difference | None:
    """Where two journals part: deal by deal what happened, was doubted and was settled."""
    for one, other in zip(_padded(written), _padded(again), strict=False):
        if one is None and other is None:
            return None
        if one != other:
            return Difference(one, other)
    return None


ADDED: Mapping[type[Row], tuple[str, ...]] = {
    OutcomeRow: ("before", "fined"),
    DoubtRow: ("resolved_by", "likelihoods"),
}
"""Columns that rows of older schemas lack. Who writes them fills in the first: where that is at its default,
the row is older and was brought along, and none of these is what its program has written."""


def _compared(kind: type[Row], stored: Cells) -> Iterator[str]:
    """The columns that this row was written with."""
    marks = ADDED.get(kind, ())
    older = bool(marks) and stored.get(marks[0]) == DEFAULTS[kind.table].get(marks[0])
    return (name for name in stored if not (older and name in marks))


def parting(
    written: Mapping[type[Row], Iterator[Cells]],
    again: Iterable[Row],
    *,
    told: Callable[[Row], None] = lambda _: None,
) -> Difference | None:
    """The first row that is not written byte for byte as it comes out again; `told` hears every row before.

    `written` are the stored cells of each kind, in their order, with the columns the file has.

    Raises:
        Unreplayable: see `replayed`.
    """
    for row in again:
        kind = type(row)
        if kind not in written:
            told(row)
            continue
        stored = next(written[kind], None)
        if stored is None:
            return Difference(None, row)
        cells = cells_of(row)
        if any(cells[name] != stored[name] for name in _compared(kind, stored)):
            return Difference(row_of(kind, stored), row)
        told(row)
    for kind, rest in written.items():
        left = next(rest, None)
        if left is not None:
            return Difference(row_of(kind, left), None)
    return None


def input_of(row: InputRow) -> Input:
    """The input that a row recorded.

    Raises:
        Unreplayable: it is of no known kind or does not fit it.
    """
    try:
        return input_from(row.kind, row.body)
    except UnreadableInput as error:
        raise Unreplayable(f"at {row.at:.3f}: {error}") from error


def past_of(rows: Iterable[Row]) -> Past:
    """What a start finds after these rows; `Journal.past` reads the same from the file."""
    so_far = PastSoFar()
    for row in rows:
        so_far.add(row)
    return so_far.past()


def _rows(effects: Iterable[Effect]) -> Iterator[Row]:
    return (row for effect in effects if isinstance(effect, Record) for row in effect.rows)


def _padded(rows: Iterable[Row]) -> Iterator[Row | None]:
    yield from rows
    while True:
        yield None
