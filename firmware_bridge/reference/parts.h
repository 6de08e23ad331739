/* What the parts of the core call of each other. */
#ifndef LONGZHUO_PARTS_H
#define LONGZHUO_PARTS_H

#include "board.h"
#include "bytes.h"
#include "faults.h"

/* ---- reports.c: what the board says ---- */

/* A report that happens: it goes to history, and to the host while there is one. */
void report(struct board *board, enum report opcode, const uint8_t *fields, size_t length, uint32_t now);
/* A report that answers or tells how something stands: it goes to the host only. */
void report_live(struct board *board, enum report opcode, const uint8_t *fields, size_t length, uint32_t now);
void report_status(struct board *board, uint32_t now);
void report_counters(struct board *board, uint32_t now);
void report_config(struct board *board, const struct config *config, bool pending, uint32_t now);
void report_fault_record(struct board *board, const struct fault_record *record, uint32_t now);
void report_link(struct board *board, uint32_t now);
void report_introduction(struct board *board, uint32_t now);
void put_config(uint8_t *bytes, const struct config *config);
/* Queues bytes for the host; a host that takes too little loses its session. */
void queue_message(struct board *board, const uint8_t *message, size_t length, uint32_t now);
size_t queue_room(const struct board *board);
/* Queues the kept report with the smallest number from first to end - 1; the number after it, end where none. */
uint32_t queue_kept(struct board *board, uint32_t first, uint32_t end, uint32_t now);
uint32_t oldest_kept(const struct board *board);

/* ---- commands.c, ops.c, jobs.c, config.c: what the host asks ---- */

void take_command(struct board *board, const uint8_t *message, size_t length, uint32_t now);
bool config_fits(const struct board *board, const struct config *config);
void answer_done(struct board *board, uint32_t op_id, uint32_t now);
void answer_failed(struct board *board, uint32_t op_id, enum fail why, uint16_t fault, uint32_t now);
void work_on_jobs(struct board *board, uint32_t now);
void fail_jobs(struct board *board, uint32_t now);

/* ---- tasks of commands ---- */

void task_done(struct board *board, enum task_kind kind, uint32_t now);
void task_failed(struct board *board, enum task_kind kind, enum fail why, uint16_t fault, uint32_t now);

/* ---- machine.c, travel.c, cycle.c, bench.c: regions and motions ---- */

void set_state(struct board *board, uint8_t state, uint32_t now);
uint8_t state_of(const struct board *board, enum region region);
uint32_t lasts(const struct board *board, uint32_t ms);
void timer_set(struct timer *timer, uint32_t now, uint32_t ms);
bool upper_moves(const struct board *board);
bool anything_moves(const struct board *board);
void travel_to(struct board *board, uint8_t hatch, uint8_t walls, enum purpose purpose, bool by_host, uint32_t now);
void pause_cycle(struct board *board, bool by_host, uint32_t now);
void resume_cycle(struct board *board, bool by_host, uint32_t now);
void abort_cycle(struct board *board, uint32_t now);
void cycle_fails(struct board *board, enum fail why, uint16_t fault, uint8_t lower, uint32_t now);
void stop_all(struct board *board, enum fail why, uint16_t fault, uint32_t now);
bool both_lifts_down(const struct board *board);
uint8_t lower_at_rest(const struct board *board);
void begin_cycle(struct board *board, const uint8_t *stacks, bool by_host, uint32_t now);
void stop_for_lost_host(struct board *board, uint32_t now);
void leave_maintenance(struct board *board, uint32_t now);
void begin_bench(struct board *board, uint8_t argument, uint32_t ms, uint32_t now);
void begin_roll(struct board *board, uint8_t count, uint32_t now);
uint16_t tiles_inside(const struct board *board);
void machine_start(struct board *board, uint32_t now);
void machine_timer(struct board *board, uint32_t now);
uint32_t machine_wait(const struct board *board, uint32_t now);

/* ---- faults.c ---- */

uint8_t severity_of(uint16_t code);
bool stands(const struct board *board, uint16_t code);
bool is_jam(uint16_t code);
/* One that ClearStop has to wait for. */
bool stop_fault_stands(const struct board *board);
void report_fault(struct board *board, const struct fault *fault, bool live, uint32_t now);

/* ---- dice.c ---- */

void chance(struct board *board, uint8_t digest[SHA256_DIGEST]);
void dice_commit(struct board *board, uint32_t now);
void dice_reveal(struct board *board, uint32_t now);
/* Values of count dice; how many of them there are (none where a camera reads them). */
size_t dice_values(struct board *board, uint8_t count, uint8_t *values);

/* ---- dictionary.c ---- */

uint16_t dictionary_entries(void);
void report_entry(struct board *board, uint16_t index, uint32_t now);

#endif
