/* Verdict as JUnit XML: a suite an input and table, a case a rule and figure. Raw numbers are in
 * properties. */
#include <math.h>
#include <stdio.h>

#include "base/sort.h"
#include "base/utf8.h"
#include "io/outfile.h"
#include "reports/report.h"
#include "results/headline.h"
#include "results/history.h"

struct writer {
    struct az_outfile *f;
    const struct az_verdict *v;
    struct az_arena *a;
};

/* Text of XML 1.0: markup escaped, control characters dropped but tab, LF and CR, bad UTF-8
 * replaced. In an attribute line breaks are references, or a reader turns them into blanks. */
static void xml(struct writer *w, struct az_sv s)
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
    xml(w, value);
    az_outfile_puts(w->f, AZ_SV("\""));
}

static double seconds(const struct az_gate_result *x)
{
    if (!x->timed || isnan(x->cand.center))
        return 0;
    double s = az_sv_is(x->unit, "ps")   ? 1e-12
               : az_sv_is(x->unit, "ns") ? 1e-9
               : az_sv_is(x->unit, "us") ? 1e-6
                                         : 1;
    return x->cand.center * (az_sv_is(x->unit, "ms") ? 1e-3 : s);
}

static bool is_failure(const struct az_gate_result *x) { return x->level == AZ_LEVEL_FAIL; }
static bool is_error(const struct az_gate_result *x) { return x->level == AZ_LEVEL_INCONCLUSIVE; }
static bool is_skipped(const struct az_gate_result *x)
{
    return x->status == AZ_GATE_SKIP && !is_failure(x) && !is_error(x);
}

static void property(struct writer *w, const char *name, double x)
{
    if (isfinite(x))
        az_outfile_printf(w->f, "        <property name=\"%s\" value=\"%.17g\"/>\n", name, x);
}

static void properties(struct writer *w, const struct az_gate_result *x)
{
    az_outfile_puts(w->f, AZ_SV("      <properties>\n        <property name=\"status\""));
    attribute(w, "value", az_sv_str(az_gate_status_text(x->status)));
    az_outfile_puts(w->f, AZ_SV("/>\n"));
    if (x->unit.n) {
        az_outfile_puts(w->f, AZ_SV("        <property name=\"unit\""));
        attribute(w, "value", x->unit);
        az_outfile_puts(w->f, AZ_SV("/>\n"));
    }
    property(w, "baseline", x->base.center);
    property(w, "baseline_mad", x->base.mad);
    property(w, "baseline_runs", (double)x->base.n);
    property(w, "candidate", x->cand.center);
    property(w, "candidate_mad", x->cand.mad);
    property(w, "candidate_runs", (double)x->cand.n);
    property(w, "delta", x->delta);
    property(w, "rel", x->rel);
    property(w, "limit_abs", x->limit_abs);
    property(w, "limit_rel", x->limit_rel);
    property(w, "max", x->max);
    property(w, "min", x->min);
    property(w, "U", x->u);
    property(w, "p", x->p);
    property(w, "effect", x->effect);
    az_outfile_puts(w->f, AZ_SV("      </properties>\n"));
}

static void element(struct writer *w, const char *name, const char *type,
                    const struct az_gate_result *x)
{
    az_outfile_printf(w->f, "      <%s", name);
    attribute(w, "message", x->text);
    if (type)
        attribute(w, "type", az_sv_str(type));
    az_outfile_puts(w->f, type ? AZ_SV(">") : AZ_SV("/>\n"));
    if (!type)
        return;
    xml(w, x->text);
    az_outfile_puts(w->f, AZ_SV(" [rule: "));
    xml(w, x->rule_name);
    az_outfile_printf(w->f, "]</%s>\n", name);
}

static void one_case(struct writer *w, const struct az_gate_result *x)
{
    struct az_sv sheet = x->sheet.n ? x->sheet : AZ_SV("run"),
                 input = x->input.n ? x->input : AZ_SV("gates");
    struct az_sv what =
        x->metric.n ? az_arena_printf(w->a, "%.*s %.*s", AZ_SVF(x->key_text), AZ_SVF(x->metric))
        : x->rule   ? az_arena_printf(w->a, "rule %.*s", AZ_SVF(x->rule_name))
                    : az_arena_printf(w->a, "comparable");
    az_outfile_puts(w->f, AZ_SV("    <testcase"));
    attribute(w, "classname", az_arena_printf(w->a, "%.*s.%.*s", AZ_SVF(input), AZ_SVF(sheet)));
    attribute(w, "name", what);
    az_outfile_printf(w->f, " time=\"%.9f\">\n", seconds(x));
    properties(w, x);
    if (is_failure(x))
        element(w, "failure",
                x->status == AZ_GATE_NEW || x->status == AZ_GATE_REMOVED ? "presence"
                                                                         : "regression",
                x);
    else if (is_error(x))
        element(w, "error", "inconclusive", x);
    else if (is_skipped(x))
        element(w, "skipped", NULL, x);
    if (x->level == AZ_LEVEL_WARN) {
        az_outfile_printf(w->f, "      <system-out>%s: ", az_gate_status_text(x->status));
        xml(w, x->text);
        az_outfile_puts(w->f, AZ_SV("</system-out>\n"));
    }
    az_outfile_puts(w->f, AZ_SV("    </testcase>\n"));
}

