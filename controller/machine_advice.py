"""What a shopkeeper does about each fault, step by step: Chinese and English, one row per code. Pure."""

from typing import Final

from firmware_bridge.faults import FaultCode

Step = tuple[str, str]
Steps = tuple[Step, ...]
"""Steps in order, each in Chinese and English."""

CALL: Final[Step] = ("还不行就请师傅来", "if that does not help, call the technician")
CALL_NOW: Final[Step] = ("请师傅来看，把故障码告诉他", "call the technician and tell the fault code")
PLAY_ON: Final[Step] = ("可以接着打牌", "you can play on")
UNSTOP: Final[Step] = (
    "都没问题了，按一次升降键，解除停机",
    "when all is clear, press the lift key once to end the stop",
)
HOME: Final[Step] = (
    "手拿开，再按一次升降键，机器回到原位",
    "hands away, press the lift key again: it goes back to its rest position",
)
FREE: Final[Step] = (
    "盖好机盖，按升降键，机器自动退牌后接着洗牌",
    "close the cover and press the lift key: the machine frees the tile and goes on shuffling",
)
POWER_OFF: Final[Step] = ("关掉电源，拔下插头", "switch the table off and pull the plug")
AGAIN: Final[Step] = (
    "按升降键再试一次",
    "press the lift key to try again",
)

