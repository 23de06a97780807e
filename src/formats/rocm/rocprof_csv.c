/* The CSV files of rocprofv3, old and new, and of its predecessors, by the names of their columns
 * (docs/formats-rocprof.md 3). */
#include <inttypes.h>

#include "formats/rocm/rocprof_csv.h"
#include "io/path.h"
#include "model/window.h"

#define MOST_TITLES 4096

/* ---- columns ---- */

static const char *const titles[COLS] = {
    [C_KERNEL] = "Kernel_Name",
    [C_START] = "Start_Timestamp",
    [C_END] = "End_Timestamp",
    [C_AGENT] = "Agent_Id",
    [C_QUEUE] = "Queue_Id",
    [C_STREAM] = "Stream_Id",
    [C_THREAD] = "Thread_Id",
    [C_DISPATCH] = "Dispatch_Id",
    [C_CORR] = "Correlation_Id",
    [C_LDS] = "LDS_Block_Size",
    [C_LDS_OLD] = "Group_Segment_Size",
    [C_SCRATCH] = "Scratch_Size",
    [C_SCRATCH_OLD] = "Private_Segment_Size",
    [C_VGPR] = "VGPR_Count",
    [C_AGPR] = "Accum_VGPR_Count",
    [C_SGPR] = "SGPR_Count",
    [C_BLOCK_X] = "Workgroup_Size_X",
    [C_BLOCK_Y] = "Workgroup_Size_Y",
    [C_BLOCK_Z] = "Workgroup_Size_Z",
    [C_GRID_X] = "Grid_Size_X",
    [C_GRID_Y] = "Grid_Size_Y",
    [C_GRID_Z] = "Grid_Size_Z",
    [C_GRID] = "Grid_Size",
    [C_BLOCK] = "Workgroup_Size",
    [C_DIRECTION] = "Direction",
    [C_SRC] = "Source_Agent_Id",
    [C_DST] = "Destination_Agent_Id",
    [C_OPERATION] = "Operation",
    [C_BYTES] = "Allocation_Size",
    [C_ADDRESS] = "Address",
    [C_DOMAIN] = "Domain",
    [C_FUNCTION] = "Function",
    [C_PID] = "Process_Id",
    [C_COUNTER] = "Counter_Name",
    [C_COUNTER_VALUE] = "Counter_Value",
    [C_NODE] = "Node_Id",
    [C_LOGICAL] = "Logical_Node_Id",
    [C_TYPE] = "Agent_Type",
    [C_NAME] = "Name",
    [C_PRODUCT] = "Product_Name",
    [C_CUS] = "Cu_Count",
    [C_CALLS] = "Calls",
    [C_TOTAL] = "TotalDurationNs",
    [C_AVERAGE] = "AverageNs",
    [C_MIN] = "MinNs",
    [C_MAX] = "MaxNs",
    [C_STD] = "StdDev",
    [C_SAMPLE] = "Sample_Timestamp",
    [C_GPU] = "gpu-id",
    [C_WINDOW_START] = "Window_Start",
    [C_WINDOW_END] = "Window_End",
};

/* Titles of rocprof (version 1) and rocprofv2. */
static const struct {
    const char *title;
    enum az_col column;
} legacy[] = {
    { "Index", C_DISPATCH },  { "KernelName", C_KERNEL },
    { "GPU_ID", C_GPU },      { "queue-id", C_QUEUE },
    { "pid", C_PID },         { "tid", C_THREAD },
    { "grd", C_GRID },        { "wgr", C_BLOCK },
    { "lds", C_LDS },         { "LDS_Per_Workgroup", C_LDS },
    { "scr", C_SCRATCH },     { "Scratch_Per_Workitem", C_SCRATCH },
    { "vgpr", C_VGPR },       { "arch_vgpr", C_VGPR },
    { "accum_vgpr", C_AGPR }, { "sgpr", C_SGPR },
    { "BeginNs", C_START },   { "EndNs", C_END },
};
/* Other columns of theirs; the rest are counters. */
static const char *const unused[] = { "queue-index", "Queue_Index", "sig",        "obj",
                                      "fbar",        "Wave_Size",   "DispatchNs", "CompleteNs",
                                      "DurationNs",  "Kernel_ID" };

