/* Every collective kernel of every rank, and their sums by rank, group, kind and size.
 * docs/formulas-collectives.md 4. */
#include "analyses/collectives/collectives.h"
#include "analyses/collectives/columns.h"
#include "base/time_units.h"
#include "document/record.h"
#include "facts/groups.h"

#include <math.h>

struct az_sv az_coll_name(const struct az_coll_what *w)
{
    return w->name.n ? w->name : AZ_SV("unknown");
}

struct az_sv az_coll_id(const struct az_coll_run *c, const struct az_coll_coll *x,
                        struct az_arena *a)
{
    const struct az_coll_group *g = &c->groups.v[x->group];
    if (!(x->flags & AZ_COLL_PAIR) || g->one_way_pair)
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

void az_coll_put_clock_us(struct az_table *t, const struct az_coll_run *c, uint32_t g)
{
    az_put_f64(t, az_us_from_ns(az_coll_event(c, g)->start));
}

/* Other tools have the list of a group's ranks in each row. That grows with the square of a run:
 * where their tables are not asked for, a row has the number of its group, and what all of its rows
 * share is in `process_groups`. */
static bool lists_in_rows(const struct az_coll_run *c)
{
    return (c->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL)) != 0;
}

static void put_group(const struct az_coll_run *c, struct az_table *t, uint32_t group)
{
    if (lists_in_rows(c))
        az_put_given(t, c->groups.v[group].ranks);
    else
        az_put_i64(t, group);
}

