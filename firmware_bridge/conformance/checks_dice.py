"""Dice: rolled, and virtual ones by commit and reveal (section 10)."""

from typing import Final

from firmware_bridge.conformance.bench import FAST, FASTEST, Asked, Bench
from firmware_bridge.conformance.requirement import Chapter, NotApplicable, NotMet, expect
from firmware_bridge.messages import (
    DiceCommit,
    DiceCommitted,
    DiceEntropy,
    DiceReveal,
    DiceRevealed,
    DiceRolled,
    Done,
    RollDice,
    StateChanged,
)
from firmware_bridge.states import Capability, RejectReason, State
from firmware_bridge.virtual_dice import digest_of, roll_values

DICE: Final = Chapter()
REAL: Final = (Capability.DICE, Capability.DICE_SPUN)
WRONG_STATE: Final = (RejectReason.WRONG_STATE,)
BUSY: Final = (RejectReason.BUSY, RejectReason.WRONG_STATE)
ENTROPY: Final = {0: bytes(range(16)), 2: bytes(range(200, 216))}
VIRTUAL: Final = Capability.VIRTUAL_DICE


async def real_dice(bench: Bench, speed: int = FASTEST) -> None:
    """Raises NotApplicable unless dice of the machine can be rolled."""
    if not bench.can(*REAL):
        raise NotApplicable("the board has neither DICE nor DICE_SPUN")
    await bench.running()
    await bench.pace(speed)


def values(asked: Asked) -> tuple[int, ...]:
    """What DiceRolled said before Done. Raises NotMet."""
    found = asked.reports(DiceRolled)
    if len(found) != 1:
        raise NotMet(f"{len(found)} DiceRolled before Done, expected one")
    return found[0].values


@DICE.requirement("DICE-01", "RollDice: DICE_ROLLING, DICE_STILL, DiceRolled, Done", "10", moves=True)
async def _rolls(bench: Bench) -> str:
    await real_dice(bench)
    seen = []
    for count in (2, 1):
        asked = await bench.do(RollDice(count))
        states = [one.state for one in asked.reports(StateChanged)]
        wanted = [State.DICE_ROLLING, State.DICE_STILL]
        expect(states == wanted, f"states {[one.name for one in states]}, expected DICE_ROLLING, DICE_STILL")
        numbers = values(asked)
        length = count if bench.can(Capability.DICE) else 0
        expect(len(numbers) == length, f"RollDice({count}): values {numbers}, expected {length} of them")
        expect(all(1 <= number <= 6 for number in numbers), f"values {numbers}, expected 1..6")
        seen.append(str(numbers))
    return ", ".join(seen)


@DICE.requirement("DICE-02", "while the dice roll, RollDice is rejected", "8", moves=True)
async def _busy(bench: Bench) -> None:
    await real_dice(bench, FAST)
    first = await bench.begun(RollDice(2))
    second = await bench.start(RollDice(2))
    await bench.answered(second)
    await bench.finished(first, 20.0)
    expect(second.reason in BUSY, f"RollDice while the dice roll: {second.outcome}, expected BUSY")


@DICE.requirement("ONCE-08", "the same op_id never rolls again", "6.1", moves=True)
async def _once(bench: Bench) -> None:
    await real_dice(bench)
    first = await bench.do(RollDice(1))
    again = await bench.start(RollDice(1), first.op_id)
    await bench.finished(again, 20.0)
    await bench.probe.run(0.3)
    rolled = [one for one in bench.reports(again.mark) if isinstance(one, DiceRolled | StateChanged)]
    expect(not rolled, f"the same op_id again: {rolled[:1]}")
    expect(again.ended == first.ended, f"the same op_id again: {again.outcome}, before {first.outcome}")


async def _no_commitment(bench: Bench) -> None:
    """Use up a commitment that is open."""
    await bench.pace(FASTEST)
    asked = await bench.ask(DiceCommit())
    expect(isinstance(asked.ended, Done) or asked.reason in WRONG_STATE, f"DiceCommit: {asked.outcome}")
    await bench.do(RollDice(1))


