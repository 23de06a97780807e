/* Threads, locks and conditions that cannot be made: the result, and that all that was made is
 * destroyed. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef AZ_SANITIZED

/* The sanitizers have functions of their own in their place: only that threads work. */
#include "base/pool.h"

static void mark_part(void *ctx, unsigned part) { ((int *)ctx)[part]++; }

static void each_part_once(void **state)
{
    int done[64] = { 0 };
    (void)state;
    assert_int_equal(az_pool_split(4, 64, mark_part, done), 0);
    for (size_t i = 0; i < 64; i++)
        assert_int_equal(done[i], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_part_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/pool.h"

enum { THREAD, LOCK, CONDITION, CLOCK, KINDS };
/* fails_from: this one and all after it, 0: none. Changed by the calling thread only. */
static size_t made[KINDS], fails_from[KINDS], live[KINDS];

static int make(int kind)
{
    if (++made[kind] >= fails_from[kind] && fails_from[kind])
        return ENOMEM;
    live[kind]++;
    return 0;
}

int pthread_create(pthread_t *t, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    const int error = make(THREAD);
    return error ? error : real(t, attr, fn, arg);
}

int pthread_join(pthread_t t, void **result)
{
    static int (*real)(pthread_t, void **);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_join");
    live[THREAD]--;
    return real(t, result);
}

int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    (void)attr;
    *m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    return make(LOCK);
}

int pthread_mutex_destroy(pthread_mutex_t *m)
{
    (void)m;
    live[LOCK]--;
    return 0;
}

int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    static int (*real)(pthread_cond_t *, const pthread_condattr_t *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_cond_init");
    const int error = make(CONDITION);
    return error ? error : real(c, attr);
}

int pthread_cond_destroy(pthread_cond_t *c)
{
    (void)c;
    live[CONDITION]--;
    return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
    static int (*real)(pthread_condattr_t *, clockid_t);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pthread_condattr_setclock");
    const int error = make(CLOCK);
    return error ? error : real(attr, clock);
}

static int begin(void **state)
{
    (void)state;
    memset(made, 0, sizeof made);
    memset(fails_from, 0, sizeof fails_from);
    memset(live, 0, sizeof live);
    return 0;
}

static void check_none_live(void)
{
    assert_int_equal(live[THREAD], 0);
    assert_int_equal(live[LOCK], 0);
    assert_int_equal(live[CONDITION], 0);
}

enum { JOBS = 5 };
struct jobs {
    atomic_uint runs[JOBS];
    unsigned worker[JOBS];
    pthread_t thread[JOBS];
    char done[JOBS + 1]; /* '+' ran, '-' did not */
    size_t n_done;
    size_t cancel_at; /* once so many are done; 0: never */
    uint64_t in_use[4 * JOBS];
    size_t n_in_use;
};

static void run(void *ctx, size_t i, unsigned worker)
{
    struct jobs *j = ctx;
    atomic_fetch_add(&j->runs[i], 1);
    j->worker[i] = worker;
    j->thread[i] = pthread_self();
}

static void done(void *ctx, size_t i, bool ran)
{
    struct jobs *j = ctx;
    assert_int_equal(i, j->n_done);
    j->done[j->n_done++] = ran ? '+' : '-';
}

static bool cancelled(void *ctx)
{
    const struct jobs *j = ctx;
    return j->cancel_at && j->n_done >= j->cancel_at;
}

static const struct az_pool_ops ops = { .run = run, .done = done, .cancelled = cancelled };

static void without_threads(void **state)
{
    (void)state;
    struct jobs j = { .n_done = 0 };
    fails_from[THREAD] = 1;
    assert_int_equal(az_pool_run(JOBS, 3, NULL, NULL, &ops, &j), 0);
    assert_string_equal(j.done, "+++++");
    for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(j.runs[i], 1);
        assert_int_equal(j.worker[i], 0);
        assert_true(pthread_equal(j.thread[i], pthread_self()));
    }
    check_none_live();
    assert_int_equal(made[THREAD], 1);
    struct jobs k = { .cancel_at = 2 };
    assert_int_equal(az_pool_run(JOBS, 3, NULL, NULL, &ops, &k), 0);
    assert_string_equal(k.done, "++---");
    assert_int_equal(k.runs[2], 0);
    const struct az_pool_ops only_run = { .run = run };
    struct jobs l = { .n_done = 0 };
    assert_int_equal(az_pool_run(JOBS, 3, NULL, NULL, &only_run, &l), 0);
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(l.runs[i], 1);
    check_none_live();
}

