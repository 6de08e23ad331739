"""The hands of a table: deals begin, events happen, doubts come and go, hands are settled. Pure."""

from dataclasses import dataclass, field, replace
from typing import Final, Literal

from controller.agreed import Agreed, agreed
from controller.doubts import Doubt, DoubtKind, Problem, dealer_problem, problem
from controller.journal_deals import DealRow, EndOfDoubt
from controller.journal_decisions import DealerNamed
from controller.machine_state import DiceReader
from controller.match import (
    Match,
    deal_abandoned,
    deal_ended,
    deal_withheld,
    fined,
    paid,
    seated_by_die,
)
from controller.public import LEDGER_TOPIC, PhaseName, Ranking, Settlement
from controller.session_dice import CAMERA, DICE_DOUBTS, DealDice
from controller.session_history import History, Played
from controller.session_notes import Notes
from controller.session_outcome import ENDED, Outcome, amended, outcome_payload, outcome_row
from controller.session_points import points_problem, question_problem
from controller.session_rulings import fine_of
from controller.session_witness import to_settle
from controller.timers import Timers
from controller.tracker import Tracker
from controller.view import Players, Tallies, ranking_payload
from controller.view_events import event_message
from rules.events import DealStarted, Entered, Event, FalseWin, IllegalEvent, WallExhausted, Won
from rules.ruleset import RuleSet
from rules.scoring import Unsettled, settle
from rules.state import Balances, TableState
from rules.table import apply, new_table

TABLE: Final = "table"
"""Author of what was seen, in contrast to what a person entered."""

UNSEEN: Final = "table, unseen"
"""Author of what the table tells afterwards: that it happened, but not in which order."""

UNRECORDED_ZH: Final = "当时写不了记录，下一局已开，没有自动结算；请裁判按记录补结"
"""Why a deal was withheld; the doubt's own words promise a settlement, which does not come any more."""

