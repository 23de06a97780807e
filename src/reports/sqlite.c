/* SQLite report: one database with every table of the report, for any tool that opens such files.
 *   meta     schema, title, input, format of the report
 *   tables   the tables in order: name in the database, id, title, rows
 *   columns  of each table: name (the canonical id), header and title, type, unit, direction, key
 * and each table under its id; an id in use, ignoring case, gets "_2" after it. Whole numbers
 * are INTEGER, others REAL, flags BOOLEAN (0, 1). A table with keys has an index of them. The file
 * is written here, page after page (reports/shared/database_file.h); SQLite adds events, which have
 * views, and indexes of tables whose rows are not stored. Equal reports have equal bytes. It is
 * read back by saved/load_sqlite.c. */
#include <inttypes.h>
#include <math.h>

#include "base/intern.h"
#include "base/sort.h"
#include "io/outfile.h"
#include "reports/report.h"
#include "reports/shared/database_file.h"
#include "reports/shared/fields.h"
#include "reports/sqlite_events.h"
#include "saved/load.h"

#define INDEXED      3    /* key columns of an index at most */
#define INDEXED_ROWS 256  /* fewer are on a few pages, and found as fast without an index */
#define MOST_COLUMNS 2000 /* of a table of SQLite, by default */
#define VERSION      1    /* of these tables */

/* Names that tables of reports do not get: first the tables of this file, then that of events. */
static const struct az_sv own_names[] = {
    { "meta", 4 }, { "tables", 6 }, { "columns", 7 }, { "names", 5 }
};

struct writer {
    struct az_dbfile file;
    struct az_arena *scratch;
    struct az_mem *mem;
    struct az_vec_sv used;  /* names of tables */
    struct az_map taken;    /* hash and length of each, in lower case */
    struct az_vec_sv later; /* statements for SQLite */
    const char *path;
    struct az_diag *diag;
    int error;
};

static bool is_usable(const struct writer *w)
{
    return !w->error && !w->file.error && !w->scratch->failed;
}

static size_t columns_of(const struct az_table *t)
{
    return t->columns.n < MOST_COLUMNS ? t->columns.n : MOST_COLUMNS;
}

/* ---- statements of the schema ---- */

/* A name as SQL has it. */
static void append_name(struct az_vec_char *out, struct az_sv name)
{
    az_text_add(out, AZ_SV("\""));
    while (name.n) {
        const char *quote = memchr(name.p, '"', name.n);
        const size_t n = quote ? (size_t)(quote + 1 - name.p) : name.n;
        az_text_add(out, az_sv_make(name.p, n));
        if (quote)
            az_text_add(out, AZ_SV("\""));
        name = az_sv_make(name.p + n, name.n - n);
    }
    az_text_add(out, AZ_SV("\""));
}

/* The text built in `out`, in the arena. */
static struct az_sv end_statement(struct writer *w, struct az_vec_char *out)
{
    const int rc = az_vec_error(out);
    const struct az_sv sql = rc ? AZ_SV("") : az_arena_dup(w->scratch, az_text_view(out));
    if (rc && !w->error)
        w->error = rc;
    az_vec_release(out);
    return sql;
}

static const char *declared(enum az_cell_type t)
{
    static const char *const text[] = { [AZ_EMPTY] = "",
                                        [AZ_TEXT] = " TEXT",
                                        [AZ_INT] = " INTEGER",
                                        [AZ_REAL] = " REAL",
                                        [AZ_BOOL] = " BOOLEAN" };
    return text[t];
}

static struct az_sv column_name(struct writer *w, const struct az_column *c)
{
    return az_field_line(w->scratch, c->id);
}

/* Readers of the file would reject all of it. */
static void check_names(struct writer *w, const struct az_table *t)
{
    const size_t n = columns_of(t);
    struct az_sv *names = az_arena_array(w->scratch, n + !n, sizeof *names);

    for (size_t i = 0; names && !w->error && i < n; i++) {
        names[i] = column_name(w, &t->columns.v[i]);
        for (size_t k = 0; k < i; k++)
            if (az_sv_ieq(names[k], names[i]))
                w->error = az_diag_fail(w->diag, AZ_EINTERNAL, AZ_AT_FILE(az_sv_str(w->path)),
                                        "cannot write table '%.*s': duplicate column '%.*s'",
                                        AZ_SVF(t->id), AZ_SVF(names[i]));
    }
}

static struct az_sv create_statement(struct writer *w, const struct az_table *t, struct az_sv name)
{
    struct az_vec_char out;

