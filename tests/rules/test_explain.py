"""What was seen between two looks becomes the events that happened, or an explained ambiguity."""

from __future__ import annotations

import time
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from rules.events import Claimed, Discarded, Drew, Event, KongDeclared, MeldKind, WallExhausted, Won
from rules.explain import Seen, explain, proven_win, unread_wins
from rules.record import format_event, parse_record
from rules.sets import load
from rules.state import TableState, public, public_event
from rules.table import replay
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from random_dealer import PlayDeal

    from rules.ruleset import RuleSet

CARD = load("cixi-card")
PLATFORM = load("cixi-platform")
OPENING = """
deal 0
indicator 1m
"""


def at(record: str, rules: RuleSet = CARD) -> TableState:
    return replay(parse_record(OPENING + record), rules)


def told(state: TableState, seen: Seen, rules: RuleSet = CARD) -> list[list[str]]:
    return [[format_event(event) for event in events] for events in explain(state, seen, rules)]


def placed(text: str) -> tuple[tuple[Seat, Tile], ...]:
    """``"1 5p, 2 E"``: tiles with their seats."""
    pairs = (item.split() for item in text.split(","))
    return tuple((Seat(int(seat)), Tile.parse(tile)) for seat, tile in pairs)


def group(seat: int, text: str) -> tuple[Seat, tuple[Tile, ...]]:
    return Seat(seat), parse_tiles(text)


def test_nothing_seen_means_that_nothing_happened() -> None:
    assert told(at("discard 0 5p"), Seen()) == [[]]


def test_a_discard_implies_the_draw_before_it() -> None:
    assert told(at("discard 0 5p"), Seen(pond_added=placed("1 E"))) == [["draw 1", "discard 1 E"]]


def test_discards_of_several_players_in_one_look_follow_the_turn_order() -> None:
    seen = Seen(pond_added=placed("2 9p, 1 E, 3 C"))
    assert told(at("discard 0 5p"), seen) == [
        ["draw 1", "discard 1 E", "draw 2", "discard 2 9p", "draw 3", "discard 3 C"]
    ]


def test_sets_that_may_have_been_made_in_any_order_are_told_as_they_lie_in_their_row() -> None:
    state = at("discard 0 5s\ndraw 1\ndiscard 1 4m\ndraw 2\ndiscard 2 C\ndraw 3\ndiscard 3 N\ndraw 0")
    nines, threes = group(2, "999p"), group(2, "333m")
    for row in ((nines, threes), (threes, nines)):
        seen = Seen(pond_added=placed("2 W, 3 S, 2 8m"), meld_added=row)
        ways = explain(state, seen, CARD)
        claims = [[event for event in way if isinstance(event, Claimed)] for way in ways]
        (made,) = (sets for sets in claims if {event.from_seat for event in sets} == {Seat.S0})
        assert [event.tiles for event in made] == [tiles for _, tiles in row]


def test_two_discards_of_one_player_keep_the_order_of_the_pond() -> None:
    seen = Seen(pond_added=placed("1 E, 2 9p, 3 C, 0 1s, 1 W"))
    (events,) = told(at("discard 0 5p"), seen)
    assert [event for event in events if event.startswith("discard 1")] == ["discard 1 E", "discard 1 W"]


def test_the_turn_tells_whose_the_tiles_of_a_common_pond_are() -> None:
    seen = Seen(common_added=((Tile.P9,), (Tile.EAST,)))
    assert told(at("discard 0 5p"), seen) == [["draw 1", "discard 1 9p", "draw 2", "discard 2 E"]]


def test_tiles_that_came_into_a_common_pond_together_may_be_anybody_s() -> None:
    seen = Seen(common_added=((Tile.P9, Tile.EAST),))
    assert sorted(told(at("discard 0 5p"), seen)) == [
        ["draw 1", "discard 1 9p", "draw 2", "discard 2 E"],
        ["draw 1", "discard 1 E", "draw 2", "discard 2 9p"],
    ]


