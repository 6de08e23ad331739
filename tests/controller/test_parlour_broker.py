"""At a parlour's broker everybody hears and says exactly what is his, whatever he asks for."""

import asyncio
import contextlib
import ssl
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiomqtt
import pytest
from click.testing import CliRunner
from parlour_broker import PATIENCE_S, TESTER, ParlourBroker, mode, parlour_broker
from small_disks import full_soon

from controller.cli.broker import command
from controller.mosquitto.folder import BadFolder, Folder, Parlour, write
from controller.mosquitto.log import LogWatch
from controller.mosquitto.roles import Role, users

HOME = "mj/v1/home"
READERS: dict[str, set[str]] = {
    f"{HOME}/table-1/state/table": {"table-1.display", "dashboard", "owner", "homeassistant"},
    f"{HOME}/table-1/event/discard": {"table-1.display", "dashboard", "owner"},
    f"{HOME}/table-1/ledger/settlement": {"owner", "recorder"},
    f"{HOME}/table-1/ledger/ack": {"table-1"},
    f"{HOME}/table-1/cmd/pause": {"table-1"},
    f"{HOME}/table-1/cmd/adjust": {"table-1"},
    f"{HOME}/table-1/cmd/check": {"table-1"},
    f"{HOME}/table-1/cmd": set(),
    f"{HOME}/table-1/cmd/adjust/deeper": set(),
    f"{HOME}/table-1/state/availability": {
        *("table-1", "table-1.display", "dashboard", "owner", "homeassistant"),
    },
    f"{HOME}/table-1/ledger/fine": {"owner", "recorder"},
    f"{HOME}/table-1/ledger/adjustment": {"owner", "recorder"},
    f"{HOME}/table-1/answer/u1": {"owner"},
    f"{HOME}/table-1/service/log": {"owner"},
    f"{HOME}/table-1/secret/hand": set(),
    f"{HOME}/table-2/state/table": {"table-2.display", "dashboard", "owner", "homeassistant"},
    f"{HOME}/table-2/cmd/pause": {"table-2"},
    f"{HOME}/table-2/ledger/settlement": {"owner", "recorder"},
    "mj/v1/other/table-1/state/table": set(),
    "mj/v1/other/table-1/cmd/pause": set(),
    "homeassistant/device/mj_home_table-1/config": {"homeassistant"},
    "homeassistant/status": {"table-1", "table-2"},
    "elsewhere": set(),
}
"""Who hears each topic; no list of the program's own is asked."""

WRITERS: dict[str, set[str]] = {
    f"{HOME}/table-1/state/table": {"table-1"},
    f"{HOME}/table-1/state/availability": {"table-1"},
    f"{HOME}/table-1/event/discard": {"table-1"},
    f"{HOME}/table-1/ledger/settlement": {"table-1"},
    f"{HOME}/table-1/ledger/ack": {"recorder"},
    f"{HOME}/table-1/ledger/fine": {"table-1"},
    f"{HOME}/table-1/ledger/adjustment": {"table-1"},
    f"{HOME}/table-1/cmd/pause": {"owner", "homeassistant"},
    f"{HOME}/table-1/cmd/adjust": {"owner"},
    f"{HOME}/table-1/cmd/check": {"owner", "table-1"},
    f"{HOME}/table-1/cmd": set(),
    f"{HOME}/table-1/cmd/adjust/deeper": set(),
    f"{HOME}/table-1/answer/u1": {"table-1"},
    f"{HOME}/table-1/service/log": {"table-1"},
    f"{HOME}/table-1/secret/hand": set(),
    f"{HOME}/table-2/state/table": {"table-2"},
    f"{HOME}/table-2/cmd/pause": {"owner", "homeassistant"},
    f"{HOME}/table-2/ledger/settlement": {"table-2"},
    "mj/v1/other/table-1/state/table": set(),
    "mj/v1/other/table-1/cmd/pause": set(),
    "homeassistant/device/mj_home_table-1/config": {"table-1"},
    "homeassistant/status": {"homeassistant"},
    "elsewhere": set(),
}
EVERYBODY = [user.name for user in users(("table-1", "table-2"))]
END = b"that was all"


@pytest.fixture(scope="module")
def broker() -> Iterator[ParlourBroker]:
    with parlour_broker() as running:
        yield running


async def heard_by(client: aiomqtt.Client, own: str) -> dict[str, set[bytes]]:
    """What has come until the last message of the tester."""
    found: dict[str, set[bytes]] = {}
    async with asyncio.timeout(PATIENCE_S):
        async for message in client.messages:
            assert isinstance(message.payload, bytes)
            if message.payload == END:
                assert str(message.topic) == own
                return found
            found.setdefault(str(message.topic), set()).add(message.payload)
    raise AssertionError("the connection has ended")


