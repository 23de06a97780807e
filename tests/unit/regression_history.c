/* The history: what goes in comes out, choices of a baseline, marks, old and foreign databases. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "regression/history.h"

struct env {
    struct az_arena a;
    struct az_diag diag;
    struct az_history *h;
    char dir[64], path[96];
};

static int setup(void **state)
{
    static struct env e;
    e.h = NULL;
    az_arena_init(&e.a, NULL);
    az_diag_init(&e.diag);
    snprintf(e.dir, sizeof e.dir, "/tmp/az_history_XXXXXX");
    if (!mkdtemp(e.dir))
        return -1;
    snprintf(e.path, sizeof e.path, "%s/h.db", e.dir);
    *state = &e;
    return 0;
}

static int teardown(void **state)
{
    struct env *e = *state;
    char cmd[128];
    az_history_close(e->h);
    az_diag_release(&e->diag);
    az_arena_release(&e->a);
    (void)chmod(e->dir, 0700);
    snprintf(cmd, sizeof cmd, "rm -rf %s", e->dir);
    return system(cmd);
}

static void open_for(struct env *e, enum az_history_mode mode)
{
    az_history_close(e->h);
    e->h = NULL;
    int rc = az_history_open(&e->h, e->path, mode, &e->diag);
    for (size_t i = 0; rc && i < e->diag.list.n; i++)
        print_error("%.*s\n", AZ_SVF(e->diag.list.v[i].text));
    assert_int_equal(rc, 0);
}

/* Opening fails with this code, and a message that holds the words. */
static void refused(struct env *e, enum az_history_mode mode, int code, const char *words)
{
    assert_int_equal(az_history_open(&e->h, e->path, mode, &e->diag), code);
    assert_null(e->h);
    assert_true(e->diag.list.n > 0);
    struct az_sv text = e->diag.list.v[e->diag.list.n - 1].text;
    if (az_sv_find(text, az_sv_str(words)) < 0) {
        print_error("got '%.*s', wanted '%s'\n", AZ_SVF(text), words);
        fail();
    }
}

static struct az_history_run a_run(const char *created, bool good)
{
    return (struct az_history_run){ .created = az_sv_str(created),
                                    .branch = AZ_SV("main"),
                                    .host = AZ_SV("node1"),
                                    .device = AZ_SV("H100"),
                                    .good = good };
}

static int64_t add(struct env *e, struct az_history_run run, double a, double b)
{
    struct az_series s;
    struct az_metric m = { .input = AZ_SV("in"),
                           .sheet = AZ_SV("t"),
                           .key = AZ_SV("{\"Name\":\"k\"}"),
                           .key_text = AZ_SV("k"),
                           .name = AZ_SV("Total (ns)"),
                           .unit = AZ_SV("ns"),
                           .better = AZ_LOWER_BETTER };
    size_t at;
    int64_t id = 0;
    assert_int_equal(az_series_init(&s, &e->a), 0);
    assert_int_equal(az_series_metric(&s, &m, &at), 0);
    assert_int_equal(az_series_value(&s, at, a, 0), 0);
    assert_int_equal(az_series_value(&s, at, b, 1), 0);
    assert_int_equal(az_series_fact(&s, AZ_SV("in"), AZ_SV("ranks"), AZ_SV("2")), 0);
    assert_int_equal(az_history_add(e->h, &run, &s, NULL, &id), 0);
    az_series_release(&s);
    return id;
}

