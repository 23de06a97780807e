/* What a chart draws: which rows, which series, their labels and values; and what is folded where
 * there would be more marks than AZ_HTML_MARKS or than can be distinguished, which is reported
 * beneath the chart. */
#include "reports/html/html.h"

#include <math.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/num.h"

#define SLICES     9 /* of a pie; the rest is one more */
#define SERIES_MAX 60

double az_plot_at(const struct az_plot *p, size_t row, ptrdiff_t column)
{
    return column < 0 ? (double)NAN : az_cell_number(az_table_at(p->t, row, (size_t)column));
}

const struct az_column *az_plot_unit(const struct az_plot *p)
{
    return &p->t->columns.v[p->series[0].column];
}

/* ---- marks: which rows go together ---- */
static int mark_rows(struct az_plot *p, size_t from, size_t to, size_t step)
{
    int rc = 0;

    for (size_t r = from; rc == 0 && r < to; r += step) {
        struct az_mark m = { r, to - r < step ? to - r : step };
        rc = az_vec_push(&p->marks, m);
    }
    return rc;
}

/* The first `most` rows have a mark each, one more has all others: their sum. */
static int keep_and_sum(struct az_html *h, struct az_plot *p, size_t most)
{
    size_t kept = p->rows > most + 1 ? most : p->rows, rest = p->rows - kept;
    int rc = mark_rows(p, 0, kept, 1);

    if (rc || rest == 0)
        return rc;
    p->note = az_arena_printf(h->scratch, "The last %zu of %zu rows are drawn as their sum.", rest,
                              p->rows);
    return mark_rows(p, kept, p->rows, rest);
}

static int keep_first(struct az_html *h, struct az_plot *p, size_t most)
{
    size_t rows = p->rows > most ? most : p->rows;

    if (rows < p->rows)
        p->note =
            az_arena_printf(h->scratch, "The first %zu of %zu rows are drawn.", rows, p->rows);
    return mark_rows(p, 0, rows, 1);
}

static int keep_last(struct az_html *h, struct az_plot *p, size_t most)
{
    size_t rows = p->rows > most ? most : p->rows;

    if (rows < p->rows)
        p->note = az_arena_printf(h->scratch, "The last %zu of %zu rows are drawn.", rows, p->rows);
    return mark_rows(p, p->rows - rows, p->rows, 1);
}

static int fold_neighbours(struct az_html *h, struct az_plot *p, size_t most, const char *how)
{
    size_t step = (p->rows + most - 1) / most;

    if (step > 1)
        p->note = az_arena_printf(h->scratch,
                                  "Each mark is the %s of %zu neighboring rows (%zu rows in all).",
                                  how, step, p->rows);
    return mark_rows(p, 0, p->rows, step ? step : 1);
}

static bool has_value(const struct az_plot *p, size_t row)
{
    for (size_t s = 0; s < p->n_series; s++) {
        double v = az_plot_at(p, row, (ptrdiff_t)p->series[s].column);
        if (v > 0 || v < 0)
            return true;
    }
    return false;
}

/* Bars with a name each. Where most of the names have none, only the others are drawn: a list of
 * all possible classes is no help. Numbered bars (ranks) stay, a gap in them would mislead.
 */
static int mark_bars(struct az_html *h, struct az_plot *p, size_t most)
{
    size_t full = 0, seen = 0;
    int rc = 0;

    for (size_t r = 0; r < p->rows; r++)
        full += has_value(p, r);
    if (full == 0 || 2 * full >= p->rows || p->x < 0 || p->t->columns.v[p->x].type != AZ_TEXT)
        return keep_first(h, p, most);
    for (size_t r = 0; rc == 0 && r < p->rows && seen < most; r++) {
        if (has_value(p, r) && ++seen)
            rc = az_vec_push(&p->marks, ((struct az_mark){ r, 1 }));
    }
    p->note = az_arena_printf(h->scratch, "%zu of %zu rows are drawn, %zu have no value.", seen,
                              p->rows, p->rows - full);
    return rc;
}

