/* The cycle below: sorting, its ends, top-up (PROTOCOL.md, section 9). */
#include <string.h>

#include "machine.h"

enum {
    TILE_MS = 180,     /* one tile through the head; four heads work at a time */
    NO_TILE_MS = 15000 /* no tile for so long, and there are none */
};

void begin_cycle(struct board *board, const uint8_t *stacks, bool by_host, uint32_t now)
{
    static const uint16_t over[] = {FAULT_CNT_01, FAULT_CNT_02, FAULT_CNT_03, FAULT_CYC_01};
    for (size_t i = 0; i < sizeof over / sizeof over[0]; i++) {
        board_fault_gone(board, over[i], now);
    }
    memcpy(board->stacks, stacks, SIDES);
    board->cycle = true;
    travel_to(board, HATCH_CLOSED, WALLS_DOWN, FOR_CYCLE, by_host, now);
}

static void apply_pending(struct board *board, uint32_t now)
{
    uint8_t fields[6];
    if (!board->kept.has_pending) {
        return;
    }
    board->kept.config = board->kept.pending;
    board->kept.has_pending = false;
    put_config(fields, &board->kept.config);
    report(board, REP_CONFIG_APPLIED, fields, sizeof fields, now);
    board_fault_gone(board, FAULT_CON_03, now);
}

static void set_targets(struct board *board)
{
    const uint8_t *own = board->stacks;
    const bool configured = own[0] == 0 && own[1] == 0 && own[2] == 0 && own[3] == 0;
    const struct config *config = &board->kept.config;
    for (size_t i = 0; i < SIDES; i++) {
        const unsigned tiles = configured ? 2u * config->stacks[i] + config->dealt : 2u * own[i];
        board->targets[i] = (uint16_t)tiles;
    }
}

/* A cycle that was ended goes on with its walls; else every tile is counted anew. */
static void take_up_tiles(struct board *board)
{
    struct board_kept *kept = &board->kept;
    bool goes_on = state_of(board, LOWER) == SHORT;
    for (size_t i = 0; i < SIDES; i++) {
        goes_on = goes_on && kept->staged[i] <= board->targets[i];
    }
    if (!goes_on) {
        kept->below = tiles_inside(board);
        memset(kept->staged, 0, sizeof kept->staged);
    }
}

static void sort_from_now(struct board *board, uint32_t now)
{
    board->waits_for_tiles = false;
    board->turned_ms = now;
    timer_set(&board->sorting, now, lasts(board, TILE_MS));
    if (both_lifts_down(board)) {
        pause_cycle(board, false, now);
    }
}

void begin_sorting(struct board *board, uint32_t now)
{
    apply_pending(board, now);
    set_targets(board);
    take_up_tiles(board);
    board->sorting_began = now;
    set_state(board, SORTING, now);
    sort_from_now(board, now);
}

static uint8_t side_for_next_tile(const struct board *board)
{
    uint8_t best = NO_SIDE;
    for (uint8_t i = 0; i < SIDES; i++) {
        const bool open = board->kept.staged[i] < board->targets[i];
        if (open && (best == NO_SIDE || board->kept.staged[i] < board->kept.staged[best])) {
            best = i;
        }
    }
    return best;
}

static void add_motor_time(struct board *board, uint32_t ms)
{
    const uint32_t all = board->kept.motor_ms_rest + ms;
    board->kept.motor_s += all / 1000;
    board->kept.motor_ms_rest = all % 1000;
}

void stop_sorting(struct board *board, uint32_t now)
{
    if (board->sorting.on) {
        add_motor_time(board, now - board->turned_ms);
    }
    board->sorting.on = false;
}

static void cycle_done(struct board *board, uint32_t now)
{
    uint8_t fields[12];
    stop_sorting(board, now);
    board->kept.last_cycle_ms = now - board->sorting_began;
    put32(fields, ++board->kept.cycles);
    counts(board, fields + 4);
    put32(fields + 8, board->kept.last_cycle_ms);
    board->cycle = false;
    set_state(board, STAGED, now);
    report(board, REP_CYCLE_DONE, fields, sizeof fields, now);
    task_done(board, TASK_CYCLE, now);
}

