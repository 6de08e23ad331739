"""The state machine of a deal: one literal table of transitions, one small function an event.

`apply` checks and performs an event. It works alike with known hands and with hands of UNKNOWN tiles; what
a hidden hand could contradict is then not checked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rules.entered import enter, result_of
from rules.events import (
    Barred,
    Claimed,
    DealStarted,
    Discarded,
    Drew,
    Entered,
    Event,
    FalseWin,
    FlowerShown,
    IllegalEvent,
    IndicatorTurned,
    KongDeclared,
    Meld,
    MeldKind,
    WallExhausted,
    Won,
)
from rules.legality import forms_set, require_turn, without
from rules.log import claims_from, is_barred, known_copies
from rules.state import Hand, Phase, TableState, Wall, at_phase, with_hand, with_item
from rules.tiles import SEATS, Seat, Tile
from rules.winning import win

if TYPE_CHECKING:
    from rules.ruleset import RuleSet


Move = type[Event] | MeldKind
"""What the table of transitions looks at: a claim's or kong's kind of set, else the type of the event."""

TRANSITIONS: Final[dict[Phase, dict[Move, Phase]]] = {
    Phase.READY: {DealStarted: Phase.DEALT},
    Phase.DEALT: {IndicatorTurned: Phase.TURN, Entered: Phase.OVER},
    Phase.TURN: {
        Discarded: Phase.CLAIM,
        MeldKind.CONCEALED_KONG: Phase.DRAW,
        MeldKind.ADDED_KONG: Phase.DRAW,
        FlowerShown: Phase.TURN,
        Won: Phase.OVER,
        FalseWin: Phase.TURN,
        Barred: Phase.TURN,
        Entered: Phase.OVER,
    },
    Phase.CLAIM: {
        Drew: Phase.TURN,
        MeldKind.CHI: Phase.TURN,
        MeldKind.PENG: Phase.TURN,
        MeldKind.KONG: Phase.DRAW,
        Won: Phase.OVER,
        WallExhausted: Phase.OVER,
        FalseWin: Phase.CLAIM,
        Barred: Phase.CLAIM,
        Entered: Phase.OVER,
    },
    Phase.DRAW: {
        Drew: Phase.TURN,
        Won: Phase.OVER,
        FalseWin: Phase.DRAW,
        Barred: Phase.DRAW,
        Entered: Phase.OVER,
    },
    Phase.OVER: {DealStarted: Phase.DEALT},
}


_GOES_ON: Final = frozenset({Drew, Discarded, WallExhausted, MeldKind.CONCEALED_KONG, MeldKind.ADDED_KONG})
"""Moves that a rule set may forbid where a win must come."""

_OF_A_KIND: Final = (Claimed, KongDeclared)
_ENDS: Final = (Won, WallExhausted)


def new_table(rules: RuleSet) -> TableState:
    """A table before its first deal."""
    empty = Hand()
    return TableState(
        phase=Phase.READY,
        dealer=Seat.S0,
        turn=Seat.S0,
        hands=(empty, empty, empty, empty),
        ponds=((), (), (), ()),
        wall=Wall(len(rules.tiles)),
    )


def apply(state: TableState, event: Event, rules: RuleSet) -> TableState:
    """The state after the event.

    Raises:
        IllegalEvent: the event can't happen now; `state` is unchanged in any case.
    """
    move: Move = event.kind if isinstance(event, _OF_A_KIND) else type(event)
    phase = TRANSITIONS[state.phase].get(move)
    if phase is None:
        raise IllegalEvent(f"{_word(move)} can't happen in phase {state.phase}")
    if move in _GOES_ON:
        forced = rules.only_a_win(state)
        if forced is not None:
            raise IllegalEvent(forced)
    changed = _perform(state, event, rules)
    if phase is Phase.DEALT and rules.wild_of is None:
        phase = Phase.TURN
    log = (event,) if isinstance(event, DealStarted) else (*state.log, event)
    result = result_of(event) if isinstance(event, Entered) else None
    if isinstance(event, _ENDS):
        result = event
    after = at_phase(changed, phase, log, result)
    if not _was_known(state, event):
        _check_copies(after, _revealed(event), rules)
    return after


def _was_known(state: TableState, event: Event) -> bool:
    """Whether the event lays open only tiles of a hand that were known before."""
    if isinstance(event, Discarded):
        return event.tile in state.hands[event.seat].concealed
    if isinstance(event, Claimed):
        return Tile.UNKNOWN not in state.hands[event.seat].concealed
    return isinstance(event, Won) and Tile.UNKNOWN not in state.hands[event.seat].concealed


def state_diagram() -> str:
    """The table of transitions as the text of a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {Phase.READY}"]
    for phase, moves in TRANSITIONS.items():
        targets: dict[Phase, list[str]] = {}
        for move, target in moves.items():
            targets.setdefault(target, []).append(_word(move))
        lines += [f"    {phase} --> {target}: {', '.join(words)}" for target, words in targets.items()]
    return "\n".join(lines) + "\n"


