"""Scenes of a game half played, made up from a seed, with the truth about what lies where.

They measure how well tiles are found and named. How they come about follows no rules of play, only how a
table looks: ponds of touching and turned tiles, melds, an indicator, walls, racks, perhaps an arm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from hardware_sim.arms import arm_mask
from hardware_sim.camera_lens import Lens, Points, lens_for, top_quad
from hardware_sim.faces_sheet import Picture
from hardware_sim.layout import DISORDERS, Disorder
from hardware_sim.layout_common import common_place
from hardware_sim.layout_fit import Wobble, lay_pond
from hardware_sim.presets import DEFAULT, Ponds, Preset
from hardware_sim.render import Renderer
from hardware_sim.scene import (
    FLAT_DOWN,
    FLAT_UP,
    STANDING,
    TILE_DEPTH,
    TILE_HEIGHT,
    TILE_WIDTH,
    Arm,
    Dice,
    Pose,
    Scene,
    SceneTile,
    seat_angle,
    seat_point,
)
from rules.tiles import Tile

WALLS_END = 309.0  # mm from the centre: tiles face down within are walls, beyond they are in melds
UPSIDE_DOWN = 0.3  # share of loosely laid tiles that stand on their heads
COVERED = 0.12  # share of a tile under an arm from which nobody is asked to read it


@dataclass(frozen=True, eq=False)
class TrueTile:
    """What a picture shows of one tile.

    `tile`: its face, BACK where it lies face down. `quad` (4, 2): pixels of its upper side, TL, TR, BR, BL of
    the upright face. `must_find`: a face, or a back among melds, that no arm covers; the rest (walls, racks,
    covered tiles) may be found or not.
    """

    tile: Tile
    quad: Points
    must_find: bool
    body: SceneTile


class _Dealer:
    """Lays tiles of one seat after another, from one shuffled set."""

    def __init__(self, chance: np.random.Generator) -> None:
        self.chance = chance
        faces = [kind for kind in range(34) for _ in range(4)]
        self.has_flowers = bool(chance.random() < 0.3)
        if self.has_flowers:
            faces += range(34, 42)
        self._faces = [Tile(int(face)) for face in chance.permutation(faces)]
        self.tiles: list[SceneTile] = []

    def lay(self, seat: int, place: tuple[float, float, float], pose: Pose = FLAT_UP, z: float = 0.0) -> None:
        """Lay the next tile at (u, v, turn) of a seat, turn clockwise from what reads upright there."""
        u, v, turn = place
        x, y = seat_point(seat, u, v)
        face = self._faces[len(self.tiles) % len(self._faces)]
        angle = (seat_angle(seat) + turn) % 360
        self.tiles.append(SceneTile(len(self.tiles), face, x, y, angle, z, pose))

    def same_again(self, count: int) -> None:
        """Give the last `count` tiles one face, as in a triplet."""
        face = self.tiles[-1].tile
        self.tiles[-count:] = [replace(tile, tile=face) for tile in self.tiles[-count:]]

    def _run(self, seat: int, left: float, bottom: float, count: int) -> float:
        """Lay touching tiles as one straight, slightly turned run; return where its right end is."""
        turn = float(self.chance.normal(0, 2.6 if count == 1 else 1.5 / count))
        slope = np.radians(turn)
        start = left + TILE_HEIGHT / 2 * abs(np.sin(slope)) + TILE_WIDTH / 2
        for i in range(count):
            u, v = start + i * TILE_WIDTH * np.cos(slope), i * TILE_WIDTH * np.sin(slope)
            self.lay(seat, (float(u), float(bottom - TILE_HEIGHT / 2 + v), turn))
        return float(start + (count - 0.5) * TILE_WIDTH + TILE_HEIGHT / 2 * abs(np.sin(slope)))

    def pond(self, seat: int, count: int) -> None:
        """Lay a pond of `count` tiles in rows of up to ten."""
        bottom = 205.0 + self.chance.uniform(-3, 3)
        while count > 0:
            right = -155 + self.chance.uniform(-6, 6)
            in_row = min(count, 10)
            count -= in_row
            while in_row > 0 and right < 165:
                if self.chance.random() < 0.05:
                    self.lay(
                        seat, (right + 22, bottom - TILE_WIDTH / 2, 90 + float(self.chance.normal(0, 2)))
                    )
                    right, in_row = right + 43.5, in_row - 1
                    continue
                length = min(in_row, int(self.chance.integers(1, 5)))
                right = self._run(seat, right, bottom + self.chance.uniform(-1, 0), length)
                right += self.chance.choice([0.0, 0.3, 1.0, 4.0])
                in_row -= length
            bottom += TILE_HEIGHT + 2.0 + self.chance.uniform(0, 3)

    def loose_pond(self, seat: int, count: int, how: Disorder) -> None:
        """Lay a pond of `count` tiles as less tidy players do."""
        wobbles = tuple(
            Wobble(
                float(self.chance.uniform(-how.reach, how.reach)),
                float(self.chance.uniform(-how.reach, how.reach)),
                float(self.chance.uniform(-how.turn, how.turn)),
            )
            for _ in range(count)
        )
        for spot in lay_pond(wobbles, how.rows):
            self.lay(seat, (spot.u, spot.v, spot.angle + 180.0 * (self.chance.random() < UPSIDE_DOWN)))

    def meld(self, seat: int, right: float, bottom: float) -> float:
        """Lay one meld with its right end at `right`; return where its left end is."""
        if self.chance.random() < 0.12:
            for i in range(4):
                pose = FLAT_UP if i in {1, 2} else FLAT_DOWN
                self.lay(seat, (right - TILE_WIDTH * (i + 0.5), bottom - TILE_HEIGHT / 2, 0.0), pose)
            return right - 4 * TILE_WIDTH
        count = 4 if self.chance.random() < 0.15 else 3
        sideways = int(self.chance.integers(0, count))
        for i in range(count):
            flat = i == sideways
            width, height = (TILE_HEIGHT, TILE_WIDTH) if flat else (TILE_WIDTH, TILE_HEIGHT)
            turn = (90.0 if flat else 0.0) + float(self.chance.normal(0, 0.4))
            self.lay(seat, (right - width / 2 - 0.15, bottom - height / 2, turn))
            right -= width + 0.3
        if count == 4 or self.chance.random() < 0.5:
            self.same_again(count)
        return right

    def hand(self, seat: int, count: int, *, shown: bool) -> None:
        """Stand `count` tiles in a rack, or lay them open with the last one apart."""
        u = -count * TILE_WIDTH / 2 + self.chance.uniform(-12, 12)
        for i in range(count):
            apart = 20.0 if shown and i == count - 1 else 0.0
            place = (u + TILE_WIDTH * (i + 0.5) + apart, 382 + self.chance.normal(0, 0.5), 0.0)
            self.lay(seat, place, FLAT_UP if shown else STANDING)

    def wall(self, seat: int, gone: int) -> None:
        """Put up a wall of 17 stacks of which `gone` are drawn."""
        for i in range(17 - gone):
            u = -8 * TILE_WIDTH + i * TILE_WIDTH + self.chance.normal(0, 0.2)
            for z in (0.0, TILE_DEPTH):
                self.lay(
                    seat,
                    (u, 284 + self.chance.normal(0, 0.7), float(self.chance.normal(0, 0.3))),
                    FLAT_DOWN,
                    z,
                )


def random_scene(seed: int, preset: Preset = DEFAULT) -> tuple[Scene, tuple[TrueTile, ...]]:
    """Return a made-up scene and what the camera of the table with the same seed shows of it."""
    scene = made_up(seed, preset.ponds)
    return scene, true_tiles(scene, lens_for(seed, preset.size, preset.distortion))


def made_up(
    seed: int, ponds: Ponds = Ponds.TIDY, *, arms: bool = True, least: float = 0.0, open_hands: bool = False
) -> Scene:
    """Return a made-up scene, perhaps with an arm in it.

    `least`: share of the game played at least; `open_hands`: everybody has laid his hand open, as at its end.
    """
    chance = np.random.default_rng((seed, 6))
    dealer = _Dealer(chance)
    progress = least + (1 - least) * chance.random()
    shown = int(chance.integers(0, 4)) if chance.random() < 0.2 else None
    for seat in range(4):
        count = int(np.clip(round(17 * progress + chance.normal(0, 1.5)), 0, 20))
        if ponds is Ponds.COMMON:
            for number in range(count):
                dealer.lay(0, common_place(seed, seat, number))
        elif ponds is Ponds.TIDY:
            dealer.pond(seat, count)
        else:
            dealer.loose_pond(seat, count, DISORDERS[ponds])
        melds = int(chance.integers(0, 4))
        right = 355.0
        for _ in range(melds):
            right = dealer.meld(seat, right, 355.0 + chance.uniform(-1, 0)) - 8
        dealer.hand(seat, 13 - 3 * melds + (shown == seat), shown=open_hands or shown == seat)
        dealer.wall(seat, int(np.clip(round(progress * 17 + chance.normal(0, 5)), 0, 17)))
    turn = float(chance.normal(0, 4)) + 90 * int(chance.integers(0, 4))
    dealer.lay(0, (86 + chance.uniform(-4, 4), -86 + chance.uniform(-4, 4), turn))
    values = tuple(int(value) for value in chance.integers(1, 7, 2))
    dice = Dice((values[0], values[1]), angles=(chance.uniform(0, 90), chance.uniform(0, 90)))
    reaching: tuple[Arm, ...] = ()
    if chance.random() < 0.35:
        reach = seat_point(int(chance.integers(0, 4)), chance.uniform(-160, 160), chance.uniform(100, 240))
        reaching = (Arm(int(chance.integers(0, 4)), *reach),)
    tiles = of_one_set(dealer.tiles, np.random.default_rng((seed, 8)), flowers=dealer.has_flowers)
    return Scene(tiles, dice, 0.0, reaching if arms else (), int(chance.integers(0, 2)))


def of_one_set(
    tiles: Sequence[SceneTile], chance: np.random.Generator, *, flowers: bool
) -> tuple[SceneTile, ...]:
    """Give open tiles other faces where more of a kind lie than a set has; those in melds keep theirs."""
    room = dict.fromkeys(range(42 if flowers else 34), 4) | dict.fromkeys(range(34, 42) if flowers else (), 1)
    numbers = [k for k, tile in enumerate(tiles) if tile.pose is FLAT_UP]
    numbers.sort(key=lambda k: max(abs(tiles[k].x), abs(tiles[k].y)) <= WALLS_END)
    result = list(tiles)
    surplus = []
    for k in numbers:
        if room.get(tiles[k].tile, 0) > 0:
            room[tiles[k].tile] -= 1
        else:
            surplus.append(k)
    free = [face for face, left in room.items() for _ in range(left)]
    for k, face in zip(surplus, chance.permutation(free), strict=False):
        result[k] = replace(tiles[k], tile=Tile(int(face)))
    return tuple(result)


ROW_LINES = (-330.0, -250.0, -170.0, 170.0, 250.0, 330.0)


def laid_out(rows: Sequence[Sequence[Tile]], seed: int = 0) -> Scene:
    """Return a scene of rows of touching tiles, upright for seat 0, as an enrolment asks for them.

    At most six rows of at most nine tiles or so; BACK lies face down. The first row is the farthest.
    """
    if len(rows) > len(ROW_LINES):
        raise ValueError(f"{len(rows)} rows: the table holds at most {len(ROW_LINES)}")
    chance = np.random.default_rng((seed, 7))
    tiles: list[SceneTile] = []
    lines = ROW_LINES[len(ROW_LINES) - len(rows) :] if len(rows) <= 3 else ROW_LINES
    for row, line in zip(rows, lines, strict=False):
        left = -len(row) * (TILE_WIDTH + 0.4) / 2
        for place, face in enumerate(row):
            x = left + (place + 0.5) * (TILE_WIDTH + 0.4) + chance.uniform(-0.1, 0.1)
            y, turn = line + chance.uniform(-1, 1), chance.uniform(-0.4, 0.4)
            pose = FLAT_DOWN if face is Tile.BACK else FLAT_UP
            tile = Tile.M1 if face is Tile.BACK else face
            tiles.append(SceneTile(len(tiles), tile, float(x), float(y), float(turn % 360), pose=pose))
    return Scene(tuple(tiles))


def true_tiles(scene: Scene, lens: Lens) -> tuple[TrueTile, ...]:
    """Return what the camera shows of every tile of a scene."""
    covered = arm_mask(lens, scene.arms) if scene.arms else None
    truths = []
    for body in scene.tiles:
        quad = top_quad(lens, body)
        asked = body.pose is FLAT_UP or (body.pose is FLAT_DOWN and max(abs(body.x), abs(body.y)) > WALLS_END)
        if covered is not None and _share_inside(quad, covered) > COVERED:
            asked = False
        tile = body.tile if body.pose is FLAT_UP else Tile.BACK
        truths.append(TrueTile(tile, quad, asked, body))
    return tuple(truths)


def _share_inside(quad: Points, mask: Picture) -> float:
    """Return the share of a quad's area that lies in a mask (0 or 255 per pixel)."""
    area = np.zeros_like(mask)
    cv2.fillConvexPoly(area, np.round(quad).astype(np.int32), 255)
    return float(np.count_nonzero(area & mask)) / max(1, int(np.count_nonzero(area)))


def scene_pictures(
    count: int, seed: int, preset: Preset = DEFAULT
) -> Iterator[tuple[int, Picture, tuple[TrueTile, ...]]]:
    """Yield (seed, picture, truth) of `count` scenes, each on a table of its own."""
    for number in range(seed, seed + count):
        scene, truth = random_scene(number, preset)
        yield number, Renderer(number, preset=preset).picture(scene), truth
