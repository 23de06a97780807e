/* One row a collective, and their summary by kind, type and size. docs/formulas-collectives.md 3
 * and 4. */
#include "analyses/collectives/collectives.h"
#include "base/time_units.h"
#include "document/record.h"
#include "facts/groups.h"

#include <math.h>

static struct az_sv shown_name(const struct az_coll_run *c, const struct az_coll_coll *x)
{
    return x->flags & AZ_COLL_PAIR ? AZ_SV("send_recv")
                                   : az_coll_name(az_coll_what(c, az_coll_member(c, x, 0)));
}

static double average_wait(const struct az_coll_coll *x, int64_t sum)
{
    return x->n > 1 ? (double)sum / (double)x->n / 1e3 : NAN;
}

static double full_mb(const struct az_coll_coll *x)
{
    return x->bytes < 0 ? NAN : (double)x->bytes / (1024.0 * 1024.0);
}
static double skew_start_of(const struct az_coll_coll *x)
{
    return x->n > 1 ? az_us_from_ns(x->skew_start) : NAN;
}
static double skew_end_of(const struct az_coll_coll *x)
{
    return x->n > 1 ? az_us_from_ns(x->skew_end) : NAN;
}

/* ---- one row a collective ---- */
#define ROW struct az_coll_row
AZ_TEXT_OF_RECORD(shown_cell, ROW, shown_name(r->run, r->coll))
AZ_OF_RECORD(double, full_mb_cell, ROW, full_mb(r->coll))
AZ_OF_RECORD(double, skew_start, ROW, skew_start_of(r->coll))
AZ_OF_RECORD(double, skew_end, ROW, skew_end_of(r->coll))
AZ_OF_RECORD(double, mean_wait, ROW,
             r->coll->n > 1 ? (double)r->coll->wait_sum / (double)r->coll->n / 1e3 : NAN)
AZ_OF_RECORD(int64_t, first_rank, ROW,
             r->coll->n > 1
                 ? az_coll_rank(r->run, az_coll_member(r->run, r->coll, r->coll->first_in))
                 : -1)

