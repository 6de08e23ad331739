"""`longzhuo doctor` names what stands in the way, and opens no port but the one that is named."""

import fcntl
import json
import os
import re
import select
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from at_a_table import Table, call
from hypothesis import given
from hypothesis import strategies as st

from controller.cli import doctor_checks, doctor_udev
from controller.cli.board_link import Quality
from controller.cli.board_place import Place
from controller.cli.demo_show import width
from controller.cli.doctor import looked, shown
from controller.cli.doctor_checks import Check, Meant, Met, Result, of_the_board, of_the_computer
from controller.cli.doctor_facts import Facts, PortFacts, Surroundings
from firmware_bridge import Board
from firmware_bridge.faults import FaultCode
from firmware_bridge.identity import SerialDevice
from firmware_bridge.messages import Booted, Fault
from firmware_bridge.port_address import UsbId
from firmware_bridge.states import Capability, Profile, ResetCause, Severity

TIOCSPTLCK, TIOCGPTN = 0x40045431, 0x80045430
"""Unlock a pseudo-terminal's far end, and its number (Linux)."""

CH340 = UsbId(0x1A86, 0x7523)
PORT = PortFacts(
    "/dev/ttyUSB0", CH340, "USB Serial", ("/dev/serial/by-id/usb-1a86-if00",), group="dialout", mode=0o660
)
MEANT = Meant("serial://usb/1a86:7523", port=PORT)
BOARD = Booted(1, ResetCause.POWER_ON, (1, 1), Profile.FOUR_PORT, Capability.DICE, 7, "maker 1")
GOOD = Quality(2.0, 40, 1.5, 9.0, 200, 0, 0)


def result(checks: list[Check], name: str) -> Check:
    return next(check for check in checks if check.id == name)


def computer(facts: Facts, meant: Meant | None = MEANT) -> dict[str, Result]:
    return {check.id: check.result for check in of_the_computer(facts, meant)}


def todo(check: Check) -> str:
    return " ".join(word for step in check.todo for word in step)


# ---- what is found on the computer -------------------------------------------------------------------------


def test_a_computer_in_order() -> None:
    rule = ("/etc/udev/rules.d/99-longzhuo.rules", doctor_udev.rule([CH340]))
    assert set(computer(Facts("ming", (PORT,), rule=rule)).values()) == {Result.OK}


def test_without_permission_the_command_to_run_is_named() -> None:
    meant = replace(MEANT, port=replace(PORT, may_open=False))
    check = doctor_checks.permission(Facts("ming", (PORT,)), meant)
    assert check.result is Result.FAILED
    assert "sudo usermod -aG dialout ming" in todo(check)


@pytest.mark.parametrize("culprit", ["ModemManager", "brltty"])
def test_the_program_that_took_the_port_is_named(culprit: str) -> None:
    check = doctor_checks.holder(replace(MEANT, port=replace(PORT, holders=(f"{culprit}, pid 812",))))
    assert check.result is Result.FAILED
    assert f"{culprit}, pid 812" in check.en
    assert "udev" in todo(check) or "rule" in todo(check)


def test_programs_that_take_ports_are_a_warning_until_the_rule_keeps_them_off() -> None:
    facts = Facts("ming", (PORT,), intruders=("ModemManager, pid 812",))
    assert doctor_checks.intruders(facts).result is Result.WARNING
    kept_off = replace(facts, rule=("/etc/udev/rules.d/99-longzhuo.rules", doctor_udev.rule([])))
    assert doctor_checks.intruders(kept_off).result is Result.OK


def test_a_rule_that_is_old_or_names_another_device_is_a_warning() -> None:
    for text in ("# longzhuo rules 0: old\n", doctor_udev.rule([UsbId(0x0403, 0x6001)])):
        check = doctor_checks.udev_rule(Facts("ming", (PORT,), rule=("x", text)), MEANT)
        assert check.result is Result.WARNING
        assert "--udev --port serial://usb/1a86:7523 | sudo tee" in todo(check)


def test_libusb_fails_only_where_it_is_needed() -> None:
    facts = Facts("ming", (PORT,), libusb=False)
    assert computer(facts)["libusb"] is Result.NOT_CHECKED
    assert computer(facts, Meant("usb://1209:0001", is_usb_bulk=True))["libusb"] is Result.FAILED
    own = Meant("usb://1209:0001", is_usb_bulk=True, is_device=False, own_backend=True)
    assert computer(facts, own)["libusb"] is Result.NOT_CHECKED