static int make_marks(struct az_html *h, struct az_plot *p)
{
    size_t most = AZ_HTML_MARKS / p->n_series;

    switch (p->c->kind) {
    case AZ_CHART_PIE:
        return keep_and_sum(h, p, SLICES);
    case AZ_CHART_BAR:
        return p->c->small ? keep_first(h, p, AZ_HTML_BARS) /* the rows of all are the same */
                           : mark_bars(h, p, most < AZ_HTML_BARS ? most : AZ_HTML_BARS);
    case AZ_CHART_STACKED_BAR:
    case AZ_CHART_STACKED_COLUMN:
    case AZ_CHART_HEAT:
        return keep_first(h, p, most);
    case AZ_CHART_LIMITS:
        return keep_first(h, p, AZ_HTML_BARS);
    case AZ_CHART_COLUMN:
        return fold_neighbours(h, p, most, "sum");
    case AZ_CHART_LINE:
        return fold_neighbours(h, p, most, "mean");
    case AZ_CHART_TREND:
        return keep_last(h, p,
                         AZ_HTML_MARKS / (p->n_series + 1)); /* its marks are one more series */
    case AZ_CHART_SCATTER_LOG:
        return az_fold_points(h, p);
    case AZ_CHART_WATERFALL:
        return az_fold_changes(h, p, p->c->y.n > 1 ? az_field_column(p->t, p->c->y.v[1]) : -1);
    }
    return AZ_EINTERNAL;
}

/* ---- values ---- */
static double value_of(const struct az_plot *p, const struct az_mark *m, size_t column)
{
    double sum = 0;
    size_t n = 0;

    for (size_t r = m->row; r < m->row + m->rows; r++) {
        double v = az_plot_at(p, r, (ptrdiff_t)column);
        n += isnan(v) ? 0 : 1;
        sum += isnan(v) ? 0 : v;
    }
    return n == 0 ? (double)NAN : p->c->kind == AZ_CHART_LINE ? sum / (double)n : sum;
}

static int make_values(struct az_html *h, struct az_plot *p)
{
    bool points = p->c->kind == AZ_CHART_SCATTER_LOG;

    for (size_t s = 0; s < p->n_series && p->c->kind != AZ_CHART_WATERFALL; s++) {
        double *v = az_arena_array(h->scratch, p->marks.n + 1, sizeof *v);
        if (!v)
            return az_arena_error(h->scratch);
        for (size_t i = 0; i < p->marks.n; i++) {
            const struct az_mark *m = &p->marks.v[i];
            v[i] = points ? az_plot_at(p, m->row, (ptrdiff_t)p->series[s].column)
                          : value_of(p, m, p->series[s].column);
        }
        p->series[s].v = v;
    }
    return 0;
}

/* ---- labels ---- */
static struct az_sv cell_label(struct az_html *h, const struct az_plot *p, size_t row,
                               ptrdiff_t column)
{
    char *buf;

    if (column < 0)
        return az_arena_printf(h->scratch, "%zu", row + 1);
    const struct az_column *col = &p->t->columns.v[column];
    const struct az_cell *c = az_table_at(p->t, row, (size_t)column);
    if (c->type == AZ_TEXT)
        return az_field_line(h->scratch, az_cell_text(c));
    buf = az_arena_alloc(h->scratch, AZ_FIELD_MAX);
    if (!buf || c->type == AZ_EMPTY)
        return AZ_SV("");
    if (c->type == AZ_BOOL || col->unit == AZ_UNIT_ID || col->unit == AZ_UNIT_NONE)
        return az_cell_exact(c, buf);
    double v = az_cell_number(c);
    struct az_scale s = az_field_scale_of(col->unit, col->type, fabs(v));
    int n = snprintf(buf, AZ_FIELD_MAX, "%.4g%s%s", v / s.divide, az_html_unit_gap(s.unit), s.unit);
    return az_sv_make(buf, (size_t)n);
}

/* The label with the other columns of the row's key after it. */
static struct az_sv whole_label(struct az_html *h, const struct az_plot *p, size_t row)
{
    struct az_sv label = cell_label(h, p, row, p->x);

    for (size_t c = 0; c < p->t->columns.n; c++) {
        if ((ptrdiff_t)c == p->x || !(p->t->columns.v[c].flags & AZ_KEY))
            continue;
        struct az_sv more = cell_label(h, p, row, (ptrdiff_t)c);
        label = az_arena_printf(h->scratch, "%.*s \xc2\xb7 %.*s", AZ_SVF(label), AZ_SVF(more));
    }
    return label;
}

