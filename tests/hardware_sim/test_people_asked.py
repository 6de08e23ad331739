"""The people who answer a controller: one person is one, and what one has said another looks at."""

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from controller.command_desk import CommandDesk
from controller.doubts import events_candidate
from controller.http import Display, listen_on
from controller.public import DoubtItem, Doubts
from controller.session_inputs import Ordered, PersonAnswer
from controller.session_replies import Reply
from hardware_sim.people_answers import read_answers
from hardware_sim.people_asked import Asked
from rules.events import Discarded
from rules.tiles import Seat, Tile

TRUE, FALSE = Discarded(Seat.S1, Tile.P5), Discarded(Seat.S1, Tile.P6)
RIGHT, WRONG = (events_candidate((event,)).text for event in (TRUE, FALSE))
DOUBT = DoubtItem(id=3, kind="unsure", zh="", en="", candidates=(WRONG, RIGHT), at="", persons=(2, 2))


@dataclass
class Table:
    """A controller's display, and the wire to it, which loses the answers to the first `deaf` orders."""

    display: Display | None = None
    port: int = 0
    deaf: int = 0
    orders: list[tuple[str, PersonAnswer]] = field(default_factory=list)

    async def carry_out(self, ordered: Ordered) -> Reply:
        assert isinstance(ordered.order, PersonAnswer)
        self.orders.append((ordered.id, ordered.order))
        return Reply(done=True, zh="", en="")

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        assert self.display is not None
        port = int(self.display.address.rstrip("/").rpartition(":")[2])
        inward, outward = await asyncio.open_connection("127.0.0.1", port)
        asked = asyncio.create_task(_carried(reader, outward))
        before = len(self.orders)
        answer = await inward.read(65_536)
        if not before < len(self.orders) <= self.deaf:
            writer.write(answer)
        for end in (writer, outward):
            end.close()
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)


async def _carried(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)


@pytest.fixture
async def table() -> AsyncIterator[Table]:
    made = Table()
    desk = CommandDesk(made.carry_out, clock=time.time, now=time.monotonic)
    made.display = Display(listen_on("127.0.0.1", 0), websocket="", prefix="p", health=dict, desk=desk)
    serving = asyncio.create_task(made.display.run())
    async with await asyncio.start_server(made.connect, "127.0.0.1", 0) as wire:
        made.port = wire.sockets[0].getsockname()[1]
        yield made
    made.display.stop()
    await serving


def people(table: Table, folder: Path, seed: int = 1) -> Asked:
    """People who have seen the true discard; nobody errs under this seed at first."""
    asked = Asked(
        mqtt="mqtt://127.0.0.1:1",
        prefix="p",
        display=f"http://127.0.0.1:{table.port}",
        answers=folder / "answers",
        seed=seed,
        speed=1000.0,
    )
    asked.deal.events.append(TRUE)
    asked._open[DOUBT.id] = DOUBT  # noqa: SLF001 - as if it had been heard
    return asked


async def test_an_order_whose_answer_was_lost_is_given_again_by_the_same_person(
    table: Table, tmp_path: Path
) -> None:
    table.deaf = 5
    assert await people(table, tmp_path).answer_once(DOUBT)
    assert len(table.orders) == 6
    assert len({(name, order.author, order.words) for name, order in table.orders}) == 1
    assert [answer.done for answer in read_answers(tmp_path / "answers")] == [True]


async def test_what_one_has_said_another_confirms(table: Table, tmp_path: Path) -> None:
    said = msgspec.structs.replace(DOUBT, said=RIGHT, said_by="seat 2")
    for seed in range(8):
        await people(table, tmp_path, seed).answer_once(said)
    authors = {order.author for _, order in table.orders}
    assert "seat 2" not in authors
    assert len(authors) > 1
    answers = read_answers(tmp_path / "answers")
    assert {answer.confirmed for answer in answers if answer.right} == {True}
    assert {answer.confirmed for answer in answers if not answer.right} <= {False}


async def test_who_sees_that_what_was_said_is_wrong_says_so(table: Table, tmp_path: Path) -> None:
    said = msgspec.structs.replace(DOUBT, candidates=(WRONG,), persons=(2,), said=WRONG, said_by="seat 2")
    assert await people(table, tmp_path).answer_once(said)
    assert [order.action for _, order in table.orders] == ["deny"]


async def test_people_look_again_as_long_as_the_display_asks(table: Table, tmp_path: Path) -> None:
    asked = people(table, tmp_path)
    nobody_knows = msgspec.structs.replace(DOUBT, candidates=())
    asked.hear(Doubts(doubts=(nobody_knows,)))
    await asyncio.sleep(0.3)  # a hundred of their looks
    assert not table.orders
    asked.hear(Doubts(doubts=(DOUBT,)))
    async with asyncio.timeout(20):
        while not table.orders:  # noqa: ASYNC110 - a list rings no bell
            await asyncio.sleep(0.01)
    asked.hear(Doubts(doubts=()))
