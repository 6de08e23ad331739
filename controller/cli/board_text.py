"""Tables and paragraphs for a terminal of 80 columns, Chinese and English mixed. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from controller.cli.demo_show import left, width

COLUMNS: Final = 79
"""Columns a line may take."""

LISTED: Final = " · "
"""Stands between the members of a list."""

NEVER_FIRST: Final = "，。；：、）！？"
"""Signs that begin no line."""


def wrapped(text: str, *, first: str = "", rest: str = "", columns: int = COLUMNS) -> list[str]:
    """``text`` in lines: the first begins with ``first``, the others with ``rest``.

    Lines break at " · " where there is one, else at spaces and after any Chinese character.
    """
    lines: list[str] = []
    line, head = first, first
    parts = text.split(LISTED)
    pieces = [part + LISTED for part in parts[:-1]] + parts[-1:] if len(parts) > 1 else _pieces(text)
    for piece in pieces:
        if width(line + piece.rstrip()) > columns and line != head:
            lines.append(line.rstrip())
            line = head = rest
        line += piece.lstrip() if line == head else piece
    return [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    """Words with the space after them; Chinese characters each alone, with the punctuation that follows."""
    piece = ""
    for sign in text:
        if piece and sign not in NEVER_FIRST and sign != " " and _ends(piece, sign):
            yield piece
            piece = ""
        piece += sign
    if piece:
        yield piece


def _ends(piece: str, sign: str) -> bool:
    """Whether a line may break between the two."""
    return piece[-1] == " " or width(piece[-1]) == 2 or width(sign) == 2


def rows(cells: Iterable[Sequence[str]], *, indent: str = "", gap: int = 2) -> list[str]:
    """A table without a frame: every column as wide as its widest cell; the last one wraps."""
    table = [list(row) for row in cells]
    if not table:
        return []
    widths = [max(width(row[i]) for row in table) for i in range(len(table[0]) - 1)]
    lines: list[str] = []
    for row in table:
        head = indent + "".join(left(cell, columns + gap) for cell, columns in zip(row, widths, strict=False))
        lines += wrapped(row[-1], first=head, rest=" " * width(head))
    return lines
