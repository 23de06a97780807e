/* Verdict as JUnit XML: a suite per input, a case per rule; its worst metrics are in the message,
 * the metrics themselves in the verdict (JSON). */
#include <math.h>
#include <stdio.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "document/verdict_table.h"
#include "io/outfile.h"
#include "regression/history.h"
#include "reports/report.h"

#define CASES_MOST 200
#define LINES_MOST 10 /* of a case */

struct writer {
    struct az_outfile *f;
    const struct az_gate_verdict *v;
    struct az_arena *a;
};

/* Text of XML 1.0: markup escaped, control characters dropped but tab, LF and CR, bad UTF-8
 * replaced. In an attribute line breaks are references, or a reader turns them into blanks. */
static void put_escaped(struct writer *w, struct az_sv s)
{
    for (size_t i = 0; i < s.n;) {
        size_t from = i;
        uint32_t c = az_utf8_next(s, &i);
        if (c == '&')
            az_outfile_puts(w->f, AZ_SV("&amp;"));
        else if (c == '<')
            az_outfile_puts(w->f, AZ_SV("&lt;"));
        else if (c == '>')
            az_outfile_puts(w->f, AZ_SV("&gt;"));
        else if (c == '"')
            az_outfile_puts(w->f, AZ_SV("&quot;"));
        else if (c == '\t' || c == '\n' || c == '\r')
            az_outfile_printf(w->f, "&#%u;", (unsigned)c);
        else if (c < 0x20 || c == 0x7f || c == 0xfffe || c == 0xffff)
            continue;
        else if (c == 0xfffd)
            az_outfile_puts(w->f, AZ_SV("\xef\xbf\xbd"));
        else
            az_outfile_write(w->f, s.p + from, i - from);
    }
}

static void attribute(struct writer *w, const char *name, struct az_sv value)
{
    az_outfile_printf(w->f, " %s=\"", name);
    put_escaped(w, value);
    az_outfile_puts(w->f, AZ_SV("\""));
}

static double seconds(const struct az_gate_result *x)
{
    if (!x->timed || isnan(x->cand.center))
        return 0;
    return x->cand.center * az_gate_seconds(x->unit);
}

static bool is_failure(const struct az_gate_result *x) { return x->level == AZ_LEVEL_FAIL; }
static bool is_error(const struct az_gate_result *x) { return x->level == AZ_LEVEL_INCONCLUSIVE; }
static bool is_skipped(const struct az_gate_result *x)
{
    return x->status == AZ_GATE_SKIP && !is_failure(x) && !is_error(x);
}

/* ---- cases: a rule and an input ---- */

struct sums {
    size_t tests, failures, errors, skipped;
    double time;
};

/* Results of one rule over one input, in the order of the verdict, worst first. */
struct group {
    const size_t *order;
    size_t n;
    const struct az_gate_result *worst;
};

static const struct az_gate_result *result_of(const struct writer *w, const struct group *g,
                                              size_t i)
{
    return &w->v->results.v[g->order[i]];
}

static size_t count_at(const struct writer *w, const struct group *g, enum az_gate_level level)
{
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++)
        n += result_of(w, g, i)->level == level;
    return n;
}

static void properties(struct writer *w, const struct group *g)
{
    az_outfile_printf(
        w->f, "      <properties>\n        <property name=\"metrics\" value=\"%zu\"/>\n", g->n);
    for (int s = 0; s < AZ_GATE_STATUSES; s++) {
        size_t n = 0;
        for (size_t i = 0; i < g->n; i++)
            n += result_of(w, g, i)->status == (enum az_gate_status)s;
        if (n)
            az_outfile_printf(w->f, "        <property name=\"%s\" value=\"%zu\"/>\n",
                              az_gate_status_text((enum az_gate_status)s), n);
    }
    az_outfile_puts(w->f, AZ_SV("      </properties>\n"));
}

static struct az_sv line_of(struct writer *w, const struct az_gate_result *x)
{
    const struct az_sv place = az_gate_place(w->a, x, false);

    return az_arena_printf(w->a, "%.*s%s%.*s", AZ_SVF(place), place.n ? ": " : "", AZ_SVF(x->text));
}

