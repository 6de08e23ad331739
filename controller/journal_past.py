"""What a start finds, gathered from the journal's rows as they are written or read. Pure."""

from collections import deque
from dataclasses import dataclass, field
from functools import partial

import msgspec

from controller.agreed import in_force
from controller.journal_deals import (
    DealRow,
    DoubtEndRow,
    DoubtRow,
    EventRow,
    FineRow,
    OutcomeRow,
    RevisionRow,
)
from controller.journal_decisions import DealerNamed, DiceKnown, PlayersNamed, Said, Standing
from controller.journal_played import PlayedSoFar
from controller.journal_revisions import fined, said, told, undone
from controller.journal_rows import (
    AdjustmentRow,
    AnswerRow,
    BootRow,
    DecisionRow,
    InputRow,
    MatchRow,
    Row,
    SetupRow,
)
from controller.journal_start import Past
from controller.session_inputs import Pictured, RecordCut
from controller.session_replies import REMEMBERED_S


@dataclass(slots=True)
class PastSoFar:
    """Told every row in order, it knows the past at any moment; `Journal.past` reads the same of the file."""

    boots: dict[int, BootRow] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)
    doubts: int = 0
    deal: DealRow | None = None
    events: list[EventRow] = field(default_factory=list)
    revisions: list[RevisionRow] = field(default_factory=list)
    revised: int = 0
    fines: list[FineRow] = field(default_factory=list)
    open_doubts: dict[int, DoubtRow] = field(default_factory=dict)
    outcomes: dict[int, OutcomeRow] = field(default_factory=dict)
    answers: deque[AnswerRow] = field(default_factory=deque)
    cut: bool = False
    played: PlayedSoFar = field(default_factory=PlayedSoFar)
    adjustments: int = 0
    match: MatchRow | None = None
    pictures: dict[int, tuple[str, ...]] = field(default_factory=dict)
    setups: list[SetupRow] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Take a row into account."""
        self.played.add(row)
        number = self.deal.deal if self.deal is not None else 0
        match row:
            case BootRow():
                self.boots[row.boot] = row
            case DecisionRow():
                self._decided(row)
            case DealRow():
                self._begin(row)
            case EventRow() if row.deal == number:
                self.events.append(row)
            case FineRow() if row.deal == number:
                self.fines.append(row)
            case DoubtRow():
                self.doubts = max(self.doubts, row.doubt)
                if row.deal == number:
                    self.open_doubts[row.doubt] = row
            case DoubtEndRow():
                self.open_doubts.pop(row.doubt, None)
                self.pictures.pop(row.doubt, None)
            case OutcomeRow():
                self.outcomes[row.deal] = row
                self.cut = False
            case _:
                self._add_order(row)

    def _add_order(self, row: Row) -> None:
        """What people have ordered, what is told otherwise, and that the record was found damaged."""
        match row:
            case RevisionRow():
                self.revised = max(self.revised, row.revision)
                if self.deal is not None and row.deal == self.deal.deal:
                    self.revisions.append(row)
            case InputRow() if row.kind == RecordCut.__name__:
                self.cut = True
            case AdjustmentRow():
                self.adjustments = row.adjustment
            case MatchRow():
                self.match = row
            case SetupRow():
                self.setups.append(row)
            case AnswerRow():
                self.answers.append(row)
                while self.answers[0].at < row.at - REMEMBERED_S:
                    self.answers.popleft()

    def _decided(self, row: DecisionRow) -> None:
        self.decisions[row.kind] = row.body
        kept = msgspec.json.decode(row.body, type=Pictured) if row.kind == "pictures" else None
        if kept is not None and kept.doubt in self.open_doubts:
            self.pictures[kept.doubt] = kept.names

    def _begin(self, row: DealRow) -> None:
        self.deal = row
        self.pictures = {}
        self.events, self.revisions, self.fines, self.open_doubts = [], [], [], {}
        self.outcomes = {deal: kept for deal, kept in self.outcomes.items() if deal >= row.deal - 1}

    def past(self) -> Past:
        """What a start would find now."""
        number = self.deal.deal if self.deal is not None else 0
        standing = msgspec.json.decode(self.decisions.get("standing", "null"), type=Standing | None)
        rules_at = partial(in_force, self.boots, self.setups)
        return Past(
            boot=max(self.boots, default=0) + 1,
            doubts=self.doubts,
            deal=self.deal,
            events=told(self.events, self.revisions),
            written=len(self.events),
            revisions=self.revised,
            outcome=self.outcomes.get(number),
            before=self.outcomes.get(number - 1),
            open_doubts=tuple(self.open_doubts.values()),
            stage=msgspec.json.decode(self.decisions.get("stage", '""')),
            board=msgspec.json.decode(self.decisions.get("board", "null")),
            begun=None if self.deal is None else rules_at(self.deal.boot, self.deal.at),
            named=msgspec.json.decode(self.decisions.get("dealer", "null"), type=DealerNamed | None),
            dice=msgspec.json.decode(self.decisions.get("dice", "null"), type=DiceKnown | None),
            fines=tuple(self.fines),
            fined=fined(self.fines, self.revisions),
            said=said(self.events, self.revisions),
            undone=undone(self.events, self.revisions),
            adjustments=self.adjustments,
            played=self.played.played(rules_at),
            match=self.match,
            locked=msgspec.json.decode(self.decisions.get("locked", "false")),
            paused=msgspec.json.decode(self.decisions.get("paused", "false")),
            players=msgspec.json.decode(self.decisions.get("players", "null"), type=PlayersNamed | None),
            standing=standing,
            stood=None if standing is None else rules_at(standing.boot, standing.at),
            setup=self.setups[-1] if self.setups else None,
            answers=tuple(self.answers),
            cut=self.cut,
            statements=msgspec.json.decode(self.decisions.get("said", "[]"), type=tuple[Said, ...]),
            pictures=tuple(sorted(self.pictures.items())),
        )
