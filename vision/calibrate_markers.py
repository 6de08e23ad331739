"""What is wrong with corner markers, in words: mirrored, doubled, swapped, turned, printed too small."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from vision.images import Image, Points
from vision.rectify import Rectification, every_marker
from vision.zones import CornerMarkers

CORNERS: Final = ("upper left", "upper right", "lower right", "lower left")
QUARTER: Final = 90.0
PRINT_ERROR: Final = 0.02  # of a marker's side by which a print may be off

Found = dict[int, Points]


class BadMarkers(Exception):
    """The markers can't be used as they lie; the message says what to do."""


def gather(pictures: Sequence[Image], markers: CornerMarkers) -> Found:
    """Corners (4, 2) px of each marker: the median over the pictures of one camera that didn't move.

    Raises:
        BadMarkers: one number is seen twice in a picture, or only a mirrored picture would show markers.
    """
    seen: dict[int, list[Points]] = {}
    for picture in pictures:
        in_this = every_marker(picture, markers)
        doubled = [number for number, count in Counter(n for n, _ in in_this).items() if count > 1]
        if doubled:
            raise BadMarkers(
                f"marker {doubled[0]} is in the picture twice: a second table, or a sheet that lies about; "
                "cover one"
            )
        for number, corners in in_this:
            seen.setdefault(number, []).append(corners)
    found = {number: np.asarray(np.median(corners, axis=0)) for number, corners in sorted(seen.items())}
    if not found and _is_mirrored(pictures, markers):
        raise BadMarkers(
            "the picture is mirrored: switch mirroring (flip) off in the camera; tiles can't be "
            "read in a mirror"
        )
    return found


def _is_mirrored(pictures: Sequence[Image], markers: CornerMarkers) -> bool:
    mirrored = (np.asarray(cv2.flip(picture, 1), np.uint8) for picture in pictures[:3])
    return any(len(every_marker(picture, markers)) >= 2 for picture in mirrored)


def misplaced(found: Mapping[int, Points], markers: CornerMarkers) -> str | None:
    """Which markers lie at another's corner or are turned, in words; None where all lie right.

    The table's directions are those of most markers' tops. At least three markers.
    """
    numbers = sorted(found)
    tops = {number: top_of(found[number]) for number in numbers}
    groups = {n: [m for m in numbers if _apart(tops[n], tops[m]) < QUARTER / 2] for n in numbers}
    upright = max(groups.values(), key=len)
    turned = [number for number in numbers if number not in upright]
    if len(upright) <= len(turned):
        return f"markers {_list(numbers)} point in different ways: turn each sheet's arrow toward seat 2"
    if turned:
        return (
            f"marker {_list(turned)} is turned against the others: turn the sheet's arrow toward seat 2, "
            f"like that of {_list(upright)}"
        )
    places = _corners(found, up=tops[upright[0]])
    wanted = {number: _corner_of(markers.centres[number]) for number in numbers}
    wrong = [number for number in numbers if places[number] != wanted[number]]
    if not wrong:
        return None
    return "markers are swapped: " + "; ".join(
        f"{number} lies at the {CORNERS[places[number]]} where {_belongs(places[number], markers)} belongs"
        for number in wrong
    )


def wrong_print(found: Mapping[int, Points], camera: Rectification, markers: CornerMarkers) -> str | None:
    """That markers were not printed at their true size, in words; None where they were."""
    sides = {
        number: float(np.hypot(*(mm - np.roll(mm, -1, axis=0)).T).mean())
        for number, corners in found.items()
        for mm in [camera.to_mm(corners, height=0.0)]
    }
    off = {number: side for number, side in sides.items() if abs(side / markers.side - 1) > PRINT_ERROR}
    if not off:
        return None
    side = float(np.median(list(off.values())))
    which = "the markers are" if len(off) == len(sides) else f"marker {_list(sorted(off))} is"
    return (
        f"{which} {side:.1f} mm wide instead of {markers.side:.0f} ({100 * side / markers.side:.0f} %): "
        "print longzhuo calibrate --print again at 100 %, not fitted to the page; its check line must be "
        "100 mm long"
    )


def top_of(corners: Points) -> float:
    """Degrees clockwise from up in the picture: the way a marker's top points."""
    up = corners[:2].mean(axis=0) - corners[2:].mean(axis=0)
    return float(np.degrees(np.arctan2(up[0], -up[1])) % 360)


def _apart(one: float, other: float) -> float:
    return abs((one - other + 180) % 360 - 180)


def _corners(found: Mapping[int, Points], *, up: float) -> dict[int, int]:
    """The corner of the table (0..3, as `CORNERS`) at which each marker lies."""
    centres = {number: corners.mean(axis=0) for number, corners in found.items()}
    names = list(centres)
    far = max(((a, b) for a in names for b in names if a < b), key=lambda pair: _distance(centres, *pair))
    middle = (centres[far[0]] + centres[far[1]]) / 2
    turn = np.radians(up)
    back = np.asarray([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return {number: _corner_of(tuple(back @ (centre - middle))) for number, centre in centres.items()}


def _distance(centres: Mapping[int, Points], one: int, other: int) -> float:
    return float(np.hypot(*(centres[one] - centres[other])))


def _corner_of(place: tuple[float, float] | tuple[float, ...]) -> int:
    """0 upper left, then clockwise, of a point (x, y)."""
    x, y = place
    return (0 if x < 0 else 1) if y < 0 else (2 if x >= 0 else 3)


def _belongs(corner: int, markers: CornerMarkers) -> str:
    return ", ".join(str(n) for n, place in markers.centres.items() if _corner_of(place) == corner)


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
