"""Golden games: whole deals as records, and below each what a person would check at its end.

A file begins with remarks: what it shows, ``# rules NAME OPTION=VALUE …``, and where they matter
``# balances N N N N`` and ``# answer QUESTION ANSWER``. `pytest --update` writes anew what stands below the
record; read the difference before keeping it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rules.deal import deals_kept
from rules.events import Won
from rules.record import format_record, parse_record
from rules.scoring import Unsettled, settle
from rules.sets import load
from rules.state import Phase, public
from rules.table import replay
from rules.tiles import SEATS, format_tiles

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.state import Balances, TableState

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@dataclass
class Game:
    """A file, taken apart."""

    title: str
    rules: RuleSet
    record: str
    balances: Balances | None = None
    answers: dict[str, str] = field(default_factory=dict)


def read(text: str) -> Game:
    """Take a file apart; what stands below the record is left out."""
    remarks = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    words = {line.split()[0]: line.split()[1:] for line in remarks[1:]}
    name, *chosen = words["rules"]
    options = {key: int(value) if value.isdigit() else value for key, value in (o.split("=") for o in chosen)}
    game = Game(remarks[0], load(name, options), text.split("\n\n", maxsplit=1)[0])
    if "balances" in words:
        first, second, third, fourth = map(int, words["balances"])
        game.balances = (first, second, third, fourth)
    if "answer" in words:
        question, answer = words["answer"]
        game.answers = {question: answer}
    return game


def told(game: Game) -> list[str]:
    """What a person would check of the deal's end."""
    state = replay(parse_record(game.record), game.rules)
    lines = [f"{state.phase}: {state.wall.left} tiles left in the wall, {state.kongs} kongs"]
    if state.wild is not None:
        lines.append(f"indicator {state.indicator}, dragon {state.wild}")
    for seat in SEATS:
        hand = state.hands[seat]
        melds = ", ".join(f"{meld.kind} {format_tiles(meld.tiles)}" for meld in hand.melds)
        lines.append(f"seat {seat}: hand {format_tiles(hand.concealed)}" + (f"; {melds}" if melds else ""))
        lines.append(f"        pond {format_tiles(state.ponds[seat])}".rstrip())
    lines += account(game, state)
    if state.phase is Phase.OVER and "match is over" not in lines[-1]:
        dealer = game.rules.next_dealer(state)
        lines.append(f"next dealer {dealer}, who has kept the deal {deals_kept(state, game.rules)} times")
    return lines


def account(game: Game, state: TableState) -> list[str]:
    """The settlement, or why there is none."""
    if not isinstance(state.result, Won):
        return ["nobody has won: no payments"] if state.phase is Phase.OVER else []
    try:
        found = settle(state, game.rules, game.balances, game.answers)
    except Unsettled as missing:
        return [f"asked: {missing.question}: {missing.reason} ({' | '.join(missing.candidates)})"]
    assert settle(public(state), game.rules, game.balances, game.answers) == found
    lines = [
        f"won by seat {found.winner}, {found.how}"
        + (f" from {found.from_seat}" if found.from_seat is not None else "")
    ]
    lines += [f"  {line.value:>2}  {line.zh} {line.en}, {line.article}" for line in found.lines]
    if found.total is not None:
        lines.append(f"  {found.total:>2}  in all; unit {found.unit}, points {found.point_each}")
    lines += [f"because {reason.zh} {reason.en}, {reason.article}" for reason in found.reasons]
    lines.append(f"payments {' '.join(f'{paid:+d}' for paid in found.payments)}")
    if game.balances is not None:
        first, second, third, fourth = (
            points + paid for points, paid in zip(game.balances, found.payments, strict=True)
        )
        after = (first, second, third, fourth)
        over = game.rules.match_over(after, found)
        lines.append(f"balances {' '.join(map(str, after))}" + ("; the match is over" if over else ""))
    return lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_deal_ends_as_the_file_says(path: Path, request: pytest.FixtureRequest) -> None:
    text = path.read_text(encoding="utf-8")
    game = read(text)
    expected = f"{game.record}\n\n" + "".join(f"  {line}\n" for line in told(game))
    if request.config.getoption("--update"):
        path.write_text(expected, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_record_reads_back_as_it_is_written(path: Path) -> None:
    record = read(path.read_text(encoding="utf-8")).record
    events = "".join(f"{line}\n" for line in record.splitlines() if not line.startswith("#"))
    assert format_record(parse_record(events)) == events


def test_the_games_show_every_way_to_end() -> None:
    everything = "\n".join(path.read_text(encoding="utf-8") for path in FILES)
    for words in (
        *(
            "飞马",
            "拦飞马",
            "抢杠",
            "热炮",
            "统付",
            "四龙",
            "十连风",
            "单吊临张",
            "全风",
            "杠头开花",
            "关风向",
        ),
        *(
            "抛花",
            "无龙清一色",
            "付尽为止",
            "false_win",
            "exhausted",
            "cixi-platform",
            "the match is over",
            "asked:",
        ),
    ):
        assert words in everything, words
