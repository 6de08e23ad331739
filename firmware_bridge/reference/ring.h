/* Messages one behind the other in a ring of bytes: the queue to the link, and the history of reports. */
#ifndef LONGZHUO_RING_H
#define LONGZHUO_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
    uint8_t *bytes;
    size_t size;
    size_t first; /* where the oldest message begins */
    size_t used;
    size_t count; /* messages */
};

void ring_start(struct ring *ring, uint8_t *bytes, size_t size);

/* Bytes a message may have at most to fit now. */
size_t ring_room(const struct ring *ring);

/* Appends a message of 1..255 bytes; there must be room. */
void ring_put(struct ring *ring, const uint8_t *message, size_t length);

/* Copies the message that begins offset bytes after the oldest; its length, 0 where none begins. The next one
   begins at offset + 1 + length. */
size_t ring_peek(const struct ring *ring, size_t offset, uint8_t *message);

/* Drops the oldest message; there must be one. Its length. */
size_t ring_drop(struct ring *ring);

#endif
