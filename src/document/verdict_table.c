/* The verdict of a report as a table, and back. */
#include "document/verdict_table.h"
#include "document/record.h"

#include <math.h>

enum { LINE, LABEL, TEXT, RULE, SEVERITY, EVIDENCE, ROW, TIME, SHARE };

static const char *const kinds[AZ_LINES] = { "what", "time", "finding", "note", "trust" };

struct az_sv az_line_kind_text(enum az_line_kind k) { return az_sv_str(kinds[k]); }

#define OF struct az_line
#define TEXT(header, field)                                                                        \
    {                                                                                              \
        header, AZ_TEXT, AZ_KNOWN(OF, field), .copy = true                                         \
    }
AZ_TEXT_OF_RECORD(kind_of, OF, az_line_kind_text(r->kind))
static const struct az_record_column verdict_columns[] = {
    { "line", AZ_TEXT, .flags = AZ_KEY, .text = kind_of },
    TEXT("label", label),
    { "text", AZ_TEXT, AZ_FIELD(OF, text), .copy = true },
    /* for programs: readers have the text */
    { "rule", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(OF, rule), .copy = true },
    TEXT("severity", severity),
    TEXT("evidence", evidence),
    { "evidence row", AZ_TEXT, .flags = AZ_DETAIL, AZ_KNOWN(OF, row), .copy = true },
    { "time (ns)", AZ_INT, .unit = AZ_UNIT_NS },
    { "share (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_FIELD(OF, percent) },
};

struct az_table *az_headline_table(struct az_arena *arena)
{
    struct az_table *t =
        AZ_RECORD_TABLE(arena, "verdict", "Verdict", AZ_TABLE_WHOLE, verdict_columns);

    if (t)
        az_table_reserve(t, 10); /* few have more lines */
    return t;
}

void az_headline_put(struct az_table *t, const struct az_line *l)
{
    az_put_row(t, l);
    if (l->ns < 0 && !l->change)
        az_put_empty(t);
    else
        az_put_i64(t, l->ns);
    az_put_row(t, l);
}

int az_headline_add(struct az_document *d, struct az_table *t)
{
    int rc = az_document_add(d, t);
    size_t at = 0;

    if (rc || !az_headline_of(d))
        return rc;
    while (d->tables.v[at] != t)
        at++;
    for (; at > 0; at--)
        d->tables.v[at] = d->tables.v[at - 1];
    d->tables.v[0] = t;
    return 0;
}

const struct az_table *az_headline_of(const struct az_document *d)
{
    return az_document_table(d, "verdict");
}

/* A saved table may lack columns. */
static const struct az_cell *cell_at(const struct az_table *t, size_t row, size_t column)
{
    static const struct az_cell none = { .type = AZ_EMPTY };
    return column < t->columns.n ? az_table_at(t, row, column) : &none;
}

struct az_line az_headline_line(const struct az_table *t, size_t row)
{
    struct az_line l = { .ns = -1, .percent = NAN };
    struct az_sv kind = az_cell_text(cell_at(t, row, LINE));

    while (l.kind + 1 < AZ_LINES && !az_sv_eq(kind, az_sv_str(kinds[l.kind])))
        l.kind++;
    l.label = az_cell_text(cell_at(t, row, LABEL));
    l.text = az_cell_text(cell_at(t, row, TEXT));
    l.rule = az_cell_text(cell_at(t, row, RULE));
    l.severity = az_cell_text(cell_at(t, row, SEVERITY));
    l.evidence = az_cell_text(cell_at(t, row, EVIDENCE));
    l.row = az_cell_text(cell_at(t, row, ROW));
    if (cell_at(t, row, TIME)->type == AZ_INT)
        l.ns = cell_at(t, row, TIME)->i;
    l.percent = az_cell_number(cell_at(t, row, SHARE));
    return l;
}
