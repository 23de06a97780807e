/* Side tables of AMD-style dispatch traces, and the rule that shortens kernel names. */
#include "model/dispatch.h"

static int finalize_dispatches(struct az_trace *t)
{
    az_map_release(&az_dispatches(t)->shape_of);
    return 0;
}

static void release(struct az_trace *t)
{
    struct az_dispatches *d = t->ext;
    az_vec_release(&d->agents);
    az_vec_release(&d->shapes);
    az_vec_release(&d->rows);
    az_vec_release(&d->routes);
    az_vec_release(&d->allocs);
    az_vec_release(&d->counters);
    az_vec_release(&d->call_sums);
    az_vec_release(&d->call_notes);
    az_vec_release(&d->processes);
    az_map_release(&d->shape_of);
    t->ext = NULL;
}

static const struct az_trace_ext ext_ops = { .caps = AZ_CAP_DISPATCHES,
                                             .seal = finalize_dispatches,
                                             .release = release };

int az_dispatches_init(struct az_trace *t)
{
    struct az_dispatches *d = az_arena_alloc(&t->arena, sizeof *d);
    if (!d)
        return az_arena_error(&t->arena);
    t->ext = d;
    t->ext_ops = &ext_ops;
    az_vec_init(&d->agents, t->mem);
    az_vec_init(&d->shapes, t->mem);
    az_vec_init(&d->rows, t->mem);
    az_vec_init(&d->routes, t->mem);
    az_vec_init(&d->allocs, t->mem);
    az_vec_init(&d->counters, t->mem);
    az_vec_init(&d->call_sums, t->mem);
    az_vec_init(&d->call_notes, t->mem);
    az_vec_init(&d->processes, t->mem);
    for (enum az_kind k = AZ_KERNEL; k <= AZ_MEMCPY; k++)
        az_trace_columns(t, k, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_CALL, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_RANGE, AZ_COL_CORR | AZ_COL_SIDE);
    az_trace_columns(t, AZ_ALLOC, AZ_COL_CORR | AZ_COL_SIDE);
    az_map_init(&d->shape_of, t->mem, 256);
    return 0;
}

int az_dispatch_shape(struct az_dispatches *d, const struct az_dispatch_shape *s, uint32_t *row)
{
    const uint64_t hash = az_hash(s, sizeof *s); /* twelve words without padding */
    for (uint64_t same_hash = 0;; same_hash++) {
        uint32_t *at;
        bool added;
        int rc = az_map_put(&d->shape_of, hash, same_hash, (uint32_t)d->shapes.n, &at, &added);
        if (rc)
            return rc;
        *row = *at;
        if (added)
            return az_vec_push(&d->shapes, *s);
        if (memcmp(&d->shapes.v[*at], s, sizeof *s) == 0)
            return 0;
    }
}

const struct az_agent *az_agent_find(const struct az_dispatches *d, uint32_t proc, int64_t index)
{
    for (size_t i = 0; i < d->agents.n; i++)
        if (d->agents.v[i].proc == proc && d->agents.v[i].index == index)
            return &d->agents.v[i];
    return NULL;
}

/* ---- short names ---- */

static char opening(char close)
{
    return close == ')' ? '(' : close == '>' ? '<' : close == ']' ? '[' : 0;
}

/* Length of s without the balanced group that its last character closes; 0 if the group is never
 * opened. */
static size_t before_group(struct az_sv s, char open)
{
    char close = s.p[s.n - 1];
    size_t depth = 0;
    for (size_t i = s.n; i-- > 0;) {
        depth += s.p[i] == close;
        depth -= s.p[i] == open;
        if (depth == 0)
            return i;
    }
    return 0;
}

/* "Unknown command type": text, not a declaration of C++. */
static bool is_text(struct az_sv s)
{
    for (size_t i = 0; i < s.n; i++)
        if (memchr("()<>[]:", s.p[i], 7))
            return false;
    return true;
}

struct az_sv az_kernel_short_name(struct az_sv whole)
{
    size_t end = whole.n, from;
    if (end == 0)
        return whole; /* it may have no address */
    while (end > 0) {
        char c = whole.p[end - 1];
        if (c == ' ' || c == '\t')
            end--;
        else if (opening(c))
            end = before_group(az_sv_make(whole.p, end), opening(c));
        else
            break;
    }
    for (from = is_text(whole) ? 0 : end; from > 0 && whole.p[from - 1] != ' ' &&
                                          whole.p[from - 1] != '\t' && whole.p[from - 1] != ':';)
        from--;
    struct az_sv name = az_sv_make(whole.p + from, end - from);
    if (name.n > 3 && az_sv_ends(name, AZ_SV(".kd")))
        name.n -= 3;
    return name;
}

int az_dispatches_filter_counters(struct az_trace *t)
{
    struct az_counters *c = &az_dispatches(t)->counters;
    const struct az_events *e = &t->ev[AZ_KERNEL];
    struct az_map kept;
    int rc = 0;
    az_map_init(&kept, t->mem, c->n ? e->n : 0);
    for (size_t i = 0; rc == 0 && c->n && i < e->n; i++) {
        uint32_t *at;
        bool added;
        rc = az_map_put(&kept, t->lanes.v[e->lane[i]].proc, az_dispatch_of(t, i)->id, 1, &at,
                        &added);
    }
    size_t n = 0;
    for (size_t i = 0; rc == 0 && i < c->n; i++)
        if (az_map_get(&kept, c->v[i].proc, c->v[i].dispatch) != AZ_NO_ID)
            c->v[n++] = c->v[i];
    c->n = rc ? c->n : n;
    az_map_release(&kept);
    return rc;
}
