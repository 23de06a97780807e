/* One rank's operators of the groups, reduced to a row for each name and parameters. */
#include "compat/tracelens/sheets_ops.h"

#include "analyses/operators/metrics.h"
#include "base/num.h"
#include "facts/lazy_cache.h"

/* What was found of an operation. */
struct seen {
    uint32_t name, kernel; /* name ids */
    uint32_t row;
    bool again; /* holds for all of that name, arguments and kernel */
    double flops, bytes;
};

struct work {
    struct az_job *job;
    struct az_arena *keep;
    struct az_framework *fw;
    struct az_framework_metrics *metrics;
    struct az_tracelens_ops_part *part;
    struct az_tracelens_texts texts;
    struct az_tracelens_ops ops;
    struct az_tracelens_kernels kernels;
    struct az_map op_of,
        kernel_of; /* (name, parameters) -> op; (op, name and occurrence) -> kernel */
    struct az_spans spans;
    uint8_t *sheet; /* name id -> sheet + 1; 0: none */
    /* Name id -> 1 if a kernel of that name only moves data, else 2; 0: not known. */
    uint8_t *moves;
    uint32_t *stamp, *occurrences; /* name id -> operation it was last seen in, times seen there */
    uint32_t operation;
    struct seen *seen; /* by arguments: the last one with one kernel */
};

/* Sheet of every operator name that occurs. */
static int find_sheets(struct work *w)
{
    struct az_tracelens_words words;
    const struct az_events *e = &w->fw->trace->ev[AZ_HOST_OP];
    const size_t names = w->fw->trace->names.text.n;
    const int rc = az_tracelens_words(AZ_TRACELENS_SHEET, w->job->arena, &words);
    if (rc)
        return rc;
    for (size_t i = 0; i < e->n; i++)
        if (e->name[i] < names)
            w->sheet[e->name[i]] = UINT8_MAX;
    for (size_t i = 0; i < names; i++) {
        if (!w->sheet[i])
            continue;
        uint32_t in = az_tracelens_sets(&words, az_trace_text(w->fw->trace, (uint32_t)i));
        for (w->sheet[i] = in != 0; in > 1 && !(in & 1); in >>= 1) /* the first of several */
            w->sheet[i]++;
    }
    return 0;
}

static bool moves(struct work *w, uint32_t name)
{
    if (name == AZ_NO_ID)
        return false;
    if (!w->moves[name])
        w->moves[name] = az_tracelens_moves(az_trace_text(w->fw->trace, name)) ? 1 : 2;
    return w->moves[name] == 1;
}

/* Lengths (ticks) of the unions of the device events linked[first..end): of all, and without those
 * that only move data.
 */
static int times_of(struct work *w, uint32_t first, uint32_t end, int64_t out[2])
{
    const uint32_t *linked = w->fw->tree->linked;
    if (end - first == 1) { /* most have one */
        const struct az_event e = az_gpu_event(w->fw->tree, linked[first]);
        out[0] = e.end - e.start;
        out[1] = moves(w, e.name) ? 0 : out[0];
        return 0;
    }
    for (int all = 1; all >= 0; all--) {
        int rc = 0;
        az_vec_reset(&w->spans);
        for (uint32_t i = first; rc == 0 && i < end; i++) {
            const struct az_event e = az_gpu_event(w->fw->tree, linked[i]);
            if (all || !moves(w, e.name))
                rc = az_vec_push(&w->spans, ((struct az_span){ e.start, e.end }));
        }
        az_spans_sort(&w->spans);
        if (rc)
            return rc;
        az_spans_union(&w->spans);
        out[!all] = az_spans_length(&w->spans);
    }
    return 0;
}

static uint32_t text_id(struct work *w, uint32_t name)
{
    return name == AZ_NO_ID ? AZ_NO_ID
                            : az_tracelens_text(&w->texts, az_trace_text(w->fw->trace, name));
}

/* The parameters, with all that they point to. */
static int keep_params(struct work *w, const struct az_framework_estimate *e,
                       struct az_tracelens_op *op)
{
    struct az_perf_param param[AZ_PERF_PARAMS];
    const unsigned n = az_framework_params_of(e, param);
    struct az_perf_param *own = az_tracelens_copy_array(w->keep, param, n, sizeof *own);
    if (!own)
        return az_arena_error(w->keep);
    for (unsigned i = 0; i < n; i++) {
        own[i].name = az_rank_text(w->job, w->keep, az_sv_str(own[i].name)).p;
        own[i].text =
            own[i].text.p ? az_rank_text(w->job, w->keep, own[i].text) : az_sv_make("", 0);
        if (!own[i].name || !own[i].text.p)
            return az_arena_error(w->keep);
    }
    op->param = own;
    op->n_params = n;
    return 0;
}