@pytest.mark.parametrize(
    ("together", "orders"),
    [
        ([(Tile.P9, Tile.EAST, Tile.M1, Tile.S1)], 24),
        ([(Tile.P9, Tile.EAST, Tile.M1, Tile.S1, Tile.S2)], 0),
        ([(Tile.P9, Tile.EAST), (Tile.M1, Tile.S1), (Tile.S2, Tile.S3)], 8),
        ([(Tile.P9, Tile.P9, Tile.P9, Tile.EAST, Tile.EAST)], 10),
        ([(Tile.P9, Tile.EAST, Tile.M1), (Tile.S1, Tile.S2, Tile.S3)], 0),
    ],
)
def test_where_nobody_could_say_which_of_so_many_orders_it_was_none_is_looked_for(
    together: list[tuple[Tile, ...]], orders: int
) -> None:
    ways = told(at("discard 0 5p"), Seen(common_added=tuple(together)))
    assert len({tuple(way) for way in ways}) == orders


def test_a_tile_of_a_common_pond_is_taken_from_whoever_threw_it_last() -> None:
    seen = Seen(pond_removed=placed("0 5p"), meld_added=(group(3, "555p"),), common_added=((Tile.EAST,),))
    assert told(at("discard 0 5p"), seen) == [["claim 3 peng 555p took 5p from 0", "discard 3 E"]]


def test_a_discard_out_of_turn_is_unexplainable() -> None:
    assert told(at("discard 0 5p"), Seen(pond_added=placed("3 E"))) == []


def test_a_fifth_copy_is_unexplainable() -> None:
    state = at("discard 0 5p\ndraw 1\ndiscard 1 5p\ndraw 2\ndiscard 2 5p\ndraw 3\ndiscard 3 5p")
    assert told(state, Seen(pond_added=placed("0 5p"))) == []


def test_the_indicator_and_the_first_discard_in_one_look() -> None:
    state = replay(parse_record("deal 2"), CARD)
    seen = Seen(indicator=Tile.M1, pond_added=placed("2 E"))
    assert told(state, seen) == [["indicator 1m", "discard 2 E"]]


@pytest.mark.parametrize(
    ("seat", "tiles", "kind"),
    [(2, "555p", "peng"), (2, "5555p", "kong"), (1, "456p", "chi"), (1, "567p", "chi")],
)
def test_a_claim_takes_the_tile_from_the_pond(seat: int, tiles: str, kind: str) -> None:
    seen = Seen(pond_removed=placed("0 5p"), meld_added=(group(seat, tiles),))
    assert told(at("discard 0 5p"), seen) == [[f"claim {seat} {kind} {tiles} took 5p from 0"]]


def test_a_claim_and_the_claimers_discard_in_one_look() -> None:
    seen = Seen(pond_removed=placed("0 5p"), meld_added=(group(3, "555p"),), pond_added=placed("3 9s, 0 E"))
    assert told(at("discard 0 5p"), seen) == [
        ["claim 3 peng 555p took 5p from 0", "discard 3 9s", "draw 0", "discard 0 E"]
    ]


def test_a_claim_while_the_tile_still_lies_in_the_pond_is_unexplainable() -> None:
    state = at("discard 0 5p\ndraw 1\ndiscard 1 5p")
    assert told(state, Seen(meld_added=(group(3, "555p"),))) == []


def test_a_claim_of_a_tile_that_is_seen_to_lie_is_unexplainable() -> None:
    seen = Seen(pond_added=placed("1 5p"), meld_added=(group(3, "555p"),))
    assert not any("from 1" in event for reading in told(at("discard 0 E"), seen) for event in reading)


def test_chi_by_another_than_the_next_player_is_unexplainable() -> None:
    seen = Seen(pond_removed=placed("0 5p"), meld_added=(group(2, "456p"),))
    assert told(at("discard 0 5p"), seen) == []