/* The results of one level, a line each. */
static void lines(struct writer *w, const struct group *g, enum az_gate_level level)
{
    size_t shown = 0;

    for (size_t i = 0; i < g->n && shown < LINES_MOST; i++) {
        const struct az_gate_result *x = result_of(w, g, i);
        if (x->level != level)
            continue;
        az_outfile_printf(w->f, "%s%s: ", shown++ ? "\n" : "", az_gate_status_text(x->status));
        put_escaped(w, line_of(w, x));
    }
    if (count_at(w, g, level) > shown)
        az_outfile_printf(w->f, "\nand %zu more", count_at(w, g, level) - shown);
}

static void element(struct writer *w, const char *name, const char *type, const struct group *g)
{
    az_outfile_printf(w->f, "      <%s", name);
    attribute(w, "message", line_of(w, g->worst));
    if (type)
        attribute(w, "type", az_sv_str(type));
    az_outfile_puts(w->f, type ? AZ_SV(">") : AZ_SV("/>\n"));
    if (!type)
        return;
    lines(w, g, g->worst->level);
    az_outfile_printf(w->f, "</%s>\n", name);
}

static bool all_skipped(const struct writer *w, const struct group *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (!is_skipped(result_of(w, g, i)))
            return false;
    return true;
}

static double time_of(const struct writer *w, const struct group *g)
{
    double longest = 0; /* metrics of one rule contain each other */
    for (size_t i = 0; i < g->n; i++)
        longest = fmax(longest, seconds(result_of(w, g, i)));
    return longest;
}

static void one_case(struct writer *w, const struct group *g)
{
    const struct az_gate_result *x = g->worst;
    struct az_sv input = x->input.n ? x->input : AZ_SV("gates"),
                 name = x->rule ? x->rule_name : AZ_SV("comparable");

    az_outfile_puts(w->f, AZ_SV("    <testcase"));
    attribute(w, "classname", input);
    attribute(w, "name", name);
    az_outfile_printf(w->f, " time=\"%.9f\">\n", time_of(w, g));
    properties(w, g);
    if (is_failure(x))
        element(w, "failure",
                x->status == AZ_GATE_NEW || x->status == AZ_GATE_REMOVED ? "presence"
                                                                         : "regression",
                g);
    else if (is_error(x))
        element(w, "error", az_gate_status_text(x->status), g);
    else if (all_skipped(w, g))
        element(w, "skipped", NULL, g);
    if (count_at(w, g, AZ_LEVEL_WARN)) {
        az_outfile_puts(w->f, AZ_SV("      <system-out>"));
        lines(w, g, AZ_LEVEL_WARN);
        az_outfile_puts(w->f, AZ_SV("</system-out>\n"));
    }
    az_outfile_puts(w->f, AZ_SV("    </testcase>\n"));
}

/* ---- suites: an input ---- */

static int by_suite(const void *px, const void *py, void *ctx)
{
    const struct az_gate_verdict *v = ctx;
    const size_t i = *(const size_t *)px, k = *(const size_t *)py;
    const struct az_gate_result *x = &v->results.v[i], *y = &v->results.v[k];
    int c = az_sv_cmp(x->input, y->input);

    c = c ? c : az_sv_cmp(x->rule_name, y->rule_name);
    return c ? c : i > k ? 1 : i < k ? -1 : 0;
}

static bool same_case(const struct az_gate_result *x, const struct az_gate_result *y)
{
    return az_sv_eq(x->input, y->input) && az_sv_eq(x->rule_name, y->rule_name);
}

/* The groups of the order; beyond CASES_MOST an input's last one has all the others of it. */
static size_t find_groups(const struct writer *w, const size_t *order, size_t n, struct group *out)
{
    const struct az_gate_result *r = w->v->results.v;
    size_t groups = 0;

    for (size_t i = 0, k; i < n; i = k) {
        const bool full =
            groups >= CASES_MOST && az_sv_eq(out[groups - 1].worst->input, r[order[i]].input);
        for (k = i; k < n && same_case(&r[order[i]], &r[order[k]]); k++)
            ;
        if (full) {
            out[groups - 1].n += k - i;
            if (r[order[i]].level > out[groups - 1].worst->level)
                out[groups - 1].worst = &r[order[i]];
        } else {
            out[groups++] = (struct group){ order + i, k - i, &r[order[i]] };
        }
    }
    return groups;
}

