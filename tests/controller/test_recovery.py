"""Whatever stops the controller: it goes on where it stopped, and its journal says how it came there."""

from dataclasses import replace
from pathlib import Path
from random import Random

import msgspec
import pytest
from evening import Evening, public_texts
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from ready import BOOTED, IDLE
from replays import replayed_alike

from controller.journal import Journal, JournalReader
from controller.journal_deals import DealRow, DoubtRow, OutcomeRow
from controller.journal_replay import Unreplayable, first_difference, past_of, replayed
from controller.journal_rows import ROWS, BootRow, InputRow, OutboxRow, Row
from controller.journal_start import Past
from controller.session_effects import Send
from controller.session_inputs import Input
from controller.session_restore import RecordBroken
from firmware_bridge.messages import Disconnected, RollDice
from firmware_bridge.states import State
from rules import sets
from vision.observations import DiceSeen


def play_and_kill(evening: Evening, journal: Journal, rng: Random, *, deals: int) -> int:
    """Play, and start the controller anew from its journal at moments of no one's choosing."""
    kills = 0
    for _ in range(deals):
        for _event in evening.play_deal():
            if rng.random() < 0.04:
                kills += 1
                evening.begin(journal.past())
    evening.finish()
    return kills


@settings(max_examples=3, deadline=None, phases=(Phase.generate,))
@given(st.integers(0, 10_000))
def test_a_controller_killed_at_any_moment_settles_every_deal_once_and_right(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    path = tmp_path_factory.mktemp("evening") / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(seed, keep=journal.write, past=journal.past())
        kills = play_and_kill(evening, journal, Random(seed), deals=3)  # noqa: S311 - a game
    outcomes = evening.log.outcomes()
    assert kills > 0
    assert [row.deal for row in outcomes] == [1, 2, 3]
    for outcome, truth in zip(outcomes, evening.truths, strict=True):
        assert (outcome.how, outcome.payments) == (truth.how, truth.payments)
        assert evening.log.texts(outcome.deal) == public_texts(truth)
        assert not evening.log.doubts(outcome.deal)
    with JournalReader(path) as reader:
        assert len(reader.rows(BootRow)) == kills + 1
        assert len(reader.rows(OutboxRow)) == 3


def test_a_journal_replays_to_the_very_same_rows(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(3, keep=journal.write, past=journal.past())
        play_and_kill(evening, journal, Random(3), deals=2)  # noqa: S311 - a game
    assert OutcomeRow in {type(row) for row in replayed_alike(path, evening.model, *ROWS)}


HOUSE_RULES: list[tuple[str, dict[str, object]]] = [
    ("cixi-card", {"intercept": "flat100", "mirror": 0, "reserve": 34, "stake": 2}),
    ("cixi-card", {"cap_at_stack": False, "start_points": 40, "next_dealer": "rotate"}),
    ("cixi-platform", {"intercept": "formula", "mirror": 5, "reserve": 0, "stake": 3}),
    ("cixi-platform", {"indicator_place": "tail_stack", "start_points": 500, "cap_at_stack": True}),
]


@pytest.mark.parametrize(("name", "options"), HOUSE_RULES)
def test_a_table_with_options_of_its_own_restores_replays_and_settles_by_them(
    tmp_path: Path, name: str, options: dict[str, object]
) -> None:
    rules = sets.load(name, options)
    path = tmp_path / "journal.db"
    with Journal.open(path) as journal:
        evening = Evening(11, rules=rules, keep=journal.write, past=journal.past())
        kills = play_and_kill(evening, journal, Random(11), deals=3)  # noqa: S311 - a game
    assert kills > 0
    outcomes = evening.log.outcomes()
    assert [(row.how, row.payments, row.balances) for row in outcomes] == [
        (truth.how, truth.payments, truth.balances) for truth in evening.truths
    ]
    assert any(any(row.payments) for row in outcomes)
    with JournalReader(path) as reader:
        boots = reader.rows(BootRow)
        assert all(row.options == dict(rules.options) for row in boots)
    replayed_alike(path, evening.model, OutcomeRow)


def in_mid_deal(options: dict[str, object]) -> Past:
    evening = Evening(12, rules=sets.load("cixi-card", options))
    for number, _ in enumerate(evening.play_deal()):
        if number == 8:
            break
    return past_of(evening.log.rows)


def test_a_running_deal_is_not_gone_on_with_under_other_options() -> None:
    past = in_mid_deal({"mirror": 0})
    with pytest.raises(RecordBroken, match=r"begun with option mirror = 0, now it is 5; finish it with the"):
        Evening(12, past=past)
    with pytest.raises(RecordBroken, match=r"begun with rules = 'cixi-card', now they are 'cixi-platform'"):
        Evening(12, rules=sets.load("cixi-platform"), past=past)
    Evening(12, rules=sets.load("cixi-card", {"mirror": 0}), past=past)


def test_between_two_deals_options_may_change_and_points_of_another_game_are_not_taken_over() -> None:
    first = Evening(6)
    first.play(1)
    first.finish()
    past = past_of(first.log.rows)
    balances = first.log.outcomes()[-1].balances
    assert balances != (100, 100, 100, 100)

    def points_under(name: str, **options: object) -> object:
        evening = Evening(6, rules=sets.load(name, options), past=past)
        evening.prepare((3, 4))
        return [row for row in evening.log.rows if isinstance(row, DealRow)][-1].balances

    assert points_under("cixi-card", mirror=0) == balances
    assert points_under("cixi-card", start_points=300) == (300, 300, 300, 300)
    assert points_under("cixi-platform") == (0, 0, 0, 0)


def test_a_start_whose_options_are_known_no_more_is_named() -> None:
    boot = BootRow(
        boot=3,
        at=0.0,
        version="0.1",
        rules="cixi-card",
        model="longzhuo840",
        settings="{}",
        options={"feimma": 1},
    )
    with pytest.raises(Unreplayable, match="start 3: unknown option 'feimma'"):
        list(replayed([boot], [], Evening(1).model))


def test_a_changed_journal_does_not_replay_to_itself() -> None:
    evening = Evening(4)
    evening.play(1)
    evening.finish()
    rows = evening.log.rows
    boots = [row for row in rows if isinstance(row, BootRow)]
    inputs = [row for row in rows if isinstance(row, InputRow)]
    again = list(replayed(boots, inputs, evening.model))
    assert first_difference(rows, again) is None
    changed: list[Row] = [
        msgspec.structs.replace(row, payments=(1, -1, 0, 0)) if isinstance(row, OutcomeRow) else row
        for row in rows
    ]
    difference = first_difference(changed, again)
    assert difference is not None
    assert isinstance(difference.written, OutcomeRow)


def test_the_file_and_the_rows_tell_the_same_past(tmp_path: Path) -> None:
    rows: list[Row] = []
    with Journal.open(tmp_path / "journal.db") as journal:

        def keep(written: tuple[Row, ...]) -> None:
            journal.write(written)
            rows.extend(written)

        evening = Evening(5, keep=keep)
        for number, _ in enumerate(evening.play_deal()):
            if number % 10 == 0:
                assert journal.past() == past_of(rows)
        evening.finish()
        assert journal.past() == past_of(rows)


def test_a_record_that_the_rules_refuse_is_said_in_words() -> None:
    deal = DealRow(deal=1, boot=1, at=0.0, match_no=1, hand_no=1, dealer=0, balances=(100,) * 4)
    past = Past(boot=2, deal=deal, events=("deal 0", "discard 1 5p"))
    with pytest.raises(RecordBroken, match="can't be replayed with cixi-card"):
        Evening(1, past=past)


def test_an_open_doubt_is_still_open_after_a_start() -> None:
    deal = DealRow(deal=1, boot=1, at=0.0, match_no=1, hand_no=1, dealer=0, balances=(100,) * 4)
    doubt = DoubtRow(doubt=4, boot=1, at=9.0, deal=1, kind="copies", zh="五张", en="five", candidates=())
    evening = Evening(1, past=Past(boot=2, doubts=4, deal=deal, events=("deal 0",), open_doubts=(doubt,)))
    shown = [payload for topic, payload in evening.log.published if topic == "state/doubt"]
    assert [item.id for item in getattr(shown[0], "doubts", ())] == [4]


def test_the_points_go_on_from_the_last_deal() -> None:
    first = Evening(6)
    first.play(2)
    first.finish()
    second = Evening(6, past=past_of(first.log.rows))
    scores = [payload for topic, payload in second.log.published if topic == "state/scores"]
    assert getattr(scores[0], "balances", None) == first.log.outcomes()[-1].balances
    assert sets.load("cixi-card").start_points == getattr(scores[0], "start_points", None)


def board_trouble(evening: Evening, rng: Random) -> None:
    """The cable is pulled, or the board restarts, in the middle of whatever happens."""
    evening.tell(Disconnected("the board does not answer"))
    evening.wait(rng.uniform(0.0, 20.0))
    boot_id = evening.boot_id = evening.boot_id + rng.randrange(2)
    evening.tell(replace(BOOTED, boot_id=boot_id))
    evening.tell(replace(IDLE, walls=rng.choice((State.WALLS_UP, State.WALLS_UNKNOWN))))


def test_hands_in_which_the_board_restarts_and_cables_are_pulled_are_settled_right() -> None:
    evening, rng = Evening(8), Random(8)  # noqa: S311 - a game
    for _ in range(3):
        for _event in evening.play_deal():
            if rng.random() < 0.1:
                board_trouble(evening, rng)
        board_trouble(evening, rng)
        evening.tell(replace(IDLE, walls=State.WALLS_UP))
    evening.finish()
    outcomes = evening.log.outcomes()
    assert evening.boot_id > 10
    assert [row.deal for row in outcomes] == [1, 2, 3]
    for outcome, truth in zip(outcomes, evening.truths, strict=True):
        assert (outcome.how, outcome.payments) == (truth.how, truth.payments)
        assert evening.log.texts(outcome.deal) == public_texts(truth)
        assert not evening.log.doubts(outcome.deal)


class KilledAtTheDice(Evening):
    """Its controller is killed when the dice of the second deal are thrown; it never hears what they show."""

    killed = False

    def _answers(self, send: Send) -> tuple[Input, ...]:
        if isinstance(send.command, RollDice) and send.command.count == 2 and self.truths and not self.killed:
            self.killed = True
            return ()
        return super()._answers(send)


@pytest.mark.parametrize("seen", [True, False])
def test_a_deal_whose_dice_a_killed_controller_missed_is_followed_and_settled(*, seen: bool) -> None:
    evening = KilledAtTheDice(13)
    evening.play(1)
    for number, _ in enumerate(evening.play_deal()):
        if number == 0:
            evening.status = replace(IDLE, walls=State.WALLS_UP)
            evening.begin(past_of(evening.log.rows))
            if seen:
                evening.tell(DiceSeen(at=evening.now, values=evening._dice))  # noqa: SLF001
    evening.finish()
    assert evening.killed
    first, second = evening.log.outcomes()
    for outcome, truth in zip((first, second), evening.truths, strict=True):
        assert (outcome.how, outcome.payments) == (truth.how, truth.payments)
    events = public_texts(evening.truths[1])
    told = evening.log.texts(2)
    assert told[1:] == events[1:]
    assert (told[0] == events[0]) is seen
    assert [row.kind for row in evening.log.doubts(2)] == ([] if seen else ["dice"])


def test_dice_that_nobody_reads_hold_up_no_settlement() -> None:
    evening = Evening(9)
    evening.reads_dice = False
    evening.play(2)
    evening.finish()
    for outcome, truth in zip(evening.log.outcomes(), evening.truths, strict=True):
        assert (outcome.how, outcome.payments) == (truth.how, truth.payments)
        asked = "dealer" if outcome.deal == 1 else "dice"
        assert [row.kind for row in evening.log.doubts(outcome.deal)] == [asked]
        assert evening.log.texts(outcome.deal)[0] == f"deal {truth.events[0].split()[1]}"
