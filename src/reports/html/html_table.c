/* Tables and findings of the HTML report. A cell shows its number in a readable unit; the exact
 * value is in the cell's title, from where sorting reads it. */
#include "reports/html/html.h"

#include "document/verdict_table.h"
#include "reports/shared/glossary.h"
#include "reports/shared/words.h"

#include <math.h>
#include <string.h>

#include "base/human.h"
#include "base/num.h"
#include "base/utf8.h"
#include "document/text_table_spec.h"
#include "text/names.h"

#define FIT_ROWS      24
#define FIT_COLUMNS   9
#define LONG_TEXT     48 /* characters from which a text may need several lines */
#define BAR_STEPS     50
#define FINDINGS_MAX  12  /* in the list at the top, equal advice once */
#define ROWS_COMPARED 500 /* of the table, for that list */

struct view {
    const struct az_table *t;
    size_t rows, columns, cell;
    struct az_scale *scale;
    bool *empty;     /* columns without a value */
    double *largest; /* of share columns: what a full bar is */
};

/* Times of a comparison in one unit, the largest of them in which each can be read. */
static void common_unit(struct view *v)
{
    const struct az_table *t = v->t;
    const char *unit = "";
    double most = 0; /* in seconds */
    bool compares = false;

    for (size_t c = 0; c < v->columns; c++) {
        const struct az_column *col = &t->columns.v[c];
        const double s = az_unit_base(col->unit) * v->scale[c].divide;
        compares |= (col->flags & AZ_CHANGE) != 0;
        if (!az_unit_same_dimension(col->unit, AZ_UNIT_NS) || !(s > most) ||
            !(az_field_largest(t, c, v->rows) > 0))
            continue;
        most = s;
        unit = v->scale[c].unit;
    }
    for (size_t c = 0; compares && c < v->columns; c++) {
        const enum az_unit own = t->columns.v[c].unit;
        const double divide = most / az_unit_base(own), largest = az_field_largest(t, c, v->rows);
        if (az_unit_same_dimension(own, AZ_UNIT_NS) && strcmp(unit, v->scale[c].unit) != 0 &&
            (largest <= 0 || largest >= divide / 10) && most > 0)
            v->scale[c] = (struct az_scale){ divide, largest > 0 ? 3 : 0, unit };
    }
}

/* Is the column empty in each row that is shown? */
static bool is_empty(const struct az_table *t, size_t rows, size_t column)
{
    for (size_t r = 0; r < rows; r++) {
        const struct az_cell *x = az_table_at(t, r, column);
        if (x->type != AZ_EMPTY && !(x->type == AZ_TEXT && x->len == 0))
            return false;
    }
    return rows > 0;
}

static bool view_make(struct az_html *h, size_t index, struct view *v)
{
    struct az_table *t = h->doc->tables.v[index];

    *v = (struct view){ .t = t,
                        .rows = h->shown[index].rows,
                        .columns = h->shown[index].columns,
                        .cell = h->shown[index].cell };
    h->error = h->error ? h->error : az_table_store_rows(t, v->rows);
    if (h->error)
        return false;
    v->scale = az_arena_array(h->scratch, t->columns.n + 1, sizeof *v->scale);
    v->largest = az_arena_array(h->scratch, t->columns.n + 1, sizeof *v->largest);
    v->empty = az_arena_array(h->scratch, t->columns.n + 1, sizeof *v->empty);
    if (!v->scale || !v->largest || !v->empty)
        return false;
    for (size_t c = 0; c < v->columns; c++) {
        v->empty[c] = is_empty(t, v->rows, c);
        v->scale[c] = az_field_is_start(&t->columns.v[c], h->doc->origin_ns)
                          ? az_field_start_scale(t, c, v->rows, h->doc->origin_ns)
                          : az_field_scale_read(t, c, v->rows);
        if (!(t->columns.v[c].flags & AZ_SHARE))
            continue;
        const bool percent = t->columns.v[c].unit == AZ_UNIT_PERCENT,
                   fraction = az_field_is_fraction(&t->columns.v[c]);
        v->largest[c] = percent ? 100 : fraction ? 1 : 0;
        for (size_t r = 0; r < v->rows && !percent && !fraction; r++)
            v->largest[c] = fmax(v->largest[c], az_cell_number(az_table_at(t, r, c)));
    }
    common_unit(v);
    return true;
}

/* Columns after the switch. */
static bool is_detail(const struct view *v, size_t column)
{
    return (v->t->columns.v[column].flags & (AZ_DETAIL | AZ_HIDDEN)) != 0 ||
           (column < v->columns && v->empty[column]);
}

