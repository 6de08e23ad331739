"""Readings as lines: files end, servers come back, bad lines are counted, and no tile is told twice."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.models import load
from vision.observations import Appeared, CameraBack, CameraLost, Observation, Settled, Vanished, encode_line
from vision.reading import LineSight, SightSettings, open_sight
from vision.reading_lines import BadSource, Relay

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

GEOMETRY = load("longzhuo840")
QUICK = SightSettings(retry_s=0.02, timeout_s=2)


def tile(number: int, text: str = "5p", x: float = 0.0) -> Appeared:
    return Appeared(at=1.0, id=number, tile=text, x=x, y=0.0)


async def all_of(sight: LineSight) -> list[Observation]:
    async with sight:
        return [observation async for observation in sight]


async def test_a_file_is_read_to_its_end_and_bad_lines_are_counted(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "hand.jsonl"
    lines = [encode_line(tile(1)), b"{oops\n", b"\n", encode_line(Settled(at=2.0)), b"[]\n"]
    path.write_bytes(b"".join(lines))
    sight = open_sight(f"readings:{path}", GEOMETRY, QUICK)
    assert isinstance(sight, LineSight)
    with caplog.at_level(logging.ERROR):
        assert await all_of(sight) == [tile(1), Settled(at=2.0)]
    assert (sight.stats.lines, sight.stats.bad_lines) == (2, 2)
    assert [record.getMessage().partition(" not an")[0] for record in caplog.records] == [
        f"readings:{path}: line 2:"
    ]


@pytest.mark.parametrize(
    "source",
    ["readings:/nowhere/at.all", "readings:tcp://nohost", "readings:tcp://h:99999", "readings:tcp://[x"],
)
async def test_a_source_that_can_never_be_one_is_refused_in_words(source: str) -> None:
    with pytest.raises(BadSource, match="expected"):
        async with open_sight(source, GEOMETRY, QUICK):
            pass


@asynccontextmanager
async def server(lines: list[bytes], port: int = 0) -> AsyncIterator[int]:
    """Sends the lines to everyone who connects, then hangs up."""

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.writelines(lines)
        await writer.drain()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", port)
    try:
        yield int(listening.sockets[0].getsockname()[1])
    finally:
        listening.close()
        await listening.wait_closed()


async def test_a_server_that_hangs_up_is_connected_to_again() -> None:
    async with (
        server([encode_line(tile(1)), encode_line(Settled(at=3.0))]) as port,
        open_sight(f"readings:tcp://127.0.0.1:{port}", GEOMETRY, QUICK) as sight,
    ):
        seen: list[Observation] = []
        async for observation in sight:
            seen.append(observation)
            if len(seen) == 6:
                break
    lost = seen[2]
    assert isinstance(lost, CameraLost)
    assert "closed the connection" in lost.reason
    assert seen == [tile(1), Settled(at=3.0), lost, CameraBack(at=3.0), Settled(at=3.0), lost]


async def test_nobody_listening_is_told_once() -> None:
    async with server([]) as port:
        pass
    async with open_sight(f"readings:tcp://127.0.0.1:{port}", GEOMETRY, QUICK) as sight:
        observations = aiter(sight)
        first = await anext(observations)
        assert isinstance(first, CameraLost)
        assert "can't connect" in first.reason
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(observations), 0.2)


def test_after_a_new_connection_known_tiles_keep_their_ids_and_gone_ones_vanish() -> None:
    relay = Relay()
    for observation in (tile(1, "1m", 10), tile(2, "2m", 20), Settled(at=1)):
        assert relay.take(observation) == [observation]
    relay.reconnected()
    assert relay.take(tile(1, "2m", 20)) == []
    assert relay.take(tile(2, "9s", 30)) == [tile(3, "9s", 30)]
    assert relay.take(Settled(at=5)) == [Vanished(at=5, id=1), Settled(at=5)]
    assert relay.take(Vanished(at=6, id=1)) == [Vanished(at=6, id=2)]


STEPS = st.lists(
    st.one_of(
        st.builds(tile, st.integers(1, 6), st.sampled_from(["1m", "2m"]), st.sampled_from([0.0, 40.0])),
        st.builds(Vanished, at=st.just(1.0), id=st.integers(1, 6)),
        st.builds(Settled, at=st.floats(0, 9)),
        st.none(),
    )
)


@given(STEPS)
def test_whatever_a_server_says_each_id_appears_once_and_vanishes_once(
    steps: list[Observation | None],
) -> None:
    relay, present, used, at = Relay(), set[int](), set[int](), 0.0
    for step in steps:
        if step is None:
            relay.reconnected()
            continue
        for observation in relay.take(step):
            assert observation.at >= at
            at = observation.at
            if isinstance(observation, Appeared):
                assert observation.id not in used
                used.add(observation.id)
                present.add(observation.id)
            elif isinstance(observation, Vanished):
                present.remove(observation.id)
