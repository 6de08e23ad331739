"""Wins that must come: by the own discard, with four dragons, by a 抛花 draw; as far as tiles are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cixi_deals import BOTH, CARD, HIDDEN, PLATFORM, at, names, refused, settled

from rules.events import Claimed, Discarded, Drew, KongDeclared, Won
from rules.record import parse_record
from rules.scoring import settle
from rules.sets import load
from rules.table import apply, is_exhausted, options, strongest
from rules.tiles import SEATS, Seat, Tile

if TYPE_CHECKING:
    from rules.ruleset import RuleSet
    from rules.state import TableState

WAITS_5P = "345m 67p 345s 678s 99s"


def feima(left: str = "5p", second: str = HIDDEN, third: str = "11s EE 44p 89m 2m NNW") -> str:
    """Seat 3 claims four sets and throws all but a dragon; seat 1's tiles are `second`, his are `third`."""
    hands = f"{'?' * 14} | {second} | {HIDDEN} | {third} {left}"
    return (
        f"deal 0 hands {hands}\nindicator 1m\n"
        "discard 0 1s\nclaim 3 peng 111s took 1s from 0\ndiscard 3 N\ndraw 0\n"
        "discard 0 E\nclaim 3 peng EEE took E from 0\ndiscard 3 N\ndraw 0\ndiscard 0 S\ndraw 1\n"
        "discard 1 4p\nclaim 3 peng 444p took 4p from 1\ndiscard 3 W\ndraw 0\ndiscard 0 P\ndraw 1\n"
        "discard 1 P\ndraw 2\ndiscard 2 7m\nclaim 3 chi 789m took 7m from 2\n"
    )


@BOTH
def test_nobody_can_pass_or_claim_the_discard_of_a_feima(rules: RuleSet) -> None:
    # Articles: R39.
    record = feima() + "discard 3 5p\n"
    assert "unless it is won" in refused(record + "draw 0", rules)
    assert "unless it is won" in refused(record + "exhausted", rules)
    assert "only a win" in refused(record + "claim 0 peng 555p took 5p from 3", rules)
    assert "only a win" in refused(record + "claim 0 chi 456p took 5p from 3", rules)
    state = at(record, rules)
    assert not any(isinstance(move, Drew) for seat in SEATS for move in options(state, seat, rules))
    found = settled(record + "win 3 hand 2m on ?", rules)
    assert (names(found), found.payments) == ({"平胡", "抛花", "独吊/单吊"}, (-34, -34, -34, 102))


@BOTH
def test_where_the_last_tile_is_hidden_a_feima_is_only_known_once_it_is_declared(rules: RuleSet) -> None:
    record = feima(left="?", third=f"11s EE 44p 89m {'?' * 4}") + "discard 3 5p\n"
    assert at(record + "draw 0", rules).turn is Seat.S0
    assert at(record + "claim 0 peng 555p took 5p from 3", rules).turn is Seat.S0
    assert at(record + "win 3 hand 2m on ?", rules).result is not None
    assert "飞马 needs" in refused(record + "win 3 hand 6s on ?", rules)


def test_on_the_platform_whoever_can_win_on_a_feima_must_and_is_paid_a_hundred() -> None:
    # Articles: §5, R26.
    record = feima(second=WAITS_5P) + "discard 3 5p\n"
    assert "强制" in refused(record + "win 3 hand 2m on ?", PLATFORM)
    state = at(record, PLATFORM)
    offers = [move for seat in SEATS for move in options(state, seat, PLATFORM)]
    assert [move.seat for move in offers if isinstance(move, Won)] == [Seat.S1]
    assert len(offers) == 1
    found = settled(record + f"win 1 hand {WAITS_5P} 5p on 5p from 3", PLATFORM)
    assert (found.payer, found.payments) == (3, (0, 100, 0, -100))
    triple = load("cixi-platform", {"stake": 3})
    assert settled(record + f"win 1 hand {WAITS_5P} 5p on 5p from 3", triple).payments == (0, 300, 0, -300)


