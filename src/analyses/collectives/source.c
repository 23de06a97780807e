/* Arguments of a collective kernel: the kernel's own arguments; else those of the operation
 * that launched it or of the annotation around the launch; else its name.
 * docs/formulas-collectives.md 1. */
#include "analyses/collectives/collectives.h"
#include "analyses/collectives/payload.h"
#include "analyses/collectives/rank_list.h"
#include "base/num.h"
#include "model/link.h"
#include "model/optrace.h"
#include "model/xtrace.h"
#include "text/jsonscan.h"

struct note { /* an annotation nccl:<op> */
    uint32_t lane, row;
};
AZ_VEC(struct note, notes);

/* By what a description is known within a part. */
struct key {
    struct az_coll_args args; /* seq: not set */
    uint32_t dims, types;     /* of the annotation or operation */
    uint32_t name;            /* annotation's, or the kernel's where only its name has it */
    uint32_t source;
    uint64_t comm;   /* of a payload, as is bytes; 0: none */
    uint64_t groups; /* of a program: place in `groups` + 1; 0: none */
    int64_t bytes;
};
AZ_VEC(struct az_coll_what, whats);

struct az_coll_reader {
    struct az_job *job;
    const struct az_trace *t;
    const struct az_optrace *o; /* NULL: no framework trace */
    struct az_arena *keep;
    struct az_link link;
    struct az_coll_payloads *payloads; /* NULL: none */
    uint32_t *gpu_of;                  /* kernel row -> gpu number of the call tree */
    struct notes notes;
    const struct az_xtrace *x; /* NULL: no trace of compiled programs */
    uint32_t *groups_of;       /* row of x->hlo -> place in `groups` + 1; 0: not looked up yet */
    struct az_intern groups;   /* replica groups: "[[0,2],[1,3]]"; "": one group of all */
    struct az_map rows;
    struct whats whats;
};

static const struct az_coll_args nothing = { AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, AZ_NO_ID, AZ_NO_ID,
                                             AZ_NO_ID, AZ_NO_ID, -1,       -1 };

static int index_kernels(struct az_coll_reader *s)
{
    const struct az_calltree *c = s->o->tree;
    s->gpu_of = az_arena_array(s->job->arena, s->t->ev[AZ_KERNEL].n + 1, sizeof *s->gpu_of);
    if (!s->gpu_of)
        return az_arena_error(s->job->arena);
    for (uint32_t g = 0; g < c->n_gpu; g++)
        if (c->gpu_kind[g] == AZ_KERNEL)
            s->gpu_of[c->gpu_row[g]] = g;
    return 0;
}

/* Annotations are sorted by start; those of one lane are found by going back from a place. */
static int list_notes(struct az_coll_reader *s)
{
    const struct az_events *r = &s->t->ev[AZ_RANGE];
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < r->n; i++)
        if (r->name[i] != AZ_NO_ID && az_sv_starts(az_trace_text(s->t, r->name[i]), AZ_SV("nccl:")))
            rc = az_vec_push(&s->notes, ((struct note){ .lane = r->lane[i], .row = i }));
    return rc;
}

int az_coll_source_open(struct az_coll_reader **out, struct az_job *job, struct az_arena *keep)
{
    struct az_coll_reader *s = az_arena_alloc(job->arena, sizeof *s);
    *out = s;
    if (!s)
        return az_arena_error(job->arena);
    s->job = job;
    s->t = job->traces[0];
    s->keep = keep;
    az_vec_init(&s->notes, job->mem);
    az_vec_init(&s->whats, job->mem);
    int rc = 0;
    az_map_init(&s->rows, job->mem, 64);
    az_intern_init(&s->groups, job->arena, job->mem);
    if (s->t->caps & AZ_CAP_PROGRAMS) {
        s->x = az_xtrace(s->t);
        s->groups_of = az_arena_array(job->arena, s->x->hlo.n + 1, sizeof *s->groups_of);
        rc = s->groups_of ? 0 : az_arena_error(job->arena);
    }
    if (rc)
        return rc;
    if (s->t->caps & AZ_CAP_CALLTREE) {
        s->o = az_optrace(s->t);
        rc = index_kernels(s);
        return rc ? rc : list_notes(s);
    }
    if (!(s->t->caps & AZ_CAP_CALLS))
        return 0;
    s->payloads = az_coll_payloads_of(s->t, job->arena, &rc);
    const struct az_link *link = rc ? NULL : az_job_link(job, 0, &rc);
    if (link)
        s->link = *link;
    return rc;
}

