/* The board as a whole: its start, its sessions, bytes in and out, time. */
#include "board.h"

#include <string.h>

#include "parts.h"

static void on_up(void *context, uint32_t now)
{
    struct board *board = context;
    board->lease_ms = FIRST_LEASE_MS;
    board->leased = false;
    board_fault_gone(board, FAULT_LNK_01, now); /* for history: the host hears of nothing before Booted */
    ring_start(&board->queue, board->queue_bytes, sizeof board->queue_bytes);
    /* What was sent again to a host that had gone says nothing about the line. */
    board->messages = 0;
    board->again_before = board->link.frames_again;
    report_introduction(board, now);
}

/* A command may end others: each of them, and each region that changes, has something to say. */
static bool on_takes(void *context)
{
    enum { ANSWERS = 256 };
    return queue_room(context) >= ANSWERS;
}

static void on_message(void *context, const uint8_t *bytes, size_t length, uint32_t now)
{
    take_command(context, bytes, length, now);
}

static void on_lost(void *context, enum link_loss why, uint32_t now)
{
    struct board *board = context;
    ring_start(&board->queue, board->queue_bytes, sizeof board->queue_bytes);
    fail_jobs(board, now);
    leave_maintenance(board, now);
    if (why == LINK_REPLACED) {
        return; /* the host is back already */
    }
    stop_for_lost_host(board, now);
    board_fault(board, FAULT_LNK_01, NO_SIDE, (uint16_t)why, now);
}

void board_start(struct board *board, const struct board_settings *settings, const struct board_kept *kept,
                 uint32_t now)
{
    static const struct config first = {136, {17, 17, 17, 17}, 0};
    const struct link_owner owner = {board, on_up, on_takes, on_message, on_lost};
    memset(board, 0, sizeof *board);
    board->settings = *settings;
    board->lease_ms = FIRST_LEASE_MS;
    board->start_ms = now;
    if (kept != NULL) {
        board->kept = *kept;
    } else {
        board->kept.config = first;
        board->kept.hatch = HATCH_CLOSED;
        board->kept.walls = WALLS_DOWN;
        board->kept.table = first.tiles;
    }
    board->kept.boots++;
    ring_start(&board->queue, board->queue_bytes, sizeof board->queue_bytes);
    ring_start(&board->history, board->history_bytes, sizeof board->history_bytes);
    link_start(&board->link, &owner, settings->boot_id);
    machine_start(board, now);
}

void board_receive(struct board *board, const uint8_t *bytes, size_t length, uint32_t now)
{
    link_receive(&board->link, bytes, length, now);
}

void board_timer(struct board *board, uint32_t now)
{
    link_timer(&board->link, now);
    machine_timer(board, now);
}

/* After every thousand messages: were more than ten of them sent again? */
static void watch_quality(struct board *board, uint32_t now)
{
    enum { MESSAGES = 1000, BAD = 10 };
    if (++board->messages < MESSAGES) {
        return;
    }
    const uint32_t again = board->link.frames_again - board->again_before;
    board->messages = 0;
    board->again_before = board->link.frames_again;
    if (again > BAD) {
        board_fault(board, FAULT_LNK_02, NO_SIDE, (uint16_t)(again < 1000 ? again : 1000), now);
    } else {
        board_fault_gone(board, FAULT_LNK_02, now);
    }
}

static bool hands_over(struct board *board, uint32_t now)
{
    uint8_t message[LINK_MESSAGE];
    if (board->queue.count == 0 || link_room(&board->link, false) == 0) {
        return false;
    }
    link_send(&board->link, message, ring_peek(&board->queue, 0, message));
    ring_drop(&board->queue);
    watch_quality(board, now);
    return true;
}

size_t board_output(struct board *board, uint8_t *out, size_t room, uint32_t now)
{
    size_t length = 0;
    while (room - length >= FRAME_LIMIT) {
        do {
            work_on_jobs(board, now);
        } while (hands_over(board, now));
        link_hand_on(&board->link, now);
        const size_t frame = link_output(&board->link, out + length, now);
        if (frame == 0) {
            break;
        }
        length += frame;
    }
    return length;
}

uint32_t board_wait(const struct board *board, uint32_t now)
{
    const uint32_t link = link_wait(&board->link, now);
    const uint32_t machine = machine_wait(board, now);
    if (board->queue.count > 0 && link_room(&board->link, false) > 0) {
        return 0;
    }
    return link < machine ? link : machine;
}