static const enum az_col needs[TABLES][3] = {
    [T_COUNTERS] = { C_COUNTER, C_COUNTER_VALUE, C_KERNEL },
    [T_KERNELS] = { C_KERNEL, C_START, C_END },
    [T_COPIES] = { C_DIRECTION, C_START, C_END },
    [T_ALLOCS] = { C_OPERATION, C_START, C_END },
    [T_CALLS] = { C_FUNCTION, C_START, C_END },
    [T_AGENTS] = { C_TYPE, C_NODE, C_NODE },
    [T_SUMS] = { C_NAME, C_CALLS, C_TOTAL },
    [T_SAMPLES] = { C_SAMPLE, C_SAMPLE, C_SAMPLE },
    [T_WINDOW] = { C_WINDOW_START, C_WINDOW_END, C_WINDOW_END },
};

static enum az_rocprof_csv_table table_of(const int at[COLS])
{
    for (int t = 0; t < TABLES; t++)
        if (at[needs[t][0]] >= 0 && at[needs[t][1]] >= 0 && at[needs[t][2]] >= 0)
            return (enum az_rocprof_csv_table)t;
    return TABLES;
}

/* False: a title that is not known. */
static bool place(struct az_sv title, int i, int at[COLS])
{
    bool known = false;
    title = az_sv_trim(title);
    for (int c = 0; c < COLS; c++) {
        const bool is = az_sv_ieq(title, az_sv_str(titles[c]));
        at[c] = is && at[c] < 0 ? i : at[c];
        known |= is;
    }
    for (size_t k = 0; k < AZ_LENGTH(legacy) && !known; k++) {
        known = az_sv_ieq(title, az_sv_str(legacy[k].title));
        if (known && at[legacy[k].column] < 0)
            at[legacy[k].column] = i;
    }
    for (size_t k = 0; k < AZ_LENGTH(unused) && !known; k++)
        known = az_sv_ieq(title, az_sv_str(unused[k]));
    return known;
}

int az_rocprof_csv_probe(struct az_sv head, bool *sums)
{
    int at[COLS];
    const char *nl = head.n ? memchr(head.p, '\n', head.n) : NULL;
    struct az_sv line = az_sv_make(head.p, nl ? (size_t)(nl - head.p) : head.n);
    for (int c = 0; c < COLS; c++)
        at[c] = -1;
    for (int i = 0; line.n && i < 256; i++) {
        const char *comma = memchr(line.p, ',', line.n);
        size_t n = comma ? (size_t)(comma - line.p) : line.n, used = n + (comma ? 1 : 0);
        struct az_sv title = az_sv_trim(az_sv_make(line.p, n));
        if (title.n >= 2 && title.p[0] == '"')
            title = az_sv_make(title.p + 1, title.n - 2);
        (void)place(title, i, at);
        line = az_sv_make(line.p + used, line.n - used);
    }
    enum az_rocprof_csv_table t = table_of(at);
    *sums = t == T_SUMS;
    /* A name and a sum are common words: only the spelling of this tool is sure. */
    if (t == TABLES) /* without times: its reader reports that */
        return az_rocprof_csv_legacy(at) ? 80 : 0;
    return t == T_SUMS || t == T_AGENTS ? 80 : 93;
}

/* ---- files of a set ---- */

static const char *const domains[] = { /* in the order in which a set is read */
                                       AZ_ROCPROF_WINDOW,      "agent_info",
                                       "hip_api_trace",        "hsa_api_trace",
                                       "rccl_api_trace",       "rocdecode_api_trace",
                                       "rocjpeg_api_trace",    "marker_api_trace",
                                       "kernel_trace",         "counter_collection",
                                       "memory_copy_trace",    "memory_allocation_trace",
                                       "scratch_memory_trace", "kernel_stats"
};
#define DOMAINS AZ_LENGTH(domains)
static const char *const other_domains[] = {
    "hip_api_stats",           "hsa_api_stats", "memory_copy_stats", "marker_api_stats",
    "rccl_api_stats",          "domain_stats",  "hip_stats",         "hsa_stats",
    "memory_allocation_stats", "hip_trace",     "hsa_trace",         "scratch_memory_stats"
};

