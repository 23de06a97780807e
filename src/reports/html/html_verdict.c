/* The verdict at the head of the page: what ran, the account of time as a bar with its values, the
 * findings with what proves them, and what to trust. Words and values are those of the table
 * `verdict`. */
#include "reports/html/html.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "document/verdict_table.h"
#include "reports/shared/glossary.h"
#include "reports/shared/palette.h"

#define PARTS   8
#define ROUNDED 0.35 /* percent that tenths of some parts may be off together */

struct part { /* "36.0 % computing" */
    double percent;
    struct az_sv text, rest; /* what follows it in the line */
};

/* Length of the number before a percent sign, with or without a space; -1: none. *text: where the
 * words after the sign begin. */
static ptrdiff_t percent_in(struct az_sv piece, size_t *text)
{
    const ptrdiff_t sign = az_sv_find(piece, AZ_SV("%"));
    if (sign <= 0 || (size_t)sign + 2 > piece.n)
        return -1;
    *text = (size_t)sign + 2;
    return piece.p[sign - 1] == ' ' ? sign - 1 : sign;
}

/* The parts of a line that begin with a percentage. Returns how many. */
static size_t parts_of(struct az_sv text, struct part part[PARTS])
{
    size_t n = 0, text_at = 0;
    while (text.n && n < PARTS) {
        size_t end = 0;
        while (end < text.n && text.p[end] != ',' && text.p[end] != ';')
            end++;
        const ptrdiff_t note = az_sv_find(az_sv_make(text.p, end), AZ_SV(" (")); /* of the whole */
        end = note > 0 ? (size_t)note : end;
        struct az_sv piece = az_sv_trim(az_sv_make(text.p, end));
        if (az_sv_starts(piece, AZ_SV("at least ")))
            piece = az_sv_make(piece.p + 9, piece.n - 9);
        const ptrdiff_t at = percent_in(piece, &text_at);
        text = end < text.n ? az_sv_make(text.p + end + 1, text.n - end - 1) : AZ_SV("");
        double v;
        if (at > 0 && az_parse_f64(az_sv_make(piece.p, (size_t)at), &v) == 0 && v >= 0 && v <= 100)
            part[n++] = (struct part){ v, az_sv_make(piece.p + text_at, piece.n - text_at), text };
    }
    return n;
}

/* What a part is, for its color: of the time, else a family. */
static const char *class_of(struct az_sv text)
{
    struct az_paint of;

    return az_sv_find(text, AZ_SV("idle")) >= 0     ? "idle"
           : az_sv_find(text, AZ_SV("comm")) >= 0   ? "comm"
           : az_sv_find(text, AZ_SV("cop")) >= 0    ? "copy"
           : az_sv_find(text, AZ_SV("comput")) >= 0 ? "work"
           : az_palette_find(text, &of)             ? of.variable
                                                    : "rest";
}

static void put_term(struct az_html *h, struct az_sv word, const struct az_term *t)
{
    az_html_putf(h, "<abbr title=\"%s\">", t->meaning);
    az_html_text(h, word);
    az_html_put(h, AZ_SV("</abbr>"));
}

/* A text whose first term of the glossary has its meaning as a tooltip. */
static void line_with_term(struct az_html *h, struct az_sv text)
{
    const struct az_sv line = az_field_line(h->scratch, text);
    size_t at = 0;
    const struct az_term *t = az_glossary_find(line, &at);
    const size_t n = t ? strlen(t->word) : 0;

    if (!t) {
        az_html_text(h, line);
        return;
    }
    az_html_text(h, az_sv_make(line.p, at));
    put_term(h, az_sv_make(line.p + at, n), t);
    az_html_text(h, az_sv_make(line.p + at + n, line.n - at - n));
}

/* The parts that come first and add up to the whole, but for their rounding, as one bar and as
 * values. Returns the rest of the line. */
static struct az_sv account(struct az_html *h, struct az_sv text)
{
    struct part part[PARTS];
    size_t n = parts_of(text, part), used = 0;
    double sum = 0;
    while (used < n && sum + part[used].percent < 100 + ROUNDED)
        sum += part[used++].percent;
    if (sum < 100 - ROUNDED)
        return text;
    az_html_put(h, AZ_SV("<svg class=\"account\" viewBox=\"0 0 1000 24\" "
                         "preserveAspectRatio=\"none\" aria-hidden=\"true\">"));
    double x = 0;
    for (size_t i = 0; i < used; i++) {
        az_html_putf(h, "<rect class=\"%s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"24\"/>",
                     class_of(part[i].text), x * 10, part[i].percent * 10);
        x += part[i].percent;
    }
    az_html_put(h, AZ_SV("</svg>\n<ul class=\"parts\">\n"));
    for (size_t i = 0; i < used; i++) {
        az_html_putf(h, "<li><span class=\"key %s\"></span> <strong>%.1f%%</strong> ",
                     class_of(part[i].text), part[i].percent);
        line_with_term(h, part[i].text);
        az_html_put(h, AZ_SV("</li>\n"));
    }
    az_html_put(h, AZ_SV("</ul>\n"));
    return az_sv_trim(part[used - 1].rest);
}

