"""Enrols a simulated set of tiles as one would at a table: row by row, two looks at each."""

from dataclasses import replace

from hardware_sim.presets import Preset
from hardware_sim.render import Renderer
from hardware_sim.scene_networks import TILE_PIXELS
from hardware_sim.scenes import laid_out
from rules.tiles import Tile
from vision.enrol import Enrolment
from vision.enrol_guided import look, rows_for
from vision.enrol_learn import learn
from vision.enrol_session import Guide, Taken, Waiting
from vision.find import Finder
from vision.name import Namer

LOOKS = 2
TRIES = 6
ALL_FACES = frozenset(tile for tile in Tile if 0 <= tile < Tile.BACK)


class RowNotTaken(ValueError):
    """A row of the enrolment was not seen well; the message says which and why."""


def enrolled(preset: Preset, seed: int = 0) -> Enrolment:
    """Return what an enrolment learns of the preset's faces at the table with this seed.

    Raises:
        RowNotTaken: a row could not be learned.
    """
    finder, namer = Finder(), Namer()
    renderer = Renderer(seed, preset=preset)
    guide = Guide(rows_for(ALL_FACES), trusting=True, looks=LOOKS)
    for row in rows_for(ALL_FACES):
        said: Taken | Waiting | None = None
        for again in range(TRIES):
            # As people do: what was not seen clearly is laid out anew, the backs of the other set perhaps.
            scene = replace(laid_out([row.faces], seed + again), set_colour=again % 2)
            for _ in range(LOOKS):
                if guide.row == row:
                    picture = renderer.picture(scene)
                    said = guide.take(look(picture, finder, namer, scale=TILE_PIXELS * renderer.lens.scale))
        if guide.row == row:
            words = said.en if isinstance(said, Waiting) else "not seen clearly"
            raise RowNotTaken(f"{preset.name}, {preset.faces}: {row.en}: {words}")
    if guide.known is None:
        raise RowNotTaken(f"{preset.name}, {preset.faces}: no rows")
    return learn(guide.known, kinds=ALL_FACES, tileset=preset.faces).enrolment
