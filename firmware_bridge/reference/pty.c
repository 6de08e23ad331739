/* A board on a pseudo-terminal, for trying a host against the core: POSIX, not part of a firmware.

   Usage: pty LINK [--seed N] [--boot-id N] [--uid N] [--speed N] [--tiles N] [--cause N] [--capabilities N]

   LINK is a symbolic link that names the terminal; it appears when the terminal is ready (then "ready" is
   printed), and goes at the end.
   Lines on the standard input play the people at the table; each is answered by "ok" or "no":
       press KEY SEAT · down KEY SEAT · up KEY SEAT    (LIFT DICE CHI PENG KONG WIN CONFIRM SERVICE)
       load TILES              tiles of the table go into the open hatch
       tiles TILES             so many lie on the table
       speed N                 motions that begin from now on take N times less
       fault CODE [SIDE [EVIDENCE]] · clear CODE       (HED-01 2)
       mode TILES A B C D      the mode switch of the console
       state                   one line: the states of all regions and where the tiles are
       reset [CAUSE]           the firmware starts anew; what a memory keeps is kept
   The end of the input ends the program. */
#define _XOPEN_SOURCE 600
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "board.h"
#include "faults.h"

struct options {
    const char *name;
    unsigned long seed, boot_id, uid, speed, tiles, cause, capabilities;
};

static struct board board;
static struct options options = {NULL, 1, 0, 7, 1, 136, POWER_ON, 0x03FF | CAN_LOCK};

static uint32_t milliseconds(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint32_t)((unsigned long long)at.tv_sec * 1000u + (unsigned long)at.tv_nsec / 1000000u);
}

static int fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    return 1;
}

/* ---- the terminal ---- */

static int open_terminal(int *kept_open)
{
    const int line = posix_openpt(O_RDWR | O_NOCTTY);
    if (line < 0 || grantpt(line) != 0 || unlockpt(line) != 0) {
        return -1;
    }
    struct termios raw;
    *kept_open = open(ptsname(line), O_RDWR | O_NOCTTY); /* so that clients may come and go */
    if (*kept_open < 0 || tcgetattr(*kept_open, &raw) != 0) {
        return -1;
    }
    raw.c_iflag = 0;
    raw.c_oflag = 0;
    raw.c_lflag = 0;
    raw.c_cflag = CS8 | CREAD | CLOCAL;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(*kept_open, TCSANOW, &raw) != 0 || fcntl(line, F_SETFL, O_NONBLOCK) != 0) {
        return -1;
    }
    return line;
}

/* The name appears at once and whole, and only when the terminal is raw. */
static int publish(int line)
{
    char other[4096];
    if (snprintf(other, sizeof other, "%s.new", options.name) >= (int)sizeof other) {
        errno = ENAMETOOLONG;
        return -1;
    }
    unlink(other);
    return symlink(ptsname(line), other) == 0 ? rename(other, options.name) : -1;
}

/* ---- the firmware's start ---- */

static void start(unsigned long boot_id, unsigned long cause, const struct board_kept *kept)
{
    struct board_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.boot_id = (uint32_t)boot_id;
    settings.uid = (uint32_t)options.uid;
    settings.cause = (uint8_t)cause;
    settings.profile = FOUR_PORT;
    settings.capabilities = (uint16_t)options.capabilities;
    settings.speed = (uint16_t)options.speed;
    settings.firmware = "reference 1.1";
    struct sha256 sha; /* a firmware takes noise instead of a seed */
    uint8_t seed[16];
    for (unsigned i = 0; i < 8; i++) {
        seed[i] = (uint8_t)(options.seed >> 8 * i);
        seed[8 + i] = (uint8_t)(boot_id >> 8 * i);
    }
    sha256_begin(&sha);
    sha256_add(&sha, seed, sizeof seed);
    sha256_end(&sha, settings.entropy);
    board_start(&board, &settings, kept, milliseconds());
}

static void reset(unsigned long cause)
{
    const struct board_kept kept = board.kept;
    start(board.settings.boot_id + 1, cause, &kept);
}

/* ---- people ---- */

static int key_named(const char *name)
{
    static const char *const names[] = {"LIFT", "DICE", "CHI", "PENG", "KONG", "WIN", "CONFIRM", "SERVICE"};
    for (int i = 0; i < 8; i++) {
        if (strcmp(name, names[i]) == 0) {
            return i + 1;
        }
    }
    return 0;
}

#define FAULT(name, code, severity, zh, en) {#name, code},
static const struct { const char *name; unsigned code; } fault_names[] = {FAULTS};
#undef FAULT

static unsigned fault_named(char *name)
{
    char *dash = strchr(name, '-');
    if (dash != NULL) {
        *dash = '_';
    }
    for (size_t i = 0; i < sizeof fault_names / sizeof fault_names[0]; i++) {
        if (strcmp(name, fault_names[i].name) == 0) {
            return fault_names[i].code;
        }
    }
    return 0;
}

static int play_key(const char *verb, const char *name, unsigned seat, uint32_t now)
{
    const int key = key_named(name);
    if (key == 0 || seat >= SIDES) {
        return 0;
    }
    if (strcmp(verb, "up") != 0) {
        board_key(&board, (enum key)key, (uint8_t)seat, true, now);
    }
    if (strcmp(verb, "down") != 0) {
        board_key(&board, (enum key)key, (uint8_t)seat, false, now);
    }
    return 1;
}

static void print_state(void)
{
    printf("state");
    for (size_t i = 0; i < REGIONS; i++) {
        printf(" %02x", board.state[i]);
    }
    printf(" table %u below %u staged", (unsigned)board.kept.table, (unsigned)board.kept.below);
    for (size_t i = 0; i < SIDES; i++) {
        printf(" %u", (unsigned)board.kept.staged[i]);
    }
    printf("\n");
}

