"""Draws a calibration's zones onto the picture it was made from, for people to judge: who has what, where."""

from typing import Final

import cv2
import numpy as np

from vision.calibration import Calibration, SeenZone
from vision.images import Image, Points
from vision.lettering import Colour, Style, put_words
from vision.zones import TableGeometry, ZoneKind

# One colour a seat, far apart also for people who see few colours; what is nobody's is white. BGR.
SEATS: Final[tuple[Colour, ...]] = ((60, 180, 255), (255, 200, 60), (200, 120, 255), (90, 230, 90))
NOBODY: Final[Colour] = (255, 255, 255)
DARK: Final[Colour] = (25, 25, 25)
NAMES: Final = {
    ZoneKind.POND: "牌河 pond",
    ZoneKind.MELD: "副露 melds",
    ZoneKind.HAND: "手牌 hand",
    ZoneKind.WALL: "牌墙 wall",
    ZoneKind.INDICATOR: "翻牌 indicator",
    ZoneKind.DICE: "骰子 dice",
    ZoneKind.HATCH: "升降口 hatch",
}
TINT: Final = 0.22
LEAST_LETTER: Final = 12  # px
SHOWN: Final = 1920  # px of the picture's width, so that words can be read


def drawn(picture: Image, calibration: Calibration, geometry: TableGeometry) -> Image:
    """The picture (as wide as people can look at) with every zone, the cloth and the markers."""
    scale = max(1.0, SHOWN / picture.shape[1])
    large = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    canvas: Image = np.array(large, np.uint8)
    letters = max(LEAST_LETTER, round(canvas.shape[0] / 62))
    tinted = canvas.copy()
    for zone in calibration.zones:
        cv2.fillPoly(tinted, [_fixed(zone.outline, scale)], _colour(zone), cv2.LINE_AA, 4)
    canvas = np.array(cv2.addWeighted(canvas, 1 - TINT, tinted, TINT, 0), np.uint8)
    for zone in calibration.zones:
        cv2.polylines(canvas, [_fixed(zone.outline, scale)], isClosed=True, color=_colour(zone), thickness=2,
                      lineType=cv2.LINE_AA, shift=4)  # fmt: skip
    _cloth(canvas, calibration, geometry, scale)
    for number, corners in calibration.markers.items():
        cv2.polylines(canvas, [_fixed(corners, scale)], isClosed=True, color=(0, 0, 255), thickness=2,
                      lineType=cv2.LINE_AA, shift=4)  # fmt: skip
        _label(canvas, f"{number}", corners.mean(axis=0) * scale, letters, (0, 0, 255))
    _name_zones(canvas, calibration, scale, letters)
    return canvas


def _name_zones(canvas: Image, calibration: Calibration, scale: float, letters: int) -> None:
    """Name each zone once a seat; a pond in two parts is one."""
    named: set[tuple[ZoneKind, int | None]] = set()
    for zone in calibration.zones:
        if (zone.kind, zone.seat) in named:
            continue
        named.add((zone.kind, zone.seat))
        place = _middle(zone) * scale
        if zone.kind is ZoneKind.HATCH:
            place = np.asarray((place[0], zone.outline[:, 1].max() * scale - letters * 0.3))
        who = "" if zone.seat is None else f" {zone.seat}"
        _label(canvas, NAMES.get(zone.kind, str(zone.kind)) + who, place, letters, _colour(zone))


def _middle(zone: SeenZone) -> Points:
    """Where a zone's name stands: its middle, seats' long zones a little aside so that names don't meet."""
    low, high = zone.outline.min(axis=0), zone.outline.max(axis=0)
    return np.asarray((low + high) / 2)


def _cloth(canvas: Image, calibration: Calibration, geometry: TableGeometry, scale: float) -> None:
    """The cloth's edge where it is taken to be, and which side is whose."""
    half = geometry.cloth / 2
    along = np.linspace(-half, half, 24)
    sides = [
        np.column_stack((along, np.full(24, -half))),
        np.column_stack((np.full(24, half), along)),
        np.column_stack((along[::-1], np.full(24, half))),
        np.column_stack((np.full(24, -half), along[::-1])),
    ]
    edge = calibration.rectification.to_px(np.concatenate(sides), height=0.0)
    cv2.polylines(canvas, [_fixed(edge, scale)], isClosed=True, color=NOBODY, thickness=1,
                  lineType=cv2.LINE_AA, shift=4)  # fmt: skip
    letters = max(LEAST_LETTER, round(canvas.shape[0] / 40))
    outside, aside, inside = half + 100.0, 0.685 * half, half - 20.0
    for seat, place in enumerate(((aside, inside), (outside, -aside), (-aside, -inside), (-outside, aside))):
        at = calibration.rectification.to_px([place], height=0.0)[0] * scale
        _label(canvas, f"{seat} 号位 seat {seat}", at, letters, SEATS[seat])


def _label(canvas: Image, text: str, place: Points, size: int, colour: Colour) -> None:
    put_words(canvas, text, (float(place[0]), float(place[1])), Style(size, colour, DARK))


def _colour(zone: SeenZone) -> Colour:
    return NOBODY if zone.seat is None else SEATS[zone.seat]


def _fixed(points: Points, scale: float) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Pixels with four binary places, as OpenCV draws them."""
    return np.round(points * scale * 16).astype(np.int32)
