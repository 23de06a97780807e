/* kernels_<rank>: every kernel of a rank with its operator (docs/formulas-multirank.md 4.6);
 * all_kernels. A rank's part holds 40 bytes a kernel, and each operator and text once. */
#include "analyses/operators/kernels.h"
#include "analyses/registry_list.h"
#include "base/num.h"
#include "base/time_units.h"
#include "compat/tracelens/sheets_text.h"
#include "document/record.h"
#include "facts/lazy_cache.h"

#include <math.h>

#define NO_OWNER UINT32_MAX

/* An operator that launched kernels. Texts: ids of the part. */
struct owner {
    uint32_t uid, name, dims, types, strides, concrete, file;
    uint32_t count; /* device events below it */
    int64_t busy;   /* their union, ns */
};
AZ_VEC(struct owner, owners);

struct kernel {
    uint32_t uid, name, owner;
    int64_t start, length, stream; /* ticks from the trace's 0, ns, -1 unknown */
};

struct part {
    struct az_tracelens_stored_texts texts;
    const struct owner *owner;
    size_t n_owners;
    const struct kernel *kernel; /* in file order */
    size_t n;
};

struct work {
    struct az_job *job;
    struct az_framework_kernels k;
    struct az_tracelens_texts texts;
    struct owners owners;
    struct az_spans spans;
    uint32_t *of_node; /* operator -> its owner + 1; 0: none yet */
};

static uint32_t text_id(struct work *w, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_NO_ID
                            : az_tracelens_text(&w->texts, az_trace_text(w->k.fw->trace, name));
}

static void measure(struct work *w, uint32_t node, struct owner *o)
{
    const struct az_calltree *c = w->k.fw->tree;
    uint32_t first, end;
    az_node_gpu(c, node, &first, &end);
    o->count = end - first;
    az_vec_reset(&w->spans);
    for (uint32_t i = first; i < end; i++) {
        const struct az_event e = az_gpu_event(c, c->linked[i]);
        az_vec_add(&w->spans, ((struct az_span){ e.start, e.end }));
    }
    az_spans_sort(&w->spans);
    az_spans_union(&w->spans);
    o->busy = az_ns(w->k.fw->trace, az_spans_length(&w->spans));
}

static int add_owner(struct work *w, uint32_t node)
{
    const struct az_event e = az_framework_node(w->k.fw, node);
    const struct az_op_args *a = az_framework_args(w->k.fw, node);
    struct owner o = { .uid = e.uid };
    o.name = text_id(w, e.name);
    o.dims = text_id(w, a ? a->dims : AZ_NO_ID);
    o.types = text_id(w, a ? a->types : AZ_NO_ID);
    o.strides = text_id(w, a ? a->strides : AZ_NO_ID);
    o.concrete = text_id(w, a ? a->concrete : AZ_NO_ID);
    o.file = text_id(w, az_optrace_op_file(az_optrace(w->k.fw->trace), e.uid));
    measure(w, node, &o);
    az_vec_add(&w->owners, o);
    w->of_node[node] = (uint32_t)w->owners.n;
    return w->texts.ids.error ? w->texts.ids.error
           : w->spans.failed  ? az_vec_error(&w->spans)
                              : az_vec_error(&w->owners);
}

static int list_kernels(struct work *w, struct kernel *out)
{
    const struct az_framework *fw = w->k.fw;
    int rc = 0;
    for (uint32_t g = 0; rc == 0 && g < fw->tree->n_gpu; g++) {
        if (fw->tree->gpu_kind[g] != AZ_KERNEL)
            continue;
        const struct az_event e = az_gpu_event(fw->tree, g);
        uint32_t call;
        const uint32_t op = az_framework_kernel_owner(&w->k, fw->tree->gpu_row[g], &call);
        struct kernel k = { .uid = e.uid,
                            .owner = NO_OWNER,
                            .start = e.start,
                            .length = az_ns(fw->trace, e.end - e.start),
                            .stream = az_lane_stream(fw->trace, e.lane) };
        k.name = text_id(w, e.name);
        if (op != AZ_NO_ROW && !w->of_node[op])
            rc = add_owner(w, op);
        if (op != AZ_NO_ROW)
            k.owner = w->of_node[op] - 1;
        *out++ = k;
    }
    return rc;
}

