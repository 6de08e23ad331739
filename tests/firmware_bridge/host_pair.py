"""A host and a board of any kind in virtual time: what the host hears, and how its commands end."""

from typing import Final, TypeVar

from firmware_bridge.driver import Engine
from firmware_bridge.errors import BoardError
from firmware_bridge.host import Finished, Host
from firmware_bridge.messages import Command, Done, Report
from hardware_sim.wires import Wire, WireFaults
from hardware_sim.wires_pair import Pair

AnyReport = TypeVar("AnyReport", bound=Report)

HOSTILE: Final = WireFaults(loss=0.1, flip=0.1, duplicate=0.05, split=0.3, latency_s=0.002, echo_s=0.3)


class LosesOne(Wire):
    """A good wire that loses the frame of one number."""

    def __init__(self, number: int | None = None) -> None:
        super().__init__(0, WireFaults(latency_s=0.001))
        self.left_over = number
        self.frames = 0

    def carry(self, data: bytes, now: float) -> None:
        for frame in data.split(b"\x00")[:-1]:
            if self.frames != self.left_over:
                super().carry(frame + b"\x00", now)
            self.frames += 1


class HostPair(Pair):
    """``heard``: what the host was told; ``finished``: how its commands ended, each once."""

    def __init__(self, host: Host, board: Engine, to_board: Wire, to_host: Wire) -> None:
        self.host = host
        self.finished: dict[int, Done | BoardError] = {}
        self.heard: list[Report] = []
        super().__init__(host, board, to_board, to_host)
        host.port_opened(0.0)

    def step(self, at_most: float = float("inf")) -> None:
        super().step(at_most)
        for outcome in self.host.outcomes():
            if isinstance(outcome, Finished):
                assert outcome.op_id not in self.finished
                self.finished[outcome.op_id] = outcome.result
            else:
                self.told(outcome)

    def told(self, report: Report) -> None:
        self.heard.append(report)

    def connect(self) -> None:
        while not self.host.ready:
            self.step(self.now + 1)

    def give(self, command: Command) -> int:
        """Ask and do not wait."""
        return self.host.request(command, self.now)

    def end_of(self, op_id: int) -> Done | BoardError:
        """How the command that was given under ``op_id`` ended."""
        while op_id not in self.finished:
            self.step(self.now + 1)
        return self.finished[op_id]

    def carry_out(self, command: Command) -> Done | BoardError:
        """How a command ends."""
        return self.end_of(self.give(command))

    def do(self, *commands: Command) -> None:
        """As the controller does, each to its end; raises what the controller would see."""
        for command in commands:
            self.connect()
            result = self.carry_out(command)
            if isinstance(result, BoardError):
                raise result

    def of(self, kind: type[AnyReport]) -> list[AnyReport]:
        """What was heard of this kind."""
        return [report for report in self.heard if isinstance(report, kind)]
