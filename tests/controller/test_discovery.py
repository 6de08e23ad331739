"""A table is a device of Home Assistant: as documented, and its buttons' orders are in order."""

import asyncio
import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from evening import Evening
from mqtt_clients import Listener, say, until

from controller.broker import own_broker
from controller.command_desk import CommandDesk
from controller.config import parse_config
from controller.discovery import BUTTON_S, STATUS_TOPIC, discovery_payload, discovery_topic
from controller.mqtt import Publisher
from controller.mqtt_connection import parse_broker_url, retained
from controller.mqtt_discovery import Announcer
from controller.public import STATE_TOPICS
from controller.rights import Way
from controller.session_inputs import Ordered
from controller.session_replies import Reply
from controller.topic_schemas import schemas

PREFIX = "mj/v1/home/table-1"
DOCUMENTED = json.loads(Path(__file__).with_name("home_assistant.schema.json").read_text(encoding="utf-8"))
PAYLOAD: dict[str, Any] = json.loads(discovery_payload(PREFIX, version="0.1.0"))
COMPONENTS: dict[str, dict[str, Any]] = PAYLOAD["cmps"]
DAY = 2_000_000.0


def test_the_payload_is_as_home_assistant_documents_it() -> None:
    jsonschema.Draft202012Validator.check_schema(DOCUMENTED)
    jsonschema.Draft202012Validator(DOCUMENTED).validate(PAYLOAD)
    assert len(json.dumps(PAYLOAD)) < 16_384


@pytest.mark.parametrize("name", ["p", "unique_id"])
def test_what_home_assistant_would_refuse_is_told_apart(name: str) -> None:
    lacking = {key: value for key, value in COMPONENTS["dragon"].items() if key != name}
    wrong = {**PAYLOAD, "cmps": {"dragon": lacking}}
    assert not jsonschema.Draft202012Validator(DOCUMENTED).is_valid(wrong)


def test_the_topic_and_the_names_are_those_of_the_table_alone() -> None:
    assert discovery_topic(PREFIX) == "homeassistant/device/mj_home_table-1/config"
    names = [component["unique_id"] for component in COMPONENTS.values()]
    assert len(set(names)) == len(names)
    assert all(name.startswith("mj_home_table-1_") for name in names)


def test_all_that_is_asked_for_is_there() -> None:
    assert set(COMPONENTS) >= {
        *("state", "dragon", "score_0", "score_1", "score_2", "score_3", "alarm", "doubts"),
        *("hands", "settled", "drawn", "withheld", "uptime", "start", "pause", "resume"),
    }
    (availability,) = PAYLOAD["availability"]
    assert availability["topic"] == f"{PREFIX}/state/availability"


def test_every_value_is_read_from_a_field_that_its_topic_has() -> None:
    for name, component in COMPONENTS.items():
        if "value_template" not in component:
            continue
        topic = component["state_topic"].removeprefix(f"{PREFIX}/")
        assert topic in STATE_TOPICS
        (field,) = set(re.findall(r"value_json\.(\w+)", component["value_template"]))
        (definition,) = [
            each
            for each in schemas()[topic]["$defs"].values()
            if each["title"] == STATE_TOPICS[topic].__name__
        ]
        assert field in definition["properties"], name


def pressed(verb: str, now: float) -> bytes:
    """What Home Assistant sends: its templates know `now()`."""
    template = COMPONENTS[verb]["command_template"]

    def value(found: re.Match[str]) -> str:
        seconds = re.fullmatch(r"now\(\)\.timestamp\(\)(?: \+ (\d+))?", found[1])
        assert seconds is not None, found[1]
        return str(now + int(seconds[1] or 0))

    return re.sub(r"\{\{ (.*?) \}\}", value, template).encode()


