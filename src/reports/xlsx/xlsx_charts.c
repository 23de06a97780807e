/* Native charts on the summary sheet; their data stay in the cells of the tables' sheets. A
 * waterfall is drawn as stacked bars where its table has the columns for it; a heat map is a
 * color scale over its table's columns. */
#include "reports/xlsx/xlsx_lib.h"

#include "reports/shared/fields.h"
#include "reports/shared/palette.h"
#include "reports/shared/words.h"
#include "reports/xlsx/xlsx.h"

#define CHART_WIDTH    530 /* pixels */
#define CHART_HEIGHT   320
#define CHART_GAP      10
#define SMALL_WIDTH    260 /* of a small one: two next to each other are as wide as one */
#define SMALL_HEIGHT   200
#define ROW_HEIGHT     20
#define LEGEND_MANY    8  /* series from which the legend is a list of its own, at the right */
#define LEGEND_ENTRY   18 /* pixels */
#define PER_LINE       2  /* at least; more where there would be more than so many lines */
#define LINES          3
#define PIE_POINTS     64   /* of which labels are chosen */
#define PIE_LEAST      0.04 /* of the whole, for a label */
#define STACKS_MAX     16   /* of one chart */
#define DEFAULT_WIDTH  480  /* of the library: scales are relative to it */
#define DEFAULT_HEIGHT 288
#define NAME_MAX_UNITS 250
#define ALONE          0x5F7A99 /* --chart-one in html.css */
#define WORSE          0xD55E00 /* of a change, as in a waterfall */
#define BETTER         0x0072B2
#define CHANGES        64 /* bars of changes with a color of their own */

static uint8_t type_of(enum az_chart_kind k)
{
    switch (k) {
    case AZ_CHART_STACKED_COLUMN:
        return LXW_CHART_COLUMN_STACKED;
    case AZ_CHART_STACKED_BAR:
        return LXW_CHART_BAR_STACKED;
    case AZ_CHART_PIE:
        return LXW_CHART_PIE;
    case AZ_CHART_BAR:
    case AZ_CHART_LIMITS:
        return LXW_CHART_BAR;
    case AZ_CHART_COLUMN:
        return LXW_CHART_COLUMN;
    case AZ_CHART_LINE:
    case AZ_CHART_TREND:
        return LXW_CHART_LINE;
    case AZ_CHART_SCATTER_LOG:
        return LXW_CHART_SCATTER;
    case AZ_CHART_WATERFALL:
    case AZ_CHART_HEAT:
        break;
    }
    return LXW_CHART_COLUMN;
}

bool az_xlsx_draws(const struct az_chart *c)
{
    return c->kind != AZ_CHART_WATERFALL && c->kind != AZ_CHART_HEAT;
}

static ptrdiff_t column_of(const struct az_xlsx_part *p, struct az_sv name)
{
    ptrdiff_t c = az_field_column(p->t, name);

    return (size_t)c < p->columns ? c : -1;
}

/* A trend: the values with a dot each, those with a mark red and named; the median dashed; the ends
 * of the noise band pale. */
