"""`longzhuo score`, `waits` and `rules` answer in words and as JSON, and refuse bad input in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controller.cli import main
from controller.cli.demo_show import width
from rules.sets import available, load

CASES = Path(__file__).parent / "cases" / "cixi.json"
HAND = [
    "score",
    *("--rules", "cixi-card", "--indicator", "1m", "--hand", "46p 456p 789s 2m 23s 55p", "--win", "5p"),
    *("--by", "discard", "--winner", "0", "--from", "1", "--dealer", "0"),
]


class Said:
    """Runs the program in this process: exit status, standard output, standard error."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        status: object = 0
        try:
            main(arguments)
        except SystemExit as left:
            status = left.code or 0
        assert isinstance(status, int)
        said = self._capsys.readouterr()
        return status, said.out, said.err

    def json(self, *arguments: str) -> dict[str, Any]:
        status, out, err = self(*arguments, "--json")
        assert (status, err) == (0, "")
        found: dict[str, Any] = json.loads(out)
        return found

    def complaint(self, *arguments: str) -> str:
        status, out, err = self(*arguments)
        assert status != 0
        assert out == ""
        assert len(err.splitlines()) == 1
        return err


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(capsys)


def test_a_hand_is_explained_in_both_languages(said: Said) -> None:
    status, out, _ = said(*HAND)
    assert status == 0
    for words in ("龙×1 dragons: 1", "平胡 four sets and a pair", "§1", "D = 1", "打胡  on a discard"):
        assert words in out
    assert [line.split()[3] for line in out.splitlines()[-4:]] == ["+28", "-14", "-7", "-7"]


def test_a_hand_as_json_has_the_fields_of_a_case_and_its_lines(said: Said) -> None:
    found = said.json(*HAND, "--flag", "hot_discard", "--balances", "100,50,100,150")
    assert (found["payer"], found["payments"], found["D"], found["wildcard"]) == (1, [50, -50, 0, 0], 6, "2m")
    assert {
        "zh": "拦杠/热炮加龙",
        "en": "robbed kong or hot discard",
        "value": 5,
        "article": "§7 R25",
    } in found["lines"]
    assert [reason["zh"] for reason in found["reasons"]] == ["打胡", "包三家：热炮", "付尽为止"]


def test_declared_sets_and_options_count(said: Said) -> None:
    melds = (
        "--meld",
        "peng 111s from 1",
        "--meld",
        "kong 9999p concealed",
        "--meld",
        "kong EEEE added from 2",
    )
    base = [*HAND[:6], "2m 7s 8s", *HAND[7:8], "9s", *HAND[9:]]
    base[base.index("--hand") + 1] = "2m 78s 3s"
    found = said.json(*base, *melds)
    assert found["patterns"] == ["平胡"]
    single = [*base, *melds, "--meld", "chi 345m from 3"]
    single[single.index("--hand") + 1] = "9s"
    assert said.json(*single)["payments"] == [78, -26, -26, -26]
    assert said.json(*single, "--option", "tongfu=off")["payments"] == [52, -26, -13, -13]


