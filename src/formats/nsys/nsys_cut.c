/* A window of an SQLite export as an SQLite export (docs/regions.md 8), by the rules of windows
 * (model/window.h). The window is found in the ranges; then calls and device work are read in
 * columns of numbers, in memory that grows with the calls alone: four bytes for each. */
#include "formats/nsys/nsys_cut.h"

#include "formats/shared/cut_records.h"

static const char *const cut_columns[NSYS_CUT_COLUMNS] = { "start",         "end",
                                                           "correlationId", "globalPid",
                                                           "globalTid",     "eventType" };

#define RUNTIME "CUPTI_ACTIVITY_KIND_RUNTIME"
static const char *const work_tables[] = { "CUPTI_ACTIVITY_KIND_KERNEL",
                                           "CUPTI_ACTIVITY_KIND_MEMCPY",
                                           "CUPTI_ACTIVITY_KIND_MEMSET",
                                           "CUPTI_ACTIVITY_KIND_GRAPH_TRACE" };

static uint64_t process_of(const struct az_nsys_cutting *c, int64_t id)
{
    return c->x.one_process ? 0 : NSYS_PROC(id);
}

static bool has_no_end(const struct az_sqlite_row *r) { return r->null >> NSYS_CUT_END & 1; }

/* A row without a start is none that takes time. */
static void untime_row(struct az_sqlite_row *r)
{
    if (!((r->null | r->odd) >> NSYS_CUT_START & 1))
        return;
    r->v[NSYS_CUT_START] = 0;
    r->v[NSYS_CUT_END] = -1;
    r->null &= ~(1u << NSYS_CUT_END);
}

/* ---- the rule of a row ---- */

