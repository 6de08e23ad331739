"""A hand that nobody has followed is entered by a person and settled as any; it is marked as entered."""

from typing import Any

import pytest
from evening import Evening
from test_doubts import Eyes
from test_table_orders import balances, order, rows, told

from controller.commands import read
from controller.journal_deals import EventRow, OutcomeRow
from controller.journal_replay import past_of
from controller.public import AmendedSettlement, Settlement, WinEvent
from controller.session_inputs import Abandon, Enter, PersonProposal
from rules import sets
from rules.events import DealStarted, Entered, Event, IndicatorTurned, Won
from rules.record import format_event, parse_event
from rules.scoring import settle
from rules.table import replay
from rules.tiles import Seat, Tile

HAND = "2p 3p 4p 2s 3s 4s 6s 7s 8s 9s 9s W W"
WIN = Enter(
    winner=Seat.S1,
    author="referee",
    from_seat=Seat.S0,
    hand=HAND,
    tile="W",
    flags={"first_dealer_discard": True},
)


def test_a_win_that_is_entered_is_paid_like_one_that_was_seen() -> None:
    seen = Eyes.begun()
    seen.discard(0, "W")
    seen.look()
    seen.show(1, HAND)
    seen.look(5.0)
    (followed,) = rows(seen, OutcomeRow)
    eyes = Eyes.begun()
    eyes.discard(0, "5p")
    eyes.look()
    reply = order(eyes, WIN)
    assert (reply.done, reply.zh[:3]) == (True, "已记入")
    (row,) = rows(eyes, OutcomeRow)
    assert (row.payments, row.balances, row.how, row.winner) == (
        followed.payments,
        followed.balances,
        "won",
        1,
    )
    assert (row.author, row.dealer_next, row.kept_next) == ("referee", followed.dealer_next, 0)
    assert (sum(row.payments), balances(eyes)) == (0, row.balances)


def test_an_entered_settlement_is_marked_everywhere_and_after_a_kill() -> None:
    eyes = Eyes.begun()
    order(eyes, WIN)
    assert [(row.text.split()[0], row.author) for row in rows(eyes, EventRow)][-1] == ("entered", "referee")
    assert [(event.seat, event.from_seat) for event in told(eyes, WinEvent)] == [(1, 0)]
    for topic in ("ledger/settlement", "state/settlement", "state/settlement"):
        shown = eyes.last(topic)
        assert isinstance(shown, AmendedSettlement)
        assert (shown.entered, shown.author, shown.edition, shown.supersedes) == (True, "referee", 1, None)
        assert (shown.hand, shown.how) == ((*HAND.split(), "W"), "discard")
        eyes.evening.begin(past_of(eyes.evening.log.rows))


def test_a_drawn_hand_is_entered_without_a_winner() -> None:
    eyes = Eyes.begun()
    assert order(eyes, Enter(winner=None, author="referee")).done
    (row,) = rows(eyes, OutcomeRow)
    assert (row.how, row.payments, row.dealer_next, row.author) == ("drawn", (0, 0, 0, 0), 0, "referee")
    shown = eyes.last("state/settlement")
    assert isinstance(shown, AmendedSettlement)
    assert (shown.drawn, shown.entered) == (True, True)


def test_where_the_indicator_was_not_seen_it_is_entered_too() -> None:
    evening = Evening(0)
    evening.prepare((3, 4))
    eyes = Eyes(evening)
    assert order(eyes, WIN).en == "the hand can't have ended so: the indicator is not known"
    assert order(eyes, Enter(winner=Seat.S1, author="x", hand=HAND, tile="W", indicator="1m")).done
    (row,) = rows(eyes, OutcomeRow)
    assert (row.indicator, row.wild, row.how) == ("1m", "2m", "won")