static int play_mode(const unsigned *n, uint32_t now)
{
    const struct config config = {
        (uint8_t)n[0], {(uint8_t)n[1], (uint8_t)n[2], (uint8_t)n[3], (uint8_t)n[4]}, 0,
    };
    return board_mode(&board, &config, now);
}

static int play(char *line)
{
    char verb[16] = "";
    char word[16] = "";
    unsigned n[5] = {0, 0, 0, 0, 0};
    const uint32_t now = milliseconds();
    board_timer(&board, now);
    if (sscanf(line, "%15s %u %u %u %u %u", verb, n, n + 1, n + 2, n + 3, n + 4) == 6 && strcmp(verb, "mode") == 0) {
        return play_mode(n, now);
    }
    if (strcmp(verb, "load") == 0) {
        return board_load(&board, (uint16_t)n[0], now);
    }
    if (strcmp(verb, "tiles") == 0) {
        board.kept.table = (uint16_t)n[0];
        return 1;
    }
    if (strcmp(verb, "speed") == 0 && n[0] > 0) {
        board.settings.speed = (uint16_t)n[0];
        return 1;
    }
    if (strcmp(verb, "reset") == 0) {
        reset(n[0] != 0 ? n[0] : SOFTWARE);
        return 1;
    }
    if (strcmp(verb, "state") == 0) {
        print_state();
        return 1;
    }
    unsigned side = NO_SIDE;
    unsigned evidence = 0;
    const int given = sscanf(line, "%15s %15s %u %u", verb, word, &side, &evidence);
    if (strcmp(verb, "press") == 0 || strcmp(verb, "down") == 0 || strcmp(verb, "up") == 0) {
        return given >= 3 && play_key(verb, word, side, now);
    }
    const unsigned code = given >= 2 ? fault_named(word) : 0;
    if (code != 0 && strcmp(verb, "fault") == 0) {
        board_fault(&board, (uint16_t)code, (uint8_t)side, (uint16_t)evidence, now);
        return 1;
    }
    if (code != 0 && strcmp(verb, "clear") == 0) {
        board_fault_gone(&board, (uint16_t)code, now);
        return 1;
    }
    return 0;
}

/* Lines that are complete; 0 at the end of the input. */
static int listen(void)
{
    static char text[1024];
    static size_t have;
    const ssize_t got = read(STDIN_FILENO, text + have, sizeof text - 1 - have);
    if (got <= 0) {
        return 0;
    }
    have += (size_t)got;
    text[have] = '\0';
    char *from = text;
    for (char *end = strchr(from, '\n'); end != NULL; end = strchr(from, '\n')) {
        *end = '\0';
        puts(play(from) ? "ok" : "no");
        from = end + 1;
    }
    fflush(stdout);
    have -= (size_t)(from - text);
    memmove(text, from, have + 1);
    if (have == sizeof text - 1) {
        have = 0; /* a line that never ends */
    }
    return 1;
}

/* ---- the loop of a firmware ---- */

static int run(int line)
{
    uint8_t in[512];
    uint8_t out[1024];
    size_t first = 0;
    size_t end = 0;
    for (;;) {
        const uint32_t now = milliseconds();
        board_timer(&board, now);
        if (first == end) {
            first = 0;
            end = board_output(&board, out, sizeof out, now);
        }
        if (first < end) {
            const ssize_t sent = write(line, out + first, end - first);
            first += sent > 0 ? (size_t)sent : 0;
        }
        const uint32_t wait = board_wait(&board, now);
        struct pollfd ready[2] = {{STDIN_FILENO, POLLIN, 0}, {line, POLLIN, 0}};
        if (first < end) {
            ready[1].events |= POLLOUT; /* a host that does not read */
        }
        poll(ready, 2, first < end || wait > 1000 ? 1000 : (int)wait);
        if (ready[0].revents != 0 && !listen()) {
            return 0;
        }
        const ssize_t got = read(line, in, sizeof in);
        if (got > 0) {
            board_receive(&board, in, (size_t)got, milliseconds());
        }
    }
}

static int take_options(int count, char **words)
{
    static const struct { const char *name; unsigned long *value; } known[] = {
        {"--seed", &options.seed},   {"--boot-id", &options.boot_id}, {"--uid", &options.uid},
        {"--speed", &options.speed}, {"--tiles", &options.tiles},     {"--cause", &options.cause},
        {"--capabilities", &options.capabilities},
    };
    for (int i = 1; i < count; i++) {
        size_t at = 0;
        while (at < sizeof known / sizeof known[0] && strcmp(words[i], known[at].name) != 0) {
            at++;
        }
        if (at < sizeof known / sizeof known[0] && i + 1 < count) {
            *known[at].value = strtoul(words[++i], NULL, 0);
        } else if (words[i][0] != '-' && options.name == NULL) {
            options.name = words[i];
        } else {
            return 0;
        }
    }
    return options.name != NULL;
}

int main(int count, char **words)
{
    int kept_open = -1;
    if (!take_options(count, words)) {
        fprintf(stderr, "usage: pty LINK [--seed N] [--boot-id N] [--uid N] [--speed N] [--tiles N] [--cause N]\n"
                        "           [--capabilities N]\n");
        return 2;
    }
    start(options.boot_id != 0 ? options.boot_id : milliseconds() | 1u, options.cause, NULL);
    board.kept.table = (uint16_t)options.tiles;
    const int line = open_terminal(&kept_open);
    if (line < 0) {
        return fail("no pseudo-terminal");
    }
    if (publish(line) != 0) {
        return fail(options.name);
    }
    puts("ready");
    fflush(stdout);
    const int result = run(line);
    unlink(options.name);
    close(kept_open);
    close(line);
    return result;
}