    check_names(w, t);
    az_vec_init(&out, w->mem);
    az_text_add(&out, AZ_SV("CREATE TABLE "));
    append_name(&out, name);
    for (size_t i = 0; i < columns_of(t); i++) {
        const struct az_column *c = &t->columns.v[i];
        az_text_add(&out, i ? AZ_SV(", ") : AZ_SV("("));
        append_name(&out, column_name(w, c));
        az_text_add(&out, az_sv_str(declared(c->type)));
    }
    az_text_add(&out, AZ_SV(")"));
    return end_statement(w, &out);
}

struct key_columns {
    size_t n, at[INDEXED];
};

static struct key_columns key_columns_of(const struct az_table *t)
{
    struct key_columns k = { 0 };
    for (size_t i = 0; i < columns_of(t) && k.n < INDEXED; i++)
        if (t->columns.v[i].flags & AZ_KEY)
            k.at[k.n++] = i;
    return k;
}

static struct az_sv index_statement(struct writer *w, const struct az_table *t,
                                    const struct key_columns *k, struct az_sv name,
                                    struct az_sv index)
{
    struct az_vec_char out;

    az_vec_init(&out, w->mem);
    az_text_add(&out, AZ_SV("CREATE INDEX "));
    append_name(&out, index);
    az_text_add(&out, AZ_SV(" ON "));
    append_name(&out, name);
    for (size_t i = 0; i < k->n; i++) {
        az_text_add(&out, i ? AZ_SV(", ") : AZ_SV("("));
        append_name(&out, column_name(w, &t->columns.v[k->at[i]]));
    }
    az_text_add(&out, AZ_SV(")"));
    return end_statement(w, &out);
}

/* Is the name new, in any case? *value: the number that was last appended to it. */
static bool is_new_name(struct writer *w, struct az_sv name, uint32_t **value)
{
    char *lower = az_arena_alloc(w->scratch, name.n + 1);
    bool added = true;

    for (size_t i = 0; lower && i < name.n; i++)
        lower[i] = (char)(name.p[i] >= 'A' && name.p[i] <= 'Z' ? name.p[i] + 'a' - 'A' : name.p[i]);
    const int rc =
        lower ? az_map_put(&w->taken, az_hash(lower, name.n), name.n, 1, value, &added) : 0;
    if (rc)
        w->error = rc;
    return rc || added;
}

/* A name for a table that SQLite does not reserve and that no other has. */
static struct az_sv table_name(struct writer *w, struct az_sv id)
{
    struct az_sv name = az_arena_dup(w->scratch, az_field_line(w->scratch, id));
    uint32_t *value, k = 1;

    if (name.n >= 7 && az_sv_ieq(az_sv_make(name.p, 7), AZ_SV("sqlite_"))) /* reserved */
        name = az_arena_printf(w->scratch, "table_%.*s", AZ_SVF(name));
    struct az_sv out = name;
    if (out.p && !is_new_name(w, name, &value)) {
        k = *value;
        do
            out = az_arena_printf(w->scratch, "%.*s_%" PRIu32, AZ_SVF(name), ++k);
        while (out.p && !is_new_name(w, out, &value));
        if (!w->error && !is_new_name(w, name, &value))
            *value = k;
    }
    if (out.p && az_vec_push(&w->used, out))
        w->error = az_mem_error(w->mem);
    return out;
}

/* ---- rows ---- */

/* A cell as its column stores it: clean text, and a number as the type of the column has it; one
 * that is none is NULL, and sorts so. */
static struct az_cell stored_cell(struct writer *w, const struct az_column *column,
                                  const struct az_cell *cell)
{
    struct az_cell out = *cell;

    if (cell->type == AZ_TEXT) {
        const struct az_sv s = az_field_text(w->scratch, az_cell_text(cell));
        out.s = s.p;
        out.len = AZ_CELL_LENGTH(s.n);
    } else if (cell->type == AZ_INT && column->type == AZ_REAL) {
        out.type = AZ_REAL;
        out.f = (double)cell->i;
    } else if (cell->type == AZ_REAL && isnan(cell->f)) {
        out.type = AZ_EMPTY;
    }
    return out;
}

