/* Tracy operation CSV: recognition, header, files of one run one after the other
 * (docs/formats-tracy.md 1, 2). Rows: tracy_csv_row.c. */
#include "formats/tracy/tracy_csv.h"

#include "formats/list.h"
#include "io/path.h"

#define POLL_ROWS 1024

static const char *const plain_titles[TC_PLAIN] = {
    [TC_CODE] = "OP CODE",
    [TC_TYPE] = "OP TYPE",
    [TC_CALL] = "GLOBAL CALL COUNT",
    [TC_DEVICE] = "DEVICE ID",
    [TC_ARCH] = "DEVICE ARCH",
    [TC_ATTRIBUTES] = "ATTRIBUTES",
    [TC_FIDELITY] = "MATH FIDELITY",
    [TC_CORES] = "CORE COUNT",
    [TC_WORKERS] = "AVAILABLE WORKER CORE COUNT",
    [TC_START] = "HOST START TS",
    [TC_HOST_DURATION] = "HOST DURATION [ns]",
    [TC_GAP] = "OP TO OP LATENCY [ns]",
    [TC_FIRST_CYCLE] = "DEVICE FW START CYCLE",
    [TC_LAST_CYCLE] = "DEVICE FW END CYCLE",
    [TC_FIRMWARE] = "DEVICE FW DURATION [ns]",
    [TC_KERNEL] = "DEVICE KERNEL DURATION [ns]",
    [TC_PM_IDEAL] = "PM IDEAL [ns]",
    [TC_PM_COMPUTE] = "PM COMPUTE [ns]",
    [TC_PM_MEMORY] = "PM BANDWIDTH [ns]",
    [TC_PM_FPU] = "PM FPU UTIL (%)",
    [TC_NOC] = "NOC UTIL (%)",
    [TC_DRAM] = "DRAM BW UTIL (%)",
    [TC_ETH] = "ETH BW UTIL (%)",
    [TC_TRACE] = "METAL TRACE ID",
    [TC_REPLAY] = "METAL TRACE REPLAY SESSION ID",
    [TC_SUB_DEVICE] = "SUB DEVICE ID",
    [TC_CACHE_HIT] = "PROGRAM CACHE HIT",
};

/* Titles of reports that the runtime writes on the device's side alone, where the usual one is
 * missing. */
static const struct {
    enum az_tracy_col column;
    const char *title;
} device_titles[] = {
    { TC_CODE, "OP NAME" },
    { TC_FIRST_CYCLE, "DEVICE KERNEL START CYCLE" },
    { TC_LAST_CYCLE, "DEVICE KERNEL END CYCLE" },
};

/* What the columns of a tensor are called: the stored form of a shape, and its older form. */
static const struct {
    const char *tail, *old;
} tensor_titles[6] = {
    { "W_PAD[LOGICAL]", "W" }, { "Z_PAD[LOGICAL]", "Z" }, { "Y_PAD[LOGICAL]", "Y" },
    { "X_PAD[LOGICAL]", "X" }, { "DATATYPE", NULL },      { "MEMORY", NULL },
};
static const char *const tensor_names[AZ_TENSORS] = { "INPUT_0_", "INPUT_1_", "INPUT_2_",
                                                      "OUTPUT_0_" };

const char *az_tracy_title(enum az_tracy_col c)
{
    return c < TC_PLAIN ? plain_titles[c] : "a shape";
}

static int column_of(struct az_sv title, bool *padded)
{
    for (int c = 0; c < TC_PLAIN; c++)
        if (az_sv_is(title, plain_titles[c]))
            return c;
    for (int t = 0; t < AZ_TENSORS; t++) {
        struct az_sv head = az_sv_str(tensor_names[t]);
        if (!az_sv_starts(title, head))
            continue;
        struct az_sv tail = az_sv_make(title.p + head.n, title.n - head.n);
        for (int i = 0; i < 6; i++) {
            bool stored = az_sv_is(tail, tensor_titles[i].tail);
            *padded = i < 4 && stored;
            if (stored || (tensor_titles[i].old && az_sv_is(tail, tensor_titles[i].old)))
                return TC_PLAIN + t * 6 + i;
        }
    }
    return -1;
}

