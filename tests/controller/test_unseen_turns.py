"""After a dark camera or a restart the turns that nobody saw are told, where the table leaves one account."""

from random import Random

import pytest
from evening import Evening, public_texts

from controller.journal_replay import past_of
from hardware_sim.layout_bodies import Bodies
from vision.observations import CameraBack, CameraLost, Settled


class Dark(Evening):
    """An evening of one deal at which nobody sees the moves from `start` on, `hidden` of them."""

    def __init__(self, seed: int, *, start: int, hidden: int, restarted: bool) -> None:
        super().__init__(seed, pace=4.0)
        self._start, self._end_at = start, start + hidden
        self._restarted = restarted
        self._is_dark = False

    def show(self, bodies: Bodies) -> None:
        if self._is_dark:
            self.bodies = bodies
        else:
            super().show(bodies)

    def evening(self) -> None:
        for number, _ in enumerate(self.play_deal()):
            if number == self._start:
                self._is_dark = True
                self.tell(CameraLost(at=self.now, reason="dark"))
            if number == self._end_at:
                self._light()
        self.finish()

    def _light(self) -> None:
        self._is_dark = False
        looked = self.eye.look(self.bodies, self.seed, self.now)
        if self._restarted:
            self.begin(past_of(self.log.rows))
            return
        self.tell(CameraBack(at=self.now))
        for observation in looked:
            self.tell(observation)
        self.tell(Settled(at=self.now))


@pytest.mark.parametrize("restarted", [False, True], ids=["dark", "restarted"])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 7, 8, 9, 10])
def test_a_deal_of_which_many_moves_were_hidden_is_settled_as_it_was_played(
    seed: int, *, restarted: bool
) -> None:
    start = Random(seed).randrange(4, 30)  # noqa: S311 - a place in a deal
    evening = Dark(seed, start=start, hidden=16, restarted=restarted)
    evening.evening()
    (outcome,) = evening.log.outcomes()
    (truth,) = evening.truths
    assert (outcome.how, outcome.winner, outcome.payments) == (truth.how, truth.winner, truth.payments)
    assert sorted(evening.log.texts(1)[1:]) == sorted(public_texts(truth)[1:])
    assert evening.log.unseen(1)
    assert not evening.log.doubts(1)
