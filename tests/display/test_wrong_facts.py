"""However messages come, late, alone, of another hand or shape, the page shows no wrong fact as a fact."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
from playwright.async_api import expect
from test_page import HAND, SCORES, SETTLEMENT, TABLE, show_playing, show_settled

if TYPE_CHECKING:
    from shown import Shown

    from controller import public

LASTING = msgspec.structs.replace(TABLE, heartbeat=600)
SETTLED = msgspec.structs.replace(LASTING, phase="settled")


def with_fields(payload: public.Payload, **fields: object) -> str:
    """The payload with other fields; None takes one out."""
    told: dict[str, Any] = {**msgspec.to_builtins(payload), **fields}
    return json.dumps({name: value for name, value in told.items() if value is not None})


async def test_the_settlement_of_another_hand_is_never_shown_as_that_of_this_one(shown: Shown) -> None:
    view = shown.page.locator("#display")
    for other in ({"hand_no": 2}, {"match_no": 1}, {"hand_no": 4}):
        old = msgspec.structs.replace(SETTLEMENT, **other)
        for phase in ("settled", "hatch_open", "walls", "drawn"):
            table = msgspec.structs.replace(LASTING, phase=phase)
            await shown.publish(settlement=old, table=table, scores=SCORES, availability="online")
            await expect(view).to_have_attribute("data-phase", phase)
            await expect(view).to_have_attribute("data-view", "table")
            assert await shown.page.locator(".pay-points").count() == 0
    await shown.publish(settlement=SETTLEMENT)
    await expect(view).to_have_attribute("data-view", "settlement")


async def test_a_settlement_without_a_table_and_a_table_without_a_hand_show_what_is_known(
    shown: Shown,
) -> None:
    await shown.publish(settlement=SETTLEMENT, hand=HAND, availability="online")
    await shown.publish(scores=SCORES)
    await expect(shown.page.locator(".score").first).to_have_text("76")
    assert await shown.page.locator(".pay-points").count() == 0
    assert await shown.tiles("[data-seat='0'] .pond") == []
    await shown.publish(table=LASTING)
    await expect(shown.page.locator("#display")).to_have_attribute("data-link", "live")
    assert await shown.tiles("[data-seat='0'] .pond") == ["E", "1m", "P"]
    await shown.publish(hand=None)
    await expect(shown.page.locator(".pond svg")).to_have_count(0)
    assert shown.console == []


async def test_the_ponds_of_the_last_hand_do_not_lie_in_the_next_one(shown: Shown) -> None:
    numbered = msgspec.structs.replace(HAND, hand_no=3, match_no=2)
    await shown.publish(table=LASTING, scores=SCORES, hand=numbered, availability="online")
    await expect(shown.page.locator(".pond svg").first).to_be_visible()
    following = msgspec.structs.replace(LASTING, hand_no=4, phase="dealing", dragon=None)
    await shown.publish(table=following)
    await expect(shown.page.locator("#display")).to_have_attribute("data-phase", "dealing")
    await expect(shown.page.locator(".pond svg")).to_have_count(0)


SPOILT: dict[str, tuple[dict[str, object], str]] = {
    "no payments": ({"payments": None}, "数据有误"),
    "three payments": ({"payments": [-16, -8, 32]}, "数据有误"),
    "payments that do not sum to zero": ({"payments": [-16, -8, 32, 0]}, "数据有误"),
    "a payment of text": ({"payments": [-16, -8, "32", -8]}, "数据有误"),
    "balances as text": ({"balances": "60 134 132 74"}, "数据有误"),
    "half a line": ({"lines": [{"zh": "平胡"}]}, "数据有误"),
    "a newer version": ({"v": 2}, "版本不同"),
    "no version": ({"v": None}, "数据有误"),
}


async def test_a_settlement_of_another_shape_or_version_is_not_shown(shown: Shown) -> None:
    await show_settled(shown)
    for what, (fields, words) in SPOILT.items():
        await shown.publish(settlement=with_fields(SETTLEMENT, **fields))
        notice = shown.page.locator("#unreadable .notice")
        await expect(notice, what).to_contain_text(words)
        await expect(shown.page.locator("#display"), what).to_have_attribute("data-view", "table")
        await shown.publish(settlement=SETTLEMENT, table=SETTLED)
        await expect(notice).to_have_count(0)
        await expect(shown.page.locator(".pay-points").first).to_have_text("−16")


async def test_a_part_that_can_not_be_read_leaves_the_others_as_they_are(shown: Shown) -> None:
    await show_playing(shown)
    await shown.publish(hand=with_fields(HAND, ponds=[["E"], []]))
    await expect(shown.page.locator("#unreadable .notice")).to_have_count(1)
    assert await shown.texts(".score") == ["76", "142", "100", "82"]
    assert await shown.page.locator(".pond svg").count() == 0
    assert shown.console == []
