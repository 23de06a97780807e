/* hlo_roofline: operations compared with the peak rates of their device. The device is the
 * configured one, else the one with the recorded name, else the one with the recorded units and
 * memory; user-defined rates take precedence. */
#include "analyses/hlo/perf.h"
#include "analyses/rates.h"
#include "document/record.h"

#include <math.h>

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

struct roofline_row {
    struct az_hlo_row row;
    const struct az_hlo_work *work;
    const struct az_peaks *peaks;
    struct az_roofline roof;
    double us;
};

#define ROW struct roofline_row
AZ_TEXT_OF_RECORD(kind_of, ROW, az_hlo_work_kind(r->work->op))
AZ_OF_RECORD(double, peak_tbps, ROW, r->peaks->bw / 1e3)
AZ_OF_RECORD(double, tflops, ROW,
             r->work->flops >= 0 && r->us > 0 ? (double)r->work->flops / r->us / 1e6 : NAN)
AZ_OF_RECORD(double, percent_of_roof, ROW, r->us > 0 ? r->roof.time_us / r->us * 100 : NAN)
AZ_TEXT_OF_RECORD(assumed, ROW,
                  !*r->roof.peak    ? AZ_SV("")
                  : r->roof.assumed ? AZ_SV("True")
                                    : AZ_SV("False"))
static double intensity(const void *row)
{
    const struct az_hlo_work *w = ((const ROW *)row)->work;
    return w->flops >= 0 && w->bytes > 0 ? (double)w->flops / (double)w->bytes : NAN;
}

static const struct az_record_column roofline_columns[] = {
    { "hlo_module", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_module, .known = true },
    { "program_id", AZ_TEXT, AZ_UNIT_ID, AZ_KEY, .text = az_hlo_cell_program, .known = true },
    { "hlo_op", AZ_TEXT, .flags = AZ_KEY, .text = az_hlo_cell_op },
    { "kind", AZ_TEXT, .text = kind_of },
    { "device_name", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, peaks, name) },
    { "compute_spec", AZ_TEXT, AZ_KNOWN(ROW, roof.peak) },
    { "peak_tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_DETAIL, AZ_FIELD(ROW, roof.tflops) },
    { "peak_tb_per_s", AZ_REAL, AZ_UNIT_TBPS, AZ_DETAIL, .real = peak_tbps },
    { "flops_per_byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, .real = intensity },
    { "tflops_per_s", AZ_REAL, AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER, .real = tflops },
    { "us_per_execution", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, us) },
    { "roofline_us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, roof.time_us) },
    { "percent_of_roofline", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, .real = percent_of_roof },
    { "bound", AZ_TEXT, AZ_KNOWN(ROW, roof.bound) },
    { "peak_assumed", AZ_TEXT, .flags = AZ_DETAIL, .text = assumed, .known = true },
};

/* False: no rates are known of it. *rc: the user's own rates are none. */
static bool peaks_of(struct az_hlo *h, const struct az_hlo_work *w, struct az_peaks *out, int *rc)
{
    const struct az_hlo_device *d = &h->devices.v[az_hlo_device_of(h, &w->first)];
    const struct az_device_facts facts = az_plane_device(&h->tr[d->trace].x->planes.v[d->plane]);
    bool found;
    *rc = az_job_peaks(h->job, &facts, out, &found);
    return *rc == 0 && found;
}

static void put_work(struct az_hlo *h, struct az_table *t, const struct az_hlo_work *w,
                     const struct az_peaks *peaks)
{
    struct roofline_row r = { az_hlo_row_of(h, &w->first), w, peaks, .us = az_hlo_work_us(w) };
    az_roofline(peaks, "matrix", az_hlo_precision(w), AZ_SV(""), false, (double)w->flops,
                (double)w->bytes, &r.roof);
    az_put_row(t, &r);
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
    struct az_table *t = AZ_RECORD_TABLE(h->job->arena, "hlo_roofline", "HLO operation roofline", 0,
                                         roofline_columns);
    size_t unknown = 0, rows;
    if (!t)
        return az_arena_error(h->job->arena);
    for (size_t i = 0; i < works->n; i++) {
        const struct az_hlo_work *w = &works->v[i];
        struct az_peaks peaks;
        int bad;
        if (!w->op || w->bytes <= 0)
            continue;
        if (peaks_of(h, w, &peaks, &bad))
            put_work(h, t, w, &peaks);
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
