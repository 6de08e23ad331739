/* Messages, states and enumerations (PROTOCOL.md, sections 4 to 7). */
#ifndef LONGZHUO_MESSAGES_H
#define LONGZHUO_MESSAGES_H

enum { PROTOCOL_MAJOR = 1, PROTOCOL_MINOR = 1 };

/* clang-format off */
/* COMMAND(name, opcode, name as it is written in PROTOCOL.md); REPORT likewise */
#define COMMANDS \
    COMMAND(OPEN_HATCH, 0x01, "OpenHatch")                   \
    COMMAND(CLOSE_HATCH, 0x02, "CloseHatch")                 \
    COMMAND(START_CYCLE, 0x03, "StartCycle")                 \
    COMMAND(RAISE_WALLS, 0x04, "RaiseWalls")                 \
    COMMAND(LOWER_WALLS, 0x05, "LowerWalls")                 \
    COMMAND(ROLL_DICE, 0x06, "RollDice")                     \
    COMMAND(LAMPS, 0x07, "Lamps")                            \
    COMMAND(GET_STATUS, 0x08, "GetStatus")                   \
    COMMAND(GET_COUNTERS, 0x09, "GetCounters")               \
    COMMAND(GET_REPORTS, 0x0A, "GetReports")                 \
    COMMAND(GET_FAULTS, 0x0B, "GetFaults")                   \
    COMMAND(GET_DICTIONARY, 0x0C, "GetDictionary")           \
    COMMAND(SET_CONFIG, 0x0D, "SetConfig")                   \
    COMMAND(GET_CONFIG, 0x0E, "GetConfig")                   \
    COMMAND(GET_LINK, 0x0F, "GetLink")                       \
    COMMAND(STOP, 0x10, "Stop")                              \
    COMMAND(CLEAR_STOP, 0x11, "ClearStop")                   \
    COMMAND(PAUSE_CYCLE, 0x12, "PauseCycle")                 \
    COMMAND(RESUME_CYCLE, 0x13, "ResumeCycle")               \
    COMMAND(ABORT_CYCLE, 0x14, "AbortCycle")                 \
    COMMAND(HOME, 0x15, "Home")                              \
    COMMAND(CLEAR_JAM, 0x16, "ClearJam")                     \
    COMMAND(DICE_COMMIT, 0x18, "DiceCommit")                 \
    COMMAND(DICE_ENTROPY, 0x19, "DiceEntropy")               \
    COMMAND(DICE_REVEAL, 0x1A, "DiceReveal")                 \
    COMMAND(LOCK, 0x1C, "Lock")                              \
    COMMAND(UNLOCK, 0x1D, "Unlock")                          \
    COMMAND(MAINTENANCE_BEGIN, 0x20, "MaintenanceBegin")     \
    COMMAND(MAINTENANCE_END, 0x21, "MaintenanceEnd")         \
    COMMAND(JOG, 0x22, "Jog")                                \
    COMMAND(SELF_TEST, 0x23, "SelfTest")                     \
    COMMAND(LEASE, 0x24, "Lease")

#define REPORTS \
    REPORT(BOOTED, 0x80, "Booted")                           \
    REPORT(STATUS, 0x81, "Status")                           \
    REPORT(STATE_CHANGED, 0x82, "StateChanged")              \
    REPORT(TILE_COUNT, 0x83, "TileCount")                    \
    REPORT(CYCLE_DONE, 0x84, "CycleDone")                    \
    REPORT(WALLS_UP, 0x85, "WallsUp")                        \
    REPORT(DICE_ROLLED, 0x86, "DiceRolled")                  \
    REPORT(KEY_PRESSED, 0x87, "KeyPressed")                  \
    REPORT(FAULT, 0x88, "Fault")                             \
    REPORT(FAULT_CLEARED, 0x89, "FaultCleared")              \
    REPORT(COUNTERS, 0x8A, "Counters")                       \
    REPORT(REPORTS_LOST, 0x8B, "ReportsLost")                \
    REPORT(FAULT_RECORD, 0x8C, "FaultRecord")                \
    REPORT(DICTIONARY_ENTRY, 0x8D, "DictionaryEntry")        \
    REPORT(CONFIG, 0x8E, "Config")                           \
    REPORT(CONFIG_APPLIED, 0x8F, "ConfigApplied")            \
    REPORT(SIDE_DONE, 0x91, "SideDone")                      \
    REPORT(KEY_RELEASED, 0x92, "KeyReleased")                \
    REPORT(TRAVEL, 0x93, "Travel")                           \
    REPORT(DICE_COMMITTED, 0x94, "DiceCommitted")            \
    REPORT(DICE_REVEALED, 0x95, "DiceRevealed")              \
    REPORT(SELF_TEST_RESULT, 0x96, "SelfTestResult")         \
    REPORT(LINK_COUNTS, 0x97, "LinkCounts")