static enum az_nsys_rule rule_of(struct az_nsys_db *x, const char *table)
{
    static const struct {
        const char *name;
        enum az_nsys_rule rule;
    } known[] = { { "CUPTI_ACTIVITY_KIND_KERNEL", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_MEMCPY", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_MEMSET", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", NSYS_WORK },
                  { "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", NSYS_SYNCS },
                  { "CUPTI_ACTIVITY_KIND_RUNTIME", NSYS_CALLS },
                  { "NVTX_EVENTS", NSYS_NVTX } };
    if (!az_nsys_has_column(x, table, "start") || !az_nsys_has_column(x, table, "end"))
        return NSYS_ALL;
    for (size_t i = 0; i < AZ_LENGTH(known); i++)
        if (strcmp(known[i].name, table) == 0 &&
            (known[i].rule != NSYS_NVTX || az_nsys_has_column(x, table, "eventType")))
            return known[i].rule;
    return NSYS_TIMED;
}

static unsigned wanted_columns(enum az_nsys_rule rule)
{
    const unsigned times = 1u << NSYS_CUT_START | 1u << NSYS_CUT_END,
                   process = 1u << NSYS_CUT_PID | 1u << NSYS_CUT_TID;
    switch (rule) {
    case NSYS_ALL:
        return 0;
    case NSYS_NVTX:
        return times | process | 1u << NSYS_CUT_TYPE;
    case NSYS_TIMED:
        return times | process;
    default:
        return times | process | 1u << NSYS_CUT_CORR;
    }
}

/* The span that device work belongs to, from 1 on: with its call; without one where it begins. */
static uint32_t part_of_work(struct az_nsys_cutting *c, uint64_t process,
                             const struct az_sqlite_row *r)
{
    uint32_t part;
    return az_cut_calls_part(&c->calls, process, (uint64_t)r->v[NSYS_CUT_CORR], &part)
               ? part
               : az_window_part_at(&c->parts, process, r->v[NSYS_CUT_START]);
}

static bool is_next_to(const struct az_nsys_cutting *c, int64_t start, int64_t end)
{
    return end > start && az_spans_touch(&c->work, start, end);
}

static bool is_call_kept(struct az_nsys_cutting *c, uint64_t process, const struct az_sqlite_row *r)
{
    const uint64_t corr = (uint64_t)r->v[NSYS_CUT_CORR];
    if (az_window_part_at(&c->parts, process, r->v[NSYS_CUT_START]))
        return true;
    const uint32_t *call = corr ? az_cut_calls_at(&c->calls, process, corr, false) : NULL;
    return call && (*call & AZ_CUT_NEXT_TO);
}

static bool is_range(int64_t type)
{
    return type == 34 || type == 59 || type == 60 || type == 70 || type == 71;
}

static bool is_row_kept(struct az_nsys_cutting *c, enum az_nsys_rule rule,
                        const struct az_sqlite_row *r)
{
    const int64_t pid = r->v[NSYS_CUT_PID], start = r->v[NSYS_CUT_START];
    const uint64_t process = process_of(c, pid ? pid : r->v[NSYS_CUT_TID]);
    int64_t end = has_no_end(r) ? start : r->v[NSYS_CUT_END];
    switch (rule) {
    case NSYS_ALL:
        return true;
    case NSYS_CALLS:
        return is_call_kept(c, process, r);
    case NSYS_WORK:
    case NSYS_SYNCS:
        return part_of_work(c, process, r) || (rule == NSYS_WORK && is_next_to(c, start, end));
    case NSYS_NVTX:
        if (!is_range(r->v[NSYS_CUT_TYPE]))
            return true;
        end =
            has_no_end(r) && r->v[NSYS_CUT_TYPE] != 34 ? INT64_MAX : end; /* a range that is open */
        break;
    case NSYS_TIMED:
        break;
    }
    return az_window_parts_touch(&c->parts, process, start, end);
}

/* ---- reading numbers ---- */

typedef int (*cut_row_fn)(struct az_nsys_cutting *c, const struct az_sqlite_row *r);
struct pass {
    struct az_nsys_cutting *c;
    cut_row_fn fn;
};

static int take_numbers(struct az_nsys_db *x, const struct az_nsys_row *r, void *ctx)
{
    const struct pass *p = ctx;
    struct az_sqlite_row row = { .null = 0 };
    (void)x;
    for (int i = 0; i < NSYS_CUT_COLUMNS; i++)
        row.v[i] = az_nsys_i64(r, i);
    row.null = (uint32_t)az_nsys_is_null(r, NSYS_CUT_END) << NSYS_CUT_END;
    row.odd = (uint32_t)!az_nsys_is_number(r, NSYS_CUT_START) << NSYS_CUT_START;
    untime_row(&row);
    return p->fn(p->c, &row);
}

/* The columns of a rule of a table; `eventType` stands for another column where one is named. */
static int each_row(struct az_nsys_cutting *c, const char *table, unsigned wants, const char *type,
                    cut_row_fn fn)
{
    static const char absent[] = "(none)";
    struct az_nsys_column want[NSYS_CUT_COLUMNS];
    struct pass p = { c, fn };
    for (size_t i = 0; i < NSYS_CUT_COLUMNS; i++)
        want[i] = (struct az_nsys_column){ wants >> i & 1 ? cut_columns[i] : absent,
                                           i == NSYS_CUT_START };
    if (type)
        want[NSYS_CUT_TYPE].column = type;
    return az_nsys_each_numbers(&c->x, table, want, NSYS_CUT_COLUMNS, take_numbers, &p);
}

/* ---- the window ---- */

static int extend(struct az_nsys_cutting *c, int64_t start, int64_t end)
{
    struct az_span *all;
    if (end < start) /* is no event */
        return AZ_OK;
    if (!c->work.n) {
        const int rc = az_vec_push(&c->work, ((struct az_span){ start, end }));
        return rc;
    }
    all = &c->work.v[0];
    all->start = start < all->start ? start : all->start;
    all->end = end > all->end ? end : all->end;
    return AZ_OK;
}

static int take_device_time(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    return extend(c, r->v[NSYS_CUT_START], r->v[NSYS_CUT_END]);
}

/* Threads get their numbers in the order in which a report meets them. */
static int take_host_time(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    uint32_t lane;
    const int rc = az_nsys_host_lane(&c->x, (uint64_t)r->v[NSYS_CUT_TID], &lane);
    return rc ? rc : extend(c, r->v[NSYS_CUT_START], r->v[NSYS_CUT_END]);
}

static int take_system_call(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    static const int64_t calls = 27; /* other classes are periods that the profiler made up */
    return r->v[NSYS_CUT_TYPE] != calls ? AZ_OK : take_host_time(c, r);
}

static int take_range_time(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    const int64_t start = r->v[NSYS_CUT_START], end = has_no_end(r) ? start : r->v[NSYS_CUT_END],
                  late = end > start ? end : start;
    if (!is_range(r->v[NSYS_CUT_TYPE]) || r->v[NSYS_CUT_TYPE] == 34)
        return AZ_OK;
    c->open_end = late > c->open_end ? late : c->open_end;
    c->open |= has_no_end(r);
    if (has_no_end(r) && start < c->open_from)
        c->open_from = start;
    if (end >= start) {
        c->ranges.start = start < c->ranges.start ? start : c->ranges.start;
        c->ranges.end = end > c->ranges.end ? end : c->ranges.end;
    }
    return AZ_OK;
}

/* Ranges that are open end with the last one of the whole file, of which a window may have less. */
static int find_ranges(struct az_nsys_cutting *c)
{
    c->ranges = (struct az_span){ INT64_MAX, INT64_MIN };
    c->open_from = INT64_MAX;
    c->open_end = az_nsys_open_end(&c->x);
    return each_row(c, "NVTX_EVENTS",
                    1u << NSYS_CUT_START | 1u << NSYS_CUT_END | 1u << NSYS_CUT_TYPE, NULL,
                    take_range_time);
}

static int read_times(struct az_nsys_cutting *c, bool devices)
{
    const unsigned times = 1u << NSYS_CUT_START | 1u << NSYS_CUT_END;
    const unsigned host = times | 1u << NSYS_CUT_TID;
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && devices && i < AZ_LENGTH(work_tables); i++)
        rc = each_row(c, work_tables[i], times, NULL, take_device_time);
    if (rc == 0 && devices)
        rc = each_row(c, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", times, NULL, take_device_time);
    if (rc == 0)
        rc = each_row(c, RUNTIME, host, NULL, take_host_time);
    if (rc == 0)
        rc = each_row(c, "OSRT_API", host, "eventClass",
                      az_nsys_has_column(&c->x, "OSRT_API", "eventClass") ? take_system_call
                                                                          : take_host_time);
    if (rc == 0)
        rc = each_row(c, "PROFILER_OVERHEAD", host, NULL, take_host_time);
    return rc;
}

static bool is_time(const struct az_window_end *w)
{
    return w->percent >= 0 || w->ns != AZ_UNSET_I64;
}

/* What is needed of the recording to find the window, into a trace of ranges; of those that do not
 * choose it, only the times. */
static int read_marks(struct az_nsys_cutting *c)
{
    const struct az_window *w = c->job->window;
    const bool times = is_time(&w->from) || is_time(&w->to),
               names = w->range.n || w->from.range.n || w->to.range.n || w->step >= 0;
    int rc = az_nsys_strings_open(&c->x);
    if (rc == 0)
        rc = az_nsys_read_meta(&c->x);
    if (rc == 0 && (times || w->step >= 0))
        rc = read_times(c, times);
    if (rc == 0)
        rc = extend(c, c->ranges.start, c->ranges.end);
    if (rc == 0 && names)
        rc = az_nsys_read_nvtx(&c->x, w);
    if (rc == 0 && c->open)
        rc = extend(c, c->open_from, c->open_end);
    if (rc == 0)
        rc = az_nsys_read_mpi(&c->x);
    if (rc == 0 && c->work.n) {
        struct az_event whole = { .start = c->work.v[0].start,
                                  .end = c->work.v[0].end,
                                  .side = AZ_NO_ROW,
                                  .name = AZ_NO_ID };
        rc = az_nsys_host_lane(&c->x, 0, &whole.lane);
        if (rc == 0)
            rc = az_trace_add(&c->marks, AZ_OVERHEAD, &whole);
    }
    az_vec_reset(&c->work);
    return rc;
}

static int find_window(struct az_nsys_cutting *c)
{
    enum az_window_miss miss = AZ_WINDOW_FOUND;
    int rc = read_marks(c);
    if (rc == 0)
        rc = az_trace_finalize(&c->marks);
    if (rc == 0 && !c->marks.ev[AZ_OVERHEAD].n && !c->marks.ev[AZ_RANGE].n &&
        (is_time(&c->job->window->from) || is_time(&c->job->window->to)))
        miss = AZ_WINDOW_NO_EVENTS;
    if (rc == 0 && miss == AZ_WINDOW_FOUND)
        rc = az_window_spans(&c->marks, c->job->window, &c->parts, &miss);
    if (rc == 0)
        rc = az_window_check(c->job->diag, c->job->in, c->job->window, &c->marks, miss);
    return rc;
}

/* Of a window of another export, whose rows are not all in it: read as for a report. */
static int find_in_window(struct az_nsys_cutting *c)
{
    struct az_trace t;
    int rc = az_trace_init(&t, c->job->mem);
    c->parse.trace = &t;
    t.path = c->job->in;
    t.window = c->job->window;
    if (rc == 0)
        rc = az_nsys_sqlite_read(&c->parse, c->job->in);
    if (rc == 0)
        rc = az_trace_finalize(&t);
    if (rc == 0)
        rc = az_window_check(c->job->diag, c->job->in, c->job->window, &t,
                             (enum az_window_miss)t.window_miss);
    for (size_t i = 0; rc == 0 && i < t.recorded_window.n; i++)
        rc = az_vec_push(&c->parts.spans, t.recorded_window.v[i]);
    for (size_t i = 0; rc == 0 && i < t.window_process.n; i++)
        rc = az_vec_push(&c->parts.process, t.window_process.v[i]);
    az_trace_release(&t);
    c->parse.trace = &c->marks;
    return rc;
}

/* ---- calls and device work ---- */

static int take_call(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    const uint64_t process = process_of(c, r->v[NSYS_CUT_TID]),
                   corr = (uint64_t)r->v[NSYS_CUT_CORR];
    const int64_t start = r->v[NSYS_CUT_START];
    return !corr || r->v[NSYS_CUT_END] < start
               ? AZ_OK
               : az_cut_calls_add(&c->calls, process, corr,
                                  az_window_part_at(&c->parts, process, start));
}

/* Of ids with several calls the first one counts. */
static int take_first_call(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    const uint64_t process = process_of(c, r->v[NSYS_CUT_TID]),
                   corr = (uint64_t)r->v[NSYS_CUT_CORR];
    const int64_t start = r->v[NSYS_CUT_START];
    return !corr || r->v[NSYS_CUT_END] < start
               ? AZ_OK
               : az_cut_calls_again(&c->calls, process, corr,
                                    az_window_part_at(&c->parts, process, start), start);
}

static int take_work(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    const int64_t start = r->v[NSYS_CUT_START], end = r->v[NSYS_CUT_END];
    const uint32_t part = end < start ? 0 : part_of_work(c, process_of(c, r->v[NSYS_CUT_PID]), r);
    if (part) {
        struct az_span *s = &c->work.v[part - 1];
        s->start = start < s->start ? start : s->start;
        s->end = end > s->end ? end : s->end;
    }
    return AZ_OK;
}

/* Calls of work that runs next to that of the window are copied: they show that it is outside. */
static int take_next_to(struct az_nsys_cutting *c, const struct az_sqlite_row *r)
{
    const uint64_t corr = (uint64_t)r->v[NSYS_CUT_CORR];
    if (!corr || !is_next_to(c, r->v[NSYS_CUT_START], r->v[NSYS_CUT_END]))
        return AZ_OK;
    uint32_t *call = az_cut_calls_at(&c->calls, process_of(c, r->v[NSYS_CUT_PID]), corr, false);
    if (call && *call == 1)
        *call |= AZ_CUT_NEXT_TO;
    return AZ_OK;
}

static int each_work(struct az_nsys_cutting *c, cut_row_fn fn)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(work_tables); i++)
        rc = each_row(c, work_tables[i], wanted_columns(NSYS_WORK), NULL, fn);
    return rc;
}

