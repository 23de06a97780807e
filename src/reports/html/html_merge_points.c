/* Folding of points and of changes, where neighbors in the table are no neighbors in the picture.
 */
#include "reports/html/html.h"

#include <float.h>
#include <math.h>

#include "base/sort.h"

/* ---- scatter ---- */
#define GRID 40 /* cells of a side: as many in all as dots at most */

struct grid {
    double x0, x1, y0, y1;      /* logarithms of the points */
    uint32_t mark[GRID * GRID]; /* + 1; 0: none yet */
};

bool az_fold_drawable(const struct az_plot *p, size_t row, size_t series)
{
    double x = az_plot_at(p, row, p->x),
           y = az_plot_at(p, row, (ptrdiff_t)p->series[series].column);

    return x > 0 && x <= DBL_MAX && y > 0 && y <= DBL_MAX;
}

static bool on_line(const struct az_plot *p, size_t row)
{
    for (size_t s = 1; s < p->n_series; s++) {
        if (az_fold_drawable(p, row, s))
            return true;
    }
    return false;
}

static double log_at(const struct az_plot *p, size_t row, ptrdiff_t column)
{
    return log10(az_plot_at(p, row, column));
}

static void grid_span(const struct az_plot *p, struct grid *g)
{
    ptrdiff_t y = (ptrdiff_t)p->series[0].column;

    *g = (struct grid){ .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY };
    for (size_t r = 0; r < p->rows; r++) {
        if (!az_fold_drawable(p, r, 0))
            continue;
        g->x0 = fmin(g->x0, log_at(p, r, p->x));
        g->x1 = fmax(g->x1, log_at(p, r, p->x));
        g->y0 = fmin(g->y0, log_at(p, r, y));
        g->y1 = fmax(g->y1, log_at(p, r, y));
    }
}

static size_t step_of(double v, double from, double to)
{
    return to > from ? (size_t)fmin(GRID - 1, floor((v - from) / (to - from) * GRID)) : 0;
}

static int push_mark(struct az_plot *p, size_t row)
{
    struct az_mark m = { row, 1 };
    return az_vec_push(&p->marks, m);
}

/* Points that share a cell of the grid would cover each other: the first row of them is drawn. */
static int fold_into_grid(struct az_plot *p, struct grid *g)
{
    int rc = 0;

    grid_span(p, g);
    for (size_t r = 0; rc == 0 && r < p->rows; r++) {
        if (!az_fold_drawable(p, r, 0))
            continue;
        size_t i = step_of(log_at(p, r, p->x), g->x0, g->x1);
        size_t k = step_of(log_at(p, r, (ptrdiff_t)p->series[0].column), g->y0, g->y1);
        uint32_t *known = &g->mark[k * GRID + i];
        if (*known) {
            p->marks.v[*known - 1].rows++;
            continue;
        }
        rc = push_mark(p, r);
        *known = (uint32_t)p->marks.n;
    }
    return rc;
}

/* What lines go through, as many places as there is room for. */
static int mark_lines(struct az_plot *p, size_t lines)
{
    size_t room = AZ_HTML_MARKS - p->marks.n, step = lines > room ? (lines + room - 1) / room : 1,
           seen = 0;
    int rc = 0;

    for (size_t r = 0; rc == 0 && r < p->rows && p->marks.n < AZ_HTML_MARKS; r++) {
        if (!az_fold_drawable(p, r, 0) && on_line(p, r) && seen++ % step == 0)
            rc = push_mark(p, r);
    }
    return rc;
}

static void note_points(struct az_html *h, struct az_plot *p, size_t points, size_t dots,
                        size_t unseen)
{
    struct az_sv folded = { "", 0 }, out = { "", 0 };

    if (dots < points)
        folded = az_arena_printf(h->scratch,
                                 "%zu points are drawn as %zu dots: close points are merged. ",
                                 points, dots);
    if (unseen)
        out = az_arena_printf(h->scratch, "%zu row%s without two positive values %s not drawn.",
                              unseen, unseen == 1 ? "" : "s", unseen == 1 ? "is" : "are");
    p->note = az_sv_trim(az_arena_printf(h->scratch, "%.*s%.*s", AZ_SVF(folded), AZ_SVF(out)));
}

