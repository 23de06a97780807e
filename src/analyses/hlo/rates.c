#include "analyses/hlo/rates.h"

#include "analyses/hlo/perf.h"
#include "analyses/rates.h"

#define PS_PER_NS 1000

/* Operations of the job while they are added up. */
struct total {
    struct az_hlo *h;
    struct az_hlo_rates *out;
    double most;                  /* FLOPs of the operation that has most */
    const struct az_plane *plane; /* that `limits` are of; NULL: of none */
    struct az_peaks limits;
    bool limited; /* limits are known */
};

static void put_peak(struct total *t, const struct az_plane *plane, struct az_sv prec, double flops)
{
    const struct az_device_facts facts = az_plane_device(plane);
    const struct az_sv nothing = { "", 0 };
    struct az_peaks peaks;
    struct az_roofline r;
    bool found = false;
    if (!(flops > t->most))
        return;
    t->most = flops;
    t->out->peak = NAN;
    t->out->precision = prec;
    if (az_job_peaks(t->h->job, &facts, &peaks, &found) != 0 || !found)
        return;
    az_roofline(&peaks, "matrix", prec, nothing, false, flops, 1, &r);
    t->out->peak = r.tflops * 1e12;
}

/* n executions of equal work that took so many picoseconds in all. */
static void add_work(struct total *t, const struct az_plane *plane, struct az_sv prec, double flops,
                     uint64_t n, int64_t ticks)
{
    struct az_hlo_rates *out = t->out;
    out->rated += ticks / PS_PER_NS;
    if (!(flops > 0))
        return;
    out->flops = (isnan(out->flops) ? 0 : out->flops) + flops * (double)n;
    put_peak(t, plane, prec, flops * (double)n);
}

static void check(struct total *t, const struct az_plane *plane, const struct az_rate *rate,
                  uint64_t n)
{
    if (t->plane != plane) {
        const struct az_device_facts facts = az_plane_device(plane);
        t->plane = plane;
        t->limited = az_job_limits(t->h->job, &facts, &t->limits);
    }
    if (!t->limited)
        return;
    const enum az_rate_result r = az_rate_check(&t->limits, rate);
    t->out->of += r == AZ_RATE_UNKNOWN ? 0 : (int64_t)n;
    t->out->impossible += r == AZ_RATE_IMPOSSIBLE ? (int64_t)n : 0;
}

/* Operations of GPUs. What a fusion reads may be a part of its operands: only its FLOPs count. */
static int add_gpus(struct total *t, const struct az_span *window)
{
    struct az_hlo *h = t->h;
    struct az_hlo_works works;
    az_vec_init(&works, h->job->mem);
    const int rc = az_hlo_work(h, window, &works);
    for (size_t i = 0; rc == 0 && i < works.n; i++) {
        const struct az_hlo_work *w = &works.v[i];
        const uint32_t device = az_hlo_device_of(h, &w->first);
        if (!w->op || (w->flops < 0 && w->bytes < 0) || device == AZ_NO_ID ||
            az_hlo_is_comm(h, &w->first))
            continue;
        const struct az_rate rate = { .unit = w->flops > 0 ? "matrix" : "",
                                      .prec = az_hlo_precision(w),
                                      .flops = w->flops > 0 ? (double)w->flops : NAN,
                                      .bytes = w->op->kind == AZ_HLO_GEMM && w->bytes > 0
                                                   ? (double)w->bytes
                                                   : NAN,
                                      .us = az_hlo_work_us(w) };
        const struct az_plane *p = &h->tr[w->first.trace].x->planes.v[h->devices.v[device].plane];
        add_work(t, p, rate.prec, rate.flops, w->executions, w->ticks);
        check(t, p, &rate, w->executions);
    }
    az_vec_release(&works);
    return rc;
}

/* An operation of a TPU core. Its bytes may be of memories on the chip. The profile states the peak
 * of bf16 alone; narrower types are up to twice as fast, and the operation does not name its type.
 */
static void add_tpu_operation(struct total *t, size_t trace, size_t row)
{
    const struct az_hlo_event e = { trace, row, AZ_KERNEL };
    const struct az_xrow *x = az_hlo_row(t->h, &e);
    const uint32_t device = az_hlo_device_of(t->h, &e);
    const int64_t ticks = az_hlo_ticks(t->h, &e);
    if (device == AZ_NO_ID || t->h->devices.v[device].kind != AZ_PLANE_TPU || !x ||
        (x->flops < 0 && x->bytes < 0))
        return;
    const struct az_plane *p = &t->h->tr[trace].x->planes.v[t->h->devices.v[device].plane];
    const double flops = x->flops > 0 ? (double)x->flops : NAN;
    const struct az_rate rate = { .unit = "matrix",
                                  .prec = AZ_SV("bf16"),
                                  .flops = flops / 2,
                                  .bytes = NAN,
                                  .us = (double)ticks / (1e3 * PS_PER_NS) };
    add_work(t, p, rate.prec, flops, 1, ticks);
    check(t, p, &rate, 1);
}

