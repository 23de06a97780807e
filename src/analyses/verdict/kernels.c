/* The kernels of a rank by name, as far as a comparison with other ranks needs them. */
#include "analyses/verdict/verdict.h"
#include "base/sort.h"
#include "facts/lazy_cache.h"
#include "model/geometry.h"

#define MOST 48 /* names; the rest is small */

struct name_sum {
    uint32_t name;
    int64_t count, ticks;
    double blocks;
};

static int most_time(const void *a, const void *b, void *ctx)
{
    const struct name_sum *x = a, *y = b;
    (void)ctx;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static void add_rows(struct az_verdict *v, struct name_sum *of)
{
    const struct az_events *k = &v->t->ev[AZ_KERNEL];
    for (size_t i = 0; i < k->n; i++) {
        if (k->name[i] == AZ_NO_ID || !az_verdict_in_scope(v, k->start[i]) ||
            az_part_of(v->job, v->trace, AZ_KERNEL, k->name[i]) != AZ_PART_COMPUTE)
            continue;
        const struct az_geometry *g = az_geometry_of(v->t, i);
        struct name_sum *s = &of[k->name[i]];
        s->name = k->name[i];
        s->count++;
        s->ticks += k->end[i] - k->start[i];
        s->blocks += g ? az_geometry_blocks(g) : 0;
    }
}

static int keep_top(struct az_verdict *v, const struct name_sum *of, size_t n)
{
    struct az_verdict_part *p = v->part;
    p->top = az_arena_array(v->keep, n + 1, sizeof *p->top);
    if (!p->top)
        return az_arena_error(v->keep);
    for (size_t i = 0; i < n; i++)
        p->top[i] = (struct az_verdict_kernel){ .name = az_verdict_copy_text(
                                                    v, az_trace_text(v->t, of[i].name)),
                                                .count = of[i].count,
                                                .ns = az_verdict_ns(v, of[i].ticks),
                                                .blocks = of[i].blocks };
    p->n_top = n;
    return v->keep->failed ? az_arena_error(v->keep) : 0;
}

int az_verdict_top_kernels(struct az_verdict *v)
{
    const size_t names = v->t->names.text.n, bytes = (names + 1) * sizeof(struct name_sum);
    if (v->alone || !v->accounts) /* no rank of several */
        return 0;
    struct name_sum *of = az_mem_alloc(v->job->mem, bytes);
    size_t n = 0;
    if (!of)
        return az_mem_error(v->job->mem);
    memset(of, 0, bytes);
    add_rows(v, of);
    for (size_t i = 0; i < names; i++)
        if (of[i].count)
            of[n++] = of[i];
    az_sort_cmp(of, n, sizeof *of, most_time, NULL, v->job->mem);
    int rc = keep_top(v, of, n < MOST ? n : MOST);
    az_mem_free(v->job->mem, of, bytes);
    return rc;
}
