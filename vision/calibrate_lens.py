"""What a lens does to lines, from several pictures of a flat thing that is known.

That is the sheet of corner markers before it is cut, or a chessboard.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from vision.calibrate_checks import CannotCalibrate
from vision.images import Image, Points
from vision.lens import Lens, camera_matrix
from vision.markers_sheet import marker_corners
from vision.rectify import FEWEST_MARKERS, find_markers
from vision.zones import TableGeometry

FEWEST: Final = 5  # pictures that show it
WORST_PX: Final = 1.0  # root mean square
REACH: Final = 0.6  # of the way from the middle of the picture to its corner that must have been covered
TILT: Final = 8.0  # degrees by which the pictures' views must differ: else distance and lens look alike


@dataclass(frozen=True, slots=True)
class LensFound:
    """A lens, from how many pictures, and the root mean square of what stayed unexplained, px."""

    lens: Lens
    pictures: int
    error_px: float


def lens_of(
    pictures: Sequence[Image], geometry: TableGeometry, *, board: tuple[int, int] | None = None
) -> LensFound:
    """The lens that took pictures of one flat sheet from different sides.

    `board`: inner corners (across, down) of a chessboard; without it the sheet of corner markers is looked
    for.

    Raises:
        CannotCalibrate: too few pictures show it, or they tell too little; one line says what to do.
    """
    sizes = {(picture.shape[1], picture.shape[0]) for picture in pictures}
    if len(sizes) > 1:
        raise CannotCalibrate("--lens: the pictures differ in size: they must be of one camera")
    seen = [view for picture in pictures if (view := _view(picture, geometry, board)) is not None]
    what = (
        "the sheet of markers"
        if board is None
        else f"the chessboard of {board[0]} x {board[1]} inner corners"
    )
    if len(seen) < FEWEST:
        raise CannotCalibrate(
            f"--lens: {len(seen)} of {len(pictures)} pictures show {what}, {FEWEST} are needed: "
            "flat, sharp, from different sides"
        )
    size = sizes.pop()
    flags = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_FIX_PRINCIPAL_POINT | cv2.CALIB_FIX_K3
    flags |= cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_USE_INTRINSIC_GUESS
    there = [np.column_stack((mm, np.zeros(len(mm)))).astype(np.float32) for mm, _ in seen]
    pixels = [px.astype(np.float32) for _, px in seen]
    guess = camera_matrix(1.2 * size[0], size)
    error, camera, distortion, turns, _ = cv2.calibrateCamera(
        there, pixels, size, guess, np.zeros(5), flags=flags
    )
    k1, k2, p1, p2, k3 = (float(value) for value in np.ravel(distortion)[:5])
    _check(float(error), np.concatenate(pixels), size, [np.ravel(turn) for turn in turns], what)
    lens = Lens(np.asarray(camera, np.float64), (k1, k2, p1, p2, k3))
    return LensFound(lens, len(seen), float(error))


def _view(
    picture: Image, geometry: TableGeometry, board: tuple[int, int] | None
) -> tuple[Points, Points] | None:
    """Places (N, 2) mm on the sheet and (N, 2) px in the picture of what it shows of it."""
    if board is None:
        found = find_markers(picture, geometry.markers)
        if len(found) < FEWEST_MARKERS:
            return None
        known = marker_corners(geometry)
        return np.concatenate([known[n] for n in found]), np.concatenate(list(found.values()))
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    good, corners = cv2.findChessboardCornersSB(grey, board)
    if not good:
        return None
    across, down = np.meshgrid(np.arange(board[0]), np.arange(board[1]))
    places = np.column_stack((across.ravel(), down.ravel())).astype(np.float64)
    return places, np.asarray(corners, np.float64).reshape(-1, 2)


def _check(error: float, pixels: Points, size: tuple[int, int], turns: Sequence[Points], what: str) -> None:
    if not error < WORST_PX:
        raise CannotCalibrate(
            f"--lens: {what} does not fit ({error:.1f} px are left over, at most {WORST_PX:g}): is the sheet "
            "flat, printed at 100 % and still uncut, or is it another board (--board)?"
        )
    middle = np.asarray(size) / 2
    reach = float(np.hypot(*(pixels - middle).T).max() / np.hypot(*middle))
    if reach < REACH:
        raise CannotCalibrate(
            f"--lens: {what} was never near the picture's corners, where a lens bends most: hold it there too"
        )
    first = np.asarray(cv2.Rodrigues(turns[0])[0])
    tilts = [
        np.degrees(np.arccos(np.clip((first.T @ cv2.Rodrigues(turn)[0])[2, 2], -1, 1))) for turn in turns
    ]
    if max(tilts) - min(tilts) < TILT:
        raise CannotCalibrate(
            f"--lens: the pictures show {what} from one side only: tilt it differently in each"
        )
