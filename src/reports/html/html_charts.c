/* Figures, and the data that the script (html_charts.js) draws in them. Numbers are raw there;
 * `divide` and `unit` are their display. */
#include "reports/html/html.h"

#include <math.h>

#include "document/claims.h"
#include "document/schema.h"
#include "document/tracks.h"
#include "reports/shared/palette.h"
#include "text/jsonw.h"

#define AZ_PAINT_KEY 64 /* names of parts and families are shorter */

/* How the script draws it; heat maps and changes against limits are tables. */
static const char *drawn_as(const struct az_plot *p)
{
    if (p->c->n_parts)
        return p->marks.n > AZ_HTML_BARS ? "stacked columns" : "stacked bars";
    switch (p->c->kind) {
    case AZ_CHART_STACKED_COLUMN: /* few are better drawn as bars, with room for their parts */
        return p->marks.n > 4 ? "stacked columns" : "stacked bars";
    case AZ_CHART_STACKED_BAR:
        return p->upright ? "stacked columns" : "stacked bars";
    case AZ_CHART_PIE:
        return "pie";
    case AZ_CHART_BAR:
        return "bars";
    case AZ_CHART_COLUMN:
        return "columns";
    case AZ_CHART_LINE:
        return "line";
    case AZ_CHART_SCATTER_LOG:
        return "scatter";
    case AZ_CHART_WATERFALL:
        return "waterfall";
    case AZ_CHART_TREND:
        return "trend";
    case AZ_CHART_LIMITS:
    case AZ_CHART_HEAT:
        break;
    }
    return "table";
}

/* The most important is first, with the width of the page: times by part, changes, trends; then
 * charts that share a line, then large ones. */
enum place { FIRST, PAIRED, LAST };
static enum place place_of(const struct az_plot *p)
{
    switch (p->c->kind) {
    case AZ_CHART_LIMITS:
    case AZ_CHART_TREND:
    case AZ_CHART_WATERFALL:
    case AZ_CHART_STACKED_BAR:
    case AZ_CHART_STACKED_COLUMN:
        return FIRST;
    case AZ_CHART_HEAT:
    case AZ_CHART_SCATTER_LOG:
        return LAST;
    default:
        return p->c->small                                    ? PAIRED
               : p->c->n_parts                                ? FIRST
               : p->marks.n > AZ_HTML_BARS || p->n_series > 8 ? LAST
                                                              : PAIRED;
    }
}

void az_html_order(struct az_html *h)
{
    for (size_t i = 1; i < h->n_plots; i++) { /* few, and equal ones stay in order */
        struct az_plot p = h->plot[i];
        size_t k = i;
        for (; k > 0 && place_of(&h->plot[k - 1]) > place_of(&p); k--)
            h->plot[k] = h->plot[k - 1];
        h->plot[k] = p;
    }
}

/* Two stand side by side; one that would be alone in its row has all of it. */
static bool is_wide(const struct az_html *h, size_t i)
{
    size_t first = i;

    if (place_of(&h->plot[i]) != PAIRED)
        return true;
    if (h->plot[i].c->small)
        return false;
    while (first > 0 && place_of(&h->plot[first - 1]) == PAIRED)
        first--;
    bool last = i + 1 == h->n_plots || place_of(&h->plot[i + 1]) != PAIRED;
    return last && (i - first) % 2 == 0;
}

static bool is_one_of(const struct az_plot *p, const char *const *id, size_t n)
{
    while (n > 0 && !az_sv_is(p->t->id, id[n - 1]))
        n--;
    return n > 0;
}

/* Charts of operations next to an account of others. */
static void scope_of_operations(struct az_html *h, const struct az_plot *p)
{
    static const char *const operations[] = { "time_by_family", "ops_stacked_chart" },
                             *const whole[] = { "time_by_family", "roofline_chart",
                                                "nccl_exposure" };
    const struct az_claims *c = h->doc->claims;
    struct az_sv scope = AZ_SV("");
    if (c && c->tables_scope.n && is_one_of(p, operations, AZ_LENGTH(operations)))
        scope = c->tables_scope;
    else if (c && c->scope == AZ_SCOPE_STEPS && az_claims_has_outside(c) &&
             is_one_of(p, whole, AZ_LENGTH(whole)))
        scope = AZ_SV("the whole recording, not only of the steps");
    if (!scope.n)
        return;
    az_html_put(h, AZ_SV("<p class=\"note\">Of "));
    az_html_line(h, scope);
    az_html_put(h, AZ_SV(".</p>\n"));
}