static int find_work(struct az_nsys_cutting *c)
{
    const unsigned wants = wanted_columns(NSYS_CALLS);
    size_t n = 0;
    int rc = each_row(c, RUNTIME, wants, NULL, take_call);
    if (rc == 0 && c->calls.first.n)
        rc = each_row(c, RUNTIME, wants, NULL, take_first_call);
    for (size_t i = 0; rc == 0 && i < c->parts.spans.n; i++)
        rc = az_vec_push(&c->work, ((struct az_span){ INT64_MAX, INT64_MIN }));
    if (rc == 0)
        rc = each_work(c, take_work);
    for (size_t i = 0; i < c->work.n; i++)
        if (c->work.v[i].end >= c->work.v[i].start)
            c->work.v[n++] = c->work.v[i];
    c->work.n = n;
    az_spans_sort(&c->work);
    az_spans_union(&c->work);
    return rc == 0 && n ? each_work(c, take_next_to) : rc;
}

/* ---- the whole ---- */

static int open_input(struct az_nsys_cutting *c)
{
    struct az_cut *job = c->job;
    c->file.path = job->in;
    c->parse = az_cut_parse(job, &c->file, &c->marks);
    c->marks.path = job->in;
    c->marks.ticks_per_ns = 1;
    const int rc = az_nsys_db_open(&c->x, &c->parse, job->in);
    if (rc == 0)
        az_nsys_find_processes(&c->x);
    return rc;
}

