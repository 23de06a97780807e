/* Ranks that the others wait for: single ones by verdict.c, and sets of ranks that are late
 * together, as the ranks of a host or those at one place of their process groups. In such a set
 * nobody is late against half of his peers; the set as a whole is against the rest.
 *
 * Sets are the ranks of a host, of a place in the smallest process groups, of a process group.
 *
 * Test of a set. E(r): mean over the blocks of the time that rank r does nothing but communicate.
 * The set is late by D = mean of E outside less mean of E inside. It is named if D is above
 * AZ_COLL_STEP_SHARE of the step, above Student's t of the pooled scatter about both means for a
 * chance of FAMILY in all sets tested, and the sets are apart: their closest ranks differ by APART
 * of D. It holds at most half of the ranks. Of sets that overlap the larger D x ranks counts. */
#include "analyses/collectives/waiting.h"
#include "base/human.h"
#include "base/sort.h"

#define FAMILY    0.002
#define APART     0.3
#define LEAST_SET 2

/* ---- exposed time of ranks ---- */
struct exposed_ranks {
    const struct az_coll_blame *m;
    double *e;       /* by rank: mean over the blocks, ns a step; NaN: unknown */
    uint32_t *place; /* by rank: in its process groups; AZ_NO_ROW: no such groups */
    uint32_t *class; /* by rank: first rank of equal program and stage; AZ_NO_ROW: no part */
    double step;
    size_t tested; /* sets */
};

/* Over the blocks that are known of all ranks compared, so that a long step counts for all. */
static void mean_exposed(struct exposed_ranks *x)
{
    const struct az_coll_blame *m = x->m;
    for (size_t r = 0; r < m->ranks; r++) {
        double sum = 0;
        size_t n = 0;
        for (size_t b = 0; b < m->blocks; b++) {
            const double lack = m->lack ? m->lack[r * m->blocks + b] : NAN;
            if (isnan(lack))
                continue;
            sum += m->exposed[r * m->blocks + b];
            n++;
        }
        x->e[r] = n >= AZ_COLL_LEAST_BLOCKS ? sum / (double)(n * m->merged) : NAN;
    }
}

/* Stages of a pipeline wait by their schedule: only ranks of one are compared. */
static void find_classes(struct exposed_ranks *x, const struct az_coll_stages *stages)
{
    const struct az_coll_blame *m = x->m;
    for (uint32_t r = 0; r < m->ranks; r++) {
        x->class[r] = m->component[r] == AZ_NO_ROW ? AZ_NO_ROW : r;
        for (uint32_t q = 0; x->class[r] == r && q < r; q++)
            if (x->class[q] == q && m->class[q] == m->class[r] &&
                (stages->n == 0 || stages->of[q] == stages->of[r]))
                x->class[r] = q;
    }
}

/* Place of each rank in the groups with some but not all ranks, if it is the same in all of one
 * size; the smallest such size counts. */
static void find_places(struct exposed_ranks *x)
{
    const struct az_coll_run *c = x->m->c;
    size_t size = SIZE_MAX;
    for (size_t i = 0; i < c->groups.n; i++) {
        const struct az_coll_group *g = &c->groups.v[i];
        if (g->members && g->n_members > 1 && 2 * g->n_members <= c->ranks->n &&
            g->n_members < size && !g->one_way_pair)
            size = g->n_members;
    }
    for (size_t r = 0; r < x->m->ranks; r++)
        x->place[r] = AZ_NO_ROW;
    for (size_t i = 0; i < c->groups.n; i++) {
        const struct az_coll_group *g = &c->groups.v[i];
        for (size_t k = 0; g->members && g->n_members == size && k < size; k++) {
            const ptrdiff_t r = az_ranks_find(c->ranks, g->members[k]);
            if (r >= 0)
                x->place[r] = (uint32_t)k;
        }
    }
}

/* ---- sets ---- */
enum set_kind { BY_HOST, BY_PLACE, BY_GROUP };
struct late_set {
    uint32_t *member;
    size_t n;
    double delay; /* ns a step */
    enum set_kind kind;
    uint32_t key; /* host, place, or process group */
};
AZ_VEC(struct late_set, late_sets);

struct moments {
    double sum, squares, least, most;
    size_t n;
};
static void add_moment(struct moments *s, double v)
{
    s->sum += v;
    s->squares += v * v;
    s->least = s->n == 0 || v < s->least ? v : s->least;
    s->most = s->n == 0 || v > s->most ? v : s->most;
    s->n++;
}

