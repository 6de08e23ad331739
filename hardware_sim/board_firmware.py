"""The simulated board's firmware: link and messages over the mechanics. Pure: time is an argument.

It plays the board's role in the protocol: answers every command, executes an op_id once per boot, numbers
and keeps reports. It has the same shape as :class:`firmware_bridge.link.Link`.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from firmware_bridge.dictionary import entries
from firmware_bridge.encoding import decode_from_host, encode, layout_of, op_id_of
from firmware_bridge.errors import LinkFull, MalformedMessage
from firmware_bridge.faults import FaultCode
from firmware_bridge.layouts import COMMANDS
from firmware_bridge.link import Connected, Lost, Phase, Received, Timing
from firmware_bridge.messages import (
    PROTOCOL,
    Accepted,
    Answer,
    Booted,
    Command,
    Done,
    Failed,
    Fault,
    GetDictionary,
    GetLink,
    GetReports,
    LinkCounts,
    Notice,
    Rejected,
    Report,
    Request,
)
from firmware_bridge.quality import Quality
from firmware_bridge.states import Capability, Key, Profile, RejectReason, ResetCause
from hardware_sim.board_firmware_memory import Answers, Reports
from hardware_sim.board_versions import link_for
from hardware_sim.mechanics import Mechanics
from hardware_sim.mechanics_profiles import KINDS

COUNTER_LIMIT: Final = 1 << 32
DICTIONARY: Final = entries()
DAMAGED_ONE_IN: Final = 8
"""Frames of which one comes out damaged while LNK-02 has a cause."""

_Own = GetReports | GetDictionary | GetLink
"""Commands that the firmware answers without the machine."""


@dataclass(frozen=True, slots=True)
class Identity:
    """What stays the same over boots."""

    uid: int
    firmware: str = "sim 1.1"
    profile: Profile = Profile.FOUR_PORT
    protocol: tuple[int, int] = PROTOCOL
    capabilities: Capability = KINDS[Profile.FOUR_PORT].capabilities

    @classmethod
    def of(cls, profile: Profile, uid: int) -> "Identity":
        """The identity of a machine of this kind."""
        return cls(uid, profile=profile, capabilities=KINDS[profile].capabilities)


class Firmware:
    """The firmware from ``now`` on; ``boot_id`` is another at every boot.

    A restart that is injected into the mechanics happens in here: the board is dead for a while and comes
    back with another boot_id. ``boot_s``: how long it is BOOTING after each start.
    """

    def __init__(  # noqa: PLR0913 - settings, by keyword
        self,
        mechanics: Mechanics,
        identity: Identity,
        *,
        boot_id: int,
        cause: ResetCause,
        now: float,
        timing: Timing | None = None,
        boot_s: float = 0.0,
    ) -> None:
        self.mechanics = mechanics
        self.identity = identity
        self.malformed = 0
        self._timing = timing
        self._boot_s = boot_s
        self._made: deque[Report] = deque()
        self._off_until: float | None = None
        self._frames = 0
        self._start(boot_id, cause, now)

    def _start(self, boot_id: int, cause: ResetCause, now: float) -> None:
        identity = self.identity
        self.link = link_for(identity.protocol, boot_id, self._timing)
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
        self._answers = Answers()
        self._reports = Reports()
        self._quality = Quality()
        self._heard, self._heard_at = 0, now
        self.mechanics.boot(boot_id, cause, now, capabilities=identity.capabilities, boot_s=self._boot_s)
        self._pass_on()

    # ---- people ----------------------------------------------------------------------------------------

    def press(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key and lets it go."""
        self.mechanics.press(key, seat, now)
        self._pass_on()

    def key_down(self, key: Key, seat: int, now: float) -> None:
        """Somebody presses a key and holds it."""
        self.mechanics.key_down(key, seat, now)
        self._pass_on()

    def key_up(self, key: Key, seat: int, now: float) -> None:
        """Somebody lets a key go."""
        self.mechanics.key_up(key, seat, now)
        self._pass_on()

    # ---- the engine ------------------------------------------------------------------------------------

    def receive(self, data: bytes, now: float) -> None:
        """Take bytes from the wire."""
        if self._deaf:
            return
        self._advance(now)
        self.link.receive(data, now)
        self._take_events(now)

    def on_timer(self, now: float) -> None:
        """Let time pass."""
        if self._off_until is not None:
            self._be_off(now, self._off_until)
            return
        self._advance(now)
        self.link.on_timer(now)
        self._take_events(now)
        self._watch_link()
        self._pass_on()

    def next_timer(self) -> float | None:
        """When to come back."""
        if self._off_until is not None:
            return self._off_until
        lease = self._heard_at + self.mechanics.lease_s if self.mechanics.exposed else None
        times = (self.link.next_timer(), self.mechanics.next_timer(), lease)
        return min((time for time in times if time is not None), default=None)

    def data_to_send(self, now: float) -> bytes:
        """Bytes for the wire."""
        if self._off_until is not None:
            return b""
        data = self.link.data_to_send(now)
        if self.mechanics.there(FaultCode.LNK_01):
            return b""
        return self._damaged(data) if self.mechanics.there(FaultCode.LNK_02) else data

    def made(self) -> list[Report]:
        """Reports made since the last call, whether or not a host hears them."""
        made = list(self._made)
        self._made.clear()
        return made

    # ---- restarts and line -----------------------------------------------------------------------------

    @property
    def _deaf(self) -> bool:
        return self._off_until is not None or self.mechanics.there(FaultCode.LNK_01)

    def _advance(self, now: float) -> None:
        """Let the machine go on; where its supply fails, so does everything."""
        lease_ends = self._heard_at + self.mechanics.lease_s
        if self.mechanics.exposed and lease_ends <= now:
            self.mechanics.lease_over(lease_ends)
        self.mechanics.advance(now)
        restart = self.mechanics.restart
        if restart is not None and self._off_until is None:
            self.link.close()
            self._off_until = now + restart.off_s / self.mechanics.speed
            self.mechanics.take()
        self._pass_on()

    def _be_off(self, now: float, until: float) -> None:
        self.mechanics.advance(now)
        self.mechanics.take()
        if now < until:
            return
        restart = self.mechanics.restart
        cause = ResetCause.POWER_ON if restart is None else restart.cause
        self._off_until = None
        following = (1664525 * self._booted.boot_id + 1013904223) % COUNTER_LIMIT
        self._start(following, cause, now)

    def _damaged(self, data: bytes) -> bytes:
        *frames, rest = data.split(b"\x00")
        out = []
        for frame in frames:
            self._frames += 1
            bad = frame and self._frames % DAMAGED_ONE_IN == 0
            out.append(bytes((frame[0] ^ 0x40,)) + frame[1:] if bad else frame)
        return b"\x00".join([*out, rest])

    def _watch_link(self) -> None:
        match self._quality.look(self.link.stats):
            case Fault(FaultCode.LNK_02, evidence=evidence):
                self.mechanics.raise_fault(FaultCode.LNK_02, evidence=evidence)
            case None:
                pass
            case _:
                self.mechanics.clear_fault(FaultCode.LNK_02)

    def _take_events(self, now: float) -> None:
        frames = self.link.stats.frames_received
        if frames != self._heard:
            self._heard, self._heard_at = frames, now
        for event in self.link.events():
            match event:
                case Received(message):
                    self._on_message(message, now)
                case Connected():
                    self._quality.begin(self.link.stats)
                    self.mechanics.host_back()
                    self._keep_to_itself()
                    self._introduce(now)
                case Lost():
                    self.mechanics.host_lost(now)
                    self._keep_to_itself()
        self._pass_on()

    # ---- messages --------------------------------------------------------------------------------------

    def _introduce(self, now: float) -> None:
        """Say who the board is and how everything stands."""
        standing: list[Report] = [self._booted, *self.mechanics.faults.values(), self.mechanics.status()]
        for report in standing:
            self._report(report, now, keep=False)
        self.mechanics.clear_fault(FaultCode.PWR_03)  # said once

    def _on_message(self, data: bytes, now: float) -> None:
        try:
            request = decode_from_host(data)
        except MalformedMessage:
            self._refuse(data)
            return
        if (known := self._answers.of(request.op_id)) is not None:
            for answer in known:
                self._send(encode(answer))
            return
        self._execute(request, now)

    def _execute(self, request: Request, now: float) -> None:
        self._pass_on()
        op_id, command = request.op_id, request.command
        if not self._knows(command):
            self._answer(Rejected(op_id, RejectReason.UNSUPPORTED))
        elif isinstance(command, _Own):
            self._answer(Accepted(op_id))
            self._tell(command, now)
            self._answer(Done(op_id))
        else:
            reason = self.mechanics.start(op_id, command, now)
            self._answer(Accepted(op_id) if reason is None else Rejected(op_id, reason))
        self._pass_on()

    def _knows(self, command: Command) -> bool:
        needs = layout_of(command).needs
        return not needs or bool(needs & self.identity.capabilities)

    def _tell(self, command: _Own, now: float) -> None:
        match command:
            case GetReports(first):
                lost, kept = self._reports.since(first)
                if lost is not None:
                    self._report(lost, now, keep=False)
                for notice in kept:
                    self._send(encode(notice))
            case GetDictionary(first, count):
                for entry in DICTIONARY[first : first + count]:
                    self._report(entry, now, keep=False)
            case GetLink():
                stats = self.link.stats
                counts = LinkCounts(
                    stats.frames_sent, stats.retransmitted, stats.frames_received, stats.bad_frames
                )
                self._report(counts, now, keep=False)

    def _refuse(self, data: bytes) -> None:
        """Answer what cannot be understood, as far as it says to what the answer belongs."""
        self.malformed += 1
        try:
            op_id = op_id_of(data)
        except MalformedMessage:
            return
        layout, able = COMMANDS.get(data[0]), self.identity.capabilities
        known = layout is not None and (not layout.needs or bool(layout.needs & able))
        reason = RejectReason.BAD_ARGUMENT if known else RejectReason.UNSUPPORTED
        known_answers = self._answers.of(op_id)
        if known_answers is None:
            self._answer(Rejected(op_id, reason))
        for answer in known_answers or ():
            self._send(encode(answer))

    def _pass_on(self) -> None:
        """Send what the mechanics have to tell."""
        if self._off_until is not None:
            return
        for at, item in self.mechanics.take_timed():
            if isinstance(item, Done | Failed):
                self._answer(item)
            else:
                self._made.append(item)
                self._report(item, max(at, self._boot_at))

    def _keep_to_itself(self) -> None:
        """Number and remember what ends with a link; who asks later hears of it."""
        for at, item in self.mechanics.take_timed():
            if isinstance(item, Done | Failed):
                self._answers.add(item)
            else:
                self._made.append(item)
                self._number(item, max(at, self._boot_at), keep=True)

    def _answer(self, answer: Answer) -> None:
        self._answers.add(answer)
        self._send(encode(answer))

    def _report(self, report: Report, at: float, *, keep: bool = True) -> None:
        self._send(encode(self._number(report, at, keep=keep)))

    def _number(self, report: Report, at: float, *, keep: bool) -> Notice:
        at_ms = round(1000 * (at - self._boot_at)) % COUNTER_LIMIT
        return self._reports.number(report, at_ms, keep=keep)

    def _send(self, message: bytes) -> None:
        if self.link.phase is not Phase.UP:
            return
        try:
            self.link.send(message)
        except LinkFull:
            # A host that takes nothing gets a new session and the whole status instead of a gap.
            self.link.close()
