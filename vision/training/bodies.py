"""Draws tile bodies in perspective: two-tone sides, the face or the back on top, shaded by one lamp.

Lengths are millimetres on the table; z is up; pictures are BGR. A picture of bodies is kept with a map of
which body and which face each pixel shows, so that occlusion is counted and not guessed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Picture = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Camera:
    """A pinhole: world point p appears at K (R p + t)."""

    matrix: Floats
    """3x4 projection to pixels."""
    position: Floats
    """(3,) mm."""

    def project(self, points: Floats) -> Floats:
        """World (N, 3) mm to pixels (N, 2)."""
        q = points @ self.matrix[:, :3].T + self.matrix[:, 3]
        out: Floats = q[:, :2] / q[:, 2:]
        return out


def look_from(
    *, tilt: float, roll: float, focal: float, distance: float, centre: tuple[float, float]
) -> Camera:
    """A camera that looks at the origin from `distance` mm, `tilt` rad off the vertical, turned by `roll`.

    `focal` and `centre` are pixels. With tilt 0 and roll 0 the picture's x and y are the table's (y down).
    """
    cr, sr, ct, st = np.cos(roll), np.sin(roll), np.cos(tilt), np.sin(tilt)
    turn = np.array([[cr, -sr, 0.0], [sr, cr, 0.0], [0.0, 0.0, 1.0]])
    # World z is up while the camera looks down: the picture's axes x, y and the depth -z form a left-handed
    # world, so that a face seen from above keeps its writing direction.
    down = np.array([[1.0, 0.0, 0.0], [0.0, ct, -st], [0.0, -st, -ct]])
    rotation = down @ turn
    shift = np.array([0.0, 0.0, distance])
    k = np.array([[focal, 0.0, centre[0]], [0.0, focal, centre[1]], [0.0, 0.0, 1.0]])
    matrix = k @ np.hstack([rotation, shift[:, None]])
    return Camera(matrix=matrix, position=-rotation.T @ shift)


@dataclass(frozen=True, slots=True)
class Body:
    """One tile: local x is right and y down on the face, z out of the face; the face lies at z = t."""

    tile: int
    """0..41 the face, whatever lies up."""
    face: Picture
    back: Picture
    size: tuple[float, float, float]
    """Width, height, thickness mm."""
    rotation: Floats
    """3x3 local to world; the columns are the local axes."""
    origin: Floats
    """World position of the local origin: the face's top left corner at the back layer."""

    def corners(self, z0: float, z1: float) -> Floats:
        """The 8 world corners of a slab between local heights z0 and z1: four and four (TL, TR, BR, BL)."""
        w, h, _ = self.size
        flat = np.array([(0, 0), (w, 0), (w, h), (0, h)], np.float64)
        local = np.vstack([np.hstack([flat, np.full((4, 1), z)]) for z in (z0, z1)])
        out: Floats = local @ self.rotation.T + self.origin
        return out

    @property
    def middle(self) -> Floats:
        """World centre."""
        return np.asarray(self.origin + self.rotation @ (np.array(self.size) / 2), np.float64)


_SIDES = ((0, 1, (0.0, -1.0)), (1, 2, (1.0, 0.0)), (2, 3, (0.0, 1.0)), (3, 0, (-1.0, 0.0)))


@dataclass(slots=True)
class Canvas:
    """A picture being drawn, and what each pixel of it shows (0 nothing; 2i body i; 2i + 1 its main face)."""

    picture: Picture
    owner: NDArray[np.int32]
    quads: dict[int, tuple[Floats, bool]] = field(default_factory=dict)
    """Body number to the projected main face (4, 2) and whether it is the back."""


@dataclass(frozen=True, slots=True)
class Light:
    """Direction to the lamp (unit, world) and the part of the light that comes from everywhere."""

    to: Floats
    ambient: float

    def on(self, normal: Floats) -> float:
        """Brightness factor of a surface."""
        return self.ambient + (1 - self.ambient) * max(0.0, float(normal @ self.to))


