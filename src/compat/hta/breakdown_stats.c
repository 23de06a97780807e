/* Statistics of rank breakdowns: describe(), names with their durations, overlap of three
 * sets. */
#include "base/num.h"
#include "base/sort.h"
#include "compat/hta/breakdown.h"
#include "stats/stats.h"

#include <math.h>

double az_hta_percent(double a, double b) { return b == 0 ? NAN : 100.0 * a / b; }

void az_hta_describe_i64(int64_t *v, size_t n, struct az_hta_stats *out)
{
    struct az_stats s;
    az_stats_i64(v, n, &s);
    *out = (struct az_hta_stats){ .n = n, .sum = (double)s.sum, .mean = s.mean, .std = s.std };
    out->min = n ? (double)s.min : NAN;
    out->max = n ? (double)s.max : NAN;
    out->q25 = az_percentile_i64(v, n, 25);
    out->q50 = s.median;
    out->q75 = az_percentile_i64(v, n, 75);
}

void az_hta_describe_f64(double *v, size_t n, struct az_hta_stats *out)
{
    *out = (struct az_hta_stats){ .n = n,
                                  .mean = n ? az_mean_f64(v, n) : NAN,
                                  .std = az_std_f64(v, n, 1) };
    out->min = out->max = n ? v[0] : NAN;
    for (size_t i = 0; i < n; i++) {
        out->sum += v[i];
        out->min = v[i] < out->min ? v[i] : out->min;
        out->max = v[i] > out->max ? v[i] : out->max;
    }
    out->q25 = az_percentile_f64(v, n, 25);
    out->q50 = az_percentile_f64(v, n, 50);
    out->q75 = az_percentile_f64(v, n, 75);
}

/* ---- overlap ---- */
/* ---- names ---- */
struct grouping {
    struct az_hta_name *v;
    uint32_t *id; /* group -> name id */
    int64_t *cum; /* running sums */
    size_t n;
};

static int compare_names(const void *x, const void *y, void *ctx)
{
    const struct az_hta_name *a = x, *b = y;
    (void)ctx;
    if (a->sum != b->sum)
        return a->sum > b->sum ? -1 : 1;
    return az_sv_cmp(a->name, b->name);
}

/* How many names stay: of more than the limit, those before it whose running sum is not above the
 * quantile. */
static size_t kept_names(const struct az_options *o, const struct az_hta_name *v, size_t n,
                         int64_t *running)
{
    int64_t sum = 0;
    size_t k = 0;
    if (o->breakdown_kernels == 0 || n <= (size_t)o->breakdown_kernels)
        return n;
    for (size_t i = 0; i < n; i++)
        running[i] = sum = az_add_sat(sum, v[i].sum);
    const double limit = az_percentile_i64(running, n, 100.0 * o->breakdown_ratio);
    for (sum = 0; k < (size_t)o->breakdown_kernels; k++) {
        sum = az_add_sat(sum, v[k].sum); /* the list is reordered by now */
        if ((double)sum > limit)
            break;
    }
    return k;
}

/* Sums per name; std holds the sum of squared deviations, filled by the second pass. */
static size_t add_up(const struct az_hta *b, const uint32_t *name, const int64_t *d, size_t n,
                     uint32_t *group, struct az_hta_name *v)
{
    const size_t unnamed = b->trace->names.text.n;
    size_t groups = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t *g = &group[name[i] == AZ_NO_ID ? unnamed : name[i]];
        if (!*g) {
            *g = (uint32_t)++groups;
            v[*g - 1] =
                (struct az_hta_name){ .name = az_hta_text(b, name[i]), .min = d[i], .max = d[i] };
        }
        struct az_hta_name *x = &v[*g - 1];
        x->n++;
        x->sum = az_add_sat(x->sum, d[i]);
        x->min = d[i] < x->min ? d[i] : x->min;
        x->max = d[i] > x->max ? d[i] : x->max;
    }
    return groups;
}

static struct az_hta_name together(const struct az_hta_name *v, size_t n)
{
    struct az_hta_name o = { .name = AZ_SV("others"), .min = INT64_MAX, .max = INT64_MIN };
    for (size_t i = 0; i < n; i++) {
        o.n += v[i].n;
        o.sum = az_add_sat(o.sum, v[i].sum);
        o.min = v[i].min < o.min ? v[i].min : o.min;
        o.max = v[i].max > o.max ? v[i].max : o.max;
    }
    return o;
}

