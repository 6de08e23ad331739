"""By which rules a table plays: the configuration's, unless people have agreed on others. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from rules import sets
from rules.ruleset import RuleSet

if TYPE_CHECKING:
    from controller.journal_rows import BootRow, SetupRow
    from controller.journal_start import Past

Options: TypeAlias = dict[str, bool | int | str]


class Agreed(msgspec.Struct, frozen=True):
    """A rule set's name and all its options; None in a journal that was begun when they were not written."""

    rules: str
    options: Options | None = None

    @property
    def start_points(self) -> int | None:
        """The points of a player at the start of a match, None where that is not written."""
        found = (self.options or {}).get("start_points")
        return found if isinstance(found, int) else None

    def is_of(self, rules: RuleSet) -> bool:
        """Whether these are the rules and options of `rules`."""
        return self == agreed(rules)


def written_options(rules: RuleSet) -> Options:
    """The options of a rule set as the journal keeps them."""
    return {name: value for name, value in rules.options.items() if isinstance(value, bool | int | str)}


def agreed(rules: RuleSet) -> Agreed:
    """A rule set as it is written down."""
    return Agreed(rules.name, written_options(rules))


def in_force(
    boots: Mapping[int, "BootRow"], setups: Iterable["SetupRow"], boot: int, at: float
) -> Agreed | None:
    """The rules that held at a moment of a start; None where the journal does not tell.

    What was written in the moment of a set-up came after it.
    """
    begun = boots.get(boot)
    found = None if begun is None else Agreed(begun.rules, begun.options)
    for setup in setups:
        if setup.boot == boot and setup.at <= at:
            found = Agreed(setup.rules, setup.options)
    return found


def rules_to_play(configured: RuleSet, past: "Past") -> RuleSet:
    """The rules of a start: those people have agreed on, unless the configuration has been changed since.

    Raises:
        ValueError: what they have agreed on is known no more.
    """
    setup = past.setup
    if setup is None or setup.instead_of != agreed(configured):
        return configured
    return sets.load(setup.rules, setup.options)


def tiles_differ(now: RuleSet, wished: RuleSet, tile_counts: Iterable[int]) -> tuple[str, str] | None:
    """Why a table that holds the tiles of one rule set can't play another, None where it can.

    `tile_counts` are the sizes of the sets that the table model shuffles.
    """
    if now.copies == wished.copies:
        return None
    known: Sequence[int] = sorted(tile_counts)
    size = len(wished.tiles)
    if size not in known:
        told = "、".join(map(str, known)), ", ".join(map(str, known))
        return (
            f"{wished.zh}用{size}张牌，这张桌子只能洗{told[0]}张",
            f"{wished.name} is played with {size} tiles, this table shuffles sets of {told[1]}",
        )
    zh = f"{wished.zh}用另一副牌（{size}张，现在{len(now.tiles)}张）：请换牌、改配置文件并重新启动"
    en = f"{wished.name} is played with other tiles ({size}, now {len(now.tiles)})"
    return zh, f"{en}: change the tiles and the configuration, and start again"
