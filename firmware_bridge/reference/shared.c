/* What a test needs besides the core to use it as a shared library: sizes and counts. Not part of a firmware. */
#include "link.h"

size_t link_size(void);
void link_counts(const struct link *link, uint32_t counts[4]);
uint32_t link_session(const struct link *link);

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
