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

/* "0_13": of each row of the longest table. */
static struct az_sv plain_id(struct az_sv group, uint32_t k, struct az_arena *a)
{
    char *text = az_arena_room(a, group.n + AZ_NUM_MAX + 1);
    if (!text)
        return (struct az_sv){ NULL, 0 };
    memcpy(text, group.p, group.n);
    const size_t n = group.n + az_format_i64(k, text + group.n);
    text[n] = '\0';
    return az_sv_make(text, n);
}

struct az_sv az_coll_id(const struct az_coll_run *c, const struct az_coll_coll *x,
                        struct az_arena *a)
{
    const struct az_coll_group *g = &c->groups.v[x->group];
    if (!(x->flags & AZ_COLL_PAIR) || g->one_way_pair)
        return plain_id(g->id, x->k, a);
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

/* Other tools have the list of a group's ranks in each row. That grows with the square of a run:
 * where their tables are not requested, a row has the number of its group, and what all of its rows
 * share is in `process_groups`. */
bool az_coll_lists_in_rows(const void *run)
{
    const struct az_coll_run *c = run;
    return (c->compat & (AZ_TOOL_TRACELENS | AZ_TOOL_ALL)) != 0;
}
static bool without_lists(const void *run) { return !az_coll_lists_in_rows(run); }

/* ---- events ---- */
static double wait_us(const void *row)
{
    const struct az_coll_row *r = row;
    return r->coll && r->coll->n > 1 ? az_us_from_ns(az_coll_wait(r->run, r->coll, r->g)) : NAN;
}

/* Of the whole list (for the tools that have it) those marked; else a row stays below 100 bytes. */
#define ROW   struct az_coll_row
#define LISTS .when = az_coll_lists_in_rows
static const struct az_record_column event_columns[] = {
    { "collective_id", AZ_TEXT, .flags = AZ_KEY, .text = az_coll_cell_id, .known = true },
    { "index_in_group", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL, AZ_FIELD(ROW, index) },
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, group, name), LISTS },
    { "group_id", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, group_id), .when = without_lists },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, group, ranks), LISTS },
    { "Collective name", AZ_TEXT, .text = az_coll_cell_name },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, size), LISTS },
    { "dtype", AZ_TEXT, AZ_KNOWN_VIA(ROW, what, dtype) },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(ROW, what, in) },
    { "In msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_in_mb, LISTS },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, out) },
    { "Out msg size (MB)", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_out_mb, LISTS },
    { "In split size", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, in_split), LISTS },
    { "Out split size", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, out_split), LISTS },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN_VIA(ROW, lane, stream) },
    { "ts", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, event.start) },
    { "dur", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = az_coll_cell_dur },
    { "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN(ROW, node), LISTS },
    { "node_span", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, group, span), LISTS },
    { "wait_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = wait_us },
    { "arguments from", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, what, source), LISTS },
};

enum { BLOCK = 64 }; /* rows that are made together */

static void put_events(const void *of, size_t row, struct az_table *t)
{
    const struct az_coll_run *c = of;
    struct az_coll_row r[BLOCK];
    const size_t n = c->n - row < BLOCK ? c->n - row : BLOCK;
    for (size_t i = 0; i < n; i++) {
        const uint32_t coll = c->coll[row + i];
        r[i] = az_coll_row(c, (uint32_t)(row + i), coll == AZ_NO_ROW ? NULL : &c->colls.v[coll]);
    }
    AZ_PUT_ROWS(t, r, n);
}

static int events(struct az_coll_run *c, const char *id)
{
    struct az_table *t =
        AZ_RECORD_TABLE_OF(c->arena, id, "Collective kernels", 0, event_columns, c);
    az_table_make(t, c->n, put_events, c);
    return az_job_add(c->job, t, 0);
}

/* ---- sums ---- */
/* Of one rank: its descriptions by the fields that a row of the sums has. */
struct rank_sums {
    const struct az_coll_run *c;
    const struct az_coll_part *p;
    uint32_t base;
    uint32_t *same; /* description -> the first equal one */
};

static int describe(struct rank_sums *s, struct az_mem *mem)
{
    struct az_map of;
    int rc = 0;
    az_map_init(&of, mem, 16);
    for (uint32_t i = 0; rc == 0 && i < s->p->n_what; i++) {
        const struct az_coll_what *w = &s->p->what[i];
        const struct {
            uint64_t name, dtype, in_split, out_split;
            int64_t in, out, size;
        } k = { az_hash(w->name.p, w->name.n),
                az_hash(w->dtype.p, w->dtype.n),
                az_hash(w->in_split.p, w->in_split.n),
                az_hash(w->out_split.p, w->out_split.n),
                w->in,
                w->out,
                w->size };
        uint32_t *first;
        bool added;
        rc = az_map_put(&of, az_hash(&k, sizeof k), az_hash(&k.dtype, sizeof k - 8), i, &first,
                        &added);
        if (rc == 0)
            s->same[i] = *first;
    }
    az_map_release(&of);
    return rc;
}

