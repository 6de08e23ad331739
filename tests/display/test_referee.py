"""Setting a match up and refereeing on the page: each order is looked at, confirmed and really done."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from playwright.async_api import expect
from test_accessible import SERIOUS, issues
from test_touch import picture

from controller.journal_deals import OutcomeRow
from controller.journal_rows import AdjustmentRow, SetupRow
from firmware_bridge.messages import OpenHatch

if TYPE_CHECKING:
    from played import Played
    from playwright.async_api import Locator
    from shown import Shown

PIN = "2580"
SIZES = ((1280, 800), (800, 1280))
HAND = ("1m", "1m", "1m", "2p", "3p", "4p", "5s", "6s", "7s", "9p", "9p", "9p", "E")


def key(shown: Shown, name: str) -> Locator:
    return shown.page.locator(f'[data-key="{name}"]')


async def fits(shown: Shown, name: str) -> None:
    """Nothing is wider than the screen in either size, and everybody can use it.

    A picture is kept for who wants to look: LONGZHUO_SCREENSHOTS names the folder.
    """
    folder = os.environ.get("LONGZHUO_SCREENSHOTS")
    for width, height in SIZES:
        await shown.page.set_viewport_size({"width": width, "height": height})
        if folder:
            await shown.page.screenshot(path=f"{folder}/{name}-{width}x{height}.png")
        wide = await shown.page.evaluate(
            """() => [...document.querySelectorAll('.screen, .screen-body, .pin-pad, .part')]
                .filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.className)"""
        )
        assert wide == [], name
    await shown.page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})
    serious = [one for one in await issues(shown, enhanced=True) if one["impact"] in SERIOUS]
    assert serious == [], name


async def type_pin(shown: Shown, pin: str = PIN) -> None:
    pad = shown.page.locator(".pin-pad")
    await expect(pad).to_be_visible()
    for digit in pin:
        await pad.locator(f'[data-key="pin-{digit}"]').click()
    await pad.locator('[data-key="pin-ok"]').click()


async def open_referee(shown: Shown, part: str) -> None:
    if await shown.page.locator('[data-tool="referee"][aria-pressed="true"]').count() == 0:
        await shown.page.locator('[data-tool="referee"]').click()
    await key(shown, part).click()


async def test_a_match_is_set_up_and_begun(refereed: tuple[Shown, Played]) -> None:
    shown, played = refereed
    await shown.page.locator('[data-tool="setup"]').click()
    await expect(shown.page.locator(".option").first).to_be_visible()
    await fits(shown, "setup")
    await key(shown, "rules-cixi-platform").click()
    await key(shown, "option-stake+1").click()
    await shown.page.locator('[data-option="zhahu"] .segment', has_text="每家24").click()
    await expect(shown.page.locator('[data-option="zhahu"] .changed')).to_be_visible()
    for seat, name in enumerate(("张三", "<b>李四</b>", "王五", "赵六")):
        await key(shown, f"name-{seat}").fill(name)
    await fits(shown, "setup-changed")
    await key(shown, "start").click()
    await expect(shown.page.locator(".pin-pad")).to_be_visible()
    await fits(shown, "pin")
    await type_pin(shown)
    await expect(shown.page.locator("#display")).to_have_attribute("data-view", "table")
    (row,) = played.found(SetupRow)
    assert isinstance(row, SetupRow)
    assert (row.rules, row.options["stake"], row.options["zhahu"], row.author) == (
        "cixi-platform",
        2,
        "fixed24",
        "referee",
    )
    told = played.session.setup_sheet()
    assert told.players == ("张三", "<b>李四</b>", "王五", "赵六")
    assert isinstance(played.sent[-1].command, OpenHatch)
    # While a hand is played the rules stand and say why.
    played.begin()
    await played.show(shown)
    await shown.page.locator('[data-tool="setup"]').click()
    await expect(shown.page.locator(".banner")).to_contain_text("这一局还没打完")
    await expect(key(shown, "rules-cixi-card")).to_be_disabled()
    await expect(key(shown, "start")).to_be_disabled()
    await fits(shown, "setup-playing")
    await expect(shown.page.locator("b", has_text="李四")).to_have_count(0)
    assert shown.console == []


async def test_a_result_is_entered_and_then_corrected(refereed: tuple[Shown, Played]) -> None:
    shown, played = refereed
    played.begin()
    await played.show(shown)
    await shown.page.locator('[data-tool="referee"]').click()
    await expect(key(shown, "enter")).to_be_enabled()
    await fits(shown, "referee")
    await key(shown, "enter").click()
    await shown.page.locator('[data-key="winner-2"]').click()
    await shown.page.locator(".segment", has_text="打胡").click()
    await shown.page.locator('[data-key="from-0"]').click()
    for tile in HAND:
        await shown.page.locator(f'.tile-keys [data-pick="{tile}"]').click()
    await shown.page.locator('.tile-keys [data-pick="E"]').click()
    await fits(shown, "enter")
    await key(shown, "enter-go").click()
    await type_pin(shown, "1111")
    await expect(shown.page.locator(".pin-pad")).to_contain_text("PIN不对")
    await type_pin(shown)
    await expect(shown.page.locator(".trial caption").first).to_contain_text("第1局：正在打 → 胡")
    await fits(shown, "enter-trial")
    assert played.found(OutcomeRow) == []
    await key(shown, "trial-confirm").click()
    await expect(shown.page.locator(".note.said")).to_contain_text("已记入")
    (entered,) = played.found(OutcomeRow)
    assert isinstance(entered, OutcomeRow)
    assert (entered.how, entered.winner, entered.from_seat, entered.author) == ("won", 2, 0, "referee")
    await played.show(shown)
    # It was a drawn hand after all; nothing is done before the difference was seen. The PIN is still known.
    await key(shown, "correct").click()
    await expect(shown.page.locator(".card")).to_contain_text("第1局：3号位胡")
    await shown.page.locator(".card").click()
    await fits(shown, "correct")
    await shown.page.locator(".event", has_text="一号位打西").click()
    await key(shown, "edit-replace").click()
    await fits(shown, "correct-event")
    await key(shown, "result").click()
    await shown.page.locator(".segment", has_text="荒庄").click()
    await key(shown, "result-go").click()
    await expect(shown.page.locator(".trial caption").first).to_contain_text("第1局：胡 → 荒庄")
    await fits(shown, "correct-trial")
    assert len(played.found(OutcomeRow)) == 1
    await key(shown, "trial-confirm").click()
    await expect(shown.page.locator(".note.said")).to_contain_text("已更正")
    corrected = played.found(OutcomeRow)[-1]
    assert isinstance(corrected, OutcomeRow)
    assert (corrected.how, corrected.edition, corrected.balances) == ("drawn", 2, (100, 100, 100, 100))
    assert shown.console == ["Failed to load resource: the server responded with a status of 403 (Forbidden)"]


async def test_a_hand_is_abandoned_with_its_reason(refereed: tuple[Shown, Played]) -> None:
    shown, played = refereed
    played.begin()
    await played.show(shown)
    await open_referee(shown, "abandon")
    await expect(key(shown, "abandon-go")).to_be_disabled()
    await key(shown, "reason").fill("牌翻倒了")
    await key(shown, "abandon-go").click()
    await type_pin(shown)
    await expect(shown.page.locator(".trial caption").first).to_contain_text("第1局：正在打 → 放弃")
    await expect(shown.page.locator(".trial .would")).to_contain_text("执行后：第1局已放弃")
    assert set(await shown.texts(".change-table .change")) == {"0"}
    await fits(shown, "abandon-trial")
    assert played.found(OutcomeRow) == []
    await key(shown, "trial-confirm").click()
    await expect(shown.page.locator(".note.said")).to_contain_text("第1局已放弃")
    (row,) = played.found(OutcomeRow)
    assert isinstance(row, OutcomeRow)
    assert (row.how, row.reason, row.author) == ("abandoned", "牌翻倒了", "referee")
    assert (row.payments, row.balances, row.dealer_next) == ((0,) * 4, (100,) * 4, 0)
    await played.show(shown)
    await expect(key(shown, "abandon")).to_be_disabled()
    await key(shown, "correct").click()
    await expect(shown.page.locator(".card")).to_contain_text("第1局：放弃")
    await expect(shown.page.locator(".card")).to_contain_text("原因：牌翻倒了")
    await fits(shown, "abandoned")
    await shown.page.keyboard.press("Escape")
    await expect(shown.page.locator("#display")).to_have_attribute("data-view", "table")
    await expect(shown.page.locator("#display")).to_have_attribute("data-phase", "idle")
    await expect(shown.page.locator(".centre .now")).to_contain_text("等待开局")
    await picture(shown, "abandoned-table")
    assert shown.console == []


async def test_points_are_moved_when_they_sum_to_zero(refereed: tuple[Shown, Played]) -> None:
    shown, played = refereed
    await open_referee(shown, "adjust")
    await key(shown, "adjust-0").fill("-12")
    await key(shown, "adjust-3+10").click()
    await key(shown, "adjust-reason").fill("上一场欠的")
    await expect(shown.page.locator(".sum")).to_contain_text("合计 −2，应为0")
    await expect(key(shown, "adjust-go")).to_be_disabled()
    await fits(shown, "adjust")
    await key(shown, "adjust-3+1").click()
    await key(shown, "adjust-3+1").click()
    await expect(shown.page.locator(".sum")).to_contain_text("合计 0")
    await key(shown, "adjust-go").click()
    await type_pin(shown)
    await expect(shown.page.locator(".change-table")).to_contain_text("112")
    await key(shown, "trial-back").click()
    assert played.found(AdjustmentRow) == []
    await key(shown, "adjust-go").click()
    await key(shown, "trial-confirm").click()
    await expect(shown.page.locator(".note.said")).to_contain_text("分数已调整")
    (row,) = played.found(AdjustmentRow)
    assert isinstance(row, AdjustmentRow)
    assert (row.payments, row.reason) == ((-12, 0, 0, 12), "上一场欠的")


async def test_keys_alone_suffice_and_wrong_pins_lock_the_pad(
    refereed: tuple[Shown, Played],
) -> None:
    shown, played = refereed
    played.begin()
    await played.show(shown)
    keys = shown.page.keyboard
    await shown.page.locator('[data-tool="referee"]').focus()
    await keys.press("Enter")
    await expect(key(shown, "abandon")).to_be_enabled()
    await key(shown, "abandon").focus()
    await keys.press("Enter")
    await key(shown, "reason").focus()
    await keys.type("牌翻倒了")
    await keys.press("Tab")
    await keys.press("Enter")
    for pin in ("0000", "1111", "2222", "3333", "4444"):
        await expect(shown.page.locator(".pin-pad")).to_be_visible()
        await keys.type(pin)
        await keys.press("Enter")
        await expect(shown.page.locator(".pin-pad")).to_contain_text("PIN不对")
        await expect(shown.page.locator(".pin-shown")).to_have_text("—")
    await keys.type(PIN)
    await keys.press("Enter")
    await expect(shown.page.locator(".note.refused")).to_contain_text("PIN错得太多")
    await fits(shown, "locked")
    assert played.found(OutcomeRow) == []
    # Whoever leaves the screen leaves no PIN behind; Escape closes pad and screen.
    await key(shown, "abandon-go").focus()
    await keys.press("Enter")
    await expect(shown.page.locator(".pin-pad")).to_be_visible()
    await keys.press("Escape")
    await expect(shown.page.locator(".pin-pad")).to_have_count(0)
    await expect(shown.page.locator(".note.refused")).to_contain_text("没有输入PIN")
    await keys.press("Escape")
    await expect(shown.page.locator("#display")).to_have_attribute("data-view", "table")
