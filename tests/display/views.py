"""Every view of the page and every notice over it, each with the state that brings it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_page import HAND, SCORES, SETTLEMENT, TABLE
from test_touch import DOUBT

from controller import public
from controller.machine_advice import ADVICE
from firmware_bridge.faults import FaultCode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from conftest import Shown

LASTING = msgspec.structs.replace(TABLE, heartbeat=600)
"""Looking at a view may take longer than a table may be silent."""
QUIET = public.Alarm(active=False, code="", zh="", en="", since=None)
STEPS = ADVICE[FaultCode.CNT_01]
ALARM = public.Alarm(
    active=True,
    code=FaultCode.CNT_01.label,
    zh="缺牌：缺3张（2号位缺1张，4号位缺2张）",
    en="tiles are missing: 3 (side 2 lacks 1, side 4 lacks 2)",
    advice_zh=tuple(zh for zh, _ in STEPS),
    advice_en=tuple(en for _, en in STEPS),
    since="2026-01-01T00:00:00.000Z",
)
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


async def _calm(shown: Shown) -> None:
    """A hand in play, nothing open, everything live."""
    await shown.publish(
        doubt=public.Doubts(doubts=()),
        alarm=QUIET,
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
    await shown.publish(alarm=ALARM)
    await expect(shown.page.locator(".notice.alarm").first).to_be_visible()


async def _paused(shown: Shown) -> None:
    await shown.publish(table=msgspec.structs.replace(LASTING, paused=True))
    await expect(shown.page.locator(".notice.paused")).to_be_visible()


async def _settled(shown: Shown, settlement: public.Settlement) -> None:
    await shown.publish(settlement=settlement, table=SETTLED)
    await expect(shown.page.locator("#settlement")).to_be_visible()


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
    "paused": _paused,
    "settlement": lambda shown: _settled(shown, SETTLEMENT),
    "settlement-drawn": lambda shown: _settled(shown, DRAWN),
    "settlement-corrected": lambda shown: _settled(shown, CORRECTED),
    "offline": _offline,
}


async def bring_up(shown: Shown, name: str) -> None:
    """Show one of `VIEWS`, from whatever is shown now."""
    await _calm(shown)
    await VIEWS[name](shown)
