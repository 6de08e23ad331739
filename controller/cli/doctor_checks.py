"""What the facts mean: one check each, with what to do about it. Pure."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from controller.cli import doctor_udev
from controller.cli.board_link import Quality, summary
from controller.cli.doctor_facts import Facts, PortFacts
from firmware_bridge.faults import words
from firmware_bridge.messages import PROTOCOL, Booted, Fault
from firmware_bridge.states import Severity

Step = tuple[str, str]
"""What to do, in Chinese, and in English or as a command."""

SLOW_MS: Final = 50.0
BAD_PER_MILLE: Final = 10.0
"""Beyond these a link is worth a warning."""


BY_ID: Final = (
    "用 by-id 的名字，不要用 ttyUSB 号",
    "name the port by by-id or serial://usb/VID:PID, not by ttyUSB number",
)


class Result(Enum):
    """How a check ended."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. ``detail``: what was found, line by line; ``todo``: what to do about it."""

    id: str
    zh: str
    en: str
    result: Result
    detail: tuple[str, ...] = ()
    todo: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Met:
    """What the board said. ``trouble``: why it said nothing, or can only be read."""

    identity: Booted | None = None
    quality: Quality | None = None
    faults: tuple[Fault, ...] = ()
    trouble: str = ""
    read_only: str = ""


@dataclass(frozen=True, slots=True)
class Meant:
    """Which port is meant. ``port``: what is known of its device, None where it is none (TCP) or absent."""

    address: str
    is_usb_bulk: bool = False
    is_device: bool = True
    port: PortFacts | None = None
    trouble: str = ""
    own_backend: bool = field(default=False)


def of_the_computer(facts: Facts, meant: Meant | None) -> list[Check]:
    """Ports, permission, who holds the port, the rule, libusb: everything before the board."""
    return [
        ports(facts),
        *(
            []
            if meant is None or not meant.is_device
            else [the_port(meant), permission(facts, meant), holder(meant)]
        ),
        intruders(facts),
        udev_rule(facts, meant),
        libusb(facts, meant),
    ]


def ports(facts: Facts) -> Check:
    """What serial ports there are."""
    lines: list[str] = []
    for port in facts.ports:
        usb = "" if port.usb is None else f"  {port.usb.vid:04x}:{port.usb.pid:04x}"
        serial = f"  序列号 serial {port.usb.serial}" if port.usb is not None and port.usb.serial else ""
        about = f"  {port.words}" if port.words not in ("", "n/a") else ""
        lines.append(f"{port.path}{usb}{serial}{about}")
        lines += [f"  {name}" for name in port.names]
    found = Result.OK if facts.ports else Result.WARNING
    todo: tuple[Step, ...] = ()
    if not facts.ports:
        todo = (("插上数据线；换个口，换根线", "plug the data cable in; try another socket, another cable"),)
    return Check("ports", "串口", f"serial ports: {len(facts.ports)}", found, tuple(lines), todo)


def the_port(meant: Meant) -> Check:
    """Whether the port that is meant is there."""
    if meant.port is not None and meant.port.exists:
        return Check("port", "端口", f"port {meant.address}", Result.OK, (_device(meant.port),))
    return Check(
        "port",
        "端口",
        f"port {meant.address}",
        Result.FAILED,
        (meant.trouble or "没有这个端口 there is no such port",),
        (
            ("看数据线两头、看机器有没有电", "check the cable at both ends, and that the table has power"),
            *(() if meant.is_usb_bulk else (BY_ID,)),
        ),
    )


def _device(port: PortFacts) -> str:
    return f"{port.path}  {port.group} {port.mode:03o}" if port.group else port.path


def permission(facts: Facts, meant: Meant) -> Check:
    """Whether this user may open the port."""
    port = meant.port
    if port is None or not port.exists:
        return Check("permission", "权限", "permission", Result.NOT_CHECKED)
    if port.may_open:
        return Check("permission", "权限", f"{facts.user} may open it", Result.OK)
    group = port.group if port.group not in ("", "root") else "dialout"
    return Check(
        "permission",
        "权限",
        f"{facts.user} may not open it",
        Result.FAILED,
        (_device(port),),
        (
            (f"加入 {group} 组，再重新登录", f"sudo usermod -aG {group} {facts.user}   (then log in again)"),
            ("或者装 udev 规则", "or install the udev rule, see below"),
        ),
    )