def test_a_hand_that_is_no_win_says_why_and_leaves_with_1(said: Said) -> None:
    wrong = [*HAND[:6], "146p 456p 789s 2m 23s 5p", *HAND[7:]]
    assert said.complaint(*wrong) == "longzhuo: 不能胡 no win: not a complete hand\n"
    status, out, err = said(*wrong, "--json")
    assert (status, err, json.loads(out)["valid"]) == (1, "", False)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--rules": "cixi"}, "--rules: no rule set 'cixi'"),
        ({"--indicator": "1f"}, "--indicator: 1f can't be"),
        ({"--indicator": "12m"}, "--indicator: '12m', expected one tile"),
        ({"--hand": "46p 456p 789s 2m 23s 5"}, "--hand: not tiles"),
        ({"--hand": "46p 456p 789s 2m 23s 5p"}, "13 tiles with sets counted as three, expected 14"),
        ({"--hand": "55p 456p 789s 2m 23s 55p"}, "6 copies of 5p"),
        ({"--hand": "46p 456p 789s 2m 23s 5p ?"}, "? can't be part"),
        ({"--hand": "1111m 456p 789s 2m 5p E"}, "5 copies of 1m with the indicator"),
        ({"--win": "55p"}, "--win: '55p', expected one tile"),
        ({"--by": "luck"}, "--by: 'luck', expected one of selfdraw, discard"),
        ({"--winner": "4"}, "--winner: '4', expected a seat 0 to 3"),
        ({"--from": "0"}, "needs another player"),
        ({"--flag": "hot"}, "--flag: 'hot', expected one of after_kong"),
        ({"--flag": "shangtang=many"}, "flag shangtang = 'many': expected a whole number"),
        (
            {"--flag": "shangtang=99999999999"},
            "flag shangtang = 99999999999: expected a whole number 0 to 1000",
        ),
        ({"--flag": f"shangtang={'9' * 5000}"}, "expected a whole number 0 to 1000"),
        ({"--flag": "own_chi_peng=5"}, "flag own_chi_peng = 5: expected a whole number 0 to 4"),
        ({"--option": "stake=99999999999"}, "stake = 99999999999: expected a whole number 1 to 10000"),
        ({"--option": "start_points=1000001"}, "expected a whole number -1000000 to 1000000"),
        ({"--balances": f"{10**10},0,0,0"}, "expected four whole numbers of at most 1000000000"),
        ({"--meld": "pung 111s from 1"}, "--meld: 'pung' is no kind of set"),
        ({"--meld": "peng 111s"}, "--meld: 'peng 111s', expected who gave the tile"),
        ({"--meld": "peng 111s from 0", "--hand": "46p 456p 789s 2m 55p"}, "own discard"),
        ({"--meld": "peng 112s from 1"}, "1s 1s 2s is no peng"),
        ({"--meld": "chi 123m from 3"}, "the wild tile is in no declared set"),
        ({"--balances": "1,2,3"}, "--balances: '1,2,3', expected four whole numbers"),
        ({"--option": "feima"}, "--option: 'feima', expected NAME=VALUE"),
        ({"--option": "feima=flat35"}, "--option: option feima = 'flat35': expected 'formula' or"),
        ({"--cases": "absent.json"}, "--cases: a file is scored, so no hand can be given beside it"),
        ({"--by": "selfdraw"}, "--from: nobody gives the tile of a win by selfdraw"),
        ({"--flag": "after_kong"}, "--flag: after_kong goes with a win by selfdraw, not by discard"),
        ({"--flag": "robbed_was_paohua"}, "goes with a win by robkong"),
        ({"--flag": "first_dealer_discard"}, "first_dealer_discard: the dealer did not give the tile"),
        ({"--flag": "guan_fengxiang"}, "guan_fengxiang: 5p is no honour"),
        ({"--flag": "single_wait_adjacent"}, "the winner has not four sets down"),
        ({"--flag": "hot_discard=7"}, "flag hot_discard = 7: expected true or false"),
        ({"--meld": "chi 345p from 1"}, "--meld: only the previous seat, 3, gives the tile of a chi"),
        ({"--meld": "kong 9999p concealed from 1"}, "nobody gives a tile of a concealed kong"),
        ({"--meld": "kong 9999p added"}, "expected who gave the tile"),
    ],
)
def test_bad_input_is_refused_in_one_line(said: Said, changes: dict[str, str], words: str) -> None:
    arguments = list(HAND)
    for name, value in changes.items():
        if name in arguments:
            arguments[arguments.index(name) + 1] = value
        else:
            arguments += [name, value]
    assert words in said.complaint(*arguments)


