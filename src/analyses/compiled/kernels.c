/* Kernels of GPUs summed by name, category, HLO operation, and name without digits; and under the names of the operator
 * tables of other frameworks, so that reports can be compared (docs/formats-xplane.md 6). */
#include "analyses/compiled/compiled.h"
#include "analyses/list.h"

static bool on_gpu(struct az_hx *h, const struct az_hx_event *e)
{
    return h->devices.v[az_hx_device_of(h, e)].kind == AZ_PLANE_GPU;
}

/* ---- by name, by category ---- */
static bool by_name(struct az_hx *h, const struct az_hx_event *e, uint64_t k[2])
{
    k[0] = az_hx_name(h, e);
    k[1] = az_hx_category(h, e);
    return on_gpu(h, e);
}

static bool by_category(struct az_hx *h, const struct az_hx_event *e, uint64_t k[2])
{
    k[0] = az_hx_category(h, e);
    k[1] = 0;
    return on_gpu(h, e);
}

static int kernel_summary(struct az_hx *h)
{
    struct az_hx_kernels g;
    struct az_table *t = az_table_new(h->job->arena, "kernel_summary", "Kernels", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(h->job->arena);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_hx_stat_columns(t);
    az_hx_share_columns(t, true);
    int rc = az_hx_group(h, by_name, &g);
    for (size_t i = 0; rc == 0 && i < g.groups; i++) {
        struct az_stats s;
        az_hx_stats(&g, i, &s);
        az_put_text(t, az_hx_text(h, az_hx_name(h, &g.first[i])));
        az_put_text(t, az_hx_category_text(h, &g.first[i]));
        az_hx_put_stats(t, &s);
        az_hx_put_shares(t, true);
    }
    az_hx_group_release(&g);
    return az_hx_finish(h, t, true, rc);
}

static int category_summary(struct az_hx *h)
{
    struct az_hx_kernels g;
    struct az_table *t =
        az_table_new(h->job->arena, "kernel_summary_by_category", "Kernels by category", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(h->job->arena);
    az_table_column(t, "category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_hx_stat_columns(t);
    az_hx_share_columns(t, true);
    int rc = az_hx_group(h, by_category, &g);
    for (size_t i = 0; rc == 0 && i < g.groups; i++) {
        struct az_stats s;
        az_hx_stats(&g, i, &s);
        az_put_text(t, az_hx_category_text(h, &g.first[i]));
        az_hx_put_stats(t, &s);
        az_hx_put_shares(t, true);
    }
    az_hx_group_release(&g);
    return az_hx_finish(h, t, true, rc);
}

/* ---- by HLO operation ---- */
static bool by_op(struct az_hx *h, const struct az_hx_event *e, uint64_t k[2])
{
    const struct az_xrow *row = az_hx_row(h, e);
    /* traces of several hosts number their programs alike or not: the name of the module tells more */
    k[0] = row ? row->program : 0;
    k[1] = (uint64_t)az_hx_category(h, e) << 56 ^
           (uint64_t)(row ? az_hx_id(h, e->trace, row->module) & 0xfffffff : 0xfffffff) << 28 ^
           (row ? az_hx_id(h, e->trace, row->op) & 0xfffffff : 0xfffffff);
    return on_gpu(h, e);
}

static int op_summary(struct az_hx *h)
{
    struct az_hx_kernels g;
    struct az_table *t = az_table_new(h->job->arena, "hlo_op_summary", "HLO operations", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(h->job->arena);
    az_table_column(t, "hlo_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "hlo_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_hx_stat_columns(t);
    az_hx_share_columns(t, true);
    int rc = az_hx_group(h, by_op, &g);
    for (size_t i = 0; rc == 0 && i < g.groups; i++) {
        const struct az_hx_event *e = &g.first[i];
        const struct az_xrow *row = az_hx_row(h, e);
        struct az_stats s;
        az_hx_stats(&g, i, &s);
        az_put_given(t, row ? az_trace_text(h->tr[e->trace].t, row->module) : AZ_SV(""));
        az_hx_put_program(t, row);
        az_put_given(t, row ? az_trace_text(h->tr[e->trace].t, row->op) : AZ_SV(""));
        az_put_text(t, az_hx_category_text(h, e));
        az_hx_put_stats(t, &s);
        az_hx_put_shares(t, true);
    }
    az_hx_group_release(&g);
    return az_hx_finish(h, t, true, rc);
}

/* ---- kernels that XLA made, by name without digits ---- */
static struct az_sv without_digits(struct az_arena *a, struct az_sv name)
{
    char *out = az_arena_str(a, name);
    size_t n = 0;
    for (size_t i = 0; out && i < name.n; i++)
        if (name.p[i] < '0' || name.p[i] > '9')
            out[n++] = name.p[i];
    return az_sv_make(out ? out : "", n);
}

static bool by_stem(struct az_hx *h, const struct az_hx_event *e, uint64_t k[2])
{
    uint32_t id = AZ_NO_ID;
    if (!on_gpu(h, e) || !az_sv_starts(az_hx_category_text(h, e), AZ_SV("Uncategorized")))
        return false;
    const struct az_sv stem = without_digits(h->job->arena, az_hx_text(h, az_hx_name(h, e)));
    if (az_intern(&h->names, stem, &id) != 0)
        return false;
    k[0] = id;
    k[1] = 0;
    return true;
}

static int xla_summary(struct az_hx *h)
{
    struct az_hx_kernels g;
    struct az_table *t = az_table_new(h->job->arena, "xla_summary", "Kernels made by XLA", 0);
    if (!t)
        return az_arena_error(h->job->arena);
    az_table_column(t, "name_without_digits", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_hx_share_columns(t, false);
    int rc = az_hx_group(h, by_stem, &g);
    for (size_t i = 0; rc == 0 && i < g.groups; i++) {
        struct az_stats s;
        az_hx_stats(&g, i, &s);
        az_put_text(t, without_digits(h->job->arena, az_hx_text(h, az_hx_name(h, &g.first[i]))));
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, az_hx_us(s.sum));
        az_hx_put_shares(t, false);
    }
    az_hx_group_release(&g);
    return az_hx_finish(h, t, false, rc);
}

/* ---- under the names of the operator tables ---- */

/* "jit(f)/jit(main)/conv_general_dilated" -> "conv_general_dilated"; an operation without a scope: its HLO name without
 * its number; a kernel without an operation: its own name. */
static struct az_sv operator_of(struct az_hx *h, const struct az_hx_event *e)
{
    const struct az_trace *t = h->tr[e->trace].t;
    const struct az_xrow *row = az_hx_row(h, e);
    const struct az_hlo_op *op = az_hx_op(h, e);
    struct az_sv scope = op ? op->scope : row ? az_trace_text(t, row->scope) : AZ_SV("");
    for (size_t i = scope.n; i-- > 0;)
        if (scope.p[i] == '/' && i + 1 < scope.n)
            return az_sv_make(scope.p + i + 1, scope.n - i - 1);
    struct az_sv name = row ? az_trace_text(t, row->op) : AZ_SV("");
    const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
    if (dot)
        name.n = (size_t)(dot - name.p);
    return name.n ? name : az_hx_text(h, az_hx_name(h, e));
}

static bool by_operator(struct az_hx *h, const struct az_hx_event *e, uint64_t k[2])
{
    uint32_t id;
    if (!on_gpu(h, e) || az_intern(&h->names, operator_of(h, e), &id) != 0)
        return false;
    k[0] = id;
    k[1] = az_hx_category(h, e);
    return true;
}

static void operator_shares(struct az_table *t, size_t ms, size_t share)
{
    double sum = 0, run = 0;
    for (size_t r = 0; r < t->rows; r++)
        sum += az_cell_number(az_table_at(t, r, ms));
    for (size_t r = 0; r < t->rows; r++) {
        const double percent = sum > 0 ? az_cell_number(az_table_at(t, r, ms)) / sum * 100 : 0;
        struct az_cell *c = &t->cells.v[r * t->columns.n + share];
        run += percent;
        c[0] = (struct az_cell){ .type = AZ_REAL, .f = percent };
        c[1] = (struct az_cell){ .type = AZ_REAL, .f = run };
    }
}

static int operators(struct az_hx *h, bool names)
{
    struct az_hx_kernels g;
    struct az_table *t = az_table_new(h->job->arena, names ? "ops_summary" : "ops_summary_by_category",
                                      names ? "Operations" : "Operations by category", 0);
    if (!t)
        return az_arena_error(h->job->arena);
    if (names)
        az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "op category", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_direct_kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    az_table_column(t, "Cumulative Percentage (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    int rc = az_hx_group(h, names ? by_operator : by_category, &g);
    for (size_t i = 0; rc == 0 && i < g.groups; i++) {
        struct az_stats s;
        az_hx_stats(&g, i, &s);
        if (names)
            az_put_text(t, operator_of(h, &g.first[i]));
        az_put_text(t, az_hx_category_text(h, &g.first[i]));
        az_put_i64(t, (int64_t)s.n);
        az_put_f64(t, az_hx_ms(s.sum));
        az_put_empty(t);
        az_put_empty(t);
    }
    az_hx_group_release(&g);
    const int ms = (int)az_table_find(t, "total_direct_kernel_time_ms");
    if (rc == 0)
        rc = az_table_sort(t, (int[]){ -(ms + 1), 0, 1 }, 3);
    if (rc == 0)
        operator_shares(t, (size_t)ms, (size_t)ms + 1);
    return az_hx_emit(h->job, t, rc);
}

static int run(struct az_job *job)
{
    struct az_hx h;
    int rc = az_hx_open(&h, job);
    if (rc == 0 && az_hx_devices_with_kernels(&h) > 0) {
        rc = category_summary(&h);
        if (rc == 0)
            rc = kernel_summary(&h);
        if (rc == 0)
            rc = op_summary(&h);
        if (rc == 0)
            rc = xla_summary(&h);
        if (rc == 0)
            rc = operators(&h, false);
        if (rc == 0)
            rc = operators(&h, true);
    }
    az_hx_close(&h);
    return rc;
}

const struct az_analysis az_analysis_hlo_kernels = {
    .name = "hlo_kernels",
    .help = "kernels of GPUs by name, category, HLO operation and framework operation",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
