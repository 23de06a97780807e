/* The history: runs, baselines, earlier figures. */
#include "regression/history.h"

#include <math.h>

#include "base/num.h"
#include "regression/history_db.h"
#include "stats/rank_test.h"

#define WINDOW_RUNS  10
#define WINDOW_LEAST 3

#define EARLIER_ANY                                                                                \
    "SELECT id FROM run WHERE " AZ_HISTORY_DB_SAME " AND " AZ_HISTORY_DB_BEFORE NEWEST
#define EARLIER                                                                                    \
    "SELECT id FROM run WHERE " AZ_HISTORY_DB_EVIDENCE " AND " AZ_HISTORY_DB_SAME                  \
    " AND " AZ_HISTORY_DB_BEFORE NEWEST
#define NEWEST " ORDER BY created DESC, id DESC LIMIT ?6"

void az_history_db_bind_like(sqlite3_stmt *st, const struct az_history_run *like, int64_t id)
{
    az_history_db_bind_text(st, 1, like->branch);
    az_history_db_bind_text(st, 2, like->host);
    az_history_db_bind_text(st, 3, like->device);
    az_history_db_bind_text(st, 4, like->created);
    (void)sqlite3_bind_int64(st, 5, id);
}

int az_history_list(struct az_history *h, int64_t most, struct az_arena *a,
                    struct az_history_runs *out)
{
    sqlite3_stmt *st;
    const char *pins =
        h->version >= 2
            ? "(SELECT group_concat(label,' ') FROM (SELECT label FROM pin WHERE run_id=run.id "
              "ORDER BY label))"
            : "''";
    struct az_sv sql = az_arena_printf(
        a,
        "SELECT id,created,label,commit_id,branch,host,device,stack,config_hash," AZ_HISTORY_DB_GOOD
        ",%s,"
        "(SELECT count(DISTINCT metric_id) FROM sample WHERE run_id=run.id),"
        "(SELECT count(DISTINCT metric_id) FROM verdict WHERE run_id=run.id AND status='fail'),"
        "(SELECT coalesce(nullif(count(DISTINCT metric_id),0),-1) FROM verdict WHERE run_id=run.id "
        "AND "
        "status='outlier') FROM run "
        "ORDER BY created DESC, id DESC LIMIT ?",
        pins);
    int rc = sql.p ? az_history_db_prepare(h, sql.p, &st) : az_arena_error(a);

    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, most > 0 ? most : -1);
    while ((rc = az_history_db_step(h, st)) == 1) {
        struct az_history_run r = { .id = sqlite3_column_int64(st, 0),
                                    .created = az_history_db_text(st, 1, a),
                                    .label = az_history_db_text(st, 2, a),
                                    .commit = az_history_db_text(st, 3, a),
                                    .branch = az_history_db_text(st, 4, a),
                                    .host = az_history_db_text(st, 5, a),
                                    .device = az_history_db_text(st, 6, a),
                                    .stack = az_history_db_text(st, 7, a),
                                    .config_hash = az_history_db_text(st, 8, a),
                                    .good = sqlite3_column_int(st, 9) != 0,
                                    .pins = az_history_db_text(st, 10, a),
                                    .metrics = sqlite3_column_int64(st, 11),
                                    .failed = sqlite3_column_int64(st, 12),
                                    .outliers = sqlite3_column_int64(st, 13) };
        rc = a->failed ? az_arena_error(a) : az_vec_push(out, r);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* ---- metrics of runs ---- */

/* Runs read into one series: the texts of a metric are read once. */
struct reader {
    struct az_history *h;
    struct az_series *s;
    struct az_map known; /* id in the database -> index in the series */
    sqlite3_stmt *metric;
};

static int reader_init(struct reader *r, struct az_history *h, struct az_series *s)
{
    *r = (struct reader){ .h = h, .s = s };
    az_map_init(&r->known, NULL, 256);
    int rc = az_history_db_prepare(
        h, "SELECT input,sheet,key_json,name,unit,better FROM metric WHERE id=?", &r->metric);
    return rc;
}

static void reader_release(struct reader *r)
{
    az_map_release(&r->known);
    (void)sqlite3_finalize(r->metric);
}

static int read_metric(struct reader *r, int64_t id, size_t *at)
{
    struct az_arena *a = r->s->arena;
    struct az_metric m = { .share = NAN };
    size_t input;
    int rc;

    (void)sqlite3_bind_int64(r->metric, 1, id);
    rc = az_history_db_step(r->h, r->metric);
    if (rc == 1) {
        struct az_sv better = az_history_db_text(r->metric, 5, a);
        m.input = az_history_db_text(r->metric, 0, a);
        m.sheet = az_history_db_text(r->metric, 1, a);
        m.key = az_history_db_text(r->metric, 2, a);
        m.name = az_history_db_text(r->metric, 3, a);
        m.unit = az_history_db_text(r->metric, 4, a);
        m.better = az_sv_is(better, "higher")  ? AZ_HIGHER_BETTER
                   : az_sv_is(better, "lower") ? AZ_LOWER_BETTER
                                               : 0;
    }
    (void)sqlite3_reset(r->metric);
    if (rc < 0 || a->failed)
        return rc < 0 ? rc : az_arena_error(a);
    m.steps = az_series_is_steps(m.key);
    m.key_text = az_series_key_text(a, m.key);
    rc = az_series_metric(r->s, &m, at);
    if (!rc)
        rc = az_series_input(r->s, m.input, &input);
    return rc ? rc : az_series_sheet(r->s, m.input, m.sheet);
}

/* Index of a metric in the series. */
static int metric_at(struct reader *r, int64_t id, size_t *at)
{
    uint32_t *value;
    bool added;
    int rc = az_map_put(&r->known, (uint64_t)id, 0, 0, &value, &added);
    if (rc)
        return rc;
    if (added) {
        rc = read_metric(r, id, at);
        *value = (uint32_t)*at;
    }
    *at = *value;
    return rc;
}

#define SAMPLES "SELECT metric_id,value FROM sample AS s WHERE run_id=?"
#define PASSED                                                                                     \
    " AND NOT EXISTS(SELECT 1 FROM verdict AS v WHERE v.run_id=s.run_id AND "                      \
    "v.metric_id=s.metric_id AND v.status='fail')"
#define IN_ORDER " ORDER BY metric_id,rep"

/* All values of a run, or one center per metric; passed: without metrics that failed. */
static int load_samples(struct reader *r, int64_t run, bool centers, bool passed, uint32_t rep)
{
    struct az_vec_f64 v;
    sqlite3_stmt *st;
    size_t at = 0;
    int64_t metric = -1;
    int rc = az_history_db_prepare(r->h, passed ? SAMPLES PASSED IN_ORDER : SAMPLES IN_ORDER, &st);

    if (rc)
        return rc;
    az_vec_init(&v, NULL);
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(r->h, st)) == 1) {
        bool other = sqlite3_column_int64(st, 0) != metric;
        rc = 0;
        if (other && centers && v.n)
            rc = az_series_value(r->s, at, az_gate_center(v.v, v.n), rep);
        if (!rc && other) {
            az_vec_reset(&v);
            metric = sqlite3_column_int64(st, 0);
            rc = metric_at(r, metric, &at);
        }
        if (!rc)
            rc = centers ? az_vec_push(&v, az_history_db_real(st, 1))
                         : az_series_value(r->s, at, az_history_db_real(st, 1), rep);
        if (rc)
            break;
    }
    if (!rc && centers && v.n)
        rc = az_series_value(r->s, at, az_gate_center(v.v, v.n), rep);
    az_vec_release(&v);
    (void)sqlite3_finalize(st);
    return rc;
}