def _word(move: Move) -> str:
    return str(move) if isinstance(move, MeldKind) else move.__name__


def _perform(  # noqa: C901, PLR0911 - one case a kind of event
    state: TableState, event: Event, rules: RuleSet
) -> TableState:
    match event:
        case DealStarted():
            return _deal(event, rules)
        case IndicatorTurned():
            return _turn_indicator(state, event, rules)
        case Drew():
            return _draw(state, event, rules)
        case FlowerShown():
            return _show_flower(state, event)
        case Discarded():
            return _discard(state, event, rules)
        case Claimed():
            return _claim(state, event, rules)
        case KongDeclared():
            return _declare(state, event)
        case Won():
            return win(state, event, rules)
        case WallExhausted():
            return _exhaust(state, rules)
        case FalseWin() | Barred():
            return _penalise(state, event, rules)
        case Entered():
            return enter(state, event, rules)


def _revealed(event: Event) -> tuple[Tile, ...]:
    """The tiles that the event makes known."""
    match event:
        case IndicatorTurned() | Drew() | Discarded() | KongDeclared():
            return (event.tile,)
        case Claimed():
            return event.tiles
        case FlowerShown():
            return (event.tile, event.replacement)
        case Won():
            return event.hand
        case DealStarted():
            return tuple(tile for hand in event.hands or () for tile in hand)
        case WallExhausted() | FalseWin() | Barred() | Entered():
            return ()


def _check_copies(state: TableState, tiles: tuple[Tile, ...], rules: RuleSet) -> None:
    """No tile can be known more often than the set has it."""
    for tile in set(tiles) - {Tile.UNKNOWN}:
        number = known_copies(state, tile)
        if number > rules.copies.get(tile, 0):
            raise IllegalEvent(f"{number} copies of {tile}, the set has {rules.copies.get(tile, 0)}")


def _deal(event: DealStarted, rules: RuleSet) -> TableState:
    if event.kept < 0:
        raise IllegalEvent("the number of deals kept can't be negative")
    if event.dice is not None and not all(1 <= die <= 6 for die in event.dice):
        raise IllegalEvent(f"dice {event.dice}: expected 1 to 6 each")
    sizes = [rules.hand_size + (seat is event.dealer) for seat in SEATS]
    if event.hands is None:
        dealt: list[tuple[Tile, ...]] = [(Tile.UNKNOWN,) * size for size in sizes]
    elif [len(hand) for hand in event.hands] != sizes:
        raise IllegalEvent(f"hands of {[len(hand) for hand in event.hands]} tiles dealt, expected {sizes}")
    else:
        dealt = list(event.hands)
    first, second, third, fourth = (Hand(tuple(sorted(hand))) for hand in dealt)
    return TableState(
        phase=Phase.DEALT,
        dealer=event.dealer,
        turn=event.dealer,
        hands=(first, second, third, fourth),
        ponds=((), (), (), ()),
        wall=Wall(len(rules.tiles), drawn=sum(sizes)),
        drawn=dealt[event.dealer][-1],
    )


