"""What the camera's faults do to its pictures."""

from collections.abc import Iterable
from typing import Final

import cv2
import numpy as np

from hardware_sim.faces_sheet import Picture
from hardware_sim.faults_text import Injection

BLACK_SHARE: Final = 28
"""Behind a lens cap a sensor still gives some noise: so much less than the picture."""
WHITE_GAIN: Final = 14.0
OTHER_PLACE: Final = 77
"""Seed of the room that another camera sees."""


def seen(picture: Picture, faults: Iterable[Injection], px_per_mm: float) -> Picture:
    """The picture (H, W, 3) as it comes out of the camera while the faults stand."""
    for fault in faults:
        match fault.fault.name:
            case "camera-black":
                picture = np.asarray(picture // BLACK_SHARE, np.uint8)
            case "camera-overexposed":
                picture = np.asarray(np.minimum(picture * WHITE_GAIN + 40, 255), np.uint8)
            case "camera-move":
                picture = _moved(picture, fault.number("mm") * px_per_mm)
            case "camera-other":
                picture = _other_place(picture)
            case "camera-size":
                rows = int(fault.number("rows"))
                columns = round(picture.shape[1] * rows / picture.shape[0])
                picture = np.asarray(cv2.resize(picture, (columns, rows), interpolation=cv2.INTER_AREA))
    return picture


def sent(data: bytes, faults: Iterable[Injection]) -> bytes:
    """An encoded picture as it is sent."""
    return data[: len(data) // 2] if any(one.fault.name == "camera-half" for one in faults) else data


def _moved(picture: Picture, pixels: float) -> Picture:
    """The same turned by a degree and moved aside, mostly to the right."""
    height, width = picture.shape[:2]
    aside = np.asarray([[0.0, 0.0, 0.9], [0.0, 0.0, 0.44]]) * pixels
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 1.0, 1.0) + aside
    return np.asarray(cv2.warpAffine(picture, turn, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)


def _other_place(picture: Picture) -> Picture:
    """A room without a table, with the noise of the picture that it replaces."""
    chance = np.random.default_rng(OTHER_PLACE)
    room = cv2.resize(chance.integers(40, 190, (6, 9, 3), np.uint8), picture.shape[1::-1])
    noise = picture & 3
    return np.asarray(cv2.add(room, noise), np.uint8)
