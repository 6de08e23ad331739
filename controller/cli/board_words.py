"""What a technician reads of a board: states, keys, refusals, in Chinese and English. Pure."""

from typing import Final

from firmware_bridge.states import (
    Capability,
    FailCause,
    Motor,
    Profile,
    Region,
    RejectReason,
    ResetCause,
    Severity,
    State,
    StatusFlag,
)

Pair = tuple[str, str]
"""The same in Chinese and English."""

REGIONS: Final[dict[Region, Pair]] = {
    Region.SAFETY: ("安全", "safety"),
    Region.HATCH: ("中心升降", "hatch"),
    Region.WALLS: ("升牌", "walls"),
    Region.LOWER: ("机内", "below"),
    Region.DICE: ("骰子", "dice"),
}

STATES: Final[dict[State, Pair]] = {
    State.BOOTING: ("启动中", "starting"),
    State.OPERATIONAL: ("正常", "in order"),
    State.DEGRADED: ("带病运行", "a sensor has failed; runs by time"),
    State.PROTECTIVE_STOP: ("保护停机", "stopped; needs a key, then ClearStop"),
    State.STOP_CHAIN_OPEN: ("急停断开", "emergency stop is pressed"),
    State.MAINTENANCE: ("检修", "maintenance"),
    State.SELF_TEST: ("自检", "self test"),
    State.HATCH_UNKNOWN: ("位置不明", "half way; Home helps"),
    State.HATCH_CLOSED: ("关", "closed"),
    State.HATCH_OPENING: ("正在打开", "opening"),
    State.HATCH_OPEN: ("开", "open"),
    State.HATCH_CLOSING: ("正在关闭", "closing"),
    State.WALLS_UNKNOWN: ("位置不明", "half way; Home helps"),
    State.WALLS_DOWN: ("在下", "down"),
    State.WALLS_RAISING: ("正在升", "rising"),
    State.WALLS_UP: ("在上", "up"),
    State.WALLS_LOWERING: ("正在落", "lowering"),
    State.LOWER_UNKNOWN: ("牌数不明", "tiles may be inside"),
    State.EMPTY: ("空", "no tile inside"),
    State.LOADED: ("有牌", "tiles inside, no wall begun"),
    State.SORTING: ("洗牌", "building walls"),
    State.STAGED: ("已码好", "walls are built and wait"),
    State.SHORT: ("缺牌", "walls begun, tiles missing"),
    State.OVER: ("多牌", "walls built, tiles left"),
    State.JAMMED: ("卡牌", "jammed; ClearJam helps"),
    State.TOPUP_PAUSED: ("暂停补牌", "paused for more tiles"),
    State.CLEARING: ("退牌", "clearing a jam"),
    State.DICE_STILL: ("静止", "still"),
    State.DICE_ROLLING: ("转动", "rolling"),
}

SEVERITIES: Final[dict[Severity, Pair]] = {
    Severity.INFO: ("提示", "for information"),
    Severity.WARN: ("警告", "goes on"),
    Severity.STOP_CYCLE: ("停洗牌", "ends the cycle"),
    Severity.PROTECTIVE_STOP: ("停机", "stops everything"),
}

CAUSES: Final[dict[ResetCause, Pair]] = {
    ResetCause.POWER_ON: ("上电", "power on"),
    ResetCause.RESET_LINE: ("复位脚", "reset line"),
    ResetCause.WATCHDOG: ("看门狗", "watchdog"),
    ResetCause.BROWN_OUT: ("欠压", "brown-out"),
    ResetCause.SOFTWARE: ("软件复位", "software"),
}

PROFILES: Final[dict[Profile, Pair]] = {
    Profile.SINGLE_PORT: ("单口机", "single_port"),
    Profile.FOUR_PORT: ("四口机", "four_port"),
    Profile.EIGHT_PORT_DEAL: ("八口机", "eight_port_deal"),
}

