"""Articles of Cixi mahjong that no worked case shows, and the table of which test shows which."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rules.cases import desk_of, example
from rules.deal import deal_blocks
from rules.record import parse_record
from rules.scoring import settle
from rules.sets import load
from rules.sets.cixi.options import CARD, PLATFORM, Options
from rules.sets.cixi.payment import account
from rules.sets.cixi.price import rank, refusal
from rules.sets.cixi.win import Flag, How, Win
from rules.table import replay
from rules.tiles import SEATS, Seat, Tile, parse_tiles

if TYPE_CHECKING:
    from rules.state import TableState


def win(hand: str, *, how: How = How.DISCARD, tile: str = "5p", flags: frozenset[Flag] = frozenset()) -> Win:
    """A win of seat 1 with 2m as the dragon; on a discard or a robbed kong of seat 0."""
    given = how in {How.DISCARD, How.ROBKONG}
    return Win(
        seat=Seat.S1,
        dealer=Seat.S0,
        how=how,
        wild=Tile.M2,
        hand=parse_tiles(hand),
        tile=Tile.parse(tile),
        from_seat=Seat.S0 if given else None,
        flags=flags,
        kept=0,
    )


PLAIN = "2m 46p 456p 789s 23s 55p 5p"
PAIRS = "1133m 3344p 5577s 55p"
PURE = "111234456789s 99s"
SCATTERED = "147m 28p 5p 369s ESWNC"


@pytest.mark.parametrize(
    ("options", "hand", "tile", "expected"),
    [
        (CARD, PURE, "9s", 1),
        (PLATFORM, PURE, "9s", 2),
        (CARD, PAIRS, "5p", 2),
        (PLATFORM, PAIRS, "5p", 2),
        (CARD, SCATTERED, "5p", 3),
        (PLATFORM, "ESWWNNNCCCFFPP", "P", 1),
        (CARD, PLAIN, "5p", 3),
    ],
)
def test_ranks_of_several_wins_on_one_tile(options: Options, hand: str, tile: str, expected: int) -> None:
    # Articles: R9.
    assert rank(win(hand, tile=tile), options) == expected


def test_the_first_discard_is_ranked_only_where_it_is_a_bonus() -> None:
    # Articles: R9.
    early = win(PLAIN, flags=frozenset({Flag.FIRST_DEALER_DISCARD}))
    assert (rank(early, CARD), rank(early, PLATFORM)) == (2, 3)


def test_two_reasons_to_pay_for_all_make_one_payer_who_pays_once_with_all_bonuses() -> None:
    # Articles: R29.
    both = win(PLAIN, flags=frozenset({Flag.HOT_DISCARD, Flag.INTERCEPT_FEIMA}))
    found = account(both, CARD, None)
    assert (found.payer, found.total, found.payments) == (0, 16, (-132, 132, 0, 0))


def test_a_hand_of_the_equal_pay_list_is_paid_by_one_where_a_reason_says_so() -> None:
    # Articles: R29.
    found = account(win(PAIRS, flags=frozenset({Flag.HOT_DISCARD})), CARD, None)
    assert (found.all_pay, found.payer, found.payments) == (True, 0, (-108, 108, 0, 0))


def test_who_pays_for_all_pays_at_most_his_stack_and_nobody_tops_up() -> None:
    # Articles: R38.
    found = account(win(PLAIN, flags=frozenset({Flag.HOT_DISCARD})), CARD, (30, 100, 100, 170))
    assert found.payments == (-30, 30, 0, 0)


def test_a_jackpot_is_paid_by_all_whoever_gave_the_tile() -> None:
    # Articles: R29, R33.
    found = account(win(PURE, tile="9s", flags=frozenset({Flag.HOT_DISCARD})), CARD, (10, 100, 90, 200))
    assert (found.payer, found.payments) == (None, (-10, 300, -90, -200))
    flat = win("ESWWNNNCCCFFPP", tile="P", flags=frozenset({Flag.INTERCEPT_FEIMA}))
    assert account(flat, PLATFORM, None).payments == (-100, 100, 0, 0)


def test_a_jackpot_takes_nothing_from_who_owes_already() -> None:
    found = account(win(PURE, tile="9s"), CARD, (10, 100, -20, 310))
    assert found.payments == (-10, 320, 0, -310)


@pytest.mark.parametrize(
    ("hand", "how", "flags", "name"),
    [
        ("2222m 111333444m 5m", How.SELFDRAW, {Flag.DEALER_FIRST}, "四龙/四百搭"),
        ("111333444555m 66m", How.SELFDRAW, {Flag.DEALER_FIRST}, "天胡"),
        ("11335577m 114466m", How.DISCARD, set(), "无龙清一色清七对"),
        ("113355m 446677m 88m", How.DISCARD, set(), "无龙清一色"),
        ("112233m 445566m 77m", How.DISCARD, set(), None),
    ],
)
def test_one_jackpot_is_named_the_first_that_holds(
    hand: str, how: How, flags: set[Flag], name: str | None
) -> None:
    # Articles: R43.
    given = win(hand, how=how, tile="6m", flags=frozenset(flags))
    found = account(given, CARD, None)
    assert (found.lines[0].zh if found.jackpot else None) == name


def told(name: str, how: str, concealed: str, tile: str = "", **more: object) -> dict[str, Any]:
    """A win of seat 0 with 2s as the dragon, told as in a case file; a given tile is seat 2's."""
    case = {"dealer": 1, "indicator": "1s", "winner": 0, "concealed": concealed, "winning_tile": tile}
    giver = 2 if tile else None
    return example({**case, "how": how, "discarder": giver, **more}, load(name))


