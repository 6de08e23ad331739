"""What the simulated board is plugged in with: a pseudo-terminal under a symbolic link, or USB (shell)."""

import os
import tty
from pathlib import Path
from typing import Final, Protocol

from firmware_bridge.port import Callbacks, Port, Transport
from hardware_sim.usb_bus import UsbFacts
from hardware_sim.usb_device import BoardEnd, LocalBus, UsbDevice
from hardware_sim.usb_server import UsbServer

USB_BACKEND: Final = "hardware_sim.usb_remote:backend"
"""What ``usb_backend`` of a configuration has to say for :class:`UsbPort`."""


class BoardPort(Protocol):
    """A port of either kind. ``path``: the symbolic link, or the socket of the USB bus."""

    path: Path
    restarts: bool
    """Whether it vanishes for a moment when the firmware restarts."""

    @property
    def address(self) -> str:
        """What a host's configuration names."""

    def prepare(self) -> None:
        """Make ready what stays through all unplugging. Raises OSError."""

    def plug_in(self, callbacks: Callbacks) -> Port:
        """Appear, under another number than before; the board's end of it."""

    def publish(self) -> None:
        """Let hosts find it."""

    def unplug(self) -> None:
        """Vanish under whoever holds it."""

    def listen(self, *, listens: bool) -> None:
        """Take bytes, or leave them where they are."""

    def give_up(self) -> None:
        """Undo :meth:`prepare`; may wait for threads."""


class Pseudoterminal:
    """A pseudo-terminal, raw before anyone knows its name."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self._transport: Transport | None = None

    @property
    def transport(self) -> Transport:
        """The board's end, after :meth:`open`."""
        if self._transport is None:
            raise RuntimeError("the terminal is not open")
        return self._transport

    def open(self, callbacks: Callbacks) -> Transport:
        """The board's end (again, after a boot)."""
        # The own slave descriptor stays open: clients may come and go without the master seeing an end.
        fd = os.dup(self._master)
        self._transport = Transport(fd, lambda: os.close(fd), callbacks)
        return self._transport

    def publish(self, symlink: Path) -> None:
        """Point ``symlink`` at this terminal, in one step; a stale link is replaced."""
        symlink.parent.mkdir(parents=True, exist_ok=True)
        new = symlink.with_name(f".{symlink.name}.new")
        new.unlink(missing_ok=True)
        new.symlink_to(os.ttyname(self._slave))
        new.replace(symlink)

    def close(self, symlink: Path) -> None:
        """Vanish: whoever has the terminal open reads its end."""
        name = os.ttyname(self._slave)
        if self._transport is not None:
            self._transport.abort()
        if symlink.is_symlink() and os.readlink(symlink) == name:  # noqa: PTH115 - the text of the link
            symlink.unlink()
        os.close(self._slave)
        os.close(self._master)


class PtyPort:
    """A pseudo-terminal, another one after every plugging in; ``path`` always points at it."""

    restarts = False

    def __init__(self, path: Path) -> None:
        """Nothing appears yet."""
        self.path = path
        self._terminal: Pseudoterminal | None = None

    @property
    def address(self) -> str:
        """The symbolic link."""
        return str(self.path)

    def prepare(self) -> None:
        """Nothing to do."""

    def plug_in(self, callbacks: Callbacks) -> Port:
        """Make a terminal."""
        self._terminal = Pseudoterminal()
        return self._terminal.open(callbacks)

    def publish(self) -> None:
        """Point the link at it."""
        if self._terminal is not None:
            self._terminal.publish(self.path)

    def unplug(self) -> None:
        """Close both ends."""
        if self._terminal is not None:
            self._terminal.close(self.path)
            self._terminal = None

    def listen(self, *, listens: bool) -> None:
        """Read, or let the kernel's buffer fill."""
        if self._terminal is not None:
            transport = self._terminal.transport
            (transport.resume_reading if listens else transport.pause_reading)()

    def give_up(self) -> None:
        """Nothing to do."""


class UsbPort:
    """A USB device in memory; other processes reach its bus at the socket ``path``."""

    restarts = True

    def __init__(self, path: Path, serial: str) -> None:
        """Nothing appears yet."""
        self.path = path
        self.facts = UsbFacts(serial=serial)
        self.bus = LocalBus()
        self._device = UsbDevice(self.bus, self.facts)
        self._server = UsbServer(self.bus, path)
        self._end: BoardEnd | None = None

    @property
    def address(self) -> str:
        """Vendor, product and serial number."""
        return f"usb://{self.facts.vendor:04x}:{self.facts.product:04x}/{self.facts.serial}"

    def prepare(self) -> None:
        """Listen for other processes."""
        self._server.start()

    def plug_in(self, callbacks: Callbacks) -> Port:
        """Open the board's end."""
        self._end = self._device.open(callbacks)
        return self._end

    def publish(self) -> None:
        """Appear on the bus, at another address."""
        self._device.plug_in()

    def unplug(self) -> None:
        """Vanish from the bus."""
        self._device.unplug()
        self._end = None

    def listen(self, *, listens: bool) -> None:
        """Take packets, or none."""
        if self._end is not None:
            (self._end.resume_reading if listens else self._end.pause_reading)()

    def give_up(self) -> None:
        """Hang up on all processes."""
        self._server.stop()
