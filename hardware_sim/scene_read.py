"""How well scenes are read as a running table reads them: several JPEGs of a still table, through `Eyes`.

What counts is what the eyes tell, once everything agrees: a tile is sure where it is told by its name, and
unsure where it is told as `?` or not at all.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Self

import cv2
import numpy as np

from controller.models import load
from hardware_sim.camera import JPEG_QUALITY
from hardware_sim.faces_sheet import Picture
from hardware_sim.presets import Preset
from hardware_sim.render import Renderer
from hardware_sim.scene import Scene
from hardware_sim.scenes import TrueTile, made_up, true_tiles
from rules.tiles import Tile
from vision.enrol import Enrolment
from vision.find import Finder
from vision.images import Frame
from vision.name import Namer
from vision.observations import Appeared, Observation, Settled, Vanished
from vision.reading_eyes import Eyes, SightSettings

GEOMETRY: Final = load("longzhuo840")
TIMES: Final = (0.0, 0.3, 0.5, 0.7, 1.1, 2.6, 2.8, 3.4)
"""Seconds at which a still scene is looked at, at most; less often where the table settles before."""
ENOUGH: Final = 4
"""After so many looks no more are needed where every tile has been told by a name."""
PLAIN_FACES: Final = frozenset(tile for tile in Tile if 0 <= tile < Tile.PLUM)
NEAR: Final = 10.0
"""What is told belongs to the tile whose middle lies nearest, at most so many mm away."""
LEAST_PLAYED: Final = 0.4
"""Games are played so far at least: a full table has more to read for the time it takes."""
SCENES_PER_TABLE: Final = 24
"""Scenes that are laid on one table, one after the other; a table costs as much as two scenes."""


@dataclass(slots=True)
class Reading:
    """Counts over scenes.

    Attributes:
        scenes: scenes read.
        tiles: tiles that lie open, and backs in melds.
        found: of these, told at all.
        named: of these, whose likeliest face is the right one.
        sure: told by a name.
        wrong: sure, but another tile.
        strange: names told of what is no such tile: two of one tile, a wall's tile as a face, the cloth.
        confusions: how often each wrong name was likeliest: "5p as 6p".
        sure_confusions: the same among the sure ones.
        sets: "34 sure", "34 wrong", "42 sure", "42 wrong": the same counts for sets without flowers (their
            34 faces are all that is thought of, as at a running table) and with them.
    """

    scenes: int = 0
    tiles: int = 0
    found: int = 0
    named: int = 0
    sure: int = 0
    wrong: int = 0
    strange: int = 0
    confusions: dict[str, int] = field(default_factory=dict)
    sure_confusions: dict[str, int] = field(default_factory=dict)
    sets: dict[str, int] = field(default_factory=dict)

    def add(self, other: "Reading") -> None:
        """Count in what another reading counted."""
        for name, value in asdict(other).items():
            if isinstance(value, dict):
                mine = getattr(self, name)
                for words, number in value.items():
                    mine[words] = mine.get(words, 0) + number
            else:
                setattr(self, name, getattr(self, name) + value)

    def figures(self) -> dict[str, Any]:
        """Everything, with the shares that matter."""
        counts = asdict(self)
        for name in ("confusions", "sure_confusions"):
            counts[name] = dict(sorted(counts[name].items(), key=lambda item: -item[1]))
        return counts | {
            "found_share": round(self.found / max(1, self.tiles), 6),
            "named_share": round(self.named / max(1, self.found), 6),
            "sure_share": round(self.sure / max(1, self.tiles), 6),
            "sure_right_share": round(1 - (self.wrong + self.strange) / max(1, self.sure), 7),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Odd:
    """A tile that was told wrongly or not surely: its picture, and words."""

    picture: Picture
    tile: TrueTile
    words: str
    is_wrong: bool


@dataclass(frozen=True, slots=True, eq=False)
class Namers:
    """Namers of a set without and with flowers: a running table's namer knows which faces are in play."""

    plain: Namer
    flowers: Namer

    @classmethod
    def load(cls, enrolled: Enrolment | None = None) -> Self:
        """Load the network twice, with an enrolment perhaps."""
        return cls(Namer(kinds=PLAIN_FACES, enrolled=enrolled), Namer(enrolled=enrolled))