static void trend_series(struct az_xlsx *x, lxw_chart_series *s, const struct az_chart *c,
                         const struct az_xlsx_part *p, size_t number, size_t rows)
{
    static const lxw_color_t colors[] = { 0x0072B2, 0x7B8494, 0x9CC3E0, 0x9CC3E0 };
    lxw_chart_line line = { .color = colors[number < 3 ? number : 3],
                            .width = number == 0 ? 2.25F : 1.25F,
                            .dash_type = number == 1 ? LXW_CHART_LINE_DASH_DASH
                                                     : LXW_CHART_LINE_DASH_SOLID };
    lxw_chart_fill dot = { .color = colors[0] }, alarm = { .color = 0xD55E00 };
    ptrdiff_t mark = c->y.n > 4 ? column_of(p, c->y.v[4]) : -1;
    bool any = false;

    chart_series_set_line(s, &line);
    if (number > 0)
        return;
    chart_series_set_marker_type(s, LXW_CHART_MARKER_CIRCLE);
    chart_series_set_marker_size(s, 6);
    chart_series_set_marker_fill(s, &dot);
    lxw_chart_point *points = az_arena_array(x->scratch, rows + 1, sizeof *points);
    lxw_chart_point **list = az_arena_array(x->scratch, rows + 1, sizeof *list);
    lxw_chart_data_label *texts = az_arena_array(x->scratch, rows + 1, sizeof *texts), **labels;
    labels = az_arena_array(x->scratch, rows + 1, sizeof *labels);
    if (!points || !list || !texts || !labels || mark < 0)
        return;
    for (size_t r = 0; r < rows; r++) {
        struct az_sv text = az_cell_text(az_table_at(p->t, p->first + r, (size_t)mark));
        points[r] = (lxw_chart_point){ .fill = text.n ? &alarm : NULL };
        bool shown = text.n > 0 && text.p[0] != '='; /* the library would read it as a formula */
        texts[r].hide = !shown;
        if (shown)
            texts[r].value =
                (char *)az_xlsx_string(x, text, NAME_MAX_UNITS); /* the library copies it */
        list[r] = &points[r];
        labels[r] = &texts[r];
        any = any || text.n > 0;
    }
    list[rows] = NULL;
    labels[rows] = NULL;
    if (!any)
        return;
    chart_series_set_points(s, list);
    chart_series_set_labels(s);
    chart_series_set_labels_position(s, LXW_CHART_LABEL_POSITION_ABOVE);
    chart_series_set_labels_custom(s, labels);
}

/* The points are dots; each roof is a line of its own color and dashes. */
static void scatter_series(lxw_chart_series *s, size_t number)
{
    static const lxw_color_t colors[] = { 0x3C4654, 0x7B8494, ALONE, 0xB9C7D6 };
    static const uint8_t dashes[] = { LXW_CHART_LINE_DASH_SOLID, LXW_CHART_LINE_DASH_DASH,
                                      LXW_CHART_LINE_DASH_DASH_DOT, LXW_CHART_LINE_DASH_LONG_DASH };
    lxw_chart_fill dot = { .color = 0x0072B2, .transparency = 40 };
    lxw_chart_line edge = { .color = 0x0072B2, .width = 0.75F };
    lxw_chart_line roof = { .color = colors[(number + AZ_LENGTH(colors) - 1) % AZ_LENGTH(colors)],
                            .width = 1.75F,
                            .dash_type = dashes[(number + 3) % AZ_LENGTH(dashes)] };

    if (number > 0) {
        chart_series_set_marker_type(s, LXW_CHART_MARKER_NONE);
        chart_series_set_line(s, &roof);
        return;
    }
    chart_series_set_marker_type(s, LXW_CHART_MARKER_CIRCLE);
    chart_series_set_marker_size(s, 6);
    chart_series_set_marker_fill(s, &dot);
    chart_series_set_marker_line(s, &edge);
}

static bool is_taken(const uint32_t *rgb, size_t n, uint32_t color)
{
    for (size_t i = 0; i < n; i++)
        if (rgb[i] == color)
            return true;
    return false;
}

/* Slices have the colors of their families; others take colors that neither a part of the time nor
 * another slice has. */
static void paint_slices(lxw_chart_series *s, const struct az_xlsx_part *p, ptrdiff_t cat,
                         size_t rows)
{
    static const uint32_t others[] = { 0xE69F00, 0x009E73, 0xCC79A7, 0x56B4E9, 0x8C8200,
                                       0x5B3A8C, 0x12355B, 0xF4A6A0, 0x7AB648, 0xA1123F };
    uint32_t rgb[PIE_POINTS] = { 0 };
    lxw_chart_fill fill[PIE_POINTS];
    lxw_chart_point point[PIE_POINTS], *points[PIE_POINTS + 1];
    size_t next = 0;

    if (cat < 0 || rows > PIE_POINTS)
        return;
    for (size_t r = 0; r < rows; r++) {
        struct az_paint paint;
        if (az_palette_find(az_cell_text(az_table_at(p->t, p->first + r, (size_t)cat)), &paint) &&
            !is_taken(rgb, rows, paint.rgb))
            rgb[r] = paint.rgb;
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0; !rgb[r] && k < AZ_LENGTH(others); k++, next++)
            if (!is_taken(rgb, rows, others[next % AZ_LENGTH(others)]))
                rgb[r] = others[next % AZ_LENGTH(others)];
        fill[r] = (lxw_chart_fill){ .color = rgb[r] ? rgb[r] : others[r % AZ_LENGTH(others)] };
        point[r] = (lxw_chart_point){ .fill = &fill[r] };
        points[r] = &point[r];
    }
    points[rows] = NULL;
    (void)chart_series_set_points(s, points);
}

