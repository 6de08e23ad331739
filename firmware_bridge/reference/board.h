/* The core of a board: what stands between the line and the machine. One thread, no heap, no clock of its own:
   every function that takes now takes milliseconds of one steady clock, modulo 2^32. */
#ifndef LONGZHUO_BOARD_H
#define LONGZHUO_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link.h"
#include "messages.h"
#include "ring.h"
#include "sha256.h"

enum {
    REPORT_HEADER = 9,       /* opcode, number, clock */
    LONGEST_KEPT = 45,       /* longest report that history keeps (DiceCommitted) */
    KEPT_REPORTS = 64,       /* of the longest; of common ones about 200 */
    HISTORY_BYTES = KEPT_REPORTS * (LONGEST_KEPT + 1),
    FIRST_LEASE_MS = 1000,
    QUEUE_BYTES = 1024,      /* messages that wait for the link */
    OPS = 32,                /* commands whose answers are kept */
    OP_RANGES = 8,           /* ranges of the op_ids of this boot */
    JOBS = 4,                /* Get... commands whose reports go out piece by piece */
    FAULT_RECORDS = 24,
    STANDING_FAULTS = 12
};

struct config {
    uint8_t tiles;
    uint8_t stacks[SIDES];
    uint8_t dealt;
};

struct fault_record {
    uint32_t boot_id;
    uint32_t at_ms;
    uint16_t code; /* 0: an empty place */
    uint16_t evidence;
    uint8_t side;
    bool cleared;
};

/* What outlives a start: a firmware writes it to its memory and gives it to board_start. */
struct board_kept {
    uint32_t cycles;
    uint32_t openings;
    uint32_t lifts;
    uint32_t rolls;
    uint32_t motor_ms_rest; /* of a second */
    uint32_t motor_s;
    uint32_t faults;
    uint32_t last_cycle_ms;
    uint32_t boots;
    uint16_t jams[SIDES];
    struct config config;
    struct config pending;
    bool has_pending;
    bool locked;
    uint8_t hatch; /* states, as far as limit switches tell them */
    uint8_t walls;
    uint16_t table;         /* tiles on the table */
    uint16_t below;         /* tiles that lie loose inside */
    uint16_t staged[SIDES]; /* tiles in the walls below */
    struct fault_record log[FAULT_RECORDS];
    uint8_t log_next;
};

struct board_settings {
    uint32_t boot_id; /* another at every start */
    uint32_t uid;     /* the board's own */
    uint8_t cause;    /* enum reset_cause */
    uint8_t profile;  /* enum profile */
    uint16_t capabilities;
    uint16_t speed;   /* motions take this many times less; 1 at a real machine */
    const char *firmware; /* at most 20 bytes */
    uint8_t entropy[SHA256_DIGEST]; /* unpredictable, another at every start: the dice come from it */
};

struct timer {
    bool on;
    uint32_t at; /* the deadline */
};

/* A command that has begun and not ended. */
struct task {
    bool on;
    uint8_t opcode;
    uint32_t op_id;
};

enum task_kind {
    TASK_UPPER, /* hatch and carriers */
    TASK_CYCLE, /* StartCycle */
    TASK_HOLD,  /* PauseCycle, ResumeCycle, AbortCycle */
    TASK_DICE,
    TASK_BENCH, /* ClearJam, Jog, SelfTest */
    TASKS
};

/* Where hatch and carriers are going, and what for. */
enum purpose { FOR_NOTHING, FOR_COMMAND, FOR_CYCLE, FOR_PAUSE, FOR_RESUME };

struct op {
    uint32_t id;
    uint8_t stage; /* 0: an empty place; else ACCEPTED, REJECTED, DONE, FAILED */
    uint8_t why;   /* enum reject or enum fail */
    uint16_t fault;
};

struct job {
    uint32_t op_id;
    uint8_t opcode; /* 0: none */
    uint32_t next;
    uint32_t end;
};

struct fault {
    uint16_t code; /* 0: an empty place */
    uint16_t evidence;
    uint8_t side;
};

