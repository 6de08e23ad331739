"""The dice of one table over its pictures: watches the window, and reads it where something changed."""

from typing import Final

import numpy as np

from vision.dice import HEIGHT_MM, WINDOW_MM, View, read_dice
from vision.dice_watch import DiceWatch
from vision.images import Frame
from vision.observations import Observation
from vision.steady_gate import Looks

WATCHED_MM: Final = WINDOW_MM - 3.0
AROUND_MM: Final = WINDOW_MM + 4.0
"""So much of a picture is read."""


class DiceEyes:
    """Looks at the window in every picture; reading it costs only after something moved there."""

    def __init__(self, *, settle_s: float, spacing_s: float) -> None:
        self._watch = DiceWatch(settle_s, spacing_s)
        self._view: View | None = None

    def place(self, view: View, *, shape: tuple[int, int], cell: float) -> None:
        """The table is seen through `view`, in a grid of (rows, columns) cells of `cell` pixels."""
        self._view = view
        rows, columns = shape
        middle, rim = view.to_px([(0.0, 0.0), (WATCHED_MM, 0.0)], height=HEIGHT_MM)
        across, down = np.meshgrid((np.arange(columns) + 0.5) * cell, (np.arange(rows) + 0.5) * cell)
        away = np.hypot(across - middle[0], down - middle[1])
        self._watch.place(np.asarray(away < np.hypot(*(rim - middle)), np.bool_))

    def begin_again(self) -> None:
        """What lies in the window is told again."""
        self._watch.begin_again()

    def look(self, frame: Frame, looks: Looks) -> list[Observation]:
        """What became certain with this picture, of which `looks` are the cells."""
        told: list[Observation] = [*self._watch.look(frame.at, looks)]
        if self._view is None or not self._watch.is_due(frame.at):
            return told
        corners = [(x, y) for x in (-AROUND_MM, AROUND_MM) for y in (-AROUND_MM, AROUND_MM)]
        there = self._view.to_px(corners, height=HEIGHT_MM)
        image = frame.image
        left, top = np.maximum(np.floor(there.min(axis=0)), 0).astype(int)
        right, bottom = np.minimum(np.ceil(there.max(axis=0)), image.shape[1::-1]).astype(int)
        if right - left < 2 or bottom - top < 2:
            return told
        look = read_dice(image[top:bottom, left:right], self._view, origin=(float(left), float(top)))
        return [*told, *self._watch.take(frame.at, look)]
