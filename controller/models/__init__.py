"""Table models: the facts of one kind of machine, one module each, ending in ``MODEL = TableModel(...)``."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Final

from vision.zones import Spot, Zone, ZoneKind, nearest_spot

COMMON: Final = "+common"
"""What the name of a model ends in whose players throw all discards into one pond."""


class UnknownModel(ValueError):
    """No module of that name describes a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileSize:
    """Size of one tile in millimetres: short side, long side of the face, thickness."""

    width: float
    length: float
    thickness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Markers:
    """Printed markers on the cloth that tie the picture to the table.

    Attributes:
        dictionary: name of the ArUco dictionary as OpenCV spells it.
        side: millimetres, black square.
        centres: (x, y) in millimetres by marker number.
    """

    dictionary: str
    side: float
    centres: Mapping[int, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableModel:
    """What is fixed for every table of one model.

    Attributes:
        name: how configuration files call it.
        title: (Chinese, English) name for people.
        tile: size of the tiles it is built for.
        cloth: side of the square cloth in millimetres.
        zones: where things lie, first match wins; see `vision.zones` for the frames.
        pond_rows: distance of each row of a pond from the centre (mm to the middle of its tiles), in the
            order in which rows are filled.
        reach: millimetres around a zone within which a loosely laid tile still belongs to it.
        apart: smallest gap in millimetres that sets a tile apart from the row beside it.
        markers: corner markers.
        tile_counts: sizes of tile sets the machine can shuffle.
        stacks: stacks (two tiles) of each side's wall, by size of the tile set.
        dice: numbers of dice the machine can throw at once.
        common: the pond of a table at which all discards lie anyhow in one: the first zone that holds them.
    """

    name: str
    title: tuple[str, str]
    tile: TileSize
    cloth: float
    zones: tuple[Zone, ...]
    pond_rows: tuple[float, ...]
    reach: float
    apart: float
    markers: Markers
    tile_counts: frozenset[int]
    stacks: Mapping[int, tuple[int, int, int, int]]
    dice: frozenset[int]
    common: Zone

    @property
    def shares_pond(self) -> bool:
        """Whether all discards lie anyhow in one pond, so that only the turn tells whose each is."""
        return self.common in self.zones

    def with_common_pond(self) -> "TableModel":
        """The same table, its players throwing all discards into one pond."""
        if self.shares_pond:
            return self
        zones = tuple(zone for zone in self.zones if zone.kind is not ZoneKind.POND)
        return replace(self, name=self.name + COMMON, zones=(*zones, self.common))

    def spot(self, x: float, y: float) -> Spot:
        """Zone, owner and seat-local place of the table point (x, y) in millimetres."""
        return nearest_spot(self.zones, x, y, reach=self.reach)

    def zones_of(self, kind: ZoneKind) -> tuple[Zone, ...]:
        """Every zone of one kind."""
        return tuple(zone for zone in self.zones if zone.kind is kind)


def available() -> tuple[str, ...]:
    """Names of the table models that can be loaded."""
    return tuple(sorted(module.name for module in iter_modules(__path__)))


def load(name: str) -> TableModel:
    """The table model called `name`; with `COMMON` behind it, as a table with a common pond.

    Raises:
        UnknownModel: there is none; the message lists those there are.
    """
    machine = name.removesuffix(COMMON)
    if machine not in available():
        raise UnknownModel(f"no table model {machine!r}; there are: {', '.join(available())}")
    model = import_module(f"{__name__}.{machine}").MODEL
    if not isinstance(model, TableModel):
        raise UnknownModel(f"{machine}: MODEL is no TableModel")
    return model if machine == name else model.with_common_pond()
