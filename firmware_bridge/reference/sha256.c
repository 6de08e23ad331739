#include "sha256.h"

#include <string.h>

/* Fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
    0x428A2F98u, 0x71374491u, 0xB5C0FBCFu, 0xE9B5DBA5u, 0x3956C25Bu, 0x59F111F1u, 0x923F82A4u, 0xAB1C5ED5u,
    0xD807AA98u, 0x12835B01u, 0x243185BEu, 0x550C7DC3u, 0x72BE5D74u, 0x80DEB1FEu, 0x9BDC06A7u, 0xC19BF174u,
    0xE49B69C1u, 0xEFBE4786u, 0x0FC19DC6u, 0x240CA1CCu, 0x2DE92C6Fu, 0x4A7484AAu, 0x5CB0A9DCu, 0x76F988DAu,
    0x983E5152u, 0xA831C66Du, 0xB00327C8u, 0xBF597FC7u, 0xC6E00BF3u, 0xD5A79147u, 0x06CA6351u, 0x14292967u,
    0x27B70A85u, 0x2E1B2138u, 0x4D2C6DFCu, 0x53380D13u, 0x650A7354u, 0x766A0ABBu, 0x81C2C92Eu, 0x92722C85u,
    0xA2BFE8A1u, 0xA81A664Bu, 0xC24B8B70u, 0xC76C51A3u, 0xD192E819u, 0xD6990624u, 0xF40E3585u, 0x106AA070u,
    0x19A4C116u, 0x1E376C08u, 0x2748774Cu, 0x34B0BCB5u, 0x391C0CB3u, 0x4ED8AA4Au, 0x5B9CCA4Fu, 0x682E6FF3u,
    0x748F82EEu, 0x78A5636Fu, 0x84C87814u, 0x8CC70208u, 0x90BEFFFAu, 0xA4506CEBu, 0xBEF9A3F7u, 0xC67178F2u,
};

static uint32_t turn(uint32_t word, unsigned bits)
{
    return word >> bits | word << (32 - bits);
}

static void digest_block(struct sha256 *sha)
{
    uint32_t w[64];
    for (size_t i = 0; i < 16; i++) {
        const uint8_t *b = sha->block + 4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | (uint32_t)b[3];
    }
    for (size_t i = 16; i < 64; i++) {
        const uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
        const uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t v[8];
    memcpy(v, sha->state, sizeof v);
    for (size_t i = 0; i < 64; i++) {
        const uint32_t s1 = turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25);
        const uint32_t t1 = v[7] + s1 + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + w[i];
        const uint32_t s0 = turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22);
        const uint32_t t2 = s0 + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (size_t i = 0; i < 8; i++) {
        sha->state[i] += v[i];
    }
}

void sha256_begin(struct sha256 *sha)
{
    /* Fractions of the square roots of the first 8 primes. */
    static const uint32_t first[8] = {
        0x6A09E667u, 0xBB67AE85u, 0x3C6EF372u, 0xA54FF53Au, 0x510E527Fu, 0x9B05688Cu, 0x1F83D9ABu, 0x5BE0CD19u,
    };
    memset(sha, 0, sizeof *sha);
    memcpy(sha->state, first, sizeof first);
}

void sha256_add(struct sha256 *sha, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        sha->block[sha->length++ % SHA256_BLOCK] = bytes[i];
        if (sha->length % SHA256_BLOCK == 0) {
            digest_block(sha);
        }
    }
}

void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_DIGEST])
{
    const uint32_t bits = sha->length * 8;
    uint8_t byte = 0x80;
    do {
        sha256_add(sha, &byte, 1);
        byte = 0;
    } while (sha->length % SHA256_BLOCK != SHA256_BLOCK - 8);
    for (unsigned i = 0; i < 8; i++) {
        byte = (uint8_t)(i < 4 ? 0 : bits >> (56 - 8 * i));
        sha256_add(sha, &byte, 1);
    }
    for (size_t i = 0; i < SHA256_DIGEST; i++) {
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static void begin_with_key(struct sha256 *sha, const uint8_t *key, size_t length, uint8_t mask)
{
    sha256_begin(sha);
    for (size_t i = 0; i < SHA256_BLOCK; i++) {
        const uint8_t byte = (uint8_t)((i < length ? key[i] : 0) ^ mask);
        sha256_add(sha, &byte, 1);
    }
}

void hmac_sha256(const uint8_t *key, size_t key_length, const uint8_t *message, size_t length,
                 uint8_t digest[SHA256_DIGEST])
{
    struct sha256 sha;
    begin_with_key(&sha, key, key_length, 0x36);
    sha256_add(&sha, message, length);
    sha256_end(&sha, digest);
    begin_with_key(&sha, key, key_length, 0x5C);
    sha256_add(&sha, digest, SHA256_DIGEST);
    sha256_end(&sha, digest);
}
