"""The board's dictionary: its own names for opcodes and its own words for faults. Pure.

A board makes its entries with :func:`entries`; a host reads them page by page with :class:`Reader` and keeps
what it does not know itself: the words of fault codes that are newer than this program.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from firmware_bridge.faults import FAULTS, FaultCode, FaultText, UnknownFault
from firmware_bridge.layouts import COMMANDS, REPORTS
from firmware_bridge.messages import (
    Booted,
    DictionaryEntry,
    Failed,
    Fault,
    FaultCleared,
    FaultRecord,
    GetDictionary,
    Missed,
    Report,
)
from firmware_bridge.states import Capability, Entry, Severity

TEXT_LIMIT: Final = 32
"""Bytes of text in one entry; longer texts go on in the next one."""

PAGE: Final = 8
"""Entries asked for at once."""


def entries(faults: Iterable[tuple[int, FaultText]] = ()) -> tuple[DictionaryEntry, ...]:
    """The dictionary of this version with ``faults`` besides: code and words."""
    texts = [(Entry.COMMAND, opcode, layout.cls.__name__) for opcode, layout in COMMANDS.items()]
    texts += [(Entry.REPORT, opcode, layout.cls.__name__) for opcode, layout in REPORTS.items()]
    for code, words in (*FAULTS.items(), *faults):
        texts.append((Entry.FAULT, int(code), f"{words.severity.value}|{words.zh}|{words.en}"))
    parts = [(kind, code, part) for kind, code, text in texts for part in _cut(text)]
    return tuple(DictionaryEntry(index, len(parts), *part) for index, part in enumerate(parts))


def fault_words(read: Iterable[DictionaryEntry]) -> dict[int, FaultText]:
    """Words of the fault codes this program does not know; an entry that is none is left out."""
    known = {code.value for code in FaultCode}
    texts: dict[int, str] = {}
    for entry in read:
        if entry.kind is Entry.FAULT and entry.code not in known:
            texts[entry.code] = texts.get(entry.code, "") + entry.text
    return {code: words for code, text in texts.items() if (words := _parsed(text)) is not None}


class Reader:
    """Reads one board's dictionary once: over as many connections as it takes."""

    def __init__(self) -> None:
        self._board: tuple[int, str] | None = None
        self._read: list[DictionaryEntry] = []
        self._total: int | None = None
        self._words: dict[int, FaultText] = {}

    def wanted(self, board: Booted) -> GetDictionary | None:
        """What to ask ``board`` for now; None when all is read or there is none."""
        if self._board != (board.uid, board.firmware):
            self._board = (board.uid, board.firmware)
            self._read, self._total, self._words = [], None, {}
        done = self._total is not None and len(self._read) >= self._total
        if done or Capability.DICTIONARY not in board.capabilities:
            return None
        return GetDictionary(len(self._read), PAGE)

    def take(self, entry: DictionaryEntry) -> bool:
        """Keep the next entry; True when it is the last. Others are left out."""
        if entry.index != len(self._read):
            return False
        self._read.append(entry)
        self._total = entry.entries
        if len(self._read) < self._total:
            return False
        self._words = fault_words(self._read)
        return True

    def worded(self, report: Report) -> Report:
        """``report`` with the board's words for a fault that this program does not know."""
        if isinstance(report, Missed):
            return replace(report, report=self.worded(report.report))
        if isinstance(report, Fault | FaultCleared | FaultRecord):
            return replace(report, code=self._code(report.code))
        return report

    def failed(self, answer: Failed) -> Failed:
        """``answer`` with the board's words for a fault that this program does not know."""
        return replace(answer, fault=self._code(answer.fault))

    def _code(self, code: FaultCode | UnknownFault) -> FaultCode | UnknownFault:
        return replace(code, text=self._words.get(code.code)) if isinstance(code, UnknownFault) else code


def _cut(text: str) -> list[str]:
    """``text`` in parts of at most 32 bytes, none of which ends inside a character."""
    parts = [""]
    for letter in text:
        if len((parts[-1] + letter).encode()) > TEXT_LIMIT:
            parts.append("")
        parts[-1] += letter
    return parts


def _parsed(text: str) -> FaultText | None:
    severity, _, words = text.partition("|")
    zh, bar, en = words.partition("|")
    if severity not in {str(member.value) for member in Severity} or not (bar and zh and en):
        return None
    return FaultText(Severity(int(severity)), zh, en)
