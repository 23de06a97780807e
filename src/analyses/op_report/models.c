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
static void add_mean(struct mean *m, double v)
{
    if (!isnan(v)) {
        m->sum += v;
        m->n++;
    }
}
static double value(const struct mean *m) { return m->n ? m->sum / (double)m->n : NAN; }

static int make_model(struct az_op_report *t, const uint32_t *rows, size_t n,
                      struct az_vec_f64 *times, struct models *out)
{
    struct model m = { .sig = t->rows.v[rows[0]].sig, .first = rows[0], .n = n, .cores = NAN };
    struct mean ideal = { 0, 0 }, fpu = { 0, 0 }, noc = { 0, 0 }, dram = { 0, 0 }, eth = { 0, 0 };
    int rc = 0;

    az_vec_reset(times);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const struct az_op_report_row *row = &t->rows.v[rows[i]];
        const struct az_oprow *r = az_op_report_oprow(t, row);
        const double time = row->kernel;
        add_mean(&ideal, r->pm_ideal);
        add_mean(&fpu, r->pm_fpu);
        add_mean(&noc, r->noc);
        add_mean(&dram, r->dram);
        add_mean(&eth, r->eth);
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
        az_sort_order(key, all, order, t->job->mem);
    for (size_t i = 0; rc == 0 && i < all; i = n) {
        for (n = i; n < all && key[order[n]] == key[order[i]]; n++)
            ;
        const size_t counted = countable(t, order + i, n - i);
        if (counted)
            rc = make_model(t, order + i, counted, &times, out);
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

/* What a table shows of a model. */
struct model_row {
    struct az_op_report *t;
    const struct model *m;
    const struct az_op_report_sig *s;
    const struct az_opargs *a;
    double tflops, flops_percent, dram, dram_percent, ccl, ccl_percent;
};

static void find_rates(struct model_row *x)
{
    const struct az_op_report *t = x->t;
    const struct model *m = x->m;
    const struct az_op_report_sig *s = x->s;
    const double seconds = m->time > 0 ? m->time * 1e-9 / (double)m->timed : NAN;
    const int64_t links = x->a->num_links > 0 ? x->a->num_links : t->peaks.links;
    const bool known = t->has_peaks && s->fidelity < AZ_FIDELITIES && m->cores > 0;

    x->tflops = s->flop / seconds * 1e-12;
    x->dram = s->dram_bytes / seconds * 1e-9;
    x->ccl = s->moved_bytes / seconds * 1e-9;
    x->flops_percent = known ? x->tflops / (t->peaks.peak[s->fidelity] * m->cores) * 100 : NAN;
    x->dram_percent = t->has_peaks ? x->dram / t->peaks.dram * 100 : NAN;
    x->ccl_percent = t->has_peaks && t->peaks.link > 0 && links > 0
                         ? x->ccl / (t->peaks.link * (double)links) * 100
                         : NAN;
}

static struct az_sv verdict_of(const void *record, struct az_arena *texts)
{
    const struct model_row *r = record;
    const bool matrix = r->s->kind == TT_MATMUL || r->s->kind == TT_CONV;
    (void)texts;
    return matrix ? az_sv_str(az_fit_text((enum az_fit)r->s->verdict)) : AZ_SV("");
}

static struct az_sv source_of(const void *record, struct az_arena *texts)
{
    const struct model_row *r = record;
    (void)texts;
    return az_sv_str(r->s->source         ? r->s->source
                     : isnan(r->m->ideal) ? ""
                                          : "the file's performance model (PM columns)");
}

static struct az_sv suspect_of(const void *record, struct az_arena *texts)
{
    const struct model_row *r = record;
    (void)texts;
    return az_op_report_rate_impossible(&(struct az_op_report_figures){
               .dram_percent = r->dram_percent, .flops_percent = r->flops_percent })
               ? AZ_SV("rate above the peak")
               : AZ_SV("");
}

static int64_t whole_cores(double v) { return v > 0 ? (int64_t)v : -1; }

#define ROW struct model_row
AZ_TEXT_OF_RECORD(memory_of, ROW, az_op_report_text(r->t, r->a->t[AZ_IN0].memory))
AZ_TEXT_OF_RECORD(missing_of, ROW, az_sv_str(missing(r->t, r->s, r->m)))
AZ_OF_RECORD(int64_t, cores_of, ROW, whole_cores(r->m->cores))
AZ_OF_RECORD(int64_t, of_cores, ROW, whole_cores(isnan(r->s->flop) ? 0 : r->m->cores))
AZ_OF_RECORD(double, time_us, ROW, r->m->time / 1000)
AZ_OF_RECORD(double, median_us, ROW, r->m->median / 1000)
AZ_OF_RECORD(double, gflop_of, ROW, r->s->flop * 1e-9)
AZ_OF_RECORD(double, ideal_us, ROW, r->m->ideal / 1000)
AZ_OF_RECORD(double, ideal_percent, ROW,
             r->m->ideal_time > 0 ? r->m->ideal_sum / r->m->ideal_time * 100 : NAN)
static const struct az_record_column model_columns[] = {
    { "OP Code", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, s, shown) },
    { "Math Fidelity", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_VIA(ROW, s, precision) },
    { "Input 0 Memory", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = memory_of },
    { "Cores", AZ_INT, AZ_UNIT_COUNT, .integer = cores_of, .known = true },
    { "Count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, m, n) },
    { "Device Time Sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = time_us },
    { "Device Time Median", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER | AZ_DETAIL, .real = median_us },
    { "GFLOP", AZ_REAL, AZ_UNIT_GFLOP, AZ_DETAIL, .real = gflop_of },
    { "TFLOPS", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, AZ_FIELD(ROW, tflops) },
    { "FLOPs %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, flops_percent) },
    { "Of Cores", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, .integer = of_cores, .known = true },
    { "DRAM", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER | AZ_DETAIL, AZ_FIELD(ROW, dram) },
    { "DRAM %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, dram_percent) },
    { "CCL", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER | AZ_DETAIL, AZ_FIELD(ROW, ccl) },
    { "CCL %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, AZ_FIELD(ROW, ccl_percent) },
    { "PM Ideal", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = ideal_us },
    { "PM %", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, .real = ideal_percent },
    { "PM FPU Util", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_VIA(ROW, m, fpu) },
    { "NOC Util", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_VIA(ROW, m, noc) },
    { "DRAM Util", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_VIA(ROW, m, dram) },
    { "ETH Util", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, AZ_VIA(ROW, m, eth) },
    { "Fidelity Verdict", AZ_TEXT, .flags = AZ_DETAIL, .text = verdict_of },
    { "Source", AZ_TEXT, .flags = AZ_DETAIL, .text = source_of },
    { "Missing Because", AZ_TEXT, .flags = AZ_DETAIL, .text = missing_of },
    { "Suspect", AZ_TEXT, .text = suspect_of },
};
#undef ROW

static void put_row(struct az_op_report *t, struct az_table *x, const struct model *m)
{
    struct model_row row = { .t = t, .m = m, .s = &t->sigs.v[m->sig] };
    row.a = &t->r->args.v[row.s->args];
    find_rates(&row);
    az_put_row(x, &row);
}

int az_op_report_models(struct az_op_report *t)
{
    struct az_table *x =
        AZ_RECORD_TABLE(t->job->arena, "op_models", "Operation models by arguments",
                        AZ_TABLE_SUMMARY, model_columns);
    struct models list;
    az_vec_init(&list, t->job->mem);
    int rc = collect(t, &list);
    az_sort_cmp(list.v, list.n, sizeof *list.v, longest_first, NULL, t->job->mem);
    for (size_t i = 0; rc == 0 && i < list.n; i++)
        put_row(t, x, &list.v[i]);
    az_vec_release(&list);
    return az_op_report_emit(t, x, rc);
}
