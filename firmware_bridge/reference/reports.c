/* What the board says: reports get numbers, the last ones are kept, all go through one queue to the link. */
#include <string.h>

#include "parts.h"

void queue_message(struct board *board, const uint8_t *message, size_t length, uint32_t now)
{
    if (!board->link.up) {
        return;
    }
    if (ring_room(&board->queue) < length) {
        link_drop(&board->link, LINK_CLOSED, now);
        return;
    }
    ring_put(&board->queue, message, length);
}

size_t queue_room(const struct board *board)
{
    return ring_room(&board->queue);
}

static size_t write_report(struct board *board, uint8_t *message, enum report opcode, const uint8_t *fields,
                           size_t length, uint32_t now)
{
    message[0] = (uint8_t)opcode;
    put32(message + 1, ++board->number);
    put32(message + 5, now - board->start_ms);
    memcpy(message + REPORT_HEADER, fields, length);
    return REPORT_HEADER + length;
}

void report(struct board *board, enum report opcode, const uint8_t *fields, size_t length, uint32_t now)
{
    uint8_t message[LINK_MESSAGE];
    const size_t size = write_report(board, message, opcode, fields, length, now);
    while (ring_room(&board->history) < size) {
        board->dropped = oldest_kept(board);
        ring_drop(&board->history);
    }
    ring_put(&board->history, message, size);
    queue_message(board, message, size, now);
}

void report_live(struct board *board, enum report opcode, const uint8_t *fields, size_t length, uint32_t now)
{
    uint8_t message[LINK_MESSAGE];
    if (board->link.up) {
        queue_message(board, message, write_report(board, message, opcode, fields, length, now), now);
    }
}

uint32_t oldest_kept(const struct board *board)
{
    uint8_t message[LINK_MESSAGE];
    return ring_peek(&board->history, 0, message) > 0 ? get32(message + 1) : board->number + 1;
}

uint32_t queue_kept(struct board *board, uint32_t first, uint32_t end, uint32_t now)
{
    uint8_t message[LINK_MESSAGE];
    size_t offset = 0;
    for (;;) {
        const size_t length = ring_peek(&board->history, offset, message);
        if (length == 0 || get32(message + 1) >= end) {
            return end;
        }
        if (get32(message + 1) >= first) {
            queue_message(board, message, length, now);
            return get32(message + 1) + 1;
        }
        offset += 1 + length;
    }
}

/* ---- how everything stands ---- */

static uint8_t flags(const struct board *board)
{
    return (uint8_t)((board->kept.locked ? FLAG_LOCKED : 0) | (board->cover_open ? FLAG_COVER_OPEN : 0) |
                     (board->leased ? FLAG_LEASED : 0));
}

void report_status(struct board *board, uint32_t now)
{
    uint8_t fields[14];
    memcpy(fields, board->state, REGIONS);
    for (size_t i = 0; i < SIDES; i++) {
        fields[REGIONS + i] = (uint8_t)board->kept.staged[i];
    }
    put32(fields + 9, board->kept.cycles);
    fields[13] = flags(board);
    report_live(board, REP_STATUS, fields, sizeof fields, now);
}

void report_counters(struct board *board, uint32_t now)
{
    const struct board_kept *kept = &board->kept;
    const uint32_t since_made[6] = {kept->cycles, kept->openings, kept->lifts, kept->rolls, kept->motor_s, kept->faults};
    uint8_t fields[40];
    for (size_t i = 0; i < 6; i++) {
        put32(fields + 4 * i, since_made[i]);
    }
    for (size_t i = 0; i < SIDES; i++) {
        put16(fields + 24 + 2 * i, kept->jams[i]);
    }
    put32(fields + 32, kept->last_cycle_ms);
    put32(fields + 36, kept->boots);
    report_live(board, REP_COUNTERS, fields, sizeof fields, now);
}

void put_config(uint8_t *bytes, const struct config *config)
{
    bytes[0] = config->tiles;
    memcpy(bytes + 1, config->stacks, SIDES);
    bytes[5] = config->dealt;
}

void report_config(struct board *board, const struct config *config, bool pending, uint32_t now)
{
    uint8_t fields[11];
    put_config(fields, config);
    fields[6] = pending ? 1 : 0;
    put32(fields + 7, frame_crc(fields, 6));
    report_live(board, REP_CONFIG, fields, sizeof fields, now);
}

void report_fault_record(struct board *board, const struct fault_record *record, uint32_t now)
{
    uint8_t fields[15];
    put32(fields, record->boot_id);
    put32(fields + 4, record->at_ms);
    put16(fields + 8, record->code);
    fields[10] = severity_of(record->code);
    fields[11] = record->side;
    put16(fields + 12, record->evidence);
    fields[14] = record->cleared ? 1 : 0;
    report_live(board, REP_FAULT_RECORD, fields, sizeof fields, now);
}

void report_link(struct board *board, uint32_t now)
{
    uint8_t fields[16];
    put32(fields, board->link.frames_sent);
    put32(fields + 4, board->link.frames_again);
    put32(fields + 8, board->link.reader.good);
    put32(fields + 12, board->link.reader.damaged);
    report_live(board, REP_LINK_COUNTS, fields, sizeof fields, now);
}

void report_introduction(struct board *board, uint32_t now)
{
    const struct board_settings *settings = &board->settings;
    enum { LONGEST_NAME = 20 };
    const size_t length = strlen(settings->firmware);
    const size_t name = length < LONGEST_NAME ? length : LONGEST_NAME;
    uint8_t fields[14 + LONGEST_NAME];
    put32(fields, settings->boot_id);
    fields[4] = settings->cause;
    fields[5] = PROTOCOL_MAJOR;
    fields[6] = PROTOCOL_MINOR;
    fields[7] = settings->profile;
    put16(fields + 8, settings->capabilities);
    put32(fields + 10, settings->uid);
    memcpy(fields + 14, settings->firmware, name);
    report_live(board, REP_BOOTED, fields, 14 + name, now);
    for (size_t i = 0; i < STANDING_FAULTS; i++) {
        if (board->faults[i].code != NO_FAULT) {
            report_fault(board, &board->faults[i], true, now);
        }
    }
    report_status(board, now);
}
