"""From pixels to millimetres: corner markers in a picture give the camera's place above the table.

Three or four printed ArUco markers lie in the plane of the cloth. Tiles rise above it, and what the camera
reads is their top: seen from a camera 1.2 m high, the top of a 22 mm tile at the table's edge is displaced
by 7 mm. So the camera's pose is recovered and points are mapped through the plane in which they lie.

The pose needs a focal length. From straight above, markers in one plane hardly tell it apart from the
distance, so the camera's height above the cloth is taken as known (a tape measure is good enough: 50 mm of
error displace a tile's top at the edge by 0.3 mm) and the focal length follows from it. Where a calibration
knows the lens (`vision.calibration`), the height follows instead, and the lens may bend lines.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

import cv2
import numpy as np
import numpy.typing as npt

from vision.images import Image, Matrix, Points
from vision.lens import Lens, camera_matrix
from vision.zones import CornerMarkers, TableGeometry

CAMERA_HEIGHT_MM: Final = 1200.0
FEWEST_MARKERS: Final = 3
# Largest distance of a marker's corner from where the pose puts it: more means another plane or a wrong
# marker.
WORST_CORNER_MM: Final = 4.0


class TableNotFound(Exception):
    """The picture doesn't show enough of the table's markers; the message says in words what is missing."""


@dataclass(frozen=True, slots=True, eq=False)
class Rectification:
    """Where the camera is, and so which pixel shows which point of the table.

    Attributes:
        camera: (3, 3) camera matrix: square pixels, principal point in the middle of the picture.
        rotation: (3, 3), table to camera; the table's z axis points down into the table.
        translation: (3,) millimetres.
        error_mm: root mean square distance of the markers' corners from where they should lie.
        markers: numbers of the markers it stands on.
        distortion: of the lens, as `Lens` has it.
    """

    camera: Matrix
    rotation: Matrix
    translation: Matrix
    error_mm: float
    markers: tuple[int, ...]
    distortion: tuple[float, ...] = ()

    @property
    def lens(self) -> Lens:
        """What stays when the camera is moved."""
        return Lens(self.camera, self.distortion)

    def plane(self, height: float) -> Matrix:
        """(3, 3) homography, mm in the plane `height` mm above the cloth to pixels before distortion."""
        origin = self.translation - self.rotation[:, 2] * height
        return self.camera @ np.column_stack((self.rotation[:, 0], self.rotation[:, 1], origin))

    def to_px(self, points: npt.ArrayLike, *, height: float) -> Points:
        """(N, 2) millimetres in a plane above the cloth to (N, 2) pixels."""
        pixels = _map(self.plane(height), points)
        return self.lens.bent(pixels) if self.distortion else pixels

    def to_mm(self, points: npt.ArrayLike, *, height: float) -> Points:
        """(N, 2) pixels to the (N, 2) millimetres they show in the plane `height` mm above the cloth."""
        pixels = np.atleast_2d(np.asarray(points, np.float64))
        straight = self.lens.straight(pixels) if self.distortion else pixels
        return _map(_inverse(self.plane(height)), straight)

    def view(self, image: Image, low: npt.ArrayLike, size: tuple[int, int], *, height: float) -> Image:
        """A part of the plane `height` mm above the cloth from straight above, one pixel a millimetre.

        `low` is the (x, y) in mm of the first pixel, `size` the (width, height) of the part.
        """
        x, y = np.asarray(low, np.float64)
        if not self.distortion:
            to_table = np.asarray([[1, 0, x], [0, 1, y], [0, 0, 1]])
            flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
            return np.asarray(cv2.warpPerspective(image, self.plane(height) @ to_table, size, flags=flags))
        across, down = np.meshgrid(np.arange(size[0]) + x, np.arange(size[1]) + y)
        seen = self.to_px(np.column_stack((across.ravel(), down.ravel())), height=height)
        x_map, y_map = seen.T.astype(np.float32).reshape(2, size[1], size[0])
        return np.asarray(cv2.remap(image, x_map, y_map, cv2.INTER_LINEAR))

    def px_per_mm(self, *, height: float) -> float:
        """Scale in the middle of the table."""
        a, b = self.to_px([[-50.0, 0.0], [50.0, 0.0]], height=height)
        return float(np.hypot(*(b - a)) / 100.0)

    def angle(self, bottom: npt.ArrayLike, top: npt.ArrayLike, *, height: float) -> float:
        """Degrees in [0, 360), clockwise from up, of the way from one pixel to another on the table."""
        start, end = self.to_mm(np.asarray([bottom, top]), height=height)
        return float(np.degrees(np.arctan2(end[0] - start[0], start[1] - end[1])) % 360.0)

    def drift_mm(self, other: Self, *, half: float) -> float:
        """How far the same pixels lie apart under both: the worst of the cloth's corners and its centre."""
        corners = np.asarray([(-half, -half), (half, -half), (half, half), (-half, half), (0.0, 0.0)])
        moved = other.to_mm(self.to_px(corners, height=0.0), height=0.0)
        return float(np.hypot(*(moved - corners).T).max())

    @property
    def camera_place(self) -> tuple[float, float, float]:
        """(x, y, height) of the camera in millimetres over the table."""
        x, y, z = -self.rotation.T @ self.translation
        return float(x), float(y), float(-z)


