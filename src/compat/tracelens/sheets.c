/* kernel_launchers and gpu_timelines of all ranks (docs/formulas-multirank.md 4.1, 4.2), and the
 * analysis that makes all sheets of sheets_common.h. */
#include "compat/tracelens/sheets_common.h"

#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "compat/tracelens/sheets_ops.h"
#include "document/record.h"
#include "facts/account.h"

#include <stdlib.h>

static const char *figure_text(enum az_tracelens_figure f)
{
    static const char *const text[] = { "computation_time",    "exposed_comm_time",
                                        "exposed_memcpy_time", "busy_time",
                                        "idle_time",           "total_time",
                                        "total_comm_time",     "total_memcpy_time" };
    return text[f];
}

/* ---- launchers ---- */
static int sum_launches(const struct az_tracelens_ranks *m, struct az_tracelens_launch_sums *out)
{
    struct az_intern texts;
    struct az_map of;
    az_intern_init(&texts, m->job->arena, m->job->mem);
    int rc = 0;
    az_map_init(&of, m->job->mem, 64);
    for (size_t i = 0; rc == 0 && i < m->ranks->n; i++)
        for (size_t k = 0; rc == 0 && m->part[i] && k < m->part[i]->n_launches; k++) {
            const struct az_tracelens_launch *l = &m->part[i]->launch[k];
            struct az_tracelens_launch_sum sum = { .name = { NULL, 0 }, .sum = *l };
            uint32_t name = AZ_NO_ID, *at;
            bool added;
            if (l->name != AZ_NO_ID) {
                sum.name = az_tracelens_get(&m->part[i]->texts, l->name);
                rc = az_intern(&texts, sum.name, &name);
            }
            if (rc == 0)
                rc = az_map_put(&of, name, l->class, (uint32_t)out->n, &at, &added);
            if (rc == 0 && added) {
                rc = az_vec_push(out, sum);
            } else if (rc == 0) {
                struct az_tracelens_launch *to = &out->v[*at].sum;
                to->count += l->count;
                to->time = az_add_sat(to->time, l->time);
                to->exposed = az_add_sat(to->exposed, l->exposed);
            }
        }
    az_map_release(&of);
    az_intern_release(&texts);
    return rc;
}

static int by_name(const void *x, const void *y, void *ctx)
{
    const struct az_tracelens_launch_sum *a = *(const struct az_tracelens_launch_sum *const *)x,
                                         *b = *(const struct az_tracelens_launch_sum *const *)y;
    (void)ctx;
    return az_sv_cmp(a->name, b->name);
}

static int by_time(const void *x, const void *y, void *ctx)
{
    const struct az_tracelens_launch_sum *a = x, *b = y;
    (void)ctx;
    if (a->sum.time != b->sum.time)
        return a->sum.time > b->sum.time ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

/* The operators that launched kernels, classes of one name together, most time first. */
static int operators(const struct az_tracelens_ranks *m, const struct az_tracelens_launch_sums *s,
                     struct az_tracelens_launch_sum **out, size_t *n)
{
    struct az_arena *a = m->job->arena;
    const struct az_tracelens_launch_sum **row = az_arena_array(a, s->n + 1, sizeof *row);
    struct az_tracelens_launch_sum *v = *out = az_arena_array(a, s->n + 1, sizeof *v);
    size_t k = 0;
    *n = 0;
    if (!row || !v)
        return az_arena_error(a);
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].name.p && s->v[i].sum.count)
            row[k++] = &s->v[i];
    az_sort_cmp((void *)row, k, sizeof *row, by_name, NULL, m->job->mem);
    for (size_t i = 0; i < k; i++) {
        if (*n && az_sv_eq(v[*n - 1].name, row[i]->name)) {
            v[*n - 1].sum.count += row[i]->sum.count;
            v[*n - 1].sum.time = az_add_sat(v[*n - 1].sum.time, row[i]->sum.time);
        } else {
            v[(*n)++] = *row[i];
        }
    }
    az_sort_cmp(v, *n, sizeof *v, by_time, NULL, m->job->mem);
    return 0;
}

