"""PROTOCOL.md says what the code does: its tables and its worked examples are checked against it."""

import re
from binascii import crc32
from collections.abc import Callable, Iterator
from hashlib import sha256
from hmac import digest as hmac
from typing import Any, Final

import pytest

from firmware_bridge import faults, messages, states
from firmware_bridge.configuration import TILE_NUMBERS
from firmware_bridge.document import DOCUMENT, TABLES, renewed
from firmware_bridge.encoding import encode
from firmware_bridge.frames import FRAME_LIMIT, PAYLOAD_LIMIT, encode_frame
from firmware_bridge.layouts import ANSWERS, COMMANDS, REPORTS
from firmware_bridge.link import HEADER, MESSAGE_LIMIT, Kind, Timing
from firmware_bridge.messages import PROTOCOL, Notice
from firmware_bridge.sequence import FIRST_RTO
from firmware_bridge.states import Capability, Profile, Region, Severity, State
from firmware_bridge.virtual_dice import roll_values

TEXT = DOCUMENT.read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```example\n(.*?)```", TEXT, re.DOTALL)
WORDS = vars(messages) | vars(states) | vars(faults)


def test_the_tables_are_those_of_the_code() -> None:
    assert renewed(TEXT) == TEXT


def test_every_table_stands_in_the_document_once() -> None:
    assert sorted(re.findall(r"<!-- table: (\S+) -->", TEXT)) == sorted(TABLES)


def test_every_message_and_kind_is_named() -> None:
    for layout in (*COMMANDS.values(), *ANSWERS.values(), *REPORTS.values()):
        assert f"| {layout.cls.__name__} |" in TEXT
    for kind in Kind:
        assert TEXT.count(f"| {kind.name} |") == 2


# ---- examples: one small language, each line of which is checked ---------------------------------------


def lines_of(example: str) -> Iterator[tuple[str, str]]:
    """The lines of an example by their first word; remarks (#) are left out."""
    for line in example.splitlines():
        word, _, rest = line.strip().partition(" ")
        if word != "#":
            yield word, rest.strip()


def check_payload(parts: dict[str, str], payload: str) -> None:
    parts["payload"] = payload


def check_frame(parts: dict[str, str], frame: str) -> None:
    assert encode_frame(bytes.fromhex(parts["payload"])).hex(" ") == frame


def check_bytes(parts: dict[str, str], message: str) -> None:
    parts["message bytes"] = message


def check_message(parts: dict[str, str], text: str) -> None:
    message = eval(text, dict(WORDS))  # noqa: S307 - our own text
    assert encode(message).hex(" ") == parts["message bytes"]


def check_crc(_parts: dict[str, str], sum_: str) -> None:
    data, _, crc = sum_.partition(" = ")
    assert f"{crc32(bytes.fromhex(data)):08x}" == crc


def check_shifts(_parts: dict[str, str], registers: str) -> None:
    register = 0xFFFFFFFF
    for expected in registers.split():
        register = register >> 1 ^ (0xEDB88320 if register & 1 else 0)
        assert f"{register:08x}" == expected


def keep(name: str) -> Callable[[dict[str, str], str], None]:
    return lambda parts, text: parts.__setitem__(name, text)


def check_digest(parts: dict[str, str], digest: str) -> None:
    assert sha256(bytes.fromhex(parts["seed"])).hexdigest() == digest.replace(" ", "")


def check_hmac(parts: dict[str, str], expected: str) -> None:
    seed, message = bytes.fromhex(parts["seed"]), bytes.fromhex(parts["message"])
    assert hmac(seed, message, "sha256").hex(" ") == expected


def check_values(parts: dict[str, str], values: str) -> None:
    seat, _, added = parts["entropy"].partition(" ")
    expected = tuple(map(int, values.split()))
    entropy = {int(seat): bytes.fromhex(added)}
    assert roll_values(bytes.fromhex(parts["seed"]), int(parts["roll"]), entropy, len(expected)) == expected


