"""What people read when the broker does not let the table speak, and what they do about it. Pure."""

from typing import Final

from controller.machine_advice import CALL_NOW, PLAY_ON, Steps

RIVAL_CODE: Final = "NET-00"
"""Another controller speaks for this table."""
REFUSED_CODE: Final = "NET-01"
"""The broker lets nobody hear something that the table says."""

BROKER_WORDS: Final[tuple[tuple[str, str, str, Steps], ...]] = (
    (
        RIVAL_CODE,
        "另一个控制器在用本桌的名字：{0}",
        "another controller speaks for this table: {0}",
        (
            PLAY_ON,
            (
                "两张桌子不能用同一个编号：改一张的 [table] id",
                "two tables with one id: change [table] id of one",
            ),
            CALL_NOW,
        ),
    ),
    (
        REFUSED_CODE,
        "消息服务器不收本桌的消息：{0}",
        "the broker refuses what this table says: {0}",
        (
            PLAY_ON,
            ("这张桌子的权限要补上，见服务器的权限表", "the broker's list of rights lacks this table's"),
            CALL_NOW,
        ),
    ),
)
"""Code, words with their particulars, and steps. Neither keeps the table from playing."""

BROKER_CODES: Final = frozenset(code for code, *_ in BROKER_WORDS)
