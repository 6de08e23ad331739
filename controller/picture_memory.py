"""Keeps the memory that pictures need: the C library else returns it after each one and pays for it anew.

A picture and what the networks make of it are buffers of several MB that come and go ten times a second.
Every page that is new to the process costs a page fault, up to a tenth of a picture's processor time in all.
"""

import ctypes
from typing import Final

TRIM_THRESHOLD: Final = -1
MMAP_THRESHOLD: Final = -3
"""Names of `mallopt` (malloc.h of the GNU C library)."""
LARGEST: Final = 32 << 20
"""Bytes: buffers up to this size, the most that the library takes, come from memory that is kept."""
KEPT: Final = 64 << 20
"""Bytes that are kept at most of what nobody uses."""


def keep_picture_memory() -> bool:
    """Have this process keep freed memory for the next picture; False where the C library can't do so."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False
    return bool(mallopt(MMAP_THRESHOLD, LARGEST)) and bool(mallopt(TRIM_THRESHOLD, KEPT))
