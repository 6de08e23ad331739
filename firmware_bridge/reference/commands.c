/* What the host asks: each op_id is executed once, and every command gets its answers (PROTOCOL.md, sections 6 and 8). */
#include <string.h>

#include "parts.h"

enum { OP_HEADER = 5, JOB_ROOM = LINK_MESSAGE + 2 };

/* When a command is taken although the machine is stopped, or in MAINTENANCE. */
enum { IN_STOP = 1, IN_MAINTENANCE = 2, ALWAYS = IN_STOP | IN_MAINTENANCE, ONLY_IN_MAINTENANCE = 4 | IN_MAINTENANCE };

struct request {
    uint8_t opcode;
    uint32_t op_id;
    const uint8_t *fields;
    uint32_t now;
};

struct rule {
    uint8_t opcode;
    uint8_t length; /* of the fields */
    uint8_t when;
    uint16_t needs; /* one of these capabilities; 0: none */
    bool (*in_range)(const uint8_t *fields);
    uint8_t (*check)(const struct board *board, const struct request *request); /* 0, or enum reject */
    void (*begin)(struct board *board, const struct request *request);
};

/* ---- op_ids and answers ---- */

static struct op *find_op(struct board *board, uint32_t id)
{
    for (size_t i = 0; i < OPS; i++) {
        if (board->ops[i].stage != 0 && board->ops[i].id == id) {
            return &board->ops[i];
        }
    }
    return NULL;
}

static bool was_seen(const struct board *board, uint32_t id)
{
    for (size_t i = 0; i < OP_RANGES; i++) {
        if (board->op_ranges[i].used && board->op_ranges[i].low <= id && id <= board->op_ranges[i].high) {
            return true;
        }
    }
    return false;
}

/* Joins the two ranges that lie closest: an op_id between them counts as seen, and moves nothing. */
static void join_ranges(struct board *board)
{
    size_t best = 0;
    size_t other = 1;
    uint32_t least = 0xFFFFFFFFu;
    for (size_t i = 0; i < OP_RANGES; i++) {
        for (size_t j = 0; j < OP_RANGES; j++) {
            const uint32_t gap = board->op_ranges[j].low - board->op_ranges[i].high;
            if (board->op_ranges[j].low > board->op_ranges[i].high && gap < least) {
                least = gap;
                best = i;
                other = j;
            }
        }
    }
    board->op_ranges[best].high = board->op_ranges[other].high;
    board->op_ranges[other].used = false;
}

static void remember(struct board *board, uint32_t id)
{
    size_t empty = OP_RANGES;
    for (size_t i = 0; i < OP_RANGES; i++) {
        if (!board->op_ranges[i].used) {
            empty = i;
        } else if (board->op_ranges[i].high + 1 == id && id != 0) {
            board->op_ranges[i].high = id;
            return;
        }
    }
    if (empty == OP_RANGES) {
        join_ranges(board);
        remember(board, id);
        return;
    }
    board->op_ranges[empty].used = true;
    board->op_ranges[empty].low = board->op_ranges[empty].high = id;
}

/* The place of the command that ended longest ago. */
static struct op *new_op(struct board *board, uint32_t id)
{
    for (;;) {
        struct op *op = &board->ops[board->op_next];
        board->op_next = (uint8_t)((board->op_next + 1) % OPS);
        if (op->stage != ACCEPTED) {
            memset(op, 0, sizeof *op);
            op->id = id;
            remember(board, id);
            return op;
        }
    }
}

static void send_answer(struct board *board, uint32_t op_id, uint8_t opcode, uint8_t why, uint16_t fault, uint32_t now)
{
    uint8_t message[OP_HEADER + 3];
    message[0] = opcode;
    put32(message + 1, op_id);
    message[5] = why;
    put16(message + 6, fault);
    const size_t fields = opcode == REJECTED ? 1 : opcode == FAILED ? 3 : 0;
    queue_message(board, message, OP_HEADER + fields, now);
}

static void end_op(struct board *board, uint32_t op_id, uint8_t stage, uint8_t why, uint16_t fault, uint32_t now)
{
    struct op *op = find_op(board, op_id);
    if (op != NULL) {
        op->stage = stage;
        op->why = why;
        op->fault = fault;
    }
    send_answer(board, op_id, stage, why, fault, now);
}

