"""What a watch finds. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """A requirement that does not hold, and what was seen."""

    requirement: str
    detail: str