int az_fold_points(struct az_html *h, struct az_plot *p)
{
    struct grid *g = az_arena_alloc(h->scratch, sizeof *g);
    size_t points = 0, lines = 0;
    int rc = g ? 0 : az_arena_error(h->scratch);

    for (size_t r = 0; r < p->rows; r++) {
        bool point = az_fold_drawable(p, r, 0);
        points += point;
        lines += !point && on_line(p, r);
    }
    bool fold = points + lines > AZ_HTML_MARKS;
    if (rc == 0 && fold)
        rc = fold_into_grid(p, g);
    for (size_t r = 0; rc == 0 && !fold && r < p->rows; r++)
        rc = az_fold_drawable(p, r, 0) ? push_mark(p, r) : 0;
    size_t dots = p->marks.n;
    if (rc == 0)
        rc = mark_lines(p, lines);
    note_points(h, p, points, dots, p->rows - points - lines);
    return rc;
}

/* ---- waterfall ---- */
struct change {
    size_t row;
    double size;
};

/* Largest first, ties in the table's order (the sort is stable). */
static int by_size(const void *x, const void *y, void *ctx)
{
    const struct change *a = x, *b = y;
    (void)ctx;
    return a->size > b->size ? -1 : a->size < b->size;
}

static bool is_total(const struct az_plot *p, size_t row, ptrdiff_t total)
{
    return az_plot_at(p, row, total) == 1;
}

/* kept[row]: is it drawn by itself? Totals are (but only so many), and the largest changes. */
static int choose_changes(struct az_html *h, const struct az_plot *p, ptrdiff_t total, bool *kept,
                          size_t *others)
{
    struct change *list = az_arena_array(h->scratch, p->rows + 1, sizeof *list);
    size_t n = 0, totals = 0;

    if (!list)
        return az_arena_error(h->scratch);
    for (size_t r = 0; r < p->rows; r++) {
        double v = fabs(az_plot_at(p, r, (ptrdiff_t)p->series[0].column));
        kept[r] = is_total(p, r, total) && totals < AZ_HTML_BARS;
        totals += kept[r];
        if (!is_total(p, r, total))
            list[n++] = (struct change){ r, isnan(v) ? 0 : v };
    }
    az_sort_cmp(list, n, sizeof *list, by_size, NULL, h->doc->mem);
    for (size_t i = 0; i < n && i < AZ_HTML_BARS; i++)
        kept[list[i].row] = true;
    *others = n > AZ_HTML_BARS ? n - AZ_HTML_BARS : 0;
    return 0;
}

/* Row before which the sum of the others stands: the last total, else the end. */
static size_t place_of_others(const struct az_plot *p, ptrdiff_t total)
{
    for (size_t r = p->rows; r > 0; r--) {
        if (is_total(p, r - 1, total))
            return r - 1;
    }
    return p->rows;
}

int az_fold_changes(struct az_html *h, struct az_plot *p, ptrdiff_t total)
{
    bool *kept = az_arena_array(h->scratch, p->rows + 1, sizeof *kept);
    struct az_series *s = &p->series[0];
    size_t others = 0, place = place_of_others(p, total), of_others = SIZE_MAX;
    double sum = 0;
    int rc = kept ? choose_changes(h, p, total, kept, &others) : az_arena_error(h->scratch);

    for (size_t r = 0; rc == 0 && r <= p->rows; r++) {
        if (others && r == place) {
            of_others = p->marks.n;
            rc = az_vec_push(&p->marks, ((struct az_mark){ 0, others }));
        }
        if (rc == 0 && r < p->rows && kept[r])
            rc = push_mark(p, r);
        else if (r < p->rows && !is_total(p, r, total) &&
                 !isnan(az_plot_at(p, r, (ptrdiff_t)s->column)))
            sum += az_plot_at(p, r, (ptrdiff_t)s->column);
    }
    s->v = az_arena_array(h->scratch, p->marks.n + 1, sizeof *s->v);
    p->label = az_arena_array(h->scratch, p->marks.n + 1, sizeof *p->label);
    if (rc || !s->v || !p->label)
        return rc ? rc : az_arena_error(h->scratch);
    for (size_t i = 0; i < p->marks.n; i++)
        s->v[i] = i == of_others ? sum : az_plot_at(p, p->marks.v[i].row, (ptrdiff_t)s->column);
    if (others) {
        p->label[of_others] = az_arena_printf(h->scratch, "%zu others", others);
        p->note =
            az_arena_printf(h->scratch, "The %zu smallest changes are drawn as their sum.", others);
    }
    return 0;
}
