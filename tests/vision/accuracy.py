"""The accepted figures of reading: measures them, writes them to `accuracy.txt`, compares with those there.

    LONGZHUO_PHOTOS=FOLDER .venv/bin/python tests/vision/accuracy.py [--update] [--only photos|scenes]

With `--update` the file and the plot `reliability.svg` beside it are written anew (the part on photographs
only where LONGZHUO_PHOTOS names their folder); without it, what is worse than the file is printed and the
status is 1.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))
from accuracy_photos import ENROLLED_WITH, UNSEEN, Named, Readings, read_all
from accuracy_scenes import LONG, SHORT, Scenes, scene_rows
from reliability import CERTAIN, plot, reliability

if TYPE_CHECKING:
    from vision.photo_score import Recall

FILE = Path(__file__).parent / "accuracy.txt"
DATA = Path(__file__).parents[2] / "vision" / "data"
PLOT = Path(__file__).parent / "reliability.svg"
FALL = 0.3
"""Points by which a figure may be worse than the accepted one."""
ORDER = ("boxes", "boxes-enrolled", "found", "found-enrolled", "reliability", SHORT.key, LONG.key)
"""The sections' keys as they follow each other."""
WORSE_IF_MORE = frozenset({"sure wrong %", "error %"})
"""Columns in which less is better; in every other column of percent more is."""

Row = dict[str, float]


@dataclass(frozen=True)
class Section:
    """A table: its key, a line that explains it, and its rows by name; every row has the same columns."""

    key: str
    title: str
    rows: dict[str, Row]


def photo_sections(read: Readings) -> list[Section]:
    """The figures of the photographs."""
    unseen = f"{UNSEEN} (rest)"
    before, after = dict(read.before), dict(read.after)
    after[unseen] = after.pop(UNSEEN)
    before[unseen] = read.rest
    enrolled = f"the first {ENROLLED_WITH} photographs of {UNSEEN}"
    return [
        Section("boxes", "Photographs, boxes given.", {k: _names(v) for k, v in sorted(before.items())}),
        Section(
            "boxes-enrolled",
            f"The same after enrolment with {enrolled}, without those.",
            {k: _names(v) for k, v in sorted(after.items())},
        ),
        Section(
            "found",
            "Photographs, no boxes given: of the labelled tiles, found (a box that overlaps by so much), and "
            "also named rightly.",
            _finds(read.found_before.rows),
        ),
        Section(
            "found-enrolled", f"The same after enrolment with {enrolled}.", _finds(read.found_after.rows)
        ),
        Section(
            "reliability",
            f"Boxes given: readings with a confidence of {CERTAIN} or more, how many of them are right, "
            "expected calibration error.",
            {
                f"{name}, {when}": _held(each)
                for when, these in (("before", before), ("enrolled", after))
                for name, each in sorted(these.items())
            },
        ),
    ]


def _names(named: Named) -> Row:
    count = len(named.right)
    wrong = sum(stands and not right for stands, right in zip(named.stands, named.right, strict=True))
    return {
        "tiles": count,
        "right %": 100 * sum(named.right) / count,
        "sure %": 100 * sum(named.stands) / count,
        "sure wrong %": 100 * wrong / count,
    }


def _finds(rows: dict[tuple[str, float], Recall]) -> dict[str, Row]:
    out: dict[str, Row] = {}
    for (tileset, least), recall in sorted(rows.items(), reverse=True):
        row = out.setdefault(tileset, {"tiles": recall.asked})
        row[f"found {least} %"] = 100 * recall.found / recall.asked
        row[f"read {least} %"] = 100 * recall.named / recall.asked
    return dict(sorted(out.items()))


def _held(named: Named) -> Row:
    held = reliability(named.confidence, named.right)
    return {
        "tiles": held.readings,
        "certain %": 100 * held.certain,
        "right of them %": 100 * held.certain_right,
        "error %": 100 * held.error,
    }


def drawn(read: Readings) -> str:
    """The plot of reliability."""
    panels = [
        (heading, [(name, each.confidence, each.right) for name, each in sorted(these.items())])
        for heading, these in (
            ("Before enrolment", read.before),
            (f"{UNSEEN} enrolled with {ENROLLED_WITH} photographs", read.after),
        )
    ]
    return plot(panels)