void answer_done(struct board *board, uint32_t op_id, uint32_t now)
{
    end_op(board, op_id, DONE, 0, NO_FAULT, now);
}

void answer_failed(struct board *board, uint32_t op_id, enum fail why, uint16_t fault, uint32_t now)
{
    end_op(board, op_id, FAILED, (uint8_t)why, fault, now);
}

static void answer_again(struct board *board, const struct op *op, uint32_t now)
{
    if (op->stage != REJECTED) {
        send_answer(board, op->id, ACCEPTED, 0, NO_FAULT, now);
    }
    if (op->stage != ACCEPTED) {
        send_answer(board, op->id, op->stage, op->why, op->fault, now);
    }
}

static void start_task(struct board *board, enum task_kind kind, const struct request *request)
{
    const struct task task = {true, request->opcode, request->op_id};
    board->tasks[kind] = task;
}

void task_done(struct board *board, enum task_kind kind, uint32_t now)
{
    if (board->tasks[kind].on) {
        board->tasks[kind].on = false;
        answer_done(board, board->tasks[kind].op_id, now);
    }
}

void task_failed(struct board *board, enum task_kind kind, enum fail why, uint16_t fault, uint32_t now)
{
    if (board->tasks[kind].on) {
        board->tasks[kind].on = false;
        answer_failed(board, board->tasks[kind].op_id, why, fault, now);
    }
}

/* ---- hatch and carriers ---- */

static bool below_turns(const struct board *board)
{
    return state_of(board, LOWER) == SORTING || state_of(board, LOWER) == CLEARING;
}

static uint8_t check_open(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) || below_turns(board) ? BUSY : 0;
}

static uint8_t check_still(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) ? BUSY : 0;
}

static uint8_t check_raise(const struct board *board, const struct request *request)
{
    (void)request;
    if (state_of(board, HATCH) != HATCH_CLOSED) {
        return HATCH_NOT_CLOSED;
    }
    if (state_of(board, LOWER) != STAGED && state_of(board, LOWER) != OVER) {
        return NOT_STAGED;
    }
    return upper_moves(board) ? BUSY : 0;
}

static void begin_travel(struct board *board, const struct request *request)
{
    uint8_t hatch = 0;
    uint8_t walls = 0;
    switch (request->opcode) {
    case CMD_OPEN_HATCH: hatch = HATCH_OPEN; break;
    case CMD_CLOSE_HATCH: hatch = HATCH_CLOSED; break;
    case CMD_RAISE_WALLS: walls = WALLS_UP; break;
    case CMD_LOWER_WALLS: walls = WALLS_DOWN; break;
    default: hatch = HATCH_CLOSED; walls = WALLS_DOWN; break;
    }
    start_task(board, TASK_UPPER, request);
    travel_to(board, hatch, walls, FOR_COMMAND, true, request->now);
}

/* ---- the cycle ---- */

static bool is_set(unsigned tiles)
{
    static const uint8_t sets[] = {108, 112, 120, 124, 136, 144, 152};
    for (size_t i = 0; i < sizeof sets; i++) {
        if (sets[i] == tiles) {
            return true;
        }
    }
    return false;
}

static unsigned twice(const uint8_t *stacks)
{
    return 2u * stacks[0] + 2u * stacks[1] + 2u * stacks[2] + 2u * stacks[3];
}

static bool within(const uint8_t *stacks)
{
    return stacks[0] <= 20 && stacks[1] <= 20 && stacks[2] <= 20 && stacks[3] <= 20;
}

static uint8_t check_cycle(const struct board *board, const struct request *request)
{
    const uint8_t lower = state_of(board, LOWER);
    const unsigned tiles = twice(request->fields);
    if (tiles != 0 && !is_set(tiles)) {
        return BAD_ARGUMENT;
    }
    if (upper_moves(board) || below_turns(board) || board->cycle) {
        return BUSY;
    }
    if (board->kept.locked) {
        return LOCKED;
    }
    if (board->cover_open) {
        return COVER_OPEN;
    }
    if (stands(board, FAULT_CFG_01)) {
        return BAD_CONFIG;
    }
    if (lower == EMPTY || (lower != STAGED && lower != JAMMED && tiles_inside(board) == 0)) {
        return NO_TILES;
    }
    return lower == LOADED || lower == SHORT || lower == OVER || lower == LOWER_UNKNOWN ? 0 : WRONG_STATE;
}

