"""Where orders come in, over HTTP or MQTT: read, checked against the clock, given to the loop, answered."""

import secrets
from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from controller.commands import BadCommand, Read, read
from controller.session_inputs import Ordered
from controller.session_replies import Reply

LONGEST_WAIT_S: Final = 60.0
"""An order may be valid for this long at most."""

CarryOut = Callable[[Ordered], Awaitable[Reply]]


class Busy(Exception):
    """Too many orders wait for an answer."""


class Answered(msgspec.Struct, frozen=True):
    """The answer to an order, as JSON: `done`, one line in Chinese and English, and what changed."""

    id: str | None
    done: bool
    zh: str
    en: str
    changed: tuple[str, ...] = ()


class CommandDesk:
    """Takes orders for one table.

    `carry_out` gives an order to the session and waits for its reply; `clock` is the time of day (seconds
    since 1970, what senders count with), `now` the session's, which is never set.
    """

    def __init__(self, carry_out: CarryOut, *, clock: Callable[[], float], now: Callable[[], float]) -> None:
        self._carry_out = carry_out
        self._clock = clock
        self._now = now

    async def take(self, body: bytes, *, strict: bool, verb: str | None = None) -> Answered:
        """Carry out an order and answer it; what can't be carried out is answered too.

        `strict`: it must bring its id and an end of its validity, as where a message may come late or twice.
        `verb` is what the order is called where it was sent to; it then needs no verb of its own.
        """
        try:
            told = read(body, verb)
            expires = self._expires(told, strict=strict)
        except BadCommand as bad:
            return Answered(bad.id, done=False, zh=bad.zh, en=bad.en)
        name = told.id or f"h-{secrets.token_hex(8)}"
        try:
            reply = await self._carry_out(Ordered(name, told.order, expires))
        except Busy:
            return Answered(
                name, done=False, zh="命令太多，请稍后再试", en="too many orders wait, try again soon"
            )
        except TimeoutError:
            return Answered(
                name,
                done=False,
                zh="还没有答复，命令可能仍会执行；请用同一个id再问",
                en="no answer yet, it may still be carried out: ask again with the same id",
            )
        return Answered(name, reply.done, reply.zh, reply.en, reply.changed)

    def _expires(self, told: Read, *, strict: bool) -> float | None:
        """The end of validity in the session's time."""
        if strict and (told.id is None or told.expires is None):
            raise BadCommand(
                "命令缺少id或expires", "an order needs an id and a time when it expires", told.id
            )
        if told.expires is None:
            return None
        left = told.expires - self._clock()
        if left <= 0:
            raise BadCommand("命令已经过期", "the order has expired", told.id)
        if left > LONGEST_WAIT_S:
            raise BadCommand(
                f"expires太远：{left:.0f}秒，最多{LONGEST_WAIT_S:.0f}秒",
                f"expires is {left:.0f} s away, expected at most {LONGEST_WAIT_S:.0f}",
                told.id,
            )
        return self._now() + left
