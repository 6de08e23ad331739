"""Which parts of a picture may be kept: what lies open to all, never a standing hand. Pure."""

from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

import numpy as np

from controller.models import TableModel
from vision.images import Image
from vision.zones import Zone, ZoneKind, table_point

MARGIN_MM: Final = 4.0
"""Tiles lie a little beyond their zone; nothing stands so near to one."""

OPEN: Final = frozenset({ZoneKind.POND, ZoneKind.MELD, ZoneKind.INDICATOR, ZoneKind.DICE})


class Area(NamedTuple):
    """A rectangle of the table: (x, y) of its upper left corner and its sides, whole millimetres."""

    x: int
    y: int
    width: int
    height: int


def parts(model: TableModel, shown: Collection[int]) -> Mapping[str, Area]:
    """The areas that may be kept by their names ("pond-0"); the hand only of seats in `shown`."""
    found: dict[str, list[Zone]] = {}
    for zone in model.zones:
        if zone.kind in OPEN or (zone.kind is ZoneKind.HAND and zone.seat in shown):
            name = str(zone.kind) if zone.seat is None else f"{zone.kind}-{zone.seat}"
            found.setdefault(name, []).append(zone)
    return {name: _around(zones) for name, zones in found.items()}


def upright(part: str, image: Image) -> Image:
    """The part as its owner sees it, his tiles upright; what is nobody's as seat 0 does."""
    seat = part.rpartition("-")[2]
    return np.ascontiguousarray(np.rot90(image, -int(seat))) if seat.isdigit() else image


def _around(zones: Iterable[Zone]) -> Area:
    corners = [corner for zone in zones for corner in _corners(zone)]
    left, top = (min(corner[axis] for corner in corners) - MARGIN_MM for axis in (0, 1))
    right, bottom = (max(corner[axis] for corner in corners) + MARGIN_MM for axis in (0, 1))
    return Area(round(left), round(top), round(right - left), round(bottom - top))


def _corners(zone: Zone) -> list[tuple[float, float]]:
    ends = [(a, b) for a in (zone.a_min, zone.a_max) for b in (zone.b_min, zone.b_max)]
    return ends if zone.seat is None else [table_point(zone.seat, a, b) for a, b in ends]
