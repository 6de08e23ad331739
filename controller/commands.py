"""People's orders as JSON, the same over HTTP and MQTT: what may be said, and how it is read.

    {"id": "u1", "verb": "answer", "author": "seat 2", "expires": 1764489600.0,
     "doubt": 7, "action": "choose", "choice": 0, "words": "..."}

An order that can't be read is answered with one line; nothing of it reaches the table.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

import msgspec

from controller.session_inputs import (
    Abandon,
    Adjust,
    Correct,
    Enter,
    Lock,
    Names,
    NextMatch,
    Order,
    Pause,
    PersonAnswer,
    PersonProposal,
    Resume,
    SetUp,
    Start,
    Undo,
    Unlock,
)
from rules.tiles import Seat, parse_tiles

LONGEST_BYTES: Final = 16 * 1024
"""A longer order is not read."""

ID: Final = r"^[A-Za-z0-9._-]{1,64}$"
"""An id becomes the last level of a topic."""

NOBODY: Final = frozenset({"table", "board", "camera", "virtual"})
"""Authors of what no person has said."""

Id = Annotated[str, msgspec.Meta(pattern=ID)]
Author = Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
Said = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Words = Annotated[str, msgspec.Meta(max_length=2000)]
Number = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
Choice = Annotated[int, msgspec.Meta(ge=0, le=9999)]
SeatNumber = Annotated[int, msgspec.Meta(ge=0, le=3)]
Points = Annotated[int, msgspec.Meta(ge=-1_000_000, le=1_000_000)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=12)]
FlagName = Annotated[str, msgspec.Meta(pattern=r"^[a-z_]{1,40}$")]
FlagText = Annotated[str, msgspec.Meta(pattern=r"^[1-9a-zA-Z ]{1,80}$")]
OptionText = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9_]{1,40}$")]
TilesText = Annotated[str, msgspec.Meta(max_length=200)]
At = Annotated[float, msgspec.Meta(ge=0, le=1e11)]
Pin = Annotated[str, msgspec.Meta(max_length=64)]


class BadCommand(ValueError):
    """An order that can't be read: one line in Chinese and English; `id` where that could be read."""

    def __init__(self, zh: str, en: str, name: str | None = None) -> None:
        """Keep the reason."""
        super().__init__(en)
        self.zh = zh
        self.en = en
        self.id = name


class Command(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="verb"):
    """What every order says: its sender's name for it, who orders it, and until when it is worth something.

    `expires` is in seconds since 1970. `pin` is the referee's, where the order needs it
    (`controller/rights.py`); it is sent over HTTP only. `trial`: only say what would become of it.
    """

    author: Author
    id: Id | None = None
    expires: At | None = None
    pin: Pin | None = None
    trial: bool = False

    def __post_init__(self) -> None:
        """An order is a person's."""
        if self.author.strip().casefold() in NOBODY:
            raise ValueError(f"author {self.author!r} is no person")


class AnswerCommand(Command, frozen=True, kw_only=True, tag="answer"):
    """Answer the open doubt number `doubt`: choose candidate `choice` (from 0), confirm, withdraw or deny.

    `words`: the candidate as it was read, without which none is taken, nor another one in its place. What
    stays in the record holds when another author answers the same.
    """

    doubt: Number
    action: Literal["choose", "confirm", "withdraw", "deny"]
    choice: Choice | None = None
    words: Words | None = None

    def order(self) -> Order:
        """The order."""
        return PersonAnswer(self.doubt, self.action, self.author, self.choice, self.words)


class ProposeCommand(Command, frozen=True, kw_only=True, tag="propose"):
    """Propose a ruling about `seat`; somebody has to confirm it."""

    ruling: Literal["false_win", "barred"]
    seat: SeatNumber
    reason: Annotated[str, msgspec.Meta(max_length=200)] = ""
    hand: TilesText = ""

    def order(self) -> Order:
        """The order."""
        return PersonProposal(self.ruling, Seat(self.seat), self.author, self.reason, parse_tiles(self.hand))