static int load_facts(struct az_history *h, int64_t run, struct az_series *s)
{
    sqlite3_stmt *st;
    int rc;
    if (h->version < 2)
        return 0;
    rc = az_history_db_prepare(h, "SELECT input,k,v FROM fact WHERE run_id=? ORDER BY input,k,v",
                               &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(h, st)) == 1) {
        rc = az_series_fact(s, az_history_db_text(st, 0, s->arena),
                            az_history_db_text(st, 1, s->arena),
                            az_history_db_text(st, 2, s->arena));
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

AZ_VEC(int64_t, ids);

/* The runs of a list, as the values of one series. passed: without metrics that failed. */
static int load_runs(struct az_history *h, const struct ids *runs, bool passed, struct az_series *s)
{
    struct reader r;
    int rc = reader_init(&r, h, s);
    for (size_t i = 0; !rc && i < runs->n; i++) {
        rc = load_samples(&r, runs->v[i], false, passed, (uint32_t)i);
        if (!rc)
            rc = load_facts(h, runs->v[i], s);
        if (!rc)
            rc = az_history_db_load_claims(h, runs->v[i], s);
    }
    reader_release(&r);
    return rc;
}

/* Steps of the inputs of a run. */
static int load_steps(struct az_history *h, int64_t run, uint32_t rep, struct az_metric_past *p)
{
    struct az_arena *a = p->s.arena;
    sqlite3_stmt *st;
    int rc;

    if (h->version < 4)
        return AZ_OK;
    rc = az_history_db_prepare(
        h, "SELECT input,sum(v) FROM claim WHERE run_id=? AND k='steps' GROUP BY input", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(h, st)) == 1) {
        const struct az_metric_past_steps x = { az_history_db_text(st, 0, a), rep,
                                                az_history_db_real(st, 1) };
        rc = a->failed ? az_arena_error(a) : az_vec_push(&p->steps, x);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* What the values of a run scatter by within it: the last run that has it counts, and of single
 * steps all runs do. */
static int load_spread(struct reader *r, int64_t run, uint32_t rep, const struct az_metric_past *p)
{
    sqlite3_stmt *st;
    size_t at = 0;
    int rc;

    if (r->h->version < 3)
        return AZ_OK;
    rc = az_history_db_prepare(r->h, "SELECT metric_id,value FROM spread WHERE run_id=?", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(r->h, st)) == 1) {
        rc = metric_at(r, sqlite3_column_int64(st, 0), &at);
        if (rc)
            break;
        struct az_metric *m = &r->s->metrics.v[at];
        m->within = az_history_db_real(st, 1);
        const double one = m->within * sqrt(az_metric_past_steps_of(p, m->input, rep));
        if (one > 0) {
            m->spread += log(one);
            m->spread_runs++;
        }
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* Metrics that failed in a run. */
static int load_failed(struct reader *r, int64_t run, uint32_t rep)
{
    sqlite3_stmt *st;
    size_t at = 0;
    int rc = az_history_db_prepare(
        r->h, "SELECT DISTINCT metric_id FROM verdict WHERE run_id=? AND status='fail'", &st);

    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    while ((rc = az_history_db_step(r->h, st)) == 1) {
        rc = metric_at(r, sqlite3_column_int64(st, 0), &at);
        if (!rc)
            rc = az_vec_push(&r->s->metrics.v[at].failed, rep);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* A metric of both of the first two runs is one of most: its room at once, and no more. */
static int reserve_nights(struct az_metric_past *p)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < p->s.metrics.n; i++) {
        struct az_metric *m = &p->s.metrics.v[i];
        if (m->values.n < 2)
            continue;
        rc = az_vec_reserve(&m->values, p->runs.n - m->values.n);
        if (!rc)
            rc = az_vec_reserve(&m->reps, p->runs.n - m->reps.n);
    }
    return rc;
}

int az_history_db_centers(struct az_history *h, struct az_metric_past *p)
{
    struct reader r;
    int rc = reader_init(&r, h, &p->s);
    for (size_t i = 0; !rc && i < p->runs.n; i++) {
        rc = load_samples(&r, p->runs.v[i].id, true, false, (uint32_t)i);
        if (!rc && i == 1)
            rc = reserve_nights(p);
    }
    for (size_t i = 0; !rc && i < p->runs.n; i++)
        rc = load_steps(h, p->runs.v[i].id, (uint32_t)i, p);
    for (size_t i = 0; !rc && i < p->runs.n; i++)
        rc = load_spread(&r, p->runs.v[i].id, (uint32_t)i, p);
    for (size_t i = 0; !rc && i < p->runs.n; i++)
        rc = load_failed(&r, p->runs.v[i].id, (uint32_t)i);
    reader_release(&r);
    return rc;
}

int az_history_db_load(struct az_history *h, int64_t id, struct az_series *out)
{
    struct ids one = { .v = &id, .n = 1 };
    return load_runs(h, &one, false, out);
}

/* ---- which runs ---- */

/* Runs like this one before it that are of the series of `cand` (NULL: of any), newest first, at
 * most `most`. */
static int select_runs(struct az_history *h, const char *sql, const struct az_history_run *like,
                       const struct az_series *cand, int64_t most, struct ids *out)
{
    struct ids all;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, sql, &st);
    if (rc)
        return rc;
    az_vec_init(&all, NULL);
    az_history_db_bind_like(st, like, like->id);
    (void)sqlite3_bind_int64(st, 6, cand ? AZ_METRIC_PAST_RUNS : most);
    while ((rc = az_history_db_step(h, st)) == 1) {
        rc = az_vec_push(&all, sqlite3_column_int64(st, 0));
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    for (size_t i = 0; !rc && i < all.n && (int64_t)out->n < most; i++) {
        struct az_history_db_other other = { .what = NULL };
        if (cand)
            rc = az_history_db_other_series(h, all.v[i], cand, &other);
        if (!rc && !other.what)
            rc = az_vec_push(out, all.v[i]);
    }
    az_vec_release(&all);
    return rc;
}

static int pinned_run(struct az_history *h, struct az_sv label, struct ids *out)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, "SELECT run_id FROM pin WHERE label=?", &st);
    if (rc)
        return rc;
    az_history_db_bind_text(st, 1, label);
    rc = az_history_db_step(h, st);
    if (rc == 1)
        rc = az_vec_push(out, sqlite3_column_int64(st, 0));
    (void)sqlite3_finalize(st);
    return rc;
}

static struct az_sv conditions(struct az_arena *a, const struct az_history_run *like)
{
    return az_arena_printf(a, "branch '%.*s', hosts like '%.*s', device '%.*s'",
                           AZ_SVF(like->branch), AZ_SVF(like->host), AZ_SVF(like->device));
}

static int name_run(struct az_history *h, int64_t run, size_t n, struct az_series *s)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, "SELECT created,label,commit_id FROM run WHERE id=?", &st);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, run);
    rc = az_history_db_step(h, st);
    if (rc == 1) {
        struct az_sv created = az_history_db_text(st, 0, s->arena),
                     label = az_history_db_text(st, 1, s->arena),
                     commit = az_history_db_text(st, 2, s->arena);
        s->id = az_arena_printf(s->arena, "%lld", (long long)run);
        s->label = az_arena_printf(s->arena, "run %lld of %.*s%s%.*s%s%.*s", (long long)run,
                                   AZ_SVF(created), label.n ? " " : "", AZ_SVF(label),
                                   commit.n ? " " : "", AZ_SVF(commit));
        if (n > 1)
            s->label = az_arena_printf(s->arena, "%zu runs up to %.*s", n, AZ_SVF(s->label));
    }
    (void)sqlite3_finalize(st);
    return rc < 0 ? rc : s->arena->failed ? az_arena_error(s->arena) : 0;
}