/* First value of the baseline that a choice gives; NaN: none. */
static double baseline(struct env *e, const char *choice, struct az_history_run like, size_t *n)
{
    struct az_series s;
    struct az_sv why = AZ_SV("");
    bool found;
    double x = NAN;
    assert_int_equal(az_series_init(&s, &e->a), 0);
    assert_int_equal(az_history_baseline(e->h, az_sv_str(choice), &like, NULL, &s, &found, &why),
                     0);
    if (found) {
        assert_int_equal(s.metrics.n, 1);
        x = s.metrics.v[0].values.v[0];
        *n = s.metrics.v[0].values.n;
        assert_true(s.metrics.v[0].share == 1);
        assert_true(az_sv_is(s.metrics.v[0].key_text, "k"));
        assert_true(az_sv_is(az_series_get_fact(&s, AZ_SV("in"), "ranks"), "2"));
        assert_true(az_series_has_sheet(&s, AZ_SV("in"), AZ_SV("t")));
    } else {
        *n = 0;
        assert_true(az_sv_starts(why, AZ_SV("no baseline: ")));
    }
    az_series_release(&s);
    return x;
}

static void choices(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-01-05", true), other = like, elsewhere = like;
    size_t n;
    open_for(e, AZ_HISTORY_WRITE);
    assert_true(isnan(baseline(e, "last", like, &n)));
    assert_int_equal(add(e, a_run("2026-01-01T00:00:00Z", true), 10, 11), 1);
    assert_int_equal(add(e, a_run("2026-01-03T00:00:00Z", true), 30, 31), 2);
    assert_int_equal(add(e, a_run("2026-01-04T00:00:00Z", false), 40, 41), 3);
    assert_int_equal(add(e, a_run("2026-01-02T00:00:00Z", true), 20, NAN), 4); /* imported later */
    assert_true(baseline(e, "last", like, &n) == 40 && n == 2);
    assert_true(baseline(e, "last-good", like, &n) == 30);
    assert_true(baseline(e, "window:3", like, &n) == 30 && n == 6);
    assert_true(baseline(e, "window", like, &n) == 30 && n == 6);
    other.branch = AZ_SV("feature");
    assert_true(isnan(baseline(e, "last", other, &n)));
    elsewhere.host = AZ_SV("node23"); /* the same class of hosts */
    assert_true(baseline(e, "last", elsewhere, &n) == 40);
    elsewhere.host = AZ_SV("login");
    assert_true(isnan(baseline(e, "last", elsewhere, &n)));
    elsewhere.host = AZ_SV("node1");
    elsewhere.device = AZ_SV("A100");
    assert_true(isnan(baseline(e, "last-good", elsewhere, &n)));

    assert_true(isnan(baseline(e, "pinned:v1", like, &n)));
    assert_int_equal(az_history_pin(e->h, 1, AZ_SV("v1")), 0);
    assert_true(baseline(e, "pinned:v1", other, &n) == 10);
    assert_int_equal(az_history_pin(e->h, 2, AZ_SV("v1")), 0); /* a label is at one run */
    assert_true(baseline(e, "pinned:v1", like, &n) == 30);
    assert_int_equal(az_history_mark(e->h, 2, false), 0);
    assert_true(baseline(e, "last-good", like, &n) == 20);
    assert_int_equal(n, 2);
    assert_int_equal(az_history_mark(e->h, 99, true), AZ_EUSAGE);
}

static void windows_need_three(void **state)
{
    struct env *e = *state;
    size_t n;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 1);
    add(e, a_run("2026-01-02T00:00:00Z", true), 1, 1);
    assert_true(isnan(baseline(e, "window:5", a_run("2026-01-03", true), &n)));
    add(e, a_run("2026-01-03T00:00:00Z", true), 1, 1);
    assert_true(baseline(e, "window:5", a_run("2026-01-04", true), &n) == 1 && n == 6);
}

