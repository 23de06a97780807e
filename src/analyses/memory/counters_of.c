/* Sampled counters of what ran when they were read: of kernels, of operators by their own device
 * work, of ranges by their projection; a column for each counter, means by time. */
#include "analyses/memory/counters.h"
#include "base/num.h"
#include "document/record.h"
#include "model/optrace.h"

enum { MOST_COUNTERS = 64, MOST_ROWS = 5000 };

struct row_of {
    uint32_t trace, name; /* number of its name */
    int64_t device;       /* -1: of several */
    int64_t count, ticks;
};
AZ_VEC(struct row_of, rows_of);

struct of {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    struct az_map row; /* (name, device), trace -> index */
    struct rows_of rows;
    struct az_vec_f64 area, ticks; /* by row and column */
    struct az_vec_u32 column;      /* of the table: number of its name */
    struct az_vec_u32 column_of;   /* counter of the trace -> column; AZ_NO_ID */
    struct az_vec_u32 near;        /* counter of the trace */
};

/* ---- columns ---- */
/* What is in use is no property of the work that runs meanwhile. */
static bool is_memory(struct az_sv name)
{
    return az_sv_starts(name, AZ_SV("Memory ")) && az_sv_ends(name, AZ_SV("[B]"));
}

static int list_columns(struct of *w)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->job->n_traces; i++) {
        const struct az_sampled_rows *c = &w->job->traces[i]->samples.counters;
        for (size_t k = 0; rc == 0 && k < c->n && w->column.n < MOST_COUNTERS; k++) {
            const uint32_t name = az_job_name(w->job, i, c->v[k].name);
            size_t at = 0;
            if (is_memory(az_job_text(w->job, name)))
                continue;
            while (at < w->column.n && w->column.v[at] != name)
                at++;
            rc = at == w->column.n ? az_vec_push(&w->column, name) : 0;
        }
    }
    return rc;
}

static int begin_trace(struct of *w, size_t trace)
{
    const struct az_sampled_rows *c = &w->job->traces[trace]->samples.counters;
    int rc = 0;
    w->trace = trace;
    w->t = w->job->traces[trace];
    az_vec_reset(&w->column_of);
    az_vec_reset(&w->near);
    for (size_t k = 0; rc == 0 && k < c->n; k++) {
        const uint32_t name = az_job_name(w->job, trace, c->v[k].name);
        uint32_t at = 0;
        while (at < w->column.n && w->column.v[at] != name)
            at++;
        rc = az_vec_push(&w->column_of, at < w->column.n ? at : AZ_NO_ID);
        if (rc == 0)
            rc = az_vec_push(&w->near, 0);
    }
    return rc;
}

/* ---- rows ---- */
static int row_of(struct of *w, uint32_t name, int64_t device, uint32_t *row)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->row, (uint64_t)w->trace << 32 | name, (uint64_t)device,
                        (uint32_t)w->rows.n, &at, &added);
    if (rc)
        return rc;
    *row = *at;
    if (!added)
        return 0;
    rc = az_vec_push(
        &w->rows, ((struct row_of){ .trace = (uint32_t)w->trace, .name = name, .device = device }));
    for (size_t k = 0; rc == 0 && k < w->column.n; k++) {
        rc = az_vec_push(&w->area, 0);
        if (rc == 0)
            rc = az_vec_push(&w->ticks, 0);
    }
    return rc;
}

static void add_window(struct of *w, uint32_t row, int64_t device, int64_t from, int64_t to)
{
    const struct az_samples *s = &w->t->samples;
    const size_t base = (size_t)row * w->column.n;
    for (uint32_t i = 0; i < s->counters.n; i++) {
        struct az_sample_sum sum = AZ_SAMPLE_SUM;
        if (w->column_of.v[i] == AZ_NO_ID || !az_counter_of(&s->counters.v[i], device))
            continue;
        az_sample_add(s, i, from, to, &w->near.v[i], &sum);
        w->area.v[base + w->column_of.v[i]] += sum.area;
        w->ticks.v[base + w->column_of.v[i]] += (double)sum.ticks;
    }
}

static int add_event(struct of *w, uint32_t name, int64_t device, int64_t from, int64_t to)
{
    uint32_t row;
    const int rc = name == AZ_NO_ID ? 0 : row_of(w, name, device, &row);
    if (rc || name == AZ_NO_ID)
        return rc;
    w->rows.v[row].count++;
    w->rows.v[row].ticks = az_add_sat(w->rows.v[row].ticks, to - from);
    add_window(w, row, device, from, to);
    return 0;
}

/* ---- what ran ---- */
static int kernels(struct of *w)
{
    const struct az_events *e = &w->t->ev[AZ_KERNEL];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        rc = add_event(w, az_job_name(w->job, w->trace, e->name[i]),
                       w->t->lanes.v[e->lane[i]].device, e->start[i], e->end[i]);
    return rc;
}

/* The device work that an operator launched itself, every piece by itself. */
static int operators(struct of *w)
{
    const struct az_calltree *tree = w->t->caps & AZ_CAP_CALLTREE ? az_tree(w->t) : NULL;
    const struct az_launchers *l = tree ? az_optrace(w->t)->launchers : NULL;
    int rc = 0;
    for (size_t i = 0; l && rc == 0 && i < l->rows.n; i++) {
        const struct az_launcher *x = &l->rows.v[i];
        uint32_t at;
        const enum az_kind kind = az_node_kind(tree, x->node, &at);
        const uint32_t name = az_job_name(w->job, w->trace, w->t->ev[kind].name[at]);
        for (uint32_t k = 0; rc == 0 && k < az_launcher_count(x); k++) {
            const struct az_event e = az_gpu_event(tree, l->own.v[x->first + k]);
            rc = add_event(w, name, w->t->lanes.v[e.lane].device, e.start, e.end);
        }
    }
    return rc;
}

