/* Communication that other kernels hide, and what is exposed: as waiting for the last rank, or as
 * transfer. docs/formulas-collectives.md 5. And events that no other rank has. */
#include "analyses/collectives/collectives.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

struct exposure {
    int64_t n, time;
    struct az_coll_exposed part;
};

static void add(struct exposure *e, const struct az_coll_run *c, uint32_t g,
                const struct az_coll_exposed *x)
{
    e->n++;
    e->time = az_add_sat(e->time, az_coll_event(c, g)->end - az_coll_event(c, g)->start);
    e->part.hidden = az_add_sat(e->part.hidden, x->hidden);
    e->part.wait = az_add_sat(e->part.wait, x->wait);
    e->part.transfer = az_add_sat(e->part.transfer, x->transfer);
}

static const struct az_record_column figure_column_list[] = {
    { "kernels", AZ_INT, .unit = AZ_UNIT_COUNT },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "hidden_ms", AZ_REAL, .unit = AZ_UNIT_MS },
    { "exposed_transfer_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "exposed_wait_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
};

static void figure_columns(struct az_table *t)
{
    az_record_columns(t, figure_column_list, AZ_LENGTH(figure_column_list));
}

static void put(struct az_table *t, const struct exposure *e)
{
    az_put_i64(t, e->n);
    az_put_f64(t, az_ms_from_ns(e->time));
    az_put_f64(t, az_ms_from_ns(e->part.hidden));
    az_put_f64(t, az_ms_from_ns(e->part.transfer));
    az_put_f64(t, az_ms_from_ns(e->part.wait));
}

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