CAPABILITIES: Final[dict[Capability, Pair]] = {
    Capability.DICE: ("掷骰读点", "rolls and reads dice"),
    Capability.SEAT_KEYS: ("座位键", "seat keys"),
    Capability.LAMPS: ("灯", "lamps"),
    Capability.COUNTERS: ("计数", "counters"),
    Capability.VIRTUAL_DICE: ("虚拟骰", "virtual dice"),
    Capability.REPLAY: ("重报", "replay"),
    Capability.FAULT_LOG: ("故障记录", "fault log"),
    Capability.DICTIONARY: ("词典", "dictionary"),
    Capability.CONFIG: ("档位设置", "configuration"),
    Capability.MAINTENANCE: ("检修", "maintenance"),
    Capability.LOCK: ("锁定", "lock"),
    Capability.DEALS: ("发牌", "deals"),
    Capability.DICE_SPUN: ("掷骰", "spins dice"),
}

FLAGS: Final[dict[StatusFlag, Pair]] = {
    StatusFlag.LOCKED: ("已锁定", "locked: begins no cycle"),
    StatusFlag.COVER_OPEN: ("机盖打开", "cover open"),
    StatusFlag.LEASED: ("租约已设", "lease set"),
}

REFUSALS: Final[dict[RejectReason, Pair]] = {
    RejectReason.WRONG_STATE: ("现在的状态不允许", "not in this state; see `longzhuo board status`"),
    RejectReason.HATCH_NOT_CLOSED: ("中心没有关好", "the hatch is not closed"),
    RejectReason.NOT_STAGED: ("牌墙还没码好", "no walls are built below"),
    RejectReason.NO_TILES: ("机内没有牌", "no tiles are inside; open the hatch and push them in (--open)"),
    RejectReason.STOPPED: (
        "保护停机",
        "protective stop; mend the fault, press a key at the table, ClearStop",
    ),
    RejectReason.LOCKED: ("已锁定", "the table is locked"),
    RejectReason.BAD_ARGUMENT: ("参数不对", "a value is out of its range"),
    RejectReason.UNSUPPORTED: ("控制板不会", "this board can't do that"),
    RejectReason.BUSY: ("正在动作", "something still moves; wait"),
    RejectReason.NEEDS_LOCAL_KEY: ("要按检修键", "needs the SERVICE key, pressed in the last 30 s"),
    RejectReason.NOT_HOMED: ("没有回零", "position unknown; Home first"),
    RejectReason.BAD_CONFIG: ("张数设置不对", "the configuration does not add up"),
    RejectReason.COVER_OPEN: ("机盖打开", "the cover is open"),
}

FAILURES: Final[dict[FailCause, Pair]] = {
    FailCause.FAULT: ("出了故障", "a fault came up"),
    FailCause.STOPPED: ("中途停机", "stopped half way"),
    FailCause.HOST_LOST: ("中途断线", "the link was lost half way"),
    FailCause.NO_ANSWER: ("没有等到结果", "no result came in time"),
    FailCause.ABORTED: ("被取消", "aborted"),
}

MOTORS: Final[dict[Motor, Pair]] = {
    Motor.HATCH: ("中心升降", "hatch"),
    Motor.DRUM: ("大盘", "drum"),
    Motor.RING: ("磁圈", "magnet ring"),
    Motor.FEED: ("输送带", "feed"),
    Motor.HEAD: ("机头", "stacking head"),
    Motor.CHAIN: ("链条", "chain"),
    Motor.PUSH: ("推牌", "push plates"),
    Motor.WALLS: ("升牌", "wall carriers"),
    Motor.DICE: ("骰子", "dice"),
}


def both(pair: Pair) -> str:
    """Chinese, then English."""
    return f"{pair[0]} {pair[1]}"


def side_name(side: int | None) -> str:
    """Which side of the table, for people; a dash where none is meant."""
    return "–" if side is None else f"第{side}边 side {side}"