/* The runs that a choice names, newest first. */
static int choose(struct az_history *h, struct az_sv choice, const struct az_history_run *like,
                  const struct az_series *cand, struct az_arena *a, struct ids *runs,
                  struct az_sv *why)
{
    int64_t n = 1;
    size_t least = 1;
    bool good = !az_sv_is(choice, "last") && !az_sv_is(choice, AZ_HISTORY_LEVEL);
    int rc;

    if (az_sv_starts(choice, AZ_SV("pinned:"))) {
        struct az_sv label = az_sv_make(choice.p + 7, choice.n - 7);
        rc = h->version >= 2 ? pinned_run(h, label, runs) : 0;
        *why = az_arena_printf(
            a, "no baseline: no run is pinned as '%.*s' (`analyzer history pin ID LABEL`)",
            AZ_SVF(label));
        return rc;
    }
    if (az_sv_starts(choice, AZ_SV("window"))) {
        struct az_sv count = choice.n > 7 ? az_sv_make(choice.p + 7, choice.n - 7) : AZ_SV("");
        n = WINDOW_RUNS;
        if (count.n && az_parse_i64(count, &n))
            n = WINDOW_RUNS;
        least = WINDOW_LEAST;
    }
    rc = select_runs(h,
                     good ? "SELECT id FROM run WHERE good=1 AND " AZ_HISTORY_DB_SAME
                            " AND " AZ_HISTORY_DB_BEFORE NEWEST
                     : h->version < 2 ? EARLIER_ANY
                                      : EARLIER,
                     like, cand, n, runs);
    if (!rc && runs->n < least) {
        struct az_sv same = conditions(a, like);
        *why = least > 1
                   ? az_arena_printf(
                         a, "no baseline: a window needs %zu good runs, there are %zu with %.*s",
                         least, runs->n, AZ_SVF(same))
                   : az_arena_printf(a, "no baseline: no %srun with %.*s", good ? "good " : "",
                                     AZ_SVF(same));
        az_vec_reset(runs);
    }
    return rc;
}

