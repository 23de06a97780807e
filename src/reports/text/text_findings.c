/* Findings as sentences: those with the same advice together, with their sums. */
#include <stdio.h>

#include "base/human.h"
#include "base/utf8.h"
#include "document/verdict_table.h"
#include "reports/shared/fields.h"
#include "reports/shared/words.h"
#include "reports/text/text.h"
#include "text/names.h"

enum { SEVERITY = 9, SUBJECTS = 3, RULE_WIDTH = 60, SUBJECT_WIDTH = 140 };

/* A table with the columns "severity" and "rule" (any case) is a list of findings; others of its
 * columns may be missing. */
struct finding_columns {
    ptrdiff_t rule, severity, subject, count, time, share, advice;
};

static bool find_columns(const struct az_table *t, struct finding_columns *f)
{
    *f = (struct finding_columns){ az_table_find_nocase(t, "rule"),
                                   az_table_find_nocase(t, "severity"),
                                   az_table_find_nocase(t, "subject"),
                                   az_table_find_nocase(t, "count"),
                                   -1,
                                   -1,
                                   az_table_find_nocase(t, "advice") };
    for (size_t c = t->columns.n; c-- > 0;) {
        if (f->time < 0 && az_unit_same_dimension(t->columns.v[c].unit, AZ_UNIT_NS))
            f->time = (ptrdiff_t)c;
        if (t->columns.v[c].unit == AZ_UNIT_PERCENT)
            f->share = (ptrdiff_t)c;
    }
    return f->rule >= 0 && f->severity >= 0;
}

static struct az_sv text_at(struct az_textout *o, const struct az_table *t, size_t row,
                            ptrdiff_t col)
{
    return col < 0 ? AZ_SV("")
                   : az_field_line(o->scratch, az_cell_text(az_table_at(t, row, (size_t)col)));
}

static double number_at(const struct az_table *t, size_t row, ptrdiff_t col)
{
    return col < 0 ? -1 : az_cell_number(az_table_at(t, row, (size_t)col));
}

/* " (12 times, 3.200 ms, 4.1 %)"; nothing where all are missing or negative. */
static struct az_sv amounts(struct az_textout *o, const struct az_table *t, size_t row,
                            const struct finding_columns *f)
{
    const double count = number_at(t, row, f->count), time = number_at(t, row, f->time),
                 share = number_at(t, row, f->share);
    char human[AZ_HUMAN_MAX], line[3 * AZ_HUMAN_MAX + 400] = "";
    size_t n = 0;

    if (count > 0)
        n += (size_t)snprintf(line, sizeof line, "count %.0f", count);
    if (time >= 0) {
        const double unit = az_unit_base(t->columns.v[f->time].unit) / az_unit_base(AZ_UNIT_NS);
        az_human_time(time * unit < 9e18 ? (int64_t)(time * unit) : INT64_MAX, human);
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%s", n ? ", " : "", human);
    }
    if (share >= 0)
        n += (size_t)snprintf(line + n, sizeof line - n, "%s%.1f%%", n ? ", " : "", share);
    return n ? az_arena_printf(o->scratch, " (%s)", line) : AZ_SV("");
}

static bool same_finding(struct az_textout *o, const struct az_table *t, size_t a, size_t b,
                         const struct finding_columns *f)
{
    return az_sv_eq(text_at(o, t, a, f->rule), text_at(o, t, b, f->rule)) &&
           az_sv_eq(text_at(o, t, a, f->severity), text_at(o, t, b, f->severity)) &&
           az_sv_eq(text_at(o, t, a, f->advice), text_at(o, t, b, f->advice));
}

/* The finding of a row and those like it that follow, as one. */
static void finding(struct az_textout *o, const struct az_table *t, size_t row,
                    const struct finding_columns *f, size_t most)
{
    const struct az_sv severity = text_at(o, t, row, f->severity),
                       advice = text_at(o, t, row, f->advice);
    const char *code = az_sv_is(severity, "error")     ? AZ_TEXT_RED
                       : az_sv_is(severity, "warning") ? AZ_TEXT_YELLOW
                                                       : NULL;
    const size_t w = az_utf8_width(severity), used = 2 + (w < SEVERITY ? SEVERITY : w + 1);
    const struct az_sv rule = az_words_of(o->scratch, text_at(o, t, row, f->rule));
    struct az_sv line = az_utf8_fit(o->scratch, rule, RULE_WIDTH, false);
    size_t n = 0;

    for (size_t r = row; r < t->rows; r++) {
        struct az_sv subject;
        if (!same_finding(o, t, row, r, f) || ++n > most)
            continue;
        subject = az_words_of_subject(rule, text_at(o, t, r, f->subject));
        subject =
            az_utf8_fit(o->scratch, az_name_short(o->scratch, subject, false), SUBJECT_WIDTH, true);
        line = az_arena_printf(o->scratch, "%.*s%s%.*s%.*s", AZ_SVF(line),
                               n > 1       ? "; "
                               : subject.n ? ": "
                                           : "",
                               AZ_SVF(subject), AZ_SVF(amounts(o, t, r, f)));
    }
    if (n > most)
        line = az_arena_printf(o->scratch, "%.*s; and %zu more like %s", AZ_SVF(line), n - most,
                               most > 1 ? "these" : "this");
    az_textout_pad(o, 2);
    az_textout_colored(o, code, severity);
    az_textout_pad(o, used - 2 - w);
    az_textout_wrapped(o, line, used, used);
    if (advice.n) {
        az_textout_pad(o, 2 + SEVERITY);
        az_textout_wrapped(o, advice, 2 + SEVERITY, 2 + SEVERITY);
    }
}

static bool has_line(const struct az_table *verdict, struct az_sv rule)
{
    for (size_t r = 0; verdict && r < verdict->rows; r++)
        if (rule.n && az_sv_eq(az_headline_line(verdict, r).rule, rule))
            return true;
    return false;
}

/* Was a finding like this one before it? */
static bool repeated(struct az_textout *o, const struct az_table *t, size_t row,
                     const struct finding_columns *f)
{
    for (size_t r = 0; r < row; r++)
        if (same_finding(o, t, r, row, f))
            return true;
    return false;
}

/* Under 1 % of the whole, and nothing is wrong: not for the first screen. */
static bool is_small(struct az_textout *o, const struct az_table *t, size_t row,
                     const struct finding_columns *f)
{
    const double share = number_at(t, row, f->share);

    return share >= 0 && share < 1 && az_sv_is(text_at(o, t, row, f->severity), "info");
}

bool az_text_findings(struct az_textout *o, const struct az_table *t, size_t most,
                      const struct az_table *verdict)
{
    struct finding_columns f;
    size_t n = 0, hidden = 0;

    if (!(t->flags & AZ_TABLE_SUMMARY) || !find_columns(t, &f))
        return false;
    for (size_t r = 0; r < t->rows; r++) {
        if (has_line(verdict, text_at(o, t, r, f.rule)) || repeated(o, t, r, &f))
            continue;
        if (n == most || (verdict && is_small(o, t, r, &f))) {
            hidden++;
            continue;
        }
        if (n++ == 0)
            az_text_title(o, verdict ? AZ_SV("Other findings") : az_text_title_of(t), t->id);
        finding(o, t, r, &f, verdict ? 1 : SUBJECTS);
    }
    if (!n && !verdict) {
        az_text_title(o, az_text_title_of(t), t->id);
        az_textout_put(o, AZ_SV("  (none)\n"));
    }
    az_text_more(o, n || !verdict ? hidden : 0);
    return true;
}
