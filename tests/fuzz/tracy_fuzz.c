#define _DEFAULT_SOURCE
/* Operation reports from arbitrary bytes, through all their analyses and the text writer. The first
 * byte chooses options; the rest is the file. Small memory limit: no input may need more than a
 * multiple of its size. */
#include "analyses/registry_list.h"
#include "config/config.h"
#include "reports/report.h"

#include "format_fuzz.h"

static void options(struct az_options *o, unsigned choice)
{
    az_options_default(o, NULL);
    o->ignore_signposts = choice & 1;
    o->print_signposts = choice & 2;
    o->no_merge_devices = choice & 4;
    o->op_rules = choice & 8 ? AZ_SV("first") : AZ_SV("current");
    o->id_range = choice & 16 ? AZ_SV("3-9") : AZ_SV("");
    o->group_by = choice & 32 ? AZ_SV("category") : AZ_SV("memory");
    o->tracing_mode = choice & 64;
    o->no_host_ops = o->drop_impossible = choice & 128;
    if (choice & 2)
        o->start_signpost = o->end_signpost = AZ_SV("a");
}

static void analyse(const struct az_trace *t, const struct az_options *o, struct az_mem *mem,
                    struct az_diag *diag)
{
    struct az_arena arena;
    struct az_document doc;
    struct az_vec_char text;
    az_arena_init(&arena, mem);
    az_document_init(&doc, &arena);
    doc.mem = mem;
    az_vec_init(&text, mem);
    struct az_job job = { .opts = o,
                          .traces = &t,
                          .n_traces = 1,
                          .arena = &arena,
                          .mem = mem,
                          .diag = diag,
                          .doc = &doc };
    job.coverage = az_coverage_table(&arena);
    job.findings = az_findings_table(&arena);
    size_t before = diag->errors;
    int rc = az_analysis_tt.run(&job);
    if (rc == AZ_EINTERNAL || (rc == AZ_ECONFIG && diag->errors == before))
        abort();
    if (rc == 0 && az_text_write(&doc, &text, true) == AZ_EINTERNAL)
        abort();
    az_vec_release(&text);
    az_table_free(job.coverage);
    az_table_free(job.findings);
    az_document_release(&doc);
    az_arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/tracy_fuzz.XXXXXX";
    if (size < 1)
        return 0;
    struct az_sv bytes = az_sv_make((const char *)data + 1, size - 1);
    (void)az_format_tracy.probe(bytes, AZ_SV("x.csv"));
    int fd = fuzz_file(path);
    fuzz_bytes(fd, bytes);
    (void)close(fd);
    struct az_options opts;
    options(&opts, data[0]);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_tracy,
                                       .opts = &opts,
                                       .n_files = size & 1 ? 1 : 2,
                                       .analyse = analyse },
                path);
    az_options_release(&opts);
    return 0;
}
