"""The simulated board's firmware: link and messages over the mechanics. Pure: time is an argument.

It plays the board's role in the protocol: answers every command, executes an op_id once per boot, and
reports. It has the same shape as :class:`firmware_bridge.link.Link`.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.encoding import decode_from_host, encode, op_id_of
from firmware_bridge.errors import LinkFull, MalformedMessage
from firmware_bridge.layouts import COMMANDS
from firmware_bridge.link import Connected, Link, Lost, Phase, Received, Role, Timing
from firmware_bridge.messages import (
    PROTOCOL,
    Accepted,
    Answer,
    Booted,
    Done,
    Failed,
    Notice,
    Rejected,
    Report,
    Request,
)
from firmware_bridge.states import Capability, Key, Profile, RejectReason, ResetCause
from hardware_sim.mechanics import Mechanics

COUNTER_LIMIT: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class Identity:
    """What stays the same over boots."""

    uid: int
    firmware: str = "sim 1.0"
    profile: Profile = Profile.FOUR_PORT
    protocol: tuple[int, int] = PROTOCOL
    capabilities: Capability = Capability.DICE | Capability.SEAT_KEYS | Capability.LAMPS | Capability.COUNTERS


class Firmware:
    """One boot of the firmware, from ``now`` on; ``boot_id`` is another at every boot."""

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        mechanics: Mechanics,
        identity: Identity,
        *,
        boot_id: int,
        cause: ResetCause,
        now: float,
        timing: Timing | None = None,
    ) -> None:
        self.mechanics = mechanics
        self.link = Link(Role.BOARD, boot_id=boot_id, timing=timing)
        self.malformed = 0
        self._booted = Booted(
            boot_id,
            cause,
            identity.protocol,
            identity.profile,
            identity.capabilities,
            identity.uid,
            identity.firmware,
        )
        self._boot_at = now
        self._number = 0
        self._answers: dict[int, list[Answer]] = {}
        self._made: deque[Report] = deque()

    def press(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key."""
        self.mechanics.press(key, seat)
        self._pass_on(now)

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the wire."""
        self.link.receive(data, now)
        self._take_events(now)

    def on_timer(self, now: float) -> None:
        """Let time pass."""
        self.link.on_timer(now)
        self._take_events(now)
        self.mechanics.advance(now)
        self._pass_on(now)

    def next_timer(self) -> float | None:
        """When to come back."""
        times = (self.link.next_timer(), self.mechanics.next_timer())
        return min((time for time in times if time is not None), default=None)

    def data_to_send(self, now: float) -> bytes:
        """Bytes for the wire."""
        return self.link.data_to_send(now)

    def made(self) -> list[Report]:
        """Reports made since the last call, whether or not a host hears them."""
        made = list(self._made)
        self._made.clear()
        return made

    def _take_events(self, now: float) -> None:
        for event in self.link.events():
            match event:
                case Received(message):
                    self._on_message(message, now)
                case Connected():
                    self.mechanics.host_back()
                    self._keep_to_itself()
                    self._introduce(now)
                case Lost():
                    self.mechanics.host_lost(now)
                    self._keep_to_itself()
        self._pass_on(now)

    def _introduce(self, now: float) -> None:
        """Say who the board is and how everything stands."""
        standing: list[Report] = [self._booted, *self.mechanics.faults.values(), self.mechanics.status()]
        for report in standing:
            self._report(report, now)

    def _on_message(self, data: bytes, now: float) -> None:
        try:
            request = decode_from_host(data)
        except MalformedMessage:
            self._refuse(data)
            return
        if request.op_id in self._answers:
            for answer in self._answers[request.op_id]:
                self._send(encode(answer))
            return
        self._execute(request, now)

    def _execute(self, request: Request, now: float) -> None:
        reason = self.mechanics.start(request.op_id, request.command, now)
        if reason is None:
            self._answer(Accepted(request.op_id))
        else:
            self._answer(Rejected(request.op_id, reason))
        self._pass_on(now)

    def _refuse(self, data: bytes) -> None:
        """Answer what cannot be understood, as far as it says to what the answer belongs."""
        self.malformed += 1
        try:
            op_id = op_id_of(data)
        except MalformedMessage:
            return
        known = data[0] in COMMANDS
        reason = RejectReason.BAD_ARGUMENT if known else RejectReason.UNSUPPORTED
        if op_id not in self._answers:
            self._answer(Rejected(op_id, reason))

    def _pass_on(self, now: float) -> None:
        """Send what the mechanics have to tell."""
        for item in self.mechanics.take():
            if isinstance(item, Done | Failed):
                self._answer(item)
            else:
                self._made.append(item)
                self._report(item, now)

    def _keep_to_itself(self) -> None:
        """Remember what ends with a link, and say nothing: the status at the next connection tells."""
        for item in self.mechanics.take():
            if isinstance(item, Done | Failed):
                self._answers.setdefault(item.op_id, []).append(item)
            else:
                self._made.append(item)

    def _answer(self, answer: Answer) -> None:
        self._answers.setdefault(answer.op_id, []).append(answer)
        self._send(encode(answer))

    def _report(self, report: Report, now: float) -> None:
        self._number = (self._number + 1) % COUNTER_LIMIT
        at_ms = round(1000 * (now - self._boot_at)) % COUNTER_LIMIT
        self._send(encode(Notice(self._number, at_ms, report)))

    def _send(self, message: bytes) -> None:
        if self.link.phase is not Phase.UP:
            return
        try:
            self.link.send(message)
        except LinkFull:
            # A host that takes nothing gets a new session and the whole status instead of a gap.
            self.link.close()