int az_coll_source_close(struct az_coll_reader *s, struct az_coll_part *part)
{
    int rc = 0;
    if (!s)
        return 0;
    part->what = az_arena_array(s->keep, s->whats.n + 1, sizeof *part->what);
    if (!part->what)
        rc = az_arena_error(s->keep);
    else if (s->whats.n)
        memcpy(part->what, s->whats.v, s->whats.n * sizeof *part->what);
    part->n_what = s->whats.n;
    az_map_release(&s->rows);
    az_intern_release(&s->groups);
    az_vec_release(&s->whats);
    az_vec_release(&s->notes);
    return rc;
}

/* ---- texts of arguments ---- */
/* "[2, 3]" -> 6; -1 if it is no flat list of counts. */
static int64_t product(struct az_sv dims)
{
    struct az_jview v;
    struct az_sv x;
    int64_t n = 1, d;
    if (!az_jview_array(&v, dims))
        return -1;
    while (az_jview_next(&v, &x))
        if (az_parse_i64(x, &d) || d < 0 || __builtin_mul_overflow(n, d, &n))
            return -1;
    return n;
}

bool az_coll_tensor_size(struct az_sv dims, struct az_sv types, int64_t *nelems,
                         struct az_sv *dtype)
{
    struct az_jview d, t;
    struct az_sv dim, type;
    *dtype = AZ_SV("");
    *nelems = 0;
    if (!az_jview_array(&d, dims) || !az_jview_array(&t, types))
        return false;
    while (az_jview_next(&d, &dim) && az_jview_next(&t, &type)) {
        if (type.n >= 2 && type.p[0] == '"')
            type = az_sv_make(type.p + 1, type.n - 2);
        const struct az_sv known = az_coll_dtype_of(type);
        const int64_t n = product(dim);
        if (!known.n || n < 0)
            continue;
        if (dtype->n && !az_sv_eq(known, *dtype))
            return false; /* of several types: no one size */
        *dtype = known;
        if (__builtin_add_overflow(*nelems, n, nelems))
            return false;
    }
    return dtype->n > 0;
}

static int64_t count_of(const struct az_coll_reader *s, uint32_t id)
{
    int64_t v;
    return id != AZ_NO_ID && az_parse_i64(az_trace_text(s->t, id), &v) == 0 && v >= 0 ? v : -1;
}

static int keep_text(struct az_coll_reader *s, struct az_sv text, struct az_sv *out)
{
    *out = az_rank_text(s->job, s->keep, text);
    return out->p ? 0 : az_arena_error(s->keep);
}

/* The ranks of a group, packed. */
static int keep_ranks(struct az_coll_reader *s, struct az_sv text, struct az_sv *out)
{
    char room[AZ_RANK_LIST_PACKED];
    struct az_sv packed;
    return keep_text(s, az_rank_list_pack(text, room, &packed) ? packed : text, out);
}

static struct az_sv text_of(const struct az_coll_reader *s, uint32_t id)
{
    return id == AZ_NO_ID ? AZ_SV("") : az_trace_text(s->t, id);
}

/* ---- groups of a program ---- */
static int put_groups(const struct az_hlo_op *op, struct az_vec_char *out)
{
    const struct az_hlo_dims *g = op->groups;
    int rc = 0;
    for (size_t i = 0; rc == 0 && op->n_groups > 1 && i < op->n_groups; i++) {
        rc = az_text_printf(out, "%s", i ? ",[" : "[[");
        for (size_t m = 0; rc == 0 && m < g[i].n; m++)
            rc = az_text_printf(out, m ? ",%lld" : "%lld", (long long)g[i].v[m]);
        rc = rc ? rc : az_text_printf(out, "%s", i + 1 < op->n_groups ? "]" : "]]");
    }
    return rc;
}

/* The replica groups of the operation of a kernel: *place in s->groups + 1; 0: it has none. */
static int groups_at(struct az_coll_reader *s, uint32_t row, uint64_t *place)
{
    const uint64_t node = s->t->ev[AZ_KERNEL].node ? s->t->ev[AZ_KERNEL].node[row] : 0;
    const uint32_t hlo = node ? s->x->rows.v[node - 1].hlo : AZ_NO_ROW;
    *place = 0;
    if (hlo == AZ_NO_ROW)
        return 0;
    int rc = 0;
    if (!s->groups_of[hlo]) {
        struct az_vec_char text;
        uint32_t id;
        az_vec_init(&text, s->job->mem);
        rc = put_groups(&s->x->hlo.v[hlo], &text);
        if (rc == 0)
            rc = az_intern(&s->groups, az_sv_make(text.v ? text.v : "", text.n), &id);
        az_vec_release(&text);
        if (rc)
            return rc;
        s->groups_of[hlo] = id + 1;
    }
    const uint32_t at = s->groups_of[hlo];
    *place = az_intern_text(&s->groups, at - 1).n ? at : 0;
    return 0;
}