def holder(meant: Meant) -> Check:
    """Whether another program has the port."""
    port = meant.port
    if port is None or not port.exists:
        return Check("holder", "占用", "held by", Result.NOT_CHECKED)
    if not port.holders:
        return Check("holder", "占用", "no other program holds it", Result.OK)
    who = "; ".join(port.holders)
    todo: tuple[Step, ...] = (
        ("先停掉那个程序；一个端口只能一个程序用", "stop that program first; a port serves one"),
    )
    for name in port.holders:
        todo += _AGAINST.get(name.split(",")[0], ())
    bad = port.locked or any(name.split(",")[0] in _AGAINST for name in port.holders)
    return Check("holder", "占用", f"held by {who}", Result.FAILED if bad else Result.WARNING, (), todo)


_AGAINST: Final[dict[str, tuple[Step, ...]]] = {
    "ModemManager": (
        (
            "它把串口当调制解调器试探：装 udev 规则",
            "it probes serial ports for modems: install the udev rule",
        ),
        ("或者停掉它", "or: sudo systemctl disable --now ModemManager"),
    ),
    "brltty": (
        (
            "它把 CH340 当盲文显示器抢走：装 udev 规则",
            "it takes CH340 adapters for braille displays: install the rule",
        ),
        (
            "这台电脑不用盲文显示器就卸掉它",
            "where nobody needs a braille display: sudo apt-get remove brltty",
        ),
    ),
}


def intruders(facts: Facts) -> Check:
    """Whether programs run that take serial ports uninvited."""
    if not facts.intruders:
        return Check("intruders", "抢口程序", "neither ModemManager nor brltty runs", Result.OK)
    en = f"running: {'; '.join(facts.intruders)}"
    if facts.rule is not None:
        return Check("intruders", "抢口程序", f"{en} (the rule keeps them off)", Result.OK)
    todo = tuple(step for name in facts.intruders for step in _AGAINST[name.split(",")[0]])
    return Check("intruders", "抢口程序", en, Result.WARNING, (), todo)


def udev_rule(facts: Facts, meant: Meant | None) -> Check:
    """Whether the rule is installed, is ours of today, and names the device."""
    if not facts.has_udev:
        return Check("udev", "udev 规则", "udev rule: this system has no udev", Result.NOT_CHECKED)
    usb = None if meant is None or meant.port is None else meant.port.usb
    if meant is not None and usb is None and (meant.port is not None or not meant.is_device):
        en = "udev rule: this port is no USB device, it needs none"
        return Check("udev", "udev 规则", en, Result.NOT_CHECKED)
    to_install = f"longzhuo doctor --udev{'' if meant is None else f' --port {meant.address}'}"
    install: tuple[Step, ...] = (
        ("装上规则", f"{to_install} | sudo tee /etc/udev/rules.d/{doctor_udev.NAME}"),
        ("让它生效", "sudo udevadm control --reload && sudo udevadm trigger"),
    )
    if facts.rule is None:
        return Check("udev", "udev 规则", "udev rule: not installed", Result.WARNING, (), install)
    path, text = facts.rule
    if doctor_udev.edition(text) != doctor_udev.edition(doctor_udev.rule(())):
        return Check(
            "udev", "udev 规则", f"udev rule: another edition in {path}", Result.WARNING, (), install
        )
    if usb is not None and not doctor_udev.names(text, usb) and not meant_by_name(meant):
        en = f"udev rule: {path} does not name {usb.vid:04x}:{usb.pid:04x}"
        return Check("udev", "udev 规则", en, Result.WARNING, (), install)
    return Check("udev", "udev 规则", f"udev rule: {path}", Result.OK)


def meant_by_name(meant: Meant | None) -> bool:
    """Whether the board calls itself longzhuo, which the rule knows."""
    return meant is not None and meant.port is not None and meant.port.words.startswith("longzhuo")