def test_a_file_of_cases_gives_what_the_file_expects(said: Said) -> None:
    content = json.loads(CASES.read_text(encoding="utf-8"))
    found = said.json("score", "--cases", str(CASES))
    assert [result["id"] for result in found["results"]] == [case["id"] for case in content["examples"]]
    for case, result in zip(content["examples"], found["results"], strict=True):
        expected = case["expected"]
        assert result["payments"] == expected["payments"], case["id"]
        assert sorted(result.get("patterns", ())) == sorted(expected.get("patterns", ())), case["id"]
        assert bool(result["reason"]) == (not expected["valid"])
    for question, result in zip(content["events"], found["events"], strict=True):
        assert {key: question[key] for key in result} == result


def case_file(folder: Path, **changes: Any) -> Path:
    """A file with one example (a plain win of the card profile on a discard), changed."""
    example = {
        "id": "X1",
        "profile": "card",
        "dealer": 0,
        "indicator": "1m",
        "winner": 2,
        "concealed": ["4p", "6p", "4p", "5p", "6p", "7s", "8s", "9s", "2m", "2s", "3s", "5p", "5p"],
        "melds": [],
        "winning_tile": "5p",
        "how": "discard",
        "discarder": 0,
        "flags": {},
    }
    path = folder / "cases.json"
    path.write_text(json.dumps({"examples": [{**example, **changes}]}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "payments"),
    [
        ({}, [-14, -7, 28, -7]),
        ({"unheard_of": 1, "flags": {"new_flag": True}}, [-14, -7, 28, -7]),
        ({"flags": None, "melds": None, "balances": None}, [-14, -7, 28, -7]),
        ({"balances": [10, 100, 100, 3]}, [-10, -7, 20, -3]),
        (
            {"options": {"tongfu": False, "shangtang": "dealer_only"}, "flags": {"shangtang": 2}},
            [-14, -7, 28, -7],
        ),
        ({"flags": {"shangtang": 2}}, [-34, -17, 68, -17]),
        ({"flags": {"after_kong": True}}, [-14, -7, 28, -7]),
        ({"flags": {"first_dealer_discard": True}}, [-24, -24, 72, -24]),
        ({"flags": {"first_dealer_discard": True}, "dealer": 1}, [-14, -7, 28, -7]),
        ({"flags": {"last_own_discard": "2m"}}, [0, 0, 0, 0]),
        ({"indicator": None, "wildcard": "2m"}, [-14, -7, 28, -7]),
        ({"how": "selfdraw", "discarder": None, "flags": {"hot_discard": True}}, [-14, -14, 42, -14]),
        ({"how": "shilianfeng", "concealed": [], "winning_tile": None}, [0, 0, 0, 0]),
        (
            {
                "how": "shilianfeng",
                "winning_tile": None,
                "flags": {"honour_discards": ["E", "S", "W", "N", "C", "F", "P", "E", "S", "W"]},
            },
            [-100, -100, 300, -100],
        ),
        (
            {
                "how": "shilianfeng",
                "winning_tile": None,
                "flags": {"honour_discards": ["E", "S", "W", "N", "C", "F", "P", "E", "S", "2m"]},
            },
            [0, 0, 0, 0],
        ),
        (
            {
                "how": "shilianfeng",
                "winning_tile": None,
                "flags": {"honour_discards": ["E", "S", "W", "N", "5p", "F", "P", "E", "S", "W"]},
            },
            [0, 0, 0, 0],
        ),
    ],
)
def test_cases_say_as_little_or_as_much_as_they_like(
    said: Said, tmp_path: Path, changes: dict[str, Any], payments: list[int]
) -> None:
    (result,) = said.json("score", "--cases", str(case_file(tmp_path, **changes)))["results"]
    assert result["payments"] == payments
    assert result["valid"] == any(payments)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"winner": None}, "example X1: winner: missing"),
        ({"melds": [{"tiles": ["C"]}]}, "example X1: melds: {'tiles': ['C']}: type is missing"),
        ({"winner": 7}, "example X1: winner: 7: expected a seat 0 to 3"),
        ({"how": "luck"}, "example X1: no way of winning 'luck'"),
        ({"profile": "poker"}, "example X1: profile: 'poker', expected one of cixi-card"),
        ({"concealed": ["5x"]}, "example X1: concealed: ['5x']: not tiles"),
        ({"options": {"feima": "no"}}, "example X1: option feima = 'no'"),
        ({"balances": [1, 2, 3]}, "example X1: balances: [1, 2, 3], expected four"),
        ({"melds": [{"type": "peng"}]}, "example X1: melds: {'type': 'peng'}"),
    ],
)
def test_a_case_that_cannot_be_read_is_named_and_the_others_still_count(
    said: Said, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    path = case_file(tmp_path, **changes)
    status, out, err = said("score", "--cases", str(path), "--json")
    assert status == 1
    assert err.startswith(f"longzhuo: {path}: {words}")
    assert len(err.splitlines()) == 1
    assert json.loads(out)["results"][0]["valid"] is False


@pytest.mark.parametrize(
    "text", ["", "[1]", "{}", '{"examples": 3}', '{"examples": {}}', "{", "[" + "9" * 5000]
)
def test_a_file_that_holds_no_cases_is_refused(said: Said, tmp_path: Path, text: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text, encoding="utf-8")
    assert str(path) in said.complaint("score", "--cases", str(path), "--json")


def test_waits_count_the_copies_that_are_left(said: Said) -> None:
    arguments = ("waits", "--rules", "cixi-card", "--indicator", "1m", "--hand", "46p 456p 789s 2m 23s 55p")
    found = said.json(*arguments, "--seen", "1s 44s")
    left = {wait["tile"]: wait["left"] for wait in found["waits"]}
    assert left == {"2m": 3, "4p": 2, "5p": 1, "6p": 2, "1s": 3, "4s": 2}
    assert (found["left"], found["paohua"]) == (13, False)
    _, out, _ = said(*arguments)
    assert "二万 2m  余 left 3 龙 dragon" in out
    assert "抛花 wins with every tile: 否 no" in out


def test_a_hand_that_waits_for_every_tile_is_paohua(said: Said) -> None:
    hand = ("--indicator", "1m", "--hand", "2m 345m 456m 678p 789s")
    found = said.json("waits", "--rules", "cixi-platform", *hand)
    assert (len(found["waits"]), found["paohua"], found["own_draw_only"]) == (34, True, True)
    assert said.json("waits", "--rules", "cixi-card", *hand)["own_draw_only"] is False


def test_a_hand_waits_for_scattered_tiles_and_honours_too(said: Said) -> None:
    scattered = said.json(
        "waits", "--rules", "cixi-card", "--indicator", "8m", "--hand", "147m 258p 369s ESWN"
    )
    assert {wait["tile"] for wait in scattered["waits"]} == {"9m", "C", "F", "P"}
    honours = ("--indicator", "8m", "--hand", "EESWWNNNCCCFP")
    all_honours = said.json("waits", "--rules", "cixi-platform", *honours)
    assert {wait["tile"] for wait in all_honours["waits"]} == {"9m", *"ESWNCFP"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--rules", "cixi-card", "--hand", "5p"), "--indicator: missing"),
        (("--rules", "cixi-card", "--indicator", "1m", "--hand", "5p"), "--hand: 1 tiles"),
        (("--rules", "cixi-card", "--indicator", "1m", "--hand", "5p", "--seen", "5555p"), "5 copies of 5p"),
        (("--indicator", "1m", "--hand", "5p"), "Missing option '--rules'"),
    ],
)
def test_waits_refuses_bad_input_in_one_line(said: Said, arguments: tuple[str, ...], words: str) -> None:
    assert words in said.complaint("waits", *arguments)


