#include "facts/families.h"

#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "classify/rules.h"
#include "facts/account.h"
#include "facts/devices.h"
#include "model/xtrace.h"

#define FILE_NAME "xla_events.rules"

/* ---- operations of compiled programs ---- */

/* A category that leaves the work open (a product is a convolution to a TPU) is decided by the
 * framework's path of the operation. */
static struct az_row_work work_of(struct az_sv category, struct az_sv scope)
{
    struct az_row_work w = { .part = AZ_PART_COMPUTE };
    struct az_rule r, inner;
    if (category.n == 0 || !az_rules_find(FILE_NAME, "hlo", category, &r))
        return w;
    w.family = r.family;
    w.known = r.family != AZ_FAMILY_OTHER;
    if (az_sv_is(r.name, "communication"))
        w.part = AZ_PART_COMM;
    else if (az_sv_is(r.name, "copy"))
        w.part = AZ_PART_COPY;
    else if (az_sv_is(r.name, "open") && az_rules_find(FILE_NAME, "scope", scope, &inner))
        w = (struct az_row_work){ true, inner.family, w.part };
    return w;
}

static int decide_rows(struct az_job *job, const struct az_trace *t, struct az_row_work *work)
{
    const struct az_xrows *rows = &az_xtrace(t)->rows;
    struct az_map of; /* (category, scope) -> first row of them */
    int rc = 0;
    az_map_init(&of, job->mem, 64);
    for (uint32_t i = 0; rc == 0 && i < rows->n; i++) {
        uint32_t *first;
        bool added;
        rc = az_map_put(&of, rows->v[i].category, rows->v[i].scope, i, &first, &added);
        if (rc == 0)
            work[i] = added ? work_of(az_trace_text(t, rows->v[i].category),
                                      az_trace_text(t, rows->v[i].scope))
                            : work[*first];
    }
    az_map_release(&of);
    return rc;
}

/* A list of facts, one a trace. */
static void **of_trace(struct az_job *job, void **slot, size_t trace, int *rc)
{
    if (slot && !*slot)
        *slot = az_arena_array(job->arena, job->n_traces + 1, sizeof(void *));
    *rc = slot && *slot ? 0 : az_arena_error(job->arena);
    return *rc ? NULL : (void **)*slot + trace;
}

static const struct az_row_work *row_work(struct az_job *job, void **slot, size_t trace, int *rc)
{
    const struct az_trace *t = job->traces[trace];
    void **fact = of_trace(job, slot, trace, rc);
    if (!fact || *fact)
        return fact ? *fact : NULL;
    struct az_row_work *work = az_arena_array(job->arena, az_xtrace(t)->rows.n + 1, sizeof *work);
    *rc = work ? decide_rows(job, t, work) : az_arena_error(job->arena);
    *fact = *rc ? NULL : work;
    return *fact;
}

const struct az_row_work *az_job_row_work(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const struct az_row_work *work = row_work(job, slot, trace, rc);
    az_job_leave(job, slot);
    return work;
}

/* ---- time without what is inside ---- */

static bool ends_before(const struct az_events *ev, uint32_t open, uint32_t e)
{
    return ev->end[open] < ev->end[e] ||
           (ev->end[open] <= ev->start[e] && ev->end[e] > ev->start[e]);
}

/* Subtracts an operation from the one that encloses it; `open`: enclosing operations of its lane.
 */
static int subtract(const struct az_events *ev, uint32_t e, struct az_vec_u32 *open, int64_t *self)
{
    while (open->n && ends_before(ev, open->v[open->n - 1], e))
        open->n--;
    if (open->n) {
        int64_t *outer = &self[open->v[open->n - 1]];
        *outer = az_add_sat(*outer, ev->start[e] - ev->end[e]);
    }
    return az_vec_push(open, e);
}

struct lane {
    struct az_vec_u32 open;
    int64_t start, ticks; /* of its last operation */
    bool any;
};

/* Events are sorted by start: where those of a lane that begin together come with the longer first,
 * they stay in their order. *order: they are not. */
