/* Collectives of compiled programs (docs/formats-xplane.md 8): instance k of a collective is its
 * k-th occurrence on each device; per group of ranks its time is the shortest of its members, who
 * arrive last and wait least. */
#include <inttypes.h>

#include "analyses/hlo/coll.h"
#include "analyses/registry_list.h"
#include "base/sort.h"
#include "perf/hlo.h"

/* What one rank gives. */
static int64_t data_bytes(const struct az_hlo_op *op)
{
    int64_t sum = 0;
    for (size_t i = 0; i < op->n_operands; i++)
        if (__builtin_add_overflow(sum, op->operands[i].bytes, &sum))
            return INT64_MAX;
    return sum;
}

/* All-gather: the gathered result; else one rank's buffer. */
static int64_t message_bytes(const struct az_hlo_op *op)
{
    if (op->family != AZ_HLO_COLL_ALL_GATHER)
        return data_bytes(op);
    return op->start && op->result.n_parts >= 2 ? op->result.parts[1].bytes : op->result.bytes;
}

static double bus_factor(enum az_hlo_family f, int64_t n)
{
    return az_bus_factor(f == AZ_HLO_COLL_ALL_REDUCE ? AZ_BUS_ALL_REDUCE
                         : f == AZ_HLO_COLL_ALL_GATHER || f == AZ_HLO_COLL_REDUCE_SCATTER ||
                                 f == AZ_HLO_COLL_ALL_TO_ALL
                             ? AZ_BUS_PART
                             : AZ_BUS_ONE,
                         n);
}

/* ---- which collective ---- */

/* Programs of one module name are distinguished by their order in each trace: traces number
 * programs on their own. */
struct program {
    uint32_t module;
    uint64_t id;
};
AZ_VEC(struct program, programs);