static void take_tile(struct board *board, uint8_t side, uint32_t now)
{
    const uint8_t n = (uint8_t)++board->kept.staged[side];
    const uint8_t fields[3] = {side, n, (uint8_t)board->targets[side]};
    board->kept.below--;
    board->waits_for_tiles = false;
    if (queue_room(board) > QUEUE_BYTES / 2) {
        report_live(board, REP_TILE_COUNT, fields, sizeof fields, now); /* the first that may be left out */
    }
    if (n == board->targets[side]) {
        uint8_t done[6] = {side, n, 0, 0, 0, 0};
        put32(done + 2, now - board->sorting_began);
        report(board, REP_SIDE_DONE, done, sizeof done, now);
    }
    timer_set(&board->sorting, now, lasts(board, TILE_MS));
}

void sort_on(struct board *board, uint32_t now)
{
    const uint8_t side = side_for_next_tile(board);
    if (side == NO_SIDE && board->kept.below == 0) {
        cycle_done(board, now);
    } else if (side == NO_SIDE) {
        board_fault(board, FAULT_CNT_02, NO_SIDE, board->kept.below, now);
    } else if (board->kept.below > 0) {
        take_tile(board, side, now);
    } else if (!board->waits_for_tiles) {
        board->waits_for_tiles = true;
        timer_set(&board->sorting, now, lasts(board, NO_TILE_MS));
    } else {
        const unsigned wanted = (unsigned)board->targets[0] + board->targets[1] + board->targets[2] + board->targets[3];
        board_fault(board, FAULT_CNT_01, NO_SIDE, (uint16_t)(wanted - staged(board)), now);
    }
}

void cycle_fails(struct board *board, enum fail why, uint16_t fault, uint8_t lower, uint32_t now)
{
    const uint8_t below = state_of(board, LOWER);
    board->cycle = false;
    stop_sorting(board, now);
    if (below == SORTING || below == TOPUP_PAUSED || below == CLEARING) {
        set_state(board, lower, now);
    }
    if (below == CLEARING) {
        board->bench.on = false;
        task_failed(board, TASK_BENCH, why, fault, now);
    }
    if (board->tasks[TASK_HOLD].opcode != CMD_ABORT_CYCLE) {
        task_failed(board, TASK_HOLD, why, fault, now);
    }
    task_failed(board, TASK_CYCLE, why, fault, now);
}

/* ---- top-up ---- */

bool both_lifts_down(const struct board *board)
{
    const uint32_t lifts = board->keys_down & ~board->keys_stuck & 0xFu; /* LIFT is key 1 */
    return (lifts & (lifts - 1)) != 0;
}

/* First everything below stands, then the hatch opens, then the cycle is paused. */
void pause_cycle(struct board *board, bool by_host, uint32_t now)
{
    stop_sorting(board, now);
    travel_to(board, HATCH_OPEN, 0, FOR_PAUSE, by_host, now);
}

void resume_cycle(struct board *board, bool by_host, uint32_t now)
{
    travel_to(board, HATCH_CLOSED, WALLS_DOWN, FOR_RESUME, by_host, now);
}

void paused(struct board *board, uint32_t now)
{
    if (board->cycle) {
        set_state(board, TOPUP_PAUSED, now);
    }
    task_done(board, TASK_HOLD, now);
}

void resumed(struct board *board, uint32_t now)
{
    if (board->cycle && !board->sorting.on) {
        set_state(board, SORTING, now);
        task_done(board, TASK_HOLD, now);
        sort_from_now(board, now);
    }
    task_done(board, TASK_HOLD, now);
}

uint8_t lower_at_rest(const struct board *board)
{
    return staged(board) > 0 ? SHORT : board->kept.below > 0 ? LOADED : EMPTY;
}

void abort_cycle(struct board *board, uint32_t now)
{
    cycle_fails(board, FAIL_ABORTED, NO_FAULT, lower_at_rest(board), now);
    if (!board->travel.on) {
        task_done(board, TASK_HOLD, now);
    }
}
