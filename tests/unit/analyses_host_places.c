/* What a thread does at a time: places by a search that remembers where it was. */
#include "unit/analyses_job.h"

#include "analyses/verdict/host.h"

enum { EVENTS = 400, THREADS = 3 };

static uint64_t next_of(uint64_t *s) { return (*s = *s * 6364136223846793005u + 1) >> 33; }

/* Starts of three threads, ascending with ties; the second thread has none. With rows: the events
 * are in another order. */
struct places {
    int64_t start[EVENTS], last_at[THREADS];
    uint32_t row[EVENTS], first[THREADS + 1], last[THREADS];
    struct az_events e;
    struct az_verdict_nest n;
};

static void fill(struct places *p, bool rows)
{
    uint64_t s = 11;
    int64_t at = 100;
    *p = (struct places){ .first = { 0, EVENTS / 2, EVENTS / 2, EVENTS } };
    for (uint32_t i = 0; i < EVENTS; i++) {
        at = i == EVENTS / 2 ? 150 : at + (int64_t)(next_of(&s) % 3); /* the last thread begins */
        p->row[i] = rows ? EVENTS - 1 - i : i;
        p->start[p->row[i]] = at;
    }
    for (size_t k = 0; k < THREADS; k++) {
        p->last[k] = p->first[k];
        p->last_at[k] = INT64_MIN;
    }
    p->e = (struct az_events){ .n = EVENTS, .start = p->start };
    p->n = (struct az_verdict_nest){ .e = &p->e,
                                     .row = rows ? p->row : NULL,
                                     .first = p->first,
                                     .last = p->last,
                                     .last_at = p->last_at };
}

static void ask(const struct places *p, uint32_t thread, int64_t at)
{
    size_t want = p->first[thread];
    while (want < p->first[thread + 1] && p->start[p->row[want]] <= at)
        want++;
    const size_t got = az_verdict_place_at(&p->n, thread, at);
    if (got != want)
        fail_msg("thread %u at %lld: place %zu, not %zu", thread, (long long)at, got, want);
}

/* Steps on, back and far, at and between starts, and the same time again. */
static void places_of_times(void **state)
{
    (void)state;
    for (int rows = 0; rows < 2; rows++) {
        struct places p;
        uint64_t s = 5;
        fill(&p, rows);
        for (uint32_t k = 0; k < THREADS; k++)
            for (int64_t at = 90; at < 600; at++)
                ask(&p, k, at);
        for (uint32_t k = 0; k < THREADS; k++)
            for (int64_t at = 600; at > 90; at--)
                ask(&p, k, at);
        int64_t at = 100;
        for (int i = 0; i < 20000; i++) {
            const uint64_t x = next_of(&s);
            at = x % 11 == 0 ? 90 + (int64_t)(x % 500) : at + (int64_t)(x % 7) - 2;
            ask(&p, (uint32_t)(x >> 8) % THREADS, at);
        }
        ask(&p, 0, INT64_MAX);
        ask(&p, 0, INT64_MIN + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(places_of_times) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
