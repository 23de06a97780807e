/* Tables of the comparison: a joined table (or its three parts) for files, and a short one for the
 * text report. */
#include <math.h>

#include "base/sort.h"
#include "compare/compare_internal.h"

/* One table to write: of these variants, with the columns of these inputs, rows in this order. */
struct sheet {
    struct az_comparison *c;
    const struct az_joined *j;
    const size_t *variants, *inputs; /* numbers of inputs */
    size_t n_variants, n_inputs;
    struct az_vec_u32 rows;
    struct az_table *t;
    bool partners;                          /* some row may only be renamed */
    unsigned char *dropped[AZ_COMPARE_MAX]; /* by input and column: not written */
};

struct az_sv az_variant_name(const struct az_comparison *c, const char *name, size_t variant)
{
    if (c->n == 2)
        return az_sv_str(name);
    return az_arena_printf(c->a, "%s__%.*s", name, AZ_SVF(c->in[variant].tag));
}

/* ---- columns ---- */

static void add_column(struct sheet *s, struct az_sv name, enum az_cell_type type,
                       enum az_unit unit, unsigned flags)
{
    if (!name.p && !s->t->error)
        s->t->error = az_arena_error(s->c->a);
    else
        az_table_columnsv(s->t, name, type, unit, flags);
}

static bool listed(const char *list, struct az_sv name, bool variant)
{
    struct az_sv rest = az_sv_str(list);

    while (rest.n) {
        struct az_sv one = az_sv_cut(&rest, '|');
        bool only_variants = one.n && one.p[one.n - 1] == '+';
        one.n -= only_variants;
        if (az_sv_eq(one, name) && (variant || !only_variants))
            return true;
    }
    return false;
}

static bool is_key(const struct az_joined *j, size_t input, size_t column)
{
    for (size_t k = 0; k < j->n_keys; k++)
        if (j->keys[k].at[input] == (ptrdiff_t)column)
            return true;
    return false;
}

static bool is_value(const struct az_joined *j, size_t input, size_t column)
{
    for (size_t k = 0; k < j->n_values; k++)
        if (j->values[k].at[input] == (ptrdiff_t)column)
            return true;
    return false;
}

/* Columns that are rarely needed are folded away in workbooks. */
static bool is_hidden(const struct az_joined *j, struct az_sv name)
{
    static const char *const ends[] = {
        "kernel_names", "median", "std", "min", "max", "ex_UID", "kernel_stats", "kernel_details"
    };
    static const char *const calls[] = { "UID*", "Input Dims*", "Input type*", "Input Strides*",
                                         "Concrete Inputs*" };

    for (size_t i = 0; i < AZ_LENGTH(ends); i++)
        if (az_sv_ends(name, az_sv_str(ends[i])))
            return true;
    for (size_t i = 0; (j->spec->flags & AZ_SPEC_FAMILY) && i < AZ_LENGTH(calls); i++)
        if (az_sv_glob(az_sv_str(calls[i]), name))
            return true;
    return false;
}

static bool leave_out(const struct sheet *s, size_t input, size_t column)
{
    const struct az_table *t = s->j->table[input];
    return is_key(s->j, input, column) ||
           (!is_value(s->j, input, column) &&
            listed(s->j->spec->drop, t->columns.v[column].name, input != s->c->base));
}

/* A column whose rows were merged may have means of whole numbers. */
static enum az_cell_type raw_type(const struct sheet *s, size_t input, size_t column)
{
    enum az_cell_type type = s->j->table[input]->columns.v[column].type;

    for (size_t r = 0; s->j->merged && type == AZ_INT && r < s->j->n_rows; r++) {
        const struct az_cell *row = s->j->rows[r].cells[input];
        if (row && row[column].type == AZ_REAL)
            return AZ_REAL;
    }
    return type;
}

