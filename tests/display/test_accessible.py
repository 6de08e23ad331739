"""Everybody can use the page: axe-core finds nothing serious in any view, keys reach every control."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from playwright.async_api import expect
from test_touch import DOUBT
from views import VIEWS, bring_up

from controller import public

if TYPE_CHECKING:
    from played import Played
    from shown import Shown

    from controller.session import Session

AXE = Path(__file__).parents[2] / "controller" / "page" / "node_modules" / "axe-core" / "axe.min.js"
RUN = """async enhanced => {
  const { violations } = await axe.run(document, {
    resultTypes: ["violations"],
    rules: { "color-contrast-enhanced": { enabled: enhanced } },
  });
  return violations.map(({ id, impact, nodes }) => ({
    id, impact, nodes: nodes.map(node => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`),
  }));
}"""
SERIOUS = ("serious", "critical")


async def issues(shown: Shown, *, enhanced: bool) -> list[dict[str, Any]]:
    """What axe-core finds; `enhanced`: text has a contrast of 7:1, large text of 4.5:1."""
    if not await shown.page.evaluate("() => 'axe' in window"):
        await shown.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = await shown.page.evaluate(RUN, enhanced)
    return found


async def test_no_view_has_a_serious_issue(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    found = {}
    for name in VIEWS:
        await bring_up(shown, name)
        # What is old is greyed on purpose; it still can be read.
        serious = [one for one in await issues(shown, enhanced=name != "offline") if one["impact"] in SERIOUS]
        if serious:
            found[name] = serious
    assert found == {}


STOPS = """() => [...document.querySelectorAll("button, a[href], input, select, textarea, [tabindex]")]
  .filter(each => each.tabIndex >= 0 && !each.disabled && each.getClientRects().length > 0).length"""
TO_THE_TOP = """() => {
  const top = document.createElement("div");
  top.tabIndex = -1;
  document.body.prepend(top);
  top.focus();
  top.remove();
}"""
FOCUSED = """() => {
  const at = document.activeElement, box = at.getBoundingClientRect(), style = getComputedStyle(at);
  return {
    stop: at === document.body ? null : [...document.querySelectorAll("*")].indexOf(at),
    name: (at.getAttribute("aria-label") ?? at.textContent).trim().slice(0, 40),
    top: Math.round(box.top), left: Math.round(box.left),
    outline: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
    seen: box.width > 0 && box.right <= innerWidth + 1 && box.bottom <= innerHeight + 1,
  };
}"""


async def stops(shown: Shown) -> list[dict[str, Any]]:
    """Where the Tab key leads from the beginning of the page, until it leaves it."""
    await shown.page.evaluate(TO_THE_TOP)
    number: int = await shown.page.evaluate(STOPS)
    found = []
    for _ in range(number):
        await shown.page.keyboard.press("Tab")
        found.append(await shown.page.evaluate(FOCUSED))
    return found


async def test_the_tab_key_reaches_every_control_once_and_shows_where_it_is(
    table: tuple[Shown, Session],
) -> None:
    shown, _ = table
    for name in VIEWS:
        await bring_up(shown, name)
        found = await stops(shown)
        assert len({each["stop"] for each in found}) == len(found), (name, found)
        for each in found:
            assert each["stop"] is not None, (name, each)
            assert each["outline"], (name, each)
            assert each["seen"], (name, each)
            assert each["name"], (name, each)


async def test_enter_and_space_touch_a_button_and_escape_takes_it_back(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await bring_up(shown, "doubt")
    for key in ("Enter", "Space"):
        await shown.page.locator(".choice").nth(1).focus()
        await shown.page.keyboard.press(key)
        await expect(shown.page.locator(".sayer").first).to_be_focused()
        await shown.page.keyboard.press("Escape")
        assert await shown.page.locator(".sayer").count() == 0, "at once, not after the seconds it lasts"
        await expect(shown.page.locator(".choice").nth(1)).to_be_focused()


async def test_the_focus_stays_where_it_is_while_the_state_changes(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    await bring_up(shown, "doubt")
    await shown.page.locator(".choice").nth(2).focus()
    await shown.publish(doubt=public.Doubts(doubts=(msgspec.structs.replace(DOUBT, asked=2),)))
    await expect(shown.page.locator(".said-before")).to_be_visible()
    await expect(shown.page.locator(".choice").nth(2)).to_be_focused()


async def test_screens_are_opened_walked_through_and_closed_by_keys(refereed: tuple[Shown, Played]) -> None:
    shown, _ = refereed
    for name in ("setup", "referee"):
        await shown.page.locator(f'[data-tool="{name}"]').focus()
        await shown.page.keyboard.press("Enter")
        await expect(shown.page.locator("#display")).to_have_attribute("data-view", name)
        await expect(shown.page.locator(f"#{name} button").first).to_be_visible()
        for each in await stops(shown):
            assert each["stop"] is not None, (name, each)
            assert each["outline"], (name, each)
        await shown.page.keyboard.press("Escape")
        await expect(shown.page.locator("#display")).to_have_attribute("data-view", "table")
