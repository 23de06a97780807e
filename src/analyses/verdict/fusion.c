/* Rules about kernels that follow each other on a stream: unfused_attention, fusible_chain
 * (docs/verdict.md 3.5). */
#include <inttypes.h>
#include <math.h>

#include "analyses/verdict/verdict.h"
#include "base/human.h"
#include "base/num.h"
#include "facts/lazy_cache.h"
#include "model/optrace.h"
#include "perf/perf.h"

#define BETWEEN 10 /* kernels between the products of one attention */
#define NAMED   4  /* operators of a chain that are named */

struct sum {
    struct az_sv subject;
    int64_t count, ticks;
    double gain; /* ticks */
};
AZ_VEC(struct sum, sums);

struct shape { /* of an operator's arguments, by their row */
    bool known;
    double elements, bytes; /* of the largest tensor; bytes: of an element */
};

struct work {
    struct az_verdict *v;
    const struct az_calltree *tree; /* NULL: no operators */
    const struct az_link *link;
    struct shape *shape; /* by row of the arguments */
    uint8_t *product;    /* by name id of operators: 0 not examined, 1 no batched product, 2 one */
    double bandwidth;    /* bytes a tick that can be reached; NaN: unknown */
    struct az_map index;
    struct sums attention, chains;
    struct az_arena scratch; /* lists and subjects, up to the findings */
    /* of the stream that is walked */
    const uint32_t *row;
    size_t n;
};

/* ---- what a kernel is ---- */
static enum az_family family_of(const struct work *w, size_t i)
{
    const uint32_t name = w->v->t->ev[AZ_KERNEL].name[w->row[i]];
    return name == AZ_NO_ID ? AZ_FAMILY_OTHER : az_trace_class(w->v->t, name)->family;
}

static int64_t ticks_of(const struct work *w, size_t i)
{
    const struct az_events *e = &w->v->t->ev[AZ_KERNEL];
    return e->end[w->row[i]] - e->start[w->row[i]];
}

/* Operator that launched the kernel; AZ_NO_ROW. */
static uint32_t op_of(const struct work *w, size_t i)
{
    const uint32_t *of = w->link ? w->link->call[AZ_KERNEL] : NULL;
    const uint32_t call = of ? of[w->row[i]] : AZ_NO_ROW;
    return call == AZ_NO_ROW || !w->tree ? AZ_NO_ROW
                                         : az_node_op(w->tree, w->tree->first_call + call);
}

static struct az_sv name_of(const struct work *w, size_t i)
{
    const uint32_t op = op_of(w, i), name = w->v->t->ev[AZ_KERNEL].name[w->row[i]];
    return op != AZ_NO_ROW    ? az_node_name(w->tree, op)
           : name != AZ_NO_ID ? az_trace_text(w->v->t, name)
                              : AZ_SV("");
}

/* Product of the dimensions of the largest list of `[[4,8],[8]]`. */
static double largest(struct az_sv dims)
{
    double most = 0, product = 1, number = 0;
    bool digits = false, any = false;
    for (size_t i = 0; i < dims.n; i++) {
        const char c = dims.p[i];
        if (c >= '0' && c <= '9') {
            number = number * 10 + (c - '0');
            digits = any = true;
            continue;
        }
        if (digits)
            product *= number;
        number = 0;
        digits = false;
        if (c == ']' || c == '[') {
            most = any && product > most ? product : most;
            product = 1;
            any = false;
        }
    }
    return most;
}

/* First type of `["c10::BFloat16","float"]` that has a size. */
static double type_size(struct az_sv types)
{
    while (types.n) {
        const ptrdiff_t from = az_sv_find(types, AZ_SV("\""));
        if (from < 0)
            return NAN;
        types = az_sv_make(types.p + from + 1, types.n - (size_t)from - 1);
        const ptrdiff_t to = az_sv_find(types, AZ_SV("\""));
        if (to < 0)
            return NAN;
        const struct az_dtype *t = az_dtype_find(az_sv_make(types.p, (size_t)to));
        if (t->tensor && t->bytes > 0)
            return t->bytes;
        types = az_sv_make(types.p + to + 1, types.n - (size_t)to - 1);
    }
    return NAN;
}

static const struct shape *shape_of(struct work *w, size_t i)
{
    const uint32_t op = op_of(w, i);
    if (op == AZ_NO_ROW)
        return NULL;
    const struct az_optrace *o = az_optrace(w->v->t);
    const uint32_t side = az_op_side(w->v->t, op);
    const uint32_t args = side == AZ_NO_ROW ? AZ_NO_ROW : o->ops.v[side].args;
    if (args == AZ_NO_ROW)
        return NULL;
    struct shape *s = &w->shape[args];
    if (!s->known) {
        const struct az_op_args *a = &o->args.v[args];
        s->known = true;
        s->elements = a->dims == AZ_NO_ID ? 0 : largest(az_trace_text(w->v->t, a->dims));
        s->bytes = a->types == AZ_NO_ID ? NAN : type_size(az_trace_text(w->v->t, a->types));
    }
    return s->elements > 1 && s->bytes > 0 ? s : NULL;
}

