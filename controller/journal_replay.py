"""Plays a journal again: the same inputs at the same times must lead to the same rows. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from controller.journal_inputs import UnreadableInput, input_from
from controller.journal_rows import (
    BootRow,
    DealerNamed,
    DealRow,
    DecisionRow,
    DiceKnown,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    FineRow,
    InputRow,
    OutcomeRow,
    Past,
    Row,
)
from controller.models import TableModel
from controller.session import Session, SessionSettings
from controller.session_effects import Effect, Record
from controller.session_inputs import Input
from rules import sets
from rules.ruleset import RuleSet


class Unreplayable(ValueError):
    """The journal's inputs can't be read; the message says which."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first row that came out otherwise: as written and as replayed, None where one is missing."""

    written: Row | None
    replayed: Row | None


def replayed(boots: Sequence[BootRow], inputs: Iterable[InputRow], model: TableModel) -> Iterator[Row]:
    """Every row that the recorded inputs lead to, start by start, each under its own rule set and options.

    Raises:
        Unreplayable: an input is of no known kind or does not fit it, or a rule set is not known any more.
    """
    written: list[Row] = []
    arrived = list(inputs)
    for boot in boots:
        settings = msgspec.json.decode(boot.settings, type=SessionSettings)
        session = Session(rules_of(boot), model, settings, past_of(written))
        rows = _rows(session.start(boot.at))
        for row in (row for row in arrived if row.boot == boot.boot):
            rows += _rows(session.handle(input_of(row), row.at))
        written += rows
        yield from rows


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


def input_of(row: InputRow) -> Input:
    """The input that a row recorded.

    Raises:
        Unreplayable: it is of no known kind or does not fit it.
    """
    try:
        return input_from(row.kind, row.body)
    except UnreadableInput as error:
        raise Unreplayable(f"at {row.at:.3f}: {error}") from error


def past_of(rows: Sequence[Row]) -> Past:
    """What a start finds after these rows; `Journal.past` reads the same from the file."""
    boots = [row.boot for row in rows if isinstance(row, BootRow)]
    decisions = {row.kind: row.body for row in rows if isinstance(row, DecisionRow)}
    raised = [row for row in rows if isinstance(row, DoubtRow)]
    ended = {row.doubt for row in rows if isinstance(row, DoubtEndRow)}
    deals = [row for row in rows if isinstance(row, DealRow)]
    outcomes = {row.deal: row for row in rows if isinstance(row, OutcomeRow)}
    last = deals[-1] if deals else None
    number = last.deal if last is not None else 0
    return Past(
        boot=max(boots, default=0) + 1,
        doubts=max((row.doubt for row in raised), default=0),
        deal=last,
        events=tuple(row.text for row in rows if isinstance(row, EventRow) and row.deal == number),
        outcome=outcomes.get(number),
        before=outcomes.get(number - 1),
        open_doubts=tuple(row for row in raised if row.deal == number and row.doubt not in ended),
        stage=msgspec.json.decode(decisions["stage"]) if "stage" in decisions else "",
        board=msgspec.json.decode(decisions["board"]) if "board" in decisions else None,
        begun=next(
            (row for row in rows if isinstance(row, BootRow) and last is not None and row.boot == last.boot),
            None,
        ),
        named=msgspec.json.decode(decisions["dealer"], type=DealerNamed) if "dealer" in decisions else None,
        dice=msgspec.json.decode(decisions["dice"], type=DiceKnown) if "dice" in decisions else None,
        fines=tuple(row for row in rows if isinstance(row, FineRow) and row.deal == number),
    )


def _rows(effects: Iterable[Effect]) -> list[Row]:
    return [row for effect in effects if isinstance(effect, Record) for row in effect.rows]


def _padded(rows: Iterable[Row]) -> Iterator[Row | None]:
    yield from rows
    while True:
        yield None