static int label_marks(struct az_html *h, struct az_plot *p, bool whole, bool *unique)
{
    struct az_intern seen;
    int rc = 0;
    az_intern_init(&seen, h->scratch, h->doc->mem);

    *unique = true;
    for (size_t i = 0; rc == 0 && i < p->marks.n; i++) {
        const struct az_mark *m = &p->marks.v[i];
        uint32_t id = 0;
        if (m->rows > 1 && p->c->kind == AZ_CHART_WATERFALL)
            continue; /* has its label */
        if (m->rows > 1 && p->c->kind == AZ_CHART_PIE)
            p->label[i] = az_arena_printf(h->scratch, "%zu others", m->rows);
        else
            p->label[i] = whole ? whole_label(h, p, m->row) : cell_label(h, p, m->row, p->x);
        size_t known = seen.text.n;
        rc = az_intern(&seen, p->label[i], &id);
        *unique = *unique && id == known;
    }
    az_intern_release(&seen);
    return rc;
}

/* Has the column more than one text? */
static bool tells_apart(const struct az_plot *p, size_t column)
{
    const struct az_cell *first = az_table_at(p->t, 0, column);

    for (size_t r = 1; r < p->rows; r++) {
        if (!az_sv_eq(az_cell_text(first), az_cell_text(az_table_at(p->t, r, column))))
            return true;
    }
    return false;
}

/* Points are named by the texts of their key that differ, else by the first text of the table. */
static void name_points(struct az_html *h, struct az_plot *p)
{
    ptrdiff_t other = -1;

    for (size_t c = 0; c < p->t->columns.n; c++) {
        const struct az_column *col = &p->t->columns.v[c];
        if (col->type != AZ_TEXT)
            continue;
        other = other < 0 ? (ptrdiff_t)c : other;
        for (size_t i = 0; (col->flags & AZ_KEY) && tells_apart(p, c) && i < p->marks.n; i++) {
            struct az_sv *label = &p->label[i],
                         more = cell_label(h, p, p->marks.v[i].row, (ptrdiff_t)c);
            *label = label->n ? az_arena_printf(h->scratch, "%.*s \xc2\xb7 %.*s", AZ_SVF(*label),
                                                AZ_SVF(more))
                              : more;
        }
    }
    for (size_t i = 0; other >= 0 && i < p->marks.n; i++) {
        if (!p->label[i].n)
            p->label[i] = cell_label(h, p, p->marks.v[i].row, other);
    }
}

static int make_labels(struct az_html *h, struct az_plot *p)
{
    bool unique = true;

    if (!p->label)
        p->label = az_arena_array(h->scratch, p->marks.n + 1, sizeof *p->label);
    if (!p->label)
        return az_arena_error(h->scratch);
    if (p->c->kind == AZ_CHART_SCATTER_LOG) {
        name_points(h, p);
        return 0;
    }
    int rc = label_marks(h, p, false, &unique);
    if (p->c->kind == AZ_CHART_LIMITS) /* a row has its subject */
        return rc;
    return rc || unique ? rc : label_marks(h, p, true, &unique);
}

/* ---- series ---- */
static size_t find_series(struct az_plot *p)
{
    size_t most = p->c->kind == AZ_CHART_PIE || p->c->kind == AZ_CHART_WATERFALL  ? 1
                  : p->c->kind == AZ_CHART_TREND || p->c->kind == AZ_CHART_LIMITS ? 4
                                                                                  : SERIES_MAX;

    for (size_t i = 0; i < p->c->y.n && p->n_series < most; i++) {
        ptrdiff_t col = az_field_column(p->t, p->c->y.v[i]);
        if (col < 0 || p->t->columns.v[col].type == AZ_TEXT)
            continue;
        p->series[p->n_series++] =
            (struct az_series){ .name = p->t->columns.v[col].name, .column = (size_t)col };
    }
    return p->n_series;
}

/* ---- parts of a whole: the values of x become series, those of another column the stacks ---- */
static ptrdiff_t part_of(const struct az_plot *p, size_t row)
{
    struct az_sv x = az_cell_text(az_table_at(p->t, row, (size_t)p->x));

    for (size_t i = 0; i < p->c->n_parts; i++) {
        if (az_sv_eq(x, p->c->parts[i]))
            return (ptrdiff_t)i;
    }
    return -1;
}

static int pivot_rows(struct az_html *h, struct az_plot *p, struct az_intern *stacks,
                      ptrdiff_t stack, size_t value)
{
    size_t most = AZ_HTML_MARKS / p->n_series;
    int rc = 0;

    for (size_t r = 0; rc == 0 && r < p->rows; r++) {
        ptrdiff_t part = part_of(p, r);
        uint32_t id = 0;
        if (part < 0 || isnan(az_plot_at(p, r, (ptrdiff_t)value)))
            continue;
        rc = az_intern(stacks, stack < 0 ? AZ_SV("") : cell_label(h, p, r, stack), &id);
        if (rc || id >= most)
            continue;
        if (id == p->marks.n)
            rc = az_vec_push(&p->marks, ((struct az_mark){ r, 1 }));
        if (rc == 0)
            p->series[part].v[id] = az_plot_at(p, r, (ptrdiff_t)value);
    }
    if (stacks->text.n > most)
        p->note = az_arena_printf(h->scratch, "The first %zu of %zu stacks are drawn.", most,
                                  stacks->text.n);
    return rc;
}