static int new_op(struct work *w, uint32_t node, const struct az_framework_estimate *e)
{
    const struct az_event v = az_framework_node(w->fw, node);
    const struct az_op_args *a = az_framework_args(w->fw, node);
    struct az_tracelens_op op = {
        .sheet = w->sheet[v.name] - 1u, .flops = e->flops, .bytes = e->bytes, .uid = (int64_t)v.uid
    };
    op.name = text_id(w, v.name);
    op.params = az_tracelens_text(&w->texts, e->params);
    op.dims = text_id(w, a->dims);
    op.types = text_id(w, a->types);
    op.strides = text_id(w, a->strides);
    op.concrete = text_id(w, a->concrete);
    const int rc = w->texts.ids.error ? w->texts.ids.error : keep_params(w, e, &op);
    return rc ? rc : az_vec_push(&w->ops, op);
}

/* Row of the kernels of a name that are the `occurrence`-th of it in an operation. */
static int kernel_row(struct work *w, uint32_t op, uint32_t name, uint32_t occurrence,
                      const struct az_event *e, uint32_t *row)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->kernel_of, (uint64_t)op << 32 | occurrence, name,
                        (uint32_t)w->kernels.n, &at, &added);
    if (rc)
        return rc;
    *row = *at;
    if (!added)
        return 0;
    struct az_tracelens_kernel k = { .op = op,
                                     .occurrence = occurrence,
                                     .stream = az_lane_stream(w->fw->trace, e->lane),
                                     .min = INT64_MAX,
                                     .max = INT64_MIN };
    k.name = text_id(w, e->name);
    return az_vec_push(&w->kernels, k);
}

static int add_kernels(struct work *w, uint32_t op, uint32_t first, uint32_t end)
{
    const struct az_trace *t = w->fw->trace;
    w->operation++;
    for (uint32_t i = first; i < end; i++) {
        const struct az_event e = az_gpu_event(w->fw->tree, w->fw->tree->linked[i]);
        const uint32_t name = e.name == AZ_NO_ID ? (uint32_t)t->names.text.n : e.name;
        const int64_t ns = az_ns(t, e.end - e.start);
        uint32_t row;
        if (w->stamp[name] != w->operation)
            w->occurrences[name] = 0;
        w->stamp[name] = w->operation;
        int rc = kernel_row(w, op, name, w->occurrences[name]++, &e, &row);
        if (rc)
            return rc;
        struct az_tracelens_kernel *k = &w->kernels.v[row];
        k->sum = az_add_sat(k->sum, ns);
        k->min = ns < k->min ? ns : k->min;
        k->max = ns > k->max ? ns : k->max;
        az_moments_add(&k->of, (double)ns);
    }
    return 0;
}

static void add_rate(struct az_moments *m, double amount, int64_t ns)
{
    if (ns > 0 && isfinite(amount))
        az_moments_add(m, amount / ((double)ns * 1e-9));
}

/* Row and work of an operation; *row AZ_NO_ROW: it has no estimate, which is counted. */
static int row_of(struct work *w, uint32_t node, struct seen *out)
{
    struct az_framework_estimate e;
    uint32_t *at;
    bool added;
    int rc = az_framework_estimate(w->metrics, node, false, &e);
    out->row = AZ_NO_ROW;
    if (rc)
        return rc;
    if (!e.perf || e.perf->why || !e.params.n) {
        struct az_tracelens_failed *f = &w->part->failed[w->sheet[out->name] - 1];
        f->why = f->n++    ? f->why
                 : !e.perf ? "no model for this operator"
                 : e.why   ? e.why
                           : "no parameters";
        return 0;
    }
    rc = az_map_put(&w->op_of, out->name, az_framework_params_hash(&e), (uint32_t)w->ops.n, &at,
                    &added);
    if (rc)
        return rc;
    out->row = *at;
    out->flops = e.flops;
    out->bytes = e.bytes;
    /* a model of inference attention checks the step around the operation too */
    out->again = !az_sv_is(e.model->family, "InferenceAttention");
    return added ? new_op(w, node, &e) : 0;
}

/* The same, remembered by arguments for operations with one kernel: an equal name and kernel make
 * an equal estimate. */
