/* Host ranges projected onto the device: one row a range, and sums by name and style
 * (docs/formats-nsight.md 2.3, 3.4). */
#include "analyses/list.h"
#include "base/num.h"
#include "facts/groups.h"
#include "facts/shared.h"

static void put_optional(struct az_table *t, int64_t x, int64_t none)
{
    if (x == none)
        az_put_empty(t);
    else
        az_put_i64(t, x);
}

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

static struct az_table *trace_table(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "nvtx_gpu_proj_trace", "Ranges projected onto the device", 0);
    if (!t)
        return NULL;
    az_table_column(t, "Name", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Projected Start (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Projected Duration (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Orig Start (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Orig Duration (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Style", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "PID", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "TID", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "NumGPUOps", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Lvl", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "NumChild", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "RangeId", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    az_table_column(t, "ParentId", AZ_INT, AZ_UNIT_ID, 0);
    az_table_column(t, "RangeStack", AZ_TEXT, AZ_UNIT_NONE, 0);
    if (job->n_traces > 1)
        az_table_column(t, "Rank", AZ_INT, AZ_UNIT_ID, AZ_KEY);
    return t;
}

static void put_range(struct az_job *job, struct az_table *t, size_t trace, const struct az_job_range *r)
{
    az_put_text(t, az_job_text(job, r->name));
    put_optional(t, r->start, INT64_MIN);
    az_put_i64(t, r->duration);
    put_optional(t, r->orig_start, INT64_MIN);
    put_optional(t, r->orig_duration, INT64_MIN);
    az_put_text(t, r->style);
    put_optional(t, r->pid, -1);
    put_optional(t, r->tid, -1);
    put_optional(t, r->ops, -1);
    put_optional(t, r->level, -1);
    put_optional(t, r->children, -1);
    put_optional(t, r->id, -1);
    put_optional(t, r->parent, -1);
    az_put_text(t, stack_text(job, trace, r));
    if (job->n_traces > 1)
        az_put_i64(t, az_job_rank(job, trace));
}

static int run_trace(struct az_job *job)
{
    struct az_table *t = trace_table(job);
    if (!t)
        return az_arena_error(job->arena);
    for (size_t k = 0; k < job->n_traces; k++) {
        int64_t n = az_job_ranges(job, k);
        if (n < 0) {
            az_table_free(t);
            return (int)n;
        }
        for (int64_t i = 0; i < n; i++) {
            struct az_job_range r = az_job_range_at(job, k, (size_t)i);
            put_range(job, t, k, &r);
        }
    }
    return az_document_add(job->doc, t);
}

/* ---- sums by (name, style) ---- */
struct sum { /* besides the statistics of the projected duration */
    struct az_sv name, style;
    int64_t host, ops, levels, children;
};
AZ_VEC(struct sum, sums);

struct collector {
    struct az_job *job;
    struct sums sums;
    struct az_vec_u32 group;    /* range -> group */
    struct az_vec_i64 duration; /* range -> projected ns */
};

static int collect(struct collector *c)
{
    struct az_map groups;
    int rc = az_map_init(&groups, c->job->mem, 64);
    for (size_t k = 0; rc == 0 && k < c->job->n_traces; k++) {
        int64_t n = az_job_ranges(c->job, k);
        rc = n < 0 ? (int)n : 0;
        for (int64_t i = 0; rc == 0 && i < n; i++) {
            struct az_job_range r = az_job_range_at(c->job, k, (size_t)i);
            uint32_t *g;
            bool added;
            rc = az_map_put(&groups, r.name, az_hash(r.style.p, r.style.n), (uint32_t)c->sums.n, &g, &added);
            if (rc == 0 && added)
                rc = az_vec_push(&c->sums, ((struct sum){ az_job_text(c->job, r.name), r.style, 0, 0, 0, 0 }));
            if (rc == 0)
                rc = az_vec_push(&c->group, *g);
            if (rc == 0)
                rc = az_vec_push(&c->duration, r.duration);
            if (rc != 0)
                break;
            struct sum *s = &c->sums.v[*g];
            s->host = az_add_sat(s->host, r.orig_duration > 0 ? r.orig_duration : 0);
            s->ops = az_add_sat(s->ops, r.ops > 0 ? r.ops : 0);
            s->levels = az_add_sat(s->levels, r.level > 0 ? r.level : 0);
            s->children = az_add_sat(s->children, r.children > 0 ? r.children : 0);
        }
    }
    az_map_release(&groups);
    return rc;
}

static struct az_table *sum_table(struct az_job *job)
{
    struct az_table *t = az_table_new(job->arena, "nvtx_gpu_proj_sum", "Projected ranges by name", AZ_TABLE_SUMMARY);
    if (!t)
        return NULL;
    az_table_column(t, "Range", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Style", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY | AZ_DETAIL);
    az_table_column(t, "Total Proj Time (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Total Range Time (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Range Instances", AZ_INT, AZ_UNIT_COUNT, 0);
    az_table_column(t, "Proj Avg (ns)", AZ_REAL, AZ_UNIT_NS, AZ_LOWER_BETTER);
    az_table_column(t, "Proj Med (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "Proj Min (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "Proj Max (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "Proj StdDev (ns)", AZ_REAL, AZ_UNIT_NS, AZ_DETAIL);
    az_table_column(t, "Total GPU Ops", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "Avg GPU Ops", AZ_REAL, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "Avg Range Lvl", AZ_REAL, AZ_UNIT_COUNT, AZ_DETAIL);
    az_table_column(t, "Avg Num Child", AZ_REAL, AZ_UNIT_COUNT, AZ_DETAIL);
    return t;
}

static void put_sum(struct az_table *t, const struct sum *s, int64_t *v, size_t n)
{
    struct az_stats st;
    az_stats_i64(v, n, &st);
    az_put_text(t, s->name);
    az_put_text(t, s->style);
    az_put_i64(t, st.sum);
    az_put_i64(t, s->host);
    az_put_i64(t, (int64_t)n);
    az_put_f64(t, st.mean);
    az_put_f64(t, st.median);
    az_put_i64(t, st.min);
    az_put_i64(t, st.max);
    az_put_f64(t, n > 1 ? st.std : 0.0);
    az_put_i64(t, s->ops);
    az_put_f64(t, (double)s->ops / (double)n);
    az_put_f64(t, (double)s->levels / (double)n);
    az_put_f64(t, (double)s->children / (double)n);
}

static int run_sum(struct az_job *job)
{
    static const int by_total[] = { -3, 0, 1 }; /* projected time falling, range, style */
    struct collector c = { .job = job };
    struct az_groups g = { 0 };
    struct az_table *t = sum_table(job);
    az_vec_init(&c.sums, job->mem);
    az_vec_init(&c.group, job->mem);
    az_vec_init(&c.duration, job->mem);
    int rc = t ? collect(&c) : az_arena_error(job->arena);
    if (rc == 0)
        rc = az_groups_make(&g, c.group.v, c.group.n, c.sums.n, job->mem);
    for (size_t i = 0; rc == 0 && i < c.sums.n; i++)
        put_sum(t, &c.sums.v[i], g.value, az_groups_take(&g, i, c.duration.v));
    rc = az_job_emit(job, t, rc, by_total, 3);
    az_groups_release(&g);
    az_vec_release(&c.sums);
    az_vec_release(&c.group);
    az_vec_release(&c.duration);
    return rc;
}

const struct az_analysis az_analysis_nvtx_gpu_proj_trace = {
    .name = "nvtx_gpu_proj_trace",
    .tables = { "nvtx_gpu_proj_trace" },
    .help = "every host range with the device time of what was launched inside",
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
