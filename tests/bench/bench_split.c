/* One trace parsed by one thread and by several, in turns: bench_split [--smoke] [-t THREADS] FILE
 * Prints the medians of the ratio of wall times, and of the CPU time of one thread against that of
 * the calling thread among several: what the wall ratio comes to where every thread has a core of
 * its own. Target: at least 1.6 on two cores. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "config/config.h"
#include "registry.h"

#define MOST 21

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct times {
    double wall, own, all; /* own: CPU of the calling thread; all: of the process */
    uint64_t events;
};

static struct times parse(const char *path, unsigned threads, bool sealed)
{
    struct az_mem mem;
    struct az_options opts;
    struct az_trace trace;
    struct az_diag diag;
    struct az_file file = { .path = az_sv_str(path) };
    const struct az_format *format = az_format_find(AZ_SV("pytorch"));
    az_mem_init(&mem, 0);
    az_options_default(&opts, &mem);
    az_diag_init(&diag);
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &trace,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = threads };
    struct times t = { -seconds(CLOCK_MONOTONIC), -seconds(CLOCK_THREAD_CPUTIME_ID),
                       -seconds(CLOCK_PROCESS_CPUTIME_ID), 0 };
    if (!format || az_trace_init(&trace, &mem) != 0 || format->parse(&job) != 0 ||
        (sealed && az_trace_finalize(&trace) != 0)) {
        fprintf(stderr, "bench_split: %s cannot be parsed\n", path);
        exit(1);
    }
    t.wall += seconds(CLOCK_MONOTONIC);
    t.own += seconds(CLOCK_THREAD_CPUTIME_ID);
    t.all += seconds(CLOCK_PROCESS_CPUTIME_ID);
    t.events = trace.read;
    az_trace_release(&trace);
    az_diag_release(&diag);
    az_options_release(&opts);
    return t;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, by_value);
    return v[n / 2];
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    unsigned threads = 2;
    int turns = 7;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--smoke") == 0)
            turns = 3;
        else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc)
            threads = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            path = argv[i];
    }
    if (!path || !threads) {
        fprintf(stderr, "usage: bench_split [--smoke] [-t THREADS] FILE\n");
        return 2;
    }
    for (int sealed = 0; sealed < 2; sealed++) {
        double wall[MOST], core[MOST], more[MOST], each[MOST];
        struct times one, many;
        for (int i = 0; i < turns; i++) {
            one = parse(path, 1, sealed);
            many = parse(path, threads, sealed);
            wall[i] = one.wall / many.wall;
            core[i] = one.own / many.own;
            more[i] = many.all / one.all;
            each[i] = one.all * 1e9 / (double)one.events;
        }
        printf("%s: wall ratio %.2f, ratio with a core each %.2f, CPU of %u threads %.2f of one, "
               "one thread %.0f ns an "
               "event\n",
               sealed ? "parse and seal" : "parse", median(wall, turns), median(core, turns),
               threads, median(more, turns), median(each, turns));
    }
    return 0;
}
