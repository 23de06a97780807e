/* FLOPs and bytes by region: see the header. */
#include "analyses/regions/region_rates.h"

#include <math.h>

#include "analyses/hlo/rates.h"
#include "analyses/operators/unified.h"
#include "facts/account.h"
#include "facts/families.h"
#include "model/xtrace.h"

#define KNOWN 0.80 /* of the time of what computes, for a rate of a region */

void az_region_rates(const struct az_region_work *w, double ns, double *tflops, double *gbps)
{
    const double least = w ? KNOWN * (double)w->computing : 0;
    *tflops = *gbps = NAN;
    if (!w || !(ns > 0))
        return;
    if (w->flops > 0 && (double)w->rated >= least)
        *tflops = w->flops / ns / 1e3;
    if (w->bytes > 0 && (double)w->moved >= least)
        *gbps = w->bytes / ns;
}

struct rating {
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    const struct az_regions *r;
    struct az_region_work *work;
    bool any;
};

static void add_rates(struct rating *x, uint32_t region, double flops, double bytes, int64_t ticks)
{
    if (region == AZ_NO_ID || !(flops > 0 || bytes > 0))
        return;
    struct az_region_work *w = &x->work[region];
    w->flops += flops > 0 ? flops : 0;
    w->bytes += bytes > 0 ? bytes : 0;
    w->rated += ticks;
    w->moved += ticks;
    x->any = true;
}

/* ---- operators of a framework ---- */

/* Region of the first device event of a row; AZ_NO_ID. */
static uint32_t region_of(const struct rating *x, const struct az_calltree *c,
                          const struct az_unified_row *row)
{
    uint32_t gpu = az_unified_gpu(row), first, end;
    if (gpu == AZ_NO_ROW) {
        az_node_gpu(c, row->node, &first, &end);
        gpu = first < end ? c->linked[first] : AZ_NO_ROW;
    }
    const uint32_t *of = gpu == AZ_NO_ROW ? NULL : x->r->of[c->gpu_kind[gpu]];
    return of ? of[c->gpu_row[gpu]] : AZ_NO_ID;
}

struct known_work {
    double flops, bytes;
};
AZ_VEC(struct known_work, known_works);

static int add_rows(struct rating *x, struct az_framework *fw, const struct az_unified *u,
                    struct az_framework_metrics *metrics, struct known_works *known)
{
    struct az_unified_recent *recent = az_unified_recent_new(x->job->mem);
    struct az_unified_keys keys;
    int rc = recent ? az_unified_keys_get(&keys, metrics, u) : az_mem_error(x->job->mem);
    for (size_t i = 0; rc == 0 && i < u->rows.n; i++) {
        const struct az_unified_row *row = &u->rows.v[i];
        struct az_unified_recent *at;
        struct az_framework_estimate e;
        bool seen;
        rc = az_unified_recall(&keys, recent, u, i, &at, &seen);
        if (rc == 0 && !seen) {
            rc = az_unified_estimate(metrics, u, i, &e);
            at->at = (uint32_t)known->n;
            if (rc == 0)
                rc = az_vec_push(known, ((struct known_work){ e.flops, e.bytes }));
        }
        if (rc == 0)
            add_rates(x, region_of(x, fw->tree, row), known->v[at->at].flops,
                      known->v[at->at].bytes, az_unified_time(u, row));
    }
    az_unified_recent_free(recent, x->job->mem);
    return rc;
}

static int add_operators(struct rating *x)
{
    struct known_works known;
    int rc;
    struct az_framework *fw = az_framework_get(x->job, &rc);
    if (!fw || !fw->ops->has_ops || fw->launchers->rows.n == 0)
        return rc;
    const struct az_unified *u = az_unified_of(x->job, fw, &rc);
    struct az_framework_metrics *metrics = u ? az_framework_metrics_get(x->job, fw, &rc) : NULL;
    if (!metrics)
        return rc;
    az_vec_init(&known, x->job->mem);
    rc = add_rows(x, fw, u, metrics, &known);
    az_vec_release(&known);
    return rc;
}

/* ---- operations of compiled programs ---- */

