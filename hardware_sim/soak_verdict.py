"""What a soak run came to: every deal of a table's truth beside the journal's, however the machine fared.

    python -m hardware_sim.soak_verdict --truth truth.jsonl --journal journal.db --keep DIR --json

It reads truth, journal, recorded messages and what the simulated people answered, and nothing of the
controller's. Deals are paired by time: a deal of the journal is the one whose dice lay last when it began.
A deal that was settled or drawn otherwise than it was played, or fined for nothing, is *silently wrong*,
whatever doubts it had, unless two people have confirmed what was wrong. It is *lost* when it has neither a
settlement, nor a drawn record, nor a reason why it has none. Both, and those withheld, leave a folder to look
at.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import click
import msgspec

from controller.journal import JournalReader
from controller.journal_deals import DealRow, DoubtEndRow, EventRow
from controller.journal_rows import BootRow
from hardware_sim.people_answers import Answered, read_answers
from hardware_sim.soak_evidence import keep_deal
from hardware_sim.truth import DealTruth, Start
from hardware_sim.verdict import Difference, Evidence, gather, judgement, last_editions
from hardware_sim.verdict_published import HAND_TOPIC
from hardware_sim.verdict_shell import in_one_line, run
from rules.ruleset import RuleSet

CLOCKS_S: Final = 0.3
"""How far (s) the clocks of the two programs get apart from one deal to the next.

The computer's clock may be set slowly to another time; the controller's own does not follow before a start.
"""
ENTERED: Final = frozenset({"how", "winner", "from_seat", "hand", "payments"})
TABLE: Final = "table"
"""Author of what the controller has decided by itself."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A deal that did not go as it should: `what` is "silently_wrong", "lost" or "withheld"."""

    seed: int
    deal: int
    what: str
    how: str
    reason: str
    differences: tuple[str, ...]
    folder: str = ""


