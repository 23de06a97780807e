/* Events of the family tables (docs/formulas-pytorch.md 7): every operator whose name a model of
 * the family contains, at any nesting. Operators that wrap others (linear, clone) count only where
 * they launch device work themselves. */
#include "analyses/operators/family.h"

#include "analyses/registry_list.h"
#include "base/sort.h"
#include "facts/forward_links.h"
#include "facts/groups.h"

struct link { /* a wrapper of the backward pass, at the preorder number of its forward operator */
    uint32_t at, wrapper;
};

struct work {
    struct az_job *job;
    struct az_framework *fw;
    struct az_framework_metrics *metrics;
    struct az_family_sheets sheets;
    struct az_family_events events;
    struct az_spans spans;
    struct az_arena scratch; /* of this analysis alone */
    const struct az_forward *forward;
    uint32_t *fwd, *bwd; /* name id -> number of its table + 1; 0: not looked up */
    struct link *links;  /* by at */
    size_t n_links;
};

/* Families in report order; others follow as they appear. Those of one table come without a suffix.
 */
static const struct {
    const char *name;
    bool single;
} order[] = { { "GEMM", true },
              { "SDPA", false },
              { "CONV", false },
              { "InferenceAttention", false },
              { "BinaryElementwise", true },
              { "GroupedGEMM", false },
              { "MoE_comm", false },
              { "SSM", false },
              { "RoPE", false },
              { "CrossEntropy", false },
              { "UnaryElementwise", true },
              { "MoE_fused", false },
              { "MoE_unfused", false },
              { "MoE_aux", false },
              { "RMSNorm", false },
              { "elementwise", false },
              { "GroupQuant", false },
              { "FusedRoPE", false },
              { "CustomCollective", false },
              { "mHC", false },
              { "Normalization", true },
              { "Reduce", false },
              { "Softmax", false },
              { "Pooling", false },
              { "DataMovement", true },
              { "MultiTensor", true } };

static int add_sheet(struct work *w, struct az_sv family, bool single, bool backward)
{
    struct az_sv name = single ? family
                               : az_arena_printf(w->job->arena, "%.*s_%s", AZ_SVF(family),
                                                 backward ? "bwd" : "fwd");
    return az_vec_push(&w->sheets, ((struct az_family_sheet){ name, family, backward }));
}

static int known_sheets(struct work *w)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < AZ_LENGTH(order); i++) {
        rc = add_sheet(w, az_sv_str(order[i].name), order[i].single, false);
        if (rc == 0 && !order[i].single)
            rc = add_sheet(w, az_sv_str(order[i].name), false, true);
    }
    return rc;
}

/* Number of a family's table; of its only one. AZ_NO_ROW: there is none (then two are added). */
static uint32_t sheet_of(const struct work *w, struct az_sv family, bool backward)
{
    uint32_t only = AZ_NO_ROW;
    for (uint32_t i = 0; i < w->sheets.n; i++)
        if (az_sv_eq(w->sheets.v[i].family, family)) {
            if (w->sheets.v[i].backward == backward)
                return i;
            only = i;
        }
    return only;
}

static bool is_backward(struct az_sv category) { return az_sv_ends(category, AZ_SV("_bwd")); }

