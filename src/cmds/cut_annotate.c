/* `analyzer cut --annotate`: the findings of a report on the window, as events that viewers of
 * Chrome traces show below a process of their own. All but the critical path is read by SQL from
 * the facts and tables of the window. */
#include "cmds/internal.h"

#include "query/query.h"
#include "read/input_paths.h"
#include "run/plan.h"
#include "run/session.h"
#include "text/jsonw.h"

#define EVENT  "'cat', 'analyzer', 'pid', 'Analyzer'"
#define US(ns) "json(printf('%d.%03d', (" ns ") / 1000, (" ns ") % 1000))"

enum { FINDINGS = 3 }; /* of the statements */
/* Tracks: 1 findings, 2 critical path, 10 + device idle time. */
static const char *const statements[] = {
    "SELECT json_object('ph', 'M', " EVENT ", 'name', 'process_name', 'args', json_object('name', "
    "'Analyzer'))",
    "SELECT json_object('ph', 'M', " EVENT ", 'tid', 1, 'name', 'thread_name', 'args', "
    "json_object('name', 'Findings by estimated saving'))",
    "SELECT json_object('ph', 'M', " EVENT ", 'tid', 10 + device, 'name', 'thread_name', 'args', "
    "json_object('name', 'GPU ' || device || ' idle')) FROM gaps GROUP BY device ORDER BY device",
    /* equal parts of the window, the largest saving first */
    "SELECT json_object('ph', 'X', " EVENT ", 'tid', 1, 'ts', " US(
        "f.first + f.i * f.part") ", "
                                  "'dur', " US(
                                      "f.part") ", 'name', f.rule || ': ' || f.subject, 'args', "
                                                "json_object('saving "
                                                "(%)', round(f.share, 3), 'saving (ns)', f.saving, "
                                                "'advice', f.advice, 'table', f.evidence)) "
                                                "FROM (SELECT w.first, row_number() OVER (ORDER BY "
                                                "x.n) - 1 AS i, w.span / count(*) OVER () AS "
                                                "part, x.* FROM (SELECT row_number() OVER () AS n, "
                                                "rule, subject, advice, evidence, "
                                                "recoverable_ns AS saving, share_of_the_percent AS "
                                                "share FROM findings) x, (SELECT "
                                                "min(start_ns) AS first, max(end_ns) - "
                                                "min(start_ns) AS span FROM (SELECT start_ns, "
                                                "end_ns "
                                                "FROM kernels UNION ALL SELECT start_ns, end_ns "
                                                "FROM copies)) w WHERE x.saving > 0 AND w.span "
                                                "> 0) f ORDER BY f.i",
    "SELECT json_object('ph', 'X', " EVENT
    ", 'tid', 10 + device, 'ts', " US("start_ns") ", 'dur', " US(
        "dur_ns") ", 'name', coalesce(cause, 'idle'), 'args', json_object('before', before, "
                  "'after', after)) FROM gaps ORDER BY device, start_ns",
    "SELECT json_object('ph', 'C', " EVENT
    ", 'name', 'Launches queued, GPU ' || device || ' stream "
    "' || stream, 'ts', " US(
        "t") ", 'args', json_object('queued', sum(d) OVER (PARTITION BY device, "
             "stream ORDER BY t, d, n ROWS UNBOUNDED PRECEDING))) FROM (SELECT device, stream, "
             "call_start_ns "
             "AS t, 1 AS d, id AS n FROM launches WHERE call_start_ns < start_ns UNION ALL SELECT "
             "device, "
             "stream, start_ns, -1, id FROM launches WHERE call_start_ns < start_ns) ORDER BY "
             "device, "
             "stream, t, d, n",
    "SELECT json_object('ph', 'C', " EVENT ", 'name', name || ' (GB/s)', 'ts', " US(
        "t") ", 'args', "
             "json_object('GB/s', round(abs(sum(d) OVER (PARTITION BY name ORDER BY t, d, n ROWS "
             "UNBOUNDED "
             "PRECEDING)), 3))) FROM (SELECT name, start_ns AS t, gb_per_s AS d, id AS n FROM "
             "copies WHERE "
             "gb_per_s > 0 UNION ALL SELECT name, end_ns, -gb_per_s, id FROM copies WHERE gb_per_s "
             "> 0) "
             "ORDER BY name, t, d, n",
};

static int put_event(struct az_vec_char *out, struct az_sv event)
{
    const int rc = out->n ? az_text_append(out, AZ_SV(",\n")) : AZ_OK;
    return rc ? rc : az_text_append(out, event);
}

static int begin(void *ctx, const struct az_query_column *columns, size_t n)
{
    (void)ctx, (void)columns, (void)n;
    return AZ_OK;
}

static int take_row(void *ctx, const struct az_cell *cells, size_t n)
{
    return n ? put_event(ctx, az_cell_text(&cells[0])) : AZ_OK;
}

static int end_rows(void *ctx, bool cut)
{
    (void)ctx, (void)cut;
    return AZ_OK;
}

/* The window as options of an analysis. */
static int list_options(const struct az_options *o, bool path, struct az_overrides *to)
{
    const struct az_override all[] = {
        { .kind = AZ_SET_OPTION, .key = AZ_SV("range"), .value = o->range, .flag = true },
        { .kind = AZ_SET_OPTION, .key = AZ_SV("steps"), .value = o->steps, .flag = true },
        { .kind = AZ_SET_OPTION, .key = AZ_SV("from"), .value = o->from, .flag = true },
        { .kind = AZ_SET_OPTION, .key = AZ_SV("to"), .value = o->to, .flag = true },
        { .kind = AZ_SET_OPTION,
          .key = AZ_SV("critical_path"),
          .value = path ? AZ_SV("true") : AZ_SV("") },
    };
    int rc = AZ_OK;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(all); i++)
        if (all[i].value.n)
            rc = az_vec_push(to, all[i]);
    return rc;
}