/* Delay of the ranks marked in `in` against the others of the class; 0: not late. */
static double delay_of(const struct exposed_ranks *x, uint32_t class, const bool *in)
{
    struct moments inside = { 0 }, outside = { 0 };
    for (size_t r = 0; r < x->m->ranks; r++)
        if (x->class[r] == class && !isnan(x->e[r]))
            add_moment(in[r] ? &inside : &outside, x->e[r]);
    if (inside.n < LEAST_SET || outside.n < LEAST_SET || inside.n > outside.n)
        return 0;
    const double ni = (double)inside.n, no = (double)outside.n,
                 delay = outside.sum / no - inside.sum / ni,
                 rest = inside.squares - inside.sum * inside.sum / ni + outside.squares -
                        outside.sum * outside.sum / no,
                 scatter = rest > 0 ? sqrt(rest / (ni + no - 2)) : 0;
    const double chance = FAMILY / (double)(x->tested ? x->tested : 1),
                 q = az_coll_t_above(chance, ni + no - 2);
    if (delay <= AZ_COLL_STEP_SHARE * x->step || delay <= q * scatter * sqrt(1 / ni + 1 / no) ||
        outside.least - inside.most < APART * delay)
        return 0;
    return delay;
}

static int64_t key_of(const struct exposed_ranks *x, size_t r, enum set_kind kind)
{
    return kind == BY_HOST            ? x->m->c->node[r]
           : x->place[r] == AZ_NO_ROW ? -1
                                      : (int64_t)x->place[r];
}

/* The ranks of `class` with this key. */
static void mark_ranks(const struct exposed_ranks *x, uint32_t class, enum set_kind kind,
                       int64_t key, bool *in)
{
    for (size_t r = 0; r < x->m->ranks; r++)
        in[r] = x->class[r] == class && !isnan(x->e[r]) && key_of(x, r, kind) == key;
}

/* Is r the first rank of its class with its key? */
static bool begins_set(const struct exposed_ranks *x, size_t r, enum set_kind kind)
{
    const int64_t key = key_of(x, r, kind);
    if (key < 0 || isnan(x->e[r]) || x->class[r] == AZ_NO_ROW)
        return false;
    for (size_t q = 0; q < r; q++)
        if (x->class[q] == x->class[r] && !isnan(x->e[q]) && key_of(x, q, kind) == key)
            return false;
    return true;
}

static int try_set(struct exposed_ranks *x, uint32_t class, const bool *in, enum set_kind kind,
                   uint32_t key, struct late_sets *out)
{
    struct late_set s = { .delay = delay_of(x, class, in), .kind = kind, .key = key };
    struct az_arena *a = x->m->c->arena;
    if (s.delay <= 0)
        return 0;
    s.member = az_arena_array(a, x->m->ranks + 1, sizeof *s.member);
    if (!s.member)
        return az_arena_error(a);
    for (uint32_t q = 0; q < x->m->ranks; q++)
        if (in[q])
            s.member[s.n++] = q;
    return az_vec_push(out, s);
}

/* Members of a process group, all of one class: *class; AZ_NO_ROW: they are not. */
static void mark_group(const struct exposed_ranks *x, const struct az_coll_group *g, bool *in,
                       uint32_t *class)
{
    memset(in, 0, x->m->ranks * sizeof *in);
    *class = AZ_NO_ROW;
    for (size_t k = 0; g->members && k < g->n_members; k++) {
        const ptrdiff_t r = az_ranks_find(x->m->c->ranks, g->members[k]);
        if (r < 0 || isnan(x->e[r]) || (k && x->class[r] != *class)) {
            *class = AZ_NO_ROW;
            return;
        }
        *class = x->class[r];
        in[r] = true;
    }
}

static int try_groups(struct exposed_ranks *x, bool *in, struct late_sets *out)
{
    const struct az_coll_run *c = x->m->c;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->groups.n; i++) {
        uint32_t class;
        mark_group(x, &c->groups.v[i], in, &class);
        if (class != AZ_NO_ROW)
            rc = try_set(x, class, in, BY_GROUP, (uint32_t)i, out);
    }
    return rc;
}

static int find_sets(struct exposed_ranks *x, bool *in, struct late_sets *out)
{
    int rc = 0;
    for (enum set_kind k = BY_HOST; k <= BY_PLACE; k++)
        for (size_t r = 0; r < x->m->ranks; r++)
            x->tested += begins_set(x, r, k);
    x->tested += x->m->c->groups.n;
    for (enum set_kind k = BY_HOST; k <= BY_PLACE; k++)
        for (size_t r = 0; rc == 0 && r < x->m->ranks; r++) {
            if (!begins_set(x, r, k))
                continue;
            const int64_t key = key_of(x, r, k);
            mark_ranks(x, x->class[r], k, key, in);
            rc = try_set(x, x->class[r], in, k, (uint32_t)key, out);
        }
    return rc ? rc : try_groups(x, in, out);
}

