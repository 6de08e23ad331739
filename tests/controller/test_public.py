"""What leaves a table: only what lies open, complete, and numbered."""

from collections.abc import Iterator

import msgspec
from evening import Evening
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from msgspec import inspect

from controller import public
from controller.public import (
    EVENT_TOPICS,
    LEDGER_TOPICS,
    STATE_TOPICS,
    AmendedSettlement,
    Payload,
    Settlement,
)
from rules import sets
from rules.tiles import Tile

TOPICS: dict[str, type[Payload]] = {**STATE_TOPICS, **EVENT_TOPICS, **LEDGER_TOPICS}
TILE_PATTERN = r"^([1-9][mps]|[1-8]f|[ESWNCFP]|back|\?)$"
LIES_OPEN = "lies open on the table for all to see"
FOLLOWS = "follows from the indicator, which lies open"
LAID_OPEN = "the winner has laid it open"
WHERE_A_TILE_MAY_STAND = {
    "state/table": {"dragon": FOLLOWS},
    "state/hand": {
        "indicator": LIES_OPEN,
        "dragon": FOLLOWS,
        "last_discard.tile": LIES_OPEN,
        "ponds": LIES_OPEN,
        "melds.tiles": LIES_OPEN,
    },
    "state/settlement": {
        "dragon": FOLLOWS,
        "tile": "the winning tile, which lies apart",
        "hand": LAID_OPEN,
        "melds.tiles": LIES_OPEN,
    },
    "event/indicator": {"tile": LIES_OPEN, "dragon": FOLLOWS},
    "event/discard": {"tile": LIES_OPEN},
    "event/meld": {"meld.tiles": LIES_OPEN},
}
WHERE_A_TILE_MAY_STAND["ledger/settlement"] = WHERE_A_TILE_MAY_STAND["state/settlement"]

TIME = "a time"
PLAYER = "people's names, as they were entered"
TERM = "a name or a sentence of the rule set"
CODE = "one of a closed list of names"
OF_A_WARNING = "a term of the rule set, told of discards, declared sets and what people have ruled"
OF_A_DOUBT = "made of what the camera sees lie open, and of plays that would account for it"
SAID = "what a person has typed or chosen"
SETTLED_WORDS = dict.fromkeys(("how", "how_en", "how_zh", "lines.article", "lines.en", "lines.zh"), TERM)
WHERE_WORDS_MAY_STAND = {
    "state/table": {"players": PLAYER, "rules": TERM},
    "state/scores": dict.fromkeys(("points_zh", "points_en", "titles.zh", "titles.en"), TERM),
    "state/hand": {
        "deadline.at": TIME,
        **dict.fromkeys(("warnings.kind", "warnings.zh", "warnings.en"), OF_A_WARNING),
    },
    "state/settlement": SETTLED_WORDS,
    "ledger/settlement": SETTLED_WORDS,
    "state/doubt": {
        **dict.fromkeys(("doubts.zh", "doubts.en", "doubts.candidates"), OF_A_DOUBT),
        **dict.fromkeys(("doubts.said", "doubts.said_by"), SAID),
        **dict.fromkeys(("doubts.kind", "doubts.resolved_by"), CODE),
        "doubts.at": TIME,
        "doubts.pictures": "names of files, which show only what lies open",
    },
    "state/alarm": {
        **dict.fromkeys(("zh", "en"), "words about machine, camera and record"),
        **dict.fromkeys(("code", "advice_zh", "advice_en"), CODE),
        "since": TIME,
    },
    "state/ranking": {"ranking.player": PLAYER},
    "state/corrections": {"corrections.author": SAID, "corrections.at": TIME},
    "event/barred": {"reason": SAID},
    "event/revised": {"author": SAID},
    "event/alarm": {"code": CODE},
    "ledger/fine": {"author": SAID},
    "ledger/adjustment": {"author": SAID, "reason": SAID},
}


def played(seed: int, deals: int = 2) -> Evening:
    evening = Evening(seed)
    evening.play(deals)
    evening.finish()
    return evening


def texts_of(kind: inspect.Type, path: str = "") -> Iterator[tuple[str, bool]]:
    """Every place of a payload that text may stand in, and whether it is a tile's notation."""
    match kind:
        case inspect.StrType(pattern=pattern):
            yield path, pattern == TILE_PATTERN
        case inspect.UnionType(types=types) | inspect.TupleType(item_types=types):
            for each in types:
                yield from texts_of(each, path)
        case inspect.VarTupleType(item_type=item):
            yield from texts_of(item, path)
        case inspect.StructType(fields=fields):
            for field in fields:
                yield from texts_of(field.type, f"{path}.{field.name}" if path else field.name)
        case (
            inspect.IntType()
            | inspect.FloatType()
            | inspect.BoolType()
            | inspect.NoneType()
            | inspect.LiteralType()
        ):
            return
        case _:
            raise AssertionError(f"{path}: nobody has thought of what may stand in {kind}")


def test_a_tile_or_words_can_stand_only_where_there_is_a_reason_for_it() -> None:
    """A new field is a decision: it is entered above, with why no concealed tile can come into it."""
    for topic, kind in TOPICS.items():
        texts = set(texts_of(inspect.type_info(kind))) - {("ts", False)}
        tiles, words = ({path for path, tile in texts if tile is wanted} for wanted in (True, False))
        assert tiles == WHERE_A_TILE_MAY_STAND.get(topic, {}).keys(), topic
        assert words == WHERE_WORDS_MAY_STAND.get(topic, {}).keys(), topic
    amended = set(texts_of(inspect.type_info(AmendedSettlement)))
    assert amended - set(texts_of(inspect.type_info(Settlement))) == {("author", False)}


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
