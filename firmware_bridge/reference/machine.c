/* The regions and what moves (PROTOCOL.md, section 7). Here motions are timers and tiles are numbers: this is the
   part that a firmware replaces by motors, limit switches and counting sensors. The rules around them stay. */
#include <string.h>

#include "parts.h"

enum {
    HATCH_MS = 1500,
    WALLS_MS = 2500,
    DICE_MS = 3000,
    TILE_MS = 180,          /* one tile through the head; four heads work at a time */
    NO_TILE_MS = 15000,     /* no tile for so long, and there are none */
    STUCK_KEY_MS = 10000,
    SERVICE_MS = 30000,
    FIRST_LEASE_MS = 1000
};

/* ---- small things ---- */

uint8_t state_of(const struct board *board, enum region region)
{
    return board->state[region];
}

void set_state(struct board *board, uint8_t state, uint32_t now)
{
    const uint8_t region = state >> 4;
    if (board->state[region] == state) {
        return;
    }
    const uint8_t fields[2] = {region, state};
    board->state[region] = state;
    board->kept.hatch = region == HATCH ? state : board->kept.hatch;
    board->kept.walls = region == WALLS ? state : board->kept.walls;
    report(board, REP_STATE_CHANGED, fields, sizeof fields, now);
}

uint32_t lasts(const struct board *board, uint32_t ms)
{
    const uint32_t faster = ms / (board->settings.speed > 0 ? board->settings.speed : 1);
    return faster > 0 ? faster : 1;
}

void timer_set(struct timer *timer, uint32_t now, uint32_t ms)
{
    timer->on = true;
    timer->at = now + ms;
}

bool upper_moves(const struct board *board)
{
    return board->travel.on;
}

bool anything_moves(const struct board *board)
{
    return board->travel.on || board->sorting.on || board->bench.on || board->rolling.on;
}

static unsigned staged(const struct board *board)
{
    const uint16_t *sides = board->kept.staged;
    return (unsigned)sides[0] + sides[1] + sides[2] + sides[3];
}

uint16_t tiles_inside(const struct board *board)
{
    return (uint16_t)(board->kept.below + staged(board));
}

static void counts(const struct board *board, uint8_t *fields)
{
    for (size_t i = 0; i < SIDES; i++) {
        fields[i] = (uint8_t)board->kept.staged[i];
    }
}

/* ---- hatch and carriers ---- */

static void arrive(struct board *board, uint32_t now);

static void begin_travel(struct board *board, uint8_t from, uint8_t moving, uint32_t ms, uint32_t now)
{
    board->whole = (from & 0x0F) != 0; /* not from half way */
    board->travel_began = now;
    set_state(board, moving, now);
    timer_set(&board->travel, now, lasts(board, ms));
}

