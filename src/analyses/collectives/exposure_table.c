/* Communication that other kernels hide, and what is exposed: as waiting for the last rank, or as
 * transfer. docs/formulas-collectives.md 5. And events that no other rank has. */
#include "analyses/collectives/collectives.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

struct exposure { /* of a kind of collectives, or of a rank */
    int64_t rank;
    struct az_sv kind;
    const struct az_coll_part *part_of; /* of the rank */
    struct az_coll_exposures of;
};

static double percent(int64_t part, int64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : NAN;
}

#define ROW struct exposure
AZ_OF_RECORD(double, hidden_percent, ROW, percent(r->of.part.hidden, r->of.time))
AZ_OF_RECORD(double, wait_percent, ROW, percent(r->of.part.wait, r->of.time))
AZ_OF_RECORD(int64_t, exposed_busy, ROW, r->part_of->busy - r->part_of->overlap)
AZ_OF_RECORD(double, overlap_percent, ROW, percent(r->part_of->overlap, r->part_of->busy))

static bool of_kinds(const void *ranks) { return !ranks; }
static bool of_ranks(const void *ranks) { return ranks; }
#define KINDS .when = of_kinds
#define RANKS .when = of_ranks
static const struct az_record_column exposure_columns[] = {
    { "Collective", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, kind), KINDS },
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), RANKS },
    { "kernels", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, of.n) },
    { "time_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, of.time) },
    { "hidden_ms", AZ_REAL, AZ_UNIT_MS, AZ_FIELD(ROW, of.part.hidden) },
    { "exposed_transfer_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER,
      AZ_FIELD(ROW, of.part.transfer) },
    { "exposed_wait_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_FIELD(ROW, of.part.wait) },
    { "hidden (%)", AZ_REAL, AZ_UNIT_PERCENT, .real = hidden_percent, KINDS },
    { "exposed_wait (%)", AZ_REAL, AZ_UNIT_PERCENT, .real = wait_percent, KINDS },
    { "comm_busy_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, AZ_VIA(ROW, part_of, busy), RANKS },
    { "exposed_comm_ms", AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER, .integer = exposed_busy, RANKS },
    { "overlap (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_HIGHER_BETTER, .real = overlap_percent, RANKS },
};

static int by_kind(struct az_coll_run *c)
{
    static const char *const y[] = { "hidden_ms", "exposed_transfer_ms", "exposed_wait_ms" };
    struct az_table *t = AZ_RECORD_TABLE(c->arena, "nccl_exposure", "Communication by collective",
                                         AZ_TABLE_SUMMARY, exposure_columns);
    for (int k = AZ_COLL_KINDS; k >= 0; k--) { /* all of them first */
        struct exposure row = { .of = c->exposed[c->ranks->n + (size_t)k], .kind = AZ_SV("all") };
        if (k < AZ_COLL_KINDS)
            row.kind = az_sv_str(az_coll_kind_text((enum az_coll_kind)k));
        if (row.of.n)
            az_put_row(t, &row);
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

static int by_rank(struct az_coll_run *c)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(c->arena, "nccl_exposure_ranks",
                                            "Communication by rank", 0, exposure_columns, c);
    for (size_t r = 0; c->n && r < c->ranks->n; r++)
        if (c->part[r])
            az_put_row(t, &(struct exposure){ .rank = c->ranks->v[r].rank,
                                              .part_of = c->part[r],
                                              .of = c->exposed[r] });
    return az_job_add(c->job, t, 0);
}

int az_coll_exposure_tables(struct az_coll_run *c)
{
    const int rc = by_kind(c);
    return rc ? rc : by_rank(c);
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

struct unmatched {
    struct az_coll_row row; /* the event, or one of the collective without one on `rank` */
    const char *why;
};
static const struct az_record_column unmatched_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct az_coll_row, rank) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct az_coll_row, group, name) },
    { "Collective name", AZ_TEXT, .text = az_coll_cell_name },
    { "dtype", AZ_TEXT, AZ_KNOWN_VIA(struct az_coll_row, what, dtype) },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(struct az_coll_row, what, in) },
    { "index_in_group", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN(struct az_coll_row, index) },
    { "ts", AZ_REAL, AZ_UNIT_US, AZ_FIELD(struct az_coll_row, event.start) },
    { "dur", AZ_REAL, AZ_UNIT_US, .real = az_coll_cell_dur },
    { "collective_id", AZ_TEXT, .flags = AZ_KEY, .text = az_coll_cell_id, .known = true },
    { "what", AZ_TEXT, AZ_FIELD(struct unmatched, why) },
};

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
    struct unmatched u = { az_coll_row(c, az_coll_member(c, x, 0), x), "no event on this rank" };
    u.row.rank = c->ranks->v[r].rank;
    u.row.event.start = INT64_MIN;
    u.row.index = -1;
    az_put_row(a->l->t, &u);
}

