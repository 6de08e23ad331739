"""The file of an enrolment: a ZIP of one JSON head and three NumPy arrays (`.npy`), checked part by part."""

from __future__ import annotations

import io
import zipfile
import zlib
from dataclasses import dataclass
from tokenize import TokenError
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

VERSION: Final = 1
CLASSES: Final = 44
WIDTH: Final = 128
"""Values of an embedding."""
LARGEST: Final = 8_000_000
"""Bytes of a file, and of each part of it unpacked; thirty views of each face take 0.4 MB."""
MOST_VIEWS: Final = 20_000
HEAD: Final = "head.json"
PARTS: Final = (HEAD, "views.npy", "faces.npy", "levels.npy")
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The date of the parts: the same enrolment always gives the same bytes."""

Share = Annotated[float, msgspec.Meta(ge=0, le=100)]
Cosine = Annotated[float, msgspec.Meta(ge=-1, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Words = Annotated[str, msgspec.Meta(max_length=200)]


class BadEnrolment(Exception):
    """An enrolment that can't be used; the text is one line that says why, but not which file it is."""


class Mix(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much the network and the enrolled views count.

    A class's score is `net` x its log-probability in the network's view, plus `scale` x the cosine to its
    nearest enrolled view; cosines below `floor` count as `floor`, so that what resembles no view is left to
    the network. `sharpness` x the scores are log-probabilities, but for a constant.
    """

    net: Share = 1.5
    scale: Share = 40.0
    floor: Cosine = 0.7
    sharpness: Annotated[float, msgspec.Meta(gt=0, le=10)] = 1.0


class LeftOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many of `tiles` were named rightly, each with its own views left out: before and after."""

    tiles: Count = 0
    before: Count = 0
    after: Count = 0


class Head(msgspec.Struct, frozen=True, kw_only=True):
    """All of an enrolment but its arrays."""

    version: int
    network: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}$")]
    mix: Mix
    tileset: Words
    made: Words
    left_out: LeftOut


class _Version(msgspec.Struct):
    version: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arrays:
    """Views (V, 128), their classes (V,), and the levels (44,) of classes without views."""

    views: Floats
    faces: NDArray[np.int64]
    levels: Floats


def packed(head: Head, arrays: Arrays) -> bytes:
    """The bytes of a file. Views keep half precision: cosines move by less than 0.001."""
    contents = [
        msgspec.json.encode(head),
        _npy(arrays.views.astype(np.float16)),
        _npy(arrays.faces.astype(np.uint8)),
        _npy(arrays.levels.astype(np.float32)),
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in zip(PARTS, contents, strict=True):
            file.writestr(zipfile.ZipInfo(name, LONG_AGO), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _npy(array: NDArray[Any]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array(out, array, allow_pickle=False)
    return out.getvalue()


def read(path: Path) -> tuple[Head, Arrays]:
    """Read and check a file.

    Raises:
        BadEnrolment: it can't be opened, is damaged, or is something else.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise BadEnrolment(f"cannot be opened: {error.strerror or error}") from None
    except ValueError as error:
        raise BadEnrolment(f"is no file's name ({error})") from None
    return unpacked(data)


def unpacked(data: bytes) -> tuple[Head, Arrays]:
    """The contents of a file's bytes.

    Raises:
        BadEnrolment: they are no enrolment, or a damaged one.
    """
    if not data:
        raise BadEnrolment("the file is empty")
    if len(data) > LARGEST:
        raise BadEnrolment(f"is larger than {LARGEST // 1_000_000} MB: no enrolment is")
    try:
        parts = _parts(data)
        head = _head(parts[HEAD])
        views, faces, levels = (_array(parts[name]) for name in PARTS[1:])
    # zipfile also says RuntimeError for encrypted parts and NotImplementedError for unknown compression.
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError):
        raise BadEnrolment("is no enrolment, or a damaged one (longzhuo enrol writes them)") from None
    return head, _checked(views, faces, levels)


def _parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        entries = file.infolist()
        if sorted(e.filename for e in entries) != sorted(PARTS):
            raise BadEnrolment(f"is no enrolment: expected the parts {', '.join(PARTS)}")
        if any(e.file_size > LARGEST for e in entries):
            raise BadEnrolment(f"a part is larger than {LARGEST // 1_000_000} MB: no enrolment's is")
        return {entry.filename: file.read(entry) for entry in entries}


def _head(text: bytes) -> Head:
    try:
        version = msgspec.json.decode(text, type=_Version).version
        if version != VERSION:
            raise BadEnrolment(f"is of version {version}, this program reads version {VERSION}")
        return msgspec.json.decode(text, type=Head)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BadEnrolment(f"its head says nothing usable: {error}") from None


def _array(data: bytes) -> NDArray[Any]:
    """An array whose bytes are as many as its head says: nothing is set aside for more, nothing unpickled."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        shape, in_columns, kind = np.lib.format.read_array_header_1_0(file, max_header_size=1000)
        array = np.frombuffer(data[file.tell() :], kind).reshape(shape)  # refuses objects
    except (ValueError, TypeError, EOFError, OverflowError, SyntaxError, RecursionError, TokenError):
        array = None
    if array is None or version != (1, 0) or in_columns:
        raise BadEnrolment("one of its arrays is damaged")
    return array


def _checked(views: NDArray[Any], faces: NDArray[Any], levels: NDArray[Any]) -> Arrays:
    if views.dtype != np.float16 or views.ndim != 2 or views.shape[1] != WIDTH:
        raise BadEnrolment(f"views are {views.dtype} {views.shape}, expected float16 (views, {WIDTH})")
    if not 1 <= len(views) <= MOST_VIEWS:
        raise BadEnrolment(f"{len(views)} views, expected 1 to {MOST_VIEWS}")
    if faces.dtype != np.uint8 or faces.shape != (len(views),):
        raise BadEnrolment(f"faces are {faces.dtype} {faces.shape}, expected uint8 ({len(views)},)")
    if levels.dtype != np.float32 or levels.shape != (CLASSES,):
        raise BadEnrolment(f"levels are {levels.dtype} {levels.shape}, expected float32 ({CLASSES},)")
    wide = views.astype(np.float32)
    lengths = np.linalg.norm(wide, axis=1)
    if not (np.isfinite(wide).all() and (np.abs(lengths - 1) < 0.01).all()):
        raise BadEnrolment("its views are no embeddings of length 1")
    if not (np.isfinite(levels).all() and (np.abs(levels) <= 1).all()):
        raise BadEnrolment("its levels are no cosines")
    classes = faces.astype(np.int64)
    if (classes >= CLASSES).any() or (np.diff(classes) < 0).any():
        raise BadEnrolment(f"its faces are not 0..{CLASSES - 1} in order")
    return Arrays(views=wide, faces=classes, levels=levels)
