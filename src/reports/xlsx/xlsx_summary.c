/* The `summary` sheet: title, verdict, input, messages and the list of sheets, with the charts to
 * their right from the top on, so that a screen has both; and the first rows of every summary table
 * with a link to its sheet. Numbers are in readable units here (the tables' own sheets have them
 * raw). */
#include "reports/xlsx/xlsx_lib.h"
#include <stdint.h>

#include "base/utf8.h"
#include "document/verdict_table.h"
#include "reports/shared/fields.h"
#include "reports/xlsx/xlsx.h"
#include "text/names.h"

#define ROWS_MAX       10 /* of one table */
#define COLUMNS_MAX    8
#define TEXT_MAX       120 /* of one cell */
#define WIDTH_TEXT     46
#define WIDTH_OTHERS   30
#define WIDTH_SMALLEST 10
#define WIDTH_FIRST    44  /* of the first column, at least: the list of sheets */
#define TITLE_HEIGHT   22  /* points, of 15 */
#define INDEX_MAX      40  /* of a title there */
#define LINE_WIDTH     96  /* of a line of the verdict; the charts begin next to it */
#define BOLD_WIDTH     82  /* the same in bold letters */
#define LINE_PIXELS    640 /* of the widest line, in bold; charts begin right of it */

struct view { /* the columns of one table that are shown */
    const struct az_table *t;
    size_t col[COLUMNS_MAX];
    struct az_scale scale[COLUMNS_MAX];
    size_t n, rows;
};

/* Names come first here: the tables stand one below the other and share their columns' widths. */
static struct view view_of(const struct az_table *t)
{
    struct view v = { .t = t,
                      .rows =
                          t->rows < ROWS_MAX || (t->flags & AZ_TABLE_SHORT) ? t->rows : ROWS_MAX };
    size_t chosen[COLUMNS_MAX], n = az_field_choose(t, chosen, COLUMNS_MAX);

    for (int names = 1; names >= 0; names--) {
        for (size_t i = 0; i < n; i++) {
            const struct az_column *c = &t->columns.v[chosen[i]];
            if (((c->flags & AZ_KEY) && c->type == AZ_TEXT) == names)
                v.col[v.n++] = chosen[i];
        }
    }
    for (size_t i = 0; i < v.n; i++)
        v.scale[i] = az_field_scale_read(t, v.col[i], v.rows);
    return v;
}

static struct az_sv header_of(struct az_xlsx *x, const struct view *v, size_t i)
{
    const struct az_column *col = &v->t->columns.v[v->col[i]];

    return az_field_title(x->scratch, v->t, v->col[i],
                          col->type == AZ_TEXT ? "" : v->scale[i].unit);
}

static struct az_sv text_of(struct az_xlsx *x, const struct az_cell *c)
{
    return az_utf8_fit(x->scratch,
                       az_name_plain(x->scratch, az_field_line(x->scratch, az_cell_text(c))),
                       TEXT_MAX, true);
}

static bool shown(const struct az_xlsx_plan *plan, size_t i)
{
    const struct az_xlsx_part *p = &plan->parts.v[i];

    return p->number == 1 && (p->t->flags & AZ_TABLE_SUMMARY) && !az_sv_is(p->t->id, "verdict");
}

/* Has each row the number of one operation, so that the first ones are not typical of the whole? */
static bool lists(const struct az_table *t)
{
    const struct az_column *c = t->columns.v;
    return t->columns.n > 0 && c->type == AZ_INT && c->unit == AZ_UNIT_ID &&
           az_sv_ieq(c->name, AZ_SV("ID"));
}

static size_t content_width(struct az_xlsx *x, const struct view *v, size_t c)
{
    const struct az_column *col = &v->t->columns.v[v->col[c]];
    size_t most = az_utf8_width(header_of(x, v, c)) + 1;
    size_t limit = col->type == AZ_TEXT ? WIDTH_TEXT : WIDTH_OTHERS;
    char buf[AZ_FIELD_MAX];

    for (size_t r = 0; r < v->rows; r++) {
        const struct az_cell *cell = az_table_at(v->t, r, v->col[c]);
        size_t w = cell->type == AZ_TEXT ? az_utf8_width(text_of(x, cell))
                                         : az_field_number(cell, col, v->scale[c], buf).n + 2;
        most = w > most ? w : most;
    }
    return most < limit ? most : limit;
}

/* Widths come first: the library requires them before any row. The tables share their columns; a
 * text at the right end of a table that others outreach may flow over, and widens nothing. */
