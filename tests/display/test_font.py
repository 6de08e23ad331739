"""No system font is needed: the page brings every character that it or the controller can say."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "controller" / "page"
ROOT = PAGE.parents[1]
SOURCES = ("controller", "rules", "firmware_bridge")
CHINESE = re.compile(r"[　-〿㐀-鿿＀-￯]")


def test_the_core_font_has_every_chinese_character_of_the_page_and_the_controller() -> None:
    known = set((PAGE / "font" / "characters.txt").read_text(encoding="utf-8"))
    for folder in SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".py", ".ts", ".html"} and not {"node_modules", "dist"} & set(path.parts):
                missing = set(CHINESE.findall(path.read_text(encoding="utf-8"))) - known
                assert not missing, f"{path.relative_to(ROOT)}: run font/make_fonts.py for {''.join(missing)}"


def test_signs_of_the_page_are_in_the_font() -> None:
    known = set((PAGE / "font" / "characters.txt").read_text(encoding="utf-8"))
    for path in sorted((PAGE / "src").glob("*.ts")):
        signs = {each for each in path.read_text(encoding="utf-8") if ord(each) > 0x7F}
        assert not signs - known, path.name


def test_fonts_are_small_and_named_with_their_licence() -> None:
    sizes = {path.name: path.stat().st_size for path in (PAGE / "font").glob("*.woff2")}
    assert set(sizes) == {"core.woff2", "core-regular.woff2", "names.woff2"}
    assert sum(sizes.values()) < 2_000_000
    assert sizes["core.woff2"] < 300_000
    assert "SIL OPEN FONT LICENSE" in (PAGE / "font" / "OFL.txt").read_text(encoding="utf-8").upper()
    assert "OFL" in (ROOT / "README.md").read_text(encoding="utf-8")
