/* Shared facts of a framework trace. */
#include "analyses/operators/framework.h"

#include "analyses/operators/extension.h"
#include "base/data.h"
#include "base/sort.h"

/* Next line of CSV without quotes (our own data file); false at the end. */
static bool next_row(struct az_sv *rest, struct az_sv *cell, size_t n)
{
    if (rest->n == 0)
        return false;
    struct az_sv line = az_sv_trim(az_sv_cut(rest, '\n'));
    for (size_t i = 0; i < n; i++)
        cell[i] = az_sv_cut(&line, ',');
    return true;
}

static int load_categories(struct az_framework *f, struct az_arena *a)
{
    struct az_sv rest = az_data("op_categories.csv"), c[5];
    size_t rows = 0;
    for (size_t i = 0; i < rest.n; i++)
        rows += rest.p[i] == '\n';
    f->known = az_arena_array(a, f->n_extra + rows + 1, sizeof *f->known);
    if (!f->known)
        return az_arena_error(a);
    for (size_t i = 0; i < f->n_extra; i++)
        f->known[f->n_known++] = f->extra[i];
    for (bool head = true; next_row(&rest, c, 5); head = false)
        if (!head && c[0].n)
            f->known[f->n_known++] = (struct az_op_category){ .name = c[0],
                                                              .category = c[1],
                                                              .family = c[2],
                                                              .bwd_category = c[3],
                                                              .has_model = az_sv_is(c[4], "yes") };
    for (size_t i = 0; i < f->n_extra; i++) /* another category is no other model */
        for (size_t k = f->n_extra; k < f->n_known; k++)
            if (az_sv_eq(f->known[i].name, f->known[k].name)) {
                f->known[i].family = f->known[k].family;
                f->known[i].bwd_category = f->known[k].bwd_category;
                f->known[i].has_model = f->known[i].has_model || f->known[k].has_model;
            }
    return 0;
}

/* Which operator names are in the data file, looked up once per name. */
static int know_operators(struct az_framework *f, struct az_arena *a)
{
    const struct az_events *e = &f->trace->ev[AZ_HOST_OP];
    size_t names = f->trace->names.text.n + 1;
    uint8_t *seen = az_arena_array(a, names, 1);
    f->known_op = az_arena_array(a, names, sizeof *f->known_op);
    if (!seen || !f->known_op)
        return az_arena_error(a);
    for (size_t i = 0; i < e->n; i++) {
        uint32_t name = e->name[i];
        if (name == AZ_NO_ID || seen[name])
            continue;
        seen[name] = 1;
        for (size_t k = 0; k < f->n_known && f->known_op[name] == 0; k++)
            if (az_sv_eq(f->known[k].name, az_trace_text(f->trace, name)))
                f->known_op[name] = (uint16_t)(k + 1);
    }
    return 0;
}

const struct az_op_category *az_framework_known(const struct az_framework *f, uint32_t op)
{
    uint32_t name = f->trace->ev[AZ_HOST_OP].name[op];
    uint16_t k = name == AZ_NO_ID ? 0 : f->known_op[name];
    return k ? &f->known[k - 1] : NULL;
}

/* Rules after the data file: fixed beginnings of operator names, then the first kernel's name. */
static struct az_sv category_by_names(struct az_sv op, struct az_sv first_kernel)
{
    static const char *const by_kernel[] = { "elementwise", "reduce", "multi_tensor_apply" };
    if (az_sv_starts(op, AZ_SV("triton")))
        return AZ_SV("triton");
    if (az_sv_starts(op, AZ_SV("record_param_comms")))
        return AZ_SV("record_param_comms");
    if (az_sv_starts(first_kernel, AZ_SV("void at::native")))
        for (size_t i = 0; i < 3; i++)
            if (az_sv_find(first_kernel, az_sv_str(by_kernel[i])) >= 0)
                return az_sv_str(by_kernel[i]);
    return AZ_SV("other");
}

struct az_sv az_framework_categorise(const struct az_framework *f, struct az_sv op,
                                     struct az_sv first_kernel)
{
    for (size_t i = 0; i < f->n_known; i++)
        if (az_sv_eq(f->known[i].name, op))
            return f->known[i].category;
    return category_by_names(op, first_kernel);
}

struct az_sv az_framework_op_category(const struct az_framework *f, uint32_t op)
{
    uint32_t l = az_framework_launcher_of(f, op);
    const struct az_op_category *known = az_framework_known(f, op);
    if (l != AZ_NO_ROW)
        return az_framework_category(f, l);
    return known ? known->category : category_by_names(az_node_name(f->tree, op), AZ_SV(""));
}

