/* Which traces in the form of Chrome's are of other programs, and which tables, databases and
 * folders (docs/inputs.md). */
#include "formats/shared/unsupported_formats.h"

#include <stddef.h>

#include "base/err.h"
#include "formats/shared/perfetto.h"

enum { SIGNS = 4 };

/* A file is of the program if its head contains all signs of one row. */
struct kind {
    const char *signs[SIGNS];
    const char *what;
};
static const struct kind programs[] = {
#define ASCEND                                                                                     \
    "unsupported format: trace_view of Ascend (torch_npu, msprof); see kernel_details.csv and "    \
    "op_statistic.csv next to it"
    { { "\"Ascend Hardware\"" }, ASCEND },
    { { "\"CANN\"" }, ASCEND },
    { { "\"Overlap Analysis\"" }, ASCEND },
    { { "\"AscendCL@" }, ASCEND },
    { { "\"torch_to_npu\"" }, ASCEND },
    { { "\"enqueue_to_dequeue\"" }, ASCEND },
    { { "\"Task Type\"", "\"Task Id\"", "\"Stream Id\"" }, ASCEND },
#define CHROME                                                                                     \
    "unsupported format: trace of the Chrome browser; use a GPU profile (see 'analyzer list')"
    { { "\"CrBrowserMain\"" }, CHROME },
    { { "\"CrRendererMain\"" }, CHROME },
    { { "\"devtools.timeline\"", "\"v8\"" }, CHROME },
#define ONNX                                                                                       \
    "unsupported format: profile of ONNX Runtime; profile the process with Nsight Systems or "     \
    "rocprofv3"
    { { "\"session_initialization\"" }, ONNX },
    { { "\"model_loading_" }, ONNX },
#define CLANG                                                                                      \
    "unsupported format: compiler trace (clang -ftime-trace); use a GPU profile (see 'analyzer "   \
    "list')"
    { { "\"ExecuteCompiler\"" }, CLANG },
    { { "\"beginningOfTime\"", "\"Frontend\"" }, CLANG },
    { { "\"ParseClass\"", "\"detail\"" }, CLANG },
    { { "\"Source\"", "\"detail\"" }, CLANG },
    { { "\"bazel_version\"" },
      "unsupported format: profile of Bazel; use a GPU profile (see 'analyzer list')" },
#define ROCPROF_1(what)                                                                            \
    "unsupported format: " what " of rocprof (version 1 or 2); use the results.csv or "            \
    "results.stats.csv next to it, or profile with rocprofv3"
#define AUTOGRAD                                                                                   \
    "unsupported format: trace of the legacy PyTorch profiler (torch.autograd.profiler); use "     \
    "torch.profiler.profile and export_chrome_trace"
#define UNITRACE                                                                                   \
    "unsupported format: trace of unitrace (Intel PTI); profile with torch.profiler, which "       \
    "records XPUs"
#define GAUDI                                                                                      \
    "unsupported format: trace of the Gaudi profiler (SynapseAI); profile with torch.profiler"
    { { "\"viztracer_metadata\"" },
      "unsupported format: trace of VizTracer; profile with torch.profiler, Nsight Systems or "
      "rocprofv3" },
    { { "\"node,node." },
      "unsupported format: trace of Node.js; use a GPU profile (see 'analyzer list')" },
    { { "\"/job:localhost/replica:0/" },
      "unsupported format: timeline of the legacy TensorFlow profiler; profile with tf.profiler or "
      "jax.profiler and use the .xplane.pb file" },
    { { "\"CPU functions\"" }, AUTOGRAD },
    { { "\"CUDA functions\"" }, AUTOGRAD },
    { { "\"BeginNs\"", "\"DurationNs\"" }, ROCPROF_1("trace") },
    { { "\"gpu_op\"", "\"zeCommand" }, UNITRACE },
    { { "\"gpu_op\"", "\"HOST<" }, UNITRACE },
    { { "\"TPC\"", "\"recipe" }, GAUDI },
    { { "\"synLaunch" }, GAUDI },
    { { "\"task:execute\"" },
      "unsupported format: timeline of Ray; profile the workers with torch.profiler, Nsight "
      "Systems or rocprofv3" },
};

/* The same for heads of tables and of other JSON: all signs of a row, in the first line of a table.
 */
static const struct kind tables[] = {
#define ASCEND_TABLE                                                                               \
    "unsupported format: table of the Ascend profiler (torch_npu, msprof); open it directly, or "  \
    "see 'analyzer list'"
    { { "Accelerator Core", "Wait Time(us)" }, ASCEND_TABLE },       /* kernel_details */
    { { "Task Duration(us)", "Task Wait Time(us)" }, ASCEND_TABLE }, /* op_summary */
    { { "OP Type", "Core Type", "Total Time(us)" }, ASCEND_TABLE },  /* op_statistic */
    { { "Host Self Duration(us)", "Device Self Duration(us)" },
      ASCEND_TABLE },                                                   /* operator_details */
    { { "Communication(Not Overlapped)", "Computing" }, ASCEND_TABLE }, /* step_trace_time */
    { { "Device_id,Level,API Name" }, ASCEND_TABLE },                   /* api_statistic */
    { { "kernel_name", "task_time(us)", "stream_id" }, ASCEND_TABLE },  /* task_time */
    { { "Allocation Time(us)", "Release Time(us)", "Size(KB)" }, ASCEND_TABLE },
    { { "Component", "Timestamp(us)", "Total Reserved(MB)" }, ASCEND_TABLE }, /* memory_record */
    { { "Dispatch_ID", "GPU_ID", "Kernel_Name" },
      "unsupported format: counters of rocprof-compute (pmc_perf.csv), without a timeline; profile "
      "with rocprofv3 --kernel-trace --hip-trace" },
    { { "GLOBAL CALL COUNT", "OP NAME", "DEVICE FW" },
      "unsupported format: device times of tt-metal (cpp_device_perf_report.csv), without "
      "operations; use the ops_perf_results CSV of the same run" },
};

