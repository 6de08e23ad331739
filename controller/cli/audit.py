"""`longzhuo audit`: is the record whole, and do dice, indicator and seats look as chance makes them?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.cli.journal_file import JOURNAL, opened
from controller.fairness import Finding, Proofs, Seen, false_alarms, in_words, proofs
from controller.journal_deals import DealRow, EventRow, OutcomeRow
from controller.journal_inputs import UnreadableInput
from controller.journal_replay import Unreplayable, rules_of
from controller.journal_rows import BootRow, DecisionRow, GapRow, InputRow

if TYPE_CHECKING:
    from pathlib import Path

    from controller.journal import JournalReader
    from controller.journal_chain import Verified


class OneTest(msgspec.Struct, frozen=True, kw_only=True):
    """A test in JSON; see `controller.chance.Result`. `verdict` is "too_few", "biased" or "no_sign"."""

    test: str
    observations: int
    needed: int
    chi_square: float
    freedom: int
    p: float
    stake: float | None
    after: int | None
    verdict: str
    zh: str
    en: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints. `chain`: null in a schema without one."""

    deals: int
    tests: tuple[OneTest, ...]
    false_alarms_at_most: float
    dice_said_by_people: int
    virtual: dict[str, Any]
    chain: dict[str, Any] | None
    gaps: tuple[str, ...]
    in_order: bool


@click.command(name="audit")
@JOURNAL
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(context: click.Context, *, journal: Path, as_json: bool) -> None:
    """Verify a journal's checksums and virtual dice, and test its dice, indicators and seats against chance.

    Ends with 1 where a row is not as it was written, a virtual roll does not match its proof, or something
    can hardly be chance. It never says that a table is fair: only that nothing was found, and how much would
    have been.
    """
    with opened(journal) as reader:
        reader.hold()
        try:
            account = _audited(reader)
        except (Unreplayable, UnreadableInput, ValueError) as error:
            raise click.ClickException(f"{journal}: {error}") from error
    if as_json:
        click.echo(msgspec.json.encode(account).decode())
    else:
        _print(account)
    context.exit(0 if account.in_order else 1)


def _audited(reader: JournalReader) -> Account:
    boots = reader.rows(BootRow)
    decisions = [row for row in reader.each(DecisionRow) if row.kind in {"dice", "dealer"}]
    seen = Seen(rules_of(boots[-1]))
    seen.decided(decisions)
    seen.happened(reader.each(EventRow))
    seen.ended(reader.each(OutcomeRow))
    findings = seen.findings()
    proved = proofs(reader.each(InputRow), decisions)
    chain = reader.verified()
    broken = chain is not None and bool(chain.breaks)
    biased = any(finding.verdict == "biased" for finding in findings)
    return Account(
        deals=reader.count(DealRow),
        tests=tuple(map(_test, findings)),
        false_alarms_at_most=false_alarms(findings),
        dice_said_by_people=seen.said_by_people,
        virtual=_virtual(proved),
        chain=None if chain is None else _chain(chain),
        gaps=tuple(f"{_time(gap.at)} {gap.zh} {gap.en}" for gap in reader.rows(GapRow)),
        in_order=not (broken or biased or proved.wrong or proved.unproved_deals),
    )


def _test(finding: Finding) -> OneTest:
    result = finding.result
    zh, en = in_words(finding)
    zh_note, en_note = finding.note if finding.verdict == "biased" else ("", "")
    return OneTest(
        test=finding.key,
        observations=result.observations,
        needed=result.needed,
        chi_square=round(result.chi_square, 3),
        freedom=result.freedom,
        p=float(f"{result.p:.3g}"),
        stake=None if result.stake is None else float(f"{result.stake:.3g}"),
        after=result.after,
        verdict=finding.verdict,
        zh=f"{finding.zh}：{zh}" + (f"（{zh_note}）" if zh_note else ""),
        en=f"{finding.en}: {en}" + (f" ({en_note})" if en_note else ""),
    )


def _virtual(found: Proofs) -> dict[str, Any]:
    return {
        "proved": found.proved,
        "wrong": [f"{_time(at)} {zh} {en}" for at, zh, en in found.wrong],
        "not_revealed": found.open,
        "deals_on_unproved_dice": list(found.unproved_deals),
    }


def _chain(found: Verified) -> dict[str, Any]:
    return {
        "first": found.first,
        "last": found.last,
        "rows": found.rows,
        "breaks": [
            (f"{_time(each.at)} " if each.at is not None else "") + f"{each.zh} {each.en}"
            for each in found.breaks
        ],
    }


def _time(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def _print(account: Account) -> None:
    click.echo(f"{account.deals} 局 deals")
    for test in account.tests:
        click.echo(f"  {test.zh}\n    {test.en}")
        if test.verdict != "too_few":
            stake = "" if test.stake is None else f", 序贯 sequential {test.stake:g}"
            click.echo(
                f"    n = {test.observations}, χ² = {test.chi_square:g} "
                f"({test.freedom} 自由度 degrees of freedom), p = {test.p:g}{stake}"
            )
    share = f"{100 * account.false_alarms_at_most:.1f} %"
    click.echo(f"  误报 false alarms: 全部检验合计不超过 all tests together at most about {share}")
    virtual = account.virtual
    if virtual["proved"] or virtual["wrong"] or virtual["not_revealed"]:
        click.echo(
            f"电子骰子 virtual dice: 核对无误 proved {virtual['proved']}, "
            f"不符 wrong {len(virtual['wrong'])}, "
            f"没有揭示 not revealed {virtual['not_revealed']}"
        )
    for line in (*virtual["wrong"], *(f"deal {deal}" for deal in virtual["deals_on_unproved_dice"])):
        click.echo(f"  {line}")
    _print_chain(account)


def _print_chain(account: Account) -> None:
    chain = account.chain
    if chain is None:
        click.echo("校验链 chain: 旧版记录没有校验 a journal of an older schema has none")
        return
    told = "完好 whole" if not chain["breaks"] else f"不符 NOT whole: {len(chain['breaks'])}"
    click.echo(f"校验链 chain: {chain['rows']} rows, batches {chain['first']} to {chain['last']}: {told}")
    for line in (*chain["breaks"], *account.gaps):
        click.echo(f"  {line}")
