"""`longzhuo replay`: the journal's inputs once more, and whether the same comes of them."""

from __future__ import annotations

import sys
import time
from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

import click
import msgspec

from controller.cli.journal_file import JOURNAL, opened
from controller.journal_deals import DealRow, OutcomeRow
from controller.journal_replay import REPLAYED, Difference, Unreplayable, parting, replayed
from controller.journal_rows import BootRow, InputRow, Row
from controller.journal_schema import cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from controller.journal import JournalReader
    from controller.journal_past import PastSoFar

SHORTEST_S: Final = 1e-6
TELL_EVERY_S: Final = 0.2
LEAD: Final = 20
LONGEST: Final = 200
"""Characters of a value that is shown."""


class Parting(msgspec.Struct, frozen=True, kw_only=True):
    """The first difference: its deal (null outside of any), its row, what is written, what came out."""

    deal: int | None
    row: str
    expected: str
    got: str


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` prints; times in seconds, `played_s` over all starts without the pauses between them.

    `times_faster`: seconds of play in a second of processor time (`cpu_s`).
    """

    identical: bool
    starts: int
    inputs: int
    rows: int
    deals: int
    settled: int
    drawn: int
    withheld: int
    abandoned: int
    played_s: float
    replayed_s: float
    cpu_s: float
    times_faster: float
    difference: Parting | None


class _Progress:
    """Counts what came out again, and shows it in place where somebody looks."""

    def __init__(self, deals: int) -> None:
        self._deals = deals
        self._shown_at = 0.0
        self._live = sys.stderr.isatty()
        self.rows = 0
        self.inputs = 0
        self.played_s = 0.0
        self.ends: Counter[str] = Counter()
        self._boot_at = 0.0

    def tell(self, row: Row) -> None:
        self.rows += 1
        match row:
            case BootRow():
                self.ends["starts"] += 1
                self._boot_at = row.at
            case InputRow():
                self.inputs += 1
                self.played_s += max(0.0, row.at - self._boot_at)
                self._boot_at = row.at
            case DealRow():
                self.ends["deals"] += 1
                self._show()
            case OutcomeRow():
                self.ends[row.how] += 1

    def _show(self) -> None:
        if self._live and time.monotonic() - self._shown_at >= TELL_EVERY_S:
            self._shown_at = time.monotonic()
            click.echo(f"\r第 {self.ends['deals']}/{self._deals} 局 deal", nl=False, err=True)

    def end(self) -> None:
        if self._live:
            click.echo("\r\x1b[K", nl=False, err=True)


@click.command(name="replay")
@JOURNAL
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_context
def command(context: click.Context, *, journal: Path, as_json: bool) -> None:
    """Play a journal again and compare every row byte for byte; ends with 1 where one came out otherwise."""
    with opened(journal) as reader:
        reader.hold()
        try:
            account = _played_again(reader)
        except Unreplayable as error:
            raise click.ClickException(f"{journal}: {error}") from error
    if as_json:
        click.echo(msgspec.json.encode(account).decode())
    else:
        _print(account)
    context.exit(0 if account.identical else 1)


def _played_again(reader: JournalReader) -> Account:
    progress = _Progress(reader.count(DealRow))
    since, so_far = _beginning(reader)
    boots = list(reader.each(BootRow, since=since))
    written: dict[type[Row], Iterator[dict[str, Any]]] = {
        kind: reader.stored(kind, since=since) for kind in REPLAYED
    }
    begun, busy = time.monotonic(), time.process_time()
    try:
        again = replayed(boots, reader.each(InputRow, since=since), so_far=so_far)
        difference = parting(written, again, told=progress.tell)
    finally:
        progress.end()
    took = time.monotonic() - begun
    busy = max(time.process_time() - busy, SHORTEST_S)
    ends = progress.ends
    return Account(
        identical=difference is None,
        starts=ends["starts"],
        inputs=progress.inputs,
        rows=progress.rows,
        deals=ends["deals"],
        settled=ends["won"],
        drawn=ends["drawn"],
        withheld=ends["withheld"],
        abandoned=ends["abandoned"],
        played_s=round(progress.played_s, 3),
        replayed_s=round(took, 3),
        cpu_s=round(busy, 3),
        times_faster=round(progress.played_s / busy, 1),
        difference=None if difference is None else _in_words(difference),
    )


def _beginning(reader: JournalReader) -> tuple[int, PastSoFar | None]:
    """Where to begin: where old rows were deleted, with the first start after them."""
    if not reader.pruned:
        return 0, None
    whole = reader.first_whole_start()
    if whole is None:
        raise Unreplayable("the running start began before the oldest rows that were kept; nothing to replay")
    return whole


def _in_words(difference: Difference) -> Parting:
    row = difference.written or difference.replayed
    written = {} if difference.written is None else cells_of(difference.written)
    again = {} if difference.replayed is None else cells_of(difference.replayed)
    names = [name for name in written or again if written.get(name) != again.get(name)]
    keys = [f"{name} {getattr(row, name)}" for name in ("boot", "deal", "n", "doubt") if hasattr(row, name)]
    return Parting(
        deal=getattr(row, "deal", None),
        row=f"{'' if row is None else row.table}: {', '.join(keys)}, at {getattr(row, 'at', 0.0):.3f}",
        expected=_shown(written, again, names),
        got=_shown(again, written, names),
    )


def _shown(cells: dict[str, Any], other: dict[str, Any], names: list[str]) -> str:
    """The columns that differ, long texts from shortly before where they do."""
    if not cells:
        return "no such row"
    shown = ", ".join(f"{name} = {_from_where(cells[name], other.get(name))}" for name in names)
    return shown if len(shown) <= LONGEST else f"{shown[:LONGEST]} …"


def _from_where(cell: object, other: object) -> str:
    if not (isinstance(cell, str) and isinstance(other, str)):
        return repr(cell)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(cell, other, strict=False)))
    start = max(0, same - LEAD)
    return ("… " if start else "") + repr(cell[start:])


def _print(account: Account) -> None:
    click.echo(
        f"{account.deals} 局 deals: 结算 settled {account.settled}, 荒庄 drawn {account.drawn}, "
        f"暂缓 withheld {account.withheld}, 作废 abandoned {account.abandoned}"
    )
    click.echo(
        f"{account.starts} 次启动 starts, {account.inputs} inputs, {account.rows} rows; "
        f"{account.played_s:.0f} s 重放 replayed in {account.replayed_s:.1f} s "
        f"({account.times_faster:.0f} 倍 times faster)"
    )
    found = account.difference
    if found is None:
        click.echo("重放完全一致 identical, byte for byte")
        return
    click.echo(f"不一致 first difference: deal {found.deal if found.deal is not None else '-'}, {found.row}")
    click.echo(f"  记录 expected: {found.expected}")
    click.echo(f"  重放 got:      {found.got}")
