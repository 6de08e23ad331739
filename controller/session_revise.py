"""A deal's record is told otherwise: its last event is taken back, or others stand in its place. Pure."""

from typing import Literal

from controller.doubts import DoubtKind
from controller.journal_deals import RevisionRow
from controller.match import Match
from controller.public import RevisedEvent
from controller.session_dice import DICE_DOUBTS
from controller.session_history import difference
from controller.session_inputs import Adjust, Undo
from controller.session_match import move_points
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, no_deal
from controller.session_witness import taken_back
from rules.events import DealStarted, Drew, Event, IllegalEvent
from rules.record import format_event
from rules.scoring import Unsettled, fines
from rules.state import Balances, TableState
from rules.table import replay

_STAND = DICE_DOUBTS | {DoubtKind.DEALER, DoubtKind.POINTS}
"""Doubts that no event of the deal has raised."""


def undo(play: Play, order: Undo, notes: Notes) -> tuple[str, str]:
    """What one person has said and nobody has confirmed is taken back, else the last event of the deal.

    The draws that the event led to did not happen either.

    Raises:
        Refused: no deal is running, or nothing has happened in it.
    """
    if not play.playing:
        raise no_deal()
    said = taken_back(play.doubt)
    if said is not None:
        words, play.doubt = said
        notes.said(play.doubt, play.ruling)
        return f"已收回：{words}", f"no longer said: {words}"
    log = play.table.log
    place = max((n for n, event in enumerate(log) if not isinstance(event, Drew | DealStarted)), default=None)
    if place is None:
        raise Refused("这一局还没有可以撤回的", "nothing has happened that could be taken back")
    revise(play, log[:place], order.author, notes, undone=log[place])
    text = format_event(log[place])
    return f"已撤回：{text}", f"taken back: {text}"


def revise(  # noqa: PLR0913 - all that a revision tells of
    play: Play,
    log: tuple[Event, ...],
    author: str,
    notes: Notes,
    *,
    undone: Event | None = None,
    said: int | None = None,
) -> None:
    """The record of the running deal is `log`; what false wins in it cost is paid or paid back.

    `undone` is the event that was taken back, `said` how many events of the log a person has vouched for.

    Raises:
        Refused: the rules do not allow it; nothing has changed.
    """
    table = replayed(log, play)
    fined = fined_in(table, play)
    changes = difference(fined, play.fined)
    if any(changes):
        _require_certain(play.match)
        reason = "炸胡更正 (a false win is corrected)"
        move_points(play, Adjust(changes, reason, author), notes)
        notes.standing(play.match, play.before if play.playing else None)
    play.revised += 1
    how: Literal["undone", "corrected"] = "corrected" if undone is None else "undone"
    notes.write(
        RevisionRow(
            revision=play.revised,
            deal=play.deal,
            boot=notes.boot,
            at=notes.now,
            how=how,
            n=play.written,
            events=tuple(map(format_event, log)),
            balances=play.match.balances,
            author=author,
            undone=None if undone is None else format_event(undone),
            fined=fined,
        )
    )
    _tell(play, how, author, notes)
    play.table, play.fined, play.undone = table, fined, undone
    play.said = min(play.said, len(log)) if said is None else said
    play.tracker.retell()
    play.answers, play.lifted = {}, False
    if play.doubt is not None and play.doubt.problem.kind not in _STAND:
        play.end_doubt("withdrawn", None, author, notes)


def _require_certain(match: Match) -> None:
    if not match.certain:
        raise Refused(
            "前面有一局没有结算，先确认各家分数", "an earlier hand was not settled: confirm the points first"
        )


def replayed(log: tuple[Event, ...], play: Play) -> TableState:
    """The table after these events.

    Raises:
        Refused: the rules do not allow one of them.
    """
    try:
        return replay(log, play.rules)
    except IllegalEvent as error:
        raise Refused(f"规则不允许：{error}", f"the rules do not allow it: {error}") from error


def fined_in(table: TableState, play: Play) -> Balances:
    """What the false wins of the running deal cost if this is what happened.

    Raises:
        Refused: what is known does not decide it.
    """
    try:
        return fines(table, play.rules, difference(play.match.balances, play.fined))
    except Unsettled as unknown:
        raise Refused(f"炸胡罚分不明：{unknown.zh}", f"a fine is not decided: {unknown.reason}") from unknown


def keep(play: Play, kept: int, notes: Notes, author: str) -> None:
    """Only the first `kept` events of the running deal happened."""
    log = play.table.log[:kept]
    play.revised += 1
    notes.write(
        RevisionRow(
            revision=play.revised,
            deal=play.deal,
            boot=notes.boot,
            at=notes.now,
            how="corrected",
            n=play.written,
            events=tuple(map(format_event, log)),
            balances=play.match.balances,
            author=author,
        )
    )
    _tell(play, "corrected", author, notes)
    play.table = replay(log, play.rules)


def _tell(play: Play, how: Literal["undone", "corrected"], author: str, notes: Notes) -> None:
    """Whoever has heard what was told knows that it is told otherwise now."""
    match = play.match
    revised = RevisedEvent(hand_no=match.hand_no, match_no=match.match_no, how=how, author=author)
    notes.tell("event/revised", revised)
