"""Acceptance cases of MQTT with a real mosquitto: what has gone wrong at others' must not go wrong here.

The number in a test's name is the case's. Cases 1 and 7 are also in `test_outbox.py` (killed programs), and
case 11 (a recorder that is gone for good); cases 8 and 9 for every role in the tests of the broker's rights,
cases 15 and 16 in those of the page's feed.
"""

import asyncio
import logging
import os
import signal
import subprocess
import time
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from evening import Evening
from mqtt_clients import Line, Listener, say, until

from controller.broker import Broker, find_mosquitto, own_broker
from controller.broker_words import REFUSED_CODE, RIVAL_CODE
from controller.mqtt import WAITING_EVENTS, Heard, Pace, Publisher
from controller.mqtt_connection import UNACKNOWLEDGED, connected, parse_broker_url
from controller.processes import free_port
from controller.public import Alarm
from controller.session_inputs import BrokerMended, BrokerState, BrokerTrouble

PREFIX = "mj/v1/home/t"
ORDER = f"{PREFIX}/cmd/pause"


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    async with own_broker() as running:
        yield running


@asynccontextmanager
async def running(publisher: Publisher) -> AsyncIterator[list[BrokerState]]:
    """The publisher at work, and the troubles that it tells the table of."""
    told: list[BrokerState] = []

    async def tell(state: BrokerState) -> None:
        told.append(state)

    publisher.troubles.tell = tell
    task = asyncio.create_task(publisher.run())
    try:
        yield told
    finally:
        publisher.stop()
        await asyncio.wait_for(task, 20)


def table(url: str, pace: Pace | None = None) -> Publisher:
    publisher = Publisher(url=url, prefix=PREFIX, pace=pace)
    publisher.retain("state/table", b'{"seq": 1}')
    publisher.retain("state/hand", b'{"seq": 2}')
    return publisher


STATE = [f"{PREFIX}/state/table", f"{PREFIX}/state/hand", f"{PREFIX}/state/availability"]


async def test_case_1_and_7_an_order_that_was_not_done_with_when_the_connection_broke_comes_again(
    broker: Broker,
) -> None:
    line = Line(broker.url)
    taken: list[bytes] = []
    died = asyncio.Event()

    async def take(heard: Heard) -> None:
        taken.append(heard.payload)
        if len(taken) == 1:
            died.set()
            await asyncio.Event().wait()

    async with line.open():
        publisher = table(line.url)
        publisher.hear(f"{PREFIX}/cmd/+", take, loss="")
        async with running(publisher):
            await until(lambda: publisher.published == len(STATE))
            for payload in (b"first", b"second"):
                await say(broker.url, ORDER, payload)
            await died.wait()
            # An acknowledgement, were there one, would arrive meanwhile.
            await asyncio.sleep(0.3)
            line.cut()
            # A name that is known at the broker has what came meanwhile.
            await say(broker.url, ORDER, b"while away")
            await until(lambda: len(taken) == 4)
            assert taken == [b"first", b"first", b"second", b"while away"]


async def test_case_2_a_withheld_connack_is_no_connection(broker: Broker) -> None:
    line = Line(broker.url)
    publisher = table(line.url)
    async with line.open(), running(publisher):
        await until(lambda: publisher.published == len(STATE))
        line.freeze()
        line.cut()
        publisher.retain("state/table", b'{"seq": 3}')
        await until(lambda: line.connections == 2)
        await asyncio.sleep(0.3)
        assert not publisher.connected
        assert publisher.published == len(STATE)
        line.thaw()
        await until(lambda: publisher.connected and publisher.published == 2 * len(STATE))


async def test_case_3_and_15_ten_times_kill_9_of_the_broker_and_state_and_orders_are_there_again(
    broker: Broker,
) -> None:
    taken: list[bytes] = []

    async def take(heard: Heard) -> None:
        taken.append(heard.payload)

    publisher = table(broker.url, Pace(short_s=0.0))
    publisher.hear(f"{PREFIX}/cmd/+", take, loss="")
    async with running(publisher):
        for turn in range(10):
            publisher.retain("state/table", b'{"turn": %d}' % turn)
            # The broker has lost everything: what is heard here was published again.
            listener = Listener()
            async with listener.at(broker.url, f"{PREFIX}/state/#"):
                await until(lambda: STATE[-1] in listener.topics())  # noqa: B023 - it is awaited here
                assert listener.payloads(STATE[0])[-1] == b'{"turn": %d}' % turn
                assert listener.payloads(STATE[-1])[-1] == b"online"
                assert set(listener.topics()) == set(STATE)
            await say(broker.url, ORDER, b"%d" % turn)
            await until(lambda: len(taken) > turn)  # noqa: B023
            os.kill(broker.pid, signal.SIGKILL)
            await until(lambda: not publisher.connected)
    assert taken == [b"%d" % turn for turn in range(10)]


