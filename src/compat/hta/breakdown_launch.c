/* Launches of each rank: time of the call, of the work, and the delay between them
 * (docs/formulas-collectives.md 6). launch_delay = start of the work less the end of the call, at
 * least 0. */
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "document/record.h"
#include "facts/groups.h"

#include <math.h>

enum { CPU, GPU, DELAY, FIGURES };

struct call_part {
    struct az_sv name;
    enum az_hta_call class;
    struct az_hta_stats of[FIGURES];
    size_t short_kernels, runtime_outliers, delay_outliers;
};
struct detail {
    uint64_t correlation;
    int64_t of[FIGURES];
};
struct launch_part {
    struct call_part *v; /* by class, then name */
    size_t n;
    struct az_hta_stats all[FIGURES]; /* without graph launches, which are no kernel's call */
    struct detail *detail;            /* by start of the call; NULL unless requested */
    size_t n_details;
};

/* ---- reduce ---- */
struct launches { /* parallel columns */
    size_t n;
    int64_t *of[FIGURES];
    uint32_t *call, *group;
    uint32_t *group_of; /* name id -> group + 1 */
    uint32_t *name_of;  /* group -> name id */
    size_t groups;
};

static int alloc(struct az_job *job, const struct az_hta *b, struct launches *l)
{
    const size_t names = b->trace->names.text.n;
    *l = (struct launches){ .n = 0 };
    for (int k = 0; k < FIGURES; k++)
        if (!(l->of[k] = az_arena_array(job->arena, b->n + 1, sizeof **l->of)))
            return az_arena_error(job->arena);
    l->call = az_arena_array(job->arena, b->n + 1, sizeof *l->call);
    l->group = az_arena_array(job->arena, b->n + 1, sizeof *l->group);
    l->group_of = az_arena_array(job->arena, names + 1, sizeof *l->group_of);
    l->name_of = az_arena_array(job->arena, names + 1, sizeof *l->name_of);
    return l->call && l->group && l->group_of && l->name_of ? AZ_OK : az_arena_error(job->arena);
}

/* Every operation whose call enqueues; of a graph launch the first. */
static int gather(struct az_job *job, struct az_hta *b, struct launches *l)
{
    const struct az_events *calls = &b->trace->ev[AZ_CALL];
    uint8_t *graph_seen = az_arena_array(job->arena, calls->n + 1, 1);
    if (!graph_seen)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < b->n; i++) {
        const struct az_hta_op *op = &b->op[i];
        const enum az_hta_call class =
            op->call == AZ_NO_ROW ? AZ_HTA_NO_CALL : az_hta_call_of(b, op->call);
        if (!az_hta_enqueues(class) || (class == AZ_HTA_GRAPH && graph_seen[op->call]++))
            continue;
        graph_seen[op->call] = 1;
        const uint32_t name = calls->name[op->call];
        if (!l->group_of[name]) {
            l->name_of[l->groups++] = name;
            l->group_of[name] = (uint32_t)l->groups;
        }
        const int64_t delay = op->start - calls->end[op->call];
        l->of[CPU][l->n] = calls->end[op->call] - calls->start[op->call];
        l->of[GPU][l->n] = op->end - op->start;
        l->of[DELAY][l->n] = delay > 0 ? delay : 0;
        l->call[l->n] = op->call;
        l->group[l->n++] = l->group_of[name] - 1;
    }
    return AZ_OK;
}

static void flags(const struct az_hta *b, const struct launches *l, struct call_part *v)
{
    const double tick_us = 1e3 * (double)b->trace->ticks_per_ns;
    for (size_t i = 0; i < l->n; i++) {
        struct call_part *c = &v[l->group[i]];
        const bool outlier = (double)l->of[CPU][i] > b->opts->runtime_cutoff_us * tick_us;
        c->runtime_outliers += outlier;
        c->short_kernels += !outlier && l->of[GPU][i] < l->of[CPU][i];
        c->delay_outliers += (double)l->of[DELAY][i] > b->opts->launch_delay_cutoff_us * tick_us;
    }
}

