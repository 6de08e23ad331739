"""`longzhuo score --photo`: what is read of a laid-open hand, how it is corrected, and when it is scored."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from controller.cli.score import score
from controller.cli.score_correct import BadCorrection, corrected
from controller.cli.score_reading import Read, Reading, confirmed, faults, reading_of, unsure
from rules.events import MeldKind
from rules.sets import load
from rules.tiles import Tile
from vision.laid import Group

if TYPE_CHECKING:
    from click.testing import Result

DATA = Path(__file__).parent / "data"
CLOSED, ASKEW, SETS = (DATA / f"drawn-hand-{name}.jpg" for name in ("closed", "askew", "sets"))
FACTS = ("--rules", "cixi-card", "--indicator", "1s", "--winner", "1", "--dealer", "0")
SELFDRAWN = (*FACTS, "--by", "selfdraw")
COPIES = dict(load("cixi-card").copies)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(score, [str(a) for a in arguments])


def read(*rows: str, unsure_at: int | None = None) -> Reading:
    """A reading of rows of groups such as ``1m|2m E*|E|E``; * marks a turned tile."""
    reads: list[Read] = []
    laid = []
    for row in rows:
        groups = []
        for text in row.split():
            first, turned = len(reads), set()
            for name in text.split("|"):
                if name.endswith("*"):
                    turned.add(len(reads))
                tile = Tile.parse(name.rstrip("*"))
                reads.append(Read(tile, len(reads) + 1 != unsure_at, 0.6, Tile.P6))
            groups.append(Group(tuple(range(first, len(reads))), frozenset(turned)))
        laid.append(tuple(groups))
    return reading_of(laid, reads)[0]


def wrong(reading: Reading, *, needs_tile: bool = False) -> list[str]:
    return faults(reading, COPIES, needs_tile=needs_tile)


HAND = "1m|2m|3m|4m|5m|6m|7p|8p|9p|2s|2s|5p|5p 5p"


def names(reading: Reading, numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, reading.faces(numbers)))


def test_a_tile_apart_at_the_right_is_the_winning_one() -> None:
    reading = read(HAND)
    assert names(reading, reading.hand) == "1m 2m 3m 4m 5m 6m 7p 8p 9p 2s 2s 5p 5p"
    assert reading.win == 14
    assert not unsure(reading)
    assert not wrong(reading)


def test_sets_are_told_by_their_turned_tiles_wherever_they_lie() -> None:
    for rows in (
        ("E*|E|E 3s|4s*|5s back|9p|9p|back", "2m|3m|4m|7p 7p"),
        ("2m|3m|4m|7p 7p", "E*|E|E 3s|4s*|5s back|9p|9p|back"),
    ):
        reading = read(*rows)
        assert names(reading, reading.hand) == "2m 3m 4m 7p"
        kinds = [each.kind(reading.faces(each.tiles)) for each in reading.sets]
        assert kinds == [MeldKind.PENG, MeldKind.CHI, MeldKind.CONCEALED_KONG]
        assert not unsure(reading)
        assert not wrong(reading)


@pytest.mark.parametrize(
    ("laid", "kind", "back"),
    [
        ("E*|E|E", MeldKind.PENG, 1),
        ("E|E*|E", MeldKind.PENG, 2),
        ("E|E|E*", MeldKind.PENG, 3),
        ("3s|4s|5s*", MeldKind.CHI, 1),
        ("E*|E|E|E", MeldKind.KONG, 1),
        ("E|E|E*|E", MeldKind.ADDED_KONG, 2),
        ("E|E*|E|E", None, None),
        ("E|E|E|E*", None, None),
        ("back|E|E|back", MeldKind.CONCEALED_KONG, None),
    ],
)
def test_a_turned_tile_tells_who_gave_it_as_far_as_it_can(
    laid: str, kind: MeldKind | None, back: int | None
) -> None:
    (each,) = (reading := read(f"2m|3m|4m|5m|6m|7m|8m|8m|9p|9p 9p {laid}")).sets
    assert each.kind(reading.faces(each.tiles)) is kind
    assert each.back(reading.faces(each.tiles)) == back
    assert bool(wrong(reading)) is (kind is None)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ((HAND.removesuffix(" 5p").removesuffix("|5p"),), "2 missing"),
        ((f"9s|{HAND}",), "1 too many"),
        ((HAND.replace("2s|2s|5p|5p 5p", "2s|2s|2s|2s 2s"),), "there can be at most 4"),
        ((HAND.replace("1m", "back"),), "face down: 1"),
        (("5p|5p|5p|2s|2s|3m|4m|5m|6m|7m 8m 1p*|2p|4p",), "is no set"),
        (("5p|5p|5p|2s|2s|3m|4m|5m|6m|7m 8m", "E|E|E"), "who gave the tile"),
        (("",), "14 missing"),
    ],
)
def test_what_can_not_be_is_said(rows: tuple[str, ...], words: str) -> None:
    assert words in " ".join(wrong(read(*rows)))


def test_a_tile_that_belongs_to_nothing_is_left_out_and_told() -> None:
    reading = read("9m", HAND)
    assert reading.out == (15,)
    assert "left out: 15" in " ".join(unsure(reading))
    assert not wrong(reading)
    assert 15 not in confirmed(reading).tiles


def test_unsure_tiles_are_told_and_a_person_settles_them() -> None:
    reading = read(HAND, unsure_at=3)
    assert "not sure: 3" in " ".join(unsure(reading))
    assert not unsure(confirmed(reading))


def test_corrections_change_what_they_name() -> None:
    reading = corrected(read(HAND, unsure_at=3), "3=9s 1=")
    assert names(reading, reading.hand) == "2m 9s 4m 5m 6m 7p 8p 9p 2s 2s 5p 5p"
    assert not unsure(reading)
    assert "1 missing" in " ".join(wrong(reading))
    reading = corrected(reading, "+4p win=12")
    assert reading.size == 14
    assert reading.win == 12
    assert not wrong(reading)
    assert corrected(reading, "win=none").win is None


def test_sets_are_declared_by_a_correction_and_dissolved_by_one() -> None:
    reading = corrected(read("2m|3m|4m|5m|6m|7m|8m|8m|E|E|E|9p|9p 9p"), "set=9,10,11")
    assert "who gave the tile" in " ".join(wrong(reading))
    assert not wrong(corrected(reading, "A=from3"))
    back = corrected(reading, "hand=9,10,11")
    assert back.sets == ()
    assert len(back.hand) == 13


def test_an_open_kong_is_settled_by_a_correction() -> None:
    reading = read("2m|3m|4m|5m|6m|7m|8m|8m|9p|9p 9p E|E*|E|E")
    for word, kind in (("added", MeldKind.ADDED_KONG), ("claimed", MeldKind.KONG)):
        said = corrected(reading, f"a={word}")
        assert said.sets[0].kind(said.faces(said.sets[0].tiles)) is kind
        assert not wrong(said)


@pytest.mark.parametrize(
    "line",
    ["x", "3=10p", "3=?", "99=1m", "win=99", "win=", "set=1,2", "A=from4", "B=from1", "+", "=", "A=added"],
)
def test_a_correction_that_makes_no_sense_changes_nothing_and_says_why(line: str) -> None:
    reading = read("2m|3m|4m|5m|6m|7m|8m|8m|9p|9p 9p E*|E|E")
    with pytest.raises(BadCorrection, match=r"\S"):
        corrected(reading, f"1=9m {line}")
    assert reading.tiles[1].tile is Tile.M2


@pytest.mark.parametrize("photo", [CLOSED, ASKEW])
def test_a_sure_hand_is_scored_as_if_it_had_been_typed(photo: Path) -> None:
    shown = run(*SELFDRAWN, "--photo", photo, "--yes", "--json")
    assert shown.exit_code == 0, shown.output
    typed = run(*SELFDRAWN, "--hand", "123m 456m 789p 22s 55p", "--win", "5p", "--json")
    assert json.loads(shown.stdout) == json.loads(typed.stdout)
    assert "winning 14:5p" in shown.stderr


def test_without_a_terminal_nothing_is_scored_and_the_way_on_is_told() -> None:
    result = run(*SELFDRAWN, "--photo", CLOSED)
    assert result.exit_code == 1
    assert "13:5p" in result.stdout
    assert "合计" not in result.stdout
    assert "--yes" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_yes_is_not_enough_where_something_is_open_and_the_line_can_be_typed_instead() -> None:
    result = run(*SELFDRAWN, "--photo", CLOSED, "--yes", "--meld", "peng EEE from 0")
    assert result.exit_code == 1
    assert "3 too many" in result.stderr
    assert (
        '--hand "1m 2m 3m 4m 5m 6m 7p 8p 9p 2s 2s 5p 5p" --win 5p --meld "peng EEE from 0"' in result.stderr
    )


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--hand", "1m"), "read from the photograph"),
        (("--win", "9s"), "lies apart is 5p"),
        (("--draw", str(CLOSED)), "not written over"),
        (("--enrolled", "nowhere"), "nowhere"),
        (("--winner", "7"), "a seat 0 to 3"),
    ],
)
def test_contradictions_are_one_line(more: tuple[str, ...], words: str) -> None:
    result = run(*SELFDRAWN, "--photo", CLOSED, "--yes", *more)
    assert result.exit_code == 1
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_no_photograph_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "hand.jpg").write_text("no photograph")
    for photo in (tmp_path / "hand.jpg", tmp_path):
        result = run(*SELFDRAWN, "--photo", photo)
        assert result.exit_code == 1
        assert result.stderr.startswith(f"Error: --photo {photo}: is ")
    assert "need --photo" in run(*SELFDRAWN, "--hand", "1m", "--yes").stderr


def test_sets_on_a_photograph_are_read_and_drawn_with_their_numbers(tmp_path: Path) -> None:
    result = run(*SELFDRAWN, "--photo", SETS, "--draw", tmp_path / "out.png")
    lines = result.stdout.splitlines()
    assert lines[0].endswith("1:2m  2:3m  3:4m  4:7p")
    assert "6:E  7:E  8:E   碰 peng" in lines[2]
    assert "9:3s  10:4s  11:5s   吃 chi, 座位 from seat 0" in lines[3]
    assert lines[4].endswith("闷杠 concealed_kong")
    assert (tmp_path / "out.png").stat().st_size > 1000


def test_at_a_terminal_a_person_corrects_and_confirms() -> None:
    near, far = pty.openpty()
    program = [sys.executable, "-c", "from controller.cli import main; main()", "score", *SELFDRAWN]
    with subprocess.Popen(
        [*program, "--photo", str(CLOSED)], stdin=far, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as person:
        os.close(far)
        os.write(near, b"13=\n\n+5p\nnonsense\n\n")
        text = person.communicate(timeout=60)[0].decode()
        os.close(near)
    assert person.returncode == 0, text
    assert "1 missing" in text
    assert "nonsense: expected" in text
    assert "123456m 55789p 22s + 5p" in text
    assert "座位 seat 1" in text
