/* Text summary: aligned tables for people. Widths are terminal columns; lines are kept under
 * LINE_MAX_COLUMNS by cutting long texts, then by leaving out columns from the right, which is
 * said. */
#include <stdio.h>

#include "base/utf8.h"
#include "reports/fields.h"
#include "reports/text.h"

#define LINE_MAX_COLUMNS 158
#define TEXT_MIN_WIDTH   16 /* a text column is not squeezed below this */
#define INDENT           2
#define GAP              2 /* blanks between columns */
#define BOLD             "1"
#define RED              "31"
#define GREEN            "32"
#define YELLOW           "33"
#define DIM              "2"

static void colored(struct az_textout *o, const char *code, struct az_sv s)
{
    if (o->color && code) {
        az_textout_put(o, AZ_SV("\033["));
        az_textout_put(o, az_sv_str(code));
        az_textout_put(o, AZ_SV("m"));
    }
    az_textout_put(o, s);
    if (o->color && code)
        az_textout_put(o, AZ_SV("\033[0m"));
}

/* ---- one table ---- */
struct field { /* a column that is shown */
    size_t col;
    struct az_scale scale;
    struct az_sv header;
    size_t width;
    bool text; /* left-justified */
};
struct view {
    const struct az_table *t;
    struct field *field;
    size_t n, rows;
    size_t left_out; /* columns that did not fit */
};

/* End of a table's row: no blanks before the line break. */
static void end_row(struct az_textout *o)
{
    while (o->out->n && o->out->v[o->out->n - 1] == ' ')
        o->out->n--;
    az_textout_put(o, AZ_SV("\n"));
}

/* Text of a cell as shown; buf as for az_field_number. */
static struct az_sv shown(struct az_arena *a, const struct view *v, const struct field *f,
                          size_t row, char *buf)
{
    const struct az_cell *c = az_table_at(v->t, row, f->col);

    if (c->type == AZ_TEXT)
        return az_field_line(a, az_cell_text(c));
    return az_field_number(c, &v->t->columns.v[f->col], f->scale, buf);
}

static void measure(struct az_arena *a, const struct view *v, struct field *f)
{
    char buf[AZ_FIELD_MAX];

    f->width = az_utf8_width(f->header);
    for (size_t r = 0; r < v->rows; r++) {
        size_t w = az_utf8_width(shown(a, v, f, r, buf));
        if (w > f->width)
            f->width = w;
    }
}

static size_t total_width(const struct view *v)
{
    size_t sum = INDENT;

    for (size_t i = 0; i < v->n; i++)
        sum += v->field[i].width + (i ? GAP : 0);
    return sum;
}

/* Leaves out the last column that is no key; the last one where all are keys. */
static void drop_one(struct view *v)
{
    size_t i = v->n - 1;

    while (i > 0 && (v->t->columns.v[v->field[i].col].flags & AZ_KEY))
        i--;
    if (v->t->columns.v[v->field[i].col].flags & AZ_KEY)
        i = v->n - 1;
    memmove(&v->field[i], &v->field[i + 1], (v->n - 1 - i) * sizeof v->field[0]);
    v->n--;
    v->left_out++;
}

/* Takes the excess from the widest text column, again and again, down to TEXT_MIN_WIDTH; then drops
 * columns. */
static void fit(struct view *v)
{
    for (;;) {
        size_t total = total_width(v), second = TEXT_MIN_WIDTH;
        struct field *widest = NULL;
        if (total <= LINE_MAX_COLUMNS)
            return;
        for (size_t i = 0; i < v->n; i++) {
            struct field *f = &v->field[i];
            if (!f->text || f->width <= TEXT_MIN_WIDTH)
                continue;
            if (widest && f->width <= widest->width) {
                second = f->width > second ? f->width : second;
                continue;
            }
            second = widest ? widest->width : second;
            widest = f;
        }
        if (!widest && v->n <= 1)
            return;
        if (!widest) {
            drop_one(v);
            continue;
        }
        /* down to the next widest, at least by one, at most what is needed */
        size_t excess = total - LINE_MAX_COLUMNS,
               step = widest->width > second ? widest->width - second : 1;
        widest->width -= step < excess ? step : excess;
    }
}

static int make_view(struct az_textout *o, const struct az_table *t, size_t rows, struct view *v)
{
    *v = (struct view){ .t = t, .rows = rows < t->rows ? rows : t->rows };
    v->field = az_arena_array(o->scratch, t->columns.n ? t->columns.n : 1, sizeof v->field[0]);
    if (!v->field)
        return az_arena_error(o->scratch);
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *col = &t->columns.v[c];
        struct field *f = &v->field[v->n];
        if (col->flags & AZ_DETAIL)
            continue;
        f->col = c;
        f->text = col->type == AZ_TEXT;
        f->scale = az_field_scale(t, c, v->rows);
        f->header = az_field_line(o->scratch,
                                  az_field_header(o->scratch, col, f->text ? "" : f->scale.unit));
        measure(o->scratch, v, f);
        v->n++;
    }
    fit(v);
    return 0;
}