/* ---- findings ---- */
static int64_t whole_steps(const struct az_coll_blame *m)
{
    return m->n_numbers ? (int64_t)m->n_numbers : (int64_t)(m->blocks * m->merged);
}

static int64_t limited(const struct az_coll_run *c, uint32_t r, double saving)
{
    const double span = (double)c->part[r]->span;
    return (int64_t)(saving < span ? saving : span);
}

static struct az_sv delay_text(const struct az_coll_run *c, double ns)
{
    char each[AZ_HUMAN_MAX];
    az_human_time((int64_t)ns, each);
    return az_arena_printf(c->arena, ", late by %s per step", each);
}

/* "3,11" */
static struct az_sv members_text(const struct az_coll_run *c, const struct late_set *s)
{
    struct az_sv text = AZ_SV("");
    for (size_t i = 0; i < s->n; i++)
        text = az_arena_printf(c->arena, "%.*s%s%lld", AZ_SVF(text), i ? "," : "",
                               (long long)c->ranks->v[s->member[i]].rank);
    return text;
}

static struct az_sv group_text(const struct az_coll_run *c, const struct late_set *s)
{
    const struct az_sv host = c->ranks->v[s->member[0]].host;
    if (s->kind == BY_HOST)
        return host.n ? host : az_arena_printf(c->arena, "node%u", s->key);
    return s->kind == BY_GROUP ? members_text(c, s) : AZ_SV("");
}

/* "ranks 8-15 of node1", "ranks 0, 4, 8 (position 0 in their groups)" */
static struct az_sv set_text(const struct az_coll_run *c, const struct late_set *s,
                             struct az_sv list)
{
    struct az_arena *a = c->arena;
    if (s->kind == BY_HOST)
        return az_arena_printf(a, "ranks %.*s of %.*s", AZ_SVF(list), AZ_SVF(group_text(c, s)));
    return s->kind == BY_PLACE ? az_arena_printf(a, "ranks %.*s (position %u in their groups)",
                                                 AZ_SVF(list), s->key)
                               : az_arena_printf(a, "process group of ranks %.*s", AZ_SVF(list));
}

static int put_set(struct exposed_ranks *x, struct az_coll_waits *w, const struct late_set *s)
{
    const struct az_coll_run *c = x->m->c;
    int64_t *rank = az_arena_array(c->arena, s->n + 1, sizeof *rank);
    if (!rank)
        return az_arena_error(c->arena);
    for (size_t i = 0; i < s->n; i++)
        rank[i] = c->ranks->v[s->member[i]].rank;
    const struct az_coll_late l = { .kind = AZ_LATE_RANKS,
                                    .member = s->member,
                                    .n = s->n,
                                    .subject = set_text(c, s, az_rank_list(c->arena, rank, s->n)),
                                    .group = group_text(c, s),
                                    .count = whole_steps(x->m),
                                    .each = (int64_t)s->delay,
                                    .step = (int64_t)s->delay,
                                    .saving = limited(c, s->member[0],
                                                      s->delay * (double)whole_steps(x->m)),
                                    .detail = delay_text(c, s->delay) };
    return az_vec_push(&w->late, l);
}

/* A rank that takes longer hides transfers that the others do not, and ending its delay ends no
 * more than the time that the others' collectives wait for it. */
static double gain_of(const struct az_coll_blame *m, uint32_t r, const struct az_coll_verdict *v)
{
    const double waited = m->caused[r] / (double)m->merged;
    return m->synced[r] && waited < v->delay ? waited : v->delay;
}

static int put_rank(struct az_coll_run *c, struct az_coll_waits *w, const struct az_coll_blame *m,
                    uint32_t r, const struct az_coll_verdict *v)
{
    const double gain = gain_of(m, r, v);
    uint32_t *member = az_arena_array(c->arena, 1, sizeof *member);
    if (!member)
        return az_arena_error(c->arena);
    *member = r;
    const struct az_coll_late l = { .kind = c->of ? AZ_LATE_DEVICE : AZ_LATE_RANKS,
                                    .member = member,
                                    .n = 1,
                                    .subject = az_coll_rank_name(c, r),
                                    .count = (int64_t)v->steps,
                                    .each = (int64_t)v->delay,
                                    .step = (int64_t)gain,
                                    .saving = limited(c, r, gain * (double)v->steps),
                                    .detail = delay_text(c, v->delay) };
    return az_vec_push(&w->late, l);
}

static int most_delay(const void *a, const void *b, void *ctx)
{
    const struct late_set *x = a, *y = b;
    const double p = x->delay * (double)x->n, q = y->delay * (double)y->n;
    (void)ctx;
    if (p != q)
        return p > q ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->member[0] > y->member[0]) - (x->member[0] < y->member[0]);
}