static void find_device_titles(struct az_tracy_file *f, struct az_sv title, int at)
{
    for (size_t i = 0; i < AZ_LENGTH(device_titles); i++)
        if (f->device_at[device_titles[i].column] < 0 && az_sv_is(title, device_titles[i].title))
            f->device_at[device_titles[i].column] = at;
}

/* Takes them for columns that are missing; both cycles or none. */
static void use_device_titles(struct az_tracy_file *f)
{
    f->device_side = f->at[TC_CODE] < 0 && f->device_at[TC_CODE] >= 0;
    if (f->device_side)
        f->at[TC_CODE] = f->device_at[TC_CODE];
    if (f->at[TC_FIRST_CYCLE] >= 0 || f->at[TC_LAST_CYCLE] >= 0)
        return;
    f->at[TC_FIRST_CYCLE] = f->device_at[TC_FIRST_CYCLE];
    f->at[TC_LAST_CYCLE] = f->device_at[TC_LAST_CYCLE];
    f->kernel_cycles = f->at[TC_FIRST_CYCLE] >= 0 && f->at[TC_LAST_CYCLE] >= 0;
}

/* Where each column is, by title. Of a plain and a padded shape column the padded one counts. */
static int header(struct az_tracy_file *f)
{
    struct az_diag *diag = f->job->diag;
    struct az_where here = AZ_AT_LINE(f->path, f->csv.line);

    for (int c = 0; c < TC_COUNT; c++)
        f->at[c] = f->device_at[c] = -1;
    f->width = f->csv.row.n;
    for (size_t i = 0; i < f->csv.row.n; i++) {
        struct az_sv title = az_sv_trim(az_csv_text(&f->job->trace->arena, &f->csv.row.v[i]));
        bool padded = false;
        int c = column_of(title, &padded);
        if (az_sv_find(title, AZ_SV("_PAD[LOGICAL]")) >= 0)
            f->padded = true;
        if (c >= 0 && (f->at[c] < 0 || padded))
            f->at[c] = (int)i;
        find_device_titles(f, title, (int)i);
    }
    use_device_titles(f);
    if (f->at[TC_CODE] < 0)
        return az_diag_fail(diag, AZ_EFORMAT, here,
                            "missing column 'OP CODE'; check that this is an ops_perf_results CSV");
    if (f->at[TC_KERNEL] < 0)
        az_diag_add(diag, AZ_WARNING, here,
                    "missing column 'DEVICE KERNEL DURATION [ns]': device times are 0, operations "
                    "are not rated");
    if (f->at[TC_DEVICE] < 0)
        az_diag_add(
            diag, AZ_WARNING, here,
            "missing column 'DEVICE ID': all rows belong to one device, rows are not merged");
    if (f->at[TC_START] < 0)
        az_diag_add(diag, AZ_NOTE, here, "missing column 'HOST START TS': rows are in file order");
    f->report->has_host_start |= f->at[TC_START] >= 0;
    f->report->has_device |= f->at[TC_DEVICE] >= 0;
    f->report->has_firmware |= f->at[TC_FIRMWARE] >= 0;
    f->report->names_arch |= f->at[TC_ARCH] >= 0 || f->at[TC_WORKERS] >= 0;
    return 0;
}

static int poll_progress(struct az_tracy_file *f, const struct az_source *src)
{
    struct az_parse *job = f->job;
    if (f->rows % POLL_ROWS)
        return 0;
    if (job->progress && !f->times_only)
        atomic_store_explicit(job->progress, az_source_consumed(src), memory_order_relaxed);
    return job->cancelled && job->cancelled(job->ctx) ? AZ_EINTR : 0;
}

/* A row with fewer fields than the header is damaged or truncated: which cells it lost is unknown.
 */