static void with_fewer_threads(void **state)
{
    (void)state;
    for (size_t first = 2; first <= 4; first++) {
        struct jobs j = { .n_done = 0 };
        begin(NULL);
        fails_from[THREAD] = first;
        assert_int_equal(az_pool_run(JOBS, 4, NULL, NULL, &ops, &j), 0);
        assert_string_equal(j.done, "+++++");
        for (size_t i = 0; i < JOBS; i++) {
            assert_int_equal(j.runs[i], 1);
            assert_true(j.worker[i] < first - 1);
            assert_false(pthread_equal(j.thread[i], pthread_self()));
        }
        assert_int_equal(made[THREAD], first);
        check_none_live();
    }
}

/* As many threads as workers, at most one for each job, and at least one. */
static void number_of_threads(void **state)
{
    (void)state;
    static const struct {
        size_t jobs;
        unsigned workers;
        size_t threads;
    } cases[] = { { 0, 3, 0 }, { 1, 3, 1 }, { 3, 0, 1 }, { 3, 1, 1 },
                  { 3, 2, 2 }, { 3, 3, 3 }, { 3, 4, 3 } };
    for (size_t k = 0; k < AZ_LENGTH(cases); k++) {
        struct jobs j = { .n_done = 0 };
        begin(NULL);
        assert_int_equal(az_pool_run(cases[k].jobs, cases[k].workers, NULL, NULL, &ops, &j), 0);
        assert_int_equal(j.n_done, cases[k].jobs);
        assert_int_equal(made[THREAD], cases[k].threads);
        check_none_live();
    }
}

static void pool_without_locks(void **state)
{
    (void)state;
    static const struct {
        int kind;
        size_t at;
    } cases[] = { { CLOCK, 1 }, { CONDITION, 1 }, { CONDITION, 2 }, { LOCK, 1 } };
    for (size_t k = 0; k < AZ_LENGTH(cases); k++) {
        struct jobs j = { .n_done = 0 };
        begin(NULL);
        fails_from[cases[k].kind] = cases[k].at;
        assert_int_equal(az_pool_run(JOBS, 2, NULL, NULL, &ops, &j), AZ_ENOMEM);
        assert_int_equal(j.n_done, 0);
        assert_int_equal(made[THREAD], 0);
        check_none_live();
    }
}

static bool admit_none(void *ctx, size_t i, uint64_t in_use)
{
    struct jobs *j = ctx;
    (void)i;
    if (j->n_in_use < AZ_LENGTH(j->in_use))
        j->in_use[j->n_in_use++] = in_use;
    return false;
}

/* Without costs each job counts as one. */
static void cost_of_jobs(void **state)
{
    (void)state;
    struct jobs j = { .n_done = 0 };
    struct az_pool_ops one = ops;
    one.admit = admit_none;
    assert_int_equal(az_pool_run(JOBS, 1, NULL, NULL, &one, &j), 0);
    assert_string_equal(j.done, "+++++");
    for (size_t i = 0; i < j.n_in_use; i++)
        assert_int_equal(j.in_use[i], 1);
}

static void count_part(void *ctx, unsigned part)
{
    struct jobs *j = ctx;
    atomic_fetch_add(&j->runs[part], 1);
    j->thread[part] = pthread_self();
}

static void parts_without_threads(void **state)
{
    (void)state;
    for (size_t first = 1; first <= 3; first++) {
        struct jobs j = { .n_done = 0 };
        begin(NULL);
        fails_from[THREAD] = first;
        assert_int_equal(az_pool_split(4, JOBS, count_part, &j), 0);
        for (size_t i = 0; i < JOBS; i++) {
            assert_int_equal(j.runs[i], 1);
            assert_true(first > 1 || pthread_equal(j.thread[i], pthread_self()));
        }
        assert_int_equal(made[THREAD], first);
        check_none_live();
    }
}

