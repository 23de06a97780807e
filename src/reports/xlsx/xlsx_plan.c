/* Which rows of which table go to which sheet. Decided before the first cell is written, so that
 * what is missing is listed in the `coverage` sheet, by rows whose item begins with "xlsx ": "rows
 * omitted" beyond doc->xlsx_rows, "columns omitted" beyond 16,384, "cells truncated" to 32,767
 * characters, "sheets skipped" (AZ_TABLE_NO_SHEET) with the names of their tables, and "chart rows
 * omitted", which are not on the first sheet of the chart's table. */
#include "document/record.h"
#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"

struct cut {
    struct az_sv item, note;
    size_t count;
    const char *unit;
};
AZ_VEC(struct cut, cuts);

struct planner {
    struct az_xlsx_plan *plan;
    const struct az_document *doc;
    struct az_arena *scratch;
    struct cuts cuts;
};

static int add_cut(struct planner *p, const char *what, struct az_sv of, size_t count,
                   const char *unit, struct az_sv note)
{
    struct cut c = { .count = count, .unit = unit, .note = note };

    c.item = az_arena_printf(p->scratch, "%s: %.*s", what, AZ_SVF(az_field_text(p->scratch, of)));
    if (!c.item.p || !note.p)
        return az_arena_error(p->scratch);
    return az_vec_push(&p->cuts, c);
}

static int long_cells(const struct az_table *t, size_t rows, size_t columns, struct az_mem *mem,
                      size_t *n)
{
    struct az_rows reader;
    const struct az_cell *cells;

    *n = 0;
    az_rows_open(&reader, t, mem);
    for (size_t r = 0; r < rows && (cells = az_rows_at(&reader, r)); r++)
        for (size_t c = 0; c < columns; c++)
            *n += cells[c].type == AZ_TEXT && az_xlsx_too_long(az_cell_text(&cells[c]));
    const int rc = az_rows_error(&reader);
    az_rows_close(&reader);
    return rc;
}

static int plan_parts(struct planner *p, const struct az_table *t, size_t rows, size_t columns)
{
    struct az_xlsx_part part = { .t = t, .columns = columns, .number = 1 };

    do {
        size_t left = rows - part.first;
        part.rows = left < AZ_XLSX_ROWS - 1 ? left : AZ_XLSX_ROWS - 1;
        part.name = t->id;
        int rc = az_vec_push(&p->plan->parts, part);
        if (rc)
            return rc;
        part.first += part.rows;
        part.number++;
    } while (part.first < rows);
    p->plan->cells += rows * columns;
    return 0;
}

static int plan_table(struct planner *p, const struct az_table *t)
{
    size_t limit = (t->flags & (AZ_TABLE_WHOLE | AZ_TABLE_LAST)) ? 0 : p->doc->xlsx_rows;
    size_t rows = limit && t->rows > limit ? limit : t->rows;
    size_t columns = t->columns.n < AZ_XLSX_COLUMNS ? t->columns.n : AZ_XLSX_COLUMNS;
    size_t cells;
    int rc = long_cells(t, rows, columns, p->doc->mem, &cells);

    if (!rc && rows < t->rows)
        rc = add_cut(p, "xlsx rows omitted", t->id, t->rows - rows, "rows",
                     az_arena_printf(p->scratch, "first %zu of %zu rows; see CSV or JSON for all",
                                     rows, t->rows));
    if (!rc && columns < t->columns.n)
        rc = add_cut(p, "xlsx columns omitted", t->id, t->columns.n - columns, "columns",
                     az_arena_printf(p->scratch,
                                     "limit of %d columns per sheet; see CSV or JSON for all",
                                     AZ_XLSX_COLUMNS));
    if (!rc && cells)
        rc = add_cut(p, "xlsx cells truncated", t->id, cells, "cells",
                     az_arena_printf(p->scratch,
                                     "limit of %d characters per cell; see CSV or JSON for all",
                                     AZ_XLSX_CELL));
    return rc ? rc : plan_parts(p, t, rows, columns);
}

/* Tables that are to have no sheet: one row, with their names and how to get them. */
static int plan_skipped(struct planner *p)
{
    struct az_sv names = AZ_SV("");
    size_t n = 0;

    for (size_t i = 0; i < p->doc->tables.n; i++) {
        const struct az_table *t = p->doc->tables.v[i];
        if (!(t->flags & AZ_TABLE_NO_SHEET))
            continue;
        names = az_arena_printf(p->scratch, "%.*s%s%.*s", AZ_SVF(names), n++ ? ", " : "",
                                AZ_SVF(az_field_text(p->scratch, t->id)));
    }
    if (n == 0)
        return 0;
    return add_cut(
        p, "xlsx sheets skipped", AZ_SV("tables"), n, "tables",
        az_arena_printf(p->scratch, "%.*s: %.*s", AZ_SVF(names), AZ_SVF(p->doc->sheets_note)));
}

/* Rows a chart was meant to show and cannot, because they are not on the first sheet of its table.
 */
static int plan_chart(struct planner *p, const struct az_chart *c)
{
    const struct az_xlsx_part *part = az_xlsx_plan_find(p->plan, c->table);
    size_t wanted = part ? part->t->rows : 0;

    if (c->max_rows && wanted > c->max_rows)
        wanted = c->max_rows;
    if (!part || wanted <= part->rows || !az_xlsx_draws(c))
        return 0;
    return add_cut(p, "xlsx chart rows omitted", c->title, wanted - part->rows, "rows",
                   az_arena_printf(p->scratch, "the chart shows the first %zu rows", part->rows));
}