static int data_row(struct az_tracy_file *f)
{
    f->rows++;
    f->last_line = f->csv.line;
    if (f->csv.row.n < f->width) {
        if (f->short_rows++ == 0)
            f->short_line = f->csv.line;
        return 0;
    }
    if (f->times_only) {
        az_tracy_window_time(&f->window, az_tracy_row_start(f));
        return 0;
    }
    f->long_rows += f->csv.row.n > f->width;
    const bool inside = az_tracy_row_is_inside(f);
    if (f->copy)
        az_tracy_copy_row(f->copy, &f->csv, inside);
    f->outside += !inside;
    return inside ? az_tracy_row(f) : 0;
}

static int broken(struct az_tracy_file *f, int rc, size_t errors, size_t warnings)
{
    struct az_parse *job = f->job;
    struct az_where here = AZ_AT_LINE(f->path, f->csv.line);

    if (f->times_only)
        return rc;
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(job->diag, rc, here, job->mem);
    if (rc == AZ_EFORMAT && f->rows > 0 && !job->opts->strict) {
        az_diag_add(job->diag, AZ_WARNING, here,
                    "truncated in this row; %zu rows before it are used", f->rows);
        az_trace_truncated(job->trace, "truncated rows");
        return 0;
    }
    if (job->diag->errors > errors)
        return rc;
    return az_diag_fail(job->diag, rc, here, "%s",
                        rc != AZ_EFORMAT                 ? az_err_text(rc)
                        : job->diag->warnings > warnings ? "file truncated in its first row"
                                                         : "unterminated quote");
}

/* Of lines of remarks above the header. */
static bool is_remark(const struct az_tracy_file *f)
{
    const struct az_csv_field *first = f->csv.row.v;
    return !first->quoted && az_sv_starts(first->raw, AZ_SV("#"));
}

static int read_rows(struct az_tracy_file *f, const struct az_source *src)
{
    const size_t errors = f->job->diag->errors, warnings = f->job->diag->warnings;
    bool seen_header = false;
    int rc = 0;

    while (rc == 0) {
        int more = az_csv_next(&f->csv);
        if (more < 0)
            return broken(f, more, errors, warnings);
        if (more == 0)
            break;
        if (!f->csv.blank && !seen_header && is_remark(f))
            f->job->trace->windowed |= az_sv_is(f->csv.row.v[0].raw, AZ_TRACY_WINDOW_REMARK);
        if (f->csv.blank || (!seen_header && is_remark(f)))
            continue;
        if (!seen_header && f->copy)
            az_tracy_copy_row(f->copy, &f->csv, true);
        rc = seen_header ? data_row(f) : header(f);
        seen_header = true;
        if (rc == 0)
            rc = poll_progress(f, src);
    }
    if (rc == 0 && !seen_header)
        rc = az_diag_fail(f->job->diag, AZ_EEMPTY, AZ_AT_FILE(f->path), "empty file");
    return rc;
}

static int emit_finding(struct az_tracy_file *f)
{
    struct az_diag *diag = f->job->diag;
    struct az_trace *t = f->job->trace;
    bool strict = f->job->opts->strict;

    if (f->short_rows && strict)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, f->short_line),
                            "a row with fewer fields than the header's %zu", f->width);
    if (f->bad_cells && strict)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_LINE(f->path, f->bad_line),
                            "not a number in column '%.*s'", AZ_SVF(f->bad_column));
    if (f->short_rows)
        az_diag_add(diag, AZ_WARNING, AZ_AT_LINE(f->path, f->short_line),
                    "%llu row(s) with fewer fields than the header's %zu skipped, the first one "
                    "here; check whether the file is truncated",
                    (unsigned long long)f->short_rows, f->width);
    if (f->bad_cells)
        az_diag_add(diag, AZ_WARNING, AZ_AT_LINE(f->path, f->bad_line),
                    "%llu invalid number(s) treated as blank, the first in column '%.*s'",
                    (unsigned long long)f->bad_cells, AZ_SVF(f->bad_column));
    if (f->bad_budgets)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(f->path),
                    "%llu invalid worker count(s) treated as blank; expected whole numbers from 1 "
                    "to 1048576",
                    (unsigned long long)f->bad_budgets);
    if (f->long_rows)
        az_diag_add(diag, AZ_WARNING, AZ_AT_FILE(f->path),
                    "%llu row(s) with more fields than the header; extra fields skipped",
                    (unsigned long long)f->long_rows);
    if (f->short_rows)
        az_trace_dropped(t, AZ_DROP_LOST, "rows with missing fields", f->short_rows, 0);
    t->truncated |= f->short_rows == 1 && f->short_line == f->last_line;
    if (f->nameless)
        az_trace_dropped(t, AZ_DROP_LOST, "rows without a name", f->nameless, 0);
    if (f->outside)
        az_trace_dropped(t, AZ_DROP_FILTERED, "events outside the window", f->outside, 0);
    t->read += f->rows;
    return 0;
}

