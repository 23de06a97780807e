/* The trend of a metric as a document: its nights, its newest change, a verdict on top. */
#include <math.h>
#include <stdio.h>

#include "document/name_words.h"
#include "document/record.h"
#include "document/units.h"
#include "document/verdict_table.h"
#include "regression/history.h"
#include "regression/history_db.h"
#include "regression/key_figures.h"
#include "regression/trend_metrics.h"
#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

#define RECOVERED_MOST 2

/* "2026-02-03T02:00:00Z" -> "2026-02-03" */
static struct az_sv day_of(struct az_sv time)
{
    return az_sv_make(time.p, time.n < 10 ? time.n : 10);
}

static void add_mark(struct az_trend_night *n, const char *mark, struct az_arena *a)
{
    n->mark = n->mark.n ? az_arena_printf(a, "%.*s %s", AZ_SVF(n->mark), mark) : az_sv_str(mark);
}

/* "100.5 -> 150.5 ns" */
static struct az_sv pair_text(double before, double after, struct az_sv unit, struct az_arena *a)
{
    const double ns = az_gate_seconds(unit) * 1e9, least = ns * fmin(before, after),
                 most = ns * fmax(before, after);

    return least >= 1000 && most < 9e18
               ? az_words_pair(a, llround(ns * before), llround(ns * after), "->")
               : az_arena_printf(a, "%.4g -> %.4g%s%.*s", before, after, unit.n ? " " : "",
                                 AZ_SVF(unit));
}

/* A metric in the verdict of a trend. */
struct trend_line {
    struct az_sv title, input, unit;
    struct az_trend_nights nights;
    struct {
        bool known, gradual, goes_on;
        size_t first, last; /* nights of it; of a step the first */
        size_t left;        /* night before it */
        size_t runs;        /* with a value, from the first to the last */
        double from, to;
    } change;
    struct az_sv step;   /* the change in words; empty: there is no step and no slope */
    double part;         /* of the earlier level */
    double margin;       /* change of five runs that would be found, as part of the level */
    bool worse, differs; /* differs: the last runs, without a step or slope */
    size_t runs;
    struct az_sv first, last; /* days of its runs */
    size_t recovered;         /* regressions that ended */
    double recovered_part;    /* the largest of them */
    struct az_sv recovered_text;
};

/* Without a step or slope: does the level of the last nights differ by more than five nights would
 * show? */
static void compare_ends(const struct az_baseline *o, struct trend_line *out)
{
    const double change = o->newest_level - o->earlier_level, scale = fabs(o->earlier_level);

    if (isnan(o->least_run) || !(scale > 0))
        return;
    out->margin = o->least_run / scale;
    out->differs = fabs(change) > o->least_run;
    out->part = change / scale;
}

/* The newest change of level as in the gate; nothing where there was none. */
static int find_change(int worse, const struct az_baseline_others *others, struct az_arena *a,
                       struct trend_line *out)
{
    const struct az_trend_nights *n = &out->nights;
    double *v = az_arena_array(a, n->n, sizeof *v);
    bool *accepted = az_arena_array(a, n->n, sizeof *accepted);
    size_t *index = az_arena_array(a, n->n, sizeof *index), k = 0;
    struct az_baseline o;

    if (n->n == 0)
        return AZ_OK;
    if (a->failed)
        return az_arena_error(a);
    for (size_t i = 0; i < n->n; i++) {
        if (isnan(n->v[i].value))
            continue;
        index[k] = i;
        accepted[k] = n->v[i].accepted;
        v[k++] = n->v[i].value;
    }
    if (k < 2)
        return AZ_OK;
    const int rc = az_baseline_judge(&(struct az_baseline_in){ .v = v,
                                                               .n = k,
                                                               .accepted = accepted,
                                                               .worse = worse,
                                                               .others = *others,
                                                               .gradual = true,
                                                               .seed = 1 },
                                     &o);
    az_baseline_release(&o);
    if (rc)
        return rc;
    if (o.changed == 0 || o.changed >= k) {
        compare_ends(&o, out);
        return AZ_OK;
    }
    out->change.known = true;
    out->change.gradual = o.gradual;
    out->change.goes_on = o.gradual && o.changed_end == k - 1;
    out->change.first = index[o.changed];
    out->change.left = index[o.changed - 1];
    out->change.last = index[o.gradual ? o.changed_end : o.changed];
    out->change.runs = o.gradual ? o.changed_end - o.changed + 1 : 1;
    out->change.from = o.changed_from;
    out->change.to = o.changed_to;
    out->part = (o.changed_to - o.changed_from) / fabs(o.changed_from);
    out->worse = out->part * worse > 0;
    return AZ_OK;
}

