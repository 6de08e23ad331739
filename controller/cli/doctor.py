"""`longzhuo doctor`: what stands between this computer and the board, and what to do about it."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from controller.cli import doctor_udev
from controller.cli.board_link import measure
from controller.cli.board_place import Place, device_path, place_of, place_options
from controller.cli.board_plain import plain
from controller.cli.board_talk import conversation, explained
from controller.cli.board_text import wrapped
from controller.cli.doctor_camera import of_the_camera
from controller.cli.doctor_checks import Check, Meant, Met, Result, of_the_board, of_the_computer
from controller.cli.doctor_facts import Facts, Surroundings
from controller.cli.doctor_system import of_the_system
from firmware_bridge import BoardError
from firmware_bridge.port import parse_url
from firmware_bridge.port_address import SerialUsb, Tcp, UsbBulk, UsbId

MARKS: Final = {Result.OK: "✓", Result.WARNING: "!", Result.FAILED: "✗", Result.NOT_CHECKED: "–"}
WORDS: Final = {
    Result.OK: "好 ok",
    Result.WARNING: "注意 warning",
    Result.FAILED: "不行 failed",
    Result.NOT_CHECKED: "没查 not checked",
}


CONFIG_TAKEN: Final = (
    "Take the board from this table.toml, and look at its camera (with light and calibration), broker, "
    "certificates, journal, disk, PIN, file modes and clock, too."
)


@click.command(name="doctor")
@partial(place_options, config_help=CONFIG_TAKEN)
@click.option("--udev", "print_rule", is_flag=True, help="Print the udev rule for the board, and end.")
def command(*, as_json: bool, print_rule: bool, **where: Any) -> None:
    """体检 Say what stands between this computer and the board, and what to do.

    Only the port named by --port or --config is opened. Of all others nothing is looked at but their names
    and numbers: a device of a stranger is never asked what it is.
    """
    place = place_of(**where)
    around = Surroundings()
    meant, facts = looked(place, around)
    if print_rule:
        _print_rule(meant)
        return
    checks = of_the_computer(facts, meant)
    held = any(check.result is Result.FAILED for check in checks)
    met = None if place is None or held else asyncio.run(meet(place))
    checks += of_the_board(met, _why_not(place))
    checks += of_the_camera(where["config_path"])
    checks += of_the_system(where["config_path"])
    if as_json:
        click.echo(json.dumps(_json(checks, facts), ensure_ascii=False))
    else:
        click.echo("\n".join(shown(checks)))
    if any(check.result is Result.FAILED for check in checks):
        raise click.exceptions.Exit(1)


def _why_not(place: Place | None) -> str:
    if place is None:
        return "没有说明端口 no port named: --port PORT or --config table.toml"
    return "先解决上面的问题 first what failed above"


def looked(place: Place | None, around: Surroundings) -> tuple[Meant | None, Facts]:
    """Which port is meant and what the computer says, without opening anything. Raises ClickException."""
    if place is None:
        return None, around.look()
    try:
        address = parse_url(place.port)
    except BoardError as error:
        raise click.ClickException(str(error)) from error
    match address:
        case Tcp():
            return Meant(place.port, is_device=False), around.look()
        case UsbBulk(usb):
            return _bulk(place, usb, around), around.look()
    try:
        path = device_path(place, around.list_serial)
    except BoardError as error:
        return Meant(place.port, trouble=str(error)), around.look()
    facts = around.look(also=path)
    real = Path(path or "").resolve()
    port = next((port for port in facts.ports if Path(port.path).resolve() == real), None)
    return Meant(place.port, port=port), facts


def _bulk(place: Place, usb: UsbId, around: Surroundings) -> Meant:
    """A USB device, by the kernel's list; another backend's devices are in no list."""
    if place.usb_backend is not None:
        return Meant(place.port, is_usb_bulk=True, is_device=False, own_backend=True)
    found = around.usb_port(usb)
    trouble = "" if len(found) < 2 else f"{len(found)} 个一样的设备 devices of this kind: add /SERIAL"
    return Meant(place.port, is_usb_bulk=True, port=found[0] if len(found) == 1 else None, trouble=trouble)


async def meet(place: Place) -> Met:
    """Ask the board who it is and measure the link for two seconds."""
    try:
        async with conversation(place) as talk:
            why = talk.board.read_only
            read_only = "" if why is None else f"{why.zh}; {why}"
            try:
                quality = await measure(talk)
            except BoardError as error:
                return Met(talk.identity, None, tuple(talk.faults), explained(error), read_only)
            return Met(talk.identity, quality, tuple(talk.faults), "", read_only)
    except click.ClickException as error:
        return Met(trouble=error.format_message())


def _print_rule(meant: Meant | None) -> None:
    usb: list[UsbId] = []
    if meant is not None and meant.port is not None and meant.port.usb is not None:
        usb = [meant.port.usb]
    elif meant is not None:
        match parse_url(meant.address):
            case SerialUsb(wanted) | UsbBulk(wanted):
                usb = [wanted]
    if not usb:
        click.echo(
            "没有指明 USB 设备 no USB device was named: the rule knows only boards that call themselves "
            "longzhuo; add --port or --config",
            err=True,
        )
    click.echo(doctor_udev.rule(usb), nl=False)


# ---- printing ----------------------------------------------------------------------------------------------


def shown(checks: Sequence[Check]) -> list[str]:
    """Every check for people, and a line that counts them."""
    lines: list[str] = []
    for check in checks:
        lines += wrapped(f"{check.zh} {check.en}", first=f"{MARKS[check.result]} ", rest="  ")
        for detail in check.detail:
            lines += wrapped(detail, first="    ", rest="      ")
        for zh, en in check.todo:
            lines += [f"    → {zh}", *wrapped(en, first="      ", rest="        ")]
    counts = [(result, sum(check.result is result for check in checks)) for result in Result]
    return [*lines, "", " · ".join(f"{WORDS[result]} {count}" for result, count in counts if count)]


def _json(checks: Sequence[Check], facts: Facts) -> dict[str, Any]:
    listed = [
        {
            "id": check.id,
            "title": f"{check.zh} {check.en}",
            "result": check.result.value,
            "detail": list(check.detail),
            "todo": [{"zh": zh, "en": en} for zh, en in check.todo],
        }
        for check in checks
    ]
    failed = any(check.result is Result.FAILED for check in checks)
    return {"ok": not failed, "checks": listed, "ports": plain(facts.ports)}
