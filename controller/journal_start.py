"""What a start finds in the journal: where the table stood when the controller ended."""

from dataclasses import dataclass

from controller.agreed import Agreed
from controller.journal_deals import DealRow, DoubtRow, FineRow, OutcomeRow, Quad
from controller.journal_decisions import DealerNamed, DiceKnown, PlayersNamed, Said, Standing
from controller.journal_rows import AnswerRow, MatchRow, SetupRow


@dataclass(frozen=True, slots=True)
class PlayedDeal:
    """A deal that has ended: its record as its revisions leave it, its last outcome, its rules.

    `written` is the number of its rows in `events`.
    """

    deal: DealRow
    events: tuple[str, ...]
    outcome: OutcomeRow
    begun: Agreed | None
    written: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What a start finds: all zero and empty for a new journal.

    Attributes:
        boot: number of this start, from 1.
        doubts: number of doubts ever raised.
        deal: the last deal, None before the first.
        events: records of the last deal's events, in order.
        outcome: the last deal's outcome, None while it is still being played.
        before: the outcome of the deal before the last, None where there is none.
        open_doubts: doubts of the last deal that have not ended.
        stage: the machine's last stage, empty for a new journal.
        board: the board's last boot_id.
        begun: the rules of the last deal, None before the first.
        fines: what has been fined in the last deal.
        named: the last first dealer whom a die has named.
        dice: what the dice of the deal for which that was said last show.
        written: number of rows in `events` of the last deal, those that count no more included.
        revisions: number of revisions over the journal's life.
        undone: the event that a person has taken back last, None where something was written since.
        fined: what false wins of the last deal have cost.
        said: so many events of the last deal stand because a person has corrected it.
        adjustments: number of adjustments over the journal's life.
        played: the deals of the last deal's match and of the one before that have ended.
        match: the last match that a person has ended.
        locked: no other hand begins.
        paused: people have stopped the table.
        players: who sits there, where a person has said so.
        standing: where the match stood after the last order that changed it.
        stood: the rules at that order.
        setup: the last set-up of a match.
        answers: the answers to orders of the last ten minutes before the last one.
        cut: the record was found damaged since the last outcome.
        statements: what one person has said to doubts and nobody has confirmed, as told last.
        pictures: what was kept of the moments of the last deal's open doubts: doubt, names of files.
    """

    boot: int = 1
    doubts: int = 0
    deal: DealRow | None = None
    events: tuple[str, ...] = ()
    outcome: OutcomeRow | None = None
    before: OutcomeRow | None = None
    open_doubts: tuple[DoubtRow, ...] = ()
    stage: str = ""
    board: int | None = None
    begun: Agreed | None = None
    fines: tuple[FineRow, ...] = ()
    named: DealerNamed | None = None
    dice: DiceKnown | None = None
    written: int = 0
    revisions: int = 0
    undone: str | None = None
    fined: Quad = (0, 0, 0, 0)
    said: int = 0
    adjustments: int = 0
    played: tuple[PlayedDeal, ...] = ()
    match: MatchRow | None = None
    paused: bool = False
    locked: bool = False
    players: PlayersNamed | None = None
    standing: Standing | None = None
    stood: Agreed | None = None
    setup: SetupRow | None = None
    answers: tuple[AnswerRow, ...] = ()
    cut: bool = False
    statements: tuple[Said, ...] = ()
    pictures: tuple[tuple[int, tuple[str, ...]], ...] = ()
