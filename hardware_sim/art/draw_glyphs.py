"""Draws `glyphs.png` anew from an installed font: `python -m hardware_sim.art.draw_glyphs [FONT]`.

Needed only when GLYPHS or the look of the strokes changes; the picture is committed and nothing needs the
font at run time. One row of square cells, white strokes on black, in the order of GLYPHS. The atlases of the
other sets hold MORE as well; `draw_atlases` draws those.
"""

import sys
from pathlib import Path

import cv2
import numpy as np

GLYPHS = "一二三四伍六七八九萬東南西北中發春夏秋冬梅蘭菊竹1234"
MORE = "五万56789ESWNCFB"
CELL = 112  # px
FONT = "/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc"
ATLAS = Path(__file__).with_name("glyphs.png")


def draw_glyph(face: cv2.FontFace, glyph: str) -> np.ndarray:
    """Return one glyph, (CELL, CELL) uint8, white on black, filling the cell.

    A serif font's horizontal strokes are hair-thin beside those engraved into a tile, so they are thickened.
    """
    big = np.full((640, 640, 3), 255, np.uint8)
    cv2.putText(big, glyph, (90, 470), (0, 0, 0), face, 400, 800)
    ink = 255 - cv2.cvtColor(big, cv2.COLOR_BGR2GRAY)
    weight = 37 if glyph in "一二三" else 15
    ink = cv2.dilate(ink, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, weight)))
    x, y, w, h = cv2.boundingRect((ink > 64).astype(np.uint8))
    side = max(w, h)
    cell = np.zeros((side, side), np.uint8)
    top, left = (side - h) // 2, (side - w) // 2
    cell[top : top + h, left : left + w] = ink[y : y + h, x : x + w]
    return cv2.resize(cell, (CELL, CELL), interpolation=cv2.INTER_AREA)


def main() -> None:
    """Write the atlas beside this file."""
    face = cv2.FontFace(sys.argv[1] if len(sys.argv) > 1 else FONT)
    cells = [draw_glyph(face, glyph) for glyph in GLYPHS]
    cv2.imwrite(str(ATLAS), np.hstack(cells), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()
