/* What the host asks: which command is which, and those that end at once (PROTOCOL.md, sections 6 to 12). */
#include <string.h>

#include "requests.h"

/* When a command is taken although the machine is stopped, or in MAINTENANCE. */
enum { IN_STOP = 1, IN_MAINTENANCE = 2, ALWAYS = IN_STOP | IN_MAINTENANCE, ONLY_IN_MAINTENANCE = 4 | IN_MAINTENANCE };

struct rule {
    uint8_t opcode;
    uint8_t length; /* of the fields */
    uint8_t when;
    uint16_t needs; /* one of these capabilities; 0: none */
    bool (*in_range)(const uint8_t *fields);
    uint8_t (*check)(const struct board *board, const struct request *request); /* 0, or enum reject */
    void (*begin)(struct board *board, const struct request *request);
};

/* ---- what ends at once ---- */

static bool lamps_in_range(const uint8_t *fields)
{
    for (size_t i = 0; i < 6; i++) {
        if (fields[i] > 3) {
            return false;
        }
    }
    return true;
}

static void begin_small(struct board *board, const struct request *request)
{
    const uint32_t now = request->now;
    switch (request->opcode) {
    case CMD_GET_STATUS: report_status(board, now); break;
    case CMD_GET_COUNTERS: report_counters(board, now); break;
    case CMD_GET_LINK: report_link(board, now); break;
    case CMD_GET_CONFIG:
        report_config(board, &board->kept.config, false, now);
        if (board->kept.has_pending) {
            report_config(board, &board->kept.pending, true, now);
        }
        break;
    case CMD_LOCK: board->kept.locked = true; break;
    case CMD_UNLOCK: board->kept.locked = false; break;
    case CMD_LEASE:
        board->leased = true;
        board->lease_ms = get16(request->fields);
        break;
    case CMD_DICE_COMMIT: dice_commit(board, now); break;
    case CMD_DICE_REVEAL: dice_reveal(board, now); break;
    case CMD_STOP: stop_all(board, FAIL_STOPPED, NO_FAULT, now); break;
    case CMD_MAINTENANCE_BEGIN: set_state(board, MAINTENANCE, now); break;
    case CMD_MAINTENANCE_END: leave_maintenance(board, now); break;
    default: break; /* Lamps: a firmware sets its outputs here */
    }
    answer_done(board, request->op_id, now);
}

static bool lease_in_range(const uint8_t *fields)
{
    return get16(fields) >= 250 && get16(fields) <= 3000;
}

static bool is_stopped(const struct board *board)
{
    return state_of(board, SAFETY) == PROTECTIVE_STOP || state_of(board, SAFETY) == STOP_CHAIN_OPEN;
}

static uint8_t check_clear_stop(const struct board *board, const struct request *request)
{
    (void)request;
    if (!is_stopped(board)) {
        return 0;
    }
    if (!board->key_since_stop) {
        return NEEDS_LOCAL_KEY;
    }
    return stop_fault_stands(board) ? STOPPED : 0;
}

static void begin_clear_stop(struct board *board, const struct request *request)
{
    if (is_stopped(board)) {
        set_state(board, stands(board, FAULT_SEN_01) ? DEGRADED : OPERATIONAL, request->now);
    }
    answer_done(board, request->op_id, request->now);
}

/* ---- virtual dice ---- */

static uint8_t check_commit(const struct board *board, const struct request *request)
{
    (void)request;
    return board->next.number == 0 ? 0 : WRONG_STATE;
}

static uint8_t check_entropy(const struct board *board, const struct request *request)
{
    const bool given = (board->entropy_given >> request->fields[0] & 1) != 0;
    return board->next.number != 0 && state_of(board, DICE) == DICE_STILL && !given ? 0 : WRONG_STATE;
}

static void begin_entropy(struct board *board, const struct request *request)
{
    memcpy(board->entropy[request->fields[0]], request->fields + 1, sizeof board->entropy[0]);
    board->entropy_given = (uint8_t)(board->entropy_given | 1u << request->fields[0]);
    answer_done(board, request->op_id, request->now);
}

static uint8_t check_reveal(const struct board *board, const struct request *request)
{
    (void)request;
    return board->last.number != 0 ? 0 : WRONG_STATE;
}

/* ---- maintenance ---- */

static uint8_t check_maintenance(const struct board *board, const struct request *request)
{
    (void)request;
    if (state_of(board, SAFETY) == MAINTENANCE) {
        return 0;
    }
    if (anything_moves(board)) {
        return BUSY;
    }
    return board->service.on ? 0 : NEEDS_LOCAL_KEY;
}

/* ---- which is which ---- */

static bool side_in_range(const uint8_t *fields)
{
    return fields[0] < SIDES;
}

