/* The history: everything that writes runs, their metrics and their verdicts. */
#include "base/num.h"
#include "regression/history_db.h"

/* Numbers of runs are not used again when the newest ones are pruned: reports and verdicts name
 * them. The greatest is stored in `meta`, which older programs leave alone: what they add counts,
 * too. */
#define LAST_RUN                                                                                   \
    "max(ifnull((SELECT max(id) FROM run),0),ifnull((SELECT CAST(v AS INTEGER) FROM meta WHERE "   \
    "k='last_run'),0))"
#define KEEP_LAST_RUN "INSERT OR REPLACE INTO meta VALUES('last_run'," LAST_RUN ")"

/* Runs a prepared statement once and makes it ready for the next. */
static int run_once(struct az_history *h, sqlite3_stmt *st)
{
    int rc = az_history_db_step(h, st);
    (void)sqlite3_reset(st);
    return rc < 0 ? rc : 0;
}

/* ---- adding a run ---- */

struct adding {
    struct az_history *h;
    int64_t run;
    sqlite3_stmt *put_metric, *get_metric, *put_sample, *put_verdict, *put_fact, *put_spread;
};

static int insert_run(struct adding *w, const struct az_history_run *r)
{
    sqlite3_stmt *st;
    const struct az_sv text[] = { r->created, r->label,  r->commit, r->branch,
                                  r->host,    r->device, r->stack,  r->config_hash };
    int rc = az_history_db_prepare(
        w->h,
        "INSERT INTO run(created,label,commit_id,branch,host,device,stack,config_hash,good,id) "
        "VALUES(?,?,?,?,?,?,?,?,?,1+" LAST_RUN ")",
        &st);
    if (rc)
        return rc;
    for (int i = 0; i < 8; i++)
        az_history_db_bind_text(st, i + 1, text[i]);
    (void)sqlite3_bind_int(st, 9, r->good);
    rc = run_once(w->h, st);
    (void)sqlite3_finalize(st);
    w->run = sqlite3_last_insert_rowid(w->h->db);
    return rc ? rc : az_history_db_exec(w->h, KEEP_LAST_RUN);
}

static void bind_metric(sqlite3_stmt *st, struct az_sv input, struct az_sv sheet, struct az_sv key,
                        struct az_sv name)
{
    az_history_db_bind_text(st, 1, input);
    az_history_db_bind_text(st, 2, sheet);
    az_history_db_bind_text(st, 3, key);
    az_history_db_bind_text(st, 4, name);
}

static int metric_id(struct adding *w, const struct az_metric *m, int64_t *id)
{
    struct az_sv better = m->better & AZ_HIGHER_BETTER  ? AZ_SV("higher")
                          : m->better & AZ_LOWER_BETTER ? AZ_SV("lower")
                                                        : AZ_SV("none");
    int rc;

    bind_metric(w->put_metric, m->input, m->sheet, m->key, m->name);
    az_history_db_bind_text(w->put_metric, 5, m->unit);
    az_history_db_bind_text(w->put_metric, 6, better);
    rc = run_once(w->h, w->put_metric);
    if (rc)
        return rc;
    bind_metric(w->get_metric, m->input, m->sheet, m->key, m->name);
    rc = az_history_db_step(w->h, w->get_metric);
    *id = rc == 1 ? sqlite3_column_int64(w->get_metric, 0) : 0;
    (void)sqlite3_reset(w->get_metric);
    return rc == 1 ? 0 : rc ? rc : az_history_db_damaged(w->h, "a stored metric is not found");
}

static int insert_samples(struct adding *w, const struct az_series *s)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s->metrics.n; i++) {
        const struct az_metric *m = &s->metrics.v[i];
        int64_t id;
        rc = metric_id(w, m, &id);
        for (size_t k = 0; !rc && k < m->values.n; k++) {
            (void)sqlite3_bind_int64(w->put_sample, 1, w->run);
            (void)sqlite3_bind_int64(w->put_sample, 2, id);
            (void)sqlite3_bind_int64(w->put_sample, 3, (int64_t)k);
            (void)sqlite3_bind_double(w->put_sample, 4, m->values.v[k]); /* NaN is stored as NULL */
            rc = run_once(w->h, w->put_sample);
        }
        if (rc || !(m->within > 0))
            continue;
        (void)sqlite3_bind_int64(w->put_spread, 1, w->run);
        (void)sqlite3_bind_int64(w->put_spread, 2, id);
        (void)sqlite3_bind_double(w->put_spread, 3, m->within);
        rc = run_once(w->h, w->put_spread);
    }
    return rc;
}

