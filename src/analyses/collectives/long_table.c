/* Every collective kernel of every rank, and their sums by rank, group, kind and size.
 * docs/formulas-collectives.md 4. */
#include "analyses/collectives/collectives.h"
#include "analyses/collectives/columns.h"
#include "facts/groups.h"

#include <math.h>

struct az_sv az_coll_name(const struct az_coll_what *w)
{
    return w->name.n ? w->name : AZ_SV("unknown");
}

struct az_sv az_coll_id(const struct az_cr *c, const struct az_coll_coll *x, struct az_arena *a)
{
    const struct az_coll_group *g = &c->groups.v[x->group];
    if (!(x->flags & CR_PAIR) || g->one_way_pair)
        return az_arena_printf(a, "%.*s%u", AZ_SVF(g->id), x->k);
    const uint32_t m = az_coll_member(c, x, 0);
    const struct az_coll_what *w = az_coll_what(c, m);
    const int64_t own = az_coll_rank(c, m);
    int64_t peer = w->peer;
    if (peer < 0 && g->n_members == 2)
        peer = g->members[g->members[0] == own];
    const bool sends = w->kind == AZ_COLL_SEND;
    return az_arena_printf(a, "%.*s%lld-%lld_%u", AZ_SVF(g->id), (long long)(sends ? own : peer),
                           (long long)(sends ? peer : own), x->k);
}

void az_coll_put_clock_us(struct az_table *t, const struct az_cr *c, uint32_t g)
{
    az_put_f64(t, az_coll_us(az_coll_event(c, g)->start));
}

static void events_columns(struct az_table *t)
{
    az_table_column(t, "collective_id", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "index_in_group", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Process Group Ranks", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Collective name", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "dtype", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "In msg nelems", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL);
    az_table_column(t, "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL);
    az_table_column(t, "In split size", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Out split size", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "stream", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "ts", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(t, "dur", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "wait_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER);
    az_table_column(t, "arguments from", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_event(const void *of, size_t row, struct az_table *t)
{
    const struct az_cr *c = of;
    const uint32_t g = (uint32_t)row;
    const struct az_coll_event *e = az_coll_event(c, g);
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[c->group[g]];
    const struct az_coll_coll *x = c->coll[g] == AZ_NO_ROW ? NULL : &c->colls.v[c->coll[g]];
    if (x)
        az_put_text(t, az_coll_id(c, x, t->arena));
    else
        az_put_empty(t);
    az_put_i64(t, c->index[g]);
    az_put_i64(t, az_coll_rank(c, g));
    az_put_text(t, group->name);
    az_put_given(t, group->ranks);
    az_put_text(t, az_coll_name(w));
    az_put_known(t, w->size);
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    az_put_f64(t, az_coll_mb(w, w->in));
    az_put_known(t, w->out);
    az_put_f64(t, az_coll_mb(w, w->out));
    az_put_given(t, w->in_split);
    az_put_given(t, w->out_split);
    az_put_known(t, az_coll_lane_of(c, g)->stream);
    az_coll_put_clock_us(t, c, g);
    az_put_f64(t, az_coll_us(e->end - e->start));
    az_put_known(t, c->node[c->rank[g]]);
    az_put_text(t, az_sv_str(group->span));
    az_put_f64(t, x && x->n > 1 ? az_coll_us(az_coll_wait(c, x, g)) : NAN);
    az_put_text(t, az_sv_str(w->source));
}

static int events(struct az_cr *c, const char *id)
{
    struct az_table *t = az_table_new(c->arena, id, "Collective kernels of all ranks", 0);
    events_columns(t);
    az_table_make(t, c->n, put_event, c);
    return az_job_add(c->job, t, 0);
}

/* ---- sums ---- */
static int same_sum(void *ctx, size_t i, uint64_t key[2])
{
    const struct az_cr *c = ctx;
    const uint32_t g = (uint32_t)i;
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct {
        uint64_t name, dtype, in_split, out_split;
        int64_t in, out, size, stream;
        uint32_t rank, group;
    } k = { az_hash(w->name.p, w->name.n),
            az_hash(w->dtype.p, w->dtype.n),
            az_hash(w->in_split.p, w->in_split.n),
            az_hash(w->out_split.p, w->out_split.n),
            w->in,
            w->out,
            w->size,
            az_coll_lane_of(c, g)->stream,
            c->rank[g],
            c->group[g] };
    key[0] = az_hash(&k, sizeof k);
    key[1] = az_hash(&k.dtype, sizeof k - 8);
    return 1;
}

static void sums_columns(struct az_table *t)
{
    az_coll_sum_columns(t, AZ_DETAIL);
    az_table_column(t, "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    az_table_column(t, "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_sum(const struct az_cr *c, struct az_table *t, uint32_t g, const struct az_stats *s)
{
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[c->group[g]];
    az_put_i64(t, az_coll_rank(c, g));
    az_put_text(t, group->name);
    az_put_given(t, group->ranks);
    az_put_text(t, az_coll_name(w));
    az_put_known(t, w->size);
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    az_put_known(t, w->out);
    az_put_given(t, w->in_split);
    az_put_given(t, w->out_split);
    az_put_known(t, az_coll_lane_of(c, g)->stream);
    az_put_f64(t, az_coll_mb(w, w->in));
    az_put_f64(t, az_coll_mb(w, w->out));
    az_put_f64(t, az_coll_us(s->sum));
    az_put_f64(t, s->mean / 1e3);
    az_put_f64(t, s->std / 1e3);
    az_put_f64(t, az_coll_us(s->min));
    az_put_f64(t, az_coll_us(s->max));
    az_put_i64(t, (int64_t)s->n);
    az_put_known(t, c->node[c->rank[g]]);
    az_put_text(t, az_sv_str(group->span));
}

static int sums(struct az_cr *c)
{
    struct az_table *t =
        az_table_new(c->arena, "nccl_summary_long", "Collectives by rank, group, kind and size", 0);
    struct az_groups groups = { 0 };
    int64_t *length = az_mem_alloc(c->job->mem, (c->n + 1) * sizeof *length);
    int rc = t ? length ? 0 : az_mem_error(c->job->mem) : az_arena_error(c->arena);
    for (uint32_t g = 0; rc == 0 && g < c->n; g++)
        length[g] = az_coll_event(c, g)->end - az_coll_event(c, g)->start;
    if (rc == 0)
        rc = az_groups_by(&groups, c->n, same_sum, c, c->job->mem);
    if (rc == 0)
        sums_columns(t);
    for (size_t k = 0; rc == 0 && k < groups.groups; k++) {
        struct az_stats s;
        az_groups_stats(&groups, k, length, &s);
        put_sum(c, t, az_groups_first(&groups, k), &s);
    }
    az_groups_release(&groups);
    az_mem_free(c->job->mem, length, (c->n + 1) * sizeof *length);
    const int by = -(int)az_table_find(t, "dur_sum") - 1;
    if (rc == 0) /* ties stay by rank and time */
        rc = az_table_sort(t, &by, 1);
    return az_job_add(c->job, t, rc);
}

int az_coll_long_tables(struct az_cr *c)
{
    int rc = sums(c);
    if (rc == 0 && az_coll_current_names(c))
        rc = events(c, "nccl_long");
    return rc || !az_coll_historic_names(c) ? rc : events(c, "long");
}
