/* What a program with threads would take if it had a core for each of them: loaded before it
 * (LD_PRELOAD), this follows the virtual time of its threads. A thread's is what it has computed
 * (its CPU time) since its start, plus what it had to wait for: a thread starts at the time of the
 * one that made it, and who joins a thread goes on at the later of both times. Waiting for locks
 * and for the processor is left out, so that a busy machine says about the same. Prints
 * "path NANOSECONDS all NANOSECONDS" to the file CPU_PATH when the program ends; with
 * CPU_PATH_STEPS also a line for each thread that is joined: the time of both since it began.
 *   cc -O2 -shared -fPIC -o cpu_path.so tests/bench/preload/cpu_path.c -ldl
 *   CPU_PATH=out LD_PRELOAD=./cpu_path.so build/analyzer run ... */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 4096 };

struct child {
    pthread_t id;
    int64_t start, end; /* virtual time */
};
static struct child children[MOST];
static size_t n_children;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int64_t waited; /* and the start, of this thread */

static int64_t clock_of(clockid_t c)
{
    struct timespec t;
    clock_gettime(c, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now(void) { return waited + clock_of(CLOCK_THREAD_CPUTIME_ID); }

struct start {
    void *(*run)(void *);
    void *arg;
    int64_t at;
};

static void *follow(void *of)
{
    struct start s = *(struct start *)of;
    free(of);
    waited = s.at;
    void *result = s.run(s.arg);
    pthread_mutex_lock(&lock);
    if (n_children < MOST)
        children[n_children++] = (struct child){ pthread_self(), s.at, now() };
    pthread_mutex_unlock(&lock);
    return result;
}

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&real, &found, sizeof real);
    struct start *s = malloc(sizeof *s);
    if (!s)
        return 11; /* EAGAIN */
    *s = (struct start){ run, arg, now() };
    const int rc = real(id, attr, follow, s);
    if (rc != 0)
        free(s);
    return rc;
}

int pthread_join(pthread_t id, void **result)
{
    int (*real)(pthread_t, void **);
    void *found = dlsym(RTLD_NEXT, "pthread_join");
    memcpy(&real, &found, sizeof real);
    const int rc = real(id, result);
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < n_children; i++) {
        if (!pthread_equal(children[i].id, id))
            continue;
        if (getenv("CPU_PATH_STEPS"))
            fprintf(stderr, "from %.2f ms: itself %.2f ms, another %.2f ms\n",
                    (double)children[i].start / 1e6, (double)(now() - children[i].start) / 1e6,
                    (double)(children[i].end - children[i].start) / 1e6);
        if (children[i].end > now())
            waited += children[i].end - now();
        children[i] = children[--n_children]; /* ids are used again */
        break;
    }
    pthread_mutex_unlock(&lock);
    return rc;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("CPU_PATH");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (!f)
        return;
    fprintf(f, "path %lld all %lld\n", (long long)now(),
            (long long)clock_of(CLOCK_PROCESS_CPUTIME_ID));
    fclose(f);
}
