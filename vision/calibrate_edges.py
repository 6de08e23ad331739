"""Finds a table's square cloth by its colour, and its four edges to a fraction of a pixel.

The cloth is what most of the picture's middle is coloured like; whatever lies on it makes holes, and people's
arms reach over its edges, so its outline is the hull of what is left. Each edge is then traced at many places
along it: the outermost cloth, and there the steepest step. What doesn't lie on one gentle curve (a lens bends
lines) is something else and left out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image, Points
from vision.rectify import TableNotFound

Edges = tuple[Points, ...]
"""Four arrays (N, 2) of px, each along one edge; empty where an edge is hidden."""

IsCloth = Callable[[npt.NDArray[np.float32]], npt.NDArray[np.bool_]]

ROWS: Final = 405  # of the small picture in which the cloth is looked for
COLOUR_REACH: Final = 11.0  # a* and b*, 0..255, by which cloth differs from its usual colour
# And how much darker or brighter than usual it may be: one lamp lights a table unevenly, a frame of the same
# tint may stand beside it.
BRIGHTNESSES: Final = ((0.72, 1.35), (0.6, 1.5), (0.5, 1.7))
LEAST_SHARE: Final = 0.06  # of the picture that a table must fill
SQUARE: Final = (0.7, 1.0 / 0.7)  # ratio of the sides of a square seen from above
SOLID: Final = 0.45  # of the hull that must be cloth
TWIN: Final = 0.3  # of the cloth's area: another square of its colour is another table
PLACES: Final = 80  # along an edge where it is looked for
MARGIN: Final = 0.04  # of an edge at either end that is left out
RUN_PX: Final = 3.0  # of cloth that make an edge
OFF_PX: Final = 1.3  # farther from the curve is something else
PLENTY: Final = 0.8  # of the places that need no other look
FEWEST: Final = 0.35  # of the places that must show an edge
STEP_PX: Final = 0.5
TRIALS: Final = 250


@dataclass(frozen=True, slots=True)
class ClothColour:
    """The cloth's usual colour, L*, a*, b* as OpenCV has them (0..255)."""

    lightness: float
    a: float
    b: float

    def like(
        self, lab: npt.NDArray[np.float32], brightness: tuple[float, float] = BRIGHTNESSES[-1]
    ) -> npt.NDArray[np.bool_]:
        """Where colours (..., 3) may be cloth."""
        near = (np.abs(lab[..., 1] - self.a) < COLOUR_REACH) & (np.abs(lab[..., 2] - self.b) < COLOUR_REACH)
        low, high = (factor * max(self.lightness, 12.0) for factor in brightness)
        return np.asarray(near & (lab[..., 0] > low) & (lab[..., 0] < high))


