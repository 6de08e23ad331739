"""Light of the simulated room: brightness and cast of each pixel, lamps mirrored in tiles, shadows, noise.

Pure: everything follows from the seed.
"""

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from hardware_sim.camera_lens import PICTURE_HEIGHT, PICTURE_WIDTH
from hardware_sim.faces_sheet import Picture

GAIN_ONE = 128  # the value of `gain` that leaves a pixel as it is
NOISE_MIDDLE = 128
NOISE_MARGIN = 96  # px the noise picture is larger than the camera's


@dataclass(frozen=True, eq=False)
class Lamp:
    """The light of one table.

    `gain` (H, W, 3) uint8: what each pixel is multiplied by, in 1/128. `shine` (H/4, W/4) uint8: how much of
    a lamp a level tile mirrors there. `shadow` (x, y): mm a shadow falls aside per mm of height, `darkness`
    0..1 its depth. `blur`: sigma of the lens in pixels. `noise`: uint8 around 128, larger than the picture
    by NOISE_MARGIN each way.
    """

    gain: Picture
    shine: Picture
    shadow: tuple[float, float]
    darkness: float
    blur: float
    noise: Picture


def _slope(chance: np.random.Generator) -> npt.NDArray[np.float32]:
    """Return brightness (H/8, W/8): brighter on one side, falling off towards the corners."""
    y, x = np.mgrid[-1 : 1 : PICTURE_HEIGHT // 8 * 1j, -1 : 1 : PICTURE_WIDTH // 8 * 1j]
    turn = chance.uniform(0, 2 * np.pi)
    side = chance.uniform(0.04, 0.13) * (np.cos(turn) * x + np.sin(turn) * y)
    centre = chance.uniform(-0.3, 0.3, 2)
    fall = chance.uniform(0.06, 0.16) * ((x - centre[0]) ** 2 + (y - centre[1]) ** 2)
    return np.asarray(chance.uniform(0.90, 1.04) + side - fall, np.float32)


def _gain(chance: np.random.Generator) -> Picture:
    warmth, tint = chance.uniform(-0.075, 0.05), chance.uniform(-0.02, 0.02)
    cast = np.array([1 + warmth, 1 + tint, 1 - warmth], np.float32)
    light = _slope(chance)[..., None] * cast
    small = np.clip(light * GAIN_ONE, 40, 255).astype(np.uint8)
    return np.asarray(cv2.resize(small, (PICTURE_WIDTH, PICTURE_HEIGHT)), np.uint8)


def _shine(chance: np.random.Generator) -> Picture:
    """Return where one or two lamps mirror: a tube's or a bulb's soft picture."""
    size = (PICTURE_WIDTH // 4, PICTURE_HEIGHT // 4)
    shine = np.zeros((size[1], size[0]), np.uint8)
    for _ in range(int(chance.integers(1, 3))):
        turn, away = chance.uniform(0, 2 * np.pi), chance.uniform(40, 105)  # where ponds and melds lie
        middle = (int(size[0] / 2 + away * np.cos(turn)), int(size[1] / 2 + away * np.sin(turn)))
        axes = (int(chance.uniform(14, 52)), int(chance.uniform(6, 13)))
        cv2.ellipse(shine, middle, axes, chance.uniform(0, 180), 0, 360, int(chance.uniform(70, 165)), -1)
    return np.asarray(cv2.GaussianBlur(shine, (0, 0), 4.5), np.uint8)


def _noise(chance: np.random.Generator) -> Picture:
    """Return sensor noise: mostly brightness, a little colour, of slightly more than single pixels."""
    height, width = PICTURE_HEIGHT + NOISE_MARGIN, PICTURE_WIDTH + NOISE_MARGIN
    strength = chance.uniform(1.6, 3.4)
    bright = chance.standard_normal((height, width, 1), np.float32) * np.float32(strength)
    colour = chance.standard_normal((height // 2, width // 2, 3), np.float32) * np.float32(strength * 0.6)
    noise = np.asarray(cv2.resize(colour, (width, height)), np.float32) + bright + NOISE_MIDDLE
    return np.asarray(np.clip(np.rint(noise), 0, 255), np.uint8)


def lamp_for(seed: int) -> Lamp:
    """Return the light of the table with this seed."""
    chance = np.random.default_rng((seed, 2))
    turn, lean = chance.uniform(0, 2 * np.pi), chance.uniform(0.12, 0.42)
    return Lamp(
        gain=_gain(chance),
        shine=_shine(chance),
        shadow=(float(lean * np.cos(turn)), float(lean * np.sin(turn))),
        darkness=float(chance.uniform(0.28, 0.5)),
        blur=float(chance.uniform(0.55, 0.85)),
        noise=_noise(chance),
    )
