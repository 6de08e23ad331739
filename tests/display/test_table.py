"""The table in play: as people sit round it, complete and uncut on every screen."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from scenes import HAND, MELDS, MIDDLE, PONDS
from test_page import CUT_OFF, OVERLAPPING

from controller import public

if TYPE_CHECKING:
    from shown import Shown

SCREENS = [(1280, 800), (1920, 1080), (3840, 2160), (800, 1280), (1080, 1920)]
COVERED = """() => [...document.querySelectorAll(".turn-word")].flatMap(word => {
  const over = word.getBoundingClientRect();
  return [...word.parentElement.querySelectorAll(".score, .claim")].filter(each => {
    const below = each.getBoundingClientRect();
    return over.top < below.bottom - 1 && below.top < over.bottom - 1
      && over.left < below.right - 1 && below.left < over.right - 1;
  }).map(each => each.textContent);
})"""
"""What the word of who is to move lies over."""
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".seat")].map(seat => {
  const boxes = [...seat.querySelectorAll(".who, .open")].map(each => each.getBoundingClientRect());
  const middle = (a, b) => boxes.reduce((sum, box) => sum + (box[a] + box[b]) / 2, 0) / boxes.length;
  return [seat.dataset.seat, [middle("left", "right") / innerWidth, middle("top", "bottom") / innerHeight]];
}))"""


async def picture(shown: Shown, name: str) -> None:
    """Keep a picture for who wants to look: LONGZHUO_SCREENSHOTS names the folder."""
    folder = os.environ.get("LONGZHUO_SCREENSHOTS")
    if folder:
        await shown.page.screenshot(path=f"{folder}/{name}.png")


async def show_middle(shown: Shown) -> None:
    await shown.publish(**MIDDLE, availability="online")
    await expect(shown.page.locator("#display")).to_have_attribute("data-link", "live")
    await expect(shown.page.locator(".centre-last")).to_be_visible()


async def test_people_sit_round_the_table_and_nothing_is_cut_off_on_any_screen(shown: Shown) -> None:
    await show_middle(shown)
    for turned in (False, True):
        for width, height in SCREENS:
            await shown.page.set_viewport_size({"width": width, "height": height})
            await picture(shown, f"table-{width}x{height}{'-turned' if turned else ''}")
            assert await shown.page.evaluate(CUT_OFF) == [], (width, height, turned)
            assert not await shown.page.evaluate(OVERLAPPING), (width, height, turned)
            assert await shown.page.evaluate(COVERED) == [], (width, height, turned)
            places = await shown.page.evaluate(PLACES)
            # Seat 0 sits below, the next player at its right hand, and so on round the table.
            assert places["0"][1] > 0.6
            assert places["2"][1] < 0.4
            assert places["1"][0] > 0.6
            assert places["3"][0] < 0.4
        await shown.page.locator("[data-tool=turned]").click()


async def test_everything_of_a_seat_is_told(shown: Shown) -> None:
    await show_middle(shown)
    assert await shown.texts(".titled .zh") == ["新秀", "好手", "好手", "新秀"]
    assert await shown.texts(".points > .both > .zh") == ["牌点"] * 4
    assert await shown.texts(".seat.turn .turn-word .zh") == ["轮到"]
    assert await shown.page.locator(".portrait").count() == 4
    assert await shown.page.locator("[data-seat='1'] .dealer-word").inner_text() == "庄"
    assert await shown.texts("#dragon .tiles-left") == ["23"]
    assert await shown.texts("#dragon .stake") == ["1"]
    assert await shown.tiles(".centre-last") == ["9s"]
    left = shown.page.locator("[data-seat='3'] .claim")
    assert await left.evaluate_all("all => all.map(each => [each.dataset.of, each.dataset.left])") == [
        ["0", "1"],
        ["1", "1"],
        ["2", "0"],
    ]
    assert await shown.texts("[data-seat='3'] .claim.none .dots") == ["尽"]
    assert await shown.texts(".warning .zh") == ["打出过龙，本局不得胡"]
    arrows = shown.page.locator("[data-seat='1'] .source")
    assert await arrows.all_inner_texts() == ["↓北", "↓北", "←西"]
    for seat, melds in enumerate(MELDS):
        shapes = await shown.page.locator(f"[data-seat='{seat}'] .meld").evaluate_all(
            "all => all.map(each => each.querySelectorAll('.tile').length)"
        )
        assert shapes == [len(meld.tiles) for meld in melds]


async def test_two_rows_of_ten_are_seen_and_more_scroll_on(shown: Shown) -> None:
    await show_middle(shown)
    assert await shown.tiles("[data-seat='3'] .pond") == list(PONDS[3])
    seen = await shown.page.evaluate(
        """() => {
          const window_ = document.querySelector("[data-seat='3'] .pond-window").getBoundingClientRect();
          return [...document.querySelectorAll("[data-seat='3'] .pond .tile")].filter(each => {
            const { top, bottom } = each.getBoundingClientRect();
            return (top + bottom) / 2 > window_.top && (top + bottom) / 2 < window_.bottom;
          }).map(each => each.dataset.tile);
        }"""
    )
    assert seen == list(PONDS[3][10:])
    assert await shown.texts("[data-seat='3'] .more .zh") == ["前 10 张"]
    assert await shown.page.locator(".more").count() == 1


async def test_unread_tiles_and_doubts_are_marked_at_their_pond(shown: Shown) -> None:
    doubt = public.DoubtItem(id=1, kind="unsure", zh="?", en="?", candidates=(), at="", seats=(0,))
    await shown.publish(doubt=public.Doubts(doubts=(doubt,)))
    await show_middle(shown)
    assert await shown.texts("[data-seat='3'] .unread .zh") == ["未认出 1 张"]
    assert await shown.texts("[data-seat='0'] .asked .zh") == ["有疑问"]
    assert await shown.page.locator(".discards.unsure").count() == 2
    await shown.publish(hand=msgspec.structs.replace(HAND, ponds=((), (), (), ())), doubt=None)
    await expect(shown.page.locator(".discards.unsure")).to_have_count(0)


async def test_the_language_is_chosen_and_remembered(shown: Shown) -> None:
    await show_middle(shown)
    word = shown.page.locator("#dragon .fact").first
    tool = shown.page.locator("[data-tool=language]")
    for expected in ("余牌\ntiles left\n23", "余牌\n23", "tiles left\n23"):
        assert "\n".join((await word.inner_text()).split("\n")) == expected
        await tool.click()
    await tool.click()
    await shown.page.reload()
    await expect(shown.page.locator(".centre-last")).to_be_visible()
    assert "tiles left" not in await word.inner_text()
    assert await shown.page.locator("html").get_attribute("data-language") == "zh"


async def test_the_screen_is_spared_and_wakes_by_a_touch_or_by_news(shown: Shown) -> None:
    await shown.page.clock.install()
    await shown.page.reload()
    await show_middle(shown)
    sleeping = shown.page.locator(".saver")
    await shown.page.clock.fast_forward("00:30")
    assert await sleeping.count() == 0
    for wake in ("touch", "news"):
        await shown.page.clock.fast_forward("10:30")
        await expect(sleeping).to_be_visible()
        moved = await shown.page.locator("#display").evaluate("display => display.style.translate")
        assert moved not in {"", "0px"}
        if wake == "touch":
            await shown.page.mouse.click(300, 300)
        else:
            discard = public.PlacedTile(seat=2, tile="5p")
            await shown.publish(hand=msgspec.structs.replace(HAND, turn=3, last_discard=discard))
        await expect(sleeping).to_have_count(0)
