/* The CSV files of rocprofv3, old and new, by the names of their columns (spec: AMD rocprofv3 input and report, 3). */
#include <inttypes.h>
#include <math.h>

#include "base/num.h"
#include "formats/rocprof.h"
#include "io/path.h"
#include "text/csv.h"

/* ---- columns ---- */

enum col {
    C_KERNEL, C_START, C_END, C_AGENT, C_QUEUE, C_STREAM, C_THREAD, C_DISPATCH, C_CORR, C_LDS, C_LDS_OLD, C_SCRATCH,
    C_SCRATCH_OLD, C_VGPR, C_AGPR, C_SGPR, C_BLOCK_X, C_BLOCK_Y, C_BLOCK_Z, C_GRID_X, C_GRID_Y, C_GRID_Z, C_GRID,
    C_BLOCK, C_DIRECTION, C_SRC, C_DST, C_OPERATION, C_BYTES, C_ADDRESS, C_DOMAIN, C_FUNCTION, C_PID, C_COUNTER,
    C_COUNTER_VALUE, C_NODE, C_LOGICAL, C_TYPE, C_NAME, C_PRODUCT, C_CUS, C_CALLS, C_TOTAL, C_AVERAGE, C_MIN, C_MAX,
    C_STD, C_SAMPLE, COLS
};
static const char *const titles[COLS] = {
    [C_KERNEL] = "Kernel_Name", [C_START] = "Start_Timestamp", [C_END] = "End_Timestamp", [C_AGENT] = "Agent_Id",
    [C_QUEUE] = "Queue_Id", [C_STREAM] = "Stream_Id", [C_THREAD] = "Thread_Id", [C_DISPATCH] = "Dispatch_Id",
    [C_CORR] = "Correlation_Id", [C_LDS] = "LDS_Block_Size", [C_LDS_OLD] = "Group_Segment_Size",
    [C_SCRATCH] = "Scratch_Size", [C_SCRATCH_OLD] = "Private_Segment_Size", [C_VGPR] = "VGPR_Count",
    [C_AGPR] = "Accum_VGPR_Count", [C_SGPR] = "SGPR_Count", [C_BLOCK_X] = "Workgroup_Size_X",
    [C_BLOCK_Y] = "Workgroup_Size_Y", [C_BLOCK_Z] = "Workgroup_Size_Z", [C_GRID_X] = "Grid_Size_X",
    [C_GRID_Y] = "Grid_Size_Y", [C_GRID_Z] = "Grid_Size_Z", [C_GRID] = "Grid_Size", [C_BLOCK] = "Workgroup_Size",
    [C_DIRECTION] = "Direction", [C_SRC] = "Source_Agent_Id", [C_DST] = "Destination_Agent_Id",
    [C_OPERATION] = "Operation", [C_BYTES] = "Allocation_Size", [C_ADDRESS] = "Address", [C_DOMAIN] = "Domain",
    [C_FUNCTION] = "Function", [C_PID] = "Process_Id", [C_COUNTER] = "Counter_Name",
    [C_COUNTER_VALUE] = "Counter_Value", [C_NODE] = "Node_Id", [C_LOGICAL] = "Logical_Node_Id",
    [C_TYPE] = "Agent_Type", [C_NAME] = "Name", [C_PRODUCT] = "Product_Name", [C_CUS] = "Cu_Count",
    [C_CALLS] = "Calls", [C_TOTAL] = "TotalDurationNs", [C_AVERAGE] = "AverageNs", [C_MIN] = "MinNs",
    [C_MAX] = "MaxNs", [C_STD] = "StdDev", [C_SAMPLE] = "Sample_Timestamp",
};

