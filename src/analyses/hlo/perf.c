/* hlo_op_perf: rates of HLO operations, and how many events found theirs. */
#include "analyses/hlo/perf.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"

static void columns(struct az_table *t)
{
    static const struct az_record_column more_columns[] = {
        { "hlo_module", AZ_TEXT, .flags = AZ_KEY },
        { "program_id", AZ_TEXT, AZ_UNIT_ID, .flags = AZ_KEY },
        { "hlo_op", AZ_TEXT, .flags = AZ_KEY },
        { "kind", .type = AZ_TEXT },
        { "custom_call_target", AZ_TEXT, .flags = AZ_DETAIL },
        { "kernel_count", AZ_INT, .unit = AZ_UNIT_COUNT },
        { "total_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
        { "executions", AZ_INT, .unit = AZ_UNIT_COUNT },
        { "us_per_execution", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
        { "params", .type = AZ_TEXT },
        { "output", AZ_TEXT, .flags = AZ_DETAIL },
        { "operands", AZ_TEXT, .flags = AZ_DETAIL },
        { "flops_per_execution", AZ_INT, AZ_UNIT_FLOP, .flags = AZ_DETAIL },
        { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, .flags = AZ_HIGHER_BETTER },
        { "bytes_per_execution", AZ_INT, AZ_UNIT_BYTES, .flags = AZ_DETAIL },
        { "tb_per_s", AZ_REAL, AZ_UNIT_TBPS, .flags = AZ_HIGHER_BETTER },
        { "flops_per_byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, .flags = AZ_DETAIL },
        { "framework_name", AZ_TEXT, .flags = AZ_DETAIL },
        { "source", AZ_TEXT, .flags = AZ_DETAIL },
    };
    az_record_columns(t, more_columns, AZ_LENGTH(more_columns));
}

static void put_operands(struct az_table *t, const struct az_hlo_op *op)
{
    struct az_vec_char text;
    int rc = AZ_OK;
    az_vec_init(&text, t->mem);
    for (size_t i = 0; rc == 0 && i < op->n_operands; i++) {
        rc = i ? az_text_append(&text, AZ_SV(";")) : AZ_OK;
        if (rc == 0)
            rc = az_text_append(&text, op->operands[i].text);
    }
    az_put_given_copy(t, az_text_view(&text));
    az_vec_release(&text);
}

/* Per picosecond is per second in units of 1e12. */
static double rate(int64_t amount, const struct az_hlo_work *w)
{
    const double ps = az_hlo_work_us(w) * 1e6;
    return amount < 0 || ps <= 0 ? 0.0 / 0.0 : (double)amount / ps;
}

static void put(struct az_hlo *h, struct az_table *t, const struct az_hlo_work *w)
{
    const struct az_trace *tr = h->tr[w->first.trace].t;
    const struct az_xrow *row = az_hlo_row(h, &w->first);
    const struct az_hlo_op *op = w->op;
    az_put_given(t, az_trace_text(tr, row->module));
    az_hlo_put_program(t, row);
    az_put_text(t, az_trace_text(tr, row->op));
    az_put_given(t, op ? az_hlo_work_kind(op) : AZ_SV(""));
    az_put_given(t, op ? op->target : AZ_SV(""));
    az_put_i64(t, (int64_t)w->kernels);
    az_put_f64(t, az_us_from_ps(w->ticks));
    az_put_i64(t, (int64_t)w->executions);
    az_put_f64(t, az_hlo_work_us(w));
    az_put_given(t, op ? az_hlo_work_params(h->job->arena, op) : AZ_SV(""));
    az_put_given(t, op ? op->result.text : AZ_SV(""));
    if (op)
        put_operands(t, op);
    else
        az_put_empty(t);
    az_put_known(t, w->flops);
    az_put_f64(t, rate(w->flops, w));
    az_put_known(t, w->bytes);
    az_put_f64(t, rate(w->bytes, w));
    az_put_f64(t, w->flops >= 0 && w->bytes > 0 ? (double)w->flops / (double)w->bytes : 0.0 / 0.0);
    az_put_given(t, op ? op->scope : AZ_SV(""));
    az_put_given(t, op ? op->source : AZ_SV(""));
}

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
    struct az_table *t =
        az_table_new(h->job->arena, "hlo_op_perf", "HLO operation rates", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(h->job->arena);
    columns(t);
    for (size_t i = 0; i < works->n; i++)
        put(h, t, &works->v[i]);
    return az_job_add(h->job, t, AZ_OK);
}

static int run(struct az_job *job)
{
    struct az_hlo h;
    struct az_hlo_works works;
    az_vec_init(&works, job->mem);
    int rc = az_hlo_open(&h, job);
    if (rc == 0 && az_hlo_devices_with_kernels(&h) > 0) {
        rc = az_hlo_work(&h, NULL, &works);
        if (rc == 0)
            rc = az_sort_cmp(works.v, works.n, sizeof *works.v, order, NULL, job->mem);
        if (rc == 0)
            rc = table(&h, &works);
        if (rc == 0)
            rc = az_hlo_roofline(&h, &works);
        if (rc == 0)
            cover(&h, &works);
    }
    az_vec_release(&works);
    return az_hlo_close(&h, rc);
}

const struct az_analysis az_analysis_hlo_perf = {
    .name = "hlo_perf",
    .help = "HLO operations with FLOPs, bytes, rates, roofline",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
