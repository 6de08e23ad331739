"""What the payloads of a table are made of: their first fields, seats, tiles, sets."""

from typing import Annotated, Literal, TypeAlias

import msgspec

VERSION = 1

Seat: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=3)]
TileText: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^([1-9][mps]|[1-8]f|[ESWNCFP]|back|\?)$")]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Quad: TypeAlias = tuple[int, int, int, int]
PhaseName = Literal[
    "idle", "hatch_open", "shuffling", "walls", "dealing", "playing", "settled", "drawn", "stopped"
]
MeldName = Literal["chi", "peng", "kong", "added_kong", "concealed_kong"]


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """First fields of every payload: schema version, boot, sequence number, time (RFC 3339, UTC).

    The last three are stamped when the payload is published.
    """

    v: int = VERSION
    boot: Count = 0
    seq: Count = 0
    ts: str = ""


class PlacedTile(msgspec.Struct, frozen=True, kw_only=True):
    """A tile and the seat before which it lies."""

    seat: Seat
    tile: TileText


class PublicMeld(msgspec.Struct, frozen=True, kw_only=True):
    """An exposed meld; ``taken_from`` is the seat whose discard it took, null for a concealed kong."""

    kind: MeldName
    tiles: tuple[TileText, ...]
    taken_from: Seat | None


Ponds: TypeAlias = tuple[
    tuple[TileText, ...], tuple[TileText, ...], tuple[TileText, ...], tuple[TileText, ...]
]
Melds: TypeAlias = tuple[
    tuple[PublicMeld, ...], tuple[PublicMeld, ...], tuple[PublicMeld, ...], tuple[PublicMeld, ...]
]
