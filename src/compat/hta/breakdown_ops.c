/* Which operators launch what, and how late (docs/formulas-collectives.md 6): a launch belongs to
 * the deepest aten:: operator around it on its own thread. And frequent kernel sequences of the
 * selected operators. */
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "compat/hta/breakdown_trie.h"
#include "document/record.h"

enum {
    ROWS = 200, /* operators with a sequence per rank, those of the most device time */
    SHOWN = 16  /* kernels of such a sequence that are named */
};

struct row {
    struct az_sv op, kernels;
    size_t count;              /* instances of the operator */
    size_t n;                  /* kernels an instance */
    int64_t gpu;               /* ticks, added over its kernels */
    int64_t cpu;               /* of the operator (sequences) */
    double to_call, to_kernel; /* ticks, mean over launches: operator to call, call to kernel */
};
struct ops_part {
    struct row *v; /* by device time */
    size_t n, more;
    struct row *sequence; /* by count */
    size_t n_sequences;
};

struct instance { /* of an operator, or all of one kind */
    uint32_t op, node;
    size_t launches, count;
    int64_t to_call, to_kernel, gpu, cpu;
};
AZ_VEC(struct instance, instances);

struct work {
    struct az_job *job;
    struct az_hta *b;
    struct az_hta_trie trie;
    struct instances list;
};

/* ---- launches of operators ---- */
static bool is_aten(const struct work *w, uint8_t *known, uint32_t name)
{
    if (name == AZ_NO_ID)
        return false;
    if (!known[name])
        known[name] = az_sv_starts(az_trace_text(w->b->trace, name), AZ_SV("aten::")) ? 2 : 1;
    return known[name] == 2;
}

/* Nearest aten:: operator at or above each node; a parent comes before its children in preorder. */
static void find_operators(const struct work *w, uint8_t *known, uint32_t *aten)
{
    const struct az_calltree *tree = w->b->tree;
    for (uint32_t p = 0; p < tree->n; p++) {
        const uint32_t node = tree->by_pre[p], parent = tree->parent[node];
        if (node < tree->first_call && is_aten(w, known, w->b->trace->ev[AZ_HOST_OP].name[node]))
            aten[node] = node;
        else
            aten[node] = parent == AZ_NO_ROW ? AZ_NO_ROW : aten[parent];
    }
}

static int add_launch(struct work *w, uint32_t *slot, uint32_t op, uint32_t call, uint32_t gpu)
{
    const struct az_trace *t = w->b->trace;
    const struct az_event e = az_gpu_event(w->b->tree, gpu);
    const int64_t called = t->ev[AZ_CALL].start[call - w->b->tree->first_call];
    int rc = 0;
    if (!slot[op]) {
        struct instance x = { .op = op, .node = AZ_NO_ID };
        rc = az_hta_trie_add(&w->trie, &x.node, t->ev[AZ_HOST_OP].name[op]);
        if (rc == 0)
            rc = az_vec_push(&w->list, x);
        slot[op] = (uint32_t)w->list.n;
    }
    if (rc)
        return rc;
    struct instance *x = &w->list.v[slot[op] - 1];
    x->launches++;
    x->to_call = az_add_sat(x->to_call, called - t->ev[AZ_HOST_OP].start[op]);
    x->to_kernel = az_add_sat(x->to_kernel, e.start - called);
    x->gpu = az_add_sat(x->gpu, e.end - e.start);
    return az_hta_trie_add(&w->trie, &x->node, e.name);
}

/* Every instance of an operator that launched something, with its kernels in order of launch. */
static int list_instances(struct work *w)
{
    const struct az_calltree *tree = w->b->tree;
    const struct az_trace *t = w->b->trace;
    uint32_t *slot = az_mem_alloc(w->job->mem, ((size_t)tree->first_call + 1) *
                                                   sizeof *slot); /* operator -> + 1 */
    uint8_t *known = az_arena_array(w->job->arena, t->names.text.n + 1, 1);
    uint32_t *aten = az_mem_alloc(w->job->mem, ((size_t)tree->n + 1) * sizeof *aten);
    int rc = slot && known && aten ? 0 : az_mem_error(w->job->mem);
    if (slot)
        memset(slot, 0, ((size_t)tree->first_call + 1) * sizeof *slot);
    if (rc == 0)
        find_operators(w, known, aten);
    for (uint32_t i = 0; rc == 0 && i < tree->n_linked; i++) {
        const uint32_t gpu = tree->linked[i], call = tree->gpu_call[gpu],
                       op = aten[tree->gpu_node[gpu]];
        if (t->ev[AZ_CALL].start[call - tree->first_call] >= w->b->cut)
            continue;
        if (op != AZ_NO_ROW)
            rc = add_launch(w, slot, op, call, gpu);
    }
    az_mem_free(w->job->mem, aten, ((size_t)tree->n + 1) * sizeof *aten);
    az_mem_free(w->job->mem, slot, ((size_t)tree->first_call + 1) * sizeof *slot);
    return rc;
}

