"""What leaves a table: only what lies open, complete, numbered, and the same whatever is concealed."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import msgspec
import pytest
from evening import Evening
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import inspect
from records import lay

from controller import public
from controller.public import EVENT_TOPICS, LEDGER_TOPICS, STATE_TOPICS, Payload, Settlement
from rules import sets
from rules.events import Claimed, DealStarted, Discarded, Drew, Event, KongDeclared, Won
from rules.record import parse_record
from rules.tiles import Tile

TOPICS: dict[str, type[Payload]] = {**STATE_TOPICS, **EVENT_TOPICS, **LEDGER_TOPICS}
TILE_PATTERN = r"^([1-9][mps]|[1-8]f|[ESWNCFP]|back|\?)$"
TILE_FIELDS_BEFORE_A_SETTLEMENT = {
    "state/table": {"dragon"},
    "state/hand": {"indicator", "dragon", "last_discard", "ponds", "melds"},
    "event/indicator": {"tile", "dragon"},
    "event/discard": {"tile"},
    "event/meld": {"meld"},
}


def played(seed: int, deals: int = 2) -> Evening:
    evening = Evening(seed)
    evening.play(deals)
    evening.finish()
    return evening


def holds_tiles(kind: inspect.Type) -> bool:
    """Whether a value of this type can say which tile something is."""
    match kind:
        case inspect.StrType(pattern=pattern):
            return pattern == TILE_PATTERN
        case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
            return any(map(holds_tiles, types))
        case inspect.VarTupleType(item_type=item):
            return holds_tiles(item)
        case inspect.StructType(fields=fields):
            return any(holds_tiles(field.type) for field in fields)
    return False


def test_no_field_can_hold_a_concealed_tile_before_a_settlement() -> None:
    for topic, kind in TOPICS.items():
        info = inspect.type_info(kind)
        assert isinstance(info, inspect.StructType)
        holding = {field.name for field in info.fields if holds_tiles(field.type)}
        if kind is Settlement:
            assert "hand" in holding
        else:
            assert holding == TILE_FIELDS_BEFORE_A_SETTLEMENT.get(topic, set()), topic


def tiles_in(value: object) -> Iterator[str]:
    """Every text in a payload that is a tile."""
    match value:
        case str():
            if value != "?" and value in {str(tile) for tile in Tile}:
                yield value
        case dict():
            for inner in value.values():
                yield from tiles_in(inner)
        case list() | tuple():
            for inner in value:
                yield from tiles_in(inner)


@settings(max_examples=2, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10_000))
def test_before_a_settlement_only_tiles_that_lie_open_are_published(seed: int) -> None:
    evening = Evening(seed)
    for _ in range(2):
        done = len(evening.log.published)
        for _event in evening.play_deal():
            state = evening.true_state
            if state.result is not None:
                break
            open_tiles = {str(tile) for pond in state.ponds for tile in pond}
            open_tiles |= {str(t) for hand in state.hands for meld in hand.melds for t in meld.tiles}
            open_tiles |= {str(state.indicator), str(state.wild)}
            for topic, payload in evening.log.published[done:]:
                if not isinstance(payload, Settlement):
                    assert set(tiles_in(msgspec.to_builtins(payload))) <= open_tiles, topic
            done = len(evening.log.published)
        return


@settings(max_examples=3, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10_000))
def test_numbers_only_grow_and_every_payload_fits_its_topic(seed: int) -> None:
    published = played(seed, 1).log.published
    numbers = [payload.seq for _, payload in published]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(1, numbers[-1] + 1))
    assert len({(payload.seq, topic) for topic, payload in published if "event/" in topic}) == len(
        [topic for topic, _ in published if "event/" in topic]
    )
    for topic, payload in published:
        again = msgspec.json.decode(public.encode(payload), type=TOPICS[topic])
        assert again == payload
        assert payload.ts.endswith("Z")


def test_a_snapshot_has_every_retained_topic() -> None:
    evening = played(8, 1)
    topics = {effect.topic for effect in evening.session.snapshot(evening.now) if effect.retain}
    assert topics == set(STATE_TOPICS) - {"state/ranking"}  # there is none before a match is over


def test_the_schema_of_every_topic_can_be_told() -> None:
    assert set(public.json_schemas()) == set(TOPICS)


def test_a_settlement_tells_every_line_and_the_points_after_it() -> None:
    evening = played(8, 1)
    found = [p for topic, p in evening.log.published if topic == "state/settlement"]
    settlement = found[-1]
    assert isinstance(settlement, Settlement)
    assert settlement.payments == evening.truths[0].payments
    assert settlement.balances == evening.truths[0].balances
    assert settlement.lines
    ways = sets.load("cixi-card").desk.ways  # type: ignore[union-attr]
    assert (settlement.how_zh, settlement.how_en) == ways[settlement.how]
    assert all(line.zh and line.en and line.article for line in settlement.lines)


def exchanged(record: tuple[Event, ...], rng: Random) -> tuple[Event, ...]:
    """Another deal that looks the same: two tiles that nobody ever sees have changed places."""
    start = record[0]
    assert isinstance(start, DealStarted)
    assert start.hands is not None
    shown = {event.seat for event in record if isinstance(event, Won)}
    used = [set[Tile]() for _ in range(4)]
    for event in record:
        match event:
            case Discarded(seat, tile) | KongDeclared(seat, _, tile):
                used[seat].add(tile)
            case Claimed(seat, _, tiles):
                used[seat] |= set(tiles)
    hidden = [
        (seat, place)
        for seat, hand in enumerate(start.hands)
        for place, tile in enumerate(hand)
        if seat not in shown and tile not in used[seat]
    ]
    drawn = {event.tile for event in record if isinstance(event, Drew)}
    hidden = [(s, p) for s, p in hidden if start.hands[s][p] not in drawn]
    assert len(hidden) > 1
    (one, i), (other, k) = rng.sample(hidden, 2)
    hands = [list(hand) for hand in start.hands]
    hands[one][i], hands[other][k] = hands[other][k], hands[one][i]
    return (replace(start, hands=tuple(map(tuple, hands))), *record[1:])


@pytest.mark.parametrize("seed", range(3))
def test_two_deals_that_differ_only_in_concealed_tiles_are_published_alike(seed: int) -> None:
    evening = played(seed, 1)
    record = parse_record("\n".join(evening.truths[0].events))
    other = exchanged(record, Random(seed))  # noqa: S311 - a game
    assert other != record
    one, two = Evening(0), Evening(0)
    lay(one, record, fetched=False)
    lay(two, other, fetched=False)
    assert len(one.log.outcomes()) == 1
    assert one.log.published == two.log.published
