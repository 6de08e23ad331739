"""What `longzhuo doctor` says of the computer around a table: certificates, disk, clock, journal, secrets."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from controller.cli.doctor_broker import BROKER, RECORDER, RIGHTS, of_the_broker
from controller.cli.doctor_checks import Check, Result, Step
from controller.config import Config, ConfigError, load_config
from controller.mosquitto.certificates import NoCertificate, read

PATIENCE_S: Final = 5.0
SOON: Final = timedelta(days=30)
LITTLE_MB: Final = 1000
TOO_LITTLE_MB: Final = 100
SLOW_MS: Final = 200.0
"""For a page of the journal to be on the disk; every event of a hand waits for one."""
WRITES: Final = 5
SYNCHRONISED: Final = Path("/run/systemd/timesync/synchronized")

LOOKS: Final = (
    (*BROKER, "broker"),
    (*RIGHTS, "MQTT rights"),
    (*RECORDER, "recorder"),
    ("certificates", "证书", "certificates"),
    ("disk", "磁盘", "disk"),
    ("journal", "记录", "journal"),
    ("pin", "裁判PIN", "referee's PIN"),
    ("modes", "文件权限", "file modes"),
)


def of_the_system(path: Path | None) -> list[Check]:
    """Everything around the table; without a configuration only the clock."""
    try:
        config = None if path is None else load_config(path)
    except ConfigError as error:
        return [*_none(str(error)), clock()]
    if path is None or config is None:
        return [*_none("没有配置 no --config table.toml"), clock()]
    journal, now = Path(config.journal.path), datetime.now(UTC)
    return [
        *of_the_broker(config, now=now),
        certificates(config, now=now),
        disk(journal.parent),
        journal_intact(journal),
        pin(config),
        modes(path, config),
        clock(),
    ]


def _none(why: str) -> list[Check]:
    return [
        Check(name, zh, en, Result.NOT_CHECKED, (why,) if name == LOOKS[0][0] else ())
        for name, zh, en in LOOKS
    ]


def certificates(config: Config, *, now: datetime) -> Check:
    """Whether the certificates that the configuration names hold for another month."""
    files = [file for file in (config.mqtt.ca_file, config.mqtt.certificate_file) if file is not None]
    if not files:
        return Check("certificates", "证书", "certificates: none named", Result.NOT_CHECKED)
    details, worst = [], Result.OK
    for file in files:
        try:
            ends_at = read(Path(file)).ends_at
        except NoCertificate as error:
            details.append(f"{file}: {error}")
            worst = Result.FAILED
            continue
        details.append(f"{file}: 到 until {ends_at:%Y-%m-%d}")
        if ends_at <= now:
            worst = Result.FAILED
        elif ends_at - now < SOON and worst is Result.OK:
            worst = Result.WARNING
    todo: tuple[Step, ...] = (
        ("在服务器上换新证书，再拷贝", "on the broker: longzhuo broker DIR; copy them again"),
    )
    return Check(
        "certificates", "证书", "certificates", worst, tuple(details), () if worst is Result.OK else todo
    )


def disk(folder: Path) -> Check:
    """Room for the journal and how fast it is on the disk."""
    try:
        free_mb = shutil.disk_usage(folder).free // 1_000_000
        took_ms = _write_ms(folder)
    except OSError as error:
        todo: tuple[Step, ...] = (
            ("换一个可写的文件夹", "name a folder that can be written in [journal] path"),
        )
        return Check("disk", "磁盘", f"disk: {folder}", Result.FAILED, (error.strerror or str(error),), todo)
    return disk_says(free_mb, took_ms)


def disk_says(free_mb: int, took_ms: float) -> Check:
    """What the figures mean: megabytes left, milliseconds until a page is on the disk."""
    todo: list[Step] = []
    if free_mb < LITTLE_MB:
        todo.append(
            ("腾出空间：删旧文件，或减小pictures_mb", "make room: old files, or a smaller pictures_mb")
        )
    if took_ms > SLOW_MS:
        todo.append(("磁盘太慢：换固态盘或好一点的卡", "the disk is slow: use an SSD or a better card"))
    result = Result.WARNING if todo else Result.OK
    if free_mb < TOO_LITTLE_MB:
        result = Result.FAILED
    en = f"disk: {free_mb} MB free, a write takes {took_ms:.0f} ms"
    return Check("disk", "磁盘", en, result, (), tuple(todo))


def _write_ms(folder: Path) -> float:
    """The median of a few writes of a page, until the disk says it has them."""
    took = []
    with tempfile.TemporaryFile(dir=folder) as file:
        for _ in range(WRITES):
            begun = time.perf_counter()
            file.write(b"\0" * 4096)
            file.flush()
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return sorted(took)[WRITES // 2] * 1000.0


def journal_intact(path: Path) -> Check:
    """Whether SQLite finds the file whole; `longzhuo audit` also checks every row's checksum."""
    if not path.exists():
        return Check("journal", "记录", f"journal: {path.name} is not there yet", Result.NOT_CHECKED)
    salvage: tuple[Step, ...] = (
        ("先备份，再看longzhuo audit", f"longzhuo backup {path.name} COPY; then longzhuo audit {path.name}"),
    )
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=PATIENCE_S)
        try:
            found = [str(row[0]) for row in database.execute("PRAGMA quick_check(3)")]
        finally:
            database.close()
    except sqlite3.Error as error:
        return Check("journal", "记录", f"journal: {path.name}", Result.FAILED, (str(error),), salvage)
    if found != ["ok"]:
        return Check("journal", "记录", f"journal: {path.name}", Result.FAILED, tuple(found), salvage)
    return Check("journal", "记录", f"journal: {path.name} is whole", Result.OK)


