"""Nothing concealed leaves a table before its owner shows it: not by MQTT, not by HTTP, not in the log."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random

import pytest
from board_simulated import SimulatedBoard
from board_table import BoardTable, bring_to
from deals_alike import AS_MADE, Faces, Retold, Unwatched, exchanged
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from mischief import Mischief
from nuisance import Nuisance
from overheard import ANSWERED, Overheard, overhear, paths_of

from controller.journal_inputs import input_from
from controller.journal_rows import InputRow
from controller.machine import Stage
from controller.public import encode
from controller.session_effects import Effect, Publish
from controller.session_inputs import Input, Order, PersonProposal, Undo
from firmware_bridge.messages import DiceRevealed, DiceRolled
from firmware_bridge.states import Capability
from hardware_sim.mechanics import Mechanics
from rules.tiles import Seat
from vision.observations import CameraBack, CameraLost, CameraTrouble

BARRED = PersonProposal("barred", Seat(2), "seat 2", "三吃")


@dataclass(frozen=True)
class Scene:
    """How people lay their tiles, how the camera errs, and what people order after which event."""

    people: Callable[[], Mischief] = Mischief
    camera: Callable[[], Nuisance] = Nuisance
    orders: Mapping[int, Order] = field(default_factory=dict)


HARD_TO_READ = partial(Nuisance, unsure=0.05, misread=0.01)
QUIET = Scene()
HASTY = partial(Nuisance, hasty=0.1)
SCENES = [
    pytest.param(QUIET, id="nothing happens"),
    pytest.param(
        Scene(camera=HARD_TO_READ, orders={12: BARRED}), id="tiles are hard to read, a doubt is open"
    ),
    pytest.param(Scene(people=partial(Mischief, pushes=0.05, arm=0.02)), id="an arm, ponds are pushed"),
    pytest.param(Scene(camera=HASTY, orders={45: Undo("seat 1")}), id="the last events are taken back"),
]
SEEDS = st.integers(0, 100_000)


def told(seed: int, scene: Scene, faces: Faces, deal: Unwatched) -> Retold:
    evening = Retold(seed, faces, people=scene.people(), spoil=scene.camera(), pace=1.0)
    evening.retell(deal.played, scene.orders)
    return evening


def heard(evening: Retold) -> list[tuple[Input, float]]:
    """What has come in, with its time."""
    rows = [row for row in evening.log.rows if isinstance(row, InputRow)]
    return [(input_from(row.kind, row.body), row.at) for row in rows]


@pytest.mark.parametrize("scene", SCENES)
@settings(max_examples=1, deadline=None, phases=(Phase.generate,))
@given(SEEDS)
def test_until_the_settlement_deals_that_differ_in_concealed_tiles_are_told_alike(
    scene: Scene, seed: int
) -> None:
    deal = Unwatched(seed)
    others = exchanged(deal.played.unseen_before_the_end(), Random(seed))  # noqa: S311 - a game
    one, other = (told(seed, scene, faces, deal) for faces in (AS_MADE, others))
    assert heard(one) != heard(other), "the camera has told of concealed tiles"
    assert one.before_the_end == other.before_the_end
    assert one.said(one.before_the_end) == other.said(other.before_the_end)
    assert len(one.log.answers) == sum(number < len(deal.played.steps) for number in scene.orders)
    assert one.log.answers == other.log.answers


@settings(max_examples=1, deadline=None, phases=(Phase.generate,))
@given(SEEDS)
def test_what_is_never_shown_is_never_told_not_even_by_a_settlement(seed: int) -> None:
    deal, scene = Unwatched(seed), QUIET
    others = exchanged(deal.played.never_seen(), Random(seed))  # noqa: S311 - a game
    one, other = (told(seed, scene, faces, deal) for faces in (AS_MADE, others))
    assert heard(one) != heard(other), "the camera has told of concealed tiles"
    assert len(one.log.outcomes()) == 1
    assert one.said() == other.said()
    assert one.log.answers == other.log.answers
    assert one.log.sent == other.log.sent


async def test_broker_page_and_log_hear_the_same_of_two_such_deals(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The real loop, journal and page server, with the log as the program writes it with --verbose."""
    deal, scene = Unwatched(5), Scene(camera=HARD_TO_READ)
    others = exchanged(deal.played.never_seen(), Random(5))  # noqa: S311 - a game
    both: list[Overheard] = []
    for number, faces in enumerate((AS_MADE, others)):
        inputs = heard(told(5, scene, faces, deal))
        at = inputs[0][1]
        lost = CameraLost(at=at, reason="no picture for 2 s", trouble=CameraTrouble.FROZEN)
        inputs[:0] = [(lost, at), (CameraBack(at=at), at)]
        both.append(await overhear(inputs, tmp_path / f"{number}.db", caplog))
    one, other = both
    assert one.heard != other.heard
    assert {topic for topic, _ in one.published} >= {"state/settlement", "state/hand", "event/discard"}
    assert one.published == other.published
    assert any("no picture" in line for line in one.logged)
    assert one.logged == other.logged
    answered = {(path, status) for path, status, _ in one.served}
    assert answered >= {(path, 200) for path in ("/health", "/setup.json", "/hands.json")}
    assert one.served == other.served


def test_every_path_that_is_answered_is_asked_here(tmp_path: Path) -> None:
    """Another one is entered in `ANSWERED`, so that the test above asks it in both deals."""
    assert paths_of(tmp_path / "journal.db") == set(ANSWERED)


class OtherSeeds(Random):
    """As random as any, but for the bytes that become seeds of virtual dice."""

    def randbytes(self, n: int) -> bytes:
        return bytes(byte ^ 0xFF for byte in super().randbytes(n))


class OtherDice(Mechanics):
    def __init__(self, random: Random, *, tiles: int) -> None:
        other = OtherSeeds()
        other.setstate(random.getstate())
        super().__init__(other, tiles=tiles)


class Broadcast(BoardTable):
    """A table, and every message that leaves it, until the board has told its seed."""

    def __init__(self, mechanics: type[Mechanics]) -> None:
        self.said: list[tuple[str, bytes]] = []
        able = Capability.VIRTUAL_DICE | Capability.REPLAY | Capability.CONFIG
        super().__init__(SimulatedBoard(capabilities=able, mechanics=mechanics))

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        if not self.revealed:
            for effect in effects:
                if isinstance(effect, Publish):
                    self.said.append((effect.topic, encode(effect.payload)))
        super()._carry_out(effects)

    @property
    def revealed(self) -> bool:
        return any(isinstance(one, DiceRevealed) for one in self.heard)


def test_the_seed_of_virtual_dice_and_what_follows_from_it_leave_only_with_its_proof() -> None:
    one, other = Broadcast(Mechanics), Broadcast(OtherDice)
    for table in (one, other):
        table.run(1.0)
        bring_to(table, Stage.PLAYING)
        assert table.revealed
    dice = [[told for told in table.heard if isinstance(told, DiceRolled)] for table in (one, other)]
    assert dice[0] != dice[1]
    assert one.said == other.said
