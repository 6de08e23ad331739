"""Cixi mahjong (慈溪麻将): `cixi-card` (points by playing cards) and `cixi-platform` (stakes)."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Final

from rules.ruleset import Desk, RuleSet

from . import cautions, memory, moments, questions, rights, ruling
from .coherence import contradiction
from .options import CARD, PLATFORM, Options, with_options
from .setup import CARD_NAMES, CARD_POINTS, CLAIMS, FIRST_DEALER, STAKE_NAMES, TILES, levels
from .sheet import prices, sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["PROFILES"]


def _make(name: str, zh: str, en: str, defaults: Options, chosen: Mapping[str, object]) -> RuleSet:
    options = with_options(defaults, chosen)
    return RuleSet(
        name=name,
        zh=zh,
        en=en,
        about=_ABOUT[name],
        tiles=TILES,
        claims=CLAIMS,
        wild_of=ruling.dragon_of,
        # A table that books false wins marks the player instead of refusing the third claim.
        claims_per_opponent=2 if options.zhahu == "off" else None,
        harmless_claims=2,
        reserve=partial(ruling.reserve, options),
        start_points=options.start_points,
        first_dealer=FIRST_DEALER,
        refuses_win=partial(rights.refuses_win, options),
        win_rank=partial(rights.win_rank, options),
        may_discard=partial(rights.may_discard, options),
        refuses_claim=partial(rights.refuses_claim, options),
        only_a_win=partial(rights.only_a_win, options),
        remembers=partial(memory.remembered, options),
        settle=partial(ruling.settle, options),
        next_dealer=partial(ruling.next_dealer, options),
        match_over=partial(ruling.match_over, options),
        fine=None if options.zhahu == "off" else partial(ruling.fine, options),
        stack=CARD_POINTS if options.cap_at_stack and options.start_points == 100 else {},
        indicator_place=options.indicator_place,
        kongs_are_claims=options.kong_counts_as_claim,
        options=asdict(options),
        cautions=partial(cautions.of, options),
        stake=options.stake,
        points_named=CARD_NAMES if options.cap_at_stack else STAKE_NAMES,
        levels=levels(options),
        desk=Desk(
            ways=moments.WAYS,
            flags=moments.FLAGS,
            judge=partial(moments.judge, options),
            waits=partial(moments.waits, options),
            answer=partial(questions.answer, options),
            sheet=sheet(options),
            prices=prices(options),
            contradiction=contradiction,
            known=moments.known,
        ),
    )


_ABOUT: Final[Mapping[str, tuple[str, str]]] = {
    "cixi-card": (
        "每人一百分的牌，付尽为止；有人付光这一场就结束。",
        "Everybody begins with a hundred points in cards; the match is over when somebody has none left.",
    ),
    "cixi-platform": (
        "按底注记输赢，不设上限；不许的动作不接受，也不罚。",
        "Gains and losses are counted by a stake, without limit; moves that are not allowed are refused.",
    ),
}

PROFILES: Final[Mapping[str, Callable[[Mapping[str, object]], RuleSet]]] = {
    "cixi-card": partial(_make, "cixi-card", "慈溪麻将 (牌分)", "Cixi mahjong, points by cards", CARD),
    "cixi-platform": partial(_make, "cixi-platform", "慈溪麻将 (底注)", "Cixi mahjong, stakes", PLATFORM),
}
