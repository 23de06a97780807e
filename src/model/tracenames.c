/* Classes of the names of device events: decided once a name, for all that is made of the trace. */
#include "classify/name_classes.h"
#include "model/trace.h"

static void mark_names(const struct az_trace *t, enum az_kind k, uint8_t *wanted)
{
    const struct az_events *e = &t->ev[k];
    for (size_t i = 0; i < e->n; i++)
        if (e->name[i] < t->names.text.n)
            wanted[e->name[i]] = 1;
}

static void mark_sums(const struct az_sums *s, size_t ids, uint8_t *wanted)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->v[i].name < ids)
            wanted[s->v[i].name] = 1;
}

int az_trace_full_name(struct az_trace *t, uint32_t shown, uint32_t whole)
{
    int rc = 0;
    while (rc == 0 && t->full_name.n <= shown)
        rc = az_vec_push(&t->full_name, AZ_NO_ID);
    if (rc == 0)
        t->full_name.v[shown] = whole;
    return rc;
}

/* The id of the whole name of one that is shown; AZ_NO_ID: it has no other. */
static uint32_t full_name(const struct az_trace *t, size_t id)
{
    return id < t->full_name.n ? t->full_name.v[id] : AZ_NO_ID;
}

int az_trace_classify(struct az_trace *t) { return az_trace_classify_on(t, 1); }

int az_trace_classify_on(struct az_trace *t, unsigned threads)
{
    const size_t ids = t->names.text.n;
    uint8_t *wanted = az_mem_alloc(t->mem, ids + 1);
    if (!wanted)
        return az_mem_error(t->mem);
    memset(wanted, 0, ids + 1);
    mark_names(t, AZ_KERNEL, wanted);
    mark_names(t, AZ_MEMSET, wanted);
    mark_names(t, AZ_GRAPH, wanted);
    for (size_t i = 0; i < t->window_others.n; i++)
        if (t->window_others.v[i].kind != AZ_MEMCPY && t->window_others.v[i].name < ids)
            wanted[t->window_others.v[i].name] = 1;
    mark_sums(&t->kernel_sums, ids, wanted);
    mark_sums(&t->mem_sums, ids, wanted);
    for (size_t i = 0; i < t->full_name.n; i++)
        if (wanted[i] && full_name(t, i) < ids)
            wanted[full_name(t, i)] = 1;
    int rc = az_name_classes_make_on(&t->classes, t->names.text.v, wanted, ids, &t->user_names,
                                     &t->arena, t->mem, threads);
    for (size_t i = 0; rc == 0 && i < t->full_name.n; i++)
        if (wanted[i] && full_name(t, i) < ids)
            t->classes.of[i] = t->classes.of[full_name(t, i)];
    az_mem_free(t->mem, wanted, ids + 1);
    return rc;
}

static int mark_lanes(struct az_trace *t)
{
    az_vec_reset(&t->lane_kinds);
    const int rc = az_vec_reserve(&t->lane_kinds, t->lanes.n);
    if (rc)
        return rc;
    uint8_t *kinds = t->lane_kinds.v;
    const size_t lanes = t->lanes.n;
    t->lane_kinds.n = lanes;
    if (lanes)
        memset(kinds, 0, lanes);
    for (unsigned k = AZ_KERNEL; k <= AZ_GRAPH; k++) {
        const uint32_t *lane = t->ev[k].lane;
        for (size_t i = 0, n = t->ev[k].n; i < n; i++)
            if (lane[i] < lanes)
                kinds[lane[i]] |= (uint8_t)(1u << k);
    }
    return 0;
}

_Static_assert(AZ_KERNEL == 0 && AZ_MEMCPY == 1 && AZ_MEMSET == 2 && AZ_GRAPH == 3,
               "two bits of a run are its kind");
#define RUN_MOST (UINT32_MAX >> 2)

struct merge {
    const struct az_trace *t;
    size_t at[4];
    int64_t next[4]; /* starts of the next of each kind */
};

static void look_ahead(struct merge *m, uint32_t kind)
{
    const struct az_events *e = &m->t->ev[kind];
    m->next[kind] = m->at[kind] < e->n ? e->start[m->at[kind]] : INT64_MAX;
}

/* How many rows of the kind that comes next come before any other. */
static size_t next_run(struct merge *m, uint32_t *kind)
{
    const int64_t *t = m->next;
    const uint32_t a = t[1] < t[0], b = 2 + (t[3] < t[2]), best = t[b] < t[a] ? b : a;
    const int64_t pair = t[a ^ b ^ best], twin = t[best ^ 1], other = pair < twin ? pair : twin;
    const struct az_events *e = &m->t->ev[best];
    const size_t at = m->at[best];
    size_t until = other == INT64_MAX ? e->n : at + 1; /* no other kind is left */
    while (until < e->n && e->start[until] < other)
        until++;
    m->at[best] = until;
    look_ahead(m, best);
    *kind = best;
    return until - at;
}

static int list_runs(struct az_trace *t)
{
    struct merge m = { .t = t };
    size_t left = 0;
    int rc = AZ_OK;
    az_vec_reset(&t->runs);
    for (uint32_t k = 0; k < 4; k++) {
        look_ahead(&m, k);
        left += t->ev[k].n;
    }
    while (rc == 0 && left) {
        uint32_t kind;
        size_t n = next_run(&m, &kind);
        left -= n;
        for (size_t part; rc == 0 && n; n -= part) {
            part = n < RUN_MOST ? n : RUN_MOST;
            rc = az_vec_push(&t->runs, (uint32_t)part << 2 | kind);
        }
    }
    return rc;
}

int az_trace_index_work(struct az_trace *t)
{
    const int rc = mark_lanes(t);
    return rc ? rc : list_runs(t);
}
