"""The page loads quickly over a slow way: it is light."""

import gzip
from pathlib import Path

DIST = Path(__file__).parents[2] / "controller" / "page" / "dist"
MOST_BYTES = 200_000
FONTS = {".woff2", ".woff", ".ttf", ".otf"}


def test_the_page_is_light() -> None:
    """What a tablet loads before it shows anything, but for the font."""
    files = [path for path in DIST.rglob("*") if path.is_file() and path.suffix not in FONTS]
    weights = {
        path.name: len(gzip.compress(path.read_bytes(), 6)) for path in files if ".LEGAL" not in path.name
    }
    assert {"index.html", "display.js", "style.css"} <= set(weights)
    assert sum(weights.values()) <= MOST_BYTES, weights
