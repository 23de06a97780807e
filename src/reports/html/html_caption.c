/* The values of a chart in a sentence: for readers without scripts, without a screen, or in a
 * hurry. */
#include "base/utf8.h"
#include "reports/html/html.h"
#include "reports/shared/words.h"

#include <math.h>

#define NAMED 3 /* items at most in a sentence */

struct az_sv az_html_series_name(struct az_html *h, const struct az_plot *p, size_t series)
{
    return az_words_of_part(
        az_html_without_unit(h, az_field_line(h->scratch, p->series[series].name),
                             az_unit_text(p->t->columns.v[p->series[series].column].unit)));
}

/* Parts in percent are shares already, of a whole of 100. */
static bool is_percent(const struct az_plot *p) { return az_plot_unit(p)->unit == AZ_UNIT_PERCENT; }

/* Percents have one decimal, as in tables, down to 0.1%. */
static void value(struct az_html *h, const struct az_plot *p, double v)
{
    const struct az_column *c = az_plot_unit(p);
    char buf[AZ_FIELD_MAX];

    if (is_percent(p) && fabs(v) >= 0.1 && fabs(v) < 1)
        az_html_putf(h, "%.1f%%", v);
    else
        az_html_text(h, az_html_value(v, c->unit, c->type, buf));
}

static void share(struct az_html *h, double v, double whole)
{
    if (whole > 0)
        az_html_putf(h, " (%.1f%%)", 100 * v / whole);
}

static void put_name(struct az_html *h, struct az_sv s)
{
    az_html_put(h, AZ_SV("<bdi>"));
    az_html_text(h, az_utf8_fit(h->scratch, az_field_line(h->scratch, s), 72, true));
    az_html_put(h, AZ_SV("</bdi>"));
}

/* Name of a mark. A bare number has no meaning: "rank 3". */
static void put_mark_name(struct az_html *h, const struct az_plot *p, size_t i)
{
    struct az_sv label = p->label[i], axis = p->c->n_parts ? p->c->stack : p->c->x_title;
    bool number = label.n > 0;

    for (size_t k = 0; k < label.n; k++)
        number = number && label.p[k] >= '0' && label.p[k] <= '9';
    if (number && axis.n)
        label = az_arena_printf(h->scratch, "%.*s %.*s", AZ_SVF(axis), AZ_SVF(label));
    put_name(h, label);
}

static double sum_of(const double *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += isnan(v[i]) ? 0 : v[i];
    return sum;
}

/* Index of the largest |v[i]| that is smaller than `below`, or equal and after `last`; n: none is
 * left. */
static size_t next_largest(const double *v, size_t n, double below, size_t last)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++) {
        double x = fabs(v[i]);
        bool candidate = x < below || (x == below && i > last && last < n);
        if (candidate && x > 0 && (best == n || x > fabs(v[best])))
            best = i;
    }
    return best;
}

static void largest(struct az_html *h, const struct az_plot *p, double whole)
{
    const double *v = p->series[0].v;
    size_t n = p->marks.n, last = n;
    double below = INFINITY;

    for (size_t k = 0; k < NAMED; k++) {
        size_t i = next_largest(v, n, below, last);
        if (i == n)
            break;
        bool bin = p->c->kind == AZ_CHART_COLUMN; /* named by its begin */
        az_html_put(h, k ? AZ_SV(", ") : AZ_SV("Largest: "));
        az_html_put(h, bin ? AZ_SV("from ") : AZ_SV(""));
        put_mark_name(h, p, i);
        az_html_put(h, bin ? AZ_SV(": ") : AZ_SV(" "));
        value(h, p, v[i]);
        share(h, v[i], whole);
        below = fabs(v[i]);
        last = i;
    }
    az_html_put(h, AZ_SV("."));
}

/* What the parts add up to, by the name that the shares of the table have: a page has several
 * wholes, and a share of operator time is not one of device time. */
static void name_whole(struct az_html *h, const struct az_plot *p)
{
    const struct az_sv before = AZ_SV("% of ");

    for (size_t c = 0; c < p->t->columns.n && !is_percent(p); c++) {
        const struct az_sv title = az_field_title(h->scratch, p->t, c, "");
        if (!(p->t->columns.v[c].flags & AZ_SHARE) || !az_sv_starts(title, before))
            continue;
        az_html_put(h, AZ_SV(" In all "));
        value(h, p, sum_of(p->series[0].v, p->marks.n));
        az_html_put(h, AZ_SV(" of "));
        az_html_text(h, az_sv_make(title.p + before.n, title.n - before.n));
        az_html_put(h, AZ_SV("."));
        return;
    }
}

static double stack_of(const struct az_plot *p, size_t i)
{
    double sum = 0;

    for (size_t s = 0; s < p->n_series; s++)
        sum += sum_of(p->series[s].v + i, 1);
    return sum;
}

