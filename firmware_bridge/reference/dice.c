/* Dice: chance of the board's own, and virtual rolls by commitment and reveal (PROTOCOL.md). */
#include <string.h>

#include "parts.h"

void chance(struct board *board, uint8_t digest[SHA256_DIGEST])
{
    uint8_t number[4];
    struct sha256 sha;
    put32(number, board->chance_number++);
    sha256_begin(&sha);
    sha256_add(&sha, board->settings.entropy, SHA256_DIGEST);
    sha256_add(&sha, number, 4);
    sha256_end(&sha, digest);
}

static void report_roll(struct board *board, enum report opcode, uint32_t number, const uint8_t *bytes, uint32_t now)
{
    uint8_t fields[4 + SHA256_DIGEST];
    put32(fields, number);
    memcpy(fields + 4, bytes, SHA256_DIGEST);
    report(board, opcode, fields, sizeof fields, now);
}

void dice_commit(struct board *board, uint32_t now)
{
    uint8_t digest[SHA256_DIGEST];
    struct sha256 sha;
    board->next.number = ++board->virtual_rolls;
    chance(board, board->next.seed);
    memset(board->entropy, 0, sizeof board->entropy);
    board->entropy_given = 0;
    sha256_begin(&sha);
    sha256_add(&sha, board->next.seed, SHA256_DIGEST);
    sha256_end(&sha, digest);
    report_roll(board, REP_DICE_COMMITTED, board->next.number, digest, now);
}

void dice_reveal(struct board *board, uint32_t now)
{
    report_roll(board, REP_DICE_REVEALED, board->last.number, board->last.seed, now);
}

/* Bytes below 252 are fair sixths; the others are passed over. */
static size_t take_values(const uint8_t *bytes, uint8_t *values, size_t have, size_t count)
{
    for (size_t i = 0; i < SHA256_DIGEST && have < count; i++) {
        if (bytes[i] < 252) {
            values[have++] = (uint8_t)(1 + bytes[i] % 6);
        }
    }
    return have;
}

static void virtual_values(struct board *board, uint8_t count, uint8_t *values)
{
    uint8_t message[4 + SIDES * 16 + 4];
    uint8_t digest[SHA256_DIGEST];
    put32(message, board->next.number);
    memcpy(message + 4, board->entropy, sizeof board->entropy);
    size_t have = 0;
    for (uint32_t counter = 0; have < count; counter++) {
        put32(message + 4 + SIDES * 16, counter);
        hmac_sha256(board->next.seed, SHA256_DIGEST, message, sizeof message, digest);
        have = take_values(digest, values, have, count);
    }
    board->last = board->next;
    board->next.number = 0;
}

size_t dice_values(struct board *board, uint8_t count, uint8_t *values)
{
    if (board->next.number != 0) {
        virtual_values(board, count, values);
        return count;
    }
    if ((board->settings.capabilities & CAN_DICE) == 0) {
        return 0;
    }
    uint8_t digest[SHA256_DIGEST];
    size_t have = 0;
    while (have < count) {
        chance(board, digest);
        have = take_values(digest, values, have, count);
    }
    return count;
}
