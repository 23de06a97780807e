/* coll_analysis: collectives by process group, kind and size (docs/formulas-pytorch.md 10.3). */
#include "classify/collectives.h"
#include "analyses/collectives/columns.h"
#include "analyses/list.h"
#include "analyses/ops/framework.h"
#include "base/num.h"
#include "facts/groups.h"

static const struct az_coll_args nothing = { AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, -1,       -1 };

/* Which collective a kernel is by its name; empty: it does not say. */
static struct az_sv by_name(const struct az_fw *fw, uint32_t kernel)
{
    return az_coll_of_class(az_trace_class(fw->trace, kernel)->name);
}

/* Groups communication kernels by all that is shown of them but the duration. Other kernels get
 * AZ_NO_ID. */
static int group(struct az_job *job, struct az_fw *fw, uint32_t *of, struct az_vec_u32 *first)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    struct az_map map;
    int rc = az_map_init(&map, job->mem, 64);
    for (size_t i = 0; i < ev->n; i++)
        of[i] = AZ_NO_ID;
    for (uint32_t x = 0; rc == 0 && x < fw->tree->n_gpu; x++) {
        uint32_t g = fw->order[x], i = fw->tree->gpu_row[g], *at;
        if (fw->tree->gpu_kind[g] != AZ_KERNEL || !az_fw_is_comm(fw, g))
            continue;
        struct az_coll_args a = ev->side[i] == AZ_NO_ROW ? nothing : fw->ops->colls.v[ev->side[i]];
        struct az_sv inferred = a.name == AZ_NO_ID ? by_name(fw, ev->name[i]) : AZ_SV("");
        uint32_t key[] = { a.name,     a.in_nelems, a.out_nelems, a.group_size, a.dtype,
                           a.in_split, a.out_split, a.pg_name,    a.pg_ranks };
        uint64_t k0 = az_hash(key, sizeof key) ^ az_hash(inferred.p, inferred.n);
        bool added;
        rc = az_map_put(&map, k0, (uint64_t)az_lane_stream(fw->trace, ev->lane[i]),
                        (uint32_t)first->n, &at, &added);
        if (rc == 0)
            of[i] = *at;
        if (rc == 0 && added)
            rc = az_vec_push(first, i);
    }
    az_map_release(&map);
    return rc;
}

static bool number_of(const struct az_fw *fw, uint32_t id, int64_t *out)
{
    return id != AZ_NO_ID && az_parse_i64(az_trace_text(fw->trace, id), out) == 0;
}

static void put_number(const struct az_fw *fw, struct az_table *t, uint32_t id)
{
    int64_t v;
    if (number_of(fw, id, &v))
        az_put_i64(t, v);
    else
        az_put_empty(t);
}

static void put_megabytes(const struct az_fw *fw, struct az_table *t, uint32_t nelems,
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
static struct az_sv default_group(const struct az_fw *fw, const uint32_t *first, size_t n)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    for (size_t i = 0; i < n; i++) {
        uint32_t side = ev->side[first[i]];
        if ((side != AZ_NO_ROW && fw->ops->colls.v[side].pg_name != AZ_NO_ID) ||
            ev->lane[first[i]] != ev->lane[first[0]])
            return AZ_SV("Unknown_Group");
    }
    return AZ_SV("all");
}

static void put_row(struct az_fw *fw, struct az_table *t, uint32_t kernel, struct az_sv no_group,
                    const struct az_stats *s)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    const struct az_coll_args *a =
        ev->side[kernel] == AZ_NO_ROW ? &nothing : &fw->ops->colls.v[ev->side[kernel]];
    struct az_sv inferred = by_name(fw, ev->name[kernel]);
    double us = 1e3 * (double)fw->trace->ticks_per_ns;
    az_put_i64(t, fw->trace->rank < 0 ? 0 : fw->trace->rank);
    az_put_text(t, az_fw_text(fw, a->pg_name, no_group.p));
    az_fw_put_id(fw, t, a->pg_ranks);
    if (a->name == AZ_NO_ID && inferred.n)
        az_put_text(t, inferred);
    else
        az_fw_put_id(fw, t, a->name);
    put_number(fw, t, a->group_size);
    az_fw_put_id(fw, t, a->dtype);
    put_number(fw, t, a->in_nelems);
    put_number(fw, t, a->out_nelems);
    az_fw_put_id(fw, t, a->in_split);
    az_fw_put_id(fw, t, a->out_split);
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

static int rows(struct az_job *job, struct az_fw *fw, struct az_table *t)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    struct az_groups g = { 0 };
    struct az_vec_u32 first;
    az_vec_init(&first, job->mem);
    uint32_t *of = az_arena_array(job->arena, ev->n + 1, sizeof *of);
    int64_t *length = az_arena_array(job->arena, ev->n + 1, sizeof *length);
    int rc = of && length ? group(job, fw, of, &first) : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < ev->n; i++)
        length[i] = ev->end[i] - ev->start[i];
    if (rc == 0)
        rc = az_groups_make(&g, of, ev->n, first.n, job->mem);
    struct az_sv no_group = rc == 0 && first.n ? default_group(fw, first.v, first.n) : AZ_SV("");
    for (size_t i = 0; rc == 0 && i < first.n; i++) {
        struct az_stats s;
        az_stats_i64(g.value, az_groups_take(&g, i, length), &s);
        put_row(fw, t, first.v[i], no_group, &s);
    }
    az_groups_release(&g);
    az_vec_release(&first);
    return rc;
}

static int run(struct az_job *job)
{
    int rc;
    struct az_fw *fw = az_fw_get(job, &rc);
    if (!fw || job->opts->disable_coll_analysis)
        return rc;
    struct az_table *t = az_table_new(job->arena, "coll_analysis", "Collectives", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(job->arena);
    az_coll_sum_columns(t, 0);
    rc = rows(job, fw, t);
    int sum = (int)az_table_find(t, "dur_sum");
    if (rc == 0) /* ties by the keys that differ most often */
        rc = az_table_sort(t, (int[]){ AZ_DOWN(sum), 3, 1, 2, 6, 7, 5, 8, 9, 10 }, 10);
    return az_fw_emit(job, t, rc);
}

const struct az_analysis az_analysis_fw_coll = {
    .name = "coll_analysis",
    .help = "collectives by process group, kind, type and size",
    .needs = AZ_CAP_CALLTREE,
    .run = run,
};