static int same_sum(void *ctx, size_t i, uint64_t key[2])
{
    const struct rank_sums *s = ctx;
    key[0] = (uint64_t)s->same[az_coll_part_what(s->p, i)] << 32 |
             az_coll_group_of(s->c, s->base + (uint32_t)i);
    key[1] = (uint64_t)s->p->lane[az_coll_part_lane(s->p, i)].stream;
    return 1;
}

/* Rows of one rank; length: room for its events. */
static int sum_rank(struct az_coll_run *c, size_t r, struct az_table *t, int64_t *length)
{
    const struct az_coll_part *p = c->part[r];
    struct az_mem *mem = c->job->mem;
    const size_t bytes = (p->n_what + 1) * sizeof(uint32_t);
    struct rank_sums s = { .c = c, .p = p, .base = c->base[r], .same = az_mem_alloc(mem, bytes) };
    struct az_groups groups = { 0 };
    int rc = s.same ? describe(&s, mem) : az_mem_error(mem);
    for (size_t i = 0; i < p->n; i++)
        length[i] = az_coll_part_length(p, i);
    if (rc == 0)
        rc = az_groups_by(&groups, p->n, same_sum, &s, mem);
    for (size_t k = 0; rc == 0 && k < groups.groups; k++) {
        struct az_stats stats;
        struct az_coll_row x = az_coll_row(c, s.base + az_groups_first(&groups, k), NULL);
        az_groups_stats(&groups, k, length, &stats);
        x.sum = &stats;
        az_put_row(t, &x);
    }
    az_groups_release(&groups);
    az_mem_free(mem, s.same, bytes);
    return rc;
}

static const struct az_record_column node_columns[] = {
    { "node_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_KNOWN(ROW, node) },
    { "node_span", AZ_TEXT, .flags = AZ_DETAIL, AZ_VIA(ROW, group, span), LISTS },
};

static int sum_long_table(struct az_coll_run *c)
{
    struct az_table *t =
        az_coll_sum_table(c->arena, "nccl_summary_long", "Collectives by rank and group", 0,
                          az_coll_lists_in_rows(c));
    size_t most = 0;
    for (size_t r = 0; r < c->ranks->n; r++)
        most = c->part[r] && c->part[r]->n > most ? c->part[r]->n : most;
    int64_t *length = az_mem_alloc(c->job->mem, (most + 1) * sizeof *length);
    int rc = t ? length ? 0 : az_mem_error(c->job->mem) : az_arena_error(c->arena);
    AZ_RECORD_COLUMNS_OF(t, node_columns, c);
    for (size_t r = 0; rc == 0 && r < c->ranks->n; r++)
        if (c->part[r])
            rc = sum_rank(c, r, t, length);
    az_mem_free(c->job->mem, length, (most + 1) * sizeof *length);
    return az_job_add(c->job, t, rc ? rc : az_record_sort(t)); /* ties stay by rank and time */
}

/* ---- groups ---- */
struct group_row {
    int64_t id, events;
    const struct az_coll_group *group;
};
static const struct az_record_column process_groups_columns[] = {
    { "group_id", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(struct group_row, id) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct group_row, group, name) },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(struct group_row, group, size) },
    { "ranks_present", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct group_row, group, present) },
    { "node_span", AZ_TEXT, AZ_VIA(struct group_row, group, span) },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct group_row, events) },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_DETAIL,
      AZ_KNOWN_VIA(struct group_row, group, ranks) },
};

static int groups_table(struct az_coll_run *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(c->arena, "process_groups", "Process groups", 0, process_groups_columns);
    uint32_t *events = az_arena_array(c->arena, c->groups.n + 1, sizeof *events);
    if (!t || !events)
        return az_job_add(c->job, t, az_arena_error(c->arena));
    for (uint32_t g = 0; g < c->n; g++)
        events[az_coll_group_of(c, g)]++;
    for (size_t i = 0; i < c->groups.n; i++)
        az_put_row(t, &(struct group_row){ (int64_t)i, events[i], &c->groups.v[i] });
    return az_job_add(c->job, t, 0);
}

int az_coll_long_tables(struct az_coll_run *c)
{
    int rc = sum_long_table(c);
    if (rc == 0 && !az_coll_lists_in_rows(c))
        rc = groups_table(c);
    if (rc == 0 && az_coll_current_names(c))
        rc = events(c, "nccl_long");
    return rc || !az_coll_historic_names(c) ? rc : events(c, "long");
}