static void looking_back(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-02-01T00:00:00Z", true);
    struct az_series cand;
    struct az_metric_past p;
    size_t others, at;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2025-12-01T00:00:00Z", true), 1, 3);
    add(e, a_run("2026-01-01T00:00:00Z", true), 5, 7);
    add(e, a_run("2026-01-02T00:00:01Z", true), 9, 9);  /* younger than 30 days by a second less */
    add(e, a_run("2026-01-03T00:00:00Z", false), 8, 8); /* a user said so */
    add(e, a_run("2026-02-02T00:00:00Z", true), 2, 2);  /* later */
    assert_int_equal(az_series_init(&cand, &e->a), 0);
    assert_int_equal(az_series_input(&cand, AZ_SV("in"), &at), 0);
    assert_int_equal(az_series_fact(&cand, AZ_SV("in"), AZ_SV("ranks"), AZ_SV("2")), 0);
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    assert_int_equal(az_history_accept(e->h, 2, AZ_SV("k"), AZ_SV("wanted")), 0);
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_int_equal(p.runs.n, 3);
    assert_int_equal(others, 0);
    assert_int_equal(p.s.metrics.v[0].values.n, 3); /* one center a run, oldest first */
    assert_true(p.s.metrics.v[0].values.v[0] == 2 && p.s.metrics.v[0].values.v[2] == 9);
    assert_int_equal(p.accepted.n, 1);
    az_metric_past_release(&p);
    /* on other facts there is no past */
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    cand.facts.v[0].value = AZ_SV("4");
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_int_equal(p.runs.n, 0);
    assert_int_equal(others, 3);
    az_metric_past_release(&p);
    az_series_release(&cand);
}

static void pruning(void **state)
{
    struct env *e = *state;
    struct az_history_runs runs;
    int64_t removed;
    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 1; i <= 5; i++)
        add(e, a_run("2026-01-01T00:00:00Z", true), i, i);
    assert_int_equal(az_history_pin(e->h, 1, AZ_SV("keep")), 0);
    assert_int_equal(az_history_prune(e->h, 2, &removed), 0);
    assert_int_equal(removed, 2);
    az_vec_init(&runs, NULL);
    assert_int_equal(az_history_list(e->h, 0, &e->a, &runs), 0);
    assert_int_equal(runs.n, 3);
    assert_int_equal(runs.v[0].id, 5);
    assert_int_equal(runs.v[2].id, 1);
    assert_true(az_sv_is(runs.v[2].pins, "keep"));
    az_vec_release(&runs);
}

static void sql(const struct env *e, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(e->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Reports and verdicts name runs by number: none is given twice, also not by a database that older
 * programs filled. */
static void numbers_are_not_used_again(void **state)
{
    struct env *e = *state;
    int64_t removed;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-03T00:00:00Z", true), 1, 1);
    add(e, a_run("2026-01-02T00:00:00Z", true), 2, 2);
    add(e, a_run("2026-01-01T00:00:00Z", true), 3, 3); /* the oldest has the greatest number */
    assert_int_equal(az_history_prune(e->h, 1, &removed), 0);
    assert_int_equal(removed, 2);
    assert_int_equal(add(e, a_run("2026-01-04T00:00:00Z", true), 4, 4), 4);
    assert_int_equal(az_history_prune(e->h, 0, &removed), 0);
    assert_int_equal(removed, 2);
    open_for(e, AZ_HISTORY_WRITE);
    assert_int_equal(add(e, a_run("2026-01-05T00:00:00Z", true), 5, 5), 5);
    sql(e, "INSERT INTO run(created) VALUES('2026-01-06'); DELETE FROM meta WHERE k='last_run'");
    assert_int_equal(az_history_prune(e->h, 0, &removed), 0);
    assert_int_equal(removed, 2);
    assert_int_equal(add(e, a_run("2026-01-07T00:00:00Z", true), 6, 6), 7);
}

static void trend(void **state)
{
    struct env *e = *state;
    struct az_document d;
    char day[40];
    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 0; i < 12; i++) {
        struct az_history_run run;
        snprintf(day, sizeof day, "2026-01-%02dT00:00:00Z", i + 1);
        run = a_run(day, true);
        run.commit = az_arena_printf(&e->a, "c%d", i);
        add(e, run, i < 8 ? 100 + i % 2 : 150 + i % 2, i < 8 ? 100 + i % 2 : 150 + i % 2);
    }
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_trend_document(e->h, AZ_SV("k / tot"), 4, &d), 0);
    const struct az_table *t = az_document_table(&d, "trend");
    assert_non_null(t);
    assert_int_equal(t->rows, 12);
    assert_true(az_sv_find(t->note, AZ_SV("step at run 9 (2026-01-09): 100.5 -> 150.5 "
                                          "ns (+49.8%), commits c7..c8")) >= 0);
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 8, 6)), "step"));
    assert_true(az_table_at(t, 2, 3)->type == AZ_EMPTY &&
                az_cell_number(az_table_at(t, 3, 3)) == 100);
    assert_int_equal(d.charts.n, 1);
    assert_int_equal(d.charts.v[0].kind, AZ_CHART_TREND);
    az_document_release(&d);
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_trend_document(e->h, AZ_SV("absent"), 4, &d), AZ_EUSAGE);
    az_document_release(&d);
}

