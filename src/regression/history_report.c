/* The history as documents: the list of runs, and one run. */
#include "document/record.h"
#include "regression/history.h"
#include "regression/history_db.h"
#include "regression/trend_metrics.h"

#define ROW struct az_history_run
#define TEXT(header, field)                                                                        \
    {                                                                                              \
        header, AZ_TEXT, AZ_KNOWN(ROW, field), .copy = true                                        \
    }
static const struct az_record_column run_columns[] = {
    { "Run", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_FIELD(ROW, id) },
    { "Good", AZ_BOOL, AZ_FIELD(ROW, good) },
    TEXT("Created", created),
    TEXT("Label", label),
    TEXT("Commit", commit),
    TEXT("Branch", branch),
    TEXT("Host", host),
    TEXT("Device", device),
    TEXT("Stack", stack),
    TEXT("Pinned", pins),
    /* the first of the counts, where it has a value: a narrow line omits the others before it */
    { "Outliers", AZ_INT, AZ_UNIT_COUNT, AZ_KNOWN(ROW, outliers) },
    { "Metrics", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, metrics) },
    { "Failed", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(ROW, failed) },
};

int az_history_list_document(struct az_history *h, struct az_document *doc)
{
    struct az_history_runs runs;
    struct az_table *t = AZ_RECORD_TABLE(doc->arena, "runs", "Runs, newest first",
                                         AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY, run_columns);

    az_vec_init(&runs, doc->mem);
    int rc = az_history_list(h, 0, doc->arena, &runs);
    if (!rc)
        rc = az_history_correct_counts(h, doc->arena, &runs);
    AZ_PUT_ROWS(t, runs.v, runs.n);
    az_vec_release(&runs);
    doc->title = AZ_SV("History");
    if (rc) {
        az_table_free(t);
        return rc;
    }
    return az_document_add(doc, t);
}

/* ---- one run ---- */

static int add_query(struct az_history *h, int64_t id, const char *sql, const char *const *names,
                     const enum az_cell_type *types, size_t n, struct az_table *t)
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(h, sql, &st);

    for (size_t i = 0; i < n; i++)
        az_table_column(t, names[i], types[i], AZ_UNIT_NONE, 0);
    if (rc)
        return rc;
    (void)sqlite3_bind_int64(st, 1, id);
    while ((rc = az_history_db_step(h, st)) == 1) {
        for (size_t i = 0; i < n; i++) {
            int col = (int)i;
            if (sqlite3_column_type(st, col) == SQLITE_NULL)
                az_put_empty(t);
            else if (types[i] == AZ_TEXT)
                az_put_text(t, az_history_db_text(st, col, t->arena));
            else if (types[i] == AZ_INT)
                az_put_i64(t, sqlite3_column_int64(st, col));
            else
                az_put_f64(t, sqlite3_column_double(st, col));
        }
    }
    (void)sqlite3_finalize(st);
    return rc;
}

static int add_table(struct az_history *h, int64_t id, const char *name, const char *title,
                     const char *sql, const char *const *names, const enum az_cell_type *types,
                     size_t n, struct az_document *doc)
{
    struct az_table *t = az_table_new(doc->arena, name, title, AZ_TABLE_SUMMARY);
    int rc = t ? add_query(h, id, sql, names, types, n, t) : az_arena_error(doc->arena);
    if (!rc)
        return az_document_add(doc, t);
    az_table_free(t);
    return rc;
}

/* key_json -> text, in place. */
static void readable_keys(struct az_document *doc, const char *table, size_t col)
{
    struct az_table *t = az_document_table(doc, table);
    for (size_t r = 0; t && r < t->rows; r++) {
        struct az_cell *c = &t->cells.v[r * t->columns.n + col];
        struct az_sv text = az_series_key_text(t->arena, az_cell_text(c));
        c->s = text.p;
        c->len = AZ_CELL_LENGTH(text.n);
    }
}

int az_history_show_document(struct az_history *h, int64_t id, struct az_document *doc)
{
    static const char *const of_run[] = { "Fact", "Value" };
    static const char *const of_verdict[] = { "Status", "Input",    "Table",  "Key", "Column",
                                              "Rule",   "Baseline", "Change", "p" };
    static const char *const of_metric[] = { "Input", "Table", "Key", "Column", "Unit",
                                             "Runs",  "Mean",  "Min", "Max" };
    static const enum az_cell_type texts[] = { AZ_TEXT, AZ_TEXT, AZ_TEXT, AZ_TEXT, AZ_TEXT,
                                               AZ_TEXT, AZ_INT,  AZ_REAL, AZ_REAL };
    static const enum az_cell_type figures[] = { AZ_TEXT, AZ_TEXT, AZ_TEXT, AZ_TEXT, AZ_TEXT,
                                                 AZ_INT,  AZ_REAL, AZ_REAL, AZ_REAL };
    int rc = az_history_db_need_run(h, id);

    if (!rc)
        rc =
            add_table(h, id, "run", "Run",
                      "WITH r AS (SELECT *," AZ_HISTORY_DB_GOOD " AS is_good FROM run WHERE id=?1) "
                      "SELECT 'run', id FROM r UNION ALL SELECT 'good', "
                      "CASE WHEN is_good THEN 'yes' ELSE 'no' END FROM r UNION ALL SELECT "
                      "'created', created FROM r "
                      "UNION ALL SELECT 'label', label FROM r UNION ALL SELECT 'commit', "
                      "commit_id FROM r UNION ALL "
                      "SELECT 'branch', branch FROM r UNION ALL SELECT 'host', host FROM r UNION "
                      "ALL SELECT 'device', "
                      "device FROM r UNION ALL SELECT 'stack', stack FROM r UNION ALL SELECT "
                      "'config', config_hash FROM r",
                      of_run, texts, 2, doc);
    if (!rc)
        rc = add_table(
            h, id, "verdicts", "Verdicts other than pass, skip",
            "SELECT status,input,sheet,key_json,name,rule,baseline_run,rel,p FROM verdict JOIN "
            "metric ON "
            "metric.id=metric_id WHERE run_id=? AND status NOT IN ('pass','skip') ORDER BY rel "
            "DESC,input,sheet,key_json,name,rule",
            of_verdict, texts, 9, doc);
    if (!rc)
        rc = add_table(
            h, id, "metrics", "Metrics",
            "SELECT input,sheet,key_json,name,unit,count(*),avg(value),min(value),max(value) FROM "
            "sample "
            "JOIN metric ON metric.id=metric_id WHERE run_id=? GROUP BY metric_id ORDER BY "
            "input,sheet,key_json,name",
            of_metric, figures, 9, doc);
    readable_keys(doc, "verdicts", 3);
    readable_keys(doc, "metrics", 2);
    doc->title = az_arena_printf(doc->arena, "Run %lld", (long long)id);
    return rc;
}
