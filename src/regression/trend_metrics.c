/* The metrics of a history with their nights; of each night the level of those before it. */
#include "regression/trend_metrics.h"

#include <math.h>

#include "base/intern.h"
#include "regression/history_db.h"
#include "regression/key_figures.h"
#include "stats/rank_test.h"

#define BAND_LEAST 3
#define POOL_MOST  64  /* metrics */
#define BAND_K     4.2 /* standard deviations: as LIMIT_JUMP of baseline_stats.c */

struct az_sv az_history_db_figure_text(struct az_arena *a, struct az_sv input, struct az_sv sheet,
                                       struct az_sv key, struct az_sv name)
{
    return az_arena_printf(a, "%.*s / %.*s / %.*s / %.*s", AZ_SVF(input), AZ_SVF(sheet),
                           AZ_SVF(key), AZ_SVF(name));
}

#define METRICS                                                                                    \
    "SELECT id,input,sheet,key_json,name,unit,better FROM metric%s ORDER BY CASE sheet WHEN "      \
    "'" AZ_KEY_FIGURES "' THEN 0 WHEN '" AZ_KEY_PARTS "' THEN 1 WHEN '" AZ_KEY_MEMORY              \
    "' THEN 2 ELSE 3 END,input,sheet,key_json,name"
#define WITH_FAILURES                                                                              \
    " WHERE id IN (SELECT metric_id FROM verdict WHERE status IN ('fail','warn','outlier'))"

static struct az_trend_metric metric_of(sqlite3_stmt *st, struct az_arena *a)
{
    const struct az_sv better = az_history_db_text(st, 6, a),
                       key = az_series_key_text(a, az_history_db_text(st, 3, a)),
                       input = az_history_db_text(st, 1, a), sheet = az_history_db_text(st, 2, a),
                       name = az_history_db_text(st, 4, a);

    return (struct az_trend_metric){ .id = sqlite3_column_int64(st, 0),
                                     .text = az_history_db_figure_text(a, input, sheet, key, name),
                                     .key = key,
                                     .unit = az_history_db_text(st, 5, a),
                                     .name = name,
                                     .input = input,
                                     .worse = az_sv_is(better, "lower")    ? 1
                                              : az_sv_is(better, "higher") ? -1
                                                                           : 0 };
}

static int read_metrics(struct az_history *h, const char *where, struct az_sv key,
                        struct az_arena *a, struct az_trend_metrics *out)
{
    const struct az_sv sql = az_arena_printf(a, METRICS, where);
    sqlite3_stmt *st;
    int rc = sql.p ? az_history_db_prepare(h, sql.p, &st) : az_arena_error(a);