/* A gradual change of several metrics that goes on is one, from the earliest beginning on. */
static void align_starts(struct trend_line *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct trend_line *l = &line[i];
        const struct trend_line *first = l;
        for (size_t k = 0; k < n && l->change.goes_on; k++)
            if (line[k].change.goes_on && az_sv_eq(line[k].input, l->input) &&
                line[k].part * l->part > 0 && line[k].change.runs > first->change.runs &&
                az_trend_is_one_change(line[k].change.runs, l->change.runs))
                first = &line[k];
        const int64_t run = first == l ? 0 : first->nights.v[first->change.first].run;
        for (size_t k = 0; run && k < l->change.first; k++)
            if (l->nights.v[k].run == run) {
                l->change.first = k;
                l->change.runs = first->change.runs;
            }
    }
}

static struct az_sv step_text(struct trend_line *l, struct az_arena *a)
{
    struct az_trend_night *s = &l->nights.v[l->change.first], *last = &l->nights.v[l->change.left];
    const double before = l->change.from, after = l->change.to;

    add_mark(s, "step", a);
    struct az_sv commits =
        s->commit.n || last->commit.n
            ? az_arena_printf(a, ", commits %.*s..%.*s", AZ_SVF(last->commit), AZ_SVF(s->commit))
            : AZ_SV("");
    const double percent = 100 * (after - before) / fabs(before);
    const bool whole = fabs(percent) >= 1000 && fabs(percent) < 1e9;
    const char *form = !isfinite(percent) ? "" : whole ? " (%+.0f%%)" : " (%+.3g%%)";
    char change[64];
    snprintf(change, sizeof change, form, percent);
    return az_arena_printf(a, "step at run %lld (%.*s): %.*s%s%.*s", (long long)s->run,
                           AZ_SVF(day_of(s->created)), AZ_SVF(pair_text(before, after, l->unit, a)),
                           change, AZ_SVF(commits));
}

/* "rose gradually by 4.5% since run 20 (2026-01-20): 10 -> 10.5 s, +0.4% per run" */
static struct az_sv gradual_text(struct trend_line *l, struct az_arena *a)
{
    struct az_trend_night *first = &l->nights.v[l->change.first],
                          *last = &l->nights.v[l->change.last];
    const bool goes_on = l->change.goes_on;
    const double before = l->change.from, after = l->change.to,
                 part = (after - before) / fabs(before), runs = (double)l->change.runs;
    const struct az_sv to = goes_on
                                ? AZ_SV("")
                                : az_arena_printf(a, " to run %lld (%.*s)", (long long)last->run,
                                                  AZ_SVF(day_of(last->created)));

    add_mark(first, "drift", a);
    return az_arena_printf(
        a, "%s gradually%s %s run %lld (%.*s)%.*s: %.*s (fit)%s", after > before ? "rose" : "fell",
        isfinite(part) ? az_arena_printf(a, " by %.3g%%", 100 * fabs(part)).p : "",
        goes_on ? "since" : "from", (long long)first->run, AZ_SVF(day_of(first->created)),
        AZ_SVF(to), AZ_SVF(pair_text(before, after, l->unit, a)),
        isfinite(part) ? az_arena_printf(a, ", %+.2g%% per run", 100 * part / runs).p : "");
}

static struct az_sv night_label(const struct az_trend_night *n, struct az_arena *a)
{
    const struct az_sv day = day_of(n->created);
    return az_arena_printf(a, "%lld%s%.*s", (long long)n->run, day.n ? " " : "", AZ_SVF(day));
}

#define ROW struct az_trend_night
AZ_TEXT_OF_RECORD(run_cell, ROW, night_label(r, texts))
/* Values have the unit of the figure. */
static const struct az_record_column night_columns[] = {
    { "Run", AZ_TEXT, .flags = AZ_KEY, .text = run_cell },
    { "Good", AZ_BOOL, AZ_FIELD(ROW, good) },
    { "Value", AZ_REAL, AZ_FIELD(ROW, value) },
    { "Level", AZ_REAL, AZ_FIELD(ROW, level) },
    { "Low", AZ_REAL, AZ_FIELD(ROW, low) },
    { "High", AZ_REAL, AZ_FIELD(ROW, high) },
    { "Mark", AZ_TEXT, AZ_KNOWN(ROW, mark), .copy = true },
    { "Label", AZ_TEXT, AZ_KNOWN(ROW, label), .copy = true },
    { "Commit", AZ_TEXT, AZ_KNOWN(ROW, commit), .copy = true },
};

