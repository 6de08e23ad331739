/* Clearing a jam, jogging, testing, rolling dice (PROTOCOL.md, sections 9.1, 10 and 12). */
#include "machine.h"

enum { DICE_MS = 3000 };

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

void bench_done(struct board *board, uint32_t now)
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

void rolled(struct board *board, uint32_t now)
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