static int insert_facts(struct adding *w, const struct az_series *s)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < s->facts.n; i++) {
        (void)sqlite3_bind_int64(w->put_fact, 1, w->run);
        az_history_db_bind_text(w->put_fact, 2, s->facts.v[i].input);
        az_history_db_bind_text(w->put_fact, 3, s->facts.v[i].name);
        az_history_db_bind_text(w->put_fact, 4, s->facts.v[i].value);
        rc = run_once(w->h, w->put_fact);
    }
    return rc;
}

/* Inputs for which the run is no baseline. Another device is the first run of a series. */
static int insert_reasons(struct adding *w, const struct az_gate_verdict *v)
{
    int rc = 0;
    for (size_t i = 0; !rc && i < v->changes.n; i++) {
        const struct az_change *c = &v->changes.v[i].change;
        if (c->comparable || c->reason == AZ_CHANGE_DEVICE_DIFFERS)
            continue;
        (void)sqlite3_bind_int64(w->put_fact, 1, w->run);
        az_history_db_bind_text(w->put_fact, 2, c->input);
        az_history_db_bind_text(w->put_fact, 3, AZ_SV(AZ_HISTORY_NO_EVIDENCE));
        az_history_db_bind_text(w->put_fact, 4, az_sv_str(az_change_reason_id(c->reason)));
        rc = run_once(w->h, w->put_fact);
    }
    return rc;
}

/* Verdicts of metrics that both sides, or the candidate alone, have. */
static int insert_verdicts(struct adding *w, const struct az_gate_verdict *v)
{
    int64_t base = -1;
    int rc = 0;

    if (az_parse_i64(v->base_id, &base))
        base = -1;
    for (size_t i = 0; !rc && i < v->results.n; i++) {
        const struct az_gate_result *x = &v->results.v[i];
        bind_metric(w->get_metric, x->input, x->sheet, x->key, x->metric);
        rc = az_history_db_step(w->h, w->get_metric);
        int64_t id = rc == 1 ? sqlite3_column_int64(w->get_metric, 0) : -1;
        (void)sqlite3_reset(w->get_metric);
        rc = rc < 0 ? rc : 0;
        if (rc || id < 0)
            continue;
        (void)sqlite3_bind_int64(w->put_verdict, 1, w->run);
        (void)sqlite3_bind_int64(w->put_verdict, 2, id);
        if (base < 0)
            (void)sqlite3_bind_null(w->put_verdict, 3);
        else
            (void)sqlite3_bind_int64(w->put_verdict, 3, base);
        az_history_db_bind_text(w->put_verdict, 4, x->rule_name);
        az_history_db_bind_text(w->put_verdict, 5, az_sv_str(az_gate_status_text(x->status)));
        (void)sqlite3_bind_double(w->put_verdict, 6, x->rel);
        (void)sqlite3_bind_double(w->put_verdict, 7,
                                  x->status == AZ_GATE_IMPROVED ? x->p_better : x->p);
        rc = run_once(w->h, w->put_verdict);
    }
    return rc;
}

static int prepare_adding(struct adding *w)
{
    int rc = az_history_db_prepare(
        w->h,
        "INSERT INTO metric(input,sheet,key_json,name,unit,better) VALUES(?,?,?,?,?,?) "
        "ON CONFLICT(input,sheet,key_json,name) DO UPDATE SET unit=excluded.unit, "
        "better=excluded.better WHERE unit<>excluded.unit OR better<>excluded.better",
        &w->put_metric);
    if (!rc)
        rc = az_history_db_prepare(
            w->h, "SELECT id FROM metric WHERE input=? AND sheet=? AND key_json=? AND name=?",
            &w->get_metric);
    if (!rc)
        rc = az_history_db_prepare(w->h, "INSERT INTO sample VALUES(?,?,?,?)", &w->put_sample);
    if (!rc)
        rc = az_history_db_prepare(w->h, "INSERT OR REPLACE INTO verdict VALUES(?,?,?,?,?,?,?)",
                                   &w->put_verdict);
    if (!rc)
        rc =
            az_history_db_prepare(w->h, "INSERT OR IGNORE INTO fact VALUES(?,?,?,?)", &w->put_fact);
    if (!rc)
        rc = az_history_db_prepare(w->h, "INSERT OR REPLACE INTO spread VALUES(?,?,?)",
                                   &w->put_spread);
    return rc;
}

static int change(struct az_history *h, const char *sql, int64_t number, struct az_sv text)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, sql, &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, number);
    if (sqlite3_bind_parameter_count(st) > 1)
        az_history_db_bind_text(st, 2, text);
    rc = run_once(h, st);
    (void)sqlite3_finalize(st);
    return rc;
}

static void release_adding(struct adding *w)
{
    (void)sqlite3_finalize(w->put_metric);
    (void)sqlite3_finalize(w->get_metric);
    (void)sqlite3_finalize(w->put_sample);
    (void)sqlite3_finalize(w->put_verdict);
    (void)sqlite3_finalize(w->put_fact);
    (void)sqlite3_finalize(w->put_spread);
}

