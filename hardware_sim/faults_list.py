"""Ready-made mixes of faults, lists of them as text, and the printed list of all. Pure."""

import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from hardware_sim.faults import (
    DIRECTION,
    FAULT_LIST,
    FOR,
    KIND_ZH,
    LASTS,
    SIDE,
    SIDED,
    STAYS,
    BadFault,
    P,
    Param,
    SimFault,
    find,
    shown,
)
from hardware_sim.faults_soak import mixes
from hardware_sim.faults_text import HAPPENINGS, Injection, parse_one


@dataclass(frozen=True, slots=True)
class Mix:
    """Faults that go together under a name."""

    zh: str
    en: str
    faults: str


MIXES: Final[dict[str, Mix]] = {
    "mixed": Mix(
        "一局接一局的各种故障",
        "a jam, a lost cable, a fallen tile, a restart, and a line that is not clean",
        "drop=0.02,flip=0.01,jam=2@cycle1+4s,unplug=1.5@hand1+8s,missing@push2,reset@hand2+12s,"
        "reset@cycle3+5s,jam=1@cycle*+6s:p=0.1,missing@push*:p=0.1,unplug=1@hand*+15s:p=0.1",
    ),
    "bad-line": Mix(
        "很差的线路",
        "a line on which everything goes wrong that may",
        "drop=0.1,flip=0.05,insert=0.05,duplicate=0.05,split=0.3:byte=0,delay=2:jitter=4",
    ),
    "bad-cable": Mix(
        "松动的电缆",
        "a cable that comes loose again and again",
        "unplug=0.5@open*:p=0.3,unplug=1@cycle*+3s:p=0.5,renumber@hand*+5s:p=0.5,half-open=to_host@raise*:for=4:p=0.2",
    ),
    "bad-power": Mix(
        "供电不稳",
        "a supply that fails in every motion",
        "power-cut=1@open*:p=0.2,power-cut=1@cycle*+5s:p=0.3,reset=brown_out@raise*:p=0.2,reset@hand*+9s:p=0.3",
    ),
    "camera": Mix(
        "摄像头的各种故障",
        "everything that a camera may do, one after the other",
        "camera-unplug@hand1+10s,camera-freeze@hand1+50s,camera-black@hand1+90s,camera-overexposed@hand1+130s,"
        "camera-move@hand1+170s,camera-size@hand1+210s,camera-other@hand1+250s,camera-restart@hand1+290s,"
        "camera-half@hand1+310s,camera-garbage@hand1+350s,camera-trickle@hand1+390s,camera-html@hand1+430s",
    ),
    "worn": Mix(
        "磨损的机器",
        "a machine that jams and loses tiles",
        "jam=0@cycle*+3s:p=0.2,head-jam=2@cycle*+5s:p=0.2,missing@push*:p=0.3,HAT-04@open*:p=0.2,CYC-01@cycle*:p=0.2",
    ),
}

_SOAK: Final = {
    "camera": ("连续测试：摄像头", "soak: the camera"),
    "board": ("连续测试：控制板和机器", "soak: board and machine"),
    "link": ("连续测试：线路", "soak: the line"),
    "power": ("连续测试：断电", "soak: the supply"),
    "people": ("连续测试：人", "soak: people"),
    "mixed": ("连续测试：各种故障", "soak: everything"),
}
for _suffix, _seconds in (("", 0.4), ("-pixels", 4.0)):
    MIXES.update(
        {f"soak-{_name}{_suffix}": Mix(*_SOAK[_name], _faults) for _name, _faults in mixes(_seconds).items()}
    )


def parse_faults(text: str) -> tuple[Injection, ...]:
    """Faults and mixes with commas between, as ``--faults`` has them. Raises BadFault."""
    found: list[Injection] = []
    for part in text.split(","):
        if not part.strip():
            raise BadFault(f"--faults {text!r}: nothing between two commas; expected a name")
        if part.strip() in MIXES:
            found += parse_faults(MIXES[part.strip()].faults)
        else:
            found.append(_one(part))
    return tuple(found)


def _one(part: str) -> Injection:
    """One fault; mixes are among the names that an unknown one is compared with."""
    try:
        return parse_one(part)
    except BadFault as error:
        name = part.strip().partition("@")[0].partition("=")[0].partition(":")[0]
        if name in MIXES:
            raise BadFault(f"{part.strip()}: the mix {name} takes no parameters and no time") from error
        raise


def format_faults(faults: Iterable[Injection]) -> str:
    """The text that :func:`parse_faults` reads as these."""
    return ",".join(map(str, faults))


SHARED: Final = {
    P: "all",
    DIRECTION: "line",
    FOR: "line",
    LASTS: "camera-…",
    STAYS: "AAA-00",
    SIDE: " ".join(sorted(SIDED)),
}
"""Parameters that many faults have, and which ones: printed once."""


def listing() -> str:
    """Everything there is, for people: a line for each fault, and below it what only it takes."""
    rows: list[str] = ["NAME[=VALUE][@WHEN][:KEY=VALUE...], several with commas", ""]
    for fault in FAULT_LIST:
        names = " ".join((fault.name, *fault.others))
        rows.append(
            f"{_left(names, 22)}{_left(KIND_ZH[fault.kind], 8)}{_left(fault.kind, 12)}{_words(fault)}"
        )
        rows += [f"    {_param(param, fault.value)}" for param in fault.params if _is_own(param, fault)]
    rows += ["", "参数 parameters of many faults"]
    rows += [f"{_left(where, 22)}{_param(param, SIDE.name)}" for param, where in SHARED.items()]
    rows += ["", "组合 mixes"]
    rows += [f"{_left(name, 22)}{mix.zh} {mix.en}" for name, mix in MIXES.items()]
    rows += ["", "@WHEN: 12.5s, tick40, or a number of times (* every time) and seconds after:"]
    rows += [f"{_left(f'{name}N+SECONDSs', 22)}{words}" for name, words in HAPPENINGS.items()]
    return "\n".join(rows)


def _words(fault: SimFault) -> str:
    return f"{fault.zh} {fault.en}"


def _is_own(param: Param, fault: SimFault) -> bool:
    """Whether a parameter is printed at its fault: it is no shared one, or what NAME=VALUE means there."""
    return param not in SHARED or (param.name == fault.value and param not in {SIDE, LASTS})


def _param(param: Param, value: str = "") -> str:
    """A parameter; ``value``: the one that NAME=VALUE means."""
    mark = " (=VALUE)" if param.name == value else ""
    return f"{param.name}={shown(param.default)}{mark}: {param.words}, {param.expected}"


def listing_json() -> str:
    """The same for programs: ``faults``, ``mixes`` and ``when``."""
    faults = [
        {
            "name": fault.name,
            "others": fault.others,
            "kind": str(fault.kind),
            "zh": fault.zh,
            "en": fault.en,
            "value": fault.value,
            "params": [
                {
                    "name": param.name,
                    "default": param.default,
                    "expected": param.expected,
                    "words": param.words,
                }
                for param in fault.params
            ],
        }
        for fault in FAULT_LIST
    ]
    mixes = [{"name": name, "zh": mix.zh, "en": mix.en, "faults": mix.faults} for name, mix in MIXES.items()]
    return json.dumps({"faults": faults, "mixes": mixes, "when": HAPPENINGS}, ensure_ascii=False, indent=1)


def _left(text: str, columns: int) -> str:
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return text + " " * max(1, columns - len(text) - wide)


__all__ = ["MIXES", "find", "format_faults", "listing", "listing_json", "parse_faults"]
