"""Reads the dice in the table's window: one or two, at any turn, or nothing where that is not sure. Pure.

Dice are light bodies on a darker floor. What is light is taken apart into squares, each square is compared
with the six faces (`dice_faces`), and the squares found must account for the outline of all that is light: a
die that leans, or two that lie on one another, have another outline than dice that lie flat.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Protocol

import cv2
import numpy as np
import numpy.typing as npt

from vision.dice_faces import Light, Match, Pose, match
from vision.dice_outline import Mask, laid_over, overlap
from vision.images import Image, Points

SCALE: Final = 4.0
"""Pixels per mm of the view from above."""
WINDOW_MM: Final = 40.0
SEEN_MM: Final = 38.5
"""Dice are looked for so far from the window's middle."""
HEIGHT_MM: Final = 6.0
"""The view shows this height above the window's floor rightly: half of a die."""
SIDES_MM: Final = (6.5, 18.0)
LENS_BLUR: Final = 0.85
"""Sigma of a usual lens and its pixels, in pixels of the picture."""

LIKE: Final = 0.9
"""Least correlation of a face with its pattern."""
LIKE_TOUCHING: Final = 0.95
"""The same where two dice touch: one that leans on the other shows its side there."""
LEAD: Final = 0.07
"""Least lead of the best value over the next one."""
CONTRAST: Final = 0.2
COVER: Final = 0.89
"""Least share that the light outline and that of flat dice have in common."""
SAME_SIDE: Final = 1.12
"""Two dice of one table are equally large, within this factor."""
SQUARE: Final = (1.25, 0.8)
"""An outline with a longer side ratio than this, or a smaller share of its rectangle filled, is two dice."""


LIT: Final = 0.45
"""Bodies are lighter than this share of the way from the floor to the lightest one ..."""
EDGE: Final = 0.42
"""... and end where they fall below this share of their own."""
FAINT: Final = 0.28
MAYBE: Final = 0.75
DARK: Final = 0.6
"""What is lighter than this share, and looks like a face so much or has so dark pips, may be another die."""
OVERLAP: Final = 0.05
"""Dice that lie flat beside each other do not overlap, but for so much of one that the outlines err."""
OFF_CENTRE: Final = 0.1
OFF_SIZE: Final = 0.2
"""The pips lie in the middle of the body, and are as large as it says, within these shares of its side."""
STRIPS: Final = (0.18, 0.3)
STRIP_SHARE: Final = 0.45
SIDE_LIT: Final = 0.2
"""A die's own side is seen where this share of a line beyond its edge is so light."""
BEYOND: Final = 0.35
"""A side ends with its edge: so far beyond, in lengths of the edge, it is dark again."""
FEW_TURNS: Final = np.radians(np.array([-8.0, -4.0, 0.0, 4.0, 8.0]))
ALL_TURNS: Final = np.radians(np.arange(-45.0, 45.0, 7.5))


class View(Protocol):
    """Which pixel shows which point of the table (`rectify.Rectification`)."""

    def to_px(self, points: npt.ArrayLike, *, height: float) -> Points: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Die:
    """One die: its value (None where unsure), its middle in mm, its side in mm, and how sure (0..1)."""

    value: int | None
    x: float
    y: float
    side: float
    confidence: float


@dataclass(frozen=True, slots=True)
class DiceLook:
    """What one picture shows in the window.

    `dice` are those that were found; `values`, smallest first, only where all are sure and nothing else
    lies there. `why` says in a word what keeps them from being read.
    """

    dice: tuple[Die, ...] = ()
    why: str = ""

    @property
    def values(self) -> tuple[int, ...] | None:
        """The values, smallest first; None where any is unsure, or there are no dice."""
        values = [die.value for die in self.dice if die.value is not None]
        if self.why or not self.dice or len(values) < len(self.dice):
            return None
        return tuple(sorted(values))

    @property
    def confidence(self) -> float:
        """That of the least certain die, 0 where nothing can be read."""
        return min((die.confidence for die in self.dice), default=0.0) if self.values else 0.0