def test_the_rule_sets_are_listed_and_every_option_has_value_and_article(said: Said) -> None:
    assert [each["name"] for each in said.json("rules")["rules"]] == list(available())
    for name in available():
        found = said.json("rules", name)
        options = {option["name"]: option["value"] for option in found["options"]}
        assert options == load(name).options
        assert all(option["article"].startswith(("R", "§")) and option["zh"] for option in found["options"])
        _, out, _ = said("rules", name)
        for option in options:
            assert f"  {option} = " in out
    _, changed, _ = said("rules", "cixi-card", "--option", "feima=flat34")
    assert "feima = flat34" in changed
    assert "no rule set 'poker'" in said.complaint("rules", "poker")
    assert "--option needs the NAME" in said.complaint("rules", "--option", "feima=flat34")


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ({"kind": "wall_break", "dice_sum": 99}, "dice_sum: 99, expected a whole number 2 to 12"),
        ({"kind": "wall_break", "dice_sum": True}, "dice_sum: True, expected a whole number"),
        ({"kind": "indicator", "indicator": "1f"}, "indicator: 1f can't be the indicator"),
        ({"kind": "indicator", "indicator": 3}, "indicator: a field holds something of the wrong kind"),
        ({"kind": "next_dealer", "dealer": 9, "winner": 1}, "dealer: 9, expected a whole number 0 to 3"),
        ({"kind": "drawn_hand", "kongs": -4}, "kongs: -4, expected a whole number 0 to 16"),
        ({"kind": "false_win", "offender": 0, "dragons": -3}, "dragons: -3, expected"),
        ({"kind": "false_win", "offender": 0, "balances": [1, 2]}, "expected four whole numbers"),
        ({"kind": "claim_limit", "claims_from_A": [[]], "A_discards": "1m"}, "of the wrong kind"),
        ({"kind": "first_dealer"}, "die: missing"),
    ],
)
def test_a_question_that_can_not_be_asked_is_named(
    said: Said, tmp_path: Path, question: dict[str, object], words: str
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps({"events": [question]}), encoding="utf-8")
    status, _, err = said("score", "--cases", str(path), "--json")
    assert status == 1
    assert words in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("meld", "hand", "words"),
    [
        ("chi 457p from 3", "46p 789s 2m 23s 55p", "--meld: 4p 5p 7p is no chi"),
        ("peng 555p from 1", "46p 789s 2m 23s 5p ?", "? is no tile of cixi-card"),
        ("peng 555p from 1", "46p 789s 2m 23s 55p", "5 copies of 5p in sight"),
    ],
)
def test_waits_refuses_sets_and_tiles_that_can_not_be(said: Said, meld: str, hand: str, words: str) -> None:
    found = said.complaint(
        "waits", "--rules", "cixi-card", "--indicator", "1m", "--hand", hand, "--meld", meld
    )
    assert words in found