/* Is the number of the row a change that rises? One that falls has its sign already; a level has
 * none. */
static bool rises(const struct az_table *t, size_t row, size_t col)
{
    if (!(t->columns.v[col].flags & AZ_CHANGE) || !(az_cell_number(az_table_at(t, row, col)) > 0))
        return false;
    const ptrdiff_t level = az_field_level_column(t);
    return !(level >= 0 && az_cell_number(az_table_at(t, row, (size_t)level)) == 1);
}

static bool is_severity(const struct az_column *c)
{
    return c->type == AZ_TEXT && az_sv_ieq(c->name, AZ_SV("severity"));
}

/* Class of a known word of severity, NULL of others. */
static const char *severity_class(struct az_sv s)
{
    return az_sv_is(s, "error")     ? "error"
           : az_sv_is(s, "warning") ? "warning"
           : az_sv_is(s, "info")    ? "info"
                                    : NULL;
}

static void text_cell(struct az_html *h, const struct view *v, size_t column,
                      const struct az_cell *cell)
{
    const struct az_column *col = &v->t->columns.v[column];
    struct az_sv s = az_cell_text(cell);
    const char *severity = is_severity(col) ? severity_class(s) : NULL;

    if (s.n <= v->cell) /* lists as in the text report */
        s = az_name_plain(h->scratch, s);
    bool is_long = s.n > LONG_TEXT;

    az_html_putf(h, "<td class=\"t%s%s%s\">", is_detail(v, column) ? " d" : "", is_long ? " l" : "",
                 severity ? " s" : "");
    if (severity)
        az_html_putf(h, "<span class=\"badge %s\">", severity);
    else if (is_long)
        az_html_put(h, AZ_SV("<div>"));
    if (s.n > v->cell) {
        az_html_text(h, az_utf8_cut(s, v->cell));
        az_html_putf(h, "\xe2\x80\xa6 (%zu bytes, whole in CSV and JSON)", s.n);
    } else
        az_html_text(h, s);
    az_html_put(h, severity  ? AZ_SV("</span></td>")
                   : is_long ? AZ_SV("</div></td>")
                             : AZ_SV("</td>"));
}

/* Is the text complete? Separators are not counted. */
static bool says_all(struct az_sv shown, struct az_sv exact)
{
    size_t k = 0;

    for (size_t i = 0; i < shown.n; i++) {
        if (shown.p[i] == ',')
            continue;
        if (k == exact.n || shown.p[i] != exact.p[k++])
            return false;
    }
    return k == exact.n;
}

static void number_cell(struct az_html *h, const struct view *v, size_t row, size_t col)
{
    const struct az_cell *cell = az_table_at(v->t, row, col);
    const struct az_column *c = &v->t->columns.v[col];
    char buf[AZ_FIELD_MAX], number[AZ_NUM_MAX];
    const struct az_cell after = az_field_after_origin(cell, c, h->doc->origin_ns);
    struct az_sv shown = az_html_number(&after, c,
                                        az_field_scale_row(v->t, row, col, v->scale[col]), buf),
                 exact = az_cell_exact(cell, number);
    double x = az_cell_number(cell);
    bool detail = is_detail(v, col), bar = (c->flags & AZ_SHARE) && x > 0 && v->largest[col] > 0;
    int worse = az_field_worse(v->t, row, col);

    az_html_put(h, AZ_SV("<td"));
    if (bar)
        az_html_putf(h, " class=\"b w%d%s\"",
                     (int)fmin(BAR_STEPS, ceil(x / v->largest[col] * BAR_STEPS)),
                     detail ? " d" : "");
    else if (worse)
        az_html_putf(h, " class=\"%s%s\"", worse > 0 ? "worse" : "better", detail ? " d" : "");
    else if (detail)
        az_html_put(h, AZ_SV(" class=\"d\""));
    if (cell->type != AZ_BOOL && cell->type != AZ_EMPTY && !says_all(shown, exact))
        az_html_putf(h, " title=\"%.*s%s%s\"", AZ_SVF(exact), *az_unit_text(c->unit) ? " " : "",
                     az_unit_text(c->unit));
    az_html_put(h, AZ_SV(">"));
    if (rises(v->t, row, col))
        az_html_put(h, AZ_SV("+"));
    az_html_text(h, shown);
    az_html_put(h, AZ_SV("</td>"));
}

