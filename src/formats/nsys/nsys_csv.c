/* Format "csv": reports of `nsys stats --format csv` (docs/formats-nsight.md 1.1, 1.6, 2). A file
 * is a series of sections; a section is a line of titles and the rows up to an empty line or the
 * next titles. With a role only the section of that report is read, without one every section that
 * is known. */
#include "formats/nsys/nsys_csv.h"
#include "formats/list.h"
#include "io/path.h"

#define PROBE_LINES 64
#define CANCEL_ROWS 65536
#define READ_REPORTS                                                                               \
    (1u << NR_KERNEL_SUM | 1u << NR_MEM_TIME | 1u << NR_MEM_SIZE | 1u << NR_PROJ_TRACE |           \
     1u << NR_GPU_TRACE)

/* ---- recognizing ---- */

/* Titles of one line of text; quotes are removed, a comma inside quotes is no separator. */
static void head_of_line(struct az_sv line, struct az_nsys_head *h)
{
    az_nsys_head_init(h);
    size_t at = 0;
    while (at <= line.n && h->n <= NSYS_MAX_TITLES) {
        bool quoted = at < line.n && line.p[at] == '"';
        size_t from = at + quoted, to = from;
        while (to < line.n && line.p[to] != (quoted ? '"' : ','))
            to++;
        az_nsys_head_add(
            h, az_sv_make(line.p + (from < line.n ? from : line.n), to > from ? to - from : 0));
        at = to;
        while (at < line.n && line.p[at] != ',')
            at++;
        at++;
    }
}

static int probe(struct az_sv head, struct az_sv path)
{
    (void)path;
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    for (unsigned line = 0; line < PROBE_LINES && head.n > 0; line++) {
        const char *end = memchr(head.p, '\n', head.n);
        size_t n = end ? (size_t)(end - head.p) : head.n;
        struct az_nsys_head h;
        head_of_line(az_sv_trim(az_sv_make(head.p, n)), &h);
        if (az_nsys_head_report(&h) != NR_NONE)
            return line == 0 ? 95 : 85;
        if (!end)
            break;
        head = az_sv_make(end + 1, head.n - n - 1);
    }
    return 0;
}

static struct az_sv file_stem(struct az_sv path)
{
    static const char *const tails[] = {
        "_cuda_gpu_kern_sum",
        "_cuda_gpu_kern_sum_base",
        "_cuda_gpu_kern_gb_sum",
        "_cuda_gpu_mem_time_sum",
        "_cuda_gpu_mem_size_sum",
        "_nvtx_gpu_proj_trace",
        "_cuda_gpu_trace",
        "_gpukernsum",
        "_gpukerngbsum",
        "_gpumemtimesum",
        "_gpumemsizesum",
        "_nvtxgpuproj",
        "_gputrace",
    };
    /* base name without extensions */
    size_t from = path.n;
    while (from > 0 && path.p[from - 1] != '/')
        from--;
    struct az_sv s = az_path_unpacked(az_sv_make(path.p + from, path.n - from));
    for (size_t i = s.n; i > 1; i--)
        if (s.p[i - 1] == '.') {
            s.n = i - 1;
            break;
        }
    for (size_t i = 0; i < AZ_LENGTH(tails); i++) {
        struct az_sv tail = az_sv_str(tails[i]);
        if (s.n > tail.n && az_sv_ends(s, tail))
            return az_sv_make(s.p, s.n - tail.n);
    }
    return s;
}

/* ---- one file ---- */

/* What was found in a file, beyond what went into the trace. */
struct findings {
    unsigned taken;                 /* 1 << report: sections that were read */
    unsigned passed;                /* sections that were recognized but not read */
    enum az_nsys_report substitute; /* with a role: a first section that could serve */
    int64_t titles_line;            /* a line that has some known titles but not enough; 0 none */
    struct az_sv titles;            /* that line (arena) */
    struct az_nsys_head titles_head;
    struct az_sv first; /* first line with text (arena) */
};

static enum az_nsys_report role_report(struct az_sv role)
{
    if (az_sv_is(role, "kernel_sum"))
        return NR_KERNEL_SUM;
    if (az_sv_is(role, "mem_time_sum"))
        return NR_MEM_TIME;
    return az_sv_is(role, "nvtx_proj_trace") ? NR_PROJ_TRACE : NR_NONE;
}

/* Could the section serve for the role though its titles name another report? */
static bool can_serve(enum az_nsys_report role, const struct az_nsys_head *h)
{
    static const enum az_nsys_col counts[] = { NC_INSTANCES, NC_COUNT, NC_CALLS, NC_KERN_INST };
    static const enum az_nsys_col names[] = { NC_NAME, NC_KERNEL_NAME, NC_OPERATION, NC_RANGE,
                                              NC_NVTX_RANGE };
    return role != NR_PROJ_TRACE && h->at[NC_TOTAL_TIME] >= 0 &&
           az_nsys_head_first(h, counts, 4) >= 0 && az_nsys_head_first(h, names, 5) >= 0;
}

