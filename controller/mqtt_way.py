"""From the section `[mqtt]` to the broker's address, with what its files hold (shell)."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from controller.broker_address import (
    BrokerAddress,
    Tls,
    parse_broker_url,
    read_password,
    without_sign_in,
)
from controller.config import MqttSection
from controller.network import is_loopback
from controller.rights import Way


@dataclass(frozen=True, slots=True)
class PageBroker:
    """Where the page finds the broker, and how it signs in, where it has to."""

    websocket: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)

    def told(self) -> dict[str, object]:
        """What the page has to know beside the address."""
        if self.username is None:
            return {}
        return {"username": self.username, "password": self.password or ""}


def address_of(mqtt: MqttSection, url: str) -> BrokerAddress:
    """The broker at `url` as the configuration says to reach it; the files are read.

    Raises:
        BadAddress: one of them can't be used.
    """
    address = parse_broker_url(url)
    if mqtt.password_file is not None:
        address = replace(address, password=read_password(Path(mqtt.password_file)))
    if address.tls is not None:
        files = (mqtt.ca_file, mqtt.certificate_file, mqtt.key_file)
        tls = Tls(*(None if file is None else Path(file) for file in files))
        tls.context()
        address = replace(address, tls=tls)
    return address


def page_broker_of(mqtt: MqttSection, websocket: str) -> PageBroker:
    """What the page is told.

    Raises:
        BadAddress: the file of its password can't be used.
    """
    parts = urlsplit(websocket)
    if parts.username is None:
        return PageBroker(websocket)
    password = unquote(parts.password) if parts.password else None
    if mqtt.websocket_password_file is not None:
        password = read_password(Path(mqtt.websocket_password_file))
    return PageBroker(without_sign_in(websocket), unquote(parts.username), password)


def way_of(address: BrokerAddress) -> Way:
    """What an order over this broker is worth: where even the table signs in, everybody has to."""
    if address.everybody_signs_in:
        return Way.BROKER_SIGNED
    return Way.BROKER_HERE if is_loopback(address.host) else Way.BROKER_AWAY
