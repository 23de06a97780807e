/* From the baseline's total to a variant's, bar by bar: what changed, came and went, by category.
 * In whole nanoseconds: every row is rounded once, so the bars add up exactly. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "results/compare_internal.h"

#define BARS   6    /* of one kind; smaller ones are one bar */
#define MAX_NS 4e18 /* beyond this nothing is drawn */

struct bar {
    enum az_row_status kind;
    struct az_sv category;
    int64_t ns;
};
AZ_VEC(struct bar, bars);

struct fall {
    struct az_comparison *c;
    const struct az_joined *j;
    size_t variant;
    struct bars bars;
    struct az_intern names; /* id: bar */
    int64_t base, total;
    double most; /* magnitudes summed up, against overflow */
};

const struct az_joined *az_compare_whole(const struct az_comparison *c, size_t x, size_t y)
{
    static const char *const first[] = { "kernel_summary",  "kern_sum",    "ops",
                                         "tpu_op_summary",  "ops_summary", "grouped_breakdown",
                                         "kernel_breakdown" };

    for (size_t k = 0; k < AZ_LENGTH(first); k++) {
        for (size_t i = 0; i < c->n_tables; i++) {
            const struct az_joined *j = &c->tables[i];
            if (az_sv_is(j->name, first[k]) && (j->spec->flags & AZ_SPEC_TOTAL) &&
                j->n_values > az_whole_value(j) && j->table[x] && j->table[y] &&
                az_unit_same_dimension(j->values[az_whole_value(j)].unit, AZ_UNIT_NS))
                return j;
        }
    }
    return NULL;
}

/* The figure in nanoseconds; 0 where there is none. */
static int64_t nanoseconds(struct fall *f, const struct az_joined_row *r, size_t input)
{
    const size_t value = az_whole_value(f->j);
    double scale = az_unit_base(f->j->values[value].unit) / 1e-9, x = 0;

    if (!az_row_value(f->j, r, value, input, &x))
        return 0;
    x = scale >= 1 ? x * round(scale) : x / round(1 / scale);
    f->most += fabs(x);
    return fabs(x) < MAX_NS ? llround(x) : 0;
}

static struct az_sv category_of(const struct fall *f, const struct az_joined_row *r)
{
    size_t inputs[2] = { f->c->base, f->variant };

    for (size_t k = 0; f->j->spec->category && k < f->j->n_keys; k++)
        if (az_sv_is(f->j->keys[k].stem, f->j->spec->category))
            return r->key[k];
    for (size_t i = 0; f->j->spec->category && i < 2; i++) {
        const struct az_table *t = f->j->table[inputs[i]];
        ptrdiff_t at = az_compare_column(t, az_sv_str(f->j->spec->category));
        const struct az_cell *row = r->cells[inputs[i]];
        if (at >= 0 && row && row[at].type == AZ_TEXT && row[at].len)
            return az_cell_text(&row[at]);
    }
    return AZ_SV("");
}

static int add(struct fall *f, enum az_row_status kind, struct az_sv category, int64_t ns)
{
    struct az_sv name = az_arena_printf(f->c->a, "%d %.*s", (int)kind, AZ_SVF(category));
    size_t known = f->names.text.n;
    uint32_t id = 0;
    int rc = name.p ? az_intern(&f->names, name, &id) : az_arena_error(f->c->a);

    if (!rc && id == known)
        rc = az_vec_push(&f->bars, ((struct bar){ kind, category, 0 }));
    if (!rc)
        f->bars.v[id].ns = az_add_sat(f->bars.v[id].ns, ns);
    return rc;
}

static int gather(struct fall *f)
{
    int rc = AZ_OK;

    for (size_t i = 0; !rc && i < f->j->n_rows; i++) {
        const struct az_joined_row *r = &f->j->rows[i];
        if (az_row_is_whole(f->j, r))
            continue;
        enum az_row_status s = az_row_status(f->c, f->j, r, f->variant);
        int64_t b = nanoseconds(f, r, f->c->base), t = nanoseconds(f, r, f->variant);
        f->base = az_add_sat(f->base, b);
        f->total = az_add_sat(f->total, t);
        if (t != b)
            rc = add(f, s == ROW_NEW || s == ROW_REMOVED ? s : ROW_CHANGED, category_of(f, r),
                     t - b);
    }
    return rc;
}

/* Changed, new, removed; each by size. */
static int by_kind(const void *a, const void *b, void *ctx)
{
    const struct bar *x = a, *y = b;
    int64_t p = x->ns < 0 ? -x->ns : x->ns, q = y->ns < 0 ? -y->ns : y->ns;

    (void)ctx;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return p != q ? (p > q ? -1 : 1) : az_sv_cmp(x->category, y->category);
}

/* ---- the table ---- */

/* The last four cells are for charts of stacked columns: an unseen foot and what is on it. */
static void put(struct az_table *t, const struct fall *f, struct az_sv label, int64_t ns,
                bool total, int64_t level)
{
    int64_t foot = total ? 0 : ns > 0 ? level - ns : level;

    az_put_copy(t, label);
    az_put_i64(t, ns);
    az_put_bool(t, total);
    az_put_i64(t, level);
    az_put_f64(t, f->base ? 100.0 * (double)ns / (double)f->base : NAN);
    az_put_i64(t, foot);
    az_put_i64(t, total ? ns : 0);
    az_put_i64(t, !total && ns > 0 ? ns : 0);
    az_put_i64(t, !total && ns < 0 ? -ns : 0);
}

