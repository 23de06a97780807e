/* Seeded histories of many courses, night by night, with and without weights, times, failures and
 * estimates of other metrics: how many end as what, and a digest of every figure of each. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stats/baseline_stats.h"
#include "stats/rank_test.h"

enum { MOST = 72, OF_COURSE = 150 };

struct digest {
    uint64_t h;
};

/* Five digits: the last bits of exp and log are those of the C library. */
static void add(struct digest *d, double x)
{
    char text[32];
    int n = isnan(x)         ? snprintf(text, sizeof text, "-;")
            : fabs(x) < 1e-9 ? snprintf(text, sizeof text, "0;")
                             : snprintf(text, sizeof text, "%.5g;", x);
    for (int i = 0; i < n; i++)
        d->h = (d->h ^ (unsigned char)text[i]) * 0x100000001b3u;
}

static double uniform(struct az_rng *r) { return (double)az_rng_below(r, 1u << 30) / (1u << 30); }

static double normal(struct az_rng *r)
{
    double sum = -6;
    for (size_t i = 0; i < 12; i++)
        sum += uniform(r);
    return sum;
}

enum course {
    QUIET,
    STEP,
    BACK, /* a level that ends */
    DRIFT,
    JUMP,
    SPIKES,
    MODES,
    WANDER,
    STAIRS,
    ROUNDED, /* few different values */
    SIGNS,   /* about zero: no logarithms */
    COURSES
};
static const char *const course_names[COURSES] = { "quiet",  "step",    "back",  "drift",
                                                   "jump",   "spikes",  "modes", "wander",
                                                   "stairs", "rounded", "signs" };

struct history {
    double v[MOST], error[MOST];
    int64_t time[MOST];
    bool accepted[MOST], failed[MOST];
    size_t n;
};

static double shift_of(enum course c, size_t i, size_t at, size_t to, size_t n, double size)
{
    switch (c) {
    case STEP:
    case ROUNDED:
        return i >= at ? size : 0;
    case BACK:
        return i >= at && i < to ? size : 0;
    case DRIFT:
        return i > at ? size * (double)(i - at) / 4 : 0;
    case JUMP:
        return i + 1 == n ? size : 0;
    case STAIRS:
        return size * (double)(i / 9);
    default:
        return 0;
    }
}

static void make(struct history *h, enum course c, struct az_rng *r)
{
    const size_t n = h->n = 2 + az_rng_below(r, MOST - 1);
    const size_t at = az_rng_below(r, n), to = at + az_rng_below(r, n - at + 1);
    const double noise = 0.002 + 0.01 * uniform(r),
                 size = noise * (double)(1 + az_rng_below(r, 12)) * (az_rng_below(r, 3) ? 1 : -1);
    double walk = 0;
    for (size_t i = 0; i < n; i++) {
        const double worse = 1 + (double)az_rng_below(r, 4);
        h->error[i] = az_rng_below(r, 12) ? noise * worse : (double)NAN;
        h->time[i] = (int64_t)(1700000000 + 86400 * (i + i / 5) + az_rng_below(r, 3600));
        h->accepted[i] = az_rng_below(r, 40) == 0;
        h->failed[i] = i > at && i < to;
        const double e = noise * normal(r);
        walk = c == WANDER ? 0.8 * walk + e : e;
        double y = walk + shift_of(c, i, at, to, n, size);
        if (c == SPIKES && az_rng_below(r, 8) == 0)
            y += 12 * noise;
        if (c == MODES && az_rng_below(r, 3) == 0)
            y += 8 * noise;
        if (c == ROUNDED)
            y = nearbyint(y * 100) / 100;
        h->v[i] = c == SIGNS ? 50 * y : 100 * (1 + y);
    }
}

static struct az_baseline_in request(const struct history *h, size_t k, struct az_rng *r)
{
    static const int worse[] = { 1, -1, 0 };
    struct az_baseline_in in = {
        .v = h->v, .n = h->n, .worse = worse[k % 3], .drift_days = 30, .seed = k
    };
    in.error = k & 1 ? h->error : NULL;
    in.time = k & 2 ? h->time : NULL;
    in.accepted = k & 4 ? h->accepted : NULL;
    in.failed = k % 5 < 2 ? h->failed : NULL;
    in.hold = k % 7 == 3 ? 10 : 0;
    in.within = k % 4 == 2 ? 0.004 : 0;
    in.limit = k % 11 == 5 ? 5 : 0;
    in.drift_days = k % 6 ? 30 : 0;
    if (k % 3 == 1)
        in.others = (struct az_baseline_others){ .spikes = (double)az_rng_below(r, 4),
                                                 .all = 300,
                                                 .correlation = 0.6 * uniform(r),
                                                 .news = 0.2 * uniform(r),
                                                 .flat = 0.3 * uniform(r),
                                                 .noise = log(0.006),
                                                 .apart = 0.4,
                                                 .figures = 12 };
    return in;
}