def test_at_a_card_table_nobody_must_win_on_a_feima() -> None:
    record = feima(second=WAITS_5P) + "discard 3 5p\n"
    state = at(record, CARD)
    offers = [move for seat in SEATS for move in options(state, seat, CARD)]
    assert [move.seat for move in offers if isinstance(move, Won)] == [Seat.S1, Seat.S3]
    assert len(offers) == 2
    chosen = strongest(state, offers, CARD)
    assert isinstance(chosen, Won)
    assert chosen.seat is Seat.S1
    assert settled(record + "win 3 hand 2m on ?", CARD).payments == (-34, -34, -34, 102)
    stopped = settled(record + f"win 1 hand {WAITS_5P} 5p on 5p from 3", CARD)
    assert (names(stopped), stopped.payer, stopped.total) == ({"平胡", "拦飞马加龙"}, 3, 12)


def test_who_waits_for_all_stops_no_feima_on_the_platform_but_with_all_honours() -> None:
    waits = "2m 345m 678p 345s 678s"
    record = feima(second=waits) + "discard 3 5p\n"
    assert "own draw only" in refused(record + f"win 1 hand {waits} 5p on 5p from 3", PLATFORM)
    assert settled(record + "win 3 hand 2m on ?", PLATFORM).payments == (-34, -34, -34, 102)
    honours = "2m SSS CCC FFF PP W"
    record = feima(second=honours, left="W").replace("discard 0 P", "discard 0 9p").replace("1 P", "1 9s")
    record += "discard 3 W\n"
    assert "强制" in refused(record + "win 3 hand 2m on ?", PLATFORM)
    found = settled(record + f"win 1 hand {honours} W on W from 3", PLATFORM)
    assert (names(found), found.payments) == ({"全风向"}, (0, 100, 0, -100))


def test_a_player_who_may_not_win_has_no_feima_and_stops_none() -> None:
    barred = feima() + "barred 3 because a tile short\ndiscard 3 5p\n"
    assert at(barred + "claim 0 peng 555p took 5p from 3", CARD).turn is Seat.S0
    assert "may not win" in refused(barred + "win 3 hand 2m on ?", CARD)
    won = f"win 1 hand {WAITS_5P} 5p on 5p from 3"
    assert settled(barred + won, CARD).payer is None
    unknown = (
        feima(left="?", third=f"11s EE 44p 89m {'?' * 4}") + "barred 3 because a tile short\ndiscard 3 5p\n"
    )
    assert settled(unknown + won, CARD).payer is None


@BOTH
def test_two_dragons_after_the_fourth_claim_leave_no_discard(rules: RuleSet) -> None:
    # Articles: R19.
    record = feima(left="2m")
    assert options(at(record, rules), Seat.S3, rules) == (Won(Seat.S3, (Tile.M2, Tile.M2)),)
    assert settled(record + "win 3 hand 22m on ?", rules).total == 12
    assert refused(record + "discard 3 2m", rules)


DRAGONS = "222m 147p 258s ESWN"


