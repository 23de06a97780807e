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

static void sql(const struct env *e, const char *text)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(e->path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Everything that a past has, a line each. */
static const char *past_text(struct env *e, const struct az_metric_past *p)
{
    struct az_vec_char t;
    az_vec_init(&t, NULL);
    assert_int_equal(
        az_text_printf(&t, "now %lld commit %.*s\n", (long long)p->now, AZ_SVF(p->commit)), 0);
    for (size_t i = 0; i < p->runs.n; i++)
        assert_int_equal(az_text_printf(&t, "run %lld at %lld = %.*s commit %.*s\n",
                                        (long long)p->runs.v[i].id, (long long)p->runs.v[i].time,
                                        AZ_SVF(p->runs.v[i].created), AZ_SVF(p->runs.v[i].commit)),
                         0);
    for (size_t i = 0; i < p->accepted.n; i++)
        assert_int_equal(
            az_text_printf(&t, "accepted %lld at %lld: %.*s\n", (long long)p->accepted.v[i].run,
                           (long long)p->accepted.v[i].time, AZ_SVF(p->accepted.v[i].figure)),
            0);
    for (size_t i = 0; i < p->steps.n; i++)
        assert_int_equal(az_text_printf(&t, "steps of %.*s in run %u: %g\n",
                                        AZ_SVF(p->steps.v[i].input), p->steps.v[i].run,
                                        p->steps.v[i].steps),
                         0);
    for (size_t i = 0; i < p->s.metrics.n; i++) {
        const struct az_metric *m = &p->s.metrics.v[i];
        assert_int_equal(az_text_printf(&t, "%.*s / %.*s / %.*s / %.*s (%.*s):", AZ_SVF(m->input),
                                        AZ_SVF(m->sheet), AZ_SVF(m->key_text), AZ_SVF(m->name),
                                        AZ_SVF(m->unit)),
                         0);
        for (size_t k = 0; k < m->values.n; k++)
            assert_int_equal(az_text_printf(&t, " %g of %u", m->values.v[k], m->reps.v[k]), 0);
        for (size_t k = 0; k < m->failed.n; k++)
            assert_int_equal(az_text_printf(&t, " failed %u", m->failed.v[k]), 0);
        assert_int_equal(az_text_printf(&t, "\n"), 0);
    }
    const char *text = az_arena_printf(&e->a, "%.*s", (int)t.n, t.v).p;
    az_vec_release(&t);
    return text;
}

static void looking_back(void **state)
{
    struct env *e = *state;
    struct az_history_run like = a_run("2026-02-01T00:00:00Z", true), run;
    struct az_series cand;
    struct az_metric_past p;
    size_t others, at;
    open_for(e, AZ_HISTORY_WRITE);
    run = a_run("2025-12-01T00:00:00Z", true);
    run.commit = AZ_SV("c1");
    add(e, run, 1, 3);
    add(e, a_run("2026-01-02T00:00:01Z", true), 9,
        9); /* imported before the run of the day before */
    run = a_run("2026-01-01T00:00:00+01:00", true);
    run.commit = AZ_SV("c3");
    add(e, run, 5, 7);
    add(e, a_run("2026-01-03T00:00:00Z", false), 8, 8);   /* a user said so */
    add(e, a_run("2026-02-02T00:00:00Z", true), 2, 2);    /* later */
    add(e, a_run("2026-01-04, at noon", true), NAN, NAN); /* no time, no value */
    add(e, a_run("2026-02-01T00:00:00Z", true), 6, 6);    /* as late, already stored: not before */
    sql(e, "INSERT INTO claim VALUES(1,'in',0,'steps',16),(2,'in',0,'steps',60),(2,'in',1,'steps',"
           "40),(3,'other',0,'steps',9);"
           "INSERT INTO verdict(run_id,metric_id,status) VALUES(2,1,'fail'),(3,1,'pass')");
    like.commit = AZ_SV("new");
    assert_int_equal(az_series_init(&cand, &e->a), 0);
    assert_int_equal(az_series_input(&cand, AZ_SV("in"), &at), 0);
    assert_int_equal(az_series_fact(&cand, AZ_SV("in"), AZ_SV("ranks"), AZ_SV("2")), 0);
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    assert_int_equal(az_history_accept(e->h, 2, AZ_SV("k"), AZ_SV("wanted")), 0);
    assert_int_equal(az_history_accept(e->h, 6, AZ_SV(""), AZ_SV("")), 0);
    assert_int_equal(az_history_accept(e->h, 1, AZ_SV(""), AZ_SV("")), 0);
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_int_equal(others, 0);
    assert_string_equal(
        past_text(e, &p),
        "now 1769904000 commit new\n"
        "run 1 at 1764547200 = 2025-12-01T00:00:00Z commit c1\n"
        "run 3 at 1767222000 = 2026-01-01T00:00:00+01:00 commit c3\n"
        "run 2 at 1767312001 = 2026-01-02T00:00:01Z commit \n"
        "run 6 at 0 = 2026-01-04, at noon commit \n"
        "run 7 at 1769904000 = 2026-02-01T00:00:00Z commit \n"
        "accepted 2 at 1767312001: k\n"
        "accepted 6 at 0: \n"
        "accepted 1 at 1764547200: \n"
        "steps of in in run 0: 16\n"
        "steps of other in run 1: 9\n"
        "steps of in in run 2: 100\n"
        "in / t / k / Total (ns) (ns): 2 of 0 6 of 1 9 of 2 nan of 3 6 of 4 failed 2\n");
    assert_true(isnan(az_metric_past_steps_of(&p, AZ_SV("other"), 0)));
    assert_true(az_metric_past_steps_of(&p, AZ_SV("in"), 0) == 16);
    az_metric_past_release(&p);
    /* before a run that is stored */
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    like.created = AZ_SV("2026-01-02T00:00:01Z");
    assert_int_equal(az_history_past(e->h, &like, 2, &cand, &p, &others), 0);
    assert_string_equal(past_text(e, &p),
                        "now 1767312001 commit new\n"
                        "run 1 at 1764547200 = 2025-12-01T00:00:00Z commit c1\n"
                        "run 3 at 1767222000 = 2026-01-01T00:00:00+01:00 commit c3\n"
                        "accepted 2 at 1767312001: k\n"
                        "accepted 6 at 0: \n"
                        "accepted 1 at 1764547200: \n"
                        "steps of in in run 0: 16\n"
                        "steps of other in run 1: 9\n"
                        "in / t / k / Total (ns) (ns): 2 of 0 6 of 1\n");
    az_metric_past_release(&p);
    /* on other facts there is no past */
    like = a_run("2026-02-01T00:00:00Z", true);
    assert_int_equal(az_metric_past_init(&p, &e->a), 0);
    cand.facts.v[0].value = AZ_SV("4");
    assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
    assert_int_equal(p.runs.n, 0);
    assert_int_equal(others, 5);
    az_metric_past_release(&p);
    az_series_release(&cand);
}

/* What of an input differs: ranks, device and class map. A device or a number of ranks that was not
 * stored says nothing, a class map that was not there does. */
static void other_facts(void **state)
{
    static const struct {
        const char *input, *name, *was, *is;
        bool differs;
    } cases[] = {
        { "in", "ranks", "2", "2", false },      { "in", "ranks", "2", "3", true },
        { "in", "ranks", "2", "", false },       { "in", "ranks", "", "3", false },
        { "in", "device", "A", "A", false },     { "in", "device", "A", "B", true },
        { "in", "device", "A", "", false },      { "in", "class map", "x", "x", false },
        { "in", "class map", "x", "y", true },   { "in", "class map", "x", "", true },
        { "in", "class map", "", "y", true },    { "in", "class map", "", "", false },
        { "gone", "ranks", "2", "3", false },    { "in", "color", "red", "blue", false },
        { "gone", "class map", "x", "", false },
    };
    struct env *e = *state;
    struct az_history_run like = a_run("2026-02-01T00:00:00Z", true);
    open_for(e, AZ_HISTORY_WRITE);
    add(e, a_run("2026-01-01T00:00:00Z", true), 1, 3);
    for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
        struct az_series cand;
        struct az_metric_past p;
        size_t others, at;
        sql(e, az_arena_printf(&e->a,
                               "DELETE FROM fact; INSERT INTO fact(run_id,input,k,v) "
                               "VALUES(1,'%s','%s','%s')",
                               cases[i].input, cases[i].name, cases[i].was)
                   .p);
        assert_int_equal(az_series_init(&cand, &e->a), 0);
        assert_int_equal(az_series_input(&cand, AZ_SV("in"), &at), 0);
        if (*cases[i].is)
            assert_int_equal(az_series_fact(&cand, AZ_SV("in"), az_sv_str(cases[i].name),
                                            az_sv_str(cases[i].is)),
                             0);
        assert_int_equal(az_metric_past_init(&p, &e->a), 0);
        assert_int_equal(az_history_past(e->h, &like, 0, &cand, &p, &others), 0);
        if (others != cases[i].differs || p.runs.n != !cases[i].differs)
            fail_msg("%zu: %s '%s' '%s'", i, cases[i].name, cases[i].was, cases[i].is);
        az_metric_past_release(&p);
        az_series_release(&cand);
    }
}

