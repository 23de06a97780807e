/* Speed of the CSV reader, from memory: bench_csv [--smoke] [MB]. Prints CPU time a field and bytes
 * a second for a file like cuda_gpu_kern_sum (9 columns, quoted template names) and one of 98
 * columns, each against a bare loop that only copies the source through a window. The target is at
 * most 8 ns a field; compare ratios, not single figures. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "text/csv.h"

#define REPEATS 5

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(int r)
{
    if (r < 0) {
        fprintf(stderr, "bench_csv: %s\n", az_err_text(r));
        exit(1);
    }
}

static uint64_t rnd(uint64_t *s)
{
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    return *s >> 33;
}

static void kernel_sum_row(struct az_vec_char *out, uint64_t *s)
{
    static const char *const name[] = {
        "void gemm<float, 128, 32, true>(Args)",
        "void reduce<512, 1, Sum<float>>(R)",
        "ncclKernel_AllReduce_RING_LL_Sum_float",
        "void elementwise<4, Add<half>, Arr<char *, 3>>(int)",
    };
    unsigned n = (unsigned)(rnd(s) % 4);
    const char *q = n == 2 ? "" : "\"";
    must(az_text_printf(out, "%u.%u,%u,%u,%u.0,%u.0,%u,%u,%u.%u,%s%s%s\n", (unsigned)(rnd(s) % 100),
                        (unsigned)(rnd(s) % 10), (unsigned)(rnd(s) % 100000000),
                        (unsigned)(rnd(s) % 1000), (unsigned)(rnd(s) % 100000),
                        (unsigned)(rnd(s) % 100000), (unsigned)(rnd(s) % 10000),
                        (unsigned)(rnd(s) % 1000000), (unsigned)(rnd(s) % 1000),
                        (unsigned)(rnd(s) % 10), q, name[n], q));
}

static void wide_row(struct az_vec_char *out, uint64_t *s)
{
    for (int i = 0; i < 98; i++) {
        const char *end = i == 97 ? "\n" : ",";
        if (i % 7 == 0)
            must(az_text_printf(out, "Operation_%u_of_a_layer%s", (unsigned)(rnd(s) % 1000), end));
        else if (i % 5 == 0)
            must(az_text_printf(out, "%s", end));
        else
            must(az_text_printf(out, "%" PRIu64 "%" PRIu64 "%s", rnd(s), rnd(s) % 1000000, end));
    }
}

/* Pieces of 1 MB are generated and repeated, so that making the file does not take longer than
 * reading it. */
static void generate(struct az_vec_char *out, size_t bytes,
                     void (*row)(struct az_vec_char *, uint64_t *))
{
    uint64_t s = 42;
    must(az_vec_reserve(out, bytes + (2u << 20)));
    while (out->n < bytes && out->n < (1u << 20))
        row(out, &s);
    size_t piece = out->n;
    while (out->n < bytes) {
        memcpy(out->v + out->n, out->v, piece);
        out->n += piece;
    }
}

static double copy_only(struct az_sv bytes)
{
    static char window[256 << 10];
    struct az_source *src;
    double t = cpu_seconds();
    size_t got;
    must(az_source_open_memory(&src, bytes, "bench", NULL));
    do
        must(az_source_read(src, window, sizeof window, &got));
    while (got);
    az_source_close(src);
    return cpu_seconds() - t;
}

static double read_rows(struct az_sv bytes, bool scalar, uint64_t *fields, uint64_t *rows)
{
    struct az_source *src;
    struct az_csv c;
    int r;
    uint64_t sum = 0;
    *fields = *rows = 0;
    double t = cpu_seconds();
    must(az_source_open_memory(&src, bytes, "bench", NULL));
    must(az_csv_init(&c, src, ',', NULL));
    c.scalar = c.scalar || scalar;
    while ((r = az_csv_next(&c)) == 1) {
        *fields += c.row.n;
        sum += c.row.v[c.row.n - 1].raw.n;
        ++*rows;
    }
    must(r);
    az_csv_release(&c);
    az_source_close(src);
    t = cpu_seconds() - t;
    if (sum == 0) /* keeps the compiler honest */
        printf("no text in the last column\n");
    return t;
}

/* Eight columns looked at as numbers, as a reader of a profile would. */
static double read_numbers(struct az_sv bytes)
{
    struct az_source *src;
    struct az_csv c;
    int r;
    int64_t total = 0, x;
    double t = cpu_seconds();
    must(az_source_open_memory(&src, bytes, "bench", NULL));
    must(az_csv_init(&c, src, ',', NULL));
    while ((r = az_csv_next(&c)) == 1)
        for (size_t i = 0; i < 8; i++)
            if (az_csv_scaled(&c.row.v[i], 1, &x) == 0)
                total += x & 1;
    must(r);
    az_csv_release(&c);
    az_source_close(src);
    t = cpu_seconds() - t;
    if (total < 0)
        printf("negative\n");
    return t;
}

static void measure(const char *title, size_t bytes, void (*row)(struct az_vec_char *, uint64_t *))
{
    struct az_vec_char text;
    double best[4] = { 1e9, 1e9, 1e9, 1e9 };
    uint64_t fields, rows;
    az_vec_init(&text, NULL);
    generate(&text, bytes, row);
    struct az_sv v = az_text_view(&text);
    for (int i = 0; i < REPEATS; i++) {
        double t[4] = { copy_only(v), read_rows(v, false, &fields, &rows),
                        read_rows(v, true, &fields, &rows), read_numbers(v) };
        for (int k = 0; k < 4; k++)
            best[k] = t[k] < best[k] ? t[k] : best[k];
    }
    static const char *const what[] = { "copy only", "split", "split, bytewise",
                                        "split + 8 numbers a row" };
    printf("%s: %.1f MB, %" PRIu64 " rows, %" PRIu64 " fields\n", title, (double)v.n / 1e6, rows,
           fields);
    for (int k = 0; k < 4; k++)
        printf("  %-24s %6.2f ns/field %7.1f ns/row %6.2f GB/s  %.2f of copying\n", what[k],
               best[k] * 1e9 / (double)fields, best[k] * 1e9 / (double)rows,
               (double)v.n / best[k] / 1e9, best[0] / best[k]);
    az_vec_release(&text);
}

int main(int argc, char **argv)
{
    size_t bytes = (size_t)200 * 1000000;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--smoke") == 0)
            bytes = 100000;
        else
            bytes = (size_t)(atof(argv[i]) * 1e6);
    }
    measure("kernel sum, 9 columns", bytes, kernel_sum_row);
    measure("wide, 98 columns", bytes, wide_row);
    return 0;
}
