"""A deal's end as a person tells it, where nobody has followed the play: it is settled as any. Pure."""

from controller.session_inputs import Enter
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, in_points, no_deal
from rules.events import Entered, Event, IllegalEvent, IndicatorTurned
from rules.record import parse_meld
from rules.state import Phase
from rules.table import apply
from rules.tiles import Tile, parse_tiles


def enter(play: Play, order: Enter, notes: Notes) -> tuple[str, str]:
    """A person says how the running deal has ended.

    Raises:
        Refused: no deal is running, it is not known who deals or has how much, or it can't have ended so.
    """
    _require_known(play)
    events = _events(play, order)
    table = play.table
    try:
        for event in events:
            table = apply(table, event, play.rules)
    except IllegalEvent as error:
        raise Refused(f"不能这样结算：{error}", f"the hand can't have ended so: {error}") from error
    play.end_doubt("withdrawn", None, order.author, notes)
    play.happen(events, notes, order.author)
    points = in_points(play.settlement.payments if play.settlement is not None else ())
    return f"已记入：{points}", f"entered: {points}"


def _require_known(play: Play) -> None:
    if not play.playing:
        raise no_deal()
    if play.ruling is not None:
        raise Refused(
            f"还有一项裁决没有确认（第{play.ruling.id}号）", f"ruling {play.ruling.id} is still open"
        )
    if not play.match.certain:
        raise Refused(
            "前面有一局没有结算，先确认各家分数", "an earlier hand was not settled: confirm the points first"
        )
    if play.table.phase is Phase.READY:
        raise Refused("还不知道谁坐庄", "it is not known yet who deals")


def _events(play: Play, order: Enter) -> tuple[Event, ...]:
    """What is to be booked: the indicator where the table has not told it, and the end.

    Raises:
        Refused: a tile or a set can't be read, or the indicator is another.
    """
    try:
        ended = _entered(order)
        indicator = Tile.parse(order.indicator) if order.indicator else None
    except ValueError as error:
        raise Refused(f"看不懂：{error}", f"can't be read: {error}") from error
    known = play.table.indicator
    if indicator is None or indicator is known:
        return (ended,)
    if known is not None:
        raise Refused(
            f"记录的翻牌是{known.zh}，不是{indicator.zh}；请先更正",
            f"the indicator on record is {known}, not {indicator}: correct that first",
        )
    return (IndicatorTurned(indicator), ended)


def _entered(order: Enter) -> Entered:
    if order.winner is None:
        return Entered(None)
    return Entered(
        order.winner,
        order.how or ("selfdraw" if order.from_seat is None else "discard"),
        tuple(sorted(parse_tiles(order.hand))),
        tuple(map(parse_meld, order.melds)),
        Tile.parse(order.tile) if order.tile else Tile.UNKNOWN,
        order.from_seat,
        tuple(sorted(order.flags.items())),
    )
