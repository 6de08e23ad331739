"""Many turns that nobody has seen become the one account that matters, or several that differ in it."""

from __future__ import annotations

import time
from functools import reduce
from typing import TYPE_CHECKING

import pytest

from rules.events import Claimed, Drew, Event, MeldKind, Won
from rules.explain_seen import Claim, Group, Seen, Traces
from rules.explain_turns import explain_turns
from rules.record import format_event, parse_record
from rules.sets import load
from rules.state import TableState, public
from rules.table import apply, replay
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from random_dealer import PlayDeal

CARD = load("cixi-card")
OPENING = """
deal 0
indicator 1m
"""
PENG = (Seat.S2, parse_tiles("999p"))
AGES = dict.fromkeys(SEATS, (1,) * 20)


def at(record: str) -> TableState:
    return replay(parse_record(OPENING + record), CARD)


def told(state: TableState, seen: Seen, traces: Traces | None = None) -> list[list[str]]:
    found = explain_turns(state, seen, traces or Traces(), CARD)
    assert found.complete
    return [[format_event(event) for event in way] for way in found.ways]


def placed(text: str) -> tuple[tuple[Seat, Tile], ...]:
    """``"1 5p, 2 E"``: tiles with their seats."""
    pairs = (item.split() for item in text.split(","))
    return tuple((Seat(int(seat)), Tile.parse(tile)) for seat, tile in pairs)


def test_turns_without_sets_have_one_order() -> None:
    seen = Seen(pond_added=placed("0 E, 1 5p, 1 W, 2 9s, 2 8s, 3 1m"))
    ways = told(at("discard 0 5s"), seen)
    discards = [text for text in ways[0] if text.startswith("discard")]
    assert len(ways) == 1
    assert discards == [f"discard {n}" for n in ("1 5p", "2 9s", "3 1m", "0 E", "1 W", "2 8s")]


def test_a_pond_that_lacks_a_turn_fits_nothing() -> None:
    assert told(at("discard 0 5s"), Seen(pond_added=placed("1 5p, 3 1m, 0 E"))) == []


def test_a_set_tells_the_turn_in_which_it_must_have_been_made() -> None:
    """Seat 2 took what seat 0 discarded: only so seat 1 has one discard less than turns went round."""
    seen = Seen(pond_added=placed("1 5p, 2 W, 3 E, 3 N, 0 S, 1 8m"), meld_added=(PENG,))
    by = Traces(claims={PENG: (Claim(Tile.P9, Seat.S0, 3),)})
    ways = told(at("discard 0 5s\ndraw 1\ndiscard 1 4m\ndraw 2\ndiscard 2 C"), seen, by)
    assert all("claim 2 peng 999p took 9p from 0" in way for way in ways)
    assert told(at("discard 0 5s"), seen, Traces(claims={PENG: (Claim(Tile.P9, Seat.S3, 3),)})) == []


def test_a_set_that_tells_nothing_may_have_been_given_by_whoever_fits_the_turns() -> None:
    seen = Seen(pond_added=placed("1 5p, 2 W, 3 E, 0 S, 1 8m, 2 7m"), meld_added=(PENG,))
    givers = {
        event.from_seat
        for way in explain_turns(at("discard 0 5s"), seen, Traces(), CARD).ways
        for event in way
        if isinstance(event, Claimed)
    }
    assert givers == {Seat.S3}


def test_a_set_made_last_and_one_made_before_differ_until_the_next_discard() -> None:
    state = at("discard 0 5s\ndraw 1\ndiscard 1 4m\ndraw 2\ndiscard 2 7s")
    by = Traces(claims={PENG: (Claim(Tile.P9, Seat.S0, 3),)}, ponds=AGES)
    seen = Seen(pond_added=placed("3 8s, 2 7p, 3 2p, 0 6p, 1 8m"), meld_added=(PENG,))
    assert {way[-1] for way in told(state, seen, by)} == {
        "discard 1 8m",
        "claim 2 peng 999p took 9p from 0",
    }
    later = Traces(by.claims, {**AGES, Seat.S2: (1, 2)})
    (way,) = told(state, Seen(pond_added=(*seen.pond_added, (Seat.S2, Tile.M3)), meld_added=(PENG,)), later)
    assert way[-1] == "discard 2 3m"


