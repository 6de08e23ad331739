"""Makes the page's fonts and the outlines of its tile faces anew from Noto CJK as Debian ships it (OFL 1.1).

Run where `fonttools` and `brotli` are installed: `python controller/page/font/make_fonts.py`. It writes
`core.woff2` and `core-regular.woff2` (all characters of the page, of what the controller says, and of
`common.txt`, which texts about mahjong use; all of them in `characters.txt`), `names.woff2` (the other
characters of GB 2312, for names) and `../src/glyphs.ts`. They are committed: nobody who builds the page needs
the fonts or this program.
"""
# ruff: noqa: INP001 - a program beside the files it makes

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from fontTools import subset
from fontTools.misc.transform import Transform
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTCollection, TTFont

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
FONTS: Final = Path("/usr/share/fonts/opentype/noto")
BOLD: Final = FONTS / "NotoSansCJK-Bold.ttc"
REGULAR: Final = FONTS / "NotoSansCJK-Regular.ttc"
SERIF: Final = FONTS / "NotoSerifCJK-Bold.ttc"
SIMPLIFIED: Final = "CJK SC"
FACES: Final = "一二三四五六七八九萬東南西北中發梅蘭菊竹春夏秋冬"
SOURCES: Final = ("controller", "rules", "firmware_bridge")
"""Folders whose texts the page may show."""
CELL: Final = 100


def texts(root: Path) -> Iterator[str]:
    """All texts that the page may show, but for names."""
    for folder in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".py", ".ts", ".html"} and not {"node_modules", "dist"} & set(path.parts):
                yield path.read_text(encoding="utf-8")


def core_characters(root: Path) -> set[str]:
    """ASCII and every other character of those texts that is Chinese, a sign or punctuation."""
    found = set("".join(texts(root))) | set((HERE / "common.txt").read_text(encoding="utf-8"))
    return {chr(code) for code in range(0x20, 0x7F)} | {each for each in found if ord(each) > 0xA0}


def gb2312() -> set[str]:
    """The characters of GB 2312."""
    rows = (bytes((high, low)) for high in range(0xA1, 0xF8) for low in range(0xA1, 0xFF))
    return set("".join(row.decode("gb2312", "ignore") for row in rows))


def opened(path: Path) -> TTFont:
    """The simplified Chinese face of a collection."""
    faces = TTCollection(str(path)).fonts
    return next(face for face in faces if SIMPLIFIED in str(face["name"].getDebugName(1)))


def write_subset(source: Path, characters: Iterable[str], target: Path) -> set[str]:
    """Write those characters that the font has as WOFF2; give them."""
    font = opened(source)
    wanted = {ord(each) for each in characters} & set(font.getBestCmap())
    options = subset.Options(hinting=False, notdef_outline=True, layout_features=["kern", "tnum", "palt"])
    options.drop_tables += ["vhea", "vmtx", "VORG", "BASE", "GSUB", "GPOS"]
    cut = subset.Subsetter(options)
    cut.populate(unicodes=wanted)
    cut.subset(font)
    font.flavor = "woff2"
    font.save(str(target))
    return {chr(code) for code in wanted}


def outline(font: TTFont, character: str) -> str:
    """One character as an SVG path that fills a cell of CELL x CELL, its greater side touching the edges."""
    glyphs, name = font.getGlyphSet(), font.getBestCmap()[ord(character)]
    bounds = BoundsPen(glyphs)
    glyphs[name].draw(bounds)
    left, bottom, right, top = bounds.bounds
    scale = CELL / max(right - left, top - bottom)
    # A font's y axis points up, a picture's down; both sides are centred.
    across, up = CELL / 2 - scale * (left + right) / 2, CELL / 2 + scale * (bottom + top) / 2
    move = Transform(scale, 0, 0, -scale, across, up)
    pen = SVGPathPen(glyphs, ntos=lambda value: f"{value:.1f}".rstrip("0").rstrip("."))
    glyphs[name].draw(TransformPen(pen, move))
    return re.sub(r"(?<=\d) -", "-", str(pen.getCommands()))


def write_outlines(target: Path) -> None:
    """Write the outlines of the faces' characters as a module of the page."""
    font = opened(SERIF)
    lines = [f'  {face}: "{outline(font, face)}",' for face in FACES]
    head = (
        "// Outlines of the characters on tile faces, from Noto Serif CJK SC Bold (c) Google, OFL 1.1.\n"
        f"// Written by font/make_fonts.py. Each fills a cell of {CELL} x {CELL}.\n"
    )
    target.write_text(
        head + "export const GLYPHS: Record<string, string> = {\n" + "\n".join(lines) + "\n};\n"
    )


def main() -> None:
    """Write all of it."""
    core = core_characters(ROOT)
    shown = write_subset(BOLD, core, HERE / "core.woff2")
    write_subset(REGULAR, core, HERE / "core-regular.woff2")
    write_subset(BOLD, gb2312() - shown, HERE / "names.woff2")
    print("not in the font:", " ".join(sorted(core - shown)))  # noqa: T201 - a tool for a terminal
    (HERE / "characters.txt").write_text("".join(sorted(shown)) + "\n", encoding="utf-8")
    write_outlines(HERE.parent / "src" / "glyphs.ts")


if __name__ == "__main__":
    main()
