/* The regions and what moves (PROTOCOL.md, sections 8 to 12). Here motions are timers and tiles are numbers: this is the
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
    SERVICE_MS = 30000
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

static void begin_sorting(struct board *board, uint32_t now)
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

static void stop_sorting(struct board *board, uint32_t now)
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

static void paused(struct board *board, uint32_t now)
{
    if (board->cycle) {
        set_state(board, TOPUP_PAUSED, now);
    }
    task_done(board, TASK_HOLD, now);
}

static void resumed(struct board *board, uint32_t now)
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

/* ---- the bench: clearing a jam, jogging, testing ---- */

void begin_bench(struct board *board, uint8_t argument, uint32_t ms, uint32_t now)
{
    const bool jog = board->tasks[TASK_BENCH].opcode == CMD_JOG;
    board->bench_argument = argument;
    timer_set(&board->bench, now, jog ? ms : lasts(board, ms));
}

/* The fault of a jam that this side's feed and head can not free; NO_FAULT where all are free. */
static uint16_t free_jams(struct board *board, uint32_t now)
{
    uint16_t left = NO_FAULT;
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        const struct fault fault = board->faults[i];
        if (!is_jam(fault.code)) {
            continue;
        }
        if (fault.side == board->bench_argument || fault.side == NO_SIDE) {
            board_fault_gone(board, fault.code, now);
        } else {
            left = fault.code;
        }
    }
    return left;
}

