/* Offsets of the ranks' clocks, from ends of collectives, which come within microseconds of each other.
 * docs/formulas-collectives.md 3.1. */
#include "analyses/collectives/collectives.h"
#include "base/sort.h"

#define ROUNDS   64
#define LEAST_NS 20000 /* a smaller offset is not worth a shift */
#define MOST_NS  (INT64_C(1) << 61)
#define FAR_NS   (INT64_C(1) << 59) /* clocks that are years apart stay so */

struct clocks {
    struct cr *c;
    uint32_t *event; /* those that count, by rank */
    size_t *first;   /* rank -> its first in `event`; ranks + 2 */
    int64_t *offset; /* by rank */
    int64_t *middle; /* by collective: median end, offsets taken away */
    int64_t *scratch;
    uint32_t *component; /* by rank: the least rank index it is connected with */
};

/* Devices of one recording have one clock. */
static uint32_t unit_of(const struct cr *c, uint32_t g) { return c->of ? (uint32_t)c->of[c->rank[g]] : c->rank[g]; }

static bool counts(const struct cr_coll *x) { return (x->flags & CR_SYNC) && !(x->flags & CR_INCOMPLETE); }

/* Difference; what cannot be a time any more is cut. */
static int64_t minus(int64_t a, int64_t b)
{
    const __int128 d = (__int128)a - b;
    return d > MOST_NS ? MOST_NS : d < -MOST_NS ? -MOST_NS : (int64_t)d;
}

static int64_t end_of(const struct cr *c, uint32_t g) { return cr_event(c, g)->end + c->shift[c->rank[g]]; }

static int64_t median(int64_t *v, size_t n)
{
    struct az_stats s;
    if (n == 0)
        return 0;
    const int64_t base = v[0]; /* small numbers: a double holds their midpoint exactly */
    for (size_t i = 0; i < n; i++)
        v[i] = minus(v[i], base);
    az_stats_i64(v, n, &s);
    return base + (int64_t)s.median;
}

/* Events that count, by rank. */
static int collect(struct clocks *k, struct az_arena *a)
{
    struct cr *c = k->c;
    const size_t ranks = c->traces->n;
    size_t most = ranks;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct cr_coll *coll = &c->colls.v[x];
        most = coll->n > most ? coll->n : most;
        for (uint32_t i = 0; counts(coll) && i < coll->n; i++)
            k->first[unit_of(c, cr_member(c, coll, i)) + 2]++;
    }
    for (size_t r = 0; r < ranks; r++) {
        most = k->first[r + 2] > most ? k->first[r + 2] : most;
        k->first[r + 2] += k->first[r + 1];
    }
    k->event = az_arena_array(a, k->first[ranks + 1] + 1, sizeof *k->event);
    k->scratch = az_arena_array(a, most + 1, sizeof *k->scratch);
    if (!k->event || !k->scratch)
        return az_arena_error(a);
    for (size_t x = 0; x < c->colls.n; x++) { /* leaves first[r] at the start of rank r */
        const struct cr_coll *coll = &c->colls.v[x];
        for (uint32_t i = 0; counts(coll) && i < coll->n; i++) {
            const uint32_t g = cr_member(c, coll, i);
            k->event[k->first[unit_of(c, g) + 1]++] = g;
        }
    }
    return 0;
}

static void middles(struct clocks *k)
{
    const struct cr *c = k->c;
    for (size_t x = 0; x < c->colls.n; x++) {
        const struct cr_coll *coll = &c->colls.v[x];
        if (!counts(coll))
            continue;
        for (uint32_t i = 0; i < coll->n; i++) {
            const uint32_t g = cr_member(c, coll, i);
            k->scratch[i] = minus(end_of(c, g), k->offset[unit_of(c, g)]);
        }
        k->middle[x] = median(k->scratch, coll->n);
    }
}

/* How much later than the others' middle a rank ends, for each of its collectives; in scratch. */
static size_t residuals(struct clocks *k, size_t r)
{
    size_t n = 0;
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++)
        k->scratch[n++] = minus(end_of(k->c, k->event[i]), k->middle[k->c->coll[k->event[i]]]);
    return n;
}

