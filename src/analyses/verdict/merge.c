/* Findings of several ranks as one, where they mean the same. */
#include "analyses/verdict/verdict.h"
#include "base/num.h"
#include "base/sort.h"

#define ALIKE 4 /* gaps of one finding differ by at most this factor (docs/verdict.md 3.1) */

struct entry { /* a finding of a part */
    const struct az_verdict_found *f;
    uint64_t key;
    size_t part, place;
};
AZ_VEC(struct entry, entries);

static uint64_t mix_text(uint64_t h, struct az_sv s) { return h * 31 + az_hash(s.p, s.n); }

static bool is_idle(const struct az_verdict_found *f)
{
    return f->rule->within == AZ_VERDICT_IN_IDLE;
}

/* Idle time that is mostly in a frame or range has this as its place (sentences_findings.c): the
 * operator in it is none of its meaning, but of a range or an operator that is the cause. */
static bool has_operator(const struct az_verdict_found *f)
{
    return !is_idle(f) || f->cause == AZ_CAUSE_HOST_RANGE || f->cause == AZ_CAUSE_HOST_COMPUTE ||
           !((f->frame.n && 2 * f->in_place[AZ_PLACE_FRAME] >= f->ns) ||
             (f->range.n && 2 * f->in_place[AZ_PLACE_RANGE] >= f->ns));
}

uint64_t az_verdict_key(const struct az_verdict_found *f)
{
    uint64_t h = az_hash(f->rule->name, strlen(f->rule->name));
    h = mix_text(mix_text(mix_text(mix_text(h, f->subject), f->call), f->range), f->frame);
    h = mix_text(mix_text(h, has_operator(f) ? f->operation : AZ_SV("")), f->group);
    if (f->rule->find == az_verdict_find_parallelism) /* short names of several kernels are equal */
        h = mix_text(h, f->row);
    return h * 31 + (uint64_t)f->cause * 7 + (f->has_device ? (uint64_t)f->device + 1 : 0);
}

/* The same meaning together; of these the largest first, then by rank. */
static int by_meaning(const void *x, const void *y, void *ctx)
{
    const struct entry *a = x, *b = y;
    (void)ctx;
    if (a->f->rule != b->f->rule)
        return a->f->rule < b->f->rule ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->f->gain != b->f->gain)
        return a->f->gain > b->f->gain ? -1 : 1;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int list_entries(struct az_verdict_whole *w, struct entries *all)
{
    int rc = 0;
    for (size_t k = 0; k < w->n; k++)
        for (size_t i = 0; rc == 0 && i < w->part[k]->found.n; i++) {
            const struct az_verdict_found *f = &w->part[k]->found.v[i];
            rc = az_vec_push(all, ((struct entry){ f, az_verdict_key(f), k, i }));
        }
    az_sort_cmp(all->v, all->n, sizeof *all->v, by_meaning, NULL, w->job->mem);
    return rc;
}

/* Idle time is averaged over ranks only where it is similar, and never within a rank, whose gaps
 * were grouped already. */
static bool joins(const struct az_verdict_found *first, const struct entry *e, const bool *has)
{
    if (has[e->part])
        return !is_idle(first);
    return !is_idle(first) || (first->gain <= ALIKE * e->f->gain && first->advice == e->f->advice &&
                               first->median <= ALIKE * (e->f->median ? e->f->median : 1) &&
                               e->f->median <= ALIKE * (first->median ? first->median : 1));
}

/* Sizes of copies that a line counts: of all, or it names none. */
static void add_sizes(struct az_verdict_found *o, const struct az_verdict_found *f)
{
    if (o->size_most < 0 || (o->size_most > 0) != (f->size_most > 0)) {
        o->size_least = o->size_most = -1;
        return;
    }
    o->size_least = f->size_least < o->size_least ? f->size_least : o->size_least;
    o->size_most = f->size_most > o->size_most ? f->size_most : o->size_most;
}

/* The detail of the largest finding has its sizes, and the rate of these. */
static void set_sizes_text(struct az_arena *a, struct az_verdict_found *o,
                           const struct az_verdict_found *largest)
{
    if (o->size_most < 0)
        o->detail = AZ_SV("");
    else if (o->size_most > AZ_VERDICT_ALIKE * o->size_least &&
             (o->size_least < largest->size_least || o->size_most > largest->size_most))
        o->detail = az_verdict_sizes_text(a, o->size_least, o->size_most, 0);
}

/* -1: none */
static int64_t add_gains(int64_t a, int64_t b) { return a >= 0 && b >= 0 ? az_add_sat(a, b) : -1; }

