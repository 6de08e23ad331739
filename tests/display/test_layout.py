"""At every size of screen, lying or upright, each view fits: nothing is cut off, no text lies over text."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from views import VIEWS, bring_up

if TYPE_CHECKING:
    from shown import Shown

    from controller.session import Session

SIZES = ((1280, 800), (1920, 1080), (3840, 2160), (800, 1280), (2160, 3840))

FAULTS = (Path(__file__).parent / "layout_faults.js").read_text(encoding="utf-8")


async def test_everything_fits_at_every_size(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    folder = os.environ.get("LONGZHUO_SCREENSHOTS")
    found = {}
    for name in VIEWS:
        await bring_up(shown, name)
        for width, height in SIZES:
            await shown.page.set_viewport_size({"width": width, "height": height})
            if faults := await shown.page.evaluate(FAULTS):
                found[name, width, height] = faults
            if folder:
                await shown.page.screenshot(path=f"{folder}/layout-{name}-{width}x{height}.png")
        await shown.page.set_viewport_size({"width": 1920, "height": 1080})
    assert found == {}