/* Instances of one sequence together, in place: list becomes one a sequence. */
static int together(struct work *w)
{
    uint32_t *group = az_arena_array(w->job->arena, w->trie.nodes.n + 1, sizeof *group);
    size_t n = 0;
    if (!group)
        return az_arena_error(w->job->arena);
    for (size_t i = 0; i < w->list.n; i++) {
        const struct instance x = w->list.v[i];
        if (!group[x.node]) {
            w->list.v[n++] = (struct instance){ .op = x.op, .node = x.node };
            group[x.node] = (uint32_t)n;
        }
        struct instance *g = &w->list.v[group[x.node] - 1];
        g->count++;
        g->launches += x.launches;
        g->to_call = az_add_sat(g->to_call, x.to_call);
        g->to_kernel = az_add_sat(g->to_kernel, x.to_kernel);
        g->gpu = az_add_sat(g->gpu, x.gpu);
        g->cpu = az_add_sat(g->cpu, x.cpu);
    }
    w->list.n = n;
    return AZ_OK;
}

static int by_gpu(const void *x, const void *y, void *ctx)
{
    const struct instance *a = x, *b = y;
    (void)ctx;
    if (a->gpu != b->gpu)
        return a->gpu > b->gpu ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op; /* the operator that came first */
}

static struct row row_of(const struct work *w, const struct instance *x, size_t shown,
                         const char *separator, struct az_arena *keep)
{
    const struct az_intern *names = &w->b->trace->names;
    const double launches = x->launches ? (double)x->launches : 1;
    return (struct row){ .op = az_hta_copy_text(w->b, keep, az_node_name(w->b->tree, x->op)),
                         .kernels =
                             az_hta_trie_text(&w->trie, x->node, names, 1, shown, separator, keep),
                         .count = x->count,
                         .n = w->trie.nodes.v[x->node].length - 1,
                         .gpu = x->gpu,
                         .cpu = x->cpu,
                         .to_call = (double)x->to_call / launches,
                         .to_kernel = (double)x->to_kernel / launches };
}

static int launches(struct work *w, struct az_arena *keep, struct ops_part *p)
{
    int rc = list_instances(w);
    if (rc == 0)
        rc = together(w);
    az_sort_cmp(w->list.v, w->list.n, sizeof *w->list.v, by_gpu, NULL, w->job->mem);
    if (rc)
        return rc;
    p->n = w->list.n < ROWS ? w->list.n : ROWS;
    p->more = w->list.n - p->n;
    p->v = az_arena_array(keep, p->n + 1, sizeof *p->v);
    for (size_t i = 0; p->v && i < p->n; i++)
        p->v[i] = row_of(w, &w->list.v[i], SHOWN, " -> ", keep);
    return keep->failed ? az_arena_error(keep) : AZ_OK;
}

/* ---- frequent sequences ---- */
/* Operators above each node. */
static void find_depths(const struct az_calltree *tree, uint32_t *depth)
{
    for (uint32_t p = 0; p < tree->n; p++) {
        const uint32_t node = tree->by_pre[p], parent = tree->parent[node];
        depth[node] = parent == AZ_NO_ROW ? 0 : depth[parent] + (parent < tree->first_call);
    }
}

static int by_start(const void *x, const void *y, void *ctx)
{
    const struct az_calltree *tree = ctx;
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    const int64_t sa = az_gpu_event(tree, a).start, sb = az_gpu_event(tree, b).start;
    return sa != sb ? (sa < sb ? -1 : 1) : (a > b) - (a < b);
}

