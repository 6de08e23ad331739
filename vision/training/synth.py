"""Draws tile faces and backs in many invented styles.

A style stands for one set of tiles: its typeface, paints, looks of circles and sticks, corner digits, white
honour. Faces are 96 x 128 BGR pictures, upright, never mirrored. The typefaces are those of Debian's font
packages that hold all numerals and honours; one family is left out so that it stays unseen (`UNSEEN`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.training.birds import any_bird
from vision.training.marks import (
    CIRCLE_INKS,
    CIRCLES,
    LOOKS,
    STICK_INKS,
    STICKS,
    Colour,
    Inks,
    circle,
    disc,
    eight_sticks,
    stick,
    wheel,
)
from vision.training.ornaments import back, bird, frame
from vision.training.plants import plant
from vision.training.weight import heavy

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 96, 128
NUMERALS = "一二三四五六七八九"
WINDS = ("東", "南", "西", "北")
SIMPLE = ("梅", "兰", "菊", "竹", "春", "夏", "秋", "冬")
FLOWERS = ("梅", "蘭", "菊", "竹", "春", "夏", "秋", "冬")
NEEDED = NUMERALS + "萬東南西北中發"
# The Noto families stay unseen: typefaces a table or a test picture may well show.
UNSEEN = ("NotoSerifCJK", "NotoSansCJK")
FONT_FOLDERS = (Path("/usr/share/fonts"),)


@cache
def fonts() -> tuple[str, ...]:
    """The typefaces that can write every numeral and honour, sorted by path."""
    paths = sorted(
        p for d in FONT_FOLDERS for p in d.rglob("*") if p.suffix.lower() in {".ttf", ".otf", ".ttc"}
    )
    return tuple(str(p) for p in paths if not any(u in p.name for u in UNSEEN) and _writes_all(str(p)))


@lru_cache(maxsize=64)
def _font(path: str) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, 96)


def _writes(path: str, char: str) -> bool:
    return bytes(_font(path).getmask(char)) != bytes(_font(path).getmask("\uffff"))


def _writes_all(path: str) -> bool:
    try:
        missing = bytes(_font(path).getmask("\uffff"))
        masks = [_font(path).getmask(c) for c in NEEDED]
    except (OSError, ValueError):
        return False
    shapes = {bytes(m) for m in masks}
    return len(shapes) == len(NEEDED) and missing not in shapes and all(m.getbbox() for m in masks)


@lru_cache(maxsize=8192)
def glyph(path: str, char: str) -> NDArray[np.uint8]:
    """A character's coverage 0..255, cut to its ink; a single column where the typeface lacks it."""
    picture = Image.new("L", (160, 160))
    ImageDraw.Draw(picture).text((24, 16), char, fill=255, font=_font(path))
    box = picture.getbbox()
    return np.asarray(picture.crop(box) if box else picture.crop((0, 0, 1, 1)), np.uint8)


@dataclass(frozen=True, slots=True)
class Style:
    """One invented set of tiles."""

    font: str
    digit_font: str
    inks: Inks
    paper: Colour
    margin: float
    numeral_ink: str
    wan: str
    wan_ink: str
    wind_ink: str
    green: str
    five: str
    circle_look: int
    circle_inks: int
    circle_size: float
    stick_look: int
    stick_inks: int
    stick_size: float
    white: int
    corner: int
    bold: int
    black: int
    flower: int
    flower_size: float
    flower_number: int
    spread: tuple[float, float]
    upper_m: bool
    seed: int


def _paint(rng: np.random.Generator, b: tuple[int, int], g: tuple[int, int], r: tuple[int, int]) -> Colour:
    return int(rng.integers(*b)), int(rng.integers(*g)), int(rng.integers(*r))


