/* Process groups that transfer slower than their peers: groups of equal kind, size and bytes,
 * and equally inside a host or across hosts. What a group needs is the duration of the member that
 * arrives last, so that no member's delay counts.
 *
 * Test. T(g): median transfer of a group; M: median of T over the peers; scatter: the larger of
 * the deviation of T (1.4826 x median distance from M) and the median of the groups' own deviations
 * over the root of their numbers. A group is named if T > SLOWER x M and T - M > SIGMAS x scatter,
 * and at most a quarter of the peers (of two: one, from TWICE on) are: more of them are another
 * kind of link. The saving is what its collectives take longer than M, less what computation
 * hides. */
#include "analyses/collectives/waiting.h"
#include "base/sort.h"

#define SLOWER 1.3
#define TWICE  2.0
#define SIGMAS 5
#define LEAST  4     /* collectives of a group */
#define SHARE  0.005 /* of the run that it costs at least */

struct transfer {     /* of one collective */
    uint64_t sisters; /* hash of what they have in common */
    uint32_t group, coll;
    double ns;
};
AZ_VEC(struct transfer, transfers);

struct group_time {  /* of one group and kind of collective */
    size_t first, n; /* its transfers */
    double median, deviation;
    bool slow;
};
AZ_VEC(struct group_time, group_times);

static int by_group(const void *a, const void *b, void *ctx)
{
    const struct transfer *x = a, *y = b;
    (void)ctx;
    if (x->sisters != y->sisters)
        return x->sisters < y->sisters ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static int collect(const struct az_coll_run *c, struct transfers *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        const struct az_coll_group *g = &c->groups.v[x->group];
        if (!(x->flags & AZ_COLL_SYNC) ||
            x->flags &
                (AZ_COLL_PARTIAL | AZ_COLL_INCOMPLETE | AZ_COLL_PAIR | AZ_COLL_ARGS_DIFFER) ||
            x->n < 2 || x->bytes <= 0 || x->latency <= 0)
            continue;
        const uint64_t key[] = { (uint64_t)x->kind, x->n, (uint64_t)x->bytes,
                                 az_hash(g->span, strlen(g->span)) };
        rc = az_vec_push(out, ((struct transfer){ .sisters = az_hash(key, sizeof key),
                                                  .group = x->group,
                                                  .coll = (uint32_t)i,
                                                  .ns = (double)x->latency }));
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_group, NULL, c->job->mem);
    return rc;
}

/* Sorted transfers; distance of the quartiles as a deviation. */
static struct group_time time_of(const struct transfers *t, size_t first, size_t n)
{
    const struct transfer *v = t->v + first;
    return (struct group_time){ .first = first,
                                .n = n,
                                .median = (v[(n - 1) / 2].ns + v[n / 2].ns) / 2,
                                .deviation = (v[(3 * n) / 4].ns - v[n / 4].ns) / 1.349 };
}

static int compare_numbers(const void *a, const void *b, void *ctx)
{
    const double x = *(const double *)a, y = *(const double *)b;
    (void)ctx;
    return (x > y) - (x < y);
}

static void median_of(const struct az_coll_run *c, double *v, size_t n, double *out)
{
    az_sort_cmp(v, n, sizeof *v, compare_numbers, NULL, c->job->mem);
    *out = az_coll_middle(v, n);
}

/* Marks those of n peers that are slower than the others; *usual: their median transfer. */
static int judge(const struct az_coll_run *c, struct group_time *g, size_t n, double *v,
                 double *usual)
{
    double among = 0, within = 0;
    size_t slow = 0;
    for (size_t i = 0; i < n; i++)
        v[i] = g[i].median;
    median_of(c, v, n, usual);
    if (n == 2) /* the faster one is the measure, and there is no scatter of groups */
        *usual = v[0];
    for (size_t i = 0; i < n; i++)
        v[i] = fabs(g[i].median - *usual);
    if (n > 2)
        median_of(c, v, n, &among);
    for (size_t i = 0; i < n; i++)
        v[i] = g[i].deviation / sqrt((double)g[i].n);
    median_of(c, v, n, &within);
    const double scatter = 1.4826 * among > within ? 1.4826 * among : within;
    for (size_t i = 0; i < n; i++) {
        g[i].slow = g[i].n >= LEAST && g[i].median > (n == 2 ? TWICE : SLOWER) * *usual &&
                    g[i].median - *usual > SIGMAS * scatter;
        slow += g[i].slow;
    }
    for (size_t i = 0; i < n && 4 * slow > n && !(n < 4 && slow == 1); i++)
        g[i].slow = false;
    return 0;
}

