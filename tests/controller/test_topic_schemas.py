"""The schemas that are shipped are those of the code, and what a table publishes is as they say."""

from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from evening import Evening

import controller
from controller.cli import main
from controller.public import EVENT_TOPICS, LEDGER_TOPICS, STATE_TOPICS, encode
from controller.topic_schemas import FOLDER, files, schemas

SHIPPED = Path(controller.__file__).parent / FOLDER
VALIDATORS = {topic: jsonschema.Draft202012Validator(schema) for topic, schema in schemas().items()}


def test_the_shipped_files_are_those_that_the_code_tells() -> None:
    """`longzhuo schemas controller/schemas` writes them."""
    assert {path.name: path.read_text(encoding="utf-8") for path in SHIPPED.iterdir()} == files()


def test_every_topic_has_a_schema_that_is_one() -> None:
    assert set(schemas()) == {*STATE_TOPICS, *EVENT_TOPICS, *LEDGER_TOPICS, "ledger/ack", "cmd", "answer"}
    for schema in schemas().values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_payload_of_an_evening_is_as_its_schema_says() -> None:
    evening = Evening(8)
    evening.play(2)
    evening.finish()
    published = [(topic, msgspec.json.decode(encode(payload))) for topic, payload in evening.log.published]
    for topic, payload in published:
        VALIDATORS[topic].validate(payload)
    assert {topic for topic, _ in published} >= {*STATE_TOPICS, "ledger/settlement"} - {"state/ranking"}


HEAD = {"v": 1, "boot": 1, "seq": 1, "ts": ""}
WRONG: list[tuple[str, dict[str, Any]]] = [
    (
        "state/scores",
        {"v": 1, "boot": 1, "seq": 1, "ts": "", "balances": [100, 100, 100], "start_points": 100},
    ),
    ("event/discard", {"v": 1, "boot": 1, "seq": 1, "ts": "", "seat": 4, "tile": "1m"}),
    ("event/discard", {"v": 1, "boot": 1, "seq": 1, "ts": "", "seat": 0, "tile": "0m"}),
    ("event/discard", {"seat": 0, "tile": "1m"}),
    ("ledger/ack", {"boot": 1, "through": 4}),
    ("cmd", {"verb": "shutdown", "author": "x"}),
]


@pytest.mark.parametrize(("topic", "payload"), WRONG)
def test_what_no_table_says_is_told_apart(topic: str, payload: dict[str, Any]) -> None:
    assert not VALIDATORS[topic].is_valid(payload)


def test_the_schemas_are_written_where_somebody_wants_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["schemas", str(tmp_path / "new")])
    assert {path.name for path in (tmp_path / "new").iterdir()} == set(files())
    assert f"{len(files())} schemas" in capsys.readouterr().out
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit):
        main(["schemas", str(tmp_path / "file" / "below")])
    assert "expected a folder" in capsys.readouterr().err
