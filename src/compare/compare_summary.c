/* What was compared: one row per table and variant, what has no counterpart, the inputs, and the
 * facts in which the runs differ. */
#include <math.h>

#include "compare/compare_internal.h"
#include "document/change.h"
#include "document/record.h"

double az_join_geomean(const struct az_comparison *c, const struct az_joined *j, size_t variant)
{
    double sum = 0, weight = 0, b, t;

    if (j->spec->flags & AZ_SPEC_MIXED)
        return (double)NAN;
    for (size_t i = 0; i < j->n_rows; i++) {
        if (!az_row_value(j, &j->rows[i], 0, c->base, &b) ||
            !az_row_value(j, &j->rows[i], 0, variant, &t) || !(b > 0) || !(t > 0))
            continue;
        sum += b * log(t / b);
        weight += b;
    }
    return weight > 0 ? exp(sum / weight) : (double)NAN;
}

/* ---- compare_summary ---- */

struct summary_row {
    struct az_sv table, variant, metric, note;
    const char *unit;
    int64_t rows[2];                 /* of the baseline, of the variant */
    int64_t status[ROW_REMOVED + 1]; /* rows by it */
    double total[2], geomean;        /* NaN: none */
    double divide; /* totals by it: times of all tables in one unit, for who compares them */
};
#define ROW struct summary_row
static bool is_pair(const void *comparison)
{
    return ((const struct az_comparison *)comparison)->n == 2;
}
static bool is_more(const void *comparison) { return !is_pair(comparison); }
AZ_OF_RECORD(double, baseline_total, ROW, r->total[0] / r->divide)
AZ_OF_RECORD(double, variant_total, ROW, r->total[1] / r->divide)
AZ_OF_RECORD(double, difference, ROW, (r->total[1] - r->total[0]) / r->divide)
AZ_OF_RECORD(double, percent, ROW,
             fabs(r->total[0]) > 0 ? 100 * (r->total[1] - r->total[0]) / r->total[0] + 0.0 : NAN)
static const struct az_record_column summary_columns[] = {
    { "table", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, table) },
    { "variant", AZ_TEXT, .flags = AZ_KEY | AZ_DETAIL, AZ_FIELD(ROW, variant), .when = is_pair },
    { "variant", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, variant), .when = is_more },
    { "rows baseline", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, rows[0]) },
    { "rows variant", AZ_INT, AZ_UNIT_COUNT, AZ_DETAIL, AZ_FIELD(ROW, rows[1]) },
    { "same", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, status[ROW_SAME]) },
    { "changed", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, status[ROW_CHANGED]) },
    { "new", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, status[ROW_NEW]) },
    { "removed", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, status[ROW_REMOVED]) },
    { "metric", AZ_TEXT, .flags = AZ_COMPARED, AZ_KNOWN(ROW, metric) },
    { "unit", AZ_TEXT, .flags = AZ_COMPARED, AZ_KNOWN(ROW, unit) },
    { "baseline total", AZ_REAL, .flags = AZ_COMPARED, .real = baseline_total },
    { "variant total", AZ_REAL, .flags = AZ_COMPARED, .real = variant_total },
    { "diff", AZ_REAL, .flags = AZ_COMPARED, .real = difference },
    { "diff (%)", AZ_REAL, AZ_UNIT_PERCENT, AZ_COMPARED, .real = percent },
    { "geomean x", AZ_REAL, AZ_UNIT_RATIO, AZ_FIELD(ROW, geomean) },
    { "note", AZ_TEXT, AZ_FIELD(ROW, note) },
};

static void count_rows(const struct az_comparison *c, const struct az_joined *j, size_t v, ROW *r)
{
    int64_t *n = r->status;

    for (size_t i = 0; i < j->n_rows; i++)
        n[az_row_status(c, j, &j->rows[i], v)]++;
    r->rows[0] = n[ROW_SAME] + n[ROW_CHANGED] + n[ROW_REMOVED];
    r->rows[1] = n[ROW_SAME] + n[ROW_CHANGED] + n[ROW_NEW];
}

/* Shares, rates and means of rows do not add up to anything; means have a total where a row is it.
 */
