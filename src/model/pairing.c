#include "model/pairing.h"

#include "base/intern.h"

const char *az_pair_text(enum az_pair_by p)
{
    static const char *const text[AZ_PAIR_COUNT] = {
        [AZ_PAIR_ORDER] = "by order, names equal",
        [AZ_PAIR_NAMES] = "by name, forward",
        [AZ_PAIR_STREAMS] = "by name, each stream forward",
        [AZ_PAIR_NTH] = "by name, the k-th with the k-th",
        [AZ_PAIR_FAMILIES] = "by order, checked by family only",
        [AZ_PAIR_UNNAMED] = "by order, unchecked",
        [AZ_PAIR_MARKS] = "by order between known kernels",
        [AZ_PAIR_NO_CAPTURE] = "no capture of their shape",
        [AZ_PAIR_AMBIGUOUS] = "more than one capture has these kernels",
        [AZ_PAIR_DIFFERENT] = "other kernels than captured",
        [AZ_PAIR_BETWEEN] = "between known kernels, of another number",
        [AZ_PAIR_UNLIKE] = "kernels of other families than the captured operators",
    };
    return text[p];
}

static bool is_kernel(uint32_t key)
{
    return key != (uint32_t)AZ_KEY_COPY && key != (uint32_t)AZ_KEY_FILL;
}

static bool is_pair_of_kinds(uint32_t launch, uint32_t event)
{
    return launch == event || (launch == (uint32_t)AZ_KEY_KERNEL && is_kernel(event));
}

static bool any_unnamed(const struct az_pairing *p)
{
    for (size_t i = 0; i < p->n_launches; i++)
        if (p->launch[i] == (uint32_t)AZ_KEY_KERNEL)
            return true;
    return false;
}

static bool by_order(const struct az_pairing *p)
{
    for (size_t i = 0; i < p->n_events; i++) {
        if (!is_pair_of_kinds(p->launch[i], p->event[i]))
            return false;
        p->launch_of[i] = (uint32_t)i;
    }
    return true;
}

/* Each event is paired with the next launch of its name; launches in between are left over. */
static bool forward(const struct az_pairing *p)
{
    size_t at = 0;
    for (size_t i = 0; i < p->n_events; i++, at++) {
        while (at < p->n_launches && p->launch[at] != p->event[i])
            at++;
        if (at == p->n_launches)
            return false;
        p->launch_of[i] = (uint32_t)at;
    }
    return true;
}

/* ---- events of several streams ---- */
struct streams {
    const struct az_pairing *p;
    uint32_t *next; /* event -> the next one of its lane, n_events */
    uint32_t *head; /* stream -> its first event that is not paired */
    size_t n;
};

static int list_streams(struct streams *s, struct az_map *index)
{
    const struct az_pairing *p = s->p;
    int rc = 0;
    for (size_t i = p->n_events; rc == 0 && i-- > 0;) {
        uint32_t *stream;
        bool added;
        rc = az_map_put(index, p->lane[i], 0, (uint32_t)s->n, &stream, &added);
        if (rc)
            break;
        s->n += added;
        s->next[i] = added ? (uint32_t)p->n_events : s->head[*stream];
        s->head[*stream] = (uint32_t)i;
    }
    return rc;
}

/* How many launches from `at` on are those of the stream, one after the other. */
static size_t run_length(const struct streams *s, size_t stream, size_t at)
{
    size_t n = 0;
    for (uint32_t e = s->head[stream];
         e < s->p->n_events && at + n < s->p->n_launches && s->p->launch[at + n] == s->p->event[e];
         e = s->next[e])
        n++;
    return n;
}

/* Each launch goes to the stream whose next event has its name; of several, to the one that it
 * begins the longest run of. */
