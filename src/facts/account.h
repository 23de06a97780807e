/* The account of device time (docs/account.md): total = computation + exposed communication +
 * exposed copies + idle, in ticks, by unions. Every table of device time uses this account and only
 * lays out the rows. */
#ifndef AZ_FACTS_ACCOUNT_H
#define AZ_FACTS_ACCOUNT_H

#include "base/interval.h"
#include "facts/devices.h"

/* Whose time it is. AZ_PART_NONE makes the device busy and is in no part (tables in the words of
 * another tool). */
enum az_part { AZ_PART_COMPUTE, AZ_PART_COMM, AZ_PART_COPY, AZ_PARTS, AZ_PART_NONE = AZ_PARTS };

/* Part of a device event, by its kind and name id. Fills are copies, but computation in a trace
 * with a call tree (docs/account.md 2). */
static inline enum az_part az_part_of(struct az_job *job, size_t trace, enum az_kind kind,
                                      uint32_t name)
{
    const struct az_trace *t = job->traces[trace];
    if (kind == AZ_MEMSET && !(t->caps & AZ_CAP_CALLTREE))
        return AZ_PART_COPY;
    if (kind == AZ_KERNEL && name < t->classes.ids) { /* most events: without a call */
        const struct az_kernel_class *c = &t->classes.v[t->classes.of[name]];
        if (!c->copies && c->family != AZ_FAMILY_COMMUNICATION)
            return AZ_PART_COMPUTE;
    }
    return (enum az_part)az_trace_work(t, kind, name);
}

/* Sums of the lists up to a place, so that long windows need not be added up span by span. */
struct az_part_sums {
    int64_t at, at_once[8]; /* up to the time `at` */
};
AZ_VEC(struct az_part_sums, az_part_sums_list);
struct az_busy_sums {
    int64_t busy, micro; /* of the spans before this one, and of the short gaps before them */
};
AZ_VEC(struct az_busy_sums, az_busy_sums_list);

/* Device work as merged lists. They grow with the gaps and not with the events where work comes in
 * order of start. */
struct az_busy {
    struct az_spans of[AZ_PARTS + 1]; /* AZ_PART_NONE too */
    /* After az_busy_close: of the parts together; a view, not to be released. */
    struct az_spans all;
    struct az_spans joined; /* what it shows where there is more than one part */
    size_t events;
    bool unsorted;
    struct az_part_sums_list part_sums; /* of az_busy_index; else empty */
    struct az_busy_sums_list busy_sums;
    int64_t micro; /* the limit that they are made with */
};
void az_busy_init(struct az_busy *b, struct az_mem *mem);
void az_busy_reset(struct az_busy *b);
void az_busy_release(struct az_busy *b);
int az_busy_add(struct az_busy *b, enum az_part part, int64_t start, int64_t end) AZ_MUST_USE;
/* After the last az_busy_add, before the lists are read. */
int az_busy_close(struct az_busy *b) AZ_MUST_USE;
/* After az_busy_close, where az_account_of is called for many windows that overlap: each then takes
 * a time that does not grow with its length. micro: the limit of those calls. */
int az_busy_index(struct az_busy *b, int64_t micro) AZ_MUST_USE;

struct az_account { /* ticks; compute + exposed_comm + exposed_copies + other + idle == total */
    int64_t compute, comm, copies;        /* unions */
    int64_t exposed_comm, exposed_copies; /* comm without compute; copies without both */
    int64_t other;                        /* busy with AZ_PART_NONE alone */
    int64_t busy, idle, total;
    int64_t micro;       /* of idle: gaps between work that are shorter than the limit */
    int64_t first, last; /* of the work, or the window */
    size_t events;       /* not of a window alone: of all that was added */
};
/* The account of all that was added, from its first start to its last end; with a window, of the
 * work clipped to it, and the window is the total. micro: limit in ticks. */
void az_account_of(const struct az_busy *b, const struct az_span *window, int64_t micro,
                   struct az_account *out);
/* The same, and the time of each combination of parts, by bits 1 << az_part; [0] is 0. Apart from
 * the account, of which there is one for each device and step. */
void az_account_with_parts(const struct az_busy *b, const struct az_span *window, int64_t micro,
                           struct az_account *out, int64_t at_once[8]);

/* The account of events that are added by start, as they come: no lists. */
struct az_tally {
    int64_t end[AZ_PARTS + 1]; /* of each part so far */
    int64_t first, last, now;  /* now: up to where time is added up */
    int alone;                 /* the only part that goes on after `now`; -1: check all */
    int64_t limit, micro;
    int64_t at_once[9]; /* of each combination of parts; [8]: AZ_PART_NONE alone */
    size_t events;
};
/* micro: limit in ticks. */
void az_tally_init(struct az_tally *t, int64_t micro);
void az_tally_change(struct az_tally *t, enum az_part part, int64_t start, int64_t end);
/* start: not before that of the last. While one part alone goes on, as on one stream, its time is
 * added up when it stops or another begins. */