static bool adds_up(const struct az_joined *j)
{
    const struct az_joined_column *value = &j->values[0];

    if (!j->spec->total && (az_sv_ifind(value->name, AZ_SV("mean")) >= 0 ||
                            az_sv_ifind(value->name, AZ_SV("avg")) >= 0 ||
                            az_sv_ifind(value->name, AZ_SV("median")) >= 0))
        return false;
    switch (value->unit) {
    case AZ_UNIT_PERCENT:
    case AZ_UNIT_RATIO:
    case AZ_UNIT_GBPS:
    case AZ_UNIT_TBPS:
    case AZ_UNIT_TFLOPS:
    case AZ_UNIT_FLOP_PER_BYTE:
    case AZ_UNIT_PER_S:
    case AZ_UNIT_ID:
        return false;
    default:
        return true;
    }
}

static struct az_sv note_of(const struct az_comparison *c, const struct az_joined *j)
{
    const char *how = j->spec->flags & AZ_SPEC_NUMBER ? "numbered" : "added up";
    struct az_sv note = AZ_SV("");

    if (j->merged)
        note = az_arena_printf(c->a, "%zu rows of equal keys are %s", j->merged, how);
    if (j->spec->flags & AZ_SPEC_MIXED)
        note = az_arena_printf(c->a, "%.*s%srows contain other rows, no total", AZ_SVF(note),
                               note.n ? "; " : "");
    if (j->lone.n)
        note = az_arena_printf(c->a, "%.*s%sone %.*s each, not the same one", AZ_SVF(note),
                               note.n ? "; " : "", AZ_SVF(j->lone));
    return note;
}

struct az_sv az_joined_metric(const struct az_joined_column *value)
{
    const struct az_sv title = value->title, unit = az_sv_str(az_unit_text(value->unit));
    const size_t end = unit.n + 3; /* " (us)" */

    if (title.n == 0)
        return value->name;
    if (unit.n && title.n > end && title.p[title.n - 1] == ')' &&
        az_sv_eq(az_sv_make(title.p + title.n - 1 - unit.n, unit.n), unit))
        return az_sv_make(title.p, title.n - end);
    return title;
}

static void put_compared(struct az_table *t, const struct az_comparison *c,
                         const struct az_joined *j)
{
    for (size_t v = 0; v < c->n; v++) {
        if (j->left_out || !j->table[c->base] || !az_is_variant(c, j, v))
            continue;
        const bool sum = adds_up(j);
        const enum az_unit unit = j->values[0].unit;
        const double part = az_unit_base(AZ_UNIT_MS) / az_unit_base(unit);
        const bool time = az_unit_same_dimension(unit, AZ_UNIT_MS);
        ROW r = { .table = j->id,
                  .variant = c->in[v].tag,
                  .metric = az_joined_metric(&j->values[0]),
                  .note = note_of(c, j),
                  .unit = az_unit_text(time ? AZ_UNIT_MS : unit),
                  .total = { sum ? az_join_total(j, c->base) : NAN,
                             sum ? az_join_total(j, v) : NAN },
                  .divide = !time      ? 1
                            : part > 1 ? round(part)
                                       : part,
                  .geomean = az_join_geomean(c, j, v) };
        if (isnan(r.total[0]) && isnan(r.total[1]) && isnan(r.geomean)) {
            r.metric = AZ_SV(""); /* nothing is of it */
            r.unit = "";
        }
        count_rows(c, j, v, &r);
        az_put_row(t, &r);
    }
}

/* The main tables first. */
static void put_tables(struct az_table *t, const struct az_comparison *c)
{
    for (unsigned text = AZ_SPEC_TEXT, pass = 0; pass < 2; pass++, text = 0)
        for (size_t i = 0; i < c->n_tables; i++)
            if ((c->tables[i].spec->flags & AZ_SPEC_TEXT) == text)
                put_compared(t, c, &c->tables[i]);
}

static bool has_compared(const struct az_comparison *c, const char *id)
{
    bool found = false;

    for (size_t i = 0; i < c->n_tables; i++)
        found |=
            !c->tables[i].left_out && c->tables[i].table[c->base] && az_sv_is(c->tables[i].id, id);
    return found;
}

/* Have all inputs steps, so that the verdict is per step? */
static bool have_steps(const struct az_comparison *c)
{
    struct az_change_side side;

    for (size_t i = 0; i < c->n; i++) {
        az_change_side_of(c->in[i].doc, &side);
        if (!side.has_steps)
            return false;
    }
    return true;
}

