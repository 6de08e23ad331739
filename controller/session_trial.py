"""What an order would do, without doing it: carried out on a twin of the play. Pure."""

import copy
from collections.abc import Callable
from typing import Any, Final

from controller.journal_deals import OutcomeRow
from controller.public_sheets import HandChange, Tried
from controller.session_history import History
from controller.session_inputs import Abandon, Adjust, Correct, Enter, NextMatch, Order, Undo
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, Reply, changes

TRIABLE: Final[tuple[type[Any], ...]] = (Abandon, Adjust, Correct, Enter, NextMatch, Undo)
"""Orders about what is on record; the others do what they say, or wait for the table."""

Obey = Callable[[Play, Order, Notes], tuple[str, str]]


def tried(play: Play, order: Order, notes: Notes, obey: Obey) -> Reply:
    """The answer that the order would get now, said as what would be, with what would change.

    `notes` are thrown away.
    """
    if not isinstance(order, TRIABLE):
        return Reply(done=False, zh="这个命令不能试算", en="this order can't be tried")
    twin = _twin(play)
    try:
        zh, en = obey(twin, order, notes)
    except Refused as refusal:
        return Reply(done=False, zh=refusal.zh, en=refusal.en)
    rows = [row for row in notes.rows if isinstance(row, OutcomeRow)]
    told = Tried(
        hands=tuple(_change(play, twin, row) for row in rows), balances=play.balances, after=twin.balances
    )
    # What the order would be answered speaks of it as done.
    return Reply(
        done=True, zh=f"执行后：{zh}", en=f"once it is done: {en}", changed=changes(notes.rows), tried=told
    )


def _twin(play: Play) -> Play:
    """A play that shares with this one only what never changes; its eyes see nothing."""
    twin = copy.copy(play)
    twin.history = History(list(play.history.deals))
    twin.dice = copy.copy(play.dice)
    twin.answers, twin.accepted = dict(play.answers), set(play.accepted)
    twin.tracker = play.tracker.blind()
    return twin


def _change(play: Play, twin: Play, row: OutcomeRow) -> HandChange:
    place = play.history.index_of(row.deal)
    was = None if place is None else play.history.deals[place].outcome
    known = twin.history.index_of(row.deal)
    hand = twin.history.deals[known].match.hand_no if known is not None else play.shown_hand[0]
    return HandChange(
        deal=row.deal,
        hand_no=hand,
        was="playing" if was is None else was.how,
        how=row.how,
        before=(0, 0, 0, 0) if was is None else was.payments,
        after=row.payments,
    )
