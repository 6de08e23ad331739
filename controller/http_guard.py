"""What stands before the page: whom it is asked as, how often, and how slowly somebody may ask.

A web page elsewhere can have its own name resolve to this computer (DNS rebinding) and would then count as
the page's own origin: it is asked under that name, which is not one of ours. Nothing is answered to it.
"""

import asyncio
import collections
import contextlib
import ipaddress
import logging
import re
import socket
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

import h11
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from controller.network import is_loopback
from controller.rights import Bucket
from controller.seldom import Seldom

log = logging.getLogger(__name__)

HEAD_S: Final = 10.0
"""How long the head of a request may take to come."""
REQUEST_S: Final = 60.0
"""How long after it the rest of it may take to come, and the answer to be taken."""
MOST_CONNECTIONS: Final = 64
"""From elsewhere, and as many from this computer, so that nobody elsewhere shuts out its own page."""
MOST_OF_ONE: Final = 16
"""From one address elsewhere; a browser opens six."""
MOST_ASKERS: Final = 1000
"""Addresses that are remembered; the one that has asked least lately is forgotten first."""
METHODS: Final = frozenset({"GET", "HEAD", "POST"})

HARD_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=()"),
)
"""Of every answer, whatever it is."""

_HOST: Final = re.compile(rb"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{1,5})?")


def asked_host(value: bytes) -> str | None:
    """The host name or address in a Host header, in small letters; None where it is none.

    >>> asked_host(b"Table.local:8088"), asked_host(b"[::1]:80"), asked_host(b"a;b"), asked_host(b"")
    ('table.local', '::1', None, None)
    """
    found = _HOST.fullmatch(value)
    return None if found is None else found[1].decode().strip("[]").lower().rstrip(".")


def own_names(more: Collection[str] = ()) -> frozenset[str]:
    """Under which names this computer may be asked; its addresses are always right."""
    name = socket.gethostname().lower()
    return frozenset({"localhost", name, f"{name}.local", *(each.lower() for each in more)} - {""})


def is_ours(host: str | None, names: Collection[str]) -> bool:
    """Whether it is one of `names`, or an address: an address means no other host than the one it reaches."""
    if host is None:
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host in names
    return True


class Askers:
    """How often each address has asked; never more than `MOST_ASKERS` are remembered."""

    def __init__(self, *, burst: int, per_s: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._buckets: collections.OrderedDict[str, Bucket] = collections.OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def may(self, address: str, now: float) -> bool:
        """Whether the address may ask once more at `now`."""
        bucket = self._buckets.pop(address, None) or Bucket(self._burst, self._per_s, now)
        self._buckets[address] = bucket
        if len(self._buckets) > MOST_ASKERS:
            self._buckets.popitem(last=False)
        return bucket.take(now)


class Guard:
    """Lets through what is asked of this computer under a name of its own, orders not too often."""

    def __init__(
        self, app: ASGIApp, *, names: Collection[str], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._names = names
        self._clock = clock
        self._orders = Askers(burst=40, per_s=10.0)
        self._seldom = Seldom()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        try:
            await (self._app if refusal is None else refusal)(scope, receive, send)
        except Exception as error:
            # It was answered: 500, without a word more. Whoever found out how must not fill the log with it.
            if self._seldom.lets(type(error).__name__, self._clock()):
                log.exception(
                    "http: a request that can't be answered; others like it are not told for an hour"
                )

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not is_ours(asked_host(hosts[0]), self._names):
            return _refused(
                421,
                "不认识这个主机名；用地址打开，或写进table.toml的[http] names",
                "this host name is none of ours: use an address, or add it to [http] names in table.toml",
            )
        if scope["method"] not in METHODS:
            return _refused(405, "不支持的方法", "expected GET, HEAD or POST")
        client = (scope.get("client") or ("?",))[0]
        if scope["path"] == "/command" and not self._orders.may(client, self._clock()):
            return _refused(429, "命令太快，请稍等", "too many orders, wait a little")
        return None


def _refused(status: int, zh: str, en: str) -> JSONResponse:
    answer = JSONResponse(
        {"id": None, "done": False, "zh": zh, "en": en, "changed": [], "needs": None}, status_code=status
    )
    answer.raw_headers += [*HARD_HEADERS, (b"cache-control", b"no-store")]
    return answer


class Doors:
    """How many connections stand, and from where."""

    def __init__(self) -> None:
        self._here = 0
        self._away: collections.Counter[str] = collections.Counter()

    def enter(self, address: str) -> bool:
        """Whether there is room for another connection from an address; then it counts until `leave`."""
        if is_loopback(address):
            has_room = self._here < MOST_CONNECTIONS
            self._here += has_room
            return has_room
        has_room = self._away.total() < MOST_CONNECTIONS and self._away[address] < MOST_OF_ONE
        self._away[address] += has_room
        return has_room

    def leave(self, address: str) -> None:
        """A connection from an address is gone."""
        if is_loopback(address):
            self._here -= 1
            return
        self._away[address] -= 1
        if not self._away[address]:
            del self._away[address]


class PatientProtocol(H11Protocol):
    """A connection among not too many, which is left by us when it is too slow.

    The head of a request must have come within `HEAD_S`, and within `REQUEST_S` of that the request be whole
    and its answer taken.
    """

    doors: Doors

    _late: asyncio.TimerHandle | None = None
    _is_in = False

    @property
    def _address(self) -> str:
        return (self.client or ("?",))[0]

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request, where there is room for another connection."""
        super().connection_made(transport)
        self._is_in = self.doors.enter(self._address)
        if self._is_in:
            self._wait(HEAD_S)
        else:
            # Thousands may come at once: this one is to be forgotten at once, too.
            self.connections.discard(self)
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take data; what is no whole head yet does not stop the clock."""
        was_idle = self.conn.their_state is h11.IDLE
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            if self._late is None and self.conn.trailing_data[0]:
                self._wait(HEAD_S)
        elif was_idle:
            self._wait(REQUEST_S)

    def on_response_complete(self) -> None:
        """An answer is on its way; while it is not taken, or the request not whole, the clock goes on."""
        super().on_response_complete()
        is_taken = not self.transport.get_write_buffer_size()
        if is_taken and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._wait_no_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._wait_no_more()
        if self._is_in:
            self.doors.leave(self._address)
        super().connection_lost(exc)

    def _wait(self, seconds: float) -> None:
        self._wait_no_more()
        self._late = self.loop.call_later(seconds, self._leave)

    def _wait_no_more(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _leave(self) -> None:
        self._late = None
        # Also one that is closing: it may wait for ever until its last bytes are taken.
        self.transport.abort()


def protocol_with(doors: Doors) -> type[PatientProtocol]:
    """The protocol of one server, whose connections are counted in `doors`."""
    return type("Protocol", (PatientProtocol,), {"doors": doors})


@contextlib.contextmanager
def said_seldom(clock: Callable[[], float] = time.monotonic) -> Iterator[None]:
    """What the server has to say of requests that are none is written once an hour and kind, in the block."""
    seldom = Seldom()

    def lets(record: logging.LogRecord) -> bool:
        return record.levelno < logging.WARNING or seldom.lets(str(record.msg), clock())

    server = logging.getLogger("uvicorn.error")
    server.addFilter(lets)
    try:
        yield
    finally:
        server.removeFilter(lets)
