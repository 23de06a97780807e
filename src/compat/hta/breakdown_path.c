/* Critical path of one rank (docs/formulas-collectives.md 6.2): the chain of operators, launches
 * and device work that took longest, and what bound it. Off by default: it needs an array of
 * nodes of the window. */
#include "compat/hta/breakdown_path.h"

#include "analyses/registry_list.h"
#include "base/sort.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

enum { ROWS = 5000 }; /* edges in the table, the longest ones */
enum { CPU, COMPUTE, COMMUNICATION, KERNEL_KERNEL, LAUNCH, LOADING, BOUNDS };
static const char *const bound_text[BOUNDS] = {
    "cpu_bound",
    "gpu_compute_bound",
    "gpu_communication_bound",
    "gpu_kernel_kernel_overhead",
    "gpu_kernel_launch_overhead",
    "data_loading",
};
static const char *const type_text[] = { "critical_path_operator", "critical_path_dependency",
                                         "critical_path_kernel_launch_delay",
                                         "critical_path_kernel_kernel_delay",
                                         "critical_path_sync_dependency" };

struct path_row {
    struct az_sv name;
    uint64_t pid, tid;
    int64_t stream, duration, start; /* stream -1: on the host */
    uint32_t uid;
    uint8_t type, bound, kind;
};
struct path_part {
    struct path_row *v;
    size_t n, more, inferred, exact;
    int64_t sum[BOUNDS], window;
    struct az_sv annotation; /* empty: the whole trace */
};

/* ---- window ---- */
/* The chosen annotation; false if there is none of that name (or not so many). */
static bool find_annotation(const struct az_hta *b, struct az_arena *keep, int64_t *lo, int64_t *hi,
                            struct path_part *p)
{
    const struct az_events *e = &b->trace->ev[AZ_RANGE];
    const struct az_sv wanted = b->opts->critical_path_annotation;
    int64_t left = b->opts->critical_path_instance;
    for (size_t i = 0; i < e->n; i++) {
        const struct az_sv name = az_hta_text(b, e->name[i]);
        if (wanted.n ? az_sv_find(name, wanted) < 0 : !az_sv_starts(name, AZ_SV("ProfilerStep#")))
            continue;
        if (left-- > 0)
            continue;
        *lo = e->start[i];
        *hi = e->end[i];
        p->annotation = az_hta_copy_text(b, keep, name);
        return true;
    }
    return false;
}

/* ---- reduce ---- */
static int bound_of(const struct az_hta_path_graph *g, const struct az_hta_path_edge *e)
{
    const struct az_hta_path_event *x = &g->ev.v[e->event];
    if (e->type == AZ_HTA_PATH_LAUNCH_DELAY)
        return LAUNCH;
    if (e->type == AZ_HTA_PATH_KERNEL_DELAY)
        return KERNEL_KERNEL;
    if (!x->gpu)
        return x->loads ? LOADING : CPU;
    return g->b->op[x->at].type == AZ_HTA_COMMUNICATION ? COMMUNICATION : COMPUTE;
}

static int longer(const void *x, const void *y, void *ctx)
{
    const struct az_hta_path_graph *g = ctx;
    const int64_t a = g->edges.v[*(const uint32_t *)x].weight,
                  b = g->edges.v[*(const uint32_t *)y].weight;
    return a > b ? -1 : a < b;
}

/* Weight from which on an edge is kept: with more than ROWS of some length, the shorter ones are
 * skipped. */
static int64_t least_weight(struct az_hta_path_graph *g, int *rc)
{
    uint32_t *order = az_mem_alloc(g->job->mem, (g->path.n + 1) * sizeof *order);
    int64_t least = 1;
    if (!order) {
        *rc = az_mem_error(g->job->mem);
        return 0;
    }
    memcpy(order, g->path.v ? g->path.v : order, g->path.n * sizeof *order);
    az_sort_cmp(order, g->path.n, sizeof *order, longer, g, g->job->mem);
    *rc = 0;
    if (g->path.n > ROWS)
        least = g->edges.v[order[ROWS - 1]].weight;
    az_mem_free(g->job->mem, order, (g->path.n + 1) * sizeof *order);
    return least > 1 ? least : 1;
}

static enum az_kind kind_of(const struct az_hta_path_graph *g, const struct az_hta_path_event *x)
{
    uint32_t row;
    return x->gpu ? (enum az_kind)g->b->op[x->at].kind : az_node_kind(g->b->tree, x->at, &row);
}