def scene_section(scenes: Scenes) -> Section:
    """The figures of the simulated table."""
    title = (
        f"Simulated table as a running one reads it, scenes of each camera preset: {scenes.count}, "
        f"seed {scenes.seed}."
    )
    return Section(scenes.key, title, scene_rows(scenes))


def text_of(sections: list[Section]) -> str:
    """The file's text."""
    lines = [
        f"Accepted figures of reading, in percent. A test fails where one gets worse by more than {FALL}.",
        "Written by: LONGZHUO_PHOTOS=FOLDER .venv/bin/python tests/vision/accuracy.py --update",
        f"Networks: {networks()}",
    ]
    for section in sections:
        columns = list(next(iter(section.rows.values())))
        width = max(len(name) for name in section.rows)
        lines += ["", f"[{section.key}] {section.title}", " | ".join([" " * width, *columns])]
        for name, row in section.rows.items():
            cells = (f"{row[column]:>{len(column)}.{0 if column == 'tiles' else 2}f}" for column in columns)
            lines.append(" | ".join([name.ljust(width), *cells]))
    return "\n".join(lines) + "\n"


def networks() -> str:
    """What tells the networks from others."""
    found = sorted(each for each in DATA.iterdir() if each.suffix == ".onnx")
    return ", ".join(f"{each.name} {hashlib.sha256(each.read_bytes()).hexdigest()[:12]}" for each in found)


def parse(text: str) -> dict[str, Section]:
    """The sections of a file."""
    out: dict[str, Section] = {}
    for block in text.split("\n\n")[1:]:
        title, head, *rows = block.strip("\n").split("\n")
        key, _, words = title.removeprefix("[").partition("] ")
        columns = [column.strip() for column in head.split(" | ")][1:]
        out[key] = Section(key, words, {
            cells[0].strip(): dict(zip(columns, map(float, cells[1:]), strict=True))
            for cells in (row.split(" | ") for row in rows)
        })  # fmt: skip
    return out


def worse(found: Section, accepted: Section) -> list[str]:
    """What got worse, a line each; a row or column that is gone is worse too.

    One tile of a table that has few of them is more than the points allowed, so one is allowed in any case.
    """
    out = []
    for name, was in accepted.rows.items():
        now = found.rows.get(name, {})
        slack = max(FALL, 100.0 / max(1.0, was.get("tiles", 1.0))) + 0.006
        for column, value in was.items():
            if not column.endswith("%"):
                continue
            if column not in now:
                out.append(f"{found.key}: {name}: no figure for {column}")
                continue
            fall = now[column] - value if column in WORSE_IF_MORE else value - now[column]
            if fall > slack:
                out.append(f"{found.key}: {name}: {column} {value:.2f}, now {now[column]:.2f}")
    return out


def main() -> None:
    """Measure, then write or compare."""
    parser = argparse.ArgumentParser(description="Measure how well tiles are read.")
    parser.add_argument("--update", action="store_true", help="write the figures as the accepted ones")
    parser.add_argument(
        "--only", choices=("photos", "scenes"), help="measure the one half and keep the other"
    )
    given = parser.parse_args()
    folder = os.environ.get("LONGZHUO_PHOTOS")
    sections: list[Section] = []
    picture = None
    if folder is not None and given.only != "scenes":
        read = read_all(Path(folder) / "dev")
        sections, picture = photo_sections(read), drawn(read)
    if given.only != "photos":
        sections += [scene_section(SHORT), scene_section(LONG)]
    accepted = parse(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    if not given.update:
        known = [each for each in sections if each.key in accepted]
        fallen = [line for each in known for line in worse(each, accepted[each.key])]
        sys.stdout.write(text_of(sections))
        sys.exit("\n".join(fallen) if fallen else 0)
    kept = {**accepted, **{each.key: each for each in sections}}
    FILE.write_text(text_of([kept[key] for key in ORDER if key in kept]), encoding="utf-8")
    if picture is not None:
        PLOT.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