static bool take_streams(struct streams *s)
{
    size_t paired = 0;
    for (size_t at = 0; at < s->p->n_launches; at++) {
        size_t best = 0, longest = 0, equal = 0;
        for (size_t k = 0; k < s->n; k++)
            equal += s->head[k] < s->p->n_events && s->p->event[s->head[k]] == s->p->launch[at];
        for (size_t k = 0; equal && k < s->n; k++) {
            if (s->head[k] == s->p->n_events || s->p->event[s->head[k]] != s->p->launch[at])
                continue;
            const size_t n = equal > 1 ? run_length(s, k, at) : 1;
            if (n > longest) {
                longest = n;
                best = k;
            }
        }
        if (longest) {
            s->p->launch_of[s->head[best]] = (uint32_t)at;
            s->head[best] = s->next[s->head[best]];
            paired++;
        }
    }
    return paired == s->p->n_events;
}

static bool by_stream(const struct az_pairing *p, int *rc)
{
    struct streams s = { .p = p };
    struct az_map index;
    const size_t bytes = (p->n_events + 1) * sizeof(uint32_t);
    bool good = false;
    az_map_init(&index, p->mem, 16);
    s.next = az_mem_alloc(p->mem, bytes);
    s.head = az_mem_alloc(p->mem, bytes);
    *rc = s.next && s.head ? 0 : az_mem_error(p->mem);
    if (*rc == 0)
        *rc = list_streams(&s, &index);
    if (*rc == 0)
        good = s.n > 1 && take_streams(&s);
    if (s.next)
        az_mem_free(p->mem, s.next, bytes);
    if (s.head)
        az_mem_free(p->mem, s.head, bytes);
    az_map_release(&index);
    return good;
}

/* ---- the k-th with the k-th ---- */
/* Launches of each name as chains: name -> first of them not paired, launch -> the next. */
static int chain(const struct az_pairing *p, struct az_map *first, uint32_t *next)
{
    int rc = 0;
    for (size_t i = p->n_launches; rc == 0 && i-- > 0;) {
        uint32_t *at;
        bool added;
        rc = az_map_put(first, p->launch[i], 0, (uint32_t)i, &at, &added);
        if (rc)
            break;
        next[i] = added ? UINT32_MAX : *at;
        *at = (uint32_t)i;
    }
    return rc;
}

/* Launches of names that are not replayed at all are left over; of the others none may be. */
static bool take_nth(const struct az_pairing *p, struct az_map *first, const uint32_t *next,
                     int *rc)
{
    for (size_t i = 0; i < p->n_events; i++) {
        uint32_t *at;
        bool added;
        *rc = az_map_put(first, p->event[i], 0, UINT32_MAX, &at, &added);
        if (*rc || *at == UINT32_MAX)
            return false;
        p->launch_of[i] = *at;
        *at = next[*at];
    }
    for (size_t i = 0; i < p->n_events; i++)
        if (az_map_get(first, p->event[i], 0) != UINT32_MAX)
            return false;
    return true;
}

static bool by_count(const struct az_pairing *p, int *rc)
{
    struct az_map first;
    const size_t bytes = (p->n_launches + 1) * sizeof(uint32_t);
    uint32_t *next = az_mem_alloc(p->mem, bytes);
    bool good = false;
    az_map_init(&first, p->mem, p->n_launches);
    *rc = next ? 0 : az_mem_error(p->mem);
    if (*rc == 0)
        *rc = chain(p, &first, next);
    if (*rc == 0)
        good = take_nth(p, &first, next, rc);
    if (next)
        az_mem_free(p->mem, next, bytes);
    az_map_release(&first);
    return good;
}

enum az_pair_by az_pair_launches(const struct az_pairing *p, int *rc)
{
    const bool unnamed = any_unnamed(p);
    *rc = 0;
    if (p->n_events == p->n_launches && by_order(p))
        return unnamed ? AZ_PAIR_UNNAMED : AZ_PAIR_ORDER;
    if (unnamed || p->n_events > p->n_launches)
        return AZ_PAIR_DIFFERENT;
    if (forward(p))
        return AZ_PAIR_NAMES;
    if (by_stream(p, rc))
        return AZ_PAIR_STREAMS;
    return *rc == 0 && by_count(p, rc) ? AZ_PAIR_NTH : AZ_PAIR_DIFFERENT;
}

/* ---- marks ---- */

enum { IS_OP = 1, IS_EVENT = 2 };

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