def cloth_colour(image: Image) -> ClothColour:
    """The colour most of the picture's middle has."""
    lab = _small_lab(image)
    rows, columns = lab.shape[:2]
    half = rows // 3
    middle = lab[rows // 2 - half : rows // 2 + half, max(0, columns // 2 - half) : columns // 2 + half]
    colours = middle.reshape(-1, 3)
    tints = np.histogram2d(colours[:, 1], colours[:, 2], bins=64, range=((0, 256), (0, 256)))[0]
    smooth = cv2.GaussianBlur(tints.astype(np.float32), (0, 0), 1.2)
    a, b = (4.0 * index + 2.0 for index in np.unravel_index(int(smooth.argmax()), smooth.shape))
    near = colours[(np.abs(colours[:, 1] - a) < 8) & (np.abs(colours[:, 2] - b) < 8)]
    shades = np.histogram(near[:, 0], bins=32, range=(0, 256))[0].astype(np.float32).reshape(1, -1)
    shade = 8.0 * int(cv2.GaussianBlur(shades, (0, 0), 1.0).argmax()) + 4.0
    own = near[np.abs(near[:, 0] - shade) < 24]
    return ClothColour(*(float(value) for value in np.median(own if len(own) else colours, axis=0)))


def find_cloth(image: Image) -> Points:
    """Rough corners (4, 2) px of the cloth, clockwise from the one nearest the picture's upper left.

    Raises:
        TableNotFound: no square of one colour, more than one, or one that the picture cuts off.
    """
    lab = _small_lab(image)
    colour = cloth_colour(image)
    for brightness in BRIGHTNESSES:
        squares = _squares(colour.like(lab, brightness))
        if len(squares) > 1:
            raise TableNotFound("two tables are in the picture: turn the camera or cover one")
        if squares:
            return np.asarray((squares[0] + 0.5) * (image.shape[0] / lab.shape[0]) - 0.5)
    raise TableNotFound(
        "no square cloth of one colour is in the picture: the whole cloth must be seen from above, "
        "with light on it"
    )


def trace(image: Image, corners: Points, *, reach: float) -> Edges:
    """The edges of the cloth near the lines between its rough corners (4, 2), within `reach` px of them."""
    lines = [np.stack((corners[i], corners[(i + 1) % 4])) for i in range(4)]
    return _traced(image, lines, corners.mean(axis=0), [reach] * 4)


def follow(image: Image, edges: Edges, *, reach: float) -> Edges:
    """The edges again, near where they were: within `reach` px."""
    middle = np.concatenate([edge for edge in edges if len(edge)]).mean(axis=0)
    lines = [edge[[0, -1]] for edge in edges if len(edge)]
    found = iter(_traced(image, lines, middle, [reach + _sagitta(edge) for edge in edges if len(edge)]))
    return tuple(next(found) if len(edge) else edge for edge in edges)


def _traced(image: Image, lines: Sequence[Points], middle: Points, reaches: Sequence[float]) -> Edges:
    """What can be seen of each edge, with the narrowest brightness of the cloth that shows them."""
    colour = cloth_colour(image)
    best: Edges = ()
    for brightness in BRIGHTNESSES:
        edges = tuple(
            _along(image, line, partial(colour.like, brightness=brightness), middle, reach)
            for line, reach in zip(lines, reaches, strict=True)
        )
        best = max(edges, best, key=lambda found: sum(map(len, found)))
        if min(map(len, best)) > PLENTY * PLACES:
            break
    return best


def _sagitta(edge: Points) -> float:
    """How far a curve leaves the line between its ends."""
    along = edge[-1] - edge[0]
    normal = np.asarray((-along[1], along[0])) / np.hypot(*along)
    return float(np.abs((edge - edge[0]) @ normal).max())


def _small_lab(image: Image) -> npt.NDArray[np.float32]:
    scale = ROWS / image.shape[0]
    size = (max(8, round(image.shape[1] * scale)), ROWS)
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(cv2.GaussianBlur(small, (3, 3), 0), cv2.COLOR_BGR2LAB).astype(np.float32)


def _squares(cloth: npt.NDArray[np.bool_]) -> list[Points]:
    """Corners (4, 2) of every large square among what is coloured like cloth."""
    mask = cv2.morphologyEx(cloth.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    areas = stats[:, cv2.CC_STAT_AREA]
    order = sorted(range(1, count), key=lambda label: -int(areas[label]))
    large = [label for label in order if areas[label] > TWIN * areas[order[0]]]
    return [corners for label in large if (corners := _square(labels == label)) is not None]


def _square(region: npt.NDArray[np.bool_]) -> Points | None:
    """Corners (4, 2) of a region that is a square seen from above, all of it in the picture, else None."""
    rows, columns = region.shape
    area = int(region.sum())
    contours, _ = cv2.findContours(region.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=len))
    corners = _four(hull)
    if corners is None or cv2.contourArea(hull) < LEAST_SHARE * rows * columns:
        return None
    sides = np.hypot(*(corners - np.roll(corners, -1, axis=0)).T)
    ratios = (sides[0] + sides[2]) / (sides[1] + sides[3]), sides.min() / sides.max()
    fits = SQUARE[0] < ratios[0] < SQUARE[1] and ratios[1] > SQUARE[0] / 1.2
    whole = cv2.contourArea(corners.astype(np.float32)) > 0.9 * cv2.contourArea(hull)
    inside = corners.min() >= 1 and corners[:, 0].max() < columns - 2 and corners[:, 1].max() < rows - 2
    if not (fits and whole and inside and area > SOLID * cv2.contourArea(hull)):
        return None
    first = int(corners.sum(axis=1).argmin())
    return np.roll(corners, -first, axis=0)


def _four(hull: npt.NDArray[Any]) -> Points | None:
    """The quadrilateral nearest to a hull, clockwise as people see it."""
    if len(hull) < 4:
        return None
    corners = np.asarray(cv2.approxPolyN(hull, 4)).reshape(-1, 2)
    if len(corners) != 4:
        return None
    return np.asarray(corners if _turn(corners) > 0 else corners[::-1], np.float64)


def _turn(corners: npt.NDArray[Any]) -> float:
    """Positive where corners go clockwise as people see them (y points down)."""
    x, y = corners.T.astype(np.float64)
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum())


