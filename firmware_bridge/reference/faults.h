/* The faults (PROTOCOL.md, section 13). */
#ifndef LONGZHUO_FAULTS_H
#define LONGZHUO_FAULTS_H

/* clang-format off */
/* FAULT(name, code, severity, Chinese, English) */
#define FAULTS \
    FAULT(PWR_01, 0x0101, 3, "掉电", "mains lost")                                       \
    FAULT(PWR_02, 0x0102, 3, "过热", "too hot")                                          \
    FAULT(PWR_03, 0x0103, 1, "看门狗复位", "watchdog reset")                             \
    FAULT(PWR_04, 0x0104, 3, "过流或短路", "over-current or short circuit")              \
    FAULT(PWR_05, 0x0105, 1, "机盖打开", "cover open")                                   \
    FAULT(CON_01, 0x0201, 1, "按键卡住", "key stuck")                                    \
    FAULT(CON_02, 0x0202, 1, "操作盘断线", "console not connected")                      \
    FAULT(CON_03, 0x0203, 1, "洗牌中途换档", "mode switch turned during a cycle")        \
    FAULT(HAT_01, 0x0301, 3, "中心升降不升", "hatch does not rise")                      \
    FAULT(HAT_02, 0x0302, 3, "中心升降不降", "hatch does not lower")                     \
    FAULT(HAT_03, 0x0303, 3, "夹手", "something is caught in the hatch")                 \
    FAULT(HAT_04, 0x0304, 1, "升降迟缓", "hatch is slow")                                \
    FAULT(DRM_01, 0x0401, 2, "大盘堵转", "drum is blocked")                              \
    FAULT(DRM_02, 0x0402, 1, "大盘有异物", "foreign body in the drum")                   \
    FAULT(RNG_01, 0x0501, 2, "磁圈不同步", "magnet ring out of step")                    \
    FAULT(RNG_02, 0x0502, 1, "吸牌弱", "magnet ring picks up too few tiles")             \
    FAULT(FED_01, 0x0601, 2, "输送槽卡牌", "feed trough is jammed")                      \
    FAULT(HED_01, 0x0701, 2, "机头卡牌", "stacking head is jammed")                      \
    FAULT(HED_02, 0x0702, 2, "机头不计数", "stacking head does not count")               \
    FAULT(HED_03, 0x0703, 1, "光控脏", "counting sensor is dirty")                       \
    FAULT(HED_04, 0x0704, 2, "牌墩不齐", "stack is uneven")                              \
    FAULT(CHN_01, 0x0801, 2, "链条不停", "chain does not find its zero")                 \
    FAULT(CHN_02, 0x0802, 2, "链杆卡住", "chain rod is stuck")                           \
    FAULT(PSH_01, 0x0901, 2, "推牌不到位", "push plate does not reach its end")          \
    FAULT(WAL_01, 0x0A01, 3, "升牌不到位", "walls do not rise")                          \
    FAULT(WAL_02, 0x0A02, 3, "承牌板不落", "carriers do not lower")                      \
    FAULT(WAL_03, 0x0A03, 3, "升降不停", "wall lift does not stop")                      \
    FAULT(WAL_04, 0x0A04, 1, "升牌不平", "wall lift is slow or uneven")                  \
    FAULT(CNT_01, 0x0B01, 2, "缺牌", "tiles are missing")                                \
    FAULT(CNT_02, 0x0B02, 2, "多牌", "too many tiles")                                   \
    FAULT(CNT_03, 0x0B03, 2, "余牌不上", "last tiles do not come up")                    \
    FAULT(CNT_04, 0x0B04, 1, "张数不符", "number of tiles does not fit the mode")        \
    FAULT(CYC_01, 0x0C01, 1, "洗牌慢", "cycle is slow")                                  \
    FAULT(TIL_01, 0x0D01, 1, "立牌或反牌", "tile stands or lies the wrong way")          \
    FAULT(TIL_02, 0x0D02, 1, "掉磁", "tile has lost its magnet")                         \
    FAULT(TIL_03, 0x0D03, 1, "混牌", "tiles of the other set")                           \
    FAULT(DIC_01, 0x0E01, 1, "骰子不转", "dice do not spin")                             \
    FAULT(DIC_02, 0x0E02, 1, "骰子读数失败", "dice cannot be read")                      \
    FAULT(DIC_03, 0x0E03, 1, "骰子偏", "dice are biased")                                \
    FAULT(SEN_01, 0x0F01, 1, "传感器失效, 按时间运行", "sensor failed, running by time") \
    FAULT(CFG_01, 0x1001, 2, "设置无效", "settings are invalid")                         \
    FAULT(LNK_01, 0x1101, 0, "上位机断开", "host has gone")                              \
    FAULT(LNK_02, 0x1102, 1, "通信误码高", "link quality is low")                        \
    FAULT(FW_01, 0x1201, 3, "固件无效", "firmware image is invalid")                     \
    FAULT(EST_01, 0x1301, 3, "急停", "emergency stop is open")
/* clang-format on */

#define FAULT(name, code, severity, zh, en) FAULT_##name = code,
enum fault_code { NO_FAULT = 0, FAULTS };
#undef FAULT

#endif
