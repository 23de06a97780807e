/* Tables of collectives: every instance, by operation, by type. */
#include <inttypes.h>

#include "analyses/compiled/coll.h"
#include "analyses/list.h"

static struct az_sv type_of(const struct az_hx *h, const struct az_coll *c)
{
    return c->op && c->op->family != AZ_COLL_NONE ? az_sv_str(az_hlo_family_text(c->op->family))
                                                  : az_hx_text(h, c->name);
}

static int instances(struct az_hx *h, const struct az_colls *c)
{
    struct az_table *t = az_table_new(h->job->arena, "collectives", "Collectives", 0);
    if (!t)
        return az_arena_error(h->job->arena);
    az_table_column(t, "collective_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "collective_id", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "group_idx", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "group_size", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "ranks_seen", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "data_bytes", AZ_INT, AZ_UNIT_BYTES, 0);
    az_table_column(t, "message_bytes", AZ_INT, AZ_UNIT_BYTES, 0);
    az_table_column(t, "min_dur_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "max_dur_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "start_skew_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "alg_bw_GBps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER);
    az_table_column(t, "bus_bw_GBps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER);
    az_table_column(t, "hlo_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    for (size_t i = 0; i < c->instances.n; i++) {
        const struct az_coll_instance *x = &c->instances.v[i];
        const struct az_coll *which = &c->which.v[x->coll];
        az_put_text(t, type_of(h, which));
        az_put_text(t, az_arena_printf(t->arena, "%.*s_%" PRIu32,
                                       AZ_SVF(az_hx_text(h, which->name)), x->k));
        az_put_i64(t, x->group);
        az_put_i64(t, x->size);
        az_put_i64(t, (int64_t)x->seen);
        az_put_known(t, x->data);
        az_put_known(t, x->message);
        az_put_f64(t, az_hx_us(x->min));
        az_put_f64(t, az_hx_us(x->max));
        az_put_f64(t, x->common_clock ? az_hx_us(x->skew) : 0.0 / 0.0);
        az_put_f64(t, x->alg);
        az_put_f64(t, x->bus);
        az_put_given(t, az_hx_text(h, which->module));
    }
    return az_job_add(h->job, t, AZ_OK);
}

/* ---- summaries ---- */
struct values { /* of one summary row */
    int64_t *us;
    double *alg, *bus;
    size_t n, n_bw;
};

static void stat_columns(struct az_table *t)
{
    static const char *const stats[] = { "mean", "median", "std", "min", "max", "p25", "p75" };
    const struct {
        const char *name;
        enum az_unit unit;
        unsigned flags;
    } of[] = { { "dur_us", AZ_UNIT_US, AZ_LOWER_BETTER },
               { "alg_bw_GBps", AZ_UNIT_GBPS, AZ_HIGHER_BETTER },
               { "bus_bw_GBps", AZ_UNIT_GBPS, AZ_HIGHER_BETTER } };
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    for (size_t i = 0; i < 3; i++) {
        for (size_t s = 0; s < 7; s++) {
            const struct az_sv name = az_arena_printf(t->arena, "%s_%s", of[i].name, stats[s]);
            az_table_columnsv(t, name.p ? name : AZ_SV(""), AZ_REAL, of[i].unit,
                              of[i].flags | (s ? AZ_DETAIL : 0));
        }
    }
}

static void put_reals(struct az_table *t, double *v, size_t n)
{
    const double none = 0.0 / 0.0;
    az_put_f64(t, n ? az_mean_f64(v, n) : none);
    az_put_f64(t, az_percentile_f64(v, n, 50));
    az_put_f64(t, az_std_f64(v, n, 1));
    az_put_f64(t, az_percentile_f64(v, n, 0));
    az_put_f64(t, az_percentile_f64(v, n, 100));
    az_put_f64(t, az_percentile_f64(v, n, 25));
    az_put_f64(t, az_percentile_f64(v, n, 75));
}

static void put_stats(struct az_table *t, struct values *v)
{
    struct az_stats s;
    az_stats_i64(v->us, v->n, &s);
    az_put_i64(t, (int64_t)s.n);
    az_put_f64(t, az_hx_us(s.sum));
    az_put_f64(t, s.mean / 1e6);
    az_put_f64(t, s.median / 1e6);
    az_put_f64(t, s.std / 1e6);
    az_put_f64(t, az_hx_us(s.min));
    az_put_f64(t, az_hx_us(s.max));
    az_put_f64(t, az_percentile_i64(v->us, v->n, 25) / 1e6);
    az_put_f64(t, az_percentile_i64(v->us, v->n, 75) / 1e6);
    put_reals(t, v->alg, v->n_bw);
    put_reals(t, v->bus, v->n_bw);
}

static void take(struct values *v, const struct az_coll_instance *x)
{
    v->us[v->n++] = x->min;
    if (x->alg == x->alg) {
        v->alg[v->n_bw] = x->alg;
        v->bus[v->n_bw++] = x->bus;
    }
}

/* Instances of one collective follow each other. */
static void by_op(struct az_hx *h, const struct az_colls *c, struct az_table *t, struct values *v)
{
    for (size_t i = 0, end; i < c->instances.n; i = end) {
        const struct az_coll *which = &c->which.v[c->instances.v[i].coll];
        v->n = v->n_bw = 0;
        for (end = i; end < c->instances.n && c->instances.v[end].coll == c->instances.v[i].coll;
             end++)
            take(v, &c->instances.v[end]);
        az_put_text(t, type_of(h, which));
        az_put_given(t, az_hx_text(h, which->module));
        az_put_text(t, az_hx_text(h, which->name));
        put_stats(t, v);
    }
}

static void by_type(struct az_hx *h, const struct az_colls *c, struct az_table *t, struct values *v)
{
    for (int f = AZ_COLL_NONE; f <= AZ_COLL_BROADCAST; f++) {
        v->n = v->n_bw = 0;
        for (size_t i = 0; i < c->instances.n; i++) {
            const struct az_hlo_op *op = c->which.v[c->instances.v[i].coll].op;
            if ((op ? (int)op->family : AZ_COLL_NONE) == f)
                take(v, &c->instances.v[i]);
        }
        if (!v->n)
            continue;
        az_put_text(t, f == AZ_COLL_NONE ? AZ_SV("unknown")
                                         : az_sv_str(az_hlo_family_text((enum az_hlo_family)f)));
        put_stats(t, v);
    }
    (void)h;
}

static int summary(struct az_hx *h, const struct az_colls *c, bool ops)
{
    struct az_table *t =
        az_table_new(h->job->arena, ops ? "collectives_by_op" : "collectives_by_type",
                     ops ? "Collectives by operation" : "Collectives by type", AZ_TABLE_SUMMARY);
    const size_t n = c->instances.n + 1;
    struct values v = { .us = az_arena_array(h->job->arena, n, sizeof *v.us),
                        .alg = az_arena_array(h->job->arena, n, sizeof *v.alg),
                        .bus = az_arena_array(h->job->arena, n, sizeof *v.bus) };
    if (!t || !v.us || !v.alg || !v.bus)
        return az_job_add(h->job, t, az_arena_error(h->job->arena));
    az_table_column(t, "collective_name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (ops) {
        az_table_column(t, "hlo_module", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
        az_table_column(t, "hlo_op", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    }
    stat_columns(t);
    if (ops)
        by_op(h, c, t, &v);
    else
        by_type(h, c, t, &v);
    const int total = (int)az_table_find(t, "total_us");
    return az_job_add(h->job, t, az_table_sort(t, (int[]){ -(total + 1), 0, 1 }, 3));
}

/* What cannot be trusted: ranks without a profile. */
static void judge(struct az_hx *h, const struct az_colls *c)
{
    int64_t partial = 0;
    for (size_t i = 0; i < c->instances.n; i++)
        partial += c->instances.v[i].size > (int64_t)c->instances.v[i].seen;
    if (partial)
        az_finding(h->job, "partial_collectives", "info", AZ_SV("collectives"), partial, -1,
                   AZ_SV("ranks of these groups have no profile here: their time is an upper "
                         "bound, their bandwidth a lower one "
                         "(give the profiles of all hosts as one input)"));
}

static int run(struct az_job *job)
{
    struct az_hx h;
    struct az_colls c = { 0 };
    int rc = az_hx_open(&h, job);
    if (rc == 0 && !job->opts->disable_coll_analysis) {
        rc = az_colls_make(&h, &c);
        if (rc == 0 && c.instances.n) {
            judge(&h, &c);
            rc = summary(&h, &c, false);
            if (rc == 0)
                rc = summary(&h, &c, true);
            if (rc == 0)
                rc = instances(&h, &c);
        }
        az_colls_release(&c);
    }
    az_hx_close(&h);
    return rc;
}

const struct az_analysis az_analysis_hlo_coll = {
    .name = "hlo_collectives",
    .help = "collectives of compiled programs across devices and hosts: time, skew, bandwidth",
    .needs = AZ_CAP_PROGRAMS,
    .run = run,
};
