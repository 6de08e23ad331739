"""People's orders: each is carried out at once or refused in words, and changes nothing then. Pure."""

from collections.abc import Callable
from typing import Any, Final

from controller.session_answers import answer_doubt, propose_ruling
from controller.session_correct import correct
from controller.session_enter import enter
from controller.session_inputs import (
    Abandon,
    Adjust,
    Correct,
    Enter,
    Lock,
    Names,
    NextMatch,
    Order,
    Ordered,
    Pause,
    PersonAnswer,
    PersonProposal,
    Resume,
    SetUp,
    Start,
    Undo,
    Unlock,
)
from controller.session_match import abandon, adjust, lock, name_players, pause, start_next_match
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, Reply
from controller.session_revise import undo
from controller.session_setup import set_up

VERBS: Final[dict[type[Order], str]] = {
    PersonAnswer: "answer",
    PersonProposal: "propose",
    Undo: "undo",
    Correct: "correct",
    Abandon: "abandon",
    Enter: "enter",
    Adjust: "adjust",
    Pause: "pause",
    Resume: "resume",
    NextMatch: "next_match",
    Names: "names",
    SetUp: "setup",
    Start: "start",
    Lock: "lock",
    Unlock: "unlock",
}
"""The word for each order, in topics and commands."""


def verb_of(order: Order) -> str:
    """The word for an order."""
    return VERBS[type(order)]


CarryOut = Callable[[Order, Notes], tuple[str, str]]


def carried_out(carry_out: CarryOut, ordered: Ordered, notes: Notes, *, recorded: bool) -> Reply:
    """Have an order carried out, and say what was done or why not; `recorded`: the journal takes it."""
    if ordered.expires is not None and notes.now > ordered.expires:
        return Reply(done=False, zh="命令已经过期", en="the order has expired")
    if not recorded:
        return Reply(
            done=False,
            zh="现在写不了记录，命令不能执行",
            en="nothing can be recorded now; no order is carried out",
        )
    try:
        zh, en = carry_out(ordered.order, notes)
    except Refused as refusal:
        return Reply(done=False, zh=refusal.zh, en=refusal.en)
    return Reply(done=True, zh=zh, en=en)


def obey(play: Play, order: Order, notes: Notes) -> tuple[str, str]:
    """Carry an order out; what was done, in Chinese and English.

    Raises:
        Refused: the rules or the state do not allow it; nothing has changed.
    """
    return _CARRY_OUT[type(order)](play, order, notes)


_CARRY_OUT: Final[dict[type[Order], Callable[[Play, Any, Notes], tuple[str, str]]]] = {
    PersonAnswer: answer_doubt,
    PersonProposal: propose_ruling,
    Undo: undo,
    Correct: correct,
    Abandon: abandon,
    Enter: enter,
    Adjust: adjust,
    Pause: pause,
    Resume: pause,
    NextMatch: start_next_match,
    Names: name_players,
    SetUp: set_up,
    Lock: lock,
    Unlock: lock,
}