def test_what_is_printed_fits_a_terminal_of_eighty_columns(said: Said) -> None:
    melds = ("peng 111m from 1", "chi 456p from 3", "kong EEEE concealed", "chi 789m from 3")
    hand = [
        "score",
        "--rules",
        "cixi-card",
        "--indicator",
        "1s",
        "--hand",
        "2s",
        "--win",
        "5p",
        "--winner",
        "0",
    ]
    hand += ["--by", "selfdraw", "--dealer", "0", "--flag", "after_kong", "--flag", "shangtang=2"]
    hand += [word for meld in melds for word in ("--meld", meld)]
    for arguments in (hand, [*hand, "--balances", "100,30,170,100"], ["rules", "cixi-card"], ["rules"]):
        status, out, _ = said(*arguments)
        assert status == 0
        assert max(width(line.rstrip()) for line in out.splitlines()) <= 80


def test_a_file_that_is_not_there_is_named(said: Said) -> None:
    assert "absent.json: cannot be opened: No such file" in said.complaint("score", "--cases", "absent.json")


def test_a_complaint_about_an_endless_word_is_cut(said: Said) -> None:
    arguments = list(HAND)
    arguments[arguments.index("--hand") + 1] = "x" * 20_000
    complaint = said.complaint(*arguments)
    assert complaint.startswith("longzhuo: --hand: not tiles: 'xxx")
    assert len(complaint) < 1100
