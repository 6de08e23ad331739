"""Two protocol engines joined by two wires, in virtual time: hours of line faults in seconds. Pure."""

import math

from firmware_bridge.driver import Engine
from hardware_sim.wires import Wire


class Pair:
    """``left`` and ``right`` talk over ``to_right`` and ``to_left``; ``now`` jumps from event to event."""

    def __init__(self, left: Engine, right: Engine, to_right: Wire, to_left: Wire) -> None:
        self.left = left
        self.right = right
        self.to_right = to_right
        self.to_left = to_left
        self.now = 0.0

    def step(self, at_most: float = math.inf) -> None:
        """Let all happen that happens now, then go on to the next moment, at the latest ``at_most``."""
        while self._exchange():
            pass
        times = (
            self.left.next_timer(),
            self.right.next_timer(),
            self.to_left.next_timer(),
            self.to_right.next_timer(),
        )
        following = min((time for time in times if time is not None), default=at_most)
        self.now = min(max(following, math.nextafter(self.now, math.inf)), at_most)
        self.left.on_timer(self.now)
        self.right.on_timer(self.now)

    def run(self, seconds: float) -> None:
        """Let ``seconds`` pass."""
        end = self.now + seconds
        while self.now < end:
            self.step(end)

    def _exchange(self) -> bool:
        """One turn of both ends; True when bytes moved."""
        outward, homeward = self.left.data_to_send(self.now), self.right.data_to_send(self.now)
        self.to_right.carry(outward, self.now)
        self.to_left.carry(homeward, self.now)
        to_right, to_left = self.to_right.deliver(self.now), self.to_left.deliver(self.now)
        if to_right:
            self.right.receive(to_right, self.now)
        if to_left:
            self.left.receive(to_left, self.now)
        return bool(outward or homeward or to_right or to_left)
