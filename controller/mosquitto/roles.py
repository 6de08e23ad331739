"""Who signs in at a parlour's broker, and what each may hear and say. Pure.

Every user has a list of his own. A pattern with the user's name in it would hold for every user that signs
in, so that a display could speak as a table that is called like it.
"""

import base64
import enum
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

TABLE_ID: Final = re.compile(r"[a-z0-9-]{1,40}")


class Role(enum.Enum):
    """What somebody who signs in is there for."""

    TABLE = "table"
    """A table's controller; its user name is the table's id."""
    DISPLAY = "display"
    """What shows one table: its page."""
    DASHBOARD = "dashboard"
    """What shows the parlour."""
    OWNER = "owner"
    """May order everything, at every table."""
    RECORDER = "recorder"
    """Keeps the settlements of all tables, and acknowledges them."""
    HOME_ASSISTANT = "homeassistant"
    """Shows the tables, and has buttons."""


OF_A_TABLE: Final = (Role.TABLE, Role.DISPLAY)

RIGHTS: Final[dict[Role, tuple[str, ...]]] = {
    Role.TABLE: (
        "write {table}/state/#",
        "write {table}/event/#",
        "write {table}/ledger/settlement",
        "write {table}/ledger/fine",
        "write {table}/ledger/adjustment",
        "write {table}/answer/#",
        "write {table}/service/#",
        "write {device}/config",
        "write {table}/cmd/check",
        "read {table}/cmd/+",
        "read {table}/ledger/ack",
        "read {table}/state/availability",
        "read homeassistant/status",
    ),
    Role.DISPLAY: ("read {table}/state/#", "read {table}/event/#"),
    Role.DASHBOARD: ("read {tables}/state/#", "read {tables}/event/#"),
    Role.OWNER: (
        "read {tables}/state/#",
        "read {tables}/event/#",
        "read {tables}/answer/#",
        "read {tables}/ledger/settlement",
        "read {tables}/ledger/fine",
        "read {tables}/ledger/adjustment",
        "read {tables}/service/#",
        "write {tables}/cmd/+",
    ),
    Role.RECORDER: (
        "read {tables}/ledger/settlement",
        "read {tables}/ledger/fine",
        "read {tables}/ledger/adjustment",
        "write {tables}/ledger/ack",
    ),
    Role.HOME_ASSISTANT: (
        "read homeassistant/device/+/config",
        "write homeassistant/status",
        "read {tables}/state/#",
        "write {tables}/cmd/start",
        "write {tables}/cmd/pause",
        "write {tables}/cmd/resume",
    ),
}
"""Access and topic filter, as mosquitto's lists have them. Nobody hears what another orders."""


@dataclass(frozen=True, slots=True, order=True)
class User:
    """Somebody who signs in; `table` is the one he belongs to, where he belongs to one."""

    name: str
    role: Role
    table: str | None = None


def users(tables: Iterable[str]) -> tuple[User, ...]:
    """Everybody of a parlour with these tables. No id of a table has a dot in it, or is a name of others."""
    found: list[User] = []
    for table in tables:
        found.append(User(table, Role.TABLE, table))
        found.append(User(f"{table}.display", Role.DISPLAY, table))
    return (*found, *(User(role.value, role) for role in Role if role not in OF_A_TABLE))


def may_be_a_table(name: str) -> bool:
    """Whether a table may be called so."""
    return TABLE_ID.fullmatch(name) is not None and name not in {role.value for role in Role}


def access_list(parlour: str, everybody: Iterable[User]) -> str:
    """The text of mosquitto's `acl_file`. Who is not in it may nothing."""
    lines = ["# Written by longzhuo broker; written anew by the next."]
    for user in everybody:
        places = {
            "table": f"mj/v1/{parlour}/{user.table}",
            "tables": f"mj/v1/{parlour}/+",
            "device": f"homeassistant/device/mj_{parlour}_{user.table}",
        }
        lines += ["", f"user {user.name}"]
        lines += [f"topic {right.format_map(places)}" for right in RIGHTS[user.role]]
    return "\n".join(lines) + "\n"


ITERATIONS: Final = 101
"""mosquitto's own number. It guards short passwords badly; the ones made here are 144 random bits."""

_SALT_BYTES: Final = 12


def password_line(name: str, password: str, *, salt: bytes) -> str:
    """A line of mosquitto's `password_file`: PBKDF2 with SHA-512, as `mosquitto_passwd` writes it."""
    if len(salt) != _SALT_BYTES:
        raise ValueError(f"{len(salt)} bytes of salt, expected {_SALT_BYTES}")
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, ITERATIONS, dklen=64)
    coded = [base64.b64encode(part).decode() for part in (salt, digest)]
    return f"{name}:$7${ITERATIONS}${coded[0]}${coded[1]}\n"
