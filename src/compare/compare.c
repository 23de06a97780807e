/* Comparison of results: which inputs, which is the baseline, which tables. */
#include "compare/compare.h"

#include "base/sort.h"
#include "compare/compare_causes.h"
#include "compare/side_by_side.h"

#define TEXT_ROWS 20                                             /* of a table in the text report */
#define SAID(s)   (s).n ? " (" : "", AZ_SVF(s), (s).n ? ")" : "" /* nothing where it is not known */

/* ---- tags ---- */

static bool taken(const struct az_sv *tags, size_t n, struct az_sv tag)
{
    for (size_t i = 0; i < n; i++)
        if (az_sv_eq(tags[i], tag))
            return true;
    return false;
}

int az_compare_unique(struct az_arena *a, struct az_sv *tags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct az_sv stem = tags[i].n ? tags[i] : AZ_SV("input");
        tags[i] = stem;
        for (unsigned k = 2; taken(tags, i, tags[i]); k++) {
            tags[i] = az_arena_printf(a, "%.*s~%u", AZ_SVF(stem), k);
            if (!tags[i].p)
                return az_arena_error(a);
        }
    }
    return AZ_OK;
}

/* ---- tables ---- */

static bool wanted(const struct az_compare_opts *o, struct az_sv id)
{
    if (o->n_tables == 0)
        return true;
    for (size_t i = 0; i < o->n_tables; i++) {
        const char *group = az_compare_group(o->tables[i]);
        struct az_sv rest = group ? az_sv_str(group) : az_compare_alias(o->tables[i]);
        while (rest.n)
            if (az_sv_glob(az_sv_cut(&rest, '|'), id))
                return true;
    }
    return false;
}

/* By its name here; tables have their name in the first input. */
static struct az_joined *find_joined(const struct az_comparison *c, struct az_sv name)
{
    for (size_t i = 0; i < c->n_tables; i++)
        if (az_sv_eq(c->tables[i].name, name))
            return &c->tables[i];
    return NULL;
}

static bool has_table(const struct az_comparison *c, size_t input, const char *id)
{
    return az_document_table(c->in[input].doc, id) != NULL;
}

/* The name under which a table is joined. Times of kernels are one thing in two forms: where an
 * input has the one only and another the other only, they are compared. */
static struct az_sv name_of(const struct az_comparison *c, size_t input, const struct az_table *t)
{
    const struct az_sv name = az_compare_alias(t->id);
    bool other = false;

    if (az_sv_is(name, "short_kernels_summary") && az_table_find(t, "Parent cpu_op") >= 0)
        return AZ_SV(
            "short_kernels_all_details"); /* of TraceLens for PyTorch; others use the name, too */
    if (!az_sv_is(name, "kern_sum") || has_table(c, input, "kernel_summary"))
        return name;
    for (size_t i = 0; i < c->n; i++)
        other |= has_table(c, i, "kernel_summary") && !has_table(c, i, "kern_sum");
    return other ? AZ_SV("kernel_summary") : name;
}

/* The tables of one input to those known before, by id. */
static void add_tables(struct az_comparison *c, size_t input)
{
    const struct az_document *doc = c->in[input].doc;

    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        struct az_sv id = az_compare_alias(t->id), name = name_of(c, input, t);
        struct az_joined *j = find_joined(c, name);
        if ((t->flags & AZ_TABLE_TEXT_ONLY) || !(wanted(c->opts, id) || wanted(c->opts, name)) ||
            (c->opts->tree && az_compare_of_tree(id)))
            continue;
        if (!j) {
            j = &c->tables[c->n_tables++];
            *j = (struct az_joined){ .id = t->id,
                                     .name = name,
                                     .title = t->title.n ? t->title : t->id };
        }
        if (!j->table[input])
            j->table[input] = t;
        if (az_sv_eq(j->title, j->id) && t->title.n)
            j->title = t->title; /* CSV files carry none */
    }
}

