"""What people read of the machine beside the board's own faults: conditions, commands, refusals. Pure."""

from dataclasses import dataclass
from typing import Final

from controller.broker_words import BROKER_WORDS
from controller.camera_words import CAMERA_WORDS, DRIFT_WORDS
from controller.machine_advice import AGAIN, CALL, CALL_NOW, HOME, UNSTOP, Steps
from firmware_bridge import messages as m
from firmware_bridge.link import LostReason
from firmware_bridge.states import FailCause, RejectReason, State

LINK_CODE: Final = "LNK-00"
WRONG_BOARD_CODE: Final = "LNK-10"
NOISE_CODE: Final = "LNK-11"
HELD_CODE: Final = "LNK-12"
VERSION_CODE: Final = "FW-00"
COMMAND_CODE: Final = "CMD-00"
STOP_CODE: Final = "STP-00"
POSITION_CODE: Final = "POS-00"
DICE_CODE: Final = "DIC-00"
DICE_WRONG_CODE: Final = "DIC-10"
UNPROVEN_CODE: Final = "DIC-11"
LOCK_CODE: Final = "LCK-00"
MAINTENANCE_CODE: Final = "MNT-00"
TOPUP_CODE: Final = "TOP-00"
HALTED_CODE: Final = "CYC-00"
UNRECORDED_CODE: Final = "JRN-00"
RECORD_CUT_CODE: Final = "JRN-01"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition in words; `{0}` is filled with the particulars."""

    zh: str
    en: str
    steps: Steps


LOST_ZH: Final[dict[str, str]] = {
    LostReason.NO_ANSWER.value: "控制板没有回答",
    LostReason.SILENCE.value: "一直收不到数据",
    LostReason.STALLED.value: "发出的数据没有确认",
    LostReason.RESTARTED.value: "控制板重新启动了",
    LostReason.ENDED.value: "控制板断开了连接",
}
"""Why a link was lost, in Chinese; what an operating system says of a port is told as it is."""

_BY_HAND: Final[Steps] = (
    ("这次的点数不算，用手掷骰子", "these values do not count: roll dice by hand"),
    ("在屏幕上选掷出的点数，接着打牌", "choose what they show on the display and play on"),
)

CONDITIONS: Final[dict[str, Condition]] = {
    LINK_CODE: Condition(
        "与控制板的连接中断：{0}",
        "link to the board lost: {0}",
        (
            ("牌局没有丢，可以接着打", "the hand is not lost; you can play on"),
            ("看麻将桌有没有电", "see that the table has power"),
            ("把数据线两头都插紧", "push the data cable in at both ends"),
            ("接通后会自动恢复；不行就换一根线", "it recovers by itself; if it does not, use another cable"),
        ),
    ),
    WRONG_BOARD_CODE: Condition(
        "接到了另一张桌子的控制板：{0}",
        "the board of another table is connected: {0}",
        (
            (
                "看线是不是插到了别的桌子上，换回来",
                "see whether cables of two tables were swapped; swap them back",
            ),
            (
                "要是换过控制板，请师傅改设置里的 uid",
                "if the board was replaced, have the technician change uid in the settings",
            ),
        ),
    ),
    NOISE_CODE: Condition(
        "线上有信号，但不是控制板：{0}",
        "something else than a board talks on the line: {0}",
        (
            ("看线是不是插对了口", "see that the cable is in the right socket"),
            ("请师傅核对波特率", "have the technician check the baud rate"),
        ),
    ),
    HELD_CODE: Condition(
        "控制板的端口被别的程序占用：{0}",
        "another program holds the board's port: {0}",
        (
            ("牌局没有丢，可以接着打", "the hand is not lost; you can play on"),
            (
                "请师傅关掉那个程序，关掉后会自动恢复",
                "have the technician end that program; it recovers by itself",
            ),
        ),
    ),
    VERSION_CODE: Condition("{0}", "{0}", (CALL_NOW,)),
    STOP_CODE: Condition(
        "机器已保护停机",
        "the machine is in a protective stop",
        (
            ("看清没有手、没有东西夹在机器里", "make sure that no hand and nothing else is caught"),
            UNSTOP,
            CALL,
        ),
    ),
    POSITION_CODE: Condition(
        "{0}",
        "{0}",
        (
            (
                "手和东西都离开中心口和牌口",
                "take hands and things away from the centre and the wall openings",
            ),
            (
                "按升降键，机器慢慢回到原位，再接着来",
                "press the lift key: the machine finds its rest position",
            ),
            CALL,
        ),
    ),
    DICE_CODE: Condition(
        "骰子点数没有收到",
        "the values of the dice are not known",
        (
            ("牌墙已升好", "the walls are up"),
            ("按骰子键（或升降键）掷骰子", "press the dice key (or the lift key) to roll"),
        ),
    ),
    DICE_WRONG_CODE: Condition(
        "电子骰子核对不符：{0}",
        "the virtual dice do not match their proof: {0}",
        (*_BY_HAND, CALL_NOW),
    ),
    UNPROVEN_CODE: Condition(
        "电子骰子无法核对：{0}",
        "the virtual dice cannot be checked: {0}",
        (
            *_BY_HAND,
            ("总是这样就请师傅来", "if it happens again and again, call the technician"),
        ),
    ),
    LOCK_CODE: Condition(
        "本桌已锁定，不开新局",
        "this table is locked: no new hand",
        (
            ("正在打的这一局可以打完", "the hand that is played can be finished"),
            ("请到前台解锁，再按升降键", "ask the desk to unlock it, then press the lift key"),
        ),
    ),
    MAINTENANCE_CODE: Condition(
        "师傅正在检修，按键无效",
        "a technician is at work; keys do nothing",
        (("等师傅做完", "wait until he has finished"),),
    ),
    TOPUP_CODE: Condition(
        "洗牌暂停，等补牌",
        "the shuffle is paused for more tiles",
        (
            ("把漏掉的牌推进中心口", "push the tiles that were left out into the centre"),
            ("手拿开，按一下升降键接着洗", "hands away, press one lift key: the shuffle goes on"),
        ),
    ),
    HALTED_CODE: Condition(
        "洗牌中断，牌在机内",
        "the shuffle was interrupted; the tiles are inside",
        (("按升降键，接着洗牌", "press the lift key; the shuffle goes on"),),
    ),
    UNRECORDED_CODE: Condition(
        "牌局没有记录：{0}",
        "play is not recorded: {0}",
        (
            (
                "这一局可以打完；能写记录之前别开下一局",
                "finish this hand; do not deal the next one until it can be recorded",
            ),
            (
                "请师傅清理磁盘；好了会自动补记、结算",
                "have the technician free the disk; it then catches up by itself",
            ),
        ),
    ),
    RECORD_CUT_CODE: Condition(
        "记录有缺损：{0}",
        "the record is damaged: {0}",
        (
            (
                "核对庄家和各家的分数，下一局结算前会问",
                "check dealer and points: you are asked before the next settlement",
            ),
            CALL,
        ),
    ),
    **{
        code: Condition(zh, en, steps)
        for code, zh, en, steps in (*CAMERA_WORDS.values(), DRIFT_WORDS, *BROKER_WORDS)
    },
}

UNCLEAR_WORDS: Final[dict[State, tuple[str, str]]] = {
    State.HATCH_UNKNOWN: ("中心升降位置不明", "the hatch is half way"),
    State.WALLS_UNKNOWN: ("升牌位置不明", "the wall carriers are half way"),
    State.LOWER_UNKNOWN: ("机内牌数不明", "how many tiles are inside is not known"),
}

COMMAND_WORDS: Final[dict[type[m.Command], tuple[str, str]]] = {
    m.OpenHatch: ("打开中心", "opening the centre"),
    m.CloseHatch: ("关闭中心", "closing the centre"),
    m.StartCycle: ("洗牌", "shuffling"),
    m.RaiseWalls: ("升牌", "raising the walls"),
    m.LowerWalls: ("降下承牌板", "lowering the carriers"),
    m.RollDice: ("掷骰子", "rolling the dice"),
    m.DiceCommit: ("准备掷骰子", "preparing the dice"),
    m.DiceReveal: ("核对骰子", "checking the dice"),
    m.Home: ("回到原位", "going to the rest position"),
    m.ClearJam: ("退出卡牌", "freeing the jam"),
    m.ClearStop: ("解除停机", "ending the stop"),
    m.GetStatus: ("查询状态", "asking for the state"),
    m.GetConfig: ("查询设置", "asking for the settings"),
    m.SetConfig: ("设置张数", "setting the number of tiles"),
}
"""Every command the controller gives."""

REFUSALS: Final[dict[RejectReason, tuple[str, str, Steps]]] = {
    RejectReason.WRONG_STATE: ("机器现在不能做这一步", "the machine can not do that now", (AGAIN, CALL)),
    RejectReason.HATCH_NOT_CLOSED: (
        "中心没有关好",
        "the centre is not closed",
        (("拿掉中心口的东西", "take away what is in the centre"), AGAIN, CALL),
    ),
    RejectReason.NOT_STAGED: ("牌还没有码好", "the walls are not built yet", (AGAIN, CALL)),
    RejectReason.NO_TILES: (
        "机器里没有牌",
        "there are no tiles inside",
        (("把牌都推进中心口", "push all tiles into the centre"), ("再按升降键", "press the lift key again")),
    ),
    RejectReason.STOPPED: (
        "停机的原因还在",
        "the reason of the stop still holds",
        (("先照故障提示处理", "first do what the fault says"), UNSTOP, CALL),
    ),
    RejectReason.LOCKED: ("本桌已锁定", "this table is locked", CONDITIONS[LOCK_CODE].steps),
    RejectReason.BAD_ARGUMENT: (
        "控制板不接受这个设置",
        "the board does not accept that setting",
        (CALL_NOW,),
    ),
    RejectReason.UNSUPPORTED: ("控制板不会这一步", "the board can not do that", (CALL_NOW,)),
    RejectReason.BUSY: ("机器还在动", "the machine still moves", (("等一等", "wait a moment"), AGAIN)),
    RejectReason.NEEDS_LOCAL_KEY: (
        "要有人在桌边按键",
        "somebody at the table must press a key",
        (("到桌边按升降键", "press the lift key at the table"),),
    ),
    RejectReason.NOT_HOMED: ("机器不知道自己的位置", "the machine does not know its position", (HOME, CALL)),
    RejectReason.BAD_CONFIG: ("张数设置不对", "the number of tiles is not set right", (AGAIN, CALL_NOW)),
    RejectReason.COVER_OPEN: (
        "机盖没有盖好",
        "the cover is open",
        (("盖好机盖，再按升降键", "close the cover, then press the lift key"),),
    ),
}

CAUSES: Final[dict[FailCause, tuple[str, str]]] = {
    FailCause.FAULT: ("出了故障", "a fault came up"),
    FailCause.STOPPED: ("中途停机", "it was stopped half way"),
    FailCause.HOST_LOST: ("中途断线", "the link was lost half way"),
    FailCause.NO_ANSWER: ("没有等到结果", "no result came in time"),
    FailCause.ABORTED: ("被取消", "it was cancelled"),
}