/* ---- sums by subject ---- */
/* *fresh: its subject is to be made. */
static int add_sum(struct work *w, struct sums *to, uint64_t key, int64_t ticks, double gain,
                   struct sum **fresh)
{
    uint32_t *at;
    bool added;
    int rc = az_map_put(&w->index, key, to == &w->chains, (uint32_t)to->n, &at, &added);
    if (rc == 0 && added)
        rc = az_vec_push(to, ((struct sum){ .subject = AZ_SV("") }));
    if (rc)
        return rc;
    struct sum *s = &to->v[*at];
    s->count++;
    s->ticks += ticks;
    s->gain += gain;
    *fresh = added ? s : NULL;
    return 0;
}

/* Name id of the operator, else of the kernel. */
static uint64_t id_of(const struct work *w, size_t i)
{
    const uint32_t op = op_of(w, i);
    return op != AZ_NO_ROW ? w->v->t->ev[AZ_HOST_OP].name[op]
                           : w->v->t->ev[AZ_KERNEL].name[w->row[i]];
}

/* ---- attention ---- */
/* A product, and a batched one where operators are. */
static bool batched(const struct work *w, size_t i)
{
    if (family_of(w, i) != AZ_FAMILY_GEMM)
        return false;
    const uint32_t op = op_of(w, i),
                   id = op == AZ_NO_ROW ? AZ_NO_ID : w->v->t->ev[AZ_HOST_OP].name[op];
    if (id == AZ_NO_ID)
        return op == AZ_NO_ROW;
    if (!w->product[id]) {
        const struct az_sv name = az_trace_text(w->v->t, id);
        const bool is = az_sv_ifind(name, AZ_SV("bmm")) >= 0 ||
                        az_sv_ifind(name, AZ_SV("matmul")) >= 0 ||
                        az_sv_ifind(name, AZ_SV("einsum")) >= 0;
        w->product[id] = is ? 2 : 1;
    }
    return w->product[id] == 2;
}

/* From the product at `i` to the next over softmax, scale, masks and copies alone: the next; else
 * `i`. *softmax: where it is. */
static size_t attention_from(const struct work *w, size_t i, size_t *softmax)
{
    *softmax = SIZE_MAX;
    for (size_t k = i + 1; k < w->n && k <= i + BETWEEN; k++) {
        const enum az_family f = family_of(w, k);
        if (batched(w, k))
            return *softmax == SIZE_MAX ? i : k;
        if (f == AZ_FAMILY_SOFTMAX)
            *softmax = k;
        else if (f != AZ_FAMILY_ELEMENTWISE && f != AZ_FAMILY_COPY && f != AZ_FAMILY_RANDOM &&
                 f != AZ_FAMILY_FILL)
            return i;
    }
    return i;
}

static bool has_softmax(const struct work *w)
{
    for (size_t i = 0; i < w->n; i++)
        if (family_of(w, i) == AZ_FAMILY_SOFTMAX)
            return true;
    return false;
}

static int attentions(struct work *w)
{
    int rc = 0;
    if (!has_softmax(w))
        return 0;
    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        size_t softmax;
        if (!batched(w, i))
            continue;
        const size_t end = attention_from(w, i, &softmax);
        int64_t ticks = 0;
        for (size_t k = i + 1; k < end; k++)
            ticks += ticks_of(w, k);
        struct sum *fresh = NULL;
        if (end > i)
            rc = add_sum(w, &w->attention, id_of(w, softmax), ticks, (double)ticks, &fresh);
        if (fresh)
            fresh->subject = az_arena_printf(&w->scratch, "%.*s between two batched GEMMs",
                                             AZ_SVF(az_verdict_short(name_of(w, softmax))));
    }
    return rc;
}

/* ---- chains ---- */
static bool simple(enum az_family f)
{
    return f == AZ_FAMILY_ELEMENTWISE || f == AZ_FAMILY_COPY || f == AZ_FAMILY_NORM;
}

static struct az_sv chain_name(struct work *w, size_t from, size_t to, double elements)
{
    struct az_arena *a = &w->scratch;
    struct az_sv text = AZ_SV("");
    char n[AZ_HUMAN_MAX];
    for (size_t i = from; i < to && i < from + NAMED; i++) {
        const struct az_sv name = name_of(w, i);
        text = az_arena_printf(a, "%.*s%s%.*s", AZ_SVF(text), i > from ? ", " : "",
                               (int)(name.n < 40 ? name.n : 40), name.p);
    }
    az_human_count((int64_t)elements, n);
    if (to - from > NAMED)
        text = az_arena_printf(a, "%.*s and %zu more", AZ_SVF(text), to - from - NAMED);
    return az_arena_printf(a, "%.*s over %s elements", AZ_SVF(text), n);
}

