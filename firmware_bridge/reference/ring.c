#include "ring.h"

#include <string.h>

void ring_start(struct ring *ring, uint8_t *bytes, size_t size)
{
    memset(ring, 0, sizeof *ring);
    ring->bytes = bytes;
    ring->size = size;
}

size_t ring_room(const struct ring *ring)
{
    const size_t room = ring->size - ring->used;
    return room > 0 ? room - 1 : 0;
}

void ring_put(struct ring *ring, const uint8_t *message, size_t length)
{
    const size_t start = ring->first + ring->used;
    ring->bytes[start % ring->size] = (uint8_t)length;
    for (size_t i = 0; i < length; i++) {
        ring->bytes[(start + 1 + i) % ring->size] = message[i];
    }
    ring->used += length + 1;
    ring->count++;
}

size_t ring_peek(const struct ring *ring, size_t offset, uint8_t *message)
{
    if (offset >= ring->used) {
        return 0;
    }
    const size_t start = ring->first + offset;
    const size_t length = ring->bytes[start % ring->size];
    for (size_t i = 0; i < length; i++) {
        message[i] = ring->bytes[(start + 1 + i) % ring->size];
    }
    return length;
}

size_t ring_drop(struct ring *ring)
{
    const size_t length = ring->bytes[ring->first % ring->size];
    ring->first = (ring->first + 1 + length) % ring->size;
    ring->used -= length + 1;
    ring->count--;
    return length;
}
