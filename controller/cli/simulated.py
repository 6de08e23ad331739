"""A simulated table seen from outside: its command line, the addresses it announces, a table.toml for it.

The simulator is another program behind a serial port and a camera; it is started, never imported.
"""

import asyncio
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn, TypeAlias

import click
import msgspec

from controller.config import CameraSection, PatienceSection
from rules import sets

Options: TypeAlias = dict[str, bool | int | str]

USB_VARIABLE = "LONGZHUO_SIM_USB"
"""Environment of a controller whose board hangs on a simulated USB bus: where that bus is."""


class Addresses(msgspec.Struct, frozen=True):
    """What the simulator writes into `sim.json` when it is ready.

    `camera` is the address of the picture stream, `readings` of ready-made readings; one of them may be null.
    `usb_backend` and `usb`: how to reach the board where it is a USB device. `ponds`: as in table.toml.
    """

    board: str
    pid: int
    camera: str | None = None
    readings: str | None = None
    usb_backend: str | None = None
    usb: str | None = None
    ponds: str = "own"

    @property
    def shares_pond(self) -> bool:
        """Whether the people throw all discards into one pond."""
        return self.ponds == "common"

    @property
    def source(self) -> str:
        """What `camera.source` has to say to watch this table."""
        if self.camera:
            return self.camera
        readings = self.readings or ""
        return readings if readings.startswith("readings:") else f"readings:{readings}"


def count_deals(truth: Path) -> int:
    """Give the number of deals that are over at the simulated table, by what it writes down as the truth."""
    try:
        return sum(line.startswith(b'{"kind":"deal"') for line in truth.read_bytes().splitlines())
    except FileNotFoundError:
        return 0


def rule_options(rules: str, texts: Iterable[str]) -> Options:
    """The options of a game written as NAME=VALUE, for a table.toml.

    A rule set that does not exist is left to the program that plays it.

    Raises:
        click.ClickException: an unknown option, an impossible value, or options that contradict each other.
    """
    try:
        options = sets.options_from(texts)
        if rules in sets.available():
            sets.load(rules, options)
    except ValueError as error:
        raise click.ClickException(f"--option: {error}") from None
    return {name: value for name, value in options.items() if isinstance(value, bool | int | str)}


def option_flags(texts: Iterable[str]) -> list[str]:
    """The same for the simulator's command line."""
    return [word for text in texts for word in ("--option", text)]


def simulator(*arguments: str) -> list[str]:
    """Give the command that runs the simulator."""
    return [sys.executable, "-m", "hardware_sim", *arguments]


def become_simulator(*arguments: str) -> NoReturn:
    """Let the simulator's program take this process over: it answers and ends."""
    sys.stdout.flush()
    os.execv(sys.executable, simulator(*arguments))  # noqa: S606


async def wait_for_addresses(folder: Path) -> Addresses:
    """Wait until the simulator in `folder` is ready; give its addresses."""
    addresses = None
    while addresses is None:
        await asyncio.sleep(0.05)
        addresses = read_addresses(folder)
    return addresses


def read_addresses(folder: Path) -> Addresses | None:
    """Give the addresses the simulator in `folder` has announced; None until it is ready."""
    try:
        return msgspec.json.decode((folder / "sim.json").read_bytes(), type=Addresses)
    except (FileNotFoundError, msgspec.DecodeError):
        return None


@dataclass(frozen=True, slots=True)
class Timings:
    """The timings of a table.toml, in seconds of the wall clock."""

    settle_s: float
    spacing_s: float
    patience_s: float
    claim_s: float
    set_s: float
    win_s: float
    reread_s: float
    known_s: float
    past_s: float
    unseen_s: float
    look_s: float
    order_s: float


def timings_for(speed: float, *, pictures: bool) -> Timings:
    """Give the timings for people who move `speed` times as fast as people do; the defaults are for 1.

    Pictures come and are read no faster for faster people, so there the waits have a longer least.
    """
    return Timings(
        settle_s=_scaled(0.25, speed, least=0.1 if pictures else 0.02),
        spacing_s=_scaled(0.15, speed, least=0.08 if pictures else 0.02),
        patience_s=_scaled(2.0, speed, least=1.2 if pictures else 0.5),
        claim_s=_scaled(4.0, speed, least=2.5 if pictures else 0.5),
        set_s=_scaled(0.8, speed, least=0.8),
        win_s=_scaled(1.5, speed, least=1.5 if pictures else 0.3),
        reread_s=_scaled(1.0, speed, least=1.0 if pictures else 0.2),
        known_s=_scaled(10.0, speed, least=5.0 if pictures else 1.0),
        past_s=_scaled(2.5, speed, least=2.0 if pictures else 0.5),
        unseen_s=_scaled(25.0, speed, least=8.0 if pictures else 2.0),
        look_s=_scaled(0.3, speed, least=0.1 if pictures else 0.02),
        order_s=_scaled(1.2, speed, least=0.8 if pictures else 0.2),
    )


def exact_timings_for(speed: float) -> Timings:
    """Give the defaults divided by `speed`, for readings of a table where everything is so much faster."""
    camera = CameraSection(source="")
    waits = {name: getattr(camera, name) for name in ("settle_s", "spacing_s", "patience_s")}
    waits |= msgspec.structs.asdict(PatienceSection())
    return Timings(**{name: round(seconds / speed, 5) for name, seconds in waits.items()})


def _scaled(seconds: float, speed: float, *, least: float) -> float:
    return round(max(seconds / max(speed, 1.0), least), 3)


def table_toml(  # noqa: PLR0913 - one argument per line of the file
    addresses: Addresses,
    *,
    rules: str,
    timings: Timings,
    http_port: int,
    journal: Path,
    options: Options | None = None,
    mqtt_url: str | None = None,
    websocket: str | None = None,
    table: str | None = None,
) -> str:
    """Write the configuration a person would write for this table; `table` is its id, if it has one."""
    lines = [
        f"rules = {_quoted(rules)}",
        "",
        *(["[table]"] if table or addresses.shares_pond else []),
        *([f"id = {_quoted(table)}"] if table else []),
        *(['ponds = "common"'] if addresses.shares_pond else []),
        *([""] if table or addresses.shares_pond else []),
        "[board]",
        f"port = {_quoted(addresses.board)}",
        *([f"usb_backend = {_quoted(addresses.usb_backend)}"] if addresses.usb_backend else []),
        "",
        "[camera]",
        f"source = {_quoted(addresses.source)}",
        f"settle_s = {timings.settle_s}",
        f"spacing_s = {timings.spacing_s}",
        f"patience_s = {timings.patience_s}",
        "",
        "[patience]",
        *(f"{name} = {getattr(timings, name)}" for name in PatienceSection.__struct_fields__),
        "",
        "[http]",
        f"port = {http_port}",
        "",
        "[journal]",
        f"path = {_quoted(str(journal))}",
    ]
    if options:
        lines += ["", "[options]", *(f"{name} = {_value(value)}" for name, value in options.items())]
    if mqtt_url and websocket:
        lines += ["", "[mqtt]", f"url = {_quoted(mqtt_url)}", f"websocket = {_quoted(websocket)}"]
    return "\n".join(lines) + "\n"


def _value(value: bool | int | str) -> str:  # noqa: FBT001 - any value of an option
    """Give a TOML value; truth values and whole numbers are written as in JSON."""
    return msgspec.json.encode(value).decode()


def _quoted(text: str) -> str:
    """Give a TOML string; its escapes are those of JSON."""
    return msgspec.json.encode(text).decode()