int az_hlo_rates(struct az_job *job, const struct az_span *window, struct az_hlo_rates *out)
{
    struct az_hlo h;
    *out = (struct az_hlo_rates){ .flops = NAN, .peak = NAN };
    struct total t = { .h = &h, .out = out };
    int rc = az_hlo_init(&h, job);
    if (rc == 0)
        rc = add_gpus(&t, window);
    for (size_t k = 0; rc == 0 && k < h.n; k++)
        for (size_t i = 0; i < h.tr[k].t->ev[AZ_KERNEL].n; i++) {
            const struct az_hlo_event e = { k, i, AZ_KERNEL };
            const int64_t start = h.tr[k].t->ev[AZ_KERNEL].start[i];
            if (start < window->start || start >= window->end)
                continue;
            if (az_hlo_is_comm(&h, &e))
                continue;
            out->rateable += az_hlo_ticks(&h, &e) / PS_PER_NS;
            add_tpu_operation(&t, k, i);
        }
    return az_hlo_release(&h, rc);
}

/* ---- kernels of GPUs, by sets ---- */

/* Instruction of a set, as a row of the trace; AZ_NO_ROW: not known. */
static uint32_t instruction_of(const struct az_hlo *h, size_t trace, uint32_t kernel)
{
    const struct az_hlo_event e = { trace, kernel, AZ_KERNEL };
    const struct az_xrow *row = az_hlo_row(h, &e);
    return row ? row->hlo : AZ_NO_ROW;
}

/* Work of an instruction, and the time of all its kernels. */
static int list_works(const struct az_hlo *h, size_t trace, const struct az_hlo_works *works,
                      struct az_map *of)
{
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < works->n; i++) {
        const struct az_hlo_work *w = &works->v[i];
        const uint32_t hlo = w->first.trace == trace && w->op && w->ticks > 0
                                 ? instruction_of(h, trace, (uint32_t)w->first.row)
                                 : AZ_NO_ROW;
        uint32_t *at;
        bool added;
        if (hlo != AZ_NO_ROW)
            rc = az_map_put(of, hlo, 0, (uint32_t)i, &at, &added);
    }
    return rc;
}

static struct az_hlo_set_rate rate_of(const struct az_hlo_work *w)
{
    const double per_tick = (double)w->executions / (double)w->ticks;
    const bool moves = w->op->kind != AZ_HLO_OTHER && w->op->kind != AZ_HLO_GEMM_FUSION;
    return (struct az_hlo_set_rate){ .flops = w->flops > 0 ? (double)w->flops * per_tick : NAN,
                                     .bytes = moves && w->bytes > 0 ? (double)w->bytes * per_tick
                                                                    : NAN };
}

static int fill_rates(struct az_hlo *h, size_t trace, struct az_hlo_set_rates *out)
{
    struct az_hlo_works works;
    struct az_map of;
    const struct az_hlo_sets *sets;
    az_vec_init(&works, h->job->mem);
    az_map_init(&of, h->job->mem, 0);
    int rc = az_hlo_work(h, NULL, &works);
    if (rc == 0)
        rc = list_works(h, trace, &works, &of);
    sets = h->tr[trace].same_kernels;
    if (rc == 0) {
        out->n = sets->n;
        out->of = sets->of;
        out->v = az_mem_alloc(h->job->mem, (sets->n + 1) * sizeof *out->v);
        rc = out->v ? AZ_OK : az_mem_error(h->job->mem);
    }
    for (size_t i = 0; rc == 0 && i < sets->n; i++) {
        const uint32_t hlo =
            sets->v[i].gpu ? instruction_of(h, trace, sets->v[i].first) : AZ_NO_ROW;
        const uint32_t at = hlo != AZ_NO_ROW ? az_map_get(&of, hlo, 0) : AZ_NO_ID;
        out->v[i] = at != AZ_NO_ID ? rate_of(&works.v[at]) : (struct az_hlo_set_rate){ NAN, NAN };
    }
    az_map_release(&of);
    az_vec_release(&works);
    return rc;
}

int az_hlo_set_rates(struct az_job *job, size_t trace, struct az_hlo_set_rates *out)
{
    struct az_hlo h;
    *out = (struct az_hlo_set_rates){ .mem = job->mem };
    int rc = az_hlo_init(&h, job);
    if (rc == 0 && az_hlo_has(&h, AZ_PLANE_GPU))
        rc = fill_rates(&h, trace, out);
    rc = az_hlo_release(&h, rc);
    if (rc)
        az_hlo_set_rates_release(out);
    return rc;
}

void az_hlo_set_rates_release(struct az_hlo_set_rates *r)
{
    az_mem_free(r->mem, r->v, (r->n + 1) * sizeof *r->v);
    r->v = NULL;
}