/* The next piece of the way: the hatch first, as nothing may rise or turn under an open one. */
static void next_travel(struct board *board, uint32_t now)
{
    const uint8_t hatch = state_of(board, HATCH);
    const uint8_t walls = state_of(board, WALLS);
    if (board->hatch_goal != 0 && hatch != board->hatch_goal) {
        begin_travel(board, hatch, board->hatch_goal == HATCH_OPEN ? HATCH_OPENING : HATCH_CLOSING, HATCH_MS, now);
    } else if (board->walls_goal != 0 && walls != board->walls_goal) {
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
    board_fault_gone(board, FAULT_CNT_02, now);
    set_state(board, board->kept.below > 0 ? LOADED : EMPTY, now);
}

static void travelled(struct board *board, uint32_t now)
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

/* ---- below ---- */

static void begin_sorting(struct board *board, uint32_t now)
{
    uint8_t fields[6];
    struct board_kept *kept = &board->kept;
    if (kept->has_pending) {
        kept->config = kept->pending;
        kept->has_pending = false;
        put_config(fields, &kept->config);
        report(board, REP_CONFIG_APPLIED, fields, sizeof fields, now);
        board_fault_gone(board, FAULT_CON_03, now);
    }
    bool goes_on = state_of(board, LOWER) == SHORT;
    for (size_t i = 0; i < SIDES; i++) {
        board->targets[i] = (uint16_t)(2 * board->running.stacks[i] + board->running.dealt);
        goes_on = goes_on && kept->staged[i] <= board->targets[i];
    }
    if (!goes_on) {
        kept->below = tiles_inside(board);
        memset(kept->staged, 0, sizeof kept->staged);
    }
    board_fault_gone(board, FAULT_CNT_01, now);
    board_fault_gone(board, FAULT_CNT_02, now);
    board_fault_gone(board, FAULT_CNT_03, now);
    board->waits_for_tiles = false;
    board->sorting_began = now;
    set_state(board, SORTING, now);
    timer_set(&board->sorting, now, lasts(board, TILE_MS));
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

static void stop_sorting(struct board *board, uint32_t now)
{
    if (board->sorting.on) {
        add_motor_time(board, now - board->sorting_began);
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

static void sort_on(struct board *board, uint32_t now)
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
    if (below == SORTING || below == TOPUP_PAUSED || below == CLEARING) {
        stop_sorting(board, now);
        set_state(board, lower, now);
    }
    task_failed(board, TASK_CYCLE, why, fault, now);
}

/* ---- top-up ---- */

void pause_cycle(struct board *board, bool by_host, uint32_t now)
{
    stop_sorting(board, now);
    set_state(board, TOPUP_PAUSED, now);
    travel_to(board, HATCH_OPEN, 0, FOR_PAUSE, by_host, now);
}

void resume_cycle(struct board *board, bool by_host, uint32_t now)
{
    travel_to(board, HATCH_CLOSED, WALLS_DOWN, FOR_RESUME, by_host, now);
}

static void resumed(struct board *board, uint32_t now)
{
    if (state_of(board, LOWER) == TOPUP_PAUSED) {
        set_state(board, SORTING, now);
        board->waits_for_tiles = false;
        timer_set(&board->sorting, now, lasts(board, TILE_MS));
    }
    task_done(board, TASK_HOLD, now);
}

static uint8_t lower_at_rest(const struct board *board)
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

static void arrive(struct board *board, uint32_t now)
{
    const enum purpose purpose = board->purpose;
    board->purpose = FOR_NOTHING;
    switch (purpose) {
    case FOR_COMMAND:
        task_done(board, TASK_UPPER, now);
        break;
    case FOR_CYCLE:
        if (board->tasks[TASK_CYCLE].on) {
            begin_sorting(board, now);
        }
        break;
    case FOR_RESUME:
        resumed(board, now);
        break;
    default:
        break;
    }
    if (!board->travel.on && purpose != FOR_RESUME) {
        task_done(board, TASK_HOLD, now); /* a pause has its open hatch; after an abort all stands still */
    }
}

/* ---- the bench: clearing a jam, jogging, testing ---- */

void begin_bench(struct board *board, uint8_t argument, uint32_t ms, uint32_t now)
{
    const bool jog = board->tasks[TASK_BENCH].opcode == CMD_JOG;
    board->bench_argument = argument;
    timer_set(&board->bench, now, jog ? ms : lasts(board, ms));
}

static void jam_cleared(struct board *board, uint32_t now)
{
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        const struct fault *fault = &board->faults[i];
        const bool here = fault->side == board->bench_argument || fault->side == NO_SIDE;
        if (fault->code != NO_FAULT && severity_of(fault->code) == SEVERITY_STOP_CYCLE && here) {
            board_fault_gone(board, fault->code, now);
        }
    }
    set_state(board, lower_at_rest(board), now);
}

static void bench_done(struct board *board, uint32_t now)
{
    const uint8_t opcode = board->tasks[TASK_BENCH].opcode;
    board->bench.on = false;
    if (opcode == CMD_CLEAR_JAM) {
        jam_cleared(board, now);
    } else if (opcode == CMD_SELF_TEST) {
        const uint8_t fields[4] = {board->bench_argument, 1, 0, 0};
        report(board, REP_SELF_TEST_RESULT, fields, sizeof fields, now);
        set_state(board, MAINTENANCE, now);
    }
    task_done(board, TASK_BENCH, now);
}

/* ---- dice ---- */

void begin_roll(struct board *board, uint8_t count, uint32_t now)
{
    board->dice_count = count;
    set_state(board, DICE_ROLLING, now);
    timer_set(&board->rolling, now, lasts(board, DICE_MS));
}

static void rolled(struct board *board, uint32_t now)
{
    uint8_t values[2];
    board->rolling.on = false;
    board->kept.rolls++;
    const size_t count = dice_values(board, board->dice_count, values);
    set_state(board, DICE_STILL, now);
    report(board, REP_DICE_ROLLED, values, count, now);
    task_done(board, TASK_DICE, now);
}

/* ---- stops ---- */

static void stop_travel(struct board *board, uint32_t now)
{
    if (board->travel.on) {
        const bool hatch = state_of(board, HATCH) == HATCH_OPENING || state_of(board, HATCH) == HATCH_CLOSING;
        board->travel.on = false;
        set_state(board, hatch ? HATCH_UNKNOWN : WALLS_UNKNOWN, now);
    }
    board->purpose = FOR_NOTHING;
}

void stop_all(struct board *board, uint8_t safety, enum fail why, uint16_t fault, uint32_t now)
{
    const bool turned = state_of(board, LOWER) == SORTING || state_of(board, LOWER) == CLEARING;
    board->key_since_stop = false;
    set_state(board, safety, now);
    stop_travel(board, now);
    cycle_fails(board, why, fault, turned ? LOWER_UNKNOWN : lower_at_rest(board), now);
    board->rolling.on = board->bench.on = false;
    set_state(board, DICE_STILL, now);
    for (size_t kind = 0; kind < TASKS; kind++) {
        task_failed(board, (enum task_kind)kind, why, fault, now);
    }
}

/* What moves in reach of hands, begun by a host that is gone, stops; a cycle behind a closed hatch goes on. */
void stop_for_lost_host(struct board *board, uint32_t now)
{
    if (board->travel.on && board->by_host) {
        const bool for_cycle = board->purpose == FOR_CYCLE;
        stop_travel(board, now);
        task_failed(board, TASK_UPPER, FAIL_HOST_LOST, NO_FAULT, now);
        task_failed(board, TASK_HOLD, FAIL_HOST_LOST, NO_FAULT, now);
        if (for_cycle) {
            task_failed(board, TASK_CYCLE, FAIL_HOST_LOST, NO_FAULT, now);
        }
    }
    if (board->bench.on && board->tasks[TASK_BENCH].opcode == CMD_JOG) {
        board->bench.on = false;
        task_failed(board, TASK_BENCH, FAIL_HOST_LOST, NO_FAULT, now);
    }
}

void leave_maintenance(struct board *board, uint32_t now)
{
    if (state_of(board, SAFETY) != MAINTENANCE && state_of(board, SAFETY) != SELF_TEST) {
        return;
    }
    board->bench.on = false;
    task_failed(board, TASK_BENCH, board->link.up ? FAIL_ABORTED : FAIL_HOST_LOST, NO_FAULT, now);
    set_state(board, stands(board, FAULT_SEN_01) ? DEGRADED : OPERATIONAL, now);
}

/* ---- keys and sensors ---- */

static bool two_of(unsigned bits)
{
    return (bits & (bits - 1)) != 0;
}

static void lift_pressed(struct board *board, uint32_t now)
{
    if (state_of(board, LOWER) == SORTING && two_of(board->lifts_down)) {
        pause_cycle(board, false, now);
    } else if (state_of(board, LOWER) == TOPUP_PAUSED && !upper_moves(board)) {
        resume_cycle(board, false, now);
    }
}

void board_key(struct board *board, enum key key, uint8_t seat, bool down, uint32_t now)
{
    const uint8_t fields[2] = {(uint8_t)key, seat};
    const unsigned bit = key == KEY_LIFT ? 1u << seat : 0;
    report(board, down ? REP_KEY_PRESSED : REP_KEY_RELEASED, fields, sizeof fields, now);
    if (!down) {
        board->lifts_down = (uint16_t)(board->lifts_down & ~bit);
        board->stuck.on = false;
        board_fault_gone(board, FAULT_CON_01, now);
        return;
    }
    board->key_since_stop = true;
    timer_set(&board->stuck, now, STUCK_KEY_MS);
    if (key == KEY_SERVICE) {
        timer_set(&board->service, now, SERVICE_MS);
    } else if (key == KEY_LIFT && state_of(board, SAFETY) <= DEGRADED) {
        board->lifts_down = (uint16_t)(board->lifts_down | bit);
        lift_pressed(board, now);
    }
}

bool board_load(struct board *board, uint16_t tiles, uint32_t now)
{
    if (state_of(board, HATCH) != HATCH_OPEN || tiles > board->kept.table) {
        return false;
    }
    board->kept.table = (uint16_t)(board->kept.table - tiles);
    board->kept.below = (uint16_t)(board->kept.below + tiles);
    if (state_of(board, LOWER) == EMPTY && tiles > 0) {
        set_state(board, LOADED, now);
    }
    return true;
}

void board_mode(struct board *board, const struct config *config, uint32_t now)
{
    board->kept.pending = *config;
    board->kept.has_pending = true;
    if (board->tasks[TASK_CYCLE].on) {
        board_fault(board, FAULT_CON_03, NO_SIDE, config->tiles, now);
    }
}

/* ---- start and time ---- */

void machine_start(struct board *board, uint32_t now)
{
    struct board_kept *kept = &board->kept;
    const bool hatch_stood = kept->hatch == HATCH_CLOSED || kept->hatch == HATCH_OPEN;
    const bool walls_stood = kept->walls == WALLS_DOWN || kept->walls == WALLS_UP;
    board->state[HATCH] = kept->hatch = hatch_stood ? kept->hatch : (uint8_t)HATCH_UNKNOWN;
    board->state[WALLS] = kept->walls = walls_stood ? kept->walls : (uint8_t)WALLS_UNKNOWN;
    /* What lies inside is counted again: only sorting tells. */
    board->state[LOWER] = tiles_inside(board) > 0 ? LOWER_UNKNOWN : EMPTY;
    board->state[DICE] = DICE_STILL;
    board->state[SAFETY] = OPERATIONAL;
    board->lease_ms = FIRST_LEASE_MS;
    if (board->settings.cause == WATCHDOG) {
        board_fault(board, FAULT_PWR_03, NO_SIDE, 0, now);
    }
}

static void service_over(struct board *board, uint32_t now)
{
    (void)now;
    board->service.on = false;
}

static void key_stuck(struct board *board, uint32_t now)
{
    board->stuck.on = false;
    board_fault(board, FAULT_CON_01, NO_SIDE, 0, now);
}

struct alarm {
    struct timer *timer;
    void (*rings)(struct board *board, uint32_t now);
};

enum { ALARMS = 6 };

static void alarms_of(struct board *board, struct alarm *alarms)
{
    const struct alarm all[ALARMS] = {
        {&board->travel, travelled}, {&board->sorting, sort_on},     {&board->bench, bench_done},
        {&board->rolling, rolled},   {&board->service, service_over}, {&board->stuck, key_stuck},
    };
    memcpy(alarms, all, sizeof all);
}

static uint32_t until(const struct timer *timer, uint32_t now)
{
    const uint32_t rest = timer->at - now;
    return !timer->on ? LINK_FOREVER : rest > 0x7FFFFFFFu ? 0 : rest;
}

static bool lease_counts(const struct board *board)
{
    const bool jogs = board->bench.on && board->tasks[TASK_BENCH].opcode == CMD_JOG;
    return (board->travel.on && board->by_host) || jogs;
}

static struct timer lease_end(const struct board *board)
{
    const struct timer lease = {lease_counts(board), board->link.heard_ms + board->lease_ms};
    return lease;
}

/* Everything that is due by now, in the order in which it became due, each at its own moment. */
void machine_timer(struct board *board, uint32_t now)
{
    struct alarm alarms[ALARMS];
    alarms_of(board, alarms);
    for (;;) {
        const struct timer lease = lease_end(board);
        const struct alarm *next = NULL;
        uint32_t at = now;
        for (size_t i = 0; i < ALARMS; i++) {
            const struct timer *timer = alarms[i].timer;
            if (until(timer, now) == 0 && (next == NULL || at - timer->at < 0x80000000u)) {
                next = &alarms[i];
                at = timer->at;
            }
        }
        if (until(&lease, now) == 0 && (next == NULL || at - lease.at < 0x80000000u)) {
            stop_for_lost_host(board, now);
        } else if (next == NULL) {
            return;
        } else {
            next->rings(board, at);
        }
    }
}

uint32_t machine_wait(const struct board *board, uint32_t now)
{
    const struct timer lease = lease_end(board);
    const struct timer *timers[] = {&board->travel,  &board->sorting, &board->bench, &board->rolling,
                                    &board->service, &board->stuck,   &lease};
    uint32_t wait = LINK_FOREVER;
    for (size_t i = 0; i < sizeof timers / sizeof timers[0]; i++) {
        const uint32_t rest = until(timers[i], now);
        wait = rest < wait ? rest : wait;
    }
    return wait;
}