/* What files call the column, and what a term of its title means. */
static void head_tooltip(struct az_html *h, const struct az_column *col, struct az_sv title)
{
    size_t at = 0;
    const struct az_term *t = az_glossary_find(title, &at);
    const bool named = col->title.n && !az_sv_eq(col->title, col->name);

    if (!named && !t)
        return;
    az_html_put(h, AZ_SV(" title=\""));
    az_html_line(h, col->name);
    if (t) /* on a line of its own */
        az_html_putf(h, "\n%s: %s", t->word, t->meaning);
    az_html_put(h, AZ_SV("\""));
}

/* May a title break after its character i? It may be the name of an input or an operation. */
static bool breaks_after(struct az_sv title, size_t i)
{
    const char c = title.p[i], next = title.p[i + 1];

    return (strchr("_:/", c) && !strchr("_:/ ", next)) ||
           (c >= 'a' && c <= 'z' && next >= 'A' && next <= 'Z');
}

static void put_title(struct az_html *h, struct az_sv title)
{
    size_t from = 0;

    for (size_t i = 0; i + 1 < title.n; i++) {
        if (!breaks_after(title, i))
            continue;
        az_html_text(h, (struct az_sv){ title.p + from, i + 1 - from });
        az_html_put(h, AZ_SV("<wbr>"));
        from = i + 1;
    }
    az_html_text(h, (struct az_sv){ title.p + from, title.n - from });
}

static void put_head(struct az_html *h, const struct view *v)
{
    az_html_put(h, AZ_SV("<thead><tr>"));
    for (size_t c = 0; c < v->columns; c++) {
        const struct az_column *col = &v->t->columns.v[c];
        bool text = col->type == AZ_TEXT, detail = is_detail(v, c);
        az_html_putf(h, "<th scope=\"col\"%s",
                     text && detail ? " class=\"t d\""
                     : text         ? " class=\"t\""
                     : detail       ? " class=\"d\""
                                    : "");
        const char *unit = text || col->type == AZ_BOOL ? "" : v->scale[c].unit;
        const struct az_sv title =
            az_field_title_after(h->scratch, v->t, c, unit, h->doc->origin_ns);
        head_tooltip(h, col, title);
        az_html_put(h, AZ_SV(">"));
        put_title(h, title);
        az_html_put(h, AZ_SV("</th>"));
    }
    az_html_put(h, AZ_SV("</tr></thead>\n"));
}

static void put_body(struct az_html *h, const struct view *v)
{
    az_html_put(h, AZ_SV("<tbody>\n"));
    for (size_t r = 0; r < v->rows && !h->error; r++) {
        az_html_put(h, AZ_SV("<tr>"));
        for (size_t c = 0; c < v->columns; c++) {
            const struct az_cell *cell = az_table_at(v->t, r, c);
            if (v->t->columns.v[c].type == AZ_TEXT || cell->type == AZ_TEXT)
                text_cell(h, v, c, cell);
            else
                number_cell(h, v, r, c);
        }
        az_html_put(h, AZ_SV("</tr>\n"));
    }
    az_html_put(h, AZ_SV("</tbody>\n"));
}

static size_t count_details(const struct view *v)
{
    size_t n = 0;

    for (size_t c = 0; c < v->t->columns.n; c++)
        n += is_detail(v, c);
    return n == v->t->columns.n ? 0 : n;
}

/* Title, rows, and what is not seen of the table. */
static void caption(struct az_html *h, const struct view *v, size_t index)
{
    const struct az_table *t = v->t;
    size_t details = count_details(v), left_out = t->rows - v->rows;

    az_html_putf(h, "<div class=\"head\"><h3 id=\"h%zu\">", index);
    az_html_line(h, t->title.n ? t->title : t->id);
    az_html_put(h, AZ_SV("</h3>\n<p class=\"id\"><code>"));
    az_html_line(h, t->id);
    az_html_putf(h, "</code> <span class=\"count\">%zu row%s</span></p>\n", t->rows,
                 t->rows == 1 ? "" : "s");
    if (t->note.n) {
        az_html_put(h, AZ_SV("<p class=\"note\">"));
        az_html_line(h, t->note);
        az_html_put(h, AZ_SV("</p>\n"));
    }
    if (details)
        az_html_putf(h,
                     "<label class=\"more\"><input type=\"checkbox\"> all %zu columns <span>(%zu "
                     "hidden)</span></label>\n",
                     t->columns.n, details);
    if (left_out)
        az_html_putf(
            h,
            "<p class=\"note cut\">The first %zu of %zu rows; the other %zu are in the CSV "
            "and JSON outputs (or here with <code>html_rows</code> 0).</p>\n",
            v->rows, t->rows, left_out);
    if (v->columns < t->columns.n)
        az_html_putf(
            h,
            "<p class=\"note cut\">The first %zu of %zu columns; the others are in the CSV "
            "and JSON outputs.</p>\n",
            v->columns, t->columns.n);
    if (t->rows == 0)
        az_html_put(h, AZ_SV("<p class=\"note\">(none)</p>\n"));
    az_html_put(h, AZ_SV("</div>\n"));
}

