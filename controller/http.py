"""Serves the display: the built page, where it finds the broker, and a health answer.

The page is read-only over MQTT; what people touch comes by `POST /command`. It may load nothing from
elsewhere and connect only to its own origin and to the broker's WebSocket.
"""

import contextlib
import secrets
import socket
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from controller.command_desk import CommandDesk
from controller.http_command import CommandRoute
from controller.http_guard import HARD_HEADERS, Doors, Guard, own_names, protocol_with, said_seldom
from controller.http_pictures import PictureRoute

PAGE = Path(__file__).parent / "page" / "dist"
"""Where the bundler leaves the page."""

_NOT_BUILT = """<!doctype html><html lang="zh"><meta charset="utf-8"><title>龙桌</title>
<body style="font:24px sans-serif;margin:10vh auto;max-width:30em">
<h1>龙桌 longzhuo</h1>
<p>牌桌程序在运行，但显示页面还没有生成。请在程序目录里运行：</p>
<p>The controller runs, but the display page was not built. In the program's folder run:</p>
<pre>make display</pre></body></html>
"""

Health = Callable[[], dict[str, object]]
Sheet = Callable[[], msgspec.Struct]


class PortTaken(Exception):
    """The HTTP port can't be used; one line says which and why."""


class Display:
    """The HTTP server of one table on a socket of `listen_on`.

    `websocket` is the broker's address for pages on this machine, `sign_in` what they sign in with; `names`
    are names of this computer beside its own. Without a `desk` no orders are taken, without `pictures` none
    are served. `sheets` are what the page may ask for as `/NAME.json`.
    """

    def __init__(  # noqa: PLR0913 - all that a display serves
        self,
        listener: socket.socket,
        *,
        websocket: str,
        prefix: str,
        health: Health,
        desk: CommandDesk | None = None,
        pictures: PictureRoute | None = None,
        sheets: Mapping[str, Sheet] | None = None,
        sign_in: Mapping[str, object] | None = None,
        names: Collection[str] = (),
    ) -> None:
        self._sign_in = dict(sign_in or {})
        self._pictures = pictures
        self._command = None if desk is None else CommandRoute(desk)
        self._sheets = sheets or {}
        self._websocket = websocket
        self._prefix = prefix
        self._run = secrets.token_hex(8)
        self._health = health
        self._socket = listener
        settings = uvicorn.Config(
            Guard(self._application(), names=own_names(names)),
            lifespan="off",
            log_config=None,
            access_log=False,
            ws="none",
            # Who is at this computer may order more: no header is to say where a request comes from.
            proxy_headers=False,
            server_header=False,
            http=protocol_with(Doors()),
            # So many are let in before anybody else has his turn.
            backlog=64,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(settings)

    @property
    def address(self) -> str:
        """The page's address on this machine, such as `http://127.0.0.1:8088/`."""
        host, port = self._socket.getsockname()[:2]
        if host in {"0.0.0.0", "::"}:  # noqa: S104
            host = "127.0.0.1"
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/"

    async def run(self) -> None:
        """Serve until `stop`."""
        with said_seldom():
            await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        """Let `run` finish what it serves and return."""
        self._server.should_exit = True

    def _application(self) -> ASGIApp:
        routes = [
            Route("/config.json", self._config),
            Route("/health", self._answer_health),
            *(Route(f"/{name}.json", partial(_sheet, make)) for name, make in self._sheets.items()),
            Route("/{path:path}", self._page),
        ]
        if self._command is not None:
            routes.insert(0, Route("/command", self._command.__call__, methods=["POST"]))
        if self._pictures is not None:
            routes.insert(0, Route("/pictures/{name}", self._pictures.__call__))
        return _Headers(Starlette(routes=routes), self._websocket)

    async def _config(self, request: Request) -> Response:
        address = broker_seen_from(self._websocket, request.url.hostname)
        told: dict[str, object] = {"mqtt": address, "prefix": self._prefix, "run": self._run, **self._sign_in}
        if self._command is not None:
            told |= self._command.told()
        return JSONResponse(told, headers={"cache-control": "no-store"})

    async def _answer_health(self, _: Request) -> Response:
        return JSONResponse(self._health(), headers={"cache-control": "no-store"})

    async def _page(self, request: Request) -> Response:
        path = _file_of(request.path_params["path"] or "index.html")
        if path is not None:
            lasting = "assets" in path.parts
            return FileResponse(
                path, headers={"cache-control": "max-age=31536000" if lasting else "no-cache"}
            )
        if request.url.path == "/":
            return HTMLResponse(_NOT_BUILT, headers={"cache-control": "no-store"})
        return Response("not found\n", status_code=404, media_type="text/plain")


def _file_of(name: str) -> Path | None:
    """The file of the page that is called so; a name may be anything."""
    try:
        path = (PAGE / name).resolve()
        return path if path.is_relative_to(PAGE.resolve()) and path.is_file() else None
    except (OSError, ValueError):  # too long, or with a NUL in it
        return None


async def _sheet(make: Sheet, _: Request) -> Response:
    body = msgspec.json.encode(make())
    return Response(body, media_type="application/json", headers={"cache-control": "no-store"})


def broker_seen_from(websocket: str, page_host: str | None) -> str:
    """Give the broker's address for a page that was loaded from `page_host`.

    A broker on this machine's loopback is where the page came from; any other keeps its own name.

    >>> broker_seen_from("ws://127.0.0.1:9001", "192.168.1.20")
    'ws://192.168.1.20:9001'
    >>> broker_seen_from("wss://broker.example:443", "192.168.1.20")
    'wss://broker.example:443'
    """
    parts = urlsplit(websocket)
    if page_host is None or parts.hostname not in {"127.0.0.1", "localhost", "::1"}:
        return websocket
    host = f"[{page_host}]" if ":" in page_host else page_host
    return parts._replace(netloc=f"{host}:{parts.port}").geturl()


class _Headers:
    """Adds the security headers to every answer."""

    def __init__(self, app: ASGIApp, websocket: str) -> None:
        self._app = app
        self._websocket = websocket

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        broker = broker_seen_from(self._websocket, Request(scope).url.hostname)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_security_headers(broker)]
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _security_headers(broker: str) -> list[tuple[bytes, bytes]]:
    policy = (
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
        f"worker-src 'self' blob:; connect-src 'self' {broker}; "
        "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return [
        (b"content-security-policy", policy.encode("ascii", "replace")),
        *HARD_HEADERS,
    ]


class _Server(uvicorn.Server):
    """A server that leaves the signals to the program around it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen_on(host: str, port: int) -> socket.socket:
    """Take a port for `Display`; 0 takes a free one.

    Raises:
        PortTaken: it can't be had; one line says why.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise PortTaken(
            f"http: can't listen on {host}:{port}: {error.strerror}; expected a free port (0 takes any)"
        ) from error
    return listener


DEFAULT_PORT = 8088


def usable_port(wished: int | None, host: str = "127.0.0.1") -> int:
    """Give the wished port if it can be listened on; without a wish the usual one, or a free one.

    Raises:
        PortTaken: the wished port can't be used.

    """
    if wished is None:
        with contextlib.suppress(PortTaken):
            return _tried(host, DEFAULT_PORT)
    return _tried(host, wished or 0)


def _tried(host: str, port: int) -> int:
    with listen_on(host, port) as probe:
        number: int = probe.getsockname()[1]
        return number
