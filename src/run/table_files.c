/* options.csv and summary_file: single tables as files, under the names that users of
 * tt-perf-report use. */
#include "run/internal.h"

#include "io/path.h"
#include "reports/list.h"

static int add_target(struct az_plan *p, struct az_plan_job *job, struct az_sv table,
                      struct az_sv path)
{
    const struct az_target t = { .report = az_report_find(AZ_SV("csv")),
                                 .path = path,
                                 .table = table,
                                 .crlf = az_sv_is(table, "ops") }; /* as there */
    return path.p ? az_vec_push(&job->targets, t) : az_arena_error(&p->arena);
}

static struct az_sv without_ending(struct az_sv path)
{
    const struct az_sv stem = az_path_stem(path);
    return az_sv_make(path.p, (size_t)(stem.p - path.p) + stem.n);
}

int az_outputs_tables(struct az_plan *p, struct az_plan_job *job, const struct az_outputs *o,
                      struct az_diag *diag)
{
    const struct az_option *row = az_option_find(AZ_SV("csv"), AZ_AT_OPTIONS);
    const struct az_sv any = o->csv_file.n ? o->csv_file : o->summary_file;
    struct az_sv base = o->summary_file;
    int rc = AZ_OK;

    if (!any.n || !job->format || !row ||
        !az_formats_include(row->formats, az_sv_str(job->format->name)))
        return AZ_OK;
    if (az_plan_count(p) > 1)
        return az_diag_fail(diag, AZ_ECONFIG,
                            job->input->where.file.n ? job->input->where : AZ_NOWHERE,
                            "one file '%.*s' for %zu inputs; use csv_dir with a folder",
                            AZ_SVF(any), az_plan_count(p));
    if (o->csv_file.n)
        rc = add_target(p, job, AZ_SV("ops"), az_arena_dup(&p->arena, o->csv_file));
    if (!base.n)
        base = az_arena_printf(&p->arena, "%.*s_stacked", AZ_SVF(without_ending(o->csv_file)));
    if (!rc && !job->input->opts.no_summary)
        rc = add_target(p, job, AZ_SV("ops_stacked"),
                        az_arena_printf(&p->arena, "%.*s.csv", AZ_SVF(base)));
    return rc;
}
