/* What came before a run, read from the history. */
#include <math.h>

#include "regression/history.h"
#include "regression/history_db.h"
#include "stats/rank_test.h"

/* ---- runs ---- */

static bool is_one(struct az_sv name, const char *what) { return az_sv_is(name, what); }

/* Does a fact of the run prevent its metrics from being comparable? */
static bool differs(const struct az_series *cand, struct az_sv input, struct az_sv name,
                    struct az_sv value)
{
    const bool map = is_one(name, "class map");

    if (!(map || is_one(name, "ranks") || is_one(name, "device")) ||
        !az_series_has_input(cand, input))
        return false;
    const struct az_sv now = az_series_get_fact(cand, input,
                                                map                     ? "class map"
                                                : is_one(name, "ranks") ? "ranks"
                                                                        : "device");
    return (map || (now.n && value.n)) && !az_sv_eq(now, value);
}

static int has_other_facts(struct az_history *h, sqlite3_stmt *st, int64_t run,
                           const struct az_series *cand, bool *other)
{
    int rc;

    *other = false;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(h, st)) == 1)
        *other |=
            differs(cand, az_history_db_text(st, 0, cand->arena),
                    az_history_db_text(st, 1, cand->arena), az_history_db_text(st, 2, cand->arena));
    (void)sqlite3_reset(st);
    return cand->arena->failed ? az_arena_error(cand->arena) : rc;
}

static int read_runs(struct az_history *h, const struct az_history_run *like, int64_t id,
                     struct az_metric_past *out)
{
    struct az_arena *a = out->s.arena;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(
        h,
        "SELECT * FROM (SELECT id,created,commit_id FROM run WHERE good=1 AND " AZ_HISTORY_DB_SAME
        " AND " AZ_HISTORY_DB_BEFORE
        " ORDER BY created DESC, id DESC LIMIT ?6) ORDER BY created,id",
        &st);

    if (rc)
        return rc;
    az_history_db_bind_like(st, like, id);
    (void)sqlite3_bind_int64(st, 6, AZ_METRIC_PAST_RUNS);
    while ((rc = az_history_db_step(h, st)) == 1) {
        struct az_metric_past_run r = { .id = sqlite3_column_int64(st, 0),
                                        .created = az_history_db_text(st, 1, a),
                                        .commit = az_history_db_text(st, 2, a) };
        if (!az_history_time(r.created, &r.time))
            r.time = 0;
        rc = a->failed ? az_arena_error(a) : az_vec_push(&out->runs, r);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* Leaves out the runs with other facts. */
static int keep_same(struct az_history *h, const struct az_series *cand, struct az_metric_past *out,
                     size_t *others)
{
    sqlite3_stmt *st = NULL;
    size_t kept = 0;
    int rc = AZ_OK;

    *others = 0;
    if (h->version < 2)
        return AZ_OK;
    rc = az_history_db_prepare(h, "SELECT input,k,v FROM fact WHERE run_id=?", &st);
    for (size_t i = 0; !rc && i < out->runs.n; i++) {
        struct az_history_db_other series = { .what = NULL };
        bool other, steps = false;
        rc = has_other_facts(h, st, out->runs.v[i].id, cand, &other);
        if (!rc && !other)
            rc = az_history_db_other_series(h, out->runs.v[i].id, cand, &series);
        if (!rc && !other && !series.what)
            rc = az_history_db_other_steps(h, out->runs.v[i].id, cand, &steps);
        other |= series.what || steps;
        if (!rc && !other)
            out->runs.v[kept++] = out->runs.v[i];
    }
    (void)sqlite3_finalize(st);
    *others = out->runs.n - kept;
    out->runs.n = kept;
    return rc;
}

static int read_accepted(struct az_history *h, struct az_metric_past *out)
{
    struct az_arena *a = out->s.arena;
    sqlite3_stmt *st;
    int rc;

    if (h->version < 3)
        return AZ_OK;
    rc = az_history_db_prepare(
        h, "SELECT run_id,figure,created FROM accept JOIN run ON run.id=run_id ORDER BY accept.id",
        &st);
    if (rc)
        return rc;
    while ((rc = az_history_db_step(h, st)) == 1) {
        struct az_metric_past_accepted x = { .run = sqlite3_column_int64(st, 0),
                                             .figure = az_history_db_text(st, 1, a) };
        if (!az_history_time(az_history_db_text(st, 2, a), &x.time))
            x.time = 0;
        rc = a->failed ? az_arena_error(a) : az_vec_push(&out->accepted, x);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* ---- all of it ---- */

int az_history_past(struct az_history *h, const struct az_history_run *like, int64_t id,
                    const struct az_series *cand, struct az_metric_past *out, size_t *others)
{
    int rc = read_runs(h, like, id, out);

    if (!az_history_time(like->created, &out->now))
        out->now = 0;
    out->commit = like->commit;
    if (!rc)
        rc = keep_same(h, cand, out, others);
    if (!rc)
        rc = read_accepted(h, out);
    return rc ? rc : az_history_db_centers(h, out);
}

int az_history_names(struct az_history *h, struct az_sv input, struct az_sv sheet,
                     struct az_arena *arena, struct az_vec_sv *out)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(
        h, "SELECT DISTINCT key_json FROM metric WHERE input=?1 AND sheet=?2 ORDER BY key_json",
        &st);

    if (rc)
        return rc;
    az_history_db_bind_text(st, 1, input);
    az_history_db_bind_text(st, 2, sheet);
    while ((rc = az_history_db_step(h, st)) == 1) {
        const struct az_sv name = az_series_key_text(arena, az_history_db_text(st, 0, arena));
        rc = arena->failed ? az_arena_error(arena) : az_vec_push(out, name);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

int az_history_load(struct az_history *h, int64_t id, struct az_history_run *run,
                    struct az_series *out)
{
    struct az_history_runs all;
    int rc = az_history_db_need_run(h, id);

    az_vec_init(&all, out->arena->mem);
    if (!rc)
        rc = az_history_list(h, 0, out->arena, &all);
    for (size_t i = 0; !rc && i < all.n; i++)
        if (all.v[i].id == id)
            *run = all.v[i];
    az_vec_release(&all);
    return rc ? rc : az_history_db_load(h, id, out);
}