class SoakAccount(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints for one table; counts of several tables add up."""

    hands: int
    settled: int
    drawn: int
    withheld: int
    silently_wrong: int
    doubts: int
    doubts_resolved_by_itself: int
    doubts_by_person: int
    wrong_answers: int
    hands_lost: int
    kinds: dict[str, int]
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """A deal of the truth, and the journal's number of it (None: it was not noticed)."""

    true: DealTruth
    row: DealRow | None


def paired(evidence: Evidence) -> tuple[Pair, ...]:
    """Every deal that has ended at the table with its row; the first of several rows counts.

    A controller whose clock is behind by more and more from deal to deal is still paired.
    """
    played = evidence.played
    rows = sorted(evidence.deals, key=lambda row: row.deal)
    # Where the run was ended before any deal, there is none to end.
    ends = [*(deal.began for deal in played[1:]), float("inf")][: len(played)]
    pairs = []
    behind = 0.0
    for true, end in zip(played, ends, strict=True):
        allowed = behind + CLOCKS_S
        row = next((row for row in rows if true.began - allowed <= row.at < end - allowed), None)
        if row is not None:
            behind = max(0.0, true.began - row.at)
        pairs.append(Pair(true, row))
    return tuple(pairs)


def _has_ended(pair: Pair, evidence: Evidence) -> bool:
    """Whether the journal tells how the deal has ended."""
    return pair.row is not None and any(row.deal == pair.row.deal for row in evidence.outcomes)


@dataclass(frozen=True, slots=True)
class Marks:
    """The table's seed, how often its controller was started, and deals by number.

    `confirmed`: those whose wrong answer two people gave; `entered`: those entered by hand.
    """

    seed: int
    boots: int
    confirmed: frozenset[int]
    entered: frozenset[int]


def found_in(
    pairs: tuple[Pair, ...], evidence: Evidence, rules: RuleSet, marks: Marks
) -> Iterator[tuple[Pair, str, Found | None]]:
    """Each deal with how it ended, and what is to be found fault with, if anything is."""
    outcomes = last_editions(evidence.outcomes)
    for pair in pairs:
        outcome = outcomes.get(pair.row.deal) if pair.row is not None else None
        if pair.row is None or outcome is None:
            yield pair, "lost", _found(marks.seed, pair, "lost", ("missing", ""))
            continue
        how, reason = outcome.how, outcome.reason
        fined = _fined(pair.row.deal, pair.true, evidence)
        if fined and pair.row.deal not in marks.confirmed:
            yield pair, how, _found(marks.seed, pair, "silently_wrong", (how, reason), fined)
            continue
        if how not in {"won", "drawn"}:
            what = "withheld" if reason else "lost"
            yield pair, what, _found(marks.seed, pair, what, (how, reason))
            continue
        differences = judgement(evidence, pair.true, pair.row, outcome, rules).differences
        if marks.boots > 1:
            # A killed controller's last messages never came; which hand the others tell of can't be told.
            differences = tuple(one for one in differences if one.place != HAND_TOPIC)
        if pair.row.deal in marks.entered:
            # Nobody has followed the play: what was entered is who won what, and what it costs.
            differences = tuple(one for one in differences if one.field in ENTERED)
        wrong = bool(differences) and pair.row.deal not in marks.confirmed
        found = _found(marks.seed, pair, "silently_wrong", (how, reason), differences) if wrong else None
        yield pair, how, found


def _fined(deal: int, true: DealTruth, evidence: Evidence) -> tuple[Difference, ...]:
    """Fines of a deal in which nobody has won falsely: they move points however the deal ends."""
    if any(text.startswith("false_win ") for text in true.events):
        return ()
    return tuple(
        Difference(true.deal, "journal", "fine", str(list(row.payments)), "none")
        for row in evidence.fines
        if row.deal == deal
    )


def _found(
    seed: int, pair: Pair, what: str, ended: tuple[str, str], differences: tuple[Difference, ...] = ()
) -> Found:
    how, reason = ended
    told = tuple(map(str, differences))
    return Found(seed=seed, deal=pair.true.deal, what=what, how=how, reason=reason, differences=told)


def account(
    evidence: Evidence,
    ends: tuple[DoubtEndRow, ...],
    answers: tuple[Answered, ...],
    judged: tuple[tuple[Pair, str, Found | None], ...],
) -> SoakAccount:
    """Count what belongs to deals that have ended at the table."""
    numbers = {pair.row.deal for pair, _, _ in judged if pair.row is not None}
    raised = [row for row in evidence.doubts if row.deal in numbers]
    last = {row.doubt: row for row in ends}
    closed = [last[row.doubt] for row in raised if row.doubt in last]
    by_person = [row for row in closed if row.author != TABLE and row.how != "withheld"]
    hows = [how for _, how, _ in judged]
    found = tuple(one for _, _, one in judged if one is not None)
    return SoakAccount(
        hands=len(judged),
        settled=hows.count("won"),
        drawn=hows.count("drawn"),
        withheld=sum(how not in {"won", "drawn", "lost"} for how in hows),
        silently_wrong=sum(one.what == "silently_wrong" for one in found),
        doubts=len(raised),
        doubts_resolved_by_itself=sum(row.how == "explained" and row.author == TABLE for row in closed),
        doubts_by_person=len(by_person),
        wrong_answers=sum(answer.done and not answer.right for answer in answers),
        hands_lost=hows.count("lost"),
        kinds=dict(Counter(row.kind for row in raised).most_common()),
        found=found,
    )


def judge_table(  # noqa: PLR0913 - the files of a table
    truth: Path,
    journal: Path,
    recording: Path | None,
    answers: Path | None,
    keep: Path | None,
    *,
    ended_early: bool = False,
) -> SoakAccount:
    """Judge one table; what is found fault with is kept in a folder of `keep`.

    `ended_early`: people have ended the run, perhaps before the controller could settle the last deal.

    Raises:
        ValueError, OSError, JournalError: a file can't be read or is not what it should be, in one line.
    """
    evidence, rules = gather(truth, journal, recording)
    start = next(line for line in evidence.truth if isinstance(line, Start))
    with JournalReader(journal) as reader:
        ends = reader.rows(DoubtEndRow)
        events = reader.rows(EventRow)
        boots = len(reader.rows(BootRow))
    answered = () if answers is None or not answers.exists() else read_answers(answers)
    deal_of = {row.doubt: row.deal for row in evidence.doubts}
    marks = Marks(
        start.seed,
        boots,
        frozenset(deal_of.get(a.doubt, 0) for a in answered if a.done and not a.right and a.confirmed),
        frozenset(row.deal for row in events if row.text.startswith("entered ")),
    )
    pairs = paired(evidence)
    if ended_early and pairs and not _has_ended(pairs[-1], evidence):
        pairs = pairs[:-1]
    judged = []
    for pair, how, found in found_in(pairs, evidence, rules, marks):
        kept = found
        if found is not None and keep is not None:
            folder = keep_deal(keep, pair.true, pair.row, found, journal=journal, answers=answered)
            kept = msgspec.structs.replace(found, folder=str(folder))
        judged.append((pair, how, kept))
    return account(evidence, ends, answered, tuple(judged))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--truth", required=True, type=click.Path(path_type=Path), help="The simulator's truth.jsonl.")
@click.option("--journal", required=True, type=click.Path(path_type=Path), help="The controller's journal.")
@click.option("--mqtt-log", type=click.Path(path_type=Path), help="Recorded messages, one JSON a line.")
@click.option("--answers", type=click.Path(path_type=Path), help="What the simulated people answered.")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder for deals to look at.")
@click.option("--ended-early", is_flag=True, help="The last deal was perhaps not settled any more.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(  # noqa: PLR0913 - one argument per flag
    *,
    truth: Path,
    journal: Path,
    mqtt_log: Path | None,
    answers: Path | None,
    keep: Path | None,
    ended_early: bool,
    as_json: bool,
) -> None:
    """Judge one table of a soak run; exit 1 if anything was silently wrong or lost."""
    with in_one_line():
        counted = judge_table(truth, journal, mqtt_log, answers, keep, ended_early=ended_early)
    click.echo(msgspec.json.encode(counted).decode() if as_json else in_words(counted))
    sys.exit(1 if counted.silently_wrong or counted.hands_lost else 0)


def in_words(counted: SoakAccount) -> str:
    """A line for people, and one for each deal to look at."""
    counts = (
        f"hands {counted.hands}, settled {counted.settled}, drawn {counted.drawn}, "
        f"withheld {counted.withheld}, silently wrong {counted.silently_wrong}, "
        f"lost {counted.hands_lost}, doubts {counted.doubts}"
    )
    lines = [
        f"seed {one.seed}, hand {one.deal}: {one.what} ({one.how}) {one.reason} {'; '.join(one.differences)}"
        for one in counted.found
    ]
    return "\n".join((counts, *lines))


def main() -> None:
    """Run the program; what is wrong is said in one line."""
    run(command, "soak_verdict")


if __name__ == "__main__":
    main()
