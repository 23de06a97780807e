#define _DEFAULT_SOURCE
/* Any bytes as the trace of a graph capture, next to a trace that launches the graph: read,
 * matched, grafted into the call tree. What fails has a message; all memory is given back. */
#include <sys/stat.h>

#include "config/config.h"
#include "format_fuzz.h"
#include "formats/pytorch/pytorch.h"
#include "model/optrace.h"

static const char trace_text[] =
    "{\"distributedInfo\":{\"rank\":0,\"world_size\":2},\"traceEvents\":["
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipGraphLaunch\",\"pid\":100,\"tid\":1,"
    "\"ts\":5,\"dur\":3,\"args\":{\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm_64\",\"pid\":0,\"tid\":7,\"ts\":15,\"dur\":8,"
    "\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"silu_kernel\",\"pid\":0,\"tid\":7,\"ts\":25,"
    "\"dur\":3,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}},"
    "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoD (Device -> Device)\",\"pid\":0,"
    "\"tid\":7,\"ts\":35,\"dur\":2,\"args\":{\"device\":0,\"stream\":7,\"correlation\":1}}]}";

static void linked(const struct az_trace *t, const struct az_options *o, struct az_mem *mem,
                   struct az_diag *diag)
{
    (void)o;
    (void)mem;
    (void)diag;
    for (uint32_t n = 0; n < az_tree(t)->n; n++) {
        uint32_t first, end;
        az_node_gpu(az_tree(t), n, &first, &end);
        if (first > end || end > az_tree(t)->n_linked)
            abort();
    }
}

static void put(const char *path, struct az_sv bytes)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes.p, 1, bytes.n, f) != bytes.n || fclose(f))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char dir[] = "/tmp/captures_fuzz.XXXXXX", folder[64], capture[96], trace[64];
    if (size > 65536)
        return 0;
    if (!mkdtemp(dir))
        abort();
    snprintf(folder, sizeof folder, "%s/capture_traces", dir);
    snprintf(capture, sizeof capture, "%s/bs_8_rank0.json", folder);
    snprintf(trace, sizeof trace, "%s/trace.json", dir);
    if (mkdir(folder, 0700))
        abort();
    put(capture, az_sv_make((const char *)data, size));
    put(trace, AZ_SV(trace_text));
    struct az_options opts;
    az_options_default(&opts, NULL);
    fuzz_format(&(struct format_fuzz){ .format = &az_format_pytorch,
                                       .opts = &opts,
                                       .seal_may_refuse = true,
                                       .analyse = linked },
                trace);
    az_options_release(&opts);
    (void)unlink(capture);
    (void)rmdir(folder);
    (void)rmdir(dir);
    return 0;
}
