/* SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104) of short messages: for the virtual dice. */
#ifndef LONGZHUO_SHA256_H
#define LONGZHUO_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_DIGEST = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t state[8];
    uint32_t length; /* bytes so far */
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const uint8_t *bytes, size_t length);
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_DIGEST]);

/* HMAC under a key of at most SHA256_BLOCK bytes. */
void hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *message, size_t length,
                 uint8_t digest[SHA256_DIGEST]);

#endif