static void figure(struct az_html *h, size_t i)
{
    const struct az_plot *p = &h->plot[i];
    struct az_sv title = p->c->title.n ? p->c->title : p->t->title;
    const char *kind = p->c->kind == AZ_CHART_PIE           ? "pie"
                       : p->c->kind == AZ_CHART_SCATTER_LOG ? "scatter"
                       : p->c->small                        ? "small"
                                                            : "";

    az_html_putf(h, "<figure id=\"chart%zu\" class=\"%s%s\">\n<figcaption id=\"chart%zu-title\">",
                 i, kind, is_wide(h, i) ? " wide" : "", i);
    az_html_line(h, title);
    az_html_put(h, AZ_SV("</figcaption>\n"));
    if (p->c->kind == AZ_CHART_HEAT)
        az_html_heat(h, p, i);
    else if (p->c->kind == AZ_CHART_LIMITS)
        az_html_limits(h, p, i);
    else
        az_html_putf(
            h,
            "<div class=\"canvas\"><canvas role=\"img\" aria-labelledby=\"chart%zu-title\" "
            "aria-describedby=\"chart%zu-text\" data-chart=\"%zu\"></canvas></div>\n",
            i, i, i);
    az_html_putf(h, "<p class=\"words\" id=\"chart%zu-text\">", i);
    az_html_caption(h, p);
    az_html_put(h, AZ_SV("</p>\n"));
    scope_of_operations(h, p);
    if (p->note.n) {
        az_html_put(h, AZ_SV("<p class=\"note folded\">"));
        az_html_text(h, p->note);
        az_html_put(h, AZ_SV("</p>\n"));
    }
    az_html_put(h, AZ_SV("<p class=\"note\">Data: <a href=\"#"));
    az_html_text(h, h->anchor[p->table]);
    az_html_put(h, AZ_SV("\">"));
    az_html_line(h, p->t->title.n ? p->t->title : p->t->id);
    az_html_put(h, AZ_SV("</a></p>\n</figure>\n"));
}

bool az_html_scripted(const struct az_html *h)
{
    for (size_t i = 0; i < h->n_plots; i++)
        if (h->plot[i].c->kind != AZ_CHART_HEAT && h->plot[i].c->kind != AZ_CHART_LIMITS)
            return true;
    return false;
}

void az_html_charts(struct az_html *h)
{
    if (h->n_plots == 0)
        return;
    az_html_put(h, AZ_SV("<section id=\"charts\">\n<h2>Charts</h2>\n"));
    if (az_html_scripted(h))
        az_html_put(h, AZ_SV("<noscript><p class=\"note\">Charts require JavaScript; without it, "
                             "see the captions and the tables.</p></noscript>\n"));
    az_html_put(h, AZ_SV("<div class=\"figures\">\n"));
    for (size_t i = 0; i < h->n_plots; i++)
        figure(h, i);
    az_html_put(h, AZ_SV("</div>\n</section>\n"));
}

/* ---- data ---- */
static void text_at(struct az_html *h, struct az_jsonw *w, const char *key, struct az_sv s)
{
    az_jsonw_key(w, key);
    az_jsonw_text(w, az_field_line(h->scratch, s));
}

static void values(struct az_jsonw *w, const char *key, const double *v, size_t n)
{
    az_jsonw_key(w, key);
    az_jsonw_array(w);
    for (size_t i = 0; i < n; i++)
        az_jsonw_f64(w, v[i]);
    az_jsonw_end_array(w);
}

/* Largest of the values, of stacks their sum. */
static double largest(const struct az_plot *p)
{
    bool stacked = p->c->n_parts || p->c->kind == AZ_CHART_STACKED_BAR ||
                   p->c->kind == AZ_CHART_STACKED_COLUMN;
    double most = 0;

    for (size_t i = 0; i < p->marks.n; i++) {
        double sum = 0;
        for (size_t s = 0; s < p->n_series; s++) {
            double v = fabs(p->series[s].v[i]);
            sum = isnan(v) ? sum : stacked ? sum + v : fmax(sum, v);
        }
        most = fmax(most, sum);
    }
    return most;
}

