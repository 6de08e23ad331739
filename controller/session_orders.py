"""People's orders: each is carried out at once or refused in words, and changes nothing then. Pure."""

from typing import Final

from controller.session_answers import answer_doubt, propose_ruling
from controller.session_inputs import Order, Ordered, PersonAnswer, PersonProposal
from controller.session_notes import Notes
from controller.session_play import Play
from controller.session_replies import Refused, Reply

VERBS: Final[dict[type[Order], str]] = {
    PersonAnswer: "answer",
    PersonProposal: "propose",
}
"""The word for each order, in topics and commands."""


def verb_of(order: Order) -> str:
    """The word for an order."""
    return VERBS[type(order)]


def carried_out(play: Play, ordered: Ordered, notes: Notes) -> Reply:
    """Carry an order out, and say what was done or why not."""
    if ordered.expires is not None and notes.now > ordered.expires:
        return Reply(done=False, zh="命令已经过期", en="the order has expired")
    if not play.recorded:
        return Reply(
            done=False,
            zh="现在写不了记录，命令不能执行",
            en="nothing can be recorded now; no order is carried out",
        )
    try:
        zh, en = obey(play, ordered.order, notes)
    except Refused as refusal:
        return Reply(done=False, zh=refusal.zh, en=refusal.en)
    return Reply(done=True, zh=zh, en=en)


def obey(play: Play, order: Order, notes: Notes) -> tuple[str, str]:
    """Carry an order out; what was done, in Chinese and English.

    Raises:
        Refused: the rules or the state do not allow it; nothing has changed.
    """
    match order:
        case PersonAnswer():
            answer_doubt(play, order, notes)
            return f"第{order.doubt}号疑问已答复", f"doubt {order.doubt} is answered"
        case PersonProposal():
            propose_ruling(play, order, notes)
            return "已提出，等人确认", "it is proposed and waits for a confirmation"
