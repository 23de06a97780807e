/* All-to-all with sizes of its own for every pair of ranks: instances, their summary, who sends how
 * much to whom. docs/formulas-collectives.md 3.3. */
#include "analyses/collectives/collectives.h"
#include "base/sort.h"
#include "base/time_units.h"
#include "document/record.h"
#include "facts/groups.h"

#include <math.h>

/* One instance. */
struct a2av {
    uint32_t coll;
    int64_t bytes, nelems, off_diagonal; /* -1: not known */
    int64_t dur_sum;
    double imbalance, fastest, slowest; /* ratio; bytes a ns */
};
AZ_VEC(struct a2av, a2avs);

struct work {
    struct az_coll_run *c;
    struct a2avs v;
    struct az_coll_flows *flows;
};

static int64_t bytes_in(const struct az_coll_what *w)
{
    const int64_t size = az_coll_dtype_bytes(w->dtype);
    int64_t b;
    return size && w->in >= 0 && !__builtin_mul_overflow(size, w->in, &b) ? b : -1;
}

static int instance(struct work *k, uint32_t coll)
{
    const struct az_coll_run *c = k->c;
    const struct az_coll_coll *x = &c->colls.v[coll];
    struct a2av a = { .coll = coll, .imbalance = NAN, .fastest = NAN, .slowest = NAN };
    int64_t most = 0, own;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < x->n; i++) {
        const uint32_t g = az_coll_member(c, x, i);
        const int64_t b = bytes_in(az_coll_what(c, g)), d = az_coll_length(c, g);
        a.dur_sum = az_add_sat(a.dur_sum, d);
        a.nelems = a.nelems < 0 || az_coll_what(c, g)->in < 0
                       ? -1
                       : az_add_sat(a.nelems, az_coll_what(c, g)->in);
        a.bytes = a.bytes < 0 || b < 0 ? -1 : az_add_sat(a.bytes, b);
        most = b > most ? b : most;
        rc = az_coll_flows_add(k->flows, g, &own);
        a.off_diagonal =
            a.off_diagonal < 0 || b < 0 || own < 0 ? -1 : az_add_sat(a.off_diagonal, b - own);
        if (b <= 0 || d <= 0)
            continue;
        const double rate = (double)b / (double)d;
        a.fastest = isnan(a.fastest) || rate > a.fastest ? rate : a.fastest;
        a.slowest = isnan(a.slowest) || rate < a.slowest ? rate : a.slowest;
    }
    if (a.bytes > 0)
        a.imbalance = (double)most / ((double)a.bytes / (double)x->n);
    return rc ? rc : az_vec_push(&k->v, a);
}

static double megabytes_of(int64_t bytes)
{
    return bytes < 0 ? NAN : (double)bytes / (1024.0 * 1024.0);
}

static double throughput(const struct az_coll_run *c, const struct a2av *a)
{
    const int64_t wall = c->colls.v[a->coll].wall;
    return a->bytes < 0 || wall <= 0 ? NAN : (double)a->bytes / (double)wall;
}