static void put_nights(const struct az_trend_nights *n, enum az_unit unit, struct az_table *t)
{
    AZ_RECORD_COLUMNS(t, night_columns);
    for (size_t i = 0; i < t->columns.n; i++)
        if (t->columns.v[i].type == AZ_REAL)
            t->columns.v[i].unit = unit;
    for (size_t i = 0; i < n->n; i++)
        az_put_row(t, &n->v[i]);
}

static int add_chart(struct az_document *doc, const struct az_table *t, struct az_sv unit)
{
    struct az_chart c = { .kind = AZ_CHART_TREND,
                          .table = t->id,
                          .title = t->title,
                          .x_title = AZ_SV("Run"),
                          .y_title = unit,
                          .x = AZ_SV("Run") };
    static const char *const y[] = { "Value", "Level", "Low", "High", "Mark" };
    int rc = 0;
    az_vec_init(&c.y, doc->mem);
    for (size_t i = 0; !rc && i < 5; i++)
        rc = az_vec_push(&c.y, az_sv_str(y[i]));
    if (rc)
        az_vec_release(&c.y);
    return rc ? rc : az_document_chart(doc, c);
}

/* "input: total" of key metrics, whose table and column add nothing; else the metric with its
 * unit. */
static struct az_sv title_of(const struct az_trend_metric *f, struct az_arena *a)
{
    const struct az_sv unit = az_arena_printf(a, "(%.*s)", AZ_SVF(f->unit)), between = AZ_SV(" / ");
    const ptrdiff_t at = az_sv_find(f->text, AZ_SV(" / key_"));

    if (at > 0) {
        struct az_sv rest =
            az_sv_make(f->text.p + at + between.n, f->text.n - (size_t)at - between.n);
        const ptrdiff_t key = az_sv_find(rest, between);
        rest =
            key < 0 ? rest : az_sv_make(rest.p + key + between.n, rest.n - (size_t)key - between.n);
        const ptrdiff_t column = az_sv_find(rest, between);
        rest.n = column < 0 ? rest.n : (size_t)column;
        return az_arena_printf(a, "%.*s: %.*s", (int)at, f->text.p, AZ_SVF(rest));
    }
    return f->unit.n && !az_sv_ends(f->text, unit)
               ? az_arena_printf(a, "%.*s %.*s", AZ_SVF(f->text), AZ_SVF(unit))
               : f->text;
}

/* "+8.1% in runs 16 to 22 (2026-01-17 to 2026-01-23)" */
static struct az_sv recovered_text(const struct az_trend_nights *n,
                                   const struct az_trend_recovered *r, struct az_arena *a)
{
    const struct az_trend_night *first = &n->v[r->first], *last = &n->v[r->last];
    const struct az_sv days = az_arena_printf(a, " (%.*s to %.*s)", AZ_SVF(day_of(first->created)),
                                              AZ_SVF(day_of(last->created)));

    return az_arena_printf(a, "%+.3g%% in runs %lld to %lld%.*s", 100 * r->part,
                           (long long)first->run, (long long)last->run,
                           AZ_SVF(first->created.n && last->created.n ? days : AZ_SV("")));
}

/* Marks as later nights show them, and the largest regression that ended. */
static int find_recovered(struct az_trend_nights *n, struct az_arena *a, struct trend_line *out)
{
    struct az_trend_recoveries r;

    az_vec_init(&r, a->mem);
    const int rc = az_trend_correct_marks(n, &r);
    for (size_t i = 0; i < r.n; i++) {
        if (i && !(fabs(r.v[i].part) > fabs(out->recovered_part)))
            continue;
        out->recovered_part = r.v[i].part;
        out->recovered_text = recovered_text(n, &r.v[i], a);
    }
    out->recovered = r.n;
    az_vec_release(&r);
    return rc;
}

static void note_runs(const struct az_trend_nights *n, struct trend_line *out)
{
    out->runs = n->n;
    if (!n->n)
        return;
    out->first = n->v[0].created;
    out->last = n->v[n->n - 1].created;
    out->first.n = out->first.n > 10 ? 10 : out->first.n;
    out->last.n = out->last.n > 10 ? 10 : out->last.n;
}