static void raw_columns(struct sheet *s, size_t input)
{
    const struct az_table *t = s->j->table[input];

    s->dropped[input] = az_arena_array(s->c->a, t ? t->columns.n : 0, 1);
    if (!s->dropped[input]) {
        s->t->error = s->t->error ? s->t->error : az_arena_error(s->c->a);
        return;
    }
    for (size_t k = 0; t && k < t->columns.n; k++) {
        const struct az_column *col = &t->columns.v[k];
        unsigned flags = col->flags & (AZ_HIGHER_BETTER | AZ_LOWER_BETTER);
        s->dropped[input][k] = leave_out(s, input, k);
        if (s->dropped[input][k])
            continue;
        if (is_hidden(s->j, col->name))
            flags |= AZ_HIDDEN;
        add_column(
            s,
            az_arena_printf(s->c->a, "%.*s::%.*s", AZ_SVF(s->c->in[input].tag), AZ_SVF(col->name)),
            raw_type(s, input, k), col->unit,
            flags | (s->j->n_values && s->j->values[0].at[input] == (ptrdiff_t)k ? 0 : AZ_DETAIL));
    }
}

static void change_columns(struct sheet *s, const struct az_joined_column *v, size_t variant)
{
    struct az_sv tag = s->c->in[variant].tag;
    struct az_arena *a = s->c->a;
    const unsigned detail = v == s->j->values ? 0 : AZ_DETAIL;

    add_column(s, az_arena_printf(a, "%.*s__%.*s_diff", AZ_SVF(v->name), AZ_SVF(tag)), v->type,
               v->unit, v->flags | AZ_CHANGE | detail);
    add_column(s, az_arena_printf(a, "%.*s__%.*s_pct", AZ_SVF(v->name), AZ_SVF(tag)), AZ_REAL,
               AZ_UNIT_PERCENT, v->flags | AZ_CHANGE | detail);
    add_column(s, az_arena_printf(a, "%.*s__%.*s_x", AZ_SVF(v->name), AZ_SVF(tag)), AZ_REAL,
               AZ_UNIT_RATIO, AZ_DETAIL);
}

static void columns(struct sheet *s)
{
    const struct az_joined *j = s->j;

    for (size_t k = 0; k < j->n_keys; k++)
        add_column(s, j->keys[k].name, AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < s->n_variants; i++) {
        add_column(s, az_variant_name(s->c, "status", s->variants[i]), AZ_TEXT, AZ_UNIT_NONE, 0);
        if (s->partners)
            add_column(s, az_variant_name(s->c, "counterpart", s->variants[i]), AZ_TEXT,
                       AZ_UNIT_NONE, AZ_DETAIL);
        add_column(s, az_variant_name(s->c, "contribution", s->variants[i]), AZ_REAL,
                   AZ_UNIT_PERCENT, j->values[0].flags | AZ_CHANGE);
    }
    for (size_t k = 0; k < j->n_values; k++)
        for (size_t i = 0; i < s->n_variants; i++)
            change_columns(s, &j->values[k], s->variants[i]);
    for (size_t i = 0; i < s->n_inputs; i++)
        raw_columns(s, s->inputs[i]);
}

/* ---- cells ---- */

static const char *status_text(const struct sheet *s, const struct az_joined_row *r, size_t variant)
{
    switch (az_row_status(s->c, s->j, r, variant)) {
    case ROW_SAME:
        return "same";
    case ROW_CHANGED:
        return "changed";
    case ROW_NEW:
        return r->partner[variant].n ? "renamed?" : "new";
    case ROW_REMOVED:
        return r->partner[variant].n ? "renamed?" : "removed";
    case ROW_NONE:
        break;
    }
    return "";
}

/* Change of the first metric as a part of the baseline's whole, percent; what is missing on one
 * side counts as 0 there.
 */
static void put_contribution(struct sheet *s, const struct az_joined_row *r, size_t variant,
                             double whole)
{
    double b = 0, t = 0;
    bool any = az_row_value(s->j, r, 0, s->c->base, &b);

    any |= az_row_value(s->j, r, 0, variant, &t);
    if (!any || !(fabs(whole) > 0))
        az_put_empty(s->t);
    else
        az_put_f64(s->t, 100 * ((t - b) / whole) + 0.0);
}

static void put_change(struct sheet *s, const struct az_joined_row *r, size_t value, size_t variant)
{
    int64_t i = 0, n = 0;
    double b = 0, t = 0;

    if (!az_row_value(s->j, r, value, s->c->base, &b) ||
        !az_row_value(s->j, r, value, variant, &t)) {
        for (int k = 0; k < 3; k++)
            az_put_empty(s->t);
        return;
    }
    if (az_row_whole(s->j, r, value, s->c->base, &i) && az_row_whole(s->j, r, value, variant, &n) &&
        !__builtin_sub_overflow(n, i, &n))
        az_put_i64(s->t, n);
    else if (s->j->values[value].type == AZ_INT)
        az_put_empty(s->t); /* beyond 64 bits */
    else
        az_put_f64(s->t, t - b);
    if (!(fabs(b) > 0)) {
        az_put_empty(s->t);
        az_put_empty(s->t);
        return;
    }
    az_put_f64(s->t, 100 * (t - b) / b + 0.0); /* not -0 where the baseline is below 0 */
    az_put_f64(s->t, t / b);
}