static void cover_launchers(const struct az_tracelens_ranks *m,
                            const struct az_tracelens_launch_sums *s)
{
    int64_t copies = 0;
    for (size_t i = 0; i < m->ranks->n; i++)
        copies = az_add_sat(copies, m->part[i] ? m->part[i]->copies : 0);
    if (copies)
        az_cover(m->job, "kernel_launchers: copies and fills by operators", az_ms_from_ns(copies),
                 "ms",
                 AZ_SV("all ranks; not in kernel_launchers (launcher_events: all includes them)"));
    int64_t time = 0, count = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!s->v[i].name.p) {
            time = az_add_sat(time, s->v[i].sum.time);
            count += s->v[i].sum.count;
        }
    if (count)
        az_cover(m->job, "kernel_launchers: kernels without an operator", az_ms_from_ns(time), "ms",
                 AZ_SV("all ranks; not in kernel_launchers, exposed time is in 'Other' of "
                       "grouped_breakdown"));
}

struct launcher { /* a row */
    struct az_sv name;
    const struct az_tracelens_launch *sum;
    int64_t total, so_far; /* of all rows, of the rows up to this */
    double ranks;
};
AZ_OF_RECORD(double, launcher_share, struct launcher,
             az_percent((double)r->sum->time, (double)r->total))
AZ_OF_RECORD(double, launcher_cumulative, struct launcher,
             az_percent((double)r->so_far, (double)r->total))
AZ_OF_RECORD(double, launcher_time, struct launcher, az_ms_from_ns(r->sum->time) / r->ranks)
AZ_OF_RECORD(double, launcher_count, struct launcher, (double)r->sum->count / r->ranks)

static const struct az_record_column kernel_launchers_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct launcher, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct launcher, sum, count) },
    { "kernel_time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_VIA(struct launcher, sum, time) },
    { "pct", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, .real = launcher_share },
    { "cum_pct", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, .real = launcher_cumulative },
    { "time_ms_avg", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = launcher_time },
    { "count_avg", AZ_REAL, AZ_UNIT_COUNT, .real = launcher_count },
};

static int launchers_table(const struct az_tracelens_ranks *m,
                           const struct az_tracelens_launch_sums *s)
{
    const bool all = az_sv_is(m->job->opts->launcher_events, "all");
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "kernel_launchers",
                        all ? "Device work by launching operator" : "Kernels by launching operator",
                        AZ_TABLE_SUMMARY, kernel_launchers_columns);
    struct az_tracelens_launch_sum *v = NULL;
    size_t n = 0;
    int64_t total = 0, run = 0;
    int rc = operators(m, s, &v, &n);
    for (size_t i = 0; rc == 0 && i < n; i++)
        total = az_add_sat(total, v[i].sum.time);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        run = az_add_sat(run, v[i].sum.time);
        az_put_row(t, &(struct launcher){ v[i].name, &v[i].sum, total, run, (double)m->n });
    }
    cover_launchers(m, s);
    return az_job_add(m->job, t, rc);
}

/* ---- timelines ---- */
struct spread { /* of one metric over the ranks */
    int64_t sum, min, max;
    double std; /* population */
    int64_t rank_max;
};

static struct spread spread_of(const struct az_tracelens_ranks *m, enum az_tracelens_figure f)
{
    struct spread s = { .min = INT64_MAX, .max = INT64_MIN };
    double squares = 0;
    for (size_t i = 0; i < m->ranks->n; i++) {
        const int64_t v = m->part[i] ? m->part[i]->figure[f] : 0;
        if (!m->part[i])
            continue;
        s.sum = az_add_sat(s.sum, v);
        s.min = v < s.min ? v : s.min;
        if (v > s.max) {
            s.max = v;
            s.rank_max = m->ranks->v[i].rank;
        }
    }
    const double mean = (double)s.sum / (double)m->n;
    for (size_t i = 0; i < m->ranks->n; i++)
        if (m->part[i]) {
            const double d = (double)m->part[i]->figure[f] - mean;
            squares += d * d;
        }
    s.std = sqrt(squares / (double)m->n);
    return s;
}