/* Tables of sums that are no kernels: read where none of the traces they sum is next to them. */
static const struct {
    const char *file, *domain, *traces[2]; /* no traces: whatever is traced is more exact */
} summed[] = {
    { "hip_api_stats", "HIP_API", { "hip_api_trace", "hip_trace" } },
    { "hip_stats", "HIP_API", { "hip_api_trace", "hip_trace" } },
    { "hsa_api_stats", "HSA_API", { "hsa_api_trace", "hsa_trace" } },
    { "hsa_stats", "HSA_API", { "hsa_api_trace", "hsa_trace" } },
    { "marker_api_stats", "MARKER_API", { "marker_api_trace", NULL } },
    { "rccl_api_stats", "RCCL_API", { "rccl_api_trace", NULL } },
    { "memory_copy_stats", "MEMORY_COPY", { "memory_copy_trace", NULL } },
    { "copy_stats", "MEMORY_COPY", { "memory_copy_trace", NULL } },
    { "memory_allocation_stats", "MEMORY_ALLOCATION", { "memory_allocation_trace", NULL } },
    { "scratch_memory_stats", "SCRATCH_MEMORY", { "scratch_memory_trace", NULL } },
    { "domain_stats", "DOMAIN", { NULL, NULL } },
};
#define SUMMED AZ_LENGTH(summed)

bool az_rocprof_csv_prefix(struct az_sv path, struct az_sv *prefix)
{
    struct az_sv s = az_path_unpacked(path);
    if (!az_sv_ends(s, AZ_SV(".csv")))
        return false;
    s.n -= 4;
    for (size_t i = 0; i < DOMAINS + AZ_LENGTH(other_domains); i++) {
        struct az_sv d = az_sv_str(i < DOMAINS ? domains[i] : other_domains[i - DOMAINS]);
        if (!az_sv_ends(s, d) || s.n < d.n + 2 || s.p[s.n - d.n - 1] != '_')
            continue;
        *prefix = az_sv_make(s.p, s.n - d.n - 1);
        return az_path_base(*prefix).n > 0;
    }
    return false;
}

/* ---- files ---- */

/* The counters of a kernel table in which each is a column. */
static int find_counters(struct az_rocprof_csv_file *f)
{
    f->counters = az_arena_array(&f->r->scratch, f->width, sizeof *f->counters);
    if (!f->counters)
        return az_arena_error(&f->r->scratch);
    for (size_t i = 0; i < f->width && i < MOST_TITLES; i++) {
        const struct az_sv title = az_sv_trim(az_csv_text(&f->r->scratch, &f->csv.row.v[i]));
        int at[COLS] = { 0 };
        if (!title.n || place(title, 0, at))
            continue;
        struct az_rocprof_csv_counter *c = &f->counters[f->n_counters++];
        c->at = (int)i;
        c->name = az_trace_name(f->r->t, title);
    }
    return f->r->t->names.error;
}

void az_rocprof_csv_titles(struct az_rocprof_csv_file *f)
{
    for (int c = 0; c < COLS; c++)
        f->at[c] = -1;
    for (size_t i = 0; i < f->csv.row.n && i < MOST_TITLES; i++)
        (void)place(f->csv.row.v[i].raw, (int)i, f->at);
    f->width = f->csv.row.n;
    f->table = table_of(f->at);
}

