/* Kernels of ranges that overlap each other. A launch is within a range that starts at or before it
 * and ends at or after it: counting such ranges for a launch is a prefix query on a binary indexed
 * tree over the ends of the ranges, while launches and ranges are swept by start. Ranges that hold
 * at least one kernel of a name are the union of those around its launches; where the launches of
 * the name are taken by start and end, only neighbors have ranges in common that others have not,
 * so the union is the sum over the launches less the sum over neighbors. */
#include "analyses/kernels/range_kernels.h"
#include "base/sort.h"

struct kernel { /* launched by a call of the thread */
    uint32_t launch, place;
    int64_t duration, next; /* next: end of the next launch of the name that counts */
    uint32_t times;         /* ranges around it */
    bool counts;            /* no later launch of the name ends before it */
};
AZ_VEC(struct kernel, kernels);

struct sweep {
    struct az_range_kernels *w;
    const struct az_events *calls;
    struct kernels kernels;
    int64_t *start, *end, *sorted; /* of the ranges: by start; the ends alone, sorted */
    uint32_t *perm, *tree;         /* tree: ranges so far, by place of their end */
    size_t n;
};

static int take_launch(struct sweep *s, size_t launch)
{
    const struct az_range_kernels *w = s->w;
    const struct az_events *k = &w->t->ev[AZ_KERNEL];
    int rc = 0;
    for (uint32_t i = w->l->op_first[launch]; rc == 0 && i < w->l->op_first[launch + 1]; i++) {
        const uint32_t row = az_op_row(w->l->op[i]);
        if (az_op_code(w->l->op[i]) != AZ_OP_KERNEL || k->name[row] >= w->t->names.text.n)
            continue;
        rc = az_range_kernel_place(s->w, k->name[row]);
        if (rc == 0)
            rc = az_vec_push(
                &s->kernels,
                ((struct kernel){ .launch = (uint32_t)launch,
                                  .place = w->slot.v[k->name[row]],
                                  .duration = az_ns(w->t, k->end[row] - k->start[row]) }));
    }
    return rc;
}

/* Which launches of a name count for its ranges, from the last to the first. */
static int choose_counting(struct sweep *s)
{
    const size_t n = s->w->uses.n;
    int64_t *least = az_mem_alloc(s->w->job->mem, (n + 1) * sizeof *least);
    if (!least)
        return az_mem_error(s->w->job->mem);
    for (size_t i = 0; i < n; i++)
        least[i] = INT64_MAX;
    for (size_t i = s->kernels.n; i-- > 0;) {
        struct kernel *k = &s->kernels.v[i];
        const int64_t end = s->calls->end[s->w->l->call[k->launch]];
        k->counts = end < least[k->place];
        k->next = least[k->place];
        least[k->place] = k->counts ? end : least[k->place];
    }
    az_mem_free(s->w->job->mem, least, (n + 1) * sizeof *least);
    return 0;
}

/* Ends less than x. */
static size_t ends_before(const struct sweep *s, int64_t x) { return AZ_LOWER(s->sorted, s->n, x); }

static void add_range(struct sweep *s, int64_t end)
{
    for (size_t i = ends_before(s, end) + 1; i <= s->n; i += i & (~i + 1))
        s->tree[i]++;
}

/* Of `added` ranges those that end at or after x. */
static uint32_t around(const struct sweep *s, size_t added, int64_t x)
{
    uint32_t before = 0;
    for (size_t i = x == INT64_MAX ? s->n : ends_before(s, x); i > 0; i &= i - 1)
        before += s->tree[i];
    return (uint32_t)added - before;
}

static void count(struct sweep *s)
{
    size_t added = 0;
    for (size_t i = 0; i < s->kernels.n; i++) {
        struct kernel *k = &s->kernels.v[i];
        const uint32_t call = s->w->l->call[k->launch];
        struct az_kernel_use *u = &s->w->uses.v[k->place];
        while (added < s->n && s->start[added] <= s->calls->start[call])
            add_range(s, s->end[added++]);
        k->times = around(s, added, s->calls->end[call]);
        if (!k->counts)
            continue;
        u->instances += k->times;
        if (k->next != INT64_MAX)
            u->instances -= around(s, added, k->next);
    }
}

