/* What the parts of the machine call of each other. */
#ifndef LONGZHUO_MACHINE_H
#define LONGZHUO_MACHINE_H

#include "parts.h"

unsigned staged(const struct board *board);
void counts(const struct board *board, uint8_t *fields);
void next_travel(struct board *board, uint32_t now);
void travelled(struct board *board, uint32_t now);
void stop_travel(struct board *board, uint32_t now);
void begin_sorting(struct board *board, uint32_t now);
void stop_sorting(struct board *board, uint32_t now);
void sort_on(struct board *board, uint32_t now);
void paused(struct board *board, uint32_t now);
void resumed(struct board *board, uint32_t now);
void bench_done(struct board *board, uint32_t now);
void rolled(struct board *board, uint32_t now);
void key_stuck(struct board *board, uint32_t now);

#endif
