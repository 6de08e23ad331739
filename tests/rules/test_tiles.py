"""Tiles and seats read and write the notation that people use."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tiles import SEATS, Seat, Tile, format_tiles, parse_tiles


def test_every_tile_reads_back_from_its_text() -> None:
    assert [Tile.parse(str(tile)) for tile in Tile] == list(Tile)


@given(st.lists(st.sampled_from(list(Tile))))
def test_runs_of_tiles_read_back_in_their_order(tiles: list[Tile]) -> None:
    assert parse_tiles(format_tiles(tiles)) == tuple(tiles)


def test_every_letter_stands_for_its_tile() -> None:
    names = [*"东南西北中发白梅兰菊竹春夏秋冬"]
    text = "ESWN CFP 12345678f"
    assert [tile.zh for tile in parse_tiles(text)] == names
    assert [parse_tiles(text)[0].zh for text in ("1m", "9m", "5p", "2s")] == ["一万", "九万", "五筒", "二条"]
    assert [int(tile) for tile in parse_tiles("1m 9m 1p 1s E C P 1f 8f")] == [0, 8, 9, 18, 27, 31, 33, 34, 41]


def test_runs_are_written_short() -> None:
    assert format_tiles(parse_tiles("3m4m5m 4p5p6p 2s 2s EE ? back")) == "345m 456p 22s EE ? back"


@pytest.mark.parametrize("text", ["12", "1x", "0m", "ee", "12E", "bac"])
def test_what_is_no_tile_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="not") as error:
        parse_tiles(text)
    assert "\n" not in str(error.value)


def test_faces_know_their_suit_and_rank() -> None:
    assert (Tile.P5.suit, Tile.P5.rank, Tile.P5.zh) == ("p", 5, "五筒")
    assert (Tile.GREEN.suit, Tile.GREEN.rank, Tile.GREEN.zh) == (None, None, "发")
    assert Tile.BAMBOO.is_flower
    assert Tile.BAMBOO.rank == 4
    assert not Tile.BACK.is_honour


def test_seats_go_round_counter_clockwise_and_winds_follow_the_dealer() -> None:
    for seat in SEATS:
        assert seat.next.next is seat.opposite
        assert seat.next.previous is seat
    assert [str(seat.wind(Seat.S2)) for seat in SEATS] == ["W", "N", "E", "S"]