/* Changes in the colors of a page: what is worse orange, what is better blue. */
static void paint_changes(lxw_chart_series *s, const struct az_xlsx_part *p, ptrdiff_t val,
                          size_t rows)
{
    lxw_chart_fill worse = { .color = WORSE }, better = { .color = BETTER };
    lxw_chart_point up = { .fill = &worse }, down = { .fill = &better }, *points[CHANGES + 1];

    chart_series_set_fill(s, &worse);
    if (rows > CHANGES)
        return;
    for (size_t r = 0; r < rows; r++)
        points[r] = az_cell_number(az_table_at(p->t, p->first + r, (size_t)val)) < 0 ? &down : &up;
    points[rows] = NULL;
    (void)chart_series_set_points(s, points);
}

/* Labels of small slices next to each other would overlap: the table has them. */
static void pie_labels(lxw_chart_series *s, const struct az_xlsx_part *p, ptrdiff_t val,
                       size_t rows)
{
    lxw_chart_data_label hidden[PIE_POINTS], *labels[PIE_POINTS + 1];
    double sum = 0;

    chart_series_set_labels_percentage(s);
    for (size_t r = 0; r < rows; r++)
        sum += az_cell_number(az_table_at(p->t, p->first + r, (size_t)val));
    if (rows > PIE_POINTS || !(sum > 0))
        return;
    for (size_t r = 0; r < rows; r++) {
        const double x = az_cell_number(az_table_at(p->t, p->first + r, (size_t)val));
        hidden[r] = (lxw_chart_data_label){ .hide = x < PIE_LEAST * sum };
        labels[r] = &hidden[r];
    }
    labels[rows] = NULL;
    (void)chart_series_set_labels_custom(s, labels); /* turns values on */
    chart_series_set_labels_options(s, LXW_FALSE, LXW_FALSE, LXW_FALSE);
}

/* Bars of parts and families have the colors that they have on a page. */
static void paint_series(lxw_chart_series *s, const struct az_chart *c, struct az_sv name)
{
    struct az_paint paint;
    const ptrdiff_t unit = az_sv_find(name, AZ_SV(" ("));

    name.n = unit > 0 ? (size_t)unit : name.n;
    if (c->kind != AZ_CHART_STACKED_BAR && c->kind != AZ_CHART_STACKED_COLUMN &&
        c->kind != AZ_CHART_BAR && c->kind != AZ_CHART_COLUMN)
        return;
    if (!az_palette_find(name, &paint)) {
        if (c->y.n != 1) /* one alone is neither a part of the time nor a family */
            return;
        paint.rgb = ALONE;
    }
    lxw_chart_fill fill = { .color = paint.rgb };
    chart_series_set_fill(s, &fill);
}

size_t az_xlsx_drawn(const struct az_chart *c, const struct az_xlsx_part *p)
{
    const size_t rows = c->max_rows && !c->n_parts && c->max_rows < p->rows ? c->max_rows : p->rows;
    return az_xlsx_draws(c) && az_sv_eq(c->table, p->t->id) && rows <= AZ_XLSX_DRAWN ? rows : 0;
}

/* The library would copy cells that it did not write. */
static void without_copies(lxw_chart_series *s, const struct az_chart *c,
                           const struct az_xlsx_part *p)
{
    if (az_xlsx_drawn(c, p))
        return;
    s->values->ignore_cache = LXW_TRUE;
    if (s->categories)
        s->categories->ignore_cache = LXW_TRUE;
}

