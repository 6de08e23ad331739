"""What the log of a deal says about a win of Cixi mahjong: callers set no flag that it holds."""

from __future__ import annotations

from typing import Any

import pytest
from cixi_deals import CARD, LAP, PLAIN, PLATFORM, SINGLE, START, at, names, refused, settled

from rules.record import parse_record
from rules.scoring import Unsettled
from rules.sets import load
from rules.tiles import Seat


def test_a_plain_win_on_a_discard_pays_double_by_the_discarder() -> None:
    # Articles: §1.
    account = settled(START + LAP + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0")
    assert names(account) == {"平胡"}
    assert account.payments == (-14, -7, 28, -7)


def test_the_dealers_first_discard_is_dihu_for_the_others() -> None:
    account = settled(START + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0")
    assert names(account) == {"平胡", "地胡"}
    assert (account.all_pay, account.payments) == (True, (-24, -24, 72, -24))
    assert names(settled(START + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0", PLATFORM)) == {"平胡"}


def test_the_dealt_fourteen_are_tianhu() -> None:
    # Articles: §8, R44.
    account = settled(START + f"win 0 hand {PLAIN} 5p on ?")
    assert (names(account), account.jackpot) == ({"天胡"}, True)
    assert names(settled(START + f"win 0 hand {PLAIN} 5p on 5p", PLATFORM)) == {"平胡"}


def test_deals_kept_by_the_dealer_count_for_any_winner() -> None:
    # Articles: R21.
    kept = START.replace("deal 0", "deal 0 kept 2")
    account = settled(kept + LAP + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0")
    assert account.total == 11
    only_dealer = load("cixi-card", {"shangtang": "dealer_only"})
    assert settled(kept + LAP + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0", only_dealer).total == 1


def test_the_drawn_tile_decides_whether_any_tile_would_have_won() -> None:
    hand = "2m 345m 456m 678p 789s"
    record = START + LAP + "discard 0 C\ndraw 1\n"
    assert "抛花" in names(settled(record + f"win 1 hand {hand} W on W"))
    plain = settled(record + f"win 1 hand {hand} 5m on 3m")
    assert "抛花" not in names(plain)
    with pytest.raises(Unsettled) as missing:
        settled(record + f"win 1 hand {hand} W on ?")
    assert missing.value.question == "drawn_tile"
    assert "W" in missing.value.candidates
    told = settled(record + f"win 1 hand {hand} W on ?", answers={"drawn_tile": "W"})
    assert "抛花" in names(told)


def test_an_unknown_drawn_tile_that_changes_nothing_is_not_asked_for() -> None:
    account = settled(START + LAP + "discard 0 C\ndraw 1\nwin 1 hand 345m 456m 678p 789s EE on ?")
    assert (names(account), account.total) == ({"平胡"}, 2)


def test_a_win_on_a_kongs_replacement() -> None:
    record = START + LAP + "discard 0 9p\nclaim 2 kong 9999p took 9p from 0\ndraw 2 replacement\n"
    account = settled(record + "win 2 hand 456m 789s 66s 567s on 6s")
    assert names(account) == {"平胡", "杠头开花/杠上花"}


def test_the_first_discard_after_a_kong_is_hot() -> None:
    # Articles: §7, R25.
    record = START + LAP + "declare 0 concealed_kong 9p\ndraw 0 replacement\ndiscard 0 5p\n"
    account = settled(record + f"win 2 hand {PLAIN} 5p on 5p from 0")
    assert names(account) == {"平胡", "拦杠/热炮加龙"}
    assert (account.payer, account.payments) == (0, (-72, 0, 72, 0))
    platform = settled(record + "win 2 hand 345m 46p 456p 789s 55p 5p on 5p from 0", PLATFORM)
    assert (names(platform), platform.payments) == ({"平胡"}, (-48, 0, 48, 0))


def test_a_kong_two_turns_ago_is_no_longer_hot() -> None:
    # Articles: §7.
    kong = "declare 0 concealed_kong 9p\ndraw 0 replacement\n"
    record = START + LAP + kong + LAP.replace("W", "C").replace("N", "F") + "discard 0 5p\n"
    assert names(settled(record + f"win 2 hand {PLAIN} 5p on 5p from 0")) == {"平胡"}


def test_a_single_wait_pays_all_alike_on_the_card_table_only() -> None:
    # Articles: R23.
    record = SINGLE + "discard 3 3m\ndraw 0\ndiscard 0 6s\nwin 3 hand 66s on 6s from 0"
    account = settled(record, answers={"intercept_feima": "no"})
    assert (names(account), account.payments) == ({"平胡", "独吊/单吊"}, (-26, -26, -26, 78))
    assert settled(record, PLATFORM).payments == (-26, -13, -13, 52)


def test_a_tile_near_the_discard_that_made_one_single_is_paid_by_its_giver() -> None:
    # Articles: R27.
    far = SINGLE + "discard 3 4s\ndraw 0\ndiscard 0 7s\nwin 3 hand 77s on 7s from 0"
    near = SINGLE + "discard 3 5s\ndraw 0\ndiscard 0 7s\nwin 3 hand 77s on 7s from 0"
    assert settled(far, PLATFORM).payer is None
    assert (settled(near, PLATFORM).payer, settled(near, PLATFORM).payments) == (0, (-78, 0, 0, 78))
    later = SINGLE + "discard 3 5s\ndraw 0\n" + LAP.replace("W", "C").replace("3 N", "3 9s")
    later += "discard 0 7s\nwin 3 hand 77s on 7s from 0"
    every = load("cixi-platform", {"adjacency": "every_discard"})
    assert settled(later, PLATFORM).payer is None
    assert settled(later, every).payer == 0


def test_feima_wins_by_its_own_discard_and_who_stops_it_is_paid_for_all() -> None:
    # Articles: R26.
    feima = SINGLE + "discard 3 5p\nwin 3 hand 2m on ?"
    account = settled(feima)
    assert names(account) == {"平胡", "抛花", "独吊/单吊"}
    assert account.payments == (-34, -34, -34, 102)
    stopped = SINGLE + "discard 3 5p\nwin 1 hand 345m 46p 345s 678s 99s 5p on 5p from 3"
    with pytest.raises(Unsettled) as missing:
        settled(stopped)
    assert missing.value.question == "intercept_feima"
    assert settled(stopped, answers={"intercept_feima": "yes"}).payer == 3
    assert settled(stopped, answers={"intercept_feima": "no"}).payer is None


def test_two_dragons_after_the_fourth_claim_win_at_once() -> None:
    # Articles: R19.
    account = settled(SINGLE + "win 3 hand 22m on ?")
    assert (names(account), account.total) == ({"平胡", "抛花", "独吊/单吊"}, 12)
    assert "needs a draw" in refused(SINGLE + "win 3 hand 66s on ?")


def test_four_dragons_at_the_own_turn_take_all() -> None:
    # Articles: §8.
    record = START + LAP + "discard 0 C\ndraw 1\nwin 1 hand 2222m 147p 369s ESWN on "
    assert settled(record + "2m").jackpot
    assert settled(record + "?").lines[0].zh == "四龙/四百搭"


def ten_honours(last: str = "N") -> str:
    own = ["E", "S", "W", "N", "C", "F", "P", "E", "S", last]
    others = iter([f"{rank}{suit}" for suit in "ps" for rank in range(1, 10)] * 2)
    lines = ["deal 0", "indicator 1m"]
    for number, tile in enumerate(own):
        if number:
            lines.append("draw 0")
        lines.append(f"discard 0 {tile}")
        if number < 9:
            for seat in (1, 2, 3):
                lines += [f"draw {seat}", f"discard {seat} {next(others)}"]
    return "\n".join(lines) + "\n"


def test_ten_own_honours_in_a_row_take_all() -> None:
    # Articles: R32.
    for rules in (CARD, PLATFORM):
        account = settled(ten_honours() + "win 0 hand on ?", rules)
        assert (names(account), account.payments) == ({"十连风"}, (300, -100, -100, -100))
    assert "ten own honours" in refused(ten_honours(last="5p") + "win 0 hand on ?")


def test_thirteen_honours_after_the_own_discard_take_all_on_the_card_table() -> None:
    # Articles: R31.
    record = START + LAP + "discard 0 5p\nwin 0 hand ESWWNNNCCCFFP on ?"
    assert names(settled(record)) == {"全风"}
    assert "飞马" in refused(record, PLATFORM)
    drawn = START + LAP + "discard 0 5p\ndraw 1\nwin 1 hand ESWWNNCCCFFFPP on P"
    assert names(settled(drawn, PLATFORM)) == {"全风向"}
    assert "not a complete hand" in refused(drawn)


def test_a_held_back_honour_is_asked_for_and_then_paid_for_all() -> None:
    # Articles: R30, R34.
    scattered = "147m 258p 369s ESWN"
    record = START + LAP.replace("0 E", "0 5s") + "discard 0 C\n"
    win = record + f"win 2 hand {scattered} C on C from 0"
    with pytest.raises(Unsettled) as missing:
        settled(win)
    assert missing.value.question == "guan_fengxiang"
    held = settled(win, answers={"guan_fengxiang": "yes"})
    assert (names(held), held.payer, held.payments) == ({"大乱/十三幺", "关风向加龙"}, 0, (-84, 0, 84, 0))
    assert settled(win, answers={"guan_fengxiang": "no"}).payments == (-18, -9, 36, -9)
    assert settled(win, PLATFORM).payments == (-18, -9, 36, -9)
    first = START + LAP + f"discard 0 C\nwin 2 hand {scattered} C on C from 0"
    assert settled(first).payer is None


def test_who_threw_a_dragon_or_claimed_thrice_from_one_player_may_not_win() -> None:
    # Articles: §9.
    thrown = START + "discard 0 E\ndraw 1\ndiscard 1 S\ndraw 2\ndiscard 2 2m\ndraw 3\ndiscard 3 5p\n"
    assert "discarded a dragon" in refused(thrown + f"win 2 hand {PLAIN} 5p on 5p from 3")
    thrice = START
    for tile in ("1s", "E", "4p"):
        triplet = tile * 3 if tile == "E" else tile[0] * 3 + tile[1]
        thrice += (
            f"discard 0 {tile}\nclaim 3 peng {triplet} took {tile} from 0\ndiscard 3 N\ndraw 0\n".replace(
                "N\n", {"1s": "N", "E": "W", "4p": "S"}[tile] + "\n"
            )
        )
    assert "3 or more claims" in refused(thrice + "discard 0 6s\nwin 3 hand 123m 66s on 6s from 0")


def test_a_false_win_is_fined_once_and_bars_from_winning() -> None:
    # Articles: §9, R35.
    record = START + LAP + "discard 0 5p\nfalse_win 2 hand 147m 258p 369s ESWN\n"
    state = at(record)
    (event,) = parse_record("false_win 2 hand 147m 258p 369s ESWN")
    assert CARD.fine is not None
    assert CARD.fine(state, event, (100, 100, 100, 100)) == (24, 24, -72, 24)  # type: ignore[arg-type]
    assert CARD.fine(state, event, (119, 100, 31, 150)) == (10, 10, -30, 10)  # type: ignore[arg-type]
    formula = load("cixi-card", {"zhahu": "formula"})
    assert formula.fine is not None
    assert formula.fine(state, event, None) == (26, 26, -78, 26)  # type: ignore[arg-type]
    assert "may not win" in refused(record + f"win 2 hand {PLAIN} 5p on 5p from 0")
    assert "already" in refused(record + "barred 2 because a tile short")
    assert "refuses wrong moves" in refused(record, PLATFORM)
    other = settled(record + "win 3 hand 345m 46p 456p 789s 55p 5p on 5p from 0")
    assert other.winner is Seat.S3


def test_a_barred_player_may_not_win() -> None:
    # Articles: §9.
    record = START + LAP + "barred 2 because a tile too many\ndiscard 0 5p\n"
    assert "may not win" in refused(record + f"win 2 hand {PLAIN} 5p on 5p from 0")


def test_a_win_that_was_passed_locks_until_the_own_draw_where_the_option_says_so() -> None:
    # Articles: R11.
    hand = "hand 345m 46p 456s 789s CC 5p on 5p"
    passed = START + LAP + f"discard 0 5p\ndraw 1\ndiscard 1 5p\nwin 2 {hand} from 1"
    locked = load("cixi-card", {"pass_win_lock": "on"})
    assert settled(passed).winner is Seat.S2
    assert "locks" in refused(passed, locked)
    redrawn = START + LAP + "discard 0 5p\ndraw 1\ndiscard 1 F\ndraw 2\ndiscard 2 F\ndraw 3\ndiscard 3 5p\n"
    assert settled(redrawn + f"win 2 {hand} from 3", locked).winner is Seat.S2


def test_claims_of_a_self_winning_discard_are_void_where_the_hand_is_known() -> None:
    # Articles: R39.
    honours = "ESWWNNNCCCFFP"
    hands = f"{honours} 5p | 55p 123456789s E S | 46p 123456789s 1s 1s | ?????????????"
    record = f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 5p\n"
    assert "only a win" in refused(record + "claim 1 peng 555p took 5p from 0")
    assert names(settled(record + f"win 0 hand {honours} on ?")) == {"全风"}


def test_on_the_platform_a_draw_to_a_hand_that_waits_for_all_wins_by_itself() -> None:
    # Articles: R42.
    hand = "2m 345m 456m 678p 789s"
    hands = f"????????????? C | {hand} | ????????????? | ?????????????"
    record = f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 C\ndraw 1 W\n"
    assert "may not be discarded" in refused(record + "discard 1 W", PLATFORM)
    assert at(record + "discard 1 W", CARD).turn is Seat.S1
    assert "own draw only" in refused(
        f"deal 0 hands {hands}\nindicator 1m\ndiscard 0 C\nwin 1 hand {hand} C on C from 0", PLATFORM
    )


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"feimma": "formula"}, "unknown option 'feimma'"),
        ({"feima": "flat35"}, "expected 'formula' or 'flat34'"),
        ({"tongfu": "maybe"}, "expected true or false"),
        ({"stake": 0}, "whole number 1 to 10000"),
        ({"mirror": True}, "expected 0 or 5"),
        ({"start_points": 0}, "cap_at_stack needs"),
        ({"paohua_autowin": True}, "paohua_autowin contradicts"),
    ],
)
def test_unknown_and_contradictory_options_are_refused_in_words(chosen: dict[str, Any], words: str) -> None:
    # Articles: §14.
    with pytest.raises(ValueError, match=words):
        load("cixi-card", chosen)


def test_an_unknown_rule_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="cixi-card, cixi-platform"):
        load("cixi")


def test_the_match_ends_when_somebody_has_nothing_left_or_a_jackpot_took_all() -> None:
    # Articles: §10.
    jackpot = settled(START + f"win 0 hand {PLAIN} 5p on ?")
    assert CARD.match_over((400, 0, 0, 0), None)
    assert CARD.match_over((300, 50, 25, 25), jackpot)
    assert not CARD.match_over((100, 100, 100, 100), None)
    assert not PLATFORM.match_over((-50, 0, 25, 25), jackpot)


def test_the_stake_multiplies_every_amount_of_the_platform() -> None:
    # Articles: R44.
    tripled = load("cixi-platform", {"stake": 3})
    record = START + LAP + f"discard 0 5p\nwin 2 hand {PLAIN} 5p on 5p from 0"
    assert settled(record, tripled).payments == (-42, -21, 84, -21)
    assert settled(ten_honours() + "win 0 hand on ?", tripled).payments == (900, -300, -300, -300)
