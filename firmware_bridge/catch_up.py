"""What a host asks a board for on its own account: reports it has missed, and words it lacks. Pure."""

from firmware_bridge.dictionary import Reader
from firmware_bridge.errors import BoardError
from firmware_bridge.faults import UnknownFault
from firmware_bridge.messages import (
    Booted,
    Command,
    DictionaryEntry,
    Done,
    Failed,
    Fault,
    FaultCleared,
    GetDictionary,
    GetReports,
    Notice,
    Report,
)
from firmware_bridge.replay import Replay
from firmware_bridge.states import Capability


class CatchUp:
    """Turns notices into reports to hand on, and says what to ask for at the beginning of a session.

    ``booted`` and ``ended`` return commands to send; each one's end comes back by ``ended``, unless the link
    goes before.
    """

    def __init__(self, *, history: bool = False) -> None:
        self._replay = Replay(history=history)
        self._dictionary = Reader()
        self._board: Booted | None = None
        self._unknown: dict[int, Fault] = {}

    def booted(self, board: Booted, number: int, *, can_ask: bool) -> list[Command]:
        """A session has begun; Booted was report ``number``."""
        self._board = board
        self._unknown.clear()
        asked: list[Command] = []
        missed_from = self._replay.begin(board.boot_id, number)
        if missed_from is not None and can_ask and Capability.REPLAY in board.capabilities:
            asked.append(GetReports(missed_from))
        else:
            self._replay.end()
        page = self._dictionary.wanted(board)
        return [*asked, page] if page is not None and can_ask else asked

    def ended(self, command: Command, result: Done | BoardError) -> list[Command]:
        """``command`` has ended: what to ask for next."""
        if isinstance(command, GetReports):
            self._replay.end()
        elif isinstance(command, GetDictionary) and isinstance(result, Done) and self._board is not None:
            page = self._dictionary.wanted(self._board)
            if page is not None and page.first > command.first:
                return [page]
        return []

    def taken(self, notice: Notice, *, entries_wanted: bool) -> list[Report]:
        """What to hand on of ``notice``; dictionary entries only where somebody else wants them."""
        report = self._replay.take(notice)
        if report is None:
            return []
        if isinstance(report, DictionaryEntry):
            told = self._told_again() if self._dictionary.take(report) else []
            return [*told, report] if entries_wanted else told
        report = self._dictionary.worded(report)
        match report:
            case Fault(code=UnknownFault(code)):
                self._unknown[code] = report
            case FaultCleared(code=UnknownFault(code)):
                self._unknown.pop(code, None)
        return [report]

    def failed(self, answer: Failed) -> Failed:
        """``answer`` with the board's own words for a fault that only the board knows."""
        return self._dictionary.failed(answer)

    def _told_again(self) -> list[Report]:
        """The standing faults that were handed on without words, now that there are some."""
        told = [self._dictionary.worded(fault) for fault in self._unknown.values()]
        return [fault for fault in told if isinstance(fault, Fault) and _has_words(fault)]


def _has_words(fault: Fault) -> bool:
    return isinstance(fault.code, UnknownFault) and fault.code.text is not None