static int by_kind(struct az_coll_run *c, const struct exposure *kind)
{
    struct az_table *t =
        az_table_new(c->arena, "nccl_exposure", "Communication by collective", AZ_TABLE_SUMMARY);
    static const char *const y[] = { "hidden_ms", "exposed_transfer_ms", "exposed_wait_ms" };
    if (!t)
        return az_arena_error(c->arena);
    az_table_column(t, "Collective", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    figure_columns(t);
    az_table_column(t, "hidden (%)", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "exposed_wait (%)", AZ_REAL, AZ_UNIT_PERCENT, 0);
    for (int k = AZ_COLL_KINDS; k >= 0; k--) { /* all of them first */
        if (kind[k].n == 0)
            continue;
        az_put_text(t, k == AZ_COLL_KINDS ? AZ_SV("all")
                                          : az_sv_str(az_coll_kind_text((enum az_coll_kind)k)));
        put(t, &kind[k]);
        az_put_f64(t, percent(kind[k].part.hidden, kind[k].time));
        az_put_f64(t, percent(kind[k].part.wait, kind[k].time));
    }
    int rc = az_job_add(c->job, t, 0);
    if (rc || c->n == 0)
        return rc;
    struct az_chart chart = { .kind = AZ_CHART_STACKED_BAR,
                              .table = AZ_SV("nccl_exposure"),
                              .title = AZ_SV("Overlapped vs exposed communication"),
                              .x = AZ_SV("Collective"),
                              .x_title = AZ_SV("Collective"),
                              .y_title = AZ_SV("ms, all ranks") };
    az_vec_init(&chart.y, c->job->doc->mem);
    for (size_t i = 0; rc == 0 && i < 3; i++)
        rc = az_vec_push(&chart.y, az_sv_str(y[i]));
    if (rc)
        az_vec_release(&chart.y);
    return rc ? rc : az_document_chart(c->job->doc, chart);
}

static const struct az_record_column nccl_exposure_ranks_columns[] = {
    { "comm_busy_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "exposed_comm_ms", AZ_REAL, AZ_UNIT_MS, .flags = AZ_LOWER_BETTER },
    { "overlap (%)", AZ_REAL, AZ_UNIT_PERCENT, .flags = AZ_HIGHER_BETTER },
};

static int by_rank(struct az_coll_run *c, const struct exposure *rank)
{
    struct az_table *t = az_table_new(c->arena, "nccl_exposure_ranks", "Communication by rank", 0);
    az_table_column(t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    figure_columns(t);
    az_record_columns(t, nccl_exposure_ranks_columns, AZ_LENGTH(nccl_exposure_ranks_columns));
    for (size_t r = 0; c->n && r < c->ranks->n; r++) {
        const struct az_coll_part *p = c->part[r];
        if (!p)
            continue;
        az_put_i64(t, c->ranks->v[r].rank);
        put(t, &rank[r]);
        az_put_f64(t, az_ms_from_ns(p->busy));
        az_put_f64(t, az_ms_from_ns(p->busy - p->overlap));
        az_put_f64(t, percent(p->overlap, p->busy));
    }
    return az_job_add(c->job, t, 0);
}

int az_coll_exposure_tables(struct az_coll_run *c)
{
    struct exposure kind[AZ_COLL_KINDS + 1] = { { 0 } };
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    struct exposure *rank = az_arena_array(&a, c->ranks->n + 1, sizeof *rank);
    int rc = rank ? 0 : az_arena_error(&a);
    for (uint32_t g = 0; rc == 0 && g < c->n; g++) {
        const struct az_coll_exposed x = az_coll_exposed(c, g);
        add(&kind[az_coll_what(c, g)->kind], c, g, &x);
        add(&kind[AZ_COLL_KINDS], c, g, &x);
        add(&rank[c->rank[g]], c, g, &x);
    }
    if (rc == 0)
        rc = by_kind(c, kind);
    if (rc == 0)
        rc = by_rank(c, rank);
    az_arena_release(&a);
    return rc;
}

/* ---- unmatched ---- */
struct counts { /* of one rank */
    int64_t extra, absent;
};

struct listing {
    struct az_coll_run *c;
    struct az_table *t;
    uint32_t *first, *there; /* ranks with events in a group, ascending: there[first[group]...] */
    struct counts *of;
};

static void put_row(struct listing *l, size_t r, uint32_t group, const struct az_coll_what *w,
                    uint32_t g, const struct az_coll_coll *x, const char *why)
{
    struct az_table *t = l->t;
    az_put_i64(t, l->c->ranks->v[r].rank);
    az_put_text(t, l->c->groups.v[group].name);
    az_put_text(t, az_coll_name(w));
    az_put_given(t, w->dtype);
    az_put_known(t, w->in);
    if (g == AZ_NO_ROW) {
        az_put_empty(t);
        az_put_empty(t);
        az_put_empty(t);
    } else {
        az_put_i64(t, l->c->index[g]);
        az_coll_put_clock_us(t, l->c, g);
        az_put_f64(t, az_us_from_ns(az_coll_event(l->c, g)->end - az_coll_event(l->c, g)->start));
    }
    if (x)
        az_put_text(t, az_coll_id(l->c, x, t->arena));
    else
        az_put_empty(t);
    az_put_text(t, az_sv_str(why));
}

struct absence {
    struct listing *l;
    const struct az_coll_coll *x;
    uint32_t next; /* member that is not below the ranks seen so far */
};

/* A rank that belongs to a collective, in ascending order: has it no event of it? */
static void look_for(struct absence *a, ptrdiff_t rank)
{
    const struct az_coll_run *c = a->l->c;
    const struct az_coll_coll *x = a->x;
    const size_t r = (size_t)rank;
    if (rank < 0 || !c->part[r])
        return;
    while (a->next < x->n && c->rank[az_coll_member(c, x, a->next)] < r)
        a->next++;
    if (a->next < x->n && c->rank[az_coll_member(c, x, a->next)] == r)
        return;
    a->l->of[r].absent++;
    put_row(a->l, r, x->group, az_coll_what(c, az_coll_member(c, x, 0)), AZ_NO_ROW, x,
            "no event on this rank");
}

/* Who belongs to a collective: its members, or one side of a pair; where members are not known,
 * those that have events of the group. */
static void absent_members(struct listing *l, const struct az_coll_coll *x)
{
    const struct az_coll_run *c = l->c;
    const struct az_coll_group *group = &c->groups.v[x->group];
    const bool pair = x->flags & AZ_COLL_PAIR;
    const int64_t peer = az_coll_what(c, az_coll_member(c, x, 0))->peer;
    struct absence a = { .l = l, .x = x };
    if (pair && peer >= 0) {
        look_for(&a, az_ranks_find(c->ranks, peer));
    } else if (!pair && group->members) {
        for (size_t i = 0; i < group->n_members; i++)
            look_for(&a, az_ranks_find(c->ranks, group->members[i]));
    } else if (!pair || group->n_members == 2) {
        for (uint32_t i = l->first[x->group]; i < l->first[x->group + 1]; i++)
            look_for(&a, (ptrdiff_t)l->there[i]);
    }
}

static void rank_findings(const struct listing *l)
{
    const struct az_coll_run *c = l->c;
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct counts *n = &l->of[r];
        if (n->extra + n->absent == 0)
            continue;
        az_finding(c->job, "unmatched_collectives", "warning",
                   az_arena_printf(c->arena, "rank %lld: %lld missing, %lld on this rank only",
                                   (long long)c->ranks->v[r].rank, (long long)n->absent,
                                   (long long)n->extra),
                   n->extra + n->absent, -1,
                   AZ_SV("recording window differs or has gaps; the other collectives are matched "
                         "by kind, type and size (see nccl_unmatched)"));
    }
}

/* Ranks with events by group; events are by rank. */
static int present(struct listing *l, struct az_arena *a)
{
    const struct az_coll_run *c = l->c;
    const size_t groups = c->groups.n;
    uint32_t *last = az_arena_array(a, groups + 1, sizeof *last); /* rank + 1 */
    l->first = az_arena_array(a, groups + 2, sizeof *l->first);
    if (!last || !l->first)
        return az_arena_error(a);
    for (uint32_t g = 0; g < c->n; g++) {
        l->first[c->group[g] + 2] += last[c->group[g]] != c->rank[g] + 1;
        last[c->group[g]] = c->rank[g] + 1;
    }
    for (size_t i = 2; i < groups + 2; i++)
        l->first[i] += l->first[i - 1];
    l->there = az_arena_array(a, l->first[groups + 1] + (size_t)1, sizeof *l->there);
    if (!l->there)
        return az_arena_error(a);
    memset(last, 0, groups * sizeof *last);
    for (uint32_t g = 0; g < c->n; g++) {
        const uint32_t i = c->group[g];
        if (last[i] != c->rank[g] + 1)
            l->there[l->first[i + 1]++] = c->rank[g]; /* ends where the next group begins */
        last[i] = c->rank[g] + 1;
    }
    return 0;
}

static int list(struct listing *l)
{
    struct az_coll_run *c = l->c;
    for (uint32_t g = 0; g < c->n; g++) {
        if (c->coll[g] != AZ_NO_ROW)
            continue;
        const enum az_coll_kind k = az_coll_what(c, g)->kind;
        const bool alone = (k == AZ_COLL_SEND || k == AZ_COLL_RECV) &&
                           az_coll_what(c, g)->peer < 0 && c->groups.v[c->group[g]].n_members != 2;
        l->of[c->rank[g]].extra++;
        put_row(l, c->rank[g], c->group[g], az_coll_what(c, g), g, NULL,
                alone ? "peer not recorded" : "on no other rank");
    }
    for (size_t i = 0; i < c->colls.n; i++)
        if (c->colls.v[i].flags & AZ_COLL_INCOMPLETE)
            absent_members(l, &c->colls.v[i]);
    rank_findings(l);
    return az_job_add(c->job, l->t, 0);
}

int az_coll_unmatched_table(struct az_coll_run *c)
{
    struct listing l = { .c = c };
    struct az_arena a;
    l.t = az_table_new(c->arena, "nccl_unmatched", "Unmatched collectives", 0);
    if (!l.t)
        return az_arena_error(c->arena);
    az_table_column(l.t, "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(l.t, "Process Group Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(l.t, "Collective name", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(l.t, "dtype", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(l.t, "In msg nelems", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(l.t, "index_in_group", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(l.t, "ts", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(l.t, "dur", AZ_REAL, AZ_UNIT_US, 0);
    az_table_column(l.t, "collective_id", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(l.t, "what", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_arena_init(&a, c->job->mem);
    l.of = az_arena_array(&a, c->ranks->n + 1, sizeof *l.of);
    int rc = l.of ? present(&l, &a) : az_arena_error(&a);
    if (rc == 0)
        rc = list(&l);
    else
        az_table_free(l.t);
    az_arena_release(&a);
    return rc;
}
