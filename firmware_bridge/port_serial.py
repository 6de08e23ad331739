"""Opens serial devices by pyserial (shell)."""

import asyncio
import errno
import fcntl
import os
import termios
from pathlib import Path
from typing import Final

import serial

from firmware_bridge.errors import PortBusy, PortUnavailable
from firmware_bridge.port_holder import held_by
from firmware_bridge.port_transport import Callbacks, Transport

PSEUDOTERMINALS: Final = range(136, 144)
"""Major device numbers of Unix98 pseudo-terminals' far ends (Linux, devices.txt)."""


CALLED_OFF_S: Final = 1.0
"""An opening that nobody wants any more is waited for so long."""


async def open_serial(path: str, callbacks: Callbacks, baud: int) -> Transport:
    """Open ``path`` for this process alone, with DTR and RTS low. Raises PortUnavailable."""
    opening = asyncio.ensure_future(asyncio.to_thread(_open, path, baud))
    try:
        device = await asyncio.shield(opening)
    except asyncio.CancelledError:
        opening.add_done_callback(_close_opened)
        # Finding out who holds a port takes a moment; an opening that the kernel keeps is left to itself.
        await asyncio.wait({opening}, timeout=CALLED_OFF_S)
        raise
    return Transport(device.fileno(), device.close, callbacks, name=path, slow_close=True)


def _open(path: str, baud: int) -> serial.Serial:
    device = serial.Serial(None, baudrate=baud, timeout=0, write_timeout=0, exclusive=True)
    # Both lines low: on many boards a rising DTR is wired to reset. The kernel itself raises both for a
    # moment while a real port opens; pyserial lowers them at once.
    device.dtr = False
    device.rts = False
    device.port = path
    try:
        device.open()
        _keep_others_out(device.fileno())
    except Exception as error:  # noqa: BLE001 - whatever pyserial, termios or the kernel come up with
        device.close()
        if _is_held(path, error):
            holder = held_by(path)
            who = f" ({holder})" if holder else ""
            raise PortBusy(f"{path}: another program holds this port{who}") from None
        raise PortUnavailable(_why(path, error)) from None
    return device


def _keep_others_out(fd: int) -> None:
    """Let the kernel refuse programs that take no lock.

    Not on a pseudo-terminal: there the mark outlives this process for as long as the other end is there.
    """
    if os.major(os.fstat(fd).st_rdev) not in PSEUDOTERMINALS:
        fcntl.ioctl(fd, termios.TIOCEXCL)


def _close_opened(opening: "asyncio.Future[serial.Serial]") -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


def _is_held(path: str, error: Exception) -> bool:
    busy = getattr(error, "errno", None) == errno.EBUSY or "exclusively lock" in str(error)
    return busy and Path(path).exists()


def _why(path: str, error: Exception) -> str:
    """One line for people: which port, and what is the matter."""
    code = getattr(error, "errno", None)
    if code == errno.ENOENT or not Path(path).exists():
        return f"{path}: there is no such port"
    if code in (errno.EACCES, errno.EPERM):
        return f"{path}: no permission to open this port"
    no_terminal = code == errno.ENOTTY or os.strerror(errno.ENOTTY) in str(error)
    if no_terminal or not Path(path).is_char_device():
        return f"{path}: is no serial port"
    return f"{path}: {os.strerror(code) if code else error}"