static int one_chain(struct work *w, size_t from, size_t to, const struct shape *s)
{
    int64_t ticks = 0, longest = 0;
    uint64_t key = (uint64_t)s->elements;
    struct sum *fresh = NULL;
    if (to - from < 2)
        return 0;
    for (size_t i = from; i < to; i++) {
        key = (key ^ id_of(w, i)) * UINT64_C(0x9e3779b97f4a7c15);
        ticks += ticks_of(w, i);
        longest = ticks_of(w, i) > longest ? ticks_of(w, i) : longest;
    }
    const double between = 2 * (double)(to - from - 1) * s->elements * s->bytes;
    double gain = (double)(ticks - longest);
    if (!isnan(w->bandwidth) && between / w->bandwidth < gain)
        gain = between / w->bandwidth;
    const int rc = add_sum(w, &w->chains, key, ticks, gain, &fresh);
    if (fresh)
        fresh->subject = chain_name(w, from, to, s->elements);
    return rc;
}

static int chains(struct work *w)
{
    const struct shape *of = NULL;
    size_t from = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < w->n; i++) {
        const struct shape *s = simple(family_of(w, i)) ? shape_of(w, i) : NULL;
        /* the kernels of one operator (a compiled program, a launch of a graph) have its arguments
         * together, not each */
        if (of && s && s->elements == of->elements && op_of(w, i) != op_of(w, i - 1))
            continue;
        if (of)
            rc = one_chain(w, from, i, of);
        of = s;
        from = i;
    }
    return rc == 0 && of ? one_chain(w, from, w->n, of) : rc;
}

/* ---- streams ---- */
static int streams(struct work *w)
{
    const struct az_trace *t = w->v->t;
    const struct az_events *e = &t->ev[AZ_KERNEL];
    struct az_arena *a = &w->scratch;
    if (!w->tree && !az_name_classes_have(&t->classes, AZ_FAMILY_SOFTMAX))
        return 0; /* no attention, no operators */
    uint32_t *first = az_arena_array(a, t->lanes.n + 2, sizeof *first);
    uint32_t *row = az_arena_array(a, e->n + 1, sizeof *row);
    int rc = first && row ? 0 : az_arena_error(a);
    for (size_t i = 0; rc == 0 && i < e->n; i++)
        first[e->lane[i] + 2]++;
    for (size_t k = 2; rc == 0 && k < t->lanes.n + 2; k++)
        first[k] += first[k - 1];
    for (uint32_t i = 0; rc == 0 && i < e->n; i++)
        row[first[e->lane[i] + 1]++] = i;
    for (size_t k = 0; rc == 0 && k < t->lanes.n; k++) {
        w->row = row + first[k];
        w->n = first[k + 1] - first[k];
        rc = attentions(w);
        if (rc == 0 && w->tree)
            rc = chains(w);
    }
    return rc;
}

static int emit_finding(struct work *w, const char *rule, const struct sums *sums)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sums->n; i++) {
        const struct sum *s = &sums->v[i];
        const struct az_verdict_found f = { .subject = s->subject,
                                            .detail = AZ_SV(""),
                                            .row = AZ_SV(""),
                                            .count = s->count,
                                            .ns = az_verdict_ns(w->v, s->ticks),
                                            .gain = az_verdict_ns(w->v, llround(s->gain)) };
        rc = az_verdict_add(w->v, rule, &f);
    }
    return rc;
}

int az_verdict_find_chains(struct az_verdict *v)
{
    struct work w = { .v = v, .bandwidth = v->bandwidth / (double)v->t->ticks_per_ns };
    int rc = 0;
    az_arena_init(&w.scratch, v->job->mem);
    if (v->t->caps & AZ_CAP_CALLTREE) {
        w.tree = az_tree(v->t);
        w.link = az_job_link(v->job, v->trace, &rc);
        w.shape = az_arena_array(&w.scratch, az_optrace(v->t)->args.n + 1, sizeof *w.shape);
        w.product = az_arena_array(&w.scratch, v->t->names.text.n + 1, 1);
        rc = rc ? rc : w.shape && w.product ? 0 : az_arena_error(&w.scratch);
    }
    az_vec_init(&w.attention, v->job->mem);
    az_vec_init(&w.chains, v->job->mem);
    az_map_init(&w.index, v->job->mem, 16);
    if (rc == 0)
        rc = streams(&w);
    if (rc == 0 && w.scratch.failed) /* a subject */
        rc = az_arena_error(&w.scratch);
    if (rc == 0)
        rc = emit_finding(&w, "unfused_attention", &w.attention);
    if (rc == 0)
        rc = emit_finding(&w, "fusible_chain", &w.chains);
    az_map_release(&w.index);
    az_vec_release(&w.attention);
    az_vec_release(&w.chains);
    az_arena_release(&w.scratch);
    return rc;
}
