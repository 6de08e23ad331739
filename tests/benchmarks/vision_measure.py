"""Measures reading of pictures, beside the peer `mahjong-detector` where asked for; prints the table.

    .venv/bin/python tests/benchmarks/vision_measure.py [--peer] [--photos FOLDER]

Every figure is processor time, of all threads, the median of rounds in which ours and the peer take turns.
`--peer` makes an environment of its own for the peer below the folder for temporary files, the first time;
it is no dependency of this project, and nothing of it is kept here. With `--photos` (a folder as
LONGZHUO_PHOTOS names) the peer's recall on labelled photographs is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import venv
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).parent))
import click
from full_table import BACKS, FACES, pictures

from controller.cli.read import read_boxes
from rules.tiles import Tile
from vision.photo_score import matched

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE: Final = Path(__file__).parent
HAND: Final = HERE.parent / "vision" / "data" / "drawn-hand-closed.jpg"
PEER: Final = "mahjong-detector==0.0.6"
PEER_HOME: Final = Path(tempfile.gettempdir()) / "longzhuo-peer-mahjong-detector-0.0.6"
COUNT: Final = 45
"""Pictures of the table at rest, a tenth of a second apart: it has settled long before the last ones."""
AIMS: Final = {"whole": 100.0, "unchanged": 15.0, "hand": 10.0}
"""Milliseconds at most."""
ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Figures:
    """Milliseconds and megabytes; the peer's are None where it was not asked for."""

    whole: float
    unchanged: float
    hand: float
    rss: float
    tiles: int
    stages: dict[str, list[float]]
    peer_table: float | None = None
    peer_hand: float | None = None
    peer_rss: float | None = None
    peer_tiles: int | None = None


