/* The worker pool. One lock guards all state; jobs are large (a file each), so the lock is never
 * hot. */
#include "base/pool.h"

#include <pthread.h>
#include <time.h>

#include "base/mem.h"

enum { TICK_DEFAULT_MS = 100 };

enum state { PENDING, RUNNING, FINISHED };

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t may_start; /* workers: something that forbids a start may have changed */
    pthread_cond_t finished;  /* the calling thread: a job finished, or the pool stopped */
    size_t n, started;
    const size_t *order;
    const uint64_t *cost;
    const struct az_pool_ops *ops;
    void *ctx;
    unsigned char *state; /* enum state of each job */
    size_t next;          /* place in `order`; what is before it has been started */
    size_t next_done;     /* job whose `done` comes next */
    size_t running;
    uint64_t in_use; /* cost of jobs started whose `done` has not returned */
    bool stop;       /* canceled: nothing starts any more */
};

struct worker {
    struct pool *pool;
    unsigned number;
    pthread_t thread;
};

static uint64_t cost_of(const struct pool *p, size_t i) { return p->cost ? p->cost[i] : 1; }

/* Under the lock. */
static bool stopped(struct pool *p)
{
    if (!p->stop && p->ops->cancelled != NULL && p->ops->cancelled(p->ctx)) {
        p->stop = true;
        pthread_cond_broadcast(&p->may_start);
        pthread_cond_signal(&p->finished);
    }
    return p->stop;
}

/* Under the lock: chooses the job to start now. False: none may start yet.
 * When nothing runs and the calling thread waits for a job that was not started, no cost can become
 * free, so that very job is started whatever it costs: it is the one whose `done` frees the jobs
 * finished ahead of their turn. */
static bool choose(struct pool *p, size_t *job)
{
    while (p->next < p->n && p->state[p->order ? p->order[p->next] : p->next] != PENDING)
        p->next++;
    if (p->next < p->n) {
        *job = p->order ? p->order[p->next] : p->next;
        if (p->in_use == 0 || p->ops->admit == NULL || p->ops->admit(p->ctx, *job, p->in_use))
            return true;
    }
    *job = p->next_done;
    return p->running == 0 && p->next_done < p->n && p->state[p->next_done] == PENDING;
}

static void *run_jobs(void *arg)
{
    struct worker *w = arg;
    struct pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    while (p->started < p->n && !stopped(p)) {
        size_t job;
        if (!choose(p, &job)) {
            pthread_cond_wait(&p->may_start, &p->lock);
            continue;
        }
        p->state[job] = RUNNING;
        p->started++;
        p->running++;
        p->in_use += cost_of(p, job);
        pthread_mutex_unlock(&p->lock);
        p->ops->run(p->ctx, job, w->number);
        pthread_mutex_lock(&p->lock);
        p->state[job] = FINISHED;
        p->running--;
        pthread_cond_signal(&p->finished);
        pthread_cond_broadcast(&p->may_start);
    }
    pthread_cond_broadcast(&p->may_start); /* the others check again and end too */
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static struct timespec later(unsigned ms)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000L;
    if (t.tv_nsec >= 1000000000L) {
        t.tv_nsec -= 1000000000L;
        t.tv_sec++;
    }
    return t;
}

static bool is_past(const struct timespec *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > t->tv_sec || (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* Under the lock: waits until job i is finished, or will never start. Ticks meanwhile, without the
 * lock. */
static void await(struct pool *p, size_t i, struct timespec *next_tick)
{
    const bool ticks = p->ops->tick != NULL || p->ops->cancelled != NULL;
    const unsigned ms = p->ops->tick_ms ? p->ops->tick_ms : TICK_DEFAULT_MS;
    while (p->state[i] != FINISHED && !(p->state[i] == PENDING && stopped(p))) {
        if (!ticks) {
            pthread_cond_wait(&p->finished, &p->lock);
            continue;
        }
        pthread_cond_timedwait(&p->finished, &p->lock, next_tick);
        if (!is_past(next_tick))
            continue;
        *next_tick = later(ms);
        if (p->ops->tick != NULL) {
            pthread_mutex_unlock(&p->lock);
            p->ops->tick(p->ctx);
            pthread_mutex_lock(&p->lock);
        }
        (void)stopped(p);
    }
}

/* On the calling thread: hands out the results by number while the workers go on. */
static void deliver(struct pool *p)
{
    struct timespec next_tick = later(p->ops->tick_ms ? p->ops->tick_ms : TICK_DEFAULT_MS);
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->n; i++) {
        await(p, i, &next_tick);
        const bool ran = p->state[i] == FINISHED;
        pthread_mutex_unlock(&p->lock);
        if (p->ops->done != NULL)
            p->ops->done(p->ctx, i, ran);
        pthread_mutex_lock(&p->lock);
        if (ran)
            p->in_use -= cost_of(p, i);
        p->next_done = i + 1;
        pthread_cond_broadcast(&p->may_start);
    }
    pthread_mutex_unlock(&p->lock);
}

/* Where no thread can be started at all: one job after the other, each handed out at once. */
static void run_alone(struct pool *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const bool ran = !stopped(p);
        if (ran)
            p->ops->run(p->ctx, i, 0);
        if (p->ops->done != NULL)
            p->ops->done(p->ctx, i, ran);
    }
}