/* Devices of the second and later files are numbered on: every file with devices has as many of
 * them as the first one with some. */
static int number_devices(struct az_tracy_file *f, size_t first_row, int64_t *per_file)
{
    int64_t n = f->max_device + 1;
    struct az_opreport *r = f->report;

    if (n == 0)
        return 0;
    if (*per_file == 0)
        *per_file = n;
    if (n != *per_file)
        return az_diag_fail(
            f->job->diag, AZ_EFORMAT, AZ_AT_FILE(f->path),
            "the highest DEVICE ID is %lld, but an earlier file implies %lld; check "
            "that these are hosts of one run",
            (long long)f->max_device, (long long)*per_file - 1);
    if (n * (int64_t)(f->index + 1) > INT32_MAX)
        return az_diag_fail(f->job->diag, AZ_ERANGE, AZ_AT_FILE(f->path),
                            "device number '%lld' is too large", (long long)f->max_device);
    for (size_t i = first_row; i < r->rows.n; i++)
        if (r->rows.v[i].device >= 0)
            r->rows.v[i].device += (int32_t)(n * (int64_t)f->index);
    return 0;
}

struct run {
    struct az_tracy_attributes attributes;
    int64_t per_file;
    bool padded, differs, call_seen;
};

/* All rows of a file: every column, or their times. */
static int read_source(struct az_tracy_file *f, struct az_digest *digest)
{
    const struct az_source_opts so = { .mem = f->job->mem,
                                       .diag = f->job->diag,
                                       .digest = digest,
                                       .keeps_parts = !f->job->opts->strict };
    struct az_source *src = NULL;
    int rc = az_source_open(&src, f->path.p, &so);

    if (rc)
        return rc;
    rc = az_csv_init(&f->csv, src, ',', f->job->mem);
    if (rc == 0) {
        rc = read_rows(f, src);
        if (rc == 0 && !f->short_rows)
            az_csv_warn_open(&f->csv, f->path, f->job->diag);
        az_csv_release(&f->csv);
    }
    az_source_close(src);
    return rc;
}

/* The window of the trace in a file. Parts of the recording need the times of all rows first; what
 * is wrong with the file is reported when it is read. */
static int choose_rows(struct az_tracy_file *f)
{
    const struct az_window *w = f->job->trace->window;
    struct az_tracy_file times = *f;
    struct az_parse job = *f->job;
    struct az_diag unused;

    if (w)
        f->chosen = *w;
    if (!w || !az_tracy_window_needs_times(w))
        return AZ_OK;
    if (az_path_is_stream(f->path))
        return az_diag_fail(f->job->diag, AZ_EUSAGE, AZ_AT_FILE(f->path),
                            "a pipe or device has no known length, so that no part of it can be "
                            "chosen; store it in a file");
    az_diag_init(&unused);
    job.diag = &unused;
    times.job = &job;
    times.copy = NULL;
    times.times_only = true;
    const int rc = read_source(&times, NULL);
    az_diag_release(&unused);
    az_tracy_window_set_parts(&f->chosen, &times.window);
    return rc == AZ_EINTR || rc == AZ_ENOMEM || rc == AZ_ELIMIT ? rc : AZ_OK;
}

static int read_file(struct az_parse *job, size_t index, struct run *run,
                     struct az_tracy_copy *copy)
{
    struct az_tracy_file f = { .job = job,
                               .report = az_opreport(job->trace),
                               .path = job->files[index].path,
                               .index = index,
                               .max_device = -1,
                               .copy = copy,
                               .attributes = &run->attributes };
    const size_t first_row = f.report->rows.n;
    int rc = choose_rows(&f);