static void one_series(struct az_xlsx *x, lxw_chart *chart, const struct az_chart *c,
                       const struct az_xlsx_part *p, ptrdiff_t cat, ptrdiff_t val, size_t number,
                       size_t rows)
{
    lxw_chart_series *s = chart_add_series(chart, NULL, NULL);
    const char *sheet = az_xlsx_string(x, p->name, 31);

    if (!s) {
        x->error = x->error ? x->error : AZ_ENOMEM;
        return;
    }
    if (cat >= 0 && !az_xlsx_labels(x, chart, s, p, (size_t)cat, rows))
        chart_series_set_categories(s, sheet, 1, (lxw_col_t)cat, (lxw_row_t)rows, (lxw_col_t)cat);
    chart_series_set_values(s, sheet, 1, (lxw_col_t)val, (lxw_row_t)rows, (lxw_col_t)val);
    chart_series_set_name(
        s, az_xlsx_string(x, az_words_of_part(p->t->columns.v[val].name), NAME_MAX_UNITS));
    paint_series(s, c, p->t->columns.v[val].name);
    without_copies(s, c, p);
    if (c->kind == AZ_CHART_PIE) {
        pie_labels(s, p, val, rows);
        paint_slices(s, p, cat, rows);
    }
    if (c->kind == AZ_CHART_LIMITS && number == 0)
        paint_changes(s, p, val, rows);
    if (c->kind == AZ_CHART_TREND)
        trend_series(x, s, c, p, number, rows);
    if (c->kind == AZ_CHART_SCATTER_LOG)
        scatter_series(s, number);
}

static void axis_title(struct az_xlsx *x, lxw_chart_axis *axis, struct az_sv title)
{
    lxw_chart_font font = { .size = 9, .bold = LXW_EXPLICIT_FALSE };

    if (!title.n)
        return;
    chart_axis_set_name(axis, az_xlsx_string(x, az_field_axis(x->scratch, title), NAME_MAX_UNITS));
    chart_axis_set_name_font(axis, &font);
}

/* Long titles (the name of a kernel, where a step was) leave room for the chart. */
static lxw_chart_font title_font(const struct az_chart *c, const struct az_xlsx_part *p)
{
    struct az_sv title = c->title.n ? c->title : p->t->title;

    return (lxw_chart_font){ .size = title.n > 60 ? 9 : 12, .bold = LXW_TRUE };
}

/* Lengths are compared in bars: from zero, unless there is something below it. */
static bool from_zero(const struct az_chart *c, const struct az_xlsx_part *p, size_t rows)
{
    if (c->kind == AZ_CHART_LINE || c->kind == AZ_CHART_TREND || c->kind == AZ_CHART_SCATTER_LOG)
        return false;
    for (size_t i = 0; i < c->y.n; i++) {
        ptrdiff_t col = column_of(p, c->y.v[i]);
        for (size_t r = 0; col >= 0 && r < rows; r++) {
            if (az_cell_number(az_table_at(p->t, p->first + r, (size_t)col)) < 0)
                return false;
        }
    }
    return true;
}

/* First row on top, the values' axis still below; long names leave room for the bars, those below
 * zero too. */
static void bar_axis(lxw_chart_axis *category)
{
    lxw_chart_font small = { .size = 8 };

    chart_axis_set_label_position(category, LXW_CHART_AXIS_LABEL_POSITION_LOW);
    chart_axis_set_reverse(category);
    chart_axis_set_crossing_max(category);
    chart_axis_set_num_font(category, &small);
}