class Table:
    """A table that takes orders at a time of day that the test sets."""

    def __init__(self) -> None:
        self.evening = Evening(8)
        self.evening.play(1)
        self.now = DAY
        self.desk = CommandDesk(
            self._carry_out, clock=lambda: self.now, now=lambda: self.evening.now + self.now - DAY
        )

    async def _carry_out(self, ordered: Ordered) -> Reply:
        before = len(self.evening.log.answers)
        self.evening.tell(ordered)
        return self.evening.log.answers[before].reply

    async def press(self, verb: str, at: float) -> bool:
        told = await self.desk.take(pressed(verb, at), way=Way.BROKER_SIGNED, verb=verb)
        return told.done


async def test_a_button_gives_an_order_that_is_carried_out() -> None:
    table = Table()
    assert await table.press("pause", DAY)
    assert table.evening.session._play.paused  # noqa: SLF001 - what the order is for
    assert await table.press("resume", DAY + 1.5)
    assert not table.evening.session._play.paused  # noqa: SLF001


async def test_the_same_press_counts_once_and_a_late_one_not_at_all() -> None:
    table = Table()
    assert await table.press("pause", DAY)
    assert await table.press("resume", DAY + 1.0)
    assert await table.press("pause", DAY)
    assert not table.evening.session._play.paused  # noqa: SLF001 - it was answered again
    table.now = DAY + BUTTON_S + 2.5
    assert not await table.press("pause", DAY + 2.0)
    assert not table.evening.session._play.paused  # noqa: SLF001


@pytest.mark.parametrize("verb", ["start", "pause", "resume"])
def test_a_button_is_no_retained_message_and_says_its_verb_by_its_topic(verb: str) -> None:
    assert COMPONENTS[verb]["command_topic"] == f"{PREFIX}/cmd/{verb}"
    assert COMPONENTS[verb]["retain"] is False
    order = json.loads(pressed(verb, 1764489600.25))
    assert order == {"id": "ha-1764489600.25", "author": "home assistant", "expires": 1764489610.25}
    jsonschema.Draft202012Validator(schemas()["cmd"]).validate({"verb": verb, **order})


async def test_it_is_published_first_and_again_when_home_assistant_has_started() -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    once = [discovery_topic(PREFIX), f"{PREFIX}/state/table", f"{PREFIX}/state/availability"]
    async with own_broker() as broker, Listener().at(broker.url, "#") as listener:
        publisher = Publisher(url=broker.url, prefix=PREFIX)
        publisher.retain("state/table", b"{}")
        Announcer(publisher, prefix=PREFIX, sleep=wait).listen(wanted=True)
        running = asyncio.create_task(publisher.run())
        await until(lambda: len(listener.heard) == 3)
        assert listener.topics() == once
        assert listener.heard[0].payload == discovery_payload(PREFIX, version=metadata.version("longzhuo"))
        await say(broker.url, STATUS_TOPIC, b"offline")
        await say(broker.url, STATUS_TOPIC, b"online")
        await until(lambda: len(listener.heard) == 7)
        assert listener.topics() == [*once, STATUS_TOPIC, STATUS_TOPIC, *once[:2]]
        publisher.stop()
        await running
    assert len(waits) == 1
    assert 0.0 <= waits[0] <= 5.0


async def test_switched_off_it_takes_the_device_away() -> None:
    config = parse_config(SWITCHED_OFF, name="table.toml")
    topic = discovery_topic(PREFIX)
    async with own_broker() as broker:
        await say(broker.url, topic, b"{}", retain=True)
        publisher = Publisher(url=broker.url, prefix=PREFIX)
        Announcer(publisher, prefix=PREFIX).listen(wanted=config.mqtt.home_assistant)
        running = asyncio.create_task(publisher.run())
        await until(lambda: publisher.published == 2)
        publisher.stop()
        await running
        assert await retained(parse_broker_url(broker.url), topic, within_s=0.2) is None
    assert parse_config(SWITCHED_OFF.replace("home_assistant = false", ""), name="t").mqtt.home_assistant


SWITCHED_OFF = """
rules = "cixi-card"
[board]
port = "/dev/null"
[camera]
source = 0
[mqtt]
home_assistant = false
"""
