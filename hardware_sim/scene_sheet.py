"""A sheet of tiles that were read wrongly or not surely, for people to look at."""

from pathlib import Path

import cv2
import numpy as np

from hardware_sim.faces_sheet import Picture
from hardware_sim.scene_read import Odd

SHORT, LONG, TEXT = 93, 124, 18  # px of a tile on the sheet and of the line under it
COLUMNS = 12
MOST = 144


class OddSheet:
    """Collects tiles, wrong ones first; `write` saves them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._wrong: list[Picture] = []
        self._unsure: list[Picture] = []

    def add(self, cell: Picture, *, is_wrong: bool) -> None:
        """Add a `cell_of` one tile."""
        kept = self._wrong if is_wrong else self._unsure
        if len(kept) < MOST:
            kept.append(cell)

    def write(self) -> None:
        """Save what has been collected so far."""
        cells = (self._wrong + self._unsure)[:MOST]
        if not cells:
            return
        cells += [np.full_like(cells[0], 40)] * (-len(cells) % COLUMNS)
        rows = [np.hstack(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)]
        cv2.imwrite(str(self._path), np.vstack(rows))


def cell_of(odd: Odd, table: str) -> Picture:
    """Return what the sheet shows of one tile; `table`: preset and style, written under it."""
    middle = odd.tile.quad.mean(axis=0)
    wider = (middle + (odd.tile.quad - middle) * 1.2).astype(np.float32)
    target = np.array([(0, 0), (SHORT, 0), (SHORT, LONG), (0, LONG)], np.float32)
    matrix = cv2.getPerspectiveTransform(wider, target)
    cell = np.full((LONG + 2 * TEXT, SHORT + 6, 3), 40, np.uint8)
    cell[:LONG, :SHORT] = cv2.warpPerspective(odd.picture, matrix, (SHORT, LONG))
    ink = (80, 80, 255) if odd.is_wrong else (220, 220, 220)
    for line, text in enumerate((odd.words, table)):
        where = (2, LONG + 13 + TEXT * line)
        cv2.putText(cell, text, where, cv2.FONT_HERSHEY_SIMPLEX, 0.33, ink, 1, cv2.LINE_AA)
    return cell
