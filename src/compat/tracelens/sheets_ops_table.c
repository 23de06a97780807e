/* The group sheets of all ranks together. */
#include "compat/tracelens/sheets_ops.h"

#include "analyses/operators/framework.h"
#include "analyses/operators/param_columns.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "compat/tracelens/sheets_common.h"
#include "document/record.h"
#include "text/text_writer.h"

/* Device events of one name and place in an operation, of all ranks. */
struct kernel_sum {
    struct az_sv name;
    struct az_tracelens_kernel sum; /* its numbers; ids are not used */
    uint32_t next; /* of the same row, in order of appearance; AZ_NO_ROW: the last */
};
AZ_VEC(struct kernel_sum, kernel_sums);

struct row {
    struct az_sv name, params, dims, types, strides, concrete;
    struct az_tracelens_op sum; /* metrics; the first one's parameters, flops, bytes and uid */
    size_t rank;                /* place of the first one's rank */
    uint32_t head, tail;        /* its kernels */
};
AZ_VEC(struct row, rows);

struct work {
    struct az_job *job;
    const struct az_ranks *ranks;
    struct az_intern texts; /* of rows and kernels */
    struct az_map row_of, kernel_of;
    struct rows rows;
    struct kernel_sums kernels;
    struct az_vec_char text;
    size_t n; /* ranks with a part */
};

static void merge_row(struct az_tracelens_op *to, const struct az_tracelens_op *from)
{
    to->time = az_add_sat(to->time, from->time);
    to->other_time = az_add_sat(to->other_time, from->other_time);
    az_moments_merge(&to->of_time, &from->of_time);
    az_moments_merge(&to->byte_rate, &from->byte_rate);
    az_moments_merge(&to->flop_rate, &from->flop_rate);
    az_moments_merge(&to->other_rate, &from->other_rate);
}

static int add_op(struct work *w, const struct az_tracelens_ops_part *p,
                  const struct az_tracelens_op *op, size_t rank, uint32_t *row)
{
    uint32_t name, params, *at;
    bool added;
    int rc = az_intern(&w->texts, az_tracelens_get(&p->texts, op->name), &name);
    if (rc == 0)
        rc = az_intern(&w->texts, az_tracelens_get(&p->texts, op->params), &params);
    if (rc == 0)
        rc = az_map_put(&w->row_of, (uint64_t)name << 32 | params, op->sheet, (uint32_t)w->rows.n,
                        &at, &added);
    if (rc)
        return rc;
    *row = *at;
    if (!added) {
        merge_row(&w->rows.v[*at].sum, op);
        return 0;
    }
    return az_vec_push(&w->rows,
                       ((struct row){ .name = az_tracelens_get(&p->texts, op->name),
                                      .params = az_tracelens_get(&p->texts, op->params),
                                      .dims = az_tracelens_get(&p->texts, op->dims),
                                      .types = az_tracelens_get(&p->texts, op->types),
                                      .strides = az_tracelens_get(&p->texts, op->strides),
                                      .concrete = az_tracelens_get(&p->texts, op->concrete),
                                      .sum = *op,
                                      .rank = rank,
                                      .head = AZ_NO_ROW,
                                      .tail = AZ_NO_ROW }));
}

static int new_kernel(struct work *w, const struct az_tracelens_ops_part *p,
                      const struct az_tracelens_kernel *k, uint32_t row)
{
    const uint32_t at = (uint32_t)w->kernels.n;
    struct row *r = &w->rows.v[row];
    if (r->head == AZ_NO_ROW)
        r->head = at;
    else
        w->kernels.v[r->tail].next = at;
    r->tail = at;
    return az_vec_push(
        &w->kernels, ((struct kernel_sum){ az_tracelens_get(&p->texts, k->name), *k, AZ_NO_ROW }));
}

