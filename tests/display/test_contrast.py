"""Text stands out from what lies behind it at least 7:1, by the colours of the style sheets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STYLES = Path(__file__).parents[2] / "controller" / "page" / "styles"
VARIABLES = dict(
    re.findall(r"--([a-z]+): (#[0-9a-f]{6});", (STYLES / "frame.css").read_text(encoding="utf-8"))
)
PAIRS = {
    ("text", "ground"),
    ("text", "row"),
    ("text", "centre"),
    ("text", "felt"),
    ("soft", "felt"),
    ("gold", "felt"),
    ("soft", "ground"),
    ("soft", "row"),
    ("soft", "panel"),
    ("soft", "centre"),
    ("soft", "turn"),
    ("text", "turn"),
    ("text", "panel"),
    ("gold", "row"),
    ("gold", "panel"),
    ("gold", "turn"),
    ("gold", "centre"),
    ("gain", "row"),
    ("loss", "row"),
    ("gain", "panel"),
    ("loss", "panel"),
}


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb` (WCAG 2.2)."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_contrast_is_measured_as_the_standard_does() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_text_stands_out_seven_to_one() -> None:
    table = {f"{text} on {ground}": contrast(VARIABLES[text], VARIABLES[ground]) for text, ground in PAIRS}
    print("\n".join(f"{pair:15} {figure:5.1f}" for pair, figure in sorted(table.items())))  # noqa: T201
    assert min(table.values()) >= 7, table


def test_every_colour_of_text_is_measured() -> None:
    """A sheet that sets text in a colour of its own says on what: both stand in one rule."""
    for sheet in ("frame.css", "table.css", "effects.css"):
        for rule in re.findall(r"\{([^{}]*)\}", (STYLES / sheet).read_text(encoding="utf-8")):
            own = re.search(r"(?<![-\w])color: (#[0-9a-f]{6})", rule)
            ground = re.search(r"background: (#[0-9a-f]{6}|var\(--gold\)|#fff|#000);", rule)
            if own is None or ground is None:
                continue
            named = {"var(--gold)": VARIABLES["gold"], "#fff": "#ffffff", "#000": "#000000"}
            behind = named.get(str(ground[1]), str(ground[1]))
            assert contrast(own[1], behind) >= 7 or behind == "#000000", rule
