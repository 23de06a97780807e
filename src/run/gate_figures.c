/* Times of the candidate for dashboards: by class, by part of the timeline, waiting in
 * collectives; with a row per rank where the tables of a run have one. */
#include "run/gates.h"

#include <math.h>

#include "base/num.h"
#include "document/record.h"
#include "document/schema.h"
#include "document/table_kinds.h"

#define MOST 20000 /* rows of a table: thousands of ranks by a few parts */
#define CUT  1     /* result of what fills a table: it had no room for all */

/* ---- which table ---- */

/* The first column of texts of a stem. */
static ptrdiff_t text_column(const struct az_table *t, const char *stem)
{
    const ptrdiff_t at = az_schema_find(t, az_sv_str(stem));
    return at >= 0 && t->columns.v[at].type == AZ_TEXT ? at : -1;
}

static ptrdiff_t class_column(const struct az_table *t) { return text_column(t, "category"); }

static ptrdiff_t rank_column(const struct az_table *t)
{
    const ptrdiff_t at = az_schema_find(t, AZ_SV("rank"));
    return at >= 0 && t->columns.v[at].type == AZ_INT ? at : -1;
}

static bool is_time(const struct az_column *c)
{
    return (c->type == AZ_INT || c->type == AZ_REAL) && az_unit_same_dimension(c->unit, AZ_UNIT_NS);
}

static const struct az_table *class_table(const struct az_document *doc)
{
    static const char *const best[] = { "kern_sum", "kernel_summary_by_category",
                                        "ops_summary_by_category" };
    for (size_t i = 0; i < AZ_LENGTH(best); i++) {
        const struct az_table *t = az_document_table(doc, best[i]);
        if (t && class_column(t) >= 0 && az_series_weight(t) >= 0)
            return t;
    }
    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (class_column(t) >= 0 && az_series_weight(t) >= 0 && !(t->flags & AZ_TABLE_TEXT_ONLY))
            return t;
    }
    return NULL;
}

/* Divided by a whole number, so that decimals stay what they are. */
static double seconds(const struct az_table *t, size_t row, size_t column)
{
    const double x = az_cell_number(az_table_at(t, row, column)),
                 base = az_unit_base(t->columns.v[column].unit);
    return base < 1 ? x / round(1 / base) : x * base;
}

/* ---- sums by name and rank ---- */

struct time_row {
    struct az_sv input, name, rank;
    double seconds;
};
#define ROW struct time_row
enum { INPUT, NAME, RANK };
static const struct az_record_column columns[] = {
    { "Input", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, input), .copy = true },
    { "Name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name), .copy = true }, /* Class, Part */
    { "Rank", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, rank), .copy = true },
    { "Time (s)", AZ_REAL, AZ_UNIT_S, AZ_LOWER_BETTER, AZ_FIELD(ROW, seconds) },
};

struct sums {
    struct az_table *to;
    struct az_sv input;
    struct az_intern names; /* "RANK\x1fNAME" */
    struct az_vec_f64 seconds;
};

static void sums_init(struct sums *s, struct az_table *to, struct az_sv input)
{
    *s = (struct sums){ .to = to, .input = input };
    az_vec_init(&s->seconds, to->mem);
    az_intern_init(&s->names, to->arena, to->mem);
}

static int sums_add(struct sums *s, struct az_sv rank, struct az_sv name, double seconds)
{
    struct az_sv key = az_arena_printf(s->to->arena, "%.*s\x1f%.*s", AZ_SVF(rank), AZ_SVF(name));
    uint32_t id = 0;
    int rc = key.p ? az_intern(&s->names, key, &id) : az_arena_error(s->to->arena);

    if (!rc && id == s->seconds.n)
        rc = az_vec_push(&s->seconds, 0);
    if (!rc && !isnan(seconds))
        s->seconds.v[id] += seconds;
    return rc;
}

/* Rows in order of first appearance; what was summed up is freed. */
static int sums_put(struct sums *s)
{
    size_t i = 0;

    for (; i < s->seconds.n && s->to->rows < MOST; i++) {
        struct az_sv name = s->names.text.v[i], rank = az_sv_cut(&name, '\x1f');
        az_put_row(s->to, &(ROW){ s->input, name, rank, s->seconds.v[i] });
    }
    const int rc = i < s->seconds.n ? CUT : AZ_OK;
    az_vec_release(&s->seconds);
    az_intern_release(&s->names);
    return rc;
}

static struct az_sv rank_at(const struct az_table *t, size_t row, ptrdiff_t column, char *buf)
{
    return column < 0 ? AZ_SV("all") : az_cell_exact(az_table_at(t, row, (size_t)column), buf);
}

/* Times of one column by the names of another. mean: the table has the mean of a rank. */
static int add_column(struct sums *s, const struct az_table *t, ptrdiff_t name, ptrdiff_t time,
                      bool mean)
{
    const char *whole = az_compare_spec_of(t->id, t)->total; /* a row next to its parts */
    const ptrdiff_t rank = rank_column(t);
    char buf[AZ_NUM_MAX];
    int rc = AZ_OK;

    for (size_t r = 0; !rc && r < t->rows; r++)
        if (!whole || !az_sv_is(az_cell_text(az_table_at(t, r, (size_t)name)), whole))
            rc = sums_add(s, mean ? AZ_SV("mean") : rank_at(t, r, rank, buf),
                          az_cell_text(az_table_at(t, r, (size_t)name)),
                          seconds(t, r, (size_t)time));
    return rc;
}

