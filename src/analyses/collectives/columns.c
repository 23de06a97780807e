#include "analyses/collectives/columns.h"
#include "analyses/collectives/collectives.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

struct az_coll_row az_coll_row(const struct az_coll_run *c, uint32_t g,
                               const struct az_coll_coll *coll)
{
    return (struct az_coll_row){ .run = c,
                                 .event =
                                     az_coll_part_event(az_coll_part_of(c, g), az_coll_place(c, g)),
                                 .what = az_coll_what(c, g),
                                 .group = &c->groups.v[az_coll_group_of(c, g)],
                                 .lane = az_coll_lane_of(c, g),
                                 .coll = coll,
                                 .g = g,
                                 .group_id = az_coll_group_of(c, g),
                                 .rank = az_coll_rank(c, g),
                                 .index = (int64_t)az_packed_raw(&c->index, g),
                                 .node = c->node[c->rank[g]] };
}

struct az_sv az_coll_cell_id(const void *row, struct az_arena *texts)
{
    const struct az_coll_row *r = row;
    return r->coll ? az_coll_id(r->run, r->coll, texts) : AZ_SV("");
}

struct az_sv az_coll_cell_name(const void *row, struct az_arena *texts)
{
    (void)texts;
    return az_coll_name(((const struct az_coll_row *)row)->what);
}

double az_coll_cell_in_mb(const void *row)
{
    const struct az_coll_what *w = ((const struct az_coll_row *)row)->what;
    return az_coll_mb(w, w->in);
}

double az_coll_cell_out_mb(const void *row)
{
    const struct az_coll_what *w = ((const struct az_coll_row *)row)->what;
    return az_coll_mb(w, w->out);
}

double az_coll_cell_dur(const void *row)
{
    const struct az_coll_event *e = &((const struct az_coll_row *)row)->event;
    return e->start == INT64_MIN ? NAN : az_us_from_ns(e->end - e->start);
}

int64_t az_coll_cell_last_rank(const void *row)
{
    const struct az_coll_row *r = row;
    return r->coll->n > 1 ? az_coll_rank(r->run, az_coll_member(r->run, r->coll, r->coll->last))
                          : -1;
}

AZ_OF_RECORD(double, mean_us, struct az_coll_row, r->sum->mean / 1e3)
AZ_OF_RECORD(double, std_us, struct az_coll_row, r->sum->std / 1e3)

static bool with_lists(const void *of) { return *(const bool *)of; }
static bool without_lists(const void *of) { return !with_lists(of); }

#define ROW struct az_coll_row
static const struct az_record_column sum_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank) },
    { "Process Group Name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, group, name) },
    { "Process Group Ranks", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, group, ranks),
      .when = with_lists },
    { "group_id", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_FIELD(ROW, group_id), .when = without_lists },
    { "Collective name", AZ_TEXT, .flags = AZ_KEY, .text = az_coll_cell_name },
    { "Group size", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, size) },
    { "dtype", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, what, dtype) },
    { "In msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, in) },
    { "Out msg nelems", AZ_INT, AZ_UNIT_COUNT, AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, out) },
    { "In split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, in_split) },
    { "Out split size", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, what, out_split) },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_KEY | AZ_DETAIL, AZ_KNOWN_VIA(ROW, lane, stream) },
    { "In msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, .real = az_coll_cell_in_mb },
    { "Out msg size (MB)_first", AZ_REAL, AZ_UNIT_MB, AZ_DETAIL, .real = az_coll_cell_out_mb },
    { "dur_sum", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, sum, sum), .sort = -1 },
    { "dur_mean", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = mean_us },
    { "dur_std", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = std_us },
    { "dur_min", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, sum, min) },
    { "dur_max", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_VIA(ROW, sum, max) },
    { "operation_count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_VIA(ROW, sum, n) },
};

struct az_table *az_coll_sum_table(struct az_arena *arena, const char *id, const char *title,
                                   unsigned flags, bool lists)
{
    return AZ_RECORD_TABLE_OF(arena, id, title, flags, sum_columns, &lists);
}