/* Metrics that failed in the newest good run have that of the newest run in which they did not. */
static int add_older(struct az_history *h, const struct az_history_run *like,
                     const struct az_series *cand, int64_t newest, struct az_series *out)
{
    struct ids runs;
    struct reader r;
    int rc;

    az_vec_init(&runs, NULL);
    rc = reader_init(&r, h, out);
    if (!rc)
        rc = select_runs(h,
                         "SELECT DISTINCT run.id FROM run JOIN sample AS s ON s.run_id=run.id JOIN "
                         "verdict AS f ON f.metric_id=s.metric_id AND f.status='fail' WHERE good=1 "
                         "AND " AZ_HISTORY_DB_SAME " AND " AZ_HISTORY_DB_BEFORE
                         " ORDER BY created DESC, run.id DESC LIMIT ?6",
                         like, cand, AZ_METRIC_PAST_RUNS, &runs);
    for (size_t i = 0; !rc && i < runs.n; i++) {
        struct az_series one;
        if (runs.v[i] == newest)
            continue;
        rc = az_series_init(&one, out->arena);
        if (!rc)
            rc = load_runs(h, &(struct ids){ .v = &runs.v[i], .n = 1 }, true, &one);
        for (size_t k = 0; !rc && k < one.metrics.n; k++) {
            size_t at;
            if (az_series_find(out, &one.metrics.v[k]) || !one.metrics.v[k].values.n ||
                !az_series_has_input(out, one.metrics.v[k].input))
                continue;
            rc = az_series_metric(out, &one.metrics.v[k], &at);
            for (size_t j = 0; !rc && j < one.metrics.v[k].values.n; j++)
                rc = az_series_value(out, at, one.metrics.v[k].values.v[j], 0);
        }
        az_series_release(&one);
    }
    reader_release(&r);
    az_vec_release(&runs);
    return rc;
}