/* What a file holds, by its columns; the first line of this list whose columns are all there. */
enum table { T_COUNTERS, T_KERNELS, T_COPIES, T_ALLOCS, T_CALLS, T_AGENTS, T_SUMS, T_SAMPLES, TABLES };
static const enum col needs[TABLES][3] = {
    [T_COUNTERS] = { C_COUNTER, C_COUNTER_VALUE, C_KERNEL }, [T_KERNELS] = { C_KERNEL, C_START, C_END },
    [T_COPIES] = { C_DIRECTION, C_START, C_END },            [T_ALLOCS] = { C_OPERATION, C_START, C_END },
    [T_CALLS] = { C_FUNCTION, C_START, C_END },              [T_AGENTS] = { C_TYPE, C_NODE, C_NODE },
    [T_SUMS] = { C_NAME, C_CALLS, C_TOTAL },                 [T_SAMPLES] = { C_SAMPLE, C_SAMPLE, C_SAMPLE },
};

static enum table table_of(const int at[COLS])
{
    for (int t = 0; t < TABLES; t++)
        if (at[needs[t][0]] >= 0 && at[needs[t][1]] >= 0 && at[needs[t][2]] >= 0)
            return (enum table)t;
    return TABLES;
}

static void place(struct az_sv title, int i, int at[COLS])
{
    title = az_sv_trim(title);
    for (int c = 0; c < COLS; c++)
        if (at[c] < 0 && az_sv_ieq(title, az_sv_str(titles[c])))
            at[c] = i;
}

int rocprof_csv_probe(struct az_sv head, bool *sums)
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
        place(title, i, at);
        line = az_sv_make(line.p + used, line.n - used);
    }
    enum table t = table_of(at);
    *sums = t == T_SUMS;
    /* A name and a sum are common words: only the spelling of this tool is sure. */
    return t == TABLES ? 0 : t == T_SUMS || t == T_AGENTS ? 80 : 93;
}

/* ---- files of a set ---- */

static const char *const domains[] = { /* in the order in which a set is read */
                                       "agent_info",        "hip_api_trace",           "hsa_api_trace",
                                       "rccl_api_trace",    "rocdecode_api_trace",     "rocjpeg_api_trace",
                                       "marker_api_trace",  "kernel_trace",            "counter_collection",
                                       "memory_copy_trace", "memory_allocation_trace", "scratch_memory_trace",
                                       "kernel_stats" };
#define DOMAINS (sizeof domains / sizeof *domains)
static const char *const other_domains[] = { "hip_api_stats",    "hsa_api_stats",    "memory_copy_stats",
                                             "marker_api_stats", "rccl_api_stats",   "domain_stats",
                                             "hip_stats",        "hsa_stats",        "memory_allocation_stats",
                                             "hip_trace",        "hsa_trace",        "scratch_memory_stats" };

bool rocprof_csv_prefix(struct az_sv path, struct az_sv *prefix)
{
    struct az_sv s = path;
    if (az_sv_ends(s, AZ_SV(".gz")))
        s.n -= 3;
    if (!az_sv_ends(s, AZ_SV(".csv")))
        return false;
    s.n -= 4;
    for (size_t i = 0; i < DOMAINS + sizeof other_domains / sizeof *other_domains; i++) {
        struct az_sv d = az_sv_str(i < DOMAINS ? domains[i] : other_domains[i - DOMAINS]);
        if (!az_sv_ends(s, d) || s.n < d.n + 2 || s.p[s.n - d.n - 1] != '_')
            continue;
        *prefix = az_sv_make(s.p, s.n - d.n - 1);
        return az_path_base(*prefix).n > 0;
    }
    return false;
}

struct file {
    struct roc *r;
    struct az_sv path;
    struct az_csv csv;
    int at[COLS];
    enum table table;
    uint64_t bad;      /* rows left out */
    int64_t first_bad; /* line */
    struct { /* the cell met last, and what it became */
        struct az_sv text;
        uint32_t id;
    } name[2];
};

static const struct az_csv_field *cell(const struct file *f, enum col c)
{
    return f->at[c] < 0 || (size_t)f->at[c] >= f->csv.row.n ? NULL : &f->csv.row.v[f->at[c]];
}

