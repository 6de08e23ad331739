"""What the display shows, in a real Chromium, from a real broker."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from playwright.async_api import expect

from controller import public

if TYPE_CHECKING:
    from shown import Alone, Shown

PAGE = Path(__file__).parents[2] / "controller" / "page"

TABLE = public.TableSnapshot(
    phase="playing",
    hand_no=3,
    match_no=2,
    dealer=1,
    dice=(3, 5),
    dragon="6m",
    tiles_left=41,
    players=("陈师傅", "王阿姨", "小李", "老周"),
    rules="cixi-card",
    heartbeat=5,
)
SCORES = public.Scores(balances=(76, 142, 100, 82), start_points=100)
PENG = public.PublicMeld(kind="peng", tiles=("5p", "5p", "5p"), taken_from=1)
KONG = public.PublicMeld(kind="concealed_kong", tiles=("back", "9m", "9m", "back"), taken_from=None)
EVERY_TILE = (*(f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)),)
HAND = public.HandState(
    indicator="5m",
    dragon="6m",
    turn=2,
    last_discard=public.PlacedTile(seat=1, tile="9s"),
    ponds=(("E", "1m", "P"), ("1p", "9s"), (), EVERY_TILE),
    melds=((PENG,), (), (KONG, PENG), (KONG, KONG, KONG, KONG)),
    concealed=(10, 13, 7, 1),
    tiles_left=41,
)
SETTLEMENT = public.Settlement(
    hand_no=3,
    match_no=2,
    winner=2,
    from_seat=0,
    how="discard",
    how_zh="打胡",
    how_en="on a discard",
    tile="7p",
    hand=("6m", "2p", "3p", "4p", "5p", "6p", "7p", "E", "E", "E", "7p"),
    melds=(PENG,),
    dragon="6m",
    dragons=1,
    lines=(
        public.SettlementLine(zh="平胡", en="plain win", value=0, article="§5"),
        public.SettlementLine(zh="对对胡", en="all triplets", value=1, article="§6"),
    ),
    unit=8,
    point_each=16,
    payments=(-16, -8, 32, -8),
    balances=(60, 134, 132, 74),
    payer=None,
    drawn=False,
    match_over=False,
)


async def show_playing(shown: Shown) -> None:
    await shown.publish(table=TABLE, scores=SCORES, hand=HAND, availability="online")
    await expect(shown.page.locator("#display")).to_have_attribute("data-link", "live")
    await expect(shown.page.locator(".dragon-tile svg")).to_have_attribute("data-tile", "6m")
    await expect(shown.page.locator(".pond svg").first).to_be_visible()


async def show_settled(shown: Shown) -> None:
    settled = msgspec.structs.replace(TABLE, phase="settled")
    await shown.publish(settlement=SETTLEMENT, table=settled, availability="online")
    await expect(shown.page.locator("#settlement")).to_be_visible()


async def test_a_hand_in_play_is_shown_seat_by_seat(shown: Shown) -> None:
    await show_playing(shown)
    assert await shown.texts(".score") == ["76", "142", "100", "82"]
    assert await shown.texts(".wind .zh") == ["北", "东", "南", "西"]
    assert await shown.texts(".tiles-left") == ["41"]
    assert await shown.tiles("[data-seat='0'] .pond") == ["E", "1m", "P"]
    assert await shown.tiles("[data-seat='2'] .melds") == ["back", "9m", "9m", "back", "5p", "5p", "5p"]
    assert await shown.tiles("[data-seat='3'] .pond") == list(EVERY_TILE)
    assert await shown.page.locator(".seat.turn").get_attribute("data-seat") == "2"
    assert await shown.page.locator(".tile.last").get_attribute("data-tile") == "9s"
    assert shown.console == []


async def test_the_settlement_is_shown_line_by_line(shown: Shown) -> None:
    await show_settled(shown)
    assert await shown.texts(".headline .way") == ["打胡"]
    assert await shown.texts(".headline > .en") == ["on a discard"]
    assert await shown.texts(".line-name .zh") == ["平胡", "对对胡"]
    assert await shown.texts(".pay-points") == ["−16", "−8", "+32", "−8"]
    assert await shown.tiles(".winning") == ["7p"]
    assert await shown.tiles(".shown-hand") == list(SETTLEMENT.hand[:-1])
    assert [text.split()[-1] for text in await shown.texts(".pay-balance")] == ["60", "134", "132", "74"]


async def test_a_drawn_hand_says_that_nobody_pays(shown: Shown) -> None:
    drawn = msgspec.structs.replace(
        SETTLEMENT, drawn=True, winner=None, from_seat=None, how="drawn", payments=(0, 0, 0, 0), lines=()
    )
    await shown.publish(
        settlement=drawn, table=msgspec.structs.replace(TABLE, phase="drawn"), availability="online"
    )
    await expect(shown.page.locator(".headline .way")).to_have_text("荒庄")
    assert await shown.texts(".pay-points") == ["0", "0", "0", "0"]


async def test_the_dragon_and_the_scores_are_large_enough_to_read(shown: Shown) -> None:
    await show_playing(shown)
    dragon = await shown.page.locator(".dragon-tile svg").bounding_box()
    assert dragon is not None
    assert dragon["height"] >= 217
    sizes = await shown.page.locator(".score").evaluate_all(
        "scores => scores.map(score => parseFloat(getComputedStyle(score).fontSize))"
    )
    assert min(sizes) >= 63
    await show_settled(shown)
    sizes = await shown.page.locator(".pay-points, .pay-balance").evaluate_all(
        "scores => scores.map(score => parseFloat(getComputedStyle(score).fontSize))"
    )
    assert min(sizes) >= 63


CUT_OFF = """() => {
  const all = [...document.querySelectorAll("#display *")].filter(e => e.getClientRects().length > 0);
  return all.filter(e => {
    const box = e.getBoundingClientRect();
    return box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  }).map(e => e.outerHTML.slice(0, 80));
}"""
OVERLAPPING = """() => {
  const parts = ".who, .pond-window, .melds, .entries, .payments, .shown, .headline";
  const boxes = [...document.querySelectorAll(parts)]
    .filter(e => e.getClientRects().length > 0).map(e => e.getBoundingClientRect());
  return boxes.some((a, i) => boxes.some((b, j) => i < j
    && a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
}"""


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 800)])
async def test_nothing_is_cut_off(shown: Shown, width: int, height: int) -> None:
    await shown.page.set_viewport_size({"width": width, "height": height})
    doubt = public.DoubtItem(id=1, kind="unsure", zh="请再亮一次牌", en="show it again", candidates=(), at="")
    await shown.publish(doubt=public.Doubts(doubts=(doubt,)))
    await show_playing(shown)
    await expect(shown.page.locator(".notice.doubt")).to_be_visible()
    assert await shown.page.evaluate(CUT_OFF) == []
    assert not await shown.page.evaluate(OVERLAPPING)
    await show_settled(shown)
    assert await shown.page.evaluate(CUT_OFF) == []
    assert not await shown.page.evaluate(OVERLAPPING)


async def test_old_state_is_never_shown_as_live(shown: Shown) -> None:
    await show_playing(shown)
    display = shown.page.locator("#display")
    await shown.publish(availability="offline")
    await expect(display).to_have_attribute("data-link", "offline")
    await expect(shown.page.locator(".notice.link")).to_contain_text("旧数据")
    await shown.publish(availability="online")
    await expect(display).to_have_attribute("data-link", "live")


async def test_a_broker_that_lost_its_memory_leaves_the_page_stale(alone: Alone) -> None:
    await show_playing(alone)
    display = alone.page.locator("#display")
    await alone.broker.stop()  # the broker keeps nothing on disk, and comes back empty
    await expect(display).to_have_attribute("data-link", "stale")
    await alone.publish_when_back(availability="online")
    await alone.page.wait_for_timeout(1500)
    await expect(display).to_have_attribute("data-link", "stale")
    await show_playing(alone)


async def test_a_silent_controller_is_shown_as_such(shown: Shown) -> None:
    await shown.publish(table=msgspec.structs.replace(TABLE, heartbeat=1), availability="online")
    display = shown.page.locator("#display")
    await expect(display).to_have_attribute("data-link", "live")
    await expect(display).to_have_attribute("data-link", "stale", timeout=8000)


async def test_names_and_garbage_are_text_and_nothing_else(shown: Shown) -> None:
    hostile = "<img src=x onerror=document.title='owned'>"
    await shown.publish(hand="{not json", scores="[1, 2", settlement='"text"', alarm="null")
    names = (hostile, "王", "李", "周")
    await shown.publish(table=msgspec.structs.replace(TABLE, players=names), availability="online")
    await expect(shown.page.locator(".name").first).to_have_text(hostile)
    assert await shown.page.title() == "龙桌"


async def test_a_message_of_another_shape_is_survived(shown: Shown) -> None:
    await show_playing(shown)
    await shown.publish(scores="[1, 2]", hand="{}")
    await expect(shown.page.locator(".notice.alarm")).to_be_visible()
    await shown.publish(hand=HAND, scores=SCORES)
    await expect(shown.page.locator(".notice.alarm")).to_have_count(0)
    assert await shown.texts(".score") == ["76", "142", "100", "82"]


def test_the_page_s_types_hold() -> None:
    result = subprocess.run(
        ["npm", "run", "--silent", "check"], cwd=PAGE, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
