/* What changed against its limit: a table whose rows have a picture each (a bar from zero, the
 * interval, a mark at the limit), all on one axis. Drawn without the script, so that it can be read
 * and printed as it is. */
#include "reports/html/html.h"

#include <math.h>

#include "text/names.h"

#define WIDTH  420 /* of the picture, units of its own */
#define HEIGHT 22
#define EDGE   16   /* left and right: half of a text of the axis */
#define TICKS  6    /* of the axis at most */
#define FAR    12.0 /* times the median: a bar that is longer would hide the others */

enum { CHANGE, LOW, HIGH, LIMIT };

struct axis {
    double from, to, step; /* percent; from <= 0 <= to */
};

static double value_at(const struct az_plot *p, size_t series, size_t i)
{
    return series < p->n_series ? p->series[series].v[i] : (double)NAN;
}

/* Most that a bar reaches before it is truncated. Bars without any limit are shares of one total,
 * of which none is truncated: small ones are small. */
static double reach(struct az_html *h, const struct az_plot *p)
{
    double *v = az_arena_array(h->scratch, 2 * p->marks.n + 1, sizeof *v), most = 0, limit = 0;
    size_t n = 0;

    for (size_t i = 0; v && i < p->marks.n; i++) {
        const double x = fabs(value_at(p, CHANGE, i));
        limit = fmax(limit, fabs(value_at(p, LIMIT, i)));
        if (isnan(x))
            continue;
        size_t k = n++;
        for (; k > 0 && v[k - 1] > x; k--) /* few */
            v[k] = v[k - 1];
        v[k] = x;
        most = fmax(most, x);
    }
    h->error = v || h->error ? h->error : az_arena_error(h->scratch);
    if (n == 0)
        return fmax(limit, 1);
    if (!(limit > 0))
        return most;
    return fmax(fmin(most, FAR * fmax(v[n / 2], limit / 4)), limit);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double x)
{
    const double ten = pow(10, floor(log10(x)));
    return ten * (x <= ten ? 1 : x <= 2 * ten ? 2 : x <= 5 * ten ? 5 : 10);
}

static struct axis make_axis(struct az_html *h, const struct az_plot *p)
{
    const double most = reach(h, p);
    struct axis a = { 0, 0, 1 };

    for (size_t i = 0; i < p->marks.n; i++)
        for (size_t s = CHANGE; s <= LIMIT; s++) {
            const double x = value_at(p, s, i);
            a.from = x < a.from ? fmax(x, -most) : a.from;
            a.to = x > a.to ? fmin(x, most) : a.to;
        }
    if (!(a.to - a.from > 0))
        a.to = 1;
    a.step = round_step((a.to - a.from) / TICKS);
    a.from = a.step * floor(a.from / a.step);
    a.to = a.step * ceil(a.to / a.step);
    return a;
}

static double place(const struct axis *a, double percent)
{
    const double x = fmin(fmax(percent, a->from), a->to);
    return EDGE + (x - a->from) / (a->to - a->from) * (WIDTH - 2 * EDGE);
}

static void put_line(struct az_html *h, char kind, double x0, double y0, double x1, double y1)
{
    az_html_putf(h, "<line class=\"%c\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", kind,
                 x0, y0, x1, y1);
}

/* Lines of the axis; with texts in the head. */
static void put_grid(struct az_html *h, const struct axis *a, bool texts)
{
    const bool many = (a->to - a->from) / a->step > 4.5;
    for (int k = 0; k <= 2 * TICKS + 2; k++) {
        const double v = a->from + k * a->step, x = place(a, v);
        if (v > a->to + a->step / 2)
            break;
        const bool zero = fabs(v) < a->step / 2;
        if (texts && many && llround(v / a->step) % 2 != 0)
            continue; /* they would touch where the page is narrow */
        if (texts)
            az_html_putf(h, "<text x=\"%.1f\" y=\"14\" text-anchor=\"%s\">%s%.6g</text>", x,
                         "middle", v > 0 && !zero ? "+" : "", zero ? 0 : v);
        else
            put_line(h, zero ? 'z' : 'r', x, 0, x, HEIGHT);
    }
}