/* Are all columns of this role set as indexes? Then the first line serves as titles whatever its
 * text. */
static bool indexes_given(const struct az_options *o, enum az_nsys_report r)
{
    if (r == NR_KERNEL_SUM)
        return o->kernel_total_time_idx != AZ_UNSET_I64 && o->kernel_instance_idx != AZ_UNSET_I64 &&
               o->kernel_name_idx != AZ_UNSET_I64;
    if (r == NR_MEM_TIME)
        return o->mem_time_idx != AZ_UNSET_I64 && o->mem_count_idx != AZ_UNSET_I64 &&
               o->mem_name_idx != AZ_UNSET_I64;
    return r == NR_PROJ_TRACE && o->nvtx_tag_idx != AZ_UNSET_I64 &&
           o->nvtx_proj_duration_idx != AZ_UNSET_I64;
}

static struct az_sv row_text(struct az_nsys_csv_file *f)
{
    struct az_arena *a = &f->job->trace->arena;
    struct az_sv text = az_sv_make("", 0);
    for (size_t i = 0; i < f->csv.row.n && i < 24; i++) {
        struct az_sv field = az_sv_trim(f->csv.row.v[i].raw);
        int n = field.n > 60 ? 60 : (int)field.n;
        text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text), i ? ", " : "", n, n ? field.p : "");
    }
    return text;
}

/* Checks a row outside a section; sets f->report when a section to be read begins. */
static int look_for_section(struct az_nsys_csv_file *f, enum az_nsys_report role, bool substitutes,
                            struct findings *found)
{
    struct az_nsys_head *h = &f->head;
    az_nsys_head_init(h);
    for (size_t i = 0; i < f->csv.row.n; i++)
        az_nsys_head_add(h, f->csv.row.v[i].raw);
    enum az_nsys_report r = az_nsys_head_report(h);
    bool take = r != NR_NONE && (role == NR_NONE ? (READ_REPORTS >> r & 1u) : r == role);
    if (!take && role != NR_NONE &&
        (indexes_given(f->job->opts, role) || (substitutes && can_serve(role, h)))) {
        take = true;
        r = role;
    }
    if (take) {
        f->report = r;
        found->taken |= 1u << r;
        return az_nsys_csv_pick(f);
    }
    if (r != NR_NONE) {
        found->passed |= 1u << r;
        if (found->substitute == NR_NONE && role != NR_NONE && can_serve(role, h))
            found->substitute = r;
    }
    if (!found->first.n)
        found->first = row_text(f);
    if (found->titles_line == 0 && h->known >= 2) {
        found->titles_line = f->csv.line;
        found->titles_head = *h;
        found->titles = row_text(f);
    }
    return 0;
}

static int poll_cancel(const struct az_parse *job, uint64_t rows)
{
    if (rows % CANCEL_ROWS != 0 || !job->cancelled || !job->cancelled(job->ctx))
        return 0;
    return AZ_EINTR;
}

/* az_csv_next failed; `errors`: of the diag before, so that messages of the source are not
 * repeated. */
static int broken_row(struct az_nsys_csv_file *f, int rc, size_t errors)
{
    struct az_where at = AZ_AT_LINE(f->file->path, f->csv.line);
    if (rc != AZ_EFORMAT || f->diag->errors > errors)
        return rc;
    bool damaged = az_source_damaged(f->csv.src);
    if (f->report == NR_NONE)
        return az_diag_fail(f->diag, rc, at,
                            damaged ? "file truncated before the rows of a report"
                                    : "invalid CSV: unterminated quote, or row too long");
    az_trace_truncated(f->job->trace, "truncated row at the end of the file");
    az_diag_add(f->diag, AZ_WARNING, at,
                damaged ? "truncated in this row; the rows before it are used"
                        : "unterminated quote: the rest of the file is skipped; check whether the "
                          "file is truncated");
    return 0;
}

/* Reads the sections of an opened file. */
static int read_sections(struct az_nsys_csv_file *f, enum az_nsys_report role, bool substitutes,
                         struct findings *found)
{
    int rc = 0;
    uint64_t rows = 0;
    size_t errors = f->diag->errors;
    if (f->trust_indexes) {
        f->report = role == NR_NONE ? NR_KERNEL_SUM : role;
        found->taken |= 1u << f->report;
        az_nsys_head_init(&f->head);
        rc = az_nsys_csv_pick(f);
    }
    while (rc == 0 && (rc = poll_cancel(f->job, ++rows)) == 0) {
        int more = az_csv_next(&f->csv);
        if (more < 0)
            return broken_row(f, more, errors);
        if (more == 0)
            return 0;
        if (f->report != NR_NONE) {
            rc = f->csv.blank ? 1 : az_nsys_csv_row(f);
            if (rc <= 0)
                continue;
            rc = 0;
            f->report = NR_NONE;
            if (role != NR_NONE || f->trust_indexes)
                return 0;
        }
        if (!f->csv.blank)
            rc = look_for_section(f, role, substitutes, found);
    }
    return rc;
}