static int as_they_come(const struct az_events *ev, struct lane *lanes, int64_t *self, bool *order)
{
    int rc = 0;
    *order = false;
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        struct lane *l = &lanes[ev->lane[i]];
        const int64_t start = ev->start[i], ticks = ev->end[i] - start;
        if (l->any && l->start == start && l->ticks < ticks) {
            *order = true;
            return 0;
        }
        l->start = start;
        l->ticks = ticks;
        l->any = true;
        rc = subtract(ev, (uint32_t)i, &l->open, self);
    }
    return rc;
}

/* By lane, start, longer first. */
static int put_in_order(const struct az_events *ev, int64_t *key, uint32_t *order,
                        struct az_mem *mem)
{
    for (size_t i = 0; i < ev->n; i++) {
        order[i] = (uint32_t)i;
        key[i] = ev->start[i] - ev->end[i];
    }
    az_sort_by(key, order, ev->n, mem);
    az_sort_by(ev->start, order, ev->n, mem);
    for (size_t i = 0; i < ev->n; i++)
        key[i] = ev->lane[i];
    az_sort_by(key, order, ev->n, mem);
    return 0;
}

static int in_order(const struct az_events *ev, int64_t *self, struct az_mem *mem)
{
    const size_t n = ev->n;
    int64_t *key = az_mem_alloc(mem, (n + 1) * sizeof *key);
    uint32_t *order = az_mem_alloc(mem, (n + 1) * sizeof *order);
    int rc = key && order ? put_in_order(ev, key, order, mem) : az_mem_error(mem);
    struct az_vec_u32 open;
    az_vec_init(&open, mem);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (i && ev->lane[order[i - 1]] != ev->lane[order[i]])
            az_vec_reset(&open);
        rc = subtract(ev, order[i], &open, self);
    }
    az_vec_release(&open);
    az_mem_free(mem, key, (n + 1) * sizeof *key);
    az_mem_free(mem, order, (n + 1) * sizeof *order);
    return rc;
}

static void whole_ticks(const struct az_events *ev, int64_t *self)
{
    for (size_t i = 0; i < ev->n; i++)
        self[i] = ev->end[i] - ev->start[i];
}

static int self_ticks(struct az_job *job, size_t trace, int64_t *self)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *ev = &t->ev[AZ_KERNEL];
    const size_t bytes = (t->lanes.n + 1) * sizeof(struct lane);
    bool order = false;
    if (ev->n > UINT32_MAX)
        return AZ_ERANGE;
    struct lane *lanes = az_mem_alloc(job->mem, bytes);
    if (!lanes)
        return az_mem_error(job->mem);
    memset(lanes, 0, bytes);
    for (size_t i = 0; i < t->lanes.n; i++)
        az_vec_init(&lanes[i].open, job->mem);
    whole_ticks(ev, self);
    int rc = as_they_come(ev, lanes, self, &order);
    for (size_t i = 0; i < t->lanes.n; i++)
        az_vec_release(&lanes[i].open);
    az_mem_free(job->mem, lanes, bytes);
    if (rc || !order)
        return rc;
    whole_ticks(ev, self);
    return in_order(ev, self, job->mem);
}

static const int64_t *self_ticks_of(struct az_job *job, void **slot, size_t trace, int *rc)
{
    const struct az_events *ev = &job->traces[trace]->ev[AZ_KERNEL];
    void **fact = of_trace(job, slot, trace, rc);
    if (!fact || *fact)
        return fact ? *fact : NULL;
    int64_t *self = az_arena_array(job->arena, ev->n + 1, sizeof *self);
    *rc = self ? self_ticks(job, trace, self) : az_arena_error(job->arena);
    *fact = *rc ? NULL : self;
    return *fact;
}

const int64_t *az_job_self_ticks(struct az_job *job, size_t trace, int *rc)
{
    static const char what;
    void **slot = az_job_slot(job, &what);
    const int64_t *self = self_ticks_of(job, slot, trace, rc);
    az_job_leave(job, slot);
    return self;
}