/* ---- the tables ---- */

/* By class; of ranks by group of operators, and by kind of device work. */
static int classes_of(const struct az_gate_doc *d, struct az_table *to)
{
    const struct az_table *t = class_table(d->doc),
                          *groups = az_document_table(d->doc, "grouped_breakdown"),
                          *by_rank = az_document_table(d->doc, "kernel_type_breakdown_by_rank");
    const ptrdiff_t kind = by_rank ? text_column(by_rank, "kernel_type") : -1;
    struct sums s;
    int rc = 0;
    sums_init(&s, to, d->title);

    if (!rc && t)
        rc = add_column(&s, t, class_column(t), az_series_weight(t), false);
    ptrdiff_t time = groups ? az_schema_find(groups, AZ_SV("time")) : -1;
    if (!rc && !t && time >= 0 && groups->columns.v[0].type == AZ_TEXT)
        rc = add_column(&s, groups, 0, time, true);
    time = by_rank ? az_schema_find(by_rank, AZ_SV("kernel_time")) : -1;
    if (!rc && !t && kind >= 0 && time >= 0)
        rc = add_column(&s, by_rank, kind, time, false);
    const int put = sums_put(&s);
    return rc ? rc : put;
}

/* A row per rank and a column per part; of a single trace a row per part. Of several rows of a part
 * the first counts. */
static int parts_of(const struct az_gate_doc *d, struct az_table *to)
{
    const struct az_table *wide = az_document_table(d->doc, "gpu_timelines_by_rank"),
                          *t = az_document_table(d->doc, "gpu_timeline");
    const ptrdiff_t rank = wide ? rank_column(wide) : -1, type = t ? text_column(t, "type") : -1;
    char buf[AZ_NUM_MAX];
    struct sums s;
    int rc = 0;
    sums_init(&s, to, d->title);

    for (size_t r = 0; !rc && rank >= 0 && r < wide->rows; r++)
        for (size_t c = 0; !rc && c < wide->columns.n; c++)
            if (is_time(&wide->columns.v[c]))
                rc = sums_add(&s, rank_at(wide, r, rank, buf), wide->columns.v[c].name,
                              seconds(wide, r, c));
    for (size_t c = 0; rank < 0 && type >= 0 && c < t->columns.n; c++) {
        if (!is_time(&t->columns.v[c]))
            continue;
        for (size_t r = 0; !rc && r < t->rows; r++) {
            const size_t known = s.seconds.n;
            const double x = seconds(t, r, c);
            rc = sums_add(&s, AZ_SV("all"), az_cell_text(az_table_at(t, r, (size_t)type)), NAN);
            if (!rc && s.seconds.n > known)
                s.seconds.v[known] = isnan(x) ? 0 : x;
        }
        break; /* the first column of times */
    }
    const int put = sums_put(&s);
    return rc ? rc : put;
}

static int waits_of(const struct az_gate_doc *d, struct az_table *to)
{
    const struct az_table *t = az_document_table(d->doc, "straggler_summary");
    const ptrdiff_t rank = t ? rank_column(t) : -1,
                    time = t ? az_schema_find(t, AZ_SV("wait_time")) : -1;
    char buf[AZ_NUM_MAX];

    for (size_t r = 0; rank >= 0 && time >= 0 && r < t->rows; r++) {
        if (to->rows >= MOST)
            return CUT;
        az_put_row(to, &(ROW){ d->title, AZ_SV(""), rank_at(t, r, rank, buf),
                               seconds(t, r, (size_t)time) });
    }
    return AZ_OK;
}

static int add_table(struct az_gate_step *s, struct az_document *doc, const char *id,
                     const char *title, const char *name,
                     int (*of)(const struct az_gate_doc *d, struct az_table *to))
{
    struct az_table *t = az_record_table(doc->arena, id, title, 0, columns, NAME, NULL);
    int rc = t ? AZ_OK : az_arena_error(doc->arena);

    if (rc)
        return rc;
    if (name)
        az_record_column_named(t, &columns[NAME], az_sv_str(name));
    az_record_columns(t, columns + RANK, AZ_LENGTH(columns) - RANK);
    for (size_t i = 0; !rc && i < s->n_docs; i++)
        if (!s->docs[i].baseline)
            rc = of(&s->docs[i], t);
    if (rc == CUT) {
        az_diag_add(s->diag, AZ_WARNING, AZ_NOWHERE,
                    "%s has more than %d rows; further rows are skipped", id, MOST);
        rc = AZ_OK;
    }
    if (!rc)
        return az_document_add(doc, t);
    az_table_free(t);
    return rc;
}

int az_gate_figures(struct az_gate_step *s, struct az_document *doc)
{
    int rc = add_table(s, doc, "class_time", "Device time by class", "Class", classes_of);
    if (!rc)
        rc = add_table(s, doc, "timeline_time", "Device timeline by part and rank", "Part",
                       parts_of);
    return rc ? rc
              : add_table(s, doc, "wait_time", "Time that ranks wait in collectives", NULL,
                          waits_of);
}
