"""A soak run's verdict: nothing that was settled wrongly, withheld or lost is counted as anything else."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from understood import deal_row, outcome_row, three_deals

from controller.journal import Journal
from controller.journal_deals import DoubtEndRow, DoubtRow, FineRow
from controller.journal_rows import BootRow, Row
from hardware_sim.people_answers import Answered
from hardware_sim.soak_verdict import SoakAccount, judge_table
from hardware_sim.truth import DealTruth, Start, TruthFile
from rules import sets
from rules.state import Balances

CARD = sets.load("cixi-card")
BEGUN = 1_796_000_000.0
APART_S = 30.0


@dataclass(frozen=True)
class Evening:
    """Three deals, half a minute apart."""

    deals: tuple[DealTruth, ...]
    before: tuple[Balances, ...]

    def judged(
        self, folder: Path, rows: list[Row], answers: tuple[Answered, ...] = (), *, ended_early: bool = False
    ) -> SoakAccount:
        """What the verdict makes of a journal with these rows."""
        with TruthFile(folder / "truth.jsonl") as truth:
            truth.write(Start(seed=4, rules=CARD.name, speed=1.0))
            for deal in self.deals:
                truth.write(deal)
        boot = BootRow(boot=1, at=BEGUN, version="", rules=CARD.name, model="longzhuo840", settings="{}")
        with Journal.open(folder / "journal.db") as journal:
            journal.write([boot, *rows])
        lines = b"".join(msgspec.json.encode(answer) + b"\n" for answer in answers)
        (folder / "answers.jsonl").write_bytes(lines)
        files = (folder / "truth.jsonl", folder / "journal.db", None, folder / "answers.jsonl")
        return judge_table(*files, folder / "kept", ended_early=ended_early)

    def rows(self, number: int, *, late: float = 0.4, **changes: Any) -> list[Row]:
        """The rows of a deal that was understood, but for the `changes` of its outcome.

        `late`: how many seconds after the dice lay it is written that the deal has begun.
        """
        deal = self.deals[number - 1]
        row = deal_row(deal, self.before[number - 1], at=deal.began + late)
        return [row, msgspec.structs.replace(outcome_row(deal, at=deal.began + 20.0), **changes)]


@pytest.fixture(scope="module")
def evening() -> Evening:
    deals, before = asyncio.run(three_deals(CARD))
    apart = [msgspec.structs.replace(deal, began=BEGUN + APART_S * deal.deal) for deal in deals]
    return Evening(tuple(apart), before)


def raised(deal: int) -> list[Row]:
    """A doubt of the deal that a person has ended."""
    doubt = DoubtRow(
        doubt=1, boot=1, at=BEGUN, deal=deal, kind="ambiguous", zh="", en="", candidates=("a", "b")
    )
    return [doubt, DoubtEndRow(doubt=1, boot=1, at=BEGUN, how="chosen", choice=1, author="seat 2")]


def answered(**changes: Any) -> Answered:
    told = Answered(
        at=BEGUN, deal=2, doubt=1, kind="ambiguous", action="choose", choice=1, right=False, done=True
    )
    return msgspec.structs.replace(told, **changes)


def test_an_evening_understood_has_nothing_to_look_at(evening: Evening, tmp_path: Path) -> None:
    counted = evening.judged(tmp_path, [*evening.rows(1), *evening.rows(2), *evening.rows(3)])
    assert (counted.hands, counted.settled, counted.found) == (3, 3, ())
    assert not (tmp_path / "kept").exists()


def test_a_run_that_was_ended_before_its_first_deal_has_no_hands(evening: Evening, tmp_path: Path) -> None:
    counted = Evening((), evening.before).judged(tmp_path, [])
    assert (counted.hands, counted.found) == (0, ())


def test_a_wrong_settlement_is_silently_wrong_even_if_there_was_a_doubt(
    evening: Evening, tmp_path: Path
) -> None:
    wrong = evening.rows(2, payments=(-3, 1, 1, 1))
    rows = [*evening.rows(1), *wrong, *raised(2), *evening.rows(3)]
    counted = evening.judged(tmp_path, rows, (answered(),))
    assert (counted.silently_wrong, counted.doubts_by_person, counted.wrong_answers) == (1, 1, 1)
    (found,) = counted.found
    assert (found.seed, found.deal, found.what) == (4, 2, "silently_wrong")
    kept = Path(found.folder)
    assert {path.name for path in kept.iterdir()} == {
        *("verdict.json", "truth.json", "answers.json", "journal.jsonl")
    }
    assert '"payments": "[-3,1,1,1]"' in (kept / "journal.jsonl").read_text().replace("\\", "")


def test_what_two_people_have_confirmed_is_theirs(evening: Evening, tmp_path: Path) -> None:
    wrong = evening.rows(2, payments=(-3, 1, 1, 1))
    rows = [*evening.rows(1), *wrong, *raised(2), *evening.rows(3)]
    counted = evening.judged(tmp_path, rows, (answered(confirmed=True),))
    assert (counted.silently_wrong, counted.wrong_answers, counted.settled) == (0, 1, 3)


def test_a_deal_nobody_noticed_is_lost_and_those_after_it_are_still_paired(
    evening: Evening, tmp_path: Path
) -> None:
    second = [msgspec.structs.replace(row, deal=2) for row in evening.rows(3)]
    counted = evening.judged(tmp_path, [*evening.rows(1), *second])
    assert (counted.hands_lost, counted.settled, counted.silently_wrong) == (1, 2, 0)
    assert [(found.deal, found.what) for found in counted.found] == [(2, "lost")]


def test_a_clock_that_is_set_slowly_while_people_play_pairs_no_deal_with_another(
    evening: Evening, tmp_path: Path
) -> None:
    rows = [row for number in (1, 2, 3) for row in evening.rows(number, late=-0.2 * number)]
    counted = evening.judged(tmp_path, rows)
    assert (counted.hands, counted.settled, counted.found) == (3, 3, ())


@pytest.mark.parametrize(("reason", "what"), [("有牌看不清", "withheld"), ("", "lost")])
def test_a_deal_that_was_not_settled_needs_a_reason(
    evening: Evening, tmp_path: Path, reason: str, what: str
) -> None:
    gone = evening.rows(2, how="withheld", reason=reason, payments=(0, 0, 0, 0))
    counted = evening.judged(tmp_path, [*evening.rows(1), *gone, *evening.rows(3)])
    assert (counted.withheld, counted.hands_lost) == ((1, 0) if what == "withheld" else (0, 1))
    assert [found.what for found in counted.found] == [what]


def test_a_deal_that_was_never_ended_is_lost(evening: Evening, tmp_path: Path) -> None:
    counted = evening.judged(tmp_path, [*evening.rows(1), evening.rows(2)[0], *evening.rows(3)])
    assert [(found.deal, found.what) for found in counted.found] == [(2, "lost")]


@pytest.mark.parametrize("noticed", [True, False])
def test_the_deal_in_which_people_end_a_run_is_not_lost(
    evening: Evening, tmp_path: Path, *, noticed: bool
) -> None:
    begun = evening.rows(3)[:1] if noticed else []
    rows = [*evening.rows(1), *evening.rows(2), *begun]
    counted = evening.judged(tmp_path, rows, ended_early=True)
    assert (counted.hands, counted.settled, counted.found) == (2, 2, ())


def test_an_earlier_deal_that_was_never_ended_is_lost_all_the_same(evening: Evening, tmp_path: Path) -> None:
    rows = [*evening.rows(1), *evening.rows(2)[:1], *evening.rows(3)]
    counted = evening.judged(tmp_path, rows, ended_early=True)
    assert (counted.hands, counted.hands_lost) == (3, 1)


def test_a_fine_for_nothing_is_silently_wrong_even_where_the_deal_is_withheld(
    evening: Evening, tmp_path: Path
) -> None:
    gone = evening.rows(2, how="withheld", reason="有牌看不清", payments=(0, 0, 0, 0))
    fine = FineRow(
        deal=2,
        n=5,
        boot=1,
        at=BEGUN,
        seat=1,
        payments=(15, -45, 15, 15),
        balances=(115, 55, 115, 115),
        author="seat 2",
    )
    counted = evening.judged(tmp_path, [*evening.rows(1), *gone, fine, *evening.rows(3)])
    assert counted.silently_wrong == 1
    assert [(found.deal, found.what) for found in counted.found] == [(2, "silently_wrong")]
