/* hlo_roofline: operations compared with the peak rates of their device. The device is the
 * configured one, else the one with the recorded name, else the one with the recorded units and
 * memory; user-defined rates take precedence. */
#include "analyses/hlo/perf.h"
#include "analyses/rates.h"
#include "analyses/roofline_chart.h"
#include "document/record.h"

#include <math.h>

#define DOTS  400 /* operations in the chart */
#define ROOFS 4   /* lines in the chart */

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

/* ---- the chart ---- */

struct points {
    struct az_roofline_dots dots;
    struct az_roofs roofs;
};

static bool is_same(double x, double y) { return !(x < y) && !(x > y); }

/* One roof for each peak rate in use, of each kind of device. */
static int put_roof(struct az_job *job, struct az_roofs *roofs, const struct roofline_row *r)
{
    const char *peak = *r->roof.peak ? r->roof.peak : "memory";

    if (!(r->peaks->bw > 0) || roofs->n == ROOFS)
        return AZ_OK;
    for (size_t i = 0; i < roofs->n; i++)
        if (az_sv_starts(roofs->v[i].name, az_sv_str(peak)) &&
            is_same(roofs->v[i].tflops, r->roof.tflops) && is_same(roofs->v[i].bw, r->peaks->bw))
            return AZ_OK;
    bool is_named = false; /* on another device */
    for (size_t i = 0; i < roofs->n; i++)
        is_named |= az_sv_starts(roofs->v[i].name, az_sv_str(peak));
    const struct az_sv name =
        is_named ? az_arena_printf(job->arena, "%s, %.*s", peak, AZ_SVF(r->peaks->name))
                 : az_sv_str(peak);
    return az_vec_push(roofs, ((struct az_roof){ name, r->roof.tflops, r->peaks->bw }));
}

static int put_point(struct az_hlo *h, struct points *p, const struct roofline_row *r)
{
    const struct az_roofline_dot dot = { .name = az_hlo_cell_op(r, h->job->arena),
                                         .intensity = intensity(r),
                                         .tflops = tflops(r),
                                         .us = r->us };

    if (!(dot.intensity > 0) || !(dot.tflops > 0) || p->dots.n == DOTS)
        return AZ_OK;
    const int rc = put_roof(h->job, &p->roofs, r);
    return rc ? rc : az_vec_push(&p->dots, dot);
}

static int put_work(struct az_hlo *h, struct az_table *t, const struct az_hlo_work *w,
                    const struct az_peaks *peaks, struct points *points)
{
    struct roofline_row r = { az_hlo_row_of(h, &w->first), w, peaks, .us = az_hlo_work_us(w) };
    az_roofline(peaks, "matrix", az_hlo_precision(w), AZ_SV(""), false, (double)w->flops,
                (double)w->bytes, &r.roof);
    az_put_row(t, &r);
    return put_point(h, points, &r);
}

/* The rows; *unknown: operations whose device has no rates. */
static int put_works(struct az_hlo *h, struct az_table *t, const struct az_hlo_works *works,
                     struct points *points, size_t *unknown)
{
    int rc = AZ_OK;

    for (size_t i = 0; rc == 0 && i < works->n; i++) {
        const struct az_hlo_work *w = &works->v[i];
        struct az_peaks peaks;
        int bad;
        if (!w->op || w->bytes <= 0)
            continue;
        const bool found = peaks_of(h, w, &peaks, &bad);
        rc = found ? put_work(h, t, w, &peaks, points) : bad;
        *unknown += !found && !bad;
    }
    return rc;
}

int az_hlo_roofline(struct az_hlo *h, const struct az_hlo_works *works)
{
    struct az_table *t = AZ_RECORD_TABLE(h->job->arena, "hlo_roofline", "HLO operation roofline", 0,
                                         roofline_columns);
    struct points points;
    size_t unknown = 0;
    int rc;

    if (!t)
        return az_arena_error(h->job->arena);
    az_vec_init(&points.dots, h->job->mem);
    az_vec_init(&points.roofs, h->job->mem);
    rc = put_works(h, t, works, &points, &unknown);
    if (rc == 0 && unknown && h->job->opts->device_name.n)
        az_job_unknown_device(h->job, AZ_AT_FILE(h->job->traces[0]->path));
    if (rc == 0 && unknown)
        az_cover(h->job, "operations without a roofline", (double)unknown, "",
                 AZ_SV("device is not in configs/devices.csv; set \"device\""));
    rc = az_job_add(h->job, t, rc);
    if (rc == 0)
        rc = az_roofline_chart(h->job, &points.dots, &points.roofs, "us_per_execution");
    az_vec_release(&points.dots);
    az_vec_release(&points.roofs);
    return rc;
}
