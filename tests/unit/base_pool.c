/* The worker pool; also meant to be run with SAN=thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/pool.h"

enum { MOST = 400 };

struct run {
    size_t n;
    long result[MOST]; /* written by a worker, read by `done`: the pool orders the two */
    size_t done_at;    /* jobs handed out so far */
    size_t skipped;
    bool ordered;
    atomic_uint running, most_running;
    atomic_size_t started[MOST], start_count;
    atomic_bool cancel;
    atomic_uint_fast64_t held, most_held;
    const uint64_t *cost;
    uint64_t budget;
    size_t cancel_after; /* ticks or jobs */
    size_t started_then; /* when it was canceled */
    unsigned ticks;
    pthread_t caller;
    bool on_caller;
    unsigned sleep_ms;
};

static void nap(unsigned us)
{
    const struct timespec t = { .tv_nsec = (long)us * 1000 };
    nanosleep(&t, NULL);
}

static void raise_to(atomic_uint *most, unsigned v)
{
    unsigned old = atomic_load(most);
    while (old < v && !atomic_compare_exchange_weak(most, &old, v)) {
    }
}

static void run_job(void *ctx, size_t i, unsigned worker)
{
    struct run *r = ctx;
    (void)worker;
    raise_to(&r->most_running, atomic_fetch_add(&r->running, 1) + 1);
    atomic_store(&r->started[atomic_fetch_add(&r->start_count, 1)], i);
    const uint64_t held =
        atomic_fetch_add(&r->held, r->cost ? r->cost[i] : 1) + (r->cost ? r->cost[i] : 1);
    if (held > atomic_load(&r->most_held))
        atomic_store(&r->most_held, held);
    nap((unsigned)(i * 7919 % 5) * 100 + r->sleep_ms * 1000);
    r->result[i] = (long)i * 3 + 1;
    atomic_fetch_sub(&r->running, 1);
}

static void job_done(void *ctx, size_t i, bool ran)
{
    struct run *r = ctx;
    r->ordered = r->ordered && i == r->done_at;
    r->on_caller = r->on_caller && pthread_equal(pthread_self(), r->caller);
    r->done_at++;
    if (ran) {
        r->ordered = r->ordered && r->result[i] == (long)i * 3 + 1;
        atomic_fetch_sub(&r->held, r->cost ? r->cost[i] : 1);
    } else {
        r->skipped++;
        r->ordered = r->ordered && r->result[i] == 0;
    }
    if (r->cancel_after && r->done_at == r->cancel_after) {
        atomic_store(&r->cancel, true);
        r->started_then = atomic_load(&r->start_count);
    }
}

static bool admit(void *ctx, size_t i, uint64_t in_use)
{
    struct run *r = ctx;
    return in_use + (r->cost ? r->cost[i] : 1) <= r->budget;
}

static bool cancelled(void *ctx) { return atomic_load(&((struct run *)ctx)->cancel); }

static void tick(void *ctx)
{
    struct run *r = ctx;
    r->ticks++;
    r->on_caller = r->on_caller && pthread_equal(pthread_self(), r->caller);
}

static void prepare(struct run *r, size_t n)
{
    memset(r, 0, sizeof *r);
    r->n = n;
    r->ordered = r->on_caller = true;
    r->caller = pthread_self();
    r->budget = UINT64_MAX;
}

static void check_all_done(const struct run *r)
{
    assert_true(r->ordered);
    assert_true(r->on_caller);
    assert_int_equal(r->done_at, r->n);
    assert_int_equal(r->skipped, 0);
    assert_int_equal(r->start_count, r->n);
}

static void any_number_of_workers(void **state)
{
    (void)state;
    static struct run r;
    const struct az_pool_ops ops = { .run = run_job, .done = job_done };
    static const size_t jobs[] = { 0, 1, 2, 7, 60 };
    for (size_t k = 0; k < AZ_LENGTH(jobs); k++) {
        for (unsigned workers = 0; workers <= 5; workers++) {
            prepare(&r, jobs[k]);
            assert_int_equal(az_pool_run(jobs[k], workers, NULL, NULL, &ops, &r), 0);
            check_all_done(&r);
            assert_true(r.most_running <= (workers ? workers : 1));
        }
    }
}

