"""The empty table from above: floor, rim, cloth, wall lids, corner markers; and the console in its middle."""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import Lens
from hardware_sim.faces import rounded_outline
from hardware_sim.faces_sheet import Picture
from hardware_sim.faces_style import Colour
from hardware_sim.render_dice import draw_dice, draw_shine, look_of
from hardware_sim.scene import (
    CLOTH_HALF,
    DOME_RADIUS,
    HATCH_RADIUS,
    MARKER_CENTRES,
    MARKER_SIZE,
    Dice,
    seat_point,
)

PLAN_SCALE = 2.0  # px per mm of the plan that is warped into the picture
PLAN_HALF = (830.0, 480.0)  # mm of the plan to each side
RIM = 58.0  # mm, width of the frame around the cloth
HATCH_LIFT = 45.0  # mm the centre rises
CLOTHS: tuple[Colour, ...] = ((74, 104, 34), (122, 82, 28), (104, 96, 30), (58, 44, 118), (96, 86, 78))
FLOORS: tuple[Colour, ...] = ((92, 126, 156), (128, 132, 136), (64, 78, 96))


def _plan_box(half_x: float, half_y: float) -> tuple[slice, slice]:
    middle_x, middle_y = PLAN_HALF[0] * PLAN_SCALE, PLAN_HALF[1] * PLAN_SCALE
    rows = slice(round(middle_y - half_y * PLAN_SCALE), round(middle_y + half_y * PLAN_SCALE))
    return rows, slice(round(middle_x - half_x * PLAN_SCALE), round(middle_x + half_x * PLAN_SCALE))


def _plan_points(points: npt.ArrayLike) -> npt.NDArray[np.int32]:
    return np.asarray(np.round((np.asarray(points) + PLAN_HALF) * PLAN_SCALE), np.int32)


def _grain(shape: tuple[int, int], spread: float, size: float, chance: np.random.Generator) -> Picture:
    """Return random unevenness (H, W) int-like float32 of spots about `size` px large."""
    small = (max(2, round(shape[0] / size)), max(2, round(shape[1] / size)))
    grain = chance.normal(0, spread, small).astype(np.float32)
    return np.asarray(cv2.resize(grain, (shape[1], shape[0]), interpolation=cv2.INTER_CUBIC))


def _floor(chance: np.random.Generator) -> npt.NDArray[np.float32]:
    shape = (round(2 * PLAN_HALF[1] * PLAN_SCALE), round(2 * PLAN_HALF[0] * PLAN_SCALE))
    colour = FLOORS[int(chance.integers(len(FLOORS)))]
    plan = np.empty((*shape, 3), np.float32)
    plan[:] = colour
    plan += _grain(shape, 6, 24, chance)[..., None] + _grain(shape, 4, 2, chance)[..., None]
    board = round(120 * PLAN_SCALE)
    for left in range(0, shape[1], board):
        plan[:, left : left + board] += chance.uniform(-9, 9)
        plan[:, left : left + 3] *= 0.6
    return plan


def _lay_cloth(plan: npt.NDArray[np.float32], chance: np.random.Generator) -> None:
    frame = _plan_box(CLOTH_HALF + RIM, CLOTH_HALF + RIM)
    shade = np.zeros(plan.shape[:2], np.float32)
    shade[frame] = 1
    plan *= 1 - 0.5 * cv2.GaussianBlur(shade, (0, 0), 22)[..., None]
    plan[frame] = (46, 42, 40)
    bright = _plan_box(CLOTH_HALF + RIM - 9, CLOTH_HALF + RIM - 9)
    plan[bright] = (62, 58, 56)
    inner = _plan_box(CLOTH_HALF + 6, CLOTH_HALF + 6)
    plan[inner] = (24, 22, 20)
    cloth = _plan_box(CLOTH_HALF, CLOTH_HALF)
    area = plan[cloth]
    area[:] = CLOTHS[int(chance.integers(len(CLOTHS)))]
    size = (area.shape[0], area.shape[1])
    area *= 1 + _grain(size, 0.03, 160, chance)[..., None]
    area += (_grain(size, 3.2, 5, chance) + _grain(size, 5.5, 1.5, chance))[..., None]


def _cut_lids(plan: npt.NDArray[np.float32]) -> None:
    """Draw the lids in the cloth through which the four walls rise."""
    for seat in range(4):
        corners = [seat_point(seat, u, v) for u, v in ((-272, 259), (272, 259), (272, 309), (-272, 309))]
        for width, factor in ((7, 0.86), (3, 0.62)):
            line = np.zeros(plan.shape[:2], np.uint8)
            cv2.polylines(line, [_plan_points(corners)], isClosed=True, color=255, thickness=width)
            plan[line > 0] *= factor


