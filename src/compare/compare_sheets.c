/* Which tables of a comparison have a sheet in the workbook: the result and its evidence first,
 * then the main tables of the inputs. CSV and JSON have all. */
#include "base/sort.h"
#include "compare/compare_internal.h"

#define SHEETS 12 /* with the writer's summary, and its coverage where something is skipped */

struct ranked {
    struct az_table *t;
    unsigned rank; /* lower: earlier */
    size_t at;
};

static const struct az_joined *joined_of(const struct az_comparison *c, struct az_sv id)
{
    for (size_t i = 0; i < c->n_tables; i++)
        if (az_sv_eq(c->tables[i].id, id))
            return &c->tables[i];
    return NULL;
}

static bool has_chart(const struct az_document *d, struct az_sv id)
{
    for (size_t i = 0; i < d->charts.n; i++)
        if (az_sv_eq(d->charts.v[i].table, id))
            return true;
    return false;
}

/* The tables with the result of the comparison. */
static bool is_answer(struct az_sv id)
{
    return az_sv_is(id, "verdict") || az_sv_is(id, "compare_summary") ||
           az_sv_starts(id, AZ_SV("waterfall"));
}

static unsigned rank_of(const struct az_comparison *c, const struct az_table *t)
{
    const struct az_joined *j = joined_of(c, t->id);

    if (is_answer(t->id))
        return 0;
    if (has_chart(c->doc, t->id) || az_sv_is(t->id, "side_by_side_families"))
        return 1; /* drawn in the summary from its cells, or the metrics of what is drawn */
    if (az_sv_starts(t->id, AZ_SV("compare_")))
        return az_sv_is(t->id, "compare_facts") ? 4 : 2;
    if (t->rows == 0 || (j && az_joined_one_sided(c, j)) || az_sv_starts(t->id, AZ_SV("side_by")))
        return 6;
    if (j && (j->spec->flags & AZ_SPEC_TEXT))
        return 3;
    return j ? 4 : 5; /* of tables that come in parts one is as good as the other */
}

static int by_rank(const void *a, const void *b, void *ctx)
{
    const struct ranked *x = a, *y = b;
    (void)ctx;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

int az_compare_sheets(struct az_comparison *c)
{
    struct az_document *d = c->doc;
    struct ranked *list = az_arena_array(c->a, d->tables.n, sizeof *list);
    size_t n = 0;

    if (!list)
        return az_arena_error(c->a);
    for (size_t i = 0; i < d->tables.n; i++)
        if (!(d->tables.v[i]->flags & AZ_TABLE_TEXT_ONLY))
            list[n++] = (struct ranked){ d->tables.v[i], rank_of(c, d->tables.v[i]), i };
    if (c->opts->all_sheets || c->opts->n_tables || n + 1 <= SHEETS)
        return AZ_OK;
    az_sort_cmp(list, n, sizeof *list, by_rank, NULL, d->mem);
    for (size_t i = SHEETS - 2; i < n; i++)
        list[i].t->flags |= AZ_TABLE_NO_SHEET;
    d->sheets_note = AZ_SV("in CSV and JSON; use --all-sheets or compare.all_sheets");
    return AZ_OK;
}
