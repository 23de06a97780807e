/* The classic block as tables with a fixed text layout (docs/formats-nsight.md 1.5). */
#include <inttypes.h>

#include "compat/nsys/classic.h"
#include "document/record.h"

/* A line in front of a table or after all; NULL text (no memory) is reported by the arena at the
 * end. */
static int line(struct az_vec_sv *lines, struct az_sv text)
{
    return text.p ? az_vec_push(lines, text) : AZ_ENOMEM;
}

static int heading(struct az_job *job, struct az_layout *l, const char *what,
                   const struct az_classic_row *sum)
{
    struct az_arena *a = job->arena;
    int rc = line(&l->before,
                  az_arena_printf(a, "%s time per iteration: %.3f (ms)", what, sum->per_iter));
    if (rc == 0)
        rc = line(&l->before, az_arena_printf(a, "%s instances per iteration: %" PRId64, what,
                                              sum->inst_per_iter));
    if (rc == 0)
        rc = line(&l->before, az_arena_printf(a, "%s total time: %.3f (ms)", what, sum->total));
    if (rc == 0)
        rc = line(&l->before,
                  az_arena_printf(a, "%s total instances: %" PRId64, what, sum->instances));
    if (rc == 0)
        rc = line(&l->before, az_arena_printf(a, "%s Statistic:", what));
    return rc;
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

static void column(struct az_table *t, const char *name, enum az_cell_type type, enum az_unit unit,
                   unsigned flags, int title_width, int width, int decimals)
{
    az_table_column(t, name, type, unit, flags);
    az_table_width(t, title_width, width, decimals);
}

static int classes(struct az_job *job, const struct az_classic *c)
{
    struct az_layout *l;
    struct az_table *t = start(job, "classes", "Kernel time by class", &l);
    if (!l) {
        az_table_free(t);
        return az_arena_error(job->arena);
    }
    int rc = heading(job, l, "Kernel", &c->kernels);
    column(t, "Class", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, -17, -17, 0);
    column(t, "TimePerIter(ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, -17, 15, 2);
    column(t, "InstancePerIter", AZ_INT, AZ_UNIT_COUNT, 0, -17, 17, 0);
    column(t, "TimePerIter(%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, -17, 16, 2);
    column(t, "TotalTime(ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, -17, 16, 2);
    column(t, "TotalInstance", AZ_INT, AZ_UNIT_COUNT, 0, -15, 17, 0);
    column(t, "TotalTime(%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, -15, 14, 2);
    for (size_t i = 0; i < c->classes.n; i++) {
        const struct az_classic_row *r = &c->classes.v[i];
        az_put_copy(t, r->name);
        az_put_f64(t, r->per_iter);
        az_put_i64(t, r->inst_per_iter);
        az_put_f64(t, az_percent(r->per_iter, c->kernels.per_iter));
        az_put_f64(t, r->total);
        az_put_i64(t, r->instances);
        az_put_f64(t, az_percent(r->total, c->kernels.total));
    }
    if (rc == 0)
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
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
static int operations(struct az_job *job, const char *id, const char *title,
                      const struct az_classic_rows *rows, const struct az_classic_row *sum,
                      int first_width)
{
    struct az_layout *l;
    struct az_table *t = start(job, id, title, &l);
    if (!l) {
        az_table_free(t);
        return az_arena_error(job->arena);
    }
    int rc = line(&l->before, AZ_SV(""));
    if (rc == 0)
        rc = sum ? heading(job, l, "NCCL", sum) : line(&l->before, AZ_SV("Mem Ops Statistic:"));
    if (!sum)
        l->display = short_copy;
    column(t, "Class", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, first_width, first_width, 0);
    column(t, "TimePerIter(ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, -17, 15, 2);
    column(t, "InstancePerIter", AZ_INT, AZ_UNIT_COUNT, 0, -17, 17, 0);
    column(t, "TotalTime(ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER | AZ_SHARE, -17, 15, 2);
    column(t, "TotalInstance", AZ_INT, AZ_UNIT_COUNT, 0, -15, 17, 0);
    for (size_t i = 0; i < rows->n; i++) {
        az_put_copy(t, rows->v[i].name);
        az_put_f64(t, rows->v[i].per_iter);
        az_put_i64(t, rows->v[i].inst_per_iter);
        az_put_f64(t, rows->v[i].total);
        az_put_i64(t, rows->v[i].instances);
    }
    if (rc == 0)
        return az_document_add(job->doc, t);
    az_table_free(t);
    return rc;
}

static void metric(struct az_table *t, const char *name, double value, const char *unit)
{
    az_put_text(t, az_sv_str(name));
    az_put_f64(t, value);
    az_put_text(t, az_sv_str(unit));
}

static const struct az_record_column iterations_columns[] = {
    { "Metric", AZ_TEXT, .flags = AZ_KEY },
    { "Value", .type = AZ_REAL },
    { "Unit", .type = AZ_TEXT },
};

static int totals(struct az_job *job, const struct az_classic *c)
{
    struct az_table *t =
        az_table_new(job->arena, "iterations", "Totals and per-iteration values", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    az_record_columns(t, iterations_columns, AZ_LENGTH(iterations_columns));
    metric(t, "Iterations", (double)c->iters, "");
    metric(t, "GPUs", (double)c->gpus, "");
    metric(t, "Kernel time per iteration", c->kernels.per_iter, "ms");
    metric(t, "Kernel instances per iteration", (double)c->kernels.inst_per_iter, "");
    metric(t, "Kernel total time", c->kernels.total, "ms");
    metric(t, "Kernel total instances", (double)c->kernels.instances, "");
    metric(t, "NCCL time per iteration", c->nccl_sum.per_iter, "ms");
    metric(t, "NCCL instances per iteration", (double)c->nccl_sum.inst_per_iter, "");
    metric(t, "NCCL total time", c->nccl_sum.total, "ms");
    metric(t, "NCCL total instances", (double)c->nccl_sum.instances, "");
    if (c->has_nvtx)
        metric(t, "NVTX range count", (double)c->nvtx_count, "");
    if (c->nvtx_count > 0) {
        metric(t, "NVTX average range time", c->nvtx_avg, "ms");
        metric(t, "NVTX total range time", c->nvtx_total, "ms");
        metric(t, "Estimated non-hidden time per range", c->hidden_avg, "ms");
        metric(t, "Estimated non-hidden share per range", c->hidden_avg_pct, "%");
        metric(t, "Estimated non-hidden total time", c->hidden_total, "ms");
        metric(t, "Estimated non-hidden total share", c->hidden_total_pct, "%");
    }
    return az_document_add(job->doc, t);
}

static int nvtx_lines(struct az_job *job, const struct az_classic *c)
{
    static const char *const head = "Estimated non-hidden NCCL, mem ops and bubble";
    struct az_vec_sv *e = &job->doc->epilogue;
    struct az_arena *a = job->arena;
    int rc = line(e, az_arena_printf(a, "NVTX range count: %" PRId64, c->nvtx_count));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "NVTX average range time: %.3f (ms)", c->nvtx_avg));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "NVTX total range time: %.3f (ms)", c->nvtx_total));
    if (rc == 0)
        rc = line(e, AZ_SV(""));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "%s time per range: %.3f (ms)", head, c->hidden_avg));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "%s time per range: %.2f (%%)", head, c->hidden_avg_pct));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "%s total time: %.3f (ms)", head, c->hidden_total));
    if (rc == 0)
        rc = line(e, az_arena_printf(a, "%s total time: %.2f (%%)", head, c->hidden_total_pct));
    return rc;
}