static uint32_t write_rows(struct writer *w, const struct az_table *t)
{
    const size_t n = columns_of(t);
    struct az_cell *out = az_arena_array(w->scratch, n + !n, sizeof *out);
    struct az_rows rows;

    az_dbfile_begin(&w->file, AZ_DBFILE_ROWS);
    az_rows_open(&rows, t, w->mem);
    for (size_t r = 0; out && is_usable(w) && r < t->rows; r++) {
        const struct az_cell *cells = az_rows_at(&rows, r);
        if (cells) {
            for (size_t i = 0; i < n; i++)
                out[i] = stored_cell(w, &t->columns.v[i], &cells[i]);
            az_dbfile_row(&w->file, out, n);
        } else {
            w->error = az_rows_error(&rows);
        }
    }
    az_rows_close(&rows);
    return az_dbfile_end(&w->file);
}

struct index_entry {
    struct az_cell key[INDEXED + 1]; /* and the number of the row */
};

static int compare_cells(const struct az_cell *a, const struct az_cell *b)
{
    static const int rank[] = {
        [AZ_EMPTY] = 0, [AZ_BOOL] = 1, [AZ_INT] = 1, [AZ_REAL] = 1, [AZ_TEXT] = 2
    };

    if (rank[a->type] != rank[b->type] || a->type == AZ_EMPTY)
        return rank[a->type] - rank[b->type];
    if (a->type == AZ_TEXT)
        return az_sv_cmp(az_cell_text(a), az_cell_text(b));
    if (a->type == AZ_INT && b->type == AZ_INT)
        return (a->i > b->i) - (a->i < b->i);
    const double x = az_cell_number(a), y = az_cell_number(b);
    return (x > y) - (x < y);
}

static int compare_entries(const void *a, const void *b, void *columns)
{
    const struct index_entry *x = a, *y = b;
    int c = 0;

    for (size_t i = 0; !c && i < *(const size_t *)columns; i++)
        c = compare_cells(&x->key[i], &y->key[i]);
    return c;
}

static struct index_entry entry_of(struct writer *w, const struct az_table *t, size_t row,
                                   const struct key_columns *k)
{
    struct index_entry e;

    for (size_t i = 0; i < k->n; i++)
        e.key[i] = stored_cell(w, &t->columns.v[k->at[i]], az_table_at(t, row, k->at[i]));
    e.key[k->n] = (struct az_cell){ .type = AZ_INT, .i = (int64_t)row + 1 };
    return e;
}

static uint32_t write_index(struct writer *w, const struct az_table *t, struct key_columns *k)
{
    const size_t size = sizeof(struct index_entry);
    size_t bytes;
    struct index_entry *e = NULL;

    if (az_size_mul(t->rows, size, &bytes))
        e = az_mem_alloc(w->mem, bytes);
    if (!e) {
        w->error = az_mem_error(w->mem);
        return 0;
    }
    for (size_t i = 0; i < t->rows; i++)
        e[i] = entry_of(w, t, i, k);
    az_sort_cmp(e, t->rows, size, compare_entries, &k->n, w->mem);
    az_dbfile_begin(&w->file, AZ_DBFILE_KEYS);
    for (size_t i = 0; is_usable(w) && i < t->rows; i++)
        az_dbfile_row(&w->file, e[i].key, k->n + 1);
    az_mem_free(w->mem, e, bytes);
    return az_dbfile_end(&w->file);
}

static void index_table(struct writer *w, const struct az_table *t, struct az_sv name)
{
    struct key_columns k = key_columns_of(t);

    if (t->rows < INDEXED_ROWS || !k.n || !is_usable(w))
        return;
    const struct az_sv index = az_arena_printf(w->scratch, "%.*s_by_key", AZ_SVF(name));
    const struct az_sv sql = index_statement(w, t, &k, name, index);
    if (t->make) { /* without rows to sort */
        if (az_vec_push(&w->later, sql))
            w->error = az_mem_error(w->mem);
        return;
    }
    const uint32_t root = write_index(w, t, &k);
    az_dbfile_add(&w->file, (struct az_dbfile_entry){ "index", index, name, sql, root });
}

static void write_table(struct writer *w, const struct az_table *t, struct az_sv name)
{
    const struct az_sv sql = create_statement(w, t, name);
    if (!is_usable(w))
        return;
    const uint32_t root = write_rows(w, t);
    az_dbfile_add(&w->file, (struct az_dbfile_entry){ "table", name, name, sql, root });
    index_table(w, t, name);
}

/* ---- facts about the tables ---- */

