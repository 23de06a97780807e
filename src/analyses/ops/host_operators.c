/* Operators by the time that they took on the host themselves. */
#include "facts/host_operators.h"

#include "analyses/list.h"
#include "results/record.h"

static const struct az_record_column columns[] = {
    { "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY, AZ_FIELD(struct az_host_op_row, name) },
    { "count", AZ_INT, AZ_UNIT_COUNT, 0, AZ_FIELD(struct az_host_op_row, count) },
    { "total_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct az_host_op_row, total_ns) },
    { "self_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER, AZ_FIELD(struct az_host_op_row, self_ns) },
    { "threads", AZ_INT, AZ_UNIT_NONE, 0, AZ_FIELD(struct az_host_op_row, threads) },
};

/* Where a device was recorded its work is shown, and this table is for who looks for it. */
static int run(struct az_job *job)
{
    bool device = false;
    for (size_t i = 0; i < job->n_traces; i++)
        device |= az_trace_has_activity(job->traces[i]);
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "host_operators", "Operators by CPU self time",
                                         device ? 0 : AZ_TABLE_SUMMARY, columns);
    int rc = t ? AZ_OK : az_arena_error(job->arena);
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        const struct az_host_ops *h = az_job_host_ops(job, i, &rc);
        if (h)
            AZ_PUT_RECORDS(t, columns, h->row, h->n);
    }
    return az_job_add(job, t, rc);
}

const struct az_analysis az_analysis_host_operators = {
    .name = "host_operators",
    .help = "operators of the host by self time",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .tables = { "host_operators" },
    .run = run,
};