def test_sets_that_may_have_been_made_in_any_order_were_made_as_they_lie_in_their_row() -> None:
    other = (Seat.S2, parse_tiles("333m"))
    ponds = placed("1 5p, 2 W, 3 N, 2 8m, 3 S, 2 7m, 3 1s, 0 2s, 1 3s, 2 4s")
    given = {PENG: (Claim(Tile.P9, Seat.S0, 3),), other: (Claim(Tile.M3, Seat.S0, 3),)}
    for row in ((PENG, other), (other, PENG)):
        seen = Seen(pond_added=ponds, meld_added=row)
        (way,) = explain_turns(at("discard 0 5s"), seen, Traces(claims=given), CARD).ways
        made = [tuple(event.tiles) for event in way if isinstance(event, Claimed)]
        assert made == [tuple(tiles) for _, tiles in row]


def test_what_came_later_happened_later() -> None:
    """The set was seen before the last round of discards: nobody made it in that round."""
    state = at("discard 0 5s\ndraw 1\ndiscard 1 4m\ndraw 2\ndiscard 2 7s")
    seen = Seen(pond_added=placed("3 8s, 2 7p, 3 2p, 0 6p, 1 8m"), meld_added=(PENG,))
    by = {PENG: (Claim(Tile.P9, Seat.S0, 3),)}
    ages = {Seat.S3: (1, 2), Seat.S2: (1,), Seat.S0: (2,), Seat.S1: (2,)}
    (way,) = told(state, seen, Traces(by, ages, {PENG: (1, 1)}))
    assert way[-1] == "discard 1 8m"


def test_four_tiles_are_a_kong_taken_whole_or_a_set_of_three_with_a_later_fourth() -> None:
    kong = (Seat.S2, parse_tiles("9999p"))
    seen = Seen(pond_added=placed("1 5p, 2 W, 3 E, 0 S, 1 8m, 2 7m"), meld_added=(kong,))
    claims = (Claim(Tile.P9, Seat.S3, 4), Claim(Tile.P9, Seat.S3, 3))
    found = explain_turns(at("discard 0 5s"), seen, Traces(claims={kong: claims}), CARD)
    kinds = {event.kind for way in found.ways for event in way if isinstance(event, Claimed)}
    assert kinds == {MeldKind.KONG, MeldKind.PENG}


def test_a_fourth_tile_that_was_seen_with_its_set_was_not_laid_to_it_last() -> None:
    kong = (Seat.S2, parse_tiles("9999p"))
    seen = Seen(pond_added=placed("1 5p, 2 W, 3 E, 0 S, 1 8m, 2 7m"), meld_added=(kong,))
    claims = {kong: (Claim(Tile.P9, Seat.S3, 4), Claim(Tile.P9, Seat.S3, 3))}
    ages = {Seat.S0: (1,), Seat.S1: (1, 2), Seat.S2: (1, 1), Seat.S3: (1,)}
    ends = [way[-1] for way in told(at("discard 0 5s"), seen, Traces(claims, ages))]
    assert ends == ["discard 1 8m", "declare 2 added_kong 9p"]
    (way,) = told(at("discard 0 5s"), seen, Traces(claims, ages, {kong: (1, 1)}))
    assert way[-1] == "discard 1 8m"


def test_a_win_that_costs_the_same_in_every_order_has_one_account() -> None:
    state = at("discard 0 5s\ndraw 1\ndiscard 1 4m\ndraw 2\ndiscard 2 7s")
    seen = Seen(
        pond_added=placed("3 8s, 2 7p, 3 2p, 0 6p, 1 8m"),
        meld_added=(PENG,),
        shown=((Seat.S3, parse_tiles("123s 456s 67m WWW EE")),),
    )
    by = Traces(claims={PENG: (Claim(Tile.P9, Seat.S0, 3),)}, ponds=AGES)
    (way,) = told(state, seen, by)
    assert way[-1] == "win 3 hand 678m 123456s EE WWW on 8m from 1"


