"""Orders about the match and the table: points moved, the match ended, a pause, who sits where. Pure."""

from typing import Final, Literal

from controller.journal_decisions import PlayersNamed
from controller.journal_rows import AdjustmentRow, MatchRow
from controller.match import Match, adjusted, next_match, places
from controller.public import ADJUSTMENT_TOPIC, Adjustment
from controller.session_inputs import Abandon, Adjust, Lock, Names, NextMatch, Pause, Resume, Unlock
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, in_points, no_deal

LONGEST_NAME: Final = 12
"""Characters."""


def adjust(play: Play, order: Adjust, notes: Notes) -> tuple[str, str]:
    """A referee moves points; between two deals the match ends where its rules say so of the new points.

    Raises:
        Refused: the payments do not sum to zero, no reason is given, or nobody knows who has how much.
    """
    _require_sound(play, order)
    move_points(play, order, notes)
    if not play.playing and play.rules.match_over(play.match.balances, None):
        end_match(play, "played", order.author, notes)
    notes.standing(play.match, play.before if play.playing else None)
    points = in_points(order.payments)
    return f"分数已调整：{points}", f"points are moved: {points}"


def _require_sound(play: Play, order: Adjust) -> None:
    points = in_points(order.payments)
    if sum(order.payments) != 0:
        raise Refused(
            f"各家调整之和应为零：{points}，和为{sum(order.payments):+d}",
            f"payments have to sum to zero: {points} is {sum(order.payments):+d}",
        )
    if not any(order.payments):
        raise Refused("没有要调整的分数", "no points are to be moved")
    if not order.reason.strip():
        raise Refused("请写明调整的原因", "a reason is needed")
    if not play.match.certain:
        raise Refused(
            "前面有一局没有结算，先确认各家分数", "an earlier hand was not settled: confirm the points first"
        )
    if is_between_matches(play):
        raise Refused(
            "上一场已经结束，新的一场还没开始", "the last match is over and the next one has not begun"
        )


def is_between_matches(play: Play) -> bool:
    """Whether a match is over and no deal of the next one has begun."""
    return not play.playing and play.deal > 0 and play.match.match_no != play.shown_hand[1]


def move_points(play: Play, order: Adjust, notes: Notes) -> None:
    """Write and publish that points are moved."""
    play.match = adjusted(play.match, order.payments)
    play.balances = play.match.balances
    play.adjustments += 1
    notes.write(
        AdjustmentRow(
            adjustment=play.adjustments,
            deal=play.deal,
            during=play.playing,
            boot=notes.boot,
            at=notes.now,
            match_no=play.match.match_no,
            payments=order.payments,
            balances=play.match.balances,
            reason=order.reason,
            author=order.author,
        )
    )
    notes.tell(
        ADJUSTMENT_TOPIC,
        Adjustment(
            hand_no=play.match.hand_no,
            match_no=play.match.match_no,
            payments=order.payments,
            balances=play.match.balances,
            reason=order.reason,
            author=order.author,
        ),
    )


def start_next_match(play: Play, order: NextMatch, notes: Notes) -> tuple[str, str]:
    """The match ends here.

    Raises:
        Refused: a hand is being played, or the match has none yet.
    """
    if play.playing:
        raise Refused("这一局还没打完；先打完或放弃", "a hand is being played: finish or abandon it first")
    if play.match.hand_no == 1:
        raise Refused("这一场还没有打过", "no hand of this match was played yet")
    end_match(play, "ended", order.author, notes)
    notes.standing(play.match, play.before if play.playing else None)
    return f"第{play.match.match_no - 1}场结束", f"match {play.match.match_no - 1} is over"


def end_match(play: Play, how: Literal["played", "ended"], author: str, notes: Notes) -> None:
    """Write how a match ends between two deals; the next one begins afresh."""
    match = play.match
    write_end(play, match, author, notes)
    play.rank(match, match.balances, hands=match.hand_no - 1, ended=how)
    play.balances = match.balances
    play.match = next_match(match, play.rules)


def write_end(play: Play, match: Match, author: str, notes: Notes) -> None:
    """Write how the match stands that a person has ended; again where it was corrected since."""
    notes.write(
        MatchRow(
            match_no=match.match_no,
            boot=notes.boot,
            at=notes.now,
            deals=match.hand_no if play.match.match_no != match.match_no else match.hand_no - 1,
            players=play.players,
            balances=match.balances,
            places=places(match.balances),
            certain=match.certain,
            author=author,
        )
    )


def abandon(play: Play, order: Abandon, notes: Notes) -> tuple[str, str]:
    """The running deal is given up.

    Raises:
        Refused: there is none, or no reason is given.
    """
    if not play.playing:
        raise no_deal()
    if not order.reason.strip():
        raise Refused("请写明放弃的原因", "a reason is needed")
    play.abandon("withdrawn", order.author, notes, reason=order.reason)
    return f"第{play.shown_hand[0]}局已放弃", f"hand {play.shown_hand[0]} is abandoned"


def pause(play: Play, order: Pause | Resume, notes: Notes) -> tuple[str, str]:
    """Nothing counts from here on; or it counts again.

    Raises:
        Refused: it is so already.
    """
    wished = isinstance(order, Pause)
    already = ("已经暂停了", "it is paused already") if wished else ("没有暂停", "it is not paused")
    _must_change(already, stands=play.paused, wished=wished)
    play.paused = wished
    notes.decide("paused", wished)
    return ("已暂停", "paused") if wished else ("继续", "it goes on")


def lock(play: Play, order: Lock | Unlock, notes: Notes) -> tuple[str, str]:
    """No other hand begins; or hands begin again.

    Raises:
        Refused: it is so already.
    """
    wished = isinstance(order, Lock)
    already = ("已经锁定了", "it is locked already") if wished else ("没有锁定", "it is not locked")
    _must_change(already, stands=play.locked, wished=wished)
    play.locked = wished
    notes.decide("locked", wished)
    return ("已锁定，不开新的一局", "locked: no other hand begins") if wished else ("已解锁", "unlocked")


def _must_change(already: tuple[str, str], *, stands: bool, wished: bool) -> None:
    if stands is wished:
        raise Refused(*already)


def name_players(play: Play, order: Names, notes: Notes) -> tuple[str, str]:
    """Who sits where.

    Raises:
        Refused: a name is empty, too long or can't be shown.
    """
    require_names(order.players)
    play.players = order.players
    notes.decide(
        "players", PlayersNamed(players=order.players, instead_of=play.configured, author=order.author)
    )
    return f"四家：{'、'.join(order.players)}", f"players: {', '.join(order.players)}"


def require_names(players: tuple[str, ...]) -> None:
    """Every name can be shown.

    Raises:
        Refused: one is empty, too long or can't be shown.
    """
    for name in players:
        if not 1 <= len(name.strip()) <= LONGEST_NAME or not name.isprintable():
            raise Refused(
                f"名字{name!r}：应为1到{LONGEST_NAME}个字",
                f"name {name!r}: expected 1 to {LONGEST_NAME} characters",
            )