class Worker:
    """A process that answers lines with JSON objects."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, line: str) -> dict[str, Any]:
        """The answer to a line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def worker(python: Path | str, program: str) -> Iterator[Worker]:
    """One of the two programs beside this file, run by an interpreter."""
    environment = {**os.environ, **ONE_THREAD}
    with subprocess.Popen(
        [python, HERE / program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield Worker(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def peer_python() -> Path:
    """The interpreter of the peer's own environment, which is made where there is none."""
    python = PEER_HOME / "bin" / "python"
    made = PEER_HOME / "made"
    if not made.exists():
        sys.stderr.write(f"making an environment for {PEER} in {PEER_HOME}\n")
        venv.create(PEER_HOME, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
        made.touch()
    return python


def measure(*, rounds: int, count: int, peer: Path | None = None) -> Figures:
    """Measure on `count` pictures of the full table."""
    with tempfile.TemporaryDirectory() as folder, worker(sys.executable, "own_reader.py") as own:
        for number, data in enumerate(pictures(count)):
            (Path(folder) / f"{number:03}.jpg").write_bytes(data)
        first = str(Path(folder) / "000.jpg")
        if peer is None:
            ours = [(own.ask(f"table {folder}"), own.ask(f"hand {HAND}")) for _ in range(rounds)]
            return _figures(ours)
        with worker(peer, "peer_detector.py") as other:
            other.ask(first)  # the first time it loads its network
            turns = [
                (own.ask(f"table {folder}"), own.ask(f"hand {HAND}"), other.ask(first), other.ask(str(HAND)))
                for _ in range(rounds)
            ]
        return replace(
            _figures([(table, hand) for table, hand, _, _ in turns]),
            peer_table=_median([turn[2]["ms"] for turn in turns]),
            peer_hand=_median([turn[3]["ms"] for turn in turns]),
            peer_rss=max(turn[3]["rss_mb"] for turn in turns),
            peer_tiles=len(turns[0][2]["tiles"]),
        )


def _figures(ours: list[tuple[dict[str, Any], dict[str, Any]]]) -> Figures:
    tables, hands = zip(*ours, strict=True)
    stages = {
        stage: [_median([table["stages"][stage][k] for table in tables]) for k in (0, 2)]
        for stage in tables[0]["stages"]
    }
    return Figures(
        whole=_median([table["whole_ms"] for table in tables]),
        unchanged=_median([table["unchanged_ms"] for table in tables]),
        hand=_median([hand["ms"] for hand in hands]),
        rss=max(each["rss_mb"] for each in (*tables, *hands)),
        tiles=tables[0]["tiles"],
        stages=stages,
    )


def _median(values: list[float]) -> float:
    return statistics.median(values)


def table(found: Figures) -> str:
    """The figures as a Markdown table, and what the stages took."""
    full = f"1080p picture, full table ({FACES} faces, {BACKS} backs), decoding included"
    rows = [
        (full, found.whole, found.peer_table, AIMS["whole"]),
        ("the same table unchanged, decoding included", found.unchanged, found.peer_table, AIMS["unchanged"]),
        ("14 tiles of a hand named (the peer: found and named)", found.hand, found.peer_hand, AIMS["hand"]),
    ]
    lines = ["| processor time, ms | ours | mahjong-detector | ratio | aim |", "|---|--:|--:|--:|--:|"]
    for name, ours, peers, aim in rows:
        beside = ("-", "-") if peers is None else (f"{peers:.1f}", f"{ours / peers:.2f}")
        lines.append(f"| {name} | {ours:.1f} | {beside[0]} | {beside[1]} | {aim:g} |")
    memory = (
        ("-", "-")
        if found.peer_rss is None
        else (f"{found.peer_rss:.0f}", f"{found.rss / found.peer_rss:.2f}")
    )
    lines.append(f"| most memory of the process (RSS), MB | {found.rss:.0f} | {memory[0]} | {memory[1]} | |")
    seen = "" if found.peer_tiles is None else f"; the peer finds {found.peer_tiles} tiles on it"
    lines += ["", f"Tiles named on the full table: {found.tiles}{seen}.", ""]
    lines += ["| stage, ms | full | unchanged |", "|---|--:|--:|"]
    lines += [f"| {stage} | {full:.1f} | {same:.1f} |" for stage, (full, same) in found.stages.items()]
    return "\n".join(lines)


def peer_recall(python: Path, folder: Path) -> str:
    """The peer's recall on labelled photographs, flowers left out: it knows none."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    with worker(python, "peer_detector.py") as other:
        for name, rows in read_boxes(folder / "dev" / "labels.csv").items():
            labels = [row for row in rows if row.tile is not None and not Tile.parse(row.tile).is_flower]
            tiles = other.ask(str(folder / "dev" / name))["tiles"]
            boxes = [row.box for row in labels]
            pairs = matched(boxes, [tuple(tile[:4]) for tile in tiles], 0.5) if tiles else {}
            count = counts[rows[0].tileset]
            count[0] += len(labels)
            count[1] += len(pairs)
            count[2] += sum(tiles[find][4] == labels[label].tile for label, find in pairs.items())
    lines = [
        "| the peer on photographs, IoU 0.5, no flowers | tiles | found % | read % |",
        "|---|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {asked} | {100 * found / asked:.1f} | {100 * read / asked:.1f} |"
        for name, (asked, found, read) in sorted(counts.items())
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure in full and print."""
    parser = argparse.ArgumentParser(description="Measure reading of pictures.")
    parser.add_argument("--peer", action="store_true", help="beside mahjong-detector, in its own environment")
    parser.add_argument("--photos", type=Path, help="also the peer's recall on these labelled photographs")
    given = parser.parse_args()
    python = peer_python() if given.peer or given.photos else None
    sys.stdout.write(table(measure(rounds=5, count=COUNT, peer=python)) + "\n")
    if given.photos is not None and python is not None:
        sys.stdout.write("\n" + peer_recall(python, given.photos) + "\n")


if __name__ == "__main__":
    try:
        main()
    except click.ClickException as error:
        sys.exit(error.message)
