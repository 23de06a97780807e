/* coll_analysis: collectives by process group, kind and size (docs/formulas-pytorch.md 10.3). */
#include "classify/collectives.h"
#include "analyses/collectives/columns.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "facts/groups.h"

static const struct az_coll_args nothing = { AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, -1,       -1 };

/* Which collective a kernel is by its name; empty: it does not say. */
static struct az_sv by_name(const struct az_framework *fw, uint32_t kernel)
{
    return az_coll_of_class(az_trace_class(fw->trace, kernel)->name);
}

struct work {
    struct az_framework *fw;
    uint32_t *kernel; /* communication kernels */
    int64_t *length;  /* of each */
    size_t n;
};

static int list_kernels(struct work *w, struct az_arena *a)
{
    const struct az_events *ev = &w->fw->trace->ev[AZ_KERNEL];
    w->kernel = az_arena_array(a, ev->n + 1, sizeof *w->kernel);
    w->length = az_arena_array(a, ev->n + 1, sizeof *w->length);
    if (!w->kernel || !w->length)
        return az_arena_error(a);
    for (uint32_t g = 0; g < w->fw->tree->n_gpu; g++) {
        const uint32_t i = w->fw->tree->gpu_row[g];
        if (w->fw->tree->gpu_kind[g] != AZ_KERNEL || !az_framework_is_comm(w->fw, g))
            continue;
        w->kernel[w->n] = i;
        w->length[w->n++] = ev->end[i] - ev->start[i];
    }
    return 0;
}

/* All that is shown of a kernel but the duration. */
static int key_of(void *ctx, size_t at, uint64_t key[2])
{
    const struct work *w = ctx;
    const struct az_events *ev = &w->fw->trace->ev[AZ_KERNEL];
    const uint32_t i = w->kernel[at];
    struct az_coll_args a = ev->side[i] == AZ_NO_ROW ? nothing : w->fw->ops->colls.v[ev->side[i]];
    struct az_sv inferred = a.name == AZ_NO_ID ? by_name(w->fw, ev->name[i]) : AZ_SV("");
    uint32_t all[] = { a.name,     a.in_nelems, a.out_nelems, a.group_size, a.dtype,
                       a.in_split, a.out_split, a.pg_name,    a.pg_ranks };
    key[0] = az_hash(all, sizeof all) ^ az_hash(inferred.p, inferred.n);
    key[1] = (uint64_t)az_lane_stream(w->fw->trace, ev->lane[i]);
    return 1;
}

static bool number_of(const struct az_framework *fw, uint32_t id, int64_t *out)
{
    return id != AZ_NO_ID && az_parse_i64(az_trace_text(fw->trace, id), out) == 0;
}

static void put_number(const struct az_framework *fw, struct az_table *t, uint32_t id)
{
    int64_t v;
    if (number_of(fw, id, &v))
        az_put_i64(t, v);
    else
        az_put_empty(t);
}

static void put_megabytes(const struct az_framework *fw, struct az_table *t, uint32_t nelems,
                          uint32_t dtype)
{
    int64_t n, bytes = dtype == AZ_NO_ID ? 0 : az_coll_dtype_bytes(az_trace_text(fw->trace, dtype));
    if (bytes && number_of(fw, nelems, &n))
        az_put_f64(t, (double)n * (double)bytes / (1024.0 * 1024.0));
    else
        az_put_empty(t);
}

/* Missing group names: `all` if no kernel of the file has one and they share one stream, else
 * `Unknown_Group`. */
static struct az_sv default_group(const struct work *w, const struct az_groups *g)
{
    const struct az_events *ev = &w->fw->trace->ev[AZ_KERNEL];
    for (size_t k = 0; k < g->groups; k++) {
        const uint32_t i = w->kernel[az_groups_first(g, k)], side = ev->side[i];
        if ((side != AZ_NO_ROW && w->fw->ops->colls.v[side].pg_name != AZ_NO_ID) ||
            ev->lane[i] != ev->lane[w->kernel[0]])
            return AZ_SV("Unknown_Group");
    }
    return AZ_SV("all");
}

static void put_row(struct az_framework *fw, struct az_table *t, uint32_t kernel,
                    struct az_sv no_group, const struct az_stats *s)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    const struct az_coll_args *a =
        ev->side[kernel] == AZ_NO_ROW ? &nothing : &fw->ops->colls.v[ev->side[kernel]];
    struct az_sv inferred = by_name(fw, ev->name[kernel]);
    double us = 1e3 * (double)fw->trace->ticks_per_ns;
    az_put_i64(t, fw->trace->rank < 0 ? 0 : fw->trace->rank);
    az_put_text(t, az_framework_text(fw, a->pg_name, no_group.p));
    az_framework_put_id(fw, t, a->pg_ranks);
    if (a->name == AZ_NO_ID && inferred.n)
        az_put_text(t, inferred);
    else
        az_framework_put_id(fw, t, a->name);
    put_number(fw, t, a->group_size);
    az_framework_put_id(fw, t, a->dtype);
    put_number(fw, t, a->in_nelems);
    put_number(fw, t, a->out_nelems);
    az_framework_put_id(fw, t, a->in_split);
    az_framework_put_id(fw, t, a->out_split);
    az_put_i64(t, az_lane_stream(fw->trace, ev->lane[kernel]));
    put_megabytes(fw, t, a->in_nelems, a->dtype);
    put_megabytes(fw, t, a->out_nelems, a->dtype);
    az_put_f64(t, (double)s->sum / us);
    az_put_f64(t, s->mean / us);
    az_put_f64(t, s->std / us);
    az_put_f64(t, (double)s->min / us);
    az_put_f64(t, (double)s->max / us);
    az_put_i64(t, (int64_t)s->n);
}

static int rows(struct az_job *job, struct az_framework *fw, struct az_table *t)
{
    struct work w = { .fw = fw };
    struct az_groups g = { 0 };
    struct az_arena a;
    az_arena_init(&a, job->mem);
    int rc = list_kernels(&w, &a);
    if (rc == 0)
        rc = az_groups_by(&g, w.n, key_of, &w, job->mem);
    const struct az_sv no_group = rc == 0 ? default_group(&w, &g) : AZ_SV("");
    for (size_t k = 0; rc == 0 && k < g.groups; k++) {
        struct az_stats s;
        az_groups_stats(&g, k, w.length, &s);
        put_row(fw, t, w.kernel[az_groups_first(&g, k)], no_group, &s);
    }
    az_groups_release(&g);
    az_arena_release(&a);
    return rc;
}

static int run(struct az_job *job)
{
    int rc;
    struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw || job->opts->disable_coll_analysis)
        return rc;
    struct az_table *t =
        az_coll_sum_table(job->arena, "coll_analysis", "Collectives", AZ_TABLE_SUMMARY, true, true);
    rc = rows(job, fw, t);
    int sum = (int)az_table_find(t, "dur_sum");
    if (rc == 0) /* ties by the keys that differ most often */
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), 3, 1, 2, 6, 7, 5, 8, 9, 10 }, 10);
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_fw_coll = {
    .name = "coll_analysis",
    .help = "collectives by process group, kind, type and size",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