/* ---- instances ---- */
struct instance_row {
    struct az_coll_row row; /* of its first member */
    const struct az_coll_coll *coll;
    const struct a2av *of;
};
#define ROW struct instance_row
AZ_OF_RECORD(double, data_mb, ROW, megabytes_of(r->of->bytes))
AZ_OF_RECORD(double, mean_us, ROW, (double)r->of->dur_sum / (double)r->coll->n / 1e3)
AZ_OF_RECORD(double, throughput_cell, ROW, throughput(r->row.run, r->of))
static const struct az_record_column instance_columns[] = {
    { "collective_id", AZ_TEXT, .flags = AZ_KEY, .text = az_coll_cell_id },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, row.group, name) },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.group, ranks) },
    { "Collective name", AZ_TEXT, .flags = AZ_DETAIL, .text = az_coll_cell_name },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(ROW, row.what, size) },
    { "dtype", AZ_TEXT, AZ_KNOWN_VIA(ROW, row.what, dtype) },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.lane, stream) },
    { "total data communicated (MB)", AZ_REAL, AZ_UNIT_MB, .real = data_mb },
    { "total nelems communicated", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL,
      AZ_KNOWN_VIA(ROW, of, nelems) },
    { "wall_time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, coll, wall) },
    { "max_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, coll, longest) },
    { "min_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, coll, latency) },
    { "avg_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = mean_us },
    { "throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, .real = throughput_cell },
    { "max_rank_throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_DETAIL, AZ_VIA(ROW, of, fastest) },
    { "min_rank_throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_DETAIL, AZ_VIA(ROW, of, slowest) },
    { "size_imbalance", AZ_REAL, AZ_UNIT_RATIO, AZ_LOWER_BETTER, AZ_VIA(ROW, of, imbalance) },
    { "skew in start time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, coll, skew_start) },
    { "skew in end time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, coll, skew_end) },
};

AZ_OF_RECORD(double, throughput_gib, ROW, az_coll_gib(throughput(r->row.run, r->of)))
AZ_OF_RECORD(double, fastest_gib, ROW, az_coll_gib(r->of->fastest))
AZ_OF_RECORD(double, slowest_gib, ROW, az_coll_gib(r->of->slowest))
AZ_OF_RECORD(double, others_mb, ROW, megabytes_of(r->of->off_diagonal))
AZ_OF_RECORD(int64_t, is_partial, ROW, r->coll->flags &AZ_COLL_PARTIAL)
static const struct az_record_column other_columns[] = {
    { "node_span", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, row.group, span) },
    { "throughput (GiB/s)", AZ_REAL, .flags = AZ_DETAIL, .real = throughput_gib },
    { "max_rank_throughput (GiB/s)", AZ_REAL, .flags = AZ_DETAIL, .real = fastest_gib },
    { "min_rank_throughput (GiB/s)", AZ_REAL, .flags = AZ_DETAIL, .real = slowest_gib },
    { "data to other ranks (MB)", AZ_REAL, AZ_UNIT_MB, .real = others_mb },
    { "last arrival rank", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, .integer = az_coll_cell_last_rank,
      .known = true },
    { "n_present", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, coll, n) },
    { "n_expected", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, coll, expected) },
    { "partial", AZ_BOOL, .flags = AZ_DETAIL, .integer = is_partial },
};

/* Of each rank. */
struct member_row {
    struct az_coll_row row;
    int64_t skew_start, skew_end;
};
#undef ROW
#define ROW struct member_row
static const struct az_record_column member_columns[] = {
    { "ts", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, row.event.start) },
    { "dur", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = az_coll_cell_dur },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.what, in) },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.what, out) },
    { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_in_mb },
    { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_out_mb },
    { "In split size", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.what, in_split) },
    { "Out split size", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, row.what, out_split) },
    { "skew in start time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, skew_start) },
    { "skew in end time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, skew_end) },
};

static void rank_columns(struct az_coll_run *c, struct az_table *t)
{
    for (size_t r = 0; r < c->ranks->n; r++)
        for (size_t i = 0; c->part[r] && i < AZ_LENGTH(member_columns); i++)
            az_record_column_named(t, &member_columns[i],
                                   az_arena_printf(c->arena, "rank_%lld_%s",
                                                   (long long)c->ranks->v[r].rank,
                                                   member_columns[i].name));
}

static void put_ranks(const struct az_coll_run *c, struct az_table *t, const struct az_coll_coll *x)
{
    uint32_t i = 0;
    for (uint32_t r = 0; r < c->ranks->n; r++) {
        if (!c->part[r])
            continue;
        if (i == x->n || c->rank[az_coll_member(c, x, i)] != r) {
            az_put_cells(t, AZ_LENGTH(member_columns), NULL);
            continue;
        }
        const uint32_t g = az_coll_member(c, x, i++);
        az_put_cells(t, AZ_LENGTH(member_columns),
                     &(struct member_row){ az_coll_row(c, g, x), az_coll_start(c, g) - x->earliest,
                                           x->earliest + x->wall - az_coll_end(c, g) });
    }
}

/* Most data first; of equals the earlier one. */
static int by_data(const void *p, const void *q, void *ctx)
{
    const struct a2av *a = p, *b = q;
    (void)ctx;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1;
    return a->coll < b->coll ? -1 : a->coll > b->coll;
}

struct listing { /* rows of the table; in the arena */
    const struct az_coll_run *c;
    struct a2av *v;
    bool detailed;
};

static void make_row(const void *of, size_t row, struct az_table *t)
{
    const struct listing *l = of;
    const struct az_coll_coll *x = &l->c->colls.v[l->v[row].coll];
    const struct instance_row r = { az_coll_row(l->c, az_coll_member(l->c, x, 0), x), x,
                                    &l->v[row] };
    az_put_cells(t, AZ_LENGTH(instance_columns), &r);
    if (l->detailed)
        put_ranks(l->c, t, x);
    az_put_row(t, &r);
}

static int instances(struct work *k)
{
    struct az_coll_run *c = k->c;
    struct az_table *t =
        AZ_RECORD_TABLE(c->arena, "nccl_all2allv", "Uneven all-to-all", 0, instance_columns);
    struct listing *l = az_arena_alloc(c->arena, sizeof *l);
    if (!t || !l || !(l->v = az_arena_array(c->arena, k->v.n + 1, sizeof *l->v)))
        return az_job_add(c->job, t, az_arena_error(c->arena));
    l->c = c;
    l->detailed = k->v.n * c->ranks->n * 10 <= AZ_COLL_MOST_CELLS;
    if (k->v.n)
        memcpy(l->v, k->v.v, k->v.n * sizeof *l->v);
    if (l->detailed)
        rank_columns(c, t);
    AZ_RECORD_COLUMNS(t, other_columns);
    az_table_make(t, k->v.n, make_row, l);
    return az_job_add(c->job, t, 0);
}

/* ---- summary ---- */
AZ_OF_ITEM(const struct a2av *, one, &((const struct work *)s->ctx)->v.v[i->row])
static const struct az_coll_run *run_of(const struct az_scope *s)
{
    return ((const struct work *)s->ctx)->c;
}
AZ_OF_ITEM(const struct az_coll_coll *, coll_of, &run_of(s)->colls.v[one(s, i)->coll])
AZ_OF_ITEM(const struct az_coll_group *, group_of, &run_of(s)->groups.v[coll_of(s, i)->group])
AZ_OF_ITEM(const struct az_coll_what *, what_of,
           az_coll_what(run_of(s), az_coll_member(run_of(s), coll_of(s, i), 0)))

/* By group (name and members) and type. */
static bool group_number(const struct az_scope *s, const struct az_item *i, uint64_t *number)
{
    *number = coll_of(s, i)->group;
    return true;
}
static void put_group(const struct az_scope *s, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, group_of(s, i)->name);
}
AZ_OF_ITEM(struct az_sv, dtype_of, what_of(s, i)->dtype)
AZ_OF_ITEM(struct az_sv, members_of, group_of(s, i)->ranks)
AZ_OF_ITEM(struct az_sv, name_of, az_coll_name(what_of(s, i)))
static int64_t size_of(const struct az_scope *s, const struct az_item *i)
{
    const int64_t size = what_of(s, i)->size;
    return size < 0 ? AZ_UNKNOWN : size;
}
AZ_OF_ITEM(struct az_sv, span_of, az_sv_str(group_of(s, i)->span))
static const struct az_key group_key = { AZ_TEXT, .of = group_number, .put = put_group },
                           dtype_key = { AZ_TEXT, .text = dtype_of },
                           members_key = { AZ_TEXT, .text = members_of },
                           name_key = { AZ_TEXT, .text = name_of },
                           size_key = { AZ_INT, AZ_UNIT_COUNT, .integer = size_of },
                           span_key = { AZ_TEXT, .text = span_of };

