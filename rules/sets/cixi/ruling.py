"""What the engine asks of Cixi mahjong: which moves are legal, what a win costs, who deals next."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rules.events import Won
from rules.log import discards_of
from rules.settlement import Settlement, Unsettled
from rules.state import Phase
from rules.tiles import Seat, Tile

from .patterns import all_honours, any_tile_wins, is_complete
from .payment import account, false_win_payments
from .price import ROW_OF_HONOURS, look, rank, refusal
from .win import Flag, How, Win, doubtful_flags, read_win

if TYPE_CHECKING:
    from rules.events import Claimed, FalseWin
    from rules.ruleset import Answers
    from rules.state import Balances, TableState

    from .options import Options

_CYCLES: Final = (
    *(range(start, start + 9) for start in (0, 9, 18)),
    range(Tile.EAST, Tile.NORTH + 1),
    range(Tile.RED, Tile.WHITE + 1),
)


def dragon_of(indicator: Tile) -> Tile:
    """The tile after the indicator in its cycle: 1…9 of a suit, 东南西北, 中发白 (§2)."""
    cycle = next(cycle for cycle in _CYCLES if indicator in cycle)
    return Tile(cycle[(cycle.index(indicator) + 1) % len(cycle)])


def refuses_win(options: Options, state: TableState, won: Won) -> str | None:
    """Why the win can't be declared, or None."""
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
        row = len(discards_of(state, won.seat)) >= ROW_OF_HONOURS
        return not row and len(melds) < 4 and not all_honours(won.hand, melds, wild)
    if wild is None or size != 14:
        return False
    if won.hand.count(wild) == 4 or all_honours(won.hand, melds, wild):
        return False
    return not is_complete(won.hand, melds, wild, options)


def win_rank(options: Options, state: TableState, won: Won) -> int:
    """The place among several wins on one tile (R9)."""
    return rank(read_win(state, won, options), options)


def may_discard(options: Options, state: TableState, seat: Seat, tile: Tile) -> bool:
    """Whether the tile may be thrown: no dragon where a table can refuse, nothing where the draw wins."""
    # Only a table that can refuse (no false wins) keeps a player from throwing a dragon (§2).
    if options.zhahu == "off" and tile is state.wild:
        return False
    return not options.paohua_autowin or not _draw_wins_by_itself(options, state, seat)


def _draw_wins_by_itself(options: Options, state: TableState, seat: Seat) -> bool:
    """Whether the player drew in 抛花; as far as his tiles are known."""
    hand, drawn = state.hands[seat], state.drawn
    if state.wild is None or drawn is None or drawn not in hand.concealed or Tile.UNKNOWN in hand.concealed:
        return False
    before = list(hand.concealed)
    before.remove(drawn)
    return any_tile_wins(before, hand.melds, state.wild, options)


def refuses_claim(options: Options, state: TableState, claim: Claimed) -> str | None:
    """The discard of a 飞马 or a 全风 can only be won (§5, §8); as far as the discarder's tiles are known."""
    giver = state.hands[claim.from_seat]
    if state.wild is None or Tile.UNKNOWN in giver.concealed:
        return None
    if len(giver.melds) < 4 and not all_honours(giver.concealed, giver.melds, state.wild):
        return None
    win = read_win(state, Won(claim.from_seat, giver.concealed), options)
    refused = win.how is How.SHILIANFENG or refusal(win, options) is not None
    return None if refused else "only a win stops the discarder, who wins by this discard himself"


def settle(
    options: Options, before: TableState, won: Won, balances: Balances | None, answers: Answers
) -> Settlement:
    """The account of a win from the state before it.

    Raises:
        Unsettled: hidden tiles decide the price and nobody has answered yet.
    """
    win = read_win(before, won, options)
    shape = look(win, options).shape if _is_full(win) else None
    scattered = shape is not None and shape.is_scattered
    for flag in doubtful_flags(before, won, options, scattered=scattered):
        win = _answered(win, flag, options, balances, answers)
    return account(win, options, balances)


def _is_full(win: Win) -> bool:
    return len(win.hand) + 3 * len(win.melds) == 14


def _answered(win: Win, flag: Flag, options: Options, balances: Balances | None, answers: Answers) -> Win:
    """The win with the flag set as people answered; asked only if the answer changes the account."""
    holds = replace(win, flags=win.flags | {flag})
    answer = answers.get(flag.value)
    if answer is None:
        if account(holds, options, balances).payments == account(win, options, balances).payments:
            return win
        raise Unsettled(_QUESTIONS[flag], question=flag.value, candidates=("yes", "no"))
    return holds if answer == "yes" else win


_QUESTIONS: Final = {
    Flag.GUAN_FENGXIANG: "关风向: did the discarder hold this honour back while he threw suit tiles?",
    Flag.INTERCEPT_FEIMA: "飞马: was the discarder's last tile a dragon?",
}


def next_dealer(options: Options, state: TableState) -> Seat:
    """Who deals after this deal, which is over (§10)."""
    winner = state.result.seat if isinstance(state.result, Won) else None
    return next_dealer_after(options, state.dealer, winner)


def next_dealer_after(options: Options, dealer: Seat, winner: Seat | None) -> Seat:
    """Who deals next; no winner means a drawn hand."""
    if winner is None:
        return dealer if options.drawn_dealer == "stay" else dealer.next
    if options.next_dealer == "winner" or winner is dealer:
        return winner
    return dealer.next


def match_over(options: Options, balances: Balances, settlement: Settlement | None) -> bool:
    """Whether a match ends: somebody has nothing left, or a jackpot took all (§10)."""
    if not options.cap_at_stack:
        return False
    return min(balances) <= 0 or (settlement is not None and settlement.jackpot)


def fine(options: Options, state: TableState, false_win: FalseWin, balances: Balances | None) -> Balances:
    """What a false win costs whom."""
    dragons = false_win.hand.count(state.wild) if state.wild is not None else 0
    return false_win_payments(options, false_win.seat, dragons, balances)


def reserve(options: Options, kongs: int) -> int:
    """Tiles that are not drawn after so many kongs (R36)."""
    return max(0, options.reserve - 2 * kongs)
