/* Verdict as OpenMetrics text, for a textfile collector. Bounded: classes, ranks, tables and rules
 * are labels, never kernels. */
#include <math.h>

#include "base/intern.h"
#include "base/num.h"
#include "io/outfile.h"
#include "regression/verdict.h"
#include "reports/report.h"
#include "reports/shared/fields.h"

struct writer {
    struct az_outfile *f;
    struct az_arena *a;
};

static void label(struct writer *w, const char *name, struct az_sv value, bool first)
{
    struct az_sv s = az_field_text(w->a, value);
    az_outfile_printf(w->f, "%s%s=\"", first ? "{" : ",", name);
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\' || s.p[i] == '"')
            az_outfile_puts(w->f, AZ_SV("\\"));
        if (s.p[i] == '\n')
            az_outfile_puts(w->f, AZ_SV("\\n"));
        else
            az_outfile_write(w->f, &s.p[i], 1);
    }
    az_outfile_puts(w->f, AZ_SV("\""));
}

static void value(struct writer *w, double x, bool labels)
{
    char buf[AZ_NUM_MAX];
    size_t n = az_format_f64(x, buf);
    az_outfile_puts(w->f, labels ? AZ_SV("} ") : AZ_SV(" "));
    az_outfile_puts(w->f, n ? az_sv_make(buf, n) : AZ_SV("NaN"));
    az_outfile_puts(w->f, AZ_SV("\n"));
}

static void family(struct writer *w, const char *name, const char *unit, const char *help)
{
    az_outfile_printf(w->f, "# TYPE %s gauge\n", name);
    if (unit)
        az_outfile_printf(w->f, "# UNIT %s %s\n", name, unit);
    az_outfile_printf(w->f, "# HELP %s %s\n", name, help);
}

/* A table of the document whose columns are labels, the last one seconds. */
static void times(struct writer *w, const struct az_document *doc, const char *table,
                  const char *name, const char *const *labels, size_t n, const char *help)
{
    const struct az_table *t = az_document_table(doc, table);
    if (!t || t->columns.n < n + 1)
        return;
    family(w, name, "seconds", help);
    for (size_t r = 0; r < t->rows; r++) {
        az_outfile_puts(w->f, az_sv_str(name));
        for (size_t c = 0; c < n; c++)
            label(w, labels[c], az_cell_text(az_table_at(t, r, c)), c == 0);
        value(w, az_cell_number(az_table_at(t, r, n)), true);
    }
}

static void all_times(struct writer *w, const struct az_document *doc)
{
    static const char *const of_class[] = { "input", "class", "rank" },
                             *const of_part[] = { "input", "part", "rank" },
                             *const of_wait[] = { "input", "rank" };

    times(w, doc, "class_time", "analyzer_class_time_seconds", of_class, 3,
          "Device time by kernel class; rank: a number, all, or the mean per rank.");
    times(w, doc, "timeline_time", "analyzer_timeline_seconds", of_part, 3,
          "Device timeline by part (computation, exposed communication, idle, ...).");
    times(w, doc, "wait_time", "analyzer_collective_wait_seconds", of_wait, 2,
          "Time that a rank waits for others in collectives.");
}

/* One sample per rule, input and table: 1 if anything under it failed. Results are sorted worst
 * first, so the first of a group decides for it. */
static int states(struct writer *w, const struct az_gate_verdict *v)
{
    struct az_intern groups;
    int rc = 0;
    az_intern_init(&groups, w->a, NULL);

    family(w, "analyzer_gate_state", NULL, "1: a metric of this rule failed; 0: none failed.");
    for (size_t i = 0; !rc && i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        struct az_sv key =
            az_arena_printf(w->a, "%zu:%.*s%zu:%.*s%.*s", x->rule_name.n, AZ_SVF(x->rule_name),
                            x->input.n, AZ_SVF(x->input), AZ_SVF(x->sheet));
        size_t known = groups.text.n;
        uint32_t id = 0;
        rc = key.p ? az_intern(&groups, key, &id) : az_arena_error(w->a);
        if (rc || id < known)
            continue;
        az_outfile_puts(w->f, AZ_SV("analyzer_gate_state"));
        label(w, "input", x->input, true);
        label(w, "table", x->sheet, false);
        label(w, "rule", x->rule_name, false);
        value(w, x->level == AZ_LEVEL_FAIL, true);
    }
    az_intern_release(&groups);
    return rc;
}

static void totals(struct writer *w, const struct az_gate_verdict *v)
{
    family(w, "analyzer_gate_results", NULL, "Results of all gates by status.");
    for (int s = 0; s < AZ_GATE_STATUSES; s++) {
        az_outfile_puts(w->f, AZ_SV("analyzer_gate_results"));
        label(w, "status", az_sv_str(az_gate_status_text((enum az_gate_status)s)), true);
        value(w, (double)v->count[s], true);
    }
    family(w, "analyzer_gate_verdict", NULL, "1 for the verdict over all gates, 0 for the others.");
    static const char *const name[] = { "pass", "fail", "inconclusive" };
    for (int i = 0; i < 3; i++) {
        az_outfile_puts(w->f, AZ_SV("analyzer_gate_verdict"));
        label(w, "verdict", az_sv_str(name[i]), true);
        value(w, (int)v->outcome == i, true);
    }
}

static void created(struct writer *w, const struct az_gate_verdict *v)
{
    if (v->created >= 0) {
        family(w, "analyzer_run_created_seconds", "seconds", "Time of the run, since 1970.");
        az_outfile_puts(w->f, AZ_SV("analyzer_run_created_seconds"));
        value(w, (double)v->created, false);
    }
}

static int openmetrics_write(const struct az_document *doc, const char *path,
                             struct az_arena *scratch, struct az_diag *diag)
{
    struct writer w = { .a = scratch };
    struct az_where at = AZ_AT_FILE(az_sv_str(path));
    int rc;

    if (!doc->verdict)
        return az_diag_fail(diag, AZ_EUSAGE, at, "no verdict to write; add \"gates\"");
    rc = az_outfile_open(&w.f, path, diag);
    if (rc)
        return rc;
    all_times(&w, doc);
    if (!doc->verdict->no_rules) {
        rc = states(&w, doc->verdict);
        totals(&w, doc->verdict);
    }
    created(&w, doc->verdict);
    az_outfile_puts(w.f, AZ_SV("# EOF\n"));
    if (!rc && !scratch->failed)
        return az_outfile_commit(w.f);
    az_outfile_abort(w.f);
    return az_diag_memory(diag, rc ? rc : az_arena_error(scratch), at, doc->mem);
}

const struct az_report az_report_openmetrics = {
    .name = "openmetrics",
    .extension = ".prom",
    .help = "gates: OpenMetrics text for a textfile collector",
    .verdict = true,
    .write = openmetrics_write,
};