/* Who belongs to a collective: its members; where they are not known, those that have events of the
 * group. A pair is never incomplete: where one side is missing, the other matches nothing. */
static void absent_members(struct listing *l, const struct az_coll_coll *x)
{
    const struct az_coll_run *c = l->c;
    const struct az_coll_group *group = &c->groups.v[x->group];
    struct absence a = { .l = l, .x = x };
    if (group->members) {
        for (size_t i = 0; i < group->n_members; i++)
            look_for(&a, az_ranks_find(c->ranks, group->members[i]));
        return;
    }
    for (uint32_t i = l->first[x->group]; i < l->first[x->group + 1]; i++)
        look_for(&a, (ptrdiff_t)l->there[i]);
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
        l->first[az_coll_group_of(c, g) + 2] += last[az_coll_group_of(c, g)] != c->rank[g] + 1;
        last[az_coll_group_of(c, g)] = c->rank[g] + 1;
    }
    for (size_t i = 2; i < groups + 2; i++)
        l->first[i] += l->first[i - 1];
    l->there = az_arena_array(a, l->first[groups + 1] + (size_t)1, sizeof *l->there);
    if (!l->there)
        return az_arena_error(a);
    memset(last, 0, groups * sizeof *last);
    for (uint32_t g = 0; g < c->n; g++) {
        const uint32_t i = az_coll_group_of(c, g);
        if (last[i] != c->rank[g] + 1)
            l->there[l->first[i + 1]++] = c->rank[g]; /* ends where the next group begins */
        last[i] = c->rank[g] + 1;
    }
    return 0;
}

static int list_exposure_table(struct listing *l)
{
    struct az_coll_run *c = l->c;
    for (uint32_t g = 0; g < c->n; g++) {
        if (c->coll[g] != AZ_NO_ROW)
            continue;
        const enum az_coll_kind k = az_coll_what(c, g)->kind;
        const bool alone = (k == AZ_COLL_SEND || k == AZ_COLL_RECV) &&
                           az_coll_what(c, g)->peer < 0 &&
                           c->groups.v[az_coll_group_of(c, g)].n_members != 2;
        l->of[c->rank[g]].extra++;
        az_put_row(l->t, &(struct unmatched){ az_coll_row(c, g, NULL),
                                              alone ? "peer not recorded" : "on no other rank" });
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
    l.t =
        AZ_RECORD_TABLE(c->arena, "nccl_unmatched", "Unmatched collectives", 0, unmatched_columns);
    if (!l.t)
        return az_arena_error(c->arena);
    az_arena_init(&a, c->job->mem);
    l.of = az_arena_array(&a, c->ranks->n + 1, sizeof *l.of);
    int rc = l.of ? present(&l, &a) : az_arena_error(&a);
    if (rc == 0)
        rc = list_exposure_table(&l);
    else
        az_table_free(l.t);
    az_arena_release(&a);
    return rc;
}
