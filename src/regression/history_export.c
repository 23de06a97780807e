/* The history as flat tables for other programs: a row a sample, a row a verdict. */
#include <math.h>

#include "base/intern.h"
#include "document/record.h"
#include "regression/history.h"
#include "regression/history_db.h"

/* A metric that is required; its texts are stored once. */
struct figure {
    struct az_sv input, sheet, key, name, unit, better;
};
AZ_VEC(struct figure, figures);

struct export
{
    struct az_history *h;
    struct az_document *doc;
    struct figures figures;
    struct az_map known; /* id of a metric -> index of its metric */
};

static int read_figures(struct export *x, struct az_sv key)
{
    struct az_arena *a = x->doc->arena;
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(
        x->h, "SELECT id,input,sheet,key_json,name,unit,better FROM metric", &st);

    if (rc)
        return rc;
    while ((rc = az_history_db_step(x->h, st)) == 1) {
        struct figure f = { .input = az_history_db_text(st, 1, a),
                            .sheet = az_history_db_text(st, 2, a),
                            .key = az_series_key_text(a, az_history_db_text(st, 3, a)),
                            .name = az_history_db_text(st, 4, a),
                            .unit = az_history_db_text(st, 5, a),
                            .better = az_history_db_text(st, 6, a) };
        uint32_t *at;
        bool added;
        struct az_sv text = az_history_db_figure_text(a, f.input, f.sheet, f.key, f.name);
        rc = a->failed || !text.p ? az_arena_error(a) : AZ_OK;
        if (!rc && !az_metric_matches(key, text, f.key, a))
            continue;
        if (!rc)
            rc = az_map_put(&x->known, (uint64_t)sqlite3_column_int64(st, 0), 0,
                            (uint32_t)x->figures.n, &at, &added);
        if (!rc)
            rc = az_vec_push(&x->figures, f);
        if (rc)
            break;
    }
    (void)sqlite3_finalize(st);
    return rc;
}

struct run_row {
    const struct az_history_run *run;
    const struct figure *figure;
};
#define ROW struct run_row
/* clang-format off */
#define RUN_COLUMNS                                                                                \
    { "Run", AZ_INT, AZ_UNIT_ID, AZ_KEY, AZ_VIA(ROW, run, id) },                                   \
    { "Created", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, created) },                                       \
    { "Good", AZ_BOOL, AZ_VIA(ROW, run, good) },                                                   \
    { "Label", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, label) },                                           \
    { "Commit", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, commit) },                                         \
    { "Branch", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, branch) },                                         \
    { "Host", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, host) },                                             \
    { "Device", AZ_TEXT, AZ_KNOWN_VIA(ROW, run, device) },                                         \
    { "Input", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, figure, input) },                       \
    { "Table", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, figure, sheet) },                       \
    { "Key", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, figure, key) },                           \
    { "Column", AZ_TEXT, .flags = AZ_KEY, AZ_KNOWN_VIA(ROW, figure, name) }
/* clang-format on */
/* The cells that are of the statement's row come after those of the run. */
static const struct az_record_column sample_columns[] = {
    RUN_COLUMNS,
    { "Unit", AZ_TEXT, AZ_KNOWN_VIA(ROW, figure, unit) },
    { "Better", AZ_TEXT, AZ_KNOWN_VIA(ROW, figure, better) },
    { "Sample", AZ_INT, AZ_UNIT_ID, .flags = AZ_KEY },
    { "Value", .type = AZ_REAL },
};
static const struct az_record_column verdict_columns[] = {
    RUN_COLUMNS,
    { "Rule", AZ_TEXT, .flags = AZ_KEY },
    { "Status", .type = AZ_TEXT },
    { "Baseline", AZ_INT, .unit = AZ_UNIT_ID },
    { "Worse by", AZ_REAL, .unit = AZ_UNIT_RATIO },
    { "p", .type = AZ_REAL },
};

