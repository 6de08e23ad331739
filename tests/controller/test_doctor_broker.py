"""What the doctor says of a parlour's broker: sign-in, rights and certificates, without leaving a trace."""

import asyncio
import os
import pwd
import shutil
import socket
import sqlite3
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from parlour_broker import DEAF, PATIENCE_S, TESTER, ParlourBroker, parlour_broker

from controller.cli.doctor_broker import LATE, broker, of_the_broker, recorder, said_by
from controller.cli.doctor_checks import Check, Result
from controller.config import Config, parse_config
from controller.journal import Journal
from controller.journal_rows import AckRow, OutboxRow
from controller.mosquitto import certificates
from controller.mosquitto.certificates import Pair, make_authority, make_for_broker, make_for_client

HOME = "mj/v1/home/table-1"
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def parlour() -> Iterator[ParlourBroker]:
    with parlour_broker() as running:
        yield running


def config(url: str, more: str = "", *, journal: str = "j.db") -> Config:
    return parse_config(
        f'rules = "cixi-card"\n[board]\nport = "/dev/x"\n[camera]\nsource = 0\n[table]\nid = "table-1"\n'
        f'[journal]\npath = "{journal}"\n'
        f'[mqtt]\nurl = "{url}"\nwebsocket = "ws://127.0.0.1:1"\nrecorder = true\n{more}',
        name="t",
    )


def password(parlour: ParlourBroker, user: str) -> str:
    return f'password_file = "{parlour.folder.password(user)}"\n'


def files(authority: Pair, own: Pair | None = None) -> str:
    named = f'ca_file = "{authority.certificate}"\n'
    if own is not None:
        named += f'certificate_file = "{own.certificate}"\nkey_file = "{own.key}"\n'
    return named


def told(config: Config) -> tuple[Check, Check]:
    """What is said of the way and of the rights, each in a line, with what to do where it is not well."""
    way, rights, _ = of_the_broker(config, now=NOW)
    for check in (way, rights):
        assert check.en.isprintable()
        assert bool(check.todo) == (check.result in {Result.WARNING, Result.FAILED})
    return way, rights


async def test_a_table_in_order_is_told_so_and_nobody_else_notices(parlour: ParlourBroker) -> None:
    right = config(
        f"mqtts://table-1@127.0.0.1:{parlour.ports.tls}",
        password(parlour, "table-1") + files(parlour.folder.authority),
    )
    async with parlour.client(TESTER) as watching, parlour.client(TESTER) as telling:
        kept = [f"{HOME}/state/availability", f"{HOME}/state/table"]
        for topic in kept:
            await telling.publish(topic, b"kept", qos=1, retain=True)
        await watching.subscribe("#", qos=1)
        checks = await asyncio.to_thread(told, right)
        async with parlour.client(TESTER) as later:
            await later.subscribe("#", qos=1)
            await telling.publish("elsewhere", b"the end", qos=1)
            seen: dict[str, list[tuple[str, object]]] = {}
            for name, client in (("watching", watching), ("later", later)):
                async with asyncio.timeout(PATIENCE_S):
                    async for message in client.messages:
                        seen.setdefault(name, []).append((str(message.topic), message.payload))
                        if message.payload == b"the end":
                            break
        for topic in kept:
            await telling.publish(topic, b"", qos=1, retain=True)
    assert [check.result for check in checks] == [Result.OK, Result.OK]
    assert checks[1].detail == ()
    retained = sorted((topic, b"kept") for topic in kept)
    assert sorted(seen["later"])[1:] == retained
    # What it says to itself is all that anybody can have heard.
    assert [topic for topic, _ in seen["watching"][2:]] == [f"{HOME}/cmd/check", "elsewhere"]
    assert sorted(seen["watching"][:2]) == retained


@pytest.mark.parametrize(
    ("user", "file", "said"),
    [
        ("table-1@", "table-2", "it refuses the user table-1 with this password"),
        ("nobody@", "table-1", "it refuses the user nobody with this password"),
        ("", None, "it lets nobody in without a user"),
    ],
)
def test_a_refused_sign_in_is_told(parlour: ParlourBroker, user: str, file: str | None, said: str) -> None:
    more = "" if file is None else password(parlour, file)
    way, rights = told(config(f"mqtt://{user}127.0.0.1:{parlour.ports.plain}", more))
    assert (way.result, rights.result) == (Result.FAILED, Result.NOT_CHECKED)
    assert way.en == f"broker 127.0.0.1:{parlour.ports.plain}: {said}"


@pytest.mark.parametrize("user", ["table-2", "table-1.display"])
def test_a_user_without_the_tables_rights_is_told_what_he_may_not(parlour: ParlourBroker, user: str) -> None:
    mine = config(f"mqtt://{user}@127.0.0.1:{parlour.ports.plain}", password(parlour, user))
    way, rights = told(mine)
    assert (way.result, rights.result) == (Result.OK, Result.FAILED)
    number = len(said_by(mine))
    assert number > 20
    assert rights.en == f"MQTT rights: {user} may not publish {number} of {number} topics"
    assert rights.detail[0] == f"不能发 may not publish: {HOME}/state/availability"
    assert "longzhuo broker DIR --table table-1" in rights.todo[0][1]


def test_a_user_who_hears_no_orders_is_told_although_the_broker_grants_it(parlour: ParlourBroker) -> None:
    way, rights = told(config(f"mqtt://{DEAF}:t@127.0.0.1:{parlour.ports.plain}"))
    assert (way.result, rights.result) == (Result.OK, Result.FAILED)
    assert rights.en == f"MQTT rights: {DEAF} may not hear cmd/+"
    assert rights.detail == (f"收不到 may not hear: {HOME}/cmd/+",)


