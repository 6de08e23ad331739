/* Faults that stand, their log, and what they do to the machine (PROTOCOL.md, section 13). */
#include "parts.h"

#define FAULT(name, code, severity, zh, en) {code, severity},
static const struct { uint16_t code; uint8_t severity; } severities[] = {FAULTS};
#undef FAULT

uint8_t severity_of(uint16_t code)
{
    for (size_t i = 0; i < sizeof severities / sizeof severities[0]; i++) {
        if (severities[i].code == code) {
            return severities[i].severity;
        }
    }
    return SEVERITY_WARN;
}

static struct fault *find(struct board *board, uint16_t code)
{
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        if (board->faults[i].code == code) {
            return &board->faults[i];
        }
    }
    return NULL;
}

bool stands(const struct board *board, uint16_t code)
{
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        if (board->faults[i].code == code) {
            return true;
        }
    }
    return false;
}

/* Home clears these, and begins only after ClearStop: they do not hold that up. */
static bool waits_for_home(uint16_t code)
{
    return code == FAULT_HAT_01 || code == FAULT_HAT_02 || code == FAULT_WAL_01 || code == FAULT_WAL_02;
}

bool stop_fault_stands(const struct board *board)
{
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        const uint16_t code = board->faults[i].code;
        if (code != NO_FAULT && severity_of(code) == SEVERITY_PROTECTIVE_STOP && !waits_for_home(code)) {
            return true;
        }
    }
    return false;
}

void report_fault(struct board *board, const struct fault *fault, bool live, uint32_t now)
{
    uint8_t fields[6];
    put16(fields, fault->code);
    fields[2] = severity_of(fault->code);
    fields[3] = fault->side;
    put16(fields + 4, fault->evidence);
    (live ? report_live : report)(board, REP_FAULT, fields, sizeof fields, now);
}

static void log_fault(struct board *board, const struct fault *fault, uint32_t now)
{
    const struct fault_record record = {
        board->settings.boot_id, now - board->start_ms, fault->code, fault->evidence, fault->side, false,
    };
    board->kept.log[board->kept.log_next] = record;
    board->kept.log_next = (uint8_t)((board->kept.log_next + 1) % FAULT_RECORDS);
    board->kept.faults++;
}

/* What is counted as a jam of its side. */
static bool is_counted(uint16_t code)
{
    return code == FAULT_FED_01 || code == FAULT_HED_01 || code == FAULT_HED_02 || code == FAULT_HED_04 ||
           code == FAULT_CHN_02 || code == FAULT_PSH_01;
}

bool is_jam(uint16_t code)
{
    return is_counted(code) || code == FAULT_CHN_01 || code == FAULT_DRM_01 || code == FAULT_RNG_01;
}

static uint8_t lower_after(const struct board *board, uint16_t code)
{
    if (code == FAULT_CNT_01 || code == FAULT_CNT_03) {
        return SHORT;
    }
    return code == FAULT_CNT_02 ? OVER : is_jam(code) ? JAMMED : lower_at_rest(board);
}

void board_fault(struct board *board, uint16_t code, uint8_t side, uint16_t evidence, uint32_t now)
{
    struct fault *place = find(board, NO_FAULT);
    if (stands(board, code) || place == NULL) {
        return;
    }
    const struct fault fault = {code, evidence, side};
    *place = fault;
    log_fault(board, &fault, now);
    report_fault(board, &fault, false, now);
    if (is_counted(code) && side < SIDES) {
        board->kept.jams[side]++;
    }
    board->cover_open = board->cover_open || code == FAULT_PWR_05;
    switch (severity_of(code)) {
    case SEVERITY_PROTECTIVE_STOP:
        stop_all(board, FAIL_FAULT, code, now);
        break;
    case SEVERITY_STOP_CYCLE:
        cycle_fails(board, FAIL_FAULT, code, lower_after(board, code), now);
        break;
    default:
        if (code == FAULT_SEN_01 && state_of(board, SAFETY) == OPERATIONAL) {
            set_state(board, DEGRADED, now);
        }
    }
}

void board_fault_gone(struct board *board, uint16_t code, uint32_t now)
{
    struct fault *fault = code == NO_FAULT ? NULL : find(board, code);
    if (fault == NULL) {
        return;
    }
    fault->code = NO_FAULT;
    for (size_t i = 0; i < FAULT_RECORDS; i++) {
        board->kept.log[i].cleared = board->kept.log[i].cleared || board->kept.log[i].code == code;
    }
    uint8_t fields[2];
    put16(fields, code);
    report(board, REP_FAULT_CLEARED, fields, sizeof fields, now);
    board->cover_open = board->cover_open && code != FAULT_PWR_05;
    if (code == FAULT_SEN_01 && state_of(board, SAFETY) == DEGRADED) {
        set_state(board, OPERATIONAL, now);
    }
    if (code == FAULT_EST_01 && state_of(board, SAFETY) == STOP_CHAIN_OPEN) {
        set_state(board, PROTECTIVE_STOP, now);
    }
}
