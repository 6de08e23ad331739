"""All requirements, in the order in which they are looked at."""

from typing import Final

from firmware_bridge.conformance.checks_frames import FRAMES
from firmware_bridge.conformance.checks_link import LINK
from firmware_bridge.conformance.checks_sessions import SESSIONS

_CHAPTERS: Final = (SESSIONS, FRAMES, LINK)

CHECKED: Final = tuple(requirement for chapter in _CHAPTERS for requirement in chapter.requirements)
"""Requirements with a check of their own."""