/* Lists, runs read back, names of rows: whole. */
static void listing(void **state)
{
    struct env *e = *state;
    struct az_history_runs runs;
    struct az_history_run r = a_run("2026-01-02T00:00:00Z", true);
    struct az_vec_char t;
    struct az_vec_sv names;
    struct az_series s;
    open_for(e, AZ_HISTORY_WRITE);
    r.label = AZ_SV("nightly");
    r.commit = AZ_SV("abc");
    r.stack = AZ_SV("torch 2");
    r.config_hash = AZ_SV("h1");
    add(e, r, 10, 11);
    add(e, a_run("2026-01-01T00:00:00Z", false), 20, NAN);
    add(e, a_run("2026-01-02T00:00:00Z", true), 30, 31); /* as late: the greater number is newer */
    sql(e, "INSERT INTO verdict(run_id,metric_id,status) VALUES(1,1,'fail'),(3,1,'outlier')");
    assert_int_equal(az_history_pin(e->h, 1, AZ_SV("z")), 0);
    assert_int_equal(az_history_pin(e->h, 1, AZ_SV("a")), 0);
    az_vec_init(&t, NULL);
    az_vec_init(&runs, NULL);
    for (int64_t most = 0; most <= 2; most++) {
        az_vec_reset(&runs);
        assert_int_equal(az_history_list(e->h, most, &e->a, &runs), 0);
        assert_int_equal(az_text_printf(&t, "most %lld:\n", (long long)most), 0);
        for (size_t i = 0; i < runs.n; i++) {
            const struct az_history_run *x = &runs.v[i];
            assert_int_equal(az_text_printf(&t,
                                            "%lld %.*s '%.*s' '%.*s' %.*s %.*s %.*s '%.*s' '%.*s' "
                                            "'%.*s' %d %lld %lld %lld\n",
                                            (long long)x->id, AZ_SVF(x->created), AZ_SVF(x->label),
                                            AZ_SVF(x->commit), AZ_SVF(x->branch), AZ_SVF(x->host),
                                            AZ_SVF(x->device), AZ_SVF(x->stack),
                                            AZ_SVF(x->config_hash), AZ_SVF(x->pins), x->good,
                                            (long long)x->metrics, (long long)x->failed,
                                            (long long)x->outliers),
                             0);
        }
    }
    az_vec_release(&runs);
    az_vec_add(&t, 0);
    assert_string_equal(
        t.v,
        "most 0:\n"
        "3 2026-01-02T00:00:00Z '' '' main node1 H100 '' '' '' 0 1 0 1\n"
        "1 2026-01-02T00:00:00Z 'nightly' 'abc' main node1 H100 'torch 2' 'h1' 'a z' 0 1 1 -1\n"
        "2 2026-01-01T00:00:00Z '' '' main node1 H100 '' '' '' 0 1 0 -1\n"
        "most 1:\n"
        "3 2026-01-02T00:00:00Z '' '' main node1 H100 '' '' '' 0 1 0 1\n"
        "most 2:\n"
        "3 2026-01-02T00:00:00Z '' '' main node1 H100 '' '' '' 0 1 0 1\n"
        "1 2026-01-02T00:00:00Z 'nightly' 'abc' main node1 H100 'torch 2' 'h1' 'a z' 0 1 1 -1\n");
    az_vec_release(&t);
    assert_int_equal(az_series_init(&s, &e->a), 0);
    assert_int_equal(az_history_load(e->h, 9, &r, &s), AZ_EUSAGE);
    assert_int_equal(az_history_load(e->h, 2, &r, &s), 0);
    assert_true(r.id == 2 && !r.good && az_sv_is(r.created, "2026-01-01T00:00:00Z"));
    assert_int_equal(s.metrics.n, 1);
    assert_int_equal(s.metrics.v[0].values.n, 2);
    assert_true(s.metrics.v[0].values.v[0] == 20 && isnan(s.metrics.v[0].values.v[1]));
    az_series_release(&s);
    az_vec_init(&names, NULL);
    assert_int_equal(az_history_names(e->h, AZ_SV("in"), AZ_SV("t"), &e->a, &names), 0);
    assert_int_equal(names.n, 1);
    assert_true(az_sv_is(names.v[0], "k"));
    assert_int_equal(az_history_names(e->h, AZ_SV("in"), AZ_SV("u"), &e->a, &names), 0);
    assert_int_equal(az_history_names(e->h, AZ_SV("x"), AZ_SV("t"), &e->a, &names), 0);
    assert_int_equal(names.n, 1);
    az_vec_release(&names);
}