/* "3,11" */
static struct az_sv members_text(const struct az_coll_run *c, const struct az_coll_coll *x)
{
    struct az_sv s = AZ_SV("");
    for (uint32_t i = 0; i < x->n; i++)
        s = az_arena_printf(c->arena, "%.*s%s%lld", AZ_SVF(s), i ? "," : "",
                            (long long)az_coll_rank(c, az_coll_member(c, x, i)));
    return s;
}

/* What its collectives take longer than usual, where no computation hides it. */
static double excess(const struct az_coll_run *c, const struct transfers *t,
                     const struct group_time *g, double usual)
{
    double sum = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct transfer *x = &t->v[g->first + i];
        const struct az_coll_coll *k = &c->colls.v[x->coll];
        const double all =
                         (double)k->hidden + (double)k->exposed_wait + (double)k->exposed_transfer,
                     shown = all > 0 ? 1 - (double)k->hidden / all : 1;
        sum += x->ns > usual ? (x->ns - usual) * shown : 0;
    }
    return sum;
}

static int put_wait(struct az_coll_run *c, struct az_coll_waits *w, const struct transfers *t,
                    const struct group_time *g, size_t sisters, double usual)
{
    const struct az_coll_coll *x = &c->colls.v[t->v[g->first].coll];
    const double saving = excess(c, t, g, usual);
    uint32_t *member = az_arena_array(c->arena, x->n, sizeof *member);
    if (!member)
        return az_arena_error(c->arena);
    for (uint32_t i = 0; i < x->n; i++)
        member[i] = c->rank[az_coll_member(c, x, i)];
    if (saving < SHARE * (double)c->part[member[0]]->span)
        return 0;
    const struct az_sv group = members_text(c, x);
    const struct az_coll_late l = {
        .kind = AZ_LATE_GROUP,
        .member = member,
        .n = x->n,
        .subject =
            az_arena_printf(c->arena, "group %.*s, %s", AZ_SVF(group), az_coll_kind_text(x->kind)),
        .group = group,
        .groups = (int64_t)sisters,
        .count = (int64_t)g->n,
        .each = (int64_t)(g->median - usual),
        .saving = (int64_t)saving,
        .detail = az_arena_printf(c->arena, " takes %.1fx as long as in its %zu peer group%s",
                                  g->median / usual, sisters - 1, sisters == 2 ? "" : "s")
    };
    return az_vec_push(&w->late, l);
}

/* Peers are a run of `times`, their transfers a run of `t`. */
static int judge_all(struct az_coll_run *c, struct az_coll_waits *w, const struct transfers *t,
                     struct group_times *times, double *v)
{
    int rc = 0;
    for (size_t i = 0, j; rc == 0 && i < times->n; i = j) {
        const uint64_t key = t->v[times->v[i].first].sisters;
        double usual;
        for (j = i; j < times->n && t->v[times->v[j].first].sisters == key; j++)
            ;
        if (j - i < 2)
            continue;
        rc = judge(c, times->v + i, j - i, v, &usual);
        for (size_t k = i; rc == 0 && k < j; k++)
            if (times->v[k].slow)
                rc = put_wait(c, w, t, &times->v[k], j - i, usual);
    }
    return rc;
}

int az_coll_slow_groups(struct az_coll_run *c, struct az_coll_waits *w)
{
    struct transfers t;
    struct group_times times;
    az_vec_init(&t, c->job->mem);
    az_vec_init(&times, c->job->mem);
    int rc = collect(c, &t);
    for (size_t i = 0, j; rc == 0 && i < t.n; i = j) {
        for (j = i; j < t.n && t.v[j].sisters == t.v[i].sisters && t.v[j].group == t.v[i].group;
             j++)
            ;
        rc = az_vec_push(&times, time_of(&t, i, j - i));
    }
    double *v = rc ? NULL : az_mem_alloc(c->job->mem, (times.n + 1) * sizeof *v);
    if (rc == 0 && !v)
        rc = az_mem_error(c->job->mem);
    if (rc == 0)
        rc = judge_all(c, w, &t, &times, v);
    az_mem_free(c->job->mem, v, (times.n + 1) * sizeof *v);
    az_vec_release(&times);
    az_vec_release(&t);
    return rc;
}