static void starts_in_the_given_order(void **state)
{
    (void)state;
    static struct run r;
    static size_t order[30];
    const struct az_pool_ops ops = { .run = run_job, .done = job_done };
    prepare(&r, 30);
    for (size_t i = 0; i < 30; i++)
        order[i] = 29 - i;
    assert_int_equal(az_pool_run(30, 1, order, NULL, &ops, &r), 0);
    check_all_done(&r);
    for (size_t i = 0; i < 30; i++)
        assert_int_equal(r.started[i], 29 - i);
    prepare(&r, 30);
    assert_int_equal(az_pool_run(30, 4, order, NULL, &ops, &r), 0);
    check_all_done(&r);
    /* An order that names a job twice and another never still runs each once. */
    order[3] = order[4];
    prepare(&r, 30);
    assert_int_equal(az_pool_run(30, 3, order, NULL, &ops, &r), 0);
    check_all_done(&r);
}

static void holds_cost_within_budget(void **state)
{
    (void)state;
    static struct run r;
    static uint64_t cost[60];
    static size_t order[60];
    const struct az_pool_ops ops = { .run = run_job, .done = job_done, .admit = admit };
    for (size_t i = 0; i < 60; i++) {
        cost[i] = 1 + i % 4;
        order[i] = i;
    }
    prepare(&r, 60);
    r.cost = cost;
    r.budget = 6;
    assert_int_equal(az_pool_run(60, 4, order, cost, &ops, &r), 0);
    check_all_done(&r);
    assert_true(r.most_held <= 6);
    assert_int_equal(r.held, 0);
}

/* Every job is dearer than the budget: they run one by one, in an order that needs the rule for
 * stalls. */
static void dear_jobs_run_alone(void **state)
{
    (void)state;
    static struct run r;
    static uint64_t cost[20];
    static size_t order[20];
    const struct az_pool_ops ops = { .run = run_job, .done = job_done, .admit = admit };
    for (size_t i = 0; i < 20; i++) {
        cost[i] = 100;
        order[i] = 19 - i;
    }
    prepare(&r, 20);
    r.cost = cost;
    r.budget = 10;
    assert_int_equal(az_pool_run(20, 4, order, cost, &ops, &r), 0);
    check_all_done(&r);
    assert_int_equal(r.most_running, 1);
    assert_true(r.most_held <=
                200); /* one finished ahead of its turn, and the one that is awaited */
    prepare(&r, 20);
    r.cost = cost;
    r.budget = 10;
    assert_int_equal(az_pool_run(20, 4, NULL, cost, &ops, &r), 0);
    check_all_done(&r);
    assert_int_equal(r.most_held, 100);
}

static void cancel_skips_the_rest(void **state)
{
    (void)state;
    static struct run r;
    const struct az_pool_ops ops = {
        .run = run_job, .done = job_done, .cancelled = cancelled, .tick = tick, .tick_ms = 5
    };
    for (unsigned workers = 1; workers <= 4; workers++) {
        prepare(&r, 300);
        r.cancel_after = 10;
        assert_int_equal(az_pool_run(300, workers, NULL, NULL, &ops, &r), 0);
        assert_true(r.ordered && r.on_caller);
        assert_int_equal(r.done_at, 300);
        assert_int_equal(r.skipped + r.start_count, 300);
        assert_in_range(r.start_count, 10, r.started_then + workers); /* chosen before it */
    }
    prepare(&r, 50); /* before the start */
    atomic_store(&r.cancel, true);
    assert_int_equal(az_pool_run(50, 2, NULL, NULL, &ops, &r), 0);
    assert_int_equal(r.skipped, 50);
    assert_int_equal(r.start_count, 0);
    assert_true(r.ordered);
}

static void *cancel_later(void *arg)
{
    struct run *r = arg;
    while (atomic_load(&r->start_count) < 2)
        nap(200);
    atomic_store(&r->cancel, true);
    return NULL;
}

/* The flag is raised from outside while one job runs and the others are not admitted. */
static void cancel_is_noticed_while_waiting(void **state)
{
    (void)state;
    static struct run r;
    static uint64_t cost[100];
    const struct az_pool_ops ops = {
        .run = run_job, .done = job_done, .admit = admit, .cancelled = cancelled
    };
    for (size_t i = 0; i < 100; i++)
        cost[i] = 100;
    prepare(&r, 100);
    r.cost = cost;
    r.budget = 10;
    r.sleep_ms = 20;
    pthread_t t;
    assert_int_equal(pthread_create(&t, NULL, cancel_later, &r), 0);
    assert_int_equal(az_pool_run(100, 3, NULL, cost, &ops, &r), 0);
    pthread_join(t, NULL);
    assert_true(r.ordered);
    assert_int_equal(r.done_at, 100);
    assert_true(r.skipped >= 90);
}