static int join_all(struct az_comparison *c)
{
    size_t most = 0;
    int rc = AZ_OK;

    for (size_t i = 0; i < c->n; i++)
        most += c->in[i].doc->tables.n;
    c->tables = az_arena_array(c->a, most, sizeof *c->tables);
    if (!c->tables)
        return az_arena_error(c->a);
    add_tables(c, c->base);
    for (size_t i = 0; i < c->n; i++)
        if (i != c->base)
            add_tables(c, i);
    for (size_t k = 0; !rc && k < c->n_tables; k++) {
        struct az_joined *j = &c->tables[k];
        const struct az_table *t = j->table[c->base];
        size_t there = 0;
        for (size_t i = 0; i < c->n; i++) {
            there += j->table[i] != NULL;
            t = t && t->columns.n ? t : j->table[i];
        }
        j->spec = az_compare_spec_of(j->name, t);
        if (j->spec->flags & AZ_SPEC_SKIP)
            j->left_out = j->spec->why;
        if (j->left_out || !j->table[c->base] || there < 2)
            continue;
        rc = az_join(c, j);
        if (!rc && !j->n_keys)
            j->left_out = "not compared: no common key or metric";
    }
    return rc;
}

/* ---- baseline ---- */

/* Total device time of an input by a table that all have; false: there is none. */
static bool total_of(const struct az_comparison *c, size_t input, double *out)
{
    static const char *const busy[] = { "busy_time", "total_time" };
    const struct az_table *t = az_document_table(c->in[input].doc, "gpu_timeline");
    if (!t) /* of all ranks */
        t = az_document_table(c->in[input].doc, "gpu_timelines");
    ptrdiff_t type = t ? az_compare_column(t, AZ_SV("type")) : -1,
              ms = t ? az_compare_column(t, AZ_SV("time=time_mean")) : -1;

    for (size_t k = 0; type >= 0 && ms >= 0 && k < 2; k++) {
        for (size_t r = 0; r < t->rows; r++) {
            if (!az_sv_is(az_cell_text(az_table_at(t, r, (size_t)type)), busy[k]))
                continue;
            *out = az_cell_number(az_table_at(t, r, (size_t)ms));
            return *out >= 0;
        }
    }
    static const char *const sums[] = { "kern_sum", "classes", "kernel_summary", "ops_summary",
                                        "ops" };
    for (size_t k = 0; k < AZ_LENGTH(sums); k++) {
        t = az_document_table(c->in[input].doc, sums[k]);
        ms = t ? az_compare_column(t, AZ_SV("kernel_time_ms=kernel_time")) : -1;
        if (ms < 0)
            continue;
        *out = 0;
        for (size_t r = 0; r < t->rows; r++) {
            double x = az_cell_number(az_table_at(t, r, (size_t)ms));
            *out += x == x ? x * az_unit_base(t->columns.v[ms].unit) : 0;
        }
        return true;
    }
    return false;
}

struct ranked {
    double total;
    size_t input;
};

static int by_total(const void *a, const void *b, void *ctx)
{
    const struct ranked *x = a, *y = b;
    (void)ctx;
    if (x->total < y->total || x->total > y->total)
        return x->total < y->total ? -1 : 1;
    return x->input < y->input ? -1 : x->input > y->input;
}

static int by_speed(struct az_comparison *c, bool median)
{
    struct ranked list[AZ_COMPARE_MAX];

    for (size_t i = 0; i < c->n; i++) {
        list[i].input = i;
        if (!total_of(c, i, &list[i].total)) {
            az_diag_add(c->diag, AZ_WARNING, AZ_NOWHERE,
                        "'%.*s' has no total time, using the first input as the baseline; name one",
                        AZ_SVF(c->in[i].tag));
            return AZ_OK;
        }
    }
    az_sort_cmp(list, c->n, sizeof *list, by_total, NULL, NULL);
    c->base = list[median ? (c->n - 1) / 2 : 0].input;
    return AZ_OK;
}

static int choose_baseline(struct az_comparison *c)
{
    struct az_sv name = c->opts->baseline;

    for (size_t i = 0; i < c->n; i++) {
        if (az_sv_eq(c->in[i].tag, name)) {
            c->base = i;
            return AZ_OK;
        }
    }
    if (name.n == 0 || az_sv_is(name, "first"))
        return AZ_OK;
    if (az_sv_is(name, "best") || az_sv_is(name, "median"))
        return by_speed(c, az_sv_is(name, "median"));
    return az_diag_fail(
        c->diag, AZ_EUSAGE, AZ_NOWHERE,
        "baseline '%.*s' is none of the inputs that could be read (first, best, median, or a name)",
        AZ_SVF(name));
}

