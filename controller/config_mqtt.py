"""What must hold in the section `[mqtt]`: one line for whoever wrote it, never with a password. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from controller.broker_address import is_exposed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from urllib.parse import SplitResult

    from controller.config import MqttSection

OF_A_URL: Final = (
    "websocket",
    "password_file",
    "websocket_password_file",
    "ca_file",
    "certificate_file",
    "key_file",
)
"""Nothing of a broker of our own."""

FILES: Final = OF_A_URL[1:]
"""Keys that name files."""


def complaint(mqtt: MqttSection) -> str | None:
    """What is wrong with it, None where nothing is."""
    return next(_complaints(mqtt), None)


def _complaints(mqtt: MqttSection) -> Iterator[str]:
    if mqtt.url is None:
        for key in OF_A_URL:
            if getattr(mqtt, key) is not None:
                yield f"mqtt.{key}: expected mqtt.url beside it"
        return
    broker = _address(mqtt.url, ("mqtt", "mqtts"))
    if broker is None:
        yield "mqtt.url: expected mqtt or mqtts://host:port"
        return
    if mqtt.websocket is None:
        yield "mqtt.websocket: missing; expected the same broker's ws://host:port for the page"
        return
    page = _address(mqtt.websocket, ("ws", "wss"))
    if page is None:
        yield "mqtt.websocket: expected ws or wss://host:port"
        return
    yield from _of_signing_in(mqtt, broker, page)
    if mqtt.insecure:
        return
    if is_exposed(broker):
        yield (
            f"mqtt.url: the way to {broker.hostname} is not encrypted: expected mqtts://, or insecure = true "
            "where everybody on that network may hear and change what the table says"
        )
    if is_exposed(page) and page.username:
        yield (
            f"mqtt.websocket: the way to {page.hostname} is not encrypted, and a password goes over it: "
            "expected wss://, or insecure = true"
        )


def _of_signing_in(mqtt: MqttSection, broker: SplitResult, page: SplitResult) -> Iterator[str]:
    for parts, key, file in (
        (broker, "url", mqtt.password_file),
        (page, "websocket", mqtt.websocket_password_file),
    ):
        file_key = "password_file" if key == "url" else "websocket_password_file"
        if file is not None and not parts.username:
            yield f"mqtt.{file_key}: expected a user in mqtt.{key}, as in {parts.scheme}://user@host"
        if file is not None and parts.password:
            yield f"mqtt.{file_key}: mqtt.{key} holds a password too; expected one of them"
    if broker.scheme != "mqtts":
        for key in ("ca_file", "certificate_file", "key_file"):
            if getattr(mqtt, key) is not None:
                yield f"mqtt.{key}: expected mqtts:// in mqtt.url"
    if (mqtt.certificate_file is None) != (mqtt.key_file is None):
        yield "mqtt.certificate_file, mqtt.key_file: expected both or none"


def _address(url: str, schemes: tuple[str, ...]) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        port_is_possible = parts.port is None or parts.port > 0
    except ValueError:
        return None
    possible = parts.scheme in schemes and bool(parts.hostname) and port_is_possible
    return parts if possible and url.isprintable() else None
