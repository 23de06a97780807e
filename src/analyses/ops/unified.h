/* Rows of unified_perf_summary: which operations are taken (unified.c), and their tables
 * (unified_table.c). */
#ifndef AZ_ANALYSES_OPS_UNIFIED_H
#define AZ_ANALYSES_OPS_UNIFIED_H

#include "analyses/ops/framework.h"
#include "analyses/ops/metrics.h"

/* Small: there are as many as launching operators. */
struct az_unified_row {
    uint32_t node; /* operator taken, or owner of a synthetic row */
    uint32_t of;   /* az_unified_gpu, az_unified_forward */
    uint32_t what; /* az_unified_time; of a synthetic row its name in `names`, as its time is its
                      event's */
    uint16_t category; /* index in `categories` */
    bool model;        /* its operator has a performance model */
    bool synthetic;    /* one device event, which no operator that is taken covers */
};
#define AZ_UNIFIED_LONG UINT32_MAX /* ticks that a row has no room for: in `longer` */
struct az_unified_long {
    uint32_t row;
    int64_t ticks;
};
AZ_VEC(struct az_unified_long, az_unified_longs);
struct az_unified {
    const struct az_fw *fw;
    struct {
        struct az_unified_row *v;
        size_t n;
    } rows; /* synthetic ones last */
    size_t first_synthetic;
    struct az_unified_longs longer;     /* by row */
    struct az_vec_sv categories, names; /* names of synthetic rows */
};
/* The device event of a synthetic row; AZ_NO_ROW: it has all under the node. */
static inline uint32_t az_unified_gpu(const struct az_unified_row *r)
{
    return r->synthetic ? r->of : AZ_NO_ROW;
}
/* Forward operator whose model's backward pass stands for the row; AZ_NO_ROW. */
static inline uint32_t az_unified_forward(const struct az_unified_row *r)
{
    return r->synthetic ? AZ_NO_ROW : r->of;
}
/* Union of the row's device events, ticks. */
int64_t az_unified_time(const struct az_unified *u, const struct az_unified_row *r);
/* Equal for equal names: name id of the trace, or after those one of `names`. */
static inline uint32_t az_unified_group(const struct az_unified *u, const struct az_unified_row *r)
{
    return r->synthetic ? (uint32_t)u->fw->trace->names.text.n + r->what
                        : az_fw_node(u->fw, r->node).name;
}
struct az_sv az_unified_name(const struct az_unified *u, const struct az_unified_row *r);
static inline struct az_sv az_unified_category(const struct az_unified *u,
                                               const struct az_unified_row *r)
{
    return u->categories.v[r->category];
}
/* What the models say of the work of a row; all unknown for a synthetic row. */
int az_unified_estimate(struct az_fw_metrics *metrics, const struct az_unified *u, size_t row,
                        struct az_fw_estimate *e) AZ_MUST_USE;
/* Are all device events under the row's node copies, and is there one? */
bool az_unified_only_copies(const struct az_fw *fw, const struct az_unified_row *r);

/* Of the job's (only) trace, made on first use; in job->arena. NULL on failure, *rc says why. */
const struct az_unified *az_unified_of(struct az_job *job, struct az_fw *fw, int *rc);
/* unified_perf_summary and, with include_overlap_info, unified_perf_summary_kl_overlap. */
int az_unified_tables(struct az_job *job, struct az_fw *fw, const struct az_unified *u) AZ_MUST_USE;
/* roofline, its chart, and the share of device time without a model in `coverage` (roofline.c).
 */
int az_unified_roofline(struct az_job *job, struct az_fw *fw,
                        const struct az_unified *u) AZ_MUST_USE;

#endif
