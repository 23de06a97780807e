/* The flame view (document/flame.h): device time by call stack of the launching operators and
 * frames, by host ranges, or by the scopes of a compiled program, whichever the trace records. Only
 * made when a report draws it. */
#include "document/flame.h"

#include "analyses/registry_list.h"
#include "base/sort.h"
#include "facts/lazy_cache.h"
#include "facts/regions.h"
#include "model/optrace.h"
#include "model/xtrace.h"

#define VISITS_MAX 50000000u /* launches times ranges around them */

struct work {
    struct az_job *job;
    struct az_flame *f;
    size_t trace;
    const struct az_trace *t;
    /* of host nodes, or ranges */
    const uint32_t *parent;
    uint32_t *memo;                   /* -> node of the tree + 1 */
    uint32_t *memo_below;             /* the node that it is below; NULL: the root */
    const struct az_regions *regions; /* around host nodes; NULL: none */
    uint32_t *region_node;            /* region -> node of the tree + 1 */
    bool (*name)(const struct work *w, uint32_t of, struct az_sv *out); /* false: it is no level */
};

static enum az_family family_of(const struct work *w, enum az_kind kind, uint32_t name)
{
    const uint32_t number = az_job_name(w->job, w->trace, name);
    return kind == AZ_MEMCPY    ? AZ_FAMILY_COPY
           : kind == AZ_MEMSET  ? AZ_FAMILY_FILL
           : number == AZ_NO_ID ? AZ_FAMILY_OTHER
                                : az_job_family(w->job, number);
}

static int add_leaf(struct work *w, uint32_t node, enum az_kind kind, size_t row)
{
    const struct az_events *e = &w->t->ev[kind];
    int rc = az_flame_child(w->f, &node, az_trace_text(w->t, e->name[row]));
    if (rc == 0)
        az_flame_add(w->f, node, az_ns(w->t, e->end[row] - e->start[row]),
                     family_of(w, kind, e->name[row]));
    return rc;
}

/* Node of the tree for all that is around, from the outermost inwards, below *node. */
static int way_down(struct work *w, uint32_t inner, uint32_t *node)
{
    uint32_t way[AZ_FLAME_DEPTH], n = 0;
    const uint32_t below = *node;
    for (; inner != AZ_NO_ROW && n < AZ_FLAME_DEPTH; inner = w->parent[inner]) {
        if (w->memo[inner] && (!w->memo_below || w->memo_below[inner] == below)) {
            *node = w->memo[inner] - 1;
            break;
        }
        way[n++] = inner;
    }
    while (n > 0) {
        struct az_sv name;
        const uint32_t at = way[--n];
        int rc = w->name(w, at, &name) ? az_flame_child(w->f, node, name) : 0;
        if (rc)
            return rc;
        w->memo[at] = *node + 1;
        if (w->memo_below)
            w->memo_below[at] = below;
    }
    return 0;
}

/* Node of a region (facts/regions.h), which comes after those around it. */
static int region_down(struct work *w, uint32_t region, uint32_t *node)
{
    const struct az_region *r = &w->regions->v[region];
    int rc = 0;
    if (w->region_node[region]) {
        *node = w->region_node[region] - 1;
        return 0;
    }
    if (r->parent != AZ_NO_ID)
        rc = region_down(w, r->parent, node);
    if (rc == 0)
        rc = az_flame_child(w->f, node, r->name);
    w->region_node[region] = *node + 1;
    return rc;
}

/* ---- call stacks ---- */
/* Calls of the runtime are no level: they are not the reason for the work. */
static bool host_name(const struct work *w, uint32_t host, struct az_sv *out)
{
    uint32_t row;
    *out = az_node_name(az_tree(w->t), host);
    return az_node_kind(az_tree(w->t), host, &row) != AZ_CALL;
}

/* Regions of the trace, outside its operators. */
static int open_regions(struct work *w, size_t nodes)
{
    int rc;
    const struct az_regions *r = az_job_regions(w->job, w->trace, &rc);
    if (!r || !r->n)
        return rc;
    w->region_node = az_arena_array(w->job->arena, r->n, sizeof *w->region_node);
    w->memo_below = az_arena_array(w->job->arena, nodes + 1, sizeof *w->memo_below);
    if (!w->region_node || !w->memo_below)
        return az_arena_error(w->job->arena);
    w->regions = r;
    w->f->of = "regions and operators";
    return 0;
}

static int call_stacks(struct work *w)
{
    const struct az_calltree *c = az_tree(w->t);
    int rc = 0;
    w->memo = az_arena_array(w->job->arena, c->n + 1, sizeof *w->memo);
    if (!w->memo)
        return az_arena_error(w->job->arena);
    w->parent = c->parent;
    w->name = host_name;
    w->f->of = w->t->ev[AZ_FRAME].n ? "Python frames, modules, operators" : "operators";
    if (!w->t->ev[AZ_FRAME].n) /* else the stacks have the modules */
        rc = open_regions(w, c->n);
    for (uint32_t g = 0; rc == 0 && g < c->n_gpu; g++) {
        uint32_t node = 0;
        const uint32_t region =
            w->regions ? w->regions->of[c->gpu_kind[g]][c->gpu_row[g]] : AZ_NO_ID;
        if (region != AZ_NO_ID)
            rc = region_down(w, region, &node);
        if (rc)
            break;
        if (c->gpu_call[g] == AZ_NO_ROW)
            rc = az_flame_child(w->f, &node, AZ_SV("(launch not recorded)"));
        else
            rc = way_down(w, c->gpu_call[g], &node);
        if (rc == 0)
            rc = add_leaf(w, node, c->gpu_kind[g], c->gpu_row[g]);
    }
    return rc;
}

