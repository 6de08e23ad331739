"""At every size of screen, lying or upright, each view fits: nothing is cut off, no text lies over text."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from views import VIEWS, bring_up

if TYPE_CHECKING:
    from shown import Shown

    from controller.session import Session

SIZES = ((1280, 800), (1920, 1080), (3840, 2160), (800, 1280), (2160, 3840))

FAULTS = (Path(__file__).parent / "layout_faults.js").read_text(encoding="utf-8")


SETTLES_S = 3.0
"""What moves or is laid anew after a change of size has come to rest by then, on a busy machine too."""


async def lasting(shown: Shown) -> list[str]:
    """What does not fit, and stays so."""
    until = time.monotonic() + SETTLES_S
    faults: list[str] = await shown.page.evaluate(FAULTS)
    while faults and time.monotonic() < until:
        await asyncio.sleep(0.1)
        faults = await shown.page.evaluate(FAULTS)
    return faults


@pytest.mark.timeout(400)  # some hundred layouts in a browser
async def test_everything_fits_at_every_size(table: tuple[Shown, Session]) -> None:
    shown, _ = table
    folder = os.environ.get("LONGZHUO_SCREENSHOTS")
    found = {}
    for name in VIEWS:
        await bring_up(shown, name)
        for width, height in SIZES:
            await shown.page.set_viewport_size({"width": width, "height": height})
            if faults := await lasting(shown):
                found[name, width, height] = faults
            if folder:
                await shown.page.screenshot(path=f"{folder}/layout-{name}-{width}x{height}.png")
        await shown.page.set_viewport_size({"width": 1920, "height": 1080})
    assert found == {}
