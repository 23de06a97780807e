/* JSON report: the whole document, numbers raw, keys in a fixed order (schemas/result.schema.json).
 * Rows are arrays in the order of `columns`; an empty cell is null. Integers are written whole,
 * also beyond 2^53. */
#include <math.h>

#include "document/verdict_table.h"
#include "reports/json_claims.h"
#include "reports/json_verdict.h"
#include "reports/report.h"
#include "reports/shared/fields.h"
#include "text/jsonw.h"

static const char *chart_kind(enum az_chart_kind k)
{
    switch (k) {
    case AZ_CHART_STACKED_COLUMN:
        return "stacked_column";
    case AZ_CHART_STACKED_BAR:
        return "stacked_bar";
    case AZ_CHART_PIE:
        return "pie";
    case AZ_CHART_BAR:
        return "bar";
    case AZ_CHART_COLUMN:
        return "column";
    case AZ_CHART_LINE:
        return "line";
    case AZ_CHART_SCATTER_LOG:
        return "scatter_log";
    case AZ_CHART_WATERFALL:
        return "waterfall";
    case AZ_CHART_HEAT:
        return "heat";
    case AZ_CHART_TREND:
        return "trend";
    case AZ_CHART_LIMITS:
        return "limits";
    }
    return "bar";
}

struct writer {
    struct az_jsonw w;
    struct az_arena *scratch;
    int error;
};

static void text_value(struct writer *j, struct az_sv s)
{
    az_jsonw_text(&j->w, az_field_text(j->scratch, s));
}

static void text_at(struct writer *j, const char *key, struct az_sv s)
{
    az_jsonw_key(&j->w, key);
    text_value(j, s);
}

static void columns(struct writer *j, const struct az_table *t)
{
    az_jsonw_key(&j->w, "columns");
    az_jsonw_array(&j->w);
    for (size_t c = 0; c < t->columns.n; c++) {
        const struct az_column *col = &t->columns.v[c];
        az_jsonw_compact(&j->w, true);
        az_jsonw_object(&j->w);
        text_at(j, "id", col->id);
        text_at(j, "name", col->name);
        text_at(j, "title", col->title);
        text_at(j, "type", az_sv_str(az_cell_type_text(col->type)));
        text_at(j, "unit", az_sv_str(az_unit_name(col->unit)));
        az_jsonw_key(&j->w, "key");
        az_jsonw_bool(&j->w, (col->flags & AZ_KEY) != 0);
        text_at(j, "direction", az_sv_str(az_direction_text(col->flags)));
        az_jsonw_end_object(&j->w);
        az_jsonw_compact(&j->w, false);
    }
    az_jsonw_end_array(&j->w);
}

static void cell_value(struct writer *j, const struct az_cell *c)
{
    switch (c->type) {
    case AZ_TEXT:
        text_value(j, az_cell_text(c));
        return;
    case AZ_INT:
        az_jsonw_i64(&j->w, c->i);
        return;
    case AZ_REAL:
        az_jsonw_f64(&j->w, c->f);
        return;
    case AZ_BOOL:
        az_jsonw_bool(&j->w, c->b);
        return;
    case AZ_EMPTY:
        az_jsonw_null(&j->w);
        return;
    }
}

static void put_rows(struct writer *j, const struct az_table *t)
{
    struct az_rows rows;
    const struct az_cell *cells;

    az_jsonw_key(&j->w, "rows");
    az_jsonw_array(&j->w);
    az_rows_open(&rows, t, j->scratch->mem);
    for (size_t r = 0; r < t->rows && (cells = az_rows_at(&rows, r)); r++) {
        az_jsonw_compact(&j->w, true);
        az_jsonw_array(&j->w);
        for (size_t c = 0; c < t->columns.n; c++)
            cell_value(j, &cells[c]);
        az_jsonw_end_array(&j->w);
        az_jsonw_compact(&j->w, false);
    }
    j->error = j->error ? j->error : az_rows_error(&rows);
    az_rows_close(&rows);
    az_jsonw_end_array(&j->w);
}

static void table(struct writer *j, const struct az_table *t)
{
    az_jsonw_object(&j->w);
    text_at(j, "id", t->id);
    text_at(j, "title", t->title);
    columns(j, t);
    put_rows(j, t);
    az_jsonw_end_object(&j->w);
}

static void chart(struct writer *j, const struct az_chart *c)
{
    az_jsonw_object(&j->w);
    text_at(j, "kind", az_sv_str(chart_kind(c->kind)));
    text_at(j, "table", c->table);
    text_at(j, "title", c->title);
    text_at(j, "x_title", c->x_title);
    text_at(j, "y_title", c->y_title);
    text_at(j, "x", c->x);
    az_jsonw_key(&j->w, "y");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < c->y.n; i++)
        text_value(j, c->y.v[i]);
    az_jsonw_end_array(&j->w);
    az_jsonw_key(&j->w, "max_rows");
    az_jsonw_i64(&j->w, (int64_t)c->max_rows);
    if (c->n_parts) {
        az_jsonw_key(&j->w, "parts");
        az_jsonw_array(&j->w);
        for (size_t i = 0; i < c->n_parts; i++)
            text_value(j, c->parts[i]);
        az_jsonw_end_array(&j->w);
    }
    if (c->stack.n)
        text_at(j, "stack", c->stack);
    if (c->size.n)
        text_at(j, "size", c->size);
    az_jsonw_end_object(&j->w);
}