def read_dice(image: Image, view: View, *, origin: tuple[float, float] = (0.0, 0.0)) -> DiceLook:
    """Read the dice of a picture, or of a part of one that starts at its pixel `origin`.

    The window is the disc of 40 mm about the table's middle.
    """
    above = _above(image, view, origin)
    light = above.light
    outlines = [one for one in _outlines(light, above.floor, LIT) if _is_marked(light, one)]
    look = _judged([_fitted(light, outline, above) for outline in outlines], above)
    return replace(look, why="another one in the dark") if look.values and _more(above, outlines) else look


@dataclass(frozen=True, slots=True, eq=False)
class _Above:
    """The window from straight above: brightness, that of its floor, blur in pixels, and the way up.

    `rise` (2,): pixels by which a point moves in this view for each mm that it lies higher.
    """

    light: Light
    floor: float
    blur: float
    rise: npt.NDArray[np.float64]


_SIDE: Final = round(2 * (WINDOW_MM + 2) * SCALE)


def _above(image: Image, view: View, origin: tuple[float, float]) -> _Above:
    half = WINDOW_MM + 2
    square = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
    seen = np.asarray(view.to_px(square, height=HEIGHT_MM) - origin, np.float32)
    target = np.array([(0, 0), (_SIDE, 0), (_SIDE, _SIDE), (0, _SIDE)], np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(seen, np.asarray(target, np.float32))
    # The darkest channel: bodies are white in all of them, red pips dark in two, a coloured floor in one.
    blue, green, red = cv2.split(image)
    darkest = cv2.min(cv2.min(blue, green), red)
    light = cv2.warpPerspective(
        darkest, matrix, (_SIDE, _SIDE), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    ).astype(np.float32)
    middle = view.to_px([(0.0, 0.0)], height=HEIGHT_MM + 10.0) - origin
    rise = cv2.perspectiveTransform(np.asarray(middle, np.float32)[None], matrix)[0, 0] - (_SIDE - 1) / 2
    per_mm = float(np.linalg.norm(seen[1] - seen[0])) / (2 * half)
    return _Above(
        light,
        float(np.median(light[_FEW])),
        LENS_BLUR * SCALE / per_mm,
        np.asarray(rise / 10.0, np.float64),
    )


def _disc() -> Mask:
    disc = np.zeros((_SIDE, _SIDE), np.uint8)
    middle = (_SIDE - 1) // 2
    cv2.circle(disc, (middle, middle), round(SEEN_MM * SCALE), 255, -1)
    return disc


_DISC: Final = _disc()
_FEW: Final = np.nonzero((_DISC > 0) & (np.add.outer(3 * np.arange(_SIDE), np.arange(_SIDE)) % 7 == 0))
"""Every seventh pixel of the window: enough to tell its floor."""


def _outlines(light: Light, floor: float, lit: float) -> list[Mask]:
    """Masks (H, W) of the light bodies, pips filled in."""
    soft = cv2.morphologyEx(cv2.GaussianBlur(light, (0, 0), 0.3 * SCALE), cv2.MORPH_CLOSE, _round(2.4))
    peak = float(soft[_DISC > 0].max())
    if peak - floor < 18.0:
        return []
    low = ((soft > floor + lit * (peak - floor)) & (_DISC > 0)).astype(np.uint8)
    found = []
    for body in _bodies(low):
        own = float(np.percentile(soft[body > 0], 80))
        around = cv2.dilate(body, np.ones((5, 5), np.uint8)) > 0
        found += _bodies(((soft > floor + EDGE * (own - floor)) & around).astype(np.uint8))
    return found


def _round(size_mm: float) -> Mask:
    """A round neighbourhood, so many mm across."""
    size = round(size_mm * SCALE) | 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), np.uint8)


