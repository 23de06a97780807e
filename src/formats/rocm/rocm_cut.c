/* A window of a database of an AMD profiler: see the header. */
#include "formats/rocm/rocm_cut.h"

#include "classify/steps.h"
#include "formats/list.h"
#include "formats/shared/cut_records.h"

/* ---- reading ---- */

static int take_row(void *ctx, const struct az_sqlite_row *row)
{
    struct az_rocm_cut *c = ctx;
    return c->source->decode(c, c->now, row, c->pass);
}

int az_rocm_each(struct az_rocm_cut *c, unsigned kinds, az_rocm_event_fn fn)
{
    int rc = AZ_OK;
    c->pass = fn;
    for (size_t i = 0; rc == 0 && i < c->tables.n; i++) {
        c->now = &c->tables.v[i];
        if (c->now->kinds & kinds)
            rc = az_sqlite_table_rows(&c->x.file, c->now->name, &c->columns, c->now->wants,
                                      take_row, c);
    }
    return rc;
}

int az_rocm_add_table(struct az_rocm_cut *c, const struct az_rocm_table *t)
{
    static const char sql[] = "SELECT type='view' FROM sqlite_master WHERE type IN"
                              " ('table','view') AND name=?1 COLLATE NOCASE";
    sqlite3_stmt *st = NULL;
    if (!t->name)
        return az_arena_error(&c->arena);
    int code = az_sqlite_prepare(&c->x.file, sql, &st);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(st, 1, t->name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = az_sqlite_step(&c->x.file, st);
    const bool view = code == SQLITE_ROW && sqlite3_column_int(st, 0);
    (void)sqlite3_finalize(st);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? AZ_OK : az_sqlite_error(&c->x.file, code);
    if (view)
        return az_diag_fail(c->job->diag, AZ_EFORMAT, AZ_AT_FILE(c->job->in),
                            "'%s' is a view, whose rows cannot be cut; cut the database that has "
                            "its table",
                            t->name);
    return az_vec_push(&c->tables, *t);
}

/* ---- the rule of an event ---- */

/* The span that device work belongs to, from 1 on: with its call; without one where it begins. */
static uint32_t part_of_work(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    uint32_t part;
    return az_cut_calls_part(&c->calls, e->process, e->corr, &part)
               ? part
               : az_window_part_at(&c->parts, e->process, e->start);
}

static bool is_next_to(const struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    return e->end > e->start && az_spans_touch(&c->work, e->start, e->end);
}

static bool is_call_kept(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    if (az_window_part_at(&c->parts, e->process, e->start))
        return true;
    const uint32_t *call = e->corr ? az_cut_calls_at(&c->calls, e->process, e->corr, false) : NULL;
    return call && (*call & AZ_CUT_NEXT_TO);
}

bool az_rocm_is_inside(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    switch (e->kind) {
    case AZ_ROCM_CALL:
        return is_call_kept(c, e);
    case AZ_ROCM_WORK:
        return part_of_work(c, e) || is_next_to(c, e);
    case AZ_ROCM_RANGE:
    case AZ_ROCM_HOST:
        return az_window_parts_touch(&c->parts, e->process, e->start, e->end);
    case AZ_ROCM_NONE:
        break;
    }
    return true;
}

/* ---- the window ---- */

/* May a range of this name choose the window, by itself or as a mark of a step? */
static int is_chosen(struct az_rocm_cut *c, uint32_t name, bool *chosen)
{
    const struct az_window *w = c->job->window;
    const struct az_sv text = az_trace_text(&c->marks, name);
    struct az_sv stem;
    int64_t number;
    int rc = AZ_OK;
    while (rc == 0 && c->chosen.n <= name)
        rc = az_vec_push(&c->chosen, 0);
    if (rc)
        return rc;
    uint8_t *known = &c->chosen.v[name];
    if (!*known) {
        const bool may = az_window_names(w, text) ||
                         (w->step >= 0 && az_step_mark_of(text, &stem, &number) != AZ_MARK_NONE);
        *known = may ? 2 : 1;
    }
    *chosen = *known == 2;
    return AZ_OK;
}

/* Threads get their numbers in the order in which a report meets them. */
static int see_event(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    const struct az_rocprof_span s = {
        .start = e->start, .end = e->end, .thread = e->thread, .name = e->name, .domain = AZ_NO_ID
    };
    bool chosen = false;
    uint32_t lane;
    if (e->kind == AZ_ROCM_NONE)
        return AZ_OK;
    c->recording.start = e->start < c->recording.start ? e->start : c->recording.start;
    c->recording.end = e->end > c->recording.end ? e->end : c->recording.end;
    if (e->kind == AZ_ROCM_WORK)
        return AZ_OK;
    c->r.proc = e->process;
    int rc = az_rocprof_host_lane(&c->r, e->thread, &lane);
    if (rc == 0 && e->kind == AZ_ROCM_RANGE)
        rc = is_chosen(c, e->name, &chosen);
    return rc || !chosen ? rc : az_rocprof_range(&c->r, &s);
}

/* The whole recording as one event, which a window in times is relative to. */
static int add_recording(struct az_rocm_cut *c)
{
    const struct az_lane lane = { .device = -1, .label = AZ_NO_ID };
    struct az_event whole = {
        .start = c->recording.start, .end = c->recording.end, .name = AZ_NO_ID, .side = AZ_NO_ROW
    };
    const int rc = az_trace_lane(&c->marks, &lane, &whole.lane);
    return rc ? rc : az_trace_add(&c->marks, AZ_OVERHEAD, &whole);
}

static int find_window(struct az_rocm_cut *c)
{
    enum az_window_miss miss = AZ_WINDOW_FOUND;
    c->recording = (struct az_span){ INT64_MAX, INT64_MIN };
    c->finding = true;
    int rc = az_rocm_each(c, ~0u, see_event);
    c->finding = false;
    if (rc == 0 && c->recording.start > c->recording.end)
        miss = AZ_WINDOW_NO_EVENTS;
    else if (rc == 0)
        rc = add_recording(c);
    if (rc == 0)
        rc = az_trace_finalize(&c->marks);
    if (rc == 0 && miss == AZ_WINDOW_FOUND)
        rc = az_window_spans(&c->marks, c->job->window, &c->parts, &miss);
    if (rc == 0)
        rc = az_window_check(c->job->diag, c->job->in, c->job->window, &c->marks, miss);
    return rc;
}

/* Of a window of another database, whose rows are not all in it: read as for a report. */
static int find_in_window(struct az_rocm_cut *c)
{
    struct az_trace t;
    int rc = az_trace_init(&t, c->job->mem);
    c->parse.trace = &t;
    t.path = c->job->in;
    t.window = c->job->window;
    if (rc == 0)
        rc = az_format_rocpd.parse(&c->parse);
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

static int add_call(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    return e->kind != AZ_ROCM_CALL || !e->corr
               ? AZ_OK
               : az_cut_calls_add(&c->calls, e->process, e->corr,
                                  az_window_part_at(&c->parts, e->process, e->start));
}

/* Of ids with several calls the first one counts. */
static int add_first_call(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    return e->kind != AZ_ROCM_CALL || !e->corr
               ? AZ_OK
               : az_cut_calls_again(&c->calls, e->process, e->corr,
                                    az_window_part_at(&c->parts, e->process, e->start), e->start);
}

static int add_work(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    const uint32_t part = e->kind == AZ_ROCM_WORK ? part_of_work(c, e) : 0;
    if (part) {
        struct az_span *s = &c->work.v[part - 1];
        s->start = e->start < s->start ? e->start : s->start;
        s->end = e->end > s->end ? e->end : s->end;
    }
    return AZ_OK;
}

/* Calls of work that runs next to that of the window are copied: they show that it is outside. */
static int mark_next_to(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    if (e->kind != AZ_ROCM_WORK || !e->corr || !is_next_to(c, e))
        return AZ_OK;
    uint32_t *call = az_cut_calls_at(&c->calls, e->process, e->corr, false);
    if (call && *call == 1)
        *call |= AZ_CUT_NEXT_TO;
    return AZ_OK;
}

static int find_work(struct az_rocm_cut *c)
{
    size_t n = 0;
    int rc = az_rocm_each(c, AZ_ROCM_CALL, add_call);
    if (rc == 0 && c->calls.first.n)
        rc = az_rocm_each(c, AZ_ROCM_CALL, add_first_call);
    for (size_t i = 0; rc == 0 && i < c->parts.spans.n; i++)
        rc = az_vec_push(&c->work, ((struct az_span){ INT64_MAX, INT64_MIN }));
    if (rc == 0)
        rc = az_rocm_each(c, AZ_ROCM_WORK, add_work);
    for (size_t i = 0; i < c->work.n; i++)
        if (c->work.v[i].end >= c->work.v[i].start)
            c->work.v[n++] = c->work.v[i];
    c->work.n = n;
    az_spans_sort(&c->work);
    az_spans_union(&c->work);
    if (rc == 0 && n)
        rc = az_rocm_each(c, AZ_ROCM_WORK, mark_next_to);
    return rc == 0 && c->source->settle ? c->source->settle(c) : rc;
}

/* ---- the database that is written ---- */

static int rule_of(void *ctx, const char *table)
{
    const struct az_rocm_cut *c = ctx;
    for (size_t i = 0; i < c->tables.n; i++)
        if (sqlite3_stricmp(c->tables.v[i].name, table) == 0)
            return (int)i + 1;
    return 0;
}

static unsigned columns_of_rule(void *ctx, int rule)
{
    const struct az_rocm_cut *c = ctx;
    return c->tables.v[rule - 1].wants;
}

/* Rows are read for each set that has them. */
static int keep_event(struct az_rocm_cut *c, const struct az_rocm_event *e)
{
    const bool kept = az_rocm_is_inside(c, e);
    c->job->read++;
    c->job->kept += kept;
    c->kept &= kept;
    return AZ_OK;
}

static int keep_row(void *ctx, int rule, const struct az_sqlite_row *row)
{
    struct az_rocm_cut *c = ctx;
    const struct az_rocm_table *t = &c->tables.v[rule - 1];
    if (!t->kinds)
        return c->source->keeps(c, t, row);
    c->kept = true;
    const int rc = c->source->decode(c, t, row, keep_event);
    return rc ? rc : c->kept;
}

static int write_database(struct az_rocm_cut *c)
{
    const struct az_sqlite_cut cut = { .job = c->job,
                                       .file = &c->x.file,
                                       .arena = &c->arena,
                                       .columns = c->columns,
                                       .rule_of = rule_of,
                                       .wants = columns_of_rule,
                                       .keeps = keep_row,
                                       .ctx = c,
                                       .window = AZ_ROCPD_WINDOW_TABLE,
                                       .process = "process",
                                       .parts = &c->parts };
    return az_sqlite_cut_write(&cut);
}

/* ---- the whole ---- */

static int open_input(struct az_rocm_cut *c)
{
    struct az_cut *job = c->job;
    c->in.path = job->in;
    c->parse = az_cut_parse(job, &c->in, &c->marks);
    c->marks.path = job->in;
    for (int k = 0; k < AZ_KIND_COUNT; k++)
        az_trace_columns(&c->marks, (enum az_kind)k, 0);
    int rc = az_rocprof_init(&c->r, &c->parse);
    if (rc == 0)
        rc = az_rocpd_open(&c->x, &c->r, job->in, &c->sets);
    c->x.file.suspect = false; /* pages are checked as they are read */
    c->source = c->sets.n ? &az_rocpd_cut_source : &az_rpd_cut_source;
    return rc ? rc : c->source->open(c);
}

static bool is_window(struct az_rocm_cut *c)
{
    static const char sql[] =
        "SELECT 1 FROM " AZ_ROCPD_WINDOW_TABLE " WHERE \"end\">=start LIMIT 1";
    sqlite3_stmt *st = NULL;
    const bool any = az_sqlite_prepare(&c->x.file, sql, &st) == SQLITE_OK &&
                     az_sqlite_step(&c->x.file, st) == SQLITE_ROW;
    (void)sqlite3_finalize(st);
    return any;
}

static int cut_database(struct az_rocm_cut *c)
{
    int rc = open_input(c);
    if (rc == 0)
        rc = is_window(c) ? find_in_window(c) : find_window(c);
    if (rc == 0)
        rc = find_work(c);
    if (rc == 0 && (c->x.file.starved || c->x.arena.failed)) /* something seemed to be missing */
        rc = az_sqlite_error(&c->x.file, SQLITE_NOMEM);
    return rc ? rc : write_database(c);
}

static void release_cut(struct az_rocm_cut *c)
{
    if (c->own)
        c->source->close(c);
    if (c->x.r)
        az_rocpd_close(&c->x);
    az_rocprof_release(&c->r);
    az_trace_release(&c->marks);
    az_vec_release(&c->sets);
    az_vec_release(&c->tables);
    az_vec_release(&c->chosen);
    az_cut_calls_release(&c->calls);
    az_window_parts_release(&c->parts);
    az_vec_release(&c->work);
    az_arena_release(&c->arena);
}

int az_rocpd_cut(struct az_cut *job)
{
    int rc = az_cut_reject_option(job);
    struct az_rocm_cut *c = rc ? NULL : az_mem_alloc(job->mem, sizeof *c);
    const size_t errors = job->diag->errors;
    if (!c)
        return rc ? rc : az_mem_error(job->mem);
    memset(c, 0, sizeof *c);
    c->job = job;
    az_arena_init(&c->arena, job->mem);
    az_window_parts_init(&c->parts, job->mem);
    az_vec_init(&c->work, job->mem);
    az_vec_init(&c->sets, job->mem);
    az_vec_init(&c->tables, job->mem);
    az_vec_init(&c->chosen, job->mem);
    az_cut_calls_init(&c->calls, job->mem);
    rc = az_trace_init(&c->marks, job->mem);
    if (rc == 0)
        rc = cut_database(c);
    if (rc && job->diag->errors == errors && c->r.job)
        rc = az_rocprof_error(&c->r, rc, job->in);
    release_cut(c);
    az_mem_free(job->mem, c, sizeof *c);
    return rc;
}
