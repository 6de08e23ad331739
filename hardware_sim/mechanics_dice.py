"""The dice of a machine: two that spin and are read by the board or a camera, and virtual ones. Pure."""

from dataclasses import dataclass, field
from typing import Final

from firmware_bridge.faults import FaultCode
from firmware_bridge.reports import DiceCommitted, DiceRevealed, DiceRolled
from firmware_bridge.states import Capability, RejectReason, State
from firmware_bridge.virtual_dice import SEED_SIZE, digest_of, roll_values
from hardware_sim.mechanics_machine import Machine
from hardware_sim.mechanics_motion import MotionFails, Steps

TRY_S: Final = 2.0
"""Dice that did not spin or can't be read are spun again for so long ..."""
TRIES_S: Final = 10.0
"""... and for so long in all."""

PHYSICAL: Final = Capability.DICE | Capability.DICE_SPUN


@dataclass(slots=True)
class Commitment:
    """A virtual roll before it is rolled; ``entropy``: what seats have added."""

    roll: int
    seed: bytes
    entropy: dict[int, bytes] = field(default_factory=dict)


class Dice:
    """``values``: as they lie, or were drawn, empty before the first roll."""

    def __init__(self, machine: Machine) -> None:
        self.values: tuple[int, ...] = ()
        self._machine = machine
        self._rolls = 0
        self._open: Commitment | None = None
        self._last: Commitment | None = None

    def restart(self) -> None:
        """A start of the firmware forgets all seeds and counts from the beginning."""
        self._rolls, self._open, self._last = 0, None, None

    # ---- what can't be asked -------------------------------------------------------------------------

    def cannot_roll(self) -> RejectReason | None:
        """Why no dice can be rolled now."""
        if self._rolling:
            return RejectReason.BUSY
        physical = bool(self._machine.capabilities & PHYSICAL)
        return None if physical or self._open else RejectReason.WRONG_STATE

    def cannot_commit(self) -> RejectReason | None:
        """One commitment at a time."""
        return RejectReason.WRONG_STATE if self._open else None

    def cannot_add(self, seat: int) -> RejectReason | None:
        """Each seat adds once, between commitment and roll."""
        fits = self._open is not None and seat not in self._open.entropy and not self._rolling
        return None if fits else RejectReason.WRONG_STATE

    def cannot_reveal(self) -> RejectReason | None:
        """Nothing to reveal before a roll."""
        return None if self._last else RejectReason.WRONG_STATE

    # ---- motions -------------------------------------------------------------------------------------

    def roll(self, count: int) -> Steps:
        """Virtual dice where a commitment is open, else the ones under the glass."""
        machine, commitment = self._machine, self._open
        machine.enter(State.DICE_ROLLING)
        yield machine.random.uniform(*machine.durations.dice)
        told = True
        if commitment is not None:
            self.values = self._draw(commitment, count)
        else:
            yield from self._spin_again(FaultCode.DIC_01)
            yield from self._spin_again(FaultCode.DIC_02)
            self.values = tuple(machine.random.randint(1, 6) for _ in range(count))
            told = Capability.DICE in machine.capabilities
        machine.memory.rolls += 1
        machine.enter(State.DICE_STILL)
        machine.report(DiceRolled(self.values if told else ()))

    def commit(self) -> Steps:
        """Draw the seed of the next virtual roll."""
        self._rolls += 1
        # A simulated board has no source of true chance: its seeds follow from the simulation's own.
        self._open = Commitment(self._rolls, self._machine.random.randbytes(SEED_SIZE))
        self._machine.report(DiceCommitted(self._rolls, digest_of(self._open.seed)))
        yield from ()

    def add(self, seat: int, entropy: bytes) -> Steps:
        """Take in a seat's bytes."""
        if self._open is not None:
            self._open.entropy[seat] = entropy
        yield from ()

    def reveal(self) -> Steps:
        """Tell the seed of the last virtual roll."""
        if self._last is not None:
            self._machine.report(DiceRevealed(self._last.roll, self._last.seed))
        yield from ()

    # ---- inside --------------------------------------------------------------------------------------

    @property
    def _rolling(self) -> bool:
        return State.DICE_ROLLING in self._machine.states.values()

    def _draw(self, commitment: Commitment, count: int) -> tuple[int, ...]:
        self._last, self._open = commitment, None
        return roll_values(commitment.seed, commitment.roll, commitment.entropy, count)

    def _spin_again(self, code: FaultCode) -> Steps:
        machine = self._machine
        waited = 0.0
        while machine.causes.acts(code):
            if waited >= TRIES_S:
                machine.enter(State.DICE_STILL)
                raise MotionFails(code)
            yield TRY_S
            waited += TRY_S
        machine.clear_fault(code)
