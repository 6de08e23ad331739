"""Where the board is, and whether this program may open it (shell)."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import click

from controller.config import ConfigError, load_config
from firmware_bridge import Board, BoardError
from firmware_bridge.identity import ListSerial, Turn, serial_devices, serial_path
from firmware_bridge.port import parse_url
from firmware_bridge.port_address import SerialPath, SerialUsb
from firmware_bridge.port_holder import PROC, Holder, holders

NO_PORT: Final = (
    "没有说明端口 which port? --port PORT (a path, serial://usb/VID:PID, socket://HOST:PORT, usb://VID:PID) "
    "or --config table.toml; `longzhuo doctor` lists what is there"
)


@dataclass(frozen=True, slots=True)
class Place:
    """The board's address and how to open it."""

    port: str
    baud: int = 115200
    uid: int | None = None
    usb_backend: str | None = None
    lost_after_s: float = 3.0

    def board(self, *, history: bool = False) -> Board:
        """The board there, not opened yet. Raises ClickException where the address is none."""
        try:
            return Board(
                self.port,
                baud=self.baud,
                uid=self.uid,
                usb_backend=self.usb_backend,
                lost_after_s=self.lost_after_s,
                history=history,
            )
        except BoardError as error:
            raise click.ClickException(str(error)) from error


CONFIG_TAKEN: Final = "Take port, baud, uid and USB backend from this table.toml."

OPTIONS: Final = (
    click.option("--port", metavar="PORT", help="The board's port (as in table.toml)."),
    click.option("--baud", type=click.IntRange(1200, 4_000_000), help="Bits per second, if not 115200."),
    click.option("--usb-backend", metavar="MODULE:FUNCTION", help="Another backend of pyusb than libusb."),
    click.option("--json", "as_json", is_flag=True, help="One JSON object."),
)


def place_options(function: Callable[..., Any], *, config_help: str = CONFIG_TAKEN) -> Callable[..., Any]:
    """Add the options that say where the board is, and --json; `config_help`: what --config is taken for."""
    config = click.option(
        "--config", "config_path", type=click.Path(path_type=Path, dir_okay=False), help=config_help
    )
    port, *others = OPTIONS
    for option in reversed((port, config, *others)):
        function = option(function)
    return function


def place_of(
    *, port: str | None, config_path: Path | None, baud: int | None, usb_backend: str | None
) -> Place | None:
    """Where the board is; options beat the configuration. None where nothing says it."""
    place = None if config_path is None else _configured(config_path)
    if port is not None:
        place = Place(port) if place is None else replace(place, port=port)
    if place is None:
        return None
    place = place if baud is None else replace(place, baud=baud)
    return place if usb_backend is None else replace(place, usb_backend=usb_backend)


def _configured(path: Path) -> Place:
    try:
        section = load_config(path).board
    except ConfigError as error:
        raise click.ClickException(str(error)) from error
    return Place(section.port, section.baud, section.uid, section.usb_backend, section.lost_after_s)


def device_path(place: Place, list_serial: ListSerial = serial_devices) -> str | None:
    """The path of the serial port that is meant; None where it is none. Raises BoardError."""
    match parse_url(place.port):
        case SerialPath(path):
            return path
        case SerialUsb(usb):
            return serial_path(usb, list_serial(), Turn(decides=place.uid is not None))
    return None


def program_of(holder: Holder) -> str:
    """What a process is, for people: its name, and which command of ours where it is one."""
    try:
        words = (PROC / str(holder.pid) / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        words = []
    ours = [at for at, word in enumerate(words) if Path(word).name == "longzhuo" or word == "controller"]
    command = words[ours[0] + 1] if ours and len(words) > ours[0] + 1 else ""
    name = f"longzhuo {command}".rstrip() if ours else holder.name
    return f"{name}, pid {holder.pid}"


def check_free(place: Place) -> None:
    """Refuse where another program holds the port, or it can't be opened: one line, at once."""
    try:
        path = device_path(place)
    except BoardError as error:
        raise click.ClickException(str(error)) from error
    if path is None:
        return
    if not Path(path).exists():
        raise click.ClickException(
            f"{path}: 没有这个端口 there is no such port; `longzhuo doctor` lists the ports"
        )
    if not os.access(path, os.R_OK | os.W_OK):
        raise click.ClickException(
            f"{path}: 没有权限 no permission to open this port; `longzhuo doctor` says what to do"
        )
    _refuse_held(path)


def check_not_held(place: Place) -> None:
    """Refuse where another program has claimed the serial port for itself: one line, at once.

    A port that is not there, or whose device nobody can tell yet, may still come: it is no reason to refuse.
    """
    try:
        path = device_path(place)
    except BoardError:
        return
    if path is not None:
        _refuse_held(path)


def _refuse_held(path: str) -> None:
    others = [one for one in holders(path) if one.locks and one.pid != os.getpid()]
    if others:
        raise click.ClickException(
            f"{path}: 端口被占用 held by {program_of(others[0])}; stop it first, a port serves one program"
        )