static int compare_parts(const void *x, const void *y, void *ctx)
{
    const struct call_part *a = x, *b = y;
    (void)ctx;
    if (a->class != b->class)
        return a->class < b->class ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

static int by_name(struct az_job *job, struct az_hta *b, const struct launches *l,
                   struct az_arena *keep, struct launch_part *p)
{
    struct az_groups g = { 0 };
    p->v = az_arena_array(keep, l->groups + 1, sizeof *p->v);
    int rc = p->v ? az_groups_make(&g, l->group, l->n, l->groups, job->mem) : az_arena_error(keep);
    if (rc) {
        az_groups_release(&g);
        return rc;
    }
    for (size_t k = 0; k < l->groups; k++) {
        const struct az_sv name = az_trace_text(b->trace, l->name_of[k]);
        p->v[k].name = az_hta_copy_text(b, keep, name);
        for (int f = 0; f < FIGURES; f++) {
            const size_t n = az_groups_gather(&g, k, l->of[f]);
            az_hta_describe_i64(g.value, n, &p->v[k].of[f]);
        }
    }
    az_groups_release(&g);
    for (size_t i = 0; i < l->n; i++)
        p->v[l->group[i]].class = az_hta_call_of(b, l->call[i]);
    flags(b, l, p->v);
    p->n = l->groups;
    az_sort_cmp(p->v, p->n, sizeof *p->v, compare_parts, NULL, job->mem);
    return rc ? rc : keep->failed ? az_arena_error(keep) : AZ_OK;
}

static int compare_details(const void *x, const void *y, void *ctx)
{
    const uint32_t *call = ctx, a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return call[a] < call[b] ? -1 : call[a] > call[b];
}

static int details(struct az_job *job, struct az_hta *b, const struct launches *l,
                   struct az_arena *keep, struct launch_part *p)
{
    const struct az_events *calls = &b->trace->ev[AZ_CALL];
    uint32_t *order = az_arena_array(job->arena, l->n + 1, sizeof *order);
    p->detail = az_arena_array(keep, l->n + 1, sizeof *p->detail);
    if (!order || !p->detail)
        return az_arena_error(keep);
    size_t n = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (az_hta_call_of(b, l->call[i]) != AZ_HTA_GRAPH)
            order[n++] = i;
    az_sort_cmp(order, n, sizeof *order, compare_details, l->call, job->mem);
    for (; p->n_details < n; p->n_details++) {
        const uint32_t i = order[p->n_details];
        p->detail[p->n_details] = (struct detail){
            .correlation = calls->corr && calls->cols & AZ_COL_CORR ? calls->corr[l->call[i]] : 0,
            .of = { l->of[CPU][i], l->of[GPU][i], l->of[DELAY][i] }
        };
    }
    return 0;
}

/* All but graph launches; the columns are reordered. */
static void describe_all(struct az_hta *b, struct launches *l, struct launch_part *p)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (az_hta_call_of(b, l->call[i]) == AZ_HTA_GRAPH)
            continue;
        for (int f = 0; f < FIGURES; f++)
            l->of[f][n] = l->of[f][i];
        n++;
    }
    for (int f = 0; f < FIGURES; f++)
        az_hta_describe_i64(l->of[f], n, &p->all[f]);
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct launches l;
    struct az_hta *b = az_hta_get(job, &rc);
    struct launch_part *p = b ? az_arena_alloc(keep, sizeof *p) : NULL;
    if (!p)
        return b ? az_arena_error(keep) : rc;
    rc = alloc(job, b, &l);
    if (rc == 0)
        rc = gather(job, b, &l);
    if (rc == 0)
        rc = by_name(job, b, &l, keep, p);
    if (rc == 0 && b->opts->launch_details)
        rc = details(job, b, &l, keep, p);
    if (rc == 0)
        describe_all(b, &l, p);
    *part = p;
    return rc;
}

/* ---- finish ---- */
struct call_row {
    const struct az_rank *rank;
    const struct call_part *of;
};
#define ROW struct call_row
AZ_TEXT_OF_RECORD(kind_of, ROW, az_hta_call_text(r->of->class))
/* clang-format off */
#define TIME(header, flag, figure)                                                                 \
    { header, AZ_REAL, AZ_UNIT_US, flag, AZ_VIA(ROW, of, figure), AZ_HTA_TICKS(ROW) }
/* clang-format on */
static const struct az_record_column launch_stats_columns[] = {
    AZ_HTA_RANK(ROW),
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, name) },
    { "kind", AZ_TEXT, .text = kind_of },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, of[CPU].n) },
    TIME("cpu_duration_sum (us)", 0, of[CPU].sum),
    TIME("cpu_duration_mean (us)", 0, of[CPU].mean),
    TIME("gpu_duration_sum (us)", 0, of[GPU].sum),
    TIME("gpu_duration_mean (us)", 0, of[GPU].mean),
    TIME("launch_delay_mean (us)", AZ_LOWER_BETTER, of[DELAY].mean),
    TIME("launch_delay_median (us)", AZ_LOWER_BETTER, of[DELAY].q50),
    TIME("launch_delay_max (us)", AZ_LOWER_BETTER, of[DELAY].max),
    { "short_kernels", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER, AZ_VIA(ROW, of, short_kernels) },
    { "runtime_outliers", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER,
      AZ_VIA(ROW, of, runtime_outliers) },
    { "launch_delay_outliers", AZ_INT, AZ_UNIT_COUNT, AZ_LOWER_BETTER,
      AZ_VIA(ROW, of, delay_outliers) },
};