int az_history_baseline(struct az_history *h, struct az_sv choice,
                        const struct az_history_run *like, const struct az_series *cand,
                        struct az_series *out, bool *found, struct az_sv *why)
{
    struct ids runs;
    int rc;

    az_vec_init(&runs, NULL);
    rc = choose(h, choice, like, cand, out->arena, &runs, why);
    const bool last_good = az_sv_is(choice, "last-good");
    if (!rc)
        rc = load_runs(h, &runs, last_good || az_sv_starts(choice, AZ_SV("window")), out);
    if (!rc && last_good && runs.n)
        rc = add_older(h, like, cand, runs.v[0], out);
    *found = runs.n > 0;
    if (!rc && runs.n)
        rc = name_run(h, runs.v[0], runs.n, out);
    if (!rc)
        rc = az_series_shares(out);
    az_vec_release(&runs);
    return rc;
}

int az_history_is_young(struct az_history *h, struct az_sv choice,
                        const struct az_history_run *like, const struct az_series *cand,
                        bool *young)
{
    const int64_t least = az_sv_starts(choice, AZ_SV("window")) ? WINDOW_LEAST : 1;
    struct ids runs;
    int rc = AZ_OK;

    *young = false;
    if (az_sv_starts(choice, AZ_SV("pinned:")))
        return rc;
    az_vec_init(&runs, NULL);
    rc = select_runs(h, h->version < 2 ? EARLIER_ANY : EARLIER, like, cand, least, &runs);
    *young = !rc && (int64_t)runs.n < least;
    az_vec_release(&runs);
    return rc;
}

