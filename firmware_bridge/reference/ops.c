/* Each op_id is executed once: what became of it, its answers, and tasks under way (PROTOCOL.md, section 6.1). */
#include <string.h>

#include "requests.h"

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

/* Ranges stand in the order in which they were used last. The one that was used longest ago is forgotten where there
   is no room: the time in which its host may ask again is over. A range never takes in what nobody has asked. */
static void remember(struct board *board, uint32_t id)
{
    size_t at = 0;
    for (size_t i = 0; i < OP_RANGES; i++) {
        if (board->op_ranges[i].used && board->op_ranges[i].high + 1 == id && id != 0) {
            at = i;
        }
    }
    const bool goes_on = board->op_ranges[at].used && board->op_ranges[at].high + 1 == id && id != 0;
    const uint32_t low = goes_on ? board->op_ranges[at].low : id;
    memmove(&board->op_ranges[at], &board->op_ranges[at + 1], (OP_RANGES - 1 - at) * sizeof board->op_ranges[0]);
    board->op_ranges[OP_RANGES - 1].used = true;
    board->op_ranges[OP_RANGES - 1].low = low;
    board->op_ranges[OP_RANGES - 1].high = id;
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

void start_task(struct board *board, enum task_kind kind, const struct request *request)
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

/* ---- a command comes ---- */

bool op_is_known(struct board *board, uint32_t op_id, uint32_t now)
{
    const struct op *op = find_op(board, op_id);
    if (op != NULL) {
        answer_again(board, op, now);
        return true;
    }
    if (was_seen(board, op_id)) {
        /* Its answers are forgotten; that it was taken is not. */
        send_answer(board, op_id, ACCEPTED, 0, NO_FAULT, now);
        send_answer(board, op_id, FAILED, FAIL_NO_ANSWER, NO_FAULT, now);
        return true;
    }
    return false;
}

void op_begins(struct board *board, uint32_t op_id, uint8_t why, uint32_t now)
{
    struct op *op = new_op(board, op_id);
    op->stage = why == 0 ? ACCEPTED : REJECTED;
    op->why = why;
    send_answer(board, op_id, op->stage, why, NO_FAULT, now);
}