/* A window without work of devices has none. */
static bool has_findings(struct az_query *q, int *rc)
{
    const struct az_table *t = az_query_tables(q, true, rc);
    for (size_t i = 0; t && i < t->rows; i++)
        if (az_sv_is(az_cell_text(az_table_at(t, i, 0)), "findings"))
            return true;
    return false;
}

static int put_facts(const char *path, const struct az_options *window, struct az_diag *diag,
                     struct az_vec_char *out)
{
    const struct az_query_limits none = { .rows = 0 };
    const struct az_query_sink sink = { begin, take_row, end_rows, out };
    struct az_session s;
    struct az_overrides over;
    struct az_query *q = NULL;
    az_vec_init(&over, NULL);
    int rc = list_options(window, false, &over);
    const int opened = az_session_open(&s, &path, 1, &over, NULL, NULL, diag);
    rc = rc ? rc : opened;
    if (rc == 0)
        rc = az_query_open(&q, &s.source, &none, diag);
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(statements); i++)
        if (i != FINDINGS || has_findings(q, &rc))
            rc = az_query_run(q, az_sv_str(statements[i]), &sink, NULL, diag);
    for (size_t i = 0; rc && i < s.n; i++)
        az_diag_append(diag, &s.inputs[i].diag);
    az_query_close(q);
    az_session_close(&s);
    az_vec_release(&over);
    return rc;
}

/* ---- the critical path, which reports have of ranks of a run ---- */

static int put_span(struct az_vec_char *out, const struct az_table *t, size_t row)
{
    static const char *const names[] = { "s_name", "start (us)", "duration", "bound_by" };
    const struct az_cell *c[AZ_LENGTH(names)];
    for (size_t i = 0; i < AZ_LENGTH(names); i++) {
        const ptrdiff_t at = az_table_find(t, names[i]);
        if (at < 0)
            return AZ_EINTERNAL;
        c[i] = az_table_at(t, row, (size_t)at);
    }
    if (!(az_cell_number(c[2]) > 0))
        return AZ_OK;
    int rc =
        put_event(out, AZ_SV("{\"ph\":\"X\",\"cat\":\"analyzer\",\"pid\":\"Analyzer\",\"tid\":2,"
                             "\"name\":"));
    if (rc == 0)
        rc = az_json_quote(out, az_cell_text(c[0]));
    if (rc == 0)
        rc = az_text_printf(out, ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"bound by\":",
                            az_cell_number(c[1]), az_cell_number(c[2]));
    if (rc == 0)
        rc = az_json_quote(out, az_cell_text(c[3]));
    return rc ? rc : az_text_append(out, AZ_SV("}}"));
}

static int put_path_of(struct az_plan_job *job, struct az_vec_char *out)
{
    const struct az_run_opts opts = { .workers = 1 };
    struct az_result res;
    int rc = job->error;
    az_result_init(&res, 0);
    if (rc == 0)
        rc = az_analyze_input(job, &opts, 1, &res, &job->diag, NULL);
    const struct az_table *t = res.reportable ? az_document_table(&res.doc, "critical_path") : NULL;
    if (rc == 0 && t && t->rows)
        rc = put_event(out,
                       AZ_SV("{\"ph\":\"M\",\"cat\":\"analyzer\",\"pid\":\"Analyzer\",\"tid\":2,"
                             "\"name\":\"thread_name\",\"args\":{\"name\":\"Critical path\"}}"));
    for (size_t i = 0; rc == 0 && t && i < t->rows; i++)
        rc = put_span(out, t, i);
    az_result_release(&res);
    return rc;
}

static int put_path(const char *path, const struct az_options *window, struct az_diag *diag,
                    struct az_vec_char *out)
{
    struct az_config conf;
    struct az_config_names names;
    struct az_overrides over;
    struct az_plan plan;
    az_vec_init(&over, NULL);
    az_plan_init(&plan);
    int rc = az_config_init(&conf);
    if (rc == 0)
        rc = list_options(window, true, &over);
    if (rc == 0)
        rc = az_plan_names(&plan.arena, &names);
    if (rc == 0)
        rc = az_config_quick(&conf, &over, &names, diag);
    conf.no_reports = true;
    if (rc == 0)
        rc = az_plan_paths(&conf, &path, 1, diag);
    for (size_t i = 0; rc == 0 && i < conf.inputs.n; i++)
        conf.inputs.v[i].is_run = true;
    if (rc == 0)
        rc = az_plan_make(&plan, &conf, diag);
    for (size_t i = 0; rc == 0 && i < plan.jobs.n; i++) {
        rc = put_path_of(&plan.jobs.v[i], out);
        if (rc)
            az_diag_append(diag, &plan.jobs.v[i].diag);
    }
    az_plan_release(&plan);
    az_config_release(&conf);
    az_vec_release(&over);
    return rc;
}

int az_cut_annotations(const char *path, const struct az_format *f, const struct az_options *window,
                       struct az_diag *diag, struct az_vec_char *out)
{
    const struct az_option *o = az_option_find(AZ_SV("critical_path"), AZ_AT_OPTIONS);
    const int rc = put_facts(path, window, diag, out);
    const bool has_path = o && az_formats_include(o->formats, az_sv_str(f->name));
    return rc || !has_path ? rc : put_path(path, window, diag, out);
}
