"""A board that only talks: link, answers, numbered reports and their replay, without a machine behind it."""

from collections import deque
from dataclasses import dataclass, field

from host_pair import HostPair

from firmware_bridge.dictionary import entries
from firmware_bridge.driver import Engine
from firmware_bridge.encoding import decode_from_host, encode
from firmware_bridge.faults import FaultText
from firmware_bridge.host import Host
from firmware_bridge.link import Connected, Link, Received, Role
from firmware_bridge.messages import (
    PROTOCOL,
    Accepted,
    Booted,
    Command,
    Done,
    Fault,
    GetDictionary,
    GetReports,
    Message,
    Notice,
    Report,
    ReportsLost,
    Request,
    Status,
)
from firmware_bridge.states import Capability, Profile, ResetCause, State
from hardware_sim.wires import Wire, WireFaults

KEPT = 64
EVERYTHING = Capability(0x1FFF)
STATUS = Status(
    State.OPERATIONAL,
    State.HATCH_CLOSED,
    State.WALLS_DOWN,
    State.EMPTY,
    State.DICE_STILL,
    (0, 0, 0, 0),
    0,
)


@dataclass
class TalkingBoard:
    """One boot of it. ``asked``: every request that came; ``ends``: False leaves commands Accepted."""

    boot_id: int = 1
    protocol: tuple[int, int] = PROTOCOL
    capabilities: Capability = EVERYTHING
    faults: tuple[Fault, ...] = ()
    words: dict[int, FaultText] = field(default_factory=dict)
    ends: bool = True
    firmware: str = "talks 1"

    def __post_init__(self) -> None:
        self.link = Link(Role.BOARD, boot_id=self.boot_id)
        self.asked: list[Request] = []
        self.kept: deque[Notice] = deque(maxlen=KEPT)
        self.number = 0

    def receive(self, data: bytes, now: float) -> None:
        self.link.receive(data, now)
        for event in self.link.events():
            match event:
                case Connected():
                    self._introduce()
                case Received(message):
                    self._answer(decode_from_host(message))

    def on_timer(self, now: float) -> None:
        self.link.on_timer(now)
        self.link.events()

    def next_timer(self) -> float | None:
        return self.link.next_timer()

    def data_to_send(self, now: float) -> bytes:
        return self.link.data_to_send(now)

    def report(self, report: Report, *, keep: bool = True) -> int:
        """Make ``report``, heard or not; its number."""
        self.number += 1
        notice = Notice(self.number, 10 * self.number, report)
        if keep:
            self.kept.append(notice)
        self.send(notice)
        return self.number

    def send(self, message: Message) -> None:
        if self.link.phase.value == "up":
            self.link.send(encode(message))

    def _introduce(self) -> None:
        booted = Booted(
            self.boot_id,
            ResetCause.POWER_ON,
            self.protocol,
            Profile.FOUR_PORT,
            self.capabilities,
            uid=9,
            firmware=self.firmware,
        )
        standing: tuple[Report, ...] = (booted, *self.faults, STATUS)
        for report in standing:
            self.report(report, keep=False)

    def _answer(self, request: Request) -> None:
        self.asked.append(request)
        self.send(Accepted(request.op_id))
        match request.command:
            case GetReports(first):
                self._replay(first)
            case GetDictionary(first, count):
                for entry in entries(self.words.items())[first : first + count]:
                    self.report(entry, keep=False)
            case _ if not self.ends:
                return
        self.send(Done(request.op_id))

    def _replay(self, first: int) -> None:
        oldest = self.kept[0].number if self.kept else self.number + 1
        if first < oldest and len(self.kept) == KEPT:
            self.report(ReportsLost(oldest), keep=False)
        for notice in list(self.kept):
            if notice.number >= first:
                self.send(notice)

    def commands(self) -> list[Command]:
        """What was asked, but for what a host asks on its own account."""
        own = (GetDictionary, GetReports)
        return [request.command for request in self.asked if not isinstance(request.command, own)]


class Conversation(HostPair):
    """A host and a talking board (or an ``other`` one) in virtual time, over a wire that can be cut."""

    def __init__(
        self, board: TalkingBoard | None = None, *, other: Engine | None = None, history: bool = False
    ) -> None:
        self.board = board or TalkingBoard()
        host = Host(session=5, first_op_id=100, history=history)
        super().__init__(host, other or self.board, Wire(1), Wire(2))
        self.run(3.0)

    def cut(self) -> None:
        """Pull the cable until both sides know."""
        self.to_left, self.to_right = (Wire(seed, WireFaults(loss=1.0)) for seed in (3, 4))
        self.run(7.0)
        self.heard.clear()

    def mend(self, board: TalkingBoard | None = None) -> None:
        """Plug the cable in again, perhaps into another boot."""
        if board is not None:
            self.right = self.board = board
        self.plug_in()
        self.run(3.0)

    def plug_in(self, latency_s: float = 0.0) -> None:
        """Plug the cable in and come back at once."""
        self.to_left, self.to_right = (Wire(seed, WireFaults(latency_s=latency_s)) for seed in (5, 6))
        self.host.port_opened(self.now)
