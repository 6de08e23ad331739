"""Whether readings are as sure as they say: expected calibration error, what is certain, and a plot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

CERTAIN = 0.99
BINS = 15
"""Equally wide bins of the expected calibration error."""
EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Bins of the plot: finer where most readings are."""
MARKS = ("circle", "square", "triangle")
COLOURS = ("#1b7837", "#762a83", "#b35806")
PANEL, MARGIN = 400, 70


@dataclass(frozen=True)
class Reliability:
    """Of some readings: how many, shares 0..1, and the expected calibration error 0..1."""

    readings: int
    certain: float
    certain_right: float
    error: float


def reliability(confidence: Sequence[float], right: Sequence[bool]) -> Reliability:
    """How far the confidences of readings hold; where none is all but certain, none of those is wrong."""
    sure, good = np.array(confidence, np.float64), np.array(right, np.bool_)
    certain = sure >= CERTAIN
    place = np.minimum((sure * BINS).astype(int), BINS - 1)
    error = sum(
        np.mean(place == k) * abs(float(np.mean(good[place == k]) - np.mean(sure[place == k])))
        for k in np.unique(place)
    )
    held = float(np.mean(good[certain])) if certain.any() else 1.0
    return Reliability(len(sure), float(np.mean(certain)), held, float(error))


def plot(panels: Sequence[tuple[str, Sequence[tuple[str, Sequence[float], Sequence[bool]]]]]) -> str:
    """An SVG: a panel for each heading; of each series a mark a bin, at mean confidence and share right.

    The area of a mark goes with the number of its readings. Series differ in form as well as colour.
    """
    wide = MARGIN + len(panels) * (PANEL + MARGIN)
    high = PANEL + 3 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}">',
        '<g font-family="sans-serif" font-size="12">',
        f'<rect width="{wide}" height="{high}" fill="white"/>',
    ]
    for k, (heading, series) in enumerate(panels):
        parts += _panel(MARGIN + k * (PANEL + MARGIN), heading, series)
    return "\n".join([*parts, "</g></svg>\n"])


def _stretched(value: float) -> float:
    """A place 0..1 on an axis on which the last tenth has more room than the rest: 0.9 lies in the middle."""
    return 0.5 * value / 0.9 if value < 0.9 else 0.5 + 0.5 * (value - 0.9) / 0.1


def _panel(
    left: int, heading: str, series: Sequence[tuple[str, Sequence[float], Sequence[bool]]]
) -> list[str]:
    top = MARGIN
    parts = [
        f'<text x="{left}" y="{top - 24}" font-size="15" font-weight="bold">{heading}</text>',
        f'<rect x="{left}" y="{top}" width="{PANEL}" height="{PANEL}" fill="none" stroke="black"/>',
        f'<text x="{left + PANEL / 2}" y="{top + PANEL + 36}" text-anchor="middle">confidence</text>',
        f'<g transform="translate({left - 38},{top + PANEL / 2}) rotate(-90)">',
        '<text text-anchor="middle">share right</text></g>',
        f'<path d="M{left} {top + PANEL}l{PANEL} {-PANEL}" stroke="#888" stroke-dasharray="5 4"/>',
    ]
    for tick in (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0):
        x, y = left + PANEL * _stretched(tick), top + PANEL * (1 - _stretched(tick))
        label = "" if tick in {0.7, 0.99} else f"{tick:g}"
        parts += [
            f'<path d="M{x:.1f} {top + PANEL}v5M{left} {y:.1f}h-5" stroke="black"/>',
            f'<text x="{x:.1f}" y="{top + PANEL + 18}" text-anchor="middle">{label}</text>',
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>',
        ]
    for k, (name, confidence, right) in enumerate(series):
        parts += _series(left, top, k, confidence, right)
        held = reliability(confidence, right)
        y = top + PANEL + MARGIN + 18 * k
        parts.append(_mark(k, left + 6, y - 4, 5))
        parts.append(
            f'<text x="{left + 18}" y="{y}">{name}: {100 * held.certain:.1f} % at ≥ {CERTAIN}, of them '
            f"{100 * held.certain_right:.2f} % right; error {held.error:.3f}</text>"
        )
    return parts


def _series(left: int, top: int, k: int, confidence: Sequence[float], right: Sequence[bool]) -> list[str]:
    sure, good = np.array(confidence, np.float64), np.array(right, np.float64)
    place = np.clip(np.searchsorted(EDGES, sure, side="right") - 1, 0, len(EDGES) - 2)
    marks = []
    for each in np.unique(place):
        there = place == each
        x = left + PANEL * _stretched(float(sure[there].mean()))
        y = top + PANEL * (1 - _stretched(float(good[there].mean())))
        marks.append(_mark(k, x, y, 3 + 14 * float(there.mean()) ** 0.5))
    return marks


def _mark(k: int, x: float, y: float, radius: float) -> str:
    style = f'fill="{COLOURS[k]}" fill-opacity="0.35" stroke="{COLOURS[k]}" stroke-width="1.5"'
    match MARKS[k]:
        case "circle":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {style}/>'
        case "square":
            side = 1.8 * radius
            return (
                f'<rect x="{x - side / 2:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}" '
                f"{style}/>"
            )
    up, down, across = y - 1.2 * radius, y + 0.9 * radius, 1.15 * radius
    return f'<path d="M{x:.1f} {up:.1f}L{x + across:.1f} {down:.1f}H{x - across:.1f}Z" {style}/>'
