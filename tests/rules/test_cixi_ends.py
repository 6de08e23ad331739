"""Penalties and the end of a deal: false wins, the reserve, the last tile, losers who are short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cixi_deals import CARD, LAP, PLAIN, PLATFORM, START, at, refused, settled

from rules.deal import ranking
from rules.events import Claimed, Discarded, Drew, IllegalEvent, KongDeclared, MeldKind, WallExhausted
from rules.scoring import Unsettled, fines, settle
from rules.sets import load
from rules.table import apply, is_exhausted
from rules.tiles import Seat, Tile

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.state import TableState


# §9


def test_false_wins_are_fined_each_time_from_what_is_left_and_the_win_of_another_is_settled_after_them() -> (
    None
):
    # Articles: R35.
    record = START + LAP + "discard 0 5p\nfalse_win 2 hand\n"
    again = "draw 1\ndiscard 1 1s\nfalse_win 2 hand\n"
    state = at(record + again)
    assert fines(state, CARD) == (48, 48, -144, 48)
    assert fines(state, CARD, (100, 100, 100, 100)) == (33, 33, -99, 33)
    won = record + again + f"win 3 hand {PLAIN} 1s on 1s from 1"
    paid = fines(at(won), CARD, (100, 100, 100, 100))
    assert paid == (33, 33, -99, 33)
    found = settle(at(won), CARD, (133, 133, 1, 133))
    assert found.payments == (-7, -14, -1, 22)
    assert CARD.match_over((126, 119, 0, 155), found)


def test_after_a_false_self_draw_a_discard_follows_and_after_one_on_a_discard_claims_stand() -> None:
    # Articles: §9.
    own = START + LAP + "false_win 0 hand\n"
    assert at(own + "discard 0 5p").turn is Seat.S0
    other = START + LAP + "discard 0 5p\nfalse_win 2 hand\n"
    assert at(other + "claim 3 peng 555p took 5p from 0").turn is Seat.S3
    assert at(other + "claim 2 peng 555p took 5p from 0").turn is Seat.S2
    assert at(other + "draw 1").turn is Seat.S1


def test_who_is_found_a_tile_short_and_declares_is_fined() -> None:
    # Articles: §9.
    record = START + "barred 2 because a tile short\n" + LAP + "discard 0 5p\nfalse_win 2 hand\n"
    assert fines(at(record), CARD) == (24, 24, -72, 24)
    assert "may not win" in refused(record + f"win 2 hand {PLAIN} 5p on 5p from 0")


def test_a_false_win_shows_no_hand_that_can_not_be() -> None:
    record = START + LAP + "discard 0 5p\n"
    assert "5 copies of 2m" in refused(record + "false_win 2 hand 22222m 147p")
    assert "copies of ?" in refused(record + "false_win 2 hand 22m ?")
    # A tile too many is one of the ways to be wrong.
    assert at(record + "false_win 2 hand 22m 147p 258s ESWNCFP5p9p").phase == "claim"


def test_a_fine_by_dragons_asks_for_the_hand_where_it_was_not_told() -> None:
    # Articles: R35.
    rules = load("cixi-card", {"zhahu": "formula"})
    with pytest.raises(Unsettled) as missing:
        fines(at(START + "false_win 0 hand\n", rules), rules)
    assert missing.value.question == "false_win_hand"
    told = at(START + "false_win 0 hand 222m 147p 258s ESWNC\n", rules)
    assert fines(told, rules) == (-84, 28, 28, 28)


# §10


KEPT = {Tile.P1, Tile.P2, Tile.P3, Tile.P9, Tile.EAST}


def drawn_out(rules: RuleSet, kongs: int) -> TableState:
    """Seat 1's first turn declares so many concealed kongs; then all draw and throw, 9p at the very last."""
    state = at(START + "discard 0 E\ndraw 1\n", rules)
    for tile in (Tile.P1, Tile.P2, Tile.P3)[:kongs]:
        state = apply(state, KongDeclared(Seat.S1, MeldKind.CONCEALED_KONG, tile), rules)
        state = apply(state, Drew(Seat.S1, replacement=True), rules)
    pond = [tile for tile in rules.tiles if tile > Tile.M2 and tile not in KEPT]
    state = apply(state, Discarded(Seat.S1, pond.pop()), rules)
    while not is_exhausted(state, rules):
        seat = state.turn.next
        state = apply(state, Drew(seat), rules)
        is_last = state.wall.left == rules.reserve(state.kongs)
        state = apply(state, Discarded(seat, Tile.P9 if is_last else pond.pop()), rules)
    return state