static int add_kernel(struct work *w, const struct az_tracelens_ops_part *p,
                      const struct az_tracelens_kernel *k, uint32_t row)
{
    uint32_t name, *at;
    bool added;
    int rc = az_intern(&w->texts, az_tracelens_get(&p->texts, k->name), &name);
    if (rc == 0)
        rc = az_map_put(&w->kernel_of, (uint64_t)row << 32 | name, k->occurrence,
                        (uint32_t)w->kernels.n, &at, &added);
    if (rc == 0 && added)
        return new_kernel(w, p, k, row);
    if (rc)
        return rc;
    struct az_tracelens_kernel *to = &w->kernels.v[*at].sum;
    to->sum = az_add_sat(to->sum, k->sum);
    to->min = k->min < to->min ? k->min : to->min;
    to->max = k->max > to->max ? k->max : to->max;
    az_moments_merge(&to->of, &k->of);
    return 0;
}

static int add_part(struct work *w, const struct az_tracelens_ops_part *p, size_t rank)
{
    uint32_t *row = az_arena_array(w->job->arena, p->n_ops + 1, sizeof *row);
    int rc = row ? 0 : az_arena_error(w->job->arena);
    for (size_t i = 0; rc == 0 && i < p->n_ops; i++)
        rc = add_op(w, p, &p->op[i], rank, &row[i]);
    for (size_t i = 0; rc == 0 && i < p->n_kernels; i++)
        rc = add_kernel(w, p, &p->kernel[i], row[p->kernel[i].op]);
    return rc;
}

/* ---- the kernels of a row, as JSON ---- */
static void put_number(struct az_vec_char *t, const char *key, double v)
{
    az_text_format(t, ",\"%s\":", key);
    az_text_number(t, v);
}

static void put_kernel(struct az_vec_char *t, const struct kernel_sum *k)
{
    const double us = 1e-3;
    az_text_add(t, t->n > 1 ? AZ_SV(",{\"name\":") : AZ_SV("{\"name\":"));
    az_text_quoted(t, k->name);
    az_text_format(t, ",\"stream\":%lld,\"count\":%llu", (long long)k->sum.stream,
                   (unsigned long long)k->sum.of.n);
    put_number(t, "total_duration_us", az_us_from_ns(k->sum.sum));
    put_number(t, "mean_duration_us", (double)k->sum.sum / (double)k->sum.of.n * us);
    put_number(t, "std_dev_duration_us", az_moments_std(&k->sum.of, 0) * us);
    put_number(t, "min_duration_us", az_us_from_ns(k->sum.min));
    put_number(t, "max_duration_us", az_us_from_ns(k->sum.max));
    az_text_add(t, AZ_SV("}"));
}

/* The cell of a row, in the table's arena; empty: none. */
static int kernels_text(struct work *w, const struct row *r, struct az_sv *text)
{
    az_vec_reset(&w->text);
    struct az_vec_char *t = &w->text;
    if (r->head != AZ_NO_ROW)
        az_text_add(t, AZ_SV("["));
    for (uint32_t k = r->head; k != AZ_NO_ROW; k = w->kernels.v[k].next)
        put_kernel(t, &w->kernels.v[k]);
    if (t->n)
        az_text_add(t, AZ_SV("]"));
    *text = t->failed ? AZ_SV("") : az_text_view(t);
    return az_vec_error(t);
}

/* ---- a sheet ---- */
struct sheet_row {
    const struct row *of;
    const struct az_tracelens_op *sum;
    struct az_sv kernels;
    double share, ranks;
    int64_t rank;
};
static double mean_of(const struct az_moments *m, double scale)
{
    return m->n ? m->mean * scale : NAN;
}
#define SUM_COLUMN(name, value) AZ_OF_RECORD(double, name, struct sheet_row, value)
SUM_COLUMN(gflops_of, r->sum->flops / 1e9)
SUM_COLUMN(megabytes_of, r->sum->bytes / 1048576)
SUM_COLUMN(intensity_of, r->sum->bytes > 0 ? r->sum->flops / r->sum->bytes : NAN)
SUM_COLUMN(byte_rate_mean, mean_of(&r->sum->byte_rate, 1e-12))
SUM_COLUMN(byte_rate_std, az_moments_std(&r->sum->byte_rate, 1) * 1e-12)
SUM_COLUMN(flop_rate_mean, mean_of(&r->sum->flop_rate, 1e-12))
SUM_COLUMN(flop_rate_std, az_moments_std(&r->sum->flop_rate, 1) * 1e-12)
SUM_COLUMN(other_rate_mean, mean_of(&r->sum->other_rate, 1e-12))
SUM_COLUMN(other_rate_std, az_moments_std(&r->sum->other_rate, 1) * 1e-12)
SUM_COLUMN(time_mean, (double)r->sum->time / (double)r->sum->of_time.n / 1e3)
SUM_COLUMN(time_std, az_moments_std(&r->sum->of_time, 1) / 1e3)
SUM_COLUMN(count_of_rank, (double)r->sum->of_time.n / r->ranks)