def pengs(*tiles: str) -> list[dict[str, object]]:
    return [{"type": "peng", "tiles": [tile] * 3, "from": 1 + place % 3} for place, tile in enumerate(tiles)]


@pytest.mark.parametrize(
    ("name", "hand", "sets", "patterns"),
    [
        ("cixi-card", "2s", "ESWN", {"全风"}),
        ("cixi-card", "2s2s", "ESWN", {"对对胡", "抛花", "独吊/单吊"}),
        ("cixi-card", "2s", "ESW1", {"对对胡", "混一色", "抛花", "独吊/单吊"}),
        ("cixi-platform", "2s", "ESWN", {"对对胡", "抛花", "独吊/单吊"}),
    ],
)
def test_a_feima_discard_that_leaves_only_honours_is_the_jackpot(
    name: str, hand: str, sets: str, patterns: set[str]
) -> None:
    # Articles: R43.
    melds = pengs(*(tile.replace("1", "1m") for tile in sets))
    found = told(name, "feima", hand, melds=melds)
    assert set(found["patterns"]) == patterns
    assert found["jackpot"] == (patterns == {"全风"})


@pytest.mark.parametrize(
    ("hand", "tile", "payer"),
    [
        ("147m 258p 369s ESWN", "C", 2),
        ("147m 258p 369s ESWC", "N", 2),
        ("147m 258p 36s ESWNC", "9s", None),
        ("123m 456p 789s 55m CC", "C", None),
    ],
)
def test_a_held_back_honour_is_paid_for_only_in_scattered_hands(
    hand: str, tile: str, payer: int | None
) -> None:
    # Articles: R30.
    found = told("cixi-card", "discard", hand, tile, flags={"guan_fengxiang": True})
    assert (found["payer"], "关风向加龙" in found["patterns"]) == (payer, payer is not None)