/* ---- where it is recorded ---- */
static uint32_t call_row(const struct az_coll_reader *s, uint32_t row, uint32_t *node)
{
    *node = AZ_NO_ROW;
    if (s->o) {
        const uint32_t gpu = s->gpu_of[row], call = s->o->tree->gpu_call[gpu];
        *node = s->o->tree->gpu_node[gpu];
        return call == AZ_NO_ROW ? AZ_NO_ROW : call - s->o->tree->first_call;
    }
    return s->link.call[AZ_KERNEL] ? s->link.call[AZ_KERNEL][row] : AZ_NO_ROW;
}

/* The annotation around a call, the innermost; AZ_NO_ROW. */
static uint32_t note_of(const struct az_coll_reader *s, uint32_t call)
{
    const struct az_events *c = &s->t->ev[AZ_CALL], *r = &s->t->ev[AZ_RANGE];
    size_t low = 0, high = s->notes.n;
    while (low < high) { /* first that starts after the call */
        const size_t mid = low + (high - low) / 2;
        if (r->start[s->notes.v[mid].row] <= c->start[call])
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t tries = 0; low > 0 && tries < 64;
         tries++) { /* annotations of other threads are between */
        const struct note *n = &s->notes.v[--low];
        if (n->lane == c->lane[call] && r->end[n->row] >= c->start[call])
            return n->row;
    }
    return AZ_NO_ROW;
}

/* The operation record_param_comms above a call; AZ_NO_ROW. */
static uint32_t comms_op(const struct az_coll_reader *s, uint32_t node)
{
    const struct az_calltree *c = s->o->tree;
    for (; node != AZ_NO_ROW; node = c->parent[node])
        if (node < c->first_call &&
            az_sv_starts(az_node_name(c, node), AZ_SV("record_param_comms")))
            return node;
    return AZ_NO_ROW;
}

/* Fields that the operation has and the kernel lacks. */
static void from_operation(const struct az_coll_reader *s, uint32_t op, struct key *k, int64_t *seq)
{
    const struct az_events *e = &s->t->ev[AZ_HOST_OP];
    const struct az_coll_source *source = az_optrace_coll_source(s->o, e->uid[op]);
    if (source && source->coll != AZ_NO_ROW) {
        const struct az_coll_args *a = &s->o->colls.v[source->coll];
        *seq = *seq < 0 ? a->seq : *seq;
        k->args.peer = k->args.peer < 0 ? a->peer : k->args.peer;
        if (k->args.name == AZ_NO_ID && a->name != AZ_NO_ID) {
            k->args = *a;
            k->source = 1;
        }
    }
    const uint32_t side = az_op_side(s->t, op);
    if (k->args.name != AZ_NO_ID || side == AZ_NO_ROW || s->o->ops.v[side].args == AZ_NO_ROW)
        return;
    const struct az_op_args *a = &s->o->args.v[s->o->ops.v[side].args];
    k->dims = a->dims;
    k->types = a->types;
    k->source = 1;
}

static void from_note(const struct az_coll_reader *s, uint32_t row, struct key *k)
{
    const struct az_events *r = &s->t->ev[AZ_RANGE];
    const struct az_coll_source *source = az_optrace_coll_source(s->o, r->uid[row]);
    if (!source || source->args == AZ_NO_ROW)
        return;
    k->dims = s->o->args.v[source->args].dims;
    k->types = s->o->args.v[source->args].types;
    k->name = r->name[row];
    k->source = 2;
}

static const char *const sources[] = { "kernel", "operation", "annotation", "kernel name",
                                       AZ_COLL_FROM_PAYLOAD };
enum { FROM_NAME = 3, FROM_PAYLOAD };

/* Sizes of a payload are bytes of what its call was given. */
static void payload_sizes(struct az_coll_reader *s, const struct key *k, struct az_coll_what *w,
                          struct az_sv *dtype)
{
    int64_t all;
    const int64_t n = az_coll_payload_ranks(s->payloads, k->comm);
    if (n <= 0 || __builtin_mul_overflow(k->bytes, n, &all))
        all = -1;
    w->size = n;
    w->in = w->kind == AZ_COLL_REDUCESCATTER ? all : k->bytes;
    w->out = w->kind == AZ_COLL_ALLGATHER ? all : k->bytes;
    *dtype = AZ_SV("Byte");
    w->group = az_arena_printf(s->keep, "0x%016llx", (unsigned long long)k->comm);
}

/* "NCCL:ncclAllReduce" -> AllReduce */
static struct az_sv call_text(struct az_sv range)
{
    const ptrdiff_t at = az_sv_find(range, AZ_SV("nccl"));
    return at < 0 ? range : az_sv_make(range.p + at + 4, range.n - (size_t)at - 4);
}

static void from_payload(const struct az_coll_reader *s, uint32_t call, struct key *k)
{
    struct az_coll_payload p;
    if (!az_coll_payload_at(s->payloads, call, &p))
        return;
    k->comm = p.comm;
    k->bytes = p.bytes;
    k->args.peer = p.peer;
    k->name = p.name;
    k->source = FROM_PAYLOAD;
}

