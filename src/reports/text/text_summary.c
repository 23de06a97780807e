/* Text summary: what a person sees of a report. The verdict, then one screen of tables; all tables
 * on request. */
#include <stdio.h>

#include "base/utf8.h"
#include "document/rows.h"
#include "document/verdict_table.h"
#include "reports/shared/fields.h"
#include "reports/text/text.h"
#include "text/names.h"

enum { LABEL = 8, ROW = 48, FINDINGS = 5, FINDINGS_LEFT = 1 };

void az_textout_colored(struct az_textout *o, const char *code, struct az_sv s)
{
    const bool on = o->color && code;

    if (on) {
        az_textout_put(o, AZ_SV("\033["));
        az_textout_put(o, az_sv_str(code));
        az_textout_put(o, AZ_SV("m"));
    }
    az_textout_put(o, s);
    if (on)
        az_textout_put(o, AZ_SV("\033[0m"));
}

void az_textout_wrapped(struct az_textout *o, struct az_sv s, size_t used, size_t indent)
{
    do {
        const size_t room = o->columns > used + LABEL ? o->columns - used : LABEL;
        const size_t end = az_utf8_break(s, room);
        az_textout_put(o, az_utf8_fit(o->scratch, az_sv_make(s.p, end), room, true));
        az_textout_put(o, AZ_SV("\n"));
        s = az_sv_trim(az_sv_make(s.p + end, s.n - end));
        used = indent;
        az_textout_pad(o, s.n ? indent : 0);
    } while (s.n);
}

/* ---- the verdict ---- */
static const char *severity_color(struct az_sv severity)
{
    return az_sv_is(severity, "error")     ? AZ_TEXT_RED
           : az_sv_is(severity, "warning") ? AZ_TEXT_YELLOW
                                           : NULL;
}

/* at: column of the texts. */
static void verdict_line(struct az_textout *o, const struct az_line *l, size_t at)
{
    struct az_sv label = az_field_line(o->scratch, l->label),
                 text = az_field_line(o->scratch, l->text);
    size_t w = az_utf8_width(label);

    if (l->evidence.n) { /* its row is not named twice */
        struct az_sv row = az_name_short(o->scratch, az_field_line(o->scratch, l->row), false);
        row = az_sv_find(text, row) >= 0 ? AZ_SV("") : az_utf8_fit(o->scratch, row, ROW, true);
        text = az_arena_printf(o->scratch, "%.*s (%.*s%s%.*s)", AZ_SVF(text), AZ_SVF(l->evidence),
                               row.n ? ": " : "", AZ_SVF(row));
    }
    if (l->kind == AZ_LINE_WHAT && !w) {
        az_textout_wrapped(o, text, 0, at);
        return;
    }
    az_textout_colored(o, severity_color(l->severity), label);
    az_textout_pad(o, w + 1 < at ? at - w : 1);
    az_textout_wrapped(o, text, w + 1 < at ? at : w + 1, at);
}

/* savings: the labels of findings are shares of time that fixing them would save. */
static void verdict(struct az_textout *o, const struct az_table *t, bool savings)
{
    size_t longest = LABEL;
    for (size_t r = 0; r < t->rows; r++) {
        const size_t w = az_utf8_width(az_headline_line(t, r).label);
        longest = w > longest && w <= 2 * LABEL ? w : longest;
    }
    for (size_t r = 0; r < t->rows; r++) {
        struct az_line l = az_headline_line(t, r);
        const struct az_line before = az_headline_line(t, r ? r - 1 : 0);
        if (r && az_headline_repeats(&before, &l))
            l.evidence = AZ_SV("");
        if (savings && l.kind == AZ_LINE_FINDING) {
            if (before.kind != AZ_LINE_FINDING)
                az_textout_line(o, AZ_SV("Est. saving"));
            l.label = az_arena_printf(o->scratch, "%6.*s", AZ_SVF(l.label));
        }
        verdict_line(o, &l, longest + 2);
    }
}

/* ---- whole ---- */
static void heading(struct az_textout *o, const struct az_document *doc, bool with_input)
{
    struct az_sv input = az_field_line(o->scratch, doc->input),
                 format = az_field_line(o->scratch, doc->format);

    if (!doc->no_heading) {
        struct az_sv title = az_field_line(o->scratch, doc->title.n ? doc->title : doc->input);
        title = az_utf8_fit(o->scratch, title, o->columns - 12, true);
        az_textout_colored(o, AZ_TEXT_BOLD,
                           az_arena_printf(o->scratch, "===== %.*s =====", AZ_SVF(title)));
        az_textout_put(o, AZ_SV("\n"));
    }
    if (!with_input || !input.n)
        return;
    input = az_arena_printf(o->scratch, "input: %.*s%s%.*s%s", AZ_SVF(input), format.n ? " (" : "",
                            AZ_SVF(format), format.n ? ")" : "");
    az_textout_put(o, az_utf8_fit(o->scratch, input, o->columns, true));
    az_textout_put(o, AZ_SV("\n"));
}

