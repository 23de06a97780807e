/* A heat map is a colored table: it needs no script, and its numbers can be read. Colors diverge
 * from the median of each column: orange above, blue below, in six steps up to the largest
 * distance. Values that nearly agree stay pale: the last step is LEAST of the median at least. */
#include "reports/html/html.h"

#include <math.h>

#include "base/num.h"
#include "document/schema.h"
#include "stats/stats.h"

#define STEPS 6
#define LEAST 0.05

struct shade {
    double median, reach; /* of a column; reach: largest distance from the median */
};

static int shade_of(struct az_html *h, const struct az_plot *p, size_t series, struct shade *s)
{
    const double *v = p->series[series].v;
    double *known = az_arena_array(h->scratch, p->marks.n + 1, sizeof *known);
    size_t n = 0;

    if (!known)
        return az_arena_error(h->scratch);
    for (size_t i = 0; i < p->marks.n; i++) {
        if (!isnan(v[i]))
            known[n++] = v[i];
    }
    *s = (struct shade){ .median = az_percentile_f64(known, n, 50) };
    for (size_t i = 0; i < n; i++)
        s->reach = fmax(s->reach, fabs(known[i] - s->median));
    if (s->reach > 0)
        s->reach = fmax(s->reach, LEAST * fabs(s->median));
    return 0;
}

static void put_cell(struct az_html *h, const struct az_plot *p, size_t series, size_t i,
                     const struct shade *s, struct az_scale scale)
{
    size_t column = p->series[series].column;
    const struct az_cell *c = az_table_at(p->t, p->marks.v[i].row, column);
    char buf[AZ_FIELD_MAX], number[AZ_NUM_MAX];
    double v = p->series[series].v[i];

    if (isnan(v)) {
        az_html_put(h, AZ_SV("<td></td>"));
        return;
    }
    int step = s->reach > 0 ? (int)lround((v - s->median) / s->reach * STEPS) : 0;
    az_html_putf(h, "<td class=\"%c%d\" title=\"%.*s%s%s\">", step < 0 ? 'm' : 'p',
                 step < 0 ? -step : step, AZ_SVF(az_cell_exact(c, number)), *scale.unit ? " " : "",
                 az_unit_text(p->t->columns.v[column].unit));
    az_html_text(h, az_html_number(c, &p->t->columns.v[column], scale, buf));
    az_html_put(h, AZ_SV("</td>"));
}

static void put_head(struct az_html *h, const struct az_plot *p, const struct az_scale *scale)
{
    az_html_put(h, AZ_SV("<thead><tr><th scope=\"col\" class=\"t\">"));
    const bool id = p->x >= 0 && az_sv_eq(p->c->x_title, p->c->x);
    az_html_line(h, az_schema_sentence_case(h->scratch,
                                            id ? az_field_title(h->scratch, p->t, (size_t)p->x, "")
                                            : p->c->x_title.n ? p->c->x_title
                                                              : p->c->x));
    az_html_put(h, AZ_SV("</th>"));
    for (size_t s = 0; s < p->n_series; s++) {
        az_html_put(h, AZ_SV("<th scope=\"col\">"));
        az_html_line(h, az_field_title(h->scratch, p->t, p->series[s].column, scale[s].unit));
        az_html_put(h, AZ_SV("</th>"));
    }
    az_html_put(h, AZ_SV("</tr></thead>\n<tbody>\n"));
}

void az_html_heat(struct az_html *h, const struct az_plot *p, size_t index)
{
    struct shade *shade = az_arena_array(h->scratch, p->n_series, sizeof *shade);
    struct az_scale *scale = az_arena_array(h->scratch, p->n_series, sizeof *scale);
    int rc = shade && scale ? 0 : az_arena_error(h->scratch);

    for (size_t s = 0; rc == 0 && s < p->n_series; s++) {
        scale[s] = az_field_scale(p->t, p->series[s].column, p->rows);
        rc = shade_of(h, p, s, &shade[s]);
    }
    if (rc) {
        h->error = h->error ? h->error : rc;
        return;
    }
    az_html_putf(h,
                 "<div class=\"box\" tabindex=\"0\" role=\"region\" "
                 "aria-labelledby=\"chart%zu-title\"><table "
                 "class=\"heat\">\n",
                 index);
    put_head(h, p, scale);
    for (size_t i = 0; i < p->marks.n; i++) {
        az_html_put(h, AZ_SV("<tr><th scope=\"row\" class=\"t\">"));
        az_html_line(h, p->label[i]);
        az_html_put(h, AZ_SV("</th>"));
        for (size_t s = 0; s < p->n_series; s++)
            put_cell(h, p, s, i, &shade[s], scale[s]);
        az_html_put(h, AZ_SV("</tr>\n"));
    }
    az_html_put(
        h,
        AZ_SV("</tbody></table></div>\n<p class=\"scale\"><span class=\"m6\">lowest</span><span "
              "class=\"m3\"></span><span class=\"p0\">median</span><span class=\"p3\"></span><span "
              "class=\"p6\">highest</span></p>\n"));
}