/* A wide table of few rows is read as a whole: its text wraps, so that it fits the page. So are the
 * sentences of the verdict. In a table of few columns text wraps where else the page would be too
 * narrow. */
static const char *layout(const struct az_html *h, const struct view *v)
{
    const struct az_table *t = v->t;
    const bool wide = t->columns.n - count_details(v) >= FIT_COLUMNS;

    if (t == az_headline_of(h->doc) || (wide && t->rows <= FIT_ROWS))
        return " class=\"fit\"";
    return wide ? "" : " class=\"few\"";
}

void az_html_table(struct az_html *h, size_t index)
{
    struct az_table *t = h->doc->tables.v[index];
    struct view v;

    if (!view_make(h, index, &v)) {
        h->error = h->error ? h->error : az_arena_error(h->scratch);
        return;
    }
    az_html_put(h, AZ_SV("<section class=\"table\" id=\""));
    az_html_text(h, h->anchor[index]);
    az_html_put(h, AZ_SV("\">\n"));
    caption(h, &v, index);
    if (t->rows == 0) {
        az_html_put(h, AZ_SV("</section>\n"));
        return;
    }
    az_html_putf(
        h, "<div class=\"box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"h%zu\"><table%s>\n",
        index, layout(h, &v));
    put_head(h, &v);
    put_body(h, &v);
    az_html_put(h, AZ_SV("</table></div>\n</section>\n"));
}

/* ---- findings ---- */
struct finding_columns {
    ptrdiff_t rule, severity, subject, count, time, advice, evidence, row, gain, share;
    bool *shown; /* rows that are lines of the verdict, which are not repeated */
    size_t n_shown;
};

static bool find_columns(const struct az_table *t, struct finding_columns *f)
{
    *f = (struct finding_columns){ az_table_find_nocase(t, "rule"),
                                   az_table_find_nocase(t, "severity"),
                                   az_table_find_nocase(t, "subject"),
                                   az_table_find_nocase(t, "count"),
                                   az_table_find_nocase(t, "time (ns)"),
                                   az_table_find_nocase(t, "advice"),
                                   az_table_find_nocase(t, "evidence"),
                                   az_table_find_nocase(t, "evidence row"),
                                   az_table_find_nocase(t, "recoverable (ns)"),
                                   az_table_find_nocase(t, "share of the total (%)"),
                                   NULL,
                                   0 };
    return f->rule >= 0 && f->severity >= 0;
}

static struct az_sv text_at(const struct az_table *t, size_t row, ptrdiff_t col)
{
    return col < 0 ? AZ_SV("") : az_cell_text(az_table_at(t, row, (size_t)col));
}

static void put_amount(struct az_html *h, const char *label, struct az_sv value)
{
    az_html_putf(h, " <span class=\"amount\">%s ", label);
    az_html_text(h, value);
    az_html_put(h, AZ_SV("</span>"));
}

static void put_count(struct az_html *h, const struct az_table *t, size_t row, ptrdiff_t col)
{
    const double v = col < 0 ? NAN : az_cell_number(az_table_at(t, row, (size_t)col));
    char buf[AZ_FIELD_MAX];

    if (v > 0)
        put_amount(h, "count",
                   az_html_value(v, t->columns.v[col].unit, t->columns.v[col].type, buf));
}

/* A time in the form of the verdict. */
static void put_duration(struct az_html *h, const char *label, double ns)
{
    char buf[AZ_HUMAN_MAX];

    if (ns > 0 && ns <= 9e18)
        put_amount(h, label, az_sv_make(buf, az_human_time((int64_t)ns, buf)));
}

static void about_of(struct az_html *h, const struct az_table *t, size_t row,
                     const struct finding_columns *f)
{
    const struct az_sv at = text_at(t, row, f->row), evidence = text_at(t, row, f->evidence),
                       subject = text_at(t, row, f->subject);
    const struct az_about about = { .rule = text_at(t, row, f->rule),
                                    .row = at.n || evidence.n ? at : subject,
                                    .text = subject,
                                    .evidence = evidence };
    az_html_subject(h, &about);
}

