"""Where orders come in, over HTTP or MQTT: read, checked (time, right), given to the loop, answered."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Final, Literal

import msgspec

from controller.commands import BadCommand, Read, read
from controller.public_sheets import Tried
from controller.rights import Bucket, LockOut, PinHash, Verdict, Way, verdict
from controller.session_inputs import Order, Ordered
from controller.session_replies import Reply

log = logging.getLogger(__name__)

LONGEST_WAIT_S: Final = 60.0
"""An order may be valid for this long at most."""

LINES_AT_ONCE: Final = 20
LINES_PER_S: Final = 1 / 60
"""Refusals in the log: whoever reaches the page or the broker may cause thousands a minute."""

CarryOut = Callable[[Ordered], Awaitable[Reply]]
TryOut = Callable[[Order], Reply]


class Busy(Exception):
    """Too many orders wait for an answer."""


class Answered(msgspec.Struct, frozen=True):
    """The answer to an order, as JSON: `done`, one line in Chinese and English, and what changed.

    `needs`: what it was refused for the lack of: the right "pin", "time" because too many wrong ones came, or
    a "right" that its sender can't get. `tried`: what would change, where the order was only tried.
    """

    id: str | None
    done: bool
    zh: str
    en: str
    changed: tuple[str, ...] = ()
    needs: Literal["pin", "time", "right"] | None = None
    tried: Tried | msgspec.UnsetType = msgspec.UNSET


class CommandDesk:
    """Takes orders for one table.

    `carry_out` gives an order to the session and waits for its reply, `try_out` says what would become of it;
    `clock` is the time of day (seconds since 1970, what senders count with), `now` the session's, which is
    never set. `pin` is the hash of the referee's, where there is one; `match_has_begun` whether the running
    match has had a deal.
    """

    def __init__(  # noqa: PLR0913 - all that a desk needs to know
        self,
        carry_out: CarryOut,
        *,
        clock: Callable[[], float],
        now: Callable[[], float],
        pin: PinHash | None = None,
        match_has_begun: Callable[[], bool] = lambda: False,
        try_out: TryOut | None = None,
    ) -> None:
        self._try_out = try_out
        self._carry_out = carry_out
        self._clock = clock
        self._now = now
        self._pin = pin
        self._match_has_begun = match_has_begun
        self._lock_out = LockOut()
        self._one_pin_at_a_time = asyncio.Lock()
        self._lines = Bucket(LINES_AT_ONCE, LINES_PER_S, now())
        self._untold = 0

    @property
    def has_pin(self) -> bool:
        """Whether the referee's orders need a PIN."""
        return self._pin is not None

    async def take(self, body: bytes, *, way: Way, verb: str | None = None) -> Answered:
        """Carry out an order and answer it; what can't be carried out is answered too.

        Over MQTT it must bring its id and an end of its validity. `verb` is what the order is called where
        it was sent to; it then needs no verb of its own.
        """
        try:
            told = read(body, verb)
            expires = self._expires(told, strict=way.is_broker)
        except BadCommand as bad:
            return Answered(bad.id, done=False, zh=bad.zh, en=bad.en)
        refused = await self._refused(told, way)
        if refused is not None:
            self._log(told, way, refused)
            return refused
        if told.trial:
            return self._tried(told)
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

    def _log(self, told: Read, way: Way, refused: Answered) -> None:
        """Write a refusal down: a guessed PIN always (they are few), of the others not too many."""
        is_guess = told.pin is not None and refused.needs == "pin"
        if not is_guess and not self._lines.take(self._now()):
            self._untold += 1
            return
        before = f"; {self._untold} refused before it are not told" if self._untold else ""
        self._untold = 0
        log.warning(
            "order %s by %r (%s): refused: %s%s", told.verb, told.author, way.value, refused.en, before
        )

    async def _refused(self, told: Read, way: Way) -> Answered | None:
        """Why the order is not its sender's to give; None where it is."""
        if told.pin is not None and way.is_broker:
            return Answered(
                told.id,
                done=False,
                zh="PIN不经MQTT传送；请换一个PIN",
                en="a PIN is never sent over MQTT: choose another one",
            )
        found = verdict(
            told.verb, way, has_pin=self._pin is not None, match_has_begun=self._match_has_begun()
        )
        if found is Verdict.ALLOWED:
            return None
        if found is Verdict.REFUSED or self._pin is None:
            zh, en = _NO_RIGHT[way, self._pin is not None]
            return Answered(told.id, done=False, zh=zh, en=en, needs="right")
        if told.pin is None:
            return Answered(
                told.id, done=False, zh="需要裁判PIN", en="it needs the referee's PIN", needs="pin"
            )
        return await self._pin_refused(told, told.pin, self._pin)

    async def _pin_refused(self, told: Read, pin: str, expected: PinHash) -> Answered | None:
        """Check one PIN after the other, so that nobody tries many before the first is counted."""
        async with self._one_pin_at_a_time:
            left_s = self._lock_out.left_s(self._now())
            if left_s > 0:
                return Answered(
                    told.id,
                    done=False,
                    zh=f"PIN错得太多，{left_s:.0f}秒后再试",
                    en=f"too many wrong PINs, try again in {left_s:.0f} s",
                    needs="time",
                )
            if await asyncio.to_thread(expected.matches, pin):
                return None
            self._lock_out.wrong(self._now())
            return Answered(told.id, done=False, zh="PIN不对", en="wrong PIN", needs="pin")

    def _tried(self, told: Read) -> Answered:
        if self._try_out is None:
            return Answered(told.id, done=False, zh="这里不能试算", en="orders can't be tried here")
        reply = self._try_out(told.order)
        return Answered(
            told.id, reply.done, reply.zh, reply.en, reply.changed, tried=reply.tried or msgspec.UNSET
        )

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


_NO_RIGHT: Final[dict[tuple[Way, bool], tuple[str, str]]] = {
    (Way.PAGE_AWAY, False): (
        "没有设裁判PIN，这个命令只能在牌桌的电脑上下；用longzhuo pin设PIN",
        "no referee's PIN is set, so only the table's own computer may order this: longzhuo pin sets one",
    ),
    (Way.BROKER_AWAY, False): (
        "这个MQTT服务器不用登录，不接受裁判的命令",
        "nobody signs in at this broker: it takes no orders of the referee",
    ),
    (Way.BROKER_AWAY, True): (
        "这个MQTT服务器不用登录，裁判的命令请在页面上用PIN下",
        "nobody signs in at this broker: the referee orders at the page, with the PIN",
    ),
    (Way.BROKER_HERE, True): (
        "这个MQTT服务器不用登录，裁判的命令请在页面上用PIN下",
        "nobody signs in at this broker: the referee orders at the page, with the PIN",
    ),
}
"""By way and whether there is a PIN: every case that `rights` refuses without asking for one."""
