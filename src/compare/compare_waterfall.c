/* From the baseline's total to a variant's, bar by bar: its causes, largest first, in whole
 * nanoseconds, so that they add up exactly (docs/formulas-compare.md 1.2). */
#include <math.h>

#include "base/num.h"
#include "compare/compare_causes.h"
#include "document/record.h"

#define MAX_NS 4000000000000000000 /* beyond this nothing is drawn */

/* ---- the table ---- */

/* A bar: the label and what it stands for on either side. The cells from the sixth on are for
 * charts of stacked columns: an unseen foot and what is on it. */
struct bar {
    struct az_sv label, name; /* name: the whole name; empty: the label is it */
    int64_t ns[2];            /* baseline, variant; of a total the first counts */
    bool total;
};

struct bar_row {
    const struct bar *bar;
    int64_t ns, level, before; /* level: after it */
    double percent;            /* of the baseline */
};
#define ROW struct bar_row
AZ_OF_RECORD(int64_t, foot, ROW, r->bar->total ? 0 : r->ns > 0 ? r->before : r->level)
AZ_OF_RECORD(int64_t, whole, ROW, r->bar->total ? r->ns : 0)
AZ_OF_RECORD(int64_t, rise, ROW, !r->bar->total && r->ns > 0 ? r->ns : 0)
AZ_OF_RECORD(int64_t, fall, ROW, !r->bar->total && r->ns < 0 ? -r->ns : 0)
AZ_OF_RECORD(int64_t, baseline, ROW, r->bar->total ? INT64_MIN : r->bar->ns[0])
AZ_OF_RECORD(int64_t, variant_ns, ROW, r->bar->total ? INT64_MIN : r->bar->ns[1])
static const struct az_record_column columns[] = {
    { "Step", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, bar, label), .copy = true },
    { "Change (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER | AZ_CHANGE, AZ_FIELD(ROW, ns) },
    { "Total", AZ_BOOL, .flags = AZ_DETAIL, AZ_VIA(ROW, bar, total) },
    { "Level (ns)", AZ_INT, AZ_UNIT_NS, AZ_FIELD(ROW, level) },
    { "Of baseline (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(ROW, percent) },
    { "Foot (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN, .integer = foot },
    { "Whole (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN, .integer = whole },
    { "Rise (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN, .integer = rise },
    { "Fall (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN, .integer = fall },
    { "Baseline (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, .integer = baseline },
    { "Variant (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL, .integer = variant_ns },
    { "Name", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN_VIA(ROW, bar, name), .copy = true },
};

static void put_bar(struct az_table *t, const struct bar *bar, int64_t base, int64_t *level)
{
    const int64_t ns = bar->total ? bar->ns[0] : bar->ns[1] - bar->ns[0];
    const int64_t before = *level;

    *level = bar->total ? ns : az_add_sat(before, ns);
    az_put_row(t,
               &(ROW){ bar, ns, *level, before, base ? 100.0 * (double)ns / (double)base : NAN });
}

static int chart(struct az_comparison *c, const struct az_table *t)
{
    struct az_chart chart = {
        .kind = AZ_CHART_WATERFALL, .table = t->id, .title = t->title, .x = AZ_SV("Step")
    };
    int rc;

    az_vec_init(&chart.y, c->doc->mem);
    chart.y_title = AZ_SV("Time (ns)");
    rc = az_vec_push(&chart.y, AZ_SV("Change (ns)"));
    if (!rc)
        rc = az_vec_push(&chart.y, AZ_SV("Total"));
    if (!rc)
        return az_document_chart(c->doc, chart);
    az_vec_release(&chart.y);
    return rc;
}

static struct az_table *new_table(struct az_comparison *c, const struct az_causes *o,
                                  size_t variant)
{
    struct az_table *t = AZ_RECORD_TABLE(c->a, "", "", AZ_TABLE_SUMMARY, columns);

    if (!t)
        return NULL;
    t->id = az_variant_name(c, "waterfall", variant);
    t->title = az_arena_printf(c->a, "From %.*s to %.*s, by %s", AZ_SVF(c->shown[c->base]),
                               AZ_SVF(c->shown[variant]),
                               o->by == AZ_BY_NONE ? "parts of the total" : az_pairing_text(o->by));
    return t->id.p && t->title.p ? t : NULL;
}

int az_compare_waterfall(struct az_comparison *c, const struct az_causes *o, size_t variant)
{
    const struct az_sv base = c->in[c->base].tag, tag = c->in[variant].tag;
    struct az_table *t;
    int64_t level = 0;
    int rc;

    if ((!o->timed && o->by == AZ_BY_NONE) || o->total[0] > MAX_NS || o->total[1] > MAX_NS)
        return AZ_OK;
    t = new_table(c, o, variant);
    if (!t)
        return az_arena_error(c->a);
    put_bar(t, &(struct bar){ .label = base, .ns = { o->total[0], 0 }, .total = true }, o->total[0],
            &level);
    for (size_t i = 0; i < o->list.n; i++) {
        const struct az_change_cause *x = &o->list.v[i];
        put_bar(t,
                &(struct bar){ .label = x->label,
                               .name = az_sv_eq(x->label, x->name) ? AZ_SV("") : x->name,
                               .ns = { x->ns[0], x->ns[1] } },
                o->total[0], &level);
    }
    put_bar(t,
            &(struct bar){ .label = az_sv_eq(tag, base) ? AZ_SV("variant") : tag,
                           .ns = { o->total[1], 0 },
                           .total = true },
            o->total[0], &level);
    rc = az_document_add(c->doc, t);
    return rc ? rc : chart(c, t);
}