@pytest.mark.parametrize(
    ("wanted", "en"),
    [
        ({"hand": HAND.replace("9s 9s", "9s 1m")}, "the hand can't have ended so: no win: "),
        ({"hand": HAND[:-2]}, "the hand can't have ended so: no win: 13 tiles with sets counted as three"),
        ({"from_seat": None, "how": "discard"}, "the hand can't have ended so: a win by discard needs"),
        ({"from_seat": Seat.S1}, "the hand can't have ended so: a win by discard needs another player"),
        ({"how": "magic"}, "the hand can't have ended so: no win: no way of winning 'magic'"),
        ({"hand": HAND.replace("W W", "W W W W")}, "the hand can't have ended so: 5 copies of W"),
        ({"tile": "10p"}, "can't be read: "),
        ({"melds": ("peng 55p",)}, "the hand can't have ended so: "),
        ({"melds": ("pang 555p",)}, "can't be read: not a set: 'pang 555p'"),
        ({"flags": {"luck": True}}, "the hand can't have ended so: no circumstance 'luck'"),
        ({"flags": {"after_kong": True}}, "the hand can't have ended so: after_kong goes with a win by"),
        ({"indicator": "3m"}, "the indicator on record is 1m, not 3m: correct that first"),
    ],
)
def test_what_can_not_be_is_refused_and_changes_nothing(wanted: dict[str, Any], en: str) -> None:
    eyes = Eyes.begun()
    fields = {name: getattr(WIN, name) for name in WIN.__dataclass_fields__}
    reply = order(eyes, Enter(**{**fields, "flags": {}, **wanted}))
    assert reply.en.startswith(en)
    assert (reply.done, rows(eyes, OutcomeRow), balances(eyes)) == (False, [], (100, 100, 100, 100))


def test_who_may_not_win_is_not_entered_as_a_winner() -> None:
    eyes = Eyes.begun()
    eyes.evening.tell(PersonProposal("barred", Seat.S1, "waiter", "a tile too many"))
    assert order(eyes, WIN).en == "ruling 1 is still open"
    eyes.answer("confirm")
    assert order(eyes, WIN).en.startswith("the hand can't have ended so: no win: ")


def test_between_two_hands_nothing_is_entered() -> None:
    eyes = Eyes.begun()
    order(eyes, Abandon("x", "r"))
    assert order(eyes, WIN).en == "no hand is being played"


def test_json_becomes_an_entered_hand() -> None:
    body = (
        '{"verb": "enter", "author": "referee", "winner": 1, "from_seat": 0, "hand": "'
        + HAND
        + '", "tile": "W", "flags": {"first_dealer_discard": true}}'
    )
    assert read(body.encode()).order == WIN


LINES = [
    "entered drawn",
    "entered 2 discard hand 123m 55p on 5p from 1",
    "entered 2 selfdraw hand 55p on ? with concealed_kong 7777s / peng 111m from 3",
    "entered 0 discard hand 5p on 5p from 1 with chi 123s from 3 flags after_kong=true / honour_discards=ES",
]


@pytest.mark.parametrize("line", LINES)
def test_an_entered_end_is_a_line_of_a_record(line: str) -> None:
    assert format_event(parse_event(line)) == line


def test_every_followed_win_is_paid_the_same_when_it_is_entered_with_its_circumstances() -> None:
    """Of 40 hands; a circumstance that only the play tells is given as a flag."""
    rules = sets.load("cixi-card")
    compared = 0
    for seed in range(8):
        evening = Evening(seed)
        evening.play(5)
        for truth in evening.truths:
            events = tuple(map(parse_event, truth.events))
            won = events[-1]
            if not isinstance(won, Won):
                continue
            account = settle(replay(events, rules), rules, (100, 100, 100, 100))
            how = account.how
            hand = list(won.hand)
            if won.tile is not Tile.UNKNOWN:
                hand.remove(won.tile)
            entered = Entered(
                won.seat,
                how,
                tuple(hand),
                replay(events, rules).hands[won.seat].melds,
                won.tile,
                won.from_seat,
                _circumstances(account),
            )
            begun_with: list[Event] = [e for e in events if isinstance(e, DealStarted | IndicatorTurned)]
            again = settle(replay((*begun_with, entered), rules), rules, (100, 100, 100, 100))
            assert (again.payments, again.payer) == (account.payments, account.payer), (truth.events, account)
            compared += 1
    assert compared >= 20


def _circumstances(account: Any) -> tuple[tuple[str, bool], ...]:
    names = {"杠头开花": "after_kong", "地胡": "first_dealer_discard", "天胡": "dealer_first"}
    reasons = {"包三家：热炮": "hot_discard", "包三家：单吊临张": "single_wait_adjacent"}
    reasons["包三家：关风向"] = "guan_fengxiang"
    found = [names[line.zh] for line in account.lines if line.zh in names]
    found += [reasons[line.zh] for line in account.reasons if line.zh in reasons]
    return tuple((name, True) for name in found)


def test_a_plain_settlement_says_nothing_of_editions() -> None:
    eyes = Eyes.begun()
    eyes.discard(0, "W")
    eyes.look()
    eyes.show(1, HAND)
    eyes.look(5.0)
    shown = eyes.last("ledger/settlement")
    assert type(shown) is Settlement
