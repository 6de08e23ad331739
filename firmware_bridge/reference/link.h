/* The link of a board: sessions, and messages that arrive once and in order (PROTOCOL.md, section 3). */
#ifndef LONGZHUO_LINK_H
#define LONGZHUO_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"

#ifndef LONGZHUO_WINDOW
#define LONGZHUO_WINDOW 8
#endif

enum {
    LINK_WINDOW = LONGZHUO_WINDOW,                 /* frames this board can take in at once: 2, 4 or 8 */
    LINK_HEADER = 8,
    LINK_MESSAGE = FRAME_PAYLOAD - LINK_HEADER,    /* longest message */
    LINK_MAJOR = 1,
    LINK_MINOR = 0
};

enum link_loss { LINK_SILENT = 1, LINK_STALLED = 2, LINK_REPLACED = 3, LINK_CLOSED = 4 };

/* What the link tells its owner; called from link_receive, link_hand_on and link_timer only. A message is handed on
   only while takes says that there is room for what it may be answered with; until then it is not acknowledged. */
struct link_owner {
    void *context;
    void (*up)(void *context, uint32_t now);
    bool (*takes)(void *context);
    void (*message)(void *context, const uint8_t *bytes, size_t length, uint32_t now);
    void (*lost)(void *context, enum link_loss why, uint32_t now);
};

struct link_sent {
    uint32_t first_ms;
    uint32_t last_ms;
    uint16_t wait_ms; /* from last_ms until it is sent again */
    uint8_t times;    /* 0: not sent yet, 2: more than once */
    uint8_t length;
    bool arrived;     /* the other side holds it */
    uint8_t bytes[LINK_MESSAGE];
};

struct link_early {
    uint8_t length; /* 0: nothing kept here */
    uint8_t bytes[LINK_MESSAGE];
};

struct link {
    struct link_owner owner;
    struct frame_reader reader;
    uint32_t boot_id;
    /* sessions */
    bool up;
    bool offers;
    bool has_ended;
    uint16_t session;
    uint16_t offered;
    uint16_t ended;
    uint8_t peer_window;
    uint8_t offered_window;
    /* sent */
    uint16_t first;    /* the oldest number that is not acknowledged */
    uint16_t next;     /* the number of the next message */
    struct link_sent sent[LINK_WINDOW];
    uint32_t progress_ms;
    uint32_t spoke_ms; /* when the last frame was sent */
    /* received */
    uint16_t expected;
    struct link_early early[LINK_WINDOW];
    uint32_t heard_ms;
    /* time until a message is sent again, in eighths and quarters of a millisecond as the mean needs them */
    bool measured;
    uint8_t backoff;   /* doublings */
    uint32_t trip_8;   /* mean round trip, times 8 */
    uint32_t spread_4; /* its mean deviation, times 4 */
    /* answers that are due */
    bool owes_ack;
    bool owes_offer;   /* RESET_ACK of offer_session */
    bool owes_refusal; /* NO_SESSION of refused */
    uint16_t offer_session;
    uint16_t refused;
    /* counts since the start */
    uint32_t frames_sent;
    uint32_t frames_again;
};

void link_start(struct link *link, const struct link_owner *owner, uint32_t boot_id);

/* Takes bytes from the line. */
void link_receive(struct link *link, const uint8_t *bytes, size_t length, uint32_t now);

/* Hands on what waited for takes; to be called when there is room again. */
void link_hand_on(struct link *link, uint32_t now);

/* Does what is due by time; to be called at least when link_wait has passed. */
void link_timer(struct link *link, uint32_t now);

/* Milliseconds until link_timer or link_output has something to do: 0 when it has now, LINK_FOREVER without
   a session. */
#define LINK_FOREVER 0xFFFFFFFFu
uint32_t link_wait(const struct link *link, uint32_t now);

/* How many messages can be handed over now; urgent ones may use a slot that others may not. */
size_t link_room(const struct link *link, bool urgent);

/* Hands over a message of 1..LINK_MESSAGE bytes; there must be room. An urgent one is not numbered before
   others here: the owner hands it over before all that wait with him. */
void link_send(struct link *link, const uint8_t *bytes, size_t length);

/* Writes the next frame that is due to out (FRAME_LIMIT bytes); 0 when there is none. */
size_t link_output(struct link *link, uint8_t *out, uint32_t now);

/* Gives the session up; the host notices by NO_SESSION. */
void link_drop(struct link *link, enum link_loss why, uint32_t now);

#endif