static const struct az_record_column first_columns[] = {
    { "collective_id", AZ_TEXT, .flags = AZ_KEY, .text = az_coll_cell_id },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, group, name) },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, group, ranks) },
    { "Collective name", AZ_TEXT, .flags = AZ_KEY, .text = shown_cell },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, size) },
    { "dtype", AZ_TEXT, AZ_KNOWN_VIA(ROW, what, dtype) },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, in) },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, out) },
    { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_in_mb },
    { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_out_mb },
    { "Full msg size (MB)", AZ_REAL, AZ_UNIT_MB, .real = full_mb_cell },
    { "comm_latency", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, coll, latency) },
    { "skew in start time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = skew_start },
    { "earliest arrival rank", AZ_INT, AZ_UNIT_ID, .integer = first_rank, .known = true },
    { "avg_wait_time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = mean_wait },
    { "skew in end time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = skew_end },
    { "algo bw (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_VIA(ROW, coll, gbps) },
    { "bus bw (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_VIA(ROW, coll, bus_gbps) },
};

static void rank_column(struct az_coll_run *c, struct az_table *t, size_t r, const char *what)
{
    const struct az_sv name =
        az_arena_printf(c->arena, "rank_%lld_%s", (long long)c->ranks->v[r].rank, what);
    az_table_columnsv(t, name, AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
}

static void rank_columns(struct az_coll_run *c, struct az_table *t)
{
    for (size_t r = 0; r < c->ranks->n; r++) {
        if (!c->part[r])
            continue;
        rank_column(c, t, r, "ts");
        rank_column(c, t, r, "dur");
    }
    for (size_t r = 0; r < c->ranks->n; r++)
        if (c->part[r])
            rank_column(c, t, r, "wait_time");
}

AZ_OF_RECORD(double, algo_gib, ROW, az_coll_gib(r->coll->gbps))
AZ_OF_RECORD(double, bus_gib, ROW, az_coll_gib(r->coll->bus_gbps))
AZ_OF_RECORD(int64_t, is_partial, ROW, r->coll->flags &AZ_COLL_PARTIAL)
AZ_OF_RECORD(int64_t, is_sync, ROW, r->coll->flags &AZ_COLL_SYNC)
AZ_OF_RECORD(double, clock_wait, ROW, average_wait(r->coll, r->coll->clock_sum))
AZ_OF_RECORD(double, clock_free_wait, ROW, average_wait(r->coll, r->coll->duration_sum))
AZ_TEXT_OF_RECORD(status, ROW,
                  r->coll->flags &AZ_COLL_INCOMPLETE    ? AZ_SV("incomplete")
                  : r->coll->flags &AZ_COLL_PARTIAL     ? AZ_SV("partial")
                  : r->coll->flags &AZ_COLL_ARGS_DIFFER ? AZ_SV("arguments differ")
                                                        : AZ_SV("complete"))

static const struct az_record_column last_columns[] = {
    { "node_span", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, group, span) },
    { "last arrival rank", AZ_INT, AZ_UNIT_ID, .integer = az_coll_cell_last_rank, .known = true },
    { "algo bw (GiB/s)", AZ_REAL, .flags = AZ_DETAIL | AZ_HIGHER_BETTER, .real = algo_gib },
    { "bus bw (GiB/s)", AZ_REAL, .flags = AZ_DETAIL | AZ_HIGHER_BETTER, .real = bus_gib },
    { "n_present", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, coll, n) },
    { "n_expected", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_VIA(ROW, coll, expected) },
    { "partial", AZ_BOOL, .flags = AZ_DETAIL, .integer = is_partial },
    { "status", AZ_TEXT, .text = status },
    { "implicit_sync", AZ_BOOL, .flags = AZ_DETAIL, .integer = is_sync },
    { "avg_wait_time (clock)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = clock_wait },
    { "avg_wait_time (clock-free)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = clock_free_wait },
    { "hidden_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, coll, hidden) },
    { "exposed_wait_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL | AZ_LOWER_BETTER,
      AZ_VIA(ROW, coll, exposed_wait) },
    { "exposed_transfer_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL | AZ_LOWER_BETTER,
      AZ_VIA(ROW, coll, exposed_transfer) },
};

/* Cells of each rank with a part: what(member's event), empty where the rank takes no part. */
static void put_ranks(const struct az_coll_run *c, struct az_table *t, const struct az_coll_coll *x,
                      int what)
{
    uint32_t i = 0;
    for (uint32_t r = 0; r < c->ranks->n; r++) {
        const bool in = i < x->n && c->rank[az_coll_member(c, x, i)] == r;
        const uint32_t g = in ? az_coll_member(c, x, i) : 0;
        i += in;
        if (!c->part[r])
            continue;
        if (what == 0) {
            az_put_f64(t, in ? az_us_from_ns(az_coll_file_start(c, g)) : NAN);
            az_put_f64(t, in ? az_us_from_ns(az_coll_length(c, g)) : NAN);
        } else {
            const bool known = in && x->n > 1;
            az_put_f64(t, !known ? NAN
                                 : az_us_from_ns(what == 1 ? az_coll_wait(c, x, g)
                                                           : az_coll_wait_duration(c, x, g)));
        }
    }
}

struct listing { /* rows of a table; in the arena */
    const struct az_coll_run *c;
    uint32_t *coll;
    bool detailed;
};

static void make_row(const void *of, size_t row, struct az_table *t)
{
    const struct listing *l = of;
    const struct az_coll_coll *x = &l->c->colls.v[l->coll[row]];
    const struct az_coll_row r = az_coll_row(l->c, az_coll_member(l->c, x, 0), x);
    az_put_cells(t, AZ_LENGTH(first_columns), &r);
    if (l->detailed) {
        put_ranks(l->c, t, x, 0);
        put_ranks(l->c, t, x, 1);
    }
    az_put_row(t, &r);
    if (l->detailed)
        put_ranks(l->c, t, x, 2);
}

static int collectives(struct az_coll_run *c, const char *id, bool detailed)
{
    /* With the older names both are there: two entries of one title could not be distinguished. */
    struct az_table *t = AZ_RECORD_TABLE(
        c->arena, id, detailed ? "Collectives across ranks, per rank" : "Collectives across ranks",
        0, first_columns);
    struct listing *l = az_arena_alloc(c->arena, sizeof *l);
    if (!t || !l || !(l->coll = az_arena_array(c->arena, c->colls.n + 1, sizeof *l->coll)))
        return az_job_add(c->job, t, az_arena_error(c->arena));
    if (detailed && c->colls.n * c->ranks->n > AZ_COLL_MOST_CELLS / 4) {
        az_cover(
            c->job, "columns of each rank skipped", (double)c->ranks->n, "",
            az_arena_printf(c->arena, "too many cells in %s; see nccl_long for all events", id));
        detailed = false;
    }
    if (detailed)
        rank_columns(c, t);
    AZ_RECORD_COLUMNS(t, last_columns);
    for (size_t r = 0; detailed && r < c->ranks->n; r++)
        if (c->part[r])
            rank_column(c, t, r, "wait_time (clock-free)");
    size_t rows = 0;
    for (uint32_t i = 0; i < c->colls.n; i++)
        if (c->colls.v[i].kind != AZ_COLL_ALLTOALLV)
            l->coll[rows++] = i;
    l->c = c;
    l->detailed = detailed;
    az_table_make(t, rows, make_row, l);
    return az_job_add(c->job, t, 0);
}

/* ---- summary ---- */
struct figure {
    const char *name;
    enum az_unit unit;
    unsigned flags;
    double (*of)(const struct az_coll_coll *x);
};

static double latency_of(const struct az_coll_coll *x) { return az_us_from_ns(x->latency); }
static double algo_of(const struct az_coll_coll *x) { return x->gbps; }
static double bus_of(const struct az_coll_coll *x) { return x->bus_gbps; }
static double algo_gib_of(const struct az_coll_coll *x) { return az_coll_gib(x->gbps); }
static double bus_gib_of(const struct az_coll_coll *x) { return az_coll_gib(x->bus_gbps); }

static const struct figure theirs[] = {
    { "comm_latency", AZ_UNIT_US, AZ_LOWER_BETTER, latency_of },
    { "skew in start time", AZ_UNIT_US, AZ_LOWER_BETTER, skew_start_of },
    { "skew in end time", AZ_UNIT_US, AZ_DETAIL, skew_end_of },
    { "algo bw (GB/s)", AZ_UNIT_GBPS, AZ_HIGHER_BETTER, algo_of },
    { "bus bw (GB/s)", AZ_UNIT_GBPS, AZ_HIGHER_BETTER, bus_of }
};
static const struct figure ours[] = { { "algo bw (GiB/s)", AZ_UNIT_NONE, AZ_DETAIL, algo_gib_of },
                                      { "bus bw (GiB/s)", AZ_UNIT_NONE, AZ_DETAIL, bus_gib_of } };
static const char *const aggregates[] = { "mean", "median", "min", "max", "std" };

static void figure_columns(struct az_coll_run *c, struct az_table *t, const struct figure *f,
                           size_t n, size_t n_agg)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_agg; k++)
            az_table_columnsv(t, az_arena_printf(c->arena, "%s_%s", f[i].name, aggregates[k]),
                              AZ_REAL, f[i].unit, f[i].flags | (k ? AZ_DETAIL : 0));
}

/* The first n_agg statistics of what is known; v: room for n. */
static void put_figure(const struct az_coll_run *c, struct az_table *t, const struct figure *f,
                       const uint32_t *items, size_t n, double *v, size_t n_agg)
{
    for (size_t i = 0; i < n; i++)
        v[i] = f->of(&c->colls.v[items[i]]);
    const struct az_coll_spread s = az_coll_spread(v, n);
    const double out[] = { s.mean, s.median, s.least, s.most, s.deviation };
    for (size_t k = 0; k < n_agg; k++)
        az_put_f64(t, out[k]);
}

struct summary_row {
    struct az_sv name;
    const struct az_coll_what *what;
    const struct az_coll_group *group;
    double full_mb;
    int64_t count, total, partial, sizes;
    bool sync;
};
#undef ROW
#define ROW struct summary_row
static const struct az_record_column key_columns[] = {
    { "Collective name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
    { "dtype", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, what, dtype) },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY, AZ_KNOWN_VIA(ROW, what, in) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, group, name) },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(ROW, what, size) },
    { "Full msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_FIELD(ROW, full_mb) },
};
static const struct az_record_column sum_columns[] = {
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, count) },
    { "Total comm latency (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, total),
      .sort = -1 },
};
static const struct az_record_column other_columns[] = {
    { "partial", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, partial) },
    { "implicit_sync", AZ_BOOL, .flags = AZ_DETAIL, AZ_FIELD(ROW, sync) },
    { "Group sizes", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, sizes) },
};