static void picture(struct az_html *h, const struct az_plot *p, size_t i, const struct axis *a)
{
    const double v = value_at(p, CHANGE, i), zero = place(a, 0), x = place(a, v),
                 limit = value_at(p, LIMIT, i);
    const double mid = HEIGHT / 2.0, low = value_at(p, LOW, i), high = value_at(p, HIGH, i);

    az_html_putf(h, "<svg viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDTH, HEIGHT);
    put_grid(h, a, false);
    if (!isnan(v))
        az_html_putf(h, "<rect class=\"%c\" x=\"%.1f\" y=\"5\" width=\"%.1f\" height=\"%d\"/>",
                     v > 0 ? 'w' : 'b', fmin(x, zero), fmax(fabs(x - zero), 1), HEIGHT - 10);
    if (v > a->to || v < a->from) { /* truncated: the bar goes on */
        const double tip = v > 0 ? x + 6 : x - 6;
        az_html_putf(h, "<polygon class=\"%c\" points=\"%.1f,3 %.1f,%d %.1f,%.1f\"/>",
                     v > 0 ? 'w' : 'b', x, x, HEIGHT - 3, tip, mid);
    }
    if (!isnan(low) && !isnan(high)) {
        put_line(h, 'i', place(a, low), mid, place(a, high), mid);
        put_line(h, 'i', place(a, low), mid - 3, place(a, low), mid + 3);
        put_line(h, 'i', place(a, high), mid - 3, place(a, high), mid + 3);
    }
    if (!isnan(limit)) { /* on an edge, so that it is seen on a bar, too */
        put_line(h, 'h', place(a, limit), 0, place(a, limit), HEIGHT);
        put_line(h, 'k', place(a, limit), 0, place(a, limit), HEIGHT);
    }
    az_html_put(h, AZ_SV("</svg>"));
}

/* The k-th of the chart's columns of text. */
static struct az_sv text_of(const struct az_plot *p, size_t k, size_t i)
{
    for (size_t n = 0; n < p->c->y.n; n++) {
        const ptrdiff_t c = az_field_column(p->t, p->c->y.v[n]);
        if (c >= 0 && p->t->columns.v[c].type == AZ_TEXT && k-- == 0)
            return az_cell_text(az_table_at(p->t, p->marks.v[i].row, (size_t)c));
    }
    return AZ_SV("");
}

static const char *badge(struct az_sv state)
{
    if (az_sv_is(state, "fail") || az_sv_is(state, "error"))
        return " error";
    return az_sv_is(state, "warn") || az_sv_is(state, "unstable") ? " warning" : "";
}

/* A row's name: as in the text report, so that those of one function template are distinct. */
static struct az_sv *names_of(struct az_html *h, const struct az_plot *p)
{
    struct az_sv *name = az_arena_array(h->scratch, p->marks.n + 1, sizeof *name);

    if (name && p->marks.n) {
        memcpy(name, p->label, p->marks.n * sizeof *name);
        az_names_shorten(h->scratch, name, p->marks.n);
    }
    h->error = name || h->error ? h->error : az_arena_error(h->scratch);
    return name;
}

static void put_row(struct az_html *h, const struct az_plot *p, size_t i, struct az_sv name,
                    const struct axis *a)
{
    const struct az_sv state = text_of(p, 0, i), of = text_of(p, 1, i), words = text_of(p, 2, i);

    az_html_putf(h, "<tr><td class=\"t\"><span class=\"badge%s\">", badge(state));
    az_html_line(h, state);
    az_html_put(h, AZ_SV("</span></td><th scope=\"row\" class=\"t l\"><div>"));
    az_html_line(h, name);
    az_html_put(h, AZ_SV("</div><span class=\"of\">"));
    az_html_line(h, of);
    az_html_put(h, AZ_SV("</span></th><td class=\"t\">"));
    picture(h, p, i, a);
    az_html_put(h, AZ_SV("</td><td class=\"t l\">"));
    az_html_line(h, words);
    az_html_put(h, AZ_SV("</td></tr>\n"));
}

void az_html_limits(struct az_html *h, const struct az_plot *p, size_t index)
{
    const struct axis a = make_axis(h, p);
    const struct az_sv *name = names_of(h, p);

    if (!name)
        return;
    az_html_putf(
        h,
        "<div class=\"box\" tabindex=\"0\" role=\"region\" "
        "aria-labelledby=\"chart%zu-title\"><table "
        "class=\"limits\">\n<thead><tr><th scope=\"col\" class=\"t\">State</th><th scope=\"col\" "
        "class=\"t\">",
        index);
    az_html_line(h, p->c->x);
    az_html_put(h, AZ_SV("</th><th scope=\"col\" class=\"t\">"));
    az_html_line(h, p->c->y_title);
    az_html_putf(h, "<svg viewBox=\"0 0 %d 18\" aria-hidden=\"true\">", WIDTH);
    put_grid(h, &a, true);
    az_html_put(
        h, AZ_SV("</svg></th><th scope=\"col\" class=\"t\">Result</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < p->marks.n; i++)
        put_row(h, p, i, name[i], &a);
    az_html_put(h, AZ_SV("</tbody></table></div>\n"));
}
