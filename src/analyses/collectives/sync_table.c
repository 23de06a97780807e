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

static double gib(double gbps) { return gbps / 1.073741824; }

static double average_wait(const struct az_coll_run *c, const struct az_coll_coll *x,
                           bool by_duration)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        const uint32_t g = az_coll_member(c, x, i);
        sum = az_add_sat(sum, by_duration ? az_coll_wait_duration(c, x, g)
                                          : az_coll_wait_clock(c, x, g));
    }
    return (double)sum / (double)x->n / 1e3;
}

static const struct az_record_column first_column_list[] = {
    { "collective_id", AZ_TEXT, .flags = AZ_KEY },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL },
    { "Collective name", AZ_TEXT, .flags = AZ_KEY },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "dtype", .type = AZ_TEXT },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, .flags = AZ_DETAIL },
    { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, .flags = AZ_DETAIL },
    { "Full msg size (MB)", AZ_REAL, .unit = AZ_UNIT_MB },
    { "comm_latency", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "skew in start time", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "earliest arrival rank", AZ_INT, .unit = AZ_UNIT_ID },
    { "avg_wait_time", AZ_REAL, AZ_UNIT_US, .flags = AZ_LOWER_BETTER },
    { "skew in end time", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "algo bw (GB/s)", AZ_REAL, AZ_UNIT_GBPS, .flags = AZ_HIGHER_BETTER },
    { "bus bw (GB/s)", AZ_REAL, AZ_UNIT_GBPS, .flags = AZ_HIGHER_BETTER },
};

/* ---- one row a collective ---- */
static void first_columns(struct az_table *t)
{
    az_record_columns(t, first_column_list, AZ_LENGTH(first_column_list));
}

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

static const struct az_record_column last_column_list[] = {
    { "node_span", AZ_TEXT, .flags = AZ_DETAIL },
    { "last arrival rank", AZ_INT, .unit = AZ_UNIT_ID },
    { "algo bw (GiB/s)", AZ_REAL, .flags = AZ_DETAIL | AZ_HIGHER_BETTER },
    { "bus bw (GiB/s)", AZ_REAL, .flags = AZ_DETAIL | AZ_HIGHER_BETTER },
    { "n_present", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "n_expected", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
    { "partial", AZ_BOOL, .flags = AZ_DETAIL },
    { "status", .type = AZ_TEXT },
    { "implicit_sync", AZ_BOOL, .flags = AZ_DETAIL },
    { "avg_wait_time (clock)", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "avg_wait_time (clock-free)", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "hidden_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL },
    { "exposed_wait_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL | AZ_LOWER_BETTER },
    { "exposed_transfer_us", AZ_REAL, AZ_UNIT_US, .flags = AZ_DETAIL | AZ_LOWER_BETTER },
};

static void last_columns(struct az_coll_run *c, struct az_table *t, bool detailed)
{
    az_record_columns(t, last_column_list, AZ_LENGTH(last_column_list));
    for (size_t r = 0; detailed && r < c->ranks->n; r++)
        if (c->part[r])
            rank_column(c, t, r, "wait_time (clock-free)");
}

static void put_first(const struct az_coll_run *c, struct az_table *t, const struct az_coll_coll *x)
{
    const uint32_t g = az_coll_member(c, x, 0);
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[x->group];
    az_put_text(t, az_coll_id(c, x, t->arena));
    az_put_text(t, group->name);
    az_put_given(t, group->ranks);
    az_put_text(t, shown_name(c, x));
    az_put_known(t, w->size);
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    az_put_known(t, w->out);
    az_put_f64(t, az_coll_mb(w, w->in));
    az_put_f64(t, az_coll_mb(w, w->out));
    az_put_f64(t, x->bytes < 0 ? NAN : (double)x->bytes / (1024.0 * 1024.0));
    az_put_f64(t, az_us_from_ns(x->latency));
    az_put_f64(t, x->n > 1 ? az_us_from_ns(x->skew_start) : NAN);
    az_put_known(t, x->n > 1 ? az_coll_rank(c, az_coll_member(c, x, x->first_in)) : -1);
    az_put_f64(t, x->n > 1 ? (double)x->wait_sum / (double)x->n / 1e3 : NAN);
    az_put_f64(t, x->n > 1 ? az_us_from_ns(x->skew_end) : NAN);
    az_put_f64(t, x->gbps);
    az_put_f64(t, x->bus_gbps);
}

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
            az_put_f64(t, in ? az_us_from_ns(az_coll_event(c, g)->start) : NAN);
            az_put_f64(t, in ? az_us_from_ns(az_coll_event(c, g)->end - az_coll_event(c, g)->start)
                             : NAN);
        } else {
            const bool known = in && x->n > 1;
            az_put_f64(t, !known ? NAN
                                 : az_us_from_ns(what == 1 ? az_coll_wait(c, x, g)
                                                           : az_coll_wait_duration(c, x, g)));
        }
    }
}

