/* The table `op_models`: one row per operation and arguments, with its model: FLOP and bytes by
 * formula, links of collectives, the file's own performance model and counters. Each value names
 * its source. Operations with impossible times do not count, as in the account of time: one of them
 * would be the longest of the table. */
#include <math.h>

#include "analyses/op_report/opreport.h"
#include "base/sort.h"
#include "document/record.h"
#include "stats/stats.h"

struct model {
    uint32_t sig, first; /* a row of it */
    uint64_t n;
    uint64_t timed;      /* rows with a time */
    double time, median; /* ns: the sum is exact */
    double cores;
    double ideal_sum, ideal_time;      /* over rows that have an ideal and a time */
    double ideal, fpu, noc, dram, eth; /* means over rows that have them; ideal ns */
};
AZ_VEC(struct model, models);

struct mean {
    double sum;
    uint64_t n;
};
static void add(struct mean *m, double v)
{
    if (!isnan(v)) {
        m->sum += v;
        m->n++;
    }
}
static double value(const struct mean *m) { return m->n ? m->sum / (double)m->n : NAN; }

static int one(struct az_op_report *t, const uint32_t *rows, size_t n, struct az_vec_f64 *times,
               struct models *out)
{
    struct model m = { .sig = t->rows.v[rows[0]].sig, .first = rows[0], .n = n, .cores = NAN };
    struct mean ideal = { 0, 0 }, fpu = { 0, 0 }, noc = { 0, 0 }, dram = { 0, 0 }, eth = { 0, 0 };
    int rc = 0;

    az_vec_reset(times);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_op_report_row *row = &t->rows.v[rows[i]];
        const struct az_oprow *r = az_op_report_oprow(t, row);
        const double time = row->kernel;
        add(&ideal, r->pm_ideal);
        add(&fpu, r->pm_fpu);
        add(&noc, r->noc);
        add(&dram, r->dram);
        add(&eth, r->eth);
        if (!isnan(time)) {
            m.time += time;
            m.timed++;
            m.ideal_sum += isnan(r->pm_ideal) ? 0 : r->pm_ideal;
            m.ideal_time += isnan(r->pm_ideal) ? 0 : time;
            rc = az_vec_push(times, time);
        }
    }
    struct az_op_report_figures f;
    az_op_report_figures(t, &t->rows.v[rows[0]], &f);
    m.cores = f.cores;
    m.median = times->n ? az_percentile_f64(times->v, times->n, 50) : NAN;
    m.ideal = value(&ideal);
    m.fpu = value(&fpu);
    m.noc = value(&noc);
    m.dram = value(&dram);
    m.eth = value(&eth);
    return rc ? rc : az_vec_push(out, m);
}

/* Keeps the rows that are work of the device and have possible times; how many. */
static size_t countable(const struct az_op_report *t, uint32_t *rows, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct az_op_report_row *r = &t->rows.v[rows[i]];
        const uint8_t kind = az_op_report_sig_of(t, r)->kind;
        if (kind != TT_HOST && kind != TT_SIGNPOST && !(r->suspect & TT_SUSPECT_KERNEL))
            rows[kept++] = rows[i];
    }
    return kept;
}

/* Rows of the same signature on as many cores together, in order of their first row. */
static int collect(struct az_op_report *t, struct models *out)
{
    size_t n = 0, all = t->rows.n;
    int64_t *key = az_mem_alloc(t->job->mem, (all + 1) * sizeof *key);
    uint32_t *order = az_mem_alloc(t->job->mem, (all + 1) * sizeof *order);
    struct az_vec_f64 times;
    int rc = key && order ? 0 : az_mem_error(t->job->mem);

    az_vec_init(&times, t->job->mem);
    for (size_t i = 0; rc == 0 && i < all; i++)
        key[i] =
            (int64_t)t->rows.v[i].sig << 32 | (uint32_t)az_op_report_oprow(t, &t->rows.v[i])->cores;
    if (rc == 0)
        rc = az_sort_order(key, all, order, t->job->mem);
    for (size_t i = 0; rc == 0 && i < all; i = n) {
        for (n = i; n < all && key[order[n]] == key[order[i]]; n++)
            ;
        const size_t counted = countable(t, order + i, n - i);
        if (counted)
            rc = one(t, order + i, counted, &times, out);
    }
    az_vec_release(&times);
    az_mem_free(t->job->mem, key, (all + 1) * sizeof *key);
    az_mem_free(t->job->mem, order, (all + 1) * sizeof *order);
    return rc;
}

