/* Which columns of the tables of one id are keys, and which metrics are compared. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "compare/compare_internal.h"

#define MAX_COLUMNS 4096 /* of a table that is compared: names are searched one by one */

/* Tables that have columns at all (an empty CSV file has none). */
static const struct az_table *columned(const struct az_joined *j, size_t i)
{
    return j->table[i] && j->table[i]->columns.n ? j->table[i] : NULL;
}

/* The table whose names and units count: the baseline's, else the first. */
static size_t reference(const struct az_comparison *c, const struct az_joined *j)
{
    if (columned(j, c->base))
        return c->base;
    for (size_t i = 0; i < c->n; i++)
        if (columned(j, i))
            return i;
    return c->n;
}

static bool starts_like(struct az_sv token, struct az_sv stem)
{
    return token.n > 1 && token.p[token.n - 1] == '*' &&
           az_sv_starts(stem, az_sv_make(token.p, token.n - 1));
}

/* Fills at[] for the ids of one column, or for one that has a column's header (like). Returns in
 * how many of the tables it is missing. */
static size_t locate(const struct az_comparison *c, const struct az_joined *j, struct az_sv ids,
                     const struct az_column *like, struct az_joined_column *col)
{
    size_t missing = 0;

    *col = (struct az_joined_column){ .name = { "", 0 } };
    for (size_t i = 0; i < c->n; i++) {
        const struct az_table *t = columned(j, i);
        col->at[i] = !t ? -1 : like ? az_compare_like(t, like) : az_compare_column(t, ids);
        missing += t && col->at[i] < 0;
    }
    for (size_t k = 0; k <= c->n && col->name.n == 0; k++) { /* the baseline's name first */
        size_t i = k == 0 ? c->base : k - 1;
        if (columned(j, i) && col->at[i] >= 0) {
            col->name = j->table[i]->columns.v[col->at[i]].name;
            col->stem = j->table[i]->columns.v[col->at[i]].stem;
            col->title = j->table[i]->columns.v[col->at[i]].title;
        }
    }
    return missing;
}

/* ---- keys ---- */

static int by_name(const void *a, const void *b, void *ctx)
{
    (void)ctx;
    return az_sv_cmp(((const struct az_joined_column *)a)->name,
                     ((const struct az_joined_column *)b)->name);
}

/* The one value of a column; NULL: it has none, or several. */
static const struct az_cell *one_value(const struct az_table *t, size_t column)
{
    const struct az_cell *first = NULL;
    char x[AZ_NUM_MAX], y[AZ_NUM_MAX];

    for (size_t r = 0; r < t->rows; r++) {
        const struct az_cell *cell = az_table_at(t, r, column);
        if (!first)
            first = cell;
        else if (!az_sv_eq(az_cell_exact(first, x), az_cell_exact(cell, y)))
            return NULL;
    }
    return first;
}

/* Device 0 of one run and device 3 of another, where neither has a second: the number is that of a
 * free card, and would separate all rows. */
static bool is_lone(const struct az_comparison *c, struct az_joined *j,
                    const struct az_joined_column *col)
{
    const struct az_cell *first = NULL;
    char x[AZ_NUM_MAX], y[AZ_NUM_MAX];
    bool device = az_sv_is(col->stem, "device") || az_sv_is(col->stem, "agent"), differ = false;

    for (size_t i = 0; device && i < c->n; i++) {
        const struct az_table *t = columned(j, i);
        const struct az_cell *value = t ? one_value(t, (size_t)col->at[i]) : NULL;
        if (t && t->rows && !value)
            return false;
        if (value && first)
            differ |= !az_sv_eq(az_cell_exact(first, x), az_cell_exact(value, y));
        first = first ? first : value;
    }
    if (differ)
        j->lone = col->name;
    return differ;
}

