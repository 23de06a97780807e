/* How estimates are shown in unified_perf_summary. */
#include "analyses/ops/metrics.h"

#include "base/num.h"

struct az_sv az_fw_param_text(const struct az_perf_param *p, struct az_arena *a)
{
    char buf[AZ_NUM_MAX];
    switch (p->kind) {
    case AZ_PARAM_INT:
    case AZ_PARAM_REAL:
        return az_arena_dup(a, az_sv_make(buf, az_format_f64(p->number, buf)));
    case AZ_PARAM_BOOL:
        return p->number != 0 ? AZ_SV("True") : AZ_SV("False");
    case AZ_PARAM_TEXT:
    case AZ_PARAM_JSON:
        return p->text;
    case AZ_PARAM_NONE:
        break;
    }
    return az_sv_make("", 0);
}

struct az_sv az_fw_params(const struct az_perf *perf, struct az_arena *a)
{
    struct az_sv s = AZ_SV("");
    if (perf->n_params == 0)
        return s;
    for (unsigned i = 0; i < perf->n_params; i++) {
        const struct az_perf_param *p = &perf->param[i];
        struct az_sv v = az_fw_param_text(p, a);
        const char *quote = p->kind == AZ_PARAM_TEXT ? "\"" : "";
        if (p->kind == AZ_PARAM_NONE || (v.n == 0 && p->kind != AZ_PARAM_TEXT)) /* not a number */
            v = AZ_SV("null");
        else if (p->kind == AZ_PARAM_BOOL)
            v = p->number != 0 ? AZ_SV("true") : AZ_SV("false");
        s = az_arena_printf(a, "%.*s%s\"%s\":%s%.*s%s", AZ_SVF(s), i ? "," : "{", p->name, quote,
                            AZ_SVF(v), quote);
    }
    return az_arena_printf(a, "%.*s}", AZ_SVF(s));
}

void az_fw_metric_columns(const struct az_fw_metrics *m, struct az_table *t)
{
    static const char *const roof[] = { "Pct Roofline_mean", "Pct Roofline_median",
                                        "Pct Roofline_std", "Pct Roofline_min",
                                        "Pct Roofline_max" };
    static const char *const stat[] = { "mean", "std", "median", "min", "max" };
    az_table_column(t, "GFLOPS", AZ_REAL, AZ_UNIT_GFLOP, AZ_DETAIL);
    az_table_column(t, "Data Moved (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL);
    az_table_column(t, "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL);
    az_table_column(t, "Compute Spec", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    for (int i = 0; i < 5; i++) {
        az_table_columnsv(t, az_arena_printf(t->arena, "TB/s_%s", stat[i]), AZ_REAL, AZ_UNIT_TBPS,
                          AZ_HIGHER_BETTER | AZ_DETAIL);
    }
    for (int i = 0; i < 5; i++) {
        az_table_columnsv(t, az_arena_printf(t->arena, "TFLOPS/s_%s", stat[i]), AZ_REAL,
                          AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL);
    }
    if (az_fw_peaks(m)) {
        az_table_column(t, "Roofline Bound", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
        az_table_column(t, "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
        for (int i = 0; i < 5; i++)
            az_table_column(t, roof[i], AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    }
    az_table_column(t, "perf_params", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_rates(struct az_table *t, const struct az_fw_rates *r, double scale)
{
    az_put_f64(t, r->mean * scale);
    az_put_f64(t, r->std * scale);
    az_put_f64(t, r->median * scale);
    az_put_f64(t, r->min * scale);
    az_put_f64(t, r->max * scale);
}

void az_fw_put_metrics(const struct az_fw_metrics *m, struct az_table *t,
                       const struct az_fw_figures *f)
{
    az_put_f64(t, f->flops / 1e9);
    az_put_f64(t, f->bytes / 1048576);
    az_put_f64(t, f->intensity);
    az_put_given(t, f->spec);
    put_rates(t, &f->byte_rate, 1e-12);
    put_rates(t, &f->flop_rate, 1e-12);
    if (az_fw_peaks(m)) {
        az_put_given(t, az_sv_str(f->bound));
        az_put_f64(t, f->roof_us);
        az_put_f64(t, f->roof_part.mean * 100);
        az_put_f64(t, f->roof_part.median * 100);
        az_put_f64(t, f->roof_part.std * 100);
        az_put_f64(t, f->roof_part.min * 100);
        az_put_f64(t, f->roof_part.max * 100);
    }
    az_put_given(t, f->params);
}