static int ranges(struct of *w)
{
    const int64_t n = w->t->caps & AZ_CAP_PROJ ? az_job_ranges(w->job, w->trace) : 0;
    int rc = n < 0 ? (int)n : 0;
    for (int64_t i = 0; rc == 0 && i < n; i++) {
        const struct az_job_range r = az_job_range_at(w->job, w->trace, (size_t)i);
        int64_t from, to;
        if (r.start == INT64_MIN || r.duration < 0 ||
            __builtin_mul_overflow(r.start, w->t->ticks_per_ns, &from) ||
            __builtin_mul_overflow(r.duration, w->t->ticks_per_ns, &to) ||
            __builtin_add_overflow(from, to, &to))
            continue;
        rc = add_event(w, r.name, -1, from, to);
    }
    return rc;
}

/* ---- tables ---- */
struct name_row {
    const struct row_of *of;
    struct az_sv name;
    int64_t rank;
    double ms;
};
#define ROW struct name_row
/* And a column per counter. */
static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks,
      .sort = 4 },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, of, device), .sort = 3 },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .sort = 2 }, /* kernel, range ... */
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, count) },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(ROW, ms), .sort = -1 },
};
enum { NAME = 2 };

static void put_rows(struct of *w, struct az_table *t)
{
    for (size_t i = 0; i < w->rows.n; i++) {
        const struct row_of *r = &w->rows.v[i];
        const struct az_trace *from = w->job->traces[r->trace];
        double covered = 0;
        for (size_t k = 0; k < w->column.n; k++)
            covered += w->ticks.v[i * w->column.n + k];
        if (covered == 0)
            continue;
        az_put_row(t, &(ROW){ r, az_job_text(w->job, r->name), az_job_rank(w->job, r->trace),
                              (double)r->ticks / (double)from->ticks_per_ns / 1e6 });
        for (size_t k = 0; k < w->column.n; k++) {
            const double ticks = w->ticks.v[i * w->column.n + k];
            if (ticks > 0)
                az_put_f64(t, w->area.v[i * w->column.n + k] / ticks);
            else
                az_put_empty(t);
        }
    }
}

static void cover_rest(struct az_job *job, const char *id, size_t n)
{
    const struct az_sv item = az_arena_printf(job->arena, "rows omitted from %s", id);
    if (item.p)
        az_cover(job, item.p, (double)n, "", AZ_SV("rows with the least time"));
}

static int table(struct of *w, const char *id, const char *title, const char *what, int rc)
{
    struct az_table *t = az_record_table(w->job->arena, id, title, 0, columns, NAME, w->job);
    az_record_column_named(t, &columns[NAME], az_sv_str(what));
    az_record_columns(t, columns + NAME + 1, AZ_LENGTH(columns) - NAME - 1);
    for (size_t k = 0; k < w->column.n; k++) {
        const struct az_sv name = az_job_text(w->job, w->column.v[k]);
        az_table_columnsv(t, name, AZ_REAL, az_counter_unit(name), 0);
    }
    if (rc == 0)
        put_rows(w, t);
    rc = rc ? rc : az_table_finish(t);
    rc = rc ? rc : az_record_sort(t);
    if (rc == 0 && t->rows > MOST_ROWS) {
        cover_rest(w->job, id, t->rows - MOST_ROWS);
        az_table_truncate(t, MOST_ROWS);
    }
    return az_job_add(w->job, t, rc);
}

static int make_table(struct az_job *job, const char *id, const char *title, const char *what,
                      int (*add)(struct of *))
{
    struct of w = { .job = job };
    az_vec_init(&w.rows, job->mem);
    az_vec_init(&w.area, job->mem);
    az_vec_init(&w.ticks, job->mem);
    az_vec_init(&w.column, job->mem);
    az_vec_init(&w.column_of, job->mem);
    az_vec_init(&w.near, job->mem);
    az_map_init(&w.row, job->mem, 64);
    int rc = list_columns(&w);
    const bool any = rc || w.column.n;
    for (size_t i = 0; rc == 0 && any && i < job->n_traces; i++) {
        rc = begin_trace(&w, i);
        if (rc == 0)
            rc = add(&w);
    }
    if (any)
        rc = table(&w, id, title, what, rc);
    az_map_release(&w.row);
    az_vec_release(&w.rows);
    az_vec_release(&w.area);
    az_vec_release(&w.ticks);
    az_vec_release(&w.column);
    az_vec_release(&w.column_of);
    az_vec_release(&w.near);
    return rc;
}

int az_counters_of_names(struct az_job *job)
{
    int rc =
        make_table(job, "counters_of_kernels", "Sampled counters by kernel", "kernel", kernels);
    if (rc == 0)
        rc = make_table(job, "counters_of_operations", "Sampled counters by operator", "operation",
                        operators);
    return rc ? rc
              : make_table(job, "counters_of_ranges", "Sampled counters by range", "range", ranges);
}
