/* Operators by the time that they took on the host themselves. */
#include "facts/host_operators.h"

#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "model/optrace.h"

static const struct az_record_column columns[] = {
    { "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct az_host_op_row, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct az_host_op_row, count) },
    { "total_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct az_host_op_row, total_ns) },
    { "self_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct az_host_op_row, self_ns) },
    { "threads", AZ_INT, AZ_UNIT_NONE, 0, AZ_FIELD(struct az_host_op_row, threads) },
};

static int add_rows(struct az_job *job, const char *id, const char *title, unsigned flags,
                    const struct az_host_ops *(*of)(struct az_job *, size_t, int *))
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, id, title, flags, columns);
    int rc = t ? AZ_OK : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_host_ops *h = of(job, i, &rc);
        if (h)
            AZ_PUT_ROWS(t, h->row, h->n);
    }
    return az_job_add(job, t, rc);
}

static const struct az_record_column function_columns[] = {
    { "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct az_host_op_row, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct az_host_op_row, count) },
    { "total_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct az_host_op_row, total_ns) },
};

static int by_total(const void *x, const void *y, void *ctx)
{
    const struct az_host_op_row *a = x, *b = y;
    (void)ctx;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

/* Of Python frames the longest are known. */
static int add_functions(struct az_job *job, const struct az_trace *t)
{
    const struct az_long_frames *f = &az_optrace(t)->long_frames;
    struct az_host_op_row *row = az_arena_array(job->arena, f->n + 1, sizeof *row);
    struct az_intern names;
    size_t n = 0;
    int rc = 0;
    if (!row)
        return az_arena_error(job->arena);
    az_intern_init(&names, job->arena, job->mem);
    for (size_t i = 0; rc == 0 && i < f->n; i++) {
        uint32_t id;
        rc = az_intern(&names, f->v[i].name, &id);
        if (rc)
            break;
        row[id].name = az_intern_text(&names, id);
        row[id].count++;
        row[id].total_ns += az_ns(t, f->v[i].end - f->v[i].start);
        n = id >= n ? id + 1 : n;
    }
    az_intern_release(&names);
    if (rc == 0)
        az_sort_cmp(row, n, sizeof *row, by_total, NULL, job->mem);
    struct az_table *table =
        AZ_RECORD_TABLE(job->arena, "python_functions", "Longest Python functions",
                        AZ_TABLE_SUMMARY, function_columns);
    if (rc == 0)
        AZ_PUT_ROWS(table, row, n);
    return az_job_add(job, table, rc ? rc : table ? AZ_OK : az_arena_error(job->arena));
}

/* Where a device was recorded its work is shown, and the operators are for who searches for them.
 */
static int run_host_operators(struct az_job *job)
{
    bool device = false;
    for (size_t i = 0; i < job->n_traces; i++)
        device |= az_trace_has_activity(job->traces[i]);
    int rc = add_rows(job, "host_operators", "Operators by CPU self time",
                      device ? 0 : AZ_TABLE_SUMMARY, az_job_host_ops);
    if (rc || device)
        return rc;
    rc = add_rows(job, "host_ranges", "Host ranges", AZ_TABLE_SUMMARY, az_job_host_ranges);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        if (job->traces[i]->caps & AZ_CAP_CALLTREE)
            rc = add_functions(job, job->traces[i]);
    return rc;
}

const struct az_analysis az_analysis_host_operators = {
    .name = "host_operators",
    .help = "host operators by self time",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .tables = { "host_operators", "host_ranges", "python_functions" },
    .run = run_host_operators,
};