def _along(image: Image, line: Points, is_cloth: IsCloth, middle: Points, reach: float) -> Points:
    """Points (N, 2) px of the edge near a line (2, 2); none where too little of it can be seen."""
    along = line[1] - line[0]
    out = np.asarray((along[1], -along[0])) / np.hypot(*along)
    if out @ (line.mean(axis=0) - middle) < 0:
        out = -out
    share = np.linspace(MARGIN, 1 - MARGIN, PLACES)
    places = line[0] + share[:, None] * along
    steps = np.arange(-reach, reach + STEP_PX, STEP_PX)
    maps = (places[:, None] + steps[None, :, None] * out).astype(np.float32)
    sampled = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    profiles: npt.NDArray[np.float32] = np.asarray(cv2.GaussianBlur(sampled, (3, 3), 0), np.float32)
    lab = cv2.cvtColor(profiles.astype(np.uint8), cv2.COLOR_BGR2LAB).astype(np.float32)
    outside = (maps < 1).any(axis=2) | (maps > np.asarray(image.shape[1::-1], np.float32) - 2).any(axis=2)
    offsets = _steps_out(profiles, is_cloth(lab) & ~outside)
    found = np.isfinite(offsets)
    kept = _on_a_curve(share, offsets, found)
    if kept.sum() < FEWEST * PLACES or np.ptp(share[kept]) < 0.5:
        return np.zeros((0, 2))
    return np.asarray(places[kept] + (offsets[kept] * STEP_PX - reach)[:, None] * out)


def _steps_out(profiles: npt.NDArray[np.float32], cloth: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """(N,) index, with fractions, where the outermost cloth of profiles (N, S, 3) ends; NaN where none."""
    run = round(RUN_PX / STEP_PX)
    kernel = np.ones((1, run), np.uint8)
    solid = cv2.morphologyEx(cloth.astype(np.uint8), cv2.MORPH_OPEN, kernel) > 0
    rise = np.linalg.norm(np.gradient(profiles, axis=1), axis=2)
    count = profiles.shape[1]
    ends = np.full(len(profiles), np.nan)
    for i, row in enumerate(solid):
        inside = np.flatnonzero(row)
        if len(inside) == 0 or inside[-1] >= count - 3:
            continue
        low, high = max(1, inside[-1] - run), min(count - 1, inside[-1] + run + 1)
        at = low + int(rise[i, low:high].argmax())
        if 0 < at < count - 1:
            ends[i] = at + _between(rise[i], at)
    return ends


def _between(rise: npt.NDArray[np.float32], at: int) -> float:
    """Where the parabola through the steepest step and its neighbours is highest, from `at`."""
    bend = float(rise[at - 1] - 2 * rise[at] + rise[at + 1])
    return float(0.5 * (rise[at - 1] - rise[at + 1]) / bend) if bend < 0 else 0.0


def _on_a_curve(
    share: npt.NDArray[np.float64], offsets: npt.NDArray[np.float64], found: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Which of the found offsets (in steps) lie on the parabola along the edge that most of them lie on."""
    index = np.flatnonzero(found)
    best = np.zeros(len(share), np.bool_)
    if len(index) < 6:
        return best
    powers = np.column_stack((np.ones_like(share), share, share**2))
    chance = np.random.default_rng(1)
    tolerance = OFF_PX / STEP_PX
    for _ in range(TRIALS):
        three = chance.choice(index, 3, replace=False)
        if np.ptp(share[three]) < 0.3 or np.diff(np.sort(share[three])).min() < 0.08:
            continue
        curve = np.linalg.solve(powers[three], offsets[three])
        near = found & (np.abs(np.nan_to_num(offsets, nan=1e9) - powers @ curve) < tolerance)
        if near.sum() > best.sum():
            best = near
    for _ in range(2):
        if best.sum() < 6:
            return best
        curve = np.linalg.lstsq(powers[best], offsets[best], rcond=None)[0]
        best = found & (np.abs(np.nan_to_num(offsets, nan=1e9) - powers @ curve) < tolerance)
    return best