/* The metric of a row of the statement; NULL: not required. */
static const struct figure *figure_of(const struct export *x, sqlite3_stmt *st)
{
    const uint32_t at = az_map_get(&x->known, (uint64_t)sqlite3_column_int64(st, 0), 0);
    return at < x->figures.n ? &x->figures.v[at] : NULL;
}

static void put_sample(struct az_table *t, sqlite3_stmt *st)
{
    az_put_i64(t, sqlite3_column_int64(st, 1));
    az_put_f64(t, az_history_db_real(st, 2));
}

static void put_verdict(struct az_table *t, sqlite3_stmt *st)
{
    az_put_copy(t, az_history_db_text(st, 1, t->arena));
    az_put_copy(t, az_history_db_text(st, 2, t->arena));
    if (sqlite3_column_type(st, 3) == SQLITE_NULL)
        az_put_empty(t);
    else
        az_put_i64(t, sqlite3_column_int64(st, 3));
    az_put_f64(t, az_history_db_real(st, 4));
    az_put_f64(t, az_history_db_real(st, 5));
}

/* Rows of all runs, oldest first, by a statement with a run as its argument and a metric as its
 * first column. */
static int add_rows(struct export *x, const struct az_history_runs *runs, const char *sql,
                    struct az_table *t, void (*put)(struct az_table *t, sqlite3_stmt *st))
{
    sqlite3_stmt *st;
    int rc = az_history_db_prepare(x->h, sql, &st);

    for (size_t i = runs->n; !rc && i-- > 0;) {
        (void)sqlite3_bind_int64(st, 1, runs->v[i].id);
        while (!t->error && (rc = az_history_db_step(x->h, st)) == 1) {
            const struct figure *f = figure_of(x, st);
            if (!f)
                continue;
            az_put_row(t, &(ROW){ &runs->v[i], f });
            put(t, st);
        }
        rc = t->error ? t->error : rc;
        (void)sqlite3_reset(st);
    }
    (void)sqlite3_finalize(st);
    if (!rc)
        return az_document_add(x->doc, t);
    az_table_free(t);
    return rc;
}

static int add_tables(struct export *x, const struct az_history_runs *runs)
{
    struct az_arena *a = x->doc->arena;
    struct az_table *t = AZ_RECORD_TABLE(a, "samples", "Samples, oldest run first",
                                         AZ_TABLE_SUMMARY | AZ_TABLE_KEEP_EMPTY, sample_columns);
    int rc;

    if (!t)
        return az_arena_error(a);
    rc = add_rows(x, runs,
                  "SELECT metric_id,rep,value FROM sample WHERE run_id=? ORDER BY metric_id,rep", t,
                  put_sample);
    t = rc ? NULL
           : AZ_RECORD_TABLE(a, "verdicts", "Verdicts, oldest run first", 0, verdict_columns);
    if (!t)
        return rc ? rc : az_arena_error(a);
    return add_rows(x, runs,
                    "SELECT metric_id,rule,status,baseline_run,rel,p FROM verdict WHERE run_id=? "
                    "ORDER BY metric_id,rule",
                    t, put_verdict);
}

int az_history_export_document(struct az_history *h, struct az_sv key, struct az_document *doc)
{
    struct export x = { .h = h, .doc = doc };
    struct az_history_runs runs;
    az_map_init(&x.known, doc->mem, 256);

    az_vec_init(&runs, doc->mem);
    az_vec_init(&x.figures, doc->mem);
    int rc = read_figures(&x, key);
    if (!rc && x.figures.n == 0 && key.n)
        rc = az_diag_fail(h->diag, AZ_EUSAGE, AZ_AT_FILE(h->path),
                          "no metric matches '%.*s'; use a part of \"input / table / key / "
                          "column\", with * and ?",
                          AZ_SVF(key));
    if (!rc)
        rc = az_history_list(h, 0, doc->arena, &runs);
    if (!rc)
        rc = add_tables(&x, &runs);
    doc->title = AZ_SV("History");
    az_map_release(&x.known);
    az_vec_release(&runs);
    az_vec_release(&x.figures);
    return rc;
}
