"""Recall on labelled photographs: a find counts for one label, a label for one find."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tiles import Tile
from vision.name import CLASSES, Named
from vision.photo import PhotoTile
from vision.photo_score import PhotoScore, matched, shares

BOX = (10.0, 10.0, 20.0, 30.0)


def moved(by: float) -> tuple[float, float, float, float]:
    return (BOX[0] + by, *BOX[1:])


def read(box: tuple[float, float, float, float], tile: Tile) -> PhotoTile:
    named = Named(None, tile, 0.5, np.zeros(CLASSES, np.float32))
    return PhotoTile(np.zeros((4, 2), np.float32), box, named)


def test_shares_of_boxes() -> None:
    assert shares([BOX], [BOX, moved(20), moved(10), moved(-5)])[0] == pytest.approx([1, 0, 1 / 3, 0.6])


def test_one_find_is_one_tile_and_the_best_pair_goes_first() -> None:
    assert matched([BOX, moved(4)], [moved(3)], 0.5) == {1: 0}
    assert matched([BOX], [moved(5), moved(1)], 0.5) == {0: 1}
    assert matched([BOX, moved(4)], [moved(3), moved(-3)], 0.5) == {0: 1, 1: 0}
    assert matched([BOX], [moved(8)], 0.5) == {}


def test_found_and_named_are_counted_set_by_set() -> None:
    score = PhotoScore()
    labels = [(BOX, Tile.M1), (moved(40), Tile.M2), (moved(80), Tile.M3)]
    score.add("tray", labels, [read(moved(1), Tile.M1), read(moved(41), Tile.M9), read(moved(88), Tile.M3)])
    score.add("tray", [(BOX, Tile.EAST)], [])
    assert score.percent("tray", 0.5) == (50.0, 25.0)
    assert score.percent("tray", 0.4) == (75.0, 50.0)