    if (rc)
        return rc;
    while ((rc = az_history_db_step(h, st)) == 1) {
        const struct az_trend_metric m = metric_of(st, a);
        rc = a->failed ? az_arena_error(a) : AZ_OK;
        if (!rc && az_metric_matches(key, m.text, m.key, a))
            rc = az_vec_push(out, m);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

int az_trend_find_metrics(struct az_history *h, struct az_sv key, struct az_arena *a,
                          struct az_trend_metrics *out)
{
    return read_metrics(h, "", key, a, out);
}

/* One night a run, oldest first; the value is the center of the run's samples. */
static int load_nights(struct az_history *h, const struct az_trend_metric *f, struct az_arena *a,
                       struct az_trend_nights *out)
{
    struct az_vec_f64 v;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(
        h,
        "SELECT run.id,created,label,commit_id," AZ_HISTORY_DB_GOOD
        ",value,(SELECT group_concat(status,' ') FROM "
        "(SELECT DISTINCT status FROM verdict WHERE metric_id=?1 AND run_id=run.id AND status IN "
        "('fail','warn','unstable','outlier') ORDER BY status)) FROM sample JOIN run ON "
        "run.id=run_id WHERE "
        "metric_id=?1 ORDER BY created,run.id,rep",
        &st);
    if (rc)
        return rc;
    az_vec_init(&v, NULL);
    (void)sqlite3_bind_int64(st, 1, f->id);
    while ((rc = az_history_db_step(h, st)) == 1) {
        int64_t run = sqlite3_column_int64(st, 0);
        rc = 0;
        if (!out->n || out->v[out->n - 1].run != run) {
            struct az_trend_night n = { .run = run,
                                        .created = az_history_db_text(st, 1, a),
                                        .label = az_history_db_text(st, 2, a),
                                        .commit = az_history_db_text(st, 3, a),
                                        .good = sqlite3_column_int(st, 4) != 0,
                                        .mark = az_history_db_text(st, 6, a) };
            az_vec_reset(&v);
            rc = az_vec_push(out, n);
        }
        if (!rc)
            rc = az_vec_push(&v, az_history_db_real(st, 5));
        if (rc)
            break;
        out->v[out->n - 1].value = az_gate_center(v.v, v.n);
    }
    az_vec_release(&v);
    (void)sqlite3_finalize(st);
    return rc;
}

/* The nights up to which a change of this metric was accepted. */
static int mark_accepted(struct az_history *h, const struct az_trend_metric *f, struct az_arena *a,
                         struct az_trend_nights *n)
{
    sqlite3_stmt *st;
    int rc =
        h->version < 3 ? AZ_OK : az_history_db_prepare(h, "SELECT run_id,figure FROM accept", &st);

    if (rc || h->version < 3)
        return rc;
    while ((rc = az_history_db_step(h, st)) == 1) {
        const int64_t run = sqlite3_column_int64(st, 0);
        if (!az_metric_matches(az_history_db_text(st, 1, a), f->text, f->key, a))
            continue;
        for (size_t i = 0; i < n->n; i++)
            n->v[i].accepted |= n->v[i].run == run;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

/* What a night was compared with: the level of the nights before it, and the values beyond which
 * one night alone is off (docs/formulas-nightly.md). Nothing for the first nights, nor for those
 * without a mark where only these count. */
static int find_levels(struct az_trend_nights *n, int worse,
                       const struct az_baseline_others *others, bool only_marked)
{
    double *v = az_mem_alloc(NULL, (n->n + 1) * sizeof *v);
    bool *accepted = az_mem_alloc(NULL, (n->n + 1) * sizeof *accepted);
    size_t k = 0;
    int rc = v && accepted ? AZ_OK : AZ_ENOMEM;

    for (size_t i = 0; !rc && i < n->n; i++) {
        struct az_baseline o;
        struct az_trend_night *night = &n->v[i];
        night->level = night->low = night->high = NAN;
        if (isnan(night->value))
            continue;
        v[k] = n->v[i].value;
        accepted[k++] = n->v[i].accepted;
        if (k <= BAND_LEAST || (only_marked && !night->mark.n))
            continue;
        rc = az_baseline_judge(&(struct az_baseline_in){ .v = v,
                                                         .n = k,
                                                         .accepted = accepted,
                                                         .worse = worse,
                                                         .others = *others,
                                                         .seed = 1 },
                               &o);
        if (!rc) {
            night->level = o.center;
            night->low = o.center - BAND_K * o.noise;
            night->high = o.center + BAND_K * o.noise;
        }
        az_baseline_release(&o);
    }
    if (v)
        az_mem_free(NULL, v, (n->n + 1) * sizeof *v);
    if (accepted)
        az_mem_free(NULL, accepted, (n->n + 1) * sizeof *accepted);
    return rc;
}

/* ---- noise of the metrics together ---- */

AZ_VEC(struct az_baseline_estimates, estimates);

static int add_estimate(struct az_history *h, const struct az_trend_metric *f, struct az_arena *a,
                        struct estimates *out)
{
    struct az_baseline_estimates one;
    struct az_trend_nights n;
    size_t k = 0;

    az_vec_init(&n, a->mem);
    int rc = load_nights(h, f, a, &n);
    double *v = rc ? NULL : az_arena_array(a, n.n, sizeof *v);
    for (size_t i = 0; v && i < n.n; i++)
        if (!isnan(n.v[i].value))
            v[k++] = n.v[i].value;
    az_vec_release(&n);
    if (rc || a->failed)
        return rc ? rc : az_arena_error(a);
    if (k < BAND_LEAST + 1)
        return AZ_OK;
    rc = az_baseline_estimate(v, NULL, k - 1, &one);
    return rc ? rc : az_vec_push(out, one);
}

int az_trend_pool(struct az_history *h, struct az_arena *a, struct az_baseline_others *out)
{
    struct estimates all;
    struct az_trend_metrics keys;

    *out = (struct az_baseline_others){ .all = 0 };
    az_vec_init(&all, a->mem);
    az_vec_init(&keys, a->mem);
    int rc = az_trend_find_metrics(h, AZ_SV(" / key_"), a, &keys);
    for (size_t i = 0; !rc && i < keys.n && i < POOL_MOST; i++)
        rc = add_estimate(h, &keys.v[i], a, &all);
    if (!rc && all.n > 1)
        rc = az_baseline_pool(all.v, all.n, out);
    az_vec_release(&all);
    az_vec_release(&keys);
    return rc;
}

/* ---- nights ---- */

static int load(struct az_history *h, const struct az_trend_metric *m,
                const struct az_baseline_others *others, bool only_marked, struct az_arena *a,
                struct az_trend_nights *out)
{
    int rc = load_nights(h, m, a, out);

    if (!rc)
        rc = mark_accepted(h, m, a, out);
    return rc ? rc : find_levels(out, m->worse, others, only_marked);
}

int az_trend_load(struct az_history *h, const struct az_trend_metric *m,
                  const struct az_baseline_others *others, struct az_arena *a,
                  struct az_trend_nights *out)
{
    return load(h, m, others, false, a, out);
}

/* ---- counts of runs ---- */

static void count_marks(const struct az_trend_nights *n, const struct az_map *at,
                        struct az_history_runs *runs)
{
    for (size_t i = 0; i < n->n; i++) {
        const struct az_trend_night *night = &n->v[i];
        const uint32_t k = az_map_get(at, (uint64_t)night->run, 0);
        struct az_history_run *r = k == AZ_NO_ID ? NULL : &runs->v[k];
        if (r && az_sv_find(night->mark, AZ_SV("fail")) >= 0)
            r->failed++;
        if (r && az_sv_find(night->mark, AZ_SV("outlier")) >= 0)
            r->outliers = r->outliers < 0 ? 1 : r->outliers + 1;
    }
}

static int count_metric(struct az_history *h, const struct az_trend_metric *m,
                        const struct az_baseline_others *others, struct az_arena *a,
                        struct az_map *at, struct az_history_runs *runs)
{
    struct az_trend_recoveries ended;
    struct az_trend_nights n;

    az_vec_init(&n, a->mem);
    az_vec_init(&ended, a->mem);
    int rc = load(h, m, others, true, a, &n);
    if (!rc)
        rc = az_trend_correct_marks(&n, &ended);
    if (!rc)
        count_marks(&n, at, runs);
    az_vec_release(&ended);
    az_vec_release(&n);
    return rc;
}

int az_history_correct_counts(struct az_history *h, struct az_arena *a,
                              struct az_history_runs *runs)
{
    struct az_baseline_others others;
    struct az_trend_metrics found;
    struct az_map at;
    int rc = az_trend_pool(h, a, &others);

    az_vec_init(&found, a->mem);
    az_map_init(&at, a->mem, runs->n);
    if (!rc)
        rc = read_metrics(h, WITH_FAILURES, AZ_SV(""), a, &found);
    for (size_t i = 0; !rc && i < runs->n; i++) {
        uint32_t *k;
        bool added;
        rc = az_map_put(&at, (uint64_t)runs->v[i].id, 0, 0, &k, &added);
        if (rc)
            break;
        *k = (uint32_t)i;
        runs->v[i].failed = 0;
        runs->v[i].outliers = -1;
    }
    for (size_t i = 0; !rc && i < found.n; i++)
        rc = count_metric(h, &found.v[i], &others, a, &at, runs);
    az_map_release(&at);
    az_vec_release(&found);
    return rc;
}
