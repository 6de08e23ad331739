"""Doubts: what is unclear with its pictures, large choices that stay where they are, likelihoods in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import msgspec
import numpy as np
from playwright.async_api import expect
from test_layout import FAULTS
from test_page import CUT_OFF, show_playing
from test_touch import DOUBT, picture

from controller import public

if TYPE_CHECKING:
    from pathlib import Path

    from shown import Shown

    from controller.session import Session

NAMES = ("deal-3-doubt-7-pond-1.jpg", "deal-3-doubt-7-hand-2.jpg")
UNCLEAR = msgspec.structs.replace(
    DOUBT,
    likelihoods=(0.9, 0.05, None),
    resolved_by=("look", "person"),
    pictures=(*NAMES, "../../journal.db", "https://elsewhere.example/x.jpg"),
)
HOSTILE = msgspec.structs.replace(
    DOUBT,
    id=8,
    zh="<img src=x onerror=document.title='owned'>" * 4,
    en="\u202e" + "long" * 200,
    candidates=("<script>document.title='owned'</script>" * 6, "长" * 300, "🐉" * 90),
)
HELD_MS = 3_000
"""So long a finger is taken for one that is still there."""
WATCH_FINGER = """() => addEventListener("pointerdown", () => {
  const down = performance.now();
  window.held = () => performance.now() - down;
}, { once: true })"""


async def places(shown: Shown) -> list[list[float]]:
    found: list[list[float]] = await shown.page.locator(".choice").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(b => [b.left, b.top, b.width, b.height])"
    )
    return found


async def test_a_doubt_shows_its_pictures_and_large_choices_that_stay_in_place(
    table: tuple[Shown, Session], tmp_path: Path
) -> None:
    shown, _ = table
    page = shown.page
    for name in NAMES:
        cv2.imwrite(str(tmp_path / "pictures" / name), np.full((90, 300, 3), 120, np.uint8))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    await page.set_viewport_size({"width": 1280, "height": 800})
    await show_playing(shown)
    await shown.publish(doubt=public.Doubts(doubts=(UNCLEAR,)))
    await expect(page.locator(".picture figcaption .zh")).to_have_text(["二号位牌河", "三号位亮出的牌"])
    for image in await page.locator(".picture img").all():
        await expect(image).to_have_js_property("naturalWidth", 300)
    assert not [url for url in asked if "journal" in url or "elsewhere" in url]
    assert await shown.texts(".likely .zh") == ["很可能", "不大可能"]
    assert await shown.texts(".ways .zh") == ["把牌摆正、手拿开，看清了会自动解决", "请在这里选"]
    before = await places(shown)
    assert min(height for *_, height in before) >= 64
    assert await page.evaluate(CUT_OFF) == []
    await picture(shown, "doubt-pictures")
    await page.locator(".choice").nth(1).click()
    await expect(page.locator(".confirming")).to_be_visible()
    assert await places(shown) == before
    sayers = await page.locator(".sayer").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect().height)"
    )
    assert min(sayers) >= 64
    await picture(shown, "doubt-confirming")
    await page.locator(".never").click()
    # What comes while a finger is on a choice waits until it is lifted.
    await page.locator(".choice").nth(0).hover()
    await page.evaluate(WATCH_FINGER)
    await page.mouse.down()
    await shown.publish(doubt=public.Doubts(doubts=(msgspec.structs.replace(UNCLEAR, asked=2),)))
    await page.wait_for_timeout(400)
    # On a machine so busy that the finger lay there for longer than one does, it no longer waits.
    assert await page.locator(".said-before").count() == 0 or await page.evaluate("held()") > HELD_MS
    await page.mouse.move(5, 5)
    await page.mouse.up()
    await expect(page.locator(".said-before")).to_contain_text("说法不同，请再看再选")
    assert await places(shown) == before
    assert shown.console == []


async def test_a_doubt_about_points_shows_whose_they_are_and_no_bare_cloth(
    table: tuple[Shown, Session],
) -> None:
    shown, _ = table
    page = shown.page
    await show_playing(shown)
    zh, en = "前面有一局没有结算。这一局照下面的算吗？", "an earlier hand was not settled. Settle by these?"
    points = "-1076 142 10000 82"
    doubt = msgspec.structs.replace(
        DOUBT,
        kind="points",
        zh=f"{zh}庄家一号位，连庄0，各家{points}",
        en=f"{en} dealer seat 1, kept 0, points {points}",
        candidates=("就照这样结算 (settle by these)",),
        persons=(2,),
        resolved_by=("person",),
        pictures=NAMES,
    )
    await shown.publish(doubt=public.Doubts(doubts=(doubt,)))
    await expect(page.locator(".points-asked .whose")).to_have_text(
        ["一号位 陈师傅", "二号位 王阿姨", "三号位 小李", "四号位 老周"]
    )
    assert await shown.texts(".points-asked .holds") == ["−1076", "142", "10000", "82"]
    assert await shown.texts(".question .zh") == [f"{zh}庄家一号位，连庄0"]
    assert await page.locator(".picture").count() == 0
    for width, height in ((1280, 800), (1920, 1080), (800, 1280), (1080, 1920)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(CUT_OFF) == []
        assert await page.evaluate(FAULTS) == []
        await picture(shown, f"doubt-points-{width}x{height}")
    # Words that another controller has chosen are shown as they are.
    other = msgspec.structs.replace(doubt, zh="各家多少？", en="how many has each?")
    await shown.publish(doubt=public.Doubts(doubts=(other,)))
    await expect(page.locator(".question .zh")).to_have_text("各家多少？")
    await expect(page.locator(".points-asked")).to_have_count(0)


async def test_what_a_doubt_says_is_text_and_it_can_be_folded_with_the_keyboard(
    table: tuple[Shown, Session],
) -> None:
    shown, _ = table
    page = shown.page
    await show_playing(shown)
    await shown.publish(doubt=public.Doubts(doubts=(HOSTILE,)))
    await expect(page.locator(".question .zh")).to_have_text(HOSTILE.zh)
    assert await page.locator(".panel img, .panel script").count() == 0
    assert await page.title() == "龙桌"
    await picture(shown, "doubt-hostile")
    await page.locator(".fold").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator(".line-of.doubt .fold")).to_be_focused()
    await expect(page.locator(".seat").last).to_be_visible()
    await page.keyboard.press("Enter")
    await expect(page.locator(".choice").first).to_be_visible()
