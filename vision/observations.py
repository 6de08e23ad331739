"""What a camera saw, as changes: the language between the eyes of a table and its tracker.

One observation is one frozen struct here and one JSON object on a line elsewhere (a recording, a camera that
is another computer, the simulator without pictures); `encode_line` and `decode_line` are inverse to each
other.

    {"kind":"appeared","at":12.4,"id":7,"tile":"5p","confidence":0.998,"x":31,"y":-180.5,"angle":2}
    {"kind":"settled","at":12.6}

Times are seconds on the clock of whoever looks, and never fall. Positions are millimetres, origin at the
table's centre, x right and y DOWN as in the picture (seat 0 sits at the bottom). An `id` stands for one tile
that lies still: it appears once and vanishes at most once; a tile that moves vanishes and appears under
another.
"""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

TileText = Annotated[str, Meta(pattern=r"^([1-9][mps]|[1-8]f|[ESWNCFP]|back|\?)$")]
"""A tile in notation, `back` for a tile lying face down, `?` where the camera is not sure."""

Probability = Annotated[float, Meta(ge=0.0, le=1.0)]


class BadReading(ValueError):
    """A line is no observation; the message says what was expected."""


class Appeared(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="appeared"):
    """A tile lies still at a place where none was known.

    Attributes:
        at: seconds, when enough readings agreed.
        id: number of this lying tile, never used again.
        tile: its face, `back`, or `?` where the readings leave doubt.
        confidence: 0..1, of the likeliest face (also where `tile` is `?`).
        candidates: the likeliest faces first, each with its probability; never empty for `?`.
        x: millimetres right of the table's centre, of the tile's centre.
        y: millimetres below the table's centre as the picture shows it.
        angle: degrees in [0, 360), clockwise in the picture: the way the face's top points, 0 is up (toward
            seat 2). It may be half a turn off: many faces look alike both ways, backs always do.
    """

    at: float
    id: int
    tile: TileText
    confidence: Probability = 1.0
    candidates: tuple[tuple[TileText, Probability], ...] = ()
    x: float
    y: float
    angle: float = 0.0


class Vanished(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="vanished"):
    """The tile `id` no longer lies where it appeared (nothing hides the place)."""

    at: float
    id: int


class Settled(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="settled"):
    """The whole table was still and read completely at `at`: no change is left untold."""

    at: float


class CameraTrouble(StrEnum):
    """What ails a camera, as far as its pictures (or their absence) tell."""

    UNPLUGGED = "unplugged"
    FROZEN = "frozen"
    BLACK = "black"
    OVEREXPOSED = "overexposed"
    MOVED = "moved"
    WRONG_DEVICE = "wrong_device"
    SIZE_CHANGED = "size_changed"
    STREAM_RESTARTED = "stream_restarted"
    NO_TABLE = "no_table"


class CameraLost(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="camera_lost"):
    """No picture can be used since `at`; `trouble` says what it is, `reason` the particulars in words.

    Another one without `CameraBack` between says that the trouble is another now.
    """

    at: float
    reason: str
    trouble: CameraTrouble = CameraTrouble.UNPLUGGED


class CameraBack(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="camera_back"):
    """Pictures can be used again; tiles known before keep their ids if they still lie there."""

    at: float


class Drift(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="drift"):
    """The camera stands `mm` away (on the cloth, at worst) from where it was calibrated, or first stood.

    Readings are right all the same: the place was found again. 0: it is back.
    """

    at: float
    mm: Annotated[float, Meta(ge=0.0)]


Pips = Annotated[int, Meta(ge=1, le=6)]


class DiceSeen(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="dice_seen"):
    """The dice under the dome changed: they move, or lie and are read.

    Attributes:
        at: seconds, when two looks agreed; when they began to move, where `values` is None.
        values: what one or two dice show, smallest first; None while they move, lean on something, or can't
            be read surely.
        confidence: 0..1, of the least certain die; 0 where `values` is None.
    """

    at: float
    values: Annotated[tuple[Pips, ...], Meta(min_length=1, max_length=2)] | None
    confidence: Probability = 1.0


Observation = Appeared | Vanished | Settled | DiceSeen | CameraLost | CameraBack | Drift

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Observation)


def encode_line(observation: Observation) -> bytes:
    """The observation as one line of JSON, newline included."""
    return _encoder.encode(observation) + b"\n"


def decode_line(line: bytes | str) -> Observation:
    """The observation of one line (surrounding white space is ignored).

    Raises:
        BadReading: the line is no JSON, has no known `kind`, or a field is missing or out of range.
    """
    try:
        return _decoder.decode(line.strip())
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadReading(f"not an observation: {error}") from error