def test_a_picture_beyond_all_reason_is_given_up_and_says_so() -> None:
    piles = tuple((seat, tile) for tile in CARD.tiles[8:80:6] for seat in SEATS)
    sets = tuple(
        (Seat(n % 4), parse_tiles(text)) for n, text in enumerate(("456p", "678s", "345m", "CCC") * 3)
    )
    start = time.process_time()
    found = explain_turns(at("discard 0 5p"), Seen(pond_added=piles, meld_added=sets), Traces(), CARD)
    assert found.ways == ()
    assert not found.complete
    assert time.process_time() - start < 3.0


def hidden(before: TableState, after: TableState, events: Sequence[Event]) -> tuple[Seen, Traces]:
    """What a camera that sees only `before` and `after` sees of the events between them."""
    added, removed, sets = [], [], list[Group]()
    for seat in SEATS:
        old, new = before.ponds[seat], after.ponds[seat]
        taken = new[: len(old)] != old
        removed += [(seat, old[-1])] if taken else []
        added += [(seat, tile) for tile in new[len(old) - taken :]]
        known = list(before.hands[seat].melds)
        for meld in after.hands[seat].melds:
            if meld in known:
                known.remove(meld)
            elif meld.kind is MeldKind.CONCEALED_KONG:
                sets.append((seat, (Tile.BACK, *meld.tiles[:2], Tile.BACK)))
            else:
                old_peng = any(m.tiles == meld.tiles[:3] and m.taken_from == meld.taken_from for m in known)
                sets.append((seat, meld.tiles[:1] if old_peng else meld.tiles))
    claims = {
        group: (Claim(event.taken, event.from_seat, len(event.tiles)),)
        for event in events
        if isinstance(event, Claimed)
        for group in sets
        if group[0] is event.seat and len(group[1]) > 2 and group[1][: len(event.tiles)] == event.tiles
    }
    shown: tuple[Group, ...] = ()
    if isinstance(after.result, Won):
        hand = list(after.result.hand)
        if after.result.from_seat is not None:
            hand.remove(after.result.tile)
            if (after.result.from_seat, after.result.tile) in removed:
                removed.remove((after.result.from_seat, after.result.tile))
            else:
                added.append((after.result.from_seat, after.result.tile))
        shown = ((after.result.seat, tuple(hand)),)
    return Seen(tuple(added), tuple(removed), tuple(sets), shown), Traces(claims)


@pytest.mark.parametrize("turns", [6, 14, 24])
@pytest.mark.parametrize("seed", range(8))
def test_whatever_was_hidden_of_a_deal_is_among_the_accounts(
    seed: int, turns: int, play_deal: PlayDeal
) -> None:
    """So an account that stands alone leads to the true table, and to the true win."""
    steps = list(play_deal(CARD, seed))[2:]
    for start in range(0, max(1, len(steps) - turns), 9):
        stretch = steps[start : start + turns]
        while stretch and isinstance(stretch[-1][1], Drew):
            stretch.pop()
        before, after = public(stretch[0][0]), public(stretch[-1][2])
        seen, traces = hidden(before, after, [event for _, event, _ in stretch])
        found = explain_turns(before, seen, traces, CARD)
        ends = [reduce(lambda state, event: apply(state, event, CARD), way, before) for way in found.ways]
        if found.complete:
            assert any(same(end, after) for end in ends)


def same(told: TableState, true: TableState) -> bool:
    if isinstance(true.result, Won) and isinstance(told.result, Won):
        return (told.result.seat, told.result.from_seat) == (true.result.seat, true.result.from_seat)
    tables = [(s.phase, s.turn, s.ponds, s.wall, s.last_discard, s.kongs) for s in (told, true)]
    return tables[0] == tables[1] and all(
        set(mine.melds) == set(theirs.melds) for mine, theirs in zip(told.hands, true.hands, strict=True)
    )