/* A table whose rows are its keys: they are in order. */
static void write_meta(struct writer *w, const struct az_document *doc)
{
    const struct az_sv all[][2] = { { AZ_SV("format"), doc->format },
                                    { AZ_SV("input"), doc->input },
                                    { AZ_SV("schema"),
                                      doc->schema.n ? doc->schema : AZ_SV("analyzer-result/1") },
                                    { AZ_SV("title"), doc->title } };

    az_dbfile_begin(&w->file, AZ_DBFILE_KEYS);
    for (size_t i = 0; i < AZ_LENGTH(all); i++) {
        struct az_cell cells[2];
        for (size_t k = 0; k < 2; k++) {
            const struct az_sv s = az_field_text(w->scratch, all[i][k]);
            cells[k] = (struct az_cell){ .type = AZ_TEXT, .len = AZ_CELL_LENGTH(s.n), .s = s.p };
        }
        az_dbfile_row(&w->file, cells, 2);
    }
    const uint32_t root = az_dbfile_end(&w->file);
    az_dbfile_add(&w->file,
                  (struct az_dbfile_entry){
                      "table", own_names[0], own_names[0],
                      AZ_SV("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID"),
                      root });
}

struct own_column {
    struct az_sv name;
    enum az_cell_type type;
    unsigned flags;
};

static struct az_table *own_table(struct writer *w, size_t name, const struct own_column *columns,
                                  size_t n)
{
    struct az_table *t = az_table_new(w->scratch, own_names[name].p, "", 0);

    for (size_t i = 0; i < n; i++)
        az_table_columnsv(t, columns[i].name, columns[i].type, AZ_UNIT_NONE, columns[i].flags);
    for (size_t i = 0; t && i < t->columns.n; i++)
        t->columns.v[i].id = t->columns.v[i].name;
    return t;
}

static struct az_table *list_of_tables(struct writer *w)
{
    static const struct own_column columns[] = { { { "name", 4 }, AZ_TEXT, AZ_KEY },
                                                 { { "id", 2 }, AZ_TEXT, 0 },
                                                 { { "title", 5 }, AZ_TEXT, 0 },
                                                 { { "rows", 4 }, AZ_INT, 0 } };
    return own_table(w, 1, columns, AZ_LENGTH(columns));
}

static struct az_table *list_of_columns(struct writer *w)
{
    static const struct own_column columns[] = { { { "table_name", 10 }, AZ_TEXT, AZ_KEY },
                                                 { { "column_name", 11 }, AZ_TEXT, AZ_KEY },
                                                 { { "header", 6 }, AZ_TEXT, 0 },
                                                 { { "title", 5 }, AZ_TEXT, 0 },
                                                 { { "type", 4 }, AZ_TEXT, 0 },
                                                 { { "unit", 4 }, AZ_TEXT, 0 },
                                                 { { "direction", 9 }, AZ_TEXT, 0 },
                                                 { { "key", 3 }, AZ_BOOL, 0 } };
    return own_table(w, 2, columns, AZ_LENGTH(columns));
}

static void put_facts(const struct az_table *t, struct az_sv name, struct az_table *tables,
                      struct az_table *columns)
{
    az_put_text(tables, name);
    az_put_text(tables, t->id);
    az_put_text(tables, t->title);
    az_put_i64(tables, (int64_t)t->rows);
    for (size_t i = 0; i < columns_of(t); i++) {
        const struct az_column *c = &t->columns.v[i];
        az_put_text(columns, name);
        az_put_text(columns, c->id);
        az_put_text(columns, c->name);
        az_put_text(columns, c->title);
        az_put_text(columns, az_sv_str(az_cell_type_text(c->type)));
        az_put_text(columns, az_sv_str(az_unit_name(c->unit)));
        az_put_text(columns, az_sv_str(az_direction_text(c->flags)));
        az_put_bool(columns, (c->flags & AZ_KEY) != 0);
    }
}

static void write_own(struct writer *w, struct az_table *t, size_t name)
{
    const int rc = t ? az_table_finish(t) : az_arena_error(w->scratch);
    if (rc && !w->error)
        w->error = rc;
    if (is_usable(w))
        write_table(w, t, own_names[name]);
    az_table_free(t);
}

/* Names of the tables follow those of this file in 'used'. */
static void write_facts(struct writer *w, const struct az_document *doc)
{
    struct az_table *tables = list_of_tables(w), *columns = list_of_columns(w);

    for (size_t i = 0; tables && columns && is_usable(w) && i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (t->flags & AZ_TABLE_TEXT_ONLY)
            continue;
        const struct az_sv name = table_name(w, t->id);
        put_facts(t, name, tables, columns);
    }
    write_own(w, tables, 1);
    write_own(w, columns, 2);
}