/* clang-format on */

#define COMMAND(name, opcode, text) CMD_##name = opcode,
enum command { COMMANDS };
#undef COMMAND

#define REPORT(name, opcode, text) REP_##name = opcode,
enum report { REPORTS };
#undef REPORT

enum answer { ACCEPTED = 0x40, REJECTED = 0x41, DONE = 0x42, FAILED = 0x43 };

enum region { SAFETY, HATCH, WALLS, LOWER, DICE, REGIONS };

enum state {
    BOOTING = 0x00, OPERATIONAL, DEGRADED, PROTECTIVE_STOP, STOP_CHAIN_OPEN, MAINTENANCE, SELF_TEST,
    HATCH_UNKNOWN = 0x10, HATCH_CLOSED, HATCH_OPENING, HATCH_OPEN, HATCH_CLOSING,
    WALLS_UNKNOWN = 0x20, WALLS_DOWN, WALLS_RAISING, WALLS_UP, WALLS_LOWERING,
    LOWER_UNKNOWN = 0x30, EMPTY, LOADED, SORTING, STAGED, SHORT, OVER, JAMMED, TOPUP_PAUSED, CLEARING,
    DICE_STILL = 0x40, DICE_ROLLING
};

enum key { KEY_LIFT = 1, KEY_DICE, KEY_CHI, KEY_PENG, KEY_KONG, KEY_WIN, KEY_CONFIRM, KEY_SERVICE };

enum severity { SEVERITY_INFO, SEVERITY_WARN, SEVERITY_STOP_CYCLE, SEVERITY_PROTECTIVE_STOP };

enum reject {
    WRONG_STATE = 1, HATCH_NOT_CLOSED, NOT_STAGED, NO_TILES, STOPPED, LOCKED, BAD_ARGUMENT, UNSUPPORTED, BUSY,
    NEEDS_LOCAL_KEY, NOT_HOMED, BAD_CONFIG, COVER_OPEN
};

enum fail { FAIL_FAULT = 1, FAIL_STOPPED, FAIL_HOST_LOST, FAIL_NO_ANSWER, FAIL_ABORTED };

enum reset_cause { POWER_ON = 1, RESET_LINE, WATCHDOG, BROWN_OUT, SOFTWARE };

enum profile { SINGLE_PORT = 1, FOUR_PORT, EIGHT_PORT_DEAL };

enum motor {
    MOTOR_HATCH = 1, MOTOR_DRUM, MOTOR_RING, MOTOR_FEED, MOTOR_HEAD, MOTOR_CHAIN, MOTOR_PUSH, MOTOR_WALLS, MOTOR_DICE
};

enum entry { ENTRY_COMMAND = 1, ENTRY_REPORT, ENTRY_FAULT };

enum capability {
    CAN_DICE = 1, CAN_SEAT_KEYS = 2, CAN_LAMPS = 4, CAN_COUNTERS = 8, CAN_VIRTUAL_DICE = 16, CAN_REPLAY = 32,
    CAN_FAULT_LOG = 64, CAN_DICTIONARY = 128, CAN_CONFIG = 256, CAN_MAINTENANCE = 512, CAN_LOCK = 1024,
    CAN_DEALS = 2048, CAN_DICE_SPUN = 4096
};

enum flag { FLAG_LOCKED = 1, FLAG_COVER_OPEN = 2, FLAG_LEASED = 4 };

enum { NO_SIDE = 255, SIDES = 4 };

#endif