/* 0 for a column that is absent or an empty cell; *ok false for text that is no number. */
static int64_t integer(const struct file *f, enum col c, bool *ok)
{
    const struct az_csv_field *x = cell(f, c);
    int64_t v = 0;
    double real;
    int rc = x ? az_csv_i64(x, &v) : 1;
    if (rc < 0 && az_csv_f64(x, &real) == 0 && real >= 0 && real < 9e18) /* "16384.000000" */
        v = (int64_t)real;
    else if (rc < 0)
        *ok = false;
    return rc == 1 ? 0 : v;
}

static uint64_t id_number(const struct file *f, enum col c)
{
    bool ok = true;
    uint64_t big;
    const struct az_csv_field *x = cell(f, c);
    int64_t v = integer(f, c, &ok);
    return ok || !x || az_parse_u64(az_sv_trim(x->raw), &big) != 0 ? (uint64_t)v : big;
}

static struct az_sv text(const struct file *f, enum col c)
{
    const struct az_csv_field *x = cell(f, c);
    return x ? az_csv_text(&f->r->scratch, x) : AZ_SV("");
}

/* Name id of a cell; which: 0 or 1, as two columns of a row are looked up. Equal cells often follow each other. */
static int cell_name(struct file *f, enum col c, int which, uint32_t *id)
{
    struct az_sv s = text(f, c);
    if (f->name[which].text.p && az_sv_eq(f->name[which].text, s)) {
        *id = f->name[which].id;
        return 0;
    }
    int rc = az_trace_name(f->r->t, s, id);
    f->name[which].text = rc == 0 ? az_trace_text(f->r->t, *id) : AZ_SV("");
    f->name[which].id = *id;
    return rc;
}

static int64_t agent(const struct file *f, enum col c)
{
    const struct az_csv_field *x = cell(f, c);
    return x ? roc_agent_number(x->raw) : AZ_NO_AGENT;
}

/* ---- rows: 0, 1 for a row that cannot be used, or an error ---- */

static int kernel_row(struct file *f, struct roc_kernel *k)
{
    bool ok = true;
    int64_t a = agent(f, C_AGENT);
    *k = (struct roc_kernel){ .start = integer(f, C_START, &ok), .end = integer(f, C_END, &ok),
                              .thread = integer(f, C_THREAD, &ok), .agent = a == AZ_NO_AGENT ? 0 : a,
                              .queue = integer(f, C_QUEUE, &ok), .stream = integer(f, C_STREAM, &ok),
                              .corr = id_number(f, C_CORR), .dispatch = id_number(f, C_DISPATCH), .name = AZ_NO_ID };
    struct az_dispatch_shape *s = &k->shape;
    s->lds = roc_u32(integer(f, f->at[C_LDS] >= 0 ? C_LDS : C_LDS_OLD, &ok));
    s->scratch = roc_u32(integer(f, f->at[C_SCRATCH] >= 0 ? C_SCRATCH : C_SCRATCH_OLD, &ok));
    s->vgpr = roc_u32(integer(f, C_VGPR, &ok));
    s->agpr = roc_u32(integer(f, C_AGPR, &ok));
    s->sgpr = roc_u32(integer(f, C_SGPR, &ok));
    for (int i = 0; i < 3; i++) {
        s->grid[i] = roc_u32(integer(f, (enum col)(C_GRID_X + i), &ok));
        s->block[i] = roc_u32(integer(f, (enum col)(C_BLOCK_X + i), &ok));
    }
    if (f->at[C_GRID_X] < 0 && f->at[C_GRID] >= 0) { /* only the products are there */
        s->grid[0] = roc_u32(integer(f, C_GRID, &ok));
        s->block[0] = roc_u32(integer(f, C_BLOCK, &ok));
        s->grid[1] = s->grid[2] = s->block[1] = s->block[2] = 1;
    }
    const struct az_csv_field *start = cell(f, C_START), *end = cell(f, C_END), *name = cell(f, C_KERNEL);
    if (!ok || !name || (f->table == T_KERNELS && (!start || !start->raw.n || !end || !end->raw.n)))
        return 1;
    return cell_name(f, C_KERNEL, 0, &s->whole);
}