/* The parts of one stack. */
static void one_stack(struct az_html *h, const struct az_plot *p, size_t i)
{
    double whole = stack_of(p, i);
    size_t printed = 0;

    for (size_t s = 0; s < p->n_series; s++) {
        double v = sum_of(p->series[s].v + i, 1);
        if (v == 0)
            continue;
        az_html_put(h, printed++ ? AZ_SV(", ") : AZ_SV(""));
        put_name(h, az_html_series_name(h, p, s));
        az_html_put(h, AZ_SV(" "));
        value(h, p, v);
        if (!is_percent(p))
            share(h, v, whole);
    }
    az_html_put(h, printed ? AZ_SV(".") : AZ_SV("nothing."));
}

/* Between which values a part is, and where. False: it is nowhere. */
static bool range_of_part(struct az_html *h, const struct az_plot *p, size_t s, bool first)
{
    const double *v = p->series[s].v;
    size_t low = 0, high = 0;

    for (size_t i = 0; i < p->marks.n; i++) {
        low = sum_of(v + i, 1) < sum_of(v + low, 1) ? i : low;
        high = sum_of(v + i, 1) > sum_of(v + high, 1) ? i : high;
    }
    if (sum_of(v + low, 1) == 0 && sum_of(v + high, 1) == 0)
        return false;
    az_html_put(h, first ? AZ_SV("") : AZ_SV(", "));
    put_name(h, az_html_series_name(h, p, s));
    for (size_t k = low == high; k < 2; k++) {
        az_html_put(h, k && low != high ? AZ_SV(" to ") : AZ_SV(" "));
        value(h, p, sum_of(v + (k ? high : low), 1));
        if (low == high)
            break;
        az_html_put(h, AZ_SV(" ("));
        put_mark_name(h, p, k ? high : low);
        az_html_put(h, AZ_SV(")"));
    }
    return true;
}

/* Few stacks are listed one by one, of many between which values their parts are. They are not
 * added up: stacks may be inputs set side by side, or contain one another. */
static void parts(struct az_html *h, const struct az_plot *p)
{
    const bool alone = p->n_series == 1 && !is_percent(p); /* its value is that of the stack */
    size_t n = p->marks.n, printed = 0;

    for (size_t s = 0; n > NAMED && s < p->n_series; s++)
        printed += range_of_part(h, p, s, printed == 0);
    if (n > NAMED)
        az_html_put(h, printed ? AZ_SV(".") : AZ_SV("Nothing."));
    for (size_t i = 0; n <= NAMED && i < n; i++) {
        az_html_put(h, i ? AZ_SV(" ") : AZ_SV(""));
        if (n > 1) {
            put_mark_name(h, p, i);
            if (!is_percent(p)) {
                az_html_put(h, AZ_SV(" "));
                value(h, p, stack_of(p, i));
            }
            az_html_put(h, alone ? AZ_SV(".") : AZ_SV(": "));
        }
        if (n == 1 || !alone)
            one_stack(h, p, i);
    }
}

static void points(struct az_html *h, const struct az_plot *p)
{
    const double *v = p->series[0].v;
    size_t best = p->marks.n, n = 0;

    for (size_t i = 0; i < p->marks.n; i++) {
        if (!az_fold_drawable(p, p->marks.v[i].row, 0))
            continue;
        n += p->marks.v[i].rows;
        if (best == p->marks.n || v[i] > v[best])
            best = i;
    }
    az_html_putf(h, "%zu point%s", n, n == 1 ? "" : "s");
    if (best < p->marks.n) {
        const struct az_column *x = &p->t->columns.v[p->x];
        char buf[AZ_FIELD_MAX];
        az_html_put(h, AZ_SV("; highest: "));
        put_name(h, p->label[best]);
        az_html_put(h, AZ_SV(" with "));
        value(h, p, v[best]);
        az_html_put(h, AZ_SV(" at "));
        az_html_text(
            h, az_html_value(az_plot_at(p, p->marks.v[best].row, p->x), x->unit, x->type, buf));
    }
    az_html_put(h, AZ_SV("."));
}

/* A mark of a trend, "39 2026-02-09", as "run 39 of 2026-02-09"; of another line as it is. */
static void course_mark(struct az_html *h, const struct az_plot *p, size_t i)
{
    struct az_sv day = p->label[i];
    const struct az_sv run = az_sv_cut(&day, ' ');

    if (p->c->kind != AZ_CHART_TREND) {
        put_name(h, p->label[i]);
        return;
    }
    az_html_put(h, AZ_SV("run "));
    put_name(h, run);
    if (day.n) {
        az_html_put(h, AZ_SV(" of "));
        put_name(h, day);
    }
}

