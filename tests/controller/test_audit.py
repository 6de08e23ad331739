"""`longzhuo audit` finds loaded dice and changed rows, accuses none in vain, says no more than it saw."""

import sqlite3
from contextlib import closing
from math import sqrt
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from evening import Evening

from controller.chance import ALPHA, FEWEST, Result, beyond, compared, independent
from controller.cli import main
from controller.fairness import FACES, SUMS, Seen, in_words, proofs
from controller.journal import Journal
from controller.journal_deals import DealRow, EventRow, OutcomeRow
from controller.journal_decisions import DiceKnown
from controller.journal_inputs import body_of
from controller.journal_rows import BootRow, DecisionRow, InputRow
from firmware_bridge.messages import DiceCommitted, DiceRevealed, DiceRolled
from firmware_bridge.virtual_dice import digest_of, roll_values
from rules import sets

RUNS = 4000


def rolled(rng: Random, number: int, weights: tuple[float, ...] = (1, 1, 1, 1, 1, 1)) -> list[int]:
    return rng.choices(range(1, 7), weights, k=number)


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [(3.841, 1, 0.05), (11.070, 5, 0.05), (20.515, 5, 0.001), (18.307, 10, 0.05), (63.870, 33, 0.001)],
)
def test_the_distribution_is_that_of_the_tables(statistic: float, freedom: int, chance: float) -> None:
    assert beyond(statistic, freedom) == pytest.approx(chance, rel=2e-3)


def test_fair_dice_are_accused_no_more_often_than_stated() -> None:
    rng = Random(1)  # noqa: S311 - dice
    results = [compared(rolled(rng, 400), FACES) for _ in range(RUNS)]
    accused = sum(result.biased for result in results)
    by_stake = sum((result.stake or 0.0) > 1 / ALPHA for result in results)
    # Two tests of 0.001 each: 8 are expected at most; 20 would be seen less than once in 5,000 runs.
    assert accused <= 20
    assert by_stake <= 12


@pytest.mark.parametrize(("share", "number", "found"), [(0.25, 1000, 95), (0.22, 4000, 95), (0.30, 400, 95)])
def test_loaded_dice_are_found(share: float, number: int, found: int) -> None:
    rng = Random(2)  # noqa: S311 - dice
    loaded = ((1 - share) / 5,) * 5 + (share,)
    assert sum(compared(rolled(rng, number, loaded), FACES).biased for _ in range(100)) >= found


def test_what_is_stated_to_be_found_nine_times_in_ten_is_found_so_often() -> None:
    number = 2000
    detectable = compared([1] * number, FACES).detectable
    share = 1 / 6 + detectable / sqrt(7.2)
    rng = Random(3)  # noqa: S311 - dice
    loaded = ((1 - share) / 5,) * 5 + (share,)
    found = sum(compared(rolled(rng, number, loaded), FACES).p < ALPHA for _ in range(300))
    assert 0.85 <= found / 300 <= 0.95


def test_dice_that_were_changed_in_the_middle_are_found_after_a_while() -> None:
    rng = Random(4)  # noqa: S311 - dice
    result = compared(rolled(rng, 300) + rolled(rng, 900, (1, 1, 1, 1, 1, 4)), FACES)
    assert result.after is not None
    assert 300 < result.after < 700


@pytest.mark.parametrize("number", [0, 1, 20, FEWEST - 1])
def test_nothing_is_said_of_a_few_even_of_sixes_only(number: int) -> None:
    result = compared([6] * number, FACES)
    assert not result.enough
    assert not result.biased


def test_every_seat_is_compared_with_the_others() -> None:
    even = independent([[100, 200, 300]] * 4)
    assert (even.p, even.freedom, even.enough) == (1.0, 6, True)
    assert independent([[100, 200, 300]] * 3 + [[180, 200, 220]]).biased
    assert not independent([[3, 4, 5]] * 4).enough
    assert not independent([]).enough


def a_journal(path: Path, dice: list[tuple[int, int]], indicator: str = "") -> None:
    """So many deals with these dice; the other rows only as far as an audit looks at them."""
    rng = Random(5)  # noqa: S311 - tiles
    rules = sets.load("cixi-card")
    tiles = [str(tile) for tile in rules.tiles]
    with Journal.open(path) as journal:
        options = {
            name: value for name, value in rules.options.items() if isinstance(value, bool | int | str)
        }
        journal.write(
            (
                BootRow(
                    boot=1,
                    at=0.0,
                    version="0",
                    rules="cixi-card",
                    model="longzhuo840",
                    settings="{}",
                    options=options,
                ),
            )
        )
        for number, values in enumerate(dice, 1):
            at = float(number)
            known = DiceKnown(deal=number, values=values, by="board")
            journal.write(
                (
                    DealRow(deal=number, boot=1, at=at, match_no=1, hand_no=1, dealer=0, balances=(100,) * 4),
                    DecisionRow(boot=1, at=at, kind="dice", body=msgspec.json.encode(known).decode()),
                    EventRow(
                        deal=number,
                        n=1,
                        boot=1,
                        at=at,
                        text=f"indicator {indicator or rng.choice(tiles)}",
                        author="table",
                    ),
                )
            )


def audit(capsys: pytest.CaptureFixture[str], path: Path) -> tuple[int, dict[str, Any]]:
    status = 0
    try:
        main(["audit", str(path), "--json"])
    except SystemExit as left:
        status = int(left.code or 0)
    return status, msgspec.json.decode(capsys.readouterr().out)