def pin(config: Config) -> Check:
    """Whether the referee has one."""
    if config.referee.pin is not None:
        return Check("pin", "裁判PIN", "referee's PIN: set", Result.OK)
    en = "referee's PIN: none; his orders are taken from this computer only"
    return Check("pin", "裁判PIN", en, Result.WARNING, (), (("设一个PIN", "longzhuo pin"),))


def modes(path: Path, config: Config) -> Check:
    """Whether others on this computer can read what holds a secret."""
    mqtt = config.mqtt
    holds_secrets = config.referee.pin is not None or "@" in f"{mqtt.url}{mqtt.websocket}"
    files = [path] if holds_secrets else []
    named = (mqtt.password_file, mqtt.websocket_password_file, mqtt.key_file)
    files += [Path(file) for file in named if file is not None]
    open_ones = [file for file in files if file.exists() and file.stat().st_mode & 0o077]
    if not open_ones:
        return Check("modes", "文件权限", "file modes: secrets are their owner's", Result.OK)
    details = tuple(f"{file}: {file.stat().st_mode & 0o777:03o}" for file in open_ones)
    todo: tuple[Step, ...] = tuple(("只给自己读", f"chmod 600 {file}") for file in open_ones)
    return Check("modes", "文件权限", "file modes: others can read secrets", Result.WARNING, details, todo)


def clock() -> Check:
    """Whether something keeps the clock right."""
    return clock_says(_synchronised())


def clock_says(synchronised: bool | None) -> Check:  # noqa: FBT001 - what the system says of itself
    """What it means; None: nobody here knows."""
    if synchronised:
        return Check("clock", "时钟", "clock: set by the network", Result.OK)
    turn_on: tuple[Step, ...] = (
        ("打开网络对时", "sudo timedatectl set-ntp true"),
        ("没有网络就看一眼时间对不对", "without a network, look whether the time is right: date"),
    )
    if synchronised is None:
        now = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        return Check(
            "clock",
            "时钟",
            f"clock: nothing tells who sets it; it says {now}",
            Result.NOT_CHECKED,
            (),
            turn_on,
        )
    return Check("clock", "时钟", "clock: not set by the network", Result.WARNING, (), turn_on)


def _synchronised() -> bool | None:
    if SYNCHRONISED.exists():
        return True
    program = shutil.which("timedatectl")
    if program is None:
        return None
    try:
        told = subprocess.run(  # noqa: S603 - a program of the system
            [program, "show", "--property=NTPSynchronized", "--value"],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return {"yes": True, "no": False}.get(told.stdout.strip())