static int program_order(const void *a, const void *b, void *ctx)
{
    const struct program *x = a, *y = b;
    (void)ctx;
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int programs_of(struct az_hlo *h, size_t k, struct programs *out)
{
    const struct az_xtrace *x = h->tr[k].x;
    int rc = AZ_OK;
    size_t n = 0;
    az_vec_reset(out);
    for (size_t i = 0; rc == 0 && i < x->rows.n; i++) {
        const struct program p = { az_hlo_id(h, k, x->rows.v[i].module), x->rows.v[i].program };
        if (x->rows.v[i].has_program)
            rc = az_vec_push(out, p);
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, program_order, NULL, h->job->mem);
    for (size_t i = 0; rc == 0 && i < out->n; i++)
        if (n == 0 || program_order(&out->v[n - 1], &out->v[i], NULL) != 0)
            out->v[n++] = out->v[i];
    out->n = n;
    return rc;
}

static size_t ordinal(const struct programs *p, uint32_t module, uint64_t id)
{
    const struct program want = { module, id }, first = { module, 0 };
    return az_lower_cmp(p->v, p->n, sizeof *p->v, &want, program_order, NULL) -
           az_lower_cmp(p->v, p->n, sizeof *p->v, &first, program_order, NULL);
}

/* ---- gathering ---- */

static int add_event(struct az_hlo *h, const struct az_hlo_event *e, const struct programs *p,
                     struct az_map *of, struct az_colls *out)
{
    const struct az_xrow *row = az_hlo_row(h, e);
    const struct az_events *ev = az_hlo_events(h, e);
    const uint32_t module = row ? az_hlo_id(h, e->trace, row->module) : AZ_NO_ID;
    /* a communication kernel without an operation is a collective of its name */
    const bool named = row && row->op != AZ_NO_ID;
    const uint32_t name = named ? az_hlo_id(h, e->trace, row->op) : az_hlo_name(h, e);
    const uint64_t nth = row && row->has_program ? ordinal(p, module, row->program) : 0;
    const uint32_t at =
        az_map_number(of, (uint64_t)module << 32 | name, nth << 1 | named, out->which.n);
    if (at == out->which.n)
        az_vec_add(&out->which, ((struct az_coll){ .module = module, .name = name, .first = *e }));
    if (at >= out->which.n)
        return az_mem_error(out->which.mem);
    struct az_coll *c = &out->which.v[at];
    if (!c->op)
        c->op = az_hlo_event_op(h, e);
    const struct az_coll_event x = { .coll = at,
                                     .device = az_hlo_device_of(h, e),
                                     .trace = (uint32_t)e->trace,
                                     .start = ev->start[e->row],
                                     .ticks = ev->end[e->row] - ev->start[e->row] };
    return az_vec_push(&out->events, x);
}

/* Does any kernel of the trace communicate, by its name? */
static bool any_comm(const struct az_trace *t)
{
    for (uint32_t name = 0; name < t->names.text.n; name++)
        if (az_trace_is_comm(t, name))
            return true;
    return false;
}

static int gather(struct az_hlo *h, struct az_colls *out)
{
    struct az_map of;
    struct programs p;
    az_vec_init(&p, h->job->mem);
    int rc = 0;
    az_map_init(&of, h->job->mem, 64);
    for (size_t k = 0; rc == 0 && k < h->n; k++) {
        if (!any_comm(h->tr[k].t))
            continue;
        rc = programs_of(h, k, &p);
        for (size_t i = 0; rc == 0 && i < h->tr[k].t->ev[AZ_KERNEL].n; i++) {
            const struct az_hlo_event e = { k, i, AZ_KERNEL };
            if (h->devices.v[az_hlo_device_of(h, &e)].kind == AZ_PLANE_GPU && az_hlo_is_comm(h, &e))
                rc = add_event(h, &e, &p, &of, out);
        }
    }
    az_map_release(&of);
    az_vec_release(&p);
    return rc;
}

/* ---- instances ---- */

static int occurrence_order(const void *a, const void *b, void *ctx)
{
    const struct az_coll_event *x = a, *y = b;
    (void)ctx;
    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

static int instance_order(const void *a, const void *b, void *ctx)
{
    const struct az_coll_event *x = a, *y = b;
    (void)ctx;
    if (x->coll != y->coll)
        return x->coll < y->coll ? -1 : 1;
    if (x->k != y->k)
        return x->k < y->k ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* Rank of each device: devices of the traces before it, then its number. */
static int64_t *ranks_of(struct az_hlo *h)
{
    int64_t *rank = az_arena_array(h->job->arena, h->devices.n + 1, sizeof *rank), base = 0;
    for (size_t k = 0; rank && k < h->n; k++) {
        int64_t most = 0;
        for (size_t p = 0; p < h->tr[k].x->planes.n; p++) {
            const struct az_plane *plane = &h->tr[k].x->planes.v[p];
            if (plane->kind == AZ_PLANE_GPU && plane->ordinal >= most && plane->ordinal < INT32_MAX)
                most = plane->ordinal + 1;
        }
        for (size_t d = 0; d < h->devices.n; d++)
            if (h->devices.v[d].trace == k)
                rank[d] = base + h->devices.v[d].ordinal;
        base += most;
    }
    return rank;
}

/* Group of each rank in one collective; groups are disjoint. A rank in none gets the number after
 * the last. */
static int assign_groups(struct az_hlo *h, struct az_colls *c, const int64_t *rank, size_t first,
                         size_t end)
{
    const struct az_hlo_op *op = c->which.v[c->events.v[first].coll].op;
    struct az_map of;
    int rc = 0;
    az_map_init(&of, h->job->mem, 64);
    for (size_t g = 0; rc == 0 && op && g < op->n_groups; g++) {
        for (size_t m = 0; rc == 0 && m < op->groups[g].n; m++) {
            uint32_t *at;
            bool added;
            rc = az_map_put(&of, (uint64_t)op->groups[g].v[m], 0, (uint32_t)g, &at, &added);
        }
    }
    for (size_t i = first; rc == 0 && i < end; i++) {
        struct az_coll_event *e = &c->events.v[i];
        const uint32_t g = op && op->n_groups ? az_map_get(&of, (uint64_t)rank[e->device], 0) : 0;
        e->group = g != AZ_NO_ID ? g : (uint32_t)op->n_groups;
    }
    az_map_release(&of);
    return rc;
}

static int number_occurrences(struct az_hlo *h, struct az_colls *c)
{
    int64_t *rank = ranks_of(h);
    int rc = rank ? 0 : az_arena_error(h->job->arena);
    if (rc == 0)
        az_sort_cmp(c->events.v, c->events.n, sizeof *c->events.v, occurrence_order, NULL,
                    h->job->mem);
    for (size_t i = 0, end; rc == 0 && i < c->events.n; i = end) {
        for (end = i; end < c->events.n && c->events.v[end].coll == c->events.v[i].coll; end++) {
            struct az_coll_event *e = &c->events.v[end];
            e->k = end > i && e[-1].device == e->device ? e[-1].k + 1 : 0;
        }
        rc = assign_groups(h, c, rank, i, end);
    }
    az_sort_cmp(c->events.v, c->events.n, sizeof *c->events.v, instance_order, NULL, h->job->mem);
    return rc;
}

/* Of the n >= 1 events of one instance; all_ranks: size of a group that the program does not list.
 */
static struct az_coll_instance measure(const struct az_coll *which, const struct az_coll_event *e,
                                       size_t n, int64_t all_ranks)
{
    struct az_coll_instance x = {
        .seen = n, .common_clock = true, .min = INT64_MAX, .max = INT64_MIN
    };
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        x.min = e[i].ticks < x.min ? e[i].ticks : x.min;
        x.max = e[i].ticks > x.max ? e[i].ticks : x.max;
        first = e[i].start < first ? e[i].start : first;
        last = e[i].start > last ? e[i].start : last;
        x.common_clock = x.common_clock && e[i].trace == e[0].trace;
    }
    const struct az_hlo_op *op = which->op;
    x.skew = last - first;
    x.size = op && e[0].group < op->n_groups ? (int64_t)op->groups[e[0].group].n : all_ranks;
    x.data = x.message = -1;
    x.alg = x.bus = 0.0 / 0.0;
    if (op && op->kind == AZ_HLO_COLLECTIVE) {
        x.data = data_bytes(op);
        x.message = message_bytes(op);
        if (x.min > 0)
            x.alg = (double)x.message / (double)x.min * 1e3; /* bytes per ps = TB/s; GB of 1e9 */
        x.bus = x.alg * bus_factor(op->family, x.size);
    }
    return x;
}

int az_colls_make(struct az_hlo *h, struct az_colls *c)
{
    az_vec_init(&c->which, h->job->mem);
    az_vec_init(&c->events, h->job->mem);
    az_vec_init(&c->instances, h->job->mem);
    int rc = gather(h, c);
    int64_t all = 0;
    for (size_t d = 0; d < h->devices.n; d++)
        all += h->devices.v[d].kind == AZ_PLANE_GPU;
    if (rc == 0)
        rc = number_occurrences(h, c);
    for (size_t i = 0, end; rc == 0 && i < c->events.n; i = end) {
        for (end = i + 1;
             end < c->events.n && instance_order(&c->events.v[i], &c->events.v[end], NULL) == 0;
             end++)
            ;
        struct az_coll_instance x =
            measure(&c->which.v[c->events.v[i].coll], &c->events.v[i], end - i, all);
        x.coll = c->events.v[i].coll;
        x.k = c->events.v[i].k;
        x.group = c->events.v[i].group;
        rc = az_vec_push(&c->instances, x);
    }
    return rc;
}

void az_colls_release(struct az_colls *c)
{
    az_vec_release(&c->which);
    az_vec_release(&c->events);
    az_vec_release(&c->instances);
}
