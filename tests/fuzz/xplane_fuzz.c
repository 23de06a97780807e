#define _DEFAULT_SOURCE
/* XPlane profiles from arbitrary bytes, to the tables. Small memory limit: no input may need more than a multiple
 * of its size. The first byte chooses strictness. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyses/list.h"
#include "formats/list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every analysis of such traces; each may meet the memory limit. */
static void analyse(struct az_trace *t, struct az_options *opts, struct az_mem *mem, struct az_diag *diag)
{
    static const struct az_analysis *const all[] = { &az_analysis_hlo_timeline, &az_analysis_hlo_kernels,
                                                     &az_analysis_hlo_perf,     &az_analysis_hlo_coll,
                                                     &az_analysis_hlo_host,     &az_analysis_hlo_events,
                                                     &az_analysis_hlo_tpu };
    const struct az_trace *views[] = { t, t };
    struct az_arena arena;
    struct az_document doc;
    az_arena_init(&arena, mem);
    az_document_init(&doc, &arena);
    struct az_job job = { .opts = opts,
                          .traces = views,
                          .n_traces = opts->strict ? 1 : 2,
                          .arena = &arena,
                          .mem = mem,
                          .diag = diag,
                          .doc = &doc,
                          .coverage = az_coverage_table(&arena),
                          .findings = az_findings_table(&arena) };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const int rc = all[i]->run(&job);
        if (rc != 0 && rc != AZ_ELIMIT)
            abort();
    }
    az_table_free(job.coverage);
    az_table_free(job.findings);
    az_document_release(&doc);
    az_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/xplane_fuzz.XXXXXX";
    if (size < 1)
        return 0;
    struct az_sv bytes = az_sv_make((const char *)data + 1, size - 1);
    (void)az_format_xplane.probe(bytes, AZ_SV("x"));
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes.p, bytes.n) != (ssize_t)bytes.n)
        abort();
    (void)close(fd);

    struct az_mem mem;
    struct az_diag diag;
    struct az_trace trace;
    struct az_options opts = { .strict = data[0] & 1, .micro_idle_us = data[0] & 2 ? 5 : AZ_UNSET_I64 };
    struct az_file file = { .path = az_sv_str(path) };
    az_mem_init(&mem, 64u << 20);
    az_diag_init(&diag);
    if (az_trace_init(&trace, &mem) == 0) {
        struct az_parse job = {
            .files = &file, .n_files = 1, .opts = &opts, .trace = &trace, .diag = &diag, .mem = &mem, .threads = 1
        };
        int rc = az_format_xplane.parse(&job);
        if (rc != 0 && diag.errors == 0)
            abort(); /* an error always has a message */
        if (rc == 0)
            rc = az_trace_seal(&trace); /* may meet the memory limit */
        if (rc == 0)
            analyse(&trace, &opts, &mem, &diag);
        az_trace_release(&trace);
    }
    if (mem.used != 0)
        abort();
    az_diag_release(&diag);
    (void)unlink(path);
    return 0;
}
