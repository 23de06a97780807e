/* Any bytes as a PyTorch trace (also gzip): parsed and sealed in a small and a large window, with
 * the same result, within a memory limit; a failure has its message. The first byte chooses the
 * options. */
#include <stdio.h>
#include <stdlib.h>

#include "config/config.h"
#include "formats/pytorch/pytorch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    int code;
    uint64_t read, kept, names, lanes, linked, launchers, clamped;
    size_t errors, warnings;
};

static void read_trace(struct az_parse *job, struct az_sv in, size_t window, struct outcome *o)
{
    const struct az_source_opts so = { .mem = job->mem, .diag = job->diag, .window = window };
    struct az_source *src;
    struct az_trace *t = job->trace;
    o->code = az_source_open_memory(&src, in, "fuzz", &so);
    if (o->code)
        return;
    o->code = az_pytorch_parse_source(job, src, window);
    az_source_close(src);
    if ((o->code != 0) != (job->diag->errors != 0) && o->code != AZ_EINTR && job->diag->errors == 0)
        abort(); /* failed without a word */
    if (o->code == 0)
        o->code = az_trace_finalize(t);
    o->read = t->read;
    o->kept = t->kept;
    o->names = t->names.text.n;
    o->lanes = t->lanes.n;
    if (o->code)
        return;
    o->linked = az_tree(t)->n_linked;
    o->clamped = az_tree(t)->clamped;
    o->launchers = az_optrace(t)->launchers->rows.n;
    for (uint32_t n = 0; n < az_tree(t)->n; n++) {
        uint32_t first, end;
        az_node_gpu(az_tree(t), n, &first, &end);
        if (first > end || end > o->linked)
            abort();
    }
}

static struct outcome parse(struct az_sv in, unsigned mode, size_t window)
{
    struct outcome o = { 0 };
    struct az_mem mem;
    struct az_options opts;
    struct az_trace trace;
    struct az_diag diag;
    struct az_file file = { .path = AZ_SV("fuzz") };
    az_mem_init(&mem, (size_t)256 << 20);
    az_options_default(&opts, NULL);
    az_diag_init(&diag);
    opts.strict = mode & 1;
    opts.link_by = mode & 2 ? AZ_SV("flow") : AZ_SV("correlation");
    opts.include_call_stack = mode & 4;
    if (az_trace_init(&trace, &mem) != 0)
        abort();
    struct az_parse job = { .files = &file,
                            .n_files = 1,
                            .opts = &opts,
                            .trace = &trace,
                            .diag = &diag,
                            .mem = &mem,
                            .threads = 1 };
    read_trace(&job, in, window, &o);
    o.errors = diag.errors;
    o.warnings = diag.warnings;
    az_trace_release(&trace);
    if (mem.used)
        abort();
    az_diag_release(&diag);
    az_options_release(&opts);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct az_sv in = az_sv_make((const char *)data + 1, size - 1);
    struct outcome a = parse(in, data[0], 128), b = parse(in, data[0], 65536);
    if (in.n >= 2 && memcmp(in.p, "\x1f\x8b", 2) == 0)
        return 0; /* how much of a damaged stream comes out depends on the room given to the
                     inflater */
    if (a.code > 0 || a.code != b.code || a.read != b.read || a.kept != b.kept ||
        a.names != b.names || a.lanes != b.lanes || a.linked != b.linked ||
        a.launchers != b.launchers || a.clamped != b.clamped || a.errors != b.errors ||
        a.warnings != b.warnings) {
        fprintf(stderr, "code %d %d, kept %llu %llu, linked %llu %llu\n", a.code, b.code,
                (unsigned long long)a.kept, (unsigned long long)b.kept,
                (unsigned long long)a.linked, (unsigned long long)b.linked);
        abort();
    }
    return 0;
}
