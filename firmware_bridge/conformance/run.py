"""Examines a board: one requirement after the other, from the link up to the machine."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from firmware_bridge.conformance.bench import FAST, Bench
from firmware_bridge.conformance.catalogue import CHECKED
from firmware_bridge.conformance.hands import Hands
from firmware_bridge.conformance.probe import POLITE, NoSession, Probe
from firmware_bridge.conformance.requirement import (
    MOVES_NOTHING,
    NOBODY,
    Finding,
    NotApplicable,
    NotMet,
    Requirement,
    Result,
)
from firmware_bridge.conformance.watch import RULES, Watch
from firmware_bridge.conformance.wire import Wire, WireGone
from firmware_bridge.messages import Booted

PATIENCE_S: Final = 3.0
IMPATIENT_S: Final = 0.4
QUIET_S: Final = 0.01

Progress = Callable[[Finding], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What is examined. ``only``: ids or their beginnings; ``session``, ``op_id``: first numbers used."""

    session: int
    op_id: int
    motion: bool = True
    hands: Hands | None = None
    only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """All findings in the order of the catalogue; ``board`` as it has introduced itself, if it has."""

    board: Booted | None
    findings: tuple[Finding, ...]

    @property
    def passes(self) -> bool:
        """Whether nothing has failed."""
        return not any(finding.result is Result.FAILED for finding in self.findings)


async def examine(wire: Wire, wanted: Examination, progress: Progress = lambda _: None) -> Report:
    """Examine the board on ``wire``; ``progress`` hears of every finding as it is made."""
    watch = Watch()
    probe = Probe(wire, session=wanted.session, observer=watch)
    bench = Bench(probe, wanted.op_id, wanted.hands, wanted.motion)
    run = _Run(bench, wanted, progress)
    if wanted.hands is not None:
        await wanted.hands.pace(FAST)
    for requirement in chosen(CHECKED, wanted.only):
        await run.check(requirement)
    for requirement in chosen(RULES, wanted.only):
        run.found(_watched(requirement, watch))
    return Report(bench.booted, tuple(run.findings))


def chosen(requirements: Sequence[Requirement], only: tuple[str, ...]) -> list[Requirement]:
    """Those whose ids begin with one of ``only``; all where that is empty."""
    return [one for one in requirements if not only or one.id.startswith(only)]


def _watched(requirement: Requirement, watch: Watch) -> Finding:
    violation = watch.violations.get(requirement.id)
    if violation is not None:
        return Finding(requirement, Result.FAILED, violation.detail, violation.frames)
    if not watch.messages:
        return Finding(requirement, Result.NOT_APPLICABLE, "the board has sent no message")
    words = f"in {watch.frames} frames with {watch.messages} messages"
    return Finding(requirement, Result.PASSED, words)


class _Run:
    """One examination under way."""

    def __init__(self, bench: Bench, wanted: Examination, progress: Progress) -> None:
        self.findings: list[Finding] = []
        self._bench = bench
        self._wanted = wanted
        self._progress = progress
        self._dead_since: str | None = None
        self._gone: str | None = None

    def found(self, finding: Finding) -> None:
        """Keep and tell."""
        self.findings.append(finding)
        self._progress(finding)

    async def check(self, requirement: Requirement) -> None:
        """Find out about one requirement."""
        reason = self._inapplicable(requirement)
        if reason is None:
            self.found(await self._checked(requirement))
        else:
            self.found(Finding(requirement, Result.NOT_APPLICABLE, reason))

    def _inapplicable(self, requirement: Requirement) -> str | None:
        if self._gone is not None:
            return f"the port is gone: {self._gone}"
        if requirement.moves and not self._wanted.motion:
            return MOVES_NOTHING
        if requirement.keys and self._wanted.hands is None:
            return NOBODY
        board = self._bench.booted
        if board is None:
            return None
        if board.protocol[1] < requirement.since:
            return f"since 1.{requirement.since}; the board speaks 1.{board.protocol[1]}"
        missing = requirement.needs & ~board.capabilities
        return f"the board has no {missing.name}" if missing else None

    async def _checked(self, requirement: Requirement) -> Finding:
        """The check itself, in a session of its own where it wants one."""
        self._bench.probe.manners = POLITE
        try:
            if requirement.fresh or (requirement.needs and self._bench.booted is None):
                await self._fresh()
            reason = self._inapplicable(requirement)
            if reason is not None:
                return Finding(requirement, Result.NOT_APPLICABLE, reason)
            assert requirement.check is not None  # noqa: S101 - the catalogue holds only such
            words = await requirement.check(self._bench)
            await self._bench.probe.run(QUIET_S if self._bench.probe.up else 0.0)
        except NotApplicable as error:
            return Finding(requirement, Result.NOT_APPLICABLE, str(error))
        except NotMet as error:
            return self._failed(requirement, str(error))
        except NoSession as error:
            return self._no_session(requirement, str(error))
        except WireGone as error:
            self._gone = str(error)
            return self._failed(requirement, f"the port is gone: {error}")
        self._dead_since = None
        return Finding(requirement, Result.PASSED, words or "")

    async def _fresh(self) -> None:
        """A session and its hello; a board that does not answer is not waited for every time."""
        await self._bench.fresh(IMPATIENT_S if self._dead_since else PATIENCE_S)
        self._dead_since = None

    def _no_session(self, requirement: Requirement, words: str) -> Finding:
        """The first requirement that a session is missing for has failed; the others can't be seen."""
        if self._dead_since is None:
            # A requirement of a session that fails says why none begins; else this one does.
            failed = [one.requirement.id for one in self.findings if one.result is Result.FAILED]
            self._dead_since = failed[-1] if failed else requirement.id
            if not failed:
                return self._failed(requirement, words)
        return Finding(requirement, Result.NOT_APPLICABLE, f"{words}; see {self._dead_since}")

    def _failed(self, requirement: Requirement, words: str) -> Finding:
        return Finding(requirement, Result.FAILED, words, self._bench.probe.trace.lines())
