/* The database in memory: what it may do, its limits, one statement after the other. */
#include <stdio.h>
#include <time.h>

#include "base/utf8.h"
#include "document/record.h"
#include "query/internal.h"

#define STEPS_ASKED 100       /* of SQLite's machine, between two checks of the clock */
#define POLL_NS     2000000   /* between two calls of what cancels a statement */
#define LONGEST     1000000   /* bytes of a statement */
#define VALUE_MOST  (1 << 20) /* bytes of one value: what bounds the time of one function */
#define GRACE_MS    3000      /* after its time limit, for a statement that ends by itself */

struct az_query {
    struct az_arena arena;
    const struct az_query_source *source;
    struct az_query_limits limits;
    struct az_facts_of *facts;
    sqlite3 *db;
    struct az_query_module *modules;
    struct az_query_report *reports;
    size_t n_reports;
    bool has_reports;
    const struct az_table *list[2][2]; /* tables, columns: of facts, and of reports too */
    struct az_query_report meta[2];
    int64_t until_ns, polled_ns; /* monotonic; 0: no end */
    bool late, interrupted, running;
    bool declaring;  /* a virtual table is being declared */
    char denied[80]; /* what the authorizer rejected */
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- what a statement may do ---- */

static bool good_function(const char *name)
{
    static const char *const bad[] = { "load_extension", "fts3_tokenizer", "edit",
                                       "readfile",       "writefile",      "randomblob",
                                       "zeroblob",       "json_patch" /* time is quadratic */ };
    for (size_t i = 0; i < AZ_LENGTH(bad); i++)
        if (sqlite3_stricmp(name, bad[i]) == 0)
            return false;
    return true;
}

static bool good_pragma(const char *name)
{
    return sqlite3_stricmp(name, "table_info") == 0 || sqlite3_stricmp(name, "table_xinfo") == 0 ||
           sqlite3_stricmp(name, "function_list") == 0;
}

static int authorise(void *ctx, int action, const char *a, const char *b, const char *db,
                     const char *trigger)
{
    struct az_query *q = ctx;
    const char *what = "not read-only";
    (void)db;
    (void)trigger;

    if (q->declaring)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        if (good_function(b))
            return SQLITE_OK;
        what = b;
        break;
    case SQLITE_PRAGMA:
        if (good_pragma(a))
            return SQLITE_OK;
        what = "a pragma";
        break;
    case SQLITE_ATTACH:
    case SQLITE_DETACH:
        what = "attaching files";
        break;
    default:
        break;
    }
    snprintf(q->denied, sizeof q->denied, "%s", what);
    return SQLITE_DENY;
}

static int progress(void *ctx)
{
    struct az_query *q = ctx;
    const int64_t now = now_ns();

    q->late |= q->until_ns && now >= q->until_ns;
    if (now < q->polled_ns + POLL_NS)
        return q->late;
    q->polled_ns = now;
    q->interrupted |= az_cancelled(&q->limits.cancel);
    return q->interrupted || q->late;
}

/* Where nothing polls, inside one function, the time limit is the business of who set it. */
static void watch(struct az_query *q, bool on)
{
    const int64_t left = q->until_ns ? (q->until_ns - now_ns()) / 1000000 : 0;

    if (q->limits.watch && q->until_ns)
        q->limits.watch(q->limits.watch_ctx, on ? (left > 0 ? left : 0) + GRACE_MS : 0);
}

static void on_work(void *ctx, bool begins)
{
    struct az_query *q = ctx;
    watch(q, !begins && q->running);
}