static int reduce(struct az_job *job, struct az_arena *keep, void **part)
{
    struct work w = { .job = job };
    if (!job->opts->all_kernels)
        return 0;
    struct part *p = az_arena_alloc(keep, sizeof *p);
    int rc = az_framework_kernels_get(&w.k, job);
    if (rc || !p)
        return rc ? rc : az_arena_error(keep);
    struct kernel *kernel = az_arena_array(keep, w.k.ev->n + 1, sizeof *kernel);
    w.of_node = az_arena_array(job->arena, (size_t)w.k.fw->tree->first_call + 1, sizeof *w.of_node);
    az_vec_init(&w.owners, job->mem);
    az_vec_init(&w.spans, job->mem);
    az_tracelens_texts_init(&w.texts, job);
    rc = kernel && w.of_node ? list_kernels(&w, kernel) : az_arena_error(keep);
    if (rc == 0) {
        p->kernel = kernel;
        p->n = w.k.ev->n;
        p->n_owners = w.owners.n;
        p->owner = az_tracelens_copy_array(keep, w.owners.v, w.owners.n, sizeof *p->owner);
        rc = p->owner ? az_tracelens_texts_intern(&w.texts, job, keep, &p->texts)
                      : az_arena_error(keep);
    }
    az_tracelens_texts_release(&w.texts);
    az_vec_release(&w.owners);
    az_vec_release(&w.spans);
    if (rc == 0)
        *part = p;
    return rc;
}

struct listing { /* a table; in the arena */
    const struct part *part;
    int64_t ticks_per_us;
};

struct kernel_row {
    const struct kernel *kernel;
    const struct owner *owner; /* NULL: none */
    const struct listing *of;
};
static struct az_sv kept_text(const struct kernel_row *r, uint32_t id)
{
    return az_tracelens_get(&r->of->part->texts, id);
}
#define OWNER_TEXT(name, field)                                                                    \
    AZ_TEXT_OF_RECORD(name, struct kernel_row, r->owner ? kept_text(r, r->owner->field) : AZ_SV(""))
AZ_TEXT_OF_RECORD(kernel_name, struct kernel_row, kept_text(r, r->kernel->name))
AZ_OF_RECORD(double, kernel_start, struct kernel_row,
             az_quotient(r->kernel->start, r->of->ticks_per_us))
OWNER_TEXT(owner_name, name)
OWNER_TEXT(owner_dims, dims)
OWNER_TEXT(owner_types, types)
OWNER_TEXT(owner_strides, strides)
OWNER_TEXT(owner_concrete, concrete)
OWNER_TEXT(owner_file, file)
AZ_OF_RECORD(double, owner_share, struct kernel_row,
             !r->owner              ? NAN
             : r->owner->count == 1 ? 100
             : r->owner->busy       ? (double)r->kernel->length / (double)r->owner->busy * 100.0
                                    : NAN)

static const struct az_record_column kernel_columns[] = {
    { "UID", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(struct kernel_row, kernel, uid) },
    { "Kernel name", AZ_TEXT, .text = kernel_name, .known = true },
    { "Kernel t start", AZ_REAL, AZ_UNIT_US, AZ_DETAIL, .real = kernel_start },
    { "Kernel duration (µs)", AZ_REAL, AZ_UNIT_US, AZ_LOWER_BETTER,
      AZ_VIA(struct kernel_row, kernel, length) },
    { "Kernel stream", AZ_INT, AZ_UNIT_ID, AZ_KNOWN_VIA(struct kernel_row, kernel, stream) },
    { "Parent cpu_op UID", AZ_INT, AZ_UNIT_ID, AZ_DETAIL, AZ_VIA(struct kernel_row, owner, uid) },
    { "Parent cpu_op", AZ_TEXT, .text = owner_name, .known = true },
    { "Input dims", AZ_TEXT, .flags = AZ_DETAIL, .text = owner_dims, .known = true },
    { "Input types", AZ_TEXT, .flags = AZ_DETAIL, .text = owner_types, .known = true },
    { "Input strides", AZ_TEXT, .flags = AZ_DETAIL, .text = owner_strides, .known = true },
    { "Concrete Inputs", AZ_TEXT, .flags = AZ_DETAIL, .text = owner_concrete, .known = true },
    { "kernel_file", AZ_TEXT, .flags = AZ_DETAIL, .text = owner_file, .known = true },
    { "Parent cpu_op busy time (µs)", AZ_REAL, AZ_UNIT_US, AZ_DETAIL,
      AZ_VIA(struct kernel_row, owner, busy) },
    { "Parent cpu_op kernel count", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL,
      AZ_VIA(struct kernel_row, owner, count) },
    { "Percent of Parent cpu_op busy time (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_DETAIL,
      .real = owner_share },
};