CHECKS: Final[dict[str, Callable[[dict[str, str], str], None]]] = {
    "payload": check_payload,
    "frame": check_frame,
    "host": check_bytes,
    "board": check_bytes,
    "=": check_message,
    "crc": check_crc,
    "shift": check_shifts,
    "seed": keep("seed"),
    "roll": keep("roll"),
    "entropy": keep("entropy"),
    "message": keep("message"),
    "digest": check_digest,
    "hmac": check_hmac,
    "values": check_values,
}


PROVED: Final = {"frame", "=", "crc", "shift", "digest", "hmac", "values"}
"""Words of lines that are computed anew; the others say what of."""


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_worked_examples_are_right(example: str) -> None:
    parts: dict[str, str] = {}
    for word, rest in lines_of(example):
        CHECKS[word](parts, rest)
    assert PROVED & {word for word, _ in lines_of(example)}, "an example that nothing is computed of"


def test_there_are_examples_of_everything_that_is_easily_got_wrong() -> None:
    words = {word for example in EXAMPLES for word, _ in lines_of(example)}
    assert words == set(CHECKS)
    told: list[Any] = [
        eval(rest, dict(WORDS))  # noqa: S307 - our own text
        for example in EXAMPLES
        for word, rest in lines_of(example)
        if word == "="
    ]
    reports = {type(message.report).__name__ for message in told if isinstance(message, Notice)}
    assert {"Booted", "Status", "Fault", "DictionaryEntry", "Config", "DiceRolled"} <= reports


# ---- the text --------------------------------------------------------------------------------------------


def test_the_limits_and_times_in_the_text_are_those_of_the_code() -> None:
    timing = Timing()
    assert f"version {PROTOCOL[0]}.{PROTOCOL[1]}" in TEXT.splitlines()[0]
    assert f"1 to {PAYLOAD_LIMIT} bytes" in TEXT
    assert f"at most {FRAME_LIMIT}\n  bytes" in TEXT
    assert f"one message, 1 to {MESSAGE_LIMIT} bytes" in TEXT
    assert HEADER.size == 8
    assert "Every payload begins with eight bytes" in TEXT
    low, high = 1000 * timing.rto_min, 1000 * timing.rto_max
    assert f"at least {low:g} ms and at most {high:g} ms; {1000 * FIRST_RTO:g} ms before" in TEXT
    assert f"| message sent again | {low:g} to {high:g} ms |" in TEXT
    assert f"| RESET repeated | {low:g} ms, doubled up to {high:g} ms |" in TEXT
    assert f"nothing for {1000 * timing.heartbeat:g} ms" in TEXT
    assert f"| link lost without a valid frame | {timing.lost_after:g} s |" in TEXT
    assert f"| link lost without progress | {timing.stalled_after:g} s |" in TEXT
    assert ", ".join(map(str, sorted(TILE_NUMBERS))) in TEXT


def test_nothing_is_bounded_by_a_number_of_tries() -> None:
    assert not re.search(r"\b(tries|attempts|retries|twice in a row|times in a row)\b", TEXT)


def section(title: str) -> str:
    return TEXT.split(f"\n## {title}")[1].split("\n## ")[0]


def test_every_command_stands_in_the_table_of_what_is_allowed() -> None:
    begins = section("8. States").split("| command | begins when |")[1].split("\n\n")[0]
    named = {name for row in begins.splitlines()[2:] for name in row.split("|")[1].strip().split(", ")}
    assert named == {layout.cls.__name__ for layout in COMMANDS.values()}


def test_every_state_capability_profile_and_severity_is_explained() -> None:
    states, hello, faults = section("8. States"), section("5. Hello"), section("13. Faults")
    for state in State:
        if state.region in (Region.LOWER, Region.SAFETY):
            assert re.search(rf"^\| .*\b{state.name}\b.* \|", states, re.MULTILINE), state
    assert all(f"| {capability.name} |" in hello for capability in Capability)
    assert all(f"| {profile.name} |" in hello for profile in Profile)
    assert all(f"| {severity.name} |" in faults for severity in Severity)