/* ---- the whole ---- */

/* A table requested by its very name must be there in all inputs. */
static int check_asked(const struct az_comparison *c)
{
    int rc = AZ_OK;

    for (size_t k = 0; k < c->opts->n_tables; k++) {
        struct az_sv name = az_compare_alias(c->opts->tables[k]);
        if (c->opts->tree && az_compare_of_tree(name))
            continue; /* it is there, or empty */
        bool many = az_compare_group(name) || az_sv_find(name, AZ_SV("*")) >= 0 ||
                    az_sv_find(name, AZ_SV("?")) >= 0 || az_sv_find(name, AZ_SV("[")) >= 0;
        const struct az_joined *found = NULL;
        for (size_t i = 0; i < c->n_tables && !found; i++) {
            const struct az_compare_opts one = { .tables = &c->opts->tables[k], .n_tables = 1 };
            if (wanted(&one, az_compare_alias(c->tables[i].id)) || wanted(&one, c->tables[i].name))
                found = &c->tables[i];
        }
        if (!found)
            rc = az_diag_fail(c->diag, AZ_EFORMAT, AZ_NOWHERE, "no input has a table '%.*s'",
                              AZ_SVF(name));
        for (size_t i = 0; found && !many && i < c->n; i++)
            if (!found->table[i])
                rc = az_diag_fail(c->diag, AZ_EFORMAT, AZ_NOWHERE, "'%.*s' has no table '%.*s'",
                                  AZ_SVF(c->in[i].tag), AZ_SVF(name));
    }
    return rc;
}

/* Inputs that share no table with the baseline: only their names are reported. */
static int check_common(const struct az_comparison *c)
{
    int rc = AZ_OK;

    for (size_t v = 0; v < c->n; v++) {
        bool any = v == c->base;
        for (size_t i = 0; i < c->n_tables && !any; i++) {
            const struct az_joined *j = &c->tables[i];
            any = !j->left_out && j->table[c->base] && j->table[v];
        }
        if (!any)
            rc = az_diag_fail(
                c->diag, AZ_EFORMAT, AZ_NOWHERE,
                "'%.*s'%s%.*s%s and '%.*s'%s%.*s%s have no table in common that can be compared",
                AZ_SVF(c->in[c->base].tag), SAID(c->in[c->base].doc->format), AZ_SVF(c->in[v].tag),
                SAID(c->in[v].doc->format));
    }
    return rc;
}

/* The baseline's difference by call tree. It was requested, so that it is an error if there is
 * none. */
static int take_tree(struct az_comparison *c, int *missing)
{
    const struct az_document *from = c->in[c->base].doc;
    bool any = false;

    for (size_t i = 0; i < from->tables.n; i++) {
        if (!az_compare_of_tree(from->tables.v[i]->id))
            continue;
        int rc = az_document_copy_table(c->doc, from->tables.v[i]);
        if (rc)
            return rc;
        any = true;
    }
    if (!any)
        *missing =
            az_diag_fail(c->diag, AZ_EFORMAT, AZ_NOWHERE,
                         "no call-tree difference: '%.*s' or '%.*s' has no operators of the host",
                         AZ_SVF(c->in[c->base].tag), AZ_SVF(c->in[!c->base].tag));
    return AZ_OK;
}

/* The changes of the variants, for writers of data. */
static int keep_changes(struct az_comparison *c, const struct az_causes *causes)
{
    struct az_change *v = az_arena_array(c->a, c->n, sizeof *v);
    struct az_changes *all = az_arena_alloc(c->a, sizeof *all);
    if (!v || !all)
        return az_arena_error(c->a);
    *all = (struct az_changes){ .v = v };
    for (size_t i = 0; i < c->n; i++) {
        if (i == c->base)
            continue;
        v[all->n] = causes[i].change;
        v[all->n].input = c->in[i].title.n ? c->in[i].title : c->in[i].tag;
        v[all->n++].unmatched_share = 1 - causes[i].shared;
    }
    c->doc->changes = all;
    return AZ_OK;
}

