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

static char *append_text(char *to, struct az_sv s)
{
    return s.n ? (char *)memcpy(to, s.p, s.n) + s.n : to;
}

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
        to = append_text(to, i ? AZ_SV(",\"") : AZ_SV("{\""));
        to = append_text(to, az_sv_str(p->name));
        to = append_text(to, AZ_SV("\":"));
        to = append_text(append_text(append_text(to, quote), value[i]), quote);
    }
    to = text ? append_text(to, AZ_SV("}")) : NULL;
    return text ? az_sv_make(text, (size_t)(to - text)) : AZ_SV("");
}

AZ_OF_RECORD(double, gflops_of, struct az_framework_figures, r->flops / 1e9)
AZ_OF_RECORD(double, megabytes_of, struct az_framework_figures, r->bytes / 1048576)

#define FIGURE(field) AZ_FIELD(struct az_framework_figures, field)
#define RATES(name, unit, flags, rates, factor)                                                    \
    { name "_mean", AZ_REAL, unit, flags, FIGURE(rates.mean), .scale = factor },                   \
        { name "_std", AZ_REAL, unit, flags, FIGURE(rates.std), .scale = factor },                 \
        { name "_median", AZ_REAL, unit, flags, FIGURE(rates.median), .scale = factor },           \
        { name "_min", AZ_REAL, unit, flags, FIGURE(rates.min), .scale = factor },                 \
    {                                                                                              \
        name "_max", AZ_REAL, unit, flags, FIGURE(rates.max), .scale = factor                      \
    }
static bool has_peaks(const void *metrics) { return az_framework_peaks(metrics) != NULL; }

static const struct az_record_column metric_columns[] = {
    { "GFLOPS", AZ_REAL, AZ_UNIT_GFLOP, AZ_DETAIL, .real = gflops_of },
    { "Data Moved (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = megabytes_of },
    { "FLOPS/Byte", AZ_REAL, AZ_UNIT_FLOP_PER_BYTE, AZ_DETAIL, FIGURE(intensity) },
    { "Compute Spec", AZ_TEXT, .flags = AZ_DETAIL, FIGURE(spec), .known = true },
    RATES("TB/s", AZ_UNIT_TBPS, AZ_HIGHER_BETTER | AZ_DETAIL, byte_rate, 1e-12),
    RATES("TFLOPS/s", AZ_UNIT_TFLOPS, AZ_HIGHER_BETTER | AZ_DETAIL, flop_rate, 1e-12),
    { "Roofline Bound", AZ_TEXT, .flags = AZ_DETAIL, FIGURE(bound), .known = true,
      .when = has_peaks },
    { "Roofline Time (µs)_first", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, FIGURE(roof_us),
      .when = has_peaks },
    { "Pct Roofline_mean", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, FIGURE(roof_part.mean),
      .scale = 100, .when = has_peaks },
    { "Pct Roofline_median", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, FIGURE(roof_part.median),
      .scale = 100, .when = has_peaks },
    { "Pct Roofline_std", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, FIGURE(roof_part.std), .scale = 100,
      .when = has_peaks },
    { "Pct Roofline_min", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, FIGURE(roof_part.min), .scale = 100,
      .when = has_peaks },
    { "Pct Roofline_max", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, FIGURE(roof_part.max), .scale = 100,
      .when = has_peaks },
    { "perf_params", AZ_TEXT, .flags = AZ_DETAIL, FIGURE(params), .known = true },
};

void az_framework_metric_columns(const struct az_framework_metrics *m, struct az_table *t)
{
    AZ_RECORD_COLUMNS_OF(t, metric_columns, m);
}

void az_framework_put_metrics(struct az_table *t, const struct az_framework_figures *f)
{
    AZ_PUT_COLUMNS(t, metric_columns, f);
}