/* ---- ranges ---- */
/* Innermost range of each launch: inner ones come later, and replace outer ones. */
static int innermost(struct work *w, const struct az_projection *p, const struct az_launches *l,
                     uint32_t *range)
{
    const struct az_events *e = &w->t->ev[AZ_RANGE], *calls = &w->t->ev[AZ_CALL];
    int64_t *level = az_arena_array(w->job->arena, p->n + 1, sizeof *level);
    uint32_t *order = az_arena_array(w->job->arena, p->n + 1, sizeof *order);
    size_t visits = 0;
    if (!level || !order)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < p->n; i++)
        level[i] = p->level[p->order[i]];
    az_sort_order(level, p->n, order, w->job->mem);
    for (size_t i = 0; i < p->n && visits < VISITS_MAX; i++) {
        const uint32_t r = p->order[order[i]];
        size_t stop;
        for (size_t k = az_launch_from(l, w->t, e->lane[r], e->start[r], &stop);
             k < stop && calls->start[l->call[k]] <= e->end[r]; k++, visits++)
            if (calls->end[l->call[k]] <= e->end[r])
                range[k] = r;
    }
    return 0;
}

static bool range_name(const struct work *w, uint32_t range, struct az_sv *out)
{
    *out = az_trace_text(w->t, w->t->ev[AZ_RANGE].name[range]);
    return true;
}

static int ranges(struct work *w)
{
    int rc;
    const struct az_projection *p = az_job_projection(w->job, w->trace, &rc);
    const struct az_launches *l = p ? az_job_launches(w->job, w->trace, &rc) : NULL;
    if (!l || p->n == 0)
        return rc;
    uint32_t *range = az_arena_array(w->job->arena, l->n + 1, sizeof *range);
    w->memo = az_arena_array(w->job->arena, w->t->ev[AZ_RANGE].n + 1, sizeof *w->memo);
    if (!range || !w->memo)
        return az_arena_error(w->job->arena);
    memset(range, 0xff, (l->n + 1) * sizeof *range);
    rc = innermost(w, p, l, range);
    w->parent = p->parent;
    w->name = range_name;
    w->f->of = "host ranges";
    for (size_t k = 0; rc == 0 && k < l->n; k++) {
        uint32_t node = 0;
        if (range[k] == AZ_NO_ROW)
            rc = az_flame_child(w->f, &node, AZ_SV("(outside all ranges)"));
        else
            rc = way_down(w, range[k], &node);
        for (uint32_t i = l->op_first[k]; rc == 0 && i < l->op_first[k + 1]; i++)
            rc = add_leaf(w, node, az_op_kind(l->op[i]), az_op_row(l->op[i]));
    }
    return rc;
}

/* ---- scopes of compiled programs ---- */
static int scope_node(struct work *w, const struct az_xrow *x, uint32_t *node)
{
    struct az_sv scope = x && x->scope != AZ_NO_ID ? az_trace_text(w->t, x->scope) : AZ_SV("");
    int rc = 0;
    if (!scope.n && x && x->hlo != AZ_NO_ROW)
        scope = az_xtrace(w->t)->hlo.v[x->hlo].scope;
    if (!scope.n)
        return az_flame_child(w->f, node, AZ_SV("(no scope)"));
    while (rc == 0 && scope.n) {
        size_t end = 0, depth = 0;
        for (; end < scope.n && (depth || scope.p[end] != '/'); end++)
            depth += scope.p[end] == '(' ? 1 : scope.p[end] == ')' && depth ? (size_t)-1 : 0;
        if (end)
            rc = az_flame_child(w->f, node, az_sv_make(scope.p, end));
        end += end < scope.n;
        scope = az_sv_make(scope.p + end, scope.n - end);
    }
    return rc;
}

static int scopes(struct work *w)
{
    static const enum az_kind kinds[] = { AZ_KERNEL, AZ_MEMCPY, AZ_MEMSET };
    int rc = 0;
    w->f->of = "program scopes";
    for (size_t k = 0; k < AZ_LENGTH(kinds); k++)
        for (size_t i = 0; rc == 0 && i < w->t->ev[kinds[k]].n; i++) {
            uint32_t node = 0;
            rc = scope_node(w, az_xtrace_row_of(w->t, kinds[k], i), &node);
            if (rc == 0)
                rc = add_leaf(w, node, kinds[k], i);
        }
    return rc;
}

static int make_flame(struct az_job *job, struct az_flame *f)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++) {
        struct work w = { .job = job, .f = f, .trace = i, .t = job->traces[i] };
        if (w.t->caps & AZ_CAP_CALLTREE)
            rc = az_optrace(w.t)->has_ops ? call_stacks(&w) : 0;
        else if (w.t->caps & AZ_CAP_PROGRAMS)
            rc = scopes(&w);
        else if ((w.t->caps & AZ_CAP_RANGES) && (w.t->caps & AZ_CAP_LAUNCHES))
            rc = ranges(&w);
    }
    return rc ? rc : az_flame_finish(f);
}

static void release(void *flame) { az_flame_release(flame); }

static int run_flame(struct az_job *job)
{
    struct az_flame *f = job->draw ? az_arena_alloc(job->arena, sizeof *f) : NULL;
    int rc;
    if (!f)
        return job->draw ? az_arena_error(job->arena) : 0;
    rc = az_flame_init(f, job->mem);
    if (rc == 0)
        rc = make_flame(job, f);
    if (rc)
        az_flame_release(f);
    else
        rc = az_document_own(job->doc, f, release);
    if (rc == 0 && f->of && f->nodes.n > 1)
        job->doc->flame = f;
    return rc;
}

const struct az_analysis az_analysis_flame = {
    .name = "flame",
    .help = "flame graph of device time by call stack, range or scope",
    .run = run_flame,
};
