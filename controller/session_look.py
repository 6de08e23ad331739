"""What lies on the table becomes events of the running deal, or a doubt; and the lift key. Pure."""

from controller.doubts import AS_TOLD, Problem, events_candidate, revised_candidate, undone_problem
from controller.match import dealer_seen
from controller.session_notes import Notes
from controller.session_play import MOST_LOOKS, TABLE, UNSEEN, Play
from controller.session_points import points_problem
from controller.session_revise import keep
from controller.session_rulings import offers_fine
from controller.tracker import WAIT, Decision
from rules.events import Drew, Event, WallExhausted, Won
from rules.state import Phase
from rules.tiles import Seat


def _find_dealer(play: Play, notes: Notes) -> None:
    """Where only the people know who deals: whoever lays the first tile."""
    seat = play.tracker.opener()
    if seat is not None:
        play.match = dealer_seen(play.match, Seat(seat))
        play.begin(notes)


def look(play: Play, notes: Notes) -> None:
    """Make events of what lies on the table, or a doubt."""
    if not play.playing or play.paused or play.held:
        play.again_at = None
        return
    if play.table.phase is Phase.READY:
        _find_dealer(play, notes)
    decision = _followed(play, notes)
    if decision is None:
        return
    play.again_at = decision.again_at
    if decision.problem is not None:
        # Nobody is fined before people have said who has how much.
        first_points = not play.match.certain and offers_fine(decision.problem)
        found = points_problem(play.match, play.table) if first_points else decision.problem
        play.raise_doubt(found, notes)
    elif decision.agrees and decision.again_at is None:
        play.undone = None
        play.understood(notes)


def _followed(play: Play, notes: Notes) -> Decision | None:
    """Book what has happened; what is left to be said of the table, None where that is said already."""
    decision = WAIT
    for _ in range(MOST_LOOKS):
        clear = play.doubt is None and play.ruling is None and play.undone is None
        decision = play.tracker.decide(play.table, notes.now, ended=play.lifted, ahead=clear)
        against = _against_a_person(play, decision)
        if against is not None:
            play.raise_doubt(against, notes)
            return None
        if decision.kept is not None:
            keep(play, decision.kept, notes, TABLE)
            if not decision.events:
                continue
        if not decision.events or (play.ruling is not None and _ends(decision.events)):
            break
        if not play.happen(decision.events, notes, UNSEEN if decision.unseen else TABLE):
            return None
    return decision


def _against_a_person(play: Play, decision: Decision) -> Problem | None:
    """The question where the table alone says otherwise than a person has said."""
    if decision.kept is not None and decision.kept < play.said:
        choice = revised_candidate(play.table.log, decision.kept, decision.events)
        return undone_problem(choice, AS_TOLD) if play.two_people else undone_problem(choice)
    if play.undone is not None and _first_act(decision.events) == play.undone:
        return undone_problem(events_candidate(decision.events))
    return None


def lift(play: Play, notes: Notes) -> None:
    """The lift key was pressed during the deal: it is over, or people insist that it is."""
    if play.paused:
        return
    unbegun = play.lifted and play.table.phase is Phase.READY
    asked = play.doubt is not None or play.ruling is not None
    if unbegun or (asked and (play.lifted or play.table.result is not None)):
        play.withhold(notes)
        return
    play.lifted = True
    look(play, notes)


def _first_act(events: tuple[Event, ...]) -> Event | None:
    return next((event for event in events if not isinstance(event, Drew)), None)


def _ends(events: tuple[Event, ...]) -> bool:
    return isinstance(events[-1], Won | WallExhausted)
