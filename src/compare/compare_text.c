/* What the text and Markdown reports show of a compared table: its first metric only, biggest
 * changes first. Of several variants the metric and its change in percent: more does not fit next
 * to each other. */
#include <math.h>

#include "base/sort.h"
#include "compare/compare_internal.h"

struct shown {
    uint32_t row;
    double size; /* of the biggest change */
};
AZ_VEC(struct shown, shown_rows);

static int bigger_first(const void *a, const void *b, void *ctx)
{
    const struct shown *x = a, *y = b;
    (void)ctx;
    return x->size > y->size ? -1 : x->size < y->size;
}

/* Size of the biggest change of a row over all variants; negative: all are the same. */
static double change_of(const struct az_comparison *c, const struct az_joined *j,
                        const struct az_joined_row *r)
{
    double most = -1;

    for (size_t v = 0; v < c->n; v++) {
        double b = 0, t = 0;
        enum az_row_status s = az_row_status(c, j, r, v);
        if (!az_is_variant(c, j, v) || s == ROW_SAME || s == ROW_NONE)
            continue;
        if (!az_row_value(j, r, 0, c->base, &b))
            b = 0;
        if (!az_row_value(j, r, 0, v, &t))
            t = 0;
        most = fabs(t - b) > most ? fabs(t - b) : most;
    }
    return most;
}

static int choose(const struct az_comparison *c, const struct az_joined *j, struct shown_rows *rows)
{
    bool all = (j->spec->flags & AZ_SPEC_ALL) != 0;
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < j->n_rows; i++) {
        struct shown s = { (uint32_t)i, change_of(c, j, &j->rows[i]) };
        if (all || s.size >= 0)
            rc = az_vec_push(rows, s);
    }
    if (!rc && !all && rows->n)
        az_sort_cmp(rows->v, rows->n, sizeof *rows->v, bigger_first, NULL, c->doc->mem);
    return rc;
}

static struct az_sv named(const struct az_comparison *c, const char *name, size_t v)
{
    return c->n == 2 ? az_sv_str(name)
                     : az_arena_printf(c->a, "%.*s %s", AZ_SVF(c->in[v].tag), name);
}

