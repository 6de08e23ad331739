"""Watches the three answers of every op_id. Pure."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.conformance.requirement import Requirement
from firmware_bridge.conformance.watched import Broken
from firmware_bridge.messages import Accepted, Answer, Done, Failed, Rejected
from firmware_bridge.states import FailCause

ANSWER_RULES: Final = (
    Requirement(id="CMD-01", title="Done and Failed come only after Accepted", section="6"),
    Requirement(id="CMD-02", title="a command has one result: Rejected, Done or Failed", section="6"),
    Requirement(id="CMD-03", title="answers belong to commands that were given", section="6"),
)


class AnswersWatch:
    """All op_ids of one examination."""

    def __init__(self) -> None:
        self._asked: set[int] = set()
        self._accepted: set[int] = set()
        self._results: dict[int, Answer] = {}

    def asked(self, message: bytes) -> None:
        """A command was sent, perhaps again."""
        if len(message) >= 5:
            self._asked.add(int.from_bytes(message[1:5], "little"))

    def answer(self, answer: Answer) -> Iterator[Broken]:
        """An answer has come."""
        op_id = answer.op_id
        if op_id not in self._asked:
            yield Broken("CMD-03", f"{answer}: there was no command with this op_id")
            return
        if isinstance(answer, Accepted):
            self._accepted.add(op_id)
        elif isinstance(answer, Done | Failed) and op_id not in self._accepted:
            yield Broken("CMD-01", f"{answer} without Accepted")
        before = self._results.get(op_id)
        if isinstance(answer, Accepted) and isinstance(before, Rejected):
            yield Broken("CMD-02", f"{answer} after {before}")
        if isinstance(answer, Rejected) and op_id in self._accepted:
            yield Broken("CMD-02", f"{answer} after Accepted")
        if isinstance(answer, Accepted):
            return
        forgotten = isinstance(answer, Failed) and answer.cause is FailCause.NO_ANSWER
        if before is not None and before != answer and not forgotten:
            yield Broken("CMD-02", f"{answer} after {before}")
        self._results[op_id] = answer
