/* Rule precision where no operators are recorded: kernels of the vendor's libraries that multiply
 * in 32 bits, by their names (docs/verdict.md 3.4). */
#include <math.h>

#include "analyses/rates.h"
#include "analyses/verdict/verdict.h"

#define RULES "trace_names.rules"

double az_verdict_peak_rate(const struct az_peaks *p, const char *name)
{
    for (int i = 0; p && i < AZ_RATES; i++)
        if (strcmp(az_rate_name[i], name) == 0)
            return p->rate[i];
    return NAN;
}

struct product {
    int64_t count, ticks;
    struct az_verdict_lengths lengths;
};

/* name -> its kernels in the scope, for the names of such kernels; NULL: there are none. */
static struct product *sum_products(struct az_verdict *v, const struct az_rule_list *rules,
                                    uint8_t *is)
{
    enum { UNKNOWN, NO, YES };
    const struct az_events *k = &v->t->ev[AZ_KERNEL];
    struct product *of = NULL;
    for (size_t i = 0; i < k->n; i++) {
        const uint32_t name = k->name[i];
        if (name == AZ_NO_ID)
            continue;
        if (is[name] == UNKNOWN)
            is[name] =
                az_rules_class_of(rules, "fp32_product", az_trace_text(v->t, name)).n ? YES : NO;
        if (is[name] == NO || !az_verdict_in_scope(v, k->start[i]))
            continue;
        if (!of)
            of = az_arena_array(v->job->arena, v->t->names.text.n + 1, sizeof *of);
        if (!of)
            return NULL;
        of[name].count++;
        of[name].ticks += k->end[i] - k->start[i];
        az_verdict_lengths_add(&of[name].lengths, k->end[i] - k->start[i]);
    }
    return of;
}

static int report(struct az_verdict *v, const struct product *of, double gain)
{
    int rc = 0;
    for (uint32_t name = 0; rc == 0 && name < v->t->names.text.n; name++) {
        if (of[name].count == 0)
            continue;
        const struct az_sv text = az_trace_text(v->t, name);
        const int64_t ns = az_verdict_ns(v, of[name].ticks);
        const struct az_verdict_found f = { .subject = az_verdict_short(text),
                                            .detail = AZ_SV(" in 32 bits; the device has TF32"),
                                            .row = text,
                                            .count = of[name].count,
                                            .smallest = az_verdict_ns(v, of[name].lengths.least),
                                            .largest = az_verdict_ns(v, of[name].lengths.most),
                                            .ns = ns,
                                            .gain = llround((double)ns * gain) };
        rc = az_verdict_add(v, "precision", &f);
    }
    return rc;
}

int az_verdict_find_products(struct az_verdict *v)
{
    const struct az_device_facts f = az_trace_device(v->t);
    struct az_peaks p;
    struct az_rule_list rules;
    bool found = false;
    if (v->t->caps & AZ_CAP_HOST_OPS || v->t->ev[AZ_KERNEL].n == 0)
        return 0;
    int rc = az_job_peaks(v->job, &f, &p, &found);
    const double full = found ? az_verdict_peak_rate(&p, "matrix_fp32") : NAN,
                 less = found ? az_verdict_peak_rate(&p, "matrix_tf32") : NAN;
    if (rc || !(less > full))
        return rc;
    rc = az_rules_read_group(RULES, "fp32_product", v->job->arena, &rules);
    uint8_t *is = rc ? NULL : az_arena_array(v->job->arena, v->t->names.text.n + 1, 1);
    if (rc == 0 && !is)
        rc = az_arena_error(v->job->arena);
    const struct product *of = rc ? NULL : sum_products(v, &rules, is);
    if (rc == 0 && v->job->arena->failed)
        rc = az_arena_error(v->job->arena);
    return of ? report(v, of, 1 - full / less) : rc;
}