/* A rank that shares no collective with another has a clock of its own: offsets are within a component. */
static void connect(struct clocks *k)
{
    const struct cr *c = k->c;
    for (uint32_t r = 0; r < c->traces->n; r++)
        k->component[r] = r;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t x = 0; x < c->colls.n; x++) {
            const struct cr_coll *coll = &c->colls.v[x];
            uint32_t least = AZ_NO_ROW;
            for (uint32_t i = 0; counts(coll) && i < coll->n; i++) {
                const uint32_t of = k->component[unit_of(c, cr_member(c, coll, i))];
                least = of < least ? of : least;
            }
            for (uint32_t i = 0; counts(coll) && i < coll->n; i++) {
                uint32_t *of = &k->component[unit_of(c, cr_member(c, coll, i))];
                changed |= *of != least;
                *of = least;
            }
        }
    }
}

static int ascending(const void *a, const void *b, void *ctx)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

/* The clock of most ranks is the right one: their middle offset (the lower one of an even number) becomes 0; of two
 * ranks that of the first. */
static int anchor(struct clocks *k)
{
    const size_t ranks = k->c->traces->n;
    int rc = 0;
    for (uint32_t root = 0; rc == 0 && root < ranks; root++) {
        size_t n = 0;
        for (size_t r = 0; r < ranks; r++)
            if (k->component[r] == root)
                k->scratch[n++] = k->offset[r];
        if (n > 2)
            rc = az_sort_cmp(k->scratch, n, sizeof *k->scratch, ascending, NULL, k->c->job->mem);
        const int64_t zero = n > 2 ? k->scratch[(n - 1) / 2] : n ? k->scratch[0] : 0;
        for (size_t r = 0; r < ranks; r++)
            if (k->component[r] == root)
                k->offset[r] = minus(k->offset[r], zero);
    }
    return rc;
}

static int settle(struct clocks *k)
{
    const size_t ranks = k->c->traces->n;
    for (int round = 0; round < ROUNDS; round++) {
        bool moved = false;
        middles(k);
        for (size_t r = 0; r < ranks; r++) {
            const size_t n = residuals(k, r);
            const int64_t o = median(k->scratch, n);
            moved |= n && o != k->offset[r];
            k->offset[r] = n ? o : k->offset[r];
        }
        if (!moved)
            break;
    }
    connect(k);
    int rc = anchor(k);
    middles(k);
    return rc;
}

bool cr_clock_off(const struct cr_clock *k)
{
    const int64_t far = k->offset < 0 ? -k->offset : k->offset;
    return k->n && far > LEAST_NS && far / 3 >= k->iqr && (__int128)far > 3 * (__int128)k->iqr;
}

/* Of a recording's events that count, the collectives. */
static size_t collectives_of(const struct clocks *k, size_t r)
{
    const uint32_t *coll = k->c->coll;
    size_t n = 0;
    for (size_t i = k->first[r]; i < k->first[r + 1]; i++)
        n += i == k->first[r] || coll[k->event[i]] != coll[k->event[i - 1]];
    return n;
}

static void report(struct clocks *k)
{
    struct cr *c = k->c;
    const struct az_sv when = c->job->opts->align_clocks;
    size_t next = 0;
    for (size_t r = 0; r < c->traces->n; r++) {
        const size_t n = residuals(k, r);
        const int64_t o = k->offset[r], base = n ? k->scratch[0] : 0;
        struct cr_clock out = { .offset = o, .n = collectives_of(k, r) };
        for (size_t i = 0; i < n; i++)
            k->scratch[i] = minus(k->scratch[i], base);
        if (n)
            out.iqr = (int64_t)(az_percentile_i64(k->scratch, n, 75) - az_percentile_i64(k->scratch, n, 25));
        out.applied = n && o != 0 && (o < 0 ? -o : o) < FAR_NS &&
                      (az_sv_is(when, "always") || (!az_sv_is(when, "never") && cr_clock_off(&out)));
        for (; next < c->ranks->n && (c->of ? c->of[next] : next) == r; next++) {
            c->clock[next] = out;
            if (out.applied)
                c->shift[next] -= o;
        }
    }
}

int cr_align_clocks(struct cr *c)
{
    struct clocks k = { .c = c };
    struct az_arena a;
    az_arena_init(&a, c->job->mem);
    k.first = az_arena_array(&a, c->traces->n + 2, sizeof *k.first);
    k.offset = az_arena_array(&a, c->traces->n + 1, sizeof *k.offset);
    k.middle = az_arena_array(&a, c->colls.n + 1, sizeof *k.middle);
    k.component = az_arena_array(&a, c->traces->n + 1, sizeof *k.component);
    int rc = k.first && k.offset && k.middle && k.component ? 0 : az_arena_error(&a);
    if (rc == 0)
        rc = collect(&k, &a);
    if (rc == 0)
        rc = settle(&k);
    if (rc == 0)
        report(&k);
    az_arena_release(&a);
    return rc;
}