def libusb(facts: Facts, meant: Meant | None) -> Check:
    """Whether boards with bulk endpoints can be used."""
    if facts.libusb:
        return Check("libusb", "libusb", "libusb 1.0 is there", Result.OK)
    needed = meant is not None and meant.is_usb_bulk and not meant.own_backend
    return Check(
        "libusb",
        "libusb",
        "libusb 1.0 is missing" + ("" if needed else " (only boards behind usb:// need it)"),
        Result.FAILED if needed else Result.NOT_CHECKED,
        (),
        (("安装 libusb", "sudo apt-get install libusb-1.0-0"),) if needed else (),
    )


# ---- the board ---------------------------------------------------------------------------------------------

NAMES: Final = (
    ("board", "控制板", "board"),
    ("protocol", "协议", "protocol"),
    ("link", "通信质量", "link quality"),
    ("faults", "故障", "faults"),
)


def of_the_board(met: Met | None, why_not: str) -> list[Check]:
    """What the board itself says; ``why_not``: why it was not asked."""
    if met is None or met.identity is None:
        checks = [Check(id_, zh, en, Result.NOT_CHECKED) for id_, zh, en in NAMES]
        first = Result.NOT_CHECKED if met is None else Result.FAILED
        why = why_not if met is None else met.trouble
        return [Check("board", "控制板", "board", first, (why,) if why else (), _silent(met)), *checks[1:]]
    return [identity(met.identity), protocol(met, met.identity), link(met), faults(met)]


def _silent(met: Met | None) -> tuple[Step, ...]:
    if met is None:
        return ()
    return (
        (
            "看机器有没有电，线有没有插紧，波特率对不对",
            "has the table power? is the cable in? is the baud rate right?",
        ),
        ("只有会这个协议的控制板才会答", "only a board that speaks firmware_bridge/PROTOCOL.md answers"),
    )


def identity(board: Booted) -> Check:
    """Who the board is."""
    en = f"board {board.firmware or '(no version)'}, uid 0x{board.uid:08x}, {board.profile.name}"
    if board.uid:
        return Check("board", "控制板", en, Result.OK)
    return Check(
        "board", "控制板", en, Result.WARNING, ("uid 0: 分不清两张桌子 two tables can't be told apart by it",)
    )


def protocol(met: Met, board: Booted) -> Check:
    """Whether board and program can work together."""
    own = ".".join(map(str, PROTOCOL))
    en = f"protocol {'.'.join(map(str, board.protocol))}, this program {own}"
    if met.read_only:
        return Check("protocol", "协议", en, Result.FAILED, (met.read_only,))
    if board.protocol < PROTOCOL:
        todo = (("可以用；升级固件后功能更全", "works; newer firmware can do more"),)
        return Check("protocol", "协议", en, Result.WARNING, (), todo)
    return Check("protocol", "协议", en, Result.OK)


def link(met: Met) -> Check:
    """How good the link is."""
    found = met.quality
    if found is None:
        return Check("link", "通信质量", "link quality", Result.FAILED, (met.trouble,))
    bad = found.bad_per_mille > BAD_PER_MILLE
    slow = found.median_ms > SLOW_MS
    todo: tuple[Step, ...] = ()
    if bad:
        todo += (
            (
                "插紧或换一根数据线，离充电器、对讲机远一点",
                "push in or change the cable; keep chargers and radios away",
            ),
        )
    if slow:
        todo += (("电脑太忙，或转换器有延时", "the computer is busy, or the adapter waits (latency timer)"),)
    result = Result.WARNING if bad or slow else Result.OK
    return Check("link", "通信质量", "link quality", result, (summary(found),), todo)


def faults(met: Met) -> Check:
    """Whether faults stand."""
    if not met.faults:
        return Check("faults", "故障", "no fault stands", Result.OK)
    texts = [(fault, words(fault.code, fault.severity)) for fault in met.faults]
    worst = max(fault.severity for fault in met.faults)
    return Check(
        "faults",
        "故障",
        f"faults: {len(met.faults)}",
        Result.FAILED if worst is Severity.PROTECTIVE_STOP else Result.WARNING,
        tuple(f"{fault.code.label} {text.zh} {text.en}" for fault, text in texts),
        (("看怎么办", "longzhuo board faults"),),
    )
