"""People who look at the display while they play, and answer what a controller asks (shell).

They hear `state/doubt` over MQTT, think for a while, and answer by the page's `POST /command`. What one has
said another one looks at, and says what he sees himself. Now and then somebody errs, each for himself. What
they answered is written down for the verdict.
"""

import asyncio
import contextlib
import http.client
import json
import time
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from controller.mqtt import listen
from controller.public import DoubtItem, Doubts
from hardware_sim.people_answers import Answered
from hardware_sim.people_know import Deal, agreed_on, how_it_ended, right_choices

THINK_S: Final = (5.0, 14.0)
"""Seconds of the people's time from a doubt to an answer; nobody answers within 3 s."""
SECOND_S: Final = (3.5, 9.0)
"""Seconds of the people's time from what one person has said to another one's answer."""
AGAIN_S: Final = (2.0, 4.0)
"""They look again so soon where they could not answer."""
ERR: Final = 0.05
"""Share of answers that are wrong."""
ENTERED_AFTER_S: Final = 6.0
"""A deal that is over and still in doubt is entered by hand after so long."""
HELD_UP_S: Final = 60.0
"""Nobody waits longer than this for a doubt before the next deal."""
VALID_S: Final = 30.0
HTTP_S: Final = 5.0


class Asked:
    """The people of one table as a controller's display reaches them."""

    def __init__(  # noqa: PLR0913 - where they look, and who they are
        self, *, mqtt: str, prefix: str, display: str, answers: Path, seed: int, speed: float
    ) -> None:
        """Nobody looks before `look`."""
        self.deal = Deal()
        self._mqtt = mqtt
        self._topic = f"{prefix}/state/doubt"
        self._display = urlsplit(display).netloc
        self._answers = answers
        self._rng = Random(f"{seed} asked")  # noqa: S311 - a simulation
        self._speed = speed
        self._open: dict[int, DoubtItem] = {}
        self._thinking: dict[int, asyncio.Task[None]] = {}
        self._token = ""
        self._orders = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._over_at = 0.0

    async def look(self) -> None:
        """Look at the display and answer, until cancelled."""
        try:
            async for message in listen(self._mqtt, self._topic):
                with contextlib.suppress(msgspec.MsgspecError):
                    self.hear(msgspec.json.decode(message.payload, type=Doubts))
        finally:
            for task in self._thinking.values():
                task.cancel()
            await asyncio.gather(*self._thinking.values(), return_exceptions=True)

    def over(self) -> None:
        """The deal has just ended."""
        self._over_at = time.monotonic()

    async def quiet(self) -> None:
        """Wait until nothing is asked any more, but not for ever."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._quiet.wait(), HELD_UP_S / self._speed)

    def hear(self, told: Doubts) -> None:
        """The display shows these doubts."""
        self._open = {item.id: item for item in told.doubts}
        if self._open:
            self._quiet.clear()
        else:
            self._quiet.set()
        for number in self._open:
            if number not in self._thinking or self._thinking[number].done():
                self._thinking[number] = asyncio.create_task(self._answer(number))

    async def _answer(self, number: int) -> None:
        """Think about a doubt until it is answered or gone."""
        await self._pause(THINK_S)
        while (item := self._open.get(number)) is not None:
            if not await self.answer_once(item):
                await self._pause(AGAIN_S)
                continue
            await self._pause(SECOND_S)
            after = self._open.get(number)
            if after is not None and after.asked > item.asked:
                # Two have differed: both look again.
                await self._pause(THINK_S)

    async def answer_once(self, item: DoubtItem) -> bool:
        """Answer a doubt as it stands now; False where nobody can, or the controller does not take it."""
        right = right_choices(item, self.deal)
        others = [n for n in range(len(item.candidates)) if n not in right]
        errs = self._rng.random() < ERR
        if errs and others and (right or self.deal.over is not None):
            return await self._order(item, _chosen(item, self._rng.choice(others)), right=False)
        if right:
            done = await self._order(item, _chosen(item, right[0]), right=True)
            if done and self.deal.over is None:
                self.deal.agreed = agreed_on(item) or self.deal.agreed
            return done
        if item.said:
            return await self._order(item, _denied(item), right=True)
        late = time.monotonic() - self._over_at >= ENTERED_AFTER_S / self._speed
        entered = how_it_ended(self.deal) if late else None
        return entered is not None and await self._order(item, entered, right=True)

    async def _order(self, item: DoubtItem, order: dict[str, Any], *, right: bool) -> bool:
        self._orders += 1
        # Whoever has said something already leaves it to another to look.
        others = [name for name in (f"seat {seat + 1}" for seat in range(4)) if name != item.said_by]
        told = {
            "id": f"people-{self._orders}",
            "author": self._rng.choice(others),
            "expires": time.time() + VALID_S,
            **order,
        }
        while not (answer := await asyncio.to_thread(self._posted, told)):
            # Nobody is there, or nobody heard the answer: the same person says the same again.
            await self._pause(AGAIN_S)
            if item.id not in self._open:
                return False
            told["expires"] = time.time() + VALID_S
        done = bool(answer.get("done"))
        choice = order.get("choice")
        record = Answered(
            at=time.time(),
            deal=self.deal.number,
            doubt=item.id,
            kind=item.kind,
            action=str(order.get("action", order["verb"])),
            choice=choice,
            right=right,
            done=done,
            confirmed=done and choice is not None and item.candidates[choice] == item.said,
            words=item.candidates[choice] if choice is not None else str(answer.get("en", "")),
        )
        with self._answers.open("ab") as file:
            file.write(msgspec.json.encode(record) + b"\n")
        return done

    def _posted(self, order: dict[str, Any]) -> dict[str, Any]:
        """The display's answer; empty while nobody answers there."""
        for fresh in (False, True):
            try:
                if fresh or not self._token:
                    self._token = str(self._asked("GET", "/config.json").get("token", ""))
                answer = self._asked("POST", "/command", order)
            except (OSError, ValueError, http.client.HTTPException):
                continue
            if "done" in answer and answer.get("id") == order["id"]:
                return answer
        return {}

    def _asked(self, verb: str, path: str, order: dict[str, Any] | None = None) -> dict[str, Any]:
        connection = http.client.HTTPConnection(self._display, timeout=HTTP_S)
        try:
            headers = {"Content-Type": "application/json", "Origin": f"http://{self._display}"}
            headers["X-Longzhuo-Token"] = self._token
            connection.request(verb, path, None if order is None else json.dumps(order), headers)
            told: dict[str, Any] = json.loads(connection.getresponse().read())
            return told
        finally:
            connection.close()

    async def _pause(self, span: tuple[float, float]) -> None:
        await asyncio.sleep(self._rng.uniform(*span) / self._speed)


def _denied(item: DoubtItem) -> dict[str, Any]:
    return {"verb": "answer", "doubt": item.id, "action": "deny"}


def _chosen(item: DoubtItem, choice: int) -> dict[str, Any]:
    words = item.candidates[choice]
    return {"verb": "answer", "doubt": item.id, "action": "choose", "choice": choice, "words": words}
