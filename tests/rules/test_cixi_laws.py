"""One dragon more never loses a win, nor what the win is worth beyond what the articles take away for it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from rules.cases import account_fields, desk_of
from rules.events import Meld, MeldKind
from rules.moment import Moment, NoWin
from rules.sets import available, load
from rules.tiles import KINDS, Seat, Tile

if TYPE_CHECKING:
    from rules.settlement import Settlement

NEEDS_NONE = {"无龙清一色", "无龙清一色清七对"}
"""Jackpots of hands without a dragon."""


def judged(moment: Moment, name: str) -> Settlement | str:
    """The account of a win, or why it is none."""
    try:
        return desk_of(load(name)).judge(moment, None)
    except NoWin as refused:
        return str(refused)


def random_win(rng: random.Random, wild: Tile) -> tuple[list[Tile], list[Meld]]:
    """Concealed tiles and declared sets that mostly win; without more than four copies of a tile."""
    while True:
        suit = rng.choice(
            [range(KINDS), range(KINDS), range(9), range(27, KINDS), [*range(9), *range(27, KINDS)]]
        )
        kinds = [Tile(kind) for kind in suit if Tile(kind) is not wild]
        melds: list[Meld] = []
        shape = rng.random()
        if shape < 0.2:
            hand = [tile for tile in rng.choices(kinds, k=7) for _ in range(2)]
        elif shape < 0.4:
            ranks = [(rng.randrange(2), 4, rng.randrange(7, 9)) for _ in range(3)]
            spread = [Tile(9 * block + rank) for block in range(3) for rank in ranks[block]]
            hand = rng.sample([*spread, *map(Tile, range(27, KINDS))], 14)
        else:
            sets = [set_of(rng, kinds) for _ in range(4)]
            open_sets = rng.choice([0, 0, 1, 3, 4])
            melds = [meld(tiles) for tiles in sets[:open_sets]]
            hand = [tile for tiles in sets[open_sets:] for tile in tiles] + [rng.choice(kinds)] * 2
        for place in rng.sample(range(len(hand)), min(len(hand) - 1, rng.choice([0, 0, 1, 2, 3]))):
            hand[place] = wild
        lying = [*hand, *(tile for each in melds for tile in each.tiles)]
        if all(lying.count(tile) <= 4 for tile in lying):
            rng.shuffle(hand)
            return hand, melds


def set_of(rng: random.Random, kinds: list[Tile]) -> list[Tile]:
    first = rng.choice(kinds)
    run = [first, Tile(first + 1), Tile(first + 2)]
    in_a_row = first.is_suited and first % 9 < 7 and all(tile in kinds for tile in run)
    return run if in_a_row and rng.random() < 0.6 else [first] * 3


def meld(tiles: list[Tile]) -> Meld:
    kind = MeldKind.PENG if tiles[0] is tiles[1] else MeldKind.CHI
    return Meld(kind, tuple(tiles), None)


def moment(hand: list[Tile], melds: list[Meld], wild: Tile, *, how: str) -> Moment:
    return Moment(
        how=how,
        seat=Seat.S1,
        dealer=Seat.S0,
        concealed=tuple(hand[1:]),
        melds=tuple(melds),
        tile=hand[0],
        from_seat=Seat.S0 if how == "discard" else None,
        wild=wild,
    )


def loses(before: set[str], after: set[str]) -> int:
    """What the articles take away with the first dragon, or with the last plain tile of a suit (§6)."""
    lost = 4 * ("无龙清七对" in before)
    return lost + ("混一色" in before and not {"混一色", "清一色"} & after)


@settings(max_examples=1500, deadline=None)
@given(st.integers(0, 1 << 40), st.sampled_from(available()), st.sampled_from(["selfdraw", "discard"]))
def test_a_dragon_in_place_of_another_tile_loses_no_win_and_no_more_than_the_articles_say(
    seed: int, name: str, how: str
) -> None:
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    wild = Tile(rng.randrange(KINDS))
    hand, melds = random_win(rng, wild)
    plain = [place for place, tile in enumerate(hand) if tile is not wild and (place or how == "selfdraw")]
    first = judged(moment(hand, melds, wild, how=how), name)
    if isinstance(first, str) or not plain or hand.count(wild) > 3:
        return
    hand[rng.choice(plain)] = wild
    second = judged(moment(hand, melds, wild, how=how), name)
    if isinstance(second, str):
        assert "own draw only" in second
        assert (how, name) == ("discard", "cixi-platform")
        return
    before, after = account_fields(first), account_fields(second)
    assert second.dragons == first.dragons + 1
    if first.jackpot or second.jackpot:
        assert second.jackpot or set(before["patterns"]) <= NEEDS_NONE
        return
    assert first.total is not None
    assert second.total is not None
    kept = first.total - (first.dragons or 2) - loses(set(before["patterns"]), set(after["patterns"]))
    assert second.total - second.dragons >= kept
    if not loses(set(before["patterns"]), set(after["patterns"])) and first.dragons:
        assert second.payments[1] > first.payments[1]


def test_most_of_those_hands_win_and_many_lose_nothing() -> None:
    rng = random.Random(1)  # noqa: S311 - repeatable, no secret
    wins = [
        judged(moment(*random_win(rng, Tile.M5), Tile.M5, how="selfdraw"), "cixi-card") for _ in range(1000)
    ]
    named = {line.zh for won in wins if not isinstance(won, str) for line in won.lines}
    assert sum(not isinstance(won, str) for won in wins) > 500
    assert named > NEEDS_NONE | {
        "平胡",
        "对对胡",
        "有龙七对",
        "无龙清七对",
        "大乱/十三幺",
        "清一色",
        "混一色",
        "抛花",
    }