/* The verdict, the waterfalls that prove it, and the rows that changed most. */
static int write_answer(struct az_comparison *c)
{
    struct az_causes *causes = az_arena_array(c->a, c->n, sizeof *causes);
    int rc = causes ? AZ_OK : az_arena_error(c->a);

    for (size_t v = 0; !rc && v < c->n; v++)
        if (v != c->base)
            rc = az_compare_causes(c, v, &causes[v]);
    for (size_t v = 0; !rc && v < c->n; v++)
        if (v != c->base)
            rc = az_compare_waterfall(c, &causes[v], v);
    for (size_t v = 0; !rc && v < c->n; v++)
        if (v != c->base)
            rc = az_compare_top(c, &causes[v], v);
    c->by_other = !rc;
    for (size_t v = 0; !rc && v < c->n; v++)
        c->by_other &=
            v == c->base || causes[v].by == AZ_BY_OPERATOR || causes[v].by == AZ_BY_FAMILY;
    if (!rc)
        rc = keep_changes(c, causes);
    if (!rc)
        rc = az_compare_verdict(c, causes);
    for (size_t v = 0; causes && v < c->n; v++)
        az_vec_release(&causes[v].list);
    return rc;
}

static int write_document(struct az_comparison *c, int *missing)
{
    int rc = az_compare_summary(c);

    if (!rc)
        rc = az_compare_facts(c);
    if (!rc)
        rc = write_answer(c);
    if (!rc)
        rc = az_side_by_side(c->doc, c->in, c->n, false);
    if (!rc && c->opts->tree)
        rc = take_tree(c, missing);
    for (size_t k = 0; !rc && k < c->n_tables; k++) {
        const struct az_joined *j = &c->tables[k];
        if (j->n_keys && !j->left_out)
            rc = az_joined_tables(c, j);
    }
    return rc ? rc : az_compare_sheets(c);
}

static struct az_sv heading(struct az_comparison *c)
{
    struct az_sv text = az_arena_dup(c->a, c->in[c->base].tag);

    for (size_t i = 0; i < c->n; i++)
        if (i != c->base)
            text = az_arena_printf(c->a, "%.*s%s%.*s", AZ_SVF(text), ", ", AZ_SVF(c->in[i].tag));
    return az_arena_printf(c->a, "Comparison: %.*s (baseline first)", AZ_SVF(text));
}

int az_compare(struct az_document *doc, const struct az_compare_input *in, size_t n,
               const struct az_compare_opts *opts, struct az_diag *diag)
{
    struct az_compare_input usable[AZ_COMPARE_MAX];
    struct az_comparison c = {
        .doc = doc, .a = doc->arena, .in = usable, .opts = opts, .diag = diag
    };
    int rc, missing;

    for (size_t i = 0; i < n; i++) {
        if (in[i].doc && c.n == AZ_COMPARE_MAX)
            return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "more than %d results to compare",
                                AZ_COMPARE_MAX);
        if (in[i].doc)
            usable[c.n++] = in[i];
    }
    if (c.n < 2)
        return az_diag_fail(diag, AZ_EEMPTY, AZ_NOWHERE,
                            "nothing to compare: %zu of %zu inputs readable", c.n, n);
    rc = choose_baseline(&c);
    if (rc)
        return rc;
    for (size_t i = 0; i < c.n; i++)
        c.shown[i] = usable[i].tag;
    az_words_tags(c.shown, c.n);
    doc->title = heading(&c);
    doc->format = AZ_SV("comparison");
    doc->schema = AZ_SV("analyzer-comparison/1");
    doc->text_rows = TEXT_ROWS;
    rc = doc->title.p ? join_all(&c) : az_arena_error(c.a);
    if (rc)
        return rc;
    missing = check_asked(&c);
    if (!missing && opts->n_tables == 0)
        missing = check_common(&c);
    rc = write_document(&c, &missing);
    return rc ? rc : missing;
}
