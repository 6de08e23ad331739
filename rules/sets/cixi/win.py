"""One win of Cixi mahjong with everything that decides its price, and how a table's log tells it.

Only public facts are read: discards, declared sets, the hand that was laid open.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rules.events import Claimed, Discarded, Drew, Event, KongDeclared, Meld, MeldKind, Won
from rules.log import claims_from, discards_of, is_barred, kept_of, last_move
from rules.state import Phase, TableState
from rules.tiles import SEATS, Seat, Tile

from .passed import has_passed

if TYPE_CHECKING:
    from .options import Options


ROW_OF_HONOURS: Final = 10


class How(StrEnum):
    """The ways to win."""

    SELFDRAW = "selfdraw"
    """自摸."""
    DISCARD = "discard"
    """打胡."""
    ROBKONG = "robkong"
    """抢杠: the tile of another's added kong."""
    FEIMA = "feima"
    """飞马: four sets down and only a dragon left, nobody wins on the own discard."""
    SILONG = "silong"
    """四龙: four dragons in hand at the own turn."""
    SHILIANFENG = "shilianfeng"
    """十连风: ten own discards in a row are honours and stay unclaimed."""
    QUANFENG_SURVIVE = "quanfeng_survive"
    """全风 of the card profile: thirteen honours or dragons are left after the own discard."""


