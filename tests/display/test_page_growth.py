"""A page that stands for weeks keeps nothing of what it has shown: no memory, no elements, no listeners."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.async_api import expect

from controller import public

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.async_api import CDPSession
    from shown import Shown

    from controller.session import Session

from evening import Evening  # type: ignore[import-not-found]

AT_ONCE = 200
"""So many messages are under way; a broker keeps a thousand for a page that is slow."""

MOST_HEAP = 500_000
"""Bytes that the heap may differ by: what is compiled meanwhile, and what the last state happens to be."""

MOST_NODES = 400
"""The last state has more or fewer tiles than the one it is compared with."""


def states(deals: int) -> list[tuple[str, public.Payload]]:
    """What is retained while so many deals are played, in order."""
    evening = Evening(3)
    evening.play(deals)
    evening.finish()
    return [(topic, payload) for topic, payload in evening.log.published if topic.startswith("state/")]


def numbered(told: list[tuple[str, public.Payload]], number: int) -> Iterator[tuple[str, bytes]]:
    """So many messages with growing numbers: the same deals again and again, their hands counted on."""
    for seq in range(1, number + 1):
        topic, payload = told[seq % len(told)]
        fields = {"boot": 10**6, "seq": seq}
        if isinstance(payload, public.TableSnapshot | public.Settlement):
            fields["hand_no"] = payload.hand_no + 2 * (seq // len(told))
        yield topic, public.encode(msgspec.structs.replace(payload, **fields))


async def feed(shown: Shown, messages: Iterator[tuple[str, bytes]], last: str) -> None:
    """Publish them, no faster than the page takes them; at the end a player is called `last`."""
    async with shown.connect() as client:
        table = b""
        for number, (topic, payload) in enumerate(messages):
            await client.publish(f"{shown.served.prefix}/{topic}", payload, qos=1, retain=True)
            table = payload if topic == "state/table" else table
            if number % AT_ONCE == 0:
                await shown.page.evaluate("() => new Promise(requestAnimationFrame)")
        named = msgspec.structs.replace(
            msgspec.json.decode(table, type=public.TableSnapshot),
            phase="playing",
            heartbeat=600,
            players=(last, "b", "c", "d"),
        )
        await client.publish(f"{shown.served.prefix}/state/table", public.encode(named), qos=1, retain=True)
        await client.publish(f"{shown.served.prefix}/state/availability", b"online", qos=1, retain=True)
    await expect(shown.page.get_by_text(last).first).to_be_visible(timeout=60_000)


async def held(tools: CDPSession) -> dict[str, float]:
    """What the page holds after everything that nobody needs is gone."""
    for _ in range(3):
        await tools.send("HeapProfiler.collectGarbage")
    told = await tools.send("Performance.getMetrics")
    metrics = {each["name"]: each["value"] for each in told["metrics"]}
    return {name: metrics[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}


@pytest.mark.parametrize(
    "number", [1_500, pytest.param(20_000, marks=[pytest.mark.long, pytest.mark.timeout(900)])]
)
async def test_after_many_snapshots_the_page_holds_no_more_than_before(
    table: tuple[Shown, Session], number: int
) -> None:
    shown, _ = table
    told = states(1)
    tools = await shown.page.context.new_cdp_session(shown.page)
    await tools.send("Performance.enable")
    messages = numbered(told, 10**6)
    await feed(shown, (next(messages) for _ in range(500)), "player-one")
    before = await held(tools)
    await feed(shown, (next(messages) for _ in range(number)), "player-two")
    after = await held(tools)
    grown = {name: after[name] - before[name] for name in before}
    sys.stdout.write(f"{number} snapshots: {before} -> {after}\n")
    assert grown["JSHeapUsedSize"] < MOST_HEAP, grown
    assert abs(grown["Nodes"]) < MOST_NODES, grown
    assert abs(grown["JSEventListeners"]) <= 8, grown
    assert shown.console == []
