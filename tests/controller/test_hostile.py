"""Whatever people or the network send is harmless: one line of refusal, no traceback, nothing that grows."""

import asyncio
import json
import logging
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_config import SMALLEST

from controller.command_desk import Answered, CommandDesk
from controller.commands import LONGEST_BYTES, VERBS, read
from controller.config import Config, ConfigError, parse_config
from controller.rights import PinHash, Way
from controller.session_inputs import Names, Ordered
from controller.session_replies import Reply

HTML = "<img src=x onerror=alert(1)>"
NASTY = [
    *(b"", b"\x00", b"\xff\xfe{", b"null", b"[]", b"1e999", b"NaN", b"-Infinity", b"x" * 1_000_000),
    *(b"[" * 16_000, b'{"a":' * 3_000, b'{"verb":"undo","author":"a"' + b" " * 16_000),
    *(b'{"verb":"undo","author":"\\ud800"}', b'{"verb":"undo","author":"\xed\xa0\x80"}'),
    *(b'{"verb":"undo","author":"a\\u0000b"}', b'{"verb":"undo","author":"\\u202eb"}'),
    *(b'{"verb":"undo","author":"a","expires":1e999}', b'{"verb":"undo","author":"a","expires":NaN}'),
    *(b'{"verb":"undo","author":"a","expires":-1}', b'{"verb":"undo","author":"a","id":"a/#"}'),
    b'{"verb":"undo","author":"a","verb":"adjust"}',
    b'{"verb":"adjust","author":"a","payments":[1e400,0,0,0],"reason":"r"}',
    b'{"verb":"adjust","author":"a","payments":[9999999999999999999999,0,0,0],"reason":"r"}',
    b'{"verb":"answer","author":"a","doubt":' + b"9" * 5_000 + b',"action":"deny"}',
    b'{"verb":"correct","author":"a","deal":1,"index":0,"events":["' + b'","'.join([b"x"] * 3_000) + b'"]}',
    json.dumps({"verb": HTML, "author": HTML}).encode(),
    json.dumps({"verb": "undo", "author": "a", HTML: 1}).encode(),
]
ORDERED: list[Ordered] = []


async def carry_out(ordered: Ordered) -> Reply:
    ORDERED.append(ordered)
    return Reply(done=True, zh="好", en="done")


def desk() -> CommandDesk:
    # A cheap hash: nobody's PIN, but one that is compared.
    pin = PinHash((4, 8, 1), b"s" * 16, b"d" * 32)
    return CommandDesk(carry_out, clock=lambda: 0.0, now=lambda: 0.0, pin=pin)


def is_one_short_line(text: str) -> bool:
    return 0 < len(text) <= 400 and len(text.splitlines()) == 1 and text.isprintable()


def taken(body: bytes, way: Way, verb: str | None) -> Answered:
    """What the desk answers, which is a short line in both languages and can be sent."""
    answered = asyncio.run(desk().take(body, way=way, verb=verb))
    assert is_one_short_line(answered.zh), answered
    assert is_one_short_line(answered.en), answered
    json.dumps([answered.id, answered.zh, answered.en]).encode()
    return answered


@pytest.mark.parametrize("body", NASTY, ids=range(len(NASTY)))
def test_hostile_orders_are_refused_in_one_line(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    ORDERED.clear()
    for way, verb in ((Way.PAGE_AWAY, None), (Way.BROKER_SIGNED, "adjust"), (Way.BROKER_SIGNED, HTML)):
        assert not taken(body, way, verb).done
    assert ORDERED == []
    assert all(is_one_short_line(record.getMessage()) for record in caplog.records)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [
        *("author", "id", "expires", "pin", "doubt", "action", "choice", "words", "ruling", "seat", "hand"),
        *("reason", "deal", "index", "events", "answers", "winner", "melds", "tile", "flags", "payments"),
        *("players", "rules", "options", "stake", "indicator", "how", "from_seat"),
    ]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.binary(max_size=200), st.sampled_from(list(Way)), st.none() | st.text(max_size=20))
def test_no_bytes_break_the_desk(body: bytes, way: Way, verb: str | None) -> None:
    taken(body, way, verb)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(VERBS),
    st.dictionaries(FIELDS, json_values, max_size=6),
    st.text(min_size=1, max_size=40),
    st.sampled_from(list(Way)),
)
def test_no_fields_break_the_desk(verb: str, fields: dict[str, object], author: str, way: Way) -> None:
    body = json.dumps({"author": author, **fields, "verb": verb}).encode()
    taken(body, way, None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=14), min_size=4, max_size=4))
def test_names_that_are_taken_can_be_shown(players: list[str]) -> None:
    body = json.dumps({"verb": "names", "author": "a", "players": players}).encode()
    if taken(body, Way.PAGE_HERE, None).done:
        assert all(1 <= len(name) <= 12 and name.isprintable() for name in players)


def test_html_in_a_name_stays_text() -> None:
    told = read(json.dumps({"verb": "names", "author": "a", "players": ["<b>", "&amp;", "'", '"']}).encode())
    assert told.verb == "names"
    assert told.order == Names(("<b>", "&amp;", "'", '"'), "a")


def test_what_is_too_long_is_not_even_decoded() -> None:
    answered = taken(b'{"id": "u1"' + b" " * LONGEST_BYTES, Way.BROKER_SIGNED, "undo")
    assert (answered.id, answered.en) == (
        None,
        f"{LONGEST_BYTES + 11} bytes, expected at most {LONGEST_BYTES}",
    )


CONFIGS = [
    *("\x00", "[" * 5_000, "a = " + "[" * 5_000, "a." * 3_000 + "b = 1", "rules = " + "9" * 5_000),
    *(
        f"{SMALLEST}[patience]\nclaim_s = {number}\n"
        for number in ("nan", "inf", "-inf", "1e999", "-1", "9e99")
    ),
    *(f"{SMALLEST}[http]\nport = {number}\n" for number in ("99999999999999999999", "-1", "1.5", "true")),
    f'{SMALLEST}[table]\nplayers = ["{"x" * 100_000}", "b", "c", "d"]\n',
    f'{SMALLEST}[table]\nid = "../x"\n',
    f'{SMALLEST}["{HTML}"]\nx = 1\n',
    f'{SMALLEST}[referee]\npin = "1234"\n',
]


@pytest.mark.parametrize("text", CONFIGS, ids=range(len(CONFIGS)))
def test_a_hostile_configuration_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_config(text, name="t")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["table", "mqtt", "http", "journal", "timers", "referee", "options", "patience"]),
    st.sampled_from([*Config.__struct_fields__, "url", "port", "host", "pin", "keep_days", "think_s", "id"]),
    st.integers() | st.floats() | st.booleans() | st.text(max_size=20),
)
def test_no_value_breaks_the_configuration(section: str, key: str, value: object) -> None:
    shown = value if isinstance(value, int | float) else 0
    text = json.dumps(value) if isinstance(value, str | bool) else str(shown)
    try:
        config = parse_config(f"{SMALLEST}[{section}]\n{key} = {text}\n", name="t")
    except ConfigError as error:
        assert str(error).startswith("t: ")  # noqa: PT017 - most are refused, some are right
    else:
        assert math.isfinite(config.patience.claim_s)
