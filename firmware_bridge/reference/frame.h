/* Frames: COBS and CRC-32 (PROTOCOL.md, section 2). */
#ifndef LONGZHUO_FRAME_H
#define LONGZHUO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FRAME_LIMIT = 64,              /* a whole frame with its 00 */
    FRAME_CRC = 4,
    FRAME_PAYLOAD = 58,            /* longest payload */
    FRAME_CODED = FRAME_LIMIT - 1  /* longest run of bytes before a 00 */
};

/* Finds frames in whatever bytes arrive. All zero is its first state. */
struct frame_reader {
    uint8_t bytes[FRAME_CODED];
    uint8_t length;   /* bytes since the last 00 */
    bool too_long;    /* everything up to the next 00 is dropped */
    uint32_t good;    /* frames */
    uint32_t damaged; /* frames that were too long, broke COBS or had a wrong CRC */
};

uint32_t frame_crc(const uint8_t *bytes, size_t length);

/* Writes the frame of a payload of 1..FRAME_PAYLOAD bytes to out (FRAME_LIMIT bytes); returns its length. */
size_t frame_write(const uint8_t *payload, size_t length, uint8_t *out);

/* Takes one byte. Where it ends a good frame: the length of its payload, which stands in bytes until the
   next call; else 0. */
size_t frame_take(struct frame_reader *reader, uint8_t byte);

#endif