static void set_axes(struct az_xlsx *x, lxw_chart *chart, const struct az_chart *c,
                     const struct az_xlsx_part *p, size_t rows)
{
    bool bars =
        c->kind == AZ_CHART_BAR || c->kind == AZ_CHART_STACKED_BAR || c->kind == AZ_CHART_LIMITS;
    lxw_chart_axis *category = bars ? chart->y_axis : chart->x_axis,
                   *value = bars ? chart->x_axis : chart->y_axis;

    if (c->kind == AZ_CHART_PIE)
        return;
    axis_title(x, category, c->x_title);
    axis_title(x, value, c->y_title);
    if (bars)
        bar_axis(category);
    ptrdiff_t first = c->y.n ? column_of(p, c->y.v[0]) : -1;
    const char *format =
        first < 0 ? NULL : az_xlsx_number_format(az_xlsx_style_of(&p->t->columns.v[first]));
    if (format && c->kind != AZ_CHART_SCATTER_LOG)
        chart_axis_set_num_format(value, strcmp(format, "#,##0.000") == 0      ? "#,##0.###"
                                         : strcmp(format, "#,##0.000000") == 0 ? "#,##0.######"
                                                                               : format);
    if (from_zero(c, p, rows))
        chart_axis_set_min(value, 0);
    if (c->kind == AZ_CHART_STACKED_BAR && first >= 0 &&
        p->t->columns.v[first].unit == AZ_UNIT_PERCENT)
        chart_axis_set_max(value, 100); /* of a whole */
    if (c->kind == AZ_CHART_COLUMN)
        chart_set_series_gap(chart, 8); /* a histogram has no gaps */
    if (c->kind == AZ_CHART_SCATTER_LOG) {
        chart_axis_set_log_base(category, 10);
        chart_axis_set_log_base(value, 10);
        chart_axis_major_gridlines_set_visible(category, LXW_TRUE);
    }
}

static void legend(lxw_chart *chart, const struct az_chart *c, size_t series)
{
    lxw_chart_font small = { .size = 8 };

    if (c->kind == AZ_CHART_PIE)
        return;
    chart_legend_set_position(chart, series == 1            ? LXW_CHART_LEGEND_NONE
                                     : series > LEGEND_MANY ? LXW_CHART_LEGEND_RIGHT
                                                            : LXW_CHART_LEGEND_BOTTOM);
    if (series > LEGEND_MANY)
        chart_legend_set_font(chart, &small);
}

static lxw_chart *make_chart(struct az_xlsx *x, const struct az_chart *c,
                             const struct az_xlsx_part *p)
{
    size_t rows = c->max_rows && c->max_rows < p->rows ? c->max_rows : p->rows, series = 0;
    ptrdiff_t cat = column_of(p, c->x);
    lxw_chart *chart = NULL;
    lxw_chart_font font = title_font(c, p);

    for (size_t i = 0; i < c->y.n && rows; i++) {
        ptrdiff_t val = column_of(p, c->y.v[i]);
        if (val < 0 || p->t->columns.v[val].type == AZ_TEXT || (c->kind == AZ_CHART_PIE && series))
            continue;
        if (c->kind == AZ_CHART_LIMITS && (i == 1 || i == 2))
            continue; /* the interval: no bar */
        if (!chart)
            chart = workbook_add_chart(x->book, type_of(c->kind));
        if (!chart)
            break;
        one_series(x, chart, c, p, cat, val, series, rows);
        series++;
    }
    if (!chart)
        return NULL;
    chart_title_set_name(chart,
                         az_xlsx_string(x, c->title.n ? c->title : p->t->title, NAME_MAX_UNITS));
    chart_title_set_name_font(chart, &font);
    set_axes(x, chart, c, p, rows);
    legend(chart, c, series);
    return chart;
}

/* Nanoseconds as what a person reads: commas at the end of a format divide by 1000 each. */
static void waterfall_scale(struct az_xlsx *x, lxw_chart *chart, const struct az_xlsx_part *p,
                            size_t whole)
{
    static const struct {
        const char *title, *format;
    } units[] = { { "Time (ns)", "#,##0" },
                  { "Time (us)", "#,##0," },
                  { "Time (ms)", "#,##0.##,," },
                  { "Time (s)", "#,##0.##,,," } };
    double largest = az_field_largest(p->t, whole, p->first + p->rows);
    size_t u = 0;

    for (; u + 1 < AZ_LENGTH(units) && largest >= 5000; u++)
        largest /= 1000;
    axis_title(x, chart->x_axis, az_sv_str(units[u].title));
    chart_axis_set_num_format(chart->x_axis, units[u].format);
}