static struct az_table *summary_new(struct az_coll_run *c, const char *id, size_t n_agg)
{
    struct az_table *t = AZ_RECORD_TABLE(c->arena, id, "Collectives by kind, type, size",
                                         AZ_TABLE_SUMMARY, key_columns);
    figure_columns(c, t, theirs, AZ_LENGTH(theirs), n_agg);
    AZ_RECORD_COLUMNS(t, sum_columns);
    figure_columns(c, t, ours, AZ_LENGTH(ours), n_agg);
    AZ_RECORD_COLUMNS(t, other_columns);
    return t;
}

/* How many different group sizes are in one row: its bandwidths are of one size only where that
 * is 1. */
static int64_t group_sizes(const struct az_coll_run *c, const uint32_t *items, size_t n)
{
    int64_t sizes = 0;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && k < 64 && !seen; k++)
            seen = c->colls.v[items[k]].expected == c->colls.v[items[i]].expected;
        sizes += !seen;
        if (i >= 64) /* enough to distinguish one from several */
            break;
    }
    return sizes;
}

static void put_summary(struct az_coll_run *c, struct az_table *t, const uint32_t *items, size_t n,
                        double *v, size_t n_agg)
{
    const struct az_coll_coll *x = &c->colls.v[items[0]];
    int64_t total = 0, partial = 0;
    for (size_t i = 0; i < n; i++) {
        const struct az_coll_coll *y = &c->colls.v[items[i]];
        x = y->group < x->group || (y->group == x->group && y->k < x->k) ? y : x;
        total = az_add_sat(total, y->latency);
        partial += (y->flags & AZ_COLL_PARTIAL) != 0;
    }
    const struct summary_row r = { .name = shown_name(c, x),
                                   .what = az_coll_what(c, az_coll_member(c, x, 0)),
                                   .group = &c->groups.v[x->group],
                                   .full_mb = full_mb(x),
                                   .count = (int64_t)n,
                                   .total = total,
                                   .partial = partial,
                                   .sizes = group_sizes(c, items, n),
                                   .sync = x->flags & AZ_COLL_SYNC };
    az_put_row(t, &r);
    for (size_t i = 0; i < AZ_LENGTH(theirs); i++)
        put_figure(c, t, &theirs[i], items, n, v, n_agg);
    az_put_row(t, &r);
    for (size_t i = 0; i < AZ_LENGTH(ours); i++)
        put_figure(c, t, &ours[i], items, n, v, n_agg);
    az_put_row(t, &r);
}

