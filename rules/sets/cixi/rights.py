"""Who may win, claim, throw and pass at a table of Cixi mahjong, as far as the tiles are known."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rules.events import Won
from rules.state import Phase
from rules.tiles import SEATS, Seat, Tile

from .patterns import all_honours, any_tile_wins, is_complete
from .price import rank, refusal
from .win import ROW_OF_HONOURS, How, honours_in_a_row, marks, read_win

if TYPE_CHECKING:
    from rules.events import Claimed
    from rules.state import TableState

    from .options import Options

_BY_OWN_DISCARD: Final = (How.SHILIANFENG, How.QUANFENG_SURVIVE, How.FEIMA)


def refuses_win(options: Options, state: TableState, won: Won) -> str | None:
    """Why the win can't be declared, or None."""
    reason = _refused(options, state, won)
    if reason is None and _is_stopped(options, state, won):
        return "somebody can win on this discard, so he must (强制)"
    return reason


def _refused(options: Options, state: TableState, won: Won) -> str | None:
    try:
        if _is_hopeless(options, state, won):
            return "not a complete hand"
        return refusal(read_win(state, won, options), options)
    except ValueError as error:
        return str(error)


def _is_hopeless(options: Options, state: TableState, won: Won) -> bool:
    """Whether the tiles alone rule the win out: most hands that are tried, so the log need not be read."""
    melds, wild = state.hands[won.seat].melds, state.wild
    size = len(won.hand) + 3 * len(melds)
    if wild is not None and size == 13 and state.phase is Phase.CLAIM:
        # After the own discard only 飞马, 全风 and 十连风 win.
        row = len(honours_in_a_row(state, won.seat)) >= ROW_OF_HONOURS
        return not row and len(melds) < 4 and not all_honours(won.hand, melds, wild)
    if wild is None or size != 14:
        return False
    if won.hand.count(wild) == 4 or all_honours(won.hand, melds, wild):
        return False
    return not is_complete(won.hand, melds, wild, options)


def win_rank(options: Options, state: TableState, won: Won) -> int:
    """The place among several wins on one tile (R9)."""
    return rank(read_win(state, won, options), options)


def _can_refuse(options: Options) -> bool:
    """Whether the table itself keeps players from wrong moves and makes them take what they must."""
    return options.zhahu == "off"


def _is_stopped(options: Options, state: TableState, won: Won) -> bool:
    """Whether the win is a 飞马 that another player can and so must win on, where the table can make him."""
    if not _can_refuse(options) or state.phase is not Phase.CLAIM or won.from_seat is not None:
        return False
    if state.last_discard is None or How.FEIMA not in own_wins(options, state):
        return False
    giver, tile = state.last_discard
    others = ((seat, state.hands[seat].concealed) for seat in SEATS if seat is not giver)
    return any(
        _refused(options, state, Won(seat, tuple(sorted((*held, tile))), tile, giver)) is None
        for seat, held in others
        if Tile.UNKNOWN not in held
    )


def own_wins(options: Options, state: TableState) -> frozenset[How]:
    """How the discarder wins by his own discard unless another wins on it; none where it can't be known."""
    seat, wild = state.turn, state.wild
    hand = state.hands[seat]
    if state.phase is not Phase.CLAIM or wild is None:
        return frozenset()
    may_win = len(hand.melds) == 4 or all_honours(hand.concealed, hand.melds, wild)
    if not may_win and len(honours_in_a_row(state, seat)) < ROW_OF_HONOURS:
        return frozenset()
    if Tile.UNKNOWN in hand.concealed:
        return frozenset()
    win = read_win(state, Won(seat, hand.concealed), options)
    return frozenset(how for how in _BY_OWN_DISCARD if refusal(replace(win, how=how), options) is None)


def refuses_claim(options: Options, state: TableState, claim: Claimed) -> str | None:
    """The discard of a 飞马 or a 全风 can only be won; a claim of the tenth honour stops 十连风 (R39)."""
    wins = own_wins(options, state) if claim.from_seat is state.turn else frozenset()
    if wins - {How.SHILIANFENG}:
        return "only a win stops the discarder, who wins by this discard himself"
    return None


def may_discard(options: Options, state: TableState, seat: Seat, tile: Tile) -> bool:
    """Whether the tile may be thrown: no dragon where a table can refuse, nothing where the draw wins."""
    if _can_refuse(options) and tile is state.wild:
        return False
    return not (options.paohua_autowin and _draw_wins_by_itself(options, state, seat))


def _draw_wins_by_itself(options: Options, state: TableState, seat: Seat) -> bool:
    """Whether the player drew in 抛花 where such a draw wins by itself; as far as his tiles are known."""
    hand, drawn = state.hands[seat], state.drawn
    if not options.paohua_autowin or state.wild is None or state.wild not in hand.concealed:
        return False
    if drawn is None or drawn not in hand.concealed or Tile.UNKNOWN in hand.concealed:
        return False
    before = list(hand.concealed)
    before.remove(drawn)
    return any_tile_wins(before, hand.melds, state.wild, options) and not marks(state, seat, options)


def only_a_win(options: Options, state: TableState) -> str | None:
    """Why nothing but a win or a claim may come next, as far as the tiles are known, or None.

    On the own turn: four dragons where they win at once (§8), two dragons after the claim of the fourth set
    (R19). After a discard: the discarder wins by it unless somebody stops him.
    """
    if state.phase is Phase.CLAIM:
        return "the discarder wins by this discard unless it is won" if own_wins(options, state) else None
    hand, wild = state.hands[state.turn], state.wild
    if state.phase is not Phase.TURN or wild is None or Tile.UNKNOWN in hand.concealed:
        return None
    dragons = hand.concealed.count(wild)
    single = len(hand.melds) == 4 and state.drawn is None and dragons == len(hand.concealed)
    at_once = not _can_refuse(options) or _draw_wins_by_itself(options, state, state.turn)
    if not single and not (dragons == 4 and at_once):
        return None
    refused = _refused(options, state, Won(state.turn, hand.concealed, state.drawn or Tile.UNKNOWN))
    return "the tiles in hand win at once" if refused is None else None