/* A waterfall as stacked bars on an unseen foot, if its table has the columns for it; NULL. */
static lxw_chart *make_waterfall(struct az_xlsx *x, const struct az_chart *c,
                                 const struct az_xlsx_part *p)
{
    static const struct {
        const char *column;
        lxw_color_t color;
    } parts[] = { { "Foot (ns)", 0 },
                  { "Whole (ns)", 0x7B8494 },
                  { "Rise (ns)", 0xD55E00 },
                  { "Fall (ns)", 0x0072B2 } };
    ptrdiff_t cat = column_of(p, c->x), col[4];
    lxw_chart_font font = title_font(c, p);
    lxw_chart *chart;

    for (size_t i = 0; i < 4; i++) {
        col[i] = column_of(p, az_sv_str(parts[i].column));
        if (col[i] < 0 || cat < 0 || p->rows == 0)
            return NULL;
    }
    chart = workbook_add_chart(x->book, LXW_CHART_BAR_STACKED); /* names have a line */
    for (size_t i = 0; chart && i < 4; i++) {
        lxw_chart_fill fill = { .color = parts[i].color, .none = i == 0 };
        lxw_chart_series *s = chart_add_series(chart, NULL, NULL);
        const char *sheet = az_xlsx_string(x, p->name, 31);
        if (!s) {
            x->error = x->error ? x->error : AZ_ENOMEM;
            break;
        }
        if (!az_xlsx_labels(x, chart, s, p, (size_t)cat, p->rows))
            chart_series_set_categories(s, sheet, 1, (lxw_col_t)cat, (lxw_row_t)p->rows,
                                        (lxw_col_t)cat);
        chart_series_set_values(s, sheet, 1, (lxw_col_t)col[i], (lxw_row_t)p->rows,
                                (lxw_col_t)col[i]);
        without_copies(s, c, p);
        chart_series_set_fill(s, &fill);
    }
    if (!chart)
        return NULL;
    chart_show_hidden_data(chart); /* the columns are folded away */
    chart_set_series_gap(chart, 30);
    chart_title_set_name(chart,
                         az_xlsx_string(x, c->title.n ? c->title : p->t->title, NAME_MAX_UNITS));
    chart_title_set_name_font(chart, &font);
    bar_axis(chart->y_axis);
    waterfall_scale(x, chart, p, (size_t)col[1]);
    chart_legend_set_position(chart, LXW_CHART_LEGEND_NONE);
    return chart;
}

/* ---- parts of a whole, one stack or several ---- */
struct stacks {
    const struct az_xlsx_part *p;
    ptrdiff_t name, label, value; /* columns: of the stacks (-1: one), of the parts, of the times */
    size_t first[STACKS_MAX];     /* row in which each stack begins */
    size_t n;
};

static bool same_text(const struct stacks *s, size_t a, size_t b, ptrdiff_t column)
{
    char x[AZ_FIELD_MAX], y[AZ_FIELD_MAX];
    return column < 0 ||
           az_sv_eq(az_cell_exact(az_table_at(s->p->t, s->p->first + a, (size_t)column), x),
                    az_cell_exact(az_table_at(s->p->t, s->p->first + b, (size_t)column), y));
}

static void find_stacks(struct stacks *s)
{
    for (size_t r = 0; r < s->p->rows && s->n < STACKS_MAX; r++) {
        bool known = false;
        for (size_t i = 0; i < s->n; i++)
            known |= same_text(s, r, s->first[i], s->name);
        if (!known)
            s->first[s->n++] = r;
    }
}

/* Row of a part in a stack; SIZE_MAX: it has none. */
static size_t part_row(const struct stacks *s, size_t stack, struct az_sv part)
{
    for (size_t r = s->first[stack]; r < s->p->rows; r++)
        if (same_text(s, r, s->first[stack], s->name) &&
            az_sv_eq(az_cell_text(az_table_at(s->p->t, s->p->first + r, (size_t)s->label)), part))
            return r;
    return SIZE_MAX;
}

