"""Win tests and waits agree with a search that tries everything, for any number of wild tiles."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules import batch, suit_tables
from rules.events import Meld, MeldKind
from rules.hand import Form, forms, is_win, waits, waits_for_all
from rules.tiles import KINDS, Tile, parse_tiles

if TYPE_CHECKING:
    from collections.abc import Iterator

DECK = [Tile(kind) for kind in range(KINDS) for _ in range(4)]


@lru_cache(maxsize=100_000)
def fits(counts: tuple[tuple[int, int], ...], wilds: int, sets: int, *, pair: bool) -> bool:
    """Search: lay the lowest natural tile into every set or pair it can be in, wild tiles for the rest."""
    if not counts:
        return wilds == 3 * sets + 2 * pair
    return any(
        fits(left, spare, sets - (not as_pair), pair=pair and not as_pair)
        for left, spare, as_pair in laid(counts, wilds)
        if spare >= 0 and (pair if as_pair else sets > 0)
    )


def laid(
    counts: tuple[tuple[int, int], ...], wilds: int
) -> Iterator[tuple[tuple[tuple[int, int], ...], int, bool]]:
    """What is left, and how many wild tiles, for every pair, triplet or run that holds the lowest tile."""
    (kind, number), rest = counts[0], counts[1:]
    for own in range(1, min(3, number) + 1):
        left = put(kind, number - own, rest)
        yield left, wilds - (3 - own), False
        if own < 3:
            yield left, wilds - (2 - own), True
    if kind < 27:
        for low in range(max(0, kind % 9 - 2), min(6, kind % 9) + 1):
            yield *runless(counts, kind, low, wilds), False


def put(kind: int, number: int, rest: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    return ((kind, number), *rest) if number else rest


def runless(
    counts: tuple[tuple[int, int], ...], kind: int, low: int, wilds: int
) -> tuple[tuple[tuple[int, int], ...], int]:
    """The tiles without the run from that rank of the kind's suit; a missing tile costs a wild one."""
    start = kind - kind % 9 + low
    left = tuple(
        (each, number - 1) if start <= each < start + 3 else (each, number)
        for each, number in counts
        if number > 1 or not start <= each < start + 3
    )
    held = sum(start <= each < start + 3 for each, _ in counts)
    return left, wilds - (3 - held)


def searched(tiles: tuple[Tile, ...], sets: int, wild: Tile | None) -> bool:
    natural = Counter(int(tile) for tile in tiles if tile is not wild)
    wilds = len(tiles) - natural.total()
    pairs = sets == 4 and sum(number % 2 for number in natural.values()) <= wilds
    return pairs or fits(tuple(sorted(natural.items())), wilds, sets, pair=True)


def near_win(rng: random.Random, sets: int, wild: Tile | None) -> tuple[Tile, ...]:
    """A random hand that often wins: sets and a pair, sometimes with tiles swapped for wild or other ones."""
    while True:
        tiles: list[Tile] = []
        for _ in range(sets):
            kind = rng.randrange(KINDS)
            run = kind < 27 and kind % 9 < 7 and rng.random() < 0.7
            tiles += [Tile(kind + step) for step in range(3)] if run else [Tile(kind)] * 3
        tiles += [Tile(rng.randrange(KINDS))] * 2
        if sets == 4 and rng.random() < 0.1:
            tiles = [tile for tile in rng.choices(DECK, k=7) for _ in range(2)]
        for place in rng.sample(range(len(tiles)), rng.randrange(min(5, len(tiles)))):
            tiles[place] = wild if wild is not None and rng.random() < 0.8 else rng.choice(DECK)
        if max(Counter(tiles).values()) <= 4:
            return tuple(tiles)


Progress = Callable[[str], None]