/* Sets that share no rank, and single ranks that are in none. */
static int put_ranks(struct az_coll_run *c, struct exposed_ranks *x, struct az_coll_waits *w,
                     struct late_sets *sets, struct az_coll_verdict *verdict)
{
    bool *named = az_arena_array(x->m->a, x->m->ranks + 1, sizeof *named);
    if (!named)
        return az_arena_error(x->m->a);
    int rc = 0;
    az_sort_cmp(sets->v, sets->n, sizeof *sets->v, most_delay, NULL, c->job->mem);
    for (size_t i = 0; rc == 0 && i < sets->n; i++) {
        const struct late_set *s = &sets->v[i];
        bool taken = false;
        for (size_t k = 0; k < s->n; k++)
            taken |= named[s->member[k]];
        for (size_t k = 0; !taken && k < s->n; k++)
            named[s->member[k]] = true;
        rc = taken ? 0 : put_set(x, w, s);
    }
    for (uint32_t r = 0; rc == 0 && r < x->m->ranks; r++) {
        /* against a late set of half of the ranks everybody of it looks late by half */
        if (named[r])
            verdict[r].straggler = verdict[r].judged;
        else if (verdict[r].straggler)
            rc = put_rank(c, w, x->m, r, &verdict[r]);
    }
    return rc;
}

static int find_ranks(struct az_coll_run *c, const struct az_coll_blame *m, struct az_coll_waits *w,
                      struct az_coll_verdict *verdict)
{
    struct exposed_ranks x = { .m = m };
    struct late_sets sets;
    bool *in = az_arena_array(m->a, m->ranks + 1, sizeof *in);
    x.e = az_arena_array(m->a, m->ranks + 1, sizeof *x.e);
    x.place = az_arena_array(m->a, m->ranks + 1, sizeof *x.place);
    x.class = az_arena_array(m->a, m->ranks + 1, sizeof *x.class);
    if (!in || !x.e || !x.place || !x.class)
        return az_arena_error(m->a);
    for (size_t r = 0; r < m->ranks; r++)
        x.step = verdict[r].judged && verdict[r].step > x.step ? verdict[r].step : x.step;
    az_vec_init(&sets, c->job->mem);
    mean_exposed(&x);
    find_classes(&x, &w->stages);
    find_places(&x);
    int rc = c->of ? 0 : find_sets(&x, in, &sets);
    if (rc == 0)
        rc = put_ranks(c, &x, w, &sets, verdict);
    az_vec_release(&sets);
    return rc;
}

static int most_saving(const void *a, const void *b, void *ctx)
{
    const struct az_coll_late *x = a, *y = b;
    (void)ctx;
    if (x->saving != y->saving)
        return x->saving > y->saving ? -1 : 1;
    return az_sv_cmp(x->subject, y->subject);
}

static struct az_coll_waits **place_of(struct az_job *job, void ***slot)
{
    static const char what;
    *slot = az_job_slot(job, &what);
    return (struct az_coll_waits **)*slot;
}

const struct az_coll_waits *az_coll_waits_of(struct az_job *job)
{
    void **slot;
    struct az_coll_waits **w = place_of(job, &slot);
    const struct az_coll_waits *made = w ? *w : NULL;
    az_job_leave(job, slot);
    return made;
}

int az_coll_waiting(struct az_coll_run *c, const struct az_coll_blame *m,
                    struct az_coll_verdict *verdict)
{
    struct az_coll_waits *w = az_arena_alloc(c->arena, sizeof *w);
    void **slot;
    if (!w)
        return az_arena_error(c->arena);
    w->c = c;
    w->judged = m->blocks >= AZ_COLL_LEAST_BLOCKS;
    az_vec_init(&w->late, c->job->mem);
    int rc = az_coll_pipeline(c, m, w);
    if (rc == 0 && w->judged)
        rc = find_ranks(c, m, w, verdict);
    if (rc == 0)
        rc = az_coll_slow_groups(c, w);
    if (rc == 0)
        rc = az_coll_absent(c, w);
    az_sort_cmp(w->late.v, w->late.n, sizeof *w->late.v, most_saving, NULL, c->job->mem);
    /* the list outlives this call in the arena */
    struct az_coll_late *held = az_arena_array(c->arena, w->late.n + 1, sizeof *held);
    if (held && w->late.n)
        memcpy(held, w->late.v, w->late.n * sizeof *held);
    const size_t n = w->late.n;
    az_vec_release(&w->late);
    w->late = (struct az_coll_late_list){ .v = held, .n = held ? n : 0 };
    if (rc == 0 && (!held || c->arena->failed))
        rc = az_arena_error(c->arena);
    struct az_coll_waits **place = place_of(c->job, &slot);
    if (place)
        *place = rc ? NULL : w;
    az_job_leave(c->job, slot);
    return rc ? rc : place ? 0 : az_arena_error(c->arena);
}
