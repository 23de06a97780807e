/* Format "kernels-csv": name,start_ns,duration_ns,device,stream; a row is a kernel. */
#include "formats/list.h"
#include "text/csv.h"

static const char head[] = "name,start_ns,duration_ns,device,stream";

static int probe(struct az_sv bytes, struct az_sv path)
{
    (void)path;
    return az_sv_starts(bytes, az_sv_str(head)) ? 90 : 0;
}

static int row(struct az_parse *job, const struct az_csv *c)
{
    int64_t v[5] = { 0 };
    for (size_t i = 1; i < 5; i++)
        if (c->row.n != 5 || az_csv_i64(&c->row.v[i], &v[i]) != 0 || v[i] < 0)
            return az_diag_fail(job->diag, AZ_EFORMAT, AZ_AT_LINE(job->files[0].path, c->line),
                                "expected a kernel's name and four numbers");
    const struct az_lane lane = {
        .device_side = true, .device = v[3], .tid = (uint64_t)v[4], .label = AZ_NO_ID
    };
    struct az_event e = { .start = v[1], .end = v[1] + v[2], .side = AZ_NO_ROW };
    e.name = az_trace_name(job->trace, az_csv_text(&job->trace->arena, &c->row.v[0]));
    const int rc = az_trace_lane(job->trace, &lane, &e.lane);
    return rc ? rc : az_trace_add(job->trace, AZ_KERNEL, &e);
}

static int parse(struct az_parse *job)
{
    struct az_source_opts so = { .mem = job->mem,
                                 .diag = job->diag,
                                 .digest = az_parse_digest(job, 0) };
    struct az_source *src = NULL;
    struct az_csv c;
    int rc = az_source_open(&src, job->files[0].path.p, &so);
    if (rc)
        return rc;
    rc = az_csv_init(&c, src, ',', job->mem);
    for (bool first = true; rc == 0 && (rc = az_csv_next(&c)) > 0; first = false)
        rc = first ? 0 : row(job, &c);
    az_csv_release(&c);
    az_source_close(src);
    return rc;
}

const struct az_format az_format_kernels_csv = {
    .name = "kernels-csv",
    .help = "house test: kernels as rows of a CSV",
    .one_file = true,
    .probe = probe,
    .parse = parse,
};