def test_a_tile_that_left_without_a_claim_is_unexplainable() -> None:
    assert told(at("discard 0 5p"), Seen(pond_removed=placed("0 5p"))) == []


def test_a_kong_implies_its_replacement_only_when_a_move_follows() -> None:
    state = at("discard 0 5p")
    kong = Seen(pond_removed=placed("0 5p"), meld_added=(group(2, "5555p"),))
    assert told(state, kong) == [["claim 2 kong 5555p took 5p from 0"]]
    moved = Seen(pond_removed=placed("0 5p"), meld_added=(group(2, "5555p"),), pond_added=placed("2 E"))
    assert told(state, moved) == [["claim 2 kong 5555p took 5p from 0", "draw 2 replacement", "discard 2 E"]]


@pytest.mark.parametrize("tiles", ["back 7s 7s back", "back back back 7s", "7777s"])
def test_a_concealed_kong_is_known_by_its_backs_or_by_being_whole(tiles: str) -> None:
    seen = Seen(meld_added=(group(1, tiles),))
    assert told(at("discard 0 5p"), seen) == [["draw 1", "declare 1 concealed_kong 7s"]]


def test_a_kong_of_backs_only_is_unexplainable() -> None:
    seen = Seen(meld_added=(group(1, "back back back back"),))
    assert told(at("discard 0 5p"), seen) == []


@pytest.mark.parametrize("tiles", ["5p", "5555p"])
def test_the_fourth_tile_beside_a_peng_is_an_added_kong(tiles: str) -> None:
    peng = "discard 0 5p\nclaim 1 peng 555p took 5p from 0\ndiscard 1 E\n"
    state = at(peng + "draw 2\ndiscard 2 E\ndraw 3\ndiscard 3 E")
    later = at(peng + "draw 2\ndiscard 2 E\ndraw 3\ndiscard 3 E\ndraw 0\ndiscard 0 W")
    assert told(state, Seen(meld_added=(group(1, tiles),))) == []
    seen = Seen(meld_added=(group(1, tiles),), pond_added=placed("1 N"))
    assert told(later, seen) == [["draw 1", "declare 1 added_kong 5p", "draw 1 replacement", "discard 1 N"]]


def test_a_set_whose_tile_was_never_seen_lying_has_every_possible_source() -> None:
    state = at("discard 0 E\ndraw 1")
    (only,) = told(state, Seen(meld_added=(group(3, "555p"),), pond_added=placed("3 W")))
    assert only == ["discard 1 5p", "claim 3 peng 555p took 5p from 1", "discard 3 W"]
    readings = told(state, Seen(meld_added=(group(2, "456p"),)))
    assert sorted(reading[0] for reading in readings) == ["discard 1 4p", "discard 1 5p", "discard 1 6p"]


THIRTEEN = "2m 46p 456p 789s 23s 55p"  # with 2m as the dragon it waits for 5p and others


def test_a_win_with_the_tile_left_in_the_pond() -> None:
    seen = Seen(shown=(group(2, THIRTEEN),))
    assert told(at("discard 0 5p"), seen) == [["win 2 hand 2m 44555566p 23789s on 5p from 0"]]


def test_a_win_with_the_tile_put_with_the_hand() -> None:
    for shown, apart in ((THIRTEEN + " 5p", None), (THIRTEEN + " 5p", Tile.P5)):
        seen = Seen(pond_removed=placed("0 5p"), shown=(group(2, shown),), apart=apart)
        (events,) = told(at("discard 0 5p"), seen)
        assert len(events) == 1
        assert events[0].endswith("on 5p from 0")


def test_a_win_on_a_discard_seen_in_the_same_look() -> None:
    seen = Seen(pond_added=placed("1 5p"), shown=(group(0, THIRTEEN),))
    (events,) = told(at("discard 0 E"), seen)
    assert [event.split()[0] for event in events] == ["draw", "discard", "win"]


