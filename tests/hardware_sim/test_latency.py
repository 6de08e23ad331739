"""The stages of a discard: each ends where the next begins, and only what was seen and heard counts."""

import msgspec
import pytest

from controller.journal_deals import EventRow
from controller.journal_rows import InputRow
from hardware_sim.latency import HeardDiscard, discards, latency
from hardware_sim.scene import seat_point
from hardware_sim.truth import Lain
from vision.observations import Appeared

BEGUN = 1_796_000_000.0


def lain(at: float, tile: str, seat: int, v: float = 184.0) -> Lain:
    x, y = seat_point(seat, -145.0, v)
    return Lain(at=BEGUN + at, tiles=((7, tile, x, y),))


def read(at: float, tile: str, seat: int) -> InputRow:
    x, y = seat_point(seat, -144.0, 183.0)
    seen = Appeared(at=at, id=1, tile=tile, x=x, y=y)
    return InputRow(boot=1, at=BEGUN + at, kind="Appeared", body=msgspec.json.encode(seen).decode())


def event(at: float, tile: str, seat: int) -> EventRow:
    return EventRow(deal=1, n=2, boot=1, at=BEGUN + at, text=f"discard {seat} {tile}", author="table")


def heard(at: float, tile: str, seat: int) -> HeardDiscard:
    return HeardDiscard(BEGUN + at, seat, tile)


@pytest.mark.parametrize("seat", range(4))
def test_a_discard_is_followed_from_its_rest_to_the_message(seat: int) -> None:
    found = discards(
        [lain(1.0, "5p", seat)], [read(1.5, "5p", seat)], [event(2.0, "5p", seat)], [heard(2.1, "5p", seat)]
    )
    stages = latency(found, discarded=3, taken_back=1)
    assert (stages.discards, stages.left_out, stages.taken_back) == (1, 2, 1)
    assert stages.lying_to_read.p50 == pytest.approx(0.5)
    assert stages.read_to_event.p50 == pytest.approx(0.5)
    assert stages.event_to_heard.p99 == pytest.approx(0.1)
    assert stages.lying_to_heard.p99 == pytest.approx(1.1)


def test_what_lay_elsewhere_or_was_never_heard_of_is_left_out() -> None:
    events, inputs = [event(2.0, "5p", 1)], [read(1.5, "5p", 1)]
    told = [heard(2.1, "5p", 1)]
    assert discards([lain(1.0, "5p", 1, v=333.0)], inputs, events, told) == ()
    assert discards([lain(1.0, "5p", 0)], inputs, events, told) == ()
    assert discards([lain(1.0, "5p", 1)], inputs, events, []) == ()
    assert discards([lain(1.0, "5p", 1)], [], events, told) == ()


def test_two_equal_discards_of_one_seat_have_each_their_own_times() -> None:
    first, second = discards(
        [lain(1.0, "5p", 1), lain(9.0, "5p", 1)],
        [read(1.5, "5p", 1), read(9.2, "5p", 1)],
        [event(2.0, "5p", 1), event(9.5, "5p", 1)],
        [heard(2.1, "5p", 1), heard(9.9, "5p", 1)],
    )
    assert (first.lay, first.read, first.heard) == (BEGUN + 1.0, BEGUN + 1.5, BEGUN + 2.1)
    assert (second.lay, second.read, second.heard) == (BEGUN + 9.0, BEGUN + 9.2, BEGUN + 9.9)


def test_no_discard_is_no_measurement() -> None:
    with pytest.raises(ValueError, match="no discard was read"):
        latency((), discarded=3, taken_back=0)