static const struct rule rules[] = {
    {CMD_OPEN_HATCH, 0, 0, 0, NULL, check_open, begin_travel},
    {CMD_CLOSE_HATCH, 0, 0, 0, NULL, check_still, begin_travel},
    {CMD_START_CYCLE, 4, 0, 0, within, check_cycle, start_cycle},
    {CMD_RAISE_WALLS, 0, 0, 0, NULL, check_raise, begin_travel},
    {CMD_LOWER_WALLS, 0, 0, 0, NULL, check_still, begin_travel},
    {CMD_ROLL_DICE, 1, 0, CAN_DICE | CAN_VIRTUAL_DICE | CAN_DICE_SPUN, count_in_range, check_roll, start_roll},
    {CMD_LAMPS, 6, ALWAYS, CAN_LAMPS, lamps_in_range, NULL, begin_small},
    {CMD_GET_STATUS, 0, ALWAYS, 0, NULL, NULL, begin_small},
    {CMD_GET_COUNTERS, 0, ALWAYS, CAN_COUNTERS, NULL, NULL, begin_small},
    {CMD_GET_REPORTS, 4, ALWAYS, CAN_REPLAY, NULL, check_job, begin_job},
    {CMD_GET_FAULTS, 0, ALWAYS, CAN_FAULT_LOG, NULL, check_job, begin_job},
    {CMD_GET_DICTIONARY, 3, ALWAYS, CAN_DICTIONARY, entries_in_range, check_job, begin_job},
    {CMD_SET_CONFIG, 6, IN_MAINTENANCE, CAN_CONFIG, NULL, check_config, begin_config},
    {CMD_GET_CONFIG, 0, ALWAYS, CAN_CONFIG, NULL, NULL, begin_small},
    {CMD_GET_LINK, 0, ALWAYS, 0, NULL, NULL, begin_small},
    {CMD_STOP, 0, ALWAYS, 0, NULL, NULL, begin_small},
    {CMD_CLEAR_STOP, 0, IN_STOP, 0, NULL, check_clear_stop, begin_clear_stop},
    {CMD_PAUSE_CYCLE, 0, 0, 0, NULL, check_pause, begin_pause},
    {CMD_RESUME_CYCLE, 0, 0, 0, NULL, check_resume, begin_resume},
    {CMD_ABORT_CYCLE, 0, 0, 0, NULL, check_abort, begin_abort},
    {CMD_HOME, 0, 0, 0, NULL, check_home, begin_travel},
    {CMD_CLEAR_JAM, 1, 0, 0, side_in_range, check_jam, begin_jam},
    {CMD_DICE_COMMIT, 0, 0, CAN_VIRTUAL_DICE, NULL, check_commit, begin_small},
    {CMD_DICE_ENTROPY, 17, 0, CAN_VIRTUAL_DICE, side_in_range, check_entropy, begin_entropy},
    {CMD_DICE_REVEAL, 0, 0, CAN_VIRTUAL_DICE, NULL, check_reveal, begin_small},
    {CMD_LOCK, 0, IN_MAINTENANCE, CAN_LOCK, NULL, NULL, begin_small},
    {CMD_UNLOCK, 0, IN_MAINTENANCE, CAN_LOCK, NULL, NULL, begin_small},
    {CMD_MAINTENANCE_BEGIN, 0, IN_MAINTENANCE, CAN_MAINTENANCE, NULL, check_maintenance, begin_small},
    {CMD_MAINTENANCE_END, 0, IN_MAINTENANCE, CAN_MAINTENANCE, NULL, NULL, begin_small},
    {CMD_JOG, 4, ONLY_IN_MAINTENANCE, CAN_MAINTENANCE, jog_in_range, check_jog, begin_jog},
    {CMD_SELF_TEST, 1, ONLY_IN_MAINTENANCE, CAN_MAINTENANCE, test_in_range, check_test, begin_test},
    {CMD_LEASE, 2, IN_MAINTENANCE, 0, lease_in_range, NULL, begin_small},
};

static const struct rule *rule_of(uint8_t opcode)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].opcode == opcode) {
            return &rules[i];
        }
    }
    return NULL;
}

static uint8_t refusal(const struct board *board, const struct rule *rule, const struct request *request, size_t length)
{
    if (rule == NULL || (rule->needs != 0 && (board->settings.capabilities & rule->needs) == 0)) {
        return UNSUPPORTED;
    }
    if (length < rule->length || (rule->in_range != NULL && !rule->in_range(request->fields))) {
        return BAD_ARGUMENT;
    }
    const uint8_t safety = state_of(board, SAFETY);
    const bool in_maintenance = safety == MAINTENANCE || safety == SELF_TEST;
    if (is_stopped(board) && (rule->when & IN_STOP) == 0) {
        return STOPPED;
    }
    if (in_maintenance ? (rule->when & IN_MAINTENANCE) == 0 : rule->when == ONLY_IN_MAINTENANCE) {
        return WRONG_STATE;
    }
    return rule->check == NULL ? 0 : rule->check(board, request);
}

void take_command(struct board *board, const uint8_t *message, size_t length, uint32_t now)
{
    if (length < OP_HEADER) {
        return;
    }
    const struct request request = {message[0], get32(message + 1), message + OP_HEADER, now};
    if (op_is_known(board, request.op_id, now)) {
        return;
    }
    const struct rule *rule = rule_of(request.opcode);
    const uint8_t why = refusal(board, rule, &request, length - OP_HEADER);
    op_begins(board, request.op_id, why, now);
    if (why == 0) {
        rule->begin(board, &request);
    }
}