@pytest.mark.parametrize("asked", [("#",), ("+/#", "+/+/+/+/+/+", "+"), ("$share/g/#",), tuple(READERS)])
async def test_everybody_hears_his_own_whatever_he_asks_for(
    broker: ParlourBroker, asked: tuple[str, ...]
) -> None:
    for retain in (True, False):
        await heard_is_right(broker, asked, retain=retain)


async def heard_is_right(broker: ParlourBroker, asked: tuple[str, ...], *, retain: bool) -> None:
    """Publish on every topic before or after everybody has asked; the tester ends with a topic of each."""
    async with contextlib.AsyncExitStack() as stack:
        tester = await stack.enter_async_context(broker.client(TESTER))

        async def tell() -> None:
            for topic in READERS:
                await tester.publish(topic, b"told", qos=1, retain=retain)

        if retain:
            await tell()
        listeners = {}
        for user in EVERYBODY:
            listeners[user] = await stack.enter_async_context(broker.client(user))
            # A group of one's own: who joins another's takes messages from it and gets none of them.
            own = [each.replace("$share/g/", f"$share/{user}/") for each in asked]
            await listeners[user].subscribe([(each, 1) for each in own])
            await listeners[user].subscribe(last_word(user), qos=1)
        if not retain:
            await tell()
        for user in EVERYBODY:
            await tester.publish(last_word(user), END, qos=1)
        found = {user: await heard_by(listeners[user], last_word(user)) for user in EVERYBODY}
        for topic in READERS:
            await tester.publish(topic, b"", qos=1, retain=True)
    readers = {topic: {user for user in EVERYBODY if topic in found[user]} for topic in READERS}
    if retain and asked[0].startswith("$share"):
        # Nothing retained has to be sent for a shared subscription (MQTT 5, 4.8.2); some versions do.
        assert all(readers[topic] <= READERS[topic] for topic in READERS)
    else:
        assert readers == READERS


def last_word(user: str) -> str:
    """A topic that the user hears, at the end of what the tester says."""
    return next(topic for topic, readers in READERS.items() if user in readers)


async def test_everybody_says_his_own_and_what_is_denied_is_logged(broker: ParlourBroker) -> None:
    found: dict[str, set[str]] = {topic: set() for topic in WRITERS}
    async with broker.client(TESTER) as tester:
        await tester.subscribe("#", qos=1)
        for user in EVERYBODY:
            async with broker.client(user) as client:
                for topic in WRITERS:
                    await client.publish(topic, user.encode(), qos=1)
        await tester.publish("elsewhere", END, qos=1)
        for topic, payloads in (await heard_by(tester, "elsewhere")).items():
            found[topic] |= {payload.decode() for payload in payloads}
    assert found == WRITERS
    orders = [topic for topic in WRITERS if "/cmd" in topic]
    denied = [(user, topic) for topic in orders for user in EVERYBODY if user not in WRITERS[topic]]
    assert len(denied) > 40
    expected = {f"没有权限 denied: {user} may not publish {topic} (client" for user, topic in denied}
    async with asyncio.timeout(PATIENCE_S):
        while not expected <= {line.partition(" ")[2].rpartition(" ")[0] for line in broker.lines()}:  # noqa: ASYNC110 - another program writes
            await asyncio.sleep(0.02)
    assert not any("Sending" in line or "Received" in line for line in broker.lines())


async def test_a_will_says_nothing_that_its_user_may_not_say(broker: ParlourBroker) -> None:
    topic = f"{HOME}/table-1/state/availability"
    async with broker.client(TESTER) as tester:
        await tester.subscribe(topic, qos=1)
        for user in ("table-1.display", "table-2", "dashboard", "table-1"):
            await gone_without_a_goodbye(broker, user, will=topic)
        async with asyncio.timeout(PATIENCE_S):
            message = await anext(aiter(tester.messages))
    assert message.payload == b"table-1"


