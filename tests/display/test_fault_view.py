"""Faults: what to do step by step in large words, and where, on a drawing of the table from above."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.async_api import expect
from test_page import CUT_OFF, TABLE, show_playing
from test_touch import picture

from controller import public
from controller.machine_advice import ADVICE
from controller.machine_words import CONDITIONS
from firmware_bridge.faults import FAULTS, FaultCode

if TYPE_CHECKING:
    from shown import Shown

PAGE = Path(__file__).parents[2] / "controller" / "page"
QUIET = public.Alarm(active=False, code="", zh="", en="", since=None)
SHUFFLING = msgspec.structs.replace(TABLE, phase="shuffling", heartbeat=60)


def alarm(code: FaultCode, *sides: int) -> public.Alarm:
    text, steps = FAULTS[code], ADVICE[code]
    return public.Alarm(
        active=True,
        code=code.label,
        zh=text.zh,
        en=text.en,
        advice_zh=tuple(zh for zh, _ in steps),
        advice_en=tuple(en for _, en in steps),
        since="2026-01-01T00:00:00.000Z",
        sides=sides,
    )


def test_every_fault_has_a_place_on_the_drawing() -> None:
    source = (PAGE / "src" / "places.ts").read_text(encoding="utf-8")
    table = source.partition("FAULT_PLACES")[2].partition("};")[0]
    placed = set(re.findall(r'^  "([A-Z]+-\d\d)": \[.+\],$', table, re.MULTILINE))
    known = {code.label for code in FaultCode if code is not FaultCode.NONE} | set(CONDITIONS) | {"CMD-00"}
    assert placed == known


LONGEST = max(ADVICE, key=lambda code: sum(len(zh) + len(en) for zh, en in ADVICE[code]))


@pytest.mark.parametrize(
    ("code", "sides"), [(FaultCode.CNT_01, (1, 3)), (FaultCode.FED_01, (2,)), (LONGEST, ())]
)
async def test_a_fault_says_what_to_do_step_by_step_and_where(
    shown: Shown, code: FaultCode, sides: tuple[int, ...]
) -> None:
    await shown.publish(table=SHUFFLING, alarm=alarm(code, *sides), availability="online")
    await expect(shown.page.locator(".notice.alarm .code")).to_have_text(code.label)
    for width, height in ((1280, 800), (800, 1280), (1920, 1080)):
        await shown.page.set_viewport_size({"width": width, "height": height})
        assert await shown.texts(".steps .zh") == [zh for zh, _ in ADVICE[code]]
        assert await shown.texts(".steps .en") == [en for _, en in ADVICE[code]]
        assert await shown.page.evaluate(CUT_OFF) == []
        sizes = await shown.page.locator(".steps li").evaluate_all(
            "steps => steps.map(step => parseFloat(getComputedStyle(step).fontSize))"
        )
        assert min(sizes) >= 0.033 * min(width, height)
        await picture(shown, f"fault-{code.label}-{width}")
    label = await shown.page.locator(".place-map").get_attribute("aria-label")
    assert label is not None
    for side in sides:
        assert str(side + 1) in label
    await shown.publish(alarm=QUIET)
    await expect(shown.page.locator(".notice.alarm")).to_have_count(0)


async def test_a_fault_that_play_can_go_on_with_is_one_line_until_it_is_opened(shown: Shown) -> None:
    await show_playing(shown)
    await shown.publish(alarm=alarm(FaultCode.LNK_02))
    await expect(shown.page.locator(".line-of.alarm")).to_contain_text("LNK-02")
    await expect(shown.page.locator(".seat").last).to_be_visible()
    await shown.page.keyboard.press("Tab")
    await expect(shown.page.locator(".fold")).to_be_focused()
    await shown.page.keyboard.press("Enter")
    await expect(shown.page.locator(".steps li")).to_have_count(len(ADVICE[FaultCode.LNK_02]))
    await expect(shown.page.locator(".fold")).to_be_focused()
    await shown.page.keyboard.press("Enter")
    await expect(shown.page.locator(".steps")).to_have_count(0)
    await shown.publish(alarm=alarm(FaultCode.HAT_03))
    await expect(shown.page.locator(".panel .code")).to_have_text("HAT-03")  # somebody may be hurt
    hostile = msgspec.structs.replace(
        alarm(FaultCode.HAT_03), zh="<b>x</b>" * 90, en="\u202e" + "长" * 400, code="<i>" * 9
    )
    await shown.publish(alarm=hostile)
    await expect(shown.page.locator(".alarm .code")).to_have_text("<i>" * 9)
    assert await shown.page.locator(".alarm b b, .alarm i").count() == 0
    assert shown.console == []
