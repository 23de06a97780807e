#define _DEFAULT_SOURCE
/* XPlane profiles from arbitrary bytes, to the tables. Small memory limit: no input may need more
 * than a multiple of its size. The first byte chooses strictness. */
#include "analyses/registry_list.h"

#include "format_fuzz.h"

/* Every analysis of such traces; each may meet the memory limit. */
static void analyse(const struct az_trace *t, const struct az_options *opts, struct az_mem *mem,
                    struct az_diag *diag)
{
    static const struct az_analysis *const all[] = {
        &az_analysis_hlo_timeline, &az_analysis_hlo_kernels, &az_analysis_hlo_perf,
        &az_analysis_hlo_coll,     &az_analysis_hlo_host,    &az_analysis_hlo_events,
        &az_analysis_hlo_tpu
    };
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
    for (size_t i = 0; i < AZ_LENGTH(all); i++) {
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
    int fd = fuzz_file(path);
    fuzz_bytes(fd, bytes);
    (void)close(fd);
    struct az_options opts = { .strict = data[0] & 1,
                               .micro_idle_us = data[0] & 2 ? 5 : AZ_UNSET_I64 };
    fuzz_format(&(struct format_fuzz){ .format = &az_format_xplane,
                                       .opts = &opts,
                                       .seal_may_refuse = true,
                                       .analyse = analyse },
                path);
    return 0;
}
