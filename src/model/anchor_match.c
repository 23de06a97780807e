#include "model/anchor_match.h"

#include "base/intern.h"
#include "model/pairing.h"

enum { IS_OP = 1, IS_EVENT = 2 };

static bool is_kernel(uint32_t key)
{
    return key != (uint32_t)AZ_KEY_COPY && key != (uint32_t)AZ_KEY_FILL;
}

static int add_name(struct az_map *names, uint32_t name, uint32_t what)
{
    uint32_t *of;
    bool added;
    const int rc = az_map_put(names, name, 0, what, &of, &added);
    if (rc == 0)
        *of |= what;
    return rc;
}

static int list_names(const struct az_marks *m, struct az_map *names)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < m->n_launches; i++)
        if (is_kernel(m->launch[i]) && m->op[i] != AZ_NO_ID)
            rc = add_name(names, m->op[i], IS_OP);
    for (size_t i = 0; rc == 0 && i < m->n_events; i++)
        if (is_kernel(m->event[i]))
            rc = add_name(names, m->event[i], IS_EVENT);
    return rc;
}

/* The mark: copy, fill, or the name that an operator and its kernel share; AZ_NO_ID: none. */
static uint32_t mark_of(const struct az_map *names, uint32_t key, uint32_t name)
{
    if (!is_kernel(key))
        return key;
    return az_map_get(names, name, 0) == (IS_OP | IS_EVENT) ? name : AZ_NO_ID;
}

struct walk {
    const struct az_marks *m;
    const struct az_map *names;
    size_t launch, event; /* the next ones */
};

/* The first mark from *at on, which becomes its place; AZ_NO_ID: none, and *at is n. */
static uint32_t next_mark(const struct az_map *names, const uint32_t *key, const uint32_t *name,
                          size_t n, size_t *at)
{
    uint32_t mark = AZ_NO_ID;
    for (; *at < n; ++*at) {
        mark = mark_of(names, key[*at], name[*at]);
        if (mark != AZ_NO_ID)
            break;
    }
    return mark;
}

/* Between two marks launches and events of equal number pair by order. */
static bool pair_all(struct walk *w, size_t *paired)
{
    const struct az_marks *m = w->m;
    size_t marks = 0;
    uint32_t mark;
    *paired = 0;
    do {
        size_t launch = w->launch, event = w->event;
        mark = next_mark(w->names, m->launch, m->op, m->n_launches, &launch);
        if (next_mark(w->names, m->event, m->event, m->n_events, &event) != mark)
            return false;
        const bool equal = launch - w->launch == event - w->event;
        for (size_t i = w->event; i < event; i++)
            m->launch_of[i] = equal ? (uint32_t)(w->launch + i - w->event) : AZ_NO_ID;
        *paired += equal ? event - w->event : 0;
        if (mark != AZ_NO_ID) {
            m->launch_of[event] = (uint32_t)launch;
            ++*paired;
            marks++;
        }
        w->launch = launch + 1;
        w->event = event + 1;
    } while (mark != AZ_NO_ID);
    return marks > 0;
}

int az_pair_marks(const struct az_marks *m, size_t *paired)
{
    struct az_map names;
    struct walk w = { .m = m, .names = &names };
    *paired = 0;
    az_map_init(&names, m->mem, 64);
    int rc = list_names(m, &names);
    if (rc == 0 && !pair_all(&w, paired))
        *paired = 0;
    az_map_release(&names);
    return rc;
}
