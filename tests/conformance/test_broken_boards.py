"""A board that is broken in one way fails at the requirement it breaks, and not at others."""

from collections.abc import Callable

import broken_boards as broken
import pytest
from examining import SimHands, examined, failed, with_result

from firmware_bridge.conformance.catalogue import ALL
from firmware_bridge.conformance.requirement import Result
from firmware_bridge.states import Region, RejectReason, State
from hardware_sim.mechanics_commands import Commands

# What each must fail at, and where its detail says so. Everything else passes or can't be seen.
BROKEN: dict[Callable[[], broken.Board], dict[str, str]] = {
    broken.OtherCrc: {"FRAME-02": "CRC-32C"},
    broken.SendsOtherCrc: {"FRAME-02": "the CRC of its frames is CRC-32C", "FRAME-01": "frames are damaged"},
    broken.TakesEverything: {
        "FRAME-03": "was taken for a good frame",
        "FRAME-04": "was taken for a good frame",
        "CMD-03": "there was no command with this op_id",
    },
    broken.DeafAfterNoise: {"FRAME-11": "after noise"},
    broken.NoAcks: {"LINK-02": "ack stays 0", "LINK-05": "expected 3"},
    broken.NoNoSession: {
        "SES-08": "gets no NO_SESSION",
        "SES-09": "gets no NO_SESSION",
        "LINK-11": "gets no NO_SESSION",
        "LINK-13": "still up",
    },
    broken.OtherBoot: {"SES-01": "ALIVE says boot_id"},
    broken.SlowHeart: {"LINK-12": "silent for 700 ms"},
    broken.NoWindow: {"LINK-08": "window 2: expected at most 1"},
    broken.NeverLost: {"LINK-11": "still up", "LINK-13": "still up"},
    broken.GivesUpEarly: {"LINK-11": "less than 3 s"},
    broken.RepeatsRarely: {"LINK-14": "sent again after 90"},
    broken.TwiceBoard: {
        "ONCE-01": "twice under one op_id",
        "ONCE-02": "op_id",
        "ONCE-03": "done again in a new session",
        "ONCE-05": "done again",
        "ONCE-08": "DICE_ROLLING",
        "ONCE-09": "BUSY",
        "LOST-01": "opens again",
        "LOST-02": "WRONG_STATE",
        "CMD-02": "after",
    },
    broken.NumberStays: {
        "REP-01": "comes after number 7",
        "HELLO-03": "number 7",
        "REPLAY-02": "numbers",
        "REPLAY-03": "sent again",
        "REPLAY-05": "number=7",
        "REPLAY-06": "sent again",
    },
    broken.TakesBadArguments: {
        "MSG-03": "expected Rejected BAD_ARGUMENT",
        "CMD-07": "expected Rejected BAD_ARGUMENT",
    },
    broken.NoAccepted: {"CMD-01": "without Accepted", "CMD-04": "expected Accepted, Done"},
    broken.RefusesStop: {"STOP-01": "UNSUPPORTED"},
    broken.OtherDigest: {"VDICE-01": "SHA-256 of the seed"},
    broken.LongLease: {"LEASE-02": "longer than the lease"},
    broken.TakesAnyConfig: {"CONFIG-02": "expected Rejected BAD_CONFIG"},
    broken.ForgetsReports: {
        "REPLAY-01": "is not sent again",
        "REPLAY-05": "no LNK-01",
        "REPLAY-06": "were sent again",
    },
}


@pytest.mark.parametrize(("make", "wanted"), BROKEN.items(), ids=lambda one: getattr(one, "__name__", ""))
async def test_a_broken_board_fails_where_it_is_broken(
    make: Callable[[], broken.Board], wanted: dict[str, str]
) -> None:
    board = make()
    report = await examined(board, lambda wire: SimHands(wire, board.inner))
    found = failed(report)
    assert found.keys() == wanted.keys(), found
    for name, words in wanted.items():
        assert words in found[name]
    assert not report.passes
    for finding in report.findings:
        assert bool(finding.frames) == (finding.result is Result.FAILED)


async def test_walls_that_rise_unstaged_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Commands._cannot_raise  # noqa: SLF001 - the guard that this board lacks
    board = broken.Board()

    def careless(commands: Commands) -> RejectReason | None:
        reason = guard(commands)
        empty = board.inner.mechanics.states[Region.LOWER] is State.EMPTY
        return None if empty and reason is RejectReason.NOT_STAGED else reason

    monkeypatch.setattr(Commands, "_cannot_raise", careless)
    found = failed(await examined(board, lambda wire: SimHands(wire, board.inner)))
    assert found.keys() == {"STATE-05", "WALLS-02"}
    assert "WALLS_RAISING while below is EMPTY" in found["STATE-05"]
    assert "expected Rejected NOT_STAGED" in found["WALLS-02"]


async def test_a_status_that_contradicts_the_reports_is_seen() -> None:
    board = broken.ForgetsStatus()
    found = failed(
        await examined(board, lambda wire: SimHands(wire, board.inner), only=("LEASE-02", "STATE-03"))
    )
    assert "Status says HATCH_CLOSED, told before was HATCH_" in found["STATE-03"]


async def test_what_can_not_be_seen_any_more_names_the_failure_that_hides_it() -> None:
    board = broken.DeafAfterNoise()
    report = await examined(board, lambda wire: SimHands(wire, board.inner))
    hidden = with_result(report, Result.NOT_APPLICABLE)
    assert "see FRAME-11" in hidden["SES-02"] or "see FRAME-11" in hidden["SES-04"]
    assert "see FRAME-11" in hidden["CYCLE-06"]


async def test_the_frames_of_a_failure_tell_time_direction_bytes_and_meaning() -> None:
    board = broken.OtherDigest()
    report = await examined(board, lambda wire: SimHands(wire, board.inner), only=("VDICE-01",))
    (finding,) = report.findings
    assert any(" > " in line and "command=DiceReveal()" in line for line in finding.frames)
    assert any(" < " in line and "DiceRevealed(" in line for line in finding.frames)
    assert all(line.split()[0].replace(".", "").isdigit() for line in finding.frames)


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_a_board_says_the_examination_comes_to_its_end(seed: int) -> None:
    board = broken.Mad(seed, (0.02, 0.1, 0.5)[seed % 3])
    report = await examined(board, lambda wire: SimHands(wire, board.inner))
    assert len(report.findings) == len(ALL)
    assert not report.passes
