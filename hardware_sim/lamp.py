"""Light of the simulated room: brightness and cast of each pixel, lamps mirrored in tiles, shadows, noise.

Pure: everything follows from the seed and the preset.
"""

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import PICTURE_HEIGHT
from hardware_sim.faces_sheet import Picture
from hardware_sim.presets import DEFAULT, LampKind, Light, Preset

GAIN_ONE = 128  # the value of `gain` that leaves a pixel as it is
NOISE_MIDDLE = 128
NOISE_MARGIN = 96  # px the noise picture is larger than the camera's


@dataclass(frozen=True, eq=False)
class Lamp:
    """The light of one table, and what the camera makes of it.

    `gain` (H, W, 3) uint8: what each pixel is multiplied by, in 1/128. `shine` (H/4, W/4) uint8: how much of
    a lamp a level tile mirrors there. `shadow` (x, y): mm a shadow falls aside per mm of height, `darkness`
    0..1 its depth, `softness` the sigma of its edge in pixels. `blur`: sigma of the lens in pixels. `smear`:
    kernel of the shaking while the picture is taken, None where nothing shakes. `noise`: uint8 around 128,
    larger than the picture by NOISE_MARGIN each way.
    """

    gain: Picture
    shine: Picture
    shadow: tuple[float, float]
    darkness: float
    softness: float
    blur: float
    smear: npt.NDArray[np.float32] | None
    noise: Picture

    @property
    def shadow_reach(self) -> int:
        """How many pixels a shadow's soft edge reaches beyond its outline."""
        return round(2.2 * self.softness) + 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """Ranges from which a table's light is drawn.

    `side`, `fall`: how much brighter one side is than the middle, how much darker the corners are. `warmth`:
    blue's part of the light, red has the opposite. `lean`: mm a shadow falls aside per mm of height.
    `lamps`: how many mirror (the end is not included), `reach`: half axes of their pictures (in 1/4 px of the
    usual picture), `peak`: how bright (0..255).
    """

    bright: tuple[float, float] = (0.90, 1.04)
    side: tuple[float, float] = (0.04, 0.13)
    fall: tuple[float, float] = (0.06, 0.16)
    off_centre: float = 0.3
    warmth: tuple[float, float] = (-0.075, 0.05)
    lean: tuple[float, float] = (0.12, 0.42)
    darkness: tuple[float, float] = (0.28, 0.5)
    softness: float = 3.2
    lamps: tuple[int, int] = (1, 3)
    reach: tuple[tuple[float, float], tuple[float, float]] = ((14, 52), (6, 13))
    peak: tuple[float, float] = (70, 165)
    edge: float = 4.5


_ROOMS: Final = {
    LampKind.ANY: _Room(),
    LampKind.TUBE: _Room(
        bright=(0.98, 1.10),
        side=(0.02, 0.06),
        fall=(0.04, 0.10),
        warmth=(0.02, 0.07),
        lean=(0.05, 0.16),
        darkness=(0.22, 0.34),
        softness=6.0,
        lamps=(2, 3),
        reach=((45, 80), (4, 7)),
        peak=(60, 130),
    ),
    LampKind.BULB: _Room(
        bright=(0.92, 1.06),
        side=(0.10, 0.22),
        fall=(0.14, 0.26),
        off_centre=0.5,
        warmth=(-0.20, -0.10),
        lean=(0.35, 0.60),
        darkness=(0.45, 0.62),
        softness=1.2,
        lamps=(1, 2),
        reach=((9, 16), (8, 14)),
        peak=(120, 190),
        edge=3.0,
    ),
    LampKind.WINDOW: _Room(
        bright=(0.88, 1.02),
        side=(0.18, 0.30),
        fall=(0.02, 0.08),
        warmth=(0.06, 0.13),
        lean=(0.45, 0.75),
        darkness=(0.20, 0.32),
        softness=9.0,
        lamps=(1, 2),
        reach=((30, 60), (16, 26)),
        peak=(40, 90),
        edge=9.0,
    ),
}
DIM_GAIN: Final = 0.42
DIM_NOISE: Final = 2.1
GLARE_PEAK: Final = (125.0, 175.0)
GLARE_REACH: Final = ((36.0, 66.0), (13.0, 22.0))


def _between(chance: np.random.Generator, ends: tuple[float, float]) -> float:
    return float(chance.uniform(*ends))


