"""People touch the display: a doubt is answered, the last event taken back, and what came of it is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec
from playwright.async_api import expect
from test_page import SETTLEMENT, TABLE, show_playing, show_settled

from controller import public

if TYPE_CHECKING:
    from shown import Alone, Shown

    from controller.session import Session

DOUBT = public.DoubtItem(
    id=7,
    kind="ambiguous",
    zh="有几种可能，请选择",
    en="several plays are possible, please choose",
    candidates=("二号位打五筒 (discards 5p)", "二号位打六筒 (discards 6p)", "放弃这一局 (abandon the hand)"),
    at="2026-11-30T08:00:00Z",
    persons=(2, 2, 2),
)


async def picture(shown: Shown, name: str) -> None:
    """Keep a picture for who wants to look: LONGZHUO_SCREENSHOTS names the folder."""
    folder = os.environ.get("LONGZHUO_SCREENSHOTS")
    if folder:
        await shown.page.screenshot(path=f"{folder}/{name}.png")


async def test_a_doubt_is_answered_by_a_touch_and_one_on_who_says_so(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await show_playing(shown)
    await shown.publish(doubt=public.Doubts(doubts=(DOUBT,)))
    choice = shown.page.locator(".choice").nth(1)
    await expect(choice).to_contain_text("二号位打六筒")
    await picture(shown, "doubt")
    await choice.click()
    await expect(shown.page.locator(".confirming")).to_contain_text("谁说的？")
    assert await shown.texts(".sayer:not(.never)") == [
        "一号位\n陈师傅",
        "二号位\n王阿姨",
        "三号位\n小李",
        "四号位\n老周",
    ]
    await picture(shown, "armed")
    async with shown.page.expect_request("**/command") as sent:
        await shown.page.locator(".sayer").nth(2).click()
    order = (await sent.value).post_data_json
    assert order is not None
    told = {name: value for name, value in order.items() if name != "id"}
    assert told == {"verb": "answer", "author": "seat 3", "doubt": 7, "action": "choose", "choice": 1} | {
        "words": DOUBT.candidates[1]
    }
    await expect(shown.page.locator(".notice.refused")).to_contain_text("没有待答的第7号疑问")
    assert [line for line in shown.console if "409" not in line] == []


async def test_what_one_person_has_said_is_shown_to_the_next(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await show_playing(shown)
    said = msgspec.structs.replace(DOUBT, said=DOUBT.candidates[0], said_by="seat 3")
    await shown.publish(doubt=public.Doubts(doubts=(said,)))
    await expect(shown.page.locator(".said-before")).to_contain_text(
        "三号位 小李说：二号位打五筒。请另一个人也选"
    )
    await expect(shown.page.locator(".choice.said")).to_contain_text("二号位打五筒")
    await picture(shown, "said")
    denial = shown.page.locator(".choice", has_text="不是这样")
    await denial.click()
    async with shown.page.expect_request("**/command") as sent:
        await denial.click()
    order = (await sent.value).post_data_json
    assert order is not None
    assert (order["verb"], order["doubt"], order["action"]) == ("answer", 7, "deny")
    again = msgspec.structs.replace(DOUBT, asked=2)
    await shown.publish(doubt=public.Doubts(doubts=(again,)))
    await expect(shown.page.locator(".said-before")).to_contain_text("说法不同，请再看再选")


async def test_to_what_one_person_decides_nobody_is_asked_by_name(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await show_playing(shown)
    dice = msgspec.structs.replace(DOUBT, kind="dice", candidates=("3 4",), persons=(1,))
    await shown.publish(doubt=public.Doubts(doubts=(dice,)))
    await shown.page.locator(".choice").first.click()
    await expect(shown.page.locator(".confirming")).to_contain_text("再点一次确认")
    assert await shown.page.locator(".seat-word").count() == 0


async def test_one_touch_alone_decides_nothing(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await show_playing(shown)
    requests: list[str] = []
    shown.page.on("request", lambda request: requests.append(request.url))
    await shown.page.locator(".undo").click()
    await expect(shown.page.locator(".undo.armed")).to_be_visible()
    await expect(shown.page.locator(".undo.armed")).to_have_count(0, timeout=6_000)
    assert not [url for url in requests if url.endswith("/command")]


async def test_the_undo_button_is_there_while_a_hand_is_played(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await show_playing(shown)
    for _ in range(2):
        await shown.page.locator(".undo").click()
    await expect(shown.page.locator(".notice.refused")).to_contain_text("现在没有正在打的局")
    await show_settled(shown)
    await expect(shown.page.locator(".undo")).to_have_count(0)


async def test_a_page_goes_on_being_touched_while_the_broker_is_away(alone: Alone) -> None:
    await show_playing(alone)
    await alone.broker.stop()
    for _ in range(2):
        await alone.page.locator(".undo").click()
    await expect(alone.page.locator(".notice.refused")).to_contain_text("现在没有正在打的局")


async def test_a_pause_is_shown_with_the_way_out_of_it(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await shown.publish(table=msgspec.structs.replace(TABLE, paused=True), availability="online")
    await expect(shown.page.locator(".notice.paused")).to_contain_text("暂停中")
    for _ in range(2):
        await shown.page.locator(".notice.paused .choice").click()
    await expect(shown.page.locator(".notice.refused")).to_contain_text("没有暂停")


async def test_where_no_orders_are_taken_nothing_can_be_touched(shown: Shown) -> None:
    await show_playing(shown)
    await shown.publish(doubt=public.Doubts(doubts=(DOUBT,)))
    await expect(shown.page.locator(".notice.doubt")).to_be_visible()
    assert await shown.page.locator(":is(#notices, #views, #actions) button:not(.fold)").count() == 0


AMENDED = public.AmendedSettlement(
    **{
        **msgspec.structs.asdict(SETTLEMENT),
        "deal": 3,
        "edition": 2,
        "supersedes": 1,
        "superseded": (-8, -16, 32, -8),
        "difference": (-8, 8, 0, 0),
        "author": "referee",
        "match_over": True,
    }
)
RANKING = public.Ranking(
    match_no=2,
    hands=3,
    ended="played",
    certain=True,
    ranking=(
        public.RankedSeat(place=1, seat=1, player="王阿姨", points=134, change=34),
        public.RankedSeat(place=2, seat=2, player="小李", points=132, change=32),
        public.RankedSeat(place=3, seat=3, player="老周", points=74, change=-26),
        public.RankedSeat(place=4, seat=0, player="陈师傅", points=60, change=-40),
    ),
)


async def test_a_corrected_settlement_shows_both_and_the_difference_per_seat(shown: Shown) -> None:
    await show_settled(shown)
    assert await shown.texts(".amended") == []
    await shown.publish(settlement=AMENDED, ranking=RANKING)
    await expect(shown.page.locator(".amended")).to_contain_text("更正（第2版，referee）：原为 −8 −16 +32 −8")
    assert await shown.texts(".pay-change") == ["更正 −8", "更正 +8"]
    assert [text.split()[0] for text in await shown.texts(".pay-points")] == ["−16", "−8", "+32", "−8"]
    ranked = ["".join(text.split()) for text in await shown.texts(".ranked")]
    assert ranked == ["1王阿姨+34", "2小李+32", "3老周−26", "4陈师傅−40"]
    await picture(shown, "corrected")


async def test_a_correction_of_an_earlier_hand_is_shown_beside_the_last_settlement(shown: Shown) -> None:
    await show_settled(shown)
    item = public.CorrectionItem(
        deal=2,
        hand_no=2,
        edition=2,
        author="referee",
        at="2026-11-30T08:00:00Z",
        payments=(24, -8, -8, -8),
        superseded=(-8, 24, -8, -8),
        difference=(32, -32, 0, 0),
    )
    await shown.publish(corrections=public.Corrections(match_no=2, corrections=(item,)))
    await expect(shown.page.locator(".amended.earlier")).to_contain_text(
        "第 2 局更正（referee）：+24 −8 −8 −8，原为 −8 +24 −8 −8"
    )


async def test_an_entered_settlement_says_who_has_entered_it(shown: Shown) -> None:
    await show_settled(shown)
    entered = msgspec.structs.replace(
        AMENDED, edition=1, supersedes=None, superseded=None, difference=None, entered=True
    )
    await shown.publish(settlement=entered)
    await expect(shown.page.locator(".amended")).to_contain_text("人工记入（referee）")
