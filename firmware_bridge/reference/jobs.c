/* Get... commands whose reports go out piece by piece (PROTOCOL.md, sections 5.1 and 7). */
#include <string.h>

#include "requests.h"

bool entries_in_range(const uint8_t *fields)
{
    return fields[2] >= 1 && fields[2] <= 8;
}

uint8_t check_job(const struct board *board, const struct request *request)
{
    (void)request;
    return board->jobs[JOBS - 1].opcode == 0 ? 0 : BUSY;
}

void begin_job(struct board *board, const struct request *request)
{
    struct job job = {request->op_id, request->opcode, 0, 0};
    if (request->opcode == CMD_GET_REPORTS) {
        job.next = get32(request->fields);
        job.end = board->number + 1;
        if (job.next <= board->dropped) {
            uint8_t fields[4];
            put32(fields, oldest_kept(board));
            report_live(board, REP_REPORTS_LOST, fields, sizeof fields, request->now);
        }
    } else if (request->opcode == CMD_GET_DICTIONARY) {
        job.next = get16(request->fields);
        job.end = job.next + request->fields[2];
        job.end = job.end < dictionary_entries() ? job.end : dictionary_entries();
    } else {
        job.end = FAULT_RECORDS;
    }
    for (size_t i = 0; i < JOBS; i++) {
        if (board->jobs[i].opcode == 0) {
            board->jobs[i] = job;
            return;
        }
    }
}

static void work_on(struct board *board, struct job *job, uint32_t now)
{
    if (job->opcode == CMD_GET_REPORTS) {
        job->next = queue_kept(board, job->next, job->end, now);
    } else if (job->opcode == CMD_GET_DICTIONARY) {
        report_entry(board, (uint16_t)job->next++, now);
    } else {
        const uint32_t place = (board->kept.log_next + job->next++) % FAULT_RECORDS;
        if (board->kept.log[place].code != NO_FAULT) {
            report_fault_record(board, &board->kept.log[place], now);
        }
    }
}

/* Their reports went to a session that is over. */
void fail_jobs(struct board *board, uint32_t now)
{
    for (size_t i = 0; i < JOBS; i++) {
        if (board->jobs[i].opcode != 0) {
            board->jobs[i].opcode = 0;
            answer_failed(board, board->jobs[i].op_id, FAIL_HOST_LOST, NO_FAULT, now);
        }
    }
}

void work_on_jobs(struct board *board, uint32_t now)
{
    struct job *job = &board->jobs[0];
    while (job->opcode != 0 && queue_room(board) >= 2 * JOB_ROOM) {
        if (job->next < job->end) {
            work_on(board, job, now);
            continue;
        }
        answer_done(board, job->op_id, now);
        memmove(job, job + 1, (JOBS - 1) * sizeof *job);
        board->jobs[JOBS - 1].opcode = 0;
    }
}
