"""What the doctor says of the computer around a table, each with what to do."""

import socket
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from controller.cli import doctor_system
from controller.cli.doctor_broker import broker
from controller.cli.doctor_checks import Check, Result
from controller.cli.doctor_system import (
    certificates,
    clock_says,
    disk,
    disk_says,
    journal_intact,
    modes,
    of_the_system,
    pin,
)
from controller.config import Config, parse_config
from controller.mosquitto.certificates import Pair, make_authority
from controller.rights import PinHash

HASH = str(PinHash((4, 8, 1), b"s" * 16, b"d" * 32))


def config(more: str = "") -> Config:
    return parse_config(
        f'rules = "cixi-card"\n[board]\nport = "/dev/x"\n[camera]\nsource = 0\n{more}', name="t"
    )


def named(url: str, more: str = "") -> Config:
    return config(f'[mqtt]\nurl = "{url}"\nwebsocket = "ws://127.0.0.1:1"\n{more}')


def is_told(check: Check, result: Result) -> bool:
    """A warning or a failure says what to do."""
    return check.result is result and bool(check.todo) == (result in {Result.WARNING, Result.FAILED})


def test_a_broker_that_does_not_answer_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    silent, _ = broker(named(f"mqtt://127.0.0.1:{port}"))
    assert is_told(silent, Result.FAILED)
    assert f"127.0.0.1:{port}" in silent.en


def test_a_missing_mosquitto_and_a_missing_file_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("controller.broker._SEARCH", (str(tmp_path),))
    assert is_told(broker(config())[0], Result.FAILED)
    gone, _ = broker(named("mqtts://u@127.0.0.1:1", f'ca_file = "{tmp_path}/ca.crt"\n'))
    assert is_told(gone, Result.FAILED)
    assert "ca.crt" in gone.detail[0]


def test_certificates_that_end_soon_are_told_before_they_do(tmp_path: Path) -> None:
    pair = Pair(tmp_path / "ca.crt", tmp_path / "ca.key")
    make_authority(pair, name="t")
    told = named("mqtts://10.0.0.2", f'ca_file = "{pair.certificate}"\n')
    now = datetime.now(UTC)
    assert is_told(certificates(told, now=now), Result.OK)
    assert is_told(certificates(told, now=now + timedelta(days=7280)), Result.WARNING)
    assert is_told(certificates(told, now=now + timedelta(days=7301)), Result.FAILED)
    pair.certificate.write_text("nothing", encoding="utf-8")
    assert is_told(certificates(told, now=now), Result.FAILED)
    assert is_told(certificates(config(), now=now), Result.NOT_CHECKED)


def test_a_disk_that_is_full_slow_or_shut_is_told(tmp_path: Path) -> None:
    assert "MB free" in disk(tmp_path).en
    assert is_told(disk_says(5000, 3.0), Result.OK)
    assert is_told(disk_says(500, 3.0), Result.WARNING)
    assert is_told(disk_says(50, 3.0), Result.FAILED)
    assert is_told(disk_says(5000, 900.0), Result.WARNING)
    assert is_told(disk(tmp_path / "absent"), Result.FAILED)


def test_a_journal_that_is_broken_is_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    assert is_told(journal_intact(path), Result.NOT_CHECKED)
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE t (x)")
        database.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 200)
    database.close()
    assert is_told(journal_intact(path), Result.OK)
    content = bytearray(path.read_bytes())
    content[4096:20_000] = b"\xff" * (20_000 - 4096)
    path.write_bytes(content)
    assert is_told(journal_intact(path), Result.FAILED)


def test_a_missing_pin_is_told() -> None:
    assert is_told(pin(config()), Result.WARNING)
    assert is_told(pin(config(f'[referee]\npin = "{HASH}"\n')), Result.OK)


def test_secrets_that_others_can_read_are_told_with_the_command(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("", encoding="utf-8")
    path.chmod(0o644)
    assert is_told(modes(path, config()), Result.OK)
    open_one = modes(path, config(f'[referee]\npin = "{HASH}"\n'))
    assert is_told(open_one, Result.WARNING)
    assert open_one.todo[0][1] == f"chmod 600 {path}"
    path.chmod(0o600)
    assert is_told(modes(path, config(f'[referee]\npin = "{HASH}"\n')), Result.OK)


def test_a_clock_that_nobody_sets_is_told() -> None:
    assert is_told(clock_says(synchronised=True), Result.OK)
    assert is_told(clock_says(synchronised=False), Result.WARNING)
    assert clock_says(synchronised=None).result is Result.NOT_CHECKED
    assert doctor_system.clock().id == "clock"


def test_without_a_configuration_only_the_clock_is_looked_at(tmp_path: Path) -> None:
    looked = {check.id: check.result for check in of_the_system(None)}
    assert {name for name, result in looked.items() if result is not Result.NOT_CHECKED} <= {"clock"}
    (tmp_path / "t.toml").write_text("x", encoding="utf-8")
    assert "not valid TOML" in of_the_system(tmp_path / "t.toml")[0].detail[0]