static void start_cycle(struct board *board, const struct request *request)
{
    start_task(board, TASK_CYCLE, request);
    begin_cycle(board, request->fields, true, request->now);
}

static uint8_t check_pause(const struct board *board, const struct request *request)
{
    (void)request;
    if (upper_moves(board)) {
        return BUSY;
    }
    return state_of(board, LOWER) == SORTING || state_of(board, LOWER) == TOPUP_PAUSED ? 0 : WRONG_STATE;
}

static uint8_t check_resume(const struct board *board, const struct request *request)
{
    if (board->cover_open) {
        return COVER_OPEN;
    }
    return both_lifts_down(board) ? BUSY : check_pause(board, request);
}

static void begin_pause(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    pause_cycle(board, true, request->now);
}

static void begin_resume(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    resume_cycle(board, true, request->now);
}

static uint8_t check_abort(const struct board *board, const struct request *request)
{
    (void)request;
    if (board->tasks[TASK_HOLD].on) {
        return BUSY;
    }
    return board->cycle ? 0 : WRONG_STATE;
}

static void begin_abort(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    abort_cycle(board, request->now);
}

static uint8_t check_home(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) || below_turns(board) ? BUSY : 0;
}

static uint8_t check_jam(const struct board *board, const struct request *request)
{
    (void)request;
    if (anything_moves(board)) {
        return BUSY;
    }
    if (board->cover_open) {
        return COVER_OPEN;
    }
    if (state_of(board, LOWER) != JAMMED) {
        return WRONG_STATE;
    }
    return state_of(board, HATCH) == HATCH_CLOSED ? 0 : HATCH_NOT_CLOSED;
}

static void begin_jam(struct board *board, const struct request *request)
{
    start_task(board, TASK_BENCH, request);
    set_state(board, CLEARING, request->now);
    begin_bench(board, request->fields[0], 4000, request->now);
}

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

bool config_fits(const struct board *board, const struct config *config)
{
    const bool deals = (board->settings.capabilities & CAN_DEALS) != 0;
    return is_set(config->tiles) && within(config->stacks) &&
           twice(config->stacks) + 4u * config->dealt == config->tiles && (config->dealt == 0 || deals);
}

static struct config config_of(const uint8_t *fields)
{
    const struct config config = {fields[0], {fields[1], fields[2], fields[3], fields[4]}, fields[5]};
    return config;
}

static uint8_t check_config(const struct board *board, const struct request *request)
{
    const struct config config = config_of(request->fields);
    return config_fits(board, &config) ? 0 : BAD_CONFIG;
}

static void begin_config(struct board *board, const struct request *request)
{
    board->kept.pending = config_of(request->fields);
    board->kept.has_pending = true;
    board_fault_gone(board, FAULT_CFG_01, request->now);
    answer_done(board, request->op_id, request->now);
}

/* ---- dice ---- */

static bool count_in_range(const uint8_t *fields)
{
    return fields[0] >= 1 && fields[0] <= 2;
}

static uint8_t check_roll(const struct board *board, const struct request *request)
{
    const bool has_dice = (board->settings.capabilities & (CAN_DICE | CAN_DICE_SPUN)) != 0;
    (void)request;
    if (state_of(board, DICE) != DICE_STILL) {
        return BUSY;
    }
    return has_dice || board->next.number != 0 ? 0 : WRONG_STATE;
}

static void start_roll(struct board *board, const struct request *request)
{
    start_task(board, TASK_DICE, request);
    begin_roll(board, request->fields[0], request->now);
}

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

static bool jog_in_range(const uint8_t *fields)
{
    const uint16_t ms = get16(fields + 2);
    return fields[0] >= MOTOR_HATCH && fields[0] <= MOTOR_DICE && fields[1] <= 1 && ms >= 1 && ms <= 500;
}

static uint8_t check_jog(const struct board *board, const struct request *request)
{
    const uint8_t motor = request->fields[0];
    const bool turns_below = motor >= MOTOR_DRUM && motor <= MOTOR_PUSH;
    if (anything_moves(board)) {
        return BUSY;
    }
    return turns_below && state_of(board, HATCH) != HATCH_CLOSED ? HATCH_NOT_CLOSED : 0;
}