/* All but the all-to-alls of uneven sizes, which have tables of their own. */
static int same_kind(void *ctx, size_t i, uint64_t key[2])
{
    const struct az_coll_run *c = ctx;
    const struct az_coll_coll *x = &c->colls.v[i];
    const struct az_coll_what *w = az_coll_what(c, az_coll_member(c, x, 0));
    const struct az_sv name = shown_name(c, x);
    const uint64_t all[] = { az_hash(name.p, name.n), az_hash(w->dtype.p, w->dtype.n),
                             (uint64_t)w->in };
    key[0] = az_hash(all, sizeof all);
    key[1] = all[2];
    return x->kind != AZ_COLL_ALLTOALLV;
}

static int summary(struct az_coll_run *c, const char *id, size_t n_agg)
{
    struct az_table *t = summary_new(c, id, n_agg);
    struct az_groups groups = { 0 };
    int rc = az_groups_by(&groups, c->colls.n, same_kind, c, c->job->mem);
    double *v = az_mem_alloc(c->job->mem, (groups.largest + 1) * sizeof *v);
    if (rc == 0 && !v)
        rc = az_mem_error(c->job->mem);
    for (size_t k = 0; rc == 0 && k < groups.groups; k++) {
        size_t n;
        const uint32_t *items = az_groups_items(&groups, k, &n);
        put_summary(c, t, items, n, v, n_agg);
    }
    az_mem_free(c->job->mem, v, (groups.largest + 1) * sizeof *v);
    az_groups_release(&groups);
    return az_job_add(c->job, t, rc ? rc : az_record_sort(t));
}

int az_coll_sync_tables(struct az_coll_run *c)
{
    int rc = 0;
    if (az_coll_current_names(c)) {
        rc = summary(c, "nccl_summary_implicit_sync", az_coll_has_std(c) ? 5 : 4);
        if (rc == 0)
            rc = collectives(c, "nccl_implicit_sync", true);
    }
    if (rc || !az_coll_historic_names(c))
        return rc;
    rc = summary(c, "summary_nccl_implicit_sync_cat", 1);
    if (rc == 0)
        rc = collectives(c, "nccl_implicit_sync_cat", false);
    return rc ? rc : collectives(c, "nccl_implicit_sync_cat_detailed", true);
}