def _turn_indicator(state: TableState, event: IndicatorTurned, rules: RuleSet) -> TableState:
    if rules.wild_of is None or event.tile not in rules.copies:
        raise IllegalEvent(f"{event.tile} can't be the indicator")
    wall = replace(state.wall, out=state.wall.out + 1)
    return replace(state, indicator=event.tile, wild=rules.wild_of(event.tile), wall=wall)


def _draw(state: TableState, event: Drew, rules: RuleSet) -> TableState:
    replacing = state.phase is Phase.DRAW
    due = state.turn if replacing else state.turn.next
    if event.seat is not due:
        raise IllegalEvent(f"seat {event.seat} draws, it is seat {due}'s turn")
    if event.replacement != replacing:
        raise IllegalEvent("a replacement is drawn after a kong and only then")
    reason = refuses_draw(state, rules)
    if reason is not None:
        raise IllegalEvent(reason)
    hand = state.hands[event.seat]
    concealed = tuple(sorted((*hand.concealed, event.tile)))
    # Written out, as in `_discard`: most that is ever tried is a draw or a discard.
    return TableState(
        state.phase,
        state.dealer,
        event.seat,
        with_hand(state, event.seat, hand.holding(concealed)),
        state.ponds,
        state.wall.after_draw(),
        state.indicator,
        state.wild,
        event.tile,
        None,
        state.kongs,
        state.result,
        state.log,
    )


def refuses_draw(state: TableState, rules: RuleSet) -> str | None:
    """Why the wall gives no tile to whose turn it is to draw, or None."""
    kept = 0 if state.phase is Phase.DRAW else rules.reserve(state.kongs)
    if state.wall.left > kept:
        return None
    return f"no tile can be drawn: {state.wall.left} left, {kept} are never drawn"


def _show_flower(state: TableState, event: FlowerShown) -> TableState:
    started = any(isinstance(earlier, Discarded) for earlier in state.log)
    if started:
        require_turn(state, event.seat)
    if not event.tile.is_flower:
        raise IllegalEvent(f"{event.tile} is no flower")
    if state.wall.left == 0:
        raise IllegalEvent("no tile is left to replace the flower")
    hand = state.hands[event.seat]
    concealed = (*without(hand.concealed, (event.tile,)), event.replacement)
    shown = replace(hand, concealed=tuple(sorted(concealed)), flowers=(*hand.flowers, event.tile))
    return replace(
        state,
        hands=with_hand(state, event.seat, shown),
        wall=state.wall.after_draw(),
        drawn=event.replacement if event.seat is state.turn else state.drawn,
    )


def _discard(state: TableState, event: Discarded, rules: RuleSet) -> TableState:
    require_turn(state, event.seat)
    if event.tile not in rules.copies or event.tile.is_flower:
        raise IllegalEvent(f"{event.tile} can't be discarded")
    if not rules.may_discard(state, event.seat, event.tile):
        raise IllegalEvent(f"{event.tile} may not be discarded")
    hand = state.hands[event.seat]
    concealed = without(hand.concealed, (event.tile,))
    return TableState(
        state.phase,
        state.dealer,
        state.turn,
        with_hand(state, event.seat, hand.holding(concealed)),
        with_item(state.ponds, event.seat, (*state.ponds[event.seat], event.tile)),
        state.wall,
        state.indicator,
        state.wild,
        None,
        (event.seat, event.tile),
        state.kongs,
        state.result,
        state.log,
    )


def _claim(state: TableState, event: Claimed, rules: RuleSet) -> TableState:
    _check_claim(state, event, rules)
    own = list(event.tiles)
    own.remove(event.taken)
    hand = state.hands[event.seat]
    concealed = without(hand.concealed, tuple(own))
    meld = Meld(event.kind, event.tiles, event.from_seat)
    pond = state.ponds[event.from_seat][:-1]
    return replace(
        state,
        turn=event.seat,
        hands=with_hand(state, event.seat, replace(hand, concealed=concealed, melds=(*hand.melds, meld))),
        ponds=with_item(state.ponds, event.from_seat, pond),
        last_discard=None,
        kongs=state.kongs + event.kind.is_kong,
    )