static double number_at(const struct az_table *t, size_t row, ptrdiff_t col)
{
    return col < 0 ? NAN : az_cell_number(az_table_at(t, row, (size_t)col));
}

/* What it is about, and its amounts: the estimated saving, as in the verdict; else its time. */
static void subject_of(struct az_html *h, const struct az_table *t, size_t row,
                       const struct finding_columns *f)
{
    const struct az_sv rule = az_words_of(h->scratch, text_at(t, row, f->rule)),
                       subject = az_words_of_subject(rule, text_at(t, row, f->subject));

    if (subject.n) {
        az_html_put(h, AZ_SV(" <span class=\"subject\">"));
        az_html_line(h, subject);
        az_html_put(h, AZ_SV("</span>"));
    }
    if (number_at(t, row, f->gain) >= 0)
        put_duration(h, "saving", number_at(t, row, f->gain));
    else
        put_duration(h, "time", number_at(t, row, f->time));
    if (number_at(t, row, f->share) >= 0)
        az_html_putf(h, " <span class=\"amount\">%.1f%%</span>", number_at(t, row, f->share));
    put_count(h, t, row, f->count);
}

static bool same_finding(const struct az_table *t, size_t a, size_t b,
                         const struct finding_columns *f)
{
    return !f->shown[a] && !f->shown[b] &&
           az_sv_eq(text_at(t, a, f->rule), text_at(t, b, f->rule)) &&
           az_sv_eq(text_at(t, a, f->severity), text_at(t, b, f->severity)) &&
           az_sv_eq(text_at(t, a, f->advice), text_at(t, b, f->advice));
}

static bool repeated(const struct az_table *t, size_t row, const struct finding_columns *f)
{
    for (size_t r = 0; r < row; r++)
        if (same_finding(t, r, row, f))
            return true;
    return false;
}

/* Findings of equal advice after the first, folded. */
static void more_like(struct az_html *h, const struct az_table *t, size_t row,
                      const struct finding_columns *f)
{
    size_t n = 0, shown = 0;

    for (size_t r = row + 1; r < t->rows; r++)
        n += same_finding(t, row, r, f);
    if (n == 0)
        return;
    az_html_putf(h, "<details><summary>and %zu similar</summary>\n<ul>\n", n);
    for (size_t r = row + 1; r < t->rows && r < ROWS_COMPARED && shown < FINDINGS_MAX; r++) {
        if (!same_finding(t, row, r, f))
            continue;
        shown++;
        az_html_put(h, AZ_SV("<li"));
        about_of(h, t, r, f);
        az_html_put(h, AZ_SV(">"));
        subject_of(h, t, r, f);
        az_html_put(h, AZ_SV("<span class=\"finders\"></span></li>\n"));
    }
    if (n > shown)
        az_html_putf(h, "<li>%zu more in the table</li>\n", n - shown);
    az_html_put(h, AZ_SV("</ul></details>"));
}

/* "see table idle_causes": the name of a table of the page is a link with its title. */
static void advice_of(struct az_html *h, struct az_sv text)
{
    const struct az_sv word = AZ_SV("table ");
    const ptrdiff_t at = az_sv_find(text, word);
    const size_t from = at < 0 ? text.n : (size_t)at + word.n;
    struct az_sv rest = az_sv_make(text.p + from, text.n - from),
                 id = at < 0 ? rest : az_sv_cut(&rest, ' ');

    for (size_t i = 0; id.n && i < h->doc->tables.n; i++) {
        const struct az_table *t = h->doc->tables.v[i];
        if (!h->anchor[i].n || !az_sv_eq(t->id, id))
            continue;
        az_html_line(h, az_sv_make(text.p, from - word.n));
        az_html_put(h, AZ_SV("<a href=\"#"));
        az_html_text(h, h->anchor[i]);
        az_html_put(h, AZ_SV("\">"));
        az_html_line(h, t->title.n ? t->title : t->id);
        az_html_put(h, rest.n ? AZ_SV("</a> ") : AZ_SV("</a>"));
        az_html_line(h, rest);
        return;
    }
    az_html_line(h, text);
}

