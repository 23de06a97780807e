#include "formats/pytorch/pytorch_loop.h"

#include <string.h>

#include "base/sort.h"

#define MISPLACED 1000 /* ns by which a frame outlasts its caller */

void az_pytorch_loop_init(struct az_pytorch_loop *l, struct az_mem *mem)
{
    az_vec_init(&l->calls, mem);
    az_vec_init(&l->device_ids, mem);
    l->caller = AZ_NO_ROW;
    l->length = 0;
}

void az_pytorch_loop_release(struct az_pytorch_loop *l)
{
    az_vec_release(&l->calls);
    az_vec_release(&l->device_ids);
}

/* ---- reading ---- */

static bool is_call(struct az_sv cat)
{
    return az_sv_is(cat, "cpu_op") || az_sv_is(cat, "python_function") ||
           az_sv_ends(cat, AZ_SV("_runtime")) || az_sv_ends(cat, AZ_SV("_driver"));
}

static bool is_work(struct az_sv cat)
{
    return az_sv_is(cat, "kernel") || az_sv_is(cat, "gpu_memcpy") || az_sv_is(cat, "gpu_memset");
}

int az_pytorch_loop_add(struct az_pytorch_loop *l, struct az_pytorch_reader *r,
                        const struct az_pytorch_event *e, int64_t end)
{
    struct az_pytorch_call c = { .start = e->ts,
                                 .end = end,
                                 .corr = AZ_PYTORCH_NO_CORR,
                                 .parent = AZ_NO_ROW,
                                 .frame = az_sv_is(e->cat, "python_function") };

    if (az_pytorch_has(e, AZ_PYTORCH_CORR))
        c.corr = (uint64_t)e->number[AZ_PYTORCH_CORR];
    if (is_work(e->cat))
        return c.corr == AZ_PYTORCH_NO_CORR ? AZ_OK : az_vec_push(&l->device_ids, c.corr);
    if (!is_call(e->cat))
        return AZ_OK;
    int rc = az_pytorch_identity(r, &e->pid, &c.pid);
    rc = rc ? rc : az_pytorch_identity(r, &e->tid, &c.tid);
    rc = rc ? rc : az_pytorch_name(r, e->name, e->name_escaped, &c.name);
    return rc ? rc : az_vec_push(&l->calls, c);
}

/* ---- the tree of calls ---- */

static int compare(uint64_t x, uint64_t y) { return x < y ? -1 : x > y; }

static int by_thread(const void *a, const void *b, void *ctx)
{
    const struct az_pytorch_call *x = a, *y = b;

    (void)ctx;
    if (x->pid != y->pid || x->tid != y->tid)
        return x->pid != y->pid ? compare(x->pid, y->pid) : compare(x->tid, y->tid);
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->end > y->end ? -1 : x->end < y->end; /* the outer one first */
}

static int by_value(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return compare(*(const uint64_t *)a, *(const uint64_t *)b);
}

static bool has_work(const struct az_vec_u64 *ids, uint64_t corr)
{
    const size_t lo = AZ_LOWER(ids->v, ids->n, corr);
    return lo < ids->n && ids->v[lo] == corr;
}

/* The caller of a call among the n before it; a call inside two that overlap is in the later one.
 * False: a Python frame that outlasts the one it begins in, which recorders write for functions
 * that wait for the device. */
static bool find_caller(const struct az_pytorch_call *v, size_t n, struct az_pytorch_call *c)
{
    uint32_t up = (uint32_t)(n - 1);

    if (n == 0 || v[up].pid != c->pid || v[up].tid != c->tid)
        return true;
    while (up != AZ_NO_ROW && v[up].end <= c->start && v[up].end < c->end)
        up = v[up].parent;
    if (c->frame && up != AZ_NO_ROW && v[up].end < c->end && v[up].end - c->start >= MISPLACED)
        return false;
    while (up != AZ_NO_ROW && v[up].end < c->end)
        up = v[up].parent;
    c->parent = up;
    return true;
}

