/* What a program needs besides the core to use it as a shared library: sizes, counts, a start with plain
   arguments. Not part of a firmware. */
#include "board.h"

#include <string.h>

#include "bytes.h"

size_t link_size(void);
void link_counts(const struct link *link, uint32_t counts[4]);
uint32_t link_session(const struct link *link);
size_t board_size(void);
const struct link *board_link(const struct board *board);
void board_begin(struct board *board, const struct board *before, const uint32_t plain[5], uint32_t now);
void board_tiles(const struct board *board, uint16_t tiles[2 + SIDES]);

size_t link_size(void)
{
    return sizeof(struct link);
}

void link_counts(const struct link *link, uint32_t counts[4])
{
    counts[0] = link->frames_sent;
    counts[1] = link->frames_again;
    counts[2] = link->reader.good;
    counts[3] = link->reader.damaged;
}

uint32_t link_session(const struct link *link)
{
    return link->up ? link->session : 0x10000u;
}

size_t board_size(void)
{
    return sizeof(struct board);
}

const struct link *board_link(const struct board *board)
{
    return &board->link;
}

/* plain: boot_id, uid, cause, speed, capabilities. before: the board whose memory this start finds, or NULL; it
   may be the same. */
void board_begin(struct board *board, const struct board *before, const uint32_t plain[5], uint32_t now)
{
    struct board_kept kept;
    struct board_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.boot_id = plain[0];
    settings.uid = plain[1];
    settings.cause = (uint8_t)plain[2];
    settings.speed = (uint16_t)plain[3];
    settings.capabilities = (uint16_t)plain[4];
    settings.profile = FOUR_PORT;
    settings.firmware = "reference 1.1";
    put32(settings.entropy, plain[0]);
    if (before != NULL) {
        kept = before->kept;
    }
    board_start(board, &settings, before != NULL ? &kept : NULL, now);
}

void board_tiles(const struct board *board, uint16_t tiles[2 + SIDES])
{
    tiles[0] = board->kept.table;
    tiles[1] = board->kept.below;
    memcpy(tiles + 2, board->kept.staged, sizeof board->kept.staged);
}
