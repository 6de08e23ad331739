"""A folder with everything that a parlour's mosquitto needs, and what is handed to those who sign in.

    mosquitto.conf access users ca.crt broker.crt broker.key     what mosquitto reads
    passwords/NAME                                               one per user, for [mqtt] password_file
    tables/NAME.crt NAME.key                                     by which a table signs in without a password
    authority/ca.key                                             signs certificates: keep it elsewhere

Written again, it keeps its authority, its passwords and the tables that were there.
"""

import contextlib
import grp
import ipaddress
import os
import pwd
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec

from controller.mosquitto.certificates import (
    Pair,
    make_authority,
    make_for_broker,
    make_for_client,
    read,
)
from controller.mosquitto.roles import TABLE_ID, User, access_list, may_be_a_table, password_line, users

USER: Final = "mosquitto"
"""Who mosquitto becomes when it is started as root."""

MOST_CLIENTS: Final = 200
"""At each listener."""

RENEW_BEFORE: Final = timedelta(days=60)
HOST_NAME: Final = re.compile(r"[A-Za-z0-9.:_-]{1,253}")


class BadFolder(Exception):
    """The folder can't be written, or holds something else; one line says why."""


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    """Where mosquitto listens; `plain` and `websocket` on this computer's loopback only.

    `tls` asks for a password, `certificate` for a certificate of ours, `wss` is what browsers elsewhere use.
    """

    plain: int = 1883
    tls: int = 8883
    certificate: int = 8884
    websocket: int = 9001
    wss: int = 9443


class Parlour(msgspec.Struct, frozen=True, kw_only=True):
    """What a folder is made for; `names`: the host names and addresses under which the broker is reached.

    `listen` is the address on which those with TLS are served.
    """

    parlour: str = "home"
    tables: tuple[str, ...] = ("table-1",)
    names: tuple[str, ...] = ("localhost", "127.0.0.1")
    listen: str = "127.0.0.1"
    ports: Ports = Ports()

    def checked(self) -> "Parlour":
        """The same.

        Raises:
            BadFolder: an id or a name is none.
        """
        if not TABLE_ID.fullmatch(self.parlour):
            raise BadFolder(f"parlour {self.parlour!r}: expected 1 to 40 of a-z, 0-9 and -")
        for table in self.tables:
            if not may_be_a_table(table):
                raise BadFolder(
                    f"table {table!r}: expected 1 to 40 of a-z, 0-9 and -, and no role such as owner"
                )
        for text in (*self.names, self.listen):
            if not HOST_NAME.fullmatch(text):
                raise BadFolder(f"{text!r}: expected a host name or an address")
        if len({*msgspec.structs.astuple(self.ports)}) != len(Ports.__struct_fields__):
            raise BadFolder("ports: expected five that differ")
        return self


@dataclass(frozen=True, slots=True)
class Folder:
    """The paths of one folder."""

    path: Path

    @property
    def configuration(self) -> Path:
        """What mosquitto is started with."""
        return self.path / "mosquitto.conf"

    @property
    def authority(self) -> Pair:
        """The parlour's own."""
        return Pair(self.path / "ca.crt", self.path / "authority" / "ca.key")

    @property
    def broker(self) -> Pair:
        """The broker's certificate."""
        return Pair(self.path / "broker.crt", self.path / "broker.key")

    def table(self, table: str) -> Pair:
        """The certificate by which a table signs in."""
        return Pair(self.path / "tables" / f"{table}.crt", self.path / "tables" / f"{table}.key")

    def password(self, user: str) -> Path:
        """The file with a user's password."""
        return self.path / "passwords" / user

    @property
    def is_there(self) -> bool:
        """Whether it has been written before."""
        return (self.path / "parlour.json").is_file()

    def known(self) -> Parlour | None:
        """What it was made for, None where it is new.

        Raises:
            BadFolder: what stands there is not ours, or can't be read.
        """
        try:
            return msgspec.json.decode((self.path / "parlour.json").read_bytes(), type=Parlour).checked()
        except FileNotFoundError:
            if self.path.is_dir() and not _is_begun({each.name for each in self.path.iterdir()}):
                raise BadFolder(f"{self.path}: holds something else; expected a new folder") from None
            return None
        except OSError as error:
            raise BadFolder(f"{self.path}: {error.strerror}") from error
        except msgspec.DecodeError as error:
            raise BadFolder(f"{self.path / 'parlour.json'}: {error}") from error


def write(folder: Folder, parlour: Parlour, *, now: datetime) -> tuple[str, ...]:
    """Write everything that is missing, old or otherwise than wished; what was made, a line each.

    Raises:
        BadFolder: it can't be written, or an id is none.
        NoCertificate: openssl is missing or refuses.
    """
    parlour.checked()
    if not str(folder.path.resolve()).isprintable():
        raise BadFolder(f"{str(folder.path)!r}: expected a name that can be written into a line")
    made: list[str] = []
    try:
        for path, mode in ((folder.path, 0o755), *((folder.path / name, 0o700) for name in _PRIVATE)):
            path.mkdir(parents=True, exist_ok=True)
            path.chmod(mode)
        _certificates(folder, parlour, now, made.append)
        everybody = users(parlour.tables)
        _file(folder.path / "users", _passwords(folder, everybody, made.append), mode=0o600)
        _file(folder.path / "access", access_list(parlour.parlour, everybody), mode=0o600)
        _file(folder.configuration, configuration(folder, parlour), mode=0o644)
        _file(folder.path / "parlour.json", msgspec.json.encode(parlour).decode() + "\n", mode=0o644)
        for path in (folder.path / "users", folder.path / "access", folder.broker.key):
            _give_to_mosquitto(path)
    except OSError as error:
        raise BadFolder(f"{error.filename or folder.path}: {error.strerror}") from error
    return tuple(made)


