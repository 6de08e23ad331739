"""What the options of Cixi mahjong (慈溪麻将) and their values mean, in words for people who choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

Words = tuple[str, str]

ABOUT: Final[Mapping[str, Words]] = {
    "value_table": (
        "各牌型值几龙，按哪张表算。",
        "Which table says how many dragons each pattern is worth.",
    ),
    "qifeng": (
        "七风算在大乱之上再加，还是代替大乱的龙数。",
        "Seven honours add to the scattered hand, or count instead of it.",
    ),
    "qifeng_dragon": (
        "七风缺一种风时，龙能不能顶。",
        "What a dragon may stand for where one of the seven honours is missing.",
    ),
    "four_as_two_pairs": (
        "七对里四张相同的牌算两对。",
        "Four equal tiles count as two of the seven pairs.",
    ),
    "paohua_discard": (
        "抛花（摸什么都胡）时，别人打的牌能不能胡。",
        "Whether a hand that waits for every tile may win on a discard.",
    ),
    "paohua_autowin": (
        "抛花自己摸牌就自动算胡。",
        "A hand that waits for every tile wins by itself with its own draw.",
    ),
    "feima_when": (
        "四副落地、手里剩一张龙时，什么打牌算飞马。",
        "Which discard counts as a 飞马, with four sets down and a dragon left.",
    ),
    "feima": (
        "没被拦的飞马，按公式算还是每家固定34。",
        "A 飞马 that is not stopped: by formula, or 34 from each.",
    ),
    "intercept": ("拦住飞马的人收多少。", "What the player is paid who stops a 飞马."),
    "mirror": ("拦杠胡、热炮时给胡牌者加的龙数。", "Dragons added for a robbed kong or a hot discard."),
    "adjacency": (
        "有人刚单吊，别人打出相邻一二张让他胡，一人包三家。",
        "Who gives a single-waiter a tile next to his last discard pays for all three.",
    ),
    "guan_fengxiang": (
        "手里关着风向不打，最后打出被大乱或七风胡，一人包三家。",
        "Who held an honour back and then gave it to a scattered hand pays for all three.",
    ),
    "tianhu": ("庄家起手十四张就是胡，全交。", "The dealer's dealt fourteen are complete: takes all."),
    "dihu": ("闲家胡庄家打的第一张，加龙。", "A win on the dealer's very first discard is a bonus."),
    "shangtang": (
        "连庄（上堂）每一堂加五龙，给谁加。",
        "Five dragons for each deal kept by the dealer, and for whom.",
    ),
    "tongfu": (
        "大牌别人放铳时，三家付一样多。",
        "On a discard, big hands are paid alike by all three.",
    ),
    "pure_suit_jackpot": (
        "没有龙的清一色，全交。",
        "One suit without a dragon takes all.",
    ),
    "quanfeng": (
        "全是风和龙的牌，什么时候算胡。",
        "When a hand of honours and dragons only wins.",
    ),
    "shilianfeng_window": (
        "十连风：起手就数的十张，还是任意连着十张。",
        "Ten honours discarded in a row: the first ten, or any ten.",
    ),
    "shilianfeng_own_claim": (
        "自己吃碰过，还算不算十连风。",
        "Whether own claims end the row of ten honours.",
    ),
    "zhahu": (
        "炸胡罚多少；关闭时错误的胡不作数，也不罚。",
        "The fine for a false win; off: wrong wins are refused and cost nothing.",
    ),
    "kong_counts_as_claim": (
        "点杠也算一摊（同一家最多两摊）。",
        "An exposed kong counts as one of the claims from that opponent.",
    ),
    "pass_win_lock": (
        "放过一次能胡的牌，到自己再摸牌前不能胡。",
        "Who lets a win pass may not win until his next draw.",
    ),
    "reserve": (
        "留在墙里不摸的牌数，有杠就少留一墩。",
        "Tiles that stay in the wall; each kong takes a stack off.",
    ),
    "drawn_dealer": (
        "荒庄后还是这家坐庄，还是下家。",
        "After a drawn hand the dealer stays, or the next one deals.",
    ),
    "next_dealer": ("胡牌后谁坐庄。", "Who deals after a win."),
    "indicator_place": ("翻牌在牌墙的哪里翻。", "Where in the wall the indicator is turned."),
    "cap_at_stack": (
        "付到自己的分为止，不欠账。",
        "Nobody pays more than the points he has.",
    ),
    "stake": ("每一分的倍数：付多少都乘它。", "Every payment is multiplied by it."),
    "start_points": (
        "每人开场的分；0是只记输赢。",
        "Points of each player at the start; 0: only gains and losses.",
    ),
}
"""Option to what it decides, in one line."""

SWITCH: Final[Mapping[object, Words]] = {True: ("是", "yes"), False: ("否", "no")}

MEANINGS: Final[Mapping[str, Mapping[object, Words]]] = {
    "value_table": {"seed": ("本地表", "the local table"), "program": ("软件表", "the program's table")},
    "qifeng": {"stacks": ("叠加", "adds"), "replaces": ("代替", "instead")},
    "qifeng_dragon": {
        "any": ("任意一种", "any honour"),
        "own_face": ("只当本牌", "only itself"),
        "never": ("不能顶", "none"),
    },
    "paohua_discard": {"refuse": ("不能胡", "no win"), "plain_win": ("按平胡算", "a plain win")},
    "feima_when": {"any_discard": ("任何打牌", "any discard"), "after_claim": ("吃碰之后", "after a claim")},
    "feima": {"formula": ("按公式", "by formula"), "flat34": ("每家34", "34 each")},
    "intercept": {"flat100": ("固定100", "100 flat"), "formula": ("按公式", "by formula")},
    "mirror": {0: ("不加", "none"), 5: ("加5龙", "5 dragons")},
    "adjacency": {
        "off": ("不包", "off"),
        "on_becoming_single": ("刚单吊那一圈", "the round he became single"),
        "every_discard": ("每张打牌", "every discard"),
    },
    "shangtang": {
        "any": ("谁胡都加", "for any winner"),
        "dealer_only": ("只给庄家", "for the dealer"),
        "off": ("不加", "off"),
    },
    "quanfeng": {"at_win": ("胡牌时", "at a win"), "after_discard": ("自己打牌后", "after the own discard")},
    "shilianfeng_window": {"first": ("前十张", "the first ten"), "any": ("任意十张", "any ten")},
    "shilianfeng_own_claim": {"allowed": ("算", "still counts"), "kills": ("不算", "ends it")},
    "zhahu": {
        "off": ("关闭", "off"),
        "fixed24": ("每家24", "24 each"),
        "formula": ("按公式", "by formula"),
    },
    "reserve": {34: ("34张", "34 tiles"), 0: ("不留", "none")},
    "drawn_dealer": {"stay": ("庄家不变", "stays"), "pass": ("轮到下家", "passes on")},
    "next_dealer": {
        "rotate": ("庄胡连庄，否则下家", "next seat unless he won"),
        "winner": ("谁胡谁庄", "the winner"),
    },
    "indicator_place": {
        "head_next": ("发牌后的下一墩", "next stack after the deal"),
        "tail_stack": ("牌尾", "tail of the wall"),
    },
}  # fmt: skip
"""Option to its values in words; a yes/no option has those of `SWITCH`."""
