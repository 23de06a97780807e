/* The full outer join of the tables of one id: rows by the text of their keys. Equal keys within
 * one table are added up, or paired by their order (by the specification); a row whose key
 * is empty fits only a row equal in all.
 */
#include "base/num.h"
#include "base/sort.h"
#include "compare/compare_internal.h"

#define PART  "\x1f" /* between the parts of a key */
#define BLANK "\x01" /* before the whole row of one without a key */

/* How cells of rows with equal keys become one. */
enum role { FIRST, SUM, MEAN, LEAST, MOST, LOST };

struct join {
    struct az_comparison *c;
    struct az_joined *j;
    struct az_intern keys; /* id: row */
    struct az_map seen;    /* (row, input) -> number of rows so far */
    AZ_VEC(struct az_joined_row, rows) rows;
    enum role *roles; /* of the columns of the table at hand */
    ptrdiff_t count;  /* its column that weighs means; -1: none */
    struct az_vec_char text;
};

/* ---- equal keys ---- */

static bool contains_word(struct az_sv name, const char *word)
{
    return az_sv_ifind(name, az_sv_str(word)) >= 0;
}

static enum role role_of(const struct az_column *col)
{
    if (col->type != AZ_INT && col->type != AZ_REAL)
        return FIRST;
    if (contains_word(col->name, "median") || contains_word(col->name, "std") ||
        contains_word(col->name, "_p25") || contains_word(col->name, "_p75") ||
        contains_word(col->name, "Med (") || contains_word(col->name, "P95") ||
        contains_word(col->name, "P99") || contains_word(col->name, "cum"))
        return LOST;
    if (contains_word(col->name, "mean") || contains_word(col->name, "avg"))
        return MEAN;
    if (contains_word(col->name, "min (") || az_sv_ends(col->name, AZ_SV("min")) ||
        az_sv_starts(col->name, AZ_SV("min")) || az_sv_starts(col->name, AZ_SV("Min")))
        return LEAST;
    if (contains_word(col->name, "max (") || az_sv_ends(col->name, AZ_SV("max")) ||
        az_sv_starts(col->name, AZ_SV("max")) || az_sv_starts(col->name, AZ_SV("Max")))
        return MOST;
    switch (col->unit) {
    case AZ_UNIT_ID:
    case AZ_UNIT_NONE:
        return FIRST;
    case AZ_UNIT_PERCENT: /* shares add up; utilizations do not */
        return col->flags & AZ_HIGHER_BETTER ? LOST : SUM;
    case AZ_UNIT_RATIO:
    case AZ_UNIT_GBPS:
    case AZ_UNIT_TBPS:
    case AZ_UNIT_TFLOPS:
    case AZ_UNIT_FLOP_PER_BYTE:
    case AZ_UNIT_PER_S:
        return LOST;
    default:
        return SUM;
    }
}

static int plan_roles(struct join *g, const struct az_table *t)
{
    g->count = -1;
    g->roles = az_arena_array(g->c->a, t->columns.n, sizeof *g->roles);
    if (!g->roles)
        return az_arena_error(g->c->a);
    for (size_t k = 0; k < t->columns.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        g->roles[k] = role_of(col);
        if (g->count < 0 && col->unit == AZ_UNIT_COUNT && g->roles[k] == SUM)
            g->count = (ptrdiff_t)k;
    }
    return AZ_OK;
}

static struct az_cell add_cells(const struct az_cell *x, const struct az_cell *y)
{
    struct az_cell sum = *x;

    if (x->type == AZ_INT && y->type == AZ_INT)
        sum.i = az_add_sat(x->i, y->i);
    else
        sum = (struct az_cell){ .type = AZ_REAL, .f = az_cell_number(x) + az_cell_number(y) };
    return sum;
}

/* Weight of a row in means: its count, else how many rows were merged. */
static double weight(const struct join *g, const struct az_cell *row, uint32_t rows)
{
    double n = g->count >= 0 ? az_cell_number(&row[g->count]) : rows;
    return n > 0 ? n : 0;
}

static struct az_cell merge(enum role role, const struct az_cell *x, const struct az_cell *y,
                            double wx, double wy)
{
    const struct az_cell none = { .type = AZ_EMPTY };
    double a = az_cell_number(x), b = az_cell_number(y);

    if (role == FIRST)
        return *x;
    if (role == LOST)
        return none;
    if (x->type == AZ_EMPTY || y->type == AZ_EMPTY)
        return x->type == AZ_EMPTY ? *y : *x;
    if (role == SUM)
        return add_cells(x, y);
    if (role == LEAST)
        return b < a ? *y : *x;
    if (role == MOST)
        return b > a ? *y : *x;
    if (wx + wy <= 0)
        return none;
    return (struct az_cell){ .type = AZ_REAL, .f = (a * wx + b * wy) / (wx + wy) };
}