static int add_programs(struct rating *x)
{
    const struct az_events *e = &x->t->ev[AZ_KERNEL];
    const uint32_t *of = x->r->of[AZ_KERNEL];
    int rc;
    const int64_t *self = az_job_self_ticks(x->job, x->trace, &rc);
    for (size_t i = 0; self && of && e->node && i < e->n; i++) {
        const struct az_xrow *row = e->node[i] ? &az_xtrace(x->t)->rows.v[e->node[i] - 1] : NULL;
        if (row)
            add_rates(x, of[i], (double)row->flops, (double)row->bytes, self[i]);
    }
    return rc;
}

/* Kernels of GPUs: by the instruction that they belong to. A fusion has no bytes, and what is no
 * product has no FLOPs. */
static int add_instructions(struct rating *x)
{
    const struct az_events *e = &x->t->ev[AZ_KERNEL];
    const uint32_t *of = x->r->of[AZ_KERNEL];
    struct az_hlo_set_rates rates;
    const int rc = az_hlo_set_rates(x->job, x->trace, &rates);
    for (size_t i = 0; rc == 0 && rates.v && of && i < e->n; i++) {
        const struct az_hlo_set_rate *r = &rates.v[rates.of[i]];
        const int64_t ticks = e->end[i] - e->start[i];
        if (of[i] == AZ_NO_ID)
            continue;
        struct az_region_work *w = &x->work[of[i]];
        w->flops += r->flops > 0 ? r->flops * (double)ticks : 0;
        w->bytes += r->bytes > 0 ? r->bytes * (double)ticks : 0;
        w->rated += r->flops > 0 ? ticks : 0;
        w->moved += r->bytes > 0 ? ticks : 0;
        x->any |= r->flops > 0 || r->bytes > 0;
    }
    if (rc == 0)
        az_hlo_set_rates_release(&rates);
    return rc;
}

/* ---- all ---- */

static int add_computing(struct rating *x)
{
    const struct az_events *e = &x->t->ev[AZ_KERNEL];
    const uint32_t *of = x->r->of[AZ_KERNEL];
    int rc = AZ_OK;
    const int64_t *self =
        x->t->caps & AZ_CAP_PROGRAMS ? az_job_self_ticks(x->job, x->trace, &rc) : NULL;
    for (size_t i = 0; rc == 0 && of && i < e->n; i++)
        if (of[i] != AZ_NO_ID &&
            az_part_of(x->job, x->trace, AZ_KERNEL, e->name[i]) == AZ_PART_COMPUTE)
            x->work[of[i]].computing += self ? self[i] : e->end[i] - e->start[i];
    return rc;
}

/* Children come after their parents. */
static void sum_up(struct rating *x)
{
    for (size_t i = x->r->n; i-- > 0;) {
        const uint32_t parent = x->r->v[i].parent;
        if (parent == AZ_NO_ID)
            continue;
        x->work[parent].flops += x->work[i].flops;
        x->work[parent].bytes += x->work[i].bytes;
        x->work[parent].rated += x->work[i].rated;
        x->work[parent].moved += x->work[i].moved;
        x->work[parent].computing += x->work[i].computing;
    }
}

int az_regions_work(struct az_job *job, size_t trace, const struct az_regions *r,
                    struct az_region_work **work)
{
    const struct az_trace *t = job->traces[trace];
    const size_t bytes = (r->n + 1) * sizeof **work;
    struct rating x = { .job = job, .trace = trace, .t = t, .r = r };
    *work = NULL;
    x.work = az_mem_alloc(job->mem, bytes);
    if (!x.work)
        return az_mem_error(job->mem);
    memset(x.work, 0, bytes);
    int rc = AZ_OK;
    if (t->caps & AZ_CAP_CALLTREE && job->n_traces == 1)
        rc = add_operators(&x);
    else if (t->caps & AZ_CAP_PROGRAMS)
        rc = add_programs(&x);
    if (rc == 0 && t->caps & AZ_CAP_PROGRAMS)
        rc = add_instructions(&x);
    if (rc == 0 && x.any)
        rc = add_computing(&x);
    if (rc || !x.any) {
        az_mem_free(job->mem, x.work, bytes);
        return rc;
    }
    sum_up(&x);
    *work = x.work;
    return AZ_OK;
}
