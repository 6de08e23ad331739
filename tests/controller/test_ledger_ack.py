"""Whatever comes in at `ledger/ack`, only what was exactly acknowledged has arrived; no log is flooded."""

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mqtt_clients import say, until

from controller.broker import own_broker
from controller.journal import Journal, JournalReader
from controller.journal_rows import AckRow, OutboxRow
from controller.mqtt import Heard, Publisher
from controller.outbox import IN_FLIGHT, Outbox
from controller.outbox_post import Post
from controller.public_ledger import MOST_ACKNOWLEDGED
from controller.seldom import AGAIN_S, MOST_KINDS, Seldom

PREFIX = "mj/v1/home/t"
ACK = f"{PREFIX}/ledger/ack"
STORED = [(boot, seq) for boot in (1, 3) for seq in (1, 2, 5, 9, 17)]


def message(key: tuple[int, int]) -> OutboxRow:
    return OutboxRow(boot=key[0], seq=key[1], at=0.0, topic="ledger/settlement", payload="{}")


# ---- the pure part -----------------------------------------------------------------------------------------

NUMBERS = st.integers(-3, 20) | st.integers()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(NUMBERS, st.lists(NUMBERS, max_size=8), st.booleans()), max_size=20))
def test_only_what_was_named_and_waited_is_taken_out_and_each_once(
    said: list[tuple[int, list[int], bool]],
) -> None:
    outbox, left = Outbox(), dict.fromkeys(STORED)
    outbox.add(map(message, STORED))
    for boot, seqs, is_new in said:
        taken = outbox.recorded(boot, seqs)
        assert set(taken) == {(boot, seq) for seq in seqs} & set(left)
        assert len(taken) == len(set(taken))
        for key in taken:
            del left[key]
        assert outbox.room == IN_FLIGHT - len(left)
        if is_new:
            outbox.connected()
        due = []
        while (row := outbox.due(0.0, 0.0)) is not None:
            outbox.sent(row, 0.0, 0.0)
            due.append((row.boot, row.seq))
        assert set(due) <= set(left)
        if is_new:
            assert due == list(left)


def test_a_line_of_a_kind_is_let_through_once_an_hour_and_only_so_many_kinds_are_kept() -> None:
    seldom = Seldom()
    assert [seldom.lets("a", at) for at in (0.0, 1.0, AGAIN_S - 1.0, AGAIN_S)] == [True, False, False, True]
    assert [seldom.lets(str(kind), AGAIN_S) for kind in range(10 * MOST_KINDS)] == [True] * 10 * MOST_KINDS
    assert len(seldom._told_at) == MOST_KINDS  # noqa: SLF001 - what it keeps


# ---- the shell ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("outbox") / "journal.db"
    with Journal.open(path) as journal:
        journal.write([message(key) for key in STORED])
        yield path


async def taken(path: Path, *payloads: bytes, retained: bool = False) -> list[tuple[int, int]]:
    """What is written as arrived of the messages that wait."""
    post, written = Post(path, now=lambda: 0.0), list[tuple[int, int]]()

    async def write(rows: tuple[AckRow, ...]) -> None:
        written.extend((row.boot, row.seq) for row in rows)

    post.listen(Publisher(url="mqtt://127.0.0.1:1", prefix=PREFIX), write)
    while (row := await post.next()) is not None:
        post.sent(row)
    for payload in payloads:
        await post.take(Heard(ACK, payload, retained=retained))
    return written


def named(payload: bytes) -> set[tuple[int, int]]:
    """What it acknowledges, by another reader than the program's."""
    try:
        told = json.loads(payload)
    except (ValueError, RecursionError):
        return set()
    boot, seqs = (told.get("boot"), told.get("seqs")) if isinstance(told, dict) else (None, None)
    if type(boot) is not int or not isinstance(seqs, list) or len(seqs) > MOST_ACKNOWLEDGED:
        return set()
    return {(boot, seq) for seq in seqs if type(seq) is int} if boot >= 0 else set()


values = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
near = st.fixed_dictionaries(
    {},
    optional={
        "boot": NUMBERS | values,
        "seqs": st.lists(NUMBERS | values, max_size=6) | st.lists(NUMBERS, max_size=6) | values,
        "v": values,
        "more": values,
    },
)


def changed(payload: bytes, at: int, letter: bytes) -> bytes:
    place = at % (len(payload) + 1)
    return payload[:place] + letter + payload[place + len(letter) :]