/* A step from next to nothing: its percentage is a number for people, too. */
static void step_from_nothing(void **state)
{
    struct env *e = *state;
    struct az_document d;
    char day[40];
    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 0; i < 12; i++) {
        snprintf(day, sizeof day, "2026-01-%02dT00:00:00Z", i + 1);
        const double x = i < 8 ? 1e-90 : 150;
        add(e, a_run(day, true), x, x);
    }
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_trend_document(e->h, AZ_SV("k / tot"), 4, &d), 0);
    const struct az_table *t = az_document_table(&d, "trend");
    assert_non_null(t);
    assert_true(az_sv_find(t->note, AZ_SV(": 1e-90 -> 150 ns (+1.5e+94%)")) >= 0);
    az_document_release(&d);
}

static void flat_tables(void **state)
{
    struct env *e = *state;
    struct az_document d;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-02T00:00:00Z", false), 7, NAN);
    add(e, a_run("2026-01-01T00:00:00Z", true), 5, 6);
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_export_document(e->h, AZ_SV("t / k"), &d), 0);
    const struct az_table *t = az_document_table(&d, "samples");
    assert_int_equal(t->rows, 4);
    const ptrdiff_t value = az_table_find(t, "Value"), sample = az_table_find(t, "Sample"),
                    column = az_table_find(t, "Column");
    assert_true(value >= 0 && sample >= 0 && column >= 0);
    assert_int_equal(az_table_at(t, 0, 0)->i, 2); /* the oldest by its time */
    assert_true(az_cell_number(az_table_at(t, 0, (size_t)value)) == 5);
    assert_true(az_table_at(t, 1, (size_t)sample)->i == 1 && az_table_at(t, 2, 0)->i == 1);
    assert_int_equal(az_table_at(t, 3, (size_t)value)->type,
                     AZ_EMPTY); /* a value that was missing */
    assert_true(az_sv_is(az_cell_text(az_table_at(t, 0, (size_t)column)), "Total (ns)"));
    az_document_release(&d);
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_export_document(e->h, AZ_SV("no such"), &d), AZ_EUSAGE);
    az_document_release(&d);
}

/* ---- other databases ---- */