const struct az_op_args *az_framework_args(const struct az_framework *f, uint32_t node)
{
    if (node >= f->tree->first_call)
        return NULL;
    const uint32_t side = az_op_side(f->trace, node);
    if (side == AZ_NO_ROW || f->ops->ops.v[side].args == AZ_NO_ROW)
        return NULL;
    return &f->ops->args.v[f->ops->ops.v[side].args];
}

/* Category of every launcher, decided once per (operator name, first kernel name). */
static int categorise_all(struct az_framework *f, struct az_arena *a, struct az_mem *mem)
{
    struct az_map seen;
    int rc = 0;
    az_map_init(&seen, mem, 256);
    f->category = az_arena_array(a, f->launchers->rows.n + 1, sizeof *f->category);
    if (!f->category)
        rc = az_arena_error(a);
    for (size_t i = 0; rc == 0 && i < f->launchers->rows.n; i++) {
        const struct az_launcher *l = &f->launchers->rows.v[i];
        uint32_t name = az_framework_node(f, l->node).name,
                 kernel = az_gpu_event(f->tree, f->launchers->own.v[l->first]).name, *id;
        bool added;
        rc = az_map_put(&seen, name, kernel, 0, &id, &added);
        if (rc == 0 && added) {
            struct az_sv c = az_framework_categorise(f, az_trace_text(f->trace, name),
                                                     az_trace_text(f->trace, kernel));
            uint32_t k = 0;
            while (k < f->n_categories && !az_sv_eq(f->category_text[k], c))
                k++;
            if (k == AZ_LENGTH(f->category_text))
                rc = AZ_EINTERNAL; /* the data file has more categories than the table holds */
            else if (k == f->n_categories)
                f->category_text[f->n_categories++] = c;
            *id = k;
        }
        if (rc == 0)
            f->category[i] = (uint8_t)*id;
    }
    az_map_release(&seen);
    return rc;
}

/* Marks everything below the frames of activation checkpointing's recomputation. */
static int mark_recompute(struct az_framework *f, struct az_arena *a)
{
    const struct az_calltree *c = f->tree;
    f->recompute = az_arena_array(a, (size_t)c->n + 1, 1);
    if (!f->recompute)
        return az_arena_error(a);
    for (uint32_t n = c->first_frame; n < c->n; n++) {
        struct az_sv name = az_node_name(c, n);
        if (az_sv_find(name, AZ_SV("torch/utils/checkpoint.py")) >= 0 &&
            az_sv_find(name, AZ_SV("recompute_fn")) >= 0)
            for (uint32_t p = c->pre[n]; p <= c->last[n]; p++)
                f->recompute[c->by_pre[p]] = 1;
    }
    return 0;
}

bool az_framework_gpu_recompute(const struct az_framework *f, uint32_t gpu)
{
    uint32_t call = f->tree->gpu_node[gpu];
    return call != AZ_NO_ROW && az_framework_recompute(f, call);
}

/* Launchers by node, for az_framework_launcher_of: only operators and calls can be one. */
static int index_nodes(struct az_framework *f, struct az_arena *a)
{
    const size_t most = f->tree->first_frame;
    const struct az_launcher_rows *rows = &f->launchers->rows;
    f->is_launcher = az_arena_array(a, az_rank_words(most), sizeof *f->is_launcher);
    if (!f->is_launcher)
        return az_arena_error(a);
    bool rising = true;
    for (size_t i = 0; i < rows->n; i++) {
        rising = rising && (i == 0 || rows->v[i - 1].node < rows->v[i].node);
        az_rank_set(f->is_launcher, rows->v[i].node);
    }
    az_rank_close(f->is_launcher, most);
    if (rising) /* operators and launchers are both by start; calls come after operators */
        return 0;
    f->launcher_at = az_arena_array(a, rows->n + 1, sizeof *f->launcher_at);
    if (!f->launcher_at)
        return az_arena_error(a);
    for (uint32_t i = 0; i < rows->n; i++)
        f->launcher_at[az_rank(f->is_launcher, rows->v[i].node)] = i;
    return 0;
}

static int classify_gpu(struct az_framework *f, struct az_arena *a)
{
    const struct az_calltree *t = f->tree;
    f->gpu_class = az_arena_array(a, (size_t)t->n_gpu + 1, 1);
    if (!f->gpu_class)
        return az_arena_error(a);
    for (uint32_t g = 0; g < t->n_gpu; g++)
        f->gpu_class[g] = (uint8_t)az_trace_work(f->trace, t->gpu_kind[g], az_gpu_event(t, g).name);
    return 0;
}

static int order_gpu(struct az_framework *f, struct az_arena *a, struct az_mem *mem)
{
    size_t n = f->tree->n_gpu;
    int64_t *key = az_mem_alloc(mem, (n + 1) * sizeof *key);
    f->order = az_arena_array(a, n + 1, sizeof *f->order);
    int rc = key && f->order ? 0 : az_mem_error(mem);
    for (uint32_t g = 0; rc == 0 && g < n; g++)
        key[g] = az_gpu_event(f->tree, g).start;
    if (rc == 0)
        az_sort_order(key, n, f->order, mem);
    if (key)
        az_mem_free(mem, key, (n + 1) * sizeof *key);
    return rc;
}

