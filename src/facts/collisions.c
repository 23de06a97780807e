/* Correlation numbers that several launches of a process have. */
#include "facts/collisions.h"

#include <string.h>

#include "base/sort.h"
#include "classify/rules.h"

struct launch {
    uint64_t proc, corr;
    uint32_t row;
};
AZ_VEC(struct launch, launches);

static bool is_launch(struct az_sv name)
{
    const struct az_sv c = az_rules_class("trace_names.rules", "call", name);
    return az_sv_is(c, "launch") || az_sv_is(c, "graph");
}

/* By name, each read once: 1 a launch, 2 none. */
static int list_launches(const struct az_trace *t, struct launches *out)
{
    const struct az_events *e = &t->ev[AZ_CALL];
    const size_t names = t->names.text.n + 1;
    uint8_t *known = az_mem_alloc(t->mem, names);
    int rc = known ? AZ_OK : az_mem_error(t->mem);
    if (known)
        memset(known, 0, names);
    for (size_t i = 0; rc == 0 && i < e->n; i++) {
        const uint32_t name = e->name[i];
        if (e->corr[i] == 0 || name == AZ_NO_ID)
            continue;
        if (!known[name])
            known[name] = is_launch(az_trace_text(t, name)) ? 1 : 2;
        if (known[name] == 1)
            rc = az_vec_push(
                out, ((struct launch){ t->lanes.v[e->lane[i]].proc, e->corr[i], (uint32_t)i }));
    }
    az_mem_free(t->mem, known, known ? names : 0);
    return rc;
}

static int by_number(const void *x, const void *y, void *ctx)
{
    const struct launch *a = x, *b = y;
    (void)ctx;
    if (a->proc != b->proc)
        return a->proc < b->proc ? -1 : 1;
    if (a->corr != b->corr)
        return a->corr < b->corr ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row; /* by start */
}

static bool is_inside(const struct az_trace *t, uint32_t row, uint32_t outer)
{
    const struct az_events *e = &t->ev[AZ_CALL];
    return e->lane[row] == e->lane[outer] && e->start[row] >= e->start[outer] &&
           e->end[row] <= e->end[outer];
}

int az_trace_collisions(const struct az_trace *t, uint64_t *count, uint64_t *of)
{
    struct launches l;
    int rc = AZ_OK;
    *count = *of = 0;
    if (!t->ev[AZ_CALL].corr)
        return AZ_OK;
    az_vec_init(&l, t->mem);
    rc = list_launches(t, &l);
    if (rc == 0)
        rc = az_sort_cmp(l.v, l.n, sizeof *l.v, by_number, NULL, t->mem);
    for (size_t i = 0, k; rc == 0 && i < l.n; i = k) {
        uint64_t apart = 1;
        uint32_t outer = l.v[i].row;
        for (k = i + 1; k < l.n && l.v[k].proc == l.v[i].proc && l.v[k].corr == l.v[i].corr; k++) {
            if (is_inside(t, l.v[k].row, outer))
                continue;
            outer = l.v[k].row;
            apart++;
        }
        *of += apart;
        *count += apart > 1 ? apart : 0;
    }
    az_vec_release(&l);
    return rc;
}
