"""JSON Schemas of topic tree v1, from the payloads' definitions. Pure.

Every topic of a table below `mj/v1/<parlour>/<table>/` has one file. Readers ignore fields that are not in
it: fields may be added within a version.
"""

from typing import Any, Final

import msgspec

from controller.command_desk import Answered
from controller.commands import AnyCommand
from controller.public import (
    EVENT_TOPICS,
    LEDGER_TOPIC,
    LEDGER_TOPICS,
    STATE_TOPICS,
    VERSION,
    AmendedSettlement,
    Settlement,
)
from controller.public_ledger import ACK_TOPIC, LedgerAck

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
FOLDER: Final = "schemas"
"""Beside this file."""

_AMENDED: Final = frozenset({"state/settlement", LEDGER_TOPIC})
"""Topics on which a person's settlement has more to say."""

_TOPICS: Final[dict[str, tuple[Any, ...]]] = {
    **{
        topic: (Settlement, AmendedSettlement) if topic in _AMENDED else (kind,)
        for topic, kind in {**STATE_TOPICS, **EVENT_TOPICS, **LEDGER_TOPICS}.items()
    },
    ACK_TOPIC: (LedgerAck,),
    "cmd": (AnyCommand,),
    "answer": (Answered,),
}


_SENT_BY_OTHERS: Final = frozenset({ACK_TOPIC, "cmd", "answer"})
"""Topics on which a field with a default may be missing."""


def schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schema of every topic's payload, by topic; "cmd" stands for `cmd/<verb>`, "answer" alike.

    `state/availability` is plain text: "online" or "offline".
    """
    return {topic: _schema(topic, kinds) for topic, kinds in _TOPICS.items()}


def files() -> dict[str, str]:
    """The same as files: name and text."""
    return {
        f"{topic.replace('/', '-')}.json": msgspec.json.format(msgspec.json.encode(schema), indent=1).decode()
        + "\n"
        for topic, schema in schemas().items()
    }


def _schema(topic: str, kinds: tuple[Any, ...]) -> dict[str, Any]:
    found, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    if topic not in _SENT_BY_OTHERS:
        for each in definitions.values():
            # What a table publishes has all of its fields.
            each["required"] = list(each.get("properties", ()))
    chosen = found[0] if len(found) == 1 else {"anyOf": list(found)}
    return {
        "$schema": DIALECT,
        "$id": f"urn:longzhuo:mj:v{VERSION}:{topic.replace('/', ':')}",
        "title": topic,
        **chosen,
        "$defs": definitions,
    }