static void add_finding(struct az_verdict_found *o, const struct az_verdict_found *f)
{
    add_sizes(o, f);
    if (o->ns + f->ns > 0)
        o->reached =
            (o->reached * (double)o->ns + f->reached * (double)f->ns) / (double)(o->ns + f->ns);
    o->count = o->count >= 0 && f->count >= 0 ? o->count + f->count : -1;
    o->ns = o->ns >= 0 && f->ns >= 0 ? az_add_sat(o->ns, f->ns) : -1;
    o->gain = add_gains(o->gain, f->gain);
    o->faster = o->faster >= 0 && f->faster >= 0 ? az_add_sat(o->faster, f->faster) : -1;
    for (enum az_place p = 0; p < AZ_PLACES; p++)
        if (p != AZ_PLACE_OPERATOR || az_sv_eq(o->operation, f->operation))
            o->in_place[p] = az_add_sat(o->in_place[p], f->in_place[p]);
    o->first_use &= f->first_use;
    o->smallest = o->smallest <= 0 || (f->smallest > 0 && f->smallest < o->smallest) ? f->smallest
                                                                                     : o->smallest;
    o->largest = f->largest > o->largest ? f->largest : o->largest;
}

/* Whose time it is, where not all ranks have it. */
static int name_ranks(struct az_verdict_whole *w, struct az_verdict_found *o, const bool *has)
{
    if (!w->ranks || w->n < 2 || o->has_rank || o->n_ranks || o->parts == w->n)
        return 0;
    int64_t *ranks = az_arena_array(w->job->arena, o->parts, sizeof *ranks);
    size_t n = 0;
    if (!ranks)
        return az_arena_error(w->job->arena);
    for (size_t k = 0; k < w->n; k++)
        if (has[k])
            ranks[n++] = w->rank[k];
    o->has_rank = n == 1;
    o->rank = ranks[0];
    o->ranks = ranks;
    o->n_ranks = n == 1 ? 0 : n;
    return 0;
}

/* Of computation there may be one for each shape, most of them too small for any list. Of the
 * others some change when the waiting of ranks is known. */
static bool is_listed(const struct az_verdict_whole *w, int64_t span,
                      const struct az_verdict_found *o)
{
    return o->rule->within != AZ_VERDICT_IN_COMPUTE || az_verdict_counts(w, span, o);
}

/* Findings of one meaning, from the largest down: each joins the first that is still open. */
static int join_findings(struct az_verdict_whole *w, const struct entry *e, size_t n, bool *taken,
                         bool *has, int64_t span, struct az_verdict_founds *out)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        if (taken[i])
            continue;
        struct az_verdict_found o = *e[i].f;
        memset(has, 0, w->n);
        o.parts = 1;
        has[e[i].part] = true;
        for (size_t k = i + 1; k < n; k++)
            if (!taken[k] && joins(e[i].f, &e[k], has)) {
                add_finding(&o, e[k].f);
                o.parts += !has[e[k].part];
                taken[k] = has[e[k].part] = true;
            }
        if (!is_listed(w, span, &o))
            continue;
        if (!has_operator(&o) && 2 * o.in_place[AZ_PLACE_OPERATOR] < o.ns) /* of one rank only */
            o.operation = AZ_SV("");
        set_sizes_text(w->job->arena, &o, e[i].f);
        rc = name_ranks(w, &o, has);
        if (rc == 0)
            rc = az_vec_push(out, o);
    }
    return rc;
}

/* ---- before any is stored ---- */

static int by_key(const void *x, const void *y, void *ctx)
{
    const struct az_verdict_sum *a = x, *b = y;
    (void)ctx;
    return a->key < b->key ? -1 : a->key > b->key;
}

void az_verdict_sums_list(const struct az_verdict *v, struct az_verdict_sums *s)
{
    struct az_verdict_part *part = v->part;
    const struct az_verdict_whole w = {
        .job = v->job, .part = &part, .n = 1, .devices = part->devices
    };
    const int64_t span = az_verdict_span(&w);
    size_t n = 0;
    az_sort_cmp(s->v, s->n, sizeof *s->v, by_key, NULL, v->job->mem);
    for (size_t i = 0; i < s->n;) {
        struct az_verdict_found sum = { .gain = 0 };
        const uint64_t key = s->v[i].key;
        for (; i < s->n && s->v[i].key == key; i++)
            sum.gain = add_gains(sum.gain, s->v[i].gain);
        if (az_verdict_counts(&w, span, &sum))
            s->v[n++] = (struct az_verdict_sum){ key, sum.gain };
    }
    s->n = n;
    az_vec_trim(s);
}

int az_verdict_merge(struct az_verdict_whole *w, struct az_verdict_founds *out)
{
    struct entries all;
    const int64_t span = az_verdict_span(w);
    az_vec_init(&all, w->job->mem);
    int rc = list_entries(w, &all);
    bool *taken = az_arena_array(w->job->arena, all.n + 1, sizeof *taken);
    bool *has = az_arena_array(w->job->arena, w->n + 1, sizeof *has);
    if (rc == 0 && (!taken || !has))
        rc = az_arena_error(w->job->arena);
    for (size_t i = 0, next; rc == 0 && i < all.n; i = next) {
        for (next = i + 1; next < all.n && all.v[next].key == all.v[i].key &&
                           all.v[next].f->rule == all.v[i].f->rule;
             next++)
            ;
        rc = join_findings(w, &all.v[i], next - i, taken + i, has, span, out);
    }
    az_vec_release(&all);
    return rc;
}
