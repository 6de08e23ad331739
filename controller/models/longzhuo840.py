"""The table this project draws itself: 840 mm cloth, tiles of size 42#, four-port machine."""

from typing import Final

from controller.models import Markers, TableModel, TileSize
from vision.zones import SEATS, SeatNumber, Zone, ZoneKind


def _seat_zones(seat: SeatNumber) -> tuple[Zone, ...]:
    """Millimetres in the seat's frame; the pond's third strip takes the tiles after the twentieth."""
    return (
        Zone(kind=ZoneKind.POND, seat=seat, a_min=-160, a_max=160, b_min=163, b_max=247),
        Zone(kind=ZoneKind.POND, seat=seat, a_min=-110, a_max=110, b_min=120, b_max=162.5),
        Zone(kind=ZoneKind.MELD, seat=seat, a_min=-270, a_max=355, b_min=312, b_max=355),
        Zone(kind=ZoneKind.HAND, seat=seat, a_min=-250, a_max=250, b_min=360, b_max=404),
        Zone(kind=ZoneKind.WALL, seat=seat, a_min=-264, a_max=264, b_min=262, b_max=306),
    )


_CENTRE: Final = (
    Zone(kind=ZoneKind.INDICATOR, a_min=58, a_max=114, b_min=-114, b_max=-58),
    Zone(kind=ZoneKind.DICE, a_min=-40, a_max=40, b_min=-40, b_max=40, radius=40),
    Zone(kind=ZoneKind.HATCH, a_min=-55, a_max=55, b_min=-55, b_max=55, radius=55),
)

MODEL: Final = TableModel(
    name="longzhuo840",
    title=("龙桌 840", "longzhuo 840"),
    tile=TileSize(width=31.0, length=41.5, thickness=22.0),
    cloth=840.0,
    zones=_CENTRE + tuple(zone for seat in SEATS for zone in _seat_zones(seat)),
    pond_rows=(184.0, 226.0, 141.0),
    reach=16.0,
    apart=15.0,
    markers=Markers(
        dictionary="DICT_4X4_50",
        side=40.0,
        centres={0: (-388.0, -388.0), 1: (388.0, -388.0), 2: (388.0, 388.0), 3: (-388.0, 388.0)},
    ),
    tile_counts=frozenset({136, 144}),
    stacks={136: (17, 17, 17, 17), 144: (18, 18, 18, 18)},
    dice=frozenset({1, 2}),
    common=Zone(kind=ZoneKind.POND, a_min=-260, a_max=260, b_min=-260, b_max=260),
)