static int stats(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "launch_stats", "Launches by call and rank", 0,
                                         launch_stats_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct launch_part *p = parts[i];
        for (size_t k = 0; p && k < p->n; k++)
            az_put_row(t, &(ROW){ &ranks->v[i], &p->v[k] });
    }
    return az_document_add(job->doc, t);
}

static double figure(const struct az_hta_stats *s, int k)
{
    const double v[] = { (double)s->n, s->mean, s->std, s->min, s->q25, s->q50, s->q75, s->max };
    return v[k];
}

/* The form in which other tools print it: a row a figure. */
struct describe_row {
    const char *statistic;
    double of[FIGURES];
    const struct az_rank *rank;
};
#undef ROW
#define ROW struct describe_row
static const struct az_record_column describe_columns[] = {
    { "statistic", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, statistic) },
    { "cpu_duration", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, of[CPU]) },
    { "gpu_duration", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, of[GPU]) },
    { "launch_delay", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, of[DELAY]) },
    AZ_HTA_RANK(ROW),
};

static int describe(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    static const char *const rows[] = { "count", "mean", "std", "min", "25%", "50%", "75%", "max" };
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "cuda_kernel_launch_stats_describe",
                                         "Launch statistics by rank", 0, describe_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct launch_part *p = parts[i];
        for (int k = 0; p && p->all[CPU].n && k < 8; k++) {
            ROW r = { .statistic = rows[k], .rank = &ranks->v[i] };
            for (int f = 0; f < FIGURES; f++)
                r.of[f] = figure(&p->all[f], k) / (k ? az_hta_scale(&ranks->v[i]) : 1);
            az_put_row(t, &r);
        }
    }
    return az_document_add(job->doc, t);
}

struct detail_row {
    const struct detail *of;
    const struct az_rank *rank;
};
#undef ROW
#define ROW struct detail_row
AZ_OF_RECORD(int64_t, correlation, ROW, r->of->correlation ? (int64_t)r->of->correlation : -1)
static const struct az_record_column detail_columns[] = {
    { "correlation", AZ_INT, AZ_UNIT_ID, AZ_KEY, .integer = correlation, .known = true },
    TIME("cpu_duration", 0, of[CPU]),
    TIME("gpu_duration", 0, of[GPU]),
    TIME("launch_delay", 0, of[DELAY]),
    AZ_HTA_RANK(ROW),
};

static int detail_rows(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "cuda_kernel_launch_stats", "Launches", 0, detail_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct launch_part *p = parts[i];
        for (size_t k = 0; p && k < p->n_details; k++)
            az_put_row(t, &(ROW){ &p->detail[k], &ranks->v[i] });
    }
    return az_document_add(job->doc, t);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    int rc = stats(job, ranks, parts);
    if (rc == 0)
        rc = describe(job, ranks, parts);
    return rc || !job->opts->launch_details ? rc : detail_rows(job, ranks, parts);
}

/* ---- the part as bytes ---- */

static bool call_valid(const void *of)
{
    return (unsigned)((const struct call_part *)of)->class < AZ_HTA_CALLS;
}
static const struct az_shape_field call_fields[] = { AZ_TEXT_OF(struct call_part, name),
                                                     AZ_PLAIN(struct call_part, class),
                                                     AZ_NESTS_OF(struct call_part, of,
                                                                 az_hta_shape_stats),
                                                     AZ_PLAIN(struct call_part, short_kernels),
                                                     AZ_PLAIN(struct call_part, runtime_outliers),
                                                     AZ_PLAIN(struct call_part, delay_outliers) };
static const struct az_shape call_shape = AZ_SHAPE_IF(struct call_part, call_fields, call_valid);
static const struct az_shape_field detail_fields[] = { AZ_PLAIN(struct detail, correlation),
                                                       AZ_PLAINS(struct detail, of) };
static const struct az_shape detail_shape = AZ_SHAPE(struct detail, detail_fields);
static const struct az_shape_field part_fields[] = {
    AZ_LIST_OF(struct launch_part, v, n, call_shape),
    AZ_NESTS_OF(struct launch_part, all, az_hta_shape_stats),
    AZ_LIST_OF(struct launch_part, detail, n_details, detail_shape)
};
static const struct az_shape part_shape = AZ_SHAPE(struct launch_part, part_fields);

const struct az_rank_analysis az_rank_analysis_launch = {
    .name = "rank_launches",
    .help = "launches by rank: call duration, device duration, launch delay",
    .any = AZ_CAP_CALLTREE | AZ_CAP_CALLS | AZ_CAP_PROGRAMS,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