static void given(struct writer *j, const char *key, struct az_sv s)
{
    if (s.n)
        text_at(j, key, s);
}

/* The first variant's change, and where there are several, all of them. */
static void changes(struct writer *j, const struct az_changes *all)
{
    if (all->n == 0)
        return;
    az_jsonw_key(&j->w, "change");
    az_json_change(&j->w, &all->v[0], j->scratch);
    az_jsonw_key(&j->w, "changes");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < all->n; i++)
        az_json_change(&j->w, &all->v[i], j->scratch);
    az_jsonw_end_array(&j->w);
}

/* The lines of the table `verdict`; a line has the members that it has something for. */
static void verdict(struct writer *j, const struct az_document *doc)
{
    const struct az_table *t = az_headline_of(doc);

    if (!t)
        return;
    az_jsonw_key(&j->w, "verdict");
    az_jsonw_object(&j->w);
    az_jsonw_key(&j->w, "lines");
    az_jsonw_array(&j->w);
    for (size_t r = 0; r < t->rows; r++) {
        const struct az_line l = az_headline_line(t, r);
        az_jsonw_compact(&j->w, true);
        az_jsonw_object(&j->w);
        text_at(j, "kind", az_line_kind_text(l.kind));
        given(j, "label", l.label);
        text_at(j, "text", l.text);
        given(j, "rule", l.rule);
        given(j, "severity", l.severity);
        given(j, "evidence", l.evidence);
        given(j, "row", l.row);
        if (l.ns >= 0) {
            az_jsonw_key(&j->w, "time_ns");
            az_jsonw_i64(&j->w, l.ns);
        }
        if (!isnan(l.percent)) {
            az_jsonw_key(&j->w, "share_percent");
            az_jsonw_f64(&j->w, l.percent);
        }
        az_jsonw_end_object(&j->w);
        az_jsonw_compact(&j->w, false);
    }
    az_jsonw_end_array(&j->w);
    if (doc->claims)
        az_json_claims(&j->w, doc->claims, j->scratch);
    if (doc->changes)
        changes(j, doc->changes);
    az_jsonw_end_object(&j->w);
}

int az_json_verdict(const struct az_document *doc, struct az_arena *scratch,
                    struct az_vec_char *out)
{
    struct writer j = { .scratch = scratch };
    int rc;

    az_jsonw_init(&j.w, NULL, out, 0);
    az_jsonw_object(&j.w);
    verdict(&j, doc);
    az_jsonw_end_object(&j.w);
    rc = az_jsonw_finish(&j.w);
    rc = rc ? rc : j.error;
    return rc ? rc : scratch->failed ? az_arena_error(scratch) : AZ_OK;
}

static void document(struct writer *j, const struct az_document *doc)
{
    az_jsonw_object(&j->w);
    text_at(j, "schema", doc->schema);
    az_jsonw_key(&j->w, "title");
    if (doc->no_heading && doc->title.n == 0)
        az_jsonw_null(&j->w);
    else
        text_value(j, doc->title);
    text_at(j, "input", doc->input);
    text_at(j, "format", doc->format);
    az_jsonw_key(&j->w, "messages");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < doc->preface.n; i++)
        text_value(j, doc->preface.v[i]);
    az_jsonw_end_array(&j->w);
    verdict(j, doc);
    az_jsonw_key(&j->w, "tables");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < doc->tables.n; i++) {
        if (!(doc->tables.v[i]->flags & AZ_TABLE_TEXT_ONLY))
            table(j, doc->tables.v[i]);
    }
    az_jsonw_end_array(&j->w);
    az_jsonw_key(&j->w, "charts");
    az_jsonw_array(&j->w);
    for (size_t i = 0; i < doc->charts.n; i++)
        chart(j, &doc->charts.v[i]);
    az_jsonw_end_array(&j->w);
    az_jsonw_end_object(&j->w);
}

static int json_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                      struct az_diag *diag)
{
    struct az_outfile *f = NULL;
    struct writer j = { .scratch = scratch };
    int rc = az_outfile_open(&f, path, diag);

    if (rc)
        return rc;
    az_jsonw_init(&j.w, f, NULL, 1);
    document(&j, doc);
    rc = az_jsonw_finish(&j.w);
    rc = rc ? rc : j.error;
    if (!rc && scratch->failed)
        rc = az_arena_error(scratch);
    if (!rc)
        return az_outfile_commit(f);
    az_outfile_abort(f);
    if (rc == AZ_ENOMEM || rc == AZ_ELIMIT)
        return az_diag_memory(diag, rc, AZ_AT_FILE(az_sv_str(path)), doc->mem);
    return az_diag_fail(diag, rc, AZ_AT_FILE(az_sv_str(path)), "cannot write JSON (%s)",
                        az_err_text(rc));
}

const struct az_report az_report_json = {
    .name = "json",
    .extension = ".json",
    .help = "one JSON file with every table, raw numbers (schemas/result.schema.json)",
    .write = json_write,
};
