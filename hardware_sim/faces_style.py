"""The simulator's sets of tiles: bodies, inks, characters and the shapes that differ from set to set.

None of them is, or is made from, anything the networks of `vision` were trained on.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

Colour: TypeAlias = tuple[int, int, int]
"""Blue, green, red."""

Dots: TypeAlias = Literal["flowers", "rings", "wheels", "coins", "discs"]
Sticks: TypeAlias = Literal["joints", "stems", "bars", "canes", "segments"]
White: TypeAlias = Literal["double", "blank", "thick", "panel", "corners"]
Bird: TypeAlias = Literal["perched", "peacock", "crane", "sparrow", "rooster"]
Flowers: TypeAlias = Literal["pictures", "vases", "words", "big", "medals"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FaceStyle:
    """One set of tiles.

    Attributes:
        name: as in `STYLES`.
        body: the light part of a tile's body, and the paper.
        blue, green, red, black: the inks.
        backs: the colour of the backs of the two sets in play.
        glyphs: the atlas of characters in `art`.
        five: which character the five of characters has.
        wan: which character stands under the numbers.
        wan_ink, wind_ink: names of inks.
        size: how large characters are beside the classic set's.
        corners: whether every face has a number or letter in a corner.
        engraved: depth 0..1 of the shade in the grooves.
        radius: mm of the rounding of a tile's corners.
        dot_size: how large dots are beside the classic set's.
        swapped: whether blue and green dots and sticks have changed places.
        green_sticks: whether sticks that are blue in other sets are green.
    """

    name: str
    body: Colour
    blue: Colour
    green: Colour
    red: Colour
    black: Colour
    backs: tuple[Colour, Colour]
    glyphs: str = "glyphs"
    five: str = "伍"
    wan: str = "萬"
    wan_ink: str = "red"
    wind_ink: str = "blue"
    size: float = 1.0
    corners: bool = False
    engraved: float = 0.0
    radius: float = 3.0
    dot_size: float = 1.0
    swapped: bool = False
    green_sticks: bool = False
    dots: Dots = "flowers"
    sticks: Sticks = "joints"
    bird: Bird = "perched"
    white: White = "double"
    flowers: Flowers = "pictures"

    def other(self, ink: str) -> str:
        """Return the ink this set has where the classic one has `ink`."""
        return {"blue": "green", "green": "blue"}.get(ink, ink) if self.swapped else ink

    def stick_ink(self, ink: str) -> str:
        """Return the same for sticks."""
        return "green" if self.green_sticks and ink == "blue" else self.other(ink)

    def ink(self, name: str) -> Colour:
        """Return an ink by its name."""
        inks = {"blue": self.blue, "green": self.green, "red": self.red, "black": self.black}
        return inks[name]


CLASSIC: Final = FaceStyle(
    name="classic",
    body=(222, 236, 240),
    blue=(128, 62, 28),
    green=(62, 112, 22),
    red=(36, 30, 184),
    black=(48, 36, 30),
    backs=((112, 164, 58), (180, 104, 30)),  # jade, blue
)
STYLES: Final = MappingProxyType({style.name: style for style in (CLASSIC,)})
"""Every style by its name."""
