"""Every view of the page and every notice over it, each with the state that brings it up."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_fault_view import LONGEST, QUIET, alarm
from test_page import HAND, SCORES, SETTLEMENT, TABLE
from test_touch import DOUBT, RANKING

from controller import public
from firmware_bridge.faults import FaultCode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from shown import Shown

LASTING = msgspec.structs.replace(TABLE, heartbeat=600)
"""Looking at a view may take longer than a table may be silent."""
SETTLED = msgspec.structs.replace(LASTING, phase="settled")
DRAWN = msgspec.structs.replace(
    SETTLEMENT, drawn=True, winner=None, from_seat=None, how="drawn", payments=(0, 0, 0, 0), lines=(), hand=()
)
CORRECTED = public.AmendedSettlement(
    **{name: getattr(SETTLEMENT, name) for name in SETTLEMENT.__struct_fields__},
    deal=3,
    edition=2,
    supersedes=1,
    superseded=(-8, -4, 16, -4),
    difference=(-8, -4, 16, -4),
    author="referee",
)
COURSE = (
    public.HandPoints(hand_no=1, how="won", winner=1, balances=(92, 124, 92, 92)),
    public.HandPoints(hand_no=2, how="won", winner=1, balances=(84, 148, 84, 84)),
    public.HandPoints(hand_no=3, how="withheld", winner=None, balances=(84, 148, 84, 84)),
    public.HandPoints(hand_no=4, how="won", winner=2, balances=(68, 140, 116, 76)),
    public.HandPoints(hand_no=5, how="drawn", winner=None, balances=(68, 140, 116, 76)),
    public.HandPoints(hand_no=6, how="won", winner=2, balances=(60, 134, 132, 74)),
)
OVER = msgspec.structs.replace(
    RANKING,
    hands=len(COURSE),
    certain=False,
    ended="ended",
    start_points=100,
    history=COURSE,
)


async def _calm(shown: Shown) -> None:
    """A hand in play, nothing open, everything live."""
    await shown.publish(
        doubt=public.Doubts(doubts=()),
        alarm=QUIET,
        ranking=None,
        settlement=SETTLEMENT,
        hand=HAND,
        scores=SCORES,
        table=LASTING,
        availability="online",
    )
    await expect(shown.page.locator("#display")).to_have_attribute("data-link", "live")
    await expect(shown.page.locator("#display")).to_have_attribute("data-view", "table")
    await expect(shown.page.locator(".notice")).to_have_count(0)


async def _doubt(shown: Shown) -> None:
    await shown.publish(doubt=public.Doubts(doubts=(DOUBT,)))
    await expect(shown.page.locator(".notice.doubt .choice").first).to_be_visible()


async def _who_says_so(shown: Shown) -> None:
    await _doubt(shown)
    await shown.page.locator(".choice").nth(1).click()
    await expect(shown.page.locator(".sayer").first).to_be_visible()


async def _alarm(shown: Shown) -> None:
    await shown.publish(alarm=alarm(FaultCode.CNT_01, 1, 3))
    await expect(shown.page.locator(".line-of.alarm")).to_be_visible()


async def _what_to_do(shown: Shown, *, code: FaultCode, sides: tuple[int, ...]) -> None:
    """A fault that stands open: nothing is played meanwhile."""
    await shown.publish(table=msgspec.structs.replace(LASTING, phase="walls"), alarm=alarm(code, *sides))
    await expect(shown.page.locator(".panel.alarm .steps li").first).to_be_visible()


async def _paused(shown: Shown) -> None:
    await shown.publish(table=msgspec.structs.replace(LASTING, paused=True))
    await expect(shown.page.locator(".notice.paused")).to_be_visible()


async def _settled(shown: Shown, settlement: public.Settlement) -> None:
    await shown.publish(settlement=settlement, table=SETTLED)
    await expect(shown.page.locator("#settlement")).to_be_visible()


async def _ranking(shown: Shown) -> None:
    await shown.publish(ranking=OVER, table=msgspec.structs.replace(LASTING, phase="hatch_open"))
    await expect(shown.page.locator("#ranking .chart")).to_be_visible()


async def _offline(shown: Shown) -> None:
    await shown.publish(availability="offline")
    await expect(shown.page.locator(".notice.link")).to_be_visible()


async def _nothing(shown: Shown) -> None:
    """What is asked for is there already."""


VIEWS: Mapping[str, Callable[[Shown], Awaitable[None]]] = {
    "table": _nothing,
    "doubt": _doubt,
    "doubt-who-says-so": _who_says_so,
    "alarm": _alarm,
    "fault": partial(_what_to_do, code=FaultCode.CNT_01, sides=(1, 3)),
    "fault-longest": partial(_what_to_do, code=LONGEST, sides=()),
    "paused": _paused,
    "settlement": lambda shown: _settled(shown, SETTLEMENT),
    "settlement-drawn": lambda shown: _settled(shown, DRAWN),
    "settlement-corrected": lambda shown: _settled(shown, CORRECTED),
    "ranking": _ranking,
    "offline": _offline,
}


async def bring_up(shown: Shown, name: str) -> None:
    """Show one of `VIEWS`, from whatever is shown now."""
    await _calm(shown)
    await VIEWS[name](shown)
