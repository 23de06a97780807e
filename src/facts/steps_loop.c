/* Is what is between two kernels of one kind the body of a loop (docs/steps.md 3.2 to 3.4)?
 * Multisets are compared by hashes, and counted where those differ. */
#include "base/sort.h"
#include "facts/steps_internal.h"

#define AGREES  0.9  /* of the kernels of a stretch and the reference */
#define MOST    0.65 /* of the spacings that must agree */
#define SAMPLE  48   /* spacings examined first */
#define STRANGE 0.02 /* of the reference: more before or after it is no part of the loop */

static uint64_t hash_of(const struct az_kernels *k, size_t from, size_t to)
{
    return k->sum[to] - k->sum[from];
}

void az_loop_set_reference(struct az_kernels *k, const struct az_loop *l)
{
    for (size_t i = l->from; i < l->from + l->len; i++)
        k->ref[k->kind[i]]++;
}

void az_loop_drop(struct az_kernels *k, const struct az_loop *l)
{
    for (size_t i = l->from; i < l->from + l->len; i++)
        k->ref[k->kind[i]] = 0;
}

static size_t match(struct az_kernels *k, size_t from, size_t to, size_t *last)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const uint32_t kind = k->kind[i];
        if (k->used[kind] < k->ref[kind]) {
            k->used[kind]++;
            n++;
            *last = i;
        }
    }
    return n;
}

static void forget(struct az_kernels *k, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        k->used[k->kind[i]] = 0;
}

size_t az_loop_matched(struct az_kernels *k, size_t from, size_t to, size_t *last)
{
    const size_t n = match(k, from, to, last);
    forget(k, from, to);
    return n;
}

/* ---- the reference: the commonest spacing, else one of the median length ---- */
static void choose_reference(const struct az_kernels *k, const struct az_anchor *a,
                             struct az_loop *l)
{
    size_t best = 0, votes = 0, off = SIZE_MAX;
    for (size_t i = 0; i + 1 < l->n; i++) { /* majority vote */
        const bool equal =
            hash_of(k, l->p[i], l->p[i + 1]) == hash_of(k, l->p[best], l->p[best + 1]);
        best = votes == 0 ? i : best;
        votes = votes == 0 || equal ? votes + 1 : votes - 1;
    }
    if (a->same < 0.5)
        for (size_t i = 0; i + 1 < l->n; i++) {
            const size_t length = l->p[i + 1] - l->p[i];
            const size_t d = length > a->period ? length - a->period : a->period - length;
            if (d < off) {
                off = d;
                best = i;
            }
        }
    l->from = l->p[best];
    l->len = l->p[best + 1] - l->p[best];
}

/* ---- agreement ---- */
/* Part of the kernels of spacing i and the reference that they have in common. */
static double agreement(struct az_kernels *k, const struct az_loop *l, size_t i)
{
    const size_t length = l->p[i + 1] - l->p[i];
    size_t last = 0;
    if (hash_of(k, l->p[i], l->p[i + 1]) == hash_of(k, l->from, l->from + l->len))
        return 1;
    const size_t most = length > l->len ? length : l->len;
    if ((double)(length < l->len ? length : l->len) < AGREES * (double)most)
        return 0;
    return (double)az_loop_matched(k, l->p[i], l->p[i + 1], &last) / (double)most;
}

/* Part of the spacings that agree, each `step`-th examined; *missing: what those lack, on average.
 */
static double agreeing(struct az_kernels *k, const struct az_loop *l, size_t step, double *missing)
{
    size_t n = 0, all = 0;
    *missing = 0;
    for (size_t i = 0; i + 1 < l->n; i += step) {
        const double a = agreement(k, l, i);
        n += a >= AGREES;
        *missing += a >= AGREES ? 1 - a : 0;
        all++;
    }
    *missing /= n ? (double)n : 1;
    return all ? (double)n / (double)all : 0;
}

/* ---- what each repetition has ---- */
static size_t first_copy(const struct az_kernels *k, int64_t at)
{
    return AZ_LOWER(k->copies.v, k->copies.n, at);
}

/* Data goes to the device or comes from it in nearly every spacing. */
static bool has_copies(const struct az_kernels *k, const struct az_loop *l)
{
    size_t n = 0;
    if (k->copies.n + 1 < l->n - 1)
        return false;
    for (size_t i = 0; i + 1 < l->n; i++) {
        const size_t at = first_copy(k, az_kernel_start(k, l->p[i]));
        n += at < k->copies.n && k->copies.v[at] < az_kernel_start(k, l->p[i + 1]);
    }
    return (double)n >= AGREES * (double)(l->n - 1);
}

static bool has_optimizer(const struct az_kernels *k, const struct az_loop *l)
{
    for (size_t i = l->from; i < l->from + l->len; i++)
        if (k->optimizer[k->kind[i]])
            return true;
    return false;
}