def _check_claim(state: TableState, event: Claimed, rules: RuleSet) -> None:
    if event.kind not in rules.claims:
        raise IllegalEvent(f"{rules.name} knows no {event.kind}")
    if state.last_discard != (event.from_seat, event.taken):
        raise IllegalEvent(f"{event.taken} of seat {event.from_seat} is not the last discard")
    if event.seat is event.from_seat:
        raise IllegalEvent("nobody claims his own discard")
    if state.wild in event.tiles:
        raise IllegalEvent("the wild tile is in no declared set")
    if event.taken not in event.tiles or not forms_set(event.kind, event.tiles):
        raise IllegalEvent(f"{' '.join(map(str, event.tiles))} is no {event.kind} with {event.taken}")
    if event.kind is MeldKind.CHI and event.from_seat.distance(event.seat) not in rules.chi_by:
        raise IllegalEvent("only the next player may chi")
    if event.kind.is_kong and state.wall.left == 0:
        raise IllegalEvent("no tile is left to replace a kong's")
    limit = rules.claims_per_opponent
    claimed = claims_from(state, event.seat, event.from_seat, kongs=rules.kongs_are_claims)
    if limit is not None and claimed >= limit and (rules.kongs_are_claims or not event.kind.is_kong):
        raise IllegalEvent(
            f"seat {event.seat} has claimed {limit} discards of seat {event.from_seat} already"
        )
    reason = rules.refuses_claim(state, event)
    if reason is not None:
        raise IllegalEvent(reason)


def _declare(state: TableState, event: KongDeclared) -> TableState:
    require_turn(state, event.seat)
    if event.tile is Tile.UNKNOWN:
        raise IllegalEvent("the tile of a kong must be known")
    if state.drawn is None:
        raise IllegalEvent("a kong is declared after a draw, not after a claim")
    if event.tile is state.wild:
        raise IllegalEvent("the wild tile is in no declared set")
    if state.wall.left == 0:
        raise IllegalEvent("no tile is left to replace a kong's")
    hand = state.hands[event.seat]
    melds = _with_kong(hand.melds, event)
    own = (event.tile,) * (4 if event.kind is MeldKind.CONCEALED_KONG else 1)
    changed = replace(hand, concealed=without(hand.concealed, own), melds=melds)
    return replace(state, hands=with_hand(state, event.seat, changed), drawn=None, kongs=state.kongs + 1)


def _with_kong(melds: tuple[Meld, ...], event: KongDeclared) -> tuple[Meld, ...]:
    four = (event.tile,) * 4
    if event.kind is MeldKind.CONCEALED_KONG:
        return (*melds, Meld(event.kind, four))
    for place, meld in enumerate(melds):
        if meld.kind is MeldKind.PENG and meld.tiles[0] is event.tile:
            return with_item(melds, place, Meld(event.kind, four, meld.taken_from))
    raise IllegalEvent(f"seat {event.seat} has no peng of {event.tile}")


def _penalise(state: TableState, event: FalseWin | Barred, rules: RuleSet) -> TableState:
    if rules.fine is None:
        raise IllegalEvent(f"{rules.name} refuses wrong moves instead of punishing them")
    if isinstance(event, FalseWin):
        for tile in set(event.hand):
            if event.hand.count(tile) > rules.copies.get(tile, 0):
                raise IllegalEvent(f"{event.hand.count(tile)} copies of {tile}: no such hand can be shown")
    # Who may not win and declares again is fined again.
    if isinstance(event, Barred) and is_barred(state, event.seat):
        raise IllegalEvent(f"seat {event.seat} may not win this deal already")
    return state


def _exhaust(state: TableState, rules: RuleSet) -> TableState:
    if state.wall.left > rules.reserve(state.kongs):
        raise IllegalEvent(f"{state.wall.left} tiles are left in the wall")
    return state