def _fill(canvas: Canvas, points: Floats, colour: Sequence[float], owner: int) -> None:
    px = np.round(points * 16).astype(np.int32)
    cv2.fillConvexPoly(canvas.picture, px, tuple(float(c) for c in colour), cv2.LINE_AA, 4)
    cv2.fillConvexPoly(canvas.owner, px, float(owner), cv2.LINE_8, 4)


def _paste(canvas: Canvas, texture: Picture, quad: Floats, gain: float) -> None:
    high, wide = canvas.picture.shape[:2]
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 1, (wide, high))
    if x1 <= x0 or y1 <= y0:
        return
    th, tw = texture.shape[:2]
    source = np.array([(0, 0), (tw, 0), (tw, th), (0, th)], np.float32)
    target = (quad - (x0, y0)).astype(np.float32)
    size = (int(x1 - x0), int(y1 - y0))
    matrix = cv2.getPerspectiveTransform(source, target)
    warped = cv2.warpPerspective(
        texture, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillConvexPoly(mask, np.round(target * 16).astype(np.int32), 255.0, cv2.LINE_AA, 4)
    part = canvas.picture[y0:y1, x0:x1]
    alpha = mask[..., None].astype(np.float32) / 255
    part[:] = np.clip(part * (1 - alpha) + warped * (alpha * gain), 0, 255).astype(np.uint8)


def _faces_camera(points: Floats, normal: Floats, camera: Camera) -> bool:
    return float((camera.position - points.mean(0)) @ normal) > 0


def draw_body(canvas: Canvas, body: Body, number: int, camera: Camera, light: Light, layer: float) -> None:  # noqa: PLR0913, PLR0917 (a drawing verb)
    """Draw one body over what is there; `layer` is the back layer's part of the thickness."""
    t = body.size[2]
    back_colour, paper = (
        body.back[64, 48].astype(float),
        np.median(body.face[4:-4:6, 4:8].reshape(-1, 3), axis=0),
    )
    for z0, z1, colour in ((0.0, layer * t, back_colour), (layer * t, t, paper)):
        slab = body.corners(z0, z1)
        for a, b, n in _SIDES:
            normal = body.rotation @ np.array((*n, 0.0))
            strip = slab[[a, b, b + 4, a + 4]]
            if _faces_camera(strip, normal, camera):
                _fill(canvas, camera.project(strip), colour * (0.88 * light.on(normal)), 2 * number)
    slab = body.corners(0.0, t)
    for points, normal, texture, is_back in (
        (slab[[1, 0, 3, 2]], -body.rotation[:, 2], body.back, True),
        (slab[4:], body.rotation[:, 2], body.face, False),
    ):
        if not _faces_camera(points, normal, camera):
            continue
        quad = camera.project(points)
        _fill(canvas, quad, paper, 2 * number + 1)
        _paste(canvas, texture, quad, light.on(normal))
        canvas.quads[number] = (quad, is_back)


def draw_shadow(mask: NDArray[np.uint8], body: Body, camera: Camera, light: Light) -> None:
    """Darken the cloth where the body keeps the lamp off it: draws onto a mask of the picture's size."""
    corners = body.corners(0.0, body.size[2])
    away = light.to[:2] / max(0.3, float(light.to[2]))
    ground = corners.copy()
    ground[:, :2] -= corners[:, 2:] * away
    ground[:, 2] = 0.0
    hull = cv2.convexHull(camera.project(ground).astype(np.float32))
    cv2.fillConvexPoly(mask, np.round(hull * 16).astype(np.int32), 255.0, cv2.LINE_AA, 4)


def facing(pose: str, turn: float) -> Floats:
    """The rotation of a body lying face up or down, or standing; `turn` radians about the vertical.

    The world has y down as in the picture and z up: a mirror frame, and so are the local axes.
    """
    c, s = np.cos(turn), np.sin(turn)
    about = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    axes = {
        "up": np.eye(3),
        "down": np.diag((-1.0, 1.0, -1.0)),
        # Standing: the face looks along +y of the picture, its top edge is up.
        "stand": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]),
        "away": np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, -1.0, 0.0]]),
        # Lying on its long side, the face to +y.
        "side": np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    }[pose]
    out: Floats = about @ axes
    return out