static void cell(struct az_textout *o, const struct field *f, struct az_sv s, bool middle,
                 const char *color)
{
    struct az_sv fitted = az_field_cut(o->scratch, s, f->width, middle);
    size_t w = az_utf8_width(fitted), pad = f->width > w ? f->width - w : 0;

    if (!f->text)
        az_textout_pad(o, pad);
    colored(o, color, fitted);
    if (f->text)
        az_textout_pad(o, pad);
}

static void header_row(struct az_textout *o, const struct view *v)
{
    az_textout_pad(o, INDENT);
    for (size_t i = 0; i < v->n; i++) {
        az_textout_pad(o, i ? GAP : 0);
        cell(o, &v->field[i], v->field[i].header, false, NULL);
    }
    end_row(o);
}

/* Colour of a change: worse is red, better is green. */
static const char *change_color(const struct az_table *t, size_t row, size_t col)
{
    int worse = az_field_worse(t, row, col);

    return worse > 0 ? RED : worse < 0 ? GREEN : NULL;
}

static void body(struct az_textout *o, const struct view *v)
{
    char buf[AZ_FIELD_MAX];

    for (size_t r = 0; r < v->rows; r++) {
        az_textout_pad(o, INDENT);
        for (size_t i = 0; i < v->n; i++) {
            const struct field *f = &v->field[i];
            bool middle =
                (v->t->columns.v[f->col].flags & AZ_KEY) != 0; /* names differ at both ends */
            az_textout_pad(o, i ? GAP : 0);
            cell(o, f, shown(o->scratch, v, f, r, buf), middle, change_color(v->t, r, f->col));
        }
        end_row(o);
    }
}

static void more(struct az_textout *o, const struct view *v)
{
    char line[160];

    if (v->t->rows > v->rows) {
        snprintf(line, sizeof line, "  ... %zu more row%s\n", v->t->rows - v->rows,
                 v->t->rows - v->rows == 1 ? "" : "s");
        colored(o, DIM, az_sv_str(line));
    }
    if (v->left_out) {
        snprintf(line, sizeof line, "  ... %zu more column%s (see the CSV, JSON or workbook)\n",
                 v->left_out, v->left_out == 1 ? "" : "s");
        colored(o, DIM, az_sv_str(line));
    }
}

static void title_line(struct az_textout *o, const struct az_table *t)
{
    struct az_sv title = az_field_line(o->scratch, t->title.n ? t->title : t->id);

    az_textout_put(o, AZ_SV("\n"));
    colored(o, BOLD, title);
    az_textout_put(o, AZ_SV("\n"));
}

static void table(struct az_textout *o, const struct az_table *t, size_t rows)
{
    struct view v;

    title_line(o, t);
    if (t->rows == 0) {
        az_textout_put(o, AZ_SV("  (none)\n"));
        return;
    }
    int rc = make_view(o, t, rows, &v);
    if (rc) {
        o->error = o->error ? o->error : rc;
        return;
    }
    header_row(o, &v);
    body(o, &v);
    more(o, &v);
}

/* ---- findings: sentences, not columns ---- */

/* A table with the columns "severity" and "rule" (any case) is a list of findings; others of its
 * columns may be missing. */
struct finding_columns {
    ptrdiff_t rule, severity, subject, count, time, advice;
};

static bool find_columns(const struct az_table *t, struct finding_columns *f)
{
    *f = (struct finding_columns){ az_field_find(t, "rule"),
                                   az_field_find(t, "severity"),
                                   az_field_find(t, "subject"),
                                   az_field_find(t, "count"),
                                   -1,
                                   az_field_find(t, "advice") };
    for (size_t c = 0; c < t->columns.n; c++) {
        if (f->time < 0 && az_unit_same_dimension(t->columns.v[c].unit, AZ_UNIT_NS))
            f->time = (ptrdiff_t)c;
    }
    return f->rule >= 0 && f->severity >= 0;
}

static struct az_sv text_at(struct az_textout *o, const struct az_table *t, size_t row,
                            ptrdiff_t col)
{
    return col < 0 ? AZ_SV("")
                   : az_field_line(o->scratch, az_cell_text(az_table_at(t, row, (size_t)col)));
}

/* " (count 12, 3.200 ms)"; nothing where both are missing. Negative: not given. */
static void amounts(struct az_textout *o, const struct az_table *t, size_t row,
                    const struct finding_columns *f)
{
    double count = f->count < 0 ? -1 : az_cell_number(az_table_at(t, row, (size_t)f->count));
    double time = f->time < 0 ? -1 : az_cell_number(az_table_at(t, row, (size_t)f->time));
    char buf[AZ_FIELD_MAX], line[AZ_FIELD_MAX + 64];

    if (count > 0) {
        snprintf(line, sizeof line, " (count %.0f%s", count, time >= 0 ? ", " : ")");
        az_textout_put(o, az_sv_str(line));
    }
    if (time >= 0) {
        const struct az_column *col = &t->columns.v[f->time];
        struct az_scale s = az_field_scale_of(col->unit, col->type, time);
        struct az_sv n = az_field_number(az_table_at(t, row, (size_t)f->time), col, s, buf);
        snprintf(line, sizeof line, "%s%.*s %s)", count > 0 ? "" : " (", AZ_SVF(n), s.unit);
        az_textout_put(o, az_sv_str(line));
    }
}