/* The operator's device work by start. */
static int one_sequence(struct work *w, uint32_t op, uint32_t first, uint32_t n)
{
    const struct az_calltree *tree = w->b->tree;
    const struct az_events *e = &w->b->trace->ev[AZ_HOST_OP];
    struct instance x = { .op = op, .node = AZ_NO_ID, .cpu = e->end[op] - e->start[op] };
    uint32_t *gpu = az_mem_alloc(w->job->mem, n * sizeof *gpu);
    if (!gpu)
        return az_mem_error(w->job->mem);
    memcpy(gpu, tree->linked + first, n * sizeof *gpu);
    az_sort_cmp(gpu, n, sizeof *gpu, by_start, (void *)(uintptr_t)tree, w->job->mem);
    int rc = az_hta_trie_add(&w->trie, &x.node, e->name[op]);
    for (uint32_t i = 0; rc == 0 && i < n; i++) {
        const struct az_event v = az_gpu_event(tree, gpu[i]);
        x.gpu = az_add_sat(x.gpu, v.end - v.start);
        rc = az_hta_trie_add(&w->trie, &x.node, v.name);
    }
    az_mem_free(w->job->mem, gpu, n * sizeof *gpu);
    return rc ? rc : az_vec_push(&w->list, x);
}

/* Operators with the text in their name, at the smallest depth at which there are any. */
static int list_operators(struct work *w, struct az_vec_u32 *ops)
{
    const struct az_events *e = &w->b->trace->ev[AZ_HOST_OP];
    uint8_t *known = az_arena_array(w->job->arena, w->b->trace->names.text.n + 1, 1);
    uint32_t *depth = az_arena_array(w->job->arena, (size_t)w->b->tree->n + 1, sizeof *depth),
             least = UINT32_MAX;
    int rc = known && depth ? 0 : az_arena_error(w->job->arena);
    if (rc == 0)
        find_depths(w->b->tree, depth);
    for (uint32_t i = 0; rc == 0 && i < e->n && e->start[i] < w->b->cut; i++) {
        if (e->name[i] == AZ_NO_ID)
            continue;
        uint8_t *k = &known[e->name[i]];
        if (!*k)
            *k = az_sv_find(az_trace_text(w->b->trace, e->name[i]), w->b->opts->sequence_op) >= 0
                     ? 2
                     : 1;
        if (*k != 2 || depth[i] > least)
            continue;
        if (depth[i] < least)
            az_vec_reset(ops);
        least = depth[i];
        rc = az_vec_push(ops, i);
    }
    return rc;
}

static int list_sequences(struct work *w)
{
    struct az_vec_u32 ops;
    az_vec_init(&ops, w->job->mem);
    int rc = list_operators(w, &ops);
    for (size_t i = 0; rc == 0 && i < ops.n; i++) {
        uint32_t first, end;
        az_node_gpu(w->b->tree, ops.v[i], &first, &end);
        if ((int64_t)(end - first) >= w->b->opts->sequence_min_kernels)
            rc = one_sequence(w, ops.v[i], first, end - first);
    }
    az_vec_release(&ops);
    return rc;
}

static int by_count(const void *x, const void *y, void *ctx)
{
    const struct row *a = x, *b = y;
    (void)ctx;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    const int c = az_sv_cmp(a->op, b->op);
    return c ? c : az_sv_cmp(a->kernels, b->kernels);
}

static int most_instances(const void *x, const void *y, void *ctx)
{
    const struct instance *a = x, *b = y;
    (void)ctx;
    return a->count != b->count ? (a->count > b->count ? -1 : 1) : 0;
}

/* All of the count of the last one are examined before the list is truncated, as the text decides
 * among them. */
static int sequences(struct work *w, struct az_arena *keep, struct ops_part *p)
{
    const size_t top = w->b->opts->sequence_top ? (size_t)w->b->opts->sequence_top : SIZE_MAX;
    az_vec_reset(&w->list);
    int rc = list_sequences(w);
    if (rc == 0)
        rc = together(w);
    az_sort_cmp(w->list.v, w->list.n, sizeof *w->list.v, most_instances, NULL, w->job->mem);
    size_t n = w->list.n < top ? w->list.n : top;
    while (n && n < w->list.n && w->list.v[n].count == w->list.v[n - 1].count)
        n++;
    struct row *v = rc ? NULL : az_arena_array(w->job->arena, n + 1, sizeof *v);
    if (!v)
        return rc ? rc : az_arena_error(w->job->arena);
    for (size_t i = 0; i < n; i++)
        v[i] = row_of(w, &w->list.v[i], AZ_HTA_TRIE_SHOWN, "|", w->job->arena);
    if (w->job->arena->failed)
        return az_arena_error(w->job->arena);
    az_sort_cmp(v, n, sizeof *v, by_count, NULL, w->job->mem);
    p->n_sequences = n < top ? n : top;
    p->sequence = az_arena_array(keep, p->n_sequences + 1, sizeof *p->sequence);
    for (size_t i = 0; p->sequence && i < p->n_sequences; i++) {
        p->sequence[i] = v[i];
        p->sequence[i].op = az_hta_copy_text(w->b, keep, v[i].op);
        p->sequence[i].kernels = az_hta_copy_text(w->b, keep, v[i].kernels);
    }
    return rc ? rc : keep->failed ? az_arena_error(keep) : AZ_OK;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    int rc;
    struct work w = { .job = job };
    w.b = az_hta_get(job, &rc);
    struct ops_part *p = w.b ? az_arena_alloc(keep, sizeof *p) : NULL;
    if (!p)
        return w.b ? az_arena_error(keep) : rc;
    rc = az_hta_trie_init(&w.trie, job->mem);
    az_vec_init(&w.list, job->mem);
    if (rc == 0)
        rc = launches(&w, keep, p);
    if (rc == 0 && w.b->opts->sequence_op.n)
        rc = sequences(&w, keep, p);
    az_hta_trie_release(&w.trie);
    az_vec_release(&w.list);
    *part = p;
    return rc;
}

