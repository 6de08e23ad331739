#include "link.h"

#include <string.h>

#include "bytes.h"

enum { RESET = 1, RESET_ACK = 2, DATA = 3, ALIVE = 4, NO_SESSION = 5 };

enum {
    HEARTBEAT_MS = 250,
    SILENCE_MS = 3000,
    STALL_MS = 6000,
    AGAIN_MS = 100, /* before anything was measured */
    AGAIN_LEAST_MS = 25,
    AGAIN_MOST_MS = 250,
    LEAST_WINDOW = 2
};

struct header {
    uint8_t kind;
    uint16_t session;
    uint16_t seq;
    uint16_t ack;
    uint8_t held;
};

static uint16_t under_way(const struct link *link)
{
    return (uint16_t)(link->next - link->first);
}

static struct link_sent *sent_as(struct link *link, uint16_t number)
{
    return &link->sent[number % LINK_WINDOW];
}

static const struct link_sent *was_sent_as(const struct link *link, uint16_t number)
{
    return &link->sent[number % LINK_WINDOW];
}

static uint8_t smaller(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

void link_start(struct link *link, const struct link_owner *owner, uint32_t boot_id)
{
    memset(link, 0, sizeof *link);
    link->owner = *owner;
    link->boot_id = boot_id;
}

/* ---- sessions ------------------------------------------------------------------------------------------- */

void link_drop(struct link *link, enum link_loss why, uint32_t now)
{
    if (!link->up) {
        return;
    }
    link->up = false;
    link->has_ended = true;
    link->ended = link->session;
    link->owes_ack = false;
    link->owner.lost(link->owner.context, why, now);
}

static void begin(struct link *link, uint32_t now)
{
    link_drop(link, LINK_REPLACED, now);
    link->offers = false;
    link->up = true;
    link->session = link->offered;
    link->peer_window = link->offered_window;
    link->first = link->next = link->expected = 0;
    memset(link->early, 0, sizeof link->early);
    link->measured = false;
    link->backoff = 0;
    link->heard_ms = link->progress_ms = link->spoke_ms = now;
    link->owner.up(link->owner.context, now);
}

static void on_reset(struct link *link, const struct header *header, const uint8_t *body, size_t length, uint32_t now)
{
    if (length < 3 || body[2] < LEAST_WINDOW) {
        return;
    }
    if (link->up && header->session == link->session) {
        link->heard_ms = now;
    } else if (link->has_ended && header->session == link->ended) {
        return; /* an echo of a session that is over */
    } else {
        link->offers = true;
        link->offered = header->session;
        link->offered_window = smaller(body[2], LINK_WINDOW);
    }
    link->owes_offer = true;
    link->offer_session = header->session;
}

/* ---- what the other side has ------------------------------------------------------------------------------ */

static uint32_t again_after(const struct link *link)
{
    uint32_t ms = link->measured ? (link->trip_8 + 7) / 8 + link->spread_4 : AGAIN_MS;
    if (ms < AGAIN_LEAST_MS) {
        ms = AGAIN_LEAST_MS;
    }
    for (uint8_t i = 0; i < link->backoff && ms < AGAIN_MOST_MS; i++) {
        ms *= 2;
    }
    return ms < AGAIN_MOST_MS ? ms : AGAIN_MOST_MS;
}

static void measure(struct link *link, uint32_t trip)
{
    if (!link->measured) {
        link->measured = true;
        link->trip_8 = 8 * trip;
        link->spread_4 = 2 * trip;
        return;
    }
    const uint32_t mean = link->trip_8 / 8;
    const uint32_t error = trip > mean ? trip - mean : mean - trip;
    link->trip_8 += trip - mean;             /* mean += (trip - mean) / 8, also downward modulo 2^32 */
    link->spread_4 += error - link->spread_4 / 4;
}

static void has_arrived(struct link *link, uint16_t number, uint32_t now)
{
    struct link_sent *sent = sent_as(link, number);
    if (sent->arrived) {
        return;
    }
    sent->arrived = true;
    if (sent->times == 1) {
        measure(link, now - sent->first_ms);
        link->backoff = 0;
    }
}

static void on_ack(struct link *link, const struct header *header, uint32_t now)
{
    const uint16_t passed = (uint16_t)(header->ack - link->first);
    if (passed > under_way(link)) {
        return; /* never sent, or long since passed */
    }
    for (uint16_t i = 0; i < passed; i++) {
        has_arrived(link, (uint16_t)(link->first + i), now);
    }
    if (passed > 0) {
        link->first = header->ack;
        link->progress_ms = now;
    }
    for (uint16_t i = 0; i < 8; i++) {
        if ((header->held >> i & 1) != 0 && i + 1 < under_way(link)) {
            has_arrived(link, (uint16_t)(link->first + 1 + i), now);
        }
    }
}

/* ---- what this side has ----------------------------------------------------------------------------------- */

static uint8_t held(const struct link *link)
{
    uint8_t bits = 0;
    for (uint16_t i = 0; i + 1 < LINK_WINDOW; i++) {
        if (link->early[(uint16_t)(link->expected + 1 + i) % LINK_WINDOW].length > 0) {
            bits = (uint8_t)(bits | 1u << i);
        }
    }
    return bits;
}

void link_hand_on(struct link *link, uint32_t now)
{
    const uint16_t session = link->session;
    while (link->up && link->session == session) {
        struct link_early *place = &link->early[link->expected % LINK_WINDOW];
        if (place->length == 0 || !link->owner.takes(link->owner.context)) {
            return;
        }
        uint8_t message[LINK_MESSAGE];
        const size_t size = place->length;
        memcpy(message, place->bytes, size);
        place->length = 0;
        link->expected++;
        link->owes_ack = true;
        link->owner.message(link->owner.context, message, size, now);
    }
}

static void on_data(struct link *link, const struct header *header, const uint8_t *body, size_t length, uint32_t now)
{
    const uint16_t ahead = (uint16_t)(header->seq - link->expected);
    link->owes_ack = true;
    if (ahead >= LINK_WINDOW) {
        return; /* came before, or can not be kept */
    }
    struct link_early *place = &link->early[header->seq % LINK_WINDOW];
    if (place->length == 0) {
        place->length = (uint8_t)length;
        memcpy(place->bytes, body, length);
    }
    link_hand_on(link, now);
}

static void on_session_frame(struct link *link, const struct header *header, const uint8_t *body, size_t length,
                             uint32_t now)
{
    const bool is_data = header->kind == DATA;
    if (is_data ? length == 0 : length < 4) {
        return;
    }
    /* A host that repeats the boot_id of an earlier start speaks of a session which that start had. */
    const uint32_t told = is_data ? 0 : get32(body);
    const bool stale = told != 0 && told != link->boot_id;
    if (!stale && link->offers && header->session == link->offered) {
        begin(link, now);
    }
    if (stale || !link->up || header->session != link->session) {
        link->owes_refusal = true;
        link->refused = header->session;
        return;
    }
    link->heard_ms = now;
    on_ack(link, header, now);
    if (is_data) {
        on_data(link, header, body, length, now);
    }
}

static void on_frame(struct link *link, const uint8_t *payload, size_t length, uint32_t now)
{
    if (length < LINK_HEADER) {
        return;
    }
    const struct header header = {payload[0], get16(payload + 1), get16(payload + 3), get16(payload + 5), payload[7]};
    const uint8_t *body = payload + LINK_HEADER;
    const size_t rest = length - LINK_HEADER;
    if (header.kind == RESET) {
        on_reset(link, &header, body, rest, now);
    } else if (header.kind == DATA || header.kind == ALIVE) {
        on_session_frame(link, &header, body, rest, now);
    }
}

void link_receive(struct link *link, const uint8_t *bytes, size_t length, uint32_t now)
{
    for (size_t i = 0; i < length; i++) {
        const size_t payload = frame_take(&link->reader, bytes[i]);
        if (payload > 0) {
            on_frame(link, link->reader.bytes, payload, now);
        }
    }
}

/* ---- time --------------------------------------------------------------------------------------------------- */

static uint32_t left(uint32_t since, uint32_t lasts, uint32_t now)
{
    const uint32_t passed = now - since;
    return passed >= lasts ? 0 : lasts - passed;
}

static uint32_t stalls_in(const struct link *link, uint32_t now)
{
    if (under_way(link) == 0 || was_sent_as(link, link->first)->times == 0) {
        return LINK_FOREVER;
    }
    const uint32_t waits = now - was_sent_as(link, link->first)->first_ms;
    const uint32_t stands = now - link->progress_ms;
    return left(now - (waits < stands ? waits : stands), STALL_MS, now);
}

void link_timer(struct link *link, uint32_t now)
{
    if (!link->up) {
        return;
    }
    if (left(link->heard_ms, SILENCE_MS, now) == 0) {
        link_drop(link, LINK_SILENT, now);
    } else if (stalls_in(link, now) == 0) {
        link_drop(link, LINK_STALLED, now);
    }
}

/* Milliseconds until this message is to be sent (again). */
static uint32_t due_in(const struct link_sent *sent, uint32_t now)
{
    if (sent->arrived) {
        return LINK_FOREVER;
    }
    return sent->times == 0 ? 0 : left(sent->last_ms, sent->wait_ms, now);
}

uint32_t link_wait(const struct link *link, uint32_t now)
{
    if (link->owes_offer || link->owes_refusal || link->owes_ack) {
        return 0;
    }
    if (!link->up) {
        return LINK_FOREVER;
    }
    uint32_t wait = left(link->heard_ms, SILENCE_MS, now);
    const uint32_t others[2] = {left(link->spoke_ms, HEARTBEAT_MS, now), stalls_in(link, now)};
    for (size_t i = 0; i < 2; i++) {
        wait = others[i] < wait ? others[i] : wait;
    }
    for (uint16_t number = link->first; number != link->next; number++) {
        const uint32_t due = due_in(was_sent_as(link, number), now);
        wait = due < wait ? due : wait;
    }
    return wait;
}

/* ---- sending ------------------------------------------------------------------------------------------------ */

size_t link_room(const struct link *link, bool urgent)
{
    const size_t window = urgent ? link->peer_window : (size_t)link->peer_window - 1;
    const size_t used = under_way(link);
    return link->up && used < window ? window - used : 0;
}

void link_send(struct link *link, const uint8_t *bytes, size_t length)
{
    struct link_sent *sent = sent_as(link, link->next);
    memset(sent, 0, sizeof *sent);
    sent->length = (uint8_t)length;
    memcpy(sent->bytes, bytes, length);
    link->next++;
}

static size_t write_frame(struct link *link, const struct header *header, const uint8_t *body, size_t length,
                          uint8_t *out)
{
    uint8_t payload[FRAME_PAYLOAD];
    payload[0] = header->kind;
    put16(payload + 1, header->session);
    put16(payload + 3, header->seq);
    put16(payload + 5, header->ack);
    payload[7] = header->held;
    memcpy(payload + LINK_HEADER, body, length);
    link->frames_sent++;
    return frame_write(payload, LINK_HEADER + length, out);
}

static size_t write_in_session(struct link *link, uint8_t kind, uint16_t seq, const uint8_t *body, size_t length,
                               uint8_t *out, uint32_t now)
{
    const struct header header = {kind, link->session, seq, link->expected, held(link)};
    link->spoke_ms = now;
    link->owes_ack = false;
    return write_frame(link, &header, body, length, out);
}

static size_t write_data(struct link *link, uint8_t *out, uint32_t now)
{
    for (uint16_t number = link->first; number != link->next; number++) {
        struct link_sent *sent = sent_as(link, number);
        if (due_in(sent, now) > 0) {
            continue;
        }
        if (sent->times == 0) {
            sent->first_ms = now;
        } else {
            link->frames_again++;
            link->backoff = smaller((uint8_t)(link->backoff + 1), 8);
        }
        sent->last_ms = now;
        sent->wait_ms = (uint16_t)again_after(link);
        sent->times = smaller((uint8_t)(sent->times + 1), 2);
        return write_in_session(link, DATA, number, sent->bytes, sent->length, out, now);
    }
    return 0;
}

size_t link_output(struct link *link, uint8_t *out, uint32_t now)
{
    uint8_t body[7];
    put32(body, link->boot_id);
    if (link->owes_offer) {
        const struct header header = {RESET_ACK, link->offer_session, 0, 0, 0};
        link->owes_offer = false;
        body[4] = LINK_MAJOR;
        body[5] = LINK_MINOR;
        body[6] = LINK_WINDOW;
        return write_frame(link, &header, body, 7, out);
    }
    if (link->owes_refusal) {
        const struct header header = {NO_SESSION, link->refused, 0, 0, 0};
        link->owes_refusal = false;
        return write_frame(link, &header, body, 4, out);
    }
    if (!link->up) {
        return 0;
    }
    const size_t data = write_data(link, out, now);
    if (data > 0) {
        return data;
    }
    if (link->owes_ack || left(link->spoke_ms, HEARTBEAT_MS, now) == 0) {
        return write_in_session(link, ALIVE, 0, body, 4, out, now);
    }
    return 0;
}
