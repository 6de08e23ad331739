"""The warning of a bad link: it comes before the loss, not after it, and goes when the link is good again."""

from dataclasses import replace

from firmware_bridge.faults import FaultCode
from firmware_bridge.link import LinkStats
from firmware_bridge.messages import Fault, FaultCleared
from firmware_bridge.quality import WINDOW, Quality

NONE = LinkStats(0, 0, 0, 0, 0, 0, None, 0.025)


def run(quality: Quality, stats: LinkStats, frames: int, *, every: int = 0) -> tuple[LinkStats, list[object]]:
    """So many more frames each way, each ``every``-th sent again; the findings."""
    findings: list[object] = []
    for number in range(1, frames + 1):
        again = 1 if every and number % every == 0 else 0
        stats = replace(
            stats,
            frames_sent=stats.frames_sent + 1,
            frames_received=stats.frames_received + 1,
            retransmitted=stats.retransmitted + again,
        )
        if number % 8 == 0 and (finding := quality.look(stats)):
            findings.append(finding)
    return stats, findings


def test_a_good_link_is_never_warned_of() -> None:
    quality = Quality()
    quality.begin(NONE)
    _, findings = run(quality, NONE, 20_000, every=100)  # half a frame of a hundred
    assert findings == []
    assert quality.per_mille <= 6


def test_a_link_that_gets_worse_is_warned_of_once_and_told_good_again() -> None:
    quality = Quality()
    quality.begin(NONE)
    stats, findings = run(quality, NONE, WINDOW)
    stats, worse = run(quality, stats, WINDOW, every=10)
    stats, better = run(quality, stats, 2 * WINDOW)
    assert findings == []
    (fault,) = worse
    assert isinstance(fault, Fault)
    assert fault.code is FaultCode.LNK_02
    assert fault.evidence >= 10
    assert better == [FaultCleared(FaultCode.LNK_02)]


def test_what_was_lost_with_a_connection_does_not_count_against_the_next() -> None:
    quality = Quality()
    quality.begin(NONE)
    stats = replace(NONE, frames_sent=60, retransmitted=50)
    quality.begin(stats)
    stats, findings = run(quality, stats, WINDOW)
    assert findings == []
    assert quality.per_mille == 0


def test_a_side_that_has_gone_does_not_make_the_line_bad() -> None:
    quality = Quality()
    quality.begin(NONE)
    stats, findings = run(quality, NONE, 100)
    for again in range(1, 40):
        silent = replace(stats, frames_sent=stats.frames_sent + again, retransmitted=again)
        findings += [quality.look(silent)] if quality.look(silent) else []
    assert findings == []


def test_a_little_more_than_one_frame_of_a_hundred_is_a_bad_link() -> None:
    quality = Quality()
    quality.begin(NONE)
    _, findings = run(quality, NONE, 2 * WINDOW, every=40)  # of eighty frames of both directions one
    assert [type(one) for one in findings] == [Fault]