ADVICE: Final[dict[FaultCode, Steps]] = {
    FaultCode.PWR_01: (
        ("查看插头、插座和漏电开关", "check the plug, the socket and the breaker"),
        ("来电后手离开桌面，按升降键", "when power is back, hands off the table and press the lift key"),
        CALL,
    ),
    FaultCode.PWR_02: (
        ("不要关电源，等二十分钟让机器冷却", "leave the power on and let the machine cool for 20 minutes"),
        ("看看桌底出风口有没有堵住", "see that nothing blocks the openings under the table"),
        UNSTOP,
        CALL,
    ),
    FaultCode.PWR_03: (
        ("机器自己重启过，牌局没有丢", "the machine has restarted by itself; the hand is not lost"),
        ("按升降键接着来", "press the lift key to go on"),
        ("一天出现几次就请师傅来", "if it happens several times a day, call the technician"),
    ),
    FaultCode.PWR_04: (POWER_OFF, ("不要再开机", "do not switch it on again"), CALL_NOW),
    FaultCode.PWR_05: (
        ("盖好机盖，听到咔的一声", "close the cover until it clicks"),
        ("按升降键接着来", "press the lift key to go on"),
    ),
    FaultCode.CON_01: (
        ("看看哪个键按下去没弹起来，轻轻拨起", "find the key that is stuck down and free it gently"),
        ("擦干键上的茶水", "wipe off any tea"),
        CALL,
    ),
    FaultCode.CON_02: (
        ("关电源，等十秒再打开", "switch the table off, wait 10 s, switch it on"),
        ("看看操作盘的线有没有松", "see that the console's cable is not loose"),
        CALL,
    ),
    FaultCode.CON_03: (
        ("这一轮照原来的张数洗完", "this cycle ends with the number of tiles it began with"),
        ("要是拨错了，把档位拨回去", "if it was turned by mistake, turn the switch back"),
    ),
    FaultCode.HAT_01: (
        ("看中心口有没有牌卡住，有就拿掉", "look for a tile stuck in the centre and take it out"),
        UNSTOP,
        HOME,
        CALL,
    ),
    FaultCode.HAT_02: (
        (
            "看中心盖下面有没有牌或杂物，有就拿掉",
            "look under the centre for tiles or other things and take them out",
        ),
        UNSTOP,
        HOME,
        CALL,
    ),
    FaultCode.HAT_03: (
        ("先看手有没有夹着，慢慢抽出来", "make sure no hand is caught; draw it out slowly"),
        ("拿掉卡在中心口的东西", "take out what is caught in the centre"),
        UNSTOP,
        HOME,
    ),
    FaultCode.HAT_04: (PLAY_ON, ("有空请师傅给升降机构加油", "have the hatch lift oiled when there is time")),
    FaultCode.DRM_01: (
        ("关电源，掀开桌面，看大盘里有没有异物", "switch off, open the table, look for things in the drum"),
        ("拿掉异物，合上桌面，开电源", "take them out, close the table, switch on"),
        FREE,
        CALL,
    ),
    FaultCode.DRM_02: (
        ("这一局可以接着打", "this hand can go on"),
        (
            "打完掀开桌面，把大盘里的杂物清出来",
            "after the hand open the table and clear the drum of foreign things",
        ),
    ),
    FaultCode.RNG_01: (AGAIN, CALL_NOW),
    FaultCode.RNG_02: (
        PLAY_ON,
        ("有空擦磁圈和牌，去掉油污", "clean ring and tiles of grease when there is time"),
    ),
    FaultCode.FED_01: (
        ("看这一边的输送槽，有没有牌横着卡住", "look for a tile lying across in the trough of that side"),
        FREE,
        ("还卡就关电源，掀开桌面，把牌取出来", "if it sticks, switch off, open the table, take the tile out"),
        CALL,
    ),
    FaultCode.HED_01: (
        FREE,
        (
            "还卡就关电源，掀开桌面，取出机头里的牌",
            "if it sticks, switch off, open the table, clear the head",
        ),
        CALL,
    ),
    FaultCode.HED_02: (
        (
            "看机头旁的小灯眼有没有灰，用棉签擦干净",
            "wipe the small light eye beside the head with a cotton bud",
        ),
        FREE,
        CALL,
    ),
    FaultCode.HED_03: (
        PLAY_ON,
        ("收台时用棉签擦机头旁的小灯眼", "at closing time wipe the light eye beside the head"),
    ),
    FaultCode.HED_04: (
        FREE,
        ("看看是不是混进了大小不一样的牌", "look for a tile of another size among yours"),
        CALL,
    ),
    FaultCode.CHN_01: (AGAIN, CALL_NOW),
    FaultCode.CHN_02: (
        ("看这一边的链条，有没有牌卡在链杆下", "look for a tile under the chain rod of that side"),
        FREE,
        CALL,
    ),
    FaultCode.PSH_01: (
        (
            "看推牌板前面有没有牌歪着，扶正或取出",
            "look for a crooked tile before the push plate; take it out",
        ),
        FREE,
        CALL,
    ),
    FaultCode.WAL_01: (
        ("桌面牌口上的东西都拿开", "take everything off the openings of the walls"),
        ("看看有没有牌歪着顶住了", "see that no crooked tile holds them"),
        UNSTOP,
        HOME,
        CALL,
    ),
    FaultCode.WAL_02: (
        ("看承牌板边上有没有牌卡住，拿掉", "take out tiles that are stuck beside the carriers"),
        UNSTOP,
        HOME,
        CALL,
    ),
    FaultCode.WAL_03: (POWER_OFF, ("手不要伸进牌口", "keep hands out of the wall openings"), CALL_NOW),
    FaultCode.WAL_04: (PLAY_ON, ("有空请师傅给升牌机构加油", "have the wall lift oiled when there is time")),
    FaultCode.CNT_01: (
        ("在地上、抽屉、衣袖里找缺的牌", "look for the missing tiles: floor, drawers, sleeves"),
        ("按升降键，中心升起，把牌推进去", "press the lift key; the centre opens; push the tiles in"),
        ("再按升降键，接着洗牌", "press the lift key again; the shuffle goes on"),
    ),
    FaultCode.CNT_02: (
        ("按升降键，中心升起，取出多的牌", "press the lift key; the centre opens; take the extra tiles out"),
        ("再按升降键，接着洗牌", "press the lift key again; the cycle goes on"),
        (
            "找不到多的牌：按骰子键照样升牌，但请数牌",
            "none found: the dice key raises the walls all the same; count the tiles then",
        ),
    ),
    FaultCode.CNT_03: (
        ("按升降键打开中心，看剩下的牌", "press the lift key to open the centre and look at the tiles left"),
        ("有掉磁或粘住的牌就换掉、擦净", "replace or clean tiles that stick or have lost their magnet"),
        ("推进去，再按升降键接着洗", "push them in and press the lift key again"),
    ),
    FaultCode.CNT_04: (
        ("数一数桌上的牌", "count the tiles on the table"),
        ("张数不对就把牌推进去重洗", "if the number is wrong, push them in and shuffle again"),
    ),
    FaultCode.CYC_01: (
        ("再等一会儿", "wait a little longer"),
        (
            "总是这么慢，就擦牌、清大盘，再请师傅看",
            "if it is always slow, clean tiles and drum, then call the technician",
        ),
    ),
    FaultCode.TIL_01: (
        ("机器会自己再来一遍，等一等", "the machine sends it round again; wait"),
        ("推牌时牌尽量放平", "push tiles in lying flat"),
    ),
    FaultCode.TIL_02: (
        (
            "等机器停下，按提示打开中心取出那张牌",
            "wait; when told so, open the centre and take that tile out",
        ),
        ("换一张备用牌", "use a spare tile for it"),
    ),
    FaultCode.TIL_03: (
        ("机器里混进了另一副的牌", "a tile of the other set is inside"),
        ("打完这一局，挑出背面颜色不同的牌", "after this hand take out the tiles with another back colour"),
    ),
    FaultCode.DIC_01: (
        ("轻拍骰子罩，看骰子有没有卡住", "tap the dice cover; see whether a die is stuck"),
        ("按骰子键再掷一次", "press the dice key to roll again"),
        ("三次不成就用手掷骰子，开始打牌", "after three tries roll by hand and begin to play"),
    ),
    FaultCode.DIC_02: (
        ("擦干净骰子罩", "clean the dice cover"),
        ("按骰子键再掷一次", "press the dice key to roll again"),
        ("三次不成就用手掷骰子，开始打牌", "after three tries roll by hand and begin to play"),
    ),
    FaultCode.DIC_03: (PLAY_ON, ("有空请师傅换骰子", "have the dice replaced when there is time")),
    FaultCode.SEN_01: (
        ("可以接着打，机器按时间运行，会慢一些", "you can play on; the machine runs by time and is slower"),
        ("请师傅尽快来换传感器", "have the technician replace the sensor soon"),
    ),
    FaultCode.CFG_01: (
        ("等几秒，控制器会重新设置", "wait some seconds; the controller sets it again"),
        AGAIN,
        CALL,
    ),
    FaultCode.LNK_01: (("等几秒，会自动连上", "wait some seconds; it connects again by itself"),),
    FaultCode.LNK_02: (
        PLAY_ON,
        ("插紧控制器和机器之间的线", "push the cable between controller and machine in firmly"),
        (
            "线旁边不要放充电器、对讲机；还不行换一根线",
            "keep chargers and radios away from it; else use another cable",
        ),
    ),
    FaultCode.FW_01: (("关电源，等十秒再打开", "switch the table off, wait 10 s, switch it on"), CALL_NOW),
    FaultCode.EST_01: (
        ("看清没有人受伤、没有东西夹着", "make sure nobody is hurt and nothing is caught"),
        ("把急停按钮顺时针旋起来", "turn the red emergency stop clockwise until it pops up"),
        UNSTOP,
    ),
}
"""Every code of the fault table but NONE."""

UNKNOWN_ADVICE: Final[Steps] = (CALL_NOW,)
"""For a code that only a newer board knows."""