/* ---- finish ---- */
struct op_row {
    const struct az_rank *rank;
    const struct row *of;
};
#define ROW struct op_row
AZ_TEXT_OF_RECORD(pattern, ROW,
                  az_arena_printf(texts, "%.*s|%.*s", AZ_SVF(r->of->op), AZ_SVF(r->of->kernels)))
/* clang-format off */
#define TIME(header, field)                                                                        \
    { header, AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER, AZ_VIA(ROW, of, field), AZ_HTA_TICKS(ROW) }
/* clang-format on */
static const struct az_record_column launch_columns[] = {
    AZ_HTA_RANK(ROW),
    { "op_name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, op) },
    { "kernel_sequence", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(ROW, of, kernels) },
    { "kernels", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, n) },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, count) },
    TIME("op_to_call_mean (us)", to_call),
    TIME("call_to_kernel_mean (us)", to_kernel),
    TIME("gpu_time (us)", gpu),
};
static const struct az_record_column sequence_columns[] = {
    AZ_HTA_RANK(ROW),
    { "pattern", AZ_TEXT, .flags = AZ_KEY, .text = pattern },
    { "count", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, count) },
    TIME("GPU kernel duration (us)", gpu),
    TIME("CPU op duration (us)", cpu),
    { "kernels", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(ROW, of, n) },
};

static int launch_table(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    size_t more = 0;
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "op_launches", "Operators by kernel sequence",
                                         0, launch_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct ops_part *p = parts[i];
        more += p ? p->more : 0;
        for (size_t k = 0; p && k < p->n; k++)
            az_put_row(t, &(ROW){ &ranks->v[i], &p->v[k] });
    }
    if (more)
        az_cover(job, "rows omitted from op_launches", (double)more, "",
                 AZ_SV("rows with the least device time on each rank"));
    return az_document_add(job->doc, t);
}

static int sequence_table(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    struct az_table *t = AZ_RECORD_TABLE(job->arena, "frequent_sequences",
                                         "Frequent kernel sequences", 0, sequence_columns);
    for (size_t i = 0; i < ranks->n; i++) {
        const struct ops_part *p = parts[i];
        for (size_t k = 0; p && k < p->n_sequences; k++)
            az_put_row(t, &(ROW){ &ranks->v[i], &p->sequence[k] });
    }
    return az_document_add(job->doc, t);
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    const int rc = launch_table(job, ranks, parts);
    return rc || !job->opts->sequence_op.n ? rc : sequence_table(job, ranks, parts);
}

/* ---- the part as bytes ---- */

static const struct az_shape_field row_fields[] = {
    AZ_TEXT_OF(struct row, op),    AZ_TEXT_OF(struct row, kernels), AZ_PLAIN(struct row, count),
    AZ_PLAIN(struct row, n),       AZ_PLAIN(struct row, gpu),       AZ_PLAIN(struct row, cpu),
    AZ_PLAIN(struct row, to_call), AZ_PLAIN(struct row, to_kernel)
};
static const struct az_shape row_shape = AZ_SHAPE(struct row, row_fields);
static const struct az_shape_field part_fields[] = {
    AZ_LIST_OF(struct ops_part, v, n, row_shape), AZ_PLAIN(struct ops_part, more),
    AZ_LIST_OF(struct ops_part, sequence, n_sequences, row_shape)
};
static const struct az_shape part_shape = AZ_SHAPE(struct ops_part, part_fields);

const struct az_rank_analysis az_rank_analysis_ops = {
    .name = "rank_ops",
    .help = "kernels by operator with launch delays, frequent kernel sequences",
    .needs = AZ_CAP_CALLTREE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