/* The bars of one kind, from..to; the smallest of many are one. Returns the level after them. */
static int64_t put_kind(struct az_table *t, const struct fall *f, size_t from, size_t to,
                        int64_t level)
{
    static const char *const kinds[] = {
        [ROW_CHANGED] = "changed", [ROW_NEW] = "new", [ROW_REMOVED] = "removed"
    };
    const char *kind = kinds[f->bars.v[from].kind];
    size_t shown = to - from > BARS ? from + BARS - 1 : to;
    int64_t rest = 0;

    for (size_t i = from; i < shown; i++) {
        struct az_sv name = f->bars.v[i].category;
        level += f->bars.v[i].ns;
        put(t, f, az_arena_printf(t->arena, "%s%s%.*s", kind, name.n ? ": " : "", AZ_SVF(name)),
            f->bars.v[i].ns, false, level);
    }
    for (size_t i = shown; i < to; i++)
        rest += f->bars.v[i].ns;
    if (shown < to)
        put(t, f, az_arena_printf(t->arena, "%s: %zu others", kind, to - shown), rest, false,
            level + rest);
    return level + rest;
}

static void put_bars(struct az_table *t, const struct fall *f)
{
    int64_t level = f->base;

    for (size_t i = 0; i < f->bars.n;) {
        size_t to = i;
        while (to < f->bars.n && f->bars.v[to].kind == f->bars.v[i].kind)
            to++;
        level = put_kind(t, f, i, to, level);
        i = to;
    }
}

static int chart(struct az_comparison *c, const struct az_table *t)
{
    struct az_chart chart = {
        .kind = AZ_CHART_WATERFALL, .table = t->id, .title = t->title, .x = AZ_SV("Step")
    };
    int rc;

    az_vec_init(&chart.y, c->doc->mem);
    chart.y_title = AZ_SV("Time (ns)");
    rc = az_vec_push(&chart.y, AZ_SV("Change (ns)"));
    if (!rc)
        rc = az_vec_push(&chart.y, AZ_SV("Total"));
    if (!rc)
        return az_document_chart(c->doc, chart);
    az_vec_release(&chart.y);
    return rc;
}

static int write_table(struct fall *f)
{
    struct az_comparison *c = f->c;
    struct az_sv tag = c->in[f->variant].tag, base = c->in[c->base].tag;
    struct az_table *t = az_table_new(c->a, "", "", AZ_TABLE_SUMMARY);
    int rc;

    if (!t)
        return az_arena_error(c->a);
    t->id = az_variant_name(c, "waterfall", f->variant);
    const bool second =
        (f->j->spec->flags & AZ_SPEC_SECOND) != 0; /* not the figure that the tables sort by */
    const struct az_sv figure = second ? f->j->values[az_whole_value(f->j)].name : AZ_SV("");
    t->title = az_arena_printf(c->a, "From %.*s to %.*s (%.*s%s%.*s)", AZ_SVF(base), AZ_SVF(tag),
                               AZ_SVF(f->j->id), second ? ": " : "", AZ_SVF(figure));
    if (!t->id.p || !t->title.p)
        return az_arena_error(c->a);
    az_table_column(t, "Step", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "Change (ns)", AZ_INT, AZ_UNIT_NS, AZ_LOWER_BETTER | AZ_CHANGE);
    az_table_column(t, "Total", AZ_BOOL, AZ_UNIT_NONE, AZ_DETAIL);
    az_table_column(t, "Level (ns)", AZ_INT, AZ_UNIT_NS, 0);
    az_table_column(t, "Of baseline (%)", AZ_REAL, AZ_UNIT_PERCENT, 0);
    az_table_column(t, "Foot (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN);
    az_table_column(t, "Whole (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN);
    az_table_column(t, "Rise (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN);
    az_table_column(t, "Fall (ns)", AZ_INT, AZ_UNIT_NS, AZ_DETAIL | AZ_HIDDEN);
    put(t, f, base, f->base, true, f->base);
    put_bars(t, f);
    put(t, f, az_sv_eq(tag, base) ? AZ_SV("variant") : tag, f->total, true, f->total);
    rc = az_document_add(c->doc, t);
    return rc ? rc : chart(c, t);
}

static int one(struct az_comparison *c, const struct az_joined *j, size_t variant)
{
    struct fall f = { .c = c, .j = j, .variant = variant };
    int rc = az_intern_init(&f.names, c->a, c->doc->mem);

    if (rc)
        return rc;
    az_vec_init(&f.bars, c->doc->mem);
    rc = gather(&f);
    if (!rc && f.bars.n)
        rc = az_sort_cmp(f.bars.v, f.bars.n, sizeof *f.bars.v, by_kind, NULL, c->doc->mem);
    if (!rc && f.most < MAX_NS)
        rc = write_table(&f);
    az_vec_release(&f.bars);
    az_intern_release(&f.names);
    return rc;
}

int az_compare_waterfall(struct az_comparison *c)
{
    int rc = AZ_OK;

    for (size_t v = 0; !rc && v < c->n; v++) {
        const struct az_joined *j = v == c->base ? NULL : az_compare_whole(c, c->base, v);
        if (j)
            rc = one(c, j, v);
    }
    return rc;
}
