"""The board's state, counters and link as tables. Pure."""

from controller.cli.board_text import rows, wrapped
from controller.cli.board_words import (
    CAPABILITIES,
    CAUSES,
    FLAGS,
    PROFILES,
    REGIONS,
    STATES,
    Pair,
    both,
)
from controller.cli.demo_show import right
from firmware_bridge.link import LinkStats
from firmware_bridge.messages import Booted, Config, Counters, LinkCounts, Status
from firmware_bridge.states import Capability, StatusFlag


def identity(board: Booted) -> list[str]:
    """Who the board is, in a few lines."""
    cells = [
        ("控制板 board", f"{board.firmware or '–'}  uid 0x{board.uid:08x}"),
        ("机型 machine", both(PROFILES[board.profile])),
        ("协议 protocol", ".".join(map(str, board.protocol))),
        ("启动 started", f"{both(CAUSES[board.cause])}  boot 0x{board.boot_id:08x}"),
        ("功能 can do", _capabilities(board.capabilities)),
    ]
    return rows(cells)


def _capabilities(capabilities: Capability) -> str:
    known = [both(CAPABILITIES[bit]) for bit in CAPABILITIES if bit in capabilities]
    return " · ".join(known) or "–"


def status(now: Status) -> list[str]:
    """The state of every region."""
    regions = (now.safety, now.hatch, now.walls, now.lower, now.dice)
    cells = [(both(REGIONS[state.region]), STATES[state][0], STATES[state][1]) for state in regions]
    flags = [both(FLAGS[flag]) for flag in StatusFlag if flag and flag in now.flags]
    lines = rows(cells)
    lines.append(f"已码 staged     {'  '.join(f'{side}: {n}' for side, n in enumerate(now.staged))}")
    lines.append(f"累计 cycles     {now.cycles}")
    return [*lines, *wrapped(" · ".join(flags), first="另外 flags      ")] if flags else lines


def configuration(configs: list[Config]) -> list[str]:
    """What the machine builds, now and from the next sorting on."""
    lines = []
    for config in configs:
        when = "下一轮 next" if config.pending else "档位 set to"
        stacks = " ".join(map(str, config.stacks))
        dealt = f", {config.dealt} dealt" if config.dealt else ""
        lines.append(f"{when}     {config.tiles} 张 tiles: {stacks} 墩 stacks{dealt}")
    return lines


def counters(told: Counters, *, newer: bool) -> list[str]:
    """Counts since the board was made; ``newer``: those of protocol 1.1 too."""
    cells: list[tuple[Pair, str]] = [
        (("洗牌", "cycles"), f"{told.cycles}"),
        (("开口", "hatch openings"), f"{told.openings}"),
        (("升牌", "wall lifts"), f"{told.lifts}"),
        (("掷骰", "dice rolls"), f"{told.rolls}"),
        (("大盘电机", "drum motor"), hours(told.motor_s)),
        (("故障", "faults"), f"{told.faults}"),
    ]
    if newer:
        cells += [(("卡牌", f"jams, side {side}"), f"{n}") for side, n in enumerate(told.jams)]
        cells += [
            (("上一轮", "last cycle"), f"{told.last_cycle_ms / 1000:.1f} s" if told.last_cycle_ms else "–"),
            (("启动", "starts of the firmware"), f"{told.boots}"),
        ]
    return _numbers(cells)


def hours(seconds: int) -> str:
    """Seconds as hours and minutes."""
    return f"{seconds // 3600} h {seconds // 60 % 60:02} min" if seconds >= 60 else f"{seconds} s"


def link(stats: LinkStats, board: LinkCounts | None) -> list[str]:
    """Both sides of the link; the host's counts are those of this program."""
    trip = "–" if stats.round_trip is None else f"{1000 * stats.round_trip:.1f} ms"
    lines = [f"往返 round trip  {trip}"]
    cells = [
        ("", "发出 sent", "重发 again", "收到 good", "坏帧 damaged"),
        (
            "电脑 this side",
            *_counts(stats.frames_sent, stats.retransmitted, stats.frames_received, stats.bad_frames),
        ),
    ]
    if board is not None:
        cells.append(
            ("控制板 board", *_counts(board.sent, board.retransmitted, board.received, board.damaged))
        )
    return [*lines, *rows(cells)]


def _counts(*numbers: int) -> tuple[str, ...]:
    return tuple(map(str, numbers))


def _numbers(cells: list[tuple[Pair, str]]) -> list[str]:
    columns = max(len(value) for _, value in cells)
    return rows([(both(name), right(value, columns)) for name, value in cells])
