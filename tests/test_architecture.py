"""The import contracts of pyproject.toml, and what the repository promises about itself."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from rules import sets
from rules.ruleset import RuleSet
from rules.transitions import state_diagram

ROOT = Path(__file__).parents[1]
PACKAGES = {"rules", "firmware_bridge", "vision", "controller", "hardware_sim", "tests"}
TOP_LEVEL = PACKAGES | {
    *("pyproject.toml", "Makefile", "LICENSE", "README.md", "CHANGELOG.md", ".ci", ".gitignore"),
}


def tracked_files() -> list[str]:
    listing = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listing.stdout.splitlines()


def test_import_contracts_hold() -> None:
    lint_imports = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run(
        [lint_imports, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_top_level_holds_only_what_is_agreed() -> None:
    assert {name.split("/")[0] for name in tracked_files()} <= TOP_LEVEL


def test_no_photograph_is_committed() -> None:
    pictures = [Path(name) for name in tracked_files() if name.lower().endswith((".jpg", ".jpeg"))]
    assert not [picture for picture in pictures if not picture.name.startswith("drawn-")]


def test_lock_files_hold_no_download_addresses() -> None:
    locks = [ROOT / name for name in tracked_files() if name.endswith(("package-lock.json", ".lock"))]
    assert not [lock for lock in locks if '"resolved"' in lock.read_text(encoding="utf-8")]


def test_the_readme_shows_the_states_the_engine_runs_on() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{state_diagram().strip()}\n```" in readme


OF_EVERY_GAME = {
    # Words of the engine and of mahjong anywhere, beside which a rule set may use them too.
    *("discard", "selfdraw", "robkong", "claimed", "barred", "last_discard", "stake", "mirror"),
    *("自摸", "抢杠", "打胡", "平胡", "对对胡", "清一色", "混一色", "龙"),
}
NAMES_A_GAME = {
    # Where a game may be named, and as what.
    "controller/cli/demo.py": {"cixi"},  # the default of --rules
    "controller/cli/sim.py": {"cixi"},
    "controller/cli/soak.py": {"cixi"},
    "controller/cli/latency.py": {"cixi"},
    "hardware_sim/__main__.py": {"cixi"},
    "controller/cli/score.py": {
        "cixi",
        "hot_discard",
        "shangtang",
        "pass_win_lock",
        "passed_win",
    },  # examples
    "controller/cli/waits.py": {"cixi"},
    "controller/config.py": {"cixi"},  # an example in a complaint
    "rules/cases.py": {"tongfu"},  # a field of the format of case files
}


def words_of_the_games() -> set[str]:
    """What the rule sets call their options, ways, circumstances and prices, and their own names."""
    found = {"cixi", "慈溪"}
    for name in sets.available():
        desk = sets.load(name).desk
        assert desk is not None
        found |= {option.name for option in desk.sheet} | set(desk.ways) | set(desk.flags)
        titles = [line.zh for line in desk.prices] + [
            zh for zh, _ in (*desk.ways.values(), *desk.flags.values())
        ]
        found |= {word for title in titles for word in title.split("/")}
    return found - OF_EVERY_GAME - {field.name for field in fields(RuleSet)}


def words_in(text: str, words: set[str]) -> set[str]:
    names = set(re.findall(r"[A-Za-z_]+", text))
    return {word for word in words if (word in names if word.isascii() else word in text)}


def test_no_word_of_a_game_stands_outside_the_rule_sets() -> None:
    words = words_of_the_games()
    assert {"feima", "shangtang", "抛花", "大乱"} <= words
    engine = [name for name in tracked_files() if name.split("/")[0] in PACKAGES - {"tests"}]
    for name in engine:
        if name.startswith("rules/sets/") or not name.endswith((".py", ".ts", ".html", ".css")):
            continue
        found = words_in((ROOT / name).read_text(encoding="utf-8"), words)
        assert found <= NAMES_A_GAME.get(name, set()), name


def test_every_place_that_may_name_a_game_does() -> None:
    assert set(NAMES_A_GAME) <= set(tracked_files())
    for name in NAMES_A_GAME:
        assert words_in((ROOT / name).read_text(encoding="utf-8"), words_of_the_games()), name


POINTS = {24, 34, 72, 100}
"""What the rule sets pay and begin with; two files count kinds of tiles and bits."""


def test_no_number_of_points_stands_in_the_core() -> None:
    core = [*(ROOT / "rules").glob("*.py"), *(ROOT / "controller").glob("*.py")]
    core += [ROOT / "hardware_sim" / name for name in ("truth.py", "world.py", "world_deal.py", "verdict.py")]
    for path in core:
        numbers = {
            node.value
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Constant) and type(node.value) is int
        }
        allowed = {"tiles.py": {24, 34}, "hand.py": {24}}.get(path.name, set())
        assert not numbers & POINTS - allowed, path


def test_a_newcomer_finds_the_two_commands_at_once() -> None:
    first_words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split()[:400])
    assert "make demo" in first_words
    assert "make test" in first_words
