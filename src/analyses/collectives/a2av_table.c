/* All-to-all with sizes of its own for every pair of ranks: instances, their summary, who sends how
 * much to whom. docs/formulas-collectives.md 3.3. */
#include "analyses/collectives/collectives.h"
#include "base/sort.h"
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
    struct az_cr *c;
    struct a2avs v;
    struct cr_flows *flows;
};

static int64_t bytes_in(const struct az_coll_what *w)
{
    const int64_t size = az_coll_dtype_bytes(w->dtype);
    int64_t b;
    return size && w->in >= 0 && !__builtin_mul_overflow(size, w->in, &b) ? b : -1;
}

static int instance(struct work *k, uint32_t coll)
{
    const struct az_cr *c = k->c;
    const struct az_coll_coll *x = &c->colls.v[coll];
    struct a2av a = { .coll = coll, .imbalance = NAN, .fastest = NAN, .slowest = NAN };
    int64_t most = 0, own;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < x->n; i++) {
        const uint32_t g = az_coll_member(c, x, i);
        const struct az_coll_event *e = az_coll_event(c, g);
        const int64_t b = bytes_in(az_coll_what(c, g)), d = e->end - e->start;
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

static double mb(int64_t bytes) { return bytes < 0 ? NAN : (double)bytes / (1024.0 * 1024.0); }

static double gib(double gbps) { return gbps / 1.073741824; }

static double throughput(const struct az_cr *c, const struct a2av *a)
{
    const int64_t wall = c->colls.v[a->coll].wall;
    return a->bytes < 0 || wall <= 0 ? NAN : (double)a->bytes / (double)wall;
}

/* ---- instances ---- */
static void instance_columns(struct az_table *t)
{
    az_table_column(t, "collective_id", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Process Group Ranks", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Collective name", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Group size", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "dtype", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "stream", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "total data communicated (MB)", AZ_REAL, AZ_UNIT_MB, 0);
    az_table_column(t, "total nelems communicated", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "wall_time (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "max_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "min_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "avg_rank_dur (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    az_table_column(t, "throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER);
    az_table_column(t, "max_rank_throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_DETAIL);
    az_table_column(t, "min_rank_throughput (GB/s)", AZ_REAL, AZ_UNIT_GBPS, AZ_DETAIL);
    az_table_column(t, "size_imbalance", AZ_REAL, AZ_UNIT_RATIO, AZ_LOWER_BETTER);
    az_table_column(t, "skew in start time", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "skew in end time", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
}

static void rank_columns(struct az_cr *c, struct az_table *t)
{
    static const struct {
        const char *name;
        enum az_cell_type type;
        enum az_unit unit;
    } of[] = { { "ts", AZ_REAL, AZ_UNIT_US },
               { "dur", AZ_REAL, AZ_UNIT_US },
               { "In msg nelems", AZ_INT, AZ_UNIT_COUNT },
               { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT },
               { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB },
               { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB },
               { "In split size", AZ_TEXT, AZ_UNIT_NONE },
               { "Out split size", AZ_TEXT, AZ_UNIT_NONE },
               { "skew in start time", AZ_REAL, AZ_UNIT_US },
               { "skew in end time", AZ_REAL, AZ_UNIT_US } };
    for (size_t r = 0; r < c->ranks->n; r++)
        for (size_t i = 0; c->part[r] && i < AZ_LENGTH(of); i++)
            az_table_columnsv(t,
                              az_arena_printf(c->arena, "rank_%lld_%s",
                                              (long long)c->ranks->v[r].rank, of[i].name),
                              of[i].type, of[i].unit, AZ_DETAIL);
}

static void put_ranks(const struct az_cr *c, struct az_table *t, const struct az_coll_coll *x)
{
    uint32_t i = 0;
    for (uint32_t r = 0; r < c->ranks->n; r++) {
        if (!c->part[r])
            continue;
        if (i == x->n || c->rank[az_coll_member(c, x, i)] != r) {
            for (int k = 0; k < 10; k++)
                az_put_empty(t);
            continue;
        }
        const uint32_t g = az_coll_member(c, x, i++);
        const struct az_coll_what *w = az_coll_what(c, g);
        az_coll_put_clock_us(t, c, g);
        az_put_f64(t, az_coll_us(az_coll_event(c, g)->end - az_coll_event(c, g)->start));
        az_put_known(t, w->in);
        az_put_known(t, w->out);
        az_put_f64(t, az_coll_mb(w, w->in));
        az_put_f64(t, az_coll_mb(w, w->out));
        az_put_given(t, w->in_split);
        az_put_given(t, w->out_split);
        az_put_f64(t, az_coll_us(az_coll_start(c, g) - x->earliest));
        az_put_f64(t, az_coll_us(x->earliest + x->wall - az_coll_end(c, g)));
    }
}

static void put_instance(const struct az_cr *c, struct az_table *t, const struct a2av *a)
{
    const struct az_coll_coll *x = &c->colls.v[a->coll];
    const uint32_t g = az_coll_member(c, x, 0);
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[x->group];
    az_put_text(t, az_coll_id(c, x, t->arena));
    az_put_text(t, group->name);
    az_put_given(t, group->ranks);
    az_put_text(t, az_coll_name(w));
    az_put_known(t, w->size);
    az_put_given(t, w->dtype);
    az_put_known(t, az_coll_lane_of(c, g)->stream);
    az_put_f64(t, mb(a->bytes));
    az_put_known(t, a->nelems);
    az_put_f64(t, az_coll_us(x->wall));
    az_put_f64(t, az_coll_us(x->longest));
    az_put_f64(t, az_coll_us(x->latency));
    az_put_f64(t, (double)a->dur_sum / (double)x->n / 1e3);
    az_put_f64(t, throughput(c, a));
    az_put_f64(t, a->fastest);
    az_put_f64(t, a->slowest);
    az_put_f64(t, a->imbalance);
    az_put_f64(t, az_coll_us(x->skew_start));
    az_put_f64(t, az_coll_us(x->skew_end));
}

static void put_ours(const struct az_cr *c, struct az_table *t, const struct a2av *a)
{
    const struct az_coll_coll *x = &c->colls.v[a->coll];
    az_put_text(t, az_sv_str(c->groups.v[x->group].span));
    az_put_f64(t, gib(throughput(c, a)));
    az_put_f64(t, gib(a->fastest));
    az_put_f64(t, gib(a->slowest));
    az_put_f64(t, mb(a->off_diagonal));
    az_put_known(t, x->n > 1 ? az_coll_rank(c, az_coll_member(c, x, x->last)) : -1);
    az_put_i64(t, x->n);
    az_put_i64(t, x->expected);
    az_put_bool(t, x->flags & CR_PARTIAL);
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
    const struct az_cr *c;
    struct a2av *v;
    bool detailed;
};

static void make_row(const void *of, size_t row, struct az_table *t)
{
    const struct listing *l = of;
    put_instance(l->c, t, &l->v[row]);
    if (l->detailed)
        put_ranks(l->c, t, &l->c->colls.v[l->v[row].coll]);
    put_ours(l->c, t, &l->v[row]);
}

static int instances(struct work *k)
{
    struct az_cr *c = k->c;
    struct az_table *t = az_table_new(c->arena, "nccl_all2allv", "All-to-all of uneven sizes", 0);
    struct listing *l = az_arena_alloc(c->arena, sizeof *l);
    if (!t || !l || !(l->v = az_arena_array(c->arena, k->v.n + 1, sizeof *l->v)))
        return az_arena_error(c->arena);
    l->c = c;
    l->detailed = k->v.n * c->ranks->n * 10 <= CR_MOST_CELLS;
    if (k->v.n)
        memcpy(l->v, k->v.v, k->v.n * sizeof *l->v);
    instance_columns(t);
    if (l->detailed)
        rank_columns(c, t);
    az_table_column(t, "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "throughput (GiB/s)", AZ_REAL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "max_rank_throughput (GiB/s)", AZ_REAL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "min_rank_throughput (GiB/s)", AZ_REAL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "data to other ranks (MB)", AZ_REAL, AZ_UNIT_MB, 0);
    az_table_column(t, "last arrival rank", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "n_present", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "n_expected", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "partial", AZ_BOOL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_make(t, k->v.n, make_row, l);
    return az_job_add(c->job, t, 0);
}

/* ---- summary ---- */
enum { DATA, WALL, RATE, IMBALANCE, LONGEST, SKEW_START, SKEW_END, RATE_GIB, OTHERS };

static double figure(const struct az_cr *c, const struct a2av *a, int what)
{
    const struct az_coll_coll *x = &c->colls.v[a->coll];
    switch (what) {
    case DATA:
        return mb(a->bytes);
    case WALL:
        return az_coll_us(x->wall);
    case RATE:
        return throughput(c, a);
    case IMBALANCE:
        return a->imbalance;
    case LONGEST:
        return az_coll_us(x->longest);
    case SKEW_START:
        return az_coll_us(x->skew_start);
    case SKEW_END:
        return az_coll_us(x->skew_end);
    case RATE_GIB:
        return gib(throughput(c, a));
    default:
        return mb(a->off_diagonal);
    }
}

/* mean, median, min, max; or mean and max. */
static void put_figure(const struct az_cr *c, struct az_table *t, const struct a2av *const *a,
                       size_t n, int what, bool all, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = figure(c, a[i], what);
    const struct az_coll_spread s = az_coll_spread(v, n);
    az_put_f64(t, s.mean);
    if (all) {
        az_put_f64(t, s.median);
        az_put_f64(t, s.least);
    }
    az_put_f64(t, s.most);
}

static void statistics(struct az_cr *c, struct az_table *t, const char *name, enum az_unit unit,
                       bool all)
{
    static const char *const aggregates[] = { "mean", "median", "min", "max" };
    for (size_t i = 0; i < 4; i++)
        if (all || i == 0 || i == 3)
            az_table_columnsv(t, az_arena_printf(c->arena, "%s_%s", name, aggregates[i]), AZ_REAL,
                              unit, i ? AZ_DETAIL : 0);
}

static void summary_columns(struct az_cr *c, struct az_table *t)
{
    az_table_column(t, "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "dtype", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    statistics(c, t, "total data communicated (MB)", AZ_UNIT_MB, true);
    statistics(c, t, "wall_time (us)", AZ_UNIT_US, true);
    az_table_column(t, "Total wall_time (us)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL);
    statistics(c, t, "throughput (GB/s)", AZ_UNIT_GBPS, true);
    statistics(c, t, "size_imbalance", AZ_UNIT_RATIO, false);
    statistics(c, t, "max_rank_dur (us)", AZ_UNIT_US, false);
    statistics(c, t, "skew in start time", AZ_UNIT_US, false);
    statistics(c, t, "skew in end time", AZ_UNIT_US, false);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Process Group Ranks", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Collective name", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Group size", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Total wall_time (ms)", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    az_table_column(t, "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    statistics(c, t, "throughput (GiB/s)", AZ_UNIT_NONE, true);
    statistics(c, t, "data to other ranks (MB)", AZ_UNIT_MB, true);
    az_table_column(t, "partial", AZ_INT, AZ_UNIT_COUNT, 0);
}

static void put_summary(const struct az_cr *c, struct az_table *t, const struct a2av *const *a,
                        size_t n, double *v)
{
    const struct az_coll_coll *x = &c->colls.v[a[0]->coll];
    const struct az_coll_group *group = &c->groups.v[x->group];
    const struct az_coll_what *w = az_coll_what(c, az_coll_member(c, x, 0));
    int64_t wall = 0, partial = 0;
    for (size_t i = 0; i < n; i++) {
        wall = az_add_sat(wall, c->colls.v[a[i]->coll].wall);
        partial += (c->colls.v[a[i]->coll].flags & CR_PARTIAL) != 0;
    }
    az_put_text(t, group->name);
    az_put_given(t, w->dtype);
    put_figure(c, t, a, n, DATA, true, v);
    put_figure(c, t, a, n, WALL, true, v);
    az_put_f64(t, az_coll_us(wall));
    put_figure(c, t, a, n, RATE, true, v);
    put_figure(c, t, a, n, IMBALANCE, false, v);
    put_figure(c, t, a, n, LONGEST, false, v);
    put_figure(c, t, a, n, SKEW_START, false, v);
    put_figure(c, t, a, n, SKEW_END, false, v);
    az_put_i64(t, (int64_t)n);
    az_put_given(t, group->ranks);
    az_put_text(t, az_coll_name(w));
    az_put_known(t, w->size);
    az_put_f64(t, az_coll_ms(wall));
    az_put_text(t, az_sv_str(group->span));
    put_figure(c, t, a, n, RATE_GIB, true, v);
    put_figure(c, t, a, n, OTHERS, true, v);
    az_put_i64(t, partial);
}

/* By group (name and members) and type. */
static int same_group(void *ctx, size_t i, uint64_t key[2])
{
    const struct work *k = ctx;
    const struct az_coll_coll *x = &k->c->colls.v[k->v.v[i].coll];
    const struct az_sv dtype = az_coll_what(k->c, az_coll_member(k->c, x, 0))->dtype;
    key[0] = x->group;
    key[1] = az_hash(dtype.p, dtype.n);
    return 1;
}

static int summary(struct work *k)
{
    struct az_cr *c = k->c;
    struct az_table *t = az_table_new(c->arena, "nccl_summary_all2allv",
                                      "All-to-all of uneven sizes by group", AZ_TABLE_SUMMARY);
    struct az_groups groups = { 0 };
    struct az_arena a;
    summary_columns(c, t);
    az_arena_init(&a, c->job->mem);
    const struct a2av **of_group = az_arena_array(&a, k->v.n + 1, sizeof *of_group);
    double *v = az_arena_array(&a, k->v.n + 1, sizeof *v);
    int rc = v && of_group ? az_groups_by(&groups, k->v.n, same_group, k, c->job->mem)
                           : az_arena_error(&a);
    for (size_t g = 0; rc == 0 && g < groups.groups; g++) {
        size_t members;
        const uint32_t *item = az_groups_items(&groups, g, &members);
        for (size_t i = 0; i < members; i++)
            of_group[i] = &k->v.v[item[i]];
        put_summary(c, t, of_group, members, v);
    }
    az_groups_release(&groups);
    az_arena_release(&a);
    const int by = -(int)az_table_find(t, "Total wall_time (us)") - 1;
    if (rc == 0)
        rc = az_table_sort(t, &by, 1);
    return az_job_add(c->job, t, rc);
}

static int tables(struct work *k)
{
    struct az_mem *mem = k->c->job->mem;
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < k->c->colls.n; i++)
        if (k->c->colls.v[i].kind == AZ_COLL_ALLTOALLV)
            rc = instance(k, i);
    if (rc || k->v.n == 0)
        return rc;
    rc = az_sort_cmp(k->v.v, k->v.n, sizeof *k->v.v, by_data, NULL, mem);
    if (rc == 0)
        rc = summary(k);
    if (rc == 0)
        rc = instances(k);
    return rc ? rc : az_coll_flow_tables(k->flows);
}

int az_coll_a2av_tables(struct az_cr *c)
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