/* ---- the database that is written ---- */

static int choose_rule(void *ctx, const char *table)
{
    struct az_nsys_cutting *c = ctx;
    return (int)rule_of(&c->x, table);
}

static unsigned columns_of_rule(void *ctx, int rule)
{
    (void)ctx;
    return wanted_columns((enum az_nsys_rule)rule);
}

static int take_row(void *ctx, int rule, const struct az_sqlite_row *row)
{
    struct az_nsys_cutting *c = ctx;
    struct az_sqlite_row timed = *row;
    untime_row(&timed);
    const bool kept = is_row_kept(c, (enum az_nsys_rule)rule, &timed);
    c->job->read++;
    c->job->kept += kept;
    return kept;
}

static int write_export(struct az_nsys_cutting *c)
{
    const struct az_sqlite_cut cut = { .job = c->job,
                                       .file = &c->x.file,
                                       .arena = &c->arena,
                                       .columns = { cut_columns, NSYS_CUT_COLUMNS, NULL },
                                       .rule_of = choose_rule,
                                       .wants = columns_of_rule,
                                       .keeps = take_row,
                                       .ctx = c,
                                       .window = AZ_NSYS_WINDOW_TABLE,
                                       .process = "globalPid",
                                       .parts = &c->parts,
                                       .more = c->open ? AZ_NSYS_OPEN_END : NULL,
                                       .more_value = c->open_end };
    return az_sqlite_cut_write(&cut);
}

