"""Enrolment at the table: rows of tiles laid out in a shown order, and whether what is seen is such a row.

Nothing here looks at a camera; `look` takes a picture, `judge` says what to do about what it saw.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

import numpy as np

from rules.tiles import Tile
from vision.enrol import unit
from vision.enrol_lines import lines_of
from vision.name import CLASSES, NOT_A_TILE, TEMPERATURE, crop_quads, softmax

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from numpy.typing import NDArray

    from vision.find import Finder, Found
    from vision.name import Namer

    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]

REFUSED: Final = 0.6
"""A find that the network holds for no tile with at least this probability is none."""
BACKS: Final = 4
"""So many backs at least make a row of them."""
CLEARLY: Final = 0.9
"""A tile clearly looks like another one from this probability on ..."""
SWAPPED: Final = 0.5
"""... and two tiles like each other from this one on."""
VOTE: Final = 2.0
"""From which end a row begins: each tile's log-probabilities say so, but no tile by more than this, ..."""
BEFORE: Final = 8.0
"""... the row before, if it lay the same way, by this, ..."""
CLEAR: Final = 3.0
"""... and together it has to be this much, else nobody knows."""
GENEROUS: Final = ((1.0, 0.4), (1.08, 0.4), (0.92, 0.4), (1.0, 0.3))
"""Looks at a table after the first one: the tiles' size, times so much, and the least score of a find."""
STILL: Final = 0.2
"""Tiles that moved less than this part of their width between two looks lie still."""
SAME: Final = 0.93
"""Two looks show the same row if its tiles' embeddings have at least this cosine, on the whole."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row to be laid out: its names for people, and its faces from one end to the other."""

    zh: str
    en: str
    faces: tuple[Tile, ...]

    @property
    def is_backs(self) -> bool:
        """Whether any number of backs, from `BACKS` on, will do."""
        return self.faces[0] is Tile.BACK


_ALL: Final = (
    Row("万子", "characters", tuple(Tile(k) for k in range(9))),
    Row("筒子", "dots", tuple(Tile(k) for k in range(9, 18))),
    Row("条子", "bamboos", tuple(Tile(k) for k in range(18, 27))),
    Row("字牌", "honours", tuple(Tile(k) for k in range(27, 34))),
    Row("花牌", "flowers", tuple(Tile(k) for k in range(34, 42))),
)
BACK_ROW: Final = Row("牌背", "backs", (Tile.BACK,) * BACKS)


def rows_for(kinds: Collection[Tile]) -> tuple[Row, ...]:
    """The rows in which the faces of a set are shown, then its backs."""
    kept = [Row(row.zh, row.en, tuple(t for t in row.faces if t in kinds)) for row in _ALL]
    return (*(row for row in kept if row.faces), BACK_ROW)


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What one picture shows: tiles' quads (N, 4, 2) px, probabilities (N, 44), embeddings (N, 128)."""

    picture: Picture
    quads: Floats
    probabilities: Floats
    embeddings: Floats

    def name(self, number: int) -> str:
        """What a tile looks like to the network alone, with `?` where that is not sure."""
        shares = self.probabilities[number, :NOT_A_TILE]
        best = int(shares.argmax())
        return f"{Tile(best)}{'' if shares[best] >= CLEARLY else '?'}"


def looks(picture: Picture, finder: Finder, namer: Namer, *, scale: float | None = None) -> Iterator[Look]:
    """See what lies in a BGR picture; `scale`: the tiles' short side px, where known.

    The first look is as a game is read. Those after it are ever more generous: a row that is known to lie
    there may be believed in where a game's reader would leave a tile out, such as a blank or a dark one.
    """
    first = _look(picture, finder.find(picture, scale), namer)
    yield first
    if scale is None:
        if not len(first.quads):
            return
        scale = short_side(first.quads)
    for size, least in GENEROUS:
        yield _look(picture, finder.find_untested(picture, scale * size, least=least), namer)