def _stick_markers(plan: npt.NDArray[np.float32]) -> None:
    kinds = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    side = round(MARKER_SIZE * PLAN_SCALE)
    edge = round(5 * PLAN_SCALE)
    for number, centre in enumerate(MARKER_CENTRES):
        marker = cv2.aruco.generateImageMarker(kinds, number, side)
        left, top = _plan_points(centre) - side // 2
        plan[top - edge : top + side + edge, left - edge : left + side + edge] = (232, 236, 238)
        plan[top : top + side, left : left + side] = (np.float32(30) + marker * np.float32(0.79))[..., None]


def draw_ground(lens: Lens, seed: int) -> Picture:
    """Return the picture (H, W, 3) of the bare table, evenly lit, without its console."""
    chance = np.random.default_rng((seed, 3))
    plan = _floor(chance)
    _lay_cloth(plan, chance)
    _cut_lids(plan)
    _stick_markers(plan)
    finished = np.clip(plan, 0, 255).astype(np.uint8)
    # The plan's pixel centres lie at half millimetre steps from its corner.
    to_mm = np.array(
        [
            [1 / PLAN_SCALE, 0, 0.5 / PLAN_SCALE - PLAN_HALF[0]],
            [0, 1 / PLAN_SCALE, 0.5 / PLAN_SCALE - PLAN_HALF[1]],
            [0, 0, 1],
        ]
    )
    warped = cv2.warpPerspective(
        finished, lens.plane(0) @ to_mm, lens.size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    return np.asarray(warped, np.uint8)


@dataclass(frozen=True, slots=True)
class Console:
    """The round middle of the table: how far it is raised (0..1) and the dice under its dome."""

    hatch_open: float
    dice: Dice | None

    def cover(self, lens: Lens) -> tuple[int, int, int, int]:
        """Return the box (left, top, right, bottom) in pixels that the console can change."""
        reach = HATCH_RADIUS + 22
        around = lens.pixels([(x, y, 0) for x in (-reach, reach) for y in (-reach, reach)])
        low, high = around.min(axis=0), around.max(axis=0)
        return int(low[0]) - 2, int(low[1]) - 2, int(high[0]) + 3, int(high[1]) + 3

    def draw(self, canvas: Picture, lens: Lens, origin: tuple[float, float]) -> None:
        """Draw onto a canvas of twice the picture's resolution that starts at the picture's `origin`."""
        pen = _Pen(canvas, lens, origin)
        lift = self.hatch_open * HATCH_LIFT
        if self.hatch_open > 0:
            pen.disc(HATCH_RADIUS + 17, 0, (16, 16, 18))
        pen.disc(HATCH_RADIUS + 1.5, 0, (30, 28, 28))
        for height in np.linspace(0, lift, 6 if lift else 1):
            pen.disc(HATCH_RADIUS, float(height), (58, 54, 52))
        pen.disc(HATCH_RADIUS - 3, lift, (78, 74, 70))
        for turn in range(4):
            spot = seat_point(turn, 0, HATCH_RADIUS - 8.5)
            pen.spot(spot, 3.0, lift, (70, 90, 200) if turn == 0 else (150, 150, 150))
        pen.disc(DOME_RADIUS, lift, (34, 32, 32))
        dice = self.dice or Dice((), look=0)
        pen.disc(DOME_RADIUS - 3, lift, look_of(dice.look).dish)
        draw_dice(canvas, lens, origin, dice, lift)
        draw_shine(canvas, lens, origin, dice, lift)


@dataclass(frozen=True, eq=False)
class _Pen:
    """Draws shapes given in mm onto a canvas of twice the picture's resolution."""

    canvas: Picture
    lens: Lens
    origin: tuple[float, float]

    def points(self, outline: npt.NDArray[np.float64], height: float) -> npt.NDArray[np.int32]:
        spots = self.lens.pixels(np.column_stack((outline, np.full(len(outline), height))))
        return np.asarray(np.round((2 * (spots - self.origin) + 0.5) * 16), np.int32)

    def fill(self, outline: npt.NDArray[np.float64], height: float, colour: Colour) -> None:
        cv2.fillConvexPoly(self.canvas, self.points(outline, height), colour, cv2.LINE_8, 4)

    def spot(self, place: tuple[float, float], radius: float, height: float, colour: Colour) -> None:
        self.fill(rounded_outline(2 * radius, 2 * radius, radius, 9) + place, height, colour)

    def disc(self, radius: float, height: float, colour: Colour) -> None:
        self.spot((0.0, 0.0), radius, height, colour)
