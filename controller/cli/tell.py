"""`longzhuo tell`: gives the controller of a running table an order over HTTP and prints the answer."""

import http.client
import json
import secrets
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import click

from controller.cli.pin import entered_pin
from controller.commands import VERBS

ANSWER_S = 10.0
"""How long an answer may take; the controller itself gives up sooner."""

VALID_S = 30.0


@click.command(
    name="tell",
    epilog="Examples: tell http://127.0.0.1:8088 answer doubt=7 action=choose choice=0 · "
    "tell URL propose ruling=barred seat=1 reason='a tile too many'",
)
@click.argument("url")
@click.argument("verb", type=click.Choice(VERBS), metavar="VERB")
@click.argument("fields", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--author", default="technician", show_default=True, help="Who orders it, for the record.")
@click.option(
    "--id", "name", help="The order's id: the same id is never carried out twice (default: a new one)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
def command(  # noqa: PLR0913 - the options of a command
    *, url: str, verb: str, fields: tuple[str, ...], author: str, name: str | None, as_json: bool
) -> None:
    """Give the table whose page is at URL an order. Values are JSON where they can be, else text.

    Where the table wants the referee's PIN, it is asked for at the terminal, or one line of standard input is
    read. Leaves with status 1 where the table refuses.
    """
    told = dict(map(_field, fields))
    if "pin" in told:
        raise click.ClickException("pin: never an argument, which others can read; it is asked for")
    if verb == "enter" and "winner" not in told:
        # Without a winner the hand is drawn: nobody ends it so by leaving something out.
        raise click.ClickException("enter: expected winner=SEAT (0 to 3), or winner=null for a drawn hand")
    order = {
        "author": author,
        **told,
        "verb": verb,
        "id": name or f"tell-{secrets.token_hex(6)}",
        "expires": time.time() + VALID_S,
    }
    answer = _asked(url, order)
    if answer.get("needs") == "pin":
        answer = _asked(url, {**order, "pin": entered_pin()})
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False))
    else:
        lines = [f"{answer['zh']} ({answer['en']})", *answer.get("changed", ())]
        click.echo("\n".join(map(str, lines)), err=not answer["done"])
    sys.exit(0 if answer["done"] else 1)


def _field(text: str) -> tuple[str, Any]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise click.ClickException(f"{text!r}: expected NAME=VALUE, such as doubt=7")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


def _asked(url: str, order: dict[str, Any]) -> dict[str, Any]:
    try:
        parts = urllib.parse.urlsplit(url)
        is_page = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_page = False
    if not is_page:
        raise click.ClickException(f"{url}: expected the page's address, such as http://127.0.0.1:8088")
    root = f"{parts.scheme}://{parts.netloc}"
    token = _got(urllib.request.Request(f"{root}/config.json"), url).get("token")  # noqa: S310 - http only, above
    if not isinstance(token, str):
        raise click.ClickException(f"{url}: takes no orders; expected the page of a running table")
    request = urllib.request.Request(  # noqa: S310
        f"{root}/command",
        data=json.dumps(order).encode(),
        headers={"content-type": "application/json", "x-longzhuo-token": token},
    )
    answer = _got(request, url)
    if not {"done", "zh", "en"} <= answer.keys():
        raise click.ClickException(f"{url}: no answer of a table")
    return answer


def _unreached(error: Exception, place: str) -> str:
    """Why no answer came from host:port, and what to do."""
    reason = getattr(error, "reason", None) or error
    match reason:
        case ConnectionRefusedError():
            return f"nothing answers at {place}; start the table (`longzhuo run`), or name its page's address"
        case TimeoutError():
            return f"no answer from {place} within {ANSWER_S:g} s; is the table running?"
        case socket.gaierror():
            return f"no computer is known by the name in {place}; expected the page's address"
        case OSError(strerror=str(words)):
            return f"{place} can't be reached: {words}; is the table running?"
    return f"{place}: {reason}; is the table running?"


def _got(request: urllib.request.Request, url: str) -> dict[str, Any]:
    try:
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as answer:  # noqa: S310
                body = answer.read()
        except urllib.error.HTTPError as refused:
            body = refused.read()
    except (OSError, http.client.HTTPException) as error:
        raise click.ClickException(f"{url}: {_unreached(error, request.host)}") from error
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise click.ClickException(f"{url}: no answer of a table; expected the page's address")
    return told