class UndoCommand(Command, frozen=True, kw_only=True, tag="undo"):
    """Take the last event of the running hand back."""

    def order(self) -> Order:
        """The order."""
        return Undo(self.author)


class CorrectCommand(Command, frozen=True, kw_only=True, tag="correct"):
    """Replace event `index` (from 0) of a deal by other lines of a record, or by none.

    What was settled is superseded. `answers` are those to the rule set's questions.
    """

    deal: Number
    index: Choice
    events: Annotated[tuple[Said, ...], msgspec.Meta(max_length=400)] = ()
    answers: Annotated[dict[FlagName, Said], msgspec.Meta(max_length=20)] = {}

    def order(self) -> Order:
        """The order."""
        return Correct(self.deal, self.index, self.events, self.author, self.answers)


class AbandonCommand(Command, frozen=True, kw_only=True, tag="abandon"):
    """Give the running hand up: nobody pays, the same dealer deals again."""

    reason: Said

    def order(self) -> Order:
        """The order."""
        return Abandon(self.author, self.reason)


class EnterCommand(Command, frozen=True, kw_only=True, tag="enter"):
    """Say how the running hand ended, where nobody has followed it; drawn without a `winner`.

    `hand` are the winner's tiles without the winning `tile`; a set is such as "peng 555p from 1".
    """

    winner: SeatNumber | None = None
    from_seat: SeatNumber | None = None
    how: Annotated[str, msgspec.Meta(max_length=40)] = ""
    hand: TilesText = ""
    melds: Annotated[tuple[TilesText, ...], msgspec.Meta(max_length=4)] = ()
    tile: Annotated[str, msgspec.Meta(max_length=4)] = ""
    indicator: Annotated[str, msgspec.Meta(max_length=4)] = ""
    flags: Annotated[dict[FlagName, bool | Choice | FlagText], msgspec.Meta(max_length=20)] = {}

    def order(self) -> Order:
        """The order."""
        return Enter(
            winner=None if self.winner is None else Seat(self.winner),
            author=self.author,
            from_seat=None if self.from_seat is None else Seat(self.from_seat),
            how=self.how,
            hand=self.hand,
            melds=self.melds,
            tile=self.tile,
            indicator=self.indicator,
            flags=self.flags,
        )


class AdjustCommand(Command, frozen=True, kw_only=True, tag="adjust"):
    """Move points: the changes of seats 0..3, which sum to zero."""

    payments: tuple[Points, Points, Points, Points]
    reason: Said

    def order(self) -> Order:
        """The order."""
        return Adjust(self.payments, self.reason, self.author)


class PauseCommand(Command, frozen=True, kw_only=True, tag="pause"):
    """Stop the table: what happens there does not count."""

    def order(self) -> Order:
        """The order."""
        return Pause(self.author)


class ResumeCommand(Command, frozen=True, kw_only=True, tag="resume"):
    """Go on after a pause."""

    def order(self) -> Order:
        """The order."""
        return Resume(self.author)


class NextMatchCommand(Command, frozen=True, kw_only=True, tag="next_match"):
    """End the match between two hands; the next hand opens a new one."""

    def order(self) -> Order:
        """The order."""
        return NextMatch(self.author)


class NamesCommand(Command, frozen=True, kw_only=True, tag="names"):
    """Say who sits on seats 0..3."""

    players: tuple[Name, Name, Name, Name]

    def order(self) -> Order:
        """The order."""
        return Names(self.players, self.author)


class SetupCommand(Command, frozen=True, kw_only=True, tag="setup"):
    """Say by what rules the coming match is played, between two matches.

    `rules` is a rule set's name, by default the present one; `options` replace its defaults (`stake` among
    them), `players` are the names of seats 0..3.
    """

    rules: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]{0,40}$")] = ""
    options: Annotated[dict[FlagName, bool | Points | OptionText], msgspec.Meta(max_length=60)] = {}
    players: tuple[Name, Name, Name, Name] | None = None

    def order(self) -> Order:
        """The order."""
        return SetUp(author=self.author, rules=self.rules, options=self.options, players=self.players)