def test_a_self_draw_with_the_tile_apart_or_among_the_others() -> None:
    state = at("discard 0 E")
    for shown, apart, tile in ((THIRTEEN + " 5p", None, "?"), (THIRTEEN + " 5p", Tile.P5, "5p")):
        (events,) = told(state, Seen(shown=(group(1, shown),), apart=apart))
        assert events[0] == "draw 1"
        assert events[1].endswith(f"on {tile}")
        assert "from" not in events[1]


def test_a_hand_of_which_a_tile_was_not_found_is_no_win_with_the_tile_apart_counted_twice() -> None:
    shown = (group(1, THIRTEEN),)  # Its 5p lies apart; one of its fourteen tiles was overlooked.
    assert told(at("discard 0 E"), Seen(shown=shown, apart=Tile.P5)) == []
    taken = Seen(pond_removed=placed("0 5p"), shown=(group(2, THIRTEEN),), apart=Tile.P5)
    assert told(at("discard 0 5p"), taken) == []


def test_a_self_draw_by_a_player_who_is_not_next_is_unexplainable() -> None:
    assert told(at("discard 0 E"), Seen(shown=(group(2, THIRTEEN + " 5p"),))) == []


def test_a_win_on_a_discard_that_nobody_saw_is_not_assumed() -> None:
    assert told(at("discard 0 E\ndraw 1"), Seen(shown=(group(2, THIRTEEN + " 5p"),), apart=Tile.P5)) == []


@pytest.mark.parametrize("record", ["discard 0 E\ndraw 1", "discard 0 E", "discard 3 E"])
def test_a_win_on_a_discard_that_nobody_saw_is_told_when_it_is_asked_for(record: str) -> None:
    dealer = 3 if "3" in record else 0
    state = replay(parse_record(f"deal {dealer}\nindicator 1m\n{record}"), CARD)
    hand = parse_tiles(THIRTEEN + " 5p")
    giver = (dealer + 1) % 4
    winner = (giver + 1) % 4
    (way,) = unread_wins(state, Seen(shown=((Seat(winner), hand),), apart=Tile.P5), CARD)
    assert [format_event(event) for event in way][-2:] == [
        f"discard {giver} 5p",
        format_event(Won(Seat(winner), tuple(sorted(hand)), Tile.P5, Seat(giver))),
    ]


def test_a_win_on_a_discard_that_nobody_saw_is_proven_only_of_who_could_not_have_drawn_it() -> None:
    hand = parse_tiles(THIRTEEN + " 5p")
    state = at("discard 0 E\ndraw 1")
    proven = [
        winner for winner in SEATS if proven_win(state, Seen(shown=((winner, hand),), apart=Tile.P5), CARD)
    ]
    assert proven == [Seat.S0, Seat.S3]
    assert proven_win(state, Seen(shown=((Seat.S3, hand),)), CARD) == ()


def test_where_no_tile_lies_apart_each_tile_of_the_hand_may_have_been_won_with() -> None:
    hand = parse_tiles(THIRTEEN + " 5p")
    ways = unread_wins(at("discard 0 E\ndraw 1"), Seen(shown=((Seat(2), hand),)), CARD)
    assert {way[-1].tile for way in ways if isinstance(way[-1], Won)} == set(hand) - {
        Tile.M2
    }  # the wild tile is never won with


def test_a_win_that_is_seen_needs_no_discard_that_nobody_saw() -> None:
    seen = Seen(shown=(group(2, THIRTEEN),), pond_added=placed("1 5p"))
    (way,) = unread_wins(at("discard 0 E\ndraw 1"), seen, CARD)
    assert way == explain(at("discard 0 E\ndraw 1"), seen, CARD)[0]
    assert unread_wins(at("discard 0 E\ndraw 1"), Seen(), CARD) == ()


def test_a_hand_that_does_not_win_is_unexplainable() -> None:
    seen = Seen(shown=(group(1, "147m 258p 369s 11s EEE"),))
    assert told(at("discard 0 E"), seen) == []