static int path_rows(struct az_hta_path_graph *g, struct az_arena *keep, struct path_part *p)
{
    int rc = 0;
    const int64_t least = least_weight(g, &rc);
    p->v =
        rc ? NULL : az_arena_array(keep, (g->path.n < ROWS ? g->path.n : ROWS) + 1, sizeof *p->v);
    if (!p->v)
        return rc ? rc : az_arena_error(keep);
    for (size_t i = 0; i < g->path.n; i++) {
        const struct az_hta_path_edge *e = &g->edges.v[g->path.v[i]];
        const struct az_hta_path_event *x = &g->ev.v[e->event];
        const struct az_lane *l = &g->b->trace->lanes.v[x->lane];
        const int bound = bound_of(g, e);
        p->sum[bound] += e->weight;
        if (e->weight == 0)
            continue;
        if (e->weight < least || p->n == ROWS) {
            p->more++;
            continue;
        }
        p->v[p->n++] =
            (struct path_row){ .name = az_hta_copy_text(g->b, keep, az_hta_text(g->b, x->name)),
                               .pid = l->pid,
                               .tid = l->tid,
                               .stream =
                                   !x->gpu || l->context > INT64_MAX ? -1 : (int64_t)l->context,
                               .duration = e->weight,
                               .start = az_hta_path_time(g, e->from),
                               .uid = x->uid,
                               .type = e->type,
                               .bound = (uint8_t)bound,
                               .kind = (uint8_t)kind_of(g, x) };
    }
    return keep->failed ? az_arena_error(keep) : AZ_OK;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct az_hta_path_graph g;
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    const int64_t rank = job->opts->critical_path_rank;
    if (!job->opts->critical_path ||
        (rank != AZ_UNSET_I64 && job->traces[0]->rank >= 0 && job->traces[0]->rank != rank))
        return AZ_OK;
    struct az_hta *b = az_hta_get(job, &rc);
    struct path_part *p = b ? az_arena_alloc(keep, sizeof *p) : NULL;
    if (!p)
        return b ? az_arena_error(keep) : rc;
    *part = p;
    if (!find_annotation(b, keep, &lo, &hi, p) &&
        (b->opts->critical_path_annotation.n || b->opts->critical_path_instance))
        return AZ_OK;
    if (hi > b->cut && lo < b->cut)
        hi = b->cut;
    az_hta_path_init(&g, job, b, lo, hi);
    rc = az_hta_path_build(&g);
    if (rc == 0)
        rc = az_hta_path_longest(&g);
    if (rc == 0)
        rc = path_rows(&g, keep, p);
    p->window = lo != INT64_MIN ? hi - lo : b->last > b->first ? b->last - b->first : 0;
    p->inferred = g.inferred;
    p->exact = g.exact;
    az_hta_path_release(&g);
    return rc;
}

/* ---- finish ---- */
struct step_row {
    const struct az_rank *rank;
    const struct path_row *of;
};
#define ROW struct step_row
AZ_TEXT_OF_RECORD(type_of, ROW, az_sv_str(type_text[r->of->type]))
AZ_TEXT_OF_RECORD(category, ROW, az_sv_str(az_kind_text((enum az_kind)r->of->kind)))
AZ_TEXT_OF_RECORD(bound_by, ROW, az_sv_str(bound_text[r->of->bound]))
static const struct az_record_column path_columns[] = {
    { "event_idx", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, of, uid) },
    { "duration", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, of, duration),
      AZ_HTA_TICKS(ROW) },
    { "type", AZ_TEXT, .flags = AZ_KEY, .text = type_of },
    { "s_name", AZ_TEXT, AZ_VIA(ROW, of, name) },
    { "cat", AZ_TEXT, .text = category },
    { "pid", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, of, pid) }, /* a text of its own: empty */
    { "tid", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(ROW, of, tid) },
    { "stream", AZ_INT, AZ_UNIT_ID, AZ_VIA(ROW, of, stream) },
    { "bound_by", AZ_TEXT, .text = bound_by },
    AZ_HTA_RANK(ROW),
    { "start (us)", AZ_REAL, AZ_UNIT_US, AZ_KEY, AZ_VIA(ROW, of, start), AZ_HTA_TICKS(ROW) },
};

static int path_table(struct az_job *job, const struct az_rank *r, const struct path_part *p)
{
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "critical_path", "Critical path of one rank", 0, path_columns);
    for (size_t i = 0; i < p->n; i++)
        az_put_row(t, &(ROW){ r, &p->v[i] });
    if (p->more)
        az_cover(job, "edges omitted from critical_path", (double)p->more, "",
                 AZ_SV("shortest edges"));
    return az_document_add(job->doc, t);
}