/* Is the label of a finding its estimated saving, and not a change? */
static bool is_saving(const struct az_line *l)
{
    return l->kind == AZ_LINE_FINDING && az_sv_ends(l->label, AZ_SV("%")) && l->label.p[0] != '+' &&
           l->label.p[0] != '-';
}

/* Above the first finding. */
static void heading_of_savings(struct az_html *h)
{
    const struct az_sv word = AZ_SV("Est. saving");
    const struct az_term *t = az_glossary_term(word);

    az_html_put(h, AZ_SV("<li class=\"savings\"><span class=\"label\">"));
    if (t)
        put_term(h, word, t);
    az_html_put(h, AZ_SV("</span></li>\n"));
}

static void label_of(struct az_html *h, const struct az_line *l)
{
    const struct az_term *t = az_glossary_term(l->label);

    if (t && l->label.n)
        put_term(h, l->label, t);
    else
        az_html_line(h, l->label);
}

static void evidence(struct az_html *h, const struct az_line *l)
{
    for (size_t i = 0; l->evidence.n && i < h->doc->tables.n; i++) {
        const struct az_table *t = h->doc->tables.v[i];
        if (!h->anchor[i].n || !az_sv_eq(t->id, l->evidence))
            continue;
        az_html_put(h, AZ_SV(" <a href=\"#"));
        az_html_text(h, h->anchor[i]);
        az_html_put(h, AZ_SV("\">"));
        az_html_line(h, t->title.n ? t->title : t->id);
        az_html_put(h, AZ_SV("</a>"));
        return;
    }
}

static void put_line(struct az_html *h, const struct az_line *l)
{
    const char *severity = az_sv_is(l->severity, "error")     ? " error"
                           : az_sv_is(l->severity, "warning") ? " warning"
                           : az_sv_is(l->severity, "info")    ? " info"
                                                              : "";
    az_html_putf(h, "<li class=\"%.*s%s\"", AZ_SVF(az_line_kind_text(l->kind)), severity);
    const struct az_about about = {
        .rule = l->rule, .row = l->row, .text = l->text, .evidence = l->evidence
    };
    az_html_subject(h, &about);
    az_html_put(h, AZ_SV("><span class=\"label\">"));
    label_of(h, l);
    az_html_put(h, AZ_SV("</span><span class=\"sentence\">"));
    line_with_term(h, l->text);
    evidence(h, l);
    az_html_put(h, AZ_SV("</span><span class=\"finders\"></span></li>\n"));
}

void az_html_verdict(struct az_html *h)
{
    const struct az_table *t = az_headline_of(h->doc);
    size_t from = 0;
    if (!t || t->rows == 0)
        return;
    az_html_put(h, AZ_SV("<section id=\"verdict\" class=\"verdict\">\n<h2>Verdict</h2>\n"));
    struct az_line l = az_headline_line(t, 0);
    if (l.kind == AZ_LINE_WHAT) {
        az_html_put(h, AZ_SV("<p class=\"what\">"));
        az_html_line(h, l.text);
        az_html_put(h, AZ_SV("</p>\n"));
        from = 1;
    }
    struct az_sv time = AZ_SV("");
    for (size_t r = from; r < t->rows; r++) {
        l = az_headline_line(t, r);
        if (l.kind == AZ_LINE_TIME)
            time = account(h, l.text);
    }
    az_html_put(h, AZ_SV("<ul class=\"lines\">\n"));
    bool among_savings = false;
    for (size_t r = from; r < t->rows; r++) {
        l = az_headline_line(t, r);
        if (l.kind == AZ_LINE_TIME)
            l.text = time;
        const struct az_line before = az_headline_line(t, r ? r - 1 : 0);
        if (r && az_headline_repeats(&before, &l))
            l.evidence = AZ_SV("");
        if (is_saving(&l) && !among_savings)
            heading_of_savings(h);
        among_savings |= is_saving(&l);
        if (l.text.n)
            put_line(h, &l);
    }
    az_html_put(h, AZ_SV("</ul>\n</section>\n"));
}