static void put_last(const struct az_coll_run *c, struct az_table *t, const struct az_coll_coll *x)
{
    const bool several = x->n > 1;
    az_put_text(t, az_sv_str(c->groups.v[x->group].span));
    az_put_known(t, several ? az_coll_rank(c, az_coll_member(c, x, x->last)) : -1);
    az_put_f64(t, gib(x->gbps));
    az_put_f64(t, gib(x->bus_gbps));
    az_put_i64(t, x->n);
    az_put_i64(t, x->expected);
    az_put_bool(t, x->flags & AZ_COLL_PARTIAL);
    az_put_text(t, x->flags & AZ_COLL_INCOMPLETE    ? AZ_SV("incomplete")
                   : x->flags & AZ_COLL_PARTIAL     ? AZ_SV("partial")
                   : x->flags & AZ_COLL_ARGS_DIFFER ? AZ_SV("arguments differ")
                                                    : AZ_SV("complete"));
    az_put_bool(t, x->flags & AZ_COLL_SYNC);
    az_put_f64(t, several ? average_wait(c, x, false) : NAN);
    az_put_f64(t, several ? average_wait(c, x, true) : NAN);
    az_put_f64(t, az_us_from_ns(x->hidden));
    az_put_f64(t, az_us_from_ns(x->exposed_wait));
    az_put_f64(t, az_us_from_ns(x->exposed_transfer));
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
    put_first(l->c, t, x);
    if (l->detailed) {
        put_ranks(l->c, t, x, 0);
        put_ranks(l->c, t, x, 1);
    }
    put_last(l->c, t, x);
    if (l->detailed)
        put_ranks(l->c, t, x, 2);
}

static int collectives(struct az_coll_run *c, const char *id, bool detailed)
{
    /* With the older names both are there: two entries of one title could not be distinguished. */
    struct az_table *t = az_table_new(
        c->arena, id, detailed ? "Collectives across ranks, per rank" : "Collectives across ranks",
        0);
    struct listing *l = az_arena_alloc(c->arena, sizeof *l);
    if (!t || !l || !(l->coll = az_arena_array(c->arena, c->colls.n + 1, sizeof *l->coll)))
        return az_arena_error(c->arena);
    if (detailed && c->colls.n * c->ranks->n > AZ_COLL_MOST_CELLS / 4) {
        az_cover(
            c->job, "columns of each rank skipped", (double)c->ranks->n, "",
            az_arena_printf(c->arena, "too many cells in %s; see nccl_long for all events", id));
        detailed = false;
    }
    first_columns(t);
    if (detailed)
        rank_columns(c, t);
    last_columns(c, t, detailed);
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
static double skew_start_of(const struct az_coll_coll *x)
{
    return x->n > 1 ? az_us_from_ns(x->skew_start) : NAN;
}
static double skew_end_of(const struct az_coll_coll *x)
{
    return x->n > 1 ? az_us_from_ns(x->skew_end) : NAN;
}
static double algo_of(const struct az_coll_coll *x) { return x->gbps; }
static double bus_of(const struct az_coll_coll *x) { return x->bus_gbps; }
static double algo_gib_of(const struct az_coll_coll *x) { return gib(x->gbps); }
static double bus_gib_of(const struct az_coll_coll *x) { return gib(x->bus_gbps); }

static const struct figure theirs[] = {
    { "comm_latency", AZ_UNIT_US, AZ_LOWER_BETTER, latency_of },
    { "skew in start time", AZ_UNIT_US, AZ_LOWER_BETTER, skew_start_of },
    { "skew in end time", AZ_UNIT_US, AZ_DETAIL, skew_end_of },
    { "algo bw (GB/s)", AZ_UNIT_GBPS, AZ_HIGHER_BETTER, algo_of },
    { "bus bw (GB/s)", AZ_UNIT_GBPS, AZ_HIGHER_BETTER, bus_of }
};
static const struct figure ours[] = { { "algo bw (GiB/s)", AZ_UNIT_NONE, AZ_DETAIL, algo_gib_of },
                                      { "bus bw (GiB/s)", AZ_UNIT_NONE, AZ_DETAIL, bus_gib_of } };
static const char *const aggregates[] = { "mean", "median", "min", "max" };

static void figure_columns(struct az_coll_run *c, struct az_table *t, const struct figure *f,
                           size_t n, size_t n_agg)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n_agg; k++)
            az_table_columnsv(t, az_arena_printf(c->arena, "%s_%s", f[i].name, aggregates[k]),
                              AZ_REAL, f[i].unit, f[i].flags | (k ? AZ_DETAIL : 0));
}

