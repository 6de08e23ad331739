"""How well the two networks find and name tiles in made-up scenes, one picture each.

What a running table makes of several pictures is measured by `scene_read`; `python -m
hardware_sim.scene_score` has both.

Found: a quad that overlaps the upper side of a tile lying open (or face down in a meld) by half (intersection
over union). False: a quad that so overlaps no tile and whose middle is on no body of a wall, a rack or a tile
under an arm; those may be found or not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from hardware_sim.camera_lens import Lens, Points, lens_for
from hardware_sim.faces_sheet import Picture
from hardware_sim.presets import DEFAULT, Preset
from hardware_sim.render_tiles import body_outline
from hardware_sim.scenes import TrueTile, scene_pictures
from vision.find import Finder, Found
from vision.name import Named, Namer

OVERLAP = 0.5
TILE_PIXELS = 39.0  # short side of a tile in these pictures


@dataclass(slots=True)
class Score:
    """Counts over scenes; `asked`: tiles that must be found; `sure_wrong`: wrong names the namer stood by."""

    scenes: int = 0
    asked: int = 0
    found: int = 0
    false: int = 0
    named: int = 0
    sure: int = 0
    sure_wrong: int = 0
    confusions: dict[str, int] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        """Share of the asked tiles that were found."""
        return self.found / max(1, self.asked)

    @property
    def false_share(self) -> float:
        """False finds per asked tile."""
        return self.false / max(1, self.asked)

    def figures(self) -> dict[str, Any]:
        """What the command line prints."""
        return {
            "scenes": self.scenes,
            "tiles": self.asked,
            "recall": round(self.recall, 5),
            "false": round(self.false_share, 5),
            "named_right": round(self.named / max(1, self.found), 5),
            "sure": round(self.sure / max(1, self.found), 5),
            "sure_wrong": self.sure_wrong,
            "confusions": dict(sorted(self.confusions.items(), key=lambda item: -item[1])),
        }


@dataclass(frozen=True, slots=True)
class Matches:
    """`pairs`: (index of a find, index of a true tile); `missed` true tiles; `false` finds."""

    pairs: tuple[tuple[int, int], ...]
    missed: tuple[int, ...]
    false: tuple[int, ...]


def share(one: Points, other: Points) -> float:
    """Return intersection over union of two convex quads (4, 2)."""
    a, b = np.asarray(one, np.float32), np.asarray(other, np.float32)
    both = float(cv2.intersectConvexConvex(a, b)[0])
    return both / max(1e-6, float(cv2.contourArea(a)) + float(cv2.contourArea(b)) - both)


def match(quads: Sequence[Points], truth: Sequence[TrueTile], lens: Lens) -> Matches:
    """Pair finds with true tiles, best overlap first, each at most once."""
    near_px = TILE_PIXELS * lens.scale
    middles = np.array([tile.quad.mean(axis=0) for tile in truth])
    near = [
        (share(quad, truth[i].quad), number, i)
        for number, quad in enumerate(quads)
        for i in map(int, np.flatnonzero(np.hypot(*(middles - np.mean(quad, axis=0)).T) < near_px))
    ]
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for overlap, number, i in sorted(near, reverse=True):
        if overlap >= OVERLAP and number not in pairs and i not in taken:
            pairs[number] = i
            taken.add(i)
    missed = tuple(i for i, tile in enumerate(truth) if tile.must_find and i not in taken)
    free = [tile for tile in truth if not tile.must_find]
    loose = [number for number in range(len(quads)) if number not in pairs]
    false = tuple(number for number in loose if not _on_body(quads[number], free, lens))
    return Matches(tuple(pairs.items()), missed, false)


def _on_body(quad: Points, free: Sequence[TrueTile], lens: Lens) -> bool:
    x, y = (float(value) for value in np.mean(quad, axis=0))
    for tile in free:
        if np.hypot(*(tile.quad.mean(axis=0) - (x, y))) < 2 * TILE_PIXELS * lens.scale:
            outline = body_outline(lens, tile.body)
            if cv2.pointPolygonTest(outline, (x, y), measureDist=False) >= 0:
                return True
    return False


def add(score: Score, truth: Sequence[TrueTile], matches: Matches, names: Sequence[Named]) -> None:
    """Count one scene into `score`; `names` belong to the finds."""
    score.scenes += 1
    score.asked += sum(tile.must_find for tile in truth)
    score.false += len(matches.false)
    for number, i in matches.pairs:
        if not truth[i].must_find:
            continue
        score.found += 1
        right, name = truth[i].tile, names[number]
        score.named += name.best is right
        score.sure += name.tile is not None
        score.sure_wrong += name.tile not in {None, right}
        if name.best is not right:
            words = f"{right} as {name.best}"
            score.confusions[words] = score.confusions.get(words, 0) + 1


def mark(picture: Picture, truth: Sequence[TrueTile], finds: Sequence[Found], matches: Matches) -> Picture:
    """Return the picture with missed tiles outlined in red and false finds in yellow."""
    shown = picture.copy()
    quads = [(truth[i].quad, (0, 0, 255)) for i in matches.missed]
    quads += [(np.asarray(finds[number].quad, np.float64), (0, 255, 255)) for number in matches.false]
    for quad, colour in quads:
        cv2.polylines(shown, [np.round(quad).astype(np.int32)], isClosed=True, color=colour, thickness=3)
    return shown


def score_scenes(
    count: int,
    seed: int,
    pictures: Path | None = None,
    *,
    preset: Preset = DEFAULT,
    namer: Namer | None = None,
) -> Score:
    """Find and name the tiles of `count` scenes; keep pictures with a miss or a false find in a folder."""
    finder, score = Finder(), Score()
    namer = namer or Namer()
    for number, picture, truth in scene_pictures(count, seed, preset):
        lens = lens_for(number, preset.size, preset.distortion)
        finds = finder.find(picture, TILE_PIXELS * lens.scale)
        quads = [np.asarray(find.quad, np.float64) for find in finds]
        matches = match(quads, truth, lens)
        add(score, truth, matches, namer.name(picture, np.asarray(quads, np.float32)))
        if pictures is not None and (matches.missed or matches.false):
            cv2.imwrite(str(pictures / f"scene-{number}.png"), mark(picture, truth, finds, matches))
    return score