def draw_style(rng: np.random.Generator) -> Style:
    """A random style; the same generator state gives the same style."""
    inks = Inks(
        red=_paint(rng, (10, 70), (10, 70), (130, 230)),
        green=_paint(rng, (20, 110), (70, 150), (0, 60)),
        blue=_paint(rng, (70, 200), (20, 90), (0, 70)),
        black=_paint(rng, (10, 60), (10, 60), (10, 60)),
    )
    if rng.random() < 0.3:
        # Sets of one dark ink and red.
        dark = _paint(rng, (20, 90), (20, 70), (10, 60))
        inks = Inks(red=inks.red, green=dark, blue=dark, black=inks.black)
    dull = int(rng.integers(0, 26))
    white = int(rng.integers(222, 256))
    paper = (white - dull - int(rng.integers(0, 12)), white - dull // 2, white)
    names = fonts()
    font = names[int(rng.integers(len(names)))]
    greens = [c for c in "發發發发発" if _writes(font, c)]
    wans = [c for c in "萬萬萬万" if _writes(font, c)]
    return Style(
        font=font,
        digit_font=names[int(rng.integers(len(names)))],
        inks=inks,
        paper=paper,
        margin=float(rng.uniform(0.03, 0.17)),
        numeral_ink=str(rng.choice(list("bbbkkgr"))),
        wan=str(rng.choice(wans)),
        wan_ink=str(rng.choice(list("rrrrrk"))),
        wind_ink=str(rng.choice(list("bbkkkg"))),
        green=str(rng.choice(greens)),
        five=str(rng.choice(list("五五伍伍"))),
        circle_look=int(rng.integers(LOOKS)),
        circle_inks=int(rng.integers(len(CIRCLE_INKS))),
        circle_size=float(rng.uniform(0.7, 1.15)),
        stick_look=int(rng.integers(5)),
        stick_inks=int(rng.integers(len(STICK_INKS))),
        stick_size=float(rng.uniform(0.6, 1.1)),
        white=int(rng.choice((0, 0, 1, 2, 3, 4, 5, 6, 6, 7, 8))),
        corner=int(rng.choice((0, 0, 0, 1, 2, 3))),
        bold=int(rng.choice((0, 0, 0, 1, 2, 3, 5))),
        black=int(rng.choice((0, 0, 0, 0, 4, 6, 8, 10))),
        flower=int(rng.choice((0, 8, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7))),
        flower_size=float(rng.uniform(0.24, 0.5)),
        flower_number=int(rng.choice((0, 1, 1, 2))),
        spread=(float(rng.uniform(0.72, 1.08)), float(rng.uniform(0.82, 1.04))),
        upper_m=bool(rng.random() < 0.7),
        seed=int(rng.integers(1 << 30)),
    )


def _write(  # noqa: PLR0913, PLR0917 (a drawing verb)
    picture: NDArray[np.uint8],
    font: str,
    char: str,
    box: tuple[float, float, float, float],
    colour: Colour,
    bold: int = 0,
    black: int = 0,
) -> None:
    """Write a character stretched into a pixel box (x, y, w, h); `black`: heavy, its counters open."""
    x, y, w, h = (round(v) for v in box)
    cover = glyph(font, char)
    if black:
        cover = heavy(cover, black, 1 + black // 4)
    elif bold:
        cover = cv2.dilate(np.pad(cover, bold), np.ones((2 * bold + 1,) * 2, np.uint8)).astype(np.uint8)
    # Thin characters such as 一 keep their own proportions.
    high, wide = cover.shape
    scale = min(w / wide, h / high)
    new_w, new_h = (
        max(1, round((0.35 * scale + 0.65 * s) * v)) for s, v in ((w / wide, wide), (h / high, high))
    )
    if min(wide, high) * 3 < max(wide, high):
        new_w, new_h = max(1, round(scale * wide)), max(1, round(scale * high))
    alpha = (
        cv2.resize(cover, (new_w, new_h), interpolation=cv2.INTER_AREA).astype(np.float32)[..., None] / 255
    )
    x, y = x + (w - new_w) // 2, y + (h - new_h) // 2
    x, y = max(0, min(x, WIDTH - new_w)), max(0, min(y, HEIGHT - new_h))
    part = picture[y : y + new_h, x : x + new_w]
    part[:] = (part * (1 - alpha) + np.asarray(colour, np.float32) * alpha).astype(np.uint8)


def _inner(style: Style) -> tuple[float, float, float, float]:
    m = style.margin
    return WIDTH * m, HEIGHT * m, WIDTH * (1 - 2 * m), HEIGHT * (1 - 2 * m)


def _characters(picture: NDArray[np.uint8], rank: int, style: Style, rng: np.random.Generator) -> None:
    x, y, w, h = _inner(style)
    split = rng.uniform(0.36, 0.52)
    numeral = style.five if rank == 5 else NUMERALS[rank - 1]
    top = (x + 0.08 * w, y, 0.84 * w, split * h - 2)
    _write(picture, style.font, numeral, top, style.inks.of(style.numeral_ink), style.bold, style.black)
    wide = rng.uniform(0.75, 1.0)
    wan = (x + (1 - wide) / 2 * w, y + split * h + 2, wide * w, (1 - split) * h - 2)
    _write(picture, style.font, style.wan, wan, style.inks.of(style.wan_ink), style.bold, style.black)


def _spread(style: Style, u: float, v: float) -> tuple[float, float]:
    """A place of the inner area, 0..1 each way, drawn in toward the middle as the style has it; px."""
    x, y, w, h = _inner(style)
    return x + (0.5 + (u - 0.5) * style.spread[0]) * w, y + (0.5 + (v - 0.5) * style.spread[1]) * h


def _circles(picture: NDArray[np.uint8], rank: int, style: Style, rng: np.random.Generator) -> None:
    x, y, w, h = _inner(style)
    if rank == 1:
        wheel(picture, (x + w / 2, y + h / 2), w * rng.uniform(0.32, 0.5), style.inks, style.paper, rng)
        return
    r = style.circle_size * {2: 0.24, 3: 0.19, 4: 0.2, 5: 0.17, 6: 0.17, 7: 0.145, 8: 0.15, 9: 0.15}[rank] * w
    for (u, v), letter in zip(CIRCLES[rank], CIRCLE_INKS[style.circle_inks][rank], strict=True):
        at = _spread(style, u, v)
        circle(picture, at, r, style.inks.of(letter), style.inks.red, style.circle_look, style.paper)


def _sticks(picture: NDArray[np.uint8], rank: int, style: Style, rng: np.random.Generator) -> None:
    area = _inner(style)
    w, h = area[2:]
    if rank == 1:
        bird(picture, area, style.inks, rng)
        return
    look, paper = style.stick_look, style.paper
    if rank == 8:
        size = style.stick_size * 0.13 * w, 0.44 * h
        for k, (cx, cy, turn) in enumerate(eight_sticks(area, upper_m=style.upper_m)):
            ink = style.inks.blue if style.stick_inks in {1, 2} and k >= 4 else style.inks.green
            stick(picture, (cx, cy), size, turn, ink, look, paper)
        return
    rows = 3 if rank in {7, 9} else 2
    size = style.stick_size * 0.17 * w, (0.3 if rows == 3 else 0.44) * h
    for (u, v), letter in zip(STICKS[rank], STICK_INKS[style.stick_inks][rank], strict=True):
        stick(picture, _spread(style, u, v), size, 0.0, style.inks.of(letter), look, paper)


def _white(picture: NDArray[np.uint8], style: Style, rng: np.random.Generator) -> None:
    """The white honour: blank, framed, sometimes with its character in the frame or alone."""
    if style.white < 2:
        return
    ink = style.inks.of("bbbgk"[style.seed % 5])
    x, y, w, h = _inner(style)
    if style.white != 7:
        frame(picture, (x, y, w, h), ink, rng)
    if style.white >= 7:
        _write(
            picture,
            style.font,
            "白",
            (x + 0.28 * w, y + 0.3 * h, 0.44 * w, 0.4 * h),
            ink,
            style.bold,
            style.black,
        )


def _honour(picture: NDArray[np.uint8], kind: int, style: Style, rng: np.random.Generator) -> None:
    if kind == 6:
        _white(picture, style, rng)
        return
    x, y, w, h = _inner(style)
    shrink = rng.uniform(0.72, 1.0)
    box = (x + (1 - shrink) * w / 2, y + (1 - shrink) * h / 2, shrink * w, shrink * h)
    char = WINDS[kind] if kind < 4 else ("中", style.green)[kind - 4]
    ink = style.inks.of(style.wind_ink if kind < 4 else "rg"[kind - 4])
    _write(picture, style.font, char, box, ink, style.bold, style.black)


def _flower(picture: NDArray[np.uint8], kind: int, style: Style, rng: np.random.Generator) -> None:
    x, y, w, h = _inner(style)
    ink = style.inks.of("rb"[kind // 4] if style.seed % 2 else "grbk"[kind % 4])
    char = SIMPLE[kind] if style.wan == "万" and _writes(style.font, SIMPLE[kind]) else FLOWERS[kind]
    if style.flower == 0:
        _write(picture, style.font, char, (x, y, w, h), ink, style.bold, style.black)
        return
    if style.flower == 8:
        _numbered(picture, char, str(kind % 4 + 1), style, ink)
        return
    size = style.flower_size * w
    left, low = style.flower % 2 == 0, style.flower in {4, 5}
    shown = (x, y + 0.15 * h, w, 0.85 * h) if style.flower < 6 else (x, y, w, h - size)
    plant(picture, shown, kind, style.inks, rng)
    if rng.random() < 0.12:
        u, v = rng.uniform(0, 0.55, 2)
        any_bird(picture, (x + u * w, y + (0.2 + u * v) * h, 0.4 * w, 0.35 * h), style.inks, rng)
    top = y + h - size if low or style.flower >= 6 else y
    _write(
        picture,
        style.font,
        char,
        (x if left else x + w - size, top, size, size),
        ink,
        style.bold,
        style.black,
    )
    if style.flower_number:
        high = 0.3 * w * (0.7 + style.seed % 7 / 14)
        at = (x + w - 0.8 * high if left else x, y if style.flower_number == 1 else y + h - high)
        box = (at[0], at[1], 0.8 * high, high)
        text = str(kind % 4 + 1) if style.seed % 9 else NUMERALS[kind % 4]
        _write(picture, style.digit_font, text, box, style.inks.red if style.seed % 2 else ink)


def _numbered(picture: NDArray[np.uint8], char: str, number: str, style: Style, ink: Colour) -> None:
    """A flower without a plant: its character, and its number in a disc below or above."""
    x, y, w, h = _inner(style)
    r = (0.12 + style.seed % 7 / 70) * w
    below = style.seed % 5 > 0
    _write(
        picture,
        style.font,
        char,
        (x, y if below else y + 2 * r, w, h - 2.2 * r),
        ink,
        style.bold,
        style.black,
    )
    middle = x + w / 2, y + h - r if below else y + r
    disc(picture, *middle, r, ink)
    if style.seed % 3 == 0:
        disc(picture, *middle, 0.8 * r, style.paper)
    digit = (middle[0] - 0.5 * r, middle[1] - 0.65 * r, r, 1.3 * r)
    _write(picture, style.digit_font, number, digit, ink if style.seed % 3 == 0 else style.paper, 2)


def _corner(picture: NDArray[np.uint8], tile: int, style: Style) -> None:
    text = str(tile % 9 + 1) if tile < 27 else "ESWNCFP"[tile - 27]
    ink = style.inks.of("krb"[style.corner - 1])
    size = 11 + style.seed % 7
    _write(picture, style.digit_font, text, (4, 4, size * 0.8, size), ink)
    if style.corner == 2:
        turned = picture[::-1, ::-1]
        _write(turned, style.digit_font, text, (4, 4, size * 0.8, size), ink)


def draw_face(tile: int, style: Style) -> NDArray[np.uint8]:
    """The face of tile 0..41 in a style: (128, 96, 3) BGR, upright."""
    rng = np.random.default_rng((style.seed, tile))
    picture = np.full((HEIGHT, WIDTH, 3), style.paper, np.uint8)
    rank = tile % 9 + 1
    if tile < 9:
        _characters(picture, rank, style, rng)
    elif tile < 18:
        _circles(picture, rank, style, rng)
    elif tile < 27:
        _sticks(picture, rank, style, rng)
    elif tile < 34:
        _honour(picture, tile - 27, style, rng)
    else:
        _flower(picture, tile - 34, style, rng)
    if style.corner and tile < 34 and not (tile == 33 and style.white < 2 and style.seed % 4):
        _corner(picture, tile, style)
    return picture


def draw_back(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A back: plain or patterned, of any colour, sometimes with a sheen."""
    picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    back(picture, rng)
    return picture
