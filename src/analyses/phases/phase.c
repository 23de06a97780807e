#include "analyses/phases/phase.h"

#include "base/num.h"
#include "text/jsonscan.h"

struct work {
    struct az_job *job;
    struct az_framework *fw;
    struct az_phase_names names;
    double *count;      /* launchers of the same operator name, by launcher */
    double median, low; /* quantiles 0.5 and 0.15 of the counts per name */
    int64_t threshold;
};

const char *az_phase_by_text(enum az_phase_by by)
{
    static const char *const text[] = {
        "nothing",     "annotation",         "kernel_names", "framework_apis", "attention_patterns",
        "gemm_params", "operation_frequency"
    };
    return by < AZ_BY_COUNT ? text[by] : "nothing";
}

/* ---- by shapes ---- */
/* Sizes of the i-th input; how many, at most max. */
static size_t dims_of(const struct work *w, uint32_t launcher, size_t input, int64_t *out,
                      size_t max)
{
    const struct az_op_args *a = az_framework_args(w->fw, w->fw->launchers->rows.v[launcher].node);
    struct az_jview list, dims;
    struct az_sv item, number;
    size_t n = 0;
    if (!a || a->dims == AZ_NO_ID || !az_jview_array(&list, az_trace_text(w->fw->trace, a->dims)))
        return 0;
    for (size_t i = 0; az_jview_next(&list, &item); i++) {
        if (i != input || !az_jview_array(&dims, item))
            continue;
        while (n < max && az_jview_next(&dims, &number) && az_parse_i64(number, &out[n]) == 0)
            n++;
        return n;
    }
    return 0;
}

static enum az_phase by_length(const struct work *w, int64_t length)
{
    return length <= 0             ? AZ_PHASE_MIXED
           : length > w->threshold ? AZ_PHASE_PREFILL
                                   : AZ_PHASE_DECODE;
}

/* Query tensor: [batch, heads, length, size] or [tokens, heads, size]. */
static enum az_phase by_attention(const struct work *w, uint32_t launcher,
                                  const struct az_name_phase *names)
{
    int64_t d[8];
    if (names->attention != AZ_PHASE_MIXED || !names->is_attention)
        return names->attention;
    size_t n = dims_of(w, launcher, 0, d, 8);
    return n == 4 ? by_length(w, d[2]) : n == 3 ? by_length(w, d[0]) : AZ_PHASE_MIXED;
}

/* M of a matrix product: rows of the first matrix; the product of all leading sizes of a linear
 * layer's input. */
static enum az_phase by_gemm(const struct work *w, uint32_t launcher,
                             const struct az_name_phase *names)
{
    int64_t d[8], m = 1;
    if (names->gemm_named)
        return names->gemm;
    if (!az_sv_is(az_framework_category(w->fw, launcher), "GEMM"))
        return AZ_PHASE_MIXED;
    struct az_sv op = az_node_name(w->fw->tree, w->fw->launchers->rows.v[launcher].node);
    bool add = az_sv_find(op, AZ_SV("addmm")) >= 0 || az_sv_find(op, AZ_SV("baddbmm")) >= 0;
    size_t n = dims_of(w, launcher, add ? 1 : 0, d, 8);
    if (n < 2)
        return AZ_PHASE_MIXED;
    if (n == 3 && az_sv_find(op, AZ_SV("bmm")) >= 0)
        return by_length(w, d[1]);
    for (size_t i = 0; i + 1 < n; i++)
        m = az_muldiv(m, d[i], 1);
    return by_length(w, m);
}

/* ---- by annotation ---- */
static int64_t number_after(struct az_sv text, const char *word)
{
    ptrdiff_t at = az_sv_find(text, az_sv_str(word));
    int64_t v = 0;
    if (at < 0)
        return -1;
    for (size_t i = (size_t)at + strlen(word);
         i < text.n && text.p[i] >= '0' && text.p[i] <= '9' && v < 1000000000; i++)
        v = v * 10 + (text.p[i] - '0');
    return v;
}

/* Step labels of inference engines: execute_.._context_<n>(..)_generation_<n>(..),
 * step[EXTEND|DECODE|MIXED ..], prefill[..], decode[..]. False if the text is none of these. */
static bool step_label(struct az_sv text, enum az_phase *phase)
{
    *phase = AZ_PHASE_MIXED;
    if (az_sv_starts(text, AZ_SV("execute_"))) {
        int64_t context = number_after(text, "context_"),
                generation = number_after(text, "generation_");
        if (context < 0 && generation < 0)
            return false;
        *phase = context > 0 && generation <= 0   ? AZ_PHASE_PREFILL
                 : generation > 0 && context <= 0 ? AZ_PHASE_DECODE
                                                  : AZ_PHASE_MIXED;
        return true;
    }
    if (az_sv_starts(text, AZ_SV("step[EXTEND")) || az_sv_starts(text, AZ_SV("prefill[")))
        *phase = AZ_PHASE_PREFILL;
    else if (az_sv_starts(text, AZ_SV("step[DECODE")) || az_sv_starts(text, AZ_SV("decode[")))
        *phase = AZ_PHASE_DECODE;
    else
        return az_sv_starts(text, AZ_SV("step[MIXED"));
    return true;
}

/* Marks the launchers inside labeled steps of their own thread. Launchers and ranges are both in
 * order of start. */
