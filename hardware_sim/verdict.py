"""Was anything silently wrong? Compares a controller's journal, and what it published, with the hidden truth.

A deal is *silently wrong* when anything people rely on differs from the truth and no doubt was raised for
that deal: indicator, wild tile, ponds, melds, winner, who gave the tile, the winning hand, payments.
Payments are compared with what the true public events cost from the points the controller went into the
deal with, so that one withheld deal does not make all later ones wrong. Of a deal that people have corrected
the last edition counts, from the points that it counts from.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from controller.journal import JournalReader
from controller.journal_deals import DealRow, DoubtRow, FineRow, OutcomeRow
from controller.journal_rows import BootRow, InputRow
from hardware_sim.truth import DealTruth, Lain, Line, Start, paid, read_truth
from hardware_sim.verdict_camera import CameraScore, camera_score
from hardware_sim.verdict_published import Published, published, read_recording
from hardware_sim.verdict_shell import in_one_line, run
from rules import sets
from rules.record import parse_event
from rules.ruleset import RuleSet
from rules.scoring import settle
from rules.settlement import Unsettled
from rules.state import Balances, public
from rules.table import replay

NOTHING: Final[Balances] = (0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was: `place` is "journal" or the topic of a message."""

    deal: int
    place: str
    field: str
    told: str
    true: str

    def __str__(self) -> str:
        return f"hand {self.deal}, {self.place}: {self.field} is {self.told}, true is {self.true}"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One deal: how the controller ended it, doubts raised for it, and every difference."""

    deal: int
    how: str
    doubts: int
    differences: tuple[Difference, ...]

    @property
    def silently_wrong(self) -> bool:
        """Whether something differs that nobody was asked about."""
        return bool(self.differences) and self.doubts == 0


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints."""

    hands: int
    settled: int
    drawn: int
    withheld: int
    silently_wrong: int
    doubts: int
    speed_reached: float | None
    camera: CameraScore
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that is compared."""

    truth: tuple[Line, ...]
    deals: tuple[DealRow, ...]
    outcomes: tuple[OutcomeRow, ...]
    doubts: tuple[DoubtRow, ...]
    inputs: tuple[InputRow, ...] = ()
    published: Published | None = None
    fines: tuple[FineRow, ...] = ()

    @property
    def played(self) -> tuple[DealTruth, ...]:
        """The deals that have ended, in order."""
        return tuple(line for line in self.truth if isinstance(line, DealTruth))


def judge(evidence: Evidence, rules: RuleSet) -> tuple[Judgement, ...]:
    """Compare deal by deal: the first deal of the truth is the first of the journal, and so on."""
    deals = sorted(evidence.deals, key=lambda row: row.deal)
    outcomes = last_editions(evidence.outcomes)
    judged = []
    for number, true in enumerate(evidence.played):
        deal = deals[number] if number < len(deals) else None
        outcome = outcomes.get(deal.deal) if deal is not None else None
        if deal is None or outcome is None:
            missing = Difference(true.deal, "journal", "outcome", "missing", true.how)
            doubts = sum(row.deal == deal.deal for row in evidence.doubts) if deal is not None else 0
            judged.append(Judgement(true.deal, "missing", doubts, (missing,)))
        else:
            judged.append(judgement(evidence, true, deal, outcome, rules))
    return tuple(judged)


def last_editions(outcomes: Iterable[OutcomeRow]) -> dict[int, OutcomeRow]:
    """By deal how it ended: of a corrected one the edition that no other supersedes."""
    return {row.deal: row for row in sorted(outcomes, key=lambda row: row.edition)}


def judgement(
    evidence: Evidence, true: DealTruth, deal: DealRow, outcome: OutcomeRow, rules: RuleSet
) -> Judgement:
    """Compare one deal with the truth."""
    doubts = sum(row.deal == deal.deal for row in evidence.doubts)
    facts = _true_facts(true, _points(deal, outcome, evidence.fines), rules)
    differences: list[Difference] = []
    if outcome.how in {"won", "drawn"}:
        differences = _differences(true.deal, "journal", _journal_facts(outcome), facts)
        if evidence.published is not None:
            for place, told in evidence.published.told_of(deal, outcome.edition):
                differences += _differences(true.deal, place, told, facts)
    elif not doubts and not outcome.reason:
        differences = [Difference(true.deal, "journal", "outcome", outcome.how, true.how)]
    return Judgement(true.deal, outcome.how, doubts, tuple(differences))


Facts = dict[str, Any]
"""What is compared, by the name of the field."""


def _true_facts(true: DealTruth, balances: Balances, rules: RuleSet) -> Facts:
    return {
        "how": true.how,
        "indicator": true.indicator,
        "wild": true.wild,
        "ponds": true.ponds,
        "melds": true.melds,
        "winner": true.winner,
        "from_seat": true.from_seat,
        "hand": tuple(sorted(true.hand)),
        "payments": _price(true, balances, rules),
    }


def _points(deal: DealRow, outcome: OutcomeRow, fines: Iterable[FineRow]) -> Balances:
    """The points a deal is settled with: people have confirmed what was fined in it, or corrected."""
    if outcome.edition > 1 and outcome.before is not None:
        return paid(outcome.before, outcome.fined or NOTHING)
    balances = deal.balances
    for row in fines:
        if row.deal == deal.deal:
            balances = paid(balances, row.payments)
    return balances


def _price(true: DealTruth, balances: Balances, rules: RuleSet) -> Balances | None:
    """What the true public events cost from these points; None where they do not decide it."""
    if true.winner is None:
        return NOTHING
    state = replay(tuple(parse_event(text) for text in true.events), rules)
    try:
        return settle(public(state), rules, balances).payments
    except Unsettled:
        return None


def _journal_facts(row: OutcomeRow) -> Facts:
    return {
        "how": row.how,
        "indicator": row.indicator,
        "wild": row.wild,
        "ponds": row.ponds,
        "melds": row.melds,
        "winner": row.winner,
        "from_seat": row.from_seat,
        "hand": tuple(sorted(row.hand)),
        "payments": row.payments,
    }


def _differences(deal: int, place: str, told: Facts, true: Facts) -> list[Difference]:
    return [
        Difference(deal, place, name, _short(value), _short(true[name]))
        for name, value in told.items()
        if value != true[name]
    ]


def _short(value: object) -> str:
    return msgspec.json.encode(value).decode()


def account(evidence: Evidence, judged: Sequence[Judgement]) -> Account:
    """Count."""
    played = evidence.played
    ends = [judgement.how for judgement in judged]
    wall = sum(deal.wall_s for deal in played)
    people = sum(deal.people_s for deal in played)
    return Account(
        hands=len(played),
        settled=ends.count("won"),
        drawn=ends.count("drawn"),
        withheld=len(ends) - ends.count("won") - ends.count("drawn"),
        silently_wrong=sum(judgement.silently_wrong for judgement in judged),
        doubts=len(evidence.doubts),
        speed_reached=round(people / wall, 2) if wall > 0 else None,
        camera=camera_score(evidence.inputs, (line for line in evidence.truth if isinstance(line, Lain))),
        differences=tuple(str(difference) for j in judged for difference in j.differences),
    )


def gather(truth: Path, journal: Path, recording: Path | None) -> tuple[Evidence, RuleSet]:
    """Read the files.

    Raises:
        ValueError: a file is not what it should be, in one line.
        OSError: a file can't be read.
        JournalError: the journal can't be read.
    """
    lines = read_truth(truth)
    start = next((line for line in lines if isinstance(line, Start)), None)
    if start is None:
        raise ValueError(f"{truth}: no truth file of a simulated table (its first line is missing)")
    with JournalReader(journal) as reader:
        evidence = Evidence(
            truth=lines,
            deals=reader.rows(DealRow),
            outcomes=reader.rows(OutcomeRow),
            doubts=reader.rows(DoubtRow),
            inputs=reader.rows(InputRow),
            fines=reader.rows(FineRow),
            published=None if recording is None else published(read_recording(recording)),
        )
        boots = reader.rows(BootRow)
    return evidence, _rules(start, boots, truth)


def _rules(start: Start, boots: Sequence[BootRow], truth: Path) -> RuleSet:
    """The rules of the simulated table, which the controller must have kept to.

    Raises:
        ValueError: it played by others, in one line.
    """
    written = next((boot.options for boot in reversed(boots) if boot.options is not None), None)
    played = start.options if start.options is not None else written or {}
    for boot in boots:
        if boot.rules != start.rules:
            raise ValueError(f"{truth}: the table played {start.rules}, the controller {boot.rules}")
        differing = sorted(name for name, value in (boot.options or {}).items() if played.get(name) != value)
        if differing:
            raise ValueError(
                f"{truth}: the table played {start.rules} with other options than the controller: "
                + ", ".join(
                    f"{name} {played.get(name)!r}, not {(boot.options or {})[name]!r}" for name in differing
                )
            )
    return sets.load(start.rules, played)


def in_words(counted: Account, judged: Iterable[Judgement]) -> str:
    """A small table for people, and every difference on a line."""
    rows = [f"{'局 hand':<10}{'结果 ended':<14}{'存疑 doubts':<14}不符 differences"]
    for judgement in judged:
        names = " ".join(sorted({d.field for d in judgement.differences})) or "-"
        rows.append(f"{judgement.deal:<11}{judgement.how:<16}{judgement.doubts:<16}{names}")
    rows += counted.differences
    rows.append(
        f"hands {counted.hands}, settled {counted.settled}, drawn {counted.drawn}, "
        f"withheld {counted.withheld}, doubts {counted.doubts}, silently wrong {counted.silently_wrong}; "
        f"camera: {counted.camera.tiles_read} tiles read, {counted.camera.wrong} wrong"
    )
    return "\n".join(rows)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--truth", required=True, type=click.Path(path_type=Path), help="The simulator's truth.jsonl.")
@click.option("--journal", required=True, type=click.Path(path_type=Path), help="The controller's journal.")
@click.option("--mqtt-log", type=click.Path(path_type=Path), help="Recorded messages, one JSON a line.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(*, truth: Path, journal: Path, mqtt_log: Path | None, as_json: bool) -> None:
    """Compare what a controller decided with what a simulated table knows; exit 1 if silently wrong."""
    with in_one_line():
        evidence, rules = gather(truth, journal, mqtt_log)
    judged = judge(evidence, rules)
    counted = account(evidence, judged)
    click.echo(msgspec.json.encode(counted).decode() if as_json else in_words(counted, judged))
    sys.exit(1 if counted.silently_wrong else 0)


def main() -> None:
    """Run the program; what is wrong is said in one line."""
    run(command, "verdict")


if __name__ == "__main__":
    main()