static void columns(const struct az_comparison *c, const struct az_joined *j, struct az_table *t)
{
    const struct az_joined_column *value = &j->values[0];
    const unsigned change = value->flags | AZ_CHANGE | AZ_COMPARED;

    for (size_t k = 0; k < j->n_keys; k++)
        az_table_columnsv(t, j->keys[k].name, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    if (c->n == 2)
        az_table_column(t, "status", AZ_TEXT, AZ_UNIT_NONE, 0);
    az_table_columnsv(t, c->in[c->base].tag, AZ_REAL, value->unit, AZ_COMPARED);
    for (size_t v = 0; v < c->n; v++) {
        if (!az_is_variant(c, j, v))
            continue;
        az_table_columnsv(t, c->in[v].tag, AZ_REAL, value->unit, AZ_COMPARED);
        if (c->n == 2)
            az_table_columnsv(t, named(c, "diff", v), AZ_REAL, value->unit, change);
        az_table_columnsv(t, named(c, "diff", v), AZ_REAL, AZ_UNIT_PERCENT, change);
        if (c->n == 2)
            az_table_column(t, "of total", AZ_REAL, AZ_UNIT_PERCENT, value->flags | AZ_CHANGE);
    }
}

static const char *status(const struct az_comparison *c, const struct az_joined *j,
                          const struct az_joined_row *r, size_t v)
{
    static const char *const words[] = { [ROW_NONE] = "",
                                         [ROW_SAME] = "same",
                                         [ROW_CHANGED] = "changed",
                                         [ROW_NEW] = "new",
                                         [ROW_REMOVED] = "removed" };
    return r->partner[v].n ? "renamed?" : words[az_row_status(c, j, r, v)];
}

static void put_variant(const struct az_comparison *c, const struct az_joined *j,
                        const struct az_joined_row *r, size_t v, double whole, struct az_table *t)
{
    double b = 0, x = 0;
    bool has_b = az_row_value(j, r, 0, c->base, &b), has_x = az_row_value(j, r, 0, v, &x);

    if (!has_b)
        b = 0;
    if (has_x)
        az_put_f64(t, x);
    else
        az_put_empty(t);
    if (c->n == 2 && !has_b && !has_x)
        az_put_empty(t);
    else if (c->n == 2)
        az_put_f64(t, (has_x ? x : 0) - b);
    if (has_b && has_x && fabs(b) > 0)
        az_put_f64(t, 100 * (x - b) / b + 0.0);
    else
        az_put_empty(t);
    if (c->n == 2)
        az_put_f64(t, fabs(whole) > 0 ? 100 * (((has_x ? x : 0) - b) / whole) : NAN);
}

static void put_row(const struct az_comparison *c, const struct az_joined *j,
                    const struct az_joined_row *r, double whole, struct az_table *t)
{
    double b;

    for (size_t k = 0; k < j->n_keys; k++)
        az_put_text(t, r->key[k]);
    for (size_t v = 0; c->n == 2 && v < c->n; v++)
        if (az_is_variant(c, j, v))
            az_put_text(t, az_sv_str(status(c, j, r, v)));
    if (az_row_value(j, r, 0, c->base, &b))
        az_put_f64(t, b);
    else
        az_put_empty(t);
    for (size_t v = 0; v < c->n; v++)
        if (az_is_variant(c, j, v))
            put_variant(c, j, r, v, whole, t);
}

/* Headings in words; columns named by inputs stay as they are. */
static void title_columns(const struct az_comparison *c, const struct az_joined *j,
                          struct az_table *t)
{
    for (size_t k = 0; k < j->n_keys; k++)
        if (j->keys[k].title.n)
            t->columns.v[k].title = j->keys[k].title;
    for (size_t k = j->n_keys; c->n == 2 && k < t->columns.n; k++)
        if (!az_sv_eq(t->columns.v[k].name, c->in[0].tag) &&
            !az_sv_eq(t->columns.v[k].name, c->in[1].tag))
            t->columns.v[k].title = az_schema_sentence_case(c->a, t->columns.v[k].title);
}

/* "Idle time by cause: gaps", "Device time by step": the metric where the title does not name it.
 */
static struct az_sv title_of(const struct az_comparison *c, const struct az_joined *j)
{
    struct az_sv metric = az_joined_metric(&j->values[0]);
    char first = metric.n ? *metric.p : 0;

    if (az_sv_ifind(j->title, metric) >= 0)
        return j->title;
    if (first >= 'A' && first <= 'Z' && metric.n > 1 && metric.p[1] >= 'a')
        first = (char)(first | 0x20);
    return az_arena_printf(c->a, "%.*s: %c%.*s", AZ_SVF(j->title), first,
                           metric.n ? (int)metric.n - 1 : 0, metric.p + 1);
}

int az_joined_text(struct az_comparison *c, const struct az_joined *j)
{
    double whole = az_join_total(j, c->base);
    struct az_sv id = az_arena_printf(c->a, "%.*s changes", AZ_SVF(j->id)), title;
    struct shown_rows rows;
    struct az_table *t;
    int rc;

    const bool shown =
        (j->spec->flags & AZ_SPEC_TEXT) && !(c->by_other && az_sv_is(j->keys[0].stem, "kernel"));
    if (!shown && !c->opts->text_all)
        return AZ_OK;
    az_vec_init(&rows, c->doc->mem);
    rc = choose(c, j, &rows);
    title = title_of(c, j);
    t = az_table_new(c->a, "", "", AZ_TABLE_SUMMARY | AZ_TABLE_TEXT_ONLY);
    if (!rc && (!t || !id.p || !title.p))
        rc = az_arena_error(c->a);
    if (!rc) {
        t->id = id;
        t->title = title;
        columns(c, j, t);
        for (size_t i = 0; i < rows.n && !t->error; i++)
            put_row(c, j, &j->rows[rows.v[i].row], whole, t);
        rc = az_document_add(c->doc, t);
        t = az_document_table(c->doc, az_arena_str(c->a, id)); /* an empty one is dropped */
        if (!rc && t)
            title_columns(c, j, t);
    }
    az_vec_release(&rows);
    return rc;
}