static void put_cell(struct az_table *t, const struct az_cell *cell)
{
    switch (cell->type) {
    case AZ_TEXT:
        az_put_text(t, az_cell_text(cell));
        return;
    case AZ_INT:
        az_put_i64(t, cell->i);
        return;
    case AZ_REAL:
        az_put_f64(t, cell->f);
        return;
    case AZ_BOOL:
        az_put_bool(t, cell->b);
        return;
    case AZ_EMPTY:
        az_put_empty(t);
        return;
    }
}

static void put_raw(struct sheet *s, const struct az_joined_row *r, size_t input)
{
    const struct az_table *t = s->j->table[input];
    const struct az_cell none = { .type = AZ_EMPTY };

    for (size_t k = 0; t && k < t->columns.n; k++)
        if (!s->dropped[input][k])
            put_cell(s->t, r->cells[input] ? &r->cells[input][k] : &none);
}

static void put_row(struct sheet *s, const struct az_joined_row *r, double whole)
{
    for (size_t k = 0; k < s->j->n_keys; k++)
        az_put_text(s->t, r->key[k]);
    for (size_t i = 0; i < s->n_variants; i++) {
        size_t v = s->variants[i];
        az_put_text(s->t, az_sv_str(status_text(s, r, v)));
        if (s->partners)
            az_put_text(s->t, r->partner[v]);
        put_contribution(s, r, v, whole);
    }
    for (size_t k = 0; k < s->j->n_values; k++)
        for (size_t i = 0; i < s->n_variants; i++)
            put_change(s, r, k, s->variants[i]);
    for (size_t i = 0; i < s->n_inputs; i++)
        put_raw(s, r, s->inputs[i]);
}

/* Drops the columns without any cell, but for keys. In place. */
static void drop_blank(struct az_table *t)
{
    size_t n = t->columns.n, kept = 0, at = 0;
    unsigned char *keep = az_arena_array(t->arena, n, 1);

    if (!keep || t->error)
        return;
    for (size_t c = 0; c < n; c++) {
        keep[c] = (t->columns.v[c].flags & AZ_KEY) != 0;
        for (size_t r = 0; !keep[c] && r < t->rows; r++) {
            const struct az_cell *cell = az_table_at(t, r, c);
            keep[c] = cell->type == AZ_TEXT ? cell->len > 0 : cell->type != AZ_EMPTY;
        }
    }
    for (size_t i = 0; i < t->rows * n; i++)
        if (keep[i % n])
            t->cells.v[at++] = t->cells.v[i];
    for (size_t c = 0; c < n; c++)
        if (keep[c])
            t->columns.v[kept++] = t->columns.v[c];
    t->cells.n = at;
    t->columns.n = kept;
}

/* "Kernel time" of "Kernel Time (us)_sum": as the reports title the column, without its unit. */
static struct az_sv words_of(const struct sheet *s, struct az_sv name)
{
    for (size_t i = 0; i < s->c->n; i++) {
        const struct az_table *t = s->j->table[i];
        for (size_t k = 0; t && k < t->columns.n; k++)
            if (az_sv_eq(t->columns.v[k].name, name))
                return az_joined_metric(&(struct az_joined_column){
                    .name = name, .title = t->columns.v[k].title, .unit = t->columns.v[k].unit });
    }
    return name;
}

/* Keys are titled as in the reports, statuses by their words. */
static struct az_sv title_of_word(const struct sheet *s, const struct az_column *c)
{
    for (size_t k = 0; k < s->j->n_keys; k++)
        if (az_sv_eq(c->name, s->j->keys[k].name) && s->j->keys[k].title.n)
            return s->j->keys[k].title;
    return az_schema_sentence_case(s->c->a, c->name);
}

