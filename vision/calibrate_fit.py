"""Fits a camera to what it sees of a table: corner markers, and edges that are straight in truth.

One picture tells where the camera is and, by how the cloth's edges bend, the lens's first coefficient k1. The
camera's height is taken as measured, as `vision.rectify` says; where the lens is known beforehand, the height
is found instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Matrix, Points
from vision.lens import Lens, camera_matrix
from vision.rectify import Rectification

Vector = npt.NDArray[np.float64]

CORNER_MM: Final = 0.3  # how exactly a marker's corner is seen and lies
EDGE_MM: Final = 0.5  # the same of a point of the cloth's edge
CLOSE_BY: Final = 6.0  # points of an edge that share one error: cloth is not cut that straight
LOOSE: Final = 2.0  # of these errors; what is farther off counts less
FINEST: Final = 0.25  # of these errors is the least that is believed of a good picture
SURE: Final = 4.0  # standard errors from zero beyond which lines do bend
LEAST_BEND: Final = 0.003  # k1 that no picture can show
ROUNDS: Final = 25
STEPS: Final = np.asarray([1e-5, 1e-5, 1e-5, 1e-2, 1e-2, 1e-5, 1e-5])


@dataclass(frozen=True, slots=True, eq=False)
class Sights:
    """What was seen, and where it is in truth.

    Attributes:
        size: (width, height) of the picture.
        there: (N, 2) mm of marker corners on the cloth.
        pixels: (N, 2) px where they were seen.
        edges: of the cloth, each (M, 2) px.
        places: of each edge the axis (0: x, 1: y) it stands across and its mm on it, or None where it is only
            known to be straight.
    """

    size: tuple[int, int]
    there: Points
    pixels: Points
    edges: tuple[Points, ...] = ()
    places: tuple[tuple[int, float], ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """The camera found; `k1_error` is one standard error of k1, None where it was not fitted."""

    rectification: Rectification
    k1_error: float | None


def fit(sights: Sights, start: Rectification, *, camera_height: float, lens: Lens | None) -> Fit:
    """The camera that explains the sights best, from a rough `start`.

    Without a `lens`, k1 is fitted where edges are seen, and kept where it surely isn't 0.
    """
    if lens is not None:
        return Fit(_refined(sights, _known(lens, start), 6)[0], None)
    straight = _open(sights.size, camera_height, start, bends=False)
    first = _refined(sights, straight, 6)[0]
    if len(sights.edges) < 2:
        return Fit(first, None)
    bending = _open(sights.size, camera_height, first, bends=True)
    bent, errors = _refined(sights, bending, 7)
    unexplained = np.concatenate(edge_errors(sights, bent)) / EDGE_MM
    error = float(errors[6]) * max(FINEST, float(np.sqrt((unexplained**2).mean())))
    if abs(bent.distortion[0]) < max(SURE * error, LEAST_BEND):
        return Fit(first, error)
    return Fit(bent, error)


Model = Callable[[Vector], Rectification]


def _open(size: tuple[int, int], height: float, start: Rectification, *, bends: bool) -> Model:
    """Parameters: turn (3), place (2), logarithm of the focal length's change, k1."""
    x, y, _ = start.camera_place
    focal = start.camera[0, 0] * height / start.camera_place[2]

    def model(values: Vector) -> Rectification:
        camera = camera_matrix(float(focal * np.exp(values[5])), size)
        distortion = (float(values[6]), 0.0, 0.0, 0.0, 0.0) if bends else ()
        place = np.asarray([x + values[3], y + values[4], -height])
        return _placed(start.rotation, values[:3], place, Lens(camera, distortion))

    return model


def _known(lens: Lens, start: Rectification) -> Model:
    """Parameters: turn (3), place (2), logarithm of the height's change."""
    x, y, height = start.camera_place

    def model(values: Vector) -> Rectification:
        place = np.asarray([x + values[3], y + values[4], -height * np.exp(values[5])])
        return _placed(start.rotation, values[:3], place, lens)

    return model


def _placed(rotation: Matrix, turn: Vector, place: Vector, lens: Lens) -> Rectification:
    turned = np.asarray(cv2.Rodrigues(turn)[0], np.float64) @ rotation
    return Rectification(lens.camera, turned, -turned @ place, 0.0, (), lens.distortion)


def _refined(sights: Sights, model: Model, count: int) -> tuple[Rectification, npt.NDArray[np.float64]]:
    """Gauss-Newton with weights that doubt what is far off; also one standard error of each parameter."""
    values = np.zeros(count)
    spread = np.ones((count, count))
    for _ in range(ROUNDS):
        rest = _rest(sights, model(values))
        slope = np.column_stack(
            [(_rest(sights, model(values + step)) - rest) / step.sum() for step in np.diag(STEPS[:count])]
        )
        weight = np.minimum(1.0, LOOSE / np.maximum(np.abs(rest), 1e-9))
        normal = slope.T @ (slope * weight[:, None])
        spread = np.linalg.pinv(normal)
        move = -spread @ (slope.T @ (weight * rest))
        values = values + move
        if np.abs(move / STEPS[:count]).max() < 0.05:
            break
    return model(values), np.sqrt(np.diag(spread))


def _rest(sights: Sights, camera: Rectification) -> Vector:
    """What stays unexplained, in standard errors."""
    parts = []
    if len(sights.there):
        away = camera.to_mm(sights.pixels, height=0.0) - sights.there
        parts.append(away.ravel() / CORNER_MM)
    parts += [off / (EDGE_MM * np.sqrt(CLOSE_BY)) for off in edge_errors(sights, camera)]
    return np.concatenate(parts)


def edge_errors(sights: Sights, camera: Rectification) -> list[Vector]:
    """(M,) mm of each edge's points beside where it is, or beside the straight line through them."""
    errors = []
    for i, edge in enumerate(sights.edges):
        points = camera.to_mm(edge, height=0.0)
        if sights.places is not None:
            axis, place = sights.places[i]
            errors.append(points[:, axis] - place)
            continue
        middle = points - points.mean(axis=0)
        across = np.linalg.svd(middle, full_matrices=False)[2][1]
        errors.append(middle @ (across * np.sign(across[np.abs(across).argmax()])))
    return errors