def _bodies(mask: Mask) -> list[Mask]:
    """The connected parts that are large enough for a die, each with its holes filled."""
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    least = (SIDES_MM[0] * SCALE) ** 2
    return [
        np.asarray(cv2.drawContours(np.zeros_like(mask), [contour], -1, 1, -1), np.uint8)
        for contour in contours
        if cv2.contourArea(contour) >= least
    ]


def _is_marked(light: Light, outline: Mask) -> bool:
    """Whether there is something dark inside, as on every side of a die; a lamp in the dome is plain."""
    inner = cv2.erode(outline, _round(2.2)) > 0
    if not inner.any():
        return False
    dark, bright = np.percentile(light[inner], (2, 90))
    return bool(bright - dark > CONTRAST * bright)


@dataclass(frozen=True, slots=True)
class _Fitted:
    """The dice of one outline: their faces, where their bodies lie, and the share of it they account for."""

    faces: tuple[Match, ...]
    bodies: tuple[Pose, ...]
    cover: float


def _fitted(light: Light, outline: Mask, above: _Above) -> _Fitted:
    """The squares of an outline: one, or two that touch."""
    points = np.asarray(cv2.findNonZero(outline), np.float32).reshape(-1, 2)
    (x, y), (width, height), turn = cv2.minAreaRect(points)
    ratio = max(width, height) / max(1.0, min(width, height))
    share = len(points) / max(1.0, (width + 1) * (height + 1))
    if ratio < SQUARE[0] and share > SQUARE[1]:
        guesses = [Pose(x, y, float(np.radians(turn)), float(np.sqrt(len(points))))]
        turns = FEW_TURNS
    else:
        side = float(np.sqrt(len(points) / 2))
        guesses = [Pose(float(a), float(b), 0.0, side) for a, b in _halves(points)]
        turns = ALL_TURNS
    faces = tuple(match(light, guess, blur=above.blur, turns=turns) for guess in guesses)
    sides = np.sqrt(len(points) / len(guesses)) * np.ones(len(guesses))
    bodies = [replace(face.pose, side=float(side)) for face, side in zip(faces, sides, strict=True)]
    if len(guesses) == 1 and faces[0].value == 1:
        bodies = [replace(bodies[0], turn=guesses[0].turn)]
    free = [face.value == 1 and len(guesses) > 1 for face in faces]
    return _Fitted(faces, *laid_over(outline, bodies, above.rise, free=free))