static int secure(struct az_query *q)
{
    static const int flags[][2] = { { SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0 },
                                    { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
                                    { SQLITE_DBCONFIG_DEFENSIVE, 1 },
                                    { SQLITE_DBCONFIG_DQS_DML, 0 },
                                    { SQLITE_DBCONFIG_DQS_DDL, 0 } };
    static const int limits[][2] = {
        { SQLITE_LIMIT_LENGTH, VALUE_MOST },        { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_EXPR_DEPTH, 200 },           { SQLITE_LIMIT_COMPOUND_SELECT, 100 },
        { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },          { SQLITE_LIMIT_WORKER_THREADS, 0 },
        { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 2000 }, { SQLITE_LIMIT_VDBE_OP, 1000000 }
    };
    /* what does not fit into memory is not to go to a file */
    int rc = sqlite3_exec(q->db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);

    for (size_t i = 0; rc == SQLITE_OK && i < AZ_LENGTH(flags); i++)
        rc = sqlite3_db_config(q->db, flags[i][0], flags[i][1], NULL);
    for (size_t i = 0; i < AZ_LENGTH(limits); i++)
        sqlite3_limit(q->db, limits[i][0], limits[i][1]);
    if (rc == SQLITE_OK)
        rc = az_query_functions_add(q->db);
    if (rc == SQLITE_OK)
        rc = sqlite3_set_authorizer(q->db, authorise, q);
    sqlite3_progress_handler(q->db, STEPS_ASKED, progress, q);
    return rc;
}

/* ---- opening ---- */

void az_query_limit(struct az_query *q, const struct az_query_limits *limits)
{
    q->limits = *limits;
    q->limits.length = q->limits.length ? q->limits.length : LONGEST;
}

static int add_facts(struct az_query *q)
{
    int rc = SQLITE_OK;

    for (size_t i = 0; rc == SQLITE_OK && i < az_query_n_tables; i++) {
        q->modules[i] =
            (struct az_query_module){ .facts = q->facts, .table = i, .declaring = &q->declaring };
        rc = az_query_vtab_add(q->db, &q->modules[i]);
    }
    return rc;
}

int az_query_open(struct az_query **out, const struct az_query_source *source,
                  const struct az_query_limits *limits, struct az_diag *diag)
{
    struct az_query *q = az_mem_alloc(NULL, sizeof *q);
    int rc, code = SQLITE_OK;

    *out = NULL;
    if (!q)
        return AZ_ENOMEM;
    *q = (struct az_query){ .source = source };
    az_arena_init(&q->arena, NULL);
    az_query_limit(q, limits);
    q->modules = az_arena_array(&q->arena, az_query_n_tables, sizeof *q->modules);
    rc = q->modules ? az_facts_of_new(&q->facts, source) : AZ_ENOMEM;
    if (rc == 0)
        az_facts_of_on_work(q->facts, on_work, q);
    if (rc == 0)
        code = sqlite3_open_v2(":memory:", &q->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_PRIVATECACHE,
                               NULL);
    if (rc == 0 && code == SQLITE_OK)
        code = add_facts(q);
    if (rc == 0 && code == SQLITE_OK)
        code = secure(q);
    if (code == SQLITE_NOMEM)
        rc = AZ_ENOMEM;
    else if (code != SQLITE_OK)
        rc = az_diag_fail(diag, AZ_EINTERNAL, AZ_NOWHERE, "cannot initialize SQL: %s",
                          sqlite3_errstr(code));
    if (rc)
        az_query_close(q);
    else
        *out = q;
    return rc;
}

void az_query_close(struct az_query *q)
{
    if (!q)
        return;
    sqlite3_close(q->db);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++)
            az_table_free((struct az_table *)q->list[i][k]);
    az_facts_of_free(q->facts);
    az_arena_release(&q->arena);
    az_mem_free(NULL, q, sizeof *q);
}

/* ---- the tables of reports, and the lists of all ---- */

static const char *type_text(enum az_cell_type t)
{
    static const char *const text[] = { [AZ_EMPTY] = "text",
                                        [AZ_TEXT] = "text",
                                        [AZ_INT] = "integer",
                                        [AZ_REAL] = "real",
                                        [AZ_BOOL] = "boolean" };
    return text[t];
}

struct table_row {
    struct az_sv name;
    const char *kind;
    uint64_t rows;
    struct az_sv title;
};
static const struct az_record_column table_columns[] = {
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(struct table_row, name) },
    { "kind", AZ_TEXT, AZ_FIELD(struct table_row, kind) },
    { "rows", AZ_INT, AZ_UNIT_COUNT, AZ_FIELD(struct table_row, rows) },
    { "title", AZ_TEXT, AZ_FIELD(struct table_row, title) },
};

static struct az_table *table_list(struct az_query *q, bool reports, int *rc)
{
    struct az_table *t =
        AZ_RECORD_TABLE(&q->arena, "tables", "Tables of the query", 0, table_columns);

    for (size_t i = 0; *rc == 0 && i < az_query_n_tables; i++) {
        const struct az_query_rows *rows = az_query_rows_of(q->facts, i, rc);
        if (!rows)
            break;
        az_put_row(t, &(struct table_row){ az_sv_str(az_query_table_list[i]->name), "fact",
                                           az_query_rows_n(rows),
                                           az_sv_str(az_query_table_list[i]->help) });
    }
    for (size_t i = 0; reports && i < q->n_reports; i++)
        az_put_row(t, &(struct table_row){ q->reports[i].name, "report", q->reports[i].n,
                                           q->reports[i].parts[0].table->title });
    return t;
}

