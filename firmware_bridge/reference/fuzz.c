/* Feeds a board with random and mutated bytes, keys, faults and jumps in time; to be compiled with sanitizers.
   Usage: fuzz SEED BYTES. After every piece the next good frame must be answered, and no tile may be lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"
#include "bytes.h"
#include "faults.h"

static struct board board;
static uint64_t chance_state;
static uint32_t now = 0xFFFF0000u; /* the clock goes round soon */
static unsigned long long fed;
static unsigned long answered;

static uint32_t roll(uint32_t below)
{
    chance_state ^= chance_state << 13;
    chance_state ^= chance_state >> 7;
    chance_state ^= chance_state << 17;
    return (uint32_t)(chance_state >> 16) % below;
}

static void fail(const char *what)
{
    fprintf(stderr, "fuzz: %s after %llu bytes\n", what, fed);
    exit(1);
}

static unsigned tiles(void)
{
    unsigned sum = (unsigned)board.kept.table + board.kept.below;
    for (size_t i = 0; i < SIDES; i++) {
        sum += board.kept.staged[i];
    }
    return sum;
}

static void begin(uint32_t boot_id)
{
    const struct board_kept kept = board.kept;
    struct board_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.boot_id = boot_id;
    settings.cause = (uint8_t)(1 + roll(5));
    settings.profile = FOUR_PORT;
    settings.capabilities = roll(4) == 0 ? (uint16_t)roll(0x10000) : 0x07FF;
    settings.speed = (uint16_t)(5 + roll(200));
    settings.firmware = "fuzzed";
    board_start(&board, &settings, boot_id == 1 ? NULL : &kept, now);
}

/* Feeds in pieces, and takes what comes out. Where out is not NULL it gets the first bytes. */
static size_t feed(const uint8_t *bytes, size_t length, uint8_t *out, size_t room)
{
    uint8_t sink[1024];
    const size_t cut = length > 0 ? roll((uint32_t)length) : 0;
    size_t got = 0;
    board_receive(&board, bytes, cut, now);
    board_receive(&board, bytes + cut, length - cut, now);
    fed += length;
    for (size_t i = 0; i < 8; i++) {
        const size_t n = board_output(&board, sink, FRAME_LIMIT + roll(900), now);
        for (size_t j = 0; j < n && got < room; j++) {
            out[got++] = sink[j];
        }
    }
    return got;
}

static size_t message(uint8_t *body)
{
    static uint32_t op_id;
    static const uint8_t usual[] = {1, 1, 3, 3, 3, 3, 4, 4, 6, 0x11, 0x11, 0x12, 0x13, 0x14,
                                    0x15, 0x16, 0x16, 0x18, 0x20, 0x20, 0x21, 0x22, 0x23, 0x0D};
    static const uint8_t config[] = {108, 14, 13, 14, 13, 0};
    const size_t length = 5 + roll(24);
    const bool plain = roll(3) > 0; /* zeros: StartCycle as configured, side 0 */
    for (size_t i = 0; i < length; i++) {
        body[i] = (uint8_t)(plain ? 0 : roll(3) == 0 ? roll(256) : roll(18));
    }
    body[0] = (uint8_t)(roll(8) == 0 ? roll(256) : 1 + roll(0x24));
    if (roll(4) > 0) {
        body[0] = usual[roll(sizeof usual)];
    }
    if (body[0] == 0x0D && plain) {
        memcpy(body + 5, config, sizeof config);
    } else if (body[0] >= 0x22 && plain) {
        body[5] = body[7] = 1; /* a motor for a millisecond, a test */
    }
    put32(body + 1, roll(4) == 0 ? roll(1000) : ++op_id);
    return length;
}

static size_t frame(uint8_t *out)
{
    uint8_t payload[FRAME_PAYLOAD];
    size_t length = LINK_HEADER;
    for (size_t i = 0; i < sizeof payload; i++) {
        payload[i] = (uint8_t)roll(256);
    }
    if (roll(8) == 0) {
        return frame_write(payload, 1 + roll(FRAME_PAYLOAD), out);
    }
    payload[0] = (uint8_t)(roll(2) == 0 ? 3 : 1 + roll(5));
    put16(payload + 1, (uint16_t)(roll(4) == 0 ? board.link.offered : board.link.session));
    put16(payload + 3, (uint16_t)(board.link.expected + roll(roll(4) == 0 ? 12 : 1)));
    put16(payload + 5, (uint16_t)(board.link.first + roll(10)));
    payload[7] = (uint8_t)(roll(2) == 0 ? 0 : roll(256));
    if (payload[0] == 3) {
        length += message(payload + LINK_HEADER);
    } else if (payload[0] == 4) {
        put32(payload + LINK_HEADER, roll(2) == 0 ? 0 : board.settings.boot_id);
        length += 4;
    } else {
        length += roll(20);
        payload[LINK_HEADER + 2] = (uint8_t)roll(12);
    }
    return frame_write(payload, length, out);
}

