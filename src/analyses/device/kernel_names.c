/* kernels_by_name: every kernel with its class and family, for any format. */
#include "analyses/list.h"
#include "base/num.h"
#include "facts/shared.h"

struct sum {
    int64_t ns, count;
};

/* Events of one trace, or the sums that its file gave, added up by the job's numbers of names. */
static void add_trace(struct az_job *job, size_t trace, struct sum *sum)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *e = &t->ev[AZ_KERNEL];
    for (size_t i = 0; i < e->n; i++) {
        const uint32_t n = az_job_name(job, trace, e->name[i]);
        if (n == AZ_NO_ID)
            continue;
        sum[n].ns = az_add_sat(sum[n].ns, az_ns(t, e->end[i] - e->start[i]));
        sum[n].count++;
    }
    for (size_t i = 0; e->n == 0 && i < t->kernel_sums.n; i++) {
        const struct az_sum *s = &t->kernel_sums.v[i];
        const uint32_t n = az_job_name(job, trace, s->name);
        if (n == AZ_NO_ID)
            continue;
        sum[n].ns = az_add_sat(sum[n].ns, s->total_ns > 0 ? s->total_ns : 0);
        sum[n].count = az_add_sat(sum[n].count, s->count > 0 ? s->count : 0);
    }
}

static int run(struct az_job *job)
{
    struct az_table *t =
        az_table_new(job->arena, "kernels_by_name", "Kernels by name, with class and family", 0);
    const size_t n = az_job_names(job);
    struct sum *sum = az_arena_array(job->arena, n + 1, sizeof *sum);
    double all = 0;
    if (!t || !sum)
        return az_arena_error(job->arena);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "class", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "family", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "count", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "total_ns", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "share_percent", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE);
    for (size_t i = 0; i < job->n_traces; i++)
        add_trace(job, i, sum);
    for (size_t i = 0; i < n; i++)
        all += (double)sum[i].ns;
    for (uint32_t i = 0; i < n; i++) {
        if (sum[i].count == 0)
            continue;
        az_put_text(t, az_job_text(job, i));
        az_put_text(t, az_job_class_text(job, i));
        az_put_text(t, az_family_text(az_job_family(job, i)));
        az_put_i64(t, sum[i].count);
        az_put_i64(t, sum[i].ns);
        az_put_f64(t, az_percent((double)sum[i].ns, all));
    }
    return az_job_emit(job, t, 0, (int[]){ -5, 0 }, 2);
}

const struct az_analysis az_analysis_kernel_names = {
    .name = "kernels_by_name",
    .help = "every kernel with its class and family",
    .tables = { "kernels_by_name" },
    .needs = AZ_CAP_KERNEL_SUMS,
    .run = run,
};
