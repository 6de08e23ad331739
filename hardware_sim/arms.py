"""Arms that reach in over the table: a sleeve, a hand with bent fingers, and the shadow of both."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import PICTURE_HEIGHT, Lens
from hardware_sim.faces_sheet import Picture
from hardware_sim.faces_style import Colour
from hardware_sim.lamp import GAIN_ONE, Lamp
from hardware_sim.scene import Arm, seat_point

HEIGHT = 75.0  # mm above the cloth
SKINS: tuple[Colour, ...] = ((140, 172, 214), (112, 150, 202), (96, 130, 184), (150, 184, 224))
SLEEVES: tuple[Colour, ...] = (
    (60, 56, 54),
    (150, 110, 60),
    (70, 70, 150),
    (190, 190, 186),
    (120, 140, 90),
    (96, 60, 96),
)


@dataclass(frozen=True, slots=True)
class ArmLook:
    """What the four players wear: colours by seat."""

    skins: tuple[Colour, ...]
    sleeves: tuple[Colour, ...]

    @classmethod
    def for_seed(cls, seed: int) -> "ArmLook":
        """Return the players of the table with this seed."""
        chance = np.random.default_rng((seed, 5))
        skins = tuple(SKINS[int(i)] for i in chance.integers(0, len(SKINS), 4))
        sleeves = tuple(SLEEVES[int(i)] for i in chance.permutation(len(SLEEVES))[:4])
        return cls(skins, sleeves)


@dataclass(frozen=True, eq=False)
class _Shape:
    """A chain of discs joined by straight sides: centres (N, 2) and radii (N,) in pixels."""

    centres: npt.NDArray[np.float64]
    radii: npt.NDArray[np.float64]

    def fill(self, mask: Picture, corner: tuple[int, int], value: int) -> None:
        centres = np.round((self.centres - corner) * 16).astype(np.int32)
        for centre, radius in zip(centres, self.radii, strict=True):
            cv2.circle(mask, (int(centre[0]), int(centre[1])), round(radius * 16), value, -1, cv2.LINE_AA, 4)
        for i in range(len(centres) - 1):
            along = self.centres[i + 1] - self.centres[i]
            side = np.array([-along[1], along[0]]) / max(1e-6, float(np.hypot(*along)))
            one, two = side * self.radii[i], side * self.radii[i + 1]
            corners = np.stack(
                [
                    self.centres[i] + one,
                    self.centres[i + 1] + two,
                    self.centres[i + 1] - two,
                    self.centres[i] - one,
                ]
            )
            outline = np.round((corners - corner) * 16).astype(np.int32)
            cv2.fillConvexPoly(mask, outline, value, cv2.LINE_AA, 4)


def _shape(lens: Lens, chain: list[tuple[float, float, float]]) -> _Shape:
    """Return discs (x, y, radius in mm) at the height of an arm as pixels."""
    given = np.array(chain)
    level = np.full(len(given), HEIGHT)
    centres = lens.pixels(np.column_stack((given[:, :2], level)))
    edges = lens.pixels(np.column_stack((given[:, 0] + given[:, 2], given[:, 1], level)))
    return _Shape(centres, np.hypot(*(edges - centres).T))


def _limbs(lens: Lens, arm: Arm) -> tuple[list[_Shape], list[_Shape]]:
    """Return the shapes of skin and of sleeve."""
    tip = np.array([arm.x, arm.y])
    home = np.array(seat_point(arm.seat, 190.0, 640.0))  # a right elbow
    ahead = tip - home
    ahead /= max(1.0, float(np.hypot(*ahead)))
    across = np.array([-ahead[1], ahead[0]])

    def at(back: float, side: float, radius: float) -> tuple[float, float, float]:
        x, y = tip - ahead * back + across * side
        return float(x), float(y), radius

    hand = [[at(150, 0, 25), at(112, 1, 30), at(84, 2, 35), at(62, 1, 33)]]
    hand += [
        [at(58, side, 9.5), at(24 + bend, side * 0.8, 9), at(3 + bend, side * 0.62, 7.5)]
        for side, bend in ((-24, 9), (-8, 2), (8, 0), (23, 8))
    ]
    hand += [[at(92, -34, 11), at(52, -44, 10), at(24, -33, 8.5)]]
    sleeve = [at(136, 0, 37), at(150, 0, 38), at(260, 6, 48), at(float(np.hypot(*(tip - home))) + 120, 0, 66)]
    return [_shape(lens, chain) for chain in hand], [_shape(lens, sleeve)]


def _box_around(picture: Picture, shapes: Iterable[_Shape], margin: int) -> tuple[int, int, int, int] | None:
    """Return left, top, right, bottom of what shapes cover in the picture, or None."""
    height, width = picture.shape[:2]
    low = np.min([(shape.centres - shape.radii[:, None]).min(axis=0) for shape in shapes], axis=0) - margin
    high = np.max([(shape.centres + shape.radii[:, None]).max(axis=0) for shape in shapes], axis=0) + margin
    left, top = max(0, int(low[0])), max(0, int(low[1]))
    right, bottom = min(width, int(high[0]) + 1), min(height, int(high[1]) + 1)
    return (left, top, right, bottom) if left < right and top < bottom else None


def _filled(shapes: Iterable[_Shape], box: tuple[int, int, int, int]) -> Picture:
    mask = np.zeros((box[3] - box[1], box[2] - box[0]), np.uint8)
    for shape in shapes:
        shape.fill(mask, box[:2], 255)
    return mask


def _round_off(mask: Picture, colour: Colour, depth: float) -> Picture:
    """Return the colour over a mask, darker towards its edges like a round body."""
    inside = cv2.convertScaleAbs(cv2.distanceTransform((mask > 127).view(np.uint8), cv2.DIST_L2, 3))
    height = np.clip(np.arange(256) / depth, 0, 1)
    bright = 0.58 + 0.42 * np.sqrt(1 - (1 - height) ** 2)
    tables = [np.clip(bright * channel, 0, 255).astype(np.uint8) for channel in colour]
    return np.asarray(cv2.merge([cv2.LUT(inside, table) for table in tables]), np.uint8)


def _blend(target: Picture, paint: Picture, mask: Picture) -> None:
    """Lay paint over the target where the mask says, softly at its edge."""
    share = cv2.blur(mask, (3, 3))
    over = cv2.multiply(paint, cv2.merge([share] * 3), scale=1 / 255)
    share = cv2.bitwise_not(share)
    under = cv2.multiply(target, cv2.merge([share] * 3), scale=1 / 255)
    target[:] = cv2.add(over, under)


def _throw_shadow(picture: Picture, lamp: Lamp, shapes: list[_Shape]) -> None:
    box = _box_around(picture, shapes, 60)
    if box is None:
        return
    left, top, right, bottom = box
    shift = np.array(lamp.shadow) * HEIGHT * 1.25 * (picture.shape[0] / PICTURE_HEIGHT)
    moved = [_Shape(shape.centres + shift, shape.radii) for shape in shapes]
    dark = cv2.blur(_filled(moved, box), (25, 25))
    light = cv2.convertScaleAbs(dark, alpha=-0.8 * lamp.darkness, beta=255.0)
    target = picture[top:bottom, left:right]
    target[:] = cv2.multiply(target, cv2.merge([light] * 3), scale=1 / 255)


def _paint(picture: Picture, lamp: Lamp, shapes: list[_Shape], colour: Colour) -> None:
    """Paint a sleeve (one shape) or a hand (several, whose seams show)."""
    box = _box_around(picture, shapes, 3)
    if box is None:
        return
    left, top, right, bottom = box
    mask = _filled(shapes, box)
    scale = picture.shape[0] / PICTURE_HEIGHT
    if len(shapes) == 1:
        paint = _round_off(mask, colour, 46 * scale)
    else:
        paint = _round_off(mask, colour, 22 * scale)
        _draw_seams(paint, shapes[1:], (left, top), colour)
    lit = cv2.multiply(paint, lamp.gain[top:bottom, left:right], scale=1 / GAIN_ONE)
    _blend(picture[top:bottom, left:right], np.asarray(lit, np.uint8), mask)


def _draw_seams(paint: Picture, fingers: list[_Shape], corner: tuple[int, int], colour: Colour) -> None:
    """Draw darker lines between the fingers and nails at their ends."""
    for finger in fingers:
        outline = np.zeros(paint.shape[:2], np.uint8)
        finger.fill(outline, corner, 255)
        seam = cv2.blur(cv2.morphologyEx(outline, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)), (3, 3))
        light = cv2.convertScaleAbs(seam, alpha=-0.22, beta=255.0)
        paint[:] = cv2.multiply(paint, cv2.merge([light] * 3), scale=1 / 255)
        nail = np.round((finger.centres[-1] - corner) * 16).astype(int)
        radius = round(float(finger.radii[-1]) * 0.55 * 16)
        pale = tuple(min(255.0, channel * 1.08) for channel in colour)
        cv2.circle(paint, (int(nail[0]), int(nail[1])), radius, pale, -1, cv2.LINE_AA, 4)


def arm_mask(lens: Lens, arms: Iterable[Arm]) -> Picture:
    """Return the pixels (H, W) that arms cover, 255 or 0."""
    mask = np.zeros(lens.size[::-1], np.uint8)
    for arm in arms:
        skin, sleeve = _limbs(lens, arm)
        for shape in (*skin, *sleeve):
            shape.fill(mask, (0, 0), 255)
    return np.asarray((mask > 64) * np.uint8(255), np.uint8)


def draw_arms(picture: Picture, view: tuple[Lens, Lamp], look: ArmLook, arms: Iterable[Arm]) -> None:
    """Draw arms into a finished picture, in place."""
    lens, lamp = view
    for arm in arms:
        skin, sleeve = _limbs(lens, arm)
        _throw_shadow(picture, lamp, [*skin, *sleeve])
        _paint(picture, lamp, skin, look.skins[arm.seat])
        _paint(picture, lamp, sleeve, look.sleeves[arm.seat])
