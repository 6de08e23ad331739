"""What must hold all the time, whatever is checked: every frame and message is looked at. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from firmware_bridge.conformance.probe import Heard, Probe
from firmware_bridge.conformance.requirement import Requirement
from firmware_bridge.conformance.trace import Frame
from firmware_bridge.conformance.watch_answers import ANSWER_RULES, AnswersWatch
from firmware_bridge.conformance.watch_link import LINK_RULES, LinkWatch
from firmware_bridge.conformance.watch_machine import MACHINE_RULES, MachineWatch
from firmware_bridge.conformance.watch_reports import REPORT_RULES, ReportsWatch
from firmware_bridge.conformance.watched import Broken
from firmware_bridge.encoding import decode_from_board
from firmware_bridge.errors import MalformedMessage
from firmware_bridge.layouts import ANSWERS, REPORTS
from firmware_bridge.messages import Notice

WELL_FORMED: Final = Requirement(
    id="MSG-01", title="every answer and report is well formed, its fields in their ranges", section="4"
)

RULES: Final = (*LINK_RULES, WELL_FORMED, *ANSWER_RULES, *REPORT_RULES, *MACHINE_RULES)
"""The requirements that are watched from the first frame to the last."""


@dataclass(frozen=True, slots=True)
class Violation:
    """The first time a requirement did not hold."""

    detail: str
    frames: tuple[str, ...]


class Watch:
    """Sees everything that goes over a probe's wire, and remembers what was wrong first."""

    def __init__(self) -> None:
        self.violations: dict[str, Violation] = {}
        self.frames = self.messages = 0
        self._link = LinkWatch()
        self._answers = AnswersWatch()
        self._reports = ReportsWatch()
        self._machine = MachineWatch()

    def session_begins(self, probe: Probe) -> None:
        """A session begins."""
        self._link.session_begins(probe.session, probe.boot_id)
        self._reports.session_begins()
        self._machine.session_begins()

    def damaged(self, probe: Probe, raw: bytes) -> None:
        """What came is no good frame."""
        self._keep(self._link.damaged(raw), probe)

    def frame(self, probe: Probe, frame: Frame) -> None:
        """A good frame has come."""
        self.frames += 1
        self._keep(self._link.frame(frame), probe)

    def asked(self, probe: Probe, message: bytes) -> None:
        """A message was sent to the board."""
        del probe
        self._answers.asked(message)
        self._reports.asked(message)

    def heard(self, probe: Probe, heard: Heard) -> None:
        """The next message of the board."""
        self.messages += 1
        try:
            message = decode_from_board(heard.data)
        except MalformedMessage as error:
            if heard.data[:1] and (heard.data[0] in ANSWERS or heard.data[0] in REPORTS):
                self._keep([Broken(WELL_FORMED.id, f"{heard.data.hex(' ')}: {error}")], probe)
            return
        if not isinstance(message, Notice):
            self._keep(self._answers.answer(message), probe)
            return
        new = self._reports.is_new(message)
        self._keep(self._reports.notice(message), probe)
        if new:
            self._keep(self._machine.report(message.report), probe)

    def _keep(self, broken: Iterable[Broken], probe: Probe) -> None:
        for one in broken:
            if one.requirement not in self.violations:
                self.violations[one.requirement] = Violation(one.detail, probe.trace.lines())
