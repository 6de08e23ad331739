/* Keys and the mode switch, and what people do to the machine (PROTOCOL.md, section 9.4). */
#include "machine.h"

enum { STUCK_KEY_MS = 10000, SERVICE_MS = 30000 };

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

void key_stuck(struct board *board, uint32_t now)
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