static void sizes(const struct az_coll_reader *s, const struct key *k, struct az_coll_what *w,
                  struct az_sv *dtype)
{
    w->in = count_of(s, k->args.in_nelems);
    w->out = count_of(s, k->args.out_nelems);
    *dtype = text_of(s, k->args.dtype);
    int64_t n;
    struct az_sv type;
    if (k->args.name != AZ_NO_ID || k->dims == AZ_NO_ID || k->types == AZ_NO_ID ||
        !az_coll_tensor_size(text_of(s, k->dims), text_of(s, k->types), &n, &type))
        return;
    *dtype = type;
    w->in = n;
    if (w->kind == AZ_COLL_ALLREDUCE || w->kind == AZ_COLL_BROADCAST || w->kind == AZ_COLL_REDUCE)
        w->out = n;
}

static struct az_sv name_text(const struct az_coll_reader *s, const struct key *k,
                              struct az_sv given)
{
    if (k->args.name != AZ_NO_ID)
        return text_of(s, k->args.name);
    if (k->source == 2) {
        const struct az_sv note = text_of(s, k->name);
        return az_sv_make(note.p + 5, note.n - 5); /* after "nccl:" */
    }
    if (k->source == FROM_PAYLOAD && k->name != AZ_NO_ID)
        return call_text(text_of(s, k->name));
    return given;
}

static int describe(struct az_coll_reader *s, const struct key *k, struct az_sv given)
{
    struct az_coll_what w = { .source = sources[k->source],
                              .peer = k->args.peer,
                              .size = count_of(s, k->args.group_size) };
    struct az_sv dtype = { "", 0 };
    int rc = keep_text(s, name_text(s, k, given), &w.name);
    w.kind = az_coll_kind_of(w.name);
    if (k->comm)
        payload_sizes(s, k, &w, &dtype);
    else
        sizes(s, k, &w, &dtype);
    if (rc == 0)
        rc = keep_text(s, dtype, &w.dtype);
    if (rc == 0)
        rc = keep_text(s, text_of(s, k->args.in_split), &w.in_split);
    if (rc == 0)
        rc = keep_text(s, text_of(s, k->args.out_split), &w.out_split);
    if (rc == 0)
        rc = keep_text(s, k->comm ? w.group : text_of(s, k->args.pg_name), &w.group);
    if (rc == 0)
        rc = k->groups ? keep_text(s, az_intern_text(&s->groups, (uint32_t)k->groups - 1), &w.ranks)
                       : keep_ranks(s, text_of(s, k->args.pg_ranks), &w.ranks);
    return rc ? rc : az_vec_push(&s->whats, w);
}

int az_coll_source_of(struct az_coll_reader *s, uint32_t row, struct az_sv given,
                      struct az_coll_event *e)
{
    const struct az_events *kernels = &s->t->ev[AZ_KERNEL];
    struct key k = { .args = nothing, .dims = AZ_NO_ID, .types = AZ_NO_ID, .name = AZ_NO_ID };
    uint32_t node, call = call_row(s, row, &node), *at;
    bool added;

    if (s->o && kernels->side[row] != AZ_NO_ROW)
        k.args = s->o->colls.v[kernels->side[row]];
    e->seq = k.args.seq;
    e->launch = call == AZ_NO_ROW ? INT64_MIN : s->t->ev[AZ_CALL].start[call] / s->t->ticks_per_ns;
    if (s->o && node != AZ_NO_ROW && !az_sv_is(s->job->opts->coll_arguments, "kernel")) {
        const uint32_t op = comms_op(s, node);
        if (op != AZ_NO_ROW)
            from_operation(s, op, &k, &e->seq);
        const uint32_t note = k.args.name == AZ_NO_ID ? note_of(s, call) : AZ_NO_ROW;
        if (note != AZ_NO_ROW)
            from_note(s, note, &k);
    }
    if (k.args.name == AZ_NO_ID && k.dims == AZ_NO_ID)
        k.source = FROM_NAME;
    if (s->payloads && call != AZ_NO_ROW)
        from_payload(s, call, &k);
    if (k.args.name == AZ_NO_ID && k.source != 2 && k.source != FROM_PAYLOAD)
        k.name = kernels->name[row];
    k.args.seq = -1;
    int rc = s->x ? groups_at(s, row, &k.groups) : 0;
    if (rc)
        return rc;
    rc = az_map_put(&s->rows, az_hash(&k, sizeof k), az_hash(&k.args.dtype, sizeof k - 16),
                    (uint32_t)s->whats.n, &at, &added);
    if (rc)
        return rc;
    e->what = *at;
    return added ? describe(s, &k, given) : 0;
}
