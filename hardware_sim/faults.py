"""The one list of what can go wrong at a simulated table: every fault by name, with its parameters. Pure.

The command line, scenario files and the control socket all take these names; ``--faults list`` prints them.
"""

import difflib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from firmware_bridge.faults import FAULTS, FaultCode

Value = float | str
"""A parameter's value: a number, or a word where it has choices."""


class Kind(StrEnum):
    """Where a fault strikes."""

    LINE = "line"
    FIRMWARE = "firmware"
    MECHANICAL = "mechanical"
    SENSOR = "sensor"
    PEOPLE = "people"
    CAMERA = "camera"


KIND_ZH: Final = {
    Kind.LINE: "线路",
    Kind.FIRMWARE: "固件",
    Kind.MECHANICAL: "机械",
    Kind.SENSOR: "传感器",
    Kind.PEOPLE: "人",
    Kind.CAMERA: "摄像头",
}


class BadFault(ValueError):
    """What was asked for is no fault of the list; one line says what was expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """A parameter: a number from ``low`` to ``high``, or one of the words ``choices``.

    ``words`` tell people what it is, with the unit.
    """

    name: str
    default: Value
    words: str
    low: float = 0.0
    high: float = 0.0
    choices: tuple[str, ...] = ()
    whole: bool = False

    @property
    def expected(self) -> str:
        """What may stand there, for people."""
        return "|".join(self.choices) if self.choices else f"{shown(self.low)}..{shown(self.high)}"

    def read(self, text: str) -> Value:
        """The value ``text`` means. Raises BadFault."""
        if self.choices:
            if text in self.choices:
                return text
        else:
            try:
                number = float(text)
            except ValueError:
                number = self.low - 1
            if self.low <= number <= self.high and not (self.whole and number % 1):
                return number
        what = "a whole number " if self.whole else ""
        raise BadFault(f"{self.name}={text}: expected {what}{self.expected} ({self.words})")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimFault:
    """One row of the list. ``value``: the parameter that ``name=value`` means, "" for none."""

    name: str
    kind: Kind
    zh: str
    en: str
    params: tuple[Param, ...] = ()
    value: str = ""
    code: FaultCode = FaultCode.NONE
    others: tuple[str, ...] = field(default=())

    def param(self, name: str) -> Param:
        """The parameter called ``name``. Raises BadFault."""
        for param in self.params:
            if param.name == name:
                return param
        names = ", ".join(param.name for param in self.params)
        raise BadFault(f"{self.name} has no parameter {name!r}; expected one of {names}")


def shown(value: Value) -> str:
    """A value as people write it."""
    if isinstance(value, str):
        return value
    return str(int(value)) if value == int(value) else repr(value)


P: Final = Param(name="p", default=1.0, high=1.0, words="chance to strike when it is due")
FOR: Final = Param(name="for", default=0.0, high=3600.0, words="seconds it lasts, 0: until it is cleared")
DIRECTION: Final = Param(
    name="dir", default="both", choices=("both", "to_board", "to_host"), words="direction of the line"
)


def _share(words: str, default: float) -> Param:
    return Param(name="share", default=default, high=1.0, words=words)


def _seconds(default: float, words: str, name: str = "for", low: float = 0.0) -> Param:
    return Param(name=name, default=default, low=low, high=60.0, words=f"seconds {words}")


def _ms(name: str, default: float, words: str) -> Param:
    return Param(name=name, default=default, high=5000.0, words=f"milliseconds {words}")


def _line(name: str, zh: str, en: str, *params: Param, value: str = "share") -> SimFault:
    return SimFault(name=name, kind=Kind.LINE, zh=zh, en=en, params=(*params, DIRECTION, FOR, P), value=value)


LINE: Final = (
    _line("drop", "丢帧", "frames vanish", _share("of the frames", 0.1)),
    _line("drop-bytes", "丢字节", "single bytes vanish", _share("of the bytes", 0.002)),
    _line("flip", "比特翻转", "a bit of a frame turns", _share("of the frames", 0.05)),
    _line("flip-bytes", "字节受损", "a bit of a byte turns", _share("of the bytes", 0.002)),
    _line("insert", "插入杂字节", "1 to 8 bytes of noise before a frame", _share("of the frames", 0.05)),
    _line(
        "split",
        "分片到达",
        "frames arrive in pieces",
        _share("of the frames", 1.0),
        Param(
            name="byte", default=-1, low=-1, high=63, whole=True, words="after this byte, 0: any, -1: each"
        ),
        _ms("gap", 0, "between the pieces"),
    ),
    _line(
        "duplicate",
        "重复帧",
        "frames arrive twice",
        _share("of the frames", 0.1),
        _ms("echo", 200, "later at most"),
    ),
    _line(
        "delay",
        "延迟",
        "bytes are late",
        _ms("ms", 50, "late"),
        _ms("jitter", 0, "more at most"),
        value="ms",
    ),
    _line(
        "pace",
        "慢速线路",
        "bytes take the time of a baud rate",
        Param(name="baud", default=115200, low=300, high=4e6, whole=True, words="bits per second"),
        value="baud",
    ),
    _line("baud", "波特率不符", "the other baud rate: only garbage arrives", value=""),
    _line("half-open", "单向断线", "one direction is dead", value="dir"),
    SimFault(
        name="at-noise",
        kind=Kind.LINE,
        zh="AT 探测",
        en="a modem manager sends AT commands to the board",
        params=(_seconds(1.0, "between two", "every", 0.01), FOR, P),
        value="every",
    ),
    SimFault(
        name="noise",
        kind=Kind.LINE,
        zh="杂波",
        en="random bytes once, without any frame",
        params=(
            Param(name="bytes", default=200, low=1, high=65536, whole=True, words="how many"),
            DIRECTION,
            P,
        ),
        value="bytes",
    ),
    SimFault(
        name="stall",
        kind=Kind.LINE,
        zh="停止读取",
        en="the board's port takes no bytes",
        params=(_seconds(5.0, "it lasts"), P),
        value="for",
    ),
    SimFault(
        name="unplug",
        kind=Kind.LINE,
        zh="拔线再插",
        en="the cable is pulled and put back",
        params=(_seconds(2.0, "until it is back"), P),
        value="for",
    ),
    SimFault(
        name="renumber",
        kind=Kind.LINE,
        zh="端口重新编号",
        en="the port comes back under another number at once",
        params=(P,),
    ),
)

FIRMWARE: Final = (
    SimFault(
        name="reset",
        kind=Kind.FIRMWARE,
        zh="固件重启",
        en="the firmware restarts in the middle of a frame",
        params=(
            Param(
                name="cause",
                default="watchdog",
                choices=("watchdog", "reset_line", "software", "brown_out"),
                words="what made it",
            ),
            P,
        ),
        value="cause",
    ),
    SimFault(
        name="power-cut",
        kind=Kind.FIRMWARE,
        zh="断电",
        en="the supply is gone for a time",
        params=(_seconds(2.0, "without supply"), P),
        value="for",
    ),
    SimFault(
        name="slow-boot",
        kind=Kind.FIRMWARE,
        zh="启动慢并有杂波",
        en="the firmware restarts, and from now on starts slowly, with noise",
        params=(
            Param(name="s", default=2.0, high=3.0, words="seconds to start"),
            Param(name="noise", default=200, high=4096, whole=True, words="bytes of noise meanwhile"),
            P,
        ),
        value="s",
    ),
    SimFault(
        name="hang",
        kind=Kind.FIRMWARE,
        zh="固件卡死",
        en="the firmware hangs, then its watchdog restarts it",
        params=(_seconds(2.0, "until the watchdog acts"), P),
        value="for",
    ),
    SimFault(
        name="old-firmware",
        kind=Kind.FIRMWARE,
        zh="旧版固件",
        en="the firmware of protocol 1.0 is started",
        params=(Param(name="version", default="1.0", choices=("1.0", "1.1"), words="protocol it speaks"), P),
        value="version",
    ),
    SimFault(
        name="other-firmware",
        kind=Kind.FIRMWARE,
        zh="不兼容的固件",
        en="a firmware of another major version is started",
        params=(Param(name="version", default="2.0", choices=("2.0", "1.1"), words="protocol it speaks"), P),
        value="version",
    ),
)

PEOPLE: Final = (
    SimFault(
        name="missing",
        kind=Kind.PEOPLE,
        zh="牌掉在地上",
        en="tiles fall to the floor when the tiles are pushed in",
        params=(Param(name="tiles", default=1, low=1, high=4, whole=True, words="how many"), P),
        value="tiles",
        others=("missing-tile",),
    ),
    *(
        SimFault(name=name, kind=Kind.PEOPLE, zh=zh, en=en, params=(P,))
        for name, zh, en in (
            (
                "mislay",
                "放歪或放错牌河",
                "a discard is laid askew or into the neighbour's pond, then put right",
            ),
            ("take-back", "打出又收回", "a discard is taken back for another"),
            ("claim-late", "迟吃碰", "a claim comes late"),
            ("claim-wrong", "吃碰亮错牌", "a set is laid with a wrong tile, then put right"),
            ("show-hand", "亮错手牌", "a hand that is no win is laid open and put up again"),
            ("discard-wild", "打龙", "the wild tile is discarded"),
            ("push-tiles", "碰动牌河", "a sleeve pushes a tile of a pond aside"),
        )
    ),
)

LASTS: Final = Param(name="for", default=4.0, high=3600.0, words="seconds it lasts, 0: until it is cleared")


def _camera(name: str, zh: str, en: str, *params: Param) -> SimFault:
    """A fault of the camera; NAME=VALUE means its own parameter, or how long it lasts."""
    params = (*params, LASTS, P)
    return SimFault(
        name=f"camera-{name}", kind=Kind.CAMERA, zh=zh, en=en, params=params, value=params[0].name
    )


CAMERA: Final = (
    _camera("unplug", "摄像头拔线", "the camera is pulled out and put back"),
    SimFault(
        name="camera-restart",
        kind=Kind.CAMERA,
        zh="画面流重启",
        en="the stream breaks off and can be opened again at once",
        params=(P,),
    ),
    _camera("freeze", "画面卡住", "the same picture comes again and again"),
    _camera("black", "画面全黑", "the pictures are black but for noise"),
    _camera("overexposed", "画面过曝", "the pictures are nearly white"),
    _camera(
        "move",
        "摄像头被碰歪",
        "the camera is knocked aside, and put right again",
        Param(name="mm", default=30, low=1, high=2000, words="millimetres on the table"),
    ),
    _camera("other", "接到别的摄像头", "the pictures of another camera come, which sees no table"),
    _camera(
        "size",
        "分辨率改变",
        "the pictures have another size",
        Param(name="rows", default=720, low=90, high=2160, whole=True, words="rows of pixels"),
    ),
    _camera("half", "画面残缺", "the pictures break off half way"),
    _camera("garbage", "画面流乱码", "endless random bytes come, and no picture"),
    _camera("trickle", "画面流极慢", "a byte a second comes"),
    _camera("html", "地址给出网页", "the address answers with a web page"),
)

SENSORS: Final = frozenset(
    {
        *(FaultCode.CON_01, FaultCode.CON_02, FaultCode.HED_02, FaultCode.HED_03, FaultCode.DIC_02),
        *(FaultCode.SEN_01, FaultCode.PWR_05, FaultCode.TIL_03, FaultCode.CHN_01),
    }
)
"""Codes where a sensor or a key fails and not what moves."""

FIRMWARE_CODES: Final = frozenset(
    {FaultCode.CFG_01, FaultCode.FW_01, FaultCode.LNK_01, FaultCode.LNK_02, FaultCode.PWR_03}
)

SIDED: Final = frozenset({"RNG", "FED", "HED", "PSH", "TIL"})
"""Subsystems of which each side has its own."""

OTHERS: Final = {
    FaultCode.FED_01: ("jam",),
    FaultCode.HED_01: ("head-jam",),
    FaultCode.HAT_03: ("pinch",),
    FaultCode.EST_01: ("estop",),
    FaultCode.PWR_05: ("cover",),
    FaultCode.CON_01: ("key-stuck",),
}
"""Plain names for the codes that are asked for most."""

STAYS: Final = Param(
    name="for", default=0.0, high=3600.0, words="seconds of the table it stays, 0: until it is mended"
)
SIDE: Final = Param(name="side", default=0, high=3, whole=True, words="which side")


def _by_code(code: FaultCode) -> SimFault:
    words = FAULTS[code]
    kind = Kind.SENSOR if code in SENSORS else Kind.MECHANICAL
    kind = Kind.FIRMWARE if code in FIRMWARE_CODES else kind
    sided = code.name.partition("_")[0] in SIDED
    return SimFault(
        name=code.label,
        kind=kind,
        zh=words.zh,
        en=words.en,
        params=(*((SIDE,) if sided else ()), STAYS, P),
        value="side" if sided else "",
        code=code,
        others=OTHERS.get(code, ()),
    )


FAULT_LIST: Final = (*LINE, *FIRMWARE, *PEOPLE, *CAMERA, *(_by_code(code) for code in FAULTS))
"""All of them."""

_BY_NAME: Final = {name.lower(): fault for fault in FAULT_LIST for name in (fault.name, *fault.others)}


def find(name: str) -> SimFault:
    """The fault called ``name``, whatever its case. Raises BadFault."""
    found = _BY_NAME.get(name.lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), _BY_NAME, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise BadFault(f"no fault is called {name!r}{hint} (--faults list prints all names)")
    return found
