/* The classic block as tables with a fixed text layout (docs/formats-nsight.md 1.5). */
#include <inttypes.h>

#include "compat/nsys/classic.h"
#include "document/record.h"

/* A line in front of a table or after all; NULL text (no memory) is reported by the arena, and a
 * line that is missing by the lines, at the end. */
static void add_line(struct az_vec_sv *lines, struct az_sv text)
{
    if (text.p)
        az_vec_add(lines, text);
}

static void heading(struct az_job *job, struct az_layout *l, const char *what,
                    const struct az_classic_row *sum)
{
    struct az_arena *a = job->arena;
    struct az_vec_sv *b = &l->before;
    add_line(b, az_arena_printf(a, "%s time per iteration: %.3f (ms)", what, sum->per_iter));
    add_line(b,
             az_arena_printf(a, "%s instances per iteration: %" PRId64, what, sum->inst_per_iter));
    add_line(b, az_arena_printf(a, "%s total time: %.3f (ms)", what, sum->total));
    add_line(b, az_arena_printf(a, "%s total instances: %" PRId64, what, sum->instances));
    add_line(b, az_arena_printf(a, "%s Statistic:", what));
}

static struct az_table *start(struct az_job *job, const char *id, const char *title,
                              struct az_layout **l)
{
    struct az_table *t = az_table_new(job->arena, id, title,
                                      AZ_TABLE_CLASSIC | AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY);
    *l = t ? az_table_layout(t) : NULL;
    if (*l)
        (*l)->titles = (*l)->rows = true;
    return t;
}

