"""What people see who set a match up or correct a hand: all of it, in words, and nothing concealed."""

import msgspec
import pytest
from evening import Evening
from test_doubts import Eyes
from test_setup import set_up
from test_table_orders import order, rows, won

from controller.command_desk import CommandDesk
from controller.journal_deals import OutcomeRow
from controller.public_sheets import HandChange, Tried, Words
from controller.rights import Way
from controller.session_inputs import Abandon, Adjust, Correct, Enter, NextMatch, Order, Ordered, Pause, Undo
from controller.session_replies import Reply
from rules import sets
from rules.tiles import Seat

HAND = "111m 234p 567s 999p E"


@pytest.mark.parametrize("name", sets.available())
def test_every_option_and_each_of_its_values_is_explained(name: str) -> None:
    rules = sets.load(name)
    assert all(rules.about)
    assert rules.desk is not None
    for option in rules.desk.sheet:
        assert all(option.about), option.name
        assert len(option.meanings) == len(option.values), option.name
        assert all(zh and en for zh, en in option.meanings), option.name
        assert len(set(option.meanings)) == len(option.meanings), option.name


def test_the_set_up_tells_the_choice_and_when_it_may_be_changed() -> None:
    eyes = Eyes(Evening(0))
    assert set_up(eyes, "cixi-platform", stake=2).done
    told = eyes.evening.session.setup_sheet()
    assert (told.chosen, told.options["stake"], told.match_no, told.hand_no) == ("cixi-platform", 2, 1, 1)
    assert [(each.name, each.why) for each in told.rules] == [("cixi-card", None), ("cixi-platform", None)]
    stakes = [option for each in told.rules for option in each.options if option.name == "stake"]
    assert [(option.default, option.values, option.zh) for option in stakes] == 2 * [(1, (), "底注")]
    assert (told.why_not_setup, told.why_not_start) == (None, None)
    assert told.start == Words("升降口打开，请把牌推进去", "the hatch opens: push the tiles in")
    eyes.evening.prepare((3, 4))
    told = eyes.evening.session.setup_sheet()
    assert told.why_not_setup == Words(
        "这一局还没打完；先打完或放弃", "a hand is being played: finish or abandon it first"
    )
    assert told.why_not_start == Words("这一局还没打完", "a hand is being played")
    assert told.start is None


def test_the_hands_of_a_match_are_listed_with_their_events_the_last_one_first() -> None:
    eyes = won()
    (hand,) = eyes.evening.session.hands_sheet().hands
    (outcome,) = rows(eyes, OutcomeRow)
    assert (hand.deal, hand.hand_no, hand.how, hand.winner, hand.from_seat) == (1, 1, "won", 1, 0)
    assert (hand.payments, hand.balances, hand.why_not) == (outcome.payments, outcome.balances, None)
    assert [(event.line, event.zh) for event in hand.events[:3]] == [
        ("deal 0 dice 3 4", "一号位坐庄 3·4"),
        ("indicator 1m", "翻牌一万"),
        ("discard 0 W", "一号位打西"),
    ]
    assert all(event.zh and event.en for event in hand.events)
    eyes.evening.prepare((1, 2))
    told = eyes.evening.session.hands_sheet()
    assert [(each.hand_no, each.how) for each in told.hands] == [(2, "playing"), (1, "won")]
    assert {way.name for way in told.ways} >= {"selfdraw", "discard"}


def test_a_hand_that_was_withheld_is_listed_with_the_reason() -> None:
    eyes = Eyes.begun()
    eyes.lift()
    eyes.evening.wait(5.0)
    eyes.lift()
    (outcome,) = rows(eyes, OutcomeRow)
    (hand,) = eyes.evening.session.hands_sheet().hands
    assert outcome.reason
    assert (hand.how, hand.reason) == ("withheld", outcome.reason)


def test_a_hand_is_listed_without_what_nobody_has_seen() -> None:
    evening = Evening(3)
    moves = evening.play_deal()
    for _ in range(30):
        next(moves)
    text = msgspec.json.encode(evening.session.hands_sheet()).decode()
    (hand,) = evening.session.hands_sheet().hands
    lines = [event.line for event in hand.events]
    assert any(line.startswith("draw") for line in lines)
    assert [
        line
        for line in lines
        if line.startswith("draw") and len(line.replace(" replacement", "").split()) > 2
    ] == []
    assert "hands" not in lines[0]
    assert '"concealed"' not in text


# what an order would do


def tried(eyes: Eyes, wanted: Order) -> Reply:
    return eyes.evening.session.tried(wanted, eyes.evening.now)


