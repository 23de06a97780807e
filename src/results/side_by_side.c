/* Classes and timelines of several inputs in one table each: a column an input, and a chart of
 * stacked columns, which wants a row an input: the tables stand so, inputs below each other and
 * classes next to each other. */
#include <math.h>

#include "base/num.h"
#include "base/sort.h"
#include "results/compare_internal.h"

#define CLASSES 24 /* rows and columns; smaller classes are "others" */

/* A table that one kind of result has, and the ids of its columns that are the label and the
 * figure. */
struct source {
    const char *table, *label, *figure;
};

/* The first that an input has counts. */
static const struct source class_sources[] = {
    { "classes", "category", "kernel_time_per_iteration" },
    { "kernel_summary_by_category", "category", "kernel_time_ms=kernel_time" },
    { "kernel_class_summary", "category", "kernel_time" },
    { "grouped_breakdown", "group", "time" }, /* of ranks: the mean, however many there are */
    { "time_by_family", "family", "kernel_time" },
    { "ops_summary_by_category", "category", "kernel_time_ms" },
    { "tpu_category_summary", "category", "kernel_time" },
    { "kern_sum", "category", "kernel_time" },
    { "ops_stacked", "operation", "kernel_time" },
    { "ops", "operation", "kernel_time" },
};
/* What is next to `classes`: of Nsight Systems communication and copies have tables of their own;
 * one part each. */
static const struct source beside_classes[] = {
    { "nccl", "nccl", "kernel_time_per_iteration" },
    { "memops", "memory operations", "kernel_time_per_iteration" },
};
static const struct source timeline_sources[] = {
    { "gpu_events_averages", "type", "time" },   { "gpu_timeline", "type", "time" },
    { "gpu_timeline_by_agent", "type", "time" }, { "gpu_timelines", "type", "time_mean" },
    { "tpu_timeline", "type", "time" },
};

/* Parts of a timeline that overlap nothing and add up to its total. */
static const char *const timeline_parts[] = { "computation_time",
                                              "exposed_comm_time",
                                              "exposed_memcpy_time",
                                              "exposed_memcpy_time_ms",
                                              "idle_time",
                                              "kernel",
                                              "memory",
                                              "idle" };

struct label {
    struct az_sv name;
    double total; /* over all inputs, ms */
    double *ms;   /* one an input; NaN: none */
};
AZ_VEC(struct label, labels);

struct matrix {
    struct az_document *doc;
    const struct az_compare_input *in;
    size_t n;
    struct labels labels;
    struct az_sv *source; /* one an input: its table */
    bool first;           /* of equal labels the first counts; else they are added up */
};

static double to_ms(double x, enum az_unit u)
{
    double r = az_unit_base(u) / 1e-3;
    return !az_unit_same_dimension(u, AZ_UNIT_MS) ? x : r >= 1 ? x * round(r) : x / round(1 / r);
}

static int add(struct matrix *m, size_t input, struct az_sv name, double ms)
{
    struct label *l = NULL;
    int rc;

    for (size_t i = 0; i < m->labels.n && !l; i++)
        if (az_sv_eq(m->labels.v[i].name, name))
            l = &m->labels.v[i];
    if (!l) {
        struct label fresh = { .name = az_arena_dup(m->doc->arena, name) };
        fresh.ms = az_arena_array(m->doc->arena, m->n, sizeof *fresh.ms);
        if (!fresh.ms || !fresh.name.p)
            return az_arena_error(m->doc->arena);
        for (size_t i = 0; i < m->n; i++)
            fresh.ms[i] = (double)NAN;
        rc = az_vec_push(&m->labels, fresh);
        if (rc)
            return rc;
        l = &m->labels.v[m->labels.n - 1];
    }
    if (m->first && !isnan(l->ms[input]))
        return AZ_OK;
    l->ms[input] = isnan(l->ms[input]) ? ms : l->ms[input] + ms;
    l->total += ms;
    return AZ_OK;
}

