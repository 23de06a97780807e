/* Titles of `nsys stats` CSV reports: normalizing, units, which report it is
 * (docs/formats-nsight.md 2.1, 2.2). */
#include "formats/nsys/nsys_csv.h"

static const struct {
    const char *normal;
    enum az_nsys_col col;
    const char *title;
} titles[] = {
    { "totaltime", NC_TOTAL_TIME, "Total Time (ns)" },
    { "total", NC_TOTAL, "Total (MB)" },
    { "instances", NC_INSTANCES, "Instances" },
    { "count", NC_COUNT, "Count" },
    { "numcalls", NC_CALLS, "Num Calls" },
    { "kerninst", NC_KERN_INST, "Kern Inst" },
    { "avg", NC_AVG, "Avg (ns)" },
    { "average", NC_AVG, "Average" },
    { "med", NC_MED, "Med (ns)" },
    { "median", NC_MED, "Median" },
    { "min", NC_MIN, "Min (ns)" },
    { "minimum", NC_MIN, "Minimum" },
    { "max", NC_MAX, "Max (ns)" },
    { "maximum", NC_MAX, "Maximum" },
    { "stddev", NC_STD, "StdDev (ns)" },
    { "name", NC_NAME, "Name" },
    { "operation", NC_OPERATION, "Operation" },
    { "range", NC_RANGE, "Range" },
    { "nvtxrange", NC_NVTX_RANGE, "NVTX Range" },
    { "kernelname", NC_KERNEL_NAME, "Kernel Name" },
    { "category", NC_CATEGORY, "Category" },
    { "projectedstart", NC_PROJ_START, "Projected Start (ns)" },
    { "projectedduration", NC_PROJ_DURATION, "Projected Duration (ns)" },
    { "origstart", NC_ORIG_START, "Orig Start (ns)" },
    { "origduration", NC_ORIG_DURATION, "Orig Duration (ns)" },
    { "style", NC_STYLE, "Style" },
    { "pid", NC_PID, "PID" },
    { "tid", NC_TID, "TID" },
    { "numgpuops", NC_GPU_OPS, "NumGPUOps" },
    { "lvl", NC_LEVEL, "Lvl" },
    { "numchild", NC_CHILDREN, "NumChild" },
    { "rangeid", NC_RANGE_ID, "RangeId" },
    { "parentid", NC_PARENT_ID, "ParentId" },
    { "rangestack", NC_RANGE_STACK, "RangeStack" },
    { "totalprojtime", NC_TOTAL_PROJ, "Total Proj Time (ns)" },
    { "start", NC_START, "Start (ns)" },
    { "duration", NC_DURATION, "Duration (ns)" },
    { "durchild", NC_DUR_CHILD, "DurChild (ns)" },
    { "corrid", NC_CORR, "CorrId" },
    { "device", NC_DEVICE, "Device" },
    { "ctx", NC_CONTEXT, "Ctx" },
    { "strm", NC_STREAM, "Strm" },
    { "bytes", NC_BYTES, "Bytes (MB)" },
    { "srcmemkd", NC_SRC_KIND, "SrcMemKd" },
    { "dstmemkd", NC_DST_KIND, "DstMemKd" },
    { "qcount", NC_Q_COUNT, "QCount" },
    { "result", NC_RESULT, "Result" },
    { "grdx", NC_GRID_X, "GrdX" },
    { "grdy", NC_GRID_Y, "GrdY" },
    { "grdz", NC_GRID_Z, "GrdZ" },
    { "blkx", NC_BLOCK_X, "BlkX" },
    { "blky", NC_BLOCK_Y, "BlkY" },
    { "blkz", NC_BLOCK_Z, "BlkZ" },
    { "reg/trd", NC_REGISTERS, "Reg/Trd" },
    { "stcsmem", NC_STATIC_SHARED, "StcSMem (MB)" },
    { "dymsmem", NC_DYNAMIC_SHARED, "DymSMem (MB)" },
};
#define TITLES AZ_LENGTH(titles)

/* ns or bytes in one unit; sizes by powers of 1000 unless written KiB. U+00B5 and U+03BC are both
 * in use for micro. */
