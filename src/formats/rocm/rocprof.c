/* Format "rocprof": what rocprofv3 writes as JSON or as a set of CSV files
 * (docs/formats-rocprof.md). */
#include "formats/rocm/rocprof.h"
#include "formats/rocm/rocprof_machine.h"
#include "formats/shared/cut_records.h"

#include "formats/list.h"
#include "io/path.h"

static int probe(struct az_sv head, struct az_sv path)
{
    bool sums;
    (void)path;
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    if (head.n && head.p[0] == '{')
        return az_sv_find(head, AZ_SV("\"rocprofiler-sdk-tool\"")) >= 0 ? 95 : 0;
    return az_rocprof_csv_probe(head, &sums);
}

static bool is_csv_name(struct az_sv path)
{
    return az_sv_ends(az_path_unpacked(path), AZ_SV(".csv"));
}

/* By content; a stream is JSON. What is broken in it is reported once, by its reader. */
static int is_csv(struct az_parse *job, struct az_sv path, bool *csv)
{
    struct az_source_opts so = { .mem = job->mem, .window = 4096 };
    struct az_source *src = NULL;
    struct az_sv head = AZ_SV("");
    *csv = false;
    if (az_sv_is(path, "-"))
        return 0;
    int rc = az_source_open(&src, path.p, &so);
    if (rc) {
        so.diag = job->diag;
        rc = az_source_open(&src, path.p, &so);
    }
    if (rc)
        return rc;
    rc = az_source_peek(src, 4096, &head);
    if (rc && rc != AZ_ENOMEM && rc != AZ_ELIMIT)
        rc = 0;
    if (az_sv_starts(head, AZ_SV("\xef\xbb\xbf")))
        head = az_sv_make(head.p + 3, head.n - 3);
    head = az_sv_trim(head);
    *csv = head.n && head.p[0] != '{' && head.p[0] != '[';
    az_source_close(src);
    return rc;
}

static int read_files(struct az_rocprof *r)
{
    struct az_parse *job = r->job;
    struct az_file *csv = az_arena_array(&r->scratch, job->n_files, sizeof *csv);
    size_t n_csv = 0;
    int rc = csv ? 0 : az_arena_error(&r->scratch);
    for (size_t i = 0; rc == 0 && i < job->n_files; i++) {
        bool is;
        rc = is_csv(job, job->files[i].path, &is);
        if (rc && job->files[i].optional)
            rc = 0;
        else if (rc == 0 && is)
            csv[n_csv++] = job->files[i];
        else if (rc == 0)
            rc = az_rocprof_read_json_file(r, job->files[i].path);
    }
    return rc == 0 && n_csv ? az_rocprof_read_csv_set(r, csv, n_csv) : rc;
}

static int parse(struct az_parse *job)
{
    struct az_rocprof r;
    size_t errors = job->diag->errors;
    int rc = az_rocprof_init(&r, job);
    if (rc == 0)
        rc = read_files(&r);
    if (rc == 0)
        rc = az_rocprof_finish(&r);
    if (rc && job->diag->errors == errors)
        rc = az_rocprof_error(&r, rc, job->files[0].path);
    az_rocprof_release(&r);
    return rc;
}

static int cut_rocprof(struct az_cut *job)
{
    struct az_trace t;
    struct az_cut_log log;
    int rc = az_cut_read_twice(job, parse, &t, &log);
    if (rc == 0)
        rc = is_csv_name(job->in) ? az_rocprof_csv_write_cut(job, &t, &log)
                                  : az_cut_json(job, &t, &log);
    az_trace_release(&t);
    az_cut_log_release(&log);
    return rc;
}

/* "908_results.json.gz" -> "908", "908_kernel_trace.csv" -> "908", "results.hip_stats.csv" ->
 * "results" */
static struct az_sv file_stem(struct az_sv path)
{
    struct az_sv prefix, s = az_path_stem(path);
    if (az_rocprof_csv_prefix(path, &prefix))
        return az_path_base(prefix);
    if (s.n > 8 && az_sv_ends(s, AZ_SV("_results")))
        s.n -= 8;
    static const char *const sums[] = { ".stats", ".hip_stats", ".hsa_stats", ".copy_stats" };
    for (size_t i = 0; i < AZ_LENGTH(sums); i++)
        if (s.n > strlen(sums[i]) && az_sv_ends(s, az_sv_str(sums[i])))
            s.n -= strlen(sums[i]);
    return s;
}

/* Each JSON file is one process: a rank of its own. The CSV files of one prefix belong together. */
static bool is_rank(struct az_sv path) { return !is_csv_name(path); }

static int machine_of(struct az_sv path, struct az_arena *a, struct az_sv *machine)
{
    *machine = AZ_SV("");
    return is_csv_name(path) ? AZ_OK : az_rocprof_machine(path, a, machine);
}

const struct az_format az_format_rocprof = {
    .name = "rocprof",
    .tool = AZ_TOOL_TRACELENS,
    .record_host = "add ROCTx ranges around the host work (recorded by --marker-trace)",
    .help = "AMD rocprofv3: results.json, or its CSV files (any one names its set); rocprof: "
            "results.csv",
    .files_are_ranks = true,
    .is_rank = is_rank,
    .processes = true,
    .machine = machine_of,
    .probe = probe,
    .parse = parse,
    .cut = cut_rocprof,
    .cuts_sets = is_csv_name,
    .stem = file_stem,
    .reads_folder = true,
};