_PRIVATE: Final = ("authority", "passwords", "tables")
_WRITTEN: Final = ("mosquitto.conf", "users", "access", "ca.crt", "broker.crt", "broker.key")
_OURS: Final = frozenset({*_PRIVATE, *_WRITTEN, *(f".{name}.new" for name in (*_WRITTEN, "parlour.json"))})
"""What stands in a folder that could not be finished, because its disk was full: it is begun again."""


def _is_begun(names: set[str]) -> bool:
    """Whether a folder with these files is empty or one of ours that was not finished.

    The authority's is made first: a mosquitto.conf without it is somebody else's.
    """
    return not names or ("authority" in names and names <= _OURS)


def configuration(folder: Folder, parlour: Parlour) -> str:
    """The text of mosquitto.conf."""
    path, ports = folder.path.resolve(), parlour.ports
    lists = ["allow_anonymous false", f"acl_file {path / 'access'}"]
    signing_in = [*lists, f"password_file {path / 'users'}"]
    secure = [f"certfile {path / 'broker.crt'}", f"keyfile {path / 'broker.key'}", "tls_version tlsv1.2"]
    by_certificate = ["require_certificate true", "use_identity_as_username true"]
    listeners = (
        ("what runs on this computer", ports.plain, "127.0.0.1", signing_in),
        ("with a password, over TLS", ports.tls, parlour.listen, [*secure, *signing_in]),
        (
            "tables that sign in by their certificate",
            ports.certificate,
            parlour.listen,
            [*secure, f"cafile {path / 'ca.crt'}", *by_certificate, *lists],
        ),
        (
            "the page on this computer",
            ports.websocket,
            "127.0.0.1",
            ["protocol websockets", *signing_in],
        ),
        ("pages elsewhere", ports.wss, parlour.listen, ["protocol websockets", *secure, *signing_in]),
    )
    lines: list[str] = []
    for words, port, host, settings in listeners:
        lines += ["", f"# {words}", f"listener {port} {host}", f"max_connections {MOST_CLIENTS}", *settings]
    template = resources.files("controller.mosquitto").joinpath("mosquitto.conf").read_text(encoding="utf-8")
    return template.replace("@LISTENERS@", "\n".join(lines))


def _certificates(folder: Folder, parlour: Parlour, now: datetime, made: Callable[[str], None]) -> None:
    all_anew = not folder.authority.certificate.is_file()
    if all_anew:
        make_authority(folder.authority, name=f"longzhuo {parlour.parlour}")
        made(f"{folder.authority.certificate}: authority")
    if all_anew or _is_due(folder.broker, now, names=parlour.names):
        make_for_broker(folder.broker, _signing(folder), names=parlour.names)
        made(f"{folder.broker.certificate}: for {', '.join(parlour.names)}")
    for table in parlour.tables:
        pair = folder.table(table)
        if all_anew or _is_due(pair, now):
            make_for_client(pair, _signing(folder), name=table)
            made(f"{pair.certificate}: for {table}")


def _signing(folder: Folder) -> Pair:
    if not folder.authority.key.is_file():
        raise BadFolder(f"{folder.authority.key}: missing; put it back for as long as certificates are made")
    return folder.authority


def _is_due(pair: Pair, now: datetime, *, names: Sequence[str] = ()) -> bool:
    """Whether it is missing, ends soon, or holds for other names."""
    if not pair.is_there:
        return True
    told = read(pair.certificate)
    return told.ends_at - now < RENEW_BEFORE or set(map(_plain, names)) != set(map(_plain, told.names))


def _plain(name: str) -> str:
    """An address has more than one way to be written."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.lower()


def _passwords(folder: Folder, everybody: Sequence[User], made: Callable[[str], None]) -> str:
    """The lines of everybody; a password that is there is kept."""
    lines = []
    for user in everybody:
        path = folder.password(user.name)
        if not path.is_file():
            _file(path, secrets.token_urlsafe(18) + "\n", mode=0o600)
            made(f"{path}: password")
        password = path.read_text(encoding="utf-8").strip()
        lines.append(password_line(user.name, password, salt=secrets.token_bytes(12)))
    return "".join(lines)


def _file(path: Path, text: str, *, mode: int) -> None:
    """Write a file whole or not at all; nobody else reads it in between."""
    fresh = path.with_name(f".{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text)
    fresh.replace(path)


def _give_to_mosquitto(path: Path) -> None:
    """Started as root, mosquitto reads its files as a user of its own."""
    if os.geteuid() == 0:
        with contextlib.suppress(KeyError):
            os.chown(path, pwd.getpwnam(USER).pw_uid, grp.getgrnam(USER).gr_gid)