/* "_diff" of "train_diff"; 0: none of the suffixes of changes. */
static size_t suffix_of_change(struct az_sv name)
{
    static const char *const suffixes[] = { "_diff", "_pct", "_x" };

    for (size_t i = 0; i < AZ_LENGTH(suffixes); i++)
        if (az_sv_ends(name, az_sv_str(suffixes[i])))
            return strlen(suffixes[i]);
    return 0;
}

/* "status__train" of several variants: "train status". */
static struct az_sv title_of_variant(const struct sheet *s, struct az_sv word, struct az_sv variant,
                                     enum az_unit unit)
{
    return az_arena_printf(s->c->a, "%.*s %.*s%s", AZ_SVF(variant), AZ_SVF(word),
                           unit == AZ_UNIT_PERCENT ? " (%)" : "");
}

/* The title over a column: "train_step (ms)", "Diff (ms)" for the metric that is compared
 * first, "Count: train_step", "Count: diff" for the others. */
static struct az_sv title_of(const struct sheet *s, const struct az_column *c)
{
    const struct az_sv first = s->j->values[0].name;
    const ptrdiff_t raw = az_sv_find(c->name, AZ_SV("::")),
                    change = raw < 0 ? az_sv_find(c->name, AZ_SV("__")) : -1;
    const size_t at = (size_t)(raw >= 0 ? raw : change);
    if (raw <= 0 && change <= 0)
        return title_of_word(s, c);
    const struct az_sv left = az_sv_make(c->name.p, at),
                       right = az_sv_make(c->name.p + at + 2, c->name.n - at - 2),
                       metric = raw > 0 ? right : left;
    const size_t end = change > 0 ? suffix_of_change(right) : 0;
    if (change > 0 && end == 0)
        return title_of_variant(s, left, right, c->unit);
    const bool is_first = az_sv_eq(metric, first), several = s->c->n > 2;
    const char *what = az_sv_ends(right, AZ_SV("_x")) ? "ratio" : "diff";
    struct az_sv side = raw > 0 ? left : az_sv_str(what);
    if (change > 0 && several)
        side = az_arena_printf(s->c->a, "%.*s %s", (int)(right.n - end), right.p, what);
    if (change > 0 && is_first && !several)
        side = az_schema_sentence_case(s->c->a, side);
    const char *unit = az_unit_text(c->unit);
    if (is_first)
        return az_arena_printf(s->c->a, "%.*s%s%s%s", AZ_SVF(side), *unit ? " (" : "", unit,
                               *unit ? ")" : "");
    return az_arena_printf(s->c->a, "%.*s: %.*s%s", AZ_SVF(words_of(s, metric)), AZ_SVF(side),
                           c->unit == AZ_UNIT_PERCENT ? " (%)" : "");
}

static void title_columns(struct sheet *s, const char *id)
{
    struct az_table *t = az_document_table(s->c->doc, id);

    for (size_t i = 0; t && s->j->n_values && i < t->columns.n; i++)
        t->columns.v[i].title = title_of(s, &t->columns.v[i]);
}

static int write_sheet(struct sheet *s, struct az_sv id, struct az_sv title, unsigned flags,
                       bool split)
{
    double whole = az_join_total(s->j, s->c->base);

    if (!id.p || !title.p)
        return az_arena_error(s->c->a);
    s->t = az_table_new(s->c->a, "", "", flags);
    if (!s->t)
        return az_arena_error(s->c->a);
    s->t->id = id;
    s->t->title = title;
    s->partners = false;
    for (size_t i = 0; i < s->rows.n; i++)
        for (size_t k = 0; k < s->n_variants; k++)
            s->partners |= s->j->rows[s->rows.v[i]].partner[s->variants[k]].n > 0;
    columns(s);
    for (size_t i = 0; i < s->rows.n && !s->t->error; i++)
        put_row(s, &s->j->rows[s->rows.v[i]], whole);
    if (split)
        drop_blank(s->t);
    const int rc = az_document_add(s->c->doc, s->t);
    if (rc == 0)
        title_columns(s, az_arena_str(s->c->a, id));
    return rc;
}

/* ---- which tables ---- */

struct by_value {
    const struct az_joined *j;
    size_t input;
};