/* Titles of axes have the unit in which the axis is drawn, not that of the file: "Time (ns)" ->
 * "Time (ms)". */
static struct az_sv axis_title(struct az_html *h, const struct az_plot *p, struct az_scale s)
{
    const char *of_column = az_unit_text(az_plot_unit(p)->unit);
    struct az_sv unit = az_sv_str(of_column),
                 whole = az_field_axis(h->scratch, az_field_line(h->scratch, p->c->y_title)),
                 title = az_html_without_unit(h, whole, of_column);

    if (!title.n || az_sv_eq(title, unit) || az_sv_is(title, s.unit))
        return az_field_axis(h->scratch, az_sv_str(s.unit));
    if (s.divide == 1 && az_sv_eq(title, whole))
        return title;
    return az_arena_printf(h->scratch, "%.*s (%s)", AZ_SVF(title), s.unit);
}

/* Another column of the rows that the marks begin with. */
static void extra_numbers(struct az_jsonw *w, const char *key, const struct az_plot *p,
                          ptrdiff_t column)
{
    az_jsonw_key(w, key);
    az_jsonw_array(w);
    for (size_t i = 0; i < p->marks.n; i++)
        az_jsonw_f64(w, az_plot_at(p, p->marks.v[i].row, column));
    az_jsonw_end_array(w);
}

static void totals(struct az_jsonw *w, const struct az_plot *p)
{
    ptrdiff_t column = p->c->y.n > 1 ? az_field_column(p->t, p->c->y.v[1]) : -1;

    az_jsonw_key(w, "totals");
    az_jsonw_array(w);
    for (size_t i = 0; i < p->marks.n; i++) /* a sum of others has no row of its own */
        az_jsonw_bool(w, p->marks.v[i].rows == 1 && az_plot_at(p, p->marks.v[i].row, column) == 1);
    az_jsonw_end_array(w);
}

static void trend_marks(struct az_html *h, struct az_jsonw *w, const struct az_plot *p)
{
    ptrdiff_t column = p->c->y.n > 4 ? az_field_column(p->t, p->c->y.v[4]) : -1;

    az_jsonw_key(w, "marked");
    az_jsonw_array(w);
    for (size_t i = 0; i < p->marks.n; i++) {
        struct az_sv s = { "", 0 };
        if (column >= 0)
            s = az_cell_text(az_table_at(p->t, p->marks.v[i].row, (size_t)column));
        az_jsonw_text(w, az_field_line(h->scratch, s));
    }
    az_jsonw_end_array(w);
}

static void points(struct az_html *h, struct az_jsonw *w, const struct az_plot *p)
{
    ptrdiff_t size = p->c->size.n ? az_field_column(p->t, p->c->size) : -1;

    extra_numbers(w, "xs", p, p->x);
    az_jsonw_key(w, "counts");
    az_jsonw_array(w);
    for (size_t i = 0; i < p->marks.n; i++)
        az_jsonw_i64(w, (int64_t)p->marks.v[i].rows);
    az_jsonw_end_array(w);
    if (size < 0)
        return;
    struct az_scale s = az_field_scale(p->t, (size_t)size, p->rows);
    text_at(h, w, "size", az_field_title(h->scratch, p->t, (size_t)size, s.unit));
    az_jsonw_key(w, "sizeDivide");
    az_jsonw_f64(w, s.divide);
    extra_numbers(w, "sizes", p, size);
}

/* The color of the operation that a series is of, "Matmul (in0:dram)", on the timeline. */
static bool paint_of_event(const struct az_html *h, struct az_sv name, struct az_paint *out)
{
    const struct az_tracks *t = h->doc->tracks;
    const ptrdiff_t note = az_sv_find(name, AZ_SV(" ("));

    name.n = note > 0 ? (size_t)note : name.n;
    for (size_t i = 0; t && i < t->families.n; i++)
        if (az_sv_eq(name, t->names.v[i]))
            return az_palette_find(az_family_text((enum az_family)t->families.v[i]), out);
    return false;
}

