/* The regions, stops and time (PROTOCOL.md, sections 8, 11 and 12). Here, in travel.c, cycle.c, bench.c and keys.c,
   motions are timers and tiles are numbers: this is what a firmware replaces by motors, limit switches and counting
   sensors. The rules around them stay. */
#include <string.h>

#include "machine.h"

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

unsigned staged(const struct board *board)
{
    const uint16_t *sides = board->kept.staged;
    return (unsigned)sides[0] + sides[1] + sides[2] + sides[3];
}

uint16_t tiles_inside(const struct board *board)
{
    return (uint16_t)(board->kept.below + staged(board));
}

void counts(const struct board *board, uint8_t *fields)
{
    for (size_t i = 0; i < SIDES; i++) {
        fields[i] = (uint8_t)board->kept.staged[i];
    }
}

/* ---- stops ---- */

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