def test_a_hand_of_the_wrong_size_is_unexplainable() -> None:
    assert told(at("discard 0 5p"), Seen(shown=(group(2, "46p 456p 789s 23s 55p"),))) == []


def test_other_hands_may_be_laid_open_beside_the_winners() -> None:
    seen = Seen(shown=(group(2, THIRTEEN), group(3, "147m 258p 369s ESWN")))
    (events,) = told(at("discard 0 5p"), seen)
    assert events[0].startswith("win 2")


def test_two_open_hands_that_both_win_are_two_readings() -> None:
    seen = Seen(shown=(group(2, "345m 678m 46p 999s FF"), group(3, "123s 456s 789s 46p CC")))
    readings = told(at("discard 0 5p"), seen)
    assert sorted(reading[0].split()[1] for reading in readings) == ["2", "3"]


def test_a_self_draw_after_a_kong_in_one_look() -> None:
    seen = Seen(
        pond_removed=placed("0 9p"), meld_added=(group(1, "9999p"),), shown=(group(1, "456m 789s 66s 567s"),)
    )
    (events,) = told(at("discard 0 9p"), seen)
    assert [event.split()[0] for event in events] == ["claim", "draw", "win"]


ROBBED = """discard 0 6s
claim 1 peng 666s took 6s from 0
discard 1 E
draw 2
discard 2 W
draw 3
discard 3 W
draw 0
discard 0 W
"""


def test_a_robbed_kong_with_the_tile_left_or_taken() -> None:
    hand = "456m 789s 123s 57s 99p"
    state = at(ROBBED)
    same_look = Seen(meld_added=(group(1, "6s"),), shown=(group(3, hand),))
    (events,) = told(state, same_look)
    assert events[1] == "declare 1 added_kong 6s"
    assert events[2].endswith("on 6s from 1")
    declared = at(ROBBED + "draw 1\ndeclare 1 added_kong 6s")
    taken = Seen(meld_removed=placed("1 6s"), shown=(group(3, hand + " 6s"),), apart=Tile.S6)
    (events,) = told(declared, taken)
    assert events[0].endswith("on 6s from 1")


def test_the_end_needs_an_exhausted_wall() -> None:
    assert told(at("discard 0 5p"), Seen(ended=True)) == []
    record = ["discard 0 1p"]
    tiles = [tile for tile in CARD.tiles if tile not in {Tile.P1, Tile.M1}]
    for turn in range(82):
        seat = (turn + 1) % 4
        record += [f"draw {seat}", f"discard {seat} {tiles[turn]}"]
    last = at("\n".join(record[:-1]))
    assert told(last, Seen(pond_added=placed(f"2 {tiles[81]}"), ended=True)) == [
        [f"discard 2 {tiles[81]}", "exhausted"]
    ]
    assert told(at("\n".join(record)), Seen(ended=True)) == [["exhausted"]]


def test_after_the_end_nothing_on_the_table_counts() -> None:
    state = at(f"discard 0 5p\nwin 2 hand {THIRTEEN} 5p on 5p from 0")
    assert told(state, Seen(pond_removed=placed("0 5p"), ended=True)) == [[]]


def test_a_picture_beyond_all_reason_is_given_up_within_50_ms() -> None:
    piles = tuple((seat, tile) for tile in CARD.tiles[:60] for seat in SEATS)
    sets = tuple((Seat(n % 4), parse_tiles("456p")) for n in range(12))
    start = time.process_time()
    assert explain(at("discard 0 5p"), Seen(pond_added=piles, meld_added=sets), CARD) == ()
    assert time.process_time() - start < 0.5


