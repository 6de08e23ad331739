"""The udev rule for boards: its text for given devices, and whether one is installed (shell)."""

import re
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import Final

from firmware_bridge.port_address import UsbId

NAME: Final = "99-longzhuo.rules"
FOLDERS: Final = tuple(
    Path(folder)
    for folder in ("/etc/udev/rules.d", "/run/udev/rules.d", "/usr/lib/udev/rules.d", "/lib/udev/rules.d")
)
"""Where udev looks; the first file of a name counts."""

NONE_NAMED: Final = (
    "# (none; name one by --port or --config, as in:\n"
    '# ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523", ENV{.LONGZHUO}="1")'
)
_DEVICES: Final = "@DEVICES@"
_FIRST_LINE: Final = re.compile(r"# (longzhuo rules \d+)")


def rule(devices: Iterable[UsbId]) -> str:
    """The rule for these devices, and for boards that call themselves longzhuo."""
    template = resources.files("controller.cli").joinpath("longzhuo.rules").read_text(encoding="utf-8")
    return template.replace(_DEVICES, "\n".join(map(_match, devices)) or NONE_NAMED)


def _match(device: UsbId) -> str:
    parts = [f'ATTRS{{idVendor}}=="{device.vid:04x}"', f'ATTRS{{idProduct}}=="{device.pid:04x}"']
    if device.serial:
        # Signs that mean something to udev match any sign instead.
        parts.append(f'ATTRS{{serial}}=="{re.sub(r"[^A-Za-z0-9_.:-]", "?", device.serial)}"')
    return ", ".join([*parts, 'ENV{.LONGZHUO}="1"'])


def edition(text: str) -> str:
    """Which edition of the rule a text is; "" where it is none."""
    found = _FIRST_LINE.match(text)
    return found[1] if found else ""


def names(text: str, device: UsbId) -> bool:
    """Whether the rule in ``text`` is about this device by its numbers."""
    return any(
        line.startswith(_match(UsbId(device.vid, device.pid)).rsplit(",", 1)[0]) for line in text.splitlines()
    )


def installed(folders: Sequence[Path] = FOLDERS) -> tuple[Path, str] | None:
    """The rule that udev uses and its text, None where there is none."""
    for folder in folders:
        for path in sorted(folder.glob("*longzhuo*.rules")):
            try:
                return path, path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
    return None
