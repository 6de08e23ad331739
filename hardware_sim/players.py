"""Four players who know their own tiles: what each of them does next. Pure; chance comes in as an argument.

They play for the shortest way to a win and look no further: a tile is thrown where the hand loses nothing, a
discard is claimed where it brings the hand nearer. The wild tile is never thrown. A player wins whenever the
rules allow it and what lies on the table decides what it costs, so that no question is asked that no camera
could answer.
"""

from dataclasses import dataclass
from enum import Enum
from math import inf
from random import Random
from typing import Final

from hardware_sim.players_shape import Counts, acceptance, changed, distance
from rules.events import Claimed, Discarded, Event, IllegalEvent, KongDeclared, MeldKind, Won
from rules.hand import is_win
from rules.ruleset import RuleSet
from rules.scoring import settle
from rules.settlement import Unsettled
from rules.table import TableState, apply, kong_to_rob, options, public
from rules.tiles import KINDS, Seat, Tile

OVERLOOKED: Final = 0.05
"""Share of useful claims that nobody makes."""
RUNS: Final = ((-2, -1), (-1, 1), (1, 2))
"""What a claimed tile needs beside it for a chi, as steps from its own rank."""


class Temper(Enum):
    """How the table plays a deal."""

    KEEN = "keen"
    """Everybody plays to win."""
    IDLE = "idle"
    """Nobody claims and anything but the wild tile is thrown: such deals mostly end drawn."""


@dataclass(frozen=True, slots=True)
class _Holding:
    """A player's concealed tiles as the heuristic counts them."""

    counts: Counts
    wilds: int
    melds: int

    def needs(self) -> int:
        return distance(self.counts, melds=self.melds, wilds=self.wilds)

    def without(self, kind: int, copies: int = 1, *, melds: int = 0) -> "_Holding":
        return _Holding(changed(self.counts, kind, -copies), self.wilds, self.melds + melds)


def on_turn(state: TableState, rules: RuleSet, rng: Random, temper: Temper = Temper.KEEN) -> Event:
    """What the player whose turn it is does with the tiles in his hand (`state` in phase TURN)."""
    seat = state.turn
    won = _win_on_turn(state, rules)
    if won is not None:
        return won
    if rules.only_a_win(state) is not None:
        drawn = Tile.UNKNOWN if state.drawn is None else state.drawn
        return Won(seat, state.hands[seat].concealed, drawn)
    if temper is Temper.IDLE:
        return Discarded(seat, _any_tile(state, rules, rng))
    thrown, needs = _best_discard(state, _holding(state, seat), rules, rng)
    kong = _kong_on_turn(state, rules, needs)
    return kong if kong is not None else Discarded(seat, thrown)


def on_discard(
    state: TableState, rules: RuleSet, rng: Random, temper: Temper = Temper.KEEN
) -> Won | Claimed | None:
    """What happens to the open discard (`state` in phase CLAIM): the best right goes first, None: nobody."""
    won = None if state.last_discard is None else _best_win(state, *state.last_discard, rules)
    if won is not None:
        return won
    if rules.only_a_win(state) is not None:
        return _forced_win(state, rules)
    if temper is Temper.IDLE:
        return None
    wanted = [claim for seat in _others(state) if (claim := _claim(state, seat, rules, rng)) is not None]
    return min(wanted, key=lambda claim: rules.claims[claim.kind]) if wanted else None


def on_kong(state: TableState, rules: RuleSet) -> Won | None:
    """Who robs the fourth tile of the kong just declared (`state` in phase DRAW), None: nobody can."""
    robbed = kong_to_rob(state)
    return None if robbed is None else _best_win(state, robbed.seat, robbed.tile, rules)


def _forced_win(state: TableState, rules: RuleSet) -> Won | None:
    """The win that has to come on this discard: the discarder's own, or that of whoever stops it."""
    moves = [move for seat in (state.turn, *_others(state)) for move in options(state, seat, rules)]
    return next((move for move in moves if isinstance(move, Won)), None)


def _others(state: TableState) -> tuple[Seat, ...]:
    return tuple(state.turn.after(steps) for steps in (1, 2, 3))


def _legal(state: TableState, event: Event, rules: RuleSet) -> bool:
    try:
        apply(state, event, rules)
    except IllegalEvent:
        return False
    return True


def _holding(state: TableState, seat: Seat) -> _Holding:
    counts = [0] * KINDS
    for tile in state.hands[seat].concealed:
        counts[tile] += 1
    wilds = 0
    if state.wild is not None:
        wilds, counts[state.wild] = counts[state.wild], 0
    return _Holding(tuple(counts), wilds, len(state.hands[seat].melds))


def unseen_by(state: TableState, seat: Seat) -> Counts:
    """How many of each kind this player sees nowhere: neither in his hand nor open on the table."""
    seen = [tile for pond in state.ponds for tile in pond]
    seen += [tile for hand in state.hands for meld in hand.melds for tile in meld.tiles]
    seen += state.hands[seat].concealed
    if state.indicator is not None:
        seen.append(state.indicator)
    return tuple(4 - seen.count(Tile(kind)) if kind != state.wild else 0 for kind in range(KINDS))


