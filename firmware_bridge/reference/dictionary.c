/* The board's own words for its commands, reports and faults. */
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

enum { LONGEST_TEXT = 32 };

uint16_t dictionary_entries(void)
{
    return (uint16_t)(sizeof words / sizeof words[0]);
}

void report_entry(struct board *board, uint16_t index, uint32_t now)
{
    const struct word *word = &words[index];
    uint8_t fields[7 + LONGEST_TEXT];
    const size_t length = strlen(word->text);
    put16(fields, index);
    put16(fields + 2, dictionary_entries());
    fields[4] = word->kind;
    put16(fields + 5, word->code);
    memcpy(fields + 7, word->text, length < LONGEST_TEXT ? length : LONGEST_TEXT);
    report_live(board, REP_DICTIONARY_ENTRY, fields, 7 + length, now);
}