static void set_widths(struct az_xlsx *x, struct lxw_worksheet *ws, const struct az_xlsx_plan *plan)
{
    size_t width[COLUMNS_MAX] = { 0 }, used = 2;

    for (size_t i = 0; i < plan->parts.n; i++) {
        size_t n = shown(plan, i) ? view_of(plan->parts.v[i].t).n : 0;
        used = n > used ? n : used;
    }
    for (size_t i = 0; i < plan->parts.n; i++) {
        struct view v = shown(plan, i) ? view_of(plan->parts.v[i].t) : (struct view){ .n = 0 };
        for (size_t c = 0; c < v.n; c++) {
            bool flows = c + 1 == v.n && v.n < used && v.t->columns.v[v.col[c]].type == AZ_TEXT;
            size_t w = flows ? WIDTH_SMALLEST : content_width(x, &v, c);
            width[c] = w > width[c] ? w : width[c];
        }
    }
    for (size_t c = 0; c < used; c++) {
        const size_t least = c == 0 ? WIDTH_FIRST : WIDTH_SMALLEST;
        size_t w = width[c] > least ? width[c] : least;
        worksheet_set_column(ws, (lxw_col_t)c, (lxw_col_t)c, (double)w + 2, NULL);
    }
}

static enum az_xlsx_style style_of(const struct az_column *col, struct az_scale s)
{
    if (col->type == AZ_TEXT)
        return AZ_STYLE_INDENTED;
    if (col->unit == AZ_UNIT_PERCENT)
        return AZ_STYLE_PERCENT;
    if (s.divide == 1)
        return az_xlsx_style_of(col);
    return AZ_STYLE_FIXED3;
}

static void put_cell(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t at,
                     const struct view *v, size_t r)
{
    const struct az_cell *c = az_table_at(v->t, r, v->col[at]);
    enum az_xlsx_style style = style_of(&v->t->columns.v[v->col[at]], v->scale[at]);

    if (c->type == AZ_TEXT)
        az_xlsx_text(x, ws, row, at, text_of(x, c), style);
    else if (v->scale[at].divide != 1)
        az_xlsx_number(x, ws, row, at, az_cell_number(c) / v->scale[at].divide, style);
    else
        az_xlsx_cell(x, ws, row, at, c, style);
}

/* Returns the next free row. */
static size_t table(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row,
                    const struct az_xlsx_part *p)
{
    struct view v = view_of(p->t);
    struct az_sv title = p->t->title.n ? p->t->title : p->t->id;

    az_xlsx_link(x, ws, row++, 0, p->name, title, AZ_STYLE_LINK);
    for (size_t c = 0; c < v.n; c++)
        az_xlsx_text(x, ws, row, c, header_of(x, &v, c),
                     v.t->columns.v[v.col[c]].type == AZ_TEXT ? AZ_STYLE_HEADING
                                                              : AZ_STYLE_HEADING_RIGHT);
    row++;
    for (size_t r = 0; r < v.rows; r++, row++) {
        for (size_t c = 0; c < v.n; c++)
            put_cell(x, ws, row, c, &v, r);
    }
    if (p->t->rows == 0)
        az_xlsx_text(x, ws, row++, 0, AZ_SV("(none)"), AZ_STYLE_GRAY);
    if (p->t->note.n)
        az_xlsx_text(x, ws, row++, 0, az_field_line(x->scratch, p->t->note), AZ_STYLE_GRAY);
    if (p->t->rows > v.rows)
        az_xlsx_text(x, ws, row++, 0,
                     az_arena_printf(x->scratch, "%zu more row%s on sheet %.*s",
                                     p->t->rows - v.rows, p->t->rows - v.rows == 1 ? "" : "s",
                                     AZ_SVF(p->name)),
                     AZ_STYLE_GRAY);
    return row + 1;
}

/* The part of a text that fits a line, which is removed from it. */
static struct az_sv next_line(struct az_sv *rest, size_t width)
{
    size_t end = az_utf8_width(*rest) <= width ? rest->n : 0;

    for (size_t i = 1; i < rest->n && end < rest->n && (i <= width || end == 0); i++)
        end = rest->p[i] == ' ' ? i : end;
    end = end ? end : rest->n;
    const struct az_sv line = az_sv_make(rest->p, end);
    *rest = az_sv_trim(az_sv_make(rest->p + end, rest->n - end));
    return line;
}

static size_t put_pair(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, const char *label,
                       struct az_sv value)
{
    struct az_sv rest =
        az_arena_printf(x->scratch, "%s: %.*s", label, AZ_SVF(az_field_text(x->scratch, value)));