def difference(before: TableState, after: TableState, *, put_with_hand: bool) -> Seen:
    """What a camera sees of `after` that `before` does not account for."""
    added, removed, groups = [], [], []
    for seat in SEATS:
        old, new = Counter(before.ponds[seat]), Counter(after.ponds[seat])
        gone, fresh = old - new, new - old
        removed += [(seat, tile) for tile in gone.elements()]
        added += [(seat, tile) for tile in after.ponds[seat][len(after.ponds[seat]) - fresh.total() :]]
        groups += _new_groups(seat, before, after)
    won = after.result
    shown: tuple[tuple[Seat, tuple[Tile, ...]], ...] = ()
    if isinstance(won, Won):
        hand = list(won.hand)
        if won.from_seat is not None and not put_with_hand:
            hand.remove(won.tile)
            # The tile stays where it was discarded.
            if (won.from_seat, won.tile) in removed:
                removed.remove((won.from_seat, won.tile))
            else:
                added.append((won.from_seat, won.tile))
        shown = ((won.seat, tuple(hand)),)
    return Seen(
        pond_added=tuple(added),
        pond_removed=tuple(removed),
        meld_added=tuple(groups),
        shown=shown,
        indicator=after.indicator if before.indicator is None else None,
        ended=isinstance(won, WallExhausted),
    )


def _new_groups(seat: Seat, before: TableState, after: TableState) -> list[tuple[Seat, tuple[Tile, ...]]]:
    groups: list[tuple[Seat, tuple[Tile, ...]]] = []
    old = {meld.tiles[:3] for meld in before.hands[seat].melds if meld.kind is MeldKind.PENG}
    for meld in (Counter(after.hands[seat].melds) - Counter(before.hands[seat].melds)).elements():
        if meld.kind is MeldKind.CONCEALED_KONG:
            groups.append((seat, (Tile.BACK, *meld.tiles[:2], Tile.BACK)))
        elif meld.kind is MeldKind.ADDED_KONG and meld.tiles[:3] in old:
            groups.append((seat, meld.tiles[:1]))
        else:
            groups.append((seat, meld.tiles))
    return groups


def _visible(event: Event) -> bool:
    return not isinstance(event, Drew)


def looks(
    steps: Sequence[tuple[TableState, Event, TableState]], every: int
) -> Iterator[tuple[TableState, tuple[Event, ...], TableState]]:
    """Stretches of a deal with `every` visible events each; draws belong to the move after them."""
    start, events, count = steps[0][0], [], 0
    for _, event, after in steps:
        events.append(public_event(event))
        count += _visible(event)
        if count == every or after.result is not None:
            yield start, tuple(events), after
            start, events, count = after, [], 0


@pytest.mark.parametrize("rules", [CARD, PLATFORM], ids=["card", "platform"])
@pytest.mark.parametrize("seed", range(12))
def test_every_step_of_a_random_deal_is_found_again(seed: int, rules: RuleSet, play_deal: PlayDeal) -> None:
    steps = list(play_deal(rules, seed))[1:]
    for before, events, after in looks(steps, every=1):
        robbed = isinstance(events[-1], Won) and isinstance(before.log[-1], KongDeclared)
        seen = difference(public(before), public(after), put_with_hand=False)
        expected = events
        if isinstance(events[-1], Won) and events[-1].from_seat is None:
            expected = (*events[:-1], Won(events[-1].seat, events[-1].hand))
        if not robbed:
            assert explain(public(before), seen, rules) == (expected,)


@pytest.mark.parametrize("every", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_several_moves_in_one_look_are_found_among_the_readings(
    seed: int, every: int, play_deal: PlayDeal
) -> None:
    steps = list(play_deal(CARD, seed))[1:]
    slowest = 0.0
    for before, events, after in looks(steps, every):
        taken_unseen = any(
            isinstance(event, Claimed | Won) and isinstance(earlier, Discarded)
            for earlier, event in pairwise(events)
        )
        seen = difference(public(before), public(after), put_with_hand=False)
        start = time.process_time()
        readings = explain(public(before), seen, CARD)
        slowest = max(slowest, time.process_time() - start)
        if not taken_unseen:
            assert events in readings or isinstance(events[-1], Won)
    assert slowest < 0.5