/* The main tables; all: every one with rows but the verdict, which is printed already. */
static bool is_shown(const struct az_document *doc, const struct az_table *t, bool with_classic,
                     bool all)
{
    if (!with_classic && (t->flags & AZ_TABLE_CLASSIC))
        return false;
    return (t->flags & AZ_TABLE_SUMMARY) || (all && t->rows && t != az_headline_of(doc));
}

static size_t count_shown(const struct az_document *doc, bool with_classic, bool all)
{
    size_t n = 0;

    for (size_t i = 0; i < doc->tables.n; i++)
        n += is_shown(doc, doc->tables.v[i], with_classic, all);
    return n;
}

/* Tables that are not printed, and the option that prints them. */
static void put_omitted(struct az_textout *o, size_t more, const char *option)
{
    if (!more)
        return;
    az_textout_put(o, AZ_SV("\n"));
    az_textout_colored(
        o, AZ_TEXT_DIM,
        az_arena_printf(o->scratch, "%zu more table%s: %s", more, more == 1 ? "" : "s", option));
    az_textout_put(o, AZ_SV("\n"));
}

static bool first_screen(struct az_textout *o, const struct az_document *doc)
{
    struct az_screen_part part[AZ_SCREEN_PARTS];
    const size_t n = az_screen_choose(doc, part);
    size_t seen = n;

    for (size_t i = 0; i < n && !o->error; i++) {
        size_t rows =
            doc->text_rows && doc->text_rows < part[i].rows ? doc->text_rows : part[i].rows;
        az_text_table(o, part[i].table, rows, &part[i]);
    }
    for (size_t i = 0; n && i < doc->tables.n && !o->error; i++)
        seen +=
            az_text_findings(o, doc->tables.v[i], az_headline_of(doc) ? FINDINGS_LEFT : FINDINGS,
                             az_headline_of(doc));
    const size_t all = n ? count_shown(doc, true, false) : 0;
    put_omitted(o, all > seen ? all - seen : 0, "-v");
    return n > 0;
}

/* Any number but 0? */
static bool has_metadata(const struct az_table *t)
{
    for (size_t i = 0; i < t->cells.n; i++) {
        const double x = az_cell_number(&t->cells.v[i]);
        if (x < 0 || x > 0)
            return true;
    }
    return false;
}

/* Of an input without work, the tables with content. */
static void all_tables(struct az_textout *o, const struct az_document *doc, bool with_classic)
{
    const bool some = !doc->text_full && az_document_has(doc, AZ_SV("facts"));
    const size_t rows = doc->text_rows ? doc->text_rows : SIZE_MAX;

    for (size_t i = 0; i < doc->tables.n && !o->error; i++) {
        struct az_table *t = doc->tables.v[i];
        const size_t most = t->flags & AZ_TABLE_SHORT ? SIZE_MAX : rows;
        if (!is_shown(doc, t, with_classic, doc->text_all) || (some && !has_metadata(t)))
            continue;
        o->error = az_table_store_rows(t, most); /* rows that are made when they are read */
        if (o->error)
            return;
        if (t->form)
            az_text_form(o, t);
        else if (!az_text_findings(o, t, rows, NULL))
            az_text_table(o, t, most, NULL);
    }
    if (doc->text_full && !doc->text_all)
        put_omitted(o, count_shown(doc, with_classic, true) - count_shown(doc, with_classic, false),
                    "-vv");
}

void az_text_headline(struct az_textout *o, const struct az_document *doc)
{
    const struct az_table *headline = az_headline_of(doc);
    if (headline)
        verdict(o, headline, doc->claims != NULL);
}

void az_text_summary(struct az_textout *o, const struct az_document *doc, bool with_classic)
{
    const struct az_table *headline = az_headline_of(doc);

    if (with_classic) { /* those of a classic block are printed already, as is its verdict */
        for (size_t i = 0; i < doc->preface.n; i++)
            az_textout_line(o, doc->preface.v[i]);
        heading(o, doc, !headline || doc->text_full);
        az_text_headline(o, doc);
    }
    if (doc->text_full || !first_screen(o, doc))
        all_tables(o, doc, with_classic);
    az_textout_put(o, AZ_SV("\n"));
}
