"""How well the camera's readings tell what lies on the table: tiles read, and tiles read wrong."""

from collections import defaultdict
from collections.abc import Iterable
from math import hypot, inf
from typing import Final

import msgspec

from controller.journal_rows import InputRow
from hardware_sim.truth import Lain
from vision.observations import Appeared

NEAR_MM: Final = 15.0
"""A reading tells of the tile whose centre is so near."""
CLOCKS_S: Final = 0.05
"""Two processes write their times down; a reading may seem earlier than the tile by so much."""
CELL_MM: Final = 20.0
EARLIER_S: Final = 15.0
"""A reading may tell of a tile that has gone meanwhile, if it lay there so short a time ago."""


class CameraScore(msgspec.Struct, frozen=True, kw_only=True):
    """Tiles the camera was sure of, and how many of them were something else (or nothing at all)."""

    tiles_read: int
    wrong: int


class _Stay(msgspec.Struct):
    """A tile that lay at a place from `since` to `until` (seconds since 1970)."""

    x: float
    y: float
    face: str
    since: float
    until: float


def camera_score(inputs: Iterable[InputRow], lain: Iterable[Lain]) -> CameraScore:
    """Compare every reading that names a face with what lay there."""
    stays = _stays(lain)
    read = wrong = 0
    for row in inputs:
        seen = _appeared(row)
        if seen is None or seen.tile in {"?", "back"}:
            continue
        read += 1
        wrong += not _true(seen, row.at, stays)
    return CameraScore(tiles_read=read, wrong=wrong)


def _appeared(row: InputRow) -> Appeared | None:
    if row.kind != Appeared.__name__:
        return None
    try:
        return msgspec.json.decode(row.body, type=Appeared)
    except msgspec.MsgspecError:
        return None


def _stays(lain: Iterable[Lain]) -> dict[tuple[int, int], list[_Stay]]:
    """Every stay of every tile, by the cell of a coarse grid its centre is in."""
    stays: dict[tuple[int, int], list[_Stay]] = defaultdict(list)
    lying: dict[int, _Stay] = {}
    for line in lain:
        for body in (*line.gone, *(tile[0] for tile in line.tiles)):
            if body in lying:
                lying.pop(body).until = line.at
        for body, shown, x, y in line.tiles:
            stay = _Stay(x, y, shown, line.at, inf)
            lying[body] = stay
            stays[_cell(x, y)].append(stay)
    return stays


def _cell(x: float, y: float) -> tuple[int, int]:
    return int(x // CELL_MM), int(y // CELL_MM)


def _true(seen: Appeared, at: float, stays: dict[tuple[int, int], list[_Stay]]) -> bool:
    column, row = _cell(seen.x, seen.y)
    near = (
        stay
        for c in (column - 1, column, column + 1)
        for r in (row - 1, row, row + 1)
        for stay in stays.get((c, r), ())
        if hypot(stay.x - seen.x, stay.y - seen.y) <= NEAR_MM
    )
    return any(
        stay.face == seen.tile and stay.since - CLOCKS_S <= at <= stay.until + EARLIER_S for stay in near
    )
