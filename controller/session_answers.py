"""People's answers to doubts, and the rulings they propose and confirm. Pure."""

from dataclasses import replace
from typing import Final

from controller.doubts import AS_TOLD, Candidate, Doubt, Statement, events_candidate
from controller.match import dealer_seen
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
    unsaid,
)
from controller.session_revise import keep
from controller.session_rulings import event_of, proposed, ruling_of
from controller.session_witness import (
    ACCEPT,
    AS_IT_STANDS,
    Heard,
    both,
    chosen,
    denied,
    needs_another,
    person,
    persons,
)
from controller.tracker import ABANDON, GO_ON
from rules.record import format_event
from rules.tiles import Seat


def answer_doubt(play: Play, answer: PersonAnswer, notes: Notes) -> tuple[str, str]:
    """A person says what happened, or what follows; what stays in the record waits for a second person.

    Raises:
        Refused: there is nothing to answer so, or he alone has said so already.
    """
    number = answer.doubt
    if play.ruling is not None and play.ruling.id == number:
        _rule(play, play.ruling, answer, notes)
        return f"第{number}号疑问已答复", f"doubt {number} is answered"
    doubt = play.doubt
    if doubt is None or doubt.id != number or not play.playing:
        raise no_such_doubt(number)
    if answer.action == "deny":
        play.doubt = denied(doubt)
        notes.said(play.doubt, play.ruling)
        return _HEARD[Heard.DISPUTED]
    choice, place = _choice(play, doubt, answer)
    author = answer.author
    if play.two_people:
        heard, play.doubt = chosen(doubt, choice, author, play.players)
        if heard is not Heard.AGREED:
            notes.said(play.doubt, play.ruling)
            return _HEARD[heard]
        if doubt.said is not None and persons(doubt.problem, choice) > 1:
            author = both(doubt.said.author, author)
    _take(play, choice, place, author, notes)
    return f"第{number}号疑问已答复", f"doubt {number} is answered"


_HEARD: Final = {
    Heard.SAID: ("已记下，请另一个人确认", "it is noted; another person has to confirm it"),
    Heard.DISPUTED: ("说法不同，请都再看一次", "people differ: please look again, both"),
}


def _choice(play: Play, doubt: Doubt, answer: PersonAnswer) -> tuple[Candidate, int | None]:
    """What is chosen, and its number among the candidates; choices are named as they were read."""
    if answer.action == "withdraw":
        return ABANDON, None
    candidates = doubt.problem.candidates
    if not candidates:
        if answer.action != "confirm" or not play.match.certain:
            raise nothing_to_choose(doubt)
        _require_words(play, answer, (doubt.problem.en,), 0)
        return ACCEPT, None
    place = answer.choice if answer.action == "choose" else 0
    if place is None or not 0 <= place < len(candidates):
        raise no_such_choice(place, len(candidates))
    _require_words(play, answer, tuple(candidate.text for candidate in candidates), place)
    return candidates[place], place


def _require_words(play: Play, answer: PersonAnswer, offered: tuple[str, ...], place: int) -> None:
    if answer.words is None and play.two_people:
        raise unsaid(offered)
    if answer.words is not None and answer.words != offered[place]:
        raise another_choice(offered[place])


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
    ruling = play.new_doubt(found, notes, proposal=format_event(event))
    play.ruling = replace(ruling, said=Statement(proposal.author, events_candidate((event,)), found.en))
    if play.two_people:
        notes.said(play.doubt, play.ruling)
    return "已提出，等人确认", "it is proposed and waits for a confirmation"


def _rule(play: Play, ruling: Doubt, answer: PersonAnswer, notes: Notes) -> None:
    """Another person confirms a proposed ruling, or anybody withdraws it; a fine waits for certain points."""
    if answer.action in {"withdraw", "deny"}:
        play.end_ruling("withdrawn", answer.author, notes)
        return
    author = answer.author
    if ruling.said is not None and play.two_people:
        proposer = ruling.said.author
        if person(proposer, play.players) == person(author, play.players):
            raise needs_another(proposer)
        author = both(proposer, author)
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
        play.happen((event,), notes, author)
        play.end_ruling("confirmed", author, notes)


def _take(play: Play, taken: Candidate, choice: int | None, author: str, notes: Notes) -> None:
    """What people have chosen becomes an event, an answer to the rules, or the end of the deal."""
    doubt = play.doubt
    if taken == ABANDON:
        play.abandon("withdrawn" if choice is None else "chosen", author, notes)
        return
    if doubt is not None and (taken == ACCEPT or taken.answer == AS_IT_STANDS):
        play.accepted.add(doubt.problem.en)
        play.end_doubt("confirmed", choice, author, notes)
        play.settle_deal(notes)
        return
    if taken.answer is not None and play.asks_dealer():
        play.end_doubt("chosen", choice, author, notes)
        _deal_from(play, Seat(int(taken.answer)), notes)
        return
    _settles_what_was_open(play, taken)
    if taken.answer is not None and play.asks_dice():
        first, second = taken.answer.split()
        play.dice.told((int(first), int(second)), author, play.deal, notes)
    elif taken.answer is not None and doubt is not None:
        play.answers[doubt.problem.question] = taken.answer
    play.end_doubt("chosen", choice, author, notes)
    if not play.match.certain:
        play.raise_doubt(points_problem(play.match, play.table), notes)
    _tell(play, taken, author, notes)
    play.settle_deal(notes)


def _settles_what_was_open(play: Play, taken: Candidate) -> None:
    """Choices that tell of no event and answer no question of the rules."""
    if taken == GO_ON:
        play.lifted = False
    if taken == AS_TOLD:
        play.tracker.insist(play.table)
    if taken == AS_SHOWN:
        play.match = replace(play.match, certain=True)


def _deal_from(play: Play, dealer: Seat, notes: Notes) -> None:
    """People have said who deals."""
    if play.match.certain:
        play.match = replace(play.match, dealer=dealer, seated=True)
    else:
        play.match = dealer_seen(play.match, dealer)
    play.begin(notes)
    if not play.match.certain:
        play.raise_doubt(points_problem(play.match, play.table), notes)
    elif play.dice.values is None:
        play.raise_doubt(play.dice.problem(), notes)


def _tell(play: Play, chosen: Candidate, author: str, notes: Notes) -> None:
    """A person has said what happened, perhaps otherwise than it was told."""
    if chosen.kept is not None:
        keep(play, chosen.kept, notes, author)
    if chosen.events and play.happen(chosen.events, notes, author):
        play.tracker.bind(play.table)
