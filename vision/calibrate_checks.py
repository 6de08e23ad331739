"""What a calibration must be good enough for: reading every tile in every zone. Words for what isn't."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from vision.images import Points
from vision.rectify import Rectification
from vision.zones import SEATS, TableGeometry, Zone, table_point

LEAST_TILE_PX: Final = 28.0  # width of a tile's face; fewer can't be told apart surely
LARGEST_ERROR_MM: Final = 2.0  # root mean square
SLANT: Final = 20.0  # degrees from straight above; beyond, tiles hide one another
ROUND: Final = 48  # points of a disc's outline
PER_SIDE: Final = 8  # points of a side's outline: a lens may bend it


class CannotCalibrate(Exception):
    """The pictures don't do; the message says why and what to do, in one line."""


def outline(zone: Zone) -> Points:
    """(N, 2) mm on the table, clockwise: the edge of a zone."""
    if zone.radius is not None:
        turns = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
        middle = ((zone.a_min + zone.a_max) / 2, (zone.b_min + zone.b_max) / 2)
        local = middle + zone.radius * np.column_stack((np.cos(turns), np.sin(turns)))
    else:
        a, b = (zone.a_min, zone.a_max), (zone.b_min, zone.b_max)
        corners = np.asarray([(a[0], b[0]), (a[1], b[0]), (a[1], b[1]), (a[0], b[1])])
        share = np.linspace(0, 1, PER_SIDE, endpoint=False)[:, None]
        sides = zip(corners, np.roll(corners, -1, axis=0), strict=True)
        local = np.concatenate([start + share * (end - start) for start, end in sides])
    if zone.seat is None:
        return np.asarray(local)
    return np.asarray([table_point(zone.seat, u, v) for u, v in local])


def tile_px(camera: Rectification, geometry: TableGeometry) -> float:
    """Width in px of a tile's face where it is smallest: in whatever zone and direction it lies."""
    places = np.concatenate([outline(zone) for zone in geometry.zones])
    height = geometry.tile.thickness
    across, down = (
        camera.to_px(places + step, height=height) - camera.to_px(places - step, height=height)
        for step in np.asarray([(0.5, 0.0), (0.0, 0.5)])
    )
    smallest = np.linalg.svd(np.stack((across, down), axis=2), compute_uv=False)[:, 1].min()
    return float(smallest * geometry.tile.width)


def slant(camera: Rectification) -> float:
    """Degrees from straight above at which the table's middle is seen."""
    x, y, height = camera.camera_place
    return float(np.degrees(np.arctan2(np.hypot(x, y), height)))


def check(camera: Rectification, geometry: TableGeometry, size: tuple[int, int]) -> None:
    """Refuse a camera that can't read every tile.

    Raises:
        CannotCalibrate: the first thing that isn't good enough.
    """
    if camera.lens.folds_at(size):
        raise CannotCalibrate(
            "the lens bends the picture more than its edges can tell: calibrate it alone, --lens FOLDER"
        )
    if camera.error_mm > LARGEST_ERROR_MM:
        raise CannotCalibrate(
            f"the table doesn't fit what is seen: {camera.error_mm:.1f} mm are left over (at most "
            f"{LARGEST_ERROR_MM:g}); is it the right model, are the markers flat and at the cloth's corners?"
        )
    aside = slant(camera)
    if aside > SLANT:
        raise CannotCalibrate(
            f"the camera looks at the table from {aside:.0f} degrees aside (at most {SLANT:.0f}): hang it "
            "over the table's middle"
        )
    _check_cut(camera, geometry, size)
    width = tile_px(camera, geometry)
    if width < LEAST_TILE_PX:
        raise CannotCalibrate(_too_small(width, camera, size))


def _check_cut(camera: Rectification, geometry: TableGeometry, size: tuple[int, int]) -> None:
    """Refuse a picture that cuts zones off."""
    cut = []
    for zone in geometry.zones:
        seen = camera.to_px(outline(zone), height=geometry.tile.thickness)
        if (seen < 0).any() or (seen > np.asarray(size) - 1).any():
            cut.append(f"{zone.kind} of seat {zone.seat}" if zone.seat in SEATS else str(zone.kind))
    if cut:
        raise CannotCalibrate(
            f"the picture cuts off {_some(cut)}: hang the camera higher or turn it until the "
            "whole cloth is seen"
        )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")


def _too_small(width: float, camera: Rectification, size: tuple[int, int]) -> str:
    """What to do about tiles that are too small."""
    height = camera.camera_place[2]
    share = LEAST_TILE_PX / width
    return (
        f"a tile is only {width:.0f} px wide (at least {LEAST_TILE_PX:.0f}): set the camera to at least "
        f"{round(size[0] * share / 10 + 0.5) * 10} px wide pictures, or hang it at {height / share:.0f} mm "
        f"instead of {height:.0f}, if the whole cloth is still seen then, or take a longer lens"
    )
