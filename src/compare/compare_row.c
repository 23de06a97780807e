/* Metrics and status of joined rows, and pairs that may only be renamed. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "compare/compare_internal.h"

#define NEAR 0.2 /* durations of a renamed row differ by less than this part */
#define MAX_PAIRS                                                                                  \
    4000000 /* of removed and new rows checked in one table; beyond it nothing is suggested */
#define BOOK_NOISE 3e-15
#define UNIT_NOISE 1e-12 /* metrics that were converted differ by rounding */

static const struct az_cell *cell_of(const struct az_joined *j, const struct az_joined_row *r,
                                     size_t value, size_t input)
{
    ptrdiff_t at = j->values[value].at[input];
    return r->cells[input] && at >= 0 ? &r->cells[input][at] : NULL;
}

bool az_row_value(const struct az_joined *j, const struct az_joined_row *r, size_t value,
                  size_t input, double *out)
{
    const struct az_cell *cell = value < j->n_values ? cell_of(j, r, value, input) : NULL;
    double s, x;

    if (!cell || (cell->type != AZ_INT && cell->type != AZ_REAL))
        return false;
    x = az_cell_number(cell);
    s = j->values[value].scale[input];
    *out = s < 0 ? x / -s : x * s;
    return true;
}

bool az_row_whole(const struct az_joined *j, const struct az_joined_row *r, size_t value,
                  size_t input, int64_t *out)
{
    const struct az_cell *cell = cell_of(j, r, value, input);

    if (j->values[value].type != AZ_INT || !cell || cell->type != AZ_INT)
        return false;
    *out = cell->i;
    return true;
}

/* Workbooks store 16 digits of a number. */
static bool is_book(const struct az_comparison *c, size_t input)
{
    return az_sv_is(c->in[input].doc->format, "workbook");
}

static bool equal(const struct az_comparison *c, const struct az_joined *j, size_t value, double x,
                  double y, size_t a, size_t b)
{
    const double most = fmax(fabs(x), fabs(y));
    double sa = j->values[value].scale[a], sb = j->values[value].scale[b];

    if (x == y || ((is_book(c, a) || is_book(c, b)) && fabs(x - y) <= BOOK_NOISE * most))
        return true;
    return (sa < 1 || sa > 1 || sb < 1 || sb > 1) && fabs(x - y) <= UNIT_NOISE * most;
}

/* Is the row there? By its first metric, where one of both sides has one. */
static bool row_there(const struct az_joined *j, const struct az_joined_row *r, size_t input,
                      size_t other)
{
    double x;

    if (!r->cells[input])
        return false;
    if (j->values[0].at[input] < 0 || j->values[0].at[other] < 0 ||
        az_row_value(j, r, 0, input, &x))
        return true; /* where a side has no such column, rows count */
    return !az_row_value(j, r, 0, other, &x);
}

enum az_row_status az_row_status(const struct az_comparison *c, const struct az_joined *j,
                                 const struct az_joined_row *r, size_t v)
{
    bool b = row_there(j, r, c->base, v), t = row_there(j, r, v, c->base);

    if (!b || !t)
        return b ? ROW_REMOVED : t ? ROW_NEW : ROW_NONE;
    for (size_t k = 0; k < j->n_values; k++) {
        int64_t i = 0, n = 0;
        double x = 0, y = 0;
        bool has_x, has_y;
        if (j->values[k].at[c->base] < 0 || j->values[k].at[v] < 0)
            continue;
        if (az_row_whole(j, r, k, c->base, &i) && az_row_whole(j, r, k, v, &n)) {
            if (i != n)
                return ROW_CHANGED;
            continue;
        }
        has_x = az_row_value(j, r, k, c->base, &x);
        has_y = az_row_value(j, r, k, v, &y);
        if (has_x != has_y || (has_x && !equal(c, j, k, x, y, c->base, v)))
            return ROW_CHANGED;
    }
    return ROW_SAME;
}

bool az_row_is_whole(const struct az_joined *j, const struct az_joined_row *r)
{
    return j->spec->total && j->n_keys && az_sv_is(r->key[j->n_keys - 1], j->spec->total);
}

double az_join_total(const struct az_joined *j, size_t input)
{
    double sum = j->spec->flags & AZ_SPEC_MIXED ? (double)NAN : 0, whole = 0, x = 0;
    bool any = false;

    for (size_t i = 0; i < j->n_rows; i++) {
        if (!az_row_value(j, &j->rows[i], 0, input, &x))
            continue;
        sum += x;
        if (az_row_is_whole(j, &j->rows[i])) {
            whole += x;
            any = true;
        }
    }
    return any ? whole : sum;
}

/* ---- renamed? ---- */
struct candidate {
    size_t row;
    double time, count;
    bool has_count;
    struct az_sv arguments; /* all keys but the first */
};
AZ_VEC(struct candidate, candidates);
struct pair {
    size_t removed, added; /* rows */
    double distance;
};
AZ_VEC(struct pair, pairs);