/* Where a text is broken to fit `columns`: at the last blank that does, else at the first, else not
 * at all. */
static size_t line_end(struct az_sv s, size_t columns)
{
    size_t end = 0, used = 0;

    if (az_utf8_width(s) <= columns)
        return s.n;
    for (size_t i = 0; i < s.n; i++) {
        used += ((unsigned char)s.p[i] & 0xc0) != 0x80; /* code points: near enough for prose */
        if (s.p[i] == ' ' && (end == 0 || used <= columns))
            end = i;
    }
    return end ? end : s.n;
}

/* Text broken at blanks, every line indented; a word longer than a line is left whole. */
static void wrapped(struct az_textout *o, struct az_sv s, size_t indent)
{
    while (s.n) {
        size_t end = line_end(s, LINE_MAX_COLUMNS - indent);
        az_textout_pad(o, indent);
        az_textout_put(o, az_sv_make(s.p, end));
        az_textout_put(o, AZ_SV("\n"));
        s = az_sv_trim(az_sv_make(s.p + end, s.n - end));
    }
}

static void finding(struct az_textout *o, const struct az_table *t, size_t row,
                    const struct finding_columns *f)
{
    struct az_sv severity = text_at(o, t, row, f->severity),
                 subject = text_at(o, t, row, f->subject), advice = text_at(o, t, row, f->advice);
    const char *code = az_sv_is(severity, "error")     ? RED
                       : az_sv_is(severity, "warning") ? YELLOW
                                                       : NULL;
    size_t w = az_utf8_width(severity);

    az_textout_pad(o, INDENT);
    colored(o, code, severity);
    az_textout_pad(o, w < 9 ? 9 - w : 1);
    az_textout_put(o, az_field_cut(o->scratch, text_at(o, t, row, f->rule), 60, false));
    if (subject.n) {
        az_textout_put(o, AZ_SV(": "));
        az_textout_put(o, az_field_cut(o->scratch, subject, 60, true));
    }
    amounts(o, t, row, f);
    az_textout_put(o, AZ_SV("\n"));
    wrapped(o, advice, INDENT + 9);
}

static void findings(struct az_textout *o, const struct az_table *t, size_t rows,
                     const struct finding_columns *f)
{
    struct view v = { .t = t, .rows = rows < t->rows ? rows : t->rows };

    title_line(o, t);
    if (t->rows == 0)
        az_textout_put(o, AZ_SV("  (none)\n"));
    for (size_t r = 0; r < v.rows; r++)
        finding(o, t, r, f);
    more(o, &v);
}

/* ---- whole ---- */
static void heading(struct az_textout *o, const struct az_document *doc)
{
    struct az_sv input = az_field_line(o->scratch, doc->input),
                 format = az_field_line(o->scratch, doc->format);

    if (!doc->no_heading) {
        struct az_sv title = az_field_line(o->scratch, doc->title.n ? doc->title : doc->input);
        colored(o, BOLD, az_arena_printf(o->scratch, "===== %.*s =====", AZ_SVF(title)));
        az_textout_put(o, AZ_SV("\n"));
    }
    if (input.n) {
        az_textout_put(o, AZ_SV("input: "));
        az_textout_put(o, input);
        if (format.n) {
            az_textout_put(o, AZ_SV(" ("));
            az_textout_put(o, format);
            az_textout_put(o, AZ_SV(")"));
        }
        az_textout_put(o, AZ_SV("\n"));
    }
}

void az_text_summary(struct az_textout *o, const struct az_document *doc, bool with_classic)
{
    struct finding_columns f;
    size_t rows = doc->text_rows ? doc->text_rows : SIZE_MAX;

    if (with_classic) { /* the classic block has said these already */
        for (size_t i = 0; i < doc->preface.n; i++)
            az_textout_line(o, doc->preface.v[i]);
        heading(o, doc);
    }
    for (size_t i = 0; i < doc->tables.n && !o->error; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (!(t->flags & AZ_TABLE_SUMMARY) || (!with_classic && (t->flags & AZ_TABLE_CLASSIC)))
            continue;
        if (t->form)
            az_text_form(o, t);
        else if (find_columns(t, &f))
            findings(o, t, rows, &f);
        else
            table(o, t, t->flags & AZ_TABLE_SHORT ? SIZE_MAX : rows);
    }
    az_textout_put(o, AZ_SV("\n"));
}
