"""The page is honest about how old its state is, whatever happens to broker, controller and the page."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_page import HAND, SCORES, TABLE, show_playing

if TYPE_CHECKING:
    from playwright.async_api import Locator
    from shown import Alone, Shown

    from controller.session import Session

QUICK = msgspec.structs.replace(TABLE, heartbeat=1, seq=1)
LONG = msgspec.structs.replace(TABLE, heartbeat=600)


COUNTS_EFFECTS = """() => {
  window.turned = 0;
  const count = node => { if (node.className === "effect") window.turned++; };
  new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(count)))
    .observe(document.body, { childList: true });
}"""


def display(shown: Shown) -> Locator:
    return shown.page.locator("#display")


async def test_a_payload_with_an_older_number_is_ignored(shown: Shown) -> None:
    await shown.publish(
        table=LONG,
        scores=msgspec.structs.replace(SCORES, boot=3, seq=20),
        hand=HAND,
        availability="online",
    )
    await expect(shown.page.locator(".score").first).to_have_text("76")
    for boot, seq in ((3, 19), (2, 900)):
        older = msgspec.structs.replace(SCORES, balances=(1, 2, 3, 4), boot=boot, seq=seq)
        await shown.publish(scores=older)
    await shown.publish(table=msgspec.structs.replace(LONG, hand_no=4))
    await expect(shown.page.locator(".hand-no .zh")).to_have_text("第 2 场 第 4 局")
    assert await shown.texts(".score") == ["76", "142", "100", "82"]
    newer = msgspec.structs.replace(SCORES, balances=(75, 143, 100, 82), boot=4, seq=1)
    await shown.publish(scores=newer)
    await expect(shown.page.locator(".score").first).to_have_text("75")


async def test_a_killed_broker_is_shown_at_once_and_each_topic_is_old_until_it_is_told_again(
    alone: Alone,
) -> None:
    await alone.publish(table=LONG, scores=SCORES, hand=HAND, availability="online")
    await expect(display(alone)).to_have_attribute("data-link", "live")
    os.kill(alone.broker.pid, signal.SIGKILL)
    await expect(display(alone)).to_have_attribute("data-link", "stale")
    await expect(alone.page.locator(".notice.link")).to_contain_text("旧数据")
    await alone.publish_when_back(availability="online")
    await expect(display(alone)).to_have_attribute("data-link", "stale")
    # The broker has come back without its memory: what is not told again stays marked as old.
    await alone.publish(table=msgspec.structs.replace(LONG, seq=1), scores=SCORES)
    await expect(display(alone)).to_have_attribute("data-link", "live")
    await expect(display(alone)).to_have_attribute("data-old", "hand")
    await expect(alone.page.locator(".notice.link")).to_contain_text("牌面尚未更新")
    await alone.publish(hand=HAND)
    await expect(display(alone)).to_have_attribute("data-old", "")
    await expect(alone.page.locator(".notice.link")).to_have_count(0)


async def test_a_frozen_broker_is_shown_as_stale_and_the_page_comes_back_by_itself(alone: Alone) -> None:
    await alone.publish(table=LONG, scores=SCORES, hand=HAND, availability="online")
    await expect(display(alone)).to_have_attribute("data-link", "live")
    await alone.publish(table=QUICK)
    os.kill(alone.broker.pid, signal.SIGSTOP)
    try:
        await expect(display(alone)).to_have_attribute("data-link", "stale")
    finally:
        os.kill(alone.broker.pid, signal.SIGCONT)
    await alone.publish(table=msgspec.structs.replace(LONG, seq=2))
    await expect(display(alone)).to_have_attribute("data-link", "live")


async def test_a_page_that_was_frozen_in_the_background_does_not_show_old_state_as_live(shown: Shown) -> None:
    await shown.publish(table=LONG, scores=SCORES, hand=HAND, availability="online")
    await expect(display(shown)).to_have_attribute("data-link", "live")
    await shown.publish(table=QUICK)
    developer = await shown.page.context.new_cdp_session(shown.page)
    await developer.send("Page.setWebLifecycleState", {"state": "frozen"})
    await shown.page.wait_for_timeout(3_000)
    await developer.send("Page.setWebLifecycleState", {"state": "active"})
    await expect(display(shown)).to_have_attribute("data-link", "stale")
    await shown.publish(table=msgspec.structs.replace(LONG, seq=2))
    await expect(display(shown)).to_have_attribute("data-link", "live")


async def test_a_connection_that_came_back_is_no_news_of_the_controller(shown: Shown) -> None:
    await shown.page.add_init_script(
        """const Known = WebSocket;
        window.sockets = [];
        window.WebSocket = class extends Known {
          constructor(...all) { super(...all); sockets.push(this); }
        };"""
    )
    await shown.page.reload()
    await shown.publish(table=LONG, scores=SCORES, hand=HAND, availability="online")
    await expect(display(shown)).to_have_attribute("data-link", "live")
    # The way breaks at the page alone; what the broker remembers may be as old as what the page shows.
    await shown.page.evaluate("sockets.at(-1).close()")
    await expect(display(shown)).to_have_attribute("data-link", "resumed")
    await expect(shown.page.locator(".notice.link")).to_contain_text("等待新数据")
    await shown.publish(table=LONG)
    await expect(display(shown)).to_have_attribute("data-link", "live")
    await expect(display(shown)).to_have_attribute("data-old", "")


async def test_another_controller_s_numbers_and_token_are_taken_without_a_reload(
    table: tuple[Shown, Session],
) -> None:
    shown, _ = table
    await shown.publish(
        table=msgspec.structs.replace(LONG, boot=7, seq=70),
        scores=msgspec.structs.replace(SCORES, boot=7, seq=71),
        availability="online",
    )
    await expect(display(shown)).to_have_attribute("data-link", "live")
    await shown.page.evaluate("window.before = true")
    token = (await (await shown.page.request.get(f"{shown.served.address}config.json")).json())["token"]
    # The table's computer was replaced: it counts its starts from one, and its pages have another token.
    await shown.served.stop()
    shown.served.start()
    assert (await (await shown.page.request.get(f"{shown.served.address}config.json")).json())[
        "token"
    ] != token
    other = msgspec.structs.replace(LONG, boot=1, seq=5, hand_no=9)
    await shown.publish(table=other)
    await expect(shown.page.locator(".hand-no .zh")).to_have_text("第 2 场 第 9 局")
    assert await shown.page.evaluate("window.before")
    async with shown.page.expect_response("**/command") as answered:
        await shown.page.locator("#actions .undo").click()
        await shown.page.locator("#actions .undo").click()
    assert (await answered.value).status != 403


async def test_news_is_told_as_live_and_what_a_page_finds_is_not(shown: Shown) -> None:
    before = msgspec.structs.replace(HAND, indicator=None, dragon=None)
    await shown.publish(table=LONG, hand=before, availability="online")
    await expect(display(shown)).to_have_attribute("data-link", "live")
    await shown.page.evaluate(f"({COUNTS_EFFECTS})()")
    await shown.publish(hand=HAND)
    await shown.page.wait_for_function("window.turned === 1")
    # The facts are there while it runs, and it goes by itself.
    await expect(shown.page.locator(".about .fact .tile")).to_have_attribute("data-tile", "5m")
    await expect(shown.page.locator(".effect")).to_have_count(0)
    await shown.page.emulate_media(reduced_motion="reduce")
    await shown.publish(hand=before)
    await expect(shown.page.locator(".about .fact .tile")).to_have_count(0)
    await shown.publish(hand=HAND)
    await expect(shown.page.locator(".about .fact .tile")).to_have_count(1)
    assert await shown.page.evaluate("window.turned") == 1


async def test_reloading_turns_nothing_up(shown: Shown) -> None:
    await show_playing(shown)
    await shown.page.add_init_script(f"addEventListener('DOMContentLoaded', {COUNTS_EFFECTS})")
    await shown.page.reload()
    await expect(shown.page.locator(".about .fact .tile")).to_have_attribute("data-tile", "5m")
    assert await shown.page.evaluate("window.turned") == 0
