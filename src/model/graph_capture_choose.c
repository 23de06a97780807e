#include "model/graph_capture_internal.h"

static bool any_unnamed(const struct az_capture_root *x, const struct az_captures *c)
{
    for (size_t i = 0; i < x->n_launches; i++)
        if (c->launches.v[x->first_launch + i] == (uint32_t)AZ_KEY_KERNEL)
            return true;
    return false;
}

int az_capture_attach_prepare(struct az_grafting *g)
{
    const struct az_capture_roots *all = &g->o->captures.roots;
    int rc = az_vec_reserve(&g->learned, all->n);
    for (size_t i = 0; rc == 0 && i < all->n; i++) {
        g->has_full |= all->v[i].mode == AZ_CAPTURE_FULL;
        g->has_parts |= all->v[i].mode == AZ_CAPTURE_PIECEWISE;
        g->unknown += all->v[i].batch < 0;
        g->missing |= all->v[i].batch < 0 && all->v[i].n_launches == 0;
        g->learned.v[i] = 0;
        g->unnamed += any_unnamed(&all->v[i], &g->o->captures);
    }
    return rc;
}

/* ---- which captures may be it ---- */
/* Roots: those of the smallest captured batch that is not less than the step's, captured as one
 * graph or in parts; a run, as they are sorted. Roots of no known batch are none of these, if any
 * is known. Of a step without a batch only where all roots have the same one. */