/* What a baseline is called, or why there is none; whether the history is young. */
static void reasons(void **state)
{
    static const struct {
        const char *choice, *text;
        bool young;
    } cases[] = {
        { "last", "", 0 },     { "last-good", "", 0 }, { "level", "", 0 },
        { "window", "", 0 },   { "window:", "", 0 },   { "window:1", "", 0 },
        { "window:2", "", 0 }, { "window:3", "", 0 },  { "window:x", "", 0 },
        { "pinned:a", "", 0 }, { "pinned:", "", 0 },   { "pinned:ab", "", 0 },
    };
    struct env *e = *state;
    struct az_vec_char t;
    open_for(e, AZ_HISTORY_WRITE);
    az_vec_init(&t, NULL);
    for (int n = 0; n <= 4; n++) {
        assert_int_equal(az_text_printf(&t, "%d runs\n", n), 0);
        for (size_t i = 0; i < AZ_LENGTH(cases); i++) {
            const struct az_history_run like = a_run("2026-02-01", true);
            struct az_series s;
            struct az_sv why = AZ_SV("");
            bool found, young;
            assert_int_equal(az_series_init(&s, &e->a), 0);
            assert_int_equal(az_history_baseline(e->h, az_sv_str(cases[i].choice), &like, NULL, &s,
                                                 &found, &why),
                             0);
            assert_int_equal(
                az_history_is_young(e->h, az_sv_str(cases[i].choice), &like, NULL, &young), 0);
            assert_int_equal(az_text_printf(&t, "%s: %s%.*s, %zu values\n", cases[i].choice,
                                            young ? "young, " : "", AZ_SVF(found ? s.label : why),
                                            s.metrics.n ? s.metrics.v[0].values.n : 0),
                             0);
            az_series_release(&s);
        }
        struct az_history_run run = a_run(az_arena_printf(&e->a, "2026-01-0%d", n + 1).p, n != 1);
        if (n == 2)
            run.label = AZ_SV("release");
        if (n > 1)
            run.commit = AZ_SV("c");
        add(e, run, n, n);
        if (n == 0)
            assert_int_equal(az_history_pin(e->h, 1, AZ_SV("a")), 0);
    }
    az_vec_add(&t, 0);
    assert_string_equal(
        t.v,
        "0 runs\n"
        "last: young, no baseline: no run with branch 'main', hosts like 'node1', device 'H100', 0 "
        "values\n"
        "last-good: young, no baseline: no good run with branch 'main', hosts like 'node1', device "
        "'H100', 0 values\n"
        "level: young, no baseline: no run with branch 'main', hosts like 'node1', device 'H100', "
        "0 values\n"
        "window: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:1: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:2: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:3: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:x: young, no baseline: a window needs 3 good runs, there are 0 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "pinned:a: no baseline: no run is pinned as 'a' (`analyzer history pin ID LABEL`), 0 "
        "values\n"
        "pinned:: no baseline: no run is pinned as '' (`analyzer history pin ID LABEL`), 0 values\n"
        "pinned:ab: no baseline: no run is pinned as 'ab' (`analyzer history pin ID LABEL`), 0 "
        "values\n"
        "1 runs\n"
        "last: run 1 of 2026-01-01, 2 values\n"
        "last-good: run 1 of 2026-01-01, 2 values\n"
        "level: run 1 of 2026-01-01, 2 values\n"
        "window: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:1: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:2: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:3: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:x: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "pinned:a: run 1 of 2026-01-01, 2 values\n"
        "pinned:: no baseline: no run is pinned as '' (`analyzer history pin ID LABEL`), 0 values\n"
        "pinned:ab: no baseline: no run is pinned as 'ab' (`analyzer history pin ID LABEL`), 0 "
        "values\n"
        "2 runs\n"
        "last: run 2 of 2026-01-02, 2 values\n"
        "last-good: run 1 of 2026-01-01, 2 values\n"
        "level: run 2 of 2026-01-02, 2 values\n"
        "window: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:1: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:2: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:3: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "window:x: young, no baseline: a window needs 3 good runs, there are 1 with branch 'main', "
        "hosts like 'node1', device 'H100', 0 values\n"
        "pinned:a: run 1 of 2026-01-01, 2 values\n"
        "pinned:: no baseline: no run is pinned as '' (`analyzer history pin ID LABEL`), 0 values\n"
        "pinned:ab: no baseline: no run is pinned as 'ab' (`analyzer history pin ID LABEL`), 0 "
        "values\n"
        "3 runs\n"
        "last: run 3 of 2026-01-03 release c, 2 values\n"
        "last-good: run 3 of 2026-01-03 release c, 2 values\n"
        "level: run 3 of 2026-01-03 release c, 2 values\n"
        "window: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:1: no baseline: a window needs 3 good runs, there are 1 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:2: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:3: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:x: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "pinned:a: run 1 of 2026-01-01, 2 values\n"
        "pinned:: no baseline: no run is pinned as '' (`analyzer history pin ID LABEL`), 0 values\n"
        "pinned:ab: no baseline: no run is pinned as 'ab' (`analyzer history pin ID LABEL`), 0 "
        "values\n"
        "4 runs\n"
        "last: run 4 of 2026-01-04 c, 2 values\n"
        "last-good: run 4 of 2026-01-04 c, 2 values\n"
        "level: run 4 of 2026-01-04 c, 2 values\n"
        "window: 3 runs up to run 4 of 2026-01-04 c, 6 values\n"
        "window:: 3 runs up to run 4 of 2026-01-04 c, 6 values\n"
        "window:1: no baseline: a window needs 3 good runs, there are 1 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:2: no baseline: a window needs 3 good runs, there are 2 with branch 'main', hosts "
        "like 'node1', device 'H100', 0 values\n"
        "window:3: 3 runs up to run 4 of 2026-01-04 c, 6 values\n"
        "window:x: 3 runs up to run 4 of 2026-01-04 c, 6 values\n"
        "pinned:a: run 1 of 2026-01-01, 2 values\n"
        "pinned:: no baseline: no run is pinned as '' (`analyzer history pin ID LABEL`), 0 values\n"
        "pinned:ab: no baseline: no run is pinned as 'ab' (`analyzer history pin ID LABEL`), 0 "
        "values\n");
    az_vec_release(&t);
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

/* The text of the first line of the verdict with these words; empty: none has them. */
static struct az_sv verdict_line(const struct az_document *d, const char *words)
{
    const struct az_table *t = az_document_table(d, "verdict");

    assert_non_null(t);
    for (size_t i = 0; i < t->rows * t->columns.n; i++) {
        const struct az_sv text = az_cell_text(&t->cells.v[i]);
        if (az_sv_find(text, az_sv_str(words)) >= 0)
            return text;
    }
    return AZ_SV("");
}

/* A slope is no step, also after a step and its end; a level that stays is named with the change
 * that would be found. */
static void trend_rises_gradually(void **state)
{
    struct env *e = *state;
    for (int rises = 0; rises < 2; rises++) {
        struct az_document d;
        char day[40];
        size_t marked = 0;
        open_for(e, AZ_HISTORY_WRITE);
        for (int i = 0; i < 28; i++) {
            snprintf(day, sizeof day, "2026-%02d-%02dT00:00:00Z", 1 + rises, i + 1);
            const double wave = (i % 3 - 1) * 2, rise = i >= 18 ? 5 * (double)(i - 17) : 0;
            const double x = (rises && i >= 6 && i < 12 ? 1080 : 1000) + wave + rises * rise;
            add(e, a_run(day, true), x, x);
        }
        az_document_init(&d, &e->a);
        assert_int_equal(az_history_trend_document(e->h, AZ_SV("t"), 4, &d), 0);
        const struct az_table *t = az_document_table(&d, "trend");
        for (size_t i = 0; i < t->rows; i++) {
            if (!az_sv_is(az_cell_text(az_table_at(t, i, 6)), "drift"))
                continue;
            /* the first run of the slope */
            assert_true(az_sv_is(az_cell_text(az_table_at(t, i, 0)), "47 2026-02-19"));
            assert_true(az_sv_find(t->note, AZ_SV(" since run 47 (2026-02-19): ")) >= 0);
            marked++;
        }
        assert_int_equal(marked, rises);
        assert_int_equal(az_sv_starts(t->note, AZ_SV("rose gradually by ")), rises);
        assert_int_equal(az_sv_ends(t->note, AZ_SV("% per run")), rises);
        assert_int_equal(verdict_line(&d, "rose gradually by ").n > 0, rises);
        assert_int_equal(verdict_line(&d, " (within ").n > 0, !rises);
        az_document_release(&d);
    }
}

/* The list counts failures and outliers as the trend marks them once later runs are known: a run
 * that failed alone was an outlier, and an outlier that others confirm began a regression. */
static void list_in_hindsight(void **state)
{
    static const double of_run[] = { 100, 101, 100, 101, 112, 100, 101, 108, 109, 108, 100, 101 };
    struct env *e = *state;
    struct az_document d;
    char day[40];

    open_for(e, AZ_HISTORY_WRITE);
    for (size_t i = 0; i < AZ_LENGTH(of_run); i++) {
        snprintf(day, sizeof day, "2026-01-%02zuT00:00:00Z", i + 1);
        add(e, a_run(day, true), of_run[i], of_run[i]);
    }
    sql(e, "INSERT INTO verdict(run_id,metric_id,rule,status) VALUES(5,1,'r','fail'),"
           "(8,1,'r','outlier'),(9,1,'r','fail'),(10,1,'r','warn')");
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_list_document(e->h, &d), 0);
    const struct az_table *t = az_document_table(&d, "runs");
    assert_non_null(t);
    for (size_t i = 0; i < t->rows; i++) {
        const int64_t run = az_table_at(t, i, 0)->i;
        const bool outlier = az_table_at(t, i, 10)->type != AZ_EMPTY;
        assert_int_equal(outlier, run == 5);
        assert_int_equal(az_table_at(t, i, 12)->i, run == 8 || run == 9);
    }
    az_document_release(&d);
}