/* ---- file ---- */

static void write_tables(struct writer *w, const struct az_document *doc)
{
    write_meta(w, doc);
    write_facts(w, doc);
    for (size_t i = 0, k = AZ_LENGTH(own_names); is_usable(w) && i < doc->tables.n; i++)
        if (!(doc->tables.v[i]->flags & AZ_TABLE_TEXT_ONLY))
            write_table(w, doc->tables.v[i], w->used.v[k++]);
    if (is_usable(w))
        w->error = az_dbfile_finish(&w->file, AZ_DATABASE_ID, VERSION);
}

static void warn_columns(const struct writer *w, const struct az_document *doc)
{
    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        if (columns_of(t) < t->columns.n)
            az_diag_add(
                w->diag, AZ_WARNING, AZ_AT_FILE(az_sv_str(w->path)),
                "table '%.*s' has %zu columns, of which a database can have %zu; use CSV or "
                "JSON for all",
                AZ_SVF(t->id), t->columns.n, columns_of(t));
    }
}

static int failed(const struct writer *w)
{
    const int error = w->error ? w->error : w->file.error;

    if (error && error != AZ_ENOMEM && error != AZ_ELIMIT)
        return error; /* reported where it was found */
    return az_diag_memory(w->diag, error ? error : az_arena_error(w->scratch),
                          AZ_AT_FILE(az_sv_str(w->path)), w->mem);
}

/* The tables, into a file of that name. */
static int write_file(struct writer *w, const struct az_document *doc, const char *path)
{
    struct az_outfile *out;
    int rc = az_outfile_open(&out, path, w->diag);

    if (rc)
        return rc;
    az_dbfile_init(&w->file, out, w->mem);
    write_tables(w, doc);
    if (is_usable(w))
        rc = az_outfile_commit(out);
    else
        az_outfile_abort(out);
    az_dbfile_release(&w->file);
    return is_usable(w) ? rc : failed(w);
}

/* The same, to which SQLite adds what is left. */
static int write_and_add(struct writer *w, const struct az_document *doc)
{
    struct az_sv tmp;
    int rc = az_outname_reserve(w->scratch, w->path, &tmp, w->diag);

    if (rc)
        return rc;
    rc = write_file(w, doc, tmp.p);
    if (!rc)
        rc = az_sqlite_add(&(struct az_sqlite_more){ .path = w->path,
                                                     .file = tmp.p,
                                                     .statements = &w->later,
                                                     .events = doc->events,
                                                     .names = &w->used },
                           w->scratch, w->mem, w->diag);
    if (!rc)
        return az_outname_commit(tmp.p, w->path, w->diag);
    az_outname_discard(tmp.p);
    return rc;
}

static bool needs_sqlite(const struct az_document *doc)
{
    bool needs = doc->events != NULL;
    for (size_t i = 0; i < doc->tables.n; i++) {
        const struct az_table *t = doc->tables.v[i];
        needs |= t->make && t->rows >= INDEXED_ROWS && key_columns_of(t).n > 0 &&
                 !(t->flags & AZ_TABLE_TEXT_ONLY);
    }
    return needs;
}

static int sqlite_write(const struct az_document *doc, const char *path, struct az_arena *scratch,
                        struct az_diag *diag)
{
    struct writer w = { .scratch = scratch, .mem = doc->mem, .path = path, .diag = diag };
    uint32_t *value;
    int rc = 0;

    az_vec_init(&w.used, doc->mem);
    az_vec_init(&w.later, doc->mem);
    az_map_init(&w.taken, doc->mem, 0);
    for (size_t i = 0; i < AZ_LENGTH(own_names) && !rc; i++)
        if (!is_new_name(&w, own_names[i], &value) || az_vec_push(&w.used, own_names[i]))
            rc = az_diag_memory(diag, az_mem_error(w.mem), AZ_AT_FILE(az_sv_str(path)), w.mem);
    if (!rc)
        rc = needs_sqlite(doc) ? write_and_add(&w, doc) : write_file(&w, doc, path);
    if (!rc)
        warn_columns(&w, doc);
    az_vec_release(&w.used);
    az_vec_release(&w.later);
    az_map_release(&w.taken);
    return rc;
}

const struct az_report az_report_sqlite = {
    .name = "sqlite",
    .extension = ".sqlite",
    .help = "one SQLite database with every table and column descriptions (query.md 4 of the "
            "documentation)",
    .events = true,
    .write = sqlite_write,
};
