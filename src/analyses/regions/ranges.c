/* Host ranges projected onto the device: one row a range, and sums by name and style
 * (docs/formats-nsight.md 2.3, 3.4). */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "document/record.h"
#include "tables/keys.h"

#define MAX_STACK 512 /* levels shown; deeper ranges begin with "..." */

/* ":2:3:17": ids of the enclosing ranges from the outermost to the range itself. */
static struct az_sv stack_text(struct az_job *job, size_t trace, const struct az_job_range *r)
{
    const struct az_trace *t = job->traces[trace];
    uint64_t id[MAX_STACK];
    char buf[AZ_NUM_MAX];
    size_t n = 0, bytes = 0;
    int rc;
    if (t->proj.n > 0)
        return az_job_text(job, az_job_name(job, trace, t->proj.v[r->row].stack));
    const struct az_projection *p = az_job_projection(job, trace, &rc);
    uint32_t row = r->row;
    for (; p && row != AZ_NO_ROW && n < MAX_STACK; row = p->parent[row])
        id[n++] = az_range_id(t, row);
    bool cut = row != AZ_NO_ROW;
    for (size_t i = 0; i < n; i++)
        bytes += 1 + az_format_i64((int64_t)id[i], buf);
    char *text = az_arena_alloc(job->arena, bytes + (cut ? 3 : 0) + 1), *at = text;
    if (!text)
        return AZ_SV("");
    if (cut) {
        memcpy(at, "...", 3);
        at += 3;
    }
    for (size_t i = n; i > 0; i--) {
        size_t len = az_format_i64((int64_t)id[i - 1], buf);
        *at++ = ':';
        memcpy(at, buf, len);
        at += len;
    }
    return az_sv_make(text, (size_t)(at - text));
}

struct range_row {
    struct az_sv name, stack;
    const struct az_job_range *range;
    int64_t rank;
};
#define ROW struct range_row
static const struct az_record_column columns[] = {
    { "Name", AZ_TEXT, AZ_FIELD(ROW, name) },
    { "Projected Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_VIA(ROW, range, start) },
    { "Projected Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER,
      AZ_VIA(ROW, range, duration) },
    { "Orig Start (ns)", AZ_INT, AZ_UNIT_NS, AZ_VIA(ROW, range, orig_start) },
    { "Orig Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_VIA(ROW, range, orig_duration) },
    { "Style", AZ_TEXT, AZ_VIA(ROW, range, style) },
    { "PID", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, range, pid) },
    { "TID", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, range, tid) },
    { "NumGPUOps", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(ROW, range, ops) },
    { "Lvl", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, range, level) },
    { "NumChild", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN_VIA(ROW, range, children) },
    { "RangeId", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_KNOWN_VIA(ROW, range, id) },
    { "ParentId", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, range, parent) },
    { "RangeStack", AZ_TEXT, AZ_FIELD(ROW, stack) },
    { "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, rank), .when = az_job_has_ranks },
};

static int run_trace(struct az_job *job)
{
    struct az_table *t = AZ_RECORD_TABLE_OF(job->arena, "nvtx_gpu_proj_trace",
                                            "Ranges projected onto the device", 0, columns, job);
    for (size_t k = 0; k < job->n_traces; k++) {
        int64_t n = az_job_ranges(job, k);
        if (n < 0) {
            az_table_free(t);
            return (int)n;
        }
        for (int64_t i = 0; i < n; i++) {
            struct az_job_range r = az_job_range_at(job, k, (size_t)i);
            az_put_row(t, &(ROW){ az_job_text(job, r.name), stack_text(job, k, &r), &r,
                                  az_job_rank(job, k) });
        }
    }
    return az_document_add(job->doc, t);
}

/* ---- sums by (name, style) ---- */

static struct az_job_range range_of(const struct az_scope *r, const struct az_item *i)
{
    return az_job_range_at(r->job, i->trace, i->row);
}

