"""What a controller has published, from a recording of its messages: one JSON object a line.

A line has `topic`, `payload` (text) and `retained`. Only what tells of finished deals is looked at: the
settlement of each hand, and the `state/hand` that stood when it was told first. Messages that were lost
shift nothing: what is missing is not compared.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from controller.journal_deals import DealRow
from controller.public import HandState, PublicMeld, Settlement

T = TypeVar("T", bound=msgspec.Struct)

SETTLEMENT_TOPICS = ("state/settlement", "ledger/settlement")
DEAL_TOPIC = "event/deal"
HAND_TOPIC = "state/hand"


class Told(Settlement, frozen=True, kw_only=True):
    """A settlement as it was published; a correction is the next `edition` of the same hand."""

    edition: int = 1


class Message(msgspec.Struct, frozen=True):
    """One recorded message."""

    topic: str
    payload: str
    retained: bool = False
    base64: bool = False


def read_recording(path: Path) -> tuple[Message, ...]:
    """Every message of a recording.

    Raises:
        OSError: it can't be read.
        ValueError: a line is no recorded message.
    """
    decoder = msgspec.json.Decoder(Message)
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise ValueError(f"{path}, line {number}: no recorded message ({error})") from error
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Published:
    """Settlements by topic, and the last state of each hand by the numbers of its match and of itself."""

    settlements: tuple[tuple[str, Told], ...]
    hands: Mapping[tuple[int, int], HandState]

    def told_of(self, deal: DealRow, edition: int = 1) -> Iterator[tuple[str, dict[str, Any]]]:
        """What was told of this deal last, as facts to compare, each with its topic.

        Of a deal that was corrected it is what was told of this `edition`: an earlier one is superseded, and
        the table was shown as it was believed then.
        """
        place = (deal.match_no, deal.hand_no)
        last = {
            topic: told
            for topic, told in self.settlements
            if (told.match_no, told.hand_no) == place and told.edition >= edition
        }
        for topic, told in last.items():
            yield topic, _settlement_facts(told)
        if edition == 1 and place in self.hands:
            yield HAND_TOPIC, _hand_facts(self.hands[place])


def published(messages: Iterable[Message]) -> Published:
    """Sort a recording out; messages of other topics and without a valid payload are left."""
    settlements: list[tuple[str, Told]] = []
    hands: dict[tuple[int, int], HandState] = {}
    last: HandState | None = None
    for message in messages:
        topic = "/".join(message.topic.split("/")[-2:])
        if topic in SETTLEMENT_TOPICS:
            told = _decoded(message, Told)
            settlements += [] if told is None else [(topic, told)]
            if told is not None and last is not None and topic == SETTLEMENT_TOPICS[0]:
                hands.setdefault((told.match_no, told.hand_no), last)
        elif topic == DEAL_TOPIC and not message.retained:
            last = None
        elif topic == HAND_TOPIC:
            state = _decoded(message, HandState)
            last = state if state is not None and state.indicator is not None else last
    return Published(tuple(settlements), hands)


def _decoded(message: Message, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(message.payload, type=kind)
    except msgspec.MsgspecError:
        return None


def _settlement_facts(told: Settlement) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "how": "drawn" if told.drawn else "won",
        "winner": told.winner,
        "from_seat": told.from_seat,
        "hand": tuple(sorted(told.hand)),
        "payments": told.payments,
    }
    return facts if told.drawn else facts | {"wild": told.dragon}


def _hand_facts(state: HandState) -> dict[str, Any]:
    return {
        "indicator": state.indicator,
        "wild": state.dragon,
        "ponds": state.ponds,
        "melds": tuple(tuple(_meld(meld) for meld in melds) for melds in state.melds),
    }


def _meld(meld: PublicMeld) -> tuple[str, tuple[str, ...], int | None]:
    return (meld.kind, meld.tiles, meld.taken_from)
