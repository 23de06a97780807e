/* What came before a run: its parts, and names of figures. */
#include "regression/history_series.h"

#include <math.h>

int az_metric_past_init(struct az_metric_past *p, struct az_arena *arena)
{
    *p = (struct az_metric_past){ .now = 0 };
    az_vec_init(&p->runs, arena->mem);
    az_vec_init(&p->accepted, arena->mem);
    az_vec_init(&p->steps, arena->mem);
    return az_series_init(&p->s, arena);
}

void az_metric_past_release(struct az_metric_past *p)
{
    az_series_release(&p->s);
    az_vec_release(&p->runs);
    az_vec_release(&p->accepted);
    az_vec_release(&p->steps);
}

double az_metric_past_steps_of(const struct az_metric_past *p, struct az_sv input, uint32_t run)
{
    size_t low = 0, high = p->steps.n; /* they are in the order of the runs */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (p->steps.v[middle].run < run)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->steps.n && p->steps.v[low].run == run; low++)
        if (az_sv_eq(p->steps.v[low].input, input))
            return p->steps.v[low].steps;
    return NAN;
}

bool az_metric_matches(struct az_sv key, struct az_sv text, struct az_sv of_row, struct az_arena *a)
{
    if (!key.n || az_sv_eq(key, of_row))
        return true;
    bool wild = memchr(key.p, '*', key.n) || memchr(key.p, '?', key.n) || memchr(key.p, '[', key.n);
    if (!wild)
        return az_sv_ifind(text, key) >= 0;
    struct az_sv inside = az_arena_printf(a, "*%.*s*", AZ_SVF(key));
    return inside.p && az_sv_glob(inside, text);
}
