/* How estimates are shown in unified_perf_summary. */
#include "analyses/operators/metrics.h"

#include "base/num.h"
#include "document/record.h"

struct az_sv az_framework_param_text(const struct az_perf_param *p, struct az_arena *a)
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

/* The value of a parameter as JSON, without quotes. */
static struct az_sv param_value(const struct az_perf_param *p, struct az_arena *a)
{
    const struct az_sv v = az_framework_param_text(p, a);
    if (p->kind == AZ_PARAM_NONE || (v.n == 0 && p->kind != AZ_PARAM_TEXT)) /* not a number */
        return AZ_SV("null");
    if (p->kind == AZ_PARAM_BOOL)
        return p->number != 0 ? AZ_SV("true") : AZ_SV("false");
    return v;
}

static char *put(char *to, struct az_sv s) { return s.n ? (char *)memcpy(to, s.p, s.n) + s.n : to; }

struct az_sv az_framework_params(const struct az_perf *perf, struct az_arena *a)
{
    struct az_sv value[AZ_PERF_PARAMS];
    size_t room = 2;
    if (perf->n_params == 0)
        return AZ_SV("");
    for (unsigned i = 0; i < perf->n_params; i++) {
        value[i] = param_value(&perf->param[i], a);
        room += strlen(perf->param[i].name) + value[i].n + sizeof ",\"\":\"\"";
    }
    char *text = az_arena_array(a, room, 1), *to = text;
    for (unsigned i = 0; text && i < perf->n_params; i++) {
        const struct az_perf_param *p = &perf->param[i];
        const struct az_sv quote = p->kind == AZ_PARAM_TEXT ? AZ_SV("\"") : AZ_SV("");
        to = put(to, i ? AZ_SV(",\"") : AZ_SV("{\""));
        to = put(to, az_sv_str(p->name));
        to = put(to, AZ_SV("\":"));
        to = put(put(put(to, quote), value[i]), quote);
    }
    to = text ? put(to, AZ_SV("}")) : NULL;
    return text ? az_sv_make(text, (size_t)(to - text)) : AZ_SV("");
}

static const struct az_record_column framework_metric_columns[] = {
    { "GFLOPS", AZ_REAL, AZ_UNIT_GFLOP, .flags = AZ_DETAIL },
    { "Data Moved (MB)", AZ_REAL, AZ_UNIT_MB, .flags = AZ_DETAIL },
    { "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, .flags = AZ_DETAIL },
    { "Compute Spec", AZ_TEXT, .flags = AZ_DETAIL },
};

void az_framework_metric_columns(const struct az_framework_metrics *m, struct az_table *t)
{
    static const char *const roof[] = { "Pct Roofline_mean", "Pct Roofline_median",
                                        "Pct Roofline_std", "Pct Roofline_min",
                                        "Pct Roofline_max" };
    static const char *const stat[] = { "mean", "std", "median", "min", "max" };
    az_record_columns(t, framework_metric_columns, AZ_LENGTH(framework_metric_columns));
    for (int i = 0; i < 5; i++) {
        az_table_columnsv(t, az_arena_printf(t->arena, "TB/s_%s", stat[i]), AZ_REAL, AZ_UNIT_TBPS,
                          AZ_HIGHER_BETTER | AZ_DETAIL);
    }
    for (int i = 0; i < 5; i++) {
        az_table_columnsv(t, az_arena_printf(t->arena, "TFLOPS/s_%s", stat[i]), AZ_REAL,
                          AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL);
    }
    if (az_framework_peaks(m)) {
        az_table_column(t, "Roofline Bound", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
        az_table_column(t, "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
        for (int i = 0; i < 5; i++)
            az_table_column(t, roof[i], AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL);
    }
    az_table_column(t, "perf_params", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_rates(struct az_table *t, const struct az_framework_rates *r, double scale)
{
    az_put_f64(t, r->mean * scale);
    az_put_f64(t, r->std * scale);
    az_put_f64(t, r->median * scale);
    az_put_f64(t, r->min * scale);
    az_put_f64(t, r->max * scale);
}

void az_framework_put_metrics(const struct az_framework_metrics *m, struct az_table *t,
                              const struct az_framework_figures *f)
{
    az_put_f64(t, f->flops / 1e9);
    az_put_f64(t, f->bytes / 1048576);
    az_put_f64(t, f->intensity);
    az_put_given(t, f->spec);
    put_rates(t, &f->byte_rate, 1e-12);
    put_rates(t, &f->flop_rate, 1e-12);
    if (az_framework_peaks(m)) {
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