def _halves(points: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The middles (2, 2) of the two halves of a cloud of points, parted across its longer way."""
    some = np.asarray(points[:: max(1, len(points) // 2000)], np.float64)
    middle = some.mean(axis=0)
    way = np.linalg.eigh(np.cov((some - middle).T))[1][:, 1]
    spread = np.sqrt(np.mean(((some - middle) @ way) ** 2))
    middles = np.array([middle - way * spread, middle + way * spread])
    for _ in range(8):
        nearer = np.linalg.norm(some[:, None] - middles, axis=2).argmin(axis=1)
        middles = np.array([some[nearer == k].mean(axis=0) for k in range(2)])
    return middles


def _more(above: _Above, outlines: Sequence[Mask]) -> bool:
    """Whether something that is less light looks like a die too."""
    darker = [
        one
        for one in _outlines(above.light, above.floor, FAINT)
        if not any((one & known).any() for known in outlines) and _is_marked(above.light, one)
    ]
    faces = [face for one in darker for face in _fitted(above.light, one, above).faces]
    return any(face.likeness.max() > MAYBE or face.contrast > DARK for face in faces)


def _judged(groups: Sequence[_Fitted], above: _Above) -> DiceLook:
    """Which dice are sure, and what keeps the rest from being so."""
    pairs = [pair for group in groups for pair in zip(group.faces, group.bodies, strict=True)]
    alone = [len(group.faces) == 1 for group in groups for _ in group.faces]
    read = tuple(
        _die(*pair, like=LIKE if one else LIKE_TOUCHING) for pair, one in zip(pairs, alone, strict=True)
    )
    if not read:
        return DiceLook()
    sides = [die.side for die in read]
    reasons = {
        "more than two": len(read) > 2,
        "on one another": any(_meet(one, other) for one, other in combinations(pairs, 2)),
        "unequal": max(sides) > SAME_SIDE * min(sides),
        "of no size": not all(SIDES_MM[0] <= side <= SIDES_MM[1] for side in sides),
        "not flat": any(group.cover < COVER for group in groups),
        "a side in sight": any(_shows_side(above, body, [b for _, b in pairs]) for _, body in pairs),
        "unclear": any(die.value is None for die in read),
    }
    return DiceLook(read, next((why for why, holds in reasons.items() if holds), ""))


def _meet(one: tuple[Match, Pose], other: tuple[Match, Pose]) -> bool:
    """Whether two dice are nearer to each other than any two that lie flat."""
    apart = np.hypot(one[0].pose.x - other[0].pose.x, one[0].pose.y - other[0].pose.y)
    return overlap(one[1], other[1]) > OVERLAP or bool(2 * apart < one[1].side + other[1].side)


def _die(face: Match, body: Pose, *, like: float) -> Die:
    first = float(face.likeness.max())
    apart = float(np.hypot(face.pose.x - body.x, face.pose.y - body.y))
    # The size of a 1, and nearly that of a 2, is not told by their pips.
    fits = face.value <= 2 or abs(face.pose.side / body.side - 1) < OFF_SIZE
    sure = fits and apart < OFF_CENTRE * body.side and first >= like and face.lead >= LEAD
    half = (_SIDE - 1) / 2
    margin = min((first - LIKE) / (1 - LIKE), face.lead / (3 * LEAD))
    return Die(
        face.value if sure else None,
        (body.x - half) / SCALE,
        (body.y - half) / SCALE,
        body.side / SCALE,
        float(np.clip(0.5 + 0.5 * margin, 0.0, 1.0)),
    )


def _shows_side(above: _Above, body: Pose, bodies: Sequence[Pose]) -> bool:
    """Whether a strip along one edge, beyond what is seen of a flat die, is lit as a side of a body is."""
    bright = float(np.percentile(above.light[_box(body)], 90))
    level = above.floor + SIDE_LIT * (bright - above.floor)
    corners = body.corners()
    base = -above.rise * body.side / SCALE
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        out = (a + b) / 2 - (body.x, body.y)
        out /= np.linalg.norm(out)
        for strip in STRIPS:
            away = max(0.0, float(base @ out)) + strip * body.side
            line = np.linspace(a, b, 13)[1:-1] + out * away
            if _is_lit(above, line, level, [other for other in bodies if other is not body]):
                ends = np.array([line[0] - (b - a) * BEYOND, line[-1] + (b - a) * BEYOND])
                if not _is_lit(above, ends, level, share=1.0):
                    return True
    return False


def _is_lit(
    above: _Above,
    points: npt.NDArray[np.float64],
    level: float,
    others: Sequence[Pose] = (),
    share: float = STRIP_SHARE,
) -> bool:
    """Whether a share of the points (N, 2), those in other bodies left out, is lighter than a level."""
    free = [point for point in points if not any(_holds(other, point) for other in others)]
    if 2 * len(free) <= len(points):
        return False
    columns, rows = np.clip(np.round(free).astype(int), 0, _SIDE - 1).T
    return bool(np.mean(above.light[rows, columns] > level) >= share - 1e-6)


def _box(body: Pose) -> tuple[slice, slice]:
    reach = body.side * 0.35
    rows = slice(max(0, round(body.y - reach)), max(1, round(body.y + reach)))
    return rows, slice(max(0, round(body.x - reach)), max(1, round(body.x + reach)))


def _holds(body: Pose, point: npt.NDArray[np.float64]) -> bool:
    """Whether a body reaches to a point, or nearly."""
    away = point - (body.x, body.y)
    across = abs(away @ (np.cos(body.turn), np.sin(body.turn)))
    down = abs(away @ (-np.sin(body.turn), np.cos(body.turn)))
    return bool(max(across, down) < body.side * 0.6)
