"""What one person says holds when a second one says the same: only then is it booked. Pure.

People err, and money hangs on what they say: a win, a fine, a tile that somebody wins with later, a hand that
is given up. The first answer to a doubt is therefore kept as a statement that anybody may read and take back;
the second person's carries it out. Where the two differ, the question is put again to both.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto
from typing import Final

from controller.doubts import SEAT_NAMES, Candidate, Doubt, Problem, Statement, event_in_words
from controller.journal_decisions import Said
from controller.session_dice import DICE_DOUBTS
from controller.session_replies import Refused
from controller.tracker import ABANDON, GO_ON
from rules.events import Barred, Entered, Event, FalseWin, WallExhausted, Won
from rules.record import parse_event

ACCEPT: Final = Candidate("就照现在这样结算 (settle as it stands)")
"""The choice of a doubt that offers none: what lies there is as it should be."""

AS_IT_STANDS: Final = "as it stands"
"""The answer that settles a hand that is over although something is still open."""

_MONEY: Final = Won | FalseWin | Barred | WallExhausted | Entered


class Heard(Enum):
    """What an answer has led to."""

    SAID = auto()
    """It waits for a second person."""
    AGREED = auto()
    """Enough people have said it."""
    DISPUTED = auto()
    """Two people differ: the question is put again."""


def persons(found: Problem, choice: Candidate) -> int:
    """How many different people have to choose it: one where nothing of it stays in the deal's record."""
    return 1 if choice == GO_ON or found.kind in DICE_DOUBTS else 2


def chosen(doubt: Doubt, choice: Candidate, author: str, players: Sequence[str]) -> tuple[Heard, Doubt]:
    """What an answer leads to, and the doubt after it.

    Raises:
        Refused: the same person has said the same already.
    """
    if persons(doubt.problem, choice) == 1:
        return Heard.AGREED, doubt
    said = stands(doubt)
    if said is None or doubt.said is None:
        return Heard.SAID, replace(doubt, said=Statement(author, choice, doubt.problem.en))
    same_choice = _is_same(said, choice)
    if person(author, players) == person(doubt.said.author, players):
        if same_choice:
            raise needs_another(doubt.said.author)
        return Heard.SAID, replace(doubt, said=Statement(author, choice, doubt.problem.en))
    if same_choice:
        return Heard.AGREED, doubt
    return Heard.DISPUTED, denied(doubt)


def denied(doubt: Doubt) -> Doubt:
    """The doubt after somebody has said that it is not so as another one has said.

    Raises:
        Refused: nobody has said anything.
    """
    if doubt.said is None:
        raise Refused("还没有人说过什么", "nobody has said anything yet")
    return replace(doubt, said=None, asked=doubt.asked + 1)


def needs_another(author: str) -> Refused:
    """The same person can't confirm what he has said himself."""
    return Refused(
        f"{author}已经说过；要另一个人确认", f"{author} has said so: another person has to confirm it"
    )


def stands(doubt: Doubt) -> Candidate | None:
    """The present choice that says what the statement says, None where there is none or it is not clear.

    While people think the play goes on: a choice may tell more than when it was made. What is added was read
    on the table; an end of the hand or a fine is never added to what somebody has said.
    """
    if doubt.said is None:
        return None
    made = doubt.said.choice
    if not made.events and made != ABANDON and doubt.said.question != doubt.problem.en:
        return None
    offered = (*doubt.problem.candidates, ABANDON, ACCEPT)
    same = next((choice for choice in offered if _is_same(choice, made)), None)
    more = [choice for choice in doubt.problem.candidates if _tells_more(choice, made)]
    return same or (more[0] if more and all(_is_same(one, more[0]) for one in more) else None)


def to_settle(doubt: Doubt, result: Event | None) -> Doubt:
    """A doubt that offers nothing, with the choice to settle the hand that is over as it was told."""
    if result is None or doubt.problem.candidates:
        return doubt
    words = f"{event_in_words(result)}，就这样结算 (settle as it stands)"
    return replace(doubt, problem=replace(doubt.problem, candidates=(Candidate(words, answer=AS_IT_STANDS),)))


def taken_back(doubt: Doubt | None) -> tuple[str, Doubt] | None:
    """The words of what one person has said and the doubt without it; None where nobody has."""
    if doubt is None or doubt.said is None:
        return None
    return doubt.said.choice.text, replace(doubt, said=None)


def person(author: str, players: Sequence[str]) -> str:
    """One name for one person: people call themselves by the seat or by their name."""
    name = " ".join(author.split()).casefold()
    for seat, player in enumerate(players):
        if name in {" ".join(player.split()).casefold(), SEAT_NAMES[seat], f"seat {seat + 1}"}:
            return f"seat {seat + 1}"
    return name


def both(first: str, second: str) -> str:
    """Two people as the author of what they have agreed on."""
    return f"{first} + {second}"


def as_written(doubt: Doubt, statements: Sequence[Said]) -> Doubt:
    """A doubt that was open when the journal ended, with what was said to it."""
    told = next((one for one in statements if one.doubt == doubt.id), None)
    if told is None:
        return doubt
    if not told.author:
        return replace(doubt, asked=told.asked)
    events = tuple(map(parse_event, told.events))
    choice = Candidate(told.text, events, told.answer, told.kept)
    return replace(doubt, said=Statement(told.author, choice, told.question), asked=told.asked)


def _is_same(one: Candidate, other: Candidate) -> bool:
    return replace(one, likelihood=None) == replace(other, likelihood=None)


def _tells_more(choice: Candidate, made: Candidate) -> bool:
    told: tuple[Event, ...] = choice.events[: len(made.events)]
    added = choice.events[len(made.events) :]
    return (
        bool(made.events)
        and (choice.kept, choice.answer) == (made.kept, made.answer)
        and told == made.events
        and not any(isinstance(event, _MONEY) for event in added)
    )