struct column_row {
    struct az_sv table, name;
    enum az_cell_type type;
    enum az_unit unit;
    struct az_sv title;
};
#define ROW struct column_row
AZ_TEXT_OF_RECORD(type_of, ROW, az_sv_str(type_text(r->type)))
AZ_TEXT_OF_RECORD(unit_of, ROW, az_sv_str(az_unit_text(r->unit)))
static const struct az_record_column column_columns[] = {
    { "table_name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, table) },
    { "name", AZ_TEXT, .flags = AZ_KEY, AZ_FIELD(ROW, name) },
    { "type", AZ_TEXT, .text = type_of },
    { "unit", AZ_TEXT, .text = unit_of, .known = true },
    { "title", AZ_TEXT, AZ_KNOWN(ROW, title) },
};

static struct az_table *column_list(struct az_query *q, bool reports)
{
    struct az_table *t =
        AZ_RECORD_TABLE(&q->arena, "columns", "Columns of the tables", 0, column_columns);

    for (size_t i = 0; i < az_query_n_tables; i++)
        for (size_t c = 0; c < az_query_table_list[i]->n_columns; c++) {
            const struct az_query_table_column *x = &az_query_table_list[i]->columns[c];
            az_put_row(t, &(ROW){ az_sv_str(az_query_table_list[i]->name), az_sv_str(x->name),
                                  x->type, x->unit, az_sv_str(x->help) });
        }
    for (size_t i = 0; reports && i < q->n_reports; i++) {
        const struct az_query_report *r = &q->reports[i];
        az_put_row(t, &(ROW){ r->name, AZ_SV("input"), AZ_TEXT, AZ_UNIT_NONE,
                              AZ_SV("title of the input") });
        for (size_t c = 0; c < r->n_columns; c++)
            az_put_row(t, &(ROW){ r->name, r->columns[c].id, r->columns[c].type, r->columns[c].unit,
                                  r->columns[c].title });
    }
    return t;
}

/* Ids of the lists are their headers. */
static int fill_meta(struct az_query *q, size_t which, const struct az_table *t)
{
    struct az_query_part *part = az_arena_alloc(&q->arena, sizeof *part);
    struct az_column *columns = az_arena_array(&q->arena, t->columns.n, sizeof *columns);
    ptrdiff_t *at = az_arena_array(&q->arena, t->columns.n, sizeof *at);

    if (!part || !columns || !at)
        return AZ_ENOMEM;
    for (size_t i = 0; i < t->columns.n; i++) {
        columns[i] = t->columns.v[i];
        columns[i].id = columns[i].name;
        at[i] = (ptrdiff_t)i;
    }
    *part = (struct az_query_part){ .table = t, .at = at };
    q->meta[which] = (struct az_query_report){ .name = t->id,
                                               .source = q->source,
                                               .declaring = &q->declaring,
                                               .columns = columns,
                                               .n_columns = t->columns.n,
                                               .parts = part,
                                               .n_parts = 1,
                                               .n = t->rows };
    return az_query_report_add(q->db, &q->meta[which]) == SQLITE_OK ? 0 : AZ_ENOMEM;
}

/* Makes the reports and adds their tables. An input that has none is not in them. */
static int load_reports(struct az_query *q)
{
    const struct az_document **docs = az_arena_array(&q->arena, q->source->n, sizeof *docs);
    int rc = docs ? 0 : AZ_ENOMEM;

    if (q->has_reports)
        return 0;
    for (size_t i = 0; rc == 0 && i < q->source->n; i++) {
        int failed = 0;
        docs[i] = q->source->document(q->source->ctx, i, &failed);
        if (!docs[i] && (failed == AZ_EINTR || failed == AZ_ENOMEM || failed == AZ_ELIMIT))
            rc = failed;
    }
    if (rc == 0)
        rc = az_query_reports_make(&q->arena, q->source, docs, &q->declaring, &q->reports,
                                   &q->n_reports);
    for (size_t i = 0; rc == 0 && i < q->n_reports; i++)
        rc = az_query_report_add(q->db, &q->reports[i]) == SQLITE_OK ? 0 : AZ_ENOMEM;
    q->has_reports = rc == 0;
    const struct az_table *tables = rc == 0 ? az_query_tables(q, true, &rc) : NULL,
                          *columns = rc == 0 ? az_query_columns(q, true, &rc) : NULL;
    if (rc == 0)
        rc = fill_meta(q, 0, tables);
    return rc ? rc : fill_meta(q, 1, columns);
}

static const struct az_table *list_of(struct az_query *q, size_t which, bool reports, int *rc)
{
    const struct az_table **t = &q->list[which][reports];

    *rc = 0;
    if (reports && !q->has_reports)
        *rc = load_reports(q);
    if (*t || *rc)
        return *t;
    struct az_table *made = which ? column_list(q, reports) : table_list(q, reports, rc);
    if (*rc == 0)
        *rc = made ? az_table_finish(made) : AZ_ENOMEM;
    if (*rc)
        az_table_free(made);
    else
        *t = made;
    return *t;
}

const struct az_table *az_query_tables(struct az_query *q, bool reports, int *rc)
{
    return list_of(q, 0, reports, rc);
}

const struct az_table *az_query_columns(struct az_query *q, bool reports, int *rc)
{
    return list_of(q, 1, reports, rc);
}

struct az_arena *az_query_arena(struct az_query *q) { return &q->arena; }

/* ---- running ---- */

static int report_limit(struct az_query *q, struct az_diag *diag)
{
    if (q->interrupted)
        return AZ_EINTR;
    return az_diag_fail(
        diag, AZ_ELIMIT, AZ_NOWHERE,
        "statement exceeded the time limit of %.3g s; narrow it, or raise the limit",
        (double)q->limits.ms / 1000);
}

/* What a code that ends a statement means. */
static int explain(struct az_query *q, int code, struct az_sv sql, struct az_diag *diag)
{
    const int offset = sqlite3_error_offset(q->db);
    const struct az_sv place = /* a table that does not exist is nowhere */
        offset < 0 || (size_t)offset > sql.n
            ? AZ_SV("")
            : az_arena_printf(&q->arena, " (character %zu)",
                              az_utf8_count(az_sv_make(sql.p, (size_t)offset)) + 1);

    switch (code & 0xff) {
    case SQLITE_INTERRUPT:
        return report_limit(q, diag);
    case SQLITE_NOMEM:
        if (az_facts_of_error(q->facts) == AZ_EINTR)
            return AZ_EINTR;
        return az_diag_fail(
            diag, AZ_ELIMIT, AZ_NOWHERE,
            "statement exceeded the memory limit; sort or group fewer rows, or raise the limit");
    case SQLITE_AUTH:
        return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "statement rejected: %s; use SELECT",
                            q->denied[0] ? q->denied : sqlite3_errmsg(q->db));
    case SQLITE_TOOBIG:
        return az_diag_fail(diag, AZ_ELIMIT, AZ_NOWHERE, "value or statement too long: %s",
                            sqlite3_errmsg(q->db));
    default:
        break;
    }
    if (az_facts_of_error(q->facts))
        return az_diag_fail(diag, az_facts_of_error(q->facts), AZ_NOWHERE,
                            "cannot compute a fact of the statement: %s",
                            az_err_text(az_facts_of_error(q->facts)));
    const struct az_sv remedy = az_query_remedy(q, az_sv_str(sqlite3_errmsg(q->db)), sql);
    return az_diag_fail(diag, AZ_EUSAGE, AZ_AT_FILE(AZ_SV("SQL")), "%s%.*s; %.*s",
                        sqlite3_errmsg(q->db), AZ_SVF(place), AZ_SVF(remedy));
}