static int read_once(struct az_nsys_csv_file *f, enum az_nsys_report role, bool substitutes,
                     struct findings *found)
{
    struct az_parse *job = f->job;
    struct az_source *src = NULL;
    struct az_source_opts so = { .mem = job->mem,
                                 .diag = f->diag,
                                 .keeps_parts = !job->opts->strict };
    int rc = az_source_open(&src, f->file->path.p, &so);
    if (rc != 0)
        return rc;
    struct az_sv first;
    rc = az_source_peek(src, 1, &first);
    if (rc == 0 && first.n == 0)
        rc = az_diag_fail(f->diag, AZ_EEMPTY, AZ_AT_FILE(f->file->path), "empty file");
    if (rc != 0)
        goto close;
    rc = az_csv_init(&f->csv, src, ',', job->mem);
    if (rc != 0)
        goto close;
    f->report = NR_NONE;
    rc = read_sections(f, role, substitutes, found);
    if (rc == 0)
        az_csv_warn_open(&f->csv, f->file->path, f->diag);
    az_csv_release(&f->csv);
    job->trace->truncated |= rc == 0 && f->short_last;
    if (rc == 0 && job->progress && !substitutes)
        atomic_fetch_add(job->progress, az_source_consumed(src));
close:
    az_source_close(src);
    return rc;
}

/* No section of the required kind: report what was there instead. */
static int nothing_found(struct az_nsys_csv_file *f, enum az_nsys_report role,
                         const struct findings *found)
{
    struct az_where at = AZ_AT_LINE(f->file->path, found->titles_line);
    enum az_nsys_report want = role == NR_NONE ? NR_KERNEL_SUM : role;
    for (enum az_nsys_report r = NR_KERNEL_SUM; r <= NR_GPU_SUM; r++)
        if (found->passed >> r & 1u)
            return az_diag_fail(
                f->diag, AZ_EFORMAT, AZ_AT_FILE(f->file->path),
                "this is a %s report without %s; use the %s report%s", az_nsys_report_name(r),
                want == NR_PROJ_TRACE ? "projected ranges"
                : want == NR_MEM_TIME ? "memory operation times"
                                      : "kernel times",
                az_nsys_report_name(want), role == NR_NONE ? ", or the SQLite export" : "");
    if (found->titles_line == 0)
        return az_diag_fail(f->diag, AZ_EFORMAT, AZ_AT_FILE(f->file->path),
                            "no header line of a %s report (first line: '%.*s')",
                            az_nsys_report_name(want),
                            (int)(found->first.n > 120 ? 120 : found->first.n),
                            found->first.p ? found->first.p : "");
    static const enum az_nsys_col sums[] = { NC_TOTAL_TIME, NC_INSTANCES, NC_NAME };
    static const enum az_nsys_col mems[] = { NC_TOTAL_TIME, NC_COUNT, NC_OPERATION };
    static const enum az_nsys_col projs[] = { NC_PROJ_DURATION, NC_NAME, NC_NAME };
    const enum az_nsys_col *need = want == NR_KERNEL_SUM ? sums
                                   : want == NR_MEM_TIME ? mems
                                                         : projs;
    size_t i = 0;
    while (i < 2 && found->titles_head.at[need[i]] >= 0)
        i++;
    return az_diag_fail(
        f->diag, AZ_EFORMAT, at, "missing column '%s' of the %s report (columns: %.*s)",
        az_nsys_col_title(need[i]), az_nsys_report_name(want), AZ_SVF(found->titles));
}

static int read_file(struct az_nsys_csv_file *f, struct findings *found)
{
    enum az_nsys_report role = role_report(f->file->role);
    int rc = read_once(f, role, false, found);
    if (rc != 0 || found->taken)
        return rc;
    if (found->substitute != NR_NONE && !az_sv_is(f->file->path, "-")) {
        az_diag_add(f->diag, AZ_WARNING, AZ_AT_FILE(f->file->path),
                    "looks like a %s report; read as %.*s, whose columns it has",
                    az_nsys_report_name(found->substitute), AZ_SVF(f->file->role));
        return read_once(f, role, true, found);
    }
    if (role == NR_NONE && f->job->n_files > 1 && found->passed)
        return 0; /* decided when all files are read */
    return nothing_found(f, role, found);
}

