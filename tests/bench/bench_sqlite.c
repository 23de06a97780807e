/* Reads Nsight SQLite exports into traces and prints CPU time a row; next to it the bare SELECT of
 * the same rows, so that what SQLite costs and what the model costs can be distinguished.
 *
 *   bench_sqlite FILE.sqlite... [REPEATS (5)]      inputs: gen_nsys_sqlite */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "formats/list.h"

static double cpu(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The best of the repeats: the machine is shared. */
static double parse(const char *path, int repeats, uint64_t *rows)
{
    double best = 1e9;
    for (int i = 0; i < repeats; i++) {
        struct az_mem mem;
        struct az_diag diag;
        struct az_trace trace;
        struct az_options opts = { .with_header = true };
        struct az_file file = { .path = az_sv_str(path) };
        az_mem_init(&mem, 0);
        az_diag_init(&diag);
        if (az_trace_init(&trace, &mem) != 0)
            return -1;
        struct az_parse job = { .files = &file,
                                .n_files = 1,
                                .opts = &opts,
                                .trace = &trace,
                                .diag = &diag,
                                .mem = &mem,
                                .threads = 1 };
        double t = cpu();
        int rc = az_format_nsys_sqlite.parse(&job);
        t = cpu() - t;
        *rows = trace.read;
        best = rc == 0 && t < best ? t : best;
        for (size_t k = 0; k < diag.list.n; k++)
            fprintf(stderr, "%.*s\n", AZ_SVF(diag.list.v[k].text));
        az_trace_release(&trace);
        az_diag_release(&diag);
        if (rc != 0)
            return -1;
    }
    return best;
}

static double bare_select(const char *path, int repeats)
{
    double best = 1e9;
    volatile int64_t sink = 0;
    for (int i = 0; i < repeats; i++) {
        sqlite3 *db;
        sqlite3_stmt *st;
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK)
            return -1;
        (void)sqlite3_exec(db, "PRAGMA mmap_size=2147418112", NULL, NULL, NULL);
        double t = cpu();
        if (sqlite3_prepare_v2(db,
                               "SELECT start,\"end\",deviceId,streamId,demangledName FROM "
                               "CUPTI_ACTIVITY_KIND_KERNEL",
                               -1, &st, NULL) != SQLITE_OK)
            return -1;
        while (sqlite3_step(st) == SQLITE_ROW)
            for (int c = 0; c < 5; c++)
                sink += sqlite3_column_int64(st, c);
        t = cpu() - t;
        best = t < best ? t : best;
        (void)sqlite3_finalize(st);
        (void)sqlite3_close(db);
    }
    return best;
}

int main(int argc, char **argv)
{
    int repeats = 5, files = argc - 1;
    if (argc > 2 && atoi(argv[argc - 1]) > 0 && access(argv[argc - 1], F_OK) != 0)
        repeats = atoi(argv[argc - 1]), files--;
    if (files < 1) {
        fprintf(stderr, "usage: bench_sqlite FILE.sqlite... [REPEATS]\n");
        return 2;
    }
    for (int i = 1; i <= files; i++) {
        uint64_t rows = 0;
        double t = parse(argv[i], repeats, &rows), s = bare_select(argv[i], repeats);
        if (t < 0 || rows == 0)
            return 1;
        printf("%s: %llu rows, into a trace %.0f ns a row, bare SELECT of 5 columns of the kernels "
               "%.0f ns a row of all\n",
               argv[i], (unsigned long long)rows, 1e9 * t / (double)rows, 1e9 * s / (double)rows);
    }
    return 0;
}