def _slope(chance: np.random.Generator, room: _Room, size: tuple[int, int]) -> npt.NDArray[np.float32]:
    """Return brightness (H/8, W/8): brighter on one side, falling off towards the corners."""
    y, x = np.mgrid[-1 : 1 : size[1] // 8 * 1j, -1 : 1 : size[0] // 8 * 1j]
    turn = chance.uniform(0, 2 * np.pi)
    side = _between(chance, room.side) * (np.cos(turn) * x + np.sin(turn) * y)
    centre = chance.uniform(-room.off_centre, room.off_centre, 2)
    fall = _between(chance, room.fall) * ((x - centre[0]) ** 2 + (y - centre[1]) ** 2)
    return np.asarray(_between(chance, room.bright) + side - fall, np.float32)


def _gain(chance: np.random.Generator, room: _Room, preset: Preset) -> Picture:
    warmth, tint = _between(chance, room.warmth), chance.uniform(-0.02, 0.02)
    cast = np.array([1 + warmth, 1 + tint, 1 - warmth], np.float32)
    light = _slope(chance, room, preset.size)[..., None] * cast
    dim = preset.light is Light.DIM
    small = np.clip(light * (GAIN_ONE * (DIM_GAIN if dim else 1.0)), 16 if dim else 40, 255).astype(np.uint8)
    return np.asarray(cv2.resize(small, preset.size), np.uint8)


def _shine(chance: np.random.Generator, room: _Room, preset: Preset) -> Picture:
    """Return where lamps mirror: a tube's, a bulb's or a window's soft picture."""
    size = (preset.size[0] // 4, preset.size[1] // 4)
    scale = preset.size[1] / PICTURE_HEIGHT
    glare = preset.light is Light.GLARE
    peak, reach = (GLARE_PEAK, GLARE_REACH) if glare else (room.peak, room.reach)
    shine = np.zeros((size[1], size[0]), np.uint8)
    for _ in range(int(chance.integers(*((2, 4) if glare else room.lamps)))):
        turn, away = chance.uniform(0, 2 * np.pi), scale * chance.uniform(40, 105)  # at ponds and melds
        middle = (int(size[0] / 2 + away * np.cos(turn)), int(size[1] / 2 + away * np.sin(turn)))
        axes = (int(scale * _between(chance, reach[0])), int(scale * _between(chance, reach[1])))
        cv2.ellipse(shine, middle, axes, chance.uniform(0, 180), 0, 360, int(_between(chance, peak)), -1)
    return np.asarray(cv2.GaussianBlur(shine, (0, 0), scale * room.edge), np.uint8)


def _noise(chance: np.random.Generator, preset: Preset) -> Picture:
    """Return sensor noise: mostly brightness, a little colour, of slightly more than single pixels."""
    height, width = preset.size[1] + NOISE_MARGIN, preset.size[0] + NOISE_MARGIN
    strength = chance.uniform(1.6, 3.4) * (DIM_NOISE if preset.light is Light.DIM else 1.0)
    bright = chance.standard_normal((height, width, 1), np.float32) * np.float32(strength)
    colour = chance.standard_normal((height // 2, width // 2, 3), np.float32) * np.float32(strength * 0.6)
    noise = np.asarray(cv2.resize(colour, (width, height)), np.float32) + bright + NOISE_MIDDLE
    return np.asarray(np.clip(np.rint(noise), 0, 255), np.uint8)


def _smear(chance: np.random.Generator, preset: Preset) -> npt.NDArray[np.float32] | None:
    """Return how a long exposure shakes: a short stroke, (7, 7) and of sum one."""
    if preset.light is not Light.DIM:
        return None
    kernel = np.zeros((7, 7), np.float32)
    turn, reach = chance.uniform(0, np.pi), chance.uniform(0.8, 1.6)
    for along in np.linspace(-reach, reach, 9):
        x, y = 3 + along * np.cos(turn), 3 + along * np.sin(turn)
        left, top = int(x), int(y)
        right, below = x - left, y - top
        kernel[top : top + 2, left : left + 2] += np.outer((1 - below, below), (1 - right, right))
    return np.asarray(kernel / kernel.sum(), np.float32)


def lamp_for(seed: int, preset: Preset = DEFAULT) -> Lamp:
    """Return the light of the table with this seed."""
    chance = np.random.default_rng((seed, 2))
    room = _ROOMS[preset.lamp]
    scale = preset.size[1] / PICTURE_HEIGHT
    turn, lean = chance.uniform(0, 2 * np.pi), _between(chance, room.lean)
    return Lamp(
        gain=_gain(chance, room, preset),
        shine=_shine(chance, room, preset),
        shadow=(float(lean * np.cos(turn)), float(lean * np.sin(turn))),
        darkness=_between(chance, room.darkness),
        softness=scale * room.softness,
        blur=float(np.hypot(chance.uniform(0.55, 0.85) * np.sqrt(scale), preset.defocus * scale)),
        noise=_noise(chance, preset),
        smear=_smear(chance, preset),
    )
