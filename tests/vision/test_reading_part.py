"""Where only part of a tile was found, no face is told that this part looks like."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from controller.models import load
from hardware_sim.presets import named
from hardware_sim.render import Renderer
from hardware_sim.scene import Scene, SceneTile
from rules.tiles import Tile
from vision.find import Finder, Found
from vision.images import Frame
from vision.name import Namer
from vision.observations import Appeared, Observation
from vision.reading_eyes import Eyes, SightSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.find_parts import Box
    from vision.images import Image

LOOKS = (0.0, 0.3, 0.5, 0.7, 1.1, 1.5)


class LowerParts(Finder):
    """A finder that takes the lower two thirds of each tile that lies upright for a tile lying across."""

    def find_in(self, image: Image, parts: Sequence[Box], scale: float) -> list[Found]:
        return [self._lower(found) for found in super().find_in(image, parts, scale)]

    def _lower(self, found: Found) -> Found:
        upright = found.quad if found.quad[0, 1] < found.quad[3, 1] else found.quad[[2, 3, 0, 1]]
        _, _, right, left = upright
        across, up = right - left, upright[0] - left
        middle = (left + right) / 2 + up / 3
        a, b = 0.55 * across, 0.32 * up
        corners = [middle - a - b, middle - a + b, middle + a + b, middle + a - b]
        return replace(found, quad=np.asarray(corners, np.float32))


def names(finder: Finder) -> set[str]:
    """The names told of a 7p that lies still."""
    renderer = Renderer(3, preset=named("tidy", faces="riichi"))
    scene = Scene((SceneTile(1, Tile.P7, 20.0, 184.0, 0.0),))
    eyes = Eyes(load("longzhuo840"), SightSettings(), finder, Namer())
    told: list[Observation] = []
    for number, at in enumerate(LOOKS):
        jpeg = cv2.imencode(".jpg", renderer.picture(scene))[1].tobytes()
        told += eyes.look(Frame(jpeg, at, number))
    return {one.tile for one in told if isinstance(one, Appeared)}


def test_the_lower_part_of_seven_circles_is_no_four_circles() -> None:
    assert names(Finder()) == {"7p"}
    assert names(LowerParts()) <= {"7p", "?"}