/* ---- all files ---- */

static void take_messages(struct az_diag *to, const struct az_diag *from, bool as_warnings)
{
    for (size_t i = 0; i < from->list.n; i++) {
        const struct az_message *m = &from->list.v[i];
        if (as_warnings && m->severity == AZ_ERROR)
            az_diag_add(to, AZ_WARNING, AZ_NOWHERE, "%.*s; optional file skipped", AZ_SVF(m->text));
        else
            az_diag_add(to, m->severity, AZ_NOWHERE, "%.*s", AZ_SVF(m->text));
    }
}

/* Errors of an optional file become warnings: what it would have added is missing, the rest stands.
 */
static int read_optional(struct az_nsys_csv_file *f, struct findings *found)
{
    struct az_diag own;
    az_diag_init(&own);
    f->diag = &own;
    int rc = read_file(f, found);
    bool forgive = rc == AZ_EIO || rc == AZ_EFORMAT || rc == AZ_EEMPTY;
    take_messages(f->job->diag, &own, forgive);
    az_diag_release(&own);
    return forgive ? 0 : rc;
}

static void settle(struct az_parse *job, unsigned taken)
{
    struct az_trace *t = job->trace;
    bool events = t->ev[AZ_KERNEL].n || t->ev[AZ_MEMCPY].n || t->ev[AZ_MEMSET].n;
    if (events && (t->kernel_sums.n || t->mem_sums.n || t->mem_sizes.n)) {
        az_diag_add(job->diag, AZ_NOTE, AZ_AT_FILE(job->files[0].path),
                    "cuda_gpu_trace report found: using its events instead of the summary reports");
        t->kernel_sums.n = t->mem_sums.n = t->mem_sizes.n = 0;
    }
    t->kept = t->ev[AZ_KERNEL].n + t->ev[AZ_MEMCPY].n + t->ev[AZ_MEMSET].n + t->kernel_sums.n +
              t->mem_sums.n + t->mem_sizes.n + t->proj.n;
    bool mem_events = t->ev[AZ_MEMCPY].n || t->ev[AZ_MEMSET].n;
    t->has_mem = (taken >> NR_MEM_TIME & 1u) || mem_events;
    t->has_nvtx = taken >> NR_PROJ_TRACE & 1u;
    t->has_kernels = taken & (1u << NR_KERNEL_SUM | 1u << NR_GPU_TRACE);
    t->classic = true;
}

static int parse(struct az_parse *job)
{
    struct az_trace *t = job->trace;
    unsigned taken = 0, passed = 0;
    int rc = 0;
    t->ticks_per_ns = 1;
    az_trace_columns(t, AZ_KERNEL, AZ_COL_CORR);
    if (az_geometry_wanted(job->opts))
        az_geometry_column(t);
    az_trace_columns(t, AZ_MEMCPY, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_MEMSET, AZ_COL_CORR | AZ_COL_SIDE);
    for (size_t i = 0; i < job->n_files && rc == 0; i++) {
        struct findings found = { .taken = 0 };
        struct az_nsys_csv_file f = { .job = job,
                                      .diag = job->diag,
                                      .file = &job->files[i],
                                      .trust_indexes = !job->opts->with_header };
        rc = job->files[i].optional ? read_optional(&f, &found) : read_file(&f, &found);
        taken |= found.taken;
        passed |= found.passed;
        for (enum az_nsys_report r = NR_KERNEL_SUM; r <= NR_GPU_SUM && rc == 0; r++)
            if ((found.passed >> r & 1u) && !job->files[i].role.n)
                az_diag_add(job->diag, AZ_NOTE, AZ_AT_FILE(job->files[i].path),
                            "%s report not used", az_nsys_report_name(r));
    }
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(job->diag, rc, AZ_AT_FILE(job->files[0].path), job->mem);
    if (rc == 0 && taken == 0)
        rc = az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_FILE(job->files[0].path),
                          "no report with kernel times among the files%s; add the "
                          "cuda_gpu_kern_sum report, or use the SQLite export",
                          passed ? "; the reports found are not sufficient" : "");
    settle(job, taken);
    return rc;
}

static const char *const aliases[] = { "nsys-csv", NULL };

const struct az_format az_format_nsys_csv = {
    .name = "csv",
    .tool = AZ_TOOL_NSYS,
    .record_host =
        "add NVTX ranges around the host work, or sample its stacks (--sample=process-tree)",
    .help = "Nsight Systems: CSV reports of nsys stats (cuda_gpu_kern_sum, cuda_gpu_mem_time_sum, "
            "nvtx_gpu_proj_trace)",
    .aliases = aliases,
    .text_classic = true,
    .probe = probe,
    .parse = parse,
    .stem = file_stem,
};