/* Totals next to those of the verdict and of another table: why they differ. */
static struct az_sv totals_note(const struct az_comparison *c)
{
    const char *steps = have_steps(c) ? "Totals are not per step." : "",
               *kernels = "Kernel time: in kernel_summary with collectives, without copies; in "
                          "tables of operators with copies, without collectives.";

    if (!has_compared(c, "ops_summary") || !has_compared(c, "kernel_summary"))
        return az_sv_str(steps);
    return az_arena_printf(c->a, "%s%s%s", steps, *steps ? " " : "", kernels);
}

/* ---- compare_unmatched ---- */

/* Tags of the inputs that have rows of the table, or that have none. */
static struct az_sv tags_of(const struct az_comparison *c, const struct az_joined *j, bool rows)
{
    struct az_sv text = AZ_SV("");

    for (size_t i = 0; i < c->n; i++)
        if ((j->table[i] && j->table[i]->rows > 0) == rows)
            text = az_arena_printf(c->a, "%.*s%s%.*s", AZ_SVF(text), text.n ? ", " : "",
                                   AZ_SVF(c->in[i].tag));
    return text;
}

/* Was it made for the comparison, as a report from before may have it (run/plan.c)? */
static bool only_for_this(const struct az_comparison *c, const struct az_joined *j)
{
    bool any = false;

    for (size_t i = 0; i < c->n; i++)
        any |= j->table[i] && j->table[i]->kind.n;
    return any;
}

/* Why the table has no metrics next to each other; empty: it has. */
static struct az_sv reason_of(const struct az_comparison *c, const struct az_joined *j)
{
    size_t there = 0;

    for (size_t i = 0; i < c->n; i++)
        there += j->table[i] && j->table[i]->rows > 0;
    if (j->left_out)
        return az_sv_str(j->left_out);
    if (there == 0 || there == c->n || only_for_this(c, j))
        return AZ_SV("");
    return 2 * there <= c->n ? az_arena_printf(c->a, "only in %.*s", AZ_SVF(tags_of(c, j, true)))
                             : az_arena_printf(c->a, "not in %.*s", AZ_SVF(tags_of(c, j, false)));
}

bool az_joined_one_sided(const struct az_comparison *c, const struct az_joined *j)
{
    return reason_of(c, j).n > 0;
}

struct reason {
    size_t n;
    struct az_sv tables;
};
AZ_VEC(struct reason, reasons);

static int add_reason(struct az_comparison *c, const struct az_joined *j, struct az_intern *ids,
                      struct reasons *list)
{
    const struct az_sv why = reason_of(c, j);
    uint32_t id = 0;
    int rc;

    if (!why.p)
        return az_arena_error(c->a);
    if (why.n == 0)
        return AZ_OK;
    rc = az_intern(ids, why, &id);
    if (!rc && id == list->n)
        rc = az_vec_push(list, ((struct reason){ 0, { "", 0 } }));
    if (rc)
        return rc;
    struct reason *r = &list->v[id];
    r->tables =
        az_arena_printf(c->a, "%.*s%s%.*s", AZ_SVF(r->tables), r->n++ ? ", " : "", AZ_SVF(j->id));
    return r->tables.p ? AZ_OK : az_arena_error(c->a);
}

struct reason_row {
    struct az_sv why;
    const struct reason *of;
};
static const struct az_record_column unmatched_columns[] = {
    { "why", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct reason_row, why) },
    { "tables", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct reason_row, of, n) },
    { "which", AZ_TEXT, AZ_VIA(struct reason_row, of, tables) },
};

/* One row a reason, with the tables of it. */
static int unmatched_table(struct az_comparison *c)
{
    struct az_table *t = AZ_RECORD_TABLE(c->a, "compare_unmatched", "Tables without a counterpart",
                                         AZ_TABLE_SUMMARY, unmatched_columns);
    struct az_intern ids;
    struct reasons list;
    int rc = AZ_OK;

    if (!t)
        return az_arena_error(c->a);
    az_vec_init(&list, c->doc->mem);
    az_intern_init(&ids, c->a, c->doc->mem);
    for (size_t i = 0; !rc && i < c->n_tables; i++)
        rc = add_reason(c, &c->tables[i], &ids, &list);
    for (size_t i = 0; !rc && i < list.n; i++)
        az_put_row(t, &(struct reason_row){ ids.text.v[i], &list.v[i] });
    az_intern_release(&ids);
    az_vec_release(&list);
    if (!rc)
        return az_document_add(c->doc, t);
    az_table_free(t);
    return rc;
}

