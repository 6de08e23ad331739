"""Draws an atlas of characters from fonts: `python -m hardware_sim.art.draw_atlases ATLAS WEIGHT FONT...`.

ATLAS: name of the picture beside this file, without ending. WEIGHT: pixels of 400 that strokes are thickened
by. FONT: one file or the pieces of a web font; each character comes from the first that has it. Needed only
when a look changes (README.md says which font each atlas is of); needs Pillow.
"""

import sys
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from hardware_sim.art.draw_glyphs import CELL, GLYPHS, MORE

SIZE = 400
THIN = "一二三"


def draw(fonts: list[ImageFont.FreeTypeFont], char: str, weight: int) -> np.ndarray:
    """Return one character, (CELL, CELL) uint8, white on black, filling the cell."""
    font = next((font for font in fonts if _has(font, char)), None)
    if font is None:
        raise SystemExit(f"{char}: in none of the fonts")
    page = Image.new("L", (2 * SIZE, 2 * SIZE), 0)
    ImageDraw.Draw(page).text((SIZE // 2, SIZE // 2), char, fill=255, font=font)
    reach = weight + 9 if char in THIN else weight
    ink = cv2.dilate(np.asarray(page), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (weight | 1, reach | 1)))
    x, y, w, h = cv2.boundingRect((ink > 64).astype(np.uint8))
    side = max(w, h)
    cell = np.zeros((side, side), np.uint8)
    top, left = (side - h) // 2, (side - w) // 2
    cell[top : top + h, left : left + w] = ink[y : y + h, x : x + w]
    return cv2.resize(cell, (CELL, CELL), interpolation=cv2.INTER_AREA)


def _has(font: ImageFont.FreeTypeFont, char: str) -> bool:
    mask, missing = font.getmask(char), font.getmask("\uffff")
    return mask.size[0] > 0 and bytes(mask) != bytes(missing)


def main() -> None:
    """Write the atlas beside this file."""
    name, weight, *paths = sys.argv[1:]
    fonts = [ImageFont.truetype(path, SIZE) for path in paths]
    cells = [draw(fonts, char, int(weight)) for char in GLYPHS + MORE]
    out = Path(__file__).with_name(f"{name}.png")
    cv2.imwrite(str(out), np.hstack(cells), [cv2.IMWRITE_PNG_COMPRESSION, 9])


if __name__ == "__main__":
    main()