static void ticks_while_waiting(void **state)
{
    (void)state;
    static struct run r;
    const struct az_pool_ops ops = {
        .run = run_job, .done = job_done, .tick = tick, .tick_ms = 10
    };
    prepare(&r, 2);
    r.sleep_ms = 120;
    assert_int_equal(az_pool_run(2, 2, NULL, NULL, &ops, &r), 0);
    check_all_done(&r);
    assert_in_range(r.ticks, 2, 40);
}

struct parts {
    atomic_uint calls[200];
    atomic_uint total;
};

static void part(void *ctx, unsigned i)
{
    struct parts *p = ctx;
    atomic_fetch_add(&p->calls[i], 1);
    atomic_fetch_add(&p->total, 1);
}

static void splits(void **state)
{
    (void)state;
    static struct parts p;
    for (unsigned workers = 0; workers <= 9; workers += 3) {
        for (unsigned parts = 0; parts <= 200; parts += 40) {
            memset(&p, 0, sizeof p);
            assert_int_equal(az_pool_split(workers, parts, part, &p), 0);
            assert_int_equal(p.total, parts);
            for (unsigned i = 0; i < parts; i++)
                assert_int_equal(p.calls[i], 1);
        }
    }
}

/* Threads of one input share its budget: never above the limit, nothing lost. */
static void take_and_give(void *ctx, unsigned i)
{
    struct az_mem *m = ctx;
    for (size_t k = 1; k <= 2000; k++) {
        const size_t size = (k * 37 + i) % 900 + 1;
        void *p = az_mem_alloc(m, size);
        if (p == NULL)
            continue;
        void *q = az_mem_realloc(m, p, size, size / 2 + 200);
        if (q == NULL)
            az_mem_free(m, p, size);
        else
            az_mem_free(m, q, size / 2 + 200);
    }
}

static void a_budget_is_shared(void **state)
{
    (void)state;
    struct az_mem m;
    az_mem_init(&m, 1500);
    assert_int_equal(az_pool_split(4, 8, take_and_give, &m), 0);
    assert_int_equal(m.used, 0);
    assert_in_range(m.peak, 900, 1500);
}

static atomic_int made;
static const void *make_one(const char *file, const char *part)
{
    static const int one = 1;
    if (strcmp(part, "later") == 0 && atomic_load(&made) == 0) {
        atomic_fetch_add(&made, 1);
        return NULL; /* no memory at the first time */
    }
    atomic_fetch_add(&made, 1);
    return file[0] ? &one : NULL;
}

static void ask_shared(void *ctx, unsigned part)
{
    const void **got = ctx;
    char name[8] = "part"; /* need not live */
    got[part] = az_shared("file", name, make_one);
}

/* Read once for all threads; a failure is tried again. */
static void shared_is_made_once(void **state)
{
    (void)state;
    const void *got[64] = { NULL };
    atomic_store(&made, 0);
    assert_int_equal(az_pool_split(8, 64, ask_shared, got), 0);
    for (size_t i = 0; i < 64; i++)
        assert_ptr_equal(got[i], got[0]);
    assert_non_null(got[0]);
    assert_int_equal(atomic_load(&made), 1);
    atomic_store(&made, 0);
    assert_null(az_shared("file", "later", make_one));
    assert_non_null(az_shared("file", "later", make_one));
    assert_non_null(az_shared("file", "later", make_one));
    assert_int_equal(atomic_load(&made), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_is_made_once),
        cmocka_unit_test(any_number_of_workers),
        cmocka_unit_test(starts_in_the_given_order),
        cmocka_unit_test(holds_cost_within_budget),
        cmocka_unit_test(dear_jobs_run_alone),
        cmocka_unit_test(cancel_skips_the_rest),
        cmocka_unit_test(cancel_is_noticed_while_waiting),
        cmocka_unit_test(ticks_while_waiting),
        cmocka_unit_test(splits),
        cmocka_unit_test(a_budget_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
