"""Which side of the picture is seat 0's, where no markers tell: by an indicator that lies in its place."""

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from vision.calibrate_edges import ClothColour
from vision.images import Image
from vision.rectify import Rectification
from vision.zones import TableGeometry, ZoneKind

ROOM_MM: Final = 8  # around the indicator's zone that must be cloth
TILE_SHARE: Final = (0.6, 1.7)  # of a tile's face that what is no cloth may measure
EMPTY_SHARE: Final = 0.15  # and what may still be an empty zone
BRIGHTER: Final = 1.4  # than the cloth is a tile's face


def by_indicator(
    image: Image, cameras: Sequence[Rectification], geometry: TableGeometry, cloth: ClothColour
) -> int | None:
    """The one of several cameras that sees a tile in the indicator's zone; the others' zones are empty."""
    zone = next((zone for zone in geometry.zones if zone.kind is ZoneKind.INDICATOR), None)
    if zone is None:
        return None
    low = (zone.a_min - ROOM_MM, zone.b_min - ROOM_MM)
    size = (round(zone.a_max - zone.a_min) + 2 * ROOM_MM, round(zone.b_max - zone.b_min) + 2 * ROOM_MM)
    shares = []
    for camera in cameras:
        view = camera.view(image, low, size, height=geometry.tile.thickness)
        shares.append(_face_mm2(view, cloth) / (geometry.tile.width * geometry.tile.length))
    full = [i for i, share in enumerate(shares) if share > EMPTY_SHARE]
    if len(full) != 1 or not TILE_SHARE[0] < shares[full[0]] < TILE_SHARE[1]:
        return None
    return full[0]


def _face_mm2(view: Image, cloth: ClothColour) -> float:
    """Area of what is no cloth and brighter than it."""
    lab = np.asarray(cv2.cvtColor(view, cv2.COLOR_BGR2LAB), np.float32)
    return float((~cloth.like(lab) & (lab[..., 0] > BRIGHTER * cloth.lightness)).sum())
