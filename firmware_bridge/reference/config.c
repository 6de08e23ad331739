/* Sets of tiles: what adds up, what waits, and the commands for it (PROTOCOL.md, section 9.2). */
#include "requests.h"

bool is_set(unsigned tiles)
{
    static const uint8_t sets[] = {108, 112, 120, 124, 136, 144, 152};
    for (size_t i = 0; i < sizeof sets; i++) {
        if (sets[i] == tiles) {
            return true;
        }
    }
    return false;
}

unsigned twice(const uint8_t *stacks)
{
    return 2u * stacks[0] + 2u * stacks[1] + 2u * stacks[2] + 2u * stacks[3];
}

bool within(const uint8_t *stacks)
{
    return stacks[0] <= 20 && stacks[1] <= 20 && stacks[2] <= 20 && stacks[3] <= 20;
}

bool config_fits(const struct board *board, const struct config *config)
{
    const bool deals = (board->settings.capabilities & CAN_DEALS) != 0;
    return is_set(config->tiles) && within(config->stacks) &&
           twice(config->stacks) + 4u * config->dealt == config->tiles && (config->dealt == 0 || deals);
}

static struct config config_of(const uint8_t *fields)
{
    const struct config config = {fields[0], {fields[1], fields[2], fields[3], fields[4]}, fields[5]};
    return config;
}

uint8_t check_config(const struct board *board, const struct request *request)
{
    const struct config config = config_of(request->fields);
    return config_fits(board, &config) ? 0 : BAD_CONFIG;
}

void begin_config(struct board *board, const struct request *request)
{
    board->kept.pending = config_of(request->fields);
    board->kept.has_pending = true;
    board_fault_gone(board, FAULT_CFG_01, request->now);
    answer_done(board, request->op_id, request->now);
}
