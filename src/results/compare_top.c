/* The rows that changed most, as a picture: each with its part of the change of the whole. */
#include <math.h>

#include "base/sort.h"
#include "results/compare_internal.h"

#define MOST 20

struct top {
    uint32_t row;
    double change; /* in the unit of the figure */
};
AZ_VEC(struct top, tops);

static int bigger_first(const void *a, const void *b, void *ctx)
{
    const struct top *x = a, *y = b;
    (void)ctx;
    return fabs(x->change) > fabs(y->change) ? -1 : fabs(x->change) < fabs(y->change);
}

/* Kernels or operations that add up to the device time; of ranks their kernels, not the groups of the waterfall. */
static const struct joined *table_of(const struct comparison *c, size_t variant)
{
    const struct joined *whole = az_compare_whole(c, c->base, variant);

    for (size_t i = 0; whole && az_whole_value(whole) > 0 && i < c->n_tables; i++) {
        const struct joined *j = &c->tables[i];
        if (az_sv_is(j->name, "kernel_breakdown") && j->n_values && j->table[c->base] && j->table[variant])
            return j;
    }
    return whole && az_whole_value(whole) == 0 ? whole : NULL;
}

static int choose(const struct comparison *c, const struct joined *j, size_t variant, struct tops *list)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < j->n_rows; i++) {
        double b = 0, t = 0;
        if (!az_row_value(j, &j->rows[i], 0, c->base, &b))
            b = 0;
        if (!az_row_value(j, &j->rows[i], 0, variant, &t))
            t = 0;
        if (!az_row_is_whole(j, &j->rows[i]) && fabs(t - b) > 0)
            rc = az_vec_push(list, ((struct top){ (uint32_t)i, t - b }));
    }
    if (!rc && list->n)
        rc = az_sort_cmp(list->v, list->n, sizeof *list->v, bigger_first, NULL, c->doc->mem);
    return rc;
}

/* ---- words ---- */

/* "1.2 -> 1.5 ms, +25%", or what there is of it. */
static struct az_sv words(const struct comparison *c, const struct joined *j, const struct joined_row *r,
                          size_t variant)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
    const double scale = az_unit_base(j->values[0].unit) / 1e-9;
    double b = 0, t = 0;
    const bool has_b = az_row_value(j, r, 0, c->base, &b), has_t = az_row_value(j, r, 0, variant, &t);
    const double most = fmax(fabs(b), fabs(t)) * scale;
    size_t u = 0;

    while (u < 3 && most < units[u].ns)
        u++;
    b *= scale / units[u].ns;
    t *= scale / units[u].ns;
    if (!has_b || !has_t)
        return az_arena_printf(c->a, "%s%.4g %s", has_b ? "was " : "", has_b ? b : t, units[u].unit);
    if (!(fabs(b) > 0))
        return az_arena_printf(c->a, "0 -> %.4g %s", t, units[u].unit);
    return az_arena_printf(c->a, fabs(t - b) < 10 * fabs(b) ? "%.4g -> %.4g %s, %+.3g%%" : "%.4g -> %.4g %s, %+.0f%%",
                           b, t, units[u].unit, 100 * (t - b) / fabs(b));
}

/* The keys behind the first; a number says what it is of. */
static struct az_sv others(const struct comparison *c, const struct joined *j, const struct joined_row *r)
{
    struct az_sv out = AZ_SV("");

    for (size_t k = 1; k < j->n_keys; k++) {
        const struct az_sv value = r->key[k];
        const bool number = value.n && value.p[0] >= '0' && value.p[0] <= '9';
        if (value.n)
            out = az_arena_printf(c->a, "%.*s%s%.*s%s%.*s", AZ_SVF(out), out.n ? " / " : "",
                                  AZ_SVF(number ? j->keys[k].name : AZ_SV("")), number ? " " : "", AZ_SVF(value));
    }
    return out;
}

static const char *status(const struct comparison *c, const struct joined *j, const struct joined_row *r, size_t v)
{
    static const char *const text[] = {
        [ROW_NONE] = "", [ROW_SAME] = "same", [ROW_CHANGED] = "changed", [ROW_NEW] = "new", [ROW_REMOVED] = "removed"
    };
    return r->partner[v].n ? "renamed?" : text[az_row_status(c, j, r, v)];
}

/* ---- table and chart ---- */

static int chart(struct comparison *c, const struct az_table *t)
{
    static const char *const y[] = { "Of total (%)", "Status", "Of", "What" };
    struct az_chart one = {
        .kind = AZ_CHART_LIMITS, .table = t->id, .title = t->title, .x = AZ_SV("Row"), .y_title = AZ_SV("Of total (%)")
    };
    int rc = AZ_OK;

    az_vec_init(&one.y, c->doc->mem);
    for (size_t i = 0; !rc && i < sizeof y / sizeof *y; i++)
        rc = az_vec_push(&one.y, az_sv_str(y[i]));
    if (!rc)
        return az_document_chart(c->doc, one);
    az_vec_release(&one.y);
    return rc;
}

static int write_table(struct comparison *c, const struct joined *j, size_t variant, const struct tops *list)
{
    const double whole = az_join_total(j, c->base);
    struct az_table *t = az_table_new(c->a, "", "", 0);
    int rc;

    if (!t)
        return az_arena_error(c->a);
    t->id = az_variant_name(c, "top_changes", variant);
    t->title = az_arena_printf(c->a, "What changed most from %.*s to %.*s (%.*s)", AZ_SVF(c->in[c->base].tag),
                               AZ_SVF(c->in[variant].tag), AZ_SVF(j->id));
    if (!t->id.p || !t->title.p)
        return az_arena_error(c->a);
    az_table_column(t, "Row", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Of", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Status", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_column(t, "Change", AZ_REAL, j->values[0].unit, j->values[0].flags | AZ_CHANGE);
    az_table_column(t, "Of total (%)", AZ_REAL, AZ_UNIT_PERCENT, j->values[0].flags | AZ_CHANGE);
    az_table_column(t, "What", AZ_TEXT, AZ_UNIT_NONE, AZ_DETAIL);
    for (size_t i = 0; i < list->n && i < MOST; i++) {
        const struct joined_row *r = &j->rows[list->v[i].row];
        az_put_text(t, r->key[0]);
        az_put_text(t, others(c, j, r));
        az_put_text(t, az_sv_str(status(c, j, r, variant)));
        az_put_f64(t, list->v[i].change);
        az_put_f64(t, fabs(whole) > 0 ? 100 * list->v[i].change / whole : NAN);
        az_put_text(t, words(c, j, r, variant));
    }
    if (c->a->failed)
        t->error = t->error ? t->error : az_arena_error(c->a);
    rc = az_document_add(c->doc, t);
    return rc ? rc : chart(c, t);
}

int az_compare_top(struct comparison *c)
{
    int rc = AZ_OK;

    for (size_t v = 0; !rc && v < c->n; v++) {
        const struct joined *j = v == c->base ? NULL : table_of(c, v);
        struct tops list;
        if (!j)
            continue;
        az_vec_init(&list, c->doc->mem);
        rc = choose(c, j, v, &list);
        if (!rc && list.n)
            rc = write_table(c, j, v, &list);
        az_vec_release(&list);
    }
    return rc;
}
