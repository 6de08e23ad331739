"""The two dice of a deal: what they show, who has told, and whether board and camera agree. Pure."""

from dataclasses import dataclass
from typing import Final

from controller.doubts import DoubtKind, Problem, dice_differ_problem, dice_problem
from controller.journal_decisions import DiceKnown
from controller.machine_state import DiceReader
from controller.session_notes import Notes

CAMERA: Final = DiceReader.CAMERA

DICE_DOUBTS: Final = frozenset({DoubtKind.DICE, DoubtKind.DICE_DIFFER})


@dataclass(slots=True)
class DealDice:
    """The dice of the last deal.

    Attributes:
        values: what they show, None where nobody has told or board and camera differ.
        known: what is written of them, None while nobody has told.
        audited: the camera has confirmed or denied what the board has read.
    """

    values: tuple[int, int] | None = None
    known: DiceKnown | None = None
    audited: bool = False

    def told(self, values: tuple[int, int], by: str, deal: int, notes: Notes) -> None:
        """Somebody has said what they show: the board, the camera, a person."""
        self.values = values
        self.known = DiceKnown(deal=deal, values=values, by=by)
        self.audited = by != DiceReader.BOARD
        notes.decide("dice", self.known)

    def moved(self) -> None:
        """The camera sees them move again: what it reads next is no check of the board."""
        if self.known is not None:
            self.audited = True

    def differ_from(self, seen: tuple[int, int]) -> bool:
        """Check once what the board has read; True where the camera has seen other values."""
        if self.audited or self.values is None:
            return False
        self.audited = True
        return sorted(self.values) != sorted(seen)

    def disputed(self, seen: tuple[int, int], deal: int, notes: Notes) -> None:
        """Neither board nor camera is believed: people look."""
        board, self.values = self.values, None
        self.known = DiceKnown(deal=deal, values=None, by=CAMERA, board=board, camera=seen)
        notes.decide("dice", self.known)

    def problem(self) -> Problem:
        """The question what they show."""
        known = self.known
        if known is None or known.board is None or known.camera is None:
            return dice_problem()
        return dice_differ_problem(known.board, known.camera)
