"""The display counts down until when somebody has to move, by the controller's clock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_page import HAND, SCORES, TABLE

from controller import public

if TYPE_CHECKING:
    from shown import Shown

NOW = "2031-05-01T12:00:00.000Z"
"""The controller's clock is years ahead of this machine's."""


async def show(shown: Shown, at: str | None, seat: int | None) -> None:
    until = None if at is None else public.DeadlineItem(at=at, seconds=15.0, seat=seat)
    hand = msgspec.structs.replace(HAND, deadline=until, ts=NOW)
    table = msgspec.structs.replace(TABLE, ts=NOW)
    await shown.publish(table=table, scores=SCORES, hand=hand, availability="online")
    await expect(shown.page.locator("#display")).to_have_attribute("data-link", "live")
    await expect(shown.page.locator(".pond svg").first).to_be_visible()


async def test_seconds_go_down_at_whoever_is_to_move(shown: Shown) -> None:
    await show(shown, "2031-05-01T12:00:12.000Z", 2)
    seconds = shown.page.locator(".centre .countdown .seconds")
    await expect(shown.page.locator(".compass.now")).to_have_attribute("data-side", "top")
    await expect(seconds).to_have_text(re.compile("^(1[012]|[89])$"))
    first = int(await seconds.inner_text())
    await expect(seconds).not_to_have_text(str(first))
    assert int(await seconds.inner_text()) < first
    assert await shown.texts(".countdown .zh") == ["秒出牌"]
    assert shown.console == []


async def test_an_open_discard_counts_down_and_stops_at_nothing(shown: Shown) -> None:
    await show(shown, "2031-05-01T12:00:01.000Z", None)
    counting = shown.page.locator(".centre .countdown")
    await expect(counting).to_have_class("countdown over")
    assert await shown.texts(".countdown .seconds") == ["0"]
    assert await shown.texts(".countdown .zh") == ["秒吃碰杠胡"]


async def test_a_table_without_times_counts_nothing(shown: Shown) -> None:
    await show(shown, None, None)
    assert await shown.page.locator(".countdown").count() == 0
