"""A match is set up between two matches: its rules, options and names hold from the next deal on."""

from dataclasses import replace
from pathlib import Path

import pytest
from evening import Evening
from hypothesis import given, settings
from hypothesis import strategies as st
from test_doubts import Eyes
from test_table_orders import order, rows, table

from controller.agreed import agreed, in_force, rules_to_play, tiles_differ
from controller.cli.export_rows import deal_text, gathered
from controller.commands import BadCommand, read
from controller.journal import Journal, JournalReader
from controller.journal_deals import DealRow, OutcomeRow
from controller.journal_replay import first_difference, past_of, replayed
from controller.journal_rows import BootRow, InputRow, SetupRow
from controller.journal_start import Past
from controller.models import load as load_model
from controller.public import Ranking
from controller.session import Session, SessionSettings
from controller.session_inputs import Adjust, Correct, NextMatch, Pause, SetUp, Start
from controller.session_replies import Reply
from controller.session_restore import RecordBroken
from firmware_bridge.messages import Disconnected, OpenHatch, StartCycle
from firmware_bridge.states import Loss
from rules import sets
from rules.tiles import Tile

CARD, PLATFORM = sets.load("cixi-card"), sets.load("cixi-platform")
TWICE = sets.load("cixi-platform", {"stake": 2})
SETTINGS = SessionSettings(ahead=True, defaults=agreed(CARD))
FOUR = ("张三", "李四", "王五", "赵六")


@pytest.fixture
def eyes() -> Eyes:
    return Eyes(Evening(0, settings=SETTINGS))


def set_up(eyes: Eyes, rules: str = "", **options: bool | int | str) -> Reply:
    return order(eyes, SetUp(author="referee", rules=rules, options=options))


def same_again(evening: Evening) -> None:
    """The inputs lead to the same rows once more."""
    found = evening.log.rows
    boots = [row for row in found if isinstance(row, BootRow)]
    inputs = [row for row in found if isinstance(row, InputRow)]
    kept = [row for row in found if not isinstance(row, BootRow)]
    again = [row for row in replayed(boots, inputs, evening.model) if not isinstance(row, BootRow)]
    assert first_difference(kept, again) is None


def started_again(evening: Evening, configured: str = "cixi-card") -> None:
    """The controller was killed after the last row, and starts with that configuration."""
    past = past_of(evening.log.rows)
    evening.settings = replace(SETTINGS, defaults=agreed(sets.load(configured)))
    evening.rules = rules_to_play(sets.load(configured), past)
    evening.begin(past)


def test_a_set_up_holds_from_the_first_deal_on(eyes: Eyes) -> None:
    reply = order(eyes, SetUp(author="referee", rules="cixi-platform", options={"stake": 2}, players=FOUR))
    assert (reply.done, reply.zh) == (True, "第1场：慈溪麻将 (底注)，底注2；张三、李四、王五、赵六")
    assert reply.changed == ("match 1: cixi-platform",)
    (row,) = rows(eyes, SetupRow)
    assert (row.setup, row.match_no, row.rules, row.options["stake"]) == (1, 1, "cixi-platform", 2)
    assert (row.instead_of, row.author) == (agreed(CARD), "referee")
    eyes.evening.prepare((3, 4))
    (deal,) = rows(eyes, DealRow)
    assert deal.balances == (0, 0, 0, 0)
    assert (table(eyes).rules, table(eyes).players) == ("cixi-platform", FOUR)
    same_again(eyes.evening)


def test_deals_after_a_set_up_are_settled_by_the_new_rules() -> None:
    evening = Evening(3, settings=SETTINGS)
    evening.play(1)
    evening.finish()
    eyes = Eyes(evening)
    assert order(eyes, NextMatch("referee")).done
    assert set_up(eyes, "cixi-platform", stake=2).done
    evening.rules = TWICE
    evening.true_match = replace(evening.true_match, balances=(0, 0, 0, 0), dealer=evening.true_match.dealer)
    evening.first_die = 1 + evening.true_match.dealer
    evening.play(2)
    evening.finish()
    won = [row for row in rows(eyes, OutcomeRow) if row.deal > 1 and row.how == "won"]
    truths = {truth.deal: truth for truth in evening.truths}
    assert won
    assert [row.payments for row in won] == [truths[row.deal].payments for row in won]
    same_again(evening)