/* The metric that counts: the first of that unit. */
static size_t count_value(const struct az_joined *j)
{
    for (size_t k = 1; k < j->n_values; k++)
        if (j->values[k].unit == AZ_UNIT_COUNT)
            return k;
    return j->n_values;
}

static int add_candidate(struct az_comparison *c, const struct az_joined *j, size_t row,
                         size_t input, struct candidates *to)
{
    const struct az_joined_row *r = &j->rows[row];
    struct candidate one = { .row = row, .arguments = { "", 0 } };
    bool any = (j->spec->flags & AZ_SPEC_RENAME) != 0;

    if (!az_row_value(j, r, 0, input, &one.time) || !(one.time > 0))
        return AZ_OK;
    one.has_count = az_row_value(j, r, count_value(j), input, &one.count);
    for (size_t k = 1; k < j->n_keys; k++) {
        any |= r->key[k].n > 0;
        one.arguments =
            az_arena_printf(c->a, "%.*s\x1f%.*s", AZ_SVF(one.arguments), AZ_SVF(r->key[k]));
        if (!one.arguments.p)
            return az_arena_error(c->a);
    }
    return any ? az_vec_push(to, one) : AZ_OK;
}

static bool equal_candidates(const struct candidate *x, const struct candidate *y)
{
    double most = x->time > y->time ? x->time : y->time;

    if (x->has_count != y->has_count ||
        (x->has_count && (x->count < y->count || x->count > y->count)))
        return false;
    return az_sv_eq(x->arguments, y->arguments) && fabs(x->time - y->time) <= NEAR * most;
}

struct pair_order {
    const struct az_joined *j;
};

/* Nearest first; ties by both names, in a way that swapping the sides does not change. */
static int by_distance(const void *a, const void *b, void *ctx)
{
    const struct pair_order *o = ctx;
    const struct pair *x = a, *y = b;
    struct az_sv p[2] = { o->j->rows[x->removed].key[0], o->j->rows[x->added].key[0] },
                 q[2] = { o->j->rows[y->removed].key[0], o->j->rows[y->added].key[0] };
    int px = az_sv_cmp(p[0], p[1]) > 0, qx = az_sv_cmp(q[0], q[1]) > 0, rc;

    if (x->distance < y->distance || x->distance > y->distance)
        return x->distance < y->distance ? -1 : 1;
    rc = az_sv_cmp(p[px], q[qx]);
    return rc ? rc : az_sv_cmp(p[!px], q[!qx]);
}

static int find_pairs(const struct candidates *removed, const struct candidates *added,
                      struct pairs *to)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < removed->n; i++) {
        for (size_t k = 0; !rc && k < added->n; k++) {
            const struct candidate *x = &removed->v[i], *y = &added->v[k];
            double most = x->time > y->time ? x->time : y->time;
            if (equal_candidates(x, y))
                rc = az_vec_push(to,
                                 ((struct pair){ x->row, y->row, fabs(x->time - y->time) / most }));
        }
    }
    return rc;
}

static void take_pairs(struct az_joined *j, const struct pairs *pairs, size_t variant)
{
    for (size_t i = 0; i < pairs->n; i++) {
        struct az_joined_row *x = &j->rows[pairs->v[i].removed], *y = &j->rows[pairs->v[i].added];
        if (x->partner[variant].n || y->partner[variant].n)
            continue;
        x->partner[variant] = y->key[0].n ? y->key[0] : AZ_SV("?");
        y->partner[variant] = x->key[0].n ? x->key[0] : AZ_SV("?");
    }
}

int az_join_renamed(struct az_comparison *c, struct az_joined *j, size_t variant)
{
    struct pair_order order = { j };
    struct candidates removed, added;
    struct pairs pairs;
    int rc = AZ_OK;

    az_vec_init(&removed, c->doc->mem);
    az_vec_init(&added, c->doc->mem);
    az_vec_init(&pairs, c->doc->mem);
    for (size_t i = 0; !rc && i < j->n_rows; i++) {
        enum az_row_status s = az_row_status(c, j, &j->rows[i], variant);
        if (s == ROW_REMOVED)
            rc = add_candidate(c, j, i, c->base, &removed);
        else if (s == ROW_NEW)
            rc = add_candidate(c, j, i, variant, &added);
    }
    if (!rc && removed.n && added.n <= MAX_PAIRS / removed.n)
        rc = find_pairs(&removed, &added, &pairs);
    if (!rc && pairs.n)
        az_sort_cmp(pairs.v, pairs.n, sizeof *pairs.v, by_distance, &order, c->doc->mem);
    if (!rc)
        take_pairs(j, &pairs, variant);
    az_vec_release(&removed);
    az_vec_release(&added);
    az_vec_release(&pairs);
    return rc;
}