static int fill(struct matrix *m, size_t input, const struct source *sources, size_t n)
{
    char buf[AZ_NUM_MAX];

    for (size_t k = 0; k < n; k++) {
        const struct az_table *t = az_document_table(m->in[input].doc, sources[k].table);
        ptrdiff_t label = t ? az_compare_column(t, az_sv_str(sources[k].label)) : -1,
                  figure = t ? az_compare_column(t, az_sv_str(sources[k].figure)) : -1;
        int rc = AZ_OK;
        if (label < 0 || figure < 0 || t->rows == 0)
            continue;
        const char *whole =
            m->first ? NULL : az_compare_spec_of(t->id, t)->total; /* is next to its parts */
        m->source[input] = t->id;
        for (size_t r = 0; !rc && r < t->rows; r++) {
            double x = az_cell_number(az_table_at(t, r, (size_t)figure));
            struct az_sv name = az_cell_exact(az_table_at(t, r, (size_t)label), buf);
            if (!isnan(x) && !(whole && az_sv_is(name, whole)))
                rc = add(m, input, name.n ? name : AZ_SV("(none)"),
                         to_ms(x, t->columns.v[figure].unit));
        }
        return rc;
    }
    return AZ_OK;
}

static int fill_beside(struct matrix *m, size_t input)
{
    int rc = AZ_OK;

    for (size_t k = 0; k < AZ_LENGTH(beside_classes); k++) {
        const struct az_table *t = az_document_table(m->in[input].doc, beside_classes[k].table);
        ptrdiff_t figure = t ? az_compare_column(t, az_sv_str(beside_classes[k].figure)) : -1;
        for (size_t r = 0; !rc && figure >= 0 && r < t->rows; r++) {
            double x = az_cell_number(az_table_at(t, r, (size_t)figure));
            if (!isnan(x))
                rc = add(m, input, az_sv_str(beside_classes[k].label),
                         to_ms(x, t->columns.v[figure].unit));
        }
    }
    return rc;
}

static int bigger_first(const void *a, const void *b, void *ctx)
{
    const struct label *x = a, *y = b;
    (void)ctx;
    if (x->total > y->total || x->total < y->total)
        return x->total > y->total ? -1 : 1;
    return az_sv_cmp(x->name, y->name);
}

/* Labels without any time say nothing: known groups of which nothing ran. */
static void drop_idle(struct matrix *m)
{
    size_t n = 0;

    for (size_t k = 0; k < m->labels.n; k++) {
        bool any = false;
        for (size_t i = 0; i < m->n; i++)
            any |= fabs(m->labels.v[k].ms[i]) > 0;
        if (any)
            m->labels.v[n++] = m->labels.v[k];
    }
    m->labels.n = n;
}

/* The smallest of many labels become one. */
static void fold(struct matrix *m)
{
    struct label *rest = m->labels.n > CLASSES ? &m->labels.v[CLASSES - 1] : NULL;

    for (size_t k = CLASSES; rest && k < m->labels.n; k++) {
        const struct label *l = &m->labels.v[k];
        for (size_t i = 0; i < m->n; i++)
            if (!isnan(l->ms[i]))
                rest->ms[i] = isnan(rest->ms[i]) ? l->ms[i] : rest->ms[i] + l->ms[i];
    }
    if (rest) {
        rest->name = az_arena_printf(m->doc->arena, "(%zu others)", m->labels.n - CLASSES + 1);
        m->labels.n = CLASSES;
    }
}

/* ---- tables and charts ---- */

static int chart(struct matrix *m, const struct az_table *t, const struct az_vec_sv *series)
{
    struct az_chart c = {
        .kind = AZ_CHART_STACKED_COLUMN, .table = t->id, .title = t->title, .x = AZ_SV("input")
    };
    int rc = AZ_OK;

    c.y_title = AZ_SV("ms");
    az_vec_init(&c.y, m->doc->mem);
    for (size_t i = 0; !rc && i < series->n; i++)
        rc = az_vec_push(&c.y, series->v[i]);
    if (!rc)
        return az_document_chart(m->doc, c);
    az_vec_release(&c.y);
    return rc;
}

static bool is_part(struct az_sv name)
{
    for (size_t i = 0; i < AZ_LENGTH(timeline_parts); i++)
        if (az_sv_is(name, timeline_parts[i]))
            return true;
    return false;
}