AZ_OF_ITEM(double, data_of, megabytes_of(one(s, i)->bytes))
AZ_OF_ITEM(double, wall_of, az_us_from_ns(coll_of(s, i)->wall))
AZ_OF_ITEM(double, rate_of, throughput(run_of(s), one(s, i)))
AZ_OF_ITEM(double, imbalance_of, one(s, i)->imbalance)
AZ_OF_ITEM(double, longest_of, az_us_from_ns(coll_of(s, i)->longest))
AZ_OF_ITEM(double, skew_start_of, az_us_from_ns(coll_of(s, i)->skew_start))
AZ_OF_ITEM(double, skew_end_of, az_us_from_ns(coll_of(s, i)->skew_end))
AZ_OF_ITEM(double, rate_gib_of, az_coll_gib(rate_of(s, i)))
AZ_OF_ITEM(double, others_of, megabytes_of(one(s, i)->off_diagonal))
AZ_OF_ITEM(int64_t, wall_ns_of, coll_of(s, i)->wall)
AZ_OF_ITEM(int64_t, partial_of, (coll_of(s, i)->flags & AZ_COLL_PARTIAL) != 0)

enum {
    DATA,
    WALL,
    RATE,
    IMBALANCE,
    LONGEST,
    SKEW_START,
    SKEW_END,
    RATE_GIB,
    OTHERS,
    WALL_NS,
    PARTIAL
};
/* clang-format off */
#define MEAN(name, v, unit)  AZ_FIGURE(name "_mean", AZ_FIG_MEAN, v, unit, 0)
#define MOST(name, v, unit)  AZ_FIGURE(name "_max", AZ_FIG_MAX, v, unit, AZ_DETAIL)
#define SPREAD(name, v, unit) \
    MEAN(name, v, unit), AZ_FIGURE(name "_median", AZ_FIG_MEDIAN, v, unit, AZ_DETAIL), \
    AZ_FIGURE(name "_min", AZ_FIG_MIN, v, unit, AZ_DETAIL), MOST(name, v, unit)