/* `param_*`: the columns of that start that all tables have, by name. */
static void add_started(const struct az_comparison *c, struct az_joined *j, struct az_sv token)
{
    const struct az_table *t = j->table[reference(c, j)];
    size_t first = j->n_keys;

    for (size_t k = 0; k < t->columns.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        if (starts_like(token, col->stem) && locate(c, j, AZ_SV(""), col, &j->keys[j->n_keys]) == 0)
            j->n_keys++;
    }
    az_sort_cmp(j->keys + first, j->n_keys - first, sizeof *j->keys, by_name, NULL, NULL);
}

/* Keys of the specification. *usable: false if one that is needed is missing somewhere. */
static int spec_keys(const struct az_comparison *c, struct az_joined *j, bool *usable)
{
    struct az_sv rest = az_sv_str(j->spec->keys);
    int rc = AZ_OK;

    *usable = rest.n > 0;
    while (!rc && rest.n) {
        struct az_sv token = az_sv_cut(&rest, '|');
        bool optional = token.n && token.p[token.n - 1] == '?';
        if (token.n && token.p[token.n - 1] == '*') {
            add_started(c, j, token);
            continue;
        }
        token.n -= optional;
        if (locate(c, j, token, NULL, &j->keys[j->n_keys]) == 0)
            j->n_keys += !(optional && is_lone(c, j, &j->keys[j->n_keys]));
        else if (!optional)
            *usable = false;
    }
    return rc;
}

static bool any_key_flag(const struct az_table *t)
{
    bool any = false;
    for (size_t k = 0; t && k < t->columns.n; k++)
        any |= (t->columns.v[k].flags & AZ_KEY) != 0;
    return any;
}

/* Keys by flags; where no table has any (CSV files), the texts before the first number. */
static void flag_keys(const struct az_comparison *c, struct az_joined *j)
{
    const struct az_table *t = j->table[reference(c, j)];
    bool flags = any_key_flag(t);

    for (size_t i = 0; !flags && i < c->n; i++) {
        flags = any_key_flag(columned(j, i));
        t = flags ? j->table[i] : t;
    }
    for (size_t k = 0; k < t->columns.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        if (!flags && col->type != AZ_TEXT && col->type != AZ_EMPTY)
            break;
        if (flags && !(col->flags & AZ_KEY))
            continue;
        if (locate(c, j, AZ_SV(""), col, &j->keys[j->n_keys]) == 0)
            j->n_keys += !is_lone(c, j, &j->keys[j->n_keys]);
    }
    for (size_t k = 0; k < t->columns.n && j->n_keys == 0 && j->lone.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        if (!az_sv_eq(col->name, j->lone) || locate(c, j, AZ_SV(""), col, &j->keys[0]) > 0)
            continue;
        j->lone = AZ_SV(""); /* it is the only key */
        j->n_keys = 1;
    }
}

/* ---- metrics ---- */

static bool is_number(enum az_cell_type t) { return t == AZ_INT || t == AZ_REAL; }

/* Factor from unit u to unit b; negative: divide by it (so that 1000 is exact both ways). 0: no
 * way. */
static double scale_of(enum az_unit u, enum az_unit b)
{
    double r;

    if (u == b || u == AZ_UNIT_NONE || b == AZ_UNIT_NONE)
        return 1;
    if (!az_unit_same_dimension(u, b))
        return 0;
    r = az_unit_base(u) / az_unit_base(b);
    return r >= 1 ? round(r) : -round(1 / r);
}

/* Units, type and direction of a located metric; false: nothing to compare. */
static bool qualify(const struct az_comparison *c, const struct az_joined *j,
                    struct az_joined_column *col)
{
    size_t ref = c->n;
    bool whole = true;