static int read_titles(struct az_rocprof_csv_file *f)
{
    struct az_diag *diag = f->r->job->diag;
    size_t errors = diag->errors;
    int rc = az_csv_next(&f->csv);
    if (rc == AZ_EFORMAT && diag->errors == errors)
        return az_diag_fail(diag, rc, AZ_AT_LINE(f->path, f->csv.line),
                            az_source_damaged(f->csv.src)
                                ? "file truncated in its header"
                                : "invalid CSV: unterminated quote, or row too long");
    if (rc < 0)
        return rc;
    if (rc == 0)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(f->path), "no header line");
    az_rocprof_csv_titles(f);
    if (f->table != TABLES)
        return f->table == T_KERNELS && az_rocprof_csv_legacy(f->at) ? find_counters(f) : 0;
    if (az_rocprof_csv_legacy(f->at))
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, 1),
                            "kernels without times (columns 'BeginNs' and 'EndNs'); profile with "
                            "'rocprof --timestamp on' or 'rocprofv3 --kernel-trace'");
    for (enum az_col c = C_KERNEL; c <= C_END;
         c++) /* a kernel trace that lacks one of the three is the usual mistake */
        if (f->at[c] < 0)
            return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, 1),
                                "missing column '%s'; check that this is a CSV of rocprofv3",
                                titles[c]);
    return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, 1), "no header of a rocprofv3 CSV");
}

/* The header too: it is logged of every file that a cut has. */
static int log_row(struct az_rocprof_csv_file *f)
{
    struct az_cut_log *log = f->r->t->cut_log;
    if (!log)
        return AZ_OK;
    log->runs = true;
    return az_cut_log_begin(log,
                            az_rocprof_csv_log_key(az_trace_name(f->r->t, f->path), f->r->proc), 0);
}

static int read_rows(struct az_rocprof_csv_file *f)
{
    struct az_parse *job = f->r->job;
    int rc = f->table == T_WINDOW ? AZ_OK : log_row(f);
    for (uint64_t rows = 1; rc == 0; rows++) {
        int more = az_csv_next(&f->csv);
        if (more <= 0)
            return more;
        if (f->csv.blank)
            continue;
        rc = az_rocprof_csv_select(f);
        if (rc)
            return rc;
        rc = f->table == T_WINDOW ? AZ_OK : log_row(f);
        if (rc)
            return rc;
        f->short_line = f->csv.row.n < f->width ? f->csv.line : 0;
        f->short_rows += f->short_line > 0;
        if (rows % 65536 == 0 && job->cancelled && job->cancelled(job->ctx))
            return AZ_EINTR;
        rc = az_rocprof_csv_add_row(f);
        if (rc == 1) {
            f->first_bad = f->bad++ ? f->first_bad : f->csv.line;
            rc = 0;
        }
    }
    return rc;
}

static int settle_file(struct az_rocprof_csv_file *f, int rc, size_t errors)
{
    struct az_parse *job = f->r->job;
    if (rc == AZ_EFORMAT && job->diag->errors == errors) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_LINE(f->path, f->csv.line),
                    az_source_damaged(f->csv.src)
                        ? "truncated in this row; the rows before it are used"
                        : "unterminated quote: the rest of the file is skipped; check whether the "
                          "file is truncated");
        az_trace_truncated(f->r->t, "truncated row at the end of the file");
        rc = 0;
    }
    if (rc == 0 && !f->bad && f->short_rows == 1 &&
        f->short_line) { /* the last row, and no other */
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_LINE(f->path, f->short_line),
                    "the last row has fewer fields than the header and is used as it is; check "
                    "whether the file is truncated");
        az_trace_truncated(f->r->t, "file truncated (rows after the end are unknown)");
    }
    if (rc == 0 && f->bad && job->opts->strict)
        return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_LINE(f->path, f->first_bad),
                            "invalid row");
    if (rc == 0 && f->bad) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_LINE(f->path, f->first_bad),
                    "%" PRIu64 " invalid row(s) skipped, the first one here", f->bad);
        az_trace_dropped(f->r->t, AZ_DROP_LOST, "invalid rows", f->bad, 0);
    }
    return rc;
}