static int take_kernel(struct file *f)
{
    struct roc_kernel k;
    int rc = kernel_row(f, &k);
    return rc ? rc : roc_kernel(f->r, &k);
}

/* One row a dispatch and counter. */
static int take_counter(struct file *f)
{
    struct roc_kernel k;
    struct az_counter c = { .proc = f->r->proc };
    const struct az_csv_field *value = cell(f, C_COUNTER_VALUE);
    int rc = kernel_row(f, &k);
    if (rc || !value || az_csv_f64(value, &c.value) != 0)
        return rc ? rc : 1;
    c.dispatch = k.dispatch;
    rc = roc_kernel_name(f->r, k.shape.whole, &c.kernel);
    if (rc == 0)
        rc = cell_name(f, C_COUNTER, 1, &c.counter);
    if (rc == 0)
        rc = az_vec_push(&f->r->d->counters, c);
    /* The rows of a dispatch follow each other: it is taken once, at its first one. */
    bool again = f->r->n_pending > 0 && f->r->pending[f->r->n_pending - 1].proc == f->r->proc &&
                 f->r->pending[f->r->n_pending - 1].k.dispatch == k.dispatch;
    return rc || again || f->at[C_START] < 0 || f->at[C_END] < 0 ? rc : roc_counted(f->r, &k);
}

static int take_copy(struct file *f)
{
    bool ok = true;
    struct roc_copy c = { .start = integer(f, C_START, &ok), .end = integer(f, C_END, &ok), .bytes = -1,
                          .queue = integer(f, C_QUEUE, &ok), .stream = integer(f, C_STREAM, &ok),
                          .src = (int32_t)agent(f, C_SRC), .dst = (int32_t)agent(f, C_DST), .corr = id_number(f, C_CORR) };
    int rc = ok ? cell_name(f, C_DIRECTION, 0, &c.name) : 1;
    return rc ? rc : roc_copy(f->r, &c);
}

static uint64_t address(struct az_sv s)
{
    uint64_t v = 0;
    s = az_sv_trim(s);
    if (!az_sv_starts(s, AZ_SV("0x")))
        return az_parse_u64(s, &v) == 0 ? v : 0;
    for (size_t i = 2; i < s.n; i++) {
        char c = s.p[i];
        unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned char)c | 32u) - 'a' + 10u;
        if (digit > 15)
            return 0;
        v = v << 4 | digit;
    }
    return v;
}

static int span(struct file *f, enum col name, struct roc_span *s)
{
    bool ok = true;
    *s = (struct roc_span){ .start = integer(f, C_START, &ok), .end = integer(f, C_END, &ok),
                            .thread = integer(f, C_THREAD, &ok), .corr = id_number(f, C_CORR) };
    return ok ? cell_name(f, name, 0, &s->name) : 1;
}

static int take_alloc(struct file *f)
{
    struct roc_alloc a = { .what = { .agent = (int32_t)agent(f, C_AGENT), .address = address(text(f, C_ADDRESS)) } };
    bool ok = true;
    a.what.bytes = integer(f, C_BYTES, &ok);
    int rc = ok ? span(f, C_OPERATION, &a.at) : 1;
    return rc ? rc : roc_alloc(f->r, &a);
}

static int take_call(struct file *f)
{
    struct roc_span s;
    bool ok = true;
    int64_t pid = integer(f, C_PID, &ok);
    if (ok && pid > 0 && roc_current(f->r)->pid == 0)
        roc_current(f->r)->pid = f->r->pid = pid;
    int rc = ok ? span(f, C_FUNCTION, &s) : 1;
    if (rc == 0)
        rc = cell_name(f, C_DOMAIN, 1, &s.domain);
    if (rc)
        return rc;
    bool marker = az_sv_starts(az_trace_text(f->r->t, s.domain), AZ_SV("MARKER"));
    return marker ? roc_range(f->r, &s) : roc_call(f->r, &s);
}