/* Runs beyond the range of those before them are marked where the gate passed, too. */
static void trend_marks_all_outside(void **state)
{
    struct env *e = *state;
    struct az_document d;
    char day[40];

    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 0; i < 12; i++) {
        snprintf(day, sizeof day, "2026-01-%02dT00:00:00Z", i + 1);
        const double x = i == 8 ? 130 : 100 + i % 2;
        add(e, a_run(day, true), x, x);
    }
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_trend_document(e->h, AZ_SV("k / tot"), 4, &d), 0);
    const struct az_table *t = az_document_table(&d, "trend");
    assert_non_null(t);
    for (size_t i = 0; i < t->rows; i++)
        assert_int_equal(az_sv_is(az_cell_text(az_table_at(t, i, 6)), "outside range"), i == 8);
    az_document_release(&d);
}

/* One slope of two metrics has one first run in the sentences of both, and is marked there. */
static void trend_has_one_start(void **state)
{
    struct env *e = *state;
    struct az_document d;
    char day[40];
    size_t marked[2] = { 0, 0 };

    open_for(e, AZ_HISTORY_WRITE);
    for (int i = 0; i < 40; i++) {
        struct az_series s;
        int64_t id;
        snprintf(day, sizeof day, "2026-%02d-%02dT00:00:00Z", 1 + i / 28, i % 28 + 1);
        const struct az_history_run run = a_run(day, true);
        assert_int_equal(az_series_init(&s, &e->a), 0);
        for (int k = 0; k < 2; k++) { /* the second one begins to rise later */
            const double rise = i >= 28 + 2 * k ? 5 * (double)(i - 27 - 2 * k) : 0;
            const struct az_metric m = { .input = AZ_SV("in"),
                                         .sheet = AZ_SV("t"),
                                         .key = k ? AZ_SV("{\"Name\":\"l\"}") : AZ_SV("{}"),
                                         .key_text = k ? AZ_SV("l") : AZ_SV(""),
                                         .name = AZ_SV("Total (ns)"),
                                         .unit = AZ_SV("ns"),
                                         .better = AZ_LOWER_BETTER };
            size_t at;
            assert_int_equal(az_series_metric(&s, &m, &at), 0);
            assert_int_equal(az_series_value(&s, at, 1000 + (i % 3 - 1) * 2 + rise, 0), 0);
        }
        assert_int_equal(az_history_add(e->h, &run, &s, NULL, &id), 0);
        az_series_release(&s);
    }
    az_document_init(&d, &e->a);
    assert_int_equal(az_history_trend_document(e->h, AZ_SV("t"), 4, &d), 0);
    for (size_t k = 0; k < 2; k++) {
        const struct az_table *t = az_document_table(&d, k ? "trend_2" : "trend");
        assert_non_null(t);
        for (size_t i = 0; i < t->rows; i++)
            if (az_sv_find(az_cell_text(az_table_at(t, i, 6)), AZ_SV("drift")) >= 0)
                marked[k] = i;
        assert_true(az_sv_find(t->note, AZ_SV(" since run 29 (2026-02-01): ")) >= 0);
    }
    assert_true(marked[0] == 28 && marked[1] == 28);
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
        T(other_facts),
        T(listing),
        T(reasons),
        T(pruning),
        T(numbers_are_not_used_again),
        T(flat_tables),
        T(trend),
        T(step_from_nothing),
        T(trend_rises_gradually),
        T(list_in_hindsight),
        T(trend_marks_all_outside),
        T(trend_has_one_start),
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
