"""What a running table reads in made-up scenes, camera preset by camera preset."""

from __future__ import annotations

from dataclasses import dataclass

from hardware_sim import presets
from hardware_sim.scene_read import Reading, SceneReader


@dataclass(frozen=True)
class Scenes:
    """Which scenes are read: the key of their section, the presets, scenes of each, the first one's seed."""

    key: str
    names: tuple[str, ...]
    count: int
    seed: int


SHORT = Scenes("presets", ("messy", "dim", "glare", "720p"), 1, 9000)
LONG = Scenes(
    "presets-long",
    # A common pond lies where a messy one does: to a camera the tiles are the same.
    tuple(name for name, preset in presets.ALL.items() if preset.ponds is not presets.Ponds.COMMON),
    2,
    9504,
)


def scene_rows(scenes: Scenes) -> dict[str, dict[str, float]]:
    """The figures of each preset."""
    rows = {}
    for name in scenes.names:
        total = Reading()
        for reading, _ in SceneReader(presets.named(name)).scenes(scenes.count, scenes.seed):
            total.add(reading)
        rows[name] = {
            "tiles": total.tiles,
            "found %": 100 * total.found / total.tiles,
            "right %": 100 * total.named / total.tiles,
            "sure %": 100 * total.sure / total.tiles,
            "sure wrong %": 100 * (total.wrong + total.strange) / total.tiles,
        }
    return rows