/* A column and its widths in the text. */
struct column {
    struct az_record_column record;
    bool per_iter; /* omitted where iterations are unknown */
    int title_width, width, decimals;
};
/* clang-format off */
#define ROW(field) AZ_FIELD(struct az_classic_row, field)
static const struct column class_columns[] = {
    { { "Class", AZ_TEXT, .flags = AZ_KEY, ROW(name) }, false, -17, -17, 0 },
    { { "TimePerIter(ms)", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, ROW(per_iter) }, true, -17, 15, 2 },
    { { "InstancePerIter", AZ_INT, AZ_UNIT_COUNT, ROW(inst_per_iter) }, true, -17, 17, 0 },
    { { "TimePerIter(%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE, ROW(per_iter_percent) }, true, -17, 16, 2 },
    { { "TotalTime(ms)", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, ROW(total) }, false, -17, 16, 2 },
    { { "TotalInstance", AZ_INT, AZ_UNIT_COUNT, ROW(instances) }, false, -15, 17, 0 },
    { { "TotalTime(%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_SHARE, ROW(total_percent) }, false, -15, 14, 2 },
};
static const struct column operation_columns[] = {
    { { "Class", AZ_TEXT, .flags = AZ_KEY, ROW(name) }, false, -17, -17, 0 },
    { { "TimePerIter(ms)", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER, ROW(per_iter) }, true, -17, 15, 2 },
    { { "InstancePerIter", AZ_INT, AZ_UNIT_COUNT, ROW(inst_per_iter) }, true, -17, 17, 0 },
    { { "TotalTime(ms)", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER | AZ_SHARE, ROW(total) }, false, -17, 15, 2 },
    { { "TotalInstance", AZ_INT, AZ_UNIT_COUNT, ROW(instances) }, false, -15, 17, 0 },
};
/* clang-format on */

/* Columns and rows; first: width of the first column. */
static void put_rows(const struct az_classic *c, struct az_table *t, const struct column *columns,
                     size_t n, int first, const struct az_classic_rows *rows)
{
    for (size_t i = 0; i < n; i++) {
        if (columns[i].per_iter && !c->iters_known)
            continue;
        az_record_columns(t, &columns[i].record, 1);
        az_table_width(t, i ? columns[i].title_width : first, i ? columns[i].width : first,
                       columns[i].decimals);
    }
    AZ_PUT_ROWS(t, rows->v, rows->n);
}

/* The table into the document, if all its lines are there. */
static int add_table(struct az_job *job, struct az_table *t, const struct az_layout *l)
{
    const int rc = job->arena->failed ? az_arena_error(job->arena) : az_vec_error(&l->before);
    if (rc == 0)
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
}

static int classes(struct az_job *job, const struct az_classic *c)
{
    struct az_layout *l;
    struct az_table *t = start(job, "classes", "Kernel time by class", &l);
    if (!l) {
        az_table_free(t);
        return az_arena_error(job->arena);
    }
    heading(job, l, "Kernel", &c->kernels);
    put_rows(c, t, class_columns, AZ_LENGTH(class_columns), -17, &c->classes);
    return add_table(job, t, l);
}

/* "[CUDA memcpy Device-to-Device]" is printed "[CUDA memcpy D2D]"; the other spellings as they are.
 */
static struct az_sv short_copy(struct az_sv name)
{
    static const struct {
        struct az_sv name, shown;
    } table[] = {
        { { "[CUDA memcpy Device-to-Device]", 30 }, { "[CUDA memcpy D2D]", 17 } },
        { { "[CUDA memcpy Device-to-Host]", 28 }, { "[CUDA memcpy D2H]", 17 } },
        { { "[CUDA memcpy Host-to-Device]", 28 }, { "[CUDA memcpy H2D]", 17 } },
        { { "[CUDA memcpy Host-to-Host]", 26 }, { "[CUDA memcpy H2H]", 17 } },
    };
    for (size_t i = 0; i < AZ_LENGTH(table); i++) {
        if (az_sv_eq(name, table[i].name))
            return table[i].shown;
    }
    return name;
}

/* NCCL and memory operations: the same five columns, the first of another width. */
static int operations(struct az_job *job, const struct az_classic *c, const char *id,
                      const char *title, const struct az_classic_rows *rows,
                      const struct az_classic_row *sum, int first_width)
{
    struct az_layout *l;
    struct az_table *t = start(job, id, title, &l);
    if (!l) {
        az_table_free(t);
        return az_arena_error(job->arena);
    }
    add_line(&l->before, AZ_SV(""));
    if (sum) {
        heading(job, l, "NCCL", sum);
    } else {
        add_line(&l->before, AZ_SV("Mem Ops Statistic:"));
        l->display = short_copy;
    }
    put_rows(c, t, operation_columns, AZ_LENGTH(operation_columns), first_width, rows);
    return add_table(job, t, l);
}

struct metric {
    const char *name;
    double value;
    const char *unit;
    bool omitted;
};

static const struct az_record_column iterations_columns[] = {
    { "Metric", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct metric, name) },
    { "Value", .type = AZ_REAL, AZ_FIELD(struct metric, value) },
    { "Unit", .type = AZ_TEXT, AZ_FIELD(struct metric, unit) },
};

static int totals(struct az_job *job, const struct az_classic *c)
{
    const bool no_iters = !c->iters_known, no_ranges = c->nvtx_count <= 0;
    const struct metric metrics[] = {
        { "Iterations", (double)c->iters, "", no_iters },
        { "GPUs", (double)c->gpus, "", false },
        { "Kernel time per iteration", c->kernels.per_iter, "ms", no_iters },
        { "Kernel instances per iteration", (double)c->kernels.inst_per_iter, "", no_iters },
        { "Kernel total time", c->kernels.total, "ms", false },
        { "Kernel total instances", (double)c->kernels.instances, "", false },
        { "NCCL time per iteration", c->nccl_sum.per_iter, "ms", no_iters },
        { "NCCL instances per iteration", (double)c->nccl_sum.inst_per_iter, "", no_iters },
        { "NCCL total time", c->nccl_sum.total, "ms", false },
        { "NCCL total instances", (double)c->nccl_sum.instances, "", false },
        { "NVTX range count", (double)c->nvtx_count, "", !c->has_nvtx },
        { "NVTX average range time", c->nvtx_avg, "ms", no_ranges },
        { "NVTX total range time", c->nvtx_total, "ms", no_ranges },
        { "Estimated non-hidden time per range", c->hidden_avg, "ms", no_ranges || no_iters },
        { "Estimated non-hidden share per range", c->hidden_avg_pct, "%", no_ranges || no_iters },
        { "Estimated non-hidden total time", c->hidden_total, "ms", no_ranges },
        { "Estimated non-hidden total share", c->hidden_total_pct, "%", no_ranges },
    };
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "iterations", "Totals and per-iteration values",
                        AZ_TABLE_SUMMARY, iterations_columns);
    if (!t)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < AZ_LENGTH(metrics); i++)
        if (!metrics[i].omitted)
            az_put_row(t, &metrics[i]);
    return az_document_add(job->doc, t);
}

static void nvtx_lines(struct az_job *job, const struct az_classic *c)
{
    static const char *const head = "Estimated non-hidden NCCL, mem ops and bubble";
    struct az_vec_sv *e = &job->doc->epilogue;
    struct az_arena *a = job->arena;
    add_line(e, az_arena_printf(a, "NVTX range count: %" PRId64, c->nvtx_count));
    add_line(e, az_arena_printf(a, "NVTX average range time: %.3f (ms)", c->nvtx_avg));
    add_line(e, az_arena_printf(a, "NVTX total range time: %.3f (ms)", c->nvtx_total));
    add_line(e, AZ_SV(""));
    add_line(e, az_arena_printf(a, "%s time per range: %.3f (ms)", head, c->hidden_avg));
    add_line(e, az_arena_printf(a, "%s time per range: %.2f (%%)", head, c->hidden_avg_pct));
    add_line(e, az_arena_printf(a, "%s total time: %.3f (ms)", head, c->hidden_total));
    add_line(e, az_arena_printf(a, "%s total time: %.2f (%%)", head, c->hidden_total_pct));
}

static int around(struct az_job *job, const struct az_classic *c)
{
    struct az_vec_sv *e = &job->doc->epilogue;
    struct az_vec_sv *first = &job->doc->preface;
    if (c->has_nvtx && c->iters_given && c->nvtx_count != c->iters)
        add_line(first, az_arena_printf(job->arena,
                                        "[Warning]: The count of NVTX iterations %" PRId64
                                        " does not equal to the given num_of_iters %" PRId64
                                        ". It could led to mis-statistic.",
                                        c->nvtx_count, c->iters));
    add_line(e, AZ_SV(""));
    if (c->nvtx_count > 0)
        nvtx_lines(job, c);
    add_line(e, AZ_SV(""));
    add_line(e, AZ_SV(""));
    if (job->arena->failed)
        return az_arena_error(job->arena);
    return first->failed ? az_vec_error(first) : az_vec_error(e);
}

int az_classic_emit(struct az_job *job, const struct az_classic *c)
{
    static const char *const share[] = { "TotalTime(ms)", NULL };
    int rc = classes(job, c);
    if (rc == 0)
        rc = operations(job, c, "nccl", "Communication by collective", &c->nccl, &c->nccl_sum, -17);
    if (rc == 0 && c->has_mem)
        rc = operations(job, c, "memops", "Memory operations", &c->memops, NULL, -23);
    if (rc == 0)
        rc = totals(job, c);
    if (rc == 0)
        rc = around(job, c);
    if (rc == 0)
        rc = az_job_chart(job, AZ_CHART_PIE, "classes", "Kernel time by class", "Class", share,
                          "ms");
    return rc;
}
