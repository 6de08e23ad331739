"""The display is served with what it needs, and may reach nothing else."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller import http
from controller.http import Display, PortTaken, broker_seen_from, listen_on, usable_port

BROKER = "ws://127.0.0.1:9001"


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


async def get(display: Display, path: str, *, host: str = "127.0.0.1") -> Answer:
    port = int(display.address.rsplit(":", 1)[1].strip("/"))
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    async with asyncio.timeout(10):
        raw = await reader.read()
    writer.close()
    await writer.wait_closed()
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return Answer(int(first.split()[1]), headers, body)


@pytest.fixture
async def display(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Display]:
    page = tmp_path / "dist"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<title>page</title>", encoding="utf-8")
    (page / "assets" / "main-1a2b.js").write_text("1", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    monkeypatch.setattr(http, "PAGE", page)
    async with _served() as running:
        yield running


class _served:  # noqa: N801 - reads as the word it is in `async with _served()`
    async def __aenter__(self) -> Display:
        self._listener = listen_on("127.0.0.1", 0)
        self._display = Display(
            self._listener, websocket=BROKER, prefix="mj/v1/home/t", health=lambda: {"mqtt": True}
        )
        self._running = asyncio.create_task(self._display.run())
        async with asyncio.timeout(10):
            while not await self._answers():  # noqa: ASYNC110 - the server rings no bell
                await asyncio.sleep(0.01)
        return self._display

    async def __aexit__(self, *_: object) -> None:
        self._display.stop()
        await self._running
        self._listener.close()

    async def _answers(self) -> bool:
        try:
            return (await get(self._display, "/health")).status == 200
        except OSError:
            return False


async def test_the_page_learns_where_broker_and_topics_are(display: Display) -> None:
    answer = await get(display, "/config.json")
    told = json.loads(answer.body)
    run = told.pop("run")
    assert told == {"mqtt": BROKER, "prefix": "mj/v1/home/t"}
    # Every run has a name of its own, and keeps it: pages tell by it that another controller answers.
    assert len(run) == 16
    assert json.loads((await get(display, "/config.json")).body)["run"] == run
    assert answer.headers["cache-control"] == "no-store"


async def test_a_tablet_is_sent_to_the_host_it_asked(display: Display) -> None:
    answer = await get(display, "/config.json", host="192.168.1.20:8088")
    assert json.loads(answer.body)["mqtt"] == "ws://192.168.1.20:9001"


async def test_the_page_may_start_a_worker_and_reach_the_broker_and_nothing_else(display: Display) -> None:
    policy = (await get(display, "/")).headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "worker-src 'self' blob:" in policy
    assert f"connect-src 'self' {BROKER};" in policy
    assert "*" not in policy


async def test_files_of_the_page_are_served_with_their_types(display: Display) -> None:
    page = await get(display, "/")
    assert (page.status, page.body) == (200, b"<title>page</title>")
    script = await get(display, "/assets/main-1a2b.js")
    assert "javascript" in script.headers["content-type"]


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt", "/absent"]
)
async def test_nothing_outside_the_page_is_served(display: Display, path: str) -> None:
    answer = await get(display, path)
    assert answer.status == 404
    assert b"secret" not in answer.body


async def test_health_says_what_the_program_knows(display: Display) -> None:
    assert json.loads((await get(display, "/health")).body) == {"mqtt": True}


async def test_a_page_that_was_not_built_says_how_to_build_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "PAGE", tmp_path / "absent")
    async with _served() as display:
        answer = await get(display, "/")
    assert answer.status == 200
    assert "make display" in answer.body.decode()


async def test_a_taken_port_is_named(display: Display) -> None:
    port = int(display.address.rsplit(":", 1)[1].strip("/"))
    with pytest.raises(PortTaken, match=rf"127\.0\.0\.1:{port}: Address already in use"):
        usable_port(port)


@pytest.mark.parametrize(
    ("websocket", "page_host", "seen"),
    [
        ("ws://127.0.0.1:9001", None, "ws://127.0.0.1:9001"),
        ("ws://127.0.0.1:9001", "fe80::1", "ws://[fe80::1]:9001"),
        ("wss://broker.example:443", "10.0.0.5", "wss://broker.example:443"),
    ],
)
def test_a_broker_on_this_machine_is_where_the_page_came_from(
    websocket: str, page_host: str | None, seen: str
) -> None:
    assert broker_seen_from(websocket, page_host) == seen