@pytest.mark.parametrize(
    ("rules", "options", "zh", "en"),
    [
        (
            "mcr",
            {},
            "没有叫mcr的规则；有：cixi-card、cixi-platform",
            "rules: no rule set 'mcr', expected cixi-card or cixi-platform",
        ),
        ("", {"steak": 2}, "选项不行：unknown option", "options of cixi-card: unknown option 'steak'"),
        ("", {"stake": 0}, "选项不行：option stake = 0", "options of cixi-card: option stake = 0: expect"),
        ("", {"feima": "x"}, "选项不行：option feima", "options of cixi-card: option feima = 'x': exp"),
        ("", {"paohua_autowin": True}, "选项不行：paohua_autowin", "options of cixi-card: paohua"),
    ],
)  # fmt: skip
def test_what_can_not_be_played_is_refused_in_one_line(
    eyes: Eyes, rules: str, options: dict[str, bool | int | str], zh: str, en: str
) -> None:
    reply = set_up(eyes, rules, **options)
    assert (reply.done, reply.zh[: len(zh)], reply.en[: len(en)]) == (False, zh, en)
    assert "\n" not in reply.zh + reply.en
    assert rows(eyes, SetupRow) == []
    assert table(eyes).rules == "cixi-card"


def test_a_name_that_can_not_be_shown_leaves_the_rules_as_they_were(eyes: Eyes) -> None:
    reply = order(eyes, SetUp(author="r", rules="cixi-platform", players=("甲", "乙", " ", "丁")))
    assert (reply.done, reply.en) == (False, "name ' ': expected 1 to 12 characters")
    assert (rows(eyes, SetupRow), table(eyes).rules) == ([], "cixi-card")


def test_a_match_that_has_begun_is_not_set_up() -> None:
    eyes = Eyes.begun(Evening(0, settings=SETTINGS))
    assert set_up(eyes, "cixi-platform").zh == "这一局还没打完；先打完或放弃"
    evening = Evening(3, settings=SETTINGS)
    evening.play(1)
    evening.finish()
    reply = set_up(Eyes(evening), "cixi-platform")
    assert (reply.done, reply.en) == (
        False,
        "1 hands of this match were played: play it to its end, or end it first (next_match)",
    )


def test_a_set_up_that_changes_nothing_is_no_row_but_may_name_people(eyes: Eyes) -> None:
    assert order(eyes, SetUp(author="r", players=FOUR)).done
    assert rows(eyes, SetupRow) == []
    assert table(eyes).players == FOUR


def test_points_that_were_moved_before_the_first_deal_stay_moved(eyes: Eyes) -> None:
    assert order(eyes, Adjust((5, -5, 0, 0), "上次欠的", "referee")).done
    assert set_up(eyes, "cixi-platform").done
    started_again(eyes.evening)
    eyes.evening.prepare((3, 4))
    assert rows(eyes, DealRow)[-1].balances == (5, -5, 0, 0)


def test_other_tiles_are_refused_in_words() -> None:
    model = load_model("longzhuo840")
    flowers = replace(CARD, name="flowers", zh="花牌麻将", tiles=(*CARD.tiles, *map(Tile, range(34, 42))))
    suits = replace(CARD, name="suits", zh="无字", tiles=(*CARD.tiles[4:], *CARD.tiles[:4][::-1]))
    other = replace(CARD, name="other", zh="别的", tiles=(*CARD.tiles[1:], Tile.PLUM))
    assert tiles_differ(CARD, PLATFORM, model.tile_counts) is None
    assert tiles_differ(CARD, suits, model.tile_counts) is None
    assert tiles_differ(CARD, replace(flowers, tiles=flowers.tiles + flowers.tiles), {136}) == (
        "花牌麻将用288张牌，这张桌子只能洗136张",
        "flowers is played with 288 tiles, this table shuffles sets of 136",
    )
    told = tiles_differ(CARD, other, model.tile_counts)
    assert told is not None
    assert told[1] == (
        "other is played with other tiles (136, now 136): "
        "change the tiles and the configuration, and start again"
    )