static int64_t at_least_zero(int64_t x) { return x > 0 ? x : 0; }
static int64_t projected(const struct az_scope *r, const struct az_item *i)
{
    return range_of(r, i).duration;
}
static int64_t host_ticks(const struct az_scope *r, const struct az_item *i)
{
    return at_least_zero(range_of(r, i).orig_duration);
}
static int64_t operator_ticks(const struct az_scope *r, const struct az_item *i)
{
    return at_least_zero(range_of(r, i).ops);
}
static int64_t level(const struct az_scope *r, const struct az_item *i)
{
    return at_least_zero(range_of(r, i).level);
}
static int64_t children(const struct az_scope *r, const struct az_item *i)
{
    return at_least_zero(range_of(r, i).children);
}

static struct az_sv style_of(const struct az_scope *r, const struct az_item *i)
{
    return range_of(r, i).style;
}

static const struct az_key style = { AZ_TEXT, .text = style_of };

#define NS(header, what, flag) AZ_FIGURE(header, what, 0, AZ_UNIT_NS, flag)
#define MEAN(header, n)        AZ_FIGURE(header, AZ_FIG_MEAN, n, AZ_UNIT_COUNT, AZ_DETAIL)
static const struct az_table_spec range_sums = {
    "nvtx_gpu_proj_sum",
    "Projected ranges by name",
    AZ_TABLE_SUMMARY,
    .values = { { projected }, { host_ticks }, { operator_ticks }, { level }, { children } },
    .columns = { { "Range", &az_key_name, .flags = AZ_KEY, .sort = 2 },
                 { "Style", &style, .flags = AZ_KEY | AZ_DETAIL, .sort = 3 },
                 { "Total Proj Time (ns)", .figure = AZ_FIG_SUM, .unit = AZ_UNIT_NS,
                   .flags = AZ_LOWER_BETTER, .sort = -1 },
                 { "Total Range Time (ns)", .figure = AZ_FIG_SUM, .value = 1, .unit = AZ_UNIT_NS },
                 { "Range Instances", .figure = AZ_FIG_COUNT },
                 NS("Proj Avg (ns)", AZ_FIG_MEAN, AZ_LOWER_BETTER),
                 NS("Proj Med (ns)", AZ_FIG_MEDIAN, AZ_DETAIL),
                 NS("Proj Min (ns)", AZ_FIG_MIN, AZ_DETAIL),
                 NS("Proj Max (ns)", AZ_FIG_MAX, AZ_DETAIL),
                 NS("Proj StdDev (ns)", AZ_FIG_STD_ZERO, AZ_DETAIL),
                 { "Total GPU Ops", .figure = AZ_FIG_SUM, .value = 2, .unit = AZ_UNIT_COUNT,
                   .flags = AZ_DETAIL },
                 MEAN("Avg GPU Ops", 2),
                 MEAN("Avg Range Lvl", 3),
                 MEAN("Avg Num Child", 4) },
};

AZ_VEC(struct az_item, items);

static int run_sum(struct az_job *job)
{
    struct items v;
    int rc = 0;
    az_vec_init(&v, job->mem);
    for (size_t k = 0; rc == 0 && k < job->n_traces; k++) {
        const int64_t n = az_job_ranges(job, k);
        rc = n < 0 ? (int)n : az_vec_reserve(&v, (size_t)n);
        for (int64_t i = 0; rc == 0 && i < n; i++)
            v.v[v.n++] = (struct az_item){ (uint32_t)k, (uint32_t)i, AZ_KIND_COUNT, 0,
                                           az_job_range_at(job, k, (size_t)i).name };
    }
    if (rc == 0)
        rc = az_spec_make(job, &range_sums, NULL, &(struct az_item_list){ v.v, v.n });
    az_vec_release(&v);
    return rc;
}

const struct az_analysis az_analysis_nvtx_gpu_proj_trace = {
    .name = "nvtx_gpu_proj_trace",
    .tables = { "nvtx_gpu_proj_trace" },
    .help = "host ranges with launched device time",
    .needs = AZ_CAP_PROJ,
    .run = run_trace,
};
const struct az_analysis az_analysis_nvtx_gpu_proj_sum = {
    .name = "nvtx_gpu_proj_sum",
    .tables = { "nvtx_gpu_proj_sum" },
    .help = "projected ranges by name and style",
    .needs = AZ_CAP_PROJ,
    .run = run_sum,
};