/* A metric with its nights, what recovered, and its newest change. */
static int read_line(struct az_history *h, const struct az_trend_metric *f,
                     const struct az_baseline_others *others, struct az_arena *a,
                     struct trend_line *line)
{
    *line = (struct trend_line){
        .title = title_of(f, a), .input = f->input, .unit = f->unit, .step = AZ_SV("")
    };
    az_vec_init(&line->nights, a->mem);
    int rc = az_trend_load(h, f, others, a, &line->nights);
    note_runs(&line->nights, line);
    if (!rc)
        rc = find_recovered(&line->nights, a, line);
    return rc ? rc : find_change(f->worse, others, a, line);
}

static int add_table(const struct az_trend_metric *f, size_t number, struct trend_line *line,
                     struct az_document *doc)
{
    struct az_arena *a = doc->arena;
    char id[32];

    snprintf(id, sizeof id, number ? "trend_%zu" : "trend", number + 1);
    if (line->change.known)
        line->step = line->change.gradual ? gradual_text(line, a) : step_text(line, a);
    az_trend_mark_outside(&line->nights);
    struct az_table *t = az_table_new(a, id, "", AZ_TABLE_SUMMARY | AZ_TABLE_WHOLE);
    if (!t)
        return az_arena_error(a);
    t->title = line->title;
    t->note = line->step;
    put_nights(&line->nights, az_unit_of_column(f->name, AZ_REAL), t);
    const int rc = az_document_add(doc, t);
    return rc || !line->nights.n ? rc : add_chart(doc, t, f->unit);
}

/* Of the metrics that changed and are not yet in the table, the one that changed most; n: none. */
static size_t next_changed(const struct trend_line *line, size_t n, const bool *put)
{
    size_t next = n;

    for (size_t i = 0; i < n; i++) {
        if (put[i] || !line[i].step.n)
            continue;
        if (next == n || (line[i].worse && !line[next].worse) ||
            (line[i].worse == line[next].worse && fabs(line[i].part) > fabs(line[next].part)))
            next = i;
    }
    return next;
}

/* Those that got worse first, the largest change first. */
static void put_changes(struct az_table *t, const struct trend_line *line, size_t n, bool *put)
{
    for (size_t i; (i = next_changed(line, n, put)) < n; put[i] = true)
        az_headline_put(t, &(struct az_line){
                               .kind = AZ_LINE_FINDING,
                               .label = az_arena_printf(t->arena, "%+.3g%%", 100 * line[i].part),
                               .text = az_arena_printf(t->arena, "%.*s: %.*s",
                                                       AZ_SVF(line[i].title), AZ_SVF(line[i].step)),
                               .severity = line[i].worse ? AZ_SV("warning") : AZ_SV("info"),
                               .ns = -1,
                               .percent = NAN });
}

static void put_note(struct az_table *t, struct az_sv text)
{
    az_headline_put(
        t, &(struct az_line){ .kind = AZ_LINE_NOTE, .text = text, .ns = -1, .percent = NAN });
}

/* Metrics without a step or slope: those whose last runs are as the earlier ones, and the others.
 */
static void put_unchanged(struct az_table *t, const struct trend_line *line, size_t n)
{
    struct az_arena *a = t->arena;
    struct az_sv steady = AZ_SV(""), differ = AZ_SV("");

    for (size_t i = 0; i < n; i++) {
        if (line[i].step.n)
            continue;
        struct az_sv *list = line[i].differs ? &differ : &steady;
        const struct az_sv within =
            line[i].margin > 0 ? az_arena_printf(a, " (within %.2g%%)", 100 * line[i].margin)
                               : AZ_SV("");
        const struct az_sv change = az_arena_printf(a, " (%+.2g%%)", 100 * line[i].part);
        *list = az_arena_printf(a, "%.*s%s%.*s%.*s", AZ_SVF(*list), list->n ? ", " : "",
                                AZ_SVF(line[i].title), AZ_SVF(line[i].differs ? change : within));
    }
    if (steady.n)
        put_note(t, az_arena_printf(a, "level unchanged: %.*s", AZ_SVF(steady)));
    if (differ.n)
        put_note(t, az_arena_printf(a, "last runs differ, neither step nor drift is certain: %.*s",
                                    AZ_SVF(differ)));
}

/* The metric with the largest regression that ended and is not yet named; n: none. */
static size_t next_recovered(const struct trend_line *line, size_t n, const bool *named)
{
    size_t next = n;

    for (size_t i = 0; i < n; i++)
        if (line[i].recovered && !named[i] &&
            (next == n || fabs(line[i].recovered_part) > fabs(line[next].recovered_part)))
            next = i;
    return next;
}

