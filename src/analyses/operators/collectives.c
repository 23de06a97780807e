/* coll_analysis: collectives by process group, kind and size (docs/formulas-pytorch.md 10.3). */
#include "classify/collectives.h"
#include "analyses/operators/framework.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "facts/groups.h"

static const struct az_coll_args nothing = { AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, -1,       -1 };

/* Which collective a kernel is by its name; empty: unknown. */
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

struct coll_row { /* texts are ids, AZ_NO_ID: none */
    const struct az_framework *fw;
    const struct az_coll_args *args;
    struct az_sv group, name;
    int64_t rank, stream;
    struct az_stats length; /* ticks */
    double us;              /* ticks per us */
};

/* INT64_MIN: an empty cell. */
static int64_t number_of(const struct az_framework *fw, uint32_t id)
{
    int64_t v;
    return id != AZ_NO_ID && az_parse_i64(az_trace_text(fw->trace, id), &v) == 0 ? v : INT64_MIN;
}

static double megabytes(const struct coll_row *r, uint32_t nelems)
{
    const int64_t n = number_of(r->fw, nelems),
                  bytes = r->args->dtype == AZ_NO_ID
                              ? 0
                              : az_coll_dtype_bytes(az_trace_text(r->fw->trace, r->args->dtype));
    return bytes && n != INT64_MIN ? (double)n * (double)bytes / (1024.0 * 1024.0) : NAN;
}

#define ROW struct coll_row
#define ROW_TEXT(name, field)                                                                      \
    AZ_TEXT_OF_RECORD(name, ROW, az_framework_text(r->fw, r->args->field, ""))
#define ROW_COUNT(name, field) AZ_OF_RECORD(int64_t, name, ROW, number_of(r->fw, r->args->field))
#define ROW_REAL(name, value)  AZ_OF_RECORD(double, name, ROW, value)
ROW_TEXT(ranks_of, pg_ranks)
ROW_TEXT(dtype_of, dtype)
ROW_TEXT(in_split_of, in_split)
ROW_TEXT(out_split_of, out_split)
ROW_COUNT(size_of, group_size)
ROW_COUNT(in_of, in_nelems)
ROW_COUNT(out_of, out_nelems)
ROW_REAL(in_megabytes, megabytes(r, r->args->in_nelems))
ROW_REAL(out_megabytes, megabytes(r, r->args->out_nelems))
ROW_REAL(length_sum, (double)r->length.sum / r->us)
ROW_REAL(length_mean, r->length.mean / r->us)
ROW_REAL(length_std, r->length.std / r->us)
ROW_REAL(length_min, (double)r->length.min / r->us)
ROW_REAL(length_max, (double)r->length.max / r->us)

/* Sorted by the sum; ties by the keys that differ most often. */
static const struct az_record_column coll_analysis_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, group), .sort = 3 },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = ranks_of, .known = true,
      .sort = 4 },
    { "Collective name", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN(ROW, name), .sort = 2 },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KEY, .integer = size_of },
    { "dtype", AZ_TEXT, .flags = AZ_KEY, .text = dtype_of, .known = true, .sort = 7 },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL, .integer = in_of, .sort = 5 },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL, .integer = out_of, .sort = 6 },
    { "In split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = in_split_of, .known = true,
      .sort = 8 },
    { "Out split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = out_split_of, .known = true,
      .sort = 9 },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL, AZ_FIELD(ROW, stream), .sort = 10 },
    { "In msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, .real = in_megabytes },
    { "Out msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = out_megabytes },
    { "dur_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = length_sum, .sort = -1 },
    { "dur_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = length_mean },
    { "dur_std", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = length_std },
    { "dur_min", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = length_min },
    { "dur_max", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = length_max },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, length.n) },
};

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

static struct coll_row row_of(const struct az_framework *fw, uint32_t kernel, struct az_sv no_group)
{
    const struct az_events *ev = &fw->trace->ev[AZ_KERNEL];
    const struct az_coll_args *a =
        ev->side[kernel] == AZ_NO_ROW ? &nothing : &fw->ops->colls.v[ev->side[kernel]];
    return (struct coll_row){ .fw = fw,
                              .args = a,
                              .group = az_framework_text(fw, a->pg_name, no_group.p),
                              .name = a->name == AZ_NO_ID ? by_name(fw, ev->name[kernel])
                                                          : az_trace_text(fw->trace, a->name),
                              .rank = fw->trace->rank < 0 ? 0 : fw->trace->rank,
                              .stream = az_lane_stream(fw->trace, ev->lane[kernel]),
                              .us = 1e3 * (double)fw->trace->ticks_per_ns };
}

static int put_collectives_rows(struct az_job *job, struct az_framework *fw, struct az_table *t)
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
        struct coll_row r = row_of(fw, w.kernel[az_groups_first(&g, k)], no_group);
        az_groups_stats(&g, k, w.length, &r.length);
        az_put_row(t, &r);
    }
    az_groups_release(&g);
    az_arena_release(&a);
    return rc;
}

static int run_collectives(struct az_job *job)
{
    int rc;
    struct az_framework *fw = az_framework_get(job, &rc);
    if (!fw || job->opts->disable_coll_analysis)
        return rc;
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "coll_analysis", "Collectives",
                                         AZ_TABLE_SUMMARY, coll_analysis_columns);
    rc = put_collectives_rows(job, fw, t);
    if (rc == 0)
        rc = az_record_sort(t);
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_fw_coll = {
    .name = "coll_analysis",
    .help = "collectives by process group, kind, type and size",
    .needs = AZ_CAP_CALLTREE,
    .run = run_collectives,
};
