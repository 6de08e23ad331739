"""Requirements of the protocol, how one is checked and what comes of it. Pure."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

from firmware_bridge.states import Capability

if TYPE_CHECKING:
    from firmware_bridge.conformance.bench import Bench

Check = Callable[["Bench"], Awaitable[str | None]]
"""Does what it takes on a board with a fresh session; gives words about what was seen, or None.

Raises NotMet or NotApplicable.
"""


class NotMet(Exception):
    """The board does not do what is required; the text says what was expected and what came."""


class NotApplicable(Exception):
    """It can't be seen on this board, or not now; the text says why."""


class Result(Enum):
    """What an examination says of a requirement."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One sentence of PROTOCOL.md that can be seen from outside.

    ``section`` of PROTOCOL.md. ``needs``: capabilities (all of them); ``since``: minor version of the
    messages. ``moves``: something moves in the machine; ``keys``: somebody must press keys at the table.
    ``fresh``: the check begins in a session of its own. ``check`` is None where all frames of the whole
    examination are looked at instead.
    """

    id: str
    title: str
    section: str
    check: Check | None = None
    needs: Capability = Capability.NONE
    since: int = 0
    moves: bool = False
    keys: bool = False
    fresh: bool = True


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one requirement; ``frames``: the last ones before a failure, in words."""

    requirement: Requirement
    result: Result
    detail: str
    frames: tuple[str, ...] = ()


class Chapter:
    """Collects the requirements of one module in the order in which they stand there."""

    def __init__(self) -> None:
        self.requirements: list[Requirement] = []

    def requirement(  # noqa: PLR0913 - one argument per property
        self,
        name: str,
        title: str,
        section: str,
        *,
        needs: Capability = Capability.NONE,
        since: int = 0,
        moves: bool = False,
        keys: bool = False,
        fresh: bool = True,
    ) -> Callable[[Check], Check]:
        """The function below checks this requirement."""

        def keep(check: Check) -> Check:
            self.requirements.append(
                Requirement(
                    id=name,
                    title=title,
                    section=section,
                    check=check,
                    needs=needs,
                    since=since,
                    moves=moves,
                    keys=keys,
                    fresh=fresh,
                )
            )
            return check

        return keep


def expect(condition: object, words: str) -> None:
    """Raises NotMet with ``words`` unless the condition holds."""
    if not condition:
        raise NotMet(words)


MOVES_NOTHING: Final = "something would move (--no-motion)"
NOBODY: Final = "nobody is at the table to press keys (--keys)"
