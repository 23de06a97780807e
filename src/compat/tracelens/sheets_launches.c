/* Kernel launchers and the timeline of one rank. */
#include "compat/tracelens/sheets_common.h"

#include "base/num.h"
#include "facts/lazy_cache.h"

struct work {
    struct az_tracelens_rank *r;
    const struct az_framework *fw;
    struct az_map row_of; /* (operator's name id, class) -> row */
    struct az_tracelens_launches rows;
    struct az_spans spans;
    uint32_t *row;   /* launcher -> row */
    uint32_t *class; /* name id -> class of the user's map + 1; 0: not known */
};

static uint32_t class_of(struct work *w, uint32_t name)
{
    const struct az_classifier *c = w->fw->classes;
    if (c->rules->n == 0 || name == AZ_NO_ID)
        return AZ_CLASS_OTHERS;
    if (!w->class[name]) {
        const uint32_t user = az_classify(c, az_trace_text(w->fw->trace, name));
        w->class[name] = 1 + (user == c->nccl ? AZ_CLASS_OTHERS : user);
    }
    return w->class[name] - 1;
}

static int row_of(struct work *w, uint32_t name, uint32_t class, uint32_t *row)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->row_of, name, class, (uint32_t)w->rows.n, &at, &added);
    if (rc)
        return rc;
    *row = *at;
    if (!added)
        return 0;
    struct az_tracelens_launch l = { .name = AZ_NO_ID, .class = class };
    if (name != AZ_NO_ID)
        l.name = az_tracelens_text(&w->r->texts, az_trace_text(w->fw->trace, name));
    return az_vec_push(&w->rows, l);
}

/* A launcher's kernels (with launcher_events its copies and fills, too), and its class: of its
 * first kernel that has one, else of its own name. */
static int add_launcher(struct work *w, uint32_t i)
{
    const struct az_launcher *l = &w->fw->launchers->rows.v[i];
    const struct az_calltree *c = w->fw->tree;
    const bool op = l->node < c->first_call,
               all = az_sv_is(w->r->job->opts->launcher_events, "all");
    const uint32_t name = op ? az_framework_node(w->fw, l->node).name : AZ_NO_ID;
    uint32_t class = AZ_CLASS_OTHERS;
    int rc = 0;
    az_vec_reset(&w->spans);
    for (uint32_t k = l->first; rc == 0 && k < l[1].first; k++) {
        const uint32_t gpu = w->fw->launchers->own.v[k];
        const struct az_event e = az_gpu_event(c, gpu);
        if (class == AZ_CLASS_OTHERS)
            class = class_of(w, e.name);
        if (all || c->gpu_kind[gpu] == AZ_KERNEL)
            rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    if (class == AZ_CLASS_OTHERS)
        class = class_of(w, name);
    const bool any = w->spans.n > 0;
    az_spans_sort(&w->spans);
    if (rc == 0)
        rc = row_of(w, name, class, &w->row[i]);
    if (rc)
        return rc;
    az_spans_union(&w->spans);
    const int64_t time = any ? az_spans_length(&w->spans) : 0;
    const int64_t direct = az_launcher_times(w->fw->launchers, c, i).direct;
    if (op)
        w->r->part->copies = az_add_sat(w->r->part->copies, az_ns(w->fw->trace, direct - time));
    if (!any)
        return 0;
    struct az_tracelens_launch *to = &w->rows.v[w->row[i]];
    to->count++;
    to->time = az_add_sat(to->time, az_ns(w->fw->trace, time));
    return 0;
}

/* Of the device events that count in gpu_timelines. In order of start, each instant of computation
 * goes to the event that began first: what it has beyond all before. */
static int expose(struct work *w)
{
    const struct az_framework *fw = w->fw;
    int64_t covered = INT64_MIN;
    for (uint32_t i = 0; i < fw->tree->n_gpu; i++) {
        const uint32_t gpu = fw->order[i],
                       launcher = az_framework_launcher_of(fw, az_launcher_node(fw->tree, gpu));
        const struct az_event e = az_gpu_event(fw->tree, gpu);
        uint32_t row;
        if (!az_framework_counts(fw, gpu) || fw->gpu_class[gpu] != AZ_WORK_COMPUTE ||
            e.end <= covered)
            continue;
        const int64_t from = e.start > covered ? e.start : covered;
        covered = e.end;
        int rc = 0;
        if (launcher != AZ_NO_ROW)
            row = w->row[launcher];
        else
            rc = row_of(w, AZ_NO_ID, class_of(w, e.name), &row);
        if (rc)
            return rc;
        w->rows.v[row].exposed += az_ns(fw->trace, e.end - from);
    }
    return 0;
}

int az_tracelens_reduce_launches(struct az_tracelens_rank *r)
{
    struct work w = { .r = r, .fw = r->fw };
    const size_t n = r->fw->launchers->rows.n;
    w.row = az_arena_array(r->job->arena, n + 1, sizeof *w.row);
    w.class = az_arena_array(r->job->arena, r->fw->trace->names.text.n + 1, sizeof *w.class);
    az_vec_init(&w.rows, r->job->mem);
    az_vec_init(&w.spans, r->job->mem);
    az_map_init(&w.row_of, r->job->mem, 64);
    int rc = w.row && w.class ? 0 : az_arena_error(r->job->arena);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = add_launcher(&w, i);
    if (rc == 0)
        rc = expose(&w);
    if (rc == 0) {
        r->part->launch = az_tracelens_copy_array(r->keep, w.rows.v, w.rows.n, sizeof *w.rows.v);
        r->part->n_launches = w.rows.n;
        rc = r->part->launch ? 0 : az_arena_error(r->keep);
    }
    az_map_release(&w.row_of);
    az_vec_release(&w.rows);
    az_vec_release(&w.spans);
    return rc;
}