static void by_annotation(const struct work *w, struct az_phases *out)
{
    const struct az_events *a = &w->fw->trace->ev[AZ_RANGE];
    size_t n = w->fw->launchers->rows.n, first = 0;
    for (size_t i = 0; i < a->n; i++) {
        enum az_phase phase;
        if (!step_label(az_framework_text(w->fw, a->name[i], ""), &phase))
            continue;
        while (first < n &&
               az_framework_node(w->fw, w->fw->launchers->rows.v[first].node).start < a->start[i])
            first++;
        for (size_t l = first; l < n; l++) {
            struct az_event e = az_framework_node(w->fw, w->fw->launchers->rows.v[l].node);
            if (e.start >= a->end[i])
                break;
            if (e.lane == a->lane[i] && e.end <= a->end[i]) {
                out->phase[l] = (uint8_t)phase;
                out->by[l] = AZ_BY_ANNOTATION;
            }
        }
    }
}

/* ---- by frequency ---- */
static int frequencies(struct work *w)
{
    size_t n = w->fw->launchers->rows.n, names = 0;
    uint32_t *of = az_arena_array(w->job->arena, w->fw->trace->names.text.n + 1, sizeof *of);
    double *each = az_arena_array(w->job->arena, n + 1, sizeof *each);
    w->count = az_arena_array(w->job->arena, n + 1, sizeof *w->count);
    if (!of || !each || !w->count)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < n; i++)
        of[az_framework_node(w->fw, w->fw->launchers->rows.v[i].node).name]++;
    for (size_t i = 0; i < n; i++)
        w->count[i] = of[az_framework_node(w->fw, w->fw->launchers->rows.v[i].node).name];
    for (size_t i = 0; i < w->fw->trace->names.text.n; i++)
        if (of[i])
            each[names++] = of[i];
    w->median = names ? az_percentile_f64(each, names, 50) : 0;
    w->low = names ? az_percentile_f64(each, names, 15) : 0;
    return 0;
}

static enum az_phase by_frequency(const struct work *w, uint32_t launcher)
{
    if (w->count[launcher] > w->median)
        return AZ_PHASE_DECODE;
    return w->count[launcher] < w->low ? AZ_PHASE_PREFILL : AZ_PHASE_DECODE;
}

/* ---- all ---- */
static enum az_phase decide(const struct work *w, uint32_t l, enum az_phase_by by,
                            const struct az_name_phase *names)
{
    switch (by) {
    case AZ_BY_KERNEL_NAMES:
        return names->kernel_names;
    case AZ_BY_FRAMEWORK:
        return names->framework;
    case AZ_BY_ATTENTION:
        return by_attention(w, l, names);
    case AZ_BY_GEMM:
        return by_gemm(w, l, names);
    case AZ_BY_FREQUENCY:
        return by_frequency(w, l);
    default:
        return AZ_PHASE_MIXED;
    }
}

static const struct method {
    const char *name;
    bool annotation;
    enum az_phase_by order[5]; /* AZ_BY_NOTHING ends it */
} methods[] = {
    { "hybrid", false, { AZ_BY_KERNEL_NAMES, AZ_BY_FRAMEWORK, AZ_BY_ATTENTION, AZ_BY_FREQUENCY } },
    { "kernel_names", false, { AZ_BY_KERNEL_NAMES } },
    { "operation_frequency", false, { AZ_BY_FREQUENCY } },
    { "framework_apis", false, { AZ_BY_FRAMEWORK } },
    { "attention_patterns", false, { AZ_BY_ATTENTION } },
    { "gemm_params", false, { AZ_BY_GEMM } },
    { "annotation", true, { AZ_BY_NOTHING } },
    { "auto", true, { AZ_BY_KERNEL_NAMES, AZ_BY_FRAMEWORK, AZ_BY_ATTENTION, AZ_BY_GEMM } },
};

/* The launchers that no annotation has decided: the first method of the order with a result.
 */
static int label_all(struct work *w, const struct method *m, struct az_phases *out)
{
    int rc = 0;
    for (uint32_t l = 0; rc == 0 && l < w->fw->launchers->rows.n; l++) {
        struct az_name_phase names;
        if (out->by[l] == AZ_BY_ANNOTATION)
            continue;
        rc = az_phase_by_names(&w->names, l, &names);
        for (size_t i = 0;
             rc == 0 && m->order[i] != AZ_BY_NOTHING && out->phase[l] == AZ_PHASE_MIXED; i++) {
            out->phase[l] = (uint8_t)decide(w, l, m->order[i], &names);
            out->by[l] = out->phase[l] == AZ_PHASE_MIXED ? AZ_BY_NOTHING : (uint8_t)m->order[i];
        }
    }
    return rc;
}

int az_framework_phases(struct az_job *job, struct az_framework *f, struct az_phases *out)
{
    struct work w = { .job = job, .fw = f, .threshold = job->opts->decode_gemm_m };
    const struct method *m = &methods[0];
    for (size_t i = 0; i < AZ_LENGTH(methods); i++)
        if (az_sv_is(job->opts->phase_detection_method, methods[i].name))
            m = &methods[i];
    out->phase = az_arena_array(job->arena, f->launchers->rows.n + 1, 1);
    out->by = az_arena_array(job->arena, f->launchers->rows.n + 1, 1);
    if (!out->phase || !out->by)
        return az_arena_error(job->arena);
    int rc = az_phase_names_init(&w.names, f, w.threshold, job->mem);
    if (rc == 0)
        rc = frequencies(&w);
    if (rc == 0 && m->annotation)
        by_annotation(&w, out);
    if (rc == 0)
        rc = label_all(&w, m, out);
    az_phase_names_release(&w.names);
    return rc;
}
