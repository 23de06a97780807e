/* A part of the recording, chosen by the user: times, steps, or ranges by name (docs/regions.md 7).
 * Events outside are taken out of a trace before it is sealed, so that every fact and table is of
 * the window. */
#ifndef AZ_MODEL_WINDOW_H
#define AZ_MODEL_WINDOW_H

#include "base/interval.h"
#include "base/sort.h"
#include "model/options.h"
#include "model/trace.h"

/* One end: a time from the start of the recording, or a range. */
struct az_window_end {
    int64_t ns;         /* AZ_UNSET_I64: not set */
    double percent;     /* of the recording; negative: not set */
    struct az_sv range; /* pattern of its name; empty: none */
};
struct az_window {
    struct az_window_end from, to;
    struct az_sv range;      /* pattern; empty: none */
    int64_t step, last_step; /* numbers; -1: none */
    /* Numbers of all steps of a trace, from its reader to az_window_check; NULL: unused. */
    struct az_vec_i64 *numbers;
};
/* The window of the options; false: none. AZ_ECONFIG with a message for values that are none. */
int az_window_read(const struct az_options *o, struct az_window *out, bool *any,
                   struct az_diag *diag) AZ_MUST_USE;
/* One end of a window. false: the text is none. */
bool az_window_end(struct az_sv text, struct az_window_end *out);
#define AZ_WINDOW_END_TEXT "a time such as 1.5s or 250ms, 50%%, or @RANGE"
/* Does the second of two times, or of two percentages, not follow the first? */
bool az_window_is_empty(struct az_sv from, struct az_sv to);
#define AZ_WINDOW_EMPTY_TEXT "empty window from '%.*s' to '%.*s'; choose a later end"
/* "1.5s", "250ms", "10us", "5ns", "3" (seconds); a time from the start. false: none. */
bool az_window_time(struct az_sv text, int64_t *ns);
/* "10", "10-12". false: no steps. */
bool az_window_steps(struct az_sv text, int64_t *first, int64_t *last);

/* Why a window is empty. */
enum az_window_miss {
    AZ_WINDOW_FOUND,
    AZ_WINDOW_NO_RANGE,  /* no range of that name */
    AZ_WINDOW_NO_MARKS,  /* no marks of steps */
    AZ_WINDOW_NO_STEP,   /* none of these numbers */
    AZ_WINDOW_NO_EVENTS, /* the file has sums only, or operations without times of the host */
    AZ_WINDOW_NO_ROWS,   /* of a report of operations: none begins between these times */
    AZ_WINDOW_NO_ENDS    /* the same: it has no such ends, ranges */
};
/* Why a report of operations has no row in a window; timed: its rows have times of the host. */
enum az_window_miss az_window_miss_of_rows(const struct az_window *w, bool timed);
/* AZ_EEMPTY with a message about file `path`: what the window names, and what to do about it. A
 * window that was found is AZ_OK, with a warning and a note of the trace if it lacks steps. */
int az_window_check(struct az_diag *diag, struct az_sv path, const struct az_window *w,
                    struct az_trace *t, enum az_window_miss miss);
/* The trace has a step of this number, for az_window_check. Is it in the window? */
bool az_window_add_step(const struct az_window *w, int64_t number);
/* Does a name match the range of a window, or of one of its ends? */
bool az_window_names(const struct az_window *w, struct az_sv name);
/* Spans of host time, ticks. */
struct az_window_parts {
    struct az_spans spans;     /* by process; of each sorted and merged */
    struct az_vec_u64 process; /* parallel; empty: they are of all processes */
};
void az_window_parts_init(struct az_window_parts *p, struct az_mem *mem);
void az_window_parts_release(struct az_window_parts *p);
/* Only what is in `own`, too: a file that is a window itself has nothing outside. */
int az_window_parts_clip(struct az_window_parts *p, const struct az_window_parts *own,
                         struct az_mem *mem) AZ_MUST_USE;
/* Those of a window, of a trace whose events are sorted. Steps are those of each process by its own
 * marks. */
int az_window_spans(const struct az_trace *t, const struct az_window *w,
                    struct az_window_parts *out, enum az_window_miss *miss) AZ_MUST_USE;
/* Number of the span that contains a time of a process, from 1 on; 0: none. A process without spans
 * has those of all others. */
uint32_t az_window_part_at(const struct az_window_parts *p, uint64_t process, int64_t at);
/* Does [start, end) of a process overlap one of them? */
bool az_window_parts_touch(const struct az_window_parts *p, uint64_t process, int64_t start,
                           int64_t end);
/* Takes out what is outside. A call is inside if it begins there, and device work with its call;
 * without a call if it begins there. Other events of the host are inside if they overlap. Device
 * work outside becomes t->window_others where it runs next to work of the window. w NULL: the
 * window that the file holds, of which w is a part. Called by az_trace_finalize. */
int az_window_apply(struct az_trace *t, const struct az_window *w,
                    enum az_window_miss *miss) AZ_MUST_USE;
/* ---- records of a file that is cut ---- */