static int larger_first(const void *a, const void *b, void *ctx)
{
    const struct by_value *o = ctx;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    double x, y;

    if (!az_row_value(o->j, &o->j->rows[p], 0, o->input, &x))
        x = -INFINITY;
    if (!az_row_value(o->j, &o->j->rows[q], 0, o->input, &y))
        y = -INFINITY;
    return x > y ? -1 : x < y;
}

/* The short names of two tables whose long ones leave no room in a sheet's name. */
static struct az_sv short_id(struct az_sv id)
{
    return az_sv_is(id, "UnaryElementwise")    ? AZ_SV("un_eltwise")
           : az_sv_is(id, "BinaryElementwise") ? AZ_SV("bin_eltwise")
                                               : id;
}

enum part { BOTH, ONLY_BASELINE, ONLY_VARIANT };

static bool in_part(const struct sheet *s, const struct az_joined_row *r, size_t variant,
                    enum part part)
{
    enum az_row_status st = az_row_status(s->c, s->j, r, variant);
    return part == BOTH            ? st == ROW_SAME || st == ROW_CHANGED
           : part == ONLY_BASELINE ? st == ROW_REMOVED
                                   : st == ROW_NEW;
}

static int write_part(struct sheet *s, size_t variant, enum part part)
{
    static const char *const names[] = { "intersect", "only_baseline", "only_variant" };
    static const char *const titles[] = { "in both", "only in the baseline",
                                          "only in the variant" };
    struct az_comparison *c = s->c;
    size_t both[2] = { c->base, variant };
    struct by_value order = { s->j, part == ONLY_VARIANT ? variant : c->base };
    struct az_sv tag = c->in[variant].tag, id = short_id(s->j->id);
    int rc = AZ_OK;

    az_vec_reset(&s->rows);
    for (size_t i = 0; !rc && i < s->j->n_rows; i++)
        if (in_part(s, &s->j->rows[i], variant, part))
            rc = az_vec_push(&s->rows, (uint32_t)i);
    az_sort_cmp(s->rows.v, s->rows.n, sizeof *s->rows.v, larger_first, &order, c->doc->mem);
    s->variants = &variant;
    s->n_variants = 1;
    s->inputs = part == BOTH ? both : part == ONLY_BASELINE ? &both[0] : &both[1];
    s->n_inputs = part == BOTH ? 2 : 1;
    if (rc)
        return rc;
    return write_sheet(s,
                       az_arena_printf(c->a, "%.*s_%s_%.*s", AZ_SVF(id), names[part], AZ_SVF(tag)),
                       az_arena_printf(c->a, "%.*s: %s, %.*s", AZ_SVF(s->j->title), titles[part],
                                       AZ_SVF(c->shown[variant])),
                       AZ_TABLE_KEEP_EMPTY, true);
}

static int write_split(struct sheet *s)
{
    int rc = AZ_OK;

    for (size_t v = 0; v < s->c->n; v++) {
        if (!az_is_variant(s->c, s->j, v))
            continue;
        for (int part = BOTH; !rc && part <= ONLY_VARIANT; part++)
            rc = write_part(s, v, (enum part)part);
    }
    return rc;
}

static int write_whole(struct sheet *s)
{
    struct az_comparison *c = s->c;
    size_t inputs[AZ_COMPARE_MAX], variants[AZ_COMPARE_MAX];
    int rc = AZ_OK;

    s->n_inputs = s->n_variants = 0;
    inputs[s->n_inputs++] = c->base;
    for (size_t i = 0; i < c->n; i++) {
        if (!az_is_variant(c, s->j, i))
            continue;
        inputs[s->n_inputs++] = i;
        variants[s->n_variants++] = i;
    }
    s->inputs = inputs;
    s->variants = variants;
    az_vec_reset(&s->rows);
    for (size_t i = 0; !rc && i < s->j->n_rows; i++)
        rc = az_vec_push(&s->rows, (uint32_t)i);
    return rc ? rc : write_sheet(s, s->j->id, s->j->title, AZ_TABLE_KEEP_EMPTY, false);
}

int az_joined_tables(struct az_comparison *c, const struct az_joined *j)
{
    struct sheet s = { .c = c, .j = j };
    int rc;

    az_vec_init(&s.rows, c->doc->mem);
    rc = j->spec->flags & AZ_SPEC_SPLIT ? write_split(&s) : write_whole(&s);
    az_vec_release(&s.rows);
    return rc ? rc : az_joined_text(c, j);
}
