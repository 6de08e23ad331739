/* Hatch and carriers: where they go, one after the other (PROTOCOL.md, section 8). */
#include <string.h>

#include "machine.h"

enum { HATCH_MS = 1500, WALLS_MS = 2500 };

static void arrive(struct board *board, uint32_t now);

static void begin_travel(struct board *board, uint8_t from, uint8_t moving, uint32_t ms, uint32_t now)
{
    board->whole = (from & 0x0F) != 0; /* not from half way */
    board->travel_began = now;
    set_state(board, moving, now);
    timer_set(&board->travel, now, lasts(board, ms));
}

/* The next piece of the way: the hatch first, as nothing may rise or turn under an open one. */
void next_travel(struct board *board, uint32_t now)
{
    const uint8_t hatch = state_of(board, HATCH);
    const uint8_t walls = state_of(board, WALLS);
    if (board->hatch_goal != 0 && hatch != board->hatch_goal) {
        begin_travel(board, hatch, board->hatch_goal == HATCH_OPEN ? HATCH_OPENING : HATCH_CLOSING, HATCH_MS, now);
    } else if (board->walls_goal == WALLS_UP && !board->lowered && walls != WALLS_DOWN) {
        begin_travel(board, walls, WALLS_LOWERING, WALLS_MS, now); /* walls rise from below only */
    } else if (board->walls_goal != 0 && walls != board->walls_goal) {
        board->lowered = true;
        begin_travel(board, walls, board->walls_goal == WALLS_UP ? WALLS_RAISING : WALLS_LOWERING, WALLS_MS, now);
    } else {
        arrive(board, now);
    }
}

void travel_to(struct board *board, uint8_t hatch, uint8_t walls, enum purpose purpose, bool by_host, uint32_t now)
{
    board->hatch_goal = hatch;
    board->walls_goal = walls;
    board->purpose = purpose;
    board->by_host = by_host;
    board->lowered = false;
    next_travel(board, now);
}

static void report_travel(struct board *board, uint8_t region, uint32_t nominal, uint32_t now)
{
    uint8_t fields[5];
    fields[0] = region;
    put16(fields + 1, (uint16_t)(now - board->travel_began));
    put16(fields + 3, (uint16_t)(lasts(board, nominal) * 3 / 2));
    if (board->whole) {
        report(board, REP_TRAVEL, fields, sizeof fields, now);
    }
}

static void walls_are_up(struct board *board, uint32_t now)
{
    uint8_t fields[SIDES];
    counts(board, fields);
    report(board, REP_WALLS_UP, fields, sizeof fields, now);
    board->kept.table = (uint16_t)(board->kept.table + staged(board));
    memset(board->kept.staged, 0, sizeof board->kept.staged);
    board->kept.lifts++;
    set_state(board, board->kept.below > 0 ? LOADED : EMPTY, now);
}

void travelled(struct board *board, uint32_t now)
{
    board->travel.on = false;
    switch (state_of(board, HATCH)) {
    case HATCH_OPENING:
        board->kept.openings++;
        set_state(board, HATCH_OPEN, now);
        report_travel(board, HATCH, HATCH_MS, now);
        break;
    case HATCH_CLOSING:
        set_state(board, HATCH_CLOSED, now);
        report_travel(board, HATCH, HATCH_MS, now);
        break;
    default: {
        const bool rose = state_of(board, WALLS) == WALLS_RAISING;
        set_state(board, rose ? WALLS_UP : WALLS_DOWN, now);
        report_travel(board, WALLS, WALLS_MS, now);
        if (rose) {
            walls_are_up(board, now);
        }
    }
    }
    next_travel(board, now);
}

/* Home got through: its lifts are not blocked any more. */
static void homed(struct board *board, uint32_t now)
{
    static const uint16_t over[] = {FAULT_HAT_01, FAULT_HAT_02, FAULT_WAL_01, FAULT_WAL_02};
    for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
        board_fault_gone(board, over[i], now);
    }
}

static void arrive(struct board *board, uint32_t now)
{
    const enum purpose purpose = board->purpose;
    board->purpose = FOR_NOTHING;
    switch (purpose) {
    case FOR_COMMAND:
        if (board->tasks[TASK_UPPER].on && board->tasks[TASK_UPPER].opcode == CMD_HOME) {
            homed(board, now);
        }
        task_done(board, TASK_UPPER, now);
        break;
    case FOR_CYCLE:
        if (board->cycle) {
            begin_sorting(board, now);
        } else {
            task_done(board, TASK_HOLD, now); /* aborted on the way */
        }
        break;
    case FOR_PAUSE:
        paused(board, now);
        break;
    case FOR_RESUME:
        resumed(board, now);
        break;
    default:
        break;
    }
}

void stop_travel(struct board *board, uint32_t now)
{
    if (board->travel.on) {
        const bool hatch = state_of(board, HATCH) == HATCH_OPENING || state_of(board, HATCH) == HATCH_CLOSING;
        board->travel.on = false;
        set_state(board, hatch ? HATCH_UNKNOWN : WALLS_UNKNOWN, now);
    }
    board->purpose = FOR_NOTHING;
}