/* Callers, and which calls have device work. */
static void nest_calls(struct az_pytorch_loop *l)
{
    struct az_pytorch_call *v = l->calls.v;
    size_t n = 0;

    az_sort_cmp(v, l->calls.n, sizeof *v, by_thread, NULL, l->calls.mem);
    az_sort_cmp(l->device_ids.v, l->device_ids.n, sizeof *l->device_ids.v, by_value, NULL,
                l->calls.mem);
    for (size_t i = 0; i < l->calls.n; i++) {
        struct az_pytorch_call c = v[i];
        if (find_caller(v, n, &c))
            v[n++] = c;
    }
    l->calls.n = n;
    for (size_t i = n; i-- > 0;) { /* callers are before what they call */
        v[i].launches |= v[i].corr != AZ_PYTORCH_NO_CORR && has_work(&l->device_ids, v[i].corr);
        if (v[i].launches && v[i].parent != AZ_NO_ROW)
            v[v[i].parent].launches = true;
    }
}

/* Calls by parent, each one's by start; those without one come last. */
struct tree {
    const struct az_pytorch_call *call;
    uint32_t n;
    uint32_t *first; /* of each call: its calls are child[first[i]] to child[first[i + 1]] */
    uint32_t *child;
    uint32_t *name;  /* of each child */
    uint32_t *queue; /* calls to be searched */
};

static uint32_t slot_of(const struct tree *t, uint32_t i)
{
    return t->call[i].parent == AZ_NO_ROW ? t->n : t->call[i].parent;
}

static int build_tree(struct tree *t, const struct az_pytorch_loop *l, struct az_arena *a)
{
    *t = (struct tree){ .call = l->calls.v, .n = (uint32_t)l->calls.n };
    t->first = az_arena_array(a, (size_t)t->n + 3, sizeof *t->first);
    t->child = az_arena_array(a, (size_t)t->n + 1, sizeof *t->child);
    t->name = az_arena_array(a, (size_t)t->n + 1, sizeof *t->name);
    t->queue = az_arena_array(a, (size_t)t->n + 1, sizeof *t->queue);
    if (!t->first || !t->child || !t->name || !t->queue)
        return az_arena_error(a);
    memset(t->first, 0, ((size_t)t->n + 3) * sizeof *t->first);
    for (uint32_t i = 0; i < t->n; i++)
        t->first[slot_of(t, i) + 2]++;
    for (uint32_t i = 1; i < t->n + 3; i++)
        t->first[i] += t->first[i - 1];
    for (uint32_t i = 0; i < t->n; i++) { /* first[i + 1] moves from the begin to the end */
        const uint32_t at = t->first[slot_of(t, i) + 1]++;
        t->child[at] = i;
        t->name[at] = t->call[i].name;
    }
    return AZ_OK;
}

/* ---- what repeats ---- */

struct pattern {
    const struct tree *tree;
    size_t from, to;   /* children */
    size_t at, length; /* the sequence; length 0: none */
    bool by_ends;      /* its first and its last name occur once in it */
};

static size_t count_of(const uint32_t *name, size_t n, uint32_t wanted)
{
    size_t found = 0;

    for (size_t i = 0; i < n; i++)
        found += name[i] == wanted;
    return found;
}

/* The sequence that begins first, of those the shortest one. */
static bool find_pattern(struct pattern *p)
{
    const uint32_t *name = p->tree->name + p->from;
    const size_t n = p->to - p->from,
                 longest = n / 3 < AZ_PYTORCH_LOOP_LONGEST ? n / 3 : AZ_PYTORCH_LOOP_LONGEST;

    p->at = n;
    p->length = 0;
    for (size_t k = 1; k <= longest; k++) {
        size_t equal = 0; /* names from i on, each equal to the one k later */
        for (size_t i = n - k; i-- > 0;) {
            equal = name[i] == name[i + k] ? equal + 1 : 0;
            if (equal >= 2 * k && i < p->at && 2 * (1 + equal / k) * k > n - i) {
                p->at = i;
                p->length = k;
            }
        }
    }
    if (!p->length)
        return false;
    const uint32_t *first = name + p->at;
    p->by_ends = count_of(first, p->length, first[0]) == 1 &&
                 count_of(first, p->length, first[p->length - 1]) == 1;
    p->at += p->from;
    return true;
}

