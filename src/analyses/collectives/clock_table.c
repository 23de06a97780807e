/* Table and findings about the ranks' clocks. docs/formulas-collectives.md 3.1. */
#include "analyses/collectives/collectives.h"
#include "analyses/registry_list.h"
#include "base/time_units.h"
#include "document/record.h"

#define UNSURE_NS 20000 /* an error above this is reported */

static void offset_finding(const struct az_coll_run *c, size_t r)
{
    const struct az_coll_clock *k = &c->clock[r];
    const int64_t mid = k->offset < 0 ? -k->offset : k->offset;
    const bool moves = k->furthest / 2 > mid; /* by drift or steps */
    const int64_t far = moves ? k->furthest : mid;
    az_finding(
        c->job, "clock_offset", k->applied ? "info" : "warning",
        az_arena_printf(c->arena, "rank %lld: %s%.3f us", (long long)c->ranks->v[r].rank,
                        moves           ? "up to "
                        : k->offset < 0 ? "-"
                                        : "+",
                        az_us_from_ns(far)),
        (int64_t)k->n, far,
        k->applied
            ? AZ_SV("clock offset estimated from collective end times; timestamps shifted before "
                    "comparison (align_clocks)")
            : AZ_SV("clock offset estimated from collective end times, not shifted: clock-based "
                    "waits and last arrivals are wrong; set align_clocks to auto"));
}

/* What the alignment leaves. */
static void error_finding(const struct az_coll_run *c, size_t r)
{
    const struct az_coll_clock *k = &c->clock[r];
    az_finding(c->job, "clock_uncertain", "warning",
               az_arena_printf(c->arena, "rank %lld: +- %.0f us", (long long)c->ranks->v[r].rank,
                               az_us_from_ns(k->error)),
               (int64_t)k->n, k->error,
               AZ_SV("clock offset uncertain: clock-based waits and last arrivals have this error "
                     "(straggler detection does not use them)"));
}

/* Ranks whose clocks nothing connects with those of the first. */
static void apart_finding(const struct az_coll_run *c)
{
    const struct az_ranks *rs = c->ranks;
    int64_t *v = az_arena_array(c->arena, rs->n + 1, sizeof *v);
    size_t n = 0, first = 0;
    while (first < rs->n && !c->part[first])
        first++;
    for (size_t r = first + 1; v && r < rs->n; r++)
        if (c->part[r] && c->clock[r].component != c->clock[first].component)
            v[n++] = rs->v[r].rank;
    if (v && n)
        az_finding(c->job, "clocks_not_aligned", "warning",
                   az_arena_printf(c->arena, "ranks %.*s", AZ_SVF(az_rank_list(c->arena, v, n))),
                   (int64_t)n, -1,
                   az_arena_printf(c->arena,
                                   "no collective, send or recv with rank %lld: clocks not "
                                   "aligned, timestamps cannot be compared",
                                   (long long)rs->v[first].rank));
}

#define ROW struct az_coll_clock
AZ_OF_RECORD(double, drift_ppm, ROW, r->drift * 1e6)
AZ_TEXT_OF_RECORD(known_by, ROW, r->by_pairs ? AZ_SV("send and recv") : AZ_SV("collectives"))
static const struct az_record_column clock_offsets_columns[] = {
    { "rank", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "offset_us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, offset) },
    { "iqr_us", AZ_REAL, AZ_UNIT_US, AZ_FIELD(ROW, iqr) },
    { "collectives", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, n) },
    { "shifted", AZ_BOOL, AZ_FIELD(ROW, applied) },
    { "drift_ppm", AZ_REAL, .flags = AZ_DETAIL, .real = drift_ppm },
    { "clock_steps", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, steps) },
    { "error_us", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, AZ_FIELD(ROW, error) },
    { "known_by", AZ_TEXT, .flags = AZ_DETAIL, .text = known_by },
};

int az_coll_clock_table(struct az_coll_run *c)
{
    struct az_table *t = AZ_RECORD_TABLE(c->arena, "clock_offsets", "Clock offsets by rank", 0,
                                         clock_offsets_columns);
    for (size_t r = 0; r < c->ranks->n; r++) {
        const struct az_coll_clock *k = &c->clock[r];
        if (!c->part[r] || k->n == 0)
            continue;
        az_put_i64(t, c->ranks->v[r].rank);
        az_put_row(t, k);
        if (az_coll_clock_off(k))
            offset_finding(c, r);
        if (k->error > UNSURE_NS)
            error_finding(c, r);
    }
    apart_finding(c);
    if (c->mixed_bases)
        az_finding(c->job, "clock_base", "warning", AZ_SV("baseTimeNanoseconds"), -1, -1,
                   AZ_SV("clock base recorded on some ranks only and ignored; clock offsets come "
                         "from collectives alone"));
    return az_job_add(c->job, t, 0);
}
