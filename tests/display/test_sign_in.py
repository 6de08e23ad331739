"""Where the broker asks who is there, the page says so; where it is not let in, people read why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from playwright.async_api import expect
from shown import Served, Shown, opened
from test_page import show_playing
from test_touch import picture

from controller.config import MqttSection
from controller.mqtt_way import page_broker_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.async_api import Browser

from parlour_broker import TESTER, ParlourBroker, parlour_broker  # type: ignore[import-not-found]

TABLE = "table-1"
REFUSED = "用户名或密码不对"


@pytest.fixture
def parlour() -> Iterator[ParlourBroker]:
    with parlour_broker() as running:
        yield running


def served_at(parlour: ParlourBroker, password: Path) -> Served:
    """The page as a table's computer serves it whose configuration names this file."""
    settings = MqttSection(websocket_password_file=str(password))
    told = page_broker_of(settings, f"ws://{TABLE}.display@127.0.0.1:{parlour.ports.websocket}")
    served = Served(told.websocket)
    served.prefix = f"mj/v1/home/{TABLE}"
    served.sign_in = told.told()
    return served


async def test_a_page_with_a_wrong_password_says_so_and_comes_in_when_it_is_put_right(
    browser: Browser, parlour: ParlourBroker, tmp_path: Path
) -> None:
    (tmp_path / "wrong").write_text("nobody's\n", encoding="utf-8")
    served = served_at(parlour, tmp_path / "wrong")
    async with opened(browser, served) as (page, console):
        shown = Shown(page, partial(parlour.client, TESTER), console, served)
        await expect(page.locator("#display")).to_have_attribute("data-link", "refused")
        await expect(page.locator(".panel.link .question")).to_contain_text(REFUSED)
        await expect(page.locator(".panel.link .steps li").nth(1)).to_contain_text("密码")
        await picture(shown, "refused")
        # The table's computer is started again, its configuration put right; nobody touches the page.
        await served.stop()
        served.sign_in = served_at(parlour, parlour.folder.password(f"{TABLE}.display")).sign_in
        served.start()
        await show_playing(shown)
        await expect(page.locator(".notice")).to_have_count(0)
    assert [line for line in console if "ERR_CONNECTION_REFUSED" not in line] == []
