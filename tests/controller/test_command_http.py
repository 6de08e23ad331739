"""Orders over HTTP: taken from the table's own page and from who knows its token, from nobody else."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from test_doubts import Eyes

from controller import http_command
from controller.command_desk import Busy, CommandDesk
from controller.http import Display, listen_on
from controller.rights import PinHash
from controller.session_inputs import Ordered
from controller.session_replies import Reply

DAY = 2_000_000.0
"""The time of day; the session counts another."""


@dataclass
class Room:
    """A table where seat 1 has shown a hand that is no win, and the server of its page."""

    eyes: Eyes
    display: Display
    busy: list[bool] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.display.address.rsplit(":", 1)[1].strip("/"))

    async def ask(self, head: str, body: bytes = b"") -> tuple[int, Any]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        length = f"Content-Length: {len(body)}\r\n" if body else ""
        writer.write(
            f"{head}\r\nHost: 127.0.0.1:{self.port}\r\n{length}Connection: close\r\n\r\n".encode() + body
        )
        async with asyncio.timeout(10):
            raw = await reader.read()
        writer.close()
        await writer.wait_closed()
        top, _, rest = raw.partition(b"\r\n\r\n")
        return int(top.split()[1]), json.loads(rest) if rest.startswith(b"{") else rest

    async def told(self) -> dict[str, Any]:
        _, told = await self.ask("GET /config.json HTTP/1.1")
        assert isinstance(told, dict)
        return told

    async def token(self) -> str:
        _, told = await self.ask("GET /config.json HTTP/1.1")
        return str(told["token"])

    async def post(self, order: object, *headers: str) -> tuple[int, Any]:
        body = order if isinstance(order, bytes) else json.dumps(order).encode()
        head = "\r\n".join([f"POST /command HTTP/1.1\r\nX-Longzhuo-Token: {await self.token()}", *headers])
        return await self.ask(head, body)


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    eyes = Eyes.shown_no_win()
    evening = eyes.evening
    busy: list[bool] = []

    async def carry_out(ordered: Ordered) -> Reply:
        if busy:
            raise Busy
        before = len(evening.log.answers)
        evening.tell(ordered)
        return evening.log.answers[before].reply

    desk = CommandDesk(
        carry_out, clock=lambda: DAY, now=lambda: evening.now, pin=PinHash.of("271828", salt=b"s" * 16)
    )
    listener = listen_on("127.0.0.1", 0)
    display = Display(listener, websocket="ws://127.0.0.1:9001", prefix="p", health=dict, desk=desk)
    running = asyncio.create_task(display.run())
    try:
        yield Room(eyes, display, busy)
    finally:
        display.stop()
        await running
        listener.close()


CONFIRM = {"id": "u1", "verb": "answer", "author": "seat 2", "doubt": 1, "action": "confirm"}
CONFIRM["words"] = "二号位炸胡 (false win)"


async def test_an_order_with_the_pages_token_is_carried_out_and_answered(room: Room) -> None:
    room.eyes.say("seat 4", "confirm")
    status, answer = await room.post({**CONFIRM, "expires": DAY + 5.0})
    assert (status, answer["id"], answer["done"]) == (200, "u1", True)
    assert "deal 1 fine: +24 -72 +24 +24" in answer["changed"]
    assert room.eyes.doubts() == []


async def test_the_same_order_again_is_answered_the_same_and_not_carried_out(room: Room) -> None:
    room.eyes.say("seat 4", "confirm")
    first = await room.post(CONFIRM)
    again = await room.post(CONFIRM)
    assert again == first
    assert len(room.eyes.evening.log.answers) == 2
    assert sum("false_win" in text for text in room.eyes.events()) == 1


async def test_an_order_without_id_is_given_one(room: Room) -> None:
    status, answer = await room.post({name: value for name, value in CONFIRM.items() if name != "id"})
    assert status == 200
    assert answer["id"].startswith("h-")


@pytest.mark.parametrize(
    ("order", "en"),
    [
        ({**CONFIRM, "doubt": 9}, "there is no open doubt 9"),
        ({**CONFIRM, "expires": DAY - 1.0}, "the order has expired"),
        ({**CONFIRM, "expires": DAY + 61.0}, "expires is 61 s away, expected at most 60"),
        ({**CONFIRM, "verb": "burn"}, None),
        (b"nonsense", None),
    ],
)
async def test_a_refusal_says_why_and_changes_nothing(room: Room, order: object, en: str | None) -> None:
    status, answer = await room.post(order)
    assert (status, answer["done"], answer["changed"]) == (409, False, [])
    assert en is None or answer["en"] == en
    assert any("一" <= letter <= "鿿" for letter in answer["zh"])
    assert room.eyes.doubts() == ["shown"]


async def test_who_does_not_know_the_token_orders_nothing(room: Room) -> None:
    body = json.dumps(CONFIRM).encode()
    for head in ("", "\r\nX-Longzhuo-Token: wrong", "\r\nX-Longzhuo-Token: \xff"):
        status, answer = await room.ask(f"POST /command HTTP/1.1{head}", body)
        assert (status, answer["done"]) == (403, False)
    assert room.eyes.doubts() == ["shown"]


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://[::1"]
)
async def test_another_page_orders_nothing(room: Room, origin: str) -> None:
    status, answer = await room.post(CONFIRM, f"Origin: {origin}")
    assert (status, answer["done"]) == (403, False)
    assert room.eyes.doubts() == ["shown"]


async def test_the_tables_own_page_may_order(room: Room) -> None:
    status, _ = await room.post(CONFIRM, f"Origin: http://127.0.0.1:{room.port}")
    assert status == 200


async def test_what_is_too_long_is_not_read(room: Room) -> None:
    status, answer = await room.post(b"x" * (16 * 1024 + 1))
    assert (status, answer["en"]) == (413, "too long, expected at most 16384 bytes")


async def test_a_table_that_is_busy_says_so(room: Room) -> None:
    room.busy.append(True)
    status, answer = await room.post(CONFIRM)
    assert (status, answer["en"]) == (409, "too many orders wait, try again soon")


async def test_other_methods_order_nothing(room: Room) -> None:
    status, _ = await room.ask(f"GET /command HTTP/1.1\r\nX-Longzhuo-Token: {await room.token()}")
    assert status in {404, 405}


async def test_the_referees_orders_need_the_pin_and_the_page_knows_which_they_are(room: Room) -> None:
    told = await room.told()
    assert told["pin"] is True
    assert "abandon" in told["referee"]
    order = {"id": "u1", "verb": "abandon", "author": "referee", "reason": "spilled tea"}
    status, answer = await room.post(order)
    assert (status, answer["needs"]) == (403, "pin")
    assert room.eyes.doubts() == ["shown"]
    status, answer = await room.post({**order, "pin": "271828"}, "X-Forwarded-For: 10.0.0.9")
    assert (status, answer["done"], answer["needs"]) == (200, True, None)
    assert "271828" not in "\n".join(map(str, room.eyes.evening.log.answers))


async def test_every_load_of_the_page_has_a_token_of_its_own_and_nothing_is_kept_of_it(room: Room) -> None:
    first, second = await room.token(), await room.token()
    assert first != second
    for token in (first, second):
        head = f"POST /command HTTP/1.1\r\nX-Longzhuo-Token: {token}"
        assert (await room.ask(head, b"{}"))[0] == 409
    name, _, seal = first.partition(".")
    for forged in (f"{name}x.{seal}", f"{name}.{seal[:-1]}", f".{seal}", name, ".", second.split(".")[0]):
        head = f"POST /command HTTP/1.1\r\nX-Longzhuo-Token: {forged}"
        assert (await room.ask(head, b"{}"))[0] == 403


async def test_orders_that_come_too_fast_are_refused_before_they_are_read(room: Room) -> None:
    head = f"POST /command HTTP/1.1\r\nX-Longzhuo-Token: {await room.token()}"
    statuses = await asyncio.gather(*(room.ask(head, b"{}") for _ in range(60)))
    too_fast = [answer for status, answer in statuses if status == 429]
    assert 0 < len(too_fast) <= 20
    assert too_fast[0]["en"] == "too many orders, wait a little"
    assert (await room.ask("GET /health HTTP/1.1"))[0] == 200


async def test_an_order_that_comes_too_slowly_is_refused(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_command, "BODY_S", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port)
    head = f"POST /command HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Longzhuo-Token: {await room.token()}\r\n"
    writer.write(f"{head}Content-Length: 100\r\nConnection: close\r\n\r\n{{".encode())
    async with asyncio.timeout(20):
        assert (await reader.readline()).split()[1] == b"408"
    writer.close()