/* Mean, median, least and greatest of what is known; v: room for n. */
static void put_figure(const struct az_coll_run *c, struct az_table *t, const struct figure *f,
                       const uint32_t *items, size_t n, double *v, size_t n_agg)
{
    for (size_t i = 0; i < n; i++)
        v[i] = f->of(&c->colls.v[items[i]]);
    const struct az_coll_spread s = az_coll_spread(v, n);
    const double out[] = { s.mean, s.median, s.least, s.most };
    for (size_t k = 0; k < n_agg; k++)
        az_put_f64(t, out[k]);
}

static const struct az_record_column summary_column_list_2[] = {
    { "Collective name", AZ_TEXT, .flags = AZ_KEY },
    { "dtype", AZ_TEXT, .flags = AZ_KEY },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_KEY },
    { "Process Group Name", AZ_TEXT, .flags = AZ_DETAIL },
    { "Group size", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Full msg size (MB)", AZ_REAL, .unit = AZ_UNIT_MB },
};

static const struct az_record_column summary_column_list[] = {
    { "partial", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "implicit_sync", AZ_BOOL, .flags = AZ_DETAIL },
    { "Group sizes", AZ_INT, AZ_UNIT_COUNT, .flags = AZ_DETAIL },
};

static void summary_columns(struct az_coll_run *c, struct az_table *t, size_t n_agg)
{
    az_record_columns(t, summary_column_list_2, AZ_LENGTH(summary_column_list_2));
    figure_columns(c, t, theirs, AZ_LENGTH(theirs), n_agg);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Total comm latency (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    figure_columns(c, t, ours, AZ_LENGTH(ours), n_agg);
    az_record_columns(t, summary_column_list, AZ_LENGTH(summary_column_list));
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
    const struct az_coll_what *w = az_coll_what(c, az_coll_member(c, x, 0));
    az_put_text(t, shown_name(c, x));
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    az_put_text(t, c->groups.v[x->group].name);
    az_put_known(t, w->size);
    az_put_f64(t, x->bytes < 0 ? NAN : (double)x->bytes / (1024.0 * 1024.0));
    for (size_t i = 0; i < AZ_LENGTH(theirs); i++)
        put_figure(c, t, &theirs[i], items, n, v, n_agg);
    az_put_i64(t, (int64_t)n);
    az_put_f64(t, az_ms_from_ns(total));
    for (size_t i = 0; i < AZ_LENGTH(ours); i++)
        put_figure(c, t, &ours[i], items, n, v, n_agg);
    az_put_i64(t, partial);
    az_put_bool(t, x->flags & AZ_COLL_SYNC);
    az_put_i64(t, group_sizes(c, items, n));
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
    struct az_table *t =
        az_table_new(c->arena, id, "Collectives by kind, type, size", AZ_TABLE_SUMMARY);
    struct az_groups groups = { 0 };
    summary_columns(c, t, n_agg);
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
    const int by = -(int)az_table_find(t, "Total comm latency (ms)") - 1;
    if (rc == 0)
        rc = az_table_sort(t, &by, 1);
    return az_job_add(c->job, t, rc);
}

int az_coll_sync_tables(struct az_coll_run *c)
{
    int rc = 0;
    if (az_coll_current_names(c)) {
        rc = summary(c, "nccl_summary_implicit_sync", 4);
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
