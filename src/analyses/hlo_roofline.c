/* hlo_roofline: how near an operation comes to what its device can do. The device is the configured one, else the one
 * whose units and memory the profile tells. */
#include "analyses/hlo_perf.h"
#include "perf/arch.h"

/* Unit and type whose peak bounds an operation; empty where it computes nothing that is counted. */
static struct az_sv spec_of(const struct az_hx_work *w)
{
    static const struct {
        const char *type, *spec;
    } specs[] = { { "bf16", "matrix_bf16" }, { "f16", "matrix_fp16" }, { "f32", "matrix_fp32" },
                  { "f64", "matrix_fp64" },  { "s8", "matrix_int8" },  { "u8", "matrix_int8" },
                  { "f8", "matrix_fp8" },    { "f4", "matrix_fp4" } };
    const struct az_hlo_op *op = w->op;
    if (!op || w->flops <= 0)
        return AZ_SV("");
    const struct az_hlo_shape *s = op->n_dots && op->dots[0].lhs ? op->dots[0].lhs
                                   : op->n_operands              ? &op->operands[0]
                                                                 : NULL;
    for (size_t i = 0; s && i < sizeof specs / sizeof *specs; i++)
        if (az_sv_starts(s->type, az_sv_str(specs[i].type)))
            return az_sv_str(specs[i].spec);
    return AZ_SV("");
}

static void columns(struct az_table *t)
{
    az_table_column(t, "hlo_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "hlo_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "kind", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "device_name", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "compute_spec", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "peak_tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL);
    az_table_column(t, "peak_tb_per_s", AZ_REAL, AZ_UNIT_TBPS, AZ_DETAIL);
    az_table_column(t, "flops_per_byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, 0);
    az_table_column(t, "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER);
    az_table_column(t, "us_per_execution", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "roofline_us", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "percent_of_roofline", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER);
    az_table_column(t, "bound", AZ_TEXT, AZ_UNIT_NONE, 0);
}

static bool arch_of(struct az_hx *h, const struct az_hx_work *w, struct az_arch *a)
{
    const struct az_hx_device *d = &h->devices.v[az_hx_device_of(h, &w->first)];
    const struct az_xplane *p = &h->tr[d->trace].x->planes.v[d->plane];
    const struct az_sv name = h->job->opts->device_name;
    return az_arch_find(name.n ? name : p->type, p->vendor, (double)p->units, (double)p->memory_bytes, a);
}

static void put(struct az_hx *h, struct az_table *t, const struct az_hx_work *w, const struct az_arch *a)
{
    const double none = 0.0 / 0.0, us = az_hx_work_us(w);
    const struct az_trace *tr = h->tr[w->first.trace].t;
    const struct az_xrow *row = az_hx_row(h, &w->first);
    const struct az_sv spec = spec_of(w);
    const double peak = spec.n ? az_arch_peak(a, spec) : 0;
    const double compute = peak > 0 ? (double)w->flops / peak / 1e6 : 0; /* us */
    const double memory = a->bandwidth_gbps > 0 ? (double)w->bytes / a->bandwidth_gbps / 1e3 : 0;
    const double roof = compute > memory ? compute : memory;
    az_hx_put_opt(t, az_trace_text(tr, row->module));
    az_hx_put_program(t, row);
    az_put_text(t, az_trace_text(tr, row->op));
    az_put_text(t, az_hx_work_kind(w->op));
    az_put_text(t, a->name);
    az_hx_put_opt(t, peak > 0 ? spec : AZ_SV(""));
    az_put_f64(t, peak > 0 ? peak : none);
    az_put_f64(t, a->bandwidth_gbps / 1e3);
    az_put_f64(t, w->flops >= 0 && w->bytes > 0 ? (double)w->flops / (double)w->bytes : none);
    az_put_f64(t, w->flops >= 0 && us > 0 ? (double)w->flops / us / 1e6 : none);
    az_put_f64(t, us);
    az_put_f64(t, roof > 0 ? roof : none);
    az_put_f64(t, roof > 0 && us > 0 ? roof / us * 100 : none);
    az_put_text(t, compute > memory ? AZ_SV("COMPUTE_BOUND") : AZ_SV("MEMORY_BOUND"));
}

static int chart(struct az_job *job)
{
    struct az_chart c = { .kind = AZ_CHART_SCATTER_LOG,
                          .table = AZ_SV("hlo_roofline"),
                          .title = AZ_SV("Roofline"),
                          .x_title = AZ_SV("FLOP per byte"),
                          .y_title = AZ_SV("TFLOP/s"),
                          .x = AZ_SV("flops_per_byte"),
                          .size = AZ_SV("us_per_execution") };
    az_vec_init(&c.y, job->mem);
    const int rc = az_vec_push(&c.y, AZ_SV("tflops_per_s"));
    return rc ? rc : az_document_chart(job->doc, c);
}

int az_hx_roofline(struct az_hx *h, const struct az_hx_works *works)
{
    struct az_table *t = az_table_new(h->job->arena, "hlo_roofline", "HLO operations against the roofline", 0);
    size_t unknown = 0, rows;
    if (!t)
        return az_arena_error(h->job->arena);
    columns(t);
    for (size_t i = 0; i < works->n; i++) {
        const struct az_hx_work *w = &works->v[i];
        struct az_arch a;
        if (!w->op || w->bytes <= 0)
            continue;
        if (arch_of(h, w, &a))
            put(h, t, w, &a);
        else
            unknown++;
    }
    if (unknown)
        az_cover(h->job, "operations without a roofline", (double)unknown, "",
                 AZ_SV("their device is not in configs/gpu_arch.csv (name it with \"device\")"));
    rows = t->rows;
    const int rc = az_hx_emit(h->job, t, AZ_OK);
    return rc == 0 && rows ? chart(h->job) : rc;
}
