/* The rows that changed most, as a picture: each with its part of the change of the whole. Rows
 * that differ in the rank only are one. */
#include <math.h>

#include "base/sort.h"
#include "compare/compare_causes.h"
#include "document/record.h"

#define MOST 20

struct top {
    uint32_t row;   /* the first */
    uint32_t most;  /* that changed most of several */
    size_t rows;    /* ranks */
    double b, t;    /* sums, unit of the metric */
    double biggest; /* change of `most` */
    bool has_b, has_t;
};
AZ_VEC(struct top, tops);

static double change_of(const struct top *x) { return x->t - x->b; }

static int bigger_first(const void *a, const void *b, void *ctx)
{
    const double x = fabs(change_of(a)), y = fabs(change_of(b));
    (void)ctx;
    return x > y ? -1 : x < y;
}

static const struct az_joined *joined_of(const struct az_comparison *c, size_t variant,
                                         struct az_sv id)
{
    for (size_t i = 0; i < c->n_tables; i++) {
        const struct az_joined *j = &c->tables[i];
        if (!j->left_out && j->n_values && j->table[c->base] && j->table[variant] &&
            az_sv_eq(j->table[c->base]->id, id))
            return j;
    }
    return NULL;
}

/* The table whose rows pair the work of the two; of ranks their kernels, not the groups of the
 * waterfall. Families are in the waterfall already. */
static const struct az_joined *table_of(const struct az_comparison *c, const struct az_causes *o,
                                        size_t variant)
{
    switch (o->by) {
    case AZ_BY_KERNEL:
    case AZ_BY_OPERATOR:
        return joined_of(c, variant, o->table);
    case AZ_BY_GROUP:
        return joined_of(c, variant, AZ_SV("kernel_breakdown"));
    case AZ_BY_FAMILY:
    case AZ_BY_NONE:
        break;
    }
    return NULL;
}

static bool is_rank(const struct az_joined *j, size_t key)
{
    return key > 0 && az_sv_ieq(j->keys[key].name, AZ_SV("rank"));
}

/* Index of the row's entry, which all ranks share. */
static int entry_of(const struct az_comparison *c, const struct az_joined *j,
                    const struct az_joined_row *r, struct az_intern *names, uint32_t *id)
{
    struct az_vec_char text;
    int rc = AZ_OK;

    az_vec_init(&text, c->doc->mem);
    for (size_t k = 0; !rc && k < j->n_keys; k++) {
        if (is_rank(j, k))
            continue;
        rc = az_text_append(&text, r->key[k]);
        rc = rc ? rc : az_text_append(&text, AZ_SV("\x1f"));
    }
    rc = rc ? rc : az_intern(names, az_text_view(&text), id);
    az_vec_release(&text);
    return rc;
}

static int add_row(const struct az_comparison *c, const struct az_joined *j, size_t row,
                   size_t variant, struct az_intern *names, struct tops *list)
{
    const struct az_joined_row *r = &j->rows[row];
    double b = 0, t = 0;
    const bool has_b = az_row_value(j, r, 0, c->base, &b),
               has_t = az_row_value(j, r, 0, variant, &t);
    uint32_t id = 0;
    int rc = az_row_is_whole(j, r) ? AZ_OK : entry_of(c, j, r, names, &id);

    if (rc || az_row_is_whole(j, r))
        return rc;
    if (id == list->n)
        rc = az_vec_push(list, ((struct top){ .row = (uint32_t)row, .most = (uint32_t)row }));
    if (rc)
        return rc;
    struct top *x = &list->v[id];
    const double change = (has_t ? t : 0) - (has_b ? b : 0);
    x->rows++;
    x->b += has_b ? b : 0;
    x->t += has_t ? t : 0;
    x->has_b |= has_b;
    x->has_t |= has_t;
    if (fabs(change) > fabs(x->biggest)) {
        x->biggest = change;
        x->most = (uint32_t)row;
    }
    return AZ_OK;
}

static int choose(const struct az_comparison *c, const struct az_joined *j, size_t variant,
                  struct tops *list)
{
    struct az_intern names;
    size_t n = 0;
    int rc = 0;
    az_intern_init(&names, c->a, c->doc->mem);

    for (size_t i = 0; !rc && i < j->n_rows; i++)
        rc = add_row(c, j, i, variant, &names, list);
    az_intern_release(&names);
    for (size_t i = 0; i < list->n; i++)
        if (fabs(change_of(&list->v[i])) > 0)
            list->v[n++] = list->v[i];
    list->n = n;
    az_sort_cmp(list->v, n, sizeof *list->v, bigger_first, NULL, c->doc->mem);
    return rc;
}

/* ---- words ---- */

/* "1.2 -> 1.5 ms, +25%", or what there is of it. */
static struct az_sv words(const struct az_comparison *c, const struct az_joined *j,
                          const struct top *x)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
    const double scale = az_unit_base(j->values[0].unit) / 1e-9;
    const double most = fmax(fabs(x->b), fabs(x->t)) * scale;
    const bool has_b = x->has_b, has_t = x->has_t;
    double b = x->b, t = x->t;
    size_t u = 0;

    while (u < 3 && most < units[u].ns)
        u++;
    b *= scale / units[u].ns;
    t *= scale / units[u].ns;
    if (!has_b || !has_t)
        return az_arena_printf(c->a, "%s%.4g %s", has_b ? "was " : "", has_b ? b : t,
                               units[u].unit);
    if (!(fabs(b) > 0))
        return az_arena_printf(c->a, "0 -> %.4g %s", t, units[u].unit);
    return az_arena_printf(
        c->a, fabs(t - b) < 10 * fabs(b) ? "%.4g -> %.4g %s, %+.3g%%" : "%.4g -> %.4g %s, %+.0f%%",
        b, t, units[u].unit, 100 * (t - b) / fabs(b));
}

