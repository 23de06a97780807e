/* Times single stages of reading, each in CPU nanoseconds of this process, for
 * tests/bench/measure.py.
 *
 *   stages read FILE          read(2) alone, 256 KiB at a time: the limit the others are held
 * against stages json FILE          every event of a trace in the Chrome format: ph, cat, name, ts,
 * dur, pid, tid; args skipped stages csv FILE           every field of a CSV stages parse FORMAT
 * FILE  a whole file into a sealed trace
 *
 * Prints "BYTES UNITS NANOSECONDS CHECK"; units are bytes, events, fields or rows read. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/config.h"
#include "registry.h"
#include "text/csv.h"
#include "text/jsonscan.h"

struct figure {
    uint64_t bytes, units, check;
};

static int64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int bench_read(const char *path, struct figure *f)
{
    static char buf[256 * 1024];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return AZ_EIO;
    ssize_t n;
    while ((n = read(fd, buf, sizeof buf)) > 0) {
        f->bytes += (uint64_t)n;
        f->check += (unsigned char)buf[0];
    }
    close(fd);
    f->units = f->bytes;
    return n < 0 ? AZ_EIO : AZ_OK;
}

/* ---- JSON ---- */
enum { K_PH = 1, K_CAT, K_NAME, K_TS, K_DUR, K_PID, K_TID };
struct json_bench {
    struct az_jkeys keys;
    struct figure *f;
};

static int json_value(struct az_jscan *s, int key, uint64_t *sum)
{
    struct az_sv text;
    bool escaped, missing;
    int64_t v = 0;
    int rc;
    switch (key) {
    case K_PH:
    case K_CAT:
    case K_NAME:
        rc = az_json_string(s, &text, &escaped);
        *sum += rc == AZ_JSON_OK ? text.n : 0;
        return rc;
    case K_TS:
    case K_DUR:
        rc = az_json_decimal(s, 3, &v, &missing);
        break;
    case K_PID:
    case K_TID:
        rc = az_json_i64(s, &v, &missing);
        break;
    default:
        return az_json_skip(s, &text);
    }
    *sum += (uint64_t)v;
    return rc;
}

static int json_record(void *ctx, struct az_jscan *s)
{
    struct json_bench *b = ctx;
    uint64_t sum = 0;
    int key = az_json_first_key(s, &b->keys);
    for (; key >= 0; key = az_json_next_key(s, &b->keys, key)) {
        int rc = json_value(s, key, &sum);
        if (rc < 0)
            return rc;
    }
    if (key != AZ_JSON_END)
        return key;
    b->f->units++;
    b->f->check += sum;
    return AZ_JSON_OK;
}

static int fill(void *ctx, void *buf, size_t n, size_t *got)
{
    return az_source_read(ctx, buf, n, got);
}

static int bench_json(const char *path, struct figure *f)
{
    static const char *const names[] = { "ph", "cat", "name", "ts", "dur", "pid", "tid", NULL };
    struct json_bench b = { .f = f };
    struct az_source *src = NULL;
    struct az_jscan s;
    struct az_jarray done;
    az_jkeys_init(&b.keys, names);
    int rc = az_source_open(&src, path, &(struct az_source_opts){ 0 });
    if (rc)
        return rc;
    rc = az_jscan_init(&s, fill, src, 0, NULL);
    if (!rc)
        rc = az_jscan_byte(&s, '{');
    struct az_sv key;
    for (bool first = true; !rc && !(rc = az_jscan_member(&s, &first, &key));) {
        if (az_sv_is(key, "traceEvents"))
            rc = az_jscan_records(&s, json_record, &b, true, &done);
        else
            rc = az_jscan_skip_value(&s);
    }
    f->bytes = az_source_delivered(src);
    az_jscan_release(&s);
    az_source_close(src);
    return rc == AZ_JSON_END ? AZ_OK : rc;
}

/* ---- CSV ---- */
static int bench_csv(const char *path, struct figure *f)
{
    struct az_source *src = NULL;
    struct az_csv c;
    int rc = az_source_open(&src, path, &(struct az_source_opts){ 0 });
    if (rc)
        return rc;
    rc = az_csv_init(&c, src, ',', NULL);
    if (!rc) {
        while ((rc = az_csv_next(&c)) > 0) {
            f->units += c.row.n;
            f->check += c.row.n ? c.row.v[c.row.n - 1].raw.n : 0;
        }
        az_csv_release(&c);
    }
    f->bytes = az_source_delivered(src);
    az_source_close(src);
    return rc;
}

/* ---- a whole format ---- */
static int bench_parse(const char *format, const char *path, struct figure *f)
{
    const struct az_format *fmt = az_format_find(az_sv_str(format));
    if (!fmt)
        return AZ_EUSAGE;
    struct az_mem mem;
    struct az_options opts;
    struct az_trace trace;
    struct az_diag diag;
    struct az_file file = { .path = az_sv_str(path) };
    az_mem_init(&mem, 0);
    az_options_default(&opts, &mem);
    az_diag_init(&diag);
    int rc = az_trace_init(&trace, &mem);
    if (rc)
        goto out;
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &trace,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = 1 };
    rc = fmt->parse(&job);
    if (!rc)
        rc = az_trace_finalize(&trace);
    f->units = trace.read;
    f->check = trace.kept;
    f->bytes = atomic_load(&mem.peak);
    az_trace_release(&trace);
out:
    az_diag_release(&diag);
    az_options_release(&opts);
    return rc;
}

int main(int argc, char **argv)
{
    struct figure f = { 0 };
    int rc = AZ_EUSAGE;
    int64_t start = cpu_ns();
    if (argc == 3 && !strcmp(argv[1], "read"))
        rc = bench_read(argv[2], &f);
    else if (argc == 3 && !strcmp(argv[1], "json"))
        rc = bench_json(argv[2], &f);
    else if (argc == 3 && !strcmp(argv[1], "csv"))
        rc = bench_csv(argv[2], &f);
    else if (argc == 4 && !strcmp(argv[1], "parse"))
        rc = bench_parse(argv[2], argv[3], &f);
    int64_t spent = cpu_ns() - start;
    if (rc) {
        fprintf(stderr, "stages: error %d (%s)\n", rc, az_err_text(rc));
        return EXIT_FAILURE;
    }
    printf("%" PRIu64 " %" PRIu64 " %" PRId64 " %" PRIu64 "\n", f.bytes, f.units, spent, f.check);
    return EXIT_SUCCESS;
}