/* A roll of virtual dice under its seed. */
struct virtual_roll {
    uint32_t number; /* 0: none */
    uint8_t seed[SHA256_DIGEST];
};

struct board {
    struct board_settings settings;
    struct board_kept kept;
    struct link link;
    uint32_t start_ms;
    uint16_t messages;     /* handed to the link, of a thousand */
    uint32_t again_before; /* frames_again when these began */
    /* outgoing */
    struct ring queue;
    uint8_t queue_bytes[QUEUE_BYTES];
    struct ring history;
    uint8_t history_bytes[HISTORY_BYTES];
    uint32_t number;  /* of the latest report */
    uint32_t dropped; /* of the latest report that history no longer keeps */
    /* commands */
    struct op ops[OPS];
    uint8_t op_next;
    struct { uint32_t low, high; bool used; } op_ranges[OP_RANGES];
    struct job jobs[JOBS];
    struct task tasks[TASKS];
    /* regions */
    uint8_t state[REGIONS];
    struct fault faults[STANDING_FAULTS];
    bool key_since_stop;
    bool cover_open;
    bool leased;
    uint16_t lease_ms;
    struct timer service; /* while MaintenanceBegin is accepted */
    /* hatch and carriers */
    enum purpose purpose;
    uint8_t hatch_goal; /* 0: none */
    uint8_t walls_goal;
    bool by_host; /* begun by a command: ends with the lease */
    bool whole;   /* from one end to the other */
    bool lowered; /* carriers that rise were down before */
    struct timer travel;
    uint32_t travel_began;
    /* below */
    struct timer sorting; /* the next tile, or the end of waiting for one */
    uint32_t sorting_began;
    uint32_t turned_ms; /* since when the drum turns */
    uint16_t targets[SIDES];
    bool cycle;   /* one is under way, by command or by key */
    bool waits_for_tiles;
    uint8_t stacks[SIDES]; /* of this cycle alone; zeros: as configured */
    struct timer bench;
    uint8_t bench_argument; /* the side, or the number of the test */
    /* keys */
    uint32_t keys_down;  /* bit: 4 x (key - 1) + seat */
    uint32_t keys_stuck;
    uint32_t down_ms[32];
    struct timer stuck;
    /* dice */
    struct timer rolling;
    uint8_t dice_count;
    uint32_t chance_number;
    struct virtual_roll next; /* committed to, not rolled yet */
    struct virtual_roll last; /* rolled */
    uint32_t virtual_rolls;   /* committed to since the start */
    uint8_t entropy[SIDES][16];
    uint8_t entropy_given;    /* bit: seat */
};

/* kept is NULL at the first start ever. */
void board_start(struct board *board, const struct board_settings *settings, const struct board_kept *kept,
                 uint32_t now);

/* The line: bytes that came, and bytes to send (whole frames; room of at least FRAME_LIMIT). */
void board_receive(struct board *board, const uint8_t *bytes, size_t length, uint32_t now);
size_t board_output(struct board *board, uint8_t *out, size_t room, uint32_t now);

/* Time: board_timer does what is due; board_wait tells in how many milliseconds to call it (and board_output)
   again, LINK_FOREVER where only bytes or keys change anything. */
void board_timer(struct board *board, uint32_t now);
uint32_t board_wait(const struct board *board, uint32_t now);

/* The machine: what keys and sensors tell. */
void board_key(struct board *board, enum key key, uint8_t seat, bool down, uint32_t now);
/* Tiles were pushed into the open hatch; false where it is not open or the table has fewer. */
bool board_load(struct board *board, uint16_t tiles, uint32_t now);
void board_fault(struct board *board, uint16_t code, uint8_t side, uint16_t evidence, uint32_t now);
void board_fault_gone(struct board *board, uint16_t code, uint32_t now);
/* The mode switch of the console; false where the configuration does not add up. */
bool board_mode(struct board *board, const struct config *config, uint32_t now);

#endif