/* Name of a sheet in a formula: an apostrophe is doubled. */
static struct az_sv quoted(struct az_xlsx *x, struct az_sv name)
{
    struct az_sv out = AZ_SV("");

    for (size_t i = 0; i < name.n; i++)
        out = az_arena_printf(x->scratch, "%.*s%s%c", AZ_SVF(out), name.p[i] == '\'' ? "'" : "",
                              name.p[i]);
    return out;
}

/* "=(sheet!$C$2,sheet!$C$9)": the cells of a column in each stack; NULL where one has none. */
static const char *cells_of(struct az_xlsx *x, const struct stacks *s, const struct az_sv *part,
                            ptrdiff_t column)
{
    const struct az_sv sheet = quoted(x, s->p->name);
    struct az_sv list = AZ_SV("");

    for (size_t i = 0; i < s->n; i++) {
        char cell[LXW_MAX_CELL_NAME_LENGTH];
        const size_t row = part ? part_row(s, i, *part) : s->first[i];
        if (row == SIZE_MAX)
            return NULL;
        lxw_rowcol_to_cell_abs(cell, (lxw_row_t)row + 1, (lxw_col_t)column, 1, 1);
        list = az_arena_printf(x->scratch, "%.*s%s'%.*s'!%s", AZ_SVF(list), i ? "," : "",
                               AZ_SVF(sheet), cell);
    }
    return az_arena_printf(x->scratch, s->n > 1 ? "=(%.*s)" : "=%.*s", AZ_SVF(list)).p;
}

static bool part_series(struct az_xlsx *x, lxw_chart *chart, const struct az_chart *c,
                        const struct stacks *s, size_t number)
{
    static const lxw_color_t colors[] = {
        0x0072B2, 0xD55E00, 0x8A5A2B, 0x009E73, 0xCC79A7, 0xE69F00
    };
    const struct az_sv part = c->parts[number];
    const bool idle = az_sv_find(part, AZ_SV("idle")) >= 0; /* stays in the background */
    struct az_paint paint = { .rgb = idle ? 0xD3D8E0 : colors[number % AZ_LENGTH(colors)] };
    (void)az_palette_find(part, &paint);
    lxw_chart_fill fill = { .color = paint.rgb };
    const char *values = cells_of(x, s, &part, s->value);
    lxw_chart_series *series =
        values ? chart_add_series(chart, s->name < 0 ? NULL : cells_of(x, s, NULL, s->name), values)
               : NULL;

    if (!series)
        return false;
    chart_series_set_name(series, az_xlsx_string(x, az_words_of_part(part), NAME_MAX_UNITS));
    chart_series_set_fill(series, &fill);
    without_copies(series, c, s->p);
    return true;
}

/* Times whose parts add up to the whole, as one bar for each stack. NULL: no part was found. */
static lxw_chart *make_stacks(struct az_xlsx *x, const struct az_chart *c,
                              const struct az_xlsx_part *p)
{
    struct stacks s = { .p = p, .name = c->stack.n ? column_of(p, c->stack) : -1 };
    lxw_chart_font font = title_font(c, p), small = { .size = 9 };
    lxw_chart *chart = NULL;
    bool any = false;

    s.label = column_of(p, c->x);
    s.value = c->y.n ? column_of(p, c->y.v[0]) : -1;
    if (s.label < 0 || s.value < 0)
        return NULL;
    find_stacks(&s);
    for (size_t i = 0; i < c->n_parts && s.n; i++) {
        if (!cells_of(x, &s, &c->parts[i], s.value))
            continue;
        if (!chart)
            chart = workbook_add_chart(x->book, LXW_CHART_BAR_STACKED);
        if (!chart)
            return NULL;
        any |= part_series(x, chart, c, &s, i);
    }
    if (!any)
        return NULL;
    chart_title_set_name(chart,
                         az_xlsx_string(x, c->title.n ? c->title : p->t->title, NAME_MAX_UNITS));
    chart_title_set_name_font(chart, &font);
    axis_title(x, chart->x_axis, c->y_title);
    chart_axis_set_min(chart->x_axis, 0);
    chart_axis_set_reverse(chart->y_axis);
    chart_axis_set_crossing_max(chart->y_axis);
    chart_axis_set_num_font(chart->y_axis, &small);
    if (s.n == 1) /* its name would be a bare 1 */
        chart_axis_set_label_position(chart->y_axis, LXW_CHART_AXIS_LABEL_POSITION_NONE);
    chart_set_series_gap(chart, s.n == 1 ? 90 : 40);
    chart_set_series_overlap(chart, 100);
    chart_legend_set_position(chart, LXW_CHART_LEGEND_BOTTOM);
    return chart;
}

