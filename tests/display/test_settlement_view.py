"""The settlement and the ranking: who pays whom, points before and after, who deals next, the course."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_page import CUT_OFF, KONG, PENG, SETTLEMENT, TABLE
from test_touch import AMENDED, RANKING, picture

from controller import public

if TYPE_CHECKING:
    from shown import Shown

SETTLED = msgspec.structs.replace(TABLE, phase="settled", next_dealer=2, heartbeat=60)
HOSTILE = ("<b id=owned>x</b>", "长" * 60, "\u202eabc\u202d", "🐉" * 12)
SIZES = ((1280, 800), (800, 1280), (3840, 2160))
POINTS = ((84, 84, 148, 84), (84, 84, 148, 84), (60, 134, 132, 74))
IN_ROWS = """() => [...document.querySelectorAll(".entry")].every(entry => {
  const [name, value, article] = [...entry.children].map(cell => cell.getBoundingClientRect());
  return name.top === value.top && value.top === article.top && name.right <= value.left + 1;
})"""
"""Each line of a settlement stands in one row: name, value, article."""
INSIDE = """() => {
  const bottom = document.querySelector("#settlement").getBoundingClientRect().bottom + 1;
  return [...document.querySelectorAll(".payment, .next, .ranked, .entry")]
    .every(row => row.getBoundingClientRect().bottom <= bottom);
}"""
HISTORY = (
    public.HandPoints(hand_no=1, how="won", winner=2, balances=POINTS[0]),
    public.HandPoints(hand_no=2, how="withheld", winner=None, balances=POINTS[1]),
    public.HandPoints(hand_no=3, how="won", winner=1, balances=POINTS[2]),
)
SELF_DRAWN = msgspec.structs.replace(
    SETTLEMENT,
    winner=1,
    from_seat=None,
    how="selfdraw",
    how_zh="自摸",
    how_en="self-draw",
    hand=("9p", "P", "6m", "1s", "9p", "E", "6m"),
    tile="P",
    dragons=2,
    melds=(PENG, KONG),
    payments=(-46, 138, -46, -46),
    balances=(-6, 238, 54, 54),
)


async def test_a_settlement_says_who_pays_whom_and_what_follows(shown: Shown) -> None:
    page = shown.page
    await shown.publish(settlement=SETTLEMENT, table=SETTLED, availability="online")
    await expect(page.locator(".flows")).to_have_attribute(
        "aria-label", "陈师傅 → 小李 16，王阿姨 → 小李 8，老周 → 小李 8"
    )
    assert await page.locator(".flow-amount text").all_text_contents() == ["16", "8", "8"]
    assert await shown.texts(".payment:not(.head) .flow-words .zh") == [
        "付给 小李 16",
        "付给 小李 8",
        "收 16 + 8 + 8",
        "付给 小李 8",
    ]
    # Lighter ones have no names in them, which would stand out in parts.
    weight = "all => all.map(each => getComputedStyle(each).fontWeight)"
    assert set(await page.locator(".flow-words").evaluate_all(weight)) == {"600"}
    assert await shown.texts(".payment:not(.head) .pay-before") == ["76", "142", "100", "82"]
    assert await shown.texts(".next-dealer .zh") == ["下一局庄家：小李"]
    assert await shown.texts(".shown-meld .meld-from") == ["来自 东 王阿姨"]
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(CUT_OFF) == []
        assert await page.evaluate(IN_ROWS)
        await picture(shown, f"settlement-{width}")
    # With everything that may stand above and beside them, all four accounts are seen.
    crowded = msgspec.structs.replace(AMENDED, lines=SETTLEMENT.lines * 4)
    quiet = msgspec.structs.replace(SETTLED, locked=True, next_dealer=None)
    await shown.publish(settlement=crowded, ranking=RANKING, table=quiet)
    await expect(page.locator(".ranked")).to_have_count(4)
    for width, height in (*SIZES, (1920, 1080)):
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(INSIDE), width
        await picture(shown, f"settlement-crowded-{width}")
    await shown.publish(settlement=SELF_DRAWN, table=msgspec.structs.replace(SETTLED, next_dealer=1))
    await expect(page.locator(".headline .way")).to_have_text("自摸")
    assert await shown.tiles(".shown-hand") == ["6m", "6m", "1s", "9p", "9p", "E"]
    assert await shown.texts(".payment:not(.head) .pay-balance") == ["−6", "238", "54", "54"]
    assert await shown.texts(".next-dealer .zh") == ["下一局庄家：王阿姨（连庄）"]
    hostile = msgspec.structs.replace(SETTLED, players=HOSTILE)
    await shown.publish(table=hostile)
    await expect(page.locator(".payment:not(.head) .pay-name").first).to_have_text(HOSTILE[0])
    assert await page.locator("#owned").count() == 0
    await page.set_viewport_size({"width": 1280, "height": 800})
    for row in await page.locator(".payment:not(.head)").all():
        box = await row.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 1280
    await picture(shown, "settlement-hostile")
    assert shown.console == []


async def test_figures_stand_there_at_once_and_nothing_moves_for_who_wants_no_motion(shown: Shown) -> None:
    page = shown.page
    await page.emulate_media(reduced_motion="reduce")
    await shown.publish(settlement=SETTLEMENT, table=SETTLED, availability="online")
    await expect(page.locator(".accounts.fresh")).to_be_visible()
    assert await page.evaluate("document.getAnimations().length") == 0
    await page.emulate_media(reduced_motion="no-preference")
    await shown.publish(settlement=SELF_DRAWN)
    await expect(page.locator(".headline .way")).to_have_text("自摸")
    texts = await shown.texts(".payment:not(.head) .pay-points")
    assert texts == ["−46", "+138", "−46", "−46"]


async def test_the_ranking_draws_the_points_over_the_hands_for_eyes_without_colour(shown: Shown) -> None:
    page = shown.page
    told = msgspec.structs.replace(RANKING, start_points=100, history=HISTORY)
    over = msgspec.structs.replace(SETTLEMENT, match_over=True)
    table = msgspec.structs.replace(SETTLED, next_dealer=None)
    await shown.publish(settlement=over, ranking=told, table=table, availability="online")
    await expect(page.locator("#display")).to_have_attribute("data-view", "settlement")
    await page.locator("#settlement .to-ranking").focus()
    await page.keyboard.press("Enter")
    await expect(page.locator("#ranking .chart")).to_be_visible()
    names = await shown.texts("#ranking .placed-name")
    assert names == ["王阿姨", "小李", "老周", "陈师傅"]
    assert await shown.texts("#ranking .placed-change") == ["+34", "+32", "−26", "−40"]
    dashes = await page.locator(".course polyline").evaluate_all(
        "lines => lines.map(line => line.getAttribute('stroke-dasharray'))"
    )
    assert len(set(dashes)) == 4
    marks = await page.locator(".place-mark path").evaluate_all(
        "all => all.map(one => one.getAttribute('d'))"
    )
    assert len(set(marks)) == 4
    corners = await page.locator(".course polyline").first.evaluate("line => line.points.numberOfItems")
    assert corners == 1 + len(HISTORY)
    ends = sorted(await page.locator(".line-end .end-points").all_text_contents())
    assert ends == sorted(["60", "134", "132", "74"])
    boxes = await page.locator(".line-end").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).map(box => [box.top, box.bottom])"
    )
    ordered = sorted(boxes)
    assert all(one[1] <= other[0] + 1 for one, other in pairwise(ordered))
    for width, height in SIZES:
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate(CUT_OFF) == []
        await picture(shown, f"ranking-{width}")
    # The next settlement is shown although somebody was reading this.
    await shown.publish(table=msgspec.structs.replace(table, phase="playing", hand_no=1, match_no=3))
    await expect(page.locator("#display")).to_have_attribute("data-view", "table")
    assert shown.console == []


async def test_when_the_match_is_over_its_ranking_comes_by_itself_after_the_settlement(shown: Shown) -> None:
    over = msgspec.structs.replace(SETTLEMENT, match_over=True)
    await shown.publish(settlement=over, ranking=RANKING, table=SETTLED, availability="online")
    display = shown.page.locator("#display")
    await expect(display).to_have_attribute("data-view", "settlement")
    await shown.publish(table=msgspec.structs.replace(SETTLED, phase="hatch_open"))
    await expect(display).to_have_attribute("data-view", "ranking")
    ended = msgspec.structs.replace(RANKING, ended="ended")
    await shown.publish(settlement=SETTLEMENT, ranking=ended, table=SETTLED)
    await expect(display).to_have_attribute("data-view", "ranking")
