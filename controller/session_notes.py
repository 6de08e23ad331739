"""What one input leads to, gathered while it is handled: rows first, then commands and messages. Pure."""

from dataclasses import dataclass, field

import msgspec

from controller.doubts import Doubt
from controller.journal_deals import DoubtEndRow, DoubtRow, EndOfDoubt, EventRow, FineRow
from controller.journal_decisions import Said, Standing
from controller.journal_rows import DecisionRow, Row
from controller.match import Match
from controller.public import FINE_TOPIC, Fine, Payload
from controller.session_effects import Send
from firmware_bridge.messages import Command
from rules.events import Event
from rules.record import format_event
from rules.state import Balances


@dataclass(slots=True)
class Notes:
    """The notes on one input: `boot` and `now` stand in every row."""

    boot: int
    now: float
    rows: list[Row] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    messages: list[tuple[str, Payload]] = field(default_factory=list)
    """Topics and payloads that are not retained, in order."""

    def write(self, row: Row) -> None:
        """Add a row."""
        self.rows.append(row)

    def event(self, event: Event, deal: int, n: int, author: str) -> None:
        """Add an event of a deal."""
        text = format_event(event)
        self.write(EventRow(deal=deal, n=n, boot=self.boot, at=self.now, text=text, author=author))

    def doubt(self, doubt: Doubt, deal: int, proposal: str | None) -> None:
        """Add a doubt that is raised now."""
        found = doubt.problem
        row = DoubtRow(
            doubt=doubt.id,
            boot=self.boot,
            at=self.now,
            deal=deal,
            kind=str(found.kind),
            zh=found.zh,
            en=found.en,
            candidates=tuple(candidate.text for candidate in found.candidates),
            proposal=proposal,
            likelihoods=tuple(candidate.likelihood for candidate in found.candidates),
            resolved_by=tuple(map(str, found.resolved_by)),
        )
        self.write(row)

    def doubt_end(self, doubt: Doubt, how: EndOfDoubt, choice: int | None, author: str) -> None:
        """Add the end of a doubt."""
        row = DoubtEndRow(doubt=doubt.id, boot=self.boot, at=self.now, how=how, choice=choice, author=author)
        self.write(row)

    def said(self, *doubts: Doubt | None) -> None:
        """Add what one person has said to each open doubt, or that he has taken it back."""
        self.decide(
            "said",
            [
                Said(
                    doubt=doubt.id,
                    asked=doubt.asked,
                    author="" if doubt.said is None else doubt.said.author,
                    question="" if doubt.said is None else doubt.said.question,
                    text="" if doubt.said is None else doubt.said.choice.text,
                    events=() if doubt.said is None else tuple(map(format_event, doubt.said.choice.events)),
                    kept=None if doubt.said is None else doubt.said.choice.kept,
                    answer=None if doubt.said is None else doubt.said.choice.answer,
                )
                for doubt in doubts
                if doubt is not None
            ],
        )

    def fine(self, fine: Fine, deal: int, n: int) -> None:
        """Add a fine for event `n` of the deal, and publish it."""
        row = FineRow(
            deal=deal,
            n=n,
            boot=self.boot,
            at=self.now,
            seat=fine.seat,
            payments=fine.payments,
            balances=fine.balances,
            author=fine.author,
        )
        self.write(row)
        self.tell(FINE_TOPIC, fine)

    def standing(self, match: Match, before: Balances | None = None) -> None:
        """Add where the match stands after an order; `before` are the points before the running deal."""
        self.decide(
            "standing",
            Standing(
                boot=self.boot,
                at=self.now,
                match_no=match.match_no,
                hand_no=match.hand_no,
                dealer=int(match.dealer),
                kept=match.kept,
                balances=match.balances,
                seated=match.seated,
                die=match.die,
                certain=match.certain,
                before=before,
            ),
        )

    def decide(self, kind: str, body: object) -> None:
        """Add a decision."""
        text = msgspec.json.encode(body).decode()
        self.write(DecisionRow(boot=self.boot, at=self.now, kind=kind, body=text))

    def send(self, number: int, command: Command) -> None:
        """Send a command and write that it is sent."""
        self.decide("command", {"number": number, "command": type(command).__name__})
        self.sends.append(Send(number, command))

    def tell(self, topic: str, payload: Payload) -> None:
        """Publish a message that is not retained."""
        self.messages.append((topic, payload))