class StartCommand(Command, frozen=True, kw_only=True, tag="start"):
    """Go on to the next hand where the table waits for people, as by its lift key."""

    def order(self) -> Order:
        """The order."""
        return Start(self.author)


class LockCommand(Command, frozen=True, kw_only=True, tag="lock"):
    """Begin no other hand; a running one is played to its end."""

    def order(self) -> Order:
        """The order."""
        return Lock(self.author)


class UnlockCommand(Command, frozen=True, kw_only=True, tag="unlock"):
    """Begin hands again."""

    def order(self) -> Order:
        """The order."""
        return Unlock(self.author)


AnyCommand: TypeAlias = (
    AnswerCommand
    | ProposeCommand
    | UndoCommand
    | CorrectCommand
    | AbandonCommand
    | EnterCommand
    | AdjustCommand
    | PauseCommand
    | ResumeCommand
    | NextMatchCommand
    | NamesCommand
    | SetupCommand
    | StartCommand
    | LockCommand
    | UnlockCommand
)
VERBS: Final = tuple(str(kind.__struct_config__.tag) for kind in get_args(AnyCommand))

_DECODER: Final = msgspec.json.Decoder(AnyCommand)


class Read(msgspec.Struct, frozen=True):
    """An order that has been read."""

    id: str | None
    verb: str
    author: str
    order: Order
    expires: float | None
    pin: str | None = None
    trial: bool = False

    def __repr__(self) -> str:
        return f"Read({self.verb})"


def read(body: bytes, verb: str | None = None) -> Read:
    """Read an order; `verb` is what it was sent as, where that says it.

    Raises:
        BadCommand: it is too long, no JSON, or not an order; one line says what was expected.
    """
    if len(body) > LONGEST_BYTES:
        raise BadCommand(
            f"命令太长：{len(body)}字节，最多{LONGEST_BYTES}",
            f"{len(body)} bytes, expected at most {LONGEST_BYTES}",
        )
    try:
        command = _DECODER.decode(body if verb is None else _called(body, verb))
        order = command.order()
    except (ValueError, RecursionError) as error:
        said = _one_line(str(error)) or type(error).__name__
        raise BadCommand(f"命令看不懂：{said}", f"no order: {said}", _id_of(body)) from error
    if not _printable(order):
        raise BadCommand(
            "命令里有不能显示的字符", "the order holds characters that can't be shown", command.id
        )
    return Read(
        command.id,
        str(command.__struct_config__.tag),
        command.author,
        order,
        command.expires,
        command.pin,
        command.trial,
    )


def _called(body: bytes, verb: str) -> bytes:
    """The order with the verb that it was sent as."""
    fields = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    own = fields.setdefault("verb", msgspec.Raw(msgspec.json.encode(verb)))
    if msgspec.json.decode(own) != verb:
        raise ValueError(f"sent as {verb!r}, but its verb is another")
    return msgspec.json.encode(fields)


def schema() -> dict[str, Any]:
    """JSON Schema of every order."""
    return msgspec.json.schema(AnyCommand)


class _OnlyId(msgspec.Struct):
    id: Id | None = None


def _id_of(body: bytes) -> str | None:
    """The id of an order that can't be read otherwise, so that its sender learns why."""
    try:
        return msgspec.json.decode(body, type=_OnlyId).id
    except (ValueError, RecursionError):
        return None


def _printable(order: Order) -> bool:
    """Whether every text can be shown: no control characters, nothing that turns the line around."""
    texts = [msgspec.to_builtins(order)]
    while texts:
        found = texts.pop()
        if isinstance(found, dict):
            texts += [*found, *found.values()]
        elif isinstance(found, list | tuple):
            texts += found
        elif isinstance(found, str) and not found.isprintable():
            return False
    return True


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:200]}…"