/* Adds a row to the one of its key; the first time this makes a row of its own. */
static int add_up(struct join *g, const struct az_table *t, const struct az_cell **at,
                  const struct az_cell *row, uint32_t rows)
{
    struct az_cell *own;
    double wx, wy;

    if (rows > 1) /* is a row of its own already */
        own = (struct az_cell *)*at;
    else
        own = az_arena_array(g->c->a, t->columns.n, sizeof *own);

    if (!own)
        return az_arena_error(g->c->a);
    wx = weight(g, *at, rows);
    wy = weight(g, row, 1);
    for (size_t k = 0; k < t->columns.n; k++)
        own[k] = merge(g->roles[k], &(*at)[k], &row[k], wx, wy);
    *at = own;
    return AZ_OK;
}

/* ---- keys ---- */

/* Is the key column a name, which may be normalized? Shapes and numbers are none. */
static bool is_name(const struct az_joined_column *col)
{
    return contains_word(col->name, "name") || contains_word(col->name, "kernel") ||
           contains_word(col->name, "op") || contains_word(col->name, "range");
}

static int key_part(struct join *g, const struct az_joined_column *col, const struct az_cell *cell,
                    bool *blank)
{
    struct az_sv part = az_compare_key(g->c->a, cell);
    int rc;

    if (!part.p)
        return az_arena_error(g->c->a);
    if (g->c->opts->normalize && part.n && is_name(col)) {
        part = az_compare_normal(g->c->a, part);
        if (!part.p)
            return az_arena_error(g->c->a);
    }
    *blank = *blank && part.n == 0;
    rc = az_text_append(&g->text, part);
    return rc ? rc : az_text_append(&g->text, AZ_SV(PART));
}

/* The key of a row in g->text. */
static int make_key(struct join *g, const struct az_table *t, size_t input,
                    const struct az_cell *row, bool *blank)
{
    char buf[AZ_NUM_MAX];
    int rc = AZ_OK;

    *blank = true;
    az_vec_reset(&g->text);
    for (size_t k = 0; !rc && k < g->j->n_keys; k++)
        rc = key_part(g, &g->j->keys[k], &row[g->j->keys[k].at[input]], blank);
    if (rc || !*blank)
        return rc;
    rc = az_text_append(&g->text, AZ_SV(BLANK));
    for (size_t k = 0; !rc && k < t->columns.n; k++) {
        rc = az_text_append(&g->text, az_cell_exact(&row[k], buf));
        if (!rc)
            rc = az_text_append(&g->text, AZ_SV(PART));
    }
    return rc;
}

/* The row's keys as printed: as the first input has them. */
static int print_keys(struct join *g, size_t input, const struct az_cell *row, uint32_t number,
                      struct az_joined_row *to)
{
    struct az_arena *a = g->c->a;
    char buf[AZ_NUM_MAX];

    to->key = az_arena_array(a, g->j->n_keys, sizeof *to->key);
    if (!to->key)
        return az_arena_error(a);
    for (size_t k = 0; k < g->j->n_keys; k++) {
        const struct az_cell *cell = &row[g->j->keys[k].at[input]];
        struct az_sv text = az_cell_exact(cell, buf);
        if (g->c->opts->normalize && text.n && is_name(&g->j->keys[k]))
            text = az_compare_normal(a, text);
        else if (cell->type != AZ_TEXT)
            text = az_arena_dup(a, text);
        if (k == 0 && number > 1)
            text = az_arena_printf(a, "%.*s #%u", AZ_SVF(text), number);
        if (!text.p)
            return az_arena_error(a);
        to->key[k] = text;
    }
    return AZ_OK;
}

/* Number of rows of this input that had the key in g->text before. */
static int times_seen(struct join *g, uint32_t id, size_t input, uint32_t **times)
{
    bool added = false;
    int rc = az_map_put(&g->seen, id, input, 0, times, &added);
    return rc;
}