/* Optimizer kernels anywhere in the trace: of a loop without them it is a part. */
static bool any_optimizer(const struct az_kernels *k)
{
    for (size_t i = 0; i < k->kinds; i++)
        if (k->optimizer[i])
            return true;
    return false;
}

/* Most of the m places from p on are equally far apart, with the same kernels between; they are at
 * least a third of the reference. */
static bool same_kernels(const struct az_kernels *k, const uint32_t *p, size_t m, size_t len)
{
    enum { LAYERS = 4, SHORTEST = 5 }; /* fewer or shorter ones are parts of a layer */
    size_t votes = 0, best = 0, same = 0;
    for (size_t j = 0; j + 1 < m; j++) {
        const bool equal = hash_of(k, p[j], p[j + 1]) == hash_of(k, p[best], p[best + 1]);
        best = votes == 0 ? j : best;
        votes = votes == 0 || equal ? votes + 1 : votes - 1;
    }
    for (size_t j = 0; j + 1 < m; j++)
        same += hash_of(k, p[j], p[j + 1]) == hash_of(k, p[best], p[best + 1]);
    const size_t length = p[best + 1] - p[best];
    return length >= SHORTEST && same + 1 >= LAYERS && 2 * (same + 1) >= m &&
           3 * (same + 1) * length >= len;
}

/* Repeats inside the reference are layers of a step. Each kind is examined
 * where it is first. */
static bool has_layers(const struct az_kernels *k, const struct az_loop *l)
{
    for (size_t i = l->from; i < l->from + l->len; i++) {
        const uint32_t kind = k->kind[i], *p = k->at + k->first[kind];
        size_t a = 0, b = az_kernel_count(k, kind);
        while (k->ref[kind] > 3 && a < b) {
            const size_t mid = a + (b - a) / 2;
            if (p[mid] < l->from)
                a = mid + 1;
            else
                b = mid;
        }
        if (k->ref[kind] > 3 && p[a] == i && same_kernels(k, p + a, k->ref[kind], l->len))
            return true;
    }
    return false;
}

/* ---- before and after ---- */
/* Layers of one forward pass repeat, too, but between an embedding and a head that are no part of
 * them. What surrounds the spacings of a loop is a part of it, truncated by the profile's ends. */
static void surroundings(struct az_kernels *k, struct az_loop *l, double missing)
{
    const size_t from = l->p[l->n - 1];
    const double strange = (STRANGE + missing) * (double)l->len;
    size_t last;
    l->head = l->p[0];
    l->tail = k->n - from;
    const size_t head = az_loop_matched(k, 0, l->head, &last);
    const size_t tail = az_loop_matched(k, from, k->n, &last);
    l->head_clean = (double)(l->head - head) <= strange && k->ref[k->kind[0]] > 0;
    l->tail_clean = (double)(l->tail - tail) <= strange && k->ref[k->kind[k->n - 1]] > 0;
    const size_t both = match(k, 0, l->head, &last) + match(k, from, k->n, &last);
    forget(k, 0, l->head);
    forget(k, from, k->n);
    l->whole =
        (double)(l->head + l->tail - both) <= strange && (double)l->len - (double)both <= strange;
    l->exact = both == l->len && l->head + l->tail == l->len;
}

static bool is_loop(const struct az_kernels *k, const struct az_loop *l)
{
    if (!l->optimizer && any_optimizer(k))
        return false;
    if (l->whole || (l->head_clean && l->tail_clean) || l->optimizer || l->copies)
        return true;
    return l->tail_clean && l->nested;
}

int az_loop_judge(struct az_kernels *k, const struct az_anchor *a, struct az_loop *l, bool *good)
{
    enum { KINDS = 3 };
    size_t kinds = 0;
    *l = (struct az_loop){ .p = k->at + k->first[a->kind], .n = a->n };
    choose_reference(k, a, l);
    az_loop_set_reference(k, l);
    const size_t step = (l->n - 1) / SAMPLE + 1;
    double missing;
    *good = agreeing(k, l, step, &missing) >= MOST &&
            (step == 1 || agreeing(k, l, 1, &missing) >= MOST);
    for (size_t i = l->from; *good && kinds < KINDS && i < l->from + l->len; i++) {
        if (k->ref[k->kind[i]] && !k->used[k->kind[i]]) {
            k->used[k->kind[i]] = 1;
            kinds++;
        }
    }
    forget(k, l->from, l->from + l->len);
    *good = *good && kinds == KINDS;
    if (*good) {
        surroundings(k, l, missing);
        l->optimizer = has_optimizer(k, l);
        l->copies = has_copies(k, l);
        l->nested = has_layers(k, l);
        *good = is_loop(k, l);
    }
    az_loop_drop(k, l);
    return 0;
}