async def _commit(bench: Bench) -> DiceCommitted:
    found = (await bench.do(DiceCommit())).reports(DiceCommitted)
    expect(len(found) == 1, f"{len(found)} DiceCommitted before Done, expected one")
    return found[0]


async def _reveal(bench: Bench) -> DiceRevealed:
    found = (await bench.do(DiceReveal())).reports(DiceRevealed)
    expect(len(found) == 1, f"{len(found)} DiceRevealed before Done, expected one")
    return found[0]


@DICE.requirement(
    "VDICE-01", "the values are those of the seed, and the digest is the seed's", "10", needs=VIRTUAL
)
async def _computed(bench: Bench) -> str:
    await _no_commitment(bench)
    words = []
    for count, entropy in ((2, ENTROPY), (1, {}), (2, {3: b"\xff" * 16})):
        committed = await _commit(bench)
        for seat, own in entropy.items():
            await bench.do(DiceEntropy(seat, own))
        rolled = values(await bench.do(RollDice(count)))
        revealed = await _reveal(bench)
        expect(
            revealed.roll == committed.roll, f"roll {committed.roll} was committed, {revealed.roll} revealed"
        )
        digest = digest_of(revealed.seed)
        expect(
            digest == committed.digest, f"digest {committed.digest.hex()}, SHA-256 of the seed {digest.hex()}"
        )
        wanted = roll_values(revealed.seed, revealed.roll, entropy, count)
        expect(rolled == wanted, f"values {rolled}; seed, roll and entropy give {wanted}")
        words.append(str(rolled))
    return ", ".join(words)


@DICE.requirement("VDICE-02", "rolls are numbered, and every seed is another", "10", needs=VIRTUAL)
async def _numbered(bench: Bench) -> None:
    await _no_commitment(bench)
    seen = []
    for _ in range(3):
        seen.append(await _commit(bench))
        await bench.do(RollDice(1))
    rolls_ = [one.roll for one in seen]
    expect(rolls_ == list(range(rolls_[0], rolls_[0] + 3)), f"rolls {rolls_}, expected each one more")
    expect(len({one.digest for one in seen}) == 3, "two rolls have the same digest")


@DICE.requirement("VDICE-03", "there is one open commitment at a time", "10", needs=VIRTUAL)
async def _one_commitment(bench: Bench) -> None:
    await _no_commitment(bench)
    await _commit(bench)
    try:
        await bench.refused(DiceCommit(), WRONG_STATE)
    finally:
        await bench.ask(RollDice(1))


@DICE.requirement(
    "VDICE-04", "a seat adds its bytes once, and only between commitment and roll", "10", needs=VIRTUAL
)
async def _entropy_once(bench: Bench) -> None:
    await _no_commitment(bench)
    await bench.refused(DiceEntropy(0, bytes(16)), WRONG_STATE, "DiceEntropy without a commitment")
    await _commit(bench)
    try:
        await bench.do(DiceEntropy(1, ENTROPY[0]))
        await bench.refused(DiceEntropy(1, ENTROPY[2]), WRONG_STATE, "DiceEntropy of the same seat again")
    finally:
        await bench.ask(RollDice(1))


@DICE.requirement(
    "VDICE-05", "the seed is told after the roll only, and as often as asked", "10", needs=VIRTUAL
)
async def _revealed_late(bench: Bench) -> None:
    await _no_commitment(bench)
    committed = await _commit(bench)
    try:
        early = await bench.ask(DiceReveal())
        for one in early.reports(DiceRevealed):
            expect(one.roll != committed.roll, "the seed is revealed before the roll")
            expect(digest_of(one.seed) != committed.digest, "the seed of the open commitment is revealed")
    finally:
        await bench.ask(RollDice(2))
    first, second = await _reveal(bench), await _reveal(bench)
    expect(first == second and first.roll == committed.roll, f"revealed {first}, then {second}")
