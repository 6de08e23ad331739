/* Commands of the host between the parts that take, check and answer them. */
#ifndef LONGZHUO_REQUESTS_H
#define LONGZHUO_REQUESTS_H

#include "parts.h"

enum { OP_HEADER = 5, JOB_ROOM = LINK_MESSAGE + 2 };

struct request {
    uint8_t opcode;
    uint32_t op_id;
    const uint8_t *fields;
    uint32_t now;
};

/* ---- ops.c ---- */

void start_task(struct board *board, enum task_kind kind, const struct request *request);
bool op_is_known(struct board *board, uint32_t op_id, uint32_t now);
void op_begins(struct board *board, uint32_t op_id, uint8_t why, uint32_t now);

/* ---- motions.c ---- */

bool below_turns(const struct board *board);
uint8_t check_open(const struct board *board, const struct request *request);
uint8_t check_still(const struct board *board, const struct request *request);
uint8_t check_raise(const struct board *board, const struct request *request);
void begin_travel(struct board *board, const struct request *request);
uint8_t check_cycle(const struct board *board, const struct request *request);
void start_cycle(struct board *board, const struct request *request);
uint8_t check_pause(const struct board *board, const struct request *request);
uint8_t check_resume(const struct board *board, const struct request *request);
void begin_pause(struct board *board, const struct request *request);
void begin_resume(struct board *board, const struct request *request);
uint8_t check_abort(const struct board *board, const struct request *request);
void begin_abort(struct board *board, const struct request *request);
uint8_t check_home(const struct board *board, const struct request *request);
uint8_t check_jam(const struct board *board, const struct request *request);
void begin_jam(struct board *board, const struct request *request);
bool count_in_range(const uint8_t *fields);
uint8_t check_roll(const struct board *board, const struct request *request);
void start_roll(struct board *board, const struct request *request);
bool jog_in_range(const uint8_t *fields);
uint8_t check_jog(const struct board *board, const struct request *request);
void begin_jog(struct board *board, const struct request *request);
bool test_in_range(const uint8_t *fields);
uint8_t check_test(const struct board *board, const struct request *request);
void begin_test(struct board *board, const struct request *request);

/* ---- config.c ---- */

bool is_set(unsigned tiles);
unsigned twice(const uint8_t *stacks);
bool within(const uint8_t *stacks);
uint8_t check_config(const struct board *board, const struct request *request);
void begin_config(struct board *board, const struct request *request);

/* ---- jobs.c ---- */

bool entries_in_range(const uint8_t *fields);
uint8_t check_job(const struct board *board, const struct request *request);
void begin_job(struct board *board, const struct request *request);

#endif