/* sums: a table of sums is read, too; of kernels, or of `domain`. */
static int read_file(struct az_rocprof *r, struct az_sv path, bool sums, const char *domain)
{
    struct az_rocprof_csv_file *f = az_arena_alloc(&r->scratch, sizeof *f);
    struct az_source_opts so = { .mem = r->job->mem,
                                 .diag = r->job->diag,
                                 .keeps_parts = !r->job->opts->strict };
    struct az_source *src = NULL;
    size_t errors = r->job->diag->errors;
    if (!f)
        return az_arena_error(&r->scratch);
    f->r = r;
    f->path = path;
    r->proc = r->set;
    r->pid = az_rocprof_current(r)->pid;
    f->domain = az_sv_str(domain);
    int rc = az_source_open(&src, path.p, &so);
    if (rc)
        return rc;
    rc = az_csv_init(&f->csv, src, ',', r->job->mem);
    if (rc)
        goto close;
    rc = read_titles(f);
    if (rc == 0 && f->table == T_SAMPLES)
        az_diag_add(r->job->diag, AZ_NOTE, AZ_AT_FILE(path), "program counter samples, not used");
    else if (rc == 0 && f->table == T_SUMS && !sums)
        az_diag_add(r->job->diag, AZ_WARNING, AZ_AT_FILE(path),
                    "sums of an unknown kind skipped '%.*s'; rename the file as rocprofv3 does, "
                    "for kernels NAME_kernel_stats.csv",
                    AZ_SVF(az_path_base(path)));
    else if (rc == 0)
        rc = settle_file(f, read_rows(f), errors);
    if (rc == 0 && !f->short_line)
        az_csv_warn_open(&f->csv, path, r->job->diag);
    if (rc == 0 && r->job->progress)
        atomic_fetch_add(r->job->progress, az_source_consumed(src));
    az_csv_release(&f->csv);
    if (r->t->cut_log)
        r->t->cut_log->now = 0;
close:
    az_source_close(src);
    return rc;
}

/* ---- sets ---- */

static bool in_set(const struct az_file *f, struct az_sv prefix)
{
    struct az_sv own;
    bool known = az_rocprof_csv_prefix(f->path, &own);
    return known ? az_sv_eq(own, prefix) : prefix.n == 0;
}

/* A file of the set that was not named but is next to those that were; the empty view if there is
 * none. */
static struct az_sv sibling(struct az_rocprof *r, struct az_sv prefix, const char *domain)
{
    static const char *const ends[] = { ".csv", ".csv.gz", ".csv.zst" };
    for (size_t i = 0; i < AZ_LENGTH(ends); i++) {
        struct az_sv path =
            az_arena_printf(&r->scratch, "%.*s_%s%s", AZ_SVF(prefix), domain, ends[i]);
        if (path.p && az_path_stat(path.p).kind == AZ_PATH_FILE)
            return path;
    }
    return AZ_SV("");
}

static bool traced(const struct az_rocprof *r)
{
    for (int k = 0; k < AZ_KIND_COUNT; k++)
        if (az_rocprof_has(r, (enum az_kind)k))
            return true;
    return r->n_pending > 0 || r->any_counted;
}

static int read_summed(struct az_rocprof *r, struct az_sv prefix)
{
    const bool any = traced(r);
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < SUMMED; i++) {
        struct az_sv path = sibling(r, prefix, summed[i].file);
        bool better = summed[i].traces[0] ? false : any;
        for (size_t k = 0; k < 2 && summed[i].traces[k]; k++)
            better |= sibling(r, prefix, summed[i].traces[k]).n > 0;
        if (path.n && !better)
            rc = read_file(r, path, true, summed[i].domain);
    }
    return rc;
}

/* What a file of sums of its own is of, by its name; NULL: of kernels, or unknown. */
static const char *summed_domain(struct az_sv base, bool *of_set)
{
    for (size_t i = 0; i < SUMMED; i++) {
        const ptrdiff_t at = az_sv_find(base, az_sv_str(summed[i].file));
        *of_set = at > 1 && base.p[at - 1] == '_';
        if (at >= 0)
            return summed[i].domain;
    }
    *of_set = false;
    return NULL;
}

/* "results.stats.csv", "x_kernel_stats.csv" */
static bool is_sums(struct az_sv path)
{
    return az_sv_ends(az_path_unpacked(path), AZ_SV("stats.csv"));
}

