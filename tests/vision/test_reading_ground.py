"""Where tiles are searched: never beside one, and not on bare cloth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest
from steady_table import AGREEMENT, CAMERA, CELLS, CLOTH, GEOMETRY, PLACES, Table

from rules.tiles import Tile
from vision.reading_ground import cut, pieces
from vision.steady import Part, Plan, Steady
from vision.steady_gate import looks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

LARGE = 4
"""The drawn pictures are enlarged so many times, to a camera's 1080 lines."""


def planned(*pictures: Picture) -> Plan:
    """The first plan that asks to read some pictures, a second apart."""
    steady = Steady(GEOMETRY, CELLS, settle_s=0.2, agreement=AGREEMENT)
    plans = [steady.look(100.0 + at, looks_of(picture)) for at, picture in enumerate(pictures)]
    return plans[-1]


def searched(picture: Picture) -> tuple[Part, ...]:
    """The pieces of a table that lies there for the first time, in the drawn picture's pixels."""
    plan = planned(picture, picture)
    assert plan.parts
    return pieces(picture, plan)


def corners(at: tuple[float, float], turn: float = 0.0) -> NDArray[np.float64]:
    """(4, 2) px of a tile's upper face."""
    c, s = np.cos(turn), np.sin(turn)
    sides = [(a * 15.5, b * 20.7) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return CAMERA.to_px([(at[0] + c * u - s * v, at[1] + s * u + c * v) for u, v in sides], height=22.0)


def held(parts: tuple[Part, ...], quad: NDArray[np.float64]) -> bool:
    low, high = quad.min(axis=0), quad.max(axis=0)
    return any(
        p.left <= low[0] and p.top <= low[1] and high[0] <= p.right and high[1] <= p.bottom for p in parts
    )


def area(parts: tuple[Part, ...]) -> int:
    return sum((p.right - p.left) * (p.bottom - p.top) for p in parts)


@pytest.mark.parametrize("place", sorted(PLACES))
@pytest.mark.parametrize("tile", [Tile.M1, Tile.WHITE])
def test_a_tile_that_lies_alone_is_within_a_piece_that_is_small(place: str, tile: Tile) -> None:
    parts = searched(Table(tiles={place: tile}).picture())
    assert held(parts, corners(PLACES[place]))
    assert area(parts) < 0.15 * CELLS.cell**2 * CELLS.cloth.sum()


def test_bare_cloth_is_hardly_searched() -> None:
    picture = Table().picture()
    plan = planned(picture, picture)
    assert area(pieces(picture, plan)) < 0.05 * area(plan.parts)


@pytest.mark.parametrize("seed", range(12))
def test_a_back_of_the_colour_of_the_cloth_is_searched_for_its_edges(seed: int) -> None:
    chance = np.random.default_rng(seed)
    at = (float(chance.uniform(-150, 150)), float(chance.uniform(150, 250)))
    turn = float(chance.uniform(0, np.pi))
    picture = Table().picture()
    quad = corners(at, turn)
    shade = tuple(float(v) * 0.7 for v in CLOTH)
    outline = np.round(quad * 16).astype(np.int32)
    cv2.polylines(picture, [outline], isClosed=True, color=shade, thickness=1, lineType=cv2.LINE_AA, shift=4)
    assert held(searched(picture), quad)


@pytest.mark.parametrize("light", [0.35, 0.7, 1.15])
def test_in_any_light_and_half_in_shadow_all_tiles_are_within_pieces(light: float) -> None:
    table = Table(tiles=dict.fromkeys(PLACES, Tile.P5), light=light, shadow=40.0)
    parts = searched(table.picture())
    assert all(held(parts, corners(place)) for place in PLACES.values())


def test_where_the_cloth_is_noisy_tiles_are_within_pieces_all_the_same() -> None:
    picture = Table(tiles=dict.fromkeys(PLACES, Tile.BACK)).picture()
    noise = np.random.default_rng(3).normal(0, 18, picture.shape)
    noisy = np.clip(picture + noise, 0, 255).astype(np.uint8)
    parts = searched(noisy)
    assert all(held(parts, corners(place)) for place in PLACES.values())


def test_a_ring_is_cut_apart_only_where_that_saves_something() -> None:
    ring = np.zeros((90, 120), np.bool_)
    ring[10:80, 10:110] = True
    assert len(cut(ring)) == 1
    ring[22:68, 22:98] = False
    apart = np.zeros_like(ring)
    for left, top, right, bottom in cut(ring):
        apart[top:bottom, left:right] = True
    assert apart[ring].all()
    far = np.zeros((90, 120), np.bool_)
    far[5:10, 5:15] = far[70:80, 90:100] = True
    assert sorted(cut(far)) == [(5, 5, 15, 10), (90, 70, 100, 80)]
