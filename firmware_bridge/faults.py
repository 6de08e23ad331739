"""The fault table: code, severity, and what people read (Chinese first). Pure.

A code is a subsystem and a number (``CNT-01``); on the wire the subsystem is the high byte. The codes are
this project's own: makers publish none. They follow the symptoms that repair manuals list.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from firmware_bridge.states import Severity


class FaultCode(IntEnum):
    """Faults a board can report; 0 stands for none."""

    NONE = 0
    PWR_01 = 0x0101
    PWR_02 = 0x0102
    PWR_03 = 0x0103
    PWR_04 = 0x0104
    PWR_05 = 0x0105
    CON_01 = 0x0201
    CON_02 = 0x0202
    CON_03 = 0x0203
    HAT_01 = 0x0301
    HAT_02 = 0x0302
    HAT_03 = 0x0303
    HAT_04 = 0x0304
    DRM_01 = 0x0401
    DRM_02 = 0x0402
    RNG_01 = 0x0501
    RNG_02 = 0x0502
    FED_01 = 0x0601
    HED_01 = 0x0701
    HED_02 = 0x0702
    HED_03 = 0x0703
    HED_04 = 0x0704
    CHN_01 = 0x0801
    CHN_02 = 0x0802
    PSH_01 = 0x0901
    WAL_01 = 0x0A01
    WAL_02 = 0x0A02
    WAL_03 = 0x0A03
    WAL_04 = 0x0A04
    CNT_01 = 0x0B01
    CNT_02 = 0x0B02
    CNT_03 = 0x0B03
    CNT_04 = 0x0B04
    CYC_01 = 0x0C01
    TIL_01 = 0x0D01
    TIL_02 = 0x0D02
    TIL_03 = 0x0D03
    DIC_01 = 0x0E01
    DIC_02 = 0x0E02
    DIC_03 = 0x0E03
    SEN_01 = 0x0F01
    CFG_01 = 0x1001
    LNK_01 = 0x1101
    LNK_02 = 0x1102
    FW_01 = 0x1201
    EST_01 = 0x1301

    @property
    def label(self) -> str:
        """The code as people write it, such as ``CNT-01``."""
        return self.name.replace("_", "-")


@dataclass(frozen=True, slots=True)
class FaultText:
    """One row of the table: severity, name in Chinese and English."""

    severity: Severity
    zh: str
    en: str


@dataclass(frozen=True, slots=True)
class UnknownFault:
    """A fault code of a newer board: its number and, once the board has told them, its own words."""

    code: int
    text: FaultText | None = field(default=None, compare=False)

    def __int__(self) -> int:
        return self.code

    @property
    def label(self) -> str:
        """The code as people write it, such as ``0x0B09``."""
        return f"0x{self.code:04X}"

    @property
    def name(self) -> str:
        """The label: nobody has named it."""
        return self.label


def words(code: FaultCode | UnknownFault, severity: Severity = Severity.WARN) -> FaultText:
    """What people read about ``code``; ``severity`` is taken where the code is known to nobody."""
    if isinstance(code, FaultCode):
        return FAULTS.get(code) or FaultText(severity, code.label, code.label)
    return code.text or FaultText(severity, f"未知故障 {code.label}", f"unknown fault {code.label}")


_I, _W, _S, _P = Severity.INFO, Severity.WARN, Severity.STOP_CYCLE, Severity.PROTECTIVE_STOP

FAULTS: Final[dict[FaultCode, FaultText]] = {
    FaultCode.PWR_01: FaultText(_P, "掉电", "mains lost"),
    FaultCode.PWR_02: FaultText(_P, "过热", "too hot"),
    FaultCode.PWR_03: FaultText(_W, "看门狗复位", "watchdog reset"),
    FaultCode.PWR_04: FaultText(_P, "过流或短路", "over-current or short circuit"),
    FaultCode.PWR_05: FaultText(_W, "机盖打开", "cover open"),
    FaultCode.CON_01: FaultText(_W, "按键卡住", "key stuck"),
    FaultCode.CON_02: FaultText(_W, "操作盘断线", "console not connected"),
    FaultCode.CON_03: FaultText(_W, "洗牌中途换档", "mode switch turned during a cycle"),
    FaultCode.HAT_01: FaultText(_P, "中心升降不升", "hatch does not rise"),
    FaultCode.HAT_02: FaultText(_P, "中心升降不降", "hatch does not lower"),
    FaultCode.HAT_03: FaultText(_P, "夹手", "something is caught in the hatch"),
    FaultCode.HAT_04: FaultText(_W, "升降迟缓", "hatch is slow"),
    FaultCode.DRM_01: FaultText(_S, "大盘堵转", "drum is blocked"),
    FaultCode.DRM_02: FaultText(_W, "大盘有异物", "foreign body in the drum"),
    FaultCode.RNG_01: FaultText(_S, "磁圈不同步", "magnet ring out of step"),
    FaultCode.RNG_02: FaultText(_W, "吸牌弱", "magnet ring picks up too few tiles"),
    FaultCode.FED_01: FaultText(_S, "输送槽卡牌", "feed trough is jammed"),
    FaultCode.HED_01: FaultText(_S, "机头卡牌", "stacking head is jammed"),
    FaultCode.HED_02: FaultText(_S, "机头不计数", "stacking head does not count"),
    FaultCode.HED_03: FaultText(_W, "光控脏", "counting sensor is dirty"),
    FaultCode.HED_04: FaultText(_S, "牌墩不齐", "stack is uneven"),
    FaultCode.CHN_01: FaultText(_S, "链条不停", "chain does not find its zero"),
    FaultCode.CHN_02: FaultText(_S, "链杆卡住", "chain rod is stuck"),
    FaultCode.PSH_01: FaultText(_S, "推牌不到位", "push plate does not reach its end"),
    FaultCode.WAL_01: FaultText(_P, "升牌不到位", "walls do not rise"),
    FaultCode.WAL_02: FaultText(_P, "承牌板不落", "carriers do not lower"),
    FaultCode.WAL_03: FaultText(_P, "升降不停", "wall lift does not stop"),
    FaultCode.WAL_04: FaultText(_W, "升牌不平", "wall lift is slow or uneven"),
    FaultCode.CNT_01: FaultText(_S, "缺牌", "tiles are missing"),
    FaultCode.CNT_02: FaultText(_S, "多牌", "too many tiles"),
    FaultCode.CNT_03: FaultText(_S, "余牌不上", "last tiles do not come up"),
    FaultCode.CNT_04: FaultText(_W, "张数不符", "number of tiles does not fit the mode"),
    FaultCode.CYC_01: FaultText(_W, "洗牌慢", "cycle is slow"),
    FaultCode.TIL_01: FaultText(_W, "立牌或反牌", "tile stands or lies the wrong way"),
    FaultCode.TIL_02: FaultText(_W, "掉磁", "tile has lost its magnet"),
    FaultCode.TIL_03: FaultText(_W, "混牌", "tiles of the other set"),
    FaultCode.DIC_01: FaultText(_W, "骰子不转", "dice do not spin"),
    FaultCode.DIC_02: FaultText(_W, "骰子读数失败", "dice cannot be read"),
    FaultCode.DIC_03: FaultText(_W, "骰子偏", "dice are biased"),
    FaultCode.SEN_01: FaultText(_W, "传感器失效, 按时间运行", "sensor failed, running by time"),
    FaultCode.CFG_01: FaultText(_S, "设置无效", "settings are invalid"),
    FaultCode.LNK_01: FaultText(_I, "上位机断开", "host has gone"),
    FaultCode.LNK_02: FaultText(_W, "通信误码高", "link quality is low"),
    FaultCode.FW_01: FaultText(_P, "固件无效", "firmware image is invalid"),
    FaultCode.EST_01: FaultText(_P, "急停", "emergency stop is open"),
}