static void make_row(const void *of, size_t row, struct az_table *t)
{
    const struct listing *l = of;
    const struct kernel *k = &l->part->kernel[row];
    const bool owned = k->owner != NO_OWNER;
    az_put_row(t, &(struct kernel_row){ k, owned ? &l->part->owner[k->owner] : NULL, l });
}

static int finish(struct az_job *job, const struct az_ranks *ranks, void *const *parts)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < ranks->n; i++) {
        const struct part *p = parts[i];
        if (!p)
            continue;
        const long long rank = (long long)ranks->v[i].rank;
        struct az_sv id = az_arena_printf(job->arena, "kernels_%lld", rank),
                     title = az_arena_printf(job->arena, "Kernels of rank %lld", rank);
        struct az_table *t = id.p && title.p ? AZ_RECORD_TABLE(job->arena, id.p, title.p,
                                                               AZ_TABLE_WHOLE, kernel_columns)
                                             : NULL;
        struct listing *l = az_arena_alloc(job->arena, sizeof *l);
        if (!t || !l)
            return az_job_add(job, t, az_arena_error(job->arena));
        *l = (struct listing){ p, 1000 * ranks->v[i].ticks_per_ns };
        az_table_make(t, p->n, make_row, l);
        rc = az_job_add(job, t, rc);
    }
    return rc;
}

/* ---- the part as bytes ---- */

static bool part_valid(const void *of)
{
    const struct part *p = of;
    for (size_t i = 0; i < p->n; i++)
        if (p->kernel[i].owner != AZ_NO_ID && p->kernel[i].owner >= p->n_owners)
            return false;
    return true;
}
static const struct az_shape_field owner_fields[] = {
    AZ_PLAIN(struct owner, uid),     AZ_PLAIN(struct owner, name),
    AZ_PLAIN(struct owner, dims),    AZ_PLAIN(struct owner, types),
    AZ_PLAIN(struct owner, strides), AZ_PLAIN(struct owner, concrete),
    AZ_PLAIN(struct owner, file),    AZ_PLAIN(struct owner, count),
    AZ_PLAIN(struct owner, busy)
};
static const struct az_shape owner_shape = AZ_SHAPE(struct owner, owner_fields);
static const struct az_shape_field kernel_fields[] = {
    AZ_PLAIN(struct kernel, uid),   AZ_PLAIN(struct kernel, name),   AZ_PLAIN(struct kernel, owner),
    AZ_PLAIN(struct kernel, start), AZ_PLAIN(struct kernel, length), AZ_PLAIN(struct kernel, stream)
};
static const struct az_shape kernel_shape = AZ_SHAPE(struct kernel, kernel_fields);
static const struct az_shape_field part_fields[] = {
    AZ_NEST_OF(struct part, texts, az_tracelens_shape_texts),
    AZ_LIST_OF(struct part, owner, n_owners, owner_shape),
    AZ_LIST_OF(struct part, kernel, n, kernel_shape)
};
static const struct az_shape part_shape = AZ_SHAPE_IF(struct part, part_fields, part_valid);

const struct az_rank_analysis az_rank_analysis_kernels = {
    .name = "rank_kernels",
    .keeps_parts = true,
    .help = "all kernels of all ranks (all_kernels)",
    .needs = AZ_CAP_CALLTREE,
    .reduce = reduce,
    .shape = &part_shape,
    .finish = finish,
};