def test_a_port_that_is_not_there_leaves_the_rest_unchecked() -> None:
    results = computer(Facts("ming"), Meant("/dev/ttyUSB7"))
    assert results["port"] is Result.FAILED
    assert results["permission"] is results["holder"] is Result.NOT_CHECKED
    assert results["ports"] is Result.WARNING


# ---- what the board says -----------------------------------------------------------------------------------


def test_a_board_in_order() -> None:
    checks = of_the_board(Met(BOARD, GOOD), "")
    assert [(check.id, check.result) for check in checks] == [
        (name, Result.OK) for name in ("board", "protocol", "link", "faults")
    ]


@pytest.mark.parametrize(
    ("met", "name", "expected"),
    [
        (Met(replace(BOARD, uid=0), GOOD), "board", Result.WARNING),
        (Met(replace(BOARD, protocol=(1, 0)), GOOD), "protocol", Result.WARNING),
        (Met(replace(BOARD, protocol=(2, 0)), GOOD, read_only="x"), "protocol", Result.FAILED),
        (Met(BOARD, replace(GOOD, damaged=3)), "link", Result.WARNING),
        (Met(BOARD, replace(GOOD, median_ms=80.0)), "link", Result.WARNING),
        (Met(BOARD, None, trouble="gone"), "link", Result.FAILED),
        (Met(BOARD, GOOD, (Fault(FaultCode.CNT_01, Severity.STOP_CYCLE),)), "faults", Result.WARNING),
        (Met(BOARD, GOOD, (Fault(FaultCode.EST_01, Severity.PROTECTIVE_STOP),)), "faults", Result.FAILED),
        (Met(trouble="no valid frame, 800 bytes"), "board", Result.FAILED),
        (None, "board", Result.NOT_CHECKED),
    ],
)
def test_each_trouble_of_a_board_shows_in_its_check(met: Met | None, name: str, expected: Result) -> None:
    assert result(of_the_board(met, ""), name).result is expected


@given(st.lists(st.sampled_from(["OK", "x" * 90, "中心" * 50]), max_size=3))
def test_what_is_printed_fits_a_terminal(details: list[str]) -> None:
    check = Check(
        "a", "甲", "b", Result.FAILED, tuple(f"{one} {one}"[:78] for one in details), (("甲", "do " * 40),)
    )
    assert all(width(line) <= 160 for line in shown([check]))
    assert all(width(line) <= 80 for line in shown([replace(check, detail=())]))


# ---- looking without touching ------------------------------------------------------------------------------


def surroundings(
    folder: Path, devices: list[SerialDevice], comms: dict[int, str] | None = None
) -> Surroundings:
    for pid, name in (comms or {}).items():
        (folder / "proc" / str(pid)).mkdir(parents=True)
        (folder / "proc" / str(pid) / "comm").write_text(f"{name}\n")
    (folder / "rules").mkdir()
    return Surroundings(
        list_serial=lambda: devices,
        serial_names=folder / "serial",
        rules=(folder / "rules",),
        usb_devices=folder / "usb",
        usb_nodes=folder / "nodes",
        proc=folder / "proc",
        libusb=lambda: True,
    )


@pytest.fixture
def stranger() -> Iterator[Callable[[], tuple[str, bool]]]:
    """A serial device whose far end sees whether anybody has ever opened it."""
    end = os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY)
    fcntl.ioctl(end, TIOCSPTLCK, struct.pack("i", 0))
    (number,) = struct.unpack("i", fcntl.ioctl(end, TIOCGPTN, struct.pack("i", 0)))
    path = f"/dev/pts/{number}"

    def state() -> tuple[str, bool]:
        poll = select.poll()
        poll.register(end, select.POLLIN | select.POLLHUP)
        return path, bool(poll.poll(0))

    yield state
    os.close(end)


def test_a_device_of_a_stranger_is_listed_and_never_opened(
    tmp_path: Path, stranger: Callable[[], tuple[str, bool]]
) -> None:
    path, _ = stranger()
    link = tmp_path / "serial" / "by-id" / "usb-somebody"
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    devices = [SerialDevice(path, UsbId(0x0403, 0x6001, "GPS"), "a receiver")]
    meant, facts = looked(Place("serial://usb/1a86:7523"), surroundings(tmp_path, devices))
    assert meant is not None
    assert "there is no USB serial port 1a86:7523" in meant.trouble
    check = doctor_checks.ports(facts)
    assert check.detail == (f"{path}  0403:6001  序列号 serial GPS  a receiver", f"  {link}")
    assert not stranger()[1]
    os.close(os.open(path, os.O_RDWR | os.O_NOCTTY))
    assert stranger()[1], "the far end would have seen it"


