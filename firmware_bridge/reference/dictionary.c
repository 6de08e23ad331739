/* The board's own words for its commands, reports and faults (PROTOCOL.md, section 5.1). */
#include <string.h>

#include "parts.h"

struct word {
    uint8_t kind;
    uint16_t code;
    const char *text;
};

#define COMMAND(name, opcode, text) {ENTRY_COMMAND, opcode, text},
#define REPORT(name, opcode, text) {ENTRY_REPORT, opcode, text},
#define FAULT(name, code, severity, zh, en) {ENTRY_FAULT, code, #severity "|" zh "|" en},
static const struct word words[] = {COMMANDS REPORTS FAULTS};
#undef COMMAND
#undef REPORT
#undef FAULT

enum { WORDS = sizeof words / sizeof words[0], LONGEST_TEXT = 32 };

/* Bytes of a text that go into one entry: at most LONGEST_TEXT, cut between characters. */
static size_t piece(const char *text)
{
    const size_t length = strlen(text);
    size_t cut = length < LONGEST_TEXT ? length : LONGEST_TEXT;
    while (cut < length && ((unsigned char)text[cut] & 0xC0u) == 0x80u) {
        cut--;
    }
    return cut;
}

uint16_t dictionary_entries(void)
{
    uint16_t entries = 0;
    for (size_t i = 0; i < WORDS; i++) {
        for (const char *text = words[i].text; *text != '\0'; text += piece(text)) {
            entries++;
        }
    }
    return entries;
}

static void report_piece(struct board *board, uint16_t index, const struct word *word, const char *text, uint32_t now)
{
    uint8_t fields[7 + LONGEST_TEXT];
    const size_t length = piece(text);
    put16(fields, index);
    put16(fields + 2, dictionary_entries());
    fields[4] = word->kind;
    put16(fields + 5, word->code);
    memcpy(fields + 7, text, length);
    report_live(board, REP_DICTIONARY_ENTRY, fields, 7 + length, now);
}

void report_entry(struct board *board, uint16_t index, uint32_t now)
{
    uint16_t at = 0;
    for (size_t i = 0; i < WORDS; i++) {
        for (const char *text = words[i].text; *text != '\0'; text += piece(text)) {
            if (at++ == index) {
                report_piece(board, index, &words[i], text, now);
                return;
            }
        }
    }
}
