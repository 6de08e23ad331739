"""Reads photographs of unknown scale: finds the tiles and names them, or names given boxes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vision.find import Finder
from vision.joint import Limits, Reading, unsure_together
from vision.name import NOT_A_TILE, PLAIN, Named, Namer, box_quads
from vision.photo_company import judged
from vision.picture_file import UnreadablePhoto, read_picture

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.find import Found

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]
    Box = tuple[float, float, float, float]

__all__ = ["SUFFIXES", "PhotoReader", "PhotoTile", "UnreadablePhoto", "load_photo"]

SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".bmp", ".webp", ".tif", ".tiff"})
REFUSED: Final = 0.6
"""A find the namer holds for no tile with at least this probability is left out."""


@dataclass(frozen=True, slots=True)
class PhotoTile:
    """A tile of a photograph: `quad` (4, 2) px, the upright `box` around it (x, y, w, h px), and its name.

    What does not `stand` may be no tile at all: its name is never sure.
    """

    quad: NDArray[np.float32]
    box: Box
    named: Named
    stands: bool = True


def load_photo(path: Path) -> Picture:
    """A photograph as BGR (H, W, 3) uint8, turned as its file says.

    Raises:
        UnreadablePhoto: there is no such file, it cannot be opened, or it is no picture.
    """
    return read_picture(path)


class PhotoReader:
    """Finder and namer together; one object serves one thread."""

    def __init__(self, finder: Finder | None = None, namer: Namer | None = None) -> None:
        self._finder = finder if finder is not None else Finder()
        self._namer = namer if namer is not None else Namer()

    def read(self, picture: Picture) -> list[PhotoTile]:
        """Find and name every tile of a BGR picture, row by row from the top.

        A picture shows one set: where more tiles bear a name than a set has, the least certain are unsure.
        """
        finds = self._finder.find(picture)
        if not finds:
            return []
        names, quads = self._looked(picture, np.array([f.quad for f in finds], np.float32))
        likely = [_likely(found, named) for found, named in zip(finds, names, strict=True)]
        tiles, stand = judged(np.array([f.box for f in finds], np.float32), np.array(likely, np.float32))
        out = [PhotoTile(quads[k], finds[k].box, names[k], bool(stand[k])) for k in np.flatnonzero(tiles)]
        high = float(np.median([t.box[3] for t in out])) if out else 1.0
        return sorted(_of_one_set(out), key=lambda t: (round((t.box[1] + t.box[3] / 2) / high), t.box[0]))

    def _looked(self, picture: Picture, found: Floats) -> tuple[list[Named], Floats]:
        """Name finds; one in doubt that is broader than high may lie across from where its top was seen."""
        names, quads = self._namer.look(picture, found)
        broad = [k for k in np.flatnonzero(_broad(found)).tolist() if names[k].tile is None]
        turned = np.roll(found[broad], 1, axis=1)
        for k, name, quad in zip(broad, *self._namer.look(picture, turned), strict=True) if broad else ():
            if name.confidence >= PLAIN:
                names[k], quads[k] = name, np.roll(quad, -1, axis=0)
        return names, quads

    def again(self, picture: Picture, tiles: Sequence[PhotoTile]) -> list[PhotoTile]:
        """Look at tiles once more from where their corners were seen, which a low camera asks for."""
        names, quads = self._namer.look(picture, np.array([tile.quad for tile in tiles]))
        seen = zip(quads, tiles, names, strict=True)
        return _of_one_set([PhotoTile(quad, tile.box, named, tile.stands) for quad, tile, named in seen])

    def name(self, picture: Picture, boxes: Sequence[Box]) -> list[PhotoTile]:
        """Name the tiles in given boxes, in their order."""
        quads = box_quads(np.array(boxes, np.float32).reshape(-1, 4))
        names = self._namer.name_boxes(picture, boxes)
        return [PhotoTile(q, b, n) for q, b, n in zip(quads, boxes, names, strict=True)]


def _broad(quads: Floats) -> NDArray[np.bool_]:
    """Which quads (N, 4, 2) are broader than high: (N,)."""
    wide, high = (np.linalg.norm(quads[:, k] - quads[:, k - 1], axis=1) for k in (1, 2))
    return np.asarray(wide > high, np.bool_)


def _likely(found: Found, named: Named) -> float:
    """How much speaks for a tile, 0..1: what is neither clearly is print or clutter."""
    return 0.0 if named.probabilities[NOT_A_TILE] >= REFUSED else found.score * named.confidence


def _of_one_set(tiles: Sequence[PhotoTile]) -> list[PhotoTile]:
    """The tiles; those that may be none, and the least certain of more than a set has, lose their name."""
    readings = [Reading(tile.named.tile if tile.stands else None, tile.named.probabilities) for tile in tiles]
    unsure = unsure_together(readings, Limits())
    return [
        replace(tile, named=replace(tile.named, tile=None)) if k in unsure or not tile.stands else tile
        for k, tile in enumerate(tiles)
    ]
