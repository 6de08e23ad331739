"""All requirements, in the order in which they are looked at."""

from typing import Final

from firmware_bridge.conformance.checks_commands import TALK
from firmware_bridge.conformance.checks_cycle import CYCLE
from firmware_bridge.conformance.checks_dice import DICE
from firmware_bridge.conformance.checks_frames import FRAMES
from firmware_bridge.conformance.checks_link import LINK
from firmware_bridge.conformance.checks_machine import MACHINE
from firmware_bridge.conformance.checks_reports import REPORTS
from firmware_bridge.conformance.checks_sessions import SESSIONS
from firmware_bridge.conformance.checks_stop import STOPS
from firmware_bridge.conformance.watch import RULES

_CHAPTERS: Final = (FRAMES, SESSIONS, LINK, TALK, REPORTS, DICE, MACHINE, CYCLE, STOPS)

CHECKED: Final = tuple(requirement for chapter in _CHAPTERS for requirement in chapter.requirements)
"""Requirements with a check of their own."""

ALL: Final = (*CHECKED, *RULES)
