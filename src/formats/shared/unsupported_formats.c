/* Which traces in the form of Chrome's are of other programs, and which tables, databases and
 * folders (docs/inputs.md). */
#include "formats/shared/unsupported_formats.h"

#include <stddef.h>

#include "base/err.h"
#include "formats/shared/perfetto.h"

enum { SIGNS = 4 };

/* A file is of the program if its head holds all signs of one row. */
struct kind {
    const char *signs[SIGNS];
    const char *what;
};
static const struct kind programs[] = {
#define ASCEND                                                                                     \
    "this is a trace_view of Ascend (torch_npu, msprof), which is not read (its own tables are "   \
    "in kernel_details.csv and op_statistic.csv next to it)"
    { { "\"Ascend Hardware\"" }, ASCEND },
    { { "\"CANN\"" }, ASCEND },
    { { "\"Overlap Analysis\"" }, ASCEND },
    { { "\"AscendCL@" }, ASCEND },
    { { "\"torch_to_npu\"" }, ASCEND },
    { { "\"enqueue_to_dequeue\"" }, ASCEND },
    { { "\"Task Type\"", "\"Task Id\"", "\"Stream Id\"" }, ASCEND },
#define JAX                                                                                        \
    "this is a trace of the XLA profiler (JAX, TensorFlow) made for a trace viewer, which is not " \
    "read (give the file .xplane.pb next to it: it says more)"
    { { "\"highres-ticks\"", "\"/host:CPU\"" }, JAX },
    { { "\"highres-ticks\"", "\"/device:TPU:" }, JAX },
    { { "\"highres-ticks\"", "\"/device:GPU:" }, JAX },
#define CHROME                                                                                     \
    "this is a trace of the Chrome browser, which is not read (analyzer reads profiles of GPUs: "  \
    "see 'analyzer list')"
    { { "\"CrBrowserMain\"" }, CHROME },
    { { "\"CrRendererMain\"" }, CHROME },
    { { "\"devtools.timeline\"", "\"v8\"" }, CHROME },
#define ONNX                                                                                       \
    "this is a profile of ONNX Runtime, which is not read (profile the process with Nsight "       \
    "Systems or rocprofv3)"
    { { "\"session_initialization\"" }, ONNX },
    { { "\"model_loading_" }, ONNX },
#define CLANG                                                                                      \
    "this is a trace of a compiler (clang -ftime-trace), which is not read (analyzer reads "       \
    "profiles of GPUs: see 'analyzer list')"
    { { "\"ExecuteCompiler\"" }, CLANG },
    { { "\"beginningOfTime\"", "\"Frontend\"" }, CLANG },
    { { "\"ParseClass\"", "\"detail\"" }, CLANG },
    { { "\"Source\"", "\"detail\"" }, CLANG },
    { { "\"bazel_version\"" },
      "this is a profile of the build tool Bazel, which is not read (analyzer reads profiles of "
      "GPUs: see 'analyzer list')" },
#define AUTOGRAD                                                                                   \
    "this is a trace of the former profiler of PyTorch (torch.autograd.profiler), which is not "   \
    "read (profile with torch.profiler.profile and its export_chrome_trace)"
#define UNITRACE                                                                                   \
    "this is a trace of unitrace (Intel PTI), which is not read (profile with torch.profiler, "    \
    "which records XPUs)"
#define GAUDI                                                                                      \
    "this is a trace of the Gaudi profiler (SynapseAI), which is not read (profile with "          \
    "torch.profiler)"
    { { "\"viztracer_metadata\"" },
      "this is a trace of VizTracer, which is not read (profile with torch.profiler, Nsight "
      "Systems or rocprofv3)" },
    { { "\"node,node." },
      "this is a trace of Node.js, which is not read (analyzer reads profiles of GPUs: see "
      "'analyzer list')" },
    { { "\"/job:localhost/replica:0/" },
      "this is a time line of TensorFlow's former profiler, which is not read (profile with "
      "tf.profiler or jax.profiler and give the file .xplane.pb)" },
    { { "\"CPU functions\"" }, AUTOGRAD },
    { { "\"CUDA functions\"" }, AUTOGRAD },
    { { "\"BeginNs\"", "\"DurationNs\"" },
      "this is a trace of rocprof (version 1 or 2), which is not read (profile with rocprofv3)" },
    { { "\"gpu_op\"", "\"zeCommand" }, UNITRACE },
    { { "\"gpu_op\"", "\"HOST<" }, UNITRACE },
    { { "\"TPC\"", "\"recipe" }, GAUDI },
    { { "\"synLaunch" }, GAUDI },
    { { "\"task:execute\"" },
      "this is a time line of Ray, which is not read (profile the workers with torch.profiler, "
      "Nsight Systems or rocprofv3)" },
};

/* The same for heads of tables and of other JSON: all signs of a row, in the first line of a table.
 */
static const struct kind tables[] = {
#define ASCEND_TABLE                                                                               \
    "this is a table of Ascend's profiler (torch_npu, msprof), which is not read (it is a table "  \
    "already: open it as it is; 'analyzer list' has the profiles that are read)"
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
};

#define ASCEND_JSON                                                                                \
    "this is a summary of communication of Ascend's profiler (torch_npu, msprof), which is not "   \
    "read ('analyzer list' has the profiles that are read)"
#define ASCEND_DATABASE                                                                            \
    "this is a database of Ascend's profiler (torch_npu, msprof), which is not read (MindStudio "  \
    "Insight opens it; 'analyzer list' has the profiles that are read)"
#define ASCEND_FOLDER                                                                              \
    "this is a profile of Ascend NPUs (torch_npu, msprof), which is not read (its own tables are " \
    "in kernel_details.csv and op_statistic.csv; MindStudio Insight opens it)"

const char *az_foreign_table(struct az_sv name)
{
    static const char *const ascend[] = { "COMPUTE_TASK_INFO",  "COMMUNICATION_TASK_INFO",
                                          "CANN_API",           "NPU_INFO",
                                          "CommAnalyzerTime",   "CommAnalyzerBandwidth",
                                          "CommAnalyzerMatrix", "AscendTask",
                                          "StepTraceTime" };
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

/* The first kind all of whose signs the text holds. */
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
    return what_of(tables, AZ_LENGTH(tables), first);
}

const char *az_foreign_process(struct az_sv name)
{
    return az_sv_is(name, "Ascend Hardware") || az_sv_is(name, "CANN") ? ASCEND : NULL;
}

/* A Perfetto trace that begins with compressed packets: nothing in them can be looked at. */
static bool begins_with_zstd(struct az_sv head)
{
    size_t n = 1;
    while (n < head.n && (head.p[n] & 0x80)) /* length of the packet */
        n++;
    return head.n > n && head.p[0] == 0x0a &&
           az_perfetto_zstd(az_sv_make(head.p + n + 1, head.n - n - 1));
}

/* The writer of the PyTorch profiler says which version of its form it writes. */
const char *az_foreign(struct az_sv head)
{
    if (begins_with_zstd(head))
        return "this is a Perfetto trace whose packets are compressed by zstd, which is not read "
               "('traceconv decompress_packets' unpacks them)";
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