/* ---- series ---- */

static int count_series(struct az_history *h, sqlite3_stmt *st, const struct az_history_run *like,
                        const struct az_series *cand, struct az_history_series *out)
{
    struct az_arena *a = cand->arena;
    struct az_history_db_other newest = { .what = NULL };
    int rc;

    while ((rc = az_history_db_step(h, st)) == 1) {
        struct az_history_db_other other = { .what = NULL };
        const struct az_sv device = az_history_db_text(st, 1, a);
        const int64_t id = sqlite3_column_int64(st, 0);
        rc = az_history_db_other_series(h, id, cand, &other);
        if (!rc && !other.what && !az_sv_eq(device, like->device))
            other = (struct az_history_db_other){ "device", device, like->device };
        if (rc)
            return rc;
        out->same += !other.what;
        if (other.what && out->others++ == 0) {
            newest = other;
            out->newest = id;
            out->device = strcmp(other.what, "device") == 0;
        }
    }
    if (rc || out->same || !out->others || !newest.was.n || !newest.is.n)
        return rc;
    out->text =
        az_arena_printf(a, "%zu run%s of %.*s; this is the first of %.*s", out->others,
                        out->others == 1 ? " is" : "s are", AZ_SVF(newest.was), AZ_SVF(newest.is));
    return a->failed ? az_arena_error(a) : AZ_OK;
}

int az_history_find_series(struct az_history *h, const struct az_history_run *like,
                           const struct az_series *cand, struct az_history_series *out)
{
    sqlite3_stmt *st;
    int rc;

    *out = (struct az_history_series){ .text = AZ_SV("") };
    rc = az_history_db_prepare(h,
                               "SELECT id,device FROM run WHERE good=1 AND branch=?1 AND "
                               "rtrim(host,'0123456789')=rtrim(?2,'0123456789') AND ?3=?3 "
                               "AND " AZ_HISTORY_DB_BEFORE NEWEST,
                               &st);
    if (rc)
        return rc;
    az_history_db_bind_like(st, like, like->id);
    (void)sqlite3_bind_int64(st, 6, AZ_METRIC_PAST_RUNS);
    rc = count_series(h, st, like, cand, out);
    (void)sqlite3_finalize(st);
    return rc;
}