async def gone_without_a_goodbye(broker: ParlourBroker, user: str, *, will: str) -> None:
    """Sign in (MQTT 3.1.1, 3.1) with a will that holds the user's name, and break the connection off."""
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.ports.plain)
    texts = (f"c-{user}", will, user, user, broker.password(user))
    body = b"\x00\x04MQTT\x04\xce\x00\x0f" + b"".join(
        len(text).to_bytes(2, "big") + text.encode() for text in texts
    )
    assert len(body) < 256
    writer.write(bytes([0x10, len(body) % 128 | 128, len(body) // 128]) + body)
    async with asyncio.timeout(PATIENCE_S):
        assert await reader.readexactly(4) == b"\x20\x02\x00\x00"
    writer.transport.abort()


@pytest.mark.parametrize("port", ["plain", "tls", "websocket", "wss"])
async def test_a_stranger_is_not_let_in_anywhere(broker: ParlourBroker, port: str) -> None:
    more = {"port": getattr(broker.ports, port), "timeout": 2}
    if port in {"websocket", "wss"}:
        more["transport"] = "websockets"
    if port in {"tls", "wss"}:
        more["tls_context"] = broker.tls()
    for name, password in (
        (None, None),
        ("owner", None),
        ("owner", "wrong"),
        ("nobody", "x"),
        ("tester", ""),
    ):
        with pytest.raises(aiomqtt.MqttError):
            async with broker.client(None, **more, username=name, password=password):
                pass


async def test_a_table_without_a_certificate_is_not_let_in_where_one_is_asked_for(
    broker: ParlourBroker,
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.ports.certificate, ssl=broker.tls())
    writer.write(b"\x10\x0d\x00\x04MQTT\x04\x02\x00\x0f\x00\x01c")
    with pytest.raises((ssl.SSLError, ConnectionError, asyncio.IncompleteReadError)):
        await asyncio.wait_for(reader.readexactly(4), PATIENCE_S)
    writer.close()


async def test_a_display_signs_in_by_websocket_and_a_table_by_its_certificate(broker: ParlourBroker) -> None:
    by_certificate = broker.tls()
    pair = broker.folder.table("table-1")
    by_certificate.load_cert_chain(pair.certificate, pair.key)
    table = {"port": broker.ports.certificate, "tls_context": by_certificate}
    wss = {"port": broker.ports.wss, "transport": "websockets", "tls_context": broker.tls()}
    async with broker.client(None, **table) as talking, broker.client("table-1.display", **wss) as page:
        await page.subscribe(f"{HOME}/table-1/state/#", qos=1)
        await talking.publish(f"{HOME}/table-2/state/table", b"not mine", qos=1)
        await talking.publish(f"{HOME}/table-1/state/table", b"mine", qos=1)
        async with asyncio.timeout(PATIENCE_S):
            message = await anext(aiter(page.messages))
    assert (str(message.topic), message.payload) == (f"{HOME}/table-1/state/table", b"mine")


async def test_who_does_not_know_the_authority_does_not_talk_to_the_broker(broker: ParlourBroker) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        await asyncio.open_connection("127.0.0.1", broker.ports.tls, ssl=ssl.create_default_context())


def test_no_password_stands_in_an_argument_or_where_others_read(broker: ParlourBroker) -> None:
    path = broker.folder.path
    secrets = [broker.password(user) for user in EVERYBODY]
    assert len({*secrets}) == len(EVERYBODY)
    readable = [file for file in path.rglob("*") if file.is_file() and int(mode(file), 8) & 0o077]
    assert {file.name for file in readable} == {
        *("mosquitto.conf", "parlour.json", "ca.crt", "broker.crt", "table-1.crt", "table-2.crt")
    }
    shown = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    texts = [file.read_text(encoding="utf-8") for file in readable] + [shown, *broker.lines()]
    assert not [secret for secret in secrets for text in texts if secret in text]


# ---- the folder --------------------------------------------------------------------------------------------

NOW = datetime.now(UTC)


def test_written_again_it_keeps_what_is_there_and_adds_what_is_named(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "b")
    assert write(folder, Parlour(), now=NOW)
    kept = {file: file.read_bytes() for file in (folder.authority.key, folder.password("owner"))}
    assert write(folder, Parlour(), now=NOW) == ()
    made = write(folder, Parlour(tables=("table-1", "table-9")), now=NOW)
    assert [line.rpartition("/")[2] for line in made] == [
        *("table-9.crt: for table-9", "table-9: password", "table-9.display: password")
    ]
    assert {file: file.read_bytes() for file in kept} == kept
    assert "user table-9.display" in (folder.path / "access").read_text(encoding="utf-8")


def test_a_removed_table_has_no_right_any_more(tmp_path: Path) -> None:
    place = str(tmp_path / "b")
    told = CliRunner().invoke(command, [place, "--table", "table-1", "--table", "table-2"])
    assert told.exit_code == 0, told.output
    assert (
        CliRunner()
        .invoke(command, [place, "--remove", "tabel-1"])
        .output.strip()
        .endswith("--remove 'tabel-1': expected one of table-1, table-2")
    )
    told = CliRunner().invoke(command, [place, "--remove", "table-1"])
    assert (told.exit_code, told.output) == (0, "table-1: its rights are taken away\n")
    for name in ("access", "users"):
        text = (tmp_path / "b" / name).read_text(encoding="utf-8")
        assert "table-2" in text
        assert "table-1" not in text


def test_certificates_are_renewed_before_they_end_and_for_other_names(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "b")
    write(folder, Parlour(), now=NOW)
    made = write(folder, Parlour(names=("longzhuo.local", "192.168.1.20", "fe80::1")), now=NOW)
    assert [line.rpartition("/")[2] for line in made] == [
        "broker.crt: for longzhuo.local, 192.168.1.20, fe80::1"
    ]
    assert write(folder, Parlour(names=("longzhuo.local", "192.168.1.20", "fe80::1")), now=NOW) == ()
    later = write(folder, folder.known() or Parlour(), now=NOW + timedelta(days=800))
    assert len(later) == 2
    folder.authority.key.unlink()
    with pytest.raises(BadFolder, match=r"ca\.key: missing; put it back"):
        write(folder, folder.known() or Parlour(), now=NOW + timedelta(days=800))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--table", "Tisch 1"], "table 'Tisch 1': expected 1 to 40 of a-z"),
        (["--table", "owner"], "table 'owner': expected"),
        (["--table", "a/#"], "table 'a/#': expected"),
        (["--parlour", "+"], "parlour '+': expected"),
        (["--name", "a,DNS:evil"], "'a,DNS:evil': expected a host name"),
        (["--listen", "0.0.0.0\nallow_anonymous true"], "expected a host name or an address"),
        (["--ports", "1,2,3"], "--ports '1,2,3': expected five numbers"),
        (["--ports", "1,2,3,4,99999"], "expected five numbers"),
        (["--ports", "1,2,3,4,4"], "ports: expected five that differ"),
    ],
)
def test_what_can_not_be_is_said_in_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    told = CliRunner().invoke(command, [str(tmp_path / "b"), *arguments])
    assert told.exit_code == 1
    assert said in told.output
    assert len(told.output.strip().splitlines()) == 1
    assert not (tmp_path / "b").exists()


@pytest.mark.parametrize("name", ["letter.txt", "mosquitto.conf"])
def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("dear", encoding="utf-8")
    told = CliRunner().invoke(command, [str(tmp_path)])
    assert (told.exit_code, [file.name for file in tmp_path.iterdir()]) == (1, [name])
    assert (tmp_path / name).read_text(encoding="utf-8") == "dear"
    assert "holds something else" in told.output


@pytest.mark.parametrize("kib", [4, 16, 24, 32, 36, 40, 44, 48, 52])
def test_a_folder_on_a_full_disk_is_finished_when_there_is_space(tmp_path: Path, kib: int) -> None:
    with full_soon(tmp_path / "small", kib=kib) as disk:
        place = str(disk / "b")
        told = CliRunner().invoke(command, [place])
        if told.exit_code:
            assert len(told.output.strip().splitlines()) == 1
        subprocess.run(["mount", "-o", "remount,size=1m", disk], check=True)
        again = CliRunner().invoke(command, [place])
        assert again.exit_code == 0, again.output
        written = Folder(disk / "b")
        assert written.known() == Parlour()
        for pair in (written.broker, written.table("table-1")):
            ours = str(written.authority.certificate)
            verified = ["openssl", "verify", "-CAfile", ours, str(pair.certificate)]
            assert subprocess.run(verified, capture_output=True, check=False).returncode == 0
            assert "PRIVATE KEY" in pair.key.read_text(encoding="ascii")
        assert all(len(file.read_text().strip()) == 24 for file in (disk / "b" / "passwords").iterdir())


def test_without_openssl_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    told = CliRunner().invoke(command, [str(tmp_path / "b")])
    assert (told.exit_code, "apt install openssl" in told.output) == (1, True)


def test_everybody_of_a_role_has_a_name_of_its_own() -> None:
    names = [user.name for user in users(("a", "b"))]
    assert len({*names}) == len(names) == len(Role) + 2


def test_of_the_log_only_what_matters_is_kept_and_the_denied_are_named() -> None:
    watch = LogWatch()
    assert watch.worth("1796051001: Sending PUBACK to x (m3, rc0)") is None
    assert watch.worth("1796051001: \t$share/g/# (QoS 1)") is None
    came = "New client connected from 10.0.0.1:5 as x\ty (p5, c1, k60, u'table-1.display')."
    assert watch.worth(f"1796051001: {came}") == f"1796051001 {came}".replace("\t", "?")
    line = "1796051001: Denied PUBLISH from x\ty (d0, q1, r0, m3, 'a/cmd/go', ... (1 bytes))"
    said = watch.worth(line)
    assert said == "1796051001 没有权限 denied: table-1.display may not publish a/cmd/go (client x?y)"
    assert watch.denied == 1
    assert watch.worth("1: Error: " + "x" * 10_000) == "1 Error: " + "x" * 393


def test_what_the_log_remembers_is_bounded() -> None:
    watch = LogWatch()
    for number in range(5000):
        watch.worth(f"1: New client connected from 10.0.0.1:5 as c{number} (p5, c1, k60, u'u').")
    assert len(watch._users) == 2000  # noqa: SLF001