/* The last marks of a trend, and how many there are. */
static void marked(struct az_html *h, const struct az_plot *p, ptrdiff_t column)
{
    size_t n = 0, printed = 0;

    for (size_t i = 0; column >= 0 && i < p->marks.n; i++)
        n += az_cell_text(az_table_at(p->t, p->marks.v[i].row, (size_t)column)).n > 0;
    if (n == 0)
        return;
    az_html_putf(h, " Marked: %zu run%s, the last ", n, n == 1 ? "" : "s");
    for (size_t i = p->marks.n; i > 0 && printed < NAMED; i--) {
        struct az_sv mark = az_cell_text(az_table_at(p->t, p->marks.v[i - 1].row, (size_t)column));
        if (!mark.n)
            continue;
        az_html_put(h, printed++ ? AZ_SV(", ") : AZ_SV(""));
        course_mark(h, p, i - 1);
        az_html_put(h, AZ_SV(" ("));
        put_name(h, mark);
        az_html_put(h, AZ_SV(")"));
    }
    az_html_put(h, AZ_SV("."));
}

/* Lines and trends: the ends, the extremes. */
static void course(struct az_html *h, const struct az_plot *p)
{
    const double *v = p->series[0].v;
    size_t low = p->marks.n, high = p->marks.n;

    for (size_t i = 0; i < p->marks.n; i++) {
        low = !isnan(v[i]) && (low == p->marks.n || v[i] < v[low]) ? i : low;
        high = !isnan(v[i]) && (high == p->marks.n || v[i] > v[high]) ? i : high;
    }
    if (low == p->marks.n)
        return;
    const struct {
        const char *what;
        size_t at;
    } items[] = {
        { "First ", 0 }, { ", last ", p->marks.n - 1 }, { ", lowest ", low }, { ", highest ", high }
    };
    for (size_t i = 0; i < AZ_LENGTH(items); i++) {
        az_html_put(h, az_sv_str(items[i].what));
        if (isnan(v[items[i].at]))
            az_html_put(h, AZ_SV("nothing"));
        else
            value(h, p, v[items[i].at]);
        az_html_put(h, AZ_SV(" ("));
        course_mark(h, p, items[i].at);
        az_html_put(h, AZ_SV(")"));
    }
    az_html_put(h, AZ_SV("."));
    if (p->c->kind == AZ_CHART_TREND && p->c->y.n > 4)
        marked(h, p, az_field_column(p->t, p->c->y.v[4]));
}

static void changes(struct az_html *h, const struct az_plot *p)
{
    ptrdiff_t total = p->c->y.n > 1 ? az_field_column(p->t, p->c->y.v[1]) : -1;
    double *v = az_arena_array(h->scratch, p->marks.n + 1, sizeof *v), below = INFINITY;
    size_t n = p->marks.n, last = n, printed = 0;

    if (!v)
        return;
    for (size_t i = 0; i < n; i++) {
        bool level = p->marks.v[i].rows == 1 && az_plot_at(p, p->marks.v[i].row, total) == 1;
        v[i] = level ? (double)NAN : p->series[0].v[i];
        if (!level)
            continue;
        az_html_put(h, printed++ ? AZ_SV(", ") : AZ_SV(""));
        put_name(h, p->label[i]);
        az_html_put(h, AZ_SV(" "));
        value(h, p, p->series[0].v[i]);
    }
    az_html_put(h, printed ? AZ_SV(". Largest changes: ") : AZ_SV("Largest changes: "));
    for (size_t k = 0; k < NAMED; k++) {
        size_t i = next_largest(v, n, below, last);
        if (i == n)
            break;
        az_html_put(h, k ? AZ_SV(", ") : AZ_SV(""));
        put_name(h, p->label[i]);
        az_html_put(h, v[i] > 0 ? AZ_SV(" +") : AZ_SV(" "));
        value(h, p, v[i]);
        below = fabs(v[i]);
        last = i;
    }
    az_html_put(h, AZ_SV("."));
}

void az_html_caption(struct az_html *h, const struct az_plot *p)
{
    if (p->c->n_parts) {
        parts(h, p);
        return;
    }
    switch (p->c->kind) {
    case AZ_CHART_STACKED_BAR:
    case AZ_CHART_STACKED_COLUMN:
        parts(h, p);
        return;
    case AZ_CHART_SCATTER_LOG:
        points(h, p);
        return;
    case AZ_CHART_LINE:
    case AZ_CHART_TREND:
        course(h, p);
        return;
    case AZ_CHART_WATERFALL:
        changes(h, p);
        return;
    case AZ_CHART_HEAT:
        az_html_put(
            h, AZ_SV("Colors: distance of a value from the median of its column; the strongest "
                     "color is the largest distance in the column, or 5% if all are smaller."));
        return;
    case AZ_CHART_LIMITS:
        az_html_put(
            h, p->n_series > 1
                   ? AZ_SV("Change of each metric in percent of the baseline; right of zero is "
                           "worse for every metric. The mark is the limit of the rule, the thin "
                           "line the confidence interval of the change for repeated runs.")
                   : AZ_SV("Change of each row as a share of the total; right of zero is worse."));
        return;
    case AZ_CHART_PIE:
        largest(h, p, sum_of(p->series[0].v, p->marks.n));
        name_whole(h, p);
        return;
    case AZ_CHART_COLUMN:
        largest(h, p, sum_of(p->series[0].v, p->marks.n));
        return;
    case AZ_CHART_BAR:
        largest(h, p, 0);
        return;
    }
}