static void bytes(const struct env *e, const char *text)
{
    FILE *f = fopen(e->path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void no_file(void **state) { refused(*state, AZ_HISTORY_READ, AZ_EIO, "no such file"); }

static void no_database(void **state)
{
    struct env *e = *state;
    bytes(e, "this is a text, and it is long enough to be looked at as the header of a database by "
             "the library.....\n");
    refused(e, AZ_HISTORY_READ, AZ_EFORMAT, "not a history database");
    refused(e, AZ_HISTORY_WRITE, AZ_EFORMAT, "not a history database");
}

static void anothers_database(void **state)
{
    struct env *e = *state;
    sql(e, "CREATE TABLE meta(k,v); CREATE TABLE photos(x)");
    refused(e, AZ_HISTORY_WRITE, AZ_EFORMAT, "not a history database");
    sql(e, "INSERT INTO photos VALUES(1)"); /* still its own journal mode */
    refused(e, AZ_HISTORY_READ, AZ_EFORMAT, "not a history database");
}

static void newer_version(void **state)
{
    struct env *e = *state;
    open_for(e, AZ_HISTORY_WRITE);
    az_history_close(e->h);
    e->h = NULL;
    sql(e, "UPDATE meta SET v='7'");
    refused(e, AZ_HISTORY_READ, AZ_EFORMAT,
            "schema version 7 is newer than the supported version 4");
    refused(e, AZ_HISTORY_WRITE, AZ_EFORMAT,
            "schema version 7 is newer than the supported version 4");
}

static void damaged(void **state)
{
    struct env *e = *state;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 2);
    az_history_close(e->h);
    e->h = NULL;
    assert_int_equal(truncate(e->path, 5000), 0);
    refused(e, AZ_HISTORY_READ, AZ_EFORMAT, "");
}

/* What a single step scatters by is the mean of the logarithms of all runs, by the steps of each.
 */
static void steps_of_nights(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-01-05T00:00:00Z", true);
    struct az_series cand;
    struct az_metric_past p;
    size_t others;
    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 1; i <= 3; i++)
        add(e,
            a_run(i == 1   ? "2026-01-01T00:00:00Z"
                  : i == 2 ? "2026-01-02T00:00:00Z"
                           : "2026-01-03T00:00:00Z",
                  true),
            1, 2);
    sql(e,
        "INSERT INTO claim VALUES(1,'in',0,'steps',16),(2,'in',0,'steps',60),(2,'in',1,'steps',40),"
        "(3,'other',0,'steps',9);"
        "INSERT INTO spread VALUES(1,1,0.01),(2,1,0.001),(3,1,0.5)");
    assert_int_equal(az_series_init(&cand, &e->a), 0);
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_true(fabs(az_metric_past_steps_of(&p, AZ_SV("in"), 1) - 100) < 1e-9);
    assert_true(isnan(az_metric_past_steps_of(&p, AZ_SV("in"), 2)));
    assert_int_equal(p.s.metrics.v[0].spread_runs, 2);
    assert_true(fabs(p.s.metrics.v[0].spread - log(0.04) - log(0.01)) < 1e-9);
    az_metric_past_release(&p);
    az_series_release(&cand);
}

/* Version 2 has no accepted changes: read as it is, made version 4 when it is written. */
static void second_version(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-01-05T00:00:00Z", true);
    struct az_series cand;
    struct az_metric_past p;
    size_t others, n;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 2);
    az_history_close(e->h);
    e->h = NULL;
    sql(e, "DROP TABLE accept; DROP TABLE spread; DROP TABLE claim; UPDATE meta SET v='2' WHERE "
           "k='schema_version'");
    open_for(e, AZ_HISTORY_READ);
    assert_int_equal(az_series_init(&cand, &e->a), 0);
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_int_equal(p.runs.n, 1);
    az_metric_past_release(&p);
    az_series_release(&cand);
    open_for(e, AZ_HISTORY_WRITE);
    assert_int_equal(az_history_accept(e->h, 1, AZ_SV(""), AZ_SV("new compiler")), 0);
    assert_int_equal(az_history_accept(e->h, 9, AZ_SV(""), AZ_SV("")), AZ_EUSAGE);
    assert_true(baseline(e, "level", like, &n) == 1);
}

/* Version 3 has no claims: what was accepted stays. */
static void third_version(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-01-05T00:00:00Z", true);
    size_t n;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 2);
    assert_int_equal(az_history_accept(e->h, 1, AZ_SV(""), AZ_SV("new compiler")), 0);
    az_history_close(e->h);
    e->h = NULL;
    sql(e, "DROP TABLE claim; UPDATE meta SET v='3' WHERE k='schema_version'");
    open_for(e, AZ_HISTORY_WRITE);
    assert_true(baseline(e, "level", like, &n) == 1);
    az_history_close(e->h);
    e->h = NULL;
    sql(e,
        "INSERT INTO claim VALUES(1,'in',0,'steps',9); UPDATE accept SET id=CASE reason WHEN 'new "
        "compiler' THEN 1 ELSE 'lost' END");
}

