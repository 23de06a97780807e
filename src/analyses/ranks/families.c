/* Device time by family of work over the ranks of a run (docs/account.md 5): over all of them, and
 * of each rank and device. */
#include "facts/families.h"

#include <math.h>

#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "tables/engine.h"

static int reduce(struct az_job *job, struct az_arena *keep, void **out)
{
    struct az_family_times *p = az_arena_alloc(keep, sizeof *p), made;
    int rc = p ? az_job_families_by_device(job, 0, &made) : az_arena_error(keep);

    if (rc || made.n == 0)
        return rc;
    p->n = made.n;
    p->v = az_arena_array(keep, made.n, sizeof *p->v);
    if (!p->v)
        return az_arena_error(keep);
    memcpy(p->v, made.v, made.n * sizeof *p->v);
    *out = p;
    return 0;
}

/* ---- tables ---- */
struct time_of { /* a row */
    int64_t rank;
    struct az_family_time t;
    int64_t whole; /* of its device, ns */
};
struct all {
    struct time_of *v; /* by rank and device; of each by time */
    size_t n;
};

AZ_OF_ITEM(const struct time_of *, row_of, &((const struct all *)s->ctx)->v[i->row])
static bool family_number(const struct az_scope *s, const struct az_item *i, uint64_t *number)
{
    *number = row_of(s, i)->t.family;
    return true;
}
static void put_family(const struct az_scope *s, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, az_family_text(row_of(s, i)->t.family));
}
AZ_OF_ITEM(int64_t, ns_of, row_of(s, i)->t.ns)
AZ_OF_ITEM(int64_t, count_of, row_of(s, i)->t.count)

/* As the table of one trace, and how the devices differ. */
static const struct az_key family_key = { AZ_TEXT, .of = family_number, .put = put_family };
static const struct az_table_spec over_all = {
    "time_by_family",
    "Device time by family",
    AZ_TABLE_SUMMARY,
    .values = { { ns_of, false }, { count_of, false } },
    .columns = { { "family", &family_key, .flags = AZ_KEY },
                 { "count", .figure = AZ_FIG_SUM, .value = 1, .unit = AZ_UNIT_COUNT },
                 { "time_ms", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_MS, .flags = AZ_LOWER_BETTER,
                   .sort = -1 },
                 { "percent", .figure = AZ_FIG_SHARE, .unit = AZ_UNIT_PERCENT, .flags = AZ_SHARE },
                 { "cumulative_percent", .figure = AZ_FIG_CUMULATIVE, .unit = AZ_UNIT_PERCENT,
                   .flags = AZ_DETAIL },
                 { "devices", .figure = AZ_FIG_COUNT, .flags = AZ_DETAIL },
                 { "mean_ms", .figure = AZ_FIG_MEAN, .unit = AZ_UNIT_MS },
                 { "min_ms", .figure = AZ_FIG_MIN, .unit = AZ_UNIT_MS },
                 { "max_ms", .figure = AZ_FIG_MAX, .unit = AZ_UNIT_MS } },
    .shares = AZ_SHARES_CELLS,
    .charts = { { AZ_CHART_PIE, "Device time by family", "family", "time_ms", "ms" } }
};

AZ_TEXT_OF_RECORD(family_of, struct time_of, az_family_text(r->t.family))
AZ_OF_RECORD(double, percent_of, struct time_of,
             r->whole ? (double)r->t.ns / (double)r->whole * 100.0 : NAN)
static const struct az_record_column columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct time_of, rank) },
    { "device", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN(struct time_of, t.device) },
    { "family", AZ_TEXT, .flags = AZ_KEY, .text = family_of },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct time_of, t.count) },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(struct time_of, t.ns) },
    { "percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, .real = percent_of },
};

static void make_row(const void *of, size_t row, struct az_table *t)
{
    az_put_row(t, &((const struct all *)of)->v[row]);
}

/* Rows are made when they are read: there are as many as ranks times families. */
static int by_rank(struct az_job *job, const struct all *all)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "time_by_family_by_rank",
                                         "Device time by family, rank", 0, columns);
    az_table_make(t, all->n, make_row, all);
    return az_job_add(job, t, 0);
}

static int more_time_first(const void *a, const void *b, void *ctx)
{
    const struct time_of *x = a, *y = b;
    (void)ctx;
    if (x->t.ns != y->t.ns)
        return x->t.ns > y->t.ns ? -1 : 1;
    return (int)x->t.family - (int)y->t.family;
}

/* The rows of one device, which begin at `first`. */
static void end_device(struct az_job *job, struct all *all, size_t first)
{
    int64_t whole = 0;
    for (size_t i = first; i < all->n; i++)
        whole = az_add_sat(whole, all->v[i].t.ns);
    for (size_t i = first; i < all->n; i++)
        all->v[i].whole = whole;
    az_sort_cmp(all->v + first, all->n - first, sizeof *all->v, more_time_first, NULL, job->mem);
}

static int collect(struct az_job *job, const struct az_ranks *ranks, void *const *parts,
                   struct all *all)
{
    size_t most = 0, first = 0;
    for (size_t r = 0; r < ranks->n; r++)
        most += parts[r] ? ((const struct az_family_times *)parts[r])->n : 0;
    all->v = az_arena_array(job->arena, most + 1, sizeof *all->v);
    if (!all->v)
        return az_arena_error(job->arena);
    for (size_t r = 0; r < ranks->n; r++) {
        const struct az_family_times *p = parts[r];
        for (size_t i = 0; p && i < p->n; i++) {
            all->v[all->n++] = (struct time_of){ .rank = ranks->v[r].rank, .t = p->v[i] };
            if (i + 1 < p->n && p->v[i + 1].device == p->v[i].device)
                continue;
            end_device(job, all, first);
            first = all->n;
        }
    }
    return 0;
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct all *all = az_arena_alloc(job->arena, sizeof *all);
    if (!all)
        return az_arena_error(job->arena);
    *all = (struct all){ 0 };
    int rc = collect(job, ranks, parts, all);
    const struct az_item_list list = { .n = all->n };
    if (rc == 0 && !az_document_has(job->doc, AZ_SV("time_by_family"))) /* all traces at once */
        rc = az_spec_make(job, &over_all, all, &list);
    return rc ? rc : by_rank(job, all);
}

/* ---- the part as bytes ---- */

static bool time_valid(const void *of)
{
    return (unsigned)((const struct az_family_time *)of)->family < AZ_FAMILIES;
}
static const struct az_shape_field time_fields[] = { AZ_PLAIN(struct az_family_time, device),
                                                     AZ_PLAIN(struct az_family_time, count),
                                                     AZ_PLAIN(struct az_family_time, ns),
                                                     AZ_PLAIN(struct az_family_time, family) };
static const struct az_shape time_shape =
    AZ_SHAPE_IF(struct az_family_time, time_fields, time_valid);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct az_family_times, v, n,
                                                                time_shape) };
static const struct az_shape part_shape = AZ_SHAPE(struct az_family_times, part_fields);

const struct az_rank_analysis az_rank_analysis_families = {
    .name = "rank_time_by_family",
    .help = "device time by kernel family: all ranks, per rank and device",
    .any = AZ_CAP_TIMELINE | AZ_CAP_MEM,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
