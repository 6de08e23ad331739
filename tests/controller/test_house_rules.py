"""What the house punishes is found on the table, told with its evidence, and booked when people confirm."""

import pytest
from test_doubts import HAND, Eyes
from test_second_thoughts import meld

from controller.journal_deals import FineRow
from controller.session_inputs import PersonProposal
from rules.tiles import Seat


def fines(eyes: Eyes) -> list[FineRow]:
    return [row for row in eyes.evening.log.rows if isinstance(row, FineRow)]


def is_fined_when_confirmed(eyes: Eyes, seat: int) -> bool:
    """Nothing is booked before a person confirms it; then the false win is."""
    before = (fines(eyes), eyes.evening.log.outcomes())
    eyes.answer("confirm")
    return before == ([], []) and [row.seat for row in fines(eyes)] == [seat]


@pytest.mark.parametrize(("tiles", "word", "number"), [(11, "小相公", "11"), (15, "大相公", "15")])
def test_a_hand_of_the_wrong_size_at_the_win(eyes: Eyes, tiles: int, word: str, number: str) -> None:
    eyes.discard(0, "E")
    eyes.look()
    hand = (HAND + " W W").split()[:tiles]
    eyes.show(1, " ".join(hand))
    eyes.look(6.0)
    item = eyes.doubt()
    assert item.kind == "shown"
    assert f"二号位{word}" in item.zh
    assert f"{number} instead of" in item.en
    assert is_fined_when_confirmed(eyes, 1)


def test_a_win_by_a_player_who_has_discarded_the_wild_tile(eyes: Eyes) -> None:
    for seat, tile in ((0, "9m"), (1, "2m"), (2, "N"), (3, "E")):
        eyes.discard(seat, tile)
        eyes.look()
    eyes.show(1, HAND)
    eyes.look(6.0)
    item = eyes.doubt()
    assert "二号位：打过龙，本局不得和牌" in item.zh
    assert "seat 2: the player has discarded a dragon" in item.en
    assert item.candidates == ("二号位炸胡 (false win)",)
    assert is_fined_when_confirmed(eyes, 1)


def test_a_win_after_a_third_claim_against_one_opponent(eyes: Eyes) -> None:
    for number, tile in enumerate(("5p", "6s", "N")):
        giver = eyes.discard(0, tile, number)
        eyes.look()
        eyes.take(giver)
        meld(eyes, 2, f"{tile} {tile} {tile}", turned=1, left=240.0 - 115.0 * number)
        eyes.look(1.0)
        for seat, other in ((2, "1s"), (3, "C")):
            eyes.discard(seat, other, number)
            eyes.look()
    eyes.discard(0, "E", 3)
    eyes.look()
    assert len(eyes.evening.session.table.hands[2].melds) == 3
    eyes.show(2, "2p 3p 4p E")
    eyes.look(6.0)
    assert "三号位：吃碰同一家三次，本局不得和牌" in eyes.doubt().zh
    assert is_fined_when_confirmed(eyes, 2)


def test_a_win_by_a_player_whom_people_have_barred(eyes: Eyes) -> None:
    eyes.discard(0, "E")
    eyes.look()
    eyes.evening.tell(PersonProposal("barred", Seat.S1, "waiter", "looked at a hand"))
    eyes.answer("confirm")
    eyes.show(1, HAND)
    eyes.look(6.0)
    assert "二号位：本局不得和牌" in eyes.doubt().zh
    assert is_fined_when_confirmed(eyes, 1)
