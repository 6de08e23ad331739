"""The page answers under its own names only, and to nobody who asks too often or too slowly."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller import http, http_guard
from controller.http import Display, listen_on
from controller.http_guard import MOST_ASKERS, Askers, asked_host, is_ours, own_names
from controller.rights import Bucket


@pytest.fixture
async def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[int]:
    monkeypatch.setattr(http, "PAGE", tmp_path)
    monkeypatch.setattr(http_guard, "HEAD_S", 0.5)
    (tmp_path / "index.html").write_text("<title>page</title>", encoding="utf-8")
    listener = listen_on("127.0.0.1", 0)
    display = Display(
        listener, websocket="ws://127.0.0.1:9001", prefix="p", health=dict, names=("Table.Example",)
    )
    running = asyncio.create_task(display.run())
    try:
        yield listener.getsockname()[1]
    finally:
        display.stop()
        await running
        listener.close()


async def answered(port: int, request: bytes) -> tuple[int, bytes]:
    """Status and everything of the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    async with asyncio.timeout(20):
        raw = await reader.read()
    writer.close()
    return int(raw.split()[1]), raw


async def what_still_comes(reader: asyncio.StreamReader) -> bytes:
    """Everything until the other side ends the connection."""
    async with asyncio.timeout(20):
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""


def get(path: str, host: str, *more: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", *([f"Host: {host}"] if host else []), "Connection: close", *more, "", ""]
    return "\r\n".join(lines).encode("latin-1")


OURS = [
    "127.0.0.1",
    "127.0.0.1:8088",
    "localhost",
    "LOCALHOST:1",
    "[::1]:8088",
    "192.168.1.20",
    "table.example",
]
OURS += [socket.gethostname(), f"{socket.gethostname()}.local:80"]
FOREIGN = [
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8088", "evil.example:8088", "a b"),
    *("127.0.0.1;script-src *", "x\x80", "[::1", "127.0.0.1:", "127.0.0.1:x", "user@127.0.0.1", "::1"),
]


@pytest.mark.parametrize("host", OURS)
async def test_the_page_is_opened_under_addresses_and_own_names(port: int, host: str) -> None:
    assert (await answered(port, get("/", host)))[0] == 200


@pytest.mark.parametrize("host", FOREIGN)
async def test_under_another_name_nothing_is_answered(port: int, host: str) -> None:
    for path in ("/", "/config.json", "/health"):
        status, raw = await answered(port, get(path, host))
        assert status in {400, 421}
        assert not [told for told in (b"<title>", b'"prefix"', b"{}") if told in raw]


async def test_no_host_or_two_are_none(port: int) -> None:
    assert (await answered(port, get("/", "")))[0] == 400
    assert (await answered(port, b"GET / HTTP/1.0\r\n\r\n"))[0] == 421
    assert (await answered(port, get("/", "127.0.0.1", "Host: 127.0.0.1")))[0] == 400


async def test_every_answer_has_the_hard_headers_and_names_no_server(port: int) -> None:
    for host in ("127.0.0.1", "evil.example"):
        head = (await answered(port, get("/", host)))[1].partition(b"\r\n\r\n")[0].lower()
        for line in (
            *(b"x-content-type-options: nosniff", b"x-frame-options: deny", b"referrer-policy: no-referrer"),
            *(b"cross-origin-opener-policy: same-origin", b"cross-origin-resource-policy: same-origin"),
        ):
            assert line in head
        assert b"\r\nserver:" not in head
        assert b"access-control" not in head


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "BREW"])
async def test_other_methods_are_refused(port: int, method: str) -> None:
    status, _ = await answered(port, get("/", "127.0.0.1").replace(b"GET", method.encode()))
    assert status == 405


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "])
async def test_who_never_finishes_asking_is_left(port: int, sent: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    assert await what_still_comes(reader) == b""
    writer.close()


async def test_who_never_finishes_a_second_request_is_left_too(port: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert await reader.readuntil(b"{}") != b""
    writer.write(b"GET /health HT")
    assert await what_still_comes(reader) == b""
    writer.close()


def test_an_asker_gets_his_burst_and_then_so_many_a_second() -> None:
    bucket = Bucket(3, 2.0, 0.0)
    assert [bucket.take(0.0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(0.5), bucket.take(0.5)] == [True, False]
    assert [bucket.take(100.0) for _ in range(4)] == [True, True, True, False]


def test_one_who_asks_too_often_hinders_nobody_else_and_only_so_many_are_remembered() -> None:
    askers = Askers(burst=2, per_s=1.0)
    assert [askers.may("10.0.0.1", 0.0) for _ in range(3)] == [True, True, False]
    assert askers.may("10.0.0.2", 0.0)
    for number in range(3 * MOST_ASKERS):
        askers.may(f"2001:db8::{number:x}", 0.0)
    assert len(askers) == MOST_ASKERS


@given(st.binary(max_size=300))
def test_no_host_header_breaks_anything(value: bytes) -> None:
    host = asked_host(value)
    if is_ours(host, own_names()):
        assert host is not None
        assert host.isascii()
        assert not set(host) & set(" ;,'\"<>@/\\")
