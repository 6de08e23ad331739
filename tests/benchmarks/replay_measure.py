"""How much faster than play `longzhuo replay` is, over a day of so many hands.

`python tests/benchmarks/replay_measure.py --hands 200` plays them with the simulated people of the tests,
who take a second for everything that a camera sees them do (about four minutes a hand), writes the journal
as the controller does, and replays it with the command. Prints the figures as JSON.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click
import msgspec

sys.path.insert(0, str(Path(__file__).parents[1] / "controller"))

from evening import Evening  # type: ignore[import-not-found]

from controller.journal import Journal
from controller.session_inputs import Input

A_MOVE_S = 1.0


class Day(Evening):  # type: ignore[misc]
    """People who take their time."""

    def tell(self, arrived: Input) -> None:
        self.now += A_MOVE_S
        super().tell(arrived)


def measured(hands: int, folder: Path) -> dict[str, Any]:
    path = folder / "journal.db"
    with Journal.open(path) as journal:
        day = Day(5, keep=journal.write, past=journal.past())
        for _ in range(hands):
            day.play(1)
        day.finish()
    done = subprocess.run(
        [sys.executable, "-m", "controller", "replay", str(path), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    told: dict[str, Any] = msgspec.json.decode(done.stdout)
    return {"journal_mb": round(path.stat().st_size / 1e6, 1), **told}


@click.command()
@click.option("--hands", default=200)
def main(*, hands: int) -> None:
    """Play so many hands, replay them, and print the figures."""
    with tempfile.TemporaryDirectory(prefix="day-") as folder:
        click.echo(msgspec.json.encode(measured(hands, Path(folder))).decode())


if __name__ == "__main__":
    main()
