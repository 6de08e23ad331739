"""The board's firmware behind two wires, one in each direction. Pure: time is an argument."""

from hardware_sim.board_firmware import Firmware
from hardware_sim.wires import Wire, WireFaults


class Line:
    """An engine like the firmware itself, with what the wires do to its bytes."""

    def __init__(self, firmware: Firmware, seed: int, faults: WireFaults | None) -> None:
        self.firmware = firmware
        self.to_board = Wire(2 * seed, faults)
        self.to_host = Wire(2 * seed + 1, faults)

    def receive(self, data: bytes, now: float) -> None:
        """Bytes from the host enter the wire."""
        self.to_board.carry(data, now)
        self._arrive(now)

    def on_timer(self, now: float) -> None:
        """Let time pass."""
        self._arrive(now)
        self.firmware.on_timer(now)

    def data_to_send(self, now: float) -> bytes:
        """Bytes that come out of the wire at the host's end."""
        self.to_host.carry(self.firmware.data_to_send(now), now)
        return self.to_host.deliver(now)

    def next_timer(self) -> float | None:
        """When to come back."""
        times = (self.firmware.next_timer(), self.to_board.next_timer(), self.to_host.next_timer())
        return min((time for time in times if time is not None), default=None)

    def _arrive(self, now: float) -> None:
        data = self.to_board.deliver(now)
        if data:
            self.firmware.receive(data, now)