static int take_agent(struct file *f)
{
    bool ok = true;
    int64_t index = integer(f, f->at[C_LOGICAL] >= 0 ? C_LOGICAL : C_NODE, &ok), cus = integer(f, C_CUS, &ok);
    struct az_sv name = text(f, C_PRODUCT);
    if (!ok || index < 0 || index > INT32_MAX)
        return 1;
    bool gpu = az_sv_ieq(az_sv_trim(text(f, C_TYPE)), AZ_SV("GPU"));
    return roc_agent(f->r, index, gpu, name.n ? name : text(f, C_NAME), cus, 0);
}

static double number(const struct file *f, enum col c)
{
    const struct az_csv_field *x = cell(f, c);
    double v;
    return x && az_csv_f64(x, &v) == 0 ? v : NAN;
}

/* Kernels already summed: used where there is no trace of them. */
static int take_sum(struct file *f)
{
    struct az_trace *t = f->r->t;
    struct az_sum s = { .avg = number(f, C_AVERAGE), .min = number(f, C_MIN), .max = number(f, C_MAX),
                        .std = number(f, C_STD), .med = NAN };
    bool ok = true;
    uint32_t whole;
    s.count = integer(f, C_CALLS, &ok);
    s.total_ns = integer(f, C_TOTAL, &ok);
    s.total = (double)s.total_ns;
    int rc = ok ? cell_name(f, C_NAME, 0, &whole) : 1;
    if (rc == 0)
        rc = roc_kernel_name(f->r, whole, &s.name);
    t->read += rc == 0;
    t->kept += rc == 0;
    return rc ? rc : az_vec_push(&t->kernel_sums, s);
}

static int take(struct file *f)
{
    switch (f->table) {
    case T_COUNTERS: return take_counter(f);
    case T_KERNELS: return take_kernel(f);
    case T_COPIES: return take_copy(f);
    case T_ALLOCS: return take_alloc(f);
    case T_CALLS: return take_call(f);
    case T_AGENTS: return take_agent(f);
    case T_SUMS: return take_sum(f);
    case T_SAMPLES:
    case TABLES: break;
    }
    return 0;
}

/* ---- files ---- */

static int read_titles(struct file *f)
{
    struct az_diag *diag = f->r->job->diag;
    int rc = az_csv_next(&f->csv);
    if (rc < 0)
        return rc;
    if (rc == 0)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(f->path), "no line of titles");
    for (int c = 0; c < COLS; c++)
        f->at[c] = -1;
    for (size_t i = 0; i < f->csv.row.n && i < 4096; i++)
        place(f->csv.row.v[i].raw, (int)i, f->at);
    f->table = table_of(f->at);
    if (f->table != TABLES)
        return 0;
    for (enum col c = C_KERNEL; c <= C_END; c++) /* a kernel trace that lacks one of the three is the usual mistake */
        if (f->at[c] < 0)
            return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, 1),
                                "no column '%s' (is it a CSV of rocprofv3?)", titles[c]);
    return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, 1), "no titles of a rocprofv3 CSV");
}

static int read_rows(struct file *f)
{
    struct az_parse *job = f->r->job;
    int rc = 0;
    for (uint64_t rows = 1; rc == 0; rows++) {
        int more = az_csv_next(&f->csv);
        if (more <= 0)
            return more;
        if (f->csv.blank)
            continue;
        if (rows % 65536 == 0 && job->cancelled && job->cancelled(job->ctx))
            return AZ_EINTR;
        rc = take(f);
        if (rc == 1) {
            f->first_bad = f->bad++ ? f->first_bad : f->csv.line;
            rc = 0;
        }
    }
    return rc;
}