static const struct az_record_column name_column[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct sheet_row, of, name) },
};
static const struct az_record_column sum_columns[] = {
    { "GFLOPS_first", AZ_REAL, AZ_UNIT_GFLOP, AZ_DETAIL, .real = gflops_of },
    { "Data Moved (MB)_first", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = megabytes_of },
    { "FLOPS/Byte_first", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL, .real = intensity_of },
    { "TB/s_mean", AZ_REAL, AZ_UNIT_TBPS, AZ_HIGHER_BETTER, .real = byte_rate_mean },
    { "TB/s_std", AZ_REAL, AZ_UNIT_TBPS, AZ_DETAIL, .real = byte_rate_std },
    { "TFLOPS/s_mean", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, .real = flop_rate_mean },
    { "TFLOPS/s_std", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL, .real = flop_rate_std },
    { "Non-Data-Mov TFLOPS/s_mean", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL,
      .real = other_rate_mean },
    { "Non-Data-Mov TFLOPS/s_std", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL, .real = other_rate_std },
    { "Non-Data-Mov Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_DETAIL,
      AZ_VIA(struct sheet_row, sum, other_time) },
    { "kernel_details__summarize_kernel_stats", AZ_TEXT, .flags = AZ_DETAIL, .copy = true,
      AZ_KNOWN(struct sheet_row, kernels) },
    { "Input Dims_first", AZ_TEXT, AZ_KNOWN_VIA(struct sheet_row, of, dims) },
    { "Input type_first", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(struct sheet_row, of, types) },
    { "Input Strides_first", AZ_TEXT, .flags = AZ_DETAIL,
      AZ_KNOWN_VIA(struct sheet_row, of, strides) },
    { "Concrete Inputs_first", AZ_TEXT, .flags = AZ_DETAIL,
      AZ_KNOWN_VIA(struct sheet_row, of, concrete) },
    { "Kernel Time (µs)_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = time_mean },
    { "Kernel Time (µs)_std", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = time_std },
    { "Kernel Time (µs)_sum", AZ_REAL, AZ_UNIT_US, AZ_VIA(struct sheet_row, sum, time) },
    { "name_count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct sheet_row, sum, of_time.n) },
    { "UID_first", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_VIA(struct sheet_row, sum, uid) },
    { "kernel_time_sum_cum_pct", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(struct sheet_row, share) },
    { "rank_first", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(struct sheet_row, rank) },
    { "name_count_avg", AZ_REAL, AZ_UNIT_COUNT, .real = count_of_rank },
};

static int put_row(struct work *w, struct az_table *t, const struct az_param_columns *params,
                   const struct row *r, double share)
{
    struct sheet_row x = { .of = r,
                           .sum = &r->sum,
                           .share = share,
                           .ranks = (double)w->n,
                           .rank = w->ranks->v[r->rank].rank };
    const int rc = kernels_text(w, r, &x.kernels);
    az_put_cells(t, AZ_LENGTH(name_column), &x);
    az_param_put(params, t, r->sum.param, r->sum.n_params);
    az_put_row(t, &x);
    return rc;
}

/* The most time first; ties by rank and place of the first one. */
static int by_time(const void *x, const void *y, void *ctx)
{
    const struct row *a = *(const struct row *const *)x, *b = *(const struct row *const *)y;
    (void)ctx;
    if (a->sum.time != b->sum.time)
        return a->sum.time > b->sum.time ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->sum.uid < b->sum.uid ? -1 : a->sum.uid > b->sum.uid;
}

static int sheet(struct work *w, struct az_sv name, const struct row **row, size_t n)
{
    struct az_sv title = az_arena_printf(w->job->arena, "%.*s by parameters", AZ_SVF(name));
    struct az_sv id = az_arena_dup(w->job->arena, name);
    struct az_table *t = id.p && title.p ? AZ_RECORD_TABLE(w->job->arena, id.p, title.p,
                                                           AZ_TABLE_SUMMARY, name_column)
                                         : NULL;
    struct az_param_columns params = { .n = 0 };
    int64_t total = 0, run = 0;
    if (!t)
        return az_arena_error(w->job->arena);
    t->kind = AZ_SV("rank_families");
    for (size_t i = 0; i < n; i++) {
        total = az_add_sat(total, row[i]->sum.time);
        for (unsigned k = 0; k < row[i]->sum.n_params; k++)
            az_param_note(&params, &row[i]->sum.param[k]);
    }
    az_param_columns_make(&params, t);
    AZ_RECORD_COLUMNS(t, sum_columns);
    int rc = 0;
    az_sort_cmp((void *)row, n, sizeof *row, by_time, NULL, w->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        run = az_add_sat(run, row[i]->sum.time);
        rc = put_row(w, t, &params, row[i], total ? (double)run / (double)total : NAN);
    }
    return az_job_add(w->job, t, rc);
}

/* Members of a group without a row are reported and counted in the coverage. */
static void explain(struct work *w, uint32_t s, struct az_sv name, void *const *parts, bool any)
{
    struct az_tracelens_failed all = { 0 };
    for (size_t i = 0; i < w->ranks->n; i++) {
        const struct az_tracelens_ops_part *p = parts[i];
        if (!p || !p->failed[s].n)
            continue;
        all.why = all.n ? all.why : p->failed[s].why;
        all.n += p->failed[s].n;
    }
    const struct az_where at = AZ_AT_FILE(w->ranks->v[0].path);
    if (!any && !all.n)
        az_diag_add(w->job->diag, AZ_NOTE, at, "no '%.*s' operations on any rank; sheet skipped",
                    AZ_SVF(name));
    if (!all.n)
        return;
    az_diag_add(w->job->diag, AZ_WARNING, at, "%llu '%.*s' operations without an estimate: %s (%s)",
                (unsigned long long)all.n, AZ_SVF(name), all.why,
                any ? "omitted from its sheet" : "sheet skipped");
    struct az_sv item =
        az_arena_printf(w->job->arena, "%.*s: operations without an estimate", AZ_SVF(name));
    if (item.p)
        az_cover(w->job, item.p, (double)all.n, "operations", az_sv_str(all.why));
}

static int sheets(struct work *w, void *const *parts)
{
    struct az_sv name[AZ_TRACELENS_GROUPS];
    const size_t n = az_tracelens_names(AZ_TRACELENS_SHEET, name);
    const struct row **row = az_arena_array(w->job->arena, w->rows.n + 1, sizeof *row);
    int rc = row ? 0 : az_arena_error(w->job->arena);
    for (uint32_t s = 0; rc == 0 && s < n; s++) {
        size_t k = 0;
        for (size_t i = 0; i < w->rows.n; i++)
            if (w->rows.v[i].sum.sheet == s)
                row[k++] = &w->rows.v[i];
        explain(w, s, name[s], parts, k > 0);
        if (k)
            rc = sheet(w, name[s], row, k);
    }
    return rc;
}

int az_tracelens_ops_finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct work w = { .job = job, .ranks = ranks };
    az_vec_init(&w.rows, job->mem);
    az_vec_init(&w.kernels, job->mem);
    az_vec_init(&w.text, job->mem);
    az_intern_init(&w.texts, job->arena, job->mem);
    az_map_init(&w.row_of, job->mem, 64);
    int rc = 0;
    az_map_init(&w.kernel_of, job->mem, 64);
    w.n = az_tracelens_count(ranks, parts);
    for (size_t i = 0; rc == 0 && i < ranks->n; i++)
        if (parts[i])
            rc = add_part(&w, parts[i], i);
    if (rc == 0)
        rc = sheets(&w, parts);
    az_intern_release(&w.texts);
    az_map_release(&w.row_of);
    az_map_release(&w.kernel_of);
    az_vec_release(&w.rows);
    az_vec_release(&w.kernels);
    az_vec_release(&w.text);
    return rc;
}