async def test_case_4_an_idle_table_notices_a_line_that_is_dead_and_comes_back(broker: Broker) -> None:
    line = Line(broker.url)
    publisher = table(line.url, Pace(keepalive_s=1, short_s=0.0))
    async with line.open(), running(publisher), Listener().at(broker.url, STATE[-1]) as listener:
        await until(lambda: listener.payloads(STATE[-1]) == [b"online"])
        line.freeze()
        begun = time.monotonic()
        await until(lambda: not publisher.connected)
        assert time.monotonic() - begun < 3 * 2.0
        # The broker has given the table up, too, and said so in its name.
        await until(lambda: listener.payloads(STATE[-1]) == [b"online", b"offline"])
        line.thaw()
        await until(lambda: listener.payloads(STATE[-1])[-1] == b"online")
    assert publisher.dropped == 0


async def test_case_5_of_two_controllers_of_one_table_one_keeps_away_and_raises_one_alarm(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    # With a password the name at the broker is a secret: nothing that is told may hold it.
    url = broker.url.replace("mqtt://", "mqtt://t:secret@")
    tables = [table(url, Pace(aside_s=0.2)) for _ in range(2)]
    name = tables[0]._name  # noqa: SLF001 - the secret
    async with running(tables[0]) as told_first, running(tables[1]) as told_second:
        told = [told_first, told_second]
        await until(lambda: told_first or told_second)
        aside = 0 if told_first else 1
        await until(lambda: tables[1 - aside].connected)
        await asyncio.sleep(1.0)
        assert [one.connected for one in tables] == [aside == 1, aside == 0]
        assert told[aside] == [BrokerTrouble(RIVAL_CODE, PREFIX)]
        assert not [line for line in caplog.messages if name in line]
        assert told[1 - aside] == []
        assert sum("another client" in line for line in caplog.messages) == 1
        tables[1 - aside].stop()
        await until(lambda: tables[aside].connected)
        await until(lambda: told[aside][1:] == [BrokerMended(RIVAL_CODE)])


async def test_case_6_a_burst_over_a_slow_line_is_one_call_at_a_time_and_holds_nobody_up(
    broker: Broker,
) -> None:
    line = Line(broker.url)
    publisher = table(line.url)
    slowest = 0.0
    async with line.open(), running(publisher), Listener().at(broker.url, f"{PREFIX}/event/#") as listener:
        await until(lambda: publisher.published == len(STATE))
        line.delay_s = 0.01
        for number in range(100):
            begun = time.perf_counter()
            publisher.send("event/discard", b"%d" % number)
            publisher.retain("state/hand", b"%d" % number)
            slowest = max(slowest, time.perf_counter() - begun)
        await until(lambda: len(listener.heard) == 100)
        line.delay_s = 0.0
    assert [heard.payload for heard in listener.heard] == [b"%d" % number for number in range(100)]
    assert (line.connections, publisher.dropped) == (1, 0)
    assert slowest < 0.25


async def test_case_8_a_client_that_asked_for_nothing_hears_nothing(broker: Broker) -> None:
    publisher = table(broker.url)
    async with running(publisher), Listener().at(broker.url, "#") as curious:
        await until(lambda: len(curious.heard) == len(STATE))
        async with connected(parse_broker_url(broker.url)) as fresh:
            heard: list[Heard] = []
            reading = asyncio.create_task(_read(fresh.messages(), heard))
            await asyncio.sleep(0.3)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
    assert heard == []


@asynccontextmanager
async def restricted(folder: Path, rights: str) -> AsyncIterator[tuple[str, subprocess.Popen[bytes], Path]]:
    """A mosquitto with a list of rights, which it reads again on SIGHUP."""
    port, lists = free_port(), folder / "rights.acl"
    lists.write_text(rights, encoding="utf-8")
    lists.chmod(0o644)
    config = folder / "mosquitto.conf"
    config.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nacl_file {lists}\nuser root\n")
    program = subprocess.Popen(  # noqa: ASYNC220 - it is there at once
        [find_mosquitto(), "-c", config], stderr=subprocess.DEVNULL
    )
    try:
        yield f"mqtt://127.0.0.1:{port}", program, lists
    finally:
        program.terminate()
        program.wait()


async def test_case_13_what_the_broker_lets_nobody_hear_is_told_once_and_its_end_too(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with restricted(tmp_path, f"topic readwrite {PREFIX}/event/#\n") as (url, program, lists):
        line = Line(url)
        publisher = table(line.url)
        async with line.open(), running(publisher) as told:
            # mosquitto acknowledges them all, and takes the will as well.
            await until(lambda: publisher.published == len(STATE))
            for number in range(5):
                publisher.retain("state/table", b"%d" % number)
                publisher.send("event/discard", b"heard")
            await until(lambda: publisher.published >= len(STATE) + 6)
            assert told == [BrokerTrouble(REFUSED_CODE, STATE[0])]
            refused = [line for line in caplog.messages if "lets nobody hear" in line]
            assert len(refused) == len(STATE)
            assert any(STATE[-1] in line for line in refused)
            lists.write_text("topic readwrite #\n", encoding="utf-8")
            program.send_signal(signal.SIGHUP)
            await asyncio.sleep(0.1)
            line.cut()
            await until(lambda: told[1:] == [BrokerMended(REFUSED_CODE)])


async def test_case_14_a_reader_that_acknowledges_nothing_holds_up_nobody_else_and_may_come_back(
    broker: Broker,
) -> None:
    events = f"{PREFIX}/event/#"
    publisher = table(broker.url)
    address = parse_broker_url(broker.url)
    async with (
        running(publisher),
        Listener().at(broker.url, events) as other,
        connected(address, name="stalled") as stalled,
    ):
        await stalled.subscribe(events)
        got: list[Heard] = []
        reading = asyncio.create_task(_read(stalled.messages(), got))
        for number in range(200):
            publisher.send("event/discard", b"%d" % number)
        await until(lambda: len(other.heard) == 200)
        assert len(got) == UNACKNOWLEDGED
        for heard in got:
            stalled.done_with(heard)
        await until(lambda: len(got) >= 2 * UNACKNOWLEDGED)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
    assert publisher.dropped == 0
    assert [heard.payload for heard in got] == [b"%d" % number for number in range(len(got))]


async def _read(messages: AsyncIterator[Heard], into: list[Heard]) -> None:
    async for heard in messages:
        into.append(heard)  # noqa: PERF401 - it is looked at while it grows


async def test_a_hundred_thousand_events_without_a_broker_take_no_more_room_than_a_thousand() -> None:
    publisher = Publisher(url=f"mqtt://127.0.0.1:{free_port()}", prefix=PREFIX)

    def tell(number: int) -> int:
        """So many more; the bytes that are taken then."""
        for event in range(number):
            publisher.send("event/discard", b"%300d" % event)
            publisher.retain("state/hand", b"%300d" % event)
        tracemalloc.start()
        # All that waits is told anew, so that it is counted.
        for event in range(WAITING_EVENTS):
            publisher.send("event/discard", b"%300d" % event)
        taken = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return taken

    async with running(publisher):
        few = tell(WAITING_EVENTS)
        many = tell(100_000)
        assert publisher.dropped == 100_000 + 2 * WAITING_EVENTS
    assert many < 1.1 * few


def test_a_trouble_with_the_broker_is_an_alarm_that_keeps_nobody_from_playing() -> None:
    evening = Evening(8)
    for number, _ in enumerate(evening.play_deal()):
        if number == 10:
            evening.tell(BrokerTrouble(RIVAL_CODE, "mj_home_t"))
            evening.tell(BrokerTrouble("NET-99", "what a later version knows"))
    alarm = _alarms(evening)[-1]
    assert (alarm.active, alarm.code) == (True, RIVAL_CODE)
    assert "mj_home_t" in alarm.zh
    (outcome,) = evening.log.outcomes()
    assert outcome.how == evening.truths[0].how
    evening.tell(BrokerMended(RIVAL_CODE))
    assert not _alarms(evening)[-1].active


def _alarms(evening: Evening) -> list[Alarm]:
    return [payload for _, payload in evening.log.published if isinstance(payload, Alarm)]
