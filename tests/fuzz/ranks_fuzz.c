/* Any bytes as the PyTorch trace of a rank: whatever can be read is reduced and finished by every
 * analysis over ranks, as two ranks of one run, with all options on. Nothing may crash; all memory
 * is given back. The first byte chooses the options. */
#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "formats/pytorch/pytorch.h"
#include "registry.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void analyse(struct az_job *job)
{
    const struct az_rank about[2] = {
        { .rank = 0, .path = AZ_SV("a/0"), .ticks_per_ns = 1 },
        { .rank = 3, .path = AZ_SV("a/3"), .ticks_per_ns = 1, .base_ns = 5 }
    };
    const struct az_ranks ranks = {
        .v = about, .n = 2, .world_size = 4, .missing = (const int64_t[]){ 1, 2 }, .n_missing = 2
    };
    for (size_t k = 0; az_rank_analyses[k]; k++) {
        const struct az_rank_analysis *a = az_rank_analyses[k];
        const unsigned caps = job->traces[0]->caps;
        void *part[2] = { NULL, NULL };
        if ((a->needs & ~caps) || (a->any && !(a->any & caps)))
            continue;
        int rc = a->reduce(job, job->arena, &part[0]);
        if (rc == 0)
            rc = a->reduce(job, job->arena, &part[1]);
        if (rc == 0 && (part[0] || part[1]))
            rc = a->finish(job, &ranks, part);
        if (rc != 0 && rc != AZ_ELIMIT && rc != AZ_ENOMEM && rc != AZ_ERANGE) {
            fprintf(stderr, "%s: code %d\n", a->name, rc);
            abort();
        }
    }
    for (size_t i = 0; i < job->doc->tables.n; i++) { /* rows that are made when they are written */
        const int rc = az_table_store_rows(job->doc->tables.v[i], 1000);
        if (rc != 0 && rc != AZ_ELIMIT && rc != AZ_ENOMEM)
            abort();
    }
}

static int read_trace(struct az_parse *job, struct az_sv in)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag };
    struct az_source *src;
    int rc = az_source_open_memory(&src, in, "fuzz", &so);
    if (rc)
        return rc;
    rc = az_pytorch_parse_source(job, src, 65536);
    az_source_close(src);
    return rc ? rc : az_trace_finalize(job->trace);
}

static void run(struct az_parse *parse, struct az_arena *arena)
{
    const struct az_trace *view = parse->trace;
    struct az_classifier classes;
    struct az_document doc;
    az_document_init(&doc, arena);
    if (az_classifier_init(&classes, &parse->opts->classes, arena) != 0)
        return;
    struct az_job job = { .opts = parse->opts,
                          .traces = &view,
                          .n_traces = 1,
                          .classes = &classes,
                          .arena = arena,
                          .mem = parse->mem,
                          .diag = parse->diag,
                          .doc = &doc,
                          .coverage = az_coverage_table(arena),
                          .findings = az_findings_table(arena) };
    if (job.coverage && job.findings)
        analyse(&job);
    az_table_free(job.coverage);
    az_table_free(job.findings);
    az_document_release(&doc);
    az_classifier_release(&classes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct az_mem mem;
    struct az_arena arena;
    struct az_options opts;
    struct az_trace trace;
    struct az_diag diag;
    struct az_file file = { .path = AZ_SV("fuzz") };
    if (size == 0)
        return 0;
    az_mem_init(&mem, (size_t)256 << 20);
    az_arena_init(&arena, &mem);
    az_options_default(&opts, NULL);
    az_diag_init(&diag);
    opts.launch_details = opts.critical_path = opts.all_kernels = true;
    opts.sequence_op = AZ_SV("a");
    opts.sequence_min_kernels = 1;
    opts.breakdown_kernels = 1 + (data[0] >> 4);
    opts.last_step = data[0] & 1 ? AZ_SV("keep") : AZ_SV("drop");
    opts.include_call_stack = data[0] & 2;
    if (data[0] & 4)
        opts.critical_path_annotation = AZ_SV("forward");
    if (az_trace_init(&trace, &mem) != 0)
        abort();
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &trace,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = 1 };
    if (read_trace(&job, az_sv_make((const char *)data + 1, size - 1)) == 0)
        run(&job, &arena);
    az_trace_release(&trace);
    az_arena_release(&arena);
    if (mem.used)
        abort(); /* something was not given back */
    az_diag_release(&diag);
    az_options_release(&opts);
    return 0;
}