int az_history_add(struct az_history *h, const struct az_history_run *run,
                   const struct az_series *s, const struct az_gate_verdict *v, int64_t *id)
{
    struct adding w = { .h = h };
    int rc = prepare_adding(&w);

    if (!rc)
        rc = az_history_db_exec(h, "BEGIN IMMEDIATE");
    bool open = !rc;
    if (!rc)
        rc = insert_run(&w, run);
    if (!rc)
        rc = insert_samples(&w, s);
    if (!rc)
        rc = insert_facts(&w, s);
    if (!rc)
        rc = az_history_db_put_claims(h, w.run, s);
    if (!rc && v)
        rc = insert_reasons(&w, v);
    if (!rc && v)
        rc = insert_verdicts(&w, v);
    if (!rc)
        rc = az_history_db_exec(h, "COMMIT");
    if (rc && open)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    release_adding(&w);
    *id = w.run;
    return rc;
}

int az_history_judge(struct az_history *h, int64_t id, const struct az_gate_verdict *v)
{
    struct adding w = { .h = h, .run = id };
    int rc = prepare_adding(&w);

    if (!rc)
        rc = az_history_db_exec(h, "BEGIN IMMEDIATE");
    bool open = !rc;
    /* older programs marked a run bad where a metric failed */
    if (!rc)
        rc = change(h,
                    "UPDATE run SET good=1 WHERE id=? AND EXISTS(SELECT 1 FROM verdict WHERE "
                    "run_id=run.id AND status='fail')",
                    id, AZ_SV(""));
    if (!rc)
        rc = change(h, "DELETE FROM verdict WHERE run_id=?", id, AZ_SV(""));
    if (!rc)
        rc = insert_verdicts(&w, v);
    if (!rc)
        rc = az_history_db_exec(h, "COMMIT");
    if (rc && open)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    release_adding(&w);
    return rc;
}

/* ---- changes to runs ---- */

int az_history_db_need_run(struct az_history *h, int64_t id)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, "SELECT 1 FROM run WHERE id=?", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, id);
    rc = az_history_db_step(h, st);
    (void)sqlite3_finalize(st);
    if (rc == 0)
        return az_diag_fail(h->diag, AZ_EUSAGE, AZ_AT_FILE(h->path),
                            "no run %lld; see `analyzer history list`", (long long)id);
    return rc < 0 ? rc : 0;
}

int az_history_mark(struct az_history *h, int64_t id, bool good)
{
    int rc = az_history_db_need_run(h, id);
    if (!rc && good) /* the user decides */
        rc = change(h, "DELETE FROM fact WHERE run_id=? AND k='" AZ_HISTORY_NO_EVIDENCE "'", id,
                    AZ_SV(""));
    if (rc)
        return rc;
    return change(h, good ? "UPDATE run SET good=1 WHERE id=?" : "UPDATE run SET good=0 WHERE id=?",
                  id, AZ_SV(""));
}

int az_history_pin(struct az_history *h, int64_t id, struct az_sv label)
{
    int rc = az_history_db_need_run(h, id);
    return rc ? rc : change(h, "INSERT OR REPLACE INTO pin(run_id,label) VALUES(?,?)", id, label);
}

int az_history_accept(struct az_history *h, int64_t id, struct az_sv figure, struct az_sv reason)
{
    sqlite3_stmt *st;
    int rc = az_history_db_need_run(h, id);

    if (!rc)
        rc =
            az_history_db_prepare(h, "INSERT INTO accept(run_id,figure,reason) VALUES(?,?,?)", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, id);
    az_history_db_bind_text(st, 2, figure);
    az_history_db_bind_text(st, 3, reason);
    rc = run_once(h, st);
    (void)sqlite3_finalize(st);
    return rc;
}

int az_history_prune(struct az_history *h, int64_t keep, int64_t *removed)
{
    int rc = az_history_db_exec(h, "BEGIN IMMEDIATE");
    if (rc)
        return rc;
    rc = az_history_db_exec(h, KEEP_LAST_RUN); /* an older program may have added them */
    if (!rc)
        rc = change(h,
                    "DELETE FROM run WHERE id NOT IN (SELECT run_id FROM pin) AND id NOT IN "
                    "(SELECT id FROM run ORDER BY created DESC, id DESC LIMIT ?)",
                    keep, AZ_SV(""));
    *removed = rc ? 0 : sqlite3_changes(h->db);
    if (!rc)
        rc = az_history_db_exec(
            h, "DELETE FROM metric WHERE id NOT IN (SELECT metric_id FROM sample) AND id NOT IN "
               "(SELECT metric_id FROM verdict)");
    if (!rc)
        rc = az_history_db_exec(h, "COMMIT");
    if (rc)
        (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