def test_lists_that_do_not_let_the_table_try_are_said_to_be_older(parlour: ParlourBroker) -> None:
    access = parlour.folder.path / "access"
    text = access.read_text(encoding="utf-8")
    access.write_text(text.replace(f"topic write {HOME}/cmd/check\n", ""), encoding="utf-8")
    parlour.read_again()
    try:
        url = f"mqtt://table-1@127.0.0.1:{parlour.ports.plain}"
        _, rights = told(config(url, password(parlour, "table-1")))
    finally:
        access.write_text(text, encoding="utf-8")
        parlour.read_again()
    assert rights.result is Result.OK
    assert "was not tried" in rights.detail[0]


def test_a_certificate_that_is_another_is_told(parlour: ParlourBroker, tmp_path: Path) -> None:
    stranger, ours = Pair(tmp_path / "ca.crt", tmp_path / "ca.key"), parlour.folder.authority
    make_authority(stranger, name="stranger")
    strange = Pair(tmp_path / "t.crt", tmp_path / "t.key")
    make_for_client(strange, stranger, name="table-1")
    tls, certificate = parlour.ports.tls, parlour.ports.certificate
    signing_in = password(parlour, "table-1")
    for url, more, said in (
        (
            f"mqtts://table-1@127.0.0.1:{tls}",
            signing_in + files(stranger),
            "its certificate comes from another authority than [mqtt] ca_file",
        ),
        (
            f"mqtts://127.0.0.1:{certificate}",
            files(ours, strange),
            "it refuses the table's certificate (unknown_ca)",
        ),
        (f"mqtts://127.0.0.1:{certificate}", files(ours), "it asks for a certificate of the table"),
        (f"mqtt://table-1@127.0.0.1:{tls}", signing_in, "it breaks the connection off"),
    ):
        way, _ = told(config(url, more))
        assert way.result is Result.FAILED
        assert way.en.partition(": ")[2] == said
    way, rights = told(
        config(f"mqtts://127.0.0.1:{certificate}", files(ours, parlour.folder.table("table-1")))
    )
    assert (way.result, rights.result) == (Result.OK, Result.OK)


def test_a_certificate_that_has_expired_or_is_for_another_name_is_told(
    parlour: ParlourBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, expired = parlour.folder.authority, Pair(tmp_path / "t.crt", tmp_path / "t.key")
    url = f"mqtts://table-1@127.0.0.1:{parlour.ports.tls}"
    mine = config(url, password(parlour, "table-1") + files(ours))
    right = {
        file: file.read_bytes() for file in (parlour.folder.broker.certificate, parlour.folder.broker.key)
    }

    def serve(*, names: list[str]) -> Check:
        make_for_broker(parlour.folder.broker, ours, names=names)
        if os.geteuid() == 0:
            shutil.chown(parlour.folder.broker.key, pwd.getpwnam("mosquitto").pw_uid)
        parlour.read_again()
        return told(mine)[0]

    try:
        way = serve(names=["elsewhere.example"])
        assert way.en.endswith(": its certificate is for other names than 127.0.0.1")
        assert way.todo[0][1] == "on the broker: longzhuo broker DIR --name 127.0.0.1"
        monkeypatch.setattr(certificates, "DAYS", -1)
        assert serve(names=["127.0.0.1"]).en.endswith(": its certificate has expired")
    finally:
        for file, content in right.items():
            file.write_bytes(content)
        parlour.read_again()
    make_for_client(expired, ours, name="table-1")
    way, _ = told(config(f"mqtts://127.0.0.1:{parlour.ports.certificate}", files(ours, expired)))
    assert way.en.endswith(": it refuses the table's certificate (certificate_expired)")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"\x20\x02\x00\x01", "it does not know MQTT 5"),
        (b"\x20\x03\x00\x97\x00", "it is busy (reason 0x97)"),
        (b"\x20\x03\x00\x8a\x00", "it lets nobody in (reason 0x8a)"),
        (b"\x20\xff\xff\xff\x7f", "what it says is no MQTT"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "it closes the connection without a word"),
        (b"", "it closes the connection without a word"),
    ],
)
def test_whatever_answers_there_is_said_in_a_line(answer: bytes, said: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            way, _ = server.accept()
            way.recv(1000)
            way.sendall(answer)
            way.close()

        answering = threading.Thread(target=serve)
        answering.start()
        check, address = broker(config(f"mqtt://u:p@127.0.0.1:{server.getsockname()[1]}"))
        answering.join(PATIENCE_S)
    assert (check.result, address) == (Result.FAILED, None)
    assert check.en.partition(": ")[2] == said


def test_a_recorder_that_acknowledges_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    mine = config("mqtt://127.0.0.1:1", journal=str(path))
    assert recorder(mine, now=NOW).result is Result.NOT_CHECKED
    at = NOW.timestamp()
    with Journal.open(path) as journal:
        journal.write([OutboxRow(boot=1, seq=1, at=at, topic="ledger/settlement", payload="{}")])
    assert recorder(mine, now=NOW).result is Result.OK
    late = recorder(mine, now=NOW + LATE + timedelta(seconds=1))
    assert late.result is Result.WARNING
    assert f"{NOW:%Y-%m-%d %H:%M} UTC" in late.en
    assert f"{HOME}/ledger/ack" in late.todo[0][1]
    with Journal.open(path) as journal:
        journal.write([AckRow(boot=1, seq=1, at=at)])
    assert recorder(mine, now=NOW + LATE * 2).result is Result.OK
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 9999")
    database.close()
    assert recorder(mine, now=NOW).result is Result.NOT_CHECKED
