"""The choices of Cixi mahjong (慈溪麻将) that tables differ in, with the defaults of the two profiles."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Every choice, in the order of the rule sheet; the value sets stand in `VALUES`."""

    value_table: str = "seed"
    qifeng: str = "stacks"
    qifeng_dragon: str = "any"
    four_as_two_pairs: bool = True
    paohua_discard: str
    paohua_autowin: bool
    feima_when: str = "any_discard"
    feima: str = "formula"
    intercept: str
    mirror: int
    adjacency: str
    guan_fengxiang: bool
    tianhu: bool
    dihu: bool
    shangtang: str
    tongfu: bool
    pure_suit_jackpot: bool
    quanfeng: str
    shilianfeng_window: str
    shilianfeng_own_claim: str
    zhahu: str
    kong_counts_as_claim: bool = True
    pass_win_lock: bool = False
    reserve: int
    drawn_dealer: str = "stay"
    next_dealer: str
    indicator_place: str = "head_next"
    cap_at_stack: bool
    stake: int = 1
    start_points: int


VALUES: Final[Mapping[str, tuple[object, ...]]] = {
    "value_table": ("seed", "program"),
    "qifeng": ("stacks", "replaces"),
    "qifeng_dragon": ("any", "own_face", "never"),
    "paohua_discard": ("refuse", "plain_win"),
    "feima_when": ("any_discard", "after_claim"),
    "feima": ("formula", "flat34"),
    "intercept": ("flat100", "formula"),
    "mirror": (0, 5),
    "adjacency": ("off", "on_becoming_single", "every_discard"),
    "shangtang": ("any", "dealer_only", "off"),
    "quanfeng": ("at_win", "after_discard"),
    "shilianfeng_window": ("first", "any"),
    "shilianfeng_own_claim": ("allowed", "kills"),
    "zhahu": ("off", "fixed24", "formula"),
    "reserve": (34, 0),
    "drawn_dealer": ("stay", "pass"),
    "next_dealer": ("rotate", "winner"),
    "indicator_place": ("head_next", "tail_stack"),
}
"""The values of the options that are neither yes/no nor plain numbers."""

PLATFORM: Final = Options(
    paohua_discard="refuse",
    paohua_autowin=True,
    intercept="flat100",
    mirror=0,
    adjacency="on_becoming_single",
    guan_fengxiang=False,
    tianhu=False,
    dihu=False,
    shangtang="off",
    tongfu=False,
    pure_suit_jackpot=False,
    quanfeng="at_win",
    shilianfeng_window="first",
    shilianfeng_own_claim="allowed",
    zhahu="off",
    reserve=34,
    next_dealer="rotate",
    cap_at_stack=False,
    start_points=0,
)

CARD: Final = Options(
    paohua_discard="plain_win",
    paohua_autowin=False,
    intercept="formula",
    mirror=5,
    adjacency="off",
    guan_fengxiang=True,
    tianhu=True,
    dihu=True,
    shangtang="any",
    tongfu=True,
    pure_suit_jackpot=True,
    quanfeng="after_discard",
    shilianfeng_window="any",
    shilianfeng_own_claim="kills",
    zhahu="fixed24",
    reserve=0,
    next_dealer="winner",
    cap_at_stack=True,
    start_points=100,
)

_SWITCH: Final = {"on": True, "off": False}
_BOUNDS: Final = {"stake": (1, 10_000), "start_points": (-1_000_000, 1_000_000)}
"""The least and the most of plain numbers."""


def with_options(defaults: Options, chosen: Mapping[str, object]) -> Options:
    """The defaults with some options replaced; a yes/no option also takes ``"on"`` and ``"off"``.

    Raises:
        ValueError: an unknown option, a value that it can't have, or two options that contradict each other.
    """
    known = {field.name for field in fields(Options)}
    for name in chosen:
        if name not in known:
            raise ValueError(f"unknown option {name!r} (there are {', '.join(sorted(known))})")
    checked: dict[str, Any] = {
        name: _checked(name, value, getattr(defaults, name)) for name, value in chosen.items()
    }
    options = replace(defaults, **checked)
    _refuse_contradictions(options)
    return options


def _checked(name: str, value: object, default: object) -> object:
    allowed = VALUES.get(name)
    if allowed is not None:
        if value in allowed and not isinstance(value, bool):
            return value
        raise ValueError(f"option {name} = {value!r}: expected {' or '.join(map(repr, allowed))}")
    if isinstance(default, bool):
        switched = _SWITCH.get(value) if isinstance(value, str) else value
        if isinstance(switched, bool):
            return switched
        raise ValueError(f"option {name} = {value!r}: expected true or false")
    least, most = _BOUNDS[name]
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    raise ValueError(f"option {name} = {value!r}: expected a whole number {least} to {most}")


def _refuse_contradictions(options: Options) -> None:
    if options.cap_at_stack and options.start_points <= 0:
        raise ValueError("cap_at_stack needs start_points above 0: nobody could pay anything")
    if options.paohua_autowin and options.paohua_discard == "plain_win":
        raise ValueError(
            "paohua_autowin contradicts paohua_discard = 'plain_win': the own draw wins by itself"
        )