static lxw_chart *make_one(struct az_xlsx *x, const struct az_chart *c,
                           const struct az_xlsx_plan *plan)
{
    const struct az_xlsx_part *p = az_xlsx_plan_find(plan, c->table);
    lxw_chart *chart = NULL;

    if (p && c->kind == AZ_CHART_WATERFALL)
        chart = make_waterfall(x, c, p);
    if (p && c->n_parts)
        chart = make_stacks(x, c, p);
    if (p && !chart && !x->error && az_xlsx_draws(c))
        chart = make_chart(x, c, p);
    return chart;
}

/* A long legend needs its height. */
static size_t height_of(const struct az_chart *c)
{
    const size_t wanted = c->n_parts || c->kind == AZ_CHART_TREND ? 0 : c->y.n * LEGEND_ENTRY + 60;

    if (c->small)
        return SMALL_HEIGHT;
    return wanted > CHART_HEIGHT && c->y.n > LEGEND_MANY ? wanted : CHART_HEIGHT;
}

static size_t width_of(const struct az_chart *c) { return c->small ? SMALL_WIDTH : CHART_WIDTH; }

/* Where the next chart goes. */
struct place {
    size_t row, x, rows; /* of the line, and how many it needs by now; pixels in it */
    size_t left, end;    /* of each line, pixels */
};

static void put_chart(struct az_xlsx *x, struct lxw_worksheet *ws, lxw_chart *chart,
                      const struct az_chart *c, struct place *at)
{
    const size_t width = width_of(c), rows = height_of(c) / ROW_HEIGHT + 1;

    if (at->x > at->left && at->x + width > at->end) {
        at->row += at->rows;
        at->x = at->left;
        at->rows = 0;
    }
    lxw_chart_options o = {
        .x_offset = (int32_t)at->x,
        .x_scale = (double)width / DEFAULT_WIDTH,
        .y_scale = (double)height_of(c) / DEFAULT_HEIGHT,
    };
    if (worksheet_insert_chart_opt(ws, (lxw_row_t)at->row, 0, chart, &o) != LXW_NO_ERROR)
        x->error = AZ_EINTERNAL;
    at->x += width + CHART_GAP;
    at->rows = rows > at->rows ? rows : at->rows;
}

size_t az_xlsx_charts(struct az_xlsx *x, struct lxw_worksheet *ws, size_t row, size_t left,
                      const struct az_document *doc, const struct az_xlsx_plan *plan)
{
    lxw_chart **chart = az_arena_array(x->scratch, doc->charts.n + 1, sizeof(lxw_chart *));
    size_t width = 0, per_line = PER_LINE;
    struct place at = { .row = row, .x = left, .left = left };

    for (size_t i = 0; chart && i < doc->charts.n && !x->error; i++) {
        chart[i] = make_one(x, &doc->charts.v[i], plan);
        width += chart[i] ? width_of(&doc->charts.v[i]) + CHART_GAP : 0;
    }
    while (per_line * LINES * (CHART_WIDTH + CHART_GAP) < width)
        per_line++;
    at.end = left + per_line * (CHART_WIDTH + CHART_GAP);
    for (size_t i = 0; chart && i < doc->charts.n && !x->error; i++)
        if (chart[i])
            put_chart(x, ws, chart[i], &doc->charts.v[i], &at);
    return at.row + at.rows - row;
}