static double percent_of(const struct az_tracelens_part *p, enum az_tracelens_figure f)
{
    return az_percent((double)p->figure[f], (double)p->figure[AZ_TRACELENS_TOTAL]);
}

struct timeline { /* a row: a metric of all ranks */
    const struct az_tracelens_ranks *m;
    enum az_tracelens_figure figure;
    struct spread of;
};
AZ_OF_RECORD(double, timeline_mean, struct timeline, az_ms_from_ns(r->of.sum) / (double)r->m->n)
AZ_OF_RECORD(double, timeline_std, struct timeline, r->of.std / 1e6)
AZ_TEXT_OF_RECORD(timeline_type, struct timeline, az_sv_str(figure_text(r->figure)))
static double timeline_time(const void *row, size_t rank)
{
    const struct timeline *r = row;
    return (double)r->m->part[rank]->figure[r->figure] / 1e6;
}
static double timeline_percent(const void *row, size_t rank)
{
    const struct timeline *r = row;
    return percent_of(r->m->part[rank], r->figure);
}

static const struct az_record_column timeline_first[] = {
    { "type", AZ_TEXT, .flags = AZ_KEY, .text = timeline_type },
};
static const struct az_record_column timeline_of_rank[] = {
    { "time_ms_", AZ_REAL, AZ_UNIT_MS, AZ_DETAIL, .real_nth = timeline_time },
    { "percent_", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL, .real_nth = timeline_percent },
};
static const struct az_record_column timeline_last[] = {
    { "time_ms_avg", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real = timeline_mean },
    { "time_ms_std", AZ_REAL, AZ_UNIT_MS, .real = timeline_std },
    { "time_ms_min", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(struct timeline, of.min) },
    { "time_ms_max", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(struct timeline, of.max) },
    { "rank_max", AZ_INT, AZ_UNIT_ID, AZ_FIELD(struct timeline, of.rank_max) },
};

static int timelines(const struct az_tracelens_ranks *m)
{
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "gpu_timelines", "GPU timelines of all ranks",
                        AZ_TABLE_SUMMARY, timeline_first);
    for (size_t i = 0; i < m->ranks->n; i++)
        if (m->part[i])
            az_tracelens_rank_columns(m, t, timeline_of_rank, AZ_LENGTH(timeline_of_rank), i);
    AZ_RECORD_COLUMNS(t, timeline_last);
    for (enum az_tracelens_figure f = 0; f < AZ_TRACELENS_FIGURES; f++)
        az_put_row(t, &(struct timeline){ m, f, spread_of(m, f) });
    return az_job_add(m->job, t, 0);
}

/* Columns of the metrics are called as in other tools; here they have titles in words. */
static void title_figures(struct az_table *t)
{
    static const char *const titles[AZ_TRACELENS_FIGURES] = {
        "Computing", "Exposed communication", "Exposed copies", "Busy", "Idle",
        "Total",     "Communication",         "Copies"
    };
    for (enum az_tracelens_figure f = 0; f < AZ_TRACELENS_FIGURES; f++)
        t->columns.v[1 + f].title = az_sv_str(titles[f]);
}

struct rank_timeline { /* a row */
    int64_t rank;
    const int64_t *figure; /* ns */
};
static double rank_time(const void *row, size_t f)
{
    return (double)((const struct rank_timeline *)row)->figure[f] / 1e6;
}
static const struct az_record_column rank_timeline_rank[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct rank_timeline, rank) },
};
/* Of the metrics that add up to the total, and of those within them. */
static const struct az_record_column rank_timeline_figures[] = {
    { "", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .real_nth = rank_time },
    { "", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER | AZ_DETAIL, .real_nth = rank_time },
};

