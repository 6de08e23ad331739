"""`POST /command`: people's orders from the page, or from a program on this table's network."""

import asyncio
import hmac
import secrets
from typing import Final
from urllib.parse import urlsplit

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from controller.command_desk import Answered, CommandDesk
from controller.commands import LONGEST_BYTES
from controller.network import is_loopback
from controller.rights import REFEREES_WORDS, Way

TOKEN_HEADER: Final = "x-longzhuo-token"  # noqa: S105 - the name of a header

BODY_S: Final = 10.0
"""How long an order may take to come."""


class CommandRoute:
    """Answers orders that bring the token of `/config.json` and come from the page's own origin.

    Another page can't read the token, nor send the header without being asked first; a program without a
    page names no origin.
    """

    def __init__(self, desk: CommandDesk) -> None:
        self._desk = desk
        self._key = secrets.token_bytes(32)

    def told(self) -> dict[str, object]:
        """What the page has to know: the token, whether the referee's orders need a PIN, which they are."""
        return {"token": self._new_token(), "pin": self._desk.has_pin, "referee": REFEREES_WORDS}

    def _new_token(self) -> str:
        """One for each load of the page; nothing is kept of it, so that no number of loads fills memory."""
        name = secrets.token_hex(16)
        return f"{name}.{self._sealed(name)}"

    def _is_token(self, token: str) -> bool:
        name, _, seal = token.partition(".")
        return hmac.compare_digest(seal.encode(), self._sealed(name).encode())

    def _sealed(self, name: str) -> str:
        return hmac.new(self._key, name.encode(), "sha256").hexdigest()

    async def __call__(self, request: Request) -> Response:
        """Answer one order."""
        if not self._is_token(request.headers.get(TOKEN_HEADER, "")):
            return _refusal(
                403, "缺少或错误的令牌，请刷新页面", "no token or a wrong one: load the page again"
            )
        if not _own_origin(request):
            return _refusal(403, "只接受本页面的命令", "orders are taken from this table's own page only")
        try:
            async with asyncio.timeout(BODY_S):
                body = await _body(request)
        except TimeoutError:
            return _refusal(408, "命令传得太慢", f"the order took longer than {BODY_S:.0f} s to come")
        if body is None:
            return _refusal(
                413, f"命令太长，最多{LONGEST_BYTES}字节", f"too long, expected at most {LONGEST_BYTES} bytes"
            )
        answered = await self._desk.take(body, way=_way(request))
        return JSONResponse(
            msgspec.to_builtins(answered),
            status_code=200 if answered.done else _STATUS[answered.needs],
            headers={"cache-control": "no-store"},
        )


_STATUS: Final[dict[str | None, int]] = {None: 409, "pin": 403, "right": 403, "time": 429}
"""Of a refusal, by what it needs."""


def _way(request: Request) -> Way:
    """Whether the sender sits at this computer, by the address of the connection and nothing that he says."""
    here = request.client is not None and is_loopback(request.client.host)
    return Way.PAGE_HERE if here else Way.PAGE_AWAY


def _own_origin(request: Request) -> bool:
    origin = request.headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == request.headers.get("host", "").lower()
    except ValueError:
        return False


async def _body(request: Request) -> bytes | None:
    """The body, or None as soon as it is too long."""
    read = bytearray()
    try:
        async for chunk in request.stream():
            read += chunk
            if len(read) > LONGEST_BYTES:
                return None
    except ClientDisconnect:
        return b""
    return bytes(read)


def _refusal(status: int, zh: str, en: str) -> Response:
    answered = Answered(None, done=False, zh=zh, en=en)
    return JSONResponse(
        msgspec.to_builtins(answered), status_code=status, headers={"cache-control": "no-store"}
    )
