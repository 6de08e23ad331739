"""What anybody could make a program write into its log as often as he likes is written seldom. Pure."""

from dataclasses import dataclass, field
from typing import Final

AGAIN_S: Final = 3600.0
MOST_KINDS: Final = 50


@dataclass(slots=True)
class Seldom:
    """Lets a line of each kind through once in an hour; of more kinds than it can keep, the last ones."""

    _told_at: dict[str, float] = field(default_factory=dict)

    def lets(self, kind: str, now: float) -> bool:
        """Whether a line of this kind is to be written; `now`: seconds of a clock that never goes back."""
        before = self._told_at.get(kind)
        if before is not None and now - before < AGAIN_S:
            return False
        self._told_at.pop(kind, None)
        self._told_at[kind] = now
        if len(self._told_at) > MOST_KINDS:
            del self._told_at[next(iter(self._told_at))]
        return True