    if (rc == 0)
        rc = read_source(&f, az_parse_digest(job, index));
    if (rc == 0)
        rc = emit_finding(&f);
    if (rc == 0)
        rc = number_devices(&f, first_row, &run->per_file);
    if (rc == 0)
        rc = az_vec_push(&f.report->files, az_path_base(f.path));
    run->padded |= f.padded;
    run->differs |= f.call_differs;
    run->call_seen |= f.call_seen;
    return rc;
}

static int settle(struct az_parse *job, const struct run *run)
{
    struct az_trace *t = job->trace;
    struct az_opreport *r = az_opreport(t);
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, job->mem, 64);

    for (size_t i = 0; rc == 0 && i < r->rows.n; i++) {
        uint32_t *at;
        bool added = false;
        if (r->rows.v[i].device >= 0)
            rc = az_map_put(&seen, (uint64_t)r->rows.v[i].device, 0, 0, &at, &added);
        r->devices += added;
    }
    az_map_release(&seen);
    r->call_has_device = run->call_seen && !run->differs;
    r->version = r->names_arch ? AZ_SV("v2.1") : run->padded ? AZ_SV("v2") : AZ_SV("v1");
    t->kept = r->rows.n;
    az_trace_fact(t, "layout of the file", r->version);
    if (r->arch.n)
        az_trace_fact(t, "architecture", r->arch);
    if (r->workers)
        az_trace_fact(t, "worker cores", az_arena_printf(&t->arena, "%lld", (long long)r->workers));
    az_trace_fact(t, "devices", az_arena_printf(&t->arena, "%lld", (long long)r->devices));
    return rc;
}

static int parse_rows(struct az_parse *job, struct az_tracy_copy *copy)
{
    struct az_trace *t = job->trace;
    struct run run = { .per_file = 0 };
    int rc = az_opreport_init(t);

    az_vec_init(&run.attributes.rows, job->mem);
    az_map_init(&run.attributes.map, job->mem, 256);
    for (size_t i = 0; rc == 0 && i < job->n_files; i++)
        rc = i > UINT16_MAX ? AZ_ERANGE : read_file(job, i, &run, copy);
    if (rc == 0)
        rc = settle(job, &run);
    if (rc == 0)
        rc = az_tracy_time_line(job);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        rc = az_diag_memory(job->diag, rc, AZ_AT_FILE(job->files[0].path), job->mem);
    az_map_release(&run.attributes.map);
    az_vec_release(&run.attributes.rows);
    return rc;
}

static int parse(struct az_parse *job) { return parse_rows(job, NULL); }

static int cut_tracy(struct az_cut *job) { return az_tracy_cut(job, parse_rows); }

/* The first line below remarks has the two columns that every version of the writer gives, in any
 * order; or those of a report of the device's side. */
static int probe(struct az_sv head, struct az_sv path)
{
    (void)path;
    struct az_sv line;
    do
        line = az_sv_cut(&head, '\n');
    while (az_sv_starts(line, AZ_SV("#")));

    if (az_sv_find(line, AZ_SV("OP NAME")) >= 0 &&
        az_sv_find(line, AZ_SV("GLOBAL CALL COUNT")) >= 0 &&
        az_sv_find(line, AZ_SV("DEVICE KERNEL DURATION [ns]")) >= 0)
        return 90;
    if (az_sv_find(line, AZ_SV("OP CODE")) < 0 || az_sv_find(line, AZ_SV("OP TYPE")) < 0)
        return 0;
    return az_sv_find(line, AZ_SV("DEVICE KERNEL DURATION [ns]")) >= 0 ? 95 : 60;
}

static const char *const aliases[] = { "tracy-csv", "tt-perf", NULL };

const struct az_format az_format_tracy = {
    .name = "tracy",
    .tool = AZ_TOOL_TT_PERF_REPORT,
    .help = "Tenstorrent operation report of Tracy (ops_perf_results CSV); several files: the "
            "hosts of one run",
    .aliases = aliases,
    .files_are_hosts = true,
    .probe = probe,
    .parse = parse,
    .cut = cut_tracy,
};
