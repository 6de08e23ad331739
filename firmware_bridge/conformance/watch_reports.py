"""Watches the reports' numbers and clocks, and what a session begins with. Pure."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.conformance.requirement import Requirement
from firmware_bridge.conformance.watched import Broken
from firmware_bridge.encoding import decode_from_host
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.messages import Booted, Fault, GetReports, Notice, Status

REPORT_RULES: Final = (
    Requirement(id="REP-01", title="reports are numbered from 1, each one more than the last", section="4"),
    Requirement(id="REP-02", title="the clock of reports never goes back", section="4"),
    Requirement(id="HELLO-01", title="a session begins with Booted, then Faults, then Status", section="5"),
)


class ReportsWatch:
    """All reports of one boot."""

    def __init__(self) -> None:
        self._number: int | None = None
        self._clock = 0
        self._replays = False
        self._jumps = True
        self._hello: list[str] | None = []

    def session_begins(self) -> None:
        """Reports that were made without a session are not heard: numbers may jump once."""
        self._jumps, self._replays = True, False
        self._hello = []

    def asked(self, message: bytes) -> None:
        """After GetReports old numbers come again."""
        try:
            command = decode_from_host(message).command
        except MalformedMessage:
            return
        self._replays = self._replays or isinstance(command, GetReports)

    def is_new(self, notice: Notice) -> bool:
        """Whether the report is not one that is sent again."""
        return self._number is None or notice.number > self._number or not self._replays

    def notice(self, notice: Notice) -> Iterator[Broken]:
        """A report has come."""
        yield from self._in_hello(notice)
        if not self.is_new(notice):
            return
        last, self._number = self._number, notice.number
        if notice.number == 0:
            yield Broken("REP-01", f"{notice}: numbers begin with 1")
        elif last is not None and notice.number != last + 1 and not (self._jumps and notice.number > last):
            yield Broken("REP-01", f"{notice} comes after number {last}")
        self._jumps = False
        if notice.at_ms < self._clock:
            yield Broken("REP-02", f"{notice} comes after a report of {self._clock} ms")
        self._clock = max(self._clock, notice.at_ms)

    def _in_hello(self, notice: Notice) -> Iterator[Broken]:
        if self._hello is None:
            return
        before, report = self._hello, notice.report
        right = isinstance(report, Fault | Status) if before else isinstance(report, Booted)
        if not right:
            yield Broken("HELLO-01", f"{notice} at the beginning of a session, after {before or 'nothing'}")
        before.append(type(report).__name__)
        if isinstance(report, Status) or not right:
            self._hello = None