def short_side(quads: Floats) -> float:
    """The tiles' short side px, of quads (N, 4, 2)."""
    return float(np.median(np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)))


def _look(picture: Picture, found: Sequence[Found], namer: Namer) -> Look:
    quads = np.array([f.quad for f in found], np.float32).reshape(-1, 4, 2)
    if not len(quads):
        return Look(picture, quads, np.zeros((0, CLASSES), np.float32), np.zeros((0, 128), np.float32))
    quads = namer.refine(picture, quads)
    crops = crop_quads(picture, quads)
    logits, embeddings = namer.outputs(np.concatenate([crops, crops[:, ::-1, ::-1]]))
    mean = (logits[: len(crops)] + logits[len(crops) :]) / 2
    probabilities = softmax(np.asarray(mean / TEMPERATURE, np.float32))
    both = unit(embeddings)
    keep = probabilities[:, NOT_A_TILE] < REFUSED
    sums = unit(both[: len(crops)] + both[len(crops) :])
    return Look(picture, quads[keep], probabilities[keep], sums[keep])


class Trouble(Enum):
    """Why a row is not taken."""

    NO_TILES = "no_tiles"
    COUNT = "count"
    WHICH_END = "which_end"
    SWAPPED = "swapped"
    OTHER_ROW = "other_row"
    ODD = "odd"


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A row that lies there: which tiles of a look, in the order of the row's faces."""

    tiles: NDArray[np.intp]
    faces: tuple[Tile, ...]

    def way(self, seen: Look) -> Floats:
        """(2,) px, length 1: from the first tile to the last; zeros where there is only one."""
        middles = seen.quads[self.tiles].mean(axis=1)
        along = middles[-1] - middles[0]
        return np.asarray(along / max(float(np.linalg.norm(along)), 1e-9), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """What to think of a look: rows that are as they were to be laid, or what is wrong, in two languages."""

    laid: tuple[Laid, ...] = ()
    trouble: Trouble | None = None
    zh: str = ""
    en: str = ""


def judge(
    row: Row, seen: Look, *, copies: int = 1, trusting: bool = False, before: Floats | None = None
) -> Verdict:
    """Whether a look shows a row, so many times.

    Args:
        row: what was to be laid out; from either end, on either side of the table.
        seen: the look.
        copies: so many such rows have to lie there.
        trusting: the order is believed even where tiles look otherwise.
        before: the way (2,) in which the row before lay, as `Laid.way` gives it: faces that the network
            does not know don't tell from which end they were laid out.
    """
    if not len(seen.quads):
        return Verdict((), Trouble.NO_TILES, "没看到牌", "no tiles seen")
    lines = lines_of(seen.quads)
    if row.is_backs:
        return _backs(lines, seen)
    faces = [n for n in lines if (seen.probabilities[n].argmax(axis=1) == Tile.BACK).mean() <= 0.5]
    fitting = [line for line in faces if len(line) == len(row.faces)]
    verdicts = [_verdict(row, line, seen, before, trusting=trusting) for line in fitting]
    good = [v for v in verdicts if v.trouble is None]
    if len(good) >= copies:
        return Verdict(tuple(laid for v in good for laid in v.laid))
    bad = [v for v in verdicts if v.trouble is not None]
    if bad:
        return min(bad, key=lambda v: v.trouble is Trouble.OTHER_ROW)
    return _miscounted(row, faces, len(good), copies)


def _backs(lines: Sequence[NDArray[np.intp]], seen: Look) -> Verdict:
    lying = [n[seen.probabilities[n].argmax(axis=1) == Tile.BACK] for n in lines]
    backs = [n for n in lying if len(n) >= BACKS]
    if backs:
        return Verdict(tuple(Laid(n, (Tile.BACK,) * len(n)) for n in backs))
    most = max((len(n) for n in lying), default=0)
    return Verdict(
        (), Trouble.COUNT,
        f"看到 {most} 张牌背，要 {BACKS} 张以上排成一排",
        f"{most} backs in a row, at least {BACKS} are needed",
    )  # fmt: skip


def _miscounted(row: Row, lines: Sequence[NDArray[np.intp]], good: int, copies: int) -> Verdict:
    wanted = len(row.faces)
    if good:
        zh, en = f"看到 {good} 排，要 {copies} 排", f"{good} such rows seen, {copies} are needed"
        return Verdict((), Trouble.COUNT, zh, en)
    longest = max((len(n) for n in lines), key=lambda n: (-abs(n - wanted), n), default=0)
    zh = f"一排看到 {longest} 张，要 {wanted} 张（靠紧，手拿开）"
    en = f"{longest} tiles in a row, {wanted} are needed (side by side, hands away)"
    return Verdict((), Trouble.COUNT, zh, en)


def _verdict(
    row: Row, line: NDArray[np.intp], seen: Look, before: Floats | None, *, trusting: bool
) -> Verdict:
    """What to think of a line that is as long as the row, read from the end from which it begins."""
    forward = Laid(line, row.faces)
    said = np.array([int(t) for t in row.faces])
    shares = np.log(np.maximum(seen.probabilities[line], 1e-9))
    places = np.arange(len(line))
    votes = float(np.clip(shares[places, said] - shares[places, said[::-1]], -VOTE, VOTE).sum())
    if before is not None:
        alike = float(forward.way(seen) @ before)
        votes += BEFORE * np.sign(alike) * (abs(alike) > np.cos(np.pi / 4))
    verdict = _checked(forward if votes >= 0 else Laid(line[::-1], row.faces), seen, trusting=trusting)
    if abs(votes) < CLEAR and len(line) > 1 and verdict.trouble is not Trouble.OTHER_ROW:
        zh = "看不出从哪头开始，请和前面几排一样摆"
        return Verdict((), Trouble.WHICH_END, zh, "no telling from which end: lay it like the rows before")
    return verdict


def _checked(laid: Laid, seen: Look, *, trusting: bool) -> Verdict:
    shares = seen.probabilities[laid.tiles][:, :NOT_A_TILE]
    best, likely = shares.argmax(axis=1), shares.max(axis=1)
    said = np.array([int(t) for t in laid.faces])
    if trusting:
        return Verdict((laid,))
    other = (best != said) & (likely >= CLEARLY)
    if int(other.sum()) > max(2, len(said) // 3):
        row = " ".join(str(Tile(int(k))) for k in best)
        return Verdict((laid,), Trouble.OTHER_ROW, f"看着是另一排：{row}", f"looks like another row: {row}")
    for i in range(len(said)):
        for j in range(i):
            if best[i] == said[j] and best[j] == said[i] and min(likely[i], likely[j]) >= SWAPPED:
                pair = f"{Tile(int(said[j]))}, {Tile(int(said[i]))}"
                return Verdict((laid,), Trouble.SWAPPED, f"顺序不对：{pair} 换了位置", f"swapped: {pair}")
    if other.any():
        at = int(np.flatnonzero(other)[0])
        is_, seems = Tile(int(said[at])), Tile(int(best[at]))
        zh = f"第 {at + 1} 张应是 {is_}，看着像 {seems}"
        return Verdict((laid,), Trouble.ODD, zh, f"tile {at + 1} should be {is_}, looks like {seems}")
    return Verdict((laid,))


def same_places(one: Floats, other: Floats) -> bool:
    """Whether two lists of quads lie at the same places."""
    if one.shape != other.shape:
        return False
    wide = np.linalg.norm(one[:, 1] - one[:, 0], axis=1)
    moved = np.linalg.norm(one.mean(axis=1) - other.mean(axis=1), axis=1)
    return bool((moved < STILL * wide).all())


def same_tiles(one: Floats, other: Floats) -> bool:
    """Whether two lists of embeddings (N, 128), in order or from the other end, show the same tiles."""
    if one.shape != other.shape:
        return False
    return max(float((one * o).sum(axis=1).mean()) for o in (other, other[::-1])) >= SAME