class Flag(StrEnum):
    """Circumstances that change the price or forbid the win."""

    AFTER_KONG = "after_kong"
    HOT_DISCARD = "hot_discard"
    SINGLE_WAIT_ADJACENT = "single_wait_adjacent"
    INTERCEPT_FEIMA = "intercept_feima"
    GUAN_FENGXIANG = "guan_fengxiang"
    FIRST_DEALER_DISCARD = "first_dealer_discard"
    DEALER_FIRST = "dealer_first"
    OVER_LIMIT = "over_limit"
    DISCARDED_DRAGON = "discarded_dragon"
    AFTER_CLAIM = "after_claim"
    """Won on the own turn without having drawn."""
    BARRED = "barred"
    """People have ruled that the player may not win this deal."""
    LATE_FEIMA = "late_feima"
    """The discard before a 飞马 did not follow the claim of the fourth set."""
    PASSED_WIN = "passed_win"
    """Since the own last draw the player has let a tile pass that he could have won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Win:
    """A win to be judged.

    `hand` are the concealed tiles with the winning one; after the own discard they are what is left. `tile`
    is the winning tile, UNKNOWN where a drawn one is not told apart. `kept` counts the deals the dealer has
    kept by winning. `honours` are the own last discards in a row that were plain honours, `honours_claimed`
    whether another took one of the last ten (asked only of ten), `own_claims` the own chi, peng and exposed
    kongs.
    """

    seat: Seat
    dealer: Seat
    how: How
    wild: Tile
    hand: tuple[Tile, ...]
    melds: tuple[Meld, ...] = ()
    tile: Tile = Tile.UNKNOWN
    from_seat: Seat | None = None
    flags: frozenset[Flag] = frozenset()
    kept: int = 0
    honours: tuple[Tile, ...] = ()
    honours_claimed: bool = False
    own_claims: int = 0
    discards: int = 0

    @property
    def dragons(self) -> int:
        """Wild tiles in the hand."""
        return self.hand.count(self.wild)

    @property
    def before(self) -> tuple[Tile, ...]:
        """The concealed tiles without the winning one."""
        hand = self.hand
        if self.tile not in hand:
            return hand
        place = hand.index(self.tile)
        return hand[:place] + hand[place + 1 :]


def read_win(state: TableState, won: Won, options: Options) -> Win:
    """The win that `won` declares in `state`, the state before it.

    The flags hold what everybody has seen; `hidden_flags` tells the rest.
    """
    if state.wild is None:
        raise ValueError("no indicator has been turned")
    honours = honours_in_a_row(state, won.seat)
    win = Win(
        seat=won.seat,
        dealer=state.dealer,
        how=_how(state, won, options),
        wild=state.wild,
        hand=won.hand,
        melds=state.hands[won.seat].melds,
        tile=won.tile,
        from_seat=won.from_seat,
        flags=_flags(state, won, options),
        kept=kept_of(state),
        honours=honours,
        honours_claimed=len(honours) >= ROW_OF_HONOURS and _honours_claimed(state, won.seat),
        own_claims=sum(meld.taken_from is not None for meld in state.hands[won.seat].melds),
        discards=len(discards_of(state, won.seat)),
    )
    if state.phase is Phase.CLAIM and won.from_seat is None and ten_honours(win, options):
        # Of several wins by one discard the jackpot counts, and its name goes first (R43).
        return replace(win, how=How.SHILIANFENG)
    return win


def ten_honours(win: Win, options: Options) -> bool:
    """Whether the own discards are 十连风 (R32)."""
    if len(win.honours) < ROW_OF_HONOURS or win.honours_claimed:
        return False
    if options.shilianfeng_own_claim == "kills" and win.own_claims:
        return False
    return options.shilianfeng_window == "any" or win.discards == ROW_OF_HONOURS


def _how(state: TableState, won: Won, options: Options) -> How:
    if state.phase is Phase.TURN:
        if won.hand.count(state.wild or Tile.UNKNOWN) == 4:
            return How.SILONG
        single = len(state.hands[won.seat].melds) == 4 and set(won.hand) == {state.wild}
        return How.FEIMA if single and state.drawn is None else How.SELFDRAW
    if won.from_seat is not None:
        return How.DISCARD if state.phase is Phase.CLAIM else How.ROBKONG
    melds = state.hands[won.seat].melds
    tiles = [*won.hand, *(tile for meld in melds for tile in meld.tiles)]
    if not won.hand:
        return How.SHILIANFENG
    if options.quanfeng == "after_discard" and all(t.is_honour or t is state.wild for t in tiles):
        return How.QUANFENG_SURVIVE
    row = len(melds) < 4 and len(honours_in_a_row(state, won.seat)) >= ROW_OF_HONOURS
    return How.SHILIANFENG if row else How.FEIMA


def _flags(state: TableState, won: Won, options: Options) -> frozenset[Flag]:
    on_discard = state.phase is Phase.CLAIM and won.from_seat is not None
    tests = {
        Flag.AFTER_KONG: state.phase is Phase.TURN and _on_replacement(state),
        Flag.HOT_DISCARD: on_discard and _kong_this_turn(state, state.turn),
        Flag.SINGLE_WAIT_ADJACENT: on_discard and _adjacent(state, won, options),
        Flag.FIRST_DEALER_DISCARD: on_discard and won.seat is not state.dealer and _is_first_discard(state),
        Flag.DEALER_FIRST: state.phase is Phase.TURN and _nothing_happened(state),
        Flag.LATE_FEIMA: not claimed_this_turn(state, won.seat),
        Flag.PASSED_WIN: options.pass_win_lock
        and won.from_seat is not None
        and has_passed(state, won, options),
        Flag.AFTER_CLAIM: state.phase is Phase.TURN and state.drawn is None,
    }
    return marks(state, won.seat, options).union(flag for flag, holds in tests.items() if holds)


def marks(state: TableState, seat: Seat, options: Options) -> frozenset[Flag]:
    """Why the player may not win this deal at all (§9), nothing where he may."""
    tests = {
        Flag.BARRED: is_barred(state, seat),
        Flag.DISCARDED_DRAGON: state.wild in discards_of(state, seat),
        Flag.OVER_LIMIT: _over_limit(state, seat, options),
    }
    return frozenset(flag for flag, holds in tests.items() if holds)


def _over_limit(state: TableState, seat: Seat, options: Options) -> bool:
    if len(state.hands[seat].melds) < 3:
        return False
    kongs = options.kong_counts_as_claim
    return any(claims_from(state, seat, other, kongs=kongs) >= 3 for other in SEATS)


def claimed_this_turn(state: TableState, seat: Seat) -> bool:
    """Whether the seat has claimed a set in its turn that lasts, or that ended with its last discard."""
    if state.phase is Phase.TURN:
        return state.drawn is None
    return any(isinstance(event, Claimed) for event in turn_of_last_discard(state, seat))


def _on_replacement(state: TableState) -> bool:
    last = last_move(state)
    return isinstance(last, Drew) and last.replacement


def _is_first_discard(state: TableState) -> bool:
    """Whether no tile was discarded before the one that lies open."""
    discards = (event for event in state.log if isinstance(event, Discarded))
    next(discards, None)
    return next(discards, None) is None


def _nothing_happened(state: TableState) -> bool:
    return not any(isinstance(event, (Discarded, KongDeclared, Claimed)) for event in state.log)


def turn_of_last_discard(state: TableState, seat: Seat) -> list[Event]:
    """What the seat did in the turn that ended with its last discard, that discard last."""
    turn: list[Event] = []
    for event in reversed(state.log):
        if getattr(event, "seat", None) is seat:
            is_discard = isinstance(event, Discarded)
            if is_discard and turn:
                break
            if is_discard or turn:
                turn.append(event)
    return turn[::-1]


def _is_kong(event: object) -> bool:
    return isinstance(event, KongDeclared) or (isinstance(event, Claimed) and event.kind.is_kong)


def _kong_this_turn(state: TableState, seat: Seat) -> bool:
    return any(_is_kong(event) for event in turn_of_last_discard(state, seat))


def _adjacent(state: TableState, won: Won, options: Options) -> bool:
    """Whether the tile is near the discard by which the winner became a single-waiter (R27)."""
    if options.adjacency == "off" or len(state.hands[won.seat].melds) != 4:
        return False
    turn = turn_of_last_discard(state, won.seat)
    if not turn or not isinstance(turn[-1], Discarded):
        return False
    new_meld = any(
        isinstance(e, Claimed) or (isinstance(e, KongDeclared) and e.kind is MeldKind.CONCEALED_KONG)
        for e in turn
    )
    if options.adjacency == "on_becoming_single" and not new_meld:
        return False
    near = turn[-1].tile
    return near.suit is not None and near.suit == won.tile.suit and abs(near - won.tile) in {1, 2}


def honours_in_a_row(state: TableState, seat: Seat) -> tuple[Tile, ...]:
    """The last discards of a seat, as far back as they are honours and no dragon."""
    row: list[Tile] = []
    for event in reversed(state.log):
        if isinstance(event, Discarded) and event.seat is seat:
            if not event.tile.is_honour or event.tile is state.wild:
                break
            row.append(event.tile)
    return tuple(reversed(row))


def _honours_claimed(state: TableState, seat: Seat) -> bool:
    """Whether another player took one of the seat's last ten discards."""
    later = 0
    for event in reversed(state.log):
        if isinstance(event, Claimed) and event.from_seat is seat:
            return True
        if isinstance(event, Discarded) and event.seat is seat:
            later += 1
            if later == ROW_OF_HONOURS:
                break
    return False
