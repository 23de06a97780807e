/* The events of a file that is cut, by record, in some 15 bytes each: they are added to a trace
 * again when the window is known, without reading the file once more. */
#ifndef AZ_FORMATS_SHARED_CUT_JOURNAL_H
#define AZ_FORMATS_SHARED_CUT_JOURNAL_H

#include "model/window.h"

struct az_cut_journal_event {
    enum az_kind kind;
    uint32_t lane;
    int64_t start, end;
    uint64_t corr;
};
AZ_VEC(struct az_cut_journal_event, az_cut_journal_events);

/* What the next number of a lane is relative to. */
struct az_cut_journal_lane {
    int64_t start;
    uint64_t corr;
};
AZ_VEC(struct az_cut_journal_lane, az_cut_journal_lanes);

struct az_cut_journal_record {
    uint64_t from, to; /* bytes of the file */
    uint32_t count;    /* records that it stands for */
    bool outside;      /* without an event of the trace, and in no window */
    bool apart;        /* of several: more than a byte is between two of them */
};

struct az_cut_journal {
    struct az_trace *t; /* that is being read */
    struct az_cut_log *log;
    struct az_vec_u8 bytes;
    uint64_t to; /* end of the last record in them */
    struct az_cut_journal_lanes last;
    struct az_cut_journal_events events; /* of the record that is being read */
    /* Records of sums of a lane that follow each other (az_cut_sum), not in `bytes` yet; count 0:
     * none. */
    struct az_cut_journal_record sums;
    struct az_cut_journal_event sum;
    struct az_lanes lanes; /* of the trace */
};

void az_cut_journal_init(struct az_cut_journal *j, struct az_mem *mem);
void az_cut_journal_release(struct az_cut_journal *j);
/* Records and events that a reader makes of a file are written to the empty journal, and pass the
 * sieve of the log. */
int az_cut_journal_begin(struct az_cut_journal *j, struct az_trace *t,
                         struct az_cut_log *log) AZ_MUST_USE;
/* The file was read, and the trace is not finalized. */
int az_cut_journal_end(struct az_cut_journal *j) AZ_MUST_USE;
/* Adds them to an empty trace with the lanes of the first one, and to its log. AZ_EINTR if the cut
 * is canceled. */
int az_cut_journal_replay(const struct az_cut_journal *j, struct az_trace *t,
                          struct az_cut_log *log, bool (*cancelled)(void)) AZ_MUST_USE;

#endif