static int settle_file(struct file *f, int rc, size_t errors)
{
    struct az_parse *job = f->r->job;
    if (rc == AZ_EFORMAT && job->diag->errors == errors) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_LINE(f->path, f->csv.line),
                    "a quote is left open: the rest of the file is left out (is it cut off?)");
        az_trace_dropped(f->r->t, "row cut off at the end of the file", 1, 0);
        rc = 0;
    }
    if (rc == 0 && f->bad && job->opts->strict)
        return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_LINE(f->path, f->first_bad), "a row that cannot be read");
    if (rc == 0 && f->bad) {
        az_diag_add(job->diag, AZ_WARNING, AZ_AT_LINE(f->path, f->first_bad),
                    "%" PRIu64 " row(s) cannot be read and are left out, the first of them here", f->bad);
        az_trace_dropped(f->r->t, "rows that cannot be read", f->bad, 0);
    }
    return rc;
}

static int read_file(struct roc *r, struct az_sv path, bool sums)
{
    struct file *f = az_arena_alloc(&r->scratch, sizeof *f);
    struct az_source_opts so = { .mem = r->job->mem, .diag = r->job->diag };
    struct az_source *src = NULL;
    size_t errors = r->job->diag->errors;
    if (!f)
        return az_arena_error(&r->scratch);
    f->r = r;
    f->path = path;
    int rc = az_source_open(&src, path.p, &so);
    if (rc)
        return rc;
    rc = az_csv_init(&f->csv, src, ',', r->job->mem);
    if (rc)
        goto close;
    rc = read_titles(f);
    if (rc == 0 && f->table == T_SAMPLES)
        az_diag_add(r->job->diag, AZ_NOTE, AZ_AT_FILE(path), "samples of the program counter: not used");
    else if (rc == 0 && (f->table != T_SUMS || sums))
        rc = settle_file(f, read_rows(f), errors);
    if (rc == 0 && r->job->progress)
        atomic_fetch_add(r->job->progress, az_source_consumed(src));
    az_csv_release(&f->csv);
close:
    az_source_close(src);
    return rc;
}

/* ---- sets ---- */

static bool in_set(const struct az_file *f, struct az_sv prefix)
{
    struct az_sv own;
    bool known = rocprof_csv_prefix(f->path, &own);
    return known ? az_sv_eq(own, prefix) : prefix.n == 0;
}

/* A file of the set that was not named but lies beside those that were; the empty view if there is none. */
static struct az_sv sibling(struct roc *r, struct az_sv prefix, const char *domain)
{
    static const char *const ends[] = { ".csv", ".csv.gz" };
    for (size_t i = 0; i < 2; i++) {
        struct az_sv path = az_arena_printf(&r->scratch, "%.*s_%s%s", AZ_SVF(prefix), domain, ends[i]);
        if (path.p && az_path_stat(path.p).kind == AZ_PATH_FILE)
            return path;
    }
    return AZ_SV("");
}

/* The files of a set in the order of `domains`, then those of no known name as they were given. */
static int read_set(struct roc *r, struct az_sv prefix, const struct az_file *files, size_t n)
{
    int rc = roc_process(r, 0, 0, 0);
    for (size_t d = 0; rc == 0 && prefix.n && d < DOMAINS; d++) {
        struct az_sv path = sibling(r, prefix, domains[d]);
        bool sums = strcmp(domains[d], "kernel_stats") == 0;
        bool traced = r->t->ev[AZ_KERNEL].n + r->n_pending > 0;
        if (path.n && !(sums && traced))
            rc = read_file(r, path, true);
    }
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_sv base = files[i].path;
        bool known = false;
        for (size_t d = 0; prefix.n && d < DOMAINS; d++)
            known |= az_sv_find(az_path_base(base), az_arena_printf(&r->scratch, "_%s.csv", domains[d])) >= 0;
        if (known || !in_set(&files[i], prefix))
            continue;
        bool kernels = az_sv_find(az_path_base(base), AZ_SV("kernel")) >= 0;
        rc = read_file(r, base, kernels);
    }
    return rc;
}

int rocprof_csv_set(struct roc *r, const struct az_file *files, size_t n)
{
    struct az_vec_sv done;
    int rc = 0;
    az_vec_init(&done, r->job->mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        struct az_sv prefix = AZ_SV("");
        bool seen = false;
        if (!rocprof_csv_prefix(files[i].path, &prefix))
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