/* ---- coverage with the truncated parts after its own rows ---- */
static void put_cut(struct az_table *t, const struct cut *cut)
{
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *col = &t->columns.v[c];
        bool text = col->type == AZ_TEXT;
        if (text && az_sv_ieq(col->name, AZ_SV("item")))
            az_put_text(t, cut->item);
        else if (text && az_sv_ieq(col->name, AZ_SV("unit")))
            az_put_text(t, az_sv_str(cut->unit));
        else if (text && az_sv_ieq(col->name, AZ_SV("note")))
            az_put_text(t, cut->note);
        else if (!text && az_sv_ieq(col->name, AZ_SV("value")))
            az_put_i64(t, (int64_t)cut->count);
        else
            az_put_empty(t);
    }
}

/* Has a table the columns for a truncated part? */
static bool takes_cuts(const struct az_table *t)
{
    ptrdiff_t item = az_table_find_nocase(t, "item"), value = az_table_find_nocase(t, "value");

    return item >= 0 && value >= 0 && t->columns.v[item].type == AZ_TEXT &&
           (t->columns.v[value].type == AZ_INT || t->columns.v[value].type == AZ_REAL);
}

static const struct az_record_column coverage_columns[] = {
    { "item", AZ_TEXT, .flags = AZ_KEY },
    { "value", .type = AZ_REAL },
    { "unit", .type = AZ_TEXT },
    { "note", .type = AZ_TEXT },
};

/* Copy of `from` (its cells still point to its texts), or an empty coverage table if there is
 * none. */
static struct az_table *start_coverage(const struct az_table *from, struct az_arena *scratch)
{
    unsigned flags = AZ_TABLE_LAST | AZ_TABLE_WHOLE;
    struct az_table *t = az_table_new(scratch, "coverage", "Coverage", flags);

    if (!t)
        return NULL;
    if (!from) {
        az_record_columns(t, coverage_columns, AZ_LENGTH(coverage_columns));
        return t;
    }
    t->flags |= from->flags;
    for (size_t c = 0; c < from->columns.n; c++) {
        const struct az_column *col = &from->columns.v[c];
        az_table_columnsv(t, col->name, col->type, col->unit, col->flags);
    }
    for (size_t i = 0; i < from->cells.n && !t->error; i++)
        t->error = az_vec_push(&t->cells, from->cells.v[i]);
    t->rows = from->rows;
    return t;
}

/* Replaces the coverage sheet by one with the truncated parts, or puts one before the last sheets.
 */
static int plan_coverage(struct planner *p)
{
    const struct az_table *old = az_document_table(p->doc, "coverage");
    struct az_xlsx_parts *parts = &p->plan->parts;
    size_t at = 0;

    if (p->cuts.n == 0)
        return 0;
    if (old && !takes_cuts(old))
        old = NULL;
    struct az_table *t = p->plan->coverage = start_coverage(old, p->scratch);
    if (!t)
        return az_arena_error(p->scratch);
    for (size_t i = 0; i < p->cuts.n; i++)
        put_cut(t, &p->cuts.v[i]);
    int rc = az_table_finish(t);
    if (rc)
        return rc;
    while (at < parts->n &&
           (old ? parts->v[at].t != old : !(parts->v[at].t->flags & AZ_TABLE_LAST)))
        at++;
    if (!old) {
        rc = az_vec_push(parts, (struct az_xlsx_part){ .t = NULL });
        if (rc)
            return rc;
        memmove(parts->v + at + 1, parts->v + at, (parts->n - 1 - at) * sizeof parts->v[0]);
    }
    parts->v[at] = (struct az_xlsx_part){
        .t = t, .rows = t->rows, .columns = t->columns.n, .number = 1, .name = t->id
    };
    return 0;
}

int az_xlsx_plan_make(struct az_xlsx_plan *plan, const struct az_document *doc,
                      struct az_arena *scratch)
{
    struct planner p = { .plan = plan, .doc = doc, .scratch = scratch };
    int rc = 0;

    *plan = (struct az_xlsx_plan){ .cells = 0 };
    az_vec_init(&plan->parts, doc->mem);
    az_vec_init(&p.cuts, doc->mem);
    for (size_t i = 0; i < doc->tables.n && !rc; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (!(t->flags & (AZ_TABLE_TEXT_ONLY | AZ_TABLE_NO_SHEET)) && t->columns.n > 0)
            rc = plan_table(&p, t);
    }
    if (!rc)
        rc = plan_skipped(&p);
    for (size_t i = 0; i < doc->charts.n && !rc; i++)
        rc = plan_chart(&p, &doc->charts.v[i]);
    if (!rc)
        rc = plan_coverage(&p);
    az_vec_release(&p.cuts);
    return rc;
}

void az_xlsx_plan_release(struct az_xlsx_plan *p)
{
    az_vec_release(&p->parts);
    az_table_free(p->coverage);
}

const struct az_xlsx_part *az_xlsx_plan_find(const struct az_xlsx_plan *p, struct az_sv table)
{
    for (size_t i = 0; i < p->parts.n; i++) {
        if (az_sv_eq(p->parts.v[i].t->id, table))
            return &p->parts.v[i];
    }
    return NULL;
}