static void jam_cleared(struct board *board, uint32_t now)
{
    const uint16_t left = free_jams(board, now);
    set_state(board, left == NO_FAULT ? lower_at_rest(board) : (uint8_t)JAMMED, now);
    if (left != NO_FAULT) {
        task_failed(board, TASK_BENCH, FAIL_FAULT, left, now);
    }
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
    if (board->next.number == 0 && (stands(board, FAULT_DIC_01) || stands(board, FAULT_DIC_02))) {
        set_state(board, DICE_STILL, now); /* never a made-up value */
        task_failed(board, TASK_DICE, FAIL_FAULT, stands(board, FAULT_DIC_02) ? FAULT_DIC_02 : FAULT_DIC_01, now);
        return;
    }
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

void stop_all(struct board *board, enum fail why, uint16_t fault, uint32_t now)
{
    const bool turned = board->sorting.on || state_of(board, LOWER) == CLEARING;
    board->key_since_stop = false;
    set_state(board, stands(board, FAULT_EST_01) ? STOP_CHAIN_OPEN : PROTECTIVE_STOP, now);
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
        const enum purpose purpose = board->purpose;
        stop_travel(board, now);
        task_failed(board, TASK_UPPER, FAIL_HOST_LOST, NO_FAULT, now);
        task_failed(board, TASK_HOLD, FAIL_HOST_LOST, NO_FAULT, now);
        if (purpose == FOR_CYCLE) {
            cycle_fails(board, FAIL_HOST_LOST, NO_FAULT, lower_at_rest(board), now);
        } else if (board->cycle) {
            set_state(board, TOPUP_PAUSED, now); /* it stands, and a key or the host makes it go on */
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

static uint8_t key_bit(enum key key, uint8_t seat)
{
    return (uint8_t)(4 * ((unsigned)key - 1) + seat);
}

/* The next key to be down for too long. */
static void watch_keys(struct board *board, uint32_t now)
{
    board->stuck.on = false;
    for (uint8_t i = 0; i < 32; i++) {
        const bool watched = ((board->keys_down & ~board->keys_stuck) >> i & 1) != 0;
        const uint32_t at = board->down_ms[i] + STUCK_KEY_MS;
        if (watched && (!board->stuck.on || at - now < board->stuck.at - now)) {
            board->stuck.on = true;
            board->stuck.at = at;
        }
    }
}

static void key_stuck(struct board *board, uint32_t now)
{
    for (uint8_t i = 0; i < 32; i++) {
        const bool watched = ((board->keys_down & ~board->keys_stuck) >> i & 1) != 0;
        if (watched && now - board->down_ms[i] >= STUCK_KEY_MS) {
            board->keys_stuck |= 1u << i;
            board_fault(board, FAULT_CON_01, NO_SIDE, (uint16_t)(i / 4 + 1), now);
        }
    }
    watch_keys(board, now);
}

/* What the machine does by itself while no host is there: LIFT leads from one stage to the next. */
static void serve_lift(struct board *board, uint32_t now)
{
    static const uint8_t configured[SIDES] = {0, 0, 0, 0};
    const uint8_t lower = state_of(board, LOWER);
    const bool stands_ready = lower == LOADED || lower == SHORT || lower == OVER || lower == LOWER_UNKNOWN;
    const bool may_start = !board->kept.locked && !board->cover_open && !stands(board, FAULT_CFG_01);
    if (board->cycle || upper_moves(board) || lower == CLEARING) {
        return;
    }
    if (state_of(board, HATCH) == HATCH_CLOSED && (lower == STAGED || lower == OVER)) {
        travel_to(board, 0, WALLS_UP, FOR_COMMAND, false, now);
    } else if (state_of(board, HATCH) == HATCH_CLOSED) {
        travel_to(board, HATCH_OPEN, 0, FOR_COMMAND, false, now);
    } else if (stands_ready && tiles_inside(board) > 0 && may_start) {
        begin_cycle(board, configured, false, now);
    } else {
        travel_to(board, HATCH_CLOSED, 0, FOR_COMMAND, false, now);
    }
}

static void lift_pressed(struct board *board, uint32_t now)
{
    if (board->sorting.on && both_lifts_down(board)) {
        pause_cycle(board, false, now);
    } else if (state_of(board, LOWER) == TOPUP_PAUSED) {
        if (!upper_moves(board) && !both_lifts_down(board) && !board->cover_open) {
            resume_cycle(board, false, now);
        }
    } else if (!board->link.up) {
        serve_lift(board, now);
    }
}

static void key_pressed(struct board *board, enum key key, uint32_t now)
{
    const bool dice = (board->settings.capabilities & (CAN_DICE | CAN_DICE_SPUN)) != 0;
    board->key_since_stop = true;
    if (key == KEY_SERVICE) {
        timer_set(&board->service, now, SERVICE_MS);
    } else if (state_of(board, SAFETY) != OPERATIONAL && state_of(board, SAFETY) != DEGRADED) {
        return;
    } else if (key == KEY_LIFT) {
        lift_pressed(board, now);
    } else if (key == KEY_DICE && dice && !board->link.up && !board->rolling.on) {
        begin_roll(board, 2, now);
    }
}

void board_key(struct board *board, enum key key, uint8_t seat, bool down, uint32_t now)
{
    const uint8_t fields[2] = {(uint8_t)key, seat};
    const uint32_t bit = 1u << key_bit(key, seat);
    if (((board->keys_down & bit) != 0) == down || (down && stands(board, FAULT_CON_02))) {
        return;
    }
    board->keys_down ^= bit;
    board->down_ms[key_bit(key, seat)] = now;
    report(board, down ? REP_KEY_PRESSED : REP_KEY_RELEASED, fields, sizeof fields, now);
    if (down) {
        key_pressed(board, key, now);
    } else if ((board->keys_stuck & bit) != 0) {
        board->keys_stuck &= ~bit;
        if (board->keys_stuck == 0) {
            board_fault_gone(board, FAULT_CON_01, now);
        }
    }
    watch_keys(board, now);
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

bool board_mode(struct board *board, const struct config *config, uint32_t now)
{
    if (!config_fits(board, config)) {
        return false;
    }
    board->kept.pending = *config;
    board->kept.has_pending = true;
    if (board->cycle) {
        board_fault(board, FAULT_CON_03, NO_SIDE, config->tiles, now);
    }
    return true;
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
    if (!config_fits(board, &kept->config)) {
        board_fault(board, FAULT_CFG_01, NO_SIDE, kept->config.tiles, now);
    }
    if (board->settings.cause == WATCHDOG) {
        board_fault(board, FAULT_PWR_03, NO_SIDE, 0, now);
    }
}

static void service_over(struct board *board, uint32_t now)
{
    (void)now;
    board->service.on = false;
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