static void add_sums(const struct writer *w, const struct group *g, struct sums *s)
{
    s->tests++;
    s->failures += is_failure(g->worst);
    s->errors += is_error(g->worst);
    s->skipped += !is_failure(g->worst) && !is_error(g->worst) && all_skipped(w, g);
    s->time += time_of(w, g);
}

static void put_sums(struct writer *w, const struct sums *s)
{
    az_outfile_printf(
        w->f, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.9f\"",
        s->tests, s->failures, s->errors, s->skipped, s->time);
}

static void one_suite(struct writer *w, const struct group *g, size_t n)
{
    struct sums s = { .tests = 0 };

    for (size_t i = 0; i < n; i++)
        add_sums(w, &g[i], &s);
    az_outfile_puts(w->f, AZ_SV("  <testsuite"));
    attribute(w, "name", g->worst->input.n ? g->worst->input : AZ_SV("gates"));
    put_sums(w, &s);
    if (w->v->created >= 0) {
        struct az_sv time = az_history_time_text(w->a, w->v->created);
        attribute(w, "timestamp",
                  az_sv_make(time.p, time.n ? time.n - 1 : 0)); /* JUnit has no zone */
    }
    az_outfile_puts(w->f, AZ_SV(">\n"));
    for (size_t i = 0; i < n; i++)
        one_case(w, &g[i]);
    az_outfile_puts(w->f, AZ_SV("  </testsuite>\n"));
}

static void suites(struct writer *w, const struct group *g, size_t n, struct az_sv answer)
{
    struct sums all = { .tests = 0 };

    for (size_t i = 0; i < n; i++)
        add_sums(w, &g[i], &all);
    az_outfile_puts(w->f, AZ_SV("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
    attribute(w, "name",
              answer.n ? az_arena_printf(w->a, "analyzer gates: %.*s", AZ_SVF(answer))
                       : AZ_SV("analyzer gates"));
    put_sums(w, &all);
    az_outfile_puts(w->f, AZ_SV(">\n"));
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i; k < n && az_sv_eq(g[i].worst->input, g[k].worst->input); k++)
            ;
        one_suite(w, &g[i], k - i);
    }
    az_outfile_puts(w->f, AZ_SV("</testsuites>\n"));
}

static int junit_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                       struct az_diag *diag)
{
    const struct az_table *verdict = az_headline_of(doc);
    struct writer w = { .v = doc->verdict, .a = scratch };
    struct az_where at = AZ_AT_FILE(az_sv_str(path));
    struct group *groups;
    size_t *order;
    int rc;

    if (!w.v)
        return az_diag_fail(diag, AZ_EUSAGE, at, "no verdict to write; add \"gates\"");
    order = az_arena_array(scratch, w.v->results.n, sizeof *order);
    groups = az_arena_array(scratch, w.v->results.n, sizeof *groups);
    rc = order && groups ? az_outfile_open(&w.f, path, diag)
                         : az_diag_memory(diag, AZ_ENOMEM, at, NULL);
    if (rc)
        return rc;
    for (size_t i = 0; i < w.v->results.n; i++)
        order[i] = i;
    /* the context is only read */
    az_sort_cmp(order, w.v->results.n, sizeof *order, by_suite, (void *)(uintptr_t)w.v, NULL);
    suites(&w, groups, find_groups(&w, order, w.v->results.n, groups),
           verdict && verdict->rows ? az_headline_line(verdict, 0).text : AZ_SV(""));
    if (!scratch->failed)
        return az_outfile_commit(w.f);
    az_outfile_abort(w.f);
    rc = az_arena_error(scratch);
    return az_diag_fail(diag, rc, at, "cannot write JUnit XML (%s)", az_err_text(rc));
}

const struct az_report az_report_junit = {
    .name = "junit",
    .extension = ".xml",
    .help = "gates: JUnit XML for build servers",
    .verdict = true,
    .write = junit_write,
};