def drawn_fourth(rules: RuleSet, hand: str = DRAGONS) -> TableState:
    hands = f"{'?' * 14} | {hand} | {HIDDEN} | {HIDDEN}"
    return at(f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 C\ndraw 1 2m\n", rules)


def test_four_dragons_win_at_once_at_a_card_table_and_may_be_declared_later_on_the_platform() -> None:
    # Articles: §8.
    assert {type(move) for move in options(drawn_fourth(CARD), Seat.S1, CARD)} == {Won}
    state = drawn_fourth(PLATFORM)
    assert {type(move) for move in options(state, Seat.S1, PLATFORM)} == {Won, Discarded}
    later = "discard 1 E\ndraw 2\ndiscard 2 C\ndraw 3\ndiscard 3 C\ndraw 0\ndiscard 0 F\ndraw 1 9s\n"
    for event in parse_record(later):
        state = apply(state, event, PLATFORM)
    assert any(isinstance(move, Won) for move in options(state, Seat.S1, PLATFORM))


def test_who_threw_a_dragon_goes_on_with_four() -> None:
    hands = f"{'?' * 14} | 22m 147p 258s ESWNC | {HIDDEN} | {HIDDEN}"
    lap = "discard 2 C\ndraw 3\ndiscard 3 C\ndraw 0\n"
    record = f"deal 0 hands {hands}\nindicator 1m\nbarred 1 because a tile long\ndiscard 0 9m\ndraw 1 2m\n"
    record += f"discard 1 C\ndraw 2\n{lap}discard 0 9m\ndraw 1 2m\n"
    state = at(record, CARD)
    assert state.hands[1].concealed.count(Tile.M2) == 4
    assert {type(move) for move in options(state, Seat.S1, CARD)} == {Discarded}


def test_dealt_four_dragons_win_at_the_first_turn_even_if_it_begins_by_a_claim() -> None:
    # Articles: §8, R44.
    hands = f"{'?' * 14} | 2222m 55p 147s 369s E | {HIDDEN} | {HIDDEN}"
    record = f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 5p\nclaim 1 peng 555p took 5p from 0\n"
    for rules in (CARD, PLATFORM):
        found = settled(record + "win 1 hand 2222m 147s 369s E on ?", rules)
        assert (names(found), found.jackpot) == ({"四龙/四百搭"}, True)


def test_a_draw_in_paohua_offers_four_dragons_then_a_kong_then_the_win_on_the_platform() -> None:
    # Articles: R28.
    record = f"deal 0 hands {'?' * 14} | 2m 999p 345m 456s 789s | {HIDDEN} | {HIDDEN}\nindicator 1m\n"
    drew = record + "discard 0 C\ndraw 1 9p\n"
    moves = options(at(drew, PLATFORM), Seat.S1, PLATFORM)
    assert [type(move) for move in moves] == [Won, KongDeclared]
    kong = drew + "declare 1 concealed_kong 9p\ndraw 1 W replacement\n"
    (only,) = options(at(kong, PLATFORM), Seat.S1, PLATFORM)
    assert isinstance(only, Won)
    found = settle(apply(at(kong, PLATFORM), only, PLATFORM), PLATFORM)
    assert names(found) == {"平胡", "抛花", "杠头开花/杠上花"}
    fourth = record.replace("2m 999p 345m 456s 789s", "222m 9999p 345m 678s")
    (only,) = options(at(fourth + "discard 0 C\ndraw 1 2m\n", PLATFORM), Seat.S1, PLATFORM)
    assert isinstance(only, Won)
    assert {type(move) for move in options(at(drew, CARD), Seat.S1, CARD)} == {Won, KongDeclared, Discarded}


def test_who_waits_for_all_may_claim_and_then_does_not() -> None:
    # Articles: §5.
    hands = f"{'?' * 14} | 2m 555p 345m 456s 789s | {HIDDEN} | {HIDDEN}"
    record = f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 5p\n"
    state = at(record, PLATFORM)
    claims = [move for move in options(state, Seat.S1, PLATFORM) if isinstance(move, Claimed)]
    assert {str(move.kind) for move in claims} == {"peng", "kong"}
    after = apply(state, next(move for move in claims if str(move.kind) == "peng"), PLATFORM)
    assert any(isinstance(move, Discarded) for move in options(after, Seat.S1, PLATFORM))


def honours_thrown(hand: str, draws: str) -> str:
    """Seat 0 throws ten honours, dealt `hand` and drawing `draws`; nobody else does anything."""
    own, drawn = iter("ESWNCFPESN"), iter(draws.split())
    others = iter([f"{rank}{suit}" for suit in "ps" for rank in range(1, 10)] * 2)
    record = f"deal 0 hands {hand} | {HIDDEN} | {HIDDEN} | {HIDDEN}\nindicator 1m\ndiscard 0 {next(own)}\n"
    for tile in own:
        for seat in (1, 2, 3):
            record += f"draw {seat}\ndiscard {seat} {next(others)}\n"
        record += f"draw 0 {next(drawn)}\ndiscard 0 {tile}\n"
    return record


TEN = honours_thrown("ESWNCFPESN 147p 5m", "3m 3m 3m 3m 8m 9m 9m 9m 9m")


def quanfeng_passed(rules: RuleSet) -> bool:
    """Whether the first discard, which leaves thirteen honours, can be passed."""
    record = f"deal 0 hands EESSWWNNCCFFPP | {HIDDEN} | {HIDDEN} | {HIDDEN}\nindicator 1m\ndiscard 0 E"
    return any(isinstance(move, Drew) for move in options(at(record, rules), Seat.S1, rules))


def test_thirteen_honours_left_cannot_be_passed_at_a_card_table_only() -> None:
    assert not quanfeng_passed(CARD)
    assert quanfeng_passed(PLATFORM)


def test_a_claim_of_the_tenth_honour_stops_ten_honours() -> None:
    # Articles: R32, R39.
    for rules in (CARD, PLATFORM):
        assert at(TEN + "claim 2 peng NNN took N from 0", rules).turn is Seat.S2
        assert "unless it is won" in refused(TEN + "draw 1", rules)
        (own,) = options(at(TEN, rules), Seat.S0, rules)
        found = settle(apply(at(TEN, rules), own, rules), rules)
        assert (names(found), found.payments) == ({"十连风"}, (300, -100, -100, -100))


@BOTH
def test_a_tenth_honour_wins_though_the_hand_is_hidden_and_is_not_forced_then(rules: RuleSet) -> None:
    record = TEN.replace("ESWNCFPESN 147p 5m", "?" * 14)
    assert at(record + "draw 1", rules).turn is Seat.S1
    assert names(settled(record + "win 0 hand on ?", rules)) == {"十连风"}


def tenth_and_feima() -> str:
    """Seat 3 throws ten honours in a row; before the tenth it claims its fourth set, and a dragon is left."""
    thrown, drawn = iter("ESWNCFPESW"), iter("CFPESW")
    fed = [(0, "1s"), (0, "3s"), (1, "5s"), (1, "7s")]
    others = iter([f"{rank}p" for rank in range(1, 10)] * 4)
    record = f"deal 0 hands {'?' * 14} | {HIDDEN} | {HIDDEN} | 11335577s 2m ESWN\nindicator 1m\n"
    record += f"discard 0 {next(others)}\n"
    turn, number = 0, 0
    while number < 10:
        turn = (turn + 1) % 4
        if turn == 3:
            record += f"draw 3 {next(drawn)}\ndiscard 3 {next(thrown)}\n"
            number += 1
        elif fed and turn == fed[0][0] and (len(fed) > 1 or number == 9):
            _, tile = fed.pop(0)
            record += f"draw {turn}\ndiscard {turn} {tile}\n"
            record += f"claim 3 peng {tile[0] * 3}s took {tile} from {turn}\ndiscard 3 {next(thrown)}\n"
            number, turn = number + 1, 3
        else:
            record += f"draw {turn}\ndiscard {turn} {next(others)}\n"
    return record


def test_own_claims_kill_ten_honours_but_not_the_feima_of_the_same_discard() -> None:
    # Articles: R32.
    record = tenth_and_feima()
    assert names(settled(record + "win 3 hand 2m on ?", CARD)) == {"对对胡", "清一色", "抛花", "独吊/单吊"}


def test_a_feima_that_is_also_the_tenth_honour_is_the_jackpot_and_only_a_win_stops_it() -> None:
    # Articles: R43.
    record = tenth_and_feima()
    assert "only a win" in refused(record + "claim 1 peng WWW took W from 3", PLATFORM)
    assert names(settled(record + "win 3 hand 2m on ?", PLATFORM)) == {"十连风"}


def test_the_wall_does_not_end_a_deal_that_the_last_discard_wins() -> None:
    rules = load("cixi-platform", {"reserve": 0})
    state = at(feima() + "discard 3 5p\n", rules)
    assert not is_exhausted(state, rules)