/* Version 1 has no pins and facts: read as it is, made version 4 when it is written. */
static void older_version(void **state)
{
    struct env *e = *state;
    size_t n;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 2);
    az_history_close(e->h);
    e->h = NULL;
    sql(e, "DROP TABLE pin; DROP TABLE fact; DROP TABLE accept; DROP TABLE spread; DROP TABLE "
           "claim; DROP INDEX "
           "run_created; DROP INDEX verdict_metric; "
           "UPDATE meta SET v='1'");
    open_for(e, AZ_HISTORY_READ);
    struct az_history_runs runs;
    az_vec_init(&runs, NULL);
    assert_int_equal(az_history_list(e->h, 0, &e->a, &runs), 0);
    assert_int_equal(runs.n, 1);
    az_vec_release(&runs);
    assert_true(isnan(baseline(e, "pinned:x", a_run("2026-01-02", true), &n)));
    open_for(e, AZ_HISTORY_WRITE);
    assert_int_equal(add(e, a_run("2026-01-02T00:00:00Z", true), 3, 4), 2);
    assert_int_equal(az_history_pin(e->h, 2, AZ_SV("x")), 0);
    assert_true(baseline(e, "pinned:x", a_run("2026-01-03", true), &n) == 3);
}

/* ---- claims and series ---- */

static struct az_series_claims claims_of(int64_t steps)
{
    struct az_series_claims c = { .input = AZ_SV("in"), .claimed = true };
    c.side = (struct az_change_side){ .known = true,
                                      .has_account = true,
                                      .has_steps = steps > 0,
                                      .steps = steps,
                                      .kernels = 100,
                                      .devices = 2,
                                      .gpus = 1,
                                      .whole = { .span = 400, .computing = 300, .idle = 100 },
                                      .step = { .span = 100, .computing = 75, .idle = 25 },
                                      .source = AZ_SV("profiler_step"),
                                      .device = AZ_SV("H100") };
    c.side.trust[AZ_CHECK_LOST_DEVICE_EVENTS].status = AZ_CHECK_WARN;
    return c;
}

/* A candidate or a run to be stored: one figure, its claims, and a fact. */
static void series_of(struct env *e, struct az_series *s, int64_t steps, const char *fact,
                      const char *value)
{
    const struct az_series_claims c = claims_of(steps);
    struct az_metric m = { .input = AZ_SV("in"),
                           .sheet = AZ_SV("t"),
                           .key = AZ_SV("{\"Name\":\"k\"}"),
                           .key_text = AZ_SV("k"),
                           .name = AZ_SV("Total (ns)"),
                           .unit = AZ_SV("ns") };
    size_t at;
    assert_int_equal(az_series_init(s, &e->a), 0);
    assert_int_equal(az_series_input(s, AZ_SV("in"), &at), 0);
    assert_int_equal(az_series_metric(s, &m, &at), 0);
    assert_int_equal(az_series_value(s, at, 5, 0), 0);
    if (steps >= 0)
        assert_int_equal(az_series_claim(s, &c), 0);
    if (fact)
        assert_int_equal(az_series_fact(s, AZ_SV("in"), az_sv_str(fact), az_sv_str(value)), 0);
}

static int64_t store(struct env *e, const char *created, int64_t steps, const char *fact,
                     const char *value, enum az_change_reason why)
{
    struct az_history_run run = a_run(created, why == AZ_CHANGE_COMPARABLE);
    struct az_gate_change change = {
        .change = { .input = AZ_SV("in"), .reason = why, .comparable = why == AZ_CHANGE_COMPARABLE }
    };
    struct az_gate_verdict v;
    struct az_series s;
    int64_t id = 0;
    az_gate_verdict_init(&v, &e->a);
    assert_int_equal(az_vec_push(&v.changes, change), 0);
    series_of(e, &s, steps, fact, value);
    assert_int_equal(az_history_add(e->h, &run, &s, &v, &id), 0);
    az_series_release(&s);
    az_gate_verdict_release(&v);
    return id;
}

