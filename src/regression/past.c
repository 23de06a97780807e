/* What came before a run: its parts, and names of figures. */
#include "regression/past.h"

int az_past_init(struct az_past *p, struct az_arena *arena)
{
    *p = (struct az_past){ .now = 0 };
    az_vec_init(&p->runs, arena->mem);
    az_vec_init(&p->accepted, arena->mem);
    return az_series_init(&p->s, arena);
}

void az_past_release(struct az_past *p)
{
    az_series_release(&p->s);
    az_vec_release(&p->runs);
    az_vec_release(&p->accepted);
}

bool az_figure_meets(struct az_sv key, struct az_sv text, struct az_sv of_row, struct az_arena *a)
{
    if (!key.n || az_sv_eq(key, of_row))
        return true;
    bool wild = memchr(key.p, '*', key.n) || memchr(key.p, '?', key.n) || memchr(key.p, '[', key.n);
    if (!wild)
        return az_sv_ifind(text, key) >= 0;
    struct az_sv inside = az_arena_printf(a, "*%.*s*", AZ_SVF(key));
    return inside.p && az_sv_glob(inside, text);
}
