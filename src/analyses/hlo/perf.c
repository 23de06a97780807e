/* hlo_op_perf: rates of HLO operations, and how many events found theirs. */
#include "analyses/hlo/perf.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "base/time_units.h"

static void columns(struct az_table *t)
{
    az_table_column(t, "hlo_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "hlo_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kind", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "custom_call_target", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "kernel_count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "executions", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "us_per_execution", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "params", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "output", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "operands", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "flops_per_execution", AZ_INT, AZ_UNIT_FLOP, AZ_DETAIL);
    az_table_column(t, "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER);
    az_table_column(t, "bytes_per_execution", AZ_INT, AZ_UNIT_BYTES, AZ_DETAIL);
    az_table_column(t, "tb_per_s", AZ_REAL, AZ_UNIT_TBPS, AZ_HIGHER_BETTER);
    az_table_column(t, "flops_per_byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL);
    az_table_column(t, "framework_name", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "source", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
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
