"""Who may order what: the table everything of every hand, the referee with his PIN what moves points."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import pytest
from click.testing import CliRunner

from controller.broker_address import parse_broker_url
from controller.cli.pin import command as pin_command
from controller.command_desk import Answered, CommandDesk
from controller.commands import VERBS
from controller.config import ConfigError, parse_config
from controller.mqtt_way import way_of
from controller.rights import (
    RIGHTS,
    BadPin,
    LockOut,
    PinHash,
    Right,
    Verdict,
    Way,
    right_of,
    verdict,
)
from controller.session_inputs import Ordered
from controller.session_replies import Reply

RIGHT, WRONG = "271828", "314159"
CHEAP = PinHash.parse(str(PinHash.of(RIGHT, salt=b"s" * 16)))

ORDERS: dict[str, dict[str, Any]] = {
    "answer": {"doubt": 1, "action": "deny"},
    "propose": {"ruling": "barred", "seat": 1},
    "correct": {"deal": 1, "index": 0},
    "abandon": {"reason": "spilled tea"},
    "adjust": {"payments": [1, -1, 0, 0], "reason": "a loan"},
    "names": {"players": ["甲", "乙", "丙", "丁"]},
}


def order(verb: str, **more: object) -> bytes:
    said = {"id": f"{verb}-1", "author": "seat 2", "expires": 30.0, "verb": verb}
    return json.dumps({**said, **ORDERS.get(verb, {}), **more}).encode()


@dataclass
class Desk:
    """A desk that carries out whatever reaches the table, at a time of its own."""

    pin: PinHash | None = CHEAP
    now: float = 0.0
    begun: bool = False
    done: list[Ordered] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._desk = CommandDesk(
            self._carry_out,
            clock=lambda: 0.0,
            now=lambda: self.now,
            pin=self.pin,
            match_has_begun=lambda: self.begun,
        )

    async def _carry_out(self, ordered: Ordered) -> Reply:
        self.done.append(ordered)
        return Reply(done=True, zh="好", en="done")

    async def ask(self, verb: str, way: Way = Way.PAGE_AWAY, **more: object) -> Answered:
        return await self._desk.take(order(verb, **more), way=way)


def test_every_order_has_a_right() -> None:
    assert set(VERBS) <= set(RIGHTS)


def test_an_order_of_tomorrow_is_the_referees() -> None:
    assert right_of("burn", match_has_begun=False) is Right.REFEREE


@pytest.mark.parametrize(("way", "has_pin"), list(product(Way, (True, False))))
def test_what_happens_at_every_hand_is_everybodys(way: Way, has_pin: bool) -> None:  # noqa: FBT001
    for verb in ("answer", "propose", "undo", "pause", "resume", "names", "start"):
        assert verdict(verb, way, has_pin=has_pin, match_has_begun=False) is Verdict.ALLOWED


@pytest.mark.parametrize("verb", ["correct", "enter", "adjust", "abandon", "next_match"])
async def test_the_referees_orders_need_his_pin(verb: str) -> None:
    desk = Desk()
    for way in (Way.PAGE_HERE, Way.PAGE_AWAY):
        without = await desk.ask(verb, way)
        assert (without.done, without.needs, without.en) == (False, "pin", "it needs the referee's PIN")
        wrong = await desk.ask(verb, way, pin=WRONG)
        assert (wrong.done, wrong.needs, wrong.en) == (False, "pin", "wrong PIN")
        assert desk.done == []
        assert (await desk.ask(verb, way, pin=RIGHT)).done
        desk.done.clear()


async def test_names_are_the_referees_once_the_match_has_begun() -> None:
    desk = Desk()
    assert (await desk.ask("names")).done
    desk.begun = True
    assert (await desk.ask("names")).needs == "pin"
    assert (await desk.ask("names", pin=RIGHT)).done


async def test_without_a_pin_only_the_tables_own_computer_gives_the_referees_orders() -> None:
    desk = Desk(pin=None)
    away = await desk.ask("adjust", Way.PAGE_AWAY, pin=RIGHT)
    assert (away.done, away.needs) == (False, "right")
    assert "longzhuo pin" in away.en
    assert desk.done == []
    assert (await desk.ask("adjust", Way.PAGE_HERE)).done


@pytest.mark.parametrize(
    ("way", "pin", "done"),
    [
        (Way.BROKER_SIGNED, CHEAP, True),
        (Way.BROKER_SIGNED, None, True),
        (Way.BROKER_HERE, None, True),
        (Way.BROKER_HERE, CHEAP, False),
        (Way.BROKER_AWAY, None, False),
        (Way.BROKER_AWAY, CHEAP, False),
    ],
)
async def test_a_broker_where_nobody_signs_in_is_no_way_around_the_pin(
    way: Way,
    pin: PinHash | None,
    done: bool,  # noqa: FBT001
) -> None:
    desk = Desk(pin=pin)
    answered = await desk.ask("adjust", way)
    assert (answered.done, len(desk.done)) == (done, done)
    assert (await desk.ask("undo", way)).done


def _way(url: str) -> Way:
    return way_of(parse_broker_url(url))


def test_a_broker_where_the_table_signs_in_is_one_where_all_do() -> None:
    assert _way("mqtt://table-1:secret@10.0.0.2") is Way.BROKER_SIGNED
    assert _way("mqtt://127.0.0.1:1883") is Way.BROKER_HERE
    assert _way("mqtt://10.0.0.2") is Way.BROKER_AWAY


async def test_a_pin_sent_over_mqtt_is_refused_and_changes_nothing() -> None:
    desk = Desk()
    answered = await desk.ask("undo", Way.BROKER_SIGNED, pin=RIGHT)
    assert (answered.done, desk.done) == (False, [])
    assert answered.en.startswith("a PIN is never sent over MQTT")


async def test_five_wrong_pins_in_a_minute_lock_the_right_one_out_for_a_minute() -> None:
    desk = Desk()
    for second in range(5):
        desk.now = 10.0 * second
        assert (await desk.ask("adjust", pin=WRONG)).en == "wrong PIN"
    locked = await desk.ask("adjust", pin=RIGHT)
    assert (locked.done, locked.needs, locked.en) == (
        False,
        "time",
        "too many wrong PINs, try again in 60 s",
    )
    assert (await desk.ask("undo")).done
    desk.now += 60.0
    assert (await desk.ask("adjust", pin=RIGHT)).done


async def test_pins_tried_all_at_once_are_counted_one_by_one() -> None:
    desk = Desk()
    answers = await asyncio.gather(*(desk.ask("adjust", pin=WRONG) for _ in range(12)))
    assert [answer.en for answer in answers].count("wrong PIN") == 5
    assert (await desk.ask("adjust", pin=RIGHT)).needs == "time"


def test_wrong_pins_far_apart_lock_nothing() -> None:
    lock_out = LockOut()
    for time in range(0, 200, 16):
        lock_out.wrong(float(time))
        assert lock_out.left_s(float(time)) == 0.0


async def test_while_a_pin_is_checked_the_loop_goes_on() -> None:
    desk = Desk()
    asking = asyncio.create_task(desk.ask("adjust", pin=RIGHT))
    turns = 0
    while not asking.done():
        turns += 1
        await asyncio.sleep(0)
    assert asking.result().done
    assert turns > 20


async def test_a_refusal_is_one_line_of_the_log_and_holds_no_pin(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    desk = Desk()
    await desk.ask("adjust", pin=WRONG)
    await desk.ask("adjust", pin=RIGHT)
    (line,) = [record.getMessage() for record in caplog.records if record.name == "controller.command_desk"]
    assert line == "order adjust by 'seat 2' (page over the network): refused: wrong PIN"
    assert not [text for text in (RIGHT, WRONG) if text in caplog.text]
    assert RIGHT not in repr(desk.done)


async def test_a_flood_of_refused_orders_fills_no_log_and_hides_no_guess(
    caplog: pytest.LogCaptureFixture,
) -> None:
    desk = Desk()
    for _ in range(1000):
        desk.now += 0.1
        await desk.ask("adjust")
    told = len(caplog.records)
    assert told < 30
    await desk.ask("adjust", pin=WRONG)
    assert "refused: wrong PIN; " in caplog.messages[-1]
    untold = [int(words.split("; ")[1].split()[0]) for words in caplog.messages if "not told" in words]
    assert told + sum(untold) == 1000


def test_a_hash_knows_its_pin_and_no_other() -> None:
    made = PinHash.of("0042", salt=b"0123456789abcdef")
    again = PinHash.parse(str(made))
    assert again.matches("0042")
    assert not any(again.matches(other) for other in ("0043", "42", "", "0042 ", "００４２"))
    assert "0042" not in f"{made!r} {made}"


@pytest.mark.parametrize("pin", ["", "123", "1234567890123", "12a4", "１２３４", " 1234", "1234\n", "-1234"])
def test_what_is_no_pin_is_not_hashed(pin: str) -> None:
    with pytest.raises(BadPin, match="expected 4 to 12 digits"):
        PinHash.of(pin, salt=b"s" * 16)


GOOD = str(CHEAP)


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: "",
        lambda _: "1234",
        lambda text: text.replace("scrypt", "crypt"),
        lambda text: text.replace("$14$", "$99$"),
        lambda text: text.replace("$14$", "$1e9$"),
        lambda text: text[:-8],
        lambda text: text + "$",
        lambda text: text.replace("$", "", 1),
    ],
)
def test_a_damaged_hash_is_said_by_the_configuration(damage: Callable[[str], str]) -> None:
    lines = 'rules = "cixi-card"\n[board]\nport = "/dev/x"\n[camera]\nsource = 0\n[referee]\npin = '
    assert parse_config(f'{lines}"{GOOD}"', name="t").referee.pin == GOOD
    with pytest.raises(ConfigError, match=r"^t: referee\.pin: "):
        parse_config(f'{lines}"{damage(GOOD)}"', name="t")


def test_the_command_reads_a_pin_and_prints_what_the_configuration_takes() -> None:
    told = CliRunner().invoke(pin_command, input=f"{RIGHT}\n")
    assert told.exit_code == 0
    head, line = told.stdout.splitlines()
    assert head == "[referee]"
    assert PinHash.parse(line.removeprefix('pin = "').removesuffix('"')).matches(RIGHT)
    assert RIGHT not in told.output


@pytest.mark.parametrize("given", [b"", b"12\n", b"\xff\xfe\n", b"1" * 100_000, b"1234\x00\n"])
def test_the_command_says_in_one_line_that_it_is_no_pin(given: bytes) -> None:
    told = CliRunner().invoke(pin_command, input=given)
    assert told.exit_code == 1
    assert told.output.strip() == "Error: PIN: expected 4 to 12 digits, better 6 or more"