class SceneReader:
    """Reads scenes on tables of one preset; one thread."""

    def __init__(self, preset: Preset, finder: Finder | None = None, namers: Namers | None = None) -> None:
        self.preset = preset
        self._finder = finder or Finder()
        self._namers = namers or Namers.load()

    def scenes(
        self, count: int, seed: int, *, open_hands: bool = False
    ) -> Iterator[tuple[Reading, list[Odd]]]:
        """Read `count` made-up scenes from `seed` on; in three of four all hands may be laid open."""
        renderer: Renderer | None = None
        for number in range(seed, seed + count):
            table = number // SCENES_PER_TABLE
            if renderer is None or renderer.seed != table:
                renderer = Renderer(table, preset=self.preset)
            ended = open_hands and number % 4 != 0
            scene = made_up(number, self.preset.ponds, arms=False, least=LEAST_PLAYED, open_hands=ended)
            yield self.read(renderer, scene)

    def read(self, renderer: Renderer, scene: Scene) -> tuple[Reading, list[Odd]]:
        """Read one scene that lies still."""
        flowers = any(tile.tile.is_flower for tile in scene.tiles)
        namer = self._namers.flowers if flowers else self._namers.plain
        eyes = Eyes(GEOMETRY, SightSettings(), self._finder, namer)
        truth = true_tiles(scene, renderer.lens)
        told: list[Observation] = []
        for number, at in enumerate(TIMES):
            picture = renderer.picture(scene)
            told += eyes.look(Frame(_jpeg(picture), at, number))
            reading, odd = judged(told, truth)
            if any(isinstance(one, Settled) for one in told) or (
                number + 1 >= ENOUGH and reading.sure == reading.tiles
            ):
                break
        faces = "42" if flowers else "34"
        reading.sets = {f"{faces} sure": reading.sure, f"{faces} wrong": reading.wrong + reading.strange}
        return reading, [Odd(picture, tile, words, is_wrong) for tile, words, is_wrong in odd]


def _jpeg(picture: Picture) -> bytes:
    """A picture as the simulated camera sends it."""
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    if not done:
        raise RuntimeError("a picture could not be encoded as JPEG")
    return data.tobytes()


def judged(
    told: list[Observation], truth: tuple[TrueTile, ...]
) -> tuple[Reading, list[tuple[TrueTile, str, bool]]]:
    """Compare what was told of a scene with what lies there; also the tiles that are not surely right."""
    reading = Reading(scenes=1)
    lying = _lying(told)
    belongs, spare = _matched(lying, truth)
    reading.strange = sum(seen.tile != "?" for seen in spare)
    odd: list[tuple[TrueTile, str, bool]] = []
    for k, true in enumerate(truth):
        seen = belongs.get(k)
        right = str(true.tile)
        if not true.must_find:
            if seen is not None and seen.tile not in {"?", right}:
                reading.strange += 1
                odd.append((true, f"{right} told {seen.tile}", True))
            continue
        reading.tiles += 1
        if seen is None:
            odd.append((true, f"{right} not told", False))
            continue
        _count(reading, right, seen)
        if seen.tile != right:
            best = seen.candidates[0] if seen.candidates else (seen.tile, seen.confidence)
            odd.append((true, f"{right} {seen.tile} {best[0]} {best[1]:.2f}", seen.tile != "?"))
    return reading, odd


def _count(reading: Reading, right: str, seen: Appeared) -> None:
    best = seen.candidates[0][0] if seen.tile == "?" else seen.tile
    reading.found += 1
    reading.named += best == right
    reading.sure += seen.tile != "?"
    words = f"{right} as {best}"
    if best != right:
        reading.confusions[words] = reading.confusions.get(words, 0) + 1
    if seen.tile not in {"?", right}:
        reading.wrong += 1
        reading.sure_confusions[words] = reading.sure_confusions.get(words, 0) + 1


def _lying(told: list[Observation]) -> list[Appeared]:
    """What was told to lie there and not taken back."""
    lying: dict[int, Appeared] = {}
    for observation in told:
        if isinstance(observation, Appeared):
            lying[observation.id] = observation
        elif isinstance(observation, Vanished):
            lying.pop(observation.id, None)
    return list(lying.values())


def _matched(
    lying: list[Appeared], truth: tuple[TrueTile, ...]
) -> tuple[Mapping[int, Appeared], list[Appeared]]:
    """For each true tile (by its number) what was told of it, nearest first; and what belongs to none."""
    places = np.array([(tile.body.x, tile.body.y) for tile in truth]).reshape(-1, 2)
    pairs = []
    for number, seen in enumerate(lying):
        away = np.hypot(*(places - (seen.x, seen.y)).T)
        pairs += [(float(away[k]), number, int(k)) for k in np.flatnonzero(away < NEAR)]
    belongs: dict[int, Appeared] = {}
    used: set[int] = set()
    for _, number, k in sorted(pairs):
        if number not in used and k not in belongs:
            used.add(number)
            belongs[k] = lying[number]
    return belongs, [seen for number, seen in enumerate(lying) if number not in used]


def read_scenes(
    reader: SceneReader,
    count: int,
    seed: int,
    *,
    each: Callable[[Reading, list[Odd]], None] | None = None,
) -> Reading:
    """Read `count` scenes; `each` hears of every single one."""
    total = Reading()
    for reading, odd in reader.scenes(count, seed):
        total.add(reading)
        if each is not None:
            each(reading, odd)
    return total
