"""The import contracts of pyproject.toml, and what the repository promises about itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


def test_a_newcomer_finds_the_two_commands_at_once() -> None:
    first_words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split()[:400])
    assert "make demo" in first_words
    assert "make test" in first_words