/* Names that have a color of their own, with its variable. */
static void paint(struct az_html *h, struct az_jsonw *w, struct az_sv name)
{
    struct az_paint of;
    char key[AZ_PAINT_KEY];
    const struct az_sv line = az_field_line(h->scratch, name);

    if (line.n >= sizeof key || !(az_palette_find(line, &of) || paint_of_event(h, line, &of)))
        return;
    memcpy(key, line.p, line.n);
    key[line.n] = 0;
    az_jsonw_key(w, key);
    az_jsonw_text(w, az_sv_str(of.variable));
}

static void paints(struct az_html *h, struct az_jsonw *w, const struct az_plot *p)
{
    az_jsonw_key(w, "paint");
    az_jsonw_object(w);
    for (size_t s = 0; s < p->n_series; s++)
        paint(h, w, az_html_series_name(h, p, s));
    for (size_t i = 0; p->c->kind == AZ_CHART_PIE && i < p->marks.n; i++)
        paint(h, w, p->label[i]);
    az_jsonw_end_object(w);
}

/* The end of the axis that all small charts of a table share. */
static double shared_end(const struct az_html *h, const struct az_plot *p)
{
    double most = 0;

    for (size_t i = 0; i < h->n_plots; i++)
        if (h->plot[i].c->small && h->plot[i].t == p->t)
            most = fmax(most, largest(&h->plot[i]));
    return most;
}

static void chart(struct az_html *h, struct az_jsonw *w, const struct az_plot *p)
{
    const struct az_column *unit = az_plot_unit(p);
    struct az_scale scale =
        az_html_scale(unit->unit, unit->type, p->c->small ? shared_end(h, p) : largest(p));

    if (p->c->kind ==
        AZ_CHART_SCATTER_LOG) /* its axes are powers of ten of the column's own unit */
        scale = (struct az_scale){ 1, 3, az_unit_text(unit->unit) };
    az_jsonw_object(w);
    text_at(h, w, "kind", az_sv_str(drawn_as(p)));
    const char *x_unit = p->x < 0 ? "" : az_unit_text(p->t->columns.v[p->x].unit);
    const bool id = p->x >= 0 && az_sv_eq(p->c->x_title, p->t->columns.v[p->x].name);
    struct az_sv x_title =
        az_html_without_unit(h,
                             id ? az_field_title(h->scratch, p->t, (size_t)p->x, x_unit)
                                : az_field_line(h->scratch, p->c->x_title),
                             x_unit);
    text_at(h, w, "x",
            az_schema_sentence_case(h->scratch, p->c->n_parts                        ? p->c->stack
                                                : p->c->kind == AZ_CHART_SCATTER_LOG ? p->c->x_title
                                                                                     : x_title));
    text_at(h, w, "y", axis_title(h, p, scale));
    az_jsonw_key(w, "divide");
    az_jsonw_f64(w, scale.divide);
    text_at(h, w, "unit", az_sv_str(scale.unit));
    az_jsonw_key(w, "labels");
    az_jsonw_array(w);
    for (size_t i = 0; i < p->marks.n; i++)
        az_jsonw_text(w, az_field_line(h->scratch, p->label[i]));
    az_jsonw_end_array(w);
    az_jsonw_key(w, "series");
    az_jsonw_array(w);
    for (size_t s = 0; s < p->n_series; s++) {
        az_jsonw_object(w);
        text_at(h, w, "name", az_html_series_name(h, p, s));
        values(w, "values", p->series[s].v, p->marks.n);
        az_jsonw_end_object(w);
    }
    az_jsonw_end_array(w);
    paints(h, w, p);
    if (p->c->small) {
        az_jsonw_key(w, "end");
        az_jsonw_f64(w, shared_end(h, p));
    }
    if (p->c->kind == AZ_CHART_WATERFALL)
        totals(w, p);
    if (p->c->kind == AZ_CHART_TREND)
        trend_marks(h, w, p);
    if (p->c->kind == AZ_CHART_SCATTER_LOG)
        points(h, w, p);
    az_jsonw_end_object(w);
}

int az_html_chart_data(struct az_html *h, struct az_vec_char *json)
{
    struct az_jsonw w;

    az_jsonw_init(&w, NULL, json, 0);
    az_jsonw_array(&w);
    for (size_t i = 0; i < h->n_plots; i++)
        chart(h, &w, &h->plot[i]);
    az_jsonw_end_array(&w);
    return az_jsonw_finish(&w);
}
