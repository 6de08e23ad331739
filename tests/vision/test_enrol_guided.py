"""Rows laid out at the table: which looks show the row that was asked for, and what is said about others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from rules.tiles import Tile, parse_tiles
from vision.enrol import unit
from vision.enrol_guided import BACK_ROW, Look, Row, Trouble, judge, rows_for
from vision.enrol_lines import lines_of
from vision.enrol_session import Guide, Taken, Waiting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PLAIN = frozenset(t for t in Tile if 0 <= t < Tile.PLUM)
CHARACTERS, DOTS, BAMBOOS, HONOURS, BACKS = rows_for(PLAIN)
TILE = np.array([(-15, -20), (15, -20), (15, 20), (-15, 20)], np.float32)
EMBEDDINGS = unit(np.random.default_rng(7).normal(0, 1, (44, 128)).astype(np.float32))


def quads(count: int, *, at: tuple[float, float] = (200, 200), turn: float = 0.0) -> Floats:
    """Tiles side by side, the row turned by so many degrees about its middle."""
    angle = np.radians(turn)
    turning = np.array([(np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))])
    flat = [np.add(TILE, ((k - (count - 1) / 2) * 31, 0)) for k in range(count)]
    return np.asarray(np.array(flat).reshape(-1, 4, 2) @ turning.T + at, np.float32)


def seen(names: str | Sequence[Tile], places: Floats | None = None, *, sure: float = 0.96) -> Look:
    """A look at tiles side by side that look like these, each so surely."""
    tiles = parse_tiles(names) if isinstance(names, str) else names
    shares = np.full((len(tiles), 44), (1 - sure) / 43, np.float32)
    for k, tile in enumerate(tiles):
        shares[k, int(tile)] = sure
    there = quads(len(tiles)) if places is None else places
    return Look(np.zeros((400, 400, 3), np.uint8), there, shares, EMBEDDINGS[[int(t) for t in tiles]])


def together(*looks: Look) -> Look:
    return Look(
        looks[0].picture,
        *(np.concatenate([getattr(x, n) for x in looks]) for n in ("quads", "probabilities", "embeddings")),
    )


# ---- lines -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [0, 90, 37, 180, -80])
def test_tiles_side_by_side_are_one_line_however_the_row_lies(turn: float) -> None:
    chance = np.random.default_rng(3)
    order = chance.permutation(9)
    tiles = quads(9, turn=turn)[order]
    tiles[::2] = np.roll(tiles[::2], 2, axis=1)  # found as half turns
    (line,) = lines_of(tiles + chance.normal(0, 0.7, tiles.shape).astype(np.float32))
    along = [int(k) for k in order[line]]
    assert along in (list(range(9)), list(range(9))[::-1])


def test_rows_below_each_other_and_tiles_apart_are_lines_of_their_own() -> None:
    tiles = np.concatenate(
        [quads(9), quads(7, at=(200, 243)), quads(2, at=(500, 200)), quads(1, at=(60, 90))]
    )
    assert [len(line) for line in lines_of(tiles)] == [9, 7, 2, 1]


def test_a_tile_laid_across_does_not_belong_to_the_row() -> None:
    tiles = np.concatenate([quads(8), quads(1, at=(200 + 4.7 * 31, 200), turn=90)])
    assert [len(line) for line in lines_of(tiles)] == [8, 1]


# ---- one look ----------------------------------------------------------------------------------------------


def test_rows_are_those_of_the_set_and_its_backs() -> None:
    assert [len(row.faces) for row in rows_for(PLAIN)] == [9, 9, 9, 7, 4]
    assert len(rows_for(PLAIN | {Tile.PLUM, Tile.WINTER})[4].faces) == 2
    assert {t for row in rows_for(frozenset(Tile) - {Tile.UNKNOWN}) for t in row.faces} == set(Tile) - {
        Tile(-1)
    }


@pytest.mark.parametrize("names", ["123456789m", "987654321m"])
def test_the_row_from_either_end_is_taken_and_each_tile_gets_its_face(names: str) -> None:
    look = seen(names)
    (laid,) = judge(CHARACTERS, look).laid
    assert laid.faces == CHARACTERS.faces
    assert tuple(parse_tiles(names)[n] for n in laid.tiles) == CHARACTERS.faces


def test_a_row_the_network_hardly_knows_is_taken_as_it_lies() -> None:
    look = seen("113356779m", sure=0.6)
    assert judge(CHARACTERS, look).trouble is None


@pytest.mark.parametrize("trusting", [False, True])
def test_a_row_the_network_does_not_know_begins_where_the_row_before_began(*, trusting: bool) -> None:
    misread = seen("997744331m", sure=0.3)  # rather from the other end
    verdict = judge(CHARACTERS, seen("555555555m", sure=0.3), trusting=trusting)
    assert (verdict.trouble, verdict.laid) == (Trouble.WHICH_END, ())
    for way in (1, -1):
        before = np.array([way, 0.1], np.float32)
        for look in (misread, seen("555555555m", sure=0.3)) if way == -1 else (seen("555555555m", sure=0.3),):
            (laid,) = judge(CHARACTERS, look, trusting=trusting, before=before).laid
            assert list(laid.tiles) == list(range(9))[::way]
    across = np.array([0, 1], np.float32)
    assert judge(CHARACTERS, seen("555555555m", sure=0.3), before=across).trouble is Trouble.WHICH_END


def test_a_row_laid_clearly_from_the_other_end_than_the_one_before_is_read_so() -> None:
    (laid,) = judge(CHARACTERS, seen("987654321m"), before=np.array([1, 0], np.float32)).laid
    assert list(laid.tiles) == list(range(9))[::-1]


def trouble(row: Row, look: Look) -> tuple[Trouble | None, str]:
    verdict = judge(row, look)
    assert verdict.zh
    return verdict.trouble, verdict.en


def test_swapped_tiles_are_refused_with_their_names() -> None:
    assert trouble(CHARACTERS, seen("124356789m")) == (Trouble.SWAPPED, "swapped: 3m, 4m")
    assert judge(CHARACTERS, seen("124356789m"), trusting=True).trouble is None


def test_another_row_is_refused() -> None:
    assert trouble(CHARACTERS, seen("123456789p")) == (
        Trouble.OTHER_ROW,
        "looks like another row: 1p 2p 3p 4p 5p 6p 7p 8p 9p",
    )


def test_one_tile_that_clearly_looks_otherwise_is_refused() -> None:
    assert trouble(DOTS, seen("123456788p")) == (
        Trouble.ODD,
        "tile 9 should be 9p, looks like 8p",
    )


def test_too_few_tiles_as_under_an_arm_are_counted() -> None:
    covered = np.delete(quads(9), [3, 4, 5], axis=0)
    assert trouble(CHARACTERS, seen("123789m", covered)) == (
        Trouble.COUNT,
        "3 tiles in a row, 9 are needed (side by side, hands away)",
    )
    empty = seen([], np.zeros((0, 4, 2), np.float32))
    assert trouble(CHARACTERS, empty) == (Trouble.NO_TILES, "no tiles seen")


def test_other_tiles_on_the_table_do_no_harm() -> None:
    wall = seen([Tile.BACK] * 17, quads(17, at=(200, 500)))
    look = together(wall, seen("123456789m"), seen("5s 9p", quads(2, at=(800, 30))))
    (laid,) = judge(CHARACTERS, look).laid
    assert list(laid.tiles) == list(range(17, 26))


def test_two_rows_are_asked_for_where_two_are_wanted() -> None:
    one, other = seen("123456789m"), seen("987654321m", quads(9, at=(200, 243)))
    assert judge(CHARACTERS, one, copies=2).en == "1 such rows seen, 2 are needed"
    assert len(judge(CHARACTERS, together(one, other), copies=2).laid) == 2


def test_backs_are_any_row_of_enough_of_them() -> None:
    assert judge(BACK_ROW, seen([Tile.BACK] * 3)).en == "3 backs in a row, at least 4 are needed"
    (laid,) = judge(BACK_ROW, seen([Tile.BACK] * 6)).laid
    assert laid.faces == (Tile.BACK,) * 6
    assert judge(BACK_ROW, seen("123456789m")).trouble is Trouble.COUNT


# ---- one look after another --------------------------------------------------------------------------------


def test_a_guide_goes_from_row_to_row_and_keeps_the_tiles() -> None:
    guide = Guide([CHARACTERS, HONOURS])
    assert guide.take(seen("123456789m")) is None  # once is not enough
    assert isinstance(guide.take(seen("123456789m")), Taken)
    assert (guide.row, guide.number) == (HONOURS, 2)
    honours = seen("ESWNCFP")
    guide.take(honours)
    taken = guide.take(honours)
    assert isinstance(taken, Taken)
    assert taken.names == ("E", "S", "W", "N", "C", "F", "P")
    known = guide.known
    assert guide.row is None
    assert known is not None
    assert list(known.faces) == [int(t) for t in (*CHARACTERS.faces, *HONOURS.faces)]


def test_the_row_before_is_not_taken_for_the_next_one_even_from_the_other_end() -> None:
    guide = Guide([CHARACTERS, DOTS], trusting=True, looks=1)
    look = seen("123456789m", sure=0.3)
    assert isinstance(guide.take(look), Taken)
    turned = seen("987654321m", sure=0.3)
    for again in (look, turned):
        waiting = guide.take(again)
        assert isinstance(waiting, Waiting)
        assert waiting.en == "still the row before, lay the next one"
    assert guide.row is DOTS


def test_tiles_that_move_or_change_between_looks_are_looked_at_again() -> None:
    guide = Guide([CHARACTERS])
    assert guide.take(seen("123456789m")) is None
    assert guide.take(seen("123456789m", quads(9, at=(230, 200)))) is None
    blurred = seen("123456789m", quads(9, at=(230, 200)))
    blurred.embeddings[4] = EMBEDDINGS[40]
    waiting = guide.take(blurred)
    assert isinstance(waiting, Waiting)
    assert waiting.en == "not seen clearly: 5m"
    assert isinstance(guide.take(blurred), Taken)


def test_a_row_given_up_is_named_and_the_next_one_asked_for() -> None:
    guide = Guide([CHARACTERS, DOTS])
    assert Guide([DOTS]).known is None
    guide.skip()
    assert (guide.row, guide.skipped) == (DOTS, (CHARACTERS,))
    guide.skip()
    guide.skip()
    assert guide.skipped == (CHARACTERS, DOTS)
    with pytest.raises(ValueError, match="no row"):
        guide.take(seen("123456789m"))


def test_copies_are_not_asked_for_of_backs_and_flowers() -> None:
    flowers = rows_for(frozenset({Tile.PLUM, Tile.ORCHID}))[0]
    guide = Guide([flowers, BACKS], copies=2, looks=1)
    assert isinstance(guide.take(seen([Tile.PLUM, Tile.ORCHID])), Taken)
    assert isinstance(guide.take(seen([Tile.BACK] * 4)), Taken)
