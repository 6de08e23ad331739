"""Debian's Chromium as all that looks at the display runs it: tests, measurements, the long evening."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING, Final

from playwright.async_api import async_playwright

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Browser

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--enable-precise-memory-info",
)


class ChromiumMissing(Exception):
    """No chromium program on this machine; the text says what to install."""


@contextlib.asynccontextmanager
async def chromium() -> AsyncIterator[Browser]:
    """Run a browser for the time of the block.

    Raises:
        ChromiumMissing: there is none on this machine.
    """
    program = shutil.which("chromium")
    if program is None:
        raise ChromiumMissing("chromium: program not found; install it (Debian: apt install chromium)")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield browser
        finally:
            await browser.close()