static const struct {
    const char *text;
    int64_t factor;
} units[] = {
    { "ns", 1 },           { "nsec", 1 },         { "us", 1000 },    { "usec", 1000 },
    { "\xc2\xb5s", 1000 }, { "\xce\xbcs", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
    { "s", 1000000000 },   { "sec", 1000000000 }, { "b", 1 },        { "kb", 1000 },
    { "mb", 1000000 },     { "gb", 1000000000 },  { "kib", 1024 },   { "mib", 1048576 },
    { "gib", 1073741824 },
};

static int64_t unit_factor(struct az_sv text)
{
    text = az_sv_trim(text);
    for (size_t i = 0; i < AZ_LENGTH(units); i++)
        if (az_sv_ieq(text, az_sv_str(units[i].text)))
            return units[i].factor;
    return NSYS_UNIT_STRANGE;
}

/* Splits off a "(unit)" at the end; other parentheses are left alone. */
static struct az_sv split_unit(struct az_sv title, int64_t *factor)
{
    *factor = NSYS_UNIT_NONE;
    title = az_sv_trim(title);
    if (title.n < 2 || title.p[title.n - 1] != ')')
        return title;
    size_t open = title.n - 1;
    while (open > 0 && title.p[open] != '(')
        open--;
    if (title.p[open] != '(')
        return title;
    *factor = unit_factor(az_sv_make(title.p + open + 1, title.n - open - 2));
    return az_sv_make(title.p, open);
}

void az_nsys_head_init(struct az_nsys_head *h)
{
    memset(h, 0, sizeof *h);
    for (int c = 0; c < NC_N; c++)
        h->at[c] = -1;
}

void az_nsys_head_add(struct az_nsys_head *h, struct az_sv title)
{
    size_t index = h->n++;
    if (index >= NSYS_MAX_TITLES)
        return;
    struct az_sv text = split_unit(title, &h->unit[index]);
    char normal[24];
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == ' ' || c == '\t')
            continue;
        if (n == sizeof normal)
            return; /* longer than every known title */
        c = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
        if ((c < 'a' || c > 'z') && c != '/')
            return; /* in no known title: most of what is probed is no CSV */
        normal[n++] = c;
    }
    for (size_t i = 0; i < TITLES; i++) {
        /* most differ by their first letter */
        if (n == 0 || *normal != *titles[i].normal ||
            !az_sv_eq(az_sv_make(normal, n), az_sv_str(titles[i].normal)))
            continue;
        h->known++;
        if (h->at[titles[i].col] < 0)
            h->at[titles[i].col] = (int)index;
        return;
    }
}

int az_nsys_head_first(const struct az_nsys_head *h, const enum az_nsys_col *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (h->at[list[i]] >= 0)
            return h->at[list[i]];
    return -1;
}

/* Reports with a "Total Time" column. */
static enum az_nsys_report summed_report(const struct az_nsys_head *h)
{
    static const enum az_nsys_col counts[] = { NC_INSTANCES, NC_COUNT, NC_KERN_INST };
    static const enum az_nsys_col names[] = { NC_NAME, NC_KERNEL_NAME };
    bool counted = az_nsys_head_first(h, counts, 3) >= 0;
    if (h->at[NC_CATEGORY] >= 0 && h->at[NC_OPERATION] >= 0)
        return NR_GPU_SUM;
    if (h->at[NC_OPERATION] >= 0)
        return counted ? NR_MEM_TIME : NR_NONE;
    if (h->at[NC_NVTX_RANGE] >= 0 && h->at[NC_KERNEL_NAME] >= 0)
        return NR_NVTX_KERN_SUM;
    if (h->at[NC_RANGE] >= 0)
        return NR_NVTX_SUM;
    if (h->at[NC_CALLS] >= 0 && h->at[NC_NAME] >= 0)
        return NR_API_SUM;
    return counted && az_nsys_head_first(h, names, 2) >= 0 ? NR_KERNEL_SUM : NR_NONE;
}

enum az_nsys_report az_nsys_head_report(const struct az_nsys_head *h)
{
    if (h->at[NC_TOTAL_TIME] >= 0)
        return summed_report(h);
    if (h->at[NC_PROJ_DURATION] >= 0 && h->at[NC_NAME] >= 0)
        return NR_PROJ_TRACE;
    if (h->at[NC_TOTAL_PROJ] >= 0 && h->at[NC_RANGE] >= 0)
        return NR_PROJ_SUM;
    if (h->at[NC_TOTAL] >= 0 && h->at[NC_COUNT] >= 0 && h->at[NC_OPERATION] >= 0)
        return NR_MEM_SIZE;
    if (h->at[NC_Q_COUNT] >= 0 && h->at[NC_KERNEL_NAME] >= 0)
        return NR_KERN_EXEC;
    if (h->at[NC_DURATION] < 0 || h->at[NC_START] < 0 || h->at[NC_NAME] < 0)
        return NR_NONE;
    if (h->at[NC_DUR_CHILD] >= 0)
        return NR_PUSHPOP;
    if (h->at[NC_DEVICE] >= 0 && h->at[NC_STREAM] >= 0)
        return NR_GPU_TRACE;
    return h->at[NC_RESULT] >= 0 ? NR_API_TRACE : NR_NONE;
}

const char *az_nsys_report_name(enum az_nsys_report r)
{
    switch (r) {
    case NR_NONE:
        break;
    case NR_KERNEL_SUM:
        return "cuda_gpu_kern_sum";
    case NR_MEM_TIME:
        return "cuda_gpu_mem_time_sum";
    case NR_MEM_SIZE:
        return "cuda_gpu_mem_size_sum";
    case NR_PROJ_TRACE:
        return "nvtx_gpu_proj_trace";
    case NR_GPU_TRACE:
        return "cuda_gpu_trace";
    case NR_API_SUM:
        return "cuda_api_sum or osrt_sum";
    case NR_API_TRACE:
        return "cuda_api_trace";
    case NR_NVTX_SUM:
        return "nvtx_sum";
    case NR_PROJ_SUM:
        return "nvtx_gpu_proj_sum";
    case NR_NVTX_KERN_SUM:
        return "nvtx_kern_sum";
    case NR_PUSHPOP:
        return "nvtx_pushpop_trace";
    case NR_KERN_EXEC:
        return "cuda_kern_exec_sum";
    case NR_GPU_SUM:
        return "cuda_gpu_sum";
    }
    return "unknown report";
}

const char *az_nsys_col_title(enum az_nsys_col c)
{
    for (size_t i = 0; i < TITLES; i++)
        if (titles[i].col == c)
            return titles[i].title;
    return "?";
}
