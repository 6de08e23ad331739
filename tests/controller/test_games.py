"""Golden games: each file is a deal as a record, and under every event what people see of it.

`LONGZHUO_UPDATE=1` writes the files anew from their records; read the difference before keeping it.
"""

import os
from pathlib import Path

import pytest
from records import in_words

from rules.record import parse_record

GAMES = sorted((Path(__file__).parent / "games").glob("*.txt"))


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_people_see_what_the_file_says(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    record = parse_record("\n".join(line for line in lines if not line.startswith((" ", "#"))))
    seen = f"{lines[0]}\n{in_words(record, fetched='laid to the hand' in lines[0])}"
    if os.environ.get("LONGZHUO_UPDATE"):
        path.write_text(seen, encoding="utf-8")
    assert seen.splitlines() == lines


def test_the_games_show_every_kind_of_event() -> None:
    told = "\n".join(path.read_text(encoding="utf-8") for path in GAMES)
    for word in ("chi", "peng", "added_kong", "concealed_kong", "kong ", "exhausted", "from", "replacement"):
        assert word in told, word
