/* Figures of a group of operations: the first known values, and rates over all of them. */
#include "analyses/ops/metrics.h"

static void first_number(double *kept, double v) { *kept = isnan(*kept) ? v : *kept; }

static void first_text(struct az_sv *kept, struct az_sv v) { *kept = kept->n ? *kept : v; }

/* Statistics of the n values of v, which are put in order. */
static struct az_fw_rates rates_of(double *v, size_t n)
{
    struct az_fw_rates r = { NAN, NAN, NAN, NAN, NAN };
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

static void add(struct rates *r, double amount, double seconds)
{
    if (!isnan(amount) && seconds > 0)
        r->v[r->n++] = amount / seconds;
}

/* roof: of this estimate. */
static void add_member(const struct az_fw_estimate *e, const struct az_roofline *roof,
                       double seconds, struct rates *of, struct az_fw_figures *out)
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
    add(&of[0], e->bytes, seconds);
    add(&of[1], e->flops, seconds);
    add(&of[2], roof->time_us * 1e-6, seconds);
}

int az_fw_figures(struct az_fw_metrics *m, az_fw_member *estimate, void *ctx, const int64_t *ticks,
                  size_t n, struct az_fw_figures *out)
{
    struct az_mem *mem = az_fw_job(m)->mem;
    const double second = 1e9 * (double)az_fw_trace(m)->ticks_per_ns;
    const size_t size = (3 * n + 1) * sizeof(double);
    double *v = az_mem_alloc(mem, size);
    struct rates of[3];
    const struct az_perf *last = NULL; /* most operations of a group share one estimate */
    struct az_roofline roof = { .time_us = NAN, .bound = "" };
    int rc = v ? 0 : az_mem_error(mem);
    *out = (struct az_fw_figures){
        .flops = NAN, .bytes = NAN, .intensity = NAN, .roof_us = NAN, .bound = ""
    };
    for (size_t k = 0; k < 3; k++)
        of[k] = (struct rates){ v ? v + k * n : NULL, 0 };
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_fw_estimate e;
        rc = estimate(ctx, i, &e);
        if (rc)
            break;
        if (e.perf != last)
            roof = az_fw_roofline(m, &e);
        last = e.perf;
        add_member(&e, &roof, (double)ticks[i] / second, of, out);
    }
    if (rc == 0) {
        out->byte_rate = rates_of(of[0].v, of[0].n);
        out->flop_rate = rates_of(of[1].v, of[1].n);
        out->roof_part = rates_of(of[2].v, of[2].n);
    }
    az_mem_free(mem, v, size);
    return rc;
}
