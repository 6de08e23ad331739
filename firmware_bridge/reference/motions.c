/* Commands that move something: when they begin (PROTOCOL.md, section 8). */
#include "requests.h"

bool below_turns(const struct board *board)
{
    return state_of(board, LOWER) == SORTING || state_of(board, LOWER) == CLEARING;
}

uint8_t check_open(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) || below_turns(board) ? BUSY : 0;
}

uint8_t check_still(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) ? BUSY : 0;
}

uint8_t check_raise(const struct board *board, const struct request *request)
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

void begin_travel(struct board *board, const struct request *request)
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

uint8_t check_cycle(const struct board *board, const struct request *request)
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

void start_cycle(struct board *board, const struct request *request)
{
    start_task(board, TASK_CYCLE, request);
    begin_cycle(board, request->fields, true, request->now);
}

uint8_t check_pause(const struct board *board, const struct request *request)
{
    (void)request;
    if (upper_moves(board)) {
        return BUSY;
    }
    return state_of(board, LOWER) == SORTING || state_of(board, LOWER) == TOPUP_PAUSED ? 0 : WRONG_STATE;
}

uint8_t check_resume(const struct board *board, const struct request *request)
{
    if (board->cover_open) {
        return COVER_OPEN;
    }
    return both_lifts_down(board) ? BUSY : check_pause(board, request);
}

void begin_pause(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    pause_cycle(board, true, request->now);
}

void begin_resume(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    resume_cycle(board, true, request->now);
}

uint8_t check_abort(const struct board *board, const struct request *request)
{
    (void)request;
    if (board->tasks[TASK_HOLD].on) {
        return BUSY;
    }
    return board->cycle ? 0 : WRONG_STATE;
}

void begin_abort(struct board *board, const struct request *request)
{
    start_task(board, TASK_HOLD, request);
    abort_cycle(board, request->now);
}

uint8_t check_home(const struct board *board, const struct request *request)
{
    (void)request;
    return upper_moves(board) || below_turns(board) ? BUSY : 0;
}

uint8_t check_jam(const struct board *board, const struct request *request)
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

void begin_jam(struct board *board, const struct request *request)
{
    start_task(board, TASK_BENCH, request);
    set_state(board, CLEARING, request->now);
    begin_bench(board, request->fields[0], 4000, request->now);
}

/* ---- dice ---- */

bool count_in_range(const uint8_t *fields)
{
    return fields[0] >= 1 && fields[0] <= 2;
}

uint8_t check_roll(const struct board *board, const struct request *request)
{
    const bool has_dice = (board->settings.capabilities & (CAN_DICE | CAN_DICE_SPUN)) != 0;
    (void)request;
    if (state_of(board, DICE) != DICE_STILL) {
        return BUSY;
    }
    return has_dice || board->next.number != 0 ? 0 : WRONG_STATE;
}

void start_roll(struct board *board, const struct request *request)
{
    start_task(board, TASK_DICE, request);
    begin_roll(board, request->fields[0], request->now);
}

/* ---- maintenance ---- */

bool jog_in_range(const uint8_t *fields)
{
    const uint16_t ms = get16(fields + 2);
    return fields[0] >= MOTOR_HATCH && fields[0] <= MOTOR_DICE && fields[1] <= 1 && ms >= 1 && ms <= 500;
}

uint8_t check_jog(const struct board *board, const struct request *request)
{
    const uint8_t motor = request->fields[0];
    const bool turns_below = motor >= MOTOR_DRUM && motor <= MOTOR_PUSH;
    if (anything_moves(board)) {
        return BUSY;
    }
    return turns_below && state_of(board, HATCH) != HATCH_CLOSED ? HATCH_NOT_CLOSED : 0;
}

void begin_jog(struct board *board, const struct request *request)
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

bool test_in_range(const uint8_t *fields)
{
    return fields[0] >= 1 && fields[0] <= 15;
}

uint8_t check_test(const struct board *board, const struct request *request)
{
    (void)request;
    return anything_moves(board) ? BUSY : 0;
}

void begin_test(struct board *board, const struct request *request)
{
    start_task(board, TASK_BENCH, request);
    set_state(board, SELF_TEST, request->now);
    begin_bench(board, request->fields[0], 2000, request->now);
}