static int add_row(struct join *g, size_t input, const struct az_table *t,
                   const struct az_cell *row)
{
    size_t known = g->keys.text.n;
    uint32_t id = 0, *times, number = 1;
    bool blank = false;
    int rc = make_key(g, t, input, row, &blank);

    if (!rc)
        rc = az_intern(&g->keys, az_text_view(&g->text), &id);
    if (!rc)
        rc = times_seen(g, id, input, &times);
    if (rc)
        return rc;
    (*times)++;
    g->j->merged += *times > 1;
    if (*times > 1 && !blank && !(g->j->spec->flags & AZ_SPEC_NUMBER))
        return add_up(g, t, &g->rows.v[id].cells[input], row, *times - 1);
    if (*times > 1) {
        number = *times;
        known = g->keys.text.n;
        rc = az_text_printf(&g->text, "#%u", number);
        if (!rc)
            rc = az_intern(&g->keys, az_text_view(&g->text), &id);
    }
    if (!rc && id == known) {
        struct az_joined_row fresh = { .key = NULL };
        fresh.cells = az_arena_array(g->c->a, g->c->n, sizeof(const struct az_cell *));
        fresh.partner = az_arena_array(g->c->a, g->c->n, sizeof *fresh.partner);
        rc = fresh.cells && fresh.partner ? print_keys(g, input, row, number, &fresh)
                                          : az_arena_error(g->c->a);
        if (!rc)
            rc = az_vec_push(&g->rows, fresh);
    }
    if (!rc)
        g->rows.v[id].cells[input] = row;
    return rc;
}

static int add_table(struct join *g, size_t input)
{
    const struct az_table *t = g->j->table[input];
    int rc;

    if (!t || t->columns.n == 0)
        return AZ_OK;
    rc = plan_roles(g, t);
    for (size_t r = 0; !rc && r < t->rows; r++)
        rc = add_row(g, input, t, az_table_at(t, r, 0));
    return rc;
}

/* ---- order ---- */

/* Size of a row that the baseline does not have. */
static double size_of(const struct az_comparison *c, const struct az_joined *j,
                      const struct az_joined_row *r)
{
    double most = 0, x = 0;

    for (size_t i = 0; i < c->n; i++)
        if (az_row_value(j, r, 0, i, &x) && x > most)
            most = x;
    return most;
}

struct order {
    const struct az_comparison *c;
    const struct az_joined *j;
};

static int by_size(const void *a, const void *b, void *ctx)
{
    const struct order *o = ctx;
    const struct az_joined_row *x = a, *y = b;
    double p = size_of(o->c, o->j, x), q = size_of(o->c, o->j, y);
    int rc = (p < q) - (p > q);

    for (size_t k = 0; !rc && k < o->j->n_keys; k++)
        rc = az_sv_cmp(x->key[k], y->key[k]);
    return rc;
}

static void sort_rows(struct az_comparison *c, struct az_joined *j)
{
    struct order o = { c, j };
    size_t first = 0;

    while (first < j->n_rows && j->rows[first].cells[c->base])
        first++;
    az_sort_cmp(j->rows + first, j->n_rows - first, sizeof *j->rows, by_size, &o, c->doc->mem);
}

static int join_rows(struct join *g)
{
    struct az_joined *j = g->j;
    int rc = add_table(g, g->c->base);

    for (size_t i = 0; !rc && i < g->c->n; i++)
        if (i != g->c->base)
            rc = add_table(g, i);
    if (rc)
        return rc;
    j->rows = az_arena_array(g->c->a, g->rows.n, sizeof *j->rows);
    if (!j->rows)
        return az_arena_error(g->c->a);
    if (g->rows.n)
        memcpy(j->rows, g->rows.v, g->rows.n * sizeof *j->rows);
    j->n_rows = g->rows.n;
    sort_rows(g->c, j);
    return 0;
}

/* Means of whole numbers are none: metrics and columns that were merged may have become real. */
static void check_types(const struct az_comparison *c, struct az_joined *j)
{
    for (size_t k = 0; j->merged && k < j->n_values; k++) {
        double x;
        int64_t n;
        for (size_t r = 0; j->values[k].type == AZ_INT && r < j->n_rows; r++)
            for (size_t i = 0; i < c->n; i++)
                if (az_row_value(j, &j->rows[r], k, i, &x) &&
                    !az_row_whole(j, &j->rows[r], k, i, &n))
                    j->values[k].type = AZ_REAL;
    }
}

int az_join(struct az_comparison *c, struct az_joined *j)
{
    struct join g = { .c = c, .j = j };
    int rc = az_join_columns(c, j);

    if (rc || j->n_keys == 0)
        return rc;
    az_vec_init(&g.rows, c->doc->mem);
    az_vec_init(&g.text, c->doc->mem);
    az_intern_init(&g.keys, c->a, c->doc->mem);
    az_map_init(&g.seen, c->doc->mem, 64);
    rc = join_rows(&g);
    az_map_release(&g.seen);
    if (!rc)
        check_types(c, j);
    for (size_t i = 0; !rc && i < c->n; i++)
        if (az_is_variant(c, j, i))
            rc = az_join_renamed(c, j, i);
    az_intern_release(&g.keys);
    az_vec_release(&g.rows);
    az_vec_release(&g.text);
    return rc;
}