/* A file of the set that the names of `domains` do not lead to. Kernels that are summed (rocprof
 * before version 3: ".stats.csv") are read where they were not traced. */
static int read_other(struct az_rocprof *r, struct az_sv prefix, const struct az_file *file)
{
    const struct az_sv base = az_path_base(file->path);
    bool known = false;
    const char *domain = summed_domain(base, &known);
    known &= prefix.n > 0;
    for (size_t d = 0; prefix.n && d < DOMAINS; d++)
        known |= az_sv_find(base, az_arena_printf(&r->scratch, "_%s.csv", domains[d])) >= 0;
    if (known || !in_set(file, prefix))
        return 0;
    const bool summed_kernels = az_sv_ends(az_path_unpacked(base), AZ_SV(".stats.csv"));
    if (summed_kernels && az_rocprof_has(r, AZ_KERNEL))
        return 0;
    const bool sums = summed_kernels || domain || az_sv_find(base, AZ_SV("kernel")) >= 0;
    return read_file(r, file->path, sums, domain);
}

struct az_sv az_rocprof_csv_window_path(struct az_arena *a, struct az_sv path)
{
    struct az_sv prefix;
    if (!az_rocprof_csv_prefix(path, &prefix)) {
        prefix = az_path_unpacked(path);
        prefix.n -= az_sv_ends(prefix, AZ_SV(".csv")) ? 4 : 0;
    }
    return az_arena_printf(a, "%.*s_" AZ_ROCPROF_WINDOW ".csv", AZ_SVF(prefix));
}

static bool is_window(struct az_sv path)
{
    return az_sv_ends(path, AZ_SV("_" AZ_ROCPROF_WINDOW ".csv"));
}

/* The window of a file without the name of a set. */
static int read_window_of(struct az_rocprof *r, struct az_sv path)
{
    const struct az_sv window = az_rocprof_csv_window_path(&r->scratch, path);
    if (!window.p)
        return az_arena_error(&r->scratch);
    return az_path_stat(window.p).kind == AZ_PATH_FILE ? read_file(r, window, false, NULL) : AZ_OK;
}

/* The files of a set in the order of `domains`, then those of no known name in their order. */
static int read_set(struct az_rocprof *r, struct az_sv prefix, const struct az_file *files,
                    size_t n)
{
    int rc = az_rocprof_process(r, 0, 0, 0);
    r->set = r->proc;
    for (size_t d = 0; rc == 0 && prefix.n && d < DOMAINS; d++) {
        struct az_sv path = sibling(r, prefix, domains[d]);
        bool sums = strcmp(domains[d], "kernel_stats") == 0;
        bool kernels = az_rocprof_has(r, AZ_KERNEL) || r->any_counted;
        if (path.n && !(sums && kernels))
            rc = read_file(r, path, true, NULL);
    }
    if (rc == 0 && prefix.n)
        rc = read_summed(r, prefix);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (!is_sums(files[i].path))
            rc = read_other(r, prefix, &files[i]);
    for (size_t i = 0; rc == 0 && i < n; i++)
        if (is_sums(files[i].path))
            rc = read_other(r, prefix, &files[i]);
    for (size_t i = 0; rc == 0 && !prefix.n && i < n; i++)
        if (in_set(&files[i], prefix))
            rc = read_window_of(r, files[i].path);
    return rc;
}

int az_rocprof_read_csv_set(struct az_rocprof *r, const struct az_file *files, size_t n)
{
    struct az_vec_sv done;
    int rc = 0;
    az_vec_init(&done, r->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_sv prefix = AZ_SV("");
        bool seen = false;
        if (is_window(files[i].path) && n > 1) /* the other files name the set */
            continue;
        if (!az_rocprof_csv_prefix(files[i].path, &prefix))
            prefix = AZ_SV("");
        for (size_t k = 0; k < done.n; k++)
            seen |= az_sv_eq(done.v[k], prefix);
        if (seen)
            continue;
        rc = az_vec_push(&done, prefix);
        if (rc == 0)
            rc = read_set(r, prefix, files, n);
    }
    az_vec_release(&done);
    return rc;
}