/* The same turned round, a row per rank: what the charts are drawn from. */
static int by_rank(const struct az_tracelens_ranks *m)
{
    static const char *const stack[] = { "computation_time", "exposed_comm_time",
                                         "exposed_memcpy_time", "idle_time", NULL };
    static const char *const heat[] = {
        "computation_time", "exposed_comm_time", "exposed_memcpy_time", "busy_time", "idle_time",
        "total_time",       "total_comm_time",   "total_memcpy_time",   NULL
    };
    struct az_table *t =
        AZ_RECORD_TABLE(m->job->arena, "gpu_timelines_by_rank", "GPU timeline by rank",
                        AZ_TABLE_SUMMARY, rank_timeline_rank);
    for (enum az_tracelens_figure f = 0; f < AZ_TRACELENS_FIGURES; f++)
        az_record_column_nth(t, &rank_timeline_figures[f >= AZ_TRACELENS_COMM],
                             az_sv_str(figure_text(f)), f);
    for (size_t i = 0; i < m->ranks->n; i++)
        if (m->part[i])
            az_put_row(t, &(struct rank_timeline){ m->ranks->v[i].rank, m->part[i]->figure });
    int rc = az_job_add(m->job, t, 0);
    if (rc == 0)
        title_figures(t);
    if (rc == 0)
        rc = az_job_chart(m->job, AZ_CHART_STACKED_COLUMN, "gpu_timelines_by_rank",
                          "GPU time by rank", "rank", stack, "ms");
    return rc ? rc
              : az_job_chart(m->job, AZ_CHART_HEAT, "gpu_timelines_by_rank", "GPU timeline by rank",
                             "rank", heat, "ms");
}

/* A rank none of whose work is linked has an empty timeline: reported as for a single
 * trace. */
static void warn_unlinked(const struct az_tracelens_ranks *m)
{
    for (size_t i = 0; i < m->ranks->n; i++) {
        const struct az_tracelens_part *p = m->part[i];
        if (p && p->events && p->no_launch == p->events && !az_tables_count_unlinked(m->job->opts))
            az_diag_add(m->job->diag, AZ_WARNING, AZ_AT_FILE(m->ranks->v[i].path),
                        "none of %lld device events is linked to a launch: gpu_timelines is 0 for "
                        "this rank; set include_unlinked_kernels",
                        (long long)p->events);
    }
}

/* By how much the parts of the time miss the whole. */
static int64_t apart(const int64_t *f)
{
    const int64_t parts =
        az_add_sat(az_add_sat(f[AZ_TRACELENS_COMPUTE], f[AZ_TRACELENS_EXPOSED_COMM]),
                   az_add_sat(f[AZ_TRACELENS_EXPOSED_MEMCPY], f[AZ_TRACELENS_IDLE]));
    const int64_t miss = az_add_sat(f[AZ_TRACELENS_TOTAL], parts == INT64_MIN ? INT64_MAX : -parts);
    return miss < 0 ? az_add_sat(-(miss + 1), 1) : miss;
}

/* What averages mean, and the identity that holds in whole ns. */
static void cover(const struct az_tracelens_ranks *m)
{
    int64_t rest = 0, no_launch = 0;
    for (size_t i = 0; i < m->ranks->n; i++) {
        no_launch += m->part[i] ? m->part[i]->no_launch : 0;
        const int64_t *f = m->part[i] ? m->part[i]->figure : NULL;
        if (f)
            rest = az_add_sat(rest, apart(f));
    }
    az_cover(
        m->job,
        "gpu_timelines: total - (computation + exposed_comm + exposed_memcpy + idle), all ranks",
        (double)rest, "ns", rest ? AZ_SV("must be 0; report this as a bug") : AZ_SV("exact"));
    if (no_launch)
        az_cover(
            m->job, "gpu_timelines: unlinked device events", (double)no_launch, "events",
            az_tables_count_unlinked(m->job->opts)
                ? AZ_SV("all ranks; included in gpu_timelines and in 'Other' of grouped_breakdown")
                : AZ_SV("all ranks; not in gpu_timelines and grouped_breakdown "
                        "(include_unlinked_kernels includes them)"));
    const bool all = (int64_t)m->n == m->ranks->world_size;
    struct az_sv note = all ? AZ_SV("all ranks of the run")
                            : az_arena_printf(m->job->arena, "ranks present, of %lld in the run",
                                              (long long)m->ranks->world_size);
    az_cover(m->job, "ranks in averages", (double)m->n, "ranks", note.p ? note : AZ_SV(""));
}