static void drop_empty_series(struct az_plot *p)
{
    size_t n = 0;

    for (size_t s = 0; s < p->n_series; s++) {
        size_t i = 0;
        while (i < p->marks.n && isnan(p->series[s].v[i]))
            i++;
        if (i < p->marks.n)
            p->series[n++] = p->series[s];
    }
    p->n_series = n;
}

static int pivot(struct az_html *h, struct az_plot *p)
{
    ptrdiff_t stack = p->c->stack.n ? az_field_column(p->t, p->c->stack) : -1;
    size_t value = p->series[0].column, room = AZ_HTML_MARKS;
    struct az_intern stacks;

    p->series = az_arena_array(h->scratch, p->c->n_parts, sizeof *p->series);
    if (!p->series)
        return az_arena_error(h->scratch);
    p->n_series = p->c->n_parts;
    for (size_t s = 0; s < p->n_series; s++) {
        double *v = az_arena_array(h->scratch, room, sizeof *v);
        if (!v)
            return az_arena_error(h->scratch);
        for (size_t i = 0; i < room; i++)
            v[i] = (double)NAN;
        p->series[s] = (struct az_series){ p->c->parts[s], value, v };
    }
    az_intern_init(&stacks, h->scratch, h->doc->mem);
    int rc = pivot_rows(h, p, &stacks, stack, value);
    p->label = az_arena_array(h->scratch, p->marks.n + 1, sizeof *p->label);
    for (size_t i = 0; p->label && i < p->marks.n; i++)
        p->label[i] = az_intern_text(&stacks, (uint32_t)i);
    az_intern_release(&stacks);
    drop_empty_series(p);
    return rc || p->label ? rc : az_arena_error(h->scratch);
}

/* ---- whole ---- */
static const struct az_table *find_table(struct az_html *h, struct az_sv id, size_t *index)
{
    for (size_t i = 0; i < h->doc->tables.n; i++) {
        if (h->anchor[i].n && az_sv_eq(h->doc->tables.v[i]->id, id)) {
            *index = i;
            return h->doc->tables.v[i];
        }
    }
    return NULL;
}

static bool is_pivoted(const struct az_plot *p)
{
    return p->c->n_parts && p->x >= 0 && p->t->columns.v[p->x].type == AZ_TEXT;
}

/* The account of time is drawn once, as the bar of the verdict. */
static bool is_in_verdict(struct az_html *h, const struct az_plot *p)
{
    size_t at;

    return p->c->n_parts && p->marks.n == 1 && az_sv_is(p->t->id, "gpu_timeline") &&
           find_table(h, AZ_SV("account"), &at);
}

bool az_html_plot(struct az_html *h, const struct az_chart *c, struct az_plot *p)
{
    int rc = 0;

    *p = (struct az_plot){ .c = c, .x = -1 };
    az_vec_init(&p->marks, h->doc->mem);
    p->t = find_table(h, c->table, &p->table);
    if (!p->t || p->t->rows == 0)
        return false;
    p->rows = c->max_rows && c->max_rows < p->t->rows ? c->max_rows : p->t->rows;
    p->x = az_field_column(p->t, c->x);
    p->series = az_arena_array(h->scratch, SERIES_MAX, sizeof *p->series);
    if (!p->series)
        rc = az_arena_error(h->scratch);
    else if (find_series(p) == 0 || (c->kind == AZ_CHART_SCATTER_LOG && p->x < 0))
        return false;
    if (rc == 0 && is_pivoted(p)) {
        rc = pivot(h, p);
    } else if (rc == 0) {
        rc = make_marks(h, p);
        if (rc == 0)
            rc = make_values(h, p);
        if (rc == 0)
            rc = make_labels(h, p);
    }
    h->error = h->error ? h->error : rc;
    p->upright = c->kind == AZ_CHART_STACKED_BAR && p->marks.n > AZ_HTML_BARS;
    return rc == 0 && p->marks.n > 0 && p->n_series > 0 && !is_in_verdict(h, p);
}
