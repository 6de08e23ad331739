"""A host's link and a board's, of whichever implementation, joined by two wires in virtual time."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from firmware_bridge.link import Link, LinkEvent, Lost, LostReason, Phase, Received, Role
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

TENTH: Final = WireFaults(
    loss=0.1, flip=0.05, insert=0.05, duplicate=0.05, split=0.3, latency_s=0.002, jitter_s=0.004, echo_s=0.3
)
"""A tenth lost, a twentieth damaged, some doubled and late, in each direction."""
MESSAGES: Final = 50
SILENT_AT_MOST_S: Final = 5.0
"""A link that brings nothing for so long says that it is lost."""


class Ends(Pair):
    """A host and a board link with what each has received; messages go out as the links take them.

    ``board``: another link in the board's role, say of the C core.
    """

    def __init__(
        self,
        faults: WireFaults | None = None,
        *,
        seed: int = 0,
        session: int = 7,
        boot_id: int = 99,
        board: Any = None,
    ) -> None:
        self.host = Link(Role.HOST, session=session)
        self.board: Any = board or Link(Role.BOARD, boot_id=boot_id)
        super().__init__(self.host, self.board, Wire(2 * seed, faults), Wire(2 * seed + 1, faults))
        self.events: dict[Role, list[LinkEvent]] = {Role.HOST: [], Role.BOARD: []}
        self.waiting: dict[Role, deque[bytes]] = {Role.HOST: deque(), Role.BOARD: deque()}
        self.longest_wait = 0.0
        self._progress_at = 0.0
        self.host.connect(0.0)

    def step(self, at_most: float = float("inf")) -> None:
        super().step(at_most)
        for link in (self.host, self.board):
            events = link.events()
            self.events[link.role] += events
            if events:
                self.longest_wait = max(self.longest_wait, self.now - self._progress_at)
                self._progress_at = self.now
            waiting = self.waiting[link.role]
            while waiting and link.phase is Phase.UP:
                link.send(waiting.popleft())

    def received(self, role: Role) -> list[bytes]:
        return [event.message for event in self.events[role] if isinstance(event, Received)]

    def lost(self, role: Role) -> list[LostReason]:
        return [event.reason for event in self.events[role] if isinstance(event, Lost)]

    def talk(self, out: list[bytes], home: list[bytes], limit_s: float = 60.0) -> None:
        """Send both ways until all has arrived or the host has lost the link."""
        self.waiting[Role.HOST].extend(out)
        self.waiting[Role.BOARD].extend(home)
        while self.now < limit_s and not self.lost(Role.HOST):
            if len(self.received(Role.BOARD)) >= len(out) and len(self.received(Role.HOST)) >= len(home):
                return
            self.step(limit_s)


def numbered(name: str, count: int) -> list[bytes]:
    return [f"{name} {number}".encode() for number in range(count)]


@dataclass
class Figures:
    """What came of some runs."""

    runs: int = 0
    whole: int = 0
    longest_s: float = 0.0
    longest_wait_s: float = 0.0
    again: int = 0

    def __str__(self) -> str:
        return (
            f"{self.whole} of {self.runs} runs whole, {self.runs - self.whole} lost the link and said so; "
            f"the longest took {self.longest_s:.2f} s, the longest wait for a message was "
            f"{self.longest_wait_s:.2f} s; the host sent {self.again / self.runs:.1f} frames a run again"
        )


def soak(
    board: Callable[[int], Any],
    faults: WireFaults,
    runs: int,
    told: Callable[[str], None] = lambda _: None,
) -> Figures:
    """Runs of fifty messages each way, each in order and once; ``told`` hears of the progress."""
    figures = Figures()
    for seed in range(runs):
        ends = Ends(faults, seed=seed, session=seed, board=board(seed))
        out, home = numbered("command", MESSAGES), numbered("report", MESSAGES)
        ends.talk(out, home)
        got_out, got_home = ends.received(Role.BOARD), ends.received(Role.HOST)
        assert got_out == out[: len(got_out)], seed
        assert got_home == home[: len(got_home)], seed
        whole = len(got_out) == len(got_home) == MESSAGES
        assert whole or ends.lost(Role.HOST), seed
        assert ends.longest_wait <= SILENT_AT_MOST_S, seed
        figures.runs += 1
        figures.whole += whole
        figures.longest_s = max(figures.longest_s, ends.now)
        figures.longest_wait_s = max(figures.longest_wait_s, ends.longest_wait)
        figures.again += ends.host.stats.retransmitted
        if seed % 500 == 499:
            told(f"  {seed + 1} runs, {figures.whole} whole")
    return figures