/* Records by number, from 1 on: what becomes of the events that a reader makes of them. Set as
 * t->cut_log before the reader begins; its events then have the number as uid. */
enum {
    AZ_RECORD_EVENT = 1,
    AZ_RECORD_KEPT = 2,
    AZ_RECORD_APART = 4, /* of several: more than a byte is between two of them */
};
struct az_sieve;
struct az_cut_log {
    struct az_vec_u8 what;      /* AZ_RECORD_* */
    struct az_vec_u64 from, to; /* the reader's own: bytes of the file, or a table and a row */
    bool runs;                  /* instead: of records with the same `from` that, and the first */
    uint32_t now;               /* the record that is being read; 0: none */
    uint64_t joined;            /* records that became part of the one before them */
    bool seen[AZ_KIND_COUNT];   /* events of this kind, stored or not */
    /* With a sieve (model/cut_sieve.h) records that follow each other, of which no event is stored
     * and that are both kept or both omitted, are one. */
    struct az_sieve *sieve;   /* NULL: all events are stored */
    struct az_vec_u32 count;  /* of records in each; else empty */
    struct az_vec_u64 ids;    /* the reader's own, of events that are inside and not stored */
    bool inside;              /* the last event that is not stored is */
    bool stored, joins, open; /* an event of `now` is; the one before may be joined; not settled */
    /* Instead of the lists: events are passed on as they are read. 1: this one is stored, too; 0;
     * an error. */
    int (*pass)(void *ctx, enum az_kind kind, const struct az_event *e);
    /* With it: a record that has these bytes of the file was read, or none (`to` 0). NULL: nothing
     * is done then. */
    int (*record)(void *ctx, uint64_t from, uint64_t to);
    void *ctx;
};
void az_cut_log_init(struct az_cut_log *log, struct az_mem *mem);
void az_cut_log_release(struct az_cut_log *log);
/* A record begins; the next one, or log->now = 0, ends it. `to` may be set later. */
int az_cut_log_begin(struct az_cut_log *log, uint64_t from, uint64_t to) AZ_MUST_USE;
/* The next record is not to be joined with the last one. */
static inline void az_cut_log_part(struct az_cut_log *log) { log->joins = false; }
/* The last record is complete: it may become part of the one before it. */
void az_cut_log_settle(struct az_cut_log *log);
static inline void az_cut_log_end(struct az_cut_log *log, uint64_t to)
{
    log->to.v[log->now - 1] = to;
    log->now = 0;
    az_cut_log_settle(log);
}
/* Records that one of the log stands for. */
static inline uint32_t az_cut_log_count(const struct az_cut_log *log, size_t record)
{
    return log->count.n ? log->count.v[record] : 1;
}
/* Is the event of a process not to be stored? */
bool az_cut_log_sift(struct az_cut_log *log, enum az_kind kind, uint64_t process,
                     const struct az_event *e);
/* An event is made of it: its number. */
static inline uint32_t az_cut_log_event(struct az_cut_log *log)
{
    if (log->now)
        log->what.v[log->now - 1] |= AZ_RECORD_EVENT;
    return log->now;
}
/* All events of the record are outside. */
static inline bool az_cut_log_is_gone(const struct az_cut_log *log, size_t record)
{
    return (log->what.v[record] & (AZ_RECORD_EVENT | AZ_RECORD_KEPT)) == AZ_RECORD_EVENT;
}

/* Does an edge of the window cut an event of the host? false without a window. */
bool az_window_cuts(const struct az_trace *t, uint32_t lane, int64_t start, int64_t end);
/* Time of [from, to) between the work of the instances that a window has, ticks: it is in no
 * account. */
int64_t az_window_between(const struct az_trace *t, int64_t from, int64_t to);
/* Number of the span of a merged list that contains a time, from 1 on; 0: none. */
static inline uint32_t az_span_at(const struct az_spans *s, int64_t at)
{
    const size_t lo = AZ_UPPER_BY(s->v, s->n, end, at);
    return lo < s->n && s->v[lo].start <= at ? (uint32_t)lo + 1 : 0;
}
static inline bool az_spans_contain(const struct az_spans *s, int64_t at)
{
    return az_span_at(s, at) != 0;
}
/* Does [start, end) overlap one of them? An event without length is a point. */
static inline bool az_spans_touch(const struct az_spans *s, int64_t start, int64_t end)
{
    if (end <= start)
        return az_spans_contain(s, start);
    const size_t lo = AZ_UPPER_BY(s->v, s->n, end, start);
    return lo < s->n && s->v[lo].start < end;
}

/* ---- between the files of windows ---- */
/* The steps that a window chooses, by process and start. */
int az_window_of_steps(const struct az_trace *t, const struct az_window *w,
                       struct az_window_parts *out, enum az_window_miss *miss) AZ_MUST_USE;
/* Device events that are marked in gone[kind] and run at the same time as t->window_work become
 * t->window_others. */
int az_window_mark_others(struct az_trace *t, uint8_t *const gone[4]) AZ_MUST_USE;

#endif