/* ---- suites ---- */

static int by_suite(const void *px, const void *py, void *ctx)
{
    const struct az_verdict *v = ctx;
    return az_gate_result_cmp(&v->results.v[*(const size_t *)px],
                              &v->results.v[*(const size_t *)py]);
}

struct sums {
    size_t tests, failures, errors, skipped;
    double time;
};

static struct sums sum(const struct writer *w, const size_t *order, size_t from, size_t to)
{
    struct sums s = { .tests = to - from };
    for (size_t i = from; i < to; i++) {
        const struct az_gate_result *x = &w->v->results.v[order[i]];
        s.failures += is_failure(x);
        s.errors += is_error(x);
        s.skipped += is_skipped(x);
        s.time += seconds(x);
    }
    return s;
}

static void put_sums(struct writer *w, const struct sums *s)
{
    az_outfile_printf(
        w->f, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.9f\"",
        s->tests, s->failures, s->errors, s->skipped, s->time);
}

static bool same_suite(const struct az_gate_result *x, const struct az_gate_result *y)
{
    return az_sv_eq(x->input, y->input) && az_sv_eq(x->sheet, y->sheet);
}

static void suites(struct writer *w, const size_t *order, size_t n, struct az_sv answer)
{
    const struct az_gate_result *r = w->v->results.v;
    struct sums all = sum(w, order, 0, n);

    az_outfile_puts(w->f, AZ_SV("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"));
    attribute(w, "name",
              answer.n ? az_arena_printf(w->a, "analyzer gates: %.*s", AZ_SVF(answer))
                       : AZ_SV("analyzer gates"));
    put_sums(w, &all);
    az_outfile_puts(w->f, AZ_SV(">\n"));
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i; k < n && same_suite(&r[order[i]], &r[order[k]]); k++)
            ;
        struct sums s = sum(w, order, i, k);
        const struct az_gate_result *x = &r[order[i]];
        struct az_sv input = x->input.n ? x->input : AZ_SV("gates"),
                     sheet = x->sheet.n ? x->sheet : AZ_SV("run");
        az_outfile_puts(w->f, AZ_SV("  <testsuite"));
        attribute(w, "name", az_arena_printf(w->a, "%.*s/%.*s", AZ_SVF(input), AZ_SVF(sheet)));
        put_sums(w, &s);
        if (w->v->created >= 0) {
            struct az_sv time = az_history_time_text(w->a, w->v->created);
            attribute(w, "timestamp",
                      az_sv_make(time.p, time.n ? time.n - 1 : 0)); /* JUnit has no zone */
        }
        az_outfile_puts(w->f, AZ_SV(">\n"));
        for (size_t c = i; c < k; c++)
            one_case(w, &r[order[c]]);
        az_outfile_puts(w->f, AZ_SV("  </testsuite>\n"));
    }
    az_outfile_puts(w->f, AZ_SV("</testsuites>\n"));
}

static int junit_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                       struct az_diag *diag)
{
    const struct az_table *verdict = az_headline_of(doc);
    struct writer w = { .v = doc->verdict, .a = scratch };
    struct az_where at = AZ_AT_FILE(az_sv_str(path));
    size_t *order;
    int rc;

    if (!w.v)
        return az_diag_fail(diag, AZ_EUSAGE, at, "there is no verdict to write (give \"gates\")");
    order = az_arena_array(scratch, w.v->results.n, sizeof *order);
    rc = order ? az_outfile_open(&w.f, path, diag) : az_diag_memory(diag, AZ_ENOMEM, at, NULL);
    if (rc)
        return rc;
    for (size_t i = 0; i < w.v->results.n; i++)
        order[i] = i;
    /* the context is only read */
    rc = az_sort_cmp(order, w.v->results.n, sizeof *order, by_suite, (void *)(uintptr_t)w.v, NULL);
    if (!rc)
        suites(&w, order, w.v->results.n,
               verdict && verdict->rows ? az_headline_line(verdict, 0).text : AZ_SV(""));
    if (!rc && scratch->failed)
        rc = az_arena_error(scratch);
    if (!rc)
        return az_outfile_commit(w.f);
    az_outfile_abort(w.f);
    return az_diag_fail(diag, rc, at, "cannot write JUnit XML (%s)", az_err_text(rc));
}

const struct az_report az_report_junit = {
    .name = "junit",
    .extension = ".xml",
    .help = "gates: JUnit XML for build servers",
    .verdict = true,
    .write = junit_write,
};