texts = (near | values).map(lambda told: json.dumps(told).encode())
payloads = (
    st.binary(max_size=60) | texts | st.builds(changed, texts, st.integers(0, 10_000), st.binary(max_size=3))
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(payloads, max_size=6))
def test_no_payload_raises_or_takes_out_what_it_does_not_name(
    path: Path, caplog: pytest.LogCaptureFixture, said: list[bytes]
) -> None:
    caplog.clear()
    right = b'{"boot": 3, "seqs": [9, 9, 4]}'
    written = asyncio.run(taken(path, *said, right))
    allowed = set().union(*(named(payload) for payload in (*said, right))) & set(STORED)
    assert {(3, 9)} <= set(written) <= allowed
    assert len(written) == len(set(written))
    assert len(caplog.messages) <= 1


def seqs(numbers: range) -> bytes:
    return b'{"boot": 1, "seqs": [%s]}' % b",".join(b"%d" % number for number in numbers)


RUBBISH = [
    b"",
    b"\xff\xfe",
    b'{"boot": 1, "seqs": [1], "x": "\xff"}',
    b"[" * 20_000,
    b'{"boot": 1, "seqs": [1], "x": ' + b"[" * 20_000 + b"]" * 20_000 + b"}",
    b'{"boot": 1}',
    b'{"boot": 1, "seqs": [1, 1e308]}',
    b'{"boot": 1, "seqs": [1, %s]}' % (b"9" * 10_000),
    b'{"boot": -1, "seqs": [1]}',
    b'{"boot": 1, "seqs": [1, -1]}',
    b'{"boot": 1, "seqs": ["1"]}',
    b'{"boot": 1, "through": 9}',
    b'{"boot": 1, "seqs": 1}',
    b'{"boot": true, "seqs": [1]}',
    seqs(range(MOST_ACKNOWLEDGED + 1)),
    seqs(range(100_000)),
]
NOTHING_OF_OURS = [
    b'{"boot": 2, "seqs": [1, 2, 5, 9]}',
    b'{"boot": 1, "seqs": [3, 4, 6, 100]}',
    b'{"boot": 1, "seqs": []}',
    b'{"boot": 99999999999999999999999999, "seqs": [99999999999999999999999999]}',
    b'{"boot": 1, "seqs": [9223372036854775808]}',
]


@pytest.mark.parametrize("payload", RUBBISH, ids=range(len(RUBBISH)))
async def test_rubbish_is_told_in_one_line_however_often_it_comes(
    payload: bytes, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await taken(path, *[payload] * 20) == []
    (line,) = caplog.messages
    assert line.isprintable()
    assert len(line) < 400


async def test_all_kinds_of_rubbish_together_are_a_line_and_what_is_retained_another(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await taken(path, *RUBBISH, *RUBBISH) == []
    assert len(caplog.messages) == 1
    assert await taken(path, *[b'{"boot": 1, "seqs": [1]}'] * 9, retained=True) == []
    assert len(caplog.messages) == 2


@pytest.mark.parametrize("payload", NOTHING_OF_OURS, ids=range(len(NOTHING_OF_OURS)))
async def test_what_was_never_sent_is_passed_over_without_a_word(
    payload: bytes, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert await taken(path, payload, payload) == []
    assert caplog.messages == []


async def test_through_a_real_broker_rubbish_takes_nothing_out_and_the_right_word_does(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    at = itertools.count()
    with Journal.open(tmp_path / "journal.db") as journal:
        journal.write([message(key) for key in STORED])

        async def write(rows: tuple[AckRow, ...]) -> None:
            journal.write(rows)

        async with own_broker() as broker:
            post = Post(tmp_path / "journal.db", now=lambda: next(at) / 1e6)
            publisher = Publisher(url=broker.url, prefix=PREFIX, ledger=post)
            post.listen(publisher, write)
            running = asyncio.create_task(publisher.run())
            await until(lambda: publisher.published > len(STORED))
            for payload in (*RUBBISH, *NOTHING_OF_OURS):
                await say(broker.url, ACK, payload)
            assert waiting(tmp_path) == STORED
            for key in (STORED[2], STORED[2], STORED[7]):
                await say(broker.url, ACK, msgspec.json.encode({"boot": key[0], "seqs": [key[1]]}))
            expected = [key for key in STORED if key not in {STORED[2], STORED[7]}]
            await until(are(tmp_path, expected))
            publisher.stop()
            await running
    assert [line for line in caplog.messages if "ledger/ack" in line and "told for an hour" not in line] == []
    assert sum("told for an hour" in line for line in caplog.messages) == 1


def waiting(folder: Path) -> list[tuple[int, int]]:
    with JournalReader(folder / "journal.db") as reader:
        return [(row.boot, row.seq) for row in reader.unacknowledged((0, 0), 99)]


def are(folder: Path, expected: list[tuple[int, int]]) -> Callable[[], bool]:
    return lambda: waiting(folder) == expected
