#include "frame.h"

uint32_t frame_crc(const uint8_t *bytes, size_t length)
{
    /* Four bits at a time: sixteen words of flash, and fast enough for a serial line. */
    static const uint32_t nibble[16] = {
        0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
        0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
    };
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ nibble[crc & 15u];
        crc = (crc >> 4) ^ nibble[crc & 15u];
    }
    return crc ^ 0xFFFFFFFFu;
}

size_t frame_write(const uint8_t *payload, size_t length, uint8_t *out)
{
    const uint32_t crc = frame_crc(payload, length);
    size_t mark = 0; /* where the length byte of the part now being written stands */
    size_t end = 1;
    for (size_t i = 0; i < length + FRAME_CRC; i++) {
        const uint8_t byte = (uint8_t)(i < length ? payload[i] : crc >> (8 * (i - length)));
        if (byte == 0) {
            out[mark] = (uint8_t)(end - mark);
            mark = end++;
        } else {
            out[end++] = byte;
        }
    }
    out[mark] = (uint8_t)(end - mark);
    out[end++] = 0;
    return end;
}

/* Undoes COBS in place; the number of bytes, 0 where a part reaches beyond the end. */
static size_t uncob(uint8_t *bytes, size_t length)
{
    size_t from = 0;
    size_t to = 0;
    while (from < length) {
        const size_t part = bytes[from++];
        if (part - 1 > length - from) {
            return 0;
        }
        for (size_t i = 1; i < part; i++) {
            bytes[to++] = bytes[from++];
        }
        if (from < length) {
            bytes[to++] = 0;
        }
    }
    return to;
}

/* The length of the payload of the bytes read, 0 where they are no good frame. */
static size_t payload_length(struct frame_reader *reader)
{
    const size_t length = uncob(reader->bytes, reader->length);
    if (length <= FRAME_CRC) {
        return 0;
    }
    const uint8_t *tail = reader->bytes + length - FRAME_CRC;
    const uint32_t crc =
        (uint32_t)tail[0] | (uint32_t)tail[1] << 8 | (uint32_t)tail[2] << 16 | (uint32_t)tail[3] << 24;
    return frame_crc(reader->bytes, length - FRAME_CRC) == crc ? length - FRAME_CRC : 0;
}

size_t frame_take(struct frame_reader *reader, uint8_t byte)
{
    if (byte != 0) {
        if (reader->length < FRAME_CODED) {
            reader->bytes[reader->length++] = byte;
        } else {
            reader->too_long = true;
        }
        return 0;
    }
    const bool empty = reader->length == 0;
    const size_t payload = reader->too_long ? 0 : payload_length(reader);
    reader->length = 0;
    reader->too_long = false;
    if (payload > 0) {
        reader->good++;
    } else if (!empty) {
        reader->damaged++;
    }
    return payload;
}