def each(hands: int, what: str, tell: Progress) -> Iterator[int]:
    """The numbers of so many hands, telling now and then how far it is."""
    start = time.monotonic()
    for number in range(hands):
        if number and number % max(10_000, hands // 10) == 0:
            tell(f"{what}: {number} of {hands}, {(time.monotonic() - start) / 60:.1f} min")
        yield number


def silent(_text: str) -> None:
    """Tell nobody."""


def compare(hands: int, seed: int, tell: Progress = silent) -> Counter[int]:
    """Compare that many random hands; how many win with each number of wild tiles."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    winning: Counter[int] = Counter()
    for _ in each(hands, "hands", tell):
        wild = rng.choice([None, Tile(rng.randrange(KINDS))])
        sets = rng.choice([0, 1, 2, 3, 4, 4, 4, 4])
        hand = near_win(rng, sets, wild) if rng.random() < 0.8 else tuple(rng.sample(DECK, 3 * sets + 2))
        expected = searched(hand, sets, wild)
        assert is_win(hand, 4 - sets, wild) == expected, (hand, sets, wild)
        winning[hand.count(wild) if wild is not None else 0] += expected
    return winning


def compare_waits(hands: int, seed: int, tell: Progress = silent) -> Counter[int]:
    """Compare the waits of that many hands; how many wait for something with each number of wild tiles."""
    rng = random.Random(seed)  # noqa: S311 - repeatable, no secret
    waiting: Counter[int] = Counter()
    for _ in each(hands, "waits", tell):
        wild = rng.choice([None, Tile(rng.randrange(KINDS))])
        sets = rng.choice([0, 1, 2, 3, 4, 4, 4, 4])
        hand = list(near_win(rng, sets, wild))
        hand.pop(rng.randrange(len(hand)))
        held = tuple(hand)
        free = [Tile(kind) for kind in range(KINDS) if held.count(Tile(kind)) < 4]
        expected = tuple(tile for tile in free if searched((*held, tile), sets, wild))
        assert waits(held, 4 - sets, wild) == expected, (held, sets, wild)
        assert waits_for_all(held, 4 - sets, wild) == (len(expected) == len(free)), (held, sets, wild)
        waiting[held.count(wild) if wild is not None else 0] += bool(expected)
    return waiting


def test_20000_random_hands_win_exactly_where_a_search_says_so() -> None:
    winning = compare(20_000, seed=1)
    assert 5000 < winning.total() < 19_000
    assert min(winning[wilds] for wilds in range(5)) > 100


def test_1000_random_hands_wait_exactly_for_what_a_search_says() -> None:
    waiting = compare_waits(1_000, seed=2)
    assert 500 < waiting.total() < 1000
    assert min(waiting[wilds] for wilds in range(5)) > 5


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Progress:
    """A function that shows a line at once, although output is captured."""

    def show(text: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{text}")
            sys.stdout.flush()

    return show


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_million_random_hands(tell: Progress) -> None:
    winning = compare(1_000_000, seed=3, tell=tell)
    tell(f"1000000 hands agree, {winning.total()} win, by wild tiles {sorted(winning.items())}\n")
    assert min(winning[wilds] for wilds in range(5)) > 5_000


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_50000_random_waits(tell: Progress) -> None:
    waiting = compare_waits(50_000, seed=4, tell=tell)
    tell(f"50000 hands agree, {waiting.total()} wait, by wild tiles {sorted(waiting.items())}\n")
    assert min(waiting[wilds] for wilds in range(5)) > 250


def laid_out(tiles: tuple[Tile, ...]) -> bool:
    """Whether plain tiles are sets and a pair or seven pairs, by taking every pair and set away in turn."""
    if len(tiles) == 14 and all(number % 2 == 0 for number in Counter(tiles).values()):
        return True
    return any(only_sets(taken) for tile in set(tiles) if (taken := take(tiles, (tile, tile))) is not None)


def only_sets(tiles: tuple[Tile, ...]) -> bool:
    if not tiles:
        return True
    first = min(tiles)
    run = (first, first + 1, first + 2) if first < 27 and first % 9 < 7 else (first,) * 3
    rests = (take(tiles, wanted) for wanted in ((first,) * 3, run))
    return any(only_sets(rest) for rest in rests if rest is not None)


def take(tiles: tuple[Tile, ...], wanted: tuple[int, ...]) -> tuple[Tile, ...] | None:
    """The tiles without those, None where they are not all there."""
    rest = list(tiles)
    for tile in wanted:
        if tile not in rest:
            return None
        rest.remove(Tile(tile))
    return tuple(rest)


@pytest.mark.parametrize("wilds", [0, 1, 2])
def test_the_search_itself_agrees_with_putting_every_tile_in_place_of_the_wild_ones(wilds: int) -> None:
    rng = random.Random(6)  # noqa: S311 - repeatable, no secret
    wins = 0
    for _ in range((300, 100, 40)[wilds]):
        sets = rng.choice([2, 3, 4, 4])
        whole = list(near_win(rng, sets, None))
        for place in rng.sample(range(len(whole)), wilds):
            whole[place] = Tile.WHITE
        plain = tuple(tile for tile in whole if tile is not Tile.WHITE)
        if len(plain) != len(whole) - wilds:
            continue
        puts = combinations_with_replacement(map(Tile, range(KINDS)), wilds)
        expected = any(laid_out((*plain, *put)) for put in puts)
        assert searched(tuple(whole), sets, Tile.WHITE) == expected, whole
        wins += expected
    assert wins > 3


@pytest.mark.parametrize("wild", [None, Tile.M5, Tile.RED])
@pytest.mark.parametrize("melds", [0, 1, 4])
def test_many_hands_at_once_give_the_same_answers(melds: int, wild: Tile | None) -> None:
    rng = random.Random(5)  # noqa: S311 - repeatable, no secret
    hands = [near_win(rng, 4 - melds, wild) for _ in range(5_000)]
    counts, wilds = batch.count(np.array(hands), wild)
    assert batch.is_win(counts, wilds, melds).tolist() == [is_win(hand, melds, wild) for hand in hands]
    before = [hand[1:] for hand in hands[:1_000]]
    counts, wilds = batch.count(np.array(before), wild)
    found = batch.waits(counts, wilds, melds, wild)
    listed = [tuple(Tile(kind) for kind in range(KINDS) if row[kind]) for row in found]
    assert listed == [waits(hand, melds, wild) for hand in before]


def test_the_committed_tables_are_what_the_builder_makes() -> None:
    built, committed = suit_tables.build(), suit_tables.load()
    for name in ("suit", "suit_words", "honour", "honour_words"):
        assert np.array_equal(getattr(built, name), getattr(committed, name)), name


def hand_of(seed: int) -> list[Tile]:
    return list(near_win(random.Random(seed), 4, None))  # noqa: S311 - repeatable, no secret


HANDS = st.integers(0, 1 << 30).map(hand_of)


@settings(max_examples=300, deadline=None)
@given(HANDS, st.sampled_from(DECK), st.integers(0, 13))
def test_a_wild_tile_in_place_of_any_other_never_loses_a_win(
    hand: list[Tile], wild: Tile, place: int
) -> None:
    better = [*hand[:place], wild, *hand[place + 1 :]]
    if is_win(hand, 0, wild) and better.count(wild) <= 4:
        assert is_win(better, 0, wild)


@settings(max_examples=300, deadline=None)
@given(HANDS, st.sampled_from(DECK), st.integers(0, 12))
def test_a_wild_tile_in_place_of_any_other_never_loses_a_wait(
    hand: list[Tile], wild: Tile, place: int
) -> None:
    before = hand[1:]
    better = [*before[:place], wild, *before[place + 1 :]]
    if better.count(wild) < 4:
        assert set(waits(before, 0, wild)) <= set(waits(better, 0, wild))


@settings(max_examples=200, deadline=None)
@given(HANDS, st.permutations([0, 1, 2]))
def test_renaming_the_suits_changes_nothing(hand: list[Tile], order: list[int]) -> None:
    renamed = [Tile(order[tile // 9] * 9 + tile % 9) if tile.is_suited else tile for tile in hand]
    assert forms(hand) == forms(renamed)


def test_a_wild_tile_stands_for_a_fifth_copy() -> None:
    # Articles: R41.
    assert is_win(parse_tiles("456m 3457777p 345s E"), wild=Tile.EAST)


@pytest.mark.parametrize(
    ("text", "wild", "expected"),
    [
        ("111222333m 444p 55s", None, {Form.STANDARD, Form.TRIPLETS}),
        ("1122334455667m 7m", None, {Form.STANDARD, Form.SEVEN_PAIRS}),
        ("1111m 2233p 4455s EE", None, {Form.SEVEN_PAIRS}),
        ("EEE SSS WWW NNN CC", None, {Form.STANDARD, Form.TRIPLETS}),
        ("123m 456p 789s EEE CF", None, set()),
        ("2222m 147p 369s ESWN", Tile.M2, set()),
    ],
)
def test_forms(text: str, wild: Tile | None, expected: set[Form]) -> None:
    # Articles: §5.
    assert forms(parse_tiles(text), 0, wild) == expected


def test_a_declared_run_rules_out_triplets_and_a_kong_is_one_set() -> None:
    kong = Meld(MeldKind.CONCEALED_KONG, parse_tiles("7777s"))
    run = Meld(MeldKind.CHI, parse_tiles("123m"))
    assert forms(parse_tiles("222m 333p 444s EE"), [kong]) == {Form.STANDARD, Form.TRIPLETS}
    assert forms(parse_tiles("222m 333p 444s EE"), [run]) == {Form.STANDARD}
    assert forms(parse_tiles("1133m 5577p"), [run, kong]) == set()


@pytest.mark.parametrize(
    ("text", "melds", "words"),
    [
        ("11111m 222p 333s EEE", 0, "more than four 1m"),
        ("123m ? 456p 789s EEE C", 0, "can't be part"),
        ("123m 1f 456p 789s EEE C", 0, "can't be part"),
        ("123m 456p 789s", 0, "9 tiles"),
        ("12m", 5, "at most 4 sets"),
        ("123456789m 123456p", 0, "15 tiles"),
        ("1111111111m 22222p", 0, "more than four"),
    ],
)
def test_impossible_hands_are_refused_with_the_reason(text: str, melds: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        is_win(parse_tiles(text), melds)


def test_waits_with_a_wild_tile_left_over_are_all_kinds() -> None:
    assert len(waits(parse_tiles("3s 234m 456m 678p 789s"), 0, Tile.S3)) == KINDS
    assert waits_for_all(parse_tiles("3s 234m 456m 678p 789s"), 0, Tile.S3)
    assert waits_for_all(parse_tiles("3s EEEE 678p 789s 22m"), 0, Tile.S3) is False
    assert waits_for_all(parse_tiles("33s EE 222m 567p"), 1, Tile.S3)
    assert waits(parse_tiles("1112345678999m")) == parse_tiles("123456789m")
    assert waits(parse_tiles("123m 1111p 456s 789s")) == ()
    assert waits(parse_tiles("5p"), 4) == (Tile.P5,)