/* The calling thread is one of them. */
static void threads_of_parts(void **state)
{
    (void)state;
    static const struct {
        unsigned workers, parts;
        size_t threads;
    } cases[] = { { 0, 2, 0 }, { 1, 2, 0 }, { 2, 2, 1 }, { 3, 2, 1 },
                  { 3, 5, 2 }, { 5, 5, 4 }, { 9, 5, 4 }, { 9, 0, 0 } };
    for (size_t k = 0; k < AZ_LENGTH(cases); k++) {
        struct jobs j = { .n_done = 0 };
        begin(NULL);
        assert_int_equal(az_pool_split(cases[k].workers, cases[k].parts, count_part, &j), 0);
        for (size_t i = 0; i < JOBS; i++)
            assert_int_equal(j.runs[i], i < cases[k].parts);
        assert_int_equal(made[THREAD], cases[k].threads);
        check_none_live();
    }
}

static atomic_uint called;
static void count_call(void *ctx, unsigned part)
{
    (void)ctx;
    (void)part;
    atomic_fetch_add(&called, 1);
}

/* Of more than 256 workers, 256 are threads of their own. */
static void most_parts(void **state)
{
    (void)state;
    static const struct {
        unsigned workers;
        size_t threads;
    } cases[] = { { 256, 255 }, { 257, 256 }, { 258, 256 }, { 300, 256 } };
    for (size_t k = 0; k < AZ_LENGTH(cases); k++) {
        begin(NULL);
        atomic_store(&called, 0);
        assert_int_equal(az_pool_split(cases[k].workers, 300, count_call, NULL), 0);
        assert_int_equal(called, 300);
        assert_int_equal(made[THREAD], cases[k].threads);
        check_none_live();
    }
}

static void monitors(void **state)
{
    (void)state;
    struct az_mem m;
    az_mem_init(&m, 0);
    struct az_monitor *one = az_monitor_new(&m);
    assert_non_null(one);
    assert_int_equal(live[LOCK], 1);
    assert_int_equal(live[CONDITION], 1);
    assert_true(m.used > 0);
    az_monitor_free(one);
    assert_int_equal(m.used, 0);
    check_none_live();
    az_monitor_free(NULL);
    for (int kind = LOCK; kind <= CONDITION; kind++) {
        begin(NULL);
        fails_from[kind] = 1;
        assert_null(az_monitor_new(&m));
        assert_int_equal(m.used, 0);
        check_none_live();
    }
    az_mem_init(&m, 1);
    assert_null(az_monitor_new(&m));
    check_none_live();
}

struct turns {
    struct az_monitor *monitor;
    unsigned next; /* the part whose turn it is */
    unsigned order[4];
};

static void wait_for_turn(void *ctx, unsigned part)
{
    struct turns *t = ctx;
    az_monitor_enter(t->monitor);
    while (t->next != part)
        az_monitor_wait(t->monitor);
    t->order[3 - part] = part;
    t->next--;
    az_monitor_notify(t->monitor);
    az_monitor_leave(t->monitor);
}

/* The last part first: each waits for the one after it. */
static void monitors_wake_all(void **state)
{
    (void)state;
    struct turns t = { .monitor = az_monitor_new(NULL), .next = 3 };
    assert_non_null(t.monitor);
    assert_int_equal(az_pool_split(4, 4, wait_for_turn, &t), 0);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(t.order[i], 3 - i);
    az_monitor_free(t.monitor);
    check_none_live();
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, begin)
    const struct CMUnitTest tests[] = {
        T(without_threads), T(with_fewer_threads),    T(number_of_threads), T(pool_without_locks),
        T(cost_of_jobs),    T(parts_without_threads), T(threads_of_parts),  T(most_parts),
        T(monitors),        T(monitors_wake_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