static int by_place(const void *a, const void *b, void *ctx)
{
    const struct kernel *x = a, *y = b;
    (void)ctx;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->duration < y->duration ? -1 : x->duration > y->duration;
}

static int put_rows(struct sweep *s, uint32_t range)
{
    struct az_mem *mem = s->w->job->mem;
    const size_t n = s->kernels.n;
    struct az_repeated *v = az_mem_alloc(mem, (n + 1) * sizeof *v);
    int rc = v ? 0 : az_mem_error(mem);
    if (rc == 0)
        az_sort_cmp(s->kernels.v, n, sizeof *s->kernels.v, by_place, NULL, mem);
    for (size_t i = 0, k; rc == 0 && i < n; i = k) {
        struct az_stats st;
        for (k = i; k < n && s->kernels.v[k].place == s->kernels.v[i].place; k++)
            v[k - i] = (struct az_repeated){ s->kernels.v[k].duration, s->kernels.v[k].times };
        az_stats_repeated(v, k - i, &st);
        if (st.n)
            az_range_kernel_row(s->w, range, &s->w->uses.v[s->kernels.v[i].place], &st);
    }
    az_mem_free(mem, v, (n + 1) * sizeof *v);
    return rc;
}

/* The ranges by start, and their ends. */
static void sort_ranges(struct sweep *s, const uint32_t *item)
{
    const struct az_events *e = &s->w->t->ev[AZ_RANGE];
    for (size_t i = 0; i < s->n; i++)
        s->sorted[i] = e->start[s->w->p->order[item[i]]];
    az_sort_order(s->sorted, s->n, s->perm, s->w->job->mem);
    for (size_t i = 0; i < s->n; i++) {
        const uint32_t row = s->w->p->order[item[s->perm[i]]];
        s->start[i] = e->start[row];
        s->end[i] = e->end[row];
    }
    az_sort_order(s->end, s->n, s->perm, s->w->job->mem);
    for (size_t i = 0; i < s->n; i++)
        s->sorted[i] = s->end[s->perm[i]];
}

static int sweep(struct sweep *s, const uint32_t *item)
{
    const struct az_range_kernels *w = s->w;
    const uint32_t range = w->p->order[item[0]],
                   thread = w->l->thread_of_lane[w->t->ev[AZ_RANGE].lane[range]];
    int rc = 0;
    sort_ranges(s, item);
    for (size_t i = w->l->first[thread]; rc == 0 && i < w->l->first[thread + 1]; i++)
        rc = take_launch(s, i);
    if (rc == 0)
        rc = choose_counting(s);
    if (rc)
        return rc;
    memset(s->tree, 0, (s->n + 1) * sizeof *s->tree);
    count(s);
    return put_rows(s, range);
}

int az_nested_kernels(struct az_range_kernels *w, const uint32_t *item, size_t n)
{
    struct az_mem *mem = w->job->mem;
    struct sweep s = { .w = w, .calls = &w->t->ev[AZ_CALL], .n = n };
    const size_t bytes = (n + 1) * (3 * sizeof(int64_t) + 2 * sizeof(uint32_t));
    int64_t *block = az_mem_alloc(mem, bytes);
    if (!block)
        return az_mem_error(mem);
    s.start = block;
    s.end = s.start + n + 1;
    s.sorted = s.end + n + 1;
    s.perm = (uint32_t *)(s.sorted + n + 1);
    s.tree = s.perm + n + 1;
    az_vec_init(&s.kernels, mem);
    const int rc = sweep(&s, item);
    az_vec_release(&s.kernels);
    az_mem_free(mem, block, bytes);
    return rc;
}
