"""Garbage, slow clients and thousands of connections leave the page as it was, and the log short."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from mqtt_clients import until
from test_http_guard import answered, get, what_still_comes

from controller import http, http_guard
from controller.http import Display, listen_on
from controller.http_guard import MOST_CONNECTIONS, MOST_OF_ONE, Doors

BIG = 8_000_000
"""More than a socket holds that nobody reads."""


@pytest.fixture
async def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Display]:
    monkeypatch.setattr(http, "PAGE", tmp_path)
    monkeypatch.setattr(http_guard, "REQUEST_S", 0.5)
    (tmp_path / "index.html").write_text("<title>page</title>", encoding="utf-8")
    (tmp_path / "big").write_bytes(bytes(BIG))
    listener = listen_on("127.0.0.1", 0)

    def broken() -> dict[str, object]:
        raise KeyError(0)

    display = Display(listener, websocket="ws://127.0.0.1:9001", prefix="p", health=broken)
    running = asyncio.create_task(display.run())
    try:
        yield display
    finally:
        display.stop()
        await running
        listener.close()


def port_of(display: Display) -> int:
    return int(display.address.rsplit(":", 1)[1].strip("/"))


def standing(display: Display) -> int:
    return len(display._server.server_state.connections)  # noqa: SLF001 - as the server counts them


@pytest.mark.parametrize(
    "name", ["x" * 5000, "a%00b", "%2e%2e/%2e%2e/etc/passwd", "%ff%fe", "%f0%9f%80%84", "a//b"]
)
async def test_a_name_of_no_file_is_not_found_whatever_it_is(
    display: Display, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    status, _ = await answered(port_of(display), get(f"/{name}", "127.0.0.1"))
    assert status == 404
    assert caplog.messages == []


GARBAGE = [
    b"\x00\xff \r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01" + b"a" * 500 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    + b"".join(b"X%d: a\r\n" % number for number in range(20_000))
    + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
    b"POST /command HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
    b"POST /command HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n",
]


async def test_garbage_is_one_line_of_the_log_and_the_page_is_served_after_it(
    display: Display, caplog: pytest.LogCaptureFixture
) -> None:
    for sent in GARBAGE * 5:
        reader, writer = await asyncio.open_connection("127.0.0.1", port_of(display))
        with contextlib.suppress(ConnectionError):
            writer.write(sent)
            await writer.drain()
            await what_still_comes(reader)
        writer.close()
    assert (await answered(port_of(display), get("/", "127.0.0.1")))[0] == 200
    assert len(caplog.messages) == len(set(caplog.messages))
    assert sum(message.startswith("Invalid HTTP") for message in caplog.messages) == 1


async def test_what_can_not_be_answered_is_told_once_and_nothing_of_it_to_who_asked(
    display: Display, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        status, answer = await answered(port_of(display), get("/health", "127.0.0.1"))
        assert status == 500
        assert b"KeyError" not in answer
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


async def test_of_hundreds_of_connections_so_many_stand_and_the_rest_is_closed(display: Display) -> None:
    port = port_of(display)
    async with contextlib.AsyncExitStack() as stack:
        readers = []
        for _ in range(5 * MOST_CONNECTIONS):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            readers.append(reader)
        ends = [asyncio.create_task(what_still_comes(reader)) for reader in readers]
        await until(lambda: sum(end.done() for end in ends) == 4 * MOST_CONNECTIONS)
        assert standing(display) == MOST_CONNECTIONS
    await asyncio.gather(*ends)
    await until(lambda: standing(display) == 0)
    assert (await answered(port, get("/", "127.0.0.1")))[0] == 200


def test_who_takes_all_room_from_elsewhere_leaves_that_of_the_tables_own_page() -> None:
    doors = Doors()
    assert [doors.enter("10.0.0.1") for _ in range(MOST_OF_ONE + 1)] == [True] * MOST_OF_ONE + [False]
    away = [f"10.0.1.{number}" for number in range(MOST_CONNECTIONS - MOST_OF_ONE + 1)]
    assert [doors.enter(each) for each in away] == [True] * (len(away) - 1) + [False]
    here = [doors.enter(address) for address in ["127.0.0.1", "::1"] * MOST_CONNECTIONS]
    assert here == [True] * MOST_CONNECTIONS + [False] * MOST_CONNECTIONS
    doors.leave("10.0.0.1")
    assert doors.enter(away[-1])
    assert not doors.enter("10.0.0.1")
    doors.leave("::1")
    assert doors.enter("127.0.0.1")


async def test_who_does_not_take_his_answer_is_left(display: Display) -> None:
    slow = socket.socket()
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.connect(("127.0.0.1", port_of(display)))
    slow.sendall(get("/big", "127.0.0.1"))
    await until(lambda: standing(display) == 1)
    await until(lambda: standing(display) == 0)
    slow.close()


async def test_who_trickles_what_nobody_reads_is_left(display: Display) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(display))
    writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999\r\n\r\n")
    ended = asyncio.create_task(what_still_comes(reader))
    while not ended.done():
        with contextlib.suppress(ConnectionError):
            writer.write(b"x")
            await writer.drain()
        await asyncio.sleep(0.05)
    assert (await ended).startswith(b"HTTP/1.1 200")
    writer.close()


async def test_one_connection_may_ask_for_longer_than_a_single_request_may_take(display: Display) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of(display))
    for _ in range(4):
        writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert await asyncio.wait_for(reader.readuntil(b"</title>"), 20)
        await asyncio.sleep(0.2)
    writer.close()