/* ---- the sums ---- */
struct families {
    int64_t count[AZ_FAMILIES], ns[AZ_FAMILIES];
    struct az_name_sums rows;
    bool made;
};

static struct families *families_of(struct az_job *job, void ***slot)
{
    static const char what;
    *slot = az_job_slot(job, &what);
    if (*slot && !**slot)
        **slot = az_arena_alloc(job->arena, sizeof(struct families));
    return *slot ? **slot : NULL;
}

static void add_family(struct families *f, enum az_family family, int64_t count, int64_t ns)
{
    f->count[family] = az_add_sat(f->count[family], count);
    f->ns[family] = az_add_sat(f->ns[family], ns);
}

int az_job_families_add(struct az_job *job, enum az_family family, int64_t count, int64_t ns)
{
    void **slot;
    struct families *f = families_of(job, &slot);
    if (f)
        add_family(f, family, count, ns);
    az_job_leave(job, slot);
    return f ? 0 : az_arena_error(job->arena);
}

struct time_of { /* of one device, or of all */
    int64_t ticks[AZ_FAMILIES], count[AZ_FAMILIES];
};
struct pass { /* over one trace */
    struct az_job *job;
    size_t trace;
    const struct az_trace *t;
    uint8_t *known;       /* number of a name -> its family + 1 */
    const uint32_t *slot; /* lane -> place in `of`; NULL: all devices are one */
    uint8_t *const *skip; /* by kind: rows that do not count (facts/account.h) */
    struct time_of *of;
};

static bool skipped(const struct pass *p, enum az_kind kind, size_t i)
{
    return p->skip && p->skip[kind] && p->skip[kind][i];
}

static struct time_of *of_event(const struct pass *p, const struct az_events *ev, size_t i)
{
    return &p->of[p->slot ? p->slot[ev->lane[i]] : 0];
}

static enum az_family of_name(struct pass *p, uint32_t id)
{
    const uint32_t number = az_job_name(p->job, p->trace, id);
    if (number == AZ_NO_ID)
        return AZ_FAMILY_OTHER;
    if (!p->known[number])
        p->known[number] =
            (uint8_t)(1 + (az_job_kernel(p->job, number)->copies ? AZ_FAMILY_COPY
                                                                 : az_job_family(p->job, number)));
    return (enum az_family)(p->known[number] - 1);
}

bool az_has_tpu(const struct az_trace *t)
{
    const struct az_planes *p = &az_xtrace(t)->planes;
    for (size_t i = 0; i < p->n; i++)
        if (p->v[i].kind == AZ_PLANE_TPU)
            return true;
    return false;
}

/* of_name, computed once per name of the trace; by_id: of its names. */
static inline enum az_family of_name_once(struct pass *p, uint8_t *by_id, uint32_t id)
{
    if (id >= p->t->names.text.n)
        return AZ_FAMILY_OTHER;
    if (!by_id[id])
        by_id[id] = (uint8_t)(1 + of_name(p, id));
    return (enum az_family)(by_id[id] - 1);
}

static int sum_kernels(struct pass *p, uint8_t *by_id)
{
    const struct az_events *ev = &p->t->ev[AZ_KERNEL];
    const bool programs = (p->t->caps & AZ_CAP_PROGRAMS) != 0 && az_has_tpu(p->t);
    int rc = 0;
    const struct az_row_work *work = programs ? az_job_row_work(p->job, p->trace, &rc) : NULL;
    const int64_t *self = programs && rc == 0 ? az_job_self_ticks(p->job, p->trace, &rc) : NULL;
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        if (skipped(p, AZ_KERNEL, i))
            continue;
        const uint64_t node = work && ev->node ? ev->node[i] : 0;
        const enum az_family f = node && work[node - 1].known ? work[node - 1].family
                                                              : of_name_once(p, by_id, ev->name[i]);
        struct time_of *to = of_event(p, ev, i);
        to->ticks[f] = az_add_sat(to->ticks[f], self ? self[i] : ev->end[i] - ev->start[i]);
        to->count[f]++;
    }
    return rc;
}