# what stays


@pytest.mark.parametrize("kill", ["after the set-up", "in the next deal", "after the next deal"])
def test_a_killed_controller_goes_on_by_the_rules_that_were_set_up(kill: str, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(3, settings=SETTINGS, keep=journal.write)
        evening.play(1)
        evening.finish()
        eyes = Eyes(evening)
        order(eyes, NextMatch("referee"))
        assert set_up(eyes, "cixi-platform", stake=2).done
        evening.rules = TWICE
        evening.first_die = 1 + evening.true_match.dealer
        if kill == "in the next deal":
            evening.prepare((3, 4))
        elif kill == "after the next deal":
            evening.play(1)
            evening.finish()
        # What a start finds in the file is what the rows tell.
        past = journal.past()
        assert past == past_of(evening.log.rows)
        found = rules_to_play(CARD, past)
        assert agreed(found) == agreed(TWICE)
        evening.rules = found
        before = len(rows(eyes, DealRow))
        evening.begin(past)
        if kill != "in the next deal":
            evening.prepare((3, 4))
            assert len(rows(eyes, DealRow)) == before + 1
        deal = rows(eyes, DealRow)[-1]
        last = [row for row in rows(eyes, OutcomeRow) if row.deal == deal.deal - 1][-1]
        expected = last.balances if kill == "after the next deal" else (0, 0, 0, 0)
        assert (deal.match_no, deal.balances, table(eyes).rules) == (2, expected, "cixi-platform")
        same_again(evening)
    with JournalReader(path) as reader:
        assert [row.rules for row in reader.rows(BootRow)] == ["cixi-card", "cixi-platform"]
        boots = {row.boot: row for row in reader.rows(BootRow)}
        assert in_force(boots, reader.rows(SetupRow), deal.boot, deal.at) == agreed(TWICE)


def test_another_configuration_ends_what_was_set_up(eyes: Eyes) -> None:
    set_up(eyes, "cixi-platform", stake=2)
    past = past_of(eyes.evening.log.rows)
    assert agreed(rules_to_play(CARD, past)) == agreed(TWICE)
    other = sets.load("cixi-card", {"mirror": 0})
    assert rules_to_play(other, past) is other
    assert rules_to_play(CARD, Past()) is CARD
    eyes.evening.settings = replace(SETTINGS, defaults=agreed(other))
    eyes.evening.rules = other
    eyes.evening.begin(past)
    eyes.evening.prepare((3, 4))
    assert rows(eyes, DealRow)[-1].balances == (100, 100, 100, 100)


def test_a_running_deal_is_finished_by_the_rules_it_was_set_up_with(eyes: Eyes) -> None:
    set_up(eyes, "cixi-platform")
    eyes.evening.prepare((3, 4))
    past = past_of(eyes.evening.log.rows)
    with pytest.raises(RecordBroken, match="begun with rules = 'cixi-platform', now they are 'cixi-card'"):
        Session(CARD, eyes.evening.model, SETTINGS, past)
    Session(rules_to_play(CARD, past), eyes.evening.model, SETTINGS, past)


def test_the_ranking_of_the_match_before_is_told_the_same_after_a_restart() -> None:
    evening = Evening(3, settings=SETTINGS)
    evening.play(1)
    evening.finish()
    eyes = Eyes(evening)
    order(eyes, NextMatch("referee"))
    set_up(eyes, "cixi-platform")
    ranked = [payload for _, payload in evening.log.published if isinstance(payload, Ranking)][-1].ranking
    started_again(evening)
    again = [payload for _, payload in evening.log.published if isinstance(payload, Ranking)][-1].ranking
    assert again == ranked


@pytest.mark.parametrize("restart", [False, True])
def test_a_deal_of_other_rules_is_corrected_only_under_those(restart: bool) -> None:  # noqa: FBT001
    evening = Evening(3, settings=SETTINGS)
    evening.play(1)
    evening.finish()
    eyes = Eyes(evening)
    order(eyes, NextMatch("referee"))
    set_up(eyes, "cixi-platform")
    if restart:
        started_again(evening)
    assert order(eyes, Correct(1, 0, (), "referee")).en == "the deal was played by other rules"
    set_up(eyes, "cixi-card")
    assert order(eyes, Correct(1, 0, (), "referee")).en != "the deal was played by other rules"


_SHEET = {
    option.name: option
    for option in (*(CARD.desk.sheet if CARD.desk else ()), *(PLATFORM.desk.sheet if PLATFORM.desk else ()))
}
_CHOICES = st.fixed_dictionaries(
    {},
    optional={
        name: st.sampled_from(option.values) if option.values else st.integers(-3, 200)
        for name, option in _SHEET.items()
    },
)


@settings(deadline=None, max_examples=25)
@given(rules=st.sampled_from(["cixi-card", "cixi-platform", ""]), options=_CHOICES)
def test_whatever_is_chosen_is_played_or_refused_and_found_again(
    rules: str, options: dict[str, bool | int | str]
) -> None:
    eyes = Eyes(Evening(0, settings=SETTINGS))
    reply = set_up(eyes, rules, **options)
    past = past_of(eyes.evening.log.rows)
    try:
        wished = sets.load(rules or "cixi-card", options)
    except ValueError:
        assert not reply.done
        assert past.setup is None
        return
    assert reply.done
    assert agreed(rules_to_play(CARD, past)) == agreed(wished)
    assert (past.setup is None) == (agreed(wished) == agreed(CARD))
    same_again(eyes.evening)


# the order as JSON


def test_a_set_up_is_read() -> None:
    options = '{"stake":2,"dihu":true,"feima":"flat34"}'
    body = f'{{"verb":"setup","author":"r","rules":"cixi-platform","options":{options}}}'
    assert read(body.encode()).order == SetUp(
        author="r", rules="cixi-platform", options={"stake": 2, "dihu": True, "feima": "flat34"}
    )


@pytest.mark.parametrize(
    "fields",
    ['"rules":7', '"rules":"../x"', '"options":{"stake":1.5}', '"options":{"Stake":1}', '"players":["a"]'],
)
def test_a_set_up_that_is_none_is_refused(fields: str) -> None:
    with pytest.raises(BadCommand):
        read(f'{{"verb":"setup","author":"r",{fields}}}'.encode())


# going on


def test_a_start_goes_on_as_the_lift_key_does(eyes: Eyes) -> None:
    reply = order(eyes, Start("seat 1"))
    assert (reply.done, reply.zh) == (True, "升降口打开，请把牌推进去")
    assert [type(send.command) for send in eyes.evening.log.sent[-1:]] == [OpenHatch]
    reply = order(eyes, Start("seat 1"))
    assert (reply.done, reply.en) == (True, "the tiles are shuffled")
    assert StartCycle in {type(send.command) for send in eyes.evening.log.sent}
    same_again(eyes.evening)


def test_nothing_is_started_where_nothing_waits(eyes: Eyes) -> None:
    order(eyes, Pause("seat 1"))
    assert order(eyes, Start("seat 1")).en == "the table is paused: resume first"
    began = Eyes.begun(Evening(0))
    sent = len(began.evening.log.sent)
    assert order(began, Start("seat 1")).en == "a hand is being played"
    assert len(began.evening.log.sent) == sent
    lone = Eyes(Evening(0))
    lone.evening.tell(Disconnected("pulled", Loss.PORT))
    assert order(lone, Start("seat 1")).en == "the control board does not answer"


def test_an_export_names_the_rules_of_each_deal(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        eyes = Eyes(Evening(0, settings=SETTINGS, keep=journal.write))
        set_up(eyes, "cixi-platform", stake=2)
        eyes.evening.prepare((3, 4))
    with JournalReader(path) as reader:
        (told,) = gathered(reader, None)
    (line,) = [line for line in deal_text(told).splitlines() if line.startswith("# rules")]
    assert line.startswith("# rules cixi-platform ")
    assert " stake=2 " in line
