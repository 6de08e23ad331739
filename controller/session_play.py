"""The hands of a table: deals begin, events happen, doubts come and go, hands are settled. Pure."""

from dataclasses import dataclass, field, replace
from typing import Final

from controller.doubts import (
    SEAT_NAMES,
    Candidate,
    Doubt,
    DoubtKind,
    Problem,
    dealer_problem,
    problem,
)
from controller.journal_rows import (
    DealerNamed,
    DealRow,
    EndOfDeal,
    EndOfDoubt,
)
from controller.machine_state import DiceReader
from controller.match import (
    Match,
    deal_abandoned,
    deal_ended,
    deal_withheld,
    dealer_seen,
    fined,
    seated_by_die,
)
from controller.public import LEDGER_TOPIC, PhaseName, Settlement
from controller.session_dice import CAMERA, DICE_DOUBTS, DealDice
from controller.session_inputs import PersonAnswer, PersonProposal
from controller.session_notes import Notes
from controller.session_outcome import Outcome, outcome_payload, outcome_row
from controller.session_replies import Refused, no_deal, no_such_choice, no_such_doubt, nothing_to_choose
from controller.session_rulings import event_of, fine_of, offers_fine, proposed, ruling_of
from controller.tracker import ABANDON, GO_ON, Tracker
from controller.view import Tallies
from controller.view_events import event_message
from rules.events import DealStarted, Event, FalseWin, IllegalEvent, WallExhausted, Won
from rules.record import format_event
from rules.ruleset import RuleSet
from rules.scoring import Unsettled, settle
from rules.state import Balances, Phase, TableState
from rules.table import apply, new_table
from rules.tiles import Seat

TABLE: Final = "table"
"""Author of what was seen, in contrast to what a person entered."""

MOST_LOOKS: Final = 8
"""Looks at one settled table: each explains what the last one left."""

ENDED: Final[dict[EndOfDeal, PhaseName]] = {
    "won": "settled",
    "drawn": "drawn",
    "withheld": "idle",
    "abandoned": "idle",
}


