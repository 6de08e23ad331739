"""Enrols a simulated set of tiles as one would at a table: row by row, two looks at each."""

from hardware_sim.presets import Preset
from hardware_sim.render import Renderer
from hardware_sim.scenes import laid_out
from rules.tiles import Tile
from vision.enrol import Enrolment
from vision.enrol_guided import look, rows_for
from vision.enrol_learn import learn
from vision.enrol_session import Guide
from vision.find import Finder
from vision.name import Namer

LOOKS = 2
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
    while (row := guide.row) is not None:
        scene = laid_out([row.faces], seed + guide.number)
        said = None
        for _ in range(LOOKS):
            said = guide.take(look(renderer.picture(scene), finder, namer))
        if guide.row is row:
            raise RowNotTaken(f"{preset.name}, {preset.faces}: {row.en}: {getattr(said, 'en', 'not clear')}")
    if guide.known is None:
        raise RowNotTaken(f"{preset.name}, {preset.faces}: no rows")
    return learn(guide.known, kinds=ALL_FACES, tileset=preset.faces).enrolment