/* Of the whole list (for the tools that have it) those marked; else a row stays below 100 bytes. */
static void events_columns(const struct az_coll_run *c, struct az_table *t)
{
    static const struct {
        const char *name;
        enum az_cell_type type;
        enum az_unit unit;
        unsigned flags;
        enum { ALWAYS, WITH_LISTS, WITHOUT } when;
    } columns[] = {
        { "collective_id", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, ALWAYS },
        { "index_in_group", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL, ALWAYS },
        { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, ALWAYS },
        { "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, WITH_LISTS },
        { "group_id", AZ_INT, AZ_UNIT_ID, AZ_KEY, WITHOUT },
        { "Process Group Ranks", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, WITH_LISTS },
        { "Collective name", AZ_TEXT, AZ_UNIT_NONE, 0, ALWAYS },
        { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, WITH_LISTS },
        { "dtype", AZ_TEXT, AZ_UNIT_NONE, 0, ALWAYS },
        { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, 0, ALWAYS },
        { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, WITH_LISTS },
        { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, ALWAYS },
        { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, WITH_LISTS },
        { "In split size", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, WITH_LISTS },
        { "Out split size", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, WITH_LISTS },
        { "stream", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, ALWAYS },
        { "ts", AZ_REAL, AZ_UNIT_US, 0, ALWAYS },
        { "dur", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, ALWAYS },
        { "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, WITH_LISTS },
        { "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, WITH_LISTS },
        { "wait_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, ALWAYS },
        { "arguments from", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL, WITH_LISTS },
    };
    for (size_t i = 0; i < AZ_LENGTH(columns); i++)
        if (columns[i].when == ALWAYS || (columns[i].when == WITH_LISTS) == lists_in_rows(c))
            az_table_column(t, columns[i].name, columns[i].type, columns[i].unit, columns[i].flags);
}

static void put_event(const void *of, size_t row, struct az_table *t)
{
    const struct az_coll_run *c = of;
    const uint32_t g = (uint32_t)row;
    const bool lists = lists_in_rows(c);
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
    if (lists)
        az_put_text(t, group->name);
    put_group(c, t, c->group[g]);
    az_put_text(t, az_coll_name(w));
    if (lists)
        az_put_known(t, w->size);
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    if (lists)
        az_put_f64(t, az_coll_mb(w, w->in));
    az_put_known(t, w->out);
    if (lists) {
        az_put_f64(t, az_coll_mb(w, w->out));
        az_put_given(t, w->in_split);
        az_put_given(t, w->out_split);
    }
    az_put_known(t, az_coll_lane_of(c, g)->stream);
    az_coll_put_clock_us(t, c, g);
    az_put_f64(t, az_us_from_ns(e->end - e->start));
    if (lists) {
        az_put_known(t, c->node[c->rank[g]]);
        az_put_text(t, az_sv_str(group->span));
    }
    az_put_f64(t, x && x->n > 1 ? az_us_from_ns(az_coll_wait(c, x, g)) : NAN);
    if (lists)
        az_put_text(t, az_sv_str(w->source));
}

static int events(struct az_coll_run *c, const char *id)
{
    struct az_table *t = az_table_new(c->arena, id, "Collective kernels", 0);
    events_columns(c, t);
    az_table_make(t, c->n, put_event, c);
    return az_job_add(c->job, t, 0);
}

/* ---- sums ---- */
static int same_sum(void *ctx, size_t i, uint64_t key[2])
{
    const struct az_coll_run *c = ctx;
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

static void sums_columns(const struct az_coll_run *c, struct az_table *t)
{
    az_coll_sum_columns(t, AZ_DETAIL, lists_in_rows(c));
    az_table_column(t, "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL);
    if (lists_in_rows(c))
        az_table_column(t, "node_span", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
}

static void put_sum(const struct az_coll_run *c, struct az_table *t, uint32_t g,
                    const struct az_stats *s)
{
    const struct az_coll_what *w = az_coll_what(c, g);
    const struct az_coll_group *group = &c->groups.v[c->group[g]];
    az_put_i64(t, az_coll_rank(c, g));
    az_put_text(t, group->name);
    put_group(c, t, c->group[g]);
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
    az_put_f64(t, az_us_from_ns(s->sum));
    az_put_f64(t, s->mean / 1e3);
    az_put_f64(t, s->std / 1e3);
    az_put_f64(t, az_us_from_ns(s->min));
    az_put_f64(t, az_us_from_ns(s->max));
    az_put_i64(t, (int64_t)s->n);
    az_put_known(t, c->node[c->rank[g]]);
    if (lists_in_rows(c))
        az_put_text(t, az_sv_str(group->span));
}

static int sums(struct az_coll_run *c)
{
    struct az_table *t =
        az_table_new(c->arena, "nccl_summary_long", "Collectives by rank and group", 0);
    struct az_groups groups = { 0 };
    int64_t *length = az_mem_alloc(c->job->mem, (c->n + 1) * sizeof *length);
    int rc = t ? length ? 0 : az_mem_error(c->job->mem) : az_arena_error(c->arena);
    for (uint32_t g = 0; rc == 0 && g < c->n; g++)
        length[g] = az_coll_event(c, g)->end - az_coll_event(c, g)->start;
    if (rc == 0)
        rc = az_groups_by(&groups, c->n, same_sum, c, c->job->mem);
    if (rc == 0)
        sums_columns(c, t);
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

static const struct az_record_column process_groups_columns[] = {
    { "group_id", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY },
    { "Group size", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "ranks_present", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "node_span", .type = AZ_TEXT },
    { "operation_count", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL },
};

/* ---- groups ---- */
static int groups_table(struct az_coll_run *c)
{
    struct az_table *t = az_table_new(c->arena, "process_groups", "Process groups", 0);
    uint32_t *events = az_arena_array(c->arena, c->groups.n + 1, sizeof *events);
    if (!t || !events)
        return az_arena_error(c->arena);
    for (uint32_t g = 0; g < c->n; g++)
        events[c->group[g]]++;
    az_record_columns(t, process_groups_columns, AZ_LENGTH(process_groups_columns));
    for (size_t i = 0; i < c->groups.n; i++) {
        const struct az_coll_group *g = &c->groups.v[i];
        az_put_i64(t, (int64_t)i);
        az_put_text(t, g->name);
        az_put_known(t, g->size);
        az_put_i64(t, g->present);
        az_put_text(t, az_sv_str(g->span));
        az_put_i64(t, events[i]);
        az_put_given(t, g->ranks);
    }
    return az_job_add(c->job, t, 0);
}

int az_coll_long_tables(struct az_coll_run *c)
{
    int rc = sums(c);
    if (rc == 0 && !lists_in_rows(c))
        rc = groups_table(c);
    if (rc == 0 && az_coll_current_names(c))
        rc = events(c, "nccl_long");
    return rc || !az_coll_historic_names(c) ? rc : events(c, "long");
}
