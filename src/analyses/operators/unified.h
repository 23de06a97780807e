/* Rows of unified_perf_summary: which operations are taken (unified.c), and their tables
 * (unified_table.c). */
#ifndef AZ_ANALYSES_OPERATORS_UNIFIED_H
#define AZ_ANALYSES_OPERATORS_UNIFIED_H

#include "analyses/operators/details.h"
#include "analyses/operators/framework.h"
#include "analyses/operators/metrics.h"
#include "document/record.h"

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
    const struct az_framework *fw;
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
                        : az_framework_node(u->fw, r->node).name;
}
struct az_sv az_unified_name(const struct az_unified *u, const struct az_unified_row *r);
static inline struct az_sv az_unified_category(const struct az_unified *u,
                                               const struct az_unified_row *r)
{
    return u->categories.v[r->category];
}
/* Work of a row by the models; all unknown for a synthetic row. */
int az_unified_estimate(struct az_framework_metrics *metrics, const struct az_unified *u,
                        size_t row, struct az_framework_estimate *e) AZ_MUST_USE;
/* For callers that need estimates of many rows: rows with the same key, which is not 0, have the
 * same estimate. 0: of a synthetic row, which has none. */
struct az_unified_keys {
    struct az_framework_metrics *metrics;
    const struct az_unified_row *row;
    uint32_t *known;
};
int az_unified_keys_get(struct az_unified_keys *k, struct az_framework_metrics *metrics,
                        const struct az_unified *u) AZ_MUST_USE;
AZ_MUST_USE static inline int az_unified_key(const struct az_unified_keys *k, size_t row,
                                             uint64_t *key)
{
    const struct az_unified_row *r = &k->row[row];
    const bool backward = r->of != AZ_NO_ROW;
    uint32_t *known = &k->known[row];
    *key = 0;
    if (r->synthetic)
        return 0;
    const int rc = *known ? 0 : az_framework_lookup(k->metrics, backward ? r->of : r->node, known);
    *key = (uint64_t)*known << 1 | backward;
    return rc;
}
/* Lines of rows with equal estimates: the place of the first one of an estimate, plus one, which
 * starts a chain of lines. 0: none; NULL without memory. */
uint32_t *az_unified_chain(struct az_vec_u32 *first, const struct az_framework_estimate *e,
                           const struct az_unified_row *r);
/* Cache of recent rows, one per name, category and estimate: equal rows get the same result. */
enum { AZ_UNIFIED_RECENT = 1024 };
struct az_unified_recent {
    uint64_t key; /* 0: none */
    uint32_t group, at;
    uint16_t category;
    bool flag[2]; /* the caller's */
};
/* Room for that many, all empty. */
static inline struct az_unified_recent *az_unified_recent_new(struct az_mem *mem)
{
    const size_t bytes = AZ_UNIFIED_RECENT * sizeof(struct az_unified_recent);
    struct az_unified_recent *v = az_mem_alloc(mem, bytes);
    return v ? memset(v, 0, bytes) : NULL;
}
static inline void az_unified_recent_free(struct az_unified_recent *v, struct az_mem *mem)
{
    az_mem_free(mem, v, AZ_UNIFIED_RECENT * sizeof *v);
}
/* Where rows like this one are; *known: what is there is of one of them. Else it is the row's from
 * now on, and the caller fills in the rest. */
AZ_MUST_USE static inline int az_unified_recall(const struct az_unified_keys *k,
                                                struct az_unified_recent *v,
                                                const struct az_unified *u, size_t row,
                                                struct az_unified_recent **at, bool *known)
{
    const struct az_unified_row *r = &u->rows.v[row];
    const uint32_t group = az_unified_group(u, r);
    uint64_t key;
    const int rc = az_unified_key(k, row, &key);
    struct az_unified_recent *x = &v[(key ^ group * 40503u) % AZ_UNIFIED_RECENT];
    *at = x;
    *known = key && x->key == key && x->group == group && x->category == r->category;
    if (!*known)
        *x = (struct az_unified_recent){ .key = key, .group = group, .category = r->category };
    return rc;
}
/* Are all device events under the row's node copies, and is there one? */
bool az_unified_only_copies(const struct az_framework *fw, const struct az_unified_row *r);
/* Of a row of so many ticks those of kernels: copies and fills have no FLOPs that could be known.
 */
int64_t az_unified_kernel_time(const struct az_framework *fw, const struct az_unified_row *r,
                               int64_t time);
/* Ticks of a device event in no row whose FLOPs could be known: a computing kernel that no call
 * launched; else 0. */
int64_t az_unified_unlinked_time(const struct az_framework *fw, uint32_t gpu);

/* Of the job's (only) trace, made on first use; in job->arena. NULL on failure, the error is in
 * *rc. */
const struct az_unified *az_unified_of(struct az_job *job, struct az_framework *fw, int *rc);
/* More columns of unified_perf_summary, right after the sum of kernel times. put: their cells of a
 * table's row from the device events of each of its n rows here, and that sum. */
struct az_unified_more {
    const struct az_record_column *columns;
    size_t n_columns;
    int (*put)(void *ctx, struct az_table *t, const struct az_gpu_run *runs, size_t n,
               double kernel_us);
    void *ctx;
};
/* unified_perf_summary and, with include_overlap_info, unified_perf_summary_kl_overlap. more: NULL:
 * no more columns. */
int az_unified_tables(struct az_job *job, struct az_framework *fw, const struct az_unified *u,
                      const struct az_unified_more *more) AZ_MUST_USE;
/* Is there a second trace, with which the table is made by the analysis of differences? */
static inline bool az_unified_compared(const struct az_job *job)
{
    return job->other && (job->other->caps & AZ_CAP_CALLTREE);
}
/* roofline, its chart, and the share of device time without a model in `coverage` (roofline.c).
 */
int az_unified_roofline(struct az_job *job, struct az_framework *fw,
                        const struct az_unified *u) AZ_MUST_USE;

#endif
