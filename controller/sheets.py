"""What people see who set a match up, enter or correct a hand: read from the play, never written. Pure."""

from functools import cache
from typing import TYPE_CHECKING

from controller.agreed import tiles_differ, written_options
from controller.doubts import event_in_words, seat_in_words
from controller.machine_motions import passable
from controller.machine_stages import ON_KEY
from controller.machine_state import Machine
from controller.public_sheets import (
    EventLine,
    HandItem,
    HandsSheet,
    Named,
    OptionSheet,
    RuleSheet,
    SetupSheet,
    Words,
)
from controller.session_correct import why_not_corrected
from controller.session_play import Play
from controller.session_replies import Refused
from controller.session_setup import why_not_setup
from controller.session_start import BEGUN, why_not_start
from controller.view import text
from firmware_bridge.states import Key
from rules import sets
from rules.events import DealStarted, Drew, Entered, Event
from rules.record import format_event
from rules.ruleset import Option, RuleSet
from rules.tiles import Seat

if TYPE_CHECKING:
    from controller.journal_deals import OutcomeRow
    from controller.session_history import Played


def setup_sheet(play: Play, machine: Machine) -> SetupSheet:
    """The rule sets, the present choice, and what may be done now."""
    waits = why_not_start(play, machine)
    following = None if waits is not None else passable(machine, ON_KEY[machine.stage, Key.LIFT])
    begins = None if following is None else BEGUN.get(following)
    return SetupSheet(
        match_no=play.match.match_no,
        hand_no=play.match.hand_no,
        rules=tuple(_rule_sheet(name, play) for name in sets.available()),
        chosen=play.rules.name,
        options=written_options(play.rules),
        players=play.players,
        why_not_setup=_words(why_not_setup(play)),
        why_not_start=_words(waits),
        start=None if begins is None else Words(*begins),
    )


def _rule_sheet(name: str, play: Play) -> RuleSheet:
    rules = _loaded(name)
    differ = tiles_differ(play.rules, rules, play.tracker.model.tile_counts)
    return RuleSheet(
        name=name,
        zh=rules.zh,
        en=rules.en,
        about=Words(*rules.about),
        tiles=len(rules.tiles),
        why=None if differ is None else Words(*differ),
        options=() if rules.desk is None else tuple(map(_option_sheet, rules.desk.sheet)),
    )


@cache
def _loaded(name: str) -> RuleSet:
    return sets.load(name)


def _option_sheet(option: Option) -> OptionSheet:
    default, *values = (
        value for value in (option.value, *option.values) if isinstance(value, bool | int | str)
    )
    return OptionSheet(
        name=option.name,
        zh=option.zh,
        en=option.en,
        about=Words(*option.about),
        article=option.article,
        default=default,
        values=tuple(values),
        meanings=tuple(Words(*meaning) for meaning in option.meanings),
    )


def _words(refused: Refused | None) -> Words | None:
    return None if refused is None else Words(refused.zh, refused.en)


def hands_sheet(play: Play) -> HandsSheet:
    """The hands of the match, and how a win may be told."""
    desk = play.rules.desk
    past = [_ended(play, place) for place in range(len(play.history.deals))]
    if play.playing and play.history.deals and play.history.deals[-1].match.match_no != play.shown_hand[1]:
        past = []
    running = [_running(play)] if play.playing else []
    return HandsSheet(
        match_no=play.shown_hand[1],
        playing=play.playing,
        paused=play.paused,
        locked=play.locked,
        players=play.players,
        balances=play.balances,
        indicator=text(play.table.indicator) if play.playing else None,
        hands=tuple(reversed([*past, *running])),
        ways=() if desk is None else tuple(Named(name, *words) for name, words in desk.ways.items()),
        flags=() if desk is None else tuple(Named(name, *words) for name, words in desk.flags.items()),
    )


def _running(play: Play) -> HandItem:
    return HandItem(
        deal=play.deal,
        hand_no=play.shown_hand[0],
        how="playing",
        winner=None,
        from_seat=None,
        tile=None,
        payments=(0, 0, 0, 0),
        balances=play.balances,
        edition=0,
        author="",
        reason="",
        why_not=None,
        events=tuple(map(_line, play.table.log)),
    )


def _ended(play: Play, place: int) -> HandItem:
    one: Played = play.history.deals[place]
    row: OutcomeRow = one.outcome
    return HandItem(
        deal=one.deal,
        hand_no=one.match.hand_no,
        how=row.how,
        winner=row.winner,
        from_seat=row.from_seat,
        tile=row.tile,
        payments=row.payments,
        balances=row.balances,
        edition=row.edition,
        author="" if row.author == "table" else row.author,
        reason=row.reason,
        why_not=_words(why_not_corrected(play.history.deals[place:], play.rules)),
        events=tuple(map(_line, one.log)),
    )


def _line(event: Event) -> EventLine:
    return EventLine(format_event(event), *_in_words(event))


def _in_words(event: Event) -> tuple[str, str]:
    match event:
        case DealStarted(dealer, dice):
            zh, en = seat_in_words(dealer)
            rolled = "" if dice is None else f" {dice[0]}·{dice[1]}"
            return f"{zh}坐庄{rolled}", f"{en} deals{rolled}"
        case Drew(seat, replacement=replacement):
            zh, en = seat_in_words(seat)
            return f"{zh}摸牌{'（补牌）' if replacement else ''}", f"{en} draws"
        case Entered(Seat() as seat):
            zh, en = seat_in_words(seat)
            return f"{zh}和牌（人工记入）", f"{en} wins (entered)"
    zh, _, en = event_in_words(event).partition(" (")
    return zh, en.removesuffix(")")