@dataclass(slots=True, kw_only=True)
class Play:
    """The running deal, the match around it, and what is not certain.

    Attributes:
        match: the running or coming deal's place in the match.
        table: what the events of the last deal made of the table.
        deal: number of the last deal over the journal's life, 0 before the first.
        playing: the last deal has no outcome yet.
        ended: the phase that the last deal's outcome leaves.
        lifted: the lift key was pressed during the deal.
        doubt: the open doubt; nothing is settled while there is one.
        ruling: what a person has proposed and nobody has confirmed yet; the deal does not end meanwhile.
        raised: number of doubts over the journal's life.
        balances: points after the last outcome.
        shown_hand: numbers of deal and match that people see.
        again_at: when time alone may change what the tracker says.
        dice: the deal's dice.
    """

    rules: RuleSet
    tracker: Tracker
    match: Match
    table: TableState
    deal: int = 0
    playing: bool = False
    ended: PhaseName = "idle"
    lifted: bool = False
    doubt: Doubt | None = None
    ruling: Doubt | None = None
    raised: int = 0
    balances: Balances
    shown_hand: tuple[int, int]
    dice: DealDice = field(default_factory=DealDice)
    settlement: Settlement | None = None
    tallies: Tallies = field(default_factory=Tallies)
    again_at: float | None = None
    _answers: dict[str, str] = field(default_factory=dict)
    _accepted: set[str] = field(default_factory=set)

    @property
    def needs_die(self) -> bool:
        """One die is to name the dealer of a match that begins."""
        return self.match.certain and not self.match.seated and not self.playing

    def seat(self, die: int, notes: Notes, by: DiceReader = DiceReader.BOARD) -> None:
        """One die has named the first dealer of the match."""
        self.match = seated_by_die(self.match, die, self.rules)
        named = DealerNamed(match_no=self.match.match_no, die=die, dealer=int(self.match.dealer), by=by.value)
        notes.decide("dealer", named)

    def start_deal(self, dice: tuple[int, ...], notes: Notes, by: DiceReader = DiceReader.BOARD) -> None:
        """The dice are thrown and were read by `by`, or by nobody: the match's next deal begins."""
        self.deal += 1
        self.playing, self.lifted = True, False
        self._answers, self._accepted = {}, set()
        self.shown_hand = (self.match.hand_no, self.match.match_no)
        self.balances = self.match.balances
        self.dice = DealDice()
        self.tallies = replace(self.tallies, hands=self.tallies.hands + 1)
        notes.write(
            DealRow(
                deal=self.deal,
                boot=notes.boot,
                at=notes.now,
                match_no=self.match.match_no,
                hand_no=self.match.hand_no,
                dealer=int(self.match.dealer) if self._knows_dealer() else None,
                balances=self.match.balances,
            )
        )
        if len(dice) == 2:
            self.dice.told((dice[0], dice[1]), by, self.deal, notes)
        self.table = new_table(self.rules)
        if not self.match.certain:
            self._raise(_points(self.match, self.table), notes)
        elif not self.match.seated:
            self._raise(dealer_problem(), notes)
        else:
            self._begin(notes)
        if self.dice.values is None and self.doubt is None:
            self._raise(self.dice.problem(), notes)

    def dice_seen(self, values: tuple[int, ...] | None, notes: Notes) -> None:
        """The camera has read the dice: an answer where nobody else has told, else a check of the board.

        Dice that move again (None) are no longer those of the deal.
        """
        if values is None:
            self.dice.moved()
        if values is None or len(values) != 2 or not self.playing or any(self.table.ponds):
            return
        seen = (values[0], values[1])
        if self.dice.known is None:
            self.dice.told(seen, CAMERA, self.deal, notes)
            if self._asks_dice():
                self._end_doubt("explained", None, CAMERA, notes)
        elif self.dice.differ_from(seen):
            self.dice.disputed(seen, self.deal, notes)
            if self.doubt is None:
                self._raise(self.dice.problem(), notes)

    def _knows_dealer(self) -> bool:
        return self.match.certain and self.match.seated

    def _begin(self, notes: Notes) -> None:
        self._happen((DealStarted(self.match.dealer, self.dice.values, self.match.kept),), notes, TABLE)

    def _find_dealer(self, notes: Notes) -> None:
        """Where only the people know who deals: whoever lays the first tile."""
        seat = self.tracker.opener()
        if seat is not None:
            self.match = dealer_seen(self.match, Seat(seat))
            self._begin(notes)

    def resume(self, notes: Notes) -> None:
        """After a start: the record may end between a win and its settlement."""
        asked = self.doubt is not None and self.doubt.problem.kind is DoubtKind.UNSETTLED
        if self._asks_dealer() and self.doubt is not None:
            self.doubt = replace(self.doubt, problem=dealer_problem())
        if self._asks_dice() and self.doubt is not None:
            self.doubt = replace(self.doubt, problem=self.dice.problem())
        self._settle(notes, again=asked)

    def look(self, notes: Notes) -> None:
        """Make events of what lies on the table, or a doubt."""
        if not self.playing:
            self.again_at = None
            return
        if self.table.phase is Phase.READY:
            self._find_dealer(notes)
        for _ in range(MOST_LOOKS):
            decision = self.tracker.decide(self.table, notes.now, ended=self.lifted)
            if not decision.events or (self.ruling is not None and _ends(decision.events)):
                break
            if not self._happen(decision.events, notes, TABLE):
                return
        self.again_at = decision.again_at
        if decision.problem is not None:
            # Nobody is fined before people have said who has how much.
            first_points = not self.match.certain and offers_fine(decision.problem)
            found = _points(self.match, self.table) if first_points else decision.problem
            self._raise(found, notes)
        elif decision.agrees and decision.again_at is None:
            self._understood(notes)

    def lift(self, notes: Notes) -> None:
        """The lift key was pressed during the deal: it is over, or people insist that it is."""
        unbegun = self.lifted and self.table.phase is Phase.READY
        asked = self.doubt is not None or self.ruling is not None
        if unbegun or (asked and (self.lifted or self.table.result is not None)):
            self._withhold(notes)
            return
        self.lifted = True
        self.look(notes)

    def answer(self, answer: PersonAnswer, notes: Notes) -> None:
        """A person says what happened, or what follows.

        Raises:
            Refused: there is nothing to answer so.
        """
        if self.ruling is not None and self.ruling.id == answer.doubt:
            self._rule(self.ruling, answer, notes)
            return
        doubt = self.doubt
        if doubt is None or doubt.id != answer.doubt or not self.playing:
            raise no_such_doubt(answer.doubt)
        if answer.action == "withdraw":
            self._abandon("withdrawn", answer.author, notes)
            return
        candidates = doubt.problem.candidates
        if not candidates:
            if answer.action != "confirm" or not self.match.certain:
                raise nothing_to_choose(doubt)
            self._accepted.add(doubt.problem.en)
            self._end_doubt("confirmed", None, answer.author, notes)
            self._settle(notes)
            return
        choice = answer.choice if answer.action == "choose" else 0
        if choice is None or not 0 <= choice < len(candidates):
            raise no_such_choice(choice, len(candidates))
        self._take(candidates[choice], choice, answer.author, notes)

    def propose(self, proposal: PersonProposal, notes: Notes) -> None:
        """A person proposes a ruling; one at a time, and only what the rules know now.

        Raises:
            Refused: nothing can be proposed now, or not this.
        """
        if not self.playing:
            raise no_deal()
        if self.ruling is not None:
            raise Refused(
                f"还有一项裁决没有确认（第{self.ruling.id}号）", f"ruling {self.ruling.id} is still open"
            )
        event = ruling_of(proposal)
        found = proposed(event, self.table, self.match, self.rules)
        if found is None:
            raise Refused("现在不能这样裁决", "the rules know no such ruling now")
        self.ruling = self._new_doubt(found, notes, proposal=format_event(event))

    def _rule(self, ruling: Doubt, answer: PersonAnswer, notes: Notes) -> None:
        """A person confirms a proposed ruling, or takes it back; a fine waits for certain points."""
        if answer.action == "withdraw":
            self._end_ruling("withdrawn", answer.author, notes)
            return
        event = event_of(ruling)
        if event is None or not self.match.certain:
            raise Refused(
                "还缺牌面或分数，不能确认", "the tiles or the points are not known yet: it can't be confirmed"
            )
        now = proposed(event, self.table, self.match, self.rules)
        if now is None:
            self._end_ruling("withdrawn", TABLE, notes)
        elif now != ruling.problem:
            # It costs something else by now: people confirm what they have read.
            self.ruling = replace(ruling, problem=now)
            raise Refused(f"内容已变，请再看再确认：{now.zh}", f"it has changed, confirm anew: {now.en}")
        else:
            self._happen((event,), notes, answer.author)
            self._end_ruling("confirmed", answer.author, notes)

    def _end_ruling(self, how: EndOfDoubt, author: str, notes: Notes) -> None:
        if self.ruling is not None:
            notes.doubt_end(self.ruling, how, None, author)
        self.ruling = None

    def _take(self, chosen: Candidate, choice: int, author: str, notes: Notes) -> None:
        """What a person has chosen becomes an event, an answer to the rules, or the end of the deal."""
        doubt = self.doubt
        if chosen == ABANDON and doubt is not None:
            self._abandon("chosen", author, notes)
            return
        if chosen.answer is not None and self._asks_dealer():
            self._end_doubt("chosen", choice, author, notes)
            self.match = replace(self.match, dealer=Seat(int(chosen.answer)), seated=True)
            self._begin(notes)
            if self.dice.values is None:
                self._raise(self.dice.problem(), notes)
            return
        if chosen == GO_ON:
            self.lifted = False
        if chosen == AS_SHOWN:
            self.match = replace(self.match, certain=True)
        if chosen.answer is not None and self._asks_dice():
            first, second = chosen.answer.split()
            self.dice.told((int(first), int(second)), author, self.deal, notes)
        elif chosen.answer is not None and doubt is not None:
            self._answers[doubt.problem.question] = chosen.answer
        self._end_doubt("chosen", choice, author, notes)
        if not self.match.certain:
            self._raise(_points(self.match, self.table), notes)
        if chosen.events and self._happen(chosen.events, notes, author):
            self.tracker.bind(self.table)
        self._settle(notes)

    def _happen(self, events: tuple[Event, ...], notes: Notes, author: str) -> bool:
        """Apply events that account for the table; False (and a doubt) where the rules refuse one."""
        table = self.table
        told = []
        try:
            for event in events:
                before, table = table, apply(table, event, self.rules)
                told.append((event, before, table))
        except IllegalEvent as error:
            self._raise(problem(DoubtKind.UNEXPLAINED, zh=str(error), en=str(error)), notes)
            return False
        for event, before, after in told:
            notes.event(event, self.deal, len(after.log) - 1, author)
            if isinstance(event, FalseWin):
                fine = fine_of(event, before, self.match, self.rules, author)
                self.match = fined(self.match, fine.payments)
                self.balances = self.match.balances
                notes.fine(fine, self.deal, len(after.log) - 1)
            message = event_message(event, after, self.match)
            if message is not None:
                notes.tell(*message)
        self.table = table
        if self.doubt is not None and self.doubt.problem.kind is not DoubtKind.DISPLACED:
            self._understood(notes)
        self._settle(notes)
        return True

    def _understood(self, notes: Notes) -> None:
        """The table is clear again; what an earlier deal has left open is still open."""
        if self._asks_dice() and not any(self.table.ponds):
            return
        if self.match.certain:
            self._end_doubt("explained", None, TABLE, notes)
        else:
            self._raise(_points(self.match, self.table), notes)

    def _settle(self, notes: Notes, *, again: bool = False) -> None:
        """Settle a deal that is over, unless something is in doubt (`again`: look at that doubt anew)."""
        drawn = isinstance(self.table.result, WallExhausted)
        asked = self.doubt is not None and not again and not self._only_points(drawn=drawn)
        if not self.playing or asked or self.ruling is not None:
            return
        match self.table.result:
            case WallExhausted():
                self._end_doubt("explained", None, TABLE, notes)
                step = deal_ended(self.match, self.table, None, self.rules)
                self._finish(Outcome("drawn", step), notes)
            case Won() if not self.match.certain:
                self._raise(_points(self.match, self.table), notes)
            case Won():
                try:
                    account = settle(self.table, self.rules, self.match.balances, self._answers)
                except Unsettled as open_question:
                    self._raise(_question(open_question), notes)
                else:
                    self._end_doubt("explained", None, TABLE, notes)
                    step = deal_ended(self.match, self.table, account, self.rules)
                    self._finish(Outcome("won", step, account), notes)

    def _only_points(self, *, drawn: bool) -> bool:
        """Whether what is open does not matter: dealer and points to a drawn hand, dice to any."""
        only_points = drawn and self.doubt is not None and self.doubt.problem.kind is DoubtKind.POINTS
        return only_points or self._asks_dice()

    def _asks_dealer(self) -> bool:
        return self.doubt is not None and self.doubt.problem.kind is DoubtKind.DEALER

    def _asks_dice(self) -> bool:
        return self.doubt is not None and self.doubt.problem.kind in DICE_DOUBTS

    def _withhold(self, notes: Notes) -> None:
        """End the deal without a settlement; the open doubt is the reason."""
        if self.doubt is None and self.ruling is None:
            self._raise(problem(DoubtKind.LIFT), notes)
        reason = self._reason()
        self._end_doubt("withheld", None, TABLE, notes)
        self._end_ruling("withheld", TABLE, notes)
        self.tallies = replace(self.tallies, withheld=self.tallies.withheld + 1)
        self._finish(Outcome("withheld", deal_withheld(self.match), reason=reason), notes)

    def _abandon(self, end: EndOfDoubt, author: str, notes: Notes) -> None:
        """A person gives the deal up."""
        reason = self._reason()
        self._end_doubt(end, None, author, notes)
        self._end_ruling("withdrawn", author, notes)
        self._finish(Outcome("abandoned", deal_abandoned(self.match), reason=reason), notes)

    def _reason(self) -> str:
        open_doubt = self.doubt or self.ruling
        return "" if open_doubt is None else open_doubt.problem.zh

    def _finish(self, outcome: Outcome, notes: Notes) -> None:
        payload = outcome_payload(outcome, self.table, self.match, self.rules)
        notes.write(outcome_row(self.deal, self.table, outcome, payload, notes))
        if payload is not None:
            self.settlement = payload
            notes.tell(LEDGER_TOPIC, payload)
        self.playing, self.again_at = False, None
        self.ended = ENDED[outcome.how]
        self.match, self.balances = outcome.step.after, outcome.step.balances
        won, drawn = outcome.how == "won", outcome.how == "drawn"
        tallies = self.tallies
        self.tallies = replace(tallies, settled=tallies.settled + won, drawn=tallies.drawn + drawn)

    def _raise(self, found: Problem, notes: Notes) -> None:
        """Open a doubt; while one is open, later problems are news of the same."""
        if found.en in self._accepted:
            return
        if self.doubt is not None:
            self.doubt = replace(self.doubt, problem=found)
            return
        self.doubt = self._new_doubt(found, notes)

    def _new_doubt(self, found: Problem, notes: Notes, *, proposal: str | None = None) -> Doubt:
        self.raised += 1
        self.tallies = replace(self.tallies, doubts=self.tallies.doubts + 1)
        doubt = Doubt(self.raised, notes.now, found)
        notes.doubt(doubt, self.deal, proposal)
        return doubt

    def _end_doubt(self, how: EndOfDoubt, choice: int | None, author: str, notes: Notes) -> None:
        if self.doubt is not None:
            notes.doubt_end(self.doubt, how, choice, author)
        self.doubt = None


def _ends(events: tuple[Event, ...]) -> bool:
    return isinstance(events[-1], Won | WallExhausted)


AS_SHOWN: Final = Candidate("就照这样结算 (settle by these)")


def _points(match: Match, table: TableState) -> Problem:
    """What a settlement after a withheld deal would stand on, for people to confirm."""
    points = " ".join(map(str, match.balances))
    if table.phase is Phase.READY:
        return problem(
            DoubtKind.POINTS, zh=f"庄家待看，各家{points}", en=f"dealer to be seen, points {points}"
        )
    zh = f"庄家{SEAT_NAMES[match.dealer]}，连庄{match.kept}，各家{points}"
    en = f"dealer seat {match.dealer + 1}, kept {match.kept}, points {points}"
    return problem(DoubtKind.POINTS, zh=zh, en=en, candidates=(AS_SHOWN,))


def _question(asked: Unsettled) -> Problem:
    candidates = tuple(Candidate(text, answer=text) for text in asked.candidates)
    return problem(
        DoubtKind.UNSETTLED,
        zh=asked.zh,
        en=asked.reason,
        candidates=candidates,
        question=asked.question,
    )
