/* Values of the classic block. The order of every operation on doubles is the reference's: another
 * order can flip the last digit printed. */
#include "compat/nsys/classic.h"

#include <math.h>

#include "analyses/registry_list.h"
#include "base/num.h"
#include "facts/steps.h"

static void add_time(struct az_classic_row *r, const struct az_classic *c, double time,
                     int64_t count)
{
    r->per_iter += time / c->divisor * c->scale;
    r->total += time * c->scale;
    if (count == INT64_MIN)
        return;
    int64_t d = (int64_t)c->divisor;
    int64_t each = count / d - (count % d < 0); /* per row, rounded down */
    r->inst_per_iter = az_add_sat(r->inst_per_iter, each);
    r->instances = az_add_sat(r->instances, count);
}

/* Row of that name, added after the others if new. Few rows: collectives, copy kinds. */
static int row_named(struct az_classic_rows *rows, struct az_sv name, struct az_arena *arena,
                     struct az_classic_row **out)
{
    for (size_t i = 0; i < rows->n; i++) {
        *out = &rows->v[i];
        if (az_sv_eq(rows->v[i].name, name))
            return 0;
    }
    const struct az_sv kept = az_arena_dup(arena, name);
    int rc = kept.p ? az_vec_push(rows, ((struct az_classic_row){ .name = kept }))
                    : az_arena_error(arena);
    *out = rc == 0 ? &rows->v[rows->n - 1] : NULL;
    return rc;
}

static int kernels(struct az_job *job, struct az_classic *c)
{
    struct az_name_sums sums;
    struct az_classic_row *row;
    struct az_classic_row *of_class = NULL;
    int rc = az_job_kernels(job, &sums);
    for (size_t i = 0; rc == 0 && i < job->classes->names.n; i++) {
        struct az_classic_row r = { .name = az_arena_dup(job->arena, job->classes->names.v[i]) };
        rc = r.name.p ? az_vec_push(&c->classes, r) : az_arena_error(job->arena);
    }
    if (rc != 0)
        return rc;
    of_class = c->classes.v;
    for (size_t i = 0; i < sums.n; i++) {
        struct az_name_sum room;
        const struct az_name_sum *s = az_name_sum_at(&sums, i, &room);
        uint32_t class = az_job_class(job, s->name);
        add_time(&of_class[class], c, s->raw, s->count);
        if (class != job->classes->nccl)
            continue;
        struct az_sv op =
            az_nccl_operation(az_job_text(job, s->name), job->opts->nccl_compat_names);
        rc = row_named(&c->nccl, op, job->arena, &row);
        if (rc != 0)
            return rc;
        add_time(row, c, s->raw, s->count);
    }
    return 0;
}

/* NCCL leaves the list of classes; the rest is added up in table order. */
static void totals(struct az_job *job, struct az_classic *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->classes.n; i++) {
        if (i == job->classes->nccl) {
            c->nccl_sum = c->classes.v[i];
            continue;
        }
        c->classes.v[n] = c->classes.v[i];
        c->kernels.per_iter += c->classes.v[n].per_iter;
        c->kernels.inst_per_iter =
            az_add_sat(c->kernels.inst_per_iter, c->classes.v[n].inst_per_iter);
        c->kernels.total += c->classes.v[n].total;
        c->kernels.instances = az_add_sat(c->kernels.instances, c->classes.v[n].instances);
        n++;
    }
    c->classes.n = n;
    for (size_t i = 0; i < n; i++) {
        struct az_classic_row *r = &c->classes.v[i];
        r->per_iter_percent = az_percent(r->per_iter, c->kernels.per_iter);
        r->total_percent = az_percent(r->total, c->kernels.total);
    }
}