def test_programs_are_found_by_their_names(tmp_path: Path) -> None:
    around = surroundings(tmp_path, [], {812: "ModemManager", 90: "bash", 13: "brltty"})
    assert looked(None, around)[1].intruders == ("brltty, pid 13", "ModemManager, pid 812")


def test_a_usb_device_is_found_by_what_the_kernel_lists(tmp_path: Path) -> None:
    around = surroundings(tmp_path, [])
    for name, serial in (("1-1", "A"), ("1-2", "B")):
        folder = tmp_path / "usb" / name
        folder.mkdir(parents=True)
        facts = {"idVendor": "1209", "idProduct": "0001", "serial": serial, "busnum": "1", "devnum": name[-1]}
        for key, value in facts.items():
            (folder / key).write_text(f"{value}\n")
    (tmp_path / "nodes" / "001").mkdir(parents=True)
    (tmp_path / "nodes" / "001" / "002").touch(mode=0o600)
    meant, _ = looked(Place("usb://1209:0001/B"), around)
    assert meant is not None
    assert meant.port is not None
    assert meant.port.path == str(tmp_path / "nodes" / "001" / "002")
    both, _ = looked(Place("usb://1209:0001"), around)
    assert both is not None
    assert "add /SERIAL" in both.trouble


# ---- the rule ----------------------------------------------------------------------------------------------


def test_the_rule_names_the_device_and_nothing_else() -> None:
    text = doctor_udev.rule([UsbId(0x1A86, 0x7523, 'A"1*')])
    assert (
        'ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523", ATTRS{serial}=="A?1?", ENV{.LONGZHUO}="1"' in text
    )
    assert doctor_udev.names(text, CH340)
    assert not doctor_udev.names(text, UsbId(0x0403, 0x6001))
    assert not doctor_udev.names(doctor_udev.rule([]), CH340)
    for word in ("ID_MM_DEVICE_IGNORE", "BRLTTY_BRAILLE_DRIVER", 'GROUP="dialout"', "uaccess", "SYMLINK"):
        assert word in text
    assert "@" not in text.replace("@ ", "")


def test_every_line_of_the_rule_is_one_that_udev_reads() -> None:
    key = r'[A-Z]+(?:\{[^}]+\})?(?:==|!=|=|\+=|-=|:=)"[^"]*"'
    for line in doctor_udev.rule([CH340]).splitlines():
        if line and not line.startswith("#"):
            assert re.fullmatch(rf"{key}(?:, {key})*", line), line


async def test_the_rule_is_printed_for_a_device() -> None:
    printed = await call("doctor", "--udev", "--port", "serial://usb/1a86:7523/T7")
    assert printed.status == 0
    assert printed.out == doctor_udev.rule([UsbId(0x1A86, 0x7523, "T7")])
    unnamed = await call("doctor", "--udev")
    assert unnamed.out == doctor_udev.rule([])
    assert "no USB device was named" in unnamed.err


# ---- the command -------------------------------------------------------------------------------------------


async def test_a_board_in_order_is_told_so(table: Table) -> None:
    ended = await call("doctor", "--port", table.port, "--json")
    assert ended.status == 0, ended.out
    told = json.loads(ended.out)
    results = {check["id"]: check["result"] for check in told["checks"]}
    assert told["ok"] is True
    assert {
        name: results[name] for name in ("port", "permission", "holder", "board", "protocol", "link")
    } == dict.fromkeys(("port", "permission", "holder", "board", "protocol", "link"), "ok")


async def test_a_board_that_another_controller_holds_fails_with_its_pid(table: Table) -> None:
    async with Board(str(table.port)) as other:
        await other.connected()
        ended = await call("doctor", "--port", table.port)
    assert ended.status == 1
    assert f"pid {os.getpid()}" in ended.out
    assert "✗ 占用" in ended.out
    assert "– 控制板" in ended.out


async def test_a_port_with_no_board_behind_it_fails(stranger: Callable[[], tuple[str, bool]]) -> None:
    ended = await call("doctor", "--port", stranger()[0])
    assert ended.status == 1
    assert "✗ 控制板 board" in ended.out
    assert all(width(line) <= 80 for line in ended.out.splitlines())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--port", "usb://"), "board address 'usb://': expected"),
        (("--config", "absent.toml"), "absent.toml: No such file or directory"),
        (("--baud", "1"), "Invalid value for '--baud': 1"),
    ],
)
async def test_what_is_wrong_is_said_in_one_line(words: tuple[str, ...], complaint: str) -> None:
    ended = await call("doctor", *words)
    assert ended.status in {1, 2}
    assert len(ended.err.splitlines()) == 1, ended.err
    assert complaint in ended.err
