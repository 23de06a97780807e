/* hlo_roofline: operations compared with the peak rates of their device. The device is the
 * configured one, else the one with the recorded name, else the one with the recorded units and
 * memory; user-defined rates take precedence. */
#include "analyses/hlo/perf.h"
#include "analyses/rates.h"
#include "document/record.h"

struct az_sv az_hlo_precision(const struct az_hlo_work *w)
{
    static const char *const names[][2] = { { "bf16", "bf16" }, { "f16", "fp16" },
                                            { "f32", "fp32" },  { "f64", "fp64" },
                                            { "s8", "int8" },   { "u8", "int8" },
                                            { "f8", "fp8" },    { "f4", "fp4" } };
    const struct az_hlo_op *op = w->op;
    if (!op || w->flops <= 0)
        return AZ_SV("");
    const struct az_hlo_shape *s = op->n_dots && op->dots[0].lhs ? op->dots[0].lhs
                                   : op->n_operands              ? &op->operands[0]
                                                                 : NULL;
    for (size_t i = 0; s && i < AZ_LENGTH(names); i++)
        if (az_sv_starts(s->type, az_sv_str(names[i][0])))
            return az_sv_str(names[i][1]);
    return AZ_SV("");
}

static const struct az_record_column table_columns[] = {
    { "hlo_module", AZ_TEXT, .flags = AZ_KEY },
    { "program_id", AZ_TEXT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "hlo_op", AZ_TEXT, .flags = AZ_KEY },
    { "kind", .type = AZ_TEXT },
    { "device_name", AZ_TEXT, .flags = AZ_DETAIL },
    { "compute_spec", .type = AZ_TEXT },
    { "peak_tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, .flags = AZ_DETAIL },
    { "peak_tb_per_s", AZ_REAL, AZ_UNIT_TBPS, .flags = AZ_DETAIL },
    { "flops_per_byte", AZ_REAL, .unit = AZ_UNIT_FLOP_PER_BYTE },
    { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, .flags = AZ_HIGHER_BETTER },
    { "us_per_execution", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "roofline_us", AZ_REAL, .unit = AZ_UNIT_US },
    { "percent_of_roofline", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
    { "bound", .type = AZ_TEXT },
    { "peak_assumed", AZ_TEXT, .flags = AZ_DETAIL },
};

static void columns(struct az_table *t)
{
    az_record_columns(t, table_columns, AZ_LENGTH(table_columns));
}

/* False: no rates are known of it. *rc: the user's own rates are none. */
static bool peaks_of(struct az_hlo *h, const struct az_hlo_work *w, struct az_peaks *out, int *rc)
{
    const struct az_hlo_device *d = &h->devices.v[az_hlo_device_of(h, &w->first)];
    const struct az_device_facts facts = az_plane_device(&h->tr[d->trace].x->planes.v[d->plane]);
    bool found;
    *rc = az_job_peaks(h->job, &facts, out, &found);
    return *rc == 0 && found;
}

static void put(struct az_hlo *h, struct az_table *t, const struct az_hlo_work *w,
                const struct az_peaks *peaks)
{
    const double none = 0.0 / 0.0, us = az_hlo_work_us(w);
    const struct az_trace *tr = h->tr[w->first.trace].t;
    const struct az_xrow *row = az_hlo_row(h, &w->first);
    const struct az_sv nothing = { "", 0 };
    struct az_roofline r;
    az_roofline(peaks, "matrix", az_hlo_precision(w), nothing, false, (double)w->flops,
                (double)w->bytes, &r);
    az_put_given(t, az_trace_text(tr, row->module));
    az_hlo_put_program(t, row);
    az_put_text(t, az_trace_text(tr, row->op));
    az_put_text(t, az_hlo_work_kind(w->op));
    az_put_text(t, peaks->name);
    az_put_given(t, az_sv_str(r.peak));
    az_put_f64(t, r.tflops);
    az_put_f64(t, peaks->bw / 1e3);
    az_put_f64(t, w->flops >= 0 && w->bytes > 0 ? (double)w->flops / (double)w->bytes : none);
    az_put_f64(t, w->flops >= 0 && us > 0 ? (double)w->flops / us / 1e6 : none);
    az_put_f64(t, us);
    az_put_f64(t, r.time_us);
    az_put_f64(t, us > 0 ? r.time_us / us * 100 : none);
    az_put_given(t, az_sv_str(r.bound));
    az_put_given(t, !*r.peak ? nothing : r.assumed ? AZ_SV("True") : AZ_SV("False"));
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

int az_hlo_roofline(struct az_hlo *h, const struct az_hlo_works *works)
{
    struct az_table *t = az_table_new(h->job->arena, "hlo_roofline", "HLO operation roofline", 0);
    size_t unknown = 0, rows;
    if (!t)
        return az_arena_error(h->job->arena);
    columns(t);
    for (size_t i = 0; i < works->n; i++) {
        const struct az_hlo_work *w = &works->v[i];
        struct az_peaks peaks;
        int bad;
        if (!w->op || w->bytes <= 0)
            continue;
        if (peaks_of(h, w, &peaks, &bad))
            put(h, t, w, &peaks);
        else if (bad)
            return az_job_add(h->job, t, bad);
        else
            unknown++;
    }
    if (unknown && h->job->opts->device_name.n)
        az_job_unknown_device(h->job, AZ_AT_FILE(h->job->traces[0]->path));
    if (unknown)
        az_cover(h->job, "operations without a roofline", (double)unknown, "",
                 AZ_SV("device is not in configs/devices.csv; set \"device\""));
    rows = t->rows;
    const int rc = az_job_add(h->job, t, AZ_OK);
    return rc == 0 && rows ? chart(h->job) : rc;
}