static inline void az_tally_add(struct az_tally *t, enum az_part part, int64_t start, int64_t end)
{
    if (t->alone == (int)part && start <= t->last) {
        if (end > t->last)
            t->end[part] = t->last = end;
    } else if (t->alone >= 0 && start >= t->last) {
        t->at_once[1u << t->alone] += t->last - t->now;
        t->micro += start - t->last < t->limit ? start - t->last : 0;
        t->now = start;
        t->alone = (int)part;
        t->end[part] = t->last = end;
    } else {
        az_tally_change(t, part, start, end);
    }
    t->events++;
}
/* The result of az_account_of without a window. */
void az_tally_account(const struct az_tally *t, struct az_account *out);

/* The whole takes longer than its work: processes began before and ended after it. */
void az_account_extend(struct az_account *a, int64_t total);
/* Time in which exactly the sets of each combination of bits were active, between lo and hi; sets
 * merged. */
void az_account_sweep(const struct az_spans set[AZ_PARTS], int64_t lo, int64_t hi, int64_t sum[8]);

/* ---- of one trace, made once ---- */
/* Whose work counts (docs/account.md 3). */
enum az_population {
    AZ_ALL_WORK,   /* every device event: facts and the verdict */
    AZ_TABLE_WORK, /* of tables that TraceLens defines too: az_tables_count_unlinked; without it
                      events count whose launch is in the call tree of the trace */
    AZ_POPULATIONS
};
struct az_counted {
    size_t events,
        unlinked; /* device events; those whose launch is not in the call tree of their trace */
    uint8_t *skip[AZ_KIND_COUNT]; /* row -> does not count; NULL: all rows count */
};
/* NULL on failure, the error is in *rc. */
const struct az_counted *az_job_counted(struct az_job *job, size_t trace, enum az_population p,
                                        int *rc);

struct az_work_event {
    int64_t start, end;
    uint32_t name, lane;
    enum az_part part;
    enum az_kind kind;
    bool other; /* outside the window: only makes the device busy */
};
struct az_work_sweep {
    struct az_job *job;
    size_t trace;
    const struct az_counted *counted;
    struct az_sweep at;
    bool with_others; /* also what runs next to the work of a window */
    size_t other;     /* the next of these */
    bool held;        /* `next` comes after others */
    struct az_work_event next;
};
/* Events that count, by start. */
static inline struct az_work_sweep az_work_sweep(struct az_job *job, size_t trace,
                                                 const struct az_counted *c)
{
    return (struct az_work_sweep){
        .job = job, .trace = trace, .counted = c, .at = { .t = job->traces[trace] }
    };
}
bool az_work_next(struct az_work_sweep *s, struct az_work_event *e);

struct az_device_account {
    int64_t device;
    struct az_account a;
};
struct az_step_account {
    struct az_sv name; /* as long-lived as the trace, or the job's arena */
    struct az_account a;
};
struct az_accounts {
    struct az_account all;            /* devices pooled */
    struct az_device_account *device; /* by number; those with work that counts */
    /* The same devices within the scope of the verdict (docs/account.md 4), which they share. A
     * device that is busy for less than 1 % of the busiest one's time is idle and has no part in
     * the choice of the window. */
    struct az_device_account *scoped; /* NULL: only the window differs (az_account_in_scope) */
    struct az_device_account *before, *after; /* from the first device work to the scope, and from
                                                 there to the last; NULL: the scope is all */
    /* of the steps whose length is the median (struct az_steps.middle), or of the only step of a
     * window; NULL: there is no period */
    struct az_device_account *median_step, *other_median_step;
    struct az_span median[2]; /* ticks, of these */
    bool *idle;
    bool by_steps;                /* the scope is that of the steps, else the whole recording */
    struct az_span window;        /* ticks */
    struct az_step_account *step; /* by start, devices pooled; steps that are marked */
    size_t n_devices, n_steps;
    size_t devices; /* also those with no work that counts */
};
/* Of the device with that index in the scope of the verdict. */
static inline struct az_account az_account_in_scope(const struct az_accounts *a, size_t device)
{
    if (a->scoped)
        return a->scoped[device].a;
    struct az_account x = a->device[device].a;
    x.first = a->window.start;
    x.last = a->window.end;
    x.total = x.last - x.first;
    x.idle = x.total - x.busy;
    return x;
}
/* Index of the first account of a device, which are by number; n_devices: there is none. */
static inline size_t az_accounts_device(const struct az_accounts *a, int64_t device)
{
    size_t low = 0, high = a->n_devices;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (a->device[mid].device < device)
            low = mid + 1;
        else
            high = mid;
    }
    return low < a->n_devices && a->device[low].device == device ? low : a->n_devices;
}
/* NULL on failure, the error is in *rc. The limit of micro gaps is micro_idle_us, 0 where it is not
 * set.
 */
const struct az_accounts *az_job_accounts(struct az_job *job, size_t trace, enum az_population p,
                                          int *rc);

#endif