static int union_of(struct work *w, struct az_gpu_run run, int64_t *time)
{
    int rc = 0;
    if (run.n == 1) {
        struct az_event e = az_gpu_event(w->fw->tree, run.gpu[0]);
        *time = e.end - e.start;
        return 0;
    }
    az_vec_reset(&w->spans);
    for (size_t i = 0; rc == 0 && i < run.n; i++) {
        struct az_event e = az_gpu_event(w->fw->tree, run.gpu[i]);
        rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    *time = az_spans_length(&w->spans);
    return rc;
}

static struct az_gpu_run below(const struct work *w, uint32_t node)
{
    uint32_t first, end;
    az_node_gpu(w->fw->tree, node, &first, &end);
    return (struct az_gpu_run){ w->fw->tree->linked + first, end - first };
}

/* Some operator below a node has a model of that family and device work. */
static bool family_below(struct work *w, uint32_t node, struct az_sv family)
{
    const struct az_calltree *c = w->fw->tree;
    for (uint32_t p = c->pre[node] + 1; p <= c->last[node]; p++) {
        uint32_t n = c->by_pre[p];
        const struct az_op_model *m =
            n < c->first_call ? az_framework_model(w->metrics, az_framework_node(w->fw, n).name)
                              : NULL;
        if (m && az_sv_eq(m->family, family) && below(w, n).n)
            return true;
    }
    return false;
}

/* The backward pass of an operator: the device events of all wrappers whose forward operator is in
 * its subtree, unless they hold operators of the same family, which have rows of their own. */
static int add_backward(struct work *w, uint32_t node, const struct az_op_model *m)
{
    const struct az_calltree *c = w->fw->tree;
    struct az_framework_estimate e;
    size_t n = 0, end;
    const size_t lo = AZ_LOWER_BY(w->links, w->n_links, at, c->pre[node]);
    for (end = lo; end < w->n_links && w->links[end].at <= c->last[node]; end++) {
        if (family_below(w, w->links[end].wrapper, m->family))
            return 0;
        n += below(w, w->links[end].wrapper).n;
    }
    int rc = end > lo ? az_framework_estimate(w->metrics, node, true, &e) : 0;
    if (rc || end == lo || (!e.perf->why && isnan(e.flops)))
        return rc;
    uint32_t *gpu = az_arena_array(&w->scratch, n + 1, sizeof *gpu);
    struct az_family_event x = { .node = node,
                                 .backward = true,
                                 .sheet = sheet_of(w, m->family, true),
                                 .gpu = gpu,
                                 .n_gpu = (uint32_t)n };
    if (!gpu)
        return az_arena_error(&w->scratch);
    for (size_t i = lo, at = 0; i < end; i++) {
        struct az_gpu_run run = below(w, w->links[i].wrapper);
        memcpy(gpu + at, run.gpu, run.n * sizeof *gpu);
        at += run.n;
    }
    rc = union_of(w, az_family_own(&x), &x.time);
    return rc ? rc : az_vec_push(&w->events, x);
}

/* Tables of a family, once for each name. */
static int look_up(struct work *w, uint32_t name, struct az_sv family)
{
    int rc = 0;
    if (w->fwd[name])
        return 0;
    if (sheet_of(w, family, false) == AZ_NO_ROW) {
        rc = add_sheet(w, family, false, false);
        if (rc == 0)
            rc = add_sheet(w, family, false, true);
    }
    w->fwd[name] = sheet_of(w, family, false) + 1;
    w->bwd[name] = sheet_of(w, family, true) + 1;
    return rc;
}

static int add_event(struct work *w, uint32_t node, const struct az_op_model *m)
{
    if (!az_framework_known(w->fw, node) && az_framework_launcher_of(w->fw, node) == AZ_NO_ROW &&
        !az_sv_is(m->model, "script"))
        return 0;
    uint32_t name = az_framework_node(w->fw, node).name;
    int rc = look_up(w, name, m->family);
    if (rc)
        return rc;
    bool bwd = is_backward(m->category);
    uint32_t sheet = (bwd ? w->bwd : w->fwd)[name] - 1;
    const struct az_gpu_run own = below(w, node);
    struct az_family_event e = {
        .node = node, .sheet = sheet, .gpu = own.gpu, .n_gpu = (uint32_t)own.n
    };
    rc = union_of(w, own, &e.time);
    if (rc == 0)
        rc = az_vec_push(&w->events, e);
    return rc || bwd || w->n_links == 0 || w->bwd[name] == w->fwd[name] ? rc
                                                                        : add_backward(w, node, m);
}

static int make_links(struct work *w)
{
    const struct az_calltree *c = w->fw->tree;
    size_t n = 0;
    for (uint32_t i = 0; i < c->first_call; i++)
        n += az_forward_of(w->forward, i) != AZ_NO_ROW;
    int64_t *key = az_arena_array(&w->scratch, n + 1, sizeof *key);
    uint32_t *perm = az_arena_array(&w->scratch, n + 1, sizeof *perm),
             *wrapper = az_arena_array(&w->scratch, n + 1, sizeof *wrapper);
    w->links = az_arena_array(&w->scratch, n + 1, sizeof *w->links);
    if (!key || !perm || !wrapper || !w->links)
        return az_arena_error(&w->scratch);
    for (uint32_t i = 0; i < c->first_call; i++)
        if (az_forward_of(w->forward, i) != AZ_NO_ROW) {
            key[w->n_links] = c->pre[az_forward_of(w->forward, i)];
            wrapper[w->n_links++] = i;
        }
    az_sort_order(key, n, perm, w->job->mem);
    for (size_t i = 0; i < n; i++)
        w->links[i] = (struct link){ (uint32_t)key[perm[i]], wrapper[perm[i]] };
    return 0;
}

static int emit_family(struct work *w)
{
    struct az_groups g = { 0 };
    uint32_t *of = az_arena_array(&w->scratch, w->events.n + 1, sizeof *of);
    if (!of)
        return az_arena_error(&w->scratch);
    for (size_t i = 0; i < w->events.n; i++)
        of[i] = w->events.v[i].sheet;
    int rc = az_groups_make(&g, of, w->events.n, w->sheets.n, w->job->mem);
    for (size_t s = 0; rc == 0 && s < w->sheets.n; s++)
        if (g.first[s + 1] > g.first[s])
            rc = az_family_table(w->job, w->fw, w->metrics, &w->sheets.v[s], &w->events,
                                 g.item + g.first[s], g.first[s + 1] - g.first[s]);
    az_groups_release(&g);
    return rc;
}

static int make_families(struct az_job *job)
{
    int rc;
    struct work w = { .job = job, .fw = az_framework_get(job, &rc) };
    if (!w.fw || !w.fw->ops->has_ops || w.fw->tree->n_gpu == 0)
        return rc;
    az_vec_init(&w.sheets, job->mem);
    az_vec_init(&w.events, job->mem);
    az_vec_init(&w.spans, job->mem);
    az_arena_init(&w.scratch, job->mem);
    w.metrics = az_framework_metrics_get(job, w.fw, &rc);
    if (rc == 0)
        w.forward = az_job_forward(job, 0, &rc);
    if (rc == 0)
        rc = make_links(&w);
    w.fwd = az_arena_array(&w.scratch, w.fw->trace->names.text.n + 1, sizeof *w.fwd);
    w.bwd = az_arena_array(&w.scratch, w.fw->trace->names.text.n + 1, sizeof *w.bwd);
    if (rc == 0 && (!w.fwd || !w.bwd))
        rc = az_arena_error(&w.scratch);
    if (rc == 0)
        rc = known_sheets(&w);
    for (uint32_t n = 0; rc == 0 && n < w.fw->tree->first_call; n++) {
        const struct az_op_model *m =
            az_framework_model(w.metrics, w.fw->trace->ev[AZ_HOST_OP].name[n]);
        if (m && m->family.n)
            rc = add_event(&w, n, m);
    }
    az_vec_trim(&w.events);
    if (rc == 0)
        rc = emit_family(&w);
    az_vec_release(&w.sheets);
    az_vec_release(&w.events);
    az_vec_release(&w.spans);
    az_arena_release(&w.scratch);
    return rc;
}

const struct az_analysis az_analysis_fw_families = {
    .name = "families",
    .help = "operations by family (GEMM, SDPA_fwd, ...): parameters, rates, roofline",
    .needs = AZ_CAP_CALLTREE | AZ_CAP_HOST_OPS,
    .tables = { "families" },
    .run = make_families,
    .alone = true,
};