    while (value.n && rest.n)
        az_xlsx_text(x, ws, row++, 0, next_line(&rest, LINE_WIDTH), AZ_STYLE_PLAIN);
    return row;
}

/* The verdict in the first column, from where it flows over the empty ones: a window of usual size
 * shows whole lines, which the width of the tables' names would push out of it. Returns the next
 * free row. */
static size_t verdict(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row,
                      const struct az_document *doc)
{
    const struct az_table *t = az_headline_of(doc);
    bool among_findings = doc->claims == NULL; /* a comparison has changes instead of savings */

    for (size_t r = 0; t && r < t->rows; r++) {
        const struct az_line l = az_headline_line(t, r);
        const bool finding = l.kind == AZ_LINE_FINDING;
        struct az_sv text = l.text, rest;
        if (l.evidence.n)
            text = az_arena_printf(x->scratch, "%.*s (%.*s)", AZ_SVF(text), AZ_SVF(l.evidence));
        if (l.label.n)
            text = az_arena_printf(x->scratch, "%.*s%s%.*s", AZ_SVF(l.label), finding ? "  " : ": ",
                                   AZ_SVF(text));
        rest = az_field_line(x->scratch, text);
        if (finding && !among_findings)
            az_xlsx_text(x, ws, row++, 0, AZ_SV("Est. saving"), AZ_STYLE_LABEL);
        among_findings |= finding;
        enum az_xlsx_style style = az_sv_is(l.severity, "error") ? AZ_STYLE_BAD
                                   : l.label.n                   ? AZ_STYLE_PLAIN
                                                                 : AZ_STYLE_LABEL;
        do {
            const size_t width = style == AZ_STYLE_LABEL ? BOLD_WIDTH : LINE_WIDTH;
            az_xlsx_text(x, ws, row++, 0, next_line(&rest, width), style);
            style = AZ_STYLE_INDENTED;
        } while (rest.n);
    }
    return t ? row + 1 : row;
}

/* A link to each sheet, and how many rows it has. Returns the next free row. */
static size_t sheets(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row,
                     const struct az_xlsx_plan *plan)
{
    az_xlsx_text(x, ws, row++, 0, AZ_SV("Sheets"), AZ_STYLE_HEADING);
    for (size_t i = 0; i < plan->parts.n && !x->error; i++, row++) {
        const struct az_xlsx_part *p = &plan->parts.v[i];
        const struct az_sv title = az_field_line(x->scratch, p->t->title.n ? p->t->title : p->name);
        const struct az_sv shown =
            az_arena_printf(x->scratch, "%.*s (%zu)",
                            AZ_SVF(az_utf8_fit(x->scratch, title, INDEX_MAX, false)), p->rows);
        az_xlsx_link(x, ws, row, 0, p->name, shown, AZ_STYLE_ENTRY);
    }
    return row;
}

void az_xlsx_summary(struct az_xlsx *x, struct lxw_worksheet *ws, const struct az_document *doc,
                     const struct az_xlsx_plan *plan)
{
    size_t row = 0;
    x->labels.sheet = ws;
    struct az_sv title = doc->title.n && !doc->no_heading ? doc->title : doc->input;

    set_widths(x, ws, plan);
    worksheet_gridlines(ws, LXW_HIDE_ALL_GRIDLINES);
    worksheet_set_landscape(ws);
    worksheet_fit_to_pages(ws, 1, 0);
    (void)worksheet_set_row(ws, 0, TITLE_HEIGHT, NULL); /* else its letters are cut */
    az_xlsx_text(x, ws, row++, 0, title, AZ_STYLE_TITLE);
    row = verdict(x, ws, row, doc);
    row = put_pair(x, ws, row, "Input", doc->input);
    row = put_pair(x, ws, row, "Format", doc->format);
    for (size_t i = 0; i < doc->preface.n; i++)
        row = put_pair(x, ws, row, "Note", doc->preface.v[i]);
    row++;
    const size_t charts = 1 + az_xlsx_charts(x, ws, 1, LINE_PIXELS, doc, plan);
    row = sheets(x, ws, row, plan);
    row = (row > charts ? row : charts) + 1;
    for (int one = 0; one < 2; one++) { /* sums first, then what lists one thing per row */
        for (size_t i = 0; i < plan->parts.n && !x->error; i++) {
            if (shown(plan, i) && lists(plan->parts.v[i].t) == (one == 1))
                row = table(x, ws, row, &plan->parts.v[i]);
        }
    }
}
