"""People's answers to doubts, and the rulings they propose and confirm. Pure."""

from dataclasses import replace

from controller.doubts import Candidate, Doubt
from controller.session_inputs import PersonAnswer, PersonProposal
from controller.session_notes import Notes
from controller.session_play import TABLE, Play
from controller.session_points import AS_SHOWN, points_problem
from controller.session_replies import (
    Refused,
    another_choice,
    no_deal,
    no_such_choice,
    no_such_doubt,
    nothing_to_choose,
)
from controller.session_revise import keep
from controller.session_rulings import event_of, proposed, ruling_of
from controller.tracker import ABANDON, GO_ON
from rules.record import format_event
from rules.tiles import Seat


def answer_doubt(play: Play, answer: PersonAnswer, notes: Notes) -> tuple[str, str]:
    """A person says what happened, or what follows.

    Raises:
        Refused: there is nothing to answer so.
    """
    _answer(play, answer, notes)
    return f"第{answer.doubt}号疑问已答复", f"doubt {answer.doubt} is answered"


def _answer(play: Play, answer: PersonAnswer, notes: Notes) -> None:
    if play.ruling is not None and play.ruling.id == answer.doubt:
        _rule(play, play.ruling, answer, notes)
        return
    doubt = play.doubt
    if doubt is None or doubt.id != answer.doubt or not play.playing:
        raise no_such_doubt(answer.doubt)
    if answer.action == "withdraw":
        play.abandon("withdrawn", answer.author, notes)
        return
    candidates = doubt.problem.candidates
    if not candidates:
        if answer.action != "confirm" or not play.match.certain:
            raise nothing_to_choose(doubt)
        play.accepted.add(doubt.problem.en)
        play.end_doubt("confirmed", None, answer.author, notes)
        play.settle_deal(notes)
        return
    choice = answer.choice if answer.action == "choose" else 0
    if choice is None or not 0 <= choice < len(candidates):
        raise no_such_choice(choice, len(candidates))
    if answer.words is not None and answer.words != candidates[choice].text:
        raise another_choice(candidates[choice].text)
    _take(play, candidates[choice], choice, answer.author, notes)


def propose_ruling(play: Play, proposal: PersonProposal, notes: Notes) -> tuple[str, str]:
    """A person proposes a ruling; one at a time, and only what the rules know now.

    Raises:
        Refused: nothing can be proposed now, or not this.
    """
    if not play.playing:
        raise no_deal()
    if play.ruling is not None:
        raise Refused(
            f"还有一项裁决没有确认（第{play.ruling.id}号）", f"ruling {play.ruling.id} is still open"
        )
    event = ruling_of(proposal)
    found = proposed(event, play.table, play.match, play.rules)
    if found is None:
        raise Refused("现在不能这样裁决", "the rules know no such ruling now")
    play.ruling = play.new_doubt(found, notes, proposal=format_event(event))
    return "已提出，等人确认", "it is proposed and waits for a confirmation"


def _rule(play: Play, ruling: Doubt, answer: PersonAnswer, notes: Notes) -> None:
    """A person confirms a proposed ruling, or takes it back; a fine waits for certain points."""
    if answer.action == "withdraw":
        play.end_ruling("withdrawn", answer.author, notes)
        return
    event = event_of(ruling)
    if event is None or not play.match.certain:
        raise Refused(
            "还缺牌面或分数，不能确认", "the tiles or the points are not known yet: it can't be confirmed"
        )
    now = proposed(event, play.table, play.match, play.rules)
    if now is None:
        play.end_ruling("withdrawn", TABLE, notes)
    elif now != ruling.problem:
        # It costs something else by now: people confirm what they have read.
        play.ruling = replace(ruling, problem=now)
        raise Refused(f"内容已变，请再看再确认：{now.zh}", f"it has changed, confirm anew: {now.en}")
    else:
        play.happen((event,), notes, answer.author)
        play.end_ruling("confirmed", answer.author, notes)


def _take(play: Play, chosen: Candidate, choice: int, author: str, notes: Notes) -> None:
    """What a person has chosen becomes an event, an answer to the rules, or the end of the deal."""
    doubt = play.doubt
    if chosen == ABANDON and doubt is not None:
        play.abandon("chosen", author, notes)
        return
    if chosen.answer is not None and play.asks_dealer():
        play.end_doubt("chosen", choice, author, notes)
        play.match = replace(play.match, dealer=Seat(int(chosen.answer)), seated=True)
        play.begin(notes)
        if play.dice.values is None:
            play.raise_doubt(play.dice.problem(), notes)
        return
    if chosen == GO_ON:
        play.lifted = False
    if chosen == AS_SHOWN:
        play.match = replace(play.match, certain=True)
    if chosen.answer is not None and play.asks_dice():
        first, second = chosen.answer.split()
        play.dice.told((int(first), int(second)), author, play.deal, notes)
    elif chosen.answer is not None and doubt is not None:
        play.answers[doubt.problem.question] = chosen.answer
    play.end_doubt("chosen", choice, author, notes)
    if not play.match.certain:
        play.raise_doubt(points_problem(play.match, play.table), notes)
    _tell(play, chosen, author, notes)
    play.settle_deal(notes)


def _tell(play: Play, chosen: Candidate, author: str, notes: Notes) -> None:
    """A person has said what happened, perhaps otherwise than it was told."""
    if chosen.kept is not None:
        keep(play, chosen.kept, notes, author)
    if chosen.events and play.happen(chosen.events, notes, author):
        play.tracker.bind(play.table)