static int longest_first(const void *a, const void *b, void *ctx)
{
    const struct model *x = a, *y = b;
    (void)ctx;
    if (x->time != y->time)
        return x->time > y->time ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

static const struct az_record_column table_columns[] = {
    { "OP Code", AZ_TEXT, .flags = AZ_KEY },
    { "Math Fidelity", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL },
    { "Input 0 Memory", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL },
    { "Cores", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Device Time Sum", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "Device Time Median", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER | AZ_DETAIL },
    { "GFLOP", AZ_REAL, AZ_UNIT_GFLOP, .flags = AZ_DETAIL },
    { "TFLOPS", AZ_REAL, AZ_UNIT_TFLOPS, .flags = AZ_HIGHER_BETTER },
    { "FLOPs %", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "Of Cores", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "DRAM", AZ_REAL, AZ_UNIT_GBPS, .flags = AZ_HIGHER_BETTER | AZ_DETAIL },
    { "DRAM %", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "CCL", AZ_REAL, AZ_UNIT_GBPS, .flags = AZ_HIGHER_BETTER | AZ_DETAIL },
    { "CCL %", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "PM Ideal", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "PM %", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "PM FPU Util", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_DETAIL },
    { "NOC Util", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_DETAIL },
    { "DRAM Util", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_DETAIL },
    { "ETH Util", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_DETAIL },
    { "Fidelity Verdict", AZ_TEXT, .flags = AZ_DETAIL },
    { "Source", AZ_TEXT, .flags = AZ_DETAIL },
    { "Missing Because", AZ_TEXT, .flags = AZ_DETAIL },
    { "Suspect", .type = AZ_TEXT },
};

static void columns(struct az_table *x)
{
    az_record_columns(x, table_columns, AZ_LENGTH(table_columns));
}

static void put_core_count(struct az_table *x, double v)
{
    az_put_known(x, v > 0 ? (int64_t)v : -1);
}

static const char *missing(const struct az_op_report *t, const struct az_op_report_sig *s,
                           const struct model *m)
{
    if (s->why_not)
        return s->why_not;
    if (!(m->time > 0))
        return "no kernel time";
    if (isnan(s->flop) && isnan(s->moved_bytes))
        return "no model for this operation";
    if (!t->has_peaks)
        return "unknown peaks for this architecture";
    return !isnan(s->flop) && s->fidelity >= AZ_FIDELITIES
               ? "percentage: math fidelity blank or unknown"
               : "";
}

struct percent {
    double flops, dram; /* of the peaks; NaN: unknown */
};

static struct percent put_rates(const struct az_op_report *t, struct az_table *x,
                                const struct model *m, const struct az_op_report_sig *s,
                                const struct az_opargs *a)
{
    double seconds = m->time > 0 ? m->time * 1e-9 / (double)m->timed : NAN;
    double cores = m->cores, tflops = s->flop / seconds * 1e-12;
    double dram = s->dram_bytes / seconds * 1e-9, ccl = s->moved_bytes / seconds * 1e-9;
    int64_t links = a->num_links > 0 ? a->num_links : t->peaks.links;
    bool known = t->has_peaks && s->fidelity < AZ_FIDELITIES && cores > 0;

    const struct percent of = { known ? tflops / (t->peaks.peak[s->fidelity] * cores) * 100 : NAN,
                                t->has_peaks ? dram / t->peaks.dram * 100 : NAN };

    az_put_f64(x, s->flop * 1e-9);
    az_put_f64(x, tflops);
    az_put_f64(x, of.flops);
    put_core_count(x, isnan(s->flop) ? 0 : cores);
    az_put_f64(x, dram);
    az_put_f64(x, of.dram);
    az_put_f64(x, ccl);
    az_put_f64(x, t->has_peaks && t->peaks.link > 0 && links > 0
                      ? ccl / (t->peaks.link * (double)links) * 100
                      : NAN);
    return of;
}

static void put(const struct az_op_report *t, struct az_table *x, const struct model *m)
{
    const struct az_op_report_sig *s = &t->sigs.v[m->sig];
    const struct az_opargs *a = &t->r->args.v[s->args];
    bool matrix = s->kind == TT_MATMUL || s->kind == TT_CONV;

    az_put_text(x, s->shown);
    az_put_text(x, s->precision);
    az_put_text(x, az_op_report_text(t, a->t[AZ_IN0].memory));
    put_core_count(x, m->cores);
    az_put_i64(x, (int64_t)m->n);
    az_put_f64(x, m->time / 1000);
    az_put_f64(x, m->median / 1000);
    const struct percent rate = put_rates(t, x, m, s, a);
    az_put_f64(x, m->ideal / 1000);
    az_put_f64(x, m->ideal_time > 0 ? m->ideal_sum / m->ideal_time * 100 : NAN);
    az_put_f64(x, m->fpu);
    az_put_f64(x, m->noc);
    az_put_f64(x, m->dram);
    az_put_f64(x, m->eth);
    az_put_text(x, matrix ? az_sv_str(az_fit_text((enum az_fit)s->verdict)) : AZ_SV(""));
    az_put_text(x, az_sv_str(s->source         ? s->source
                             : isnan(m->ideal) ? ""
                                               : "the file's performance model (PM columns)"));
    az_put_text(x, az_sv_str(missing(t, s, m)));
    az_put_text(x, az_op_report_rate_impossible(&(struct az_op_report_figures){
                       .dram_percent = rate.dram, .flops_percent = rate.flops })
                       ? AZ_SV("rate above the peak")
                       : AZ_SV(""));
}

int az_op_report_models(struct az_op_report *t)
{
    struct az_table *x =
        az_table_new(t->job->arena, "op_models", "Operation models by arguments", AZ_TABLE_SUMMARY);
    struct models list;
    az_vec_init(&list, t->job->mem);
    columns(x);
    int rc = collect(t, &list);
    if (rc == 0)
        rc = az_sort_cmp(list.v, list.n, sizeof *list.v, longest_first, NULL, t->job->mem);
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        put(t, x, &list.v[i]);
    az_vec_release(&list);
    return az_op_report_emit(t, x, rc);
}