static size_t roots_of(const struct az_grafting *g, const struct az_replay *r, bool parts,
                       size_t *first)
{
    const struct az_capture_roots *all = &g->o->captures.roots;
    const int64_t wanted = az_replay_batch(&g->replays, r, parts);
    const uint8_t other = !g->has_full || !g->has_parts ? AZ_CAPTURE_MODES
                          : parts                       ? AZ_CAPTURE_FULL
                                                        : AZ_CAPTURE_PIECEWISE;
    size_t n = 0, lo = 0;
    for (size_t hi = all->n; wanted >= 0 && g->unknown < all->n && lo < hi;) {
        const size_t mid = lo + (hi - lo) / 2;
        if (all->v[mid].batch < wanted)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (size_t i = lo; i < all->n; i++) {
        const struct az_capture_root *x = &all->v[i];
        if (x->mode == other || (wanted >= 0 && x->batch >= 0 && x->batch < wanted))
            continue;
        if (n && x->batch != all->v[*first].batch)
            return wanted < 0 || all->v[*first].batch < 0 ? 0 : n;
        if (n && i != *first + n)
            return n;
        *first = n ? *first : i;
        n++;
    }
    return n;
}

/* ---- pairing ---- */
static bool names_kernels(const struct az_grafting *g, size_t root)
{
    return g->learned.v[root] == 0;
}

/* Of a root that does not name its kernels, and launches them in another number. */
static enum az_pair_by pair_marks(struct az_grafting *g, size_t root, struct az_pairing *p, int *rc)
{
    const struct az_captures *c = &g->o->captures;
    const struct az_captured_node *node = c->nodes.v + c->roots.v[root].first_node;
    enum az_likeness likeness;
    size_t paired = 0;
    *rc = az_plausible_ops(&g->plausible, c, root);
    if (*rc == 0)
        *rc = az_vec_reserve(&g->op_name, p->n_launches);
    for (size_t i = 0; *rc == 0 && i < p->n_launches; i++) {
        const uint32_t op = g->plausible.op_of.v[i];
        g->op_name.v[i] = op == AZ_NO_ROW ? AZ_NO_ID : node[op].name;
    }
    const struct az_marks m = { .launch = p->launch,
                                .op = g->op_name.v,
                                .n_launches = p->n_launches,
                                .event = p->event,
                                .n_events = p->n_events,
                                .launch_of = p->launch_of,
                                .mem = p->mem };
    if (*rc == 0)
        *rc = az_pair_marks(&m, &paired);
    if (*rc || paired == 0)
        return AZ_PAIR_DIFFERENT;
    *rc = az_plausible_pairing(&g->plausible, c, root, p->event, p->launch_of, p->n_events,
                               &likeness);
    return *rc || likeness == AZ_UNLIKE ? AZ_PAIR_UNLIKE : AZ_PAIR_MARKS;
}

/* A root without launches stands for a capture that could not be read. */
static enum az_pair_by pair_root(struct az_grafting *g, size_t root, int *rc)
{
    const struct az_captures *c = &g->o->captures;
    const struct az_capture_root *x = &c->roots.v[root];
    struct az_pairing p = { .launch = x->n_launches ? c->launches.v + x->first_launch : NULL,
                            .n_launches = x->n_launches,
                            .event = g->key.v,
                            .lane = g->lane.v,
                            .n_events = g->gpu.n,
                            .launch_of = g->launch_of.v,
                            .mem = g->t->mem };
    enum az_likeness likeness;
    if (x->n_launches == 0)
        return AZ_PAIR_NO_CAPTURE;
    const enum az_pair_by by = az_pair_launches(&p, rc);
    if (*rc == 0 && by == AZ_PAIR_DIFFERENT && any_unnamed(x, c))
        return pair_marks(g, root, &p, rc);
    if (*rc || !az_paired(by))
        return by;
    if (!names_kernels(g, root)) /* by the names of an earlier launch */
        return (enum az_pair_by)(g->learned.v[root] - 1);
    if (by != AZ_PAIR_UNNAMED)
        return by;
    *rc =
        az_plausible_pairing(&g->plausible, c, root, g->key.v, g->launch_of.v, g->gpu.n, &likeness);
    return *rc                         ? AZ_PAIR_DIFFERENT
           : likeness == AZ_UNLIKE     ? AZ_PAIR_UNLIKE
           : likeness == AZ_CANNOT_SAY ? AZ_PAIR_UNNAMED
                                       : AZ_PAIR_FAMILIES;
}

/* Launches of one graph run the same kernels: where the capture does not name them, its first
 * launch does, and the others must agree. */
static void learn(struct az_grafting *g, size_t root, enum az_pair_by by)
{
    uint32_t *launch = g->o->captures.launches.v + g->o->captures.roots.v[root].first_launch;
    if ((by != AZ_PAIR_FAMILIES && by != AZ_PAIR_UNNAMED) || g->learned.v[root])
        return;
    for (size_t i = 0; i < g->gpu.n; i++)
        launch[g->launch_of.v[i]] = g->key.v[i];
    g->learned.v[root] = (uint8_t)(by + 1);
    g->unnamed--;
}

bool az_capture_attach_may_learn(const struct az_grafting *g, enum az_pair_by by)
{
    return g->unnamed && (by == AZ_PAIR_DIFFERENT || by == AZ_PAIR_MARKS);
}

/* ---- choosing ---- */
struct found {
    size_t root, fitting, equal; /* how many fit, and with the names in the same order */
    enum az_pair_by by;
};

/* Of a run of roots those whose kernels have the names, or the families, of the launch's. */
static void search(struct az_grafting *g, size_t first, size_t n, struct found *f, int *rc)
{
    for (size_t i = first; *rc == 0 && i < first + n; i++) {
        const enum az_pair_by by = pair_root(g, i, rc);
        if (!az_paired(by) || by == AZ_PAIR_UNNAMED || by == AZ_PAIR_MARKS)
            continue;
        f->equal += by == AZ_PAIR_ORDER;
        f->fitting++;
        if (f->fitting == 1 || (by == AZ_PAIR_ORDER && f->equal == 1)) {
            f->root = i;
            f->by = by;
        }
    }
}

/* A root of no known batch may be of the step's, where no known one has just that: a launch whose
 * kernels it has, too, stays undecided, as does one with missing kernels. */
static enum az_pair_by may_be_unknown(struct az_grafting *g, const struct az_replay *r, bool parts,
                                      size_t first, int *rc)
{
    struct found f = { .root = 0 };
    if (g->unknown == 0 || g->unknown == g->o->captures.roots.n ||
        g->o->captures.roots.v[first].batch == az_replay_batch(&g->replays, r, parts))
        return AZ_PAIR_ORDER;
    if (g->missing)
        return AZ_PAIR_NO_CAPTURE;
    search(g, 0, g->unknown, &f, rc);
    return f.fitting ? AZ_PAIR_AMBIGUOUS : AZ_PAIR_ORDER;
}

/* One root serves every launch; of as many as the step has launches, that of the same place. Else
 * the only one of that batch, of either mode, whose kernels are those of the launch. */
enum az_pair_by az_capture_attach_choose(struct az_grafting *g, const struct az_replay *r,
                                         size_t *root, int *rc)
{
    const bool parts = g->has_parts && (r->of > 1 || !g->has_full);
    size_t first = 0, others = 0, n_others = 0;
    const size_t n = roots_of(g, r, parts, &first);
    enum az_pair_by by = AZ_PAIR_NO_CAPTURE;
    struct found f = { .root = 0 };

    *rc = 0;
    if (n) {
        const enum az_pair_by unknown = may_be_unknown(g, r, parts, first, rc);
        if (*rc || !az_paired(unknown))
            return unknown;
    }
    if (n == 1 || (n && n == r->of)) {
        *root = first + (n == r->of ? r->position : 0);
        by = pair_root(g, *root, rc);
        /* marks alone are weaker than equal kernels of the other mode */
        if (*rc || (az_paired(by) && (by != AZ_PAIR_MARKS || !(g->has_full && g->has_parts)))) {
            if (*rc == 0)
                learn(g, *root, by);
            return by;
        }
    }
    if (g->has_full && g->has_parts)
        n_others = roots_of(g, r, !parts, &others);
    if (n > 1)
        search(g, first, n, &f, rc);
    if (*rc == 0)
        search(g, others, n_others, &f, rc);
    if (*rc == 0 && f.fitting == 0 && by == AZ_PAIR_MARKS) { /* again: the search tried others */
        by = pair_root(g, *root, rc);
        if (*rc == 0)
            learn(g, *root, by);
        return by;
    }
    if (*rc || f.fitting == 0)
        return by == AZ_PAIR_NO_CAPTURE && n > 1 ? AZ_PAIR_DIFFERENT : by;
    if (f.fitting > 1 && f.equal != 1)
        return AZ_PAIR_AMBIGUOUS;
    *root = f.root;
    by = pair_root(g, *root, rc);
    if (*rc == 0)
        learn(g, *root, by);
    return by;
}