def verdicts(told: dict[str, Any]) -> dict[str, str]:
    return {test["test"]: test["verdict"] for test in told["tests"]}


def test_a_journal_of_loaded_dice_is_told_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    rng = Random(6)  # noqa: S311 - dice
    loaded = rolled(rng, 1200, (1, 1, 1, 1, 1, 2.5))
    a_journal(path, list(zip(loaded[::2], loaded[1::2], strict=True)))
    status, told = audit(capsys, path)
    assert status == 1
    assert (verdicts(told)["dice_faces"], verdicts(told)["indicator"]) == ("biased", "no_sign")
    faces = told["tests"][0]
    assert "明显不均匀" in faces["zh"]
    assert "NOT as chance makes it" in faces["en"]
    assert faces["observations"] == 1200


def test_a_journal_of_fair_dice_is_never_called_fair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    rng = Random(7)  # noqa: S311 - dice
    a_journal(path, [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(600)])
    status, told = audit(capsys, path)
    assert status == 0
    assert verdicts(told)["dice_faces"] == "no_sign"
    text = " ".join(test["zh"] + test["en"] for test in told["tests"])
    for word in ("公平", "公正", " fair", "unbiased"):
        assert word not in text
    assert "样本0个" in text
    assert told["false_alarms_at_most"] <= 0.02


def test_after_twenty_hands_nothing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(71, keep=journal.write)
        evening.play(2)
        evening.finish()
    a_journal(tmp_path / "twenty.db", [(6, 6)] * 20)
    for file in (path, tmp_path / "twenty.db"):
        status, told = audit(capsys, file)
        assert status == 0
        assert set(verdicts(told).values()) == {"too_few"}
        assert all("至少要" in test["zh"] and "too few" in test["en"] for test in told["tests"])


def test_a_machine_that_turns_the_same_indicator_again_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.db"
    rng = Random(8)  # noqa: S311 - dice
    a_journal(path, [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(300)], indicator="5p")
    _, told = audit(capsys, path)
    assert verdicts(told)["indicator"] == verdicts(told)["indicator_again"] == "biased"


def test_a_changed_row_is_told_with_its_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "journal.db"
    a_journal(path, [(1, 2)] * 10)
    assert audit(capsys, path)[0] == 0
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE deals SET dealer = 2 WHERE deal = 7")
    status, told = audit(capsys, path)
    assert status == 1
    assert "第8批：记录被改过" in told["chain"]["breaks"][0]
    with pytest.raises(SystemExit):
        main(["audit", str(path)])
    assert "NOT whole" in capsys.readouterr().out


SEED = bytes(range(32))


def virtual(values: tuple[int, ...], seed: bytes = SEED) -> list[InputRow]:
    reports = (DiceCommitted(3, digest_of(SEED)), DiceRolled(values), DiceRevealed(3, seed))
    return [InputRow(boot=1, at=5.0, kind=type(each).__name__, body=body_of(each)) for each in reports]


def test_virtual_dice_are_proved_again() -> None:
    due = roll_values(SEED, 3, {}, 2)
    other = (due[0] % 6 + 1, due[1])
    began = DiceKnown(deal=1, values=(due[0], due[1]), by="virtual")
    decided = [DecisionRow(boot=1, at=5.0, kind="dice", body=msgspec.json.encode(began).decode())]
    good = proofs(virtual(due), decided)
    assert (good.proved, good.wrong, good.unproved_deals) == (1, (), ())
    lied = proofs(virtual(other), decided)
    assert (lied.proved, len(lied.wrong), lied.unproved_deals) == (0, 1, (1,))
    assert "the seed gives" in lied.wrong[0][2]
    swapped = proofs(virtual(roll_values(bytes(32), 3, {}, 2), bytes(32)), [])
    assert "not the one committed to" in swapped.wrong[0][2]
    assert proofs(virtual(due)[:2] + virtual(due), []).open == 1


def test_seats_and_first_discards_are_gathered_from_what_holds() -> None:
    seen = Seen(sets.load("cixi-card"))
    evening = Evening(72)
    evening.play(2)
    evening.finish()
    rows = evening.log.rows
    seen.decided([row for row in rows if isinstance(row, DecisionRow)])
    seen.happened([row for row in rows if isinstance(row, EventRow)])
    seen.ended([row for row in rows if isinstance(row, OutcomeRow)])
    won = [row.winner for row in evening.log.outcomes() if row.how == "won"]
    assert seen.winners == won
    assert len(seen.dice) == len(seen.indicators) == 2
    assert len(seen.single) == 1
    assert len(seen.first_discards) == 8
    assert sum(SUMS.values()) == pytest.approx(1.0)


def test_words_never_promise_more_than_the_numbers() -> None:
    few = Result(10, 120, 0.0, 5, 1.0, 1.0, None, 1.0)
    seen = Seen(sets.load("cixi-card"))
    finding = seen.findings()[0]
    assert in_words(finding)[1].startswith("too few")
    assert not few.biased
    with pytest.raises(ValueError, match="7 is none of"):
        compared([7], FACES)


def test_a_file_that_is_no_journal_is_said_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "thing"
    path.write_bytes(b"\x00" * 3000)
    with pytest.raises(SystemExit):
        main(["audit", str(path)])
    assert capsys.readouterr().err.count("\n") == 1
