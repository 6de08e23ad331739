"""Pictures of the moment: only what lies open, bounded in size and days, never in the way of the game."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

import cv2
import numpy as np
import pytest
from evening import Evening
from test_doubts import HAND
from test_doubts import Eyes as Hands

from controller.journal_deals import DoubtRow, EventRow
from controller.journal_inputs import input_from
from controller.journal_rows import DecisionRow
from controller.models import load
from controller.moments import WAITING, Moment, Moments, moment_of
from controller.moments_parts import Area, parts
from controller.session_inputs import Pictured
from hardware_sim.layout import scene_tiles
from hardware_sim.layout_bodies import Bodies
from hardware_sim.scene import Pose
from vision.images import Image

MODEL = load("longzhuo840")
MB = 1_000_000


class Eyes:
    """Everything is grey; the areas that were asked for are remembered."""

    def __init__(self, error: OSError | None = None) -> None:
        self.asked: set[str] = set()
        self.error = error

    async def views(self, areas: Mapping[str, Area], *, height: float) -> Mapping[str, Image]:
        assert height == MODEL.tile.thickness
        if self.error is not None:
            raise self.error
        self.asked = set(areas)
        return {name: np.full((a.height, a.width, 3), 128, np.uint8) for name, a in areas.items()}


def moments(folder: Path, *, most: int = MB, days: float = 30.0) -> Moments:
    return Moments(folder, MODEL, most_bytes=most, keep_days=days)


def test_hands_are_kept_only_where_they_lie_open() -> None:
    hidden = {f"{kind}-{seat}" for kind in ("pond", "meld") for seat in range(4)} | {"indicator", "dice"}
    assert set(parts(MODEL, ())) == hidden
    assert set(parts(MODEL, (2,))) == hidden | {"hand-2"}


def test_no_standing_tile_lies_in_a_part_that_is_kept() -> None:
    racks = tuple(tuple(range(14 * seat, 14 * seat + 14)) for seat in range(4))
    standing = [t for t in scene_tiles(Bodies(racks=racks), seed=1) if t.pose is Pose.STANDING]
    assert len(standing) == 56
    for area in parts(MODEL, ()).values():
        inside = [
            tile
            for tile in standing
            if area.x <= tile.x <= area.x + area.width and area.y <= tile.y <= area.y + area.height
        ]
        assert not inside


def test_the_parts_are_written_under_the_name_of_the_moment(tmp_path: Path) -> None:
    eyes = Eyes()
    names = asyncio.run(moments(tmp_path / "new").keep(Moment("doubt-7", (1,), 7), eyes))
    assert {f"doubt-7-{part}.jpg" for part in eyes.asked} == set(names)
    assert "hand-1" in eyes.asked
    area = parts(MODEL, ())["pond-0"]
    image = cv2.imread(str(tmp_path / "new" / "doubt-7-pond-0.jpg"))
    assert image is not None
    assert image.shape == (area.height, area.width, 3)


def test_what_is_old_or_too_much_is_deleted_the_oldest_first(tmp_path: Path) -> None:
    kept = moments(tmp_path, most=2500, days=2.0)
    for number, age_days in enumerate((0.1, 0.2, 0.3, 5.0)):
        path = tmp_path / f"doubt-{number}-pond-0.jpg"
        path.write_bytes(b"x" * 1000)
        os.utime(path, (1e9 - age_days * 86400, 1e9 - age_days * 86400))
    kept.prune(1e9)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["doubt-0-pond-0.jpg", "doubt-1-pond-0.jpg"]


@pytest.mark.parametrize("eyes", [Eyes(OSError("no space left on the disk"))])
def test_a_picture_that_can_not_be_taken_is_no_trouble_for_the_game(tmp_path: Path, eyes: Eyes) -> None:
    assert asyncio.run(moments(tmp_path).keep(Moment("doubt-1"), eyes)) == ()


def test_more_moments_than_can_wait_are_not_taken(tmp_path: Path) -> None:
    async def wait() -> list[Moment]:
        kept = moments(tmp_path)
        for number in range(WAITING + 3):
            kept.want(Moment(f"doubt-{number}"))
        return [await kept.next() for _ in range(WAITING)]

    assert [moment.name for moment in asyncio.run(wait())][-1] == f"doubt-{WAITING - 1}"


def test_a_doubt_a_win_and_the_indicator_are_moments() -> None:
    doubt = DoubtRow(doubt=7, boot=1, at=0.0, deal=3, kind="shown", zh="", en="", candidates=())
    assert moment_of(doubt, (2,)) == Moment("deal-3-doubt-7", (2,), 7)
    turned = EventRow(deal=3, n=1, boot=1, at=0.0, text="indicator 1m", author="table")
    assert moment_of(turned, ()) == Moment("deal-3-indicator-1")
    discard = EventRow(deal=3, n=2, boot=1, at=0.0, text="discard 0 1m", author="table")
    assert moment_of(discard, ()) is None


def test_the_journal_names_the_pictures_of_a_doubt() -> None:
    evening = Evening(0)
    evening.tell(Pictured(7, ("deal-3-doubt-7-pond-0.jpg",)))
    written = [row for row in evening.log.rows if isinstance(row, DecisionRow) and row.kind == "pictures"]
    assert [row.body for row in written] == ['{"doubt":7,"names":["deal-3-doubt-7-pond-0.jpg"]}']
    assert input_from("Pictured", written[0].body) == Pictured(7, ("deal-3-doubt-7-pond-0.jpg",))


def test_only_hands_that_were_seen_open_are_told_as_open() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    table = Hands(evening)
    table.lay("1m", 86.0, -86.0)
    table.discard(0, "E")
    table.look()
    assert not evening.session.open_hands
    table.show(1, HAND)
    table.look()
    assert evening.session.open_hands == (1,)