def find_markers(image: Image, markers: CornerMarkers) -> dict[int, Points]:
    """Corners (4, 2) in pixels (TL, TR, BR, BL as printed) of the table's markers in sight, by number.

    A number that is seen twice is left out: nobody can tell which one is the table's.
    """
    seen = every_marker(image, markers)
    numbers = [number for number, _ in seen]
    return {number: corners for number, corners in seen if numbers.count(number) == 1}


def every_marker(image: Image, markers: CornerMarkers) -> list[tuple[int, Points]]:
    """Number and corners of all that look like markers of the table, as `find_markers` has them."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.dictionary))
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    detector = cv2.aruco.ArucoDetector(dictionary, parameters)
    corners, ids, _ = detector.detectMarkers(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))
    if not corners:
        return []
    found = zip((int(i) for i in np.ravel(ids)), corners, strict=True)
    return [(i, np.asarray(c, np.float64).reshape(4, 2)) for i, c in found if i in markers.centres]


def rectify(
    found: Mapping[int, Points],
    geometry: TableGeometry,
    *,
    size: tuple[int, int],
    camera_height: float = CAMERA_HEIGHT_MM,
    lens: Lens | None = None,
) -> Rectification:
    """The camera's pose from the markers found (`find_markers`) in a picture of (width, height) `size`.

    Where the `lens` is known, `camera_height` is not used.

    Raises:
        TableNotFound: fewer than three markers, or they do not lie as the table says.
    """
    wanted = geometry.markers.centres
    seen = tuple(sorted(number for number in found if number in wanted))
    if len(seen) < FEWEST_MARKERS:
        missing = ", ".join(str(number) for number in sorted(set(wanted) - set(seen)))
        raise TableNotFound(
            f"{len(seen)} of the table's {len(wanted)} corner markers are in the picture, "
            f"{FEWEST_MARKERS} are needed; not seen: {missing}"
        )
    there = np.concatenate([printed(geometry.markers, number) for number in seen])
    pixels = np.concatenate([found[number] for number in seen])
    pose = pose_at(there, pixels, size, camera_height) if lens is None else pose_with(lens, there, pixels)
    away = np.hypot(*(pose.to_mm(pixels, height=0.0) - there).T)
    if away.max() > WORST_CORNER_MM:
        raise TableNotFound(
            f"marker {seen[int(away.argmax()) // 4]} lies {away.max():.0f} mm from its place or is turned; "
            "expected the markers upright at the four corners of the cloth"
        )
    return replace(pose, error_mm=float(np.sqrt((away**2).mean())), markers=seen)


def rectify_picture(
    image: Image, geometry: TableGeometry, *, camera_height: float = CAMERA_HEIGHT_MM
) -> Rectification:
    """`find_markers`, then `rectify`."""
    found = find_markers(image, geometry.markers)
    return rectify(found, geometry, size=(image.shape[1], image.shape[0]), camera_height=camera_height)


def printed(markers: CornerMarkers, number: int) -> Points:
    """(4, 2) millimetres of a marker's corners: TL, TR, BR, BL."""
    x, y = markers.centres[number]
    half = markers.side / 2
    return np.asarray(
        [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]
    )


def pose_at(there: Points, pixels: Points, size: tuple[int, int], camera_height: float) -> Rectification:
    """Pose with the focal length at which the camera stands `camera_height` mm above the cloth."""
    focal = camera_height * _spread(pixels) / _spread(there)
    for _ in range(4):
        pose = pose_with(Lens(camera_matrix(focal, size)), there, pixels)
        focal *= camera_height / pose.camera_place[2]
    return pose


def pose_with(lens: Lens, there: Points, pixels: Points) -> Rectification:
    """Where a camera of known lens stands that sees points (N, 2) mm of the cloth at pixels (N, 2)."""
    straight = lens.straight(pixels)
    flat = np.column_stack((there, np.zeros(len(there))))
    to_pixels = np.asarray(cv2.findHomography(there, straight)[0], np.float64)
    rotation, translation = _first_pose(lens.camera, to_pixels)
    turn, move = cv2.solvePnPRefineLM(
        flat, straight, lens.camera, None, cv2.Rodrigues(rotation)[0], translation.reshape(3, 1)
    )
    rotation = np.asarray(cv2.Rodrigues(turn)[0], np.float64)
    moved = np.asarray(move, np.float64).ravel()
    return Rectification(lens.camera, rotation, moved, 0.0, (), lens.distortion)


def _first_pose(camera: Matrix, to_pixels: Matrix) -> tuple[Matrix, Matrix]:
    """The rotation and translation nearest to a homography of the plane z = 0."""
    columns = _inverse(camera) @ to_pixels
    columns *= np.sign(columns[2, 2]) * 2 / (np.linalg.norm(columns[:, 0]) + np.linalg.norm(columns[:, 1]))
    third = np.cross(columns[:, 0], columns[:, 1])
    left, _, right = np.linalg.svd(np.column_stack((columns[:, 0], columns[:, 1], third)))
    return np.asarray(left @ right, np.float64), columns[:, 2]


def _spread(points: Points) -> float:
    return float(np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()))


def _map(homography: Matrix, points: npt.ArrayLike) -> Points:
    homogeneous = np.atleast_2d(np.asarray(points, np.float64)) @ homography[:, :2].T + homography[:, 2]
    mapped: Points = homogeneous[:, :2] / homogeneous[:, 2:]
    return mapped


def _inverse(homography: Matrix) -> Matrix:
    return np.asarray(np.linalg.inv(homography), np.float64)