static bool init_locks(struct pool *p)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&p->finished, &attr) == 0;
    pthread_condattr_destroy(&attr);
    if (!ok)
        return false;
    if (pthread_cond_init(&p->may_start, NULL) == 0) {
        if (pthread_mutex_init(&p->lock, NULL) == 0)
            return true;
        pthread_cond_destroy(&p->may_start);
    }
    pthread_cond_destroy(&p->finished);
    return false;
}

int az_pool_run(size_t n, unsigned workers, const size_t *order, const uint64_t *cost,
                const struct az_pool_ops *ops, void *ctx)
{
    if (n == 0)
        return 0;
    if (workers == 0)
        workers = 1;
    if (workers > n)
        workers = (unsigned)n;
    struct pool p = { .n = n, .order = order, .cost = cost, .ops = ops, .ctx = ctx };
    int err = AZ_ENOMEM;
    unsigned up = 0;
    struct worker *w = az_mem_alloc(NULL, workers * sizeof *w);
    p.state = az_mem_alloc(NULL, n);
    if (w == NULL || p.state == NULL || !init_locks(&p))
        goto out;
    memset(p.state, PENDING, n);
    while (up < workers) {
        w[up] = (struct worker){ .pool = &p, .number = up };
        if (pthread_create(&w[up].thread, NULL, run_jobs, &w[up]) != 0)
            break; /* fewer do */
        up++;
    }
    if (up > 0) {
        deliver(&p);
        for (unsigned i = 0; i < up; i++)
            pthread_join(w[i].thread, NULL);
    } else {
        run_alone(&p);
    }
    err = 0;
    pthread_mutex_destroy(&p.lock);
    pthread_cond_destroy(&p.may_start);
    pthread_cond_destroy(&p.finished);
out:
    az_mem_free(NULL, p.state, n);
    az_mem_free(NULL, w, workers * sizeof *w);
    return err;
}

/* ---- one job in parts ---- */

struct split {
    atomic_uint next;
    unsigned parts;
    void (*fn)(void *ctx, unsigned part);
    void *ctx;
};

static void *split_work(void *arg)
{
    struct split *s = arg;
    for (;;) {
        const unsigned part = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (part >= s->parts)
            return NULL;
        s->fn(s->ctx, part);
    }
}

int az_pool_split(unsigned workers, unsigned parts, void (*fn)(void *ctx, unsigned part), void *ctx)
{
    enum { MOST = 256 };
    struct split s = { .parts = parts, .fn = fn, .ctx = ctx };
    pthread_t thread[MOST];
    unsigned up = 0;
    atomic_init(&s.next, 0);
    if (workers > parts)
        workers = parts;
    /* The calling thread works too; where fewer threads can be started, the rest do all. */
    while (up + 1 < workers && up < MOST && pthread_create(&thread[up], NULL, split_work, &s) == 0)
        up++;
    split_work(&s);
    while (up > 0)
        pthread_join(thread[--up], NULL);
    return 0;
}

/* ---- monitors ---- */

struct az_monitor {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct az_mem *mem;
};

struct az_monitor *az_monitor_new(struct az_mem *mem)
{
    struct az_monitor *m = az_mem_alloc(mem, sizeof *m);
    if (m == NULL)
        return NULL;
    m->mem = mem;
    if (pthread_mutex_init(&m->lock, NULL) == 0) {
        if (pthread_cond_init(&m->changed, NULL) == 0)
            return m;
        pthread_mutex_destroy(&m->lock);
    }
    az_mem_free(mem, m, sizeof *m);
    return NULL;
}

void az_monitor_free(struct az_monitor *m)
{
    if (m == NULL)
        return;
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->lock);
    az_mem_free(m->mem, m, sizeof *m);
}

void az_monitor_enter(struct az_monitor *m) { pthread_mutex_lock(&m->lock); }
void az_monitor_leave(struct az_monitor *m) { pthread_mutex_unlock(&m->lock); }
void az_monitor_wait(struct az_monitor *m) { pthread_cond_wait(&m->changed, &m->lock); }
void az_monitor_notify(struct az_monitor *m) { pthread_cond_broadcast(&m->changed); }

/* ---- what all inputs share ---- */
struct shared {
    struct shared *next;
    const void *made;
    size_t part;  /* where its name begins */
    char names[]; /* of the file and of the part, both with their ends */
};

const void *az_shared(const char *file, const char *part,
                      const void *(*make)(const char *file, const char *part))
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct shared *first;
    pthread_mutex_lock(&lock);
    struct shared *s = first;
    while (s && (strcmp(s->names, file) != 0 || strcmp(s->names + s->part, part) != 0))
        s = s->next;
    const void *made = s ? s->made : make(file, part);
    const size_t n = strlen(file) + 1, m = strlen(part) + 1;
    if (!s && made && (s = az_mem_alloc(NULL, sizeof *s + n + m))) {
        *s = (struct shared){ .next = first, .made = made, .part = n };
        memcpy(s->names, file, n);
        memcpy(s->names + n, part, m);
        first = s;
    }
    pthread_mutex_unlock(&lock);
    return made;
}
