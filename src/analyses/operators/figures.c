/* Metrics of a group of operations: the first known values, and rates over all of them. */
#include "analyses/operators/metrics.h"

static void first_number(double *kept, double v) { *kept = isnan(*kept) ? v : *kept; }

static void first_text(struct az_sv *kept, struct az_sv v) { *kept = kept->n ? *kept : v; }

/* Statistics of the n values of v, which are put in order. */
static struct az_framework_rates rates_of(double *v, size_t n)
{
    struct az_framework_rates r = { NAN, NAN, NAN, NAN, NAN };
    if (n == 0)
        return r;
    r.mean = az_mean_f64(v, n);
    r.std = az_std_f64(v, n, 1);
    r.min = r.max = v[0];
    for (size_t i = 1; i < n; i++) {
        r.min = v[i] < r.min ? v[i] : r.min;
        r.max = v[i] > r.max ? v[i] : r.max;
    }
    r.median = az_percentile_f64(v, n, 50);
    return r;
}

/* Rates of the operations seen so far. */
struct rates {
    double *v;
    size_t n;
};

static void add_rates(struct rates *r, double amount, double seconds)
{
    if (!isnan(amount) && seconds > 0)
        r->v[r->n++] = amount / seconds;
}

/* What a rate is of, of one estimate. */
struct amounts {
    uint64_t key; /* of the estimate; 0: none is kept here */
    double of[3]; /* bytes, operations, seconds of the roofline */
};
enum { KEPT = 16 }; /* estimates: those of a group are few */

/* The first values that are known, of an estimate that was not seen before. */
static void keep_first_known(const struct az_framework_estimate *e, const struct az_roofline *roof,
                             struct az_framework_figures *out)
{
    first_number(&out->flops, e->flops);
    first_number(&out->bytes, e->bytes);
    first_number(&out->intensity, e->bytes > 0 ? e->flops / e->bytes : NAN);
    first_text(&out->spec, e->spec);
    first_text(&out->params, e->params);
    if (isnan(out->roof_us)) {
        out->roof_us = roof->time_us;
        out->bound = roof->bound;
    }
}

/* The amounts of member i, among the kept ones or requested. */
static int amounts_of(struct az_framework_metrics *m, const struct az_framework_members *of,
                      size_t i, struct amounts *kept, struct amounts **at,
                      struct az_framework_figures *out)
{
    struct az_framework_estimate e;
    uint64_t key = 0;
    int rc = of->key ? of->key(of->ctx, i, &key) : 0;
    *at = &kept[key % KEPT];
    if (rc || (key && (*at)->key == key))
        return rc;
    rc = of->estimate(of->ctx, i, &e);
    if (rc)
        return rc;
    const struct az_roofline roof = az_framework_roofline(m, &e);
    keep_first_known(&e, &roof, out);
    **at = (struct amounts){ key, { e.bytes, e.flops, roof.time_us * 1e-6 } };
    return 0;
}

int az_framework_figures(struct az_framework_metrics *m, const struct az_framework_members *members,
                         const int64_t *ticks, size_t n, struct az_framework_figures *out)
{
    struct az_mem *mem = az_framework_job(m)->mem;
    const double second = 1e9 * (double)az_framework_trace(m)->ticks_per_ns;
    const size_t size = (3 * n + 1) * sizeof(double);
    double *v = az_mem_alloc(mem, size);
    struct rates of[3];
    struct amounts kept[KEPT] = { 0 }, *a;
    int rc = v ? 0 : az_mem_error(mem);
    *out = (struct az_framework_figures){
        .flops = NAN, .bytes = NAN, .intensity = NAN, .roof_us = NAN, .bound = ""
    };
    for (size_t k = 0; k < 3; k++)
        of[k] = (struct rates){ v ? v + k * n : NULL, 0 };
    for (size_t i = 0; rc == 0 && i < n; i++) {
        rc = amounts_of(m, members, i, kept, &a, out);
        for (size_t k = 0; rc == 0 && k < 3; k++)
            add_rates(&of[k], a->of[k], (double)ticks[i] / second);
    }
    if (rc == 0) {
        out->byte_rate = rates_of(of[0].v, of[0].n);
        out->flop_rate = rates_of(of[1].v, of[1].n);
        out->roof_part = rates_of(of[2].v, of[2].n);
    }
    az_mem_free(mem, v, size);
    return rc;
}