static void mutate(uint8_t *bytes, size_t *length)
{
    const size_t at = roll((uint32_t)*length);
    switch (roll(5)) {
    case 0: bytes[at] = (uint8_t)(bytes[at] ^ 1u << roll(8)); break;
    case 1: *length = at; break;
    case 2: bytes[at] = (uint8_t)roll(256); break;
    case 3: memmove(bytes + at, bytes + at + 1, *length - at - 1); --*length; break;
    default: break; /* as good as it was */
    }
}

#define FAULT(name, code, severity, zh, en) code,
static const uint16_t codes[] = {FAULTS};
#undef FAULT

static void people(void)
{
    const uint16_t code = codes[roll(sizeof codes / sizeof codes[0])];
    switch (roll(24)) {
    case 0: case 5: case 6: case 7: board_key(&board, (enum key)(1 + roll(8)), (uint8_t)roll(SIDES), roll(2) == 0, now); break;
    case 1: board_load(&board, (uint16_t)roll(200), now); break;
    case 2: board_fault(&board, code, (uint8_t)(roll(2) == 0 ? NO_SIDE : roll(SIDES)), (uint16_t)roll(100), now); break;
    case 3: case 8: case 9: case 10:
        for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
            board_fault_gone(&board, codes[i], now);
        }
        break;
    case 4:
        if (roll(50) == 0) {
            begin(board.settings.boot_id + 1);
        }
        break;
    case 11: {
        const struct config config = {136, {17, 17, 17, (uint8_t)(16 + roll(2))}, 0};
        board_mode(&board, &config, now);
        break;
    }
    case 12: board_key(&board, KEY_SERVICE, 0, roll(2) == 0, now); break;
    case 13: case 14:
        board_key(&board, KEY_LIFT, 0, roll(3) > 0, now);
        board_key(&board, KEY_LIFT, 2, roll(3) > 0, now);
        break;
    default: board_load(&board, roll(4) == 0 ? board.kept.table / 2 : board.kept.table, now); break;
    }
}

/* Whatever came before: after a 00 a RESET of a new session is answered. */
static void expect_an_answer(void)
{
    static uint16_t session;
    uint8_t out[1024];
    uint8_t good[1 + FRAME_LIMIT] = {0};
    uint8_t payload[11] = {1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 8};
    struct frame_reader reader;
    do {
        session++;
    } while ((board.link.up && session == board.link.session) || (board.link.has_ended && session == board.link.ended));
    put16(payload + 1, session);
    const size_t length = 1 + frame_write(payload, sizeof payload, good + 1);
    const size_t got = feed(good, length, out, sizeof out);
    memset(&reader, 0, sizeof reader);
    for (size_t i = 0; i < got; i++) {
        if (frame_take(&reader, out[i]) > 0 && reader.bytes[0] == 2 && get16(reader.bytes + 1) == session) {
            answered++;
            return;
        }
    }
    fail("a good RESET was not answered");
}

int main(int count, char **words)
{
    uint8_t bytes[256];
    if (count != 3) {
        return 2;
    }
    chance_state = strtoull(words[1], NULL, 10) * 2654435761u + 88172645463325252u;
    const unsigned long long enough = strtoull(words[2], NULL, 10);
    begin(1);
    while (fed < enough) {
        size_t length = roll(sizeof bytes - FRAME_LIMIT);
        if (roll(5) == 0) {
            for (size_t i = 0; i < length; i++) {
                bytes[i] = (uint8_t)roll(256);
            }
        } else {
            length = frame(bytes);
            if (roll(3) == 0) {
                mutate(bytes, &length);
            }
        }
        feed(bytes, length, NULL, 0);
        if (roll(4) == 0) {
            people();
        }
        now += roll(60) == 0 ? roll(8000) : roll(30);
        if (board_wait(&board, now) > LINK_FOREVER - 1 && board.link.up) {
            fail("a board that is up waits for ever");
        }
        board_timer(&board, now);
        if (roll(20) == 0) {
            expect_an_answer();
        }
        if (tiles() != 136) {
            fail("a tile is lost");
        }
        if (board.queue.used > QUEUE_BYTES || board.history.used > HISTORY_BYTES) {
            fail("a ring holds too much");
        }
        if (board.sorting.on && board.state[HATCH] != HATCH_CLOSED) {
            fail("tiles are sorted under an open hatch");
        }
    }
    printf("%llu bytes, %lu answers, %lu cycles, %lu lifts, %lu reports, %lu good and %lu damaged frames\n", fed, answered,
           (unsigned long)board.kept.cycles, (unsigned long)board.kept.lifts, (unsigned long)board.number,
           (unsigned long)board.link.reader.good, (unsigned long)board.link.reader.damaged);
    return 0;
}