def changes(eyes: Eyes, wanted: Order) -> None:
    """The trial tells what the order then does, and itself does nothing."""
    before = len(eyes.evening.log.rows)
    sheet = eyes.evening.session.hands_sheet()
    first = tried(eyes, wanted)
    assert eyes.evening.session.hands_sheet() == sheet
    assert tried(eyes, wanted) == first
    assert len(eyes.evening.log.rows) == before
    reply = order(eyes, wanted)
    would = ("执行后：", "once it is done: ") if reply.done else ("", "")
    assert (first.done, first.zh, first.en) == (reply.done, would[0] + reply.zh, would[1] + reply.en)
    assert set(first.changed) <= set(reply.changed)
    if first.done:
        assert first.tried is not None
        assert (first.tried.balances, first.tried.after) == (
            sheet.balances,
            eyes.evening.session.hands_sheet().balances,
        )


@pytest.mark.parametrize(
    "wanted",
    [
        Adjust((5, -5, 0, 0), "上次欠的", "referee"),
        Adjust((5, 5, 0, 0), "上次欠的", "referee"),
        NextMatch("referee"),
        Undo("referee"),
        Correct(1, 2, ("discard 0 N",), "referee"),
        Correct(1, 2, ("discard 0 W",), "referee"),
        Correct(9, 2, (), "referee"),
    ],
    ids=str,
)
def test_a_trial_between_two_hands_tells_what_would_become_of_it(wanted: Order) -> None:
    changes(won(), wanted)


@pytest.mark.parametrize(
    "wanted",
    [
        Abandon("referee", "牌翻倒了"),
        Undo("referee"),
        Enter(winner=Seat.S2, author="referee", from_seat=Seat.S0, hand=HAND, tile="E"),
        Enter(winner=Seat.S2, author="referee", hand=HAND, tile="N"),
        Enter(winner=None, author="referee"),
        Correct(1, 2, ("discard 0 N",), "referee"),
    ],
    ids=str,
)
def test_a_trial_in_a_hand_tells_what_would_become_of_it(wanted: Order) -> None:
    eyes = Eyes.begun()
    eyes.discard(0, "W")
    eyes.look()
    changes(eyes, wanted)


def test_the_trial_of_an_entered_win_tells_who_would_pay_whom() -> None:
    eyes = Eyes.begun()
    told = tried(eyes, Enter(winner=Seat.S2, author="r", from_seat=Seat.S0, hand=HAND, tile="E")).tried
    assert told is not None
    (hand,) = told.hands
    assert hand == HandChange(
        deal=1, hand_no=1, was="playing", how="won", before=(0, 0, 0, 0), after=hand.after
    )
    assert (sum(hand.after), hand.after[2] > 0) == (0, True)
    assert told.after == tuple(100 + change for change in hand.after)


def test_the_trial_of_a_correction_tells_both_settlements() -> None:
    eyes = won()
    (before,) = rows(eyes, OutcomeRow)
    log = eyes.evening.log.texts(1)
    winning = next(index for index, line in enumerate(log) if line.startswith("win"))
    entered = ("entered drawn",)
    told = tried(eyes, Correct(1, winning, entered, "r"))
    assert told.tried is not None
    (hand,) = told.tried.hands
    assert (hand.was, hand.how, hand.before, hand.after) == ("won", "drawn", before.payments, (0, 0, 0, 0))
    assert told.tried.after == (100, 100, 100, 100)


def test_what_waits_for_the_table_is_not_tried() -> None:
    reply = tried(Eyes.begun(), Pause("referee"))
    assert (reply.done, reply.en) == (False, "this order can't be tried")


async def test_a_trial_is_no_order() -> None:
    eyes = won()

    async def carry_out(_: Ordered) -> Reply:
        raise AssertionError("carried out")

    body = b'{"verb":"adjust","author":"r","payments":[1,-1,0,0],"reason":"x","trial":true}'
    desk = CommandDesk(
        carry_out,
        clock=lambda: 0.0,
        now=lambda: 0.0,
        try_out=lambda wanted: tried(eyes, wanted),
    )
    answered = await desk.take(body, way=Way.PAGE_HERE)
    assert (answered.done, answered.en) == (True, "once it is done: points are moved: +1 -1 +0 +0")
    assert isinstance(answered.tried, Tried)
    first, second, *_ = answered.tried.balances
    assert answered.tried.after[:2] == (first + 1, second - 1)
    deaf = CommandDesk(carry_out, clock=lambda: 0.0, now=lambda: 0.0)
    assert not (await deaf.take(body, way=Way.PAGE_HERE)).done
