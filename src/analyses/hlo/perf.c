/* hlo_op_perf: rates of HLO operations, and how many events found theirs. */
#include "analyses/hlo/perf.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"

#include <math.h>

struct work_row {
    struct az_hlo_row row;
    const struct az_hlo_work *work;
    const struct az_hlo_op *op; /* NULL: not in the profile */
};

static struct az_sv operands(const void *row, struct az_arena *texts)
{
    const struct az_hlo_op *op = ((const struct work_row *)row)->op;
    struct az_vec_char text;
    az_vec_init(&text, texts->mem);
    for (size_t i = 0; op && i < op->n_operands; i++) {
        if (i)
            az_text_add(&text, AZ_SV(";"));
        az_text_add(&text, op->operands[i].text);
    }
    const struct az_sv kept = az_arena_dup(texts, az_text_view(&text));
    texts->failed |= text.failed;
    az_vec_release(&text);
    return kept;
}

/* Per picosecond is per second in units of 1e12. */
static double rate_per_second(int64_t amount, const struct az_hlo_work *w)
{
    const double ps = az_hlo_work_us(w) * 1e6;
    return amount < 0 || ps <= 0 ? NAN : (double)amount / ps;
}

#define ROW struct work_row
AZ_TEXT_OF_RECORD(kind_of, ROW, r->op ? az_hlo_work_kind(r->op) : AZ_SV(""))
AZ_TEXT_OF_RECORD(params, ROW, r->op ? az_hlo_work_params(texts, r->op) : AZ_SV(""))
AZ_OF_RECORD(double, work_us, ROW, az_hlo_work_us(r->work))
AZ_OF_RECORD(double, tflops, ROW, rate_per_second(r->work->flops, r->work))
AZ_OF_RECORD(double, tbps, ROW, rate_per_second(r->work->bytes, r->work))
static double intensity(const void *row)
{
    const struct az_hlo_work *w = ((const ROW *)row)->work;
    return w->flops >= 0 && w->bytes > 0 ? (double)w->flops / (double)w->bytes : NAN;
}

static const struct az_record_column perf_columns[] = {
    { "hlo_module", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_module, .known = true },
    { "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY, .text = az_hlo_cell_program, .known = true },
    { "hlo_op", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_op },
    { "kind", AZ_TEXT, .text = kind_of, .known = true },
    { "custom_call_target", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, op, target) },
    { "kernel_count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, work, kernels) },
    { "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, work, ticks), .ps = true },
    { "executions", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, work, executions) },
    { "us_per_execution", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = work_us },
    { "params", AZ_TEXT, .text = params, .known = true },
    { "output", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, op, result.text) },
    { "operands", AZ_TEXT, .flags = AZ_DETAIL, .text = operands, .known = true },
    { "flops_per_execution", AZ_INT, AZ_UNIT_FLOP, AZ_DETAIL, AZ_KNOWN_VIA(ROW, work, flops) },
    { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, .real = tflops },
    { "bytes_per_execution", AZ_INT, AZ_UNIT_BYTES, AZ_DETAIL, AZ_KNOWN_VIA(ROW, work, bytes) },
    { "tb_per_s", AZ_REAL, AZ_UNIT_TBPS, AZ_HIGHER_BETTER, .real = tbps },
    { "flops_per_byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL, .real = intensity },
    { "framework_name", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, op, scope) },
    { "source", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, op, source) },
};

/* How many kernels name an operation, and for how many it was found. */
static void cover(struct az_hlo *h, const struct az_hlo_works *works)
{
    uint64_t named = 0, found = 0, all = 0;
    for (size_t i = 0; i < works->n; i++) {
        named += works->v[i].kernels;
        found += works->v[i].op ? works->v[i].kernels : 0;
    }
    for (size_t k = 0; k < h->n; k++)
        all += h->tr[k].t->ev[AZ_KERNEL].n;
    az_cover(h->job, "kernels with an HLO operation", (double)named, "",
             az_arena_printf(h->job->arena, "of %llu kernels", (unsigned long long)all));
    az_cover(h->job, "kernels with an unknown HLO operation", (double)(named - found), "",
             AZ_SV("not in the programs of the profile"));
}

/* Most time first; ties as they came. */
static int order(const void *a, const void *b, void *ctx)
{
    const struct az_hlo_work *x = a, *y = b;
    (void)ctx;
    return (y->ticks > x->ticks) - (y->ticks < x->ticks);
}

static int table(struct az_hlo *h, struct az_hlo_works *works)
{
    struct az_table *t = AZ_RECORD_TABLE(h->job->arena, "hlo_op_perf", "HLO operation rates",
                                         AZ_TABLE_SUMMARY, perf_columns);
    for (size_t i = 0; t && i < works->n; i++) {
        const struct az_hlo_work *w = &works->v[i];
        az_put_row(t, &(struct work_row){ az_hlo_row_of(h, &w->first), w, w->op });
    }
    return az_job_add(h->job, t, AZ_OK);
}

static int run_perf(struct az_job *job)
{
    struct az_hlo h;
    struct az_hlo_works works;
    az_vec_init(&works, job->mem);
    int rc = az_hlo_init(&h, job);
    if (rc == 0 && az_hlo_devices_with_kernels(&h) > 0) {
        rc = az_hlo_work(&h, NULL, &works);
        az_sort_cmp(works.v, works.n, sizeof *works.v, order, NULL, job->mem);
        if (rc == 0)
            rc = table(&h, &works);
        if (rc == 0)
            rc = az_hlo_roofline(&h, &works);
        if (rc == 0)
            cover(&h, &works);
    }
    az_vec_release(&works);
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_perf = {
    .name = "hlo_perf",
    .help = "HLO operations with FLOPs, bytes, rates, roofline",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_perf,
};