/* The same for the whole head of other texts. */
static const struct kind texts[] = {
    { { "version https://git-lfs.github.com/spec/" },
      "pointer of Git LFS, not the file itself; fetch it with 'git lfs pull'" },
    { { "Time (%)", "--------" },
      "unsupported format: text tables of nsys stats; write CSV with 'nsys stats --format csv', or "
      "use the report (.nsys-rep) or its SQLite export" },
};

#define ASCEND_JSON                                                                                \
    "unsupported format: communication summary of the Ascend profiler (torch_npu, msprof); see "   \
    "'analyzer list'"
#define ASCEND_DATABASE                                                                            \
    "unsupported format: database of the Ascend profiler (torch_npu, msprof); open it with "       \
    "MindStudio Insight, or see 'analyzer list'"
#define ASCEND_FOLDER                                                                              \
    "unsupported format: profile of Ascend NPUs (torch_npu, msprof); see kernel_details.csv and "  \
    "op_statistic.csv, or open it with MindStudio Insight"

const char *az_foreign_table(struct az_sv name)
{
    static const char *const ascend[] = { "COMPUTE_TASK_INFO",  "COMMUNICATION_TASK_INFO",
                                          "CANN_API",           "NPU_INFO",
                                          "CommAnalyzerTime",   "CommAnalyzerBandwidth",
                                          "CommAnalyzerMatrix", "AscendTask",
                                          "StepTraceTime" };
    if (az_sv_is(name, "rocTX") || az_sv_is(name, "KERN"))
        return ROCPROF_1("database");
    for (size_t i = 0; i < AZ_LENGTH(ascend); i++)
        if (az_sv_is(name, ascend[i]))
            return ASCEND_DATABASE;
    return NULL;
}

const char *az_foreign_folder(struct az_sv name)
{
    return az_sv_ends(name, AZ_SV("_ascend_pt")) || az_sv_ends(name, AZ_SV("_ascend_ms")) ||
                   az_sv_is(name, "ASCEND_PROFILER_OUTPUT") ||
                   az_sv_is(name, "mindstudio_profiler_output")
               ? ASCEND_FOLDER
               : NULL;
}

/* The first kind all of whose signs are in the text. */
static const char *what_of(const struct kind *kinds, size_t n, struct az_sv text)
{
    for (size_t i = 0; i < n; i++) {
        bool all = true;
        for (size_t k = 0; all && k < SIGNS && kinds[i].signs[k]; k++)
            all = az_sv_find(text, az_sv_str(kinds[i].signs[k])) >= 0;
        if (all)
            return kinds[i].what;
    }
    return NULL;
}

/* rocprofv2 and rocprof-compute have titles in common; only the former has queues and times. */
static bool is_rocprofv2(struct az_sv titles)
{
    return az_sv_find(titles, AZ_SV("Dispatch_ID")) >= 0 &&
           az_sv_find(titles, AZ_SV("Queue_ID")) >= 0 &&
           az_sv_find(titles, AZ_SV("Start_Timestamp")) >= 0;
}

/* A table, or JSON without events. */
static const char *foreign_table(struct az_sv head)
{
    const ptrdiff_t line = az_sv_find(head, AZ_SV("\n"));
    const struct az_sv first = line >= 0 ? az_sv_make(head.p, (size_t)line) : head;

    if (head.n && head.p[0] == '{')
        return az_sv_find(head, AZ_SV("\"Communication Time Info\"")) >= 0 ||
                       (az_sv_find(head, AZ_SV("\"Transit Size(MB)\"")) >= 0 &&
                        az_sv_find(head, AZ_SV("\"Transport Type\"")) >= 0)
                   ? ASCEND_JSON
                   : NULL;
    const char *what = is_rocprofv2(first) ? NULL : what_of(tables, AZ_LENGTH(tables), first);
    return what ? what : what_of(texts, AZ_LENGTH(texts), head);
}

const char *az_foreign_name(struct az_sv name)
{
    return az_sv_ends(name, AZ_SV(".ncu-rep"))
               ? "unsupported format: report of Nsight Compute, single kernels without a timeline; "
                 "profile with Nsight Systems (nsys profile)"
               : NULL;
}

const char *az_foreign_process(struct az_sv name)
{
    return az_sv_is(name, "Ascend Hardware") || az_sv_is(name, "CANN") ? ASCEND : NULL;
}

/* A Perfetto trace that begins with compressed packets: nothing in them can be read. */
static bool begins_with_zstd(struct az_sv head)
{
    size_t n = 1;
    while (n < head.n && (head.p[n] & 0x80)) /* length of the packet */
        n++;
    return head.n > n && head.p[0] == 0x0a &&
           az_perfetto_zstd(az_sv_make(head.p + n + 1, head.n - n - 1));
}

/* The PyTorch profiler writes the version of its form. */
const char *az_foreign(struct az_sv head)
{
    if (begins_with_zstd(head))
        return "unsupported format: Perfetto trace with zstd packets; decompress them with "
               "'traceconv decompress_packets'";
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    if (head.n < 2 || (head.p[0] != '{' && head.p[0] != '[') ||
        az_sv_find(head, AZ_SV("\"ph\"")) < 0)
        return foreign_table(head);
    if (az_sv_find(head, AZ_SV("\"schemaVersion\"")) >= 0)
        return NULL;
    return what_of(programs, AZ_LENGTH(programs), head);
}