/* Last call of the iteration that begins with child i; p->to: none begins there. Where the ends of
 * the sequence are known by name, other calls may be between them. */
static size_t iteration_end(const struct pattern *p, size_t i)
{
    const uint32_t *name = p->tree->name, first = name[p->at], last = name[p->at + p->length - 1];

    if (name[i] != first)
        return p->to;
    if (!p->by_ends)
        return p->length <= p->to - i &&
                       memcmp(name + i, name + p->at, p->length * sizeof *name) == 0
                   ? i + p->length - 1
                   : p->to;
    for (size_t k = i; k < p->to && (k == i || name[k] != first); k++)
        if (name[k] == last)
            return k;
    return p->to;
}

static int add_iterations(const struct pattern *p, struct az_pytorch_step_list *out)
{
    int rc = AZ_OK;

    for (size_t i = p->at; rc == 0 && i < p->to; i++) {
        const size_t end = iteration_end(p, i);
        const struct az_pytorch_call *first = &p->tree->call[p->tree->child[i]];
        if (end == p->to)
            continue;
        rc = az_vec_push(
            out, ((struct az_pytorch_step){ .counts = { .generation_requests = 1, .tokens = 1 },
                                            .pid = first->pid,
                                            .tid = first->tid,
                                            .start = first->start,
                                            .end = p->tree->call[p->tree->child[end]].end }));
        i = end;
    }
    return rc;
}

static bool any_launches(const struct tree *t, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (t->call[t->child[i]].launches)
            return true;
    return false;
}

static int by_time(const void *a, const void *b, void *ctx)
{
    const struct az_pytorch_call *call = ctx;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (call[x].start != call[y].start)
        return call[x].start < call[y].start ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Level by level from the outermost calls. */
static bool search_callers(struct az_pytorch_loop *l, const struct tree *t, struct pattern *p)
{
    uint32_t n = 0;

    for (uint32_t i = t->first[t->n]; i < t->first[t->n + 1]; i++)
        t->queue[n++] = t->child[i];
    az_sort_cmp(t->queue, n, sizeof *t->queue, by_time, l->calls.v, l->calls.mem);
    for (uint32_t at = 0; at < n; at++) {
        const uint32_t caller = t->queue[at];
        *p = (struct pattern){ .tree = t, .from = t->first[caller], .to = t->first[caller + 1] };
        if (!any_launches(t, p->from, p->to))
            continue;
        if (find_pattern(p)) {
            l->caller = t->call[caller].name;
            return true;
        }
        for (size_t i = p->from; i < p->to; i++)
            if (t->call[t->child[i]].launches)
                t->queue[n++] = t->child[i];
    }
    return false;
}

/* The outermost calls of each thread. */
static bool search_threads(const struct tree *t, struct pattern *p)
{
    const size_t end = t->first[t->n + 1];

    for (size_t from = t->first[t->n], to; from < end; from = to) {
        const struct az_pytorch_call *first = &t->call[t->child[from]];
        for (to = from + 1; to < end; to++)
            if (t->call[t->child[to]].pid != first->pid || t->call[t->child[to]].tid != first->tid)
                break;
        *p = (struct pattern){ .tree = t, .from = from, .to = to };
        if (any_launches(t, from, to) && find_pattern(p))
            return true;
    }
    return false;
}

int az_pytorch_loop_find(struct az_pytorch_loop *l, struct az_pytorch_step_list *out)
{
    struct az_arena a;
    struct tree t;
    struct pattern p;

    az_arena_init(&a, l->calls.mem);
    nest_calls(l);
    int rc = build_tree(&t, l, &a);
    if (rc == 0 && (search_callers(l, &t, &p) || search_threads(&t, &p))) {
        l->length = (uint32_t)p.length;
        rc = add_iterations(&p, out);
    }
    az_arena_release(&a);
    return rc;
}
