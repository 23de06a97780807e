/* Kernels by the host range that launched them: every range of the launching thread that holds the
 * call, so a kernel counts in each enclosing range (docs/formats-nsight.md 3.4). Worked off one
 * (range name, thread, style) at a time, so that memory follows the kernels of one such group, not
 * kernels times depth. */
#include "analyses/kernels/range_kernels.h"
#include "analyses/registry_list.h"
#include "document/record.h"
#include "facts/groups.h"
#include "facts/lazy_cache.h"

/* Where the ranges of a group hold more launches than this, each counted for every range around it,
 * the launches are counted once, with the number of ranges around each (nested_kernels.c). */
#define FEW_VISITS 1000000u

struct sum_row {
    struct az_sv range, style, kernel;
    const struct az_lane *lane;
    int64_t ranges, rank;
    struct az_stats s; /* ns; std: 0 for one */
};
#define ROW struct sum_row
static const struct az_record_column columns[] = {
    { "NVTX Range", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, range) },
    { "Style", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, style) },
    { "PID", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, lane, pid) },
    { "TID", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, lane, tid) },
    { "NVTX Inst", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, ranges) },
    { "Kern Inst", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, s.n) },
    { "Total Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, s.sum) },
    { "Avg (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(ROW, s.mean) },
    { "Med (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, s.median) },
    { "Min (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, s.min) },
    { "Max (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, s.max) },
    { "StdDev (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL, AZ_FIELD(ROW, s.std) },
    { "Kernel Name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, kernel) },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

static struct az_table *new_table(struct az_job *job)
{
    return AZ_RECORD_TABLE_OF(job->arena, "nvtx_kern_sum", "Kernels by launching range", 0, columns,
                              job);
}

int az_range_kernel_place(struct az_range_kernels *w, uint32_t name)
{
    if (w->slot.v[name] != AZ_NO_ID)
        return 0;
    w->slot.v[name] = (uint32_t)w->uses.n;
    return az_vec_push(&w->uses, ((struct az_kernel_use){ .name = name, .last_range = AZ_NO_ROW }));
}

static int use_kernel(struct az_range_kernels *w, uint32_t row, uint32_t range)
{
    const struct az_events *k = &w->t->ev[AZ_KERNEL];
    const uint32_t name = k->name[row];
    if (name >= w->t->names.text.n)
        return 0;
    int rc = az_range_kernel_place(w, name);
    az_vec_add(&w->group, w->slot.v[name]);
    az_vec_add(&w->duration, az_ns(w->t, k->end[row] - k->start[row]));
    if (rc || w->group.failed || w->duration.failed)
        return rc ? rc : az_mem_error(w->group.mem);
    struct az_kernel_use *u = &w->uses.v[w->slot.v[name]];
    u->instances += u->last_range != range;
    u->last_range = range;
    return 0;
}

static int use_range(struct az_range_kernels *w, uint32_t range)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE], *calls = &w->t->ev[AZ_CALL];
    size_t stop;
    for (size_t i = az_launch_from(w->l, w->t, e->lane[range], e->start[range], &stop); i < stop;
         i++) {
        uint32_t call = w->l->call[i];
        if (calls->start[call] > e->end[range])
            break;
        if (calls->end[call] > e->end[range])
            continue;
        for (uint32_t k = w->l->op_first[i]; k < w->l->op_first[i + 1]; k++) {
            int rc = az_op_code(w->l->op[k]) == AZ_OP_KERNEL
                         ? use_kernel(w, az_op_row(w->l->op[k]), range)
                         : 0;
            if (rc != 0)
                return rc;
        }
    }
    return 0;
}

void az_range_kernel_row(struct az_range_kernels *w, uint32_t range, const struct az_kernel_use *u,
                         const struct az_stats *st)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    const struct az_range *side = az_range_side(w->t, range);
    struct sum_row r = {
        .range = az_job_text(w->job, az_job_name(w->job, w->trace, e->name[range])),
        .style = side && side->style == 1 ? AZ_SV("StartEnd") : AZ_SV("PushPop"),
        .kernel = az_job_text(w->job, az_job_name(w->job, w->trace, u->name)),
        .lane = &w->t->lanes.v[e->lane[range]],
        .ranges = u->instances,
        .rank = az_job_rank(w->job, w->trace),
        .s = *st,
    };
    r.s.std = st->n > 1 ? st->std : 0.0;
    az_put_row(w->out, &r);
}

static void put_values(struct az_range_kernels *w, uint32_t range, const struct az_kernel_use *u,
                       int64_t *v, size_t n)
{
    struct az_stats st;
    az_stats_i64(v, n, &st);
    az_range_kernel_row(w, range, u, &st);
}

static void clear_slots(struct az_range_kernels *w)
{
    for (size_t i = 0; i < w->uses.n; i++)
        w->slot.v[w->uses.v[i].name] = AZ_NO_ID;
}

/* All ranges of one name, thread and style. */
static int use_group(struct az_range_kernels *w, const uint32_t *item, size_t n)
{
    struct az_groups g = { 0 };
    uint64_t visits = 0;
    int rc = 0;
    az_vec_reset(&w->uses);
    az_vec_reset(&w->group);
    az_vec_reset(&w->duration);
    for (size_t i = 0; i < n; i++)
        visits += w->p->ops[w->p->order[item[i]]];
    if (visits > FEW_VISITS) {
        rc = az_nested_kernels(w, item, n);
        clear_slots(w);
        return rc;
    }
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = use_range(w, w->p->order[item[i]]);
    if (rc == 0)
        rc = az_groups_make(&g, w->group.v, w->group.n, w->uses.n, w->job->mem);
    for (size_t i = 0; rc == 0 && i < w->uses.n; i++)
        put_values(w, w->p->order[item[0]], &w->uses.v[i], g.value,
                   az_groups_gather(&g, i, w->duration.v));
    clear_slots(w);
    az_groups_release(&g);
    return rc;
}

/* Numbers the ranges that have operations by (name, thread, style). */
static int number_ranges(struct az_range_kernels *w, struct az_vec_u32 *group, size_t *groups)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE];
    struct az_map map;
    int rc = 0;
    az_map_init(&map, w->job->mem, 64);
    *groups = 0;
    for (size_t i = 0; rc == 0 && i < w->p->n; i++) {
        uint32_t row = w->p->order[i], *number;
        const struct az_range *side = az_range_side(w->t, row);
        bool added;
        rc = az_map_put(&map, (uint64_t)w->l->thread_of_lane[e->lane[row]] << 32 | e->name[row],
                        side && side->style == 1, (uint32_t)*groups, &number, &added);
        if (rc == 0)
            rc = az_vec_push(group, *number);
        *groups += rc == 0 && added;
    }
    az_map_release(&map);
    return rc;
}

static int use_trace(struct az_range_kernels *w)
{
    struct az_vec_u32 group;
    struct az_groups g = { 0 };
    size_t groups;
    int rc;
    w->t = w->job->traces[w->trace];
    if (!(w->t->caps & AZ_CAP_RANGES))
        return 0;
    w->p = az_job_projection(w->job, w->trace, &rc);
    if (!w->p)
        return rc;
    w->l = az_job_launches(w->job, w->trace, &rc);
    if (!w->l)
        return rc;
    az_vec_init(&group, w->job->mem);
    rc = number_ranges(w, &group, &groups);
    if (rc == 0)
        rc = az_groups_make(&g, group.v, group.n, groups, w->job->mem);
    for (size_t i = 0; rc == 0 && i < groups; i++)
        rc = use_group(w, g.item + g.first[i], g.first[i + 1] - g.first[i]);
    az_groups_release(&g);
    az_vec_release(&group);
    return rc;
}

static int run_range_kernels(struct az_job *job)
{
    static const int order[] = {
        -7, 0, 12, 2, 3, 1
    }; /* time falling, range, kernel, pid, tid, style */
    struct az_range_kernels w = { .job = job, .out = new_table(job) };
    int rc = w.out ? 0 : az_arena_error(job->arena);
    az_vec_init(&w.slot, job->mem);
    az_vec_init(&w.uses, job->mem);
    az_vec_init(&w.group, job->mem);
    az_vec_init(&w.duration, job->mem);
    if (rc == 0) /* a trace has no more names than the job */
        rc = az_vec_reserve(&w.slot, az_job_names(job) + 1);
    for (size_t i = 0; rc == 0 && i < az_job_names(job); i++)
        w.slot.v[w.slot.n++] = AZ_NO_ID;
    for (w.trace = 0; rc == 0 && w.trace < job->n_traces; w.trace++)
        rc = use_trace(&w);
    rc = az_job_emit(job, w.out, rc, order, 6);
    az_vec_release(&w.slot);
    az_vec_release(&w.uses);
    az_vec_release(&w.group);
    az_vec_release(&w.duration);
    return rc;
}

const struct az_analysis az_analysis_nvtx_kern_sum = {
    .name = "nvtx_kern_sum",
    .tables = { "nvtx_kern_sum" },
    .help = "kernels by launching host range",
    .needs = AZ_CAP_RANGES | AZ_CAP_LAUNCHES,
    .run = run_range_kernels,
};