struct input_row {
    const struct az_compare_input *in;
    const struct az_document *doc;
    const char *role;
};
static const struct az_record_column input_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_VIA(struct input_row, in, tag) },
    { "role", AZ_TEXT, AZ_FIELD(struct input_row, role) },
    { "title", AZ_TEXT, AZ_VIA(struct input_row, in, title) },
    { "format", AZ_TEXT, AZ_VIA(struct input_row, doc, format) },
    { "tables", AZ_INT, AZ_UNIT_COUNT, AZ_VIA(struct input_row, doc, tables.n) },
    { "input", AZ_TEXT, AZ_VIA(struct input_row, doc, input) },
};

static int inputs_table(struct az_comparison *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE(c->a, "compare_inputs", "Compared inputs", AZ_TABLE_SUMMARY, input_columns);

    for (size_t i = 0; i < c->n; i++)
        az_put_row(t, &(struct input_row){ &c->in[i], c->in[i].doc,
                                           i == c->base ? "baseline" : "variant" });
    return az_document_add(c->doc, t);
}

int az_compare_summary(struct az_comparison *c)
{
    struct az_table *t =
        AZ_RECORD_TABLE_OF(c->a, "compare_summary", "Comparison",
                           AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY, summary_columns, c);
    int rc;

    if (!t)
        return az_arena_error(c->a);
    put_tables(t, c);
    t->note = totals_note(c);
    rc = az_document_add(c->doc, t);
    if (!rc)
        rc = unmatched_table(c);
    return rc ? rc : inputs_table(c);
}

/* ---- facts ---- */

/* Value of a fact of an input; the empty view if it has none. */
static struct az_sv fact_of(const struct az_table *t, struct az_sv name)
{
    for (size_t r = 0; t && t->columns.n >= 2 && r < t->rows; r++)
        if (az_sv_eq(az_cell_text(az_table_at(t, r, 0)), name))
            return az_cell_text(az_table_at(t, r, 1));
    return AZ_SV("");
}

static bool differs(struct az_table *const *facts, size_t n, struct az_sv name)
{
    for (size_t i = 1; i < n; i++)
        if (!az_sv_eq(fact_of(facts[0], name), fact_of(facts[i], name)))
            return true;
    return false;
}

static bool seen_before(struct az_table *const *facts, size_t input, size_t row)
{
    struct az_sv name = az_cell_text(az_table_at(facts[input], row, 0));

    for (size_t i = 0; i < input; i++)
        for (size_t r = 0; facts[i] && r < facts[i]->rows; r++)
            if (az_sv_eq(az_cell_text(az_table_at(facts[i], r, 0)), name))
                return true;
    return false;
}

/* Names, sizes and digests of files always differ, titles too. */
static bool is_of_file(struct az_sv name)
{
    return az_sv_starts(name, AZ_SV("input ")) || az_sv_is(name, "title");
}

int az_compare_facts(struct az_comparison *c)
{
    struct az_table *facts[AZ_COMPARE_MAX], *t;

    for (size_t i = 0; i < c->n; i++) {
        facts[i] = az_document_table(c->in[i].doc, "facts");
        if (!facts[i] || facts[i]->columns.n < 2)
            return AZ_OK; /* a result without facts has no difference */
    }
    t = az_table_new(c->a, "compare_facts", "Facts that differ", AZ_TABLE_SUMMARY);
    if (!t)
        return az_arena_error(c->a);
    az_table_column(t, "Fact", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < c->n; i++)
        az_table_columnsv(t, c->in[i].tag, AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t i = 0; i < c->n; i++) {
        for (size_t r = 0; r < facts[i]->rows && r < 1000; r++) {
            struct az_sv name = az_cell_text(az_table_at(facts[i], r, 0));
            if (is_of_file(name) || seen_before(facts, i, r) || !differs(facts, c->n, name))
                continue;
            az_put_text(t, name);
            for (size_t k = 0; k < c->n; k++)
                az_put_text(t, fact_of(facts[k], name));
        }
    }
    return az_document_add(c->doc, t);
}