static void finding(struct az_html *h, const struct az_table *t, size_t row,
                    const struct finding_columns *f)
{
    const struct az_sv severity = text_at(t, row, f->severity), advice = text_at(t, row, f->advice);
    const char *class = severity_class(severity);

    az_html_putf(h, "<li class=\"%s\"", class ? class : "info");
    about_of(h, t, row, f);
    az_html_putf(h, "><span class=\"badge %s\">", class ? class : "info");
    az_html_line(h, severity);
    az_html_put(h, AZ_SV("</span> <strong>"));
    az_html_line(h, az_words_of(h->scratch, text_at(t, row, f->rule)));
    az_html_put(h, AZ_SV("</strong>"));
    subject_of(h, t, row, f);
    if (advice.n) {
        az_html_put(h, AZ_SV("<br><span class=\"advice\">"));
        advice_of(h, advice);
        az_html_put(h, AZ_SV("</span>"));
    }
    az_html_put(h, AZ_SV("<span class=\"finders\"></span>"));
    more_like(h, t, row, f);
    az_html_put(h, AZ_SV("</li>\n"));
}

/* Several findings of one problem and place are one line: "problem: evidence, in PLACE". */
static bool is_part(struct az_sv line, struct az_sv subject)
{
    const struct az_sv in = AZ_SV(", in ");
    const ptrdiff_t problem = az_sv_find(subject, AZ_SV(": ")), place = az_sv_find(subject, in);

    if (problem < 0 || !az_sv_starts(line, az_sv_make(subject.p, (size_t)problem + 1)))
        return false;
    return place < 0 ? az_sv_find(line, in) < 0
                     : az_sv_find(line, az_sv_make(subject.p + place + 2,
                                                   subject.n - (size_t)place - 2)) >= 0;
}

static bool is_line(const struct az_html *h, const struct az_table *t, size_t row,
                    const struct finding_columns *f)
{
    const struct az_table *lines = az_headline_of(h->doc);
    const struct az_sv rule = text_at(t, row, f->rule), subject = text_at(t, row, f->subject);

    for (size_t r = 0; lines && r < lines->rows; r++) {
        const struct az_line l = az_headline_line(lines, r);
        if (l.kind == AZ_LINE_FINDING && az_sv_eq(l.rule, rule) && subject.n &&
            (az_sv_find(l.text, subject) >= 0 || is_part(l.text, subject)))
            return true;
    }
    return false;
}

/* Marks the rows that the verdict has. False: no memory. */
static bool mark_shown(struct az_html *h, const struct az_table *t, struct finding_columns *f)
{
    f->shown = az_arena_array(h->scratch, t->rows + 1, sizeof *f->shown);
    for (size_t r = 0; f->shown && r < t->rows && r < ROWS_COMPARED; r++) {
        f->shown[r] = is_line(h, t, r, f);
        f->n_shown += f->shown[r];
    }
    return f->shown != NULL;
}

bool az_html_findings(struct az_html *h)
{
    struct finding_columns f;
    size_t index = 0;

    while (index < h->doc->tables.n && !az_sv_is(h->doc->tables.v[index]->id, "findings"))
        index++;
    const struct az_table *t = index < h->doc->tables.n ? h->doc->tables.v[index] : NULL;
    if (!t || !h->anchor[index].n || !find_columns(t, &f) || !mark_shown(h, t, &f))
        return false;
    az_html_putf(h, "<section id=\"top-findings\">\n<h2>%s</h2>\n",
                 f.n_shown ? "Other findings" : "Findings");
    if (t->rows == f.n_shown)
        az_html_putf(h, "<p class=\"note\">No %sfindings.</p>\n", f.n_shown ? "other " : "");
    else
        az_html_put(h, AZ_SV("<ul class=\"findings\">\n"));
    size_t shown = 0, kinds = 0;
    for (size_t r = 0; r < t->rows && r < ROWS_COMPARED; r++) {
        if (f.shown[r] || repeated(t, r, &f))
            continue;
        if (kinds++ < FINDINGS_MAX) {
            finding(h, t, r, &f);
            shown++;
        }
    }
    if (t->rows > f.n_shown)
        az_html_put(h, AZ_SV("</ul>\n"));
    if (kinds > shown || t->rows > ROWS_COMPARED) { /* of so many the kinds are not counted */
        az_html_put(h, AZ_SV("<p class=\"note\"><a href=\"#"));
        az_html_text(h, h->anchor[index]);
        if (t->rows > ROWS_COMPARED)
            az_html_putf(h, "\">all %zu</a></p>\n", t->rows);
        else
            az_html_putf(h, "\">%zu more</a></p>\n", kinds - shown);
    }
    az_html_put(h, AZ_SV("</section>\n"));
    return true;
}
