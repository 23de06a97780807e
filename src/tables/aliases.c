/* Tables under their names in other tools, next to ours: scripts that read `<name>.csv`
 * of those tools go on working. The rows are those of our table, read from there. */
#include "tables/views.h"

#include "document/rows.h"

static const struct {
    const char *ours, *theirs;
    unsigned tool;
} aliases[] = {
    { "ops_all", "ops_unique_args", AZ_TOOL_TRACELENS },
    { "ops_all_kl_overlap", "ops_unique_args_kl_overlap", AZ_TOOL_TRACELENS },
    { "short_kernels_histogram", "short_kernel_histogram", AZ_TOOL_TRACELENS },
    { "short_kernels_all_details", "short_kernels_summary", AZ_TOOL_TRACELENS },
};

static void put_row(struct az_table *into, const struct az_cell *c)
{
    switch (c->type) {
    case AZ_TEXT:
        az_put_text(into, az_cell_text(c));
        break;
    case AZ_INT:
        az_put_i64(into, c->i);
        break;
    case AZ_REAL:
        az_put_f64(into, c->f);
        break;
    case AZ_BOOL:
        az_put_bool(into, c->b);
        break;
    case AZ_EMPTY:
        az_put_empty(into);
        break;
    }
}

/* A row of the table that this one is another name of. */
static void same_row(const void *of, size_t row, struct az_table *into)
{
    const struct az_table *t = of;

    for (size_t c = 0; c < t->columns.n; c++)
        put_row(into, az_table_at(t, row, c));
}

static int add_document(struct az_document *d, const struct az_table *t, const char *id)
{
    const unsigned shown = AZ_TABLE_SUMMARY | AZ_TABLE_CLASSIC | AZ_TABLE_TEXT_ONLY;
    struct az_table *same =
        az_table_new(d->arena, id, az_arena_str(d->arena, t->title), t->flags & ~shown);

    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *k = &t->columns.v[c];
        az_table_columnsv(same, k->name, k->type, k->unit, k->flags);
    }
    if (t->make)
        az_table_make(same, t->rows, t->make, t->of);
    else if (t->rows)
        az_table_make(same, t->rows, same_row, t);
    return az_document_add(d, same);
}

int az_views_alias(struct az_document *d, unsigned compat)
{
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(aliases); i++) {
        const struct az_table *t = az_document_table(d, aliases[i].ours);
        if (t && (compat & (aliases[i].tool | AZ_TOOL_ALL)) &&
            !az_document_table(d, aliases[i].theirs))
            rc = add_document(d, t, aliases[i].theirs);
    }
    return rc;
}