/* Regressions that ended: the largest of two metrics, and how many more. */
static void put_recovered(struct az_table *t, const struct trend_line *line, size_t n, bool *named)
{
    struct az_arena *a = t->arena;
    struct az_sv list = AZ_SV("");
    size_t more = 0;

    memset(named, 0, n * sizeof *named);
    for (size_t i = 0; i < n; i++)
        more += line[i].recovered;
    for (size_t i, k = 0; k < RECOVERED_MOST && (i = next_recovered(line, n, named)) < n; k++) {
        named[i] = true;
        more--;
        list = az_arena_printf(a, "%.*s%s%.*s %.*s", AZ_SVF(list), k ? ", " : "",
                               AZ_SVF(line[i].title), AZ_SVF(line[i].recovered_text));
    }
    if (more)
        list = az_arena_printf(a, "%.*s, %zu more", AZ_SVF(list), more);
    if (list.n)
        put_note(t, az_arena_printf(a, "recovered: %.*s", AZ_SVF(list)));
}

/* How many metrics changed, which, and which did not. */
static int add_verdict(struct az_document *doc, const struct trend_line *line, size_t n)
{
    struct az_arena *a = doc->arena;
    struct az_table *t = az_headline_table(a);
    bool *put = az_arena_array(a, n, sizeof *put);
    size_t worse = 0, longest = 0;

    if (!t || !put) {
        az_table_free(t);
        return az_arena_error(a);
    }
    for (size_t i = 0; i < n; i++) {
        worse += line[i].worse;
        longest = line[i].runs > line[longest].runs ? i : longest;
    }
    const struct trend_line *l = &line[longest];
    const struct az_sv how_many = worse
                                      ? az_arena_printf(a, "%zu of %zu metrics got worse", worse, n)
                                      : AZ_SV("no metric got worse");
    az_headline_put(
        t, &(struct az_line){
               .kind = AZ_LINE_WHAT,
               .text = az_arena_printf(a, "%.*s; %zu run%s%s%.*s%s%.*s", AZ_SVF(how_many), l->runs,
                                       l->runs == 1 ? "" : "s", l->first.n ? " from " : "",
                                       AZ_SVF(l->first), l->last.n ? " to " : "", AZ_SVF(l->last)),
               .ns = -1,
               .percent = NAN });
    put_changes(t, line, n, put);
    put_recovered(t, line, n, put);
    put_unchanged(t, line, n);
    return az_headline_add(doc, t);
}

int az_history_trend_document(struct az_history *h, struct az_sv key, size_t most,
                              struct az_document *doc)
{
    struct az_trend_metrics found;
    struct az_baseline_others others;
    struct trend_line *lines;
    size_t read = 0;
    int rc;

    az_vec_init(&found, doc->mem);
    rc = az_trend_find_metrics(h, key, doc->arena, &found);
    if (!rc && found.n == 0)
        rc = az_diag_fail(h->diag, AZ_EUSAGE, AZ_AT_FILE(h->path),
                          "no metric matches '%.*s'; use a part of \"input / table / key / "
                          "column\", with * and ? (see `analyzer history show ID`)",
                          AZ_SVF(key));
    const size_t n = found.n < most ? found.n : most;
    lines = az_arena_array(doc->arena, n + 1, sizeof *lines);
    if (!rc && !lines)
        rc = az_arena_error(doc->arena);
    if (!rc)
        rc = az_trend_pool(h, doc->arena, &others);
    for (; !rc && read < n; read++)
        rc = read_line(h, &found.v[read], &others, doc->arena, &lines[read]);
    align_starts(lines, rc ? 0 : n);
    for (size_t i = 0; !rc && i < n; i++)
        rc = add_table(&found.v[i], i, &lines[i], doc);
    if (!rc && n)
        rc = add_verdict(doc, lines, n);
    if (!rc && found.n > most)
        az_diag_add(
            h->diag, AZ_WARNING, AZ_AT_FILE(h->path),
            "'%.*s' matches %zu metrics, showing the first %zu; use a longer name, or --most N",
            AZ_SVF(key), found.n, most);
    doc->title = az_sv_starts(key, AZ_SV("key_*"))
                     ? AZ_SV("Trend of the key metrics")
                     : az_arena_printf(doc->arena, "Trend of %.*s", AZ_SVF(key));
    doc->text_rows = 0;
    for (size_t i = 0; i < read; i++)
        az_vec_release(&lines[i].nights);
    az_vec_release(&found);
    return rc;
}
