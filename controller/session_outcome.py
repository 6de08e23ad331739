"""The journal's row for a deal that has ended. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from controller.journal_deals import EndOfDeal, OutcomeRow
from controller.match import Match, MatchStep
from controller.public import AmendedSettlement, PhaseName, Settlement, encode
from controller.session_notes import Notes
from controller.view import drawn_payload, settlement_payload, text, texts
from rules.events import Won
from rules.ruleset import RuleSet
from rules.settlement import Settlement as Account
from rules.state import Balances, TableState

ENDED: Final[dict[EndOfDeal, PhaseName]] = {
    "won": "settled",
    "drawn": "drawn",
    "withheld": "idle",
    "abandoned": "idle",
}
"""The phase that is shown after a deal that ended so."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a deal ended: why without a settlement (`reason`), the account of a won one, what follows.

    `author` has abandoned, entered or corrected it, else "table". `before` are the points before the deal,
    `fined` what false wins in it have cost, `answers` what people have answered to the rules' questions.
    """

    how: EndOfDeal
    step: MatchStep
    account: Account | None = None
    reason: str = ""
    author: str = "table"
    before: Balances | None = None
    fined: Balances | None = None
    answers: Mapping[str, str] = field(default_factory=dict)


def outcome_payload(outcome: Outcome, table: TableState, match: Match, rules: RuleSet) -> Settlement | None:
    """What is published of a deal's end, None where nothing is settled."""
    step = outcome.step
    payload: Settlement | None = None
    if outcome.account is not None:
        payload = settlement_payload(
            outcome.account, table, match, step.balances, rules=rules, match_over=step.over
        )
    elif outcome.how == "drawn":
        payload = drawn_payload(table, match, step.balances, match_over=step.over)
    return payload


def amended(payload: Settlement, **fields: Any) -> AmendedSettlement:
    """The settlement with what a person has to do with it."""
    return AmendedSettlement(**{**msgspec.structs.asdict(payload), **fields})


def outcome_row(
    deal: int, table: TableState, outcome: Outcome, payload: Settlement | None, notes: Notes
) -> OutcomeRow:
    """What is kept of a deal: the table as it was left, the winner, the payments, what follows."""
    won = table.result if isinstance(table.result, Won) else None
    step, account = outcome.step, outcome.account
    return OutcomeRow(
        deal=deal,
        boot=notes.boot,
        at=notes.now,
        how=outcome.how,
        reason=outcome.reason,
        indicator=text(table.indicator),
        wild=text(table.wild),
        ponds=tuple(map(texts, table.ponds)),
        melds=_melds(table),
        winner=None if won is None else int(won.seat),
        from_seat=None if won is None or won.from_seat is None else int(won.from_seat),
        tile=None if won is None else str(won.tile),
        hand=() if won is None else texts(won.hand),
        payments=account.payments if account is not None else (0, 0, 0, 0),
        balances=step.balances,
        dealer_next=int(step.after.dealer),
        kept_next=step.after.kept,
        match_over=step.over,
        certain=step.after.certain,
        settlement="" if payload is None else encode(payload).decode(),
        author=outcome.author,
        answers=dict(outcome.answers),
        before=outcome.before,
        fined=outcome.fined,
    )


def _melds(table: TableState) -> tuple[tuple[tuple[str, tuple[str, ...], int | None], ...], ...]:
    return tuple(
        tuple(
            (
                str(meld.kind),
                texts(meld.tiles),
                None if meld.taken_from is None else int(meld.taken_from),
            )
            for meld in hand.melds
        )
        for hand in table.hands
    )


def payload_of(row: OutcomeRow) -> Settlement | None:
    """The settlement that was published for an outcome, None where nothing was settled."""
    kind = Settlement if row.author == "table" and row.edition == 1 else AmendedSettlement
    return msgspec.json.decode(row.settlement, type=kind) if row.settlement else None
