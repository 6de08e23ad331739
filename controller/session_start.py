"""Going on to the next hand by order, where the table waits for people, as by its lift key. Pure."""

from typing import Final

from controller.machine_motions import can_move
from controller.machine_stages import ON_KEY, Stage
from controller.machine_state import Machine
from controller.session_play import Play
from controller.session_replies import Refused
from firmware_bridge.states import Key

BEGUN: Final[dict[Stage, tuple[str, str]]] = {
    Stage.OPENING: ("升降口打开，请把牌推进去", "the hatch opens: push the tiles in"),
    Stage.SHUFFLING: ("开始洗牌", "the tiles are shuffled"),
    Stage.HOMING: ("机器先回到原位", "the machine goes home first"),
    Stage.CLEARING: ("先清除卡牌", "the jam is cleared first"),
    Stage.RAISING: ("牌墙升起", "the walls rise"),
    Stage.COMMITTING: ("掷骰", "the dice are rolled"),
    Stage.ROLLING: ("掷骰", "the dice are rolled"),
    Stage.PLAYING: ("请掷骰开局", "roll the dice by hand"),
}


def why_not_start(play: Play, machine: Machine) -> Refused | None:
    """Why nothing can be begun now, None where the table waits for people."""
    held = _why_people_hold(play)
    if held is not None:
        return held
    if machine.board is None:
        return Refused("控制板没有连上", "the control board does not answer")
    if (machine.stage, Key.LIFT) not in ON_KEY:
        return Refused("机器正在动，或等控制板回话；请稍候", "the machine is moving or not known yet: wait")
    if not can_move(machine):
        return Refused("机器现在不能动，请看提示", "the machine can't move now: see what it says")
    return None


def _why_people_hold(play: Play) -> Refused | None:
    if play.playing:
        return Refused("这一局还没打完", "a hand is being played")
    if play.paused:
        return Refused("牌桌已暂停，先继续", "the table is paused: resume first")
    if play.locked:
        return Refused("牌桌已锁定，裁判才能解锁", "the table is locked: the referee unlocks it")
    return None


def require_waiting(play: Play, machine: Machine) -> None:
    """Nothing is begun where nothing waits for people.

    Raises:
        Refused: see `why_not_start`.
    """
    why = why_not_start(play, machine)
    if why is not None:
        raise why


def start_words(was: Machine, machine: Machine) -> tuple[str, str]:
    """What has begun.

    Raises:
        Refused: nothing has.
    """
    if machine.stage is was.stage and machine.pending is was.pending:
        raise Refused("机器现在不能动，请看提示", "the machine can't move now: see what it says")
    return BEGUN.get(machine.stage, ("开始了", "begun"))