/* The table for people: a row a label, a column an input. */
static int by_label(struct matrix *m, const char *id, const char *title)
{
    struct az_table *t = az_table_new(m->doc->arena, id, title, AZ_TABLE_SUMMARY);

    if (!t)
        return az_arena_error(m->doc->arena);
    az_table_column(t, "name", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    for (size_t i = 0; i < m->n; i++)
        az_table_columnsv(t, m->in[i].tag, AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
    for (size_t k = 0; k < m->labels.n; k++) {
        az_put_text(t, m->labels.v[k].name);
        for (size_t i = 0; i < m->n; i++)
            az_put_f64(t, m->labels.v[k].ms[i]);
    }
    return az_document_add(m->doc, t);
}

/* The table for the chart: a row an input, a column a label. */
static int by_input(struct matrix *m, const char *id, const char *title, bool timeline)
{
    struct az_table *t = az_table_new(m->doc->arena, id, title, 0);
    struct az_vec_sv series;
    int rc = AZ_OK;

    if (!t)
        return az_arena_error(m->doc->arena);
    az_vec_init(&series, m->doc->mem);
    az_table_column(t, "input", AZ_TEXT, AZ_UNIT_NONE, AZ_KEY);
    az_table_column(t, "from table", AZ_TEXT, AZ_UNIT_NONE, 0);
    for (size_t k = 0; !rc && k < m->labels.n; k++) {
        az_table_columnsv(t, m->labels.v[k].name, AZ_REAL, AZ_UNIT_MS, AZ_LOWER_BETTER);
        if (!timeline || is_part(m->labels.v[k].name))
            rc = az_vec_push(&series, m->labels.v[k].name);
    }
    for (size_t i = 0; i < m->n; i++) {
        az_put_text(t, m->in[i].tag);
        az_put_text(t, m->source[i]);
        for (size_t k = 0; k < m->labels.n; k++)
            az_put_f64(t, m->labels.v[k].ms[i]);
    }
    if (!rc)
        rc = az_document_add(m->doc, t);
    else
        az_table_free(t);
    if (!rc)
        rc = chart(m, t, &series);
    az_vec_release(&series);
    return rc;
}

static int make(struct matrix *m, bool timeline)
{
    const struct source *sources = timeline ? timeline_sources : class_sources;
    size_t n = timeline ? sizeof timeline_sources / sizeof *sources
                        : sizeof class_sources / sizeof *sources;
    int rc = AZ_OK;

    m->first = timeline; /* of several devices, or of first and repeated work: sums of wholes say
                            nothing */
    az_vec_init(&m->labels, m->doc->mem);
    m->source = az_arena_array(m->doc->arena, m->n, sizeof *m->source);
    if (!m->source)
        return az_arena_error(m->doc->arena);
    for (size_t i = 0; i < m->n; i++)
        m->source[i] = AZ_SV("");
    for (size_t i = 0; !rc && i < m->n; i++)
        if (m->in[i].doc)
            rc = fill(m, i, sources, n);
    for (size_t i = 0; !rc && !timeline && i < m->n; i++)
        if (az_sv_is(m->source[i], class_sources[0].table))
            rc = fill_beside(m, i);
    if (!rc && m->labels.n && !timeline)
        rc = az_sort_cmp(m->labels.v, m->labels.n, sizeof *m->labels.v, bigger_first, NULL,
                         m->doc->mem);
    if (!timeline) {
        drop_idle(m);
        fold(m);
    }
    if (!rc && m->labels.n)
        rc = by_label(m, timeline ? "side_by_side_timeline" : "side_by_side_classes",
                      timeline ? "Timelines side by side" : "Classes side by side");
    if (!rc && m->labels.n)
        rc = by_input(m, timeline ? "side_by_side_timeline_chart" : "side_by_side_classes_chart",
                      timeline ? "Timeline of each input" : "Classes of each input", timeline);
    az_vec_release(&m->labels);
    return rc;
}

int az_side_by_side(struct az_document *doc, const struct az_compare_input *in, size_t n)
{
    struct matrix m = { .doc = doc, .in = in, .n = n };
    int rc = make(&m, true);

    return rc ? rc : make(&m, false);
}
