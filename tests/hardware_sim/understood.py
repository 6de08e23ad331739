"""Three deals in memory, and the rows of a controller that has understood them."""

from controller.journal_deals import DealRow, OutcomeRow
from hardware_sim.truth import DealTruth, deal_truth, first_match, next_match, settled
from hardware_sim.world_memory import play_deal
from rules.ruleset import RuleSet
from rules.state import Balances


async def three_deals(rules: RuleSet) -> tuple[tuple[DealTruth, ...], tuple[Balances, ...]]:
    """The deals, and the points each began with; the second is won by a discard, with melds on the table."""
    match = first_match(rules)
    deals, before = [], []
    for number, seed in enumerate((7, 8, 9), start=1):
        _, played = await play_deal(seed, rules, match=match)
        before.append(match.balances)
        deals.append(deal_truth(number, played.state, match, rules, fetched=played.fetched))
        match = next_match(match, played.state, settled(played.state, match, rules), rules)
    assert deals[1].from_seat is not None
    assert any(deals[1].melds)
    return tuple(deals), tuple(before)


def deal_row(deal: DealTruth, balances: Balances, *, at: float = 0.0) -> DealRow:
    """The row of a deal that has begun."""
    return DealRow(
        deal=deal.deal,
        boot=1,
        at=at,
        match_no=deal.match_no,
        hand_no=deal.deal,
        dealer=deal.dealer,
        balances=balances,
    )


def outcome_row(deal: DealTruth, *, at: float = 0.0) -> OutcomeRow:
    """The row of a deal that was settled as it was played; the hand's tiles stand in another order."""
    return OutcomeRow(
        deal=deal.deal,
        boot=1,
        at=at,
        how="won",
        reason="",
        indicator=deal.indicator,
        wild=deal.wild,
        ponds=deal.ponds,
        melds=deal.melds,
        winner=deal.winner,
        from_seat=deal.from_seat,
        tile=deal.tile,
        hand=tuple(reversed(deal.hand)),
        payments=deal.payments,
        balances=deal.balances,
        dealer_next=0,
        kept_next=0,
        match_over=False,
        certain=True,
        settlement="",
    )