/* Deviations from each row's mean, in order of the events. place: group + 1 by name -> row. */
static void deviations(const struct az_hta *b, const uint32_t *name, const int64_t *d, size_t n,
                       const uint32_t *group, const uint32_t *row, struct az_hta_names *out)
{
    const size_t unnamed = b->trace->names.text.n;
    for (size_t i = 0; i < n; i++) {
        struct az_hta_name *x = &out->v[row[group[name[i] == AZ_NO_ID ? unnamed : name[i]] - 1]];
        const double off = (double)d[i] - (double)x->sum / (double)x->n;
        x->std += off * off;
    }
    for (size_t i = 0; i < out->n; i++)
        out->v[i].std = out->v[i].n > 1 ? sqrt(out->v[i].std / (double)(out->v[i].n - 1)) : 0;
}

int az_hta_group_names(struct az_hta *b, struct az_mem *mem, const uint32_t *name,
                       const int64_t *duration, size_t n, struct az_arena *keep,
                       struct az_hta_names *out)
{
    const size_t ids = b->trace->names.text.n + 1;
    struct az_arena scratch;
    *out = (struct az_hta_names){ NULL, 0 };
    az_arena_init(&scratch, mem);
    uint32_t *group = az_arena_array(&scratch, ids, sizeof *group),
             *row = NULL; /* name id -> group + 1 */
    struct az_hta_name *v = az_arena_array(&scratch, (n < ids ? n : ids) + 1, sizeof *v);
    int64_t *running = az_arena_array(&scratch, (n < ids ? n : ids) + 1, sizeof *running);
    int rc = group && v && running ? AZ_OK : az_arena_error(&scratch);
    if (rc)
        goto done;
    const size_t groups = add_up(b, name, duration, n, group, v);
    for (size_t g = 0; g < groups; g++)
        v[g].std = (double)g; /* where it was, through the sorting */
    az_sort_cmp(v, groups, sizeof *v, compare_names, NULL, mem);
    const size_t stay = rc ? 0 : kept_names(b->opts, v, groups, running);
    row = az_arena_array(&scratch, groups + 1, sizeof *row);
    out->n = stay + (stay < groups);
    out->v = az_arena_array(keep, out->n + 1, sizeof *out->v);
    if (!rc && (!row || !out->v))
        rc = az_arena_error(row ? keep : &scratch);
    if (rc)
        goto done;
    for (size_t i = 0; i < groups; i++)
        row[(size_t)v[i].std] = (uint32_t)(i < stay ? i : stay);
    for (size_t i = 0; i < stay; i++) {
        out->v[i] = v[i];
        out->v[i].std = 0;
        out->v[i].name = az_hta_copy_text(b, keep, v[i].name);
    }
    if (stay < groups)
        out->v[stay] = together(v + stay, groups - stay);
    deviations(b, name, duration, n, group, row, out);
    rc = keep->failed ? az_arena_error(keep) : AZ_OK;
done:
    az_arena_release(&scratch);
    return rc;
}

double az_hta_name_mean(const void *row)
{
    const struct az_hta_name *n = ((const struct az_hta_name_row *)row)->name;
    return (double)n->sum / (double)n->n;
}

/* ---- as bytes ---- */

static const struct az_shape_field stats_fields[] = {
    AZ_PLAIN(struct az_hta_stats, n),    AZ_PLAIN(struct az_hta_stats, sum),
    AZ_PLAIN(struct az_hta_stats, mean), AZ_PLAIN(struct az_hta_stats, std),
    AZ_PLAIN(struct az_hta_stats, min),  AZ_PLAIN(struct az_hta_stats, q25),
    AZ_PLAIN(struct az_hta_stats, q50),  AZ_PLAIN(struct az_hta_stats, q75),
    AZ_PLAIN(struct az_hta_stats, max)
};
const struct az_shape az_hta_shape_stats = AZ_SHAPE(struct az_hta_stats, stats_fields);
static const struct az_shape_field name_fields[] = {
    AZ_TEXT_OF(struct az_hta_name, name), AZ_PLAIN(struct az_hta_name, n),
    AZ_PLAIN(struct az_hta_name, sum),    AZ_PLAIN(struct az_hta_name, min),
    AZ_PLAIN(struct az_hta_name, max),    AZ_PLAIN(struct az_hta_name, std)
};
static const struct az_shape name_shape = AZ_SHAPE(struct az_hta_name, name_fields);
static const struct az_shape_field names_fields[] = { AZ_LIST_OF(struct az_hta_names, v, n,
                                                                 name_shape) };
const struct az_shape az_hta_shape_names = AZ_SHAPE(struct az_hta_names, names_fields);