MOST_LOOKS: Final = 8
"""Looks at one settled table: each explains what the last one left."""


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
        written: number of events written of the last deal, those that count no more included.
        revised: number of revisions over the journal's life.
        fined: what false wins of the last deal have cost.
        before: the points before the last deal as they count now, None where that is not known.
        undone: what a person has taken back last; the table alone does not make it happen again.
        said: so many of the last deal's events stand because people have said so; see `undone`.
        balances: points after the last outcome.
        shown_hand: numbers of deal and match that people see.
        timers: what the display counts down, from `moved_at`, when the last event happened.
        again_at: when time alone may change what the tracker says.
        dice: the deal's dice.
        players: who sits on seats 0..3, `configured` who does where nobody has said otherwise.
        defaults: the rules that the configuration names.
        setups: how often people have agreed on rules over the journal's life.
        locked: no other hand begins.
        paused: people have stopped the table; what happens there does not count.
        ranking: how the last match ended that is over.
        adjustments: number of adjustments over the journal's life.
        history: the deals of the last deal's match.
        answers: what people have answered to the rule set's questions about the deal.
        accepted: what people have confirmed to be as it should be.
        recorded: what happens is written; nothing is settled while it is not.
        held: the deal is over and waits until its settlement can be written.
        two_people: what people say holds when a second one confirms it.
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
    written: int = 0
    revised: int = 0
    fined: Balances = (0, 0, 0, 0)
    before: Balances | None = None
    undone: Event | None = None
    said: int = 0
    balances: Balances
    shown_hand: tuple[int, int]
    dice: DealDice = field(default_factory=DealDice)
    recorded: bool = True
    held: bool = False
    two_people: bool = True
    players: Players
    configured: Players
    defaults: Agreed = field(default_factory=lambda: Agreed(""))
    setups: int = 0
    paused: bool = False
    locked: bool = False
    ranking: Ranking | None = None
    adjustments: int = 0
    history: History = field(default_factory=History)
    settlement: Settlement | None = None
    tallies: Tallies = field(default_factory=Tallies)
    timers: Timers = field(default_factory=Timers)
    moved_at: float = 0.0
    again_at: float | None = None
    answers: dict[str, str] = field(default_factory=dict)
    accepted: set[str] = field(default_factory=set)

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
        self.written, self.fined, self.undone, self.said = 0, (0, 0, 0, 0), None, 0
        self.answers, self.accepted = {}, set()
        self.shown_hand = (self.match.hand_no, self.match.match_no)
        self.balances = self.before = self.match.balances
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
        unseen = self.tracker.model.shares_pond and not self.match.certain
        if unseen or (self.match.certain and not self.match.seated):
            # In a common pond nobody sees who has thrown the first tile.
            self.raise_doubt(dealer_problem(), notes)
        elif not self.match.certain:
            self.raise_doubt(points_problem(self.match, self.table), notes)
        else:
            self.begin(notes)
        if self.dice.values is None and self.doubt is None:
            self.raise_doubt(self.dice.problem(), notes)

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
            if self.asks_dice():
                self.end_doubt("explained", None, CAMERA, notes)
        elif self.dice.differ_from(seen):
            self.dice.disputed(seen, self.deal, notes)
            if self.doubt is None:
                self.raise_doubt(self.dice.problem(), notes)

    def _knows_dealer(self) -> bool:
        return self.match.certain and self.match.seated

    def begin(self, notes: Notes) -> None:
        """Who deals is known: the deal begins."""
        self.happen((DealStarted(self.match.dealer, self.dice.values, self.match.kept),), notes, TABLE)

    def resume(self, notes: Notes) -> None:
        """After a start: the record may end between a win and its settlement."""
        self.moved_at = notes.now
        asked = self.doubt is not None and self.doubt.problem.kind in {
            DoubtKind.UNSETTLED,
            DoubtKind.RECORD,
        }
        if self.asks_dealer() and self.doubt is not None:
            self.doubt = replace(self.doubt, problem=dealer_problem())
        if self.asks_dice() and self.doubt is not None:
            self.doubt = replace(self.doubt, problem=self.dice.problem())
        self.settle_deal(notes, again=asked)

    def happen(self, events: tuple[Event, ...], notes: Notes, author: str) -> bool:
        """Apply events that account for the table; False (and a doubt) where the rules refuse one."""
        table = self.table
        told = []
        try:
            for event in events:
                before, table = table, apply(table, event, self.rules)
                told.append((event, before, table))
        except IllegalEvent as error:
            self.raise_doubt(problem(DoubtKind.UNEXPLAINED, zh=str(error), en=str(error)), notes)
            return False
        for event, before, after in told:
            number, self.written = self.written, self.written + 1
            notes.event(event, self.deal, number, author)
            if isinstance(event, FalseWin):
                fine = fine_of(event, before, self.match, self.rules, author)
                self.match = fined(self.match, fine.payments)
                self.balances = self.match.balances
                self.fined = paid(self.fined, fine.payments)
                notes.fine(fine, self.deal, number)
            message = event_message(event, after, self.match)
            if message is not None:
                notes.tell(*message)
        self.table, self.undone, self.moved_at = table, None, notes.now
        self.said = len(table.log) if author != TABLE and self.two_people else self.said
        if self.doubt is not None and self.doubt.problem.kind is not DoubtKind.DISPLACED:
            self.understood(notes)
        self.settle_deal(notes, author=author if isinstance(events[-1], Entered) else TABLE)
        return True

    def understood(self, notes: Notes) -> None:
        """The table is clear again; what an earlier deal has left open is still open."""
        if self.asks_dice() and not any(self.table.ponds):
            return
        if self.match.certain:
            self.end_doubt("explained", None, TABLE, notes)
        else:
            self.raise_doubt(points_problem(self.match, self.table), notes)

    def settle_deal(self, notes: Notes, *, again: bool = False, author: str = TABLE) -> None:
        """Settle a deal that is over, unless something is in doubt (`again`: look at that doubt anew).

        `author` is who has told how it ended, where nobody had followed it.
        """
        drawn = isinstance(self.table.result, WallExhausted)
        asked = self.doubt is not None and not again and not self._only_points(drawn=drawn)
        if asked and self.doubt is not None and self.playing and self.match.certain:
            self.doubt = to_settle(self.doubt, self.table.result)
        if not self.playing or asked or self.ruling is not None:
            return
        if self.table.result is not None and not self.recorded:
            self.held = True
            self.raise_doubt(problem(DoubtKind.RECORD), notes)
            return
        match self.table.result:
            case WallExhausted():
                self.end_doubt("explained", None, TABLE, notes)
                step = deal_ended(self.match, self.table, None, self.rules)
                self._finish(Outcome("drawn", step, author=author), notes)
            case Won() if not self.match.certain:
                self.raise_doubt(points_problem(self.match, self.table), notes)
            case Won():
                try:
                    account = settle(self.table, self.rules, self.match.balances, self.answers)
                except Unsettled as open_question:
                    self.raise_doubt(question_problem(open_question), notes)
                else:
                    self.end_doubt("explained", None, TABLE, notes)
                    step = deal_ended(self.match, self.table, account, self.rules)
                    self._finish(Outcome("won", step, account, author=author), notes)

    def record(self, notes: Notes, *, taken: bool) -> None:
        """The journal takes no more what happens, or takes it again: then what waits is settled."""
        self.recorded = taken
        if taken and self.held:
            self.held = False
            self.settle_deal(notes, again=True)

    def record_cut(self, zh: str, en: str, notes: Notes) -> None:
        """A part of the record is missing: the running deal is not settled, and people confirm the points."""
        if self.playing:
            self.raise_doubt(problem(DoubtKind.RECORD_CUT, zh=zh, en=en), notes)
            self.withhold(notes)
        else:
            self.match = replace(self.match, certain=False)

    def _only_points(self, *, drawn: bool) -> bool:
        """Whether what is open does not matter: dealer and points to a drawn hand, dice to any."""
        only_points = drawn and self.doubt is not None and self.doubt.problem.kind is DoubtKind.POINTS
        return only_points or self.asks_dice()

    def asks_dealer(self) -> bool:
        """Whether people are asked who deals."""
        return self.doubt is not None and self.doubt.problem.kind is DoubtKind.DEALER

    def asks_dice(self) -> bool:
        """Whether people are asked what the dice show."""
        return self.doubt is not None and self.doubt.problem.kind in DICE_DOUBTS

    def withhold(self, notes: Notes) -> None:
        """End the deal without a settlement; the open doubt is the reason."""
        if self.doubt is None and self.ruling is None:
            self.raise_doubt(problem(DoubtKind.LIFT), notes)
        reason = self._reason()
        self.end_doubt("withheld", None, TABLE, notes)
        self.end_ruling("withheld", TABLE, notes)
        self.tallies = replace(self.tallies, withheld=self.tallies.withheld + 1)
        self._finish(Outcome("withheld", deal_withheld(self.match), reason=reason), notes)

    def abandon(self, end: EndOfDoubt, author: str, notes: Notes, *, reason: str = "") -> None:
        """A person gives the deal up, for the reason given or because of what is open."""
        reason = reason or self._reason()
        self.end_doubt(end, None, author, notes)
        self.end_ruling("withdrawn", author, notes)
        self._finish(Outcome("abandoned", deal_abandoned(self.match), reason=reason, author=author), notes)

    def _reason(self) -> str:
        open_doubt = self.doubt or self.ruling
        if open_doubt is None:
            return ""
        if open_doubt.problem.kind is DoubtKind.RECORD:
            return UNRECORDED_ZH
        return open_doubt.problem.zh

    def _finish(self, outcome: Outcome, notes: Notes) -> None:
        outcome = replace(outcome, before=self.before, fined=self.fined, answers=self.answers)
        payload = outcome_payload(outcome, self.table, self.match, self.rules)
        if payload is not None and outcome.author != TABLE:
            payload = amended(payload, deal=self.deal, entered=True, author=outcome.author)
        row = outcome_row(self.deal, self.table, outcome, payload, notes)
        notes.write(row)
        self.history.add(
            Played(
                deal=self.deal,
                match=replace(self.match, balances=self.before or self.match.balances),
                log=self.table.log,
                fined=self.fined,
                outcome=row,
                written=self.written,
                under=agreed(self.rules),
            )
        )
        if payload is not None:
            self.settlement = payload
            notes.tell(LEDGER_TOPIC, payload)
        self.playing, self.held, self.again_at = False, False, None
        self.ended = ENDED[outcome.how]
        if outcome.step.over:
            self.rank(self.match, outcome.step.balances, hands=self.match.hand_no, ended="played")
        self.match, self.balances = outcome.step.after, outcome.step.balances
        won, drawn = outcome.how == "won", outcome.how == "drawn"
        tallies = self.tallies
        self.tallies = replace(tallies, settled=tallies.settled + won, drawn=tallies.drawn + drawn)

    def rank(
        self, match: Match, balances: Balances, *, hands: int, ended: Literal["played", "ended"]
    ) -> None:
        """A match is over after so many hands."""
        self.ranking = ranking_payload(
            match,
            balances,
            hands=hands,
            players=self.players,
            start_points=self.rules.start_points,
            ended=ended,
            history=self.history.points(match.match_no),
        )

    def pictured(self, doubt: int, names: tuple[str, ...]) -> None:
        """Pictures of the moment of a doubt were kept; of one that has ended they are shown no more."""
        if self.doubt is not None and self.doubt.id == doubt:
            self.doubt = replace(self.doubt, pictures=names)
        if self.ruling is not None and self.ruling.id == doubt:
            self.ruling = replace(self.ruling, pictures=names)

    def end_ruling(self, how: EndOfDoubt, author: str, notes: Notes) -> None:
        """The open proposal is decided, or falls away."""
        if self.ruling is not None:
            notes.doubt_end(self.ruling, how, None, author)
        self.ruling = None

    def raise_doubt(self, found: Problem, notes: Notes) -> None:
        """Open a doubt; while one is open, later problems are news of the same."""
        if found.en in self.accepted:
            return
        if self.doubt is not None:
            self.doubt = replace(self.doubt, problem=found)
            return
        self.doubt = self.new_doubt(found, notes)

    def new_doubt(self, found: Problem, notes: Notes, *, proposal: str | None = None) -> Doubt:
        """A doubt with its number, written; `proposal` is the event that a person has proposed."""
        self.raised += 1
        self.tallies = replace(self.tallies, doubts=self.tallies.doubts + 1)
        doubt = Doubt(self.raised, notes.now, found)
        notes.doubt(doubt, self.deal, proposal)
        return doubt

    def end_doubt(self, how: EndOfDoubt, choice: int | None, author: str, notes: Notes) -> None:
        """The open doubt ends, if there is one."""
        if self.doubt is not None:
            notes.doubt_end(self.doubt, how, choice, author)
        self.doubt = None