/* Number of runs that a choice gives to a candidate of so many steps and this fact. */
static bool found_for(struct env *e, const char *choice, int64_t steps, const char *fact,
                      const char *value, struct az_series *base)
{
    const struct az_history_run like = a_run("2026-02-01", true);
    struct az_series cand;
    struct az_sv why;
    bool found;
    series_of(e, &cand, steps, fact, value);
    assert_int_equal(az_series_init(base, &e->a), 0);
    assert_int_equal(az_history_baseline(e->h, az_sv_str(choice), &like, &cand, base, &found, &why),
                     0);
    az_series_release(&cand);
    return found;
}

static void claims_are_kept(void **state)
{
    struct env *e = *state;
    struct az_series base;
    open_for(e, AZ_HISTORY_WRITE);
    (void)store(e, "2026-01-01", 4, NULL, NULL, AZ_CHANGE_COMPARABLE);
    assert_true(found_for(e, "level", 4, NULL, NULL, &base));
    const struct az_series_claims *c = az_series_claims_of(&base, AZ_SV("in"));
    assert_true(c && c->claimed && c->side.known && c->side.has_steps);
    assert_int_equal(c->side.steps, 4);
    assert_int_equal(c->side.step.span, 100);
    assert_int_equal(c->side.whole.idle, 100);
    assert_int_equal(c->side.devices, 2);
    assert_true(az_sv_is(c->side.source, "profiler_step") && az_sv_is(c->side.device, "H100"));
    assert_int_equal(c->side.trust[AZ_CHECK_LOST_DEVICE_EVENTS].status, AZ_CHECK_WARN);
    az_series_release(&base);
}

static void no_evidence_is_no_baseline(void **state)
{
    static const char *const choices[] = { "level", "last", "last-good" };
    struct env *e = *state;
    struct az_series base;
    open_for(e, AZ_HISTORY_WRITE);
    const int64_t id = store(e, "2026-01-01", 4, NULL, NULL, AZ_CHANGE_TRUNCATED_INPUT);
    for (size_t i = 0; i < 3; i++) {
        assert_false(found_for(e, choices[i], 4, NULL, NULL, &base));
        az_series_release(&base);
    }
    assert_int_equal(az_history_mark(e->h, id, true), 0); /* whoever says so knows better */
    for (size_t i = 0; i < 3; i++) {
        assert_true(found_for(e, choices[i], 4, NULL, NULL, &base));
        az_series_release(&base);
    }
}

static struct az_history_series series_for(struct env *e, int64_t steps, const char *fact,
                                           const char *value, const char *device)
{
    struct az_history_run like = a_run("2026-02-01", true);
    struct az_history_series x;
    struct az_series cand;
    like.device = az_sv_str(device);
    series_of(e, &cand, steps, fact, value);
    assert_int_equal(az_history_find_series(e->h, &like, &cand, &x), 0);
    az_series_release(&cand);
    return x;
}

static void another_driver_is_another_series(void **state)
{
    struct env *e = *state;
    struct az_series base;
    open_for(e, AZ_HISTORY_WRITE);
    (void)store(e, "2026-01-01", 4, "driver", "12.4", AZ_CHANGE_COMPARABLE);
    (void)store(e, "2026-01-02", 4, "driver", "12.4", AZ_CHANGE_COMPARABLE);
    assert_true(found_for(e, "level", 4, "driver", "12.4", &base));
    az_series_release(&base);
    assert_false(found_for(e, "level", 4, "driver", "12.6", &base));
    az_series_release(&base);
    const struct az_history_series x = series_for(e, 4, "driver", "12.6", "H100");
    assert_true(x.others == 2 && x.same == 0 && !x.device);
    assert_true(az_sv_is(x.text, "2 runs are of driver 12.4; this is the first of driver 12.6"));
    assert_int_equal(series_for(e, 4, "driver", "12.4", "H100").text.n, 0);
}

