"""How tiles lie: rows, groups and turned tiles come out the same from whatever side a photograph is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.laid import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDE, HIGH = 31.0, 41.5

HAND = ("........ ...",)
SETS = ("..t t.. .t..", "....... .")
WHOLE = ("t.. .t. ..t t...", ". .")
LAYOUTS = (HAND, SETS, WHOLE, (".",), (".. ..",))


def quads_of(layout: tuple[str, ...], chance: np.random.Generator) -> NDArray[np.float32]:
    """Tiles in mm: a dot is an upright one, t a turned one, a blank a space of 8 to 20 mm."""
    quads = []
    for row, text in enumerate(layout):
        x = 0.0
        for sign in text:
            if sign == " ":
                x += float(chance.uniform(8, 20))
                continue
            w, h = (HIGH, WIDE) if sign == "t" else (WIDE, HIGH)
            low = row * 49 + HIGH - h
            corners = np.array([(x, low), (x + w, low), (x + w, low + h), (x, low + h)], np.float64)
            # Each tile reads either way round, or across.
            quads.append(
                np.roll(corners, int(chance.integers(0, 4)), axis=0) + chance.uniform(-0.5, 0.5, (4, 2))
            )
            x += w + float(chance.uniform(0, 1))
    return np.array(quads, np.float32)


def expected(layout: tuple[str, ...]) -> list[list[tuple[int, int]]]:
    """Of each row's groups the number of tiles and of turned ones."""
    return [[(len(group), group.count("t")) for group in row.split()] for row in layout]


def seen(quads: NDArray[np.float32], turn: float, low: float) -> NDArray[np.float32]:
    """As a camera sees it that is turned by degrees, and low: 0 looks straight down."""
    cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    middle = quads.reshape(-1, 2).mean(axis=0)
    x, y = ((quads - middle) @ np.array([(cos, sin), (-sin, cos)])).transpose(2, 0, 1)
    deep = 1 + low * y / 900
    return np.stack([900 + 2 * x / deep, 600 + 2 * (1 - 0.4 * low) * y / deep], axis=2).astype(np.float32)


@given(
    layout=st.sampled_from(LAYOUTS),
    turn=st.floats(-25, 25),
    low=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_rows_and_groups_do_not_depend_on_where_the_camera_is(
    layout: tuple[str, ...], turn: float, low: float, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    quads = quads_of(layout, chance)
    order = chance.permutation(len(quads))
    rows = rows_of(list(seen(quads, turn, low)[order]))
    assert [[(len(g.tiles), len(g.turned)) for g in row] for row in rows] == expected(layout)
    read = [int(order[k]) for row in rows for g in row for k in g.tiles]
    assert read == list(range(len(quads)))


@pytest.mark.parametrize("gap", [3.0, 8.0])
def test_tiles_three_millimetres_apart_belong_together_and_eight_do_not(gap: float) -> None:
    tile = np.array([(0, 0), (WIDE, 0), (WIDE, HIGH), (0, HIGH)], np.float32)
    (row,) = rows_of([tile, tile + np.array((WIDE + gap, 0), np.float32)])
    assert len(row) == (1 if gap < 5 else 2)


def test_nothing_found_lies_in_no_row() -> None:
    assert rows_of([]) == ()