static int add_kernels(struct pass *p)
{
    const size_t bytes = p->t->names.text.n + 1;
    uint8_t *by_id = az_mem_alloc(p->job->mem, bytes);
    if (!by_id)
        return az_mem_error(p->job->mem);
    memset(by_id, 0, bytes);
    const int rc = sum_kernels(p, by_id);
    az_mem_free(p->job->mem, by_id, bytes);
    return rc;
}

static void add_all(struct pass *p, enum az_kind kind, enum az_family f)
{
    const struct az_events *ev = &p->t->ev[kind];
    for (size_t i = 0; i < ev->n; i++) {
        if (skipped(p, kind, i))
            continue;
        struct time_of *to = of_event(p, ev, i);
        to->ticks[f] = az_add_sat(to->ticks[f], ev->end[i] - ev->start[i]);
        to->count[f]++;
    }
}

int az_job_kernel_families(struct az_job *job, size_t trace, uint8_t *family)
{
    const struct az_trace *t = job->traces[trace];
    const struct az_events *ev = &t->ev[AZ_KERNEL];
    const bool programs = (t->caps & AZ_CAP_PROGRAMS) != 0 && az_has_tpu(t);
    const size_t names = az_job_names(job) + 1, ids = t->names.text.n + 1;
    int rc = 0;
    const struct az_row_work *work = programs ? az_job_row_work(job, trace, &rc) : NULL;
    struct pass p = { .job = job, .trace = trace, .t = t, .known = az_mem_alloc(job->mem, names) };
    uint8_t *by_id = az_mem_alloc(job->mem, ids);
    if (rc == 0 && !(p.known && by_id))
        rc = az_mem_error(job->mem);
    if (rc == 0) {
        memset(p.known, 0, names);
        memset(by_id, 0, ids);
    }
    for (size_t i = 0; rc == 0 && i < ev->n; i++) {
        const uint64_t node = work && ev->node ? ev->node[i] : 0;
        family[i] = (uint8_t)(node && work[node - 1].known ? work[node - 1].family
                                                           : of_name_once(&p, by_id, ev->name[i]));
    }
    az_mem_free(job->mem, by_id, ids);
    az_mem_free(job->mem, p.known, names);
    return rc;
}

/* The events that the account of time counts; all of them where it counts none. */
static int add_events(struct pass *p)
{
    int rc = 0;
    const struct az_counted *c = az_job_counted(p->job, p->trace, AZ_ALL_WORK, &rc);
    if (!c)
        return rc;
    p->skip = c->unlinked < c->events ? c->skip : NULL;
    rc = add_kernels(p);
    add_all(p, AZ_MEMCPY, AZ_FAMILY_COPY);
    add_all(p, AZ_MEMSET, AZ_FAMILY_FILL);
    add_all(p, AZ_GRAPH, AZ_FAMILY_OTHER);
    return rc;
}

/* Rows that came summed, of a trace without such events. */
static void add_given(struct pass *p, struct families *to, const struct az_sums *s, bool copies)
{
    for (size_t i = 0; i < s->n; i++) {
        const enum az_family named = of_name(p, s->v[i].name);
        const enum az_family f = !copies || named == AZ_FAMILY_FILL ? named : AZ_FAMILY_COPY;
        add_family(to, f, s->v[i].count > 0 ? s->v[i].count : 0,
                   s->v[i].total_ns > 0 ? s->v[i].total_ns : 0);
    }
}