@pytest.mark.parametrize("kongs", [0, 1, 3])
def test_the_reserve_shrinks_by_a_stack_with_every_kong(kongs: int) -> None:
    # Articles: R36.
    state = drawn_out(PLATFORM, kongs)
    assert state.wall.left == 34 - 2 * kongs
    assert drawn_out(CARD, kongs).wall.left == 0


def test_at_the_limit_the_last_discard_may_be_claimed_and_a_kong_still_draws() -> None:
    # Articles: R36.
    state = drawn_out(PLATFORM, 0)
    giver, tile = state.last_discard or (Seat.S0, Tile.EAST)
    seat = giver.after(2)
    claim = Claimed(seat, MeldKind.PENG, (tile,) * 3, tile, giver)
    assert apply(state, claim, PLATFORM).turn is seat
    kong = apply(state, Claimed(seat, MeldKind.KONG, (tile,) * 4, tile, giver), PLATFORM)
    drew = apply(kong, Drew(seat, replacement=True), PLATFORM)
    assert (drew.wall.left, PLATFORM.reserve(drew.kongs)) == (33, 32)
    thrown = apply(drew, Discarded(seat, Tile.P5), PLATFORM)
    assert not is_exhausted(thrown, PLATFORM)
    assert apply(thrown, Drew(seat.next), PLATFORM).wall.left == 32
    with pytest.raises(IllegalEvent, match="no tile can be drawn"):
        apply(state, Drew(giver.next), PLATFORM)


def test_with_no_tile_left_no_kong_can_be_made() -> None:
    # Articles: R36.
    state = drawn_out(CARD, 0)
    giver, tile = state.last_discard or (Seat.S0, Tile.EAST)
    with pytest.raises(IllegalEvent, match="no tile is left"):
        apply(state, Claimed(giver.after(2), MeldKind.KONG, (tile,) * 4, tile, giver), CARD)
    over = apply(state, WallExhausted(), CARD)
    assert CARD.next_dealer(over) is Seat.S0


def test_a_match_with_points_ends_at_zero_whether_or_not_payments_are_capped() -> None:
    # Articles: §10.
    for rules in (load("cixi-card", {"cap_at_stack": "off"}), load("cixi-platform", {"start_points": 1000})):
        assert rules.match_over((130, -6, 83, 193), None)
        assert not rules.match_over((130, 1, 83, 186), None)
    assert not PLATFORM.match_over((130, -6, 83, -207), None)


def test_the_end_of_a_match_ranks_the_seats_and_equal_points_share_a_place() -> None:
    # Articles: §10.
    assert ranking((126, 119, 0, 155)) == (2, 3, 4, 1)
    assert ranking((400, 0, 0, 0)) == (1, 2, 2, 2)
    assert ranking((-5, 30, 30, 345)) == (4, 2, 2, 1)


def test_two_losers_who_are_short_pay_what_they_have() -> None:
    # Articles: §10, R38.
    record = START + LAP + f"draw 1\nwin 1 hand {PLAIN} 5p on 5p".replace("draw 1\n", "discard 0 C\ndraw 1\n")
    assert settled(record, CARD, (5, 100, 9, 286)).payments == (-5, 28, -9, -14)
    assert settled(record, PLATFORM, (5, 100, 9, 286)).payments == (-14, 42, -14, -14)