static void begin_jog(struct board *board, const struct request *request)
{
    const uint8_t motor = request->fields[0];
    start_task(board, TASK_BENCH, request);
    if (motor == MOTOR_HATCH) {
        set_state(board, HATCH_UNKNOWN, request->now);
    } else if (motor == MOTOR_WALLS) {
        set_state(board, WALLS_UNKNOWN, request->now);
    }
    begin_bench(board, motor, get16(request->fields + 2), request->now);
}

static bool test_in_range(const uint8_t *fields)
{
    return fields[0] >= 1 && fields[0] <= 15;
}

static uint8_t check_test(const struct board *board, const struct request *request)
{
    (void)request;
    return anything_moves(board) ? BUSY : 0;
}

static void begin_test(struct board *board, const struct request *request)
{
    start_task(board, TASK_BENCH, request);
    set_state(board, SELF_TEST, request->now);
    begin_bench(board, request->fields[0], 2000, request->now);
}

/* ---- Get... commands whose reports go out piece by piece ---- */

static bool entries_in_range(const uint8_t *fields)
{
    return fields[2] >= 1 && fields[2] <= 8;
}

static uint8_t check_job(const struct board *board, const struct request *request)
{
    (void)request;
    return board->jobs[JOBS - 1].opcode == 0 ? 0 : BUSY;
}

static void begin_job(struct board *board, const struct request *request)
{
    struct job job = {request->op_id, request->opcode, 0, 0};
    if (request->opcode == CMD_GET_REPORTS) {
        job.next = get32(request->fields);
        job.end = board->number + 1;
        if (job.next <= board->dropped) {
            uint8_t fields[4];
            put32(fields, oldest_kept(board));
            report_live(board, REP_REPORTS_LOST, fields, sizeof fields, request->now);
        }
    } else if (request->opcode == CMD_GET_DICTIONARY) {
        job.next = get16(request->fields);
        job.end = job.next + request->fields[2];
        job.end = job.end < dictionary_entries() ? job.end : dictionary_entries();
    } else {
        job.end = FAULT_RECORDS;
    }
    for (size_t i = 0; i < JOBS; i++) {
        if (board->jobs[i].opcode == 0) {
            board->jobs[i] = job;
            return;
        }
    }
}

static void work_on(struct board *board, struct job *job, uint32_t now)
{
    if (job->opcode == CMD_GET_REPORTS) {
        job->next = queue_kept(board, job->next, job->end, now);
    } else if (job->opcode == CMD_GET_DICTIONARY) {
        report_entry(board, (uint16_t)job->next++, now);
    } else {
        const uint32_t place = (board->kept.log_next + job->next++) % FAULT_RECORDS;
        if (board->kept.log[place].code != NO_FAULT) {
            report_fault_record(board, &board->kept.log[place], now);
        }
    }
}

/* Their reports went to a session that is over. */
void fail_jobs(struct board *board, uint32_t now)
{
    for (size_t i = 0; i < JOBS; i++) {
        if (board->jobs[i].opcode != 0) {
            board->jobs[i].opcode = 0;
            answer_failed(board, board->jobs[i].op_id, FAIL_HOST_LOST, NO_FAULT, now);
        }
    }
}

void work_on_jobs(struct board *board, uint32_t now)
{
    struct job *job = &board->jobs[0];
    while (job->opcode != 0 && queue_room(board) >= 2 * JOB_ROOM) {
        if (job->next < job->end) {
            work_on(board, job, now);
            continue;
        }
        answer_done(board, job->op_id, now);
        memmove(job, job + 1, (JOBS - 1) * sizeof *job);
        board->jobs[JOBS - 1].opcode = 0;
    }
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
    struct op *op = find_op(board, request.op_id);
    if (op != NULL) {
        answer_again(board, op, now);
        return;
    }
    if (was_seen(board, request.op_id)) {
        /* Its answers are forgotten; that it was taken is not. */
        send_answer(board, request.op_id, ACCEPTED, 0, NO_FAULT, now);
        send_answer(board, request.op_id, FAILED, FAIL_NO_ANSWER, NO_FAULT, now);
        return;
    }
    const struct rule *rule = rule_of(request.opcode);
    const uint8_t why = refusal(board, rule, &request, length - OP_HEADER);
    op = new_op(board, request.op_id);
    op->stage = why == 0 ? ACCEPTED : REJECTED;
    op->why = why;
    send_answer(board, request.op_id, op->stage, why, NO_FAULT, now);
    if (why == 0) {
        rule->begin(board, &request);
    }
}