    for (size_t k = 0; k <= c->n && ref == c->n; k++) {
        size_t i = k == 0 ? c->base : k - 1;
        if (col->at[i] >= 0 && is_number(j->table[i]->columns.v[col->at[i]].type))
            ref = i;
    }
    if (ref == c->n)
        return false;
    col->unit = j->table[ref]->columns.v[col->at[ref]].unit;
    for (size_t i = 0; i < c->n; i++) {
        const struct az_column *own = col->at[i] >= 0 ? &j->table[i]->columns.v[col->at[i]] : NULL;
        if (own && !is_number(own->type))
            col->at[i] = -1;
        if (col->at[i] < 0)
            continue;
        col->scale[i] = scale_of(own->unit, col->unit);
        if (col->scale[i] == 0)
            col->at[i] = -1;
        else
            whole = whole && own->type == AZ_INT && col->scale[i] == 1;
        col->flags |= own->flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER);
    }
    col->type = whole ? AZ_INT : AZ_REAL;
    return true;
}

/* Direction by unit where a table has no flags (CSV): times are better short, rates high. */
static unsigned direction_of(enum az_unit u)
{
    switch (u) {
    case AZ_UNIT_PS:
    case AZ_UNIT_NS:
    case AZ_UNIT_US:
    case AZ_UNIT_MS:
    case AZ_UNIT_S:
        return AZ_LOWER_BETTER;
    case AZ_UNIT_GBPS:
    case AZ_UNIT_TBPS:
    case AZ_UNIT_TFLOPS:
        return AZ_HIGHER_BETTER;
    default:
        return 0;
    }
}

static void add_value(const struct az_comparison *c, struct az_joined *j, struct az_sv ids,
                      const struct az_column *like)
{
    struct az_joined_column *col = &j->values[j->n_values];

    (void)locate(c, j, ids, like, col);
    if (!qualify(c, j, col))
        return;
    for (size_t k = 0; k < j->n_values; k++)
        if (az_sv_eq(j->values[k].name, col->name))
            return;
    if (!col->flags)
        col->flags = direction_of(col->unit);
    j->n_values++;
}

static bool is_key(const struct az_joined *j, struct az_sv name)
{
    for (size_t k = 0; k < j->n_keys; k++)
        if (az_sv_eq(j->keys[k].name, name))
            return true;
    return false;
}

static void add_values(const struct az_comparison *c, struct az_joined *j)
{
    const struct az_table *t = j->table[reference(c, j)];
    struct az_sv rest = az_sv_str(j->spec->values);
    bool directed = false;

    while (rest.n)
        add_value(c, j, az_sv_cut(&rest, '|'), NULL);
    if (j->n_values)
        return;
    for (size_t k = 0; k < t->columns.n; k++)
        directed |= (t->columns.v[k].flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER)) != 0;
    for (size_t k = 0; k < t->columns.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        bool wanted = directed ? (col->flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER)) != 0
                               : col->unit != AZ_UNIT_ID;
        if (wanted && is_number(col->type) && !is_key(j, col->name))
            add_value(c, j, AZ_SV(""), col);
    }
}

int az_join_columns(struct az_comparison *c, struct az_joined *j)
{
    size_t ref = reference(c, j), most;
    bool usable = false;
    int rc = AZ_OK;

    if (ref == c->n)
        return AZ_OK;
    most = j->table[ref]->columns.n + 64;
    for (size_t i = 0; i < c->n; i++)
        if (columned(j, i) && j->table[i]->columns.n > MAX_COLUMNS)
            return AZ_OK;
    for (size_t i = 0; i < c->n; i++)
        most = columned(j, i) && j->table[i]->columns.n + 64 > most ? j->table[i]->columns.n + 64
                                                                    : most;
    j->keys = az_arena_array(c->a, most, sizeof *j->keys);
    j->values = az_arena_array(c->a, most, sizeof *j->values);
    if (!j->keys || !j->values)
        return az_arena_error(c->a);
    if (j->spec->keys)
        rc = spec_keys(c, j, &usable);
    if (!rc && !usable) {
        j->n_keys = 0;
        flag_keys(c, j);
    }
    if (!rc && j->n_keys)
        add_values(c, j);
    if (j->n_values == 0)
        j->n_keys = 0;
    return rc;
}
