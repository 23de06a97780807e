/* Calls of the operating system, which no call of the device's libraries contains. */
#include "analyses/verdict/host.h"

enum { CALLS = 8 }; /* names counted in one interval */
struct name_time {
    uint32_t name;
    int64_t ticks;
};

static void add_time(struct name_time *v, size_t *n, uint32_t name, int64_t ticks)
{
    size_t i = 0;
    while (i < *n && v[i].name != name)
        i++;
    if (i == CALLS)
        return;
    if (i == *n)
        v[(*n)++] = (struct name_time){ name, 0 };
    v[i].ticks += ticks;
}

/* The place of the outermost call that runs at a time, else that of the first one after it. */
static size_t first_at(const struct az_verdict_nest *c, uint32_t thread, int64_t at)
{
    const size_t place = az_verdict_place_at(c, thread, at);
    size_t first = place;
    if (place == c->first[thread])
        return place;
    for (uint32_t p = (uint32_t)place - 1; p != AZ_NO_ROW; p = c->up[p])
        if (c->e->end[az_verdict_row(c, p)] > at)
            first = p;
    return first;
}

uint32_t az_verdict_system_call(const struct az_verdict_host *h, uint32_t thread, int64_t from,
                                int64_t to)
{
    const struct az_verdict_nest *c = &h->system;
    struct name_time v[CALLS];
    size_t n = 0;
    int64_t counted = from; /* calls may be inside others */
    for (size_t i = first_at(c, thread, from); i < c->first[thread + 1]; i++) {
        const uint32_t row = az_verdict_row(c, i);
        const int64_t start = c->e->start[row] > counted ? c->e->start[row] : counted,
                      end = c->e->end[row] < to ? c->e->end[row] : to;
        if (start >= to)
            break;
        if (end > start)
            add_time(v, &n, c->e->name[row], end - start);
        counted = end > counted ? end : counted;
    }
    for (size_t i = 0; i < n; i++)
        if (2 * v[i].ticks >= to - from)
            return v[i].name;
    return AZ_NO_ID;
}