struct bound_row {
    const struct az_rank *rank;
    const char *bound;
    int64_t ticks;
    double percent;
    const struct path_part *path;
};
#undef ROW
#define ROW struct bound_row
static const struct az_record_column summary_columns[] = {
    AZ_HTA_RANK(ROW),
    { "bound_by", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, bound) },
    { "duration (us)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_FIELD(ROW, ticks),
      AZ_HTA_TICKS(ROW), .sort = -1 },
    { "percentage", AZ_REAL, AZ_UNIT_PERCENT, AZ_SHARE, AZ_FIELD(ROW, percent) },
    { "window (us)", AZ_REAL, AZ_UNIT_US, 0, AZ_VIA(ROW, path, window), AZ_HTA_TICKS(ROW) },
    { "annotation", AZ_TEXT, AZ_KNOWN_VIA(ROW, path, annotation) },
};

static int summary_table(struct az_job *job, const struct az_rank *r, const struct path_part *p)
{
    int64_t sum = 0;
    struct az_table *t =
        AZ_RECORD_TABLE(job->arena, "critical_path_summary", "Critical path by bound",
                        AZ_TABLE_SUMMARY, summary_columns);
    for (int k = 0; k < BOUNDS; k++)
        sum += p->sum[k];
    for (int k = 0; k < BOUNDS; k++)
        if (p->sum[k])
            az_put_row(t, &(ROW){ r, bound_text[k], p->sum[k],
                                  az_hta_percent((double)p->sum[k], (double)sum), p });
    if (p->exact)
        az_cover(job, "critical path edges from the trace", (double)p->exact, "",
                 AZ_SV("recorded dependencies of graph nodes"));
    if (p->inferred)
        az_cover(job, "inferred waits on the critical path", (double)p->inferred, "",
                 AZ_SV("stream not recorded; assumed: the work that ended last inside the call"));
    return az_job_add(job, t, az_record_sort(t));
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const int64_t wanted = job->opts->critical_path_rank;
    size_t i = 0;
    while (i < ranks->n && (!parts[i] || (wanted != AZ_UNSET_I64 && ranks->v[i].rank != wanted)))
        i++;
    if (i == ranks->n) {
        az_cover(job, "critical path", 0, "", AZ_SV("critical_path_rank is not in the input"));
        return AZ_OK;
    }
    const struct path_part *p = parts[i];
    if (!p->v) {
        az_cover(
            job, "critical path", 0, "",
            AZ_SV("no annotation matches critical_path_annotation and critical_path_instance"));
        return AZ_OK;
    }
    const int rc = summary_table(job, &ranks->v[i], p);
    return rc ? rc : path_table(job, &ranks->v[i], p);
}

/* ---- the part as bytes ---- */

static bool row_valid(const void *of)
{
    const struct path_row *r = of;
    return r->type <= AZ_HTA_PATH_SYNC && r->bound < BOUNDS && r->kind < AZ_KIND_COUNT;
}
static const struct az_shape_field row_fields[] = {
    AZ_TEXT_OF(struct path_row, name),   AZ_PLAIN(struct path_row, pid),
    AZ_PLAIN(struct path_row, tid),      AZ_PLAIN(struct path_row, stream),
    AZ_PLAIN(struct path_row, duration), AZ_PLAIN(struct path_row, start),
    AZ_PLAIN(struct path_row, uid),      AZ_PLAIN(struct path_row, type),
    AZ_PLAIN(struct path_row, bound),    AZ_PLAIN(struct path_row, kind)
};
static const struct az_shape row_shape = AZ_SHAPE_IF(struct path_row, row_fields, row_valid);
static const struct az_shape_field part_fields[] = { AZ_LIST_OF(struct path_part, v, n, row_shape),
                                                     AZ_PLAIN(struct path_part, more),
                                                     AZ_PLAIN(struct path_part, inferred),
                                                     AZ_PLAINS(struct path_part, sum),
                                                     AZ_PLAIN(struct path_part, window),
                                                     AZ_TEXT_OF(struct path_part, annotation) };
static const struct az_shape part_shape = AZ_SHAPE(struct path_part, part_fields);

const struct az_rank_analysis az_rank_analysis_critical_path = {
    .name = "rank_critical_path",
    .help = "critical path of one rank",
    .needs = AZ_CAP_CALLTREE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
