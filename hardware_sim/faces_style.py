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
ENGRAVED: Final = FaceStyle(  # a traditional set, cut deep into bone
    name="engraved",
    body=(196, 222, 234),
    blue=(96, 44, 16),
    green=(44, 92, 10),
    red=(26, 20, 158),
    black=(30, 24, 22),
    backs=((52, 116, 66), (48, 88, 150)),  # bamboo green, amber
    glyphs="brush",
    wind_ink="black",
    engraved=0.55,
    radius=3.6,
    dots="wheels",
    sticks="canes",
    bird="peacock",
    white="panel",
    flowers="vases",
)
RIICHI: Final = FaceStyle(  # as sets from Japan: white, slim, the white dragon blank
    name="riichi",
    body=(232, 240, 240),
    blue=(112, 70, 34),
    green=(88, 124, 40),
    red=(48, 44, 196),
    black=(40, 36, 36),
    backs=((30, 168, 232), (170, 122, 62)),  # yellow, steel blue
    glyphs="opti",
    five="五",
    wind_ink="black",
    size=0.94,
    engraved=0.25,
    radius=2.4,
    dot_size=0.94,
    green_sticks=True,
    dots="rings",
    sticks="stems",
    bird="crane",
    white="blank",
    flowers="words",
)
BIGPRINT: Final = FaceStyle(  # modern, for eyes that are no longer young
    name="bigprint",
    body=(240, 242, 242),
    blue=(168, 60, 10),
    green=(56, 132, 0),
    red=(32, 16, 214),
    black=(20, 20, 20),
    backs=((142, 66, 112), (120, 120, 120)),  # purple, grey
    glyphs="poster",
    five="五",
    wan="万",
    wind_ink="black",
    size=1.14,
    radius=4.2,
    dot_size=1.08,
    swapped=True,
    dots="discs",
    sticks="bars",
    bird="sparrow",
    white="thick",
    flowers="big",
)
LATIN: Final = FaceStyle(  # with numbers and letters in the corners, cream and plum
    name="latin",
    body=(206, 232, 244),
    blue=(130, 50, 40),
    green=(70, 100, 30),
    red=(40, 30, 170),
    black=(60, 40, 40),
    backs=((60, 40, 130), (64, 60, 56)),  # wine, slate
    glyphs="kai",
    five="五",
    wan_ink="red",
    wind_ink="blue",
    size=0.84,
    corners=True,
    engraved=0.35,
    radius=2.8,
    dot_size=0.92,
    dots="coins",
    sticks="segments",
    bird="rooster",
    white="corners",
    flowers="medals",
)
STYLES: Final = MappingProxyType(
    {style.name: style for style in (CLASSIC, ENGRAVED, RIICHI, BIGPRINT, LATIN)}
)
"""Every style by its name."""
