"""Time passes for a session only when it is due: ticks before change nothing, so nobody has to give them."""

import pytest
from evening import Evening
from mischief import Mischief
from nuisance import Nuisance

from controller.session_inputs import Tick

STEP_S = 0.1


class Impatient(Evening):
    """An evening whose ticks come more often than any is due; `early` and `due` count them."""

    early = 0
    due = 0

    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += STEP_S
            is_due = self.now >= self.session.next_timer()
            effects = self.session.handle(Tick(), self.now)
            if is_due:
                self.due += bool(effects)
            else:
                self.early += 1
                assert effects == (), f"at {self.now:.2f} a tick that was not due led to {effects}"
            self._carry_out(effects)


@pytest.mark.parametrize("seed", [2, 3])
def test_a_tick_that_is_not_due_changes_nothing(seed: int) -> None:
    tricks = Mischief(takes_back=0.05, mislays=0.05, false_claim=0.02, arm=0.02, pushes=0.02, shows=0.02)
    noise = Nuisance(misread=0.05, unsure=0.05, flicker=0.1, hasty=0.2)
    evening = Impatient(seed, spoil=noise, people=tricks, pace=1.1)
    evening.play(1)
    evening.finish()
    assert len(evening.log.outcomes()) == 1
    assert evening.early > 5 * evening.due > 0
