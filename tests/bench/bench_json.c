/* Speed of the JSON scanner on a trace: bench_json [--smoke] [--once] FILE
 * Every event is read as a report needs it: ph, cat, name, ts, dur, pid, tid, and of args the ids,
 * stream, device, shapes and types; all else is skipped. The scan and a bare read(2) of the same
 * file into a buffer of the same size take turns; the ratio is the median of the turns. Target: at
 * least 0.2 of read(2). --once scans once and prints nothing but the counts, for callgrind
 * (tests/bench/instructions.sh; target: at most 6 instructions a byte). */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/source.h"
#include "text/jsonscan.h"

#define WINDOW ((size_t)256 << 10)
#define MOST   21

enum { K_PH = 1, K_CAT, K_NAME, K_PID, K_TID, K_TS, K_DUR, K_ARGS, K_ID };
static const char *const event_keys[] = { "ph",  "cat",  "name", "pid", "tid", "ts",
                                          "dur", "args", "id",   "bp",  "s",   NULL };
enum { A_CORR = 1, A_EXT, A_STREAM, A_DEVICE, A_BYTES, A_DIMS, A_TYPES };
static const char *const arg_keys[] = { "correlation",
                                        "External id",
                                        "stream",
                                        "device",
                                        "bytes",
                                        "Input Dims",
                                        "Input type",
                                        "Input Strides",
                                        "Concrete Inputs",
                                        "Sequence number",
                                        "Fwd thread id",
                                        "Record function id",
                                        "Ev Idx",
                                        "cbid",
                                        "queued",
                                        "context",
                                        "registers per thread",
                                        "shared memory",
                                        "blocks per SM",
                                        "warps per SM",
                                        "grid",
                                        "block",
                                        "est. achieved occupancy %",
                                        "memory bandwidth (GB/s)",
                                        "name",
                                        "labels",
                                        "sort_index",
                                        "Python id",
                                        "Python parent id",
                                        "Python module id",
                                        NULL };

struct totals {
    struct az_jkeys event, args;
    uint64_t events, sum;
};

static inline int add_number(struct totals *t, struct az_jscan *s, const char **at, int scale)
{
    int64_t v = 0;
    int rc = scale ? az_json_at_decimal(s, at, scale, &v) : az_json_at_i64(s, at, &v);
    t->sum += (uint64_t)v;
    return rc < 0 ? rc : AZ_JSON_OK;
}

static inline int read_args(struct totals *t, struct az_jscan *s, const char **at)
{
    struct az_sv raw;
    int rc;
    if (**at != '{')
        return az_json_at_skip(s, at, &raw);
    ++*at;
    int k = az_json_at_first_key(s, at, &t->args);
    while (k >= 0) {
        if (k >= A_CORR && k <= A_BYTES) {
            rc = add_number(t, s, at, 0);
        } else {
            rc = az_json_at_skip(s, at, &raw);
            if (k == A_DIMS || k == A_TYPES)
                t->sum += raw.n;
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_at_next_key(s, at, &t->args, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static inline int members(struct totals *t, struct az_jscan *s, const char **at)
{
    struct az_sv raw;
    bool escaped;
    int rc, k = az_json_at_first_key(s, at, &t->event);
    while (k >= 0) {
        switch (k) {
        case K_PH:
        case K_CAT:
        case K_NAME:
            rc = az_json_at_string(s, at, &raw, &escaped);
            t->sum += rc == AZ_JSON_OK ? raw.n : 0;
            break;
        case K_TS:
        case K_DUR:
            rc = add_number(t, s, at, 3);
            break;
        case K_PID:
        case K_TID:
            rc = add_number(t, s, at, 0);
            break;
        case K_ARGS:
            rc = read_args(t, s, at);
            break;
        default:
            rc = az_json_at_skip(s, at, &raw);
        }
        if (rc != AZ_JSON_OK)
            return rc;
        k = az_json_at_next_key(s, at, &t->event, k);
    }
    return k == AZ_JSON_END ? AZ_JSON_OK : k;
}

static int event(void *ctx, struct az_jscan *s)
{
    const char *p = s->p;
    int rc = members(ctx, s, &p);
    s->p = p;
    return rc;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int rc)
{
    if (rc != 0 && rc != AZ_JSON_END) {
        fprintf(stderr, "bench_json: error %d\n", rc);
        exit(1);
    }
}

static int fill(void *ctx, void *buf, size_t n, size_t *got)
{
    return az_source_read(ctx, buf, n, got);
}

static double scan(const char *path, struct totals *t)
{
    struct az_source *src;
    struct az_jscan s;
    struct az_jarray a = { 0 };
    struct az_sv key;
    int rc;
    az_jkeys_init(&t->event, event_keys);
    az_jkeys_init(&t->args, arg_keys);
    t->events = t->sum = 0;
    double begin = cpu_seconds();
    must(az_source_open(&src, path, NULL));
    must(az_jscan_init(&s, fill, src, WINDOW, NULL));
    must(az_jscan_byte(&s, '{'));
    for (bool first = true; (rc = az_jscan_member(&s, &first, &key)) == AZ_JSON_OK;)
        must(az_sv_is(key, "traceEvents") ? az_jscan_records(&s, event, t, true, &a)
                                          : az_jscan_skip_value(&s));
    must(rc);
    t->events = a.records;
    az_jscan_release(&s);
    az_source_close(src);
    return cpu_seconds() - begin;
}

static double read_only(const char *path, uint64_t *bytes)
{
    static char buf[WINDOW];
    double begin = cpu_seconds();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        must(AZ_EIO);
    *bytes = 0;
    for (ssize_t n; (n = read(fd, buf, sizeof buf)) > 0;)
        *bytes += (uint64_t)n;
    close(fd);
    return cpu_seconds() - begin;
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
    struct totals t;
    uint64_t bytes = 0;
    int turns = 11;
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--smoke") == 0)
            turns = 3;
        else if (strcmp(argv[i], "--once") == 0)
            turns = 0;
        else
            path = argv[i];
    }
    if (!path) {
        fprintf(stderr, "usage: bench_json [--smoke] [--once] FILE\n");
        return 2;
    }
    double first = scan(path, &t), ratio[MOST], rate[MOST], each[MOST];
    for (int i = 0; i < turns; i++) {
        double plain = read_only(path, &bytes), scanned = scan(path, &t);
        ratio[i] = plain / scanned;
        rate[i] = (double)bytes / scanned / 1e9;
        each[i] = scanned * 1e9 / (double)(t.events ? t.events : 1);
    }
    if (turns)
        printf("ratio %.3f rate %.3f ns %.1f events %" PRIu64 " bytes %" PRIu64 "\n",
               median(ratio, turns), median(rate, turns), median(each, turns), t.events, bytes);
    else
        printf("events %" PRIu64 " sum %" PRIx64 " seconds %.3f\n", t.events, t.sum, first);
    return 0;
}
