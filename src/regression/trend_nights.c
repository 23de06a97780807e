/* Marks of nights, corrected by the nights after them. */
#include "regression/trend_nights.h"

#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "stats/rank_test.h"

#define APART 4 /* beginnings of one change differ by less than a part of it */

static bool mark_has(struct az_sv mark, const char *word)
{
    return az_sv_find(mark, az_sv_str(word)) >= 0;
}

static bool is_failed(const struct az_trend_night *n)
{
    return mark_has(n->mark, "fail") || mark_has(n->mark, "warn");
}

/* Nearer to the level before `off` than to the value of `off`. */
static bool is_back(const struct az_trend_night *off, const struct az_trend_night *then)
{
    return fabs(then->value - off->level) < fabs(then->value - off->value);
}

/* The last of the nights from `first` on that failed or were outliers, none of them back. */
static size_t last_off(const struct az_trend_nights *n, size_t first)
{
    size_t i = first;

    while (i + 1 < n->n && (is_failed(&n->v[i + 1]) || mark_has(n->v[i + 1].mark, "outlier")) &&
           !is_back(&n->v[first], &n->v[i + 1]))
        i++;
    return i;
}

/* The outliers become what the first of these nights that failed is; false: none failed. */
static bool confirm(struct az_trend_nights *n, size_t first, size_t last)
{
    size_t failed = first;

    while (failed <= last && !is_failed(&n->v[failed]))
        failed++;
    if (failed > last)
        return false;
    for (size_t i = first; i <= last; i++)
        if (!is_failed(&n->v[i]))
            n->v[i].mark = n->v[failed].mark;
    return true;
}

static int add_recovered(const struct az_trend_nights *n, size_t first, size_t last,
                         struct az_trend_recoveries *out)
{
    const size_t count = last - first + 1;
    const double level = n->v[first].level;
    double *v = az_mem_alloc(NULL, count * sizeof *v);

    if (!v)
        return AZ_ENOMEM;
    for (size_t i = 0; i < count; i++)
        v[i] = n->v[first + i].value;
    const double change = az_gate_median(v, count) - level;
    az_mem_free(NULL, v, count * sizeof *v);
    /* nights at the level that failed before their recovery was established */
    if (!(fabs(change) > (n->v[first].high - level) / 2))
        return AZ_OK;
    return az_vec_push(out, ((struct az_trend_recovered){ first, last, change / fabs(level) }));
}

int az_trend_correct_marks(struct az_trend_nights *n, struct az_trend_recoveries *out)
{
    int rc = AZ_OK;

    for (size_t i = 0, last; !rc && i < n->n; i = last + 1) {
        struct az_trend_night *first = &n->v[i];
        last = i;
        if (!is_failed(first) && !mark_has(first->mark, "outlier"))
            continue;
        last = last_off(n, i);
        const bool ended = last + 1 < n->n && is_back(first, &n->v[last + 1]),
                   beyond = first->value < first->low || first->value > first->high;
        if (last > i && confirm(n, i, last) && ended)
            rc = add_recovered(n, i, last, out);
        else if (last == i && ended && beyond)
            first->mark = AZ_SV("outlier");
    }
    return rc;
}

void az_trend_mark_outside(struct az_trend_nights *n)
{
    for (size_t i = 0; i < n->n; i++) {
        struct az_trend_night *night = &n->v[i];
        if (!night->mark.n && (night->value < night->low || night->value > night->high))
            night->mark = AZ_SV("outside range");
    }
}

bool az_trend_is_one_change(size_t earlier, size_t later)
{
    return earlier >= later && APART * (earlier - later) < earlier;
}