static int prepare(struct az_query *q, struct az_sv sql, sqlite3_stmt **st, const char **tail,
                   struct az_diag *diag)
{
    int code = sqlite3_prepare_v3(q->db, sql.p, (int)sql.n, 0, st, tail), rc = 0;

    if (code == SQLITE_ERROR && !q->has_reports &&
        strncmp(sqlite3_errmsg(q->db), "no such table", 13) == 0) {
        rc = load_reports(q);
        if (rc)
            return rc == AZ_EINTR ? rc
                                  : az_diag_fail(diag, rc, AZ_NOWHERE,
                                                 "cannot compute the tables of the report: %s",
                                                 az_err_text(rc));
        code = sqlite3_prepare_v3(q->db, sql.p, (int)sql.n, 0, st, tail);
    }
    if (code != SQLITE_OK)
        return explain(q, code, sql, diag);
    if (*st && !sqlite3_stmt_readonly(*st)) {
        sqlite3_finalize(*st);
        *st = NULL;
        return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE,
                            "statement rejected: not read-only; use SELECT");
    }
    return rc;
}

static void take_cell(sqlite3_stmt *st, int i, struct az_cell *c)
{
    const unsigned char *s;

    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        *c = (struct az_cell){ .type = AZ_INT, .i = sqlite3_column_int64(st, i) };
        break;
    case SQLITE_FLOAT:
        *c = (struct az_cell){ .type = AZ_REAL, .f = sqlite3_column_double(st, i) };
        break;
    case SQLITE_NULL:
        *c = (struct az_cell){ .type = AZ_EMPTY };
        break;
    default:
        s = sqlite3_column_text(st, i);
        *c = (struct az_cell){ .type = AZ_TEXT,
                               .len = s ? AZ_CELL_LENGTH(sqlite3_column_bytes(st, i)) : 0,
                               .s = s ? (const char *)s : "" };
        break;
    }
}

