/* Many small workbooks on several threads at once, without any lock around the library:
 *     xlsx_stress THREADS COUNT FOLDER
 * writes FOLDER/00000.xlsx ... from equal documents (one per thread) and fails on the first error.
 * All files must then be whole and equal, which tests/stress/check_equal_zips.py looks at. Large:
 * `xlsx_stress 8 10000 FOLDER`. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/list.h"

struct shared {
    atomic_long next, failed;
    long count;
    const char *folder;
};

static int fill(struct az_document *doc, struct az_arena *a)
{
    struct az_table *t = az_table_new(a, "kern_sum", "Kernels", AZ_TABLE_SUMMARY);
    struct az_chart c = {
        .kind = AZ_CHART_BAR, .table = AZ_SV("kern_sum"), .title = AZ_SV("Top"), .x = AZ_SV("Name")
    };

    if (!t)
        return AZ_ENOMEM;
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Total Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (int64_t i = 0; i < 40; i++) {
        az_put_text(t, az_arena_printf(a, "=kernel_%d", (int)i));
        az_put_i64(t, 1000000 / (i + 1));
        az_put_f64(t, 100.0 / (double)(i + 1));
    }
    int rc = az_document_add(doc, t);
    if (rc)
        return rc;
    az_vec_init(&c.y, doc->mem);
    rc = az_vec_push(&c.y, AZ_SV("Total Time (ns)"));
    return rc ? rc : az_document_chart(doc, c);
}

static int one(const struct az_document *doc, const char *folder, long i)
{
    struct az_arena scratch;
    struct az_diag diag;
    char path[4096];

    az_arena_init(&scratch, NULL);
    az_diag_init(&diag);
    snprintf(path, sizeof path, "%s/%05ld.xlsx", folder, i);
    int rc = az_report_xlsx.write(doc, path, &scratch, &diag);
    for (size_t m = 0; m < diag.list.n; m++)
        fprintf(stderr, "%.*s\n", AZ_SVF(diag.list.v[m].text));
    az_diag_release(&diag);
    az_arena_release(&scratch);
    return rc;
}

static void *work(void *p)
{
    struct shared *s = p;
    struct az_arena arena;
    struct az_document doc;
    long i;

    az_arena_init(&arena, NULL);
    az_document_init(&doc, &arena);
    doc.title = AZ_SV("stress");
    if (fill(&doc, &arena) != 0)
        s->failed++;
    while (!s->failed && (i = s->next++) < s->count) {
        if (one(&doc, s->folder, i) != 0)
            s->failed++;
    }
    az_document_release(&doc);
    az_arena_release(&arena);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[64];
    struct shared s = { .count = argc == 4 ? atol(argv[2]) : 0,
                        .folder = argc == 4 ? argv[3] : "" };
    long threads = argc == 4 ? atol(argv[1]) : 0;

    if (threads < 1 || threads > 64 || s.count < 1) {
        fprintf(stderr, "usage: xlsx_stress THREADS(1..64) COUNT FOLDER\n");
        return 2;
    }
    for (long i = 0; i < threads; i++) {
        if (pthread_create(&thread[i], NULL, work, &s) != 0) {
            s.failed++;
            threads = i;
        }
    }
    for (long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%ld workbooks on %ld threads, %ld failures\n", s.count, threads, (long)s.failed);
    return s.failed ? 1 : 0;
}