static int find_row(struct work *w, uint32_t node, uint32_t args, uint32_t first, uint32_t end,
                    struct seen *out)
{
    const uint32_t name = az_framework_node(w->fw, node).name;
    const uint32_t kernel =
        end - first == 1 ? az_gpu_event(w->fw->tree, w->fw->tree->linked[first]).name : AZ_NO_ID;
    struct seen *known = &w->seen[args];
    if (kernel != AZ_NO_ID && known->again && known->name == name && known->kernel == kernel) {
        *out = *known;
        return 0;
    }
    *out = (struct seen){ .name = name, .kernel = kernel };
    int rc = row_of(w, node, out);
    if (rc == 0 && kernel != AZ_NO_ID && out->row != AZ_NO_ROW)
        *known = *out;
    return rc;
}

static int add_node(struct work *w, uint32_t node)
{
    const struct az_op_args *a = az_framework_args(w->fw, node);
    uint32_t first, end;
    int64_t ticks[2];
    struct seen s;
    if (!a || a->dims == AZ_NO_ID)
        return 0;
    az_node_gpu(w->fw->tree, node, &first, &end);
    int rc = find_row(w, node, (uint32_t)(a - w->fw->ops->args.v), first, end, &s);
    if (rc || s.row == AZ_NO_ROW)
        return rc;
    rc = times_of(w, first, end, ticks);
    if (rc)
        return rc;
    struct az_tracelens_op *op = &w->ops.v[s.row];
    const int64_t time = az_ns(w->fw->trace, ticks[0]), other = az_ns(w->fw->trace, ticks[1]);
    op->time = az_add_sat(op->time, time);
    op->other_time = az_add_sat(op->other_time, other);
    az_moments_add(&op->of_time, (double)time);
    add_rate(&op->byte_rate, s.bytes, time);
    add_rate(&op->flop_rate, s.flops, time);
    add_rate(&op->other_rate, s.flops, other);
    return add_kernels(w, s.row, first, end);
}

static int open_work(struct work *w)
{
    const size_t names = w->fw->trace->names.text.n + 1;
    struct az_arena *a = w->job->arena;
    int rc;
    w->metrics = az_framework_metrics_get(w->job, w->fw, &rc);
    w->part = az_arena_alloc(w->keep, sizeof *w->part);
    w->sheet = az_arena_array(a, names, 1);
    w->moves = az_arena_array(a, names, 1);
    w->stamp = az_arena_array(a, names, sizeof *w->stamp);
    w->occurrences = az_arena_array(a, names, sizeof *w->occurrences);
    w->seen = az_arena_array(a, w->fw->ops->args.n + 1, sizeof *w->seen);
    if (rc == 0 && (!w->part || !w->seen || !w->sheet || !w->moves || !w->stamp || !w->occurrences))
        rc = az_arena_error(a);
    az_tracelens_texts_init(&w->texts, w->job);
    az_map_init(&w->op_of, w->job->mem, 64);
    az_map_init(&w->kernel_of, w->job->mem, 64);
    az_vec_init(&w->ops, w->job->mem);
    az_vec_init(&w->kernels, w->job->mem);
    az_vec_init(&w->spans, w->job->mem);
    return rc;
}

static int keep_part(struct work *w)
{
    struct az_tracelens_ops_part *p = w->part;
    p->n_ops = w->ops.n;
    p->n_kernels = w->kernels.n;
    p->op = az_tracelens_copy_array(w->keep, w->ops.v, p->n_ops, sizeof *p->op);
    p->kernel = az_tracelens_copy_array(w->keep, w->kernels.v, p->n_kernels, sizeof *p->kernel);
    if (!p->op || !p->kernel)
        return az_arena_error(w->keep);
    return az_tracelens_texts_intern(&w->texts, w->job, w->keep, &p->texts);
}

int az_tracelens_ops_reduce(struct az_job *job, struct az_arena *keep_in, void **part)
{
    int rc;
    struct work w = { .job = job, .keep = keep_in, .fw = az_framework_get(job, &rc) };
    if (!w.fw)
        return rc;
    rc = open_work(&w);
    if (rc == 0)
        rc = find_sheets(&w);
    for (uint32_t n = 0; rc == 0 && n < w.fw->tree->first_call; n++) {
        const uint32_t name = w.fw->trace->ev[AZ_HOST_OP].name[n];
        if (name != AZ_NO_ID && w.sheet[name])
            rc = add_node(&w, n);
    }
    if (rc == 0)
        rc = keep_part(&w);
    az_tracelens_texts_release(&w.texts);
    az_map_release(&w.op_of);
    az_map_release(&w.kernel_of);
    az_vec_release(&w.ops);
    az_vec_release(&w.kernels);
    az_vec_release(&w.spans);
    if (rc == 0)
        *part = w.part;
    return rc;
}