def _best_discard(state: TableState, holding: _Holding, rules: RuleSet, rng: Random) -> tuple[Tile, int]:
    """The tile whose loss hurts least, and the distance of the hand without it."""
    kinds = [kind for kind, count in enumerate(holding.counts) if count]
    kinds = [kind for kind in kinds if rules.may_discard(state, state.turn, Tile(kind))]
    if not kinds:
        return state.hands[state.turn].concealed[-1], 0
    needs = {kind: holding.without(kind).needs() for kind in kinds}
    least = min(needs.values())
    unseen = unseen_by(state, state.turn)

    def worth(kind: int) -> tuple[int, bool, float]:
        rest = holding.without(kind)
        takes = acceptance(rest.counts, unseen, melds=rest.melds, wilds=rest.wilds)
        return takes, Tile(kind).is_suited, -rng.random()

    return Tile(max((kind for kind in kinds if needs[kind] == least), key=worth)), least


def _any_tile(state: TableState, rules: RuleSet, rng: Random) -> Tile:
    seat = state.turn
    held = [tile for tile in state.hands[seat].concealed if tile is not state.wild]
    allowed = [tile for tile in held if rules.may_discard(state, seat, tile)]
    return rng.choice(allowed or held or list(state.hands[seat].concealed))


def _kong_on_turn(state: TableState, rules: RuleSet, needs: int) -> KongDeclared | None:
    """A kong that leaves the hand no further from a win than the best discard does."""
    seat = state.turn
    holding = _holding(state, seat)
    for kind, count in enumerate(holding.counts):
        if count == 4:
            declared = KongDeclared(seat, MeldKind.CONCEALED_KONG, Tile(kind))
            rest = holding.without(kind, 4, melds=1)
        elif count:
            declared = KongDeclared(seat, MeldKind.ADDED_KONG, Tile(kind))
            rest = holding.without(kind)
        else:
            continue
        if _legal(state, declared, rules) and rest.needs() <= needs:
            return declared
    return None


def _claim(state: TableState, seat: Seat, rules: RuleSet, rng: Random) -> Claimed | None:
    """The claim that helps this player most, if any does."""
    holding = _holding(state, seat)
    best: tuple[float, Claimed] | None = None
    for claimed in _possible_claims(state, seat, holding):
        if not _legal(state, claimed, rules):
            continue
        gain = holding.needs() - _after_claim(holding, claimed)
        if gain > 0 and (best is None or gain > best[0]):
            best = (gain, claimed)
    # Even a good claim is overlooked now and then: people talk while they play.
    return best[1] if best is not None and rng.random() >= OVERLOOKED else None


def _after_claim(holding: _Holding, claimed: Claimed) -> float:
    """The distance after the claim and the best discard; a kong is worth a little for its extra draw."""
    own = list(claimed.tiles)
    own.remove(claimed.taken)
    rest = _Holding(holding.counts, holding.wilds, holding.melds + 1)
    for tile in own:
        rest = rest.without(tile)
    if claimed.kind.is_kong:
        return rest.needs() - 0.5
    kinds = [kind for kind, count in enumerate(rest.counts) if count]
    return min((rest.without(kind).needs() for kind in kinds), default=inf)


def _possible_claims(state: TableState, seat: Seat, holding: _Holding) -> list[Claimed]:
    if state.last_discard is None:
        return []
    giver, tile = state.last_discard
    held = holding.counts[tile]
    found = []
    if held == 3:
        found.append(Claimed(seat, MeldKind.KONG, (tile,) * 4, tile, giver))
    if held >= 2:
        found.append(Claimed(seat, MeldKind.PENG, (tile,) * 3, tile, giver))
    if seat is giver.next and tile.is_suited:
        for steps in RUNS:
            own = [tile + step for step in steps]
            if all(k // 9 == tile // 9 and k >= 0 and holding.counts[k] for k in own):
                run = tuple(sorted((tile, *(Tile(k) for k in own))))
                found.append(Claimed(seat, MeldKind.CHI, run, tile, giver))
    return found


def _win_on_turn(state: TableState, rules: RuleSet) -> Won | None:
    """A self-draw with the drawn tile laid apart; after a claim nobody wins before he has discarded."""
    if state.drawn is None:
        return None
    return _decided(state, Won(state.turn, state.hands[state.turn].concealed, state.drawn), rules)


def _best_win(state: TableState, giver: Seat, tile: Tile, rules: RuleSet) -> Won | None:
    """The win with a tile that another has thrown or laid to a kong, by whoever has the best right."""
    if tile is state.wild:
        return None
    hands = {seat: tuple(sorted((*state.hands[seat].concealed, tile))) for seat in _others(state)}
    wins = [_decided(state, Won(seat, hand, tile, giver), rules) for seat, hand in hands.items()]
    return min((won for won in wins if won), key=lambda won: rules.win_rank(state, won), default=None)


def _decided(state: TableState, won: Won, rules: RuleSet) -> Won | None:
    """The win if the hand is complete, the rules allow it, and what is open decides what it costs."""
    if not is_win(won.hand, state.hands[won.seat].melds, state.wild):
        return None
    try:
        settle(public(apply(state, won, rules)), rules, None)
    except (IllegalEvent, Unsettled):
        return None
    return won