static int cut_export(struct az_nsys_cutting *c)
{
    int rc = open_input(c);
    if (rc == 0)
        rc = find_ranges(c);
    if (rc == 0)
        rc = az_nsys_has_table(&c->x, AZ_NSYS_WINDOW_TABLE) ? find_in_window(c) : find_window(c);
    if (rc == 0)
        rc = find_work(c);
    return rc ? rc : write_export(c);
}

int az_nsys_cut(struct az_cut *job)
{
    if (job->keep != AZ_CUT_ALL)
        return az_diag_fail(job->diag, AZ_EUSAGE, AZ_AT_FILE(job->in),
                            "an SQLite export is cut whole; use a window without --keep");
    struct az_nsys_cutting *c = az_mem_alloc(job->mem, sizeof *c);
    if (!c)
        return az_mem_error(job->mem);
    memset(c, 0, sizeof *c);
    c->job = job;
    az_arena_init(&c->arena, job->mem);
    az_window_parts_init(&c->parts, job->mem);
    az_vec_init(&c->work, job->mem);
    az_cut_calls_init(&c->calls, job->mem);
    int rc = az_trace_init(&c->marks, job->mem);
    if (rc == 0)
        rc = cut_export(c);
    if (c->x.job)
        az_nsys_db_close(&c->x);
    az_trace_release(&c->marks);
    az_cut_calls_release(&c->calls);
    az_window_parts_release(&c->parts);
    az_vec_release(&c->work);
    az_arena_release(&c->arena);
    az_mem_free(job->mem, c, sizeof *c);
    return rc;
}
