"""What the simulated camera looks at and through: named presets of disorder, light, sensor and lens.

    Renderer(seed, preset=presets.named("glare", faces="engraved"))

A preset says what kind of table it is; the seed says which one of that kind.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from hardware_sim.faces_style import CLASSIC, STYLES, FaceStyle


class Ponds(StrEnum):
    """How players lay their discards.

    TIDY: touching, turned by at most 2.4 degrees. CASUAL: a few millimetres and up to 6 degrees. MESSY: gaps,
    turned by up to 18 degrees, rows that reach into each other. COMMON: all in one pond in the middle, turned
    anyhow; nothing tells who threw which.
    """

    TIDY = "tidy"
    CASUAL = "casual"
    MESSY = "messy"
    COMMON = "common"


class LampKind(StrEnum):
    """What lights the room; ANY leaves it to the seed."""

    ANY = "any"
    TUBE = "tube"  # long and right above: even, cool, soft shadows
    BULB = "bulb"  # one warm bulb at one side: falls off, hard shadows
    WINDOW = "window"  # daylight from one side: blue, very soft


class Light(StrEnum):
    """How the light does: DIM is dark, noisy and a little shaken; GLARE has lamps mirrored in the tiles."""

    NORMAL = "normal"
    DIM = "dim"
    GLARE = "glare"


class UnknownPreset(ValueError):
    """No preset or style of faces has this name; the message lists those there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """One kind of table and camera.

    Attributes:
        name: as in `ALL`.
        ponds: how discards lie.
        lamp: what lights the room.
        light: how well.
        size: width and height of the picture in pixels.
        defocus: sigma of the blur in 1/1080 of the picture's height, beside the lens's own.
        distortion: first radial coefficient of the lens (below 0: a barrel).
        faces: name of the style of the faces, as in `STYLES`.
    """

    name: str
    ponds: Ponds = Ponds.TIDY
    lamp: LampKind = LampKind.ANY
    light: Light = Light.NORMAL
    size: tuple[int, int] = (1920, 1080)
    defocus: float = 0.0
    distortion: float = 0.0
    faces: str = CLASSIC.name

    @property
    def style(self) -> FaceStyle:
        """What the faces look like."""
        return STYLES[self.faces]


DEFAULT: Final = Preset(name="tidy")
_PRESETS: Final = (
    DEFAULT,
    Preset(name="casual", ponds=Ponds.CASUAL),
    Preset(name="messy", ponds=Ponds.MESSY),
    Preset(name="common", ponds=Ponds.COMMON),
    Preset(name="tube", ponds=Ponds.CASUAL, lamp=LampKind.TUBE),
    Preset(name="bulb", ponds=Ponds.CASUAL, lamp=LampKind.BULB),
    Preset(name="window", ponds=Ponds.CASUAL, lamp=LampKind.WINDOW),
    Preset(name="dim", ponds=Ponds.CASUAL, light=Light.DIM),
    Preset(name="glare", ponds=Ponds.CASUAL, light=Light.GLARE),
    Preset(name="defocus", ponds=Ponds.CASUAL, defocus=1.5),
    Preset(name="barrel", ponds=Ponds.CASUAL, distortion=-0.04),
    Preset(name="720p", ponds=Ponds.CASUAL, size=(1280, 720)),
    Preset(name="1080p", ponds=Ponds.CASUAL, lamp=LampKind.TUBE),
    Preset(name="4k", ponds=Ponds.CASUAL, size=(3840, 2160)),
)
ALL: Final = MappingProxyType({preset.name: preset for preset in _PRESETS})
"""Every preset by its name, all with the faces there always were."""


def named(name: str, *, faces: str | None = None) -> Preset:
    """Return a preset by its name, with a style of faces.

    Raises:
        UnknownPreset: there is none of this name, or no such style.
    """
    if name not in ALL:
        raise UnknownPreset(f"--camera-preset {name}: unknown; expected one of {', '.join(ALL)}")
    if faces is None:
        return ALL[name]
    if faces not in STYLES:
        raise UnknownPreset(f"--faces {faces}: unknown; expected one of {', '.join(STYLES)}")
    return replace(ALL[name], faces=faces)
