"""A broker elsewhere is reached over TLS only, and no password stands where somebody could read it."""

import asyncio
import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from parlour_broker import PATIENCE_S, ParlourBroker, parlour_broker
from test_config import SMALLEST

from controller.broker_address import BadAddress, Tls, parse_broker_url, read_password
from controller.config import ConfigError, MqttSection, load_config, parse_config
from controller.mqtt import Publisher
from controller.mqtt_way import address_of, page_broker_of, way_of
from controller.rights import Way

SECRET = "s3cret-word"  # noqa: S105
WSS = 'websocket = "wss://10.0.0.2:9443"\n'
WS = 'websocket = "ws://127.0.0.1:9001"\n'


def mqtt(lines: str) -> MqttSection:
    return parse_config(f"{SMALLEST}[mqtt]\n{lines}", name="t").mqtt


@pytest.mark.parametrize(
    "lines",
    [
        f'url = "mqtt://127.0.0.1"\n{WS}',
        f'url = "mqtt://localhost:1884"\n{WS}',
        f'url = "mqtt://[::1]"\n{WS}',
        f'url = "mqtts://10.0.0.2"\n{WSS}',
        f'url = "mqtts://table-1@10.0.0.2"\n{WSS}password_file = "p"\nca_file = "ca.crt"\n',
        f'url = "mqtt://10.0.0.2"\n{WS}insecure = true\n',
        'url = "mqtts://10.0.0.2"\nwebsocket = "ws://10.0.0.2:9001"\n',
    ],
)
def test_what_is_safe_or_said_to_be_is_taken(lines: str) -> None:
    assert mqtt(lines).url


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (f'url = "mqtt://10.0.0.2"\n{WS}', "mqtt.url: the way to 10.0.0.2 is not encrypted: expected mqtts"),
        (f'url = "mqtt://u:{SECRET}@broker.example"\n{WS}', "mqtt.url: the way to broker.example is not"),
        (f'url = "mqtt://127.0.0.1.example"\n{WS}', "mqtt.url: the way to 127.0.0.1.example is not"),
        (
            f'url = "mqtts://10.0.0.2"\nwebsocket = "ws://u:{SECRET}@10.0.0.2:1"\n',
            "mqtt.websocket: the way to 10.0.0.2 is not encrypted, and a password goes over it",
        ),
        (f'url = "tcp://u:{SECRET}@x"\n{WS}', "mqtt.url: expected mqtt or mqtts://host:port"),
        (f'url = "mqtts://u:{SECRET}@x:port"\n{WS}', "mqtt.url: expected mqtt or mqtts://host:port"),
        (f'url = "mqtts://u:{SECRET}@[x"\n{WS}', "mqtt.url: expected mqtt or mqtts://host:port"),
        (f'url = "mqtts://x"\nwebsocket = "http://u:{SECRET}@x"\n', "mqtt.websocket: expected ws or wss"),
        (f'url = "mqtts://x"\n{WSS}password_file = "p"\n', "mqtt.password_file: expected a user in mqtt.url"),
        (
            f'url = "mqtts://u:{SECRET}@x"\n{WSS}password_file = "p"\n',
            "mqtt.password_file: mqtt.url holds a password too",
        ),
        (f'url = "mqtt://127.0.0.1"\n{WS}ca_file = "c"\n', "mqtt.ca_file: expected mqtts:// in mqtt.url"),
        (f'url = "mqtts://x"\n{WSS}key_file = "k"\n', "mqtt.certificate_file, mqtt.key_file: expected both"),
        ('ca_file = "c"\n', "mqtt.ca_file: expected mqtt.url beside it"),
    ],
)
def test_what_is_not_is_refused_in_one_line_without_the_password(lines: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        mqtt(lines)
    assert str(refused.value).startswith(f"t: {said}")
    assert SECRET not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_password_comes_from_its_file_and_stands_in_no_repr(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(f"{SECRET}\nmore\n", encoding="utf-8")
    text = f'{SMALLEST}[mqtt]\nurl = "mqtts://table-1@10.0.0.2"\npassword_file = "p"\n'
    text += 'websocket = "wss://table-1.display@10.0.0.2:9443"\nwebsocket_password_file = "p"\n'
    (tmp_path / "table.toml").write_text(text, encoding="utf-8")
    section = load_config(tmp_path / "table.toml").mqtt
    address = address_of(section, section.url or "")
    page = page_broker_of(section, section.websocket or "")
    assert (address.port, address.username, address.password) == (8883, "table-1", SECRET)
    assert (page.websocket, page.told()) == (
        "wss://10.0.0.2:9443",
        {"username": "table-1.display", "password": SECRET},
    )
    assert SECRET not in f"{address!r} {page!r}"
    assert way_of(address) is Way.BROKER_SIGNED


@pytest.mark.parametrize("content", [None, b"", b"\n", b"\xff\xfe"])
def test_a_password_file_without_a_password_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "p").write_bytes(content)
    with pytest.raises(BadAddress, match=r"p: .*; expected a file with a password in its first line$"):
        read_password(tmp_path / "p")


@pytest.mark.parametrize("content", [None, b"", b"\x00" * 100, b"-----BEGIN CERTIFICATE-----\nx\n"])
def test_a_certificate_that_is_none_is_named(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "ca.crt").write_bytes(content)
    with pytest.raises(BadAddress, match=r"ca\.crt: .*; expected PEM files$"):
        Tls(ca_file=tmp_path / "ca.crt").context()


def test_a_name_that_puts_a_table_out_is_known_to_the_table_only() -> None:
    named = [parse_broker_url(f"mqtts://t{word}@x").client_name("mj/v1/home/t") for word in ("", ":a", ":b")]
    assert named[0] == "mj_home_t"
    assert len({*named}) == 3
    assert all(len(name) <= 100 for name in named)
    assert parse_broker_url("mqtts://t:a@y:1").client_name("mj/v1/home/t") == named[1]


# ---- with a real broker ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def broker() -> Iterator[ParlourBroker]:
    with parlour_broker() as running:
        yield running


async def said_over(url: str, section: MqttSection, broker: ParlourBroker) -> bytes:
    """What a page with its own password hears of a table that publishes so."""
    publisher = Publisher(url=address_of(section, url), prefix="mj/v1/home/table-1")
    publisher.retain("state/table", b"{}")
    running = asyncio.create_task(publisher.run())
    wss = {"port": broker.ports.wss, "transport": "websockets", "tls_context": broker.tls()}
    try:
        async with broker.client("table-1.display", **wss) as page, asyncio.timeout(PATIENCE_S):
            await page.subscribe("mj/v1/home/table-1/state/table", qos=1)
            payload = (await anext(aiter(page.messages))).payload
    finally:
        publisher.stop()
        await asyncio.wait_for(running, PATIENCE_S)
    assert isinstance(payload, bytes)
    return payload


async def test_a_table_publishes_over_tls_with_its_password(
    broker: ParlourBroker, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    url = f"mqtts://table-1@127.0.0.1:{broker.ports.tls}"
    section = MqttSection(
        password_file=str(broker.folder.password("table-1")), ca_file=str(broker.folder.authority.certificate)
    )
    assert await said_over(url, section, broker) == b"{}"
    assert broker.password("table-1") not in caplog.text


async def test_a_table_publishes_over_tls_with_its_certificate(broker: ParlourBroker) -> None:
    url = f"mqtts://127.0.0.1:{broker.ports.certificate}"
    pair = broker.folder.table("table-1")
    section = MqttSection(
        ca_file=str(broker.folder.authority.certificate),
        certificate_file=str(pair.certificate),
        key_file=str(pair.key),
    )
    assert await said_over(url, section, broker) == b"{}"
    assert way_of(address_of(section, url)) is Way.BROKER_SIGNED


# The library leaves the socket of a refused handshake to the collector of garbage, which says so.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_broker_that_is_not_the_one_meant_hears_nothing(
    broker: ParlourBroker, caplog: pytest.LogCaptureFixture
) -> None:
    """Its authority is not known."""
    host = "127.0.0.1"
    section = MqttSection(password_file=str(broker.folder.password("table-1")))
    address = address_of(section, f"mqtts://table-1@{host}:{broker.ports.tls}")
    publisher = Publisher(url=address, prefix="mj/v1/home/table-1")
    running = asyncio.create_task(publisher.run())
    async with asyncio.timeout(PATIENCE_S):
        while f"MQTT broker {host}" not in caplog.text:  # noqa: ASYNC110 - the log rings no bell
            await asyncio.sleep(0.02)
    publisher.stop()
    await asyncio.wait_for(running, PATIENCE_S)
    gc.collect()
    assert publisher.published == 0
    assert broker.password("table-1") not in caplog.text
