"""A doubt is shown with the pictures of its moment: the telling ones first, while it is open, upright."""

from pathlib import Path

import numpy as np
import pytest
from evening import Evening
from test_doubts import Eyes

from controller.doubt_pictures import MOST_PICTURES, part_of, telling
from controller.doubts import Candidate, DoubtKind, Problem, problem
from controller.journal import Journal
from controller.journal_replay import past_of
from controller.models import load
from controller.moments_parts import parts, upright
from controller.public import Doubts
from controller.session_inputs import Abandon, Pictured
from rules.events import Claimed, Discarded, MeldKind, Won
from rules.tiles import Seat, Tile

PARTS = tuple(parts(load("longzhuo840"), (2,)))
NAMES = tuple(f"deal-3-doubt-7-{part}.jpg" for part in PARTS)


def shown(found: Problem) -> list[str]:
    return [part_of(name) for name in telling(NAMES, found)]


@pytest.mark.parametrize(
    ("found", "first"),
    [
        (problem(DoubtKind.DICE), ["dice"]),
        (problem(DoubtKind.DEALER), ["dice"]),
        (problem(DoubtKind.SHOWN, zh="三号位"), ["hand-2"]),
        (problem(DoubtKind.UNSURE, zh="二号位牌河的东", en=""), ["pond-1"]),
        (problem(DoubtKind.COPIES, zh="翻牌一万", en=""), ["indicator"]),
        (
            problem(
                DoubtKind.AMBIGUOUS,
                candidates=(
                    Candidate("", (Discarded(Seat.S3, Tile.EAST),)),
                    Candidate("", (Claimed(Seat.S1, MeldKind.PENG, (Tile.EAST,) * 3, Tile.EAST, Seat.S3),)),
                ),
            ),
            ["pond-3", "meld-1"],
        ),
        (
            problem(
                DoubtKind.WINNING_TILE,
                candidates=(Candidate("", (Won(Seat.S2, (Tile.EAST,) * 2, Tile.EAST, Seat.S0),)),),
            ),
            ["hand-2", "pond-0", "meld-2"],
        ),
    ],
)
def test_the_pictures_that_show_what_is_not_clear_come_first(found: Problem, first: list[str]) -> None:
    assert shown(found)[: len(first)] == first


def test_with_nothing_to_go_by_all_are_shown_up_to_a_few() -> None:
    assert shown(problem(DoubtKind.UNEXPLAINED, zh="?", en="?")) == list(PARTS[:MOST_PICTURES])
    assert telling((), problem(DoubtKind.DICE)) == ()


@pytest.mark.parametrize(
    "found",
    [
        problem(DoubtKind.POINTS, zh="庄家一号位，连庄0，各家76 142 100 82"),
        problem(DoubtKind.RECORD),
        problem(DoubtKind.RECORD_CUT, zh="二号位打五筒之后"),
    ],
    ids=lambda found: found.kind,
)
def test_of_what_no_picture_shows_there_is_none(found: Problem) -> None:
    assert shown(found) == []


def test_every_part_is_shown_as_its_owner_sees_it() -> None:
    """What lies on the owner's far side is at the top."""
    image = np.zeros((40, 60, 3), np.uint8)
    image[:, 0] = 200  # the side of seat 3 is left: far from seat 1, who sits at the right
    assert (upright("pond-1", image)[0] == 200).all()
    assert (upright("pond-3", image)[-1] == 200).all()
    assert (upright("hand-2", image)[:, -1] == 200).all()
    for part in ("pond-0", "dice", "indicator"):
        assert (upright(part, image) == image).all()


def doubts(evening: Evening) -> Doubts:
    found = [payload for topic, payload in evening.log.published if topic == "state/doubt"][-1]
    assert isinstance(found, Doubts)
    return found


def doubted(tmp_path: Path) -> tuple[Eyes, Journal]:
    """A hand laid open that does not win, its pictures kept."""
    journal = Journal.open(tmp_path / "journal.db").__enter__()
    eyes = Eyes.begun(Evening(0, keep=journal.write))
    eyes.discard(0, "E")
    eyes.look()
    eyes.show(1, "3s 3s 5s 7s 9s 1p 1p 2p 4p 4p 8p W W")
    eyes.look(wait=20.0)
    (doubt,) = doubts(eyes.evening).doubts
    assert doubt.pictures == ()
    eyes.evening.tell(Pictured(doubt.id, tuple(f"deal-1-doubt-{doubt.id}-{p}.jpg" for p in PARTS)))
    return eyes, journal


def test_a_doubt_names_its_pictures_while_it_is_open_and_after_a_start(tmp_path: Path) -> None:
    eyes, journal = doubted(tmp_path)
    with journal:
        (doubt,) = doubts(eyes.evening).doubts
        assert len(doubt.pictures) > 0
        assert eyes.evening.session.pictures == set(doubt.pictures)
        assert journal.past() == past_of(eyes.evening.log.rows)
        for _ in range(2):
            eyes.evening.begin(journal.past())
            (again,) = doubts(eyes.evening).doubts
            assert set(again.pictures) <= {f"deal-1-doubt-{doubt.id}-{p}.jpg" for p in PARTS}
            assert again.pictures
        eyes.evening.tell(Abandon("referee", "不打了"))
        assert eyes.evening.session.pictures == frozenset()


def test_pictures_of_another_moment_are_shown_with_no_doubt(tmp_path: Path) -> None:
    eyes, journal = doubted(tmp_path)
    with journal:
        before = doubts(eyes.evening)
        eyes.evening.tell(Pictured(None, ("deal-1-won-hand-1.jpg",)))
        eyes.evening.tell(Pictured(99, ("deal-1-doubt-99-hand-1.jpg",)))
        assert doubts(eyes.evening) == before
