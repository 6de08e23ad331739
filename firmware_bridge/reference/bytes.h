/* Numbers as they stand on the line: unsigned and little-endian (PROTOCOL.md, section 1). */
#ifndef LONGZHUO_BYTES_H
#define LONGZHUO_BYTES_H

#include <stdint.h>

static inline uint16_t get16(const uint8_t *bytes)
{
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t get32(const uint8_t *bytes)
{
    return (uint32_t)get16(bytes) | (uint32_t)get16(bytes + 2) << 16;
}

static inline void put16(uint8_t *bytes, uint16_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static inline void put32(uint8_t *bytes, uint32_t value)
{
    put16(bytes, (uint16_t)value);
    put16(bytes + 2, (uint16_t)(value >> 16));
}

#endif