static int memops(struct az_job *job, struct az_classic *c)
{
    struct az_name_sums sums;
    struct az_classic_row *row;
    int rc = az_job_memops(job, &sums);
    for (size_t i = 0; rc == 0 && i < sums.n; i++) {
        struct az_name_sum room;
        const struct az_name_sum *s = az_name_sum_at(&sums, i, &room);
        rc = row_named(&c->memops, az_job_text(job, s->name), job->arena, &row);
        if (rc == 0)
            add_time(row, c, s->raw, s->count);
    }
    return rc;
}

static int ranges(struct az_job *job, struct az_classic *c)
{
    struct az_job_tag tag;
    int rc = az_job_tag(job, &tag);
    if (rc != 0)
        return rc;
    c->has_nvtx = c->has_nvtx && tag.given;
    if (!c->has_nvtx)
        return 0;
    c->nvtx_count = tag.count;
    if (tag.count == 0)
        return 0;
    c->nvtx_total = (double)tag.duration * c->scale;
    c->nvtx_avg = c->nvtx_total / (double)tag.count;
    c->hidden_avg = c->nvtx_avg - c->kernels.per_iter;
    c->hidden_avg_pct = az_percent(c->hidden_avg, c->nvtx_avg);
    c->hidden_total = c->nvtx_total - c->kernels.total;
    c->hidden_total_pct = az_percent(c->hidden_total, c->nvtx_total);
    return 0;
}

/* Iterations: the option, else the steps that were found in the profile. */
static int find_iterations(struct az_job *job, struct az_classic *c)
{
    int rc = 0;
    c->iters_known = c->iters_given;
    if (c->iters_given)
        return 0;
    const struct az_steps *s = az_job_steps(job, 0, &rc);
    if (!s || s->n == 0)
        return rc;
    c->iters_known = true;
    c->iters = (int64_t)s->n;
    return 0;
}

static int compute(struct az_job *job, struct az_classic *c)
{
    const struct az_options *o = job->opts;
    *c = (struct az_classic){ .iters = o->iters > 0 ? o->iters : 1,
                              .gpus = o->gpus > 0 ? o->gpus : 1,
                              .iters_given = o->iters > 0,
                              .scale = o->time_scale_given ? o->time_scale_to_ms : 1 / 1000000.0 };
    az_vec_init(&c->classes, job->mem);
    az_vec_init(&c->nccl, job->mem);
    az_vec_init(&c->memops, job->mem);
    int rc = find_iterations(job, c);
    c->divisor = (double)c->iters * (double)c->gpus;
    for (size_t i = 0; i < job->n_traces; i++) {
        c->has_mem = c->has_mem || job->traces[i]->has_mem;
        c->has_nvtx = c->has_nvtx || job->traces[i]->has_nvtx;
    }
    if (rc == 0)
        rc = kernels(job, c);
    if (rc != 0)
        return rc;
    totals(job, c);
    if (c->has_mem)
        rc = memops(job, c);
    return rc == 0 ? ranges(job, c) : rc;
}

static void classic_release(struct az_classic *c)
{
    az_vec_release(&c->classes);
    az_vec_release(&c->nccl);
    az_vec_release(&c->memops);
}

static int make_classic(struct az_job *job)
{
    struct az_classic c;
    int rc = compute(job, &c);
    if (rc == 0)
        rc = az_classic_emit(job, &c);
    if (rc == 0 && !c.iters_given)
        az_cover(job, "iterations assumed", c.iters_known ? (double)c.iters : NAN, "",
                 c.iters_known
                     ? AZ_SV("num_of_iters not set: values per iteration are per step found")
                     : AZ_SV("num_of_iters not set, no steps found: no values per iteration"));
    classic_release(&c);
    return rc;
}

const struct az_analysis az_analysis_classic = {
    .name = "classic",
    .help = "kernel time by class, NCCL by collective, memory operations, iteration ranges",
    .needs = AZ_CAP_CLASSIC,
    .any = AZ_CAP_KERNEL_SUMS | AZ_CAP_MEM,
    .run = make_classic,
};