/* Lanes that carry the same names count as one. */
static int group_lanes(struct az_framework *f, struct az_arena *a, struct az_mem *mem)
{
    struct az_map map;
    size_t n = f->ops->lane_names.n;
    f->lane_group = az_arena_array(a, n + 1, sizeof *f->lane_group);
    if (!f->lane_group)
        return az_arena_error(a);
    int rc = 0;
    az_map_init(&map, mem, n);
    for (uint32_t l = 0; rc == 0 && l < n; l++) {
        const struct az_lane_names *names = &f->ops->lane_names.v[l];
        uint32_t *first;
        bool added;
        rc = az_map_put(&map, (uint64_t)names->process_name << 32 | names->process_label,
                        names->thread_name, l, &first, &added);
        if (rc == 0)
            f->lane_group[l] = *first;
    }
    az_map_release(&map);
    return rc;
}

/* Total of the timeline and of the kernels. */
static void measure(struct az_framework *f)
{
    const struct az_events *k = &f->trace->ev[AZ_KERNEL];
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (size_t i = 0; i < k->n; i++)
        f->kernels += k->end[i] - k->start[i];
    for (uint32_t g = 0; g < f->tree->n_gpu; g++) {
        if (!az_framework_counts(f, g))
            continue;
        struct az_event e = az_gpu_event(f->tree, g);
        lo = e.start < lo ? e.start : lo;
        hi = e.end > hi ? e.end : hi;
    }
    f->total = hi > lo ? hi - lo : 0;
}

static int make_framework(struct az_job *job, struct az_framework *f)
{
    f->trace = job->traces[0];
    f->ops = az_optrace(f->trace);
    f->tree = f->ops->tree;
    f->launchers = f->ops->launchers;
    f->classes = job->classes;
    f->opts = job->opts;
    f->kernel_class =
        az_arena_array(job->arena, f->trace->names.text.n + 1, sizeof *f->kernel_class);
    int rc = f->kernel_class ? load_categories(f, job->arena) : az_arena_error(job->arena);
    if (rc == 0)
        rc = know_operators(f, job->arena);
    if (rc == 0)
        rc = categorise_all(f, job->arena, job->mem);
    if (rc == 0)
        rc = index_nodes(f, job->arena);
    if (rc == 0)
        rc = classify_gpu(f, job->arena);
    if (rc == 0)
        rc = order_gpu(f, job->arena, job->mem);
    if (rc == 0)
        rc = group_lanes(f, job->arena, job->mem);
    if (rc == 0 && job->opts->detect_recompute)
        rc = mark_recompute(f, job->arena);
    if (rc == 0)
        measure(f);
    return rc;
}

/* With the user's script, if there is one; without it, should one of its models fail. */
static int make_extended(struct az_job *job, struct az_framework *f)
{
    int rc;
    struct az_extend *e = az_framework_extend_open(job, f, &rc);
    if (rc == 0)
        rc = make_framework(job, f);
    if (!e)
        return rc;
    int failed = az_framework_extend_run(job, f, e); /* closes it, whatever happened */
    if (rc || failed != AZ_ECONFIG)
        return rc ? rc : failed;
    *f = (struct az_framework){ .extension_why = f->extension_why };
    return make_framework(job, f);
}

static const char what; /* places: of the whole, and of what a part changes in it */

static struct az_framework *whole_of(struct az_job *job, int *rc)
{
    void **slot = az_job_slot(job, &what);
    *rc = slot ? 0 : az_arena_error(job->arena);
    if (slot && !*slot) {
        struct az_framework *f = az_arena_alloc(job->arena, sizeof *f);
        *rc = f ? make_extended(job, f) : az_arena_error(job->arena);
        if (*rc == 0)
            *slot = f;
    }
    struct az_framework *made = slot ? *slot : NULL;
    az_job_leave(job, slot);
    return made;
}

/* Parts of a job share what is known of operators and have their own estimates, which are a cache:
 * only the pointers of struct az_framework are copied. */
struct az_framework *az_framework_get(struct az_job *job, int *rc)
{
    struct az_framework *whole = whole_of(job, rc);
    if (!whole || !az_job_is_part(job))
        return whole;
    void **view = az_job_view(job, &what);
    if (view && !*view) {
        struct az_framework *own = *view = az_arena_alloc(job->arena, sizeof *own);
        if (own) {
            *own = *whole;
            own->metrics = NULL;
            own->overlaps = NULL;
            own->texts = NULL;
        }
    }
    *rc = view && *view ? 0 : az_arena_error(job->arena);
    return view ? *view : NULL;
}