static void add_all(struct digest *d, const struct az_baseline *b)
{
    const double all[] = { b->center,
                           b->noise,
                           b->newest,
                           b->correlation,
                           b->spikes,
                           b->within,
                           b->kind,
                           b->side,
                           b->z,
                           b->p,
                           (double)b->at,
                           b->before,
                           b->level,
                           (double)b->changed,
                           b->changed_from,
                           b->changed_to,
                           b->drift,
                           b->slope,
                           b->drifted,
                           (double)b->drift_at,
                           b->held,
                           b->total,
                           b->least,
                           b->least_run };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(d, all[i]);
    for (size_t i = 0; i < b->n_base; i++)
        add(d, (double)b->base[i]);
}

static void courses(void **state)
{
    char text[4096] = "";
    struct az_rng r;
    size_t end = 0;
    (void)state;
    az_rng_init(&r, 20);
    for (enum course c = 0; c < COURSES; c++) {
        struct digest d = { 0xcbf29ce484222325u };
        size_t kinds[4] = { 0 }, drifts = 0, held = 0;
        for (size_t k = 0; k < OF_COURSE; k++) {
            struct history h;
            struct az_baseline out;
            make(&h, c, &r);
            const struct az_baseline_in in = request(&h, k, &r);
            assert_int_equal(az_baseline_judge(&in, &out), 0);
            kinds[out.kind]++;
            drifts += out.drift;
            held += out.held;
            add_all(&d, &out);
            az_baseline_release(&out);
        }
        end += (size_t)snprintf(
            text + end, sizeof text - end, "%s: %zu %zu %zu %zu, %zu %zu %08x\n", course_names[c],
            kinds[0], kinds[1], kinds[2], kinds[3], drifts, held, (unsigned)(d.h ^ d.h >> 32));
    }
    assert_string_equal(text, "quiet: 150 0 0 0, 0 0 230a32af\n"
                              "step: 107 6 2 35, 0 1 99e454f9\n"
                              "back: 134 3 0 13, 0 1 49c8ac98\n"
                              "drift: 74 4 0 72, 50 1 9e6dcab7\n"
                              "jump: 92 38 18 2, 0 0 9a98f9bf\n"
                              "spikes: 142 0 7 1, 0 0 522be1df\n"
                              "modes: 150 0 0 0, 0 0 a04dcecc\n"
                              "wander: 146 0 0 4, 0 1 9c3f4acb\n"
                              "stairs: 84 6 0 60, 34 1 61a35325\n"
                              "rounded: 108 5 0 37, 0 1 e1d0973e\n"
                              "signs: 147 0 3 0, 0 0 debff1e3\n");
}

/* Estimates of metrics, their pool, and a metric's noise drawn to it. */
static void pools(void **state)
{
    struct digest d = { 0xcbf29ce484222325u };
    char text[64];
    struct az_rng r;
    (void)state;
    az_rng_init(&r, 21);
    for (size_t pool = 0; pool < 40; pool++) {
        struct az_baseline_estimates of[24];
        struct az_baseline_others o;
        const size_t n = pool % 24;
        for (size_t i = 0; i < n; i++) {
            struct history h;
            make(&h, (enum course)((pool + i) % COURSES), &r);
            assert_int_equal(az_baseline_estimate(h.v, i % 3 ? NULL : h.error, h.n, &of[i]), 0);
            add(&d, of[i].spikes);
            add(&d, of[i].correlation);
            add(&d, of[i].plain);
            add(&d, of[i].flat);
            add(&d, of[i].noise);
        }
        assert_int_equal(az_baseline_pool(of, n, &o), 0);
        const double all[] = { o.spikes, o.all,   o.correlation, o.news,
                               o.flat,   o.noise, o.apart,       (double)o.figures };
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            add(&d, all[i]);
        for (size_t k = 1; k < 40; k += 3) {
            double known;
            add(&d, az_baseline_moderate(0.001 * (double)k, k, &o, &known));
            add(&d, known);
        }
    }
    (void)snprintf(text, sizeof text, "%08x", (unsigned)(d.h ^ d.h >> 32));
    assert_string_equal(text, "3a3af496");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(courses),
        cmocka_unit_test(pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
