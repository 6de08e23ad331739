"""A host's link and a board's, of whichever implementation, joined by two wires in virtual time."""

from collections import deque
from typing import Any

from firmware_bridge.link import Link, LinkEvent, Lost, LostReason, Phase, Received, Role
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair


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
        self.board = board or Link(Role.BOARD, boot_id=boot_id)
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