/* ---- the analysis ---- */
static int figures(struct az_job *job, struct az_tracelens_part *p)
{
    const struct az_trace *t = job->traces[0];
    int rc;
    const struct az_counted *counted = az_job_counted(job, 0, AZ_TABLE_WORK, &rc);
    const struct az_accounts *all = counted ? az_job_accounts(job, 0, AZ_TABLE_WORK, &rc) : NULL;
    if (!all)
        return rc;
    const struct az_account *a = &all->all;
    p->events = (int64_t)counted->events;
    p->no_launch = (int64_t)counted->unlinked;
    p->figure[AZ_TRACELENS_COMPUTE] = az_ns(t, a->compute);
    p->figure[AZ_TRACELENS_EXPOSED_COMM] = az_ns(t, a->exposed_comm);
    p->figure[AZ_TRACELENS_EXPOSED_MEMCPY] = az_ns(t, a->exposed_copies);
    p->figure[AZ_TRACELENS_BUSY] = az_ns(t, a->busy);
    p->figure[AZ_TRACELENS_IDLE] = az_ns(t, a->idle);
    p->figure[AZ_TRACELENS_TOTAL] = az_ns(t, a->total);
    p->figure[AZ_TRACELENS_COMM] = az_ns(t, a->comm);
    p->figure[AZ_TRACELENS_MEMCPY] = az_ns(t, a->copies);
    return 0;
}

static int of_tree(struct az_job *job, struct az_arena *keep, struct az_tracelens_part *p)
{
    int rc;
    struct az_tracelens_rank r = {
        .job = job, .keep = keep, .fw = az_framework_get(job, &rc), .part = p
    };
    if (!r.fw)
        return rc;
    p->tree = true;
    az_tracelens_texts_init(&r.texts, job);
    rc = az_tracelens_reduce_launches(&r);
    if (rc == 0)
        rc = az_tracelens_reduce_events(&r);
    if (rc == 0)
        rc = az_tracelens_texts_intern(&r.texts, job, keep, &p->texts);
    az_tracelens_texts_release(&r.texts);
    if (rc == 0 && r.fw->extension_why.n) /* the rank is reported without its script */
        az_diag_add(job->diag, AZ_ERROR, AZ_NOWHERE, "%.*s", AZ_SVF(r.fw->extension_why));
    return rc;
}

/* Compiled programs have a timeline by core or device (analyses/hlo), operation reports have
 * none. */
static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    const unsigned caps = job->traces[0]->caps;
    if (caps & (AZ_CAP_PROGRAMS | AZ_CAP_OPREPORT))
        return 0;
    struct az_tracelens_part *p = az_arena_alloc(keep, sizeof *p);
    int rc = p ? figures(job, p) : az_arena_error(keep);
    if (rc == 0 && caps & AZ_CAP_CALLTREE)
        rc = of_tree(job, keep, p);
    if (rc == 0)
        *part = p;
    return rc;
}