@pytest.mark.parametrize(
    ("thrown", "payer"),
    [("3p", 2), ("7p", 2), (None, 2), ("5p", None), ("8p", None), ("4m", None), ("E", None)],
)
def test_only_a_tile_one_or_two_away_makes_the_single_waiters_giver_pay(
    thrown: str | None, payer: int | None
) -> None:
    # Articles: R27.
    flags = {"single_wait_adjacent": True, "last_own_discard": thrown}
    found = told("cixi-platform", "discard", "5p", "5p", melds=pengs("1m", "9m", "E", "3s"), flags=flags)
    assert found["payer"] == payer


def test_the_tile_near_the_last_discard_means_nothing_before_four_sets_are_down() -> None:
    flags = {"single_wait_adjacent": True, "last_own_discard": "4p"}
    found = told("cixi-platform", "discard", "5p 777s", "5p", melds=pengs("1m", "9m", "E"), flags=flags)
    assert (found["valid"], found["payer"]) == (True, None)


@pytest.mark.parametrize("profile", ["cixi-card", "cixi-platform"])
def test_section_4_no_table_offers_the_third_claim_but_a_win_always(profile: str) -> None:
    question = {
        "kind": "claim_limit",
        "claims_from_A": [["chi", "2m"], ["peng", "1s"]],
        "hand_has": ["6s", "6s", "6s", "5s", "7s"],
        "A_discards": "6s",
    }
    offered = desk_of(load(profile)).answer(question)
    assert [name for name, offers in offered.items() if offers is True] == ["offer_hu"]
    assert all(
        desk_of(load(profile)).answer({**question, "claims_from_A": [["peng", "1s"]]})[name]
        for name in ("offer_chi", "offer_peng", "offer_gang")
    )


@pytest.mark.parametrize(
    ("name", "near", "far", "winner"),
    [
        ("cixi-card", "平胡", "无龙清一色", 2),
        ("cixi-card", "独吊", "无龙清一色", 2),
        ("cixi-platform", "独吊", "无龙清一色", 1),
        ("cixi-platform", "平胡", "清一色", 2),
        ("cixi-card", "平胡", "地胡", 2),
        ("cixi-platform", "平胡", "地胡", 1),
    ],
)
def test_a_hands_name_gives_its_rank_by_the_profile(name: str, near: str, far: str, winner: int) -> None:
    # Articles: R9.
    rules = load(name)
    candidates = [{"seat": 1, "hand": near}, {"seat": 2, "hand": far}]
    found = desk_of(rules).answer({"kind": "hu_priority", "discarder": 0, "candidates": candidates})
    assert found["winner"] == winner


def test_nobody_to_choose_among_is_said_so() -> None:
    desk = desk_of(load("cixi-card"))
    with pytest.raises(ValueError, match="candidates: none"):
        desk.answer({"kind": "hu_priority", "discarder": 0, "candidates": []})


def test_several_kongs_in_a_row_pay_once_and_kongs_alone_pay_nothing() -> None:
    # Articles: §13, R12, R20.
    rules = load("cixi-card")
    record = "deal 0\nindicator 1m\ndiscard 0 E\ndraw 1\ndiscard 1 S\ndraw 2\n"
    kongs = (
        "declare 2 concealed_kong 9p\ndraw 2 replacement\ndeclare 2 concealed_kong 1s\ndraw 2 replacement\n"
    )
    state = replay(parse_record(record + kongs + "win 2 hand 456m 789s 66s on 6s"), rules)
    found = settle(state, rules)
    assert [line.zh for line in found.lines].count("杠头开花/杠上花") == 1
    assert (found.total, found.payments) == (7, (-26, -26, 78, -26))


def paohua_with_peng(end: str, rules_name: str) -> TableState:
    record = "deal 0\nindicator 1m\ndiscard 0 9p\nclaim 1 peng 999p took 9p from 0\ndiscard 1 E\n"
    record += "draw 2\ndiscard 2 S\ndraw 3\ndiscard 3 S\ndraw 0\ndiscard 0 S\ndraw 1\n"
    return replay(parse_record(record + end), load(rules_name))


