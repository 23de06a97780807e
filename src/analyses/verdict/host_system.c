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

uint32_t az_verdict_system_call(const struct az_verdict_host *h, uint32_t thread, int64_t from,
                                int64_t to)
{
    const struct az_verdict_nest *c = &h->system;
    struct name_time v[CALLS];
    size_t n = 0;
    int64_t counted = from; /* calls may be inside others */
    for (size_t i = az_verdict_first_place(c, thread, from); i < c->first[thread + 1]; i++) {
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