static bool any_tree(const struct az_tracelens_ranks *m)
{
    for (size_t i = 0; i < m->ranks->n; i++)
        if (m->part[i] && m->part[i]->tree)
            return true;
    return false;
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const struct az_tracelens_part **part = az_arena_array(job->arena, ranks->n, sizeof *part);
    struct az_tracelens_ranks m = {
        .job = job, .ranks = ranks, .part = part, .n = az_tracelens_count(ranks, parts)
    };
    struct az_tracelens_launch_sums sums;
    if (!part)
        return az_arena_error(job->arena);
    for (size_t i = 0; i < ranks->n; i++)
        part[i] = parts[i];
    const bool tree = any_tree(&m);
    az_vec_init(&sums, job->mem);
    int rc = sum_launches(&m, &sums);
    if (rc == 0 && tree)
        rc = launchers_table(&m, &sums);
    if (rc == 0)
        rc = timelines(&m);
    if (rc == 0)
        rc = by_rank(&m);
    if (rc == 0 && tree)
        rc = az_tracelens_event_tables(&m);
    if (rc == 0 && tree)
        rc = az_tracelens_breakdown(&m, &sums);
    if (rc == 0) {
        warn_unlinked(&m);
        cover(&m);
    }
    az_vec_release(&sums);
    return rc;
}

/* ---- the part as bytes ---- */

static const struct az_shape_field launch_fields[] = {
    AZ_PLAIN(struct az_tracelens_launch, name), AZ_PLAIN(struct az_tracelens_launch, class),
    AZ_PLAIN(struct az_tracelens_launch, count), AZ_PLAIN(struct az_tracelens_launch, time),
    AZ_PLAIN(struct az_tracelens_launch, exposed)
};
static const struct az_shape launch_shape = AZ_SHAPE(struct az_tracelens_launch, launch_fields);
static const struct az_shape_field events_fields[] = {
    AZ_PLAIN(struct az_tracelens_events, name),  AZ_PLAIN(struct az_tracelens_events, cat),
    AZ_PLAIN(struct az_tracelens_events, count), AZ_PLAIN(struct az_tracelens_events, sum),
    AZ_PLAIN(struct az_tracelens_events, min),   AZ_PLAIN(struct az_tracelens_events, max)
};
static const struct az_shape events_shape = AZ_SHAPE(struct az_tracelens_events, events_fields);
static const struct az_shape_field part_fields[] = {
    AZ_PLAIN(struct az_tracelens_part, tree),
    AZ_NEST_OF(struct az_tracelens_part, texts, az_tracelens_shape_texts),
    AZ_PLAINS(struct az_tracelens_part, figure),
    AZ_PLAIN(struct az_tracelens_part, events),
    AZ_PLAIN(struct az_tracelens_part, no_launch),
    AZ_PLAIN(struct az_tracelens_part, copies),
    AZ_LIST_OF(struct az_tracelens_part, launch, n_launches, launch_shape),
    AZ_PLAIN(struct az_tracelens_part, linked),
    AZ_PLAIN(struct az_tracelens_part, unlinked),
    AZ_PLAIN(struct az_tracelens_part, short_linked),
    AZ_PLAIN(struct az_tracelens_part, short_unlinked),
    AZ_LIST_OF(struct az_tracelens_part, unlinked_of, n_unlinked, events_shape),
    AZ_LIST_OF(struct az_tracelens_part, calls, n_calls, events_shape),
    AZ_LIST_OF(struct az_tracelens_part, short_of, n_short, events_shape)
};
static const struct az_shape part_shape = AZ_SHAPE(struct az_tracelens_part, part_fields);

const struct az_rank_analysis az_rank_analysis_sheets = {
    .name = "rank_sheets",
    .help =
        "kernel launchers, GPU timelines, short and unlinked kernels, calls, groups of all ranks",
    .any = AZ_CAP_CALLTREE | AZ_CAP_TIMELINE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};

const struct az_rank_analysis az_rank_analysis_groups = {
    .name = "op_groups",
    .help = "gemm, conv, attn, un_elemwise, bin_elemwise operators by parameters, all ranks",
    .needs = AZ_CAP_CALLTREE,
    .reduce = az_tracelens_ops_reduce,
    .shape = &az_tracelens_ops_shape,
    .finish = az_tracelens_ops_finish,
};