@pytest.mark.parametrize("name", ["cixi-card", "cixi-platform"])
def test_a_hand_that_waits_for_all_may_declare_its_fourth_tile_or_win_at_once(name: str) -> None:
    # Articles: R28.
    rules = load(name)
    hand = "2m 456m 345p 789s"
    kong = "declare 1 added_kong 9p\ndraw 1 replacement\n"
    taken = settle(paohua_with_peng(f"{kong}win 1 hand {hand} W on W", name), rules)
    assert {"抛花", "杠头开花/杠上花"} <= {line.zh for line in taken.lines}
    plain = settle(paohua_with_peng(f"win 1 hand {hand} 9p on 9p", name), rules)
    assert "抛花" in {line.zh for line in plain.lines}
    robbed = paohua_with_peng(
        "declare 1 added_kong 9p\nwin 3 hand 345m 678m 78p 333s FF 9p on 9p from 1", name
    )
    assert settle(robbed, rules).payer == 1


def test_tiles_are_dealt_in_blocks_of_two_stacks() -> None:
    # Articles: §3, §13, R7.
    blocks = deal_blocks(Seat.S2, load("cixi-card"))
    assert [number for _, number in blocks] == [4] * 12 + [1] * 5
    assert [int(seat) for seat, _ in blocks[:4]] == [2, 3, 0, 1]
    assert blocks[-1] == (Seat.S2, 1)
    totals = {seat: sum(n for s, n in blocks if s is seat) for seat in SEATS}
    assert totals == {Seat.S0: 13, Seat.S1: 13, Seat.S2: 14, Seat.S3: 13}


def test_a_dragon_counts_even_where_it_stands_for_itself() -> None:
    # Articles: §2, R2.
    used = win("123m 46p 456p 789s 55p 5p", how=How.SELFDRAW)
    assert (used.dragons, account(used, CARD, None).total) == (1, 1)


def test_a_discarded_dragon_cannot_be_won() -> None:
    # Articles: R3.
    assert refusal(win("345m 46p 456p 789s 55p 2m", tile="2m"), CARD) == "a discarded dragon cannot be won"


TABLE = resources.files("rules.sets.cixi").joinpath("articles.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\S+) \| (.+?) \| (.+?) \|$", TABLE, re.MULTILINE)[2:]


def test_the_table_names_every_article_once() -> None:
    rulings = [article for article, _, _ in ROWS if article.startswith("R")]
    assert sorted(rulings, key=lambda name: int(name[1:])) == [f"R{number}" for number in range(1, 45)]
    sections = [article for article, _, _ in ROWS if article.startswith("§")]
    assert sections == [f"§{number}" for number in range(1, 15)]
    assert len(ROWS) == 44 + 14


def articles_of_tests() -> dict[str, set[str]]:
    """The articles that each test of this folder names in its first line."""
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    found = re.findall(r"^def (test_\w+)\((?:.|\n)*?:\n((?: {4}#.*\n)*)", sources, re.MULTILINE)
    said = {name: " ".join(lines.split("#")).partition("Articles:")[2] for name, lines in found}
    return {name: set(re.findall(r"[§R]\d+", text)) for name, text in said.items()}


def test_the_table_and_the_tests_name_the_same_articles() -> None:
    listed: dict[str, set[str]] = {}
    for article, _, tests in ROWS:
        names = re.findall(r"`(test_\w+)`", tests)
        assert names, article
        for name in names:
            listed.setdefault(name, set()).add(article)
    assert listed == {name: articles for name, articles in articles_of_tests().items() if articles}


def test_section_5_four_dragons_in_a_concealed_hand_are_no_feima() -> None:
    """Nothing is added to a hand of thirteen: a fifth dragon would be a tile that no set has."""
    for options in (CARD, PLATFORM):
        reason = refusal(win("2222m ESNN CCFFP", how=How.FEIMA), options)
        assert reason == "飞马 needs four sets down and only a dragon left"
