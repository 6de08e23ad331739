"""Only what takes every tile of a set is a configuration."""

import pytest

from firmware_bridge.commands import Four
from firmware_bridge.configuration import adds_up, crc_of


@pytest.mark.parametrize(
    ("tiles", "stacks"),
    [
        (108, (14, 13, 14, 13)),
        (112, (14, 14, 14, 14)),
        (120, (15, 15, 15, 15)),
        (124, (16, 15, 16, 15)),
        (136, (17, 17, 17, 17)),
        (144, (18, 18, 18, 18)),
        (152, (19, 19, 19, 19)),
    ],
)
def test_the_usual_sets_add_up_and_no_stack_may_be_missing(tiles: int, stacks: Four) -> None:
    assert adds_up(tiles, stacks, 0, deals=False)
    assert not adds_up(tiles, (stacks[0] - 1, *stacks[1:]), 0, deals=False)
    assert not adds_up(tiles + 2, (stacks[0] + 1, *stacks[1:]), 0, deals=False)


def test_only_a_machine_that_deals_can_be_set_to_deal() -> None:
    assert adds_up(136, (11, 10, 11, 10), 13, deals=True)
    assert not adds_up(136, (11, 10, 11, 10), 13, deals=False)


def test_a_side_holds_no_more_than_it_can() -> None:
    assert not adds_up(136, (21, 17, 15, 15), 0, deals=False)


def test_the_check_number_is_that_of_the_six_bytes() -> None:
    assert crc_of(136, (17, 17, 17, 17), 0) == 0xB8395389
