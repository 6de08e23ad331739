"""The people who answer a controller: one person is one, and what one has said another looks at."""

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
import pytest

from controller.doubts import events_candidate
from controller.public import DoubtItem
from hardware_sim.people_answers import read_answers
from hardware_sim.people_asked import Asked
from rules.events import Discarded
from rules.tiles import Seat, Tile

TRUE, FALSE = Discarded(Seat.S1, Tile.P5), Discarded(Seat.S1, Tile.P6)
RIGHT, WRONG = (events_candidate((event,)).text for event in (TRUE, FALSE))
DOUBT = DoubtItem(id=3, kind="unsure", zh="", en="", candidates=(WRONG, RIGHT), at="", persons=(2, 2))


class Display(ThreadingHTTPServer):
    """A display that takes every order, and says nothing to the first `deaf` ones."""

    daemon_threads = True
    deaf = 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Desk)
        self.orders: list[dict[str, Any]] = []


class Desk(BaseHTTPRequestHandler):
    """One request at a display."""

    server: Display

    def do_GET(self) -> None:
        self._say({"token": "t"})

    def do_POST(self) -> None:
        order = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.orders.append(order)
        if len(self.server.orders) > self.server.deaf:
            self._say({"id": order["id"], "done": True, "zh": "", "en": "", "changed": []})

    def _say(self, answer: dict[str, Any]) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


@pytest.fixture
def display() -> Iterator[Display]:
    with Display() as server:
        running = Thread(target=server.serve_forever, args=(0.01,))
        running.start()
        yield server
        server.shutdown()
        running.join()


def people(display: Display, folder: Path, seed: int = 1) -> Asked:
    """People who have seen the true discard; nobody errs under this seed at first."""
    url = f"http://127.0.0.1:{display.server_address[1]}"
    asked = Asked(
        mqtt="mqtt://127.0.0.1:1",
        prefix="p",
        display=url,
        answers=folder / "answers",
        seed=seed,
        speed=1000.0,
    )
    asked.deal.events.append(TRUE)
    asked._open[DOUBT.id] = DOUBT  # noqa: SLF001 - as if it had been heard
    return asked


def test_an_order_that_nobody_heard_is_given_again_by_the_same_person(
    display: Display, tmp_path: Path
) -> None:
    display.deaf = 5
    asked = people(display, tmp_path)
    assert asyncio.run(asked.answer_once(DOUBT))
    assert len(display.orders) == 6
    assert len({(order["id"], order["author"], order["words"]) for order in display.orders}) == 1
    assert [answer.done for answer in read_answers(tmp_path / "answers")] == [True]


def test_what_one_has_said_another_confirms(display: Display, tmp_path: Path) -> None:
    said = msgspec.structs.replace(DOUBT, said=RIGHT, said_by="seat 2")
    for seed in range(8):
        asyncio.run(people(display, tmp_path, seed).answer_once(said))
    assert "seat 2" not in {order["author"] for order in display.orders}
    assert len({order["author"] for order in display.orders}) > 1
    answers = read_answers(tmp_path / "answers")
    assert {answer.confirmed for answer in answers if answer.right} == {True}
    assert {answer.confirmed for answer in answers if not answer.right} <= {False}


def test_who_sees_that_what_was_said_is_wrong_says_so(display: Display, tmp_path: Path) -> None:
    said = msgspec.structs.replace(DOUBT, candidates=(WRONG,), persons=(2,), said=WRONG, said_by="seat 2")
    assert asyncio.run(people(display, tmp_path).answer_once(said))
    assert [order["action"] for order in display.orders] == ["deny"]
