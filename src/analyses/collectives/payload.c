/* The range of a collective around a launch, by thread; of a group of calls, which launches at its
 * end, what was called since the last group. */
#include "analyses/collectives/payload.h"

#include "base/num.h"

struct comm_size {
    uint64_t comm;
    int64_t ranks;
};

struct az_coll_payloads {
    const struct az_trace *t;
    uint32_t *first, *row;   /* lane -> its run of row: ranges of collectives, by start */
    uint32_t *gfirst, *grow; /* the same of starts and ends of groups */
    struct comm_size *size;
    size_t sizes;
};

static const struct az_comm_note *note_at(const struct az_trace *t, size_t row)
{
    const struct az_events *e = &t->ev[AZ_RANGE];
    const uint32_t side = e->side ? e->side[row] : AZ_NO_ROW;
    const uint32_t note = side == AZ_NO_ROW ? 0 : t->ranges.v[side].note;
    return note ? &t->comm_notes.v[note - 1] : NULL;
}

static bool is_collective(const struct az_trace *t, size_t row)
{
    const struct az_comm_note *n = note_at(t, row);
    return n && n->bytes >= 0;
}

static bool ends_in(const struct az_trace *t, size_t row, struct az_sv end)
{
    const uint32_t name = t->ev[AZ_RANGE].name[row];
    return name != AZ_NO_ID && az_sv_ends(az_trace_text(t, name), end);
}

static bool is_group_end(const struct az_trace *t, size_t row)
{
    return ends_in(t, row, AZ_SV("ncclGroupEnd"));
}

static bool is_group(const struct az_trace *t, size_t row)
{
    return is_group_end(t, row) || ends_in(t, row, AZ_SV("ncclGroupStart"));
}

/* Rows that fit by lane; they are in order of start. */
static int list_rows(const struct az_trace *t, bool (*fits)(const struct az_trace *, size_t),
                     struct az_arena *a, uint32_t **first, uint32_t **row)
{
    const struct az_events *e = &t->ev[AZ_RANGE];
    uint32_t n = 0;
    *first = az_arena_array(a, t->lanes.n + 2, sizeof **first);
    if (!*first)
        return az_arena_error(a);
    for (size_t i = 0; i < e->n; i++)
        if (fits(t, i)) {
            (*first)[e->lane[i] + 2]++;
            n++;
        }
    *row = az_arena_array(a, (size_t)n + 1, sizeof **row);
    if (!*row)
        return az_arena_error(a);
    for (size_t i = 0; i < t->lanes.n; i++)
        (*first)[i + 2] += (*first)[i + 1];
    for (size_t i = 0; i < e->n; i++) /* first[lane + 1] runs up to where the lane ends */
        if (fits(t, i))
            (*row)[(*first)[e->lane[i] + 1]++] = (uint32_t)i;
    return 0;
}

static void list_sizes(struct az_coll_payloads *p)
{
    for (size_t i = 0; i < p->t->comm_notes.n; i++) {
        const struct az_comm_note *n = &p->t->comm_notes.v[i];
        size_t k = 0;
        while (k < p->sizes && p->size[k].comm != n->comm)
            k++;
        if (n->ranks > 0 && k == p->sizes)
            p->size[p->sizes++] = (struct comm_size){ n->comm, n->ranks };
    }
}

static size_t inits(const struct az_trace *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->comm_notes.n; i++)
        n += t->comm_notes.v[i].ranks > 0;
    return n;
}

struct az_coll_payloads *az_coll_payloads_of(const struct az_trace *t, struct az_arena *a, int *rc)
{
    *rc = 0;
    if (t->comm_notes.n == 0)
        return NULL;
    struct az_coll_payloads *p = az_arena_alloc(a, sizeof *p);
    if (p) {
        p->t = t;
        p->size = az_arena_array(a, inits(t) + 1, sizeof *p->size);
    }
    *rc = p && p->size ? list_rows(t, is_collective, a, &p->first, &p->row) : az_arena_error(a);
    if (*rc == 0)
        *rc = list_rows(t, is_group, a, &p->gfirst, &p->grow);
    if (*rc)
        return NULL;
    list_sizes(p);
    return p;
}

/* Place after the last of a lane's rows that starts by then. */
static uint32_t place(const struct az_events *e, const uint32_t *row, uint32_t low, uint32_t high,
                      int64_t at)
{
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (e->start[row[mid]] <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void take_payload(const struct az_coll_payloads *p, uint32_t row,
                         struct az_coll_payload *out)
{
    const struct az_comm_note *n = note_at(p->t, row);
    *out = (struct az_coll_payload){ n->comm, n->bytes, n->peer, p->t->ev[AZ_RANGE].name[row] };
}

/* Calls of a group are added up: they run as one kernel. Of several communicators it is unknown.
 */
static bool take_group(const struct az_coll_payloads *p, uint32_t lane, uint32_t group,
                       int64_t after, struct az_coll_payload *out)
{
    const struct az_events *e = &p->t->ev[AZ_RANGE];
    bool any = false;
    uint32_t i = place(e, p->row, p->first[lane], p->first[lane + 1], e->start[group]);
    for (; i > p->first[lane] && e->start[p->row[i - 1]] >= after; i--) {
        struct az_coll_payload x;
        take_payload(p, p->row[i - 1], &x);
        if (any && x.comm != out->comm)
            return false;
        if (any) {
            out->bytes = az_add_sat(out->bytes, x.bytes);
            out->peer = out->peer == x.peer ? x.peer : -1;
            out->name = out->name == x.name ? x.name : AZ_NO_ID;
        } else
            *out = x;
        any = true;
    }
    return any;
}

/* When the group began that ends at place i of its thread; INT64_MAX: not recorded. Groups nest. */
static int64_t group_start(const struct az_coll_payloads *p, uint32_t low, uint32_t i)
{
    enum { STEPS = 4096 };
    size_t open = 0;
    for (int steps = 0; steps < STEPS; steps++, i--) {
        const uint32_t row = p->grow[i];
        if (is_group_end(p->t, row))
            open++;
        else if (--open == 0)
            return p->t->ev[AZ_RANGE].start[row];
        if (i == low)
            break;
    }
    return INT64_MAX;
}

bool az_coll_payload_at(const struct az_coll_payloads *p, uint32_t call,
                        struct az_coll_payload *out)
{
    enum { TRIES = 64 }; /* ranges of a thread that begin before a call and end before it */
    const struct az_events *e = &p->t->ev[AZ_RANGE], *c = &p->t->ev[AZ_CALL];
    const uint32_t lane = c->lane[call];
    const int64_t at = c->start[call];
    uint32_t low = p->first[lane], i = place(e, p->row, low, p->first[lane + 1], at);
    for (int tries = 0; i > low && tries < TRIES; tries++, i--)
        if (e->end[p->row[i - 1]] >= at) {
            take_payload(p, p->row[i - 1], out);
            return true;
        }
    low = p->gfirst[lane];
    i = place(e, p->grow, low, p->gfirst[lane + 1], at);
    if (i == low || e->end[p->grow[i - 1]] < at || !is_group_end(p->t, p->grow[i - 1]))
        return false;
    return take_group(p, lane, p->grow[i - 1], group_start(p, low, i - 1), out);
}

int64_t az_coll_payload_ranks(const struct az_coll_payloads *p, uint64_t comm)
{
    for (size_t i = 0; i < p->sizes; i++)
        if (p->size[i].comm == comm)
            return p->size[i].ranks;
    return -1;
}