/* ---- the part as bytes ---- */

static bool param_valid(const void *of)
{
    return (unsigned)((const struct az_perf_param *)of)->kind <= AZ_PARAM_NONE &&
           ((const struct az_perf_param *)of)->name;
}
static bool op_valid(const void *of)
{
    return ((const struct az_tracelens_op *)of)->sheet < AZ_TRACELENS_GROUPS;
}
static bool part_valid(const void *of)
{
    const struct az_tracelens_ops_part *p = of;
    for (size_t i = 0; i < p->n_kernels; i++)
        if (p->kernel[i].op >= p->n_ops)
            return false;
    return true;
}
static const struct az_shape_field moments_fields[] = { AZ_PLAIN(struct az_moments, n),
                                                        AZ_PLAIN(struct az_moments, mean),
                                                        AZ_PLAIN(struct az_moments, m2) };
static const struct az_shape moments_shape = AZ_SHAPE(struct az_moments, moments_fields);
static const struct az_shape_field param_fields[] = { AZ_WORD_OF(struct az_perf_param, name),
                                                      AZ_PLAIN(struct az_perf_param, kind),
                                                      AZ_PLAIN(struct az_perf_param, number),
                                                      AZ_TEXT_OF(struct az_perf_param, text) };
static const struct az_shape param_shape =
    AZ_SHAPE_IF(struct az_perf_param, param_fields, param_valid);
static const struct az_shape_field op_fields[] = {
    AZ_PLAIN(struct az_tracelens_op, sheet),
    AZ_PLAIN(struct az_tracelens_op, name),
    AZ_PLAIN(struct az_tracelens_op, params),
    AZ_LIST_OF(struct az_tracelens_op, param, n_params, param_shape),
    AZ_PLAIN(struct az_tracelens_op, flops),
    AZ_PLAIN(struct az_tracelens_op, bytes),
    AZ_PLAIN(struct az_tracelens_op, dims),
    AZ_PLAIN(struct az_tracelens_op, types),
    AZ_PLAIN(struct az_tracelens_op, strides),
    AZ_PLAIN(struct az_tracelens_op, concrete),
    AZ_PLAIN(struct az_tracelens_op, uid),
    AZ_PLAIN(struct az_tracelens_op, time),
    AZ_PLAIN(struct az_tracelens_op, other_time),
    AZ_NEST_OF(struct az_tracelens_op, of_time, moments_shape),
    AZ_NEST_OF(struct az_tracelens_op, byte_rate, moments_shape),
    AZ_NEST_OF(struct az_tracelens_op, flop_rate, moments_shape),
    AZ_NEST_OF(struct az_tracelens_op, other_rate, moments_shape)
};
static const struct az_shape op_shape = AZ_SHAPE_IF(struct az_tracelens_op, op_fields, op_valid);
static const struct az_shape_field kernel_fields[] = {
    AZ_PLAIN(struct az_tracelens_kernel, op),
    AZ_PLAIN(struct az_tracelens_kernel, name),
    AZ_PLAIN(struct az_tracelens_kernel, occurrence),
    AZ_PLAIN(struct az_tracelens_kernel, stream),
    AZ_PLAIN(struct az_tracelens_kernel, sum),
    AZ_PLAIN(struct az_tracelens_kernel, min),
    AZ_PLAIN(struct az_tracelens_kernel, max),
    AZ_NEST_OF(struct az_tracelens_kernel, of, moments_shape)
};
static const struct az_shape kernel_shape = AZ_SHAPE(struct az_tracelens_kernel, kernel_fields);
static const struct az_shape_field failed_fields[] = {
    AZ_PLAIN(struct az_tracelens_failed, n), AZ_WORD_OF(struct az_tracelens_failed, why)
};
static const struct az_shape failed_shape = AZ_SHAPE(struct az_tracelens_failed, failed_fields);
static const struct az_shape_field part_fields[] = {
    AZ_NEST_OF(struct az_tracelens_ops_part, texts, az_tracelens_shape_texts),
    AZ_LIST_OF(struct az_tracelens_ops_part, op, n_ops, op_shape),
    AZ_LIST_OF(struct az_tracelens_ops_part, kernel, n_kernels, kernel_shape),
    AZ_NESTS_OF(struct az_tracelens_ops_part, failed, failed_shape)
};
const struct az_shape az_tracelens_ops_shape =
    AZ_SHAPE_IF(struct az_tracelens_ops_part, part_fields, part_valid);
