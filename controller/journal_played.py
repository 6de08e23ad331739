"""The deals of this match and of the one before it, gathered from the journal's rows in any order. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field

from controller.agreed import Agreed
from controller.journal_deals import DealRow, EventRow, OutcomeRow, RevisionRow
from controller.journal_revisions import told
from controller.journal_rows import Row
from controller.journal_start import PlayedDeal


@dataclass(slots=True)
class _Deal:
    row: DealRow
    events: list[EventRow] = field(default_factory=list)
    revisions: list[RevisionRow] = field(default_factory=list)
    outcome: OutcomeRow | None = None


@dataclass(slots=True)
class PlayedSoFar:
    """Told a deal's row before the other rows of the deal, it knows what was played."""

    deals: dict[int, _Deal] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take a row into account."""
        if isinstance(row, DealRow):
            kept = {n: deal for n, deal in self.deals.items() if deal.row.match_no >= row.match_no - 1}
            self.deals = {**kept, row.deal: _Deal(row)}
            return
        deal = self.deals.get(row.deal) if isinstance(row, EventRow | RevisionRow | OutcomeRow) else None
        if deal is None:
            return
        match row:
            case EventRow():
                deal.events.append(row)
            case RevisionRow():
                deal.revisions.append(row)
            case OutcomeRow():
                deal.outcome = row

    def played(self, rules_at: Callable[[int, float], Agreed | None]) -> tuple[PlayedDeal, ...]:
        """The deals that have ended, in their order; `rules_at` gives the rules at a time of a start."""
        return tuple(
            PlayedDeal(
                deal.row,
                told(deal.events, deal.revisions),
                deal.outcome,
                rules_at(deal.row.boot, deal.row.at),
                len(deal.events),
            )
            for _, deal in sorted(self.deals.items())
            if deal.outcome is not None
        )
