"""A controller that is killed again and again, at moments that a seed has chosen, at a table that plays on.

`python tests/whole_table/kills.py DIR --kills 500` shows its progress and prints the figures as JSON.
"""

import asyncio
import contextlib
import itertools
import json
import math
import re
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click
import msgspec

from controller.doubts import dealer_problem
from controller.journal import JournalError, JournalReader
from controller.journal_deals import DealRow, DoubtEndRow, DoubtRow, OutcomeRow
from controller.journal_rows import BootRow, OutboxRow
from controller.session_points import AS_SHOWN

if TYPE_CHECKING:
    from conftest import Program, Table

BOOTS = "SELECT count(*) FROM boots"
OUTCOMES = "SELECT count(DISTINCT deal) FROM outcomes"
LONGEST_S = 8.0
"""How long a controller lives at most; then it is killed."""

UNBORN = 0.2
"""How many of the controllers are killed before they have opened their journal, or while they do."""


class Killed(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it.

    `missing`: hands that were played and have no end in the journal. `doubled`: settlements that a hand has
    more than one of, in the journal or among the messages that must arrive. `unsent`: those without one.
    """

    kills: int
    starts: int
    hands: int
    settled: int
    drawn: int
    withheld: int
    silently_wrong: int
    doubts: int
    missing: int
    doubled: int
    unsent: int
    identical: bool
    chain_breaks: int
    replay: dict[str, Any]
    differences: tuple[str, ...]
    seconds: float


async def killed_at_random(
    table: "Table",
    kills: int,
    rng: Random,
    *,
    within_s: float = math.inf,
    told: Callable[[int, int], None] = lambda *_: None,
) -> Killed:
    """Kill so many controllers, or as many as there is time for; meanwhile the table stands still."""
    begun = time.monotonic()
    controller = await _begun(table)
    person = asyncio.create_task(_answers_doubts(table), name="answers doubts")
    try:
        killed = await _killed(table, controller, kills, rng, within_s, told)
    finally:
        person.cancel()
        await asyncio.gather(person, return_exceptions=True)
    with table.lies_still:
        await table.until(lambda: table.count(OUTCOMES) >= _played(table), within_s=60)
        await table.started[-1].stop()
        return await _account(table, killed, time.monotonic() - begun)


async def _killed(  # noqa: PLR0913, PLR0917 - the same again
    table: "Table",
    controller: "Program",
    kills: int,
    rng: Random,
    within_s: float,
    told: Callable[[int, int], None],
) -> int:
    begun = time.monotonic()
    killed = 0
    while killed < kills and time.monotonic() - begun < within_s:
        await asyncio.sleep(rng.uniform(0.0, LONGEST_S))
        await controller.kill()
        killed += 1
        with table.lies_still:
            while killed < kills and rng.random() < UNBORN:
                unborn = await table.run()
                await asyncio.sleep(rng.uniform(0.0, 2.0))
                await unborn.kill()
                killed += 1
            controller = await _begun(table)
        told(killed, table.count(OUTCOMES))
    ended = table.count(OUTCOMES)
    await table.until(lambda: table.count(OUTCOMES) > ended, within_s=240)
    return killed


async def _begun(table: "Table") -> "Program":
    """A controller that has opened its journal and told so."""
    before = table.count(BOOTS)
    controller = await table.run()
    await table.until(lambda: table.count(BOOTS) > before)
    return controller


async def _answers_doubts(table: "Table") -> None:
    """A person confirms the points after a hand that was withheld, and says who deals, until cancelled."""
    for number in itertools.count():
        await asyncio.sleep(0.5)
        asked = _asked(table)
        if asked is None:
            continue
        for seat in (2, 4):
            # What one of them has said may have outlived the kill.
            with contextlib.suppress(OSError, ValueError, IndexError):
                address = re.findall(r"display: (http\S+)", table.started[-1].said)[-1]
                order = {"id": f"k{number}-{seat}", "author": f"seat {seat}", **asked}
                await asyncio.to_thread(_answer, address, order)


def _asked(table: "Table") -> dict[str, object] | None:
    """A doubt that only people can end, and the choice that is right, with its words."""
    try:
        with JournalReader(table.journal) as reader:
            ended = {row.doubt for row in reader.rows(DoubtEndRow)}
            open_ones = [row for row in reader.rows(DoubtRow) if row.doubt not in ended]
    except JournalError:
        return None
    if not open_ones or open_ones[-1].kind not in {"points", "dealer"}:
        return None
    truth = table.files.truth.read_text(encoding="utf-8")
    dealers = re.findall(r'"text":"deal (\d)', truth)
    choice, words = 0, AS_SHOWN.text
    if open_ones[-1].kind == "dealer":
        choice = int(dealers[-1])
        words = dealer_problem().candidates[choice].text
    return {"doubt": open_ones[-1].doubt, "choice": choice, "words": words}


def _answer(address: str, order: dict[str, object]) -> None:
    with urllib.request.urlopen(f"{address}config.json", timeout=2) as answer:  # noqa: S310
        token = json.load(answer)["token"]
    request = urllib.request.Request(  # noqa: S310 - the address that the program has printed
        f"{address}command",
        data=json.dumps({"verb": "answer", "action": "choose", **order}).encode(),
        headers={"x-longzhuo-token": token},
    )
    with urllib.request.urlopen(request, timeout=2):  # noqa: S310
        pass


def _played(table: "Table") -> int:
    truth = table.files.truth.read_text(encoding="utf-8")
    return sum(line.startswith('{"kind":"deal"') for line in truth.splitlines())


async def _account(table: "Table", kills: int, seconds: float) -> Killed:
    verdict = await table.verdict()
    replay = await table.told("replay", str(table.journal), "--json")
    with JournalReader(table.journal) as reader:
        deals = {row.deal for row in reader.rows(DealRow)}
        outcomes = Counter(row.deal for row in reader.rows(OutcomeRow))
        settled = {row.deal for row in reader.rows(OutcomeRow) if row.settlement}
        messages = [json.loads(row.payload) for row in reader.rows(OutboxRow)]
        sent = Counter((each["match_no"], each["hand_no"]) for each in messages if "winner" in each)
        chain = reader.verified()
        starts = len(reader.rows(BootRow))
    return Killed(
        kills=kills,
        starts=starts,
        hands=verdict["hands"],
        settled=verdict["settled"],
        drawn=verdict["drawn"],
        withheld=verdict["withheld"],
        silently_wrong=verdict["silently_wrong"],
        doubts=verdict["doubts"],
        missing=len(deals - set(outcomes) - {max(deals)}) + max(0, verdict["hands"] - len(outcomes)),
        doubled=sum(number - 1 for number in (*outcomes.values(), *sent.values())),
        unsent=len(settled) - len(sent),
        identical=replay["identical"],
        chain_breaks=-1 if chain is None else len(chain.breaks),
        replay=replay,
        differences=tuple(verdict["differences"]),
        seconds=round(seconds, 1),
    )


@click.command()
@click.option("--kills", default=500)
@click.option("--seed", default=1)
@click.option("--speed", default=20.0)
@click.option("--minutes", default=math.inf, help="Kill no more after so long.")
def main(*, kills: int, seed: int, speed: float, minutes: float) -> None:
    """Kill so many controllers and print what came of it."""
    sys.path.insert(0, str(Path(__file__).parent))
    from conftest import table_in  # noqa: PLC0415 - a folder of tests is no package

    async def run() -> Killed:
        with tempfile.TemporaryDirectory(prefix="kills-") as folder:
            async with table_in(Path(folder), "--no-pictures", seed=seed, speed=speed) as table:

                def told(number: int, ended: int) -> None:
                    click.echo(f"{number}/{kills} kills, {ended} hands ended", err=True)

                rng = Random(seed)  # noqa: S311 - moments
                return await killed_at_random(table, kills, rng, within_s=minutes * 60, told=told)

    with contextlib.suppress(KeyboardInterrupt):
        click.echo(msgspec.json.format(msgspec.json.encode(asyncio.run(run())), indent=1).decode())


if __name__ == "__main__":
    main()
