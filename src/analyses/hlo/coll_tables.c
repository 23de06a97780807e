/* Tables of collectives: every instance, by operation, by type. */
#include <inttypes.h>

#include "analyses/hlo/coll.h"
#include "analyses/registry_list.h"
#include "base/time_units.h"
#include "document/record.h"

#include <math.h>

static struct az_sv type_of(const struct az_hlo *h, const struct az_coll *c)
{
    return c->op && c->op->family != AZ_HLO_COLL_NONE ? az_sv_str(az_hlo_family_text(c->op->family))
                                                      : az_hlo_text(h, c->name);
}

struct instance_row {
    const struct az_hlo *h;
    const struct az_coll_instance *of;
    const struct az_coll *which;
};
#define ROW struct instance_row
AZ_TEXT_OF_RECORD(type_cell, ROW, type_of(r->h, r->which))
AZ_TEXT_OF_RECORD(id_cell, ROW,
                  az_arena_printf(texts, "%.*s_%" PRIu32, AZ_SVF(az_hlo_text(r->h, r->which->name)),
                                  r->of->k))
AZ_TEXT_OF_RECORD(module_cell, ROW, az_hlo_text(r->h, r->which->module))
AZ_OF_RECORD(double, skew_us, ROW, r->of->common_clock ? az_us_from_ps(r->of->skew) : NAN)
static const struct az_record_column collectives_columns[] = {
    { "collective_name", AZ_TEXT, .flags = AZ_KEY, .text = type_cell },
    { "collective_id", AZ_TEXT, .flags = AZ_KEY, .text = id_cell },
    { "group_idx", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, group) },
    { "group_size", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, size) },
    { "ranks_seen", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, seen) },
    { "data_bytes", AZ_INT, AZ_UNIT_BYTES, AZ_KNOWN_VIA(ROW, of, data) },
    { "message_bytes", AZ_INT, AZ_UNIT_BYTES, AZ_KNOWN_VIA(ROW, of, message) },
    { "min_dur_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, of, min), .ps = true },
    { "max_dur_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, of, max), .ps = true },
    { "start_skew_us", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, .real = skew_us },
    { "alg_bw_GBps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_VIA(ROW, of, alg) },
    { "bus_bw_GBps", AZ_REAL, AZ_UNIT_GBPS, AZ_HIGHER_BETTER, AZ_VIA(ROW, of, bus) },
    { "hlo_module", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, .text = module_cell, .known = true },
};

static int instances(struct az_hlo *h, const struct az_colls *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(h->job->arena, "collectives", "Collectives", 0, collectives_columns);
    for (size_t i = 0; t && i < c->instances.n; i++) {
        const struct az_coll_instance *x = &c->instances.v[i];
        az_put_row(t, &(struct instance_row){ h, x, &c->which.v[x->coll] });
    }
    return az_job_add(h->job, t, AZ_OK);
}

/* ---- summaries ---- */
struct summing { /* what the functions of the specifications see; an item is an instance */
    struct az_hlo *h;
    const struct az_colls *c;
};

AZ_OF_ITEM(const struct az_coll_instance *, instance_of,
           &((const struct summing *)s->ctx)->c->instances.v[i->row])
AZ_OF_ITEM(const struct az_coll *, which_of,
           &((const struct summing *)s->ctx)->c->which.v[instance_of(s, i)->coll])
static struct az_sv text_of(const struct az_scope *s, uint32_t id)
{
    return az_hlo_text(((const struct summing *)s->ctx)->h, id);
}

static bool coll_number(const struct az_scope *s, const struct az_item *i, uint64_t *number)
{
    *number = instance_of(s, i)->coll;
    return true;
}
static void put_type(const struct az_scope *s, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, type_of(((const struct summing *)s->ctx)->h, which_of(s, i)));
}
AZ_OF_ITEM(struct az_sv, module_of, text_of(s, which_of(s, i)->module))
static void put_op(const struct az_scope *s, const struct az_item *i, struct az_table *t)
{
    az_put_text(t, text_of(s, which_of(s, i)->name));
}
static enum az_hlo_family family_of(const struct az_scope *s, const struct az_item *i)
{
    const struct az_hlo_op *op = which_of(s, i)->op;
    return op ? op->family : AZ_HLO_COLL_NONE;
}
static bool family_number(const struct az_scope *s, const struct az_item *i, uint64_t *number)
{
    *number = family_of(s, i);
    return true;
}
static void put_family(const struct az_scope *s, const struct az_item *i, struct az_table *t)
{
    const enum az_hlo_family f = family_of(s, i);
    az_put_text(t, f == AZ_HLO_COLL_NONE ? AZ_SV("unknown") : az_sv_str(az_hlo_family_text(f)));
}

AZ_OF_ITEM(int64_t, shortest, instance_of(s, i)->min)
AZ_OF_ITEM(double, alg_of, instance_of(s, i)->alg)
AZ_OF_ITEM(double, bus_of, instance_of(s, i)->bus)

static const struct az_key coll = { AZ_TEXT, .of = coll_number, .put = put_type };
static const struct az_key module = { AZ_TEXT, .text = module_of };
static const struct az_key op = { AZ_TEXT, .of = coll_number, .put = put_op };
static const struct az_key family = { AZ_TEXT, .of = family_number, .put = put_family };

/* clang-format off */
#define SPREAD(name, n, unit, flag) \
    AZ_FIGURE(name "_mean", AZ_FIG_MEAN, n, unit, flag), \
    AZ_FIGURE(name "_median", AZ_FIG_MEDIAN, n, unit, flag | AZ_DETAIL), \
    AZ_FIGURE(name "_std", AZ_FIG_STD, n, unit, flag | AZ_DETAIL), \
    AZ_FIGURE(name "_min", AZ_FIG_MIN, n, unit, flag | AZ_DETAIL), \
    AZ_FIGURE(name "_max", AZ_FIG_MAX, n, unit, flag | AZ_DETAIL), \
    AZ_FIGURE(name "_p25", AZ_FIG_P25, n, unit, flag | AZ_DETAIL), \
    AZ_FIGURE(name "_p75", AZ_FIG_P75, n, unit, flag | AZ_DETAIL)
#define VALUES .values = { { shortest, true }, { .real = alg_of }, { .real = bus_of } }
#define STATISTICS \
    { "count", .figure = AZ_FIG_COUNT }, \
    { "total_us", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_US, .flags = AZ_LOWER_BETTER, .sort = -1 }, \
    SPREAD("dur_us", 0, AZ_UNIT_US, AZ_LOWER_BETTER), \
    SPREAD("alg_bw_GBps", 1, AZ_UNIT_GBPS, AZ_HIGHER_BETTER), \
    SPREAD("bus_bw_GBps", 2, AZ_UNIT_GBPS, AZ_HIGHER_BETTER)
/* clang-format on */
static const struct az_table_spec by_type = {
    "collectives_by_type", "Collectives by type", AZ_TABLE_SUMMARY, VALUES,
    .columns = { { "collective_name", &family, .flags = AZ_KEY, .sort = 2 }, STATISTICS }
};
static const struct az_table_spec by_op = {
    "collectives_by_op", "Collectives by operation", AZ_TABLE_SUMMARY, VALUES,
    .columns = { { "collective_name", &coll, .flags = AZ_KEY, .sort = 2 },
                 { "hlo_module", &module, .flags = AZ_KEY | AZ_DETAIL, .sort = 3, .follows = true },
                 { "hlo_op", &op, .flags = AZ_KEY, .follows = true },
                 STATISTICS }
};

static int summaries(struct az_hlo *h, const struct az_colls *c)
{
    struct summing s = { h, c };
    const struct az_item_list all = { .n = c->instances.n };
    const int rc = az_spec_make(h->job, &by_type, &s, &all);
    return rc ? rc : az_spec_make(h->job, &by_op, &s, &all);
}

/* What cannot be trusted: ranks without a profile. */
static void judge(struct az_hlo *h, const struct az_colls *c)
{
    int64_t partial = 0;
    for (size_t i = 0; i < c->instances.n; i++)
        partial += c->instances.v[i].size > (int64_t)c->instances.v[i].seen;
    if (partial)
        az_finding(h->job, "partial_collectives", "info", AZ_SV("collectives"), partial, -1,
                   AZ_SV("profiles of some ranks are missing: times are upper bounds, bandwidths "
                         "lower bounds; pass the profiles of all hosts as one input"));
}

static int run_coll_tables(struct az_job *job)
{
    struct az_hlo h;
    struct az_colls c = { 0 };
    int rc = az_hlo_init(&h, job);
    if (rc == 0 && !job->opts->disable_coll_analysis) {
        rc = az_colls_make(&h, &c);
        if (rc == 0 && c.instances.n) {
            judge(&h, &c);
            rc = summaries(&h, &c);
            if (rc == 0)
                rc = instances(&h, &c);
        }
        az_colls_release(&c);
    }
    return az_hlo_release(&h, rc);
}

const struct az_analysis az_analysis_hlo_coll = {
    .name = "hlo_collectives",
    .help = "collectives of compiled programs by device and host: time, skew, bandwidth",
    .needs = AZ_CAP_PROGRAMS,
    .run = run_coll_tables,
};