static int add_trace(struct families *to, struct az_job *job, size_t trace, uint8_t *known)
{
    struct time_of all = { { 0 }, { 0 } };
    struct pass p = {
        .job = job, .trace = trace, .t = job->traces[trace], .known = known, .of = &all
    };
    const struct az_events *ev = p.t->ev;
    if (p.t->caps & AZ_CAP_OPREPORT) /* az_job_families_add */
        return 0;
    const int rc = add_events(&p);
    for (int f = 0; f < AZ_FAMILIES; f++)
        add_family(to, (enum az_family)f, all.count[f], az_ns(p.t, all.ticks[f]));
    if (ev[AZ_KERNEL].n == 0)
        add_given(&p, to, &p.t->kernel_sums, false);
    if (ev[AZ_MEMCPY].n + ev[AZ_MEMSET].n == 0)
        add_given(&p, to, &p.t->mem_sums, true);
    return rc;
}

static int more_time_first(const void *a, const void *b, void *ctx)
{
    const struct az_name_sum *x = a, *y = b;
    (void)ctx;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return (int)x->style - (int)y->style;
}

static int make_families(struct families *f, struct az_job *job)
{
    uint8_t *known = az_arena_array(job->arena, az_job_names(job) + 1, 1);
    struct az_name_sum *row = az_arena_array(job->arena, AZ_FAMILIES, sizeof *row);
    int rc = known && row ? 0 : az_arena_error(job->arena);
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < job->n_traces; i++)
        rc = add_trace(f, job, i, known);
    for (unsigned k = 0; rc == 0 && k < AZ_FAMILIES; k++)
        if (f->count[k])
            row[n++] = (struct az_name_sum){ .name = AZ_NO_ID,
                                             .style = k,
                                             .count = f->count[k],
                                             .total = f->ns[k],
                                             .raw = (double)f->ns[k],
                                             .avg = NAN,
                                             .med = NAN,
                                             .min = NAN,
                                             .max = NAN,
                                             .std = NAN,
                                             .p95 = NAN,
                                             .p99 = NAN };
    if (rc == 0)
        az_sort_cmp(row, n, sizeof *row, more_time_first, NULL, job->mem);
    f->rows = (struct az_name_sums){ .v = row, .n = n, .exact = true };
    f->made = rc == 0;
    return rc;
}

int az_job_families(struct az_job *job, struct az_name_sums *out)
{
    void **slot;
    struct families *f = families_of(job, &slot);
    int rc = !f ? az_arena_error(job->arena) : f->made ? 0 : make_families(f, job);
    *out = (struct az_name_sums){ 0 };
    if (rc == 0)
        *out = f->rows;
    az_job_leave(job, slot);
    return rc;
}

/* ---- by device ---- */
static int list_times(const struct pass *p, const struct az_devices_of *d,
                      struct az_family_times *out)
{
    const size_t most = d->slots.n * AZ_FAMILIES;
    out->v = az_arena_array(p->job->arena, most + 1, sizeof *out->v);
    if (!out->v)
        return az_arena_error(p->job->arena);
    for (size_t i = 0; i < most; i++) {
        const struct time_of *of = &p->of[i / AZ_FAMILIES];
        const enum az_family f = (enum az_family)(i % AZ_FAMILIES);
        if (of->count[f])
            out->v[out->n++] =
                (struct az_family_time){ .device = d->slots.v[i / AZ_FAMILIES].device,
                                         .count = of->count[f],
                                         .ns = az_ns(p->t, of->ticks[f]),
                                         .family = f };
    }
    return 0;
}

int az_job_families_by_device(struct az_job *job, size_t trace, struct az_family_times *out)
{
    struct pass p = { .job = job, .trace = trace, .t = job->traces[trace] };
    struct az_devices_of d;
    int rc = az_devices_make(&d, p.t, AZ_BY_DEVICE, job->mem);

    *out = (struct az_family_times){ 0 };
    p.slot = d.slot_of_lane.v;
    p.known = az_arena_array(job->arena, az_job_names(job) + 1, 1);
    p.of = az_arena_array(job->arena, d.slots.n + 1, sizeof *p.of);
    if (rc == 0 && (!p.known || !p.of))
        rc = az_arena_error(job->arena);
    if (rc == 0)
        rc = add_events(&p);
    if (rc == 0)
        rc = list_times(&p, &d, out);
    az_devices_release(&d);
    return rc;
}
