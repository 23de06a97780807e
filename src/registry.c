/* The lists of what is built in, and the search in them. A new format, analysis or report is one row here. */
#include "registry.h"

#include "analyses/list.h"
#include "formats/list.h"

#define PROBE_BYTES 65536

/* clang-format off */
const struct az_format *const az_formats[] = {
    &az_format_nsys_csv,
    &az_format_nsys_sqlite,
    &az_format_nsys_rep,
    &az_format_pytorch,
    &az_format_tracy,
    &az_format_rocprof,
    &az_format_rocpd,
    &az_format_pftrace,
    &az_format_xplane,
    NULL,
};

const struct az_analysis *const az_analyses[] = {
    &az_analysis_classic,
    &az_analysis_device_iterations,
    &az_analysis_gpu_timeline,
    &az_analysis_fw_ops,
    &az_analysis_fw_unified,
    &az_analysis_fw_diff,
    &az_analysis_fw_families,
    &az_analysis_fw_kernels,
    &az_analysis_fw_short,
    &az_analysis_fw_phases,
    &az_analysis_fw_coll,
    &az_analysis_fw_quality,
    &az_analysis_fw_extension,
    &az_analysis_fw_gaps,
    &az_analysis_tt,
    &az_analysis_amd_timeline,
    &az_analysis_amd_kernels,
    &az_analysis_amd_details,
    &az_analysis_amd_short,
    &az_analysis_amd_copies,
    &az_analysis_amd_calls,
    &az_analysis_amd_call_sums,
    &az_analysis_amd_ranges,
    &az_analysis_amd_counters,
    &az_analysis_amd_activity,
    &az_analysis_hlo_timeline,
    &az_analysis_hlo_kernels,
    &az_analysis_hlo_perf,
    &az_analysis_hlo_coll,
    &az_analysis_hlo_host,
    &az_analysis_hlo_events,
    &az_analysis_hlo_tpu,
    /* behind those of a format's own vocabulary, which answer the same questions (tables/views.h) */
    &az_analysis_kern_sum,
    &az_analysis_mem_time_sum,
    &az_analysis_mem_size_sum,
    &az_analysis_api_sum,
    &az_analysis_osrt_sum,
    &az_analysis_nvtx_sum,
    &az_analysis_nvtx_gpu_proj_sum,
    &az_analysis_nvtx_gpu_proj_trace,
    &az_analysis_nvtx_kern_sum,
    &az_analysis_kern_exec_sum,
    &az_analysis_gpu_gaps,
    &az_analysis_gpu_utilization,
    &az_analysis_kernel_names,
    &az_analysis_unmatched,
    &az_analysis_findings,
    &az_analysis_coverage,
    NULL,
};

int (*const az_trace_hook)(struct az_trace *t, struct az_tree_edits *edits, void *ctx) = az_fw_tree_hook;

/* Over the ranks of one run, in the order of their tables. */
const struct az_rank_analysis *const az_rank_analyses[] = {
    &az_rank_analysis_ranks,
    &az_rank_analysis_kernels,
    &az_rank_analysis_groups,
    &az_rank_analysis_sheets,
    &az_rank_analysis_breakdown,
    &az_rank_analysis_idle,
    &az_rank_analysis_queue,
    &az_rank_analysis_memory,
    &az_rank_analysis_launch,
    &az_rank_analysis_ops,
    &az_rank_analysis_stragglers,
    &az_rank_analysis_counters,
    &az_rank_analysis_critical_path,
    &az_rank_analysis_collectives,
    &az_rank_analysis_rank_summary, /* last: of what the others found */
    NULL,
};

const struct az_report *const az_reports[] = {
    &az_report_csv,
    &az_report_json,
    &az_report_xlsx,
    &az_report_html,
    &az_report_markdown,
    &az_report_verdict,
    &az_report_junit,
    &az_report_github,
    &az_report_openmetrics,
    NULL,
};
/* clang-format on */

const struct az_format *az_format_find(struct az_sv name)
{
    for (const struct az_format *const *f = az_formats; *f; f++) {
        if (az_sv_ieq(name, az_sv_str((*f)->name)))
            return *f;
        for (const char *const *alias = (*f)->aliases; alias && *alias; alias++)
            if (az_sv_ieq(name, az_sv_str(*alias)))
                return *f;
    }
    return NULL;
}

const struct az_report *az_report_find(struct az_sv name)
{
    for (const struct az_report *const *r = az_reports; *r; r++)
        if (az_sv_ieq(name, az_sv_str((*r)->name)))
            return *r;
    return NULL;
}

int az_format_choose(const struct az_format *const *formats, struct az_sv head, struct az_sv path,
                     const struct az_format **out, int *score, struct az_diag *diag)
{
    const struct az_format *best = NULL, *tie = NULL;
    int top = 0;

    for (const struct az_format *const *f = formats; *f; f++) {
        int s = (*f)->probe ? (*f)->probe(head, path) : 0;
        if (s > top) {
            top = s;
            best = *f;
            tie = NULL;
        } else if (s > 0 && s == top && !tie) {
            tie = *f;
        }
    }
    if (head.n == 0 && !best)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_AT_FILE(path), "empty file (0 bytes)");
    if (!best)
        return az_diag_fail(
            diag, AZ_EFORMAT, AZ_AT_FILE(path),
            "not a recognised profile (`analyzer list` names the formats; a config can say \"format\")");
    if (tie)
        return az_diag_fail(diag, AZ_EFORMAT, AZ_AT_FILE(path),
                            "may be '%s' or '%s' (say which with \"format\" in a config)", best->name, tie->name);
    *out = best;
    if (score)
        *score = top;
    return AZ_OK;
}

int az_format_probe(const char *path, const struct az_format **out, int *score, struct az_diag *diag)
{
    struct az_source_opts o = { .window = PROBE_BYTES };
    struct az_source *src = NULL;
    struct az_sv head = { "", 0 };
    int rc = az_source_open(&src, path, &o);

    if (rc == 0)
        rc = az_source_peek(src, PROBE_BYTES, &head);
    /* A file cut in the middle is still recognised by its good start; its parser tells where it breaks. Only what keeps
     * it from being looked at is said here. */
    if (rc && head.n == 0) {
        az_source_close(src);
        src = NULL;
        o.diag = diag;
        rc = az_source_open(&src, path, &o);
        if (rc == 0)
            rc = az_source_peek(src, PROBE_BYTES, &head);
    }
    if (rc && head.n == 0)
        goto done;
    rc = az_format_choose(az_formats, head, az_sv_str(path), out, score, diag);
done:
    az_source_close(src);
    return rc;
}
