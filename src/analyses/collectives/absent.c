/* Waiting for a rank without a file. Of a collective that lacks a member the wait for it cannot be
 * seen; but if all members that are there need far longer than the same collective does elsewhere
 * in the run, and equally long, none of them is waited for: the absent one is.
 *
 * A collective counts if its shortest duration is above LONGER times the usual one (the tenth of
 * those of equal kind, size and bytes) and its members differ by at most EQUAL of what is more. The
 * finding needs SHARE of the run: transfers vary, too. */
#include "analyses/collectives/waiting.h"
#include "base/sort.h"

#define LONGER 3.0
#define EQUAL  0.25
#define SHARE  0.1
#define LEAST  8 /* collectives of a kind */

struct lasting { /* a collective */
    uint64_t key;
    uint32_t coll;
    int64_t ns;
};
AZ_VEC(struct lasting, lastings);

static int by_key(const void *a, const void *b, void *ctx)
{
    const struct lasting *x = a, *y = b;
    (void)ctx;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

static int collect(const struct az_coll_run *c, struct lastings *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < c->colls.n; i++) {
        const struct az_coll_coll *x = &c->colls.v[i];
        if (!(x->flags & AZ_COLL_SYNC) || x->flags & (AZ_COLL_INCOMPLETE | AZ_COLL_PAIR) ||
            x->n < 2 || x->bytes <= 0 || x->latency <= 0)
            continue;
        const uint64_t key[] = { (uint64_t)x->kind, (uint64_t)x->expected, (uint64_t)x->bytes };
        rc = az_vec_push(out,
                         ((struct lasting){ az_hash(key, sizeof key), (uint32_t)i, x->latency }));
    }
    az_sort_cmp(out->v, out->n, sizeof *out->v, by_key, NULL, c->job->mem);
    return rc;
}

/* Time that a collective takes longer than usual because of a member that has no file; 0. */
static double wait_of(const struct az_coll_coll *x, double usual)
{
    const double more = (double)x->latency - usual,
                 all = (double)(x->hidden + x->exposed_wait + x->exposed_transfer);
    if (!(x->flags & AZ_COLL_PARTIAL) || (double)x->latency < LONGER * usual ||
        (double)(x->longest - x->latency) > EQUAL * more)
        return 0;
    return all > 0 ? more * (1 - (double)x->hidden / all) : more;
}

static int put_waits(struct az_coll_run *c, struct az_coll_waits *w, double sum, int64_t count)
{
    const struct az_ranks *rs = c->ranks;
    const bool certain = rs->n_missing == 1;
    const struct az_sv list = az_rank_list(c->arena, rs->missing, rs->n_missing);
    const struct az_coll_late l = {
        .kind = AZ_LATE_ABSENT,
        .member = NULL,
        .subject = certain ? az_arena_printf(c->arena, "rank %.*s", AZ_SVF(list))
                           : az_arena_printf(c->arena, "one of the ranks %.*s", AZ_SVF(list)),
        .group = AZ_SV(""),
        .count = count,
        .each = (int64_t)(sum / (double)count),
        .saving = (int64_t)sum,
        .detail = AZ_SV(" (no file): all other ranks wait equally long")
    };
    return az_vec_push(&w->late, l);
}

int az_coll_absent(struct az_coll_run *c, struct az_coll_waits *w)
{
    struct lastings all;
    double sum = 0;
    int64_t count = 0, span = 0;
    if (c->of || c->ranks->n_missing == 0)
        return 0;
    az_vec_init(&all, c->job->mem);
    int rc = collect(c, &all);
    for (size_t i = 0, j; rc == 0 && i < all.n; i = j) {
        for (j = i; j < all.n && all.v[j].key == all.v[i].key; j++)
            ;
        const size_t tenth = (j - i) / 10;
        const double usual = (double)all.v[i + tenth].ns;
        for (size_t k = i; k < j && j - i >= LEAST; k++) {
            const double wait = wait_of(&c->colls.v[all.v[k].coll], usual);
            sum += wait;
            count += wait > 0;
        }
    }
    for (size_t r = 0; r < c->ranks->n; r++)
        span = c->part[r] && c->part[r]->span > span ? c->part[r]->span : span;
    if (rc == 0 && count && sum >= SHARE * (double)span && sum <= (double)span)
        rc = put_waits(c, w, sum, count);
    az_vec_release(&all);
    return rc;
}
