"""How good the link to a board is, measured for a moment (shell)."""

import asyncio
from dataclasses import dataclass
from typing import Final

from controller.cli.board_talk import Talk
from firmware_bridge import NotSupported
from firmware_bridge.errors import WrongVersion
from firmware_bridge.messages import GetLink, GetStatus, LinkCounts

MEASURED_S: Final = 2.0
PAUSE_S: Final = 0.04


@dataclass(frozen=True, slots=True)
class Quality:
    """Questions answered in ``seconds``; times of an answer in milliseconds; frames of both directions."""

    seconds: float
    answers: int
    median_ms: float
    worst_ms: float
    frames: int
    damaged: int
    again: int
    board: LinkCounts | None = None

    @property
    def bad_per_mille(self) -> float:
        """Damaged frames and repetitions of a thousand frames."""
        return 1000 * (self.damaged + self.again) / self.frames if self.frames else 0.0


async def measure(talk: Talk, seconds: float = MEASURED_S) -> Quality:
    """Ask for the status again and again. Raises BoardError where the link goes meanwhile."""
    loop = asyncio.get_running_loop()
    before, end = talk.board.stats, loop.time() + seconds
    times: list[float] = []
    while loop.time() < end:
        asked = loop.time()
        await talk.board.command(GetStatus())
        times.append(1000 * (loop.time() - asked))
        await asyncio.sleep(PAUSE_S)
    after = talk.board.stats
    times.sort()
    return Quality(
        seconds,
        len(times),
        times[len(times) // 2],
        times[-1],
        after.frames_sent + after.frames_received - before.frames_sent - before.frames_received,
        after.bad_frames - before.bad_frames,
        after.retransmitted - before.retransmitted,
        await board_counts(talk),
    )


async def board_counts(talk: Talk) -> LinkCounts | None:
    """The board's own counts; None where it is too old to tell."""
    try:
        told = await talk.ask(GetLink(), LinkCounts)
    except (NotSupported, WrongVersion):
        return None
    return told[-1] if told else None


def summary(found: Quality) -> str:
    """One line."""
    return (
        f"往返 round trip {found.median_ms:.1f} ms (最长 worst {found.worst_ms:.1f}), "
        f"{found.frames} 帧 frames in {found.seconds:g} s: 坏 damaged {found.damaged}, "
        f"重发 sent again {found.again}"
    )