static int begin(sqlite3_stmt *st, size_t n, const struct az_query_sink *sink)
{
    struct az_query_column *c = az_mem_alloc(NULL, (n + 1) * sizeof *c);
    int rc = c ? 0 : AZ_ENOMEM;

    for (size_t i = 0; c && i < n; i++)
        c[i].name = az_sv_str(sqlite3_column_name(st, (int)i));
    if (rc == 0)
        rc = sink->begin(sink->ctx, c, n);
    az_mem_free(NULL, c, (n + 1) * sizeof *c);
    return rc;
}

static int step_rows(struct az_query *q, sqlite3_stmt *st, const struct az_query_sink *sink,
                     struct az_sv sql, struct az_diag *diag)
{
    const size_t n = (size_t)sqlite3_column_count(st);
    struct az_cell *cells = az_mem_alloc(NULL, (n + 1) * sizeof *cells);
    int rc = cells ? begin(st, n, sink) : AZ_ENOMEM, code = SQLITE_ROW;
    int64_t rows = 0;
    bool cut = false;

    while (rc == 0 && !cut && (code = sqlite3_step(st)) == SQLITE_ROW) {
        if (q->limits.rows && rows == q->limits.rows) {
            cut = true;
            break;
        }
        for (size_t i = 0; i < n; i++)
            take_cell(st, (int)i, &cells[i]);
        rc = sink->row(sink->ctx, cells, n);
        rows++;
    }
    if (rc == 0 && code != SQLITE_DONE && code != SQLITE_ROW)
        rc = explain(q, code, sql, diag);
    const int ended =
        rc == 0 || rc == AZ_ELIMIT || rc == AZ_EINTR ? sink->end(sink->ctx, cut || rc != 0) : 0;
    az_mem_free(NULL, cells, (n + 1) * sizeof *cells);
    return rc ? rc : ended;
}

int az_query_run(struct az_query *q, struct az_sv sql, const struct az_query_sink *sink,
                 struct az_sv *rest, struct az_diag *diag)
{
    const struct az_sv all = sql;
    const sqlite3_int64 before = sqlite3_hard_heap_limit64(-1);
    sqlite3_stmt *st = NULL;
    const char *tail = NULL;
    int rc;

    q->late = q->interrupted = false;
    q->denied[0] = 0;
    if ((int64_t)sql.n > q->limits.length || sql.n > INT32_MAX)
        return az_diag_fail(diag, AZ_ELIMIT, AZ_NOWHERE,
                            "statement of %zu bytes exceeds the limit of %lld", sql.n,
                            (long long)q->limits.length);
    q->until_ns = q->limits.ms ? now_ns() + q->limits.ms * 1000000 : 0;
    if (memchr(sql.p, 0, sql.n)) /* SQLite would not check what is after it */
        return az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "NUL byte in the statement");
    rc = prepare(q, sql, &st, &tail, diag);
    const struct az_sv after =
        tail ? az_sv_trim(az_sv_make(tail, (size_t)(all.p + all.n - tail))) : AZ_SV("");
    if (rc == 0 && !rest && after.n)
        rc = az_diag_fail(diag, AZ_EUSAGE, AZ_NOWHERE, "more than one statement");
    if (rest)
        *rest = after;
    if (rc == 0 && q->limits.bytes)
        sqlite3_hard_heap_limit64(sqlite3_memory_used() + q->limits.bytes);
    q->running = true;
    watch(q, true);
    if (rc == 0 && st)
        rc = step_rows(q, st, sink, all, diag);
    q->running = false;
    watch(q, false);
    sqlite3_hard_heap_limit64(before);
    sqlite3_finalize(st);
    return rc;
}

int az_query_groups(struct az_query *q, const struct az_query_grouping *of,
                    const struct az_query_sink *sink)
{
    return az_query_group_list(q->facts, of, sink);
}