static int around(struct az_job *job, const struct az_classic *c)
{
    struct az_vec_sv *e = &job->doc->epilogue;
    int rc = 0;
    if (c->has_nvtx && c->iters_given && c->nvtx_count != c->iters)
        rc = line(&job->doc->preface,
                  az_arena_printf(job->arena,
                                  "[Warning]: The count of NVTX iterations %" PRId64
                                  " does not equal to the given num_of_iters %" PRId64
                                  ". It could led to mis-statistic.",
                                  c->nvtx_count, c->iters));
    if (rc == 0)
        rc = line(e, AZ_SV(""));
    if (rc == 0 && c->nvtx_count > 0)
        rc = nvtx_lines(job, c);
    if (rc == 0)
        rc = line(e, AZ_SV(""));
    if (rc == 0)
        rc = line(e, AZ_SV(""));
    return rc;
}

int az_classic_emit(struct az_job *job, const struct az_classic *c)
{
    static const char *const share[] = { "TotalTime(ms)", NULL };
    int rc = classes(job, c);
    if (rc == 0)
        rc = operations(job, "nccl", "Communication by collective", &c->nccl, &c->nccl_sum, -17);
    if (rc == 0 && c->has_mem)
        rc = operations(job, "memops", "Memory operations", &c->memops, NULL, -23);
    if (rc == 0)
        rc = totals(job, c);
    if (rc == 0)
        rc = around(job, c);
    if (rc == 0)
        rc = az_job_chart(job, AZ_CHART_PIE, "classes", "Kernel time by class", "Class", share,
                          "ms");
    return rc;
}
