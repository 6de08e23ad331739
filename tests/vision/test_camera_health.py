"""Which pictures are no good, by facts alone: noticed within two seconds, never before they are."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.camera_health import TESTS, Facts, Health, Limits, changed_share, facts_of, saw
from vision.images import Frame
from vision.observations import CameraTrouble

GOOD = Facts(at=0.0, size=(1920, 1080), changed=0.6)
LIVE, STILL = Limits(), Limits(frozen_s=None)
BAD = {
    CameraTrouble.BLACK: replace(GOOD, dark=0.99),
    CameraTrouble.OVEREXPOSED: replace(GOOD, bright=0.7),
    CameraTrouble.FROZEN: replace(GOOD, changed=0.0),
}


def run(facts: Facts, seconds: float, *, health: Health, at: float, fps: float = 10.0) -> list[Health]:
    """What is known after each picture of so many seconds."""
    known = []
    for number in range(1, round(seconds * fps) + 1):
        health = saw(health, replace(facts, at=at + number / fps), LIVE)
        known.append(health)
    return known


def well() -> Health:
    return run(GOOD, 1.0, health=Health(), at=0.0)[-1]


@pytest.mark.parametrize("trouble", TESTS)
@pytest.mark.parametrize("fps", [2.5, 10.0, 30.0])
def test_each_trouble_is_noticed_within_two_seconds_and_ends_with_it(
    trouble: CameraTrouble, fps: float
) -> None:
    known = run(BAD[trouble], 4.0, health=well(), at=1.0, fps=fps)
    noticed = next(health for health in known if health.trouble)
    assert noticed.last is not None
    assert 0.5 <= noticed.last.at - 1.0 <= 2.0
    assert {health.trouble for health in known} <= {None, trouble}
    assert known[-1].trouble is trouble
    after = saw(known[-1], replace(GOOD, at=5.1), LIVE)
    assert (after.trouble, after.suspect) == (None, False)


@pytest.mark.parametrize("trouble", TESTS)
def test_nothing_is_read_from_the_first_bad_picture_on(trouble: CameraTrouble) -> None:
    assert all(health.suspect for health in run(BAD[trouble], 3.0, health=well(), at=1.0))


@pytest.mark.parametrize("trouble", TESTS)
def test_a_moment_is_no_trouble(trouble: CameraTrouble) -> None:
    short = run(BAD[trouble], 0.5, health=well(), at=1.0)
    after = run(GOOD, 2.0, health=short[-1], at=1.5)
    assert not any(health.trouble for health in (*short, *after))


def test_an_edge_that_wavers_does_not_make_the_trouble_come_and_go() -> None:
    health = run(BAD[CameraTrouble.BLACK], 2.0, health=well(), at=1.0)[-1]
    for number, dark in enumerate([0.97, 0.99, 0.93, 0.98, 0.91] * 4):
        health = saw(health, replace(GOOD, at=3.0 + 0.1 * number, dark=dark), LIVE)
        assert health.trouble is CameraTrouble.BLACK
    assert saw(health, replace(GOOD, at=6.0, dark=0.85), LIVE).trouble is None


@given(st.lists(st.sampled_from((0.0, 0.0, 0.6)), min_size=30, max_size=80))
def test_a_picture_that_changes_once_a_second_is_never_frozen(changes: list[float]) -> None:
    """Servers that send each picture of a slow camera several times do so."""
    changes = [0.6 if number % 10 == 0 else change for number, change in enumerate(changes)]
    health = well()
    for number, change in enumerate(changes):
        health = saw(health, replace(GOOD, at=1.0 + 0.1 * number, changed=change), LIVE)
        assert health.trouble is None


def test_the_images_of_a_folder_may_stand_still_and_are_read() -> None:
    health = Health()
    for number in range(100):
        health = saw(health, replace(GOOD, at=0.1 * number, changed=0.0), STILL)
        assert (health.trouble, health.suspect) == (None, False)


def test_a_frozen_stream_that_is_opened_again_stays_frozen_until_it_changes() -> None:
    health = run(BAD[CameraTrouble.FROZEN], 2.0, health=well(), at=1.0)[-1]
    again = [replace(GOOD, at=3.1, changed=0.0, opening=1), replace(GOOD, at=3.2, changed=0.0, opening=1)]
    for facts in again:
        health = saw(health, facts, LIVE)
        assert health.trouble is CameraTrouble.FROZEN
    assert saw(health, replace(GOOD, at=3.3, opening=1), LIVE).trouble is None


def test_another_stream_and_another_size_are_news_once() -> None:
    health = well()
    news = []
    for at, opening, size in ((1.1, 0, (1920, 1080)), (1.2, 1, (1920, 1080)), (1.3, 1, (1280, 720))):
        for later in (0.0, 0.05):
            health = saw(health, replace(GOOD, at=at + later, opening=opening, size=size), LIVE)
            news.append(health.news)
    wanted = (CameraTrouble.STREAM_RESTARTED, None, CameraTrouble.SIZE_CHANGED, None)
    assert tuple(news) == (None, None, *wanted)


def noisy(picture: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], seed: int) -> Frame:
    chance = np.random.default_rng(seed)
    noise = np.rint(chance.normal(0, 0.6, picture.shape))
    return Frame(np.clip(picture + noise, 0, 255).astype(np.uint8), 0.1 * seed, seed)


def test_a_still_table_differs_by_its_noise_and_a_repeated_picture_by_nothing() -> None:
    table = np.full((540, 960, 3), (40, 60, 30), np.uint8)
    frames = [noisy(table, seed) for seed in range(6)]
    assert all(facts_of(b, a).changed > 0.2 for a, b in pairwise(frames))
    again = Frame(frames[0].image.copy(), 1.0, 9)
    assert facts_of(again, frames[0]).changed == 0.0


def test_a_clock_written_into_a_frozen_picture_goes_on() -> None:
    before = noisy(np.full((1080, 1920, 3), 90, np.uint8), 1)
    image = before.image.copy()
    image[20:60, 400:440] = 255
    assert 0 < changed_share(Frame(image, 1.1, 1).small, before.small) < 0.002


@pytest.mark.parametrize(
    ("cloth", "marker", "trouble"),
    [
        ((3, 3, 3), 8, CameraTrouble.BLACK),
        ((22, 24, 20), 160, None),  # a black cloth under a lamp
        ((255, 255, 252), 255, CameraTrouble.OVEREXPOSED),
        ((180, 60, 60), 250, None),
    ],
)
def test_darkness_and_glare_are_told_from_cloths(
    cloth: tuple[int, int, int], marker: int, trouble: CameraTrouble | None
) -> None:
    table = np.full((540, 960, 3), cloth, np.uint8)
    table[20:60, 20:60] = table[480:520, 900:940] = marker
    health = Health()
    for number in range(15):
        frame = noisy(table, number)
        health = saw(health, facts_of(frame, None), LIVE)
    assert health.trouble is trouble