/* The keys after the first; a number has its subject. Of several ranks the one that changed
 * most. */
static struct az_sv others(const struct az_comparison *c, const struct az_joined *j,
                           const struct top *x)
{
    const struct az_joined_row *r = &j->rows[x->most];
    struct az_sv out = AZ_SV("");

    for (size_t k = 1; k < j->n_keys; k++) {
        const struct az_sv value = r->key[k];
        const bool number = value.n && value.p[0] >= '0' && value.p[0] <= '9',
                   many = is_rank(j, k) && x->rows > 1;
        if (value.n)
            out = az_arena_printf(c->a, "%.*s%s%.*s%s%.*s%s", AZ_SVF(out), out.n ? " / " : "",
                                  AZ_SVF(number ? j->keys[k].name : AZ_SV("")), number ? " " : "",
                                  AZ_SVF(value), many ? " most" : "");
    }
    if (x->rows > 1)
        out = az_arena_printf(c->a, "%.*s of %zu", AZ_SVF(out), x->rows);
    return out;
}

static const char *status(const struct az_comparison *c, const struct az_joined *j,
                          const struct top *x, size_t v)
{
    const struct az_joined_row *r = &j->rows[x->row];
    static const char *const text[] = { [ROW_NONE] = "",
                                        [ROW_SAME] = "same",
                                        [ROW_CHANGED] = "changed",
                                        [ROW_NEW] = "new",
                                        [ROW_REMOVED] = "removed" };
    if (x->rows > 1)
        return text[!x->has_b ? ROW_NEW : !x->has_t ? ROW_REMOVED : ROW_CHANGED];
    return r->partner[v].n ? "renamed?" : text[az_row_status(c, j, r, v)];
}

/* ---- table and chart ---- */

static int chart(struct az_comparison *c, const struct az_table *t)
{
    static const char *const y[] = { "Of total (%)", "Status", "Of", "What" };
    struct az_chart one = { .kind = AZ_CHART_LIMITS,
                            .table = t->id,
                            .title = t->title,
                            .x = AZ_SV("Row"),
                            .y_title = AZ_SV("Of total (%)") };
    int rc = AZ_OK;

    az_vec_init(&one.y, c->doc->mem);
    for (size_t i = 0; !rc && i < AZ_LENGTH(y); i++)
        rc = az_vec_push(&one.y, az_sv_str(y[i]));
    if (!rc)
        return az_document_chart(c->doc, one);
    az_vec_release(&one.y);
    return rc;
}

struct top_row {
    struct az_sv row, of, what;
    const char *status;
    double change, percent; /* of the total */
};
#define ROW struct top_row
enum { CHANGE = 3 };
/* The changes have the unit and the direction of the value. */
static const struct az_record_column columns[] = {
    { "Row", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, row) },
    { "Of", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, of) },
    { "Status", AZ_TEXT, AZ_FIELD(ROW, status) },
    { "Change", AZ_REAL, .flags = AZ_CHANGE, AZ_FIELD(ROW, change) },
    { "Of total (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_CHANGE, AZ_FIELD(ROW, percent) },
    { "What", AZ_TEXT, .flags = AZ_DETAIL, AZ_FIELD(ROW, what) },
};

static int write_table(struct az_comparison *c, const struct az_joined *j, size_t variant,
                       const struct tops *list)
{
    const double whole = az_join_total(j, c->base);
    struct az_table *t = AZ_RECORD_TABLE(c->a, "", "", 0, columns);
    int rc;

    if (!t)
        return az_arena_error(c->a);
    t->id = az_variant_name(c, "top_changes", variant);
    t->title =
        az_arena_printf(c->a, "Largest changes from %.*s to %.*s (%.*s)", AZ_SVF(c->shown[c->base]),
                        AZ_SVF(c->shown[variant]), AZ_SVF(j->title.n ? j->title : j->id));
    if (!t->id.p || !t->title.p || t->error)
        return az_arena_error(c->a);
    for (size_t i = 0; i < t->columns.n; i++)
        if (t->columns.v[i].flags & AZ_CHANGE)
            t->columns.v[i].flags |= j->values[0].flags;
    t->columns.v[CHANGE].unit = j->values[0].unit;
    for (size_t i = 0; i < list->n && i < MOST; i++) {
        const struct top *x = &list->v[i];
        az_put_row(t, &(ROW){ j->rows[x->row].key[0], others(c, j, x), words(c, j, x),
                              status(c, j, x, variant), change_of(x),
                              fabs(whole) > 0 ? 100 * change_of(x) / whole : NAN });
    }
    if (c->a->failed)
        t->error = t->error ? t->error : az_arena_error(c->a);
    rc = az_document_add(c->doc, t);
    return rc ? rc : chart(c, t);
}

int az_compare_top(struct az_comparison *c, const struct az_causes *o, size_t variant)
{
    const struct az_joined *j = table_of(c, o, variant);
    struct tops list;
    int rc;

    if (!j)
        return AZ_OK;
    az_vec_init(&list, c->doc->mem);
    rc = choose(c, j, variant, &list);
    if (!rc && list.n)
        rc = write_table(c, j, variant, &list);
    az_vec_release(&list);
    return rc;
}