#define SPREAD_STD(name, v, unit) \
    SPREAD(name, v, unit), AZ_FIGURE(name "_std", AZ_FIG_STD, v, unit, AZ_DETAIL)
#define SUMMARY(WITH) { \
    "nccl_summary_all2allv", "Uneven all-to-all by group", AZ_TABLE_SUMMARY, \
    .values = { [DATA] = { .real = data_of },           [WALL] = { .real = wall_of }, \
                [RATE] = { .real = rate_of },           [IMBALANCE] = { .real = imbalance_of }, \
                [LONGEST] = { .real = longest_of },     [SKEW_START] = { .real = skew_start_of }, \
                [SKEW_END] = { .real = skew_end_of },   [RATE_GIB] = { .real = rate_gib_of }, \
                [OTHERS] = { .real = others_of },       [WALL_NS] = { wall_ns_of }, \
                [PARTIAL] = { partial_of } }, \
    .columns = { \
        { "Process Group Name", &group_key, .flags = AZ_KEY }, \
        { "dtype", &dtype_key, .flags = AZ_KEY }, \
        WITH("total data communicated (MB)", DATA, AZ_UNIT_MB), \
        WITH("wall_time (us)", WALL, AZ_UNIT_US), \
        { "Total wall_time (us)", .figure = AZ_FIG_SUM, .value = WALL_NS, .unit = AZ_UNIT_US, .flags = AZ_DETAIL, .sort = -1 }, \
        WITH("throughput (GB/s)", RATE, AZ_UNIT_GBPS), \
        MEAN("size_imbalance", IMBALANCE, AZ_UNIT_RATIO), MOST("size_imbalance", IMBALANCE, AZ_UNIT_RATIO), \
        MEAN("max_rank_dur (us)", LONGEST, AZ_UNIT_US), MOST("max_rank_dur (us)", LONGEST, AZ_UNIT_US), \
        MEAN("skew in start time", SKEW_START, AZ_UNIT_US), MOST("skew in start time", SKEW_START, AZ_UNIT_US), \
        MEAN("skew in end time", SKEW_END, AZ_UNIT_US), MOST("skew in end time", SKEW_END, AZ_UNIT_US), \
        { "count", .figure = AZ_FIG_COUNT, .value = WALL_NS }, \
        { "Process Group Ranks", &members_key, .flags = AZ_DETAIL, .follows = true }, \
        { "Collective name", &name_key, .flags = AZ_DETAIL, .follows = true }, \
        { "Group size", &size_key, .follows = true }, \
        { "Total wall_time (ms)", .figure = AZ_FIG_SUM, .value = WALL_NS, .unit = AZ_UNIT_MS, .flags = AZ_LOWER_BETTER }, \
        { "node_span", &span_key, .flags = AZ_DETAIL, .follows = true }, \
        SPREAD("throughput (GiB/s)", RATE_GIB, AZ_UNIT_NONE), \
        SPREAD("data to other ranks (MB)", OTHERS, AZ_UNIT_MB), \
        { "partial", .figure = AZ_FIG_SUM, .value = PARTIAL, .unit = AZ_UNIT_COUNT } } \
    }
static const struct az_table_spec summary = SUMMARY(SPREAD), summary_std = SUMMARY(SPREAD_STD);
/* clang-format on */

static int tables(struct work *k)
{
    struct az_mem *mem = k->c->job->mem;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < k->c->colls.n; i++)
        if (k->c->colls.v[i].kind == AZ_COLL_ALLTOALLV)
            rc = instance(k, i);
    if (rc || k->v.n == 0)
        return rc;
    az_sort_cmp(k->v.v, k->v.n, sizeof *k->v.v, by_data, NULL, mem);
    if (rc == 0)
        rc = az_spec_make(k->c->job, az_coll_has_std(k->c) ? &summary_std : &summary, k,
                          &(struct az_item_list){ .n = k->v.n });
    if (rc == 0)
        rc = instances(k);
    return rc ? rc : az_coll_flow_tables(k->flows);
}

int az_coll_a2av_tables(struct az_coll_run *c)
{
    struct work k = { .c = c };
    az_vec_init(&k.v, c->job->mem);
    int rc = az_coll_flows_open(&k.flows, c);
    if (rc == 0)
        rc = tables(&k);
    az_coll_flows_close(k.flows);
    az_vec_release(&k.v);
    return rc;
}