static void another_device_is_another_series(void **state)
{
    struct env *e = *state;
    open_for(e, AZ_HISTORY_WRITE);
    (void)store(e, "2026-01-01", 4, NULL, NULL, AZ_CHANGE_COMPARABLE);
    const struct az_history_series x = series_for(e, 4, NULL, NULL, "H200");
    assert_true(x.device && x.newest == 1);
    assert_true(az_sv_is(x.text, "1 run is of H100; this is the first of H200"));
}

/* Sums of an older version are those of recordings. */
static void runs_without_claims(void **state)
{
    struct env *e = *state;
    struct az_series base;
    open_for(e, AZ_HISTORY_WRITE);
    (void)store(e, "2026-01-01", -1, NULL, NULL, AZ_CHANGE_COMPARABLE);
    assert_false(found_for(e, "level", 4, NULL, NULL, &base));
    az_series_release(&base);
    assert_true(found_for(e, "level", 0, NULL, NULL, &base));
    az_series_release(&base);
}

static void read_only_folder(void **state)
{
    struct env *e = *state;
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 2);
    az_history_close(e->h);
    e->h = NULL;
    assert_int_equal(chmod(e->path, 0400), 0);
    assert_int_equal(chmod(e->dir, 0500), 0);
    open_for(e, AZ_HISTORY_READ);
    struct az_history_runs runs;
    az_vec_init(&runs, NULL);
    assert_int_equal(az_history_list(e->h, 0, &e->a, &runs), 0);
    assert_int_equal(runs.n, 1);
    az_vec_release(&runs);
    az_history_close(e->h);
    e->h = NULL;
    if (geteuid() != 0) /* root writes anywhere */
        refused(e, AZ_HISTORY_WRITE, AZ_EIO, "");
    struct az_diag *d = &e->diag;
    (void)d;
}

static void times(void **state)
{
    struct env *e = *state;
    int64_t t;
    assert_true(az_history_time(AZ_SV("1970-01-01"), &t) && t == 0);
    assert_true(az_history_time(AZ_SV("2000-03-01T12:30:05Z"), &t) && t == 951913805);
    assert_true(az_history_time(AZ_SV("2000-03-01T12:30:05.25+02:30"), &t) &&
                t == 951913805 - 9000);
    assert_true(az_history_time(AZ_SV("2026-11-22 01:25"), &t) && t == 1795310700);
    assert_true(az_history_time(AZ_SV("2024-02-29"), &t) &&
                az_history_time(AZ_SV("2026-12-31"), &t));
    assert_true(az_history_time(AZ_SV("1700000000"), &t) && t == 1700000000);
    assert_true(az_sv_is(az_history_time_text(&e->a, 951913805), "2000-03-01T12:30:05Z"));
    assert_true(az_sv_is(az_history_time_text(&e->a, -1), "1969-12-31T23:59:59Z"));
    static const char *const bad[] = {
        "",           "yesterday",        "2026-13-01",  "2026-02-30", "2023-02-29",
        "2026-04-31", "2026-01-01T25:00", "2026-01-01x", "-5",         "20260101T"
    };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        assert_false(az_history_time(az_sv_str(bad[i]), &t));
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        T(choices),
        T(windows_need_three),
        T(looking_back),
        T(pruning),
        T(numbers_are_not_used_again),
        T(flat_tables),
        T(trend),
        T(step_from_nothing),
        T(no_file),
        T(no_database),
        T(anothers_database),
        T(newer_version),
        T(damaged),
        T(older_version),
        T(second_version),
        T(third_version),
        T(steps_of_nights),
        T(claims_are_kept),
        T(no_evidence_is_no_baseline),
        T(another_driver_is_another_series),
        T(another_device_is_another_series),
        T(runs_without_claims),
        T(read_only_folder),
        T(times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
