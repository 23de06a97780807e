/* Groups of inputs by the pattern of their titles. */
#include "compare/title_groups.h"

#include <math.h>

#include "base/sort.h"

/* Which numbers of a title are replaced by `*`. */
enum fold { LAST_NUMBER, FIRST_NUMBER, ALL_NUMBERS, FOLDS };

static bool digit(char c) { return c >= '0' && c <= '9'; }

static struct az_sv pattern_of(struct az_arena *a, struct az_sv title, enum fold fold)
{
    struct az_sv out = AZ_SV("");
    size_t numbers = 0, k = 0;
    for (size_t i = 0; i < title.n; i++)
        numbers += digit(title.p[i]) && (i == 0 || !digit(title.p[i - 1]));
    for (size_t i = 0, to; i < title.n; i = to) {
        const bool number = digit(title.p[i]);
        to = i + 1;
        while (to < title.n && digit(title.p[to]) == number)
            to++;
        k += number;
        const bool star =
            number && (fold == ALL_NUMBERS || (fold == FIRST_NUMBER ? k == 1 : k == numbers));
        out = star ? az_arena_printf(a, "%.*s*", AZ_SVF(out))
                   : az_arena_printf(a, "%.*s%.*s", AZ_SVF(out), (int)(to - i), title.p + i);
    }
    return out;
}

/* group[i]: the number of the row that input i belongs to. Returns the number of rows. */
static size_t group_by(struct az_arena *a, const struct az_compare_input *in, size_t n,
                       enum fold fold, struct az_sv *name, size_t *group)
{
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        const struct az_sv p = pattern_of(a, in[i].tag, fold);
        size_t g = 0;
        while (g < groups && !az_sv_eq(name[g], p))
            g++;
        if (g == groups)
            name[groups++] = p;
        group[i] = g;
    }
    return groups;
}

int az_title_groups_make(struct az_arena *a, const struct az_compare_input *in, size_t n,
                         struct az_title_groups *out)
{
    *out = (struct az_title_groups){ .name = az_arena_array(a, n, sizeof *out->name),
                                     .of = az_arena_array(a, n, sizeof *out->of) };
    if (!out->name || !out->of)
        return az_arena_error(a);
    for (int k = 0; k < FOLDS && (out->n == 0 || out->n > AZ_SCREEN_INPUTS); k++)
        out->n = group_by(a, in, n, (enum fold)k, out->name, out->of);
    return AZ_OK;
}

static int smaller_first(const void *x, const void *y, void *ctx)
{
    const double a = *(const double *)x, b = *(const double *)y;
    (void)ctx;
    return a < b ? -1 : a > b;
}

double az_median_of(double *v, size_t n, struct az_mem *mem)
{
    if (n == 0)
        return NAN;
    az_sort_cmp(v, n, sizeof *v, smaller_first, NULL, mem);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}
