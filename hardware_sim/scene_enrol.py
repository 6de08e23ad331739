"""Enrols a simulated set of tiles as one would at a table: row by row, two looks at each."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from hardware_sim.presets import Preset
from hardware_sim.render import Renderer
from hardware_sim.scene_networks import TILE_PIXELS
from hardware_sim.scenes import laid_out
from rules.tiles import Tile
from vision.enrol import Enrolment
from vision.enrol_guided import Look, Row, rows_for
from vision.enrol_learn import learn
from vision.enrol_session import Guide, Taken, Waiting
from vision.enrol_views import Known
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
    finder, namer, renderer = Finder(), Namer(), Renderer(seed, preset=preset)

    def see(guide: Guide, row: Row, number: int, set_colour: int) -> Look:
        scene = replace(laid_out([row.faces], seed + number), set_colour=set_colour)
        scale = TILE_PIXELS * renderer.lens.scale
        return guide.look(renderer.picture(scene), finder, namer, scale=scale)

    rows = rows_for(ALL_FACES)
    known = [_known(rows, preset, partial(see, set_colour=0))]
    # Two sets are in play by turns, alike but for their backs: those of the other one are shown too.
    # Backs that the network takes for blank faces are left out, as people would have to.
    with suppress(RowNotTaken):
        known.append(_known(rows[-1:], preset, partial(see, set_colour=1)))
    return learn(Known.joined(known), kinds=ALL_FACES, tileset=preset.faces).enrolment


def _known(rows: tuple[Row, ...], preset: Preset, see: Callable[[Guide, Row, int], Look]) -> Known:
    guide = Guide(rows, trusting=True, looks=LOOKS)
    for row in rows:
        said: Taken | Waiting | None = None
        for again in range(TRIES):
            # As people do: what was not seen clearly is laid out anew.
            for _ in range(LOOKS):
                if guide.row == row:
                    said = guide.take(see(guide, row, again))
        if guide.row == row:
            words = said.en if isinstance(said, Waiting) else "not seen clearly"
            raise RowNotTaken(f"{preset.name}, {preset.faces}: {row.en}: {words}")
    if guide.known is None:
        raise RowNotTaken(f"{preset.name}, {preset.faces}: no rows")
    return guide.known
